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
use gm_core::contract::{Answer, DuelQuestion, DuelUrl, Fault};
use gm_core::ports::{Chain, DuelAi, Duellist};
use http::header::HeaderValue;
use std::sync::Arc;
use std::time::Duration;

/// A seat of a duel.
pub struct HttpDuelAi {
    shared: Arc<Shared>,
    chain: Chain,
    /// How many questions were asked.
    number: u32,
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
        HttpDuelAi { shared, chain, number: 0, mind }
    }
}

impl DuelAi for HttpDuelAi {
    async fn exchange(&mut self, question: &DuelQuestion) -> Result<Answer, Fault> {
        self.number = self.number.saturating_add(1);
        let shared = &self.shared;
        match &mut self.mind {
            Mind::Car { url, line, seat, times } => {
                let mut headers = shared.headers(self.chain, self.number);
                let seen = serde_json::to_string(&question.seen).unwrap_or_default();
                if let Ok(seen) = HeaderValue::try_from(seen) {
                    headers.insert(DUEL, seen);
                }
                let url = with_query(url, &question.query());
                let asked =
                    Asked { chain: self.chain, number: self.number, method: "GET", url: &url, body: None };
                let exchanged = shared.exchange(line, asked, headers, shared.settings.limits.ai).await;
                times.add(*seat, exchanged.latency);
                exchanged.outcome
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

/// The AI's URL with the question behind its own query, if it has one (A-1).
fn with_query(url: &DuelUrl, query: &str) -> String {
    let url = url.as_str();
    let joint = match url.split_once('?') {
        None => "?",
        Some((_, own)) if own.is_empty() || own.ends_with('&') => "",
        Some(_) => "&",
    };
    format!("{url}{joint}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A-1: the AI's URL, and the URL that is asked.
    #[test]
    fn a_1_the_own_query_is_kept() {
        for (url, asked) in [
            ("https://ai.example/prod/action", "https://ai.example/prod/action?q=[1]"),
            ("https://ai.example", "https://ai.example/?q=[1]"),
            ("http://ai.example/a?key=x%20y", "http://ai.example/a?key=x%20y&q=[1]"),
            ("http://ai.example/a?", "http://ai.example/a?q=[1]"),
            ("http://ai.example/a?key=1&", "http://ai.example/a?key=1&q=[1]"),
        ] {
            let url = DuelUrl::parse(url).expect("a URL");
            assert_eq!(with_query(&url, "q=[1]"), asked);
        }
    }
}
