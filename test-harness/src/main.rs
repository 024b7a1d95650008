//! The binary `conform` (to come).

fn main() {}
