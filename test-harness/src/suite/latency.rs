//! How long answers took, for each endpoint, against the deadline (C-21, A-3).
//!
//! ```text
//! GET /engine/count       41 answers   p50 0.4 ms   p95 0.9 ms   max 2.1 ms   of 2000 ms
//! ```

use crate::client::Exchange;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long one endpoint took to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latency {
    /// The method and the path, names and numbers left out: `DELETE /engine/{name}`.
    pub endpoint: String,
    /// How often it answered, or was waited for in vain.
    pub asked: usize,
    /// Half of the answers came within this time.
    pub p50: Duration,
    /// 95 of 100 came within this time.
    pub p95: Duration,
    /// All came within this time.
    pub max: Duration,
}

/// The latencies of all endpoints that were asked, by name.
#[must_use]
pub fn latencies<'e>(exchanges: impl IntoIterator<Item = &'e Exchange>) -> Vec<Latency> {
    let mut times: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for exchange in exchanges.into_iter().filter(|exchange| exchange.was_sent()) {
        times.entry(endpoint(&exchange.ask.method, &exchange.ask.path)).or_default().push(exchange.took);
    }
    let latency = |(endpoint, mut took): (String, Vec<Duration>)| {
        took.sort_unstable();
        let within = |percent: usize| took[(took.len() * percent).div_ceil(100).max(1) - 1];
        Latency { endpoint, asked: took.len(), p50: within(50), p95: within(95), max: within(100) }
    };
    times.into_iter().map(latency).collect()
}

/// The endpoint that a path belongs to: without its query, and `{name}` for the name of a module.
#[must_use]
pub fn endpoint(method: &str, path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let segments: Vec<&str> = path.split('/').collect();
    match segments[..] {
        ["", kind @ ("engine" | "pilot" | "weapon"), _] if method == "DELETE" => {
            format!("{method} /{kind}/{{name}}")
        }
        _ => format!("{method} {}", if path.is_empty() { "/" } else { path }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Ask, Mask};
    use gm_core::contract::Fault;

    #[test]
    fn endpoints_have_names() {
        for (method, path, expected) in [
            ("GET", "/engine/count", "GET /engine/count"),
            ("DELETE", "/engine/count", "DELETE /engine/{name}"),
            ("DELETE", "/weapon/V8%20n%C2%B01", "DELETE /weapon/{name}"),
            ("DELETE", "/state", "DELETE /state"),
            ("GET", "/fight/shouldfight?id=7", "GET /fight/shouldfight"),
            ("GET", "?cards=[1]", "GET /"),
        ] {
            assert_eq!(endpoint(method, path), expected);
        }
    }

    #[test]
    fn c_21_percentiles() {
        let exchange = |path: &str, millis: u64| Exchange {
            place: String::new(),
            ask: Ask::new("GET", path),
            got: Err(Fault::Late),
            took: Duration::from_millis(millis),
            at: Duration::ZERO,
            connection: 1,
            because: None,
            mask: Mask::default(),
        };
        let many: Vec<Exchange> = (1..=40).rev().map(|millis| exchange("/state", millis)).collect();
        let one = exchange("/pilot", 7);
        let found = latencies(many.iter().chain([&one]));
        let short: Vec<(&str, usize, u128, u128, u128)> = found
            .iter()
            .map(|it| {
                (it.endpoint.as_str(), it.asked, it.p50.as_millis(), it.p95.as_millis(), it.max.as_millis())
            })
            .collect();
        assert_eq!(short, [("GET /pilot", 1, 7, 7, 7), ("GET /state", 40, 20, 38, 40)]);
        assert!(latencies(&[]).is_empty());
    }
}
