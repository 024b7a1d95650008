//! A server on a port of the loopback, with its admin, and races in whatever state a test needs.

use super::dynamic;
use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use car_reference::{Car, CarSettings};
use gm_core::contract::DuelUrl;
use gm_grpc::control;
use gm_grpc::serve::{Opened, Server, Settings};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tonic::Status;
use tonic::transport::{Channel, Endpoint};

/// A server that runs until it is dropped.
pub(crate) struct Stage {
    pub(crate) address: SocketAddr,
    pub(crate) channel: Channel,
    /// The first admin's token.
    pub(crate) admin: String,
    /// The URL of a car whose instance is `second`.
    pub(crate) second: String,
    /// It stops when this is dropped.
    _stop: oneshot::Sender<()>,
    ids: AtomicU64,
    pub(crate) data: TempDir,
}

impl Stage {
    pub(crate) async fn start() -> Stage {
        Stage::start_with(|settings| settings).await
    }

    /// Starts with settings of its own.
    pub(crate) async fn start_with(change: impl FnOnce(Settings) -> Settings) -> Stage {
        let data = tempfile::tempdir().expect("a directory");
        let settings = change(Settings { data: data.path().to_owned(), ..Settings::default() });
        let opened = Server::open(settings, control::Settings::default()).await.expect("a server");
        let Opened { server, admin_token, .. } = opened;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            server.serve(listener, stopped).await.expect("served to its end");
        });
        let endpoint = Endpoint::try_from(format!("http://{address}")).expect("an address");
        let channel = endpoint.connect().await.expect("a connection");
        let admin = admin_token.expect("the first start makes a token");
        let (second, ids) = (enter("second").await, AtomicU64::new(0));
        Stage { address, channel, admin, second, ids, _stop: stop, data }
    }

    /// An id for a request that was not there before.
    pub(crate) fn id(&self) -> String {
        format!("request-{}", self.ids.fetch_add(1, Ordering::Relaxed))
    }

    /// Calls with a token; a request id is added where there is none.
    pub(crate) async fn call(
        &self,
        rpc: &str,
        token: Option<&str>,
        mut body: Value,
    ) -> Result<Vec<Value>, Status> {
        let wants_id = dynamic::method(rpc).input().get_field_by_name("request_id").is_some();
        if let Value::Object(fields) = &mut body
            && wants_id
            && !fields.contains_key("request_id")
        {
            fields.insert("request_id".to_owned(), self.id().into());
        }
        dynamic::call(&self.channel, rpc, token, &body).await
    }

    /// What an admin is answered, who is not refused.
    pub(crate) async fn admin(&self, rpc: &str, body: Value) -> Value {
        let rpc = format!("AdminService.{rpc}");
        let answers = self.call(&rpc, Some(&self.admin), body).await;
        let mut answers = answers.unwrap_or_else(|status| unreachable!("{rpc}: {status}"));
        answers.pop().expect("an answer")
    }
}

/// A race with two teams.
pub(crate) struct Scene<'s> {
    pub(crate) stage: &'s Stage,
    pub(crate) race: String,
    /// The API secrets of teams 1 and 2.
    pub(crate) secrets: [String; 2],
}

impl<'s> Scene<'s> {
    /// A race that is `preparing`, `running`, `paused`, `finished` or `on the clock`; with `car`, team 1 has one.
    pub(crate) async fn new(stage: &'s Stage, state: &str, car: bool) -> Scene<'s> {
        Scene::with_rules(stage, state, car, json!({})).await
    }

    pub(crate) async fn with_rules(stage: &'s Stage, state: &str, car: bool, rules: Value) -> Scene<'s> {
        let mut all = json!({ "turn_interval_seconds": 0, "transfers": true, "spot_check_percent": 0, "encounter_odds": { "nothing": 100 } });
        if let (Value::Object(all), Value::Object(rules)) = (&mut all, rules) {
            all.extend(rules);
        }
        let race = stage.admin("CreateRace", json!({ "title": state, "rules": all, "seed": 1 })).await;
        let race = race["race"]["race_id"].as_str().expect("an id").to_owned();
        let mut secrets = [const { String::new() }; 2];
        for (secret, name) in secrets.iter_mut().zip(["Red", "Blue"]) {
            let team = stage.admin("CreateTeam", json!({ "race_id": race, "name": name })).await;
            *secret = team["api_secret"].as_str().expect("a secret").to_owned();
        }
        let scene = Scene { stage, race, secrets };
        if car {
            let name = stage.id();
            let url = enter(&name).await;
            let body = json!({ "race_id": scene.race, "team_id": 1, "instance": name, "url": url });
            let answer = stage.admin("RegisterCar", body).await;
            assert_eq!(answer["reasons"], json!([]), "it is registered");
        }
        let steps: &[&str] = match state {
            "running" | "on the clock" => &["StartRace"],
            "paused" => &["StartRace", "PauseRace"],
            "finished" => &["FinishRace"],
            _ => &[],
        };
        for step in steps {
            stage.admin(step, json!({ "race_id": scene.race })).await;
        }
        if state == "on the clock" {
            let clock = json!({ "race_id": scene.race, "turn_interval_seconds": 86_400 });
            stage.admin("SetClock", clock).await;
            scene.until_turn(1).await;
        }
        scene
    }

    /// Waits until a turn is complete.
    pub(crate) async fn until_turn(&self, turn: u64) {
        let body = json!({ "race_id": self.race, "after": 0 });
        let channel = self.stage.channel.clone();
        // A watch that ends where it has caught up is asked again: each time it waits for what was committed.
        for _ in 0..1_000 {
            let seen = dynamic::call(&channel, "ObserverService.WatchRace", None, &body).await.expect("seen");
            if seen.iter().any(|it| it["event"]["turn_completed"]["turn"] == json!(turn)) {
                return;
            }
            tokio::task::yield_now().await;
        }
        unreachable!("turn {turn} is not played");
    }
}

/// What holds up requests while it is closed.
#[derive(Clone)]
pub(crate) struct Gate {
    is_closed: watch::Sender<bool>,
    waiting: watch::Sender<usize>,
}

impl Default for Gate {
    fn default() -> Gate {
        Gate { is_closed: watch::channel(false).0, waiting: watch::channel(0).0 }
    }
}

impl Gate {
    pub(crate) fn close(&self) {
        self.is_closed.send_replace(true);
    }

    pub(crate) fn open(&self) {
        self.is_closed.send_replace(false);
    }

    /// Waits until a request is held up.
    pub(crate) async fn somebody_waits(&self) {
        self.waiting.subscribe().wait_for(|waiting| *waiting > 0).await.expect("it is there");
    }

    /// Puts it before a service.
    pub(crate) fn before(&self, service: Router) -> Router {
        let gate = self.clone();
        service.layer(from_fn(move |request: Request, next: Next| {
            let gate = gate.clone();
            async move {
                gate.waiting.send_modify(|waiting| *waiting += 1);
                gate.is_closed.subscribe().wait_for(|is_closed| !is_closed).await.expect("it is there");
                gate.waiting.send_modify(|waiting| *waiting -= 1);
                next.run(request).await
            }
        }))
    }
}

/// A reference car of this name: its URL. It is there until the test ends.
pub(crate) async fn enter(name: &str) -> String {
    host(car_reference::router(Car::in_memory(car(name)))).await
}

/// A car whose AI is nowhere: it fights, and loses.
fn car(name: &str) -> CarSettings {
    let ai_url = Some(DuelUrl::parse("http://127.0.0.1:9/ai").expect("a URL"));
    CarSettings { ai_url, ..CarSettings::new(name) }
}

/// A reference car behind a gate.
pub(crate) async fn enter_behind(name: &str, gate: &Gate) -> String {
    host(gate.before(car_reference::router(Car::in_memory(car(name))))).await
}

/// Serves on a port of the loopback until the test ends: its URL.
pub(crate) async fn host(service: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, service).await });
    format!("http://{address}")
}
