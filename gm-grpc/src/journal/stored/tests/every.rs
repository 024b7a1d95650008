//! Everything that can be stored, in all its forms: what the fixtures hold, line by line.
//!
//! ```text
//! events(): {"event":"race_created",…}, {"event":"team_created",…}, …
//! inboxes(): [{"no":1,"command":{"create_team":…}}], …
//! ```

use gm_core::arena::duel::{Illegal, Outcome, Reason, Side, Transcript, Turn};
use gm_core::contract::{BaseUrl, CarRequest, Deviation, Fault, Found, Kind, Modules, Prices};
use gm_core::ids::{CarId, CommandNo, Dollars, Place, Points, Seconds, Square, TeamId, TurnNo};
use gm_core::ports::{InspectorFault, PirateMind};
use gm_core::race::command::{Application, Arrival, CarCorrection, Command, NewStanding, TeamCorrection};
use gm_core::race::event::{
    Accepted, Achievement, Breach, Check, Combatant, DelayCause, EndAward, EndTitle, Event, Fact, Find,
    GainCause, LossCause, RefusedBecause, Retirement, Score, StepCause, TransferProblem,
};
use gm_core::race::rules::{
    EncounterOdds, MineRules, PirateRules, Reward, Rules, Spoils, ValidRules, WreckOdds,
};
use gm_core::race::state::{
    BonusEffect, BonusId, BonusPlan, Encounter, Ending, Module, Often, Resources, Transfer,
};
use gm_core::random::Seed;
use std::collections::BTreeMap;

/// Names every variant of an enum, and does not compile when one is missing.
macro_rules! variants {
    ($of:ident, $names:ident, $enum:ident { $($name:ident),+ $(,)? }) => {
        fn $of(it: &$enum) -> &'static str {
            match it { $($enum::$name { .. } => stringify!($name)),+ }
        }
        const $names: &[&str] = &[$(stringify!($name)),+];
    };
}

variants!(
    event,
    EVENTS,
    Event {
        RaceCreated,
        TeamCreated,
        RaceStarted,
        RacePaused,
        RaceResumed,
        RaceFinished,
        CarRegistered,
        RegistrationRefused,
        TurnStarted,
        CarStarted,
        PriorityDrawn,
        TurnMissed,
        CarMoved,
        CarStepped,
        TurnsToMissAdded,
        Penalised,
        DeviationsAccepted,
        DuelDeviationsAccepted,
        InspectionSkipped,
        NamesRead,
        CarRetired,
        ModuleGained,
        ModuleLost,
        BonusPlaced,
        BonusRemoved,
        BonusTaken,
        CarsMet,
        FightDeclined,
        FightStarted,
        DuelForfeited,
        DuelStarted,
        DuelPlayed,
        FightWon,
        FightLost,
        FightDrawn,
        EncounterMet,
        PiratesAttacked,
        WreckSearched,
        WreckLeft,
        MinefieldCrossed,
        MinefieldAvoided,
        GarageLeft,
        ModuleBought,
        TooExpensive,
        AchievementEarned,
        Scored,
        TurnCompleted,
        BudgetGranted,
        EncounterDeclared,
        OddsSet,
        TransferAsked,
        TransferVoid,
        CarCorrected,
        TeamCorrected,
        ComplaintFiled,
        ComplaintAnswered,
        HintPublished,
        AchievementRevealed
    }
);
variants!(
    request,
    REQUESTS,
    CarRequest {
        Resource,
        Count,
        State,
        SetSquare,
        SetPosition,
        Retire,
        SetCount,
        Gain,
        Lose,
        Wreck,
        Mine,
        Garage,
        ShouldFight,
        DuelUrl
    }
);
variants!(fault, FAULTS, Fault { Unreachable, Late, Broken, TooLarge, Status, NotJson, NotTheValue });
variants!(
    deviation,
    DEVIATIONS,
    Deviation {
        BooleanAsText,
        NumberAsText,
        BooleanAsNumber,
        NumberWithFraction,
        NoEnvelope,
        KindInOtherCase,
        ContentTypeMissing,
        ContentTypeOther,
        UnknownFields
    }
);
variants!(
    inspector_fault,
    INSPECTOR_FAULTS,
    InspectorFault { NoSuchResource, Denied, Malformed, Unavailable }
);
variants!(fact, FACTS, Fact { Count, Square, State, Holds, HoldsNot, AnAnswer });
variants!(
    refusal,
    REFUSALS,
    RefusedBecause {
        NoAddress,
        BadInstanceName,
        InstanceTaken,
        UrlTaken,
        NoAnswer,
        OtherName,
        WrongCount,
        BadModuleNames,
        NotInspected,
        NoPilot,
        TooManyModules,
        TooExpensive
    }
);
variants!(effect, EFFECTS, BonusEffect { Dollars, Points, Module, Advance, Back, MissTurn, ClearMisses });
variants!(often, OFTEN, Often { Once, OncePerTeam, Always });
variants!(mind, MINDS, PirateMind { Random, Greedy, Careful, Search });
variants!(encounter, ENCOUNTERS, Encounter { Nothing, Pirates, Wreck, Minefield, Garage });
variants!(problem, PROBLEMS, TransferProblem { NotRacing, Apart, NoSuchModule });
variants!(reason, REASONS, Reason { Hit, NoCardLeft, Stuck, EmptyPile, Illegal, Fault, OutOfTime });
variants!(illegal, ILLEGALS, Illegal { Empty, NotACard, TooFar, WrongDistance, NotHeld, NotInTurn });
variants!(
    command,
    COMMANDS,
    Command {
        CreateTeam,
        Register,
        Start,
        Pause,
        Resume,
        Finish,
        Grant,
        Declare,
        SetOdds,
        PlaceBonus,
        RemoveBonus,
        Transfer,
        CorrectCar,
        CorrectTeam,
        Complain,
        AnswerComplaint,
        Award,
        PublishHint,
        Reveal
    }
);

/// All of these, if every variant is among them.
#[track_caller]
fn all<T, const N: usize>(these: [T; N], name: fn(&T) -> &'static str, names: &[&str]) -> [T; N] {
    let missing: Vec<&&str> =
        names.iter().filter(|wanted| these.iter().all(|it| name(it) != **wanted)).collect();
    assert!(missing.is_empty(), "no sample of {missing:?}");
    these
}

fn requests() -> [CarRequest; 14] {
    let name = || "V8 n°1 \"été\"".to_owned();
    let these = [
        CarRequest::Resource(Kind::Engine),
        CarRequest::Count(Kind::Pilot),
        CarRequest::State,
        CarRequest::SetSquare(Square(12)),
        CarRequest::SetPosition(Square(11)),
        CarRequest::Retire,
        CarRequest::SetCount { kind: Kind::Weapon, count: u64::MAX },
        CarRequest::Gain { kind: Kind::Engine, name: name() },
        CarRequest::Lose { kind: Kind::Engine, name: name() },
        CarRequest::Wreck,
        CarRequest::Mine,
        CarRequest::Garage(Prices { engine: 2, pilot: 1, weapon: 2 }),
        CarRequest::ShouldFight(TeamId(2)),
        CarRequest::DuelUrl,
    ];
    all(these, request, REQUESTS)
}

fn faults() -> [Fault; 7] {
    let these = [
        Fault::Unreachable,
        Fault::Late,
        Fault::Broken,
        Fault::TooLarge,
        Fault::Status(503),
        Fault::NotJson,
        Fault::NotTheValue,
    ];
    all(these, fault, FAULTS)
}

fn deviations() -> [Deviation; 9] {
    let these = [
        Deviation::BooleanAsText,
        Deviation::NumberAsText,
        Deviation::BooleanAsNumber,
        Deviation::NumberWithFraction,
        Deviation::NoEnvelope,
        Deviation::KindInOtherCase,
        Deviation::ContentTypeMissing,
        Deviation::ContentTypeOther,
        Deviation::UnknownFields,
    ];
    all(these, deviation, DEVIATIONS)
}

fn facts() -> [Fact; 6] {
    let modules = Modules { engine: 1, pilot: 2, weapon: u64::MAX };
    let these = [
        Fact::Count(3),
        Fact::Square(4),
        Fact::State { square: 4, modules },
        Fact::Holds("V8".to_owned()),
        Fact::HoldsNot("V8".to_owned()),
        Fact::AnAnswer,
    ];
    all(these, fact, FACTS)
}

fn refusals() -> [RefusedBecause; 12] {
    let kind = Kind::Weapon;
    let these = [
        RefusedBecause::NoAddress,
        RefusedBecause::BadInstanceName,
        RefusedBecause::InstanceTaken,
        RefusedBecause::UrlTaken,
        RefusedBecause::NoAnswer { request: CarRequest::Count(kind), fault: Fault::Late },
        RefusedBecause::OtherName { found: "i-2".to_owned() },
        RefusedBecause::WrongCount { kind, said: 3, there: 2 },
        RefusedBecause::BadModuleNames { kind },
        RefusedBecause::NotInspected { kind, fault: InspectorFault::Malformed },
        RefusedBecause::NoPilot,
        RefusedBecause::TooManyModules { found: 11, most: 10 },
        RefusedBecause::TooExpensive { price: Dollars(21), budget: Dollars(15) },
    ];
    all(these, refusal, REFUSALS)
}

fn effects() -> [BonusEffect; 7] {
    let these = [
        BonusEffect::Dollars(5),
        BonusEffect::Points(5),
        BonusEffect::Module(Kind::Weapon),
        BonusEffect::Advance(5),
        BonusEffect::Back(5),
        BonusEffect::MissTurn,
        BonusEffect::ClearMisses,
    ];
    all(these, effect, EFFECTS)
}

fn reasons() -> [Reason; 12] {
    let these = [
        Reason::Hit,
        Reason::NoCardLeft,
        Reason::Stuck,
        Reason::EmptyPile,
        Reason::Illegal(Illegal::Empty),
        Reason::Illegal(Illegal::NotACard(9)),
        Reason::Illegal(Illegal::TooFar(5)),
        Reason::Illegal(Illegal::WrongDistance(2)),
        Reason::Illegal(Illegal::NotHeld(3)),
        Reason::Illegal(Illegal::NotInTurn),
        Reason::Fault(Fault::Late),
        Reason::OutOfTime,
    ];
    let illegals =
        these.iter().filter_map(|it| if let Reason::Illegal(illegal) = it { Some(illegal) } else { None });
    assert!(illegals.map(illegal).eq(ILLEGALS.iter().copied()), "every way to be illegal, in order");
    all(these, reason, REASONS)
}

/// A duel with a turn of each kind.
fn transcript(outcome: Option<Outcome>) -> Transcript {
    let turn = Turn { side: Side::White, step: None, attack: vec![], parried: None, drew: vec![] };
    Transcript {
        first: Side::White,
        dealt: [vec![1, 4, 4], vec![]],
        turns: vec![
            Turn { step: Some(5), drew: vec![2], ..turn.clone() },
            Turn { side: Side::Black, attack: vec![4, 4], parried: Some(true), ..turn.clone() },
            Turn { step: Some(1), attack: vec![4], parried: Some(false), ..turn.clone() },
            turn,
        ],
        refused: matches!(outcome, Some(Outcome { reason: Reason::Illegal(_), .. })).then(|| vec![0, 255]),
        outcome,
    }
}

/// Rules in which nothing is as in a preset.
fn other_rules() -> ValidRules {
    let plans = effects().into_iter().zip((0..).map(Place)).map(|(effect, place)| BonusPlan {
        place,
        effect,
        often: all([Often::Once, Often::OncePerTeam, Often::Always], often, OFTEN)[place.0 as usize % 3],
        hidden: place.0 == 1,
    });
    let rules = Rules {
        initial_budget: 99,
        prices: Prices { engine: 7, pilot: 8, weapon: 9 },
        registration_fee: 1,
        max_modules: 12,
        track_length: 200,
        combat_range: 2,
        meet_again: true,
        encounters: EncounterOdds { nothing: 10, pirates: 15, garage: 20, wreck: 25, minefield: 30 },
        spot_check_percent: 6,
        pirates: PirateRules { least_weapons: 2, most_weapons: 25, mind: PirateMind::Random },
        wreck: WreckOdds { nothing: 10, engine: 15, weapon: 20, pilot: 25, snakes: 30 },
        mine: MineRules { damage_percent: 81, detour_turns: 4 },
        garage_step_back: 3,
        hand_limit: Some(5),
        duel_limit: Seconds(31),
        request_deadline_ms: 2_001,
        move_deadline_ms: 2_002,
        verify_grace: Seconds(5),
        spoils: Spoils::WinnerTakes,
        transfers: true,
        end_award: 21,
        achievements: BTreeMap::from(
            Achievement::ALL.map(|achievement| (achievement, Reward { dollars: 6, points: 4 })),
        ),
        scrooge_above: 121,
        turn_every: Seconds(61),
        running_time: Seconds(3_601),
        max_turns: Some(70),
        idle_turns: 6,
        bonuses: plans.collect(),
        random_bonuses: 1,
    };
    rules.validated().expect("rules that can be played")
}

/// Rules in several forms. The presets are those of the time when they were stored: pirates were careful then.
pub(super) fn rules() -> Vec<ValidRules> {
    let preset = |rules: Rules| with_mind(rules, PirateMind::Careful);
    vec![preset(Rules::balanced()), preset(Rules::classic()), other_rules()]
}

/// Rules with each of the minds that pirates can have.
pub(super) fn rules_of_minds() -> Vec<ValidRules> {
    let minds =
        all([PirateMind::Random, PirateMind::Greedy, PirateMind::Careful, PirateMind::Search], mind, MINDS);
    minds.into_iter().map(|mind| with_mind(Rules::balanced(), mind)).collect()
}

fn with_mind(mut rules: Rules, mind: PirateMind) -> ValidRules {
    rules.pirates.mind = mind;
    rules.validated().expect("a preset can be played")
}

/// Every event in all its forms.
pub(super) fn events() -> Vec<Event> {
    let mut events = plain_events();
    let (car, team) = (CarId(1), TeamId(1));
    events.push(Event::RaceCreated { revision: u32::MAX, seed: Seed(u64::MAX), rules: other_rules() });
    events.push(Event::RegistrationRefused {
        team,
        instance: "tab\t, newline\n, nul\0, quote\", é, 🏎".to_owned(),
        reasons: refusals().to_vec(),
        accepted: vec![],
    });
    for request in requests() {
        let accepted = deviations().to_vec();
        events.push(Event::DeviationsAccepted { car, request, deviations: accepted });
    }
    for fault in faults() {
        let check = Check::Asked(CarRequest::Count(Kind::Engine));
        let breach = Breach { check, expected: Fact::AnAnswer, found: Found::Fault(fault) };
        events.push(Event::Penalised { car, breach });
    }
    for fact in facts() {
        let check = Check::Inspected(Kind::Engine);
        let breach = Breach { check, expected: fact.clone(), found: Found::Value(fact) };
        events.push(Event::Penalised { car, breach });
    }
    let of_inspectors = [
        InspectorFault::NoSuchResource,
        InspectorFault::Denied,
        InspectorFault::Malformed,
        InspectorFault::Unavailable,
    ];
    for fault in all(of_inspectors, inspector_fault, INSPECTOR_FAULTS) {
        events.push(Event::InspectionSkipped { car, kind: Kind::Pilot, fault });
    }
    for effect in effects() {
        events.push(Event::BonusTaken { car, team, bonus: BonusId(1), place: Place(9), effect });
    }
    let met =
        [Encounter::Nothing, Encounter::Pirates, Encounter::Wreck, Encounter::Minefield, Encounter::Garage];
    for encounter in all(met, encounter, ENCOUNTERS) {
        events.push(Event::EncounterMet { car, encounter, declared: false });
    }
    let module = Module { kind: Kind::Engine, name: "V8".to_owned() };
    let transfer = Transfer { team, module, from: car, to: CarId(3) };
    let problems = [TransferProblem::NotRacing, TransferProblem::Apart, TransferProblem::NoSuchModule];
    for reason in all(problems, problem, PROBLEMS) {
        events.push(Event::TransferVoid { transfer: transfer.clone(), reason });
    }
    for achievement in Achievement::ALL {
        events.push(Event::AchievementRevealed { achievement });
    }
    for (reason, winner) in
        reasons().into_iter().zip([None, Some(Side::White), Some(Side::Black)].iter().cycle())
    {
        let outcome = Some(Outcome { winner: *winner, reason });
        let duellists = [Combatant::Car(car), Combatant::Pirates];
        events.push(Event::DuelPlayed { duellists, transcript: transcript(outcome) });
    }
    let missing: Vec<&&str> =
        EVENTS.iter().filter(|name| events.iter().all(|it| event(it) != **name)).collect();
    assert!(missing.is_empty(), "no sample of {missing:?}");
    events
}

/// Every command in all its forms.
fn commands() -> Vec<Command> {
    let (car, team) = (CarId(1), TeamId(1));
    let text = || "why \"not\"?".to_owned();
    let module = Module { kind: Kind::Pilot, name: "pilot-1".to_owned() };
    let car_correction = CarCorrection {
        car,
        reason: text(),
        square: None,
        turns_to_miss: None,
        modules: None,
        standing: Some(NewStanding::Retired),
    };
    let team_correction = TeamCorrection { team, reason: text(), budget: None, points: Points(-3) };
    let url = BaseUrl::parse("https://car.example:8443/behind/a/path").expect("a URL");
    let application = Application { team, instance: "i-1".to_owned(), url: Some(url) };
    let plan = BonusPlan {
        place: Place(9),
        effect: BonusEffect::Module(Kind::Engine),
        often: Often::Always,
        hidden: true,
    };
    let odds = EncounterOdds { nothing: 10, pirates: 15, garage: 20, wreck: 25, minefield: 30 };
    let commands = [
        Command::CreateTeam { name: "Red".to_owned(), budget: None },
        Command::CreateTeam { name: "Blue".to_owned(), budget: Some(Dollars(50)) },
        Command::Register(Application { url: None, ..application.clone() }),
        Command::Register(application),
        Command::Start,
        Command::Pause,
        Command::Resume,
        Command::Finish,
        Command::Grant { team, dollars: Dollars(u64::MAX) },
        Command::Declare { encounter: Encounter::Garage, cars: None },
        Command::Declare { encounter: Encounter::Nothing, cars: Some(vec![car, CarId(2)]) },
        Command::SetOdds(odds),
        Command::PlaceBonus(plan),
        Command::RemoveBonus(BonusId(1)),
        Command::Transfer(Transfer { team, module, from: car, to: CarId(3) }),
        Command::CorrectCar(CarCorrection {
            square: Some(Square(4)),
            turns_to_miss: Some(2),
            modules: Some(Modules { engine: 1, pilot: 2, weapon: 3 }),
            standing: Some(NewStanding::Reinstated),
            ..car_correction.clone()
        }),
        Command::CorrectCar(car_correction),
        Command::CorrectTeam(TeamCorrection { budget: Some(Dollars(7)), ..team_correction.clone() }),
        Command::CorrectTeam(team_correction),
        Command::Complain { team, turn: TurnNo(3), text: text() },
        Command::AnswerComplaint { number: 1, text: text() },
        Command::Award { team, achievement: Achievement::Ulysses31 },
        Command::PublishHint { achievement: Achievement::MadMax, text: text() },
        Command::Reveal { achievement: Achievement::Scrooge },
    ];
    all(commands, command, COMMANDS).to_vec()
}

/// Inboxes: an empty one, one for each command, and one with all of them.
pub(super) fn inboxes() -> Vec<Vec<Arrival>> {
    let arrivals: Vec<Arrival> = commands()
        .into_iter()
        .zip((1..).map(CommandNo))
        .map(|(command, no)| Arrival { no, command })
        .collect();
    let single = arrivals.iter().map(|arrival| vec![arrival.clone()]);
    std::iter::once(Vec::new()).chain(single).chain([arrivals.clone()]).collect()
}

/// Every event in the forms that differ in nothing but itself.
fn plain_events() -> Vec<Event> {
    let (car, team, turn) = (CarId(1), TeamId(1), TurnNo(9));
    let cars = [CarId(1), CarId(2)];
    let teams = [TeamId(1), TeamId(2)];
    let fight = [Combatant::Car(CarId(1)), Combatant::Car(CarId(2))];
    let module = || Module { kind: Kind::Engine, name: "word".to_owned() };
    let pilot = || Module { kind: Kind::Pilot, name: "word-p".to_owned() };
    let transfer = || Transfer { team, module: module(), from: CarId(1), to: CarId(3) };
    let plan = |hidden| BonusPlan {
        place: Place(if hidden { 8 } else { 9 }),
        effect: BonusEffect::Points(if hidden { 41 } else { 3 }),
        often: Often::Once,
        hidden,
    };
    let retired = |reason| Event::CarRetired { car, reason };
    let stepped = |cause| Event::CarStepped { car, to: Square(11), cause };
    let gained = |cause| Event::ModuleGained { car, module: module(), cause };
    let lost = |cause| Event::ModuleLost { car, module: module(), cause };
    let finished = |ending| Event::RaceFinished { ending };
    let searched = |find| Event::WreckSearched { car, find };
    let corrected = |square, turns_to_miss, modules, reinstated| Event::CarCorrected {
        car,
        reason: "word".to_owned(),
        square,
        turns_to_miss,
        modules,
        reinstated,
    };
    let team_corrected =
        |budget, points| Event::TeamCorrected { team, reason: "word".to_owned(), budget, points };
    let played = |outcome| Event::DuelPlayed {
        duellists: [fight[0], Combatant::Pirates],
        transcript: Transcript {
            first: Side::White,
            dealt: [vec![1], vec![5]],
            turns: Vec::new(),
            refused: None,
            outcome,
        },
    };
    let won = Outcome { winner: Some(Side::Black), reason: Reason::Stuck };
    let scored = |end_awards| Event::Scored {
        scores: vec![
            Score {
                team,
                distance: Points(8),
                achievements: Points(3),
                bonuses: Points(2),
                end: Points(20),
                jury: Points(-1),
                total: Points(32),
            },
            Score {
                team: TeamId(2),
                distance: Points(0),
                achievements: Points(0),
                bonuses: Points(0),
                end: Points(0),
                jury: Points(-1),
                total: Points(-1),
            },
        ],
        end_awards,
    };
    let awards = [
        (EndTitle::CarWithMostFightsWon, vec![]),
        (EndTitle::MostFightsWon, vec![team]),
        (EndTitle::FurthestCar, vec![team, TeamId(2)]),
        (EndTitle::GreatestDistance, vec![team]),
    ];
    let reason = || "word".to_owned();
    vec![
        Event::RaceCreated {
            revision: 1,
            seed: Seed(77_771),
            rules: with_mind(Rules { bonuses: vec![plan(true)], ..Rules::balanced() }, PirateMind::Careful),
        },
        Event::TeamCreated { team, name: "Red".to_owned(), budget: Dollars(77_772) },
        Event::RaceStarted,
        Event::RacePaused,
        Event::RaceResumed,
        finished(Ending::TimeUp),
        finished(Ending::LastTurn),
        finished(Ending::NobodyLeft),
        finished(Ending::Admin),
        Event::CarRegistered {
            car,
            team,
            instance: "i-1".to_owned(),
            url: BaseUrl::parse("http://word").expect("a URL"),
            resources: Resources {
                engine: "word-e".to_owned(),
                pilot: "word-p".to_owned(),
                weapon: "word-w".to_owned(),
            },
            modules: vec![module(), pilot(), Module { name: "word-2".to_owned(), ..module() }],
            paid: Dollars(77_773),
        },
        Event::RegistrationRefused {
            team,
            instance: "word".to_owned(),
            reasons: vec![RefusedBecause::NoPilot, RefusedBecause::OtherName { found: reason() }],
            accepted: vec![Accepted {
                request: CarRequest::State,
                deviations: vec![Deviation::UnknownFields, Deviation::ContentTypeMissing],
            }],
        },
        Event::TurnStarted { turn },
        Event::CarStarted { car },
        Event::PriorityDrawn { order: vec![CarId(2), car], missing: vec![] },
        Event::PriorityDrawn { order: vec![CarId(2), car], missing: vec![car] },
        Event::TurnMissed { car },
        Event::CarMoved { car, squares: 4, to: Square(12) },
        stepped(StepCause::Garage),
        stepped(StepCause::Bonus),
        Event::TurnsToMissAdded { car, turns: 1, cause: DelayCause::Wreck },
        Event::TurnsToMissAdded { car, turns: 3, cause: DelayCause::Minefield },
        Event::Penalised {
            car,
            breach: Breach {
                check: Check::Asked(CarRequest::Count(Kind::Engine)),
                expected: Fact::Count(3),
                found: Found::Value(Fact::Count(41)),
            },
        },
        Event::Penalised {
            car,
            breach: Breach {
                check: Check::Inspected(Kind::Weapon),
                expected: Fact::HoldsNot(reason()),
                found: Found::Value(Fact::Holds(reason())),
            },
        },
        Event::Penalised {
            car,
            breach: Breach {
                check: Check::Asked(CarRequest::State),
                expected: Fact::State { square: 4, modules: Modules { engine: 1, pilot: 2, weapon: 3 } },
                found: Found::Fault(Fault::Status(41)),
            },
        },
        Event::Penalised {
            car,
            breach: Breach {
                check: Check::Asked(CarRequest::Wreck),
                expected: Fact::AnAnswer,
                found: Found::Value(Fact::Square(41)),
            },
        },
        Event::DeviationsAccepted {
            car,
            request: CarRequest::Lose { kind: Kind::Engine, name: reason() },
            deviations: vec![Deviation::NoEnvelope, Deviation::UnknownFields],
        },
        Event::DuelDeviationsAccepted { car, deviations: vec![Deviation::NoEnvelope] },
        Event::InspectionSkipped { car, kind: Kind::Pilot, fault: InspectorFault::Denied },
        Event::NamesRead { car, kind: Kind::Engine, names: vec![reason(), "word-2".to_owned()] },
        retired(Retirement::OutOfFuel),
        retired(Retirement::Destroyed),
        retired(Retirement::NoPilot),
        retired(Retirement::Jury("rude".to_owned())),
        gained(GainCause::Wreck),
        gained(GainCause::Garage),
        gained(GainCause::Spoils),
        gained(GainCause::Transfer),
        gained(GainCause::Bonus),
        lost(LossCause::Fight),
        lost(LossCause::Pirates),
        lost(LossCause::Minefield),
        lost(LossCause::Snakes),
        lost(LossCause::Transfer),
        Event::BonusPlaced { bonus: BonusId(2), plan: plan(true) },
        Event::BonusPlaced { bonus: BonusId(1), plan: plan(false) },
        Event::BonusRemoved { bonus: BonusId(2), place: Place(8) },
        Event::BonusTaken { car, team, bonus: BonusId(1), place: Place(9), effect: BonusEffect::Points(3) },
        Event::CarsMet { cars, place: Place(4) },
        Event::FightDeclined { cars, teams, by_both: false },
        Event::FightDeclined { cars, teams, by_both: true },
        Event::FightStarted { cars, willing: [true, false] },
        Event::DuelForfeited { car, fault: Fault::Status(41) },
        Event::DuelStarted { duellists: fight, weapons: [3, 5] },
        played(Some(won)),
        played(None),
        Event::FightWon { car, against: Combatant::Pirates, weapons: 3, other_weapons: 5 },
        Event::FightLost { car, against: fight[1] },
        Event::FightDrawn { combatants: fight },
        Event::EncounterMet { car, encounter: Encounter::Garage, declared: false },
        Event::EncounterMet { car, encounter: Encounter::Nothing, declared: true },
        Event::PiratesAttacked { car, weapons: 5 },
        searched(Find::Nothing),
        searched(Find::Module(Kind::Pilot)),
        searched(Find::Snakes),
        Event::WreckLeft { car },
        Event::MinefieldCrossed { car, damaged: true },
        Event::MinefieldCrossed { car, damaged: false },
        Event::MinefieldAvoided { car, fault: None },
        Event::MinefieldAvoided { car, fault: Some(Fault::Status(41)) },
        Event::GarageLeft { car },
        Event::ModuleBought { car, team, kind: Kind::Engine, price: Dollars(77_774) },
        Event::TooExpensive { car, kind: Kind::Engine, price: Dollars(77_774), budget: Dollars(1) },
        Event::AchievementEarned {
            team,
            car: Some(car),
            achievement: Achievement::Strategist,
            dollars: Dollars(77_775),
            points: Points(5),
            by_hand: false,
        },
        Event::AchievementEarned {
            team,
            car: None,
            achievement: Achievement::Scrooge,
            dollars: Dollars(77_775),
            points: Points(5),
            by_hand: true,
        },
        scored(Vec::new()),
        scored(awards.into_iter().map(|(title, teams)| EndAward { title, teams }).collect()),
        Event::TurnCompleted { turn },
        Event::BudgetGranted { team, dollars: Dollars(77_776) },
        Event::EncounterDeclared { encounter: Encounter::Wreck, cars: None },
        Event::EncounterDeclared { encounter: Encounter::Minefield, cars: Some(cars.to_vec()) },
        Event::OddsSet {
            odds: EncounterOdds { nothing: 50, pirates: 20, garage: 10, wreck: 15, minefield: 5 },
        },
        Event::TransferAsked { transfer: transfer() },
        Event::TransferVoid { transfer: transfer(), reason: TransferProblem::Apart },
        corrected(None, None, None, true),
        corrected(Some(Square(4)), Some(2), Some(vec![module(), pilot()]), false),
        team_corrected(Some(Dollars(77_777)), Points(0)),
        team_corrected(Some(Dollars(77_777)), Points(-4)),
        team_corrected(None, Points(4)),
        Event::ComplaintFiled { number: 1, team, turn, text: reason() },
        Event::ComplaintAnswered { number: 1, team, text: reason() },
        Event::HintPublished { achievement: Achievement::SnakesOnACar, text: "hiss".to_owned() },
        Event::AchievementRevealed { achievement: Achievement::MadMax },
    ]
}
