//! A world whose answers are in the journal: what was answered is given back, and what is answered is kept.
//!
//! ```text
//! the rules ─▶ exchange(request) ─┬─ in the record ─▶ the recorded answer          no socket
//!                                 ├─ another request in the record ─▶ diverged     the race stops
//!                                 └─ not in the record ─▶ live ─▶ kept ─▶ answer   durable before the rules see it
//! ```
//!
//! A decision of the rules (a turn, a registration, a correction) that was broken off is made again from its beginning:
//! with the same seed and the recorded answers it comes to where it was, and goes on live from there. Because the
//! rules see an answer only when it is out of this process, all that they ask or tell on the strength of it finds it in the
//! record after a crash; and a request that is sent twice is one whose answer nobody had seen, with the same id (C-20).
//!
//! A decision that can't go on is *stopped*: [`Deciding::run`] gives up its future, and says why. What was kept is
//! kept. So a full disk and the death of the process are the same to the rules.
//!
//! A clock is recorded when it strikes (R-6.8, R-7.8, R-10.2): that it has not struck needs no record, since what
//! was asked next shows it.
//!
//! - [`stop`]: why a decision is stopped; [`probe`]: where tests stop one.
//! - [`live`]: what a world must be able to do so that it can go on in the middle of a conversation.
//! - [`record`]: the recorded exchanges of one decision; [`world`]: the ports, and who [keeps](Keep) the answers: the journal,
//!   or a simulation; [`nobody`]: the world behind a record that is complete.

pub mod live;
pub mod nobody;
pub mod probe;
pub mod record;
pub mod stop;
pub mod world;

pub use live::{Live, LiveWorld};
pub use nobody::Nobody;
pub use probe::{Point, Probe};
pub use record::{Record, Whose};
pub use stop::Stop;
pub use world::{Deciding, Keep, Keeper};
pub(crate) use world::{car_request, duel_request};
