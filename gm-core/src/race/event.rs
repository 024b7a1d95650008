//! Everything that can happen in a race.
//!
//! Events hold no wall time, latency, error text or random id (R-10.5): the same inputs give the same events, byte
//! for byte. Each says what happened in the rule book's words; what follows from it for the race is in `apply`.
//!
//! ```
//! use gm_core::{ids::{CarId, Square}, race::Event};
//! let event = Event::CarMoved { car: CarId(3), squares: 4, to: Square(12) };
//! let stored = r#"{"event":"car_moved","car":3,"squares":4,"to":12}"#;
//! assert_eq!(serde_json::to_string(&event).unwrap(), stored);
//! ```

use super::rules::{EncounterOdds, ValidRules};
use super::state::{BonusEffect, BonusId, BonusPlan, Encounter, Ending, Module, Resources, Transfer};
use super::words::one_line;
use crate::arena::duel::Transcript;
use crate::contract::{BaseUrl, CarRequest, Deviation, Fault, Found, Kind, Modules};
use crate::ids::{CarId, Dollars, Place, Points, Square, TeamId, TurnNo};
use crate::ports::InspectorFault;
use crate::random::Seed;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    // --- the life of the race (R-10) and its teams (R-1.1) ---
    /// The race was made. The first event of every race.
    RaceCreated {
        /// The revision of the rules, [`super::REVISION`].
        revision: u32,
        /// Its seed.
        seed: Seed,
        /// Its rules.
        rules: ValidRules,
    },
    /// A team takes part (R-1.1).
    TeamCreated {
        /// Its id.
        team: TeamId,
        /// Its name.
        name: String,
        /// What it starts with.
        budget: Dollars,
    },
    /// The race was started (R-10.1).
    RaceStarted,
    /// The race was paused (R-10.1).
    RacePaused,
    /// The race goes on (R-10.1).
    RaceResumed,
    /// The race is over (R-10.2).
    RaceFinished {
        /// Why.
        ending: Ending,
    },

    // --- registration (R-2) ---
    /// A car was registered, and paid for (R-2.3).
    CarRegistered {
        /// Its id.
        car: CarId,
        /// Its team.
        team: TeamId,
        /// Its instance name.
        instance: String,
        /// Its base URL.
        url: BaseUrl,
        /// The names of its bucket, queue and table.
        resources: Resources,
        /// Its modules.
        modules: Vec<Module>,
        /// What it cost, fee included.
        paid: Dollars,
    },
    /// A registration was refused, and nothing was paid (R-2.3).
    RegistrationRefused {
        /// The team.
        team: TeamId,
        /// The instance name that it gave, of which at most 100 characters are kept.
        instance: String,
        /// Every reason that applies.
        reasons: Vec<RefusedBecause>,
        /// Deviations from the contract that were accepted all the same (C-22).
        accepted: Vec<Accepted>,
    },

    // --- the turn (R-3) ---
    /// A turn has started (R-3.0).
    TurnStarted {
        /// Its number.
        turn: TurnNo,
    },
    /// An entered car starts to race (R-2.4).
    CarStarted {
        /// The car.
        car: CarId,
    },
    /// The order in which what cars share is settled in this turn, and which cars miss it (R-3.0).
    PriorityDrawn {
        /// The cars in order.
        order: Vec<CarId>,
        /// The cars that miss this turn.
        missing: Vec<CarId>,
    },
    /// A car missed the turn's move on track (R-3.1): one turn to miss less.
    TurnMissed {
        /// The car.
        car: CarId,
    },
    /// A car moved on track (R-3.1).
    CarMoved {
        /// The car.
        car: CarId,
        /// By how many squares.
        squares: u32,
        /// Its square now.
        to: Square,
    },
    /// A car moved otherwise than on track.
    CarStepped {
        /// The car.
        car: CarId,
        /// Its square now.
        to: Square,
        /// Why.
        cause: StepCause,
    },
    /// A car has more turns to miss, other than by a penalty.
    TurnsToMissAdded {
        /// The car.
        car: CarId,
        /// How many more.
        turns: u32,
        /// Why.
        cause: DelayCause,
    },
    /// A penalty: one turn more to miss (R-7.1).
    Penalised {
        /// The car.
        car: CarId,
        /// What was expected and found.
        breach: Breach,
    },
    /// Deviations from the contract in a car's answer were accepted (C-22).
    DeviationsAccepted {
        /// The car.
        car: CarId,
        /// What was asked.
        request: CarRequest,
        /// What was accepted.
        deviations: Vec<Deviation>,
    },
    /// Deviations from the contract in a duel AI's answers were accepted (C-22, A-2).
    DuelDeviationsAccepted {
        /// The car whose AI it is.
        car: CarId,
        /// What was accepted in this duel.
        deviations: Vec<Deviation>,
    },
    /// An inspector failed twice, and its check was skipped (I-4).
    InspectionSkipped {
        /// The car.
        car: CarId,
        /// What it should have looked at.
        kind: Kind,
        /// What it said.
        fault: InspectorFault,
    },
    /// The names of a car's modules of one kind were read again after a correction (R-7.2).
    NamesRead {
        /// The car.
        car: CarId,
        /// Which kind.
        kind: Kind,
        /// The names; as many as the car has modules of the kind.
        names: Vec<String>,
    },
    /// A car is out of the race.
    CarRetired {
        /// The car.
        car: CarId,
        /// Why.
        reason: Retirement,
    },
    /// A car has gained a module (R-7.2).
    ModuleGained {
        /// The car.
        car: CarId,
        /// The module.
        module: Module,
        /// How.
        cause: GainCause,
    },
    /// A car has lost a module (R-7.3).
    ModuleLost {
        /// The car.
        car: CarId,
        /// The module.
        module: Module,
        /// How.
        cause: LossCause,
    },

    // --- bonuses (R-12) ---
    /// A bonus lies on the ring.
    BonusPlaced {
        /// Its id.
        bonus: BonusId,
        /// Where, what, how often.
        plan: BonusPlan,
    },
    /// A bonus was taken off the ring by the admin.
    BonusRemoved {
        /// Its id.
        bonus: BonusId,
        /// Where it lay.
        place: Place,
    },
    /// A car took a bonus (R-12.2).
    BonusTaken {
        /// The car.
        car: CarId,
        /// Its team.
        team: TeamId,
        /// The bonus.
        bonus: BonusId,
        /// Where.
        place: Place,
        /// What it does.
        effect: BonusEffect,
    },

    // --- fights (R-4) ---
    /// Two cars met (R-4.2).
    CarsMet {
        /// The two, the smaller id first.
        cars: [CarId; 2],
        /// On which place of the ring the first stands.
        place: Place,
    },
    /// Two cars that could have fought did not (R-4.3).
    FightDeclined {
        /// The two.
        cars: [CarId; 2],
        /// Their teams.
        teams: [TeamId; 2],
        /// Whether both refused with a valid answer (R-9.6), rather than by an error.
        by_both: bool,
    },
    /// A fight started (R-4.3).
    FightStarted {
        /// The two.
        cars: [CarId; 2],
        /// Which of them wanted to.
        willing: [bool; 2],
    },
    /// A car gave no usable URL of a duel AI, and has lost the duel by that (R-4.5).
    DuelForfeited {
        /// The car.
        car: CarId,
        /// What it gave instead.
        fault: Fault,
    },
    /// A duel started (R-9.3).
    DuelStarted {
        /// Who fights.
        duellists: [Combatant; 2],
        /// Their weapons.
        weapons: [u32; 2],
    },
    /// A duel was played (R-6).
    DuelPlayed {
        /// Who fought; seat 0 and seat 1 of the transcript.
        duellists: [Combatant; 2],
        /// The whole duel.
        transcript: Transcript,
    },
    /// A car won a fight, against a car or pirates (R-4.4, R-4.6, R-5.1).
    FightWon {
        /// The winner.
        car: CarId,
        /// Against whom.
        against: Combatant,
        /// The winner's weapons when the fight started.
        weapons: u32,
        /// The other's weapons when the fight started.
        other_weapons: u32,
    },
    /// A car lost a duel: one turn more to miss (R-4.6).
    FightLost {
        /// The loser.
        car: CarId,
        /// Against whom.
        against: Combatant,
    },
    /// Nobody won (R-4.4, R-4.5, R-4.6).
    FightDrawn {
        /// Who fought.
        combatants: [Combatant; 2],
    },

    // --- encounters (R-5) ---
    /// What a car meets in this turn (R-3.3). Not said where it is nothing.
    EncounterMet {
        /// The car.
        car: CarId,
        /// What.
        encounter: Encounter,
        /// Whether the admin had declared it.
        declared: bool,
    },
    /// Pirates attacked a car (R-5.1).
    PiratesAttacked {
        /// The car.
        car: CarId,
        /// The pirates' weapons.
        weapons: u32,
    },
    /// A car searched a wreck (R-5.2).
    WreckSearched {
        /// The car.
        car: CarId,
        /// What it found.
        find: Find,
    },
    /// A car left a wreck alone (R-5.2).
    WreckLeft {
        /// The car.
        car: CarId,
    },
    /// A car drove through a minefield (R-5.3).
    MinefieldCrossed {
        /// The car.
        car: CarId,
        /// Whether it was damaged.
        damaged: bool,
    },
    /// A car went round a minefield (R-5.3).
    MinefieldAvoided {
        /// The car.
        car: CarId,
        /// Why it did not answer, if it did not. Always there in JSON: without it, it is what spectators see.
        #[serde(deserialize_with = "Option::deserialize")]
        fault: Option<Fault>,
    },
    /// A car bought nothing in a garage (R-5.4).
    GarageLeft {
        /// The car.
        car: CarId,
    },
    /// A car bought a module in a garage (R-5.4).
    ModuleBought {
        /// The car.
        car: CarId,
        /// Its team, which paid.
        team: TeamId,
        /// The kind.
        kind: Kind,
        /// The price.
        price: Dollars,
    },
    /// A car wanted a module that its team could not pay (R-5.4).
    TooExpensive {
        /// The car.
        car: CarId,
        /// The kind.
        kind: Kind,
        /// The price.
        price: Dollars,
        /// What the team had left.
        budget: Dollars,
    },

    // --- the end of the turn (R-3.5) ---
    /// A team earned an achievement (R-9).
    AchievementEarned {
        /// The team.
        team: TeamId,
        /// The car by which it did; none where the team itself did, or the admin awarded it.
        car: Option<CarId>,
        /// Which.
        achievement: Achievement,
        /// Dollars.
        dollars: Dollars,
        /// Victory points.
        points: Points,
        /// Whether the admin awarded it by hand (R-9.1).
        by_hand: bool,
    },
    /// The score was settled (R-8.1).
    Scored {
        /// Every team's points, by team id.
        scores: Vec<Score>,
        /// The awards of the end (R-8.2); empty until the race is finished.
        end_awards: Vec<EndAward>,
    },
    /// The turn is complete.
    TurnCompleted {
        /// Its number.
        turn: TurnNo,
    },

    // --- what people decide between two turns ---
    /// A team was granted additional budget (R-10.4).
    BudgetGranted {
        /// The team.
        team: TeamId,
        /// How much.
        dollars: Dollars,
    },
    /// The admin declared the encounter of the next turn (R-3.3).
    EncounterDeclared {
        /// Which.
        encounter: Encounter,
        /// For which cars; none = for all.
        cars: Option<Vec<CarId>>,
    },
    /// The admin set the odds of the encounters (R-3.3).
    OddsSet {
        /// The odds from now on.
        odds: EncounterOdds,
    },
    /// A team asked for a transfer, to be settled at the start of the next turn (R-7.7).
    TransferAsked {
        /// What.
        transfer: Transfer,
    },
    /// A transfer could not be settled any more (R-7.7). The one that could shows as a loss and a gain.
    TransferVoid {
        /// What.
        transfer: Transfer,
        /// Why.
        reason: TransferProblem,
    },
    /// The jury corrected a car (R-10.3).
    CarCorrected {
        /// The car.
        car: CarId,
        /// Why.
        reason: String,
        /// Its square, if that was corrected.
        square: Option<Square>,
        /// Its turns to miss, if they were corrected.
        turns_to_miss: Option<u32>,
        /// All its modules, if they were corrected.
        modules: Option<Vec<Module>>,
        /// Whether it was put back into the race.
        reinstated: bool,
    },
    /// The jury corrected a team (R-10.3).
    TeamCorrected {
        /// The team.
        team: TeamId,
        /// Why.
        reason: String,
        /// Its budget, if that was corrected.
        budget: Option<Dollars>,
        /// Victory points given, or taken if negative.
        points: Points,
    },
    /// A team complains to the jury (R-10.3).
    ComplaintFiled {
        /// Its number.
        number: u32,
        /// The team.
        team: TeamId,
        /// About which turn.
        turn: TurnNo,
        /// What it says.
        text: String,
    },
    /// The jury answered a complaint (R-10.3).
    ComplaintAnswered {
        /// Its number.
        number: u32,
        /// The team that complained.
        team: TeamId,
        /// What the jury says.
        text: String,
    },
    /// The admin published a hint to an achievement (R-9.1).
    HintPublished {
        /// Which.
        achievement: Achievement,
        /// The hint.
        text: String,
    },
    /// The admin revealed an achievement (R-9.1).
    AchievementRevealed {
        /// Which.
        achievement: Achievement,
    },
}

/// Who fights: a car, or pirates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Combatant {
    /// A car.
    Car(CarId),
    /// Pirates (R-5.1).
    Pirates,
}

/// Why a car is out of the race.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retirement {
    /// It had no engine when it should have moved (R-3.1).
    OutOfFuel,
    /// It had no weapon in a fight (R-4.4, R-5.1).
    Destroyed,
    /// It has no pilot left (R-7.4).
    NoPilot,
    /// The jury retired it, and says why (R-10.3).
    Jury(String),
}

impl fmt::Display for Retirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Retirement::OutOfFuel => f.write_str("out of fuel"),
            Retirement::Destroyed => f.write_str("destroyed"),
            Retirement::NoPilot => f.write_str("no pilot"),
            Retirement::Jury(reason) => write!(f, "by the jury: {}", one_line(reason)),
        }
    }
}

/// Why a car moved otherwise than on track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepCause {
    /// It bought in a garage (R-5.4).
    Garage,
    /// It took a bonus (R-12.1).
    Bonus,
}

/// Why a car has more turns to miss, other than by a penalty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DelayCause {
    /// It searched a wreck (R-5.2).
    Wreck,
    /// It went round a minefield (R-5.3).
    Minefield,
}

/// How a module was gained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GainCause {
    /// Found in a wreck (R-5.2).
    Wreck,
    /// Bought in a garage (R-5.4).
    Garage,
    /// Taken from the loser of a fight (R-7.6).
    Spoils,
    /// From another car of the team (R-7.7).
    Transfer,
    /// A bonus (R-12.1).
    Bonus,
}

/// How a module was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossCause {
    /// In a fight with a car (R-4.6).
    Fight,
    /// To pirates (R-5.1).
    Pirates,
    /// In a minefield (R-5.3).
    Minefield,
    /// To snakes in a wreck (R-5.2).
    Snakes,
    /// To another car of the team (R-7.7).
    Transfer,
}

/// What a car found in a wreck (R-5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Find {
    /// Nothing.
    Nothing,
    /// A module.
    Module(Kind),
    /// Snakes: it loses a pilot.
    Snakes,
}

/// Why a transfer is not settled (R-7.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum TransferProblem {
    /// One of the cars is not racing.
    #[error("both cars must be racing")]
    NotRacing,
    /// The cars are not on the same place of the ring.
    #[error("the cars are not on the same place of the ring")]
    Apart,
    /// The car does not have the module.
    #[error("the car does not have this module")]
    NoSuchModule,
}

/// What a penalty is for: what was asked or looked at, expected and found (R-7.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breach {
    /// What was asked or looked at.
    pub check: Check,
    /// What was expected.
    pub expected: Fact,
    /// What was found.
    pub found: Found<Fact>,
}

/// What was asked or looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// A request to the car.
    Asked(CarRequest),
    /// The team's real resource, read by the inspector.
    Inspected(Kind),
}

/// A fact that the game master and a car may disagree on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// A number of modules.
    Count(u64),
    /// A square.
    Square(u64),
    /// A square and the modules.
    State {
        /// The square.
        square: u64,
        /// The modules.
        modules: Modules,
    },
    /// There is a module of this name.
    Holds(String),
    /// There is no module of this name.
    HoldsNot(String),
    /// Any valid answer.
    AnAnswer,
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Count(count) => write!(f, "{count}"),
            Fact::Square(square) => write!(f, "square {square}"),
            Fact::State { square, modules } => write!(
                f,
                "square {square} with {} engines, {} pilots, {} weapons",
                modules.engine, modules.pilot, modules.weapon
            ),
            Fact::Holds(name) => write!(f, "holds {name:?}"),
            Fact::HoldsNot(name) => write!(f, "does not hold {name:?}"),
            Fact::AnAnswer => f.write_str("a valid answer"),
        }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.check, &self.expected, &self.found) {
            (Check::Asked(request), Fact::AnAnswer, Found::Fault(fault)) => {
                let expected = request.wanted_instead_of(*fault).unwrap_or("a valid answer");
                return write!(f, "{request} ({}): expected {expected}, found {fault}", request.number());
            }
            (Check::Asked(request), ..) => write!(f, "{request}")?,
            (Check::Inspected(kind), ..) => write!(f, "the real {kind} resource")?,
        }
        write!(f, ": expected {}, found {}", self.expected, self.found)
    }
}

/// Deviations from the contract that were accepted in one answer (C-22).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// What was asked.
    pub request: CarRequest,
    /// What was accepted.
    pub deviations: Vec<Deviation>,
}

/// Why a registration was refused (R-2.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedBecause {
    /// Nobody knows where the instance is (R-2.1).
    NoAddress,
    /// The instance name is empty, too long or holds control characters.
    BadInstanceName,
    /// The instance name is taken by another car of the race.
    InstanceTaken,
    /// The URL is taken by another car that takes part.
    UrlTaken,
    /// A question was not answered, or not usably.
    NoAnswer {
        /// Which.
        request: CarRequest,
        /// Why.
        fault: Fault,
    },
    /// `GET /state` gives another name.
    OtherName {
        /// The name that it gives, of which at most 100 characters are kept.
        found: String,
    },
    /// A count is not what is really there.
    WrongCount {
        /// Which kind.
        kind: Kind,
        /// What the car says.
        said: u64,
        /// What is there.
        there: u64,
    },
    /// Two modules of the same kind have the same name, or one has none.
    BadModuleNames {
        /// Which kind.
        kind: Kind,
    },
    /// The inspector could not read a resource (I-4).
    NotInspected {
        /// Which kind.
        kind: Kind,
        /// Why.
        fault: InspectorFault,
    },
    /// It has no pilot.
    NoPilot,
    /// It has too many modules.
    TooManyModules {
        /// How many it has.
        found: u64,
        /// How many it may have.
        most: u32,
    },
    /// The team can't pay for it.
    TooExpensive {
        /// Price of all modules and the fee.
        price: Dollars,
        /// What the team has left.
        budget: Dollars,
    },
}

impl fmt::Display for RefusedBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefusedBecause::NoAddress => {
                f.write_str("nobody knows the address of this instance: give its URL")
            }
            RefusedBecause::BadInstanceName => f.write_str(
                "the instance name must have 1 to 100 characters, none of them a control character",
            ),
            RefusedBecause::InstanceTaken => f.write_str("the instance name is taken in this race"),
            RefusedBecause::UrlTaken => f.write_str("another car takes part under this URL"),
            RefusedBecause::NoAnswer { request, fault } => {
                let expected = request.wanted_instead_of(*fault).unwrap_or("a valid answer");
                write!(f, "{request} ({}): expected {expected}, found {fault}", request.number())
            }
            RefusedBecause::OtherName { found } => {
                write!(f, "GET /state: expected the instance name, found {found:?}")
            }
            RefusedBecause::WrongCount { kind, said, there } => {
                write!(f, "GET /{kind}/count: expected {there}, which are there, found {said}")
            }
            RefusedBecause::BadModuleNames { kind } => {
                write!(f, "each {kind} must have a name of its own")
            }
            RefusedBecause::NotInspected { kind, fault } => {
                write!(f, "the real {kind} resource could not be read: {fault}")
            }
            RefusedBecause::NoPilot => f.write_str("a car needs at least 1 pilot, found 0"),
            RefusedBecause::TooManyModules { found, most } => {
                write!(f, "a car may have {most} modules, found {found}")
            }
            RefusedBecause::TooExpensive { price, budget } => {
                write!(f, "the car costs {price}, and the team has {budget} left")
            }
        }
    }
}

/// An achievement (R-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Achievement {
    /// R-9.2: a car moves at least 8 squares on track.
    Lightning,
    /// R-9.3: a duel starts in which it has at least 8 weapons.
    ArmedToTheTeeth,
    /// R-9.4: wins a duel with at least 3 weapons fewer.
    Strategist,
    /// R-9.5: beats pirates.
    MadMax,
    /// R-9.6: a possible fight that both refuse.
    Pacifist,
    /// R-9.7: destroyed for want of a weapon.
    ClickClick,
    /// R-9.8: a car loses its last pilot.
    #[serde(rename = "ulysses_31")]
    Ulysses31,
    /// R-9.9: retired for want of an engine.
    OutOfFuel,
    /// R-9.10: crosses a minefield unharmed.
    AceDriver,
    /// R-9.11: finds a module in a wreck.
    Recycler,
    /// R-9.12: finds the snakes.
    SnakesOnACar,
    /// R-9.13: buys a module.
    PimpMyRide,
    /// R-9.14: has a budget above a limit.
    Scrooge,
}

impl Achievement {
    /// All achievements, in the order of R-9.
    pub const ALL: [Achievement; 13] = [
        Achievement::Lightning,
        Achievement::ArmedToTheTeeth,
        Achievement::Strategist,
        Achievement::MadMax,
        Achievement::Pacifist,
        Achievement::ClickClick,
        Achievement::Ulysses31,
        Achievement::OutOfFuel,
        Achievement::AceDriver,
        Achievement::Recycler,
        Achievement::SnakesOnACar,
        Achievement::PimpMyRide,
        Achievement::Scrooge,
    ];

    /// Its id in the rule book.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Achievement::Lightning => "lightning",
            Achievement::ArmedToTheTeeth => "armed_to_the_teeth",
            Achievement::Strategist => "strategist",
            Achievement::MadMax => "mad_max",
            Achievement::Pacifist => "pacifist",
            Achievement::ClickClick => "click_click",
            Achievement::Ulysses31 => "ulysses_31",
            Achievement::OutOfFuel => "out_of_fuel",
            Achievement::AceDriver => "ace_driver",
            Achievement::Recycler => "recycler",
            Achievement::SnakesOnACar => "snakes_on_a_car",
            Achievement::PimpMyRide => "pimp_my_ride",
            Achievement::Scrooge => "scrooge",
        }
    }

    /// Its title in the original rule book.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Achievement::Lightning => "Rapide comme l'éclair",
            Achievement::ArmedToTheTeeth => "Armé jusqu'aux dents",
            Achievement::Strategist => "Stratège",
            Achievement::MadMax => "Mad Max",
            Achievement::Pacifist => "Pacifiste",
            Achievement::ClickClick => "Clic clic",
            Achievement::Ulysses31 => "Ulysse 31",
            Achievement::OutOfFuel => "Panne d'essence",
            Achievement::AceDriver => "As du volant",
            Achievement::Recycler => "Tri sélectif",
            Achievement::SnakesOnACar => "Snakes on a car",
            Achievement::PimpMyRide => "Pimp my ride",
            Achievement::Scrooge => "Picsou",
        }
    }
}

impl fmt::Display for Achievement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// A team's points, and where they come from (R-8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The team.
    pub team: TeamId,
    /// For the distance of its cars.
    pub distance: Points,
    /// From achievements.
    pub achievements: Points,
    /// From bonuses.
    pub bonuses: Points,
    /// From the end of the race (R-8.2).
    pub end: Points,
    /// From the jury.
    pub jury: Points,
    /// All together.
    pub total: Points,
}

/// One of the four awards at the end of the race (R-8.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndAward {
    /// For what.
    pub title: EndTitle,
    /// Every team that was first; none where the best was 0.
    pub teams: Vec<TeamId>,
}

/// What the awards at the end are for (R-8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndTitle {
    /// Owns the car with the most fights won.
    CarWithMostFightsWon,
    /// Has won the most fights with all its cars.
    MostFightsWon,
    /// Owns the car with the greatest furthest square.
    FurthestCar,
    /// Has the greatest sum of furthest squares.
    GreatestDistance,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R-2.3: what was expected and found.
    #[test]
    fn r_2_3_refusals_in_words() {
        use RefusedBecause::*;
        for (reason, words) in [
            (NoAddress, "nobody knows the address of this instance: give its URL"),
            (
                BadInstanceName,
                "the instance name must have 1 to 100 characters, none of them a control character",
            ),
            (InstanceTaken, "the instance name is taken in this race"),
            (UrlTaken, "another car takes part under this URL"),
            (
                NoAnswer { request: CarRequest::Count(Kind::Pilot), fault: Fault::Late },
                "GET /pilot/count (C-4): expected a valid answer, found no answer within the deadline",
            ),
            (OtherName { found: "i-2".to_owned() }, "GET /state: expected the instance name, found \"i-2\""),
            (
                WrongCount { kind: Kind::Weapon, said: 3, there: 2 },
                "GET /weapon/count: expected 2, which are there, found 3",
            ),
            (BadModuleNames { kind: Kind::Engine }, "each engine must have a name of its own"),
            (
                NotInspected { kind: Kind::Pilot, fault: InspectorFault::Malformed },
                "the real pilot resource could not be read: \
                 the resource does not hold what the rule book asks for",
            ),
            (NoPilot, "a car needs at least 1 pilot, found 0"),
            (TooManyModules { found: 11, most: 10 }, "a car may have 10 modules, found 11"),
            (
                TooExpensive { price: Dollars(17), budget: Dollars(16) },
                "the car costs $17, and the team has $16 left",
            ),
        ] {
            assert_eq!(reason.to_string(), words);
        }
    }

    /// R-9: the ids and titles of the rule book, in its order. An id is also how an achievement is stored.
    #[test]
    fn r_9_ids_and_titles() {
        let book = [
            ("lightning", "Rapide comme l'éclair"),
            ("armed_to_the_teeth", "Armé jusqu'aux dents"),
            ("strategist", "Stratège"),
            ("mad_max", "Mad Max"),
            ("pacifist", "Pacifiste"),
            ("click_click", "Clic clic"),
            ("ulysses_31", "Ulysse 31"),
            ("out_of_fuel", "Panne d'essence"),
            ("ace_driver", "As du volant"),
            ("recycler", "Tri sélectif"),
            ("snakes_on_a_car", "Snakes on a car"),
            ("pimp_my_ride", "Pimp my ride"),
            ("scrooge", "Picsou"),
        ];
        assert_eq!(Achievement::ALL.map(|achievement| (achievement.id(), achievement.title())), book);
        assert!(Achievement::ALL.is_sorted());
        for achievement in Achievement::ALL {
            assert_eq!(achievement.to_string(), achievement.id());
            assert_eq!(serde_json::to_value(achievement).unwrap(), achievement.id());
        }
    }

    /// R-10.5: every event comes back from its JSON as it was.
    #[test]
    fn r_10_5_events_come_back() {
        for (event, _) in crate::race::words::tests::every_event() {
            let text = serde_json::to_string(&event).unwrap();
            assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event, "{text}");
        }
    }
}
