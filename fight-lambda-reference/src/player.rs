//! Which AI answers, as whoever starts it says: the settings that the HTTP server and the Lambda have in common.
//!
//! ```
//! use clap::Parser;
//! use fight_lambda_reference::{Mind, Player};
//! #[derive(Parser)]
//! struct Settings {
//!     #[command(flatten)]
//!     player: Player,
//! }
//! let settings = Settings::parse_from(["it", "--ai", "random", "--seed", "7"]);
//! assert_eq!(settings.player, Player { ai: Mind::Random, seed: 7 });
//! ```

use crate::{Ai, Mind};

/// Which AI answers. Each flag is also a variable of the environment: `--ai` is `FIGHT_LAMBDA_AI`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub struct Player {
    /// Which AI answers
    #[arg(long, env = "FIGHT_LAMBDA_AI", value_enum, default_value_t)]
    pub ai: Mind,

    /// The seed of the random AI's dice: the same seed and question give the same answer
    #[arg(long, env = "FIGHT_LAMBDA_SEED", default_value_t = 1)]
    pub seed: u64,
}

impl Player {
    /// A new AI, for one question.
    #[must_use]
    pub fn wake(self) -> Box<dyn Ai> {
        self.ai.wake(self.seed)
    }
}
