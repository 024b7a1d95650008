//! R-3.3, R-5: encounters.
//!
//! ```text
//! car 3 meets pirates, car 2 a wreck: all are told first, then each goes its way, then garages are settled
//! ```

mod garage;
mod mine;
mod pirates;
mod wreck;

use crate::event::{Encounter, Event};
use crate::judge::Judge;
use crate::turn::Turn;

impl Judge {
    /// R-3.3: one draw for each car, or what was declared; then R-5.
    pub(crate) fn encounters(&mut self, turn: &mut Turn) {
        let mut met = Vec::new();
        for car in self.in_order(turn) {
            let encounter = self.draws_encounter(car, turn.missing.contains(&car));
            if encounter != Encounter::Nothing {
                met.push((car, encounter));
            }
        }
        let mut wanted = Vec::new();
        for (car, encounter) in met {
            match encounter {
                Encounter::Nothing => {}
                Encounter::Pirates => self.pirates(turn, car),
                Encounter::Wreck => self.wreck(turn, car),
                Encounter::Minefield => self.minefield(turn, car),
                Encounter::Garage => wanted.extend(self.offers(car).map(|kind| (car, kind))),
            }
        }
        self.garages(turn, wanted);
    }

    /// What a car meets. What a car that misses the turn may not meet is nothing for it (R-5.2, R-5.3).
    fn draws_encounter(&mut self, car: u32, missing: bool) -> Encounter {
        let barred = |it: Encounter| missing && matches!(it, Encounter::Wreck | Encounter::Minefield);
        if let Some(encounter) = self.declared(car) {
            if encounter == Encounter::Nothing || barred(encounter) {
                return Encounter::Nothing;
            }
            self.expect("R-3.3", Event::EncounterMet { car, encounter, declared: true });
            return encounter;
        }
        let met = match self.peek() {
            Some(Event::EncounterMet { car: of, encounter, declared }) if *of == car => {
                Some((*encounter, *declared))
            }
            _ => None,
        };
        let odds = self.model.odds;
        let encounter = met.map_or(Encounter::Nothing, |(encounter, _)| encounter);
        if let Some((encounter, declared)) = met {
            if declared || barred(encounter) || encounter == Encounter::Nothing {
                self.wrong("R-3.3", format!("car {car} can't meet {encounter:?} here, declared: {declared}"));
            }
            self.advance();
        }
        let share = |percent: u32| f64::from(percent) / 100.0;
        if missing {
            let nothing = share(odds.nothing + odds.wreck + odds.minefield);
            let at = match encounter {
                Encounter::Pirates => 1,
                Encounter::Garage => 2,
                _ => 0,
            };
            let shares = [nothing, share(odds.pirates), share(odds.garage)];
            self.tally.with_shares("R-3.3", "encounter of a car that misses the turn", &shares, at);
        } else {
            let (at, percent) = match encounter {
                Encounter::Nothing => (0, odds.nothing),
                Encounter::Pirates => (1, odds.pirates),
                Encounter::Garage => (2, odds.garage),
                Encounter::Wreck => (3, odds.wreck),
                Encounter::Minefield => (4, odds.minefield),
            };
            if percent == 0 {
                self.wrong("R-3.3", format!("car {car} meets {encounter:?}, which never happens"));
            }
            let shares = [odds.nothing, odds.pirates, odds.garage, odds.wreck, odds.minefield].map(share);
            self.tally.with_shares("R-3.3", "encounter", &shares, at);
        }
        encounter
    }
}
