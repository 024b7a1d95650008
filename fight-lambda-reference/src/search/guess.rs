//! What the other holds, and who it is: all its possible hands, and how likely each is after all that it did.
//!
//! Before anything is known, each hand is as likely as its cards can be drawn. Then the other's plays speak: who stood
//! at 4 and did not attack has few 4s. For each hand some pasts are made up that lead to it: which of its cards were
//! drawn in which turn is left to the dice. A past counts by how likely a sensible player would have played as the
//! other did, turn by turn.

use super::cards::{ALL, Counts, choose, hands, total, without};
use super::dice::Dice;
use super::effort::Effort;
use super::net::Net;
use super::past::{Moment, Past};
use super::policy::{self, GREEDY, Policy};
use super::view::{Deeds, View};

/// How many pasts are made up for all hands together, if there is time.
const PASTS: usize = 3_000;

/// What is thought of how the other plays when its past is judged: less sure of itself than the others, since it may be
/// anybody.
const POLICY: Policy = Policy { warmth: 0.05, whim: 0.1 };

/// A hand that the other may hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Guess {
    /// The hand.
    pub(crate) hand: Counts,
    /// How likely it is.
    pub(crate) chance: f64,
    /// If it is this hand, how likely it is that the other is greedy.
    pub(crate) greedy: f64,
}

/// All hands that the other may hold. Their chances add up to 1.
pub(crate) fn hands_of_the_other(net: &Net, past: &Past, effort: &mut Effort, dice: &mut Dice) -> Vec<Guess> {
    let view = &past.view;
    let even: Vec<Guess> = hands(&view.unseen, view.other)
        .into_iter()
        .map(|(hand, chance)| Guess { hand, chance, greedy: GREEDY })
        .collect();
    let Some(moments) = past.moments().filter(|moments| moments.iter().any(|moment| !moment.turn.mine))
    else {
        return even;
    };
    let mut sums = vec![[0.0; 2]; even.len()];
    let rounds = PASTS.div_ceil(even.len().max(1));
    'rounds: for _ in 0..rounds {
        let mut round = Vec::with_capacity(even.len());
        for guess in &even {
            let (likelihood, judged) = one_past(net, past, &moments, guess.hand, dice);
            round.push(likelihood);
            if !effort.spend(judged) {
                break 'rounds;
            }
        }
        for (sum, likelihood) in sums.iter_mut().zip(round) {
            *sum = [sum[0] + likelihood[0], sum[1] + likelihood[1]];
        }
    }
    let weighed: Vec<[f64; 2]> = even
        .iter()
        .zip(&sums)
        .map(|(guess, sum)| [guess.chance * (1.0 - GREEDY) * sum[0], guess.chance * GREEDY * sum[1]])
        .collect();
    let all: f64 = weighed.iter().flatten().sum();
    if all <= 0.0 {
        return even;
    }
    let guess = |(guess, [thoughtful, greedy]): (&Guess, [f64; 2])| {
        let weight = thoughtful + greedy;
        let greedy = if weight > 0.0 { greedy / weight } else { GREEDY };
        Guess { hand: guess.hand, chance: weight / all, greedy }
    };
    even.iter().zip(weighed).map(guess).collect()
}

/// Makes up a past of the other that leads to a hand, and says how likely it was played so, as against laying down
/// cards blindly: by one who thinks, and by one who is greedy; and how many plays had to be judged for that.
fn one_past(net: &Net, past: &Past, moments: &[Moment], hand: Counts, dice: &mut Dice) -> ([f64; 2], usize) {
    let mut hand = hand;
    let (mut likelihood, mut judged) = ([1.0; 2], 0);
    for moment in moments.iter().rev() {
        let deed = moment.turn.deed;
        let left = usize::from(moment.distance - deed.step);
        if moment.turn.mine {
            // What it parried with was not chosen: these very cards, of all that it could have laid down.
            if deed.attackers > 0 {
                hand[left] += deed.attackers;
                likelihood = likelihood.map(|it| it / choose(hand[left], deed.attackers));
            }
            continue;
        }
        for _ in 0..moment.drew {
            give_back(&mut hand, dice);
        }
        if deed.attackers > 0 {
            hand[left] += deed.attackers;
        }
        let attacking = choose(hand.get(left).copied().unwrap_or(0), deed.attackers);
        hand[usize::from(deed.step)] += u8::from(deed.step > 0);
        let moving = if deed.step > 0 { f64::from(hand[usize::from(deed.step)]) } else { 1.0 };
        let Some(unseen) = without(&ALL, &moment.laid).and_then(|there| without(&there, &hand)) else {
            return ([0.0; 2], judged);
        };
        let view = View {
            hand,
            unseen,
            distance: moment.distance,
            other: moment.held[0],
            size: past.view.other_size,
            other_size: past.view.size,
            pile: moment.pile,
            habits: moment.habits[0],
        };
        let deeds = Deeds::of(&hand, moment.distance);
        judged += deeds.len();
        let Some(at) = deeds.iter().position(|it| *it == deed) else { return ([0.0; 2], judged) };
        let chances = [POLICY.chances(net, &view, &deeds)[at], policy::greedy(&view, &deeds)[at]];
        for (likelihood, chance) in likelihood.iter_mut().zip(chances) {
            *likelihood *= f64::from(chance) / (attacking * moving);
        }
    }
    (likelihood, judged)
}

/// Takes one card out of a hand, all equally likely.
fn give_back(hand: &mut Counts, dice: &mut Dice) {
    let mut at = dice.below(total(hand).into()) as u8;
    for count in hand.iter_mut().skip(1) {
        if at < *count {
            *count -= 1;
            return;
        }
        at -= *count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use crate::school::Table;
    use gm_core::arena::duel::Side;
    use gm_core::contract::DuelQuestion;

    fn guesses(query: &str, iterations: u32) -> Vec<Guess> {
        let past = Past::read(&DuelQuestion::from_query(query).expect("a question")).expect("a past");
        let mut effort = Effort::of(Budget::Iterations(iterations));
        hands_of_the_other(Net::taught(), &past, &mut effort, &mut Dice::new(1))
    }

    fn holds_two(guesses: &[Guess], value: usize) -> f64 {
        guesses.iter().filter(|guess| guess.hand[value] > 1).map(|guess| guess.chance).sum()
    }

    #[test]
    fn all_chances_add_up_to_one() {
        for query in [
            "yourmoves=[]&othermoves=[]&cards=[1,2,3]&othernbcards=3",
            "yourmoves=[5,3]&othermoves=[5,5]&cards=[1,2,3,4,5]&othernbcards=5",
            "yourmoves=[5,3,0]&othermoves=[5,5,0]&cards=[1,2,3]&othernbcards=4",
            "yourmoves=[5,3,1]&othermoves=[5,1,1]&cards=[1,2,3,4,4]&othernbcards=8",
        ] {
            for iterations in [1, 300, 100_000] {
                let guesses = guesses(query, iterations);
                let sum: f64 = guesses.iter().map(|guess| guess.chance).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{query}: {sum}");
                assert!(guesses.iter().all(|guess| (0.0..=1.0).contains(&guess.greedy)), "{query}");
            }
        }
    }

    /// Against players who play as is thought, what is guessed comes true as often as is said, and the hand that the other
    /// really holds is thought likelier than its cards alone make it.
    #[test]
    fn guesses_come_true_as_often_as_they_say() {
        let seed = 6;
        println!("seed {seed}");
        let mut dice = Dice::new(seed);
        let net = Net::taught();
        // For each tenth of likelihood: how often it was said, what was said, and how often it came true.
        let mut said = [(0, 0.0, 0); 10];
        let (mut surprise, mut surprise_before, mut asked) = (0.0, 0.0, 0);
        for _ in 0..400 {
            let weapons = [4 + dice.below(2), 4 + dice.below(2)];
            let mut table = Table::deal(&mut dice, weapons);
            let greedy = f64::from(dice.unit()) < GREEDY;
            while let Some(side) = table.duel.board().in_turn() {
                let view = table.view(side);
                let deeds = Deeds::of(&view.hand, view.distance);
                let chances = match side {
                    Side::Black if greedy => policy::greedy(&view, &deeds),
                    Side::Black | Side::White => POLICY.chances(net, &view, &deeds),
                };
                let past = Past::read(&table.duel.question(side)).expect("a past");
                if side == Side::White && past.turns.len() > 1 {
                    let mut effort = Effort::of(Budget::Iterations(100_000));
                    let guesses = hands_of_the_other(net, &past, &mut effort, &mut dice);
                    let truth = table.hand(Side::Black);
                    for (value, held) in truth.into_iter().enumerate().skip(1) {
                        let chance = holds_two(&guesses, value);
                        let tenth = &mut said[((chance * 10.0) as usize).min(9)];
                        tenth.0 += 1;
                        tenth.1 += chance;
                        tenth.2 += u32::from(held > 1);
                    }
                    let of_the_truth = |list: &[Guess]| {
                        list.iter().find(|guess| guess.hand == truth).map_or(0.0, |guess| guess.chance)
                    };
                    surprise -= of_the_truth(&guesses).ln();
                    surprise_before -= hands(&view.unseen, view.other)
                        .iter()
                        .find(|(hand, _)| *hand == truth)
                        .map_or(0.0, |(_, chance)| *chance)
                        .ln();
                    asked += 1;
                }
                let mut left = dice.unit();
                let pick = chances.iter().take(deeds.len()).position(|chance| {
                    left -= chance;
                    left <= 0.0
                });
                table.play(side, deeds[pick.unwrap_or(0)]);
            }
        }
        let [surprise, before] = [surprise, surprise_before].map(|sum| sum / f64::from(asked));
        assert!(surprise < before - 0.05, "{surprise} {before}");
        for (times, sum, came) in said.into_iter().filter(|(times, ..)| *times >= 100) {
            let [said, came] = [sum, f64::from(came)].map(|sum| sum / f64::from(times));
            assert!((said - came).abs() < 0.08, "said {times} times: {said}, but came true: {came}");
        }
    }

    /// Who always moves by 5 from afar is thought to be greedy, who creeps is not.
    #[test]
    fn the_greedy_are_known_by_what_they_do() {
        let greedy =
            |query| -> f64 { guesses(query, 100_000).iter().map(|guess| guess.chance * guess.greedy).sum() };
        let fast = greedy("yourmoves=[1,1]&othermoves=[5,5]&cards=[1,2,3,4,4]&othernbcards=5");
        let slow = greedy("yourmoves=[1,1,1]&othermoves=[1,1,1]&cards=[1,2,3,4,4]&othernbcards=5");
        assert!(fast > 2.0 * slow, "{fast} {slow}");
    }
}
