//! What a person is told when the server says no, or nothing: what is wrong and what to do, in one line, and the exit
//! code. The one place where codes of gRPC become exit codes.
//!
//! | exit code | what |
//! |---|---|
//! | 1 | the server refuses it, or it failed |
//! | 3 | the server can't be reached, or is not available just now |
//! | 4 | not allowed: no token, an unknown one, or one for something else |
//! | 5 | there is no such thing |

use super::shown::cell;
use crate::cli::Failure;
use std::error::Error;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// It can't be reached.
const UNREACHABLE: u8 = 3;
/// It is not allowed.
const NOT_ALLOWED: u8 = 4;
/// It is not there.
const NOT_FOUND: u8 = 5;

/// There is no such thing, in words: exit code 5.
pub(super) fn not_found(words: impl Into<String>) -> Failure {
    Failure::Exit { code: NOT_FOUND, words: words.into() }
}

/// An error of the server at `url`, or of the way there. `says_who`: whether a token was shown.
pub(super) fn in_words(status: &Status, url: &str, says_who: bool) -> Failure {
    let message = cell(status.message());
    // What `gm serve` itself says has a reason; what comes from the network, or from another server, has none.
    let is_said = status.get_details_error_info().is_some();
    let (code, words) = match status.code() {
        Code::Unavailable if is_said => (UNREACHABLE, message),
        Code::Unavailable => {
            (UNREACHABLE, format!("can't reach {url}: is `gm serve` running there? ({})", cause(status)))
        }
        Code::Unauthenticated if says_who => (NOT_ALLOWED, message),
        Code::Unauthenticated => (NOT_ALLOWED, format!("{message}: {GIVE_A_TOKEN}")),
        Code::PermissionDenied => (NOT_ALLOWED, message),
        Code::NotFound => (NOT_FOUND, message),
        Code::InvalidArgument => {
            let fields = status.get_details_bad_request().map(|bad| bad.field_violations).unwrap_or_default();
            let named: Vec<String> = fields
                .iter()
                .map(|wrong| format!("{}: {}", cell(&wrong.field), cell(&wrong.description)))
                .collect();
            (1, if named.is_empty() { message } else { named.join("; ") })
        }
        Code::Unknown | Code::Internal | Code::Unimplemented if !is_said => (
            UNREACHABLE,
            format!("what answers at {url} is no `gm serve`, or of another version: {}", cause(status)),
        ),
        _ => (1, message),
    };
    Failure::Exit { code, words }
}

/// How a token is given.
const GIVE_A_TOKEN: &str = "give it with `export GM_TOKEN=…`, --token-file FILE, or --token TOKEN";

/// What went wrong on the way: the message, or what is behind it.
fn cause(status: &Status) -> String {
    let causes = status.source().map(all_causes);
    cell(&causes.unwrap_or_else(|| status.message().to_owned()))
}

/// An error with all that is behind it.
pub(super) fn all_causes(error: &(dyn Error + 'static)) -> String {
    /// The most causes that are named.
    const MOST: usize = 8;
    let mut words = vec![error.to_string()];
    let mut behind = error.source();
    while let Some(error) = behind.filter(|_| words.len() < MOST) {
        words.push(error.to_string());
        behind = error.source();
    }
    // Some say what is behind them as well.
    words.dedup();
    words.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::error::ApiError;
    use crate::api::field::Violation;

    #[track_caller]
    fn check(status: &Status, says_who: bool, code: u8, expected: &str) {
        let told = in_words(status, "http://gm.example:7300", says_who);
        assert_eq!((told.exit_code(), told.to_string()), (code, expected.to_owned()));
        assert!(!told.to_string().chars().any(char::is_control));
    }

    #[test]
    fn what_is_said_and_how_gm_exits() {
        let wrong = |field: &str, description: &str| Violation {
            field: field.to_owned(),
            description: description.to_owned(),
        };
        let fields: Vec<Violation> = (1..=7).map(|n| wrong(&format!("f{n}"), "is wrong")).collect();
        let all = "f1: is wrong; f2: is wrong; f3: is wrong; f4: is wrong; f5: is wrong; f6: is wrong; f7: is wrong";
        check(&ApiError::invalid(fields).into_status(), true, 1, all);
        let nobody = ApiError::unauthenticated("this needs an admin's token").into_status();
        check(&nobody, false, 4, &format!("this needs an admin's token: {GIVE_A_TOKEN}"));
        check(&ApiError::unauthenticated("nobody has it").into_status(), true, 4, "nobody has it");
        check(&ApiError::denied("not yours").into_status(), true, 4, "not yours");
        check(&ApiError::not_found("X", "no race\n\u{1b}[2J").into_status(), true, 5, "no race \\u{1b}[2J");
        let shutting_down = "the game master is shutting down: ask again when it is back";
        check(&ApiError::shutting_down().into_status(), true, 3, shutting_down);
        let not_there = "can't reach http://gm.example:7300: is `gm serve` running there? (refused)";
        check(&Status::unavailable("refused"), true, 3, not_there);
        let other = "what answers at http://gm.example:7300 is no `gm serve`, or of another version: what?";
        check(&Status::unimplemented("what?"), true, 3, other);
        check(
            &ApiError::new(Code::FailedPrecondition, "X", "it is over").into_status(),
            true,
            1,
            "it is over",
        );
    }
}
