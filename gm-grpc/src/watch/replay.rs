//! A race from a turn on, as a viewer saw it.
//!
//! ```text
//! let mut replay = Replay::begin(&chronicle, Viewer::Spectator, TurnNo(3)).await?;
//! show(replay.snapshot());   while let Some(shown) = replay.next().await? { … }     // as fast as somebody asks
//! ```
//!
//! It is read from the journal, page by page, so it does not matter how much of the race is kept for readers. It ends
//! with the last event that there is when it gets there. Numbers are those that readers were given.

use super::chronicle::Chronicle;
use super::error::CannotRead;
use super::fold::Fold;
use super::shown::{Shown, Snapshot};
use crate::journal::{JournalError, Numbered};
use gm_core::ids::TurnNo;
use gm_core::race::Event;
use gm_core::race::view::Viewer;
use std::collections::VecDeque;
use std::sync::Arc;

/// A race from a turn on.
pub struct Replay {
    viewer: Viewer,
    fold: Fold,
    /// Read, and not shown yet: at most a page.
    page: VecDeque<Numbered>,
    /// The number of the last event that was shown.
    last: u64,
    snapshot: Arc<Snapshot>,
}

impl Replay {
    /// Begins with the race as it was before a turn was started; 0: as it was when it had just been made.
    ///
    /// # Errors
    /// [`CannotRead::NoSuchTurn`] if this turn was not started yet, [`CannotRead::Journal`].
    pub async fn begin(chronicle: &Chronicle, viewer: Viewer, turn: TurnNo) -> Result<Replay, CannotRead> {
        let mut fold = Fold::new(chronicle.journal().clone(), Arc::clone(chronicle.record()));
        let mut page = VecDeque::new();
        let mut last = 0;
        // The turn that was started last.
        let mut started = TurnNo(0);
        loop {
            if page.is_empty() {
                page = fold.page(None).await?.into();
            }
            let Some(next) = page.front() else { return Err(CannotRead::NoSuchTurn { last: started }) };
            if let Event::TurnStarted { turn } = next.event {
                started = turn;
            }
            if let Some(race) = fold.race()
                && (turn == TurnNo(0) || started >= turn)
            {
                let snapshot = Arc::new(Snapshot::of(race, viewer, last));
                return Ok(Replay { viewer, fold, page, last, snapshot });
            }
            if let Some(numbered) = page.pop_front() {
                last += u64::from(
                    Shown::to(viewer, fold.race().map(|race| &**race), &numbered, last + 1).is_some(),
                );
                fold.apply(&numbered);
            }
        }
    }

    /// The race before the turn.
    #[must_use]
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// The next event; none: that is all.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn next(&mut self) -> Result<Option<Arc<Shown>>, JournalError> {
        loop {
            if self.page.is_empty() {
                self.page = self.fold.page(None).await?.into();
            }
            let Some(numbered) = self.page.pop_front() else { return Ok(None) };
            let before = self.fold.race().map(|race| &**race);
            let shown = Shown::to(self.viewer, before, &numbered, self.last + 1);
            self.fold.apply(&numbered);
            if let Some(shown) = shown {
                self.last = shown.sequence;
                return Ok(Some(Arc::new(shown)));
            }
        }
    }
}
