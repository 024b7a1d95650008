//! What a car is started with.
//!
//! ```
//! use car_reference::{CarSettings, StrategyName};
//! let settings = CarSettings { strategy: StrategyName::Bold, seed: 7, ..CarSettings::new("i-0abc") };
//! assert_eq!(settings.modules.total(), 8);
//! ```

use crate::strategy::StrategyName;
use gm_core::contract::{DuelUrl, Modules};
use std::fmt;
use std::hint::black_box;

/// The settings of one car. All fields but the instance name have a default: see [`CarSettings::new`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarSettings {
    /// The instance name (R-1.2), which `GET /state` reports.
    pub instance: String,
    /// How many modules a new car has; a store that holds a car already is left as it is.
    pub modules: Modules,
    /// What `X-EACC-SECRET` must be (C-20); `None`: not checked.
    pub secret: Option<Secret>,
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

/// The secret between the game master and a team's cars (C-20). It is never shown, and compared in a time that does
/// not tell where a guess is wrong.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Whether this is the secret.
    #[must_use]
    pub fn is(&self, given: &[u8]) -> bool {
        let secret = self.0.as_bytes();
        given.len() == secret.len()
            && given.iter().zip(secret).fold(0, |differ, (a, b)| black_box(differ | (a ^ b))) == 0
    }
}

impl<T: Into<String>> From<T> for Secret {
    fn from(text: T) -> Secret {
        Secret(text.into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_20_secrets() {
        for (given, secret, expected) in [
            ("s3cret", "s3cret", true),
            ("", "s3cret", false),
            ("s3cre", "s3cret", false),
            ("s3crets", "s3cret", false),
            ("S3cret", "s3cret", false),
            ("s3creu", "s3cret", false),
            ("u3creu", "s3cres", false),
        ] {
            assert_eq!(Secret::from(secret).is(given.as_bytes()), expected, "{given}");
        }
        assert_eq!(format!("{:?}", Secret::from("s3cret")), "Secret(…)");
    }
}
