//! What goes wrong at the edge, and what a client is told of it.
//!
//! | what | code | details |
//! |---|---|---|
//! | a field is out of its range | `INVALID_ARGUMENT` | `BadRequest` with every field |
//! | no or an unknown token | `UNAUTHENTICATED` | |
//! | a token for something else | `PERMISSION_DENIED` | |
//! | too much at once, the game master shuts down | `RESOURCE_EXHAUSTED`, `UNAVAILABLE` | `RetryInfo` |
//!
//! Each has an `ErrorInfo` whose reason is a name for programs. [`ApiError::into_status`] is the one place where
//! errors become codes of gRPC; HTTP has another, in [`web`](crate::web). What is the game master's own business, where
//! its files are for instance, is in its log and never in an answer.

use super::field::Violation;
use crate::control::{CannotOwn, Denied, Refused};
use crate::journal::JournalError;
use crate::trial::TooMany;
use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

/// The domain of all reasons.
pub const DOMAIN: &str = "gm";

/// After how long it is worth to ask again, where nothing better is known.
const SOON: Duration = Duration::from_secs(1);

/// Why a request was not done.
#[derive(Debug, thiserror::Error)]
#[error("{words}")]
pub struct ApiError {
    /// Its code in gRPC.
    code: Code,
    /// For programs, in capitals: `RACE_NOT_FOUND`.
    reason: Cow<'static, str>,
    /// For people: what is wrong, and what to do.
    words: String,
    /// The fields that are wrong.
    violations: Vec<Violation>,
    /// More for programs: from where to resume, for instance.
    metadata: Vec<(&'static str, String)>,
    /// After how long it is worth to ask again, if it is.
    retry: Option<Duration>,
}

fn in_words(violations: &[Violation]) -> String {
    /// How many are named in the message; the details name all.
    const MOST: usize = 5;
    let named = violations.iter().take(MOST).map(|wrong| format!("{}: {}", wrong.field, wrong.description));
    let mut words: Vec<String> = named.collect();
    if violations.len() > MOST {
        words.push(format!("and {} more", violations.len() - MOST));
    }
    words.join("; ")
}

impl ApiError {
    /// An error of this code, with a reason for programs and words for people.
    #[must_use]
    pub fn new(code: Code, reason: impl Into<Cow<'static, str>>, words: impl Into<String>) -> ApiError {
        ApiError {
            code,
            reason: reason.into(),
            words: words.into(),
            violations: Vec::new(),
            metadata: Vec::new(),
            retry: None,
        }
    }

    /// The same, with something more for programs.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> ApiError {
        self.metadata.push((name, value.to_string()));
        self
    }

    /// The same; it is worth to ask again after a while.
    #[must_use]
    pub fn again_after(self, after: Duration) -> ApiError {
        ApiError { retry: Some(after), ..self }
    }

    /// Fields are out of their range.
    #[must_use]
    pub fn invalid(violations: Vec<Violation>) -> ApiError {
        let error = ApiError::new(Code::InvalidArgument, "INVALID_FIELDS", in_words(&violations));
        ApiError { violations, ..error }
    }

    /// One field is wrong.
    #[must_use]
    pub fn field(field: impl Into<String>, description: impl Into<String>) -> ApiError {
        ApiError::invalid(vec![Violation { field: field.into(), description: description.into() }])
    }

    /// Nobody says who he is, or it is not known.
    #[must_use]
    pub fn unauthenticated(words: impl Into<String>) -> ApiError {
        ApiError::new(Code::Unauthenticated, "UNAUTHENTICATED", words)
    }

    /// It is known who asks, and it is not for him.
    #[must_use]
    pub fn denied(words: impl Into<String>) -> ApiError {
        ApiError::new(Code::PermissionDenied, "PERMISSION_DENIED", words)
    }

    /// There is no such thing.
    #[must_use]
    pub fn not_found(reason: &'static str, words: impl Into<String>) -> ApiError {
        ApiError::new(Code::NotFound, reason, words)
    }

    /// A race that is not there, or that the caller may not know of.
    #[must_use]
    pub fn no_race(id: &str) -> ApiError {
        ApiError::not_found(
            "RACE_NOT_FOUND",
            format!("there is no race {id:?}: ListRaces names those that are"),
        )
        .with("race_id", id)
    }

    /// The game master shuts down.
    #[must_use]
    pub fn shutting_down() -> ApiError {
        ApiError::new(
            Code::Unavailable,
            "SHUTTING_DOWN",
            "the game master is shutting down: ask again when it is back",
        )
        .again_after(SOON)
    }

    /// Something is wrong with the game master itself: the log says what, the client is told nothing of it.
    #[must_use]
    pub fn internal(error: &(dyn std::error::Error + 'static)) -> ApiError {
        tracing::error!(error, "an internal error");
        ApiError::new(
            Code::Internal,
            "INTERNAL",
            "something is wrong with the game master: its log says what; tell the organiser",
        )
    }

    /// Its code in gRPC.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// Its name for programs.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The fields that are wrong.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// More for programs.
    #[must_use]
    pub fn metadata(&self) -> &[(&'static str, String)] {
        &self.metadata
    }

    /// After how long it is worth to ask again, if it is.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// As gRPC says it. The one place where errors become codes and details.
    #[must_use]
    pub fn into_status(self) -> Status {
        let mut details = ErrorDetails::new();
        let metadata: HashMap<String, String> =
            self.metadata().iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        details.set_error_info(self.reason(), DOMAIN, metadata);
        for Violation { field, description } in self.violations() {
            details.add_bad_request_violation(field, description);
        }
        if let Some(retry) = self.retry() {
            details.set_retry_info(Some(retry));
        }
        Status::with_error_details(self.code(), self.to_string(), details)
    }
}

impl From<ApiError> for Status {
    fn from(error: ApiError) -> Status {
        error.into_status()
    }
}

/// Why the rules refuse a command.
impl From<Refused> for ApiError {
    fn from(refused: Refused) -> ApiError {
        let Refused { reason, words } = refused;
        let field = field_of(&reason);
        let violation = field.map(|field| Violation { field: field.to_owned(), description: words.clone() });
        let error = ApiError::new(code_of(&reason), reason, words);
        ApiError { violations: violation.into_iter().collect(), ..error }
    }
}

/// The field that a refusal of the rules is about, where it is the request that is wrong.
fn field_of(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "BAD_NAME" => "name",
        "BAD_TEXT" => "text",
        "BAD_AMOUNT" => "dollars",
        "TOO_MUCH" | "NOTHING_TO_CORRECT" => "correction",
        "NO_CARS" => "car_ids",
        "BAD_ODDS" => "odds",
        "BAD_BONUS" => "bonus",
        "SAME_CAR" => "to_car_id",
        "FUTURE_TURN" => "turn",
        _ => return None,
    })
}

/// The code for a reason of [`Refusal`](gm_core::race::command::Refusal): whether it is the request that is wrong, or
/// what it is about, or the moment.
fn code_of(reason: &str) -> Code {
    match reason {
        "NO_SUCH_TEAM" | "NO_SUCH_CAR" | "NO_SUCH_BONUS" | "NO_SUCH_COMPLAINT" => Code::NotFound,
        "OTHER_TEAMS_CAR" => Code::PermissionDenied,
        "NAME_TAKEN" | "PLACE_TAKEN" | "HAS_ACHIEVEMENT" => Code::AlreadyExists,
        "BAD_NAME" | "BAD_TEXT" | "BAD_AMOUNT" | "TOO_MUCH" | "NOTHING_TO_CORRECT" | "NO_CARS"
        | "BAD_ODDS" | "BAD_BONUS" | "SAME_CAR" | "FUTURE_TURN" => Code::InvalidArgument,
        _ => Code::FailedPrecondition,
    }
}

/// Why the task of a race does not take an order.
impl From<Denied> for ApiError {
    fn from(denied: Denied) -> ApiError {
        let words = denied.to_string();
        match denied {
            Denied::Refused(refused) => refused.into(),
            Denied::TurnIsPlayed(turn) => ApiError::new(Code::Aborted, "TURN_IS_PLAYED", words)
                .with("turn", turn)
                .again_after(SOON),
            Denied::NothingToPause(turn) => {
                ApiError::new(Code::FailedPrecondition, "NOTHING_TO_PAUSE", words).with("turn", turn)
            }
            Denied::WrongTurn { next, .. } => {
                ApiError::new(Code::FailedPrecondition, "WRONG_TURN", words).with("next_turn", next)
            }
            Denied::OnTheClock => ApiError::new(Code::FailedPrecondition, "ON_THE_CLOCK", words),
            Denied::QueueFull => {
                ApiError::new(Code::ResourceExhausted, "QUEUE_FULL", words).again_after(SOON)
            }
            // Why, with names of files, is for the admin: see `Race.activity`.
            Denied::Suspended(_) => ApiError::new(
                Code::Unavailable,
                "SUSPENDED",
                "the race is suspended, because its journal can't be written: the organiser is to look at the disk; \
                 nothing is lost",
            )
            .again_after(SOON),
            Denied::Stopped(_) => ApiError::new(
                Code::FailedPrecondition,
                "STOPPED",
                "the race is stopped, because it diverged from its record: the organiser's log says where",
            ),
            Denied::ShuttingDown => ApiError::shutting_down(),
            Denied::OtherRequest(_) => ApiError::new(Code::AlreadyExists, "REQUEST_ID_USED", words),
            Denied::BadRequestId => ApiError::field("request_id", words),
            Denied::Journal(error) => error.into(),
        }
    }
}

impl From<JournalError> for ApiError {
    fn from(error: JournalError) -> ApiError {
        match error {
            JournalError::NoSuchRace(id) => ApiError::no_race(id.as_str()),
            JournalError::Closed => ApiError::shutting_down(),
            JournalError::CallExists(_) => request_id_used(),
            JournalError::RaceExists(id) => {
                ApiError::new(Code::AlreadyExists, "RACE_EXISTS", format!("race {id} is here already"))
                    .with("race_id", id)
            }
            JournalError::SecretTaken => ApiError::new(
                Code::AlreadyExists,
                "SECRET_TAKEN",
                "somebody has this secret already: take another, or leave it out to have one drawn",
            ),
            JournalError::Full(_) | JournalError::ReadOnly(_) => {
                tracing::error!(error = &error as &dyn std::error::Error, "the journal can't be written");
                ApiError::new(
                    Code::Unavailable,
                    "JOURNAL_NOT_WRITTEN",
                    "the journal can't be written: the organiser is to look at the disk; nothing was changed",
                )
                .again_after(SOON)
            }
            error => ApiError::internal(&error),
        }
    }
}

/// Too many trials run.
impl From<TooMany> for ApiError {
    fn from(error: TooMany) -> ApiError {
        ApiError::new(Code::ResourceExhausted, "TOO_MANY_TRIALS", error.to_string()).again_after(SOON)
    }
}

/// A request id that was used for another request.
#[must_use]
pub fn request_id_used() -> ApiError {
    ApiError::new(
        Code::AlreadyExists,
        "REQUEST_ID_USED",
        "this request_id was used for another request: take a new one",
    )
}

impl From<CannotOwn> for ApiError {
    fn from(error: CannotOwn) -> ApiError {
        let words = error.to_string();
        match error {
            CannotOwn::Journal(error) => error.into(),
            CannotOwn::OtherRevision { revision, ours, .. } => {
                ApiError::new(Code::FailedPrecondition, "OTHER_REVISION", words)
                    .with("revision", revision)
                    .with("our_revision", ours)
            }
            CannotOwn::Imported(_) => ApiError::new(Code::FailedPrecondition, "RACE_IMPORTED", words),
            CannotOwn::World { .. } => ApiError::internal(&error),
            CannotOwn::ShuttingDown => ApiError::shutting_down(),
        }
    }
}
