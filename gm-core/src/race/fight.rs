//! R-4: fights between cars.
//!
//! Two cars of different teams on the same square are asked whether they want to fight; if one does, both must. All
//! fights of a turn go on at the same time: no car is in two of them.

use super::conversation::Conversation;
use super::duel::{self, Party};
use super::event::{Combatant, Event, GainCause, LossCause, Retirement};
use super::rules::Spoils;
use super::state::{Car, Race};
use super::turn::Turn;
use crate::arena::duel::Side;
use crate::contract::CarRequest;
use crate::ids::{CarId, TeamId};
use crate::ports::{Topic, World};
use crate::random::Purpose;
use futures_util::future::{join, join_all};
use std::collections::BTreeMap;

pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let pairs = draw_pairs(&turn.race);
    for cars @ [first, _] in &pairs {
        let Some(place) = turn.race.cars.get(first).map(|car| turn.race.place_of(car)) else { continue };
        turn.emit(Event::CarsMet { cars: *cars, place });
    }
    let fights = pairs.iter().filter_map(|[a, b]| {
        let [a, b] = [turn.converse(Topic::Fight, *a)?, turn.converse(Topic::Fight, *b)?];
        Some(Fight { cars: [a.id(), b.id()], a, b, events: Vec::new() }.meet())
    });
    let fought = join_all(fights).await;
    turn.emit_all(fought.into_iter().flatten());
}

/// Whether two cars can fight (R-4.1).
fn can_fight(race: &Race, a: &Car, b: &Car) -> bool {
    let rules = &race.rules;
    a.is_racing()
        && b.is_racing()
        && a.team != b.team
        && race.place_of(a).distance(race.place_of(b), rules.track_length) <= rules.combat_range
        && (rules.meet_again || !race.met.contains(&(a.id.min(b.id), a.id.max(b.id))))
}

/// Draws the pairs that meet in this turn (R-4.2): of all that are still possible, first two teams that have one
/// between them, then one of their pairs; both cars leave; until none is left.
fn draw_pairs(race: &Race) -> Vec<[CarId; 2]> {
    let mut possible = BTreeMap::<[TeamId; 2], Vec<[CarId; 2]>>::new();
    let mut cars = race.cars.values();
    while let Some(a) = cars.next() {
        for b in cars.clone().filter(|b| can_fight(race, a, b)) {
            let teams = [a.team.min(b.team), a.team.max(b.team)];
            possible.entry(teams).or_default().push([a.id, b.id]);
        }
    }
    let mut dice = race.seed.stream(race.turn, Purpose::Pairs, CarId(0));
    let mut drawn = Vec::new();
    // Each draw takes two cars away.
    for _ in 0..race.cars.len() {
        let teams: Vec<&Vec<[CarId; 2]>> = possible.values().collect();
        let Some(pair) = dice.pick(&teams).copied().and_then(|pairs| dice.pick(pairs)).copied() else {
            break;
        };
        possible.retain(|_, pairs| {
            pairs.retain(|cars| cars.iter().all(|car| !pair.contains(car)));
            !pairs.is_empty()
        });
        drawn.push(pair);
    }
    drawn
}

/// A fight between two cars, with what has happened in it so far, in order.
struct Fight<'a, W: World> {
    cars: [CarId; 2],
    a: Conversation<'a, W>,
    b: Conversation<'a, W>,
    events: Vec<Event>,
}

impl<W: World> Fight<'_, W> {
    /// Both are asked whether they want to fight; if one does, it starts (R-4.3).
    async fn meet(mut self) -> Vec<Event> {
        let cars = self.cars;
        let teams = [self.a.car.team, self.b.car.team];
        let (a, b) = join(wants_to_fight(&mut self.a, teams[1]), wants_to_fight(&mut self.b, teams[0])).await;
        self.collect();
        if a == Some(true) || b == Some(true) {
            self.events.push(Event::FightStarted { cars, willing: [a == Some(true), b == Some(true)] });
            self.fight().await;
        } else {
            let by_both = a == Some(false) && b == Some(false);
            self.events.push(Event::FightDeclined { cars, teams, by_both });
        }
        self.collect();
        self.events
    }

    /// A car without a weapon is destroyed (R-4.4); two with weapons fight a duel.
    async fn fight(&mut self) {
        match [duel::weapons_of(&self.a), duel::weapons_of(&self.b)] {
            [0, 0] => {
                join(self.a.retire(Retirement::Destroyed), self.b.retire(Retirement::Destroyed)).await;
                self.collect();
                self.drawn();
            }
            weapons @ [0, _] => {
                self.a.retire(Retirement::Destroyed).await;
                self.won(Side::Black, weapons);
            }
            weapons @ [_, 0] => {
                self.b.retire(Retirement::Destroyed).await;
                self.won(Side::White, weapons);
            }
            weapons => self.duel(weapons).await,
        }
    }

    /// Both are asked for their duel AI (R-4.5), and the duel is played (R-4.6).
    async fn duel(&mut self, weapons: [u32; 2]) {
        let topic = Topic::FightDuel;
        let ais = join(duel::ask_for_ai(&mut self.a, topic), duel::ask_for_ai(&mut self.b, topic)).await;
        self.collect();
        let winner = match ais {
            (None, None) => None,
            (Some(_), None) => Some(Side::White),
            (None, Some(_)) => Some(Side::Black),
            (Some(a), Some(b)) => {
                let party =
                    |at: usize, ai| Party { who: Combatant::Car(self.cars[at]), weapons: weapons[at], ai };
                let parties = [party(0, a), party(1, b)];
                let mut dice = self.a.dice(Purpose::Duel);
                let (events, winner) = duel::play(self.a.world, self.a.rules, &mut dice, parties).await;
                self.events.extend(events);
                winner
            }
        };
        match winner {
            None => self.drawn(),
            Some(side) => {
                self.won(side, weapons);
                self.aftermath(side).await;
            }
        }
    }

    /// The loser is punished, and the winner may take what it lost (R-7.6).
    async fn aftermath(&mut self, winner: Side) {
        let (winner, loser) = match winner {
            Side::White => (&mut self.a, &mut self.b),
            Side::Black => (&mut self.b, &mut self.a),
        };
        let against = Combatant::Car(winner.id());
        let lost = duel::lose(loser, against, Purpose::FightLoss, LossCause::Fight).await;
        self.events.extend(loser.take_events());
        if let (Spoils::WinnerTakes, Some(module)) = (winner.rules.spoils, lost) {
            winner.gain(module.kind, GainCause::Spoils).await;
        }
    }

    fn won(&mut self, winner: Side, weapons: [u32; 2]) {
        self.collect();
        let (mine, other) = (winner.index(), winner.other().index());
        let event = Event::FightWon {
            car: self.cars[mine],
            against: Combatant::Car(self.cars[other]),
            weapons: weapons[mine],
            other_weapons: weapons[other],
        };
        match winner {
            Side::White => self.a.note(event),
            Side::Black => self.b.note(event),
        }
        self.collect();
    }

    fn drawn(&mut self) {
        self.events.push(Event::FightDrawn { combatants: self.cars.map(Combatant::Car) });
    }

    /// What happened in the two conversations becomes what happened in the fight.
    fn collect(&mut self) {
        self.events.extend(self.a.take_events());
        self.events.extend(self.b.take_events());
    }
}

/// Whether a car wants to fight; an error counts as no, and is a penalty.
async fn wants_to_fight<W: World>(car: &mut Conversation<'_, W>, other: TeamId) -> Option<bool> {
    match car.should_fight(other).await {
        Ok(wants) => Some(wants),
        Err(fault) => {
            car.penalise_no_answer(CarRequest::ShouldFight(other), fault);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{can_fight, draw_pairs};
    use crate::contract::CarRequest;
    use crate::contract::{Answer, DuelQuestion, Fault, Kind};
    use crate::ids::{CarId, TurnNo};
    use crate::memory::MemoryCar;
    use crate::race::event::{Event, Retirement};
    use crate::race::rules::{Rules, Spoils};
    use crate::race::tests::{Scene, expected_of, quiet_rules, saying};
    use std::collections::{BTreeMap, BTreeSet};

    fn late(_: &DuelQuestion) -> Result<Answer, Fault> {
        Err(Fault::Late)
    }

    /// A car in words: how many weapons it has, whether it wants to fight, and where its duel AI is. `ai` answers
    /// in the duel, `silent` does not.
    fn car(name: &str, words: &str) -> MemoryCar {
        let mut words = words.split(' ');
        let weapons = words.next().and_then(|weapons| weapons.parse().ok()).expect("its weapons");
        let fights = words.next().expect("whether it wants to fight");
        let url = words.next().expect("its duel AI");
        let url = match url {
            "ai" | "silent" => format!("\"http://duel.ai/{url}\""),
            "404" => "status 404".to_owned(),
            other => other.to_owned(),
        };
        let rest = words.collect::<Vec<_>>().join(" ");
        saying(
            MemoryCar::new(name, 0, 1, weapons),
            &format!("GET /fight/shouldfight?id*: {fights}; GET /fight/iaurl: {url}; {rest}"),
        )
    }

    /// Two cars, of teams 1 and 2, that miss the turn on square 7. By this seed white plays first, and a loser with two
    /// weapons loses the second.
    fn two_cars(rules: Rules, a: &str, b: &str) -> Scene {
        let mut scene = Scene::new(rules, 47);
        for (team, name, words) in [(1, "a", a), (2, "b", b)] {
            let car = scene.car_on(team, car(name, words), 7);
            scene.misses(car, 1);
        }
        scene.world.teach("http://duel.ai/silent", late);
        scene
    }

    /// Columns: the two cars; what happens after they met; what they are asked; what they are afterwards.
    type Row<'a> = (&'a str, &'a str, &'a [&'a str], &'a [&'a str], [&'a str; 2]);

    #[track_caller]
    fn check_under(rules: &Rules, rows: &[Row<'_>]) {
        for (a, b, happens, asks, after) in rows {
            let mut scene = two_cars(rules.clone(), a, b);
            let row = format!("{a} | {b}");
            let told = scene.told();
            assert_eq!(told[2], "cars 1 and 2 meet on place 7", "{row}");
            assert_eq!(told[3..], **happens, "{row}");
            assert_eq!(scene.asked(), **asks, "{row}");
            assert_eq!([CarId(1), CarId(2)].map(|car| scene.sums_up(car)), *after, "{row}");
        }
    }

    #[track_caller]
    fn check(rows: &[Row<'_>]) {
        check_under(&quiet_rules(), rows);
    }

    const A_WANTS: &str = "a: GET /fight/shouldfight?id=2";
    const B_WANTS: &str = "b: GET /fight/shouldfight?id=1";
    const A_URL: &str = "a: GET /fight/iaurl";
    const B_URL: &str = "b: GET /fight/iaurl";
    const FIGHT: &str = "cars 1 and 2 fight";
    const SAME: &str = "on 7, 0 to miss, 0 won, racing with 0 1 2";
    const DUEL: &str = "duel: car 1 with 2 weapons against car 2 with 2";
    const BLACK_SILENT: &str = "duel between car 1 and car 2 after 1 turns: white won: the other gave no usable answer: no answer within the deadline";
    const WHITE_SILENT: &str = "duel between car 1 and car 2 after 0 turns: black won: the other gave no usable answer: no answer within the deadline";

    /// If neither wants to, there is no fight; only two valid refusals are those of pacifists (R-9.6).
    #[test]
    fn r_4_3_nobody_wants_to() {
        let asks: &[&str] = &[A_WANTS, B_WANTS];
        let declined = "cars 1 and 2 don't fight";
        let penalty = |car: u32, found: &str| {
            let other = 3 - car;
            let expected = expected_of(&CarRequest::ShouldFight(crate::ids::TeamId(other)), found);
            format!(
                "car {car} is penalised: GET /fight/shouldfight?id={other} (C-15): expected {expected}, found {found}"
            )
        };
        let late = "no answer within the deadline";
        let penalised = "on 7, 1 to miss, 0 won, racing with 0 1 2";
        check(&[
            ("2 false ai", "2 false ai", &["cars 1 and 2 don't fight: both refuse"], asks, [SAME, SAME]),
            ("2 late ai", "2 false ai", &[&penalty(1, late), declined], asks, [penalised, SAME]),
            (
                "2 false ai",
                "2 7 ai",
                &[&penalty(2, "the answer was JSON, but not what was asked for"), declined],
                asks,
                [SAME, penalised],
            ),
            (
                "2 late ai",
                "2 late ai",
                &[&penalty(1, late), &penalty(2, late), declined],
                asks,
                [penalised, penalised],
            ),
            // Whether they have weapons does not matter then.
            (
                "0 false ai",
                "0 false ai",
                &["cars 1 and 2 don't fight: both refuse"],
                asks,
                ["on 7, 0 to miss, 0 won, racing with 0 1 0", "on 7, 0 to miss, 0 won, racing with 0 1 0"],
            ),
        ]);
        let mut scene = two_cars(quiet_rules(), "2 false ai", "2 late ai");
        let pacifist = |lines: &[String]| lines.iter().filter(|line| line.contains("Pacifiste")).count();
        assert_eq!(pacifist(&scene.turn()), 0);
        let mut scene = two_cars(quiet_rules(), "2 false ai", "2 false ai");
        assert_eq!(pacifist(&scene.turn()), 2, "both teams");
    }

    /// If one wants to, both must; an error of the other is a penalty all the same.
    #[test]
    fn r_4_3_one_is_enough() {
        let asks: &[&str] = &[A_WANTS, B_WANTS, A_URL, B_URL];
        let won = "on 7, 0 to miss, 1 won, racing with 0 1 2";
        let wins = "car 1 wins against car 2";
        let loses = "car 2 loses against car 1";
        let lost = "car 2 loses weapon \"weapon-2\" (fight)";
        let after_loss: &[&str] = &[
            "b: PATCH /state {\"square\":7}",
            "b: GET /state",
            "b: DELETE /weapon/weapon-2",
            "b: GET /weapon/count",
        ];
        let asks: Vec<&str> = asks.iter().chain(after_loss).copied().collect();
        let loser = "on 7, 1 to miss, 0 won, racing with 0 1 1";
        for (a, b) in [("true", "true"), ("true", "false"), ("false", "true")] {
            check(&[(
                &format!("2 {a} ai"),
                &format!("2 {b} silent"),
                &[FIGHT, DUEL, BLACK_SILENT, wins, loses, lost],
                &asks,
                [won, loser],
            )]);
        }
        check(&[(
            "2 nonsense ai",
            "2 true silent",
            &[
                r#"car 1 is penalised: GET /fight/shouldfight?id=2 (C-15): expected {"res": true} or {"res": false}, found the answer was not JSON"#,
                FIGHT,
                DUEL,
                BLACK_SILENT,
                wins,
                loses,
                lost,
            ],
            &asks,
            ["on 7, 1 to miss, 1 won, racing with 0 1 2", loser],
        )]);
        for (a, b, willing) in [
            ("true", "false", [true, false]),
            ("false", "true", [false, true]),
            ("late", "true", [false, true]),
        ] {
            let mut scene = two_cars(quiet_rules(), &format!("2 {a} ai"), &format!("2 {b} ai"));
            scene.turn();
            let started = scene.history.iter().find_map(|event| match event {
                Event::FightStarted { willing, .. } => Some(*willing),
                _ => None,
            });
            assert_eq!(started, Some(willing), "{a}, {b}");
        }
    }

    /// R-4.4: no duel and no loss; the winner's fight counts. R-7.4: told once that it is out of the race.
    #[test]
    fn r_4_4_without_a_weapon() {
        let destroyed = "on 7, 0 to miss, 0 won, destroyed in turn 1 with 0 1 0";
        let won = "on 7, 0 to miss, 1 won, racing with 0 1 2";
        check(&[
            (
                "0 true ai",
                "2 false ai",
                &[FIGHT, "car 1 retires: destroyed", "car 2 wins against car 1"],
                &[A_WANTS, B_WANTS, "a: DELETE /state"],
                [destroyed, won],
            ),
            (
                "2 true ai",
                "0 false ai",
                &[FIGHT, "car 2 retires: destroyed", "car 1 wins against car 2"],
                &[A_WANTS, B_WANTS, "b: DELETE /state"],
                [won, destroyed],
            ),
            (
                "0 true ai",
                "0 true ai",
                &[FIGHT, "car 1 retires: destroyed", "car 2 retires: destroyed", "nobody wins: car 1, car 2"],
                &[A_WANTS, B_WANTS, "a: DELETE /state", "b: DELETE /state"],
                [destroyed, destroyed],
            ),
        ]);
        for (a, b, weapons, other) in [("0 true ai", "2 true ai", 2, 0), ("5 true ai", "0 true ai", 5, 0)] {
            let mut scene = two_cars(quiet_rules(), a, b);
            scene.turn();
            assert_eq!(won_with(&scene), [(weapons, other)], "{a} | {b}");
        }
    }

    /// The winners' and the others' weapons.
    fn won_with(scene: &Scene) -> Vec<(u32, u32)> {
        scene
            .history
            .iter()
            .filter_map(|event| match event {
                Event::FightWon { weapons, other_weapons, .. } => Some((*weapons, *other_weapons)),
                _ => None,
            })
            .collect()
    }

    /// R-4.5: the loss is its whole punishment; two without are a draw.
    #[test]
    fn r_4_5_without_a_duel_ai() {
        let asks: &[&str] = &[A_WANTS, B_WANTS, A_URL, B_URL];
        let with = |more: &[&'static str]| -> Vec<&str> { asks.iter().chain(more).copied().collect() };
        let won = "on 7, 0 to miss, 1 won, racing with 0 1 2";
        let loser = "on 7, 1 to miss, 0 won, racing with 0 1 1";
        check(&[
            (
                "2 true late",
                "2 false ai",
                &[
                    FIGHT,
                    "car 1 has no usable duel AI: no answer within the deadline",
                    "car 2 wins against car 1",
                    "car 1 loses against car 2",
                    "car 1 loses weapon \"weapon-2\" (fight)",
                ],
                &with(&[
                    "a: PATCH /state {\"square\":7}",
                    "a: GET /state",
                    "a: DELETE /weapon/weapon-2",
                    "a: GET /weapon/count",
                ]),
                [loser, won],
            ),
            (
                "2 true ai",
                "2 true \"duel.ai\"",
                &[
                    FIGHT,
                    r#"car 2 has no usable duel AI: the answer was JSON, but not what was asked for: expected {"res": "http://…"}"#,
                    "car 1 wins against car 2",
                    "car 2 loses against car 1",
                    "car 2 loses weapon \"weapon-2\" (fight)",
                ],
                &with(&[
                    "b: PATCH /state {\"square\":7}",
                    "b: GET /state",
                    "b: DELETE /weapon/weapon-2",
                    "b: GET /weapon/count",
                ]),
                [won, loser],
            ),
            (
                "2 true null",
                "2 true 404",
                &[
                    FIGHT,
                    r#"car 1 has no usable duel AI: the answer was JSON, but not what was asked for: expected {"res": "http://…"}"#,
                    "car 2 has no usable duel AI: status 404",
                    "nobody wins: car 1, car 2",
                ],
                asks,
                [SAME, SAME],
            ),
        ]);
    }

    /// R-4.6: a draw has no effect; both sides can win and lose.
    #[test]
    fn r_4_6_the_duel_is_played() {
        let asks: &[&str] = &[A_WANTS, B_WANTS, A_URL, B_URL];
        let with = |more: &[&'static str]| -> Vec<&str> { asks.iter().chain(more).copied().collect() };
        let won = "on 7, 0 to miss, 1 won, racing with 0 1 2";
        let loser = "on 7, 1 to miss, 0 won, racing with 0 1 1";
        let square = "a: PATCH /state {\"square\":7}";
        let happens = &[
            FIGHT,
            DUEL,
            WHITE_SILENT,
            "car 2 wins against car 1",
            "car 1 loses against car 2",
            "car 1 loses weapon \"weapon-2\" (fight)",
        ];
        check(&[
            (
                "2 true silent",
                "2 true ai",
                happens,
                &with(&[square, "a: GET /state", "a: DELETE /weapon/weapon-2", "a: GET /weapon/count"]),
                [loser, won],
            ),
            (
                "13 true ai",
                "13 true ai",
                &[
                    FIGHT,
                    "duel: car 1 with 13 weapons against car 2 with 13",
                    "duel between car 1 and car 2 after 1 turns: a draw: a card had to be drawn and the pile was empty",
                    "nobody wins: car 1, car 2",
                ],
                asks,
                ["on 7, 0 to miss, 0 won, racing with 0 1 13", "on 7, 0 to miss, 0 won, racing with 0 1 13"],
            ),
            // The square and the loss are two modifications, with one penalty each (R-7.5).
            (
                "2 true silent GET /state: square 8; DELETE /weapon*: forgets",
                "2 true ai",
                &[
                    FIGHT,
                    DUEL,
                    WHITE_SILENT,
                    "car 2 wins against car 1",
                    "car 1 loses against car 2",
                    "car 1 is penalised: GET /state: expected square 7, found square 8",
                    "car 1 loses weapon \"weapon-2\" (fight)",
                    "car 1 is penalised: GET /weapon/count: expected 1, found 2",
                ],
                &with(&[
                    square,
                    "a: GET /state",
                    square,
                    "a: DELETE /weapon/weapon-2",
                    "a: GET /weapon/count",
                    "a: PATCH /weapon {\"count\":1}",
                ]),
                ["on 7, 3 to miss, 0 won, racing with 0 1 1", won],
            ),
        ]);
        let mut scene = two_cars(quiet_rules(), "3 true silent", "2 true ai");
        scene.turn();
        assert_eq!(won_with(&scene), [(2, 3)]);
        let mut scene = two_cars(quiet_rules(), "3 true ai", "2 true silent");
        scene.turn();
        assert_eq!(won_with(&scene), [(3, 2)]);
    }

    /// R-7.6: destroyed, or the winner gains it under a new name; what the winner does not do is its own penalty.
    #[test]
    fn r_7_6_spoils() {
        let rules = Rules { spoils: Spoils::WinnerTakes, ..quiet_rules() };
        let asks: &[&str] = &[A_WANTS, B_WANTS, A_URL, B_URL];
        let lost = |car: &'static str| {
            let mut asks = asks.to_vec();
            match car {
                "a" => asks.extend([
                    "a: PATCH /state {\"square\":7}",
                    "a: GET /state",
                    "a: DELETE /weapon/weapon-2",
                    "a: GET /weapon/count",
                ]),
                _ => asks.extend([
                    "b: PATCH /state {\"square\":7}",
                    "b: GET /state",
                    "b: DELETE /weapon/weapon-2",
                    "b: GET /weapon/count",
                ]),
            }
            asks
        };
        let mut a_wins = lost("b");
        a_wins.extend(["a: POST /weapon {\"name\":\"weapon-t1-c1-1\"}", "a: GET /weapon/count"]);
        let mut b_wins = lost("a");
        b_wins.extend(["b: POST /weapon {\"name\":\"weapon-t1-c2-1\"}", "b: GET /weapon/count"]);
        let mut b_forgets = b_wins.clone();
        b_forgets.push("b: PATCH /weapon {\"count\":3}");
        let loser = "on 7, 1 to miss, 0 won, racing with 0 1 1";
        let winner = "on 7, 0 to miss, 1 won, racing with 0 1 3";
        let b_won = [
            FIGHT,
            DUEL,
            WHITE_SILENT,
            "car 2 wins against car 1",
            "car 1 loses against car 2",
            "car 1 loses weapon \"weapon-2\" (fight)",
            "car 2 gains weapon \"weapon-t1-c2-1\" (spoils)",
        ];
        let mut b_won_and_forgets = b_won.to_vec();
        b_won_and_forgets.push("car 2 is penalised: GET /weapon/count: expected 3, found 2");
        check_under(
            &rules,
            &[
                (
                    "2 true ai",
                    "2 true silent",
                    &[
                        FIGHT,
                        DUEL,
                        BLACK_SILENT,
                        "car 1 wins against car 2",
                        "car 2 loses against car 1",
                        "car 2 loses weapon \"weapon-2\" (fight)",
                        "car 1 gains weapon \"weapon-t1-c1-1\" (spoils)",
                    ],
                    &a_wins,
                    [winner, loser],
                ),
                ("2 true silent", "2 true ai", &b_won, &b_wins, [loser, winner]),
                (
                    "2 true silent",
                    "2 true ai POST /weapon: forgets",
                    &b_won_and_forgets,
                    &b_forgets,
                    [loser, "on 7, 1 to miss, 1 won, racing with 0 1 3"],
                ),
                // Nothing is taken from a car that is destroyed, nor after a draw.
                (
                    "0 true ai",
                    "2 true ai",
                    &[FIGHT, "car 1 retires: destroyed", "car 2 wins against car 1"],
                    &[A_WANTS, B_WANTS, "a: DELETE /state"],
                    [
                        "on 7, 0 to miss, 0 won, destroyed in turn 1 with 0 1 0",
                        "on 7, 0 to miss, 1 won, racing with 0 1 2",
                    ],
                ),
            ],
        );
    }

    /// The module that is lost is drawn at random among all; the last pilot is one of them (R-7.4), and can be taken.
    #[test]
    fn r_4_6_any_module_can_be_lost() {
        let mut lost = BTreeSet::new();
        for seed in 1..40 {
            let mut scene = Scene::new(Rules { spoils: Spoils::WinnerTakes, ..quiet_rules() }, seed);
            for (team, name, words) in [(1, "a", "1 true late"), (2, "b", "1 true ai")] {
                let mut car = car(name, words);
                car.modules.insert(Kind::Engine, vec!["V8".to_owned()]);
                let car = scene.car_on(team, car, 7);
                scene.misses(car, 1);
            }
            let told = scene.told();
            let line = told.iter().find(|line| line.ends_with("(fight)")).expect("a loss").clone();
            assert!(told.last().is_some_and(|line| line.ends_with("(spoils)")), "{told:?}");
            assert_eq!(scene.is_racing(CarId(1)), !line.contains("pilot"), "{told:?}");
            lost.insert(line);
        }
        let lost: Vec<&str> = lost.iter().map(String::as_str).collect();
        assert_eq!(
            lost,
            [
                "car 1 loses engine \"V8\" (fight)",
                "car 1 loses pilot \"pilot-1\" (fight)",
                "car 1 loses weapon \"weapon-1\" (fight)"
            ]
        );
    }

    /// Columns: team and square of each car; combat range; the pairs that can fight.
    type Meeting<'a> = (&'a [(u32, u32)], u32, &'a [[u32; 2]]);

    #[test]
    fn r_4_1_who_can_fight() {
        let rows: &[Meeting<'_>] = &[
            (&[(1, 5), (2, 5)], 0, &[[1, 2]]),
            (&[(1, 5), (2, 6)], 0, &[]),
            (&[(1, 5), (1, 5)], 0, &[]),
            (&[(1, 5), (2, 305)], 0, &[[1, 2]]),
            (&[(1, 299), (2, 600)], 0, &[]),
            (&[(1, 299), (2, 600)], 1, &[[1, 2]]),
            (&[(1, 5), (2, 7)], 1, &[]),
            (&[(1, 5), (2, 7)], 2, &[[1, 2]]),
            (&[(1, 7), (2, 5)], 2, &[[1, 2]]),
            (&[(1, 7), (1, 7), (2, 7), (3, 7)], 0, &[[1, 3], [1, 4], [2, 3], [2, 4], [3, 4]]),
            (&[(1, 0), (2, 150)], 150, &[[1, 2]]),
        ];
        for (cars, combat_range, expected) in rows {
            let mut scene = Scene::new(Rules { combat_range: *combat_range, ..quiet_rules() }, 1);
            for ((team, square), name) in cars.iter().zip(["a", "b", "c", "d"]) {
                scene.car_on(*team, MemoryCar::new(name, 1, 1, 1), *square);
            }
            let race = &scene.race;
            let all: Vec<_> = race.cars.values().collect();
            let mut pairs = Vec::new();
            for (index, a) in all.iter().enumerate() {
                for b in &all[index + 1..] {
                    assert_eq!(can_fight(race, a, b), can_fight(race, b, a));
                    if can_fight(race, a, b) {
                        pairs.push([a.id.0, b.id.0]);
                    }
                }
                assert!(!can_fight(race, a, a));
            }
            assert_eq!(pairs, *expected, "{cars:?} within {combat_range}");
        }
    }

    /// R-1.2: only racing cars fight; R-4.1: also one that misses the turn.
    #[test]
    fn r_4_1_only_racing_cars() {
        for retired in [1, 2] {
            let mut scene = two_cars(quiet_rules(), "2 true ai", "2 true ai");
            scene.happen(Event::CarRetired { car: CarId(retired), reason: Retirement::Destroyed });
            let told = scene.told();
            assert_eq!(told, [format!("car {} misses the turn", 3 - retired)]);
            let (a, b) = (scene.the(CarId(1)), scene.the(CarId(2)));
            assert!(!can_fight(&scene.race, a, b) && !can_fight(&scene.race, b, a));
        }
    }

    /// A pair that met does not meet again before one of them has moved, unless the rules say so.
    #[test]
    fn r_4_1_meeting_again() {
        let met = |scene: &mut Scene| {
            for car in [1, 2] {
                scene.misses(CarId(car), 1);
            }
            scene.told().iter().any(|line| line.contains(" meet on "))
        };
        let corrected = |scene: &mut Scene, car: u32, square: u32| {
            scene.happen(Event::CarCorrected {
                car: CarId(car),
                reason: "the scene".to_owned(),
                square: Some(crate::ids::Square(square)),
                turns_to_miss: None,
                modules: None,
                reinstated: false,
            });
        };
        let mut scene = two_cars(quiet_rules(), "2 false ai", "2 false ai");
        assert!(met(&mut scene));
        assert!(!met(&mut scene), "neither has moved");
        for car in [1, 2] {
            corrected(&mut scene, car, 8);
            assert!(!met(&mut scene), "they stand apart");
            corrected(&mut scene, car, 7);
            assert!(met(&mut scene), "car {car} has moved");
            assert!(!met(&mut scene));
        }
        corrected(&mut scene, 1, 307);
        assert!(met(&mut scene), "once round the ring is a move");

        let again = Rules { meet_again: true, ..quiet_rules() };
        let mut scene = two_cars(again, "2 false ai", "2 false ai");
        assert!(met(&mut scene) && met(&mut scene) && met(&mut scene));
    }

    /// R-4.2: first two teams, then one of their pairs; both leave. Car 1 is the only one of team 1, cars 2 to 4 are
    /// of team 2, car 5 of team 3: teams 1-2, 1-3 and 2-3 are as likely, though they have 3, 1 and 3 pairs.
    #[test]
    fn r_4_2_pairs_are_drawn_by_teams_first() {
        const TURNS: u32 = 3_000;
        let mut scene = Scene::quiet();
        for (team, name) in [(1, "a"), (2, "b"), (2, "c"), (2, "d"), (3, "e")] {
            scene.car_on(team, MemoryCar::new(name, 1, 1, 1), 5);
        }
        let mut race = scene.race;
        let mut firsts = BTreeMap::<[u32; 2], u32>::new();
        for turn in 1..=TURNS {
            race.turn = TurnNo(turn);
            let drawn: Vec<[u32; 2]> = draw_pairs(&race).iter().map(|pair| pair.map(|car| car.0)).collect();
            assert_eq!(draw_pairs(&race).len(), drawn.len(), "from the seed");
            let mut cars: Vec<u32> = drawn.iter().flatten().copied().collect();
            cars.sort_unstable();
            cars.dedup();
            assert_eq!(cars.len(), 2 * drawn.len(), "a car has at most one fight a turn: {drawn:?}");
            assert!(drawn.iter().all(|[a, b]| a < b), "the smaller id first: {drawn:?}");
            let more = if drawn[0] == [1, 5] { 0 } else { 1 };
            assert_eq!(drawn.len(), 1 + more, "until no pair is left: {drawn:?}");
            *firsts.entry(drawn[0]).or_default() += 1;
        }
        let expected =
            [([1, 2], 9), ([1, 3], 9), ([1, 4], 9), ([1, 5], 3), ([2, 5], 9), ([3, 5], 9), ([4, 5], 9)];
        assert_eq!(firsts.len(), expected.len(), "{firsts:?}");
        for (pair, part) in expected {
            let (times, expected) = (firsts[&pair], TURNS / part);
            assert!(times.abs_diff(expected) < expected / 4, "{pair:?}: {times} of {expected}");
        }
    }

    /// All fights of a turn are told in the order drawn, each as a whole.
    #[test]
    fn r_4_2_two_fights_in_one_turn() {
        let mut orders = BTreeSet::new();
        for seed in 1..12 {
            let mut scene = Scene::new(quiet_rules(), seed);
            for (team, name, square) in [(1, "a", 7), (2, "b", 7), (1, "c", 9), (3, "d", 9)] {
                let car = scene.car_on(team, car(name, "0 true ai"), square);
                scene.misses(car, 1);
            }
            let told = scene.told();
            let fights: Vec<&str> = told[4..].iter().map(String::as_str).collect();
            let first = |line: &str| line.contains('1');
            let [x, y] = if first(fights[0]) { [(1, 2, 7), (3, 4, 9)] } else { [(3, 4, 9), (1, 2, 7)] };
            let mut expected: Vec<String> = [x, y]
                .iter()
                .map(|(a, b, place)| format!("cars {a} and {b} meet on place {place}"))
                .collect();
            for (a, b, _) in [x, y] {
                expected.extend([
                    format!("cars {a} and {b} fight"),
                    format!("car {a} retires: destroyed"),
                    format!("car {b} retires: destroyed"),
                    format!("nobody wins: car {a}, car {b}"),
                ]);
            }
            assert_eq!(fights, expected, "seed {seed}");
            orders.insert(x);
        }
        assert_eq!(orders.len(), 2, "the order is drawn");
    }
}
