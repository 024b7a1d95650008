//! `gm run FILE.toml`: a race among your own cars.

use super::Failure;
use super::race_file::{self, RaceFile};
use super::show::{self, Show};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Run a race among your own cars, named in a file
///
/// All cars are inspected first; if one can't take part, everything that is wrong is said and nothing is started. On
/// a terminal the race is shown live; q or Ctrl-C ends it after the turn. Without --pace a turn starts every
/// turn_every seconds of the rules.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLE)]
pub(super) struct Run {
    /// Who takes part
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    /// The seed, instead of the file's
    #[arg(long)]
    seed: Option<u64>,

    /// How many turns are played at most, instead of the rules' max_turns
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    turns: Option<u32>,

    /// Only say what is wrong with the file; nobody is asked anything
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    show: Show,
}

/// What the help shows of a race file.
const EXAMPLE: &str = r#"A race file:

    seed = 7                        # left out: a new one each time
    preset = "balanced"             # or "classic"

    [rules]                         # what differs from the preset
    max_turns = 60

    [[team]]
    name = "Red"
    secret = "between-gm-and-our-cars"

    [[team.car]]
    instance = "i-0abc"
    url = "http://10.0.0.1:8080"

docs/race.toml in the repository names every setting."#;

impl Run {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let name = self.file.display().to_string();
        let text = std::fs::read_to_string(&self.file)
            .map_err(|error| Failure::because(format!("can't read {name}: {error}")))?;
        let over = race_file::Overrides { seed: self.seed, turns: self.turns };
        let plan = RaceFile::parse(&name, &text)
            .and_then(|file| file.plan(over))
            .map_err(|error| Failure::because(error.to_string()))?;
        let is_the_race_file = |out: &PathBuf| {
            out.canonicalize().is_ok_and(|out| self.file.canonicalize().is_ok_and(|file| file == out))
        };
        if self.show.out.as_ref().is_some_and(is_the_race_file) {
            return Err(Failure::because(format!("--out {name} is the race file itself: name another")));
        }
        if self.check {
            println!("{name} is good: teams {}, cars {}", plan.teams.len(), plan.cars());
            return Ok(());
        }
        let every = Duration::from_secs(plan.rules.turn_every.0.into());
        let pace = self.show.pace.unwrap_or(every);
        show::show(plan, &self.show, pace).await
    }
}
