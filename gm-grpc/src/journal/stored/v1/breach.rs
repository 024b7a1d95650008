//! What was expected and found: penalties, and registrations that are refused.
//!
//! ```text
//! {"check":{"asked":{"count":"engine"}},"expected":{"count":3},"found":{"value":{"count":4}}}
//! {"no_answer":{"request":"state","fault":"late"}}
//! ```

use super::contract::{CarRequest, Deviation, Fault, InspectorFault, Kind, Modules};
use super::domain;
use serde::{Deserialize, Serialize};

/// What a penalty is for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Breach {
    check: Check,
    expected: Fact,
    found: Found,
}

impl From<&domain::Breach> for Breach {
    fn from(it: &domain::Breach) -> Breach {
        let domain::Breach { check, expected, found } = it;
        Breach { check: check.into(), expected: expected.into(), found: found.into() }
    }
}

impl From<Breach> for domain::Breach {
    fn from(it: Breach) -> domain::Breach {
        let Breach { check, expected, found } = it;
        domain::Breach { check: check.into(), expected: expected.into(), found: found.into() }
    }
}

/// What was asked or looked at.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Check {
    Asked(CarRequest),
    Inspected(Kind),
}

impl From<&domain::Check> for Check {
    fn from(it: &domain::Check) -> Check {
        match it {
            domain::Check::Asked(request) => Check::Asked(request.into()),
            domain::Check::Inspected(kind) => Check::Inspected(kind.into()),
        }
    }
}

impl From<Check> for domain::Check {
    fn from(it: Check) -> domain::Check {
        match it {
            Check::Asked(request) => domain::Check::Asked(request.into()),
            Check::Inspected(kind) => domain::Check::Inspected(kind.into()),
        }
    }
}

/// What was expected, or found.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Fact {
    Count(u64),
    Square(u64),
    State { square: u64, modules: Modules },
    Holds(String),
    HoldsNot(String),
    AnAnswer,
}

impl From<&domain::Fact> for Fact {
    fn from(it: &domain::Fact) -> Fact {
        match it {
            domain::Fact::Count(count) => Fact::Count(*count),
            domain::Fact::Square(square) => Fact::Square(*square),
            domain::Fact::State { square, modules } => {
                Fact::State { square: *square, modules: modules.into() }
            }
            domain::Fact::Holds(name) => Fact::Holds(name.clone()),
            domain::Fact::HoldsNot(name) => Fact::HoldsNot(name.clone()),
            domain::Fact::AnAnswer => Fact::AnAnswer,
        }
    }
}

impl From<Fact> for domain::Fact {
    fn from(it: Fact) -> domain::Fact {
        match it {
            Fact::Count(count) => domain::Fact::Count(count),
            Fact::Square(square) => domain::Fact::Square(square),
            Fact::State { square, modules } => domain::Fact::State { square, modules: modules.into() },
            Fact::Holds(name) => domain::Fact::Holds(name),
            Fact::HoldsNot(name) => domain::Fact::HoldsNot(name),
            Fact::AnAnswer => domain::Fact::AnAnswer,
        }
    }
}

/// What was found, or why nothing was.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Found {
    Value(Fact),
    Fault(Fault),
}

impl From<&domain::Found<domain::Fact>> for Found {
    fn from(it: &domain::Found<domain::Fact>) -> Found {
        match it {
            domain::Found::Value(fact) => Found::Value(fact.into()),
            domain::Found::Fault(fault) => Found::Fault(fault.into()),
        }
    }
}

impl From<Found> for domain::Found<domain::Fact> {
    fn from(it: Found) -> domain::Found<domain::Fact> {
        match it {
            Found::Value(fact) => domain::Found::Value(fact.into()),
            Found::Fault(fault) => domain::Found::Fault(fault.into()),
        }
    }
}

/// What was accepted in one answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Accepted {
    request: CarRequest,
    deviations: Vec<Deviation>,
}

impl From<&domain::Accepted> for Accepted {
    fn from(it: &domain::Accepted) -> Accepted {
        let domain::Accepted { request, deviations } = it;
        Accepted { request: request.into(), deviations: deviations.iter().map(Into::into).collect() }
    }
}

impl From<Accepted> for domain::Accepted {
    fn from(it: Accepted) -> domain::Accepted {
        let Accepted { request, deviations } = it;
        domain::Accepted {
            request: request.into(),
            deviations: deviations.into_iter().map(Into::into).collect(),
        }
    }
}

/// Why a registration was refused.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum RefusedBecause {
    NoAddress,
    BadInstanceName,
    InstanceTaken,
    UrlTaken,
    NoAnswer { request: CarRequest, fault: Fault },
    OtherName { found: String },
    WrongCount { kind: Kind, said: u64, there: u64 },
    BadModuleNames { kind: Kind },
    NotInspected { kind: Kind, fault: InspectorFault },
    NoPilot,
    TooManyModules { found: u64, most: u32 },
    TooExpensive { price: u64, budget: u64 },
}

impl From<&domain::RefusedBecause> for RefusedBecause {
    fn from(it: &domain::RefusedBecause) -> RefusedBecause {
        match it {
            domain::RefusedBecause::NoAddress => RefusedBecause::NoAddress,
            domain::RefusedBecause::BadInstanceName => RefusedBecause::BadInstanceName,
            domain::RefusedBecause::InstanceTaken => RefusedBecause::InstanceTaken,
            domain::RefusedBecause::UrlTaken => RefusedBecause::UrlTaken,
            domain::RefusedBecause::NoAnswer { request, fault } => {
                RefusedBecause::NoAnswer { request: request.into(), fault: fault.into() }
            }
            domain::RefusedBecause::OtherName { found } => RefusedBecause::OtherName { found: found.clone() },
            domain::RefusedBecause::WrongCount { kind, said, there } => {
                RefusedBecause::WrongCount { kind: kind.into(), said: *said, there: *there }
            }
            domain::RefusedBecause::BadModuleNames { kind } => {
                RefusedBecause::BadModuleNames { kind: kind.into() }
            }
            domain::RefusedBecause::NotInspected { kind, fault } => {
                RefusedBecause::NotInspected { kind: kind.into(), fault: fault.into() }
            }
            domain::RefusedBecause::NoPilot => RefusedBecause::NoPilot,
            domain::RefusedBecause::TooManyModules { found, most } => {
                RefusedBecause::TooManyModules { found: *found, most: *most }
            }
            domain::RefusedBecause::TooExpensive { price, budget } => {
                RefusedBecause::TooExpensive { price: price.0, budget: budget.0 }
            }
        }
    }
}

impl From<RefusedBecause> for domain::RefusedBecause {
    fn from(it: RefusedBecause) -> domain::RefusedBecause {
        match it {
            RefusedBecause::NoAddress => domain::RefusedBecause::NoAddress,
            RefusedBecause::BadInstanceName => domain::RefusedBecause::BadInstanceName,
            RefusedBecause::InstanceTaken => domain::RefusedBecause::InstanceTaken,
            RefusedBecause::UrlTaken => domain::RefusedBecause::UrlTaken,
            RefusedBecause::NoAnswer { request, fault } => {
                domain::RefusedBecause::NoAnswer { request: request.into(), fault: fault.into() }
            }
            RefusedBecause::OtherName { found } => domain::RefusedBecause::OtherName { found },
            RefusedBecause::WrongCount { kind, said, there } => {
                domain::RefusedBecause::WrongCount { kind: kind.into(), said, there }
            }
            RefusedBecause::BadModuleNames { kind } => {
                domain::RefusedBecause::BadModuleNames { kind: kind.into() }
            }
            RefusedBecause::NotInspected { kind, fault } => {
                domain::RefusedBecause::NotInspected { kind: kind.into(), fault: fault.into() }
            }
            RefusedBecause::NoPilot => domain::RefusedBecause::NoPilot,
            RefusedBecause::TooManyModules { found, most } => {
                domain::RefusedBecause::TooManyModules { found, most }
            }
            RefusedBecause::TooExpensive { price, budget } => domain::RefusedBecause::TooExpensive {
                price: domain::Dollars(price),
                budget: domain::Dollars(budget),
            },
        }
    }
}
