//! How often everything was drawn, against how often it should be: over many races together.
//!
//! ```
//! use race_auditor::Tally;
//! let mut all = Tally::default();
//! all.merge(&Tally::default());
//! assert!(all.odds().is_empty());
//! ```

use crate::odds::{Odds, judged};
use std::collections::BTreeMap;

/// Counts of all that was drawn, by the odds that held then.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    draws: BTreeMap<(&'static str, String), Vec<Cell>>,
}

/// One outcome.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    observed: u64,
    expected: f64,
}

impl Tally {
    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Tally) {
        for (key, cells) in &other.draws {
            let mine = self.draws.entry(key.clone()).or_default();
            if mine.len() < cells.len() {
                mine.resize(cells.len(), Cell::default());
            }
            for (mine, theirs) in mine.iter_mut().zip(cells) {
                mine.observed += theirs.observed;
                mine.expected += theirs.expected;
            }
        }
    }

    /// Every kind of draw that came up.
    #[must_use]
    pub fn odds(&self) -> Vec<Odds> {
        self.draws
            .iter()
            .map(|((rule, name), cells)| {
                let cells = (1..)
                    .zip(cells)
                    .map(|(at, cell): (u32, _)| (at.to_string(), cell.observed, cell.expected));
                judged(rule, name.clone(), cells.collect())
            })
            .collect()
    }

    /// One of some was drawn, all as likely.
    pub(crate) fn evenly(&mut self, rule: &'static str, name: &str, of: usize, drawn: usize) {
        if of > 1 {
            let shares = vec![1.0 / of as f64; of];
            self.count(rule, format!("{name}, of {of}"), &shares, drawn);
        }
    }

    /// One of some was drawn, each as likely as its share.
    pub(crate) fn with_shares(&mut self, rule: &'static str, name: &str, shares: &[f64], drawn: usize) {
        self.count(rule, name.to_owned(), shares, drawn);
    }

    /// Something came or not that comes with so many percent.
    pub(crate) fn percent(&mut self, rule: &'static str, name: &str, percent: u32, came: bool) {
        let share = f64::from(percent) / 100.0;
        self.count(rule, format!("{name}, {percent} %"), &[share, 1.0 - share], usize::from(!came));
    }

    fn count(&mut self, rule: &'static str, name: String, shares: &[f64], drawn: usize) {
        let cells = self.draws.entry((rule, name)).or_default();
        if cells.len() < shares.len() {
            cells.resize(shares.len(), Cell::default());
        }
        for (cell, share) in cells.iter_mut().zip(shares) {
            cell.expected += share;
        }
        if let Some(cell) = cells.get_mut(drawn) {
            cell.observed += 1;
        }
    }
}
