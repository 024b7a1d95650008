//! R-7.7: a module moves from one car of a team to another.
//!
//! The two cars must be racing and stand on the same place of the ring when the team asks, and still do when the
//! next turn starts. There it is settled, as a loss and a gain. A car waits for one transfer at a time, so all
//! transfers of a turn are settled side by side.

use super::command::{self, Refusal};
use super::conversation::Conversation;
use super::event::{Event, GainCause, LossCause, TransferProblem};
use super::state::{Race, Transfer};
use super::turn::Turn;
use crate::ports::{Topic, World};
use futures_util::future::join_all;

/// A team asks for a transfer.
pub(super) fn ask(race: &Race, transfer: &Transfer) -> Result<Event, Refusal> {
    if !race.rules.transfers {
        return Err(Refusal::NoTransfers);
    }
    if race.is_finished() {
        return Err(Refusal::Finished);
    }
    for id in [transfer.from, transfer.to] {
        if command::car(race, id)?.team != transfer.team {
            return Err(Refusal::OtherTeamsCar(id));
        }
        if race.transfers.iter().any(|waiting| waiting.from == id || waiting.to == id) {
            return Err(Refusal::TransferWaits(id));
        }
    }
    if transfer.from == transfer.to {
        return Err(Refusal::SameCar);
    }
    match problem(race, transfer) {
        Some(problem) => Err(Refusal::Transfer(problem)),
        None => Ok(Event::TransferAsked { transfer: transfer.clone() }),
    }
}

/// Why a transfer can't be settled as things are.
fn problem(race: &Race, transfer: &Transfer) -> Option<TransferProblem> {
    let (Some(from), Some(to)) = (race.cars.get(&transfer.from), race.cars.get(&transfer.to)) else {
        return Some(TransferProblem::NotRacing);
    };
    if !from.is_racing() || !to.is_racing() {
        Some(TransferProblem::NotRacing)
    } else if race.place_of(from) != race.place_of(to) {
        Some(TransferProblem::Apart)
    } else if !from.has(transfer.module.kind, &transfer.module.name) {
        Some(TransferProblem::NoSuchModule)
    } else {
        None
    }
}

/// The transfers that waited are settled at the start of a turn.
pub(super) async fn settle<W: World>(turn: &mut Turn<'_, W>, transfers: Vec<Transfer>) {
    let mut moves = Vec::new();
    for transfer in transfers {
        match problem(&turn.race, &transfer) {
            Some(reason) => turn.emit(Event::TransferVoid { transfer, reason }),
            None => moves.push(transfer),
        }
    }
    let moving = moves.into_iter().filter_map(|transfer| {
        let from = turn.converse(Topic::Transfer, transfer.from)?;
        let to = turn.converse(Topic::Transfer, transfer.to)?;
        Some(carry_over(from, to, transfer))
    });
    let moved = join_all(moving).await;
    turn.emit_all(moved.into_iter().flatten());
}

async fn carry_over<W: World>(
    mut from: Conversation<'_, W>,
    mut to: Conversation<'_, W>,
    transfer: Transfer,
) -> Vec<Event> {
    let kind = transfer.module.kind;
    from.lose(transfer.module, LossCause::Transfer).await;
    to.gain(kind, GainCause::Transfer).await;
    let mut events = from.take_events();
    events.extend(to.take_events());
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{CarRequest, Kind};
    use crate::ids::{CarId, Square, TeamId};
    use crate::memory::MemoryCar;
    use crate::race::command::Command;
    use crate::race::event::Retirement;
    use crate::race::rules::Rules;
    use crate::race::state::Module;
    use crate::race::tests::{Scene, check, quiet_rules};

    /// Cars 1 and 2 of team 1 and car 3 of team 2 stand on place 5, car 2 one round ahead; car 4 of team 1 on 6.
    fn scene(transfers: bool) -> Scene {
        let mut scene = Scene::new(Rules { transfers, ..quiet_rules() }, 1);
        for (team, name, square) in [(1, "a", 5), (1, "b", 305), (2, "c", 5), (1, "d", 6)] {
            scene.car_on(team, MemoryCar::new(name, 2, 1, 2), square);
        }
        scene
    }

    fn of(team: u32, kind: Kind, name: &str, from: u32, to: u32) -> Command {
        let module = Module { kind, name: name.to_owned() };
        Command::Transfer(Transfer { team: TeamId(team), module, from: CarId(from), to: CarId(to) })
    }

    fn engine(from: u32, to: u32) -> Command {
        of(1, Kind::Engine, "engine-2", from, to)
    }

    #[track_caller]
    fn check_asked(scene: &mut Scene, command: Command, expected: &str) {
        let answer = scene.order(command).map_or_else(|refusal| refusal.to_string(), |lines| lines.join(""));
        assert_eq!(answer, expected);
        assert_eq!(scene.asked(), [""; 0], "no car is asked when a team asks");
    }

    #[test]
    fn r_7_7_what_can_be_asked_for() {
        let waits = r#"transfer of engine "engine-2" from car 1 to car 2 waits for the next turn"#;
        let apart = "the cars are not on the same place of the ring";
        let lacks = "the car does not have this module";
        for (command, expected) in [
            (engine(1, 2), waits),
            (engine(1, 1), "the two cars of a transfer must be different"),
            (engine(1, 3), "car 3 belongs to another team"),
            (engine(3, 1), "car 3 belongs to another team"),
            (of(2, Kind::Engine, "engine-2", 1, 2), "car 1 belongs to another team"),
            (engine(1, 9), "there is no car 9 in this race"),
            (engine(9, 1), "there is no car 9 in this race"),
            (engine(1, 4), apart),
            (engine(4, 1), apart),
            (of(1, Kind::Engine, "engine-3", 1, 2), lacks),
            (of(1, Kind::Weapon, "engine-2", 1, 2), lacks),
        ] {
            check_asked(&mut scene(true), command, expected);
        }
        check_asked(&mut scene(false), engine(1, 2), "the rules of this race don't allow transfers");
        for out in [1, 2] {
            let mut scene = scene(true);
            scene.happen(Event::CarRetired { car: CarId(out), reason: Retirement::OutOfFuel });
            check_asked(&mut scene, engine(1, 2), "both cars must be racing");
        }
        let mut scene = scene(true);
        scene.order(Command::Finish).expect("an end");
        check_asked(&mut scene, engine(1, 2), "the race is over: only the jury can still correct it");
    }

    /// A car waits for one transfer at a time.
    #[test]
    fn r_7_7_one_transfer_at_a_time() {
        for (again, busy) in
            [(engine(1, 2), 1), (engine(2, 1), 2), (engine(1, 4), 1), (engine(4, 1), 1), (engine(4, 2), 2)]
        {
            let mut scene = scene(true);
            scene.order(engine(1, 2)).expect("a transfer");
            let expected = format!("car {busy} has a transfer waiting for the next turn already");
            check_asked(&mut scene, again, &expected);
            scene.turn();
            assert_eq!(scene.race.transfers, []);
        }
    }

    /// A transfer that still can is a loss and a gain under a new name, at the start of the next turn.
    #[test]
    fn r_7_7_a_transfer_is_settled() {
        let mut scene = scene(true);
        scene.order(engine(1, 2)).expect("a transfer");
        let happened = scene.turn();
        assert_eq!(
            happened[..4],
            [
                "turn 1 starts",
                r#"car 1 loses engine "engine-2" (transfer)"#,
                r#"car 2 gains engine "engine-t1-c2-1" (transfer)"#,
                &happened[3],
            ]
        );
        assert!(happened[3].starts_with("priority"), "it is settled before the race goes on: {happened:?}");
        assert!(happened.contains(&"car 1 moves 1 to 6".to_owned()));
        assert!(happened.contains(&"car 2 moves 3 to 308".to_owned()));
        assert_eq!(
            scene.asked()[..4],
            [
                "a: DELETE /engine/engine-2",
                "a: GET /engine/count",
                r#"b: POST /engine {"name":"engine-t1-c2-1"}"#,
                "b: GET /engine/count",
            ]
        );
    }

    /// What came in between may undo it; nobody is asked anything then.
    #[test]
    fn r_7_7_a_transfer_is_void() {
        let void = |reason| format!(r#"no transfer of engine "engine-2" from car 1 to car 2: {reason}"#);
        let corrected = |car, square, modules| Event::CarCorrected {
            car: CarId(car),
            reason: "r".to_owned(),
            square,
            turns_to_miss: None,
            modules,
            reinstated: false,
        };
        let retired = |car| Event::CarRetired { car: CarId(car), reason: Retirement::OutOfFuel };
        let pilot = || Some(vec![Module { kind: Kind::Pilot, name: "p".to_owned() }]);
        for (event, reason) in [
            (retired(1), "both cars must be racing"),
            (retired(2), "both cars must be racing"),
            (corrected(1, Some(Square(4)), None), "the cars are not on the same place of the ring"),
            (corrected(2, Some(Square(4)), None), "the cars are not on the same place of the ring"),
            (corrected(1, None, pilot()), "the car does not have this module"),
        ] {
            let mut scene = scene(true);
            scene.order(engine(1, 2)).expect("a transfer");
            scene.happen(event);
            let happened = scene.turn();
            assert_eq!(happened[1], void(reason));
            assert!(!happened.iter().any(|line| line.contains("(transfer)")), "{happened:?}");
            assert_eq!(scene.race.transfers, []);
        }
        // It is void for what happened to the cars that it names only.
        let mut scene = scene(true);
        scene.order(engine(1, 2)).expect("a transfer");
        scene.happen(corrected(2, Some(Square(605)), pilot()));
        assert_eq!(scene.turn()[1], r#"car 1 loses engine "engine-2" (transfer)"#);
    }

    /// R-7.5: the loss and the gain are two modifications, of two cars, with a penalty each at most.
    #[test]
    fn r_7_7_both_cars_are_verified() {
        let mut scene = scene(true);
        for url in ["http://a", "http://b"] {
            let ignores =
                |request: &CarRequest| matches!(request, CarRequest::Gain { .. } | CarRequest::Lose { .. });
            scene.world.with_car(url, |car| {
                car.script = Some(Box::new(move |request, _| {
                    ignores(request).then_some(Err(crate::contract::Fault::Late))
                }));
            });
        }
        scene.order(engine(1, 2)).expect("a transfer");
        let happened = scene.turn();
        check(
            &happened[1..5],
            &[
                r#"car 1 loses engine "engine-2" (transfer)"#,
                "car 1 is penalised: GET /engine/count: expected 1, found 2",
                r#"car 2 gains engine "engine-t1-c2-1" (transfer)"#,
                "car 2 is penalised: GET /engine/count: expected 3, found 2",
            ],
        );
        // R-3.0: what is punished at the start costs this very turn.
        for car in [1, 2] {
            assert!(happened.contains(&format!("car {car} misses the turn")), "{happened:?}");
        }
    }

    /// R-7.4: a car that gives its last pilot away is out.
    #[test]
    fn r_7_7_the_last_pilot() {
        let mut scene = scene(true);
        scene.order(of(1, Kind::Pilot, "pilot-1", 1, 2)).expect("a transfer");
        let happened = scene.turn();
        assert_eq!(
            happened[1..4],
            [
                r#"car 1 loses pilot "pilot-1" (transfer)"#,
                "car 1 retires: no pilot",
                r#"car 2 gains pilot "pilot-t1-c2-1" (transfer)"#,
            ]
        );
    }

    /// R-3.0: what is asked for with the turn at the door is settled in it, and many side by side.
    #[test]
    fn r_7_7_transfers_in_the_inbox() {
        let mut scene = scene(true);
        scene.car_on(1, MemoryCar::new("e", 2, 1, 2), 6);
        let (happened, settled) =
            scene.turn_with(&[of(1, Kind::Weapon, "weapon-1", 5, 4), engine(2, 1), engine(1, 2)]);
        assert_eq!(settled, [Ok(()), Ok(()), Err(Refusal::TransferWaits(CarId(1)))]);
        assert_eq!(
            happened[2..7],
            [
                "turn 1 starts",
                r#"car 5 loses weapon "weapon-1" (transfer)"#,
                r#"car 4 gains weapon "weapon-t1-c4-1" (transfer)"#,
                r#"car 2 loses engine "engine-2" (transfer)"#,
                r#"car 1 gains engine "engine-t1-c1-1" (transfer)"#,
            ]
        );
    }
}
