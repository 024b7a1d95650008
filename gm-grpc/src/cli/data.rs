//! Which race of a data directory is to go on, and how `gm` says so.
//!
//! ```text
//! gm run --resume --data gm-data             the newest race that is not over
//! gm run race.toml --resume                  the newest one called "race"; if there is none, it is started
//! gm run --resume --race gm-7f3a             this one
//! ```

use super::Failure;
use super::plan::Plan;
use crate::journal::{DataDirectory, DecisionKind, Journal, NewRace, Origin, RaceId, RaceRecord};
use clap::Args;
use gm_core::ids::TurnNo;
use gm_core::race::REVISION;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Which race is to go on.
#[derive(Debug, Clone, Args)]
pub(super) struct Resume {
    /// Go on with the race that was interrupted, by Ctrl-C, a crash or a power cut: the newest in the data directory
    /// that is not over
    #[arg(long)]
    pub(super) resume: bool,

    /// Which race is to go on, instead of the newest
    #[arg(long, value_name = "ID", requires = "resume", value_parser = RaceId::parse)]
    pub(super) race: Option<RaceId>,
}

/// Which command plays a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Player {
    /// `gm run`, among cars that others have started.
    Run,
    /// `gm demo`, which starts the cars itself.
    Demo,
}

impl Player {
    /// The player of a race; none if its teams come by themselves.
    fn of(race: &RaceRecord) -> Option<Player> {
        let plan = race.plan.as_ref()?;
        // A plan that can't be read is told of when it is read as a whole.
        let plan: serde_json::Value = serde_json::from_str(plan).unwrap_or_default();
        Some(if plan["demo"].is_null() { Player::Run } else { Player::Demo })
    }

    /// The command with which its races begin.
    fn start(self) -> &'static str {
        match self {
            Player::Run => "gm run FILE.toml",
            Player::Demo => "gm demo",
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Player::Run => "gm run",
            Player::Demo => "gm demo",
        })
    }
}

/// How a race goes on, to be typed: `gm run --resume --data gm-data`.
#[derive(Debug, Clone)]
pub(super) struct GoOn {
    player: Player,
    data: PathBuf,
    race: Option<RaceId>,
}

impl GoOn {
    /// The newest race of a data directory.
    pub(super) fn newest(player: Player, data: &Path) -> GoOn {
        GoOn { player, data: data.to_owned(), race: None }
    }

    /// This race.
    pub(super) fn with(self, race: &RaceId) -> GoOn {
        GoOn { race: Some(race.clone()), ..self }
    }
}

impl fmt::Display for GoOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{} --resume", self.player)?;
        if let Some(race) = &self.race {
            write!(f, " --race {race}")?;
        }
        write!(f, " --data {}`", self.data.display())
    }
}

/// The journal of a data directory, which is this process's alone.
pub(super) async fn open(data: &Path) -> Result<Journal, Failure> {
    Ok(Journal::open(DataDirectory::open(data)?).await?)
}

/// A race of a plan that is to be made.
pub(super) fn new_race(plan: &Plan, name: &str, pace: Duration) -> NewRace {
    NewRace {
        id: RaceId::random(),
        name: name.to_owned(),
        seed: plan.seed,
        revision: REVISION,
        origin: Origin::Here,
        plan: Some(plan.to_json()),
        secrets: plan.secrets(),
        pace: Some(pace),
        private: false,
    }
}

/// What was found in a data directory.
#[derive(Debug)]
pub(super) enum Found {
    /// A race that is not over.
    Interrupted(RaceRecord),
    /// A race that is over.
    Over(RaceRecord),
    /// None.
    Nothing,
}

/// Finds the race of this player that is to go on: the one of this id, or the newest that is not over, of this name
/// if there is one.
pub(super) async fn find(
    journal: &Journal,
    data: &Path,
    player: Player,
    race: Option<&RaceId>,
    name: Option<&str>,
) -> Result<Found, Failure> {
    if let Some(id) = race {
        let race = journal.race(id).await?;
        check_player(data, player, &race)?;
        return Ok(if journal.is_over(&race).await? { Found::Over(race) } else { Found::Interrupted(race) });
    }
    let (mut over, mut other) = (None, None);
    for race in journal.races().await?.into_iter().rev() {
        if race.origin == Origin::Imported || name.is_some_and(|name| name != race.name) {
            continue;
        }
        let is_over = journal.is_over(&race).await?;
        match Player::of(&race) {
            Some(found) if found == player && !is_over => return Ok(Found::Interrupted(race)),
            Some(found) if found == player => over = over.or(Some(race)),
            Some(_) if !is_over => other = other.or(Some(race)),
            _ => {}
        }
    }
    match (name, other) {
        // Nobody has asked for that one.
        (Some(_), _) | (_, None) => Ok(over.map_or(Found::Nothing, Found::Over)),
        (None, Some(other)) => check_player(data, player, &other).map(|()| Found::Nothing),
    }
}

/// That there is nothing to go on with, and what can be done.
pub(super) fn nothing_to_resume(player: Player, data: &Path) -> Failure {
    Failure::because(format!(
        "no race is interrupted in {0}: start one with `{1} --data {0}`, or name the directory of another with --data",
        data.display(),
        player.start()
    ))
}

fn check_player(data: &Path, player: Player, race: &RaceRecord) -> Result<(), Failure> {
    let id = &race.id;
    match Player::of(race) {
        Some(found) if found == player => Ok(()),
        Some(found) => {
            let go_on = GoOn::newest(found, data).with(id);
            Err(Failure::because(format!("race {id} was begun by `{found}`: go on with {go_on}")))
        }
        None => Err(Failure::because(format!(
            "race {id} was begun by a server, to which its teams come by themselves: it goes on when that is started"
        ))),
    }
}

/// A race that goes on, as it stands.
#[derive(Debug)]
pub(super) struct Interrupted {
    pub(super) record: RaceRecord,
    pub(super) plan: Plan,
    /// The last complete turn.
    pub(super) turn: TurnNo,
    /// The number of its last event.
    pub(super) last_seq: u64,
    /// What was being decided when it was interrupted, and how many answers to it there are.
    broken_off: Option<(DecisionKind, usize)>,
}

impl Interrupted {
    /// Reads a race that goes on. Its secrets stay in the journal.
    pub(super) async fn read(journal: &Journal, race: &RaceRecord) -> Result<Interrupted, Failure> {
        let id = &race.id;
        let loaded = journal.load(id).await?;
        let broken_off = match loaded.last.committed {
            Some(_) => None,
            None => {
                let answers = journal.exchanges(race, loaded.last.decision.no).await?.len();
                Some((loaded.last.decision.kind, answers))
            }
        };
        let rules = loaded.race.rules.clone();
        let plan = Plan::from_json(race.plan.as_deref().unwrap_or_default(), rules, race.seed)
            .map_err(|bad| Failure::because(format!("race {id} can't go on: {bad}")))?;
        let (turn, last_seq) = (loaded.race.turn, loaded.numbers.last());
        Ok(Interrupted { record: loaded.record, plan, turn, last_seq, broken_off })
    }

    /// Sets how often a turn starts: as it is wanted now, or was; otherwise as the rules say (R-10.1).
    pub(super) async fn set_pace(&self, journal: &Journal, wanted: Option<Duration>) -> Result<(), Failure> {
        let every = || Duration::from_secs(self.plan.rules.turn_every.0.into());
        let pace = wanted.or(self.record.pace).unwrap_or_else(every);
        Ok(journal.set_pace(self.record.key, Some(pace), None).await?)
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "race {} goes on after turn {}", self.record.id, self.turn)?;
        let Some((kind, answers)) = self.broken_off else { return Ok(()) };
        let of = match kind {
            DecisionKind::Turn => "the turn",
            DecisionKind::RegisterAll => "the registration",
            DecisionKind::Create | DecisionKind::Commands => "the commands",
        };
        match answers {
            1 => write!(f, " (1 answer of {of} is in the journal)"),
            _ => write!(f, " ({answers} answers of {of} are in the journal)"),
        }
    }
}

/// Says which race waits in a directory while another is started there, if one does.
pub(super) async fn say_what_waits(journal: &Journal, data: &Path, player: Player) -> Result<(), Failure> {
    let mut waiting = Vec::new();
    for race in journal.races().await? {
        let plays = race.origin == Origin::Here && Player::of(&race) == Some(player);
        if plays && !journal.is_over(&race).await? {
            waiting.push(race);
        }
    }
    let Some(newest) = waiting.last() else { return Ok(()) };
    let go_on = GoOn::newest(player, data).with(&newest.id);
    let others = match waiting.len() {
        1 => String::new(),
        all => format!(", and {} older", all - 1),
    };
    // That it can't be read is told when it is to go on.
    let place = match journal.load(&newest.id).await {
        Ok(loaded) => format!("after turn {}", loaded.race.turn),
        Err(_) => "and can't be read".to_owned(),
    };
    eprintln!("gm: race {} still waits {place}{others}; it goes on with {go_on}", newest.id);
    Ok(())
}
