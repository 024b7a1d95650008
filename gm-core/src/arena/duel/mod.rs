//! The En Garde duel: R-6.
