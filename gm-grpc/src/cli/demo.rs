//! `gm demo`: a whole race among reference cars, each a real HTTP server on the loopback.
//!
//! ```text
//! gm demo --teams 4 --cars 2 --turns 30 --seed 7
//! gm demo --data gm-data                    a race that can be interrupted, and goes on with:
//! gm demo --data gm-data --resume
//! ```

use super::Failure;
use super::data::{self, Found, GoOn, Interrupted, Player, Resume};
use super::plan::{DemoSize, Plan, PlannedCar, PlannedTeam};
use super::show::{self, Entry, Show, Stage};
use crate::drive::Secret;
use crate::journal::{NewRace, RaceId};
use car_reference::{Car, CarSettings, FileStore, StrategyName};
use clap::Args;
use fight_lambda_reference::Mind;
use gm_core::contract::{BaseUrl, DuelUrl, Modules};
use gm_core::ids::TeamId;
use gm_core::race::Rules;
use gm_core::random::Seed;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Run a whole race among reference cars, which are started here as real HTTP servers
///
/// The cars are registered like anybody's, and the race is run over HTTP by the rule book. On a terminal it is shown
/// live; q or Ctrl-C ends it after the turn. Without --pace no turn waits.
///
/// With --data the race and what its cars have are kept, and q or Ctrl-C interrupts it: --resume goes on.
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// How many teams take part
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=26))]
    teams: u32,

    /// How many cars each team has
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=20))]
    cars: u32,

    /// How many turns are played at most
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    turns: u32,

    /// The seed from which everything random in the race comes [default: a new one each time]
    #[arg(long)]
    seed: Option<u64>,

    /// The directory where the race is kept, so that it can go on when it is interrupted; without one, nothing is
    #[arg(long, value_name = "DIR", required_if_eq("resume", "true"))]
    data: Option<PathBuf>,

    #[command(flatten)]
    resume: Resume,

    #[command(flatten)]
    show: Show,
}

/// The teams' names.
const TEAMS: [&str; 26] = [
    "Amber", "Blue", "Coral", "Denim", "Ebony", "Fawn", "Green", "Hazel", "Indigo", "Jade", "Khaki", "Lime",
    "Mauve", "Navy", "Olive", "Pink", "Quartz", "Red", "Silver", "Teal", "Umber", "Violet", "White",
    "Xanthic", "Yellow", "Zinc",
];

/// What the teams build, in turn: engines, pilots, weapons and how their cars decide.
const BUILDS: [(Modules, StrategyName); 4] = [
    (Modules { engine: 4, pilot: 1, weapon: 3 }, StrategyName::Bold),
    (Modules { engine: 5, pilot: 2, weapon: 3 }, StrategyName::Careful),
    (Modules { engine: 3, pilot: 2, weapon: 4 }, StrategyName::Random),
    (Modules { engine: 4, pilot: 2, weapon: 4 }, StrategyName::Bold),
];

/// What a car may cost a team of the demo, in dollars.
const BUDGET_PER_CAR: u32 = 30;

/// How many bonuses lie on the ring.
const BONUSES: u32 = 15;

/// Under which domain the cars are known to the game master. It can't be looked up anywhere else, and the ports are
/// not part of it: so a race with the same seed gives the same events, whatever ports are free.
const DOMAIN: &str = "demo.invalid";

impl Demo {
    pub(super) async fn run(self) -> Result<(), Failure> {
        if let (true, Some(data)) = (self.resume.resume, &self.data) {
            return self.go_on(data).await;
        }
        let seed = Seed(self.seed.unwrap_or_else(|| u64::from(rand::random::<u32>())));
        let defaults = Rules::balanced();
        let rules = Rules {
            initial_budget: defaults.initial_budget.max(self.cars * BUDGET_PER_CAR),
            max_turns: Some(self.turns),
            random_bonuses: BONUSES,
            ..defaults
        };
        let rules = rules.validated().map_err(|bad| Failure::because(bad.to_string()))?;
        let size = DemoSize { teams: self.teams, cars: self.cars };
        enough_files(size)?;

        // It is removed with all that is in it at the end, when nobody writes there any more.
        let passing = match &self.data {
            Some(_) => None,
            None => Some(tempfile::Builder::new().prefix("gm-demo-").tempdir()?),
        };
        let kept = self.data.as_deref();
        let journal = match (kept, &passing) {
            (Some(data), _) => {
                let journal = data::open(data).await?;
                data::say_what_waits(&journal, data, Player::Demo).await?;
                journal
            }
            (None, Some(passing)) => data::open(passing.path()).await?,
            (None, None) => return Err(Failure::because("there is no directory to keep the race in")),
        };
        let race = RaceId::random();
        let mut grid = Grid::new(seed, kept.map(|data| cars_of(data, &race)))?;
        for number in 0..size.teams {
            grid.start_team(number, size.cars, None).await?;
        }
        let Grid { teams, hosts, servers: _servers, .. } = grid;
        let plan = Plan { rules, seed, teams, hosts, allow_private: true, demo: Some(size) };
        let pace = self.show.pace.unwrap_or(Duration::ZERO);
        let new = NewRace { id: race, ..data::new_race(&plan, NAME, pace) };
        let go_on = kept.map(|data| GoOn::newest(Player::Demo, data));
        show::show(Stage { journal, plan, entry: Entry::New(new), go_on }, &self.show).await
    }

    /// Goes on with a race: its cars are started again with what they have, on new ports under their old names.
    async fn go_on(&self, data: &Path) -> Result<(), Failure> {
        let nothing = || data::nothing_to_resume(Player::Demo, data);
        if !data.is_dir() {
            return Err(nothing());
        }
        let journal = data::open(data).await?;
        let wanted = self.resume.race.as_ref();
        let race = match data::find(&journal, data, Player::Demo, wanted, None).await? {
            Found::Interrupted(race) => race,
            Found::Over(race) if wanted.is_some() => {
                return show::show_result(&journal, &race, &self.show).await;
            }
            Found::Over(_) | Found::Nothing => return Err(nothing()),
        };
        let interrupted = Interrupted::read(&journal, &race).await?;
        interrupted.set_pace(&journal, self.show.pace).await?;
        let mut plan = interrupted.plan.clone();
        let size = plan.demo.ok_or_else(nothing)?;
        enough_files(size)?;
        let secrets = journal.secrets(&race).await?;
        let mut grid = Grid::new(race.seed, Some(cars_of(data, &race.id)))?;
        for (number, team) in (0..size.teams).zip((1..).map(TeamId)) {
            grid.start_team(number, size.cars, secrets.get(&team).cloned()).await?;
        }
        plan.hosts = grid.hosts;
        let _servers = grid.servers;
        let go_on = GoOn::newest(Player::Demo, data);
        let go_on = Some(if wanted.is_some() { go_on.with(&race.id) } else { go_on });
        let entry = Entry::GoesOn(Box::new(interrupted));
        show::show(Stage { journal, plan, entry, go_on }, &self.show).await
    }
}

/// What people call the race of a demo.
const NAME: &str = "demo";

/// Where the cars of a race keep what they have.
fn cars_of(data: &Path, race: &RaceId) -> PathBuf {
    data.join("cars").join(race.as_str())
}

/// Open files of one car: its listener and both ends of its connection, both ends of one to its duel AI, and the lock
/// of what it has.
const FILES_PER_CAR: u64 = 6;
/// Open files of one team: the listener of its duel AI.
const FILES_PER_TEAM: u64 = 1;
/// What a program has open anyway.
const OTHER_FILES: u64 = 64;

/// Says before anything is started that so many cars need more open files than this process may have.
fn enough_files(size: DemoSize) -> Result<(), Failure> {
    let (teams, cars) = (u64::from(size.teams), u64::from(size.teams) * u64::from(size.cars));
    let wanted = cars * FILES_PER_CAR + teams * FILES_PER_TEAM + OTHER_FILES;
    // Where the operating system does not say so, the race finds out.
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    match most_open_files(&limits) {
        Some(most) if most < wanted => Err(Failure::because(format!(
            "{cars} cars need about {wanted} open files, and this shell allows {most}: `ulimit -n {wanted}` first"
        ))),
        _ => Ok(()),
    }
}

/// The soft limit of open files, from what Linux says of a process.
fn most_open_files(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The cars of a race, started.
struct Grid {
    seed: Seed,
    /// Where each car keeps what it has in a file of its own; none: in memory.
    stores: Option<PathBuf>,
    teams: Vec<PlannedTeam>,
    hosts: BTreeMap<String, SocketAddr>,
    /// The servers end with the set, when the race is over.
    servers: JoinSet<std::io::Result<()>>,
}

impl Grid {
    fn new(seed: Seed, stores: Option<PathBuf>) -> Result<Grid, Failure> {
        if let Some(stores) = &stores {
            std::fs::create_dir_all(stores)
                .map_err(|error| Failure::because(format!("can't make {}: {error}", stores.display())))?;
        }
        Ok(Grid { seed, stores, teams: Vec::new(), hosts: BTreeMap::new(), servers: JoinSet::new() })
    }

    /// Starts a team's duel AI and cars. Its cars expect this secret, or a new one.
    async fn start_team(&mut self, number: u32, cars: u32, secret: Option<Secret>) -> Result<(), Failure> {
        let name = TEAMS[number as usize % TEAMS.len()];
        let lower = name.to_lowercase();
        let secret = match secret {
            Some(secret) => secret,
            None => Secret::parse(&format!("{:016x}", rand::random::<u64>()))
                .map_err(|bad| Failure::because(bad.to_string()))?,
        };
        let expected = String::from_utf8_lossy(secret.as_bytes()).into_owned();
        let (modules, strategy) = BUILDS[number as usize % BUILDS.len()];

        let (listener, address) = listen().await?;
        let ai = format!("{lower}-ai.{DOMAIN}");
        self.hosts.insert(ai.clone(), address);
        self.servers.spawn(fight_lambda_reference::server::serve(listener, Mind::Careful, self.seed.0));

        let mut planned = Vec::new();
        for car in 1..=cars {
            let instance = format!("{lower}-{car}");
            let (listener, address) = listen().await?;
            let host = format!("{instance}.{DOMAIN}");
            let settings = CarSettings {
                modules,
                secret: Some(expected.clone().into()),
                ai_url: Some(url(DuelUrl::parse(&format!("http://{ai}/action")))?),
                strategy,
                seed: self.seed.0,
                ..CarSettings::new(&instance)
            };
            self.start_car(settings, listener)?;
            planned.push(PlannedCar {
                place: format!("car {instance}"),
                url: url(BaseUrl::parse(&format!("http://{host}")))?,
                instance,
            });
            self.hosts.insert(host, address);
        }
        self.teams.push(PlannedTeam {
            place: format!("team {name}"),
            name: name.to_owned(),
            budget: None,
            secret: Some(secret),
            cars: planned,
        });
        Ok(())
    }

    fn start_car(&mut self, settings: CarSettings, listener: TcpListener) -> Result<(), Failure> {
        let never = std::future::pending();
        match &self.stores {
            None => drop(self.servers.spawn(car_reference::serve(Car::in_memory(settings), listener, never))),
            Some(stores) => {
                let file = stores.join(format!("{}.json", settings.instance));
                let store = FileStore::open(file, settings.modules)
                    .map_err(|error| Failure::because(error.to_string()))?;
                drop(self.servers.spawn(car_reference::serve(Car::new(settings, store), listener, never)));
            }
        }
        Ok(())
    }
}

async fn listen() -> Result<(TcpListener, SocketAddr), Failure> {
    let failure = |error| Failure::because(format!("can't listen on a loopback port: {error}"));
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failure)?;
    let address = listener.local_addr().map_err(failure)?;
    Ok((listener, address))
}

fn url<T>(parsed: Result<T, gm_core::contract::BadUrl>) -> Result<T, Failure> {
    parsed.map_err(|bad| Failure::because(bad.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_open_files() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             1                    2                    processes \n\
                      Max open files            1024                 4096                 files     \n";
        assert_eq!(most_open_files(limits), Some(1024));
        assert_eq!(
            most_open_files("Max open files            unlimited            unlimited            files"),
            None
        );
        assert_eq!(most_open_files(""), None);
    }
}
