//! What happens (R-10.5): each event in the message of its name.
//!
//! Those who may see all of an event and those who may see part of it get the same message: for the others, what is
//! the team's own is left out. What that is, the rules say ([`gm_core::race::view`]).
//!
//! ```
//! use gm_core::{ids::{CarId, Square, TurnNo}, race::{Event, view::Seen}};
//! use gm_grpc::api::{convert::event, wire};
//! let seen = Seen::Whole(Event::CarMoved { car: CarId(3), squares: 4, to: Square(12) });
//! let sent = event::event(7, TurnNo(2), &seen);
//! assert_eq!((sent.sequence, sent.turn, sent.kind()), (7, 2, wire::EventKind::Move));
//! ```

use super::duel::{combatant, duel, fault};
use super::{achievement_id, bonus, car, car_ids, race, rules, score, team_ids};
use crate::api::field::Fields;
use crate::api::wire;
use crate::watch::kind::{Kind, kind_of_seen};
use gm_core::contract::{CarRequest, Deviation, Found, Modules};
use gm_core::ids::TurnNo;
use gm_core::ports::InspectorFault;
use gm_core::race::Event;
use gm_core::race::event::{
    Accepted, Breach, Check, Combatant, DelayCause, Fact, Find, GainCause, LossCause, RefusedBecause,
    StepCause, TransferProblem,
};
use gm_core::race::state::Module;
use gm_core::race::view::{PublicEvent, Seen};
use wire::race_event::Event as Told;

/// An event as somebody may see it. Its number is that in the viewer's own view, from 1.
#[must_use]
pub fn event(sequence: u64, turn: TurnNo, seen: &Seen) -> wire::RaceEvent {
    let told = match seen {
        Seen::Whole(event) => whole(turn, event),
        Seen::Public(event) => public(event),
    };
    wire::RaceEvent {
        sequence,
        turn: turn.0,
        kind: kind_to_wire(kind_of_seen(seen)).into(),
        event: Some(told),
    }
}

/// A kind as it is filtered by.
#[must_use]
pub fn kind_to_wire(kind: Kind) -> wire::EventKind {
    match kind {
        Kind::Race => wire::EventKind::Race,
        Kind::Team => wire::EventKind::Team,
        Kind::Car => wire::EventKind::Car,
        Kind::Turn => wire::EventKind::Turn,
        Kind::Move => wire::EventKind::Move,
        Kind::Module => wire::EventKind::Module,
        Kind::Encounter => wire::EventKind::Encounter,
        Kind::Fight => wire::EventKind::Fight,
        Kind::Score => wire::EventKind::Score,
        Kind::Bonus => wire::EventKind::Bonus,
    }
}

/// A kind that a request filters by; none, and noted, if there is no such kind.
pub fn kind(number: i32, fields: &mut Fields, field: &str) -> Option<Kind> {
    fields.value(field, number, |kind| {
        Some(match kind {
            wire::EventKind::Unspecified => return None,
            wire::EventKind::Race => Kind::Race,
            wire::EventKind::Team => Kind::Team,
            wire::EventKind::Car => Kind::Car,
            wire::EventKind::Turn => Kind::Turn,
            wire::EventKind::Move => Kind::Move,
            wire::EventKind::Module => Kind::Module,
            wire::EventKind::Encounter => Kind::Encounter,
            wire::EventKind::Fight => Kind::Fight,
            wire::EventKind::Score => Kind::Score,
            wire::EventKind::Bonus => Kind::Bonus,
        })
    })
}

#[expect(clippy::too_many_lines, reason = "one arm for each event, and nothing else")]
fn whole(now: TurnNo, event: &Event) -> Told {
    match event {
        Event::RaceCreated { revision, seed, rules } => Told::RaceCreated(wire::RaceCreated {
            rules_revision: *revision,
            track_length: rules.track_length,
            seed: Some(seed.0),
            rules: Some(rules::to_wire(rules)),
        }),
        Event::TeamCreated { team, name, budget } => Told::TeamCreated(wire::TeamCreated {
            team_id: team.0,
            name: name.clone(),
            budget: Some(budget.0),
        }),
        Event::RaceStarted => Told::RaceStarted(wire::RaceStarted {}),
        Event::RacePaused => Told::RacePaused(wire::RacePaused {}),
        Event::RaceResumed => Told::RaceResumed(wire::RaceResumed {}),
        Event::RaceFinished { ending } => {
            Told::RaceFinished(wire::RaceFinished { ending: race::ending(*ending).into() })
        }
        Event::CarRegistered { car, team, instance, url, resources, modules, paid } => {
            Told::CarRegistered(wire::CarRegistered {
                car_id: car.0,
                team_id: team.0,
                instance: instance.clone(),
                modules: Some(counted(modules)),
                url: url.to_string(),
                resources: Some(car::resources(resources)),
                named_modules: car::modules(modules),
                paid: Some(paid.0),
            })
        }
        Event::RegistrationRefused { team, instance, reasons, accepted } => {
            Told::RegistrationRefused(wire::RegistrationRefused {
                team_id: team.0,
                instance: instance.clone(),
                reasons: reasons.iter().map(refusal).collect(),
                accepted: accepted
                    .iter()
                    .map(|Accepted { request, deviations }| accepted_in(request, deviations))
                    .collect(),
            })
        }
        Event::TurnStarted { turn } => Told::TurnStarted(wire::TurnStarted { turn: turn.0 }),
        Event::CarStarted { car } => Told::CarStarted(wire::CarStarted { car_id: car.0 }),
        Event::PriorityDrawn { order, missing } => Told::PriorityDrawn(wire::PriorityDrawn {
            car_ids: car_ids(order),
            missing_car_ids: car_ids(missing),
        }),
        Event::TurnMissed { car } => Told::TurnMissed(wire::TurnMissed { car_id: car.0 }),
        Event::CarMoved { car, squares, to } => {
            Told::CarMoved(wire::CarMoved { car_id: car.0, squares: *squares, to_square: to.0 })
        }
        Event::CarStepped { car, to, cause } => Told::CarStepped(wire::CarStepped {
            car_id: car.0,
            to_square: to.0,
            cause: step_cause(*cause).into(),
        }),
        Event::TurnsToMissAdded { car, turns, cause } => Told::TurnsToMissAdded(wire::TurnsToMissAdded {
            car_id: car.0,
            turns: *turns,
            cause: delay_cause(*cause).into(),
        }),
        Event::Penalised { car, breach: what } => {
            Told::Penalised(wire::Penalised { car_id: car.0, breach: Some(breach(what)) })
        }
        Event::DeviationsAccepted { car, request, deviations } => {
            Told::DeviationsAccepted(wire::DeviationsAccepted {
                car_id: car.0,
                accepted: Some(accepted_in(request, deviations)),
            })
        }
        Event::DuelDeviationsAccepted { car, deviations } => {
            Told::DuelDeviationsAccepted(wire::DuelDeviationsAccepted {
                car_id: car.0,
                deviations: all_deviations(deviations),
            })
        }
        Event::InspectionSkipped { car, kind, fault } => Told::InspectionSkipped(wire::InspectionSkipped {
            car_id: car.0,
            kind: car::kind_to_wire(*kind).into(),
            fault: inspector_fault(*fault).into(),
        }),
        Event::NamesRead { car, kind, names } => Told::NamesRead(wire::NamesRead {
            car_id: car.0,
            kind: car::kind_to_wire(*kind).into(),
            names: names.clone(),
        }),
        Event::CarRetired { car, reason } => {
            let (reason, jury_reason) = car::retirement(reason);
            Told::CarRetired(wire::CarRetired { car_id: car.0, reason: reason.into(), jury_reason })
        }
        Event::ModuleGained { car, module, cause } => Told::ModuleGained(wire::ModuleGained {
            car_id: car.0,
            kind: car::kind_to_wire(module.kind).into(),
            name: Some(module.name.clone()),
            cause: gain_cause(*cause).into(),
        }),
        Event::ModuleLost { car, module, cause } => Told::ModuleLost(wire::ModuleLost {
            car_id: car.0,
            kind: car::kind_to_wire(module.kind).into(),
            name: Some(module.name.clone()),
            cause: loss_cause(*cause).into(),
        }),
        Event::BonusPlaced { bonus, plan } => {
            Told::BonusPlaced(wire::BonusPlaced { bonus: Some(bonus::placed(Some(*bonus), plan)) })
        }
        Event::BonusRemoved { bonus, place } => {
            Told::BonusRemoved(wire::BonusRemoved { bonus_id: bonus.0, place: place.0 })
        }
        Event::BonusTaken { car, team, bonus, place, effect } => Told::BonusTaken(wire::BonusTaken {
            car_id: car.0,
            team_id: team.0,
            bonus_id: bonus.0,
            place: place.0,
            effect: Some(bonus::effect_to_wire(*effect)),
        }),
        Event::CarsMet { cars, place } => {
            Told::CarsMet(wire::CarsMet { car_ids: car_ids(cars), place: place.0 })
        }
        Event::FightDeclined { cars, teams, by_both } => Told::FightDeclined(wire::FightDeclined {
            car_ids: car_ids(cars),
            team_ids: team_ids(teams),
            by_both: *by_both,
        }),
        Event::FightStarted { cars, willing } => {
            Told::FightStarted(wire::FightStarted { car_ids: car_ids(cars), willing: willing.to_vec() })
        }
        Event::DuelForfeited { car, fault: why } => {
            Told::DuelForfeited(wire::DuelForfeited { car_id: car.0, fault: Some(fault(*why)) })
        }
        Event::DuelStarted { duellists, weapons } => {
            Told::DuelStarted(wire::DuelStarted { car_ids: combatants(duellists), weapons: weapons.to_vec() })
        }
        Event::DuelPlayed { duellists, transcript } => {
            Told::DuelPlayed(wire::DuelPlayed { duel: Some(duel(0, now, duellists, transcript)) })
        }
        Event::FightWon { car, against, weapons, other_weapons } => Told::FightWon(wire::FightWon {
            car_id: car.0,
            against_car_id: combatant(*against),
            weapons: *weapons,
            other_weapons: *other_weapons,
        }),
        Event::FightLost { car, against } => {
            Told::FightLost(wire::FightLost { car_id: car.0, against_car_id: combatant(*against) })
        }
        Event::FightDrawn { combatants: who } => {
            Told::FightDrawn(wire::FightDrawn { car_ids: combatants(who) })
        }
        Event::EncounterMet { car, encounter, declared } => Told::EncounterMet(wire::EncounterMet {
            car_id: car.0,
            encounter: car::encounter_to_wire(*encounter).into(),
            declared: *declared,
        }),
        Event::PiratesAttacked { car, weapons } => {
            Told::PiratesAttacked(wire::PiratesAttacked { car_id: car.0, weapons: *weapons })
        }
        Event::WreckSearched { car, find } => {
            let (find, module) = match find {
                Find::Nothing => (wire::Find::Nothing, wire::ModuleKind::Unspecified),
                Find::Module(kind) => (wire::Find::Module, car::kind_to_wire(*kind)),
                Find::Snakes => (wire::Find::Snakes, wire::ModuleKind::Unspecified),
            };
            Told::WreckSearched(wire::WreckSearched {
                car_id: car.0,
                find: find.into(),
                module: module.into(),
            })
        }
        Event::WreckLeft { car } => Told::WreckLeft(wire::WreckLeft { car_id: car.0 }),
        Event::MinefieldCrossed { car, damaged } => {
            Told::MinefieldCrossed(wire::MinefieldCrossed { car_id: car.0, damaged: *damaged })
        }
        Event::MinefieldAvoided { car, fault: why } => {
            Told::MinefieldAvoided(wire::MinefieldAvoided { car_id: car.0, fault: why.map(fault) })
        }
        Event::GarageLeft { car } => Told::GarageLeft(wire::GarageLeft { car_id: car.0 }),
        Event::ModuleBought { car, team, kind, price } => Told::ModuleBought(wire::ModuleBought {
            car_id: car.0,
            kind: car::kind_to_wire(*kind).into(),
            team_id: Some(team.0),
            price: Some(price.0),
        }),
        Event::TooExpensive { car, kind, price, budget } => Told::TooExpensive(wire::TooExpensive {
            car_id: car.0,
            kind: car::kind_to_wire(*kind).into(),
            price: price.0,
            budget: budget.0,
        }),
        Event::AchievementEarned { team, car, achievement, dollars, points, by_hand } => {
            Told::AchievementEarned(wire::AchievementEarned {
                team_id: team.0,
                car_id: car.map(|car| car.0),
                achievement_id: achievement_id(*achievement),
                points: points.0,
                dollars: Some(dollars.0),
                by_hand: Some(*by_hand),
            })
        }
        Event::Scored { scores, end_awards } => Told::Scored(wire::Scored {
            scores: scores.iter().map(score::score).collect(),
            end_awards: end_awards.iter().map(score::end_award).collect(),
        }),
        Event::TurnCompleted { turn } => Told::TurnCompleted(wire::TurnCompleted { turn: turn.0 }),
        Event::BudgetGranted { team, dollars } => {
            Told::BudgetGranted(wire::BudgetGranted { team_id: team.0, dollars: dollars.0 })
        }
        Event::EncounterDeclared { encounter, cars } => Told::EncounterDeclared(wire::EncounterDeclared {
            encounter: car::encounter_to_wire(*encounter).into(),
            for_all_cars: cars.is_none(),
            car_ids: car_ids(cars.iter().flatten()),
        }),
        Event::OddsSet { odds } => Told::OddsSet(wire::OddsSet { odds: Some(rules::odds_to_wire(odds)) }),
        Event::TransferAsked { transfer } => {
            Told::TransferAsked(wire::TransferAsked { transfer: Some(car::transfer(transfer)) })
        }
        Event::TransferVoid { transfer, reason } => Told::TransferVoid(wire::TransferVoid {
            transfer: Some(car::transfer(transfer)),
            problem: transfer_problem(*reason).into(),
        }),
        Event::CarCorrected { car, reason, square, turns_to_miss, modules, reinstated } => {
            Told::CarCorrected(wire::CarCorrected {
                car_id: car.0,
                square: square.map(|square| square.0),
                turns_to_miss: *turns_to_miss,
                modules: modules.as_deref().map(counted),
                reinstated: *reinstated,
                reason: Some(reason.clone()),
                named_modules: modules.as_deref().map(car::modules).unwrap_or_default(),
            })
        }
        Event::TeamCorrected { team, reason, budget, points } => Told::TeamCorrected(wire::TeamCorrected {
            team_id: team.0,
            points: points.0,
            reason: Some(reason.clone()),
            budget: budget.map(|budget| budget.0),
        }),
        Event::ComplaintFiled { number, team, turn, text } => Told::ComplaintFiled(wire::ComplaintFiled {
            complaint_no: *number,
            team_id: team.0,
            turn: turn.0,
            text: text.clone(),
        }),
        Event::ComplaintAnswered { number, team, text } => Told::ComplaintAnswered(wire::ComplaintAnswered {
            complaint_no: *number,
            team_id: team.0,
            text: text.clone(),
        }),
        Event::HintPublished { achievement, text } => Told::HintPublished(wire::HintPublished {
            text: text.clone(),
            achievement_id: Some(achievement_id(*achievement)),
        }),
        Event::AchievementRevealed { achievement } => {
            let achievement_id = achievement_id(*achievement);
            Told::AchievementRevealed(wire::AchievementRevealed { achievement_id })
        }
    }
}

fn public(event: &PublicEvent) -> Told {
    match event {
        PublicEvent::RaceCreated { revision, track_length } => Told::RaceCreated(wire::RaceCreated {
            rules_revision: *revision,
            track_length: *track_length,
            seed: None,
            rules: None,
        }),
        PublicEvent::TeamCreated { team, name } => {
            Told::TeamCreated(wire::TeamCreated { team_id: team.0, name: name.clone(), budget: None })
        }
        PublicEvent::CarRegistered { car, team, instance, modules } => {
            Told::CarRegistered(wire::CarRegistered {
                car_id: car.0,
                team_id: team.0,
                instance: instance.clone(),
                modules: Some(car::counts(modules)),
                url: String::new(),
                resources: None,
                named_modules: Vec::new(),
                paid: None,
            })
        }
        PublicEvent::Penalised { car } => Told::Penalised(wire::Penalised { car_id: car.0, breach: None }),
        PublicEvent::ModuleGained { car, kind, cause } => Told::ModuleGained(wire::ModuleGained {
            car_id: car.0,
            kind: car::kind_to_wire(*kind).into(),
            name: None,
            cause: gain_cause(*cause).into(),
        }),
        PublicEvent::ModuleLost { car, kind, cause } => Told::ModuleLost(wire::ModuleLost {
            car_id: car.0,
            kind: car::kind_to_wire(*kind).into(),
            name: None,
            cause: loss_cause(*cause).into(),
        }),
        PublicEvent::DuelForfeited { car } => {
            Told::DuelForfeited(wire::DuelForfeited { car_id: car.0, fault: None })
        }
        PublicEvent::MinefieldAvoided { car } => {
            Told::MinefieldAvoided(wire::MinefieldAvoided { car_id: car.0, fault: None })
        }
        PublicEvent::ModuleBought { car, kind } => Told::ModuleBought(wire::ModuleBought {
            car_id: car.0,
            kind: car::kind_to_wire(*kind).into(),
            team_id: None,
            price: None,
        }),
        PublicEvent::AchievementEarned { team, car, achievement, points } => {
            Told::AchievementEarned(wire::AchievementEarned {
                team_id: team.0,
                car_id: car.map(|car| car.0),
                achievement_id: achievement_id(*achievement),
                points: points.0,
                dollars: None,
                by_hand: None,
            })
        }
        PublicEvent::CarCorrected { car, square, turns_to_miss, modules, reinstated } => {
            Told::CarCorrected(wire::CarCorrected {
                car_id: car.0,
                square: square.map(|square| square.0),
                turns_to_miss: *turns_to_miss,
                modules: modules.as_ref().map(car::counts),
                reinstated: *reinstated,
                reason: None,
                named_modules: Vec::new(),
            })
        }
        PublicEvent::HintPublished { text } => {
            Told::HintPublished(wire::HintPublished { text: text.clone(), achievement_id: None })
        }
        PublicEvent::TeamCorrected { team, points } => Told::TeamCorrected(wire::TeamCorrected {
            team_id: team.0,
            points: points.0,
            reason: None,
            budget: None,
        }),
    }
}

fn counted(modules: &[Module]) -> wire::ModuleCounts {
    let mut counts = Modules::default();
    for module in modules {
        *counts.of_mut(module.kind) += 1;
    }
    car::counts(&counts)
}

fn combatants(who: &[Combatant]) -> Vec<u32> {
    who.iter().copied().map(combatant).collect()
}

/// Why a registration was refused, as a kind for programs and in words with all the rest.
#[must_use]
pub fn refusal(reason: &RefusedBecause) -> wire::RefusalReason {
    let kind = match reason {
        RefusedBecause::NoAddress => wire::RefusalKind::NoAddress,
        RefusedBecause::BadInstanceName => wire::RefusalKind::BadInstanceName,
        RefusedBecause::InstanceTaken => wire::RefusalKind::InstanceTaken,
        RefusedBecause::UrlTaken => wire::RefusalKind::UrlTaken,
        RefusedBecause::NoAnswer { .. } => wire::RefusalKind::NoAnswer,
        RefusedBecause::OtherName { .. } => wire::RefusalKind::OtherName,
        RefusedBecause::WrongCount { .. } => wire::RefusalKind::WrongCount,
        RefusedBecause::BadModuleNames { .. } => wire::RefusalKind::BadModuleNames,
        RefusedBecause::NotInspected { .. } => wire::RefusalKind::NotInspected,
        RefusedBecause::NoPilot => wire::RefusalKind::NoPilot,
        RefusedBecause::TooManyModules { .. } => wire::RefusalKind::TooManyModules,
        RefusedBecause::TooExpensive { .. } => wire::RefusalKind::TooExpensive,
    };
    wire::RefusalReason { kind: kind.into(), text: reason.to_string() }
}

fn request(request: &CarRequest) -> wire::CarRequest {
    wire::CarRequest {
        contract_no: request.number().to_owned(),
        request: request.to_string(),
        body: request.body().map(|body| body.to_string()).unwrap_or_default(),
    }
}

fn accepted_in(asked: &CarRequest, deviations: &[Deviation]) -> wire::AcceptedDeviations {
    wire::AcceptedDeviations { request: Some(request(asked)), deviations: all_deviations(deviations) }
}

fn all_deviations(deviations: &[Deviation]) -> Vec<i32> {
    deviations.iter().map(|one| deviation(*one).into()).collect()
}

fn deviation(deviation: Deviation) -> wire::Deviation {
    match deviation {
        Deviation::BooleanAsText => wire::Deviation::BooleanAsText,
        Deviation::NumberAsText => wire::Deviation::NumberAsText,
        Deviation::BooleanAsNumber => wire::Deviation::BooleanAsNumber,
        Deviation::NumberWithFraction => wire::Deviation::NumberWithFraction,
        Deviation::NoEnvelope => wire::Deviation::NoEnvelope,
        Deviation::KindInOtherCase => wire::Deviation::KindInOtherCase,
        Deviation::ContentTypeMissing => wire::Deviation::ContentTypeMissing,
        Deviation::ContentTypeOther => wire::Deviation::ContentTypeOther,
        Deviation::UnknownFields => wire::Deviation::UnknownFields,
    }
}

fn breach(breach: &Breach) -> wire::Breach {
    let Breach { check, expected, found } = breach;
    let check = match check {
        Check::Asked(asked) => wire::breach::Check::Asked(request(asked)),
        Check::Inspected(kind) => wire::breach::Check::Inspected(car::kind_to_wire(*kind).into()),
    };
    let found = match found {
        Found::Value(value) => wire::breach::Found::Value(fact(value)),
        Found::Fault(why) => wire::breach::Found::Fault(fault(*why)),
    };
    wire::Breach {
        check: Some(check),
        expected: Some(fact(expected)),
        found: Some(found),
        text: breach.to_string(),
    }
}

fn fact(fact: &Fact) -> wire::Fact {
    use wire::fact::Fact as Told;
    let told = match fact {
        Fact::Count(count) => Told::Count(*count),
        Fact::Square(square) => Told::Square(*square),
        Fact::State { square, modules } => {
            Told::State(wire::CarState { square: *square, modules: Some(car::counts(modules)) })
        }
        Fact::Holds(name) => Told::Holds(name.clone()),
        Fact::HoldsNot(name) => Told::HoldsNot(name.clone()),
        Fact::AnAnswer => Told::AnAnswer(true),
    };
    wire::Fact { fact: Some(told) }
}

fn inspector_fault(fault: InspectorFault) -> wire::InspectorFault {
    match fault {
        InspectorFault::NoSuchResource => wire::InspectorFault::NoSuchResource,
        InspectorFault::Denied => wire::InspectorFault::Denied,
        InspectorFault::Malformed => wire::InspectorFault::Malformed,
        InspectorFault::Unavailable => wire::InspectorFault::Unavailable,
    }
}

fn step_cause(cause: StepCause) -> wire::StepCause {
    match cause {
        StepCause::Garage => wire::StepCause::Garage,
        StepCause::Bonus => wire::StepCause::Bonus,
    }
}

fn delay_cause(cause: DelayCause) -> wire::DelayCause {
    match cause {
        DelayCause::Wreck => wire::DelayCause::Wreck,
        DelayCause::Minefield => wire::DelayCause::Minefield,
    }
}

fn gain_cause(cause: GainCause) -> wire::GainCause {
    match cause {
        GainCause::Wreck => wire::GainCause::Wreck,
        GainCause::Garage => wire::GainCause::Garage,
        GainCause::Spoils => wire::GainCause::Spoils,
        GainCause::Transfer => wire::GainCause::Transfer,
        GainCause::Bonus => wire::GainCause::Bonus,
    }
}

fn loss_cause(cause: LossCause) -> wire::LossCause {
    match cause {
        LossCause::Fight => wire::LossCause::Fight,
        LossCause::Pirates => wire::LossCause::Pirates,
        LossCause::Minefield => wire::LossCause::Minefield,
        LossCause::Snakes => wire::LossCause::Snakes,
        LossCause::Transfer => wire::LossCause::Transfer,
    }
}

fn transfer_problem(problem: TransferProblem) -> wire::TransferProblem {
    match problem {
        TransferProblem::NotRacing => wire::TransferProblem::NotRacing,
        TransferProblem::Apart => wire::TransferProblem::Apart,
        TransferProblem::NoSuchModule => wire::TransferProblem::NoSuchModule,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::to_json;
    use crate::journal::stored::read_event;
    use gm_core::contract::BaseUrl;
    use gm_core::ids::{CarId, Dollars, Place, Points, TeamId};
    use gm_core::race::Race;
    use gm_core::race::rules::Rules;
    use gm_core::race::state::{BonusEffect, BonusId, BonusPlan, Often, Resources};
    use gm_core::race::view::{Viewer, seen};
    use gm_core::random::Seed;
    use prost::Message as _;
    use serde_json::Value;
    use std::collections::BTreeSet;

    /// Every event in all its forms, one on a line. What is private to team 1 in it, or hidden, holds `word`, `V8`,
    /// or a number from 77771 on.
    const EVENTS: &str = include_str!("../../../tests/fixtures/stored-v1/events.jsonl");

    const VIEWERS: [Viewer; 4] =
        [Viewer::Spectator, Viewer::Team(TeamId(1)), Viewer::Team(TeamId(2)), Viewer::Admin];

    fn events() -> Vec<(&'static str, Event)> {
        EVENTS.lines().map(|line| (line, read_event(1, line).expect("an event of the fixture"))).collect()
    }

    /// The race before: teams 1 and 2 with cars 1 and 2, bonus 1 on place 9 for all to see.
    fn before() -> Race {
        let (mut race, _) = Race::create(Rules::balanced().validated().expect("rules"), Seed(1));
        for number in [1, 2] {
            let team = TeamId(number);
            let name = format!("team {number}");
            race.apply(&Event::TeamCreated { team, name, budget: Dollars(100) });
            race.apply(&Event::CarRegistered {
                car: CarId(number),
                team,
                instance: format!("i-{number}"),
                url: BaseUrl::parse(&format!("http://i-{number}")).expect("a URL"),
                resources: Resources::default(),
                modules: Vec::new(),
                paid: Dollars(0),
            });
        }
        let effect = BonusEffect::Points(3);
        let plan = BonusPlan { place: Place(9), effect, often: Often::Once, hidden: false };
        race.apply(&Event::BonusPlaced { bonus: BonusId(1), plan });
        race
    }

    fn sent(seen: &Seen) -> wire::RaceEvent {
        event(7, TurnNo(9), seen)
    }

    /// Each event has the message of its own name, and every message is used.
    #[test]
    fn every_event_has_the_message_of_its_name() {
        let mut used = BTreeSet::new();
        for (line, happened) in events() {
            let name = serde_json::from_str::<Value>(line).expect("JSON")["event"].clone();
            let name = name.as_str().expect("the name of an event").to_owned();
            let json = to_json(&sent(&Seen::Whole(happened)));
            assert!(json.get(&name).is_some(), "{name} in {json}");
            assert_eq!((&json["sequence"], &json["turn"]), (&7.into(), &9.into()));
            assert_ne!(json["kind"], "EVENT_KIND_UNSPECIFIED");
            used.insert(name);
        }
        let message = wire::descriptors().get_message_by_name("gm.v1.RaceEvent").expect("the message");
        let there: BTreeSet<String> = message
            .oneofs()
            .flat_map(|one| one.fields().map(|field| field.name().to_owned()).collect::<Vec<_>>())
            .collect();
        assert_eq!(used, there);
    }

    /// No enum value is left unsaid, but where it says that there is none.
    #[test]
    fn nothing_is_unspecified_by_mistake() {
        for (line, happened) in events() {
            let json = to_json(&sent(&Seen::Whole(happened))).to_string();
            // Rules have no preset any more; a wreck without a module, and a duel that goes on, have no word for it.
            let meant = json
                .replace(r#""preset":"PRESET_UNSPECIFIED""#, "")
                .replace(r#""module":"MODULE_KIND_UNSPECIFIED""#, "")
                .replace(r#""end":"DUEL_END_UNSPECIFIED""#, "");
            assert!(!meant.contains("UNSPECIFIED"), "{line}\n{json}");
        }
    }

    /// Some change of every leaf of an event: another number, another text, the other truth.
    fn changes(value: &Value) -> Vec<Value> {
        match value {
            Value::Null => vec![1.into()],
            Value::Bool(told) => vec![(!told).into()],
            Value::Number(number) => {
                let signed = number.as_i64().map(|number| Value::from(number.wrapping_add(1)));
                let unsigned = number.as_u64().map(|number| Value::from(number.wrapping_sub(1)));
                signed.into_iter().chain(unsigned).collect()
            }
            Value::String(text) => ["x", ".x"]
                .iter()
                .map(|more| Value::from(format!("{text}{more}")))
                .chain(WORDS.iter().copied().map(Value::from))
                .collect(),
            Value::Array(items) => {
                let shorter = items.split_last().map(|(_, rest)| Value::from(rest.to_vec()));
                let each = items.iter().enumerate().flat_map(|(at, item)| {
                    changes(item).into_iter().map(move |changed| {
                        let mut items = items.clone();
                        items[at] = changed;
                        Value::from(items)
                    })
                });
                each.chain(shorter).collect()
            }
            Value::Object(fields) => fields
                .iter()
                .filter(|(name, _)| *name != "event")
                .flat_map(|(name, field)| {
                    changes(field).into_iter().map(move |changed| {
                        let mut fields = fields.clone();
                        fields.insert(name.clone(), changed);
                        Value::from(fields)
                    })
                })
                .collect(),
        }
    }

    /// Words of the closed lists, to be put in each other's place.
    const WORDS: [&str; 16] = [
        "engine",
        "weapon",
        "white",
        "black",
        "pirates",
        "nothing",
        "garage",
        "wreck",
        "bonus",
        "late",
        "broken",
        "denied",
        "always",
        "random",
        "reference",
        "mad_max",
    ];

    /// R-11: whoever sees two events that differ is sent two messages that differ: nothing that may be seen is lost
    /// on the way, neither in the message nor in its JSON.
    #[test]
    fn r_11_nothing_that_may_be_seen_is_lost() {
        let race = before();
        let mut compared = 0;
        for (line, happened) in events() {
            let value: Value = serde_json::from_str(line).expect("JSON");
            for changed in changes(&value) {
                // Not every change leaves an event that can be.
                let Ok(other) = read_event(1, &changed.to_string()) else { continue };
                // What only an illegal move has, nobody looks for elsewhere.
                if let Event::DuelPlayed { transcript, .. } = &other
                    && transcript.refused.is_some() != is_illegal(transcript)
                {
                    continue;
                }
                for viewer in VIEWERS {
                    let (Some(one), Some(two)) =
                        (seen(&race, &happened, viewer), seen(&race, &other, viewer))
                    else {
                        continue;
                    };
                    let (first, second) = (sent(&one), sent(&two));
                    assert_eq!(one == two, first == second, "{viewer:?}: {line}\n{changed}");
                    assert_eq!(one == two, to_json(&first) == to_json(&second), "{viewer:?}: {line}");
                    compared += usize::from(one != two);
                }
            }
        }
        assert!(compared > 500, "{compared} pairs");
    }

    fn is_illegal(transcript: &gm_core::arena::duel::Transcript) -> bool {
        let reason = transcript.outcome.map(|outcome| outcome.reason);
        matches!(reason, Some(gm_core::arena::duel::Reason::Illegal(_)))
    }

    /// R-11: nothing private gets to those who may not see it, neither as a text nor as a number.
    #[test]
    fn r_11_no_canary_gets_out() {
        let race = before();
        let numbers: Vec<Vec<u8>> = (77_771_u64..=77_779)
            .map(|number| {
                let mut bytes = Vec::new();
                prost::encoding::encode_varint(number, &mut bytes);
                bytes
            })
            .collect();
        let holds = |seen: &Seen| {
            let message = sent(seen);
            let (bytes, json) = (message.encode_to_vec(), to_json(&message).to_string());
            let is_in = |what: &[u8]| bytes.windows(what.len()).any(|window| window == what);
            ["word", "V8"].iter().any(|word| is_in(word.as_bytes()) || json.contains(word))
                || numbers.iter().any(|number| is_in(number))
                || json.contains("7777")
        };
        let mut canaries = 0;
        for (line, happened) in events() {
            for viewer in [Viewer::Spectator, Viewer::Team(TeamId(2))] {
                let seen = seen(&race, &happened, viewer);
                assert!(!seen.as_ref().is_some_and(holds), "{viewer:?}: {line}");
            }
            canaries += usize::from(holds(&Seen::Whole(happened)));
        }
        assert!(canaries > 30, "the admin sees {canaries} canaries");
    }

    /// What spectators get of an event that is not wholly for them.
    #[test]
    fn r_11_for_others_the_own_part_is_left_out() {
        let race = before();
        let public = |event: &Event| {
            let seen = seen(&race, event, Viewer::Spectator).expect("an event for all");
            sent(&seen).event.expect("what happened")
        };
        let bought = Event::ModuleBought {
            car: CarId(1),
            team: TeamId(1),
            kind: gm_core::contract::Kind::Weapon,
            price: Dollars(2),
        };
        let expected = wire::ModuleBought { car_id: 1, kind: 3, team_id: None, price: None };
        assert_eq!(public(&bought), Told::ModuleBought(expected));
        let corrected = Event::TeamCorrected {
            team: TeamId(1),
            reason: "because".to_owned(),
            budget: Some(Dollars(3)),
            points: Points(-4),
        };
        let expected = wire::TeamCorrected { team_id: 1, points: -4, reason: None, budget: None };
        assert_eq!(public(&corrected), Told::TeamCorrected(expected));
    }

    /// A kind is the same for whoever sees the event.
    #[test]
    fn a_kind_is_the_same_for_all() {
        let race = before();
        let mut kinds = BTreeSet::new();
        for (line, happened) in events() {
            let kind = kind_of_seen(&Seen::Whole(happened.clone()));
            kinds.insert(kind);
            for viewer in VIEWERS {
                if let Some(seen) = seen(&race, &happened, viewer) {
                    assert_eq!(kind_of_seen(&seen), kind, "{viewer:?}: {line}");
                }
            }
        }
        assert_eq!(kinds, Kind::ALL.into(), "every kind is used");
    }
}
