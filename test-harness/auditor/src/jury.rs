//! R-10.3: the jury corrects cars and teams, and answers complaints.
//!
//! ```text
//! car 3 is put on square 20: it is told PATCH /state {"square":20}, and the score is counted again
//! ```

use crate::command::{CarCorrection, NewStanding, TeamCorrection};
use crate::event::{Event, Retirement};
use crate::judge::Judge;
use crate::model::{Car, Status};
use crate::word::{Kind, Module, Modules, Request};

impl Judge {
    /// A correction of a car. Whether it had to be accepted.
    pub(crate) fn corrects_car(&mut self, no: u32, correction: &CarCorrection) {
        let CarCorrection { car, reason, square, turns_to_miss, modules, standing } = correction;
        let car = *car;
        let Some(before) = self.model.cars.get(&car).cloned() else {
            self.wrong("R-10.3", format!("there is no car {car} to be corrected"));
            return;
        };
        let reinstated = *standing == Some(NewStanding::Reinstated);
        let counts = modules.unwrap_or(before.counts());
        if reinstated && counts.pilot == 0 {
            self.wrong("R-10.3", format!("car {car} is reinstated without a pilot"));
        }
        let talk = self.talk(&format!("command{no}"), car);
        self.expect(
            "R-10.3",
            Event::CarCorrected {
                car,
                reason: reason.clone(),
                square: *square,
                turns_to_miss: *turns_to_miss,
                modules: modules.map(|counts| named(&before, counts)),
                reinstated,
            },
        );
        if *standing == Some(NewStanding::Retired) {
            self.retires(&talk, car, Retirement::Jury(reason.clone()));
        } else if before.status == Status::Retired && !reinstated {
            // It is out of the race, and told nothing.
        } else if counts.pilot == 0 {
            self.retires(&talk, car, Retirement::NoPilot);
        } else {
            if reinstated || square.is_some() {
                let square = square.unwrap_or(before.square);
                self.tell("R-10.3", &talk, &Request::SetSquare(square));
            }
            for kind in Kind::ALL {
                if reinstated || counts.of(kind) != before.count(kind) {
                    self.corrects_count("R-10.3", &talk, car, kind);
                }
            }
        }
        self.scored();
    }

    /// A correction of a team.
    pub(crate) fn corrects_team(&mut self, correction: &TeamCorrection) {
        let TeamCorrection { team, reason, budget, points } = correction;
        let (team, reason, budget, points) = (*team, reason.clone(), *budget, *points);
        self.expect("R-10.3", Event::TeamCorrected { team, reason, budget, points });
        self.scored();
    }
}

/// What a car's modules are called after a correction: what came last goes, and the smallest free numbers come.
fn named(before: &Car, counts: Modules) -> Vec<Module> {
    let mut modules = Vec::new();
    for kind in Kind::ALL {
        let mut names: Vec<String> =
            before.modules.iter().filter(|it| it.kind == kind).map(|it| it.name.clone()).collect();
        let right = counts.of(kind);
        while names.len() as u64 > right {
            names.pop();
        }
        let mut number = 0u64;
        while (names.len() as u64) < right {
            number += 1;
            let name = format!("{}-{number}", kind.word());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        modules.extend(names.into_iter().map(|name| Module { kind, name }));
    }
    modules
}
