//! A recorded race is changed in one place at a time: the auditor must find it.
//!
//! ```text
//! {"event":"car_moved","car":3,"squares":4,"to":12} → {"event":"car_moved","car":3,"squares":5,"to":12}: found
//! ```
//!
//! Every number, boolean, word and list of every event is changed, and every event is left out, doubled, and put behind
//! the next one. The numbers of what follows are put right, so that only the rules can tell. What nobody could know is
//! listed here, with the reason.

use race_auditor::{Auditor, Odds, Tally};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const RACE: &str = include_str!("../../../gm-grpc/tests/fixtures/race-revision-1.jsonl");

/// What can't be known from a record: the event, the field, why.
const UNKNOWABLE: &[(&str, &str, &str)] = &[
    ("bonus_placed", ".plan.effect", "it was drawn, and nobody ever took it"),
    ("bonus_placed", ".plan.effect.advance", "it was drawn, and nobody ever took it"),
    ("bonus_placed", ".plan.effect.back", "it was drawn, and nobody ever took it"),
    ("bonus_placed", ".plan.place", "it was drawn, and nobody ever was on the old or the new place"),
    ("duel_played", ".transcript.dealt[][]", "it was dealt, and neither shown to an AI nor laid down"),
    ("duel_played", ".transcript.turns[].drew[]", "it was drawn, and neither shown to an AI nor laid down"),
];

/// Words of which one can stand where another does.
const WORDS: &[&[&str]] = &[
    &["engine", "pilot", "weapon"],
    &["white", "black"],
    &["nothing", "pirates", "wreck", "minefield", "garage"],
    &["wreck", "garage", "spoils", "transfer", "bonus"],
    &["fight", "pirates", "minefield", "snakes", "transfer"],
    &["nothing", "snakes"],
    &["out_of_fuel", "destroyed", "no_pilot"],
    &["time_up", "last_turn", "nobody_left", "admin"],
    &["hit", "no_card_left", "stuck", "empty_pile", "out_of_time"],
    &["unreachable", "late", "broken", "too_large", "not_json", "not_the_value"],
    &["once", "once_per_team", "always"],
    &["miss_turn", "clear_misses"],
    &["no_envelope", "number_as_text", "unknown_fields"],
    &["car_with_most_fights_won", "most_fights_won", "furthest_car", "greatest_distance"],
    &[
        "lightning",
        "armed_to_the_teeth",
        "strategist",
        "mad_max",
        "pacifist",
        "click_click",
        "ulysses_31",
        "out_of_fuel",
        "ace_driver",
        "recycler",
        "snakes_on_a_car",
        "pimp_my_ride",
        "scrooge",
    ],
];

/// Names of fields of which one can stand where another does, alone in its object.
const FIELDS: &[&[&str]] = &[&["dollars", "points", "advance", "back"], &["count", "square"]];

/// A decision with the lines that belong to it.
struct Decision {
    line: Value,
    exchanges: Vec<String>,
    events: Vec<Value>,
}

/// Simulated races on which most of what can happen does: `simulate --race-seed NUMBER --turns 8 --out NUMBER.jsonl`.
const SIMULATED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/races");

/// One of so many changes of a simulated race is tried.
const EVERY: usize = 1;

/// What need not be found in a simulated race.
const HARMLESS: [&str; 4] = [
    "registration_refused.reasons swapped",
    "pirates_attacked.weapons",
    "deviations_accepted behind the next one",
    // Cards that are drawn together are drawn in no order.
    "duel_played.transcript.turns[].drew swapped",
];

/// The simulated races, each with its name.
fn simulated() -> Vec<(String, String)> {
    let files = fs::read_dir(SIMULATED).expect("the races are there");
    let mut races: Vec<(String, String)> = files
        .map(|file| {
            let path = file.expect("a file").path();
            (path.display().to_string(), fs::read_to_string(&path).expect("a race"))
        })
        .collect();
    races.sort();
    races
}

/// The race: the first line, the decisions, the last line.
fn race(text: &str) -> (String, Vec<Decision>, Value) {
    let mut lines = text.lines();
    let first = lines.next().expect("the race comes first").to_owned();
    let mut decisions: Vec<Decision> = Vec::new();
    let mut end = Value::Null;
    for line in lines {
        let value: Value = serde_json::from_str(line).expect("the fixture is JSON");
        match value["record"].as_str() {
            Some("decision") => {
                decisions.push(Decision { line: value, exchanges: Vec::new(), events: Vec::new() });
            }
            Some("exchange") => {
                decisions.last_mut().expect("it belongs to a decision").exchanges.push(line.to_owned());
            }
            Some("event") => decisions.last_mut().expect("it belongs to a decision").events.push(value),
            _ => end = value,
        }
    }
    (first, decisions, end)
}

/// A value, changed in one place; the path to the place.
fn changes(value: &Value, path: &str) -> Vec<(String, Value)> {
    let here = |value| (path.to_owned(), value);
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(0) => vec![here(json!(1))],
            Some(number) => vec![here(json!(number + 1)), here(json!(number - 1))],
            None => vec![here(json!(7))],
        },
        Value::Bool(yes) => vec![here(json!(!yes))],
        Value::Null => Vec::new(),
        Value::String(text) => {
            let others: BTreeSet<&str> = WORDS
                .iter()
                .filter(|words| words.contains(&text.as_str()))
                .flat_map(|words| words.iter().copied())
                .filter(|word| word != text)
                .collect();
            if others.is_empty() {
                return vec![here(json!(format!("{text}x")))];
            }
            others.into_iter().map(|word| here(json!(word))).collect()
        }
        Value::Array(items) => {
            let mut changed = Vec::new();
            if let Some((last, rest)) = items.split_last() {
                changed.push(here(json!(rest)));
                changed.push(here(json!(items.iter().chain([last]).collect::<Vec<_>>())));
            }
            for at in 1..items.len() {
                let mut swapped = items.clone();
                swapped.swap(at - 1, at);
                changed.push((format!("{path} swapped"), Value::Array(swapped)));
            }
            for (at, item) in items.iter().enumerate() {
                for (path, item) in changes(item, &format!("{path}[]")) {
                    let mut items = items.clone();
                    items[at] = item;
                    changed.push((path, Value::Array(items)));
                }
            }
            changed.retain(|(_, it)| it != value);
            changed
        }
        Value::Object(members) => {
            let mut changed = Vec::new();
            for (name, member) in members {
                if name == "event" || name == "rules" {
                    continue;
                }
                for (path, member) in changes(member, &format!("{path}.{name}")) {
                    let mut members = members.clone();
                    members.insert(name.clone(), member);
                    changed.push((path, Value::Object(members)));
                }
                if members.len() == 1 {
                    let others =
                        FIELDS.iter().filter(|names| names.contains(&name.as_str())).copied().flatten();
                    for other in others.filter(|other| *other != name) {
                        changed.push((format!("{path}.{name}"), json!({ *other: member })));
                    }
                }
            }
            changed
        }
    }
}

/// What stands instead of an event and the one behind it: what was changed, the events, how many of the old they replace.
type Change = (String, Vec<Value>, usize);

/// Every change that begins with the event at a place.
fn tampered(events: &[Value], at: usize) -> Vec<Change> {
    let event = &events[at];
    let kind = event["body"]["event"].as_str().expect("an event has a name");
    let mut all: Vec<Change> = changes(&event["body"], "")
        .into_iter()
        .map(|(path, body)| {
            let mut event = event.clone();
            event["body"] = body;
            (format!("{kind}{path}"), vec![event], 1)
        })
        .collect();
    all.push((format!("{kind} left out"), Vec::new(), 1));
    all.push((format!("{kind} doubled"), vec![event.clone(), event.clone()], 1));
    if let Some(next) = events.get(at + 1)
        && next["body"] != event["body"]
    {
        all.push((format!("{kind} behind the next one"), vec![next.clone(), event.clone()], 2));
    }
    all
}

/// The event as a line, with another number.
fn numbered(event: &Value, seq: u64) -> String {
    let mut event = event.clone();
    event["seq"] = json!(seq);
    event.to_string()
}

/// An auditor that was told of a decision with so many events, up to its exchanges, and whether it found anything.
fn opened(auditor: &Auditor, decision: &Decision, seq: u64, events: usize) -> (Auditor, bool) {
    let mut auditor = auditor.clone();
    let mut line = decision.line.clone();
    line["events"] = json!(events);
    line["last_seq"] = json!(seq + events as u64);
    let mut found = !auditor.line(&line.to_string()).is_empty();
    for exchange in &decision.exchanges {
        found |= !auditor.line(exchange).is_empty();
    }
    (auditor, found)
}

/// Whether anything is found in what follows.
fn is_found_later(mut auditor: Auditor, decisions: &[Decision], end: &Value, mut seq: u64) -> bool {
    for decision in decisions {
        let found;
        (auditor, found) = opened(&auditor, decision, seq, decision.events.len());
        if found {
            return true;
        }
        for event in &decision.events {
            seq += 1;
            if !auditor.line(&numbered(event, seq)).is_empty() {
                return true;
            }
        }
    }
    let mut end = end.clone();
    end["events"] = json!(seq);
    !auditor.line(&end.to_string()).is_empty() || !auditor.finish().findings.is_empty()
}

/// Changes a race in one place at a time, as often as one of `every`. How many changes were tried; which were not found,
/// how often, and an example.
fn tampering(text: &str, every: usize) -> (usize, BTreeMap<String, (u32, String)>) {
    let (first, decisions, end) = race(text);
    let mut before = Auditor::new();
    assert_eq!(before.line(&first), [], "the race itself is clean");
    assert!(!is_found_later(before.clone(), &decisions, &end, 0), "the race as it was recorded is clean");
    let mut seq = 0;
    let (mut tried, mut missed) = (0_usize, BTreeMap::<String, (u32, String)>::new());
    for (decision, later) in decisions.iter().zip(1..) {
        let count = decision.events.len();
        // One for each number of events that it can have then.
        let mut open =
            [count.saturating_sub(1), count, count + 1].map(|events| opened(&before, decision, seq, events));
        for at in 0..count {
            for (what, instead, replaced) in tampered(&decision.events, at) {
                tried += 1;
                if tried % every != 0 {
                    continue;
                }
                let (mut auditor, mut found) = open[(1 + instead.len()) - replaced].clone();
                let rest = instead.iter().chain(&decision.events[at + replaced..]);
                let mut last = seq + at as u64;
                for event in rest {
                    last += 1;
                    found |= !auditor.line(&numbered(event, last)).is_empty();
                }
                if !found && !is_found_later(auditor, &decisions[later..], &end, last) {
                    let example = instead.first().map_or(String::new(), |event| event["body"].to_string());
                    missed.entry(what).or_insert((0, example)).0 += 1;
                }
            }
            for (auditor, found) in &mut open {
                *found |= !auditor.line(&numbered(&decision.events[at], seq + at as u64 + 1)).is_empty();
            }
        }
        let [_, (next, _), _] = open;
        before = next;
        seq += count as u64;
    }
    (tried / every, missed)
}

/// What can't be known, as it is named where it is missed.
fn unknowable() -> BTreeSet<String> {
    UNKNOWABLE.iter().map(|(event, field, _)| format!("{event}{field}")).collect()
}

#[test]
fn every_change_of_a_recorded_race_is_found() {
    let (tried, missed) = tampering(RACE, 1);
    assert!(tried > 5000, "{tried} changes are too few to mean anything");
    let found: BTreeSet<String> = missed.keys().cloned().collect();
    assert_eq!(found, unknowable(), "what is not found is what can't be known: {missed:#?}");
}

#[test]
fn changes_of_simulated_races_are_found() {
    let mut all = 0;
    for (name, text) in simulated() {
        let (tried, mut missed) = tampering(&text, EVERY);
        missed.retain(|what, _| {
            // Of whatever effect a bonus is: nobody ever took it. Reasons may come in any order. How many weapons pirates
            // had: the car had none, so that there was no duel. What was tolerated may be told later than it could have been.
            let is_harmless =
                what.starts_with("bonus_placed.plan.effect") || HARMLESS.contains(&what.as_str());
            !unknowable().contains(what) && !is_harmless
        });
        assert!(missed.is_empty(), "{name}, {tried} changes: {missed:#?}");
        all += tried;
    }
    assert!(all > 500, "{all} changes are too few to mean anything");
}

/// What is right is not found fault with, whatever happens in a race.
#[test]
fn simulated_races_are_clean() {
    let mut happened = BTreeSet::new();
    for (name, text) in simulated() {
        let audited = race_auditor::audit(text.as_bytes()).expect("it is read from memory");
        assert_eq!(audited.findings, [], "{name}");
        let (_, decisions, _) = race(&text);
        let events = decisions.iter().flat_map(|decision| &decision.events);
        happened.extend(events.map(|event| event["body"]["event"].to_string()));
    }
    assert!(happened.len() > 45, "on them happens: {happened:?}");
}

/// A whole file at once: what was found in it, and what it held.
#[test]
fn a_file_is_audited_as_its_lines_are() {
    let clean = race_auditor::audit(RACE.as_bytes()).expect("it is read from memory");
    assert_eq!(clean.findings, []);
    let events = RACE.lines().filter(|line| line.starts_with(r#"{"record":"event""#)).count();
    assert_eq!(clean.events, events as u64);
    assert!(clean.turns > 0 && !clean.tally.odds().is_empty());
    let changed = RACE.replacen(r#""event":"car_moved""#, r#""event":"car_flown""#, 1);
    let findings = race_auditor::audit(changed.as_bytes()).expect("it is read from memory").findings;
    assert!(findings.iter().any(|finding| finding.rule == "format"), "{findings:?}");
}

/// What is no export at all is said to be none, and not once for each of its lines without end.
#[test]
fn what_is_no_export_is_said_so_often_and_no_more() {
    let lines = "what is this?\n".repeat(10_000);
    let findings = race_auditor::audit(lines.as_bytes()).expect("it is read from memory").findings;
    assert_eq!(findings.len(), 201, "the first 200, and that there is no race");
    assert_eq!(
        findings[0].to_string(),
        "line 1, turn 0, format: not JSON: expected value at line 1 column 1"
    );
    let garbled = format!("{RACE}{}", "what is this?\n".repeat(10_000));
    let findings = race_auditor::audit(garbled.as_bytes()).expect("it is read from memory").findings;
    assert_eq!(findings.len(), 200, "behind a race");
    let nothing = race_auditor::audit(&b""[..]).expect("it is read from memory").findings;
    assert_eq!(nothing.len(), 1, "{nothing:?}");
}

/// What is wrong in a decision is said with the last line of it, so that a race can be stopped there.
#[test]
fn a_finding_comes_with_the_last_line_of_its_decision() {
    let lines: Vec<String> =
        RACE.lines().map(|line| line.replacen(r#""squares":4"#, r#""squares":5"#, 1)).collect();
    let changed =
        lines.iter().zip(RACE.lines()).position(|(line, was)| line != was).expect("a car moves by 4");
    let of_decision = |line: &&String| line.starts_with(r#"{"record":"decision""#);
    let next =
        changed + lines[changed..].iter().position(|line| of_decision(&line)).expect("a decision follows");
    let mut auditor = Auditor::new();
    for (at, line) in lines.iter().enumerate().take(next) {
        let findings = auditor.line(line);
        assert_eq!(findings.is_empty(), at + 1 < next, "line {}: {findings:?}", at + 1);
    }
}

/// Everything that is drawn is counted, so that it can be held against its odds.
#[test]
fn what_is_drawn_is_counted() {
    let mut tally = Tally::default();
    for (_, text) in simulated() {
        tally.merge(&race_auditor::audit(text.as_bytes()).expect("it is read from memory").tally);
    }
    let mut counted = BTreeSet::new();
    for Odds { rule, name, cells, .. } in tally.odds() {
        let (came, should): (Vec<u64>, Vec<f64>) =
            cells.iter().map(|(_, came, should)| (*came, *should)).unzip();
        let (came, should) = (came.iter().sum::<u64>(), should.iter().sum::<f64>());
        assert!(came > 0 && (should - came as f64).abs() < 1e-6, "{name} came {came} times, not {should}");
        let name = name.split(',').next().unwrap_or_default();
        let name = name.trim_end_matches(|end: char| end.is_ascii_digit() || end == ' ');
        counted.insert(format!("{rule} {name}"));
    }
    let expected = [
        "R-12.1 dollars of a random bonus",
        "R-12.1 effect of a random bonus",
        "R-12.1 place of a random bonus",
        "R-12.1 points of a random bonus",
        "R-12.1 squares back of a random bonus",
        "R-12.1 squares on of a random bonus",
        "R-3.0 priority of car",
        "R-3.3 encounter",
        "R-3.3 encounter of a car that misses the turn",
        "R-3.4 spot check",
        "R-5.1 weapons of pirates",
        "R-5.2 find in a wreck",
        "R-5.3 damage in a minefield",
        "R-6.1 card dealt",
        "R-6.1 card drawn",
        "R-6.1 first player",
        "R-7.3 module lost",
    ];
    assert_eq!(counted, expected.map(ToOwned::to_owned).into());
}

/// What a line says beside what happened: its number, its turn, whose it is, its format.
#[test]
fn what_lines_say_of_themselves_is_checked() {
    // When it was, nobody can know.
    const TIMES: [&str; 6] = ["at", "begun_at", "committed_at", "created_at", "latency_us", "ran_ms"];
    let lines: Vec<&str> = RACE.lines().collect();
    let mut before = Auditor::new();
    let mut tried = BTreeSet::new();
    for (at, text) in lines.iter().enumerate() {
        let line: Value = serde_json::from_str(text).expect("JSON");
        let record = line["record"].as_str().expect("a record").to_owned();
        for (field, value) in line.as_object().expect("an object") {
            let Some(number) = value.as_u64().filter(|_| !TIMES.contains(&field.as_str())) else { continue };
            // Each of some hundred lines of a kind would say the same.
            if !tried.insert((record.clone(), field.clone())) && at > 100 {
                continue;
            }
            let mut changed = line.clone();
            changed[field] = json!(number + 1);
            let mut auditor = before.clone();
            let found = !auditor.line(&changed.to_string()).is_empty()
                || lines[at + 1..].iter().any(|line| !auditor.line(line).is_empty())
                || !auditor.finish().findings.is_empty();
            assert!(found, "line {}, {record}: {field} is {}", at + 1, number + 1);
        }
        assert_eq!(before.line(text), [], "line {}", at + 1);
    }
    let fields: Vec<String> = tried.iter().map(|(record, field)| format!("{record}.{field}")).collect();
    assert!(fields.len() > 12, "{fields:?}");
}
