//! What happens in a race in words, from the messages of the server: the same words as `gm run` and a team's log have.
//!
//! ```text
//! car_moved { car_id: 3, squares: 4, to_square: 12 }      car 3 moves 4 to 12
//! ```
//!
//! What whoever watches may not see is not in the message, and not in the words.

use super::shown::{list, word};
use crate::api::wire;
use gm_core::race::event::Achievement;
use std::fmt::Write as _;
use wire::race_event::Event;

/// An event in words, in one line. Control characters are as they came.
#[expect(clippy::too_many_lines, reason = "one arm for each event, and nothing else")]
pub(super) fn event(event: &wire::RaceEvent) -> String {
    // A newer server may tell what is not known here.
    let Some(told) = &event.event else { return "something happens that this gm does not know".to_owned() };
    match told {
        Event::RaceCreated(it) => race_created(it),
        Event::TeamCreated(it) => {
            let budget = it.budget.map(|budget| format!(" with ${budget}")).unwrap_or_default();
            format!("team {} {:?} enters{budget}", it.team_id, it.name)
        }
        Event::RaceStarted(wire::RaceStarted {}) => "the race starts".to_owned(),
        Event::RacePaused(wire::RacePaused {}) => "the race is paused".to_owned(),
        Event::RaceResumed(wire::RaceResumed {}) => "the race goes on".to_owned(),
        Event::RaceFinished(it) => format!("the race is over: {}", ending(it.ending())),

        Event::CarRegistered(it) => {
            let paid = it.paid.map(|paid| format!(" for ${paid}")).unwrap_or_default();
            let (car, team, modules) = (it.car_id, it.team_id, counts(it.modules.as_ref()));
            format!("car {car} {:?} of team {team} is registered with {modules}{paid}", it.instance)
        }
        Event::RegistrationRefused(it) => {
            let reasons: Vec<&str> = it.reasons.iter().map(|reason| reason.text.as_str()).collect();
            let mut text =
                format!("{:?} of team {} is refused: {}", it.instance, it.team_id, reasons.join("; "));
            for accepted in &it.accepted {
                let _ = write!(text, "; {}", accepted_in(Some(accepted)));
            }
            text
        }
        Event::TurnStarted(it) => format!("turn {} starts", it.turn),
        Event::CarStarted(it) => format!("car {} starts", it.car_id),
        Event::PriorityDrawn(it) => {
            let missing = match it.missing_car_ids.as_slice() {
                [] => String::new(),
                missing => format!(", missing this turn: {}", spaced(missing)),
            };
            format!("priority: {}{missing}", spaced(&it.car_ids))
        }
        Event::TurnMissed(it) => format!("car {} misses the turn", it.car_id),
        Event::CarMoved(it) => format!("car {} moves {} to {}", it.car_id, it.squares, it.to_square),
        Event::CarStepped(it) => {
            let cause = word(it.cause().as_str_name(), "STEP_CAUSE_");
            format!("car {} steps to {} ({cause})", it.car_id, it.to_square)
        }
        Event::TurnsToMissAdded(it) => {
            let cause = word(it.cause().as_str_name(), "DELAY_CAUSE_");
            format!("car {} has {} more to miss ({cause})", it.car_id, it.turns)
        }
        Event::Penalised(it) => {
            let breach = it.breach.as_ref().map(|breach| format!(": {}", breach.text)).unwrap_or_default();
            format!("car {} is penalised{breach}", it.car_id)
        }
        Event::DeviationsAccepted(it) => format!("car {}: {}", it.car_id, accepted_in(it.accepted.as_ref())),
        Event::DuelDeviationsAccepted(it) => {
            format!("car {}: its duel AI: accepted {}", it.car_id, deviations(&it.deviations))
        }
        Event::InspectionSkipped(it) => {
            let (kind, fault) = (kind(it.kind()), inspector_fault(it.fault()));
            format!("car {}: the real {kind} resource was not checked: {fault}", it.car_id)
        }
        Event::NamesRead(it) => {
            format!("car {}: {} names read: {}", it.car_id, kind(it.kind()), it.names.join(", "))
        }
        Event::CarRetired(it) => {
            format!("car {} retires: {}", it.car_id, retirement(it.reason(), &it.jury_reason))
        }
        Event::ModuleGained(it) => {
            let cause = word(it.cause().as_str_name(), "GAIN_CAUSE_");
            format!("car {} gains {} ({cause})", it.car_id, module(it.kind(), it.name.as_deref()))
        }
        Event::ModuleLost(it) => {
            let cause = word(it.cause().as_str_name(), "LOSS_CAUSE_");
            format!("car {} loses {} ({cause})", it.car_id, module(it.kind(), it.name.as_deref()))
        }

        Event::BonusPlaced(it) => {
            let bonus = it.bonus.clone().unwrap_or_default();
            format!("bonus {} on place {}: {}", bonus.bonus_id, bonus.place, effect(bonus.effect.as_ref()))
        }
        Event::BonusRemoved(it) => format!("bonus {} on place {} is removed", it.bonus_id, it.place),
        Event::BonusTaken(it) => {
            format!("car {} takes bonus {}: {}", it.car_id, it.bonus_id, effect(it.effect.as_ref()))
        }

        Event::CarsMet(it) => {
            let (a, b) = pair(&it.car_ids);
            format!("cars {a} and {b} meet on place {}", it.place)
        }
        Event::FightDeclined(it) => {
            let (a, b) = pair(&it.car_ids);
            format!("cars {a} and {b} don't fight{}", if it.by_both { ": both refuse" } else { "" })
        }
        Event::FightStarted(it) => {
            let (a, b) = pair(&it.car_ids);
            format!("cars {a} and {b} fight")
        }
        Event::DuelForfeited(it) => match &it.fault {
            Some(why) => format!("car {} has no usable duel AI: {}", it.car_id, fault(why)),
            None => format!("car {} has no usable duel AI", it.car_id),
        },
        Event::DuelStarted(it) => {
            let ((a, b), (of_a, of_b)) = (pair(&it.car_ids), pair(&it.weapons));
            format!("duel: {} with {of_a} weapons against {} with {of_b}", fighter(a), fighter(b))
        }
        Event::DuelPlayed(it) => {
            let duel = it.duel.clone().unwrap_or_default();
            let (a, b) = pair(&duel.car_ids);
            let (a, b, turns) = (fighter(a), fighter(b), duel.turns.len());
            format!("duel between {a} and {b} after {turns} turns: {}", outcome(&duel))
        }
        Event::FightWon(it) => format!("car {} wins against {}", it.car_id, fighter(it.against_car_id)),
        Event::FightLost(it) => format!("car {} loses against {}", it.car_id, fighter(it.against_car_id)),
        Event::FightDrawn(it) => {
            let (a, b) = pair(&it.car_ids);
            format!("nobody wins: {}, {}", fighter(a), fighter(b))
        }

        Event::EncounterMet(it) => {
            let declared = if it.declared { " (declared)" } else { "" };
            format!("car {} meets: {}{declared}", it.car_id, encounter(it.encounter()))
        }
        Event::PiratesAttacked(it) => format!("pirates with {} weapons attack car {}", it.weapons, it.car_id),
        Event::WreckSearched(it) => format!("car {} searches the wreck: {}", it.car_id, find(it)),
        Event::WreckLeft(it) => format!("car {} leaves the wreck alone", it.car_id),
        Event::MinefieldCrossed(it) if it.damaged => format!("car {} is damaged in the minefield", it.car_id),
        Event::MinefieldCrossed(it) => format!("car {} crosses the minefield unharmed", it.car_id),
        Event::MinefieldAvoided(it) => {
            let why = it.fault.as_ref().map(|why| format!(": {}", fault(why))).unwrap_or_default();
            format!("car {} goes round the minefield{why}", it.car_id)
        }
        Event::GarageLeft(it) => format!("car {} buys nothing", it.car_id),
        Event::ModuleBought(it) => {
            let price = it.price.map(|price| format!(" for ${price}")).unwrap_or_default();
            format!("car {} buys one {}{price}", it.car_id, kind(it.kind()))
        }
        Event::TooExpensive(it) => {
            let (car, kind, price, budget) = (it.car_id, kind(it.kind()), it.price, it.budget);
            format!("car {car} can't buy one {kind} for ${price}: its team has ${budget}")
        }

        Event::AchievementEarned(it) => {
            let by = it.car_id.map(|car| format!(" by car {car}")).unwrap_or_default();
            let dollars = it.dollars.map(|dollars| format!(", ${dollars}")).unwrap_or_default();
            let title = title(&it.achievement_id);
            format!("team {} earns {title:?}{by}: {} VP{dollars}", it.team_id, it.points)
        }
        Event::Scored(it) => scored(it),
        Event::TurnCompleted(it) => format!("turn {} is complete", it.turn),

        Event::BudgetGranted(it) => format!("team {} is granted ${}", it.team_id, it.dollars),
        Event::EncounterDeclared(it) => {
            let cars = match it.for_all_cars {
                true => "all cars".to_owned(),
                false => format!("cars {}", list(&it.car_ids, "")),
            };
            format!("declared for {cars}: {}", encounter(it.encounter()))
        }
        Event::OddsSet(it) => format!("odds: {}", odds(&it.odds.unwrap_or_default())),
        Event::TransferAsked(it) => format!("{} waits for the next turn", transfer(it.transfer.as_ref())),
        Event::TransferVoid(it) => {
            let why = match it.problem() {
                wire::TransferProblem::Unspecified => "it can't be settled",
                wire::TransferProblem::NotRacing => "both cars must be racing",
                wire::TransferProblem::Apart => "the cars are not on the same place of the ring",
                wire::TransferProblem::NoSuchModule => "the car does not have this module",
            };
            format!("no {}: {why}", transfer(it.transfer.as_ref()))
        }
        Event::CarCorrected(it) => car_corrected(it),
        Event::TeamCorrected(it) => {
            let mut text = format!("the jury corrects team {}", it.team_id);
            if let Some(budget) = it.budget {
                let _ = write!(text, ", budget ${budget}");
            }
            if it.points != 0 {
                let _ = write!(text, ", {} VP", it.points);
            }
            text + &because(it.reason.as_deref())
        }
        Event::ComplaintFiled(it) => {
            let (number, team, turn) = (it.complaint_no, it.team_id, it.turn);
            format!("complaint {number} of team {team} about turn {turn}: {}", one_line(&it.text))
        }
        Event::ComplaintAnswered(it) => {
            format!("complaint {} is answered: {}", it.complaint_no, one_line(&it.text))
        }
        Event::HintPublished(it) => {
            let about = it.achievement_id.as_ref().map(|id| format!(" to {id}")).unwrap_or_default();
            format!("hint{about}: {}", one_line(&it.text))
        }
        Event::AchievementRevealed(it) => format!("revealed: {}", it.achievement_id),
    }
}

fn race_created(it: &wire::RaceCreated) -> String {
    let under = format!("under revision {} of the rules", it.rules_revision);
    match it.seed {
        Some(seed) => format!("race created with seed {seed} {under}"),
        None => format!("race created on {} squares {under}", it.track_length),
    }
}

fn scored(it: &wire::Scored) -> String {
    let totals: Vec<String> =
        it.scores.iter().map(|score| format!("team {}: {} VP", score.team_id, score.total)).collect();
    let mut text = format!("score: {}", totals.join(", "));
    for award in &it.end_awards {
        let _ = write!(text, "; {}: {}", end_title(award.title()), list(&award.team_ids, "nobody"));
    }
    text
}

fn car_corrected(it: &wire::CarCorrected) -> String {
    let mut text = format!("the jury corrects car {}", it.car_id);
    if let Some(square) = it.square {
        let _ = write!(text, ", square {square}");
    }
    if let Some(turns) = it.turns_to_miss {
        let _ = write!(text, ", {turns} to miss");
    }
    match (&it.modules, it.named_modules.as_slice()) {
        (None, _) => {}
        (Some(modules), []) => {
            let _ = write!(text, ", {}", counts(Some(modules)));
        }
        (Some(_), named) => {
            let named: Vec<String> = named.iter().map(|it| module(it.kind(), Some(&it.name))).collect();
            let _ = write!(text, ", modules {}", named.join(" "));
        }
    }
    if it.reinstated {
        text.push_str(", reinstated");
    }
    text + &because(it.reason.as_deref())
}

fn because(reason: Option<&str>) -> String {
    reason.map(|reason| format!(": {}", one_line(reason))).unwrap_or_default()
}

/// A text that may have several lines, in one.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn spaced(ids: &[u32]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The two of a pair; 0 for who is not there.
fn pair(two: &[u32]) -> (u32, u32) {
    (two.first().copied().unwrap_or_default(), two.get(1).copied().unwrap_or_default())
}

/// Who fights: a car, or pirates.
pub(super) fn fighter(car: u32) -> String {
    if car == 0 { "pirates".to_owned() } else { format!("car {car}") }
}

/// How many modules, in words.
pub(super) fn counts(modules: Option<&wire::ModuleCounts>) -> String {
    let wire::ModuleCounts { engine, pilot, weapon } = modules.copied().unwrap_or_default();
    format!("{engine} engines, {pilot} pilots, {weapon} weapons")
}

/// A kind of module.
pub(super) fn kind(kind: wire::ModuleKind) -> String {
    word(kind.as_str_name(), "MODULE_KIND_")
}

fn module(of: wire::ModuleKind, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{} {name:?}", kind(of)),
        None => format!("one {}", kind(of)),
    }
}

fn encounter(encounter: wire::Encounter) -> String {
    word(encounter.as_str_name(), "ENCOUNTER_")
}

/// The odds of the encounters.
pub(super) fn odds(odds: &wire::EncounterOdds) -> String {
    let wire::EncounterOdds { nothing, pirates, garage, wreck, minefield } = odds;
    format!(
        "nothing {nothing} %, pirates {pirates} %, garage {garage} %, wreck {wreck} %, minefield {minefield} %"
    )
}

fn find(it: &wire::WreckSearched) -> String {
    match it.find() {
        wire::Find::Module => module(it.module(), None),
        find => word(find.as_str_name(), "FIND_"),
    }
}

fn transfer(transfer: Option<&wire::Transfer>) -> String {
    let it = transfer.cloned().unwrap_or_default();
    let moved = it.module.map(|it| module(it.kind(), Some(&it.name))).unwrap_or_default();
    format!("transfer of {moved} from car {} to car {}", it.from_car_id, it.to_car_id)
}

/// What a bonus does.
pub(super) fn effect(effect: Option<&wire::BonusEffect>) -> String {
    use wire::bonus_effect::Effect;
    let Some(effect) = effect.and_then(|it| it.effect) else { return "nothing".to_owned() };
    match effect {
        Effect::Dollars(dollars) => format!("${dollars}"),
        Effect::Points(points) => format!("{points} VP"),
        Effect::Module(of) => module(wire::ModuleKind::try_from(of).unwrap_or_default(), None),
        Effect::Advance(squares) => format!("{squares} squares on"),
        Effect::GoBack(squares) => format!("{squares} squares back"),
        Effect::MissTurn(_) => "a turn to miss".to_owned(),
        Effect::ClearTurnsToMiss(_) => "no turn to miss any more".to_owned(),
    }
}

/// Why a car is out of the race.
pub(super) fn retirement(reason: wire::RetirementReason, jury: &str) -> String {
    match reason {
        wire::RetirementReason::Jury => format!("by the jury: {}", one_line(jury)),
        reason => word(reason.as_str_name(), "RETIREMENT_REASON_"),
    }
}

/// Why a race is over.
pub(super) fn ending(ending: wire::RaceEnding) -> &'static str {
    match ending {
        wire::RaceEnding::Unspecified => "it goes on",
        wire::RaceEnding::TimeUp => "its time has passed",
        wire::RaceEnding::LastTurn => "its last turn was played",
        wire::RaceEnding::NobodyLeft => "no car is left",
        wire::RaceEnding::Admin => "the admin says so",
    }
}

/// What an award at the end is for.
pub(super) fn end_title(title: wire::EndTitle) -> &'static str {
    match title {
        wire::EndTitle::Unspecified => "an award",
        wire::EndTitle::CarWithMostFightsWon => "car with the most fights won",
        wire::EndTitle::MostFightsWon => "most fights won",
        wire::EndTitle::FurthestCar => "furthest car",
        wire::EndTitle::GreatestDistance => "greatest distance",
    }
}

/// The title of an achievement; its id, if this gm does not know it.
pub(super) fn title(id: &str) -> &str {
    Achievement::ALL.into_iter().find(|known| known.id() == id).map_or(id, |known| known.title())
}

/// Why there is no usable answer.
pub(super) fn fault(fault: &wire::Fault) -> String {
    let words = match fault.kind() {
        wire::FaultKind::Unspecified => "no usable answer",
        wire::FaultKind::Unreachable => "unreachable",
        wire::FaultKind::Late => "no answer within the deadline",
        wire::FaultKind::Broken => "the connection broke off",
        wire::FaultKind::TooLarge => "the answer was larger than 64 KiB",
        wire::FaultKind::Status => return format!("status {}", fault.status),
        wire::FaultKind::NotJson => "the answer was not JSON",
        wire::FaultKind::NotTheValue => "the answer was JSON, but not what was asked for",
    };
    words.to_owned()
}

fn inspector_fault(fault: wire::InspectorFault) -> &'static str {
    match fault {
        wire::InspectorFault::Unspecified => "it is not said why",
        wire::InspectorFault::NoSuchResource => "no such resource",
        wire::InspectorFault::Denied => "access denied",
        wire::InspectorFault::Malformed => "the resource does not hold what the rule book asks for",
        wire::InspectorFault::Unavailable => "the service did not answer",
    }
}

fn accepted_in(accepted: Option<&wire::AcceptedDeviations>) -> String {
    let accepted = accepted.cloned().unwrap_or_default();
    let request = accepted.request.map(|it| it.request).unwrap_or_default();
    format!("{request}: accepted {}", deviations(&accepted.deviations))
}

fn deviations(numbers: &[i32]) -> String {
    let words: Vec<&str> = numbers
        .iter()
        .map(|number| match wire::Deviation::try_from(*number).unwrap_or_default() {
            wire::Deviation::Unspecified => "something",
            wire::Deviation::BooleanAsText => "a boolean as a JSON string",
            wire::Deviation::NumberAsText => "a whole number as a JSON string",
            wire::Deviation::BooleanAsNumber => "0 or 1 for a boolean",
            wire::Deviation::NumberWithFraction => "a whole number with a fraction of zero",
            wire::Deviation::NoEnvelope => "the bare value without {\"res\": …}",
            wire::Deviation::KindInOtherCase => "a kind of module in another case",
            wire::Deviation::ContentTypeMissing => "no content type",
            wire::Deviation::ContentTypeOther => "another content type than application/json",
            wire::Deviation::UnknownFields => "unknown extra fields",
        })
        .collect();
    words.join(", ")
}

/// How a duel ended, with who won by name.
pub(super) fn outcome(duel: &wire::Duel) -> String {
    let why = match duel.end() {
        wire::DuelEnd::Unspecified => return "not ended".to_owned(),
        wire::DuelEnd::Hit => "the other was hit".to_owned(),
        wire::DuelEnd::NoCardLeft => "the other parried with its last card".to_owned(),
        wire::DuelEnd::NoLegalMove => "the other had no legal move".to_owned(),
        wire::DuelEnd::PileEmpty => "a card had to be drawn and the pile was empty".to_owned(),
        wire::DuelEnd::Illegal => {
            format!("the other made an illegal move: {}", illegal(duel.illegal.as_ref()))
        }
        wire::DuelEnd::Fault => {
            let why = duel.fault.as_ref().map(fault).unwrap_or_default();
            format!("the other gave no usable answer: {why}")
        }
        wire::DuelEnd::TimeUp => "the duel's time was over, and the other had used more of it".to_owned(),
    };
    let Some(winner) = duel.winner_seat else { return format!("a draw: {why}") };
    let cars = pair(&duel.car_ids);
    format!("{} won: {why}", seat(winner, cars))
}

/// Who sits at a seat. At a test duel no cars do: the team's AI sits at seat 0 (G-4).
pub(super) fn seat(seat: u32, cars: (u32, u32)) -> String {
    match (seat, cars) {
        (0, (0, 0)) => "your AI".to_owned(),
        (0, (car, _)) | (_, (_, car)) => fighter(car),
    }
}

fn illegal(illegal: Option<&wire::IllegalMove>) -> String {
    let illegal = illegal.cloned().unwrap_or_default();
    let card = illegal.card.unwrap_or_default();
    match illegal.kind() {
        wire::IllegalKind::Unspecified => "it is not said which".to_owned(),
        wire::IllegalKind::Empty => "no card was played".to_owned(),
        wire::IllegalKind::NotACard => format!("there is no card {card}"),
        wire::IllegalKind::TooFar => format!("{card} goes onto or past the other"),
        wire::IllegalKind::WrongDistance => format!("an attack with {card} over another distance"),
        wire::IllegalKind::NotHeld => format!("not enough cards {card} in the hand"),
        wire::IllegalKind::NotInTurn => "it is not this player's turn".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::convert::event::event as to_wire;
    use crate::journal::stored::read_event;
    use gm_core::ids::{TeamId, TurnNo};
    use gm_core::race::Event as Happened;
    use gm_core::race::view::{Seen, Viewer, seen};
    use gm_core::race::{Race, Rules};
    use gm_core::random::Seed;

    const EVENTS: &str = include_str!("../../../tests/fixtures/stored-v1/events.jsonl");

    /// What the rules' own words say with more than the message has: which seats won, and what an AI should have said.
    fn expected(seen: &Seen) -> String {
        let words = seen.to_string();
        let Seen::Whole(event) = seen else { return words };
        match event {
            Happened::DuelPlayed { duellists: [a, b], .. } => words
                .replace(": white won", &format!(": {a} won"))
                .replace(": black won", &format!(": {b} won")),
            Happened::DuelForfeited { .. } => {
                words.split(": expected ").next().unwrap_or_default().to_owned()
            }
            _ => words,
        }
    }

    /// Every event of every kind, for whoever may see it.
    #[test]
    fn the_words_are_those_of_the_rules() {
        let rules = Rules::balanced().validated().expect("good rules");
        let (race, _) = Race::create(rules, Seed(1));
        let mut told = 0;
        for line in EVENTS.lines() {
            let happened = read_event(1, line).expect("an event of the fixture");
            for viewer in [Viewer::Admin, Viewer::Spectator, Viewer::Team(TeamId(1))] {
                if let Some(seen) = seen(&race, &happened, viewer) {
                    let sent = to_wire(1, TurnNo(1), &seen);
                    assert_eq!(event(&sent), expected(&seen), "{line}");
                    told += 1;
                }
            }
        }
        assert!(told > 200, "{told}");
    }

    #[test]
    fn what_a_newer_server_tells() {
        assert_eq!(event(&wire::RaceEvent::default()), "something happens that this gm does not know");
    }
}
