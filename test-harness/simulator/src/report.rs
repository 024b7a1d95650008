//! What is told of races that were simulated: as text for people, as JSON lines for programs.
//!
//! ```text
//! 1000 races, 10123 turns, 412398 events: nothing found
//! odds: 143 kinds of draws, the least likely with p 0.006
//! ```

use crate::many::{Failure, Summary};
use crate::shrink::Shrunk;
use race_auditor::{Finding, Odds};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// The command that plays a race again.
#[must_use]
pub fn repeat(race_seed: u64, turns: u32) -> String {
    format!("simulate --race-seed {race_seed} --turns {turns}")
}

/// A race in which something was found, as text.
#[must_use]
pub fn failure(failure: &Failure, turns: u32) -> String {
    let Failure { index, race_seed, findings, .. } = failure;
    let mut text = format!("race {} (seed {race_seed}):\n", index + 1);
    for finding in findings.iter().take(5) {
        _ = writeln!(text, "  {finding}");
    }
    if findings.len() > 5 {
        _ = writeln!(text, "  and {} more", findings.len() - 5);
    }
    _ = writeln!(text, "  again: {}", repeat(*race_seed, turns));
    text
}

/// One more race in which the same was found, as text.
#[must_use]
pub fn more(failure: &Failure, turns: u32) -> String {
    let Failure { index, race_seed, findings, .. } = failure;
    let rule = findings.first().map_or("", |finding| finding.rule);
    format!("race {} (seed {race_seed}): {rule} again: {}\n", index + 1, repeat(*race_seed, turns))
}

/// The smallest race in which the same is found, as text.
#[must_use]
pub fn shrunk(shrunk: &Shrunk, plan: &Path) -> String {
    let Shrunk { plan: smallest, finding, tries, .. } = shrunk;
    let (steps, cars) = (smallest.steps.len(), smallest.cars.len());
    format!(
        "  smallest, after {tries} tries: {steps} steps, {cars} cars\n  {finding}\n  again: simulate --plan {}\n",
        plan.display()
    )
}

/// A race in which something was found, as JSON.
#[must_use]
pub fn failure_json(failure: &Failure, turns: u32) -> Value {
    let Failure { index, race_seed, findings, .. } = failure;
    let first = findings.first();
    json!({
        "race": index + 1,
        "race_seed": race_seed,
        "rule": first.map(|finding| finding.rule),
        "finding": first.map(of_finding),
        "findings": findings.len(),
        "again": repeat(*race_seed, turns),
    })
}

/// The smallest race in which the same is found, as JSON.
#[must_use]
pub fn shrunk_json(shrunk: &Shrunk, plan: &Path) -> Value {
    json!({
        "smallest": {
            "steps": shrunk.plan.steps.len(),
            "cars": shrunk.plan.cars.len(),
            "finding": of_finding(&shrunk.finding),
            "plan": plan,
            "tries": shrunk.tries,
        },
    })
}

/// What was found, as JSON.
#[must_use]
pub fn of_finding(finding: &Finding) -> Value {
    let Finding { line, turn, rule, what } = finding;
    json!({"line": line, "turn": turn, "rule": rule, "what": what})
}

/// Draws that can't be believed, as text.
#[must_use]
pub fn wrong_odds(odds: &Odds) -> String {
    let Odds { rule, name, cells, chi_squared, degrees, p } = odds;
    let mut text =
        format!("{rule}, {name}: chi-squared {chi_squared:.1} of {degrees} degrees of freedom, p {p:.1e}\n");
    for (outcome, came, should) in cells {
        _ = writeln!(text, "  {outcome}: {came} times, and should have come {should:.1} times");
    }
    text
}

/// Draws that can't be believed, as JSON.
#[must_use]
pub fn wrong_odds_json(odds: &Odds) -> Value {
    let Odds { rule, name, cells, chi_squared, degrees, p } = odds;
    json!({
        "rule": rule,
        "odds": {"name": name, "cells": cells, "chi_squared": chi_squared, "degrees": degrees, "p": p},
    })
}

/// The end, as text.
#[must_use]
pub fn end(summary: &Summary, seed: u64) -> String {
    let Summary { races, turns, events, deaths, verified, failed, failures, odds, .. } = summary;
    let found = match (failed, summary.wrong_odds().count()) {
        (0, 0) => "nothing found".to_owned(),
        (0, wrong) => format!("{wrong} kinds of draws can't be believed"),
        (failed, _) if *failed as usize > failures.len() => {
            format!("something found in {failed}, of which the first {} are told", failures.len())
        }
        (failed, _) => format!("something found in {failed}"),
    };
    let mut text = format!(
        "{races} races from seed {seed}, {turns} turns, {events} events, {deaths} deaths survived, {verified} races \
         decided again: {found}\n"
    );
    if let Some(least) = odds.first() {
        let (kinds, p) = (odds.len(), least.p);
        _ = writeln!(text, "odds: {kinds} kinds of draws, the least likely with p {p:.2e} ({})", least.name);
    }
    text
}

/// The end, as JSON.
#[must_use]
pub fn end_json(summary: &Summary, seed: u64) -> Value {
    let Summary { races, turns, events, deaths, verified, failed, happened, refused, odds, .. } = summary;
    json!({
        "end": {
            "good": summary.is_good(),
            "seed": seed,
            "races": races,
            "turns": turns,
            "events": events,
            "deaths": deaths,
            "verified": verified,
            "failed": failed,
            "happened": happened,
            "refused": refused,
            "odds": odds.iter().map(|odds| json!({"draw": odds.name, "by": odds.rule, "p": odds.p})).collect::<Vec<_>>(),
        },
    })
}
