//! An event as it is stored.
//!
//! ```
//! use gm_core::ids::TurnNo;
//! use gm_grpc::journal::StoredEvent;
//! let event = StoredEvent { seq: 1, turn: TurnNo(0), format: 1, body: "{}".into() };
//! ```

use gm_core::ids::TurnNo;

/// An event as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its number in the race, from 1 without a gap.
    pub seq: u64,
    /// The turn in which it happened; between two turns, the one before.
    pub turn: TurnNo,
    /// The format of the body.
    pub format: u32,
    /// The event as JSON.
    pub body: String,
}
