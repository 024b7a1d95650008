//! How long to think: by the clock, or by how many plays were judged.

use crate::Budget;
use std::time::{Duration, Instant};

/// What is left of a budget.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// How many plays may still be judged.
    plays: u64,
    /// When to stop.
    until: Option<Instant>,
}

/// What is kept back of a time budget for what comes after thinking: a quarter, but never more than this.
const KEPT_BACK: Duration = Duration::from_millis(1);

impl Effort {
    /// The clock starts now.
    pub(crate) fn of(budget: Budget) -> Effort {
        match budget {
            Budget::Iterations(plays) => Effort { plays: plays.into(), until: None },
            Budget::Time(time) => {
                let time = time.saturating_sub(KEPT_BACK.min(time / 4));
                // A time that no clock can show never comes.
                Effort { plays: u64::MAX, until: Instant::now().checked_add(time) }
            }
        }
    }

    /// A part of it in percent, for one of several things to think about.
    pub(crate) fn share(&self, percent: u32) -> Effort {
        let plays = if self.plays == u64::MAX { u64::MAX } else { self.plays / 100 * u64::from(percent) };
        let until = self.until.map(|until| {
            let now = Instant::now();
            // Divided first: a time may be as long as can be said.
            now + until.saturating_duration_since(now) / 100 * percent
        });
        Effort { plays, until }
    }

    /// Takes off what a share of it has used. Time needs no taking off.
    pub(crate) fn take_off(&mut self, before: &Effort, after: &Effort) {
        self.plays = self.plays.saturating_sub(before.plays.saturating_sub(after.plays));
    }

    /// Counts plays that were judged. Whether to go on.
    pub(crate) fn spend(&mut self, plays: usize) -> bool {
        self.plays = self.plays.saturating_sub(plays as u64);
        self.plays > 0 && self.until.is_none_or(|until| Instant::now() < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_10_5_iterations_need_no_clock() {
        let mut effort = Effort::of(Budget::Iterations(1_000));
        let before = effort.share(40);
        let mut share = before;
        assert!(share.spend(399));
        assert!(!share.spend(1));
        effort.take_off(&before, &share);
        assert!(effort.spend(599));
        assert!(!effort.spend(5));
    }

    #[test]
    fn no_time_is_over_at_once_and_any_time_can_be_said() {
        assert!(!Effort::of(Budget::Time(Duration::ZERO)).spend(0));
        let mut long = Effort::of(Budget::Time(Duration::MAX));
        assert!(long.spend(usize::MAX / 2));
        let mut share = long.share(40);
        assert!(share.spend(1));
        // As long as a clock can show, and nearly.
        for secs in [u64::MAX / 4, u64::MAX / 50] {
            assert!(Effort::of(Budget::Time(Duration::from_secs(secs))).share(40).spend(1));
        }
    }
}
