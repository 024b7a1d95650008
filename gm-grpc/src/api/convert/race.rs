//! A race, and all of it at one moment, as somebody may see it (R-11).
//!
//! ```text
//! RaceRecord (id, name, when)  ┐
//! Race (life, turn, rules)     ├──▶ wire::Race ──┐
//! control::State (clock, task) ┘                 ├──▶ wire::Snapshot
//! RaceView (cars, score, bonuses) ───────────────┘
//! ```

use super::{achievement, bonus, car, moment, rules, score};
use crate::api::wire;
use crate::control::{Activity, State};
use crate::journal::{Moment, Origin, RaceRecord};
use gm_core::race::Race;
use gm_core::race::event::Achievement;
use gm_core::race::state::{Ending, Life};
use gm_core::race::view::{RaceView, Viewer, view};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::Instant;

/// A race as `viewer` may see it; without a `state`, nobody drives it here.
///
/// Whether it is private is known neither to the record nor to the rules: whoever knows sets
/// [`private`](wire::Race::private).
#[must_use]
pub fn race(record: &RaceRecord, race: &Race, state: Option<&State>, viewer: Viewer) -> wire::Race {
    let known: BTreeSet<Achievement> =
        view(race, viewer).achievements.iter().filter_map(|shown| shown.achievement).collect();
    let (status, ending) = life(race.life);
    let pace = state.map_or(record.pace, |state| state.pace);
    let next_turn = state.and_then(|state| state.next_turn);
    wire::Race {
        race_id: record.id.to_string(),
        title: record.name.clone(),
        status: status.into(),
        turn: race.turn.0,
        rules: Some(rules::shown(&race.rules, viewer, &known)),
        rules_revision: record.revision,
        created_at: Some(moment(record.created_at)),
        private: false,
        ending: ending.into(),
        origin: origin(record.origin).into(),
        turn_interval_seconds: pace.map(seconds),
        activity: Some(activity(state.map(|state| &state.activity), viewer)),
        next_turn_at: next_turn.map(|next| moment(when(next, Instant::now(), Moment::now()))),
    }
}

/// A race at one moment: after the event of this number in the viewer's own view.
#[must_use]
pub fn snapshot(sequence: u64, race: wire::Race, view: &RaceView) -> wire::Snapshot {
    let budgets = view.teams.iter().filter_map(|team| {
        let budget = team.budget?;
        Some(wire::TeamBudget { team_id: team.id.0, budget: budget.0 })
    });
    wire::Snapshot {
        sequence,
        race: Some(race),
        cars: view.cars.iter().map(car::car).collect(),
        standings: score::standings(view),
        bonuses: view.bonuses.iter().map(bonus::bonus).collect(),
        achievements: achievement::achievements(view),
        end_awards: view.end_awards.iter().map(score::end_award).collect(),
        own_cars: view.cars.iter().filter_map(car::own).collect(),
        budgets: budgets.collect(),
        transfers: view.transfers.iter().map(car::transfer).collect(),
    }
}

/// Where a race is in its life, and why it ended, if it did.
#[must_use]
pub fn life(life: Life) -> (wire::RaceStatus, wire::RaceEnding) {
    match life {
        Life::Preparing => (wire::RaceStatus::Preparing, wire::RaceEnding::Unspecified),
        Life::Running => (wire::RaceStatus::Running, wire::RaceEnding::Unspecified),
        Life::Paused => (wire::RaceStatus::Paused, wire::RaceEnding::Unspecified),
        Life::Finished(why) => (wire::RaceStatus::Finished, ending(why)),
    }
}

/// Why a race ended.
#[must_use]
pub fn ending(ending: Ending) -> wire::RaceEnding {
    match ending {
        Ending::TimeUp => wire::RaceEnding::TimeUp,
        Ending::LastTurn => wire::RaceEnding::LastTurn,
        Ending::NobodyLeft => wire::RaceEnding::NobodyLeft,
        Ending::Admin => wire::RaceEnding::Admin,
    }
}

fn origin(origin: Origin) -> wire::RaceOrigin {
    match origin {
        Origin::Here => wire::RaceOrigin::Here,
        Origin::Imported => wire::RaceOrigin::Imported,
    }
}

/// What the task of a race does. Why it stands still is the game master's own business: the admin alone is told.
fn activity(activity: Option<&Activity>, viewer: Viewer) -> wire::RaceActivity {
    let (kind, turn, text) = match activity {
        Some(Activity::Waits) => (wire::RaceActivityKind::Waits, 0, ""),
        Some(Activity::Settles) => (wire::RaceActivityKind::Settles, 0, ""),
        Some(Activity::Plays(turn)) => (wire::RaceActivityKind::Plays, turn.0, ""),
        Some(Activity::Suspended(why)) => (wire::RaceActivityKind::Suspended, 0, &**why),
        Some(Activity::Stopped(why)) => (wire::RaceActivityKind::Stopped, 0, &**why),
        Some(Activity::Ended) | None => (wire::RaceActivityKind::Rests, 0, ""),
    };
    let text = match viewer {
        Viewer::Admin => text.to_owned(),
        Viewer::Team(_) | Viewer::Spectator => String::new(),
    };
    wire::RaceActivity { kind: kind.into(), turn, text }
}

/// A clock in whole seconds; one that is faster than that is told as one second.
fn seconds(pace: Duration) -> u32 {
    u32::try_from(pace.as_secs()).unwrap_or(u32::MAX).max(1)
}

/// When `next` is, where it is `now` by the one clock and `today` by the other.
fn when(next: Instant, now: Instant, today: Moment) -> Moment {
    let wait = i64::try_from(next.saturating_duration_since(now).as_millis()).unwrap_or(i64::MAX);
    Moment(today.0.saturating_add(wait))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Journal, RaceId};
    use gm_core::contract::{BaseUrl, Kind};
    use gm_core::ids::{CarId, Dollars, Place, TeamId, TurnNo};
    use gm_core::race::Event;
    use gm_core::race::rules::{EncounterOdds, Rules};
    use gm_core::race::state::{BonusEffect, BonusId, BonusPlan, Module, Often, Resources, Transfer};
    use gm_core::random::Seed;
    use prost::Message as _;
    use std::sync::Arc;

    const RED: Viewer = Viewer::Team(TeamId(1));
    const GREEN: Viewer = Viewer::Team(TeamId(2));

    async fn record(origin: Origin, pace: Option<Duration>) -> RaceRecord {
        RECORD_WITH(origin, pace).await
    }

    /// A race in which everything that is private to team 1, or hidden, holds the word `canary` or the digits `7777`.
    fn private_race() -> Race {
        let hidden = BonusPlan {
            place: Place(8),
            effect: BonusEffect::Points(77_771),
            often: Often::Once,
            hidden: true,
        };
        let rules = Rules {
            bonuses: vec![BonusPlan { place: Place(7), ..hidden }],
            scrooge_above: 77_772,
            encounters: EncounterOdds { nothing: 100, pirates: 0, garage: 0, wreck: 0, minefield: 0 },
            ..Rules::balanced()
        };
        let (mut race, _) = Race::create(rules.validated().expect("rules"), Seed(77_773));
        let team = |team, name: &str, budget| Event::TeamCreated {
            team: TeamId(team),
            name: name.to_owned(),
            budget: Dollars(budget),
        };
        let module = |kind: Kind| Module { kind, name: format!("canary-{kind}") };
        for event in [
            team(1, "Red", 77_774),
            team(2, "Green", 50),
            Event::CarRegistered {
                car: CarId(1),
                team: TeamId(1),
                instance: "i-1".to_owned(),
                url: BaseUrl::parse("http://canary.example").expect("a URL"),
                resources: Resources {
                    engine: "canary-bucket".to_owned(),
                    pilot: "canary-queue".to_owned(),
                    weapon: "canary-table".to_owned(),
                },
                modules: Kind::ALL.map(module).to_vec(),
                paid: Dollars(4),
            },
            Event::RaceStarted,
            Event::TurnStarted { turn: TurnNo(1) },
            Event::CarStarted { car: CarId(1) },
            Event::TurnCompleted { turn: TurnNo(1) },
            Event::BonusPlaced { bonus: BonusId(2), plan: hidden },
            Event::TransferAsked {
                transfer: Transfer {
                    team: TeamId(1),
                    module: module(Kind::Engine),
                    from: CarId(1),
                    to: CarId(3),
                },
            },
            Event::HintPublished { achievement: Achievement::MadMax, text: "arr".to_owned() },
        ] {
            race.apply(&event);
        }
        race
    }
}
