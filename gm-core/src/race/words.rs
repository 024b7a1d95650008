//! Events in words, one line each: for people who watch, for logs and for tables in tests.
//!
//! ```
//! use gm_core::{ids::{CarId, Square}, race::Event};
//! let event = Event::CarMoved { car: CarId(3), squares: 4, to: Square(12) };
//! assert_eq!(event.to_string(), "car 3 moves 4 to 12");
//! ```
//!
//! The words are for the admin: they hold everything. What others may read is decided in [`super::view`].

use super::event::{Combatant, DelayCause, EndTitle, Event, Find, GainCause, LossCause, StepCause};
use super::state::{Ending, Module};
use crate::contract::{Deviation, Kind};
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
            Event::RegistrationRefused { team, instance, reasons } => {
                write!(f, "{instance:?} of team {team} is refused: {}", list(reasons, "; "))
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
            Event::DuelForfeited { car, fault } => write!(f, "car {car} has no usable duel AI: {fault}"),
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
                    write!(f, "; {}: {}", award.title, list(&award.teams, ", "))?;
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
                write!(f, ": {reason}")
            }
            Event::TeamCorrected { team, reason, budget, points } => {
                write!(f, "the jury corrects team {team}")?;
                if let Some(budget) = budget {
                    write!(f, ", budget {budget}")?;
                }
                if points.0 != 0 {
                    write!(f, ", {points} VP")?;
                }
                write!(f, ": {reason}")
            }
            Event::ComplaintFiled { number, team, turn, text } => {
                write!(f, "complaint {number} of team {team} about turn {turn}: {text}")
            }
            Event::ComplaintAnswered { number, text, .. } => {
                write!(f, "complaint {number} is answered: {text}")
            }
            Event::HintPublished { achievement, text } => write!(f, "hint to {achievement}: {text}"),
            Event::AchievementRevealed { achievement } => write!(f, "revealed: {achievement}"),
        }
    }
}

fn duel_deviations(f: &mut fmt::Formatter<'_>, car: CarId, deviations: &[Deviation]) -> fmt::Result {
    write!(f, "car {car}: its duel AI: accepted {}", list(deviations, ", "))
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
