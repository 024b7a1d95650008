//! `gm jury` and `gm complain`: what was wrong is corrected, and who complains is answered (R-10.3).
//!
//! ```text
//! gm complain --turn 12 'our car was there'                    by a team
//! gm jury complaints --open                                    by the jury, and so on
//! gm jury correct-car red-1 --square 40 --reason 'it was there'
//! gm jury answer 1 'you were right'
//! ```

use super::connection::{Line, Once, Server, call};
use super::shown::{cell, table};
use super::which::{self, PAGE, WhichRace, pages};
use crate::api::wire;
use crate::cli::Failure;
use clap::{Args, Subcommand};

/// Correct what was wrong, and answer complaints
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(in crate::cli) struct Jury {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    CorrectCar(CorrectCar),
    CorrectTeam(CorrectTeam),
    Complaints(Complaints),
    Answer(Answer),
}

impl Jury {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::CorrectCar(correct) => correct.run().await,
            Command::CorrectTeam(correct) => correct.run().await,
            Command::Complaints(complaints) => complaints.run().await,
            Command::Answer(answer) => answer.run().await,
        }
    }
}

/// Correct a car: its square, its turns to miss, its modules, whether it races
///
/// What is not given stays. The car is told the new values.
#[derive(Debug, Args)]
#[command(after_long_help = CORRECT_CAR)]
struct CorrectCar {
    /// Which car: its number or instance name
    car: String,

    /// Its square
    #[arg(long, value_name = "N")]
    square: Option<u32>,

    /// Its turns to miss
    #[arg(long, value_name = "N")]
    turns_to_miss: Option<u32>,

    /// How many engines it has
    #[arg(long, value_name = "N")]
    engines: Option<u64>,

    /// How many pilots it has
    #[arg(long, value_name = "N")]
    pilots: Option<u64>,

    /// How many weapons it has
    #[arg(long, value_name = "N")]
    weapons: Option<u64>,

    /// Put it back into the race
    #[arg(long, conflicts_with = "retire")]
    reinstate: bool,

    /// Take it out of the race
    #[arg(long)]
    retire: bool,

    /// Why: its team can read it
    #[arg(long, value_name = "TEXT")]
    reason: String,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

const CORRECT_CAR: &str = "Examples:

    gm jury correct-car red-1 --square 40 --reason 'it was there in time'
    gm jury correct-car 3 --weapons 2 --reinstate --reason 'the relay was wrong'";

impl CorrectCar {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let car_id = which::car(&line, &race_id, &self.car).await?;
        let modules = self.modules(&line, &race_id, car_id).await?;
        let standing = match (self.reinstate, self.retire) {
            (true, _) => wire::NewStanding::Reinstated,
            (_, true) => wire::NewStanding::Retired,
            _ => wire::NewStanding::Unspecified,
        };
        let correction = wire::correction::Correction::Car(wire::CarCorrection {
            car_id,
            square: self.square,
            turns_to_miss: self.turns_to_miss,
            modules,
            standing: standing.into(),
        });
        let what = format!("car {car_id} is corrected");
        adjudicate(&line, &self.once, race_id, correction, self.reason, &what).await
    }

    /// All three counts, those that are not given as they are now.
    async fn modules(
        &self,
        line: &Line,
        race_id: &str,
        car_id: u32,
    ) -> Result<Option<wire::ModuleCounts>, Failure> {
        if self.engines.is_none() && self.pilots.is_none() && self.weapons.is_none() {
            return Ok(None);
        }
        let cars = which::snapshot(line, race_id).await?.cars;
        let now =
            cars.iter().find(|car| car.car_id == car_id).and_then(|car| car.modules).unwrap_or_default();
        Ok(Some(wire::ModuleCounts {
            engine: self.engines.unwrap_or(now.engine),
            pilot: self.pilots.unwrap_or(now.pilot),
            weapon: self.weapons.unwrap_or(now.weapon),
        }))
    }
}

/// Correct a team: its money, its victory points
#[derive(Debug, Args)]
#[command(
    after_long_help = "Example:\n\n    gm jury correct-team Red --points -5 --reason 'it was told to stop'"
)]
struct CorrectTeam {
    /// Which team: its name or number
    team: String,

    /// What it has, in dollars
    #[arg(long, value_name = "DOLLARS")]
    budget: Option<u32>,

    /// Victory points that it is given, or that are taken if it is below 0
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        allow_negative_numbers = true
    )]
    points: i64,

    /// Why: the team can read it
    #[arg(long, value_name = "TEXT")]
    reason: String,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl CorrectTeam {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let team_id = which::team(&line, &race_id, &self.team).await?;
        let (budget, points) = (self.budget, self.points);
        let correction = wire::correction::Correction::Team(wire::TeamCorrection { team_id, budget, points });
        let what = format!("team {team_id} is corrected");
        adjudicate(&line, &self.once, race_id, correction, self.reason, &what).await
    }
}

async fn adjudicate(
    line: &Line,
    once: &Once,
    race_id: String,
    correction: wire::correction::Correction,
    reason: String,
    what: &str,
) -> Result<(), Failure> {
    let correction = Some(wire::Correction { correction: Some(correction) });
    let request = wire::AdjudicateRequest { request_id: once.id(), race_id, correction, reason };
    let corrected = call!(*line, admin.adjudicate(request))?;
    line.show(&corrected, |_| what.to_owned())
}

/// List what the teams complain about, in the order in which it came
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm jury complaints --open")]
struct Complaints {
    /// Only those that wait for an answer
    #[arg(long)]
    open: bool,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    server: Server,
}

impl Complaints {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let (found, next_page_token) = pages(async |page_token| {
            let (race_id, open_only) = (race_id.clone(), self.open);
            let request = wire::ListComplaintsRequest { race_id, open_only, page_size: PAGE, page_token };
            let page = call!(line, admin.list_complaints(request))?;
            Ok((page.complaints, page.next_page_token))
        })
        .await?;
        let all = wire::ListComplaintsResponse { complaints: found, next_page_token };
        line.show(&all, |all| complaints(&all.complaints))
    }
}

/// Complaints as a table.
pub(super) fn complaints(complaints: &[wire::Complaint]) -> String {
    let rows = complaints.iter().map(|it| {
        vec![
            it.complaint_no.to_string(),
            it.team_id.to_string(),
            if it.turn == 0 { "none".to_owned() } else { it.turn.to_string() },
            cell(&it.text),
            if it.answer.is_empty() { "open".to_owned() } else { cell(&it.answer) },
        ]
    });
    table(&["complaint", "team", "turn", "text", "answer"], rows.collect(), &[0, 1, 2])
}

/// Answer a complaint; a later answer replaces an earlier one
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm jury answer 1 'you were right: see the correction'")]
struct Answer {
    /// The complaint's number, as `gm jury complaints` shows it
    complaint: u32,

    /// What the jury says: the team reads it in its log
    text: String,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Answer {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let request = wire::AnswerComplaintRequest {
            request_id: self.once.id(),
            race_id,
            complaint_no: self.complaint,
            answer: self.text,
        };
        let answered = call!(line, admin.answer_complaint(request))?;
        line.show(&answered, |answered| {
            let complaint = answered.complaint.clone().unwrap_or_default();
            format!("complaint {} of team {} is answered", complaint.complaint_no, complaint.team_id)
        })
    }
}

/// Complain to the jury
///
/// For teams, by their secret for the API. The answer is in `gm log` and `gm team show`.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm complain --turn 12 'our car had answered in time'")]
pub(in crate::cli) struct Complain {
    /// What about, 1 to 4000 characters
    text: String,

    /// The turn that it is about
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    turn: u32,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Complain {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let request =
            wire::FileComplaintRequest { request_id: self.once.id(), turn: self.turn, text: self.text };
        let filed = call!(line, team.file_complaint(request))?;
        line.show(&filed, |filed| {
            format!("complaint {} waits for the jury: its answer is in `gm log`", filed.complaint_no)
        })
    }
}
