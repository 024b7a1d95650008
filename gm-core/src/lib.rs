//! The rules of the race and of its duels, and nothing else.
//!
//! Everything outside of the rules is handed in through [`ports`]: cars, duel AIs, inspectors, clocks. Every die
//! is a named stream of the race's seed ([`random`]). So the same code runs a live race, a simulated one, a replay,
//! and the second half of a turn after a crash.
//!
//! **What this crate never does**: open a socket or a file, read a clock, wait, take randomness from the operating
//! system, spawn a task, or iterate in hash order. There is no async runtime in its dependency tree, and CI checks
//! it.
//!
//! Read the modules in this order:
//!
//! 1. [`ids`]: the small words (team, car, turn, square, dollars, victory points).
//! 2. [`contract`]: what is said between the game master, a car and a duel AI (`docs/contract.md`, C and A).
//! 3. [`ports`]: what the rules ask of the outside.
//! 4. [`random`]: named streams from the race's seed.
//! 5. [`arena`]: what a game between bots is, the match that plays one, and the duel as one such game.
//! 6. [`race`]: the race itself; start at `race/turn.rs`, which reads like R-3.
//! 7. [`memory`]: a world in memory, for tests, simulations and benches.

pub mod arena;
pub mod contract;
pub mod ids;
pub mod memory;
pub mod ports;
pub mod race;
pub mod random;
