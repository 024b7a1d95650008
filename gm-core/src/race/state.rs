//! The race, its teams and its cars (R-1). Only `apply` changes them.
//!
//! ```
//! use gm_core::{race::{Race, Rules}, random::Seed};
//! let (race, events) = Race::create(Rules::balanced().validated().unwrap(), Seed(1));
//! assert_eq!(Race::from_events(&events), Some(race));
//! ```

use super::event::{Achievement, EndAward, Event, Retirement};
use super::rules::{EncounterOdds, MOST_DOLLARS, MOST_POINTS, MOST_SQUARES, ValidRules};
use crate::contract::{BaseUrl, Kind, Modules};
use crate::ids::{CarId, Dollars, Place, Points, Square, TeamId, TurnNo};
use crate::random::Seed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A race: the fold of its events.
///
/// It is serialised as it is, for caches of that fold: whoever reads one must know that the same program wrote it. What
/// is kept for good are the events, in stored types of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Race {
    /// The rules it was set up with. The odds of the encounters may change during the race (R-3.3).
    pub rules: ValidRules,
    /// The seed from which everything random comes (R-10.5).
    pub seed: Seed,
    /// Where the race is in its life (R-10.1).
    pub life: Life,
    /// The turn that was started last; 0 before the first.
    pub turn: TurnNo,
    /// What is known of the turn that runs; none between two turns.
    pub running_turn: Option<RunningTurn>,
    /// The teams.
    pub teams: BTreeMap<TeamId, Team>,
    /// The cars, retired ones included.
    pub cars: BTreeMap<CarId, Car>,
    /// The bonuses on the ring, by place; at most one on each (R-12.1).
    pub bonuses: BTreeMap<Place, Bonus>,
    /// How many bonuses there have ever been: the last id given.
    pub bonuses_placed: u32,
    /// Encounters that the admin declared for the next turn (R-3.3).
    pub declared: Declared,
    /// Transfers that wait for the start of the next turn, in order of arrival (R-7.7).
    pub transfers: Vec<Transfer>,
    /// Pairs that met and of which neither has moved since (R-4.1). The smaller id first.
    pub met: BTreeSet<(CarId, CarId)>,
    /// Turns in a row at whose end no car was racing or entered (R-10.2).
    pub idle_turns: u32,
    /// Achievements of which the admin has published a hint (R-9.1).
    pub hints: BTreeMap<Achievement, String>,
    /// Achievements that the admin has revealed (R-9.1).
    pub revealed: BTreeSet<Achievement>,
    /// Complaints of teams, in order of arrival (R-10.3).
    pub complaints: Vec<Complaint>,
    /// The awards of the end (R-8.2); empty until the race is finished.
    pub end_awards: Vec<EndAward>,
}

/// Where a race is in its life (R-10.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Life {
    /// Teams register their cars; no turn has been played.
    Preparing,
    /// Turns are played.
    Running,
    /// No turn starts until the race is resumed.
    Paused,
    /// The race is over; the jury may still correct.
    Finished(Ending),
}

/// Why a race ended (R-10.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The running time has passed.
    TimeUp,
    /// The last turn has been played.
    LastTurn,
    /// No car has been racing or entered for some turns.
    NobodyLeft,
    /// The admin said so.
    Admin,
}

/// What is known of the turn that runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunningTurn {
    /// The cars in the order in which what they share is settled (R-3.6).
    pub priority: Vec<CarId>,
    /// The cars that miss this turn (R-3.0).
    pub missing: BTreeSet<CarId>,
    /// The cars that have moved on track (R-3.1), for the bonuses (R-12.2).
    pub moved: BTreeSet<CarId>,
}

/// A team (R-1.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// Its id.
    pub id: TeamId,
    /// Its name.
    pub name: String,
    /// Where its money came from and went; what is left is [`Ledger::left`].
    pub ledger: Ledger,
    /// Its medals (R-9), each once.
    pub medals: BTreeSet<Achievement>,
    /// Victory points from achievements (R-9).
    pub achievement_points: Points,
    /// Victory points from bonuses (R-12).
    pub bonus_points: Points,
    /// Victory points given or taken by the jury (R-10.3).
    pub jury_points: Points,
    /// Its score, as it was settled last (R-8.1).
    pub score: Points,
}

/// Where a team's money came from and where it went, in dollars. Nothing is ever created or lost between the lines:
/// initial + granted + rewards + bonuses + corrections = spent + left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// What it started with (R-1.1).
    pub initial: u64,
    /// Additional budget (R-10.4).
    pub granted: u64,
    /// From achievements (R-9).
    pub rewards: u64,
    /// From bonuses on the ring (R-12).
    pub bonuses: u64,
    /// Given by the jury's corrections (R-10.3).
    pub corrected_up: u64,
    /// Taken by the jury's corrections (R-10.3).
    pub corrected_down: u64,
    /// Paid for cars, fees and modules (R-2.3, R-5.4).
    pub spent: u64,
}

impl Ledger {
    /// All that has come in.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.initial + self.granted + self.rewards + self.bonuses + self.corrected_up
    }

    /// The budget: what is left to spend, never negative (R-1.1).
    #[must_use]
    pub fn left(&self) -> Dollars {
        Dollars(self.received().saturating_sub(self.corrected_down + self.spent))
    }
}

impl Team {
    /// The team's budget (R-1.1).
    #[must_use]
    pub fn budget(&self) -> Dollars {
        self.ledger.left()
    }
}

/// A car (R-1.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Car {
    /// Its id.
    pub id: CarId,
    /// Its team.
    pub team: TeamId,
    /// Its instance name, unique in the race.
    pub instance: String,
    /// Its base URL, unique among racing cars.
    pub url: BaseUrl,
    /// The names of its bucket, queue and table (C-1, C-2, C-3).
    pub resources: Resources,
    /// Whole squares travelled since its start.
    pub square: Square,
    /// The greatest square that it ever reached.
    pub furthest: Square,
    /// Its modules, in the order in which it got them.
    pub modules: Vec<Module>,
    /// How many names the game master has given it (R-1.3).
    pub names_given: u32,
    /// Turns that it still has to miss.
    pub turns_to_miss: u32,
    /// Fights that it has won.
    pub fights_won: u32,
    /// Entered, racing or retired.
    pub status: Status,
}

/// Whether a car takes part (R-1.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It starts in the next turn.
    Entered,
    /// It takes part.
    Racing,
    /// It is out of the race.
    Retired {
        /// Why.
        reason: Retirement,
        /// In which turn.
        turn: TurnNo,
    },
}

/// A module (R-1.3).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Module {
    /// Its kind.
    pub kind: Kind,
    /// Its name, unique within its car and kind.
    pub name: String,
}

impl Module {
    /// A module that nobody has named: `engine-1`, `pilot-2` (R-1.3, R-2.2).
    #[must_use]
    pub fn numbered(kind: Kind, number: u64) -> Module {
        Module { kind, name: format!("{kind}-{number}") }
    }
}

/// The names of a car's resources (C-1, C-2, C-3).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Resources {
    /// The bucket with the engines.
    pub engine: String,
    /// The queue with the number of pilots.
    pub pilot: String,
    /// The table with the weapons.
    pub weapon: String,
}

impl Resources {
    /// The name of the resource of one kind.
    #[must_use]
    pub fn of(&self, kind: Kind) -> &str {
        match kind {
            Kind::Engine => &self.engine,
            Kind::Pilot => &self.pilot,
            Kind::Weapon => &self.weapon,
        }
    }
}

impl Car {
    /// How many modules of a kind it has.
    #[must_use]
    pub fn count(&self, kind: Kind) -> u64 {
        self.modules.iter().filter(|module| module.kind == kind).count() as u64
    }

    /// How many modules of each kind it has.
    #[must_use]
    pub fn counts(&self) -> Modules {
        Modules {
            engine: self.count(Kind::Engine),
            pilot: self.count(Kind::Pilot),
            weapon: self.count(Kind::Weapon),
        }
    }

    /// Its modules of one kind, in the order in which it got them.
    pub fn modules_of(&self, kind: Kind) -> impl DoubleEndedIterator<Item = &Module> {
        self.modules.iter().filter(move |module| module.kind == kind)
    }

    /// Whether it has a module of this kind and name.
    #[must_use]
    pub fn has(&self, kind: Kind, name: &str) -> bool {
        self.modules_of(kind).any(|module| module.name == name)
    }

    /// Whether it takes part in the turn.
    #[must_use]
    pub fn is_racing(&self) -> bool {
        self.status == Status::Racing
    }

    /// Whether it is out of the race.
    #[must_use]
    pub fn is_retired(&self) -> bool {
        matches!(self.status, Status::Retired { .. })
    }

    /// The smallest names `kind-1`, `kind-2`, … that it does not have yet: the names of modules that nobody named.
    /// A car that is brought up to a count adds the same (C-9).
    #[must_use]
    pub fn unnamed(&self, kind: Kind, how_many: u64) -> Vec<Module> {
        let most = how_many + self.modules.len() as u64;
        (1..=most)
            .map(|number| Module::numbered(kind, number))
            .filter(|module| !self.modules.contains(module))
            .take(usize::try_from(how_many).unwrap_or(usize::MAX))
            .collect()
    }
}

/// What can be met after the fights (R-3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encounter {
    /// Nothing happens.
    Nothing,
    /// Pirates attack (R-5.1).
    Pirates,
    /// A wreck to be searched (R-5.2).
    Wreck,
    /// A minefield to be crossed (R-5.3).
    Minefield,
    /// A garage that sells modules (R-5.4).
    Garage,
}

impl fmt::Display for Encounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encounter::Nothing => "nothing",
            Encounter::Pirates => "pirates",
            Encounter::Wreck => "wreck",
            Encounter::Minefield => "minefield",
            Encounter::Garage => "garage",
        })
    }
}

/// The encounters that the admin declared for the next turn (R-3.3). A car's own goes before that for all.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Declared {
    /// For all cars.
    pub all: Option<Encounter>,
    /// For single cars.
    pub cars: BTreeMap<CarId, Encounter>,
}

impl Declared {
    /// What was declared for a car.
    #[must_use]
    pub fn of(&self, car: CarId) -> Option<Encounter> {
        self.cars.get(&car).copied().or(self.all)
    }
}

/// A bonus as it is placed (R-12.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BonusPlan {
    /// Where on the ring, 0 to the track's length − 1.
    pub place: Place,
    /// What it does.
    pub effect: BonusEffect,
    /// How often it can be taken.
    #[serde(default)]
    pub often: Often,
    /// Whether it is hidden until it is first taken (R-12.3).
    #[serde(default)]
    pub hidden: bool,
}

/// What a bonus does (R-12.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BonusEffect {
    /// Dollars for the team.
    Dollars(u32),
    /// Victory points for the team.
    Points(u32),
    /// One module for the car (R-7.2).
    Module(Kind),
    /// The car advances by so many squares.
    Advance(u32),
    /// The car goes back by so many squares, not below 0.
    Back(u32),
    /// The car misses a turn.
    MissTurn,
    /// The car has no turn to miss any more.
    ClearMisses,
}

impl fmt::Display for BonusEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BonusEffect::Dollars(dollars) => write!(f, "${dollars}"),
            BonusEffect::Points(points) => write!(f, "{points} VP"),
            BonusEffect::Module(kind) => write!(f, "one {kind}"),
            BonusEffect::Advance(squares) => write!(f, "{squares} squares on"),
            BonusEffect::Back(squares) => write!(f, "{squares} squares back"),
            BonusEffect::MissTurn => f.write_str("a turn to miss"),
            BonusEffect::ClearMisses => f.write_str("no turn to miss any more"),
        }
    }
}

/// How often a bonus can be taken (R-12.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Often {
    /// Once in the race.
    #[default]
    Once,
    /// Once by each team.
    OncePerTeam,
    /// Always.
    Always,
}

impl BonusPlan {
    /// Whether the bonus can lie on a ring of `track_length` squares.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn check(&self, track_length: u32) -> Result<(), String> {
        if self.place.0 >= track_length {
            return Err(format!("place {} is not on the ring of {track_length} squares", self.place));
        }
        let (amount, most) = match self.effect {
            BonusEffect::Dollars(dollars) => (dollars, MOST_DOLLARS),
            BonusEffect::Points(points) => (points, MOST_POINTS),
            BonusEffect::Advance(squares) | BonusEffect::Back(squares) => (squares, MOST_SQUARES),
            BonusEffect::Module(_) | BonusEffect::MissTurn | BonusEffect::ClearMisses => return Ok(()),
        };
        if (1..=most).contains(&amount) {
            Ok(())
        } else {
            Err(format!("its effect is {amount}, and must be from 1 to {most}"))
        }
    }
}

/// A bonus on the ring (R-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bonus {
    /// Its id, ascending in the race from 1.
    pub id: BonusId,
    /// How it was placed.
    pub plan: BonusPlan,
    /// The teams that have taken it.
    pub taken_by: BTreeSet<TeamId>,
}

/// A bonus's id, ascending in the race from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BonusId(pub u32);

impl fmt::Display for BonusId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Bonus {
    /// Whether a car of this team can take it (R-12.1).
    #[must_use]
    pub fn can_be_taken_by(&self, team: TeamId) -> bool {
        match self.plan.often {
            Often::Once => self.taken_by.is_empty(),
            Often::OncePerTeam => !self.taken_by.contains(&team),
            Often::Always => true,
        }
    }

    /// Whether spectators and teams see it (R-12.3).
    #[must_use]
    pub fn is_visible(&self) -> bool {
        !self.plan.hidden || !self.taken_by.is_empty()
    }
}

/// A transfer within a team that waits for the start of the next turn (R-7.7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// The team.
    pub team: TeamId,
    /// The module.
    pub module: Module,
    /// The car that gives it.
    pub from: CarId,
    /// The car that gets it.
    pub to: CarId,
}

/// A complaint of a team to the jury (R-10.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaint {
    /// Its number, from 1.
    pub number: u32,
    /// Who complains.
    pub team: TeamId,
    /// About which turn.
    pub turn: TurnNo,
    /// What they say.
    pub text: String,
    /// What the jury answered.
    pub answer: Option<String>,
}

impl Race {
    /// The race that these events tell; none if they don't begin with [`Event::RaceCreated`].
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Race> {
        let mut events = events.into_iter();
        let Event::RaceCreated { rules, seed, .. } = events.next()? else { return None };
        let mut race = Race::empty(rules.clone(), *seed);
        for event in events {
            race.apply(event);
        }
        Some(race)
    }

    /// A race before anything has happened in it.
    pub(super) fn empty(rules: ValidRules, seed: Seed) -> Race {
        Race {
            rules,
            seed,
            life: Life::Preparing,
            turn: TurnNo(0),
            running_turn: None,
            teams: BTreeMap::new(),
            cars: BTreeMap::new(),
            bonuses: BTreeMap::new(),
            bonuses_placed: 0,
            declared: Declared::default(),
            transfers: Vec::new(),
            met: BTreeSet::new(),
            idle_turns: 0,
            hints: BTreeMap::new(),
            revealed: BTreeSet::new(),
            complaints: Vec::new(),
            end_awards: Vec::new(),
        }
    }

    /// Whether the race is over.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        matches!(self.life, Life::Finished(_))
    }

    /// The odds of the encounters, as they are now (R-3.3).
    #[must_use]
    pub fn odds(&self) -> EncounterOdds {
        self.rules.encounters
    }

    /// The cars of a team, in the order of their ids.
    pub fn cars_of(&self, team: TeamId) -> impl Iterator<Item = &Car> {
        self.cars.values().filter(move |car| car.team == team)
    }

    /// The place of a car on the ring (R-1.4).
    #[must_use]
    pub fn place_of(&self, car: &Car) -> Place {
        car.square.place(self.rules.track_length)
    }

    /// The racing cars in the turn's order of priority (R-3.6).
    pub(super) fn racing_in_priority(&self) -> Vec<CarId> {
        let Some(turn) = &self.running_turn else { return Vec::new() };
        turn.priority.iter().copied().filter(|id| self.cars.get(id).is_some_and(Car::is_racing)).collect()
    }

    /// Whether a car misses the turn that runs (R-3.0).
    pub(super) fn misses_this_turn(&self, car: CarId) -> bool {
        self.running_turn.as_ref().is_some_and(|turn| turn.missing.contains(&car))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryCar;
    use crate::race::tests::Scene;

    /// R-1.1: initial + granted + rewards + bonuses + corrections = spent + left.
    #[test]
    fn r_1_1_what_is_left() {
        let ledger = Ledger {
            initial: 100,
            granted: 20,
            rewards: 3,
            bonuses: 4,
            corrected_up: 50,
            corrected_down: 7,
            spent: 60,
        };
        assert_eq!((ledger.received(), ledger.left()), (177, Dollars(110)));
        assert_eq!(Ledger { spent: 170, ..ledger }.left(), Dollars(0));
        assert_eq!(Ledger { spent: 171, ..ledger }.left(), Dollars(0), "never negative");
    }

    #[test]
    fn r_1_2_a_car_and_its_modules() {
        let mut scene = Scene::quiet();
        let id = scene.car_on(1, MemoryCar::new("a", 2, 1, 3), 305);
        let car = scene.the(id);
        assert_eq!(car.counts(), Modules { engine: 2, pilot: 1, weapon: 3 });
        assert_eq!(Kind::ALL.map(|kind| car.count(kind)), [2, 1, 3]);
        assert!(car.has(Kind::Engine, "engine-2") && !car.has(Kind::Engine, "engine-3"));
        assert!(!car.has(Kind::Weapon, "engine-2"));
        assert_eq!(Kind::ALL.map(|kind| car.resources.of(kind)), ["a-engine", "a-pilot", "a-weapon"]);
        assert_eq!(scene.race.place_of(car), Place(5));
        let reason = Retirement::OutOfFuel;
        for (status, is_racing, is_retired) in [
            (Status::Entered, false, false),
            (Status::Racing, true, false),
            (Status::Retired { reason, turn: TurnNo(1) }, false, true),
        ] {
            let car = Car { status, ..car.clone() };
            assert_eq!((car.is_racing(), car.is_retired()), (is_racing, is_retired));
        }
    }

    /// C-9: the smallest names that are free.
    #[test]
    fn r_10_3_unnamed_modules() {
        let mut scene = Scene::quiet();
        let mut car = MemoryCar::new("a", 0, 1, 0);
        car.modules.insert(Kind::Engine, ["engine-1", "engine-3"].map(str::to_owned).to_vec());
        let id = scene.car(1, car);
        let unnamed = |kind, how_many| -> Vec<String> {
            scene.the(id).unnamed(kind, how_many).into_iter().map(|module| module.name).collect()
        };
        assert_eq!(unnamed(Kind::Engine, 0), [""; 0]);
        assert_eq!(unnamed(Kind::Engine, 1), ["engine-2"]);
        assert_eq!(unnamed(Kind::Engine, 3), ["engine-2", "engine-4", "engine-5"]);
        assert_eq!(unnamed(Kind::Pilot, 1), ["pilot-2"]);
        assert_eq!(unnamed(Kind::Weapon, 2), ["weapon-1", "weapon-2"]);
        let all_named = scene.car(1, MemoryCar::new("b", 0, 3, 0));
        let [fourth] = &scene.the(all_named).unnamed(Kind::Pilot, 1)[..] else { panic!("one more pilot") };
        assert_eq!(fourth.name, "pilot-4");
    }

    /// R-12.1, R-12.3: who can take a bonus that team 1 has taken, or nobody yet, and who sees it.
    #[test]
    fn r_12_1_who_can_take_a_bonus() {
        for (often, is_taken, by_first, by_second) in [
            (Often::Once, false, true, true),
            (Often::Once, true, false, false),
            (Often::OncePerTeam, false, true, true),
            (Often::OncePerTeam, true, false, true),
            (Often::Always, true, true, true),
        ] {
            for (hidden, is_visible) in [(false, true), (true, is_taken)] {
                let bonus = Bonus {
                    id: BonusId(1),
                    plan: BonusPlan { place: Place(0), effect: BonusEffect::MissTurn, often, hidden },
                    taken_by: is_taken.then_some(TeamId(1)).into_iter().collect(),
                };
                let can = [1, 2].map(|team| bonus.can_be_taken_by(TeamId(team)));
                assert_eq!(can, [by_first, by_second], "{often:?}, taken: {is_taken}");
                assert_eq!(bonus.is_visible(), is_visible, "R-12.3: {bonus:?}");
            }
        }
    }

    #[test]
    fn r_12_1_effects_in_words() {
        for (effect, words) in [
            (BonusEffect::Dollars(5), "$5"),
            (BonusEffect::Points(5), "5 VP"),
            (BonusEffect::Module(Kind::Pilot), "one pilot"),
            (BonusEffect::Advance(5), "5 squares on"),
            (BonusEffect::Back(5), "5 squares back"),
            (BonusEffect::MissTurn, "a turn to miss"),
            (BonusEffect::ClearMisses, "no turn to miss any more"),
        ] {
            assert_eq!(effect.to_string(), words);
        }
        for (encounter, word) in [
            (Encounter::Nothing, "nothing"),
            (Encounter::Pirates, "pirates"),
            (Encounter::Wreck, "wreck"),
            (Encounter::Minefield, "minefield"),
            (Encounter::Garage, "garage"),
        ] {
            assert_eq!(encounter.to_string(), word);
        }
    }

    /// R-3.6: only racing cars, in the order that was drawn; R-3.0: who misses the turn.
    #[test]
    fn r_3_6_racing_cars_in_priority() {
        let mut scene = Scene::quiet();
        let [a, b, c] = ["a", "b", "c"].map(|name| scene.car(1, MemoryCar::new(name, 1, 1, 1)));
        scene.car(2, MemoryCar::new("d", 1, 1, 1));
        assert_eq!(scene.race.racing_in_priority(), []);
        assert!(!scene.race.misses_this_turn(a));
        scene.happen(Event::TurnStarted { turn: TurnNo(1) });
        scene.happen(Event::PriorityDrawn { order: vec![c, a, CarId(9), b], missing: vec![a] });
        scene.happen(Event::CarRetired { car: b, reason: Retirement::OutOfFuel });
        assert_eq!(scene.race.racing_in_priority(), [c, a]);
        assert_eq!([a, c].map(|car| scene.race.misses_this_turn(car)), [true, false]);
        assert_eq!(scene.race.cars_of(TeamId(1)).map(|car| car.id).collect::<Vec<_>>(), [a, b, c]);
    }

    #[test]
    fn r_10_5_a_race_begins_with_its_creation() {
        let scene = Scene::quiet();
        assert_eq!(Race::from_events(&scene.history), Some(scene.race));
        assert_eq!(Race::from_events(&scene.history[1..]), None);
        assert_eq!(Race::from_events([]), None);
    }
}
