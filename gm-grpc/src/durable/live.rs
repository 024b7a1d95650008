//! What a world must be able to do so that a race can go on in the middle of a conversation.

use gm_core::contract::{CarRequest, DuelQuestion};
use gm_core::memory::{MemoryDuelAi, MemoryLine};
use gm_core::ports::{Car, DuelAi, World};
use std::time::Duration;

/// A conversation that another process may have begun.
pub trait Live<Request>: Send {
    /// How long the last answer took.
    fn latency(&self) -> Duration;

    /// The conversation's next request was answered in another process, and the answer took so long. It counts as if
    /// it had been asked here: in the numbers of requests, in the time of a duel, in the state of an AI that
    /// thinks in this process.
    fn resume_after(&mut self, request: &Request, latency: Duration);
}

/// A world whose conversations can go on where another process has left them.
pub trait LiveWorld: World<Car: Car + Live<CarRequest>, DuelAi: DuelAi + Live<DuelQuestion>> {}

impl<W> LiveWorld for W
where
    W: World,
    W::Car: Live<CarRequest>,
    W::DuelAi: Live<DuelQuestion>,
{
}

/// A world in memory answers at once, and counts nothing.
impl Live<CarRequest> for MemoryLine {
    fn latency(&self) -> Duration {
        Duration::ZERO
    }

    fn resume_after(&mut self, _: &CarRequest, _: Duration) {}
}

impl Live<DuelQuestion> for MemoryDuelAi {
    fn latency(&self) -> Duration {
        Duration::ZERO
    }

    fn resume_after(&mut self, _: &DuelQuestion, _: Duration) {}
}
