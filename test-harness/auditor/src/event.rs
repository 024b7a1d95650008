//! The events of a race, as they are stored.
//!
//! ```text
//! {"event":"car_moved","car":3,"squares":4,"to":12}
//! ```

use crate::rules::Rules;
use crate::word::{Deviation, Fault, InspectorFault, Kind, Module, Modules, Request, Resources};
use serde::{Deserialize, Serialize};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Event {
    RaceCreated {
        revision: u32,
        seed: u64,
        rules: Box<Rules>,
    },
    TeamCreated {
        team: u32,
        name: String,
        budget: u64,
    },
    RaceStarted {},
    RacePaused {},
    RaceResumed {},
    RaceFinished {
        ending: Ending,
    },
    CarRegistered {
        car: u32,
        team: u32,
        instance: String,
        url: String,
        resources: Resources,
        modules: Vec<Module>,
        paid: u64,
    },
    RegistrationRefused {
        team: u32,
        instance: String,
        reasons: Vec<RefusedBecause>,
        accepted: Vec<Accepted>,
    },
    TurnStarted {
        turn: u32,
    },
    CarStarted {
        car: u32,
    },
    PriorityDrawn {
        order: Vec<u32>,
        missing: Vec<u32>,
    },
    TurnMissed {
        car: u32,
    },
    CarMoved {
        car: u32,
        squares: u32,
        to: u32,
    },
    CarStepped {
        car: u32,
        to: u32,
        cause: StepCause,
    },
    TurnsToMissAdded {
        car: u32,
        turns: u32,
        cause: DelayCause,
    },
    Penalised {
        car: u32,
        breach: Breach,
    },
    DeviationsAccepted {
        car: u32,
        request: Request,
        deviations: Vec<Deviation>,
    },
    DuelDeviationsAccepted {
        car: u32,
        deviations: Vec<Deviation>,
    },
    InspectionSkipped {
        car: u32,
        kind: Kind,
        fault: InspectorFault,
    },
    NamesRead {
        car: u32,
        kind: Kind,
        names: Vec<String>,
    },
    CarRetired {
        car: u32,
        reason: Retirement,
    },
    ModuleGained {
        car: u32,
        module: Module,
        cause: GainCause,
    },
    ModuleLost {
        car: u32,
        module: Module,
        cause: LossCause,
    },
    BonusPlaced {
        bonus: u32,
        plan: BonusPlan,
    },
    BonusRemoved {
        bonus: u32,
        place: u32,
    },
    BonusTaken {
        car: u32,
        team: u32,
        bonus: u32,
        place: u32,
        effect: BonusEffect,
    },
    CarsMet {
        cars: [u32; 2],
        place: u32,
    },
    FightDeclined {
        cars: [u32; 2],
        teams: [u32; 2],
        by_both: bool,
    },
    FightStarted {
        cars: [u32; 2],
        willing: [bool; 2],
    },
    DuelForfeited {
        car: u32,
        fault: Fault,
    },
    DuelStarted {
        duellists: [Combatant; 2],
        weapons: [u32; 2],
    },
    DuelPlayed {
        duellists: [Combatant; 2],
        transcript: Transcript,
    },
    FightWon {
        car: u32,
        against: Combatant,
        weapons: u32,
        other_weapons: u32,
    },
    FightLost {
        car: u32,
        against: Combatant,
    },
    FightDrawn {
        combatants: [Combatant; 2],
    },
    EncounterMet {
        car: u32,
        encounter: Encounter,
        declared: bool,
    },
    PiratesAttacked {
        car: u32,
        weapons: u32,
    },
    WreckSearched {
        car: u32,
        find: Find,
    },
    WreckLeft {
        car: u32,
    },
    MinefieldCrossed {
        car: u32,
        damaged: bool,
    },
    MinefieldAvoided {
        car: u32,
        fault: Option<Fault>,
    },
    GarageLeft {
        car: u32,
    },
    ModuleBought {
        car: u32,
        team: u32,
        kind: Kind,
        price: u64,
    },
    TooExpensive {
        car: u32,
        kind: Kind,
        price: u64,
        budget: u64,
    },
    AchievementEarned {
        team: u32,
        car: Option<u32>,
        achievement: Achievement,
        dollars: u64,
        points: i64,
        by_hand: bool,
    },
    Scored {
        scores: Vec<Score>,
        end_awards: Vec<EndAward>,
    },
    TurnCompleted {
        turn: u32,
    },
    BudgetGranted {
        team: u32,
        dollars: u64,
    },
    EncounterDeclared {
        encounter: Encounter,
        cars: Option<Vec<u32>>,
    },
    OddsSet {
        odds: EncounterOdds,
    },
    TransferAsked {
        transfer: Transfer,
    },
    TransferVoid {
        transfer: Transfer,
        reason: TransferProblem,
    },
    CarCorrected {
        car: u32,
        reason: String,
        square: Option<u32>,
        turns_to_miss: Option<u32>,
        modules: Option<Vec<Module>>,
        reinstated: bool,
    },
    TeamCorrected {
        team: u32,
        reason: String,
        budget: Option<u64>,
        points: i64,
    },
    ComplaintFiled {
        number: u32,
        team: u32,
        turn: u32,
        text: String,
    },
    ComplaintAnswered {
        number: u32,
        team: u32,
        text: String,
    },
    HintPublished {
        achievement: Achievement,
        text: String,
    },
    AchievementRevealed {
        achievement: Achievement,
    },
}

impl Event {
    /// Whether both are the same thing happening to the same: then one is the other, changed.
    pub(crate) fn is_like(&self, other: &Event) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self.subject() == other.subject()
    }

    /// The car or team that it is about; 0 where there is none.
    fn subject(&self) -> u32 {
        match self {
            Event::CarRegistered { car, .. }
            | Event::CarStarted { car }
            | Event::TurnMissed { car }
            | Event::CarMoved { car, .. }
            | Event::CarStepped { car, .. }
            | Event::TurnsToMissAdded { car, .. }
            | Event::Penalised { car, .. }
            | Event::DeviationsAccepted { car, .. }
            | Event::DuelDeviationsAccepted { car, .. }
            | Event::InspectionSkipped { car, .. }
            | Event::NamesRead { car, .. }
            | Event::CarRetired { car, .. }
            | Event::ModuleGained { car, .. }
            | Event::ModuleLost { car, .. }
            | Event::BonusTaken { car, .. }
            | Event::DuelForfeited { car, .. }
            | Event::FightWon { car, .. }
            | Event::FightLost { car, .. }
            | Event::EncounterMet { car, .. }
            | Event::PiratesAttacked { car, .. }
            | Event::WreckSearched { car, .. }
            | Event::WreckLeft { car }
            | Event::MinefieldCrossed { car, .. }
            | Event::MinefieldAvoided { car, .. }
            | Event::GarageLeft { car }
            | Event::ModuleBought { car, .. }
            | Event::TooExpensive { car, .. }
            | Event::CarCorrected { car, .. } => *car,
            Event::TeamCreated { team, .. }
            | Event::AchievementEarned { team, .. }
            | Event::BudgetGranted { team, .. }
            | Event::TeamCorrected { team, .. } => *team,
            _ => 0,
        }
    }
}

/// Who fights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Combatant {
    Car(u32),
    Pirates,
}

/// Why a car is out of the race.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Retirement {
    OutOfFuel,
    Destroyed,
    NoPilot,
    Jury(String),
}

/// Why a car moved otherwise than on track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StepCause {
    Garage,
    Bonus,
}

/// Why a car has more turns to miss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DelayCause {
    Wreck,
    Minefield,
}

/// How a module was gained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GainCause {
    Wreck,
    Garage,
    Spoils,
    Transfer,
    Bonus,
}

/// How a module was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LossCause {
    Fight,
    Pirates,
    Minefield,
    Snakes,
    Transfer,
}

/// What was in a wreck.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Find {
    Nothing,
    Module(Kind),
    Snakes,
}

/// Why a race ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ending {
    TimeUp,
    LastTurn,
    NobodyLeft,
    Admin,
}

/// Why a transfer was not settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TransferProblem {
    NotRacing,
    Apart,
    NoSuchModule,
}

/// What a penalty is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Breach {
    pub(crate) check: Check,
    pub(crate) expected: Fact,
    pub(crate) found: Found,
}

/// What was asked or looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Check {
    Asked(Request),
    Inspected(Kind),
}

/// What was expected, or found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Fact {
    Count(u64),
    Square(u64),
    State { square: u64, modules: Modules },
    Holds(String),
    HoldsNot(String),
    AnAnswer,
}

/// What was found, or why nothing was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Found {
    Value(Fact),
    Fault(Fault),
}

/// What was accepted in one answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    pub(crate) request: Request,
    pub(crate) deviations: Vec<Deviation>,
}

/// Why a registration was refused (R-2.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum RefusedBecause {
    NoAddress,
    BadInstanceName,
    InstanceTaken,
    UrlTaken,
    NoAnswer { request: Request, fault: Fault },
    OtherName { found: String },
    WrongCount { kind: Kind, said: u64, there: u64 },
    BadModuleNames { kind: Kind },
    NotInspected { kind: Kind, fault: InspectorFault },
    NoPilot,
    TooManyModules { found: u64, most: u32 },
    TooExpensive { price: u64, budget: u64 },
}

/// A whole duel (R-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Transcript {
    pub(crate) first: Side,
    pub(crate) dealt: [Vec<u8>; 2],
    pub(crate) turns: Vec<DuelTurn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<Vec<u8>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<DuelOutcome>,
}

/// One turn of a duel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DuelTurn {
    pub(crate) side: Side,
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub(crate) step: Option<u8>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) attack: Vec<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parried: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) drew: Vec<u8>,
}

/// A side of a duel: white is the first of the duellists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    White,
    Black,
}

impl Side {
    pub(crate) const BOTH: [Side; 2] = [Side::White, Side::Black];

    pub(crate) fn seat(self) -> usize {
        match self {
            Side::White => 0,
            Side::Black => 1,
        }
    }

    pub(crate) fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }
}

/// How a duel ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DuelOutcome {
    pub(crate) winner: Option<Side>,
    pub(crate) reason: Reason,
}

/// Why a duel ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    Hit,
    NoCardLeft,
    Stuck,
    EmptyPile,
    Illegal(Illegal),
    Fault(Fault),
    OutOfTime,
}

/// What is wrong with what was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Illegal {
    Empty,
    NotACard(u8),
    TooFar(u8),
    WrongDistance(u8),
    NotHeld(u8),
    NotInTurn,
}

/// What a car meets (R-3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Encounter {
    Nothing,
    Pirates,
    Wreck,
    Minefield,
    Garage,
}

/// The odds of encounters, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EncounterOdds {
    pub(crate) nothing: u32,
    pub(crate) pirates: u32,
    pub(crate) garage: u32,
    pub(crate) wreck: u32,
    pub(crate) minefield: u32,
}

/// A bonus (R-12.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BonusPlan {
    pub(crate) place: u32,
    pub(crate) effect: BonusEffect,
    pub(crate) often: Often,
    pub(crate) hidden: bool,
}

/// What a bonus does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BonusEffect {
    Dollars(u32),
    Points(u32),
    Module(Kind),
    Advance(u32),
    Back(u32),
    MissTurn,
    ClearMisses,
}

/// How often a bonus can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Often {
    Once,
    OncePerTeam,
    Always,
}

/// An achievement (R-9), in the order of the rule book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Achievement {
    Lightning,
    ArmedToTheTeeth,
    Strategist,
    MadMax,
    Pacifist,
    ClickClick,
    #[serde(rename = "ulysses_31")]
    Ulysses31,
    OutOfFuel,
    AceDriver,
    Recycler,
    SnakesOnACar,
    PimpMyRide,
    Scrooge,
}

/// A team's points (R-8.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Score {
    pub(crate) team: u32,
    pub(crate) distance: i64,
    pub(crate) achievements: i64,
    pub(crate) bonuses: i64,
    pub(crate) end: i64,
    pub(crate) jury: i64,
    pub(crate) total: i64,
}

/// An award of the end (R-8.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndAward {
    pub(crate) title: EndTitle,
    pub(crate) teams: Vec<u32>,
}

/// What it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndTitle {
    CarWithMostFightsWon,
    MostFightsWon,
    FurthestCar,
    GreatestDistance,
}

/// A transfer within a team (R-7.7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Transfer {
    pub(crate) team: u32,
    pub(crate) module: Module,
    pub(crate) from: u32,
    pub(crate) to: u32,
}
