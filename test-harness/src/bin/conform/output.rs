//! Says what comes of a run, as it goes or at the end, on standard output.

use crate::Unusable;
use crate::options::{Cases, Format};
use std::io::{self, IsTerminal, Write};
use test_harness::report::text::Text;
use test_harness::report::{json, junit, markdown};
use test_harness::suite::known::Known;
use test_harness::suite::{Case, Selection, Suite, Told};

/// Where and how it is told.
pub(crate) struct Output {
    format: Format,
    text: Text,
    strict: bool,
}

impl Output {
    pub(crate) fn new(cases: &Cases) -> Output {
        // Colours only on a terminal, and not where the user asks for none.
        let colours =
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
        Output { format: cases.format, text: Text { colours, trace: cases.trace }, strict: cases.strict }
    }

    /// A case is done, or something was asked besides.
    pub(crate) fn told(&self, it: Told<'_>) {
        match (self.format, it) {
            (Format::Text, Told::Case(ran)) => say(&self.text.case(ran)),
            (Format::Text, Told::Besides(title, exchanges)) => say(&self.text.besides(title, exchanges)),
            (Format::Json, Told::Case(ran)) => say(&format!("{}\n", json::case(ran))),
            (Format::Json, Told::Besides(..)) | (Format::Junit | Format::Markdown, _) => {}
        }
    }

    /// All are done. Whether all is well.
    pub(crate) fn end(&self, suite: &Suite) -> Result<bool, Unusable> {
        match self.format {
            Format::Text => say(&self.text.end(suite)),
            Format::Json => say(&format!("{}\n", json::end(suite))),
            Format::Junit => say(&junit::whole(suite).map_err(|why| why.to_string())?),
            Format::Markdown => say(&markdown::whole(suite)),
        }
        Ok(suite.summary().is_good(self.strict))
    }
}

/// Says it at once. Who has closed the other end has seen enough.
pub(crate) fn say(text: &str) {
    let mut out = io::stdout().lock();
    _ = out.write_all(text.as_bytes());
    _ = out.flush();
}

/// The cases that were asked for, and those that are known to fail.
pub(crate) fn read<T>(options: &Cases, cases: &[Case<T>]) -> Result<(Selection, Known), Unusable> {
    let selection = Selection::only(&options.only, cases).map_err(|why| format!("--only: {why}"))?;
    let Some(path) = &options.known_failing else { return Ok((selection, Known::default())) };
    let text = std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let known = Known::read(&text, cases.iter().map(|case| case.id));
    Ok((selection, known.map_err(|why| format!("{}: {why}", path.display()))?))
}
