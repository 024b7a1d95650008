//! R-5.2: a wreck.
//!
//! ```text
//! GET /event/wreck: yes, so car 2 misses one turn more, and finds an engine
//! ```

use crate::answer;
use crate::event::{Achievement, Breach, Check, DelayCause, Event, Fact, Find, Found, GainCause, LossCause};
use crate::judge::Judge;
use crate::turn::Turn;
use crate::word::{Kind, Request};

/// How many turns a search takes.
const SEARCH: u32 = 1;

impl Judge {
    pub(super) fn wreck(&mut self, turn: &mut Turn, car: u32) {
        let talk = self.talk("encounter", car);
        match self.ask("R-5.2", &talk, &Request::Wreck, answer::yes_or_no) {
            Ok(true) => {}
            Ok(false) => {
                self.expect("R-5.2", Event::WreckLeft { car });
                return;
            }
            Err(fault) => {
                let (expected, found) = (Fact::AnAnswer, Found::Fault(fault));
                let breach = Breach { check: Check::Asked(Request::Wreck), expected, found };
                self.punishes("R-5.2", car, Some(breach));
                return;
            }
        }
        let cause = DelayCause::Wreck;
        self.expect("R-5.2", Event::TurnsToMissAdded { car, turns: SEARCH, cause });
        let find = self.draw("R-5.2", &format!("a find of car {car}"), |event| match event {
            Event::WreckSearched { car: of, find } if *of == car => Some(*find),
            _ => None,
        });
        let Some(find) = find else { return };
        let odds = &self.model.rules.wreck;
        let (at, percent) = match find {
            Find::Nothing => (0, odds.nothing),
            Find::Module(Kind::Engine) => (1, odds.engine),
            Find::Module(Kind::Weapon) => (2, odds.weapon),
            Find::Module(Kind::Pilot) => (3, odds.pilot),
            Find::Snakes => (4, odds.snakes),
        };
        let shares = [odds.nothing, odds.engine, odds.weapon, odds.pilot, odds.snakes]
            .map(|percent| f64::from(percent) / 100.0);
        if percent == 0 {
            self.wrong("R-5.2", format!("car {car} finds {find:?}, which is never there"));
        }
        self.tally.with_shares("R-5.2", "find in a wreck", &shares, at);
        match find {
            Find::Nothing => {}
            Find::Module(kind) => {
                turn.deed(car, Achievement::Recycler);
                let breach = self.gains(&talk, car, kind, GainCause::Wreck);
                self.punishes("R-5.2", car, breach);
            }
            Find::Snakes => {
                turn.deed(car, Achievement::SnakesOnACar);
                let pilots = self.model.cars.get(&car).map(|car| car.modules.clone()).unwrap_or_default();
                if let Some(last) = pilots.into_iter().rfind(|module| module.kind == Kind::Pilot) {
                    self.loses(&talk, car, last, LossCause::Snakes);
                    self.last_pilot(turn, car);
                }
            }
        }
    }
}
