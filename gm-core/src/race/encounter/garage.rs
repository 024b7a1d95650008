//! R-5.4: a garage, also for a car that misses this turn.
//!
//! All cars are offered at the same time. What they want is settled in the turn's order of priority against their
//! teams' budgets; what is paid is delivered, and the car moves back 1 square.

use crate::contract::{CarRequest, Kind};
use crate::ids::Dollars;
use crate::ports::World;
use crate::race::conversation::Conversation;
use crate::race::event::{Event, GainCause, StepCause};
use crate::race::turn::Turn;

/// The car is offered a module at these prices. Gives what it wants.
pub(super) async fn offer<W: World>(car: &mut Conversation<'_, W>) -> Option<Kind> {
    match car.buys().await {
        Ok(None) => {
            car.note(Event::GarageLeft { car: car.id() });
            None
        }
        Ok(order) => order,
        Err(fault) => {
            car.penalise_no_answer(CarRequest::Garage(car.rules.prices), fault);
            None
        }
    }
}

/// What is wanted is paid, in the order of priority in which `orders` come, as long as a team's budget lasts. Gives
/// what is to be delivered.
pub(super) fn settle<'a, W: World>(
    turn: &mut Turn<'_, W>,
    orders: Vec<(Conversation<'a, W>, Option<Kind>)>,
) -> Vec<(Conversation<'a, W>, Kind)> {
    let mut paid = Vec::new();
    for (car, order) in orders {
        let Some(kind) = order else { continue };
        let (id, team) = (car.id(), car.car.team);
        let price = Dollars(u64::from(car.rules.prices.of(kind)));
        let budget = turn.race.teams.get(&team).map_or(Dollars(0), |team| team.budget());
        if price <= budget {
            turn.emit(Event::ModuleBought { car: id, team, kind, price });
            paid.push((car, kind));
        } else {
            turn.emit(Event::TooExpensive { car: id, kind, price, budget });
        }
    }
    paid
}

/// The module is delivered, and the car moves back: one modification, with at most one penalty (R-7.5).
pub(super) async fn deliver<W: World>(mut car: Conversation<'_, W>, kind: Kind) -> Vec<Event> {
    let wrong_modules = car.gain_unpunished(kind, GainCause::Garage).await;
    let back = car.car.square.back(car.rules.garage_step_back);
    let wrong_square = car.step_unpunished(back, StepCause::Garage).await;
    if let Some(breach) = wrong_modules.or(wrong_square) {
        car.penalise(breach);
    }
    car.take_events()
}

#[cfg(test)]
mod tests {
    use crate::contract::CarRequest;
    use crate::contract::Kind;
    use crate::ids::Dollars;
    use crate::ids::{Points, TeamId};
    use crate::memory::MemoryCar;
    use crate::race::command::Command;
    use crate::race::jury::TeamCorrection;
    use crate::race::rules::Rules;
    use crate::race::state::Encounter;
    use crate::race::tests::{Scene, expected_of, quiet_rules, saying};

    fn set_budget(scene: &mut Scene, dollars: u64) {
        let budget = Some(Dollars(dollars));
        let correction =
            TeamCorrection { team: TeamId(1), reason: "the scene".to_owned(), budget, points: Points(0) };
        scene.order(Command::CorrectTeam(correction)).expect("a correction");
    }

    /// Columns: the team's budget; the square of a car that misses the turn; what it answers; what happens after it
    /// met the garage; what it is asked after the offer; what it is afterwards, and what the team has left.
    type Row<'a> = (u64, u32, &'a str, &'a [&'a str], &'a [&'a str], &'a str, u64);

    #[track_caller]
    fn check(rows: &[Row<'_>]) {
        for (budget, square, script, happens, asks, after, left) in rows {
            let mut scene = Scene::quiet();
            let car = scene.car_on(1, saying(MemoryCar::new("a", 4, 1, 2), script), *square);
            set_budget(&mut scene, *budget);
            scene.misses(car, 1);
            scene.declare(Encounter::Garage);
            let told = scene.told();
            let row = format!("${budget}, on {square}, {script:?}");
            assert_eq!(told[..2], ["car 1 misses the turn", "car 1 meets: garage (declared)"], "{row}");
            assert_eq!(told[2..], **happens, "{row}");
            let mut asked = vec![r#"a: POST /event/garage {"engine":2,"pilot":1,"weapon":2}"#.to_owned()];
            asked.extend(asks.iter().map(|line| format!("a: {line}")));
            assert_eq!(scene.asked(), asked, "{row}");
            assert_eq!(scene.sums_up(car), *after, "{row}");
            assert_eq!(scene.team(1).budget(), Dollars(*left), "{row}");
        }
    }

    const GAIN: &str = r#"POST /engine {"name":"engine-t1-c1-1"}"#;
    const BOUGHT: &str = "car 1 buys one engine for $2";
    const GAINED: &str = "car 1 gains engine \"engine-t1-c1-1\" (garage)";

    #[test]
    fn r_5_4_bought() {
        let asks: &[&str] = &[GAIN, "GET /engine/count", r#"PUT /state/position {"square":6}"#, "GET /state"];
        let happens: &[&str] = &[BOUGHT, GAINED, "car 1 steps to 6 (garage)"];
        let after = "on 6, 0 to miss, 0 won, racing with 5 1 2";
        let script = r#"POST /event/garage: "engine""#;
        check(&[
            (100, 7, script, happens, asks, after, 98),
            (2, 7, script, happens, asks, after, 0),
            (
                1,
                7,
                r#"POST /event/garage: "pilot""#,
                &[
                    "car 1 buys one pilot for $1",
                    "car 1 gains pilot \"pilot-t1-c1-1\" (garage)",
                    "car 1 steps to 6 (garage)",
                ],
                &[
                    r#"POST /pilot {"name":"pilot-t1-c1-1"}"#,
                    "GET /pilot/count",
                    r#"PUT /state/position {"square":6}"#,
                    "GET /state",
                ],
                "on 6, 0 to miss, 0 won, racing with 4 2 2",
                0,
            ),
            // C-22: taken at its value, and never silent about it.
            (
                100,
                7,
                r#"POST /event/garage: "ENGINE""#,
                &[
                    "car 1: POST /event/garage: accepted a kind of module in another case",
                    BOUGHT,
                    GAINED,
                    "car 1 steps to 6 (garage)",
                ],
                asks,
                after,
                98,
            ),
            // Not below square 0.
            (
                100,
                0,
                script,
                &[BOUGHT, GAINED, "car 1 steps to 0 (garage)"],
                &[GAIN, "GET /engine/count", r#"PUT /state/position {"square":0}"#, "GET /state"],
                "on 0, 0 to miss, 0 won, racing with 5 1 2",
                98,
            ),
        ]);
    }

    #[test]
    fn r_5_4_not_bought() {
        let after = "on 7, 0 to miss, 0 won, racing with 4 1 2";
        for (budget, answer, happens) in [
            (100, "\"none\"", "car 1 buys nothing"),
            (100, "null", "car 1 buys nothing"),
            (1, "\"engine\"", "car 1 can't buy one engine for $2: its team has $1"),
            (1, "\"weapon\"", "car 1 can't buy one weapon for $2: its team has $1"),
            (0, "\"pilot\"", "car 1 can't buy one pilot for $1: its team has $0"),
        ] {
            let script = format!("POST /event/garage: {answer}");
            check(&[(budget, 7, &script, &[happens], &[], after, budget)]);
        }
    }

    #[test]
    fn r_5_4_no_answer_is_a_penalty() {
        for (answer, found) in [
            ("late", "no answer within the deadline"),
            ("status 500", "status 500"),
            ("\"turbo\"", "the answer was JSON, but not what was asked for"),
            ("3", "the answer was JSON, but not what was asked for"),
        ] {
            check(&[(
                100,
                7,
                &format!("POST /event/garage: {answer}"),
                &[&format!(
                    "car 1 is penalised: POST /event/garage (C-14): expected {}, found {found}",
                    expected_of(&CarRequest::Garage(Rules::balanced().prices), found)
                )],
                &[],
                "on 7, 1 to miss, 0 won, racing with 4 1 2",
                100,
            )]);
        }
    }

    /// R-7.5: the purchase is one modification. Whatever goes wrong is told again, and costs one penalty.
    #[test]
    fn r_5_4_one_penalty_for_one_purchase() {
        let wrong_count = "car 1 is penalised: GET /engine/count: expected 5, found 4";
        let stepped = "car 1 steps to 6 (garage)";
        let put = r#"PUT /state/position {"square":6}"#;
        let count_again = r#"PATCH /engine {"count":5}"#;
        let square_again = r#"PATCH /state {"square":6}"#;
        let after = "on 6, 1 to miss, 0 won, racing with 5 1 2";
        check(&[
            (
                100,
                7,
                r#"POST /event/garage: "engine"; POST /engine: forgets"#,
                &[BOUGHT, GAINED, stepped, wrong_count],
                &[GAIN, "GET /engine/count", count_again, put, "GET /state"],
                after,
                98,
            ),
            (
                100,
                7,
                r#"POST /event/garage: "engine"; PUT /state/position: forgets"#,
                &[
                    BOUGHT,
                    GAINED,
                    stepped,
                    "car 1 is penalised: GET /state: expected square 6, found square 7",
                ],
                &[GAIN, "GET /engine/count", put, "GET /state", square_again],
                after,
                98,
            ),
            (
                100,
                7,
                r#"POST /event/garage: "engine"; POST /engine: forgets; PUT /state/position: forgets"#,
                &[BOUGHT, GAINED, stepped, wrong_count],
                &[GAIN, "GET /engine/count", count_again, put, "GET /state", square_again],
                after,
                98,
            ),
        ]);
    }

    /// The limit of 10 modules does not apply (R-7.2); the step back is a setting.
    #[test]
    fn r_5_4_settings() {
        for (garage_step_back, to) in [(0, 7), (5, 2), (9, 0)] {
            let mut scene = Scene::new(Rules { garage_step_back, ..quiet_rules() }, 1);
            let buyer = MemoryCar { buys: Some(Kind::Weapon), ..MemoryCar::new("a", 4, 1, 10) };
            let car = scene.car_on(1, buyer, 7);
            scene.misses(car, 1);
            scene.declare(Encounter::Garage);
            scene.told();
            let after = format!("on {to}, 0 to miss, 0 won, racing with 4 1 11");
            assert_eq!(scene.sums_up(car), after);
            assert_eq!(scene.the(car).furthest.0, 7, "it has been there");
        }
    }

    /// All cars are offered at the same time; one budget is spent in the order of priority, and never overspent.
    /// What the first can't pay is left for the next.
    #[test]
    fn r_5_4_purchases_in_the_order_of_priority() {
        let mut firsts = std::collections::BTreeSet::new();
        for seed in 1..8 {
            let mut scene = Scene::new(quiet_rules(), seed);
            let wants = [Kind::Engine, Kind::Weapon, Kind::Pilot, Kind::Engine];
            for (name, kind) in ["a", "b", "c", "d"].into_iter().zip(wants) {
                let car = scene.car(1, MemoryCar { buys: Some(kind), ..MemoryCar::new(name, 4, 1, 2) });
                scene.misses(car, 1);
            }
            let other = MemoryCar { buys: Some(Kind::Engine), ..MemoryCar::new("e", 4, 1, 2) };
            let other = scene.car_on(2, other, 9);
            scene.misses(other, 1);
            set_budget(&mut scene, 4);
            scene.declare(Encounter::Garage);
            let lines = scene.turn();
            let (order, _) =
                lines[1].strip_prefix("priority: ").and_then(|line| line.split_once(',')).expect("an order");

            let mut left = 4;
            let expected: Vec<String> = order
                .split(' ')
                .map(|car| {
                    let kind = match car {
                        "5" => return "car 5 buys one engine for $2".to_owned(),
                        "1" | "4" => Kind::Engine,
                        "2" => Kind::Weapon,
                        _ => Kind::Pilot,
                    };
                    let price = if kind == Kind::Pilot { 1 } else { 2 };
                    if price > left {
                        return format!("car {car} can't buy one {kind} for ${price}: its team has ${left}");
                    }
                    left -= price;
                    format!("car {car} buys one {kind} for ${price}")
                })
                .collect();
            let settled: Vec<&String> = lines.iter().filter(|line| line.contains(" buy")).collect();
            assert_eq!(settled, expected.iter().collect::<Vec<_>>(), "seed {seed}");
            assert_eq!((scene.team(1).budget(), scene.team(2).budget()), (Dollars(left), Dollars(98)));
            firsts.insert(order.chars().next());

            // The offers come before anything is delivered.
            let asked = scene.asked();
            let last_offer = asked.iter().rposition(|line| line.contains("/event/garage"));
            let first_delivery = asked.iter().position(|line| !line.contains("/event/garage"));
            assert!(last_offer < first_delivery, "{asked:?}");
        }
        assert!(firsts.len() > 2);
    }
}
