//! What is in a log and what is not, and how an entry is said.

use super::*;
use crate::journal::{Outcome, Port};
use gm_core::contract::{Answer, BaseUrl, ContentType, Fault, Found, Kind};
use gm_core::ids::{Dollars, Place, Square};
use gm_core::ports::InspectorFault;
use gm_core::race::Rules;
use gm_core::race::event::{Breach, Check, Fact};
use gm_core::race::state::Resources;
use gm_core::random::Seed;
use std::time::Duration;

const RED: TeamId = TeamId(1);
const GREEN: TeamId = TeamId(2);
const BLUE: TeamId = TeamId(3);

/// The creation of a race, and car 1 of team 1, car 2 of team 2, car 3 of team 3.
fn set_up() -> Vec<Event> {
    let rules = Rules::balanced().validated().expect("good rules");
    let (_, mut events) = Race::create(rules, Seed(1));
    for number in 1..=3 {
        let (team, name) = (TeamId(number), format!("team-{number}"));
        events.push(Event::TeamCreated { team, name, budget: Dollars(100) });
        events.push(Event::CarRegistered {
            car: CarId(number),
            team,
            instance: format!("i-{number}"),
            url: BaseUrl::parse(&format!("http://i-{number}")).expect("a URL"),
            resources: Resources::default(),
            modules: Vec::new(),
            paid: Dollars(1),
        });
    }
    events
}

/// The log of a team after the set-up, and what it has said of these events then, in words.
fn said(team: TeamId, events: &[Event]) -> Vec<String> {
    let (mut log, mut numbers) = (TeamLog::new(team), crate::journal::Numbers::default());
    for event in set_up() {
        log.event(&numbers.next(event), Moment(0));
    }
    let begins = log.last();
    let entries = events.iter().filter_map(|event| log.event(&numbers.next(event.clone()), Moment(0)));
    let said: Vec<(u64, String)> = entries
        .map(|entry| match entry.what {
            What::Event(happened) => (entry.number, happened.event.to_string()),
            What::Exchange(_) => (entry.number, "an exchange".to_owned()),
        })
        .collect();
    let numbers: Vec<u64> = said.iter().map(|(number, _)| *number).collect();
    assert!(numbers.iter().copied().eq(begins + 1..=begins + numbers.len() as u64), "{numbers:?}");
    said.into_iter().map(|(_, words)| words).collect()
}

/// R-11: each event, and in the logs of which teams it stands.
#[test]
fn r_11_which_events_are_in_a_log() {
    let (one, two) = (CarId(1), CarId(2));
    let both = [Combatant::Car(one), Combatant::Car(two)];
    let breach = Breach {
        check: Check::Inspected(Kind::Engine),
        expected: Fact::Count(3),
        found: Found::Value(Fact::Count(2)),
    };
    for (event, logs) in [
        (Event::RaceStarted, vec![RED, GREEN, BLUE]),
        (Event::TurnStarted { turn: TurnNo(1) }, vec![RED, GREEN, BLUE]),
        (Event::CarMoved { car: one, squares: 4, to: Square(4) }, vec![RED]),
        (Event::Penalised { car: two, breach }, vec![GREEN]),
        (Event::CarsMet { cars: [one, two], place: Place(4) }, vec![RED, GREEN]),
        (Event::FightDeclined { cars: [one, two], teams: [RED, GREEN], by_both: true }, vec![RED, GREEN]),
        (Event::FightStarted { cars: [one, two], willing: [true, false] }, vec![RED, GREEN]),
        (Event::DuelStarted { duellists: both, weapons: [1, 1] }, vec![RED, GREEN]),
        (
            Event::DuelStarted { duellists: [Combatant::Pirates, Combatant::Car(two)], weapons: [1, 1] },
            vec![GREEN],
        ),
        (Event::FightWon { car: one, against: both[1], weapons: 1, other_weapons: 1 }, vec![RED, GREEN]),
        (Event::FightWon { car: one, against: Combatant::Pirates, weapons: 1, other_weapons: 1 }, vec![RED]),
        (Event::FightLost { car: two, against: both[0] }, vec![RED, GREEN]),
        (Event::FightDrawn { combatants: both }, vec![RED, GREEN]),
        (Event::BudgetGranted { team: BLUE, dollars: Dollars(5) }, vec![BLUE]),
        (Event::ComplaintFiled { number: 1, team: BLUE, turn: TurnNo(0), text: "no".to_owned() }, vec![BLUE]),
        (Event::EncounterDeclared { encounter: gm_core::race::state::Encounter::Garage, cars: None }, vec![]),
        (Event::OddsSet { odds: Rules::balanced().encounters }, vec![]),
    ] {
        let has = |team: &TeamId| !said(*team, std::slice::from_ref(&event)).is_empty();
        assert_eq!([RED, GREEN, BLUE].into_iter().filter(has).collect::<Vec<_>>(), logs, "{event}");
    }
}

/// R-11: of what concerns all, a team reads what spectators read; of its own, everything.
#[test]
fn r_11_what_of_an_event_is_in_a_log() {
    let mut log = TeamLog::new(GREEN);
    let mut numbers = crate::journal::Numbers::default();
    let entries: Vec<String> = set_up()
        .into_iter()
        .filter_map(|event| log.event(&numbers.next(event), Moment(0)))
        .map(|entry| entry.to_string())
        .collect();
    assert_eq!(
        entries,
        [
            "#1  turn 0  race created on 300 squares under revision 1 of the rules",
            "#2  turn 0  team 2 \"team-2\" enters with $100",
            "#3  turn 0  car 2 \"i-2\" of team 2 is registered with 0 engines, 0 pilots, 0 weapons for $1",
        ]
    );
}

fn exchange(outcome: Outcome) -> Exchange {
    Exchange {
        chain: "t3-track-c1".to_owned(),
        port: Port::Car,
        number: 2,
        turn: TurnNo(3),
        team: Some(RED),
        car: Some(CarId(1)),
        request: "POST http://car/engine\n{\"name\":\"e\"}".to_owned(),
        outcome,
        deviations: Vec::new(),
        latency: Duration::from_micros(4_900),
        at: Moment(5),
    }
}

fn answer(body: &[u8]) -> Outcome {
    Outcome::Answer(Answer { status: 200, content_type: ContentType::Json, body: body.to_vec() })
}

#[test]
fn an_exchange_stands_in_one_log() {
    for (team, logs) in [(Some(RED), [true, false]), (Some(GREEN), [false, true]), (None, [false, false])] {
        let exchange = Exchange { team, ..exchange(answer(b"")) };
        let has = |team| TeamLog::new(team).exchange(&exchange).is_some();
        assert_eq!([has(RED), has(GREEN)], logs, "{team:?}");
    }
}

/// What came of an exchange, as a line and for programs.
#[test]
fn how_an_exchange_is_said() {
    let url = BaseUrl::parse("http://red-1").expect("a URL");
    let long = vec![b'x'; entry::MOST_SHOWN + 1];
    for (outcome, line, json) in [
        (
            answer(b"{\"res\":2}"),
            "200 {\"res\":2}".to_owned(),
            r#""answer":{"body":{"text":"{\"res\":2}"},"content_type":"json","status":200}"#.to_owned(),
        ),
        (
            answer(b""),
            "200".to_owned(),
            r#""answer":{"body":{"text":""},"content_type":"json","status":200}"#.to_owned(),
        ),
        (
            answer(b"\xff\0\x1b"),
            "200 hex ff001b".to_owned(),
            r#""answer":{"body":{"hex":"ff001b"},"content_type":"json","status":200}"#.to_owned(),
        ),
        (
            answer("a\n\u{1b}[2Jb\u{7f}\n".as_bytes()),
            "200 a \\u{1b}[2Jb\\u{7f}".to_owned(),
            "\"answer\":{\"body\":{\"text\":\"a\\n\\u001b[2Jb\u{7f}\\n\"},\"content_type\":\"json\",\"status\":200}"
                .to_owned(),
        ),
        (
            answer(&long),
            format!("200 {}… (4097 bytes)", "x".repeat(entry::MOST_IN_A_LINE)),
            format!(
                r#""answer":{{"body":{{"bytes":4097,"text":"{}"}},"content_type":"json","status":200}}"#,
                "x".repeat(entry::MOST_SHOWN)
            ),
        ),
        (
            Outcome::Fault(Fault::Late),
            "no answer within the deadline".to_owned(),
            r#""fault":"no answer within the deadline""#.to_owned(),
        ),
        (
            Outcome::Names(vec!["a".to_owned()]),
            "found [\"a\"]".to_owned(),
            r#""found":{"text":"[\"a\"]"}"#.to_owned(),
        ),
        (Outcome::Number(7), "found 7".to_owned(), r#""found":{"text":"7"}"#.to_owned()),
        (
            Outcome::NotInspected(InspectorFault::Denied),
            InspectorFault::Denied.to_string(),
            format!(r#""fault":"{}""#, InspectorFault::Denied),
        ),
        (
            Outcome::Address(Some(url)),
            "found http://red-1".to_owned(),
            r#""found":{"text":"http://red-1"}"#.to_owned(),
        ),
        (
            Outcome::Address(None),
            "nobody knows this instance".to_owned(),
            r#""fault":"nobody knows this instance""#.to_owned(),
        ),
        (
            Outcome::TimeIsUp(None),
            "the time is up".to_owned(),
            r#""fault":"the time is up""#.to_owned(),
        ),
    ] {
        let entry = TeamLog::new(RED).exchange(&exchange(outcome)).expect("it is the team's own");
        let before = "#1  turn 3  car 1  POST http://car/engine {\"name\":\"e\"}: ";
        assert_eq!(entry.to_string(), format!("{before}{line} in 4 ms"));
        let text = entry.to_json().to_string();
        assert!(text.contains(&json), "{json}\nis not in\n{text}");
    }
}

#[test]
fn what_was_accepted_is_said() {
    let deviations = vec!["a number as text".to_owned(), "one \u{7} more".to_owned()];
    let exchange = Exchange { deviations, car: None, ..exchange(answer(b"1")) };
    let entry = TeamLog::new(RED).exchange(&exchange).expect("it is the team's own");
    assert_eq!(
        entry.to_string(),
        "#1  turn 3  POST http://car/engine {\"name\":\"e\"}: 200 1 in 4 ms; accepted a number as text, one \\u{7} more"
    );
    assert_eq!(entry.to_json()["exchange"]["deviations"][0], "a number as text");
}

/// What is cut is cut between characters.
#[test]
fn what_is_shown_is_bounded() {
    let most = entry::MOST_SHOWN;
    for (bytes, shown, is_cut) in [
        ("x".repeat(most).into_bytes(), most, false),
        ("x".repeat(most + 1).into_bytes(), most, true),
        (format!("{}é", "x".repeat(most - 1)).into_bytes(), most - 1, true),
        (vec![0xff; most], most, false),
        (vec![0xff; most + 1], most, true),
    ] {
        let all = bytes.len();
        let what = Shown::of(&bytes);
        let length = match &what {
            Shown::Text { text, .. } => text.len(),
            Shown::Hex { hex, .. } => hex.len() / 2,
        };
        assert_eq!((length, what.bytes(), what.is_cut()), (shown, all, is_cut));
    }
}

/// R-7.1: a penalty with what was expected and found.
#[test]
fn r_7_1_expected_and_found() {
    use gm_core::contract::CarRequest;
    let count = CarRequest::Count(Kind::Engine);
    for (check, fact, found, words) in [
        (Check::Asked(count.clone()), Fact::Count(3), Found::Value(Fact::Count(2)), ["3", "2"]),
        (
            Check::Asked(count.clone()),
            Fact::AnAnswer,
            Found::Fault(Fault::Late),
            ["a valid answer", "no answer within the deadline"],
        ),
        (
            Check::Asked(count.clone()),
            Fact::AnAnswer,
            Found::Fault(Fault::NotJson),
            [count.wanted(), "the answer was not JSON"],
        ),
    ] {
        let breach = Breach { check, expected: fact, found };
        let mut log = TeamLog::new(RED);
        let mut numbers = crate::journal::Numbers::default();
        for event in set_up() {
            log.event(&numbers.next(event), Moment(0));
        }
        let penalty = numbers.next(Event::Penalised { car: CarId(1), breach });
        let json = log.event(&penalty, Moment(9)).expect("it is the team's own").to_json();
        assert_eq!([&json["event"]["expected"], &json["event"]["found"]], words);
        assert_eq!((&json["at"], &json["event"]["what"]["event"]), (&9.into(), &"penalised".into()));
    }
}
