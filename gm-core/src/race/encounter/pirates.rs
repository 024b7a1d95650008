//! R-5.1: pirates attack, also a car that misses this turn.
//!
//! They have 1 to 5 weapons, and nobody is asked whether to fight. A car without a weapon is destroyed; one that
//! loses has a turn to miss and loses a module, as in a fight between cars (R-4.6).

use crate::arena::duel::Side;
use crate::ports::{Chain, Duellist, Topic, World};
use crate::race::conversation::Conversation;
use crate::race::duel::{self, Party};
use crate::race::event::{Combatant, Event, LossCause, Retirement};
use crate::random::Purpose;

pub(super) async fn attack<W: World>(car: &mut Conversation<'_, W>) {
    let id = car.id();
    let pirates = car.rules.pirates;
    let weapons = duel::weapons_of(car);
    let other_weapons = car.dice(Purpose::Pirates).between(pirates.least_weapons, pirates.most_weapons);
    car.note(Event::PiratesAttacked { car: id, weapons: other_weapons });
    if weapons == 0 {
        return car.retire(Retirement::Destroyed).await;
    }

    let winner = match duel::ask_for_ai(car, Topic::PirateDuel).await {
        None => Some(Side::Black),
        Some(ai) => {
            let mind = Duellist::Pirates {
                chain: Chain { topic: Topic::PirateMind, ..car.chain },
                mind: pirates.mind,
                seed: car.dice(Purpose::PirateMind).bits(),
            };
            let parties = [
                Party { who: Combatant::Car(id), weapons, ai },
                Party { who: Combatant::Pirates, weapons: other_weapons, ai: mind },
            ];
            let mut dice = car.dice(Purpose::PirateDuel);
            let (events, winner) = duel::play(car.world, car.rules, &mut dice, parties).await;
            for event in events {
                car.note(event);
            }
            winner
        }
    };

    let against = Combatant::Pirates;
    match winner {
        Some(Side::White) => car.note(Event::FightWon { car: id, against, weapons, other_weapons }),
        Some(Side::Black) => {
            duel::lose(car, against, Purpose::PirateLoss, LossCause::Pirates).await;
        }
        None => car.note(Event::FightDrawn { combatants: [Combatant::Car(id), against] }),
    }
}

#[cfg(test)]
mod tests {
    use crate::contract::{Answer, DuelQuestion, Fault, Kind};
    use crate::ids::{CarId, TurnNo};
    use crate::memory::MemoryCar;
    use crate::ports::{PirateMind, Topic};
    use crate::race::conversation::Conversation;
    use crate::race::event::Event;
    use crate::race::rules::{PirateRules, Rules};
    use crate::race::state::Encounter;
    use crate::race::tests::{Scene, quiet_rules, saying};
    use futures_util::FutureExt;
    use std::collections::BTreeMap;

    fn with_pirates(least_weapons: u32, most_weapons: u32) -> Rules {
        let pirates = PirateRules { least_weapons, most_weapons, mind: PirateMind::default() };
        Rules { pirates, ..quiet_rules() }
    }

    fn late(_: &DuelQuestion) -> Result<Answer, Fault> {
        Err(Fault::Late)
    }

    /// Columns: the weapons of a car on square 7 that misses the turn, so that it meets pirates and nothing else, and
    /// the pirates'; what it answers; who gives no answer in the duel; what happens; what the car is asked; what it is
    /// afterwards.
    type Row<'a> = (u32, u32, &'a str, &'a str, &'a [&'a str], &'a [&'a str], &'a str);

    #[track_caller]
    fn check(rows: &[Row<'_>]) {
        for (weapons, pirates, script, silent, happens, asks, after) in rows {
            let mut scene = Scene::new(with_pirates(*pirates, *pirates), 1);
            let car = scene.car_on(1, saying(MemoryCar::new("a", 0, 1, *weapons), script), 7);
            scene.misses(car, 1);
            scene.declare(Encounter::Pirates);
            match *silent {
                "car" => scene.world.teach("http://duel.ai/first", late),
                "pirates" => scene.world.teach_pirates(late),
                _ => {}
            }
            let row = format!("{weapons} against {pirates}, {script:?}, silent: {silent:?}");
            let told = scene.told();
            let attack = format!("pirates with {pirates} weapons attack car 1");
            assert_eq!(
                told[..3],
                ["car 1 misses the turn", "car 1 meets: pirates (declared)", &attack],
                "{row}"
            );
            assert_eq!(told[3..], **happens, "{row}");
            let asked: Vec<String> = asks.iter().map(|line| format!("a: {line}")).collect();
            assert_eq!(scene.asked(), asked, "{row}");
            assert_eq!(scene.sums_up(car), *after, "{row}");
        }
    }

    const URL: &str = "GET /fight/iaurl";
    const SQUARE: &str = r#"PATCH /state {"square":7}"#;
    const DUEL: &str = "duel: car 1 with 2 weapons against pirates with 4";
    const BLACK_WON: &str = "duel between car 1 and pirates after 0 turns: black won: the other gave no usable answer: no answer within the deadline";
    const LOST: &str = "car 1 loses against pirates";
    const LOST_WEAPON: &str = "car 1 loses weapon \"weapon-2\" (pirates)";
    const DELETE: &str = "DELETE /weapon/weapon-2";

    /// R-5.1: no `shouldfight`; a win counts as a fight won, a loss is as R-4.6, a draw has no effect.
    #[test]
    fn r_5_1_the_duel_with_pirates() {
        check(&[
            (
                2,
                4,
                "",
                "pirates",
                &[
                    DUEL,
                    "duel between car 1 and pirates after 1 turns: white won: the other gave no usable answer: no answer within the deadline",
                    "car 1 wins against pirates",
                ],
                &[URL],
                "on 7, 0 to miss, 1 won, racing with 0 1 2",
            ),
            (
                2,
                4,
                "",
                "car",
                &[DUEL, BLACK_WON, LOST, LOST_WEAPON],
                &[URL, SQUARE, "GET /state", DELETE, "GET /weapon/count"],
                "on 7, 1 to miss, 0 won, racing with 0 1 1",
            ),
            (
                12,
                13,
                "",
                "",
                &[
                    "duel: car 1 with 12 weapons against pirates with 13",
                    "duel between car 1 and pirates after 1 turns: a draw: a card had to be drawn and the pile was empty",
                    "nobody wins: car 1, pirates",
                ],
                &[URL],
                "on 7, 0 to miss, 0 won, racing with 0 1 12",
            ),
        ]);
    }

    #[test]
    fn r_5_1_without_a_weapon_it_is_destroyed() {
        check(&[(
            0,
            4,
            "",
            "",
            &["car 1 retires: destroyed"],
            &["DELETE /state"],
            "on 7, 0 to miss, 0 won, destroyed in turn 1 with 0 1 0",
        )]);
    }

    /// R-4.5: a car that gives no usable URL loses at once, and that is its whole punishment.
    #[test]
    fn r_5_1_without_a_duel_ai_it_loses() {
        const NO_URL: &str =
            r#"the answer was JSON, but not what was asked for: expected {"res": "http://…"}"#;
        for (answer, fault) in [
            ("late", "no answer within the deadline"),
            ("status 404", "status 404"),
            ("null", NO_URL),
            ("\"ftp://duel.ai\"", NO_URL),
        ] {
            check(&[(
                2,
                4,
                &format!("GET /fight/iaurl: {answer}"),
                "",
                &[&format!("car 1 has no usable duel AI: {fault}"), LOST, LOST_WEAPON],
                &[URL, SQUARE, "GET /state", DELETE, "GET /weapon/count"],
                "on 7, 1 to miss, 0 won, racing with 0 1 1",
            )]);
        }
    }

    /// R-7.5: the square and the loss are two modifications, with at most one penalty each.
    #[test]
    fn r_5_1_the_loser_is_verified() {
        check(&[
            (
                2,
                4,
                "GET /state: square 8",
                "car",
                &[
                    DUEL,
                    BLACK_WON,
                    LOST,
                    "car 1 is penalised: GET /state: expected square 7, found square 8",
                    LOST_WEAPON,
                ],
                &[URL, SQUARE, "GET /state", SQUARE, DELETE, "GET /weapon/count"],
                "on 7, 2 to miss, 0 won, racing with 0 1 1",
            ),
            (
                2,
                4,
                "DELETE /weapon*: forgets",
                "car",
                &[
                    DUEL,
                    BLACK_WON,
                    LOST,
                    LOST_WEAPON,
                    "car 1 is penalised: GET /weapon/count: expected 1, found 2",
                ],
                &[URL, SQUARE, "GET /state", DELETE, "GET /weapon/count", r#"PATCH /weapon {"count":1}"#],
                "on 7, 2 to miss, 0 won, racing with 0 1 1",
            ),
        ]);
    }

    /// Drawn evenly, both ends included.
    #[test]
    fn r_5_1_how_many_weapons_pirates_have() {
        for (least, most) in [(1, 5), (1, 8), (3, 3)] {
            let mut scene = Scene::new(with_pirates(least, most), 1);
            scene.car(1, MemoryCar::new("a", 0, 1, 0));
            let mut race = scene.race.clone();
            let mut drawn = BTreeMap::<u32, u32>::new();
            for turn in 1..=1_000 {
                race.turn = TurnNo(turn);
                let mut car =
                    Conversation::open(&race, &scene.world, Topic::Encounter, &race.cars[&CarId(1)]);
                super::attack(&mut car).now_or_never().expect("nobody is waited for");
                for event in car.take_events() {
                    if let Event::PiratesAttacked { weapons, .. } = event {
                        *drawn.entry(weapons).or_default() += 1;
                    }
                }
            }
            let expected = 1_000 / (most - least + 1);
            assert_eq!(drawn.keys().copied().collect::<Vec<_>>(), (least..=most).collect::<Vec<_>>());
            assert!(drawn.values().all(|times| times.abs_diff(expected) <= expected / 3), "{drawn:?}");
        }
    }

    /// A module drawn at random among all that it has: any of them, the last pilot too (R-7.4).
    #[test]
    fn r_5_1_any_module_can_be_lost() {
        let mut scene = Scene::new(with_pirates(1, 1), 1);
        let silent = saying(MemoryCar::new("a", 2, 1, 1), "GET /fight/iaurl: late");
        scene.car(1, silent);
        let mut race = scene.race.clone();
        let mut lost = BTreeMap::<String, u32>::new();
        for turn in 1..=400 {
            race.turn = TurnNo(turn);
            let mut car = Conversation::open(&race, &scene.world, Topic::Encounter, &race.cars[&CarId(1)]);
            super::attack(&mut car).now_or_never().expect("nobody is waited for");
            let retired = car.car.is_retired();
            for event in car.take_events() {
                if let Event::ModuleLost { module, .. } = event {
                    assert_eq!(retired, module.kind == Kind::Pilot);
                    *lost.entry(module.name).or_default() += 1;
                }
            }
        }
        let names: Vec<&str> = lost.keys().map(String::as_str).collect();
        assert_eq!(names, ["engine-1", "engine-2", "pilot-1", "weapon-1"]);
        assert!(lost.values().all(|times| (60..140).contains(times)), "{lost:?}");
    }
}
