//! A car is sent generated nonsense, with a seed and a time limit, and what breaks it is made short.
//!
//! ```no_run
//! # async fn a_test() -> Result<(), test_harness::client::BadPlace> {
//! use test_harness::fuzz::{Settings, fuzz};
//! let report = fuzz(Settings::new("http://127.0.0.1:8080", 7), |_| {}).await?;
//! assert!(report.is_good(), "{report}");
//! # Ok(())
//! # }
//! ```
//!
//! It knows how the car was found and what was added to it, and looks after each request whether the car is what it may
//! be (C-4, C-5). What a sane car may do with nonsense (refuse it with 4xx, take it, close the connection over it) is no
//! finding; that a request is refused which is right, as the game master sends it, is one. Nor is it a finding what can't be
//! repeated, but for a 5xx and what the car does not come back from. Counts are never set below those at which the car was found,
//! but names are sent that it may have had itself, a car that takes `null` for a number may drop modules, and which ones
//! go when a count is lowered is its own affair: it gets as many back, of other names, and the last line says so.
//!
//! 1. [`Dice`]: random numbers that follow from a seed.
//! 2. [`episode`]: steps from a seed: names, nonsense, raw bytes.
//! 3. `model`: what may have changed after a step.
//! 4. `session`: sends steps, looks, brings the car back.
//! 5. `shrink`: the shortest sequence that still breaks it.
//! 6. `tell`: what is said of it, and how it is repeated by hand.

mod dice;
mod generate;
mod model;
mod names;
mod nonsense;
mod raw;
mod session;
mod shrink;
mod step;
mod tell;

pub use dice::Dice;
pub use generate::{EPISODE, Found, episode};
pub use names::is_plain;
pub use raw::Raw;
pub use shrink::{MAX_TIME, MAX_TRIES};
pub use step::{Id, Key, Spelling, Step, What};

use crate::client::{BadPlace, DEADLINE};
use crate::stop::Stop;
use session::{Break, Session};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// After so many steps all counts are looked at, and not only the state.
const LOOK_AT_ALL: usize = 8;

/// How long it goes on, if nothing else is said.
pub const TIME_LIMIT: Duration = Duration::from_secs(30);

/// How many things that could not be repeated are told.
const MAX_NOTES: usize = 10;

/// Which car, and how long.
#[derive(Clone)]
pub struct Settings {
    /// The car's base URL.
    pub url: String,
    /// The secret of its team (C-20); none: none is sent.
    pub secret: Option<String>,
    /// How long it may take for one answer (C-21).
    pub deadline: Duration,
    /// What all requests follow from.
    pub seed: u64,
    /// When no more requests are begun. What was found by then is still made short, for [`MAX_TIME`] each.
    pub time_limit: Duration,
    /// The length of the sequence.
    pub max_requests: u64,
    /// After so many findings it stops; at least 1.
    pub findings: usize,
    /// What ends the run early.
    pub stop: Stop,
}

impl Settings {
    /// A car without a secret, with the deadline of the contract, for half a minute.
    #[must_use]
    pub fn new(url: impl Into<String>, seed: u64) -> Settings {
        Settings {
            url: url.into(),
            secret: None,
            deadline: DEADLINE,
            seed,
            time_limit: TIME_LIMIT,
            max_requests: u64::MAX,
            findings: 5,
            stop: Stop::default(),
        }
    }
}

/// How a car broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Broke {
    /// It answered 5xx.
    ServerError,
    /// It did not answer within the deadline.
    Hung,
    /// It closed the connection without an answer, or can't be reached.
    Closed,
    /// It refused a request, and changed all the same.
    ChangedByRefusal,
    /// It was asked a question, and changed.
    ChangedByQuestion,
    /// It accepted a command, and did something else.
    WrongEffect,
    /// Afterwards it does not answer a normal question any more, or not rightly.
    Lost,
    /// It let somebody in who does not know the secret, and keeps others out.
    LetIn,
    /// It refused a request that is right, as the game master sends it.
    RefusedRight,
}

impl Broke {
    /// One word, for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Broke::ServerError => "server-error",
            Broke::Hung => "hung",
            Broke::Closed => "closed",
            Broke::ChangedByRefusal => "changed-by-refusal",
            Broke::ChangedByQuestion => "changed-by-question",
            Broke::WrongEffect => "wrong-effect",
            Broke::Lost => "lost",
            Broke::LetIn => "let-in",
            Broke::RefusedRight => "refused-right",
        }
    }
}

/// Whether something broke the car again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// It did, with the car as it was found.
    Repeated,
    /// It did not, with the car as it was found: it needs something else, too.
    Once,
    /// The car could not be brought back, so that it could not be tried.
    Gone,
}

impl Again {
    /// One word, for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Again::Repeated => "repeated",
            Again::Once => "once",
            Again::Gone => "gone",
        }
    }
}

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many steps were sent, those of the search for short sequences included.
    pub requests: u64,
    /// How many findings there are.
    pub findings: usize,
    /// For how long it goes on.
    pub took: Duration,
    /// Whether a finding is being made short.
    pub shrinks: bool,
}

/// Something that breaks the car.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How.
    pub how: Broke,
    /// What had to be.
    pub expected: String,
    /// What was instead.
    pub found: String,
    /// The answer to the last of the requests.
    pub answer: String,
    /// The steps that break it, as few and simple as was found.
    pub steps: Vec<Step>,
    /// The same as lines for a shell.
    pub lines: Vec<String>,
    /// Which request of the sequence it was, from 1.
    pub request: u64,
    /// The command that finds it again.
    pub command: String,
    /// Whether it broke the car again.
    pub again: Again,
    /// How many tries were made to make it short.
    pub tries: usize,
    /// How often it was seen.
    pub seen: u64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The car's base URL.
    pub place: String,
    /// The seed.
    pub seed: u64,
    /// How many steps were sent, those of the search for short sequences included.
    pub requests: u64,
    /// How long it took.
    pub took: Duration,
    /// What breaks the car.
    pub findings: Vec<Finding>,
    /// What is odd but breaks nothing, or could not be repeated; a line each.
    pub notes: Vec<String>,
    /// Why no more was asked, if the car could not be brought back or was never seen.
    pub stopped: Option<String>,
    /// How the car was left, a line each.
    pub left: Vec<String>,
}

impl Report {
    /// Nothing broke the car, and it was asked.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.findings.is_empty() && self.stopped.is_none()
    }
}

/// Sends nonsense to a car until the time is up, or enough is found, and brings the car back.
///
/// # Errors
/// [`BadPlace`] if its URL is none. A car that does not answer is no error: the report says so.
pub async fn fuzz(settings: Settings, progress: impl FnMut(&Progress)) -> Result<Report, BadPlace> {
    let session = Session::begin(settings.clone()).await?;
    let begun = Instant::now();
    let place = session.place().to_owned();
    let report = Report {
        place,
        seed: settings.seed,
        requests: 0,
        took: Duration::ZERO,
        findings: Vec::new(),
        notes: Vec::new(),
        stopped: None,
        left: Vec::new(),
    };
    let mut run = Run { settings, session, begun, report, progress, known: BTreeSet::new(), unrepeated: 0 };
    run.go().await;
    run.report.left = run.session.leave().await;
    run.report.requests = run.session.sent;
    run.report.took = run.begun.elapsed();
    Ok(run.report)
}

struct Run<P> {
    settings: Settings,
    session: Session,
    begun: Instant,
    report: Report,
    progress: P,
    /// How steps broke the car before they were made short, so that it need not be done again: how, and the finding.
    known: BTreeSet<(String, usize)>,
    unrepeated: usize,
}

impl<P: FnMut(&Progress)> Run<P> {
    async fn go(&mut self) {
        let found = match self.session.found() {
            Ok(found) => found.found(),
            Err(unseen) => {
                self.report.stopped = Some(unseen.to_owned());
                return;
            }
        };
        let mut number = 0;
        let mut request = 0;
        while self.goes_on(request) {
            let is_back = self.session.bring_back().await;
            if self.is_stopped() {
                break;
            }
            if !is_back {
                self.report.stopped =
                    Some("the car could not be brought back to how it was found".to_owned());
                break;
            }
            let steps = episode(self.settings.seed, number, &found);
            // Once it is told to stop, no answer is no break.
            if let Some((at, broken)) = self.episode(&steps, request).await
                && !self.is_stopped()
            {
                let done = steps[..=at].to_vec();
                self.found(done, broken, request + at as u64 + 1).await;
            }
            number += 1;
            request += EPISODE as u64;
            self.tell(false);
        }
        if let Some(why) = self.settings.stop.why() {
            self.report.stopped = Some(format!("it was told to stop ({why})"));
        }
        self.note_secrets();
        if self.unrepeated > MAX_NOTES {
            self.report.notes.push(format!("{} more could not be repeated", self.unrepeated - MAX_NOTES));
        }
        if !self.session.takes_bytes() {
            self.report.notes.push("Raw bytes were not sent: they are only sent to http.".to_owned());
        }
    }

    fn goes_on(&self, request: u64) -> bool {
        request < self.settings.max_requests
            && self.report.findings.len() < self.settings.findings.max(1)
            && self.begun.elapsed() < self.settings.time_limit
            && !self.is_stopped()
    }

    fn is_stopped(&self) -> bool {
        self.settings.stop.why().is_some()
    }

    /// Does the steps of an episode, of which the first is the `request`th after others. The one that broke the car.
    async fn episode(&mut self, steps: &[Step], request: u64) -> Option<(usize, Break)> {
        for (at, step) in steps.iter().enumerate() {
            if at > 0 && !self.goes_on(request + at as u64) {
                return None;
            }
            let is_last = at + 1 == steps.len() || request + at as u64 + 1 == self.settings.max_requests;
            if let Err(broken) = self.session.step(step, is_last || at % LOOK_AT_ALL == 0).await {
                self.session.owe(step);
                return Some((at, broken));
            }
        }
        None
    }

    /// The car broke on the last of these steps, the `request`th of all.
    async fn found(&mut self, steps: Vec<Step>, broken: Break, request: u64) {
        let key = steps.last().map(|step| tell::shape(step, broken.how)).unwrap_or_default();
        if let Some((_, at)) = self.known.iter().find(|(known, _)| *known == key) {
            self.report.findings[*at].seen += 1;
            return;
        }
        self.tell(true);
        let progress = &mut self.progress;
        let (findings, begun) = (self.report.findings.len(), self.begun);
        let shrunk = shrink::shrink(&mut self.session, steps, &broken, |session| {
            progress(&Progress { requests: session.sent, findings, took: begun.elapsed(), shrinks: true });
        })
        .await;
        if shrunk.broken.is_none() && self.is_stopped() {
            let last = shrunk.steps.last().map(Step::to_string).unwrap_or_default();
            self.report.notes.push(format!(
                "Request {request} ({last}) broke the car, and it was told to stop before that could be repeated: expected \
                 {}, found {}",
                broken.expected, broken.found
            ));
            return;
        }
        let again = match &shrunk.broken {
            Some(_) => Again::Repeated,
            None if self.session.bring_back().await => Again::Once,
            None => Again::Gone,
        };
        if again == Again::Once && broken.how != Broke::ServerError {
            self.unrepeated += 1;
            if self.unrepeated <= MAX_NOTES {
                let last = shrunk.steps.last().map(Step::to_string).unwrap_or_default();
                self.report.notes.push(format!(
                    "Request {request} ({last}) could not be repeated: expected {}, found {}",
                    broken.expected, broken.found
                ));
            }
            return;
        }
        let broken = shrunk.broken.unwrap_or(broken);
        let shapes: Vec<String> = shrunk.steps.iter().map(|step| tell::shape(step, broken.how)).collect();
        let same = self.report.findings.iter().position(|finding| {
            finding.how == broken.how
                && finding.steps.iter().map(|step| tell::shape(step, finding.how)).eq(shapes.iter().cloned())
        });
        if let Some(at) = same {
            self.report.findings[at].seen += 1;
            self.known.insert((key, at));
            return;
        }
        let lines = tell::lines(&mut self.session, &shrunk.steps, self.settings.secret.is_some());
        self.known.insert((key, self.report.findings.len()));
        self.report.findings.push(Finding {
            how: broken.how,
            expected: broken.expected,
            found: broken.found,
            answer: broken.answer,
            steps: shrunk.steps,
            lines,
            request,
            command: tell::command(&self.settings, request),
            again,
            tries: shrunk.tries,
            seen: 1,
        });
    }

    fn note_secrets(&mut self) {
        let guards = self.session.guards();
        if self.session.wants_secret {
            let note = "The car answers 401 to some requests: give its secret by --secret or CONFORM_SECRET.";
            self.report.notes.push(note.to_owned());
        }
        if self.settings.secret.is_none() {
            return;
        }
        for (guarded, what) in [(guards.questions, "questions"), (guards.commands, "commands")] {
            if !guarded {
                self.report.notes.push(format!("The car answers {what} without the right secret (C-20)."));
            }
        }
    }

    fn tell(&mut self, shrinks: bool) {
        (self.progress)(&Progress {
            requests: self.session.sent,
            findings: self.report.findings.len(),
            took: self.begun.elapsed(),
            shrinks,
        });
    }
}
