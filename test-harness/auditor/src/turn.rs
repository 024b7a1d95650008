//! R-3: a turn, phase by phase.
//!
//! ```text
//! start, on track, bonuses, fights, encounters, spot checks, achievements, score, and perhaps the end
//! ```

use crate::event::{Achievement, Event};
use crate::judge::Judge;
use crate::model::{Declared, Phase, Status};
use crate::record::Port;
use std::collections::BTreeSet;

/// What is remembered within one turn.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// The cars in the order of priority.
    pub(crate) order: Vec<u32>,
    /// Those that miss it.
    pub(crate) missing: BTreeSet<u32>,
    /// Those that drove, and have not taken a bonus yet.
    pub(crate) drove: Vec<u32>,
    /// What was done that is worth a medal, in order.
    pub(crate) deeds: Vec<(u32, Achievement)>,
}

impl Turn {
    /// A car did something that is worth a medal.
    pub(crate) fn deed(&mut self, car: u32, achievement: Achievement) {
        self.deeds.push((car, achievement));
    }
}

impl Judge {
    /// R-3: a whole turn.
    pub(crate) fn plays_turn(&mut self, number: u32) {
        if self.model.phase != Phase::Running {
            let phase = self.model.phase;
            self.wrong("R-10.1", format!("a turn is played while the race is {phase:?}"));
        }
        let mut turn = self.starts(number);
        self.on_track(&mut turn);
        self.bonuses(&mut turn);
        self.fights(&mut turn);
        self.encounters(&mut turn);
        self.spot_checks(&turn);
        self.achievements(&turn);
        self.scored();
        self.expect("R-10.1", Event::TurnCompleted { turn: number });
        self.model.declared = Declared::default();
        if let Some(ending) = self.ends() {
            self.finishes(ending);
        }
    }

    /// R-3.0: who starts, what is transferred, who misses the turn, and the order of priority.
    fn starts(&mut self, number: u32) -> Turn {
        self.expect("R-10.1", Event::TurnStarted { turn: number });
        let entered: Vec<u32> = self
            .model
            .cars
            .iter()
            .filter(|(_, car)| car.status == Status::Entered)
            .map(|(car, _)| *car)
            .collect();
        for car in entered {
            self.expect("R-2.4", Event::CarStarted { car });
        }
        let mut turn = Turn::default();
        self.transfers(&mut turn);
        let racing = self.racing();
        self.model.idle = if racing.is_empty() { self.model.idle.saturating_add(1) } else { 0 };
        let missing: Vec<u32> = racing
            .iter()
            .copied()
            .filter(|car| self.model.cars.get(car).is_some_and(|car| car.turns_to_miss > 0))
            .collect();
        let drawn = self.draw("R-3.0", "the priority to be drawn", |event| match event {
            Event::PriorityDrawn { order, missing } => Some((order.clone(), missing.clone())),
            _ => None,
        });
        let (order, marked) = drawn.unwrap_or_else(|| (racing.iter().copied().collect(), missing.clone()));
        if marked != missing {
            self.wrong("R-3.0", format!("expected that {missing:?} miss the turn, found {marked:?}"));
        }
        let each: BTreeSet<u32> = order.iter().copied().collect();
        if each != racing || each.len() != order.len() {
            self.wrong("R-3.0", format!("expected an order of {racing:?}, found {order:?}"));
        } else {
            for (rank, car) in racing.iter().enumerate() {
                let place = order.iter().position(|it| it == car).unwrap_or_default();
                self.tally.evenly("R-3.0", &format!("priority of car {}", rank + 1), order.len(), place);
            }
        }
        turn.order = order;
        turn.missing = missing.into_iter().collect();
        turn
    }

    /// The cars that still race, in the order of priority.
    pub(crate) fn in_order(&self, turn: &Turn) -> Vec<u32> {
        turn.order.iter().copied().filter(|car| self.model.racing(*car)).collect()
    }

    /// R-3.4: who is checked, and what comes of it.
    fn spot_checks(&mut self, turn: &Turn) {
        let percent = self.model.rules.spot_check_percent;
        for car in self.in_order(turn) {
            let talk = self.talk("spotcheck", car);
            let checked = self.is_asked(&talk.chain, Port::Car);
            self.tally.percent("R-3.4", "spot check", percent, checked);
            let impossible = if checked { percent == 0 } else { percent >= 100 };
            if impossible {
                self.wrong("R-3.4", format!("at {percent} %, whether car {car} is checked: {checked}"));
            }
            if checked {
                let breach = self.corrects_state(&talk, car);
                self.punishes("R-3.4", car, breach);
            }
        }
    }
}
