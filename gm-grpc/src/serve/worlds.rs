//! The worlds of the races that a server plays: their cars over HTTP.

use crate::control::{Setting, Worlds};
use crate::drive::{HttpWorld, Limits, Settings};
use crate::journal::RaceId;
use gm_core::contract::BaseUrl;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// What all worlds of a server have in common.
#[derive(Debug, Clone)]
pub struct Common {
    /// Names of hosts that only this game master knows.
    pub hosts: BTreeMap<String, SocketAddr>,
    /// Where the cars of known instances are.
    pub instances: BTreeMap<String, BaseUrl>,
    /// Whether cars and AIs may be on private addresses.
    pub allow_private: bool,
    /// The most requests of one race that are under way at the same time.
    pub in_flight: usize,
}

impl Default for Common {
    /// No names, private addresses, 256 requests.
    fn default() -> Common {
        Common {
            hosts: BTreeMap::new(),
            instances: BTreeMap::new(),
            allow_private: true,
            in_flight: Limits::default().in_flight,
        }
    }
}

/// Opens the worlds of races, and knows those that are open.
#[derive(Clone, Default)]
pub struct ServedWorlds {
    common: Arc<Common>,
    open: Arc<Mutex<BTreeMap<RaceId, HttpWorld>>>,
}

impl ServedWorlds {
    /// Nothing is open yet.
    #[must_use]
    pub fn new(common: Common) -> ServedWorlds {
        ServedWorlds { common: Arc::new(common), open: Arc::default() }
    }

    /// The world of a race that is or was played here since the game master was started.
    #[must_use]
    pub fn of(&self, race: &RaceId) -> Option<HttpWorld> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).get(race).cloned()
    }
}

impl Worlds for ServedWorlds {
    type World = HttpWorld;

    fn open(&self, setting: Setting) -> Result<HttpWorld, String> {
        let Setting { race, rules, secrets, inspectors, running } = setting;
        let common = &*self.common;
        let settings = Settings {
            limits: Limits::of(&rules, common.in_flight),
            secrets,
            inspectors,
            hosts: common.hosts.clone(),
            instances: common.instances.clone(),
            allow_private: common.allow_private,
            running,
            ..Settings::new(race.as_str())
        };
        let world = HttpWorld::new(settings).map_err(|error| error.to_string())?;
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(race, world.clone());
        Ok(world)
    }
}
