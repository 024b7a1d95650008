//! Reads a team's log from the journal, page by page, also while the race is played.
//!
//! ```text
//! let mut log = Reader::new(journal, race, team, after);
//! loop { let page = log.next_page().await?;  if page.is_empty() { /* that is all so far: wait, and ask again */ } }
//! ```

use super::{Entry, TeamLog};
use crate::journal::store::numbered;
use crate::journal::{DecisionNo, DecisionRecord, Journal, JournalError, RaceRecord};
use gm_core::ids::TeamId;

/// Reads a team's log, from some entry on and as it grows.
///
/// The events before that entry are read too, since what a team sees of an event depends on the race before it.
pub struct Reader {
    journal: Journal,
    race: RaceRecord,
    log: TeamLog,
    /// Entries up to this number are not given.
    after: u64,
    /// The decision that is read.
    decision: DecisionNo,
    /// The last of its exchanges that was read.
    exchange: u64,
    /// The last event that was read.
    event: u64,
}

impl Reader {
    /// The log of a team, after the entry of this number; 0: from the first.
    #[must_use]
    pub fn new(journal: Journal, race: RaceRecord, team: TeamId, after: u64) -> Reader {
        Reader {
            journal,
            race,
            log: TeamLog::new(team),
            after,
            decision: DecisionNo(1),
            exchange: 0,
            event: 0,
        }
    }

    /// The number of the last entry that was read.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.log.last()
    }

    /// The next entries, at most 1,000; none if that is all so far. Asked again, it gives what came since.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn next_page(&mut self) -> Result<Vec<Entry>, JournalError> {
        let mut page = Vec::new();
        while page.is_empty() {
            // Read before its exchanges: when it is complete, they are all there.
            let Some(decision) = self.journal.decision(&self.race, self.decision).await? else { break };
            if self.passes_over(&decision).await? || self.exchanges(&mut page).await? {
                continue;
            }
            let Some(committed) = &decision.committed else { break };
            if self.event < committed.last_seq {
                self.events(&mut page, &decision, committed.last_seq).await?;
            } else {
                self.decision = DecisionNo(self.decision.0.saturating_add(1));
                self.exchange = 0;
            }
        }
        Ok(page)
    }

    /// Passes over the exchanges of a complete decision, if none of them is to be given.
    async fn passes_over(&mut self, decision: &DecisionRecord) -> Result<bool, JournalError> {
        let begins = self.exchange == 0 && self.log.last() < self.after;
        if !begins || decision.committed.is_none() {
            return Ok(false);
        }
        let team = self.log.team();
        let count = self.journal.count_team_exchanges(&self.race, team, self.decision).await?;
        if count == 0 || self.log.last() + count > self.after {
            return Ok(false);
        }
        self.log.pass_over(count);
        self.exchange = u64::MAX;
        Ok(true)
    }

    /// Reads the next exchanges of the decision; false if there are none.
    async fn exchanges(&mut self, page: &mut Vec<Entry>) -> Result<bool, JournalError> {
        let team = self.log.team();
        let exchanges = self.journal.team_exchanges(&self.race, team, self.decision, self.exchange).await?;
        let Some((last, _)) = exchanges.last() else { return Ok(false) };
        self.exchange = *last;
        let entries = exchanges.iter().filter_map(|(_, exchange)| self.log.exchange(exchange));
        page.extend(entries.filter(|entry| entry.number > self.after));
        Ok(true)
    }

    /// Reads the next events of the decision.
    async fn events(
        &mut self,
        page: &mut Vec<Entry>,
        decision: &DecisionRecord,
        last: u64,
    ) -> Result<(), JournalError> {
        let events = self.journal.events(&self.race, self.event).await?;
        if events.is_empty() {
            return Err(JournalError::Unreadable {
                race: self.race.id.clone(),
                what: format!("event {}", self.event + 1),
                because: "it is missing".to_owned(),
            });
        }
        let at = decision.committed.as_ref().map_or(decision.begun_at, |committed| committed.at);
        for stored in events.into_iter().take_while(|event| event.seq <= last) {
            self.event = stored.seq;
            let numbered = numbered(&self.race, stored)?;
            page.extend(self.log.event(&numbered, at).filter(|entry| entry.number > self.after));
        }
        Ok(())
    }
}
