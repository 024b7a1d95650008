//! Where the server is, and who asks: the flags that every command has which talks to it, and the line to it.
//!
//! ```text
//! gm race list                                          http://127.0.0.1:7300, as nobody
//! GM_TOKEN_FILE=team.token gm log --server https://gm.example
//! ```
//!
//! A call that finds the server unavailable is made again, for as long as `--retry` says, with the same request id: what
//! was done is not done twice.

use super::refusal;
use crate::api::wire::admin_service_client::AdminServiceClient;
use crate::api::wire::observer_service_client::ObserverServiceClient;
use crate::api::wire::team_service_client::TeamServiceClient;
use crate::cli::Failure;
use clap::Args;
use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use tokio::time::Instant;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Request, Response, Status};
use tonic_health::pb::health_client::HealthClient;

/// The heading of these flags in the help.
const HEADING: &str = "The server";
/// Where the server is, if nobody says it.
pub(super) const USUAL: &str = "http://127.0.0.1:7300";
/// The largest answer that is taken: a snapshot of a race with a thousand cars is far smaller.
const LARGEST: usize = 64 * 1024 * 1024;
/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// How often it is asked whether the server is still there, while a stream is silent.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// The longest that is retried, in seconds: a day.
const LONGEST_RETRY: i64 = 86_400;
/// The pause before the first retry; each is twice as long as the one before.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause between two retries.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Which server is asked, and by whom.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct Server {
    /// Where `gm serve` is, http or https [env: GM_SERVER] [default: http://127.0.0.1:7300]
    #[arg(long, value_name = "URL", help_heading = HEADING)]
    pub(in crate::cli) server: Option<String>,

    /// Who you are: an admin's or observer's token, or a team's secret for the API. Others on this computer can see
    /// what is on a command line, so rather use the environment or a file [env: GM_TOKEN]
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file", help_heading = HEADING)]
    token: Option<Token>,

    /// A file with the token in it [env: GM_TOKEN_FILE]
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    token_file: Option<PathBuf>,

    /// For how many seconds to ask again while the server can't be reached [default: 0; 60 for a stream that breaks
    /// off]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(..=LONGEST_RETRY),
        help_heading = HEADING)]
    retry: Option<u32>,

    /// Answer in JSON for programs: the message of proto/gm/v1, one line for each
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Names a request that changes something.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct Once {
    /// A name for this request, 1 to 100 visible ASCII characters: the same request with the same one is done once
    /// [default: a new one each time]
    #[arg(long, value_name = "ID", help_heading = HEADING)]
    request_id: Option<String>,
}

impl Once {
    /// The request's id: what was given, or 128 random bits, for this run of the command.
    pub(super) fn id(&self) -> String {
        self.request_id.clone().unwrap_or_else(|| format!("cli-{}", hex::encode(rand::random::<[u8; 16]>())))
    }
}

/// A token or secret, which is in no error and no log.
#[derive(Clone)]
struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl FromStr for Token {
    // A wrong one is refused later: the parser of the command line would quote it.
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Token, Infallible> {
        Ok(Token(text.to_owned()))
    }
}

/// What an environment variable says, if it says anything.
pub(in crate::cli) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Server {
    /// The line to the server. Nothing is sent yet.
    pub(super) fn line(&self) -> Result<Line, Failure> {
        let url =
            self.server.clone().or_else(|| environment("GM_SERVER")).unwrap_or_else(|| USUAL.to_owned());
        let bad = |why: String| Failure::wrong(format!("--server {url:?}: {why}, as in {USUAL}"));
        let endpoint = Endpoint::from_shared(url.clone()).map_err(|_| bad("is no URL".to_owned()))?;
        let endpoint = match endpoint.uri().scheme_str() {
            Some("http") => endpoint,
            Some("https") => endpoint
                .tls_config(ClientTlsConfig::new().with_webpki_roots())
                .map_err(|error| bad(refusal::all_causes(&error)))?,
            _ => return Err(bad("must begin with http:// or https://".to_owned())),
        };
        let channel = endpoint
            .connect_timeout(CONNECT)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_while_idle(true)
            .connect_lazy();
        let bearer = Bearer(self.bearer()?);
        let retry = self.retry.map(|seconds| Duration::from_secs(seconds.into()));
        Ok(Line { channel, bearer, url, retry, json: self.json })
    }

    /// Who asks, as a header.
    fn bearer(&self) -> Result<Option<MetadataValue<Ascii>>, Failure> {
        let from_file = |path: PathBuf| -> Result<Token, Failure> {
            let read = std::fs::read_to_string(&path);
            let text = read.map_err(|error| {
                Failure::because(format!("can't read the token in {}: {error}", path.display()))
            })?;
            Ok(Token(text.trim().to_owned()))
        };
        let token = match (&self.token, &self.token_file) {
            (Some(token), _) => Some(token.clone()),
            (None, Some(path)) => Some(from_file(path.clone())?),
            (None, None) => match (environment("GM_TOKEN"), environment("GM_TOKEN_FILE")) {
                (Some(token), _) => Some(Token(token)),
                (None, Some(path)) => Some(from_file(path.into())?),
                (None, None) => None,
            },
        };
        let Some(Token(token)) = token else { return Ok(None) };
        let is_one = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        let header = is_one.then(|| MetadataValue::try_from(format!("Bearer {token}")).ok()).flatten();
        let header = header.ok_or_else(|| {
            Failure::wrong("the token can't be one: it must be visible ASCII characters in one line")
        })?;
        Ok(Some(header))
    }
}

/// Says who asks, with each call.
#[derive(Clone)]
pub(super) struct Bearer(Option<MetadataValue<Ascii>>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(bearer) = &self.0 {
            request.metadata_mut().insert("authorization", bearer.clone());
        }
        Ok(request)
    }
}

/// What calls go through.
type Through = InterceptedService<Channel, Bearer>;

/// A line to the server.
pub(super) struct Line {
    channel: Channel,
    bearer: Bearer,
    url: String,
    retry: Option<Duration>,
    /// Whether the answer is for programs.
    pub(super) json: bool,
}

impl Line {
    fn through(&self) -> Through {
        InterceptedService::new(self.channel.clone(), self.bearer.clone())
    }

    pub(super) fn admin(&self) -> AdminServiceClient<Through> {
        AdminServiceClient::new(self.through()).max_decoding_message_size(LARGEST)
    }

    pub(super) fn team(&self) -> TeamServiceClient<Through> {
        TeamServiceClient::new(self.through()).max_decoding_message_size(LARGEST)
    }

    pub(super) fn observer(&self) -> ObserverServiceClient<Through> {
        ObserverServiceClient::new(self.through()).max_decoding_message_size(LARGEST)
    }

    pub(super) fn health(&self) -> HealthClient<Through> {
        HealthClient::new(self.through())
    }

    /// Where the server is.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Whether somebody asks, and not nobody.
    pub(super) fn says_who(&self) -> bool {
        self.bearer.0.is_some()
    }

    /// The patience with a stream that has broken off.
    pub(super) fn patience(&self) -> Duration {
        /// For a server that is started again.
        const USUAL: Duration = Duration::from_secs(60);
        self.retry.unwrap_or(USUAL)
    }

    /// Makes a call, and makes it again while the server is not available and `--retry` allows it.
    pub(super) async fn call<T>(
        &self,
        ask: impl AsyncFn() -> Result<Response<T>, Status>,
    ) -> Result<T, Failure> {
        let mut pauses = Pauses::new(self.retry.unwrap_or_default());
        loop {
            match ask().await {
                Ok(answer) => return Ok(answer.into_inner()),
                Err(status) if status.code() == Code::Unavailable && pauses.pause().await => {}
                Err(status) => return Err(self.refused(&status)),
            }
        }
    }

    /// What a person is told of an error.
    pub(super) fn refused(&self, status: &Status) -> Failure {
        refusal::in_words(status, &self.url, self.says_who())
    }
}

/// Pauses between attempts, longer and longer, until the patience is at its end.
pub(super) struct Pauses {
    patience: Duration,
    since: Instant,
    next: Duration,
}

impl Pauses {
    pub(super) fn new(patience: Duration) -> Pauses {
        Pauses { patience, since: Instant::now(), next: SHORTEST_PAUSE }
    }

    /// Waits a little; false, at once, if there is no patience left.
    pub(super) async fn pause(&mut self) -> bool {
        if self.since.elapsed() + self.next > self.patience {
            return false;
        }
        tokio::time::sleep(self.next).await;
        self.next = (self.next * 2).min(LONGEST_PAUSE);
        true
    }
}

/// Calls a method of a service, by [`Line::call`]: `call!(line, admin.start_race(request))`.
macro_rules! call {
    ($line:expr, $service:ident.$method:ident($request:expr)) => {{
        let (line, request) = (&$line, $request);
        line.call(async || line.$service().$method(request.clone()).await).await
    }};
}
pub(super) use call;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn patience_has_an_end() {
        for (patience, attempts) in [(0, 0), (1, 3), (10, 8)] {
            let mut pauses = Pauses::new(Duration::from_secs(patience));
            let begun = Instant::now();
            let mut made = 0;
            while pauses.pause().await {
                made += 1;
            }
            assert_eq!(made, attempts, "{patience} s");
            assert!(begun.elapsed() <= Duration::from_secs(patience));
        }
    }

    #[test]
    fn a_token_is_shown_by_nobody() {
        let token: Token = "canary".parse().expect("anything");
        assert_eq!(format!("{token:?}"), "Token(…)");
    }
}
