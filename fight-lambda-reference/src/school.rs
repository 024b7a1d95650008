//! Where the network of the search AI is taught: by duels against itself, and some against weaker AIs.
//!
//! In each duel both play what the network judges best, but for some chance, so that other plays are tried too. When the
//! duel is over, each play is judged anew, from the last to the first: it was worth what the next one looked like, and
//! partly what came of the duel (temporal differences, TD(λ)). The rows of the table that led to the old judgement are
//! moved a little towards the new one. In some duels one side is [`Greedy`], somebody of its kind, or [`Careful`],
//! from whom it learns how to beat those who play like that.
//!
//! All is done in one thread and by dice with a seed: the same lesson gives the same network.
//!
//! ```text
//! $ cargo run --release -p fight-lambda-reference --example teach -- \
//!       --out fight-lambda-reference/src/search/taught.bin
//! ```

use crate::search::cards::{ALL, Counts};
use crate::search::dice::Dice;
use crate::search::net::{Facts, Net, ROWS, WIDTH};
use crate::search::policy::exp;
use crate::search::view::{DRAW, Deed, Deeds, Habits, View};
use crate::{Ai, Careful, Greedy};
use gm_core::arena::duel::{Board, Card, DECK, Duel, Side};
use gm_core::arena::{Game, Reply};

/// What is to be learnt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lesson {
    /// How many duels.
    pub duels: u64,
    /// The seed of all dice.
    pub seed: u64,
}

/// How much of the error is corrected at the first duel, and at the last; in between it falls as a parabola.
const RATES: [f32; 2] = [0.02, 0.000_5];

/// How much slower the weights of the columns learn than the rows, of which each play sees but a few.
const WEIGHTS_RATE: f32 = 0.3;

/// How much of what came of the duel counts against what the next play looked like.
const LAMBDA: f32 = 0.7;

/// The chance that any play is made, at the first duel and at the last.
const WHIMS: [f32; 2] = [0.05, 0.01];

/// How much worse a play may look that is still made a third as often, at the first duel and at the last.
const WARMTHS: [f32; 2] = [0.06, 0.01];

/// How many of a hundred duels are against each of the foes.
const FOES_PERCENT: [(Foe, u32); 4] = [(Foe::Greedy, 10), (Foe::Fickle, 6), (Foe::Shy, 6), (Foe::Careful, 5)];

/// A network that learns.
#[derive(Debug, Clone)]
pub struct Pupil {
    net: Net,
    dice: Dice,
    lesson: Lesson,
    taught: u64,
}

impl Pupil {
    /// One who knows nothing.
    #[must_use]
    pub fn new(lesson: Lesson) -> Pupil {
        let mut dice = Dice::new(lesson.seed);
        let mut near_zero = |width: f32| (dice.unit() - 0.5) * width;
        let rows = (0..ROWS).map(|_| std::array::from_fn(|_| near_zero(0.1))).collect();
        let net = Net { rows, weights: std::array::from_fn(|_| near_zero(0.5)), bias: 0.0 };
        Pupil { net, dice, lesson, taught: 0 }
    }

    /// How many duels it has learnt from.
    #[must_use]
    pub const fn taught(&self) -> u64 {
        self.taught
    }

    /// Learns from up to so many more duels, as far as the lesson goes. Whether there is more to learn.
    pub fn learn(&mut self, duels: u64) -> bool {
        for _ in 0..duels.min(self.lesson.duels - self.taught) {
            self.duel();
            self.taught += 1;
        }
        self.taught < self.lesson.duels
    }

    /// What it has learnt, as the file that this crate is built with.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.net.to_bytes()
    }

    /// How much of the lesson is still to come: from 1 down to 0.
    fn to_come(&self) -> f32 {
        1.0 - self.taught as f32 / self.lesson.duels as f32
    }

    /// Plays a duel and learns from it.
    fn duel(&mut self) {
        let to_come = self.to_come();
        let between = |[first, last]: [f32; 2], part: f32| last + (first - last) * part;
        let (whim, warmth) = (between(WHIMS, to_come), between(WARMTHS, to_come));
        let weapons = self.weapons();
        let mut percent = self.dice.below(100);
        let foe = FOES_PERCENT.into_iter().find_map(|(foe, of_these)| {
            let is_it = percent < of_these;
            percent = percent.saturating_sub(of_these);
            is_it.then_some(foe)
        });
        let mut table = Table::deal(&mut self.dice, weapons);
        let mut thoughts = [Vec::with_capacity(16), Vec::with_capacity(16)];
        while let Some(side) = table.duel.board().in_turn() {
            let view = table.view(side);
            let deeds = Deeds::of(&view.hand, view.distance);
            let deed = match foe {
                // The deal is as good for one side as for the other.
                Some(foe) if side == Side::Black => foe.deed(&view, &deeds, &table, side, &mut self.dice),
                _ => {
                    let (deed, thought) = self.consider(&view, &deeds, whim, warmth);
                    thoughts[side.index()].push(thought);
                    deed
                }
            };
            table.play(side, deed);
        }
        let rate = between(RATES, to_come * to_come);
        for side in Side::BOTH {
            let score = match table.duel.board().outcome().and_then(|outcome| outcome.winner) {
                Some(winner) => f32::from(u8::from(winner == side)),
                None => DRAW,
            };
            self.judge_anew(&thoughts[side.index()], score, rate);
        }
    }

    /// How many weapons white and black have: mostly as many, and as many as cars and pirates have.
    fn weapons(&mut self) -> [u32; 2] {
        let mut up_to = |most| 1 + self.dice.below(most);
        match up_to(10) {
            1..=5 => [up_to(10); 2],
            6 | 7 => [up_to(10), up_to(8)],
            8 | 9 => [up_to(8), up_to(10)],
            _ => [up_to(13), up_to(13)],
        }
    }

    /// Judges all deeds and picks one.
    fn consider(&mut self, view: &View, deeds: &[Deed], whim: f32, warmth: f32) -> (Deed, Thought) {
        let mut judged = [None; Deeds::MOST];
        let mut values = [0.0_f32; Deeds::MOST];
        let mut best = 0;
        for (at, &deed) in deeds.iter().enumerate() {
            let facts = Facts::of(view, deed);
            let sum = self.net.sum(&facts);
            values[at] = if facts.hit >= 1.0 { 1.0 } else { self.net.value_of(&sum) };
            judged[at] = Some((facts, sum));
            if values[at] > values[best] {
                best = at;
            }
        }
        let values = &values[..deeds.len()];
        let pick = if self.dice.unit() < whim {
            self.dice.below(deeds.len() as u32) as usize
        } else {
            let chances = values.iter().map(|value| exp((value - values[best]) / warmth));
            let mut left = self.dice.unit() * chances.clone().sum::<f32>();
            let passed = |chance: f32| {
                left -= chance;
                left <= 0.0
            };
            chances.map(passed).position(|here| here).unwrap_or(best)
        };
        let (facts, sum) = judged[pick].expect("each deed was judged");
        (deeds[pick], Thought { facts, sum, value: values[pick], best: values[best] })
    }

    /// Corrects what was thought of the plays of one side, now that the score is known.
    fn judge_anew(&mut self, thoughts: &[Thought], score: f32, rate: f32) {
        let mut target = score;
        for thought in thoughts.iter().rev() {
            if thought.facts.hit < 1.0 {
                self.correct(thought, (target - thought.value) * rate);
            }
            // What came of a play that did not look best says nothing about those before it.
            let on_a_whim = thought.value < thought.best - 1e-6;
            target = if on_a_whim { thought.best } else { LAMBDA * target + (1.0 - LAMBDA) * thought.best };
        }
    }

    fn correct(&mut self, thought: &Thought, by: f32) {
        let Thought { facts, sum, .. } = thought;
        let mut slopes = [0.0; WIDTH];
        for column in 0..WIDTH {
            if sum[column] > 0.0 {
                slopes[column] = by * self.net.weights[column];
                self.net.weights[column] += WEIGHTS_RATE * by * sum[column];
            }
        }
        self.net.bias += WEIGHTS_RATE * by;
        for &row in &facts.rows {
            for (weight, slope) in self.net.rows[usize::from(row)].iter_mut().zip(slopes) {
                *weight += slope;
            }
        }
        for (weight, slope) in self.net.rows[Facts::HIT].iter_mut().zip(slopes) {
            *weight += slope * facts.hit;
        }
    }
}

/// What was thought of a play when it was made.
#[derive(Debug, Clone, Copy)]
struct Thought {
    facts: Facts,
    sum: [f32; WIDTH],
    value: f32,
    /// What the play was worth that looked best.
    best: f32,
}

/// Whom it also plays against: the greedy are many, and not all alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Foe {
    /// [`Greedy`].
    Greedy,
    /// The same, but of what it values alike it does anything.
    Fickle,
    /// The same, but if it can't attack it stays more than 10 away for as long as it can.
    Shy,
    /// [`Careful`].
    Careful,
}

impl Foe {
    /// What it does, who is in turn on that side and may do one of these.
    fn deed(self, view: &View, deeds: &[Deed], table: &Table, side: Side, dice: &mut Dice) -> Deed {
        if self == Foe::Careful {
            let cards = Careful.play(&table.duel.question(side));
            let played = |deed: &&Deed| deed.play(view.distance).is_some_and(|play| play.cards() == cards);
            return *deeds.iter().find(played).expect("the AIs of this crate play by the rules");
        }
        let stays_away = |deed: &&Deed| deed.attackers == 0 && view.distance - deed.step > 10;
        let away: Deeds = deeds.iter().filter(stays_away).copied().collect();
        let deeds = if self == Foe::Shy && !away.is_empty() { &away } else { deeds };
        let [_, unseen @ ..] = view.unseen.map(i32::from);
        let best = Greedy::best(deeds, &view.hand, unseen, view.other, view.distance);
        let pick = if self == Foe::Fickle { dice.below(best.len() as u32) as usize } else { best.len() - 1 };
        best[pick]
    }
}

/// A duel, and what both have seen of it, counted as it is played.
pub(crate) struct Table {
    pub(crate) duel: Duel,
    laid: Counts,
    habits: [Habits; 2],
}

impl Table {
    pub(crate) fn deal(dice: &mut Dice, weapons: [u32; 2]) -> Table {
        let mut pile = DECK;
        for last in (1..pile.len()).rev() {
            pile.swap(last, dice.below(last as u32 + 1) as usize);
        }
        let first = if dice.below(2) == 0 { Side::White } else { Side::Black };
        let duel = Duel::from_board(Board::deal(pile, first, weapons, None), first);
        Table { duel, laid: [0; 6], habits: [Habits::default(); 2] }
    }

    pub(crate) fn hand(&self, side: Side) -> Counts {
        let hand = self.duel.board().hand(side);
        let mut counts = [0; 6];
        Card::ALL.into_iter().for_each(|card| counts[usize::from(card.value())] = hand.count(card));
        counts
    }

    pub(crate) fn view(&self, side: Side) -> View {
        let board = self.duel.board();
        let hand = self.hand(side);
        let mut unseen = ALL;
        for value in 1..=5 {
            unseen[value] -= self.laid[value] + hand[value];
        }
        let other = side.other();
        View {
            hand,
            unseen,
            distance: board.distance(),
            other: board.hand(other).total(),
            size: board.hand_size(side),
            other_size: board.hand_size(other),
            pile: board.pile().len() as u8,
            habits: self.habits[other.index()],
        }
    }

    pub(crate) fn play(&mut self, side: Side, deed: Deed) {
        let play = deed.play(self.duel.board().distance()).expect("deeds are plays");
        self.duel.board().check(play).expect("deeds are legal plays");
        self.duel.apply(&[(side.seat(), Reply::Move(play.cards()))]);
        self.laid[usize::from(deed.step)] += u8::from(deed.step > 0);
        if let Some((with, cards)) = play.attack() {
            self.laid[usize::from(with.value())] += 2 * cards;
        }
        self.habits[side.index()] = self.habits[side.index()].after(deed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::past::Past;

    /// A short lesson is enough to beat one who has learnt nothing, and the same lesson gives the same network.
    #[test]
    fn what_is_learnt_is_worth_something() {
        let lesson = Lesson { duels: 6_000, seed: 4 };
        let taught = || {
            let mut pupil = Pupil::new(lesson);
            while pupil.learn(1_000) {}
            assert_eq!(pupil.taught(), lesson.duels);
            pupil
        };
        let pupil = taught();
        assert!(pupil.to_bytes() == taught().to_bytes(), "the same lesson gave another network");
        let mut dice = Dice::new(9);
        let nets = [pupil.net, Pupil::new(lesson).net];
        let mut won = 0;
        for _ in 0..1_000 {
            let mut table = Table::deal(&mut dice, [5, 5]);
            while let Some(side) = table.duel.board().in_turn() {
                let view = table.view(side);
                let net = &nets[side.index()];
                let deeds = Deeds::of(&view.hand, view.distance);
                let best = deeds
                    .iter()
                    .max_by(|one, other| net.value(&view, **one).total_cmp(&net.value(&view, **other)));
                table.play(side, *best.expect("a legal play"));
            }
            won += u32::from(
                table.duel.board().outcome().is_some_and(|outcome| outcome.winner == Some(Side::White)),
            );
        }
        assert!(won > 600, "{won} of 1000");
    }

    /// What the pupil is shown in its lessons is what the AI reads out of a question.
    #[test]
    fn a_4_lessons_are_about_what_is_asked() {
        let mut dice = Dice::new(2);
        for _ in 0..500 {
            let weapons = [1 + dice.below(10), 1 + dice.below(10)];
            let mut table = Table::deal(&mut dice, weapons);
            while let Some(side) = table.duel.board().in_turn() {
                let past = Past::read(&table.duel.question(side)).expect("a position");
                assert_eq!(past.view, table.view(side));
                let deeds = Deeds::of(&past.view.hand, past.view.distance);
                table.play(side, deeds[dice.below(deeds.len() as u32) as usize]);
            }
        }
    }
}
