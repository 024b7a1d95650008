//! The world of a race over HTTP: opens the conversations, and sees to what they share.
//!
//! What conversations share is few: the limit on requests under way, and for each car one line, behind a lock. A
//! request waits for its car first and for a free place second, and only then is it sent and its deadline begins
//! (C-23, R-7.9).

use super::car::HttpCar;
use super::clock::{HttpDuelClock, SeatTimes};
use super::duel::HttpDuelAi;
use super::guard::Guard;
use super::inspector::HttpInspector;
use super::lack::NEXT_ATTEMPT;
use super::line::{Connector, Line, Ready, connector};
use super::mishap::Mishap;
use super::settings::{BadSettings, Limits, Settings};
use super::witness::Asked;
use crate::observe::metrics;
use crate::observe::phases::Phases;
use bytes::Bytes;
use gm_core::contract::{Answer, BaseUrl, Fault};
use gm_core::ids::{Seconds, TeamId, TurnNo};
use gm_core::ports::{Chain, Duellist, World};
use http::HeaderName;
use http::header::{HeaderMap, HeaderValue, USER_AGENT};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex as Lock, Semaphore};
use tokio::time::{Instant, sleep};

/// The header with the secret between the game master and a team's cars (C-20). Teams may show theirs for the API in it
/// (CONTRACT G).
pub(crate) const SECRET: HeaderName = HeaderName::from_static("x-eacc-secret");
/// The header that names a request, the same when it is sent again (C-20).
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-eacc-request-id");
/// The header with what both duellists have seen (A-4).
pub(super) const DUEL: HeaderName = HeaderName::from_static("x-eacc-duel");

const MAX_RACE_NAME: usize = 128;

/// From this many lines on, those that nobody holds are closed and forgotten before another is opened. Cars that
/// were refused, or left, would otherwise be remembered for ever.
const MAX_LINES: usize = 4096;

/// The outside of a race over HTTP: implements the ports of the rules.
#[derive(Clone)]
pub struct HttpWorld(Arc<Shared>);

pub(super) struct Shared {
    pub(super) settings: Settings,
    connector: Connector,
    lines: Arc<Mutex<BTreeMap<BaseUrl, Arc<Lock<Line>>>>>,
    in_flight: Arc<Semaphore>,
    phases: Mutex<Phases>,
}

impl HttpWorld {
    /// Makes a world. Opens no connection.
    ///
    /// # Errors
    /// [`BadSettings`] if the race's name can't be sent, or TLS can't be set up.
    pub fn new(settings: Settings) -> Result<HttpWorld, BadSettings> {
        let connector = connector(Guard::new(settings.allow_private, settings.hosts.clone()))
            .map_err(BadSettings::Tls)?;
        HttpWorld::over(connector, settings)
    }

    pub(super) fn over(connector: Connector, settings: Settings) -> Result<HttpWorld, BadSettings> {
        let race = settings.race.as_bytes();
        if race.is_empty() || race.len() > MAX_RACE_NAME || !race.iter().all(u8::is_ascii_graphic) {
            return Err(BadSettings::Race);
        }
        let in_flight = Semaphore::new(settings.limits.in_flight.clamp(1, Semaphore::MAX_PERMITS));
        let in_flight = Arc::new(in_flight);
        let (lines, phases) = (Arc::default(), Mutex::default());
        Ok(HttpWorld(Arc::new(Shared { settings, connector, lines, in_flight, phases })))
    }

    /// The same outside for what is no part of the race: the same lines to cars (C-23), places, deadlines, guards and
    /// secrets, but nobody looks on, and the request ids are others. A race's go on with `-t` and the turn's number
    /// after its name, these with `-` and `name`, so that no car takes one for the other (C-20).
    ///
    /// `name` is plain ASCII that begins with no `t` before a digit, and was never used before in this race.
    pub(crate) fn aside(&self, name: &str) -> HttpWorld {
        let shared = &self.0;
        let mut settings = shared.settings.clone();
        settings.race = format!("{}-{name}", settings.race);
        settings.witness = Arc::new(());
        HttpWorld(Arc::new(Shared {
            settings,
            connector: shared.connector.clone(),
            lines: Arc::clone(&shared.lines),
            in_flight: Arc::clone(&shared.in_flight),
            phases: Mutex::default(),
        }))
    }

    /// Its deadlines, and how much it does at once.
    pub(crate) fn limits(&self) -> Limits {
        self.0.settings.limits
    }
}

impl Shared {
    /// The one line to a car (C-23).
    pub(super) fn line_to(&self, url: &BaseUrl) -> Arc<Lock<Line>> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= MAX_LINES {
            lines.retain(|_, line| Arc::strong_count(line) > 1);
        }
        Arc::clone(lines.entry(url.clone()).or_insert_with(|| Arc::new(Lock::new(self.new_line()))))
    }

    /// A line of its own for a seat in a duel.
    pub(super) fn new_line(&self) -> Line {
        Line::new(self.connector.clone())
    }

    /// The headers that every request has (C-20).
    pub(super) fn headers(&self, chain: Chain, number: u32) -> HeaderMap {
        let id = format!("{}-{chain}-{number}", self.settings.race);
        let mut headers = user_agent();
        headers.insert(
            REQUEST_ID,
            HeaderValue::try_from(id).expect("the race's name was checked, and a chain is written in ASCII"),
        );
        headers
    }

    /// Sends one request when there is a free place, and gives the moment at which it was sent, what came of it, and
    /// how long it took.
    pub(super) async fn exchange(
        &self,
        line: &mut Line,
        asked: Asked<'_>,
        headers: HeaderMap,
        limit: Duration,
    ) -> Exchanged {
        let ready = Ready::new(asked.method, asked.url, headers, asked.body.map(Bytes::copy_from_slice));
        let _place = self.in_flight.acquire().await.expect("the semaphore is never closed");
        let mut sent = Instant::now();
        self.settings.witness.asked(&asked);
        let outcome = match ready {
            Ok(ready) => self.send(line, &ready, limit, &mut sent).await,
            Err(mishap) => Err(mishap),
        };
        // What the game master overslept is not the other side's time.
        let latency = sent.elapsed().min(limit);
        if let Err(mishap) = &outcome {
            let mishap: &dyn Error = mishap;
            tracing::debug!(chain = %asked.chain, number = asked.number, mishap, "no answer");
        }
        let outcome = outcome.map_err(|mishap| mishap.fault());
        self.report(&asked, &outcome, latency);
        self.phases.lock().unwrap_or_else(PoisonError::into_inner).asked(asked.chain, sent, Instant::now());
        Exchanged { sent, latency, outcome }
    }

    /// Sends one request; as long as the game master has no file or no port for its connection, again (R-7.9). Notes
    /// the moment at which it was sent last, from which its deadline runs.
    async fn send(
        &self,
        line: &mut Line,
        ready: &Ready,
        limit: Duration,
        sent: &mut Instant,
    ) -> Result<Answer, Mishap> {
        let mut attempt = 1;
        loop {
            *sent = Instant::now();
            let outcome = line.exchange(ready, limit).await;
            let lack = outcome.as_ref().err().and_then(Mishap::lack);
            let Some(lack) = lack.filter(|lack| attempt < lack.attempts()) else { return outcome };
            if attempt == 1 {
                tracing::warn!(?lack, "the game master lacks what a connection needs, and waits for it");
            }
            attempt += 1;
            self.close_idle_lines();
            sleep(NEXT_ATTEMPT).await;
        }
    }

    /// Closes the connections to cars that nobody is asking: they are kept for speed only.
    fn close_idle_lines(&self) {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        for line in lines.values() {
            if let Ok(mut line) = line.try_lock() {
                line.close();
            }
        }
    }

    /// Tells the witness, and the log.
    pub(super) fn report(&self, asked: &Asked<'_>, outcome: &Result<Answer, Fault>, latency: Duration) {
        tracing::debug!(
            chain = %asked.chain,
            number = asked.number,
            method = asked.method,
            url = asked.url,
            status = outcome.as_ref().ok().map(|answer| answer.status),
            fault = outcome.as_ref().err().map(tracing::field::display),
            ?latency,
            "exchange"
        );
        self.settings.witness.answered(asked, outcome, latency);
    }
}

/// Who asks: all that the headers of a request say that needs no name.
pub(super) fn user_agent() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("gm/", env!("CARGO_PKG_VERSION"))));
    headers
}

/// What came of a request.
pub(super) struct Exchanged {
    pub(super) sent: Instant,
    pub(super) latency: Duration,
    pub(super) outcome: Result<Answer, Fault>,
}

impl World for HttpWorld {
    type Car = HttpCar;
    type DuelAi = HttpDuelAi;
    type Inspector = HttpInspector;
    type DuelClock = HttpDuelClock;

    fn car(&self, chain: Chain, team: TeamId, url: &BaseUrl) -> HttpCar {
        HttpCar::new(Arc::clone(&self.0), chain, team, url)
    }

    fn duel(&self, duellists: [Duellist; 2], limit: Seconds) -> ([HttpDuelAi; 2], HttpDuelClock) {
        let times = SeatTimes::default();
        let [first, second] = duellists;
        let seat = |seat, duellist| HttpDuelAi::new(Arc::clone(&self.0), seat, duellist, times.clone());
        ([seat(0, first), seat(1, second)], HttpDuelClock::new(times.clone(), limit))
    }

    fn inspector(&self, chain: Chain, team: TeamId) -> Option<HttpInspector> {
        HttpInspector::of(&self.0, chain, team)
    }

    /// The static table goes before the team's relay.
    async fn resolve(&self, chain: Chain, team: TeamId, instance: &str) -> Option<BaseUrl> {
        if let Some(url) = self.0.settings.instances.get(instance) {
            return Some(url.clone());
        }
        self.inspector(chain, team)?.resolve(instance).await
    }

    async fn running_time_is_up(&self, turn: TurnNo, limit: Seconds) -> bool {
        // This is asked at the end of a turn, when all others have been.
        let phases = self.0.phases.lock().unwrap_or_else(PoisonError::into_inner).take(turn);
        phases.into_iter().for_each(|(phase, took)| metrics::phase(phase, took));
        self.0.settings.running.ran() >= Duration::from_secs(limit.0.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::ids::CarId;
    use gm_core::ports::Topic;

    /// C-23: one line for one car, and lines that nobody holds are not kept for ever.
    #[test]
    fn c_23_one_line_for_one_car() {
        let world = HttpWorld::new(Settings::new("race")).expect("good settings");
        let url = |number: usize| BaseUrl::parse(&format!("http://car{number}.example")).expect("a URL");
        let held = world.0.line_to(&url(0));
        for number in 0..2 * MAX_LINES {
            drop(world.0.line_to(&url(number)));
        }
        assert!(Arc::ptr_eq(&held, &world.0.line_to(&url(0))), "a line in use is kept");
        assert!(world.0.lines.lock().expect("not poisoned").len() <= MAX_LINES);
    }

    /// A race's name, and whether requests can be named after it.
    #[test]
    fn the_name_of_a_race() {
        let long = "r".repeat(MAX_RACE_NAME);
        let too_long = "r".repeat(MAX_RACE_NAME + 1);
        for (name, good) in [
            ("race-7f3a", true),
            (&long, true),
            (&too_long, false),
            ("", false),
            ("a race", false),
            ("a\nrace", false),
            ("course-été", false),
        ] {
            assert_eq!(HttpWorld::new(Settings::new(name)).is_ok(), good, "{name:?}");
        }
    }

    /// R-2.1: the static table. R-10.2: the running time.
    #[tokio::test(start_paused = true)]
    async fn r_2_1_r_10_2_what_the_world_knows() {
        let mut settings = Settings::new("race");
        let url = BaseUrl::parse("http://car.example").expect("a URL");
        settings.instances.insert("i-0abc".into(), url.clone());
        let running = Arc::clone(&settings.running);
        let world = HttpWorld::new(settings).expect("good settings");
        let chain = Chain { turn: TurnNo(0), topic: Topic::Track, car: CarId(0) };
        assert_eq!(world.resolve(chain, TeamId(1), "i-0abc").await, Some(url));
        assert_eq!(world.resolve(chain, TeamId(1), "i-0abd").await, None);
        assert!(world.inspector(chain, TeamId(1)).is_none());
        running.start();
        for (advance, up) in [(0, false), (7199, false), (1, true), (1, true)] {
            tokio::time::advance(Duration::from_secs(advance)).await;
            assert_eq!(
                world.running_time_is_up(TurnNo(1), Seconds(7200)).await,
                up,
                "after {advance} s more"
            );
        }
    }
}
