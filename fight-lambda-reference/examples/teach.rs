//! Teaches the network of the search AI anew (see `fight_lambda_reference::school`).
//!
//! ```text
//! $ cargo run --release -p fight-lambda-reference --example teach -- \
//!       --out fight-lambda-reference/src/search/taught.bin
//! ```

use clap::Parser;
use fight_lambda_reference::school::{Lesson, Pupil};
use std::fs::OpenOptions;
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
    let unwritable = |why: std::io::Error| {
        eprintln!("teach: can't write {}: {why}", out.display());
        ExitCode::FAILURE
    };
    // It takes minutes: better to know now.
    if let Err(why) = OpenOptions::new().append(true).create(true).open(&out) {
        return unwritable(why);
    }
    let mut pupil = Pupil::new(Lesson { duels, seed });
    let begun = Instant::now();
    while pupil.learn(duels.div_ceil(100)) {
        eprintln!("{} of {duels} duels, {} s", pupil.taught(), begun.elapsed().as_secs());
    }
    // What was there is kept until the lesson is over.
    match std::fs::write(&out, pupil.to_bytes()) {
        Ok(()) => {
            eprintln!("{} holds what was learnt", out.display());
            ExitCode::SUCCESS
        }
        Err(why) => unwritable(why),
    }
}
