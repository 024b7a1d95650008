//! Teaches the network of the search AI anew (see `fight_lambda_reference::school`).
//!
//! ```text
//! $ cargo run --release -p fight-lambda-reference --example teach -- \
//!       --out fight-lambda-reference/src/search/taught.bin
//! ```

use clap::Parser;
use fight_lambda_reference::school::{Lesson, Pupil};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Teaches the network of the search AI anew. The same number of duels and the same seed give the same file.
#[derive(Debug, Parser)]
struct Settings {
    /// How many duels it learns from
    #[arg(long, default_value_t = 80_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    duels: u64,

    /// The seed of all dice
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The file to write
    #[arg(long)]
    out: PathBuf,
}

fn main() -> ExitCode {
    let Settings { duels, seed, out } = Settings::parse();
    let mut pupil = Pupil::new(Lesson { duels, seed });
    let begun = Instant::now();
    let part = duels.div_ceil(100);
    let mut more = true;
    while more {
        more = pupil.learn(part);
        let (taught, seconds) = (pupil.taught(), begun.elapsed().as_secs());
        eprintln!("{taught} of {duels} duels, {seconds} s");
        if let Err(why) = std::fs::write(&out, pupil.to_bytes()) {
            eprintln!("teach: can't write {}: {why}", out.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
