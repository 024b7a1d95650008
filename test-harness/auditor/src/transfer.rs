//! R-7.7: transfers within a team.
//!
//! ```text
//! weapon-1 goes from car 1 to car 4, which stand on the same place: DELETE /weapon/weapon-1, POST /weapon
//! ```

use crate::event::{Achievement, Event, GainCause, LossCause, Transfer, TransferProblem};
use crate::judge::Judge;
use crate::turn::Turn;
use crate::word::Kind;

impl Judge {
    /// A transfer that was asked for, and accepted.
    pub(crate) fn asks_for_transfer(&mut self, transfer: Transfer) {
        let Transfer { team, from, to, .. } = &transfer;
        let waits = self
            .model
            .transfers
            .iter()
            .any(|other| [other.from, other.to].contains(from) || [other.from, other.to].contains(to));
        let theirs = |car: &u32| self.model.cars.get(car).is_some_and(|car| car.team == *team);
        let wrong = if !self.model.rules.transfers {
            Some("the rules have no transfers")
        } else if !theirs(from) || !theirs(to) || from == to {
            Some("the cars are not two of the team's")
        } else if waits {
            Some("a car waits for one transfer at a time")
        } else if self.problem(&transfer).is_some() {
            Some("they do not race on the same place with that module")
        } else {
            None
        };
        if let Some(wrong) = wrong {
            self.wrong("R-7.7", format!("a transfer is accepted although {wrong}"));
        }
        self.expect("R-7.7", Event::TransferAsked { transfer });
    }

    /// Why a transfer can't be settled.
    fn problem(&self, transfer: &Transfer) -> Option<TransferProblem> {
        let Transfer { module, from, to, .. } = transfer;
        if !self.model.racing(*from) || !self.model.racing(*to) {
            return Some(TransferProblem::NotRacing);
        }
        let (from, to) = (self.model.cars.get(from)?, self.model.cars.get(to)?);
        if self.model.place(from.square) != self.model.place(to.square) {
            Some(TransferProblem::Apart)
        } else if !from.has(module) {
            Some(TransferProblem::NoSuchModule)
        } else {
            None
        }
    }

    /// Settles what was asked for.
    pub(crate) fn transfers(&mut self, turn: &mut Turn) {
        for transfer in std::mem::take(&mut self.model.transfers) {
            if let Some(reason) = self.problem(&transfer) {
                self.expect("R-7.7", Event::TransferVoid { transfer, reason });
                continue;
            }
            let Transfer { module, from, to, .. } = transfer;
            let (giver, taker) = (self.talk("transfer", from), self.talk("transfer", to));
            let kind = module.kind;
            self.loses(&giver, from, module, LossCause::Transfer);
            if self.model.cars.get(&from).is_some_and(|car| car.count(Kind::Pilot) == 0) {
                turn.deed(from, Achievement::Ulysses31);
            }
            let breach = self.gains(&taker, to, kind, GainCause::Transfer);
            self.punishes("R-7.7", to, breach);
        }
    }
}
