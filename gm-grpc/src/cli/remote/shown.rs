//! How answers are shown: tables for people, one line of JSON for programs.
//!
//! ```text
//! place  team  VP
//!     1  Red   12
//! ```

use super::connection::Line;
use crate::api::json::to_json;
use crate::cli::Failure;
use crate::cli::export_file::printable;
use crate::cli::table::aligned;
use prost::{Message, Name};
use std::io::{self, IsTerminal as _, Write as _};

/// Writes a text to the standard output, as whole lines.
pub(super) fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    // Who reads a pipe is to see each line when it comes.
    Ok(out.flush()?)
}

/// Writes a message as a line of JSON.
pub(super) fn say_json<M: Message + Name>(message: &M) -> Result<(), Failure> {
    say(&to_json(message).to_string())
}

impl Line {
    /// Shows an answer: in words, or as JSON where that is asked for.
    pub(super) fn show<M: Message + Name>(
        &self,
        answer: &M,
        words: impl FnOnce(&M) -> String,
    ) -> Result<(), Failure> {
        if self.json { say_json(answer) } else { say(&words(answer)) }
    }

    /// Shows an answer as JSON where that is asked for, and nothing where it is not.
    pub(super) fn show_if_json<M: Message + Name>(&self, answer: &M) -> Result<(), Failure> {
        if self.json { say_json(answer) } else { Ok(()) }
    }
}

/// A table with a row of titles; the columns in `right` are aligned to the right.
pub(super) fn table(titles: &[&str], rows: Vec<Vec<String>>, right: &[usize]) -> String {
    let titles = titles.iter().map(|title| (*title).to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(titles).chain(rows).collect();
    let text = aligned(&rows, right);
    if !has_colours() {
        return text;
    }
    let (titles, rows) = text.split_once('\n').unwrap_or((&text, ""));
    format!("\u{1b}[1m{titles}\u{1b}[0m\n{rows}")
}

/// Whether what is shown may have colours: on a terminal, and unless `NO_COLOR` is set to anything.
fn has_colours() -> bool {
    io::stdout().is_terminal() && super::connection::environment("NO_COLOR").is_none()
}

/// A text from outside as a cell: in one line, with what a terminal would obey made visible.
pub(super) fn cell(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The word of a value of an enum: `RACE_STATUS_RUNNING` without its `RACE_STATUS_` is `running`; empty where it is not
/// said.
pub(super) fn word(name: &str, prefix: &str) -> String {
    match name.strip_prefix(prefix).unwrap_or(name) {
        "UNSPECIFIED" => String::new(),
        word => word.to_lowercase().replace('_', " "),
    }
}

/// A list in words: `1, 2`; "nobody" and such where it is empty.
pub(super) fn list<T: std::fmt::Display>(items: &[T], if_none: &str) -> String {
    if items.is_empty() {
        return if_none.to_owned();
    }
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A time in UTC, in whole seconds.
pub(super) fn at(time: Option<&prost_types::Timestamp>) -> String {
    time.map(|time| {
        let text = prost_types::Timestamp { nanos: 0, ..*time }.to_string();
        text.replace('T', " ").trim_end_matches('Z').to_owned()
    })
    .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::wire;

    #[test]
    fn words_of_values_and_times() {
        assert_eq!(word(wire::RaceStatus::Running.as_str_name(), "RACE_STATUS_"), "running");
        assert_eq!(word(wire::EndTitle::Unspecified.as_str_name(), "END_TITLE_"), "");
        let time = prost_types::Timestamp { seconds: 86_461, nanos: 5 };
        assert_eq!(at(Some(&time)), "1970-01-02 00:01:01");
        assert_eq!(
            (at(None), list(&[1, 2], "none"), list::<u32>(&[], "none")),
            (String::new(), "1, 2".to_owned(), "none".to_owned())
        );
        assert_eq!(cell("a\n\u{1b}[2J"), "a \\u{1b}[2J");
    }
}
