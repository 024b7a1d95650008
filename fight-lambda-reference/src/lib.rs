//! A reference duel AI.
