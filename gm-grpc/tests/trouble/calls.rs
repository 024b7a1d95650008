//! Calls as a client makes them, and races set up by them.
//!
//! ```text
//! let mut admin = admin(channel, &token);
//! let race = Race::create(&mut admin, rules()).await;
//! let red = race.team(&mut admin, "Red").await;
//! ```

use super::cars::Cars;
use gm_grpc::api::wire::admin_service_client::AdminServiceClient;
use gm_grpc::api::wire::observer_service_client::ObserverServiceClient;
use gm_grpc::api::wire::team_service_client::TeamServiceClient;
use gm_grpc::api::wire::{self, watch_race_response};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::timeout;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

/// Longer than anything here takes: a test that waits so long has failed.
pub(crate) const BOUND: Duration = Duration::from_secs(60);

/// A connection on which every call shows a token.
pub(crate) type Wire = InterceptedService<Channel, Bearer>;
pub(crate) type Admin = AdminServiceClient<Wire>;
pub(crate) type Team = TeamServiceClient<Wire>;
pub(crate) type Observer = ObserverServiceClient<Wire>;

/// Shows a token with every call; or none.
#[derive(Clone)]
pub(crate) struct Bearer(Option<MetadataValue<Ascii>>);

impl Bearer {
    pub(crate) fn of(token: Option<&str>) -> Bearer {
        Bearer(token.map(|token| format!("Bearer {token}").parse().expect("visible ASCII")))
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request.metadata_mut().insert("authorization", token.clone());
        }
        Ok(request)
    }
}

/// A connection.
pub(crate) async fn channel(address: SocketAddr) -> Result<Channel, tonic::transport::Error> {
    Endpoint::from_shared(format!("http://{address}")).expect("a URL").connect().await
}

pub(crate) fn admin(channel: Channel, token: &str) -> Admin {
    AdminServiceClient::with_interceptor(channel, Bearer::of(Some(token)))
}

pub(crate) fn team(channel: Channel, secret: &str) -> Team {
    TeamServiceClient::with_interceptor(channel, Bearer::of(Some(secret)))
}

pub(crate) fn observer(channel: Channel, token: Option<&str>) -> Observer {
    ObserverServiceClient::with_interceptor(channel, Bearer::of(token))
}

/// An id that no request had before.
pub(crate) fn new_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("request-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A race on the admin's word, on which much happens.
pub(crate) fn rules() -> wire::Rules {
    wire::Rules {
        turn_interval_seconds: Some(0),
        track_length: Some(40),
        combat_range: Some(3),
        random_bonuses: Some(5),
        ..wire::Rules::default()
    }
}

/// A race that is there.
#[derive(Clone)]
pub(crate) struct Race {
    pub(crate) id: String,
}

/// A team that is there.
#[derive(Clone)]
pub(crate) struct TeamOf {
    pub(crate) id: u32,
    pub(crate) secret: String,
}

impl Race {
    pub(crate) async fn create(admin: &mut Admin, rules: wire::Rules) -> Race {
        let request = wire::CreateRaceRequest {
            request_id: new_id(),
            title: "Friday".to_owned(),
            rules: Some(rules),
            seed: Some(7),
            private: false,
        };
        let race = admin.create_race(request).await.expect("a race").into_inner().race;
        Race { id: race.expect("it is told").race_id }
    }

    pub(crate) async fn team(&self, admin: &mut Admin, name: &str) -> TeamOf {
        let request = wire::CreateTeamRequest {
            request_id: new_id(),
            race_id: self.id.clone(),
            name: name.to_owned(),
            ..wire::CreateTeamRequest::default()
        };
        let made = admin.create_team(request).await.expect("a team").into_inner();
        TeamOf { id: made.team_id, secret: made.api_secret }
    }

    pub(crate) async fn start(&self, admin: &mut Admin) {
        let request = wire::StartRaceRequest { request_id: new_id(), race_id: self.id.clone() };
        admin.start_race(request).await.expect("it starts");
    }

    pub(crate) fn step(&self, turn: u32) -> wire::StepTurnRequest {
        wire::StepTurnRequest { request_id: new_id(), race_id: self.id.clone(), expected_turn: turn }
    }

    pub(crate) fn watch(&self) -> wire::WatchRaceRequest {
        wire::WatchRaceRequest { race_id: self.id.clone(), ..wire::WatchRaceRequest::default() }
    }
}

/// Registers a car by its team.
pub(crate) async fn register(team: &mut Team, cars: &Cars, instance: &str) {
    let request = registration(cars, instance);
    let answer = team.register_car(request).await.expect("an answer").into_inner();
    assert_eq!(answer.reasons, Vec::<String>::new(), "{instance} is registered");
}

pub(crate) fn registration(cars: &Cars, instance: &str) -> wire::TeamServiceRegisterCarRequest {
    let (request_id, url) = (new_id(), cars.url(instance));
    wire::TeamServiceRegisterCarRequest { request_id, instance: instance.to_owned(), url }
}

/// A race of two teams with three cars each, started.
pub(crate) async fn started(admin: &mut Admin, channel: &Channel, cars: &Cars) -> (Race, Vec<TeamOf>) {
    let race = Race::create(admin, rules()).await;
    let mut teams = Vec::new();
    for name in ["red", "green"] {
        let of = race.team(admin, name).await;
        for number in 1..=3 {
            register(&mut team(channel.clone(), &of.secret), cars, &format!("{name}-{number}")).await;
        }
        teams.push(of);
    }
    race.start(admin).await;
    (race, teams)
}

/// Whether an error says that it is worth to ask again.
pub(crate) fn is_retryable(status: &Status) -> bool {
    let codes = [Code::Unavailable, Code::Aborted, Code::ResourceExhausted];
    codes.contains(&status.code()) && status.get_details_retry_info().is_some()
}

/// The reason of an error, for programs.
pub(crate) fn reason(status: &Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

/// What an error says for programs beside its reason.
pub(crate) fn metadata(status: &Status, name: &str) -> Option<u64> {
    status.get_details_error_info()?.metadata.get(name)?.parse().ok()
}

/// The next message of a watch.
pub(crate) async fn next(
    watched: &mut tonic::Streaming<wire::WatchRaceResponse>,
) -> Result<watch_race_response::Message, Status> {
    let message = timeout(BOUND, watched.message()).await.expect("something is told in time")?;
    Ok(message.expect("no stream ends without a word").message.expect("a message"))
}
