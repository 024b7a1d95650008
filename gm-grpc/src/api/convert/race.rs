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
        private: record.private,
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
    // It may have gone on since, and is shown as it was then.
    let (status, ending) = life(view.life);
    let race = wire::Race { status: status.into(), ending: ending.into(), turn: view.turn.0, ..race };
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
    use crate::api::json::to_json;
    use crate::journal::{DataDirectory, Journal, NewRace, Numbers, RaceId};
    use gm_core::contract::{BaseUrl, Kind};
    use gm_core::ids::{CarId, Dollars, Place, TeamId, TurnNo};
    use gm_core::race::rules::{EncounterOdds, Rules};
    use gm_core::race::state::{BonusEffect, BonusId, BonusPlan, Module, Often, Resources, Transfer};
    use gm_core::race::{Event, REVISION};
    use gm_core::random::Seed;
    use prost::Message as _;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    const RED: Viewer = Viewer::Team(TeamId(1));
    const GREEN: Viewer = Viewer::Team(TeamId(2));

    async fn record(origin: Origin, pace: Option<Duration>) -> RaceRecord {
        let directory = tempfile::tempdir().expect("a directory");
        let directory = DataDirectory::open(directory.path()).expect("a data directory");
        let journal = Journal::open(directory).await.expect("a journal");
        let new = NewRace {
            id: RaceId::parse("gm-1").expect("an id"),
            name: "Sunday".to_owned(),
            seed: Seed(77_773),
            revision: REVISION,
            origin,
            plan: None,
            secrets: BTreeMap::new(),
            pace,
            private: false,
        };
        let (_, events) = Race::create(Rules::balanced().validated().expect("rules"), Seed(77_773));
        let mut numbers = Numbers::default();
        let events: Vec<_> = events.into_iter().map(|event| numbers.next(event)).collect();
        let record = journal.create(new, &events, None).await.expect("a race");
        RaceRecord { created_at: Moment(1_500), ..record }
    }

    fn state(activity: Activity, pace: Option<Duration>, next_turn: Option<Instant>) -> State {
        State { race: Arc::new(private_race()), last_seq: 9, activity, pace, next_turn }
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
                paid: Dollars(0),
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

    /// R-11: what is private to team 1, or hidden, gets to team 1, or the admin, and to nobody else.
    #[tokio::test]
    async fn r_11_a_snapshot_for_each() {
        let record = record(Origin::Here, None).await;
        let all = private_race();
        for (viewer, own_cars, budgets, transfers, bonuses, hints) in [
            (Viewer::Spectator, 0, vec![], 0, vec![], vec![""]),
            (GREEN, 0, vec![(2, 50)], 0, vec![], vec![""]),
            (RED, 1, vec![(1, 77_774)], 1, vec![], vec![""]),
            (
                Viewer::Admin,
                1,
                vec![(1, 77_774), (2, 50)],
                1,
                vec![7, 8],
                Achievement::ALL.map(Achievement::id).to_vec(),
            ),
        ] {
            let sent = snapshot(5, race(&record, &all, None, viewer), &view(&all, viewer));
            assert_eq!((sent.sequence, sent.cars.len(), sent.standings.len()), (5, 1, 2), "{viewer:?}");
            assert_eq!((sent.own_cars.len(), sent.transfers.len()), (own_cars, transfers), "{viewer:?}");
            let seen: Vec<(u32, u64)> = sent.budgets.iter().map(|own| (own.team_id, own.budget)).collect();
            assert_eq!(seen, budgets, "{viewer:?}");
            let places: Vec<u32> = sent.bonuses.iter().map(|bonus| bonus.place).collect();
            assert_eq!(places, bonuses, "{viewer:?}");
            let ids: Vec<&str> = sent.achievements.iter().map(|one| one.achievement_id.as_str()).collect();
            assert_eq!(ids, hints, "{viewer:?}");

            let (bytes, json) = (sent.encode_to_vec(), to_json(&sent).to_string());
            let text = String::from_utf8_lossy(&bytes);
            let own = viewer == RED || viewer == Viewer::Admin;
            assert_eq!(text.contains("canary") || json.contains("canary"), own, "{viewer:?}: {json}");
            assert_eq!(json.contains("77774"), own, "{viewer:?}: the budget of team 1");
            for hidden in ["77771", "77772", "mad_max"] {
                assert_eq!(json.contains(hidden), viewer == Viewer::Admin, "{viewer:?}: {hidden}: {json}");
            }
            assert!(!json.contains("77773"), "the seed is nobody's here");
        }
    }

    /// R-10.1, R-10.2.
    #[test]
    fn r_10_1_the_life_of_a_race() {
        use wire::{RaceEnding as Why, RaceStatus as Is};
        for (life, status, ending) in [
            (Life::Preparing, Is::Preparing, Why::Unspecified),
            (Life::Running, Is::Running, Why::Unspecified),
            (Life::Paused, Is::Paused, Why::Unspecified),
            (Life::Finished(Ending::TimeUp), Is::Finished, Why::TimeUp),
            (Life::Finished(Ending::LastTurn), Is::Finished, Why::LastTurn),
            (Life::Finished(Ending::NobodyLeft), Is::Finished, Why::NobodyLeft),
            (Life::Finished(Ending::Admin), Is::Finished, Why::Admin),
        ] {
            assert_eq!(self::life(life), (status, ending), "{life:?}");
        }
    }

    /// What its task does, for the admin and for others: why a race stands still is for the admin alone.
    #[tokio::test]
    async fn what_the_task_does() {
        use wire::RaceActivityKind as Does;
        let record = record(Origin::Here, None).await;
        let why: Arc<str> = "no space left in /disk".into();
        for (activity, kind, turn, words) in [
            (Some(Activity::Waits), Does::Waits, 0, ""),
            (Some(Activity::Settles), Does::Settles, 0, ""),
            (Some(Activity::Plays(TurnNo(2))), Does::Plays, 2, ""),
            (Some(Activity::Suspended(Arc::clone(&why))), Does::Suspended, 0, &*why),
            (Some(Activity::Stopped(Arc::clone(&why))), Does::Stopped, 0, &*why),
            (Some(Activity::Ended), Does::Rests, 0, ""),
            (None, Does::Rests, 0, ""),
        ] {
            let state = activity.map(|activity| state(activity, None, None));
            for (viewer, text) in [(Viewer::Admin, words), (Viewer::Spectator, ""), (RED, ""), (GREEN, "")] {
                let sent = race(&record, &private_race(), state.as_ref(), viewer);
                let expected = wire::RaceActivity { kind: kind.into(), turn, text: text.to_owned() };
                assert_eq!(sent.activity, Some(expected), "{viewer:?}");
            }
        }
    }

    /// R-10.1: the clock is the one that it has now, and the record's where nobody drives the race.
    #[tokio::test]
    async fn r_10_1_the_clock_of_a_race() {
        let second = Duration::from_secs(1);
        let record = record(Origin::Imported, Some(second * 60)).await;
        let all = private_race();
        let at_rest = race(&record, &all, None, Viewer::Spectator);
        assert_eq!((at_rest.turn_interval_seconds, at_rest.next_turn_at), (Some(60), None));
        let by_hand = state(Activity::Waits, None, None);
        let by_hand = race(&record, &all, Some(&by_hand), Viewer::Spectator);
        assert_eq!((by_hand.turn_interval_seconds, by_hand.next_turn_at), (None, None));
        let next = Instant::now() + second * 9;
        let on_the_clock = state(Activity::Waits, Some(second / 2), Some(next));
        let on_the_clock = race(&record, &all, Some(&on_the_clock), Viewer::Spectator);
        assert_eq!(on_the_clock.turn_interval_seconds, Some(1));
        assert!(on_the_clock.next_turn_at.is_some());

        let now = Instant::now();
        for (next, expected) in
            [(now, 5_000), (now + second * 9, 14_000), (now + Duration::from_millis(1), 5_001)]
        {
            assert_eq!(when(next, now, Moment(5_000)), Moment(expected));
        }
        assert_eq!(when(now, now + second, Moment(5_000)), Moment(5_000), "a turn that is due");
    }

    #[tokio::test]
    async fn a_race_as_it_is_sent() {
        let all = private_race();
        for (from, origin) in
            [(Origin::Here, wire::RaceOrigin::Here), (Origin::Imported, wire::RaceOrigin::Imported)]
        {
            let record = record(from, None).await;
            let expected = wire::Race {
                race_id: "gm-1".to_owned(),
                title: "Sunday".to_owned(),
                status: wire::RaceStatus::Running.into(),
                turn: 1,
                rules: Some(rules::to_wire(&all.rules)),
                rules_revision: REVISION,
                created_at: Some(prost_types::Timestamp { seconds: 1, nanos: 500_000_000 }),
                private: record.private,
                ending: wire::RaceEnding::Unspecified.into(),
                origin: origin.into(),
                turn_interval_seconds: None,
                activity: Some(wire::RaceActivity {
                    kind: wire::RaceActivityKind::Rests.into(),
                    turn: 0,
                    text: String::new(),
                }),
                next_turn_at: None,
            };
            assert_eq!(race(&record, &all, None, Viewer::Admin), expected);
        }
    }
}
