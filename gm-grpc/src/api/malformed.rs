//! Requests that can't be read: what is wrong with them is the client's affair, and said so.
//!
//! ```text
//! INTERNAL "failed to decode Protobuf message: Rules.preset: CreateRaceRequest.rules: …"
//!     ──▶ INVALID_ARGUMENT, BadRequest { field: "rules.preset" }
//! ```
//!
//! The transport calls them errors of its own. It can be told apart, since our errors have details and its have none.

use super::error::ApiError;
use axum::body::Body;
use http::{HeaderMap, Response};
use tonic::{Code, Status};

/// The header in which the details of an error are.
const DETAILS: &str = "grpc-status-details-bin";
/// How the transport begins where a message can't be read.
const UNREADABLE: &str = "failed to decode Protobuf message: ";

/// An answer, with what the transport says of a request that can't be read in our words.
pub(crate) fn plainly(answer: Response<Body>) -> Response<Body> {
    match wrong(answer.headers()) {
        Some(error) => error.into_status().into_http(),
        None => answer,
    }
}

/// What is wrong with a request, if the transport could not read it.
fn wrong(headers: &HeaderMap) -> Option<ApiError> {
    if headers.contains_key(DETAILS) { None } else { of(&Status::from_header_map(headers)?) }
}

/// What is wrong with a request or a message of one, if this is what the transport says where it can't read it.
pub(crate) fn of(status: &Status) -> Option<ApiError> {
    if !status.details().is_empty() {
        return None;
    }
    match status.code() {
        Code::Internal => Some(of_words(status.message())),
        Code::OutOfRange => Some(ApiError::new(
            Code::InvalidArgument,
            "MESSAGE_TOO_LARGE",
            format!("the request is too large: {}", status.message()),
        )),
        _ => None,
    }
}

fn of_words(words: &str) -> ApiError {
    let unnamed = || {
        ApiError::new(
            Code::InvalidArgument,
            "MALFORMED_MESSAGE",
            format!("the request can't be read: {words}"),
        )
    };
    let Some(mut rest) = words.strip_prefix(UNREADABLE) else { return unnamed() };
    // The innermost message comes first.
    let mut path = Vec::new();
    while let Some((place, after)) = rest.split_once(": ")
        && let Some((message, field)) = place.split_once('.')
        && message.starts_with(|c: char| c.is_ascii_uppercase())
        && !place.contains(' ')
    {
        path.push(field);
        rest = after;
    }
    path.reverse();
    if path.is_empty() { unnamed() } else { ApiError::field(path.join("."), rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the transport says, and what a client is told: the field, and the words.
    #[test]
    fn what_can_not_be_read() {
        let utf8 = "invalid string value: data is not UTF-8 encoded";
        for (words, field, said) in [
            (format!("{UNREADABLE}CreateRaceRequest.title: {utf8}"), "title", utf8.to_owned()),
            (
                format!("{UNREADABLE}Rules.preset: CreateRaceRequest.rules: invalid varint"),
                "rules.preset",
                "invalid varint".to_owned(),
            ),
            (
                format!("{UNREADABLE}invalid tag value: 0"),
                "",
                format!("the request can't be read: {UNREADABLE}invalid tag value: 0"),
            ),
            (
                "Missing request message.".to_owned(),
                "",
                "the request can't be read: Missing request message.".to_owned(),
            ),
        ] {
            let error = of_words(&words);
            assert_eq!(error.code(), Code::InvalidArgument, "{words}");
            match error.violations() {
                [] => assert_eq!(("", error.to_string()), (field, said)),
                [wrong, ..] => assert_eq!((&*wrong.field, &wrong.description), (field, &said)),
            }
        }
    }

    /// Our own errors stay as they are, internal ones too.
    #[test]
    fn others_stay() {
        for (status, is_ours) in [
            (ApiError::shutting_down().into_status(), true),
            (ApiError::new(Code::Internal, "INTERNAL", "see the log").into_status(), true),
            (Status::internal("Unexpected EOF decoding stream."), false),
            (Status::out_of_range("too large"), false),
            (Status::not_found("none"), true),
        ] {
            let answer: Response<Body> = status.clone().into_http();
            assert_eq!(wrong(answer.headers()).is_none(), is_ours, "{status:?}");
        }
    }
}
