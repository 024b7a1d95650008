//! A conversation with the duel AI that is checked.
//!
//! ```no_run
//! # async fn a_test() -> Result<(), test_harness::client::BadPlace> {
//! use test_harness::suite::ai::{AiTalk, Settings};
//! let mut talk = AiTalk::begin(Settings::new("http://127.0.0.1:8081/action"))?;
//! # let _ = talk; Ok(())
//! # }
//! ```

use crate::client::{Ask, BadPlace, Client, DEADLINE, Exchange, REQUEST_ID, place_and_path};
use crate::suite::case::{Done, Failure, Subject};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use gm_core::arena::duel::{Card, Hand, Play, Plays};
use gm_core::contract::duel::SEEN_HEADER;
use gm_core::contract::{DuelQuestion, DuelUrl, reader};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The seed of the positions where none is given.
const SEED: u64 = 1;

/// How many positions that were reached by playing are asked, where nothing else is said.
const POSITIONS: u32 = 200;

/// How long strength is measured, where nothing else is said.
const STRENGTH: Duration = Duration::from_secs(2);

/// Which AI is checked.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Its URL (C-16), with its own query if it has one.
    pub url: String,
    /// How long it may take for one move (A-3).
    pub deadline: Duration,
    /// The seed of the positions and of the duels.
    pub seed: u64,
    /// How many positions that were reached by playing are asked.
    pub positions: u32,
    /// For how long its strength is measured; zero: not at all.
    pub strength: Duration,
}

impl Settings {
    /// The AI at this URL, with the deadline of the contract.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Settings {
        let url = url.into();
        Settings { url, deadline: DEADLINE, seed: SEED, positions: POSITIONS, strength: STRENGTH }
    }
}

/// How a question is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As the game master writes it (A-1).
    Plain,
    /// With its brackets and commas escaped.
    Escaped,
}

/// A conversation with an AI.
pub struct AiTalk {
    client: Client,
    url: DuelUrl,
    settings: Settings,
    run: String,
    serial: u32,
    exchanges: Vec<Exchange>,
}

impl AiTalk {
    /// Begins to talk.
    ///
    /// # Errors
    /// [`BadPlace`] if its URL is none.
    pub fn begin(settings: Settings) -> Result<AiTalk, BadPlace> {
        let bad = |because| BadPlace::of(&settings.url, because);
        let url = DuelUrl::parse(&settings.url).map_err(bad)?;
        let client = client_for(&url, settings.deadline)?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let run = since.as_millis().to_string();
        Ok(AiTalk { client, url, settings, run, serial: 0, exchanges: Vec::new() })
    }

    /// What is known of the AI.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Its URL.
    #[must_use]
    pub fn url(&self) -> &DuelUrl {
        &self.url
    }

    /// The request that asks this, at the AI's own URL or at another one of the same place.
    pub fn request(&mut self, question: &DuelQuestion, url: &DuelUrl, form: Form) -> Ask {
        let whole = question.url(url);
        let (_, path) = place_and_path(&whole);
        let path = match form {
            Form::Plain => path.to_owned(),
            Form::Escaped => {
                let own = path.len() - question.query().len();
                let query = question.query().replace('[', "%5B").replace(']', "%5D").replace(',', "%2C");
                format!("{}{query}", &path[..own])
            }
        };
        let ask = self.bare(&path);
        match &question.seen {
            Some(seen) => ask.header(SEEN_HEADER, &seen.header()),
            None => ask,
        }
    }

    /// A request for a path, with an id and nothing else.
    pub fn bare(&mut self, path: &str) -> Ask {
        self.serial += 1;
        Ask::new("GET", path).header(REQUEST_ID, &format!("conform{}-t0-duel-c0-{}", self.run, self.serial))
    }

    /// Sends whatever it is given.
    pub async fn send(&mut self, ask: Ask) -> &Exchange {
        let exchange = self.client.exchange(ask).await;
        self.exchanges.push(exchange);
        self.exchanges.last().expect("one was pushed just now")
    }

    /// Closes the connection, with whatever is still under way there.
    pub(super) fn hang_up(&mut self) {
        self.client.hang_up();
    }

    /// Sends these at the same time, each over a connection of its own.
    ///
    /// # Errors
    /// [`BadPlace`], which the AI's own URL is not.
    pub async fn send_at_once(&mut self, asks: Vec<Ask>) -> Result<Vec<Exchange>, BadPlace> {
        let mut clients = Vec::new();
        for ask in asks {
            clients.push((client_for(&self.url, self.settings.deadline)?, ask));
        }
        let sent = clients.iter_mut().map(|(client, ask)| client.exchange(ask.clone()));
        let exchanges = join_all(sent).await;
        self.exchanges.extend(exchanges.iter().cloned());
        Ok(exchanges)
    }

    /// Asks a question as the game master does, and gives what is played.
    ///
    /// # Errors
    /// What was wrong with the answer. Whether the play is legal is not looked at.
    pub async fn ask(&mut self, question: &DuelQuestion) -> Result<Vec<u8>, Failure> {
        let url = self.url.clone();
        let ask = self.request(question, &url, Form::Plain);
        self.send(ask).await;
        self.played()
    }

    /// What the last exchange plays.
    ///
    /// # Errors
    /// What was wrong with the answer.
    pub fn played(&self) -> Result<Vec<u8>, Failure> {
        let exchange = self.exchanges.last();
        let got = exchange.and_then(|exchange| exchange.answer().ok()).filter(|got| got.status == 200);
        let cards = got.and_then(|got| reader::cards(&got.answer()).ok());
        cards
            .map(|taken| taken.value)
            .ok_or_else(|| self.unlike("200 and {\"res\": [1]}, the cards that are played"))
    }

    /// Asks a question, and checks that what is played is legal (R-6.2).
    ///
    /// # Errors
    /// What was wrong.
    pub async fn plays(&mut self, question: &DuelQuestion) -> Done {
        let cards = self.ask(question).await?;
        Ok(self.legal(question, &cards)?)
    }

    /// Checks that a play is legal (R-6.2).
    ///
    /// # Errors
    /// Why it is not.
    pub fn legal(&self, question: &DuelQuestion, cards: &[u8]) -> Result<(), Failure> {
        let distance = question.distance().unwrap_or_default();
        let hand = hand_of(question);
        let checked = Play::parse(cards, distance).and_then(|play| play.check(&hand, distance));
        let Err(why) = checked else { return Ok(()) };
        let legal: Vec<String> = Plays::of(&hand, distance).iter().map(ToString::to_string).collect();
        let expected = format!(
            "a legal play with the cards {:?} at a distance of {distance}, which is one of {}",
            question.cards,
            legal.join(" ")
        );
        Err(self.failure(expected, format!("{cards:?}: {why}")))
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
        let found = self.exchanges.last().map_or_else(|| "nothing".to_owned(), Exchange::in_words);
        self.failure(expected, found)
    }
}

/// The cards that a question holds.
pub(super) fn hand_of(question: &DuelQuestion) -> Hand {
    question.cards.iter().copied().filter_map(Card::of).collect()
}

/// A client for the place of an AI.
pub(super) fn client_for(url: &DuelUrl, deadline: Duration) -> Result<Client, BadPlace> {
    let (place, _) = place_and_path(url.as_str());
    Ok(Client::new(place)?.deadline(deadline))
}

impl Subject for AiTalk {
    fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// An AI keeps nothing.
    fn tidy(&mut self) -> BoxFuture<'_, ()> {
        async {}.boxed()
    }
}
