//! The rules of the duel as tables (tests only). A row is a position, a play and what must come of it:
//!
//! ```text
//! white 9: 1 4 4 4 | black 14: 4 4 5 | pile: 2 | white [1,4,4,4] | 10 v 14, hit, white: Hit
//! ```
//!
//! A hand size stands before the colon where it is not the number of cards held: `white 9 of 6: 1 4`.

use super::board::{Board, Position};
use super::card::{Card, DECK, Hand, Pile};
use super::outcome::{Outcome, Reason, Side};
use super::play::Illegal;
use super::referee::Duel;
use super::transcript::Transcript;
use crate::arena::{Game, NoClock, Player, Reply, Seat, Stage, play};
use crate::contract::{DuelQuestion, Fault};
use crate::ids::{CarId, TurnNo};
use crate::random::{Purpose, Seed, Stream};
use futures_util::FutureExt;
use std::collections::VecDeque;
use std::fmt::Write;

fn numbers(text: &str) -> Vec<u8> {
    text.split([' ', ',', '[', ']'])
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().expect("a number"))
        .collect()
}

fn cards(text: &str) -> Vec<Card> {
    numbers(text).into_iter().map(|value| Card::of(value).expect("a card")).collect()
}

fn side(word: &str) -> Side {
    Side::BOTH.into_iter().find(|side| side.to_string() == word).expect("white or black")
}

/// A position from its three columns, with `turn` in turn.
fn position(white: &str, black: &str, pile: &str, turn: Side) -> Position {
    let mut position = Position {
        squares: [0; 2],
        hands: [Hand::default(); 2],
        hand_sizes: [0; 2],
        pile: DECK,
        drawn: 25,
        turn,
    };
    for (index, text) in [white, black].into_iter().enumerate() {
        let (place, hand) = text.split_once(':').expect("a colon");
        let mut words = place.split_whitespace().skip(1);
        position.squares[index] = words.next().expect("a square").parse().expect("a square");
        position.hands[index] = cards(hand).into_iter().collect();
        position.hand_sizes[index] =
            words.nth(1).map_or(position.hands[index].total(), |size| size.parse().expect("a hand size"));
    }
    let pile = cards(pile.strip_prefix("pile:").expect("the pile"));
    position.drawn = u8::try_from(25 - pile.len()).expect("at most 25 cards");
    position.pile[25 - pile.len()..].copy_from_slice(&pile);
    position
}

/// A row's position as a duel, and the rest of the row.
fn set_up(row: &str) -> (Duel, Side, Vec<u8>, String) {
    let columns: Vec<&str> = row.split('|').map(str::trim).collect();
    let [white, black, pile, turn, expected] = columns.as_slice() else { panic!("five columns: {row}") };
    let (word, answer) = turn.split_once(' ').expect("who plays what");
    let side = side(word);
    let board = Board::set_up(position(white, black, pile, side));
    (Duel::from_board(board, side), side, numbers(answer), (*expected).to_owned())
}

fn answer(duel: &mut Duel, side: Side, cards: Vec<u8>) {
    let reply = match duel.check(side.seat(), &cards) {
        Ok(()) => Reply::Move(cards),
        Err(why) => Reply::Illegal(cards, why),
    };
    assert_eq!(duel.apply(&[(side.seat(), reply)]), []);
}

/// What came of a turn, in the words of the last column.
fn came_of(duel: &Duel) -> String {
    let [white, black] = duel.board().squares();
    let mut text = format!("{white} v {black}");
    if let Some(turn) = duel.transcript().turns.last() {
        match turn.parried {
            Some(true) => text.push_str(", parried"),
            Some(false) => text.push_str(", hit"),
            None => {}
        }
        if !turn.drew.is_empty() {
            let drew: Vec<String> = turn.drew.iter().map(u8::to_string).collect();
            write!(text, ", drew {}", drew.join(" ")).expect("a String takes all");
        }
    }
    match (duel.board().outcome(), duel.board().in_turn()) {
        (Some(Outcome { winner: Some(winner), reason }), None) => write!(text, ", {winner}: {reason:?}"),
        (Some(Outcome { winner: None, reason }), None) => write!(text, ", draw: {reason:?}"),
        (None, Some(side)) => write!(text, ", {side}'s turn"),
        odd => panic!("over and not over: {odd:?}"),
    }
    .expect("a String takes all");
    assert_eq!(duel.transcript().outcome, duel.board().outcome());
    text
}

#[track_caller]
fn check(table: &str) {
    for row in table.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (mut duel, side, cards, expected) = set_up(row);
        if duel.board().outcome().is_none() {
            answer(&mut duel, side, cards);
        }
        assert_eq!(came_of(&duel), expected, "\n{row}");
    }
}

/// The examples of the rule book, as they are told there.
#[test]
fn r_6_the_rule_book_s_examples() {
    check(
        "
        white 1: 3 5 5 | black 23: 1 1 | pile: 2 2 | white [3] | 4 v 23, drew 2, black's turn
        white 10: 1 4 4 | black 14: 1 4 4 | pile: 2 2 | black [4,4] | 10 v 14, parried, drew 2 2, white's turn
        white 10: 1 4 5 | black 14: 1 4 4 | pile: 2 2 | black [4,4] | 10 v 14, hit, black: Hit
        white 9: 1 4 4 4 | black 14: 1 2 4 4 | pile: 2 2 | white [1,4,4,4] | 10 v 14, hit, white: Hit
        white 9: 5 1 | black 11: 2 2 | pile: | black [1] | 9 v 11, white: Illegal(NotHeld(1))
        white 9: 5 | black 11: 2 2 | pile: | white [5] | 9 v 11, black: Stuck
        white 9: 1 1 | black 12: 1 1 | pile: | black [1] | 9 v 11, draw: EmptyPile
        ",
    );
}

/// The seven answers of the rule book's section on the AI, where each is legal.
#[test]
fn r_6_2_the_seven_answers_where_they_are_legal() {
    check(
        "
        white 9: 1 2 2 2 | black 20: 1 1 | pile: 3 | white [1] | 10 v 20, drew 3, black's turn
        white 9: 1 2 2 2 | black 10: 1 1 | pile: 3 | white [1] | 9 v 10, parried, drew 3, black's turn
        white 9: 1 2 2 2 | black 20: 1 1 | pile: 3 | white [2] | 11 v 20, drew 3, black's turn
        white 9: 1 2 2 2 | black 11: 2 1 | pile: 3 | white [2] | 9 v 11, parried, drew 3, black's turn
        white 9: 1 2 2 2 | black 11: 2 1 | pile: 3 | white [2,2] | 9 v 11, hit, white: Hit
        white 9: 1 2 2 2 | black 11: 2 2 2 1 | pile: 3 3 3 | white [2,2,2] | 9 v 11, parried, drew 3 3 3, black's turn
        white 9: 1 2 2 2 | black 12: 2 1 | pile: 3 4 | white [1,2] | 10 v 12, parried, drew 3 4, black's turn
        white 9: 1 2 2 2 | black 12: 2 1 | pile: 3 | white [1,2,2] | 10 v 12, hit, white: Hit
        white 9: 1 2 2 2 | black 13: 2 1 | pile: 3 4 | white [2,2] | 11 v 13, parried, drew 3 4, black's turn
        ",
    );
}

/// The same seven where they are not.
#[test]
fn r_6_3_the_seven_answers_where_they_are_illegal() {
    check(
        "
        white 9: 2 2 2 | black 20: 1 | pile: 3 | white [1] | 9 v 20, black: Illegal(NotHeld(1))
        white 9: 1 2 2 2 | black 10: 1 | pile: 3 | white [2] | 9 v 10, black: Illegal(TooFar(2))
        white 9: 1 1 1 1 | black 11: 1 | pile: 3 | white [2] | 9 v 11, black: Illegal(NotHeld(2))
        white 9: 1 2 | black 11: 1 | pile: 3 | white [2,2] | 9 v 11, black: Illegal(NotHeld(2))
        white 9: 1 2 | black 13: 1 | pile: 3 | white [2,2] | 9 v 13, black: Illegal(NotHeld(2))
        white 9: 1 2 2 2 | black 12: 1 | pile: 3 | white [2,2] | 9 v 12, black: Illegal(WrongDistance(2))
        white 9: 1 2 2 2 | black 14: 1 | pile: 3 | white [2,2] | 9 v 14, black: Illegal(WrongDistance(2))
        white 9: 1 2 2 2 | black 10: 1 | pile: 3 | white [2,2] | 9 v 10, black: Illegal(TooFar(2))
        white 9: 1 2 2 | black 11: 1 | pile: 3 | white [2,2,2] | 9 v 11, black: Illegal(NotHeld(2))
        white 9: 1 2 2 | black 13: 1 | pile: 3 | white [2,2,2] | 9 v 13, black: Illegal(NotHeld(2))
        white 9: 1 2 2 2 | black 12: 1 | pile: 3 | white [2,2,2] | 9 v 12, black: Illegal(WrongDistance(2))
        white 9: 1 2 2 2 | black 11: 1 | pile: 3 | white [1,2] | 9 v 11, black: Illegal(WrongDistance(2))
        white 9: 1 2 2 2 | black 13: 1 | pile: 3 | white [1,2] | 9 v 13, black: Illegal(WrongDistance(2))
        white 9: 1 2 2 2 | black 10: 1 | pile: 3 | white [1,2] | 9 v 10, black: Illegal(WrongDistance(2))
        white 9: 2 2 2 | black 12: 1 | pile: 3 | white [1,2] | 9 v 12, black: Illegal(NotHeld(1))
        white 9: 1 2 3 | black 12: 1 | pile: 3 | white [1,2,2] | 9 v 12, black: Illegal(NotHeld(2))
        ",
    );
}

#[test]
fn r_6_2_moves_attacks_and_indirect_attacks() {
    check(
        "
        white 1: 5 | black 7: 1 | pile: 2 | white [5] | 6 v 7, drew 2, black's turn
        white 1: 5 1 | black 23: 4 | pile: 2 | black [4] | 1 v 19, drew 2, white's turn
        white 1: 5 1 | black 7: 5 | pile: 2 | black [5] | 1 v 2, drew 2, white's turn
        white 1: 1 1 | black 6: 1 | pile: 2 | black [5] | 1 v 6, white: Illegal(NotHeld(5))
        white 1: 5 | black 6: 1 | pile: 2 | white [5] | 1 v 6, hit, white: Hit
        white 4: 1 1 1 | black 6: 1 1 | pile: 2 3 | white [1,1] | 5 v 6, parried, drew 2 3, black's turn
        white 4: 1 1 1 | black 6: 1 2 2 | pile: 2 3 4 | white [1,1,1] | 5 v 6, hit, white: Hit
        white 4: 1 1 | black 6: 1 2 2 | pile: 2 3 4 | white [1,1,1] | 4 v 6, black: Illegal(NotHeld(1))
        white 1: 5 1 1 1 1 | black 12: 5 5 | pile: | white [5,5] | 1 v 12, black: Illegal(WrongDistance(5))
        white 1: 5 5 1 | black 11: 5 1 | pile: 3 4 | white [5,5] | 6 v 11, parried, drew 3 4, black's turn
        white 1: 2 2 | black 11: 4 5 5 5 5 5 | pile: | black [4,5,5,5,5,5] | 1 v 11, white: Illegal(WrongDistance(5))
        white 1: 2 2 | black 10: 4 5 5 5 5 5 | pile: | black [4,5,5,5,5,5] | 1 v 6, hit, black: Hit
        ",
    );
}

#[test]
fn r_6_3_anything_else_is_illegal() {
    check(
        "
        white 9: 1 2 3 | black 12: 1 | pile: 3 | white [] | 9 v 12, black: Illegal(Empty)
        white 9: 1 2 3 | black 12: 1 | pile: 3 | white [0] | 9 v 12, black: Illegal(NotACard(0))
        white 9: 1 2 3 | black 22: 1 | pile: 3 | white [6] | 9 v 22, black: Illegal(NotACard(6))
        white 9: 1 2 3 | black 12: 1 | pile: 3 | white [255,1] | 9 v 12, black: Illegal(NotACard(255))
        white 9: 1 2 3 | black 12: 1 | pile: 3 | white [1,7] | 9 v 12, black: Illegal(NotACard(7))
        white 9: 1 2 3 | black 12: 1 | pile: 3 | white [1,0] | 9 v 12, black: Illegal(NotACard(0))
        white 9: 1 2 3 | black 12: 1 | pile: 3 | white [3,0] | 9 v 12, black: Illegal(NotACard(0))
        white 9: 1 2 3 | black 12: 1 | pile: 3 | white [3,1] | 9 v 12, black: Illegal(WrongDistance(1))
        white 9: 1 2 3 | black 12: 1 | pile: 3 | white [3,3] | 9 v 12, black: Illegal(NotHeld(3))
        white 9: 1 2 3 | black 12: 1 | pile: 3 | white [1,2,3] | 9 v 12, black: Illegal(WrongDistance(3))
        white 9: 1 2 3 | black 11: 1 | pile: 3 | white [3] | 9 v 11, black: Illegal(TooFar(3))
        white 9: 1 2 3 | black 11: 1 | pile: 3 | white [3,1] | 9 v 11, black: Illegal(TooFar(3))
        white 9: 1 2 | black 11: 1 3 | pile: 3 | black [3] | 9 v 11, white: Illegal(TooFar(3))
        white 9: 1 2 3 | black 22: 1 | pile: 3 | white [4] | 9 v 22, black: Illegal(NotHeld(4))
        white 9: 1 2 3 | black 22: 1 | pile: 3 | white [1,2] | 9 v 22, black: Illegal(WrongDistance(2))
        ",
    );
}

#[test]
fn r_6_3_the_longest_answers() {
    let (mut duel, side, ..) = set_up("white 9: 1 1 | black 10: 1 | pile: | white [1] |");
    let ones = vec![1; 70_000];
    assert_eq!(duel.check(side.seat(), &ones), Err(Illegal::NotHeld(1)));
    answer(&mut duel, side, ones);
    let refused = duel.transcript().refused.clone();
    assert_eq!(refused, Some(vec![1; Transcript::MAX_REFUSED]), "no more is kept than could matter");
    let (duel, side, ..) = set_up("white 9: 1 1 | black 11: 1 | pile: | white [1] |");
    assert_eq!(duel.check(side.seat(), &vec![1; 257]), Err(Illegal::NotHeld(1)));
}

#[test]
fn r_6_3_a_fault_loses() {
    for fault in [Fault::Late, Fault::Status(500), Fault::NotJson, Fault::Unreachable] {
        let (mut duel, side, ..) = set_up("white 9: 1 2 | black 11: 1 | pile: 3 | white [1] |");
        duel.apply(&[(side.seat(), Reply::Fault(fault))]);
        assert_eq!(
            duel.transcript().outcome,
            Some(Outcome { winner: Some(Side::Black), reason: Reason::Fault(fault) })
        );
        assert_eq!(duel.stage(), Stage::Over(duel.transcript().outcome.unwrap()));
        assert_eq!((duel.transcript().turns.len(), &duel.transcript().refused), (0, &None));
    }
}

#[test]
fn r_6_4_attack_and_parry() {
    check(
        "
        white 10: 4 1 1 1 | black 14: 4 4 1 | pile: 2 | white [4] | 10 v 14, parried, drew 2, black's turn
        white 10: 4 4 1 1 | black 14: 4 1 1 | pile: 2 | white [4,4] | 10 v 14, hit, white: Hit
        white 10: 4 4 1 1 | black 14: 4 4 4 1 | pile: 2 3 | white [4,4] | 10 v 14, parried, drew 2 3, black's turn
        white 10: 4 1 1 1 | black 14: 5 5 3 3 | pile: 2 | white [4] | 10 v 14, hit, white: Hit
        white 10: 4 4 5 | black 14: 4 4 | pile: 2 2 | white [4,4] | 10 v 14, parried, white: NoCardLeft
        white 10: 4 4 5 | black 14: 4 4 | pile: | white [4,4] | 10 v 14, parried, white: NoCardLeft
        white 10: 4 | black 14: 4 1 | pile: 2 | black [4] | 10 v 14, parried, black: NoCardLeft
        white 10: 4 | black 14: 4 1 | pile: 2 | white [4] | 10 v 14, parried, drew 2, black's turn
        ",
    );
}

/// The defender does not draw after a parry; it does at the end of its next turn.
#[test]
fn r_6_4_a_defender_who_parried_does_not_draw() {
    let (mut duel, ..) = set_up("white 10: 1 4 4 | black 14: 1 3 4 4 | pile: 2 5 3 1 1 | white [4] |");
    answer(&mut duel, Side::White, vec![4, 4]);
    assert_eq!(duel.board().hand(Side::White).cards(), [1, 2, 5]);
    assert_eq!(duel.board().hand(Side::Black).cards(), [1, 3]);
    answer(&mut duel, Side::Black, vec![1]);
    assert_eq!(came_of(&duel), "10 v 13, drew 3 1 1, white's turn");
    assert_eq!(duel.board().hand(Side::Black).cards(), [1, 1, 3, 3]);
}

#[test]
fn r_6_5_drawing_and_the_empty_pile() {
    check(
        "
        white 1: 1 1 | black 23: 1 1 | pile: 2 | white [1] | 2 v 23, drew 2, black's turn
        white 1: 1 1 | black 23: 1 1 | pile: | white [1] | 2 v 23, draw: EmptyPile
        white 1 of 4: 1 1 | black 23: 1 1 | pile: 2 3 | white [1] | 2 v 23, drew 2 3, draw: EmptyPile
        white 1 of 4: 1 1 | black 23: 1 1 | pile: 2 3 4 5 | white [1] | 2 v 23, drew 2 3 4, black's turn
        white 1 of 1: 1 1 | black 23: 1 1 | pile: | white [1] | 2 v 23, black's turn
        white 9: 4 1 | black 13: 4 1 | pile: | white [4] | 9 v 13, parried, draw: EmptyPile
        white 9: 4 1 | black 13: 3 1 | pile: | white [4] | 9 v 13, hit, white: Hit
        white 9: 2 1 | black 11: 5 5 5 | pile: | white [1] | 10 v 11, draw: EmptyPile
        white 9: 2 1 | black 11: 5 5 5 | pile: 3 | white [1] | 10 v 11, drew 3, white: Stuck
        ",
    );
}

#[test]
fn r_6_6_a_player_without_a_legal_move_has_lost() {
    check(
        "
        white 9: 5 | black 11: 1 | pile: 1 | white [5] | 9 v 11, black: Stuck
        white 9: 3 4 5 | black 11: 1 | pile: 1 | white [3] | 9 v 11, black: Stuck
        white 9: 2 5 | black 11: 1 | pile: 1 | white [2] | 9 v 11, hit, white: Hit
        white 9: 1 5 | black 11: 1 | pile: 1 | white [1] | 10 v 11, drew 1, black's turn
        white 9: | black 11: 1 | pile: 1 | white [1] | 9 v 11, black: Stuck
        white 9: 1 | black 11: | pile: 1 | black [1] | 9 v 11, white: Stuck
        white 9: 3 1 | black 14: 3 3 | pile: 1 | white [3] | 12 v 14, drew 1, white: Stuck
        ",
    );
}

/// Also in the very first turn, of a duellist who was dealt nothing: the other took all 25 cards, or it has none.
#[test]
fn r_6_6_nobody_is_asked_who_is_stuck() {
    let lost = |winner| Some(Outcome { winner: Some(winner), reason: Reason::Stuck });
    for (first, weapons, outcome) in [
        (Side::White, [0, 3], lost(Side::Black)),
        (Side::Black, [3, 0], lost(Side::White)),
        (Side::White, [3, 0], None),
        (Side::White, [0, 0], lost(Side::Black)),
        (Side::Black, [0, 0], lost(Side::White)),
    ] {
        let duel = Duel::from_board(Board::deal(DECK, first, weapons, None), first);
        assert_eq!(duel.transcript().outcome, outcome, "{first} {weapons:?}");
        match outcome {
            Some(outcome) => assert_eq!(duel.stage(), Stage::Over(outcome)),
            None => assert_eq!(duel.stage(), Stage::Asks(vec![first.seat()])),
        }
        assert_eq!(duel.board().plays().is_empty(), outcome.is_some());
    }
}

#[test]
fn r_6_1_two_seats_and_r_6_8_25_turns() {
    let duel = Duel::deal(&mut stream(1), [5, 5], None);
    assert_eq!((duel.seats(), duel.max_steps()), (2, 25));
}

#[test]
fn r_6_1_how_the_cards_are_dealt() {
    let most = u32::MAX;
    for (first, weapons, limit, hand_sizes) in [
        (Side::White, [5, 5], None, [5, 5]),
        (Side::Black, [5, 3], None, [5, 3]),
        (Side::White, [9, 2], Some(6), [6, 2]),
        (Side::White, [9, 9], Some(0), [0, 0]),
        (Side::White, [13, 13], None, [13, 12]),
        (Side::Black, [13, 13], None, [12, 13]),
        (Side::White, [25, 0], None, [25, 0]),
        (Side::White, [26, 2], None, [23, 2]),
        (Side::Black, [2, 40], None, [2, 23]),
        (Side::Black, [most, most], None, [12, 13]),
        (Side::Black, [most, most], Some(most), [12, 13]),
    ] {
        let board = Board::deal(DECK, first, weapons, limit);
        let sizes = Side::BOTH.map(|side| board.hand_size(side));
        assert_eq!(sizes, hand_sizes, "{first} {weapons:?} {limit:?}");
        assert_eq!(Side::BOTH.map(|side| board.hand(side).total()), sizes);
        assert_eq!(board.pile().len(), 25 - usize::from(sizes[0] + sizes[1]));
    }
}

/// One card each in turn, the first player first; who has its number is passed over.
#[test]
fn r_6_1_in_which_order_the_cards_are_dealt() {
    let pile: Pile = std::array::from_fn(|at| Card::ALL[at % 5]);
    let dealt = |first| {
        let board = Board::deal(pile, first, [2, 4], None);
        (Side::BOTH.map(|side| board.hand(side).cards()), board.pile()[0].value(), board.squares())
    };
    // In order: w1 b2 w3 b4 b5 b1.
    assert_eq!(dealt(Side::White), ([vec![1, 3], vec![1, 2, 4, 5]], 2, [1, 23]));
    // In order: b1 w2 b3 w4 b5 b1.
    assert_eq!(dealt(Side::Black), ([vec![2, 4], vec![1, 1, 3, 5]], 2, [1, 23]));
}

fn stream(seed: u64) -> Stream {
    Seed(seed).stream(TurnNo(1), Purpose::Duel, CarId(1))
}

/// If this fails, duels recorded earlier can't be replayed any more: raise the rules' revision.
#[test]
fn r_10_5_a_deal_never_changes() {
    let duel = Duel::deal(&mut stream(42), [4, 5], None);
    let Transcript { first, dealt, .. } = duel.transcript();
    assert_eq!((*first, dealt), (Side::Black, &[vec![1, 1, 2, 3], vec![1, 3, 4, 5, 5]]));
}

#[test]
fn r_6_1_the_first_player_is_drawn_evenly() {
    let white = (0..2_000)
        .filter(|&seed| Duel::deal(&mut stream(seed), [1, 1], None).transcript().first == Side::White)
        .count();
    assert!((900..1_100).contains(&white), "white was first in {white} of 2000");
}

/// The moves of the example in the rule book and in A-1. A hand is told lowest card first.
#[test]
fn r_6_7_what_the_ai_is_told() {
    let (mut duel, ..) =
        set_up("white 1: 1 1 2 3 4 5 | black 23: 1 2 2 4 5 | pile: 1 5 1 5 2 3 2 4 | white [1] |");
    for (white, black) in [(1, 1), (5, 2), (4, 2), (1, 4)] {
        answer(&mut duel, Side::White, vec![white]);
        answer(&mut duel, Side::Black, vec![black]);
    }
    let told = duel.view(Side::White.seat());
    assert_eq!(told.query(), "yourmoves=[1,5,4,1]&othermoves=[1,2,2,4]&cards=[1,1,2,2,2,3]&othernbcards=5");
    let seen = told.seen.unwrap();
    assert_eq!((seen.distance, seen.hand_size, seen.other_hand_size, seen.pile), (2, 6, 5, 0));
    assert!(seen.first);
    assert_eq!(seen.turns.len(), 8);
}

/// An attack with two cards that is parried lays down two 0s on either side (R-6.7), and is told in full in the
/// header (A-4).
#[test]
fn r_6_7_cards_of_attack_and_parry_are_zeros() {
    let (mut duel, ..) = set_up("white 5: 3 4 4 5 | black 15: 2 4 4 | pile: 1 2 3 1 2 3 | white [3] |");
    answer(&mut duel, Side::White, vec![3]);
    answer(&mut duel, Side::Black, vec![2]);
    assert_eq!(came_of(&duel), "8 v 13, drew 2, white's turn");
    let (mut duel, ..) = set_up("white 7: 1 2 4 4 5 | black 13: 2 4 4 5 | pile: 1 2 3 1 2 3 | white [2] |");
    answer(&mut duel, Side::White, vec![2, 4, 4]);
    assert_eq!(came_of(&duel), "9 v 13, parried, drew 1 2 3, black's turn");
    let told = duel.view(Side::Black.seat());
    assert_eq!(told.query(), "yourmoves=[0,0]&othermoves=[2,0,0]&cards=[2,5]&othernbcards=5");
    assert_eq!(
        told.seen.unwrap().header(),
        r#"{"distance":4,"hand_size":4,"other_hand_size":5,"pile":3,"first":false,"turns":[{"you":false,"move":2,"attack":[4,4],"parried":true}]}"#
    );
    answer(&mut duel, Side::Black, vec![2]);
    let told = duel.view(Side::White.seat());
    assert_eq!(told.query(), "yourmoves=[2,0,0]&othermoves=[0,0,2]&cards=[1,1,2,3,5]&othernbcards=4");
    assert_eq!(
        told.seen.unwrap().header(),
        r#"{"distance":2,"hand_size":5,"other_hand_size":4,"pile":0,"first":true,"turns":[{"you":true,"move":2,"attack":[4,4],"parried":true},{"you":false,"move":2}]}"#
    );
}

/// Of an attack that hits only the attacker lays cards down.
#[test]
fn r_6_7_what_was_laid_down_when_it_is_over() {
    let (mut duel, ..) = set_up("white 9: 1 4 4 4 | black 14: 1 2 4 4 | pile: 2 | white [1] |");
    answer(&mut duel, Side::White, vec![1, 4, 4, 4]);
    let laid_down = Side::BOTH.map(|side| duel.transcript().laid_down(side));
    assert_eq!(laid_down, [vec![1, 0, 0, 0], vec![]]);
}

#[test]
fn r_6_7_a_seat_that_is_not_there_is_told_nothing() {
    let (duel, ..) = set_up("white 9: 1 2 | black 11: 1 | pile: 3 | white [1] |");
    assert_eq!(duel.view(Seat(2)), DuelQuestion::default());
}

#[test]
fn r_6_8_out_of_time_loses_once() {
    let (mut duel, ..) = set_up("white 9: 1 2 | black 19: 1 | pile: 3 | white [1] |");
    assert_eq!(duel.out_of_time(Seat(2)), []);
    assert_eq!(duel.transcript().outcome, None);
    assert_eq!(duel.out_of_time(Seat(1)), []);
    let lost = Some(Outcome { winner: Some(Side::White), reason: Reason::OutOfTime });
    assert_eq!(duel.transcript().outcome, lost);
    duel.out_of_time(Seat(0));
    assert_eq!(duel.transcript().outcome, lost, "over is over");
}

#[test]
fn r_6_2_only_the_player_in_turn_plays() {
    let row = "white 9: 1 2 | black 19: 1 | pile: 3 | white [1] |";
    let (duel, ..) = set_up(row);
    for (seat, cards, expected) in
        [(0, 1, Ok(())), (1, 1, Err(Illegal::NotInTurn)), (2, 1, Err(Illegal::NotInTurn))]
    {
        assert_eq!(duel.check(Seat(seat), &vec![cards]), expected, "seat {seat}");
    }
    let (mut duel, ..) = set_up(row);
    duel.apply(&[(Seat(2), Reply::Move(vec![1]))]);
    assert_eq!(duel.transcript().outcome, None, "nobody sits at seat 2");
    duel.apply(&[(Seat(1), Reply::Move(vec![1]))]);
    assert_eq!(came_of(&duel), "9 v 19, white: Illegal(NotInTurn)");
    duel.apply(&[(Seat(0), Reply::Illegal(vec![4], Illegal::NotHeld(4)))]);
    assert_eq!(came_of(&duel), "9 v 19, white: Illegal(NotInTurn)", "over is over");
    assert_eq!(duel.transcript().refused, Some(vec![1]));
    assert_eq!(duel.check(Seat(0), &vec![1]), Err(Illegal::NotInTurn), "the duel is over");
    let mut board = *duel.board();
    assert_eq!(board.play(super::Play::Move(Card::One)), Err(Illegal::NotInTurn));
}

#[test]
fn positions_out_of_range_are_brought_into_it() {
    let with = |squares, drawn| {
        let hands = [DECK.into_iter().collect(); 2];
        let hand_sizes = [25; 2];
        let board =
            Board::set_up(Position { squares, hands, hand_sizes, pile: DECK, drawn, turn: Side::White });
        (board.squares(), board.pile().len())
    };
    for (squares, drawn, expected) in [
        ([1, 23], 0, ([1, 23], 25)),
        ([0, 99], 99, ([1, 23], 0)),
        ([23, 23], 20, ([22, 23], 5)),
        ([7, 7], 25, ([7, 8], 0)),
        ([9, 3], 24, ([9, 10], 1)),
    ] {
        assert_eq!(with(squares, drawn), expected);
    }
}

/// An AI that answers what it was told beforehand.
struct Scripted(VecDeque<Vec<u8>>);

impl Player<Duel> for Scripted {
    async fn ask(&mut self, _: &DuelQuestion) -> Result<Vec<u8>, Fault> {
        self.0.pop_front().ok_or(Fault::Late)
    }
    async fn notify(&mut self, notice: &std::convert::Infallible) {
        match *notice {}
    }
}

/// A whole duel in the match, told as spectators see it when it is over (R-11).
#[test]
fn r_11_the_transcript_of_a_duel() {
    let (mut duel, ..) = set_up("white 5: 1 3 4 | black 13: 2 4 5 | pile: 4 1 1 5 | white [3] |");
    let mut players = [vec![vec![3], vec![4, 4]], vec![vec![1, 2]]].map(|answers| Scripted(answers.into()));
    let played = play(&mut duel, &mut players, &mut NoClock).now_or_never().unwrap().unwrap();
    assert_eq!(
        played.outcome,
        Outcome { winner: Some(Side::White), reason: Reason::Illegal(Illegal::WrongDistance(2)) }
    );
    assert_eq!(played.record.len(), 2);
    let json = r#"{"first":"white","dealt":[[1,3,4],[2,4,5]],"turns":[{"side":"white","move":3,"drew":[4]}],"refused":[1,2],"outcome":{"winner":"white","reason":{"illegal":{"wrong_distance":2}}}}"#;
    assert_eq!(serde_json::to_string(duel.transcript()).unwrap(), json);
    assert_eq!(serde_json::from_str::<Transcript>(json).unwrap(), duel.into_transcript());
}
