//! Reference cars behind one server, each at a path of its own, made when it is first asked.
//!
//! ```text
//! GET /red-1/state ──▶ the car red-1        cars.hold(true): nobody answers until hold(false)
//! ```

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Method, Request, Uri};
use axum::response::{IntoResponse as _, Response};
use car_reference::{Car, CarSettings, StrategyName};
use gm_core::contract::Modules;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower::ServiceExt as _;

/// The cars of a test. They answer as long as the test's runtime is there.
pub(crate) struct Cars {
    address: SocketAddr,
    held: watch::Sender<bool>,
    /// How many requests wait for [`Cars::hold`] to end.
    waiting: watch::Sender<u64>,
}

/// What is put before the path of a car whose resources are named by it.
pub(crate) const CANARY: &str = "canary";

#[derive(Clone)]
struct Parked {
    cars: Arc<Mutex<BTreeMap<String, Router>>>,
    held: watch::Receiver<bool>,
    waiting: watch::Sender<u64>,
}

impl Cars {
    pub(crate) async fn start() -> Cars {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("it is bound");
        let (held, waiting) = (watch::channel(false).0, watch::channel(0).0);
        let parked = Parked { cars: Arc::default(), held: held.subscribe(), waiting: waiting.clone() };
        let router = Router::new().fallback(ask).with_state(parked);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Cars { address, held, waiting }
    }

    /// Where the car of this path is.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Whether requests are kept waiting from now on.
    pub(crate) fn hold(&self, held: bool) {
        self.held.send_replace(held);
    }

    /// Waits until a request is kept waiting.
    pub(crate) async fn are_asked(&self) {
        self.waiting.subscribe().wait_for(|waiting| *waiting > 0).await.expect("its sender is here");
    }
}

async fn ask(State(mut parked): State<Parked>, request: Request<Body>) -> Response {
    if *parked.held.borrow() {
        parked.waiting.send_modify(|waiting| *waiting += 1);
        // Without a word, the test is over.
        let _ = parked.held.wait_for(|held| !held).await;
    }
    let path = request.uri().path().to_owned();
    let (name, rest) = path.trim_start_matches('/').split_once('/').unwrap_or((&path, ""));
    if name.starts_with(CANARY) && request.method() == Method::GET && !rest.contains('/') && rest != "state" {
        return format!(r#"{{"res":"{name}-{rest}"}}"#).into_response();
    }
    let car = {
        let mut cars = parked.cars.lock().unwrap_or_else(PoisonError::into_inner);
        cars.entry(name.to_owned()).or_insert_with(|| car_reference::router(new_car(name))).clone()
    };
    let (mut parts, body) = request.into_parts();
    let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    parts.uri = Uri::try_from(format!("/{rest}{query}")).expect("it was one");
    car.oneshot(Request::from_parts(parts, body)).await.into_response()
}

fn new_car(name: &str) -> Car<car_reference::MemoryStore> {
    // What is known of it is the part of its path after the canary.
    let instance = name.trim_start_matches("canary-");
    Car::in_memory(CarSettings {
        modules: Modules { engine: 4, pilot: 1, weapon: 3 },
        strategy: StrategyName::Bold,
        ..CarSettings::new(instance)
    })
}
