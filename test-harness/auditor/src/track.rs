//! R-3.1: on track.
//!
//! ```text
//! GET /engine/count: 4, which is right, so the car moves from 8 to 12; PATCH /state, GET /state
//! ```

use crate::event::{Achievement, Event, Retirement};
use crate::judge::Judge;
use crate::turn::Turn;
use crate::word::{Kind, Request};

/// R-9.2: so many squares in one move are lightning.
const LIGHTNING: u32 = 8;

impl Judge {
    /// All cars at the same time, recorded in the order of priority.
    pub(crate) fn on_track(&mut self, turn: &mut Turn) {
        for car in turn.order.clone() {
            if turn.missing.contains(&car) {
                self.expect("R-3.1", Event::TurnMissed { car });
            } else {
                self.drives(turn, car);
            }
        }
    }

    fn drives(&mut self, turn: &mut Turn, car: u32) {
        let talk = self.talk("track", car);
        let Some(known) = self.model.cars.get(&car) else { return };
        let (square, engines) = (known.square, u32::try_from(known.count(Kind::Engine)).unwrap_or(u32::MAX));
        if engines == 0 {
            self.retires(&talk, car, Retirement::OutOfFuel);
            turn.deed(car, Achievement::OutOfFuel);
            return;
        }
        let breach = self.corrects_engines(&talk, car);
        if breach.is_some() {
            self.punishes("R-3.1", car, breach);
            return;
        }
        let to = square.saturating_add(engines);
        self.expect("R-3.1", Event::CarMoved { car, squares: engines, to });
        turn.drove.push(car);
        if engines >= LIGHTNING {
            turn.deed(car, Achievement::Lightning);
        }
        self.tell("R-3.1", &talk, &Request::SetSquare(to));
        let breach = self.corrects_square("R-3.1", &talk, car);
        self.punishes("R-3.1", car, breach);
    }
}
