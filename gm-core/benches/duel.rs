//! Duels per second on one core, between two players who make any legal play: on the bare board, and through the
//! match with all that it records. `cargo bench -p gm-core --bench duel`; the throughput is in duels.
#![allow(missing_docs, reason = "criterion's macros write functions without docs")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use futures_util::FutureExt;
use gm_core::arena::duel::board::MAX_TURNS;
use gm_core::arena::duel::{Board, Card, DECK, Duel, Outcome, Pile, Plays, Side};
use gm_core::arena::{NoClock, Player, play};
use gm_core::contract::{DuelQuestion, Fault};
use gm_core::ids::{CarId, TurnNo};
use gm_core::random::{Purpose, Seed};
use std::convert::Infallible;
use std::hint::black_box;

const WEAPONS: [u32; 2] = [5, 5];

/// A small and fast generator (xorshift64*), good enough to measure with.
struct Dice(u64);

impl Dice {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// From 0 to `n − 1`; the skew is below 2^-26 here.
    fn below(&mut self, n: usize) -> usize {
        (((self.bits() >> 32) * n as u64) >> 32) as usize
    }

    fn shuffled(&mut self) -> Pile {
        let mut pile = DECK;
        for last in (1..pile.len()).rev() {
            pile.swap(last, self.below(last + 1));
        }
        pile
    }
}

fn bare(dice: &mut Dice) -> Option<Outcome> {
    let pile = dice.shuffled();
    let first = if dice.bits() >> 63 == 0 { Side::White } else { Side::Black };
    let mut board = Board::deal(pile, first, WEAPONS, None);
    for _ in 0..MAX_TURNS {
        if board.outcome().is_some() {
            break;
        }
        let plays = board.plays();
        let play = plays[dice.below(plays.len())];
        board.play(play).expect("a listed play is legal");
    }
    board.outcome()
}

/// Any legal play, from what an AI is told.
struct Random(Dice);

impl Player<Duel> for Random {
    async fn ask(&mut self, question: &DuelQuestion) -> Result<Vec<u8>, Fault> {
        let hand = question.cards.iter().copied().filter_map(Card::of).collect();
        let plays = Plays::of(&hand, question.distance().ok_or(Fault::NotTheValue)?);
        Ok(plays[self.0.below(plays.len())].cards())
    }
    async fn notify(&mut self, notice: &Infallible) {
        match *notice {}
    }
}

fn duels(c: &mut Criterion) {
    let mut group = c.benchmark_group("duel");
    group.throughput(Throughput::Elements(1));
    group.bench_function("bare", |b| {
        let mut dice = Dice(1);
        b.iter(|| black_box(bare(&mut dice)));
    });
    group.bench_function("shuffle and deal", |b| {
        let mut dice = Dice(1);
        b.iter(|| black_box(Board::deal(dice.shuffled(), Side::White, WEAPONS, None)));
    });
    group.bench_function("match", |b| {
        let mut stream = Seed(1).stream(TurnNo(1), Purpose::Duel, CarId(1));
        let mut players = [Random(Dice(1)), Random(Dice(2))];
        b.iter(|| {
            let mut duel = Duel::deal(&mut stream, WEAPONS, None);
            let played = play(&mut duel, &mut players, &mut NoClock).now_or_never();
            black_box((played, duel))
        });
    });
    group.finish();
}

criterion_group!(benches, duels);
criterion_main!(benches);
