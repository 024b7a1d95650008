//! `gm run` as a process that is killed, and started again until its race is over.

use super::field::{Field, PATIENCE, Run, Strike};
use super::ledger::Ledger;
use super::race::SEED;
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

/// The most lives of a process in one run.
const MOST_LIVES: usize = 400;

/// How a run is disturbed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Disturbance {
    /// Not at all.
    None,
    /// The first process kills itself at a point.
    Once(Probe),
    /// Each process kills itself at a point, until one comes to the end before it.
    Always(Probe),
    /// A car strikes the process.
    Struck(Strike),
    /// The first process is killed when it has lived so long, wherever that is.
    After(Duration),
}

/// A point at which a process kills itself: the nth of its kind in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) point: &'static str,
    pub(crate) nth: u64,
}

impl std::fmt::Display for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.point, self.nth)
    }
}

/// A life of a process that came to an end before its race did.
pub(crate) struct Life {
    pub(crate) status: ExitStatus,
    pub(crate) stderr: String,
    /// What is in the journal, as the process left it.
    pub(crate) ledger: Ledger,
    /// What was asked until then.
    pub(crate) seen: super::field::Seen,
}

/// A run that came to its end.
pub(crate) struct Finished {
    pub(crate) run: Arc<Run>,
    /// The lives before the last.
    pub(crate) lives: Vec<Life>,
    pub(crate) stderr: String,
    /// What `--out` wrote.
    pub(crate) events: String,
    pub(crate) ledger: Ledger,
}

/// Whether a run is to go on after a process has ended so.
pub(crate) type GoesOn = fn(ExitStatus) -> bool;

/// A process that died by SIGKILL is followed by another.
pub(crate) fn was_killed(status: ExitStatus) -> bool {
    status.signal() == Some(9)
}

/// Runs a race to its end.
///
/// # Errors
/// What a process said that ended in another way than it should.
pub(crate) async fn run(
    field: &Field,
    name: &str,
    disturbance: Disturbance,
    goes_on: GoesOn,
) -> Result<Finished, String> {
    let finished = to_its_end(field, name, disturbance, goes_on).await;
    field.forget(name);
    finished
}

async fn to_its_end(
    field: &Field,
    name: &str,
    disturbance: Disturbance,
    goes_on: GoesOn,
) -> Result<Finished, String> {
    let strike = match disturbance {
        Disturbance::Struck(strike) => Some(strike),
        _ => None,
    };
    let run = field.run(name, strike);
    let folder = TempDir::new().map_err(|error| format!("no folder: {error}"))?;
    let files = Files::new(folder.path());
    std::fs::write(&files.race, field.file(name)).map_err(|error| format!("no race file: {error}"))?;

    let mut lives = Vec::new();
    loop {
        let probe = match disturbance {
            Disturbance::Once(probe) if lives.is_empty() => Some(probe),
            Disturbance::Always(probe) => Some(probe),
            _ => None,
        };
        let lives_for = match disturbance {
            Disturbance::After(time) if lives.is_empty() => Some(time),
            _ => None,
        };
        let (status, stderr) = live(&run, &files, probe, lives_for).await?;
        run.is_quiet().await;
        let ledger = Ledger::read(&files.data).await?;
        if status.success() && (ledger.is_finished || !goes_on(status)) {
            let events = std::fs::read_to_string(&files.out).map_err(|error| format!("no --out: {error}"))?;
            return Ok(Finished { run, lives, stderr, events, ledger });
        }
        if !goes_on(status) {
            return Err(format!("life {} ended with {status}:\n{stderr}", lives.len() + 1));
        }
        lives.push(Life { status, stderr, ledger, seen: run.requests() });
        if lives.len() >= MOST_LIVES {
            return Err(format!("not over after {MOST_LIVES} lives"));
        }
    }
}

struct Files {
    race: PathBuf,
    data: PathBuf,
    out: PathBuf,
}

impl Files {
    fn new(folder: &Path) -> Files {
        Files { race: folder.join("race.toml"), data: folder.join("data"), out: folder.join("out.jsonl") }
    }
}

/// One life of a process: how it ended, and what it said.
async fn live(
    run: &Run,
    files: &Files,
    probe: Option<Probe>,
    lives_for: Option<Duration>,
) -> Result<(ExitStatus, String), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gm"));
    command.arg("run").arg(&files.race).arg("--data").arg(&files.data).arg("--resume");
    command.args(["--pace", "0", "--format", "json", "--seed", &SEED.to_string(), "--out"]).arg(&files.out);
    command.env_remove("GM_TEST_KILL_AT").env_remove("GM_DATA").env_remove("GM_LOG");
    if let Some(probe) = probe {
        command.env("GM_TEST_KILL_AT", probe.to_string());
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| format!("gm does not start: {error}"))?;
    let pid = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    run.runs_in(pid);
    let stderr = child.stderr.take().ok_or("gm has no error output")?;
    let mut lines = BufReader::new(stderr).lines();
    let mut ends = pin!(async {
        while let Ok(Some(line)) = lines.next_line().await {
            run.is_told(&line);
        }
        child.wait().await
    });
    if let (Some(time), Some(pid)) = (lives_for, pid)
        && timeout(time, &mut ends).await.is_err()
    {
        kill_process(pid, Signal::KILL).map_err(|error| format!("gm can't be killed: {error}"))?;
    }
    let ended = timeout(PATIENCE, ends).await;
    run.runs_in(None);
    let status =
        ended.map_err(|_| format!("gm is not done after {PATIENCE:?}, and said:\n{}", run.told()))?;
    Ok((status.map_err(|error| format!("gm was lost: {error}"))?, run.told()))
}
