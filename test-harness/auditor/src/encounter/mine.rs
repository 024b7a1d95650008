//! R-5.3: a minefield.
//!
//! ```text
//! GET /event/mine: no, so car 1 misses three turns more
//! ```

use crate::answer;
use crate::event::{Achievement, DelayCause, Event, LossCause};
use crate::judge::Judge;
use crate::turn::Turn;
use crate::word::Request;

impl Judge {
    pub(super) fn minefield(&mut self, turn: &mut Turn, car: u32) {
        let talk = self.talk("encounter", car);
        let fault = match self.ask("R-5.3", &talk, &Request::Mine, answer::yes_or_no) {
            Ok(true) => {
                self.crosses(turn, car);
                return;
            }
            Ok(false) => None,
            Err(fault) => Some(fault),
        };
        self.expect("R-5.3", Event::MinefieldAvoided { car, fault });
        let (turns, cause) = (self.model.rules.mine.detour_turns, DelayCause::Minefield);
        self.expect("R-5.3", Event::TurnsToMissAdded { car, turns, cause });
    }

    fn crosses(&mut self, turn: &mut Turn, car: u32) {
        let talk = self.talk("encounter", car);
        let damaged = self.draw("R-5.3", &format!("car {car} to cross the minefield"), |event| match event {
            Event::MinefieldCrossed { car: of, damaged } if *of == car => Some(*damaged),
            _ => None,
        });
        let Some(damaged) = damaged else { return };
        let percent = self.model.rules.mine.damage_percent;
        if damaged && percent == 0 || !damaged && percent >= 100 {
            self.wrong("R-5.3", format!("at {percent} %, whether car {car} is damaged: {damaged}"));
        }
        self.tally.percent("R-5.3", "damage in a minefield", percent, damaged);
        if damaged {
            self.loses_any("R-5.3", &talk, car, LossCause::Minefield);
            self.last_pilot(turn, car);
        } else {
            turn.deed(car, Achievement::AceDriver);
        }
    }
}
