//! R-5.1: pirates.
//!
//! ```text
//! pirates with 4 weapons attack car 3, which has none: it is destroyed
//! ```

use crate::answer;
use crate::event::{Achievement, Combatant, Event, LossCause, Retirement};
use crate::judge::Judge;
use crate::turn::Turn;
use crate::word::Request;

impl Judge {
    pub(super) fn pirates(&mut self, turn: &mut Turn, car: u32) {
        let talk = self.talk("encounter", car);
        let armed = self.draw("R-5.1", &format!("pirates to attack car {car}"), |event| match event {
            Event::PiratesAttacked { car: of, weapons } if *of == car => Some(*weapons),
            _ => None,
        });
        let Some(armed) = armed else { return };
        let (least, most) = (self.model.rules.pirates.least_weapons, self.model.rules.pirates.most_weapons);
        if (least..=most).contains(&armed) {
            let of = (most - least) as usize + 1;
            self.tally.evenly("R-5.1", "weapons of pirates", of, (armed - least) as usize);
        } else {
            self.wrong("R-5.1", format!("pirates with {armed} weapons, where {least} to {most} are drawn"));
        }
        let weapons = self.model.cars.get(&car).map_or(0, crate::model::Car::weapons);
        if weapons == 0 {
            self.retires(&talk, car, Retirement::Destroyed);
            turn.deed(car, Achievement::ClickClick);
            return;
        }
        let combatants = [Combatant::Car(car), Combatant::Pirates];
        let winner = match self.ask("R-5.1", &talk, &Request::DuelUrl, answer::duel_url) {
            Ok(url) => {
                self.arms(turn, car, weapons);
                let seats = [self.seat("pirateduel", car, &url), self.pirates_seat(car)];
                self.duel(combatants, [weapons, armed], &seats)
            }
            Err(fault) => {
                self.expect("R-4.5", Event::DuelForfeited { car, fault });
                Some(1)
            }
        };
        match winner {
            Some(0) => {
                self.wins(turn, car, Combatant::Pirates, weapons, armed);
                turn.deed(car, Achievement::MadMax);
            }
            Some(_) => _ = self.loses_fight(turn, &talk, car, Combatant::Pirates, LossCause::Pirates),
            None => self.expect("R-4.6", Event::FightDrawn { combatants }),
        }
    }
}
