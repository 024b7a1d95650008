//! G-3: `GET /v1/team/log` is the team's log (R-11), up to now or as it grows.
//!
//! ```text
//! ?after=17               {"entry":{"sequence":18,…}} … {"caught_up":20}      and that is the end
//! ?after=17&follow=true   the same, and goes on
//! ```

use super::Web;
use super::accept::{Form, wanted};
use super::asker::AsTeam;
use super::operation::{For, Operation, Place, Shape};
use super::problem::HttpError;
use super::query::Parameters;
use super::stream::answer;
use crate::api::wire;
use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

/// The forms of a stream: lines, unless events are asked for.
pub(super) const FORMS: [Form; 3] = [Form::Lines, Form::OtherLines, Form::Events];
/// Their media types.
pub(super) const STREAMED: [&str; 3] = ["application/jsonl", "application/x-ndjson", "text/event-stream"];

/// The operation.
pub(super) fn operation() -> Operation {
    stream_parameters(Operation::get("/v1/team/log", log).named(
        "getTeamLog",
        "The team's log (R-11, G-3)",
        "The exchanges with the team's cars, AIs and inspector, and what became of them. As JSON lines up to the line \
         that is the last one now, which is followed by `caught_up`; or as it grows. Each line has one member: `entry`, \
         `caught_up`, `heartbeat` (nothing new) or, as the last one, `error`. As server-sent events these are the names \
         of the events, and a heartbeat is a comment.",
    ))
    .asked_by(For::Teams)
    .answers("The log: each line, and the data of each event under its name.")
    .message(&STREAMED, "gm.v1.WatchLogResponse", "WatchLogResponse")
}

/// The parameters that all streams have.
pub(super) fn stream_parameters(operation: Operation) -> Operation {
    operation
        .parameter(
            Place::Query,
            "after",
            Shape::Whole,
            "What has a greater sequence number is sent; 0, or left out: all.",
        )
        .parameter(
            Place::Query,
            "follow",
            Shape::YesOrNo,
            "Whether lines go on as there is more, instead of ending with the last one that there is. Server-sent \
             events always do.",
        )
        .parameter(
            Place::Header,
            "Last-Event-ID",
            Shape::Whole,
            "The id of the last event that was read: counts more than `after`. Browsers send it by themselves.",
        )
        .error(406, "`Accept` allows neither lines of JSON nor server-sent events.")
        .error(416, "`after` is beyond the last one, which `last_sequence` names; or it is gone, see `oldest_sequence`.")
        .error(503, "The game master shuts down.")
}

async fn log(
    State(web): State<Web>,
    AsTeam(caller): AsTeam,
    mut parameters: Parameters,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let form = wanted(&headers, &FORMS)?;
    let after = parameters.after().unwrap_or_default();
    let follow = follows(&mut parameters, form);
    parameters.finish()?;
    let told = web.team.watch_log(caller, wire::WatchLogRequest { after }).await?;
    Ok(answer(told, form, follow))
}

/// Whether a stream goes on when there is no more so far.
pub(super) fn follows(parameters: &mut Parameters, form: Form) -> bool {
    let follow = parameters.yes_or_no("follow");
    if form != Form::Events {
        return follow.unwrap_or(false);
    }
    if follow == Some(false) {
        parameters.wrong("follow", "must be true, or left out: server-sent events go on for ever");
    }
    true
}
