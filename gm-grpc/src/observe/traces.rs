//! Traces for a collector, by OTLP: a span for each request to the API and for each turn.
//!
//! ```text
//! gm.v1.AdminService/StepTurn  ├──────────────────────────┤      POST http://collector:4318/v1/traces
//! turn                           ├──────────────────────┤        a batch of spans in protobuf, now and then
//! ```
//!
//! It goes over HTTP with the client that is here already, so that no second one comes in. Spans are sent from a thread
//! of their own; a collector that is slow or away costs spans, and nothing else.

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::registry::LookupSpan;

/// Where a collector takes traces, if its URL names no path.
const USUAL_PATH: &str = "/v1/traces";
/// The most spans that wait to be sent; further ones are lost.
const MOST_WAITING: usize = 4096;
/// The most spans of one batch.
const MOST_IN_A_BATCH: usize = 512;
/// How long a batch may take to be sent.
const SEND: Duration = Duration::from_secs(10);
/// The most bytes of a collector's answer that are read.
const MAX_ANSWER: usize = 64 * 1024;

/// Traces that are sent to a collector.
pub struct Traces(SdkTracerProvider);

/// Why traces can't be sent.
#[derive(Debug, thiserror::Error)]
pub enum CannotTrace {
    /// TLS could not be set up.
    #[error("TLS could not be set up")]
    Tls(#[source] rustls::Error),
    /// The exporter does not take its settings, such as those in its own variables, `OTEL_EXPORTER_OTLP_…`.
    #[error("the settings of the exporter are wrong: {0}")]
    Exporter(String),
}

impl Traces {
    /// Traces that go to this collector. To be called in a runtime, which sends them.
    ///
    /// # Errors
    /// [`CannotTrace`]. That the collector can't be reached is none: it is logged when it is noticed.
    pub fn to(collector: &Uri) -> Result<Traces, CannotTrace> {
        let endpoint = match collector.path() {
            "" | "/" => format!("{}{USUAL_PATH}", collector.to_string().trim_end_matches('/')),
            _ => collector.to_string(),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Sender::new().map_err(CannotTrace::Tls)?)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(endpoint)
            .with_timeout(SEND)
            .build()
            .map_err(|error| CannotTrace::Exporter(error.to_string()))?;
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(MOST_WAITING)
            .with_max_export_batch_size(MOST_IN_A_BATCH)
            .build();
        let processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
        let resource = Resource::builder().with_service_name("gm").build();
        Ok(Traces(
            SdkTracerProvider::builder().with_span_processor(processor).with_resource(resource).build(),
        ))
    }

    /// What takes the spans down. Only our own: what sends them makes spans, too.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'s> LookupSpan<'s>,
    {
        let ours = Targets::new().with_target("gm_grpc", LevelFilter::INFO);
        let layer = tracing_opentelemetry::layer().with_tracer(self.0.tracer("gm"));
        layer.with_location(false).with_threads(false).with_filter(ours)
    }

    /// Sends what waits, and ends. Gives up after `limit`; says whether all was sent.
    pub async fn end(self, limit: Duration) -> bool {
        let ended = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(limit));
        matches!(timeout(limit, ended).await, Ok(Ok(Ok(()))))
    }
}

/// Sends batches. The thread that asks for it has no runtime, so it is done in ours.
#[derive(Debug, Clone)]
struct Sender {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    runtime: Handle,
    /// Whether the last batch got lost, so that the log is told once.
    is_away: Arc<AtomicBool>,
}

impl Sender {
    fn new() -> Result<Sender, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_webpki_roots()
            .with_no_client_auth();
        let connector =
            HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Sender { client, runtime: Handle::current(), is_away: Arc::default() })
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = self.client.request(request.map(Full::new)).await?.into_parts();
        let body = Limited::new(body, MAX_ANSWER).collect().await?.to_bytes();
        Ok(Response::from_parts(parts, body))
    }

    /// Tells the log when the collector goes, and when it comes back.
    fn note(&self, sent: &Result<Response<Bytes>, HttpError>) {
        let why = match sent {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(format!("it answers with status {}", answer.status().as_u16())),
            Err(error) => Some(error.to_string()),
        };
        match (
            why,
            self.is_away.swap(!matches!(sent, Ok(answer) if answer.status().is_success()), Ordering::Relaxed),
        ) {
            (Some(why), false) => {
                tracing::warn!(why, "the collector does not take the traces: they are lost")
            }
            (None, true) => tracing::info!("the collector takes the traces again"),
            _ => {}
        }
    }
}

#[async_trait::async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sender = self.clone();
        let sending = self.runtime.spawn(async move {
            let sent = timeout(SEND, sender.send(request)).await.map_err(HttpError::from).flatten();
            sender.note(&sent);
            sent
        });
        sending.await?
    }
}

#[cfg(test)]
mod tests {
    use super::super::logs::tests::kept;
    use super::*;
    use crate::serve::settings::LogFormat;
    use axum::Router;
    use axum::http::{HeaderMap, StatusCode};
    use axum::routing::post;
    use tokio::net::TcpListener;
    use tokio::sync::mpsc;
    use tracing_subscriber::layer::SubscriberExt as _;

    /// How long a test waits for what happens at once.
    const PATIENCE: Duration = Duration::from_secs(20);

    async fn listen() -> (TcpListener, Uri) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        (listener, url.parse().expect("a URL"))
    }

    /// Whether a message in protobuf holds a text.
    fn holds(message: &[u8], text: &str) -> bool {
        message.windows(text.len()).any(|part| part == text.as_bytes())
    }

    /// Makes a span as a request to the API does, and one as somebody else's code does.
    fn make_spans(traces: &Traces) {
        let subscriber = tracing_subscriber::registry().with(traces.layer());
        tracing::subscriber::with_default(subscriber, || {
            let request = tracing::info_span!("request", otel.name = "gm.v1.AdminService/StepTurn").entered();
            tracing::info_span!("turn", turn = 7).in_scope(|| ());
            tracing::info_span!(target: "hyper_util", "another-span").in_scope(|| ());
            drop(request);
        });
    }

    #[tokio::test]
    async fn a_collector_gets_the_spans() {
        let (listener, url) = listen().await;
        let (tell, mut told) = mpsc::unbounded_channel();
        let take = async move |headers: HeaderMap, body: Bytes| {
            tell.send((headers, body)).expect("the test listens");
            StatusCode::OK
        };
        let collector =
            tokio::spawn(async { axum::serve(listener, Router::new().route(USUAL_PATH, post(take))).await });
        let traces = Traces::to(&url).expect("traces");
        make_spans(&traces);
        assert!(traces.end(PATIENCE).await, "all was sent");
        let (headers, body) = told.recv().await.expect("a batch");
        assert_eq!(headers["content-type"], "application/x-protobuf");
        for text in ["gm.v1.AdminService/StepTurn", "turn", "service.name", "gm"] {
            assert!(holds(&body, text), "{text}");
        }
        assert!(!holds(&body, "another-span"), "what sends spans is not traced");
        collector.abort();
    }

    /// One that takes nothing keeps nobody from ending.
    #[tokio::test]
    async fn a_collector_that_does_not_answer() {
        let (listener, url) = listen().await;
        let traces = Traces::to(&url).expect("traces");
        make_spans(&traces);
        let ended = timeout(PATIENCE, traces.end(Duration::from_millis(200))).await;
        assert_eq!(ended, Ok(false), "it gave up");
        drop(listener);
    }

    /// The log is told once.
    #[tokio::test]
    async fn a_collector_that_is_away() {
        let (listener, url) = listen().await;
        drop(listener);
        let (kept, guard) = kept(LogFormat::Text, "info");
        let sender = Sender::new().expect("TLS");
        for _ in 0..3 {
            let request = Request::post(url.clone()).body(Bytes::new()).expect("a good request");
            assert!(sender.send_bytes(request).await.is_err());
        }
        drop(guard);
        assert_eq!(kept.text().matches("they are lost").count(), 1, "{}", kept.text());
    }
}
