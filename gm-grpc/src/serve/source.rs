//! Where settings come from, and what is wrong with what is said there: all of it at once, each with its place.
//!
//! ```text
//! gm.toml:7: api.max_streams: is "many", and must be a whole number of streams from 1 to 1000000
//! gm.toml:9: api.max_conections: there is no such key: did you mean api.max_connections?
//! GM_LOG_FORMAT: log.format: is "xml", and must be "text" or "json"
//! ```
//!
//! A value that another source overrides is checked all the same: it would be wrong on the day on which it counts.

use super::key::{self, Key, NAME_TABLES, NameTable, Shape};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The file that is read if no other is named and it is there.
pub(super) const USUAL_FILE: &str = "gm.toml";
/// The variable that names the file.
pub(super) const FILE_VARIABLE: &str = "GM_CONFIG";
/// The largest file that is read, in bytes.
pub(super) const MAX_FILE: u64 = 1024 * 1024;
/// The most characters of a wrong value that are quoted.
const LONGEST_QUOTE: usize = 60;

/// What a server is told, before it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// The file that `--config` names.
    pub config: Option<PathBuf>,
    /// The flags, by the path of their key.
    pub flags: BTreeMap<&'static str, String>,
    /// The environment. One that is empty says nothing.
    pub environment: BTreeMap<String, String>,
}

/// Where a value comes from, in the order in which they count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A flag.
    Flag(String),
    /// An environment variable.
    Variable(String),
    /// A line of the file, from 1; 0: the file as a whole.
    File(String, usize),
    /// Nobody says anything.
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Flag(flag) => write!(f, "--{flag}"),
            Source::Variable(variable) => f.write_str(variable),
            Source::File(name, 0) => f.write_str(name),
            Source::File(name, line) => write!(f, "{name}:{line}"),
            Source::Default => f.write_str("default"),
        }
    }
}

/// A value that counts, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// The key: `log.format`, `instances."i-0abc"`.
    pub key: String,
    /// The value as on the command line; none: nothing.
    pub value: Option<String>,
    /// Where it comes from.
    pub source: Source,
}

/// Settings, and how they came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The settings.
    pub settings: super::Settings,
    /// The file that was read, if any was.
    pub file: Option<PathBuf>,
    /// Each value with its source, in the order of the keys.
    pub used: Vec<Used>,
    /// Variables that begin like one of ours and are none, with the one that may be meant. No error: others, such as
    /// an orchestrator, set some by such names.
    pub strangers: Vec<(String, String)>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where: `gm.toml:7`, `--listen`, `GM_LISTEN`.
    pub place: Source,
    /// The key, where it is about one.
    pub key: Option<String>,
    /// What is wrong, and what is expected.
    pub problem: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(key) => write!(f, "{}: {key}: {}", self.place, self.problem),
            None => write!(f, "{}: {}", self.place, self.problem),
        }
    }
}

/// Everything that is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadSettings(pub Vec<Problem>);

impl std::error::Error for BadSettings {}

impl fmt::Display for BadSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problems: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&problems.join("\n    "))
    }
}

/// A value as it was written, and where.
#[derive(Debug, Clone)]
struct Written {
    source: Source,
    value: String,
}

/// The settings while they are read.
pub(super) struct Reading {
    /// What is written of a key, what counts first.
    written: BTreeMap<&'static str, Vec<Written>>,
    names: BTreeMap<&'static str, Vec<(String, Written)>>,
    used: Vec<Used>,
    problems: Vec<Problem>,
}

impl Reading {
    /// Collects what is written. `file`: its name in errors, and its text.
    pub(super) fn of(given: &Given, file: Option<(&str, &str)>) -> Reading {
        let (written, names) = (BTreeMap::new(), BTreeMap::new());
        let mut reading = Reading { written, names, used: Vec::new(), problems: Vec::new() };
        for key in key::all() {
            if let Some(value) = given.flags.get(key.path) {
                reading.write(key, Source::Flag(key.flag()), value.clone());
            }
            let variable = key.variable();
            if let Some(value) = given.environment.get(&variable).filter(|value| !value.is_empty()) {
                reading.write(key, Source::Variable(variable), value.clone());
            }
        }
        if let Some((name, text)) = file {
            match DeTable::parse(text) {
                Ok(table) => File { name, text, reading: &mut reading }.table("", table.get_ref()),
                Err(error) => {
                    let line = error.span().map_or(0, |span| line_of(text, span));
                    let place = Source::File(name.to_owned(), line);
                    let problem = error.message().lines().collect::<Vec<_>>().join(", ");
                    reading.problems.push(Problem { place, key: None, problem });
                }
            }
        }
        reading
    }

    fn write(&mut self, key: &Key, source: Source, value: String) {
        self.written.entry(key.path).or_default().push(Written { source, value });
    }

    /// What a key says; `None` if it says nothing, or nothing that is right.
    pub(super) fn read<T>(&mut self, key: &Key, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let mut read = None;
        for Written { source, value } in self.written.remove(key.path).unwrap_or_default() {
            match parse(&value) {
                Some(parsed) if read.is_none() => read = Some((parsed, value, source)),
                Some(_) => {}
                None => self.problems.push(Problem {
                    place: source,
                    key: Some(key.path.to_owned()),
                    problem: format!("is {}, and must be {}", quoted(&value), key.expected()),
                }),
            }
        }
        let default = || Some(key.default).filter(|default| !default.is_empty()).map(str::to_owned);
        let (parsed, value, source) = match read {
            Some((parsed, value, source)) => (Some(parsed), Some(value), source),
            None => (default().and_then(|default| parse(&default)), default(), Source::Default),
        };
        self.used.push(Used { key: key.path.to_owned(), value, source });
        parsed
    }

    /// What a table of names says.
    pub(super) fn read_names<T>(
        &mut self,
        table: &NameTable,
        is_name: impl Fn(&str) -> bool,
        parse: impl Fn(&str) -> Option<T>,
    ) -> BTreeMap<String, T> {
        let mut read = BTreeMap::new();
        for (name, Written { source, value }) in self.names.remove(table.path).unwrap_or_default() {
            let key = format!("{}.{name:?}", table.path);
            let mut wrong = |problem| {
                self.problems.push(Problem { place: source.clone(), key: Some(key.clone()), problem });
            };
            if !is_name(&name) {
                wrong(format!("is not {}", table.name));
                continue;
            }
            match parse(&value) {
                Some(parsed) => {
                    read.insert(name, parsed);
                    self.used.push(Used { key, value: Some(value), source });
                }
                None => wrong(format!("is {}, and must be {}", quoted(&value), table.expected)),
            }
        }
        read
    }

    /// What was used, if nothing is wrong.
    pub(super) fn done(mut self) -> Result<Vec<Used>, BadSettings> {
        self.problems.sort_by(|one, other| one.place.cmp(&other.place));
        if self.problems.is_empty() { Ok(self.used) } else { Err(BadSettings(self.problems)) }
    }
}

/// A file while it is read.
struct File<'f> {
    name: &'f str,
    text: &'f str,
    reading: &'f mut Reading,
}

impl File<'_> {
    /// Reads a table: the file itself, whose path is empty, or a section.
    fn table(&mut self, section: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let path = match section {
                "" => name.get_ref().to_string(),
                section => format!("{section}.{}", name.get_ref()),
            };
            if let Some(names) = NAME_TABLES.iter().find(|names| names.path == path) {
                self.names(names, value);
                continue;
            }
            let is_section =
                key::all().any(|key| key.path.strip_prefix(&path).is_some_and(|rest| rest.starts_with('.')));
            match (key::all().find(|key| key.path == path), value.get_ref()) {
                (Some(key), _) => self.value(key, value),
                (None, DeValue::Table(inner)) if is_section => self.table(&path, inner),
                (None, _) if is_section => {
                    self.wrong(value.span(), &path, format!("must be a section, [{path}]"));
                }
                (None, _) => {
                    let hint = nearest(&path).map_or_else(
                        || "`gm serve --help` names those that there are".to_owned(),
                        |near| format!("did you mean {near}?"),
                    );
                    // A key of a file may hold anything.
                    let path: String = path.chars().flat_map(char::escape_debug).collect();
                    self.wrong(name.span(), &path, format!("there is no such key: {hint}"));
                }
            }
        }
    }

    fn value(&mut self, key: &Key, value: &Spanned<DeValue<'_>>) {
        let texts = |values: &[Spanned<DeValue<'_>>]| {
            let text = |value: &Spanned<DeValue<'_>>| value.get_ref().as_str().map(str::to_owned);
            values.iter().map(text).collect::<Option<Vec<String>>>().map(|texts| texts.join(","))
        };
        let written = match (key.shape, value.get_ref()) {
            (Shape::Text { .. } | Shape::Word(_), DeValue::String(text)) => Some(text.to_string()),
            (Shape::Whole { .. }, DeValue::Integer(number)) => {
                // What is too large for it is too large for any key.
                Some(i128::from_str_radix(number.as_str(), number.radix()).unwrap_or(i128::MAX).to_string())
            }
            (Shape::YesOrNo, DeValue::Boolean(yes)) => Some(yes.to_string()),
            (Shape::List { .. }, DeValue::Array(values)) => texts(values),
            _ => None,
        };
        match written {
            Some(written) => {
                let source = Source::File(self.name.to_owned(), line_of(self.text, value.span()));
                self.reading.write(key, source, written);
            }
            None => {
                let found = self.text.get(value.span()).unwrap_or_default();
                let array = if matches!(key.shape, Shape::List { .. }) { "an array of " } else { "" };
                let problem = format!("is {}, and must be {array}{}", cut(found), key.expected());
                self.wrong(value.span(), key.path, problem);
            }
        }
    }

    fn names(&mut self, names: &NameTable, value: &Spanned<DeValue<'_>>) {
        let DeValue::Table(table) = value.get_ref() else {
            return self.wrong(value.span(), names.path, format!("must be a section, [{}]", names.path));
        };
        for (name, value) in table {
            let source = Source::File(self.name.to_owned(), line_of(self.text, value.span()));
            match value.get_ref() {
                DeValue::String(text) => {
                    let written = Written { source, value: text.to_string() };
                    let all = self.reading.names.entry(names.path).or_default();
                    all.push((name.get_ref().to_string(), written));
                }
                _ => {
                    let path = format!("{}.{:?}", names.path, name.get_ref());
                    self.wrong(value.span(), &path, format!("must be {}", names.expected));
                }
            }
        }
    }

    fn wrong(&mut self, span: Range<usize>, path: &str, problem: String) {
        let place = Source::File(self.name.to_owned(), line_of(self.text, span));
        self.reading.problems.push(Problem { place, key: Some(path.to_owned()), problem });
    }
}

/// The key that is most like this one, if any is like it: the whole path, or its last part in another section.
pub(super) fn nearest(path: &str) -> Option<&'static str> {
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let distance = |key: &str| {
        let whole = strsim::damerau_levenshtein(path, key);
        let part = strsim::damerau_levenshtein(&last(path), &last(key)) + 1;
        whole.min(part)
    };
    let sections = key::all().filter_map(|key| key.path.split_once('.')).map(|(section, _)| section);
    let paths = key::all().map(|key| key.path).chain(sections).chain(NAME_TABLES.map(|table| table.path));
    let near = paths.map(|key| (distance(key), key)).min()?;
    (near.0 <= 1 + last(path).chars().count() / 4).then_some(near.1)
}

/// A value as an error quotes it: cut, and without anything that a terminal obeys.
fn quoted(value: &str) -> String {
    format!("{:?}", cut(value))
}

fn cut(value: &str) -> String {
    let line = value.lines().next().unwrap_or_default();
    let short: String = line.chars().take(LONGEST_QUOTE).collect();
    if short.len() < value.len() { format!("{short}…") } else { short }
}

/// The line of a place in a text, from 1.
fn line_of(text: &str, span: Range<usize>) -> usize {
    1 + text.bytes().take(span.start).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was written, and what is thought to be meant.
    #[test]
    fn the_nearest_key() {
        for (written, expected) in [
            ("listn", Some("listen")),
            ("log.fromat", Some("log.format")),
            ("max_connections", Some("api.max_connections")),
            ("cars.heartbeat_seconds", Some("watch.heartbeat_seconds")),
            ("metric", Some("metrics")),
            ("host", Some("hosts")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(written), expected, "{written}");
        }
    }
}
