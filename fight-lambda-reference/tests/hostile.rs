//! The search AI when it is asked by who means harm: headers that lie, hands of every size, budgets without measure.

use fight_lambda_reference::{Ai, Budget, Mind, Search, Weighed};
use gm_core::arena::duel::{Card, Duel, Hand, Play, Plays};
use gm_core::arena::{Game, Reply};
use gm_core::contract::{DuelQuestion, Seen, SeenTurn};
use gm_core::ids::{CarId, TurnNo};
use gm_core::random::{Purpose, Seed, Stream};
use std::time::Duration;

fn stream(seed: u64) -> Stream {
    Seed(seed).stream(TurnNo(3), Purpose::Duel, CarId(1))
}

/// The questions of duels that are played at random with 1 to 25 cards each, as many as asked for. Attacks come more
/// often than among all plays, so that many are parried.
fn positions(seed: u64, most: usize, mut ask: impl FnMut(&DuelQuestion, &mut Stream)) {
    let mut asked = 0;
    for deal in seed.. {
        let mut dice = stream(deal);
        let weapons = [dice.between(1, 25), dice.between(1, 25)];
        let mut duel = Duel::deal(&mut dice, weapons, None);
        while let Some(side) = duel.board().in_turn() {
            ask(&duel.question(side), &mut dice);
            asked += 1;
            if asked == most {
                return;
            }
            let plays = duel.board().plays();
            let single: Vec<Play> =
                plays.iter().copied().filter(|it| it.attack().is_some_and(|(_, n)| n == 1)).collect();
            let list = if single.is_empty() || dice.percent(50) { &plays[..] } else { &single[..] };
            let play = *dice.pick(list).expect("who is in turn has a play");
            duel.apply(&[(side.seat(), Reply::Move(play.cards()))]);
        }
    }
}

fn hand(question: &DuelQuestion) -> Hand {
    question.cards.iter().copied().filter_map(Card::of).collect()
}

/// What [`Ai::weigh`] promises.
#[track_caller]
fn check(weighed: &[Weighed], question: &DuelQuestion) {
    let plays = question.distance().map(|distance| Plays::of(&hand(question), distance));
    let plays = plays.as_deref().unwrap_or_default();
    assert!(weighed.iter().all(|it| plays.contains(&it.play)), "{weighed:?} to {question:?}");
    assert_eq!(weighed.is_empty(), plays.is_empty(), "{weighed:?} to {question:?}");
    assert!(weighed.iter().all(|it| (0.0..=1.0).contains(&it.value)), "{weighed:?} to {question:?}");
    let others = weighed.get(1..).unwrap_or_default();
    assert!(others.is_sorted_by(|one, next| one.value >= next.value), "{weighed:?} to {question:?}");
}

/// A header that is true, true but for something, or a lie.
fn header(question: &DuelQuestion, dice: &mut Stream) -> Option<Seen> {
    let mut seen = question.seen.clone().unwrap_or_default();
    let any = dice.below(256) as u8;
    let small = dice.below(27) as u8;
    let at = dice.below(seen.turns.len().max(1) as u32) as usize;
    match dice.below(14) {
        0 => {}
        1 => return None,
        2 => seen.hand_size = small,
        3 => seen.other_hand_size = small,
        4 => (seen.hand_size, seen.other_hand_size) = (any, small),
        5 => seen.pile = small,
        6 => seen.pile = any,
        7 => seen.turns.truncate(at),
        8 => seen.turns.reverse(),
        9 => seen.turns.iter_mut().for_each(|turn| turn.you = !turn.you),
        10 => seen.turns.iter_mut().for_each(|turn| turn.parried = None),
        11 => {
            let attack = (0..dice.below(8)).map(|_| dice.below(8) as u8).collect();
            let parried = dice.percent(50).then(|| dice.percent(50));
            let step = dice.percent(50).then(|| dice.below(256) as u8);
            seen.turns.insert(at, SeenTurn { you: dice.percent(50), step, attack, parried });
        }
        12 => {
            if let Some(turn) = seen.turns.get_mut(at) {
                turn.step = Some(0);
            }
        }
        _ => seen = Seen { distance: any, ..Seen::default() },
    }
    Some(seen)
}

#[test]
fn whatever_the_header_says_all_minds_play_by_the_rules() {
    let seed = 1_000;
    println!("seed {seed}");
    positions(seed, 40_000, |question, dice| {
        let seen = header(question, dice);
        let mut question = DuelQuestion { seen, ..question.clone() };
        match dice.below(12) {
            0 => question.other_cards = dice.below(256) as u8,
            1 => question.cards.push(1 + dice.below(5) as u8),
            2 => question.cards.truncate(dice.below(4) as usize),
            3 => question.your_moves.push(0),
            4 => question.other_moves.insert(0, 0),
            _ => {}
        }
        let budget = match dice.below(20) {
            0 => Budget::Iterations(0),
            1 => Budget::Iterations(20_000),
            2 => Budget::Time(Duration::ZERO),
            3 => Budget::Time(Duration::from_millis(1)),
            _ => Budget::Iterations(1 + dice.below(600)),
        };
        check(&Search::new(dice.bits(), budget).weigh(&question), &question);
        check(&Mind::Careful.wake(1).weigh(&question), &question);
        for mind in [Mind::Random, Mind::Greedy] {
            let cards = mind.wake(1).play(&question);
            let legal = question.distance().map(|distance| {
                let hand = hand(&question);
                let checked = Play::parse(&cards, distance).and_then(|it| it.check(&hand, distance));
                checked.is_ok() || (cards.is_empty() && Plays::of(&hand, distance).is_empty())
            });
            assert!(legal.unwrap_or(cards.is_empty()), "{mind}: {cards:?} to {question:?}");
        }
    });
}

#[test]
fn any_time_can_be_said() {
    positions(5_000, 30, |question, _| {
        for secs in [1_000_000_000, u64::MAX / 50, u64::MAX / 4, u64::MAX] {
            check(&Search::new(1, Budget::Time(Duration::from_secs(secs))).weigh(question), question);
        }
        check(&Search::new(1, Budget::Iterations(u32::MAX)).weigh(question), question);
    });
}
