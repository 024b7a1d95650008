//! The log of a server, on its error output: lines for a person, or lines of JSON.
//!
//! ```text
//! 2026-11-30T21:00:00.123456Z  WARN request{request_id="7f3a" path="/gm.v1.AdminService/StepTurn"}: gm_grpc::…: …
//! {"timestamp":"2026-11-30T21:00:00.123456Z","level":"WARN","fields":{"message":"…"},"target":"gm_grpc::…", …}
//! ```
//!
//! Whatever comes from outside can get into a line: the name of a team, the answer of a car. So each event is one line,
//! and control characters, which a terminal obeys, are written out. Colours are only on a terminal.

use crate::serve::settings::{Log, LogFormat};
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::registry::LookupSpan;

/// The log on the error output of this process.
pub(super) fn on_stderr<S>(log: &Log) -> impl Layer<S> + Send + Sync + use<S>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    layer(log, io::stderr, io::stderr().is_terminal())
}

/// The log of a server on any writer, with colours or without.
pub fn layer<S, W>(log: &Log, writer: W, colours: bool) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let is_json = log.format == LogFormat::Json;
    let writer = Visible { inner: writer, colours: colours && !is_json };
    let lines = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(colours && !is_json);
    let lines = if is_json { lines.json().boxed() } else { lines.boxed() };
    lines.with_filter(filter(&log.filter)).boxed()
}

/// What is logged. What the database has to say is told where it is asked something; every statement of its is not worth
/// a line, unless somebody names it.
pub(super) fn filter(wanted: &Targets) -> Targets {
    let is_named = wanted.iter().any(|(target, _)| target.starts_with("sqlx"));
    if is_named { wanted.clone() } else { wanted.clone().with_target("sqlx", LevelFilter::OFF) }
}

/// A writer of lines without anything that a terminal obeys.
struct Visible<W> {
    inner: W,
    /// Whether colours are left as they are.
    colours: bool,
}

impl<'w, W: MakeWriter<'w>> MakeWriter<'w> for Visible<W> {
    type Writer = Visible<W::Writer>;

    fn make_writer(&'w self) -> Self::Writer {
        Visible { inner: self.inner.make_writer(), colours: self.colours }
    }

    fn make_writer_for(&'w self, event: &tracing::Metadata<'_>) -> Self::Writer {
        Visible { inner: self.inner.make_writer_for(event), colours: self.colours }
    }
}

/// Each event comes as one piece.
impl<W: Write> Write for Visible<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.inner.write_all(visible(&String::from_utf8_lossy(event), self.colours).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// One line, in which control characters are written out; colours are not, if they may be there.
fn visible(event: &str, colours: bool) -> String {
    let (line, end) = event.strip_suffix('\n').map_or((event, ""), |line| (line, "\n"));
    let mut out = String::with_capacity(event.len());
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        let colour = if colours { colour_at(rest) } else { 0 };
        let length = if colour > 0 { colour } else { character.len_utf8() };
        let (piece, others) = rest.split_at(length);
        if colour == 0 && character.is_control() {
            // Writing to a string never fails.
            let _ = write!(out, "{}", character.escape_default());
        } else {
            out.push_str(piece);
        }
        rest = others;
    }
    out + end
}

/// The length of the colour that a text begins with, `ESC [ digits m`; 0 if it begins with something else.
fn colour_at(text: &str) -> usize {
    let Some(code) = text.strip_prefix("\u{1b}[") else { return 0 };
    let digits = code.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    if code[digits..].starts_with('m') { digits + 3 } else { 0 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::layer::SubscriberExt as _;

    /// What was logged.
    #[derive(Clone, Default)]
    pub(in crate::observe) struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Kept {
        pub(in crate::observe) fn text(&self) -> String {
            String::from_utf8(self.0.lock().expect("not poisoned").clone()).expect("UTF-8")
        }
    }

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("not poisoned").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'w> MakeWriter<'w> for Kept {
        type Writer = Kept;

        fn make_writer(&'w self) -> Kept {
            self.clone()
        }
    }

    /// Everything that is logged on this thread until the guard is dropped.
    pub(in crate::observe) fn kept(
        format: LogFormat,
        filter: &str,
    ) -> (Kept, tracing::subscriber::DefaultGuard) {
        let kept = Kept::default();
        let log = Log { format, filter: filter.parse().expect("a filter") };
        let subscriber = tracing_subscriber::registry().with(layer(&log, kept.clone(), false));
        (kept, tracing::subscriber::set_default(subscriber))
    }

    /// What an outsider may try, and what a terminal gets to see of it.
    #[test]
    fn a_line_is_one_line() {
        for (event, colours, expected) in [
            ("plain\n", false, "plain\n"),
            ("a\nb\r\n", false, "a\\nb\\r\n"),
            ("no end", false, "no end"),
            ("\u{1b}[31mred\u{1b}[0m\n", false, "\\u{1b}[31mred\\u{1b}[0m\n"),
            ("\u{1b}[31mred\u{1b}[0m\n", true, "\u{1b}[31mred\u{1b}[0m\n"),
            ("\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}\n", true, "\\u{1b}[2J\\u{1b}]0;title\\u{7}\\u{1b}\n"),
            ("\u{9b}31m é\n", true, "\\u{9b}31m é\n"),
        ] {
            assert_eq!(visible(event, colours), expected, "{event:?}");
        }
    }

    #[test]
    fn text_and_json() {
        let (kept_text, guard) = kept(LogFormat::Text, "info");
        tracing::info!(team = "a\nb", car = %"c\n\u{1b}[2J", "it is\nsaid");
        tracing::debug!("unheard");
        drop(guard);
        let text = kept_text.text();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(
            text.contains(" INFO ") && text.contains("it is\\nsaid") && !text.contains('\u{1b}'),
            "{text}"
        );

        let (kept_json, guard) = kept(LogFormat::Json, "info,sqlx=info");
        let span = tracing::info_span!("request", request_id = "7f3a").entered();
        tracing::warn!(car = %"c\n\u{1b}[2J", "said");
        tracing::info!(target: "sqlx::query", "a statement");
        drop((span, guard));
        let text = kept_json.text();
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert_eq!(lines[0]["level"], "WARN");
        assert_eq!(lines[0]["fields"]["car"], "c\n\u{1b}[2J");
        assert_eq!(lines[0]["span"]["request_id"], "7f3a");
    }

    #[test]
    fn the_database_is_silent_unless_it_is_named() {
        for (wanted, speaks) in
            [("debug", false), ("debug,sqlx=debug", true), ("off,sqlx::query=debug", true)]
        {
            let filter = filter(&wanted.parse().expect("a filter"));
            assert_eq!(filter.would_enable("sqlx::query", &tracing::Level::DEBUG), speaks, "{wanted}");
        }
    }
}
