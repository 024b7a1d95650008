//! Makes the plan of a race in which something was found as small as it can be.
//!
//! ```text
//! 23 steps, 8 cars, rules of its own ─▶ without the steps that don't matter ─▶ without the commands, the cars, the
//! faults, the settings that don't matter ─▶ 2 steps, 1 car, the usual rules
//! ```
//!
//! What is smaller is played, and kept if the same rule is found broken in it. It ends when nothing can be taken away any
//! more, or enough was tried.

use crate::plan::{Besides, CarPlan, Faults, MindKind, MindPlan, Plan, Step};
use crate::play::Played;
use gm_core::race::Rules;
use race_auditor::Finding;
use serde_json::{Map, Value};

/// What shrinking came to.
#[derive(Debug)]
pub struct Shrunk {
    /// The smallest plan that was found.
    pub plan: Plan,
    /// What is found in it.
    pub finding: Finding,
    /// Its export.
    pub export: Vec<u8>,
    /// How many plans were tried.
    pub tries: u32,
}

/// Shrinks the plan of a race in which something was found; none if it is not found again.
///
/// `check` is what finds: it plays a plan, and gives what it found.
pub fn shrink(plan: &Plan, rule: &str, most_tries: u32, check: impl Fn(&Plan) -> Played) -> Option<Shrunk> {
    let mut best = Best { rule, left: most_tries, tries: 0, found: None, check };
    if !best.takes(plan.clone()) {
        return None;
    }
    loop {
        let before = best.plan();
        best.steps();
        best.commands();
        best.cars();
        best.rules();
        best.details();
        if best.plan() == before || best.left == 0 {
            break;
        }
    }
    let Best { tries, found, .. } = best;
    found.map(|(plan, finding, export)| Shrunk { plan, finding, export, tries })
}

/// The smallest so far.
struct Best<'r, C> {
    rule: &'r str,
    left: u32,
    tries: u32,
    found: Option<(Plan, Finding, Vec<u8>)>,
    check: C,
}

impl<C: Fn(&Plan) -> Played> Best<'_, C> {
    fn plan(&self) -> Option<Plan> {
        self.found.as_ref().map(|(plan, ..)| plan.clone())
    }

    /// Takes a plan if the same is found in it.
    fn takes(&mut self, plan: Plan) -> bool {
        if self.left == 0 || self.found.as_ref().is_some_and(|(best, ..)| *best == plan) {
            return false;
        }
        self.left -= 1;
        self.tries += 1;
        let Played { plan, findings, export, .. } = (self.check)(&plan);
        let same = findings.into_iter().find(|finding| finding.rule == self.rule);
        let is_found = same.is_some();
        if let Some(finding) = same {
            self.found = Some((plan, finding, export));
        }
        is_found
    }

    /// Tries a change of the smallest.
    fn tries(&mut self, change: impl FnOnce(&mut Plan)) -> bool {
        let Some(mut plan) = self.plan() else { return false };
        change(&mut plan);
        self.takes(plan)
    }

    /// Takes parts of a list away: halves first, single ones last.
    fn without(&mut self, length: impl Fn(&Plan) -> usize, remove: impl Fn(&mut Plan, usize, usize)) {
        let of = |best: &Self| best.found.as_ref().map_or(0, |(plan, ..)| length(plan));
        let mut chunk = of(self);
        while chunk > 0 && self.left > 0 {
            let mut at = of(self);
            while at > 0 {
                let from = at.saturating_sub(chunk);
                self.tries(|plan| remove(plan, from, at));
                at = from.min(of(self));
            }
            chunk /= 2;
        }
    }

    fn steps(&mut self) {
        self.without(|plan| plan.steps.len(), |plan, from, to| drop(plan.steps.drain(from..to)));
    }

    fn commands(&mut self) {
        let steps = self.plan().map_or(0, |plan| plan.steps.len());
        for step in (0..steps).rev() {
            let length = move |plan: &Plan| match plan.steps.get(step) {
                Some(Step::Commands { commands, .. }) => commands.len(),
                _ => 0,
            };
            self.without(length, move |plan, from, to| {
                if let Some(Step::Commands { commands, .. }) = plan.steps.get_mut(step) {
                    commands.drain(from..to);
                }
            });
        }
    }

    fn cars(&mut self) {
        self.without(|plan| plan.cars.len(), |plan, from, to| drop(plan.cars.drain(from..to)));
    }

    /// Each setting becomes what it is in most races.
    fn rules(&mut self) {
        let Some(plan) = self.plan() else { return };
        let (usual, now) = (fields(&Rules::balanced()), fields(&plan.rules));
        for (setting, value) in &usual {
            if now.get(setting) != Some(value) {
                self.tries(|plan| {
                    let mut changed = fields(&plan.rules);
                    changed.insert(setting.clone(), value.clone());
                    if let Ok(rules) = serde_json::from_value::<Rules>(Value::Object(changed))
                        && rules.clone().validated().is_ok()
                    {
                        plan.rules = rules;
                    }
                });
            }
        }
    }

    /// Nothing goes wrong, nobody is inspected, everybody does always the same.
    fn details(&mut self) {
        let Some(plan) = self.plan() else { return };
        self.without(|plan| plan.inspected.len(), |plan, from, to| drop(plan.inspected.drain(from..to)));
        for step in 0..plan.steps.len() {
            self.tries(|plan| match plan.steps.get_mut(step) {
                Some(Step::Commands { besides, together, .. }) => {
                    (*besides, *together) = (Besides::default(), false);
                }
                Some(Step::Turn { besides }) => *besides = Besides::default(),
                None => {}
            });
        }
        self.mind(|plan| Some(&mut plan.pirates));
        for car in 0..plan.cars.len() {
            self.mind(move |plan| plan.cars.get_mut(car)?.mind.as_mut());
            let in_car = move |change: fn(&mut CarPlan)| {
                move |plan: &mut Plan| plan.cars.get_mut(car).into_iter().for_each(change)
            };
            if !self.tries(in_car(|car| car.faults = Faults::none())) {
                let kinds = move |plan: &Plan| plan.cars.get(car).map_or(0, |car| car.faults.kinds.len());
                self.without(kinds, move |plan, from, to| {
                    plan.cars.get_mut(car).into_iter().for_each(|car| drop(car.faults.kinds.drain(from..to)));
                });
                self.tries(in_car(|car| car.faults.percent = 100));
            }
            self.tries(in_car(|car| car.is_listed = false));
            self.tries(in_car(|car| car.modules = [1, 1, 1]));
            self.tries(in_car(|car| car.strategy.searches = 100));
            self.tries(in_car(|car| car.strategy.crosses = 0));
            self.tries(in_car(|car| car.strategy.buys = 0));
            self.tries(in_car(|car| car.strategy.fights = 0));
            self.tries(in_car(|car| car.strategy.favourite = None));
        }
    }

    fn mind(&mut self, of: impl Fn(&mut Plan) -> Option<&mut MindPlan>) {
        self.tries(|plan| of(plan).into_iter().for_each(|mind| mind.faults = Faults::none()));
        self.tries(|plan| of(plan).into_iter().for_each(|mind| mind.plays = MindKind::First));
    }
}

fn fields(rules: &Rules) -> Map<String, Value> {
    match serde_json::to_value(rules) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}
