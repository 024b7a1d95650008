//! R-3.1: on track, all racing cars at the same time.
//!
//! A car with 3 engines that answers `GET /engine/count` with 3 moves 3 squares; one that answers 4 stays, has a
//! turn to miss, and is told that it has 3.

use super::conversation::Conversation;
use super::event::{Event, Fact, Retirement};
use super::turn::Turn;
use super::verification::breach;
use crate::contract::{CarRequest, Kind};
use crate::ports::{Topic, World};
use futures_util::future::join_all;

pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let drives = turn.race.racing_in_priority().into_iter().filter_map(|car| {
        let misses = turn.race.misses_this_turn(car);
        Some(drive(turn.converse(Topic::Track, car)?, misses))
    });
    let driven = join_all(drives).await;
    turn.emit_all(driven.into_iter().flatten());
}

async fn drive<W: World>(mut car: Conversation<'_, W>, misses: bool) -> Vec<Event> {
    let engines = car.car.count(Kind::Engine);
    if misses {
        // It takes no part, so it is not retired for want of an engine either.
        car.note(Event::TurnMissed { car: car.id() });
    } else if engines == 0 {
        car.retire(Retirement::OutOfFuel).await;
    } else {
        let answer = car.count(Kind::Engine).await;
        match breach(CarRequest::Count(Kind::Engine), Fact::Count(engines), answer, Fact::Count) {
            Some(breach) => {
                car.penalise(breach);
                car.correct_count(Kind::Engine).await;
            }
            None => {
                let squares = u32::try_from(engines).unwrap_or(u32::MAX);
                let to = car.car.square.forward(squares);
                car.note(Event::CarMoved { car: car.id(), squares, to });
                car.announce_square().await;
            }
        }
    }
    car.take_events()
}

#[cfg(test)]
mod tests {
    use crate::memory::MemoryCar;
    use crate::race::tests::{Scene, saying};

    /// Columns: engines and turns to miss of a car on square 10; what it answers; what happens; what it is asked; what
    /// it is afterwards.
    type Row<'a> = (u32, u32, &'a str, &'a [&'a str], &'a [&'a str], &'a str);

    #[track_caller]
    fn check(rows: &[Row<'_>]) {
        for (engines, misses, script, happens, asks, after) in rows {
            let mut scene = Scene::quiet();
            let car = scene.car_on(1, saying(MemoryCar::new("a", *engines, 1, 2), script), 10);
            scene.misses(car, *misses);
            let told = scene.told();
            let row = format!("{engines} engines, {misses} to miss, {script:?}");
            assert_eq!(told, *happens, "{row}");
            let asked: Vec<String> = asks.iter().map(|line| format!("a: {line}")).collect();
            assert_eq!(scene.asked(), asked, "{row}");
            assert_eq!(scene.sums_up(car), *after, "{row}");
        }
    }

    const COUNTED: &str = "GET /engine/count";
    const TOLD: &str = r#"PATCH /state {"square":14}"#;
    const VERIFIED: &str = "GET /state";
    const CORRECTED: &str = r#"PATCH /engine {"count":4}"#;

    #[test]
    fn r_3_1_the_right_count_moves_the_car_by_as_many_squares() {
        let moved = &["car 1 moves 4 to 14"];
        let asks = &[COUNTED, TOLD, VERIFIED];
        check(&[
            (4, 0, "", moved, asks, "on 14, 0 to miss, 0 won, racing with 4 1 2"),
            (
                1,
                0,
                "",
                &["car 1 moves 1 to 11"],
                &[COUNTED, r#"PATCH /state {"square":11}"#, VERIFIED],
                "on 11, 0 to miss, 0 won, racing with 1 1 2",
            ),
            // The answer to a command decides nothing.
            (
                4,
                0,
                "PATCH /state: status 500",
                &[
                    "car 1 moves 4 to 14",
                    "car 1 is penalised: GET /state: expected square 14, found square 10",
                ],
                &[COUNTED, TOLD, VERIFIED, TOLD],
                "on 14, 1 to miss, 0 won, racing with 4 1 2",
            ),
            (
                4,
                0,
                "PATCH /state: status 500; GET /state: square 14",
                moved,
                asks,
                "on 14, 0 to miss, 0 won, racing with 4 1 2",
            ),
        ]);
    }

    #[test]
    fn r_3_1_anything_else_is_a_penalty_and_the_car_stays() {
        let stays = "on 10, 1 to miss, 0 won, racing with 4 1 2";
        let rows = [
            ("5", "5"),
            ("3", "3"),
            ("0", "0"),
            ("18446744073709551615", "18446744073709551615"),
            ("4294967300", "4294967300"),
            ("-4", "the answer was JSON, but not what was asked for"),
            ("late", "no answer within the deadline"),
            ("status 500", "status 500"),
            ("status 204", "status 204"),
            ("true", "the answer was JSON, but not what was asked for"),
            ("four", "the answer was not JSON"),
        ];
        for (answer, found) in rows {
            let penalty = format!("car 1 is penalised: GET /engine/count: expected 4, found {found}");
            let script = format!("GET /engine/count: {answer}");
            check(&[(4, 0, &script, &[&penalty], &[COUNTED, CORRECTED], stays)]);
        }
    }

    #[test]
    fn r_3_1_after_a_move_the_car_must_know_its_square() {
        let penalty =
            |found: &str| format!("car 1 is penalised: GET /state: expected square 14, found {found}");
        for (answer, found) in [
            ("square 13", "square 13"),
            ("square 10", "square 10"),
            ("late", "no answer within the deadline"),
        ] {
            check(&[(
                4,
                0,
                &format!("GET /state: {answer}"),
                &["car 1 moves 4 to 14", &penalty(found)],
                &[COUNTED, TOLD, VERIFIED, TOLD],
                "on 14, 1 to miss, 0 won, racing with 4 1 2",
            )]);
        }
    }

    #[test]
    fn r_3_1_who_misses_the_turn_is_asked_nothing() {
        let misses = &["car 1 misses the turn"];
        check(&[
            (4, 1, "", misses, &[], "on 10, 0 to miss, 0 won, racing with 4 1 2"),
            (4, 3, "", misses, &[], "on 10, 2 to miss, 0 won, racing with 4 1 2"),
            (0, 1, "", misses, &[], "on 10, 0 to miss, 0 won, racing with 0 1 2"),
        ]);
    }

    #[test]
    fn r_3_1_without_an_engine_it_is_out_of_fuel() {
        let retired = &["car 1 retires: out of fuel"];
        let after = "on 10, 0 to miss, 0 won, out of fuel in turn 1 with 0 1 2";
        check(&[
            (0, 0, "", retired, &["DELETE /state"], after),
            (0, 0, "DELETE /state: late; GET /engine/count: 4", retired, &["DELETE /state"], after),
        ]);
    }

    /// C-22: taken at its value, and never silent about it.
    #[test]
    fn r_3_1_a_tolerated_answer_is_an_answer() {
        check(&[(
            4,
            0,
            r#"GET /engine/count: "4""#,
            &["car 1: GET /engine/count: accepted a whole number as a JSON string", "car 1 moves 4 to 14"],
            &[COUNTED, TOLD, VERIFIED],
            "on 14, 0 to miss, 0 won, racing with 4 1 2",
        )]);
    }

    /// The events stand in the turn's order of priority, and a retired car is neither asked nor moved.
    #[test]
    fn r_3_6_cars_drive_in_the_order_of_priority() {
        let mut scene = Scene::quiet();
        for (team, name, engines) in [(1, "a", 1), (2, "b", 0), (3, "c", 3), (1, "d", 4)] {
            scene.car(team, MemoryCar::new(name, engines, 1, 1));
        }
        let events = scene.turn();
        let order: Vec<&str> = events
            .iter()
            .find_map(|line| line.strip_prefix("priority: "))
            .expect("a priority")
            .split(' ')
            .collect();
        let drove: Vec<&str> = events
            .iter()
            .filter(|line| line.contains(" moves ") || line.contains("out of fuel"))
            .filter_map(|line| line.split(' ').nth(1))
            .collect();
        assert_eq!(drove, order);
        assert_ne!(drove, ["1", "2", "3", "4"], "this seed's priority is not the order of the ids");
        assert!(scene.asked().contains(&"b: DELETE /state".to_owned()));
        assert!(!scene.turn().iter().any(|line| line.starts_with("car 2 ")), "it is out of the race");
        assert!(!scene.asked().iter().any(|line| line.starts_with("b:")), "and is told so once");
    }
}
