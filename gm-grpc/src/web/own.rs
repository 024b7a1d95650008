//! G-2: `GET /v1/team` is all of the team's own (R-11): budget, score, medals, cars in full, complaints.
//!
//! ```text
//! {"team_id": 1, "name": "Red", "budget": 12, "standing": {…}, "cars": [{…}], "complaints": [], "race": {…}}
//! ```

use super::Web;
use super::asker::AsTeam;
use super::operation::{For, Operation};
use super::problem::HttpError;
use super::query::Parameters;
use crate::api::json::to_json;
use axum::Json;
use axum::extract::State;
use serde_json::Value;

/// The operation.
pub(super) fn operation() -> Operation {
    Operation::get("/v1/team", team)
        .named(
            "getTeam",
            "All of the team's own (R-11, G-2)",
            "Budget, score, medals, the team's cars with their modules, and its complaints with the jury's answers.",
        )
        .asked_by(For::Teams)
        .answers("The team as it is now.")
        .message(&["application/json"], "gm.v1.GetTeamResponse", "GetTeamResponse")
}

async fn team(
    State(web): State<Web>,
    AsTeam(caller): AsTeam,
    parameters: Parameters,
) -> Result<Json<Value>, HttpError> {
    parameters.finish()?;
    Ok(Json(to_json(&web.team.get_team(&caller).await?)))
}
