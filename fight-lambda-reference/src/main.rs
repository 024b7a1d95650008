//! The binary `fight-lambda`: the duel AI as an HTTP server, and what helps to write one.
//!
//! ```text
//! $ fight-lambda --listen 127.0.0.1:8081
//! a search AI answers at http://127.0.0.1:8081/action
//! $ fight-lambda bench --a http://127.0.0.1:8081/action --b greedy
//! $ fight-lambda explain --cards 3,2,1,1,2,2 --yourmoves 1,5,4,1 --othermoves 1,2,2,4 --othernbcards 5
//! ```

mod command;

use clap::{Args, Parser};
use command::{Command, Failure};
use fight_lambda_reference::{Player, server};
use std::future::Future;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use tokio::net::TcpListener;

/// What `--help` says first.
const ABOUT: &str = "\
A duel AI for the race, over HTTP.

Tell its URL to the game master: it is what your car answers to GET /fight/iaurl. Any path will do, e.g.
http://127.0.0.1:8081/action.

Ask it yourself:

  curl -g 'http://127.0.0.1:8081/action?yourmoves=[]&othermoves=[]&cards=[3,3,1]&othernbcards=3'

It answers {\"res\":[…]}: the cards that it plays.

To see how good an AI is: fight-lambda bench --help. To see what it thinks: fight-lambda explain --help.";

/// A duel AI for the race, over HTTP
#[derive(Debug, Parser)]
#[command(version, about, long_about = ABOUT, args_conflicts_with_subcommands = true)]
struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    settings: Settings,
}

/// What the server is told.
#[derive(Debug, Args)]
struct Settings {
    /// The address and port to listen on; port 0 takes any free one, which is then printed
    #[arg(long, env = "FIGHT_LAMBDA_LISTEN", default_value = "127.0.0.1:8081")]
    listen: SocketAddr,

    #[command(flatten)]
    player: Player,
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    let done = match &options.command {
        Some(command) => command.run().await,
        None => run(&options.settings).await.map_err(Failure::Failed),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            match &failure {
                // Duels may still be played: they are not waited for.
                Failure::Interrupted => std::process::exit(failure.code().into()),
                // Where it can't be said, the exit code still is what it should be.
                Failure::Failed(why) | Failure::Usage(why) => {
                    _ = writeln!(io::stderr(), "fight-lambda: {why}");
                }
            }
            ExitCode::from(failure.code())
        }
    }
}

async fn run(settings: &Settings) -> Result<(), String> {
    let listener = TcpListener::bind(settings.listen)
        .await
        .map_err(|why| format!("can't listen on {}: {why}", settings.listen))?;
    let address = listener.local_addr().map_err(|why| why.to_string())?;
    // Waited for from here on, so that who reads that the AI answers can also stop it in order.
    let interrupted = interrupted().map_err(|why| format!("can't wait for Ctrl-C: {why}"))?;
    // It also answers if there is nobody, or no room, to tell it to.
    _ = writeln!(io::stdout(), "a {} AI answers at http://{address}/action", settings.player.ai);
    tokio::select! {
        served = server::serve_player(listener, settings.player) => served.map_err(|why| why.to_string()),
        () = interrupted => Ok(()),
    }
}

/// Ctrl-C, or a polite request to end.
#[cfg(unix)]
fn interrupted() -> io::Result<impl Future<Output = ()>> {
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
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    Ok(async { _ = tokio::signal::ctrl_c().await })
}
