//! Whole races over real HTTP on the loopback: the rules, the drive, the reference car and the reference AI together.
//!
//! One binary, because linking it costs more than running it. In reading order: [`stage`] sets up a race; then each
//! module is one promise.

mod broken_ais;
mod broken_cars;
mod crowd;
mod mock_ais;
mod mock_cars;
mod names;
mod parallel;
mod registration;
mod same;
mod stage;
