//! Decides a race again, from its export alone: whether all that is said to have happened follows from the rules, the
//! seed, the commands, and what cars and clocks are recorded to have answered (R-10.5).
//!
//! ```text
//! for each decision:  the rules ─▶ what they ask ─▶ the recorded answers ─▶ events, refusals
//!                                                                           the same as recorded, byte for byte?
//! ```
//!
//! Two things are told apart. The chain of hashes shows that a file is not as it was made: [`VerifyError::Tampered`].
//! Where the chain fits and the race still does not follow from its rules, it was changed by somebody who computed the
//! hashes anew, or the rules were changed without another revision: [`VerifyError::Diverged`].
//!
//! What no rule reads is protected by the chain alone: times, latencies, the name and plan of the race, its id, its
//! pace, the version of gm, and the words about what was accepted of an answer (C-22).

use super::{ExportError, ExportedDecision, ExportedRace, Reader, Summary};
use crate::control::decide::{self, Decided};
use crate::durable::stop::Place;
use crate::durable::{Deciding, Nobody, Record, Stop, stop};
use crate::journal::stored::{self, FORMAT};
use crate::journal::{Decision, DecisionKind, DecisionNo, Numbered, Numbers, StoredEvent};
use gm_core::ids::TurnNo;
use gm_core::race::{Event, REVISION, Race, ValidRules};
use gm_core::random::Seed;
use std::fmt;
use std::io::BufRead;

/// What a race is found to be that follows from its rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The race.
    pub race: ExportedRace,
    /// What the export holds.
    pub summary: Summary,
    /// The last turn that was completed.
    pub turn: TurnNo,
    /// Whether the race is over.
    pub is_finished: bool,
}

/// Why a race is not found to follow from its rules.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The file can't be read, or is something else: nothing is known about the race.
    #[error(transparent)]
    NotRead(ExportError),
    /// The file is not as it was made: the chain of hashes does not fit.
    #[error("{0}")]
    Tampered(ExportError),
    /// The race was played by another revision of the rules (R-10.5): nothing is known about it.
    #[error(
        "this race was played under revision {revision} of the rules, by gm {gm}; this gm plays by revision {ours}. \
         Verify it with gm {gm}"
    )]
    OtherRevision {
        /// The revision of its rules.
        revision: u32,
        /// The program that made it.
        gm: String,
        /// The revision of this program.
        ours: u32,
    },
    /// The chain fits, and something in it is not what any gm of this version writes.
    #[error("{what} can't be read: {because}")]
    Unreadable {
        /// Which record: `event 17`.
        what: String,
        /// What is wrong with it.
        because: String,
    },
    /// Something is asked by the rules to which no answer is recorded.
    #[error("{at} can't be made again: the record ends before {place}, which the rules ask for. {CHANGED}")]
    RecordEnds {
        /// In which decision.
        at: At,
        /// What is missing.
        place: Place,
    },
    /// What is recorded does not follow from the rules.
    #[error("{at} does not follow from the rules: {first}\n{CHANGED}")]
    Diverged {
        /// Which decision.
        at: At,
        /// The first difference in it.
        first: Box<Difference>,
    },
}

/// What it means when the chain fits and the rules don't.
const CHANGED: &str = "The hashes fit, so nothing happened to the file on its way: it was changed by somebody who \
                       computed them anew, or this gm does not play by the rules of the one that wrote it. Ask for the \
                       data directory of the race, and report this if it says the same";

impl VerifyError {
    /// What a reader's error means.
    pub(super) fn of_reader(error: ExportError) -> VerifyError {
        match error {
            ExportError::Tampered { .. } | ExportError::Cut { .. } => VerifyError::Tampered(error),
            ExportError::BadRecord { line, because } => {
                VerifyError::Unreadable { what: format!("line {line}"), because }
            }
            error => VerifyError::NotRead(error),
        }
    }
}

/// The place of a decision in a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// Its number.
    pub decision: DecisionNo,
    /// What is decided.
    pub kind: DecisionKind,
    /// The turn that it plays, or comes after.
    pub turn: TurnNo,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let At { decision, kind, turn } = self;
        match kind {
            DecisionKind::Create => write!(f, "decision {decision} (the race is made)"),
            DecisionKind::Turn => write!(f, "decision {decision} (turn {turn})"),
            DecisionKind::Commands => write!(f, "decision {decision} (commands after turn {turn})"),
            DecisionKind::RegisterAll => write!(f, "decision {decision} (registrations after turn {turn})"),
        }
    }
}

/// A difference between what is recorded and what the rules say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Something that is no event: a number, the fate of a command.
    Record {
        /// What it is.
        what: String,
        /// What is recorded.
        recorded: String,
        /// What the rules say.
        expected: String,
    },
    /// An event.
    Event {
        /// Its number.
        seq: u64,
        /// What is recorded; none: nothing more happened.
        recorded: Option<Told>,
        /// What the rules say; none: nothing more happens.
        expected: Option<Told>,
    },
    /// The rules ask the outside something else than what is recorded.
    Request(Box<stop::Divergence>),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Record { what, recorded, expected } => {
                write!(f, "{what} differs\n  recorded: {recorded}\n  by rules: {expected}")
            }
            Difference::Event { seq, recorded, expected } => {
                let told = |told: &Option<Told>| match told {
                    Some(told) => told.to_string(),
                    None => "nothing more happens".to_owned(),
                };
                write!(
                    f,
                    "event {seq} differs\n  recorded: {}\n  by rules: {}",
                    told(recorded),
                    told(expected)
                )
            }
            Difference::Request(divergence) => divergence.fmt(f),
        }
    }
}

/// An event, told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The turn in which it happens.
    pub turn: TurnNo,
    /// The event in words.
    pub words: String,
    /// The event as it is stored.
    pub json: String,
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told { turn, words, json } = self;
        write!(f, "turn {turn}: {words}\n            {json}")
    }
}

/// Verifies the export of a race, one decision at a time. `verified` is told of each that follows.
///
/// # Errors
/// [`VerifyError`]: the first thing that is wrong.
pub async fn verify<R: BufRead>(
    input: R,
    mut verified: impl FnMut(&ExportedDecision),
) -> Result<Verdict, VerifyError> {
    let mut reader = Reader::new(input).map_err(VerifyError::of_reader)?;
    let mut verifier = Verifier::new(reader.race())?;
    while let Some(decision) = reader.next_decision().map_err(VerifyError::of_reader)? {
        verifier.decision(&decision).await?;
        verified(&decision);
    }
    let race = verifier.race().ok_or_else(nothing_decided)?;
    let (turn, is_finished) = (race.turn, race.is_finished());
    let summary = reader.summary().cloned().ok_or_else(nothing_decided)?;
    Ok(Verdict { race: reader.race().clone(), summary, turn, is_finished })
}

pub(super) fn nothing_decided() -> VerifyError {
    unreadable("decision 1", "it is missing")
}

/// Decides a race again, as its decisions are read.
#[derive(Debug)]
pub struct Verifier {
    rules: ValidRules,
    seed: Seed,
    /// None before it is made.
    race: Option<Race>,
    numbers: Numbers,
    /// The number of the last decision.
    last: DecisionNo,
    /// The number of the last command that arrived.
    commands: u32,
}

impl Verifier {
    /// Begins to verify a race.
    ///
    /// # Errors
    /// [`VerifyError::OtherRevision`]; [`VerifyError::Unreadable`] if its rules are none.
    pub fn new(race: &ExportedRace) -> Result<Verifier, VerifyError> {
        if race.revision != REVISION {
            return Err(VerifyError::OtherRevision {
                revision: race.revision,
                gm: race.gm.clone(),
                ours: REVISION,
            });
        }
        let rules = stored::read_rules(race.rules_format, &race.rules)
            .map_err(|error| unreadable("the rules of the race", error))?;
        if race.rules_format == FORMAT && stored::write_rules(&rules) != race.rules {
            return Err(unreadable("the rules of the race", "no gm writes them so"));
        }
        Ok(Verifier {
            rules,
            seed: race.seed,
            race: None,
            numbers: Numbers::default(),
            last: DecisionNo(0),
            commands: 0,
        })
    }

    /// The race after the last decision; none before it is made.
    #[must_use]
    pub fn race(&self) -> Option<&Race> {
        self.race.as_ref()
    }

    /// Makes the next decision again, and compares what comes of it with what is recorded.
    ///
    /// # Errors
    /// [`VerifyError`]. After one, the race is not to be verified further.
    pub async fn decision(&mut self, recorded: &ExportedDecision) -> Result<(), VerifyError> {
        let at = At { decision: recorded.no, kind: recorded.kind, turn: recorded.turn };
        let decision = self.begin(at, recorded)?;
        let record = Record::of(recorded.exchanges.iter().cloned())
            .map_err(|divergence| differs(at, Difference::Request(divergence)))?;
        let deciding = Deciding::from_record(&Nobody, record);
        let made = match &self.race {
            Some(race) => deciding.run(decide::decide(race, &deciding, &decision)).await,
            None => {
                let (_, events) = Race::create(self.rules.clone(), self.seed);
                let decided = Decided { events, settled: Vec::new(), not_registered: Vec::new() };
                // Nobody is asked anything: it diverges if something is recorded.
                deciding.run(async { decided }).await
            }
        };
        let decided = made.map_err(|stop| match stop {
            Stop::Diverged(divergence) => differs(at, Difference::Request(divergence)),
            Stop::RecordEnds(place) => VerifyError::RecordEnds { at, place },
            // Nothing is kept, and no test is here.
            Stop::Journal(_) | Stop::Died => unreadable(format!("decision {}", at.decision), stop),
        })?;
        self.compare(at, &decided, recorded)?;
        self.last = decision.no;
        self.commands = decision.arrivals.last().map_or(self.commands, |last| last.no.0);
        match &mut self.race {
            Some(race) => decided.events.iter().for_each(|event| race.apply(event)),
            None => self.race = Race::from_events(&decided.events),
        }
        Ok(())
    }

    /// The decision as it was begun, if it is one that follows here.
    fn begin(&self, at: At, recorded: &ExportedDecision) -> Result<Decision, VerifyError> {
        let same = |what: &str, recorded: &dyn fmt::Display, expected: &dyn fmt::Display| {
            compare(at, || what.to_owned(), recorded.to_string(), expected.to_string())
        };
        same("its number", &recorded.no, &self.last.0.saturating_add(1))?;
        let creates = (recorded.kind == DecisionKind::Create, self.race.is_none());
        match creates {
            (true, false) => same("its kind", &"the race is made", &"the race is there already")?,
            (false, true) => same("its kind", &"something is decided in the race", &"the race is made")?,
            _ => {}
        }
        let played = self.race.as_ref().map_or(TurnNo(0), |race| race.turn);
        let turn = match recorded.kind {
            DecisionKind::Turn => TurnNo(played.0.saturating_add(1)),
            _ => played,
        };
        same("its turn", &recorded.turn, &turn)?;

        let arrivals = stored::read_arrivals(recorded.format, &recorded.arrivals)
            .map_err(|error| unreadable(format!("the commands of decision {}", at.decision), error))?;
        if recorded.format == FORMAT {
            same("how its commands are written", &recorded.arrivals, &stored::write_arrivals(&arrivals))?;
        }
        let takes_commands = matches!(recorded.kind, DecisionKind::Commands | DecisionKind::RegisterAll);
        if !takes_commands {
            same("the number of its commands", &arrivals.len(), &0)?;
        }
        for (no, arrival) in (u64::from(self.commands) + 1..).zip(&arrivals) {
            same("the number of a command", &arrival.no, &no)?;
        }
        Ok(Decision { no: recorded.no, kind: recorded.kind, turn, arrivals })
    }

    /// Compares what came of a decision.
    fn compare(&mut self, at: At, decided: &Decided, recorded: &ExportedDecision) -> Result<(), VerifyError> {
        for index in 0..decided.events.len().max(recorded.events.len()) {
            let expected = decided.events.get(index).cloned().map(|event| self.numbers.next(event));
            compare_event(at, expected, recorded.events.get(index))?;
        }
        let settled = decided.in_words();
        let count = || "the number of commands that were settled".to_owned();
        compare(at, count, recorded.settled.len(), settled.len())?;
        for (index, (recorded, expected)) in recorded.settled.iter().zip(&settled).enumerate() {
            let fate = |why: &Option<String>| match why {
                Some(why) => format!("refused: {why}"),
                None => "carried out".to_owned(),
            };
            compare(
                at,
                || format!("what became of command {} of it", index + 1),
                fate(recorded),
                fate(expected),
            )?;
        }
        compare(at, || "the number of its last event".to_owned(), recorded.last_seq, self.numbers.last())
    }
}

/// Compares an event with what is recorded of it, byte for byte.
fn compare_event(
    at: At,
    expected: Option<Numbered>,
    recorded: Option<&StoredEvent>,
) -> Result<(), VerifyError> {
    let read = match recorded {
        Some(StoredEvent { seq, format, body, .. }) => Some(
            stored::read_event(*format, body).map_err(|error| unreadable(format!("event {seq}"), error))?,
        ),
        None => None,
    };
    if let (Some(expected), Some(recorded), Some(read)) = (&expected, recorded, &read) {
        let Numbered { sequence, turn, event } = expected;
        let is_written = recorded.format != FORMAT || stored::write_event(event) == recorded.body;
        if (*sequence, *turn, event) == (recorded.seq, recorded.turn, read) && is_written {
            return Ok(());
        }
    }
    let seq = expected.as_ref().map(|expected| expected.sequence).or(recorded.map(|recorded| recorded.seq));
    let told = |turn, event: &Event, json| Told { turn, words: event.to_string(), json };
    let recorded = recorded.zip(read).map(|(it, event)| told(it.turn, &event, it.body.clone()));
    let expected = expected.map(|it| told(it.turn, &it.event, stored::write_event(&it.event)));
    Err(differs(at, Difference::Event { seq: seq.unwrap_or_default(), recorded, expected }))
}

fn compare<T: PartialEq + fmt::Display>(
    at: At,
    what: impl FnOnce() -> String,
    recorded: T,
    expected: T,
) -> Result<(), VerifyError> {
    if recorded == expected {
        return Ok(());
    }
    let (recorded, expected) = (recorded.to_string(), expected.to_string());
    Err(differs(at, Difference::Record { what: what(), recorded, expected }))
}

fn differs(at: At, first: Difference) -> VerifyError {
    VerifyError::Diverged { at, first: Box::new(first) }
}

fn unreadable(what: impl Into<String>, because: impl fmt::Display) -> VerifyError {
    VerifyError::Unreadable { what: what.into(), because: because.to_string() }
}
