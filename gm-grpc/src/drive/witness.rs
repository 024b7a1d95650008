//! Who looks on while requests are under way: a live view that shows who is being waited for, a journal.
//!
//! ```
//! use gm_grpc::drive::{Asked, Witness};
//! struct Waiting;
//! impl Witness for Waiting { fn asked(&self, asked: &Asked<'_>) { println!("{} {}", asked.chain, asked.url) } }
//! ```

use gm_core::contract::{Answer, Fault};
use gm_core::ports::Chain;
use std::time::Duration;

/// A request that is sent. Holds no secret, but URLs, which only a team and the admin may see (R-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked<'a> {
    /// The conversation.
    pub chain: Chain,
    /// The number of the request in its conversation, from 1.
    pub number: u32,
    /// The HTTP method; `PLAY` for pirates, who are asked in process.
    pub method: &'a str,
    /// The whole URL, with path and query.
    pub url: &'a str,
    /// The JSON body, where there is one.
    pub body: Option<&'a [u8]>,
}

/// Looks on. Called from within the exchange, so it must not block.
pub trait Witness: Send + Sync {
    /// A request is sent now; its deadline begins.
    fn asked(&self, asked: &Asked<'_>) {
        let _ = asked;
    }

    /// What came of it, and how long it took.
    fn answered(&self, asked: &Asked<'_>, outcome: &Result<Answer, Fault>, latency: Duration) {
        let _ = (asked, outcome, latency);
    }
}

/// Nobody looks on.
impl Witness for () {}
