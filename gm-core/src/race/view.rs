//! R-11: who sees what.
//!
//! [`view`] is a race as somebody may see it, [`seen`] an event. Both are written so that a new field or a new event
//! is hidden until somebody decides here that it is shown.
//!
//! ```
//! use gm_core::{ids::{Dollars, TeamId}, race::{Event, Race, Rules, view::{Viewer, seen}}, random::Seed};
//! let (race, _) = Race::create(Rules::balanced().validated().unwrap(), Seed(1));
//! let granted = Event::BudgetGranted { team: TeamId(1), dollars: Dollars(5) };
//! assert!(seen(&race, &granted, Viewer::Spectator).is_none());
//! assert!(seen(&race, &granted, Viewer::Team(TeamId(1))).is_some());
//! ```

use super::event::{Achievement, EndAward, Event, GainCause, LossCause};
use super::scoring::{self, Standing};
use super::state::{
    BonusEffect, BonusId, Car, Complaint, Life, Module, Often, Race, Resources, Status, Team, Transfer,
};
use crate::contract::{BaseUrl, Kind, Modules};
use crate::ids::{CarId, Dollars, Place, Points, Square, TeamId, TurnNo};
use serde::{Deserialize, Serialize};

/// Somebody who looks at a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// Anybody.
    Spectator,
    /// A team: all of its own, and of the others what spectators see.
    Team(TeamId),
    /// The admin: everything but secrets, which are not in a race.
    Admin,
}

impl Viewer {
    fn owns(self, team: TeamId) -> bool {
        match self {
            Viewer::Spectator => false,
            Viewer::Team(own) => own == team,
            Viewer::Admin => true,
        }
    }
}

/// A race as somebody may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaceView {
    /// Where the race is in its life.
    pub life: Life,
    /// The turn that was started last.
    pub turn: TurnNo,
    /// Squares of the ring.
    pub track_length: u32,
    /// The teams, by id.
    pub teams: Vec<TeamView>,
    /// The cars, by id.
    pub cars: Vec<CarView>,
    /// The bonuses that are shown, by place.
    pub bonuses: Vec<BonusView>,
    /// The achievements that are shown, in the order of R-9, and then the hints to hidden ones (R-9.1).
    pub achievements: Vec<AchievementView>,
    /// The teams in the order of R-8.3.
    pub standings: Vec<Standing>,
    /// The awards of the end (R-8.2).
    pub end_awards: Vec<EndAward>,
    /// Transfers that wait for the next turn (R-7.7), in order of arrival, for their team and the admin.
    pub transfers: Vec<Transfer>,
    /// Complaints (R-10.3), in order of arrival, for their team and the admin.
    pub complaints: Vec<Complaint>,
}

/// A team as somebody may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamView {
    /// Its id.
    pub id: TeamId,
    /// Its name.
    pub name: String,
    /// Its victory points.
    pub score: Points,
    /// Its medals.
    pub medals: Vec<Achievement>,
    /// Its budget, for itself and the admin.
    pub budget: Option<Dollars>,
}

/// A car as somebody may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarView {
    /// Its id.
    pub id: CarId,
    /// Its team.
    pub team: TeamId,
    /// Its instance name.
    pub instance: String,
    /// Its square.
    pub square: Square,
    /// Its place on the ring.
    pub place: Place,
    /// The greatest square that it ever reached.
    pub furthest: Square,
    /// How many modules of each kind it has.
    pub modules: Modules,
    /// Turns that it still has to miss.
    pub turns_to_miss: u32,
    /// Fights that it has won.
    pub fights_won: u32,
    /// Entered, racing or retired.
    pub status: Status,
    /// What only its team and the admin see.
    pub own: Option<OwnCar>,
}

/// What only a car's team and the admin see of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnCar {
    /// Its base URL.
    pub url: BaseUrl,
    /// Its bucket, queue and table.
    pub resources: Resources,
    /// Its modules by name.
    pub modules: Vec<Module>,
}

/// A bonus that is shown (R-12.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BonusView {
    /// Its id.
    pub id: BonusId,
    /// Where it lies.
    pub place: Place,
    /// What it does.
    pub effect: BonusEffect,
    /// How often it can be taken.
    pub often: Often,
    /// Whether it is still hidden: only the admin ever sees one that is.
    pub hidden: bool,
    /// The teams that have taken it.
    pub taken_by: Vec<TeamId>,
}

/// An achievement that is shown (R-9.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AchievementView {
    /// Which; none where only its hint was published, and nobody has it.
    pub achievement: Option<Achievement>,
    /// The hint, if one was published.
    pub hint: Option<String>,
    /// The teams that have it.
    pub teams: Vec<TeamId>,
}

/// The race as `viewer` may see it.
#[must_use]
pub fn view(race: &Race, viewer: Viewer) -> RaceView {
    RaceView {
        life: race.life,
        turn: race.turn,
        track_length: race.rules.track_length,
        teams: race.teams.values().map(|team| team_view(team, viewer)).collect(),
        cars: race.cars.values().map(|car| car_view(race, car, viewer)).collect(),
        bonuses: race
            .bonuses
            .values()
            .filter(|bonus| bonus.is_visible() || viewer == Viewer::Admin)
            .map(|bonus| BonusView {
                id: bonus.id,
                place: bonus.plan.place,
                effect: bonus.plan.effect,
                often: bonus.plan.often,
                hidden: !bonus.is_visible(),
                taken_by: bonus.taken_by.iter().copied().collect(),
            })
            .collect(),
        achievements: achievements_view(race, viewer),
        standings: scoring::standings(race),
        end_awards: race.end_awards.clone(),
        transfers: race.transfers.iter().filter(|transfer| viewer.owns(transfer.team)).cloned().collect(),
        complaints: race.complaints.iter().filter(|complaint| viewer.owns(complaint.team)).cloned().collect(),
    }
}

fn team_view(team: &Team, viewer: Viewer) -> TeamView {
    TeamView {
        id: team.id,
        name: team.name.clone(),
        score: team.score,
        medals: team.medals.iter().copied().collect(),
        budget: viewer.owns(team.id).then(|| team.budget()),
    }
}

fn car_view(race: &Race, car: &Car, viewer: Viewer) -> CarView {
    CarView {
        id: car.id,
        team: car.team,
        instance: car.instance.clone(),
        square: car.square,
        place: race.place_of(car),
        furthest: car.furthest,
        modules: car.counts(),
        turns_to_miss: car.turns_to_miss,
        fights_won: car.fights_won,
        status: car.status.clone(),
        own: viewer.owns(car.team).then(|| OwnCar {
            url: car.url.clone(),
            resources: car.resources.clone(),
            modules: car.modules.clone(),
        }),
    }
}

/// Those that are named in the order of R-9, then the bare hints, by their text: an order that told which of the hidden
/// ones a hint is about would give away what the hint does not say.
fn achievements_view(race: &Race, viewer: Viewer) -> Vec<AchievementView> {
    let mut views: Vec<AchievementView> = Achievement::ALL
        .into_iter()
        .filter_map(|achievement| achievement_view(race, achievement, viewer))
        .collect();
    views.sort_by_cached_key(|view| (view.achievement.is_none(), view.achievement, view.hint.clone()));
    views
}

fn achievement_view(race: &Race, achievement: Achievement, viewer: Viewer) -> Option<AchievementView> {
    let teams: Vec<TeamId> =
        race.teams.values().filter(|team| team.medals.contains(&achievement)).map(|team| team.id).collect();
    let hint = race.hints.get(&achievement).cloned();
    let named = !teams.is_empty() || race.revealed.contains(&achievement) || viewer == Viewer::Admin;
    (named || hint.is_some()).then(|| AchievementView {
        achievement: named.then_some(achievement),
        hint,
        teams,
    })
}

/// An event as somebody may see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Seen {
    /// The whole event.
    Whole(Event),
    /// What spectators see of it.
    Public(PublicEvent),
}

/// What spectators see of events that also hold what they may not see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum PublicEvent {
    /// The race was made.
    RaceCreated {
        /// The revision of the rules.
        revision: u32,
        /// Squares of the ring.
        track_length: u32,
    },
    /// A team takes part.
    TeamCreated {
        /// Its id.
        team: TeamId,
        /// Its name.
        name: String,
    },
    /// A car was registered.
    CarRegistered {
        /// Its id.
        car: CarId,
        /// Its team.
        team: TeamId,
        /// Its instance name.
        instance: String,
        /// How many modules of each kind it has.
        modules: Modules,
    },
    /// A penalty.
    Penalised {
        /// The car.
        car: CarId,
    },
    /// A car has gained a module.
    ModuleGained {
        /// The car.
        car: CarId,
        /// Which kind.
        kind: Kind,
        /// How.
        cause: GainCause,
    },
    /// A car has lost a module.
    ModuleLost {
        /// The car.
        car: CarId,
        /// Which kind.
        kind: Kind,
        /// How.
        cause: LossCause,
    },
    /// A car has lost a duel because it gave no duel AI.
    DuelForfeited {
        /// The car.
        car: CarId,
    },
    /// A car went round a minefield.
    MinefieldAvoided {
        /// The car.
        car: CarId,
    },
    /// A car bought a module.
    ModuleBought {
        /// The car.
        car: CarId,
        /// Which kind.
        kind: Kind,
    },
    /// A team earned an achievement.
    AchievementEarned {
        /// The team.
        team: TeamId,
        /// The car by which it did.
        car: Option<CarId>,
        /// Which.
        achievement: Achievement,
        /// Victory points.
        points: Points,
    },
    /// The jury corrected a car.
    CarCorrected {
        /// The car.
        car: CarId,
        /// Its square, if that was corrected.
        square: Option<Square>,
        /// Its turns to miss, if they were corrected.
        turns_to_miss: Option<u32>,
        /// How many modules of each kind it has, if they were corrected.
        modules: Option<Modules>,
        /// Whether it was put back into the race.
        reinstated: bool,
    },
    /// A hint to a hidden achievement was published (R-9.1).
    HintPublished {
        /// The hint.
        text: String,
    },
    /// The jury corrected a team's victory points.
    TeamCorrected {
        /// The team.
        team: TeamId,
        /// Points given, or taken if negative.
        points: Points,
    },
}

/// An event as `viewer` may see it; none if it is not for them. `before` is the race before the event.
#[must_use]
pub fn seen(before: &Race, event: &Event, viewer: Viewer) -> Option<Seen> {
    let own = match viewer {
        Viewer::Spectator => false,
        Viewer::Team(team) => team_of(before, event) == Some(team),
        Viewer::Admin => true,
    };
    if own { Some(Seen::Whole(event.clone())) } else { public(before, event) }
}

/// The team to which an event belongs, if it belongs to one.
#[must_use]
pub fn team_of(before: &Race, event: &Event) -> Option<TeamId> {
    match event {
        Event::TeamCreated { team, .. }
        | Event::CarRegistered { team, .. }
        | Event::RegistrationRefused { team, .. }
        | Event::AchievementEarned { team, .. }
        | Event::ModuleBought { team, .. }
        | Event::BonusTaken { team, .. }
        | Event::BudgetGranted { team, .. }
        | Event::TeamCorrected { team, .. }
        | Event::ComplaintFiled { team, .. }
        | Event::ComplaintAnswered { team, .. } => Some(*team),
        Event::TransferAsked { transfer } | Event::TransferVoid { transfer, .. } => Some(transfer.team),
        Event::CarStarted { car }
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
        | Event::DuelForfeited { car, .. }
        | Event::FightWon { car, .. }
        | Event::FightLost { car, .. }
        | Event::EncounterMet { car, .. }
        | Event::PiratesAttacked { car, .. }
        | Event::WreckSearched { car, .. }
        | Event::WreckLeft { car }
        | Event::MinefieldCrossed { car, .. }
        | Event::MinefieldAvoided { car, .. }
        | Event::GarageLeft { car }
        | Event::TooExpensive { car, .. }
        | Event::CarCorrected { car, .. } => before.cars.get(car).map(|car| car.team),
        Event::RaceCreated { .. }
        | Event::RaceStarted
        | Event::RacePaused
        | Event::RaceResumed
        | Event::RaceFinished { .. }
        | Event::TurnStarted { .. }
        | Event::PriorityDrawn { .. }
        | Event::BonusPlaced { .. }
        | Event::BonusRemoved { .. }
        | Event::CarsMet { .. }
        | Event::FightDeclined { .. }
        | Event::FightStarted { .. }
        | Event::DuelStarted { .. }
        | Event::DuelPlayed { .. }
        | Event::FightDrawn { .. }
        | Event::Scored { .. }
        | Event::TurnCompleted { .. }
        | Event::EncounterDeclared { .. }
        | Event::OddsSet { .. }
        | Event::HintPublished { .. }
        | Event::AchievementRevealed { .. } => None,
    }
}

/// What spectators see of an event.
fn public(before: &Race, event: &Event) -> Option<Seen> {
    let public = match event {
        Event::RaceCreated { revision, rules, .. } => {
            PublicEvent::RaceCreated { revision: *revision, track_length: rules.track_length }
        }
        Event::TeamCreated { team, name, .. } => PublicEvent::TeamCreated { team: *team, name: name.clone() },
        Event::CarRegistered { car, team, instance, modules, .. } => PublicEvent::CarRegistered {
            car: *car,
            team: *team,
            instance: instance.clone(),
            modules: counts(modules),
        },
        Event::Penalised { car, .. } => PublicEvent::Penalised { car: *car },
        Event::ModuleGained { car, module, cause } => {
            PublicEvent::ModuleGained { car: *car, kind: module.kind, cause: *cause }
        }
        Event::ModuleLost { car, module, cause } => {
            PublicEvent::ModuleLost { car: *car, kind: module.kind, cause: *cause }
        }
        Event::DuelForfeited { car, .. } => PublicEvent::DuelForfeited { car: *car },
        Event::MinefieldAvoided { car, .. } => PublicEvent::MinefieldAvoided { car: *car },
        Event::ModuleBought { car, kind, .. } => PublicEvent::ModuleBought { car: *car, kind: *kind },
        Event::AchievementEarned { team, car, achievement, points, .. } => PublicEvent::AchievementEarned {
            team: *team,
            car: *car,
            achievement: *achievement,
            points: *points,
        },
        Event::CarCorrected { car, square, turns_to_miss, modules, reinstated, .. } => {
            PublicEvent::CarCorrected {
                car: *car,
                square: *square,
                turns_to_miss: *turns_to_miss,
                modules: modules.as_deref().map(counts),
                reinstated: *reinstated,
            }
        }
        Event::TeamCorrected { team, points, .. } if points.0 != 0 => {
            PublicEvent::TeamCorrected { team: *team, points: *points }
        }

        Event::BonusPlaced { plan, .. } if !plan.hidden => return Some(Seen::Whole(event.clone())),
        Event::BonusRemoved { place, .. }
            if before.bonuses.get(place).is_some_and(super::state::Bonus::is_visible) =>
        {
            return Some(Seen::Whole(event.clone()));
        }
        // A hint gives nothing away but itself: which achievement it is about stays hidden until somebody has it.
        Event::HintPublished { text, .. } => PublicEvent::HintPublished { text: text.clone() },

        Event::RaceStarted
        | Event::RacePaused
        | Event::RaceResumed
        | Event::RaceFinished { .. }
        | Event::TurnStarted { .. }
        | Event::CarStarted { .. }
        | Event::PriorityDrawn { .. }
        | Event::TurnMissed { .. }
        | Event::CarMoved { .. }
        | Event::CarStepped { .. }
        | Event::TurnsToMissAdded { .. }
        | Event::CarRetired { .. }
        | Event::BonusTaken { .. }
        | Event::CarsMet { .. }
        | Event::FightDeclined { .. }
        | Event::FightStarted { .. }
        | Event::DuelStarted { .. }
        | Event::DuelPlayed { .. }
        | Event::FightWon { .. }
        | Event::FightLost { .. }
        | Event::FightDrawn { .. }
        | Event::EncounterMet { .. }
        | Event::PiratesAttacked { .. }
        | Event::WreckSearched { .. }
        | Event::WreckLeft { .. }
        | Event::MinefieldCrossed { .. }
        | Event::GarageLeft { .. }
        | Event::Scored { .. }
        | Event::TurnCompleted { .. }
        | Event::AchievementRevealed { .. } => return Some(Seen::Whole(event.clone())),

        Event::RegistrationRefused { .. }
        | Event::DeviationsAccepted { .. }
        | Event::DuelDeviationsAccepted { .. }
        | Event::InspectionSkipped { .. }
        | Event::NamesRead { .. }
        | Event::TooExpensive { .. }
        | Event::BudgetGranted { .. }
        | Event::EncounterDeclared { .. }
        | Event::OddsSet { .. }
        | Event::TransferAsked { .. }
        | Event::TransferVoid { .. }
        | Event::TeamCorrected { .. }
        | Event::ComplaintFiled { .. }
        | Event::ComplaintAnswered { .. }
        | Event::BonusPlaced { .. }
        | Event::BonusRemoved { .. } => return None,
    };
    Some(Seen::Public(public))
}

fn counts(modules: &[Module]) -> Modules {
    let mut counts = Modules::default();
    for module in modules {
        *counts.of_mut(module.kind) += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryCar;
    use crate::race::command::Command;
    use crate::race::event::Retirement;
    use crate::race::state::BonusPlan;
    use crate::race::tests::Scene;
    use crate::race::words::tests::{every_event, name};

    const RED: Viewer = Viewer::Team(TeamId(1));
    const GREEN: Viewer = Viewer::Team(TeamId(2));

    /// Car 1 of team 1 and car 2 of team 2; bonus 1 on place 9 for all to see, bonus 2 on place 8 hidden.
    fn scene() -> Scene {
        let mut scene = Scene::quiet();
        scene.car_on(1, MemoryCar::new("a", 3, 1, 2), 305);
        scene.car(2, MemoryCar::new("b", 1, 2, 3));
        for (place, hidden) in [(9, false), (8, true)] {
            let effect = BonusEffect::Points(3);
            let plan = BonusPlan { place: Place(place), effect, often: Often::Once, hidden };
            scene.order(Command::PlaceBonus(plan)).unwrap();
        }
        scene
    }

    /// R-11: what spectators see of an event that also holds what they may not see; `whole` where it holds nothing
    /// of that kind, `nothing` where it is not for them.
    fn public_row(event: &Event) -> &'static str {
        match event {
            Event::RaceCreated { .. } => r#"{"event":"race_created","revision":1,"track_length":300}"#,
            Event::TeamCreated { .. } => r#"{"event":"team_created","team":1,"name":"Red"}"#,
            Event::CarRegistered { .. } => {
                r#"{"event":"car_registered","car":1,"team":1,"instance":"i-1","modules":{"engine":2,"pilot":1,"weapon":0}}"#
            }
            Event::Penalised { .. } => r#"{"event":"penalised","car":1}"#,
            Event::ModuleGained { cause, .. } => match cause {
                GainCause::Wreck => r#"{"event":"module_gained","car":1,"kind":"engine","cause":"wreck"}"#,
                GainCause::Garage => r#"{"event":"module_gained","car":1,"kind":"engine","cause":"garage"}"#,
                GainCause::Spoils => r#"{"event":"module_gained","car":1,"kind":"engine","cause":"spoils"}"#,
                GainCause::Transfer => {
                    r#"{"event":"module_gained","car":1,"kind":"engine","cause":"transfer"}"#
                }
                GainCause::Bonus => r#"{"event":"module_gained","car":1,"kind":"engine","cause":"bonus"}"#,
            },
            Event::ModuleLost { cause, .. } => match cause {
                LossCause::Fight => r#"{"event":"module_lost","car":1,"kind":"engine","cause":"fight"}"#,
                LossCause::Pirates => r#"{"event":"module_lost","car":1,"kind":"engine","cause":"pirates"}"#,
                LossCause::Minefield => {
                    r#"{"event":"module_lost","car":1,"kind":"engine","cause":"minefield"}"#
                }
                LossCause::Snakes => r#"{"event":"module_lost","car":1,"kind":"engine","cause":"snakes"}"#,
                LossCause::Transfer => {
                    r#"{"event":"module_lost","car":1,"kind":"engine","cause":"transfer"}"#
                }
            },
            Event::DuelForfeited { .. } => r#"{"event":"duel_forfeited","car":1}"#,
            Event::MinefieldAvoided { .. } => r#"{"event":"minefield_avoided","car":1}"#,
            Event::ModuleBought { .. } => r#"{"event":"module_bought","car":1,"kind":"engine"}"#,
            Event::AchievementEarned { car: Some(_), .. } => {
                r#"{"event":"achievement_earned","team":1,"car":1,"achievement":"strategist","points":5}"#
            }
            Event::AchievementEarned { car: None, .. } => {
                r#"{"event":"achievement_earned","team":1,"car":null,"achievement":"scrooge","points":5}"#
            }
            Event::CarCorrected { reinstated: true, .. } => {
                r#"{"event":"car_corrected","car":1,"square":null,"turns_to_miss":null,"modules":null,"reinstated":true}"#
            }
            Event::CarCorrected { reinstated: false, .. } => {
                r#"{"event":"car_corrected","car":1,"square":4,"turns_to_miss":2,"modules":{"engine":1,"pilot":1,"weapon":0},"reinstated":false}"#
            }
            Event::TeamCorrected { points: Points(0), .. } => "nothing",
            Event::TeamCorrected { points: Points(4), .. } => {
                r#"{"event":"team_corrected","team":1,"points":4}"#
            }
            Event::TeamCorrected { .. } => r#"{"event":"team_corrected","team":1,"points":-4}"#,
            Event::HintPublished { .. } => r#"{"event":"hint_published","text":"hiss"}"#,
            Event::BonusPlaced { plan: BonusPlan { hidden: true, .. }, .. }
            | Event::BonusRemoved { place: Place(8), .. }
            | Event::RegistrationRefused { .. }
            | Event::DeviationsAccepted { .. }
            | Event::DuelDeviationsAccepted { .. }
            | Event::InspectionSkipped { .. }
            | Event::NamesRead { .. }
            | Event::TooExpensive { .. }
            | Event::BudgetGranted { .. }
            | Event::EncounterDeclared { .. }
            | Event::OddsSet { .. }
            | Event::TransferAsked { .. }
            | Event::TransferVoid { .. }
            | Event::ComplaintFiled { .. }
            | Event::ComplaintAnswered { .. } => "nothing",
            _ => "whole",
        }
    }

    /// R-11: the events that are nobody's own.
    const OF_NO_TEAM: &[&str] = &[
        "RaceCreated",
        "RaceStarted",
        "RacePaused",
        "RaceResumed",
        "RaceFinished",
        "TurnStarted",
        "PriorityDrawn",
        "BonusPlaced",
        "BonusRemoved",
        "CarsMet",
        "FightDeclined",
        "FightStarted",
        "DuelStarted",
        "DuelPlayed",
        "FightDrawn",
        "Scored",
        "TurnCompleted",
        "EncounterDeclared",
        "OddsSet",
        "HintPublished",
        "AchievementRevealed",
    ];

    #[test]
    fn r_11_who_sees_which_event() {
        let race = scene().race;
        for (event, words) in every_event() {
            let whole = Some(serde_json::to_string(&event).unwrap());
            let public = match public_row(&event) {
                "whole" => whole.clone(),
                "nothing" => None,
                json => Some(json.to_owned()),
            };
            let of_a_team = !OF_NO_TEAM.contains(&name(&event));
            assert_eq!(team_of(&race, &event), of_a_team.then_some(TeamId(1)), "{words}");
            for (viewer, expected) in [
                (Viewer::Spectator, &public),
                (GREEN, &public),
                (Viewer::Team(TeamId(99)), &public),
                (RED, if of_a_team { &whole } else { &public }),
                (Viewer::Admin, &whole),
            ] {
                let seen = seen(&race, &event, viewer).map(|seen| serde_json::to_string(&seen).unwrap());
                assert_eq!(seen, *expected, "{viewer:?}: {words}");
            }
        }
    }

    /// R-11: nothing that is marked as private in the events' table ever reaches those who may not see it.
    #[test]
    fn r_11_no_canary_gets_out() {
        let race = scene().race;
        for (event, words) in every_event() {
            for viewer in [Viewer::Spectator, GREEN] {
                let Some(seen) = seen(&race, &event, viewer) else { continue };
                let text = format!("{} {seen}", serde_json::to_string(&seen).unwrap());
                assert!(!text.contains("canary") && !text.contains("7777"), "{viewer:?}: {words}: {text}");
            }
            assert_eq!(
                words.contains("canary") || words.contains("7777"),
                public_row(&event) != "whole" && !is_private_otherwise(&event),
                "{words}"
            );
        }
    }

    /// What is private for another reason than a text or a number.
    fn is_private_otherwise(event: &Event) -> bool {
        matches!(
            event,
            Event::DuelDeviationsAccepted { .. }
                | Event::InspectionSkipped { .. }
                | Event::MinefieldAvoided { fault: None, .. }
                | Event::EncounterDeclared { .. }
                | Event::OddsSet { .. }
                | Event::HintPublished { .. }
                | Event::BonusRemoved { .. }
        )
    }

    #[test]
    fn r_11_what_is_seen_comes_back_from_json() {
        let race = scene().race;
        for (event, words) in every_event() {
            for viewer in [Viewer::Spectator, Viewer::Admin] {
                let Some(seen) = seen(&race, &event, viewer) else { continue };
                let text = serde_json::to_string(&seen).unwrap();
                assert_eq!(serde_json::from_str::<Seen>(&text).unwrap(), seen, "{words}");
            }
        }
    }

    /// R-12.3: a bonus is seen to be removed by those who saw it lie.
    #[test]
    fn r_12_3_a_removed_bonus() {
        let mut scene = scene();
        let removed = |bonus, place| Event::BonusRemoved { bonus: BonusId(bonus), place: Place(place) };
        let is_seen = |race: &Race, event: &Event| seen(race, event, Viewer::Spectator).is_some();
        assert!(is_seen(&scene.race, &removed(1, 9)));
        assert!(!is_seen(&scene.race, &removed(2, 8)));
        scene.happen(Event::BonusTaken {
            car: CarId(1),
            team: TeamId(1),
            bonus: BonusId(2),
            place: Place(8),
            effect: BonusEffect::Points(3),
        });
        assert!(is_seen(&scene.race, &removed(2, 8)), "taken once, it is hidden no longer");
        assert!(!is_seen(&scene.race, &removed(3, 10)), "where there is none");
    }

    /// R-11: a race as each may see it.
    #[test]
    fn r_11_who_sees_what_of_a_race() {
        let scene = scene();
        for (viewer, budgets, cars, bonuses) in [
            (Viewer::Spectator, [false, false], [false, false], &[9][..]),
            (RED, [true, false], [true, false], &[9]),
            (GREEN, [false, true], [false, true], &[9]),
            (Viewer::Team(TeamId(99)), [false, false], [false, false], &[9]),
            (Viewer::Admin, [true, true], [true, true], &[8, 9]),
        ] {
            let view = view(&scene.race, viewer);
            let seen_budgets = [0, 1].map(|at| view.teams[at].budget.is_some());
            assert_eq!(seen_budgets, budgets, "{viewer:?}");
            assert_eq!([0, 1].map(|at| view.cars[at].own.is_some()), cars, "{viewer:?}");
            let places: Vec<u32> = view.bonuses.iter().map(|bonus| bonus.place.0).collect();
            assert_eq!(places, bonuses, "{viewer:?}");
            let text = format!("{view:?}");
            for (owned, private) in [
                (cars[0], ["http://a", "a-engine", "engine-3"]),
                (cars[1], ["http://b", "b-engine", "pilot-2"]),
            ] {
                for word in private {
                    assert_eq!(text.contains(&format!("{word:?}")), owned, "{viewer:?}: {word}");
                }
            }
        }
    }

    #[test]
    fn r_11_a_race_for_its_team() {
        let mut scene = scene();
        scene.misses(CarId(1), 2);
        scene.happen(Event::CarRetired { car: CarId(2), reason: Retirement::OutOfFuel });
        let race = &scene.race;
        let view = view(race, RED);
        assert_eq!((view.life, view.turn, view.track_length), (Life::Running, TurnNo(0), 300));
        let car = |id: u32| {
            let car = &race.cars[&CarId(id)];
            CarView {
                id: CarId(id),
                team: TeamId(id),
                instance: if id == 1 { "a" } else { "b" }.to_owned(),
                square: Square(if id == 1 { 305 } else { 0 }),
                place: Place(if id == 1 { 5 } else { 0 }),
                furthest: Square(if id == 1 { 305 } else { 0 }),
                modules: if id == 1 {
                    Modules { engine: 3, pilot: 1, weapon: 2 }
                } else {
                    Modules { engine: 1, pilot: 2, weapon: 3 }
                },
                turns_to_miss: if id == 1 { 2 } else { 0 },
                fights_won: 0,
                status: if id == 1 {
                    Status::Racing
                } else {
                    Status::Retired { reason: Retirement::OutOfFuel, turn: TurnNo(0) }
                },
                own: (id == 1).then(|| OwnCar {
                    url: car.url.clone(),
                    resources: car.resources.clone(),
                    modules: car.modules.clone(),
                }),
            }
        };
        assert_eq!(view.cars, [car(1), car(2)]);
        let team = |id, name: &str, budget| TeamView {
            id: TeamId(id),
            name: name.to_owned(),
            score: Points(0),
            medals: Vec::new(),
            budget,
        };
        assert_eq!(
            view.teams,
            [team(1, "Red", Some(Dollars(100))), team(2, "Green", None), team(3, "Blue", None)]
        );
        let bonus = BonusView {
            id: BonusId(1),
            place: Place(9),
            effect: BonusEffect::Points(3),
            often: Often::Once,
            hidden: false,
            taken_by: Vec::new(),
        };
        assert_eq!(view.bonuses, [bonus]);
        assert_eq!(view.standings, scoring::standings(race));
        assert_eq!(view.end_awards, race.end_awards);
    }

    /// R-12.3: only the admin sees that there is a bonus that is hidden, until it is taken.
    #[test]
    fn r_12_3_hidden_until_it_is_taken() {
        let mut scene = scene();
        let hidden = |scene: &Scene, viewer| -> Vec<bool> {
            view(&scene.race, viewer).bonuses.iter().map(|bonus| bonus.hidden).collect()
        };
        assert_eq!((hidden(&scene, Viewer::Admin), hidden(&scene, RED)), (vec![true, false], vec![false]));
        scene.happen(Event::BonusTaken {
            car: CarId(1),
            team: TeamId(1),
            bonus: BonusId(2),
            place: Place(8),
            effect: BonusEffect::Points(3),
        });
        assert_eq!((hidden(&scene, Viewer::Admin), hidden(&scene, RED)), (vec![false; 2], vec![false; 2]));
    }

    /// R-7.7, R-10.3: what a team asked for and complained about is between it and the admin.
    #[test]
    fn r_11_transfers_and_complaints() {
        let mut scene = scene();
        let module = Module { kind: Kind::Engine, name: "canary".to_owned() };
        let transfer = Transfer { team: TeamId(1), module, from: CarId(1), to: CarId(3) };
        scene.happen(Event::TransferAsked { transfer: transfer.clone() });
        for (number, team) in [(1, TeamId(2)), (2, TeamId(1))] {
            let text = "canary".to_owned();
            scene.happen(Event::ComplaintFiled { number, team, turn: TurnNo(0), text });
        }
        for (viewer, transfers, complaints) in [
            (Viewer::Spectator, 0, &[][..]),
            (RED, 1, &[2]),
            (GREEN, 0, &[1]),
            (Viewer::Team(TeamId(99)), 0, &[]),
            (Viewer::Admin, 1, &[1, 2]),
        ] {
            let view = view(&scene.race, viewer);
            assert_eq!(view.transfers, vec![transfer.clone(); transfers], "{viewer:?}");
            let numbers: Vec<u32> = view.complaints.iter().map(|complaint| complaint.number).collect();
            assert_eq!(numbers, complaints, "{viewer:?}");
        }
    }

    /// R-9.1: an achievement is seen when a team has it or the admin has revealed it; of its hint only the hint.
    #[test]
    fn r_9_1_which_achievements_are_seen() {
        let mut scene = Scene::quiet();
        let shown = |scene: &Scene, viewer| -> Vec<String> {
            view(&scene.race, viewer)
                .achievements
                .into_iter()
                .map(|AchievementView { achievement, hint, teams }| {
                    let id = achievement.map_or("?", Achievement::id);
                    let teams: Vec<String> = teams.iter().map(ToString::to_string).collect();
                    format!("{id} {} [{}]", hint.as_deref().unwrap_or("-"), teams.join(" "))
                })
                .collect()
        };
        let check = |scene: &Scene, expected: &[&str]| {
            for viewer in [Viewer::Spectator, RED, GREEN] {
                assert_eq!(shown(scene, viewer), expected, "{viewer:?}");
            }
            assert_eq!(shown(scene, Viewer::Admin).len(), 13, "the admin sees all");
        };
        check(&scene, &[]);
        for (achievement, text) in [(Achievement::Lightning, "zap"), (Achievement::MadMax, "arr")] {
            scene.order(Command::PublishHint { achievement, text: text.to_owned() }).unwrap();
        }
        check(&scene, &["? arr []", "? zap []"]);
        scene.order(Command::Reveal { achievement: Achievement::Pacifist }).unwrap();
        check(&scene, &["pacifist - []", "? arr []", "? zap []"]);
        for team in [2, 1] {
            let award = Command::Award { team: TeamId(team), achievement: Achievement::MadMax };
            scene.order(award).unwrap();
        }
        check(&scene, &["mad_max arr [1 2]", "pacifist - []", "? zap []"]);
        assert_eq!(view(&scene.race, GREEN).teams[0].medals, [Achievement::MadMax]);
        assert_eq!(shown(&scene, Viewer::Admin)[3], "mad_max arr [1 2]");
        assert_eq!(shown(&scene, Viewer::Admin)[0], "lightning zap []");
    }
}
