//! A request that is sent again (C-20: with the same `X-EACC-REQUEST-ID`) is answered again, and not done again.
//!
//! ```
//! use car_reference::{Said, receipts::{Receipt, Receipts}};
//! let mut receipts = Receipts::default();
//! receipts.add(Receipt { id: "7".into(), request: "GET /event/mine".into(), said: Said::res(false) });
//! assert!(receipts.find("7").is_some() && receipts.find("8").is_none());
//! ```

use crate::car::Said;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What was said to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The request's id.
    pub id: String,
    /// The request: method, path and body.
    pub request: String,
    /// What the car said.
    pub said: Said,
}

/// The last receipts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Receipts(VecDeque<Receipt>);

impl Receipts {
    /// How many are kept. A request that is sent again comes before many others, as a car is sent one at a time
    /// (C-23): this is more than several turns' worth.
    pub const KEPT: usize = 256;

    /// The receipt for a request.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Receipt> {
        self.0.iter().rev().find(|receipt| receipt.id == id)
    }

    /// Keeps a receipt, and lets the oldest go if there are too many.
    pub fn add(&mut self, receipt: Receipt) {
        if self.0.len() == Receipts::KEPT {
            self.0.pop_front();
        }
        self.0.push_back(receipt);
    }

    /// The receipts, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Receipt> {
        self.0.iter()
    }
}

impl Extend<Receipt> for Receipts {
    fn extend<I: IntoIterator<Item = Receipt>>(&mut self, receipts: I) {
        for receipt in receipts {
            self.add(receipt);
        }
    }
}

impl FromIterator<Receipt> for Receipts {
    fn from_iter<I: IntoIterator<Item = Receipt>>(receipts: I) -> Receipts {
        let mut kept = Receipts::default();
        kept.extend(receipts);
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_20_only_the_last_receipts_are_kept() {
        let receipt = |number: usize| Receipt {
            id: number.to_string(),
            request: "GET /state".into(),
            said: Said::res(number),
        };
        let receipts: Receipts = (0..=Receipts::KEPT).map(receipt).collect();
        assert_eq!(receipts.iter().count(), Receipts::KEPT);
        assert_eq!(receipts.find("0"), None);
        assert_eq!(receipts.find("1"), Some(&receipt(1)));
        assert_eq!(receipts.find("256"), Some(&receipt(256)));
    }
}
