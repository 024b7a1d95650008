//! In which form an answer is wanted: one JSON value, lines of JSON, or server-sent events.
//!
//! ```text
//! accept: text/event-stream ──▶ Events        accept: */*, or none ──▶ what is offered first
//! ```

use super::problem::HttpError;
use http::HeaderMap;
use http::header::ACCEPT;

/// A form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One JSON value.
    Whole,
    /// Lines of JSON.
    Lines,
    /// Lines of JSON, by another name.
    OtherLines,
    /// Server-sent events.
    Events,
}

impl Form {
    /// Its media type.
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Form::Whole => "application/json",
            Form::Lines => "application/jsonl",
            Form::OtherLines => "application/x-ndjson",
            Form::Events => "text/event-stream",
        }
    }
}

/// The form that is wanted most among those that are offered, and of those that are wanted the same, the first.
pub(super) fn wanted(headers: &HeaderMap, offered: &[Form]) -> Result<Form, HttpError> {
    let said: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|said| said.to_str().ok()).collect();
    let said = if said.is_empty() { "*/*".to_owned() } else { said.join(",") };
    let mut best: Option<(u16, Form)> = None;
    for form in offered {
        let quality = quality(&said, form.media_type());
        if quality > best.map_or(0, |(quality, _)| quality) {
            best = Some((quality, *form));
        }
    }
    best.map(|(_, form)| form).ok_or(HttpError::NotAcceptable(
        "ask for application/jsonl or text/event-stream, for application/json where it is one value, or for */*",
    ))
}

/// How much a media type is wanted, in thousandths: by the most exact of the ranges that hold it.
fn quality(said: &str, media_type: &str) -> u16 {
    let (kind, _) = media_type.split_once('/').unwrap_or_default();
    let mut best = (0, 0);
    for range in said.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let named = parts.next().unwrap_or_default().to_ascii_lowercase();
        let exactness = match named.as_str() {
            "*/*" => 1,
            named if named.strip_suffix("/*") == Some(kind) => 2,
            named if named == media_type => 3,
            _ => continue,
        };
        let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(1000, thousandths);
        if exactness > best.0 {
            best = (exactness, quality);
        }
    }
    best.1
}

fn thousandths(text: &str) -> u16 {
    let quality: f32 = text.parse().unwrap_or(0.0);
    // Within the range of the numbers that it can be.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let thousandths = (quality.clamp(0.0, 1.0) * 1000.0) as u16;
    thousandths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(accept: Option<&str>, expected: Option<Form>) {
        let mut headers = HeaderMap::new();
        if let Some(accept) = accept {
            headers.insert(ACCEPT, accept.parse().expect("a header"));
        }
        let wanted = wanted(&headers, &[Form::Lines, Form::OtherLines, Form::Events]);
        assert_eq!(wanted.ok(), expected, "{accept:?}");
    }

    #[test]
    fn forms() {
        check(None, Some(Form::Lines));
        check(Some("*/*"), Some(Form::Lines));
        check(Some("text/event-stream"), Some(Form::Events));
        check(Some("Text/Event-Stream"), Some(Form::Events));
        check(Some("text/*"), Some(Form::Events));
        check(Some("application/x-ndjson"), Some(Form::OtherLines));
        check(Some("text/event-stream;q=0.5, application/jsonl"), Some(Form::Lines));
        check(Some("text/event-stream, */*;q=0.1"), Some(Form::Events));
        check(Some("application/jsonl;q=0, */*"), Some(Form::OtherLines));
        check(Some("text/html"), None);
        check(Some("application/json"), None);
        check(Some(""), None);
        check(Some("*/*;q=0"), None);
        check(Some("*/*;q=NaN"), None);
    }
}
