//! The server around a car: the secret, the size of a body, JSON in and out.
//!
//! ```
//! # use car_reference::{Car, CarSettings};
//! let router: axum::Router = car_reference::router(Car::in_memory(CarSettings::new("i-0abc")));
//! ```

use crate::car::{Car, Said};
use crate::request;
use crate::settings::Secret;
use crate::store::ModuleStore;
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use gm_core::contract::CarRequest;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, oneshot};
use tokio::time::timeout;

/// The largest body that is read, in bytes.
pub const MAX_BODY: usize = 64 * 1024;

/// The longest `X-EACC-REQUEST-ID` that is taken, in bytes.
pub const MAX_REQUEST_ID: usize = 256;

/// How long connections may take to end when the server is told to stop.
pub const STOP_WITHIN: Duration = Duration::from_secs(2);

struct Shared<S> {
    secret: Option<Secret>,
    car: Mutex<Car<S>>,
}

/// The car as a router, to be served alone or with others.
pub fn router<S: ModuleStore>(car: Car<S>) -> Router {
    let secret = car.settings().secret.clone();
    Router::new()
        .fallback(handle)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(Arc::new(Shared { secret, car: Mutex::new(car) }))
}

/// Serves a car until `shutdown` is ready, and then for at most [`STOP_WITHIN`].
///
/// # Errors
/// If the listener fails.
pub async fn serve<S: ModuleStore>(
    car: Car<S>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (stop, stopped) = oneshot::channel();
    let serving = axum::serve(listener, router(car)).with_graceful_shutdown(async move {
        shutdown.await;
        _ = stop.send(());
    });
    let mut serving = pin!(serving.into_future());
    tokio::select! {
        served = &mut serving => served,
        // A client that opened a connection and says nothing must not keep the car alive.
        _ = stopped => timeout(STOP_WITHIN, serving).await.unwrap_or(Ok(())),
    }
}

async fn handle<S: ModuleStore>(
    State(shared): State<Arc<Shared<S>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let said = match accept(&shared, &method, &uri, &headers, body) {
        Err(refusal) => refusal,
        Ok((id, request)) => {
            // In a task of its own, because a client that hangs up ends this one: a change is made as a whole.
            let exchange = async move { shared.car.lock().await.exchange(id.as_deref(), &request).await };
            tokio::spawn(exchange).await.unwrap_or_else(|_| Said::error(500, "the car failed"))
        }
    };
    let status = StatusCode::from_u16(said.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(header::CONTENT_TYPE, "application/json")], said.body.to_string()).into_response()
}

fn accept<S>(
    shared: &Shared<S>,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<(Option<String>, CarRequest), Said> {
    if let Some(secret) = &shared.secret {
        let given = headers.get("x-eacc-secret").map_or(&b""[..], |given| given.as_bytes());
        if !secret.is(given) {
            return Err(Said::error(401, "X-EACC-SECRET is missing or wrong"));
        }
    }
    let body = body.map_err(|rejection| match rejection.status().as_u16() {
        413 => Said::error(413, "the body is larger than 64 KiB"),
        _ => Said::error(400, "the body did not come whole"),
    })?;
    let id = match headers.get("x-eacc-request-id") {
        None => None,
        Some(id) => match id.to_str() {
            Ok(id) if (1..=MAX_REQUEST_ID).contains(&id.len()) => Some(id.to_owned()),
            _ => return Err(Said::error(422, "X-EACC-REQUEST-ID is text of 1 to 256 characters")),
        },
    };
    let path = uri.path_and_query().map_or("", |path| path.as_str());
    Ok((id, request::read(method.as_str(), path, &body)?))
}
