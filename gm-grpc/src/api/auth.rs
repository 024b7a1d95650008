//! Who asks: a layer before every call finds out, and lets nobody in who may not be.
//!
//! ```text
//! authorization: Bearer TOKEN ──▶ admin    ──▶ AdminService, and sees everything (R-11)
//! (or x-eacc-secret: SECRET)      team     ──▶ TeamService, and sees its own
//!                                 observer ──▶ ObserverService, private races too
//! nothing                     ──▶ nobody   ──▶ ObserverService, public races
//! ```
//!
//! `UNAUTHENTICATED` says that who asks is not known, `PERMISSION_DENIED` that he is and may not. A token that nobody has
//! is refused everywhere, also where none is needed: who shows one wants to be somebody.

use super::error::ApiError;
use crate::drive::world::SECRET;
use crate::journal::access::{Credential, Role, TokenRecord};
use crate::journal::{Journal, JournalError, RaceId, RaceRecord};
use gm_core::ids::TeamId;
use gm_core::race::view::Viewer;
use http::header::AUTHORIZATION;
use http::{Extensions, HeaderMap, Request, Response};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::watch;
use tower_service::Service;

/// The longest token or secret that is looked at, in bytes.
const LONGEST: usize = 256;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// He does not say.
    Nobody,
    /// The admin, by one of his tokens.
    Admin(TokenRecord),
    /// An observer.
    Observer(TokenRecord),
    /// A team.
    Team {
        /// Of which race.
        race: RaceId,
        /// Which.
        team: TeamId,
    },
}

/// Who asks, and what he showed, so that it can be asked again whether it is valid.
#[derive(Clone)]
pub struct Caller {
    /// Who.
    pub who: Who,
    shown: Option<Arc<str>>,
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.who.fmt(f)
    }
}

impl Caller {
    /// Somebody who shows nothing.
    #[must_use]
    pub fn nobody() -> Caller {
        Caller { who: Who::Nobody, shown: None }
    }

    /// Who asks, as [`AuthLayer`] puts him with each request.
    pub(crate) fn of(extensions: &Extensions) -> Caller {
        extensions.get::<Caller>().cloned().unwrap_or_else(Caller::nobody)
    }

    /// Whether he may do what admins may.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` or `PERMISSION_DENIED`.
    pub fn admin(&self) -> Result<&TokenRecord, ApiError> {
        match &self.who {
            Who::Admin(token) => Ok(token),
            Who::Nobody => Err(nobody("an admin's token")),
            Who::Observer(_) | Who::Team { .. } => Err(ApiError::denied("this needs an admin's token")),
        }
    }

    /// The race and the team that he is.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` or `PERMISSION_DENIED`.
    pub fn team(&self) -> Result<(&RaceId, TeamId), ApiError> {
        match &self.who {
            Who::Team { race, team } => Ok((race, *team)),
            Who::Nobody => Err(nobody("a team's secret")),
            Who::Admin(_) | Who::Observer(_) => Err(ApiError::denied(
                "this needs a team's secret; an admin does the same for a team by AdminService",
            )),
        }
    }

    /// As whom he looks at a race (R-11).
    ///
    /// # Errors
    /// `UNAUTHENTICATED` or `PERMISSION_DENIED`, where the race is private and not his to see.
    pub fn viewer(&self, race: &RaceRecord) -> Result<Viewer, ApiError> {
        match &self.who {
            Who::Admin(_) => Ok(Viewer::Admin),
            Who::Team { race: own, team } if *own == race.id => Ok(Viewer::Team(*team)),
            _ if !race.private => Ok(Viewer::Spectator),
            Who::Observer(token) if token.race.as_ref().is_none_or(|only| *only == race.id) => {
                Ok(Viewer::Spectator)
            }
            Who::Nobody => Err(nobody("an observer's token: the race is private")),
            Who::Observer(_) | Who::Team { .. } => {
                Err(ApiError::denied("the race is private, and your token is for another one"))
            }
        }
    }
}

fn nobody(needed: &str) -> ApiError {
    ApiError::unauthenticated(format!("this needs {needed}, as `authorization: Bearer …`"))
}

/// Knows who is who.
#[derive(Clone)]
pub struct Access {
    journal: Journal,
    /// Ticks when a token or a secret has become worthless.
    changed: watch::Sender<u64>,
}

impl Access {
    /// By what the journal holds.
    #[must_use]
    pub fn new(journal: Journal) -> Access {
        Access { journal, changed: watch::channel(0).0 }
    }

    /// Who shows what these headers hold.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` for what can't be read, or nobody has.
    pub async fn caller(&self, headers: &HeaderMap) -> Result<Caller, ApiError> {
        let Some(shown) = shown(headers)? else { return Ok(Caller::nobody()) };
        let who = self.who(shown).await?.ok_or_else(unknown)?;
        Ok(Caller { who, shown: Some(shown.into()) })
    }

    async fn who(&self, shown: &str) -> Result<Option<Who>, JournalError> {
        let credential = self.journal.who(shown).await?;
        Ok(credential.map(|credential| match credential {
            Credential::Team { race, team } => Who::Team { race, team },
            Credential::Token(token) => match token.role {
                Role::Admin => Who::Admin(token),
                Role::Observer => Who::Observer(token),
            },
        }))
    }

    /// Something has become worthless: streams that were opened with it end.
    pub fn has_changed(&self) {
        self.changed.send_modify(|changes| *changes = changes.wrapping_add(1));
    }

    /// Completes when what the caller showed has become worthless: never for who showed nothing.
    pub async fn is_revoked(&self, caller: Caller) {
        let mut changed = self.changed.subscribe();
        let Some(shown) = caller.shown else { return std::future::pending().await };
        loop {
            // It may have become worthless between the beginning of the call and now.
            // Where nobody can say any more what it is worth, who reads is to come again.
            if !matches!(self.who(&shown).await, Ok(Some(who)) if who == caller.who) {
                return;
            }
            if changed.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }
}

/// What is shown, if anything is.
fn shown(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let shown = match (all.next(), all.next()) {
        (None, _) => match headers.get(SECRET) {
            None => return Ok(None),
            Some(secret) => secret.to_str().ok(),
        },
        (Some(_), Some(_)) => None,
        (Some(header), None) => header.to_str().ok().and_then(|header| {
            let (scheme, token) = header.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        }),
    };
    let shown = shown.filter(|shown| !shown.is_empty() && shown.bytes().all(|byte| byte.is_ascii_graphic()));
    let shown = shown.ok_or_else(|| {
        ApiError::unauthenticated("the token can't be read: send it once, as `authorization: Bearer TOKEN`")
    })?;
    if shown.len() > LONGEST { Err(unknown()) } else { Ok(Some(shown)) }
}

fn unknown() -> ApiError {
    ApiError::unauthenticated("nobody has this token: it was mistyped, revoked, or is for another server")
}

/// What a service needs, by the beginning of its paths. Services that are not named need nothing: health, reflection.
fn check(path: &str, caller: &Caller) -> Result<(), ApiError> {
    if path.starts_with("/gm.v1.AdminService/") {
        caller.admin().map(drop)
    } else if path.starts_with("/gm.v1.TeamService/") {
        caller.team().map(drop)
    } else {
        Ok(())
    }
}

/// The layer before every call: puts the [`Caller`] with the request, or refuses it.
#[derive(Clone)]
pub struct AuthLayer {
    access: Access,
    /// How a refusal is said.
    refuse: fn(ApiError) -> Response<axum::body::Body>,
}

impl AuthLayer {
    /// A layer that says a refusal so.
    #[must_use]
    pub fn new(access: Access, refuse: fn(ApiError) -> Response<axum::body::Body>) -> AuthLayer {
        AuthLayer { access, refuse }
    }
}

impl<S> tower::Layer<S> for AuthLayer {
    type Service = Auth<S>;
    fn layer(&self, inner: S) -> Auth<S> {
        Auth { layer: self.clone(), inner }
    }
}

/// See [`AuthLayer`].
#[derive(Clone)]
pub struct Auth<S> {
    layer: AuthLayer,
    inner: S,
}

impl<S, B> Service<Request<B>> for Auth<S>
where
    S: Service<Request<B>, Response = Response<axum::body::Body>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response<axum::body::Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let layer = self.layer.clone();
        // The one that was polled ready is the one to call.
        let other = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, other);
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let caller = match layer.access.caller(&parts.headers).await {
                Ok(caller) => check(parts.uri.path(), &caller).map(|()| caller),
                Err(error) => Err(error),
            };
            match caller {
                Ok(caller) => {
                    parts.extensions.insert(caller);
                    inner.call(Request::from_parts(parts, body)).await
                }
                Err(error) => Ok((layer.refuse)(error)),
            }
        })
    }
}
