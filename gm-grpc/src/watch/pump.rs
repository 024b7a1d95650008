//! From a reader to a client, who may read slowly, or not at all.
//!
//! ```text
//! Reader ─▶ task ─▶ [ at most 64 messages ] ─▶ stream ─▶ transport ─▶ client
//!             └── how it ended ──────────────────┘ the last item, always an error
//! ```
//!
//! The task asks its reader only when there is room for what it says. So what a client does not take stays in the view,
//! and a client that takes nothing for too long is told after which number it can go on.

use super::Settings;
use super::error::Ended;
use futures_util::Stream;
use futures_util::stream::unfold;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// How many messages wait for a client to take them.
pub const MOST_UNREAD: usize = 64;

/// What is read message by message, until it ends.
pub trait Reads: Send + 'static {
    /// A message.
    type Message: Send + 'static;

    /// The next message. Losing this future loses nothing.
    ///
    /// # Errors
    /// [`Ended`]; there is no more then.
    fn next(&mut self) -> impl Future<Output = Result<Self::Message, Ended>> + Send;

    /// Its client has taken nothing for too long.
    ///
    /// # Errors
    /// [`Ended`], if it does not wait for the client.
    fn stalled(&mut self) -> Result<(), Ended>;
}

/// Counts the streams that are open. Clones count the same ones.
#[derive(Debug, Clone, Default)]
pub struct StreamsOpen(Arc<AtomicUsize>);

impl StreamsOpen {
    /// How many are open.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn one_more(&self) -> OneOpen {
        self.0.fetch_add(1, Ordering::Relaxed);
        OneOpen(self.clone())
    }
}

/// A stream that is open, as long as this is there.
struct OneOpen(StreamsOpen);

impl Drop for OneOpen {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The messages of a reader as a stream, whose last item says why it ended, and is an error: no stream ends as if there
/// were no more to come. When `stop` is there, it ends as [`Ended::ShuttingDown`]. Who drops it ends the reader.
/// What a client was told before it stalled, at most [`MOST_UNREAD`] messages, it is still given, before the end or the
/// snapshot.
pub fn stream<R: Reads, S: Future<Output = ()> + Send + 'static>(
    reader: R,
    settings: &Settings,
    stop: S,
    open: &StreamsOpen,
) -> impl Stream<Item = Result<R::Message, Ended>> + Send + use<R, S> {
    let (messages, inbox) = mpsc::channel(MOST_UNREAD);
    let (end, ended) = oneshot::channel();
    let limit = settings.send_limit;
    let open = open.one_more();
    tokio::spawn(async move {
        let how = tokio::select! {
            biased;
            () = stop => Some(Ended::ShuttingDown),
            how = pump(reader, &messages, limit) => how,
        };
        // Before the messages end, so that whoever finds them ended finds this.
        if let Some(how) = how {
            let _ = end.send(how);
        }
        drop(messages);
        drop(open);
    });
    unfold(Some((inbox, ended)), |state| async {
        let (mut inbox, ended) = state?;
        match inbox.recv().await {
            Some(message) => Some((Ok(message), Some((inbox, ended)))),
            // A task that has ended without a word was ended with the process.
            None => Some((Err(ended.await.unwrap_or(Ended::ShuttingDown)), None)),
        }
    })
}

/// Moves messages as long as there is room; none: nobody wants them any more.
async fn pump<R: Reads>(
    mut reader: R,
    messages: &mpsc::Sender<R::Message>,
    limit: Duration,
) -> Option<Ended> {
    loop {
        let room = match timeout(limit, messages.reserve()).await {
            Ok(room) => room,
            Err(_) => match reader.stalled() {
                Ok(()) => messages.reserve().await,
                Err(ended) => return Some(ended),
            },
        };
        let room = room.ok()?;
        let message = tokio::select! {
            () = messages.closed() => return None,
            message = reader.next() => message,
        };
        match message {
            Ok(message) => room.send(message),
            Err(ended) => return Some(ended),
        }
    }
}
