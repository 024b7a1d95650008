//! A conversation with the car that is checked: what it is asked, what it answered, and what it is owed back.
//!
//! ```no_run
//! # async fn a_test() -> Result<(), test_harness::client::BadPlace> {
//! use test_harness::suite::car::{Settings, Talk};
//! let mut talk = Talk::begin(Settings::new("http://127.0.0.1:8080")).await?;
//! let engines = talk.count(gm_core::contract::Kind::Engine).await;
//! # let _ = engines; Ok(())
//! # }
//! ```

mod keep;
mod leave;

pub use keep::AsFound;

use crate::client::{Ask, BadPlace, Client, DEADLINE, Exchange, Got, Mask, REQUEST_ID, SECRET, car_url};
use crate::game_master::MockGameMaster;
use crate::stop::Stop;
use crate::suite::case::{Done, Failure, Subject};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use gm_core::contract::car::{CarState, NameBody};
use gm_core::contract::{Answer, CarRequest, Kind, Modules, Reply, reader};
use keep::Keep;
use percent_encoding::percent_decode_str;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Which car is checked, and what is known of it.
#[derive(Clone)]
pub struct Settings {
    /// Its base URL.
    pub url: String,
    /// The secret of its team (C-20); none: none is sent.
    pub secret: Option<String>,
    /// The name that it must give itself (R-2.2); none: any.
    pub instance: Option<String>,
    /// How long it may take for one answer (C-21).
    pub deadline: Duration,
    /// What ends the run early.
    pub stop: Stop,
}

impl Settings {
    /// A car without a secret, with the deadline of the contract.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Settings {
        Settings { url: url.into(), secret: None, instance: None, deadline: DEADLINE, stop: Stop::default() }
    }
}

/// A conversation with a car.
pub struct Talk {
    client: Client,
    settings: Settings,
    /// What makes ids and names of this run unlike those of any other.
    run: String,
    serial: u32,
    exchanges: Vec<Exchange>,
    /// How the car was found, and what it is owed back.
    keep: Keep,
    /// The race that is played with it.
    pub(super) race: Option<MockGameMaster>,
    /// How many of that race's exchanges are part of this conversation.
    raced: usize,
    /// How many of that race's penalties were told.
    pub(super) judged: usize,
}

impl Talk {
    /// Begins to talk, and looks how the car is.
    ///
    /// # Errors
    /// [`BadPlace`] if its URL is none. A car that does not answer is no error: its cases say so.
    pub async fn begin(settings: Settings) -> Result<Talk, BadPlace> {
        let client = Client::new(car_url(&settings.url)?.as_str())?.deadline(settings.deadline);
        let client = client.hiding(settings.secret.as_deref()).heeding(&settings.stop);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let run = since.as_millis().to_string();
        let exchanges = Vec::new();
        let mut talk = Talk {
            client,
            settings,
            run,
            serial: 0,
            exchanges,
            keep: Keep::default(),
            race: None,
            raced: 0,
            judged: 0,
        };
        talk.look_first().await;
        Ok(talk)
    }

    /// What is known of the car.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How the car was found; none if it could not be seen.
    #[must_use]
    pub fn found(&self) -> Option<AsFound> {
        self.keep.found
    }

    /// An id that no other request has (C-20), of the form that the game master's have.
    pub fn fresh_id(&mut self) -> String {
        self.serial += 1;
        format!("conform{}-t0-c0-{}", self.run, self.serial)
    }

    /// A name that no other module has, of the form that the game master's have (R-1.3).
    pub fn fresh_name(&mut self, kind: Kind) -> String {
        self.serial += 1;
        format!("{kind}-t{}-c0-{}", self.run, self.serial)
    }

    /// Sends a request of the contract with a fresh id. Its answer is the last exchange.
    pub async fn send(&mut self, request: &CarRequest) -> &Exchange {
        let id = self.fresh_id();
        self.send_as(request, &id).await
    }

    /// Sends a request of the contract with this id.
    pub async fn send_as(&mut self, request: &CarRequest, id: &str) -> &Exchange {
        if let CarRequest::Gain { kind, name } = request {
            self.keep.owe(*kind, name);
        }
        let mut ask = Ask::new(request.method(), &request.path());
        if let Some(body) = request.body() {
            ask = ask.json(&body);
        }
        let ask = self.signed(ask, id);
        let accepted = self.send_raw(ask).await.status().is_some_and(|status| request.succeeds_with(status));
        if accepted && let CarRequest::Lose { kind, name } = request {
            self.keep.is_back(*kind, name);
        }
        self.exchanges.last().expect("one was pushed just now")
    }

    /// The request with the right secret and this id (C-20).
    #[must_use]
    pub fn signed(&self, ask: Ask, id: &str) -> Ask {
        let ask = ask.header(REQUEST_ID, id);
        match &self.settings.secret {
            Some(secret) => ask.header(SECRET, secret),
            None => ask,
        }
    }

    /// Sends whatever it is given.
    pub async fn send_raw(&mut self, ask: Ask) -> &Exchange {
        let exchange = self.client.exchange(ask).await;
        self.keep.heed(&exchange);
        self.exchanges.push(exchange);
        self.exchanges.last().expect("one was pushed just now")
    }

    /// Keeps an exchange that was made elsewhere, with the car's AI, as one of this conversation.
    pub fn keep(&mut self, exchange: Exchange) {
        let mask = self.mask();
        self.exchanges.push(Exchange { mask, ..exchange });
    }

    /// Keeps what was asked in the race since it was kept last. Gives the place of the race's first exchange among all of
    /// this conversation's, if they stood together.
    pub(super) fn keep_race(&mut self, all: &[Exchange]) -> usize {
        let first = self.exchanges.len().saturating_sub(self.raced);
        for exchange in &all[self.raced.min(all.len())..] {
            self.owe_for(exchange);
            self.keep(exchange.clone());
        }
        self.raced = all.len();
        first
    }

    /// Notes what an exchange of the race has added or taken away.
    fn owe_for(&mut self, exchange: &Exchange) {
        if exchange.place != self.client.place() || !exchange.was_sent() {
            return;
        }
        self.keep.heed(exchange);
        let ask = &exchange.ask;
        let mut segments = ask.path.split('/').skip(1);
        let kind = segments.next().and_then(|word| Kind::ALL.into_iter().find(|kind| kind.word() == word));
        let Some(kind) = kind else { return };
        match ask.method.as_str() {
            "POST" => {
                let body: NameBody = match serde_json::from_slice(ask.body.as_deref().unwrap_or_default()) {
                    Ok(body) => body,
                    Err(_) => return,
                };
                self.keep.owe(kind, &body.name);
            }
            "DELETE" => {
                let name = segments.next().unwrap_or_default();
                let name = percent_decode_str(name).decode_utf8_lossy().into_owned();
                if matches!(exchange.status(), Some(200..=299 | 404)) {
                    self.keep.is_back(kind, &name);
                }
            }
            _ => {}
        }
    }

    /// The exchange that was made last.
    #[must_use]
    pub fn last(&self) -> Option<&Exchange> {
        self.exchanges.last()
    }

    /// A failure that the last exchange shows.
    #[must_use]
    pub fn failure(&self, expected: impl Into<String>, found: impl Into<String>) -> Failure {
        let exchange = self.exchanges.len().checked_sub(1);
        Failure { expected: expected.into(), found: found.into(), exchange }
    }

    /// A failure whose found is what the last exchange answered.
    #[must_use]
    pub fn unlike(&self, expected: impl Into<String>) -> Failure {
        let mut found = self.last().map_or_else(|| "nothing".to_owned(), Exchange::in_words);
        if self.refuses_a_fresh_id() {
            found += " (409 is for an id that came before with another request, and this one is new: C-20)";
        }
        self.failure(expected, found)
    }

    /// Whether the last answer takes an id that was never sent before for another request's (C-20).
    fn refuses_a_fresh_id(&self) -> bool {
        let Some((last, before)) = self.exchanges.split_last() else { return false };
        let id = last.ask.header_value(REQUEST_ID);
        last.status() == Some(409)
            && before.iter().all(|exchange| exchange.ask.header_value(REQUEST_ID) != id)
    }

    /// Asks a question and reads its answer.
    ///
    /// # Errors
    /// What was wrong with the answer.
    pub async fn ask<T>(
        &mut self,
        request: &CarRequest,
        read: impl FnOnce(&Answer) -> Reply<T>,
    ) -> Result<T, Failure> {
        let exchange = self.send(request).await;
        let answer = exchange.answer().map(Got::answer);
        let succeeded = answer.as_ref().is_ok_and(|answer| request.succeeds_with(answer.status));
        let value = answer.ok().filter(|_| succeeded).and_then(|answer| read(&answer).ok());
        value.map(|taken| taken.value).ok_or_else(|| self.unlike(format!("200 and {}", request.wanted())))
    }

    /// Tells the car something, which it must accept.
    ///
    /// # Errors
    /// What was wrong with the answer.
    pub async fn tell(&mut self, request: &CarRequest) -> Result<(), Failure> {
        let exchange = self.send(request).await;
        if exchange.status().is_some_and(|status| request.succeeds_with(status)) {
            return Ok(());
        }
        let may_be_missing = matches!(request, CarRequest::Lose { .. });
        Err(self.unlike(if may_be_missing { "2xx or 404" } else { "a status of 2xx" }))
    }

    /// C-4: how many modules of a kind the car says it has.
    ///
    /// # Errors
    /// What was wrong with the answer.
    pub async fn count(&mut self, kind: Kind) -> Result<u64, Failure> {
        self.ask(&CarRequest::Count(kind), reader::count).await
    }

    /// C-4 for all kinds.
    ///
    /// # Errors
    /// What was wrong with the first answer that is not right.
    pub async fn counts(&mut self) -> Result<Modules, Failure> {
        let mut counts = Modules::default();
        for kind in Kind::ALL {
            *counts.of_mut(kind) = self.count(kind).await?;
        }
        Ok(counts)
    }

    /// C-5: what the car says of itself.
    ///
    /// # Errors
    /// What was wrong with the answer.
    pub async fn state(&mut self) -> Result<CarState, Failure> {
        self.ask(&CarRequest::State, reader::state).await
    }

    /// Checks that the car has so many modules of a kind by now.
    ///
    /// # Errors
    /// If it says otherwise.
    pub async fn expect_count(&mut self, kind: Kind, expected: u64, after: &str) -> Result<(), Failure> {
        let found = self.count(kind).await?;
        if found == expected {
            return Ok(());
        }
        Err(self.failure(format!("GET /{kind}/count: {expected} after {after}"), found.to_string()))
    }

    /// Checks that the car has so many modules of all kinds by now.
    ///
    /// # Errors
    /// If it says otherwise.
    pub async fn expect_counts(&mut self, expected: Modules, after: &str) -> Result<(), Failure> {
        for kind in Kind::ALL {
            self.expect_count(kind, expected.of(kind), after).await?;
        }
        Ok(())
    }

    /// Checks that the car stands on this square by now.
    ///
    /// # Errors
    /// If it says otherwise.
    pub async fn expect_square(&mut self, expected: u64, after: &str) -> Result<(), Failure> {
        let found = self.state().await?.square;
        if found == expected {
            return Ok(());
        }
        Err(self.failure(format!("GET /state: square {expected} after {after}"), format!("square {found}")))
    }
}

impl Subject for Talk {
    fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    fn ended(&self) -> Option<String> {
        self.has_ended()
    }

    fn look_after(&mut self, case: &'static str, done: Done) -> BoxFuture<'_, Done> {
        self.look_over(case, done).boxed()
    }

    fn tries_again(&self, case: &'static str) -> bool {
        // What is played in a race can't be played twice.
        !case.starts_with("R-")
    }

    fn held(&mut self, case: &'static str) {
        self.keep.note(format!("{case} did not hold, and held when it was tried once more."));
    }

    fn mask(&self) -> Mask {
        Mask::of(self.settings.secret.as_deref().unwrap_or_default())
    }

    fn tidy(&mut self) -> BoxFuture<'_, ()> {
        self.give_back().boxed()
    }
}
