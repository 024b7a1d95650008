//! What others have of a race that is owned by its task: they ask, look and follow.

use crate::drive::CarSecrets;
use crate::journal::{Call, DecisionNo, Journal, JournalError, Numbered, RaceId, RaceRecord, store};
use gm_core::ids::TurnNo;
use gm_core::race::command::{Command, Refusal};
use gm_core::race::{Event, Race};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

/// How many asks can wait for the task of a race to look at them; more are refused.
pub(super) const MOST_ASKS: usize = 4_096;

/// A race that is owned by its task. Cheap to clone.
#[derive(Clone)]
pub struct RaceHandle {
    pub(super) record: Arc<RaceRecord>,
    pub(super) journal: Journal,
    pub(super) secrets: Arc<CarSecrets>,
    pub(super) asks: mpsc::Sender<Ask>,
    pub(super) state: watch::Receiver<State>,
}

/// A race as it was committed last, and what its task does.
#[derive(Debug, Clone)]
pub struct State {
    /// The race.
    pub race: Arc<Race>,
    /// The number of its last event.
    pub last_seq: u64,
    /// What its task does.
    pub activity: Activity,
    /// From the start of one turn to the start of the next; none: on the admin's word.
    pub pace: Option<Duration>,
    /// When the next turn starts, if it does by itself.
    pub next_turn: Option<Instant>,
}

/// What the task of a race does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activity {
    /// It waits for commands, or for the next turn.
    Waits,
    /// It settles commands.
    Settles,
    /// It plays a turn.
    Plays(TurnNo),
    /// It can't write the journal, and tries again until it can: the race stands still, and nothing is lost.
    Suspended(Arc<str>),
    /// It can't go on: the rules have diverged from the record, which is shown.
    Stopped(Arc<str>),
    /// It has ended: the race goes on when it is recovered.
    Ended,
}

/// What became of an ask.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The decision that it was made in.
    pub decision: DecisionNo,
    /// What happened in it; commands that arrived together are settled together. Shared by all of their outcomes: there
    /// may be many of both.
    pub events: Arc<[Numbered]>,
    /// What became of each of the commands.
    pub settled: Vec<Result<(), Refused>>,
    /// The event that answers each of the commands, if one does: its registration, its team, its complaint. Nobody
    /// else's.
    pub told: Vec<Option<Numbered>>,
    /// Where cars are registered all or none: the reasons of those that can't take part.
    pub not_registered: Vec<Event>,
}

impl Outcome {
    /// Nothing happened, and nothing was to.
    pub(super) fn nothing(decision: DecisionNo) -> Outcome {
        Outcome {
            decision,
            events: Arc::new([]),
            settled: Vec::new(),
            told: Vec::new(),
            not_registered: Vec::new(),
        }
    }
}

/// Why a command was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct Refused {
    /// For programs: [`Refusal::reason`], or [`Refused::UNNAMED`].
    pub reason: Cow<'static, str>,
    /// In words.
    pub words: String,
}

impl Refused {
    /// The reason where it was not kept, by an older program.
    pub const UNNAMED: &'static str = "REFUSED";

    /// What became of a decision's commands, by what the journal keeps of it.
    pub(super) fn settled(
        words: Vec<Option<String>>,
        reasons: Vec<Option<String>>,
    ) -> impl Iterator<Item = Result<(), Refused>> {
        let reasons = reasons.into_iter().chain(std::iter::repeat(None));
        words.into_iter().zip(reasons).map(|(words, reason)| {
            let reason = reason.map_or(Cow::Borrowed(Refused::UNNAMED), Cow::Owned);
            words.map_or(Ok(()), |words| Err(Refused { reason, words }))
        })
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Refused {
        Refused { words: refusal.to_string(), reason: refusal.reason().into() }
    }
}

/// Why an ask is refused. Nothing has happened then; but what was being carried out when the game master shut down is
/// completed when the race is recovered. Who asks again with the same request id is told what became of it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Denied {
    /// A turn is being played.
    #[error("turn {0} is being played: wait until it is complete")]
    TurnIsPlayed(TurnNo),
    /// A turn is being played on the admin's word: there is nothing to pause.
    #[error("turn {0} is being played on your word, and none follows by itself: there is nothing to pause")]
    NothingToPause(TurnNo),
    /// Another turn is next.
    #[error("turn {expected} is not the next one: turn {next} is")]
    WrongTurn {
        /// The turn that was asked for.
        expected: TurnNo,
        /// The turn that is next.
        next: TurnNo,
    },
    /// Turns start by themselves.
    #[error("turns start by themselves: stop the clock first, or wait for the next")]
    OnTheClock,
    /// The rules refuse it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Too many wait.
    #[error("too many commands wait for this race: try again after the turn")]
    QueueFull,
    /// The journal can't be written.
    #[error("the race is suspended: {0}")]
    Suspended(Arc<str>),
    /// The race can't go on.
    #[error("the race is stopped: {0}")]
    Stopped(Arc<str>),
    /// The game master is being shut down, or the race's task has ended.
    #[error("the game master is shutting down: ask again when it is back")]
    ShuttingDown,
    /// The same request id came with another request before.
    #[error("request id {0:?} was used for another request: take a new one")]
    OtherRequest(String),
    /// A text that can't be a request id.
    #[error("a request id is 1 to 128 visible ASCII characters")]
    BadRequestId,
    /// The journal could not be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Something asked of the task of a race.
pub(super) struct Ask {
    pub(super) what: What,
    pub(super) request_id: Option<String>,
    pub(super) reply: Reply,
}

pub(super) type Reply = oneshot::Sender<Result<Outcome, Denied>>;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// Commands, to be settled in order.
    Order(Vec<Command>),
    /// Cars, to be registered all or none.
    RegisterAll(Vec<Command>),
    /// This turn.
    Step(TurnNo),
    /// Another pace, by a call that is kept with it.
    Pace(Option<Duration>, Option<Call>),
    /// That the journal is tried again.
    TryAgain,
}

impl RaceHandle {
    /// What the journal knows of the race beside its events.
    #[must_use]
    pub fn record(&self) -> &RaceRecord {
        &self.record
    }

    /// What the cars of its teams are sent (C-20). What is set here is sent from the next decision on; the
    /// [journal](Journal::set_secret) is told first, so that it is also sent after the death of the process.
    #[must_use]
    pub fn secrets(&self) -> &Arc<CarSecrets> {
        &self.secrets
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &RaceId {
        &self.record.id
    }

    /// The race as it is now.
    #[must_use]
    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// The race as it is, and as it goes on.
    #[must_use]
    pub fn known(&self) -> watch::Receiver<State> {
        self.state.clone()
    }

    /// Waits for the state to change, and gives it. An end of the task is a change; after it there is none.
    pub async fn changed(&mut self) -> State {
        // Its sender has gone with the task; what it said last stays.
        let _ = self.state.changed().await;
        self.state.borrow_and_update().clone()
    }

    /// Settles commands, in order: at once, or after the turn that is being played.
    ///
    /// A `request_id` makes it safe to ask again when no answer came: the same request is carried out once.
    ///
    /// # Errors
    /// [`Denied`]; a command that the rules refuse is not an error, but settled so.
    pub async fn order(&self, commands: Vec<Command>, request_id: Option<&str>) -> Result<Outcome, Denied> {
        self.ask(What::Order(commands), request_id).await
    }

    /// Registers all of these cars or none. If one can't take part, [`Outcome::not_registered`] says why.
    ///
    /// # Errors
    /// [`Denied`].
    pub async fn register_all(
        &self,
        cars: Vec<Command>,
        request_id: Option<&str>,
    ) -> Result<Outcome, Denied> {
        self.ask(What::RegisterAll(cars), request_id).await
    }

    /// Plays the next turn, which must be this one. Who asks twice by mistake does not play two turns.
    ///
    /// # Errors
    /// [`Denied`].
    pub async fn step(&self, turn: TurnNo, request_id: Option<&str>) -> Result<Outcome, Denied> {
        self.ask(What::Step(turn), request_id).await
    }

    /// Sets the clock: a turn starts every so often; none: on the admin's word. The `call` that asks for it is
    /// kept with it.
    ///
    /// # Errors
    /// [`Denied`], also if the call was made before ([`JournalError::CallExists`]).
    pub async fn set_pace(&self, pace: Option<Duration>, call: Option<Call>) -> Result<(), Denied> {
        self.ask(What::Pace(pace, call), None).await.map(drop)
    }

    /// Tries the journal again now, where the race is suspended.
    ///
    /// # Errors
    /// [`Denied::ShuttingDown`].
    pub async fn try_again(&self) -> Result<(), Denied> {
        self.ask(What::TryAgain, None).await.map(drop)
    }

    async fn ask(&self, what: What, request_id: Option<&str>) -> Result<Outcome, Denied> {
        let request_id = match request_id {
            Some(id) if RaceId::parse(id).is_err() => return Err(Denied::BadRequestId),
            id => id.map(str::to_owned),
        };
        let (reply, answer) = oneshot::channel();
        self.asks.try_send(Ask { what, request_id, reply }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Denied::QueueFull,
            mpsc::error::TrySendError::Closed(_) => Denied::ShuttingDown,
        })?;
        answer.await.map_err(|_| Denied::ShuttingDown)?
    }

    /// Follows the events of the race from after one on; 0: from the first.
    #[must_use]
    pub fn follow(&self, after: u64) -> Follower {
        Follower { handle: self.clone(), after }
    }
}

/// Reads the events of a race from the journal, as they are committed: without a gap, in order, at its own speed.
pub struct Follower {
    handle: RaceHandle,
    after: u64,
}

impl Follower {
    /// The next events; none when the race's task has ended and everything was read. Losing this future loses nothing.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn next(&mut self) -> Result<Option<Vec<Numbered>>, JournalError> {
        loop {
            let state = self.handle.state.borrow_and_update().clone();
            if state.last_seq > self.after {
                return self.read().await.map(Some);
            }
            if state.activity == Activity::Ended || self.handle.state.changed().await.is_err() {
                return Ok(None);
            }
        }
    }

    async fn read(&mut self) -> Result<Vec<Numbered>, JournalError> {
        let record = Arc::clone(&self.handle.record);
        let page = self.handle.journal.events(&record, self.after).await?;
        let events =
            page.into_iter().map(|event| store::numbered(&record, event)).collect::<Result<Vec<_>, _>>()?;
        self.after = events.last().map_or(self.after, |last| last.sequence);
        Ok(events)
    }
}
