//! The gRPC API: one file for each service, and between its messages and the words of the domain one conversion.
//!
//! ```text
//! request ──▶ auth: who asks ──▶ admin, team, observer ──▶ RaceHandle, Journal, Chronicles
//!                                 │ field: every field that is wrong        │
//! answer  ◀── convert ◀───────────┴── error: the one place of codes  ◀──────┘
//! ```
//!
//! Read in this order:
//! - [`wire`]: the messages and services as `proto/gm/v1` has them; `convert`: between them and the domain.
//! - [`auth`]: who asks, and what he may; [`field`]: what is wrong with a request; [`error`]: what a client is told.
//! - `malformed`: requests that are none.
//! - [`page`]: pages of long lists; `once`: requests that may come twice; `stream`: how streams end.
//! - [`admin`], [`team`], [`observer`]: the services; [`health`]: whether they serve.

pub mod admin;
pub mod auth;
pub mod convert;
pub mod error;
pub mod field;
pub mod health;
pub mod json;
pub(crate) mod malformed;
pub mod observer;
pub(crate) mod once;
pub mod page;
pub mod secret;
pub(crate) mod stream;
pub mod team;
pub mod wire;

use crate::control::{CannotOwn, RaceHandle, Races, State};
use crate::drive::HttpWorld;
use crate::journal::{Journal, RaceId, RaceRecord};
use crate::serve::ServedWorlds;
use crate::trial;
use crate::watch::{self, Chronicles, StreamsOpen};
use auth::Access;
use error::ApiError;
use field::Fields;
use gm_core::race::Race;
use std::sync::Arc;
use tokio::sync::watch as tell;

/// What all services share. Cheap to clone.
#[derive(Clone)]
pub struct Api(Arc<Inside>);

struct Inside {
    races: Arc<Races<ServedWorlds>>,
    chronicles: Chronicles,
    access: Access,
    /// Who plays test duels.
    duels: trial::Permits,
    /// Who looks at cars.
    looks: trial::Permits,
    /// Set when streams are to end, since the game master shuts down.
    draining: tell::Sender<bool>,
    open: StreamsOpen,
}

impl Api {
    /// The services over these races.
    #[must_use]
    pub fn new(races: Arc<Races<ServedWorlds>>, watch: watch::Settings, trials: trial::Limits) -> Api {
        let chronicles = Chronicles::new(Arc::clone(&races) as Arc<dyn watch::Owners>, watch);
        let access = Access::new(races.journal().clone());
        Api(Arc::new(Inside {
            races,
            chronicles,
            access,
            duels: trial::Permits::new(trials),
            looks: trial::Permits::new(trials),
            draining: tell::channel(false).0,
            open: StreamsOpen::default(),
        }))
    }

    /// Who is who.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.0.access
    }

    /// The streams of races and logs that are open.
    #[must_use]
    pub fn streams_open(&self) -> &StreamsOpen {
        &self.0.open
    }

    /// Ends all streams, each with a word: who reads is to come back when the game master does.
    pub fn drain(&self) {
        self.0.draining.send_replace(true);
    }

    /// Whether the streams end, since the game master shuts down.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        *self.0.draining.borrow()
    }

    pub(crate) fn journal(&self) -> &Journal {
        self.0.races.journal()
    }

    /// The world of a race that is owned here.
    pub(crate) fn world(&self, id: &RaceId) -> Result<HttpWorld, ApiError> {
        self.0.races.worlds().of(id).ok_or_else(ApiError::shutting_down)
    }

    pub(crate) fn chronicles(&self) -> &Chronicles {
        &self.0.chronicles
    }

    /// What the journal knows of a race.
    pub(crate) async fn record(&self, id: &RaceId) -> Result<RaceRecord, ApiError> {
        Ok(self.journal().race(id).await?)
    }

    /// The race of this id, with its owner.
    pub(crate) async fn own(&self, id: &RaceId) -> Result<RaceHandle, ApiError> {
        Ok(self.0.races.own(id).await?)
    }

    /// The owner of a race, if it can be played here; none: it is only to be read.
    pub(crate) async fn owner(&self, id: &RaceId) -> Result<Option<RaceHandle>, ApiError> {
        match self.0.races.own(id).await {
            Ok(handle) => Ok(Some(handle)),
            Err(CannotOwn::Imported(_) | CannotOwn::OtherRevision { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A race as it is now: its owner's, or out of the journal where nobody owns it.
    pub(crate) async fn look(&self, id: &RaceId) -> Result<Looked, ApiError> {
        if let Some(handle) = self.0.races.get(id) {
            let (record, state) = (handle.record().clone(), handle.state());
            return Ok(Looked { record, race: Arc::clone(&state.race), state: Some(state) });
        }
        let loaded = self.journal().load(id).await?;
        Ok(Looked { record: loaded.record, race: Arc::new(loaded.race), state: None })
    }
}

/// A race as somebody found it.
pub(crate) struct Looked {
    pub(crate) record: RaceRecord,
    pub(crate) race: Arc<Race>,
    /// What its owner does; none: it has none.
    pub(crate) state: Option<State>,
}

/// The id of a race in a request.
pub(crate) fn race_id(text: &str, fields: &mut Fields) -> Option<RaceId> {
    fields.parsed("race_id", RaceId::parse(text))
}

/// The id of a race in a request of which nothing else can be wrong.
pub(crate) fn the_race(text: &str) -> Result<RaceId, ApiError> {
    let mut fields = Fields::default();
    let race = race_id(text, &mut fields);
    fields.finish(race)
}
