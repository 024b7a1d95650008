//! What an event is about, in few words, and the filter of a reader.
//!
//! ```
//! use gm_core::{ids::{CarId, Square}, race::Event};
//! use gm_grpc::watch::{Filter, Kind, kind::{cars_of, kind_of}};
//! let moved = Event::CarMoved { car: CarId(1), squares: 3, to: Square(3) };
//! assert_eq!((kind_of(&moved), cars_of(&moved)), (Kind::Move, vec![CarId(1)]));
//! let others = Filter { kinds: vec![], cars: vec![CarId(2)] };
//! assert!(!others.passes(kind_of(&moved), &cars_of(&moved)));
//! ```

use gm_core::ids::CarId;
use gm_core::race::Event;
use gm_core::race::event::Combatant;
use gm_core::race::view::{PublicEvent, Seen};

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The life of the race, and what the admin sets in it (R-10).
    Race,
    /// Teams: their budgets, and what they say to the jury.
    Team,
    /// Cars: registered, started, penalised, retired, corrected.
    Car,
    /// Turns: started, drawn for, complete (R-3).
    Turn,
    /// Moves, turns that are missed and turns to miss (R-3.1).
    Move,
    /// Modules that are gained, lost, bought or transferred (R-7).
    Module,
    /// Encounters (R-5).
    Encounter,
    /// Fights and duels (R-4, R-6).
    Fight,
    /// The score, achievements and hints (R-8, R-9).
    Score,
    /// Bonuses on the ring (R-12).
    Bonus,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 10] = [
        Kind::Race,
        Kind::Team,
        Kind::Car,
        Kind::Turn,
        Kind::Move,
        Kind::Module,
        Kind::Encounter,
        Kind::Fight,
        Kind::Score,
        Kind::Bonus,
    ];
}

/// Which events a reader wants. Those that it does not want are counted all the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of these kinds; empty: of all.
    pub kinds: Vec<Kind>,
    /// About one of these cars, or about no car; empty: about all.
    pub cars: Vec<CarId>,
}

impl Filter {
    /// Whether an event passes: its kind is wanted, and it names a car that is wanted, or none.
    #[must_use]
    pub fn passes(&self, kind: Kind, cars: &[CarId]) -> bool {
        let is_kind = self.kinds.is_empty() || self.kinds.contains(&kind);
        let is_car =
            self.cars.is_empty() || cars.is_empty() || cars.iter().any(|car| self.cars.contains(car));
        is_kind && is_car
    }
}

/// What an event is about.
#[must_use]
pub fn kind_of(event: &Event) -> Kind {
    match event {
        Event::RaceCreated { .. }
        | Event::RaceStarted
        | Event::RacePaused
        | Event::RaceResumed
        | Event::RaceFinished { .. } => Kind::Race,

        Event::TeamCreated { .. }
        | Event::BudgetGranted { .. }
        | Event::TeamCorrected { .. }
        | Event::ComplaintFiled { .. }
        | Event::ComplaintAnswered { .. } => Kind::Team,

        Event::CarRegistered { .. }
        | Event::RegistrationRefused { .. }
        | Event::CarStarted { .. }
        | Event::Penalised { .. }
        | Event::DeviationsAccepted { .. }
        | Event::InspectionSkipped { .. }
        | Event::CarRetired { .. }
        | Event::CarCorrected { .. } => Kind::Car,

        Event::TurnStarted { .. } | Event::PriorityDrawn { .. } | Event::TurnCompleted { .. } => Kind::Turn,

        Event::TurnMissed { .. }
        | Event::CarMoved { .. }
        | Event::CarStepped { .. }
        | Event::TurnsToMissAdded { .. } => Kind::Move,

        Event::NamesRead { .. }
        | Event::ModuleGained { .. }
        | Event::ModuleLost { .. }
        | Event::ModuleBought { .. }
        | Event::TransferAsked { .. }
        | Event::TransferVoid { .. } => Kind::Module,

        Event::EncounterMet { .. }
        | Event::PiratesAttacked { .. }
        | Event::WreckSearched { .. }
        | Event::WreckLeft { .. }
        | Event::MinefieldCrossed { .. }
        | Event::MinefieldAvoided { .. }
        | Event::GarageLeft { .. }
        | Event::TooExpensive { .. }
        | Event::EncounterDeclared { .. }
        | Event::OddsSet { .. } => Kind::Encounter,

        Event::CarsMet { .. }
        | Event::FightDeclined { .. }
        | Event::FightStarted { .. }
        | Event::DuelForfeited { .. }
        | Event::DuelDeviationsAccepted { .. }
        | Event::DuelStarted { .. }
        | Event::DuelPlayed { .. }
        | Event::FightWon { .. }
        | Event::FightLost { .. }
        | Event::FightDrawn { .. } => Kind::Fight,

        Event::Scored { .. }
        | Event::AchievementEarned { .. }
        | Event::HintPublished { .. }
        | Event::AchievementRevealed { .. } => Kind::Score,

        Event::BonusPlaced { .. } | Event::BonusRemoved { .. } | Event::BonusTaken { .. } => Kind::Bonus,
    }
}

/// What an event is about, as somebody sees it.
#[must_use]
pub fn kind_of_seen(seen: &Seen) -> Kind {
    match seen {
        Seen::Whole(event) => kind_of(event),
        Seen::Public(event) => match event {
            PublicEvent::RaceCreated { .. } => Kind::Race,
            PublicEvent::TeamCreated { .. } | PublicEvent::TeamCorrected { .. } => Kind::Team,
            PublicEvent::CarRegistered { .. }
            | PublicEvent::Penalised { .. }
            | PublicEvent::CarCorrected { .. } => Kind::Car,
            PublicEvent::ModuleGained { .. }
            | PublicEvent::ModuleLost { .. }
            | PublicEvent::ModuleBought { .. } => Kind::Module,
            PublicEvent::DuelForfeited { .. } => Kind::Fight,
            PublicEvent::MinefieldAvoided { .. } => Kind::Encounter,
            PublicEvent::AchievementEarned { .. } | PublicEvent::HintPublished { .. } => Kind::Score,
        },
    }
}

/// The cars that an event is about: two in a fight; none where it is about all, a team, or the race.
#[must_use]
pub fn cars_of(event: &Event) -> Vec<CarId> {
    match event {
        Event::CarRegistered { car, .. }
        | Event::CarStarted { car }
        | Event::TurnMissed { car }
        | Event::CarMoved { car, .. }
        | Event::CarStepped { car, .. }
        | Event::TurnsToMissAdded { car, .. }
        | Event::Penalised { car, .. }
        | Event::DeviationsAccepted { car, .. }
        | Event::DuelDeviationsAccepted { car, .. }
        | Event::InspectionSkipped { car, .. }
        | Event::NamesRead { car, .. }
        | Event::CarRetired { car, .. }
        | Event::ModuleGained { car, .. }
        | Event::ModuleLost { car, .. }
        | Event::ModuleBought { car, .. }
        | Event::BonusTaken { car, .. }
        | Event::DuelForfeited { car, .. }
        | Event::EncounterMet { car, .. }
        | Event::PiratesAttacked { car, .. }
        | Event::WreckSearched { car, .. }
        | Event::WreckLeft { car }
        | Event::MinefieldCrossed { car, .. }
        | Event::MinefieldAvoided { car, .. }
        | Event::GarageLeft { car }
        | Event::TooExpensive { car, .. }
        | Event::CarCorrected { car, .. } => vec![*car],

        Event::CarsMet { cars, .. }
        | Event::FightDeclined { cars, .. }
        | Event::FightStarted { cars, .. } => cars.to_vec(),
        Event::DuelStarted { duellists, .. } | Event::DuelPlayed { duellists, .. } => fighters(duellists),
        Event::FightDrawn { combatants } => fighters(combatants),
        Event::FightWon { car, against, .. } | Event::FightLost { car, against } => {
            fighters(&[Combatant::Car(*car), *against])
        }

        Event::AchievementEarned { car, .. } => car.iter().copied().collect(),
        Event::TransferAsked { transfer } | Event::TransferVoid { transfer, .. } => {
            vec![transfer.from, transfer.to]
        }
        Event::EncounterDeclared { cars, .. } => cars.clone().unwrap_or_default(),

        Event::RaceCreated { .. }
        | Event::RaceStarted
        | Event::RacePaused
        | Event::RaceResumed
        | Event::RaceFinished { .. }
        | Event::TeamCreated { .. }
        | Event::RegistrationRefused { .. }
        | Event::TurnStarted { .. }
        | Event::PriorityDrawn { .. }
        | Event::BonusPlaced { .. }
        | Event::BonusRemoved { .. }
        | Event::Scored { .. }
        | Event::TurnCompleted { .. }
        | Event::BudgetGranted { .. }
        | Event::OddsSet { .. }
        | Event::TeamCorrected { .. }
        | Event::ComplaintFiled { .. }
        | Event::ComplaintAnswered { .. }
        | Event::HintPublished { .. }
        | Event::AchievementRevealed { .. } => Vec::new(),
    }
}

fn fighters(combatants: &[Combatant; 2]) -> Vec<CarId> {
    combatants
        .iter()
        .filter_map(|combatant| match combatant {
            Combatant::Car(car) => Some(*car),
            Combatant::Pirates => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::ids::{Place, Square, TurnNo};

    /// An event, the filter's kinds, its cars, and whether it passes.
    #[test]
    fn filters() {
        let moved = || Event::CarMoved { car: CarId(1), squares: 1, to: Square(1) };
        let met = || Event::CarsMet { cars: [CarId(1), CarId(2)], place: Place(4) };
        let turn = || Event::TurnStarted { turn: TurnNo(1) };
        let by_pirates = || Event::FightLost { car: CarId(3), against: Combatant::Pirates };
        check(&moved(), &[], &[], true);
        check(&moved(), &[Kind::Move], &[], true);
        check(&moved(), &[Kind::Fight, Kind::Turn], &[], false);
        check(&moved(), &[], &[1], true);
        check(&moved(), &[], &[2], false);
        check(&moved(), &[Kind::Move], &[2], false);
        check(&met(), &[], &[2], true);
        check(&met(), &[], &[1, 7], true);
        check(&met(), &[], &[7], false);
        check(&turn(), &[], &[7], true);
        check(&turn(), &[Kind::Move], &[7], false);
        check(&turn(), &[Kind::Turn], &[7], true);
        check(&by_pirates(), &[Kind::Fight], &[3], true);
        check(&by_pirates(), &[Kind::Fight], &[1], false);
    }

    #[track_caller]
    fn check(event: &Event, kinds: &[Kind], cars: &[u32], expected: bool) {
        let filter = Filter { kinds: kinds.to_vec(), cars: cars.iter().copied().map(CarId).collect() };
        assert_eq!(filter.passes(kind_of(event), &cars_of(event)), expected, "{event:?} {filter:?}");
    }
}
