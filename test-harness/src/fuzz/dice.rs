//! Random numbers that follow from a seed and from nothing else.
//!
//! ```
//! use test_harness::fuzz::Dice;
//! assert_eq!(Dice::of(7, 1).below(100), Dice::of(7, 1).below(100));
//! ```

/// The dice for one part of what follows from a seed. SplitMix64: plenty for nonsense.
#[derive(Debug, Clone)]
pub struct Dice(u64);

/// The step of SplitMix64.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Dice {
    /// The dice for the `part`th part.
    #[must_use]
    pub fn of(seed: u64, part: u64) -> Dice {
        let mut of_seed = Dice(seed);
        Dice(of_seed.bits() ^ Dice(part.wrapping_mul(STEP)).bits())
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number from 0 to `n − 1`; 0 for `n` = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits().checked_rem(n).unwrap_or(0)
    }

    /// Whether it is one of so many in a hundred.
    pub fn percent(&mut self, n: u64) -> bool {
        self.below(100) < n
    }

    /// One of these, of which there is at least one.
    pub fn one_of<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.index(of.len())].clone()
    }

    /// A place in a list of this length; 0 for an empty one.
    pub fn index(&mut self, len: usize) -> usize {
        // Both conversions hold: what is below a usize is a usize.
        usize::try_from(self.below(len as u64)).unwrap_or(0)
    }
}
