//! The binary `bootstrap`: the duel AI as an AWS Lambda. Lambda starts it by this name.
//!
//! ```text
//! $ cargo lambda build --release --arm64 --package fight-lambda-reference --bin bootstrap
//! ```

use clap::Parser;
use fight_lambda_reference::Player;
use fight_lambda_reference::lambda::Environment;
use std::process::ExitCode;

/// What `--help` says first.
const ABOUT: &str = "\
A duel AI for the race, as an AWS Lambda behind API Gateway, a Function URL or a load balancer.

AWS Lambda starts it, and tells it by AWS_LAMBDA_RUNTIME_API where it is asked. Its settings are variables of the
function's environment: see template.yaml and README.md in fight-lambda-reference.

To serve the same AI over HTTP, on any machine: fight-lambda.";

/// A duel AI for the race, as an AWS Lambda
#[derive(Debug, Parser)]
#[command(name = "bootstrap", version, about, long_about = ABOUT)]
struct Settings {
    #[command(flatten)]
    player: Player,
}

// One thread: a function is given one event at a time, and often less than one processor.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let settings = match Settings::try_parse() {
        Err(asked) if !asked.use_stderr() => asked.exit(),
        settings => settings,
    };
    match run(settings).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("bootstrap: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn run(settings: Result<Settings, clap::Error>) -> Result<(), String> {
    let lambda = Environment::read().map_err(|why| why.to_string())?;
    match settings {
        Ok(settings) => lambda.serve(settings.player).await.map_err(|why| why.to_string()),
        Err(wrong) => {
            let why = format!("{wrong}\nIn the function's environment --ai is FIGHT_LAMBDA_AI, and so on.");
            lambda.cannot_start(&why).await;
            Err(why)
        }
    }
}
