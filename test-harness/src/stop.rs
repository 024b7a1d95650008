//! A run that is told to stop: nothing more is asked, and what was done to the car is given back.
//!
//! ```
//! use test_harness::stop::Stop;
//! let stop = Stop::default();
//! let in_the_run = stop.clone();
//! stop.because("SIGINT");
//! assert_eq!(in_the_run.why(), Some("SIGINT"));
//! ```
//!
//! A request that is under way is waited for: what came of it must be known to be given back. Those that would follow
//! are not sent.

use std::sync::{Arc, OnceLock};

/// Whether a run is to stop, and why. All clones are one.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<OnceLock<String>>);

impl Stop {
    /// Nothing more is to be asked. The first reason stays.
    pub fn because(&self, why: &str) {
        self.0.get_or_init(|| why.to_owned());
    }

    /// Why nothing more is to be asked, if it is so.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}
