//! Says what comes of a run, as it goes or at the end, on standard output.

use crate::Unusable;
use crate::options::{Cases, Format};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::{Duration, Instant};
use test_harness::report::text::Text;
use test_harness::report::{amount, json, junit, markdown};
use test_harness::suite::known::Known;
use test_harness::suite::{Case, Selection, Suite, Told, ai, car};

/// Where and how it is told.
pub(crate) struct Output {
    format: Format,
    text: Text,
    strict: bool,
    /// What comes on a terminal while it goes on.
    progress: Option<Progress>,
    /// What kept it from being written, if anything did.
    lost: Result<(), Unusable>,
}

/// How far it has come, for who watches.
struct Progress {
    begun: Instant,
    total: usize,
    done: usize,
}

impl Output {
    /// `total`: how many cases there are to be done.
    pub(crate) fn new(cases: &Cases, total: usize) -> Output {
        // Colours only on a terminal, and not where the user asks for none.
        let colours =
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
        let begun = Instant::now();
        let progress = io::stderr().is_terminal().then_some(Progress { begun, total, done: 0 });
        Output {
            format: cases.format,
            text: Text { colours, trace: cases.trace },
            strict: cases.strict,
            progress,
            lost: Ok(()),
        }
    }

    /// A case is done, or something was asked besides.
    pub(crate) fn told(&mut self, it: Told<'_>) {
        match (self.format, it) {
            (Format::Text, Told::Case(ran)) => self.say(&self.text.case(ran)),
            (Format::Text, Told::Besides(title, exchanges)) => self.say(&self.text.besides(title, exchanges)),
            (Format::Json, Told::Case(ran)) => self.say(&format!("{}\n", json::case(ran))),
            (Format::Json, Told::Besides(..)) | (Format::Junit | Format::Markdown, _) => {}
        }
        if let Some(progress) = &mut self.progress
            && matches!(it, Told::Case(_))
        {
            progress.done += 1;
            let line = how_far(progress.done, progress.total, progress.begun.elapsed());
            watch(&format!("{CLEAR}{line}"));
        }
    }

    /// All are done. Whether all is well.
    pub(crate) fn end(mut self, suite: &Suite) -> Result<bool, Unusable> {
        match self.format {
            Format::Text => self.say(&self.text.end(suite)),
            Format::Json => self.say(&format!("{}\n", json::end(suite))),
            Format::Junit => self.say(&junit::whole(suite).map_err(|why| why.to_string())?),
            Format::Markdown => self.say(&markdown::whole(suite)),
        }
        self.lost?;
        match suite.unreachable() {
            Some(why) => Err(why),
            None => Ok(suite.summary().is_good(self.strict)),
        }
    }

    fn say(&mut self, text: &str) {
        if self.progress.is_some() {
            watch(CLEAR);
        }
        if let Err(lost) = say(text) {
            self.lost = Err(lost);
        }
    }
}

/// What takes away a line that is written over.
pub(crate) const CLEAR: &str = "\r\u{1b}[K";

/// Writes something to who watches on a terminal, whether that works or not.
pub(crate) fn watch(text: &str) {
    _ = io::stderr().write_all(text.as_bytes());
}

/// One line that is written over: `12 of 78 cases, 31 s`.
fn how_far(done: usize, total: usize, took: Duration) -> String {
    format!("{done} of {}, {:.0} s", amount(total as u64, "case"), took.as_secs_f64())
}

/// Says it at once. Who has closed the other end has seen enough.
pub(crate) fn say(text: &str) -> Result<(), Unusable> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("the result could not be written: {error}"))
        }
        _ => Ok(()),
    }
}

/// The cases that were asked for, and those that are known to fail.
pub(crate) fn read<T>(options: &Cases, cases: &[Case<T>]) -> Result<(Selection, Known), Unusable> {
    let selection = Selection::only(&options.only, cases).map_err(|why| match elsewhere(&why.word) {
        Some(command) if why.like.is_none() => {
            format!("--only: {:?} is checked by `conform {command}`", why.word)
        }
        _ => format!("--only: {why}"),
    })?;
    let Some(path) = &options.known_failing else { return Ok((selection, Known::default())) };
    let text = std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let known = Known::read(&text, cases.iter().map(|case| case.id));
    Ok((selection, known.map_err(|why| format!("{}: {why}", path.display()))?))
}

/// The command that has cases with this id or requirement.
fn elsewhere(word: &str) -> Option<&'static str> {
    let words = [word.to_ascii_uppercase()];
    let of_car = Selection::only(&words, car::cases()).is_ok();
    let of_ai = Selection::only(&words, ai::cases()).is_ok();
    of_car.then_some("car").or(of_ai.then_some("ai"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_watches_is_told_how_far_it_is() {
        assert_eq!(how_far(12, 78, Duration::from_millis(31_400)), "12 of 78 cases, 31 s");
        assert_eq!(how_far(1, 1, Duration::ZERO), "1 of 1 case, 0 s");
    }
}
