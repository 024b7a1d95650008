//! What is wrong with the fields of a request: every one of them, not only the first.
//!
//! ```
//! use gm_grpc::api::field::Fields;
//! let mut fields = Fields::default();
//! fields.wrong("title", "must not be empty");
//! fields.within("rules", |rules| rules.wrong("track_length", "must be from 1 to 1000000"));
//! let violations = fields.into_violations();
//! assert_eq!(violations[1].field, "rules.track_length");
//! ```

use super::error::ApiError;
use gm_core::race::command::{is_name, is_text};

/// A field that is wrong, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Its path in the request, as the protocol files name it: `rules.encounter_odds`.
    pub field: String,
    /// What it must be, in words.
    pub description: String,
}

/// Collects what is wrong with a request.
#[derive(Debug, Default)]
pub struct Fields {
    /// The path of the message that is read, with a dot at its end; empty for the request itself.
    path: String,
    violations: Vec<Violation>,
}

impl Fields {
    /// A field is wrong.
    pub fn wrong(&mut self, field: &str, description: impl Into<String>) {
        let field = format!("{}{field}", self.path);
        self.violations.push(Violation { field, description: description.into() });
    }

    /// Reads a message within this one.
    pub fn within<T>(&mut self, field: &str, read: impl FnOnce(&mut Fields) -> T) -> T {
        let before = self.path.len();
        self.path.push_str(field);
        self.path.push('.');
        let value = read(self);
        self.path.truncate(before);
        value
    }

    /// What a parser says of a field; none, and noted, if it is wrong.
    pub fn parsed<T, E: std::fmt::Display>(&mut self, field: &str, parsed: Result<T, E>) -> Option<T> {
        parsed.map_err(|error| self.wrong(field, error.to_string())).ok()
    }

    /// A field that must be there.
    pub fn needed<T>(&mut self, field: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.wrong(field, "must be set");
        }
        value
    }

    /// A whole number within its range.
    pub fn number(&mut self, field: &str, value: u32, range: std::ops::RangeInclusive<u32>) -> u32 {
        if !range.contains(&value) {
            let (least, most) = (range.start(), range.end());
            self.wrong(field, format!("is {value}, and must be from {least} to {most}"));
        }
        value
    }

    /// A value of an enum; none, and noted, if it is unknown, or `convert` has none for it.
    pub fn value<W: TryFrom<i32>, T>(
        &mut self,
        field: &str,
        number: i32,
        convert: impl FnOnce(W) -> Option<T>,
    ) -> Option<T> {
        let value = W::try_from(number).ok().and_then(convert);
        if value.is_none() {
            self.wrong(field, format!("{number} is none of the values that it can have here"));
        }
        value
    }

    /// A reason, a complaint, an answer or a hint. What can't be one is refused before anything of it is kept.
    pub fn text(&mut self, field: &str, text: &str) {
        if !is_text(text) {
            self.wrong(
                field,
                "must have 1 to 4000 characters, not all of them blank, and no control characters",
            );
        }
    }

    /// A name of a team, a race, an instance or a module, of at most so many characters. Gives whether it is one.
    pub fn name(&mut self, field: &str, name: &str, longest: usize) -> bool {
        let is_one = is_name(name, longest);
        if !is_one {
            self.wrong(
                field,
                format!("must have 1 to {longest} characters, none of them a control character"),
            );
        }
        is_one
    }

    /// Whether nothing was wrong.
    #[must_use]
    pub fn are_right(&self) -> bool {
        self.violations.is_empty()
    }

    /// All that was wrong.
    #[must_use]
    pub fn into_violations(self) -> Vec<Violation> {
        self.violations
    }

    /// What was read, if nothing was wrong.
    ///
    /// # Errors
    /// [`ApiError::invalid`] with all that was wrong.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, ApiError> {
        match read {
            Some(read) if self.violations.is_empty() => Ok(read),
            _ => Err(ApiError::invalid(self.violations)),
        }
    }
}
