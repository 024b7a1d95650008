//! Plays many races side by side, and holds all that was drawn in them against the odds.
//!
//! ```
//! use race_simulator::many::{Settings, many};
//! let summary = many(&Settings { races: 2, turns: 3, jobs: 1, ..Settings::default() }, |_| {});
//! assert!(summary.is_good(), "{:?}", summary.failures);
//! ```
//!
//! What comes of it does not depend on how many are played side by side.

use crate::dice::race_seed;
use crate::generate::Generator;
use crate::plan::Plan;
use crate::play::{Played, play, verify};
use race_auditor::{Finding, Odds, Tally};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;

/// The chance that all odds together are called wrong when they are right.
pub const FALSE_ALARM: f64 = 0.001;

/// The most races of which it is kept what was found; of more it is counted.
pub const MOST_FAILURES: usize = 10;

/// What is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How many races.
    pub races: u32,
    /// The seed from which their seeds follow.
    pub seed: u64,
    /// The most turns of a race, at least 1.
    pub turns: u32,
    /// How many are played side by side, at least 1.
    pub jobs: usize,
    /// One race of so many is decided again from its export (R-10.5); 0 for none.
    pub verify_every: u32,
    /// Whether to stop when something was found.
    pub stop_at_first: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        let jobs = thread::available_parallelism().map_or(1, NonZero::get);
        Settings { races: 100, seed: 1, turns: 20, jobs, verify_every: 10, stop_at_first: false }
    }
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many races were played.
    pub races: u32,
    /// How many are to be played.
    pub of: u32,
    /// In how many something was found.
    pub failures: u32,
}

/// A race in which something was found.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The how manieth it is, from 0.
    pub index: u32,
    /// The seed of the race.
    pub race_seed: u64,
    /// What was found.
    pub findings: Vec<Finding>,
    /// Its plan up to there.
    pub plan: Plan,
}

/// What many races came to.
#[derive(Debug, Default)]
pub struct Summary {
    /// How many were played.
    pub races: u32,
    /// How many turns were completed.
    pub turns: u64,
    /// How many events happened.
    pub events: u64,
    /// How many decisions were made again after the process died.
    pub deaths: u64,
    /// How many races were decided again from their export.
    pub verified: u32,
    /// How often each kind of event happened.
    pub happened: BTreeMap<String, u64>,
    /// How often each reason for a refusal was given.
    pub refused: BTreeMap<String, u64>,
    /// In how many races something was found.
    pub failed: u32,
    /// The first of them.
    pub failures: Vec<Failure>,
    /// Every kind of draw, the least likely first; none if something was found.
    pub odds: Vec<Odds>,
}

impl Summary {
    /// Whether nothing was found, and everything was drawn as it should be.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.failed == 0 && self.wrong_odds().next().is_none()
    }

    /// The draws that are less likely than can be believed.
    pub fn wrong_odds(&self) -> impl Iterator<Item = &Odds> {
        unbelievable(&self.odds)
    }

    fn add(&mut self, settings: &Settings, index: u32, played: Played, verified: bool) -> Tally {
        self.races += 1;
        self.turns += u64::from(played.turns);
        self.deaths += played.deaths;
        self.verified += u32::from(verified);
        self.events += played.happened.values().sum::<u64>();
        for (all, mine) in [(&mut self.happened, played.happened), (&mut self.refused, played.refused)] {
            for (name, count) in mine {
                *all.entry(name).or_default() += count;
            }
        }
        if !played.findings.is_empty() {
            self.failed += 1;
            if self.failures.len() < MOST_FAILURES {
                let race_seed = race_seed(settings.seed, index);
                let Played { findings, plan, .. } = played;
                self.failures.push(Failure { index, race_seed, findings, plan });
            }
        }
        played.tally
    }
}

/// The draws that are less likely than can be believed of so many kinds (Bonferroni): see [`FALSE_ALARM`].
pub fn unbelievable(odds: &[Odds]) -> impl Iterator<Item = &Odds> {
    let level = FALSE_ALARM / odds.len().max(1) as f64;
    odds.iter().filter(move |odds| odds.p < level)
}

/// Plays one race, and has it decided again if it should be.
#[must_use]
pub fn one(race_seed: u64, turns: u32, verified: bool) -> Played {
    let mut played = play(Generator::new(race_seed, turns));
    if verified && played.findings.is_empty() {
        check_again(&mut played);
    }
    played
}

/// Has a race decided again from its export (R-10.5): what is wrong is a finding.
pub fn check_again(played: &mut Played) {
    if let Err(what) = verify(&played.export) {
        played.findings.push(Finding { line: 0, turn: played.turns, rule: "R-10.5", what });
    }
}

/// Plays many races.
pub fn many(settings: &Settings, mut progress: impl FnMut(Progress)) -> Summary {
    let next = AtomicU32::new(0);
    let stops = AtomicBool::new(false);
    let mut summary = Summary::default();
    let mut tally = Tally::default();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..settings.jobs.max(1) {
            let (sender, next, stops) = (sender.clone(), &next, &stops);
            scope.spawn(move || {
                while !stops.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= settings.races {
                        break;
                    }
                    let verified = settings.verify_every > 0 && index % settings.verify_every == 0;
                    let played = one(race_seed(settings.seed, index), settings.turns, verified);
                    if sender.send((index, played, verified)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // In the order of their numbers, so that the sums are the same however many are played side by side.
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (index, played, verified) in receiver {
            early.insert(index, (played, verified));
            while let Some((played, verified)) = early.remove(&due) {
                if settings.stop_at_first && summary.failed > 0 {
                    break;
                }
                tally.merge(&summary.add(settings, due, played, verified));
                due += 1;
                progress(Progress { races: summary.races, of: settings.races, failures: summary.failed });
            }
            if settings.stop_at_first && summary.failed > 0 {
                stops.store(true, Ordering::Relaxed);
            }
        }
    });
    if summary.failed == 0 {
        summary.odds = tally.odds();
        summary.odds.sort_by(|one, other| one.p.total_cmp(&other.p));
    }
    summary
}
