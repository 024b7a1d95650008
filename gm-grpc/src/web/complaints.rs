//! G-5: `POST /v1/complaints` files a complaint with the jury (R-10.3).
//!
//! ```text
//! {"turn": 12, "text": "…"} ──▶ {"complaint_no": 3}
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

/// A complaint.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewComplaint {
    turn: Option<u32>,
    text: String,
}

impl Known for NewComplaint {
    const FIELDS: &'static [&'static str] = &["turn", "text"];
}

/// The operation.
pub(super) fn operation() -> Operation {
    Operation::post("/v1/complaints", file)
        .named(
            "fileComplaint",
            "Complain to the jury (R-10.3, G-5)",
            "Also after the end of the race. The jury's answer is in `GET /v1/team`.",
        )
        .asked_by(For::Teams)
        .once()
        .takes(
            "NewComplaint",
            json!({
                "type": "object",
                "description": "A complaint.",
                "required": ["text"],
                "additionalProperties": false,
                "properties": {
                    "turn": { "type": ["integer", "null"], "minimum": 0, "description": "The turn that it is about; 0, or left out, for none." },
                    "text": { "type": "string", "description": "What the team complains about, 1 to 4000 characters." },
                },
            }),
        )
        .answers("It was filed.")
        .message(&["application/json"], "gm.v1.FileComplaintResponse", "FileComplaintResponse")
}

async fn file(
    State(web): State<Web>,
    AsTeam(caller): AsTeam,
    Key(request_id): Key,
    parameters: Parameters,
    Sent(complaint): Sent<NewComplaint>,
) -> Result<Json<Value>, HttpError> {
    parameters.finish()?;
    let NewComplaint { turn, text } = complaint;
    let request = wire::FileComplaintRequest { request_id, turn: turn.unwrap_or_default(), text };
    Ok(Json(to_json(&web.team.file_complaint(&caller, request).await?)))
}
