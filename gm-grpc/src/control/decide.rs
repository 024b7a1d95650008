//! Makes one decision with the rules, in whatever world: live, resumed, or from its record alone.

use super::handle::Refused;
use crate::journal::{Decision, DecisionKind};
use gm_core::ports::World;
use gm_core::race::command;
use gm_core::race::turn::{self, Played};
use gm_core::race::{Event, Race};

/// What came of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// What happened.
    pub events: Vec<Event>,
    /// What became of each command.
    pub settled: Vec<Result<(), Refused>>,
    /// Where cars are registered all or none: what would have happened, with the reasons of those that can't take part.
    pub not_registered: Vec<Event>,
}

impl Decided {
    /// For each command why it was refused, in words, as the journal keeps it.
    #[must_use]
    pub fn in_words(&self) -> Vec<Option<String>> {
        self.settled.iter().map(|settled| settled.as_ref().err().map(ToString::to_string)).collect()
    }

    /// For each command the name of its refusal, if it was refused.
    #[must_use]
    pub fn reasons(&self) -> Vec<Option<String>> {
        self.settled.iter().map(|settled| settled.as_ref().err().map(|it| it.reason.to_string())).collect()
    }
}

/// Why a car that could take part was not registered: not all of those that were named with it could.
pub const NOT_ALL: &str = "not all of the cars can take part, so none was registered";

/// Makes a decision.
pub async fn decide<W: World>(race: &Race, world: &W, decision: &Decision) -> Decided {
    let made = |Played { events, settled }| Decided {
        events,
        settled: settled.into_iter().map(|settled| settled.map_err(Refused::from)).collect(),
        not_registered: Vec::new(),
    };
    match decision.kind {
        // Made with its first events, by `Race::create`.
        DecisionKind::Create => made(Played { events: Vec::new(), settled: Vec::new() }),
        DecisionKind::Turn => match turn::play(race, world, &[]).await {
            Ok(played) => made(played),
            Err(refusal) => made(Played { events: Vec::new(), settled: vec![Err(refusal)] }),
        },
        DecisionKind::Commands => made(command::decide_all(race, world, &decision.arrivals).await),
        DecisionKind::RegisterAll => match command::register_all(race, world, &decision.arrivals).await {
            Ok(events) => {
                let settled = decision.arrivals.iter().map(|_| Ok(())).collect();
                Decided { events, settled, not_registered: Vec::new() }
            }
            Err(Played { events, settled }) => {
                let refused = |settled: Result<(), command::Refusal>| {
                    Err(settled.err().map_or(
                        Refused { reason: "NOT_ALL".into(), words: NOT_ALL.to_owned() },
                        Refused::from,
                    ))
                };
                let settled = settled.into_iter().map(refused).collect();
                Decided { events: Vec::new(), settled, not_registered: events }
            }
        },
    }
}
