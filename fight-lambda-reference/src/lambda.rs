//! The handler behind AWS Lambda: events of API Gateway (REST and HTTP APIs), of Function URLs and of load balancers
//! (ALB) in, answers in the format of each out (A-1).
//!
//! ```text
//! {"version": "2.0", "rawQueryString": "yourmoves=[]&othermoves=[]&cards=[3,3,1]&othernbcards=3", …}
//! {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": "{\"res\":[1]}", …}
//! ```
//!
//! `lambda_http` makes an HTTP request of each kind of event; the binary `bootstrap` is what Lambda starts. Between two
//! events the process is frozen, so it does nothing then.

use crate::{Ai, Player, handler};
use lambda_http::lambda_runtime::Diagnostic;
use lambda_http::{Error, Request, Response, Service, service_fn};
use lambda_runtime_api_client::body::Body;
use lambda_runtime_api_client::{PooledClient, build_request};
use std::convert::Infallible;
use std::env;
use std::future::{Ready, ready};
use std::time::Duration;

/// The address of Lambda's runtime API, which asks and is answered.
const RUNTIME_API: &str = "AWS_LAMBDA_RUNTIME_API";

/// What Lambda says of the function.
const FUNCTION: [&str; 2] = ["AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_VERSION"];

/// How many megabytes the function may use.
const MEMORY: &str = "AWS_LAMBDA_FUNCTION_MEMORY_SIZE";

/// Where the runtime API is told that the function can't start.
const INIT_ERROR: &str = "/2018-06-01/runtime/init/error";

/// The longest that it is waited for while it is told.
const TELLING: Duration = Duration::from_secs(2);

/// The environment that Lambda starts its functions in: that it is there was seen.
#[derive(Debug)]
#[non_exhaustive]
pub struct Environment;

/// There is no Lambda here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{variable} {wrong}. AWS Lambda starts this program and sets it. Elsewhere, `fight-lambda` serves the same AI over \
     HTTP, and `cargo lambda watch` is a Lambda to try it in."
)]
pub struct NotInLambda {
    /// A variable of the environment.
    variable: &'static str,
    /// What is wrong with it.
    wrong: &'static str,
}

impl Environment {
    /// Sees that all is there that a function is told, so that nothing later panics for want of it.
    ///
    /// # Errors
    /// The first variable that is not as Lambda sets it.
    pub fn read() -> Result<Environment, NotInLambda> {
        let value = |variable| env::var(variable).map_err(|_| NotInLambda { variable, wrong: "is not set" });
        let api: Option<http::Uri> = value(RUNTIME_API)?.parse().ok();
        if api.is_none_or(|api| api.authority().is_none()) {
            return Err(NotInLambda { variable: RUNTIME_API, wrong: "is no host and port" });
        }
        FUNCTION.into_iter().try_for_each(|variable| value(variable).map(drop))?;
        if value(MEMORY)?.parse::<i32>().is_err() {
            return Err(NotInLambda { variable: MEMORY, wrong: "is no number of megabytes" });
        }
        Ok(Environment)
    }

    /// Answers one event after the other, for as long as Lambda lets it. An event that can't be read is reported to
    /// Lambda as an error, and the next one is waited for.
    ///
    /// # Errors
    /// The runtime API can't be reached, or says what it should not.
    pub async fn serve(self, player: Player) -> Result<(), Error> {
        // Here a function has a whole processor, which it has not when it is asked.
        player.prepare();
        lambda_http::run(service(move || player.wake())).await
    }

    /// Tells Lambda why the function can't start, which is then shown to whoever invokes it. If that can't be told, it is
    /// not: the log has it, too.
    pub async fn cannot_start(self, why: &str) {
        let diagnostic =
            Diagnostic { error_type: "Runtime.WrongSettings".to_owned(), error_message: why.to_owned() };
        let Ok(body) = serde_json::to_string(&diagnostic) else { return };
        let request = build_request()
            .method("POST")
            .uri(INIT_ERROR)
            .header("lambda-runtime-function-error-type", diagnostic.error_type)
            .body(Body::from(body));
        if let Ok(request) = request {
            _ = tokio::time::timeout(TELLING, PooledClient::builder().build().call(request)).await;
        }
    }
}

/// What answers the requests that `lambda_http` makes of events. `wake` makes the AI, which is new for each of them.
///
/// It thinks where it is called: a function is given one event at a time.
pub fn service<W>(
    wake: W,
) -> impl Service<Request, Response = Response<String>, Error = Infallible, Future = Ready<Answered>>
where
    W: Fn() -> Box<dyn Ai>,
{
    service_fn(move |request: Request| {
        let (asked, _) = request.into_parts();
        ready(Ok(handler::respond(&wake, &asked)))
    })
}

/// An answer, which there always is.
type Answered = Result<Response<String>, Infallible>;
