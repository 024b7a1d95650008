//! The parameters of a query: each is known, right, and there once.
//!
//! ```text
//! ?after=17&kinds=move,fight    ?aftr=17 ──▶ aftr: is not known here; did you mean `after`?
//! ```

use super::body::{quoted, unknown};
use super::problem::HttpError;
use crate::api::error::ApiError;
use crate::api::field::Fields;
use axum::extract::{FromRequestParts, Query};
use http::HeaderName;
use http::request::Parts;
use std::fmt::Display;
use std::str::FromStr;

/// The header in which a browser says, when it connects again, what it read last.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The parameters of a request. Each is taken by its name; [`Parameters::finish`] says what is wrong with them.
pub(super) struct Parameters {
    given: Vec<(String, String)>,
    last_event_id: Option<String>,
    known: Vec<&'static str>,
    fields: Fields,
}

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Parameters, HttpError> {
        let Query(given) =
            Query::try_from_uri(&parts.uri).map_err(|error| ApiError::field("query", error.body_text()))?;
        let last_event_id = parts.headers.get(LAST_EVENT_ID);
        let last_event_id = last_event_id.map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned());
        Ok(Parameters { given, last_event_id, known: Vec::new(), fields: Fields::default() })
    }
}

impl Parameters {
    /// One of them, as it was written.
    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        self.known.push(name);
        let mut values = self.given.iter().filter(|(given, _)| given == name).map(|(_, value)| value.clone());
        let value = values.next();
        if values.next().is_some() {
            self.fields.wrong(name, "must be there once");
        }
        value
    }

    /// A number.
    pub(super) fn number<N: FromStr<Err: Display>>(&mut self, name: &'static str) -> Option<N> {
        let text = self.text(name)?;
        self.parsed(name, &text)
    }

    fn parsed<N: FromStr<Err: Display>>(&mut self, name: &str, text: &str) -> Option<N> {
        // The language would take a plus sign.
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if digits { text.parse::<N>().ok() } else { None };
        if number.is_none() {
            let words = format!("is {:?}, and must be a whole number within its range", quoted(text));
            self.fields.wrong(name, words);
        }
        number
    }

    /// `true` or `false`.
    pub(super) fn yes_or_no(&mut self, name: &'static str) -> Option<bool> {
        let text = self.text(name)?;
        let value = text.parse().ok();
        if value.is_none() {
            self.fields.wrong(name, format!("is {:?}, and must be true or false", quoted(&text)));
        }
        value
    }

    /// One of some words; `said` says which.
    pub(super) fn word<T>(
        &mut self,
        name: &'static str,
        said: &str,
        find: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(name)?;
        let found = find(&text);
        if found.is_none() {
            self.fields.wrong(name, format!("is {:?}, and must be {said}", quoted(&text)));
        }
        found
    }

    /// Some words, with commas between them.
    pub(super) fn words<T>(
        &mut self,
        name: &'static str,
        said: &str,
        find: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        let Some(text) = self.text(name) else { return Vec::new() };
        let mut all = Vec::new();
        for word in text.split(',') {
            match find(word) {
                Some(found) => all.push(found),
                None => {
                    let words = format!("{:?} is in it, and each must be {said}", quoted(word));
                    self.fields.wrong(name, words);
                    break;
                }
            }
        }
        all
    }

    /// After which number is to be read: what a browser says when it connects again counts more than the address, which
    /// stays the same.
    pub(super) fn after(&mut self) -> Option<u64> {
        let in_query = self.number("after");
        match self.last_event_id.take() {
            None => in_query,
            Some(id) => self.parsed("Last-Event-ID", &id),
        }
    }

    /// Something else is wrong with one of them.
    pub(super) fn wrong(&mut self, name: &str, description: impl Into<String>) {
        self.fields.wrong(name, description);
    }

    /// That is all that there is.
    pub(super) fn finish(mut self) -> Result<(), HttpError> {
        for (name, _) in &self.given {
            if !self.known.contains(&name.as_str()) {
                self.fields.wrong(&quoted(name), unknown(name, &self.known));
            }
        }
        Ok(self.fields.finish(Some(()))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    /// What is read of a query here: where to begin, whether to follow, which cars.
    type Read = (Option<u64>, Option<bool>, Vec<u32>);

    async fn read(query: &str, last: Option<&str>) -> Result<Read, HttpError> {
        let request = Request::builder().uri(format!("/x?{query}"));
        let request = last.iter().fold(request, |request, id| request.header("Last-Event-ID", *id));
        let (mut parts, ()) = request.body(()).expect("a request").into_parts();
        let mut parameters = Parameters::from_request_parts(&mut parts, &()).await?;
        let after = parameters.after();
        let follow = parameters.yes_or_no("follow");
        let cars = parameters.words("cars", "the id of a car", |word| word.parse().ok());
        parameters.finish()?;
        Ok((after, follow, cars))
    }

    #[track_caller]
    fn check(found: Result<Read, HttpError>, expected: &str) {
        let found = match found {
            Ok((after, follow, cars)) => format!("{after:?} {follow:?} {cars:?}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[tokio::test]
    async fn queries() {
        check(read("", None).await, "None None []");
        check(read("after=17&follow=true&cars=1,2", None).await, "Some(17) Some(true) [1, 2]");
        check(read("after=17", Some("20")).await, "Some(20) None []");
        check(
            read("after=17", Some("x")).await,
            "Last-Event-ID: is \"x\", and must be a whole number within its range",
        );
        check(read("after=-1", None).await, "after: is \"-1\", and must be a whole number within its range");
        check(
            read("after=99999999999999999999999", None).await,
            "after: is \"99999999999999999999999\", and must be a whole number within its range",
        );
        check(read("follow=yes", None).await, "follow: is \"yes\", and must be true or false");
        check(read("after=1&after=2", None).await, "after: must be there once");
        check(read("cars=1,,2", None).await, "cars: \"\" is in it, and each must be the id of a car");
        check(read("aftr=1", None).await, "aftr: is not known here; did you mean `after`?");
        check(read("x", None).await, "x: is not known here; there are after, follow, cars");
    }
}
