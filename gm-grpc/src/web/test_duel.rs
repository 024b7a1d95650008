//! G-4: `POST /v1/test-duel` plays a duel of the team's AI against the pirates', outside of the race (R-6).
//!
//! ```text
//! {"url": "http://…", "weapons": 5, "mind": "greedy"} ──▶ {"started": {…}, "exchanges": […], "duel": {…}}
//! ```
//!
//! Who goes away ends it.

use super::Web;
use super::accept::{Form, wanted};
use super::asker::AsTeam;
use super::body::{Known, Sent};
use super::log::STREAMED;
use super::operation::{For, Operation};
use super::problem::HttpError;
use super::query::Parameters;
use super::stream::answer;
use crate::api::convert::rules::mind_to_wire;
use crate::api::error::ApiError;
use crate::api::json::to_json;
use crate::api::stream::Told;
use crate::api::wire::{self, test_duel_response};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use gm_core::ports::PirateMind;
use http::HeaderMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A duel to be played.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewDuel {
    url: String,
    weapons: Option<u32>,
    other_weapons: Option<u32>,
    mind: Option<String>,
    seed: Option<u64>,
}

impl Known for NewDuel {
    const FIELDS: &'static [&'static str] = &["url", "weapons", "other_weapons", "mind", "seed"];
}

/// The operation.
pub(super) fn operation() -> Operation {
    let weapons = |whose: &str| {
        json!({
            "type": ["integer", "null"], "minimum": 0, "maximum": 25,
            "description": format!("Weapons of {whose}, 1 to 25 (R-6.1); 0, or left out, for 5."),
        })
    };
    let mut minds: Vec<Value> = PirateMind::ALL.map(|mind| mind.name().into()).into();
    minds.push(Value::Null);
    Operation::post("/v1/test-duel", play)
        .named(
            "testDuel",
            "Play a duel against the pirates' AI (R-6, G-4)",
            "Outside of the race, and at no cost. The answer is the whole transcript; as JSON lines or server-sent events \
             each step comes as it is played, and the duel is the last one. Who goes away ends the duel.",
        )
        .asked_by(For::Teams)
        .takes(
            "NewDuel",
            json!({
                "type": "object",
                "description": "A duel to be played.",
                "required": ["url"],
                "additionalProperties": false,
                "properties": {
                    "url": { "type": "string", "description": "The AI's URL, http or https (C-16)." },
                    "weapons": weapons("the team's side"),
                    "other_weapons": weapons("the pirates"),
                    "mind": {
                        "type": ["string", "null"],
                        "enum": minds,
                        "description": "Which of the pirates' AIs plays, the weakest first (R-5.1); the race's, if it is left out.",
                    },
                    "seed": { "type": ["integer", "null"], "minimum": 0, "description": "The seed of the cards and of who begins; drawn if it is left out." },
                },
            }),
        )
        .answers("The duel.")
        .json(
            "TestDuel",
            json!({
                "type": "object",
                "description": "A test duel, from its beginning to its end. The team's AI sits at seat 0.",
                "required": ["started", "exchanges", "duel"],
                "properties": {
                    "started": { "$ref": "#/components/schemas/TestDuelStarted" },
                    "exchanges": { "type": "array", "items": { "$ref": "#/components/schemas/Exchange" }, "description": "What was asked of the team's AI, and what it answered." },
                    "duel": { "$ref": "#/components/schemas/Duel" },
                },
            }),
        )
        .message(&STREAMED, "gm.v1.TestDuelResponse", "TestDuelResponse")
        .error(406, "`Accept` allows neither JSON nor lines of it nor server-sent events.")
        .error(409, "The race is not played here.")
        .error(429, "As many test duels run as may at the same time: again after `Retry-After`.")
        .error(503, "The game master shuts down.")
}

async fn play(
    State(web): State<Web>,
    AsTeam(caller): AsTeam,
    parameters: Parameters,
    headers: HeaderMap,
    Sent(duel): Sent<NewDuel>,
) -> Result<Response, HttpError> {
    let form = wanted(&headers, &[Form::Whole, Form::Lines, Form::OtherLines, Form::Events])?;
    parameters.finish()?;
    let mind = match duel.mind.as_deref().map(str::parse::<PirateMind>) {
        None => wire::PirateMind::Unspecified,
        Some(Ok(mind)) => mind_to_wire(mind),
        Some(Err(unknown)) => return Err(ApiError::field("mind", unknown.to_string()).into()),
    };
    let request = wire::TestDuelRequest {
        url: duel.url,
        weapons: duel.weapons.unwrap_or_default(),
        other_weapons: duel.other_weapons.unwrap_or_default(),
        seed: duel.seed,
        mind: mind.into(),
    };
    let told = web.team.test_duel(caller, request).await?;
    if form == Form::Whole {
        return Ok(Json(whole(told).await?).into_response());
    }
    Ok(answer(told, form, true))
}

/// All of it. The turns are in the duel.
async fn whole(mut told: Told<wire::TestDuelResponse>) -> Result<Value, HttpError> {
    let mut members = Map::new();
    let mut exchanges = Vec::new();
    while let Some(step) = told.next().await {
        match step?.message {
            Some(test_duel_response::Message::Started(started)) => {
                members.insert("started".to_owned(), to_json(&started));
            }
            Some(test_duel_response::Message::Exchange(exchange)) => exchanges.push(to_json(&exchange)),
            Some(test_duel_response::Message::Duel(duel)) => {
                members.insert("duel".to_owned(), to_json(&duel));
            }
            Some(test_duel_response::Message::Turn(_)) | None => {}
        }
    }
    members.insert("exchanges".to_owned(), exchanges.into());
    Ok(members.into())
}
