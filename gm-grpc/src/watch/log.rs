//! A place in the log of a team, that moves on.
//!
//! ```text
//! after 3:    Entry 4 … Entry 9   CaughtUp 9   (a turn is played)   Entry 10 …   (silence)   Heartbeat 17
//! ```
//!
//! What a log holds, and how it is numbered, [`team_log`](crate::team_log) says. Exchanges are there as soon as they are
//! journalled, which is not told to anybody, so that it costs the race nothing; while it plays, it is looked for them.

use super::Settings;
use super::error::{CannotRead, Ended};
use super::pump::Reads;
use crate::control::{Activity, RaceHandle};
use crate::journal::{Journal, RaceRecord};
use crate::team_log::{Entry, Reader};
use gm_core::ids::TeamId;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// After how long it is looked for new exchanges again, while a turn is played or commands are settled.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// What the reader of a log is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogMessage {
    /// An entry.
    Entry(Box<Entry>),
    /// There is no more so far. What follows is new.
    CaughtUp(u64),
    /// There was nothing to tell for a time, and all up to this number was read.
    Heartbeat(u64),
}

impl LogMessage {
    /// The number after which somebody goes on who was told this last.
    #[must_use]
    pub fn resume_after(&self) -> u64 {
        match self {
            LogMessage::Entry(entry) => entry.number,
            LogMessage::CaughtUp(last) | LogMessage::Heartbeat(last) => *last,
        }
    }
}

/// Reads the log of a team, from some entry on and as it grows.
pub struct LogReader {
    log: Reader,
    /// None: the race is not played here, and its log does not grow.
    owner: Option<RaceHandle>,
    heartbeat: Duration,
    /// Entries that were read, and not told yet: at most a page.
    page: VecDeque<Entry>,
    /// The number of the last entry that was told.
    after: u64,
    is_caught_up: bool,
    heartbeat_at: Instant,
}

impl LogReader {
    /// Begins to read after the entry of this number; 0: with the first. `owner` is who plays the race; none: it is
    /// not played here.
    ///
    /// # Errors
    /// [`CannotRead::Beyond`] if there is no such entry yet, [`CannotRead::Journal`].
    pub async fn open(
        journal: Journal,
        record: RaceRecord,
        owner: Option<RaceHandle>,
        team: TeamId,
        after: u64,
        settings: &Settings,
    ) -> Result<LogReader, CannotRead> {
        let mut log = Reader::new(journal, record, team, after);
        let page = log.next_page().await?;
        if log.last() < after {
            return Err(CannotRead::Beyond { last: log.last() });
        }
        let heartbeat = settings.heartbeat;
        let heartbeat_at = Instant::now() + heartbeat;
        Ok(LogReader { log, owner, heartbeat, page: page.into(), after, is_caught_up: false, heartbeat_at })
    }

    /// The number after which this reader goes on.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.after
    }

    /// The next message. Losing this future loses nothing.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn next(&mut self) -> Result<LogMessage, Ended> {
        let message = self.read().await?;
        self.after = message.resume_after();
        self.heartbeat_at = Instant::now() + self.heartbeat;
        Ok(message)
    }

    async fn read(&mut self) -> Result<LogMessage, Ended> {
        loop {
            if let Some(entry) = self.page.pop_front() {
                return Ok(LogMessage::Entry(Box::new(entry)));
            }
            // Looked at before the page is read: what it then says is in there.
            let activity = self.owner.as_ref().map(|owner| owner.state().activity);
            self.page = match self.log.next_page().await {
                Ok(page) => page.into(),
                // Where the game master shuts down, the journal may be closed before all of it was read.
                Err(_) if self.has_ended() => return Err(Ended::ShuttingDown),
                Err(error) => return Err(error.into()),
            };
            if !self.page.is_empty() {
                continue;
            }
            if !self.is_caught_up {
                self.is_caught_up = true;
                return Ok(LogMessage::CaughtUp(self.after));
            }
            if activity == Some(Activity::Ended) {
                return Err(Ended::ShuttingDown);
            }
            if Instant::now() >= self.heartbeat_at {
                return Ok(LogMessage::Heartbeat(self.after));
            }
            self.wait(activity).await;
        }
    }

    /// Whether the race's task has ended.
    fn has_ended(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.state().activity == Activity::Ended)
    }

    /// Waits until there may be more, or it is time for a heartbeat.
    async fn wait(&mut self, activity: Option<Activity>) {
        let until = match activity {
            Some(Activity::Plays(_) | Activity::Settles) => {
                self.heartbeat_at.min(Instant::now() + LOOK_AGAIN)
            }
            _ => self.heartbeat_at,
        };
        let _ = match &mut self.owner {
            Some(owner) => timeout_at(until, owner.changed()).await.map(drop),
            None => timeout_at(until, std::future::pending()).await,
        };
    }
}

impl Reads for LogReader {
    type Message = LogMessage;

    async fn next(&mut self) -> Result<LogMessage, Ended> {
        LogReader::next(self).await
    }

    fn stalled(&mut self) -> Result<(), Ended> {
        Err(Ended::FellBehind { resume_after: self.after })
    }
}
