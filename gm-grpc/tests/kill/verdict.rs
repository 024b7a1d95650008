//! What must be so after a race that was disturbed: the same as after one that was not, and nothing asked again that
//! was known.
//!
//! ```text
//! journal at the kill:  t2-track-c3-1 is recorded        afterwards it is seen no more
//!                       t2-track-c3-2 was sent, and is not      it is seen at most once more, the same
//! ```

use super::process::{Disturbance, Finished, Life, Probe};
use std::collections::BTreeMap;

/// A race that was not disturbed.
pub(crate) struct Expected {
    events: String,
    /// Who was asked what, by the place of the request.
    asked: BTreeMap<String, (&'static str, String)>,
    states: BTreeMap<&'static str, String>,
    /// How many exchanges there are.
    pub(crate) exchanges: u64,
    /// How many requests.
    pub(crate) requests: u64,
    /// How many decisions.
    pub(crate) commits: u64,
}

impl Expected {
    /// What is expected of all races, after one that was not disturbed.
    ///
    /// # Errors
    /// What is wrong with that one.
    pub(crate) async fn of(finished: &Finished) -> Result<Expected, String> {
        let seen = finished.run.requests();
        let asked = asked(finished);
        let mut wrong = seen.offences;
        wrong.extend(seen.requests.iter().filter(|(_, asked)| asked.times != 1).map(|(place, asked)| {
            format!("{place} was asked {} times, and nothing was disturbed", asked.times)
        }));
        let recorded: Vec<&String> = finished.ledger.recorded.iter().collect();
        if recorded != asked.keys().collect::<Vec<_>>() {
            wrong.push(format!("asked {} requests, and recorded {}", asked.len(), recorded.len()));
        }
        if !finished.lives.is_empty() {
            wrong.push("nothing was disturbed, and a process died".to_owned());
        }
        if !wrong.is_empty() {
            return Err(wrong.join("\n"));
        }
        Ok(Expected {
            events: finished.events.clone(),
            requests: asked.len() as u64,
            asked,
            states: finished.run.states().await,
            exchanges: finished.ledger.exchanges,
            commits: finished.ledger.committed,
        })
    }

    /// The events of the race, as lines.
    pub(crate) fn events(&self) -> &str {
        &self.events
    }

    /// Everything that is not as it should be with a race that was disturbed.
    pub(crate) async fn against(&self, finished: &Finished, disturbance: Disturbance) -> Vec<String> {
        let seen = finished.run.requests();
        let mut wrong = seen.offences.clone();
        if finished.ledger.races.len() != 1 {
            wrong.push(format!("{} races, not one", finished.ledger.races.len()));
        }
        if seen.race.as_ref() != finished.ledger.races.first() {
            wrong.push(format!("the cars know {:?}, the journal {:?}", seen.race, finished.ledger.races));
        }
        if self.events != finished.events {
            wrong.push(difference("event", self.events.lines(), finished.events.lines()));
        }
        let asked = asked(finished);
        if self.asked != asked {
            wrong.push(difference("request", self.asked.iter(), asked.iter()));
        }
        let states = finished.run.states().await;
        if self.states != states {
            wrong.push(difference("car", self.states.iter(), states.iter()));
        }
        for (place, asked) in &seen.requests {
            // Once, and once more for each life that had asked it and left it unanswered.
            let unanswered = finished.lives.iter().filter(|life| {
                life.seen.requests.contains_key(place) && !life.ledger.recorded.contains(place)
            });
            let most = 1 + unanswered.count();
            if asked.times > most {
                wrong.push(format!("{place} was seen {} times, and at most {most} can be", asked.times));
            }
        }
        for (number, life) in (1..).zip(&finished.lives) {
            let again = life.ledger.recorded.iter().find(|place| {
                let then = life.seen.requests.get(*place).map(|asked| asked.times);
                then.is_none() || then != seen.requests.get(*place).map(|asked| asked.times)
            });
            if let Some(place) = again {
                wrong.push(format!(
                    "{place} was in the journal when life {number} ended, and was asked again"
                ));
            }
        }
        match disturbance {
            // One that is killed by the clock may be done before.
            Disturbance::None | Disturbance::After(_) => {}
            Disturbance::Once(probe) => match finished.lives.as_slice() {
                [life] => wrong.extend(self.died_elsewhere(life, probe)),
                lives => wrong.push(format!("{} lives before the last, not one", lives.len())),
            },
            Disturbance::Always(_) | Disturbance::Struck(_) if finished.lives.is_empty() => {
                wrong.push("nobody died".to_owned());
            }
            Disturbance::Always(_) | Disturbance::Struck(_) => {}
        }
        wrong
    }

    /// Why a process that kills itself has not died where it should.
    fn died_elsewhere(&self, life: &Life, probe: Probe) -> Option<String> {
        let Life { ledger, seen, .. } = life;
        let Probe { point, nth } = probe;
        let is_there = match point {
            // What is sent next to it may be in the journal, or not be seen yet.
            "sent" => ledger.exchanges < nth && (seen.count as u64) < nth,
            "answered" => ledger.exchanges < nth,
            "kept" => ledger.exchanges >= nth,
            "before-commit" => (ledger.committed, ledger.begun) == (nth - 1, nth),
            "after-commit" => (ledger.committed, ledger.begun) == (nth, nth),
            _ => false,
        };
        let found = format!(
            "died with {} exchanges, {} decisions of {} complete, {} requests seen",
            ledger.exchanges, ledger.committed, ledger.begun, seen.count
        );
        (!is_there).then_some(found)
    }
}

fn asked(finished: &Finished) -> BTreeMap<String, (&'static str, String)> {
    let requests = finished.run.requests().requests;
    requests.into_iter().map(|(place, asked)| (place, (asked.server, asked.text))).collect()
}

/// The first difference between what is expected and what is found.
fn difference<T: PartialEq + std::fmt::Debug>(
    what: &str,
    mut expected: impl Iterator<Item = T>,
    mut found: impl Iterator<Item = T>,
) -> String {
    for number in 1.. {
        match (expected.next(), found.next()) {
            (None, None) => break,
            (one, other) if one != other => {
                return format!("{what} {number} differs\n    expected: {one:?}\n    found:    {other:?}");
            }
            _ => {}
        }
    }
    format!("{what}s differ in their ends of lines")
}
