//! Cars and duel AIs for tests of the game master, which do what the contract says until a fault is scripted.
//!
//! ```no_run
//! # async fn a_test() -> std::io::Result<()> {
//! use gm_core::contract::Kind;
//! use test_harness::mock::{Endpoint, Fault, MockCar};
//! let fault = Fault::on(Endpoint::Count(Kind::Engine)).turn(3).times(1).wrong_value();
//! let car = MockCar::healthy("i-1").modules(4, 1, 3).secret("s3cret").fault(fault).start().await?;
//! // … a race is played with car.url() …
//! assert_eq!(car.requests_of(Endpoint::Count(Kind::Engine)).len(), 3);
//! # Ok(())
//! # }
//! ```
//!
//! **When to use which**: a [`MockCar`] or [`MockAi`] is asked for by what the contract knows: a request of C, a turn of
//! the race, the second question of a duel. It tells what it was asked, and its state can be looked at and set. It stands
//! on wiremock, which answers whole requests with whole answers. Whoever needs bytes that HTTP forbids, answers that
//! drip or never end, connections that are counted, or a healthy server other than these, takes
//! [`broken`](crate::broken), a server written by hand around any router.
//!
//! Each has a port of its own, and keeps it until the process ends, also when it is dropped before: were it given to
//! another server, a late request of one test could reach the car of another.

mod ai;
mod car;
mod fault;
mod server;

pub use ai::{MockAi, MockAiPlan};
pub use car::{MockCar, MockCarPlan};
pub use fault::{Endpoint, Fault, When};
pub use server::{Heard, MAX_REMEMBERED};
