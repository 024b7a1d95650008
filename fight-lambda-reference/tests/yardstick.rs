//! The yardstick plays legally, whatever it is asked, and better than chance.

mod asked;

use fight_lambda_reference::{Ai, IsMcts, Random};
use gm_core::arena::duel::{Duel, Side};
use gm_core::arena::{Game, Reply};
use gm_core::contract::DuelQuestion;
use gm_core::ids::{CarId, TurnNo};
use gm_core::random::{Purpose, Seed, Stream};

fn stream(seed: u64) -> Stream {
    Seed(seed).stream(TurnNo(2), Purpose::Duel, CarId(1))
}

/// Every position of duels that are played at random, with the header and without it.
#[test]
fn r_6_2_the_yardstick_plays_legally_in_random_positions() {
    let seed = 1;
    let mut dice = stream(seed);
    let mut ai = IsMcts::new(seed, 40);
    for number in 0..400 {
        let weapons = [dice.between(1, 13), dice.between(1, 13)];
        let mut duel = Duel::deal(&mut dice, weapons, None);
        while let Some(side) = duel.board().in_turn() {
            let question = duel.question(side);
            for question in [&question, &DuelQuestion { seen: None, ..question.clone() }] {
                let cards = ai.play(question);
                assert_eq!(
                    duel.check(side.seat(), &cards),
                    Ok(()),
                    "seed {seed}, duel {number}: {cards:?} when asked {}",
                    question.query()
                );
            }
            let cards = dice.pick(&duel.board().plays()).expect("who is in turn can play").cards();
            duel.apply(&[(side.seat(), Reply::Move(cards))]);
        }
    }
}

/// Questions and headers that no referee would send: whatever is told, what is played is legal, or nothing.
#[test]
fn a_1_the_yardstick_bears_questions_that_can_t_be() {
    let seed = 2;
    let mut dice = stream(seed);
    let mut ai = IsMcts::new(seed, 40);
    for number in 0..5_000 {
        let question = asked::that_cant_be(&mut dice, 6, 7, 60);
        let cards = ai.play(&question);
        let legal = asked::is_legal(&cards, &question);
        assert!(legal || cards.is_empty(), "seed {seed}, question {number}: {cards:?} for {question:?}");
    }
}

/// The bound is far below what it does: 0.78.
#[test]
fn the_yardstick_beats_chance_clearly() {
    let (mut halves, duels) = (0, 200);
    for number in 0..duels {
        let mine = Side::BOTH[number % 2];
        let seed = number as u64 / 2;
        let mut duel = Duel::deal(&mut stream(seed), [5, 5], None);
        let (mut ai, mut random) = (IsMcts::new(seed, 100), Random::new(seed));
        while let Some(side) = duel.board().in_turn() {
            let question = duel.question(side);
            let cards = if side == mine { ai.play(&question) } else { random.play(&question) };
            duel.apply(&[(side.seat(), Reply::Move(cards))]);
        }
        halves += match duel.board().outcome().expect("it is over").winner {
            None => 1,
            Some(winner) => 2 * usize::from(winner == mine),
        };
    }
    println!("{halves} halves of {}", 2 * duels);
    assert!(halves > 2 * duels * 7 / 10, "{halves} halves of {}", 2 * duels);
}
