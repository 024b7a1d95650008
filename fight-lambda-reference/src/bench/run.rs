//! Many pairs, several at once. What comes out does not depend on how many at once: each deal has its number.

use super::contender::Contender;
use super::far::Far;
use super::pair::{Pair, Terms, Ways};
use gm_core::contract::{DuelQuestion, Fault, Seen};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

/// How many pairs wait to be counted: enough for nobody to wait.
const WAITING_PAIRS: usize = 64;

/// A bench, ready to be run.
#[derive(Debug, Clone)]
pub struct Bench {
    terms: Arc<Terms>,
    ways: Ways,
}

/// Why a bench can't be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotRun {
    /// Nobody answers at a URL.
    #[error("nobody can be reached at {0}: is the AI running there?")]
    Unreachable(String),
    /// There is no speaking to a URL.
    #[error("{0}")]
    Unspeakable(String),
}

impl Bench {
    /// A bench on these terms. Those at a URL are asked one question first, since nothing is measured where nobody is.
    ///
    /// # Errors
    /// [`CannotRun`] if there is no connection to one of them. Any other fault is theirs, and loses duels.
    pub async fn prepare(terms: Terms) -> Result<Bench, CannotRun> {
        let mut ways = [None, None];
        for (way, contender) in ways.iter_mut().zip(&terms.contenders) {
            let Contender::Url(url) = contender else { continue };
            let far = Far::new(url.clone()).map_err(CannotRun::Unspeakable)?;
            if far.ask(&opening()).await == Err(Fault::Unreachable) {
                return Err(CannotRun::Unreachable(url.as_str().to_owned()));
            }
            *way = Some(far);
        }
        Ok(Bench { terms: Arc::new(terms), ways })
    }

    /// Whether somebody plays who is at a URL.
    #[must_use]
    pub fn is_far(&self) -> bool {
        self.ways.iter().any(Option::is_some)
    }

    /// Starts to play so many pairs, at most `jobs` at once, each on a thread of its own. Must be called on a runtime,
    /// which carries what goes to URLs.
    #[must_use]
    pub fn start(&self, pairs: u32, jobs: usize) -> Running {
        let (told, played) = mpsc::channel(WAITING_PAIRS);
        let next = Arc::new(AtomicU32::new(0));
        let threads = jobs.clamp(1, usize::try_from(pairs.max(1)).unwrap_or(usize::MAX));
        for _ in 0..threads {
            let (bench, told, next, runtime) =
                (self.clone(), told.clone(), Arc::clone(&next), Handle::current());
            thread::spawn(move || {
                // No more numbers are taken than there are pairs and threads, so that they can't run over.
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= pairs {
                        break;
                    }
                    let pair = runtime.block_on(Pair::play(&bench.terms, &bench.ways, number));
                    // Nobody waits for it any more.
                    if told.blocking_send(pair).is_err() {
                        break;
                    }
                }
            });
        }
        Running(played)
    }
}

/// Pairs that are being played. When it is dropped, those that are not begun are not played.
#[derive(Debug)]
pub struct Running(mpsc::Receiver<Pair>);

impl Running {
    /// The next pair that was played, in no order; `None` when there is no more.
    pub async fn next(&mut self) -> Option<Pair> {
        self.0.recv().await
    }
}

/// A question that any AI can answer: the first of a duel.
fn opening() -> DuelQuestion {
    let seen =
        Seen { distance: 22, hand_size: 5, other_hand_size: 5, pile: 15, first: true, turns: Vec::new() };
    DuelQuestion { cards: vec![1, 2, 3, 4, 5], other_cards: 5, seen: Some(seen), ..DuelQuestion::default() }
}
