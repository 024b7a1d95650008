//! A store that forgets all when the process ends.
//!
//! ```
//! use car_reference::{MemoryStore, store::Kept};
//! let store = MemoryStore::new(Kept::new(gm_core::contract::Modules { engine: 2, pilot: 1, weapon: 0 }));
//! ```

use super::{Change, Kept, ModuleStore, StoreError};
use crate::receipts::Receipt;
use gm_core::contract::Kind;
use gm_core::ids::Square;

/// What a car has, in memory.
#[derive(Debug, Clone)]
pub struct MemoryStore(Kept);

impl MemoryStore {
    /// A store that holds this.
    #[must_use]
    pub fn new(kept: Kept) -> MemoryStore {
        MemoryStore(kept)
    }
}

impl ModuleStore for MemoryStore {
    async fn names(&self, kind: Kind) -> Result<Vec<String>, StoreError> {
        Ok(self.0.names(kind).to_vec())
    }

    async fn square(&self) -> Result<Square, StoreError> {
        Ok(self.0.square)
    }

    async fn in_race(&self) -> Result<bool, StoreError> {
        Ok(self.0.in_race)
    }

    async fn change(&mut self, change: &Change, _receipt: Option<&Receipt>) -> Result<(), StoreError> {
        self.0.apply(change);
        Ok(())
    }
}
