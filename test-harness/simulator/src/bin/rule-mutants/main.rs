//! The binary `rule-mutants`: does the auditor catch a wrong rule?
//!
//! ```text
//! $ cargo run -p race-simulator --bin rule-mutants
//! caught    R-3.1   a car moves one square less than it has engines   by R-3.1
//! …
//! 39 of 39 caught
//! ```
//!
//! It copies what the simulator is made of, puts every mutation of `mutants.toml` into the copy of the rules, each behind
//! a switch, builds the simulator once, and lets it simulate races with each of them switched on. The rules of this
//! workspace are not touched, and know nothing of it.

mod copy;
mod table;

use clap::Parser;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use table::Mutant;

/// Checks that the auditor catches wrong rules: a test build of the rules in which one number or branch is wrong
#[derive(Debug, Parser)]
#[command(
    name = "rule-mutants",
    version,
    after_help = "Exit code: 0 every mutation is caught, 1 one is not, 2 it could not be tried."
)]
struct Options {
    /// How many races are simulated with each mutation, at most
    #[arg(long, value_name = "N", default_value_t = 300)]
    races: u32,
    /// The seed of the races
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only the mutations of this rule, such as R-3.1
    #[arg(long, value_name = "RULE")]
    only: Option<String>,
    /// Writes the result as a table in Markdown between the marks of this file
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(why) => {
            eprintln!("rule-mutants: {why}");
            ExitCode::from(2)
        }
    }
}

/// What came of a mutation.
struct Tried<'m> {
    mutant: &'m Mutant,
    /// The rule of the finding; none: it was not caught.
    caught_by: Option<String>,
}

fn run(options: &Options) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mutants = table::read(&root.join("test-harness/simulator/mutants.toml"))?;
    let target = target_folder(&root)?;
    let workspace = target.join("mutants");
    copy::workspace(&root, &workspace)?;
    table::plant(&mutants, &workspace.join("gm-core/src"))?;
    if std::io::stderr().is_terminal() {
        eprintln!("building the rules with {} mutations …", mutants.len());
    }
    let simulate = build(&workspace, &target)?;

    let mut tried = Vec::new();
    let healthy = simulated(&simulate, 0, options)?;
    if let Some(rule) = healthy {
        return Err(format!("without a mutation there is a finding already: {rule}"));
    }
    for (number, mutant) in (1..).zip(&mutants) {
        if options.only.as_ref().is_some_and(|only| *only != mutant.rule) {
            continue;
        }
        let caught_by = simulated(&simulate, number, options)?;
        let (word, by) = match &caught_by {
            Some(rule) => ("caught", format!("by {rule}")),
            None => ("SURVIVED", String::new()),
        };
        let mut out = std::io::stdout().lock();
        _ = writeln!(out, "{word:<9} {:<7} {}   {by}", mutant.rule, mutant.what);
        tried.push(Tried { mutant, caught_by });
    }
    let caught = tried.iter().filter(|tried| tried.caught_by.is_some()).count();
    _ = writeln!(std::io::stdout().lock(), "{caught} of {} caught", tried.len());
    if let Some(file) = &options.write {
        table::write(file, &tried)?;
    }
    Ok(caught == tried.len())
}

fn target_folder(root: &Path) -> Result<PathBuf, String> {
    let metadata = cargo(root).args(["metadata", "--format-version", "1", "--no-deps", "--offline"]).output();
    let metadata = metadata.map_err(|why| format!("cargo metadata: {why}"))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&metadata.stdout).map_err(|why| format!("cargo metadata: {why}"))?;
    let folder = metadata["target_directory"].as_str().ok_or("cargo metadata names no target folder")?;
    Ok(PathBuf::from(folder))
}

/// Builds the simulator of the copy, with the dependencies that are there already.
fn build(workspace: &Path, target: &Path) -> Result<PathBuf, String> {
    let built = cargo(workspace)
        .args([
            "build",
            "--quiet",
            "--offline",
            "-p",
            "race-simulator",
            "--bin",
            copy::BINARY,
            "--target-dir",
        ])
        .arg(target)
        .status()
        .map_err(|why| format!("cargo build: {why}"))?;
    if !built.success() {
        return Err("the rules with their mutations do not build".to_owned());
    }
    Ok(target.join("debug").join(copy::BINARY))
}

fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder);
    cargo
}

/// Simulates races with a mutation switched on, none for 0. Gives the rule of the first finding.
fn simulated(simulate: &Path, number: u32, options: &Options) -> Result<Option<String>, String> {
    let output = Command::new(simulate)
        .env("GM_MUTANT", number.to_string())
        .args(["--races", &options.races.to_string(), "--seed", &options.seed.to_string()])
        .args(["--format", "json", "--stop-at-first", "--no-shrink"])
        .output()
        .map_err(|why| format!("simulate: {why}"))?;
    match output.status.code() {
        Some(0) => Ok(None),
        Some(1) => Ok(Some(rule_of(&output.stdout))),
        _ => Err(format!("simulate failed: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// The rule of the first finding that is told.
fn rule_of(told: &[u8]) -> String {
    let lines = told.split(|byte| *byte == b'\n');
    let values = lines.filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
    let rules: Vec<String> =
        values.filter_map(|value| value["rule"].as_str().map(ToOwned::to_owned)).collect();
    rules.first().cloned().unwrap_or_else(|| "a finding without a rule".to_owned())
}
