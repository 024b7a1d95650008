//! Requests that may come twice: the same `request_id` is the same request, and is carried out once.
//!
//! What changes a race is ordered from its owner, who knows the ids of its requests; what does not (tokens, secrets, new
//! races) is a [`Call`] that is kept with its effect. Ids of admins and of each team are told apart, so that nobody can
//! use up another's.

use super::Api;
use super::error::{ApiError, request_id_used};
use super::field::Fields;
use crate::control::{Outcome, RaceHandle};
use crate::journal::{Call, RaceRecord};
use gm_core::ids::{TeamId, TurnNo};
use gm_core::race::Event;
use gm_core::race::command::Command;
use prost::Message;

/// The longest id that a client may give a request.
const LONGEST: usize = 100;

/// Whether a client may call a request so.
pub(crate) fn is_request_id(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The id of a request with whose it is, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestId(String);

impl RequestId {
    /// An admin's.
    pub(crate) fn of_admin(text: &str, fields: &mut Fields) -> Option<RequestId> {
        RequestId::parse("a", text, fields)
    }

    /// A team's.
    pub(crate) fn of_team(team: TeamId, text: &str, fields: &mut Fields) -> Option<RequestId> {
        RequestId::parse(&format!("t{team}"), text, fields)
    }

    fn parse(whose: &str, text: &str, fields: &mut Fields) -> Option<RequestId> {
        let is_one = is_request_id(text);
        if !is_one {
            fields.wrong(
                "request_id",
                "must be 1 to 100 visible ASCII characters: a new UUID for each new request",
            );
        }
        is_one.then(|| RequestId(format!("{whose}:{text}")))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Api {
    /// Orders one command, and waits until it is settled.
    pub(crate) async fn order(
        &self,
        race: &RaceHandle,
        command: Command,
        id: &RequestId,
    ) -> Result<Settled, ApiError> {
        self.is_no_call(id).await?;
        order(race, command, id).await
    }

    /// Refuses an id that was used for a call that is no command of a race: the owner of the race knows nothing of it.
    pub(crate) async fn is_no_call(&self, id: &RequestId) -> Result<(), ApiError> {
        if self.journal().call(id.as_str()).await?.is_some() { Err(request_id_used()) } else { Ok(()) }
    }

    /// Refuses an id that was used for a command of this race, for a call that is none.
    pub(crate) async fn is_no_order(&self, race: &RaceRecord, id: &RequestId) -> Result<(), ApiError> {
        if self.journal().has_request(race, id.as_str()).await? { Err(request_id_used()) } else { Ok(()) }
    }
}

/// What came of a command.
pub(crate) struct Settled {
    /// The event that answers it, if one does.
    pub(crate) told: Option<Event>,
    /// The turn from which on it holds: the one after that which was complete when it was settled, also when it is asked
    /// for again later.
    pub(crate) turn: TurnNo,
}

/// Orders one command, and waits until it is settled.
pub(crate) async fn order(race: &RaceHandle, command: Command, id: &RequestId) -> Result<Settled, ApiError> {
    let Outcome { settled, told, events, .. } = race.order(vec![command], Some(id.as_str())).await?;
    if let Some(Err(refused)) = settled.into_iter().next() {
        return Err(refused.into());
    }
    let told = told.into_iter().next().flatten().map(|numbered| numbered.event);
    let turn = events.first().map_or(race.state().race.turn, |first| first.turn).next();
    Ok(Settled { told, turn })
}

/// What came of a call: it was made now, or before.
pub(crate) enum Made<T> {
    /// Now: what was made.
    Now(T),
    /// Before: what was kept of its answer.
    Before(Vec<u8>),
}

impl Api {
    /// Makes a call that is no command of a race, unless it was made before.
    ///
    /// `answer` is kept for who asks again: what names the thing that was made, never a secret.
    pub(crate) async fn once<Q: Message, T>(
        &self,
        rpc: &'static str,
        id: &RequestId,
        request: &Q,
        answer: Vec<u8>,
        make: impl AsyncFnOnce(Call) -> Result<T, ApiError>,
    ) -> Result<Made<T>, ApiError> {
        let digest = self.journal().digest(&request.encode_to_vec())?;
        let call = Call { request_id: id.0.clone(), rpc: rpc.to_owned(), digest, answer };
        if let Some(before) = self.before(&call).await? {
            return Ok(Made::Before(before));
        }
        match make(call.clone()).await {
            Ok(made) => Ok(Made::Now(made)),
            // Somebody was faster with the same id: what he was answered is the answer, if he asked for the same.
            Err(error) if error.reason() == request_id_used().reason() => {
                let before = self.before(&call).await?;
                before.map(Made::Before).ok_or_else(request_id_used)
            }
            Err(error) => Err(error),
        }
    }

    async fn before(&self, call: &Call) -> Result<Option<Vec<u8>>, ApiError> {
        let Some(before) = self.journal().call(&call.request_id).await? else {
            return Ok(None);
        };
        let is_same = before.rpc == call.rpc && before.digest == call.digest;
        if is_same { Ok(Some(before.answer)) } else { Err(request_id_used()) }
    }
}
