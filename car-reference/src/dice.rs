//! Random numbers that follow from a seed, the car, and the number of the decision: never from time or chance.
//!
//! ```
//! use car_reference::dice::Dice;
//! assert_eq!(Dice::of(7, "i-0abc", 1).below(100), Dice::of(7, "i-0abc", 1).below(100));
//! ```

/// The dice for one decision. SplitMix64 over a hash of what names the decision: plenty for a strategy.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// The dice for the `decision`th decision of a car.
    #[must_use]
    pub fn of(seed: u64, instance: &str, decision: u64) -> Dice {
        // FNV-1a: short, and the same on every machine, which the standard library's hasher does not promise.
        const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let name = seed.to_le_bytes().into_iter().chain(decision.to_le_bytes()).chain(instance.bytes());
        Dice(name.fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME)))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number from 0 to `n − 1`; 0 for `n` = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits().checked_rem(n).unwrap_or(0)
    }

    /// Heads or tails.
    pub fn coin(&mut self) -> bool {
        self.below(2) == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_name_makes_other_dice() {
        let draws = [(1, "a", 1), (2, "a", 1), (1, "b", 1), (1, "a", 2), (1, "", 1)]
            .map(|(seed, instance, decision)| Dice::of(seed, instance, decision).below(u64::MAX));
        for (i, draw) in draws.iter().enumerate() {
            assert!(!draws[..i].contains(draw), "{draws:?}");
        }
    }

    /// Demos are compared byte for byte, on all machines.
    #[test]
    fn the_dice_never_change() {
        let mut dice = Dice::of(7, "i-0abc", 1);
        assert_eq!([dice.below(1000), dice.below(1000), dice.below(1000)], FIRST_THREE);
        let heads = [1, 2, 3, 4].map(|decision| Dice::of(7, "i-0abc", decision).coin());
        assert_eq!(heads, FIRST_COINS);
    }
    const FIRST_COINS: [bool; 4] = [false, false, true, false];
    const FIRST_THREE: [u64; 3] = [996, 320, 206];

    #[test]
    fn all_sides_are_equally_likely() {
        let mut seen = [0; 6];
        for decision in 0..60_000 {
            seen[usize::try_from(Dice::of(7, "i-0abc", decision).below(6)).unwrap()] += 1;
        }
        assert!(seen.iter().all(|n| (9_500..10_500).contains(n)), "{seen:?}");
        let heads = (0..10_000).filter(|&decision| Dice::of(7, "i-0abc", decision).coin()).count();
        assert!((4_700..5_300).contains(&heads), "{heads}");
        assert_eq!(Dice::of(7, "i-0abc", 1).below(0), 0);
    }
}
