//! Every request to the server has an id: in the span in which it is answered, in its log lines, and in its answer.
//!
//! ```text
//! > x-request-id: 7f3a                < x-request-id: 7f3a
//! (none, or one that can't be used)   < x-request-id: 0a1b5c0e-…
//! ```
//!
//! One layer for gRPC and HTTP. What must not be told is never logged: headers are not, and those that hold secrets are
//! marked besides, so that nobody who prints them prints those.

use crate::drive::world::SECRET;
use http::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName};
use http::{Request, Response};
use std::iter::once;
use std::task::{Context, Poll};
use std::time::Duration;
use tower_http::classify::{ServerErrorsAsFailures, SharedClassifier};
use tower_http::request_id::{MakeRequestUuid, PropagateRequestId, RequestId, SetRequestId};
use tower_http::sensitive_headers::SetSensitiveRequestHeaders;
use tower_http::trace::{MakeSpan, OnEos, OnResponse, Trace, TraceLayer};
use tower_layer::Layer;
use tower_service::Service;
use tracing::Span;

/// The header with the id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The longest id that is taken over, in characters.
pub const LONGEST_ID: usize = 128;

/// Gives each request an id, and a span.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestIds;

/// A service whose requests have an id.
pub type WithRequestIds<S> =
    Checked<SetRequestId<SetSensitiveRequestHeaders<Traced<PropagateRequestId<S>>>, MakeRequestUuid>>;

/// A service whose requests have a span.
type Traced<S> = Trace<S, SharedClassifier<ServerErrorsAsFailures>, OfRequest, (), Told, (), Told, ()>;

impl<S> Layer<S> for RequestIds {
    type Service = WithRequestIds<S>;

    fn layer(&self, inner: S) -> Self::Service {
        let trace = TraceLayer::new(SharedClassifier::new(ServerErrorsAsFailures::new()))
            .make_span_with(OfRequest)
            .on_request(())
            .on_response(Told)
            .on_body_chunk(())
            .on_eos(Told)
            .on_failure(());
        let traced = trace.layer(PropagateRequestId::new(inner, REQUEST_ID));
        let secret = [AUTHORIZATION, COOKIE, SECRET];
        let marked = SetSensitiveRequestHeaders::new(traced, secret);
        Checked(SetRequestId::new(marked, REQUEST_ID, MakeRequestUuid))
    }
}

/// Takes over no id that can't be used.
#[derive(Debug, Clone)]
pub struct Checked<S>(S);

impl<S: Service<Request<B>>, B> Service<Request<B>> for Checked<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> S::Future {
        let is_usable = |id: &http::HeaderValue| {
            let bytes = id.as_bytes();
            (1..=LONGEST_ID).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
        };
        let mut ids = request.headers().get_all(REQUEST_ID).iter();
        let is_one = once(ids.next()).flatten().all(is_usable) && ids.next().is_none();
        if !is_one {
            request.headers_mut().remove(REQUEST_ID);
        }
        self.0.call(request)
    }
}

/// The span of a request. A query may hold anything, and is not told.
#[derive(Debug, Clone, Copy)]
pub struct OfRequest;

impl<B> MakeSpan<B> for OfRequest {
    fn make_span(&mut self, request: &Request<B>) -> Span {
        let id = request.extensions().get::<RequestId>().and_then(|id| id.header_value().to_str().ok());
        let path = request.uri().path();
        tracing::info_span!(
            "request",
            request_id = id.unwrap_or_default(),
            method = request.method().as_str(),
            path,
            // As those who read traces expect it: the whole name of an RPC, or the path of a page.
            otel.name = path.trim_start_matches('/'),
            otel.kind = "server",
        )
    }
}

/// Tells what came of a request.
#[derive(Debug, Clone, Copy)]
pub struct Told;

impl<B> OnResponse<B> for Told {
    fn on_response(self, response: &Response<B>, latency: Duration, _: &Span) {
        let status = response.status();
        let code = grpc_code(response.headers());
        if status.is_server_error() || code.is_some_and(is_ours) {
            tracing::warn!(status = status.as_u16(), code, ?latency, "a request failed");
        } else {
            tracing::debug!(status = status.as_u16(), code, ?latency, "answered");
        }
    }
}

impl OnEos for Told {
    fn on_eos(self, trailers: Option<&HeaderMap>, lasted: Duration, _: &Span) {
        let code = trailers.and_then(grpc_code);
        if code.is_some_and(is_ours) {
            tracing::warn!(code, ?lasted, "a stream failed");
        } else {
            tracing::debug!(code, ?lasted, "the answer has ended");
        }
    }
}

/// The status code of gRPC.
fn grpc_code(headers: &HeaderMap) -> Option<u16> {
    headers.get("grpc-status")?.to_str().ok()?.parse().ok()
}

/// Whether a status code of gRPC says that the server is at fault: UNKNOWN, INTERNAL, DATA_LOSS.
fn is_ours(code: u16) -> bool {
    matches!(code, 2 | 13 | 15)
}

#[cfg(test)]
mod tests {
    use super::super::logs::tests::kept;
    use super::*;
    use crate::serve::settings::LogFormat;
    use bytes::Bytes;
    use http_body_util::Full;
    use std::convert::Infallible;
    use std::future::{Ready, poll_fn, ready};

    /// Answers with the request's headers, as they are printed.
    #[derive(Clone)]
    struct Echo;

    impl Service<Request<Full<Bytes>>> for Echo {
        type Response = Response<Full<Bytes>>;
        type Error = Infallible;
        type Future = Ready<Result<Self::Response, Infallible>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, request: Request<Full<Bytes>>) -> Self::Future {
            tracing::info!(headers = ?request.headers(), "asked");
            let answer = Response::builder().header("grpc-status", "13").body(Full::default());
            ready(Ok(answer.expect("a good answer")))
        }
    }

    async fn ask(headers: &[(&str, &[u8])]) -> (String, String) {
        let (kept, guard) = kept(LogFormat::Json, "debug");
        let mut request = Request::builder().uri("/gm.v1.AdminService/StepTurn?token=hidden");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut service = RequestIds.layer(Echo);
        poll_fn(|context| Service::<Request<Full<Bytes>>>::poll_ready(&mut service, context))
            .await
            .expect("ready");
        let answer =
            service.call(request.body(Full::default()).expect("a good request")).await.expect("an answer");
        drop(guard);
        let id = answer.headers()[REQUEST_ID].to_str().expect("ASCII").to_owned();
        (id, kept.text())
    }

    /// What a client sends, and the id that it is answered with; none: a new one.
    #[tokio::test]
    async fn ids() {
        let long = vec![b'x'; LONGEST_ID];
        let too_long = vec![b'x'; LONGEST_ID + 1];
        let name = "x-request-id";
        for (headers, taken) in [
            (vec![(name, &b"7f3a"[..])], true),
            (vec![(name, &long)], true),
            (vec![(name, &too_long)], false),
            (vec![(name, b"two words")], false),
            (vec![(name, b"\xff\xfe")], false),
            (vec![(name, b"")], false),
            (vec![(name, b"one"), (name, b"two")], false),
            (vec![], false),
        ] {
            let (id, log) = ask(&headers).await;
            assert_eq!(headers.first().is_some_and(|(_, sent)| id.as_bytes() == *sent), taken, "{headers:?}");
            assert!(taken || id.len() == 36, "{id} is new");
            let lines: Vec<serde_json::Value> =
                log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
            assert!(
                !lines.is_empty() && lines.iter().all(|line| line["span"]["request_id"] == id.as_str()),
                "{log}"
            );
        }
    }

    /// C-20: secrets are in no line of the log, even where somebody prints all headers. Failures of ours are.
    #[tokio::test]
    async fn c_20_no_secrets() {
        let secrets: [(&str, &[u8]); 3] =
            [("authorization", b"Bearer hidden"), ("x-eacc-secret", b"hidden"), ("cookie", b"id=hidden")];
        let (_, log) = ask(&secrets).await;
        assert!(log.contains("authorization") && !log.contains("hidden"), "{log}");
        assert!(log.contains("a request failed") && log.contains("\"code\":13"), "{log}");
        assert!(log.contains("/gm.v1.AdminService/StepTurn"), "{log}");
    }
}
