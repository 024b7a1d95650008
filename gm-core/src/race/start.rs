//! the start of a turn.
//!
//! What came in since the last turn takes effect, in order of arrival; then entered cars start, cars that have a
//! turn to miss are marked as missing this one, and the turn's priority is drawn.
//!
//! A car that was registered while turn 4 was played starts in turn 5. One that was penalised in turn 4 misses turn
//! 5, and has its place in the priority all the same.

use super::command::{self, Arrival, Refusal};
use super::event::Event;
use super::state::Status;
use super::transfer;
use super::turn::Turn;
use crate::ids::CarId;
use crate::ports::World;
use crate::random::Purpose;

/// What came in since the last turn takes effect, in order of arrival.
pub(super) async fn settle_inbox<W: World>(
    turn: &mut Turn<'_, W>,
    inbox: &[Arrival],
) -> Vec<Result<(), Refusal>> {
    command::settle(turn, inbox).await
}

/// The turn starts.
pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let transfers = turn.race.transfers.clone();
    let number = turn.race.turn.next();
    turn.emit(Event::TurnStarted { turn: number });
    transfer::settle(turn, transfers).await;

    let entered: Vec<CarId> =
        turn.race.cars.values().filter(|car| car.status == Status::Entered).map(|car| car.id).collect();
    turn.emit_all(entered.into_iter().map(|car| Event::CarStarted { car }));

    let racing = || turn.race.cars.values().filter(|car| car.is_racing());
    let missing: Vec<CarId> = racing().filter(|car| car.turns_to_miss > 0).map(|car| car.id).collect();
    let mut order: Vec<CarId> = racing().map(|car| car.id).collect();
    turn.race.seed.stream(number, Purpose::Priority, CarId(0)).shuffle(&mut order);
    turn.emit(Event::PriorityDrawn { order, missing });
}

#[cfg(test)]
mod tests {
    use crate::contract::{BaseUrl, Kind};
    use crate::ids::{CarId, Dollars, Place, TeamId, TurnNo};
    use crate::memory::MemoryCar;
    use crate::race::command::{Command, Refusal};
    use crate::race::event::{Event, Retirement};
    use crate::race::registration::Application;
    use crate::race::rules::Rules;
    use crate::race::state::{BonusEffect, BonusPlan, Encounter, Module, Often, Status, Transfer};
    use crate::race::tests::{Scene, quiet_rules, saying};
    use crate::race::turn::Turn;
    use futures_util::FutureExt;
    use std::collections::BTreeMap;

    fn grant(dollars: u64) -> Command {
        Command::Grant { team: TeamId(1), dollars: Dollars(dollars) }
    }

    fn register(instance: &str) -> Command {
        let url = BaseUrl::parse(&format!("http://{instance}")).expect("a URL");
        Command::Register(Application { team: TeamId(1), instance: instance.to_owned(), url: Some(url) })
    }

    /// What came in takes effect before the turn starts, in order of arrival; one that is refused holds up nobody.
    #[test]
    fn r_3_0_what_came_in_takes_effect_in_order_of_arrival() {
        let mut scene = Scene::quiet();
        scene.world.park("http://a", MemoryCar::new("a", 4, 1, 3));
        let plan =
            BonusPlan { place: Place(4), effect: BonusEffect::Points(3), often: Often::Once, hidden: false };
        let (lines, settled) = scene.turn_with(&[
            grant(7),
            grant(0),
            register("a"),
            Command::PlaceBonus(plan),
            Command::Declare { encounter: Encounter::Nothing, cars: None },
            grant(9),
        ]);
        assert_eq!(
            lines[..8],
            [
                "team 1 is granted $7",
                "car 1 \"a\" of team 1 is registered with 4 engines, 1 pilots, 3 weapons for $15",
                "bonus 1 on place 4: 3 VP",
                "declared for all cars: nothing",
                "team 1 is granted $9",
                "turn 1 starts",
                "car 1 starts",
                "priority: 1",
            ]
        );
        assert!(lines.contains(&"car 1 takes bonus 1: 3 VP".to_owned()), "it was placed for this turn");
        assert_eq!(scene.team(1).budget(), Dollars(100 + 7 - 15 + 9));
        let zero = Refusal::BadAmount { dollars: Dollars(0) };
        assert_eq!(settled, [Ok(()), Err(zero), Ok(()), Ok(()), Ok(()), Ok(())]);
    }

    /// A race that was paused or finished by what came in has no turn.
    #[test]
    fn r_3_0_no_turn_for_a_race_that_stopped() {
        for (command, says) in [(Command::Pause, "the race is paused"), (Command::Finish, "the race is over")]
        {
            let mut scene = Scene::quiet();
            scene.car(1, MemoryCar::new("a", 4, 1, 3));
            let (lines, settled) = scene.turn_with(&[command, grant(3)]);
            assert!(lines[0].starts_with(says), "{lines:?}");
            assert!(lines.contains(&"team 1 is granted $3".to_owned()), "{lines:?}");
            assert!(!lines.iter().any(|line| line.starts_with("turn ")), "{lines:?}");
            assert_eq!(settled, [Ok(()), Ok(())]);
            assert_eq!((scene.race.turn, scene.asked()), (TurnNo(0), vec![]));
        }
        let mut scene = Scene::quiet();
        let (lines, _) = scene.turn_with(&[Command::Pause, Command::Resume]);
        assert_eq!(lines[2], "turn 1 starts");
    }

    /// only entered cars start; retired ones are neither started nor given a priority.
    #[test]
    fn r_3_0_entered_cars_start() {
        let mut scene = Scene::quiet();
        for name in ["a", "b", "c", "d"] {
            scene.car(1, MemoryCar::new(name, 1, 1, 1));
        }
        for car in [2, 4] {
            scene.happen(Event::CarRetired { car: CarId(car), reason: Retirement::Destroyed });
        }
        scene.happen(Event::CarCorrected {
            car: CarId(4),
            reason: "a mistake".to_owned(),
            square: None,
            turns_to_miss: None,
            modules: None,
            reinstated: true,
        });
        assert_eq!(scene.the(CarId(4)).status, Status::Entered);
        let lines = scene.turn();
        assert_eq!(lines[1], "car 4 starts");
        let order = lines[2].strip_prefix("priority: ").expect("the priority");
        let mut order: Vec<&str> = order.split(' ').collect();
        order.sort_unstable();
        assert_eq!(order, ["1", "3", "4"]);
        assert!(!scene.is_racing(CarId(2)));
    }

    #[test]
    fn r_3_0_cars_with_turns_to_miss_are_marked() {
        let mut scene = Scene::quiet();
        for (name, misses) in [("a", 0), ("b", 1), ("c", 0), ("d", 2)] {
            let car = scene.car(1, MemoryCar::new(name, 1, 1, 1));
            scene.misses(car, misses);
        }
        let missing = |lines: &[String]| {
            let (_, missing) = lines[1].split_once(", missing this turn: ").expect("some miss it");
            missing.to_owned()
        };
        assert_eq!(missing(&scene.turn()), "2 4");
        assert_eq!(missing(&scene.turn()), "4", "one turn less each");
        assert!(!scene.turn()[1].contains("missing"));
    }

    /// is settled when the turn has started, before it is marked who misses it: a penalty counts at once, and
    /// who is retired by it is not in the race any more.
    #[test]
    fn r_3_0_transfers_come_before_the_marks() {
        let rules = Rules { transfers: true, ..quiet_rules() };
        let transfer = |kind: Kind, name: &str| {
            let module = Module { kind, name: name.to_owned() };
            Command::Transfer(Transfer { team: TeamId(1), module, from: CarId(1), to: CarId(2) })
        };
        let mut scene = Scene::new(rules, 1);
        scene.car(1, saying(MemoryCar::new("a", 2, 1, 1), "DELETE /engine*: forgets"));
        scene.car(1, MemoryCar::new("b", 1, 1, 1));
        scene.order(transfer(Kind::Engine, "engine-2")).expect("a transfer");
        let lines = scene.turn();
        assert_eq!(
            lines[..4],
            [
                "turn 1 starts",
                "car 1 loses engine \"engine-2\" (transfer)",
                "car 1 is penalised: GET /engine/count: expected 1, found 2",
                "car 2 gains engine \"engine-t1-c2-1\" (transfer)",
            ]
        );
        assert!(lines[4].starts_with("priority: ") && lines[4].ends_with(", missing this turn: 1"));
        assert!(lines.contains(&"car 2 moves 2 to 2".to_owned()));

        let rules = Rules { transfers: true, ..quiet_rules() };
        let mut scene = Scene::new(rules, 1);
        scene.car(1, MemoryCar::new("a", 2, 1, 1));
        scene.car(1, MemoryCar::new("b", 1, 1, 1));
        scene.order(transfer(Kind::Pilot, "pilot-1")).expect("a transfer");
        let lines = scene.turn();
        assert_eq!(lines[2], "car 1 retires: no pilot");
        assert_eq!(lines[4], "priority: 2");
    }

    /// A random order, all orders equally likely, another one each turn, from the seed and nothing else.
    #[test]
    fn r_3_0_the_priority_is_drawn_from_the_seed() {
        let mut scene = Scene::quiet();
        for name in ["a", "b", "c"] {
            scene.car(1, MemoryCar::new(name, 1, 1, 1));
        }
        let mut race = scene.race.clone();
        let mut drawn = BTreeMap::<Vec<CarId>, u32>::new();
        let mut orders = Vec::new();
        for number in 0..1_200 {
            race.turn = TurnNo(number);
            let draw = || {
                let mut turn = Turn::of(&race, &scene.world);
                super::run(&mut turn).now_or_never().expect("nobody is waited for");
                assert_eq!(turn.race.turn, TurnNo(number + 1));
                turn.race.running_turn.expect("a turn runs").priority
            };
            let order = draw();
            assert_eq!(order, draw());
            *drawn.entry(order.clone()).or_default() += 1;
            orders.push(order);
        }
        assert_eq!(drawn.len(), 6);
        assert!(drawn.values().all(|times| (150..250).contains(times)), "{drawn:?}");
        assert!(orders.windows(2).any(|two| two[0] != two[1]));
    }
}
