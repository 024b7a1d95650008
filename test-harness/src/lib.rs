//! The test harness: what a team checks its car and its duel AI with, what tests put around healthy cars, and the
//! checks of the workspace itself (in `tests/`).
//!
//! **What this crate never does**: decide what a rule says, become part of the game master (which does not depend on
//! it), use a port that it was not given by the system, or draw without a seed.
//!
//! Read the modules in this order:
//!
//! 1. [`client`]: asks a car or a duel AI as the game master does, and says what came.
//! 2. [`suite`]: conformance: what each requirement of the contract comes to; [`stop`]: how a run is ended early.
//! 3. [`report`]: what is told of it; [`curl`]: how a request is repeated by hand.
//! 4. [`fuzz`]: sends a car generated nonsense, and makes what breaks it short.
//! 5. [`game_master`]: a mock game master, for a team's own tests.
//! 6. [`mock`]: cars and duel AIs for tests of the game master, with scripted faults.
//! 7. [`broken`]: cars that misbehave over real HTTP.
//! 8. [`flaws`]: broken cars and AIs, each of which one case must catch.
//! 9. [`delay`]: servers whose answers take a while, each another while.

pub mod broken;
pub mod client;
pub mod curl;
pub mod delay;
pub mod flaws;
pub mod fuzz;
pub mod game_master;
pub mod mock;
pub mod report;
pub mod stop;
pub mod suite;
