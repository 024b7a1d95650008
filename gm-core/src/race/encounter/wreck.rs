//! R-5.2: a wreck.
//!
//! A car that searches it has a turn to miss, and finds nothing, a module, or snakes that cost it a pilot.

use crate::contract::{CarRequest, Kind};
use crate::ports::World;
use crate::race::conversation::Conversation;
use crate::race::event::{DelayCause, Event, Find, GainCause, LossCause};
use crate::random::Purpose;

/// What can be found, in the order of the odds.
const FINDS: [Find; 5] = [
    Find::Nothing,
    Find::Module(Kind::Engine),
    Find::Module(Kind::Weapon),
    Find::Module(Kind::Pilot),
    Find::Snakes,
];

pub(super) async fn find<W: World>(car: &mut Conversation<'_, W>) {
    match car.searches_wreck().await {
        Ok(true) => search(car).await,
        Ok(false) => car.note(Event::WreckLeft { car: car.id() }),
        Err(fault) => car.penalise_no_answer(CarRequest::Wreck, fault),
    }
}

async fn search<W: World>(car: &mut Conversation<'_, W>) {
    let id = car.id();
    let drawn = car.dice(Purpose::Wreck).weighted(&car.rules.wreck.table());
    let find = drawn.map_or(Find::Nothing, |index| FINDS[index]);
    car.note(Event::TurnsToMissAdded { car: id, turns: 1, cause: DelayCause::Wreck });
    car.note(Event::WreckSearched { car: id, find });
    match find {
        Find::Nothing => {}
        Find::Module(kind) => car.gain(kind, GainCause::Wreck).await,
        Find::Snakes => {
            let bitten = car.car.modules_of(Kind::Pilot).next_back().cloned();
            if let Some(pilot) = bitten {
                car.lose(pilot, LossCause::Snakes).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FINDS;
    use crate::contract::CarRequest;
    use crate::contract::Kind;
    use crate::ids::{CarId, TurnNo};
    use crate::memory::MemoryCar;
    use crate::ports::Topic;
    use crate::race::conversation::Conversation;
    use crate::race::event::{Event, Find};
    use crate::race::rules::{Rules, WreckOdds};
    use crate::race::state::Encounter;
    use crate::race::tests::{Scene, expected_of, quiet_rules, saying};
    use futures_util::FutureExt;

    const NONE: WreckOdds = WreckOdds { nothing: 0, engine: 0, weapon: 0, pilot: 0, snakes: 0 };

    /// Columns: what the wreck holds; pilots of a car with 4 engines; what it answers; what happens after it met the
    /// wreck; what it is asked then; what it is afterwards.
    type Row<'a> = (&'a str, u32, &'a str, &'a [&'a str], &'a [&'a str], &'a str);

    #[track_caller]
    fn check(rows: &[Row<'_>]) {
        for (holds, pilots, script, happens, asks, after) in rows {
            let wreck = match *holds {
                "nothing" => WreckOdds { nothing: 100, ..NONE },
                "engine" => WreckOdds { engine: 100, ..NONE },
                "weapon" => WreckOdds { weapon: 100, ..NONE },
                "pilot" => WreckOdds { pilot: 100, ..NONE },
                "snakes" => WreckOdds { snakes: 100, ..NONE },
                other => panic!("{other} in a wreck"),
            };
            let mut scene = Scene::new(Rules { wreck, ..quiet_rules() }, 1);
            let car = scene.car(1, saying(MemoryCar::new("a", 4, *pilots, 2), script));
            scene.declare(Encounter::Wreck);
            let told = scene.told();
            let row = format!("{holds}, {pilots} pilots, {script:?}");
            assert_eq!(told[..2], ["car 1 moves 4 to 4", "car 1 meets: wreck (declared)"], "{row}");
            assert_eq!(told[2..], **happens, "{row}");
            let asked: Vec<String> = asks.iter().map(|line| format!("a: {line}")).collect();
            assert_eq!(scene.asked()[3..], asked, "{row}");
            assert_eq!(scene.sums_up(car), *after, "{row}");
        }
    }

    const ASKED: &str = "GET /event/wreck";
    const DELAYED: &str = "car 1 has 1 more to miss (wreck)";
    const SNAKES: &str = "car 1 searches the wreck: snakes";

    #[test]
    fn r_5_2_what_is_found() {
        check(&[
            (
                "nothing",
                1,
                "",
                &[DELAYED, "car 1 searches the wreck: nothing"],
                &[ASKED],
                "on 4, 1 to miss, 0 won, racing with 4 1 2",
            ),
            (
                "engine",
                1,
                "",
                &[
                    DELAYED,
                    "car 1 searches the wreck: one engine",
                    "car 1 gains engine \"engine-t1-c1-1\" (wreck)",
                ],
                &[ASKED, r#"POST /engine {"name":"engine-t1-c1-1"}"#, "GET /engine/count"],
                "on 4, 1 to miss, 0 won, racing with 5 1 2",
            ),
            (
                "weapon",
                1,
                "",
                &[
                    DELAYED,
                    "car 1 searches the wreck: one weapon",
                    "car 1 gains weapon \"weapon-t1-c1-1\" (wreck)",
                ],
                &[ASKED, r#"POST /weapon {"name":"weapon-t1-c1-1"}"#, "GET /weapon/count"],
                "on 4, 1 to miss, 0 won, racing with 4 1 3",
            ),
            (
                "pilot",
                1,
                "",
                &[
                    DELAYED,
                    "car 1 searches the wreck: one pilot",
                    "car 1 gains pilot \"pilot-t1-c1-1\" (wreck)",
                ],
                &[ASKED, r#"POST /pilot {"name":"pilot-t1-c1-1"}"#, "GET /pilot/count"],
                "on 4, 1 to miss, 0 won, racing with 4 2 2",
            ),
            (
                "snakes",
                2,
                "",
                &[DELAYED, SNAKES, "car 1 loses pilot \"pilot-2\" (snakes)"],
                &[ASKED, "DELETE /pilot/pilot-2", "GET /pilot/count"],
                "on 4, 1 to miss, 0 won, racing with 4 1 2",
            ),
        ]);
    }

    /// One penalty for a gain or a loss that is not done (R-7.2, R-7.3); R-7.4: without a pilot it is out.
    #[test]
    fn r_5_2_what_is_found_is_verified() {
        check(&[
            (
                "engine",
                1,
                "POST /engine: forgets",
                &[
                    DELAYED,
                    "car 1 searches the wreck: one engine",
                    "car 1 gains engine \"engine-t1-c1-1\" (wreck)",
                    "car 1 is penalised: GET /engine/count: expected 5, found 4",
                ],
                &[
                    ASKED,
                    r#"POST /engine {"name":"engine-t1-c1-1"}"#,
                    "GET /engine/count",
                    r#"PATCH /engine {"count":5}"#,
                ],
                "on 4, 2 to miss, 0 won, racing with 5 1 2",
            ),
            (
                "snakes",
                2,
                "DELETE /pilot*: forgets",
                &[
                    DELAYED,
                    SNAKES,
                    "car 1 loses pilot \"pilot-2\" (snakes)",
                    "car 1 is penalised: GET /pilot/count: expected 1, found 2",
                ],
                &[ASKED, "DELETE /pilot/pilot-2", "GET /pilot/count", r#"PATCH /pilot {"count":1}"#],
                "on 4, 2 to miss, 0 won, racing with 4 1 2",
            ),
            (
                "snakes",
                1,
                "",
                &[DELAYED, SNAKES, "car 1 loses pilot \"pilot-1\" (snakes)", "car 1 retires: no pilot"],
                &[ASKED, "DELETE /pilot/pilot-1", "DELETE /state"],
                "on 4, 1 to miss, 0 won, no pilot in turn 1 with 4 0 2",
            ),
        ]);
    }

    #[test]
    fn r_5_2_no_and_no_answer() {
        check(&[(
            "engine",
            1,
            "GET /event/wreck: false",
            &["car 1 leaves the wreck alone"],
            &[ASKED],
            "on 4, 0 to miss, 0 won, racing with 4 1 2",
        )]);
        for (answer, found) in [
            ("late", "no answer within the deadline"),
            ("status 500", "status 500"),
            ("2", "the answer was JSON, but not what was asked for"),
        ] {
            check(&[(
                "engine",
                1,
                &format!("GET /event/wreck: {answer}"),
                &[&format!(
                    "car 1 is penalised: GET /event/wreck (C-12): expected {}, found {found}",
                    expected_of(&CarRequest::Wreck, found)
                )],
                &[ASKED],
                "on 4, 1 to miss, 0 won, racing with 4 1 2",
            )]);
        }
    }

    /// In percent: nothing 50, an engine 25, a weapon 15, a pilot 8, snakes 2.
    #[test]
    fn r_5_2_the_odds() {
        const DRAWS: u32 = 1_500;
        let mut scene = Scene::quiet();
        scene.car(1, MemoryCar::new("a", 1, 2, 1));
        let mut race = scene.race.clone();
        let mut found = [0_u32; 5];
        for turn in 1..=DRAWS {
            race.turn = TurnNo(turn);
            let mut car = Conversation::open(&race, &scene.world, Topic::Encounter, &race.cars[&CarId(1)]);
            super::find(&mut car).now_or_never().expect("nobody is waited for");
            for event in car.take_events() {
                if let Event::WreckSearched { find, .. } = event {
                    found[FINDS.iter().position(|one| *one == find).expect("something known")] += 1;
                }
            }
        }
        assert_eq!(found.iter().sum::<u32>(), DRAWS);
        for (index, percent) in [50, 25, 15, 8, 2].into_iter().enumerate() {
            let expected = DRAWS * percent / 100;
            let spread = 10 + expected / 4;
            assert!(found[index].abs_diff(expected) <= spread, "{:?}: {found:?}", FINDS[index]);
        }
        assert_eq!(FINDS[3], Find::Module(Kind::Pilot));
    }
}
