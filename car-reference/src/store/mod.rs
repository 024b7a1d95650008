//! Where a car keeps its modules, its square, and whether it is in the race.
//!
//! [`MemoryStore`] forgets all when the process ends; [`FileStore`] does not. A team whose modules are real (a bucket
//! of engines, a queue with the number of pilots, a table of weapons) writes a third one: four methods, and a fifth if it keeps receipts.
//!
//! ```
//! use car_reference::{MemoryStore, store::{Change, Kept}};
//! use gm_core::contract::{Kind, Modules};
//! let mut kept = Kept::new(Modules { engine: 2, pilot: 1, weapon: 0 });
//! kept.apply(&Change::BringTo { kind: Kind::Engine, count: 3 });
//! assert_eq!(kept.names(Kind::Engine), ["engine-1", "engine-2", "engine-3"]);
//! let store = MemoryStore::new(kept);
//! ```

mod file;
mod kept;
mod memory;

pub use file::FileStore;
pub use kept::Kept;
pub use memory::MemoryStore;

use crate::receipts::Receipt;
use gm_core::contract::Kind;
use gm_core::ids::Square;
use std::future::Future;
use std::path::PathBuf;

/// The most modules of one kind that a car keeps. Far above what a race gives it; it is there so that one request
/// can't fill the memory.
pub const MAX_MODULES: u64 = 10_000;

/// Where a car keeps what it has. It is called by one request at a time.
pub trait ModuleStore: Send + Sync + 'static {
    /// The names of the modules of one kind, the oldest first.
    fn names(&self, kind: Kind) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send;

    /// The square that the game master told last; 0 before it did.
    fn square(&self) -> impl Future<Output = Result<Square, StoreError>> + Send;

    /// Whether the car is in the race.
    fn in_race(&self) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// Makes one change: all of it, or, if that fails, nothing. The receipt is what the request that asked for it is
    /// answered if it is sent again; a store that survives a restart keeps both in one step. Every change may be
    /// made twice in a row without harm, so a store that can't do that may let the receipt go.
    fn change(
        &mut self,
        change: &Change,
        receipt: Option<&Receipt>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// The receipts kept, the oldest first; read once, when the car starts.
    fn receipts(&self) -> Vec<Receipt> {
        Vec::new()
    }
}

/// A change of what a car has: the commands C-6 to C-11.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// C-6: the car is in the race, on this square.
    Enter(Square),
    /// C-7: the car is on this square.
    Move(Square),
    /// C-8: the car is out of the race.
    Leave,
    /// C-9: upwards, adds the smallest free of `engine-1`, `engine-2`, …; downwards, drops what was added last.
    BringTo {
        /// Which kind.
        kind: Kind,
        /// How many there must be, at most [`MAX_MODULES`].
        count: u64,
    },
    /// C-10: one module more; a name that is there stays where it is.
    Add {
        /// Which kind.
        kind: Kind,
        /// The module's name.
        name: String,
    },
    /// C-11: one module less; a name that is not there is no matter.
    Remove {
        /// Which kind.
        kind: Kind,
        /// The module's name.
        name: String,
    },
}

/// Why a store could not do what it was asked. For the log of the car: clients are told less.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store can't be read.
    #[error("{path}: can't be read: {source}", path = .path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The store can't be written.
    #[error("{path}: can't be written: {source}", path = .path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The store is another car's: two would overwrite each other's changes.
    #[error("{path}: in use by another car; end that one, or give this one a store of its own",
        path = .path.display())]
    InUse {
        /// Which file.
        path: PathBuf,
    },
    /// The store holds something else than a car.
    #[error("{path}: not a car's store: {reason}; mend it, or move it away to start with a new car",
        path = .path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}
