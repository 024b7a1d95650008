//! What a car has: modules, resources, and a module's way from one car to another.
//!
//! ```text
//! {"kind":"engine","name":"V8"}
//! {"team":1,"module":{"kind":"engine","name":"V8"},"from":1,"to":3}
//! ```

use super::contract::Kind;
use super::domain;
use serde::{Deserialize, Serialize};

/// A module.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Module {
    kind: Kind,
    name: String,
}

impl From<&domain::Module> for Module {
    fn from(it: &domain::Module) -> Module {
        let domain::Module { kind, name } = it;
        Module { kind: kind.into(), name: name.clone() }
    }
}

impl From<Module> for domain::Module {
    fn from(it: Module) -> domain::Module {
        let Module { kind, name } = it;
        domain::Module { kind: kind.into(), name }
    }
}

/// The names of a car's resources.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Resources {
    engine: String,
    pilot: String,
    weapon: String,
}

impl From<&domain::Resources> for Resources {
    fn from(it: &domain::Resources) -> Resources {
        let domain::Resources { engine, pilot, weapon } = it;
        Resources { engine: engine.clone(), pilot: pilot.clone(), weapon: weapon.clone() }
    }
}

impl From<Resources> for domain::Resources {
    fn from(it: Resources) -> domain::Resources {
        let Resources { engine, pilot, weapon } = it;
        domain::Resources { engine, pilot, weapon }
    }
}

/// A transfer of a module within a team.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Transfer {
    team: u32,
    module: Module,
    from: u32,
    to: u32,
}

impl From<&domain::Transfer> for Transfer {
    fn from(it: &domain::Transfer) -> Transfer {
        let domain::Transfer { team, module, from, to } = it;
        Transfer { team: team.0, module: module.into(), from: from.0, to: to.0 }
    }
}

impl From<Transfer> for domain::Transfer {
    fn from(it: Transfer) -> domain::Transfer {
        let Transfer { team, module, from, to } = it;
        domain::Transfer {
            team: domain::TeamId(team),
            module: module.into(),
            from: domain::CarId(from),
            to: domain::CarId(to),
        }
    }
}
