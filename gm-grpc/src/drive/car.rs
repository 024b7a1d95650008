//! One conversation with a car over HTTP (CONTRACT C).
//!
//! ```text
//! PATCH /state HTTP/1.1
//! host: car.example:8080
//! user-agent: gm/0.1.0
//! x-eacc-request-id: race-7f3a-t12-track-c3-2
//! content-type: application/json
//! x-eacc-secret: …
//! content-length: 13
//!
//! {"square":42}
//! ```

use super::line::Line;
use super::witness::Asked;
use super::world::{SECRET, Shared};
use crate::durable::Live;
use crate::observe::metrics;
use gm_core::contract::{Answer, BaseUrl, CarRequest, Fault};
use gm_core::ids::{Seconds, TeamId};
use gm_core::ports::{Car, Chain};
use http::header::{CONTENT_TYPE, HeaderValue};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex as Lock;
use tokio::time::{Instant, sleep_until};

/// How long after a question that failed it is asked again (R-7.8).
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// A conversation with a car.
pub struct HttpCar {
    shared: Arc<Shared>,
    line: Arc<Lock<Line>>,
    chain: Chain,
    secret: Option<HeaderValue>,
    url: BaseUrl,
    /// How many requests were sent.
    number: u32,
    /// When the last request was sent.
    sent: Option<Instant>,
    /// How long its answer took.
    latency: Duration,
    /// When a verification of this conversation first failed (R-7.8).
    failing_since: Option<Instant>,
}

impl HttpCar {
    pub(super) fn new(shared: Arc<Shared>, chain: Chain, team: TeamId, url: &BaseUrl) -> HttpCar {
        HttpCar {
            line: shared.line_to(url),
            chain,
            secret: shared.settings.secrets.sent_to(team).map(|secret| secret.header()),
            url: url.clone(),
            number: 0,
            sent: None,
            latency: Duration::ZERO,
            failing_since: None,
            shared,
        }
    }
}

impl Car for HttpCar {
    async fn exchange(&mut self, request: &CarRequest) -> Result<Answer, Fault> {
        self.number = self.number.saturating_add(1);
        let mut headers = self.shared.headers(self.chain, self.number);
        if let Some(secret) = &self.secret {
            headers.insert(SECRET, secret.clone());
        }
        let body = request.body().map(|json| json.to_string());
        if body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let url = format!("{}{}", self.url, request.path());
        let asked = Asked {
            chain: self.chain,
            number: self.number,
            method: request.method(),
            url: &url,
            body: body.as_deref().map(str::as_bytes),
        };
        let mut line = self.line.lock().await;
        let exchanged =
            self.shared.exchange(&mut line, asked, headers, self.shared.settings.limits.car).await;
        self.sent = Some(exchanged.sent);
        self.latency = exchanged.latency;
        let fault =
            exchanged.outcome.as_ref().map_or_else(|fault| Some(*fault), |answer| request.fault_in(answer));
        metrics::car_request(request.number(), fault, exchanged.latency);
        exchanged.outcome
    }

    async fn wait_to_ask_again(&mut self, tries: u32, grace: Seconds) -> bool {
        let now = Instant::now();
        if tries <= 1 {
            self.failing_since = Some(now);
        }
        let since = *self.failing_since.get_or_insert(now);
        if now.duration_since(since) >= Duration::from_secs(grace.0.into()) {
            return false;
        }
        sleep_until(self.sent.unwrap_or(now) + ASK_AGAIN_AFTER).await;
        true
    }
}

impl Live<CarRequest> for HttpCar {
    fn latency(&self) -> Duration {
        self.latency
    }

    fn resume_after(&mut self, _: &CarRequest, _: Duration) {
        self.number = self.number.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::{HttpWorld, Settings};
    use gm_core::ids::{CarId, TurnNo};
    use gm_core::ports::{Topic, World};

    /// R-7.8: with so much grace, how often a check that always fails is asked again. An answer takes no time here.
    #[tokio::test(start_paused = true)]
    async fn r_7_8_asked_again_once_a_second_until_the_grace_has_passed() {
        for (grace, again) in [(0, 0), (1, 1), (2, 2), (5, 5)] {
            let mut car = a_car();
            let begin = Instant::now();
            let mut tries = 0;
            loop {
                car.sent = Some(Instant::now());
                tries += 1;
                assert!(tries < 10, "never stops");
                if !car.wait_to_ask_again(tries, Seconds(grace)).await {
                    break;
                }
            }
            assert_eq!((tries - 1, begin.elapsed().as_secs()), (again, again.into()), "grace {grace} s");
        }
    }

    /// R-7.8: the second counts from when the question was sent, so a slow answer is waited for no longer.
    #[tokio::test(start_paused = true)]
    async fn r_7_8_the_second_counts_from_the_question() {
        let mut car = a_car();
        car.sent = Some(Instant::now());
        tokio::time::advance(Duration::from_millis(900)).await;
        let before = Instant::now();
        assert!(car.wait_to_ask_again(1, Seconds(5)).await);
        let waited = before.elapsed();
        assert!((100..=110).contains(&waited.as_millis()), "waited {waited:?}");
    }

    fn a_car() -> HttpCar {
        let world = HttpWorld::new(Settings::new("race")).expect("good settings");
        let chain = Chain { turn: TurnNo(1), topic: Topic::Track, car: CarId(1) };
        world.car(chain, TeamId(1), &BaseUrl::parse("http://car.example").expect("a URL"))
    }
}
