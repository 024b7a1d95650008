//! The binary `conform`: checks a car, or a duel AI, against the contract, the evening before.
//!
//! ```text
//! $ conform car http://127.0.0.1:8080 --secret s3cret
//! ✓ C-21.1  must    the car answers over HTTP/1.1
//! …
//! 67 passed, 0 failed
//! ```

mod ai;
mod car;
mod fuzz;
mod list;
mod options;
mod output;
mod signals;

use clap::Parser;
use clap::error::ErrorKind;
use options::{Command, Options};
use std::io::{self, Write};
use std::process::ExitCode;
use test_harness::client::harmless;
use test_harness::stop::Stop;

/// What kept a command from its verdict: exit code 2.
type Unusable = String;

#[tokio::main]
async fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(told) => {
            _ = told.print();
            let asked = matches!(told.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            return if asked { ExitCode::SUCCESS } else { ExitCode::from(2) };
        }
    };
    let stop = Stop::default();
    let good = match options.command {
        Command::Car(car) => {
            signals::heed(&stop);
            car::run(car, &stop).await
        }
        Command::Ai(ai) => ai::run(ai).await,
        Command::Fuzz(options) => {
            signals::heed(&stop);
            fuzz::run(options, &stop).await
        }
        Command::List(list) => list::run(&list),
    };
    if let Some(code) = signals::code(&stop) {
        return ExitCode::from(code);
    }
    match good {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(why) => {
            _ = writeln!(io::stderr(), "conform: {}", harmless(&why));
            ExitCode::from(2)
        }
    }
}
