//! Two clocks: the time of a duel (R-6.8) and the running time of a race (R-10.2).
//!
//! ```
//! use gm_grpc::drive::RunningTime;
//! let time = RunningTime::default();
//! assert_eq!(time.ran(), std::time::Duration::ZERO);
//! ```

use gm_core::arena::Seat;
use gm_core::ids::Seconds;
use gm_core::ports::DuelClock;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long the answers of each seat of one duel took in all.
#[derive(Debug, Clone, Default)]
pub(super) struct SeatTimes(Arc<Mutex<[Duration; 2]>>);

impl SeatTimes {
    pub(super) fn add(&self, seat: usize, latency: Duration) {
        if let Some(time) = self.lock().get_mut(seat) {
            *time = time.saturating_add(latency);
        }
    }

    fn lock(&self) -> MutexGuard<'_, [Duration; 2]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The clock of one duel (R-6.8).
///
/// It runs while a duellist is being waited for, and at no other time: players answer in turn, so the time of a duel
/// is the sum of its answers', and the game master's own waiting (for a free place among its requests, for the
/// pirates, who think in its process) costs nobody a duel (R-7.9).
#[derive(Debug)]
pub struct HttpDuelClock {
    times: SeatTimes,
    limit: Duration,
}

impl HttpDuelClock {
    pub(super) fn new(times: SeatTimes, limit: Seconds) -> HttpDuelClock {
        HttpDuelClock { times, limit: Duration::from_secs(limit.0.into()) }
    }
}

impl DuelClock for HttpDuelClock {
    async fn overdue(&mut self) -> Option<Seat> {
        let [first, second] = *self.times.lock();
        if first.saturating_add(second) < self.limit {
            return None;
        }
        Some(Seat(usize::from(second > first)))
    }
}

/// The running time of a race: started, paused, started again. Paused time does not count (R-10.2).
#[derive(Debug, Default)]
pub struct RunningTime(Mutex<Ran>);

#[derive(Debug, Default)]
struct Ran {
    before: Duration,
    since: Option<Instant>,
}

impl RunningTime {
    /// A clock that has already run for `before`, paused: for a race that is resumed.
    #[must_use]
    pub fn after(before: Duration) -> RunningTime {
        RunningTime(Mutex::new(Ran { before, since: None }))
    }

    /// Lets the time run. Changes nothing if it does.
    pub fn start(&self) {
        self.lock().since.get_or_insert_with(Instant::now);
    }

    /// Stops the time. Changes nothing if it is stopped.
    pub fn pause(&self) {
        let mut ran = self.lock();
        if let Some(since) = ran.since.take() {
            ran.before = ran.before.saturating_add(since.elapsed());
        }
    }

    /// How long the race has run.
    #[must_use]
    pub fn ran(&self) -> Duration {
        let ran = self.lock();
        ran.before.saturating_add(ran.since.map_or(Duration::ZERO, |since| since.elapsed()))
    }

    fn lock(&self) -> MutexGuard<'_, Ran> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    /// R-6.8: seconds of the first seat, of the second, the limit, and who is overdue.
    #[tokio::test]
    async fn r_6_8_who_took_longer_is_overdue() {
        for (first, second, limit, overdue) in [
            (0, 0, 30, None),
            (10, 19, 30, None),
            (10, 20, 30, Some(Seat(1))),
            (20, 10, 30, Some(Seat(0))),
            (15, 15, 30, Some(Seat(0))),
            (0, 31, 30, Some(Seat(1))),
            (31, 0, 30, Some(Seat(0))),
        ] {
            let times = SeatTimes::default();
            times.add(0, Duration::from_secs(first));
            times.add(1, Duration::from_secs(second));
            let mut clock = HttpDuelClock::new(times, Seconds(limit));
            assert_eq!(clock.overdue().await, overdue, "{first} s and {second} s of {limit} s");
        }
    }

    /// R-10.2: paused time does not count.
    #[tokio::test(start_paused = true)]
    async fn r_10_2_paused_time_does_not_count() {
        let time = RunningTime::after(Duration::from_secs(1));
        advance(Duration::from_secs(5)).await;
        assert_eq!(time.ran().as_secs(), 1, "not started");
        time.start();
        advance(Duration::from_secs(5)).await;
        time.start();
        assert_eq!(time.ran().as_secs(), 6, "started twice is started once");
        time.pause();
        time.pause();
        advance(Duration::from_secs(5)).await;
        assert_eq!(time.ran().as_secs(), 6, "paused");
        time.start();
        advance(Duration::from_secs(5)).await;
        assert_eq!(time.ran().as_secs(), 11, "started again");
    }
}
