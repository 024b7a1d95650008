//! R-6.2, R-6.3, R-6.7: what the AI plays is legal, whatever it holds and whatever was played before.
//!
//! ```text
//! distance 4, cards 1 4 4   [1] [1,…] [4] [4,4] are legal; [5], [4,4,4], [] and [2] lose the duel
//! ```

use super::AiTalk;
use super::positions::{Laid, after, at, mirrored, reached};
use super::strength::duel;
use super::yardstick::Yardstick;
use crate::suite::case::{Case, Done, Failure, Level};
use futures_util::FutureExt;
use gm_core::arena::duel::Reason;
use gm_core::contract::DuelQuestion;

const ILLEGAL: &str = "the duel, each time (R-6.3)";

/// So many illegal plays are enough: an AI that is often late would take an hour.
const ENOUGH: u32 = 20;

/// How many weapons both have in a duel that is played to its end.
const WEAPONS: [u32; 5] = [1, 3, 5, 8, 12];

/// Simple positions, each of one kind.
pub(super) fn cases() -> Vec<Case<AiTalk>> {
    vec![
        Case {
            id: "R-6.2.1",
            requirement: "R-6.2",
            title: "far away, it moves by a card that it holds",
            level: Level::Must,
            needs: &["A-2.1"],
            hint: "with a distance of more than 10 nobody can be hit: play one card of `cards`",
            costs: ILLEGAL,
            check: |talk| all_legal(talk, far()).boxed(),
        },
        Case {
            id: "R-6.2.2",
            requirement: "R-6.2",
            title: "near by, what it plays is legal: it attacks with cards of the distance, or moves by less",
            level: Level::Must,
            needs: &["R-6.2.1"],
            hint: "distance = 22 − sum(yourmoves) − sum(othermoves); attack only with cards that you hold, all equal to it",
            costs: ILLEGAL,
            check: |talk| all_legal(talk, near()).boxed(),
        },
        Case {
            id: "R-6.2.3",
            requirement: "R-6.2",
            title: "where no attack is possible, it moves",
            level: Level::Must,
            needs: &["R-6.2.2"],
            hint: "without a card of the distance, and of what a step would leave, play a card below the distance",
            costs: ILLEGAL,
            check: |talk| all_legal(talk, no_attack()).boxed(),
        },
        Case {
            id: "R-6.2.4",
            requirement: "R-6.2",
            title: "with one legal play left, it makes it",
            level: Level::Must,
            needs: &["R-6.2.3"],
            hint: "an empty list is illegal: whoever is asked has a legal play (R-6.6)",
            costs: ILLEGAL,
            check: |talk| all_legal(talk, forced()).boxed(),
        },
        Case {
            id: "R-6.2.5",
            requirement: "R-6.2",
            title: "it plays with 2 to 12 cards",
            level: Level::Must,
            needs: &["R-6.2.3"],
            hint: "a car has as many cards as weapons, which may be more than 5; look at your loops and at their time",
            costs: "the duel, when the car has that many weapons",
            check: |talk| all_legal(talk, any_hand()).boxed(),
        },
        Case {
            id: "R-6.2.6",
            requirement: "R-6.2",
            title: "it plays its last card",
            level: Level::Must,
            needs: &["R-6.2.4"],
            hint: "a car with one weapon has one card, at all distances",
            costs: "the duel, when the car has one weapon",
            check: |talk| all_legal(talk, last_card()).boxed(),
        },
        Case {
            id: "R-6.2.7",
            requirement: "R-6.2",
            title: "it plays when no card is left to be drawn",
            level: Level::Must,
            needs: &["R-6.2.5"],
            hint: "an empty pile ends no duel before a card has to be drawn (R-6.5)",
            costs: "the duel, if it would go on for so long, or both have many weapons",
            check: |talk| all_legal(talk, empty_pile()).boxed(),
        },
        Case {
            id: "R-6.7.1",
            requirement: "R-6.7",
            title: "a 0 among the moves is a card of an attack or parry, and moves nobody",
            level: Level::Must,
            needs: &["R-6.2.2"],
            hint: "sum the moves as they are: a 0 adds nothing to the way",
            costs: "most duels, from the first attack on",
            check: |talk| all_legal(talk, zeros()).boxed(),
        },
        Case {
            id: "R-6.7.2",
            requirement: "R-6.7",
            title: "long histories are read",
            level: Level::Must,
            needs: &["R-6.7.1"],
            hint: "a duel may have more than twenty cards on the table",
            costs: "long duels",
            check: |talk| all_legal(talk, long()).boxed(),
        },
    ]
}

/// Many positions, and whole duels.
pub(super) fn at_length() -> Vec<Case<AiTalk>> {
    const ALL: &[&str] = &["R-6.2.6", "R-6.2.7", "R-6.7.2", "A-1.6"];
    vec![
        Case {
            id: "R-6.3.1",
            requirement: "R-6.3",
            title: "in positions that are reached by playing, every play is legal",
            level: Level::Must,
            needs: ALL,
            hint: "see the question below: compute the distance by hand, then what may be played (R-6.2)",
            costs: "a duel in each such position",
            check: |talk| everywhere(talk).boxed(),
        },
        Case {
            id: "R-6.3.2",
            requirement: "R-6.3",
            title: "whole duels are played to the end without an illegal play",
            level: Level::Must,
            needs: &["R-6.3.1"],
            hint: "see the last question below",
            costs: "the duel",
            check: |talk| whole_duels(talk).boxed(),
        },
    ]
}

/// Asks all of these, and checks what is played.
async fn all_legal(talk: &mut AiTalk, questions: Vec<DuelQuestion>) -> Done {
    for question in &questions {
        talk.plays(question).await?;
    }
    Ok(())
}

/// Nobody can be hit.
fn far() -> Vec<DuelQuestion> {
    let hands: [&[u8]; 3] = [&[1, 2, 3, 4, 5], &[2, 4, 4], &[5, 5, 3]];
    (11..=22).flat_map(|distance| hands.map(|cards| at(distance, cards, 4))).collect()
}

/// There is an attack, and something else.
fn near() -> Vec<DuelQuestion> {
    let table: [(u8, &[&[u8]]); 10] = [
        (1, &[&[1, 1, 1, 2], &[5, 1, 1, 4]]),
        (2, &[&[1, 2, 3, 4, 5], &[2, 2, 5], &[1, 1, 3, 4]]),
        (3, &[&[1, 2, 3, 4, 5], &[3, 3, 3, 4], &[1, 2, 2, 5]]),
        (4, &[&[1, 2, 3, 4, 5], &[4, 4, 4, 5], &[1, 3, 3], &[2, 2, 5]]),
        (5, &[&[1, 2, 3, 4, 5], &[5, 5, 5, 1], &[4, 1, 1], &[2, 3, 3]]),
        (6, &[&[1, 2, 3, 4, 5], &[1, 5, 5], &[3, 3, 3], &[4, 2, 2]]),
        (7, &[&[1, 2, 3, 4, 5], &[2, 5, 5], &[3, 4, 4]]),
        (8, &[&[1, 2, 3, 4, 5], &[3, 5, 5], &[4, 4, 4]]),
        (9, &[&[1, 2, 3, 4, 5], &[4, 5, 5], &[4, 4, 5]]),
        (10, &[&[5, 5, 5, 4, 3], &[5, 5, 1]]),
    ];
    // The other can't parry two: who counts cards attacks with all.
    let sure: [(u8, &[u8]); 5] =
        [(3, &[2, 1, 1]), (5, &[4, 1, 1]), (5, &[1, 5, 5]), (7, &[5, 2, 2]), (8, &[3, 5, 5])];
    let unsure = table.iter().flat_map(|(distance, hands)| hands.iter().map(|cards| at(*distance, cards, 3)));
    unsure.chain(sure.iter().map(|(distance, cards)| at(*distance, cards, 1))).collect()
}

/// There are moves, and no attack.
fn no_attack() -> Vec<DuelQuestion> {
    let table: [(u8, &[u8]); 6] = [
        (10, &[4, 3, 4]),
        (9, &[1, 2, 3]),
        (7, &[1, 3, 1]),
        (6, &[2, 3, 5]),
        (5, &[1, 2, 2]),
        (4, &[2, 3, 5]),
    ];
    table.iter().map(|(distance, cards)| at(*distance, cards, 3)).collect()
}

/// One play is left.
fn forced() -> Vec<DuelQuestion> {
    let table: [(u8, &[u8]); 5] =
        [(1, &[1, 4, 5]), (2, &[1, 5, 4]), (3, &[2, 4, 5]), (4, &[4, 5, 5]), (4, &[1, 5, 5])];
    table.iter().map(|(distance, cards)| at(*distance, cards, 3)).collect()
}

fn any_hand() -> Vec<DuelQuestion> {
    let hand = |size| (0..size).map(|n| 1 + n % 5).collect::<Vec<u8>>();
    (2..=12).flat_map(|size| [22, 8, 3].map(|distance| at(distance, &hand(size), 2))).collect()
}

fn last_card() -> Vec<DuelQuestion> {
    (1..=5).flat_map(|card| [card, card + 1, 12].map(|distance| at(distance, &[card], 1))).collect()
}

/// No card is left to be drawn.
fn empty_pile() -> Vec<DuelQuestion> {
    vec![
        at(4, &[1, 1, 2, 2, 3, 3, 4, 4, 5], 12),
        at(12, &[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5], 12),
        at(7, &[1, 2, 2, 3, 3, 4, 4, 5, 5, 2, 1, 3], 10),
    ]
}

/// Somebody has attacked.
fn zeros() -> Vec<DuelQuestion> {
    vec![
        after(&[(4, &[]), (4, &[]), (4, &[]), (3, &[]), (2, &[]), (0, &[5]), (0, &[5])], &[3, 3, 1, 5], 3),
        after(&[(5, &[]), (5, &[]), (5, &[]), (3, &[4])], &[4, 4, 1, 2], 3),
        after(&[(5, &[]), (5, &[]), (4, &[]), (4, &[4]), (1, &[])], &[1, 3, 3, 5], 3),
        after(&[(5, &[]), (5, &[]), (5, &[]), (2, &[5]), (1, &[4]), (1, &[])], &[1, 2, 3, 3], 3),
        after(&[(5, &[]), (5, &[]), (4, &[]), (3, &[]), (0, &[5])], &[3, 3, 5, 1], 3),
    ]
}

/// Much has been laid down.
fn long() -> Vec<DuelQuestion> {
    let small: [Laid<'_>; 8] =
        [(1, &[]), (2, &[]), (1, &[]), (2, &[]), (3, &[]), (3, &[]), (2, &[]), (3, &[])];
    let fought: [Laid<'_>; 4] = [(0, &[5]), (0, &[5]), (1, &[4]), (0, &[4])];
    let all: Vec<Laid<'_>> = small.into_iter().chain(fought).collect();
    let twice: [Laid<'_>; 10] = [
        (1, &[]),
        (2, &[]),
        (1, &[]),
        (2, &[]),
        (1, &[]),
        (2, &[]),
        (2, &[]),
        (1, &[]),
        (3, &[]),
        (3, &[4, 4]),
    ];
    vec![
        after(&all, &[1, 3, 4], 3),
        after(&all, &[2, 2, 4, 3], 3),
        after(&twice, &[4, 1, 3], 3),
        after(&twice, &[2, 1, 3, 3], 4),
    ]
}

async fn everywhere(talk: &mut AiTalk) -> Done {
    let (seed, positions) = (talk.settings().seed, talk.settings().positions);
    let mut first: Option<Failure> = None;
    let (mut asked, mut illegal) = (0_u32, 0_u32);
    for question in reached(seed, positions) {
        asked += 1;
        let played = talk.ask(&question).await.and_then(|cards| talk.legal(&question, &cards));
        if let Err(failure) = played {
            illegal += 1;
            first.get_or_insert(failure);
        }
        if illegal == ENOUGH {
            break;
        }
    }
    let Some(failure) = first else { return Ok(()) };
    let found = format!("{} (in {illegal} of {asked} positions, seed {seed})", failure.found);
    Err(Failure { found, ..failure }.into())
}

async fn whole_duels(talk: &mut AiTalk) -> Done {
    for (weapons, n) in WEAPONS.into_iter().zip(0..) {
        for yardstick in Yardstick::ALL {
            for half in 0..2 {
                let seed = talk.settings().seed.wrapping_add(n);
                let side = mirrored(half);
                let played = duel(talk, yardstick, seed, weapons, side).await;
                if played.loser() == Some(side)
                    && matches!(played.reason, Reason::Illegal(_) | Reason::Fault(_))
                {
                    let expected = format!(
                        "a duel with {weapons} weapons against {} (seed {seed}) that is not lost by an illegal play",
                        yardstick.name()
                    );
                    return Err(talk.failure(expected, played.reason.to_string()).into());
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::ai::positions::can_be;
    use crate::suite::ai::talk::hand_of;
    use gm_core::arena::duel::Plays;

    /// How many plays are legal, and how many of them attack.
    fn plays(question: &DuelQuestion) -> (usize, usize) {
        let plays = Plays::of(&hand_of(question), question.distance().expect("a position"));
        (plays.len(), plays.iter().filter(|play| play.attack().is_some()).count())
    }

    /// Each position is one that a duel can come to, is of its kind, and is asked once.
    #[test]
    fn r_6_2_the_positions_are_of_their_kinds() {
        type Kind = fn(&DuelQuestion) -> bool;
        let table: [(&str, Vec<DuelQuestion>, Kind); 9] = [
            ("far", far(), |it| plays(it).1 == 0 && it.distance() > Some(10)),
            ("near", near(), |it| plays(it).0 > 1 && plays(it).1 > 0),
            ("no attack", no_attack(), |it| plays(it).0 > 1 && plays(it).1 == 0),
            ("forced", forced(), |it| plays(it).0 == 1 && it.cards.len() > 1),
            ("any hand", any_hand(), |it| plays(it).0 > 1),
            ("last card", last_card(), |it| plays(it).0 == 1 && it.cards.len() == 1),
            ("empty pile", empty_pile(), |it| it.seen.as_ref().is_some_and(|seen| seen.pile == 0)),
            ("zeros", zeros(), |it| it.your_moves.contains(&0) && it.other_moves.contains(&0)),
            ("long", long(), |it| it.your_moves.len() + it.other_moves.len() >= 14),
        ];
        let mut asked = std::collections::BTreeSet::new();
        for (kind, questions, is_of_it) in table {
            for question in questions {
                let query = question.query();
                assert!(is_of_it(&question), "{kind}: {query}");
                assert!(can_be(&question), "{kind}: {query}");
                assert!(asked.insert(query.clone()), "{kind}: {query} is asked twice");
            }
        }
    }
}
