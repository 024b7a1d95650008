//! All races of a data directory: made, owned, recovered after a crash, shut down.

use super::desk::Desk;
use super::handle::{Activity, MOST_ASKS, RaceHandle, State};
use super::owner::{Owner, Table};
use crate::drive::{CarSecrets, Inspectors, RunningTime};
use crate::durable::{LiveWorld, Probe};
use crate::journal::{Call, Journal, JournalError, Loaded, NewRace, Numbers, Origin, RaceId};
use crate::observe::metrics::OwnedRace;
use gm_core::race::command::Command;
use gm_core::race::state::Life;
use gm_core::race::{REVISION, Race, ValidRules};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Opens the worlds that races are played in.
pub trait Worlds: Send + Sync + 'static {
    /// The world of one race.
    type World: LiveWorld + Send + Sync + 'static;

    /// Opens the world of a race.
    ///
    /// # Errors
    /// Says why it can't be opened.
    fn open(&self, setting: Setting) -> Result<Self::World, String>;
}

/// What a race gives to its world.
pub struct Setting {
    /// The race's id, which starts every request id (C-20).
    pub race: RaceId,
    /// Its rules.
    pub rules: ValidRules,
    /// What the cars of its teams are sent (C-20). Others may be set while it is played.
    pub secrets: Arc<CarSecrets>,
    /// How the resources of its teams are read (CONTRACT I). Set when a decision begins.
    pub inspectors: Arc<Inspectors>,
    /// Its running time.
    pub running: Arc<RunningTime>,
}

/// How races are owned.
#[derive(Clone)]
pub struct Settings {
    /// What becomes of a running race that is recovered.
    pub recovery: Recovery,
    /// How long it is waited until a journal that can't be written is tried again.
    pub try_again: Duration,
    /// Where a test lets the process die.
    pub probe: Arc<dyn Probe>,
}

impl Default for Settings {
    /// Running races go on, the journal is tried again after 2 s, and nobody dies.
    fn default() -> Settings {
        Settings { recovery: Recovery::GoOn, try_again: Duration::from_secs(2), probe: Arc::new(()) }
    }
}

/// What becomes of a running race that is recovered. The turn that was broken off is finished in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// It goes on.
    GoOn,
    /// It is paused, until somebody resumes it.
    Pause,
}

/// Why a race can't be owned.
#[derive(Debug, thiserror::Error)]
pub enum CannotOwn {
    /// The journal can't be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It was made under another revision of the rules.
    #[error(
        "race {race} was begun under revision {revision} of the rules, by gm {gm}; this gm plays by revision {ours}. \
         Finish it with that gm; this one can still list and export it"
    )]
    OtherRevision {
        /// Which race.
        race: RaceId,
        /// Its revision.
        revision: u32,
        /// The program that made it.
        gm: String,
        /// The revision of this program.
        ours: u32,
    },
    /// It was imported.
    #[error(
        "race {0} was imported, without the secrets of its cars: it can be shown and verified, but not played on"
    )]
    Imported(RaceId),
    /// Its world can't be opened.
    #[error("race {race} can't be played: {because}")]
    World {
        /// Which race.
        race: RaceId,
        /// Why, in words.
        because: String,
    },
    /// The game master is being shut down.
    #[error("the game master is shutting down")]
    ShuttingDown,
}

/// The races of a data directory.
pub struct Races<S> {
    journal: Journal,
    worlds: S,
    settings: Settings,
    owned: Mutex<BTreeMap<RaceId, Owned>>,
    shut_down: watch::Sender<Option<Instant>>,
}

struct Owned {
    handle: RaceHandle,
    task: JoinHandle<()>,
}

impl<S: Worlds> Races<S> {
    /// The races of a journal. None is owned yet.
    #[must_use]
    pub fn new(journal: Journal, worlds: S, settings: Settings) -> Races<S> {
        let (shut_down, _) = watch::channel(None);
        Races { journal, worlds, settings, owned: Mutex::default(), shut_down }
    }

    /// The journal.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// What opens their worlds.
    #[must_use]
    pub fn worlds(&self) -> &S {
        &self.worlds
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<RaceId, Owned>> {
        self.owned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a race, and owns it.
    ///
    /// # Errors
    /// [`CannotOwn`]; there is no such race then.
    pub async fn create(&self, new: NewRace, rules: ValidRules) -> Result<RaceHandle, CannotOwn> {
        self.create_once(new, rules, None).await
    }

    /// Makes a race, and owns it; the call that asked for it is kept with it.
    ///
    /// # Errors
    /// [`CannotOwn`], also if the call was made before ([`JournalError::CallExists`]). Neither the race nor the call is
    /// there then.
    pub async fn create_once(
        &self,
        new: NewRace,
        rules: ValidRules,
        call: Option<&Call>,
    ) -> Result<RaceHandle, CannotOwn> {
        let (_, events) = Race::create(rules, new.seed);
        let mut numbers = Numbers::default();
        let events: Vec<_> = events.into_iter().map(|event| numbers.next(event)).collect();
        let id = new.id.clone();
        let record = self.journal.create(new, &events, call).await?;
        let owned = self.own(&id).await;
        if owned.is_err() {
            self.journal.take_back(record.key, call).await?;
        }
        owned
    }

    /// The race of this id: its owner's, who is started if there is none. A decision that was broken off is made again.
    ///
    /// # Errors
    /// [`CannotOwn`].
    pub async fn own(&self, id: &RaceId) -> Result<RaceHandle, CannotOwn> {
        if let Some(handle) = self.get(id) {
            return Ok(handle);
        }
        let record = self.journal.race(id).await?;
        if record.revision != REVISION {
            return Err(CannotOwn::OtherRevision {
                race: record.id,
                revision: record.revision,
                gm: record.gm,
                ours: REVISION,
            });
        }
        if record.origin == Origin::Imported {
            return Err(CannotOwn::Imported(record.id));
        }
        let loaded = self.journal.load(id).await?;
        let secrets = Arc::new(CarSecrets::of(self.journal.secrets(&loaded.record).await?));
        let inspectors = Arc::new(Inspectors::default());
        let requests = self.journal.requests(&loaded.record).await?;
        let running = Arc::new(RunningTime::after(loaded.record.ran));
        let world = self
            .worlds
            .open(Setting {
                race: id.clone(),
                rules: loaded.race.rules.clone(),
                secrets: Arc::clone(&secrets),
                inspectors: Arc::clone(&inspectors),
                running: Arc::clone(&running),
            })
            .map_err(|because| CannotOwn::World { race: id.clone(), because })?;

        let mut owned = self.lock();
        if self.shut_down.borrow().is_some() {
            return Err(CannotOwn::ShuttingDown);
        }
        // Somebody else may have been faster; there is one owner.
        if let Some(owned) = owned.get(id).filter(|owned| !owned.task.is_finished()) {
            return Ok(owned.handle.clone());
        }
        let Loaded { record, race, numbers, last, commands } = loaded;
        let record = Arc::new(record);
        let (asks, inbox) = mpsc::channel(MOST_ASKS);
        let (tell, state) = watch::channel(State {
            race: Arc::new(race.clone()),
            last_seq: numbers.last(),
            activity: Activity::Waits,
            pace: record.pace,
            next_turn: None,
        });
        let mut desk = Desk::new(inbox, self.journal.clone(), Arc::clone(&record), requests);
        if self.settings.recovery == Recovery::Pause && race.life == Life::Running {
            desk.put(vec![Command::Pause]);
        }
        let broken_off = last.committed.is_none().then(|| last.decision.clone());
        let completed = match &broken_off {
            Some(decision) => crate::journal::DecisionNo(decision.no.0.saturating_sub(1)),
            None => last.decision.no,
        };
        let owner = Owner {
            record: Arc::clone(&record),
            journal: self.journal.clone(),
            world,
            running,
            secrets: Arc::clone(&secrets),
            inspectors,
            probe: Arc::clone(&self.settings.probe),
            try_again: self.settings.try_again,
            table: Table { race, numbers, last: completed, commands },
            desk,
            shut_down: self.shut_down.subscribe(),
            state: tell,
            counted: OwnedRace::default(),
            turn_started: None,
            suspended_because: None,
        };
        let task = tokio::spawn(owner.run(broken_off));
        let handle = RaceHandle { record, journal: self.journal.clone(), secrets, asks, state };
        owned.insert(id.clone(), Owned { handle: handle.clone(), task });
        Ok(handle)
    }

    /// The race of this id, if it is owned here.
    #[must_use]
    pub fn get(&self, id: &RaceId) -> Option<RaceHandle> {
        self.lock().get(id).filter(|owned| !owned.task.is_finished()).map(|owned| owned.handle.clone())
    }

    /// Recovers every race that was played here and is not over, or whose last decision was broken off: what the
    /// process was doing when it ended goes on. Gives the races that can't be recovered, with why; they keep no other.
    ///
    /// # Errors
    /// [`JournalError`] if the races can't even be listed.
    pub async fn recover(&self) -> Result<Vec<(RaceId, Result<RaceHandle, CannotOwn>)>, JournalError> {
        let mut recovered = Vec::new();
        for record in self.journal.races().await? {
            if record.origin == Origin::Imported || self.journal.is_over(&record).await? {
                continue;
            }
            let owned = self.own(&record.id).await;
            recovered.push((record.id, owned));
        }
        Ok(recovered)
    }

    /// Ends the tasks of all races: decisions that are being made may take `limit` to be completed, and are broken off
    /// after it, to be completed when the race is recovered. Nothing is lost either way. Who asks again, with a shorter
    /// limit, shortens the one before. What was committed can still be read.
    pub async fn end(&self, limit: Duration) {
        let tasks: Vec<JoinHandle<()>> = {
            let mut owned = self.lock();
            self.shut_down.send_replace(Some(Instant::now() + limit));
            std::mem::take(&mut *owned).into_values().map(|owned| owned.task).collect()
        };
        for task in tasks {
            if let Err(error) = task.await {
                tracing::error!(error = &error as &dyn std::error::Error, "the task of a race has failed");
            }
        }
    }

    /// Shuts down: [ends](Races::end) all races, and closes the journal.
    ///
    /// # Errors
    /// [`JournalError`] if the journal could not be closed properly.
    pub async fn shut_down(&self, limit: Duration) -> Result<(), JournalError> {
        self.end(limit).await;
        self.journal.close().await
    }
}
