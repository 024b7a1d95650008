//! Audits exported races, and shows what was found and how likely the draws are.
//!
//! ```sh
//! cargo run -p race-auditor --example audit -- friday.jsonl
//! ```

use race_auditor::{Tally, audit};
use std::fs::File;
use std::io::BufReader;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut all = Tally::default();
    let mut found = 0;
    for path in std::env::args().skip(1) {
        let audited = match File::open(&path).and_then(|file| audit(BufReader::new(file))) {
            Ok(audited) => audited,
            Err(because) => {
                eprintln!("{path}: {because}");
                return ExitCode::FAILURE;
            }
        };
        let findings = audited.findings.len();
        println!("{path}: {} turns, {} events, {findings} findings", audited.turns, audited.events);
        for finding in &audited.findings {
            println!("  {finding}");
        }
        found += findings;
        all.merge(&audited.tally);
    }
    for odds in all.odds() {
        let cells: Vec<String> =
            odds.cells.iter().map(|(name, came, should)| format!("{name}: {came}/{should:.1}")).collect();
        let (rule, name) = (odds.rule, &odds.name);
        println!("{rule} {name}: p {:.4} ({} degrees; {})", odds.p, odds.degrees, cells.join(", "));
    }
    if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
