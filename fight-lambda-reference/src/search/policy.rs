//! How others play: like one who judges plays as the network does, or like [`Greedy`].
//!
//! Many AIs are greedy, so it pays to know one when it is met: what it did tells, and then its hand tells what it will
//! do.

use super::net::Net;
use super::view::{Deed, Deeds, View};
use crate::Greedy;

/// How likely each deed is, in the order of the deeds.
pub(crate) type Chances = [f32; Deeds::MOST];

/// The chance that the other is greedy, before it has done anything.
pub(crate) const GREEDY: f64 = 0.25;

/// The share of a greedy player's plays that are of another kind.
const WHIM_OF_THE_GREEDY: f32 = 0.05;

/// How often, of deeds that it values alike, any is done, and not the last.
const ANY_OF_THE_BEST: f32 = 0.4;

/// How likely each deed is for a greedy player. They add up to 1.
pub(crate) fn greedy(view: &View, deeds: &[Deed]) -> Chances {
    let mut chances = [0.0; Deeds::MOST];
    let [_, unseen @ ..] = view.unseen.map(i32::from);
    let best = Greedy::best(deeds, &view.hand, unseen, view.other, view.distance);
    let whim = WHIM_OF_THE_GREEDY / deeds.len() as f32;
    let taken = 1.0 - WHIM_OF_THE_GREEDY;
    for (chance, deed) in chances.iter_mut().zip(deeds) {
        let is_best = best.contains(deed);
        let is_last = best.last() == Some(deed);
        let any = if is_best { ANY_OF_THE_BEST / best.len() as f32 } else { 0.0 };
        *chance = whim + taken * (any + if is_last { 1.0 - ANY_OF_THE_BEST } else { 0.0 });
    }
    chances
}

/// How surely the best play is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Policy {
    /// A play that is worse by this much is made about a third as often.
    pub(crate) warmth: f32,
    /// The share of plays that are made without any thought.
    pub(crate) whim: f32,
}

impl Policy {
    /// How likely each deed is. They add up to 1; where there is only one, nothing is judged.
    pub(crate) fn chances(&self, net: &Net, view: &View, deeds: &[Deed]) -> Chances {
        let mut chances = [0.0; Deeds::MOST];
        let chances_of_deeds = &mut chances[..deeds.len()];
        if let [one] = chances_of_deeds {
            *one = 1.0;
            return chances;
        }
        let mut best = 0.0_f32;
        for (chance, &deed) in chances_of_deeds.iter_mut().zip(deeds) {
            *chance = net.value(view, deed);
            best = best.max(*chance);
        }
        let mut sum = 0.0;
        for chance in chances_of_deeds.iter_mut() {
            *chance = exp((*chance - best) / self.warmth);
            sum += *chance;
        }
        let whim = self.whim / deeds.len() as f32;
        for chance in chances_of_deeds.iter_mut() {
            *chance = (1.0 - self.whim) * *chance / sum + whim;
        }
        chances
    }
}

/// About e^x, by products alone, so that it is the same on every machine.
pub(crate) fn exp(x: f32) -> f32 {
    let mut y = 1.0 + x.max(-40.0) / 1024.0;
    for _ in 0..10 {
        y *= y;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_e_to_the_x() {
        for (x, expected) in [(0.0, 1.0), (-1.0, 0.367_88), (-5.0, 0.006_738)] {
            assert!((exp(x) - expected).abs() < 0.01 * expected.max(0.01), "{x}: {}", exp(x));
        }
        assert!(exp(-1_000.0) >= 0.0);
    }
}
