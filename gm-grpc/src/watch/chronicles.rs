//! All races that are looked at.
//!
//! ```text
//! let chronicles = Chronicles::new(Arc::new(races), Settings::default());
//! let chronicle = chronicles.of(&id).await?;      // the same for all who look at this race
//! ```

use super::Settings;
use super::chronicle::Chronicle;
use super::error::CannotRead;
use crate::control::{CannotOwn, RaceHandle, Races, Worlds};
use crate::journal::{Journal, RaceId};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many races are followed at once. One that nobody looks at goes first.
pub const MOST_CHRONICLES: usize = 256;

/// Who owns races: [`Races`], of whatever world.
pub trait Owners: Send + Sync + 'static {
    /// The race of this id, which is owned from here on if it can be.
    fn own<'a>(&'a self, race: &'a RaceId) -> BoxFuture<'a, Result<RaceHandle, CannotOwn>>;

    /// Where the races are.
    fn journal(&self) -> &Journal;
}

impl<S: Worlds> Owners for Races<S> {
    fn own<'a>(&'a self, race: &'a RaceId) -> BoxFuture<'a, Result<RaceHandle, CannotOwn>> {
        Races::own(self, race).boxed()
    }

    fn journal(&self) -> &Journal {
        Races::journal(self)
    }
}

/// The races that are looked at, each followed once.
pub struct Chronicles {
    owners: Arc<dyn Owners>,
    settings: Settings,
    followed: Mutex<Followed>,
}

/// The races that are followed.
#[derive(Default)]
struct Followed {
    chronicles: BTreeMap<RaceId, Entry>,
    /// Counts how often one was asked for, to know which was not for longest.
    asked: u64,
}

struct Entry {
    chronicle: Arc<Chronicle>,
    asked: u64,
}

impl Chronicles {
    /// Nothing is followed yet.
    #[must_use]
    pub fn new(owners: Arc<dyn Owners>, settings: Settings) -> Chronicles {
        Chronicles { owners, settings, followed: Mutex::default() }
    }

    /// How they are watched.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The chronicle of a race: of one that can be owned here, as its owner goes on; of one that was imported, or made
    /// under another revision of the rules (R-10.5), as it is in the journal.
    ///
    /// # Errors
    /// [`CannotRead::NotOwned`] if there is no such race, among others; [`CannotRead::TooManyRaces`] if all
    /// [`MOST_CHRONICLES`] are looked at.
    pub async fn of(&self, race: &RaceId) -> Result<Arc<Chronicle>, CannotRead> {
        if let Some(chronicle) = self.lock().get(race) {
            return Ok(chronicle);
        }
        let journal = self.owners.journal().clone();
        let found = match self.owners.own(race).await {
            Ok(handle) => Ok(handle),
            Err(CannotOwn::Imported(_) | CannotOwn::OtherRevision { .. }) => Err(journal.race(race).await?),
            Err(CannotOwn::ShuttingDown) => return Err(CannotRead::ShuttingDown),
            Err(error) => return Err(error.into()),
        };
        let mut followed = self.lock();
        // Somebody else may have been faster; there is one chronicle.
        if let Some(chronicle) = followed.get(race) {
            return Ok(chronicle);
        }
        followed.make_room()?;
        let settings = self.settings.clone();
        let chronicle = Arc::new(match found {
            Ok(handle) => Chronicle::follow(journal, handle, settings),
            Err(record) => Chronicle::of_record(journal, record, settings),
        });
        followed.put(race.clone(), Arc::clone(&chronicle));
        Ok(chronicle)
    }

    fn lock(&self) -> MutexGuard<'_, Followed> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Followed {
    /// The chronicle of a race, unless its task has ended: another owner begins another one.
    fn get(&mut self, race: &RaceId) -> Option<Arc<Chronicle>> {
        let entry = self.chronicles.get_mut(race).filter(|entry| !entry.chronicle.is_ended())?;
        self.asked += 1;
        entry.asked = self.asked;
        Some(Arc::clone(&entry.chronicle))
    }

    fn put(&mut self, race: RaceId, chronicle: Arc<Chronicle>) {
        self.asked += 1;
        self.chronicles.insert(race, Entry { chronicle, asked: self.asked });
    }

    /// Lets go of what has ended, and of one that nobody looks at, if there are too many.
    fn make_room(&mut self) -> Result<(), CannotRead> {
        self.chronicles.retain(|_, entry| !entry.chronicle.is_ended());
        if self.chronicles.len() < MOST_CHRONICLES {
            return Ok(());
        }
        let unused = self.chronicles.iter().filter(|(_, entry)| Arc::strong_count(&entry.chronicle) == 1);
        let longest = unused.min_by_key(|(_, entry)| entry.asked).map(|(race, _)| race.clone());
        let longest = longest.ok_or(CannotRead::TooManyRaces)?;
        self.chronicles.remove(&longest);
        Ok(())
    }
}
