//! The bench: how much better is one AI than another?
//!
//! ```text
//! deal 1  white: search  black: greedy   search won
//!         white: greedy  black: search   drawn          the pair's mean is 0.75 for search
//! ```
//!
//! Each deal, an order of the pile and who plays first, is played twice with the seats swapped, so that good cards and
//! the first turn help both as much. The mean of such a pair is one measurement; the score's interval is made of those.
//! Two equal AIs that think by iterations score 0.5 exactly.
//!
//! Read in this order:
//!
//! 1. [`contender`]: who plays, as it is written on the command line.
//! 2. [`pair`]: one deal, played from both sides.
//! 3. [`run`](mod@run): many of them, several at once.
//! 4. [`tally`]: what came of them: score, interval, latencies.
//! 5. [`report`]: the same for people and for programs.
//! 6. [`far`]: an AI at a URL.

pub mod contender;
pub mod far;
pub mod pair;
pub mod report;
pub mod run;
pub mod tally;

pub use contender::{BadContender, Contender};
pub use far::Far;
pub use pair::{Pair, Terms};
pub use report::Report;
pub use run::{Bench, Running};
pub use tally::Tally;
