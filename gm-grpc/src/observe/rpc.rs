//! Counts the calls of the gRPC API, each once, when it has ended: with its last frame, or when its client has gone.
//!
//! ```
//! use gm_grpc::observe::rpc::CountRpcs;
//! let layer = CountRpcs::of([("gm.v1.AdminService", "StepTurn")]);
//! ```
//!
//! The status of a call is in its trailers, or in its headers if there is nothing else to say. A path comes from
//! outside, and is a label only if it names an RPC that there is. This layer belongs below that of gRPC-Web, which hides
//! trailers in the body.

use super::metrics;
use http::header::{CONTENT_TYPE, HeaderMap};
use http::{Request, Response};
use hyper::body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

/// What an RPC is called that there is not.
const OTHER: &str = "other";

/// Counts the calls of a service.
#[derive(Debug, Clone)]
pub struct CountRpcs(Arc<Names>);

/// The RPCs that there are, by their path.
#[derive(Debug)]
struct Names {
    known: BTreeMap<String, Name>,
    other: Name,
}

#[derive(Debug, Clone)]
struct Name {
    service: Arc<str>,
    method: Arc<str>,
}

impl CountRpcs {
    /// These are the RPCs that there are, each as its service and its method. Others are counted as `other`.
    pub fn of<'n>(rpcs: impl IntoIterator<Item = (&'n str, &'n str)>) -> CountRpcs {
        let name = |service: &str, method: &str| Name { service: service.into(), method: method.into() };
        let known =
            rpcs.into_iter().map(|(service, method)| (format!("/{service}/{method}"), name(service, method)));
        CountRpcs(Arc::new(Names { known: known.collect(), other: name(OTHER, OTHER) }))
    }
}

impl<S> Layer<S> for CountRpcs {
    type Service = Counting<S>;

    fn layer(&self, inner: S) -> Counting<S> {
        Counting { inner, names: Arc::clone(&self.0) }
    }
}

/// A service whose calls are counted.
#[derive(Debug, Clone)]
pub struct Counting<S> {
    inner: S,
    names: Arc<Names>,
}

impl<S, A, B> Service<Request<A>> for Counting<S>
where
    S: Service<Request<A>, Response = Response<B>>,
{
    type Response = Response<Counted<B>>;
    type Error = S::Error;
    type Future = Answering<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<A>) -> Self::Future {
        let call = is_grpc(request.headers()).then(|| {
            let name = self.names.known.get(request.uri().path()).unwrap_or(&self.names.other).clone();
            Call { name, begun: Instant::now(), code: None }
        });
        Answering { inner: self.inner.call(request), call }
    }
}

/// Whether a request says that it is a call of gRPC.
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|it| it.as_bytes().starts_with(b"application/grpc"))
}

/// A call that has not ended. It ends when this is dropped.
#[derive(Debug)]
struct Call {
    name: Name,
    begun: Instant,
    /// Its status, as soon as that is known.
    code: Option<&'static str>,
}

impl Call {
    fn has_status(&mut self, headers: &HeaderMap) {
        if let Some(status) = headers.get("grpc-status") {
            self.code = Some(word(status.as_bytes()));
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let Name { service, method } = self.name.clone();
        // Who is dropped before there is a status has been given up.
        metrics::rpc(service, method, self.code.unwrap_or("cancelled"), self.begun.elapsed());
    }
}

/// A status code of gRPC in words.
fn word(code: &[u8]) -> &'static str {
    const WORDS: [&str; 17] = [
        "ok",
        "cancelled",
        "unknown",
        "invalid_argument",
        "deadline_exceeded",
        "not_found",
        "already_exists",
        "permission_denied",
        "resource_exhausted",
        "failed_precondition",
        "aborted",
        "out_of_range",
        "unimplemented",
        "internal",
        "unavailable",
        "data_loss",
        "unauthenticated",
    ];
    let number = std::str::from_utf8(code).ok().and_then(|code| code.parse::<usize>().ok());
    number.and_then(|number| WORDS.get(number)).copied().unwrap_or("unknown")
}

pin_project! {
    /// A call whose answer has not begun.
    pub struct Answering<F> {
        #[pin]
        inner: F,
        call: Option<Call>,
    }
}

impl<F, B, E> Future for Answering<F>
where
    F: Future<Output = Result<Response<B>, E>>,
{
    type Output = Result<Response<Counted<B>>, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = ready!(this.inner.poll(context));
        let mut call = this.call.take();
        if let Some(call) = &mut call {
            match &answer {
                Ok(answer) if answer.status().is_success() => call.has_status(answer.headers()),
                // No answer of gRPC.
                Ok(_) | Err(_) => call.code = Some("unknown"),
            }
        }
        Poll::Ready(answer.map(|answer| answer.map(|inner| Counted { inner, call })))
    }
}

pin_project! {
    /// The body of an answer, with which a call ends.
    pub struct Counted<B> {
        #[pin]
        inner: B,
        call: Option<Call>,
    }
}

impl<B: Body> Body for Counted<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let this = self.project();
        let frame = ready!(this.inner.poll_frame(context));
        if let Some(call) = this.call {
            match &frame {
                Some(Ok(frame)) => {
                    if let Some(trailers) = frame.trailers_ref() {
                        call.has_status(trailers);
                    }
                }
                // An end without a status is none of gRPC's.
                Some(Err(_)) | None => _ = call.code.get_or_insert("unknown"),
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::super::metrics::Metrics;
    use super::*;
    use bytes::Bytes;
    use futures_util::{FutureExt as _, stream};
    use http_body_util::{BodyExt as _, StreamBody};
    use std::convert::Infallible;
    use std::future::{Ready, ready};

    type Piece = Result<Frame<Bytes>, &'static str>;
    type Frames = StreamBody<stream::Iter<std::vec::IntoIter<Piece>>>;

    /// Gives one answer: its HTTP status, its status of gRPC, its frames.
    struct Answers(Option<(u16, Option<&'static str>, Vec<Piece>)>);

    impl Service<Request<()>> for Answers {
        type Response = Response<Frames>;
        type Error = Infallible;
        type Future = Ready<Result<Self::Response, Infallible>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Request<()>) -> Self::Future {
            let (http, grpc, frames) = self.0.take().expect("one request");
            let mut answer = Response::builder().status(http);
            if let Some(grpc) = grpc {
                answer = answer.header("grpc-status", grpc);
            }
            ready(Ok(answer.body(StreamBody::new(stream::iter(frames))).expect("a good answer")))
        }
    }

    fn trailers(code: &str) -> Piece {
        Ok(Frame::trailers(HeaderMap::from_iter([(
            http::HeaderName::from_static("grpc-status"),
            code.parse().expect("a header"),
        )])))
    }

    /// Makes a call, reads so many frames of its answer, and gives what was counted.
    fn call(path: &str, content_type: &str, answers: Answers, frames: usize) -> Vec<String> {
        let metrics = Metrics::new();
        metrics.record(|| {
            let mut service = CountRpcs::of([("gm.v1.AdminService", "StepTurn")]).layer(answers);
            let request = Request::post(path).header(CONTENT_TYPE, content_type).body(());
            let answer = service.call(request.expect("a good request")).now_or_never().expect("at once");
            let mut body = answer.expect("an answer").into_body();
            for _ in 0..frames {
                let _ = body.frame().now_or_never().expect("at once");
            }
        });
        let text = metrics.render();
        text.lines().filter(|line| line.starts_with("gm_rpc_total")).map(str::to_owned).collect()
    }

    #[track_caller]
    fn check(answers: Answers, frames: usize, code: &str) {
        let counted = call("/gm.v1.AdminService/StepTurn", "application/grpc+proto", answers, frames);
        let labels = format!("service=\"gm.v1.AdminService\",method=\"StepTurn\",code=\"{code}\"");
        assert_eq!(counted, [format!("gm_rpc_total{{{labels}}} 1")]);
    }

    /// What is answered, how much of it is read, and the code that is counted.
    #[test]
    fn codes() {
        let data = || Ok(Frame::data(Bytes::from_static(b"event")));
        let answers = |http, grpc, frames| Answers(Some((http, grpc, frames)));
        check(answers(200, None, vec![data(), trailers("0")]), 2, "ok");
        check(answers(200, None, vec![data(), data(), trailers("8")]), 4, "resource_exhausted");
        // Nothing but headers.
        check(answers(200, Some("16"), vec![]), 1, "unauthenticated");
        // The client has gone.
        check(answers(200, None, vec![data(), data(), trailers("0")]), 1, "cancelled");
        // No gRPC.
        check(answers(200, None, vec![data()]), 2, "unknown");
        check(answers(200, None, vec![Err("broken")]), 1, "unknown");
        check(answers(200, Some("x"), vec![]), 0, "unknown");
        check(answers(200, Some("99"), vec![]), 0, "unknown");
        check(answers(500, None, vec![]), 0, "unknown");
    }

    /// No path from outside becomes a label, and pages are no RPCs.
    #[test]
    fn paths() {
        let answers = || Answers(Some((200, Some("12"), vec![])));
        for path in ["/gm.v1.AdminService/Drop", "/x", "/", "/gm.v1.AdminService/StepTurn/"] {
            let expected = "gm_rpc_total{service=\"other\",method=\"other\",code=\"unimplemented\"} 1";
            assert_eq!(call(path, "application/grpc", answers(), 0), [expected]);
        }
        let none: [&str; 0] = [];
        assert_eq!(call("/metrics", "text/plain", answers(), 0), none);
    }
}
