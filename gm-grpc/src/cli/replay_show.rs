//! Plays an export through the same reports as a race that runs, with its own pauses or shorter ones.
//!
//! ```text
//! decision  committed at   shown, at speed 10
//! turn 1    10:00:00       at once
//! turn 2    10:01:00       1 s later: a pause of more than 10 s is taken for one of 10 s
//! ```

use super::Failure;
use super::export_file::printable;
use super::report::{Quit, Report, Waiting, Wish};
use super::show::{Format, report_of, ticks};
use super::signals::Signals;
use crate::export::{ExportError, ExportedDecision, Reader, Verifier};
use crate::journal::{DecisionKind, Moment, Numbered, StoredEvent, stored};
use clap::Args;
use gm_core::ids::TurnNo;
use gm_core::race::{REVISION, Race};
use std::io::BufRead;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The longest pause between two decisions, at speed 1: nobody watches a night between two turns.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The lowest and the highest speed; beyond them a pause would last for hours, or not at all.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.001..=1_000_000.0;

/// How a race is played again.
#[derive(Debug, Clone, Args)]
pub(super) struct Playing {
    /// How many times as fast as the race was; a pause counts for 10 s at most. 0 = without waiting
    #[arg(long, value_name = "N", default_value_t = 10.0, value_parser = parse_speed)]
    pub(super) speed: f64,

    /// Begin with this turn; what was before it is not shown
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) from_turn: u32,

    /// How to show the race: text is a live view on a terminal and plain lines elsewhere; json is a line of JSON for
    /// each event and one for the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if speed == 0.0 || SPEEDS.contains(&speed) {
        Ok(speed)
    } else {
        Err(format!("must be 0, or from {} to {}", SPEEDS.start(), SPEEDS.end()))
    }
}

/// How long to wait before a decision is shown that was committed so long after the one before it.
fn pause(before: Moment, now: Moment, speed: f64) -> Duration {
    // A clock that was set back makes no pause.
    let took = Duration::from_millis(u64::try_from(now.0.saturating_sub(before.0)).unwrap_or(0));
    if speed == 0.0 { Duration::ZERO } else { took.min(LONGEST_PAUSE).div_f64(speed) }
}

/// Shows the race of an export, the file of this name, from its first turn, or a later one, to its end.
///
/// # Errors
/// What is wrong with the file, as far as it was read: it is read while it is shown.
pub(super) async fn play(input: impl BufRead, file: &str, playing: &Playing) -> Result<(), Failure> {
    let failure = |because: String| Failure::because(format!("{file}: {}", printable(&because)));
    let told = |error: ExportError| failure(error.to_string());
    let mut export = Reader::new(input).map_err(told)?;
    let revision = export.race().revision;
    if revision != REVISION {
        eprintln!(
            "gm: this race was played under revision {revision} of the rules, and this gm knows {REVISION}: what is \
             shown beside its events may not be what it was"
        );
    }
    // What follows from the rules can be shown; an export of another revision is taken at its word.
    let mut verifier = if revision == REVISION {
        Some(Verifier::new(export.race()).map_err(|error| failure(error.to_string()))?)
    } else {
        None
    };
    let mut signals = Signals::new()?;
    let mut stage = Stage::new(playing);
    while let Some(decision) = export.next_decision().map_err(told)? {
        let (kind, turn, at) = (decision.kind, decision.turn, decision.committed_at);
        if let Some(verifier) = &mut verifier {
            verifier.decision(&decision).await.map_err(|error| failure(error.to_string()))?;
        }
        let events = events(decision).map_err(failure)?;
        if kind == DecisionKind::Turn && turn.0 >= playing.from_turn {
            stage.begin()?;
        }
        if stage.waits_until(at, &mut signals).await? != Wish::GoOn {
            return Ok(());
        }
        stage.happened(events).map_err(failure)??;
    }
    if playing.from_turn > stage.turn().0 {
        return Err(failure(format!(
            "the race has no turn {}: its last is {}",
            playing.from_turn,
            stage.turn()
        )));
    }
    stage.end()
}

/// The events of a decision.
///
/// # Errors
/// Which can't be read, and why.
fn events(decision: ExportedDecision) -> Result<Vec<Numbered>, String> {
    let read = |StoredEvent { seq, turn, format, body }: StoredEvent| {
        let event = stored::read_event(format, &body)
            .map_err(|error| format!("event {seq} can't be read: {error}. Export the race again"))?;
        Ok(Numbered { sequence: seq, turn, event })
    };
    decision.events.into_iter().map(read).collect()
}

/// Where a race is played again.
struct Stage {
    report: Box<dyn Report>,
    speed: f64,
    /// The race so far; none before its creation.
    race: Option<Race>,
    /// What happened before it is shown, if that is to be shown.
    before: Option<Vec<Numbered>>,
    begun: bool,
    /// When what is shown last was committed; none before it is shown.
    last: Option<Moment>,
}

impl Stage {
    fn new(playing: &Playing) -> Stage {
        Stage {
            report: report_of(playing.format, Quit::Leaves),
            speed: playing.speed,
            race: None,
            before: (playing.from_turn <= 1).then(Vec::new),
            begun: false,
            last: None,
        }
    }

    /// The turn that was started last.
    fn turn(&self) -> TurnNo {
        self.race.as_ref().map_or(TurnNo(0), |race| race.turn)
    }

    /// Begins to show the race, if that was not begun.
    fn begin(&mut self) -> Result<(), Failure> {
        let Some(race) = self.race.as_ref().filter(|_| !self.begun) else { return Ok(()) };
        self.begun = true;
        let after = self.before.is_none().then_some(race.turn);
        self.report.begins(race, after)?;
        if let Some(before) = self.before.take() {
            self.report.happened(race, &before)?;
        }
        Ok(())
    }

    /// Waits as long as the race did until this moment, at the speed of the replay. Gives what the person who looks on
    /// wants.
    async fn waits_until(&mut self, at: Moment, signals: &mut Signals) -> Result<Wish, Failure> {
        let Some(race) = self.race.as_ref().filter(|_| self.begun) else { return Ok(Wish::GoOn) };
        let pause = self.last.map_or(Duration::ZERO, |last| pause(last, at, self.speed));
        self.last = Some(at);
        let until = Instant::now() + pause;
        let mut redraw = ticks();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let waiting = Waiting::NextTurn(left.as_secs() + 1);
            let wish = self.report.waits(race, &waiting)?;
            if wish != Wish::GoOn || left.is_zero() {
                return Ok(wish);
            }
            tokio::select! {
                _ = redraw.tick() => {}
                signal = timeout_at(until, signals.next()) => {
                    if signal.is_ok() {
                        // There is nothing to be ended: it leaves, as q does.
                        return Ok(Wish::End);
                    }
                }
            }
        }
    }

    /// Applies and shows what happened.
    ///
    /// # Errors
    /// The outer one: that the export does not begin with a race.
    fn happened(&mut self, events: Vec<Numbered>) -> Result<Result<(), Failure>, String> {
        for Numbered { event, .. } in &events {
            match &mut self.race {
                Some(race) => race.apply(event),
                None => {
                    let race = Race::from_events([event]);
                    self.race = Some(race.ok_or("it does not begin with the creation of a race")?);
                }
            }
        }
        if let Some(race) = self.race.as_ref().filter(|_| self.begun) {
            return Ok(self.report.happened(race, &events).map_err(Failure::from));
        }
        if let Some(before) = &mut self.before {
            before.extend(events);
        }
        Ok(Ok(()))
    }

    /// The race is over, or as far as it was exported.
    fn end(mut self) -> Result<(), Failure> {
        // A race without a turn has an end all the same.
        self.begin()?;
        match &self.race {
            Some(race) => Ok(self.report.ends(race)?),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses() {
        for (before, now, speed, expected) in [
            (0, 1_000, 1.0, 1_000),
            (0, 1_000, 10.0, 100),
            (0, 1_000, 0.5, 2_000),
            (0, 10_000, 1.0, 10_000),
            (0, 10_001, 1.0, 10_000),
            (0, 3_600_000, 10.0, 1_000),
            (0, 3_600_000, 0.0, 0),
            (5, 5, 1.0, 0),
            (5, 4, 1.0, 0),
            (i64::MIN, i64::MAX, 1.0, 10_000),
        ] {
            let expected = Duration::from_millis(expected);
            assert_eq!(pause(Moment(before), Moment(now), speed), expected, "{before} {now} {speed}");
        }
    }

    #[test]
    fn speeds() {
        for (text, expected) in [
            ("10", Ok(10.0)),
            ("0.5", Ok(0.5)),
            ("0", Ok(0.0)),
            ("-1", Err("must be 0, or from 0.001 to 1000000")),
            ("1e-9", Err("must be 0, or from 0.001 to 1000000")),
            ("1e9", Err("must be 0, or from 0.001 to 1000000")),
            ("NaN", Err("must be 0, or from 0.001 to 1000000")),
            ("fast", Err("not a number")),
        ] {
            assert_eq!(parse_speed(text), expected.map_err(str::to_owned), "{text}");
        }
    }
}
