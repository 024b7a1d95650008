//! `gm team`: the teams of a race, their money and their secrets (R-1.1, R-10.4).
//!
//! ```text
//! gm team create Red          team 1 "Red" takes part …, and its two secrets, once
//! gm team grant Red 20
//! ```

use super::connection::{Once, Server, call};
use super::show;
use super::shown::{cell, list, table};
use super::which::{self, WhichRace};
use super::words;
use crate::api::wire;
use crate::cli::Failure;
use clap::{Args, Subcommand};

/// Make teams, give them money, and replace their secrets
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(in crate::cli) struct Team {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Create(Create),
    List(List),
    Show(Show),
    Grant(Grant),
    Rotate(Rotate),
    Inspector(Inspector),
}

impl Team {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Create(create) => create.run().await,
            Command::List(list) => list.run().await,
            Command::Show(show) => show.run().await,
            Command::Grant(grant) => grant.run().await,
            Command::Rotate(rotate) => rotate.run().await,
            Command::Inspector(inspector) => inspector.run().await,
        }
    }
}

/// Add a team to a race. Its two secrets are shown this once
#[derive(Debug, Args)]
#[command(after_long_help = CREATE)]
struct Create {
    /// The team's name, 1 to 100 characters, which no other team of the race has
    name: String,

    /// What it starts with, in dollars [default: what the rules say]
    #[arg(long, value_name = "DOLLARS")]
    budget: Option<u32>,

    /// The secret between the game master and the team's cars, 1 to 256 visible ASCII characters [default: a new one]
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    car_secret: String,

    /// The team's secret for the API, 16 to 256 visible ASCII characters [default: a new one]
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    api_secret: String,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

const CREATE: &str = "Examples:

    gm team create Red
    gm team create Blue --budget 120 --json | jq -r .api_secret > blue.token";

impl Create {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let name = self.name.clone();
        let request = wire::CreateTeamRequest {
            request_id: self.once.id(),
            race_id: race_id.clone(),
            name: self.name,
            car_secret: self.car_secret,
            api_secret: self.api_secret,
            budget: self.budget,
        };
        let made = call!(line, admin.create_team(request))?;
        line.show(&made, |made| {
            let mut text = format!("team {} {:?} takes part in race {race_id}\n", made.team_id, cell(&name));
            if made.api_secret.is_empty() {
                text.push_str(
                    "its secrets were shown when this was first asked: `gm team rotate` makes new ones",
                );
                return text;
            }
            text.push_str("its secrets, shown this once; for the API:\n");
            text.push_str(&format!("    export GM_TOKEN={}\n", pasted(&made.api_secret)));
            text.push_str("and for its cars, as X-EACC-SECRET:\n");
            text.push_str(&format!("    export CAR_SECRET={}\n", pasted(&made.car_secret)));
            text
        })
    }
}

/// A secret as a shell takes it.
fn pasted(secret: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@%".contains(&byte);
    match secret.bytes().all(is_plain) {
        true => secret.to_owned(),
        false => format!("'{}'", secret.replace('\'', r"'\''")),
    }
}

/// List the teams of a race, with what they own
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm team list --race Friday")]
struct List {
    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    server: Server,
}

impl List {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let answer = call!(line, admin.list_teams(wire::ListTeamsRequest { race_id }))?;
        line.show(&answer, |answer| teams(&answer.teams))
    }
}

fn teams(teams: &[wire::Team]) -> String {
    let rows = teams.iter().map(|team| {
        let standing = team.standing.clone().unwrap_or_default();
        let cars = team.cars.iter().filter_map(|own| own.car.as_ref());
        let cars: Vec<String> = cars.map(|car| cell(&car.instance)).collect();
        vec![
            team.team_id.to_string(),
            cell(&team.name),
            format!("${}", team.budget),
            standing.points.to_string(),
            list(&cars, "none"),
        ]
    });
    table(&["team", "name", "budget", "VP", "cars"], rows.collect(), &[0, 2, 3])
}

/// Show your own team: its money, its cars with their modules, its complaints
///
/// For teams, by their secret for the API.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm team show --token-file red.token")]
struct Show {
    #[command(flatten)]
    server: Server,
}

impl Show {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let own = call!(line, team.get_team(wire::GetTeamRequest {}))?;
        line.show(&own, in_words)
    }
}

fn in_words(own: &wire::GetTeamResponse) -> String {
    let race = own.race.clone().unwrap_or_default();
    let mut text = format!(
        "team {} {:?} in race {} {:?}, with ${}\n\n{}",
        own.team_id,
        cell(&own.name),
        race.race_id,
        cell(&race.title),
        own.budget,
        show::standings(own.standing.as_slice()),
    );
    let cars: Vec<wire::Car> = own.cars.iter().filter_map(|own| own.car.clone()).collect();
    text.push_str(&format!("\n{}", show::cars(&cars)));
    for own in &own.cars {
        let car = own.car.as_ref().map_or(0, |car| car.car_id);
        let named = own.modules.iter().map(|it| format!("{} {:?}", words::kind(it.kind()), cell(&it.name)));
        let modules: Vec<String> = named.collect();
        text.push_str(&format!("\ncar {car} at {}: {}\n", cell(&own.url), list(&modules, "no modules")));
    }
    if !own.complaints.is_empty() {
        text.push_str(&format!("\n{}", super::jury::complaints(&own.complaints)));
    }
    text
}

/// Give a team more money, in dollars
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm team grant Red 20")]
struct Grant {
    /// Which team: its name or number
    team: String,

    /// How much, in dollars
    dollars: u32,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Grant {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let team_id = which::team(&line, &race_id, &self.team).await?;
        let (request_id, dollars) = (self.once.id(), self.dollars);
        let request = wire::GrantBudgetRequest { request_id, race_id, team_id, dollars };
        let granted = call!(line, admin.grant_budget(request))?;
        line.show(&granted, |granted| {
            let team = granted.team.clone().unwrap_or_default();
            format!(
                "team {} {:?} is granted ${dollars}, and has ${}",
                team.team_id,
                cell(&team.name),
                team.budget
            )
        })
    }
}

/// Replace one of a team's two secrets. The new one is shown this once
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n\n    gm team rotate Red --api\n    gm team rotate Red --cars")]
struct Rotate {
    /// Which team: its name or number
    team: String,

    #[command(flatten)]
    kind: Secrets,

    /// The new one [default: one that is drawn]
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    secret: String,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Secrets {
    /// The one for the API: the old one is refused from now on
    #[arg(long)]
    api: bool,

    /// The one for its cars: they are sent the new one from the next turn on
    #[arg(long)]
    cars: bool,
}

impl Rotate {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let team_id = which::team(&line, &race_id, &self.team).await?;
        let (kind, variable) = match self.kind.cars {
            true => (wire::SecretKind::Cars, "CAR_SECRET"),
            false => (wire::SecretKind::Api, "GM_TOKEN"),
        };
        let request = wire::RotateTeamSecretRequest {
            request_id: self.once.id(),
            race_id,
            team_id,
            secret_kind: kind.into(),
            secret: self.secret,
        };
        let rotated = call!(line, admin.rotate_team_secret(request))?;
        line.show(&rotated, |rotated| {
            if rotated.secret.is_empty() {
                return format!(
                    "the secret of team {team_id} was replaced, and shown, when this was first asked"
                );
            }
            format!(
                "the new secret of team {team_id}, shown this once:\n    export {variable}={}",
                pasted(&rotated.secret)
            )
        })
    }
}

/// Say how the real resources of a team are read, from the next turn on
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n\n    gm team inspector Red --relay https://relay.example\n    gm team inspector Red --none"
)]
struct Inspector {
    /// Which team: its name or number
    team: String,

    #[command(flatten)]
    way: Way,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Way {
    /// By this relay, which the team runs (docs/contract.md, I)
    #[arg(long, value_name = "URL")]
    relay: Option<String>,

    /// Not at all: what the cars say counts
    #[arg(long)]
    none: bool,
}

impl Inspector {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let team_id = which::team(&line, &race_id, &self.team).await?;
        let way = self.way.relay.map(|url| wire::inspector::Way::Relay(wire::RelayInspector { url }));
        let inspector = Some(wire::Inspector { way });
        let request = wire::SetInspectorRequest { request_id: self.once.id(), race_id, team_id, inspector };
        let set = call!(line, admin.set_inspector(request))?;
        line.show(&set, |set| format!("set for team {team_id} from turn {} on", set.turn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_can_be_pasted() {
        for (secret, expected) in [
            ("gm-team-07af", "gm-team-07af"),
            ("a b", "'a b'"),
            ("it's$x", r"'it'\''s$x'"),
            ("`id`", "'`id`'"),
        ] {
            assert_eq!(pasted(secret), expected);
        }
    }
}
