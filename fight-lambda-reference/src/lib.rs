//! A duel AI for the race (CONTRACT A), for teams to start from.
//!
//! **What this crate never does**: remember anything between two questions, or take randomness from the operating
//! system. An AI reads a clock only to end a search that is given a time ([`Budget::Time`]); without one the same question
//! always gets the same answer, as it should from a Lambda that may be started anew for each call.
//!
//! Read the modules in this order:
//!
//! 1. [`ai`]: what an AI is: a question in, cards out. And how strong the four of this crate are.
//! 2. [`random`]: an AI that makes any legal play.
//! 3. [`greedy`]: one that attacks when it can.
//! 4. [`careful`]: one that counts cards and weighs the odds.
//! 5. [`search`]: one that thinks ahead.
//! 6. [`ismcts`]: a plain tree search, which the others are measured by.
//! 7. [`bench`](mod@bench): duels between two of them, many, and what came of it.
//! 8. [`explain`]: a position in words, and what an AI thinks of each play.
//! 9. [`handler`]: query and header in, status and JSON out.
//! 10. [`server`]: the handler behind HTTP.
//! 11. `lambda`: the handler behind AWS Lambda (feature `lambda`).
//! 12. [`player`]: which AI answers, as whoever starts it says.
//! 13. [`school`]: where the network of [`search`] is taught.
//!
//! ```
//! use fight_lambda_reference::Mind;
//! use gm_core::contract::DuelQuestion;
//! let question = DuelQuestion::from_query("yourmoves=[5,5,5]&othermoves=[2]&cards=[1,5,5,5]&othernbcards=2").unwrap();
//! // Five squares apart, and the other has two cards: three 5s can't be parried.
//! assert_eq!(Mind::Careful.wake(1).play(&question), [5, 5, 5]);
//! ```

pub mod ai;
pub mod bench;
pub mod careful;
pub mod explain;
pub mod greedy;
pub mod handler;
pub mod ismcts;
#[cfg(feature = "lambda")]
pub mod lambda;
pub mod player;
pub mod random;
pub mod school;
pub mod search;
pub mod server;

pub use ai::{Ai, Budget, Mind, Weighed};
pub use careful::Careful;
pub use greedy::Greedy;
pub use ismcts::IsMcts;
pub use player::Player;
pub use random::Random;
pub use search::Search;
