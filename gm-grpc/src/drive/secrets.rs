//! What the cars of a race's teams are sent (C-20), which may be set while the race is played.
//!
//! ```
//! use gm_core::ids::TeamId;
//! use gm_grpc::drive::{CarSecrets, Secret};
//! let secrets = CarSecrets::default();
//! secrets.set(TeamId(7), Secret::parse("s3cret").unwrap());
//! assert!(secrets.get(TeamId(7)).is_some());
//! secrets.take_effect(); // when the next decision begins
//! ```
//!
//! A secret that is set while a turn is played is sent from the next decision on, so no car is sent two in one turn. But
//! one that was broken off by the death of the process goes on with what the journal has then: no answer, and nothing
//! that is recorded, depends on the secret.

use super::settings::Secret;
use gm_core::ids::TeamId;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// The secrets of a race's teams: those that were set, and those that are sent.
#[derive(Default)]
pub struct CarSecrets(RwLock<Inside>);

#[derive(Default)]
struct Inside {
    set: BTreeMap<TeamId, Secret>,
    sent: BTreeMap<TeamId, Secret>,
}

impl CarSecrets {
    /// Secrets that are sent from the beginning.
    #[must_use]
    pub fn of(secrets: BTreeMap<TeamId, Secret>) -> CarSecrets {
        CarSecrets(RwLock::new(Inside { set: secrets.clone(), sent: secrets }))
    }

    /// Sets what a team's cars are sent, from the next decision on.
    pub fn set(&self, team: TeamId, secret: Secret) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).set.insert(team, secret);
    }

    /// What was set last.
    #[must_use]
    pub fn get(&self, team: TeamId) -> Option<Secret> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).set.get(&team).cloned()
    }

    /// What is set is sent from now on. Who owns the race says so when a decision begins.
    pub fn take_effect(&self) {
        let mut inside = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let Inside { set, sent } = &mut *inside;
        if set != sent {
            sent.clone_from(set);
        }
    }

    /// What a team's cars are sent now. A team that has none is asked without the header.
    #[must_use]
    pub fn sent_to(&self, team: TeamId) -> Option<Secret> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).sent.get(&team).cloned()
    }
}

/// Nothing of them is shown, nor how many there are.
impl fmt::Debug for CarSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CarSecrets(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: TeamId = TeamId(1);

    fn secret(text: &str) -> Secret {
        Secret::parse(text).expect("a secret")
    }

    /// C-20: what is set is sent from the next decision on.
    #[test]
    fn c_20_a_new_secret_takes_effect_with_a_decision() {
        let secrets = CarSecrets::of(BTreeMap::from([(RED, secret("old"))]));
        assert_eq!(secrets.sent_to(RED), Some(secret("old")), "from the beginning");
        secrets.set(RED, secret("new"));
        secrets.set(TeamId(2), secret("two"));
        assert_eq!(secrets.get(RED), Some(secret("new")));
        assert_eq!(secrets.sent_to(RED), Some(secret("old")), "still");
        assert_eq!(secrets.sent_to(TeamId(2)), None);
        secrets.take_effect();
        assert_eq!(secrets.sent_to(RED), Some(secret("new")));
        assert_eq!(secrets.sent_to(TeamId(2)), Some(secret("two")));
        assert_eq!(format!("{secrets:?}"), "CarSecrets(…)");
    }
}
