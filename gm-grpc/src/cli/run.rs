//! `gm run FILE.toml`: a race among your own cars.
//!
//! ```text
//! gm run race.toml                starts a race
//! gm run --resume                 goes on with the one that was interrupted
//! gm run race.toml --resume       either, or shows how it ended: to be started again and again until it exits with 0
//! ```

use super::Failure;
use super::data::{self, Found, GoOn, Interrupted, Player, Resume};
use super::plan::Plan;
use super::race_file::{self, RaceFile};
use super::show::{self, Entry, Show, Stage};
use crate::drive::Secret;
use crate::journal::Journal;
use clap::Args;
use gm_core::ids::TeamId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Run a race among your own cars, named in a file
///
/// All cars are inspected first; if one can't take part, everything that is wrong is said and nothing is started. On
/// a terminal the race is shown live; q or Ctrl-C interrupts it after the turn. Without --pace a turn starts every
/// turn_every seconds of the rules.
///
/// Everything that happens is kept in the data directory, also what cars have answered in a turn that is not complete:
/// after a crash, --resume goes on in the middle of that turn. With FILE.toml it goes on with the race
/// of that name; if there is none it is started, and if it is over its result is shown: so the same command can be
/// started again and again until it exits with 0.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLE)]
pub(super) struct Run {
    /// Who takes part; the file's name without .toml is the name of the race
    #[arg(value_name = "FILE.toml", required_unless_present = "resume")]
    file: Option<PathBuf>,

    /// The directory where races are kept: their events, what every car was asked and has answered, and the teams'
    /// secrets, encrypted with the key that lies beside them, or with GM_KEY. It is safe to copy when gm does not run
    #[arg(long, value_name = "DIR", env = "GM_DATA", default_value = "gm-data")]
    data: PathBuf,

    #[command(flatten)]
    resume: Resume,

    /// The seed, instead of the file's; a race that goes on keeps its own
    #[arg(long)]
    seed: Option<u64>,

    /// How many turns are played at most, instead of the rules' max_turns; a race that goes on keeps its own
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    turns: Option<u32>,

    /// Only say what is wrong with the file; nobody is asked anything
    #[arg(long, requires = "file")]
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
        if self.check {
            let (name, plan) = self.plan()?;
            println!("{name} is good: teams {}, cars {}", plan.teams.len(), plan.cars());
            return Ok(());
        }
        if let Some(file) = &self.file {
            self.race_file_is_not_written(file)?;
        }
        if self.resume.resume && self.data.is_dir() {
            self.go_on().await
        } else if self.file.is_some() {
            self.start(None).await
        } else {
            Err(data::nothing_to_resume(Player::Run, &self.data))
        }
    }

    /// Goes on with a race, if there is one.
    async fn go_on(self) -> Result<(), Failure> {
        let journal = data::open(&self.data).await?;
        let name = self.file.as_deref().map(race_name);
        let wanted = self.resume.race.as_ref();
        let race = match data::find(&journal, &self.data, Player::Run, wanted, name.as_deref()).await? {
            Found::Interrupted(race) => race,
            Found::Over(race) if wanted.is_some() || name.is_some() => {
                return show::show_result(&journal, &race, &self.show).await;
            }
            Found::Nothing if name.is_some() => return self.start(Some(journal)).await,
            Found::Over(_) | Found::Nothing => {
                return Err(data::nothing_to_resume(Player::Run, &self.data));
            }
        };
        let interrupted = Interrupted::read(&journal, &race).await?;
        self.say_what_changed(&interrupted, &journal.secrets(&race).await?);
        interrupted.set_pace(&journal, self.show.pace).await?;
        let seed = interrupted.plan.seed;
        if self.seed.is_some_and(|wanted| wanted != seed.0) {
            eprintln!("gm: race {} keeps its seed {seed}", race.id);
        }
        let go_on = GoOn::newest(Player::Run, &self.data);
        let go_on = if wanted.is_some() { go_on.with(&race.id) } else { go_on };
        let plan = interrupted.plan.clone();
        let stage = Stage { journal, plan, entry: Entry::GoesOn(Box::new(interrupted)), go_on: Some(go_on) };
        show::show(stage, &self.show).await
    }

    /// Says what the file says otherwise than when the race was begun with it: the race goes on as it was begun.
    fn say_what_changed(&self, race: &Interrupted, secrets: &BTreeMap<TeamId, Secret>) {
        let Some(file) = &self.file else { return };
        let file = file.display();
        match self.plan() {
            Err(unusable) => {
                eprintln!("gm: {unusable}\ngm: the race goes on as it was begun, without the file")
            }
            Ok((_, plan)) => {
                let changes = race.plan.changes(&plan, secrets);
                if !changes.is_empty() {
                    let changes = changes.join(", ");
                    eprintln!(
                        "gm: {file} says otherwise than when the race was begun with it ({changes}): it goes on as it was begun"
                    );
                }
            }
        }
    }

    /// Starts the race of the file.
    async fn start(self, journal: Option<Journal>) -> Result<(), Failure> {
        let (_, plan) = self.plan()?;
        let journal = match journal {
            Some(journal) => journal,
            None => data::open(&self.data).await?,
        };
        if !self.resume.resume {
            data::say_what_waits(&journal, &self.data, Player::Run).await?;
        }
        let every = Duration::from_secs(plan.rules.turn_every.0.into());
        let name = self.file.as_deref().map(race_name).unwrap_or_default();
        let new = data::new_race(&plan, &name, self.show.pace.unwrap_or(every));
        let go_on = Some(GoOn::newest(Player::Run, &self.data));
        show::show(Stage { journal, plan, entry: Entry::New(new), go_on }, &self.show).await
    }

    /// Reads the file.
    fn plan(&self) -> Result<(String, Plan), Failure> {
        let file = self.file.clone().unwrap_or_default();
        let name = file.display().to_string();
        let text = std::fs::read_to_string(&file)
            .map_err(|error| Failure::because(format!("can't read {name}: {error}")))?;
        let over = race_file::Overrides { seed: self.seed, turns: self.turns };
        let plan = RaceFile::parse(&name, &text)
            .and_then(|file| file.plan(over))
            .map_err(|error| Failure::because(error.to_string()))?;
        Ok((name, plan))
    }

    fn race_file_is_not_written(&self, file: &Path) -> Result<(), Failure> {
        let is_it = |out: &PathBuf| {
            out.canonicalize().is_ok_and(|out| file.canonicalize().is_ok_and(|file| file == out))
        };
        match self.show.out.as_ref().filter(|out| is_it(out)) {
            None => Ok(()),
            Some(_) => Err(Failure::because(format!(
                "--out {} is the race file itself: name another",
                file.display()
            ))),
        }
    }
}

/// What people call the race of a file.
fn race_name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
