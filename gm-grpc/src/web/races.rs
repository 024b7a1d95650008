//! What spectators see at a glance (R-11): the races, one of them as it is now, and its standings.
//!
//! ```text
//! GET /v1/races    GET /v1/races/gm-1    GET /v1/races/gm-1/standings
//! ```

use super::Web;
use super::asker::OfRace;
use super::operation::{For, Operation, Place, Shape};
use super::problem::HttpError;
use super::query::Parameters;
use crate::api::auth::Caller;
use crate::api::json::to_json;
use crate::api::wire;
use axum::Json;
use axum::extract::State;
use serde_json::Value;

/// The operations.
pub(super) fn operations() -> [Operation; 3] {
    let json = ["application/json"];
    [
        Operation::get("/v1/races", races)
            .named(
                "listRaces",
                "The races that may be watched",
                "Newest first, page by page. Private ones for whoever may see them.",
            )
            .asked_by(For::Watchers)
            .parameter(Place::Query, "page_size", Shape::Whole, "The most races on a page, 1 to 100; 20 if it is left out.")
            .parameter(Place::Query, "page_token", Shape::Text, "`next_page_token` of the page before.")
            .answers("A page of them.")
            .message(&json, "gm.v1.ObserverServiceListRacesResponse", "ObserverServiceListRacesResponse"),
        Operation::get("/v1/races/{race}", race)
            .named(
                "getRace",
                "A race as it is now (R-11)",
                "With the sequence number to read its events from. A team that shows its secret sees its own as well.",
            )
            .asked_by(For::Watchers)
            .of_race()
            .answers("The race.")
            .message(&json, "gm.v1.GetSnapshotResponse", "GetSnapshotResponse"),
        Operation::get("/v1/races/{race}/standings", standings)
            .named("getStandings", "The teams in order of their score (R-8.3)", "As of the turn that was completed last.")
            .asked_by(For::Watchers)
            .of_race()
            .answers("The standings.")
            .message(&json, "gm.v1.GetStandingsResponse", "GetStandingsResponse"),
    ]
}

async fn races(
    State(web): State<Web>,
    caller: Caller,
    mut parameters: Parameters,
) -> Result<Json<Value>, HttpError> {
    let page_size = parameters.number("page_size").unwrap_or_default();
    let page_token = parameters.text("page_token").unwrap_or_default();
    parameters.finish()?;
    let request = wire::ObserverServiceListRacesRequest { page_size, page_token };
    Ok(Json(to_json(&web.observer.list_races(&caller, request).await?)))
}

async fn race(
    State(web): State<Web>,
    caller: Caller,
    OfRace(race_id): OfRace,
    parameters: Parameters,
) -> Result<Json<Value>, HttpError> {
    parameters.finish()?;
    Ok(Json(to_json(&web.observer.get_snapshot(&caller, wire::GetSnapshotRequest { race_id }).await?)))
}

async fn standings(
    State(web): State<Web>,
    caller: Caller,
    OfRace(race_id): OfRace,
    parameters: Parameters,
) -> Result<Json<Value>, HttpError> {
    parameters.finish()?;
    Ok(Json(to_json(&web.observer.get_standings(&caller, wire::GetStandingsRequest { race_id }).await?)))
}
