//! The binary `simulate`: whole races in one process, each of them audited.
//!
//! ```text
//! $ simulate --races 1000 --seed 1
//! 1000 races from seed 1, 10340 turns, 365412 events, …: nothing found
//! ```

use clap::{Args, Parser, Subcommand, ValueEnum};
use race_auditor::{Odds, Tally};
use race_simulator::generate::Generator;
use race_simulator::many::{self, Failure, Progress, Settings, Summary};
use race_simulator::plan::Plan;
use race_simulator::play::{Played, play};
use race_simulator::report;
use race_simulator::shrink::shrink;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The most plans that are tried to make one smaller.
const MOST_TRIES: u32 = 3_000;

/// Simulates whole races, and has every event of them audited
///
/// Teams, strategies, faults, rules and commands are drawn from a seed. The races are played by the real rules, written
/// down as exports, and read by an auditor that was written from the rule book alone. Something that is found is told with
/// the command that repeats it, and made as small as it can be.
#[derive(Debug, Parser)]
#[command(
    name = "simulate",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  simulate --races 1000                 a thousand races, from a new seed
  simulate --races 100000 --seed 7      a night's run that can be repeated
  simulate --race-seed 4711 --out race.jsonl   one of them again, and its export
  simulate audit friday.jsonl           audits what `gm race export` has written

Exit code: 0 nothing was found, 1 something was, 2 it could not be tried."
)]
struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    simulate: Simulate,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Audits exports of races, as `gm race export` writes them
    Audit {
        /// The exports
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// How it is told
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

#[derive(Debug, Args)]
struct Simulate {
    /// How many races
    #[arg(long, value_name = "N", default_value_t = 100)]
    races: u32,
    /// The seed of all of them; a new one unless it is given
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// How many are played side by side; as many as there are processors unless it is given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// The most turns of a race
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// One race of so many is decided again from its export; 0 for none
    #[arg(long, value_name = "N", default_value_t = 10)]
    verify_every: u32,
    /// How it is told
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Stops when something was found
    #[arg(long)]
    stop_at_first: bool,
    /// What was found is not made smaller
    #[arg(long)]
    no_shrink: bool,
    /// Where the smallest plans are kept
    #[arg(long, value_name = "FOLDER", default_value = "simulated")]
    keep: PathBuf,
    /// One race, of this seed
    #[arg(long, value_name = "S", conflicts_with_all = ["plan", "races", "seed", "jobs"])]
    race_seed: Option<u64>,
    /// One race, by this plan, which is not made smaller
    #[arg(long, value_name = "FILE", conflicts_with_all = ["races", "seed", "jobs", "turns"])]
    plan: Option<PathBuf>,
    /// Where the export of the one race is written
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// How it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// Lines of JSON, for programs
    Json,
}

/// What can't be tried, and why.
type Unusable = String;

fn main() -> ExitCode {
    let options = Options::parse();
    let result = match &options.command {
        Some(Command::Audit { files, format }) => audit(files, *format),
        None => simulate(&options.simulate),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(why) => {
            eprintln!("simulate: {why}");
            ExitCode::from(2)
        }
    }
}

/// Says something on standard output. Whoever does not listen any more is not told.
fn say(what: impl Display) {
    _ = write!(io::stdout().lock(), "{what}");
}

fn simulate(options: &Simulate) -> Result<bool, Unusable> {
    if let Some(file) = &options.plan {
        let text = fs::read_to_string(file).map_err(|why| cannot("read", file, &why))?;
        let plan: Plan = serde_json::from_str(&text).map_err(|why| format!("{}: {why}", file.display()))?;
        return one(options, plan.seed, play(&plan));
    }
    if let Some(race_seed) = options.race_seed {
        return one(options, race_seed, play(Generator::new(race_seed, options.turns)));
    }
    if options.out.is_some() {
        return Err("--out is for one race: name it with --race-seed or --plan".to_owned());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let seed = options.seed.unwrap_or(u64::try_from(now).unwrap_or_default());
    let settings = Settings {
        races: options.races,
        seed,
        turns: options.turns,
        jobs: options.jobs.map_or(Settings::default().jobs, usize::from),
        verify_every: options.verify_every,
        stop_at_first: options.stop_at_first,
    };
    let bar = Bar::new(options.format);
    let summary = many::many(&settings, |progress| bar.shows(progress));
    bar.ends();
    // Many races may show the same: one of them is told whole, and made small.
    let mut told = BTreeSet::new();
    for failure in &summary.failures {
        let rule = failure.findings.first().map(|finding| finding.rule);
        tell(options, failure, told.insert(rule))?;
    }
    tell_odds(options.format, summary.wrong_odds());
    end(options, &summary, seed);
    Ok(summary.is_good())
}

/// One race.
fn one(options: &Simulate, race_seed: u64, mut played: Played) -> Result<bool, Unusable> {
    if played.findings.is_empty() {
        many::check_again(&mut played);
    }
    if let Some(out) = &options.out {
        fs::write(out, &played.export).map_err(|why| cannot("write", out, &why))?;
    }
    let Played { plan, findings, turns, happened, .. } = played;
    let mut summary = Summary { races: 1, turns: turns.into(), verified: 1, ..Summary::default() };
    summary.events = happened.values().sum();
    summary.happened = happened;
    if !findings.is_empty() {
        summary.failed = 1;
        tell(options, &Failure { index: 0, race_seed, findings, plan }, true)?;
    }
    end(options, &summary, race_seed);
    Ok(summary.is_good())
}

fn end(options: &Simulate, summary: &Summary, seed: u64) {
    match options.format {
        Format::Text => say(report::end(summary, seed)),
        Format::Json => say(format_args!("{}\n", report::end_json(summary, seed))),
    }
}

/// Tells of a race in which something was found, and makes it smaller; only which one it is, if the same was told before.
fn tell(options: &Simulate, failure: &Failure, is_news: bool) -> Result<(), Unusable> {
    match options.format {
        Format::Text if !is_news => say(report::more(failure, options.turns)),
        Format::Text => say(report::failure(failure, options.turns)),
        Format::Json => say(format_args!("{}\n", report::failure_json(failure, options.turns))),
    }
    let Some(rule) = failure.findings.first().map(|finding| finding.rule) else { return Ok(()) };
    if options.no_shrink || options.plan.is_some() || !is_news {
        return Ok(());
    }
    let again = |plan: &Plan| {
        let mut played = play(plan);
        if rule == "R-10.5" && played.findings.is_empty() {
            many::check_again(&mut played);
        }
        played
    };
    let Some(shrunk) = shrink(&failure.plan, rule, MOST_TRIES, again) else {
        say(if options.format == Format::Text { "  it is not found again by its plan\n" } else { "" });
        return Ok(());
    };
    let keep = &options.keep;
    fs::create_dir_all(keep).map_err(|why| cannot("make", keep, &why))?;
    let file = keep.join(format!("race-{}.json", failure.race_seed));
    let plan = serde_json::to_string_pretty(&shrunk.plan).map_err(|why| why.to_string())?;
    fs::write(&file, plan).map_err(|why| cannot("write", &file, &why))?;
    match options.format {
        Format::Text => say(report::shrunk(&shrunk, &file)),
        Format::Json => say(format_args!("{}\n", report::shrunk_json(&shrunk, &file))),
    }
    Ok(())
}

fn cannot(what: &str, file: &Path, why: &io::Error) -> Unusable {
    format!("{}: can't {what} it: {why}", file.display())
}

/// Tells of draws that can't be believed. Gives their number.
fn tell_odds<'o>(format: Format, wrong: impl Iterator<Item = &'o Odds>) -> usize {
    let tell = |odds| match format {
        Format::Text => say(report::wrong_odds(odds)),
        Format::Json => say(format_args!("{}\n", report::wrong_odds_json(odds))),
    };
    wrong.map(tell).count()
}

/// Audits exports.
fn audit(files: &[PathBuf], format: Format) -> Result<bool, Unusable> {
    let mut good = true;
    let mut all = Tally::default();
    for file in files {
        let lines = BufReader::new(File::open(file).map_err(|why| cannot("read", file, &why))?);
        let audited = race_auditor::audit(lines).map_err(|why| cannot("read", file, &why))?;
        all.merge(&audited.tally);
        good &= audited.findings.is_empty();
        let name = file.display();
        match format {
            Format::Text => {
                for finding in &audited.findings {
                    say(format_args!("{name}: {finding}\n"));
                }
                let (turns, events, found) = (audited.turns, audited.events, audited.findings.len());
                let found = if found == 0 { "nothing found".to_owned() } else { format!("{found} found") };
                say(format_args!("{name}: {turns} turns, {events} events: {found}\n"));
            }
            Format::Json => {
                for finding in &audited.findings {
                    let mut found = report::of_finding(finding);
                    found["file"] = serde_json::json!(file);
                    say(format_args!("{found}\n"));
                }
                let end = serde_json::json!({"end": {
                    "file": file,
                    "good": audited.findings.is_empty(),
                    "turns": audited.turns,
                    "events": audited.events,
                    "findings": audited.findings.len(),
                }});
                say(format_args!("{end}\n"));
            }
        }
    }
    good &= tell_odds(format, many::unbelievable(&all.odds())) == 0;
    Ok(good)
}

/// How far it is, on a terminal.
struct Bar {
    shown: bool,
    begun: Instant,
}

impl Bar {
    fn new(format: Format) -> Bar {
        Bar { shown: format == Format::Text && io::stderr().is_terminal(), begun: Instant::now() }
    }

    fn shows(&self, progress: Progress) {
        let Progress { races, of, failures } = progress;
        if self.shown && (races % 10 == 0 || races == of) {
            let a_minute = f64::from(races) * 60.0 / self.begun.elapsed().as_secs_f64().max(0.001);
            let found = if failures > 0 { format!(", something found in {failures}") } else { String::new() };
            _ = write!(io::stderr().lock(), "\r{races} of {of} races, {a_minute:.0} a minute{found}\u{1b}[K");
        }
    }

    fn ends(&self) {
        if self.shown {
            _ = write!(io::stderr().lock(), "\r\u{1b}[K");
        }
    }
}
