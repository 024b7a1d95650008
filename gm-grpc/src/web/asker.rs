//! Who asks over HTTP, about which race, and by which request.

use super::problem::HttpError;
use crate::api::auth::Caller;
use crate::api::error::ApiError;
use crate::api::once::is_request_id;
use axum::extract::{FromRequestParts, Path};
use http::HeaderName;
use http::request::Parts;

/// The header that names a request, so that it is done once however often it is sent.
pub(crate) const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Whoever asks.
impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller, HttpError> {
        Ok(Caller::of(&parts.extensions))
    }
}

/// A team that asks: nobody else gets further, whatever else is wrong with his request.
pub(super) struct AsTeam(pub(super) Caller);

impl<S: Send + Sync> FromRequestParts<S> for AsTeam {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<AsTeam, HttpError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        caller.team()?;
        Ok(AsTeam(caller))
    }
}

/// The race that a path names.
pub(super) struct OfRace(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for OfRace {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<OfRace, HttpError> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let Path(race) = path.map_err(|error| ApiError::field("race", error.body_text()))?;
        Ok(OfRace(race))
    }
}

/// The name of a request: what its sender says, or one that no other request has.
pub(super) struct Key(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Key, HttpError> {
        let mut keys = parts.headers.get_all(KEY).iter();
        let (key, another) = (keys.next(), keys.next());
        let Some(key) = key else { return Ok(Key(format!("http-{:032x}", rand::random::<u128>()))) };
        let key = key.to_str().ok().filter(|key| is_request_id(key));
        match key {
            Some(key) if another.is_none() => Ok(Key(key.to_owned())),
            _ => Err(ApiError::field(
                "Idempotency-Key",
                "must be there once, as 1 to 100 visible ASCII characters: a new UUID for each new request",
            )
            .into()),
        }
    }
}
