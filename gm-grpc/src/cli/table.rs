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
        let names: Vec<String> = award
            .teams
            .iter()
            .filter_map(|team| race.teams.get(team).map(|team| one_line(&team.name)))
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

/// A row of a table.
pub(super) fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(one_line).to_vec()
}

/// A text from outside in one line, without anything that a terminal obeys. A race that comes from a file may hold names
/// that no race that is made here has.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// Rows under each other, columns as wide as their widest cell; those of `right` aligned to the right.
pub(super) fn aligned(rows: &[Vec<String>], right: &[usize]) -> String {
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
pub(super) mod tests {
    use super::*;
    use crate::journal::Numbered;
    use gm_core::contract::BaseUrl;
    use gm_core::ids::{CarId, Dollars, Points, Square, TeamId, TurnNo};
    use gm_core::race::event::{Achievement, DelayCause, EndAward, EndTitle, Retirement, Score};
    use gm_core::race::state::{Module, Resources};
    use gm_core::race::{Event, Rules};
    use gm_core::random::Seed;

    fn car(car: u32, team: u32, instance: &str) -> Event {
        Event::CarRegistered {
            car: CarId(car),
            team: TeamId(team),
            instance: instance.to_owned(),
            url: BaseUrl::parse(&format!("http://{instance}")).expect("a URL"),
            resources: Resources::default(),
            modules: [(Kind::Engine, 4), (Kind::Pilot, 1), (Kind::Weapon, 3)]
                .into_iter()
                .flat_map(|(kind, count)| (0..count).map(move |n| Module { kind, name: n.to_string() }))
                .collect(),
            paid: Dollars(15),
        }
    }

    fn score(team: u32, total: i64) -> Score {
        let (team, total, none) = (TeamId(team), Points(total), Points(0));
        Score { team, distance: total, achievements: none, bonuses: none, end: none, jury: none, total }
    }

    /// Two teams with three cars in turn 2: one on its way, one that has turns to miss, one destroyed.
    pub(in crate::cli) fn a_race() -> Race {
        let rules = Rules { max_turns: Some(10), ..Rules::balanced() }.validated().expect("good rules");
        let (mut race, _) = Race::create(rules, Seed(7));
        let team = |team, name: &str| Event::TeamCreated {
            team: TeamId(team),
            name: name.to_owned(),
            budget: Dollars(100),
        };
        for event in [
            team(1, "Red"),
            team(2, "Blue"),
            car(1, 1, "red-1"),
            car(2, 2, "blue-1"),
            car(3, 2, "blue-2"),
            Event::TurnStarted { turn: TurnNo(2) },
            Event::CarStarted { car: CarId(1) },
            Event::CarStarted { car: CarId(2) },
            Event::CarStarted { car: CarId(3) },
            Event::CarMoved { car: CarId(1), squares: 55, to: Square(55) },
            Event::CarMoved { car: CarId(2), squares: 7, to: Square(7) },
            Event::TurnsToMissAdded { car: CarId(2), turns: 2, cause: DelayCause::Minefield },
            Event::CarRetired { car: CarId(3), reason: Retirement::Destroyed },
            Event::AchievementEarned {
                team: TeamId(2),
                car: None,
                achievement: Achievement::ClickClick,
                dollars: Dollars(5),
                points: Points(0),
                by_hand: false,
            },
            Event::Scored {
                scores: vec![score(1, 3), score(2, 1)],
                end_awards: vec![
                    EndAward { title: EndTitle::FurthestCar, teams: vec![TeamId(1)] },
                    EndAward { title: EndTitle::MostFightsWon, teams: vec![] },
                ],
            },
        ] {
            race.apply(&event);
        }
        race
    }

    pub(in crate::cli) fn an_event() -> Numbered {
        let event = Event::CarRetired { car: CarId(3), reason: Retirement::Destroyed };
        Numbered { sequence: 1, turn: TurnNo(2), event }
    }

    #[test]
    fn the_final_table() {
        let expected = "\
rank  team  VP  squares  fights  cars    medals
   1  Red    3       55       0  1 of 1  none
   2  Blue   1        7       0  1 of 2  Clic clic

car     team  furthest  VP  fights  engines/pilots/weapons  at the end
red-1   Red         55   2       0  4/1/3                   racing
blue-1  Blue         7   0       0  4/1/3                   racing, 2 turns to miss
blue-2  Blue         0   0       0  4/1/3                   left in turn 2: destroyed

20 VP for the furthest car: Red
";
        assert_eq!(as_text(&a_race()), expected);
    }

    #[test]
    fn the_final_table_for_programs() {
        let json = as_json(&a_race());
        let result = &json["result"];
        assert_eq!(result["standings"][1]["medals"][0], "click_click");
        assert_eq!(result["standings"][0]["points"], 3);
        assert_eq!(result["standings"][1]["budget"], 75);
        assert_eq!(result["cars"][2]["status"]["retired"]["reason"], "destroyed");
        assert_eq!(result["cars"][1]["furthest"], 7);
    }

    #[test]
    fn no_name_steers_a_terminal() {
        let mut race = a_race();
        race.teams.values_mut().for_each(|team| team.name = "\u{1b}[2J\nRed".to_owned());
        race.cars.values_mut().for_each(|car| car.instance = "\u{9b}31m".to_owned());
        let text = as_text(&race);
        assert!(
            !text.chars().any(|it| it.is_control() && it != '\n') && text.contains(" [2J Red"),
            "{text:?}"
        );
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [row(["team", "VP"]), row(["Éclair", "8"]), row(["日本", "120"])];
        assert_eq!(aligned(&rows, &[1]), "team     VP\nÉclair    8\n日本    120\n");
    }
}
