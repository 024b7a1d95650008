//! `gm race export`: one race as a file.

use super::Failure;
use super::export_file::Destination;
use super::race::{Data, find};
use super::remote::which::NamedRace;
use super::remote::{Server, carry};
use crate::export::{self, Exported};
use crate::journal::{DataDirectory, DecisionKind, DecisionNo, Journal};
use clap::Args;
use std::path::PathBuf;

/// Write all that was decided in a race to a file
///
/// The file holds every event, every command, and what every car, AI and clock has answered, so that another gm can
/// decide the race again and come to the same: `gm replay FILE --verify`. It is text, a line of JSON for each record,
/// and each line carries a hash of all before it, so that a changed byte is found. There are no secrets in it; budgets
/// and URLs are.
///
/// A race can be exported while another gm runs it. The decision that is being made then is left out.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Export {
    #[command(flatten)]
    race: NamedRace,

    #[command(flatten)]
    data: Data,

    #[command(flatten)]
    server: Server,

    /// The file to write; - is the standard output, which is also meant without it where it is not a terminal. The
    /// file appears, or replaces the one that is there, when all of it is written
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = r#"Examples:

    gm race export Friday --out friday.jsonl
    gm race export Friday | zstd > friday.jsonl.zst
    gm race export latest --data gm-data | jq -c 'select(.record == "event").body'"#;

impl Export {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let Some(data) = self.data.or(&self.server) else {
            return carry::export(&self.server, &self.race, self.out.as_deref()).await;
        };
        let wanted = self.race.needed()?;
        let journal = Journal::open_to_read(DataDirectory::look(&data)?).await?;
        let race = find(&journal, &wanted).await?;
        let destination = Destination::open(self.out.as_deref())?;
        let exported = export::from_journal(&journal, &race.id, destination.writer()).await;
        let Exported { race, summary, is_open } = exported.map_err(|error| destination.failure(error))?;
        destination.finish()?;
        if is_open {
            let left_out = match journal.decision(&race, DecisionNo(summary.decisions + 1)).await? {
                Some(open) if open.decision.kind == DecisionKind::Turn => {
                    format!("turn {} was not complete, and", open.decision.turn)
                }
                _ => "what was being settled between two turns".to_owned(),
            };
            eprintln!("gm: {left_out} is not in the export: export the race again when it has gone on");
        }
        if let Some(out) = self.out {
            eprintln!(
                "gm: race {} is in {}: {} decisions, {} exchanges, {} events",
                race.id,
                out.display(),
                summary.decisions,
                summary.exchanges,
                summary.events
            );
        }
        journal.close().await?;
        Ok(())
    }
}
