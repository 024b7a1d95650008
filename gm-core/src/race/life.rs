//! the life of a race, and when it ends.
//!
//! A race of at most 60 turns is over when turn 60 is complete, and the awards of the end are given. One that is
//! paused has no turns until it goes on.

use super::event::Event;
use super::rules::ValidRules;
use super::scoring;
use super::state::{Ending, Race};
use super::turn::Turn;
use super::{REVISION, bonus};
use crate::ports::World;
use crate::random::Seed;

impl Race {
    /// Makes a race, with the bonuses that lie on the ring from the start. Gives the race and its first
    /// events.
    #[must_use]
    pub fn create(rules: ValidRules, seed: Seed) -> (Race, Vec<Event>) {
        let mut race = Race::empty(rules.clone(), seed);
        let mut events = vec![Event::RaceCreated { revision: REVISION, seed, rules }];
        events.extend(bonus::at_creation(&race));
        for event in &events {
            race.apply(event);
        }
        (race, events)
    }
}

/// The turn is complete; the race may be over with it.
pub(super) async fn complete_turn<W: World>(turn: &mut Turn<'_, W>) {
    let number = turn.race.turn;
    turn.emit(Event::TurnCompleted { turn: number });
    let time_up = turn.world.running_time_is_up(number, turn.race.rules.running_time).await;
    let last_turn = turn.race.rules.max_turns.is_some_and(|most| number.0 >= most);
    let nobody_left = turn.race.idle_turns >= turn.race.rules.idle_turns;
    let ending = match (time_up, last_turn, nobody_left) {
        (true, _, _) => Ending::TimeUp,
        (_, true, _) => Ending::LastTurn,
        (_, _, true) => Ending::NobodyLeft,
        (false, false, false) => return,
    };
    finish(turn, ending);
}

/// The race is over: the awards of the end are given.
pub(super) fn finish<W: World>(turn: &mut Turn<'_, W>, ending: Ending) {
    turn.emit(Event::RaceFinished { ending });
    scoring::settle(turn);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{CommandNo, TurnNo};
    use crate::memory::{MemoryCar, MemoryWorld};
    use crate::race::command::{self, Arrival, CarCorrection, Command, NewStanding};
    use crate::race::rules::Rules;
    use crate::race::state::Life;
    use crate::race::tests::{Scene, check, quiet_rules};
    use crate::race::turn;
    use futures_util::FutureExt;

    fn race(life: Life) -> Race {
        let (race, _) = Race::create(quiet_rules().validated().unwrap(), Seed(1));
        Race { life, ..race }
    }

    /// What comes of a command in each stage of a race's life: preparing, running, paused, finished.
    #[track_caller]
    fn check_life(command: &Command, expected: [&str; 4]) {
        let lives = [Life::Preparing, Life::Running, Life::Paused, Life::Finished(Ending::LastTurn)];
        let world = MemoryWorld::default();
        let became = lives.map(|life| {
            let arrival = Arrival { no: CommandNo(1), command: command.clone() };
            match command::decide(&race(life), &world, arrival).now_or_never().unwrap() {
                Ok(events) => events[0].to_string(),
                Err(refusal) => refusal.to_string(),
            }
        });
        assert_eq!(became, expected, "{command:?}");
    }

    #[test]
    fn r_10_1_the_life_of_a_race() {
        let over = "the race is over: only the jury can still correct it";
        let not_running = "the race is not running: start or resume it first";
        let started = "the race has been started already";
        let not_paused = "the race is not paused";
        let finished = "the race is over: the admin says so";
        check_life(&Command::Start, ["the race starts", started, started, over]);
        check_life(&Command::Pause, [not_running, "the race is paused", not_running, over]);
        check_life(&Command::Resume, [not_paused, not_paused, "the race goes on", over]);
        check_life(&Command::Finish, [finished, finished, finished, over]);
    }

    #[test]
    fn r_10_1_turns_are_played_in_a_running_race_only() {
        for life in [Life::Preparing, Life::Paused, Life::Finished(Ending::Admin)] {
            let world = MemoryWorld::default();
            let resume = Arrival { no: CommandNo(1), command: Command::Resume };
            let played = turn::play(&race(life), &world, &[resume]).now_or_never().unwrap();
            assert_eq!(played, Err(command::Refusal::NotRunning), "{life:?}");
        }
    }

    #[test]
    fn r_10_1_from_start_to_end() {
        let mut scene = Scene::quiet();
        assert_eq!(scene.race.life, Life::Running);
        scene.turn();
        scene.order(Command::Pause).unwrap();
        assert_eq!(scene.race.life, Life::Paused);
        scene.order(Command::Resume).unwrap();
        assert_eq!(scene.race.life, Life::Running);
        scene.turn();
        assert_eq!(scene.race.turn, TurnNo(2), "one after the other");
        scene.order(Command::Finish).unwrap();
        assert_eq!(scene.race.life, Life::Finished(Ending::Admin));
        assert!(scene.race.is_finished());
    }

    /// what arrived takes effect before the turn; if it leaves the race paused or finished, there is none.
    #[test]
    fn r_10_1_commands_that_arrive_before_a_turn() {
        let turn = ["turn 1 starts", "priority: ", "score: team 1: 0 VP, team 2: 0 VP, team 3: 0 VP"];
        let whole = |before: &[&str]| {
            let mut lines: Vec<String> = before.iter().map(|line| (*line).to_owned()).collect();
            lines.extend(turn.map(ToOwned::to_owned));
            lines.push("turn 1 is complete".to_owned());
            lines
        };
        for (commands, expected) in [
            (vec![], whole(&[])),
            (vec![Command::Pause], vec!["the race is paused".to_owned()]),
            (vec![Command::Pause, Command::Resume], whole(&["the race is paused", "the race goes on"])),
            (vec![Command::Start], whole(&[])),
        ] {
            let (told, settled) = Scene::quiet().turn_with(&commands);
            assert_eq!(told, expected, "{commands:?}");
            assert_eq!(settled.len(), commands.len());
        }
        let (told, _) = Scene::quiet().turn_with(&[Command::Finish]);
        assert_eq!(told[0], "the race is over: the admin says so");
        assert_eq!(told.len(), 2, "{told:?}");
    }

    #[test]
    fn r_10_2_the_last_turn() {
        let mut scene = Scene::new(Rules { max_turns: Some(2), ..quiet_rules() }, 1);
        scene.car(1, MemoryCar::new("a", 1, 1, 0));
        scene.plays(&["car 1 moves 1 to 1"]);
        let told = scene.turn();
        check(&told, &["car 1 moves 1 to 2", "the race is over: its last turn was played"]);
        assert!(told[told.len() - 1].starts_with("score: team 1: 40 VP"), "the awards of the end: {told:?}");
        assert_eq!(told[told.len() - 3], "turn 2 is complete", "a turn that has begun is completed");
        assert_eq!(scene.race.life, Life::Finished(Ending::LastTurn));
    }

    #[test]
    fn r_10_2_the_running_time() {
        let mut scene = Scene::quiet();
        scene.car(1, MemoryCar::new("a", 1, 1, 0));
        scene.plays(&["car 1 moves 1 to 1"]);
        scene.world.running_time_is_up(true);
        scene.plays(&["car 1 moves 1 to 2", "the race is over: its time has passed"]);
        assert_eq!(scene.race.life, Life::Finished(Ending::TimeUp));
    }

    fn retire() -> Command {
        standing(NewStanding::Retired)
    }

    fn standing(standing: NewStanding) -> Command {
        Command::CorrectCar(CarCorrection {
            car: crate::ids::CarId(1),
            reason: "x".to_owned(),
            square: None,
            turns_to_miss: None,
            modules: None,
            standing: Some(standing),
        })
    }

    #[test]
    fn r_10_2_nobody_left() {
        let mut scene = Scene::new(Rules { idle_turns: 2, ..quiet_rules() }, 1);
        scene.plays(&[]);
        assert_eq!(scene.race.idle_turns, 1);
        scene.car(1, MemoryCar::new("a", 1, 1, 0));
        scene.plays(&["car 1 moves 1 to 1"]);
        assert_eq!(scene.race.idle_turns, 0, "in a row");
        scene.order(retire()).unwrap();
        scene.plays(&[]);
        scene.order(standing(NewStanding::Reinstated)).unwrap();
        scene.plays(&["car 1 starts", "car 1 moves 1 to 2"]);
        scene.order(retire()).unwrap();
        scene.plays(&[]);
        scene.plays(&["the race is over: no car is left"]);
        assert_eq!(scene.race.life, Life::Finished(Ending::NobodyLeft));
    }

    /// A car that misses its turns is not out of the race.
    #[test]
    fn r_10_2_a_car_that_misses_turns_is_left() {
        let mut scene = Scene::new(Rules { idle_turns: 1, ..quiet_rules() }, 1);
        let car = scene.car(1, MemoryCar::new("a", 1, 1, 0));
        scene.misses(car, 1);
        scene.plays(&["car 1 misses the turn"]);
        assert_eq!(scene.race.life, Life::Running);
    }

    /// A row: is the time up, was it the last turn, is nobody left.
    #[test]
    fn r_10_2_one_ending_goes_before_another() {
        for (time_up, last_turn, nobody_left, ending) in [
            (false, false, false, Life::Running),
            (true, false, false, Life::Finished(Ending::TimeUp)),
            (false, true, false, Life::Finished(Ending::LastTurn)),
            (false, false, true, Life::Finished(Ending::NobodyLeft)),
            (true, true, true, Life::Finished(Ending::TimeUp)),
            (true, false, true, Life::Finished(Ending::TimeUp)),
            (true, true, false, Life::Finished(Ending::TimeUp)),
            (false, true, true, Life::Finished(Ending::LastTurn)),
        ] {
            let max_turns = Some(if last_turn { 1 } else { 2 });
            let idle_turns = if nobody_left { 1 } else { 2 };
            let mut scene = Scene::new(Rules { max_turns, idle_turns, ..quiet_rules() }, 1);
            scene.world.running_time_is_up(time_up);
            scene.turn();
            assert_eq!(scene.race.life, ending, "{time_up} {last_turn} {nobody_left}");
            let ends = |event: &&Event| matches!(event, Event::RaceFinished { .. });
            assert!(scene.history.iter().filter(ends).count() <= 1);
        }
    }

    #[test]
    fn r_10_2_no_limit_of_turns() {
        let mut scene = Scene::quiet();
        scene.car(1, MemoryCar::new("a", 1, 1, 0));
        for _ in 0..20 {
            scene.turn();
        }
        assert_eq!(scene.race.life, Life::Running);
    }

    /// the first event holds the revision, the seed and the rules; the race is the fold of its events.
    #[test]
    fn r_10_5_the_first_event() {
        let rules = Rules { random_bonuses: 3, ..quiet_rules() }.validated().unwrap();
        let (race, events) = Race::create(rules.clone(), Seed(7));
        assert_eq!(events[0], Event::RaceCreated { revision: REVISION, seed: Seed(7), rules });
        assert_eq!((events.len(), race.bonuses.len(), race.bonuses_placed), (4, 3, 3));
        assert_eq!(race.life, Life::Preparing);
        assert_eq!(Race::from_events(&events), Some(race));
        assert_eq!(Race::from_events(&events[1..]), None);
        assert_eq!(Race::from_events(&[]), None);
    }
}
