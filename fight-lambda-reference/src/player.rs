//! Which AI answers, as whoever starts it says: the settings that the HTTP server and the Lambda have in common.
//!
//! ```
//! use clap::Parser;
//! use fight_lambda_reference::{Budget, Mind, Player};
//! #[derive(Parser)]
//! struct Settings {
//!     #[command(flatten)]
//!     player: Player,
//! }
//! let settings = Settings::parse_from(["it", "--ai", "random", "--seed", "7"]);
//! assert_eq!(settings.player, Player { ai: Mind::Random, seed: 7, budget: Budget::default() });
//! ```

use crate::{Ai, Budget, Mind, Search};

/// Which AI answers. Each flag is also a variable of the environment: `--ai` is `FIGHT_LAMBDA_AI`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub struct Player {
    /// Which AI answers
    #[arg(long, env = "FIGHT_LAMBDA_AI", value_enum, default_value_t)]
    pub ai: Mind,

    /// The seed of the dice of random and search: the same seed and question give the same answer, unless search thinks
    /// by the clock
    #[arg(long, env = "FIGHT_LAMBDA_SEED", default_value_t = 1)]
    pub seed: u64,

    /// How long search may think about one question: a time such as 20ms, or a number of plays to judge such as 20000,
    /// with which its answers don't depend on the machine
    #[arg(long, env = "FIGHT_LAMBDA_BUDGET", default_value_t)]
    pub budget: Budget,
}

impl Player {
    /// Makes ready what the AI needs but once, so that no question has to wait for it.
    pub fn prepare(self) {
        if self.ai == Mind::Search {
            Search::prepare();
        }
    }

    /// A new AI, for one question.
    #[must_use]
    pub fn wake(self) -> Box<dyn Ai> {
        self.ai.wake_within(self.seed, self.budget)
    }
}
