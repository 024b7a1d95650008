//! `gm replay FILE`: an export of a race, shown again.

use super::Failure;
use super::replay_show::{self, Playing};
use clap::Args;
use std::path::PathBuf;

/// Show an exported race again, in the time that it took or faster
///
/// No car is asked anything: all answers are in the export. On a terminal it is shown live; q or Ctrl-C leaves.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Replay {
    /// The export of a race, as `gm race export` writes it
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    playing: Playing,
}

/// What the help shows of replays.
const EXAMPLES: &str = "A race ten times as fast, its end in real time, and all its events at once:

    gm replay friday.gmrace
    gm replay friday.gmrace --speed 1 --from-turn 55
    gm replay friday.gmrace --speed 0 --format json";

impl Replay {
    pub(super) async fn run(self) -> Result<(), Failure> {
        replay_show::play(&self.file, &self.playing).await
    }
}
