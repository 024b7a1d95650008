//! The AIs in duels: always legal, and each level stronger than the one below it.

mod asked;

use fight_lambda_reference::{Ai, Budget, Mind};
use futures_util::FutureExt;
use gm_core::arena::duel::{Duel, Outcome, Reason, Side};
use gm_core::arena::{Game, NoClock, Player, Reply, play};
use gm_core::contract::{DuelQuestion, Fault};
use gm_core::ids::{CarId, TurnNo};
use gm_core::ports::PirateMind;
use gm_core::random::{Purpose, Seed, Stream};
use std::convert::Infallible;

/// An AI that plays in process, as the pirates do.
struct InProcess(Box<dyn Ai>);

impl Player<Duel> for InProcess {
    async fn ask(&mut self, question: &DuelQuestion) -> Result<Vec<u8>, Fault> {
        Ok(self.0.play(question))
    }
    async fn notify(&mut self, notice: &Infallible) {
        match *notice {}
    }
}

fn stream(seed: u64) -> Stream {
    Seed(seed).stream(TurnNo(1), Purpose::Duel, CarId(1))
}

fn duel(seed: u64, weapons: [u32; 2], minds: [Mind; 2]) -> (Outcome, Duel) {
    let mut duel = Duel::deal(&mut stream(seed), weapons, None);
    let mut players = minds.map(|mind| InProcess(mind.wake(seed)));
    let played = play(&mut duel, &mut players, &mut NoClock)
        .now_or_never()
        .expect("AIs in process never wait")
        .expect("a duel ends");
    (played.outcome, duel)
}

/// Each deal is played twice, with the seats changed. Gives won, drawn and lost of the first mind.
fn against(mind: Mind, other: Mind, deals: u64, weapons: u32) -> [u32; 3] {
    let mut sums = [0; 3];
    for seed in 0..deals {
        for side in Side::BOTH {
            let mut minds = [other; 2];
            minds[side.index()] = mind;
            let (outcome, _) = duel(seed, [weapons; 2], minds);
            let sum = match outcome.winner {
                Some(winner) if winner == side => 0,
                None => 1,
                Some(_) => 2,
            };
            sums[sum] += 1;
        }
    }
    sums
}

/// The bounds are far below what the AI does: see the lines printed.
#[test]
fn the_careful_ai_beats_chance_clearly() {
    for (weapons, at_least) in [(3, 1_100), (5, 1_300), (8, 1_400)] {
        let [won, drawn, lost] = against(Mind::Careful, Mind::Random, 1_000, weapons);
        println!("{weapons} weapons each: {won} won, {drawn} drawn, {lost} lost of 2000");
        assert!(won >= at_least, "{weapons} weapons each: {won} won, {drawn} drawn, {lost} lost of 2000");
    }
}

/// Each level scores better than the one below it, at all sizes of hands taken together: by more than chance in so many
/// duels. See the lines printed for how much it is.
#[test]
fn the_levels_are_named_weakest_first() {
    for pair in Mind::ALL.windows(2) {
        // Search thinks a hundred times as long as the others.
        let deals = if pair[1] == Mind::Search { 100 } else { 500 };
        let mut score = 0.0;
        for weapons in [3, 5, 8] {
            let [won, drawn, lost] = against(pair[1], pair[0], deals, weapons);
            println!("{} against {}, {weapons} weapons: {won}:{drawn}:{lost}", pair[1], pair[0]);
            score += f64::from(won) + f64::from(drawn) / 2.0;
        }
        let duels = deals as f64 * 6.0;
        assert!(score > 0.54 * duels, "{} against {}: {score} of {duels}", pair[1], pair[0]);
    }
}

#[test]
fn r_10_5_the_same_seed_gives_the_same_duel() {
    for seed in 0..50 {
        let minds = [Mind::Careful, Mind::Random];
        assert_eq!(duel(seed, [5, 6], minds), duel(seed, [5, 6], minds), "seed {seed}");
    }
}

#[test]
fn r_5_1_the_minds_of_the_pirates() {
    assert_eq!(PirateMind::ALL.map(Mind::from), Mind::ALL);
    assert_eq!(PirateMind::ALL.map(PirateMind::name), Mind::ALL.map(Mind::name));
    assert_eq!(Mind::from(PirateMind::default()), Mind::default());
}

/// Plays a duel at random up to some turn. `None` if it is over by then.
fn position(dice: &mut Stream) -> Option<(Duel, Side)> {
    let weapons = [dice.between(1, 10), dice.between(1, 10)];
    let mut duel = Duel::deal(dice, weapons, None);
    for _ in 0..dice.below(10) {
        let side = duel.board().in_turn()?;
        let cards = dice.pick(&duel.board().plays())?.cards();
        duel.apply(&[(side.seat(), Reply::Move(cards))]);
    }
    let side = duel.board().in_turn()?;
    Some((duel, side))
}

/// With time for some of what it thinks of; `tests/search.rs` gives it all.
const BRIEFLY: Budget = Budget::Iterations(500);

#[test]
fn r_6_2_no_ai_ever_plays_an_illegal_card() {
    const POSITIONS: u32 = 20_000;
    const MAX_TRIES: u32 = 200_000;
    let seed = 1;
    let mut dice = stream(seed);
    let mut left = POSITIONS;
    for number in 0..MAX_TRIES {
        let Some((duel, side)) = position(&mut dice) else { continue };
        let question = duel.question(side);
        let bare = DuelQuestion { seen: None, ..question.clone() };
        for mind in Mind::ALL {
            for question in [&question, &bare] {
                let cards = mind.wake_within(dice.bits(), BRIEFLY).play(question);
                assert_eq!(
                    duel.check(side.seat(), &cards),
                    Ok(()),
                    "seed {seed}, position {number}: {mind:?} plays {cards:?} when asked {}",
                    question.query()
                );
            }
        }
        left -= 1;
        if left == 0 {
            return;
        }
    }
    panic!("only {} positions in {MAX_TRIES} tries", POSITIONS - left);
}

/// Questions and headers that no referee would send: whatever is told, what is played is legal, or nothing.
#[test]
fn a_1_questions_that_can_t_be() {
    let seed = 2;
    let mut dice = stream(seed);
    for number in 0..20_000 {
        let question = asked::that_cant_be(&mut dice, 5, 8, 300);
        for mind in Mind::ALL {
            let cards = mind.wake_within(1, BRIEFLY).play(&question);
            let legal = asked::is_legal(&cards, &question);
            assert!(legal || cards.is_empty(), "seed {seed}, question {number}: {mind:?} plays {cards:?}");
        }
    }
}

/// No duel between AIs of this crate ends by an illegal move.
#[test]
fn r_6_3_no_duel_is_lost_by_an_illegal_move() {
    for seed in 0..1_000 {
        let (outcome, _) = duel(seed, [4, 6], [Mind::Careful, Mind::Random]);
        assert!(!matches!(outcome.reason, Reason::Illegal(_) | Reason::Fault(_)), "seed {seed}: {outcome}");
    }
}
