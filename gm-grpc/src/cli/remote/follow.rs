//! Streams that go on by themselves: when the server stops, or the reader has fallen behind, from the last number on.
//!
//! ```text
//! events 1 to 41, the server stops, it is back, events after 41
//! ```

use super::connection::{Line, Pauses};
use crate::cli::Failure;
use tonic::{Code, Response, Status, Streaming};

/// What a message of a stream was.
pub(super) enum Step {
    /// Everything up to this number has come.
    At(u64),
    /// The last that is to be read.
    Last,
}

/// Reads a stream to its end, or until `on` has read the last message. `open` opens it after a number.
///
/// The first attempt has the patience of a call; once anything has come, the stream is opened again for as long as the
/// patience with a broken stream lasts, which begins anew with each message.
pub(super) async fn follow<M>(
    line: &Line,
    mut after: u64,
    open: impl AsyncFn(u64) -> Result<Response<Streaming<M>>, Status>,
    mut on: impl FnMut(M) -> Result<Step, Failure>,
) -> Result<(), Failure> {
    let mut stream = line.call(async || open(after).await).await?;
    let mut pauses: Option<Pauses> = None;
    loop {
        let broken = match stream.message().await {
            Ok(Some(message)) => {
                pauses = None;
                match on(message)? {
                    Step::At(number) => after = number,
                    Step::Last => return Ok(()),
                }
                continue;
            }
            Ok(None) => return Ok(()),
            Err(status) => status,
        };
        stream = again(line, broken, &mut pauses, async || open(after).await).await?;
    }
}

/// Opens a broken stream again.
async fn again<M>(
    line: &Line,
    mut broken: Status,
    pauses: &mut Option<Pauses>,
    open: impl AsyncFn() -> Result<Response<Streaming<M>>, Status>,
) -> Result<Streaming<M>, Failure> {
    if pauses.is_none() && goes_on(&broken) && !line.patience().is_zero() {
        eprintln!("gm: the stream broke off, and goes on when the server can be reached again");
    }
    let pauses = pauses.get_or_insert_with(|| Pauses::new(line.patience()));
    loop {
        if !goes_on(&broken) || !pauses.pause().await {
            return Err(line.refused(&broken));
        }
        match open().await {
            Ok(answer) => return Ok(answer.into_inner()),
            Err(status) => broken = status,
        }
    }
}

/// Whether a stream that ended so can go on: the server stopped, the way to it broke, or the reader was too slow.
fn goes_on(status: &Status) -> bool {
    match status.code() {
        Code::Unavailable | Code::ResourceExhausted => true,
        // What breaks on the way, and not what the server says.
        Code::Unknown | Code::Internal | Code::Cancelled => {
            tonic_types::StatusExt::get_details_error_info(status).is_none()
        }
        _ => false,
    }
}
