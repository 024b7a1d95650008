//! Whole races in one process (to come).
