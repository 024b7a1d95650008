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
use super::state::{BonusEffect, BonusId, Car, Life, Module, Often, Race, Resources, Status, Team};
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
    /// The achievements that are shown (R-9.1).
    pub achievements: Vec<AchievementView>,
    /// The teams in the order of R-8.3.
    pub standings: Vec<Standing>,
    /// The awards of the end (R-8.2).
    pub end_awards: Vec<EndAward>,
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
                taken_by: bonus.taken_by.iter().copied().collect(),
            })
            .collect(),
        achievements: Achievement::ALL
            .into_iter()
            .filter_map(|achievement| achievement_view(race, achievement, viewer))
            .collect(),
        standings: scoring::standings(race),
        end_awards: race.end_awards.clone(),
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
