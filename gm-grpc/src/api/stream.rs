//! How streams end: with a word, whatever the reason.

use super::Api;
use super::auth::Caller;
use super::error::ApiError;
use crate::observe::metrics::OpenStream;
use crate::watch::{CannotRead, Ended};
use futures_util::future::{Either, select};
use futures_util::stream::{BoxStream, unfold};
use futures_util::{Stream, StreamExt as _};
use std::future::Future;
use std::pin::pin;
use std::time::Duration;
use tonic::{Code, Status};

/// The answers of a stream, as gRPC sends them.
pub(crate) type Answers<T> = BoxStream<'static, Result<T, Status>>;

/// The answers of a stream, before a transport has its word for how it ends.
pub(crate) type Told<T> = BoxStream<'static, Result<T, ApiError>>;

/// A stream as gRPC sends it.
pub(crate) fn over_grpc<T: Send + 'static>(told: Told<T>) -> Answers<T> {
    told.map(|item| item.map_err(ApiError::into_status)).boxed()
}

impl Api {
    /// Completes when streams are to end, since the game master shuts down.
    pub(crate) fn stop(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut draining = self.0.draining.subscribe();
        async move {
            // Its sender goes with the API, and then nothing is to be read any more either.
            let _ = draining.wait_for(|draining| *draining).await;
        }
    }

    /// A stream of this name that is counted while it is open, and ends when the game master shuts down, or when what its
    /// reader showed has become worthless.
    pub(crate) fn ending<T: Send + 'static>(
        &self,
        caller: Caller,
        name: &'static str,
        stream: impl Stream<Item = Result<T, ApiError>> + Send + 'static,
    ) -> Told<T> {
        let access = self.access().clone();
        let stop = self.stop();
        let end = async move {
            match select(pin!(stop), pin!(access.is_revoked(caller))).await {
                Either::Left(_) => ApiError::shutting_down(),
                Either::Right(_) => ApiError::unauthenticated(
                    "your token was revoked, or your secret replaced, while you read",
                ),
            }
        };
        let state = Some((Box::pin(stream), Box::pin(end), OpenStream::new(name)));
        unfold(state, |state| async {
            let (mut stream, mut end, open) = state?;
            tokio::select! {
                biased;
                error = &mut end => Some((Err(error), None)),
                item = stream.next() => match item? {
                    Ok(item) => Some((Ok(item), Some((stream, end, open)))),
                    Err(error) => Some((Err(error), None)),
                },
            }
        })
        .boxed()
    }
}

/// Why nothing can be read.
impl From<CannotRead> for ApiError {
    fn from(error: CannotRead) -> ApiError {
        let words = error.to_string();
        match error {
            CannotRead::Gone { oldest } => {
                ApiError::new(Code::OutOfRange, "HISTORY_GONE", words).with("oldest_sequence", oldest)
            }
            CannotRead::Beyond { last } => {
                ApiError::new(Code::OutOfRange, "BEYOND_LAST", words).with("last_sequence", last)
            }
            CannotRead::NoSuchTeam(team) => ApiError::not_found("NO_SUCH_TEAM", words).with("team_id", team),
            CannotRead::NoSuchTurn { last } => {
                ApiError::new(Code::OutOfRange, "BEYOND_LAST_TURN", words).with("last_turn", last)
            }
            CannotRead::TooManyRaces => ApiError::new(Code::ResourceExhausted, "TOO_MANY_RACES", words)
                .again_after(Duration::from_secs(10)),
            CannotRead::NotOwned(error) => error.into(),
            CannotRead::ShuttingDown => ApiError::shutting_down(),
            CannotRead::Journal(error) => error.into(),
        }
    }
}

/// Why a reader ended.
impl From<Ended> for ApiError {
    fn from(ended: Ended) -> ApiError {
        let words = ended.to_string();
        match ended {
            Ended::FellBehind { resume_after } => {
                ApiError::new(Code::ResourceExhausted, "FELL_BEHIND", words)
                    .with("resume_after", resume_after)
            }
            Ended::Gone { oldest } => {
                ApiError::new(Code::OutOfRange, "HISTORY_GONE", words).with("oldest_sequence", oldest)
            }
            Ended::ShuttingDown => ApiError::shutting_down(),
            Ended::Journal(error) => error.into(),
        }
    }
}
