//! Where the careful AI would rather stand when the other's turn comes: where it can parry (R-6.4).
//!
//! ```text
//! 1 1 3 5 at distance 10
//! [5]: goes to 5, where 1 1 would hit next, but a 5 of the other could not be parried
//! [1]: goes to 9, from where the other can attack with a 4 or a 5 after a 5 or a 4 only
//! ```
//!
//! In each row the danger alone decides: an AI that does not weigh it makes the play of the last column.

use fight_lambda_reference::{Ai, Careful};
use gm_core::contract::DuelQuestion;

/// Distance, hand, the number of the other's cards; what is played, and what is not.
#[track_caller]
fn check(distance: u8, cards: &[u8], other_cards: u8, expected: u8, blind: u8) {
    let (your_moves, other_moves) = match distance {
        8 => (vec![5, 4], vec![5]),
        9 => (vec![5, 3], vec![5]),
        10 => (vec![5, 2], vec![5]),
        11 => (vec![5, 1], vec![5]),
        13 => (vec![5], vec![4]),
        _ => (vec![5], vec![3]),
    };
    let question = DuelQuestion {
        your_moves,
        other_moves,
        cards: cards.to_vec(),
        other_cards,
        ..DuelQuestion::default()
    };
    assert_eq!(question.distance(), Some(distance), "{}", question.query());
    assert!(cards.contains(&blind), "{blind} would be another play");
    assert_eq!(Careful.play(&question), [expected], "{}, and not {blind}", question.query());
}

#[test]
fn r_6_4_it_keeps_away_from_what_it_can_t_parry() {
    for (distance, cards, other, expected, blind) in [
        (8, &[1, 2, 2, 5][..], 3, 2, 5),
        (9, &[1, 1, 1, 5], 4, 1, 5),
        (9, &[1, 1, 2, 5], 3, 1, 5),
        (9, &[1, 1, 4], 5, 1, 4),
        (10, &[1, 1, 1, 5], 5, 1, 5),
        (10, &[1, 1, 3, 5], 4, 1, 5),
        (11, &[1, 2, 2, 5], 5, 1, 5),
        (13, &[1, 1, 5, 5], 4, 1, 5),
    ] {
        check(distance, cards, other, expected, blind);
    }
}

/// The other can attack from wherever it goes: it goes where it holds cards to parry with.
#[test]
fn r_6_4_it_goes_where_it_can_parry() {
    for (distance, cards, other, expected, blind) in [
        (8, &[1, 2, 2][..], 3, 2, 1),
        (8, &[3, 4], 3, 4, 3),
        (9, &[1, 2, 2, 4], 3, 2, 4),
        (10, &[1, 2, 2, 3], 3, 2, 3),
        (11, &[2, 3, 3], 5, 3, 2),
        (13, &[2, 2, 3, 5], 5, 3, 5),
        (13, &[1, 3, 3, 5], 4, 3, 5),
        (14, &[2, 4, 4, 5], 4, 4, 5),
    ] {
        check(distance, cards, other, expected, blind);
    }
}
