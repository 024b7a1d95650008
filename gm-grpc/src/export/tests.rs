//! Exports as a whole: what is written is read again, and what was changed on its way is found.

use super::chain::Chain;
use super::*;
use crate::journal::{Outcome, Port};
use gm_core::arena::Seat;
use gm_core::contract::{Answer, BaseUrl, ContentType, Fault};
use gm_core::ids::{CarId, TeamId};
use gm_core::ports::InspectorFault;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader, Read};

/// The export of [`small_race`], as the first version of the format has it.
pub(super) const PINNED: &str = include_str!("fixtures/format-1.jsonl");

type Whole = (ExportedRace, Vec<ExportedDecision>, Summary);

fn write(race: &ExportedRace, decisions: &[ExportedDecision]) -> Result<(Vec<u8>, Summary), ExportError> {
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, race)?;
    for decision in decisions {
        writer.decision(decision)?;
    }
    let summary = writer.finish()?;
    Ok((file, summary))
}

fn read(file: impl io::BufRead) -> Result<Whole, ExportError> {
    let mut reader = Reader::new(file)?;
    let mut decisions = Vec::new();
    while let Some(decision) = reader.next_decision()? {
        assert!(reader.summary().is_none());
        decisions.push(decision);
    }
    assert_eq!(reader.next_decision()?, None, "the end stays the end");
    let summary = reader.summary().expect("there is no further decision").clone();
    Ok((reader.race().clone(), decisions, summary))
}

/// The same lines with the hashes that belong to them, as somebody writes them who knows how.
fn rehash(lines: &[String]) -> Vec<u8> {
    let mut chain = Chain::begin();
    let sealed = lines.iter().flat_map(|line| {
        let end = line.rfind(r#","hash":""#).expect("each line has a hash");
        let mut line = format!("{}}}", &line[..end]).into_bytes();
        chain.seal(&mut line);
        line
    });
    sealed.collect()
}

fn lines(file: &[u8]) -> Vec<String> {
    str::from_utf8(file).expect("an export is text").split_inclusive('\n').map(str::to_owned).collect()
}

fn event(seq: u64, body: &str) -> StoredEvent {
    StoredEvent { seq, turn: TurnNo(1), format: 3, body: body.into() }
}

fn exchange(chain: &str, port: Port, number: u32, outcome: Outcome) -> Exchange {
    Exchange {
        chain: chain.into(),
        port,
        number,
        turn: TurnNo(1),
        team: Some(TeamId(2)),
        car: Some(CarId(3)),
        request: "POST http://car/engine\n{\"name\":\"V8\"}".into(),
        outcome,
        deviations: vec!["no content type".into()],
        latency: Duration::from_micros(1_234),
        at: Moment(1_700_000_000_500),
    }
}

fn answer(body: &[u8]) -> Outcome {
    Outcome::Answer(Answer { status: 200, content_type: ContentType::Json, body: body.to_vec() })
}

/// A race with one of everything.
pub(super) fn small_race() -> (ExportedRace, Vec<ExportedDecision>) {
    let race = ExportedRace {
        id: RaceId::parse("gm-7f3a").expect("it is visible ASCII"),
        name: "Friday \"night\" 🏁".into(),
        created_at: Moment(1_700_000_000_000),
        gm: "0.1.0".into(),
        revision: 1,
        seed: Seed(u64::MAX),
        plan: Some(r#"{"teams":["é"]}"#.into()),
        pace: Some(Duration::from_millis(1500)),
        ran: Duration::from_millis(61_001),
        rules_format: 2,
        rules: r#"{"track_length":300, "odds":0.10}"#.into(),
    };
    let create = ExportedDecision {
        no: DecisionNo(1),
        kind: DecisionKind::Create,
        turn: TurnNo(0),
        format: 1,
        arrivals: "[]".into(),
        begun_at: Moment(1_700_000_000_000),
        committed_at: Moment(1_700_000_000_002),
        last_seq: 1,
        settled: vec![],
        exchanges: vec![],
        events: vec![event(1, r#"{"event":"race_created","seed":7}"#)],
    };
    let commands = ExportedDecision {
        no: DecisionNo(2),
        kind: DecisionKind::Commands,
        turn: TurnNo(1),
        format: 4,
        arrivals: r#"[{"no":1,"command":{"start":{}}},{"no":2}]"#.into(),
        begun_at: Moment(1_700_000_000_100),
        committed_at: Moment(1_700_000_000_900),
        last_seq: 3,
        settled: vec![None, Some("the race \"runs\" already".into())],
        exchanges: vec![
            exchange("t1-move-c1", Port::Car, 1, answer(b"{\"res\":3}")),
            exchange("t1-move-c1", Port::Car, 2, answer(b"\xff\xfe\0")),
            exchange("t1-move-c1", Port::Inspector, 1, Outcome::Fault(Fault::Status(503))),
        ],
        events: vec![event(2, r#"{"event":"moved","to":1e1}"#), event(3, r#"{"event":"scored"}"#)],
    };
    (race, vec![create, commands])
}

fn small_export() -> Vec<u8> {
    let (race, decisions) = small_race();
    write(&race, &decisions).expect("the race is in order").0
}

/// A race of exchanges of every port and outcome, and of texts that are not easily written.
fn rich_race() -> (ExportedRace, Vec<ExportedDecision>) {
    const PORTS: [Port; 7] =
        [Port::Car, Port::Grace, Port::Ai, Port::Inspector, Port::Resolver, Port::DuelClock, Port::RaceClock];
    let every_byte: Vec<u8> = (0..=255).collect();
    let mut outcomes = vec![
        answer(b""),
        answer("\u{0}\u{1f}\u{7f}\u{2028}\u{feff}\"\\/\r\n\t\u{10ffff}".as_bytes()),
        answer(br#"","hash":"0000000000000000000000000000000000000000000000000000000000000000"}"#),
        answer(&every_byte),
        Outcome::Answer(Answer { status: 302, content_type: ContentType::Missing, body: b"\xc3".to_vec() }),
        Outcome::Answer(Answer { status: u16::MAX, content_type: ContentType::Other, body: vec![] }),
        Outcome::Names(vec![]),
        Outcome::Names(vec!["".into(), "é\n".into()]),
        Outcome::Number(u64::MAX),
        Outcome::Address(None),
        Outcome::Address(Some(BaseUrl::parse("http://bücher.example:8080/cars/7").expect("it is a URL"))),
        Outcome::TimeIsUp(None),
        Outcome::TimeIsUp(Some(Seat(1))),
    ];
    outcomes.extend(
        [
            Fault::Unreachable,
            Fault::Late,
            Fault::Broken,
            Fault::TooLarge,
            Fault::Status(503),
            Fault::NotJson,
            Fault::NotTheValue,
        ]
        .map(Outcome::Fault),
    );
    outcomes.extend(
        [
            InspectorFault::NoSuchResource,
            InspectorFault::Denied,
            InspectorFault::Malformed,
            InspectorFault::Unavailable,
        ]
        .map(Outcome::NotInspected),
    );
    let (race, mut decisions) = small_race();
    let exchanges = PORTS.into_iter().flat_map(|port| {
        let numbered = (1..).zip(outcomes.clone());
        numbered.map(move |(number, outcome)| exchange("t2-track-c10", port, number, outcome))
    });
    let bare =
        Exchange { team: None, car: None, deviations: vec![], ..exchange("t2-é", Port::Ai, 1, answer(b"")) };
    let large = exchange("t2-track-c11", Port::Car, 1, answer(&[b'"'; Answer::MAX_BODY]));
    let turn = ExportedDecision {
        no: DecisionNo(3),
        kind: DecisionKind::Turn,
        exchanges: exchanges.chain([large, bare]).collect(),
        events: (4..=40).map(|seq| event(seq, r#"{ "name":"\u00e9 \" , 🏁",	"n":1.50E+2 }"#)).collect(),
        last_seq: 40,
        settled: vec![],
        ..decisions[1].clone()
    };
    let silent = ExportedDecision {
        no: DecisionNo(4),
        kind: DecisionKind::RegisterAll,
        // Names of exchanges begin anew with each decision.
        exchanges: vec![exchange("r1", Port::Resolver, 1, Outcome::Address(None))],
        events: vec![],
        ..turn.clone()
    };
    decisions.extend([turn, silent]);
    (race, decisions)
}

#[test]
fn what_is_written_is_read_again() {
    let bare = ExportedRace { plan: None, pace: None, ..small_race().0 };
    for (race, decisions) in [small_race(), rich_race(), (bare, vec![])] {
        let (file, summary) = write(&race, &decisions).unwrap();
        let exchanges: usize = decisions.iter().map(|decision| decision.exchanges.len()).sum();
        let events: usize = decisions.iter().map(|decision| decision.events.len()).sum();
        assert_eq!(
            (summary.decisions, summary.exchanges, summary.events),
            (decisions.len() as u64, exchanges as u64, events as u64)
        );
        let last = lines(&file).pop().unwrap();
        assert!(last.ends_with(&format!("{}\"}}\n", summary.hash)));
        let expected = (race, decisions, summary);
        assert!(read(&*file).unwrap() == expected);
        assert!(read(BufReader::with_capacity(1, &*file)).unwrap() == expected);
        assert_eq!(rehash(&lines(&file)), file);
    }
}

#[test]
fn exchanges_are_put_in_order() {
    let (race, decisions) = rich_race();
    let mut shuffled = decisions.clone();
    for decision in &mut shuffled {
        decision.exchanges.reverse();
    }
    assert!(write(&race, &shuffled).unwrap().0 == write(&race, &decisions).unwrap().0);
}

/// An export is kept for longer than a program: what was once written stays readable, and is written the same.
#[test]
fn the_format_is_pinned() {
    let (race, decisions) = small_race();
    let (file, summary) = write(&race, &decisions).unwrap();
    assert_eq!(String::from_utf8(file).unwrap(), PINNED);
    assert_eq!(read(PINNED.as_bytes()).unwrap(), (race, decisions, summary));
}

/// Every line is JSON that other programs read.
#[test]
fn every_line_is_json() {
    let (race, decisions) = rich_race();
    for line in lines(&write(&race, &decisions).unwrap().0) {
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert!(value["record"].is_string() && value["hash"].is_string(), "{line}");
    }
    let event: serde_json::Value = serde_json::from_str(PINNED.lines().nth(2).unwrap()).unwrap();
    assert_eq!(event["body"]["event"], "race_created");
}

/// What is found where a file was changed: in its first line also that it is none, at its very end that it is cut.
#[track_caller]
fn check_change(changed: &[u8], line: u64, last_byte: bool) {
    match read(changed) {
        Err(ExportError::Tampered { line: found, .. }) if found == line => {}
        Err(ExportError::NotAnExport { .. }) if line == 1 => {}
        Err(ExportError::Cut { line: found }) if last_byte && found + 1 == line => {}
        other => panic!("line {line}: {other:?}\n{}", String::from_utf8_lossy(changed)),
    }
}

#[test]
fn a_changed_byte_anywhere_is_found() {
    /// Every so many bytes all 255 other values are tried; elsewhere its neighbour, its other case, and a line
    /// feed.
    const SAMPLE: usize = 61;
    let file = small_export();
    let mut line = 1;
    for at in 0..file.len() {
        let is = file[at];
        let others: BTreeSet<u8> = match at % SAMPLE {
            0 => (0..=255).filter(|other| *other != is).collect(),
            _ => [is ^ 1, is ^ b' ', if is == b'\n' { b'\r' } else { b'\n' }].into(),
        };
        let mut changed = file.clone();
        for other in others {
            changed[at] = other;
            check_change(&changed, line, at + 1 == file.len());
        }
        if is == b'\n' {
            line += 1;
        }
    }
}

#[test]
fn a_byte_too_many_or_too_few_is_found() {
    let file = small_export();
    let all = lines(&file).len() as u64;
    let mut line = 1;
    for at in 0..=file.len() {
        for more in *b"\n\r\0 ,\"}0a\xff" {
            // The same byte before and behind its like is the same file; it is told where the run ends.
            let run = file[at..].iter().take_while(|byte| **byte == more).count();
            let longer = [&file[..at], &[more], &file[at..]].concat();
            match read(&*longer) {
                Err(ExportError::Tampered { line: found, .. }) if found == line || run > 0 => {}
                Err(ExportError::NotAnExport { .. }) if line == 1 => {}
                other => panic!("{more} at {at}: {other:?}"),
            }
        }
        let cut = &file[..at];
        match read(cut) {
            Ok(_) => assert_eq!(at, file.len(), "only the whole file is an export"),
            Err(ExportError::Cut { line: whole }) => assert_eq!((whole, at < file.len()), (line - 1, true)),
            Err(ExportError::NotAnExport { .. }) => assert!(at < r#"{"record":"#.len()),
            other => panic!("cut at {at}: {other:?}"),
        }
        if let Some(is) = file.get(at) {
            let shorter = [&file[..at], &file[at + 1..]].concat();
            check_change(&shorter, line, at + 1 == file.len());
            line += u64::from(*is == b'\n');
        }
    }
    assert_eq!(line, all + 1);
}

#[test]
fn lines_that_were_swapped_removed_or_doubled_are_found() {
    let file = lines(&small_export());
    let whole = |lines: &[String]| lines.concat().into_bytes();
    for at in 0..file.len() {
        let (line, last) = (at as u64 + 1, at + 1 == file.len());
        let mut removed = file.clone();
        removed.remove(at);
        let mut doubled = file.clone();
        doubled.insert(at, file[at].clone());
        match read(&*whole(&removed)) {
            Err(ExportError::Cut { line: found }) => assert!(last && found + 1 == line),
            Err(ExportError::Tampered { line: found, .. }) => assert_eq!(found, line),
            other => panic!("without line {line}: {other:?}"),
        }
        match read(&*whole(&doubled)) {
            Err(ExportError::Tampered { line: found, .. }) => assert_eq!(found, line + 1),
            other => panic!("with line {line} twice: {other:?}"),
        }
        // With hashes that fit, it is the order of the records that tells it.
        for (what, changed) in [("removed", &removed), ("doubled", &doubled)] {
            match read(&*rehash(changed)) {
                Err(ExportError::BadRecord { .. }) => {}
                Err(ExportError::Tampered { line: found, .. }) => assert!(last && found == line + 1),
                Err(ExportError::Cut { .. }) => assert!(last),
                other => panic!("line {line} {what}: {other:?}"),
            }
        }
        if !last {
            let mut swapped = file.clone();
            swapped.swap(at, at + 1);
            match read(&*whole(&swapped)) {
                Err(ExportError::Tampered { line: found, .. }) => assert_eq!(found, line),
                other => panic!("line {line} swapped: {other:?}"),
            }
            assert!(
                matches!(
                    read(&*rehash(&swapped)),
                    Err(ExportError::BadRecord { .. } | ExportError::Tampered { .. })
                ),
                "line {line}"
            );
        }
    }
}

/// What becomes of an export in which a value was changed, and all hashes after it were computed anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// It is an export: that it is not the race that was played, shows when it is decided again.
    Reads,
    /// It is not an export that any gm has written.
    IsBad,
    /// It is one of a newer gm.
    IsNewer,
}

/// A field, another value for it, and what becomes of the export.
type OtherValue = (&'static str, &'static str, Then);

/// For each record its line in [`small_export`], and for each of its fields another value.
const OTHER_VALUES: &[(usize, &[OtherValue])] = {
    use Then::*;
    &[
        (
            1,
            &[
                ("record", r#""decision""#, IsBad),
                ("export", "2", IsNewer),
                ("export", "0", IsBad),
                ("gm", r#""0.1.1""#, Reads),
                ("revision", "2", Reads),
                ("race", r#""gm-7f3b""#, Reads),
                ("race", r#""gm 7f3b""#, IsBad),
                ("name", r#""Saturday""#, Reads),
                ("seed", r#""7""#, Reads),
                ("seed", "7", IsBad),
                ("seed", r#""18446744073709551616""#, IsBad),
                ("created_at", "1", Reads),
                ("pace_ms", "null", Reads),
                ("ran_ms", "1", Reads),
                ("plan", "null", Reads),
                ("rules_format", "3", Reads),
                ("rules", "{}", Reads),
            ],
        ),
        (
            4,
            &[
                ("record", r#""exchange""#, IsBad),
                ("no", "3", IsBad),
                ("kind", r#""turn""#, Reads),
                ("kind", r#""party""#, IsBad),
                ("turn", "2", Reads),
                ("begun_at", "1", Reads),
                ("committed_at", "1", Reads),
                ("last_seq", "4", IsBad),
                ("format", "5", Reads),
                ("arrivals", "[]", Reads),
                ("settled", "[null,null]", Reads),
                ("exchanges", "2", IsBad),
                ("exchanges", "18446744073709551615", IsBad),
                ("events", "1", IsBad),
            ],
        ),
        (
            5,
            &[
                ("record", r#""event""#, IsBad),
                ("record", r#""end""#, IsBad),
                ("record", r#""party""#, IsBad),
                ("chain", r#""t1-move-c0""#, Reads),
                ("chain", r#""t1-move-c2""#, IsBad),
                ("port", r#""duel_clock""#, IsBad),
                ("number", "2", IsBad),
                ("number", "0", IsBad),
                ("turn", "2", Reads),
                ("team", "null", Reads),
                ("car", "4", Reads),
                ("request", r#""POST http://car/pilot""#, Reads),
                ("outcome", r#"{"fault":"late"}"#, Reads),
                ("outcome", r#"{"fault":"sorry"}"#, IsBad),
                ("outcome", r#"{"address":"ftp://car"}"#, IsBad),
                ("outcome", r#"{"answer":{"status":200,"content_type":"json","body":{"hex":"f"}}}"#, IsBad),
                (
                    "outcome",
                    r#"{"answer":{"status":200,"content_type":"json","body":{"text":""},"more":1}}"#,
                    IsBad,
                ),
                ("deviations", "[]", Reads),
                ("latency_us", "1", Reads),
                ("at", "1", Reads),
            ],
        ),
        (
            8,
            &[
                ("record", r#""exchange""#, IsBad),
                ("seq", "3", IsBad),
                ("turn", "2", Reads),
                ("format", "4", Reads),
                ("body", "{}", Reads),
            ],
        ),
        (
            10,
            &[
                ("record", r#""race""#, IsBad),
                ("decisions", "1", IsBad),
                ("exchanges", "4", IsBad),
                ("events", "2", IsBad),
            ],
        ),
    ]
};

/// A line with another value for one of its fields, and all else as it was.
fn with_value(line: &str, field: &str, value: &str) -> String {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(line).expect("a line is a JSON object");
    let was = format!("\"{field}\":{}", fields[field].get());
    let changed = line.replacen(&was, &format!("\"{field}\":{value}"), 1);
    assert_ne!(changed, line, "{field} has another value");
    changed
}

#[test]
fn a_changed_value_is_found_in_every_field() {
    let file = lines(&small_export());
    for (number, values) in OTHER_VALUES {
        let line = &file[number - 1];
        let fields: BTreeMap<String, &RawValue> = serde_json::from_str(line).unwrap();
        let told: BTreeSet<&str> = values.iter().map(|(field, _, _)| *field).chain(["hash"]).collect();
        assert_eq!(told, fields.keys().map(String::as_str).collect(), "each field of line {number}");
        for (field, value, then) in *values {
            let mut changed = file.clone();
            changed[number - 1] = with_value(line, field, value);
            match read(changed.concat().as_bytes()) {
                Err(ExportError::Tampered { line, .. }) => assert_eq!(line, *number as u64, "{field}"),
                other => panic!("{field} of line {number}: {other:?}"),
            }
            let found = match read(&*rehash(&changed)) {
                Ok(_) => Then::Reads,
                Err(ExportError::BadRecord { .. }) => Then::IsBad,
                Err(ExportError::NewerFormat { found: 2, known: 1 }) => Then::IsNewer,
                Err(other) => panic!("{field} of line {number}: {other}"),
            };
            assert_eq!(found, *then, "{field}: {value} in line {number}");
        }
    }
}

/// A line of a record that is none, where all hashes fit.
#[test]
fn a_record_is_read_strictly() {
    let file = lines(&small_export());
    for (number, from, to, expected) in [
        (2, r#","no":1"#, r#","no":1,"mood":"good""#, "unknown field `mood`"),
        (2, r#","no":1"#, r#","no":1,"no":1"#, "duplicate field `no`"),
        (2, r#","no":1"#, "", "missing field `no`"),
        (2, r#","no":1"#, r#","no":-1"#, "invalid value: integer `-1`"),
        (2, r#"{"record":"decision","#, "{", "missing field `record`"),
        (5, r#""port":"car""#, r#""port":"bus""#, "unknown variant `bus`"),
        (3, r#""event""#, "\"\u{0}\"", "control character"),
        (3, r#"{"event":"race_created","seed":7}"#, r#"{"event":"race_created","seed":}"#, "expected value"),
    ] {
        let mut changed = file.clone();
        changed[number - 1] = changed[number - 1].replacen(from, to, 1);
        match read(&*rehash(&changed)) {
            Err(ExportError::BadRecord { line, because }) => {
                assert_eq!(line, number as u64, "{because}");
                assert!(because.contains(expected), "{because:?} and not {expected:?}");
                assert!(!because.contains("at line"), "{because}");
            }
            other => panic!("line {number}, {to:?}: {other:?}"),
        }
    }
}

#[test]
fn a_newer_format_is_told_from_a_changed_one() {
    let newer: Vec<String> = lines(&small_export())
        .iter()
        .map(|line| line.replace(r#""export":1,"#, r#""export":12,"weather":"rain","#))
        .collect();
    let told = read(&*rehash(&newer)).unwrap_err();
    assert!(matches!(told, ExportError::NewerFormat { found: 12, known: 1 }), "{told}");
    let told = read(newer.concat().as_bytes()).unwrap_err();
    assert!(matches!(told, ExportError::Tampered { line: 1, .. }), "{told}");
}

#[test]
fn other_files_are_no_exports() {
    let export = small_export();
    let utf_16: Vec<u8> = [0xff, 0xfe].into_iter().chain(export.iter().flat_map(|byte| [*byte, 0])).collect();
    for (file, expected) in [
        (&b""[..], "it is empty"),
        (b"\n", "its first line is something else"),
        (b"{}\n", "its first line is something else"),
        (b"{\"seq\":1,\"turn\":0,\"event\":\"race_created\"}\n", "its first line is something else"),
        (b"\x1f\x8b\x08\x00", "it is compressed (gzip)"),
        (b"\x28\xb5\x2f\xfd\n", "it is compressed (zstd)"),
        (b"SQLite format 3\0", "it is the database"),
        (&utf_16, "it is text in UTF-16"),
    ] {
        let told = read(file).unwrap_err();
        assert!(matches!(told, ExportError::NotAnExport { .. }), "{told}");
        assert!(told.to_string().contains(expected), "{told}");
    }
}

#[test]
fn no_line_is_read_without_end() {
    let endless = BufReader::new(io::repeat(b'x'));
    assert!(matches!(read(endless), Err(ExportError::NotAnExport { .. })));
    let endless = BufReader::new((&br#"{"record":"race""#[..]).chain(io::repeat(b'x')));
    assert!(matches!(read(endless), Err(ExportError::Tampered { line: 1, .. })));
}

/// A race that its journal does not hold as it should is not exported: nobody would read it.
#[test]
fn what_would_not_be_read_is_not_written() {
    type Spoil = fn(&mut ExportedRace, &mut Vec<ExportedDecision>);
    let cases: &[(Spoil, &str)] = &[
        (|race, _| race.rules = "{".into(), "its rules can't be read as JSON"),
        (|race, _| race.plan = Some("{}\n".into()), "the JSON of its plan has line breaks"),
        (|_, decisions| decisions[1].no = DecisionNo(3), "decision 3 stands where decision 2 belongs"),
        (|_, decisions| drop(decisions.remove(0)), "decision 2 stands where decision 1 belongs"),
        (|_, decisions| decisions[1].arrivals = "".into(), "what decision 2 is about can't be read as JSON"),
        (|_, decisions| decisions[1].last_seq = 2, "decision 2 ends at event 3 and not 2"),
        (|_, decisions| drop(decisions[1].events.remove(0)), "event 3 stands where event 2 belongs"),
        (|_, decisions| decisions[1].events.reverse(), "event 3 stands where event 2 belongs"),
        (|_, decisions| decisions[1].events[0].body = "{\n}".into(), "the JSON of event 2 has line breaks"),
        (
            |_, decisions| decisions[1].exchanges[1].number = 1,
            "exchange 1 of t1-move-c1 (Car) is not in order",
        ),
        (|_, decisions| decisions[1].exchanges[1].number = 0, "exchange 0 of t1-move-c1 (Car) has no number"),
        (|_, decisions| decisions[1].exchanges[1].request = "x".repeat(LONGEST_LINE), "longer than 64 MiB"),
    ];
    for (spoil, expected) in cases {
        let (mut race, mut decisions) = small_race();
        spoil(&mut race, &mut decisions);
        match write(&race, &decisions) {
            Err(ExportError::Unwritable { because }) => assert!(because.contains(expected), "{because}"),
            other => panic!("{expected}: {:?}", other.map(|(_, summary)| summary)),
        }
    }
}

#[test]
fn an_export_that_was_not_finished_is_cut() {
    let (race, decisions) = small_race();
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &race).unwrap();
    for decision in &decisions {
        writer.decision(decision).unwrap();
    }
    assert!(matches!(read(&*file), Err(ExportError::Cut { line: 9 })));
}

/// A file that fails.
struct Failing;

impl io::Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }
}

impl io::Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_file_that_fails_is_told() {
    assert!(matches!(Writer::new(Failing, &small_race().0), Err(ExportError::Write(_))));
    let file = small_export();
    for whole in [0, 100, file.len() / 2, file.len()] {
        let failing = BufReader::new((&file[..whole]).chain(Failing));
        assert!(matches!(read(failing), Err(ExportError::Read(_))), "after {whole} bytes");
    }
}

#[test]
fn errors_say_what_is_wrong_and_what_to_do() {
    let crlf = String::from_utf8(small_export()).unwrap().replace('\n', "\r\n");
    let more = [&small_export()[..], b"\n"].concat();
    for (file, expected) in [
        (
            &b"hello\n"[..],
            "this is not the export of a race: its first line is something else. `gm race export` makes one: a text \
             file whose first line begins with {\"record\":\"race\"",
        ),
        (
            crlf.as_bytes(),
            "line 1 was changed after the export was made: a program has turned its line end into CR LF. Use a copy \
             that is as it was made, or export the race again",
        ),
        (
            &more,
            "line 11 was added after the export was made: the line before it is the end. Use a copy that is as it was \
             made, or export the race again",
        ),
        (
            &small_export()[..900],
            "the export is cut off after line 3: its end is missing. Copy it once more, or export the race again",
        ),
    ] {
        assert_eq!(read(file).unwrap_err().to_string(), expected);
    }
}
