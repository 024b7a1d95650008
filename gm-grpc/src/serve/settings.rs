//! Everything that `gm serve` can be told, checked before anything is opened.
//!
//! ```
//! use gm_grpc::serve::{Given, Settings};
//! let given = Given { flags: [("watch.heartbeat_seconds", "5".to_owned())].into(), ..Given::default() };
//! let loaded = Settings::of(&given, Some(("gm.toml", "listen = '[::]:7300'"))).unwrap();
//! assert_eq!((loaded.settings.watch.heartbeat.as_secs(), loaded.settings.listen.port()), (5, 7300));
//! ```
//!
//! What a flag says counts more than what the environment says, which counts more than the file. `docs/gm.toml` is a
//! file with every key. No secret is ever in it: the key of the journal has a variable of its own, `GM_KEY`.

use super::key;
use super::source::{
    BadSettings, FILE_VARIABLE, Given, Loaded, MAX_FILE, Problem, Reading, Source, USUAL_FILE, nearest,
};
use crate::control::Recovery;
use gm_core::contract::BaseUrl;
use gm_core::race::command::{LONGEST_INSTANCE, is_name};
use http::{HeaderValue, Uri};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing_subscriber::filter::{LevelFilter, Targets};

/// Everything that a server is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The directory where races are kept.
    pub data: PathBuf,
    /// What becomes of races that were running.
    pub recovery: Recovery,
    /// How long a turn may still take at a shutdown.
    pub shutdown: Duration,
    /// The log.
    pub log: Log,
    /// Traces.
    pub traces: Traces,
    /// The API.
    pub api: Api,
    /// Who watches.
    pub watch: Watch,
    /// Requests to cars and AIs.
    pub cars: Cars,
    /// Test duels.
    pub test_duels: TestDuels,
    /// Metrics.
    pub metrics: Metrics,
}

/// The log on the error output.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// How it is written.
    pub format: LogFormat,
    /// What is written.
    pub filter: Targets,
}

/// How a log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// A line for a person.
    Text,
    /// A line of JSON.
    Json,
}

/// Traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traces {
    /// The collector, OTLP over HTTP; its path is `/v1/traces` where none is named.
    pub otlp: Option<Uri>,
}

/// The API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Api {
    /// Which web pages may use it.
    pub cors: Cors,
    /// The largest message, in and out, in bytes.
    pub max_message: usize,
    /// The most calls at once on one connection.
    pub max_streams: u32,
    /// The most connections at once.
    pub max_connections: usize,
}

/// The web pages that may use the API from a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cors {
    /// Those of these origins; none by default.
    Only(Vec<HeaderValue>),
    /// Any.
    Any,
}

/// Who watches races.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch {
    /// After how long without an event a watcher is told that all is well.
    pub heartbeat: Duration,
    /// How many events a watcher may be behind.
    pub buffer: usize,
    /// How many events back a watch may begin; none: at the beginning of the race.
    pub retention: Option<u64>,
    /// How long a watcher may take nothing.
    pub send: Duration,
}

/// Requests to cars and AIs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cars {
    /// The most that are under way.
    pub in_flight: usize,
    /// Whether they may be on private addresses.
    pub allow_private: bool,
    /// Where the cars of known instances are (R-2.1).
    pub instances: BTreeMap<String, BaseUrl>,
    /// Names of hosts that only this game master knows, in small letters, with their addresses.
    pub hosts: BTreeMap<String, SocketAddr>,
}

/// Test duels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestDuels {
    /// The most at once, in all.
    pub at_once: usize,
    /// The most at once of one team.
    pub per_team: usize,
}

/// Metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metrics {
    /// Whether they are served.
    pub enabled: bool,
    /// Whether they are for everybody, not only for admins.
    pub public: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::of(&Given::default(), None).expect("the defaults are right, a test says so").settings
    }
}

impl Settings {
    /// Reads the settings: from the file that `given` names, or from `gm.toml` in the working directory if it is there.
    ///
    /// # Errors
    /// Everything that is wrong with them, the file that can't be read included.
    pub fn load(given: &Given) -> Result<Loaded, BadSettings> {
        let from_variable = given.environment.get(FILE_VARIABLE).filter(|file| !file.is_empty());
        let named = given.config.clone().or_else(|| from_variable.map(PathBuf::from));
        let file = named.clone().unwrap_or_else(|| PathBuf::from(USUAL_FILE));
        let text = match read(&file) {
            Ok(text) => Some(text),
            Err(error) if named.is_none() && error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                let problem = format!("can't be read: {error}");
                let place = Source::File(file.display().to_string(), 0);
                let mut problems = vec![Problem { place, key: None, problem }];
                // What else is wrong can be told all the same.
                problems.extend(Settings::of(given, None).err().into_iter().flat_map(|bad| bad.0));
                return Err(BadSettings(problems));
            }
        };
        let name = file.display().to_string();
        let mut loaded = Settings::of(given, text.as_deref().map(|text| (name.as_str(), text)))?;
        loaded.file = text.map(|_| file);
        Ok(loaded)
    }

    /// Reads the settings; `file` is the name and the text of a file.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn of(given: &Given, file: Option<(&str, &str)>) -> Result<Loaded, BadSettings> {
        let mut reading = Reading::of(given, file);
        let settings = settings(&mut reading);
        let used = reading.done()?;
        let settings = settings.expect("what has no default is optional, and nothing is wrong");
        Ok(Loaded { settings, file: None, used, strangers: strangers(given) })
    }
}

/// Every setting; `None` only where something is wrong.
fn settings(reading: &mut Reading) -> Option<Settings> {
    let listen = reading.read(&key::LISTEN, |text| text.parse().ok());
    let data = reading.read(&key::DATA, |text| (!text.is_empty()).then(|| PathBuf::from(text)));
    let recovery = reading.read(&key::RECOVERY, |word| match word {
        "go-on" => Some(Recovery::GoOn),
        "pause" => Some(Recovery::Pause),
        _ => None,
    });
    let shutdown = seconds(reading, &key::SHUTDOWN);
    let format = reading.read(&key::LOG_FORMAT, |word| match word {
        "text" => Some(LogFormat::Text),
        "json" => Some(LogFormat::Json),
        _ => None,
    });
    let filter = reading.read(&key::LOG_FILTER, filter);
    let otlp = reading.read(&key::TRACES, endpoint);
    let cors = reading.read(&key::CORS, cors).unwrap_or(Cors::Only(Vec::new()));
    let max_message = whole(reading, &key::MESSAGE);
    let max_streams = whole(reading, &key::STREAMS);
    let max_connections = whole(reading, &key::CONNECTIONS);
    let heartbeat = seconds(reading, &key::HEARTBEAT);
    let buffer = whole(reading, &key::BUFFER);
    let retention = whole(reading, &key::RETENTION);
    let send = seconds(reading, &key::SEND);
    let in_flight = whole(reading, &key::IN_FLIGHT);
    let allow_private = yes_or_no(reading, &key::PRIVATE);
    let at_once = whole(reading, &key::DUELS);
    let per_team = whole(reading, &key::TEAM_DUELS);
    let enabled = yes_or_no(reading, &key::METRICS);
    let public = yes_or_no(reading, &key::METRICS_PUBLIC);
    let is_instance = |name: &str| is_name(name, LONGEST_INSTANCE);
    let instances = reading.read_names(&key::INSTANCES, is_instance, |url| BaseUrl::parse(url).ok());
    let hosts = reading.read_names(&key::HOSTS, is_host, |address| address.parse().ok());
    Some(Settings {
        listen: listen?,
        data: data?,
        recovery: recovery?,
        shutdown: shutdown?,
        log: Log { format: format?, filter: filter? },
        traces: Traces { otlp },
        api: Api {
            cors,
            max_message: max_message?,
            max_streams: max_streams?,
            max_connections: max_connections?,
        },
        watch: Watch { heartbeat: heartbeat?, buffer: buffer?, retention, send: send? },
        cars: Cars { in_flight: in_flight?, allow_private: allow_private?, instances, hosts },
        test_duels: TestDuels { at_once: at_once?, per_team: per_team? },
        metrics: Metrics { enabled: enabled?, public: public? },
    })
}

/// A whole number in the range of its key.
fn whole<T: TryFrom<u64>>(reading: &mut Reading, key: &key::Key) -> Option<T> {
    let key::Shape::Whole { least, most, .. } = key.shape else { return None };
    reading.read(key, |text| {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|number| is_plain && (least..=most).contains(number))?;
        T::try_from(number).ok()
    })
}

fn seconds(reading: &mut Reading, key: &key::Key) -> Option<Duration> {
    whole(reading, key).map(Duration::from_secs)
}

fn yes_or_no(reading: &mut Reading, key: &key::Key) -> Option<bool> {
    reading.read(key, |word| word.parse().ok())
}

/// What is logged. A word that is no level would be taken for the name of a target, and all of it logged.
fn filter(text: &str) -> Option<Targets> {
    let is_target = |target: &str| {
        let of_a_path = |c: char| c.is_ascii_alphanumeric() || c == '_';
        target.split("::").all(|part| !part.is_empty() && part.chars().all(of_a_path))
    };
    let level = |level: &str| !level.is_empty() && level.parse::<LevelFilter>().is_ok();
    let is_directive = |directive: &str| match directive.trim().split_once('=') {
        Some((target, word)) => is_target(target) && level(word),
        None => level(directive.trim()),
    };
    let directives: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_right = directives.iter().all(|directive| is_directive(directive));
    directives.join(",").parse().ok().filter(|_| is_right)
}

/// Where traces are sent to. Who needs credentials there puts them into the variable of OTLP's own,
/// `OTEL_EXPORTER_OTLP_HEADERS`: settings are shown.
fn endpoint(text: &str) -> Option<Uri> {
    let uri: Uri = text.parse().ok()?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    let is_plain =
        !uri.authority()?.as_str().contains('@') && uri.host().is_some_and(|host| !host.is_empty());
    (is_http && is_plain && uri.query().is_none()).then_some(uri)
}

/// Origins, separated by commas.
fn cors(text: &str) -> Option<Cors> {
    match text.trim() {
        "*" => Some(Cors::Any),
        "" => Some(Cors::Only(Vec::new())),
        origins => origins.split(',').map(|text| origin(text.trim())).collect::<Option<_>>().map(Cors::Only),
    }
}

/// An origin as a browser sends it: scheme, host, and a port where it is not the usual one.
fn origin(text: &str) -> Option<HeaderValue> {
    let uri: Uri = text.parse().ok()?;
    let (scheme, authority) = (uri.scheme_str()?, uri.authority()?);
    let is_as_sent = format!("{scheme}://{authority}") == text && text == text.to_lowercase();
    let is_plain = matches!(scheme, "http" | "https") && !authority.as_str().contains('@');
    (is_as_sent && is_plain).then(|| HeaderValue::from_str(text).ok()).flatten()
}

/// Whether a name can be the host of a URL, as URLs are read: in small letters.
fn is_host(name: &str) -> bool {
    let of_a_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '_');
    !name.is_empty()
        && name.len() <= 253
        && name.chars().all(of_a_name)
        && name.parse::<std::net::IpAddr>().is_err()
}

/// The text of a file of a usual size.
fn read(file: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    File::open(file)?.take(MAX_FILE + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FILE {
        let problem = format!("it has more than {MAX_FILE} bytes");
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, problem));
    }
    Ok(text)
}

/// Variables that are nobody's, and much like one of ours.
fn strangers(given: &Given) -> Vec<(String, String)> {
    let ours = |name: &str| key::all().any(|key| key.variable() == name);
    let strange = |name: &&String| !ours(name) && name.starts_with("GM_") && name.as_str() != FILE_VARIABLE;
    let near = |name: &String| {
        let path = name.strip_prefix("GM_")?.to_lowercase();
        let variables = key::all().filter(|key| {
            let own = key.path.replace('.', "_");
            nearest(&path) == Some(key.path) || strsim::damerau_levenshtein(&own, &path) <= 2
        });
        variables.map(|key| (name.clone(), key.variable())).next()
    };
    given.environment.keys().filter(strange).filter_map(near).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::Used;
    use toml::de::DeTable;

    const EXAMPLE: &str = include_str!("../../../docs/gm.toml");

    fn given(flags: &[(&'static str, &str)], environment: &[(&str, &str)]) -> Given {
        let flags = flags.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Given { config: None, flags, environment: environment.iter().map(owned).collect() }
    }

    #[track_caller]
    fn loaded(given: &Given, text: &str) -> Loaded {
        Settings::of(given, Some(("gm.toml", text))).unwrap_or_else(|bad| panic!("{bad}"))
    }

    /// What is wrong with a file, a line for each thing.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let bad = Settings::of(&Given::default(), Some(("gm.toml", text))).expect_err(text);
        assert_eq!(bad.0.iter().map(ToString::to_string).collect::<Vec<_>>(), expected, "{text}");
    }

    /// Each row: a value of a text key, as a flag, and whether it can be used.
    #[track_caller]
    fn check_values(key: &'static str, rows: &[(&str, bool)]) {
        for (value, good) in rows {
            let read = Settings::of(&given(&[(key, value)], &[]), None);
            assert_eq!(read.is_ok(), *good, "{key} {value:?}");
        }
    }

    #[test]
    fn the_defaults() {
        let settings = Settings::default();
        assert_eq!(settings.listen.to_string(), "127.0.0.1:7300");
        assert_eq!(settings.data, Path::new("gm-data"));
        assert_eq!(settings.shutdown, Duration::from_secs(10));
        assert_eq!(settings.api.cors, Cors::Only(Vec::new()));
        assert_eq!(settings.api.max_message, 4 * 1024 * 1024);
        assert_eq!(settings.watch.retention, None);
        assert_eq!(settings.traces.otlp, None);
        assert_eq!((settings.metrics.enabled, settings.metrics.public), (true, false));
        assert_eq!(settings.cars.in_flight, crate::drive::Limits::default().in_flight);
    }

    /// R-2.1: the table of instances. What is said in a file is what is taken.
    #[test]
    fn r_2_1_a_file() {
        let text = "recovery = 'pause'\nshutdown_seconds = 0\nlog = { format = 'json', filter = 'warn, gm_grpc::drive=debug' }\n\
                    traces.otlp = 'https://collector:4318/x'\napi.cors_origins = ['https://a.example', 'http://b:8080']\n\
                    api.max_message_bytes = 0x10_0000\nwatch.retention_events = 50_000\ncars.allow_private = false\n\
                    [instances]\n'i-0abc' = 'http://10.0.0.7:8080'\n[hosts]\n'red-1.car' = '10.0.0.8:80'\n";
        let Loaded { settings, used, .. } = loaded(&Given::default(), text);
        assert_eq!((settings.recovery, settings.shutdown), (Recovery::Pause, Duration::ZERO));
        assert_eq!(settings.log.format, LogFormat::Json);
        assert_eq!(settings.log.filter, "warn,gm_grpc::drive=debug".parse().expect("a filter"));
        assert_eq!(settings.traces.otlp, Some(Uri::from_static("https://collector:4318/x")));
        let origins = ["https://a.example", "http://b:8080"].map(HeaderValue::from_static);
        assert_eq!(settings.api.cors, Cors::Only(origins.to_vec()));
        assert_eq!((settings.api.max_message, settings.watch.retention), (1 << 20, Some(50_000)));
        assert_eq!(settings.cars.instances["i-0abc"].as_str(), "http://10.0.0.7:8080");
        assert_eq!(settings.cars.hosts["red-1.car"].to_string(), "10.0.0.8:80");
        let host = used.iter().find(|used| used.key == "hosts.\"red-1.car\"").expect("it is shown");
        assert_eq!(host.source, Source::File("gm.toml".to_owned(), 12));
    }

    /// Flag before environment before file before default.
    #[test]
    fn what_counts_more() {
        let key = "watch.heartbeat_seconds";
        let text = "[watch]\nheartbeat_seconds = 3";
        let variable = ("GM_WATCH_HEARTBEAT_SECONDS", "2");
        let in_file = || Source::File("gm.toml".to_owned(), 2);
        for (flags, environment, text, seconds, source) in [
            (&[(key, "1")][..], &[variable][..], text, 1, Source::Flag("watch-heartbeat-seconds".to_owned())),
            (&[], &[variable], text, 2, Source::Variable(variable.0.to_owned())),
            (&[], &[(variable.0, "")], text, 3, in_file()),
            (&[], &[], text, 3, in_file()),
            (&[], &[], "", 10, Source::Default),
        ] {
            let Loaded { settings, used, .. } = loaded(&given(flags, environment), text);
            assert_eq!(settings.watch.heartbeat, Duration::from_secs(seconds));
            let value = Some(seconds.to_string());
            assert!(used.contains(&Used { key: key.to_owned(), value, source }), "{used:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_all_at_once_with_its_place() {
        check(
            "listen = 7300\nlistn = ':7300'\n[log]\nformat = 'xml'\n[api]\nmax_streams = 'many'\nmax_connections = 0\n\
             cors_origins = 'https://a.example'\n[hosts]\n'A.car' = '10.0.0.8:80'\n'b.car' = '10.0.0.8'\n\
             [instances]\n'i-1' = 'ftp://x'\n'i-2' = 7\n[colours]\nred = 1\n",
            &[
                "gm.toml:1: listen: is 7300, and must be an address with its port, as 127.0.0.1:7300 or [::]:7300",
                "gm.toml:2: listn: there is no such key: did you mean listen?",
                "gm.toml:4: log.format: is \"xml\", and must be \"text\" or \"json\"",
                "gm.toml:6: api.max_streams: is 'many', and must be a whole number of streams from 1 to 1000000",
                "gm.toml:7: api.max_connections: is \"0\", and must be a whole number of connections from 1 to 1000000",
                "gm.toml:8: api.cors_origins: is 'https://a.example', and must be an array of origins as \
                 https://race.example, or * alone for all",
                "gm.toml:10: hosts.\"A.car\": is not the name of a host",
                "gm.toml:11: hosts.\"b.car\": is \"10.0.0.8\", and must be an address with its port, as \"10.0.0.7:8080\"",
                "gm.toml:13: instances.\"i-1\": is \"ftp://x\", and must be the base URL of a car, as \
                 \"http://10.0.0.7:8080\"",
                "gm.toml:14: instances.\"i-2\": must be the base URL of a car, as \"http://10.0.0.7:8080\"",
                "gm.toml:15: colours: there is no such key: `gm serve --help` names those that there are",
            ],
        );
        check("log = 'json'", &["gm.toml:1: log: must be a section, [log]"]);
        check("hosts = 1", &["gm.toml:1: hosts: must be a section, [hosts]"]);
        check(
            "watch.buffer_events = 99999999999999999999999999999999999999999",
            &[
                "gm.toml:1: watch.buffer_events: is \"170141183460469231731687303715884105727\", and must be a whole number \
               of events from 1 to 10000000",
            ],
        );
    }

    /// A file that is no TOML is one problem; what flags and variables say is checked all the same.
    #[test]
    fn no_toml() {
        let given = given(&[("recovery", "x\u{1b}[2J")], &[("GM_DATA", ""), ("GM_METRICS_ENABLED", "yes")]);
        let bad = Settings::of(&given, Some(("gm.toml", "\nlisten = \n"))).expect_err("no TOML").0;
        let words: Vec<String> = bad.iter().map(ToString::to_string).collect();
        assert_eq!(words[0], r#"--recovery: recovery: is "x\u{1b}[2J", and must be "go-on" or "pause""#);
        assert_eq!(words[1], r#"GM_METRICS_ENABLED: metrics.enabled: is "yes", and must be true or false"#);
        assert!(words[2].starts_with("gm.toml:2: ") && words.len() == 3, "{words:?}");
    }

    #[test]
    fn values() {
        check_values("listen", &[("[::1]:0", true), ("localhost:7300", false), ("127.0.0.1", false)]);
        check_values("data", &[("a b", true), ("", false)]);
        check_values(
            "log.filter",
            &[
                ("off", true),
                ("INFO", true),
                ("info, gm_grpc::drive=debug", true),
                ("gm_grpc=trace", true),
                ("verbose", false),
                ("info,gm_grpc", false),
                ("info,gm grpc=debug", false),
                ("", false),
            ],
        );
        check_values(
            "traces.otlp",
            &[
                ("http://127.0.0.1:4318", true),
                ("https://collector.example/v1/traces", true),
                ("http://me:secret@collector", false),
                ("grpc://collector:4317", false),
                ("collector:4318", false),
                ("http://", false),
            ],
        );
        check_values(
            "api.cors_origins",
            &[
                ("*", true),
                ("", true),
                ("https://a.example, http://b:8080", true),
                ("https://a.example,*", false),
                ("https://a.example/", false),
                ("https://a.example/page", false),
                ("https://A.example", false),
                ("a.example", false),
                ("null", false),
            ],
        );
        check_values("api.max_streams", &[("1", true), ("+1", false), ("1.0", false), ("4294967297", false)]);
        check_values("metrics.public", &[("true", true), ("TRUE", false), ("1", false)]);
    }

    /// A misspelt variable is worth a word, and no error: others set variables, too.
    #[test]
    fn strange_variables() {
        let given = given(
            &[],
            &[
                ("GM_LISTN", "x"),
                ("GM_KEY", "x"),
                ("GM_PORT_7300_TCP", "x"),
                ("GM_LOG_FORMAT", "json"),
                ("PATH", "x"),
            ],
        );
        let strangers = loaded(&given, "").strangers;
        assert_eq!(strangers, [("GM_LISTN".to_owned(), "GM_LISTEN".to_owned())]);
    }

    /// A file that is named must be there; the usual one need not.
    #[test]
    fn files() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let file = place.path().join("my.toml");
        let name = file.display();
        let at = |config: bool, environment: bool| Given {
            config: config.then(|| file.clone()),
            environment: if environment {
                [(FILE_VARIABLE.to_owned(), name.to_string())].into()
            } else {
                BTreeMap::new()
            },
            ..given(&[("recovery", "x")], &[])
        };
        for given in [at(true, false), at(false, true)] {
            let bad = Settings::load(&given).expect_err("no such file").0;
            assert_eq!(bad.len(), 2, "{bad:?}");
            assert!(bad[0].to_string().starts_with(&format!("{name}: can't be read: ")), "{}", bad[0]);
        }
        let large = format!("# {}", "x".repeat(usize::try_from(MAX_FILE).expect("small")));
        std::fs::write(&file, large).expect("written");
        let bad = Settings::load(&at(true, false)).expect_err("too large").0;
        assert!(bad[0].problem.contains("more than 1048576 bytes"), "{}", bad[0]);
        std::fs::write(&file, "listen = '127.0.0.1:1'").expect("written");
        let given = Given { flags: BTreeMap::new(), ..at(true, false) };
        let loaded = Settings::load(&given).expect("good settings");
        assert_eq!((loaded.settings.listen.port(), loaded.file), (1, Some(file.clone())));
    }

    /// The example in the documentation is what holds without it, and says all that can be said of each key.
    #[test]
    fn the_example_in_the_docs() {
        let read = Settings::of(&Given::default(), Some(("docs/gm.toml", EXAMPLE)));
        assert_eq!(read.unwrap_or_else(|bad| panic!("{bad}")).settings, Settings::default());
        let mut section = String::new();
        let mut lines = BTreeMap::new();
        for line in EXAMPLE.lines() {
            if let Some(name) = line.strip_prefix('[') {
                section = name.split(']').next().unwrap_or_default().to_owned() + ".";
            }
            let bare = line.strip_prefix("# ").unwrap_or(line);
            if let Some((name, _)) = bare.split_once(" = ") {
                lines.insert(format!("{section}{name}"), line);
            }
        }
        for key in key::all() {
            let line =
                lines.get(key.path).unwrap_or_else(|| panic!("docs/gm.toml does not hold {}", key.path));
            assert_eq!(
                line.starts_with('#'),
                key.default.is_empty() && key.path != "api.cors_origins",
                "{line}"
            );
            assert!(line.contains(&key.variable()), "{line}: {}", key.variable());
            match key.shape {
                key::Shape::Whole { unit, least, most } => {
                    let range = format!("{unit}, {least} to {most}");
                    assert!(line.contains(&range), "{line}: {range}");
                }
                key::Shape::Word(words) => assert!(words.iter().all(|word| line.contains(word)), "{line}"),
                _ => {}
            }
        }
        let table = DeTable::parse(EXAMPLE).expect("TOML");
        for names in key::NAME_TABLES {
            assert!(table.get_ref().contains_key(names.path), "docs/gm.toml does not hold {}", names.path);
        }
    }
}
