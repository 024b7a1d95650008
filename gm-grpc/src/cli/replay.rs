//! `gm replay FILE`: an exported race, shown again (`replay_show`); with `--verify`, whether it follows from its rules.

use super::replay_show::{self, Playing};
use super::{Failure, export_file};
use crate::export::verify::{At, Difference, Told};
use crate::export::{ExportError, ExportedDecision, Verdict, VerifyError, verify};
use clap::Args;
use serde_json::{Map, Value, json};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Show an exported race again, or decide it again
///
/// It is shown in the time that it took, or faster, on a terminal live; q or Ctrl-C leaves.
///
/// With --verify, every decision of the race is made again by the rules, from the seed, the commands, and what cars and
/// clocks are recorded to have answered. Nobody is asked anything. It must come to the same events, byte for byte.
#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub(super) struct Replay {
    /// The export; - is the standard input
    file: PathBuf,

    /// Say whether the race is as it was exported, and follows from its rules
    #[arg(long, conflicts_with_all = ["speed", "from_turn", "format"])]
    verify: bool,

    /// Say it as one JSON object, on the standard output
    #[arg(long, requires = "verify")]
    json: bool,

    #[command(flatten)]
    playing: Playing,
}

const HELP: &str = r#"Exit codes of --verify:

    0   the race follows from its rules, and nothing was changed
    1   it does not: "tampered" (the hashes don't fit: the file was changed or cut off), "diverged" (the hashes
        fit, and the rules come to something else), "record_ends" (an answer is missing), or "unreadable"
    2   it can't be told: the command line is wrong, the file is no export, or another gm is needed

Examples:

    gm replay friday.jsonl --speed 1 --from-turn 55
    gm replay friday.jsonl --speed 0 --format json
    gm race export latest --out friday.jsonl && gm replay friday.jsonl --verify
    gm replay friday.jsonl --verify --json | jq .verdict"#;

/// The race is not what it should be.
const BAD: u8 = 1;
/// It can't be told what it is.
const UNKNOWN: u8 = 2;

/// How long it takes until it is worth telling how far it is.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it is told then.
const EVERY: Duration = Duration::from_millis(200);

impl Replay {
    /// The exit codes of --verify are its own, see its help.
    pub(super) async fn run(self) -> Result<ExitCode, Failure> {
        if self.verify {
            return Ok(self.verify().await);
        }
        let input = export_file::read(&self.file).map_err(Failure::Because)?;
        replay_show::play(input, &self.file.display().to_string(), &self.playing).await?;
        Ok(ExitCode::SUCCESS)
    }

    async fn verify(&self) -> ExitCode {
        let name = self.file.display();
        let input = match export_file::read(&self.file) {
            Ok(input) => input,
            Err(because) => {
                self.fail(&json!({ "verdict": "not_read", "message": because }), &because);
                return ExitCode::from(UNKNOWN);
            }
        };
        let mut progress = Progress::new();
        let found = verify(input, |decision| progress.tell(decision)).await;
        progress.end();
        match found {
            Ok(verdict) => {
                let said = if self.json { fine(&verdict).to_string() } else { in_words(&verdict) };
                // Who does not read it has the exit code.
                let _ = writeln!(io::stdout(), "{said}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                let (word, code) = verdict(&error);
                let before = match &error {
                    VerifyError::Tampered(_) => "the file was tampered with: ",
                    VerifyError::Diverged { .. } | VerifyError::RecordEnds { .. } => "the race diverged: ",
                    VerifyError::Unreadable { .. } => "the race is unreadable: ",
                    _ => "",
                };
                self.fail(&not_fine(word, &error), &format!("{name}: {before}{error}"));
                ExitCode::from(code)
            }
        }
    }

    fn fail(&self, json: &Value, words: &str) {
        if self.json {
            let _ = writeln!(io::stdout(), "{json}");
        } else {
            eprintln!("gm: {}", export_file::printable(words));
        }
    }
}

fn in_words(verdict: &Verdict) -> String {
    let Verdict { race, summary, turn, is_finished } = verdict;
    format!(
        "race {} {:?} follows from its rules: {turn} turns, {} decisions, {} exchanges, {} events; {}\nhash {}",
        race.id,
        race.name,
        summary.decisions,
        summary.exchanges,
        summary.events,
        if *is_finished { "it is over" } else { "it was not over when it was exported" },
        summary.hash
    )
}

fn fine(verdict: &Verdict) -> Value {
    let Verdict { race, summary, turn, is_finished } = verdict;
    json!({
        "verdict": "fine",
        "race": race.id,
        "name": race.name,
        "gm": race.gm,
        "revision": race.revision,
        "turn": turn,
        "is_finished": is_finished,
        "decisions": summary.decisions,
        "exchanges": summary.exchanges,
        "events": summary.events,
        "hash": summary.hash,
    })
}

/// What was found in one word, and the exit code.
fn verdict(error: &VerifyError) -> (&'static str, u8) {
    match error {
        VerifyError::Tampered(_) => ("tampered", BAD),
        VerifyError::Diverged { .. } => ("diverged", BAD),
        VerifyError::RecordEnds { .. } => ("record_ends", BAD),
        VerifyError::Unreadable { .. } => ("unreadable", BAD),
        VerifyError::OtherRevision { .. } => ("other_revision", UNKNOWN),
        VerifyError::NotRead(_) => ("not_read", UNKNOWN),
    }
}

fn not_fine(word: &str, error: &VerifyError) -> Value {
    let mut said = Map::new();
    let mut say = |key: &str, value: Value| said.insert(key.to_owned(), value);
    say("verdict", word.into());
    say("message", error.to_string().into());
    match error {
        VerifyError::Tampered(ExportError::Tampered { line, .. } | ExportError::Cut { line }) => {
            say("line", (*line).into());
        }
        VerifyError::OtherRevision { revision, gm, ours } => {
            say("revision", (*revision).into());
            say("gm", gm.as_str().into());
            say("ours", (*ours).into());
        }
        VerifyError::Unreadable { what, .. } => {
            say("what", what.as_str().into());
        }
        VerifyError::RecordEnds { at, place } => {
            say("at", json_at(at));
            say("missing", place.to_string().into());
        }
        VerifyError::Diverged { at, first } => {
            say("at", json_at(at));
            say("first", json_difference(first));
        }
        VerifyError::Tampered(_) | VerifyError::NotRead(_) => {}
    }
    Value::Object(said)
}

fn json_at(at: &At) -> Value {
    json!({ "decision": at.decision, "kind": at.kind, "turn": at.turn })
}

fn json_difference(difference: &Difference) -> Value {
    let told = |told: &Option<Told>| match told {
        Some(Told { turn, words, json }) => {
            let event: Value = serde_json::from_str(json).unwrap_or_default();
            json!({ "turn": turn, "words": words, "event": event })
        }
        None => Value::Null,
    };
    match difference {
        Difference::Event { seq, recorded, expected } => {
            json!({ "event": seq, "recorded": told(recorded), "expected": told(expected) })
        }
        Difference::Request(it) => {
            json!({ "request": it.place.to_string(), "recorded": it.recorded, "expected": it.asked })
        }
        Difference::Record { what, recorded, expected } => {
            json!({ "what": what, "recorded": recorded, "expected": expected })
        }
    }
}

/// Tells on a terminal how far it is, once it takes long.
struct Progress {
    is_shown: bool,
    next: Option<Instant>,
    has_told: bool,
}

impl Progress {
    fn new() -> Progress {
        let is_shown = io::stderr().is_terminal();
        Progress { is_shown, next: is_shown.then(|| Instant::now() + PATIENCE), has_told: false }
    }

    fn tell(&mut self, decision: &ExportedDecision) {
        let now = Instant::now();
        if self.next.is_some_and(|next| now >= next) {
            self.next = Some(now + EVERY);
            self.has_told = true;
            eprint!("\rverified up to turn {} (decision {})\x1b[K", decision.turn, decision.no);
        }
    }

    fn end(&self) {
        if self.is_shown && self.has_told {
            eprint!("\r\x1b[K");
        }
    }
}
