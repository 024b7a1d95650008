//! The two seats of a duel (CONTRACT A): a car's AI over HTTP, or the pirates' in process.
//!
//! ```text
//! GET /prod/action?yourmoves=[1,5]&othermoves=[2]&cards=[3,2]&othernbcards=5 HTTP/1.1
//! host: ai.example
//! user-agent: gm/0.1.0
//! x-eacc-request-id: race-7f3a-t12-duel-c3-2
//! x-eacc-duel: {"distance":14,…}
//! ```
//!
//! A car's secret is never sent here: the AI's URL is whatever the car says, and may be anybody's.

use super::clock::SeatTimes;
use super::line::Line;
use super::pirates::Pirates;
use super::witness::Asked;
use super::world::{DUEL, Shared};
use crate::durable::Live;
use crate::observe::metrics;
use gm_core::contract::{Answer, DuelQuestion, DuelUrl, Fault};
use gm_core::ports::{Chain, DuelAi, Duellist};
use std::sync::Arc;
use std::time::Duration;

/// A seat of a duel.
pub struct HttpDuelAi {
    shared: Arc<Shared>,
    chain: Chain,
    /// How many questions were asked.
    number: u32,
    /// How long the last answer took.
    latency: Duration,
    mind: Mind,
}

enum Mind {
    /// Its line is the seat's own: an AI may serve many duels at the same time, and a connection lasts for one duel.
    Car { url: DuelUrl, line: Box<Line>, seat: usize, times: SeatTimes },
    /// In process.
    Pirates(Pirates),
}

impl HttpDuelAi {
    pub(super) fn new(shared: Arc<Shared>, seat: usize, duellist: Duellist, times: SeatTimes) -> HttpDuelAi {
        let (chain, mind) = match duellist {
            Duellist::Car { chain, url, .. } => {
                (chain, Mind::Car { url, line: Box::new(shared.new_line()), seat, times })
            }
            Duellist::Pirates { chain, mind, seed } => (chain, Mind::Pirates(Pirates::new(mind, seed))),
        };
        HttpDuelAi { shared, chain, number: 0, latency: Duration::ZERO, mind }
    }
}

impl DuelAi for HttpDuelAi {
    async fn exchange(&mut self, question: &DuelQuestion) -> Result<Answer, Fault> {
        self.number = self.number.saturating_add(1);
        let shared = &self.shared;
        match &mut self.mind {
            Mind::Car { url, line, seat, times } => {
                let mut headers = shared.headers(self.chain, self.number);
                if let Some(seen) = question.seen.as_ref().and_then(|seen| seen.header().try_into().ok()) {
                    headers.insert(DUEL, seen);
                }
                let url = question.url(url);
                let asked =
                    Asked { chain: self.chain, number: self.number, method: "GET", url: &url, body: None };
                let exchanged = shared.exchange(line, asked, headers, shared.settings.limits.ai).await;
                times.add(*seat, exchanged.latency);
                self.latency = exchanged.latency;
                let outcome = exchanged.outcome;
                let fault = outcome.as_ref().map_or_else(|fault| Some(*fault), DuelQuestion::fault_in);
                metrics::car_request("A-1", fault, exchanged.latency);
                outcome
            }
            Mind::Pirates(pirates) => {
                let url = format!("pirates:?{}", question.query());
                let asked =
                    Asked { chain: self.chain, number: self.number, method: "PLAY", url: &url, body: None };
                shared.settings.witness.asked(&asked);
                let outcome = Ok(pirates.answer(question));
                shared.report(&asked, &outcome, Duration::ZERO);
                outcome
            }
        }
    }
}

impl Live<DuelQuestion> for HttpDuelAi {
    fn latency(&self) -> Duration {
        self.latency
    }

    fn resume_after(&mut self, question: &DuelQuestion, latency: Duration) {
        self.number = self.number.saturating_add(1);
        match &mut self.mind {
            Mind::Car { seat, times, .. } => times.add(*seat, latency),
            // Their dice have to fall as often as they did.
            Mind::Pirates(pirates) => _ = pirates.answer(question),
        }
    }
}
