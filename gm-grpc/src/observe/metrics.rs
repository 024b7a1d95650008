//! What is counted and timed, in the text format of Prometheus. [`METRICS`] is the list of it all.
//!
//! ```
//! use gm_grpc::observe::metrics::{self, Metrics};
//! let metrics = Metrics::new();
//! metrics.record(|| metrics::car_request("C-4", None, std::time::Duration::from_millis(3)));
//! assert!(metrics.render().contains(r#"gm_car_requests_total{contract="C-4",outcome="ok"} 1"#));
//! ```
//!
//! **No label names a race, a team or a car.** Each value of a label is kept for as long as the process runs, and each
//! is a line of every scrape: a server that runs for weeks has had many races, and their names come from outside. What
//! happened in one race is in its team logs. The values of every label here are from a closed list.
//!
//! Where nobody has [installed](Metrics::install) a recorder, counting costs a look at an empty pointer.

use super::phases::Phase;
use gm_core::contract::Fault;
use gm_core::race::state::Life;
use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What kind of metric it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Times, in seconds.
    Seconds,
}

/// One metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Its labels.
    pub labels: &'static [&'static str],
    /// What it says.
    pub about: &'static str,
}

const TURNS: &str = "gm_turns_total";
const TURN_SECONDS: &str = "gm_turn_seconds";
const PHASE_SECONDS: &str = "gm_phase_seconds";
const CAR_REQUESTS: &str = "gm_car_requests_total";
const CAR_REQUEST_SECONDS: &str = "gm_car_request_seconds";
const STREAMS_OPEN: &str = "gm_streams_open";
const RPCS: &str = "gm_rpc_total";
const RPC_SECONDS: &str = "gm_rpc_seconds";
const JOURNAL_WAITING: &str = "gm_journal_waiting_writes";
const JOURNAL_COMMIT_SECONDS: &str = "gm_journal_commit_seconds";
const RACES: &str = "gm_races";

/// Every metric.
pub const METRICS: [Metric; 11] = [
    Metric { name: TURNS, kind: Kind::Counter, labels: &[], about: "Turns that were committed" },
    Metric {
        name: TURN_SECONDS,
        kind: Kind::Seconds,
        labels: &[],
        about: "How long a turn took, from its start to its commit",
    },
    Metric {
        name: PHASE_SECONDS,
        kind: Kind::Seconds,
        labels: &["phase"],
        about: "How long a phase of a turn took, from its first request to its last answer (R-3)",
    },
    Metric {
        name: CAR_REQUESTS,
        kind: Kind::Counter,
        labels: &["contract", "outcome"],
        about: "Requests to cars and AIs, by their number in the contract (AIs: A-1) and what came of them: ok, or what \
                was wrong",
    },
    Metric {
        name: CAR_REQUEST_SECONDS,
        kind: Kind::Seconds,
        labels: &["contract"],
        about: "How long cars and AIs took to answer, or until they were given up",
    },
    Metric {
        name: STREAMS_OPEN,
        kind: Kind::Gauge,
        labels: &["stream"],
        about: "Streams that are open, by their kind",
    },
    Metric {
        name: RPCS,
        kind: Kind::Counter,
        labels: &["service", "method", "code"],
        about: "Calls of the API that have ended, streams included, by their status code",
    },
    Metric {
        name: RPC_SECONDS,
        kind: Kind::Seconds,
        labels: &["service", "method"],
        about: "How long calls of the API took, streams to their end",
    },
    Metric {
        name: JOURNAL_WAITING,
        kind: Kind::Gauge,
        labels: &[],
        about: "Transactions that wait for the one that writes the journal",
    },
    Metric {
        name: JOURNAL_COMMIT_SECONDS,
        kind: Kind::Seconds,
        labels: &[],
        about: "How long a transaction of the journal took; those of turns are synced to the disk",
    },
    Metric {
        name: RACES,
        kind: Kind::Gauge,
        labels: &["life"],
        about: "Races that this process owns, by the stage of their life",
    },
];

/// The bounds of the histograms, in seconds: from an answer on the loopback to a turn of slow cars and long streams.
const BUCKETS: [f64; 15] =
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 15.0, 60.0, 300.0];

/// How often times that nobody has scraped are summed up, so that they take no more memory. A server calls
/// [`Metrics::sum_up`] so often.
pub const SUM_UP_EVERY: Duration = Duration::from_secs(5);

/// The metrics of a process.
#[derive(Clone)]
pub struct Metrics {
    recorder: Arc<PrometheusRecorder>,
    handle: PrometheusHandle,
}

/// The metrics in which everything in this process is recorded.
static INSTALLED: OnceLock<Metrics> = OnceLock::new();

/// There is a recorder already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the metrics of this process are recorded already")]
pub struct AlreadyInstalled;

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

impl Metrics {
    /// Metrics that record nothing until they are [installed](Metrics::install).
    #[must_use]
    pub fn new() -> Metrics {
        let builder = PrometheusBuilder::new();
        let builder = builder.set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS);
        let recorder = builder.expect("there are buckets").build_recorder();
        let metrics = Metrics { handle: recorder.handle(), recorder: Arc::new(recorder) };
        metrics.record(describe);
        metrics
    }

    /// From now on, everything in this process is recorded here.
    ///
    /// # Errors
    /// [`AlreadyInstalled`]: it can be done once in a process.
    pub fn install(&self) -> Result<(), AlreadyInstalled> {
        metrics::set_global_recorder(Arc::clone(&self.recorder)).map_err(|_| AlreadyInstalled)?;
        // Whoever was first there is first here.
        let _ = INSTALLED.set(self.clone());
        Ok(())
    }

    /// Those that were installed in this process, if any were.
    #[must_use]
    pub fn installed() -> Option<&'static Metrics> {
        INSTALLED.get()
    }

    /// Records what is counted on this thread while `counts` runs, in tests that can't install anything.
    pub fn record<T>(&self, counts: impl FnOnce() -> T) -> T {
        metrics::with_local_recorder(&*self.recorder, counts)
    }

    /// Everything that was recorded, in the text format of Prometheus (`text/plain; version=0.0.4`).
    #[must_use]
    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Sums up the times that were recorded, each [`SUM_UP_EVERY`].
    pub fn sum_up(&self) {
        self.handle.run_upkeep();
    }
}

fn describe() {
    for Metric { name, kind, about, .. } in METRICS {
        match kind {
            Kind::Counter => describe_counter!(name, about),
            Kind::Gauge => describe_gauge!(name, about),
            Kind::Seconds => describe_histogram!(name, Unit::Seconds, about),
        }
    }
}

/// A turn was committed, so long after it started.
pub fn turn(took: Duration) {
    counter!(TURNS).increment(1);
    histogram!(TURN_SECONDS).record(took);
}

/// A phase of a turn took so long.
pub fn phase(phase: Phase, took: Duration) {
    histogram!(PHASE_SECONDS, "phase" => phase.word()).record(took);
}

/// A request to a car or an AI was answered, rightly if there is no fault. `contract`: its number, `C-4`.
pub fn car_request(contract: &'static str, fault: Option<Fault>, latency: Duration) {
    let outcome = fault.map_or("ok", fault_word);
    counter!(CAR_REQUESTS, "contract" => contract, "outcome" => outcome).increment(1);
    histogram!(CAR_REQUEST_SECONDS, "contract" => contract).record(latency);
}

/// What was wrong, as a label: a status is not told from another.
fn fault_word(fault: Fault) -> &'static str {
    match fault {
        Fault::Unreachable => "unreachable",
        Fault::Late => "late",
        Fault::Broken => "broken",
        Fault::TooLarge => "too_large",
        Fault::Status(_) => "status",
        Fault::NotJson => "not_json",
        Fault::NotTheValue => "not_the_value",
    }
}

/// A call of the API has ended. All three labels must come from a closed list, not from the request.
pub(super) fn rpc(service: Arc<str>, method: Arc<str>, code: &'static str, took: Duration) {
    let labels = (Arc::clone(&service), Arc::clone(&method));
    counter!(RPCS, "service" => labels.0, "method" => labels.1, "code" => code).increment(1);
    histogram!(RPC_SECONDS, "service" => service, "method" => method).record(took);
}

/// So many transactions wait for the one that writes.
pub(crate) fn journal_waits(writes: usize) {
    gauge!(JOURNAL_WAITING).set(f64::from(u32::try_from(writes).unwrap_or(u32::MAX)));
}

/// A transaction took so long, whatever came of it.
pub(crate) fn journal_wrote(took: Duration) {
    histogram!(JOURNAL_COMMIT_SECONDS).record(took);
}

/// A stream that is open for as long as this is kept.
#[derive(Debug)]
pub struct OpenStream(&'static str);

impl OpenStream {
    /// A stream of this kind is opened: `watch_race`.
    #[must_use]
    pub fn new(stream: &'static str) -> OpenStream {
        gauge!(STREAMS_OPEN, "stream" => stream).increment(1);
        OpenStream(stream)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        gauge!(STREAMS_OPEN, "stream" => self.0).decrement(1);
    }
}

/// A race that is owned for as long as this is kept.
#[derive(Debug, Default)]
pub(crate) struct OwnedRace(Option<&'static str>);

impl OwnedRace {
    /// The race is at this stage of its life now.
    pub(crate) fn is(&mut self, life: Life) {
        let word = match life {
            Life::Preparing => "preparing",
            Life::Running => "running",
            Life::Paused => "paused",
            Life::Finished(_) => "finished",
        };
        if self.0 != Some(word) {
            self.leaves();
            gauge!(RACES, "life" => word).increment(1);
            self.0 = Some(word);
        }
    }

    fn leaves(&mut self) {
        if let Some(word) = self.0.take() {
            gauge!(RACES, "life" => word).decrement(1);
        }
    }
}

impl Drop for OwnedRace {
    fn drop(&mut self) {
        self.leaves();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::race::state::Ending;

    #[track_caller]
    fn check(counts: impl FnOnce(), expected: &[&str]) {
        let metrics = Metrics::new();
        metrics.record(counts);
        let text = metrics.render();
        let lines: Vec<&str> = text.lines().collect();
        for line in expected {
            assert!(lines.contains(line), "{line} is not in\n{text}");
        }
    }

    /// What is counted, and what is rendered of it.
    #[test]
    fn what_is_rendered() {
        check(
            || (1..=2).for_each(|seconds| turn(Duration::from_secs(seconds))),
            &[
                "# HELP gm_turns_total Turns that were committed",
                "# TYPE gm_turns_total counter",
                "gm_turns_total 2",
                "# TYPE gm_turn_seconds histogram",
                "gm_turn_seconds_bucket{le=\"0.5\"} 0",
                "gm_turn_seconds_bucket{le=\"1\"} 1",
                "gm_turn_seconds_bucket{le=\"+Inf\"} 2",
                "gm_turn_seconds_sum 3",
                "gm_turn_seconds_count 2",
            ],
        );
        check(
            || {
                for fault in [None, Some(Fault::Late), Some(Fault::Status(500)), Some(Fault::Status(302))] {
                    car_request("C-4", fault, Duration::from_millis(1));
                }
            },
            &[
                "gm_car_requests_total{contract=\"C-4\",outcome=\"ok\"} 1",
                "gm_car_requests_total{contract=\"C-4\",outcome=\"late\"} 1",
                "gm_car_requests_total{contract=\"C-4\",outcome=\"status\"} 2",
                "gm_car_request_seconds_count{contract=\"C-4\"} 4",
            ],
        );
        check(
            || phase(Phase::SpotCheck, Duration::ZERO),
            &["gm_phase_seconds_bucket{phase=\"spot_check\",le=\"0.001\"} 1"],
        );
        check(
            || rpc("gm.v1.AdminService".into(), "StepTurn".into(), "ok", Duration::ZERO),
            &[
                "gm_rpc_total{service=\"gm.v1.AdminService\",method=\"StepTurn\",code=\"ok\"} 1",
                "gm_rpc_seconds_count{service=\"gm.v1.AdminService\",method=\"StepTurn\"} 1",
            ],
        );
        check(|| journal_waits(3), &["gm_journal_waiting_writes 3"]);
    }

    /// What is open and owned is counted down again.
    #[test]
    fn gauges_go_down() {
        check(
            || {
                let open = OpenStream::new("watch_race");
                drop(OpenStream::new("watch_race"));
                // It stays open.
                std::mem::forget(open);
            },
            &["gm_streams_open{stream=\"watch_race\"} 1"],
        );
        check(
            || {
                let mut race = OwnedRace::default();
                for life in [Life::Preparing, Life::Running, Life::Running, Life::Finished(Ending::TimeUp)] {
                    race.is(life);
                }
                let mut other = OwnedRace::default();
                other.is(Life::Running);
                std::mem::forget(other);
            },
            &[
                "gm_races{life=\"preparing\"} 0",
                "gm_races{life=\"running\"} 1",
                "gm_races{life=\"finished\"} 0",
            ],
        );
    }

    /// Prometheus' own rules for names, and one meaning for each.
    #[test]
    fn names() {
        let names: std::collections::BTreeSet<_> = METRICS.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), METRICS.len());
        for Metric { name, kind, about, .. } in METRICS {
            assert_eq!(name.ends_with("_total"), kind == Kind::Counter, "{name}");
            assert_eq!(name.ends_with("_seconds"), kind == Kind::Seconds, "{name}");
            assert!(name.starts_with("gm_") && !about.ends_with('.'), "{name}");
        }
    }
}
