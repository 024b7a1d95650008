//! R-5.3: a minefield.
//!
//! A car that drives through it loses a module with a chance of 80 %; one that goes round, or does not answer, has
//! 3 turns to miss.

use crate::ports::World;
use crate::race::conversation::Conversation;
use crate::race::event::{DelayCause, Event, LossCause};
use crate::random::Purpose;

pub(super) async fn approach<W: World>(car: &mut Conversation<'_, W>) {
    match car.crosses_mines().await {
        Ok(true) => cross(car).await,
        Ok(false) => go_round(car, None),
        Err(fault) => go_round(car, Some(fault)),
    }
}

async fn cross<W: World>(car: &mut Conversation<'_, W>) {
    let mut dice = car.dice(Purpose::Mine);
    let damaged = dice.percent(car.rules.mine.damage_percent);
    car.note(Event::MinefieldCrossed { car: car.id(), damaged });
    let lost = dice.pick(&car.car.modules).cloned();
    if let (true, Some(module)) = (damaged, lost) {
        car.lose(module, LossCause::Minefield).await;
    }
}

/// The detour is the whole punishment for not answering.
fn go_round<W: World>(car: &mut Conversation<'_, W>, fault: Option<crate::contract::Fault>) {
    let id = car.id();
    let turns = car.rules.mine.detour_turns;
    car.note(Event::MinefieldAvoided { car: id, fault });
    car.note(Event::TurnsToMissAdded { car: id, turns, cause: DelayCause::Minefield });
}

#[cfg(test)]
mod tests {
    use crate::ids::{CarId, TurnNo};
    use crate::memory::MemoryCar;
    use crate::ports::Topic;
    use crate::race::conversation::Conversation;
    use crate::race::event::Event;
    use crate::race::rules::{MineRules, Rules};
    use crate::race::state::Encounter;
    use crate::race::tests::{Scene, quiet_rules, saying};
    use futures_util::FutureExt;
    use std::collections::BTreeMap;

    fn mines(damage_percent: u32, detour_turns: u32) -> Rules {
        Rules { mine: MineRules { damage_percent, detour_turns }, ..quiet_rules() }
    }

    /// Columns: chance of damage, turns of the detour; pilots of a car with 1 engine and no weapon; what it answers;
    /// what happens after it met the minefield; what it is asked then; what it is afterwards.
    type Row<'a> = ((u32, u32), u32, &'a str, &'a [&'a str], &'a [&'a str], &'a str);

    #[track_caller]
    fn check(rows: &[Row<'_>]) {
        for ((percent, turns), pilots, script, happens, asks, after) in rows {
            let mut scene = Scene::new(mines(*percent, *turns), 1);
            let car = scene.car(1, saying(MemoryCar::new("a", 1, *pilots, 0), script));
            scene.declare(Encounter::Minefield);
            let told = scene.told();
            let row = format!("{percent} %, {turns} turns, {pilots} pilots, {script:?}");
            assert_eq!(told[..2], ["car 1 moves 1 to 1", "car 1 meets: minefield (declared)"], "{row}");
            assert_eq!(told[2..], **happens, "{row}");
            let asked: Vec<String> = asks.iter().map(|line| format!("a: {line}")).collect();
            assert_eq!(scene.asked()[3..], asked, "{row}");
            assert_eq!(scene.sums_up(car), *after, "{row}");
        }
    }

    const ASKED: &str = "GET /event/mine";
    const DAMAGED: &str = "car 1 is damaged in the minefield";

    #[test]
    fn r_5_3_through_it() {
        check(&[
            (
                (0, 3),
                1,
                "GET /event/mine: true",
                &["car 1 crosses the minefield unharmed"],
                &[ASKED],
                "on 1, 0 to miss, 0 won, racing with 1 1 0",
            ),
            (
                (100, 3),
                2,
                "GET /event/mine: true",
                &[DAMAGED, "car 1 loses pilot \"pilot-2\" (minefield)"],
                &[ASKED, "DELETE /pilot/pilot-2", "GET /pilot/count"],
                "on 1, 0 to miss, 0 won, racing with 1 1 0",
            ),
            (
                (100, 3),
                2,
                "GET /event/mine: true; DELETE /pilot*: forgets",
                &[
                    DAMAGED,
                    "car 1 loses pilot \"pilot-2\" (minefield)",
                    "car 1 is penalised: GET /pilot/count: expected 1, found 2",
                ],
                &[ASKED, "DELETE /pilot/pilot-2", "GET /pilot/count", r#"PATCH /pilot {"count":1}"#],
                "on 1, 1 to miss, 0 won, racing with 1 1 0",
            ),
        ]);
    }

    /// The detour is the whole punishment for an error or a time-out.
    #[test]
    fn r_5_3_round_it() {
        let more = "car 1 has 3 more to miss (minefield)";
        let after = "on 1, 3 to miss, 0 won, racing with 1 1 0";
        check(&[
            (
                (100, 3),
                1,
                "GET /event/mine: false",
                &["car 1 goes round the minefield", more],
                &[ASKED],
                after,
            ),
            (
                (100, 5),
                1,
                "GET /event/mine: false",
                &["car 1 goes round the minefield", "car 1 has 5 more to miss (minefield)"],
                &[ASKED],
                "on 1, 5 to miss, 0 won, racing with 1 1 0",
            ),
        ]);
        for (answer, found) in [
            ("late", "no answer within the deadline"),
            ("status 500", "status 500"),
            ("\"perhaps\"", "the answer was JSON, but not what was asked for"),
        ] {
            check(&[(
                (100, 3),
                1,
                &format!("GET /event/mine: {answer}"),
                &[&format!("car 1 goes round the minefield: {found}"), more],
                &[ASKED],
                after,
            )]);
        }
    }

    /// With 80 % it loses a module drawn at random; any of them, and nothing otherwise.
    #[test]
    fn r_5_3_the_odds() {
        let mut scene = Scene::quiet();
        scene.car(1, saying(MemoryCar::new("a", 1, 1, 2), "GET /event/mine: true"));
        let mut race = scene.race.clone();
        let mut unharmed = 0_u32;
        let mut lost = BTreeMap::<String, u32>::new();
        for turn in 1..=1_000 {
            race.turn = TurnNo(turn);
            let mut car = Conversation::open(&race, &scene.world, Topic::Encounter, &race.cars[&CarId(1)]);
            super::approach(&mut car).now_or_never().expect("nobody is waited for");
            let events = car.take_events();
            match &events[..] {
                [Event::MinefieldCrossed { damaged: false, .. }] => unharmed += 1,
                [Event::MinefieldCrossed { damaged: true, .. }, Event::ModuleLost { module, .. }, ..] => {
                    *lost.entry(module.name.clone()).or_default() += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        assert!((150..250).contains(&unharmed), "{unharmed}");
        assert_eq!(lost.len(), 4);
        assert!(lost.values().all(|times| (150..250).contains(times)), "{lost:?}");
    }
}
