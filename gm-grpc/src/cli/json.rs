//! JSON lines for programs: one for each event, and one for how the race ended.

use super::report::{Report, Waiting, Wish};
use super::table;
use crate::journal::Numbered;
use gm_core::ids::TurnNo;
use gm_core::race::Race;
use std::io::{self, Write};

/// Writes JSON lines to the standard output.
pub(super) struct JsonLines;

impl Report for JsonLines {
    fn begins(&mut self, _: &Race, _: Option<TurnNo>) -> io::Result<()> {
        Ok(())
    }

    fn happened(&mut self, _: &Race, events: &[Numbered]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        for numbered in events {
            numbered.write_json(&mut out)?;
        }
        out.flush()
    }

    fn waits(&mut self, _: &Race, _: &Waiting) -> io::Result<Wish> {
        Ok(Wish::GoOn)
    }

    fn ends(&mut self, race: &Race) -> io::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &table::as_json(race))?;
        out.write_all(b"\n")?;
        out.flush()
    }
}
