//! The race.
