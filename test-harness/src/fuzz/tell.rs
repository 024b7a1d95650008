//! What is told of a run: to people, to programs, and to a shell.
//!
//! ```text
//! 1. The car answered 5xx: expected an answer of 2xx or 4xx, found 500 and no body.
//!      curl -sS -i … -X 'POST' … --data-raw '{"name":"é"}' 'http://127.0.0.1:8080/engine'
//!      found again by: conform fuzz http://127.0.0.1:8080 --seed 7 --requests 96
//! ```

use super::session::Session;
use super::step::{Key, Step, What};
use super::{Again, Broke, Finding, Report, Settings};
use crate::client::{DEADLINE, SECRET, harmless};
use crate::curl::{SECRET_VARIABLE, curl};
use crate::report::amount;
use gm_core::contract::{CarRequest, Kind};
use serde_json::{Value, json};
use std::fmt;
use std::fmt::Write as _;

impl fmt::Display for Broke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Broke::ServerError => "the car answered 5xx",
            Broke::Hung => "the car did not answer",
            Broke::Closed => "the car closed the connection without an answer",
            Broke::ChangedByRefusal => "the car refused a request, and changed all the same",
            Broke::ChangedByQuestion => "the car was asked a question, and changed",
            Broke::WrongEffect => "the car accepted a command, and did something else",
            Broke::Lost => "afterwards the car does not answer normal questions rightly",
            Broke::LetIn => "the car let somebody in who does not know the secret",
            Broke::RefusedRight => "the car refused a request that is right",
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, finding) in self.findings.iter().enumerate() {
            writeln!(f, "{}. {finding}", at + 1)?;
        }
        for note in &self.notes {
            writeln!(f, "note: {}", harmless(note))?;
        }
        if let Some(why) = &self.stopped {
            writeln!(f, "It ended early: {}.", harmless(why))?;
        }
        for line in &self.left {
            writeln!(f, "{}", harmless(line))?;
        }
        let findings = match self.findings.len() {
            0 if self.requests == 0 => "nothing was tried".to_owned(),
            0 => "nothing broke the car".to_owned(),
            many => amount(many as u64, "finding"),
        };
        let (requests, seconds) = (amount(self.requests, "request"), self.took.as_secs_f64());
        writeln!(f, "{requests} in {seconds:.1} s from seed {}: {findings}", self.seed)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut how = self.how.to_string();
        if let Some(first) = how.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        writeln!(f, "{how}:")?;
        writeln!(f, "     expected  {}", harmless(&self.expected))?;
        writeln!(f, "     found     {}", harmless(&self.found))?;
        if self.answer != self.found {
            writeln!(f, "     answer    {}", harmless(&self.answer))?;
        }
        let also = if self.seen > 1 { format!(", seen {} times", self.seen) } else { String::new() };
        let often = match self.again {
            Again::Repeated => "from how the car was found",
            Again::Once => "which did NOT break it a second time",
            Again::Gone if self.lines.len() > 1 => {
                "after which the car did not come back, so that fewer could not be tried"
            }
            Again::Gone => "after which the car did not come back",
        };
        writeln!(f, "     {}, {often}{also}:", amount(self.lines.len() as u64, "request"))?;
        for line in &self.lines {
            writeln!(f, "       {line}")?;
        }
        write!(f, "     found again by: {}", self.command)
    }
}

impl Report {
    /// The report for programs.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "record": "fuzz",
            "place": self.place,
            "seed": self.seed,
            "requests": self.requests,
            "took_us": u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX),
            "good": self.is_good(),
            "findings": self.findings.iter().map(Finding::json).collect::<Vec<_>>(),
            "notes": self.notes,
            "stopped": self.stopped,
            "left": self.left,
        })
    }
}

impl Finding {
    /// The finding for programs.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "how": self.how.word(),
            "told": self.how.to_string(),
            "expected": self.expected,
            "found": self.found,
            "answer": self.answer,
            "steps": self.steps.iter().map(Step::to_string).collect::<Vec<_>>(),
            "lines": self.lines,
            "request": self.request,
            "command": self.command,
            "again": self.again.word(),
            "tries": self.tries,
            "seen": self.seen,
        })
    }
}

/// The command that finds it again; the secret is in its variable.
pub(super) fn command(settings: &Settings, request: u64) -> String {
    let mut command =
        format!("conform fuzz '{}' --seed {}", settings.url.replace('\'', r"'\''"), settings.seed);
    if settings.deadline != DEADLINE {
        _ = write!(command, " --deadline {}", settings.deadline.as_millis());
    }
    _ = write!(command, " --requests {request}");
    if settings.secret.is_some() {
        _ = write!(command, "  # {SECRET_VARIABLE} holds the secret");
    }
    command
}

/// The steps as lines for a shell, with ids that were not sent yet.
pub(super) fn lines(session: &mut Session, steps: &[Step], has_secret: bool) -> Vec<String> {
    let place = session.place().to_owned();
    let asks = session.asks(steps);
    let mut lines = Vec::new();
    for (step, ask) in steps.iter().zip(asks) {
        lines.push(match (&step.what, ask) {
            (What::Raw(raw), _) => {
                // The secret's header has a mark of its own, which a shell's variable takes the place of.
                let marks = session.marks(has_secret.then(|| MARK.to_owned()));
                let bytes = raw.bytes(&marks).concat();
                let host = marks.host.replacen(':', " ", usize::from(!marks.host.contains('[')));
                format!("{} | nc {host}  # {}", printed(&bytes), raw.title)
            }
            (_, Some(ask)) => {
                let line = curl(&ask, &place);
                let right = format!("-H \"{SECRET}: ${SECRET_VARIABLE}\"");
                match step.key {
                    Key::Right | Key::Missing => line,
                    Key::Empty => line.replace(&right, &format!("-H '{SECRET};'")),
                    Key::Longer => line.replace(&right, &format!("-H \"{SECRET}: ${{{SECRET_VARIABLE}}}x\"")),
                    Key::Other => line.replace(&right, &format!("-H \"{SECRET}: nobody's secret\"")),
                }
            }
            (_, None) => step.to_string(),
        });
    }
    lines
}

/// What stands for the secret among bytes: no request has it.
const MARK: &str = "\u{1}\u{2}secret\u{2}\u{1}";

/// `printf` with these bytes.
fn printed(bytes: &[u8]) -> String {
    let mut format = String::new();
    let mut rest = bytes;
    let mut secrets = 0;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(MARK.as_bytes()) {
            format.push_str("%s");
            secrets += 1;
            rest = after;
            continue;
        }
        match rest[0] {
            b'\r' => format.push_str("\\r"),
            b'\n' => format.push_str("\\n"),
            b'%' => format.push_str("%%"),
            b'\\' => format.push_str("\\\\"),
            b'\'' => format.push_str("\\047"),
            byte @ 0x20..0x7f => format.push(char::from(byte)),
            byte => _ = write!(format, "\\{byte:03o}"),
        }
        rest = &rest[1..];
    }
    format!("printf -- '{format}'{}", format!(" \"${SECRET_VARIABLE}\"").repeat(secrets))
}

/// The number of the request of the contract, without a body, that this is after all.
fn plain_request(method: &str, path: &str) -> Option<&'static str> {
    let of_kinds =
        Kind::ALL.into_iter().flat_map(|kind| [CarRequest::Count(kind), CarRequest::Resource(kind)]);
    let alone =
        [CarRequest::State, CarRequest::Retire, CarRequest::Wreck, CarRequest::Mine, CarRequest::DuelUrl];
    let found = alone.into_iter().chain(of_kinds).find(|it| it.method() == method && it.path() == path);
    found.map(|request| request.number())
}

/// What is alike in steps that break a car in the same way.
pub(super) fn shape(step: &Step, how: Broke) -> String {
    let what = match &step.what {
        What::Contract(request, spelling) => format!("{} {spelling:?}", request.number()),
        What::Odd { method, path, body: None, .. } if plain_request(method, path).is_some() => {
            format!("{} Plain", plain_request(method, path).unwrap_or_default())
        }
        What::Odd { method, path, .. } => {
            let path = path.split('?').next().unwrap_or_default();
            let first = path.split('/').nth(1).unwrap_or_default();
            let first: String = first.chars().take(20).collect();
            format!("odd {method} /{first} of {}", path.matches('/').count().min(3))
        }
        What::Raw(raw) => format!("raw {}", raw.title),
    };
    let guest = if step.key == Key::Right { "" } else { " without the secret" };
    format!("{} {what}{guest}", how.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_for_a_shell() {
        let bytes = format!("GET /100%'\\ HTTP/1.1\r\n{SECRET}: {MARK}\r\n\r\n\u{e9}");
        let expected =
            r#"printf -- 'GET /100%%\047\\ HTTP/1.1\r\nX-EACC-SECRET: %s\r\n\r\n\303\251' "$CONFORM_SECRET""#;
        assert_eq!(printed(bytes.as_bytes()), expected);
    }

    /// What is written by hand and is a request of the contract is alike.
    #[test]
    fn shapes_of_the_same_request() {
        let odd = |method: &str, body: Option<Vec<u8>>| {
            let (method, path) = (method.to_owned(), "/event/mine".to_owned());
            Step::new(What::Odd { method, path, body, content_type: None })
        };
        let shape = |step: &Step| shape(step, Broke::ChangedByQuestion);
        let plain = shape(&Step::of(CarRequest::Mine));
        assert_eq!(shape(&odd("GET", None)), plain);
        assert_ne!(shape(&odd("HEAD", None)), plain);
        assert_ne!(shape(&odd("GET", Some(b"{}".to_vec()))), plain);
    }

    #[test]
    fn the_command_that_finds_it_again() {
        let settings =
            Settings { deadline: std::time::Duration::from_millis(300), ..Settings::new("http://car", 7) };
        let expected = "conform fuzz 'http://car' --seed 7 --deadline 300 --requests 96";
        assert_eq!(command(&settings, 96), expected);
        let guarded = Settings { secret: Some("s3cret".to_owned()), ..settings };
        assert_eq!(command(&guarded, 96), format!("{expected}  # CONFORM_SECRET holds the secret"));
    }
}
