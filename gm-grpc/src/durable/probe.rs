//! Where tests let a process die: at the points at which it makes a difference.

/// A point in the life of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    /// A request is about to be sent.
    Sent,
    /// Its answer has come, and is not in the journal yet.
    Answered,
    /// Its answer is in the journal, and the rules have not seen it yet.
    Kept,
    /// The events of a decision are about to be committed.
    BeforeCommit,
    /// They are committed, and nobody was told yet.
    AfterCommit,
}

/// Asked at each point whether the process dies there.
pub trait Probe: Send + Sync {
    /// Whether it dies here. One that kills the process does not return.
    fn dies_at(&self, point: Point) -> bool;
}

/// Nobody dies.
impl Probe for () {
    fn dies_at(&self, _: Point) -> bool {
        false
    }
}
