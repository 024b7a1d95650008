//! [`Journal`]: reads and writes races.
//!
//! ```no_run
//! # async fn example() -> Result<(), gm_grpc::journal::JournalError> {
//! use gm_grpc::journal::{DataDirectory, Journal};
//! let journal = Journal::open(DataDirectory::open("gm-data".as_ref())?).await?;
//! for race in journal.races().await? { /* … */ }
//! # Ok(()) }
//! ```

use super::call::Call;
use super::database::{self, Database};
use super::directory::DataDirectory;
use super::error::JournalError;
use super::import::{Import, ImportedRace};
use super::number::{Numbered, Numbers};
use super::record::{
    Committed, Decision, DecisionKind, DecisionNo, DecisionRecord, Exchange, Moment, Origin, RaceId, RaceKey,
    RaceRecord,
};
use super::row::ExchangeRow;
use super::secrets::Key;
#[cfg(doc)]
use super::snapshot::SNAPSHOT_EVERY;
use super::snapshot::{self, Snapshot, SnapshotRow};
use super::tail::Tails;
use super::teams::{of_cars, set_car_secret};
use super::writer::{self, EventRow, InDecision, Job, MOST_WAITING, Transaction, Trouble, Write};
use super::{call, import, stored};
use crate::drive::Secret;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gm_core::ids::{TeamId, TurnNo};
use gm_core::race::Race;
use gm_core::random::Seed;
use sqlx::Row as _;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// The journal of a data directory. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Journal(Arc<Inside>);

struct Inside {
    directory: DataDirectory,
    /// None: it is only read here.
    writes: Option<Writes>,
    readers: SqlitePool,
    tails: Tails,
}

struct Writes {
    jobs: mpsc::Sender<Job>,
    key: Key,
}

/// A race that is made.
#[derive(Debug, Clone)]
pub struct NewRace {
    /// Its id.
    pub id: RaceId,
    /// What people call it.
    pub name: String,
    /// Its seed.
    pub seed: Seed,
    /// The revision of its rules (R-10.5).
    pub revision: u32,
    /// Where it comes from.
    pub origin: Origin,
    /// Who is to take part, as JSON without secrets.
    pub plan: Option<String>,
    /// What the cars of the teams are sent (C-20).
    pub secrets: BTreeMap<TeamId, Secret>,
    /// From the start of a turn to the start of the next.
    pub pace: Option<Duration>,
    /// Whether only those see it who may do something in it.
    pub private: bool,
}

/// Which races somebody may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visible<'r> {
    /// All of them.
    All,
    /// Those that are public, and this one.
    PublicAnd(Option<&'r RaceId>),
}

/// What came of a decision.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Which decision.
    pub decision: DecisionNo,
    /// Its events, numbered.
    pub events: Vec<Numbered>,
    /// The number of the last event of the race.
    pub last_seq: u64,
    /// For each command why it was refused, in words, if it was.
    pub settled: Vec<Option<String>>,
    /// For each command the name of its refusal, if it was refused.
    pub reasons: Vec<Option<String>>,
    /// The running time of the race (R-10.2).
    pub ran: Duration,
    /// Whether the race is over.
    pub finished: bool,
}

/// An event as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its number, from 1 without a gap.
    pub seq: u64,
    /// The turn in which it happened; between two turns, the one before.
    pub turn: TurnNo,
    /// The format of `body` ([`stored`]).
    pub format: u32,
    /// The event, as JSON.
    pub body: String,
}

/// A race as it is read back.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What is known of it beside its events.
    pub record: RaceRecord,
    /// The fold of its events.
    pub race: Race,
    /// What numbers the next event.
    pub numbers: Numbers,
    /// The decision that was begun last.
    pub last: DecisionRecord,
    /// The number of the last command that arrived.
    pub commands: u32,
}

/// A decision that was completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The decision.
    pub decision: Decision,
    /// For each command why it was refused, in words, if it was.
    pub settled: Vec<Option<String>>,
    /// For each command the name of its refusal, if it was refused and the name is known: it is not in an export.
    pub reasons: Vec<Option<String>>,
    /// What happened.
    pub events: Vec<Numbered>,
}

/// How far a race has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// What is known of it beside its events.
    pub record: RaceRecord,
    /// The last decision that was completed.
    pub completed: DecisionNo,
    /// Whether another one was begun after it.
    pub is_open: bool,
}

/// A decision that was completed, as it is stored, with all that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completed {
    /// Its number.
    pub no: DecisionNo,
    /// What was decided.
    pub kind: DecisionKind,
    /// The turn that was played; for commands, the one that was completed before.
    pub turn: TurnNo,
    /// The format of `arrivals` ([`stored`]).
    pub format: u32,
    /// The commands, in order of arrival, as JSON.
    pub arrivals: String,
    /// When it was begun.
    pub begun_at: Moment,
    /// How it ended.
    pub committed: Committed,
    /// What was asked for it, in no order.
    pub exchanges: Vec<Exchange>,
    /// Its events, in order.
    pub events: Vec<StoredEvent>,
}

/// A request that may be sent again, and what carried it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestRecord {
    /// The id that its sender gave it.
    pub request_id: String,
    /// Its first command in the decision, counted from 0.
    pub first: u32,
    /// How many commands it has; 0: it asked for a turn.
    pub commands: u32,
}

/// How many events are read at a time.
const PAGE: i64 = 1_000;

/// How many exchanges of a team are read at a time: an answer may be large.
const PAGE_OF_EXCHANGES: usize = 200;

impl Journal {
    /// Opens the journal of a directory, making or migrating it if need be. The directory is this process's until
    /// the journal is closed, or the last clone is dropped.
    ///
    /// # Errors
    /// [`JournalError`], which says what is wrong with it and what to do.
    pub async fn open(directory: DataDirectory) -> Result<Journal, JournalError> {
        let Database { writer, readers } = database::open(&directory).await?;
        let has_secrets: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM teams WHERE car_secret IS NOT NULL OR inspector IS NOT NULL)",
        )
        .fetch_one(&readers)
        .await?;
        if has_secrets {
            Key::must_be_there(&directory)?;
        }
        let key = Key::load_or_create(&directory)?;
        let (jobs, inbox) = mpsc::channel(MOST_WAITING);
        let looked = directory.to_look();
        tokio::spawn(writer::run(writer, inbox, directory));
        let writes = Some(Writes { jobs, key });
        Ok(Journal(Arc::new(Inside { directory: looked, writes, readers, tails: Tails::default() })))
    }

    /// Opens the journal of a directory only to read it, also while another process writes it. Who writes is refused
    /// with [`JournalError::OnlyRead`]; secrets are not read either, since the key stays where it is.
    ///
    /// # Errors
    /// [`JournalError`], which says what is wrong with it and what to do; nothing is made or changed.
    pub async fn open_to_read(directory: DataDirectory) -> Result<Journal, JournalError> {
        let readers = database::open_to_read(&directory).await?;
        Ok(Journal(Arc::new(Inside { directory, writes: None, readers, tails: Tails::default() })))
    }

    /// Where it is.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.0.directory.path()
    }

    /// Writes what waits, and closes the database. Who writes later is refused.
    ///
    /// # Errors
    /// [`JournalError`] if the database could not be closed properly. What was acknowledged is there all the same.
    pub async fn close(&self) -> Result<(), JournalError> {
        self.0.readers.close().await;
        match self.send(Write::Close).await {
            Err(JournalError::Closed | JournalError::OnlyRead) => Ok(()),
            closed => closed.map(drop),
        }
    }

    /// What reads the database.
    pub(super) fn readers(&self) -> &SqlitePool {
        &self.0.readers
    }

    /// What secrets are encrypted with. Who only reads does not have it.
    pub(super) fn key(&self) -> Result<&Key, JournalError> {
        self.0.writes.as_ref().map(|writes| &writes.key).ok_or(JournalError::OnlyRead)
    }

    /// A record that belongs to no race can't be read.
    pub(super) fn damaged(&self, because: String) -> JournalError {
        JournalError::Damaged {
            file: self.0.directory.database(),
            because,
            remedy: "Restore the data directory from a copy".to_owned(),
        }
    }

    async fn send(&self, write: Write) -> Result<i64, JournalError> {
        self.begin_to_send(write).await?.await.map_err(|_| JournalError::Closed)?
    }

    /// Lets something be written; what it came to is told later.
    async fn begin_to_send(
        &self,
        write: Write,
    ) -> Result<oneshot::Receiver<Result<i64, JournalError>>, JournalError> {
        let writes = self.0.writes.as_ref().ok_or(JournalError::OnlyRead)?;
        let (done, written) = oneshot::channel();
        writes.jobs.send(Job { write, done }).await.map_err(|_| JournalError::Closed)?;
        Ok(written)
    }

    pub(super) async fn transact(
        &self,
        transaction: impl Transaction + 'static,
    ) -> Result<i64, JournalError> {
        self.send(Write::Transaction(Box::new(transaction))).await
    }

    // --- writing ---

    /// Makes a race with its first events, which are its first decision.
    ///
    /// # Errors
    /// [`JournalError::RaceExists`] and [`JournalError::CallExists`] among others. Nothing was written then.
    pub async fn create(
        &self,
        new: NewRace,
        events: &[Numbered],
        call: Option<&Call>,
    ) -> Result<RaceRecord, JournalError> {
        let key = self.key()?;
        let secrets = new
            .secrets
            .iter()
            .map(|(team, secret)| {
                (i64::from(team.0), key.encrypt(&of_cars(&new.id, *team), secret.as_bytes()))
            })
            .collect();
        let created_at = Moment::now();
        let id = new.id.clone();
        let create = Create { secrets, created_at, events: rows(events), new, call: call.cloned() };
        self.transact(create).await.map_err(|error| or_race_exists(error, &id))?;
        self.race(&id).await
    }

    /// Begins to import a race, whose decisions come one by one. It is there, as a whole, when the import was
    /// [finished](Import::finish), and until then nothing else is written: it is to come from this machine, not from
    /// over a network. A call is kept with the race, in the transaction that makes it visible.
    ///
    /// # Errors
    /// [`JournalError::RaceExists`] if it is here already, among others. A call that was made before is told of by the
    /// first decision, or the end, that is sent after it: [`JournalError::CallExists`].
    pub async fn import(&self, race: ImportedRace, call: Option<Call>) -> Result<Import, JournalError> {
        match self.race(&race.id).await {
            Ok(_) => return Err(JournalError::RaceExists(race.id)),
            Err(JournalError::NoSuchRace(_)) => {}
            Err(error) => return Err(error),
        }
        let id = race.id.clone();
        let (transaction, parts) = import::channel(race, call);
        let written = self.begin_to_send(Write::Transaction(Box::new(transaction))).await?;
        Ok(Import::new(self.clone(), id, parts, written))
    }

    /// Begins a decision: its commands are there before anybody is asked anything for them. A request that may be
    /// sent again is known from here on.
    ///
    /// # Errors
    /// [`JournalError`]; it was not begun then.
    pub async fn begin(
        &self,
        race: RaceKey,
        decision: &Decision,
        requests: Vec<RequestRecord>,
    ) -> Result<(), JournalError> {
        self.0.tails.begin(self.directory(), race.0, signed(decision.no.0))?;
        let begin = Begin {
            race: race.0,
            no: signed(decision.no.0),
            kind: kind_word(decision.kind),
            turn: decision.turn.0.into(),
            arrivals: stored::write_arrivals(&decision.arrivals),
            requests,
        };
        self.transact(begin).await.map(drop)
    }

    /// Keeps an exchange. When this returns it survives the death of the process.
    ///
    /// # Errors
    /// [`JournalError`]; the exchange is not in the journal then.
    pub async fn keep(
        &self,
        race: RaceKey,
        decision: DecisionNo,
        exchange: Exchange,
    ) -> Result<(), JournalError> {
        let writes = self.0.writes.as_ref().ok_or(JournalError::OnlyRead)?;
        if writes.jobs.is_closed() {
            return Err(JournalError::Closed);
        }
        self.0.tails.keep(self.directory(), race.0, signed(decision.0), ExchangeRow::of(exchange))
    }

    /// What came of a decision: all of its events, or none. When this returns it is on the disk. `after` is the race
    /// after them, of which every [nth](SNAPSHOT_EVERY) decision leaves a snapshot in the same transaction.
    ///
    /// # Errors
    /// [`JournalError`]; the decision is to be completed still then.
    pub async fn commit(&self, race: RaceKey, commit: &Commit, after: &Race) -> Result<(), JournalError> {
        let decision = signed(commit.decision.0);
        let complete = Complete {
            race: race.0,
            decision,
            exchanges: self.0.tails.rows(self.directory(), race.0, decision)?,
            events: rows(&commit.events),
            last_seq: signed(commit.last_seq),
            settled: serde_json::json!(commit.settled).to_string(),
            reasons: serde_json::json!(commit.reasons).to_string(),
            ran_ms: millis(commit.ran),
            finished: commit.finished,
            snapshot: SnapshotRow::due(commit.decision, commit.last_seq, after),
        };
        self.transact(complete).await.map(drop)
    }

    /// Sets how often a turn starts; none: on the admin's word (R-10.1).
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn set_pace(
        &self,
        race: RaceKey,
        pace: Option<Duration>,
        call: Option<Call>,
    ) -> Result<(), JournalError> {
        self.transact(SetPace { race: race.0, pace_ms: pace.map(millis), call }).await.map(drop)
    }

    /// Forgets a race with all that belongs to it in the journal: one that could not be set up, or is not wanted any more.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn forget(&self, race: RaceKey) -> Result<(), JournalError> {
        self.take_back(race, None).await
    }

    /// Takes back that a race was made, and that there was a call for it.
    ///
    /// # Errors
    /// [`JournalError`].
    pub(crate) async fn take_back(&self, race: RaceKey, call: Option<&Call>) -> Result<(), JournalError> {
        self.transact(Forget { race: race.0, call: call.cloned() }).await?;
        self.0.tails.forget(self.directory(), race.0);
        Ok(())
    }

    /// Lets the next writes fail as on a disk that is full or read-only, or lets them succeed again. For tests: the
    /// database itself says so then, as it would, and the tails as their file would.
    #[doc(hidden)]
    pub async fn pretend(&self, trouble: Trouble) -> Result<(), JournalError> {
        self.0.tails.pretend(trouble);
        self.send(Write::Pretend(trouble)).await.map(drop)
    }

    // --- reading ---

    /// All races, the oldest first.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn races(&self) -> Result<Vec<RaceRecord>, JournalError> {
        let rows = sqlx::query("SELECT * FROM races ORDER BY id").fetch_all(&self.0.readers).await?;
        rows.iter().map(|row| self.race_record(row)).collect()
    }

    /// Races, the newest first, at most so many; `before` is the last of the page before.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn races_page(
        &self,
        before: Option<(Moment, RaceId)>,
        most: u32,
        visible: Visible<'_>,
    ) -> Result<Vec<RaceRecord>, JournalError> {
        let (private_too, and) = match visible {
            Visible::All => (true, None),
            Visible::PublicAnd(race) => (false, race.map(RaceId::as_str)),
        };
        let (at, id) = before.map_or((None, None), |(at, id)| (Some(at.0), Some(String::from(id))));
        let rows = sqlx::query(
            "SELECT * FROM races WHERE (?1 IS NULL OR (created_at, race) < (?1, ?2)) AND (private <= ?3 OR race = ?5) \
             ORDER BY created_at DESC, race DESC LIMIT ?4",
        )
        .bind(at)
        .bind(id)
        .bind(private_too)
        .bind(i64::from(most))
        .bind(and)
        .fetch_all(&self.0.readers)
        .await?;
        rows.iter().map(|row| self.race_record(row)).collect()
    }

    /// One race.
    ///
    /// # Errors
    /// [`JournalError::NoSuchRace`] among others.
    pub async fn race(&self, id: &RaceId) -> Result<RaceRecord, JournalError> {
        let row = sqlx::query("SELECT * FROM races WHERE race = ?")
            .bind(id.as_str())
            .fetch_optional(&self.0.readers)
            .await?;
        match row {
            Some(row) => self.race_record(&row),
            None => Err(JournalError::NoSuchRace(id.clone())),
        }
    }

    fn race_record(&self, row: &SqliteRow) -> Result<RaceRecord, JournalError> {
        let race: String = row.try_get("race")?;
        let damaged = |column: &str| self.damaged(format!("{column} of race {race:?} is not one"));
        let positive = |column: &str| -> Result<u64, JournalError> {
            u64::try_from(row.try_get::<i64, _>(column)?).map_err(|_| damaged(column))
        };
        let pace: Option<i64> = row.try_get("pace_ms")?;
        Ok(RaceRecord {
            key: RaceKey(row.try_get("id")?),
            id: RaceId::parse(&race).map_err(|_| damaged("race"))?,
            name: row.try_get("name")?,
            created_at: Moment(row.try_get("created_at")?),
            gm: row.try_get("gm")?,
            revision: u32::try_from(positive("revision")?).map_err(|_| damaged("revision"))?,
            seed: Seed(row.try_get::<String, _>("seed")?.parse().map_err(|_| damaged("seed"))?),
            origin: match row.try_get::<String, _>("origin")?.as_str() {
                "here" => Origin::Here,
                "imported" => Origin::Imported,
                _ => return Err(damaged("origin")),
            },
            plan: row.try_get("plan")?,
            pace: pace
                .map(|pace| u64::try_from(pace).map(Duration::from_millis))
                .transpose()
                .map_err(|_| damaged("pace_ms"))?,
            ran: Duration::from_millis(positive("ran_ms")?),
            finished: row.try_get("finished")?,
            private: row.try_get("private")?,
        })
    }

    /// The events of a race after one, in order, at most 1,000.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn events(&self, race: &RaceRecord, after: u64) -> Result<Vec<StoredEvent>, JournalError> {
        let rows = sqlx::query(
            "SELECT seq, turn, format, body FROM events WHERE race = ? AND seq > ? ORDER BY seq LIMIT ?",
        )
        .bind(race.key.0)
        .bind(signed(after))
        .bind(PAGE)
        .fetch_all(&self.0.readers)
        .await?;
        rows.iter().map(|row| stored_event(race, row)).collect()
    }

    /// The decisions of a race after one, in order, at most 1,000; the last may not be completed.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn decisions(
        &self,
        race: &RaceRecord,
        after: DecisionNo,
    ) -> Result<Vec<DecisionRecord>, JournalError> {
        let rows = sqlx::query("SELECT * FROM decisions WHERE race = ? AND no > ? ORDER BY no LIMIT ?")
            .bind(race.key.0)
            .bind(signed(after.0))
            .bind(PAGE)
            .fetch_all(&self.0.readers)
            .await?;
        rows.iter().map(|row| decision_record(race, row)).collect()
    }

    /// How far a race has come.
    ///
    /// # Errors
    /// [`JournalError::NoSuchRace`] among others.
    pub async fn extent(&self, id: &RaceId) -> Result<Extent, JournalError> {
        // One statement, so that all of it is from the same moment.
        let row = sqlx::query(
            "SELECT races.*, \
             (SELECT count(*) FROM decisions WHERE race = races.id AND committed_at IS NOT NULL) AS completed, \
             EXISTS (SELECT 1 FROM decisions WHERE race = races.id AND committed_at IS NULL) AS is_open \
             FROM races WHERE race = ?",
        )
        .bind(id.as_str())
        .fetch_optional(&self.0.readers)
        .await?
        .ok_or_else(|| JournalError::NoSuchRace(id.clone()))?;
        Ok(Extent {
            record: self.race_record(&row)?,
            completed: DecisionNo(row.try_get::<i64, _>("completed")?.unsigned_abs()),
            is_open: row.try_get("is_open")?,
        })
    }

    /// A decision that was completed, as it is stored, with all that belongs to it; its events are those after `after`,
    /// the last event of the decision before.
    ///
    /// # Errors
    /// [`JournalError::Unreadable`] if it was not completed, among others.
    pub async fn completed(
        &self,
        race: &RaceRecord,
        no: DecisionNo,
        after: u64,
    ) -> Result<Completed, JournalError> {
        let row = sqlx::query("SELECT * FROM decisions WHERE race = ? AND no = ?")
            .bind(race.key.0)
            .bind(signed(no.0))
            .fetch_optional(&self.0.readers)
            .await?;
        let missing = || unreadable(race, format!("decision {no}"), "it was not completed".to_owned());
        let StoredDecision { kind, turn, format, arrivals, begun_at, committed, .. } =
            stored_decision(race, &row.ok_or_else(missing)?)?;
        let committed = committed.ok_or_else(missing)?;
        let rows = sqlx::query(
            "SELECT seq, turn, format, body FROM events WHERE race = ? AND seq > ? AND seq <= ? ORDER BY seq",
        )
        .bind(race.key.0)
        .bind(signed(after))
        .bind(signed(committed.last_seq))
        .fetch_all(&self.0.readers)
        .await?;
        let events = rows.iter().map(|row| stored_event(race, row)).collect::<Result<_, _>>()?;
        let exchanges = self.exchanges(race, no).await?;
        Ok(Completed { no, kind, turn, format, arrivals, begun_at, committed, exchanges, events })
    }

    /// One decision, if it was begun.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn decision(
        &self,
        race: &RaceRecord,
        no: DecisionNo,
    ) -> Result<Option<DecisionRecord>, JournalError> {
        let row = sqlx::query("SELECT * FROM decisions WHERE race = ? AND no = ?")
            .bind(race.key.0)
            .bind(signed(no.0))
            .fetch_optional(&self.0.readers)
            .await?;
        row.map(|row| decision_record(race, &row)).transpose()
    }

    /// All exchanges of a decision, by chain, port and number.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn exchanges(
        &self,
        race: &RaceRecord,
        decision: DecisionNo,
    ) -> Result<Vec<Exchange>, JournalError> {
        let mut rows = self.exchange_rows(race, decision).await?;
        rows.sort_by(|a, b| (&a.chain, &a.port, a.number).cmp(&(&b.chain, &b.port, b.number)));
        rows.into_iter().map(|row| exchange(race, row)).collect()
    }

    /// The exchanges of a decision, in the order in which they were journalled: of one that is being made, those in the
    /// tail.
    async fn exchange_rows(
        &self,
        race: &RaceRecord,
        decision: DecisionNo,
    ) -> Result<Vec<ExchangeRow>, JournalError> {
        if let Some(tail) = self.tail_of(race, decision).await? {
            return Ok(tail.to_vec());
        }
        let rows = sqlx::query_as("SELECT * FROM exchanges WHERE race = ? AND decision = ? ORDER BY place")
            .bind(race.key.0)
            .bind(signed(decision.0))
            .fetch_all(&self.0.readers)
            .await?;
        Ok(rows)
    }

    /// The tail, if the decision is being made.
    async fn tail_of(
        &self,
        race: &RaceRecord,
        decision: DecisionNo,
    ) -> Result<Option<Arc<Vec<ExchangeRow>>>, JournalError> {
        let tail = self.0.tails.rows(self.directory(), race.key.0, signed(decision.0));
        // After the tail: what is committed meanwhile is in the database, with all that was in the tail.
        let is_open: Option<bool> =
            sqlx::query_scalar("SELECT committed_at IS NULL FROM decisions WHERE race = ? AND no = ?")
                .bind(race.key.0)
                .bind(signed(decision.0))
                .fetch_optional(&self.0.readers)
                .await?;
        if is_open == Some(true) { tail.map(Some) } else { Ok(None) }
    }

    /// What was asked of a team's cars and AIs for a decision after an exchange of this number, in the order in which it
    /// was journalled, at most 200, each with its number; 0: from the first.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn team_exchanges(
        &self,
        race: &RaceRecord,
        team: TeamId,
        decision: DecisionNo,
        after: u64,
    ) -> Result<Vec<(u64, Exchange)>, JournalError> {
        let team = i64::from(team.0);
        if let Some(tail) = self.tail_of(race, decision).await? {
            let placed = (1..).zip(tail.iter());
            let later = placed.filter(|(place, row)| *place > after && row.team == Some(team));
            return later
                .take(PAGE_OF_EXCHANGES)
                .map(|(place, row)| Ok((place, exchange(race, row.clone())?)))
                .collect();
        }
        let rows = sqlx::query(
            "SELECT * FROM exchanges WHERE race = ? AND decision = ? AND team = ? AND place > ? ORDER BY place LIMIT ?",
        )
        .bind(race.key.0)
        .bind(signed(decision.0))
        .bind(team)
        .bind(signed(after))
        .bind(i64::try_from(PAGE_OF_EXCHANGES).unwrap_or(i64::MAX))
        .fetch_all(&self.0.readers)
        .await?;
        rows.iter()
            .map(|row| {
                let place: i64 = row.try_get("place")?;
                Ok((place.unsigned_abs(), exchange(race, sqlx::FromRow::from_row(row)?)?))
            })
            .collect()
    }

    /// How much was asked of a team's cars and AIs for a decision.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn count_team_exchanges(
        &self,
        race: &RaceRecord,
        team: TeamId,
        decision: DecisionNo,
    ) -> Result<u64, JournalError> {
        let team = i64::from(team.0);
        if let Some(tail) = self.tail_of(race, decision).await? {
            return Ok(tail.iter().filter(|row| row.team == Some(team)).count() as u64);
        }
        let count: i64 =
            sqlx::query_scalar("SELECT count(*) FROM exchanges WHERE race = ? AND decision = ? AND team = ?")
                .bind(race.key.0)
                .bind(signed(decision.0))
                .bind(team)
                .fetch_one(&self.0.readers)
                .await?;
        Ok(count.unsigned_abs())
    }

    /// The requests of a race that may be sent again, each with the decision that carries it out.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn requests(
        &self,
        race: &RaceRecord,
    ) -> Result<Vec<(DecisionNo, RequestRecord)>, JournalError> {
        let rows = sqlx::query("SELECT * FROM request_ids WHERE race = ? ORDER BY decision, first")
            .bind(race.key.0)
            .fetch_all(&self.0.readers)
            .await?;
        rows.iter().map(|row| request_record(race, row)).collect()
    }

    /// Whether a race is over, and nothing that was begun in it is to be completed.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn is_over(&self, race: &RaceRecord) -> Result<bool, JournalError> {
        let row = sqlx::query(
            "SELECT EXISTS (SELECT 1 FROM decisions WHERE race = ? AND committed_at IS NULL) AS is_open, finished \
             FROM races WHERE id = ?",
        )
        .bind(race.key.0)
        .bind(race.key.0)
        .fetch_one(&self.0.readers)
        .await?;
        Ok(!row.try_get::<bool, _>("is_open")? && row.try_get::<bool, _>("finished")?)
    }

    /// A decision that was completed, with its events.
    ///
    /// # Errors
    /// [`JournalError::Unreadable`] if it was not, among others.
    pub async fn outcome(&self, race: &RaceRecord, no: DecisionNo) -> Result<Done, JournalError> {
        let missing = || unreadable(race, format!("decision {no}"), "it was not completed".to_owned());
        let found = self.decision(race, no).await?.ok_or_else(missing)?;
        let committed = found.committed.ok_or_else(missing)?;
        let before = match no.0 {
            0 | 1 => 0,
            no => self
                .decision(race, DecisionNo(no - 1))
                .await?
                .and_then(|before| before.committed)
                .map_or(0, |it| it.last_seq),
        };
        let mut events = Vec::new();
        let mut after = before;
        while after < committed.last_seq {
            let page = self.events(race, after).await?;
            if page.is_empty() {
                return Err(unreadable(race, format!("event {}", after + 1), "it is missing".to_owned()));
            }
            for stored in page.into_iter().take_while(|event| event.seq <= committed.last_seq) {
                after = stored.seq;
                events.push(numbered(race, stored)?);
            }
        }
        let reasons = self.reasons(race, no).await?;
        Ok(Done { decision: found.decision, settled: committed.settled, reasons, events })
    }

    /// The names of the refusals of a decision's commands.
    async fn reasons(&self, race: &RaceRecord, no: DecisionNo) -> Result<Vec<Option<String>>, JournalError> {
        let reasons: Option<String> =
            sqlx::query_scalar("SELECT reasons FROM decisions WHERE race = ? AND no = ?")
                .bind(race.key.0)
                .bind(signed(no.0))
                .fetch_one(&self.0.readers)
                .await?;
        let Some(reasons) = reasons else { return Ok(Vec::new()) };
        serde_json::from_str(&reasons)
            .map_err(|error| unreadable(race, format!("the reasons of decision {no}"), error.to_string()))
    }

    /// Whether a request of this id was begun or carried out.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn has_request(&self, race: &RaceRecord, request_id: &str) -> Result<bool, JournalError> {
        let has =
            sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM request_ids WHERE race = ? AND request_id = ?)")
                .bind(race.key.0)
                .bind(request_id)
                .fetch_one(&self.0.readers)
                .await?;
        Ok(has)
    }

    /// Reads a race back: the fold of its events, from the last [snapshot](SNAPSHOT_EVERY) on if that can be used.
    ///
    /// # Errors
    /// [`JournalError::Unreadable`] names the record that can't be read.
    pub async fn load(&self, id: &RaceId) -> Result<Loaded, JournalError> {
        let record = self.race(id).await?;
        let mut snapshot = snapshot::find(&self.0.readers, &record).await;
        // It would cost what a snapshot saves, so it is done where bugs are looked for.
        if cfg!(debug_assertions)
            && let Some(found) = &snapshot
            && !self.is_the_fold(&record, found).await?
        {
            tracing::warn!(race = %record.id, "a snapshot is passed over: it is not the fold of the events");
            snapshot = None;
        }
        let (race, numbers) = self.fold(&record, snapshot, u64::MAX).await?;
        let row = sqlx::query("SELECT * FROM decisions WHERE race = ? ORDER BY no DESC LIMIT 1")
            .bind(record.key.0)
            .fetch_optional(&self.0.readers)
            .await?;
        let last =
            row.ok_or_else(|| unreadable(&record, "decision 1".to_owned(), "there is none".to_owned()))?;
        let last = decision_record(&record, &last)?;
        let commands = self.last_command(&record).await?;
        Ok(Loaded { record, race, numbers, last, commands })
    }

    /// Whether a snapshot is what the events up to it come to.
    pub(super) async fn is_the_fold(
        &self,
        record: &RaceRecord,
        snapshot: &Snapshot,
    ) -> Result<bool, JournalError> {
        let (race, numbers) = self.fold(record, None, snapshot.seq).await?;
        Ok(race == snapshot.race && numbers == snapshot.numbers())
    }

    /// The fold of a race's events, from a snapshot on if there is one, up to the event of this number.
    pub(super) async fn fold(
        &self,
        record: &RaceRecord,
        from: Option<Snapshot>,
        until: u64,
    ) -> Result<(Race, Numbers), JournalError> {
        let mut numbers = from.as_ref().map(Snapshot::numbers).unwrap_or_default();
        let mut race = from.map(|snapshot| snapshot.race);
        while numbers.last() < until {
            let page = self.events(record, numbers.last()).await?;
            if page.is_empty() {
                break;
            }
            for stored in page.into_iter().take_while(|stored| stored.seq <= until) {
                let what = || format!("event {}", stored.seq);
                let event = stored::read_event(stored.format, &stored.body)
                    .map_err(|error| unreadable(record, what(), error.to_string()))?;
                let numbered = numbers.next(event);
                if numbered.sequence != stored.seq {
                    let because = format!("event {} is missing", numbered.sequence);
                    return Err(unreadable(record, what(), because));
                }
                match &mut race {
                    Some(race) => race.apply(&numbered.event),
                    None => race = Race::from_events([&numbered.event]),
                }
                if race.is_none() {
                    return Err(unreadable(record, what(), "a race begins with its creation".to_owned()));
                }
            }
        }
        let race =
            race.ok_or_else(|| unreadable(record, "event 1".to_owned(), "there is none".to_owned()))?;
        Ok((race, numbers))
    }

    /// The number of the last command that arrived.
    async fn last_command(&self, race: &RaceRecord) -> Result<u32, JournalError> {
        let row = sqlx::query(
            "SELECT * FROM decisions WHERE race = ? AND kind IN ('commands', 'register_all') AND arrivals <> '[]' \
             ORDER BY no DESC LIMIT 1",
        )
        .bind(race.key.0)
        .fetch_optional(&self.0.readers)
        .await?;
        let Some(row) = row else { return Ok(0) };
        let record = decision_record(race, &row)?;
        Ok(record.decision.arrivals.last().map_or(0, |arrival| arrival.no.0))
    }
}

fn request_record(race: &RaceRecord, row: &SqliteRow) -> Result<(DecisionNo, RequestRecord), JournalError> {
    let request_id: String = row.try_get("request_id")?;
    let number = |column: &str| -> Result<u32, JournalError> {
        u32::try_from(row.try_get::<i64, _>(column)?).map_err(|_| {
            unreadable(race, format!("request {request_id:?}"), format!("its {column} is not one"))
        })
    };
    let decision = DecisionNo(row.try_get::<i64, _>("decision")?.unsigned_abs());
    let (first, commands) = (number("first")?, number("commands")?);
    Ok((decision, RequestRecord { request_id, first, commands }))
}

/// An event as the rules know it.
///
/// # Errors
/// [`JournalError::Unreadable`] if it is none of its format.
pub fn numbered(race: &RaceRecord, stored: StoredEvent) -> Result<Numbered, JournalError> {
    let StoredEvent { seq, turn, format, body } = stored;
    let event = stored::read_event(format, &body)
        .map_err(|error| unreadable(race, format!("event {seq}"), error.to_string()))?;
    Ok(Numbered { sequence: seq, turn, event })
}

fn rows(events: &[Numbered]) -> Vec<EventRow> {
    events
        .iter()
        .map(|numbered| EventRow {
            seq: signed(numbered.sequence),
            turn: numbered.turn.0.into(),
            format: stored::FORMAT.into(),
            body: stored::write_event(&numbered.event),
        })
        .collect()
}

/// What an error means where a race is made: one that is there already has its id.
pub(super) fn or_race_exists(error: JournalError, id: &RaceId) -> JournalError {
    match &error {
        JournalError::Database(database)
            if database.as_database_error().is_some_and(|error| error.is_unique_violation()) =>
        {
            JournalError::RaceExists(id.clone())
        }
        _ => error,
    }
}

/// SQLite's integers are signed; numbers in a journal don't come near their end.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// The kinds of decisions by the words that they are stored under.
const KINDS: [(DecisionKind, &str); 4] = [
    (DecisionKind::Create, "create"),
    (DecisionKind::Turn, "turn"),
    (DecisionKind::Commands, "commands"),
    (DecisionKind::RegisterAll, "register_all"),
];

pub(super) fn kind_word(kind: DecisionKind) -> &'static str {
    KINDS.iter().find_map(|(one, word)| (*one == kind).then_some(*word)).unwrap_or_default()
}

pub(super) fn unreadable(race: &RaceRecord, what: String, because: String) -> JournalError {
    JournalError::Unreadable { race: race.id.clone(), what, because }
}

fn exchange(race: &RaceRecord, row: ExchangeRow) -> Result<Exchange, JournalError> {
    let what = format!("exchange {} {} {}", row.chain, row.port, row.number);
    row.read().map_err(|column| unreadable(race, what, format!("its {column} is not one")))
}

fn stored_event(race: &RaceRecord, row: &SqliteRow) -> Result<StoredEvent, JournalError> {
    let seq = row.try_get::<i64, _>("seq")?.unsigned_abs();
    let number = |column: &str| -> Result<u32, JournalError> {
        u32::try_from(row.try_get::<i64, _>(column)?)
            .map_err(|_| unreadable(race, format!("event {seq}"), format!("its {column} is not one")))
    };
    Ok(StoredEvent {
        seq,
        turn: TurnNo(number("turn")?),
        format: number("format")?,
        body: row.try_get("body")?,
    })
}

/// A decision as it lies in its table.
struct StoredDecision {
    no: DecisionNo,
    kind: DecisionKind,
    turn: TurnNo,
    format: u32,
    arrivals: String,
    begun_at: Moment,
    committed: Option<Committed>,
}

fn stored_decision(race: &RaceRecord, row: &SqliteRow) -> Result<StoredDecision, JournalError> {
    let no = row.try_get::<i64, _>("no")?.unsigned_abs();
    let damaged = |because: String| unreadable(race, format!("decision {no}"), because);
    let number = |column: &str| -> Result<u32, JournalError> {
        u32::try_from(row.try_get::<i64, _>(column)?).map_err(|_| damaged(format!("its {column} is not one")))
    };
    let word: String = row.try_get("kind")?;
    let kind = KINDS.iter().find_map(|(kind, known)| (*known == word).then_some(*kind));
    let committed_at: Option<i64> = row.try_get("committed_at")?;
    let committed = match committed_at {
        None => None,
        Some(at) => Some(Committed {
            at: Moment(at),
            last_seq: row.try_get::<i64, _>("last_seq")?.unsigned_abs(),
            settled: serde_json::from_str(&row.try_get::<String, _>("settled")?)
                .map_err(|error| damaged(format!("settled: {error}")))?,
        }),
    };
    Ok(StoredDecision {
        no: DecisionNo(no),
        kind: kind.ok_or_else(|| damaged(format!("{word:?} is no kind of decision")))?,
        turn: TurnNo(number("turn")?),
        format: number("format")?,
        arrivals: row.try_get("arrivals")?,
        begun_at: Moment(row.try_get("begun_at")?),
        committed,
    })
}

fn decision_record(race: &RaceRecord, row: &SqliteRow) -> Result<DecisionRecord, JournalError> {
    let StoredDecision { no, kind, turn, format, arrivals, begun_at, committed } =
        stored_decision(race, row)?;
    let arrivals = stored::read_arrivals(format, &arrivals)
        .map_err(|error| unreadable(race, format!("decision {no}"), error.to_string()))?;
    Ok(DecisionRecord { decision: Decision { no, kind, turn, arrivals }, begun_at, committed })
}

// --- the transactions ---

struct Create {
    new: NewRace,
    secrets: Vec<(i64, Vec<u8>)>,
    created_at: Moment,
    events: Vec<EventRow>,
    call: Option<Call>,
}

impl Transaction for Create {
    fn is_synced(&self) -> bool {
        true
    }

    fn write<'c>(&'c self, connection: &'c mut SqliteConnection) -> BoxFuture<'c, Result<i64, JournalError>> {
        async move {
            let Create { new, secrets, created_at, events, call } = self;
            call::must_be_new(connection, call.as_ref()).await?;
            let race = sqlx::query(
                "INSERT INTO races (race, name, created_at, gm, revision, seed, origin, plan, pace_ms, private) \
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )
            .bind(new.id.as_str())
            .bind(new.name.as_str())
            .bind(created_at.0)
            .bind(env!("CARGO_PKG_VERSION"))
            .bind(i64::from(new.revision))
            .bind(new.seed.0.to_string())
            .bind(match new.origin {
                Origin::Here => "here",
                Origin::Imported => "imported",
            })
            .bind(new.plan.as_deref())
            .bind(new.pace.map(millis))
            .bind(new.private)
            .execute(&mut *connection)
            .await?
            .last_insert_rowid();
            for (team, sealed) in secrets {
                set_car_secret(connection, race, *team, sealed).await?;
            }
            sqlx::query(
                "INSERT INTO decisions (race, no, kind, turn, format, arrivals, begun_at, committed_at, last_seq, settled) \
                 VALUES (?, 1, 'create', 0, ?, '[]', ?, ?, ?, '[]')",
            )
            .bind(race)
            .bind(i64::from(stored::FORMAT))
            .bind(created_at.0)
            .bind(created_at.0)
            .bind(events.last().map_or(0, |last| last.seq))
            .execute(&mut *connection)
            .await?;
            writer::insert_events(connection, race, events).await?;
            call::keep(connection, call.as_ref()).await?;
            Ok(race)
        }
        .boxed()
    }
}

struct Begin {
    race: i64,
    no: i64,
    kind: &'static str,
    turn: i64,
    arrivals: String,
    requests: Vec<RequestRecord>,
}

impl Transaction for Begin {
    /// A turn is begun again as it was; commands that are lost, others could take their numbers and their request ids.
    fn is_synced(&self) -> bool {
        self.kind != kind_word(DecisionKind::Turn)
    }

    fn write<'c>(&'c self, connection: &'c mut SqliteConnection) -> BoxFuture<'c, Result<i64, JournalError>> {
        async move {
            sqlx::query(
                "INSERT INTO decisions (race, no, kind, turn, format, arrivals, begun_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            )
            .bind(self.race)
            .bind(self.no)
            .bind(self.kind)
            .bind(self.turn)
            .bind(i64::from(stored::FORMAT))
            .bind(self.arrivals.as_str())
            .bind(Moment::now().0)
            .execute(&mut *connection)
            .await?;
            for request in &self.requests {
                sqlx::query(
                    "INSERT INTO request_ids (race, request_id, decision, first, commands) VALUES (?, ?, ?, ?, ?)",
                )
                .bind(self.race)
                .bind(request.request_id.as_str())
                .bind(self.no)
                .bind(i64::from(request.first))
                .bind(i64::from(request.commands))
                .execute(&mut *connection)
                .await?;
            }
            Ok(0)
        }
        .boxed()
    }
}

struct Complete {
    race: i64,
    decision: i64,
    exchanges: Arc<Vec<ExchangeRow>>,
    events: Vec<EventRow>,
    last_seq: i64,
    settled: String,
    reasons: String,
    ran_ms: i64,
    finished: bool,
    snapshot: Option<SnapshotRow>,
}

impl Transaction for Complete {
    fn is_synced(&self) -> bool {
        true
    }

    fn write<'c>(&'c self, connection: &'c mut SqliteConnection) -> BoxFuture<'c, Result<i64, JournalError>> {
        async move {
            let (race, decision) = (self.race, self.decision);
            let places = self.exchanges.iter().zip(1..);
            let exchanges: Vec<_> =
                places.map(|(row, place)| InDecision { race, decision, place, row }).collect();
            writer::insert(connection, &exchanges).await?;
            writer::insert_events(connection, self.race, &self.events).await?;
            let completed = sqlx::query(
                "UPDATE decisions SET committed_at = ?, last_seq = ?, settled = ?, reasons = ? \
                 WHERE race = ? AND no = ? AND committed_at IS NULL",
            )
            .bind(Moment::now().0)
            .bind(self.last_seq)
            .bind(self.settled.as_str())
            .bind(self.reasons.as_str())
            .bind(self.race)
            .bind(self.decision)
            .execute(&mut *connection)
            .await?;
            if completed.rows_affected() != 1 {
                // Nobody else writes, so this is a bug of the caller's, and nothing of it may stay.
                return Err(sqlx::Error::RowNotFound.into());
            }
            sqlx::query("UPDATE races SET ran_ms = ?, finished = ? WHERE id = ?")
                .bind(self.ran_ms)
                .bind(self.finished)
                .bind(self.race)
                .execute(&mut *connection)
                .await?;
            if let Some(snapshot) = &self.snapshot {
                snapshot.put(connection, self.race).await?;
            }
            Ok(0)
        }
        .boxed()
    }
}

struct SetPace {
    race: i64,
    pace_ms: Option<i64>,
    call: Option<Call>,
}

impl Transaction for SetPace {
    fn write<'c>(&'c self, connection: &'c mut SqliteConnection) -> BoxFuture<'c, Result<i64, JournalError>> {
        async move {
            call::must_be_new(connection, self.call.as_ref()).await?;
            sqlx::query("UPDATE races SET pace_ms = ? WHERE id = ?")
                .bind(self.pace_ms)
                .bind(self.race)
                .execute(&mut *connection)
                .await?;
            call::keep(connection, self.call.as_ref()).await?;
            Ok(0)
        }
        .boxed()
    }
}

struct Forget {
    race: i64,
    call: Option<Call>,
}

impl Transaction for Forget {
    fn write<'c>(&'c self, connection: &'c mut SqliteConnection) -> BoxFuture<'c, Result<i64, JournalError>> {
        async move {
            sqlx::query("DELETE FROM races WHERE id = ?").bind(self.race).execute(&mut *connection).await?;
            if let Some(call) = &self.call {
                sqlx::query("DELETE FROM calls WHERE request_id = ?")
                    .bind(call.request_id.as_str())
                    .execute(connection)
                    .await?;
            }
            Ok(0)
        }
        .boxed()
    }
}
