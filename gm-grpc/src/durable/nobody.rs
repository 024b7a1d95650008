//! The world behind a record that is complete: nobody is there to be asked.
//!
//! Where the rules would have to ask it, the decision is stopped with [`Stop::RecordEnds`](super::Stop::RecordEnds)
//! instead; so none of this ever answers.

use super::live::Live;
use gm_core::arena::Seat;
use gm_core::contract::{Answer, BaseUrl, CarRequest, DuelQuestion, Fault};
use gm_core::ids::{Seconds, TeamId, TurnNo};
use gm_core::ports::{Car, Chain, DuelAi, DuelClock, Duellist, Inspector, InspectorFault, World};
use std::future::pending;
use std::time::Duration;

/// Nobody, at every port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nobody;

impl World for Nobody {
    type Car = Nobody;
    type DuelAi = Nobody;
    type Inspector = Nobody;
    type DuelClock = Nobody;

    fn car(&self, _: Chain, _: TeamId, _: &BaseUrl) -> Nobody {
        Nobody
    }

    fn duel(&self, _: [Duellist; 2], _: Seconds) -> ([Nobody; 2], Nobody) {
        ([Nobody, Nobody], Nobody)
    }

    fn inspector(&self, _: Chain, _: TeamId) -> Option<Nobody> {
        None
    }

    async fn resolve(&self, _: Chain, _: TeamId, _: &str) -> Option<BaseUrl> {
        pending().await
    }

    async fn running_time_is_up(&self, _: TurnNo, _: Seconds) -> bool {
        false
    }
}

impl Car for Nobody {
    async fn exchange(&mut self, _: &CarRequest) -> Result<Answer, Fault> {
        pending().await
    }

    async fn wait_to_ask_again(&mut self, _: u32, _: Seconds) -> bool {
        true
    }
}

impl DuelAi for Nobody {
    async fn exchange(&mut self, _: &DuelQuestion) -> Result<Answer, Fault> {
        pending().await
    }
}

impl DuelClock for Nobody {
    async fn overdue(&mut self) -> Option<Seat> {
        None
    }
}

impl Inspector for Nobody {
    async fn engines(&mut self, _: &str) -> Result<Vec<String>, InspectorFault> {
        pending().await
    }

    async fn pilots(&mut self, _: &str) -> Result<u64, InspectorFault> {
        pending().await
    }

    async fn weapons(&mut self, _: &str) -> Result<Vec<String>, InspectorFault> {
        pending().await
    }
}

impl<Request> Live<Request> for Nobody {
    fn latency(&self) -> Duration {
        Duration::ZERO
    }

    fn resume_after(&mut self, _: &Request, _: Duration) {}
}
