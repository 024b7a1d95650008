//! encounters, one draw for each racing car. R-5 says what each is: [`pirates`], [`wreck`], [`mine`],
//! [`garage`].
//!
//! The admin may have declared the encounter of this turn, which replaces the draw. Cars that miss this turn can't
//! search a wreck or come to a minefield; pirates and garages don't mind.

mod garage;
mod mine;
mod pirates;
mod wreck;

use super::conversation::Conversation;
use super::event::Event;
use super::state::{Encounter, Race};
use super::turn::Turn;
use crate::contract::Kind;
use crate::ids::CarId;
use crate::ports::{Topic, World};
use crate::random::Purpose;
use futures_util::future::join_all;

pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let drawn: Vec<(CarId, Encounter)> =
        turn.race.racing_in_priority().into_iter().map(|car| (car, draw(&turn.race, car))).collect();
    for (car, encounter) in &drawn {
        if *encounter != Encounter::Nothing {
            let declared = turn.race.declared.of(*car).is_some();
            turn.emit(Event::EncounterMet { car: *car, encounter: *encounter, declared });
        }
    }

    // The conversations with cars in a garage go on while the turn changes: what they want is settled in between.
    let race = turn.race.clone();
    let meetings = drawn.into_iter().filter_map(|(car, encounter)| {
        let car = Conversation::open(&race, turn.world, Topic::Encounter, race.cars.get(&car)?);
        Some(meet(car, encounter))
    });
    let mut met = join_all(meetings).await;
    for (car, _) in &mut met {
        turn.emit_all(car.take_events());
    }

    let purchases = garage::settle(turn, met);
    let delivered = join_all(purchases.into_iter().map(|(car, kind)| garage::deliver(car, kind))).await;
    turn.emit_all(delivered.into_iter().flatten());
}

/// What a car meets: what was declared, or one draw by the odds. A car that misses this turn comes neither to a wreck
/// nor to a minefield.
fn draw(race: &Race, car: CarId) -> Encounter {
    let table = race.odds().table();
    let drawn = race.declared.of(car).unwrap_or_else(|| {
        let mut dice = race.seed.stream(race.turn, Purpose::Encounter, car);
        let drawn = dice.weighted(&table.map(|(_, percent)| percent));
        drawn.map_or(Encounter::Nothing, |index| table[index].0)
    });
    match drawn {
        Encounter::Wreck | Encounter::Minefield if race.misses_this_turn(car) => Encounter::Nothing,
        drawn => drawn,
    }
}

/// The meeting itself. Gives what the car wants to buy, which is settled when all cars have been asked.
async fn meet<W: World>(
    mut car: Conversation<'_, W>,
    encounter: Encounter,
) -> (Conversation<'_, W>, Option<Kind>) {
    let mut order = None;
    match encounter {
        Encounter::Nothing => {}
        Encounter::Pirates => pirates::attack(&mut car).await,
        Encounter::Garage => order = garage::offer(&mut car).await,
        Encounter::Wreck => wreck::find(&mut car).await,
        Encounter::Minefield => mine::approach(&mut car).await,
    }
    (car, order)
}

#[cfg(test)]
mod tests {
    use super::draw;
    use crate::contract::Kind;
    use crate::ids::{CarId, TurnNo};
    use crate::memory::MemoryCar;
    use crate::race::command::Command;
    use crate::race::event::{Event, Retirement};
    use crate::race::rules::{EncounterOdds, Rules};
    use crate::race::state::Encounter;
    use crate::race::tests::{Scene, quiet_rules, saying};
    use std::collections::BTreeMap;

    /// one draw for each car and turn, by the odds; columns: the odds of nothing, pirates, garage, wreck,
    /// minefield.
    #[test]
    fn r_3_3_the_odds() {
        const DRAWS: u32 = 5_000;
        for odds in [[60, 10, 10, 12, 8], [50, 10, 10, 15, 15], [0, 0, 0, 0, 100], [0, 100, 0, 0, 0]] {
            let [nothing, pirates, garage, wreck, minefield] = odds;
            let encounters = EncounterOdds { nothing, pirates, garage, wreck, minefield };
            let mut race = Scene::new(Rules { encounters, ..quiet_rules() }, 1).race;
            let mut drawn = BTreeMap::<Encounter, u32>::new();
            for turn in 1..=DRAWS {
                race.turn = TurnNo(turn);
                let encounter = draw(&race, CarId(turn % 7));
                assert_eq!(draw(&race, CarId(turn % 7)), encounter, "from the seed");
                *drawn.entry(encounter).or_default() += 1;
            }
            let order = [
                Encounter::Nothing,
                Encounter::Pirates,
                Encounter::Garage,
                Encounter::Wreck,
                Encounter::Minefield,
            ];
            for (encounter, percent) in order.into_iter().zip(odds) {
                let times = drawn.get(&encounter).copied().unwrap_or(0);
                let expected = DRAWS / 100 * percent;
                let spread = if percent % 100 == 0 { 0 } else { 120 };
                assert!(times.abs_diff(expected) <= spread, "{encounter}: {times} times of {expected}");
            }
        }
    }

    /// Cars of one turn draw on their own, and so do the turns of one car.
    #[test]
    fn r_3_3_each_car_and_turn_has_its_own_draw() {
        let encounters = EncounterOdds { nothing: 50, pirates: 50, garage: 0, wreck: 0, minefield: 0 };
        let mut race = Scene::new(Rules { encounters, ..quiet_rules() }, 1).race;
        race.turn = TurnNo(1);
        let cars: Vec<Encounter> = (1..=40).map(|car| draw(&race, CarId(car))).collect();
        assert!(cars.contains(&Encounter::Nothing) && cars.contains(&Encounter::Pirates));
        let turns: Vec<Encounter> = (1..=40)
            .map(|turn| {
                race.turn = TurnNo(turn);
                draw(&race, CarId(1))
            })
            .collect();
        assert!(turns.contains(&Encounter::Nothing) && turns.contains(&Encounter::Pirates));
    }

    fn declare(encounter: Encounter, cars: Option<&[u32]>) -> Command {
        Command::Declare { encounter, cars: cars.map(|cars| cars.iter().map(|car| CarId(*car)).collect()) }
    }

    /// Three cars, one of each team, that do nothing of their own accord.
    fn three_cars(encounters: EncounterOdds) -> Scene {
        let mut scene = Scene::new(Rules { encounters, ..quiet_rules() }, 1);
        for (team, name) in [(1, "a"), (2, "b"), (3, "c")] {
            let car = MemoryCar { searches_wrecks: false, ..MemoryCar::new(name, team, 1, 1) };
            scene.car(team, car);
        }
        scene
    }

    /// What the cars 1, 2, 3 met, by id.
    fn met(lines: &[String]) -> Vec<&str> {
        let mut met: Vec<&str> =
            lines.iter().filter(|line| line.contains(" meets: ")).map(String::as_str).collect();
        met.sort_unstable();
        met
    }

    /// A declaration replaces the draw, for the next turn only. A car's own goes before that for all.
    #[test]
    fn r_3_3_declared_encounters() {
        let quiet = quiet_rules().encounters;
        let mut scene = three_cars(quiet);
        scene.declare(Encounter::Wreck);
        let all = [
            "car 1 meets: wreck (declared)",
            "car 2 meets: wreck (declared)",
            "car 3 meets: wreck (declared)",
        ];
        assert_eq!(met(&scene.turn()), all);
        assert_eq!(met(&scene.turn()), [""; 0], "the turn after it is drawn again");

        let (lines, _) = scene.turn_with(&[declare(Encounter::Garage, Some(&[2]))]);
        assert_eq!(met(&lines), ["car 2 meets: garage (declared)"]);

        let (lines, _) =
            scene.turn_with(&[declare(Encounter::Garage, Some(&[1, 3])), declare(Encounter::Wreck, None)]);
        assert_eq!(
            met(&lines),
            [
                "car 1 meets: garage (declared)",
                "car 2 meets: wreck (declared)",
                "car 3 meets: garage (declared)"
            ]
        );
        let (lines, _) =
            scene.turn_with(&[declare(Encounter::Wreck, Some(&[1])), declare(Encounter::Garage, Some(&[1]))]);
        assert_eq!(met(&lines), ["car 1 meets: garage (declared)"], "the last word counts");

        // Nothing can be declared too, and is not said; the others draw.
        let wrecks = EncounterOdds { nothing: 0, wreck: 100, ..quiet };
        let mut scene = three_cars(wrecks);
        let (lines, _) = scene.turn_with(&[declare(Encounter::Nothing, Some(&[3]))]);
        assert_eq!(met(&lines), ["car 1 meets: wreck", "car 2 meets: wreck"]);
        scene.declare(Encounter::Nothing);
        assert_eq!(met(&scene.turn()), [""; 0]);
        assert_eq!(met(&scene.turn()).len(), 3);
    }

    /// The odds that the admin sets hold from then on.
    #[test]
    fn r_3_3_odds_set_during_the_race() {
        let quiet = quiet_rules().encounters;
        let mut scene = three_cars(quiet);
        let garages = EncounterOdds { nothing: 0, garage: 100, ..quiet };
        let (lines, _) = scene.turn_with(&[Command::SetOdds(garages)]);
        assert_eq!(met(&lines).len(), 3);
        assert_eq!(met(&scene.turn()), ["car 1 meets: garage", "car 2 meets: garage", "car 3 meets: garage"]);
    }

    /// Columns: what is met by a car that misses this turn; what happens besides; what it is asked.
    #[test]
    fn r_5_cars_that_miss_the_turn() {
        for (encounter, happens, asks) in [
            (Encounter::Nothing, vec![], vec![]),
            (Encounter::Wreck, vec![], vec![]),
            (Encounter::Minefield, vec![], vec![]),
            (Encounter::Garage, vec!["car 1 buys nothing"], vec!["POST /event/garage"]),
            (
                Encounter::Pirates,
                vec!["pirates with 3 weapons attack car 1", "car 1 retires: destroyed"],
                vec!["DELETE /state"],
            ),
        ] {
            let mut scene = Scene::quiet();
            let car = scene.car(1, MemoryCar::new("a", 4, 1, 0));
            scene.misses(car, 1);
            scene.declare(encounter);
            let mut told = scene.told();
            assert_eq!(told.remove(0), "car 1 misses the turn");
            if matches!(encounter, Encounter::Garage | Encounter::Pirates) {
                assert_eq!(told.remove(0), format!("car 1 meets: {encounter} (declared)"));
            }
            assert_eq!(told, happens, "{encounter}");
            let asked = scene.asked();
            assert_eq!(asked.len(), asks.len(), "{encounter}: {asked:?}");
            for (asked, asks) in asked.iter().zip(asks) {
                assert!(asked.starts_with(&format!("a: {asks}")), "{encounter}: {asked}");
            }
            assert_eq!(scene.the(car).turns_to_miss, 0);
        }
    }

    /// A car that was penalised in this very turn does not miss it.
    #[test]
    fn r_5_a_penalty_of_this_turn_is_missed_in_the_next() {
        let mut scene = Scene::quiet();
        let car = MemoryCar { searches_wrecks: false, ..MemoryCar::new("a", 4, 1, 0) };
        scene.car(1, saying(car, "GET /engine/count: 3"));
        scene.declare(Encounter::Wreck);
        assert_eq!(scene.told().last().expect("it meets a wreck"), "car 1 leaves the wreck alone");
    }

    /// Retired cars meet nothing, whatever was declared.
    #[test]
    fn r_3_3_only_racing_cars() {
        let mut scene = three_cars(quiet_rules().encounters);
        scene.declare(Encounter::Garage);
        scene.happen(Event::CarRetired { car: CarId(2), reason: Retirement::Destroyed });
        let lines = scene.turn();
        assert_eq!(met(&lines), ["car 1 meets: garage (declared)", "car 3 meets: garage (declared)"]);
        assert!(!scene.asked().iter().any(|line| line.starts_with("b:")));
    }

    /// what is met, what comes of it, what is bought and what is delivered are told in the order of priority.
    #[test]
    fn r_3_6_encounters_in_the_order_of_priority() {
        let mut scene = Scene::quiet();
        for (team, name) in [(1, "a"), (2, "b"), (3, "c"), (1, "d")] {
            scene.car(team, MemoryCar { buys: Some(Kind::Pilot), ..MemoryCar::new(name, 9, 1, 1) });
        }
        for car in 1..=4 {
            scene.misses(CarId(car), 1);
        }
        scene.declare(Encounter::Garage);
        let lines = scene.turn();
        let (order, _) =
            lines[1].strip_prefix("priority: ").and_then(|line| line.split_once(',')).expect("an order");
        let order: Vec<&str> = order.split(' ').collect();
        assert_ne!(order, ["1", "2", "3", "4"]);
        for what in [" meets: ", " buys one ", " gains ", " steps to "] {
            let cars: Vec<&str> = lines
                .iter()
                .filter(|line| line.contains(what))
                .filter_map(|line| line.split(' ').nth(1))
                .collect();
            assert_eq!(cars, order, "{what}");
        }
    }
}
