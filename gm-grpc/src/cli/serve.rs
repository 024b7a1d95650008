//! `gm serve`: the game master as a server, until it is told to stop.

use super::Failure;
use super::config::ServeArgs;
use super::signals::Signals;
use crate::control::{self, RaceHandle};
use crate::observe;
use crate::serve::{Opened, Server, Settings};
use clap::Args;
use std::io::{self, Write as _};
use tokio::net::TcpListener;

/// Serve the API: gRPC, gRPC-Web and HTTP on one port
///
/// The first start makes an admin's token and prints it, this once. Races that were running go on. Ctrl-C or SIGTERM
/// ends it: streams end, the turn that is being played is finished within --shutdown-seconds, and nothing is lost; a
/// second one ends it at once, and nothing is lost either.
#[derive(Debug, Args)]
pub(super) struct Serve {
    #[command(flatten)]
    settings: ServeArgs,

    /// Make another admin's token and print it, for who has lost his; the others stay valid
    #[arg(long)]
    new_admin_token: bool,
}

impl Serve {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let loaded = self
            .settings
            .load()
            .map_err(|bad| Failure::because(format!("the settings are wrong:\n    {bad}")))?;
        let settings = loaded.settings;
        let observed = observe::start(&settings).map_err(|error| Failure::because(error.to_string()))?;
        let served = self::serve(&settings, self.new_admin_token).await;
        observed.end(settings.shutdown).await;
        served
    }
}

async fn serve(settings: &Settings, new_admin_token: bool) -> Result<(), Failure> {
    let mut signals = Signals::new()?;
    // Before anything goes on: who can't be reached must not play.
    let listener = listen(settings).await?;
    let control = control::Settings { recovery: settings.recovery, ..control::Settings::default() };
    let Opened { server, admin_token, recovered } = Server::open(settings.clone(), control).await?;
    let admin_token = match admin_token {
        None if new_admin_token => Some(server.new_admin_token().await?),
        admin_token => admin_token,
    };
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "gm serves on http://{} with the races in {}",
        listener.local_addr()?,
        settings.data.display()
    )?;
    if let Some(token) = admin_token {
        writeln!(out, "admin token, shown this once: {token}")?;
        writeln!(out, "    export GM_TOKEN={token}")?;
    }
    for (race, owned) in recovered {
        match owned {
            Ok(handle) => writeln!(out, "race {race} goes on {}", at(&handle))?,
            Err(why) => writeln!(out, "race {race} can't go on: {why}")?,
        }
    }
    out.flush()?;
    drop(out);

    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = server.serve(listener, async {
        // Without a word, the one who would say it has gone.
        let _ = stopped.await;
    });
    let mut serving = std::pin::pin!(serving);
    tokio::select! {
        done = &mut serving => return Ok(done?),
        _ = signals.next() => {}
    }
    eprintln!(
        "gm: stopping: calls and turns have {} s; once more stops at once",
        settings.shutdown.as_secs()
    );
    let _ = stop.send(());
    tokio::select! {
        done = serving => Ok(done?),
        _ = signals.next() => Err(Failure::Stopped(Some(
            "the races go on with the next start, and nothing is lost".to_owned(),
        ))),
    }
}

async fn listen(settings: &Settings) -> Result<TcpListener, Failure> {
    TcpListener::bind(settings.listen).await.map_err(|error| {
        Failure::because(format!(
            "can't listen on {}: {error}. Name another address with --listen, or stop who has it",
            settings.listen
        ))
    })
}

fn at(race: &RaceHandle) -> String {
    let race = race.state().race;
    match race.turn.0 {
        0 => "before its first turn".to_owned(),
        turn => format!("after turn {turn}"),
    }
}
