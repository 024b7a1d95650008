//! `gm race show` and `gm standings`: a race as it is now, as whoever asks may see it (R-11).
//!
//! ```text
//! place  team  VP  squares  fights  medals
//!     1  Red   12       55       1  Mad Max
//! ```

use super::connection::{Server, call};
use super::race::{activity, clock, state};
use super::shown::{at, cell, list, table};
use super::which::{NamedRace, WhichRace};
use super::words;
use crate::api::wire;
use crate::cli::Failure;
use clap::Args;

/// The teams in order of their score
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm standings --race Friday")]
pub(in crate::cli) struct Standings {
    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    server: Server,
}

impl Standings {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let answer = call!(line, observer.get_standings(wire::GetStandingsRequest { race_id }))?;
        line.show(&answer, |answer| format!("after turn {}\n{}", answer.turn, standings(&answer.standings)))
    }
}

/// The standings as a table.
pub(super) fn standings(standings: &[wire::Standing]) -> String {
    let titles = ["place", "team", "name", "VP", "squares", "fights", "medals"];
    let rows = standings.iter().map(|it| {
        let medals: Vec<String> = it.achievement_ids.iter().map(|id| cell(words::title(id))).collect();
        vec![
            it.place.to_string(),
            it.team_id.to_string(),
            cell(&it.team_name),
            it.points.to_string(),
            it.furthest_sum.to_string(),
            it.fights_won.to_string(),
            list(&medals, "none"),
        ]
    });
    table(&titles, rows.collect(), &[0, 1, 3, 4, 5])
}

/// Cars as a table.
pub(super) fn cars(cars: &[wire::Car]) -> String {
    let titles = ["car", "instance", "team", "square", "furthest", "fights", "engines/pilots/weapons", "now"];
    let rows = cars.iter().map(|car| {
        let wire::ModuleCounts { engine, pilot, weapon } = car.modules.unwrap_or_default();
        vec![
            car.car_id.to_string(),
            cell(&car.instance),
            car.team_id.to_string(),
            car.square.to_string(),
            car.furthest.to_string(),
            car.fights_won.to_string(),
            format!("{engine}/{pilot}/{weapon}"),
            fate(car),
        ]
    });
    table(&titles, rows.collect(), &[0, 2, 3, 4, 5])
}

/// Whether a car is still racing, or why and when it left.
fn fate(car: &wire::Car) -> String {
    match (car.status(), car.turns_to_miss) {
        (wire::CarStatus::Unspecified, _) => String::new(),
        (wire::CarStatus::Entered, _) => "starts in the next turn".to_owned(),
        (wire::CarStatus::Racing, 0) => "racing".to_owned(),
        (wire::CarStatus::Racing, 1) => "racing, 1 turn to miss".to_owned(),
        (wire::CarStatus::Racing, turns) => format!("racing, {turns} turns to miss"),
        (wire::CarStatus::Retired, _) => {
            let reason = cell(&words::retirement(car.retirement_reason(), &car.jury_reason));
            format!("left in turn {}: {reason}", car.retired_in_turn)
        }
    }
}

/// A race on the server, as whoever asks may see it.
pub(in crate::cli) async fn show(server: &Server, race: &NamedRace) -> Result<(), Failure> {
    let line = server.line()?;
    let race_id = race.find(&line).await?;
    let answer = call!(line, observer.get_snapshot(wire::GetSnapshotRequest { race_id }))?;
    line.show(&answer, |answer| in_words(&answer.snapshot.clone().unwrap_or_default()))
}

fn in_words(snapshot: &wire::Snapshot) -> String {
    let race = snapshot.race.clone().unwrap_or_default();
    let mut text = format!(
        "race {} {:?}, made {} UTC, {}\nrevision {} of the rules, event {}\nturn {}, {}; {}\n",
        race.race_id,
        cell(&race.title),
        at(race.created_at.as_ref()),
        if race.private { "private" } else { "public" },
        race.rules_revision,
        snapshot.sequence,
        race.turn,
        state(&race),
        clock(&race),
    );
    if let Some(activity) = activity(&race) {
        text.push_str(&format!("{activity}\n"));
    }
    text.push_str(&format!("\n{}\n{}", standings(&snapshot.standings), cars(&snapshot.cars)));
    if !snapshot.budgets.is_empty() {
        text.push('\n');
    }
    for budget in &snapshot.budgets {
        text.push_str(&format!("team {} has ${}\n", budget.team_id, budget.budget));
    }
    if !snapshot.bonuses.is_empty() {
        text.push_str(&format!("\n{}", bonuses(&snapshot.bonuses)));
    }
    let awards: Vec<_> = snapshot.end_awards.iter().filter(|award| !award.team_ids.is_empty()).collect();
    if !awards.is_empty() {
        text.push('\n');
    }
    for award in awards {
        let title = words::end_title(award.title());
        text.push_str(&format!("{title}: team {}\n", list(&award.team_ids, "")));
    }
    text
}

fn bonuses(bonuses: &[wire::Bonus]) -> String {
    let titles = ["bonus", "place", "does", "taken by teams", ""];
    let rows = bonuses.iter().map(|bonus| {
        vec![
            bonus.bonus_id.to_string(),
            bonus.place.to_string(),
            words::effect(bonus.effect.as_ref()),
            list(&bonus.taken_by_team_ids, "none"),
            if bonus.hidden { "hidden" } else { "" }.to_owned(),
        ]
    });
    table(&titles, rows.collect(), &[0, 1])
}
