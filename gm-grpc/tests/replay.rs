//! Races that are exported, verified, imported: by the library, and by the command `gm`.
//!
//! The race among cars in memory (`memory`) is made in a directory and exported. Then what is in the export is changed,
//! field by field: with the hashes that were there, the file is tampered with; with hashes that somebody has computed
//! anew, the race does not follow from its rules any more.

mod memory;

use gm_core::race::REVISION;
use gm_grpc::export::chain::Chain;
use gm_grpc::export::verify::Difference;
use gm_grpc::export::{self, ExportError, ImportError, Imported, Reader, Verdict, VerifyError};
use gm_grpc::journal::{Call, DataDirectory, Journal, JournalError, NewRace, Origin, RaceId, stored};
use memory::{Process, TURNS, deeds, events, race_id, world};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, OnceLock};

/// Makes the race in a directory, up to a deed.
async fn make_race(directory: &Path, until: usize) {
    let process = Process::start(directory, &world(), Arc::new(())).await;
    assert_eq!(process.work(&deeds()[..until], 0).await, None);
    process.end().await;
}

async fn to_read(directory: &Path) -> Journal {
    Journal::open_to_read(DataDirectory::look(directory).expect("a journal")).await.expect("it opens")
}

async fn to_write(directory: &Path) -> Journal {
    Journal::open(DataDirectory::open(directory).expect("free")).await.expect("it opens")
}

async fn exported(journal: &Journal) -> Vec<u8> {
    let mut file = Vec::new();
    export::from_journal(journal, &race_id(), &mut file).await.expect("an export");
    file
}

/// The export of the race, made once for all tests.
async fn the_export() -> &'static [u8] {
    static EXPORT: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(export) = EXPORT.get() {
        return export;
    }
    let directory = tempfile::tempdir().expect("a directory");
    make_race(directory.path(), deeds().len()).await;
    let export = exported(&to_read(directory.path()).await).await;
    EXPORT.get_or_init(|| export)
}

async fn verify(file: &[u8]) -> Result<Verdict, VerifyError> {
    export::verify(file, |_| {}).await
}

fn lines(file: &[u8]) -> Vec<String> {
    std::str::from_utf8(file).expect("an export is text").lines().map(str::to_owned).collect()
}

/// The records of an export, without their hashes.
fn records(file: &[u8]) -> Vec<Value> {
    let without_hash = |line: &String| {
        let mut record: Value = serde_json::from_str(line).expect("JSON");
        record.as_object_mut().expect("an object").remove("hash");
        record
    };
    lines(file).iter().map(without_hash).collect()
}

/// The line of a record, up to its hash.
fn text(line: &str) -> String {
    let end = line.rfind(r#","hash":""#).expect("each line has a hash");
    format!("{}}}", &line[..end])
}

/// An export of these records, with the hashes that belong to them.
fn sealed(records: &[String]) -> Vec<u8> {
    let mut chain = Chain::begin();
    let sealed = records.iter().flat_map(|record| {
        let mut line = record.as_bytes().to_vec();
        chain.seal(&mut line);
        line
    });
    sealed.collect()
}

/// What was found in one word.
fn word(found: &Result<Verdict, VerifyError>) -> &'static str {
    match found {
        Ok(_) => "fine",
        Err(VerifyError::NotRead(_)) => "not read",
        Err(VerifyError::Tampered(_)) => "tampered",
        Err(VerifyError::OtherRevision { .. }) => "other revision",
        Err(VerifyError::Unreadable { .. }) => "unreadable",
        Err(VerifyError::RecordEnds { .. }) => "record ends",
        Err(VerifyError::Diverged { .. }) => "diverged",
        Err(_) => "something else",
    }
}

/// What is asked in an export, and what is decided.
fn ports_and_kinds(file: &[u8]) -> (BTreeSet<String>, BTreeSet<String>) {
    let records = records(file);
    let all = |field: &str| {
        records.iter().filter_map(|record| record[field].as_str()).map(str::to_owned).collect::<BTreeSet<_>>()
    };
    (all("port"), all("kind"))
}

#[tokio::test]
async fn the_race_has_everything() {
    let file = the_export().await;
    let (ports, kinds) = ports_and_kinds(file);
    let all = ["ai", "car", "duel_clock", "grace", "inspector", "race_clock", "resolver"];
    assert_eq!(ports, BTreeSet::from(all.map(str::to_owned)));
    assert_eq!(kinds, BTreeSet::from(["create", "turn", "commands", "register_all"].map(str::to_owned)));
    let records = records(file);
    let refused = records.iter().filter_map(|record| record["settled"].as_array());
    assert!(refused.flatten().any(Value::is_string), "a command is refused");
}

#[tokio::test]
async fn an_exported_race_follows_from_its_rules() {
    let file = the_export().await;
    let mut decisions = 0;
    let verdict = export::verify(file, |_| decisions += 1).await.expect("it is fine");
    assert_eq!((verdict.turn.0, verdict.is_finished), (TURNS, true));
    assert_eq!(verdict.race.id, race_id());
    assert_eq!(verdict.summary.decisions, decisions);
    assert_eq!(verdict.summary.decisions as usize, deeds().len() + 1, "each deed, and the creation");
}

#[tokio::test]
async fn an_imported_race_is_the_same() {
    let (here, there) =
        (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    make_race(here.path(), deeds().len()).await;
    let original = to_read(here.path()).await;
    let file = exported(&original).await;
    assert_eq!(exported(&original).await, file, "the same race gives the same bytes");

    let journal = to_write(there.path()).await;
    let Imported { race, summary } =
        export::into_journal(&*file, &journal, None).await.expect("it is imported");
    assert!(race.finished && race.origin == Origin::Imported);
    assert_eq!(exported(&journal).await, file);
    assert_eq!(events(&journal).await, events(&original).await);
    assert_eq!(journal.load(&race_id()).await.expect("the race").numbers.last(), summary.events);
    assert!(journal.is_over(&race).await.expect("it can be read"));

    let again = export::into_journal(&*file, &journal, None).await;
    assert!(matches!(again, Err(ImportError::Journal(JournalError::RaceExists(id))) if id == race_id()));
    assert_eq!(exported(&journal).await, file, "the one that is there stays");
}

/// A call is kept with the race that it imports, and not without it. The export is read in a thread of its own, as a server
/// does it.
#[tokio::test]
async fn a_call_for_an_import_is_kept_with_the_race() {
    let directory = tempfile::tempdir().expect("a directory");
    let journal = to_write(directory.path()).await;
    let call = Call {
        request_id: "call".to_owned(),
        rpc: "Test/Import".to_owned(),
        digest: [7; 32],
        answer: b"imported".to_vec(),
    };
    let import = async |file: Vec<u8>, call: &Call| {
        let (here, journal, call) = (tokio::runtime::Handle::current(), journal.clone(), call.clone());
        let import =
            move || here.block_on(export::into_journal(std::io::Cursor::new(file), &journal, Some(call)));
        tokio::task::spawn_blocking(import).await.expect("no panic")
    };
    let file = the_export().await.to_vec();
    let cut = file[..file.len() / 2].to_vec();
    assert!(matches!(import(cut, &call).await, Err(ImportError::Verify(_))));
    assert_eq!(journal.call("call").await.expect("it can be read"), None);
    import(file.clone(), &call).await.expect("it is imported");
    assert_eq!(journal.call("call").await.expect("it can be read"), Some(call.clone()));
    let again = import(file.clone(), &Call { request_id: "another".to_owned(), ..call.clone() }).await;
    assert!(matches!(again, Err(ImportError::Journal(JournalError::RaceExists(_)))), "{again:?}");
    assert_eq!(journal.call("another").await.expect("it can be read"), None);
    let race = journal.race(&race_id()).await.expect("the race");
    journal.forget(race.key).await.expect("it is forgotten");
    let again = import(file, &call).await;
    assert!(matches!(again, Err(ImportError::Journal(JournalError::CallExists(_)))), "{again:?}");
    assert_eq!(journal.races().await.expect("the races"), []);
}

/// A race that is not over: what is there is exported.
#[tokio::test]
async fn a_race_that_is_not_over() {
    let directory = tempfile::tempdir().expect("a directory");
    make_race(directory.path(), 12).await;
    let file = exported(&to_read(directory.path()).await).await;
    let verdict = verify(&file).await.expect("it is fine");
    assert!(!verdict.is_finished && verdict.turn.0 < TURNS && verdict.turn.0 > 0);

    let there = tempfile::tempdir().expect("a directory");
    let journal = to_write(there.path()).await;
    let imported = export::into_journal(&*file, &journal, None).await.expect("it is imported");
    assert!(!imported.race.finished);
    assert_eq!(exported(&journal).await, file);
}

/// Nothing of a race that is not imported as a whole stays; the next one is taken all the same.
#[tokio::test]
async fn a_race_is_imported_as_a_whole_or_not_at_all() {
    let file = the_export().await;
    let directory = tempfile::tempdir().expect("a directory");
    let journal = to_write(directory.path()).await;
    let all = lines(file);
    let cut = all[..all.len() / 2].iter().flat_map(|line| [line, "\n"]).collect::<String>();
    let texts: Vec<String> = all.iter().map(|line| text(line)).collect();
    let bent = changed(&texts, all.len() - 10, &with(&texts[all.len() - 10], "turn", "77"));
    for (bad, expected) in [(cut.into_bytes(), "tampered"), (bent, "diverged")] {
        match export::into_journal(&*bad, &journal, None).await {
            Err(ImportError::Verify(error)) => assert_eq!(word(&Err(error)), expected),
            other => panic!("{other:?}"),
        }
        assert_eq!(journal.races().await.expect("the races"), []);
    }
    export::into_journal(file, &journal, None).await.expect("it is imported");
    assert_eq!(exported(&journal).await, file);
}

/// A part of a record: where it stands in its line, `outcome/answer/status` or `arrivals/0/no`, and its bytes there.
type Part = (String, Range<usize>);

/// The parts of a record, its fields and what is in them.
fn parts(line: &str) -> Vec<Part> {
    fn below(line: &str, text: &str, path: &str, found: &mut Vec<Part>) {
        let inner: Vec<(String, &RawValue)> = if text.starts_with('{') {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).expect("an object");
            fields.into_iter().collect()
        } else if text.starts_with('[') {
            let items: Vec<&RawValue> = serde_json::from_str(text).expect("a list");
            items.into_iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        } else {
            Vec::new()
        };
        for (name, value) in inner {
            let begin = value.get().as_ptr() as usize - line.as_ptr() as usize;
            let path = if path.is_empty() { name } else { format!("{path}/{name}") };
            found.push((path.clone(), begin..begin + value.get().len()));
            below(line, value.get(), &path, found);
        }
    }
    let mut found = Vec::new();
    below(line, line, "", &mut found);
    found
}

/// The same record with another value in one place; all the rest stays, to the byte.
fn with(line: &str, path: &str, value: &str) -> String {
    let (_, place) = parts(line).into_iter().find(|(found, _)| found == path).expect("such a field");
    format!("{}{value}{}", &line[..place.start], &line[place.end..])
}

/// What stands in one place of a record.
fn part<'l>(line: &'l str, path: &str) -> &'l str {
    let (_, place) = parts(line).into_iter().find(|(found, _)| found == path).expect("such a field");
    &line[place]
}

/// An export with one record changed, and the hashes that belong to it.
fn changed(texts: &[String], index: usize, record: &str) -> Vec<u8> {
    let record_at =
        |(at, text): (usize, &'_ String)| if at == index { record.to_owned() } else { text.clone() };
    sealed(&texts.iter().enumerate().map(record_at).collect::<Vec<_>>())
}

/// What no rule reads, so that the chain alone protects it, and why. `kind/field`.
const UNREAD: &[(&str, &str)] = &[
    ("race/gm", "which program made the race; its rules are told by their revision (R-10.5)"),
    ("race/race", "the id is on the wire only (C-20)"),
    ("race/name", "what people call it"),
    ("race/created_at", "no rule reads a clock (R-10.5)"),
    ("race/pace_ms", "how often a turn starts is no matter of what happens in it (R-10.1)"),
    ("race/ran_ms", "that the time is up is an answer of a clock, and recorded as such (R-10.2)"),
    ("race/plan", "who is to take part; who does, commands say"),
    ("decision/begun_at", "no rule reads a clock (R-10.5)"),
    ("decision/committed_at", "no rule reads a clock (R-10.5)"),
    ("exchange/deviations", "words for people, of what the answer shows (C-22)"),
    ("exchange/latency_us", "no rule reads a clock (R-10.5); a duel's is asked (R-6.8)"),
    ("exchange/at", "no rule reads a clock (R-10.5)"),
];

/// Words of a closed list, each with another one of it.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("create", "turn"),
    ("turn", "commands"),
    ("commands", "turn"),
    ("register_all", "turn"),
    ("car", "ai"),
    ("ai", "car"),
    ("grace", "duel_clock"),
    ("duel_clock", "grace"),
    ("race_clock", "grace"),
    ("inspector", "resolver"),
    ("resolver", "inspector"),
    ("json", "other"),
    ("late", "unreachable"),
    ("broken", "late"),
];

/// Another value of the same type; none for what is made of others.
fn another(text: &str) -> Option<String> {
    Some(match serde_json::from_str(text).expect("JSON") {
        Value::Null => "7".to_owned(),
        Value::Bool(is) => (!is).to_string(),
        Value::Number(number) => (number.as_i64().expect("a whole number") + 1).to_string(),
        Value::String(text) => {
            let word = OTHER_WORDS.iter().find_map(|(word, other)| (*word == text).then_some(*other));
            match (word, text.parse::<u64>()) {
                (Some(word), _) => format!("{word:?}"),
                (None, Ok(number)) => format!("\"{}\"", number ^ 1),
                (None, Err(_)) => Value::from(format!("{text}x")).to_string(),
            }
        }
        Value::Array(items) if items.is_empty() => r#"["x"]"#.to_owned(),
        Value::Array(_) | Value::Object(_) => return None,
    })
}

/// Every value of the race that is of another kind than those before it: of each kind of record each field; of each kind
/// of command, event and outcome each field, too. Gives the line, the place in it, and another value for it.
fn samples(texts: &[String]) -> Vec<(usize, String, String)> {
    let mut seen = BTreeSet::new();
    let mut samples = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let record: Value = serde_json::from_str(text).expect("JSON");
        for (path, place) in parts(text) {
            let Some(other) = another(&text[place]) else { continue };
            let kind = match path.split('/').next() {
                Some("body") => record["body"]["event"].to_string(),
                Some("outcome") => record["port"].to_string(),
                Some("kind" | "port") => record[&path].to_string(),
                _ => String::new(),
            };
            // The items of a list are of one kind.
            let place: String = path.chars().filter(|character| !character.is_ascii_digit()).collect();
            if seen.insert(format!("{} {kind} {place}", record["record"])) {
                samples.push((index, path, other));
            }
        }
    }
    samples
}

#[tokio::test]
async fn a_changed_field_with_the_old_hashes_is_tampering() {
    let all = lines(the_export().await);
    let texts: Vec<String> = all.iter().map(|line| text(line)).collect();
    let samples = samples(&texts);
    assert!(samples.len() > 200, "{}", samples.len());
    for (index, path, other) in samples {
        let mut changed = all.clone();
        changed[index] = with(&all[index], &path, &other);
        let what = format!("{path} in line {}: {}", index + 1, changed[index]);
        match verify((changed.join("\n") + "\n").as_bytes()).await {
            Err(VerifyError::Tampered(ExportError::Tampered { line, .. })) => {
                assert_eq!(line, index as u64 + 1, "{what}");
            }
            other => panic!("{what}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_changed_field_with_new_hashes_does_not_follow_from_the_rules() {
    let texts: Vec<String> = lines(the_export().await).iter().map(|line| text(line)).collect();
    let unread: BTreeSet<&str> = UNREAD.iter().map(|(field, _)| *field).collect();
    let (mut passed, mut wrong) = (BTreeSet::new(), Vec::new());
    for (index, path, other) in samples(&texts) {
        let record: Value = serde_json::from_str(&texts[index]).expect("JSON");
        let kind = record["record"].as_str().expect("each record has a kind");
        let field = format!("{kind}/{path}");
        let field = unread.iter().find(|unread| field.starts_with(*unread)).map_or(&*field, |unread| unread);
        let changed = changed(&texts, index, &with(&texts[index], &path, &other));
        let found = word(&verify(&changed).await);
        let expected: &[&str] = match field {
            "race/record" => &["unreadable"],
            "race/export" => &["not read"],
            "race/revision" => &["other revision"],
            field if unread.contains(field) => &["fine"],
            _ => &["unreadable", "diverged", "record ends"],
        };
        if found == "fine" {
            passed.insert(field.to_owned());
        }
        if !expected.contains(&found) {
            wrong.push(format!("{field} with {other}: {found}: {}", texts[index]));
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert_eq!(passed, unread.into_iter().map(str::to_owned).collect(), "each of them is in the race");
}

/// What came of an exchange, and what can come of others.
#[tokio::test]
async fn another_outcome_does_not_follow_from_the_rules() {
    const OUTCOMES: [&str; 9] = [
        r#"{"answer":{"status":200,"content_type":"json","body":{"text":"77"}}}"#,
        r#"{"fault":"not_json"}"#,
        r#"{"names":["x"]}"#,
        r#"{"number":77}"#,
        r#"{"not_inspected":"denied"}"#,
        r#"{"address":"http://elsewhere"}"#,
        r#"{"address":null}"#,
        r#"{"time_is_up":null}"#,
        r#"{"time_is_up":0}"#,
    ];
    let texts: Vec<String> = lines(the_export().await).iter().map(|line| text(line)).collect();
    let mut ports = BTreeSet::new();
    for (index, text) in texts.iter().enumerate() {
        if !text.starts_with(r#"{"record":"exchange""#) || !ports.insert(part(text, "port")) {
            continue;
        }
        for outcome in OUTCOMES.into_iter().filter(|outcome| *outcome != part(text, "outcome")) {
            let found = verify(&changed(&texts, index, &with(text, "outcome", outcome))).await;
            assert!(["diverged", "record ends"].contains(&word(&found)), "{outcome} in {text}: {found:?}");
        }
    }
    assert_eq!(ports.len(), 7, "{ports:?}");
}

/// What is asked and answered: removed, added, exchanged for another.
#[tokio::test]
async fn a_changed_record_of_exchanges_does_not_follow_from_the_rules() {
    let texts: Vec<String> = lines(the_export().await).iter().map(|line| text(line)).collect();
    let is = |kind: &str, index: usize| texts[index].starts_with(&format!(r#"{{"record":{kind:?}"#));
    let exchanges: Vec<usize> = (0..texts.len()).filter(|index| is("exchange", *index)).collect();
    // With so many exchanges more or less in the decision of a line.
    let counted = |index: usize, by: i64| {
        let mut counted = texts.clone();
        let decision = (0..index).rev().find(|at| is("decision", *at)).expect("it begins with its decision");
        for at in [decision, texts.len() - 1] {
            let count: i64 = part(&texts[at], "exchanges").parse().expect("a number");
            counted[at] = with(&texts[at], "exchanges", &(count + by).to_string());
        }
        counted
    };
    let mut seen = BTreeSet::new();
    let mut found_so = BTreeSet::new();
    for index in exchanges.iter().copied().filter(|index| seen.insert(part(&texts[*index], "port"))) {
        let mut without = counted(index, -1);
        without.remove(index);
        let found = verify(&sealed(&without)).await;
        assert!(["diverged", "record ends"].contains(&word(&found)), "without {}: {found:?}", texts[index]);
        found_so.insert(word(&found));

        // Behind the last one of its chain, so that they stay in order.
        let chain = |index: usize| part(&texts[index], "chain").to_owned() + part(&texts[index], "port");
        let mut last = index;
        while is("exchange", last + 1) && chain(last + 1) == chain(index) {
            last += 1;
        }
        let mut more = counted(index, 1);
        more.insert(last + 1, with(&texts[last], "number", "4000"));
        let found = verify(&sealed(&more)).await;
        assert_eq!(word(&found), "diverged", "one more than {}: {found:?}", texts[last]);
    }
    assert!(found_so.contains("record ends"), "{found_so:?}");

    // Two answers of one conversation, each in the place of the other.
    let differ = |index: &usize| {
        let (one, other) = (&texts[*index], &texts[*index + 1]);
        let same = ["port", "chain"].iter().all(|field| part(one, field) == part(other, field));
        same && part(one, "outcome") != part(other, "outcome")
    };
    let pairs = exchanges.iter().copied().filter(|index| is("exchange", index + 1)).filter(differ);
    let mut swapped = 0;
    for index in pairs.step_by(60) {
        let mut changed = texts.clone();
        changed[index] = with(&texts[index], "outcome", part(&texts[index + 1], "outcome"));
        changed[index + 1] = with(&texts[index + 1], "outcome", part(&texts[index], "outcome"));
        let found = verify(&sealed(&changed)).await;
        assert!(["diverged", "record ends"].contains(&word(&found)), "{}: {found:?}", texts[index]);
        swapped += 1;
    }
    assert!(swapped >= 3, "{swapped}");
}

/// The first event that differs is told with its number, in words and as it is stored.
#[tokio::test]
async fn a_divergence_is_told_in_words() {
    let texts: Vec<String> = lines(the_export().await).iter().map(|line| text(line)).collect();
    let index = texts.iter().position(|text| text.contains(r#""event":"car_moved""#)).expect("a car moves");
    let (seq, squares) = (part(&texts[index], "seq"), part(&texts[index], "body/squares"));
    let changed = changed(&texts, index, &with(&texts[index], "body/squares", "99"));
    let error = verify(&changed).await.expect_err("it diverges");
    let VerifyError::Diverged { at, first } = &error else { panic!("{error}") };
    assert_eq!(at.turn.0, 1);
    let Difference::Event { seq: found, recorded: Some(recorded), expected: Some(expected) } = &**first
    else {
        panic!("{error}")
    };
    assert_eq!(seq, found.to_string());
    assert!(recorded.words.contains("99") && recorded.json.contains(r#""squares":99"#), "{recorded}");
    assert!(expected.json.contains(&format!(r#""squares":{squares}"#)), "{expected}");
    for part in [&recorded.words, &recorded.json, &expected.words, &expected.json, "decision 6 (turn 1)"] {
        assert!(error.to_string().contains(part), "{part:?} is not in {error}");
    }
}

#[tokio::test]
async fn another_seed_other_rules_another_revision() {
    let texts: Vec<String> = lines(the_export().await).iter().map(|line| text(line)).collect();
    let first = texts.iter().position(|text| text.contains(r#""event":"race_created""#)).expect("an event");
    let revision = (REVISION + 1).to_string();
    for (field, value, expected) in [
        ("seed", "\"12\"", "diverged"),
        ("revision", &*revision, "other revision"),
        ("rules/track_length", "41", "diverged"),
        ("rules/combat_range", "4", "diverged"),
        ("rules/max_turns", "11", "diverged"),
        ("rules/max_turns", "0", "unreadable"),
    ] {
        let mut changed = texts.clone();
        changed[0] = with(&texts[0], field, value);
        let found = verify(&sealed(&changed)).await;
        assert_eq!(word(&found), expected, "{field}: {found:?}");
    }
    // Also where the first event says the same: what the rules come to shows it, if it makes a difference.
    for (field, value) in [("seed", "12"), ("rules/track_length", "41"), ("rules/combat_range", "4")] {
        let mut changed = texts.clone();
        let quoted = format!("{value:?}");
        changed[0] = with(&texts[0], field, if field == "seed" { &quoted } else { value });
        changed[first] = with(&texts[first], &format!("body/{field}"), value);
        let found = verify(&sealed(&changed)).await;
        assert!(["diverged", "record ends"].contains(&word(&found)), "{field}: {found:?}");
    }
}

/// R-10.5: whether a race of another revision is one, only its own game master can tell: it is not taken in.
#[tokio::test]
async fn r_10_5_a_race_of_another_revision_is_not_imported() {
    let all = lines(the_export().await);
    let (was, is) = (format!(r#""revision":{REVISION}"#), format!(r#""revision":{}"#, REVISION + 1));
    let texts: Vec<String> = all.iter().map(|line| text(line).replace(&was, &is)).collect();
    let directory = tempfile::tempdir().expect("a directory");
    let journal = to_write(directory.path()).await;
    let refused = export::into_journal(&*sealed(&texts), &journal, None).await;
    assert!(matches!(refused, Err(ImportError::Verify(VerifyError::OtherRevision { .. }))), "{refused:?}");
    assert_eq!(journal.races().await.expect("it can be read"), []);
}

/// Who reads changes nothing, sees what another one commits, and is told that it can't write.
#[tokio::test]
async fn a_journal_that_is_only_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let (world, deeds) = (world(), deeds());
    let process = Process::start(directory.path(), &world, Arc::new(())).await;
    let reader = to_read(directory.path()).await;
    let mut last = 0;
    for end in [3, 5, deeds.len()] {
        assert_eq!(process.work(&deeds[..end], last).await, None);
        last = end;
        let file = exported(&reader).await;
        assert_eq!(verify(&file).await.expect("it is fine").summary.decisions as usize, end + 1);
    }
    let race = reader.race(&race_id()).await.expect("the race");
    let new = NewRace {
        id: RaceId::parse("gm-new").expect("an id"),
        name: "new".to_owned(),
        seed: race.seed,
        revision: REVISION,
        origin: Origin::Here,
        plan: None,
        secrets: BTreeMap::new(),
        pace: None,
        private: false,
    };
    for refused in [
        reader.create(new, &[], None).await.map(drop),
        reader.set_pace(race.key, None, None).await,
        reader.forget(race.key).await,
        reader.secrets(&race).await.map(drop),
    ] {
        assert!(matches!(refused, Err(JournalError::OnlyRead)), "{refused:?}");
    }
    reader.close().await.expect("it closes");
    process.end().await;
}

// --- races of every revision, as they were recorded ---

/// Set: the race of this revision is recorded anew.
const RECORD: &str = "GM_RECORD_FIXTURE";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("fixtures")
}

/// The file with the race of a revision of the rules.
fn fixture_of(revision: u32) -> PathBuf {
    fixtures().join(format!("race-revision-{revision}.jsonl"))
}

/// R-10.5: a race that was recorded when the rules had this revision gives the same events still. The export of a race
/// that is made here and now would do so under any rules; this one only does under those that it was played by.
#[tokio::test]
async fn r_10_5_the_recorded_race_of_this_revision_follows_from_its_rules() {
    let file = fixture_of(REVISION);
    let again = format!(
        "{RECORD}=1 cargo test -p gm-grpc --test replay r_10_5_the_recorded_race, and commit {}",
        file.display()
    );
    if std::env::var_os(RECORD).is_some() {
        std::fs::create_dir_all(fixtures()).expect("a folder for it");
        std::fs::write(&file, the_export().await).expect("it is written");
    }
    let export = std::fs::read(&file);
    assert!(
        export.is_ok(),
        "there is no recorded race of revision {REVISION}. If `race::REVISION` was raised, record one: {again}. Leave \
         those of earlier revisions: they can still be read"
    );
    let export = export.unwrap_or_default();
    let found = verify(&export).await;
    assert!(
        !matches!(found, Err(VerifyError::NotRead(_) | VerifyError::Tampered(_))),
        "the recorded race was changed: restore {} ({found:?})",
        file.display()
    );
    assert!(
        !matches!(found, Err(VerifyError::OtherRevision { .. })),
        "the file is of another revision than its name says: record the race again: {again}"
    );
    assert!(
        found.is_ok(),
        "the rules give other events than they gave when this race was recorded, and have the same revision. If that \
         was not meant, find what changed. If it was, races that are being played can't go on under the new rules: \
         raise `race::REVISION`, and record the race again: {again}\n{}",
        found.map_or_else(|error| error.to_string(), |_| String::new())
    );
    let verdict = found.expect("it was looked at above");
    assert_eq!((verdict.turn.0, verdict.is_finished), (TURNS, true));
    assert_eq!(ports_and_kinds(&export), ports_and_kinds(the_export().await), "everything happens in it");
}

/// Races of every revision can be read, and shown: their events are in the formats of their time.
#[tokio::test]
async fn recorded_races_of_all_revisions_are_read() {
    for revision in 1..=REVISION {
        let file = std::fs::read(fixture_of(revision)).expect("a recorded race of each revision");
        let mut reader = Reader::new(&*file).expect("an export");
        let mut events = Vec::new();
        while let Some(decision) = reader.next_decision().expect("a decision") {
            let read = decision.events.iter().map(|event| stored::read_event(event.format, &event.body));
            events.extend(read.map(|event| event.expect("an event")));
        }
        let race = gm_core::race::Race::from_events(&events).expect("a race");
        assert_eq!((race.turn.0, race.is_finished()), (TURNS, true), "revision {revision}");
    }
}

// --- the command ---

fn gm(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gm"))
        .args(arguments)
        .env_remove("GM_DATA")
        .output()
        .expect("gm was built")
}

#[track_caller]
fn check(arguments: &[&str], code: i32, out: &str, error: &str) -> String {
    let Output { status, stdout, stderr } = gm(arguments);
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert_eq!(status.code(), Some(code), "{arguments:?}: {stdout}\n{stderr}");
    assert!(stdout.contains(out), "{arguments:?}: {out:?} is not in {stdout}");
    assert!(stderr.contains(error), "{arguments:?}: {error:?} is not in {stderr}");
    assert_eq!(stderr.is_empty(), error.is_empty(), "{arguments:?}: {stderr}");
    stdout.into_owned()
}

#[tokio::test]
async fn races_by_the_command() {
    let directory = tempfile::tempdir().expect("a directory");
    make_race(&directory.path().join("data"), deeds().len()).await;
    let path = |name: &str| directory.path().join(name).to_str().expect("UTF-8").to_owned();
    let (data, other, file) = (path("data"), path("other"), path("race.jsonl"));
    let expected = the_export().await.len();

    for race in ["latest", "gm-crash", "crash"] {
        check(&["race", "export", race, "--data", &data, "--out", &file], 0, "", "race gm-crash is in ");
        let written = std::fs::read(&file).expect("the file");
        assert!(written.len().abs_diff(expected) < expected / 10);
        let shown = gm(&["race", "export", race, "--data", &data]).stdout;
        assert!(shown == written, "the same on the standard output");
        let shown = gm(&["race", "export", race, "--data", &data, "--out", "-"]).stdout;
        assert!(shown == written, "the same on the standard output");
    }
    let left: Vec<_> = std::fs::read_dir(directory.path()).expect("it can be read").collect();
    assert_eq!(left.len(), 2, "no temporary file stays: {left:?}");

    let said = check(&["replay", &file, "--verify"], 0, "follows from its rules: 10 turns", "");
    assert!(said.contains("it is over"), "{said}");
    let said = check(&["replay", &file, "--verify", "--json"], 0, r#""verdict":"fine""#, "");
    let said: Value = serde_json::from_str(&said).expect("one JSON object");
    assert_eq!((said["turn"].as_u64(), said["race"].as_str()), (Some(TURNS.into()), Some("gm-crash")));

    check(&["race", "import", &file, "--data", &other], 0, "race gm-crash \"crash\" is in ", "");
    check(&["race", "import", &file, "--data", &other], 1, "", "race gm-crash is here already");
    let again = gm(&["race", "export", "latest", "--data", &other]).stdout;
    assert!(again == std::fs::read(&file).expect("the file"), "the same bytes");

    // A flipped byte, a race that does not follow, something else.
    let mut flipped = std::fs::read(&file).expect("the file");
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    let bad = path("flipped.jsonl");
    std::fs::write(&bad, &flipped).expect("it can be written");
    let line = flipped[..middle].iter().filter(|byte| **byte == b'\n').count() + 1;
    check(&["replay", &bad, "--verify"], 1, "", &format!("tampered with: line {line} was changed"));
    let said = check(&["replay", &bad, "--verify", "--json"], 1, r#""verdict":"tampered""#, "");
    assert_eq!(serde_json::from_str::<Value>(&said).expect("one JSON object")["line"], line);
    check(&["race", "import", &bad, "--data", &path("none")], 1, "", &format!("line {line} was changed"));

    let all = lines(&std::fs::read(&file).expect("the file"));
    let diverged = path("diverged.jsonl");
    let texts: Vec<String> = all.iter().map(|line| text(line)).collect();
    let changed = changed(&texts, 0, &with(&texts[0], "seed", "\"12\""));
    std::fs::write(&diverged, changed).expect("it can be written");
    check(&["replay", &diverged, "--verify"], 1, "", "the race diverged: decision 1 (the race is made)");
    let said = check(&["replay", &diverged, "--verify", "--json"], 1, r#""verdict":"diverged""#, "");
    let said: Value = serde_json::from_str(&said).expect("one JSON object");
    assert_eq!(said["first"]["recorded"]["event"]["seed"], 11);
    assert_eq!(said["first"]["expected"]["event"]["seed"], 12);

    check(&["replay", &path("data/gm.db"), "--verify"], 2, "", "it is the database of a data directory");
    check(&["replay", &path("missing"), "--verify"], 2, "", "can't read ");
    check(&["replay", &file, "--json"], 2, "", "--verify");
    check(&["race", "export", "gm-none", "--data", &data], 1, "", "there is no race gm-none in ");
    check(&["race", "export", "latest", "--data", &path("missing")], 1, "", "there is no journal in it");
    check(&["race", "export", "latest", "--data", &data, "--out", &data], 1, "", "can't write ");
    check(&["race", "export", "latest", "--data", &data, "--out", &path("no/file")], 1, "", "can't write ");
}

/// The file that is there is replaced only by a whole one.
#[tokio::test]
async fn an_export_that_fails_leaves_the_file_as_it_was() {
    let directory = tempfile::tempdir().expect("a directory");
    let data = directory.path().join("data");
    make_race(&data, 5).await;
    let file = directory.path().join("race.jsonl");
    std::fs::write(&file, "an earlier race\n").expect("it can be written");
    let (data, out) = (data.to_str().expect("UTF-8"), file.to_str().expect("UTF-8"));
    check(&["race", "export", "no-such-race", "--data", data, "--out", out], 1, "", "there is no race");
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), "an earlier race\n");
    check(&["race", "export", "latest", "--data", data, "--out", out], 0, "", "race gm-crash is in");
    assert!(std::fs::read_to_string(&file).expect("the file").starts_with(r#"{"record":"race""#));
}

/// While another gm has the directory, in the middle of a decision.
#[tokio::test]
async fn a_race_is_exported_while_it_is_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let (world, deeds) = (world(), deeds());
    let probe = Arc::new(memory::DieAt::new(gm_grpc::durable::Point::Kept, 120));
    let process = Process::start(directory.path(), &world, probe).await;
    assert!(process.work(&deeds, 0).await.is_some(), "it stops in the middle");
    let data = directory.path().to_str().expect("UTF-8").to_owned();
    let arguments = ["race", "export", "latest", "--data", &data].map(str::to_owned);
    let Output { status, stdout, stderr } =
        tokio::task::spawn_blocking(move || gm(&arguments.iter().map(String::as_str).collect::<Vec<_>>()))
            .await
            .expect("gm ran");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let said = String::from_utf8_lossy(&stderr).into_owned();
    assert!(said.contains("was not complete, and is not in the export"), "{said}");
    assert!(!verify(&stdout).await.expect("it is fine").is_finished);
    process.end().await;
}
