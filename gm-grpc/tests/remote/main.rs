//! The command line against a server: a whole race by it alone, what it says when something is wrong, and what its help
//! teaches.

mod game;
mod help;
mod race;
mod readme;
mod wrong;
