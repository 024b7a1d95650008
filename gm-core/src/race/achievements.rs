//! achievements, once for each team, settled at the end of the turn.
//!
//! A turn's events tell which feats were done; [`feats`] reads them in the rule book's words. They are settled in
//! the turn's order of priority, so that it is certain by which car a team earned its medal.

use super::event::{Achievement, Combatant, Event, Find, Retirement};
use super::rules::Reward;
use super::state::Race;
use super::turn::Turn;
use crate::ids::{CarId, Dollars, Points, TeamId};
use crate::ports::World;

/// squares on track in one turn.
const LIGHTNING_SQUARES: u32 = 8;
/// weapons when a duel starts.
const ARMED_WEAPONS: u32 = 8;
/// weapons fewer than the other.
const STRATEGIST_FEWER: u32 = 3;

pub(super) fn settle<W: World>(turn: &mut Turn<'_, W>) {
    let priority = turn.race.running_turn.as_ref().map(|turn| turn.priority.clone()).unwrap_or_default();
    let this_turn = turn.events.iter().skip_while(|event| !matches!(event, Event::TurnStarted { .. }));
    let mut feats: Vec<(CarId, Achievement)> = this_turn.flat_map(feats).collect();
    feats.sort_by_key(|(car, _)| priority.iter().position(|id| id == car).unwrap_or(usize::MAX));
    for (car, achievement) in feats {
        let Some(team) = turn.race.cars.get(&car).map(|car| car.team) else { continue };
        if let Some(earned) = earn(&turn.race, team, Some(car), achievement, false) {
            turn.emit(earned);
        }
    }
    let rich: Vec<TeamId> = turn
        .race
        .teams
        .values()
        .filter(|team| team.budget() > Dollars(u64::from(turn.race.rules.scrooge_above)))
        .map(|team| team.id)
        .collect();
    for team in rich {
        if let Some(earned) = earn(&turn.race, team, None, Achievement::Scrooge, false) {
            turn.emit(earned);
        }
    }
}

/// The medal with its reward, unless the team has it already.
pub(super) fn earn(
    race: &Race,
    team: TeamId,
    car: Option<CarId>,
    achievement: Achievement,
    by_hand: bool,
) -> Option<Event> {
    if race.teams.get(&team)?.medals.contains(&achievement) {
        return None;
    }
    let Reward { dollars, points } = race.rules.achievements.get(&achievement).copied().unwrap_or_default();
    let (dollars, points) = (Dollars(u64::from(dollars)), Points(i64::from(points)));
    Some(Event::AchievementEarned { team, car, achievement, dollars, points, by_hand })
}

/// What was achieved by one event, and by which car.
fn feats(event: &Event) -> Vec<(CarId, Achievement)> {
    match event {
        Event::CarMoved { car, squares, .. } if *squares >= LIGHTNING_SQUARES => {
            vec![(*car, Achievement::Lightning)]
        }
        Event::DuelStarted { duellists, weapons } => duellists
            .iter()
            .zip(weapons)
            .filter_map(|(who, weapons)| match who {
                Combatant::Car(car) if *weapons >= ARMED_WEAPONS => {
                    Some((*car, Achievement::ArmedToTheTeeth))
                }
                _ => None,
            })
            .collect(),
        Event::FightWon { car, against, weapons, other_weapons } => {
            let mut feats = Vec::new();
            if weapons.saturating_add(STRATEGIST_FEWER) <= *other_weapons {
                feats.push((*car, Achievement::Strategist));
            }
            if *against == Combatant::Pirates {
                feats.push((*car, Achievement::MadMax));
            }
            feats
        }
        Event::FightDeclined { cars, by_both: true, .. } => {
            cars.iter().map(|car| (*car, Achievement::Pacifist)).collect()
        }
        Event::CarRetired { car, reason } => match reason {
            Retirement::Destroyed => vec![(*car, Achievement::ClickClick)],
            Retirement::NoPilot => vec![(*car, Achievement::Ulysses31)],
            Retirement::OutOfFuel => vec![(*car, Achievement::OutOfFuel)],
            Retirement::Jury(_) => Vec::new(),
        },
        Event::MinefieldCrossed { car, damaged: false } => vec![(*car, Achievement::AceDriver)],
        Event::WreckSearched { car, find } => match find {
            Find::Nothing => Vec::new(),
            Find::Module(_) => vec![(*car, Achievement::Recycler)],
            Find::Snakes => vec![(*car, Achievement::SnakesOnACar)],
        },
        Event::ModuleBought { car, .. } => vec![(*car, Achievement::PimpMyRide)],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Answer, Fault, Kind, Modules};
    use crate::memory::MemoryCar;
    use crate::race::command::{CarCorrection, Command, NewStanding, TeamCorrection};
    use crate::race::event::{Find, LossCause};
    use crate::race::rules::{MineRules, Rules, WreckOdds};
    use crate::race::state::{Encounter, Module, Transfer};
    use crate::race::tests::{Scene, quiet_rules};

    const NOTHING: WreckOdds = WreckOdds { nothing: 100, engine: 0, weapon: 0, pilot: 0, snakes: 0 };
    const AN_ENGINE: WreckOdds = WreckOdds { nothing: 0, engine: 100, ..NOTHING };
    const SNAKES: WreckOdds = WreckOdds { nothing: 0, snakes: 100, ..NOTHING };

    fn mined(damage_percent: u32) -> Rules {
        Rules { mine: MineRules { damage_percent, detour_turns: 3 }, ..quiet_rules() }
    }

    fn wreck(wreck: WreckOdds) -> Rules {
        Rules { wreck, ..quiet_rules() }
    }

    /// A duellist that answers nonsense, and so loses in its first turn.
    fn fool() -> Result<Answer, Fault> {
        Ok(Answer::ok("[]"))
    }

    fn a(engines: u32, pilots: u32, weapons: u32) -> MemoryCar {
        MemoryCar::new("a", engines, pilots, weapons)
    }

    /// A car on the same square after a move by as many engines as [`a`] has.
    fn b(engines: u32, weapons: u32) -> MemoryCar {
        MemoryCar::new("b", engines, 2, weapons)
    }

    fn fights(car: MemoryCar) -> MemoryCar {
        MemoryCar { fights: true, ..car }
    }

    /// The medals of the last turn: `lightning of team 1 by car 1`.
    fn medals(scene: &Scene) -> Vec<String> {
        let last_turn = scene.history.iter().rposition(|event| matches!(event, Event::TurnStarted { .. }));
        scene.history[last_turn.unwrap()..]
            .iter()
            .filter_map(|event| match event {
                Event::AchievementEarned { team, car: Some(car), achievement, .. } => {
                    Some(format!("{achievement} of team {team} by car {car}"))
                }
                Event::AchievementEarned { team, car: None, achievement, .. } => {
                    Some(format!("{achievement} of team {team}"))
                }
                _ => None,
            })
            .collect()
    }

    /// Plays a turn with a car of team 1 and, if there is one, a car of team 2; then these medals have been earned.
    #[track_caller]
    fn check(rules: Rules, one: MemoryCar, two: Option<MemoryCar>, meets: Encounter, expected: &[&str]) {
        let mut scene = Scene::new(rules, 1);
        scene.world.teach("http://fool/", |_| fool());
        scene.world.teach_pirates(|_| fool());
        scene.car(1, one);
        if let Some(two) = two {
            scene.car(2, two);
        }
        scene.declare(meets);
        let told = scene.turn();
        let mut medals = medals(&scene);
        medals.sort();
        assert_eq!(medals, expected, "\n{}\n", told.join("\n"));
    }

    #[track_caller]
    fn check_alone(rules: Rules, car: MemoryCar, meets: Encounter, expected: &[&str]) {
        check(rules, car, None, meets, expected);
    }

    #[track_caller]
    fn check_fight(one: MemoryCar, two: MemoryCar, expected: &[&str]) {
        check(quiet_rules(), one, Some(two), Encounter::Nothing, expected);
    }

    #[test]
    fn r_9_2_lightning() {
        check_alone(quiet_rules(), a(8, 1, 0), Encounter::Nothing, &["lightning of team 1 by car 1"]);
        check_alone(quiet_rules(), a(9, 1, 0), Encounter::Nothing, &["lightning of team 1 by car 1"]);
        check_alone(quiet_rules(), a(7, 1, 0), Encounter::Nothing, &[]);
    }

    #[test]
    fn r_9_2_only_on_track() {
        let car = a(8, 1, 0).scripted(|request, _| {
            matches!(request, crate::contract::CarRequest::Count(_)).then_some(Err(Fault::Late))
        });
        check_alone(quiet_rules(), car, Encounter::Nothing, &[]);
    }

    /// A fool loses whoever he is, so the car that is none is the one to look at.
    fn fool_of(car: MemoryCar) -> MemoryCar {
        MemoryCar { duel_url: Some("http://fool/".to_owned()), ..car }
    }

    #[test]
    fn r_9_3_armed_to_the_teeth() {
        let of = "armed_to_the_teeth of team";
        check_fight(fights(a(1, 9, 8)), fool_of(b(1, 7)), &[&format!("{of} 1 by car 1")]);
        check_fight(fights(fool_of(a(1, 9, 8))), b(1, 7), &[&format!("{of} 1 by car 1")]);
        check_fight(fights(a(1, 9, 7)), fool_of(b(1, 8)), &[&format!("{of} 2 by car 2")]);
        check_fight(
            fights(a(1, 9, 8)),
            fool_of(b(1, 9)),
            &[&format!("{of} 1 by car 1"), &format!("{of} 2 by car 2")],
        );
        check_fight(fights(a(1, 9, 7)), fool_of(b(1, 7)), &[]);
        // No duel starts without a duel AI, or without a weapon.
        let mute = MemoryCar { duel_url: None, ..b(1, 7) };
        check_fight(fights(a(1, 9, 8)), mute, &[]);
        check_fight(fights(a(1, 9, 8)), b(1, 0), &["click_click of team 2 by car 2"]);
        // Pirates earn nothing.
        let rules = || {
            let mut rules = quiet_rules();
            (rules.pirates.least_weapons, rules.pirates.most_weapons) = (8, 8);
            rules
        };
        check_alone(rules(), fool_of(a(1, 9, 7)), Encounter::Pirates, &[]);
        check_alone(rules(), fool_of(a(1, 9, 8)), Encounter::Pirates, &[&format!("{of} 1 by car 1")]);
    }

    #[test]
    fn r_9_4_strategist() {
        for (one, two, expected) in [
            (2, 5, &["strategist of team 1 by car 1"][..]),
            (1, 7, &["strategist of team 1 by car 1"]),
            (3, 5, &[]),
            (5, 5, &[]),
            (7, 2, &[]),
        ] {
            check_fight(fights(a(1, 9, one)), fool_of(b(1, two)), expected);
        }
        // The one with fewer must win.
        check_fight(fights(fool_of(a(1, 9, 2))), b(1, 5), &[]);
        // The duel is lost at once without a duel AI.
        let mute = MemoryCar { duel_url: None, ..b(1, 5) };
        check_fight(fights(a(1, 9, 2)), mute, &["strategist of team 1 by car 1"]);
        // A pirate's weapons count.
        for (weapons, expected) in [
            (5, &["mad_max of team 1 by car 1", "strategist of team 1 by car 1"][..]),
            (4, &["mad_max of team 1 by car 1"]),
        ] {
            let mut rules = quiet_rules();
            (rules.pirates.least_weapons, rules.pirates.most_weapons) = (weapons, weapons);
            check_alone(rules, a(1, 9, 2), Encounter::Pirates, expected);
        }
    }

    #[test]
    fn r_9_5_mad_max() {
        check_alone(quiet_rules(), a(1, 9, 7), Encounter::Pirates, &["mad_max of team 1 by car 1"]);
        check_alone(quiet_rules(), fool_of(a(1, 9, 7)), Encounter::Pirates, &[]);
        check_fight(fights(a(1, 9, 7)), fool_of(b(1, 7)), &[]);
    }

    #[test]
    fn r_9_6_pacifist() {
        let both = ["pacifist of team 1 by car 1", "pacifist of team 2 by car 2"];
        check_fight(a(1, 1, 3), b(1, 3), &both);
        check_fight(fights(a(1, 9, 3)), fool_of(b(1, 3)), &[]);
        check_fight(a(1, 1, 3), b(2, 3), &[]);
        let silent = b(1, 3).scripted(|request, _| {
            matches!(request, crate::contract::CarRequest::ShouldFight(_)).then_some(Err(Fault::Late))
        });
        check_fight(a(1, 1, 3), silent, &[]);
    }

    #[test]
    fn r_9_7_click_click() {
        check_fight(fights(a(1, 1, 0)), b(1, 3), &["click_click of team 1 by car 1"]);
        let both = ["click_click of team 1 by car 1", "click_click of team 2 by car 2"];
        check_fight(fights(a(1, 1, 0)), b(1, 0), &both);
        check_alone(quiet_rules(), a(1, 1, 0), Encounter::Pirates, &["click_click of team 1 by car 1"]);
        check_alone(quiet_rules(), fool_of(a(1, 9, 1)), Encounter::Pirates, &[]);
    }

    /// the last pilot is lost, and snakes are found, which may be the same.
    #[test]
    fn r_9_8_ulysses_31_and_r_9_12_snakes_on_a_car() {
        let snakes = "snakes_on_a_car of team 1 by car 1";
        let last = [snakes, "ulysses_31 of team 1 by car 1"];
        check_alone(wreck(SNAKES), a(1, 1, 0), Encounter::Wreck, &last);
        check_alone(wreck(SNAKES), a(1, 2, 0), Encounter::Wreck, &[snakes]);
        check_alone(wreck(NOTHING), a(1, 1, 0), Encounter::Wreck, &[]);
        let leaves = MemoryCar { searches_wrecks: false, ..a(1, 1, 0) };
        check_alone(wreck(SNAKES), leaves, Encounter::Wreck, &[]);
    }

    #[test]
    fn r_9_9_out_of_fuel() {
        check_alone(quiet_rules(), a(0, 1, 0), Encounter::Nothing, &["out_of_fuel of team 1 by car 1"]);
        check_alone(quiet_rules(), a(1, 1, 0), Encounter::Nothing, &[]);
    }

    #[test]
    fn r_9_10_ace_driver() {
        let through = |pilots| MemoryCar { crosses_mines: true, ..a(1, pilots, 0) };
        check_alone(mined(0), through(1), Encounter::Minefield, &["ace_driver of team 1 by car 1"]);
        check_alone(mined(100), through(9), Encounter::Minefield, &[]);
        check_alone(mined(0), a(1, 1, 0), Encounter::Minefield, &[]);
    }

    #[test]
    fn r_9_11_recycler() {
        check_alone(wreck(AN_ENGINE), a(1, 1, 0), Encounter::Wreck, &["recycler of team 1 by car 1"]);
        check_alone(wreck(NOTHING), a(1, 1, 0), Encounter::Wreck, &[]);
    }

    #[test]
    fn r_9_13_pimp_my_ride() {
        let buys = |engine| MemoryCar { buys: engine, ..a(1, 1, 0) };
        let costing = |initial_budget| Rules { initial_budget, ..quiet_rules() };
        let engine = Some(Kind::Engine);
        check_alone(costing(2), buys(engine), Encounter::Garage, &["pimp_my_ride of team 1 by car 1"]);
        check_alone(costing(1), buys(engine), Encounter::Garage, &[]);
        check_alone(costing(2), buys(None), Encounter::Garage, &[]);
    }

    #[test]
    fn r_9_14_scrooge() {
        for (preset, budget, expected) in [
            (Rules::balanced(), 120, &[][..]),
            (Rules::balanced(), 121, &["scrooge of team 1"]),
            (Rules::classic(), 300, &[]),
            (Rules::classic(), 301, &["scrooge of team 1"]),
        ] {
            let scrooge_above = preset.scrooge_above;
            let mut scene = Scene::new(Rules { scrooge_above, ..quiet_rules() }, 1);
            let budget = Some(Dollars(budget));
            let correction =
                TeamCorrection { team: TeamId(1), reason: "x".to_owned(), budget, points: Points(0) };
            scene.order(Command::CorrectTeam(correction)).unwrap();
            scene.turn();
            assert_eq!(medals(&scene), expected, "{budget:?} with a limit of {scrooge_above}");
        }
    }

    /// once for each team, by whatever it was earned first; another team earns it all the same.
    #[test]
    fn r_9_1_once_for_each_team() {
        let mut scene = Scene::quiet();
        scene.car(1, MemoryCar::new("a", 8, 1, 0));
        scene.turn();
        assert_eq!(medals(&scene), ["lightning of team 1 by car 1"]);
        assert_eq!(scene.team(1).score, Points(3));
        scene.car(1, MemoryCar::new("b", 8, 1, 0));
        scene.car_on(2, MemoryCar::new("c", 8, 1, 0), 100);
        scene.turn();
        assert_eq!(medals(&scene), ["lightning of team 2 by car 3"]);
        scene.turn();
        assert!(medals(&scene).is_empty());
        assert_eq!(scene.team(1).achievement_points, Points(3));
        assert_eq!(scene.team(1).medals.iter().copied().collect::<Vec<_>>(), [Achievement::Lightning]);
    }

    /// by hand, with what it is worth; not twice, and not earned again.
    #[test]
    fn r_9_1_awarded_by_hand() {
        let mut scene = Scene::quiet();
        scene.car(1, MemoryCar::new("a", 8, 1, 0));
        let award = |achievement| Command::Award { team: TeamId(1), achievement };
        let told = scene.order(award(Achievement::Strategist)).unwrap();
        assert_eq!(
            told,
            ["team 1 earns \"Stratège\": 5 VP, $10", "score: team 1: 5 VP, team 2: 0 VP, team 3: 0 VP"]
        );
        assert_eq!(scene.team(1).budget(), Dollars(110));
        assert!(matches!(
            scene.history.iter().rev().nth(1),
            Some(Event::AchievementEarned { car: None, by_hand: true, .. })
        ));
        scene.order(award(Achievement::Lightning)).unwrap();
        let refused = scene.order(award(Achievement::Lightning)).unwrap_err();
        assert_eq!(refused.to_string(), "team 1 has the achievement lightning already");
        scene.turn();
        assert!(medals(&scene).is_empty());
    }

    /// R-9 (cfg): one that the rules don't name is worth nothing but its medal.
    #[test]
    fn r_9_1_a_medal_without_a_reward() {
        let mut rules = quiet_rules();
        rules.achievements.remove(&Achievement::OutOfFuel);
        let mut scene = Scene::new(rules, 1);
        scene.car(1, MemoryCar::new("a", 0, 1, 0));
        scene.turn();
        assert!(scene.history.contains(&Event::AchievementEarned {
            team: TeamId(1),
            car: Some(CarId(1)),
            achievement: Achievement::OutOfFuel,
            dollars: Dollars(0),
            points: Points(0),
            by_hand: false,
        }));
    }

    /// of two cars of a team it is the first in the turn's priority that earned the medal.
    #[test]
    fn r_3_6_priority_decides_by_which_car() {
        let mut by = [0, 0];
        for seed in 0..20 {
            let mut scene = Scene::new(quiet_rules(), seed);
            scene.car(1, MemoryCar::new("a", 8, 1, 0));
            scene.car(1, MemoryCar::new("b", 9, 1, 0));
            let told = scene.turn();
            let first = if told.contains(&"priority: 1 2".to_owned()) { 1 } else { 2 };
            assert_eq!(medals(&scene), [format!("lightning of team 1 by car {first}")]);
            by[first - 1] += 1;
        }
        assert!(by[0] > 0 && by[1] > 0, "{by:?}");
    }

    /// feats of different kinds are settled car by car, in the order of priority, and not as they came about.
    #[test]
    fn r_3_6_medals_come_in_order_of_priority() {
        for seed in 0..10 {
            let mut scene = Scene::new(quiet_rules(), seed);
            scene.car(1, MemoryCar::new("a", 8, 1, 0));
            scene.car(2, MemoryCar { buys: Some(Kind::Pilot), ..MemoryCar::new("b", 9, 1, 0) });
            scene.declare(Encounter::Garage);
            let told = scene.turn();
            let one = ["lightning of team 1 by car 1"];
            let two = ["lightning of team 2 by car 2", "pimp_my_ride of team 2 by car 2"];
            let expected = if told.contains(&"priority: 1 2".to_owned()) {
                [&one[..], &two[..]].concat()
            } else {
                [&two[..], &one[..]].concat()
            };
            assert_eq!(medals(&scene), expected, "seed {seed}");
        }
    }

    /// an achievement's dollars can be spent from the next turn on.
    #[test]
    fn r_3_5_dollars_from_the_next_turn_on() {
        let mut scene = Scene::new(Rules { initial_budget: 0, ..mined(0) }, 1);
        let ace = scene.car(1, MemoryCar { crosses_mines: true, ..MemoryCar::new("a", 1, 1, 0) });
        let buyer = scene.car(1, MemoryCar { buys: Some(Kind::Engine), ..MemoryCar::new("b", 2, 1, 0) });
        let declare = |encounter, car| Command::Declare { encounter, cars: Some(vec![car]) };
        scene.order(declare(Encounter::Minefield, ace)).unwrap();
        scene.order(declare(Encounter::Garage, buyer)).unwrap();
        let told = scene.turn();
        assert!(told.contains(&"car 2 can't buy one engine for $2: its team has $0".to_owned()), "{told:?}");
        assert_eq!(medals(&scene), ["ace_driver of team 1 by car 1"]);
        assert_eq!(scene.team(1).budget(), Dollars(5));
        scene.order(declare(Encounter::Garage, buyer)).unwrap();
        scene.turn();
        assert_eq!(medals(&scene), ["pimp_my_ride of team 1 by car 2"]);
        assert_eq!(scene.team(1).budget(), Dollars(3));
    }

    /// What the jury does is no feat, even when it arrives with the turn.
    #[test]
    fn r_9_8_a_correction_is_no_feat() {
        let mut scene = Scene::quiet();
        let car = scene.car(1, MemoryCar::new("a", 1, 1, 0));
        scene.car(1, MemoryCar::new("b", 1, 1, 0));
        let correction = |car, modules, standing| {
            let (square, turns_to_miss) = (None, None);
            let reason = "x".to_owned();
            Command::CorrectCar(CarCorrection { car, reason, square, turns_to_miss, modules, standing })
        };
        let (told, settled) = scene.turn_with(&[
            correction(car, Some(Modules::default()), None),
            correction(CarId(2), None, Some(NewStanding::Retired)),
        ]);
        assert_eq!(settled, [Ok(()), Ok(())]);
        assert!(told.contains(&"car 1 retires: no pilot".to_owned()));
        assert!(told.contains(&"car 2 retires: by the jury: x".to_owned()));
        assert!(medals(&scene).is_empty());
    }

    /// a car that gives its last pilot away is out before the priority is drawn, and comes last.
    #[test]
    fn r_9_8_the_last_pilot_given_away() {
        let mut scene = Scene::new(Rules { transfers: true, ..quiet_rules() }, 1);
        let from = scene.car(1, MemoryCar::new("a", 8, 1, 0));
        let to = scene.car(1, MemoryCar::new("b", 8, 1, 0));
        let module = Module { kind: Kind::Pilot, name: "pilot-1".to_owned() };
        scene.order(Command::Transfer(Transfer { team: TeamId(1), module, from, to })).unwrap();
        scene.turn();
        assert_eq!(medals(&scene), ["lightning of team 1 by car 2", "ulysses_31 of team 1 by car 1"]);
    }

    /// The events that are no feats, one by one.
    #[test]
    fn r_9_no_other_event_is_a_feat() {
        let found = |find| feats(&Event::WreckSearched { car: CarId(1), find });
        assert_eq!(found(Find::Module(Kind::Weapon)), [(CarId(1), Achievement::Recycler)]);
        assert_eq!(found(Find::Module(Kind::Pilot)), [(CarId(1), Achievement::Recycler)]);
        for event in [
            Event::WreckLeft { car: CarId(1) },
            Event::GarageLeft { car: CarId(1) },
            Event::MinefieldAvoided { car: CarId(1), fault: None },
            Event::FightLost { car: CarId(1), against: Combatant::Pirates },
            Event::FightDrawn { combatants: [Combatant::Car(CarId(1)), Combatant::Pirates] },
            Event::ModuleLost {
                car: CarId(1),
                module: Module { kind: Kind::Pilot, name: "pilot-1".to_owned() },
                cause: LossCause::Snakes,
            },
            Event::CarRetired { car: CarId(1), reason: Retirement::Jury("x".to_owned()) },
        ] {
            assert!(feats(&event).is_empty(), "{event}");
        }
    }
}
