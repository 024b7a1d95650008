//! What was stored once is read for ever, and written as it was.
//!
//! The fixtures were written by the first gm that had this form. They are not made anew: a line that can't be read
//! any more is a journal that can't be read any more. What the rules come to know later goes into fixtures of the
//! version that stores it.

mod damage;
mod every;

use super::{
    FORMAT, Unreadable, read_arrivals, read_event, read_rules, write_arrivals, write_event, write_rules,
};
use futures_util::FutureExt;
use gm_core::contract::{Answer, BaseUrl, CarRequest, Fault, Kind};
use gm_core::ids::{CarId, CommandNo, Dollars, Place, Points, Square, TeamId, TurnNo};
use gm_core::memory::{MemoryCar, MemoryWorld};
use gm_core::race::command::{
    Application, Arrival, CarCorrection, Command, NewStanding, TeamCorrection, decide,
};
use gm_core::race::event::Achievement;
use gm_core::race::rules::{EncounterOdds, Spoils};
use gm_core::race::scoring::standings;
use gm_core::race::state::{
    BonusEffect, BonusId, BonusPlan, Encounter, Ending, Life, Module, Often, Transfer,
};
use gm_core::race::{Event, Race, Rules, turn};
use gm_core::random::Seed;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

const EVENTS: &str = include_str!("../../../tests/fixtures/stored-v1/events.jsonl");
const COMMANDS: &str = include_str!("../../../tests/fixtures/stored-v1/commands.jsonl");
const RULES: &str = include_str!("../../../tests/fixtures/stored-v1/rules.jsonl");
const MINDS: &str = include_str!("../../../tests/fixtures/stored-v1/minds.jsonl");
const RACE: &str = include_str!("../../../tests/fixtures/stored-v1/race.jsonl");

/// Every line of the fixture is what is written for its value, and the other way round. The rules' own serde says
/// the same today.
#[track_caller]
fn check<T: PartialEq + Debug + Serialize + DeserializeOwned>(
    fixture: &str,
    values: &[T],
    write: impl Fn(&T) -> String,
    read: impl Fn(u32, &str) -> Result<T, Unreadable>,
) {
    for (value, line) in values.iter().zip(fixture.lines()) {
        assert_eq!(write(value), line);
        assert_eq!(read(1, line).as_ref(), Ok(value), "{line}");
        assert_eq!(serde_json::to_string(value).expect("JSON"), line);
        assert_eq!(&serde_json::from_str::<T>(line).expect(line), value);
    }
    assert_eq!(values.len(), fixture.lines().count(), "a line for each value");
}

#[test]
fn every_event_is_stored_as_ever() {
    check(EVENTS, &every::events(), write_event, read_event);
}

#[test]
fn every_command_is_stored_as_ever() {
    check(COMMANDS, &every::inboxes(), |inbox| write_arrivals(inbox), read_arrivals);
}

#[test]
fn rules_are_stored_as_ever() {
    check(RULES, &every::rules(), write_rules, read_rules);
}

/// R-5.1: each mind that pirates can have. These came later than the other fixtures, but for `reference`, which is what
/// careful pirates were first called, and is stored so for ever.
#[test]
fn r_5_1_the_minds_of_pirates_are_stored_as_ever() {
    check(MINDS, &every::rules_of_minds(), write_rules, read_rules);
    let names = ["random", "greedy", "reference", "search"];
    for (name, line) in names.into_iter().zip(MINDS.lines()) {
        assert!(line.contains(&format!(r#""mind":"{name}""#)), "{name} is not in {line}");
    }
    assert_eq!(MINDS.lines().nth(2), RULES.lines().next(), "what was stored before is written as it was");
}

/// Reads the events of a text, one on each line.
fn events_of(text: &str) -> Vec<Event> {
    text.lines().map(|line| read_event(1, line).expect(line)).collect()
}

/// The places of a race: rank, team, points, squares driven, fights won.
fn places(race: &Race) -> Vec<(u32, u32, i64, u64, u64)> {
    let places = standings(race).into_iter();
    places.map(|it| (it.rank, it.team.0, it.points.0, it.distance, it.fights_won)).collect()
}

/// A whole race that an early gm has played and stored.
#[test]
fn an_old_race_is_read_as_it_ended() {
    let events = events_of(RACE);
    let race = Race::from_events(&events).expect("it begins with its creation");
    assert_eq!((race.turn, race.life), (TurnNo(8), Life::Finished(Ending::LastTurn)));
    assert_eq!(places(&race), [(1, 3, 55, 20, 6), (2, 1, 51, 65, 3), (3, 2, 48, 22, 6)]);
    assert_eq!(race.broken_invariant(), None);
    let written: String = events.iter().map(|event| write_event(event) + "\n").collect();
    assert_eq!(written, RACE);
}

/// A race as it is played now leaves nothing that can't be stored.
#[test]
fn a_race_of_today_is_stored_and_read_back() {
    let (events, inboxes) = play();
    let stored: String = events.iter().map(|event| write_event(event) + "\n").collect();
    assert_eq!(events_of(&stored), events);
    for inbox in inboxes {
        assert_eq!(read_arrivals(FORMAT, &write_arrivals(&inbox)), Ok(inbox));
    }
}

/// What people ask for in the race: before it, and between which turns.
fn asked() -> Vec<(u32, Command)> {
    let register = |team, name: &str| {
        let url = BaseUrl::parse(&format!("http://{name}.example")).expect("a URL");
        Command::Register(Application { team: TeamId(team), instance: name.to_owned(), url: Some(url) })
    };
    let correction = |car, standing| CarCorrection {
        car: CarId(car),
        reason: "the camera saw it".to_owned(),
        square: Some(Square(20)),
        turns_to_miss: Some(0),
        modules: None,
        standing,
    };
    let declare = |encounter, cars| Command::Declare { encounter, cars };
    let spare = Module { kind: Kind::Weapon, name: "weapon-2".to_owned() };
    vec![
        (0, Command::CreateTeam { name: "Red".to_owned(), budget: None }),
        (0, Command::CreateTeam { name: "Green".to_owned(), budget: Some(Dollars(60)) }),
        (0, Command::CreateTeam { name: "Blue \"1\"".to_owned(), budget: None }),
        (0, register(1, "a")),
        (0, register(1, "b")),
        (0, register(2, "c")),
        (0, register(3, "none")),
        (0, register(3, "d")),
        (0, Command::Grant { team: TeamId(3), dollars: Dollars(25) }),
        (0, Command::Start),
        (1, declare(Encounter::Garage, None)),
        (1, Command::CorrectCar(correction(1, None))),
        (1, Command::CorrectCar(correction(2, None))),
        (1, Command::Transfer(Transfer { team: TeamId(1), module: spare, from: CarId(1), to: CarId(2) })),
        (2, declare(Encounter::Minefield, Some(vec![CarId(1), CarId(3)]))),
        (2, Command::Complain { team: TeamId(2), turn: TurnNo(1), text: "that was my square".to_owned() }),
        (3, Command::AnswerComplaint { number: 1, text: "it was not".to_owned() }),
        (3, Command::CorrectCar(correction(4, None))),
        (3, Command::CorrectCar(CarCorrection { square: None, ..correction(2, Some(NewStanding::Retired)) })),
        (3, declare(Encounter::Wreck, None)),
        (4, Command::CorrectCar(correction(2, Some(NewStanding::Reinstated)))),
        (4, Command::PublishHint { achievement: Achievement::MadMax, text: "arr".to_owned() }),
        (4, declare(Encounter::Pirates, None)),
        (5, Command::Reveal { achievement: Achievement::MadMax }),
        (5, Command::Award { team: TeamId(2), achievement: Achievement::AceDriver }),
        (5, Command::RemoveBonus(BonusId(1))),
        (5, Command::Pause),
        (5, Command::Resume),
        (6, Command::SetOdds(EncounterOdds { nothing: 0, pirates: 0, garage: 0, wreck: 100, minefield: 0 })),
        (
            6,
            Command::CorrectTeam(TeamCorrection {
                team: TeamId(1),
                reason: "for the paint".to_owned(),
                budget: Some(Dollars(3)),
                points: Points(-2),
            }),
        ),
    ]
}

/// Plays a race of eight turns in memory, in which cars fight, lie, break and are corrected.
fn play() -> (Vec<Event>, Vec<Vec<Arrival>>) {
    let bonus =
        |place, effect| BonusPlan { place: Place(place), effect, often: Often::Always, hidden: false };
    let rules = Rules {
        track_length: 12,
        combat_range: 3,
        encounters: EncounterOdds { nothing: 20, pirates: 20, garage: 20, wreck: 20, minefield: 20 },
        spot_check_percent: 50,
        spoils: Spoils::WinnerTakes,
        transfers: true,
        max_turns: Some(8),
        bonuses: vec![bonus(11, BonusEffect::MissTurn), bonus(4, BonusEffect::Advance(2))],
        random_bonuses: 3,
        ..Rules::balanced()
    };
    let (mut race, mut events) = Race::create(rules.validated().expect("rules"), Seed(12));
    let world = MemoryWorld::default();
    let fighter = |name: &str, engines, weapons| MemoryCar {
        fights: true,
        crosses_mines: true,
        buys: Some(Kind::Engine),
        ..MemoryCar::new(name, engines, 2, weapons)
    };
    world.park("http://a.example", fighter("a", 4, 3));
    world.park("http://b.example", MemoryCar { duel_url: None, ..fighter("b", 4, 2) });
    world.park("http://c.example", MemoryCar::new("c", 4, 1, 3));
    // It says another number of engines in every other answer, as text, and can't be reached at the garage.
    let mut answers = 0_u32;
    let liar = fighter("d", 3, 2).scripted(move |request, _| match request {
        CarRequest::Count(Kind::Weapon) => Some(Ok(Answer::ok(r#""2""#))),
        CarRequest::Count(Kind::Engine) => {
            answers += 1;
            answers.is_multiple_of(2).then(|| Ok(Answer::ok(r#"{"res": 7}"#)))
        }
        CarRequest::Garage(_) => Some(Err(Fault::Late)),
        _ => None,
    });
    world.park("http://d.example", liar);

    let mut inboxes = Vec::new();
    let mut asked = asked().into_iter().zip((1..).map(CommandNo)).peekable();
    for now in 0..8 {
        let mut inbox = Vec::new();
        while let Some(((_, command), no)) = asked.next_if(|((when, _), _)| *when == now) {
            inbox.push(Arrival { no, command });
        }
        let mut happened = Vec::new();
        if now == 0 {
            for arrival in &inbox {
                let decided =
                    decide(&race, &world, arrival.clone()).now_or_never().expect("memory does not wait");
                let decided = decided.expect("it is not refused");
                decided.iter().for_each(|event| race.apply(event));
                happened.extend(decided);
            }
        }
        let arrived: &[Arrival] = if now == 0 { &[] } else { &inbox };
        let played = turn::play(&race, &world, arrived).now_or_never().expect("memory does not wait");
        let played = played.expect("the race runs");
        assert!(played.settled.iter().all(Result::is_ok), "{:?}", played.settled);
        played.events.iter().for_each(|event| race.apply(event));
        happened.extend(played.events);
        events.extend(happened);
        inboxes.push(inbox);
    }
    (events, inboxes)
}
