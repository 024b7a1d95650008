//! What happened.
//!
//! ```text
//! {"event":"car_moved","car":3,"squares":4,"to":12}
//! {"event":"race_started"}
//! ```

use super::breach::{Accepted, Breach, RefusedBecause};
use super::cause::{
    Combatant, DelayCause, Ending, Find, GainCause, LossCause, Retirement, StepCause, TransferProblem,
};
use super::contract::{CarRequest, Deviation, Fault, InspectorFault, Kind};
use super::duel::Transcript;
use super::module::{Module, Resources, Transfer};
use super::ring::{BonusEffect, BonusPlan, Encounter, EncounterOdds};
use super::rules::Rules;
use super::score::{Achievement, EndAward, Score};
use super::tagged::Tagged;
use super::{Wrong, domain};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// The variants are written down once and derived twice: as they are written, with the tag among the fields, and as
/// they are read once the tag is known.
macro_rules! event {
    ($($variants:tt)*) => {
        /// Something that happened.
        #[derive(Debug, Serialize)]
        #[serde(tag = "event", rename_all = "snake_case")]
        pub(super) enum Event {
            $($variants)*
        }

        #[derive(Deserialize)]
        #[serde(remote = "Event", rename_all = "snake_case", deny_unknown_fields)]
        enum Untagged {
            $($variants)*
        }
    };
}

event! {
    RaceCreated {
        revision: u32,
        seed: u64,
        rules: Rules,
    },
    TeamCreated {
        team: u32,
        name: String,
        budget: u64,
    },
    RaceStarted {},
    RacePaused {},
    RaceResumed {},
    RaceFinished {
        ending: Ending,
    },
    CarRegistered {
        car: u32,
        team: u32,
        instance: String,
        url: String,
        resources: Resources,
        modules: Vec<Module>,
        paid: u64,
    },
    RegistrationRefused {
        team: u32,
        instance: String,
        reasons: Vec<RefusedBecause>,
        accepted: Vec<Accepted>,
    },
    TurnStarted {
        turn: u32,
    },
    CarStarted {
        car: u32,
    },
    PriorityDrawn {
        order: Vec<u32>,
        missing: Vec<u32>,
    },
    TurnMissed {
        car: u32,
    },
    CarMoved {
        car: u32,
        squares: u32,
        to: u32,
    },
    CarStepped {
        car: u32,
        to: u32,
        cause: StepCause,
    },
    TurnsToMissAdded {
        car: u32,
        turns: u32,
        cause: DelayCause,
    },
    Penalised {
        car: u32,
        breach: Breach,
    },
    DeviationsAccepted {
        car: u32,
        request: CarRequest,
        deviations: Vec<Deviation>,
    },
    DuelDeviationsAccepted {
        car: u32,
        deviations: Vec<Deviation>,
    },
    InspectionSkipped {
        car: u32,
        kind: Kind,
        fault: InspectorFault,
    },
    NamesRead {
        car: u32,
        kind: Kind,
        names: Vec<String>,
    },
    CarRetired {
        car: u32,
        reason: Retirement,
    },
    ModuleGained {
        car: u32,
        module: Module,
        cause: GainCause,
    },
    ModuleLost {
        car: u32,
        module: Module,
        cause: LossCause,
    },
    BonusPlaced {
        bonus: u32,
        plan: BonusPlan,
    },
    BonusRemoved {
        bonus: u32,
        place: u32,
    },
    BonusTaken {
        car: u32,
        team: u32,
        bonus: u32,
        place: u32,
        effect: BonusEffect,
    },
    CarsMet {
        cars: [u32; 2],
        place: u32,
    },
    FightDeclined {
        cars: [u32; 2],
        teams: [u32; 2],
        by_both: bool,
    },
    FightStarted {
        cars: [u32; 2],
        willing: [bool; 2],
    },
    DuelForfeited {
        car: u32,
        fault: Fault,
    },
    DuelStarted {
        duellists: [Combatant; 2],
        weapons: [u32; 2],
    },
    DuelPlayed {
        duellists: [Combatant; 2],
        transcript: Transcript,
    },
    FightWon {
        car: u32,
        against: Combatant,
        weapons: u32,
        other_weapons: u32,
    },
    FightLost {
        car: u32,
        against: Combatant,
    },
    FightDrawn {
        combatants: [Combatant; 2],
    },
    EncounterMet {
        car: u32,
        encounter: Encounter,
        declared: bool,
    },
    PiratesAttacked {
        car: u32,
        weapons: u32,
    },
    WreckSearched {
        car: u32,
        find: Find,
    },
    WreckLeft {
        car: u32,
    },
    MinefieldCrossed {
        car: u32,
        damaged: bool,
    },
    MinefieldAvoided {
        car: u32,
        #[serde(deserialize_with = "Option::deserialize")]
        fault: Option<Fault>,
    },
    GarageLeft {
        car: u32,
    },
    ModuleBought {
        car: u32,
        team: u32,
        kind: Kind,
        price: u64,
    },
    TooExpensive {
        car: u32,
        kind: Kind,
        price: u64,
        budget: u64,
    },
    AchievementEarned {
        team: u32,
        #[serde(deserialize_with = "Option::deserialize")]
        car: Option<u32>,
        achievement: Achievement,
        dollars: u64,
        points: i64,
        by_hand: bool,
    },
    Scored {
        scores: Vec<Score>,
        end_awards: Vec<EndAward>,
    },
    TurnCompleted {
        turn: u32,
    },
    BudgetGranted {
        team: u32,
        dollars: u64,
    },
    EncounterDeclared {
        encounter: Encounter,
        #[serde(deserialize_with = "Option::deserialize")]
        cars: Option<Vec<u32>>,
    },
    OddsSet {
        odds: EncounterOdds,
    },
    TransferAsked {
        transfer: Transfer,
    },
    TransferVoid {
        transfer: Transfer,
        reason: TransferProblem,
    },
    CarCorrected {
        car: u32,
        reason: String,
        #[serde(deserialize_with = "Option::deserialize")]
        square: Option<u32>,
        #[serde(deserialize_with = "Option::deserialize")]
        turns_to_miss: Option<u32>,
        #[serde(deserialize_with = "Option::deserialize")]
        modules: Option<Vec<Module>>,
        reinstated: bool,
    },
    TeamCorrected {
        team: u32,
        reason: String,
        #[serde(deserialize_with = "Option::deserialize")]
        budget: Option<u64>,
        points: i64,
    },
    ComplaintFiled {
        number: u32,
        team: u32,
        turn: u32,
        text: String,
    },
    ComplaintAnswered {
        number: u32,
        team: u32,
        text: String,
    },
    HintPublished {
        achievement: Achievement,
        text: String,
    },
    AchievementRevealed {
        achievement: Achievement,
    },
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Event, D::Error> {
        deserializer.deserialize_map(TagFirst)
    }
}

struct TagFirst;

impl<'de> Visitor<'de> for TagFirst {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object that begins with `event`")
    }

    fn visit_map<M: MapAccess<'de>>(self, object: M) -> Result<Event, M::Error> {
        Untagged::deserialize(Tagged(object))
    }
}

impl From<&domain::Event> for Event {
    fn from(it: &domain::Event) -> Event {
        match it {
            domain::Event::RaceCreated { revision, seed, rules } => {
                Event::RaceCreated { revision: *revision, seed: seed.0, rules: (&**rules).into() }
            }
            domain::Event::TeamCreated { team, name, budget } => {
                Event::TeamCreated { team: team.0, name: name.clone(), budget: budget.0 }
            }
            domain::Event::RaceStarted => Event::RaceStarted {},
            domain::Event::RacePaused => Event::RacePaused {},
            domain::Event::RaceResumed => Event::RaceResumed {},
            domain::Event::RaceFinished { ending } => Event::RaceFinished { ending: ending.into() },
            domain::Event::CarRegistered { car, team, instance, url, resources, modules, paid } => {
                Event::CarRegistered {
                    car: car.0,
                    team: team.0,
                    instance: instance.clone(),
                    url: url.as_str().to_owned(),
                    resources: resources.into(),
                    modules: modules.iter().map(Into::into).collect(),
                    paid: paid.0,
                }
            }
            domain::Event::RegistrationRefused { team, instance, reasons, accepted } => {
                Event::RegistrationRefused {
                    team: team.0,
                    instance: instance.clone(),
                    reasons: reasons.iter().map(Into::into).collect(),
                    accepted: accepted.iter().map(Into::into).collect(),
                }
            }
            domain::Event::TurnStarted { turn } => Event::TurnStarted { turn: turn.0 },
            domain::Event::CarStarted { car } => Event::CarStarted { car: car.0 },
            domain::Event::PriorityDrawn { order, missing } => Event::PriorityDrawn {
                order: order.iter().map(|car| car.0).collect(),
                missing: missing.iter().map(|car| car.0).collect(),
            },
            domain::Event::TurnMissed { car } => Event::TurnMissed { car: car.0 },
            domain::Event::CarMoved { car, squares, to } => {
                Event::CarMoved { car: car.0, squares: *squares, to: to.0 }
            }
            domain::Event::CarStepped { car, to, cause } => {
                Event::CarStepped { car: car.0, to: to.0, cause: cause.into() }
            }
            domain::Event::TurnsToMissAdded { car, turns, cause } => {
                Event::TurnsToMissAdded { car: car.0, turns: *turns, cause: cause.into() }
            }
            domain::Event::Penalised { car, breach } => {
                Event::Penalised { car: car.0, breach: breach.into() }
            }
            domain::Event::DeviationsAccepted { car, request, deviations } => Event::DeviationsAccepted {
                car: car.0,
                request: request.into(),
                deviations: deviations.iter().map(Into::into).collect(),
            },
            domain::Event::DuelDeviationsAccepted { car, deviations } => Event::DuelDeviationsAccepted {
                car: car.0,
                deviations: deviations.iter().map(Into::into).collect(),
            },
            domain::Event::InspectionSkipped { car, kind, fault } => {
                Event::InspectionSkipped { car: car.0, kind: kind.into(), fault: fault.into() }
            }
            domain::Event::NamesRead { car, kind, names } => {
                Event::NamesRead { car: car.0, kind: kind.into(), names: names.clone() }
            }
            domain::Event::CarRetired { car, reason } => {
                Event::CarRetired { car: car.0, reason: reason.into() }
            }
            domain::Event::ModuleGained { car, module, cause } => {
                Event::ModuleGained { car: car.0, module: module.into(), cause: cause.into() }
            }
            domain::Event::ModuleLost { car, module, cause } => {
                Event::ModuleLost { car: car.0, module: module.into(), cause: cause.into() }
            }
            domain::Event::BonusPlaced { bonus, plan } => {
                Event::BonusPlaced { bonus: bonus.0, plan: plan.into() }
            }
            domain::Event::BonusRemoved { bonus, place } => {
                Event::BonusRemoved { bonus: bonus.0, place: place.0 }
            }
            domain::Event::BonusTaken { car, team, bonus, place, effect } => Event::BonusTaken {
                car: car.0,
                team: team.0,
                bonus: bonus.0,
                place: place.0,
                effect: effect.into(),
            },
            domain::Event::CarsMet { cars, place } => {
                Event::CarsMet { cars: cars.map(|car| car.0), place: place.0 }
            }
            domain::Event::FightDeclined { cars, teams, by_both } => Event::FightDeclined {
                cars: cars.map(|car| car.0),
                teams: teams.map(|team| team.0),
                by_both: *by_both,
            },
            domain::Event::FightStarted { cars, willing } => {
                Event::FightStarted { cars: cars.map(|car| car.0), willing: *willing }
            }
            domain::Event::DuelForfeited { car, fault } => {
                Event::DuelForfeited { car: car.0, fault: fault.into() }
            }
            domain::Event::DuelStarted { duellists, weapons } => {
                Event::DuelStarted { duellists: duellists.each_ref().map(Into::into), weapons: *weapons }
            }
            domain::Event::DuelPlayed { duellists, transcript } => Event::DuelPlayed {
                duellists: duellists.each_ref().map(Into::into),
                transcript: transcript.into(),
            },
            domain::Event::FightWon { car, against, weapons, other_weapons } => Event::FightWon {
                car: car.0,
                against: against.into(),
                weapons: *weapons,
                other_weapons: *other_weapons,
            },
            domain::Event::FightLost { car, against } => {
                Event::FightLost { car: car.0, against: against.into() }
            }
            domain::Event::FightDrawn { combatants } => {
                Event::FightDrawn { combatants: combatants.each_ref().map(Into::into) }
            }
            domain::Event::EncounterMet { car, encounter, declared } => {
                Event::EncounterMet { car: car.0, encounter: encounter.into(), declared: *declared }
            }
            domain::Event::PiratesAttacked { car, weapons } => {
                Event::PiratesAttacked { car: car.0, weapons: *weapons }
            }
            domain::Event::WreckSearched { car, find } => {
                Event::WreckSearched { car: car.0, find: find.into() }
            }
            domain::Event::WreckLeft { car } => Event::WreckLeft { car: car.0 },
            domain::Event::MinefieldCrossed { car, damaged } => {
                Event::MinefieldCrossed { car: car.0, damaged: *damaged }
            }
            domain::Event::MinefieldAvoided { car, fault } => {
                Event::MinefieldAvoided { car: car.0, fault: fault.as_ref().map(Into::into) }
            }
            domain::Event::GarageLeft { car } => Event::GarageLeft { car: car.0 },
            domain::Event::ModuleBought { car, team, kind, price } => {
                Event::ModuleBought { car: car.0, team: team.0, kind: kind.into(), price: price.0 }
            }
            domain::Event::TooExpensive { car, kind, price, budget } => {
                Event::TooExpensive { car: car.0, kind: kind.into(), price: price.0, budget: budget.0 }
            }
            domain::Event::AchievementEarned { team, car, achievement, dollars, points, by_hand } => {
                Event::AchievementEarned {
                    team: team.0,
                    car: car.map(|car| car.0),
                    achievement: achievement.into(),
                    dollars: dollars.0,
                    points: points.0,
                    by_hand: *by_hand,
                }
            }
            domain::Event::Scored { scores, end_awards } => Event::Scored {
                scores: scores.iter().map(Into::into).collect(),
                end_awards: end_awards.iter().map(Into::into).collect(),
            },
            domain::Event::TurnCompleted { turn } => Event::TurnCompleted { turn: turn.0 },
            domain::Event::BudgetGranted { team, dollars } => {
                Event::BudgetGranted { team: team.0, dollars: dollars.0 }
            }
            domain::Event::EncounterDeclared { encounter, cars } => Event::EncounterDeclared {
                encounter: encounter.into(),
                cars: cars.as_ref().map(|cars| cars.iter().map(|car| car.0).collect()),
            },
            domain::Event::OddsSet { odds } => Event::OddsSet { odds: odds.into() },
            domain::Event::TransferAsked { transfer } => Event::TransferAsked { transfer: transfer.into() },
            domain::Event::TransferVoid { transfer, reason } => {
                Event::TransferVoid { transfer: transfer.into(), reason: reason.into() }
            }
            domain::Event::CarCorrected { car, reason, square, turns_to_miss, modules, reinstated } => {
                Event::CarCorrected {
                    car: car.0,
                    reason: reason.clone(),
                    square: square.map(|square| square.0),
                    turns_to_miss: *turns_to_miss,
                    modules: modules.as_ref().map(|modules| modules.iter().map(Into::into).collect()),
                    reinstated: *reinstated,
                }
            }
            domain::Event::TeamCorrected { team, reason, budget, points } => Event::TeamCorrected {
                team: team.0,
                reason: reason.clone(),
                budget: budget.map(|dollars| dollars.0),
                points: points.0,
            },
            domain::Event::ComplaintFiled { number, team, turn, text } => {
                Event::ComplaintFiled { number: *number, team: team.0, turn: turn.0, text: text.clone() }
            }
            domain::Event::ComplaintAnswered { number, team, text } => {
                Event::ComplaintAnswered { number: *number, team: team.0, text: text.clone() }
            }
            domain::Event::HintPublished { achievement, text } => {
                Event::HintPublished { achievement: achievement.into(), text: text.clone() }
            }
            domain::Event::AchievementRevealed { achievement } => {
                Event::AchievementRevealed { achievement: achievement.into() }
            }
        }
    }
}

impl TryFrom<Event> for domain::Event {
    type Error = Wrong;
    fn try_from(it: Event) -> Result<domain::Event, Wrong> {
        Ok(match it {
            Event::RaceCreated { revision, seed, rules } => domain::Event::RaceCreated {
                revision,
                seed: domain::Seed(seed),
                rules: rules.validated().map_err(|wrong| wrong.within("rules"))?,
            },
            Event::TeamCreated { team, name, budget } => domain::Event::TeamCreated {
                team: domain::TeamId(team),
                name,
                budget: domain::Dollars(budget),
            },
            Event::RaceStarted {} => domain::Event::RaceStarted,
            Event::RacePaused {} => domain::Event::RacePaused,
            Event::RaceResumed {} => domain::Event::RaceResumed,
            Event::RaceFinished { ending } => domain::Event::RaceFinished { ending: ending.into() },
            Event::CarRegistered { car, team, instance, url, resources, modules, paid } => {
                domain::Event::CarRegistered {
                    car: domain::CarId(car),
                    team: domain::TeamId(team),
                    instance,
                    url: super::base_url("url", &url)?,
                    resources: resources.into(),
                    modules: modules.into_iter().map(Into::into).collect(),
                    paid: domain::Dollars(paid),
                }
            }
            Event::RegistrationRefused { team, instance, reasons, accepted } => {
                domain::Event::RegistrationRefused {
                    team: domain::TeamId(team),
                    instance,
                    reasons: reasons.into_iter().map(Into::into).collect(),
                    accepted: accepted.into_iter().map(Into::into).collect(),
                }
            }
            Event::TurnStarted { turn } => domain::Event::TurnStarted { turn: domain::TurnNo(turn) },
            Event::CarStarted { car } => domain::Event::CarStarted { car: domain::CarId(car) },
            Event::PriorityDrawn { order, missing } => domain::Event::PriorityDrawn {
                order: order.into_iter().map(domain::CarId).collect(),
                missing: missing.into_iter().map(domain::CarId).collect(),
            },
            Event::TurnMissed { car } => domain::Event::TurnMissed { car: domain::CarId(car) },
            Event::CarMoved { car, squares, to } => {
                domain::Event::CarMoved { car: domain::CarId(car), squares, to: domain::Square(to) }
            }
            Event::CarStepped { car, to, cause } => domain::Event::CarStepped {
                car: domain::CarId(car),
                to: domain::Square(to),
                cause: cause.into(),
            },
            Event::TurnsToMissAdded { car, turns, cause } => {
                domain::Event::TurnsToMissAdded { car: domain::CarId(car), turns, cause: cause.into() }
            }
            Event::Penalised { car, breach } => {
                domain::Event::Penalised { car: domain::CarId(car), breach: breach.into() }
            }
            Event::DeviationsAccepted { car, request, deviations } => domain::Event::DeviationsAccepted {
                car: domain::CarId(car),
                request: request.into(),
                deviations: deviations.into_iter().map(Into::into).collect(),
            },
            Event::DuelDeviationsAccepted { car, deviations } => domain::Event::DuelDeviationsAccepted {
                car: domain::CarId(car),
                deviations: deviations.into_iter().map(Into::into).collect(),
            },
            Event::InspectionSkipped { car, kind, fault } => domain::Event::InspectionSkipped {
                car: domain::CarId(car),
                kind: kind.into(),
                fault: fault.into(),
            },
            Event::NamesRead { car, kind, names } => {
                domain::Event::NamesRead { car: domain::CarId(car), kind: kind.into(), names }
            }
            Event::CarRetired { car, reason } => {
                domain::Event::CarRetired { car: domain::CarId(car), reason: reason.into() }
            }
            Event::ModuleGained { car, module, cause } => domain::Event::ModuleGained {
                car: domain::CarId(car),
                module: module.into(),
                cause: cause.into(),
            },
            Event::ModuleLost { car, module, cause } => domain::Event::ModuleLost {
                car: domain::CarId(car),
                module: module.into(),
                cause: cause.into(),
            },
            Event::BonusPlaced { bonus, plan } => {
                domain::Event::BonusPlaced { bonus: domain::BonusId(bonus), plan: plan.into() }
            }
            Event::BonusRemoved { bonus, place } => {
                domain::Event::BonusRemoved { bonus: domain::BonusId(bonus), place: domain::Place(place) }
            }
            Event::BonusTaken { car, team, bonus, place, effect } => domain::Event::BonusTaken {
                car: domain::CarId(car),
                team: domain::TeamId(team),
                bonus: domain::BonusId(bonus),
                place: domain::Place(place),
                effect: effect.into(),
            },
            Event::CarsMet { cars, place } => {
                domain::Event::CarsMet { cars: cars.map(domain::CarId), place: domain::Place(place) }
            }
            Event::FightDeclined { cars, teams, by_both } => domain::Event::FightDeclined {
                cars: cars.map(domain::CarId),
                teams: teams.map(domain::TeamId),
                by_both,
            },
            Event::FightStarted { cars, willing } => {
                domain::Event::FightStarted { cars: cars.map(domain::CarId), willing }
            }
            Event::DuelForfeited { car, fault } => {
                domain::Event::DuelForfeited { car: domain::CarId(car), fault: fault.into() }
            }
            Event::DuelStarted { duellists, weapons } => {
                domain::Event::DuelStarted { duellists: duellists.map(Into::into), weapons }
            }
            Event::DuelPlayed { duellists, transcript } => domain::Event::DuelPlayed {
                duellists: duellists.map(Into::into),
                transcript: transcript.into(),
            },
            Event::FightWon { car, against, weapons, other_weapons } => domain::Event::FightWon {
                car: domain::CarId(car),
                against: against.into(),
                weapons,
                other_weapons,
            },
            Event::FightLost { car, against } => {
                domain::Event::FightLost { car: domain::CarId(car), against: against.into() }
            }
            Event::FightDrawn { combatants } => {
                domain::Event::FightDrawn { combatants: combatants.map(Into::into) }
            }
            Event::EncounterMet { car, encounter, declared } => {
                domain::Event::EncounterMet { car: domain::CarId(car), encounter: encounter.into(), declared }
            }
            Event::PiratesAttacked { car, weapons } => {
                domain::Event::PiratesAttacked { car: domain::CarId(car), weapons }
            }
            Event::WreckSearched { car, find } => {
                domain::Event::WreckSearched { car: domain::CarId(car), find: find.into() }
            }
            Event::WreckLeft { car } => domain::Event::WreckLeft { car: domain::CarId(car) },
            Event::MinefieldCrossed { car, damaged } => {
                domain::Event::MinefieldCrossed { car: domain::CarId(car), damaged }
            }
            Event::MinefieldAvoided { car, fault } => {
                domain::Event::MinefieldAvoided { car: domain::CarId(car), fault: fault.map(Into::into) }
            }
            Event::GarageLeft { car } => domain::Event::GarageLeft { car: domain::CarId(car) },
            Event::ModuleBought { car, team, kind, price } => domain::Event::ModuleBought {
                car: domain::CarId(car),
                team: domain::TeamId(team),
                kind: kind.into(),
                price: domain::Dollars(price),
            },
            Event::TooExpensive { car, kind, price, budget } => domain::Event::TooExpensive {
                car: domain::CarId(car),
                kind: kind.into(),
                price: domain::Dollars(price),
                budget: domain::Dollars(budget),
            },
            Event::AchievementEarned { team, car, achievement, dollars, points, by_hand } => {
                domain::Event::AchievementEarned {
                    team: domain::TeamId(team),
                    car: car.map(domain::CarId),
                    achievement: achievement.into(),
                    dollars: domain::Dollars(dollars),
                    points: domain::Points(points),
                    by_hand,
                }
            }
            Event::Scored { scores, end_awards } => domain::Event::Scored {
                scores: scores.into_iter().map(Into::into).collect(),
                end_awards: end_awards.into_iter().map(Into::into).collect(),
            },
            Event::TurnCompleted { turn } => domain::Event::TurnCompleted { turn: domain::TurnNo(turn) },
            Event::BudgetGranted { team, dollars } => {
                domain::Event::BudgetGranted { team: domain::TeamId(team), dollars: domain::Dollars(dollars) }
            }
            Event::EncounterDeclared { encounter, cars } => domain::Event::EncounterDeclared {
                encounter: encounter.into(),
                cars: cars.map(|cars| cars.into_iter().map(domain::CarId).collect()),
            },
            Event::OddsSet { odds } => domain::Event::OddsSet { odds: odds.into() },
            Event::TransferAsked { transfer } => domain::Event::TransferAsked { transfer: transfer.into() },
            Event::TransferVoid { transfer, reason } => {
                domain::Event::TransferVoid { transfer: transfer.into(), reason: reason.into() }
            }
            Event::CarCorrected { car, reason, square, turns_to_miss, modules, reinstated } => {
                domain::Event::CarCorrected {
                    car: domain::CarId(car),
                    reason,
                    square: square.map(domain::Square),
                    turns_to_miss,
                    modules: modules.map(|modules| modules.into_iter().map(Into::into).collect()),
                    reinstated,
                }
            }
            Event::TeamCorrected { team, reason, budget, points } => domain::Event::TeamCorrected {
                team: domain::TeamId(team),
                reason,
                budget: budget.map(domain::Dollars),
                points: domain::Points(points),
            },
            Event::ComplaintFiled { number, team, turn, text } => domain::Event::ComplaintFiled {
                number,
                team: domain::TeamId(team),
                turn: domain::TurnNo(turn),
                text,
            },
            Event::ComplaintAnswered { number, team, text } => {
                domain::Event::ComplaintAnswered { number, team: domain::TeamId(team), text }
            }
            Event::HintPublished { achievement, text } => {
                domain::Event::HintPublished { achievement: achievement.into(), text }
            }
            Event::AchievementRevealed { achievement } => {
                domain::Event::AchievementRevealed { achievement: achievement.into() }
            }
        })
    }
}
