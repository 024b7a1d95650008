//! How long the phases of a turn took, by the requests that were sent in them (R-3).
//!
//! ```text
//! t12-track-c1      sent ───── answered
//! t12-track-c2        sent ─────────────── answered
//! track             ├────────────────────────────┤   from the first sent to the last answered
//! ```
//!
//! A phase that asks nobody has no time. What is asked between two turns belongs to no phase.

use gm_core::ids::TurnNo;
use gm_core::ports::{Chain, Topic};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// A phase of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Transfers are settled (R-7.7).
    Transfer,
    /// Cars drive (R-3.1).
    Track,
    /// Bonuses are taken (R-12).
    Bonus,
    /// Cars fight, their duels included (R-4).
    Fight,
    /// Encounters, duels with pirates included (R-5).
    Encounter,
    /// Spot checks (R-3.4).
    SpotCheck,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Phase; 6] =
        [Phase::Transfer, Phase::Track, Phase::Bonus, Phase::Fight, Phase::Encounter, Phase::SpotCheck];

    /// The phase that a conversation belongs to; none between two turns.
    #[must_use]
    pub fn of(topic: Topic) -> Option<Phase> {
        match topic {
            Topic::Command(_) => None,
            Topic::Transfer => Some(Phase::Transfer),
            Topic::Track => Some(Phase::Track),
            Topic::Bonus => Some(Phase::Bonus),
            Topic::Fight | Topic::FightDuel => Some(Phase::Fight),
            Topic::Encounter | Topic::PirateDuel | Topic::PirateMind => Some(Phase::Encounter),
            Topic::SpotCheck => Some(Phase::SpotCheck),
        }
    }

    /// Its word, as a label.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Phase::Transfer => "transfer",
            Phase::Track => "track",
            Phase::Bonus => "bonus",
            Phase::Fight => "fight",
            Phase::Encounter => "encounter",
            Phase::SpotCheck => "spot_check",
        }
    }
}

/// The phases of the turn that is being played, in one race.
#[derive(Debug, Default)]
pub struct Phases {
    turn: TurnNo,
    spans: BTreeMap<Phase, Span>,
}

/// From the first request to the last answer.
#[derive(Debug, Clone, Copy)]
struct Span {
    sent: Instant,
    answered: Instant,
}

impl Phases {
    /// A request of a conversation was sent then, and answered, or given up, then.
    pub fn asked(&mut self, chain: Chain, sent: Instant, answered: Instant) {
        let Some(phase) = Phase::of(chain.topic) else { return };
        if self.turn != chain.turn {
            // Nobody has asked for the times of the turn before.
            self.spans.clear();
            self.turn = chain.turn;
        }
        let span = self.spans.entry(phase).or_insert(Span { sent, answered });
        span.sent = span.sent.min(sent);
        span.answered = span.answered.max(answered);
    }

    /// How long the phases of this turn took, which has ended.
    pub fn take(&mut self, turn: TurnNo) -> Vec<(Phase, Duration)> {
        let spans = std::mem::take(&mut self.spans);
        let is_of_it = self.turn == turn;
        let spans = spans.into_iter().filter(|_| is_of_it);
        spans.map(|(phase, span)| (phase, span.answered.duration_since(span.sent))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::ids::{CarId, CommandNo};

    fn chain(turn: u32, topic: Topic, car: u32) -> Chain {
        Chain { turn: TurnNo(turn), topic, car: CarId(car) }
    }

    /// Conversations overlap, and end in any order.
    #[test]
    fn r_3_a_phase_is_from_its_first_request_to_its_last_answer() {
        let zero = Instant::now();
        let at = |milliseconds| zero + Duration::from_millis(milliseconds);
        let mut phases = Phases::default();
        for (topic, car, sent, answered) in [
            (Topic::Track, 1, 0, 40),
            (Topic::Track, 2, 5, 10),
            (Topic::Track, 2, 12, 90),
            (Topic::Fight, 1, 100, 110),
            (Topic::FightDuel, 2, 115, 180),
            (Topic::PirateDuel, 3, 200, 230),
            (Topic::PirateMind, 3, 231, 231),
            (Topic::Command(CommandNo(1)), 0, 0, 5000),
        ] {
            phases.asked(chain(3, topic, car), at(sent), at(answered));
        }
        let took = |milliseconds| Duration::from_millis(milliseconds);
        let expected = [(Phase::Track, took(90)), (Phase::Fight, took(80)), (Phase::Encounter, took(31))];
        assert_eq!(phases.take(TurnNo(3)), expected);
        assert_eq!(phases.take(TurnNo(3)), []);
    }

    /// What was asked in another turn does not count: one that was broken off, or nobody asked for.
    #[test]
    fn one_turn_at_a_time() {
        let now = Instant::now();
        let later = now + Duration::from_secs(1);
        let mut phases = Phases::default();
        phases.asked(chain(1, Topic::Track, 1), now, later);
        phases.asked(chain(2, Topic::Bonus, 1), now, later);
        assert_eq!(phases.take(TurnNo(2)), [(Phase::Bonus, Duration::from_secs(1))]);
        phases.asked(chain(2, Topic::Bonus, 1), now, later);
        assert_eq!(phases.take(TurnNo(3)), []);
        assert_eq!(phases.take(TurnNo(2)), []);
    }
}
