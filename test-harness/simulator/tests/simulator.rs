//! The simulator: what it plays is a race as any other, always the same, and whatever is wrong with it is found.

use gm_core::contract::{BaseUrl, Kind};
use gm_core::ids::{Dollars, TeamId};
use gm_core::race::command::{Application, Command};
use gm_core::race::{Race, Rules};
use race_auditor::{Finding, Tally, audit};
use race_simulator::dice::race_seed;
use race_simulator::generate::Generator;
use race_simulator::many::{Settings, many};
use race_simulator::plan::{
    Besides, CarFault, CarPlan, Faults, MindFault, MindKind, MindPlan, Plan, Step, Strategy,
};
use race_simulator::play::{Played, Script, play, verify};
use race_simulator::shrink::shrink;
use serde_json::Value;
use std::collections::BTreeSet;

/// The events of the export format, one of each kind.
const EVENTS: &str = include_str!("../../../gm-grpc/tests/fixtures/stored-v1/events.jsonl");

/// Seeds that are always the same: races in tests are those that were found good before.
const SEED: u64 = 20_261_201;

fn settings(races: u32) -> Settings {
    Settings { races, seed: SEED, ..Settings::default() }
}

/// A healthy car, that does the same whenever it is asked.
fn steady(number: u32) -> CarPlan {
    CarPlan {
        dice: number,
        instance: format!("i-{number}"),
        url: BaseUrl::parse(&format!("http://car-{number}")).expect("a URL"),
        is_listed: false,
        modules: [3, 2, 4],
        strategy: Strategy { searches: 100, crosses: 100, fights: 100, buys: 100, favourite: None },
        faults: Faults::none(),
        mind: Some(MindPlan { dice: 1_000 + number, plays: MindKind::First, faults: Faults::none() }),
    }
}

fn registers(car: &CarPlan, team: u32) -> Command {
    Command::Register(Application {
        team: TeamId(team),
        instance: car.instance.clone(),
        url: Some(car.url.clone()),
    })
}

/// Two teams with a car each, on a ring on which they meet, for some turns.
fn duel_of_two(turns: usize) -> Plan {
    let drawn = Generator::new(race_seed(SEED, 0), 1);
    let cars: Vec<CarPlan> = (1..=2)
        .map(|number| {
            let mut car = steady(number);
            car.strategy.favourite = Some(Kind::Weapon);
            car
        })
        .collect();
    let rules = Rules { track_length: 3, meet_again: true, spot_check_percent: 50, ..Rules::balanced() };
    let create = |name: &str| Command::CreateTeam { name: name.to_owned(), budget: Some(Dollars(50)) };
    let mut commands = vec![create("Red"), create("Blue")];
    commands.extend((1..).zip(&cars).map(|(team, car)| registers(car, team)));
    commands.push(Command::Start);
    let mut steps = vec![Step::Commands { commands, together: false, besides: Besides::default() }];
    steps.resize(turns + 1, Step::Turn { besides: Besides::default() });
    Plan { seed: SEED, rules, inspected: vec![TeamId(1)], cars, steps, pirates: drawn.plan().pirates.clone() }
}

#[test]
fn races_are_as_the_rule_book_says() {
    let summary = many(&settings(150), |_| {});
    assert!(summary.is_good(), "seed {SEED}: {:?} {:?}", summary.failures, summary.wrong_odds().next());
    assert_eq!((summary.races, summary.verified), (150, 15));
    assert!(summary.turns > 300 && summary.deaths > 10, "{} turns, {} deaths", summary.turns, summary.deaths);
}

/// Whatever can happen in a race does, in races enough.
#[test]
fn nothing_is_left_out() {
    let summary = many(&Settings { verify_every: 0, turns: 30, ..settings(800) }, |_| {});
    assert!(summary.is_good(), "seed {SEED}: {:?}", summary.failures);
    let known: BTreeSet<String> = EVENTS
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .map(|event| event["event"].as_str().expect("an event has a name").to_owned())
        .collect();
    let happened: BTreeSet<String> = summary.happened.into_keys().collect();
    let never: Vec<_> = known.difference(&happened).collect();
    assert!(never.is_empty(), "these never happened: {never:?}");
    let unknown: Vec<_> = happened.difference(&known).collect();
    assert!(unknown.is_empty(), "these are no events: {unknown:?}");
    // Not among them: what takes a hundred complaints, and a URL in use, for which a car must change its name.
    let refused: BTreeSet<&str> = summary.refused.keys().map(String::as_str).collect();
    for reason in [
        "NOT_RUNNING",
        "ALREADY_STARTED",
        "NOT_PAUSED",
        "FINISHED",
        "NO_SUCH_TEAM",
        "NO_SUCH_CAR",
        "IS_RETIRED",
        "NOT_RETIRED",
        "NO_PILOT_TO_REINSTATE",
        "BAD_NAME",
        "NAME_TAKEN",
        "BAD_TEXT",
        "BAD_AMOUNT",
        "TOO_MUCH",
        "NOTHING_TO_CORRECT",
        "NO_CARS",
        "BAD_ODDS",
        "BAD_BONUS",
        "PLACE_TAKEN",
        "NO_SUCH_BONUS",
        "NO_TRANSFERS",
        "SAME_CAR",
        "TRANSFER_WAITS",
        "TRANSFER_IMPOSSIBLE",
        "OTHER_TEAMS_CAR",
        "FUTURE_TURN",
        "NO_SUCH_COMPLAINT",
        "HAS_ACHIEVEMENT",
        "NOT_ALL",
    ] {
        assert!(refused.contains(reason), "nothing was refused because of {reason}: {refused:?}");
    }
}

/// Every fault of a car and of an AI is met, and the race goes on.
#[test]
fn every_fault_is_met() {
    let of_cars = CarFault::ALL.map(|fault| {
        let mut plan = duel_of_two(4);
        plan.cars[0].faults = Faults { percent: 30, kinds: vec![fault] };
        (format!("{fault:?}"), plan)
    });
    let of_minds = MindFault::ALL.map(|fault| {
        let mut plan = duel_of_two(4);
        if let Some(mind) = &mut plan.cars[0].mind {
            mind.faults = Faults { percent: 30, kinds: vec![fault] };
        }
        (format!("{fault:?} of an AI"), plan)
    });
    let healthy = play(&duel_of_two(4));
    for (fault, plan) in of_cars.into_iter().chain(of_minds) {
        let played = play(&plan);
        assert!(played.findings.is_empty(), "{fault}: {:?}", played.findings);
        // There is nothing to tidy where nothing is in disorder.
        let changes = played.export != healthy.export;
        assert_eq!(changes, fault != "Tidies", "{fault} changes something");
        verify(&played.export).expect(&fault);
    }
}

/// From a seed, from the plan that was drawn from it, and from that plan read back from JSON comes the same race.
#[test]
fn a_race_is_repeated_by_its_seed_and_by_its_plan() {
    for index in 0..20 {
        let seed = race_seed(SEED, index);
        let drawn = play(Generator::new(seed, 10));
        let text = serde_json::to_string(&drawn.plan).expect("JSON");
        let plan: Plan = serde_json::from_str(&text).expect("the plan comes back");
        assert_eq!(plan, drawn.plan);
        for again in [play(Generator::new(seed, 10)), play(&plan)] {
            assert!(again.export == drawn.export, "seed {seed} gives two races");
            assert_eq!(again.plan, drawn.plan);
        }
    }
}

#[test]
fn it_does_not_matter_how_many_are_played_side_by_side() {
    let one = many(&Settings { jobs: 1, ..settings(30) }, |_| {});
    let four = many(&Settings { jobs: 4, ..settings(30) }, |_| {});
    assert_eq!(format!("{one:?}"), format!("{four:?}"));
}

/// What is simulated is an export: the auditor reads the same from the file, and the rules decide it again.
#[test]
fn what_is_written_is_an_export() {
    let played = play(&duel_of_two(8));
    let audited = audit(&played.export[..]).expect("it is read from memory");
    assert_eq!(audited.findings, []);
    assert_eq!(audited.turns, 8);
    verify(&played.export).expect("it is decided again");
    let events = played.happened.values().sum::<u64>();
    assert_eq!(audited.events, events);
}

/// Wherever the process dies, the race goes on as if nothing had been.
#[test]
fn r_10_5_death_changes_nothing() {
    let plan = duel_of_two(3);
    let whole = play(&plan);
    assert!(whole.findings.is_empty(), "{:?}", whole.findings);
    let mut deaths = 0;
    for step in 0..plan.steps.len() {
        for point in 1..=60 {
            let mut dying = plan.clone();
            match &mut dying.steps[step] {
                Step::Commands { besides, .. } | Step::Turn { besides } => besides.dies_at = Some(point),
            }
            let played = play(&dying);
            assert!(played.findings.is_empty(), "step {step}, point {point}: {:?}", played.findings);
            assert!(
                played.export == whole.export,
                "another race when it dies in step {step} at point {point}"
            );
            deaths += played.deaths;
        }
    }
    assert!(deaths > 100, "it died {deaths} times");
}

/// A bug is planted: a car of more than four modules costs a dollar less.
fn cheaper(plan: &Plan) -> Played {
    let mut played = play(plan);
    let export = String::from_utf8(std::mem::take(&mut played.export)).expect("UTF-8");
    let lines = export.lines().map(|line| match line.split_once(r#""paid":1"#) {
        Some((before, after)) if line.contains(r#""event":"car_registered""#) => {
            let rest = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
            format!("{before}\"paid\":9{rest}\n")
        }
        _ => format!("{line}\n"),
    });
    played.export = lines.collect::<String>().into_bytes();
    played.findings = audit(&played.export[..]).expect("it is read from memory").findings;
    played
}

#[test]
fn a_planted_bug_is_found_and_made_small() {
    let plan = (0..50)
        .map(|index| cheaper(&play(Generator::new(race_seed(SEED, index), 20)).plan))
        .find(|played| played.findings.first().is_some_and(|finding| finding.rule == "R-2.3"))
        .expect("it is found within 50 races")
        .plan;
    let shrunk = shrink(&plan, "R-2.3", 2_000, cheaper).expect("it is found again");
    let registrations = |step: &Step| match step {
        Step::Commands { commands, .. } => {
            commands.iter().filter(|command| matches!(command, Command::Register(_))).count()
        }
        Step::Turn { .. } => 100,
    };
    let (cars, registered) =
        (shrunk.plan.cars.len(), shrunk.plan.steps.iter().map(registrations).sum::<usize>());
    assert_eq!((cars, registered), (1, 1), "{:?}", shrunk.plan);
    assert!(shrunk.tries < 500, "{} tries", shrunk.tries);
    assert_eq!(shrunk.finding.rule, "R-2.3");
    assert_eq!(
        cheaper(&shrunk.plan).findings.first().map(|finding| finding.rule),
        Some("R-2.3"),
        "the smallest repeats it"
    );
    assert!(shrink(&plan, "R-9.9", 2_000, cheaper).is_none(), "what is not found can't be made smaller");
}

/// A script that panics.
struct Panics(Plan);

impl Script for Panics {
    fn plan(&self) -> Plan {
        self.0.clone()
    }

    fn next(&mut self, _: &Race) -> Option<Step> {
        let empty: [u32; 0] = [];
        Some(Step::Turn {
            besides: Besides { overdue: Some(empty[self.0.cars.len()] as u8), ..Besides::default() },
        })
    }
}

/// The rules must not panic, whatever they are asked. If they do it is a finding, and not the end of the run.
#[test]
fn a_panic_is_a_finding() {
    let script: Box<dyn Script> = Box::new(Panics(duel_of_two(0)));
    let Played { findings, .. } = play(script);
    let [Finding { rule: "panic", what, .. }] = &findings[..] else { panic!("{findings:?}") };
    assert!(what.contains("index out of bounds") && what.contains("simulator.rs"), "{what}");
}

/// Rules that are none are said to be none.
#[test]
fn a_plan_with_wrong_rules_is_not_played() {
    let mut plan = duel_of_two(1);
    plan.rules.track_length = 0;
    let Played { findings, tally, .. } = play(&plan);
    let [Finding { rule: "rules", what, .. }] = &findings[..] else { panic!("{findings:?}") };
    assert!(what.contains("track_length: is 0"), "{what}");
    assert!(Tally::odds(&tally).is_empty());
}

/// By the name with which every stored event begins.
#[test]
fn events_are_counted_by_their_names() {
    let played = play(&duel_of_two(2));
    assert_eq!(played.happened.get("turn_completed"), Some(&2));
    assert_eq!(played.happened.get("car_registered"), Some(&2));
}
