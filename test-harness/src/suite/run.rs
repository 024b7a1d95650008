//! Runs cases, one after the other.
//!
//! ```text
//! selected: C-11.2 ─ and what it needs ─▶ C-21.1, C-20.1, C-4.1 …, C-11.2 ─▶ each passed, failed, warned or skipped
//! ```

use super::case::{Case, Done, Failure, Level, Outcome, Ran, Stopped, Subject};
use super::known::Known;
use super::latency::{Latency, latencies};
use crate::client::{Exchange, Mask};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How what ends the subject is mended, and what it costs, whichever case it was.
const GONE_HINT: &str = "see in its log what ended it: no request may end the program that answers";
const GONE_COSTS: &str = "from then on a penalty for every question (R-7.1)";

/// What is told of a run while it goes on.
#[derive(Debug, Clone, Copy)]
pub enum Told<'r> {
    /// A case is done.
    Case(&'r Ran),
    /// What was asked besides the cases, and what for: the first look, what is set right between two cases, what is
    /// given back at the end.
    Besides(&'static str, &'r [Exchange]),
}

/// Which cases are run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection(Vec<String>);

/// A word that selects no case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is no case and no requirement that has cases; {}", meant(.like.as_deref()))]
pub struct SelectsNothing {
    /// The word.
    pub word: String,
    /// A word like it that selects some.
    pub like: Option<String>,
}

/// What to do about a word that names nothing.
pub(super) fn meant(like: Option<&str>) -> String {
    match like {
        Some(like) => format!("did you mean {like}?"),
        None => "`conform list` shows all".to_owned(),
    }
}

/// The word as ids are written: in capitals, and without what follows them in a sentence.
pub(super) fn as_id(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_uppercase()
}

impl Selection {
    /// All cases.
    #[must_use]
    pub fn all() -> Selection {
        Selection::default()
    }

    /// The cases with one of these ids or requirements, and what they need: `C-10`, `C-11.2`, `R-5`, `C`.
    ///
    /// # Errors
    /// [`SelectsNothing`] for a word that selects none of `cases`.
    pub fn only<T>(words: &[String], cases: &[Case<T>]) -> Result<Selection, SelectsNothing> {
        for word in words {
            if !cases.iter().any(|case| is_named(word, case)) {
                let like = as_id(word);
                let like = cases.iter().any(|case| is_named(&like, case)).then_some(like);
                return Err(SelectsNothing { word: word.clone(), like });
            }
        }
        Ok(Selection(words.to_vec()))
    }

    /// The ids of the selected cases and of all that they need.
    #[must_use]
    pub fn ids<T>(&self, cases: &[Case<T>]) -> BTreeSet<&'static str> {
        let named = |case: &&Case<T>| self.0.is_empty() || self.0.iter().any(|word| is_named(word, case));
        let mut ids: BTreeSet<&'static str> = cases.iter().filter(named).map(|case| case.id).collect();
        // What a case needs stands before it.
        for case in cases.iter().rev() {
            if ids.contains(case.id) {
                ids.extend(case.needs);
            }
        }
        ids
    }
}

fn is_named<T>(word: &str, case: &Case<T>) -> bool {
    word == case.id
        || word == case.requirement
        || case.id.strip_prefix(word).is_some_and(|rest| rest.starts_with(['-', '.']))
}

/// A whole run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// What was checked: `car` or `ai`.
    pub subject: &'static str,
    /// Where it is.
    pub place: String,
    /// All cases that were selected, in order.
    pub ran: Vec<Ran>,
    /// How long each endpoint took.
    pub latencies: Vec<Latency>,
    /// What else there is to say, a line each: how the car was left, what a race would have cost.
    pub verdict: Vec<String>,
    /// What is of interest, and no verdict: the seed, how strong an AI is.
    pub information: Vec<String>,
}

/// How many cases came out how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// They hold.
    pub passed: usize,
    /// They must hold and do not, and that was not known.
    pub failed: usize,
    /// They should hold and do not, and that was not known.
    pub warned: usize,
    /// They were not checked.
    pub skipped: usize,
    /// They do not hold, as was known.
    pub known: usize,
    /// They hold, although it was known that they do not.
    pub unexpected: usize,
}

impl Suite {
    /// How many cases came out how.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for ran in &self.ran {
            let count = match (&ran.outcome, ran.known) {
                (Outcome::Passed, false) => &mut summary.passed,
                (Outcome::Passed, true) => &mut summary.unexpected,
                (Outcome::Failed(_) | Outcome::Warned(_), true) => &mut summary.known,
                (Outcome::Failed(_), false) => &mut summary.failed,
                (Outcome::Warned(_), false) => &mut summary.warned,
                (Outcome::Skipped(_), _) => &mut summary.skipped,
            };
            *count += 1;
        }
        summary
    }

    /// Why nothing could be checked at all, if that is so: no connection was ever made.
    #[must_use]
    pub fn unreachable(&self) -> Option<String> {
        let mut asked = self.ran.iter().flat_map(|ran| &ran.exchanges);
        let first = asked.next()?.fault_in_words()?;
        let never = self.ran.iter().flat_map(|ran| &ran.exchanges).all(|exchange| exchange.connection == 0);
        never.then(|| format!("nothing could be checked at {}: {first}", self.place))
    }
}

impl Summary {
    /// Whether all is well: nothing failed that was not known to fail, and nothing is known to fail that does not.
    /// Where it is `strict`, warnings count too.
    #[must_use]
    pub fn is_good(&self, strict: bool) -> bool {
        self.failed == 0 && self.unexpected == 0 && !(strict && self.warned > 0)
    }
}

/// Runs the selected cases in order, and tells of each when it is done. Where the subject is gone, or the run is told to
/// stop, the rest is skipped.
pub async fn run<T: Subject>(
    cases: &[Case<T>],
    selection: &Selection,
    known: &Known,
    subject: &mut T,
    mut done: impl FnMut(Told<'_>),
) -> Vec<Ran> {
    let selected = selection.ids(cases);
    let mut outcomes: BTreeMap<&'static str, &'static str> = BTreeMap::new();
    let mut all = Vec::new();
    for case in cases.iter().filter(|case| selected.contains(case.id)) {
        let before = subject.exchanges().len();
        let started = Instant::now();
        let missing = case.needs.iter().find(|need| outcomes.get(*need) != Some(&"passed"));
        let (mut took, mut asked) = (Duration::ZERO, before);
        let stopped = match (subject.ended(), missing) {
            (Some(why), _) => Err(Stopped::Skip(why)),
            (None, Some(need)) => {
                let how = outcomes.get(need).copied().unwrap_or("not run");
                let how = if how == "warning" { "did not pass" } else { how };
                Err(Stopped::Skip(format!("needs {need}, which {}", past(how))))
            }
            (None, None) => {
                let checked = (case.check)(subject).await;
                (took, asked) = (started.elapsed(), subject.exchanges().len());
                match subject.look_after(case.id, checked).await {
                    Err(Stopped::Broken(failure)) if subject.tries_again(case.id) => {
                        Err(Stopped::Broken(try_again(case, subject, failure).await))
                    }
                    done => done,
                }
            }
        };
        let mut ran = ran(case, stopped, &subject.mask());
        (ran.known, ran.took) = (known.has(case.id), took);
        outcomes.insert(case.id, ran.outcome.word());
        let exchanges = subject.exchanges();
        asked = asked.min(exchanges.len());
        let shown_by = ran.outcome.failure().and_then(|failure| failure.exchange);
        // What shows that it is gone may be what was asked after the case.
        asked = asked.max(shown_by.map_or(0, |index| index + 1)).min(exchanges.len());
        ran.exchanges = exchanges[before..asked].iter().filter(|it| it.was_sent()).cloned().collect();
        ran.shown_by = shown_by.and_then(|index| index.checked_sub(before));
        done(Told::Case(&ran));
        if ran.outcome.failure().is_some() {
            subject.tidy().await;
        }
        let besides = &subject.exchanges()[asked..];
        if !besides.is_empty() {
            done(Told::Besides("looked after, and set right", besides));
        }
        all.push(ran);
    }
    all
}

/// Tries a case once more that did not hold. That it holds then is said: the failure is none that comes each time.
async fn try_again<T: Subject>(case: &Case<T>, subject: &mut T, mut failure: Failure) -> Failure {
    subject.tidy().await;
    let again = (case.check)(subject).await;
    if again.is_ok() && subject.ended().is_none() {
        subject.held(case.id);
        failure.found.push_str("; but tried once more, it held. So it does not fail each time");
    }
    failure
}

/// What has come of a case, without what was asked for it.
fn ran<T>(case: &Case<T>, done: Done, mask: &Mask) -> Ran {
    let Case { id, requirement, title, mut level, mut hint, mut costs, .. } = *case;
    let outcome = match (done, level) {
        (Ok(()), _) => Outcome::Passed,
        (Err(Stopped::Skip(why)), _) => Outcome::Skipped(mask.hide(&why)),
        (Err(Stopped::Broken(failure)), Level::Must) => Outcome::Failed(failure.hidden(mask)),
        (Err(Stopped::Broken(failure)), Level::Should) => Outcome::Warned(failure.hidden(mask)),
        (Err(Stopped::Gone(failure)), _) => {
            (level, hint, costs) = (Level::Must, GONE_HINT, GONE_COSTS);
            Outcome::Failed(failure.hidden(mask))
        }
    };
    let (known, took, exchanges, shown_by) = (false, Duration::ZERO, Vec::new(), None);
    Ran { id, requirement, title, level, hint, costs, outcome, known, took, exchanges, shown_by }
}

fn past(how: &str) -> &str {
    match how {
        "skipped" => "was skipped",
        other => other,
    }
}

/// The latencies of all exchanges of a subject.
#[must_use]
pub fn latencies_of<T: Subject>(subject: &T) -> Vec<Latency> {
    latencies(subject.exchanges())
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;

    /// A subject in which some things hold.
    #[derive(Default)]
    struct Thing {
        holds: Vec<&'static str>,
        asked: Vec<&'static str>,
        tidied: usize,
    }

    impl Subject for Thing {
        fn exchanges(&self) -> &[Exchange] {
            &[]
        }
        fn tidy(&mut self) -> BoxFuture<'_, ()> {
            self.tidied += 1;
            async {}.boxed()
        }
    }

    impl Thing {
        fn check(&mut self, what: &'static str) -> Done {
            self.asked.push(what);
            if self.holds.contains(&what) {
                return Ok(());
            }
            Err(Failure { expected: what.to_owned(), found: "none".to_owned(), exchange: None }.into())
        }
    }

    macro_rules! case {
        ($id:literal, $level:ident, $needs:expr) => {
            Case {
                id: $id,
                requirement: $id.split_at(3).0,
                title: "",
                level: Level::$level,
                needs: &$needs,
                hint: "",
                costs: "",
                check: |thing| async move { thing.check($id) }.boxed(),
            }
        };
    }

    fn cases() -> Vec<Case<Thing>> {
        vec![
            case!("C-1.1", Must, []),
            case!("C-2.1", Must, ["C-1.1"]),
            case!("C-2.2", Should, ["C-1.1"]),
            case!("C-3.1", Must, ["C-2.1", "C-2.2"]),
            case!("C-4.1", Should, []),
        ]
    }

    async fn outcomes(holds: &[&'static str], only: &[&str], known: &str) -> (String, Thing, Summary) {
        let cases = cases();
        let only: Vec<String> = only.iter().map(|word| (*word).to_owned()).collect();
        let selection = Selection::only(&only, &cases).expect("cases");
        let known = Known::read(known, cases.iter().map(|case| case.id)).expect("a list");
        let mut thing = Thing { holds: holds.to_vec(), ..Thing::default() };
        let mut told = Vec::new();
        let ran = run(&cases, &selection, &known, &mut thing, |it| {
            if let Told::Case(ran) = it {
                told.push(ran.id);
            }
        })
        .await;
        assert_eq!(told, ran.iter().map(|ran| ran.id).collect::<Vec<_>>());
        let words: Vec<String> = ran
            .iter()
            .map(|ran| match &ran.outcome {
                Outcome::Skipped(why) => format!("{} {why}", ran.id),
                outcome => format!("{} {}", ran.id, outcome.word()),
            })
            .collect();
        let suite = Suite {
            subject: "thing",
            place: String::new(),
            ran,
            latencies: Vec::new(),
            verdict: Vec::new(),
            information: Vec::new(),
        };
        (words.join("; "), thing, suite.summary())
    }

    /// What builds on what does not hold is skipped, and not asked.
    #[tokio::test]
    async fn what_builds_on_a_failure_is_skipped() {
        let all = ["C-1.1", "C-2.1", "C-2.2", "C-3.1", "C-4.1"];
        for (holds, expected) in [
            (&all[..], "C-1.1 passed; C-2.1 passed; C-2.2 passed; C-3.1 passed; C-4.1 passed"),
            (
                &all[1..],
                "C-1.1 failed; C-2.1 needs C-1.1, which failed; C-2.2 needs C-1.1, which failed; \
                 C-3.1 needs C-2.1, which was skipped; C-4.1 passed",
            ),
            (
                &["C-1.1", "C-2.1", "C-4.1"],
                "C-1.1 passed; C-2.1 passed; C-2.2 warning; C-3.1 needs C-2.2, which did not pass; C-4.1 passed",
            ),
        ] {
            let (words, thing, summary) = outcomes(holds, &[], "").await;
            assert_eq!(words, expected);
            let skipped = words.matches(", which").count();
            assert_eq!((thing.asked.len(), summary.skipped), (5 - skipped, skipped));
            assert_eq!(thing.tidied, summary.failed + summary.warned);
        }
    }

    /// What is selected comes with what it needs, and with nothing else.
    #[tokio::test]
    async fn selections() {
        let all = ["C-1.1", "C-2.1", "C-2.2", "C-3.1", "C-4.1"];
        for (only, expected) in [
            (&["C-2"][..], "C-1.1 passed; C-2.1 passed; C-2.2 passed"),
            (&["C-2.2"], "C-1.1 passed; C-2.2 passed"),
            (&["C-4.1", "C-1"], "C-1.1 passed; C-4.1 passed"),
            (&["C-3"], "C-1.1 passed; C-2.1 passed; C-2.2 passed; C-3.1 passed"),
            (&["C"], "C-1.1 passed; C-2.1 passed; C-2.2 passed; C-3.1 passed; C-4.1 passed"),
        ] {
            assert_eq!(outcomes(&all, only, "").await.0, expected, "{only:?}");
        }
        for (word, like) in [
            ("C-9", None),
            ("C-2.3", None),
            ("A", None),
            ("", None),
            ("C-", Some("C")),
            ("c-1", Some("C-1")),
            ("C-2.1.", Some("C-2.1")),
            ("2", None),
            ("C-22", None),
        ] {
            let refused = Selection::only(&[word.to_owned()], &cases());
            let like = like.map(str::to_owned);
            assert_eq!(refused, Err(SelectsNothing { word: word.to_owned(), like }));
        }
    }

    /// What is known to fail is no failure; what is known and passes is flagged; warnings count only where it is strict.
    #[tokio::test]
    async fn known_failures() {
        for (holds, known, [good, good_strict]) in [
            (&["C-1.1", "C-2.1", "C-2.2", "C-3.1", "C-4.1"][..], "", [true, true]),
            (&["C-1.1", "C-2.1", "C-2.2", "C-3.1"], "", [true, false]),
            (&["C-1.1", "C-2.1", "C-2.2", "C-3.1"], "C-4.1", [true, true]),
            (&["C-1.1", "C-2.1", "C-2.2", "C-4.1"], "", [false, false]),
            (&["C-1.1", "C-2.1", "C-2.2", "C-4.1"], "C-3.1", [true, true]),
            (&["C-1.1", "C-2.1", "C-2.2", "C-3.1", "C-4.1"], "C-3.1", [false, false]),
            // Skipped: neither known nor unexpected.
            (&["C-1.1", "C-2.2", "C-4.1"], "C-2.1\nC-3.1", [true, true]),
        ] {
            let (words, _, summary) = outcomes(holds, &[], known).await;
            let found = [summary.is_good(false), summary.is_good(true)];
            assert_eq!(found, [good, good_strict], "{words} {known:?}");
        }
    }
}
