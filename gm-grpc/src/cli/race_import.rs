//! `gm race import`: a race that was exported elsewhere.

use super::Failure;
use super::export_file;
use super::race::Data;
use super::remote::{Once, Server, carry};
use crate::export::{self, Imported};
use crate::journal::{DataDirectory, Journal};
use clap::Args;
use std::path::PathBuf;

/// Take a race from a file that was exported elsewhere
///
/// All of the race gets to the server, or into the data directory, or nothing of it. It is verified on its way, as `gm replay --verify`
/// does, so a race of another revision of the rules is refused. It can be looked at, verified and exported again, to the
/// same bytes; it can't be played on, since the secrets of its cars are not in the file.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Import {
    /// The export; - is the standard input
    file: PathBuf,

    #[command(flatten)]
    data: Data,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

const EXAMPLES: &str = r#"Examples:

    gm race import friday.jsonl
    zstd -dc friday.jsonl.zst | gm race import - --data archive"#;

impl Import {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let Some(data) = self.data.or(&self.server) else {
            return carry::import(&self.server, &self.once, &self.file).await;
        };
        let named = |because: &dyn std::fmt::Display| {
            let because = export_file::printable(&because.to_string());
            Failure::because(format!("{}: {because}", self.file.display()))
        };
        let input = export_file::read(&self.file).map_err(Failure::because)?;
        let journal = Journal::open(DataDirectory::open(&data)?).await?;
        let imported = export::into_journal(input, &journal, None).await;
        journal.close().await?;
        let Imported { race, summary } = imported.map_err(|error| named(&error))?;
        println!(
            "race {} {:?} is in {}: {} decisions, {} exchanges, {} events",
            race.id,
            race.name,
            data.display(),
            summary.decisions,
            summary.exchanges,
            summary.events
        );
        Ok(())
    }
}
