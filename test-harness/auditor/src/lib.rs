//! Checks every event of a race against the rule book (to come).
