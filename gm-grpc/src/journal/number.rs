//! Events with their places in a race.

use gm_core::ids::TurnNo;
use gm_core::race::Event;
use serde::Serialize;
use std::io;

/// An event with its place in the race.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Numbered {
    /// Its sequence number, from 1 without a gap.
    #[serde(rename = "seq")]
    pub sequence: u64,
    /// The turn in which it happened; between two turns, the one before.
    pub turn: TurnNo,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

impl Numbered {
    /// Writes the event as one line of JSON: its number, its turn, and its own fields.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn write_json(&self, to: &mut dyn io::Write) -> io::Result<()> {
        serde_json::to_writer(&mut *to, self)?;
        to.write_all(b"\n")
    }
}

/// Numbers the events of one race, from its first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers {
    sequence: u64,
    turn: TurnNo,
}

impl Numbers {
    /// Goes on after the event of this number, in this turn.
    pub(super) fn after(sequence: u64, turn: TurnNo) -> Numbers {
        Numbers { sequence, turn }
    }

    /// The number of the last event; 0 before the first.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.sequence
    }

    /// The next event with its place.
    pub fn next(&mut self, event: Event) -> Numbered {
        self.sequence += 1;
        if let Event::TurnStarted { turn } = event {
            self.turn = turn;
        }
        Numbered { sequence: self.sequence, turn: self.turn, event }
    }
}
