//! What is said between the game master and a car, where events name it: requests, faults, deviations.
//!
//! ```text
//! {"count":"pilot"}
//! {"status":503}
//! ```

use super::domain;
use serde::{Deserialize, Serialize};

/// A kind of module.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Engine,
    Pilot,
    Weapon,
}

impl From<&domain::Kind> for Kind {
    fn from(it: &domain::Kind) -> Kind {
        match it {
            domain::Kind::Engine => Kind::Engine,
            domain::Kind::Pilot => Kind::Pilot,
            domain::Kind::Weapon => Kind::Weapon,
        }
    }
}

impl From<Kind> for domain::Kind {
    fn from(it: Kind) -> domain::Kind {
        match it {
            Kind::Engine => domain::Kind::Engine,
            Kind::Pilot => domain::Kind::Pilot,
            Kind::Weapon => domain::Kind::Weapon,
        }
    }
}

/// How many modules of each kind.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Modules {
    engine: u64,
    pilot: u64,
    weapon: u64,
}

impl From<&domain::Modules> for Modules {
    fn from(it: &domain::Modules) -> Modules {
        let domain::Modules { engine, pilot, weapon } = it;
        Modules { engine: *engine, pilot: *pilot, weapon: *weapon }
    }
}

impl From<Modules> for domain::Modules {
    fn from(it: Modules) -> domain::Modules {
        let Modules { engine, pilot, weapon } = it;
        domain::Modules { engine, pilot, weapon }
    }
}

/// A price for each kind, in dollars.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prices {
    engine: u32,
    pilot: u32,
    weapon: u32,
}

impl From<&domain::Prices> for Prices {
    fn from(it: &domain::Prices) -> Prices {
        let domain::Prices { engine, pilot, weapon } = it;
        Prices { engine: *engine, pilot: *pilot, weapon: *weapon }
    }
}

impl From<Prices> for domain::Prices {
    fn from(it: Prices) -> domain::Prices {
        let Prices { engine, pilot, weapon } = it;
        domain::Prices { engine, pilot, weapon }
    }
}

/// What a car was asked or told.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum CarRequest {
    Resource(Kind),
    Count(Kind),
    State,
    SetSquare(u32),
    SetPosition(u32),
    Retire,
    SetCount { kind: Kind, count: u64 },
    Gain { kind: Kind, name: String },
    Lose { kind: Kind, name: String },
    Wreck,
    Mine,
    Garage(Prices),
    ShouldFight(u32),
    DuelUrl,
}

impl From<&domain::CarRequest> for CarRequest {
    fn from(it: &domain::CarRequest) -> CarRequest {
        match it {
            domain::CarRequest::Resource(kind) => CarRequest::Resource(kind.into()),
            domain::CarRequest::Count(kind) => CarRequest::Count(kind.into()),
            domain::CarRequest::State => CarRequest::State,
            domain::CarRequest::SetSquare(square) => CarRequest::SetSquare(square.0),
            domain::CarRequest::SetPosition(square) => CarRequest::SetPosition(square.0),
            domain::CarRequest::Retire => CarRequest::Retire,
            domain::CarRequest::SetCount { kind, count } => {
                CarRequest::SetCount { kind: kind.into(), count: *count }
            }
            domain::CarRequest::Gain { kind, name } => {
                CarRequest::Gain { kind: kind.into(), name: name.clone() }
            }
            domain::CarRequest::Lose { kind, name } => {
                CarRequest::Lose { kind: kind.into(), name: name.clone() }
            }
            domain::CarRequest::Wreck => CarRequest::Wreck,
            domain::CarRequest::Mine => CarRequest::Mine,
            domain::CarRequest::Garage(prices) => CarRequest::Garage(prices.into()),
            domain::CarRequest::ShouldFight(team) => CarRequest::ShouldFight(team.0),
            domain::CarRequest::DuelUrl => CarRequest::DuelUrl,
        }
    }
}

impl From<CarRequest> for domain::CarRequest {
    fn from(it: CarRequest) -> domain::CarRequest {
        match it {
            CarRequest::Resource(kind) => domain::CarRequest::Resource(kind.into()),
            CarRequest::Count(kind) => domain::CarRequest::Count(kind.into()),
            CarRequest::State => domain::CarRequest::State,
            CarRequest::SetSquare(square) => domain::CarRequest::SetSquare(domain::Square(square)),
            CarRequest::SetPosition(square) => domain::CarRequest::SetPosition(domain::Square(square)),
            CarRequest::Retire => domain::CarRequest::Retire,
            CarRequest::SetCount { kind, count } => domain::CarRequest::SetCount { kind: kind.into(), count },
            CarRequest::Gain { kind, name } => domain::CarRequest::Gain { kind: kind.into(), name },
            CarRequest::Lose { kind, name } => domain::CarRequest::Lose { kind: kind.into(), name },
            CarRequest::Wreck => domain::CarRequest::Wreck,
            CarRequest::Mine => domain::CarRequest::Mine,
            CarRequest::Garage(prices) => domain::CarRequest::Garage(prices.into()),
            CarRequest::ShouldFight(team) => domain::CarRequest::ShouldFight(domain::TeamId(team)),
            CarRequest::DuelUrl => domain::CarRequest::DuelUrl,
        }
    }
}

/// Why there was no usable answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Fault {
    Unreachable,
    Late,
    Broken,
    TooLarge,
    Status(u16),
    NotJson,
    NotTheValue,
}

impl From<&domain::Fault> for Fault {
    fn from(it: &domain::Fault) -> Fault {
        match it {
            domain::Fault::Unreachable => Fault::Unreachable,
            domain::Fault::Late => Fault::Late,
            domain::Fault::Broken => Fault::Broken,
            domain::Fault::TooLarge => Fault::TooLarge,
            domain::Fault::Status(status) => Fault::Status(*status),
            domain::Fault::NotJson => Fault::NotJson,
            domain::Fault::NotTheValue => Fault::NotTheValue,
        }
    }
}

impl From<Fault> for domain::Fault {
    fn from(it: Fault) -> domain::Fault {
        match it {
            Fault::Unreachable => domain::Fault::Unreachable,
            Fault::Late => domain::Fault::Late,
            Fault::Broken => domain::Fault::Broken,
            Fault::TooLarge => domain::Fault::TooLarge,
            Fault::Status(status) => domain::Fault::Status(status),
            Fault::NotJson => domain::Fault::NotJson,
            Fault::NotTheValue => domain::Fault::NotTheValue,
        }
    }
}

/// A deviation from the contract that was accepted.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Deviation {
    BooleanAsText,
    NumberAsText,
    BooleanAsNumber,
    NumberWithFraction,
    NoEnvelope,
    KindInOtherCase,
    ContentTypeMissing,
    ContentTypeOther,
    UnknownFields,
}

impl From<&domain::Deviation> for Deviation {
    fn from(it: &domain::Deviation) -> Deviation {
        match it {
            domain::Deviation::BooleanAsText => Deviation::BooleanAsText,
            domain::Deviation::NumberAsText => Deviation::NumberAsText,
            domain::Deviation::BooleanAsNumber => Deviation::BooleanAsNumber,
            domain::Deviation::NumberWithFraction => Deviation::NumberWithFraction,
            domain::Deviation::NoEnvelope => Deviation::NoEnvelope,
            domain::Deviation::KindInOtherCase => Deviation::KindInOtherCase,
            domain::Deviation::ContentTypeMissing => Deviation::ContentTypeMissing,
            domain::Deviation::ContentTypeOther => Deviation::ContentTypeOther,
            domain::Deviation::UnknownFields => Deviation::UnknownFields,
        }
    }
}

impl From<Deviation> for domain::Deviation {
    fn from(it: Deviation) -> domain::Deviation {
        match it {
            Deviation::BooleanAsText => domain::Deviation::BooleanAsText,
            Deviation::NumberAsText => domain::Deviation::NumberAsText,
            Deviation::BooleanAsNumber => domain::Deviation::BooleanAsNumber,
            Deviation::NumberWithFraction => domain::Deviation::NumberWithFraction,
            Deviation::NoEnvelope => domain::Deviation::NoEnvelope,
            Deviation::KindInOtherCase => domain::Deviation::KindInOtherCase,
            Deviation::ContentTypeMissing => domain::Deviation::ContentTypeMissing,
            Deviation::ContentTypeOther => domain::Deviation::ContentTypeOther,
            Deviation::UnknownFields => domain::Deviation::UnknownFields,
        }
    }
}

/// Why an inspector could not say what is there.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum InspectorFault {
    NoSuchResource,
    Denied,
    Malformed,
    Unavailable,
}

impl From<&domain::InspectorFault> for InspectorFault {
    fn from(it: &domain::InspectorFault) -> InspectorFault {
        match it {
            domain::InspectorFault::NoSuchResource => InspectorFault::NoSuchResource,
            domain::InspectorFault::Denied => InspectorFault::Denied,
            domain::InspectorFault::Malformed => InspectorFault::Malformed,
            domain::InspectorFault::Unavailable => InspectorFault::Unavailable,
        }
    }
}

impl From<InspectorFault> for domain::InspectorFault {
    fn from(it: InspectorFault) -> domain::InspectorFault {
        match it {
            InspectorFault::NoSuchResource => domain::InspectorFault::NoSuchResource,
            InspectorFault::Denied => domain::InspectorFault::Denied,
            InspectorFault::Malformed => domain::InspectorFault::Malformed,
            InspectorFault::Unavailable => domain::InspectorFault::Unavailable,
        }
    }
}
