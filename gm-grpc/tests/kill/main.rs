//! C-20, R-10.5: `gm run` is killed everywhere, and each race comes to the same end, byte for byte.
//!
//! ```text
//! sent:17            the process kills itself when it is about to send its 17th request
//! answered:17        … when the 17th answer has come, and is not in the journal
//! kept:17            … when it is, and the rules have not seen it
//! before-commit:3    … before its third decision is committed
//! after-commit:3     … after it
//! after:17           the process is killed when it has lived for 17 milliseconds: while it is started
//! struck:17          the car that gets the 17th request kills the process, and then does what it was told
//! ```
//!
//! To repeat one of them: `GM_KILL_ONLY=sent:17 cargo test -p gm-grpc --test kill`. With `+` behind it, as `kept:5+`,
//! each process after it dies so too. `GM_KILL_EVERY=3` kills at each third point instead of at some.
//!
//! - `race`: the race and its cast; `field`: the cars and AIs as servers, and what they were asked.
//! - `process`: `gm run`, life after life; `ledger`: what a life has left in the journal.
//! - `verdict`: what must be so in the end.

mod field;
mod ledger;
mod process;
mod race;
mod shutdown;
mod verdict;

use field::{Field, Strike};
use futures_util::{StreamExt as _, stream};
use process::{Disturbance, Finished, Probe, run, was_killed};
use race::Course;
use rustix::process::Signal;
use std::sync::Arc;
use std::time::Duration;
use verdict::Expected;

/// How many races are run at the same time.
const AT_ONCE: usize = 2;

/// How many failures are told in full.
const MOST_TOLD: usize = 5;

/// At how many points of each kind a process is killed, spread over the race.
const SENT: u64 = 60;
const ANSWERED: u64 = 60;
const KEPT: u64 = 40;
const STRUCK: u64 = 30;

/// How often it is killed while it is started, and after how many milliseconds more each time.
const STARTS: u64 = 20;
const START_STEP: u64 = 3;

/// A race, and how it is disturbed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Case {
    point: String,
    nth: u64,
    /// Whether each process dies so, or only the first.
    always: bool,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}{}", self.point, self.nth, if self.always { "+" } else { "" })
    }
}

impl Case {
    fn new(point: &str, nth: u64) -> Case {
        Case { point: point.to_owned(), nth, always: false }
    }

    fn parse(text: &str) -> Option<Case> {
        let (text, always) = text.strip_suffix('+').map_or((text, false), |text| (text, true));
        let (point, nth) = text.split_once(':')?;
        Some(Case { point: point.to_owned(), nth: nth.parse().ok()?, always })
    }

    fn disturbance(&self) -> Disturbance {
        const POINTS: [&str; 5] = ["sent", "answered", "kept", "before-commit", "after-commit"];
        let nth = self.nth;
        match POINTS.into_iter().find(|point| *point == self.point) {
            Some(point) if self.always => Disturbance::Always(Probe { point, nth }),
            Some(point) => Disturbance::Once(Probe { point, nth }),
            None if self.point == "after" => Disturbance::After(Duration::from_millis(nth)),
            None => {
                assert_eq!(self.point, "struck", "{self} is no case");
                let at = usize::try_from(nth).expect("a small number");
                Disturbance::Struck(Strike { at, signals: &[("", Signal::KILL)], waits: true })
            }
        }
    }
}

/// So many numbers from 1 to `last`, spread evenly, both ends among them.
fn spread(how_many: u64, last: u64) -> impl Iterator<Item = u64> {
    let how_many = how_many.min(last);
    (0..how_many).map(move |number| 1 + number * (last - 1) / (how_many - 1).max(1))
}

/// Where the race is killed. One step: at how many points of each kind; none: at some.
fn cases(expected: &Expected, every: Option<u64>) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |point: &str, how_many: u64, last: u64| {
        let how_many = every.map_or(how_many, |every| last.div_ceil(every.max(1)));
        cases.extend(spread(how_many, last).map(|nth| Case::new(point, nth)));
    };
    add("sent", SENT, expected.exchanges);
    add("answered", ANSWERED, expected.exchanges);
    add("kept", KEPT, expected.exchanges);
    add("before-commit", expected.commits, expected.commits);
    add("after-commit", expected.commits, expected.commits);
    add("struck", STRUCK, expected.requests);
    cases.extend((0..STARTS).map(|number| Case::new("after", number * START_STEP)));
    // Again and again. A process that dies with nothing kept comes no further, and as many conversations as there are
    // cars are held at the same time: so it is the answers that are kept which are counted, or more than that.
    for (point, nth) in [("kept", 5), ("answered", 23), ("sent", 31), ("after-commit", 1)] {
        cases.push(Case { always: true, ..Case::new(point, nth) });
    }
    cases
}

/// A race that is not disturbed, and what is expected of all others.
async fn undisturbed(field: &Field) -> (Finished, Expected) {
    let finished =
        run(field, "undisturbed", Disturbance::None, was_killed).await.expect("the undisturbed race");
    let expected = Expected::of(&finished).await.expect("the undisturbed race");
    (finished, expected)
}

/// Runs the race once for each case.
async fn disturbed(field: Arc<Field>, expected: Expected, cases: Vec<Case>) {
    let begin = std::time::Instant::now();
    let how_many = cases.len();
    let verdicts = stream::iter(cases).map(|case| {
        let (field, expected) = (&field, &expected);
        async move {
            let disturbance = case.disturbance();
            let wrong = match run(field, &case.to_string(), disturbance, was_killed).await {
                Ok(finished) => {
                    let told = finished.lives.iter().map(|life| life.stderr.as_str()).chain([&*finished.stderr]);
                    let told = told.collect::<Vec<_>>().join("");
                    let wrong = expected.against(&finished, disturbance).await;
                    if wrong.is_empty() { None } else { Some(format!("{}\n{told}", wrong.join("\n"))) }
                }
                Err(wrong) => Some(wrong),
            };
            wrong.map(|wrong| {
                format!(
                    "{case} with seed {}: {wrong}\nto repeat it: GM_KILL_ONLY={case} cargo test -p gm-grpc --test kill",
                    race::SEED
                )
            })
        }
    });
    let failures: Vec<String> =
        verdicts.buffer_unordered(AT_ONCE).filter_map(std::future::ready).collect().await;
    eprintln!("{how_many} races in {:?}", begin.elapsed());
    let told = failures.iter().take(MOST_TOLD).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(failures.is_empty(), "{} of {how_many} races went wrong:\n{told}", failures.len());
}

/// What the environment wants instead of what is usual.
fn wanted(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c_20_killed_anywhere_it_comes_to_the_same_end() {
    let field = Field::start(Course::Busy).await;
    let (_, expected) = undisturbed(&field).await;
    for event in [
        "duel_played",
        "duel_forfeited",
        "fight_won",
        "pirates_attacked",
        "wreck_searched",
        "wreck_left",
        "minefield_crossed",
        "minefield_avoided",
        "module_bought",
        "bonus_taken",
        "module_lost",
        "penalised",
        "car_retired",
        "turn_missed",
    ] {
        assert!(expected.events().contains(&format!(r#""event":"{event}""#)), "a race without {event}");
    }
    let cases = match wanted("GM_KILL_ONLY") {
        Some(only) => vec![Case::parse(&only).expect("GM_KILL_ONLY is a case, such as sent:17")],
        None => cases(&expected, wanted("GM_KILL_EVERY").and_then(|every| every.parse().ok())),
    };
    disturbed(field, expected, cases).await;
}

/// C-21, R-6.8, R-7.8: the same where a car is late, where it is asked again, and where a duel takes too long.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c_21_killed_while_a_car_is_late() {
    if wanted("GM_KILL_ONLY").is_some() {
        return;
    }
    let field = Field::start(Course::Late).await;
    let (finished, expected) = undisturbed(&field).await;
    for word in ["out_of_time", "penalised"] {
        assert!(expected.events().contains(word), "a race without {word}");
    }
    let seen = finished.run.requests().requests;
    let number = |place: &str| seen.get(place).map(|asked| asked.number as u64).expect("this is asked");
    let (late, again) = (number("t1-spotcheck-c4-1"), number("t1-spotcheck-c4-2"));
    let duel = seen.values().filter(|asked| asked.server == "blue-ai").map(|asked| asked.number as u64).max();
    let duel = duel.expect("the AI that is late is asked");
    // While the answer is waited for; when the deadline has passed, which is the last that happens before the car is
    // asked again; and when that is known. Nobody sends anything while a duel's time runs out.
    let mut cases: Vec<Case> = [late, again, duel].map(|nth| Case::new("struck", nth)).into();
    for point in ["sent", "answered", "kept"] {
        cases.extend([again - 1, again, duel].map(|nth| Case::new(point, nth)));
    }
    disturbed(field, expected, cases).await;
}
