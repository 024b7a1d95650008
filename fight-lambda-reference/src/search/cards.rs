//! Cards as bare counts, and in how many ways they can be held.
//!
//! ```text
//! unseen 5 5 5 5 4, two cards drawn from it: {1,1} in 10 ways of 276, {1,2} in 25, …
//! ```

use gm_core::arena::duel::Card;

/// How many cards there are of each value, which is the index; index 0 is never used.
pub(crate) type Counts = [u8; 6];

/// All cards (R-6.1).
pub(crate) const ALL: Counts = [0, Card::OF_EACH, Card::OF_EACH, Card::OF_EACH, Card::OF_EACH, Card::OF_EACH];

/// How many cards in all.
pub(crate) fn total(cards: &Counts) -> u8 {
    cards[1] + cards[2] + cards[3] + cards[4] + cards[5]
}

/// The cards of a list. What is no card, and more of a value than there are, is passed over.
pub(crate) fn counted(list: &[u8]) -> Counts {
    let mut counts = [0; 6];
    for &value in list {
        if Card::of(value).is_some() && counts[usize::from(value)] < Card::OF_EACH {
            counts[usize::from(value)] += 1;
        }
    }
    counts
}

/// Takes the one cards out of the others; `None` where they are not all there.
pub(crate) fn without(cards: &Counts, gone: &Counts) -> Option<Counts> {
    let mut left = *cards;
    for (left, gone) in left.iter_mut().zip(gone) {
        *left = left.checked_sub(*gone)?;
    }
    Some(left)
}

/// Puts cards together.
pub(crate) fn with(cards: &Counts, more: &Counts) -> Counts {
    let mut sum = *cards;
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
    sum
}

/// In how many ways `of` can be chosen from `from`: exact, since 25 over 12 is far below 2^53. 0 beyond 25.
pub(crate) fn choose(from: u8, of: u8) -> f64 {
    PASCAL.get(usize::from(from)).and_then(|row| row.get(usize::from(of))).copied().unwrap_or(0.0)
}

const PASCAL: [[f64; 26]; 26] = {
    let mut rows = [[0.0; 26]; 26];
    let mut from = 0;
    while from < rows.len() {
        rows[from][0] = 1.0;
        let mut of = 1;
        while of <= from {
            rows[from][of] = rows[from - 1][of - 1] + rows[from - 1][of];
            of += 1;
        }
        from += 1;
    }
    rows
};

/// In how many ways these cards can be drawn from those.
pub(crate) fn ways(from: &Counts, cards: &Counts) -> f64 {
    (1..=5).map(|value| choose(from[value], cards[value])).product()
}

/// The chance that `of` cards, drawn from `unseen`, hold at least `least` of a value. `of` is at most all there are.
pub(crate) fn chance_of(unseen: &Counts, of: u8, value: u8, least: u8) -> f64 {
    let all = total(unseen);
    let these = unseen[usize::from(value)];
    let of = of.min(all);
    let good: f64 = (least..=these.min(of)).map(|n| choose(these, n) * choose(all - these, of - n)).sum();
    good / choose(all, of)
}

/// All hands of `of` cards that can be drawn from these, in an order that never changes, and how likely each is. Empty
/// if there are too few cards.
pub(crate) fn hands(from: &Counts, of: u8) -> Vec<(Counts, f64)> {
    let mut list = Vec::new();
    let all = choose(total(from), of);
    if all > 0.0 {
        complete(from, 1, of, [0; 6], 1.0 / all, &mut list);
    }
    list
}

/// Adds the hands that begin like this one, and have `left` more cards of `value` and above.
fn complete(from: &Counts, value: usize, left: u8, hand: Counts, chance: f64, list: &mut Vec<(Counts, f64)>) {
    let Some(&there) = from.get(value) else {
        if left == 0 {
            list.push((hand, chance));
        }
        return;
    };
    for n in 0..=left.min(there) {
        let mut hand = hand;
        hand[value] = n;
        complete(from, value + 1, left - n, hand, chance * choose(there, n), list);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choosing_is_exact() {
        assert_eq!([choose(25, 12), choose(5, 0), choose(5, 5)], [5_200_300.0, 1.0, 1.0]);
        assert_eq!([choose(4, 5), choose(26, 1), choose(25, 26), choose(255, 255)], [0.0; 4]);
    }

    #[test]
    fn r_6_1_all_hands_and_their_chances() {
        for of in 0..=25 {
            let list = hands(&ALL, of);
            let sum: f64 = list.iter().map(|(_, chance)| chance).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{of}: {sum}");
            assert!(list.iter().all(|(hand, _)| total(hand) == of));
        }
        assert_eq!([hands(&ALL, 3).len(), hands(&ALL, 5).len(), hands(&ALL, 25).len()], [35, 126, 1]);
        assert!(hands(&[0, 1, 1, 0, 0, 0], 3).is_empty());
    }

    #[test]
    fn the_chance_of_several_of_a_value_is_that_of_the_hands() {
        let unseen = [0, 5, 2, 0, 4, 3];
        for of in 0..=14 {
            for value in 1..=5_u8 {
                for least in 0..=6 {
                    let sum: f64 = hands(&unseen, of)
                        .iter()
                        .filter(|(hand, _)| hand[usize::from(value)] >= least)
                        .map(|(_, chance)| chance)
                        .sum();
                    let chance = chance_of(&unseen, of, value, least);
                    assert!((chance - sum).abs() < 1e-12, "{of} {value} {least}: {chance} {sum}");
                }
            }
        }
    }

    #[test]
    fn lists_are_counted_as_far_as_they_are_cards() {
        assert_eq!(counted(&[1, 5, 5, 0, 6, 255, 2]), [0, 1, 1, 0, 0, 2]);
        assert_eq!(counted(&[3; 200]), [0, 0, 0, 5, 0, 0]);
        assert_eq!(without(&[0, 1, 2, 0, 0, 0], &[0, 1, 1, 0, 0, 0]), Some([0, 0, 1, 0, 0, 0]));
        assert_eq!(without(&[0, 1, 2, 0, 0, 0], &[0, 2, 0, 0, 0, 0]), None);
        assert_eq!(with(&[0, 1, 2, 0, 0, 0], &[0, 1, 0, 0, 0, 3]), [0, 2, 2, 0, 0, 3]);
    }
}
