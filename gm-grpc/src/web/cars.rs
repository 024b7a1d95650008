//! G-1: `POST /v1/cars` registers a car (R-2).
//!
//! ```text
//! {"instance": "i-0abc", "url": "http://…"} ──▶ {"registered": true, "car": {…}}
//!                                            or {"registered": false, "reasons": ["…"]}
//! ```

use super::Web;
use super::asker::{AsTeam, Key};
use super::body::{Known, Sent};
use super::operation::{For, Operation};
use super::problem::HttpError;
use super::query::Parameters;
use crate::api::json::to_json;
use crate::api::wire;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

/// A car to be registered.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewCar {
    instance: String,
    url: Option<String>,
}

impl Known for NewCar {
    const FIELDS: &'static [&'static str] = &["instance", "url"];
}

/// The operation.
pub(super) fn operation() -> Operation {
    Operation::post("/v1/cars", register)
        .named(
            "registerCar",
            "Register a car (R-2, G-1)",
            "While a turn runs the answer comes at its end, and the car starts in the next turn (R-2.4). A refusal is an \
             answer and not an error: it lists every reason (R-2.3).",
        )
        .asked_by(For::Teams)
        .once()
        .takes(
            "NewCar",
            json!({
                "type": "object",
                "description": "A car to be registered.",
                "required": ["instance"],
                "additionalProperties": false,
                "properties": {
                    "instance": { "type": "string", "description": "The instance name, 1 to 100 characters, unique in the race (R-1.2)." },
                    "url": { "type": ["string", "null"], "description": "The car's base URL, http or https; left out if the game master is to resolve the instance (R-2.1)." },
                },
            }),
        )
        .answers("What came of it.")
        .json(
            "Registration",
            json!({
                "type": "object",
                "description": "What came of a registration.",
                "required": ["registered"],
                "properties": {
                    "registered": { "type": "boolean", "description": "Whether the car was accepted." },
                    "car": { "$ref": "#/components/schemas/OwnCar", "description": "The car, if it was accepted." },
                    "reasons": { "type": "array", "items": { "type": "string" }, "description": "Every reason for which it was refused (R-2.3)." },
                },
            }),
        )
        .holds("gm.v1.OwnCar")
}

async fn register(
    State(web): State<Web>,
    AsTeam(caller): AsTeam,
    Key(request_id): Key,
    parameters: Parameters,
    Sent(car): Sent<NewCar>,
) -> Result<Json<Value>, HttpError> {
    parameters.finish()?;
    let NewCar { instance, url } = car;
    let request = wire::TeamServiceRegisterCarRequest { request_id, instance, url: url.unwrap_or_default() };
    let wire::TeamServiceRegisterCarResponse { car, reasons } =
        web.team.register_car(&caller, request).await?;
    Ok(Json(match car {
        Some(car) => json!({ "registered": true, "car": to_json(&car) }),
        None => json!({ "registered": false, "reasons": reasons }),
    }))
}
