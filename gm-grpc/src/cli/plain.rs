//! Plain lines, where there is no terminal: what happened, turn by turn, and how the race ended.

use super::report::{Report, Waiting, Wish};
use super::table;
use crate::journal::Numbered;
use gm_core::ids::TurnNo;
use gm_core::race::{Event, Race};
use std::io::{self, Write};

/// Writes plain lines to the standard output.
pub(super) struct PlainLines;

impl Report for PlainLines {
    fn begins(&mut self, race: &Race, after: Option<TurnNo>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let (teams, cars) = (race.teams.len(), race.cars.len());
        match after {
            None => write!(out, "at the start")?,
            Some(turn) => write!(out, "after turn {turn}")?,
        }
        writeln!(out, ": teams {teams}, cars {cars}, seed {}", race.seed)
    }

    fn happened(&mut self, _: &Race, events: &[Numbered]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        for Numbered { event, .. } in events {
            match event {
                Event::TurnStarted { turn } => writeln!(out, "turn {turn}")?,
                Event::TurnCompleted { .. } | Event::PriorityDrawn { .. } => {}
                event => writeln!(out, "  {event}")?,
            }
        }
        out.flush()
    }

    fn waits(&mut self, _: &Race, _: &Waiting) -> io::Result<Wish> {
        Ok(Wish::GoOn)
    }

    fn ends(&mut self, race: &Race) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write!(out, "\n{}", table::as_text(race))?;
        out.flush()
    }
}
