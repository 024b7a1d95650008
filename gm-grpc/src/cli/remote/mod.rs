//! The commands that talk to `gm serve` over gRPC: everything that its API can do, for people and for scripts.
//!
//! ```text
//! gm race create --title Friday && gm team create Red && gm race start     an organiser
//! gm car register red-1 --url http://10.0.0.7 && gm log --follow           a team
//! gm race watch && gm standings                                            a spectator
//! ```
//!
//! - `connection`: which server, who asks, and a call with its retries; `refusal`: what a person is told when the
//!   server says no, and the exit code; `which`: races, teams and cars by name; `shown`: tables and JSON; `follow`:
//!   streams that go on by themselves; `words`: events in words; `rules_file`: a race file's rules for the server.
//! - One file for each resource: `race`, `show`, `watch` and `carry` (export and import) for `gm race`; `team`, `car`,
//!   `bonus`, `token`, `encounter`, `jury`, `achievement`, `log`, `duel`, `health`.
//!
//! Nothing is decided here: what is allowed, and what is in range, the server says.

mod achievement;
mod bonus;
mod car;
pub(super) mod carry;
pub(super) mod connection;
mod duel;
mod encounter;
mod follow;
mod health;
mod jury;
mod log;
pub(super) mod race;
mod refusal;
mod rules_file;
pub(super) mod show;
mod shown;
mod team;
mod token;
pub(super) mod watch;
pub(super) mod which;
mod words;

pub(super) use achievement::Achievements;
pub(super) use bonus::Bonus;
pub(super) use car::Car;
pub(super) use connection::{Once, Server};
pub(super) use duel::Duel;
pub(super) use encounter::{Declare, Odds};
pub(super) use health::Health;
pub(super) use jury::{Complain, Jury};
pub(super) use log::Log;
pub(super) use show::Standings;
pub(super) use team::Team;
pub(super) use token::Token;
