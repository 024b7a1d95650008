//! Reads a race from the journal, event by event, and shows each to those who look.
//!
//! ```text
//! fold.advance(&mut [spectators, team_1], Some(812)).await?      // all of a decision, and then all see it at once
//! ```

use super::error::Ended;
use super::shown::Shown;
use super::view::View;
use crate::control::State;
use crate::journal::{Journal, JournalError, Numbered, RaceRecord, store};
use gm_core::race::Race;
use gm_core::race::view::Viewer;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::watch;

/// A race, as far as it was read.
pub(super) struct Fold {
    journal: Journal,
    record: Arc<RaceRecord>,
    race: Option<Arc<Race>>,
    at: u64,
}

impl Fold {
    /// Before the first event.
    pub(super) fn new(journal: Journal, record: Arc<RaceRecord>) -> Fold {
        Fold { journal, record, race: None, at: 0 }
    }

    /// A race as its owner has it: what was before needs not be read.
    pub(super) fn from_here(journal: Journal, record: Arc<RaceRecord>, state: &State) -> Fold {
        Fold { journal, record, race: Some(Arc::clone(&state.race)), at: state.last_seq }
    }

    /// The same race, before its first event.
    pub(super) fn anew(&self) -> Fold {
        Fold::new(self.journal.clone(), Arc::clone(&self.record))
    }

    /// The race after the last event that was read; none before the first.
    pub(super) fn race(&self) -> Option<&Arc<Race>> {
        self.race.as_ref()
    }

    /// The number of the last event that was read, in the journal.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Reads on until an event, which is the last of a decision; none: until the last that there is. Only when all of
    /// it was read, those who look see it.
    ///
    /// # Errors
    /// [`JournalError`]; nobody sees anything of it then.
    pub(super) async fn advance(
        &mut self,
        tellers: &mut [Teller],
        until: Option<u64>,
    ) -> Result<(), JournalError> {
        self.tell(tellers, until).await?;
        if let Some(race) = &self.race {
            tellers.iter_mut().for_each(|teller| teller.publish(self.at, race));
        }
        Ok(())
    }

    /// Reads on until an event like [`advance`](Fold::advance), but nobody sees anything yet.
    ///
    /// # Errors
    /// [`JournalError`].
    pub(super) async fn tell(
        &mut self,
        tellers: &mut [Teller],
        until: Option<u64>,
    ) -> Result<(), JournalError> {
        while until.is_none_or(|until| self.at < until) {
            let page = self.page(until).await?;
            if page.is_empty() {
                break;
            }
            for numbered in &page {
                tellers.iter_mut().for_each(|teller| teller.tell(self.race.as_deref(), numbered));
                self.apply(numbered);
            }
        }
        Ok(())
    }

    /// The next events; none if that is all so far.
    ///
    /// # Errors
    /// [`JournalError::Unreadable`] if one is missing, among others.
    pub(super) async fn page(&self, until: Option<u64>) -> Result<Vec<Numbered>, JournalError> {
        let page = self.journal.events(&self.record, self.at).await?;
        let wanted = page.into_iter().filter(|event| until.is_none_or(|until| event.seq <= until));
        let page = wanted.map(|event| store::numbered(&self.record, event)).collect::<Result<Vec<_>, _>>()?;
        let is_whole = page.iter().zip(self.at + 1..).all(|(numbered, next)| numbered.sequence == next);
        if !is_whole || (page.is_empty() && until.is_some()) {
            return Err(JournalError::Unreadable {
                race: self.record.id.clone(),
                what: format!("what comes after event {}", self.at),
                because: "an event is missing".to_owned(),
            });
        }
        Ok(page)
    }

    /// An event that was read becomes part of the race.
    pub(super) fn apply(&mut self, numbered: &Numbered) {
        self.at = numbered.sequence;
        match &mut self.race {
            // Who was given the race before keeps it as it was.
            Some(race) => Arc::make_mut(race).apply(&numbered.event),
            None => self.race = Race::from_events([&numbered.event]).map(Arc::new),
        }
    }
}

/// Tells a race to one viewer, event by event, and shows it to them decision by decision.
pub(super) struct Teller {
    viewer: Viewer,
    /// The number of the last event that was told, in the view.
    last: u64,
    /// What was told, and is not shown yet.
    told: VecDeque<Arc<Shown>>,
    retention: usize,
    view: watch::Sender<View>,
}

impl Teller {
    /// Tells a race from its first event on.
    pub(super) fn new(viewer: Viewer, retention: usize, view: watch::Sender<View>) -> Teller {
        Teller { viewer, last: 0, told: VecDeque::new(), retention, view }
    }

    fn tell(&mut self, before: Option<&Race>, numbered: &Numbered) {
        let Some(shown) = Shown::to(self.viewer, before, numbered, self.last + 1) else { return };
        self.last = shown.sequence;
        // Of a race that is read from its beginning, there may be much more than is kept.
        if self.told.len() >= self.retention {
            self.told.pop_front();
        }
        self.told.push_back(Arc::new(shown));
    }

    fn publish(&mut self, at: u64, race: &Arc<Race>) {
        let told = std::mem::take(&mut self.told);
        self.view.send_modify(|view| view.append(told, self.last, at, race));
    }

    /// No more is shown, and all who look are told why.
    pub(super) fn end(&self, ended: Ended) {
        self.view.send_modify(|view| view.end(ended));
    }
}
