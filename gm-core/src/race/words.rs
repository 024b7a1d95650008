//! Events in words, one line each: for people who watch, for logs and for tables in tests.
//!
//! ```
//! use gm_core::{ids::{CarId, Square}, race::Event};
//! let event = Event::CarMoved { car: CarId(3), squares: 4, to: Square(12) };
//! assert_eq!(event.to_string(), "car 3 moves 4 to 12");
//! ```
//!
//! The words of an event are for the admin: they hold everything. What others may read of it is decided in
//! [`super::view`], and has words of its own.

use super::event::{Accepted, Combatant, DelayCause, EndTitle, Event, Find, GainCause, LossCause, StepCause};
use super::state::{Ending, Module};
use super::view::{PublicEvent, Seen};
use crate::contract::{CarRequest, Deviation, Kind};
use crate::ids::CarId;
use std::fmt;

impl fmt::Display for Event {
    #[expect(clippy::too_many_lines, reason = "one arm for each event, and nothing else")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::RaceCreated { revision, seed, .. } => {
                write!(f, "race created with seed {seed} under revision {revision} of the rules")
            }
            Event::TeamCreated { team, name, budget } => {
                write!(f, "team {team} {name:?} enters with {budget}")
            }
            Event::RaceStarted => f.write_str("the race starts"),
            Event::RacePaused => f.write_str("the race is paused"),
            Event::RaceResumed => f.write_str("the race goes on"),
            Event::RaceFinished { ending } => write!(f, "the race is over: {ending}"),

            Event::CarRegistered { car, team, instance, modules, paid, .. } => {
                let count = |kind| modules.iter().filter(|module| module.kind == kind).count();
                write!(
                    f,
                    "car {car} {instance:?} of team {team} is registered with {} engines, {} pilots, {} weapons for {paid}",
                    count(Kind::Engine),
                    count(Kind::Pilot),
                    count(Kind::Weapon)
                )
            }
            Event::RegistrationRefused { team, instance, reasons, accepted } => {
                write!(f, "{instance:?} of team {team} is refused: {}", list(reasons, "; "))?;
                for Accepted { request, deviations } in accepted {
                    write!(f, "; {request}: accepted {}", list(deviations, ", "))?;
                }
                Ok(())
            }

            Event::TurnStarted { turn } => write!(f, "turn {turn} starts"),
            Event::CarStarted { car } => write!(f, "car {car} starts"),
            Event::PriorityDrawn { order, missing } if missing.is_empty() => {
                write!(f, "priority: {}", list(order, " "))
            }
            Event::PriorityDrawn { order, missing } => {
                write!(f, "priority: {}, missing this turn: {}", list(order, " "), list(missing, " "))
            }
            Event::TurnMissed { car } => write!(f, "car {car} misses the turn"),
            Event::CarMoved { car, squares, to } => write!(f, "car {car} moves {squares} to {to}"),
            Event::CarStepped { car, to, cause } => write!(f, "car {car} steps to {to} ({cause})"),
            Event::TurnsToMissAdded { car, turns, cause } => {
                write!(f, "car {car} has {turns} more to miss ({cause})")
            }
            Event::Penalised { car, breach } => write!(f, "car {car} is penalised: {breach}"),
            Event::DeviationsAccepted { car, request, deviations } => {
                write!(f, "car {car}: {request}: accepted {}", list(deviations, ", "))
            }
            Event::DuelDeviationsAccepted { car, deviations } => duel_deviations(f, *car, deviations),
            Event::InspectionSkipped { car, kind, fault } => {
                write!(f, "car {car}: the real {kind} resource was not checked: {fault}")
            }
            Event::NamesRead { car, kind, names } => {
                write!(f, "car {car}: {kind} names read: {}", list(names, ", "))
            }
            Event::CarRetired { car, reason } => write!(f, "car {car} retires: {reason}"),
            Event::ModuleGained { car, module, cause } => write!(f, "car {car} gains {module} ({cause})"),
            Event::ModuleLost { car, module, cause } => write!(f, "car {car} loses {module} ({cause})"),

            Event::BonusPlaced { bonus, plan } => {
                write!(f, "bonus {bonus} on place {}: {}", plan.place, plan.effect)
            }
            Event::BonusRemoved { bonus, place } => write!(f, "bonus {bonus} on place {place} is removed"),
            Event::BonusTaken { car, bonus, effect, .. } => {
                write!(f, "car {car} takes bonus {bonus}: {effect}")
            }

            Event::CarsMet { cars: [a, b], place } => write!(f, "cars {a} and {b} meet on place {place}"),
            Event::FightDeclined { cars: [a, b], by_both, .. } => {
                write!(f, "cars {a} and {b} don't fight")?;
                if *by_both { f.write_str(": both refuse") } else { Ok(()) }
            }
            Event::FightStarted { cars: [a, b], .. } => write!(f, "cars {a} and {b} fight"),
            Event::DuelForfeited { car, fault } => {
                write!(f, "car {car} has no usable duel AI: {fault}")?;
                match CarRequest::DuelUrl.wanted_instead_of(*fault) {
                    Some(wanted) => write!(f, ": expected {wanted}"),
                    None => Ok(()),
                }
            }
            Event::DuelStarted { duellists: [a, b], weapons: [of_a, of_b] } => {
                write!(f, "duel: {a} with {of_a} weapons against {b} with {of_b}")
            }
            Event::DuelPlayed { duellists: [a, b], transcript } => {
                write!(f, "duel between {a} and {b} after {} turns: ", transcript.turns.len())?;
                match &transcript.outcome {
                    Some(outcome) => outcome.fmt(f),
                    None => f.write_str("not ended"),
                }
            }
            Event::FightWon { car, against, .. } => write!(f, "car {car} wins against {against}"),
            Event::FightLost { car, against } => write!(f, "car {car} loses against {against}"),
            Event::FightDrawn { combatants: [a, b] } => write!(f, "nobody wins: {a}, {b}"),

            Event::EncounterMet { car, encounter, declared } => {
                write!(f, "car {car} meets: {encounter}{}", if *declared { " (declared)" } else { "" })
            }
            Event::PiratesAttacked { car, weapons } => {
                write!(f, "pirates with {weapons} weapons attack car {car}")
            }
            Event::WreckSearched { car, find } => write!(f, "car {car} searches the wreck: {find}"),
            Event::WreckLeft { car } => write!(f, "car {car} leaves the wreck alone"),
            Event::MinefieldCrossed { car, damaged: true } => {
                write!(f, "car {car} is damaged in the minefield")
            }
            Event::MinefieldCrossed { car, damaged: false } => {
                write!(f, "car {car} crosses the minefield unharmed")
            }
            Event::MinefieldAvoided { car, fault: None } => write!(f, "car {car} goes round the minefield"),
            Event::MinefieldAvoided { car, fault: Some(fault) } => {
                write!(f, "car {car} goes round the minefield: {fault}")
            }
            Event::GarageLeft { car } => write!(f, "car {car} buys nothing"),
            Event::ModuleBought { car, kind, price, .. } => {
                write!(f, "car {car} buys one {kind} for {price}")
            }
            Event::TooExpensive { car, kind, price, budget } => {
                write!(f, "car {car} can't buy one {kind} for {price}: its team has {budget}")
            }

            Event::AchievementEarned { team, car, achievement, dollars, points, .. } => {
                write!(f, "team {team} earns {:?}", achievement.title())?;
                if let Some(car) = car {
                    write!(f, " by car {car}")?;
                }
                write!(f, ": {points} VP, {dollars}")
            }
            Event::Scored { scores, end_awards } => {
                let totals: Vec<String> =
                    scores.iter().map(|score| format!("team {}: {} VP", score.team, score.total)).collect();
                write!(f, "score: {}", totals.join(", "))?;
                for award in end_awards {
                    let teams = match award.teams.as_slice() {
                        [] => "nobody".to_owned(),
                        teams => list(teams, ", "),
                    };
                    write!(f, "; {}: {teams}", award.title)?;
                }
                Ok(())
            }
            Event::TurnCompleted { turn } => write!(f, "turn {turn} is complete"),

            Event::BudgetGranted { team, dollars } => write!(f, "team {team} is granted {dollars}"),
            Event::EncounterDeclared { encounter, cars: None } => {
                write!(f, "declared for all cars: {encounter}")
            }
            Event::EncounterDeclared { encounter, cars: Some(cars) } => {
                write!(f, "declared for cars {}: {encounter}", list(cars, ", "))
            }
            Event::OddsSet { odds } => {
                let odds: Vec<String> = odds
                    .table()
                    .iter()
                    .map(|(encounter, percent)| format!("{encounter} {percent} %"))
                    .collect();
                write!(f, "odds: {}", odds.join(", "))
            }
            Event::TransferAsked { transfer } => {
                let super::state::Transfer { module, from, to, .. } = transfer;
                write!(f, "transfer of {module} from car {from} to car {to} waits for the next turn")
            }
            Event::TransferVoid { transfer, reason } => {
                let super::state::Transfer { module, from, to, .. } = transfer;
                write!(f, "no transfer of {module} from car {from} to car {to}: {reason}")
            }
            Event::CarCorrected { car, reason, square, turns_to_miss, modules, reinstated } => {
                write!(f, "the jury corrects car {car}")?;
                if let Some(square) = square {
                    write!(f, ", square {square}")?;
                }
                if let Some(turns) = turns_to_miss {
                    write!(f, ", {turns} to miss")?;
                }
                if let Some(modules) = modules {
                    write!(f, ", modules {}", list(modules, " "))?;
                }
                if *reinstated {
                    f.write_str(", reinstated")?;
                }
                write!(f, ": {}", one_line(reason))
            }
            Event::TeamCorrected { team, reason, budget, points } => {
                write!(f, "the jury corrects team {team}")?;
                if let Some(budget) = budget {
                    write!(f, ", budget {budget}")?;
                }
                if points.0 != 0 {
                    write!(f, ", {points} VP")?;
                }
                write!(f, ": {}", one_line(reason))
            }
            Event::ComplaintFiled { number, team, turn, text } => {
                write!(f, "complaint {number} of team {team} about turn {turn}: {}", one_line(text))
            }
            Event::ComplaintAnswered { number, text, .. } => {
                write!(f, "complaint {number} is answered: {}", one_line(text))
            }
            Event::HintPublished { achievement, text } => {
                write!(f, "hint to {achievement}: {}", one_line(text))
            }
            Event::AchievementRevealed { achievement } => write!(f, "revealed: {achievement}"),
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seen::Whole(event) => event.fmt(f),
            Seen::Public(event) => event.fmt(f),
        }
    }
}

impl fmt::Display for PublicEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PublicEvent::RaceCreated { revision, track_length } => {
                write!(f, "race created on {track_length} squares under revision {revision} of the rules")
            }
            PublicEvent::TeamCreated { team, name } => write!(f, "team {team} {name:?} enters"),
            PublicEvent::CarRegistered { car, team, instance, modules } => write!(
                f,
                "car {car} {instance:?} of team {team} is registered with {} engines, {} pilots, {} weapons",
                modules.engine, modules.pilot, modules.weapon
            ),
            PublicEvent::Penalised { car } => write!(f, "car {car} is penalised"),
            PublicEvent::ModuleGained { car, kind, cause } => {
                write!(f, "car {car} gains one {kind} ({cause})")
            }
            PublicEvent::ModuleLost { car, kind, cause } => write!(f, "car {car} loses one {kind} ({cause})"),
            PublicEvent::DuelForfeited { car } => write!(f, "car {car} has no usable duel AI"),
            PublicEvent::MinefieldAvoided { car } => write!(f, "car {car} goes round the minefield"),
            PublicEvent::ModuleBought { car, kind } => write!(f, "car {car} buys one {kind}"),
            PublicEvent::AchievementEarned { team, car, achievement, points } => {
                write!(f, "team {team} earns {:?}", achievement.title())?;
                if let Some(car) = car {
                    write!(f, " by car {car}")?;
                }
                write!(f, ": {points} VP")
            }
            PublicEvent::CarCorrected { car, square, turns_to_miss, modules, reinstated } => {
                write!(f, "the jury corrects car {car}")?;
                if let Some(square) = square {
                    write!(f, ", square {square}")?;
                }
                if let Some(turns) = turns_to_miss {
                    write!(f, ", {turns} to miss")?;
                }
                if let Some(modules) = modules {
                    let (engines, pilots, weapons) = (modules.engine, modules.pilot, modules.weapon);
                    write!(f, ", {engines} engines, {pilots} pilots, {weapons} weapons")?;
                }
                if *reinstated { f.write_str(", reinstated") } else { Ok(()) }
            }
            PublicEvent::HintPublished { text } => write!(f, "hint: {}", one_line(text)),
            PublicEvent::TeamCorrected { team, points } => {
                write!(f, "the jury corrects team {team}, {points} VP")
            }
        }
    }
}

fn duel_deviations(f: &mut fmt::Formatter<'_>, car: CarId, deviations: &[Deviation]) -> fmt::Result {
    write!(f, "car {car}: its duel AI: accepted {}", list(deviations, ", "))
}

/// A text that may have several lines, in one.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn list<T: fmt::Display>(items: &[T], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

macro_rules! words {
    ($type:ident { $($variant:pat => $word:literal),+ $(,)? }) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($variant => $word),+ })
            }
        }
    };
}

words!(StepCause { StepCause::Garage => "garage", StepCause::Bonus => "bonus" });
words!(DelayCause { DelayCause::Wreck => "wreck", DelayCause::Minefield => "minefield" });
words!(GainCause {
    GainCause::Wreck => "wreck",
    GainCause::Garage => "garage",
    GainCause::Spoils => "spoils",
    GainCause::Transfer => "transfer",
    GainCause::Bonus => "bonus",
});
words!(LossCause {
    LossCause::Fight => "fight",
    LossCause::Pirates => "pirates",
    LossCause::Minefield => "minefield",
    LossCause::Snakes => "snakes",
    LossCause::Transfer => "transfer",
});
words!(Ending {
    Ending::TimeUp => "its time has passed",
    Ending::LastTurn => "its last turn was played",
    Ending::NobodyLeft => "no car is left",
    Ending::Admin => "the admin says so",
});
words!(EndTitle {
    EndTitle::CarWithMostFightsWon => "car with the most fights won",
    EndTitle::MostFightsWon => "most fights won",
    EndTitle::FurthestCar => "furthest car",
    EndTitle::GreatestDistance => "greatest distance",
});

impl fmt::Display for Combatant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Combatant::Car(car) => write!(f, "car {car}"),
            Combatant::Pirates => f.write_str("pirates"),
        }
    }
}

impl fmt::Display for Find {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Find::Nothing => f.write_str("nothing"),
            Find::Module(kind) => write!(f, "one {kind}"),
            Find::Snakes => f.write_str("snakes"),
        }
    }
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.kind, self.name)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::arena::duel::{Outcome, Reason, Side, Transcript};
    use crate::contract::{BaseUrl, CarRequest, Fault, Found, Modules};
    use crate::ids::{Dollars, Place, Points, Square, TeamId, TurnNo};
    use crate::ports::InspectorFault;
    use crate::race::event::{
        Achievement, Breach, Check, EndAward, Fact, RefusedBecause, Retirement, Score, TransferProblem,
    };
    use crate::race::rules::{EncounterOdds, Rules};
    use crate::race::state::{BonusEffect, BonusId, BonusPlan, Encounter, Often, Resources, Transfer};
    use crate::random::Seed;
    use std::collections::BTreeSet;

    /// Names every variant, and does not compile when one is missing.
    macro_rules! variants {
        ($($name:ident),+ $(,)?) => {
            pub(in crate::race) fn name(event: &Event) -> &'static str {
                match event { $(Event::$name { .. } => stringify!($name)),+ }
            }
            pub(in crate::race) const NAMES: &[&str] = &[$(stringify!($name)),+];
        };
    }
    variants!(
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
        AchievementRevealed,
    );

    /// Every event in all its forms, with its words. It is about car 1 of team 1. What not everybody may see
    /// (R-11) holds the word `canary` or the digits `7777`.
    pub(in crate::race) fn every_event() -> Vec<(Event, &'static str)> {
        let (car, team, turn) = (CarId(1), TeamId(1), TurnNo(9));
        let cars = [CarId(1), CarId(2)];
        let teams = [TeamId(1), TeamId(2)];
        let fight = [Combatant::Car(CarId(1)), Combatant::Car(CarId(2))];
        let module = || Module { kind: Kind::Engine, name: "canary".to_owned() };
        let pilot = || Module { kind: Kind::Pilot, name: "canary-p".to_owned() };
        let transfer = || Transfer { team, module: module(), from: CarId(1), to: CarId(3) };
        let plan = |hidden| BonusPlan {
            place: Place(if hidden { 8 } else { 9 }),
            effect: BonusEffect::Points(if hidden { 7777 } else { 3 }),
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
            reason: "canary".to_owned(),
            square,
            turns_to_miss,
            modules,
            reinstated,
        };
        let team_corrected =
            |budget, points| Event::TeamCorrected { team, reason: "canary".to_owned(), budget, points };
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
        let reason = || "canary".to_owned();
        vec![
            (
                Event::RaceCreated {
                    revision: 1,
                    seed: Seed(77_771),
                    rules: Rules { bonuses: vec![plan(true)], ..Rules::balanced() }.validated().unwrap(),
                },
                "race created with seed 77771 under revision 1 of the rules",
            ),
            (
                Event::TeamCreated { team, name: "Red".to_owned(), budget: Dollars(77_772) },
                r#"team 1 "Red" enters with $77772"#,
            ),
            (Event::RaceStarted, "the race starts"),
            (Event::RacePaused, "the race is paused"),
            (Event::RaceResumed, "the race goes on"),
            (finished(Ending::TimeUp), "the race is over: its time has passed"),
            (finished(Ending::LastTurn), "the race is over: its last turn was played"),
            (finished(Ending::NobodyLeft), "the race is over: no car is left"),
            (finished(Ending::Admin), "the race is over: the admin says so"),
            (
                Event::CarRegistered {
                    car,
                    team,
                    instance: "i-1".to_owned(),
                    url: BaseUrl::parse("http://canary").unwrap(),
                    resources: Resources {
                        engine: "canary-e".to_owned(),
                        pilot: "canary-p".to_owned(),
                        weapon: "canary-w".to_owned(),
                    },
                    modules: vec![module(), pilot(), Module { name: "canary-2".to_owned(), ..module() }],
                    paid: Dollars(77_773),
                },
                r#"car 1 "i-1" of team 1 is registered with 2 engines, 1 pilots, 0 weapons for $77773"#,
            ),
            (
                Event::RegistrationRefused {
                    team,
                    instance: "canary".to_owned(),
                    reasons: vec![RefusedBecause::NoPilot, RefusedBecause::OtherName { found: reason() }],
                    accepted: vec![Accepted {
                        request: CarRequest::State,
                        deviations: vec![Deviation::UnknownFields, Deviation::ContentTypeMissing],
                    }],
                },
                "\"canary\" of team 1 is refused: a car needs at least 1 pilot, found 0; \
                 GET /state: expected the instance name, found \"canary\"; \
                 GET /state: accepted unknown extra fields, no content type",
            ),
            (Event::TurnStarted { turn }, "turn 9 starts"),
            (Event::CarStarted { car }, "car 1 starts"),
            (Event::PriorityDrawn { order: vec![CarId(2), car], missing: vec![] }, "priority: 2 1"),
            (
                Event::PriorityDrawn { order: vec![CarId(2), car], missing: vec![car] },
                "priority: 2 1, missing this turn: 1",
            ),
            (Event::TurnMissed { car }, "car 1 misses the turn"),
            (Event::CarMoved { car, squares: 4, to: Square(12) }, "car 1 moves 4 to 12"),
            (stepped(StepCause::Garage), "car 1 steps to 11 (garage)"),
            (stepped(StepCause::Bonus), "car 1 steps to 11 (bonus)"),
            (
                Event::TurnsToMissAdded { car, turns: 1, cause: DelayCause::Wreck },
                "car 1 has 1 more to miss (wreck)",
            ),
            (
                Event::TurnsToMissAdded { car, turns: 3, cause: DelayCause::Minefield },
                "car 1 has 3 more to miss (minefield)",
            ),
            (
                Event::Penalised {
                    car,
                    breach: Breach {
                        check: Check::Asked(CarRequest::Count(Kind::Engine)),
                        expected: Fact::Count(3),
                        found: Found::Value(Fact::Count(7777)),
                    },
                },
                "car 1 is penalised: GET /engine/count: expected 3, found 7777",
            ),
            (
                Event::Penalised {
                    car,
                    breach: Breach {
                        check: Check::Inspected(Kind::Weapon),
                        expected: Fact::HoldsNot(reason()),
                        found: Found::Value(Fact::Holds(reason())),
                    },
                },
                "car 1 is penalised: the real weapon resource: expected does not hold \"canary\", \
                 found holds \"canary\"",
            ),
            (
                Event::Penalised {
                    car,
                    breach: Breach {
                        check: Check::Asked(CarRequest::State),
                        expected: Fact::State {
                            square: 4,
                            modules: Modules { engine: 1, pilot: 2, weapon: 3 },
                        },
                        found: Found::Fault(Fault::Status(7777)),
                    },
                },
                "car 1 is penalised: GET /state: expected square 4 with 1 engines, 2 pilots, 3 weapons, \
                 found status 7777",
            ),
            (
                Event::Penalised {
                    car,
                    breach: Breach {
                        check: Check::Asked(CarRequest::Wreck),
                        expected: Fact::AnAnswer,
                        found: Found::Value(Fact::Square(7777)),
                    },
                },
                "car 1 is penalised: GET /event/wreck: expected a valid answer, found square 7777",
            ),
            (
                Event::DeviationsAccepted {
                    car,
                    request: CarRequest::Lose { kind: Kind::Engine, name: reason() },
                    deviations: vec![Deviation::NoEnvelope, Deviation::UnknownFields],
                },
                "car 1: DELETE /engine/canary: accepted the bare value without {\"res\": …}, \
                 unknown extra fields",
            ),
            (
                Event::DuelDeviationsAccepted { car, deviations: vec![Deviation::NoEnvelope] },
                "car 1: its duel AI: accepted the bare value without {\"res\": …}",
            ),
            (
                Event::InspectionSkipped { car, kind: Kind::Pilot, fault: InspectorFault::Denied },
                "car 1: the real pilot resource was not checked: access denied",
            ),
            (
                Event::NamesRead { car, kind: Kind::Engine, names: vec![reason(), "canary-2".to_owned()] },
                "car 1: engine names read: canary, canary-2",
            ),
            (retired(Retirement::OutOfFuel), "car 1 retires: out of fuel"),
            (retired(Retirement::Destroyed), "car 1 retires: destroyed"),
            (retired(Retirement::NoPilot), "car 1 retires: no pilot"),
            (retired(Retirement::Jury("rude".to_owned())), "car 1 retires: by the jury: rude"),
            (gained(GainCause::Wreck), r#"car 1 gains engine "canary" (wreck)"#),
            (gained(GainCause::Garage), r#"car 1 gains engine "canary" (garage)"#),
            (gained(GainCause::Spoils), r#"car 1 gains engine "canary" (spoils)"#),
            (gained(GainCause::Transfer), r#"car 1 gains engine "canary" (transfer)"#),
            (gained(GainCause::Bonus), r#"car 1 gains engine "canary" (bonus)"#),
            (lost(LossCause::Fight), r#"car 1 loses engine "canary" (fight)"#),
            (lost(LossCause::Pirates), r#"car 1 loses engine "canary" (pirates)"#),
            (lost(LossCause::Minefield), r#"car 1 loses engine "canary" (minefield)"#),
            (lost(LossCause::Snakes), r#"car 1 loses engine "canary" (snakes)"#),
            (lost(LossCause::Transfer), r#"car 1 loses engine "canary" (transfer)"#),
            (Event::BonusPlaced { bonus: BonusId(2), plan: plan(true) }, "bonus 2 on place 8: 7777 VP"),
            (Event::BonusPlaced { bonus: BonusId(1), plan: plan(false) }, "bonus 1 on place 9: 3 VP"),
            (Event::BonusRemoved { bonus: BonusId(2), place: Place(8) }, "bonus 2 on place 8 is removed"),
            (
                Event::BonusTaken {
                    car,
                    team,
                    bonus: BonusId(1),
                    place: Place(9),
                    effect: BonusEffect::Points(3),
                },
                "car 1 takes bonus 1: 3 VP",
            ),
            (Event::CarsMet { cars, place: Place(4) }, "cars 1 and 2 meet on place 4"),
            (Event::FightDeclined { cars, teams, by_both: false }, "cars 1 and 2 don't fight"),
            (Event::FightDeclined { cars, teams, by_both: true }, "cars 1 and 2 don't fight: both refuse"),
            (Event::FightStarted { cars, willing: [true, false] }, "cars 1 and 2 fight"),
            (
                Event::DuelForfeited { car, fault: Fault::Status(7777) },
                "car 1 has no usable duel AI: status 7777",
            ),
            (
                Event::DuelStarted { duellists: fight, weapons: [3, 5] },
                "duel: car 1 with 3 weapons against car 2 with 5",
            ),
            (
                played(Some(won)),
                "duel between car 1 and pirates after 0 turns: black won: the other had no legal move",
            ),
            (played(None), "duel between car 1 and pirates after 0 turns: not ended"),
            (
                Event::FightWon { car, against: Combatant::Pirates, weapons: 3, other_weapons: 5 },
                "car 1 wins against pirates",
            ),
            (Event::FightLost { car, against: fight[1] }, "car 1 loses against car 2"),
            (Event::FightDrawn { combatants: fight }, "nobody wins: car 1, car 2"),
            (
                Event::EncounterMet { car, encounter: Encounter::Garage, declared: false },
                "car 1 meets: garage",
            ),
            (
                Event::EncounterMet { car, encounter: Encounter::Nothing, declared: true },
                "car 1 meets: nothing (declared)",
            ),
            (Event::PiratesAttacked { car, weapons: 5 }, "pirates with 5 weapons attack car 1"),
            (searched(Find::Nothing), "car 1 searches the wreck: nothing"),
            (searched(Find::Module(Kind::Pilot)), "car 1 searches the wreck: one pilot"),
            (searched(Find::Snakes), "car 1 searches the wreck: snakes"),
            (Event::WreckLeft { car }, "car 1 leaves the wreck alone"),
            (Event::MinefieldCrossed { car, damaged: true }, "car 1 is damaged in the minefield"),
            (Event::MinefieldCrossed { car, damaged: false }, "car 1 crosses the minefield unharmed"),
            (Event::MinefieldAvoided { car, fault: None }, "car 1 goes round the minefield"),
            (
                Event::MinefieldAvoided { car, fault: Some(Fault::Status(7777)) },
                "car 1 goes round the minefield: status 7777",
            ),
            (Event::GarageLeft { car }, "car 1 buys nothing"),
            (
                Event::ModuleBought { car, team, kind: Kind::Engine, price: Dollars(77_774) },
                "car 1 buys one engine for $77774",
            ),
            (
                Event::TooExpensive { car, kind: Kind::Engine, price: Dollars(77_774), budget: Dollars(1) },
                "car 1 can't buy one engine for $77774: its team has $1",
            ),
            (
                Event::AchievementEarned {
                    team,
                    car: Some(car),
                    achievement: Achievement::Strategist,
                    dollars: Dollars(77_775),
                    points: Points(5),
                    by_hand: false,
                },
                "team 1 earns \"Stratège\" by car 1: 5 VP, $77775",
            ),
            (
                Event::AchievementEarned {
                    team,
                    car: None,
                    achievement: Achievement::Scrooge,
                    dollars: Dollars(77_775),
                    points: Points(5),
                    by_hand: true,
                },
                "team 1 earns \"Picsou\": 5 VP, $77775",
            ),
            (scored(Vec::new()), "score: team 1: 32 VP, team 2: -1 VP"),
            (
                scored(awards.into_iter().map(|(title, teams)| EndAward { title, teams }).collect()),
                "score: team 1: 32 VP, team 2: -1 VP; car with the most fights won: nobody; most fights won: 1; \
                 furthest car: 1, 2; greatest distance: 1",
            ),
            (Event::TurnCompleted { turn }, "turn 9 is complete"),
            (Event::BudgetGranted { team, dollars: Dollars(77_776) }, "team 1 is granted $77776"),
            (
                Event::EncounterDeclared { encounter: Encounter::Wreck, cars: None },
                "declared for all cars: wreck",
            ),
            (
                Event::EncounterDeclared { encounter: Encounter::Minefield, cars: Some(cars.to_vec()) },
                "declared for cars 1, 2: minefield",
            ),
            (
                Event::OddsSet {
                    odds: EncounterOdds { nothing: 50, pirates: 20, garage: 10, wreck: 15, minefield: 5 },
                },
                "odds: nothing 50 %, pirates 20 %, garage 10 %, wreck 15 %, minefield 5 %",
            ),
            (
                Event::TransferAsked { transfer: transfer() },
                r#"transfer of engine "canary" from car 1 to car 3 waits for the next turn"#,
            ),
            (
                Event::TransferVoid { transfer: transfer(), reason: TransferProblem::Apart },
                "no transfer of engine \"canary\" from car 1 to car 3: \
                 the cars are not on the same place of the ring",
            ),
            (corrected(None, None, None, true), "the jury corrects car 1, reinstated: canary"),
            (
                corrected(Some(Square(4)), Some(2), Some(vec![module(), pilot()]), false),
                "the jury corrects car 1, square 4, 2 to miss, modules engine \"canary\" pilot \"canary-p\": canary",
            ),
            (
                team_corrected(Some(Dollars(77_777)), Points(0)),
                "the jury corrects team 1, budget $77777: canary",
            ),
            (
                team_corrected(Some(Dollars(77_777)), Points(-4)),
                "the jury corrects team 1, budget $77777, -4 VP: canary",
            ),
            (team_corrected(None, Points(4)), "the jury corrects team 1, 4 VP: canary"),
            (
                Event::ComplaintFiled { number: 1, team, turn, text: reason() },
                "complaint 1 of team 1 about turn 9: canary",
            ),
            (Event::ComplaintAnswered { number: 1, team, text: reason() }, "complaint 1 is answered: canary"),
            (
                Event::HintPublished { achievement: Achievement::SnakesOnACar, text: "hiss".to_owned() },
                "hint to snakes_on_a_car: hiss",
            ),
            (Event::AchievementRevealed { achievement: Achievement::MadMax }, "revealed: mad_max"),
        ]
    }

    #[test]
    fn every_event_has_its_words() {
        for (event, words) in every_event() {
            assert_eq!(event.to_string(), words, "{event:?}");
        }
        let told: BTreeSet<&str> = every_event().iter().map(|(event, _)| name(event)).collect();
        assert_eq!(told, NAMES.iter().copied().collect(), "every event has a row");
    }

    /// R-11: what spectators see, in words.
    #[test]
    fn r_11_public_events_have_their_words() {
        let modules = Modules { engine: 2, pilot: 1, weapon: 0 };
        let (team, car, kind) = (TeamId(1), CarId(3), Kind::Engine);
        let corrected = |square, turns_to_miss, modules, reinstated| PublicEvent::CarCorrected {
            car,
            square,
            turns_to_miss,
            modules,
            reinstated,
        };
        let earned = |car| PublicEvent::AchievementEarned {
            team,
            car,
            achievement: Achievement::MadMax,
            points: Points(5),
        };
        for (event, words) in [
            (
                PublicEvent::RaceCreated { revision: 1, track_length: 300 },
                "race created on 300 squares under revision 1 of the rules",
            ),
            (PublicEvent::TeamCreated { team, name: "Red".to_owned() }, "team 1 \"Red\" enters"),
            (
                PublicEvent::CarRegistered { car, team, instance: "i-1".to_owned(), modules },
                "car 3 \"i-1\" of team 1 is registered with 2 engines, 1 pilots, 0 weapons",
            ),
            (PublicEvent::Penalised { car }, "car 3 is penalised"),
            (
                PublicEvent::ModuleGained { car, kind, cause: GainCause::Wreck },
                "car 3 gains one engine (wreck)",
            ),
            (
                PublicEvent::ModuleLost { car, kind, cause: LossCause::Fight },
                "car 3 loses one engine (fight)",
            ),
            (PublicEvent::DuelForfeited { car }, "car 3 has no usable duel AI"),
            (PublicEvent::MinefieldAvoided { car }, "car 3 goes round the minefield"),
            (PublicEvent::ModuleBought { car, kind }, "car 3 buys one engine"),
            (earned(Some(car)), "team 1 earns \"Mad Max\" by car 3: 5 VP"),
            (earned(None), "team 1 earns \"Mad Max\": 5 VP"),
            (
                corrected(Some(Square(4)), Some(2), Some(modules), true),
                "the jury corrects car 3, square 4, 2 to miss, 2 engines, 1 pilots, 0 weapons, reinstated",
            ),
            (corrected(None, None, None, false), "the jury corrects car 3"),
            (PublicEvent::HintPublished { text: "two\nlines".to_owned() }, "hint: two lines"),
            (PublicEvent::TeamCorrected { team, points: Points(-4) }, "the jury corrects team 1, -4 VP"),
        ] {
            assert_eq!(Seen::Public(event).to_string(), words);
        }
        assert_eq!(Seen::Whole(Event::RaceStarted).to_string(), "the race starts");
    }

    #[test]
    fn effects_of_bonuses_have_their_words() {
        for (effect, words) in [
            (BonusEffect::Dollars(5), "$5"),
            (BonusEffect::Points(5), "5 VP"),
            (BonusEffect::Module(Kind::Weapon), "one weapon"),
            (BonusEffect::Advance(5), "5 squares on"),
            (BonusEffect::Back(5), "5 squares back"),
            (BonusEffect::MissTurn, "a turn to miss"),
            (BonusEffect::ClearMisses, "no turn to miss any more"),
        ] {
            assert_eq!(effect.to_string(), words);
        }
    }
}
