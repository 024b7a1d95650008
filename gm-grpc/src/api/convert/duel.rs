//! Duels (R-6), with all their cards: they are shown once they are over (R-11).
//!
//! A transcript holds what was dealt, played and drawn; each turn of a message also shows the distance and the hand
//! before it, so that whoever draws it needs not know the rules.
//!
//! ```text
//! dealt 1 4 4, seat 0 plays 5, draws 2   ──▶   seat 0, distance 22, hand 1 4 4, step 5, drew 2
//! ```

use crate::api::wire;
use gm_core::arena::duel::{Illegal, Reason, Side, Transcript, Turn};
use gm_core::contract::Fault;
use gm_core::ids::TurnNo;
use gm_core::race::event::Combatant;

/// The squares between the duellists at the beginning: from 1 to 23 (R-6.1).
const FIRST_DISTANCE: u32 = 22;

/// A duel. `no` is its number among those of its turn, 0 where that is not known; who plays a test is pirates to it.
#[must_use]
pub fn duel(no: u32, turn: TurnNo, duellists: &[Combatant; 2], transcript: &Transcript) -> wire::Duel {
    let Transcript { first, dealt, turns: _, refused, outcome } = transcript;
    let winner = outcome.and_then(|outcome| outcome.winner);
    let reason = outcome.map(|outcome| outcome.reason);
    let illegal = match reason {
        Some(Reason::Illegal(why)) => Some(illegal(why, refused.as_deref().unwrap_or_default())),
        Some(
            Reason::Hit
            | Reason::NoCardLeft
            | Reason::Stuck
            | Reason::EmptyPile
            | Reason::Fault(_)
            | Reason::OutOfTime,
        )
        | None => None,
    };
    wire::Duel {
        duel_no: no,
        turn: turn.0,
        car_ids: duellists.iter().copied().map(combatant).collect(),
        dealt: dealt.iter().map(|cards| wire::Hand { cards: numbers(cards) }).collect(),
        first_seat: seat(*first),
        turns: turns(transcript),
        winner_seat: winner.map(seat),
        end: reason.map_or(wire::DuelEnd::Unspecified, end).into(),
        illegal,
        fault: if let Some(Reason::Fault(why)) = reason { Some(fault(why)) } else { None },
    }
}

/// The turns of a duel, each with the distance and the player's hand before it.
#[must_use]
pub fn turns(transcript: &Transcript) -> Vec<wire::DuelTurn> {
    let mut hands = transcript.dealt.clone();
    let mut distance = FIRST_DISTANCE;
    let mut turns = Vec::with_capacity(transcript.turns.len());
    for turn in &transcript.turns {
        let Turn { side, step, attack, parried, drew } = turn;
        let (own, other) = (side.index(), side.other().index());
        hands[own].sort_unstable();
        turns.push(wire::DuelTurn {
            seat: seat(*side),
            distance,
            hand: numbers(&hands[own]),
            step: step.map(u32::from),
            attack: numbers(attack),
            parried: *parried,
            drew: numbers(drew),
        });
        lay_down(&mut hands[own], step.iter().chain(attack));
        if *parried == Some(true) {
            lay_down(&mut hands[other], attack);
        }
        hands[own].extend(drew);
        distance = distance.saturating_sub(step.map_or(0, u32::from));
    }
    turns
}

fn lay_down<'a>(hand: &mut Vec<u8>, cards: impl IntoIterator<Item = &'a u8>) {
    for card in cards {
        if let Some(at) = hand.iter().position(|held| held == card) {
            hand.remove(at);
        }
    }
}

/// A car's id, or 0 for pirates.
#[must_use]
pub fn combatant(who: Combatant) -> u32 {
    match who {
        Combatant::Car(car) => car.0,
        Combatant::Pirates => 0,
    }
}

/// Why there is no usable answer (R-10.5).
#[must_use]
pub fn fault(fault: Fault) -> wire::Fault {
    let (kind, status) = match fault {
        Fault::Unreachable => (wire::FaultKind::Unreachable, 0),
        Fault::Late => (wire::FaultKind::Late, 0),
        Fault::Broken => (wire::FaultKind::Broken, 0),
        Fault::TooLarge => (wire::FaultKind::TooLarge, 0),
        Fault::Status(status) => (wire::FaultKind::Status, status.into()),
        Fault::NotJson => (wire::FaultKind::NotJson, 0),
        Fault::NotTheValue => (wire::FaultKind::NotTheValue, 0),
    };
    wire::Fault { kind: kind.into(), status }
}

pub(crate) fn seat(side: Side) -> u32 {
    match side {
        Side::White => 0,
        Side::Black => 1,
    }
}

fn numbers(cards: &[u8]) -> Vec<u32> {
    cards.iter().copied().map(u32::from).collect()
}

fn end(reason: Reason) -> wire::DuelEnd {
    match reason {
        Reason::Hit => wire::DuelEnd::Hit,
        Reason::NoCardLeft => wire::DuelEnd::NoCardLeft,
        Reason::Stuck => wire::DuelEnd::NoLegalMove,
        Reason::EmptyPile => wire::DuelEnd::PileEmpty,
        Reason::Illegal(_) => wire::DuelEnd::Illegal,
        Reason::Fault(_) => wire::DuelEnd::Fault,
        Reason::OutOfTime => wire::DuelEnd::TimeUp,
    }
}

fn illegal(why: Illegal, cards: &[u8]) -> wire::IllegalMove {
    let (kind, card) = match why {
        Illegal::Empty => (wire::IllegalKind::Empty, None),
        Illegal::NotACard(card) => (wire::IllegalKind::NotACard, Some(card)),
        Illegal::TooFar(card) => (wire::IllegalKind::TooFar, Some(card)),
        Illegal::WrongDistance(card) => (wire::IllegalKind::WrongDistance, Some(card)),
        Illegal::NotHeld(card) => (wire::IllegalKind::NotHeld, Some(card)),
        Illegal::NotInTurn => (wire::IllegalKind::NotInTurn, None),
    };
    wire::IllegalMove { kind: kind.into(), card: card.map(u32::from), cards: numbers(cards) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::arena::duel::{Duel, Outcome};
    use gm_core::arena::{Game as _, Reply};
    use gm_core::ids::CarId;
    use gm_core::random::{Purpose, Seed};

    /// R-6.2, R-6.5: what is shown of each turn is what was so on the board, in duels in which any legal card is
    /// played.
    #[test]
    fn r_6_2_hands_and_distances_are_those_of_the_board() {
        const DUELS: u64 = 300;
        let mut shown = 0;
        for seed in 0..DUELS {
            let mut stream = Seed(seed).stream(TurnNo(1), Purpose::Duel, CarId(1));
            let weapons = [stream.between(1, 10), stream.between(1, 10)];
            let mut duel = Duel::deal(&mut stream, weapons, None);
            let mut before = Vec::new();
            while let Some(side) = duel.board().in_turn() {
                let question = duel.question(side);
                let distance = question.seen.map(|seen| u32::from(seen.distance));
                before.push((seat(side), distance, numbers(&question.cards)));
                let plays = duel.board().plays();
                let at = stream.below(u32::try_from(plays.len()).expect("few plays")) as usize;
                duel.apply(&[(side.seat(), Reply::Move(plays[at].cards()))]);
            }
            let turns = turns(duel.transcript());
            let after: Vec<_> =
                turns.iter().map(|turn| (turn.seat, Some(turn.distance), turn.hand.clone())).collect();
            assert_eq!(after, before, "seed {seed}");
            shown += turns.len();
        }
        assert!(shown > 1_000, "{shown} turns in {DUELS} duels");
    }

    #[test]
    fn a_duel_as_it_is_sent() {
        let turn = Turn { side: Side::White, step: Some(5), attack: vec![], parried: None, drew: vec![2] };
        let transcript = Transcript {
            first: Side::White,
            dealt: [vec![4, 5], vec![3, 4, 4]],
            turns: vec![
                turn.clone(),
                Turn { side: Side::Black, step: Some(3), attack: vec![4, 4], parried: Some(false), ..turn },
            ],
            refused: None,
            outcome: Some(Outcome { winner: Some(Side::Black), reason: Reason::Hit }),
        };
        let expected = wire::Duel {
            duel_no: 2,
            turn: 7,
            car_ids: vec![3, 0],
            dealt: vec![wire::Hand { cards: vec![4, 5] }, wire::Hand { cards: vec![3, 4, 4] }],
            first_seat: 0,
            turns: vec![
                wire::DuelTurn {
                    seat: 0,
                    distance: 22,
                    hand: vec![4, 5],
                    step: Some(5),
                    attack: vec![],
                    parried: None,
                    drew: vec![2],
                },
                wire::DuelTurn {
                    seat: 1,
                    distance: 17,
                    hand: vec![3, 4, 4],
                    step: Some(3),
                    attack: vec![4, 4],
                    parried: Some(false),
                    drew: vec![2],
                },
            ],
            winner_seat: Some(1),
            end: wire::DuelEnd::Hit.into(),
            illegal: None,
            fault: None,
        };
        let duellists = [Combatant::Car(CarId(3)), Combatant::Pirates];
        assert_eq!(duel(2, TurnNo(7), &duellists, &transcript), expected);
    }

    /// R-6.3 to R-6.8: each end is told from all others, with what the loser did.
    #[test]
    fn r_6_every_end() {
        use wire::{DuelEnd, FaultKind, IllegalKind};
        let illegal = |kind: IllegalKind, card| {
            Some(wire::IllegalMove { kind: kind.into(), card, cards: vec![9, 255] })
        };
        let fault = |kind: FaultKind, status| Some(wire::Fault { kind: kind.into(), status });
        for (reason, end, illegal, fault) in [
            (Reason::Hit, DuelEnd::Hit, None, None),
            (Reason::NoCardLeft, DuelEnd::NoCardLeft, None, None),
            (Reason::Stuck, DuelEnd::NoLegalMove, None, None),
            (Reason::EmptyPile, DuelEnd::PileEmpty, None, None),
            (Reason::OutOfTime, DuelEnd::TimeUp, None, None),
            (Reason::Illegal(Illegal::Empty), DuelEnd::Illegal, illegal(IllegalKind::Empty, None), None),
            (
                Reason::Illegal(Illegal::NotACard(9)),
                DuelEnd::Illegal,
                illegal(IllegalKind::NotACard, Some(9)),
                None,
            ),
            (
                Reason::Illegal(Illegal::TooFar(5)),
                DuelEnd::Illegal,
                illegal(IllegalKind::TooFar, Some(5)),
                None,
            ),
            (
                Reason::Illegal(Illegal::WrongDistance(2)),
                DuelEnd::Illegal,
                illegal(IllegalKind::WrongDistance, Some(2)),
                None,
            ),
            (
                Reason::Illegal(Illegal::NotHeld(3)),
                DuelEnd::Illegal,
                illegal(IllegalKind::NotHeld, Some(3)),
                None,
            ),
            (
                Reason::Illegal(Illegal::NotInTurn),
                DuelEnd::Illegal,
                illegal(IllegalKind::NotInTurn, None),
                None,
            ),
            (Reason::Fault(Fault::Unreachable), DuelEnd::Fault, None, fault(FaultKind::Unreachable, 0)),
            (Reason::Fault(Fault::Late), DuelEnd::Fault, None, fault(FaultKind::Late, 0)),
            (Reason::Fault(Fault::Broken), DuelEnd::Fault, None, fault(FaultKind::Broken, 0)),
            (Reason::Fault(Fault::TooLarge), DuelEnd::Fault, None, fault(FaultKind::TooLarge, 0)),
            (Reason::Fault(Fault::Status(503)), DuelEnd::Fault, None, fault(FaultKind::Status, 503)),
            (Reason::Fault(Fault::NotJson), DuelEnd::Fault, None, fault(FaultKind::NotJson, 0)),
            (Reason::Fault(Fault::NotTheValue), DuelEnd::Fault, None, fault(FaultKind::NotTheValue, 0)),
        ] {
            let transcript = Transcript {
                first: Side::Black,
                dealt: [vec![1], vec![2]],
                turns: Vec::new(),
                refused: Some(vec![9, 255]),
                outcome: Some(Outcome { winner: None, reason }),
            };
            let sent = duel(1, TurnNo(1), &[Combatant::Pirates; 2], &transcript);
            assert_eq!((sent.end, sent.illegal, sent.fault), (end.into(), illegal, fault), "{reason}");
            assert_eq!((sent.first_seat, sent.winner_seat), (1, None));
        }
    }
}
