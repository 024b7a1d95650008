//! The server: gRPC, gRPC-Web and HTTP on one port, over the races of one data directory.
//!
//! ```text
//! open: the journal, the races that go on ─▶ serve ─▶ stop: NOT_SERVING, streams end with a word, turns are finished
//! ```

use super::listen::{self, listen};
use super::settings::{Cors, Settings};
use super::worlds::{Common, ServedWorlds};
use crate::api::admin::Admin;
use crate::api::auth::AuthLayer;
use crate::api::error::ApiError;
use crate::api::health::Health;
use crate::api::malformed;
use crate::api::observer::Observer;
use crate::api::team::Team;
use crate::api::wire::admin_service_server::AdminServiceServer;
use crate::api::wire::observer_service_server::ObserverServiceServer;
use crate::api::wire::team_service_server::TeamServiceServer;
use crate::api::{Api, secret, wire};
use crate::control::{self, CannotOwn, RaceHandle, Races};
use crate::drive::world::SECRET;
use crate::journal::{DataDirectory, Journal, JournalError, Moment, RaceId, Role, TokenId, TokenRecord};
use crate::observe::request_id::{REQUEST_ID, RequestIds};
use crate::observe::rpc::CountRpcs;
use crate::{trial, watch, web};
use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse as _;
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, Method, Response};
use std::future::Future;
use std::sync::Arc;
use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};
use tonic_web::GrpcWebLayer;
use tower::util::MapResponseLayer;
use tower_http::cors::{AllowOrigin, Any, CorsLayer};

/// The headers of gRPC's answers that a page in a browser is to read.
const EXPOSED: [HeaderName; 5] = [
    RETRY_AFTER,
    HeaderName::from_static("grpc-status"),
    HeaderName::from_static("grpc-message"),
    HeaderName::from_static("grpc-status-details-bin"),
    REQUEST_ID,
];
/// The headers that a page in a browser may send.
const SENT: [HeaderName; 9] = [
    AUTHORIZATION,
    CONTENT_TYPE,
    HeaderName::from_static("x-grpc-web"),
    HeaderName::from_static("x-user-agent"),
    HeaderName::from_static("grpc-timeout"),
    SECRET,
    web::KEY,
    web::LAST_EVENT_ID,
    REQUEST_ID,
];

/// A game master that is open, and serves when it is told to.
pub struct Server {
    races: Arc<Races<ServedWorlds>>,
    api: Api,
    settings: Settings,
    health: HealthReporter,
    router: Router,
}

/// What a server found when it was opened.
pub struct Opened {
    /// The server.
    pub server: Server,
    /// The admin's token, if there was none and one was made. It is told this once.
    pub admin_token: Option<String>,
    /// The races that go on, or why they can't.
    pub recovered: Vec<(RaceId, Result<RaceHandle, CannotOwn>)>,
}

impl Server {
    /// Opens the data directory, and goes on with the races in it. Nothing is served yet.
    ///
    /// # Errors
    /// [`JournalError`] if the directory can't be used.
    pub async fn open(settings: Settings, control: control::Settings) -> Result<Opened, JournalError> {
        let journal = Journal::open(DataDirectory::open(&settings.data)?).await?;
        let worlds = ServedWorlds::new(Common {
            hosts: settings.cars.hosts.clone(),
            instances: settings.cars.instances.clone(),
            allow_private: settings.cars.allow_private,
            in_flight: settings.cars.in_flight,
        });
        let races = Arc::new(Races::new(journal, worlds, control));
        let admin_token = first_token(races.journal()).await?;
        let recovered = races.recover().await?;
        let api = Api::new(Arc::clone(&races), watching(&settings), trials(&settings));
        let health = HealthReporter::new();
        health.set_serving::<AdminServiceServer<Admin>>().await;
        health.set_serving::<TeamServiceServer<Team>>().await;
        health.set_serving::<ObserverServiceServer<Observer>>().await;
        let told = HealthService::from_health_reporter(health.clone());
        let told = HealthServer::new(Health::new(api.clone(), told));
        let grpc = grpc(&api, &settings).add_service(told);
        let router = router(grpc, &api, &settings);
        let server = Server { races, api, settings, health, router };
        Ok(Opened { server, admin_token, recovered })
    }

    /// The services, for who asks them without a network.
    #[must_use]
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// Makes another admin's token, for who has lost his: whoever can start the game master may have one.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn new_admin_token(&self) -> Result<String, JournalError> {
        admin_token(self.races.journal(), "made by --new-admin-token").await
    }

    /// Serves until `stop`. Then whoever asks for its health is told that it does not serve any more, streams end with
    /// a word, and what is being decided is finished or broken off, within the limit of the settings.
    ///
    /// # Errors
    /// [`JournalError`] if the journal could not be closed properly.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()>,
    ) -> Result<(), JournalError> {
        let Server { races, api, settings, health, router } = self;
        let limits = listen::Limits {
            connections: settings.api.max_connections,
            streams: settings.api.max_streams,
            shutdown: settings.shutdown,
        };
        let stop = async {
            stop.await;
            // Before anything is refused, so that a balancer sends nobody here any more.
            health.set_service_status("", ServingStatus::NotServing).await;
            health.set_not_serving::<AdminServiceServer<Admin>>().await;
            health.set_not_serving::<TeamServiceServer<Team>>().await;
            health.set_not_serving::<ObserverServiceServer<Observer>>().await;
        };
        // Calls that wait for a turn end with it, so both have the same time.
        let (stopping, stopped) = tokio::sync::oneshot::channel();
        let ended = async {
            // Without a word, serving has failed, and it is the same.
            let _ = stopped.await;
            races.end(settings.shutdown).await;
        };
        let draining = || {
            api.drain();
            // Who waits for it is in this very function.
            let _ = stopping.send(());
        };
        tokio::join!(listen(listener, router, limits, stop, draining), ended);
        races.shut_down(std::time::Duration::ZERO).await
    }
}

fn watching(settings: &Settings) -> watch::Settings {
    let retention = settings.watch.retention.map(|events| usize::try_from(events).unwrap_or(usize::MAX));
    watch::Settings {
        retention: retention.unwrap_or(watch::ALL_EVENTS),
        buffer: settings.watch.buffer as u64,
        heartbeat: settings.watch.heartbeat,
        send_limit: settings.watch.send,
    }
}

fn trials(settings: &Settings) -> trial::Limits {
    trial::Limits { at_once: settings.test_duels.at_once, per_team: settings.test_duels.per_team }
}

/// The first admin's token, if there is none.
async fn first_token(journal: &Journal) -> Result<Option<String>, JournalError> {
    if journal.has_admin().await? {
        return Ok(None);
    }
    admin_token(journal, "made when the game master was started first").await.map(Some)
}

/// A new admin's token.
async fn admin_token(journal: &Journal, note: &str) -> Result<String, JournalError> {
    let secret = secret::draw("admin");
    let token = TokenRecord {
        id: TokenId::random(),
        role: Role::Admin,
        race: None,
        note: note.to_owned(),
        created_at: Moment::now(),
    };
    journal.create_token(&token, &secret, None).await?;
    Ok(secret)
}

/// The services of gRPC.
fn grpc(api: &Api, settings: &Settings) -> Routes {
    let most = settings.api.max_message;
    let admin = AdminServiceServer::new(Admin::new(api.clone()));
    let team = TeamServiceServer::new(Team::new(api.clone()));
    let observer = ObserverServiceServer::new(Observer::new(api.clone()));
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(wire::DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let v1 = reflection().build_v1().expect("the build has compiled the descriptors");
    let v1alpha = reflection().build_v1alpha().expect("the build has compiled the descriptors");
    Routes::new(admin.max_decoding_message_size(most).max_encoding_message_size(most))
        .add_service(team.max_decoding_message_size(most).max_encoding_message_size(most))
        .add_service(observer.max_decoding_message_size(most).max_encoding_message_size(most))
        .add_service(v1)
        .add_service(v1alpha)
}

/// Everything that is served.
fn router(grpc: Routes, api: &Api, settings: &Settings) -> Router {
    let auth = |refuse| AuthLayer::new(api.access().clone(), refuse);
    // gRPC-Web is translated first, so that all that follows sees gRPC.
    let grpc = grpc
        .prepare()
        .into_axum_router()
        .layer(MapResponseLayer::new(malformed::plainly))
        .layer(auth(refuse_grpc))
        .layer(CountRpcs::of(rpcs().iter().map(|(service, method)| (&**service, &**method))))
        .layer(GrpcWebLayer::new());
    let http = web::router(api, settings).layer(auth(ApiError::into_response));
    // One router may have a fallback, and it is the last that is set.
    grpc.merge(http).fallback(web::no_such_thing).layer(cors(&settings.api.cors)).layer(RequestIds)
}

/// The RPCs that are counted, each as its service and its name.
fn rpcs() -> Vec<(String, String)> {
    let services = wire::descriptors().services();
    let of = |service: prost_reflect::ServiceDescriptor| {
        let name = service.full_name().to_owned();
        service.methods().map(|method| (name.clone(), method.name().to_owned())).collect::<Vec<_>>()
    };
    services.flat_map(of).collect()
}

fn refuse_grpc(error: ApiError) -> Response<Body> {
    error.into_status().into_http()
}

/// Which pages in a browser may use the API.
fn cors(allowed: &Cors) -> CorsLayer {
    let layer = CorsLayer::new()
        .allow_methods([Method::GET, Method::POST])
        .allow_headers(SENT)
        .expose_headers(EXPOSED);
    match allowed {
        Cors::Any => layer.allow_origin(Any),
        Cors::Only(origins) => layer.allow_origin(AllowOrigin::list(origins.iter().cloned())),
    }
}
