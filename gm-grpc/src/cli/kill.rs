//! Lets a test kill this process at a point of its choice, as `kill -9` would: only in debug builds.
//!
//! ```sh
//! GM_TEST_KILL_AT=answered:17 gm run race.toml      # dies when its 17th answer has come, before that is in the journal
//! ```
//!
//! The points are `sent`, `answered`, `kept`, `before-commit` and `after-commit`; they are counted from 1, in this
//! process. It kills itself with SIGKILL, so nothing is tidied up: what a race needs must be in the journal by then.

use crate::durable::{Point, Probe};
use rustix::process::{Signal, getpid, kill_process};
use std::env;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the environment says at which point the process dies.
const VARIABLE: &str = "GM_TEST_KILL_AT";

/// The words for the points.
const POINTS: [(&str, Point); 5] = [
    ("sent", Point::Sent),
    ("answered", Point::Answered),
    ("kept", Point::Kept),
    ("before-commit", Point::BeforeCommit),
    ("after-commit", Point::AfterCommit),
];

/// Kills the process when it comes to a point for the nth time.
#[derive(Debug)]
pub(super) struct Kill {
    at: Point,
    left: AtomicU64,
}

impl Kill {
    /// What the environment says; none: the process lives.
    ///
    /// # Errors
    /// Says what the variable must be, if it is something else.
    pub(super) fn from_environment() -> Result<Option<Kill>, String> {
        match env::var(VARIABLE) {
            Err(env::VarError::NotPresent) => Ok(None),
            Err(env::VarError::NotUnicode(_)) => Err(Kill::wanted("not text")),
            Ok(text) => Kill::parse(&text).map(Some),
        }
    }

    fn parse(text: &str) -> Result<Kill, String> {
        let parsed = text.split_once(':').and_then(|(word, number)| {
            let (_, at) = POINTS.into_iter().find(|(known, _)| *known == word)?;
            let left = number.parse().ok().filter(|number| *number > 0)?;
            Some(Kill { at, left: AtomicU64::new(left) })
        });
        parsed.ok_or_else(|| Kill::wanted(text))
    }

    fn wanted(found: &str) -> String {
        let words = POINTS.map(|(word, _)| word).join(", ");
        format!(
            "{VARIABLE} is {found:?}, and must be a point and a number from 1, such as sent:17; points: {words}"
        )
    }

    /// Whether this is the point, and the last time to come to it.
    fn is_due(&self, point: Point) -> bool {
        point == self.at && self.left.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

impl Probe for Kill {
    fn dies_at(&self, point: Point) -> bool {
        if self.is_due(point) {
            // Nothing can keep SIGKILL from its own process; if something did, the race would end here all the same.
            let _ = kill_process(getpid(), Signal::KILL);
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_due_once() {
        let kill = Kill::parse("kept:2").expect("a point and a number");
        for (point, due) in
            [(Point::Kept, false), (Point::Sent, false), (Point::Kept, true), (Point::Kept, false)]
        {
            assert_eq!(kill.is_due(point), due, "{point:?}");
        }
    }

    #[test]
    fn what_is_no_point() {
        for wrong in ["", "sent", "sent:", "sent:0", "sent:-1", "send:1", "kept:x", "17"] {
            let told = Kill::parse(wrong).expect_err(wrong);
            assert!(told.contains("such as sent:17; points: sent, answered"), "{told}");
        }
    }
}
