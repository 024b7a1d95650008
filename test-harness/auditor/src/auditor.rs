//! Reads an export line by line, and has each decision judged when its last record was read.
//!
//! ```text
//! {"record":"decision", …,"exchanges":2,"events":1}: after three lines more it is complete
//! ```

use crate::event::Event;
use crate::finding::Finding;
use crate::judge::{Judge, cut};
use crate::record::{
    AnyLine, DecisionKind, DecisionLine, EndLine, EventLine, Exchange, RaceLine, Word, is_json,
};
use crate::tally::Tally;

/// The one format of records, events, commands and rules that is known.
const FORMAT: u32 = 1;

/// Reads a race line by line, and checks it.
#[derive(Debug, Clone, Default)]
pub struct Auditor {
    line: u64,
    race: Option<Race>,
    /// What was found before there was a race.
    lost: usize,
}

/// What an audit came to.
#[derive(Debug, Clone, Default)]
pub struct Audited {
    /// What is against the rules, and was not given before.
    pub findings: Vec<Finding>,
    /// All that was drawn.
    pub tally: Tally,
    /// How many turns were completed.
    pub turns: u32,
    /// How many events were read.
    pub events: u64,
}

/// The race that is read.
#[derive(Debug, Clone)]
struct Race {
    judge: Judge,
    revision: u32,
    seed: Option<u64>,
    decision: Option<Decision>,
    decisions: u64,
    exchanges: u64,
    events: u64,
    seq: u64,
    last_command: u32,
    ended: bool,
}

/// The decision that is read.
#[derive(Debug, Clone)]
struct Decision {
    at: u64,
    line: DecisionLine,
    exchanges: Vec<(u64, Exchange)>,
    events: Vec<(u64, Event)>,
}

impl Decision {
    fn is_complete(&self) -> bool {
        self.exchanges.len() as u64 >= self.line.exchanges && self.events.len() as u64 >= self.line.events
    }
}

impl Auditor {
    /// An auditor that has read nothing.
    #[must_use]
    pub fn new() -> Auditor {
        Auditor::default()
    }

    /// Reads one line of an export. What is found comes when the last record of a decision was read.
    pub fn line(&mut self, line: &str) -> Vec<Finding> {
        self.line += 1;
        if let Err(what) = self.reads(line) {
            let line = self.line;
            match &mut self.race {
                Some(race) => race.judge.finds(line, "format", what),
                None if self.lost < crate::judge::MOST_FINDINGS => {
                    self.lost += 1;
                    return vec![Finding { line, turn: 0, rule: "format", what }];
                }
                None => {}
            }
        }
        self.race.as_mut().map_or(Vec::new(), |race| std::mem::take(&mut race.judge.findings))
    }

    fn reads(&mut self, line: &str) -> Result<(), String> {
        let at = self.line;
        let AnyLine { record } = read(line)?;
        let Some(race) = &mut self.race else {
            if record != Word::Race {
                return Err(format!("expected the race first, found {record:?}"));
            }
            let RaceLine { export, revision, seed, rules_format, rules } = read(line)?;
            let seed = seed.parse().ok();
            let judge = Judge::new(rules);
            self.race = Some(Race {
                judge,
                revision,
                seed,
                decision: None,
                decisions: 0,
                exchanges: 0,
                events: 0,
                seq: 0,
                last_command: 0,
                ended: false,
            });
            return known(export).and(known(rules_format)).and(seed.map(|_| ()).ok_or("no seed".into()));
        };
        if race.ended {
            return Err("expected nothing after the end".into());
        }
        if race.judge.has_enough() {
            return Ok(());
        }
        match record {
            Word::Race => return Err("expected one race".into()),
            Word::Decision => {
                race.judges();
                let line: DecisionLine = read(line)?;
                known(line.format)?;
                race.opens(at, line);
            }
            Word::Exchange => {
                race.exchanges += 1;
                let exchange: Exchange = read(line)?;
                let decision = race.decision.as_mut().ok_or("an exchange of no decision")?;
                if !decision.events.is_empty() {
                    return Err("expected exchanges before events".into());
                }
                decision.exchanges.push((at, exchange));
            }
            Word::Event => {
                race.events += 1;
                race.seq += 1;
                let (seq, turn) = (race.seq, race.decision.as_ref().map(|decision| decision.line.turn));
                let event: EventLine = read(line)?;
                known(event.format)?;
                let decision = race.decision.as_mut().ok_or("an event of no decision")?;
                decision.events.push((at, event.body));
                if event.seq != seq || Some(event.turn) != turn {
                    race.seq = event.seq;
                    return Err(format!(
                        "expected event {seq} of turn {turn:?}, found {} of {}",
                        event.seq, event.turn
                    ));
                }
            }
            Word::End => {
                race.judges();
                race.ended = true;
                let end: EndLine = read(line)?;
                let counted = (race.decisions, race.exchanges, race.events);
                if (end.decisions, end.exchanges, end.events) != counted {
                    return Err(format!(
                        "expected (decisions, exchanges, events) {counted:?}, found {end:?}"
                    ));
                }
            }
        }
        if race.decision.as_ref().is_some_and(Decision::is_complete) {
            race.judges();
        }
        Ok(())
    }

    /// Ends the audit.
    #[must_use]
    pub fn finish(mut self) -> Audited {
        let line = self.line;
        let Some(race) = &mut self.race else {
            let what = "expected a race, found nothing".to_owned();
            let findings = vec![Finding { line, turn: 0, rule: "format", what }];
            return Audited { findings, ..Audited::default() };
        };
        race.judges();
        if !race.ended {
            race.judge.finds(line, "format", "expected the end, found nothing".into());
        }
        Audited {
            findings: std::mem::take(&mut race.judge.findings),
            tally: std::mem::take(&mut race.judge.tally),
            turns: race.judge.model.turn,
            events: race.events,
        }
    }
}

impl Race {
    /// Takes up a decision, and whether it may come now.
    fn opens(&mut self, at: u64, line: DecisionLine) {
        self.decisions += 1;
        self.judge.line = at;
        let completed = self.judge.model.turn;
        let (turn, first) = match line.kind {
            DecisionKind::Create => (0, true),
            DecisionKind::Turn => (completed.saturating_add(1), false),
            DecisionKind::Commands | DecisionKind::RegisterAll => (completed, false),
        };
        if line.no != self.decisions || line.turn != turn || first != (self.decisions == 1) {
            let what = format!(
                "expected decision {} of turn {turn}, found {} of turn {}, {:?}",
                self.decisions, line.no, line.turn, line.kind
            );
            self.judge.finds(at, "R-10.1", what);
        }
        self.decision = Some(Decision { at, line, exchanges: Vec::new(), events: Vec::new() });
        if self.decision.as_ref().is_some_and(Decision::is_complete) {
            self.judges();
        }
    }

    /// Has the decision judged that was read.
    fn judges(&mut self) {
        let Some(Decision { at, line, exchanges, events }) = self.decision.take() else { return };
        let counts = (exchanges.len() as u64, events.len() as u64);
        self.judge.open(at, line.turn, events, exchanges);
        if counts != (line.exchanges, line.events) {
            let what = format!(
                "expected (exchanges, events) ({}, {}), found {counts:?}",
                line.exchanges, line.events
            );
            self.judge.finds(at, "format", what);
        }
        if line.last_seq != self.seq {
            let what = format!("expected that {} was the last event, found {}", self.seq, line.last_seq);
            self.judge.finds(at, "format", what);
        }
        match line.kind {
            DecisionKind::Create => self.judge.creates(self.revision, self.seed.unwrap_or_default()),
            DecisionKind::Turn => self.judge.plays_turn(line.turn),
            DecisionKind::Commands | DecisionKind::RegisterAll => {
                for arrival in &line.arrivals {
                    self.last_command = self.last_command.saturating_add(1);
                    if arrival.no != self.last_command {
                        let what = format!("expected command {}, found {}", self.last_command, arrival.no);
                        self.judge.finds(at, "R-3.0", what);
                        self.last_command = arrival.no;
                    }
                }
                self.judge.commands(&line.arrivals, &line.settled);
            }
        }
        self.judge.close();
    }
}

fn known(format: u32) -> Result<(), String> {
    if format == FORMAT { Ok(()) } else { Err(format!("expected format {FORMAT}, found {format}")) }
}

fn read<'a, T: serde::Deserialize<'a>>(line: &'a str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|wrong| {
        let kind = if is_json(line) { "not a record that is known" } else { "not JSON" };
        cut(&format!("{kind}: {wrong}"))
    })
}
