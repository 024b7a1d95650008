//! who sees what.
