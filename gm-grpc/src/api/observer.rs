//! ObserverService: what is to be seen of races, by whoever may see it.

use super::admin::caller;
use super::auth::{Caller, Who};
use super::convert::{self, car, duel, event, score};
use super::error::ApiError;
use super::field::Fields;
use super::stream::{Answers, Told, over_grpc};
use super::wire::{
    self, observer_service_server, replay_race_response, watch_race_request, watch_race_response,
};
use super::{Api, Looked, race_id, the_race};
use crate::journal::{RaceId, Visible};
use crate::watch::{self, Chronicle, Filter, Kind, Message, Mode, Replay, Shown, Snapshot, Start};
use futures_util::stream::unfold;
use futures_util::{Stream, StreamExt as _};
use gm_core::ids::TurnNo;
use gm_core::race::Event;
use gm_core::race::view::{Seen, Viewer, view};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use tonic::{Request, Response, Status};

/// The list of the races that a caller may watch, for its pages.
const RACES: &str = "watchable races";
/// The longest that a turn of a replay may take.
const LONGEST_TURN: Duration = Duration::from_secs(60);

/// The service for spectators, and for all who watch.
#[derive(Clone)]
pub struct Observer {
    api: Api,
}

impl Observer {
    /// The service over what all share.
    #[must_use]
    pub fn new(api: Api) -> Observer {
        Observer { api }
    }
}

#[tonic::async_trait]
impl observer_service_server::ObserverService for Observer {
    async fn list_races(
        &self,
        request: Request<wire::ObserverServiceListRacesRequest>,
    ) -> Result<Response<wire::ObserverServiceListRacesResponse>, Status> {
        Ok(Response::new(self.list_races(&caller(&request), request.into_inner()).await?))
    }

    async fn get_snapshot(
        &self,
        request: Request<wire::GetSnapshotRequest>,
    ) -> Result<Response<wire::GetSnapshotResponse>, Status> {
        Ok(Response::new(self.get_snapshot(&caller(&request), request.into_inner()).await?))
    }

    type WatchRaceStream = Answers<wire::WatchRaceResponse>;

    async fn watch_race(
        &self,
        request: Request<wire::WatchRaceRequest>,
    ) -> Result<Response<Self::WatchRaceStream>, Status> {
        Ok(Response::new(over_grpc(self.watch_race(caller(&request), request.into_inner()).await?)))
    }

    async fn get_standings(
        &self,
        request: Request<wire::GetStandingsRequest>,
    ) -> Result<Response<wire::GetStandingsResponse>, Status> {
        Ok(Response::new(self.get_standings(&caller(&request), request.into_inner()).await?))
    }

    async fn get_duel(
        &self,
        request: Request<wire::GetDuelRequest>,
    ) -> Result<Response<wire::GetDuelResponse>, Status> {
        Ok(Response::new(self.get_duel(&caller(&request), request.into_inner()).await?))
    }

    type ReplayRaceStream = Answers<wire::ReplayRaceResponse>;

    async fn replay_race(
        &self,
        request: Request<wire::ReplayRaceRequest>,
    ) -> Result<Response<Self::ReplayRaceStream>, Status> {
        Ok(Response::new(over_grpc(self.replay_race(caller(&request), request.into_inner()).await?)))
    }
}

impl Observer {
    pub(crate) async fn list_races(
        &self,
        caller: &Caller,
        request: wire::ObserverServiceListRacesRequest,
    ) -> Result<wire::ObserverServiceListRacesResponse, ApiError> {
        let visible = match &caller.who {
            Who::Admin(_) => Visible::All,
            Who::Observer(token) => {
                token.race.as_ref().map_or(Visible::All, |race| Visible::PublicAnd(Some(race)))
            }
            Who::Team { race, .. } => Visible::PublicAnd(Some(race)),
            Who::Nobody => Visible::PublicAnd(None),
        };
        let (size, token) = (request.page_size, &request.page_token);
        let (shown, next_page_token) = self.api.races_page(RACES, size, token, visible).await?;
        let mut races = Vec::with_capacity(shown.len());
        for record in shown {
            let viewer = caller.viewer(&record)?;
            races.push(wire_race(&self.api.look(&record.id).await?, viewer));
        }
        Ok(wire::ObserverServiceListRacesResponse { races, next_page_token })
    }

    pub(crate) async fn get_snapshot(
        &self,
        caller: &Caller,
        request: wire::GetSnapshotRequest,
    ) -> Result<wire::GetSnapshotResponse, ApiError> {
        let (chronicle, viewer) = self.chronicle(caller, &the_race(&request.race_id)?).await?;
        let snapshot = chronicle.snapshot(viewer).await?;
        let snapshot = self.snapshot(&chronicle, viewer, &snapshot).await?;
        Ok(wire::GetSnapshotResponse { snapshot: Some(snapshot) })
    }

    pub(crate) async fn watch_race(
        &self,
        caller: Caller,
        request: wire::WatchRaceRequest,
    ) -> Result<Told<wire::WatchRaceResponse>, ApiError> {
        let mut fields = Fields::default();
        let start = match request.start {
            None => Some(Start::After(0)),
            Some(watch_race_request::Start::After(after)) => Some(Start::After(after)),
            Some(watch_race_request::Start::WithSnapshot(true)) => Some(Start::Snapshot),
            Some(watch_race_request::Start::WithSnapshot(false)) => {
                fields.wrong("with_snapshot", "must be true where it is set");
                None
            }
        };
        let mode = fields.value("mode", request.mode, |mode| match mode {
            wire::WatchMode::Unspecified | wire::WatchMode::Lossless => Some(Mode::Lossless),
            wire::WatchMode::Latest => Some(Mode::Latest),
        });
        let filter = filter(&request.kinds, request.car_ids, &mut fields);
        let race = race_id(&request.race_id, &mut fields);
        let ((start, mode), race) = fields.finish(start.zip(mode).zip(race))?;
        let (chronicle, viewer) = self.chronicle(&caller, &race).await?;
        let reader = chronicle.read(viewer, start, mode, filter).await?;
        let settings = self.api.chronicles().settings();
        let messages = watch::stream(reader, settings, std::future::pending(), self.api.streams_open());
        let this = self.clone();
        let answers = messages.then(move |message| {
            let (this, chronicle) = (this.clone(), Arc::clone(&chronicle));
            async move { this.told(&chronicle, viewer, message?).await }
        });
        Ok(self.api.ending(caller, "WatchRace", answers))
    }

    async fn told(
        &self,
        chronicle: &Chronicle,
        viewer: Viewer,
        message: Message,
    ) -> Result<wire::WatchRaceResponse, ApiError> {
        let message = match message {
            Message::Event(shown) => watch_race_response::Message::Event(wire_event(&shown)),
            Message::Snapshot(snapshot) => {
                watch_race_response::Message::Snapshot(self.snapshot(chronicle, viewer, &snapshot).await?)
            }
            Message::CaughtUp(last) => watch_race_response::Message::CaughtUp(last),
            Message::Heartbeat(last) => watch_race_response::Message::Heartbeat(last),
        };
        Ok(wire::WatchRaceResponse { message: Some(message) })
    }

    pub(crate) async fn get_standings(
        &self,
        caller: &Caller,
        request: wire::GetStandingsRequest,
    ) -> Result<wire::GetStandingsResponse, ApiError> {
        let race = the_race(&request.race_id)?;
        let viewer = self.viewer(caller, &race).await?;
        let looked = self.api.look(&race).await?;
        let standings = score::standings(&view(&looked.race, viewer));
        Ok(wire::GetStandingsResponse { turn: looked.race.turn.0, standings })
    }

    async fn get_duel(
        &self,
        caller: &Caller,
        request: wire::GetDuelRequest,
    ) -> Result<wire::GetDuelResponse, ApiError> {
        let mut fields = Fields::default();
        fields.number("turn", request.turn, 1..=u32::MAX);
        fields.number("duel_no", request.duel_no, 1..=u32::MAX);
        fields.finish(Some(()))?;
        let (chronicle, viewer) = self.chronicle(caller, &the_race(&request.race_id)?).await?;
        let none = || {
            let words = format!("there is no duel {} in turn {}", request.duel_no, request.turn);
            ApiError::not_found("NO_SUCH_DUEL", words)
        };
        let turn = TurnNo(request.turn);
        let mut replay = match Replay::begin(&chronicle, viewer, turn).await {
            Err(watch::CannotRead::NoSuchTurn { .. }) => return Err(none()),
            replay => replay?,
        };
        let mut duels = 0;
        while let Some(shown) = replay.next().await?.filter(|shown| shown.turn == turn) {
            if let Seen::Whole(Event::DuelPlayed { duellists, transcript }) = &shown.event {
                duels += 1;
                if duels == request.duel_no {
                    let duel = duel::duel(duels, turn, duellists, transcript);
                    return Ok(wire::GetDuelResponse { duel: Some(duel) });
                }
            }
        }
        Err(none())
    }

    async fn replay_race(
        &self,
        caller: Caller,
        request: wire::ReplayRaceRequest,
    ) -> Result<Told<wire::ReplayRaceResponse>, ApiError> {
        let mut fields = Fields::default();
        let duration = match request.turn_duration {
            None => Some(Duration::ZERO),
            Some(wire) => pause(wire).filter(|duration| *duration <= LONGEST_TURN),
        };
        if duration.is_none() {
            fields.wrong("turn_duration", "must be from 0 to 60 seconds");
        }
        let duration = fields.finish(duration)?;
        let (chronicle, viewer) = self.chronicle(&caller, &the_race(&request.race_id)?).await?;
        let replay = Replay::begin(&chronicle, viewer, TurnNo(request.from_turn)).await?;
        let snapshot = self.snapshot(&chronicle, viewer, replay.snapshot()).await?;
        let first = replay_race_response::Message::Snapshot(snapshot);
        let first = futures_util::stream::iter([Ok(wire::ReplayRaceResponse { message: Some(first) })]);
        Ok(self.api.ending(caller, "ReplayRace", first.chain(paced(replay, duration))))
    }

    /// As whom the caller may look at a race. Asked before anything of it is read: what he may not see costs nothing.
    async fn viewer(&self, caller: &Caller, race: &RaceId) -> Result<Viewer, ApiError> {
        caller.viewer(&self.api.record(race).await?)
    }

    /// The chronicle of a race that the caller may look at, and as whom.
    async fn chronicle(&self, caller: &Caller, race: &RaceId) -> Result<(Arc<Chronicle>, Viewer), ApiError> {
        let viewer = self.viewer(caller, race).await?;
        Ok((self.api.chronicles().of(race).await?, viewer))
    }

    async fn snapshot(
        &self,
        chronicle: &Chronicle,
        viewer: Viewer,
        snapshot: &Snapshot,
    ) -> Result<wire::Snapshot, ApiError> {
        let looked = self.api.look(&chronicle.record().id).await?;
        Ok(convert::race::snapshot(snapshot.sequence, wire_race(&looked, viewer), &snapshot.race))
    }
}

/// A duration that may be any two numbers; none if they are none. The library's own conversion overflows on some.
fn pause(wire: prost_types::Duration) -> Option<Duration> {
    let nanos = u32::try_from(wire.nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    Some(Duration::new(u64::try_from(wire.seconds).ok()?, nanos))
}

fn wire_race(looked: &Looked, viewer: Viewer) -> wire::Race {
    convert::race::race(&looked.record, &looked.race, looked.state.as_ref(), viewer)
}

/// An event as it is told to who watches.
pub(crate) fn wire_event(shown: &Shown) -> wire::RaceEvent {
    event::event(shown.sequence, shown.turn, &shown.event)
}

fn filter(kinds: &[i32], cars: Vec<u32>, fields: &mut Fields) -> Filter {
    let kinds: Vec<Kind> = kinds
        .iter()
        .enumerate()
        .filter_map(|(index, kind)| event::kind(*kind, fields, &format!("kinds[{index}]")))
        .collect();
    Filter { kinds, cars: car::car_ids(cars, fields, "car_ids") }
}

/// The events of a replay; each turn begins so long after the one before.
fn paced(
    replay: Replay,
    turn_takes: Duration,
) -> impl Stream<Item = Result<wire::ReplayRaceResponse, ApiError>> + Send + 'static {
    unfold(Some((replay, None)), move |state| async move {
        let (mut replay, mut next_turn): (Replay, Option<Instant>) = state?;
        match replay.next().await {
            Ok(None) => None,
            Ok(Some(shown)) => {
                if matches!(shown.event, Seen::Whole(Event::TurnStarted { .. })) {
                    let at = next_turn.unwrap_or_else(Instant::now);
                    sleep_until(at).await;
                    next_turn = Some(at + turn_takes);
                }
                let event = replay_race_response::Message::Event(wire_event(&shown));
                Some((Ok(wire::ReplayRaceResponse { message: Some(event) }), Some((replay, next_turn))))
            }
            Err(error) => Some((Err(error.into()), None)),
        }
    })
}
