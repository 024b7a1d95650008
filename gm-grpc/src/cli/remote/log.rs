//! `gm log`: a team's log from the server (R-11, G-3), as it grows.
//!
//! ```text
//! 2026-11-30 18:40:39  #211  turn 3  car 1  GET http://red-1.example/engine/count: 200 {"res":2} in 4 ms
//! ```

use super::connection::Server;
use super::follow::{Step, follow};
use super::shown::{at, cell, say, say_json};
use crate::api::wire;
use crate::cli::Failure;
use clap::Args;
use wire::watch_log_response::Message;

/// Show your team's log: all that its cars were asked and answered, and what became of them
///
/// For teams, by their secret for the API. Organisers read any team's log with `gm race log RACE --team TEAM --data DIR`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(in crate::cli) struct Log {
    /// Go on as it grows, also when the server is started again
    #[arg(long, short)]
    follow: bool,

    /// Only lines after the one with this number
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    after: u64,

    /// Only this turn, and what was decided between it and the next
    #[arg(long, value_name = "N")]
    turn: Option<u32>,

    #[command(flatten)]
    server: Server,
}

const EXAMPLES: &str = "Examples:

    gm log --turn 12
    gm log --follow --token-file red.token
    gm log --json | jq -c 'select(.event.penalised)'";

impl Log {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let open = async |after: u64| line.team().watch_log(wire::WatchLogRequest { after }).await;
        let mut last = self.after;
        follow(&line, self.after, open, |message| {
            match message.message {
                Some(Message::Entry(entry)) => {
                    last = entry.sequence;
                    if self.turn.is_none_or(|turn| turn == entry.turn) {
                        show(&entry, line.json)?;
                    }
                }
                Some(Message::CaughtUp(_) | Message::Heartbeat(_)) if !self.follow => return Ok(Step::Last),
                Some(Message::CaughtUp(number) | Message::Heartbeat(number)) => last = last.max(number),
                None => {}
            }
            Ok(Step::At(last))
        })
        .await
    }
}

fn show(entry: &wire::LogEntry, as_json: bool) -> Result<(), Failure> {
    if as_json { say_json(entry) } else { say(&format!("{}  {}", at(entry.at.as_ref()), cell(&entry.text))) }
}
