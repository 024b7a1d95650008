//! A place in what a viewer sees of a race, that moves on.
//!
//! ```text
//! after 17:    Event 18 … Event 40   CaughtUp 40   Event 41 …   (silence)   Heartbeat 41
//! snapshot:    Snapshot 40           CaughtUp 40   Event 41 …
//! ```
//!
//! Every message has the number after which somebody who lost the reader goes on. What the filter hides moves it too,
//! so nobody who goes on reads it all again.

use super::chronicle::Chronicle;
use super::error::{CannotRead, Ended};
use super::kind::Filter;
use super::pump::Reads;
use super::shown::{Shown, Snapshot};
use super::view::View;
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};

/// How many events a reader passes over at a time that its filter hides.
const MOST_PASSED: usize = 256;

/// Where a reader begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// With the event after this number; 0: with the first.
    After(u64),
    /// With a snapshot, and then with what comes after it.
    Snapshot,
}

/// What becomes of a reader that falls behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It ends, and is told after which number it can go on: it loses nothing.
    Lossless,
    /// It is given a snapshot, and goes on from there.
    Latest,
}

/// What a reader is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Something happened.
    Event(Arc<Shown>),
    /// The race as it is: at the start, or instead of what the reader has missed.
    Snapshot(Arc<Snapshot>),
    /// There is no more so far. What follows is new.
    CaughtUp(u64),
    /// There was nothing to tell for a time, and all up to this number was read.
    Heartbeat(u64),
}

impl Message {
    /// The number after which somebody goes on who was told this last.
    #[must_use]
    pub fn resume_after(&self) -> u64 {
        match self {
            Message::Event(shown) => shown.sequence,
            Message::Snapshot(snapshot) => snapshot.sequence,
            Message::CaughtUp(last) | Message::Heartbeat(last) => *last,
        }
    }
}

/// Reads what a viewer sees of a race. It holds its place and no event, so it costs nothing not to be read.
pub struct Reader {
    /// It is followed as long as somebody reads.
    chronicle: Arc<Chronicle>,
    view: watch::Receiver<View>,
    mode: Mode,
    filter: Filter,
    /// The number up to which all was told, or hidden by the filter.
    after: u64,
    /// Whether a snapshot comes next.
    wants_snapshot: bool,
    /// Whether the reader was told that it is caught up.
    is_caught_up: bool,
    /// When it is told something again, whatever happens.
    heartbeat_at: Instant,
}

impl Reader {
    pub(super) fn new(
        chronicle: Arc<Chronicle>,
        view: watch::Receiver<View>,
        start: Start,
        mode: Mode,
        filter: Filter,
    ) -> Result<Reader, CannotRead> {
        let after = {
            let view = view.borrow();
            let (oldest, last) = (view.oldest(), view.last());
            match start {
                Start::After(after) if after > last => return Err(CannotRead::Beyond { last }),
                Start::After(after) if after + 1 < oldest => return Err(CannotRead::Gone { oldest }),
                Start::After(after) => after,
                Start::Snapshot => last,
            }
        };
        let heartbeat_at = Instant::now() + chronicle.settings().heartbeat;
        Ok(Reader {
            chronicle,
            view,
            mode,
            filter,
            after,
            wants_snapshot: start == Start::Snapshot,
            is_caught_up: false,
            heartbeat_at,
        })
    }

    /// The number after which this reader goes on.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.after
    }

    /// The next message. Losing this future loses nothing.
    ///
    /// # Errors
    /// [`Ended`], and from then on always.
    pub async fn next(&mut self) -> Result<Message, Ended> {
        loop {
            if let ControlFlow::Break(told) = self.look() {
                self.heartbeat_at = Instant::now() + self.chronicle.settings().heartbeat;
                return told;
            }
            if Instant::now() >= self.heartbeat_at {
                self.heartbeat_at = Instant::now() + self.chronicle.settings().heartbeat;
                return Ok(Message::Heartbeat(self.after));
            }
            if self.view.borrow().last() > self.after {
                // There is more that the filter may hide; others want to go on too.
                yield_now().await;
                continue;
            }
            match timeout_at(self.heartbeat_at, self.view.changed()).await {
                Ok(Ok(())) | Err(_) => {}
                // Its last word is there, or the task has died without one.
                Ok(Err(_)) => {
                    let ended = self.view.borrow().ended().cloned();
                    return Err(ended.unwrap_or(Ended::ShuttingDown));
                }
            }
        }
    }

    /// What there is to be told now, if anything.
    fn look(&mut self) -> ControlFlow<Result<Message, Ended>> {
        let view = self.view.borrow_and_update();
        let is_gone = self.after + 1 < view.oldest();
        let is_behind = self.is_caught_up && view.behind(self.after) > self.chronicle.settings().buffer;
        match self.mode {
            Mode::Lossless if is_gone => {
                return ControlFlow::Break(Err(Ended::Gone { oldest: view.oldest() }));
            }
            Mode::Lossless if is_behind => {
                return ControlFlow::Break(Err(Ended::FellBehind { resume_after: self.after }));
            }
            Mode::Latest if is_gone || is_behind => self.wants_snapshot = true,
            Mode::Lossless | Mode::Latest => {}
        }
        if self.wants_snapshot
            && let Some(newest) = view.newest().map(Arc::clone)
        {
            // Nobody else waits while the snapshot is made.
            drop(view);
            let snapshot = newest.snapshot();
            (self.wants_snapshot, self.is_caught_up) = (false, false);
            self.after = snapshot.sequence;
            return ControlFlow::Break(Ok(Message::Snapshot(snapshot)));
        }
        for shown in view.after(self.after).take(MOST_PASSED) {
            self.after = shown.sequence;
            if self.filter.passes(shown.kind, &shown.cars) {
                return ControlFlow::Break(Ok(Message::Event(Arc::clone(shown))));
            }
        }
        if self.after < view.last() {
            return ControlFlow::Continue(());
        }
        if !self.is_caught_up {
            self.is_caught_up = true;
            return ControlFlow::Break(Ok(Message::CaughtUp(self.after)));
        }
        match view.ended() {
            Some(ended) => ControlFlow::Break(Err(ended.clone())),
            None => ControlFlow::Continue(()),
        }
    }
}

impl Reads for Reader {
    type Message = Message;

    async fn next(&mut self) -> Result<Message, Ended> {
        Reader::next(self).await
    }

    fn stalled(&mut self) -> Result<(), Ended> {
        match self.mode {
            Mode::Lossless => Err(Ended::FellBehind { resume_after: self.after }),
            Mode::Latest => {
                self.wants_snapshot = true;
                Ok(())
            }
        }
    }
}
