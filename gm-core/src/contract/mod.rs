//! What is said between the game master, a car and a duel AI: `docs/contract.md`, C and A.
//!
//! The wire types are written once and used by all who speak them: the game master, the reference car, the
//! reference AI and the harness.
//!
//! - [`kind`]: engine, pilot, weapon.
//! - [`fault`]: the closed list of what can be wrong with an answer.
//! - [`car`]: the requests of C, with method, path and body.
//! - [`duel`]: the request of A, with its query and header.
//! - [`reader`]: the tolerant reader of C-22, which gives the value *and* the deviations that it accepted.
//! - [`address`]: the URL of a car or of a duel AI.

pub mod address;
pub mod car;
pub mod duel;
pub mod fault;
pub mod kind;
pub mod reader;

pub use address::{BadUrl, BaseUrl, DuelUrl};
pub use car::CarRequest;
pub use duel::{BadQuestion, DuelQuestion, Seen, SeenTurn};
pub use fault::{Answer, ContentType, Envelope, Fault, Found};
pub use kind::{Kind, Modules, Prices};
pub use reader::{Deviation, Reply, Taken};
