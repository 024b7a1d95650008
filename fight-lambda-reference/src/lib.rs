//! A duel AI for the race (CONTRACT A), for teams to start from.
//!
//! **What this crate never does**: remember anything between two questions, read a clock, or take randomness from the
//! operating system. The same question always gets the same answer, as it should from a Lambda that may be started
//! anew for each call.
//!
//! Read the modules in this order:
//!
//! 1. [`ai`]: what an AI is: a question in, cards out.
//! 2. [`reference`](mod@reference): the reference AI, which counts cards.
//! 3. [`random`]: an AI that makes any legal play.
//! 4. [`handler`]: query and header in, status and JSON out.
//! 5. [`server`]: the handler behind HTTP.
//! 6. `lambda`: the handler behind AWS Lambda (feature `lambda`).
//! 7. [`player`]: which AI answers, as whoever starts it says.
//!
//! ```
//! use fight_lambda_reference::Mind;
//! use gm_core::contract::DuelQuestion;
//! let question = DuelQuestion::from_query("yourmoves=[5,5,5]&othermoves=[2]&cards=[1,5,5,5]&othernbcards=2").unwrap();
//! // Five squares apart, and the other has two cards: three 5s can't be parried.
//! assert_eq!(Mind::Reference.wake(1).play(&question), [5, 5, 5]);
//! ```

pub mod ai;
pub mod handler;
#[cfg(feature = "lambda")]
pub mod lambda;
pub mod player;
pub mod random;
pub mod reference;
pub mod server;

pub use ai::{Ai, Mind};
pub use player::Player;
pub use random::Random;
pub use reference::Reference;
