//! The flags of `gm serve`, and `gm config`, which says what is wrong with the settings and where each comes from.
//!
//! ```text
//! gm config check gm.toml             ok, or everything that is wrong with it
//! gm config show --listen '[::]:80'   what counts, and who says so
//! ```

use super::Failure;
use crate::serve::key::{self, Key};
use crate::serve::{BadSettings, Given, Loaded, Settings, Source};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

/// What `gm serve` is told on the command line, one flag for each key. Values are not read here, so that what is wrong
/// with them is told together with what is wrong in the environment and the file.
#[derive(Debug, Clone, Default)]
pub struct ServeArgs {
    /// The file of settings.
    pub config: Option<PathBuf>,
    /// The flags, by the path of their key.
    pub flags: BTreeMap<&'static str, String>,
}

/// The heading of the flags in the help.
const HEADING: &str = "Settings (a flag counts more than its variable, which counts more than the file)";

impl Args for ServeArgs {
    fn augment_args(command: Command) -> Command {
        let config = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help("The file of settings; docs/gm.toml is one with every key [default: gm.toml, if it is there] [env: GM_CONFIG]");
        key::all().fold(command.arg(config), |command, key| command.arg(flag(key)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        ServeArgs::augment_args(command)
    }
}

fn flag(key: &'static Key) -> Arg {
    Arg::new(key.path)
        .long(key.flag())
        .value_name(key.placeholder())
        .help(key.help())
        .help_heading(HEADING)
        .allow_hyphen_values(true)
}

impl FromArgMatches for ServeArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ServeArgs, clap::Error> {
        let mut args = ServeArgs::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        if let Some(config) = matches.get_one::<PathBuf>("config") {
            self.config = Some(config.clone());
        }
        for key in key::all() {
            if let Some(value) = matches.get_one::<String>(key.path) {
                self.flags.insert(key.path, value.clone());
            }
        }
        Ok(())
    }
}

impl ServeArgs {
    /// The settings, with the environment of this process.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn load(self) -> Result<Loaded, BadSettings> {
        let in_words = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        let environment = std::env::vars_os().map(|(name, value)| (in_words(name), in_words(value)));
        let environment = environment.filter(|(name, _)| name.starts_with("GM_")).collect();
        Settings::load(&Given { config: self.config, flags: self.flags, environment })
    }
}

/// Look at the settings of `gm serve`, without starting it
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(super) struct Config {
    #[command(subcommand)]
    command: Look,
}

#[derive(Debug, Subcommand)]
enum Look {
    Check(Check),
    Show(Show),
}

/// Say whether the settings are right, and where each value comes from
///
/// The exit code is 1 if anything is wrong; everything that is wrong is said, with its place.
#[derive(Debug, Args)]
struct Check {
    /// The file of settings [default: the one that gm serve would read]
    file: Option<PathBuf>,

    /// One line of JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Show what `gm serve` would go by if it were started with the same flags
#[derive(Debug, Args)]
struct Show {
    #[command(flatten)]
    settings: ServeArgs,

    /// One line of JSON, for programs
    #[arg(long)]
    json: bool,
}

impl Config {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (args, as_json) = match self.command {
            Look::Check(Check { file, json }) => (ServeArgs { config: file, ..ServeArgs::default() }, json),
            Look::Show(Show { settings, json }) => (settings, json),
        };
        let loaded = args.load();
        let mut out = io::stdout().lock();
        if as_json {
            writeln!(out, "{}", to_json(&loaded))?;
        }
        match loaded {
            Ok(loaded) if !as_json => write_text(&mut out, &loaded)?,
            Ok(_) => {}
            Err(bad) => return Err(Failure::because(format!("the settings are wrong:\n    {bad}"))),
        }
        Ok(out.flush()?)
    }
}

fn write_text(out: &mut impl Write, loaded: &Loaded) -> io::Result<()> {
    match &loaded.file {
        Some(file) => writeln!(out, "ok: {}", file.display())?,
        None => writeln!(out, "ok, without a file")?,
    }
    let longest = loaded.used.iter().map(|used| used.key.len()).max().unwrap_or_default();
    for used in &loaded.used {
        let value = match &used.value {
            None => "none",
            Some(value) if value.is_empty() => "none",
            Some(value) => value,
        };
        write!(out, "{:longest$}  {value}", used.key)?;
        match used.source {
            Source::Default => writeln!(out)?,
            ref source => writeln!(out, "   # {source}")?,
        }
    }
    for (stranger, near) in &loaded.strangers {
        writeln!(out, "note: {stranger} is set, and means nothing to gm: is {near} meant?")?;
    }
    Ok(())
}

/// `{"ok":true,"file":…,"settings":[{"key":…,"value":…,"source":…}]}`, or `{"ok":false,"problems":[…]}`.
fn to_json(loaded: &Result<Loaded, BadSettings>) -> Value {
    match loaded {
        Ok(loaded) => {
            let used = loaded.used.iter().map(
                |used| json!({ "key": used.key, "value": used.value, "source": used.source.to_string() }),
            );
            json!({ "ok": true, "file": loaded.file, "settings": used.collect::<Vec<_>>() })
        }
        Err(bad) => {
            let problems = bad.0.iter().map(|problem| {
                let place = problem.place.to_string();
                json!({ "place": place, "key": problem.key, "problem": problem.problem })
            });
            json!({ "ok": false, "problems": problems.collect::<Vec<_>>() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Serve {
        #[command(flatten)]
        args: ServeArgs,
    }

    /// Every key has its flag, whose help teaches the unit, the default and the variable.
    #[test]
    fn flags() {
        let text = Serve::augment_args(Command::new("serve")).render_long_help().to_string();
        for key in key::all() {
            assert!(text.contains(&format!("--{} <{}>", key.flag(), key.placeholder())), "{}", key.path);
            assert!(text.contains(&format!("[env: {}]", key.variable())), "{}", key.path);
        }
        let given = [
            "gm",
            "--config",
            "x.toml",
            "--listen",
            "[::]:1",
            "--log-format",
            "json",
            "--watch-send-seconds",
            "-1",
        ];
        let ServeArgs { config, flags } = Serve::try_parse_from(given).expect("good flags").args;
        assert_eq!(config, Some(PathBuf::from("x.toml")));
        let expected = [("listen", "[::]:1"), ("log.format", "json"), ("watch.send_seconds", "-1")];
        assert_eq!(flags, expected.map(|(key, value)| (key, value.to_owned())).into());
    }

    #[test]
    fn what_is_shown() {
        let flags = [("listen", "[::]:1".to_owned())].into();
        let environment = [("GM_LISTN".to_owned(), "x".to_owned())].into();
        let given = Given { config: None, flags, environment };
        let loaded = Settings::of(&given, Some(("gm.toml", "[hosts]\n'a.car' = '10.0.0.1:80'")));
        let json = to_json(&loaded);
        assert_eq!(json["settings"][0], json!({ "key": "listen", "value": "[::]:1", "source": "--listen" }));
        let mut text = Vec::new();
        write_text(&mut text, &loaded.expect("good settings")).expect("written");
        let text = String::from_utf8(text).expect("UTF-8");
        for expected in [
            "ok, without a file\n",
            "listen                   [::]:1   # --listen\n",
            "traces.otlp              none\n",
            "api.cors_origins         none\n",
            "hosts.\"a.car\"            10.0.0.1:80   # gm.toml:2\n",
            "note: GM_LISTN is set, and means nothing to gm: is GM_LISTEN meant?\n",
        ] {
            assert!(text.contains(expected), "{expected:?} is not in\n{text}");
        }
        let json = to_json(&Settings::of(&Given::default(), Some(("gm.toml", "listn = 1"))));
        let problem = json!({ "place": "gm.toml:1", "key": "listn", "problem": "there is no such key: did you mean listen?" });
        assert_eq!(json, json!({ "ok": false, "problems": [problem] }));
    }
}
