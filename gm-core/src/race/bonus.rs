//! R-12: bonuses on the ring, and R-12.2: who takes them.
//!
//! A car that ends its move on track on a place with a bonus takes it, in the turn's order of priority. An advance
//! or a step back does not trigger another one.

use super::conversation::Conversation;
use super::event::{Event, GainCause, StepCause};
use super::state::{BonusEffect, BonusId, BonusPlan, Often, Race};
use super::turn::Turn;
use crate::contract::Kind;
use crate::ids::{CarId, Place, TurnNo};
use crate::ports::{Topic, World};
use crate::random::Purpose;
use futures_util::future::join_all;
use std::collections::BTreeSet;

pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let mut taken = Vec::new();
    for car in turn.race.racing_in_priority() {
        if let Some((event, effect)) = taken_by(&turn.race, car) {
            turn.emit(event);
            taken.push((car, effect));
        }
    }
    let effects =
        taken.into_iter().filter_map(|(car, effect)| Some(happen(turn.converse(Topic::Bonus, car)?, effect)));
    let happened = join_all(effects).await;
    turn.emit_all(happened.into_iter().flatten());
}

/// The bonus that a car takes, if it moved on to one that its team can take.
fn taken_by(race: &Race, car: CarId) -> Option<(Event, BonusEffect)> {
    let moved = race.running_turn.as_ref()?.moved.contains(&car);
    let car = race.cars.get(&car).filter(|_| moved)?;
    let place = race.place_of(car);
    let bonus = race.bonuses.get(&place).filter(|bonus| bonus.can_be_taken_by(car.team))?;
    let effect = bonus.plan.effect;
    Some((Event::BonusTaken { car: car.id, team: car.team, bonus: bonus.id, place, effect }, effect))
}

/// What the bonus does to the car. What it does to the team, and to the turns to miss, is in `apply`.
async fn happen<W: World>(mut car: Conversation<'_, W>, effect: BonusEffect) -> Vec<Event> {
    let square = car.car.square;
    match effect {
        BonusEffect::Module(kind) => car.gain(kind, GainCause::Bonus).await,
        BonusEffect::Advance(squares) => car.step(square.forward(squares), StepCause::Bonus).await,
        BonusEffect::Back(squares) => car.step(square.back(squares), StepCause::Bonus).await,
        BonusEffect::Dollars(_)
        | BonusEffect::Points(_)
        | BonusEffect::MissTurn
        | BonusEffect::ClearMisses => {}
    }
    car.take_events()
}

/// The bonuses that lie on the ring from the start: those of the rules, and those drawn from the seed (R-12.1).
pub(super) fn at_creation(race: &Race) -> Vec<Event> {
    let rules = &race.rules;
    let mut plans = rules.bonuses.clone();
    let taken: BTreeSet<Place> = plans.iter().map(|plan| plan.place).collect();
    let mut free: Vec<Place> =
        (0..rules.track_length).map(Place).filter(|place| !taken.contains(place)).collect();
    let mut dice = race.seed.stream(TurnNo(0), Purpose::Bonuses, CarId(0));
    dice.shuffle(&mut free);
    for place in free.into_iter().take(rules.random_bonuses as usize) {
        let effect = match dice.below(8) {
            0 => BonusEffect::Dollars(dice.between(1, 10)),
            1 => BonusEffect::Points(dice.between(1, 5)),
            2 => BonusEffect::Module(Kind::Engine),
            3 => BonusEffect::Module(Kind::Weapon),
            4 => BonusEffect::Advance(dice.between(1, 6)),
            5 => BonusEffect::Back(dice.between(1, 6)),
            6 => BonusEffect::MissTurn,
            _ => BonusEffect::ClearMisses,
        };
        plans.push(BonusPlan { place, effect, often: Often::Once, hidden: true });
    }
    (1..).zip(plans).map(|(id, plan)| Event::BonusPlaced { bonus: BonusId(id), plan }).collect()
}

#[cfg(test)]
mod tests {
    use super::at_creation;
    use crate::contract::Kind;
    use crate::ids::{CarId, Dollars, Place, Points};
    use crate::memory::MemoryCar;
    use crate::race::command::Command;
    use crate::race::event::Event;
    use crate::race::rules::Rules;
    use crate::race::state::{BonusEffect, BonusId, BonusPlan, Encounter, Often, Race};
    use crate::race::tests::{Scene, quiet_rules, saying};
    use crate::random::Seed;
    use std::collections::{BTreeMap, BTreeSet};

    fn plan(place: u32, effect: BonusEffect) -> BonusPlan {
        BonusPlan { place: Place(place), effect, often: Often::Always, hidden: false }
    }

    fn scene_with(bonuses: &[BonusPlan]) -> Scene {
        Scene::new(Rules { bonuses: bonuses.to_vec(), ..quiet_rules() }, 1)
    }

    /// Columns: a bonus on place 14; what a car on square 10 with 4 engines answers; what happens to it there; what it
    /// is asked for that; what it is afterwards.
    type Row<'a> = (BonusEffect, &'a str, &'a [&'a str], &'a [&'a str], &'a str);

    #[track_caller]
    fn check(rows: &[Row<'_>]) {
        for (effect, script, happens, asks, after) in rows {
            let mut scene = scene_with(&[plan(14, *effect)]);
            let car = scene.car_on(1, saying(MemoryCar::new("a", 4, 1, 2), script), 10);
            let row = format!("{effect}, {script:?}");
            let taken = format!("car 1 takes bonus 1: {effect}");
            let mut expected = vec!["car 1 moves 4 to 14", taken.as_str()];
            expected.extend(*happens);
            assert_eq!(scene.told(), expected, "{row}");
            let asked = scene.asked();
            assert_eq!(asked[3..], asks.iter().map(|line| format!("a: {line}")).collect::<Vec<_>>(), "{row}");
            assert_eq!(scene.sums_up(car), *after, "{row}");
        }
    }

    #[test]
    fn r_12_1_what_a_bonus_does_to_the_car() {
        let stays = "on 14, 0 to miss, 0 won, racing with 4 1 2";
        check(&[
            (BonusEffect::Dollars(7), "", &[], &[], stays),
            (BonusEffect::Points(7), "", &[], &[], stays),
            (BonusEffect::ClearMisses, "", &[], &[], stays),
            (BonusEffect::MissTurn, "", &[], &[], "on 14, 1 to miss, 0 won, racing with 4 1 2"),
            (
                BonusEffect::Module(Kind::Weapon),
                "",
                &["car 1 gains weapon \"weapon-t1-c1-1\" (bonus)"],
                &[r#"POST /weapon {"name":"weapon-t1-c1-1"}"#, "GET /weapon/count"],
                "on 14, 0 to miss, 0 won, racing with 4 1 3",
            ),
            (
                BonusEffect::Module(Kind::Pilot),
                "POST /pilot: forgets",
                &[
                    "car 1 gains pilot \"pilot-t1-c1-1\" (bonus)",
                    "car 1 is penalised: GET /pilot/count: expected 2, found 1",
                ],
                &[
                    r#"POST /pilot {"name":"pilot-t1-c1-1"}"#,
                    "GET /pilot/count",
                    r#"PATCH /pilot {"count":2}"#,
                ],
                "on 14, 1 to miss, 0 won, racing with 4 2 2",
            ),
            (
                BonusEffect::Advance(5),
                "",
                &["car 1 steps to 19 (bonus)"],
                &[r#"PUT /state/position {"square":19}"#, "GET /state"],
                "on 19, 0 to miss, 0 won, racing with 4 1 2",
            ),
            (
                BonusEffect::Back(5),
                "",
                &["car 1 steps to 9 (bonus)"],
                &[r#"PUT /state/position {"square":9}"#, "GET /state"],
                "on 9, 0 to miss, 0 won, racing with 4 1 2",
            ),
            (
                BonusEffect::Back(15),
                "",
                &["car 1 steps to 0 (bonus)"],
                &[r#"PUT /state/position {"square":0}"#, "GET /state"],
                "on 0, 0 to miss, 0 won, racing with 4 1 2",
            ),
        ]);
    }

    /// R-12.2, R-7.5: one penalty for a step that the car does not know of, and it is told again.
    #[test]
    fn r_12_2_a_step_is_verified() {
        for (effect, to) in [(BonusEffect::Advance(5), 19), (BonusEffect::Back(5), 9)] {
            let told = format!(r#"PUT /state/position {{"square":{to}}}"#);
            let again = format!(r#"PATCH /state {{"square":{to}}}"#);
            check(&[(
                effect,
                "PUT /state/position: forgets",
                &[
                    &format!("car 1 steps to {to} (bonus)"),
                    &format!("car 1 is penalised: GET /state: expected square {to}, found square 14"),
                ],
                &[&told, "GET /state", &again],
                &format!("on {to}, 1 to miss, 0 won, racing with 4 1 2"),
            )]);
        }
    }

    /// Dollars and points go to the team; they are in the books.
    #[test]
    fn r_12_1_what_a_bonus_does_to_the_team() {
        for (effect, dollars, points) in [
            (BonusEffect::Dollars(7), 7, 0),
            (BonusEffect::Points(7), 0, 7),
            (BonusEffect::ClearMisses, 0, 0),
        ] {
            let mut scene = scene_with(&[plan(14, effect)]);
            scene.car_on(1, MemoryCar::new("a", 4, 1, 2), 10);
            scene.told();
            let team = scene.team(1);
            assert_eq!((team.budget(), team.ledger.bonuses), (Dollars(100 + dollars), dollars), "{effect}");
            assert_eq!((team.bonus_points, team.score), (Points(points), Points(points)), "{effect}");
            assert_eq!((scene.team(2).budget(), scene.team(2).score), (Dollars(100), Points(0)));
        }
    }

    /// Clearing takes away a penalty of the same turn; missing adds to what there is.
    #[test]
    fn r_12_1_turns_to_miss() {
        for (effect, after) in [(BonusEffect::ClearMisses, 0), (BonusEffect::MissTurn, 2)] {
            let mut scene = scene_with(&[plan(14, effect)]);
            let car = scene.car_on(1, saying(MemoryCar::new("a", 4, 1, 2), "GET /state: square 3"), 10);
            assert_eq!(scene.told().len(), 3);
            assert_eq!(scene.the(car).turns_to_miss, after, "{effect}");
        }
    }

    /// Only a car that ends its move on track there takes a bonus.
    #[test]
    fn r_12_2_who_takes_it() {
        // Columns: square, engines, turns to miss, answers; whether it takes the bonus on place 14.
        for (square, engines, misses, script, takes) in [
            (10, 4, 0, "", true),
            (310, 4, 0, "", true), // The place counts, not the square.
            (13, 1, 0, "GET /state: square 3", true),
            (10, 3, 0, "", false),
            (10, 5, 0, "", false),
            (14, 2, 1, "", false),
            (14, 0, 0, "", false),
            (14, 2, 0, "GET /engine/count: late", false),
        ] {
            let mut scene = scene_with(&[plan(14, BonusEffect::Points(1))]);
            scene.car_on(1, saying(MemoryCar::new("a", engines, 1, 1), script), square);
            scene.misses(CarId(1), misses);
            let taken = scene.told().iter().any(|line| line.contains("takes bonus"));
            assert_eq!(taken, takes, "from {square} with {engines}, {misses} to miss, {script:?}");
        }
    }

    /// A step on to another bonus takes nothing, and neither does one to the garage's place.
    #[test]
    fn r_12_2_a_step_does_not_trigger_another_bonus() {
        let bonuses = [
            plan(14, BonusEffect::Advance(5)),
            plan(19, BonusEffect::Back(6)),
            plan(13, BonusEffect::Points(1)),
        ];
        let mut scene = scene_with(&bonuses);
        scene.car_on(1, MemoryCar::new("a", 4, 1, 2), 10);
        scene.declare(Encounter::Nothing);
        assert_eq!(
            scene.told(),
            ["car 1 moves 4 to 14", "car 1 takes bonus 1: 5 squares on", "car 1 steps to 19 (bonus)"]
        );
        scene.misses(CarId(1), 1);
        assert_eq!(scene.told(), ["car 1 misses the turn"], "standing there is not coming there");

        let mut scene = scene_with(&bonuses);
        scene.car_on(1, MemoryCar { buys: Some(Kind::Pilot), ..MemoryCar::new("a", 4, 1, 2) }, 16);
        scene.declare(Encounter::Garage);
        let told = scene.told();
        assert!(told.contains(&"car 1 steps to 19 (garage)".to_owned()), "{told:?}");
        assert!(!told.iter().any(|line| line.contains("takes")), "{told:?}");
    }

    /// R-3.6: cars that come to a bonus in the same turn take it in the turn's order of priority.
    #[test]
    fn r_12_1_how_often_a_bonus_can_be_taken() {
        // The cars 1 and 2 are of team 1, 3 of team 2; the seeds give them different orders of priority.
        let mut orders = BTreeSet::new();
        for seed in 1..12 {
            for (often, how_many) in [(Often::Once, 1), (Often::OncePerTeam, 2), (Often::Always, 3)] {
                let bonus = BonusPlan { often, hidden: true, ..plan(4, BonusEffect::Points(1)) };
                let mut scene = Scene::new(Rules { bonuses: vec![bonus], ..quiet_rules() }, seed);
                for (team, name) in [(1, "a"), (1, "b"), (2, "c")] {
                    scene.car(team, MemoryCar::new(name, 4, 1, 1));
                }
                assert!(!scene.race.bonuses[&Place(4)].is_visible());
                let lines = scene.turn();
                assert!(scene.race.bonuses[&Place(4)].is_visible(), "R-12.3");
                let order: Vec<&str> =
                    lines[1].strip_prefix("priority: ").expect("the priority").split(' ').collect();
                let takers: Vec<&str> = lines
                    .iter()
                    .filter(|line| line.contains("takes bonus"))
                    .filter_map(|line| line.split(' ').nth(1))
                    .collect();
                let first_of_team_1 = order.iter().find(|car| **car != "3").expect("one of them");
                let expected: Vec<&str> = match often {
                    Often::Once => order[..1].to_vec(),
                    Often::OncePerTeam => {
                        order.iter().filter(|car| **car == "3" || *car == first_of_team_1).copied().collect()
                    }
                    Often::Always => order.clone(),
                };
                assert_eq!(
                    (takers.len(), &takers),
                    (how_many, &expected),
                    "seed {seed}, {often:?}, {order:?}"
                );
                orders.insert(order.join(" "));
            }
        }
        assert!(orders.len() > 3, "{orders:?}");

        let once = BonusPlan { often: Often::Once, ..plan(4, BonusEffect::Points(1)) };
        let mut scene = scene_with(&[once]);
        scene.car(1, MemoryCar::new("a", 4, 1, 1));
        scene.car_on(2, MemoryCar::new("b", 2, 1, 1), 0);
        assert!(scene.told().contains(&"car 1 takes bonus 1: 1 VP".to_owned()));
        assert!(!scene.told().iter().any(|line| line.contains("takes")), "in a later turn it is gone too");
    }

    /// All are taken, then all happen, in the order of priority; R-3.2: before the fights.
    #[test]
    fn r_3_2_bonuses_come_before_fights() {
        let mut scene = scene_with(&[plan(4, BonusEffect::Advance(3))]);
        scene.car(1, MemoryCar::new("a", 4, 1, 1));
        scene.car(2, MemoryCar::new("b", 7, 1, 1));
        scene.car(3, MemoryCar::new("c", 3, 1, 1));
        let told = scene.told();
        let after: Vec<&str> =
            told.iter().map(String::as_str).skip_while(|line| line.contains("moves")).collect();
        assert_eq!(
            after,
            [
                "car 1 takes bonus 1: 3 squares on",
                "car 1 steps to 7 (bonus)",
                "cars 1 and 2 meet on place 7",
                "cars 1 and 2 don't fight: both refuse",
            ]
        );
    }

    /// R-12.3: the admin places and removes bonuses from the next turn on.
    #[test]
    fn r_12_3_placed_and_removed_during_the_race() {
        let mut scene = scene_with(&[]);
        scene.car(1, MemoryCar::new("a", 2, 1, 1));
        let place = |at| Command::PlaceBonus(plan(at, BonusEffect::Points(1)));
        let (lines, _) = scene.turn_with(&[place(2), place(4)]);
        assert!(lines.contains(&"car 1 takes bonus 1: 1 VP".to_owned()), "{lines:?}");
        let (lines, _) = scene.turn_with(&[Command::RemoveBonus(BonusId(2))]);
        assert_eq!(lines[0], "bonus 2 on place 4 is removed");
        assert!(!lines.iter().any(|line| line.contains("takes")), "{lines:?}");
    }

    fn created(rules: &Rules, seed: u64) -> Vec<BonusPlan> {
        let race = Race::empty(rules.clone().validated().expect("valid rules"), Seed(seed));
        let events = at_creation(&race);
        events
            .into_iter()
            .zip(1..)
            .map(|(event, number)| match event {
                Event::BonusPlaced { bonus, plan } => {
                    assert_eq!(bonus, BonusId(number));
                    plan
                }
                other => panic!("not a bonus: {other}"),
            })
            .collect()
    }

    #[test]
    fn r_12_1_bonuses_at_creation() {
        let own = [plan(3, BonusEffect::Points(1)), plan(0, BonusEffect::MissTurn)];
        let rules = |random_bonuses| Rules {
            track_length: 10,
            bonuses: own.to_vec(),
            random_bonuses,
            ..quiet_rules()
        };
        assert_eq!(created(&rules(0), 1), own);
        assert_eq!(created(&quiet_rules(), 1), [], "by default there is none");
        for seed in 0..50 {
            let bonuses = created(&rules(8), seed);
            assert_eq!(bonuses[..2], own);
            let places: BTreeSet<u32> = bonuses.iter().map(|bonus| bonus.place.0).collect();
            assert_eq!(places, (0..10).collect(), "at most one on a place, all on the ring");
            assert_eq!(created(&rules(8), seed), bonuses, "from the seed");
            assert_eq!(created(&rules(3), seed).len(), 5);
        }
        assert_ne!(created(&rules(8), 1), created(&rules(8), 2));
    }

    /// Each place is as likely, each effect is drawn, and none is outside of what the rules allow.
    #[test]
    fn r_12_1_random_bonuses_are_drawn_evenly() {
        let rules = Rules { track_length: 20, random_bonuses: 4, ..quiet_rules() };
        let mut places = BTreeMap::<u32, u32>::new();
        let mut effects = BTreeMap::<String, u32>::new();
        for bonus in (0..1_000).flat_map(|seed| created(&rules, seed)) {
            assert_eq!(bonus.check(rules.track_length), Ok(()));
            assert_eq!((bonus.often, bonus.hidden), (Often::Once, true));
            *places.entry(bonus.place.0).or_default() += 1;
            *effects.entry(bonus.effect.to_string()).or_default() += 1;
        }
        assert_eq!(places.len(), 20);
        assert!(places.values().all(|times| (140..260).contains(times)), "{places:?}");
        let drawn = |what: &str| -> (usize, u32) {
            let of = effects.iter().filter(|(effect, _)| effect.contains(what));
            (of.clone().count(), of.map(|(_, times)| times).sum())
        };
        for (what, amounts) in [
            ("$", 10),
            ("VP", 5),
            ("engine", 1),
            ("weapon", 1),
            ("squares on", 6),
            ("squares back", 6),
            ("a turn to miss", 1),
            ("no turn to miss", 1),
        ] {
            let (found, times) = drawn(what);
            assert_eq!(found, amounts, "{what}: {effects:?}");
            assert!((400..600).contains(&times), "{what} {times} times: {effects:?}");
        }
        assert_eq!(drawn("").1, 4_000);
    }
}
