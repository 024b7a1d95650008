//! How the race ended: the final table, as text and as JSON.

use gm_core::contract::Kind;
use gm_core::race::scoring::{distance_points, standings};
use gm_core::race::state::{Car, Status};
use gm_core::race::{Race, Team};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

/// The standings and what became of each car, as aligned text.
pub(super) fn as_text(race: &Race) -> String {
    let mut teams = vec![row(["rank", "team", "VP", "squares", "fights", "cars", "medals"])];
    for standing in standings(race) {
        let Some(team) = race.teams.get(&standing.team) else { continue };
        let racing = race.cars_of(team.id).filter(|car| !car.is_retired()).count();
        teams.push(row([
            &standing.rank.to_string(),
            &team.name,
            &standing.points.to_string(),
            &standing.distance.to_string(),
            &standing.fights_won.to_string(),
            &format!("{racing} of {}", race.cars_of(team.id).count()),
            &medals(team),
        ]));
    }
    let mut cars =
        vec![row(["car", "team", "furthest", "VP", "fights", "engines/pilots/weapons", "at the end"])];
    for car in race.cars.values() {
        let team = race.teams.get(&car.team).map_or("", |team| team.name.as_str());
        let modules = car.counts();
        cars.push(row([
            &car.instance,
            team,
            &car.furthest.to_string(),
            &distance_points(car.furthest).to_string(),
            &car.fights_won.to_string(),
            &Kind::ALL.map(|kind| modules.of(kind).to_string()).join("/"),
            &fate(car),
        ]));
    }
    let mut text = aligned(&teams, &[0, 2, 3, 4]);
    text.push('\n');
    text.push_str(&aligned(&cars, &[2, 3, 4]));
    for award in race.end_awards.iter().filter(|award| !award.teams.is_empty()) {
        let names: Vec<&str> = award
            .teams
            .iter()
            .filter_map(|team| race.teams.get(team).map(|team| team.name.as_str()))
            .collect();
        text.push_str(&format!(
            "\n{} VP for the {}: {}",
            race.rules.end_award,
            award.title,
            names.join(", ")
        ));
    }
    if !race.end_awards.is_empty() {
        text.push('\n');
    }
    text
}

fn medals(team: &Team) -> String {
    if team.medals.is_empty() {
        return "none".to_owned();
    }
    team.medals.iter().map(|medal| medal.title()).collect::<Vec<_>>().join(", ")
}

/// Whether a car is still racing, or why and when it left.
fn fate(car: &Car) -> String {
    match &car.status {
        Status::Entered => "entered".to_owned(),
        Status::Racing => match car.turns_to_miss {
            0 => "racing".to_owned(),
            1 => "racing, 1 turn to miss".to_owned(),
            turns => format!("racing, {turns} turns to miss"),
        },
        Status::Retired { reason, turn } => format!("left in turn {turn}: {reason}"),
    }
}

/// The standings and what became of each car, for programs.
pub(super) fn as_json(race: &Race) -> Value {
    let teams: Vec<Value> = standings(race)
        .iter()
        .filter_map(|standing| {
            let team = race.teams.get(&standing.team)?;
            Some(json!({
                "rank": standing.rank,
                "team": team.id,
                "name": team.name,
                "points": standing.points,
                "squares": standing.distance,
                "fights_won": standing.fights_won,
                "medals": team.medals,
                "budget": team.budget(),
            }))
        })
        .collect();
    let cars: Vec<Value> = race
        .cars
        .values()
        .map(|car| {
            json!({
                "car": car.id,
                "team": car.team,
                "instance": car.instance,
                "square": car.square,
                "furthest": car.furthest,
                "points": distance_points(car.furthest),
                "fights_won": car.fights_won,
                "modules": car.counts(),
                "status": car.status,
            })
        })
        .collect();
    json!({ "result": { "turn": race.turn, "seed": race.seed, "standings": teams, "cars": cars, "end_awards": race.end_awards } })
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// Rows under each other, columns as wide as their widest cell; those of `right` aligned to the right.
fn aligned(rows: &[Vec<String>], right: &[usize]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            let cell = if right.contains(&column) { padding + cell } else { cell.clone() + &padding };
            line.push_str(&cell);
            line.push_str("  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [row(["team", "VP"]), row(["Éclair", "8"]), row(["日本", "120"])];
        assert_eq!(aligned(&rows, &[1]), "team     VP\nÉclair    8\n日本    120\n");
    }
}
