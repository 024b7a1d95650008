//! What holds in every duel, whatever is played (tests only). A failure prints the weapons, the seed and the choices.

use super::board::{Board, MAX_TURNS, Position};
use super::card::{Card, Hand, Pile};
use super::outcome::Side;
use super::play::{Play, Plays};
use super::referee::Duel;
use crate::arena::{Game, Reply};
use crate::ids::{CarId, TurnNo};
use crate::random::{Purpose, Seed};
use proptest::prelude::*;

/// A deal, and which of the legal plays is made in each turn.
#[derive(Debug, Clone)]
struct Choices {
    seed: u64,
    weapons: [u32; 2],
    hand_limit: Option<u32>,
    choices: Vec<usize>,
}

fn choices() -> impl Strategy<Value = Choices> {
    let weapons = prop_oneof![4 => 1u32..=10, 1 => 0u32..=30];
    let hand_limit = proptest::option::weighted(0.2, 0u32..=12);
    (
        any::<u64>(),
        [weapons.clone(), weapons],
        hand_limit,
        proptest::collection::vec(any::<usize>(), MAX_TURNS),
    )
        .prop_map(|(seed, weapons, hand_limit, choices)| Choices { seed, weapons, hand_limit, choices })
}

fn deal(choices: &Choices) -> Duel {
    let mut stream = Seed(choices.seed).stream(TurnNo(1), Purpose::Duel, CarId(1));
    Duel::deal(&mut stream, choices.weapons, choices.hand_limit)
}

/// Plays on by the choices, and shows the duel before each turn and at its end.
fn play_on(choices: &Choices, mut see: impl FnMut(&Duel)) -> Duel {
    let mut duel = deal(choices);
    for &choice in &choices.choices {
        see(&duel);
        let Some(side) = duel.board().in_turn() else { return duel };
        let plays = duel.board().plays();
        let cards = plays[choice % plays.len()].cards();
        assert_eq!(duel.check(side.seat(), &cards), Ok(()));
        duel.apply(&[(side.seat(), Reply::Move(cards))]);
    }
    see(&duel);
    duel
}

/// once more, as simply as it can be said.
fn is_legal(answer: &[u8], hand: &[u8], distance: u8) -> bool {
    let mut left = hand.to_vec();
    for card in answer {
        match left.iter().position(|held| held == card) {
            Some(at) => drop(left.remove(at)),
            None => return false,
        }
    }
    match answer {
        [] => false,
        [first, ..] if *first == distance => answer.iter().all(|&card| card == distance),
        [first] => *first < distance,
        [first, rest @ ..] => *first < distance && rest.iter().all(|&card| card + first == distance),
    }
}

/// Every list of up to three numbers from 0 to 6, and every one that could be a longer attack.
fn answers() -> Vec<Vec<u8>> {
    let mut answers = vec![vec![]];
    for a in 0..=6 {
        answers.push(vec![a]);
        for b in 0..=6 {
            answers.push(vec![a, b]);
            answers.extend((0..=6).map(|c| vec![a, b, c]));
            answers.extend((3..=6).map(|n| [vec![a], vec![b; n]].concat()));
        }
    }
    answers
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn r_6_8_a_duel_ends_within_25_turns(choices in choices()) {
        let duel = play_on(&choices, |_| {});
        prop_assert!(duel.board().outcome().is_some());
        prop_assert!(duel.transcript().turns.len() <= MAX_TURNS);
        prop_assert_eq!(duel.transcript().outcome, duel.board().outcome());
    }

    #[test]
    fn r_6_1_cards_are_conserved(choices in choices()) {
        play_on(&choices, |duel| {
            let mut counts = [0usize; 6];
            let board = duel.board();
            for card in Side::BOTH.iter().flat_map(|&side| board.hand(side).cards()) {
                counts[usize::from(card)] += 1;
            }
            for card in board.pile() {
                counts[usize::from(card.value())] += 1;
            }
            for turn in &duel.transcript().turns {
                for card in turn.step.iter().chain(&turn.attack) {
                    counts[usize::from(*card)] += 1;
                }
                if turn.parried == Some(true) {
                    for card in &turn.attack {
                        counts[usize::from(*card)] += 1;
                    }
                }
            }
            assert_eq!(counts, [0, 5, 5, 5, 5, 5]);
        });
    }

    #[test]
    fn r_6_7_the_distance_is_what_is_told_and_never_below_1(choices in choices()) {
        play_on(&choices, |duel| {
            let distance = duel.board().distance();
            let [white, black] = duel.board().squares();
            assert!(1 <= white && white < black && black <= 23);
            for side in Side::BOTH {
                let told = duel.view(side.seat());
                assert_eq!(told.distance(), Some(distance));
                assert_eq!(told.seen.unwrap().distance, distance);
            }
        });
    }

    /// Nobody holds more than it was dealt, and who is in turn holds just that, or less after a parry.
    #[test]
    fn r_6_5_hands_are_filled_up_to_the_hand_size(choices in choices()) {
        play_on(&choices, |duel| {
            let last = duel.transcript().turns.last();
            for side in Side::BOTH {
                let (held, size) = (duel.board().hand(side).total(), duel.board().hand_size(side));
                let parried = last.is_some_and(|turn| turn.side != side && turn.parried == Some(true));
                assert!(held <= size);
                if duel.board().outcome().is_none() {
                    assert!(held == size || parried);
                }
            }
        });
    }

    /// The cards that a player can't see (the other's hand and the pile) may be exchanged among each other, and the
    /// player is told the same.
    #[test]
    fn r_6_7_hidden_cards_are_not_told(choices in choices(), turns in 0..MAX_TURNS, by in 0usize..25) {
        let choices = Choices { choices: choices.choices[..turns].to_vec(), ..choices };
        let duel = play_on(&choices, |_| {});
        let board = duel.board();
        for side in Side::BOTH {
            let others: Vec<Card> =
                board.hand(side.other()).cards().into_iter().filter_map(Card::of).collect();
            let mut hidden = [others.as_slice(), board.pile()].concat();
            let by = by.min(hidden.len());
            hidden.rotate_left(by);
            let mut hands = [*board.hand(Side::White), *board.hand(Side::Black)];
            hands[side.other().index()] = hidden.iter().take(others.len()).copied().collect::<Hand>();
            let drawn = 25 - board.pile().len();
            let mut pile: Pile = [Card::One; 25];
            pile[drawn..].copy_from_slice(&hidden[others.len()..]);
            let mut swapped = duel.clone();
            swapped.set_board(Board::set_up(Position {
                squares: board.squares(),
                hands,
                hand_sizes: Side::BOTH.map(|side| board.hand_size(side)),
                pile,
                drawn: u8::try_from(drawn).unwrap(),
                turn: side,
            }));
            prop_assert_eq!(swapped.view(side.seat()), duel.view(side.seat()));
        }
    }

    #[test]
    fn r_10_5_the_same_seed_and_answers_give_the_same_duel(choices in choices()) {
        prop_assert_eq!(play_on(&choices, |_| {}), play_on(&choices, |_| {}));
    }

    #[test]
    fn r_6_6_who_is_asked_can_play(choices in choices()) {
        play_on(&choices, |duel| {
            let board = duel.board();
            for side in Side::BOTH {
                let asked = board.in_turn() == Some(side);
                assert!(!asked || !board.plays().is_empty());
            }
            assert_eq!(board.plays().is_empty(), board.outcome().is_some());
        });
    }

    /// The board and the naive reading of agree on every answer, and on the list of legal plays.
    #[test]
    fn r_6_2_what_is_legal(counts in prop::array::uniform5(0u8..=5), distance in 1u8..=22) {
        let hand: Hand =
            Card::ALL.into_iter().flat_map(|card| vec![card; counts[card as usize - 1].into()]).collect();
        let held = hand.cards();
        let mut legal = Vec::new();
        for answer in answers() {
            let parsed = Play::parse(&answer, distance).and_then(|play| play.check(&hand, distance).map(|()| play));
            prop_assert_eq!(parsed.is_ok(), is_legal(&answer, &held, distance), "{:?}", answer);
            if let Ok(play) = parsed {
                prop_assert_eq!(play.cards(), answer.clone());
                legal.push(answer);
            }
        }
        let mut listed: Vec<Vec<u8>> = Plays::of(&hand, distance).iter().map(|play| play.cards()).collect();
        listed.sort();
        legal.sort();
        legal.dedup();
        prop_assert_eq!(listed, legal);
    }
}
