//! The binary `simulate` (to come).

fn main() {}
