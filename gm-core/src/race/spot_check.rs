//! R-3.4: spot checks.
//!
//! By chance a car is asked for its state, and must know its square and its modules; else a penalty, and the right
//! values are sent again.

use super::conversation::Conversation;
use super::event::{Event, Fact};
use super::turn::Turn;
use super::verification::What;
use crate::contract::{Found, Kind};
use crate::ports::{Topic, World};
use crate::random::Purpose;
use futures_util::future::join_all;

pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let (seed, number, percent) = (turn.race.seed, turn.race.turn, turn.race.rules.spot_check_percent);
    let checks = turn
        .race
        .racing_in_priority()
        .into_iter()
        .filter(|car| seed.stream(number, Purpose::SpotCheck, *car).percent(percent))
        .filter_map(|car| Some(check(turn.converse(Topic::SpotCheck, car)?)));
    let checked = join_all(checks).await;
    turn.emit_all(checked.into_iter().flatten());
}

async fn check<W: World>(mut car: Conversation<'_, W>) -> Vec<Event> {
    if let Some(breach) = car.verify(What::State).await {
        let (square, modules) = match &breach.found {
            Found::Value(Fact::State { square, modules }) => (Some(*square), Some(*modules)),
            _ => (None, None),
        };
        car.penalise(breach);
        let right = car.car.counts();
        if square != Some(u64::from(car.car.square.0)) {
            car.resend_square().await;
        }
        for kind in Kind::ALL {
            if modules.map(|modules| modules.of(kind)) != Some(right.of(kind)) {
                car.correct_count(kind).await;
            }
        }
    }
    car.take_events()
}

#[cfg(test)]
mod tests {
    use crate::ids::{CarId, TurnNo};
    use crate::memory::MemoryCar;
    use crate::race::event::{Event, Retirement};
    use crate::race::rules::Rules;
    use crate::race::tests::{Scene, quiet_rules, saying};
    use crate::race::turn::Turn;
    use futures_util::FutureExt;
    use std::collections::BTreeMap;

    fn always() -> Rules {
        Rules { spot_check_percent: 100, ..quiet_rules() }
    }

    /// Columns: what a car on square 7 with modules 4 1 2, which misses the turn, says of itself; what happens; what
    /// it is told after the check; its turns to miss.
    #[track_caller]
    fn check(rows: &[(&str, &[&str], &[&str], u32)]) {
        for (state, happens, asks, misses) in rows {
            let mut scene = Scene::new(always(), 1);
            let car = MemoryCar::new("a", 4, 1, 2);
            let car = match state.strip_prefix("modules ") {
                Some(counts) => with_modules(car, counts),
                None if state.is_empty() => car,
                None => saying(car, &format!("GET /state: {state}")),
            };
            let car = scene.car_on(1, car, 7);
            scene.misses(car, 1);
            let told = scene.told();
            assert_eq!(told[0], "car 1 misses the turn");
            assert_eq!(told[1..], **happens, "{state:?}");
            let mut asked = vec!["a: GET /state".to_owned()];
            asked.extend(asks.iter().map(|line| format!("a: {line}")));
            assert_eq!(scene.asked(), asked, "{state:?}");
            assert_eq!(scene.the(car).turns_to_miss, *misses, "{state:?}");
        }
    }

    /// A car that says that it has other modules than it was registered with.
    fn with_modules(car: MemoryCar, counts: &str) -> MemoryCar {
        let counts: Vec<u32> = counts.split(' ').map(|count| count.parse().expect("a count")).collect();
        let other = MemoryCar::new("a", counts[0], counts[1], counts[2]).modules;
        car.scripted(move |_, car| {
            car.modules.clone_from(&other);
            None
        })
    }

    const STATE: &str = r#"PATCH /state {"square":7}"#;
    const ENGINES: &str = r#"PATCH /engine {"count":4}"#;
    const PILOTS: &str = r#"PATCH /pilot {"count":1}"#;
    const WEAPONS: &str = r#"PATCH /weapon {"count":2}"#;

    /// R-3.4, R-7.5: one penalty whatever is wrong; what is wrong is sent again, and nothing else.
    #[test]
    fn r_3_4_a_spot_check() {
        let penalty = |found: &str| {
            format!(
                "car 1 is penalised: GET /state: expected square 7 with 4 engines, 1 pilots, 2 weapons, found {found}"
            )
        };
        check(&[("", &[], &[], 0)]);
        for (state, found, asks) in [
            ("square 8", "square 8 with 4 engines, 1 pilots, 2 weapons", vec![STATE]),
            ("modules 5 1 2", "square 7 with 5 engines, 1 pilots, 2 weapons", vec![ENGINES]),
            ("modules 4 0 2", "square 7 with 4 engines, 0 pilots, 2 weapons", vec![PILOTS]),
            ("modules 4 1 1", "square 7 with 4 engines, 1 pilots, 1 weapons", vec![WEAPONS]),
            ("modules 3 2 2", "square 7 with 3 engines, 2 pilots, 2 weapons", vec![ENGINES, PILOTS]),
            ("late", "no answer within the deadline", vec![STATE, ENGINES, PILOTS, WEAPONS]),
            ("status 500", "status 500", vec![STATE, ENGINES, PILOTS, WEAPONS]),
            ("1", "the answer was JSON, but not what was asked for", vec![STATE, ENGINES, PILOTS, WEAPONS]),
        ] {
            check(&[(state, &[&penalty(found)], &asks, 1)]);
        }
    }

    /// Each racing car is checked with the chance of the rules; a retired one never.
    #[test]
    fn r_3_4_the_odds() {
        for (spot_check_percent, low, high) in [(0, 0, 0), (5, 25, 75), (50, 430, 570), (100, 1_000, 1_000)] {
            let mut scene = Scene::new(Rules { spot_check_percent, ..quiet_rules() }, 1);
            for (team, name) in [(1, "a"), (2, "b"), (3, "c")] {
                scene.car(team, MemoryCar::new(name, 1, 1, 1));
            }
            scene.happen(Event::CarRetired { car: CarId(2), reason: Retirement::Destroyed });
            let mut race = scene.race.clone();
            let mut checked = BTreeMap::<String, u32>::new();
            for turn in 1..=500 {
                race.turn = TurnNo(turn);
                race.apply(&Event::TurnStarted { turn: TurnNo(turn) });
                let order = [3, 2, 1].map(CarId).to_vec();
                race.apply(&Event::PriorityDrawn { order, missing: vec![] });
                let mut turn = Turn::of(&race, &scene.world);
                super::run(&mut turn).now_or_never().expect("nobody is waited for");
                assert_eq!(turn.events, []);
                for asked in scene.asked() {
                    *checked.entry(asked).or_default() += 1;
                }
            }
            let of = |car: &str| checked.get(&format!("{car}: GET /state")).copied().unwrap_or(0);
            assert_eq!(of("b"), 0);
            let all = of("a") + of("c");
            assert!((low..=high).contains(&all), "{spot_check_percent} %: {checked:?}");
            assert!(of("a").abs_diff(of("c")) <= 60, "{checked:?}");
        }
    }

    /// After the encounters, in the order of priority.
    #[test]
    fn r_3_6_spot_checks_in_the_order_of_priority() {
        let mut scene = Scene::new(always(), 1);
        for (team, name) in [(1, "a"), (2, "b"), (3, "c"), (1, "d")] {
            let car = scene.car(team, saying(MemoryCar::new(name, 1, 1, 1), "GET /state: late"));
            scene.misses(car, 1);
        }
        let lines = scene.turn();
        let (order, _) =
            lines[1].strip_prefix("priority: ").and_then(|line| line.split_once(',')).expect("an order");
        let penalised: Vec<&str> = lines
            .iter()
            .filter(|line| line.contains(" is penalised"))
            .filter_map(|line| line.split(' ').nth(1))
            .collect();
        assert_eq!(penalised.join(" "), order);
        assert_ne!(order, "1 2 3 4");
    }
}
