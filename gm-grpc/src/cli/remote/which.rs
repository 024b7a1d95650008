//! Which race, team or car is meant: by number, or by the name that a person uses.
//!
//! ```text
//! gm race start friday      the race with this id, or with this title if only one has it; or `latest`
//! gm team grant Red 20      the team of this name, or number
//! gm car retire red-1       the car of this instance name, or number
//! ```

use super::connection::{Line, call, environment};
use super::refusal::not_found;
use super::shown::cell;
use crate::api::wire;
use crate::cli::Failure;
use clap::Args;

/// The word for the race that was made last.
const LATEST: &str = "latest";
/// Entries on a page: as many as the server gives.
pub(super) const PAGE: u32 = 100;
/// The most pages that are read: who has more races names them by their ids.
const MOST_PAGES: usize = 100;
/// The most races that are named when it is not clear which is meant.
const MOST_NAMED: usize = 5;

/// The race that a command is about.
#[derive(Debug, Clone, Args)]
pub(super) struct WhichRace {
    /// Which race: its id, its title if only one has it, or `latest`. Where only one can be meant, it need not be
    /// named [env: GM_RACE]
    #[arg(long, value_name = "RACE")]
    race: Option<String>,
}

/// The race that a command of `gm race` is about.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct NamedRace {
    /// Which race: its id, its title if only one has it, or `latest`. Where only one can be meant, it need not be
    /// named [env: GM_RACE]
    #[arg(value_name = "RACE")]
    named: Option<String>,

    /// The same as RACE, as other commands have it
    #[arg(long, value_name = "RACE", conflicts_with = "named")]
    race: Option<String>,
}

impl WhichRace {
    /// The race's id.
    pub(super) async fn find(&self, line: &Line) -> Result<String, Failure> {
        find(line, self.race.clone()).await
    }

    /// The race's id, if one is named.
    pub(super) async fn find_if_named(&self, line: &Line) -> Result<Option<String>, Failure> {
        match self.race.clone().or_else(|| environment("GM_RACE")) {
            None => Ok(None),
            named => find(line, named).await.map(Some),
        }
    }
}

impl NamedRace {
    /// The race's id.
    pub(super) async fn find(&self, line: &Line) -> Result<String, Failure> {
        find(line, self.said()).await
    }

    /// What the command line says.
    pub(in crate::cli) fn said(&self) -> Option<String> {
        self.named.clone().or_else(|| self.race.clone())
    }

    /// What the command line says, where it must.
    pub(in crate::cli) fn needed(&self) -> Result<String, Failure> {
        self.said().ok_or_else(|| {
            Failure::wrong(
                "name the race, by its id or its name, or say `latest`; see `gm race list --data DIR`",
            )
        })
    }
}

async fn find(line: &Line, said: Option<String>) -> Result<String, Failure> {
    match said.or_else(|| environment("GM_RACE")) {
        // The server knows it or not.
        Some(id) if is_drawn(&id) => Ok(id),
        Some(name) => named(line, &name).await,
        None => the_one(line).await,
    }
}

/// Whether a server has drawn this id: `gm-` and 16 hex digits.
fn is_drawn(id: &str) -> bool {
    let digits = id.strip_prefix("gm-").unwrap_or_default();
    digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// All races that may be watched, newest first.
pub(super) async fn races(line: &Line) -> Result<Vec<wire::Race>, Failure> {
    let (races, _) = pages(async |page_token| {
        let request = wire::ObserverServiceListRacesRequest { page_size: PAGE, page_token };
        let page = call!(line, observer.list_races(request))?;
        Ok((page.races, page.next_page_token))
    })
    .await?;
    Ok(races)
}

/// The entries of a list, page by page. `ask` asks for the page of a token, and gives its entries and the next token.
/// Gives all entries, and the token of the page after the last that was read; empty: there is none.
pub(super) async fn pages<T>(
    ask: impl AsyncFn(String) -> Result<(Vec<T>, String), Failure>,
) -> Result<(Vec<T>, String), Failure> {
    let (mut all, mut token) = (Vec::new(), String::new());
    for _ in 0..MOST_PAGES {
        let (page, next) = ask(token).await?;
        all.extend(page);
        token = next;
        if token.is_empty() {
            break;
        }
    }
    Ok((all, token))
}

async fn named(line: &Line, name: &str) -> Result<String, Failure> {
    let mut races = races(line).await?;
    if name == LATEST {
        let latest = races.into_iter().next().map(|race| race.race_id);
        return latest.ok_or_else(|| not_found(none_at(line)));
    }
    races.retain(|race| race.race_id == name || race.title == name);
    if let Some(race) = races.iter().find(|race| race.race_id == name) {
        return Ok(race.race_id.clone());
    }
    match races.as_slice() {
        [race] => Ok(race.race_id.clone()),
        [] => Err(not_found(format!(
            "there is no race {name:?} at {}: `gm race list` names those that are",
            line.url()
        ))),
        several => Err(Failure::because(format!(
            "{} races are called {name:?}: name one by its id, of {}",
            several.len(),
            ids(several)
        ))),
    }
}

/// The race that is meant where none is named, which is said.
async fn the_one(line: &Line) -> Result<String, Failure> {
    let races = races(line).await?;
    let open: Vec<&wire::Race> = races.iter().filter(|race| goes_on(race)).collect();
    let one = match (races.as_slice(), open.as_slice()) {
        ([], _) => return Err(not_found(none_at(line))),
        ([only], _) => only.clone(),
        (_, [only]) => (*only).clone(),
        // A team takes part in one.
        _ => match own(line).await {
            Some(race) => race,
            None => {
                return Err(Failure::wrong(format!(
                    "{} races can be meant: name one with --race or GM_RACE, of {}",
                    races.len(),
                    ids(&races)
                )));
            }
        },
    };
    eprintln!("gm: race {} {:?}", one.race_id, cell(&one.title));
    Ok(one.race_id)
}

fn goes_on(race: &wire::Race) -> bool {
    race.status() != wire::RaceStatus::Finished && race.origin() == wire::RaceOrigin::Here
}

/// The race that whoever asks takes part in, if it is a team.
async fn own(line: &Line) -> Option<wire::Race> {
    line.team().get_team(wire::GetTeamRequest {}).await.ok()?.into_inner().race
}

fn none_at(line: &Line) -> String {
    let hidden = if line.says_who() { "" } else { " that needs no token" };
    format!("there is no race{hidden} at {}: make one with `gm race create`", line.url())
}

fn ids(races: &[wire::Race]) -> String {
    let ids: Vec<&str> = races.iter().take(MOST_NAMED).map(|race| race.race_id.as_str()).collect();
    let more = if races.len() > MOST_NAMED { ", …" } else { "" };
    format!("{}{more}", ids.join(", "))
}

/// A team's number, by its name or number.
pub(super) async fn team(line: &Line, race: &str, which: &str) -> Result<u32, Failure> {
    if let Ok(id) = which.parse() {
        return Ok(id);
    }
    let standings =
        call!(line, observer.get_standings(wire::GetStandingsRequest { race_id: race.to_owned() }))?;
    let found = standings.standings.iter().find(|standing| standing.team_name == which);
    found.map(|standing| standing.team_id).ok_or_else(|| {
        let teams = standings.standings.iter();
        let mut teams: Vec<(u32, String)> = teams.map(|it| (it.team_id, cell(&it.team_name))).collect();
        teams.sort_unstable();
        let teams: Vec<String> = teams.into_iter().map(|(id, name)| format!("{id} {name:?}")).collect();
        let teams = if teams.is_empty() { "it has none yet".to_owned() } else { teams.join(", ") };
        not_found(format!("race {race} has no team {which:?}: {teams}"))
    })
}

/// A car's number, by its instance name or number.
pub(super) async fn car(line: &Line, race: &str, which: &str) -> Result<u32, Failure> {
    if let Ok(id) = which.parse() {
        return Ok(id);
    }
    let cars = snapshot(line, race).await?.cars;
    let found = cars.iter().find(|car| car.instance == which).map(|car| car.car_id);
    found.ok_or_else(|| {
        not_found(format!("race {race} has no car {which:?}: `gm race show {race}` names its cars"))
    })
}

/// Cars' numbers, by their instance names or numbers.
pub(super) async fn cars(line: &Line, race: &str, which: &[String]) -> Result<Vec<u32>, Failure> {
    let mut found = Vec::with_capacity(which.len());
    for which in which {
        found.push(car(line, race, which).await?);
    }
    Ok(found)
}

/// A race as it is now.
pub(super) async fn snapshot(line: &Line, race: &str) -> Result<wire::Snapshot, Failure> {
    let answer = call!(line, observer.get_snapshot(wire::GetSnapshotRequest { race_id: race.to_owned() }))?;
    Ok(answer.snapshot.unwrap_or_default())
}
