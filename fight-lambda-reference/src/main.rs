//! The binary `fight-lambda`: the duel AI as an HTTP server.
//!
//! ```text
//! $ fight-lambda --listen 127.0.0.1:8081
//! a reference AI answers at http://127.0.0.1:8081/action
//! ```

use clap::Parser;
use fight_lambda_reference::{Player, server};
use std::future::Future;
use std::io;
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

It answers {\"res\":[…]}: the cards that it plays.";

/// A duel AI for the race, over HTTP
#[derive(Debug, Parser)]
#[command(version, about, long_about = ABOUT)]
struct Settings {
    /// The address and port to listen on; port 0 takes any free one, which is then printed
    #[arg(long, env = "FIGHT_LAMBDA_LISTEN", default_value = "127.0.0.1:8081")]
    listen: SocketAddr,

    #[command(flatten)]
    player: Player,
}

#[tokio::main]
async fn main() -> ExitCode {
    let settings = Settings::parse();
    match run(&settings).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("fight-lambda: {why}");
            ExitCode::FAILURE
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
    let name = format!("{:?}", settings.player.ai).to_lowercase();
    println!("a {name} AI answers at http://{address}/action");
    tokio::select! {
        served = server::serve(listener, settings.player.ai, settings.player.seed) => served.map_err(|why| why.to_string()),
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
