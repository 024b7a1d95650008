//! R-10.3: the jury corrects cars and teams, and answers complaints.
//!
//! ```text
//! car 3 is put on square 20: it is told PATCH /state {"square":20}, and the score is counted again
//! ```

use crate::command::{CarCorrection, NewStanding, TeamCorrection};
use crate::event::{Event, Retirement};
use crate::judge::{Judge, Talk};
use crate::model::{Car, Status};
use crate::record::{Outcome, Port};
use crate::verification::read_request;
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
        let told = reinstated || before.status != Status::Retired;
        let talk = self.talk(&format!("command{no}"), car);
        let mut after = before.clone();
        after.square = square.unwrap_or(before.square);
        let counts = modules.unwrap_or(before.counts());
        if told && (square.is_some() || reinstated) {
            self.tell("R-10.3", &talk, &Request::SetSquare(after.square));
        }
        let mut changed = Vec::new();
        for kind in Kind::ALL {
            if reinstated || counts.of(kind) != before.count(kind) {
                changed.push(kind);
                if told {
                    self.tell("R-10.3", &talk, &Request::SetCount { kind, count: counts.of(kind) });
                }
            }
        }
        let named = self.names_corrected(&talk, &before, counts, &changed, told);
        if reinstated && counts.pilot == 0 {
            self.wrong("R-10.3", format!("car {car} is reinstated without a pilot"));
        }
        let modules = match self.peek() {
            // What was inspected may be named although nothing was changed by the jury.
            Some(Event::CarCorrected { modules: Some(_), .. }) => Some(named),
            _ => modules.map(|_| named),
        };
        let (reason, square, turns_to_miss) = (reason.clone(), *square, *turns_to_miss);
        let corrected =
            Event::CarCorrected { car, reason: reason.clone(), square, turns_to_miss, modules, reinstated };
        self.expect("R-10.3", corrected);
        if *standing == Some(NewStanding::Retired) {
            self.retires(&talk, car, Retirement::Jury(reason));
        } else if self
            .model
            .cars
            .get(&car)
            .is_some_and(|car| car.status != Status::Retired && car.count(Kind::Pilot) == 0)
        {
            self.retires(&talk, car, Retirement::NoPilot);
        }
        self.scored();
    }

    /// What the modules are called then: what came last goes, the smallest free names come; or what the inspector reads.
    fn names_corrected(
        &mut self,
        talk: &Talk,
        before: &Car,
        counts: Modules,
        changed: &[Kind],
        told: bool,
    ) -> Vec<Module> {
        let mut modules = Vec::new();
        for kind in Kind::ALL {
            let mut names: Vec<String> =
                before.modules.iter().filter(|it| it.kind == kind).map(|it| it.name.clone()).collect();
            let right = counts.of(kind);
            if changed.contains(&kind)
                && told
                && self.is_asked(&talk.chain, Port::Inspector)
                && kind != Kind::Pilot
            {
                let request = read_request(kind, before.resources.of(kind));
                let seen = self.exchange("R-10.3", talk, Port::Inspector, &request).map(|seen| seen.outcome);
                if let Some(Outcome::Names(read)) = seen
                    && read.len() as u64 == right
                {
                    names = read;
                }
            }
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

    /// A correction of a team.
    pub(crate) fn corrects_team(&mut self, correction: &TeamCorrection) {
        let TeamCorrection { team, reason, budget, points } = correction;
        let (team, reason, budget, points) = (*team, reason.clone(), *budget, *points);
        self.expect("R-10.3", Event::TeamCorrected { team, reason, budget, points });
        self.scored();
    }
}
