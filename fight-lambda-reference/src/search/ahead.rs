//! Thinks a turn ahead: my play, the cards that I draw, the other's answer with each hand that it may hold, and the best
//! that I can then do, as the network judges it.
//!
//! Nothing is left to chance here: all hands of the other and all cards that I may draw are gone through, each as often
//! as it is likely. If that takes too long, the likeliest are enough.
//!
//! ```text
//! [2]  the other holds {3,3,4} 12 %: it moves by 3 in 80 % … I draw a 1 in 20 %: the best is then worth 0.61
//!                                                          I draw a 3 in 18 %: I can parry …
//! ```

use super::cards::{Counts, choose, hands, total, ways, with, without};
use super::effort::Effort;
use super::guess::Guess;
use super::net::Net;
use super::policy::{self, Policy};
use super::view::{DRAW, Deed, Deeds, Habits, View};

/// How the other is thought to answer.
const POLICY: Policy = Policy { warmth: 0.03, whim: 0.05 };

/// How much of what may happen must have been gone through for a value to be believed.
const ENOUGH: f64 = 0.6;

/// The score to expect of each deed, in their order. `None` if the effort did not suffice.
pub(crate) fn look(
    net: &Net,
    view: &View,
    my_habits: Habits,
    deeds: &[Deed],
    guesses: &[Guess],
    effort: &mut Effort,
) -> Option<Vec<f64>> {
    let mut likeliest_first = guesses.to_vec();
    likeliest_first.sort_by(|one, other| other.chance.total_cmp(&one.chance));
    let mut lines: Vec<Line> = deeds.iter().map(|&deed| Line::new(view, my_habits, deed)).collect();
    let before = effort.share(50);
    let mut answering = before;
    for guess in &likeliest_first {
        let judged: usize = lines.iter_mut().map(|line| line.answer(net, guess)).sum();
        if !answering.spend(judged) {
            break;
        }
    }
    effort.take_off(&before, &answering);
    let mut turns: Vec<(f64, usize, usize)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        turns.extend(
            line.reached.iter().enumerate().filter_map(|(at, &w)| (w > 0.0).then_some((w, index, at))),
        );
    }
    turns.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
    for (weight, index, at) in turns {
        let judged = lines[index].my_turn(net, weight, at);
        if !effort.spend(judged) {
            break;
        }
    }
    lines.iter().map(Line::value).collect()
}

/// One of my plays, and what may come of it.
#[derive(Debug)]
struct Line<'v> {
    view: &'v View,
    my_habits: Habits,
    deed: Deed,
    /// The squares that it leaves.
    left: u8,
    /// My hand before I draw.
    kept: Counts,
    /// How many cards I draw.
    draw: u8,
    /// The cards in the other's hand and in the pile, when an attack has been parried.
    free: Counts,
    /// What I may draw.
    drawn: Vec<Counts>,
    /// How likely it is that the other does this and I have drawn that: by [`Deed::code`], then by `drawn`.
    reached: Vec<f64>,
    /// How much of what may happen has been gone through, as far as the other's answer.
    seen: f64,
    /// How much of it has a value.
    known: f64,
    /// The sum of these values.
    worth: f64,
}

impl<'v> Line<'v> {
    fn new(view: &'v View, my_habits: Habits, deed: Deed) -> Line<'v> {
        let left = view.distance - deed.step;
        let mut free = view.unseen;
        if deed.attackers > 0 {
            free[usize::from(left)] = free[usize::from(left)].saturating_sub(deed.attackers);
        }
        let draw = view.missing(deed);
        let drawn: Vec<Counts> = if draw > view.pile {
            Vec::new()
        } else {
            hands(&free, draw).into_iter().map(|(cards, _)| cards).collect()
        };
        let reached = vec![0.0; Deed::CODES * drawn.len()];
        Line {
            view,
            my_habits,
            deed,
            left,
            kept: view.kept(deed),
            draw,
            free,
            drawn,
            reached,
            seen: 0.0,
            known: 0.0,
            worth: 0.0,
        }
    }

    /// Something that happens as often as `weight` is worth this.
    fn ends(&mut self, weight: f64, score: f64) {
        self.known += weight;
        self.worth += weight * score;
    }

    /// Goes through what the other may do if it holds this hand. How many plays were judged.
    fn answer(&mut self, net: &Net, guess: &Guess) -> usize {
        let weight = guess.chance;
        self.seen += weight;
        let view = self.view;
        let mut hand = guess.hand;
        if self.deed.attackers > 0 {
            let parrying = &mut hand[usize::from(self.left)];
            // R-6.4: hit, or it parries with its last card.
            if *parrying < self.deed.attackers || view.other == self.deed.attackers {
                self.ends(weight, 1.0);
                return 0;
            }
            *parrying -= self.deed.attackers;
        }
        // R-6.5.
        if self.draw > view.pile {
            self.ends(weight, DRAW.into());
            return 0;
        }
        // R-6.6.
        let deeds = Deeds::of(&hand, self.left);
        if deeds.is_empty() {
            self.ends(weight, 1.0);
            return 0;
        }
        let Some(mine_or_pile) = without(&self.free, &hand) else { return 0 };
        let others = View {
            hand,
            unseen: with(&self.kept, &mine_or_pile),
            distance: self.left,
            other: total(&self.kept) + self.draw,
            size: view.other_size,
            other_size: view.size,
            pile: view.pile - self.draw,
            habits: self.my_habits.after(self.deed),
        };
        let mut chances = POLICY.chances(net, &others, &deeds);
        let greedy = guess.greedy as f32;
        for (chance, if_greedy) in chances.iter_mut().zip(policy::greedy(&others, &deeds)) {
            *chance = (1.0 - greedy) * *chance + greedy * if_greedy;
        }
        let all = choose(total(&mine_or_pile), self.draw);
        let count = self.drawn.len();
        for (at, drawn) in self.drawn.iter().enumerate() {
            let chance = weight * ways(&mine_or_pile, drawn) / all;
            if chance > 0.0 {
                for (deed, &likely) in deeds.iter().zip(&chances) {
                    self.reached[deed.code() * count + at] += chance * f64::from(likely);
                }
            }
        }
        deeds.len()
    }

    /// Values what the other did and I have drawn. How many plays were judged.
    fn my_turn(&mut self, net: &Net, weight: f64, at: usize) -> usize {
        let count = self.drawn.len();
        let (deed, drawn) = (Deed::of_code(at / count), self.drawn[at % count]);
        let (score, judged) = self.after(net, deed, &drawn);
        self.ends(weight, score);
        judged
    }

    /// How good it is for me when the other did this, and I have drawn that; and how many plays were judged.
    fn after(&self, net: &Net, deed: Deed, drawn: &Counts) -> (f64, usize) {
        let view = self.view;
        let mut hand = with(&self.kept, drawn);
        let mut unseen = without(&self.free, drawn).unwrap_or_default();
        let left = self.left - deed.step;
        let mut lay = |value: u8, cards: u8| {
            let count = &mut unseen[usize::from(value)];
            *count = count.saturating_sub(cards);
        };
        if deed.step > 0 {
            lay(deed.step, 1);
        }
        if deed.attackers > 0 {
            lay(left, deed.attackers);
            let parrying = &mut hand[usize::from(left)];
            if *parrying < deed.attackers {
                return (0.0, 0);
            }
            *parrying -= deed.attackers;
            if total(&hand) == 0 {
                return (0.0, 0);
            }
        }
        let pile = view.pile - self.draw;
        let kept = (view.other - self.deed.attackers).saturating_sub(deed.cards());
        let missing = view.other_size.saturating_sub(kept);
        if missing > pile {
            return (DRAW.into(), 0);
        }
        let mine = View {
            hand,
            unseen,
            distance: left,
            other: kept + missing,
            size: view.size,
            other_size: view.other_size,
            pile: pile - missing,
            habits: view.habits.after(deed),
        };
        let deeds = Deeds::of(&hand, left);
        // No deed is worth nothing: R-6.6.
        let best = deeds.iter().map(|&deed| net.value(&mine, deed)).fold(0.0, f32::max);
        (best.into(), deeds.len())
    }

    /// The score to expect; `None` if too little was gone through.
    fn value(&self) -> Option<f64> {
        (self.known > ENOUGH * self.seen && self.seen > 0.0).then(|| self.worth / self.known)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cards::{ALL, counted};
    use super::super::dice::Dice;
    use super::super::policy::GREEDY;
    use super::*;
    use crate::Budget;
    use gm_core::arena::duel::{Board, Card, DECK, Position, Side};

    /// Of each deed, its value if all hands of the other are as likely as their cards.
    fn values(view: &View, iterations: u32) -> Option<Vec<(Deed, f64)>> {
        let guess = |(hand, chance)| Guess { hand, chance, greedy: GREEDY };
        let guesses: Vec<Guess> = hands(&view.unseen, view.other).into_iter().map(guess).collect();
        let deeds = Deeds::of(&view.hand, view.distance);
        let mut effort = Effort::of(Budget::Iterations(iterations));
        let values = look(Net::taught(), view, Habits::default(), &deeds, &guesses, &mut effort)?;
        Some(deeds.iter().copied().zip(values).collect())
    }

    fn view(distance: u8, hand: Counts, unseen: Counts, other: u8, pile: u8) -> View {
        let size = total(&hand);
        View { hand, unseen, distance, other, size, other_size: other, pile, habits: Habits::default() }
    }

    #[track_caller]
    fn check(view: &View, step: u8, attackers: u8, expected: f64) {
        let values = values(view, 1_000_000).expect("enough effort");
        let (_, value) = values.iter().find(|(deed, _)| *deed == Deed { step, attackers }).expect("legal");
        assert!((value - expected).abs() < 1e-6, "{value}, not {expected}");
    }

    /// What ends the duel is counted out, not judged.
    #[test]
    fn r_6_4_to_r_6_6_ends_are_exact() {
        // R-6.5: the pile is empty, so that a move is a draw, and an attack a hit or a draw: the other holds both cards
        // that are unseen, or one of them.
        check(&view(4, [0, 1, 0, 0, 1, 0], [0, 0, 1, 0, 1, 0], 2, 0), 1, 0, 0.5);
        check(&view(4, [0, 1, 0, 0, 1, 0], [0, 0, 1, 0, 1, 0], 2, 0), 0, 1, 0.5);
        check(&view(4, [0, 1, 0, 0, 1, 0], [0, 0, 2, 0, 1, 0], 2, 0), 0, 1, 1.0 / 3.0 + 2.0 / 3.0 * 0.5);
        // R-6.4: it parries with its last card.
        check(&view(4, [0, 1, 0, 0, 1, 0], [0, 0, 0, 0, 1, 0], 1, 0), 0, 1, 1.0);
        // R-6.6: 1 apart, the other holds no 1, and one card is left to be drawn.
        check(&view(2, [0, 2, 0, 0, 0, 0], [0, 0, 3, 0, 0, 0], 2, 1), 1, 0, 1.0);
    }

    /// R-6.4, R-6.6: 1 apart, the other holds the last 1 or is stuck; if it holds it, it hits me, who has none left.
    #[test]
    fn the_other_answers_as_its_hand_allows() {
        let view = view(2, [0, 1, 0, 0, 0, 1], [0, 1, 2, 0, 0, 1], 2, 2);
        let values = values(&view, 1_000_000).expect("enough effort");
        let (_, value) = values[0];
        // The 1 is in the other's hand in half of the cases.
        assert!((value - 0.5).abs() < 0.02, "{value}");
    }

    #[test]
    fn with_too_little_effort_it_says_nothing() {
        let view = view(7, [0, 1, 1, 1, 1, 1], [0, 4, 4, 4, 4, 4], 5, 15);
        assert_eq!(values(&view, 1), None);
        let some = values(&view, 40_000).expect("enough effort");
        let all = values(&view, 10_000_000).expect("enough effort");
        for ((deed, some), (_, all)) in some.iter().zip(all) {
            assert!((some - all).abs() < 0.1, "{deed:?}: {some} {all}");
        }
    }

    /// All orders of some cards.
    fn orders(cards: &[u8]) -> Vec<Vec<u8>> {
        if cards.is_empty() {
            return vec![Vec::new()];
        }
        let first = |at: usize| {
            let mut rest = cards.to_vec();
            let card = rest.remove(at);
            orders(&rest).into_iter().map(move |order| [vec![card], order].concat()).collect::<Vec<_>>()
        };
        (0..cards.len()).flat_map(first).collect()
    }

    fn listed(counts: &Counts) -> Vec<u8> {
        (1..=5_u8).flat_map(|value| std::iter::repeat_n(value, counts[usize::from(value)].into())).collect()
    }

    /// What the player in turn knows on a board, if the other had done this in its last turn.
    fn seen_on(board: &Board, last: Habits) -> View {
        let turn = board.in_turn().expect("it goes on");
        let hand = |side| counted(&board.hand(side).cards());
        let pile: Vec<u8> = board.pile().iter().map(|card| card.value()).collect();
        View {
            hand: hand(turn),
            unseen: with(&hand(turn.other()), &counted(&pile)),
            distance: board.distance(),
            other: board.hand(turn.other()).total(),
            size: board.hand_size(turn),
            other_size: board.hand_size(turn.other()),
            pile: pile.len() as u8,
            habits: last,
        }
    }

    /// The same expectation by the referee's board, over all orders of the pile.
    fn by_the_board(view: &View, deed: Deed, others: &Counts, greedy: f64) -> f64 {
        let net = Net::taught();
        let hand = |counts: &Counts| listed(counts).into_iter().filter_map(Card::of).collect();
        let pile = orders(&listed(&without(&view.unseen, others).expect("among the unseen")));
        let score = |board: &Board| {
            board.outcome().map(|outcome| match outcome.winner {
                None => 0.5,
                Some(winner) => f64::from(u8::from(winner == Side::White)),
            })
        };
        let one = |order: &Vec<u8>| -> f64 {
            let mut cards = DECK;
            let drawn = cards.len() - order.len();
            for (slot, card) in cards[drawn..].iter_mut().zip(order) {
                *slot = Card::of(*card).expect("a card");
            }
            let mut board = Board::set_up(Position {
                squares: [1, 1 + view.distance],
                hands: [hand(&view.hand), hand(others)],
                hand_sizes: [view.size, view.other_size],
                pile: cards,
                drawn: drawn as u8,
                turn: Side::White,
            });
            board.play(deed.play(view.distance).expect("a play")).expect("a legal play");
            if let Some(score) = score(&board) {
                return score;
            }
            let theirs = seen_on(&board, Habits::default().after(deed));
            let deeds = Deeds::of(&theirs.hand, theirs.distance);
            let thoughtful = POLICY.chances(net, &theirs, &deeds);
            let greedily = policy::greedy(&theirs, &deeds);
            let answers = deeds.iter().zip(thoughtful.iter().zip(greedily)).map(|(&answer, (one, two))| {
                let likely = (1.0 - greedy) * f64::from(*one) + greedy * f64::from(two);
                let mut board = board;
                board.play(answer.play(theirs.distance).expect("a play")).expect("a legal play");
                likely
                    * score(&board).unwrap_or_else(|| {
                        let mine = seen_on(&board, view.habits.after(answer));
                        let deeds = Deeds::of(&mine.hand, mine.distance);
                        deeds.iter().map(|&deed| net.value(&mine, deed)).fold(0.0, f32::max).into()
                    })
            });
            answers.sum()
        };
        pile.iter().map(one).sum::<f64>() / pile.len() as f64
    }

    /// R-6.2 to R-6.6, near the end: a short pile, hands from which cards have parried, all distances.
    #[test]
    fn r_6_what_comes_of_a_play_is_what_the_referee_makes_of_it() {
        let seed = 4;
        println!("seed {seed}");
        let mut dice = Dice::new(seed);
        let (mut checked, mut ends) = (0, 0);
        for _ in 0..6_000 {
            let mut deck = listed(&ALL);
            for at in (1..deck.len()).rev() {
                deck.swap(at, dice.below(at as u32 + 1) as usize);
            }
            let mut deal = |n: u32| counted(&deck.drain(..n as usize).collect::<Vec<u8>>());
            let (mine, others, pile) = (1 + dice.below(6), 1 + dice.below(6), dice.below(5));
            let (hand, other, pile) = (deal(mine), deal(others), deal(pile));
            let size = total(&hand) + dice.below(3) as u8;
            let habits =
                Habits { last: Deed { step: dice.below(6) as u8, attackers: 0 }, moved: 5, turns: 2 };
            let view = View {
                hand,
                unseen: with(&other, &pile),
                distance: 1 + dice.below(11) as u8,
                other: total(&other),
                size,
                other_size: total(&other),
                pile: total(&pile),
                habits,
            };
            let deeds = Deeds::of(&hand, view.distance);
            let guess = Guess { hand: other, chance: 1.0, greedy: GREEDY };
            let mut effort = Effort::of(Budget::Iterations(1_000_000));
            let values = look(Net::taught(), &view, Habits::default(), &deeds, &[guess], &mut effort);
            for (&deed, value) in deeds.iter().zip(values.into_iter().flatten()) {
                let expected = by_the_board(&view, deed, &other, GREEDY);
                assert!((value - expected).abs() < 1e-6, "{value}, not {expected}: {deed:?} of {view:?}");
                checked += 1;
                ends += u32::from([0.0, 0.5, 1.0].contains(&expected));
            }
        }
        assert!(checked > 10_000 && ends > 1_000 && checked - ends > 1_000, "{checked} {ends}");
    }
}
