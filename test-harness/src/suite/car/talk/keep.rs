//! What is known of how the car was found, and what it is owed back: names, its square, its place in the race.
//!
//! ```text
//! POST /engine {"name": "a"}   owed: engine a         DELETE /state   owed: PATCH /state
//! DELETE /engine/a             owed: nothing
//! ```

use crate::client::Exchange;
use crate::report::modules_in_words;
use gm_core::contract::{Kind, Modules};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How many changes that nobody has told the car are said in full.
const MAX_NOTES: usize = 5;

/// How a car is, as far as the contract shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsFound {
    /// Its square.
    pub square: u64,
    /// How many modules it has.
    pub modules: Modules,
}

impl fmt::Display for AsFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modules = modules_in_words(Kind::ALL.map(|kind| self.modules.of(kind)));
        write!(f, "square {}, {modules}", self.square)
    }
}

impl AsFound {
    /// What is not as it was, and how it was: `square 7 (it was 4), 3 of kind engine (it had 2)`.
    pub(super) fn unlike(&self, before: &AsFound) -> Vec<String> {
        let mut unlike = Vec::new();
        if self.square != before.square {
            unlike.push(format!("square {}, and it was {}", self.square, before.square));
        }
        for kind in Kind::ALL {
            let [now, then] = [self, before].map(|it| it.modules.of(kind));
            if now != then {
                unlike.push(format!("{now} of kind {kind}, and it had {then}"));
            }
        }
        unlike
    }
}

/// What is known of the car besides what it answers.
#[derive(Debug, Default)]
pub(super) struct Keep {
    /// How it was found; none if it could not be seen.
    pub(super) found: Option<AsFound>,
    /// What its state said then, by which a change shows with one question.
    pub(super) state: Option<AsFound>,
    /// What was added and not yet taken away.
    pub(super) owed: Vec<(Kind, String)>,
    /// What may have been added, or have been its own before.
    pub(super) perhaps: Vec<(Kind, String)>,
    /// What was added and could not be taken away by name.
    pub(super) by_count: Vec<(Kind, String)>,
    /// It was told DELETE /state, and has not accepted a PATCH /state since.
    pub(super) retired: bool,
    /// Of which kinds the case that is checked has told the car something, and whether of its square.
    pub(super) told: BTreeSet<Kind>,
    pub(super) told_square: bool,
    /// Whether it was ever told anything, and not only asked.
    pub(super) told_anything: bool,
    /// Whether it drops what came last when its count is lowered; unknown where it was not tried.
    pub(super) newest_first: BTreeMap<Kind, bool>,
    /// How many modules of its own may have others of other names in their place.
    pub(super) replaced: BTreeMap<Kind, u64>,
    /// What it was without being told.
    notes: Vec<String>,
    unsaid: usize,
    /// Why it can't be asked any more.
    pub(super) gone: Option<String>,
}

impl Keep {
    /// A module was added, or may have been, as nobody knows whether the request has arrived.
    pub(super) fn owe(&mut self, kind: Kind, name: &str) {
        let module = (kind, name.to_owned());
        if !self.perhaps.contains(&module) && !self.owed.contains(&module) {
            self.owed.push(module);
        }
    }

    /// A module is gone again.
    pub(super) fn is_back(&mut self, kind: Kind, name: &str) {
        self.owed.retain(|(of, owed)| (*of, owed.as_str()) != (kind, name));
    }

    /// Takes notice of what the car is told: that it is out of the race, or in it (C-8, C-6), and of what else.
    pub(super) fn heed(&mut self, exchange: &Exchange) {
        let (method, path) = (exchange.ask.method.as_str(), exchange.ask.path.as_str());
        if method == "GET" || !exchange.was_sent() {
            return;
        }
        self.told_anything = true;
        self.told_square |= path.starts_with("/state");
        let kind = path.split('/').nth(1).unwrap_or_default();
        self.told.extend(Kind::ALL.into_iter().filter(|it| it.word() == kind));
        if path != "/state" {
            return;
        }
        let accepted = matches!(exchange.status(), Some(200..=299));
        match method {
            "DELETE" => self.retired = true,
            "PATCH" if accepted => self.retired = false,
            _ => {}
        }
    }

    /// Modules of its own may be gone, with others in their place. Of pilots a queue holds the number, and no names (C-2).
    pub(super) fn replace(&mut self, kind: Kind, many: u64) {
        if many > 0 && kind != Kind::Pilot {
            let most = self.found.map_or(u64::MAX, |found| found.modules.of(kind));
            let replaced = self.replaced.entry(kind).or_default();
            *replaced = replaced.saturating_add(many).min(most);
        }
    }

    /// Notes what the car was without being told.
    pub(super) fn note(&mut self, what: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(what);
        } else {
            self.unsaid += 1;
        }
    }

    /// What was noted, a line each.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut lines = self.notes.clone();
        if self.unsaid > 0 {
            lines.push(format!("So it was {} times more.", self.unsaid));
        }
        if !lines.is_empty() {
            lines.push(
                "It changes by itself, or does otherwise than it is told, or somebody else talks to it: another \
                 `conform`, a game master."
                    .to_owned(),
            );
        }
        lines
    }
}
