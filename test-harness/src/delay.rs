//! Servers whose answers take a while, each another while (R-10.5: who answers first must not matter).
//!
//! ```
//! use std::time::Duration;
//! let router = test_harness::delay::delayed(axum::Router::new(), 7, Duration::from_millis(20));
//! # let _ = router;
//! ```

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::sleep;

/// The same server, whose answers take up to `most` longer. How much follows from the seed and from how many
/// requests came before.
pub fn delayed(healthy: Router, seed: u64, most: Duration) -> Router {
    let state = Arc::new(AtomicU64::new(seed));
    healthy.layer(from_fn(move |request: Request, next: Next| {
        let delay = part(&state, most);
        async move {
            let response = next.run(request).await;
            sleep(delay).await;
            response
        }
    }))
}

/// A part of `most`, by SplitMix64.
fn part(state: &AtomicU64, most: Duration) -> Duration {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut bits = state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    let most = u64::try_from(most.as_micros()).unwrap_or(u64::MAX);
    Duration::from_micros(bits % most.saturating_add(1).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delays are within their bound, differ, and follow from the seed.
    #[test]
    fn delays_are_drawn() {
        let most = Duration::from_millis(20);
        let draw = |seed| {
            let state = AtomicU64::new(seed);
            (0..1_000).map(|_| part(&state, most)).collect::<Vec<_>>()
        };
        let delays = draw(1);
        assert!(delays.iter().all(|delay| *delay <= most));
        let sum: Duration = delays.iter().sum();
        assert!((9..11).contains(&(sum / 1_000).as_millis()), "{sum:?}");
        assert_eq!((draw(1) == delays, draw(2) == delays), (true, false));
        assert_eq!(part(&AtomicU64::new(1), Duration::ZERO), Duration::ZERO);
    }
}
