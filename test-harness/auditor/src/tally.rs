//! How often everything was drawn, against how often it should be: over many races together.
//!
//! ```
//! use race_auditor::Tally;
//! let mut all = Tally::default();
//! all.merge(&Tally::default());
//! assert!(all.odds().is_empty());
//! ```

/// Counts of all that was drawn, by the odds that held then.
#[derive(Debug, Clone, Default)]
pub struct Tally {}

/// One kind of draw: how often each outcome came, and how often it should have.
#[derive(Debug, Clone, PartialEq)]
pub struct Odds {
    /// The number of the rule.
    pub rule: &'static str,
    /// What is drawn.
    pub name: String,
    /// Each outcome: its name, how often it came, how often it should have come.
    pub cells: Vec<(String, u64, f64)>,
    /// The sum of the squared differences, each by what was expected.
    pub chi_squared: f64,
    /// The degrees of freedom; 0 where too little was drawn to say anything.
    pub degrees: u32,
    /// How likely it is to be at least as far off by chance, from 0 to 1.
    pub p: f64,
}

impl Tally {
    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Tally) {
        let Tally {} = other;
    }

    /// Every kind of draw that came up.
    #[must_use]
    pub fn odds(&self) -> Vec<Odds> {
        Vec::new()
    }
}
