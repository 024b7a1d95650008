//! G-7: `POST /v1/transfers` asks to move a module between two cars of the team (R-7.7).
//!
//! ```text
//! {"module": "engine-2", "from": 3, "to": 4} ──▶ {"turn": 13}: it is settled when that turn starts
//! ```
//!
//! The module is meant by its name. Of which kind it is, the car that gives it says; where it has modules of this name of
//! several kinds, the request must.

use super::Web;
use super::asker::{AsTeam, Key};
use super::body::{Known, Sent};
use super::operation::{For, Operation};
use super::problem::HttpError;
use super::query::Parameters;
use crate::api::auth::Caller;
use crate::api::convert::car::kind_to_wire;
use crate::api::error::ApiError;
use crate::api::json::to_json;
use crate::api::wire;
use axum::Json;
use axum::extract::State;
use gm_core::contract::Kind;
use gm_core::ids::CarId;
use gm_core::race::state::Module;
use gm_core::race::view::{Viewer, view};
use serde::Deserialize;
use serde_json::{Value, json};

/// A transfer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewTransfer {
    module: String,
    kind: Option<Word>,
    from: u32,
    to: u32,
}

/// A kind of module, as it is written here (C-14).
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Engine,
    Pilot,
    Weapon,
}

impl Known for NewTransfer {
    const FIELDS: &'static [&'static str] = &["module", "kind", "from", "to"];
}

/// The operation.
pub(super) fn operation() -> Operation {
    Operation::post("/v1/transfers", transfer)
        .named(
            "transferModule",
            "Move a module between two cars of the team (R-7.7, G-7)",
            "Where the rules of the race allow it. It is settled when the next turn starts.",
        )
        .asked_by(For::Teams)
        .once()
        .takes(
            "NewTransfer",
            json!({
                "type": "object",
                "description": "A module to be moved.",
                "required": ["module", "from", "to"],
                "additionalProperties": false,
                "properties": {
                    "module": { "type": "string", "description": "The module's name (R-1.3)." },
                    "kind": { "type": ["string", "null"], "enum": ["engine", "pilot", "weapon", null], "description": "Its kind: needed where the car has modules of this name of several kinds." },
                    "from": { "type": "integer", "minimum": 0, "description": "The car that gives it." },
                    "to": { "type": "integer", "minimum": 0, "description": "The car that gets it." },
                },
            }),
        )
        .answers("It waits for the start of this turn.")
        .message(&["application/json"], "gm.v1.TransferModuleResponse", "TransferModuleResponse")
        .error(403, "A car is another team's.")
        .error(404, "There is no such car.")
}

async fn transfer(
    State(web): State<Web>,
    AsTeam(caller): AsTeam,
    Key(request_id): Key,
    parameters: Parameters,
    Sent(asked): Sent<NewTransfer>,
) -> Result<Json<Value>, HttpError> {
    parameters.finish()?;
    if asked.module.is_empty() {
        return Err(ApiError::field("module", "must be the name of a module of the car that gives it").into());
    }
    let kind = match asked.kind {
        Some(Word::Engine) => Kind::Engine,
        Some(Word::Pilot) => Kind::Pilot,
        Some(Word::Weapon) => Kind::Weapon,
        None => kind_of(&web, &caller, &asked).await?,
    };
    let request = wire::TransferModuleRequest {
        request_id,
        module: Some(wire::Module { kind: kind_to_wire(kind).into(), name: asked.module }),
        from_car_id: asked.from,
        to_car_id: asked.to,
    };
    Ok(Json(to_json(&web.team.transfer_module(&caller, request).await?)))
}

/// The kind of the module that is meant.
async fn kind_of(web: &Web, caller: &Caller, asked: &NewTransfer) -> Result<Kind, HttpError> {
    let (race, team) = caller.team()?;
    let looked = web.api.look(race).await?;
    let seen = view(&looked.race, Viewer::Team(team));
    let giver = seen.cars.iter().find(|car| car.id == CarId(asked.from));
    let modules = giver.and_then(|car| car.own.as_ref()).map_or(&[][..], |own| &own.modules);
    meant(modules, &asked.module).ok_or_else(|| {
        let words = format!("must be sent too: car {} has modules of this name of several kinds", asked.from);
        ApiError::field("kind", words).into()
    })
}

/// The kind of the module of this name; none: it can't be told.
fn meant(modules: &[Module], name: &str) -> Option<Kind> {
    let mut kinds = modules.iter().filter(|module| module.name == name).map(|module| module.kind);
    let (kind, another) = (kinds.next(), kinds.next());
    match kind {
        Some(_) if another.is_some() => None,
        Some(kind) => Some(kind),
        // It may have been moved by this very request, which comes again: its kind must be the same then. The names that
        // the game master gives begin with it (R-7.2). If there never was such a module, the rules say so, whatever the
        // kind.
        None => {
            let is_named =
                |kind: &Kind| name.strip_prefix(kind.word()).is_some_and(|rest| rest.starts_with('-'));
            Some(Kind::ALL.into_iter().find(is_named).unwrap_or(Kind::Engine))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<Kind>) {
        let modules =
            [(Kind::Weapon, "a"), (Kind::Engine, "twice"), (Kind::Pilot, "twice"), (Kind::Pilot, "engine-7")];
        let modules = modules.map(|(kind, name)| Module { kind, name: name.to_owned() });
        assert_eq!(meant(&modules, name), expected, "{name}");
    }

    /// R-7.7, G-7: which module is meant by its name.
    #[test]
    fn the_kind_of_a_name() {
        check("a", Some(Kind::Weapon));
        check("twice", None);
        check("engine-7", Some(Kind::Pilot));
        check("weapon-3", Some(Kind::Weapon));
        check("weaponry", Some(Kind::Engine));
        check("", Some(Kind::Engine));
    }
}
