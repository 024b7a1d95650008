//! Failures that somebody knows of already: a file with a case's id on each line.
//!
//! ```text
//! # the garage is not built yet
//! C-14.1
//! C-22.3   upper case, told to the team
//! ```
//!
//! A case that is named there may fail. One that is named and passes is flagged, so that the file stays true.

use super::run::{as_id, meant};
use std::collections::BTreeSet;

/// The ids of cases that are known to fail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known(BTreeSet<String>);

/// Why a list of known failures can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadList {
    /// A line names no case.
    #[error("line {line}: there is no case {word:?}; {}", meant(.like.as_deref()))]
    NoSuchCase {
        /// Which line, from 1.
        line: usize,
        /// What stands there.
        word: String,
        /// An id like it.
        like: Option<String>,
    },
}

impl Known {
    /// Reads a list: the first word of each line is the id of a case; what follows it, empty lines and lines that begin
    /// with `#` are for people. A byte order mark, which some editors write, is passed over.
    ///
    /// # Errors
    /// [`BadList`] for an id that is none of `ids`.
    pub fn read<'a>(text: &str, ids: impl IntoIterator<Item = &'a str>) -> Result<Known, BadList> {
        let ids: BTreeSet<&str> = ids.into_iter().collect();
        let mut known = BTreeSet::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, line) in text.lines().enumerate() {
            let Some(word) = line.split_whitespace().next().filter(|word| !word.starts_with('#')) else {
                continue;
            };
            if !ids.contains(word) {
                let like = Some(as_id(word)).filter(|like| ids.contains(like.as_str()));
                return Err(BadList::NoSuchCase { line: index + 1, word: word.to_owned(), like });
            }
            known.insert(word.to_owned());
        }
        Ok(Known(known))
    }

    /// Whether this case is known to fail.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.0.contains(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let ids = ["C-1.1", "C-14.1", "A-2.1"];
        for (text, expected) in [
            ("", Ok(vec![])),
            ("# all is well\n\n   \n", Ok(vec![])),
            ("C-14.1\n  A-2.1 # to come\nC-14.1 again\n", Ok(vec!["A-2.1", "C-14.1"])),
            ("C-1.1\r\n", Ok(vec!["C-1.1"])),
            ("\u{feff}C-1.1\r\n", Ok(vec!["C-1.1"])),
            ("C-1.1\nC-14", Err("line 2: there is no case \"C-14\"; `conform list` shows all")),
            ("c-1.1", Err("line 1: there is no case \"c-1.1\"; did you mean C-1.1?")),
        ] {
            let read = Known::read(text, ids);
            let read = read.as_ref().map(|known| known.0.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(read.map_err(ToString::to_string), expected.map_err(ToString::to_string), "{text:?}");
        }
        let known = Known::read("C-14.1", ids).expect("a list");
        assert_eq!((known.has("C-14.1"), known.has("C-1.1")), (true, false));
    }
}
