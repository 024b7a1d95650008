//! The search AI: it thinks ahead, for as long as its budget lasts.
//!
//! Read in this order:
//!
//! 1. `past`: what has happened, from the question.
//! 2. `view` and `cards`: what a player in turn knows, and what it may do.
//! 3. `net`: how good a play looks at first sight, as was learnt in millions of duels.
//! 4. `guess`: what the other may hold, after all that it did.
//! 5. `ahead`: what may come of a play.
//!
//! A play that decides the duel is made at once. Without time for more, the play that looks best is made.

pub(crate) mod ahead;
pub(crate) mod cards;
pub(crate) mod dice;
pub(crate) mod effort;
pub(crate) mod guess;
pub(crate) mod net;
pub(crate) mod past;
pub(crate) mod policy;
pub(crate) mod view;

use crate::random::fingerprint;
use crate::{Ai, Budget, Weighed};
use dice::Dice;
use effort::Effort;
use gm_core::contract::DuelQuestion;
use net::Net;
use past::Past;
use view::{Deed, Deeds};

/// How much worse than the best a play may look at first sight to be thought about.
const WORTH_A_THOUGHT: f64 = 0.2;

/// How many plays are thought about at most.
const MOST_THOUGHT: usize = 10;

/// The search AI.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    seed: u64,
    budget: Budget,
}

impl Search {
    /// An AI with these dice, which thinks for so long about each question.
    #[must_use]
    pub const fn new(seed: u64, budget: Budget) -> Search {
        Search { seed, budget }
    }

    /// Reads what the network has learnt, as the first question otherwise does at the cost of its budget: a millisecond,
    /// or many where there is only a part of a processor.
    pub fn prepare() {
        _ = Net::taught();
    }

    /// The distance, and all legal deeds with the score to expect of them: first the one to do, then the others, the
    /// best first.
    fn think(&self, question: &DuelQuestion) -> (u8, Vec<(Deed, f64)>) {
        let mut effort = Effort::of(self.budget);
        let Some(past) = Past::read(question) else { return (0, Vec::new()) };
        let net = Net::taught();
        let view = &past.view;
        let deeds = Deeds::of(&view.hand, view.distance);
        let mut weighed: Vec<(Deed, f64)> =
            deeds.iter().map(|&deed| (deed, f64::from(net.value(view, deed)))).collect();
        best_first(&mut weighed);
        let goes_on = effort.spend(weighed.len());
        let Some(&(_, best)) = weighed.first() else { return (view.distance, weighed) };
        let close = weighed.iter().take_while(|(_, value)| *value > best - WORTH_A_THOUGHT).count();
        let thought_about = close.min(MOST_THOUGHT);
        if goes_on && thought_about > 1 && best < 1.0 {
            let before = effort.share(40);
            let mut guessing = before;
            let mut dice = Dice::new(self.seed ^ fingerprint(&question.query()));
            let hands = guess::hands_of_the_other(net, &past, &mut guessing, &mut dice);
            effort.take_off(&before, &guessing);
            let candidates: Vec<Deed> = weighed[..thought_about].iter().map(|(deed, _)| *deed).collect();
            if let Some(values) = ahead::look(net, view, past.my_habits, &candidates, &hands, &mut effort) {
                for ((_, value), thought) in weighed.iter_mut().zip(values) {
                    *value = thought;
                }
                best_first(&mut weighed[..thought_about]);
                // Of those that come after, some may now look worse than they did, and so worse than what was not
                // thought about.
                best_first(&mut weighed[1..]);
            }
        }
        (view.distance, weighed)
    }
}

/// Of those that are as good, an attack is before a move, with as many cards as can be; and else the one that was first
/// stays first.
fn best_first(weighed: &mut [(Deed, f64)]) {
    weighed.sort_by(|(one, value), (other, others)| {
        others.total_cmp(value).then(other.attackers.cmp(&one.attackers))
    });
}

impl Ai for Search {
    fn play(&mut self, question: &DuelQuestion) -> Vec<u8> {
        self.weigh(question).first().map(|best| best.play.cards()).unwrap_or_default()
    }

    /// Those that were not worth a thought have the value that they had at first sight.
    fn weigh(&mut self, question: &DuelQuestion) -> Vec<Weighed> {
        let (distance, weighed) = self.think(question);
        let weighed = weighed.into_iter();
        weighed.filter_map(|(deed, value)| Some(Weighed { play: deed.play(distance)?, value })).collect()
    }
}
