//! The stored form of what a race is made of: its events, the commands that arrived, its rules, as lines of JSON.
//!
//! ```
//! use gm_core::{ids::{CarId, Square}, race::Event};
//! use gm_grpc::journal::stored::{FORMAT, read_event, write_event};
//! let event = Event::CarMoved { car: CarId(3), squares: 4, to: Square(12) };
//! assert_eq!(write_event(&event), r#"{"event":"car_moved","car":3,"squares":4,"to":12}"#);
//! assert_eq!(read_event(FORMAT, &write_event(&event)), Ok(event));
//! ```
//!
//! A journal outlives the program that wrote it. So the stored form has types of its own, one set for each version,
//! and does not follow when the rules rename or add something: `v1` is what was written first. Who keeps a record
//! keeps the number of its format with it. Every format that was ever written can be read; the last is written.
//!
//! The same is always written for the same, byte for byte: hashes and comparisons stand on it.

mod v1;

#[cfg(test)]
mod tests;

use gm_core::race::command::Arrival;
use gm_core::race::{Event, ValidRules};
use std::fmt::Display;

/// The format that is written.
pub const FORMAT: u32 = 1;

/// The most characters of what is said about a text that can't be read. It may quote the text, which may be long.
const LONGEST_PROBLEM: usize = 300;

/// What to do with a record that no gm has written.
const DAMAGED: &str = "the record was damaged or changed: go back to a copy of it";

/// Why something stored can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It was written by a program that is newer than this one.
    #[error("it is in format {format}, and this gm knows the formats up to {FORMAT}: use a newer gm")]
    Newer {
        /// Its format.
        format: u32,
    },
    /// No program writes this format: they are counted from 1.
    #[error("it is in format {format}, which never was; {DAMAGED}")]
    NoSuchFormat {
        /// The format that it is said to have.
        format: u32,
    },
    /// The text is not what it should be.
    #[error("it is not {what} of format {format}: {}{problem}; {DAMAGED}", before(field))]
    NotInFormat {
        /// What it should be: "an event".
        what: &'static str,
        /// The format.
        format: u32,
        /// The field that is wrong, with dots between its parts: `rules.mine`. Empty where it is the whole.
        field: String,
        /// What is wrong with it, at most 300 characters.
        problem: String,
    },
}

/// A field, to be followed by what is wrong with it.
fn before(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!("`{field}`: ") }
}

/// What is wrong in a text, and where.
#[derive(Debug)]
struct Wrong {
    /// The field, with dots between its parts; empty where it is the whole.
    field: String,
    /// What is wrong with it.
    problem: String,
}

impl Wrong {
    fn at(field: &str, problem: impl Display) -> Wrong {
        Wrong {
            field: field.to_owned(),
            problem: problem.to_string().chars().take(LONGEST_PROBLEM).collect(),
        }
    }

    /// The same, seen from outside of the field `outer`.
    fn within(self, outer: &str) -> Wrong {
        let Wrong { field, problem } = self;
        let field = if field.is_empty() { outer.to_owned() } else { format!("{outer}.{field}") };
        Wrong { field, problem }
    }
}

/// The stored form of an event, in format [`FORMAT`]. One line.
#[must_use]
pub fn write_event(event: &Event) -> String {
    v1::write_event(event)
}

/// The event that was stored as `text` in a format.
///
/// # Errors
/// The format is newer than this program, or the text is not an event in it.
pub fn read_event(format: u32, text: &str) -> Result<Event, Unreadable> {
    read(format, "an event", || v1::read_event(text))
}

/// The stored form of commands in order of arrival, in format [`FORMAT`]. One line.
#[must_use]
pub fn write_arrivals(arrivals: &[Arrival]) -> String {
    v1::write_arrivals(arrivals)
}

/// The commands that were stored as `text` in a format, in order of arrival.
///
/// # Errors
/// The format is newer than this program, or the text is not a list of commands in it.
pub fn read_arrivals(format: u32, text: &str) -> Result<Vec<Arrival>, Unreadable> {
    read(format, "a list of commands", || v1::read_arrivals(text))
}

/// The stored form of a race's rules, in format [`FORMAT`]. One line.
#[must_use]
pub fn write_rules(rules: &ValidRules) -> String {
    v1::write_rules(rules)
}

/// The rules that were stored as `text` in a format.
///
/// # Errors
/// The format is newer than this program, or the text does not hold rules in it, or not such as can be played.
pub fn read_rules(format: u32, text: &str) -> Result<ValidRules, Unreadable> {
    read(format, "a set of rules", || v1::read_rules(text))
}

/// Reads a record by the version that wrote it. There is one so far.
fn read<T>(format: u32, what: &'static str, v1: impl FnOnce() -> Result<T, Wrong>) -> Result<T, Unreadable> {
    let read = match format {
        1 => v1(),
        0 => return Err(Unreadable::NoSuchFormat { format }),
        _ => return Err(Unreadable::Newer { format }),
    };
    read.map_err(|Wrong { field, problem }| Unreadable::NotInFormat { what, format, field, problem })
}
