//! What was shown of a race to one viewer: the events that are kept, and the race after the last of them.
//!
//! ```text
//! kept: 5 6 7 8 9        oldest 5, last 9        after 3: gone        after 4 … 9: on from there        after 10: beyond
//! ```
//!
//! It lies in a channel of which only the last word stays: its one writer appends, and its readers look at it where
//! they are. No reader holds it for longer than it takes to find one event.

use super::error::Ended;
use super::shown::{Shown, Snapshot};
use gm_core::race::Race;
use gm_core::race::view::Viewer;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

/// What was shown to one viewer.
#[derive(Debug)]
pub(super) struct View {
    viewer: Viewer,
    retention: usize,
    /// The last events, in order.
    kept: VecDeque<Arc<Shown>>,
    /// The number of the last event.
    last: u64,
    /// The number of the last event of the decision before.
    last_before: u64,
    /// The number of the last event that was shown or hidden, in the journal. Nobody is told of it.
    at: u64,
    /// The race after that event; none: the view is not open yet.
    newest: Option<Arc<Newest>>,
    /// Why no more comes, if none does.
    ended: Option<Ended>,
}

/// The race after the last event of a view.
#[derive(Debug)]
pub(super) struct Newest {
    viewer: Viewer,
    sequence: u64,
    race: Arc<Race>,
    snapshot: OnceLock<Arc<Snapshot>>,
}

impl Newest {
    /// The race as the viewer sees it, made once for all who ask.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        let make = || Arc::new(Snapshot::of(&self.race, self.viewer, self.sequence));
        Arc::clone(self.snapshot.get_or_init(make))
    }
}

impl View {
    /// Nothing was shown yet; not even that there is nothing.
    pub(super) fn new(viewer: Viewer, retention: usize) -> View {
        View {
            viewer,
            retention,
            kept: VecDeque::new(),
            last: 0,
            last_before: 0,
            at: 0,
            newest: None,
            ended: None,
        }
    }

    /// Shows what was decided, of which this viewer may see nothing. `last` is the number of the last event in this
    /// view then, `at` in the journal.
    pub(super) fn append(&mut self, told: VecDeque<Arc<Shown>>, last: u64, at: u64, race: &Arc<Race>) {
        if last > self.last {
            (self.last_before, self.last) = (self.last, last);
            self.kept.extend(told);
            let too_many = self.kept.len().saturating_sub(self.retention);
            self.kept.drain(..too_many);
        }
        self.newest = Some(Arc::new(Newest {
            viewer: self.viewer,
            sequence: self.last,
            race: Arc::clone(race),
            snapshot: OnceLock::new(),
        }));
        self.at = at;
    }

    /// Whether the view is open, and an event of the journal was shown or hidden in it.
    pub(super) fn has_come_to(&self, at: u64) -> bool {
        self.newest.is_some() && self.at >= at
    }

    /// No more comes.
    pub(super) fn end(&mut self, ended: Ended) {
        self.ended = Some(ended);
    }

    /// Why no more comes, if none does.
    pub(super) fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// The race after the last event; none as long as the view is not open.
    pub(super) fn newest(&self) -> Option<&Arc<Newest>> {
        self.newest.as_ref()
    }

    /// The number of the last event; 0: there is none.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// The oldest number that is kept; the next one that will be, where nothing is.
    pub(super) fn oldest(&self) -> u64 {
        self.kept.front().map_or(self.last + 1, |oldest| oldest.sequence)
    }

    /// How many events somebody is behind who could have read all but the newest decision.
    pub(super) fn behind(&self, after: u64) -> u64 {
        self.last_before.saturating_sub(after)
    }

    /// The events after one, which is the one before the oldest or a later one.
    pub(super) fn after(&self, after: u64) -> impl Iterator<Item = &Arc<Shown>> {
        let passed = (after + 1).saturating_sub(self.oldest());
        self.kept.range(usize::try_from(passed).unwrap_or(usize::MAX).min(self.kept.len())..)
    }
}
