//! R-10.3: the jury corrects a car or a team, also after the end, always with a reason.
//!
//! A correction is an event like any other. A car that takes part is told its new values (C-6, C-9); one that is out
//! of the race is not, because `PATCH /state` would put it back (C-8): it is told all when it is reinstated.

use super::command::{self, Refusal, check_text};
use super::conversation::Conversation;
use super::event::{Event, Retirement};
use super::rules::{MOST_DOLLARS, MOST_MODULES, MOST_POINTS, MOST_SQUARES};
use super::scoring;
use super::state::{Car, Module};
use super::turn::Turn;
use crate::contract::{Kind, Modules};
use crate::ids::{CarId, CommandNo, Dollars, Points, Square, TeamId};
use crate::ports::{Topic, World};
use serde::{Deserialize, Serialize};

/// What the jury says about a car. What is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarCorrection {
    /// The car.
    pub car: CarId,
    /// Why, 1 to 4,000 characters.
    pub reason: String,
    /// Its right square. `furthest` follows upwards only: it is the greatest square ever reached (R-1.2).
    #[serde(default)]
    pub square: Option<Square>,
    /// The right number of its turns to miss.
    #[serde(default)]
    pub turns_to_miss: Option<u32>,
    /// The right number of its modules of each kind.
    #[serde(default)]
    pub modules: Option<Modules>,
    /// Whether it is put back into the race, or taken out of it.
    #[serde(default)]
    pub standing: Option<NewStanding>,
}

/// What the jury makes of a car's place in the race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewStanding {
    /// A retired car starts again in the next turn.
    Reinstated,
    /// The car is out of the race.
    Retired,
}

/// What the jury says about a team. What is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamCorrection {
    /// The team.
    pub team: TeamId,
    /// Why, 1 to 4,000 characters.
    pub reason: String,
    /// Its right budget.
    #[serde(default)]
    pub budget: Option<Dollars>,
    /// Victory points given, or taken if negative.
    #[serde(default)]
    pub points: Points,
}

/// Corrects a car.
pub(super) async fn correct_car<W: World>(
    turn: &mut Turn<'_, W>,
    no: CommandNo,
    correction: &CarCorrection,
) -> Result<(), Refusal> {
    let id = correction.car;
    let car = command::car(&turn.race, id)?;
    check(turn, car, correction)?;

    let modules = correction.modules.map(|counts| with_counts(car, counts));
    let reinstated = correction.standing == Some(NewStanding::Reinstated);
    // What was corrected while a car was out of the race, it has not been told yet.
    let is_news = |kind: &Kind| {
        reinstated || correction.modules.is_some_and(|counts| counts.of(*kind) != car.count(*kind))
    };
    let changed: Vec<Kind> = Kind::ALL.into_iter().filter(is_news).collect();
    turn.emit(Event::CarCorrected {
        car: id,
        reason: correction.reason.clone(),
        square: correction.square,
        turns_to_miss: correction.turns_to_miss,
        modules,
        reinstated,
    });

    let events = match turn.converse(Topic::Command(no), id) {
        Some(car) if !car.car.is_retired() => {
            let tell_square = correction.square.is_some() || reinstated;
            tell(car, correction, tell_square, &changed).await
        }
        _ => Vec::new(),
    };
    turn.emit_all(events);
    scoring::settle(turn);
    Ok(())
}

fn check<W: World>(turn: &Turn<'_, W>, car: &Car, correction: &CarCorrection) -> Result<(), Refusal> {
    let CarCorrection { square, turns_to_miss, modules, standing, .. } = correction;
    check_text(&correction.reason)?;
    if square.is_none() && turns_to_miss.is_none() && modules.is_none() && standing.is_none() {
        return Err(Refusal::NothingToCorrect);
    }
    if square.is_some_and(|square| square.0 > MOST_SQUARES) {
        return Err(Refusal::TooMuch { what: "square", most: MOST_SQUARES });
    }
    if turns_to_miss.is_some_and(|turns| turns > MOST_SQUARES) {
        return Err(Refusal::TooMuch { what: "turns to miss", most: MOST_SQUARES });
    }
    let too_many = |counts: Modules| Kind::ALL.iter().any(|kind| counts.of(*kind) > u64::from(MOST_MODULES));
    if modules.is_some_and(too_many) {
        return Err(Refusal::TooMuch { what: "modules", most: MOST_MODULES });
    }
    let counts = modules.unwrap_or_else(|| car.counts());
    match standing {
        Some(NewStanding::Reinstated) if !car.is_retired() => Err(Refusal::NotRetired(car.id)),
        Some(NewStanding::Reinstated) if counts.pilot == 0 => Err(Refusal::NoPilotToReinstate(car.id)),
        Some(NewStanding::Reinstated)
            if turn.race.cars.values().any(|other| !other.is_retired() && other.url == car.url) =>
        {
            Err(Refusal::UrlInUse(car.id))
        }
        Some(NewStanding::Retired) if car.is_retired() => Err(Refusal::IsRetired(car.id)),
        _ => Ok(()),
    }
}

/// The car's modules, brought to these counts: what it got last goes first, and what is new gets the names that a
/// car gives too when it is brought to a count (C-9).
fn with_counts(car: &Car, counts: Modules) -> Vec<Module> {
    let mut modules = Vec::new();
    for kind in Kind::ALL {
        let right = counts.of(kind);
        let kept = usize::try_from(right).unwrap_or(usize::MAX);
        modules.extend(car.modules_of(kind).take(kept).cloned());
        modules.extend(car.unnamed(kind, right.saturating_sub(car.count(kind))));
    }
    modules
}

/// A car that takes part is told its new values, or that it is out of the race.
async fn tell<W: World>(
    mut car: Conversation<'_, W>,
    correction: &CarCorrection,
    tell_square: bool,
    changed: &[Kind],
) -> Vec<Event> {
    if correction.standing == Some(NewStanding::Retired) {
        car.retire(Retirement::Jury(correction.reason.clone())).await;
    } else if car.car.count(Kind::Pilot) == 0 {
        car.retire(Retirement::NoPilot).await;
    } else {
        if tell_square {
            car.resend_square().await;
        }
        for kind in changed {
            car.correct_count(*kind).await;
        }
    }
    car.take_events()
}

/// Corrects a team.
pub(super) fn correct_team<W: World>(
    turn: &mut Turn<'_, W>,
    correction: &TeamCorrection,
) -> Result<(), Refusal> {
    let TeamCorrection { team, reason, budget, points } = correction.clone();
    command::team(&turn.race, team)?;
    check_text(&reason)?;
    if budget.is_none() && points == Points(0) {
        return Err(Refusal::NothingToCorrect);
    }
    if budget.is_some_and(|budget| budget.0 > u64::from(MOST_DOLLARS)) {
        return Err(Refusal::TooMuch { what: "budget", most: MOST_DOLLARS });
    }
    if points.0.unsigned_abs() > u64::from(MOST_POINTS) {
        return Err(Refusal::TooMuch { what: "victory points", most: MOST_POINTS });
    }
    turn.emit(Event::TeamCorrected { team, reason, budget, points });
    scoring::settle(turn);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{CarRequest, Fault};
    use crate::memory::MemoryCar;
    use crate::race::command::Command;
    use crate::race::rules::Rules;
    use crate::race::state::Status;
    use crate::race::tests::{Scene, quiet_rules};

    /// Car 1 of team 1 races on square 10 with 4 engines, 1 pilot and 3 weapons; car 2 of team 2 is retired.
    fn scene() -> Scene {
        let mut scene = Scene::quiet();
        scene.car_on(1, MemoryCar::new("a", 4, 1, 3), 10);
        let out = scene.car_on(2, MemoryCar::new("b", 4, 1, 3), 20);
        scene.happen(Event::CarRetired { car: out, reason: Retirement::OutOfFuel });
        scene
    }

    fn nothing(car: u32) -> CarCorrection {
        CarCorrection {
            car: CarId(car),
            reason: "r".to_owned(),
            square: None,
            turns_to_miss: None,
            modules: None,
            standing: None,
        }
    }

    fn counts(engine: u64, pilot: u64, weapon: u64) -> Option<Modules> {
        Some(Modules { engine, pilot, weapon })
    }

    /// What the jury says, what happened (the score left out) or why not, and what the cars were told.
    #[track_caller]
    fn check(mut scene: Scene, correction: CarCorrection, happened: &[&str], told: &[&str]) -> Scene {
        let before = scene.race.clone();
        match scene.order(Command::CorrectCar(correction)) {
            Ok(lines) => {
                let (score, lines) = lines.split_last().expect("a score");
                assert_eq!(lines, happened);
                assert!(score.starts_with("score: "), "R-8.1: {score}");
            }
            Err(refusal) => {
                assert_eq!([refusal.to_string().as_str()], happened);
                assert_eq!(scene.race, before, "nothing has happened");
            }
        }
        assert_eq!(scene.asked(), told);
        scene
    }

    #[track_caller]
    fn refuses(correction: CarCorrection, refusal: &str) {
        check(scene(), correction, &[refusal], &[]);
    }

    #[test]
    fn r_10_3_a_square() {
        for (square, furthest) in [(7, 10), (10, 10), (156, 156)] {
            let line = format!("the jury corrects car 1, square {square}: r");
            let told = format!(r#"a: PATCH /state {{"square":{square}}}"#);
            let correction = CarCorrection { square: Some(Square(square)), ..nothing(1) };
            let scene = check(scene(), correction, &[&line], &[&told]);
            let car = scene.the(CarId(1));
            assert_eq!((car.square, car.furthest), (Square(square), Square(furthest)));
            // R-8.1: the score is recomputed.
            assert_eq!(scene.team(1).score, Points(if furthest == 156 { 8 } else { 0 }));
        }
    }

    #[test]
    fn r_10_3_turns_to_miss() {
        for turns in [0, 7] {
            let mut scene = scene();
            scene.misses(CarId(1), 3);
            let line = format!("the jury corrects car 1, {turns} to miss: r");
            let scene =
                check(scene, CarCorrection { turns_to_miss: Some(turns), ..nothing(1) }, &[&line], &[]);
            assert_eq!(scene.the(CarId(1)).turns_to_miss, turns);
        }
    }

    /// What a car got last goes first; what is new has a name that is free. Only what has changed is told.
    #[test]
    fn r_10_3_modules() {
        let corrected = |modules: &str| format!("the jury corrects car 1, modules {modules}: r");
        let all =
            r#"engine "engine-1" engine "engine-2" engine "engine-3" engine "engine-4" pilot "pilot-1""#;
        let weapons = r#"weapon "weapon-1" weapon "weapon-2" weapon "weapon-3""#;
        let modules = |modules| CarCorrection { modules, ..nothing(1) };
        check(scene(), modules(counts(4, 1, 3)), &[&corrected(&format!("{all} {weapons}"))], &[]);
        check(
            scene(),
            modules(counts(1, 2, 0)),
            &[&corrected(r#"engine "engine-1" pilot "pilot-1" pilot "pilot-2""#)],
            &[
                r#"a: PATCH /engine {"count":1}"#,
                r#"a: PATCH /pilot {"count":2}"#,
                r#"a: PATCH /weapon {"count":0}"#,
            ],
        );
        check(
            scene(),
            CarCorrection { square: Some(Square(3)), ..modules(counts(4, 1, 5)) },
            &[&format!(
                r#"the jury corrects car 1, square 3, modules {all} {weapons} weapon "weapon-4" weapon "weapon-5": r"#
            )],
            &[r#"a: PATCH /state {"square":3}"#, r#"a: PATCH /weapon {"count":5}"#],
        );
        // Names are filled up from the smallest that is free.
        let mut scene = scene();
        let car = CarId(1);
        for name in ["weapon-1", "weapon-3"] {
            let module = Module { kind: Kind::Weapon, name: name.to_owned() };
            scene.happen(Event::ModuleLost { car, module, cause: crate::race::event::LossCause::Fight });
        }
        check(
            scene,
            modules(counts(0, 1, 4)),
            &[&corrected(
                r#"pilot "pilot-1" weapon "weapon-2" weapon "weapon-1" weapon "weapon-3" weapon "weapon-4""#,
            )],
            &[r#"a: PATCH /engine {"count":0}"#, r#"a: PATCH /weapon {"count":4}"#],
        );
    }

    /// R-7.2: after a correction names are read through the inspector.
    #[test]
    fn r_10_3_names_are_read_again() {
        let scene = scene();
        scene.world.inspect(TeamId(1));
        let there = Ok(["sword", "rope"].map(str::to_owned).to_vec());
        scene.world.with_car("http://a", |car| car.inspected.insert(Kind::Weapon, there));
        let lines = [
            r#"the jury corrects car 1, modules engine "engine-1" engine "engine-2" engine "engine-3" engine "engine-4" pilot "pilot-1" weapon "weapon-1" weapon "weapon-2": r"#,
            "car 1: weapon names read: sword, rope",
        ];
        let correction = CarCorrection { modules: counts(4, 1, 2), ..nothing(1) };
        let scene = check(scene, correction, &lines, &[r#"a: PATCH /weapon {"count":2}"#]);
        assert!(scene.the(CarId(1)).has(Kind::Weapon, "rope"));
    }

    #[test]
    fn r_10_3_a_car_is_retired() {
        let retired = CarCorrection { standing: Some(NewStanding::Retired), ..nothing(1) };
        let scene = check(
            scene(),
            CarCorrection { square: Some(Square(3)), modules: counts(1, 0, 0), ..retired.clone() },
            &[
                r#"the jury corrects car 1, square 3, modules engine "engine-1": r"#,
                "car 1 retires: by the jury: r",
            ],
            &["a: DELETE /state"],
        );
        assert!(scene.the(CarId(1)).is_retired());
        check(scene, retired, &["car 1 is out of the race: reinstate it first"], &[]);
    }

    /// R-7.4 holds for the jury too.
    #[test]
    fn r_10_3_a_car_without_a_pilot() {
        check(
            scene(),
            CarCorrection { modules: counts(1, 0, 0), ..nothing(1) },
            &[r#"the jury corrects car 1, modules engine "engine-1": r"#, "car 1 retires: no pilot"],
            &["a: DELETE /state"],
        );
    }

    /// A car that is put back is told everything: it was not told what was corrected meanwhile.
    #[test]
    fn r_10_3_a_car_is_reinstated() {
        let reinstated = CarCorrection { standing: Some(NewStanding::Reinstated), ..nothing(2) };
        let told = |square: u32, weapons: u32| {
            [
                format!(r#"b: PATCH /state {{"square":{square}}}"#),
                r#"b: PATCH /engine {"count":4}"#.to_owned(),
                r#"b: PATCH /pilot {"count":1}"#.to_owned(),
                format!(r#"b: PATCH /weapon {{"count":{weapons}}}"#),
            ]
        };
        let told_20 = told(20, 3);
        let scene = check(
            scene(),
            reinstated.clone(),
            &["the jury corrects car 2, reinstated: r"],
            &told_20.each_ref().map(String::as_str),
        );
        assert_eq!(scene.the(CarId(2)).status, Status::Entered);
        let out = CarCorrection { standing: Some(NewStanding::Retired), ..nothing(2) };
        let scene = check(
            self::scene(),
            CarCorrection { square: Some(Square(7)), modules: counts(4, 1, 2), ..nothing(2) },
            &[concat!(
                "the jury corrects car 2, square 7, modules ",
                r#"engine "engine-1" engine "engine-2" engine "engine-3" engine "engine-4" "#,
                r#"pilot "pilot-1" weapon "weapon-1" weapon "weapon-2": r"#
            )],
            &[],
        );
        assert!(scene.the(CarId(2)).is_retired());
        let told_7 = told(7, 2);
        let scene = check(
            scene,
            reinstated,
            &["the jury corrects car 2, reinstated: r"],
            &told_7.each_ref().map(String::as_str),
        );
        check(
            scene,
            out,
            &["the jury corrects car 2: r", "car 2 retires: by the jury: r"],
            &["b: DELETE /state"],
        );
    }

    #[test]
    fn r_10_3_a_reinstated_car_starts_in_the_next_turn() {
        let mut scene = scene();
        let standing = Some(NewStanding::Reinstated);
        scene.order(Command::CorrectCar(CarCorrection { standing, ..nothing(2) })).expect("a correction");
        let happened = scene.turn();
        assert!(happened.contains(&"car 2 starts".to_owned()), "{happened:?}");
        assert!(happened.contains(&"car 2 moves 4 to 24".to_owned()), "{happened:?}");
    }

    #[test]
    fn r_10_3_who_can_be_reinstated() {
        let standing = Some(NewStanding::Reinstated);
        let back = CarCorrection { standing, ..nothing(2) };
        refuses(CarCorrection { standing, ..nothing(1) }, "car 1 is not out of the race");
        let no_pilot = "car 2 has no pilot: give it one with the same correction";
        refuses(CarCorrection { modules: counts(4, 0, 3), ..back.clone() }, no_pilot);

        let pilotless = || {
            let mut scene = scene();
            let module = Module { kind: Kind::Pilot, name: "pilot-1".to_owned() };
            let cause = crate::race::event::LossCause::Snakes;
            scene.happen(Event::ModuleLost { car: CarId(2), module, cause });
            scene
        };
        check(pilotless(), back.clone(), &[no_pilot], &[]);
        let given = CarCorrection { modules: counts(0, 1, 0), ..back.clone() };
        let told = [
            r#"b: PATCH /state {"square":20}"#,
            r#"b: PATCH /engine {"count":0}"#,
            r#"b: PATCH /pilot {"count":1}"#,
            r#"b: PATCH /weapon {"count":0}"#,
        ];
        check(
            pilotless(),
            given,
            &[r#"the jury corrects car 2, modules pilot "pilot-1", reinstated: r"#],
            &told,
        );

        // R-1.2: another car of this URL takes part, or not any more.
        for (is_retired, happened, told) in [
            (false, "another car takes part under the URL of car 2", 0),
            (true, "the jury corrects car 2, reinstated: r", 4),
        ] {
            let mut scene = scene();
            let url = scene.the(CarId(2)).url.clone();
            let other = scene.car(3, MemoryCar::new("c", 4, 1, 3));
            scene.race.cars.get_mut(&other).expect("a car").url = url;
            if is_retired {
                scene.race.apply(&Event::CarRetired { car: other, reason: Retirement::OutOfFuel });
            }
            let mut turn = Turn::of(&scene.race, &scene.world);
            let settled = futures_util::FutureExt::now_or_never(correct_car(&mut turn, CommandNo(99), &back));
            let said = match settled.expect("the world in memory never waits") {
                Ok(()) => turn.events[0].to_string(),
                Err(refusal) => refusal.to_string(),
            };
            assert_eq!((said.as_str(), scene.asked().len()), (happened, told));
        }
    }

    #[test]
    fn r_10_3_what_the_jury_cannot_say() {
        let with_reason = |reason: String| CarCorrection { reason, square: Some(Square(1)), ..nothing(1) };
        let bad_text =
            "the text must have 1 to 4,000 characters, not all of them blank, and no control characters";
        refuses(CarCorrection { square: Some(Square(1)), ..nothing(9) }, "there is no car 9 in this race");
        refuses(nothing(1), "the correction names nothing to correct");
        refuses(with_reason(String::new()), bad_text);
        refuses(with_reason("é".repeat(4_001)), bad_text);
        let square = |square| CarCorrection { square: Some(Square(square)), ..nothing(1) };
        refuses(square(1_000_001), "square: must not be above 1000000");
        refuses(square(u32::MAX), "square: must not be above 1000000");
        let turns = |turns| CarCorrection { turns_to_miss: Some(turns), ..nothing(1) };
        refuses(turns(1_000_001), "turns to miss: must not be above 1000000");
        for modules in [counts(1_001, 1, 0), counts(0, 1 << 63, 0), counts(0, 1, u64::MAX)] {
            refuses(CarCorrection { modules, ..nothing(1) }, "modules: must not be above 1000");
        }
        // The bounds themselves are fine.
        for correction in [
            with_reason("é".repeat(4_000)),
            square(1_000_000),
            turns(1_000_000),
            CarCorrection { modules: counts(1_000, 1_000, 1_000), ..nothing(1) },
        ] {
            scene().order(Command::CorrectCar(correction)).expect("a correction");
        }
    }

    /// The bound is for what the jury gives: a car that has found more than that can still be corrected.
    #[test]
    fn r_10_3_a_car_with_more_modules_than_the_jury_can_give() {
        let mut scene = Scene::new(quiet_rules(), 1);
        scene.car(1, MemoryCar::new("a", 1_001, 1, 0));
        scene
            .order(Command::CorrectCar(CarCorrection { square: Some(Square(1)), ..nothing(1) }))
            .expect("a correction");
    }

    /// A car's answers to the jury do not matter.
    #[test]
    fn r_10_3_a_car_that_does_not_answer() {
        let scene = scene();
        scene.world.with_car("http://a", |car| {
            car.script = Some(Box::new(|_: &CarRequest, _| Some(Err(Fault::Unreachable))));
        });
        let correction = CarCorrection { square: Some(Square(3)), modules: counts(4, 2, 3), ..nothing(1) };
        let scene = check(
            scene,
            correction,
            &[concat!(
                r#"the jury corrects car 1, square 3, modules engine "engine-1" engine "engine-2" engine "engine-3" "#,
                r#"engine "engine-4" pilot "pilot-1" pilot "pilot-2" weapon "weapon-1" weapon "weapon-2" weapon "weapon-3": r"#
            )],
            &[r#"a: PATCH /state {"square":3}"#, r#"a: PATCH /pilot {"count":2}"#],
        );
        assert_eq!(scene.the(CarId(1)).turns_to_miss, 0);
    }

    /// The jury corrects also after the end, and the awards of the end follow.
    #[test]
    fn r_10_3_after_the_end() {
        let mut scene = scene();
        scene.order(Command::Finish).expect("an end");
        assert_eq!((scene.team(1).score, scene.team(2).score), (Points(0), Points(40)));
        let correction = CarCorrection { square: Some(Square(30)), ..nothing(1) };
        let scene = check(
            scene,
            correction,
            &["the jury corrects car 1, square 30: r"],
            &[r#"a: PATCH /state {"square":30}"#],
        );
        assert_eq!((scene.team(1).score, scene.team(2).score), (Points(41), Points(0)));
    }

    /// R-4.1: who is put elsewhere by the jury has moved.
    #[test]
    fn r_10_3_a_corrected_square_is_a_move() {
        for (square, has_moved) in [(11, true), (10, false)] {
            let mut scene = scene();
            let other = scene.car_on(2, MemoryCar::new("c", 0, 1, 0), 10);
            let place = crate::ids::Place(10);
            scene.happen(Event::CarsMet { cars: [CarId(1), other], place });
            let correction = CarCorrection { square: Some(Square(square)), ..nothing(1) };
            scene.order(Command::CorrectCar(correction)).expect("a correction");
            assert_eq!(scene.race.met.is_empty(), has_moved);
        }
    }

    /// What the jury says of team 1, which has $85 left of $100, and what comes of it: words, budget, points.
    #[track_caller]
    fn check_team(budget: Option<u64>, points: i64, expected: Result<(&str, u64, i64), &str>) {
        let mut scene = Scene::new(Rules { initial_budget: 100, ..quiet_rules() }, 1);
        scene.park(MemoryCar::new("a", 4, 1, 3));
        scene.order(crate::race::tests::application(1, "a")).expect("a decision");
        scene.asked();
        let correction = TeamCorrection {
            team: TeamId(1),
            reason: "r".to_owned(),
            budget: budget.map(Dollars),
            points: Points(points),
        };
        let happened = scene.order(Command::CorrectTeam(correction));
        match (happened, expected) {
            (Ok(lines), Ok((line, budget, points))) => {
                assert_eq!(lines[0], line);
                assert!(lines[1].starts_with(&format!("score: team 1: {points} VP")), "R-8.1: {lines:?}");
                assert_eq!(scene.team(1).budget(), Dollars(budget));
                assert_eq!(scene.team(1).score, Points(points));
                assert_eq!(lines.len(), 2);
            }
            (Err(refusal), Err(expected)) => assert_eq!(refusal.to_string(), expected),
            (happened, expected) => assert_eq!(format!("{happened:?}"), format!("{expected:?}")),
        }
        assert_eq!(scene.asked(), [""; 0]);
    }

    #[test]
    fn r_10_3_a_team() {
        check_team(Some(0), 0, Ok(("the jury corrects team 1, budget $0: r", 0, 0)));
        check_team(Some(84), 0, Ok(("the jury corrects team 1, budget $84: r", 84, 0)));
        check_team(Some(85), 0, Ok(("the jury corrects team 1, budget $85: r", 85, 0)));
        check_team(Some(1_000_000), 0, Ok(("the jury corrects team 1, budget $1000000: r", 1_000_000, 0)));
        check_team(None, 5, Ok(("the jury corrects team 1, 5 VP: r", 85, 5)));
        check_team(Some(7), -5, Ok(("the jury corrects team 1, budget $7, -5 VP: r", 7, -5)));
        check_team(None, 1_000_000, Ok(("the jury corrects team 1, 1000000 VP: r", 85, 1_000_000)));
        check_team(None, -1_000_000, Ok(("the jury corrects team 1, -1000000 VP: r", 85, -1_000_000)));
        check_team(None, 0, Err("the correction names nothing to correct"));
        check_team(Some(1_000_001), 0, Err("budget: must not be above 1000000"));
        check_team(Some(u64::MAX), 0, Err("budget: must not be above 1000000"));
        check_team(None, 1_000_001, Err("victory points: must not be above 1000000"));
        check_team(None, i64::MIN, Err("victory points: must not be above 1000000"));
    }

    #[test]
    fn r_10_3_a_team_also_after_the_end_and_with_a_reason() {
        let correct = |team, reason: &str| {
            let reason = reason.to_owned();
            Command::CorrectTeam(TeamCorrection {
                team: TeamId(team),
                reason,
                budget: None,
                points: Points(3),
            })
        };
        let mut scene = Scene::quiet();
        scene.order(Command::Finish).expect("an end");
        for points in [3, 6] {
            scene.order(correct(2, "r")).expect("a correction");
            assert_eq!(scene.team(2).score, Points(points));
        }
        assert_eq!(scene.order(correct(9, "r")), Err(Refusal::NoSuchTeam(TeamId(9))));
        assert_eq!(scene.order(correct(2, " \n")), Err(Refusal::BadText));
        assert_eq!(scene.team(2).score, Points(6));
    }
}
