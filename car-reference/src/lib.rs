//! A car for the race, for teams to start from: the whole of contract C (`docs/contract.md`) over HTTP.
//!
//! ```no_run
//! # async fn start() -> std::io::Result<()> {
//! use car_reference::{Car, CarSettings};
//! let car = Car::in_memory(CarSettings::new("i-0abc"));
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
//! car_reference::serve(car, listener, std::future::pending()).await
//! # }
//! ```
//!
//! **What it never does**: call anybody (the game master asks, a car answers), read a clock, or roll dice that do not
//! follow from its seed: the same requests get the same answers.
//!
//! Read the modules in this order:
//!
//! 1. [`request`]: an HTTP request becomes one of C-1 to C-16, or is refused with a reason.
//! 2. [`car`]: each request gets its answer.
//! 3. [`strategy`]: what the car decides for itself. **A team starts here.**
//! 4. [`dice`]: random numbers that follow from a seed.
//! 5. [`store`]: where the modules are, in memory or in a file. A team puts S3, SQS and DynamoDB here.
//! 6. [`receipts`]: a request that is sent again is answered again, and not done again.
//! 7. [`http`]: the server around it all.
//! 8. [`settings`]: what a car is started with.

pub mod car;
pub mod dice;
pub mod http;
pub mod receipts;
pub mod request;
pub mod settings;
pub mod store;
pub mod strategy;

pub use car::{Car, Said};
pub use http::{router, serve};
pub use settings::CarSettings;
pub use store::{FileStore, MemoryStore, ModuleStore};
pub use strategy::{Strategy, StrategyName};
