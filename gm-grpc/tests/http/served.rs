//! A server in this process, with a race of two teams whose cars are reference cars.

use crate::client::{Answer, Ask, BOUND};
use car_reference::{Car, CarSettings};
use fight_lambda_reference::Mind;
use gm_core::contract::{DuelUrl, Modules};
use gm_grpc::api::Api;
use gm_grpc::api::wire::{self, admin_service_client::AdminServiceClient};
use gm_grpc::control;
use gm_grpc::observe::metrics::Metrics;
use gm_grpc::serve::{Given, Opened, Server, Settings};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::Request;
use tonic::transport::Channel;

/// The secrets of the teams for the API, and for their cars. Nobody but their own may ever read one of the latter.
pub(crate) const RED: &str = "canary-api-secret-of-red";
pub(crate) const GREEN: &str = "canary-api-secret-of-green";
pub(crate) const CARS_OF_RED: &str = "canary-cars-secret-of-red";
pub(crate) const CARS_OF_GREEN: &str = "canary-cars-secret-of-green";
/// Where Red's first car is, and its second, and Green's, and the AI.
pub(crate) const CANARY_HOST: &str = "canary-host-of-red.example";
const HOSTS: [&str; 3] = [CANARY_HOST, "second.example", "green.example"];
const AI_HOST: &str = "ai.example";

/// A server that serves.
pub(crate) struct Served {
    pub(crate) at: SocketAddr,
    pub(crate) api: Api,
    pub(crate) settings: Settings,
    pub(crate) admin_token: String,
    pub(crate) race: String,
    channel: Channel,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
    _place: tempfile::TempDir,
}

async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    (listener, address)
}

/// Starts the cars and the AI; gives the names of their hosts for the settings.
async fn park() -> String {
    let mut file = "[hosts]\n".to_owned();
    let (listener, address) = listen().await;
    tokio::spawn(fight_lambda_reference::server::serve(listener, Mind::Careful, 1));
    writeln!(file, "{AI_HOST:?} = \"{address}\"").expect("a text");
    for (host, secret) in HOSTS.into_iter().zip([CARS_OF_RED, CARS_OF_RED, CARS_OF_GREEN]) {
        let (listener, address) = listen().await;
        let settings = CarSettings {
            modules: Modules { engine: if host == "green.example" { 2 } else { 4 }, pilot: 1, weapon: 3 },
            secret: Some(secret.to_owned().into()),
            ai_url: Some(DuelUrl::parse(&ai()).expect("a URL")),
            ..CarSettings::new(host.split('.').next().unwrap_or_default())
        };
        tokio::spawn(car_reference::serve(Car::in_memory(settings), listener, std::future::pending()));
        writeln!(file, "{host:?} = \"{address}\"").expect("a text");
    }
    file
}

/// The URL of the AI.
pub(crate) fn ai() -> String {
    format!("http://{AI_HOST}/action")
}

/// The body that registers the car of a host.
pub(crate) fn car(instance: &str, host: &str) -> String {
    format!(r#"{{"instance": "{instance}", "url": "http://{host}"}}"#)
}

impl Served {
    /// A server with a public race of the teams Red (1) and Green (2), and no cars yet.
    pub(crate) async fn start() -> Served {
        Served::start_with(&[]).await
    }

    /// The same with these settings.
    pub(crate) async fn start_with(settings: &[(&'static str, &str)]) -> Served {
        // Once in this process, whichever test is first.
        let _ = Metrics::new().install();
        let place = tempfile::tempdir().expect("a directory");
        let mut flags: BTreeMap<&'static str, String> =
            settings.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
        flags.insert("data", place.path().display().to_string());
        let given = Given { flags, ..Given::default() };
        let hosts = park().await;
        let settings =
            Settings::of(&given, Some(("gm.toml", hosts.as_str()))).expect("good settings").settings;
        let opened = Server::open(settings.clone(), control::Settings::default()).await.expect("it opens");
        let Opened { server, admin_token, .. } = opened;
        let (listener, at) = listen().await;
        let (stop, stopped) = oneshot::channel::<()>();
        let api = server.api().clone();
        let serving = tokio::spawn(async move {
            let stop = async { drop(stopped.await) };
            server.serve(listener, stop).await.expect("it closes its journal");
        });
        let channel = Channel::from_shared(format!("http://{at}")).expect("a URL");
        let channel = channel.connect().await.expect("it listens");
        let admin_token = admin_token.expect("the first one");
        let mut served = Served {
            at,
            api,
            settings,
            admin_token,
            race: String::new(),
            channel,
            stop: Some(stop),
            serving,
            _place: place,
        };
        served.race = served.make_race("public", false).await;
        let race = served.race.clone();
        served.make_team(&race, "Red", RED, CARS_OF_RED).await;
        served.make_team(&race, "Green", GREEN, CARS_OF_GREEN).await;
        served
    }

    pub(crate) fn admin(&self) -> AdminServiceClient<Channel> {
        AdminServiceClient::new(self.channel.clone())
    }

    /// A request of the admin's.
    pub(crate) fn by_admin<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let bearer = format!("Bearer {}", self.admin_token).parse().expect("a header");
        request.metadata_mut().insert("authorization", bearer);
        request
    }

    pub(crate) async fn make_race(&self, title: &str, private: bool) -> String {
        let rules = wire::Rules {
            initial_budget: Some(1_000),
            encounter_odds: Some(wire::EncounterOdds { nothing: 100, ..Default::default() }),
            spot_check_percent: Some(0),
            combat_range: Some(0),
            transfers: Some(true),
            turn_interval_seconds: Some(0),
            random_bonuses: Some(0),
            ..Default::default()
        };
        let request = wire::CreateRaceRequest {
            request_id: format!("race-{title}"),
            title: title.to_owned(),
            rules: Some(rules),
            seed: Some(7),
            private,
        };
        let made = self.admin().create_race(self.by_admin(request)).await.expect("a race");
        made.into_inner().race.expect("a race").race_id
    }

    pub(crate) async fn make_team(&self, race: &str, name: &str, api_secret: &str, car_secret: &str) {
        let request = wire::CreateTeamRequest {
            request_id: format!("team-{api_secret}"),
            race_id: race.to_owned(),
            name: name.to_owned(),
            car_secret: car_secret.to_owned(),
            api_secret: api_secret.to_owned(),
            budget: None,
        };
        self.admin().create_team(self.by_admin(request)).await.expect("a team");
    }

    /// Registers all three cars: 1 and 2 are Red's, 3 is Green's.
    pub(crate) async fn register_all(&self) {
        let names = ["canary-host-of-red", "second", "green"];
        for ((instance, host), secret) in names.into_iter().zip(HOSTS).zip([RED, RED, GREEN]) {
            let answer = self.ask(Ask::post("/v1/cars", car(instance, host)).secret(secret)).await.good();
            assert_eq!(answer["registered"], true, "{answer}");
        }
    }

    pub(crate) async fn start_race(&self) {
        let request = wire::StartRaceRequest { request_id: "start".to_owned(), race_id: self.race.clone() };
        self.admin().start_race(self.by_admin(request)).await.expect("it starts");
    }

    pub(crate) async fn step(&self, turn: u32) {
        let request = wire::StepTurnRequest {
            request_id: format!("step-{turn}"),
            race_id: self.race.clone(),
            expected_turn: turn,
        };
        self.admin().step_turn(self.by_admin(request)).await.expect("a turn");
    }

    pub(crate) async fn ask(&self, ask: Ask) -> Answer {
        ask.send(self.at).await
    }

    /// Tells the server to stop.
    pub(crate) fn stop(&mut self) {
        let told = self.stop.take().map(|stop| stop.send(()));
        assert_eq!(told, Some(Ok(())), "it serves");
    }

    /// Waits until no stream is open any more.
    pub(crate) async fn no_streams(&self) {
        let none = async {
            while self.api.streams_open().count() > 0 {
                tokio::task::yield_now().await;
            }
        };
        timeout(BOUND, none).await.expect("streams end");
    }

    /// Waits until it has stopped.
    pub(crate) async fn stopped(self) {
        timeout(BOUND, self.serving).await.expect("it stops").expect("without a panic");
    }
}
