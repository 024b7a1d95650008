//! R-5.4: a garage.
//!
//! ```text
//! car 6 buys an engine for 2 dollars, and steps back from square 3 to 2
//! ```

use crate::answer;
use crate::event::{Achievement, Breach, Check, Event, Fact, Found, GainCause, StepCause};
use crate::judge::Judge;
use crate::turn::Turn;
use crate::word::{Kind, Request};

impl Judge {
    /// R-5.4: what a car wants, if it is anything.
    pub(super) fn offers(&mut self, car: u32) -> Option<Kind> {
        let talk = self.talk("encounter", car);
        let prices = self.model.rules.prices;
        match self.ask("R-5.4", &talk, &Request::Garage(prices), answer::purchase) {
            Ok(None) => {
                self.expect("R-5.4", Event::GarageLeft { car });
                None
            }
            Ok(wanted) => wanted,
            Err(fault) => {
                let check = Check::Asked(Request::Garage(prices));
                let (expected, found) = (Fact::AnAnswer, Found::Fault(fault));
                self.punishes("R-5.4", car, Some(Breach { check, expected, found }));
                None
            }
        }
    }

    /// Settled in the order of priority against the teams' budgets; then each car that bought is told.
    pub(super) fn garages(&mut self, turn: &mut Turn, wanted: Vec<(u32, Kind)>) {
        let mut bought = Vec::new();
        for (car, kind) in wanted {
            let team = self.model.cars.get(&car).map_or(0, |car| car.team);
            let (price, budget) = (self.model.rules.prices.of(kind), self.model.budget(team));
            if price > budget {
                self.expect("R-5.4", Event::TooExpensive { car, kind, price, budget });
            } else {
                self.expect("R-5.4", Event::ModuleBought { car, team, kind, price });
                turn.deed(car, Achievement::PimpMyRide);
                bought.push((car, kind));
            }
        }
        for (car, kind) in bought {
            let talk = self.talk("encounter", car);
            let gained = self.gains(&talk, car, kind, GainCause::Garage);
            let back = self.model.rules.garage_step_back;
            let to = self.model.cars.get(&car).map_or(0, |car| car.square.saturating_sub(back));
            self.expect("R-5.4", Event::CarStepped { car, to, cause: StepCause::Garage });
            self.tell("R-5.4", &talk, &Request::SetPosition(to));
            let placed = self.corrects_square("R-5.4", &talk, car);
            self.punishes("R-7.5", car, gained.or(placed));
        }
    }
}
