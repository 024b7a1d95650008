//! What a car is started with.
//!
//! ```
//! use car_reference::{CarSettings, StrategyName};
//! let settings = CarSettings { strategy: StrategyName::Bold, seed: 7, ..CarSettings::new("i-0abc") };
//! assert_eq!(settings.modules.total(), 8);
//! ```

use crate::strategy::StrategyName;
use gm_core::contract::{DuelUrl, Modules};

/// The settings of one car. All fields but the instance name have a default: see [`CarSettings::new`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarSettings {
    /// The instance name (R-1.2), which `GET /state` reports.
    pub instance: String,
    /// How many modules a new car has; a store that holds a car already is left as it is.
    pub modules: Modules,
    /// What `X-EACC-SECRET` must be (C-20); `None`: not checked.
    pub secret: Option<String>,
    /// Where the duel AI is (C-16); without one the car loses every duel (R-4.5).
    pub ai_url: Option<DuelUrl>,
    /// How the car decides.
    pub strategy: StrategyName,
    /// The seed of the car's dice.
    pub seed: u64,
}

impl CarSettings {
    /// Four engines, a pilot, three weapons; careful, with seed 0; no secret and no AI.
    #[must_use]
    pub fn new(instance: impl Into<String>) -> CarSettings {
        CarSettings {
            instance: instance.into(),
            modules: Modules { engine: 4, pilot: 1, weapon: 3 },
            secret: None,
            ai_url: None,
            strategy: StrategyName::Careful,
            seed: 0,
        }
    }
}
