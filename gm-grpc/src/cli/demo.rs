//! `gm demo`: a whole race among reference cars, each a real HTTP server on the loopback.
//!
//! ```text
//! gm demo --teams 4 --cars 2 --turns 30 --seed 7
//! ```

use super::Failure;
use super::plan::{Plan, PlannedCar, PlannedTeam};
use super::show::{self, Show};
use crate::drive::Secret;
use car_reference::{Car, CarSettings, StrategyName};
use clap::Args;
use fight_lambda_reference::Mind;
use gm_core::contract::{BaseUrl, DuelUrl, Modules};
use gm_core::race::Rules;
use gm_core::random::Seed;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Run a whole race among reference cars, which are started here as real HTTP servers
///
/// The cars are registered like anybody's, and the race is run over HTTP by the rule book. On a terminal it is shown
/// live; q or Ctrl-C ends it after the turn. Without --pace no turn waits.
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
        let seed = Seed(self.seed.unwrap_or_else(|| u64::from(rand::random::<u32>())));
        let defaults = Rules::balanced();
        let rules = Rules {
            initial_budget: defaults.initial_budget.max(self.cars * BUDGET_PER_CAR),
            max_turns: Some(self.turns),
            random_bonuses: BONUSES,
            ..defaults
        };
        let rules = rules.validated().map_err(|bad| Failure::because(bad.to_string()))?;

        enough_files(self.teams, self.cars)?;
        // The servers end with the set, when the race is over.
        let mut servers = JoinSet::new();
        let mut hosts = BTreeMap::new();
        let mut teams = Vec::new();
        for (name, number) in TEAMS.into_iter().zip(0..self.teams) {
            let team = start_team(name, number, self.cars, seed, &mut servers, &mut hosts).await?;
            teams.push(team);
        }
        let pace = self.show.pace.unwrap_or(Duration::ZERO);
        let plan = Plan { rules, seed, teams, hosts, allow_private: true };
        show::show(plan, &self.show, pace).await
    }
}

/// Open files of one car: its listener and both ends of its connection, and both ends of one to its duel AI.
const FILES_PER_CAR: u64 = 5;
/// Open files of one team: the listener of its duel AI.
const FILES_PER_TEAM: u64 = 1;
/// What a program has open anyway.
const OTHER_FILES: u64 = 64;

/// Says before anything is started that so many cars need more open files than this process may have.
fn enough_files(teams: u32, cars: u32) -> Result<(), Failure> {
    let (teams, cars) = (u64::from(teams), u64::from(teams) * u64::from(cars));
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

/// Starts a team's duel AI and cars.
async fn start_team(
    name: &str,
    number: u32,
    cars: u32,
    seed: Seed,
    servers: &mut JoinSet<std::io::Result<()>>,
    hosts: &mut BTreeMap<String, SocketAddr>,
) -> Result<PlannedTeam, Failure> {
    let lower = name.to_lowercase();
    let secret = format!("{:016x}", rand::random::<u64>());
    let (modules, strategy) = BUILDS[number as usize % BUILDS.len()];

    let (listener, address) = listen().await?;
    let ai = format!("{lower}-ai.{DOMAIN}");
    hosts.insert(ai.clone(), address);
    servers.spawn(fight_lambda_reference::server::serve(listener, Mind::Reference, seed.0));

    let mut planned = Vec::new();
    for car in 1..=cars {
        let instance = format!("{lower}-{car}");
        let (listener, address) = listen().await?;
        let host = format!("{instance}.{DOMAIN}");
        let settings = CarSettings {
            modules,
            secret: Some(secret.clone().into()),
            ai_url: Some(url(DuelUrl::parse(&format!("http://{ai}/action")))?),
            strategy,
            seed: seed.0,
            ..CarSettings::new(&instance)
        };
        servers.spawn(car_reference::serve(Car::in_memory(settings), listener, std::future::pending()));
        planned.push(PlannedCar {
            place: format!("car {instance}"),
            url: url(BaseUrl::parse(&format!("http://{host}")))?,
            instance,
        });
        hosts.insert(host, address);
    }
    Ok(PlannedTeam {
        place: format!("team {name}"),
        name: name.to_owned(),
        budget: None,
        secret: Some(Secret::parse(&secret).map_err(|bad| Failure::because(bad.to_string()))?),
        cars: planned,
    })
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
