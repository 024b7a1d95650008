//! G-6: `GET /v1/races/{race}/events` is what spectators see of a race, as it happens (R-11).
//!
//! ```text
//! ?after=17&kinds=move,fight&cars=3,4      ?snapshot=true&mode=latest
//! ```

use super::Web;
use super::accept::{Form, wanted};
use super::asker::OfRace;
use super::log::{STREAMED, follows, stream_parameters};
use super::operation::{For, Operation, Place, Shape};
use super::problem::HttpError;
use super::query::Parameters;
use super::stream::answer;
use crate::api::auth::Caller;
use crate::api::convert::car::MOST_CARS;
use crate::api::wire::{self, watch_race_request};
use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

/// The kinds of events, by the words of the query.
const KINDS: [(&str, wire::EventKind); 10] = [
    ("race", wire::EventKind::Race),
    ("team", wire::EventKind::Team),
    ("car", wire::EventKind::Car),
    ("turn", wire::EventKind::Turn),
    ("move", wire::EventKind::Move),
    ("module", wire::EventKind::Module),
    ("encounter", wire::EventKind::Encounter),
    ("fight", wire::EventKind::Fight),
    ("score", wire::EventKind::Score),
    ("bonus", wire::EventKind::Bonus),
];
const KIND_WORDS: &str = "race, team, car, turn, move, module, encounter, fight, score or bonus";

/// The operation.
pub(super) fn operation() -> Operation {
    stream_parameters(Operation::get("/v1/races/{race}/events", events).named(
        "watchRace",
        "A race as it happens (R-11, G-6)",
        "As server-sent events, from a sequence number on and for ever; as JSON lines where `Accept` asks for them, up to \
         the last event that there is, unless `follow` is set. Each line has one member: `event`, `snapshot`, `caught_up`, \
         `heartbeat` or, as the last one, `error`; these are the names of the server-sent events too. Sequence numbers \
         have no gap in what one viewer sees; a filter leaves gaps.",
    ))
    .asked_by(For::Watchers)
    .of_race()
    .parameter(
        Place::Query,
        "snapshot",
        Shape::YesOrNo,
        "Whether to begin with the race as it is now, instead of `after` a number.",
    )
    .parameter(
        Place::Query,
        "kinds",
        Shape::Text,
        "Which kinds of events to send, with commas between them: `race`, `team`, `car`, `turn`, `move`, `module`, \
         `encounter`, `fight`, `score`, `bonus`; left out: all.",
    )
    .parameter(
        Place::Query,
        "cars",
        Shape::Text,
        "Of which cars to send events, by their ids with commas between them, at most 1000; left out: of all. Events that \
         name no car are sent all the same.",
    )
    .parameter(
        Place::Query,
        "mode",
        Shape::Word(&["lossless", "latest"]),
        "What a reader gets that falls behind: an error that says from where to go on (`lossless`, the default), or a \
         fresh snapshot (`latest`).",
    )
    .answers("The race: each line, and the data of each event under its name.")
    .message(&STREAMED, "gm.v1.WatchRaceResponse", "WatchRaceResponse")
    .error(429, "More races are watched than can be.")
}

async fn events(
    State(web): State<Web>,
    caller: Caller,
    OfRace(race_id): OfRace,
    mut parameters: Parameters,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let form = wanted(&headers, &[Form::Events, Form::Lines, Form::OtherLines])?;
    let after = parameters.after();
    let follow = follows(&mut parameters, form);
    let snapshot = parameters.yes_or_no("snapshot").unwrap_or(false);
    let kinds = parameters.words("kinds", KIND_WORDS, |word| {
        KINDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| (*kind).into())
    });
    let car_ids: Vec<u32> = parameters.words("cars", "the id of a car", |word| word.parse().ok());
    if car_ids.len() > MOST_CARS {
        parameters.wrong("cars", format!("must name at most {MOST_CARS} cars"));
    }
    let mode = parameters.word("mode", "lossless or latest", |word| match word {
        "lossless" => Some(wire::WatchMode::Lossless),
        "latest" => Some(wire::WatchMode::Latest),
        _ => None,
    });
    parameters.finish()?;
    let start = match after {
        // Who connects again has had his snapshot.
        Some(after) => watch_race_request::Start::After(after),
        None if snapshot => watch_race_request::Start::WithSnapshot(true),
        None => watch_race_request::Start::After(0),
    };
    let request = wire::WatchRaceRequest {
        race_id,
        start: Some(start),
        mode: mode.unwrap_or_default().into(),
        kinds,
        car_ids,
    };
    let told = web.observer.watch_race(caller, request).await?;
    Ok(answer(told, form, follow))
}
