//! Trials: what is asked of cars and AIs outside of the race. They change nothing in it and cost nothing.
//!
//! ```
//! use gm_core::ids::TeamId;
//! use gm_grpc::{journal::RaceId, trial::{Limits, Permits, TooMany}};
//! let (permits, race) = (Permits::new(Limits { at_once: 16, per_team: 1 }), RaceId::random());
//! let permit = permits.take(&race, TeamId(1)).expect("the first");
//! assert_eq!(permits.take(&race, TeamId(1)).err(), Some(TooMany::OfTeam(1)));
//! drop(permit);
//! assert!(permits.take(&race, TeamId(1)).is_ok());
//! ```
//!
//! - [`mod@duel`]: a duel of a team's AI against the pirates' (G-4, R-6).
//! - [`car`]: a look at a car: does it say what the game master knows?
//!
//! A trial runs over the race's own [`HttpWorld`], so that all guards, deadlines and the order of requests to a car
//! (C-23) are the race's; its request ids are its own. It begins at once, and ends when it is over or when its [`Steps`]
//! are dropped, in the middle of a request if need be. It can only begin with a [`Permit`], and that is given back when
//! both the trial and its steps are gone: a reader that does not read keeps its place, and what waits for it is little.

pub mod car;
pub mod duel;

pub use car::{Looked, NoSuchCar, look_at};
pub use duel::{DuelTrial, Step, Turned, play};

use crate::drive::HttpWorld;
use crate::journal::RaceId;
use futures_util::Stream;
use gm_core::ids::TeamId;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// For how long a trial may wait in all for what is the game master's own: free places, a car that a turn talks to.
/// After that it is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many trials may run at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// In all.
    pub at_once: usize,
    /// Of one team of one race.
    pub per_team: usize,
}

impl Default for Limits {
    /// 16 at once, 2 of one team.
    fn default() -> Limits {
        Limits { at_once: 16, per_team: 2 }
    }
}

/// As many trials are running as may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooMany {
    /// In all.
    #[error("{0} trials are running, and no more may at the same time: try again soon")]
    InAll(usize),
    /// Of this team.
    #[error("{0} trials of the team are running, and no more may at the same time: wait for one to end")]
    OfTeam(usize),
}

/// Who is running trials. Cheap to clone; all clones count together.
#[derive(Debug, Clone, Default)]
pub struct Permits {
    limits: Limits,
    running: Arc<Mutex<BTreeMap<(RaceId, TeamId), usize>>>,
}

impl Permits {
    /// Nobody is.
    #[must_use]
    pub fn new(limits: Limits) -> Permits {
        Permits { limits, running: Arc::default() }
    }

    /// Takes the place of one trial. Nobody waits for one.
    ///
    /// # Errors
    /// [`TooMany`] if none is free.
    pub fn take(&self, race: &RaceId, team: TeamId) -> Result<Permit, TooMany> {
        let mut running = lock(&self.running);
        let whose = (race.clone(), team);
        let of_team = running.get(&whose).copied().unwrap_or(0);
        if of_team >= self.limits.per_team {
            return Err(TooMany::OfTeam(of_team));
        }
        let in_all = running.values().sum();
        if in_all >= self.limits.at_once {
            return Err(TooMany::InAll(in_all));
        }
        running.insert(whose.clone(), of_team + 1);
        drop(running);
        Ok(Permit { running: Arc::clone(&self.running), whose })
    }
}

/// The place of one trial. Given back when it is dropped.
#[derive(Debug)]
#[must_use = "a permit that is dropped is given back"]
pub struct Permit {
    running: Arc<Mutex<BTreeMap<(RaceId, TeamId), usize>>>,
    whose: (RaceId, TeamId),
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut running = lock(&self.running);
        if let Some(of_team) = running.get_mut(&self.whose) {
            *of_team -= 1;
            if *of_team == 0 {
                running.remove(&self.whose);
            }
        }
    }
}

fn lock<T>(running: &Mutex<T>) -> MutexGuard<'_, T> {
    // A count is changed in one step: it is right, whoever panicked meanwhile.
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What comes of a trial, step by step, as it comes. Dropping it ends the trial.
pub struct Steps<T> {
    steps: mpsc::Receiver<T>,
    _permit: Arc<Permit>,
}

impl<T> Steps<T> {
    /// The next step; none when the trial is over, or was given up.
    pub async fn next(&mut self) -> Option<T> {
        self.steps.recv().await
    }

    /// Begins a trial in a task of its own: whoever is asked is not to wait for who reads.
    ///
    /// All steps of a trial have room, so that who makes them need not wait either. The trial is given up after `limit`,
    /// which is what the other side may need, and the game master's own [`PATIENCE`].
    fn begin<F: Future<Output = ()> + Send + 'static>(
        permit: Permit,
        room: usize,
        limit: Duration,
        trial: impl FnOnce(Teller<T>) -> F,
    ) -> Steps<T>
    where
        T: Send + 'static,
    {
        let permit = Arc::new(permit);
        let (teller, steps) = mpsc::channel(room);
        let (trial, kept) = (trial(Teller(teller.clone())), Arc::clone(&permit));
        tokio::spawn(async move {
            let _permit = kept;
            tokio::select! {
                biased;
                () = teller.closed() => {}
                ended = timeout(limit.saturating_add(PATIENCE), trial) => if ended.is_err() {
                    tracing::warn!("a trial was given up: the game master had no time for it");
                },
            }
        });
        Steps { steps, _permit: permit }
    }
}

impl<T> Stream for Steps<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<T>> {
        self.steps.poll_recv(task)
    }
}

impl<T> fmt::Debug for Steps<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steps").finish_non_exhaustive()
    }
}

/// Where a trial says its steps.
struct Teller<T>(mpsc::Sender<T>);

impl<T> Teller<T> {
    fn tell(&self, step: T) {
        // Nobody listens any more, or a trial has more steps than it has room for: which it has not.
        let told = self.0.try_send(step);
        debug_assert!(
            !matches!(told, Err(mpsc::error::TrySendError::Full(_))),
            "there is room for all steps"
        );
    }
}

impl<T> Clone for Teller<T> {
    fn clone(&self) -> Teller<T> {
        Teller(self.0.clone())
    }
}

/// The world of one trial, and the name that its request ids begin with after the race's own (C-20).
fn aside(world: &HttpWorld) -> (HttpWorld, String) {
    let name = format!("trial-{:016x}", rand::random::<u64>());
    (world.aside(&name), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At most three at once and two of a team. A row: who begins (`+`) or ends (`-`) one, and what comes of it.
    #[test]
    fn permits() {
        let permits = Permits::new(Limits { at_once: 3, per_team: 2 });
        let [a, b] = ["race-a", "race-b"].map(|id| RaceId::parse(id).expect("an id"));
        let mut held: Vec<(char, u32, Permit)> = Vec::new();
        for (act, race, team, refused) in [
            ('+', 'a', 1, None),
            ('+', 'a', 1, None),
            ('+', 'a', 1, Some(TooMany::OfTeam(2))),
            ('+', 'b', 1, None),
            ('+', 'b', 1, Some(TooMany::InAll(3))),
            ('+', 'a', 2, Some(TooMany::InAll(3))),
            ('-', 'a', 1, None),
            ('+', 'a', 2, None),
            ('+', 'a', 1, Some(TooMany::InAll(3))),
            ('-', 'b', 1, None),
            ('+', 'a', 1, None),
        ] {
            if act == '-' {
                let at = held.iter().position(|(r, t, _)| (*r, *t) == (race, team)).expect("one is held");
                drop(held.swap_remove(at));
                continue;
            }
            match permits.take(if race == 'a' { &a } else { &b }, TeamId(team)) {
                Ok(permit) => {
                    assert_eq!(refused, None, "race {race}, team {team}");
                    held.push((race, team, permit));
                }
                Err(too_many) => assert_eq!(Some(too_many), refused, "race {race}, team {team}"),
            }
        }
        drop(held);
        assert!(lock(&permits.running).is_empty(), "nothing is remembered of who has ended");
    }

    /// A trial that panics gives its permit back, and its steps end.
    #[tokio::test]
    async fn a_panic_gives_the_permit_back() {
        let permits = Permits::new(Limits { at_once: 1, per_team: 1 });
        let race = RaceId::random();
        let permit = permits.take(&race, TeamId(1)).expect("the first");
        let mut steps = Steps::<()>::begin(permit, 1, Duration::ZERO, |_| async { panic!("a bug") });
        assert_eq!(steps.next().await, None);
        drop(steps);
        assert!(permits.take(&race, TeamId(1)).is_ok());
    }

    /// A trial for which the game master finds no time is given up.
    #[tokio::test(start_paused = true)]
    async fn a_trial_is_given_up() {
        let permit = Permits::default().take(&RaceId::random(), TeamId(1)).expect("the first");
        let begun = tokio::time::Instant::now();
        let limit = Duration::from_secs(30);
        let mut steps = Steps::begin(permit, 1, limit, |teller: Teller<u8>| async move {
            teller.tell(1);
            std::future::pending().await
        });
        assert_eq!((steps.next().await, steps.next().await), (Some(1), None));
        assert_eq!(begun.elapsed().as_secs(), (limit + PATIENCE).as_secs());
    }
}
