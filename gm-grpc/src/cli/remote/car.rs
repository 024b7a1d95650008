//! `gm car`: register a car, look at it, take it out, move its modules (R-2, R-7.7, R-10.3).
//!
//! ```text
//! gm car register red-1 --url http://10.0.0.7             by the team, with its own secret
//! gm car register red-1 --url http://10.0.0.7 --team Red  by the admin
//! ```

use super::connection::{Once, Server, call};
use super::shown::{cell, say, say_json};
use super::which::{self, WhichRace};
use super::words;
use crate::api::wire;
use crate::cli::Failure;
use clap::{Args, Subcommand, ValueEnum};
use wire::exchange::Outcome;

/// Register cars, look at them, take them out, and move their modules
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(in crate::cli) struct Car {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Register(Register),
    Retire(Retire),
    Inspect(Inspect),
    Transfer(Transfer),
}

impl Car {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Register(register) => register.run().await,
            Command::Retire(retire) => retire.run().await,
            Command::Inspect(inspect) => inspect.run().await,
            Command::Transfer(transfer) => transfer.run().await,
        }
    }
}

/// Register a car
///
/// It is asked for its modules, and must answer, as docs/contract.md says. If it is refused, each reason is a line on
/// the error output, and the exit code is 1.
#[derive(Debug, Args)]
#[command(after_long_help = REGISTER)]
struct Register {
    /// The instance name, 1 to 100 characters, which no other car of the race has
    instance: String,

    /// Where the car is, http or https [default: what the server's settings say of the instance]
    #[arg(long, value_name = "URL", default_value = "", hide_default_value = true)]
    url: String,

    /// For this team, by its name or number, with an admin's token [default: the team whose secret you show]
    #[arg(long, value_name = "TEAM")]
    team: Option<String>,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

const REGISTER: &str = "Examples:

    gm car register red-1 --url http://10.0.0.7:8080
    gm car register red-1 --url http://10.0.0.7:8080 --team Red --race Friday";

impl Register {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let (request_id, instance, url) = (self.once.id(), self.instance, self.url);
        let (car, reasons) = match self.team {
            None => {
                let request = wire::TeamServiceRegisterCarRequest { request_id, instance, url };
                let answer = call!(line, team.register_car(request))?;
                line.show_if_json(&answer)?;
                (answer.car, answer.reasons)
            }
            Some(team) => {
                let race_id = self.race.find(&line).await?;
                let team_id = which::team(&line, &race_id, &team).await?;
                let request =
                    wire::AdminServiceRegisterCarRequest { request_id, race_id, team_id, instance, url };
                let answer = call!(line, admin.register_car(request))?;
                line.show_if_json(&answer)?;
                (answer.car, answer.reasons)
            }
        };
        let Some(car) = car.and_then(|own| own.car) else {
            let reasons: Vec<String> =
                reasons.iter().map(|reason| format!("\n    {}", cell(reason))).collect();
            return Err(Failure::because(format!("the car is refused:{}", reasons.concat())));
        };
        if line.json {
            return Ok(());
        }
        let modules = words::counts(car.modules.as_ref());
        let name = cell(&car.instance);
        say(&format!("car {} {name:?} of team {} is registered with {modules}", car.car_id, car.team_id))
    }
}

/// Take a car out of the race
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm car retire red-1 --reason 'answers for another team'")]
struct Retire {
    /// Which car: its number or instance name
    car: String,

    /// Why: everybody can read it
    #[arg(long, value_name = "TEXT")]
    reason: String,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Retire {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let car_id = which::car(&line, &race_id, &self.car).await?;
        let request =
            wire::RetireCarRequest { request_id: self.once.id(), race_id, car_id, reason: self.reason };
        let retired = call!(line, admin.retire_car(request))?;
        line.show(&retired, |_| format!("car {car_id} is out of the race"))
    }
}

/// Ask a car now for its state, counts and names, and show what it answers
///
/// It changes nothing, and costs the team nothing. The exit code is 1 if anything is wrong that can't come from a turn
/// that runs.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm car inspect red-1 --race Friday")]
struct Inspect {
    /// Which car: its number or instance name
    car: String,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    server: Server,
}

impl Inspect {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let car_id = which::car(&line, &race_id, &self.car).await?;
        let mut looks = call!(line, admin.inspect_car(wire::InspectCarRequest { race_id, car_id }))?;
        let mut wrong = 0;
        while let Some(look) = looks.message().await.map_err(|status| line.refused(&status))? {
            wrong += usize::from(look.wrong && !look.moving);
            if line.json {
                say_json(&look)?;
            } else {
                say(&looked(&look))?;
            }
        }
        match wrong {
            0 => Ok(()),
            wrong => Err(Failure::because(format!("car {car_id}: wrong in {wrong} of its answers"))),
        }
    }
}

/// What was seen, in a line.
fn looked(look: &wire::InspectCarResponse) -> String {
    let verdict = match (look.wrong, look.moving) {
        (false, _) => "ok   ",
        (true, false) => "WRONG",
        // A turn runs, and the car may know more than the game master has settled.
        (true, true) => "moves",
    };
    let exchange = look.exchange.clone().unwrap_or_default();
    let mut text = format!("{verdict}  {:4}  {}", look.contract_no, exchanged(&exchange));
    if look.wrong {
        if !look.expected.is_empty() {
            text.push_str(&format!(": expected {}", cell(&look.expected)));
        }
        text.push_str(&format!(": found {}", cell(&look.found)));
    }
    text
}

/// An exchange in a line: what was asked, and what came of it.
pub(super) fn exchanged(exchange: &wire::Exchange) -> String {
    let request = cell(exchange.request.lines().next().unwrap_or_default());
    let outcome = match &exchange.outcome {
        Some(Outcome::Answer(answer)) => format!("{} {}", answer.status, cell(&answer.body)),
        Some(Outcome::Fault(why)) => cell(why),
        Some(Outcome::Found(found)) => format!("found {}", cell(found)),
        None => "no answer".to_owned(),
    };
    let mut text = format!("{request}: {} in {} ms", outcome.trim_end(), exchange.latency_us / 1000);
    if !exchange.deviations.is_empty() {
        text.push_str(&format!("; accepted {}", cell(&exchange.deviations.join(", "))));
    }
    text
}

/// Move a module from one of your cars to another
///
/// For teams, where the rules allow it. It is settled when the next turn starts, if both stand on the same place then.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm car transfer weapon sword-2 --from red-1 --to red-2")]
struct Transfer {
    /// The kind of module
    #[arg(value_enum)]
    kind: KindName,

    /// Its name
    name: String,

    /// The car that gives it: its number or instance name
    #[arg(long, value_name = "CAR")]
    from: String,

    /// The car that gets it: its number or instance name
    #[arg(long, value_name = "CAR")]
    to: String,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

/// A kind of module, as it is typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum KindName {
    /// Moves the car
    Engine,
    /// Drives the car
    Pilot,
    /// Gives the car a card in each duel
    Weapon,
}

impl KindName {
    pub(super) fn to_wire(self) -> wire::ModuleKind {
        match self {
            KindName::Engine => wire::ModuleKind::Engine,
            KindName::Pilot => wire::ModuleKind::Pilot,
            KindName::Weapon => wire::ModuleKind::Weapon,
        }
    }
}

impl Transfer {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let own = call!(line, team.get_team(wire::GetTeamRequest {}))?;
        let car = |which: &str| -> Result<u32, Failure> {
            let mut cars = own.cars.iter().filter_map(|own| own.car.as_ref());
            let named = || cars.find(|car| car.instance == which).map(|car| car.car_id);
            let found = which.parse().ok().or_else(named);
            found.ok_or_else(|| {
                super::refusal::not_found(format!("you have no car {which:?}: see `gm team show`"))
            })
        };
        let request = wire::TransferModuleRequest {
            request_id: self.once.id(),
            module: Some(wire::Module { kind: self.kind.to_wire().into(), name: self.name }),
            from_car_id: car(&self.from)?,
            to_car_id: car(&self.to)?,
        };
        let asked = call!(line, team.transfer_module(request))?;
        line.show(&asked, |asked| format!("it is settled when turn {} starts", asked.turn))
    }
}
