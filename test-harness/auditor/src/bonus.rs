//! R-12: bonuses on the ring.
//!
//! ```text
//! car 3 ends its move on place 3, where a bonus takes it back by 4: bonus_taken, then a step to square 0
//! ```

use crate::event::{BonusEffect, Event, GainCause, StepCause};
use crate::judge::{Judge, Talk};
use crate::turn::Turn;
use crate::word::Request;

impl Judge {
    /// Taken in the order of priority by those that drove; then each car does what its bonus makes it do.
    pub(crate) fn bonuses(&mut self, turn: &mut Turn) {
        let mut moving = Vec::new();
        for car in std::mem::take(&mut turn.drove) {
            let Some(known) = self.model.cars.get(&car) else { continue };
            let (team, place) = (known.team, self.model.place(known.square));
            let there =
                self.model.bonuses.iter().find(|(_, bonus)| bonus.plan.place == place && bonus.is_for(team));
            let Some((&bonus, there)) = there else { continue };
            let effect = there.plan.effect.clone();
            self.expect("R-12.2", Event::BonusTaken { car, team, bonus, place, effect: effect.clone() });
            moving.push((car, effect));
        }
        for (car, effect) in moving {
            let talk = self.talk("bonus", car);
            let square = self.model.cars.get(&car).map_or(0, |car| car.square);
            match effect {
                BonusEffect::Module(kind) => {
                    let breach = self.gains(&talk, car, kind, GainCause::Bonus);
                    self.punishes("R-12.2", car, breach);
                }
                BonusEffect::Advance(squares) => self.is_moved(&talk, car, square.saturating_add(squares)),
                BonusEffect::Back(squares) => self.is_moved(&talk, car, square.saturating_sub(squares)),
                BonusEffect::Dollars(_)
                | BonusEffect::Points(_)
                | BonusEffect::MissTurn
                | BonusEffect::ClearMisses => {}
            }
        }
    }

    fn is_moved(&mut self, talk: &Talk, car: u32, to: u32) {
        self.expect("R-12.2", Event::CarStepped { car, to, cause: StepCause::Bonus });
        self.tell("R-12.2", talk, &Request::SetPosition(to));
        let breach = self.corrects_square("R-12.2", talk, car);
        self.punishes("R-12.2", car, breach);
    }
}
