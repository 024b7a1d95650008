//! The binary `car`: one reference car, with settings from flags and from the environment.
//!
//! ```text
//! car --instance i-0abc --secret s3cret --ai-url http://127.0.0.1:9000/ --strategy bold
//! ```

use car_reference::{
    Car, CarSettings, FileStore, ModuleStore, StrategyName, serve, settings::Secret, store::MAX_MODULES,
};
use clap::Parser;
use clap::error::ErrorKind;
use gm_core::contract::{DuelUrl, Modules};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::net::TcpListener;

/// A car for the race: it answers the game master's questions over HTTP (docs/contract.md, C).
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Example, a bold car that remembers its modules when it is started again:
  car --listen 127.0.0.1:8080 --instance i-0abc --secret s3cret \\
      --ai-url http://127.0.0.1:9000/ --strategy bold --store i-0abc.json
Then ask it how it is:
  curl -H 'X-EACC-SECRET: s3cret' http://127.0.0.1:8080/state"
)]
struct Options {
    /// Where to listen; port 0 takes any free port
    #[arg(long, env = "CAR_LISTEN", value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The car's instance name, under which it is registered; at most 100 characters
    #[arg(long, env = "CAR_INSTANCE", value_name = "NAME", value_parser = instance)]
    instance: String,
    /// Engines of a new car
    #[arg(long, env = "CAR_ENGINES", value_name = "N", default_value_t = 4, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(0..=MAX_MODULES))]
    engines: u64,
    /// Pilots of a new car
    #[arg(long, env = "CAR_PILOTS", value_name = "N", default_value_t = 1, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(0..=MAX_MODULES))]
    pilots: u64,
    /// Weapons of a new car
    #[arg(long, env = "CAR_WEAPONS", value_name = "N", default_value_t = 3, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(0..=MAX_MODULES))]
    weapons: u64,
    /// What X-EACC-SECRET must be; without it anybody is answered
    #[arg(long, env = "CAR_SECRET", hide_env_values = true, value_name = "TEXT", value_parser = secret)]
    secret: Option<Secret>,
    /// Where the duel AI is; without one the car loses every duel
    #[arg(long, env = "CAR_AI_URL", value_name = "URL", value_parser = DuelUrl::parse)]
    ai_url: Option<DuelUrl>,
    /// How the car decides
    #[arg(long, env = "CAR_STRATEGY", value_enum, value_name = "NAME", default_value = "careful")]
    strategy: StrategyName,
    /// The seed of the car's dice
    #[arg(long, env = "CAR_SEED", value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// The file in which this car alone keeps its modules; without one it forgets them when it ends
    #[arg(long, env = "CAR_STORE", value_name = "FILE")]
    store: Option<PathBuf>,
}

/// The most characters of an instance name with which the game master registers a car (R-2).
const LONGEST_INSTANCE: usize = 100;

fn instance(text: &str) -> Result<String, String> {
    if (1..=LONGEST_INSTANCE).contains(&text.chars().count()) && !text.contains(char::is_control) {
        Ok(text.to_owned())
    } else {
        Err(format!("a name has 1 to {LONGEST_INSTANCE} characters, none of them a control character"))
    }
}

fn secret(text: &str) -> Result<Secret, &'static str> {
    let sendable = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if sendable { Ok(text.into()) } else { Err("a secret is ASCII, without spaces, and not empty") }
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(told) if matches!(told.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            _ = told.print();
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            let text = error.to_string();
            let first = text.split("\n\n").next().unwrap_or(&text);
            eprintln!("{}", first.split_whitespace().collect::<Vec<_>>().join(" "));
            return ExitCode::from(2);
        }
    };
    match start(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

async fn start(options: Options) -> Result<(), String> {
    let settings = CarSettings {
        instance: options.instance,
        modules: Modules { engine: options.engines, pilot: options.pilots, weapon: options.weapons },
        secret: options.secret,
        ai_url: options.ai_url,
        strategy: options.strategy,
        seed: options.seed,
    };
    match options.store {
        None => run(Car::in_memory(settings), options.listen).await,
        Some(path) => {
            let store = FileStore::open(path, settings.modules).map_err(|error| error.to_string())?;
            run(Car::new(settings, store), options.listen).await
        }
    }
}

async fn run<S: ModuleStore>(car: Car<S>, listen: SocketAddr) -> Result<(), String> {
    let listener =
        TcpListener::bind(listen).await.map_err(|error| format!("can't listen on {listen}: {error}"))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    // Waited for from here on, so that who reads that the car listens can also stop it in order.
    let interrupted = interrupted().map_err(|error| format!("can't wait for Ctrl-C: {error}"))?;
    let settings = car.settings();
    if settings.ai_url.is_none() {
        eprintln!("warning: no --ai-url: this car loses every duel");
    }
    if settings.secret.is_none() {
        eprintln!("warning: no --secret: this car answers anybody");
    }
    println!("car {} ({}) listens on http://{address}", settings.instance, settings.strategy.word());
    serve(car, listener, interrupted).await.map_err(|error| error.to_string())
}

/// Ctrl-C, or a polite request to end.
#[cfg(unix)]
fn interrupted() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ctrl-C.
#[cfg(not(unix))]
fn interrupted() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(async { _ = tokio::signal::ctrl_c().await })
}
