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
use crate::api::wire;
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
    wire::RaceEvent { sequence, turn: turn.0, kind: kind_of(seen).into(), event: Some(told) }
}

/// What an event is about, coarsely.
#[must_use]
pub fn kind_of(seen: &Seen) -> wire::EventKind {
    match seen {
        Seen::Whole(event) => kind_of_whole(event),
        Seen::Public(event) => kind_of_public(event),
    }
}

fn kind_of_whole(event: &Event) -> wire::EventKind {
    match event {
        Event::RaceCreated { .. }
        | Event::RaceStarted
        | Event::RacePaused
        | Event::RaceResumed
        | Event::RaceFinished { .. } => wire::EventKind::Race,
        Event::TeamCreated { .. }
        | Event::BudgetGranted { .. }
        | Event::TeamCorrected { .. }
        | Event::ComplaintFiled { .. }
        | Event::ComplaintAnswered { .. } => wire::EventKind::Team,
        Event::CarRegistered { .. }
        | Event::RegistrationRefused { .. }
        | Event::CarStarted { .. }
        | Event::CarRetired { .. }
        | Event::CarCorrected { .. }
        | Event::Penalised { .. }
        | Event::DeviationsAccepted { .. }
        | Event::InspectionSkipped { .. } => wire::EventKind::Car,
        Event::TurnStarted { .. } | Event::PriorityDrawn { .. } | Event::TurnCompleted { .. } => {
            wire::EventKind::Turn
        }
        Event::TurnMissed { .. }
        | Event::CarMoved { .. }
        | Event::CarStepped { .. }
        | Event::TurnsToMissAdded { .. } => wire::EventKind::Move,
        Event::NamesRead { .. }
        | Event::ModuleGained { .. }
        | Event::ModuleLost { .. }
        | Event::TransferAsked { .. }
        | Event::TransferVoid { .. } => wire::EventKind::Module,
        Event::EncounterMet { .. }
        | Event::PiratesAttacked { .. }
        | Event::WreckSearched { .. }
        | Event::WreckLeft { .. }
        | Event::MinefieldCrossed { .. }
        | Event::MinefieldAvoided { .. }
        | Event::GarageLeft { .. }
        | Event::ModuleBought { .. }
        | Event::TooExpensive { .. }
        | Event::EncounterDeclared { .. }
        | Event::OddsSet { .. } => wire::EventKind::Encounter,
        Event::CarsMet { .. }
        | Event::FightDeclined { .. }
        | Event::FightStarted { .. }
        | Event::DuelForfeited { .. }
        | Event::DuelStarted { .. }
        | Event::DuelPlayed { .. }
        | Event::DuelDeviationsAccepted { .. }
        | Event::FightWon { .. }
        | Event::FightLost { .. }
        | Event::FightDrawn { .. } => wire::EventKind::Fight,
        Event::AchievementEarned { .. }
        | Event::Scored { .. }
        | Event::HintPublished { .. }
        | Event::AchievementRevealed { .. } => wire::EventKind::Score,
        Event::BonusPlaced { .. } | Event::BonusRemoved { .. } | Event::BonusTaken { .. } => {
            wire::EventKind::Bonus
        }
    }
}

fn kind_of_public(event: &PublicEvent) -> wire::EventKind {
    match event {
        PublicEvent::RaceCreated { .. } => wire::EventKind::Race,
        PublicEvent::TeamCreated { .. } | PublicEvent::TeamCorrected { .. } => wire::EventKind::Team,
        PublicEvent::CarRegistered { .. }
        | PublicEvent::Penalised { .. }
        | PublicEvent::CarCorrected { .. } => wire::EventKind::Car,
        PublicEvent::ModuleGained { .. } | PublicEvent::ModuleLost { .. } => wire::EventKind::Module,
        PublicEvent::DuelForfeited { .. } => wire::EventKind::Fight,
        PublicEvent::MinefieldAvoided { .. } | PublicEvent::ModuleBought { .. } => wire::EventKind::Encounter,
        PublicEvent::AchievementEarned { .. } | PublicEvent::HintPublished { .. } => wire::EventKind::Score,
    }
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
