//! R-6.2, R-6.3, R-6.7: what the AI plays is legal, whatever it holds and whatever was played before.
//!
//! ```text
//! distance 4, cards 1 4 4   [1] [1,…] [4] [4,4] are legal; [5], [4,4,4], [] and [2] lose the duel
//! ```

use super::AiTalk;
use super::positions::{at, mirrored, reached, told};
use super::strength::duel;
use super::yardstick::Yardstick;
use crate::suite::case::{Case, Done, Level};
use futures_util::FutureExt;
use gm_core::arena::duel::{Plays, Reason};

const ILLEGAL: &str = "the duel, each time (R-6.3)";

/// How many weapons both have in a duel that is played to its end.
const WEAPONS: [u32; 3] = [3, 5, 8];

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
            check: |talk| far(talk).boxed(),
        },
        Case {
            id: "R-6.2.2",
            requirement: "R-6.2",
            title: "near by, what it plays is legal: it attacks with cards of the distance, or moves by less",
            level: Level::Must,
            needs: &["R-6.2.1"],
            hint: "distance = 22 − sum(yourmoves) − sum(othermoves); attack only with cards that you hold, all equal to it",
            costs: ILLEGAL,
            check: |talk| near(talk).boxed(),
        },
        Case {
            id: "R-6.2.3",
            requirement: "R-6.2",
            title: "where no attack is possible, it moves",
            level: Level::Must,
            needs: &["R-6.2.2"],
            hint: "without a card of the distance, and of what a step would leave, play a card below the distance",
            costs: ILLEGAL,
            check: |talk| no_attack(talk).boxed(),
        },
        Case {
            id: "R-6.2.4",
            requirement: "R-6.2",
            title: "with one legal play left, it makes it",
            level: Level::Must,
            needs: &["R-6.2.2"],
            hint: "an empty list is illegal: whoever is asked has a legal play (R-6.6)",
            costs: ILLEGAL,
            check: |talk| forced(talk).boxed(),
        },
        Case {
            id: "R-6.2.5",
            requirement: "R-6.2",
            title: "it plays with 2 to 12 cards",
            level: Level::Must,
            needs: &["R-6.2.2"],
            hint: "a car has as many cards as weapons, which may be more than 5; look at your loops and at their time",
            costs: "the duel, when the car has that many weapons",
            check: |talk| any_hand(talk).boxed(),
        },
        Case {
            id: "R-6.2.6",
            requirement: "R-6.2",
            title: "it plays its last card",
            level: Level::Must,
            needs: &["R-6.2.2"],
            hint: "a car with one weapon has one card, at all distances",
            costs: "the duel, when the car has one weapon",
            check: |talk| last_card(talk).boxed(),
        },
        Case {
            id: "R-6.7.1",
            requirement: "R-6.7",
            title: "a 0 among the moves is a card of an attack or parry, and moves nobody",
            level: Level::Must,
            needs: &["R-6.2.2"],
            hint: "sum the moves as they are: a 0 adds nothing to the way",
            costs: "most duels, from the first attack on",
            check: |talk| zeros(talk).boxed(),
        },
        Case {
            id: "R-6.7.2",
            requirement: "R-6.7",
            title: "long histories are read",
            level: Level::Must,
            needs: &["R-6.2.2"],
            hint: "a duel may have more than twenty cards on the table",
            costs: "long duels",
            check: |talk| long(talk).boxed(),
        },
    ]
}

/// Many positions, and whole duels.
pub(super) fn at_length() -> Vec<Case<AiTalk>> {
    const ALL: &[&str] = &["R-6.2.3", "R-6.2.4", "R-6.2.5", "R-6.2.6", "R-6.7.1", "R-6.7.2", "A-1.6"];
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

async fn far(talk: &mut AiTalk) -> Done {
    for distance in 11..=22 {
        for cards in [&[1, 2, 3, 4, 5][..], &[2, 4], &[5, 5, 3]] {
            talk.plays(&at(distance, cards, 4)).await?;
        }
    }
    Ok(())
}

async fn near(talk: &mut AiTalk) -> Done {
    for distance in 1..=10_u8 {
        let direct = distance.min(5);
        for cards in [vec![1, 2, 3, 4, 5], vec![direct, direct, 1, 2], vec![direct, 5, 5, 4, 3]] {
            if can_attack(&cards, distance) {
                talk.plays(&at(distance, &cards, 3)).await?;
            }
        }
    }
    Ok(())
}

/// Whether an attack, direct or indirect, is legal.
fn can_attack(cards: &[u8], distance: u8) -> bool {
    let hand = cards.iter().copied().filter_map(gm_core::arena::duel::Card::of).collect();
    Plays::of(&hand, distance).iter().any(|play| play.attack().is_some())
}

async fn no_attack(talk: &mut AiTalk) -> Done {
    for (distance, cards) in [
        (5, &[1, 2, 2][..]),
        (4, &[2, 1, 1]),
        (10, &[4, 3, 4]),
        (9, &[1, 2, 3]),
        (7, &[1, 3, 1]),
        (3, &[2, 5]),
    ] {
        if !can_attack(cards, distance) {
            talk.plays(&at(distance, cards, 3)).await?;
        }
    }
    Ok(())
}

async fn forced(talk: &mut AiTalk) -> Done {
    for (distance, cards) in
        [(1, &[1, 4, 5][..]), (2, &[1, 5, 4]), (3, &[2, 4, 5]), (4, &[4, 5, 5]), (5, &[5, 5])]
    {
        talk.plays(&at(distance, cards, 3)).await?;
    }
    Ok(())
}

async fn any_hand(talk: &mut AiTalk) -> Done {
    for size in 2..=12_u8 {
        let cards: Vec<u8> = (0..size).map(|n| 1 + n % 5).collect();
        for distance in [22, 8, 3] {
            talk.plays(&at(distance, &cards, 3)).await?;
        }
    }
    Ok(())
}

async fn last_card(talk: &mut AiTalk) -> Done {
    for card in 1..=5 {
        for distance in [card, card + 1, 12] {
            talk.plays(&at(distance, &[card], 1)).await?;
        }
    }
    Ok(())
}

async fn zeros(talk: &mut AiTalk) -> Done {
    for (yours, others, cards) in [
        (vec![5, 5, 0], vec![5, 3, 0], &[4, 4, 1, 2][..]),
        (vec![4, 0, 5], vec![0, 5, 4], &[1, 3, 4, 5]),
        (vec![0, 0], vec![5, 0], &[1, 2, 5]),
        (vec![5, 5, 5, 0], vec![5, 0], &[1, 2, 2]),
    ] {
        talk.plays(&told(yours, others, cards, 3)).await?;
    }
    Ok(())
}

async fn long(talk: &mut AiTalk) -> Done {
    for (yours, others) in [(vec![1; 9], vec![1; 9]), (vec![1, 1, 2, 1, 1, 2, 1, 1, 2], vec![1; 8])] {
        for cards in [&[1, 2, 3, 4][..], &[1, 1, 2]] {
            talk.plays(&told(yours.clone(), others.clone(), cards, 4)).await?;
        }
    }
    Ok(())
}

async fn everywhere(talk: &mut AiTalk) -> Done {
    let (seed, positions) = (talk.settings().seed, talk.settings().positions);
    let questions = reached(seed, positions);
    let mut first = None;
    let mut illegal = 0;
    for question in &questions {
        if let Err(stopped) = talk.plays(question).await {
            illegal += 1;
            first = first.or(Some(stopped));
        }
    }
    match first {
        None => Ok(()),
        Some(crate::suite::case::Stopped::Broken(mut failure)) => {
            failure.found =
                format!("{} (in {illegal} of {} positions, seed {seed})", failure.found, questions.len());
            Err(failure.into())
        }
        Some(skipped) => Err(skipped),
    }
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
                    return Err(talk.failure(expected, format!("{:?}", played.reason)).into());
                }
            }
        }
    }
    Ok(())
}
