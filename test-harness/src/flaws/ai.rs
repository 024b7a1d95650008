//! Broken duel AIs: a healthy AI behind one twist.
//!
//! ```no_run
//! use test_harness::flaws::ai::{FLAWS, broken_ai};
//! let healthy = fight_lambda_reference::server::router(fight_lambda_reference::Mind::Careful, 1);
//! let ai: axum::Router = broken_ai(&FLAWS[0], healthy);
//! ```

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::response::Response;
use futures_util::stream;
use gm_core::arena::duel::{Card, Hand, Plays};
use gm_core::contract::duel::SEEN_HEADER;
use gm_core::contract::{DuelQuestion, Seen};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::sleep;
use tower_service::Service;

/// A defect of a duel AI, and the case that must catch it.
#[derive(Debug, Clone, Copy)]
pub struct Flaw {
    /// Its name.
    pub name: &'static str,
    /// What the AI does.
    pub what: &'static str,
    /// The id of the case that catches it.
    pub caught_by: &'static str,
    twist: Twist,
}

/// What is done otherwise.
#[derive(Debug, Clone, Copy)]
enum Twist {
    /// Breaks off, instead of answering.
    Breaks,
    /// Answers what it has to say with this status.
    Status(u16),
    /// Refuses some, with this status.
    Refuses(u16, fn(&Asked, &mut Memory) -> bool),
    /// Answers as if it had been asked something else.
    Hears(fn(&Asked) -> Option<Asked>),
    /// Plays something else.
    Plays(fn(&DuelQuestion, Vec<u8>) -> Vec<u8>),
    /// Edits what it says.
    Edits(fn(&mut Value)),
    /// Says this to what the healthy one refuses.
    SaysToNonsense(u16, &'static str),
    /// Takes this part of a second to answer some, in percent.
    Takes(u64, fn(&Asked) -> bool),
    /// Takes this part of a second to refuse, in percent.
    TakesToRefuse(u64),
    /// Says that it speaks another language, or none.
    Speaks(Option<&'static str>),
    /// What becomes of a question when there is another one before it is answered.
    Shares(Share),
}

/// How an AI behaves towards several who ask at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    /// Keeps one question for all, and answers the last one.
    OneQuestion,
    /// Refuses whoever comes while it is busy.
    OneAtATime,
}

/// For how long an AI that can't do two things at once is busy.
const BUSY: Duration = Duration::from_millis(10);

/// How many questions a throttled AI answers: all positions that the suite asks one by one, and some duels.
const THROTTLED_AFTER: usize = 465;

/// What a twist remembers.
#[derive(Debug, Default)]
struct Memory {
    asked: usize,
    known: BTreeSet<String>,
    last: Option<Asked>,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Asked {
    method: Method,
    path: String,
    query: String,
    id: String,
    header: Option<String>,
}

impl Asked {
    /// What is asked, if it can be read.
    fn question(&self) -> Option<DuelQuestion> {
        DuelQuestion::from_query(&self.query).ok()
    }

    /// What both have seen, as the header tells it.
    fn seen(&self) -> Option<Seen> {
        Seen::from_header(self.header.as_ref()?)
    }

    /// Whether it is a question of which this holds.
    fn is(&self, holds: impl Fn(&DuelQuestion) -> bool) -> bool {
        self.question().as_ref().is_some_and(holds)
    }

    /// The same with another question.
    fn with(&self, question: &DuelQuestion) -> Asked {
        Asked { query: question.query(), header: None, ..self.clone() }
    }

    /// Where a parameter begins in the query.
    fn place(&self, name: &str) -> Option<usize> {
        self.query.split('&').position(|parameter| parameter.starts_with(name))
    }
}

fn hand(question: &DuelQuestion) -> Hand {
    question.cards.iter().copied().filter_map(Card::of).collect()
}

fn plays(question: &DuelQuestion) -> Plays {
    Plays::of(&hand(question), question.distance().unwrap_or(1))
}

fn can_attack(question: &DuelQuestion) -> bool {
    plays(question).iter().any(|play| play.attack().is_some())
}

fn is_far(question: &DuelQuestion) -> bool {
    question.distance() > Some(10)
}

fn laid_down(question: &DuelQuestion) -> usize {
    question.your_moves.len() + question.other_moves.len()
}

/// All broken AIs, in the order of what catches them.
pub const FLAWS: &[Flaw] = &[
    flaw("breaks-off", "closes the connection instead of answering", "A-1.1", Twist::Breaks),
    flaw("created", "answers 201", "A-1.1", Twist::Status(201)),
    flaw("always-late", "thinks longer than it may", "A-1.1", Twist::Takes(150, |_| true)),
    flaw(
        "no-header-please",
        "answers 500 to requests with the header X-EACC-DUEL",
        "A-1.1",
        Twist::Refuses(500, |asked, _| asked.header.is_some()),
    ),
    flaw(
        "only-escaped",
        "reads brackets only where they are escaped",
        "A-1.1",
        Twist::Refuses(400, |asked, _| asked.query.contains('[')),
    ),
    flaw(
        "list-as-text",
        "answers with the text \"[1]\"",
        "A-2.1",
        Twist::Edits(|said| said["res"] = json!(said["res"].to_string())),
    ),
    flaw(
        "result",
        "answers {\"result\": …}",
        "A-2.1",
        Twist::Edits(|said| *said = json!({ "result": said["res"] })),
    ),
    flaw(
        "one-card-alone",
        "leaves the brackets out where it plays one card",
        "A-2.1",
        Twist::Edits(|said| {
            if let Some([card]) = said["res"].as_array().map(Vec::as_slice) {
                *said = json!({ "res": card });
            }
        }),
    ),
    flaw(
        "wishful",
        "moves by 5, also without such a card",
        "R-6.2.1",
        Twist::Plays(|question, cards| if is_far(question) { vec![5] } else { cards }),
    ),
    flaw(
        "two-steps",
        "moves by two cards at once while it is far away",
        "R-6.2.1",
        Twist::Plays(|question, cards| match is_far(question) {
            true => question.cards.iter().copied().take(2).collect(),
            false => cards,
        }),
    ),
    flaw(
        "one-square-near",
        "takes the distance for one less than it is, and attacks when it is 11",
        "R-6.2.1",
        Twist::Hears(|asked| {
            let mut question = asked.question().filter(|question| question.distance() > Some(1))?;
            question.other_moves.push(1);
            Some(asked.with(&question))
        }),
    ),
    flaw(
        "one-more",
        "attacks with one card more than it holds",
        "R-6.2.2",
        Twist::Plays(|question, mut cards| {
            if can_attack(question) {
                let card = cards.last().copied().unwrap_or(1);
                let held = hand(question).count(Card::of(card).unwrap_or(Card::One));
                cards = vec![card; usize::from(held) + 1];
            }
            cards
        }),
    ),
    flaw(
        "sorts",
        "answers with its cards in order, also where the larger one moves",
        "R-6.2.2",
        Twist::Plays(|_, mut cards| {
            cards.sort_unstable();
            cards
        }),
    ),
    flaw(
        "one-square-far",
        "takes the distance for one more than it is",
        "R-6.2.2",
        Twist::Hears(|asked| {
            let mut question = asked.question()?;
            *question.other_moves.iter_mut().find(|moved| **moved > 0)? -= 1;
            Some(asked.with(&question))
        }),
    ),
    flaw(
        "passes",
        "passes where it can't attack near by",
        "R-6.2.3",
        Twist::Plays(|question, cards| if is_far(question) || can_attack(question) { cards } else { vec![] }),
    ),
    flaw(
        "runs-through",
        "moves by its largest card where it can't attack near by, onto or past the other",
        "R-6.2.3",
        Twist::Plays(|question, cards| match is_far(question) || can_attack(question) {
            true => cards,
            false => question.cards.iter().max().map(|card| vec![*card]).unwrap_or_default(),
        }),
    ),
    flaw(
        "resigns",
        "resigns where it has one play left",
        "R-6.2.4",
        Twist::Plays(|question, cards| if plays(question).len() == 1 { vec![] } else { cards }),
    ),
    flaw(
        "many-cards",
        "crashes with more than 8 cards",
        "R-6.2.5",
        Twist::Refuses(500, |asked, _| asked.is(|question| question.cards.len() > 8)),
    ),
    flaw(
        "thinks-too-far",
        "is late with more than 10 cards",
        "R-6.2.5",
        Twist::Takes(150, |asked| asked.is(|question| question.cards.len() > 10)),
    ),
    flaw(
        "last-card",
        "crashes with one card",
        "R-6.2.6",
        Twist::Refuses(500, |asked, _| asked.is(|question| question.cards.len() == 1)),
    ),
    flaw(
        "empty-pile",
        "crashes when the header tells of an empty pile",
        "R-6.2.7",
        Twist::Refuses(502, |asked, _| asked.seen().is_some_and(|seen| seen.pile == 0)),
    ),
    flaw(
        "zero-is-one",
        "takes each 0 among the moves for a step of 1",
        "R-6.7.1",
        Twist::Hears(|asked| {
            let mut question = asked.question()?;
            for moved in question.your_moves.iter_mut().chain(&mut question.other_moves) {
                *moved = (*moved).max(1);
            }
            question.distance().map(|_| asked.with(&question))
        }),
    ),
    flaw(
        "stops-at-zero",
        "reads the moves up to the first 0",
        "R-6.7.1",
        Twist::Hears(|asked| {
            let mut question = asked.question()?;
            for moves in [&mut question.your_moves, &mut question.other_moves] {
                moves.truncate(moves.iter().position(|moved| *moved == 0).unwrap_or(moves.len()));
            }
            Some(asked.with(&question))
        }),
    ),
    flaw(
        "short-memory",
        "crashes when more than 12 cards were laid down",
        "R-6.7.2",
        Twist::Refuses(500, |asked, _| asked.is(|question| laid_down(question) > 12)),
    ),
    flaw(
        "slow-with-history",
        "is late when more than 12 cards were laid down",
        "R-6.7.2",
        Twist::Takes(150, |asked| asked.is(|question| laid_down(question) > 12)),
    ),
    flaw(
        "only-raw",
        "reads brackets only where they are not escaped",
        "A-1.2",
        Twist::Refuses(400, |asked, _| asked.query.contains('%') && !asked.query.contains('[')),
    ),
    flaw(
        "no-other-query",
        "knows no query that begins with something else",
        "A-1.3",
        Twist::Refuses(404, |asked, _| {
            asked.place("yourmoves").is_some_and(|place| place > 0) && in_order(asked)
        }),
    ),
    flaw(
        "by-place",
        "takes the parameters in the order of the contract only",
        "A-1.4",
        Twist::Refuses(400, |asked, _| !in_order(asked)),
    ),
    flaw(
        "one-question",
        "keeps one question for all who ask, and answers the last one",
        "A-1.5",
        Twist::Shares(Share::OneQuestion),
    ),
    flaw("busy", "answers 429 while it is busy", "A-1.5", Twist::Shares(Share::OneAtATime)),
    flaw(
        "never-twice",
        "answers 409 to a request that is sent again",
        "A-1.6",
        Twist::Refuses(409, |asked, memory| !memory.known.insert(asked.id.clone())),
    ),
    flaw(
        "heard-that",
        "answers 304 to a question that was asked before",
        "A-1.6",
        Twist::Refuses(304, |asked, memory| !memory.known.insert(asked.query.clone())),
    ),
    flaw(
        "header-please",
        "answers 400 to requests without the header X-EACC-DUEL",
        "A-4.1",
        Twist::Refuses(400, |asked, _| asked.header.is_none()),
    ),
    flaw(
        "stumbles-over-headers",
        "answers 500 to a header X-EACC-DUEL that it can't read",
        "A-4.2",
        Twist::Refuses(500, |asked, _| asked.header.is_some() && asked.seen().is_none()),
    ),
    flaw(
        "believes-headers",
        "takes the distance from the header, whatever the moves say",
        "A-4.2",
        Twist::Hears(|asked| {
            let told = asked.seen()?.distance;
            let mut question = asked.question().filter(|question| question.distance() != Some(told))?;
            (question.your_moves, question.other_moves) =
                (Vec::new(), vec![1; usize::from(22_u8.checked_sub(told)?)]);
            Some(asked.with(&question))
        }),
    ),
    flaw(
        "four-alike",
        "crashes with four cards or more of one value",
        "R-6.3.1",
        Twist::Refuses(500, |asked, _| {
            asked.is(|question| {
                (1..=5).any(|value| question.cards.iter().filter(|card| **card == value).count() > 3)
            })
        }),
    ),
    flaw(
        "throttled",
        "answers 429 from some question on",
        "R-6.3.2",
        Twist::Refuses(429, |_, memory| {
            memory.asked += 1;
            memory.asked > THROTTLED_AFTER
        }),
    ),
    flaw("bare-list", "leaves out {\"res\": …}", "A-2.2", Twist::Edits(|said| *said = said["res"].clone())),
    flaw(
        "cards-as-text",
        "answers [\"1\"]",
        "A-2.3",
        Twist::Edits(|said| each_card(said, |card| json!(card.to_string()))),
    ),
    flaw(
        "fractions",
        "answers [1.0]",
        "A-2.3",
        Twist::Edits(|said| each_card(said, |card| json!(card.as_f64()))),
    ),
    flaw("says-html", "says that its JSON is HTML", "A-2.4", Twist::Speaks(Some("text/html"))),
    flaw("says-nothing", "does not say what its answers are", "A-2.4", Twist::Speaks(None)),
    flaw(
        "chatty",
        "adds what it thinks",
        "A-2.5",
        Twist::Edits(|said| said["because"] = json!("it is best")),
    ),
    flaw(
        "stumbles-over-nonsense",
        "answers 500 to what is no question",
        "A-1.7",
        Twist::SaysToNonsense(500, r#"{"message":"Internal server error"}"#),
    ),
    flaw(
        "plays-anyhow",
        "plays a 1 when it is asked nothing",
        "A-1.7",
        Twist::SaysToNonsense(200, r#"{"res":[1]}"#),
    ),
    flaw("hangs-over-nonsense", "does not answer what is no question", "A-1.7", Twist::TakesToRefuse(150)),
    flaw(
        "slow",
        "takes more than half of the deadline with 12 cards near by",
        "A-3.1",
        Twist::Takes(65, |asked| {
            asked.is(|question| question.cards.len() == 12 && question.distance() == Some(3))
        }),
    ),
];

const fn flaw(name: &'static str, what: &'static str, caught_by: &'static str, twist: Twist) -> Flaw {
    Flaw { name, what, caught_by, twist }
}

/// Whether the parameters stand in the order of the contract.
fn in_order(asked: &Asked) -> bool {
    let places: Vec<usize> = ["yourmoves", "othermoves", "cards", "othernbcards"]
        .into_iter()
        .filter_map(|name| asked.place(&format!("{name}=")))
        .collect();
    places.is_sorted()
}

fn each_card(said: &mut Value, to: fn(&Value) -> Value) {
    for card in said["res"].as_array_mut().into_iter().flatten() {
        *card = to(card);
    }
}

/// The healthy AI with this defect.
pub fn broken_ai(flaw: &Flaw, healthy: Router) -> Router {
    let ai = Arc::new(BrokenAi {
        twist: flaw.twist,
        healthy,
        memory: Mutex::new(Memory::default()),
        under_way: AtomicUsize::new(0),
    });
    Router::new().fallback(move |request: Request| Arc::clone(&ai).answer(request))
}

struct BrokenAi {
    twist: Twist,
    healthy: Router,
    memory: Mutex<Memory>,
    under_way: AtomicUsize,
}

/// What an AI says: its status and body.
type Said = (StatusCode, Bytes);

impl BrokenAi {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the healthy AI.
    async fn ask(&self, asked: &Asked) -> Said {
        let mut request = Request::new(Body::empty());
        *request.method_mut() = asked.method.clone();
        *request.uri_mut() = Uri::try_from(format!("{}?{}", asked.path, asked.query)).unwrap_or_default();
        if let Some(header) = asked.header.as_ref().and_then(|header| HeaderValue::try_from(header).ok()) {
            request.headers_mut().insert(SEEN_HEADER, header);
        }
        let Ok(response) = self.healthy.clone().call(request).await;
        let (head, body) = response.into_parts();
        (head.status, to_bytes(body, usize::MAX).await.unwrap_or_default())
    }

    async fn answer(self: Arc<Self>, request: Request) -> Response {
        let (head, _) = request.into_parts();
        let header = |name: &str| head.headers.get(name)?.to_str().ok().map(ToOwned::to_owned);
        let asked = Asked {
            method: head.method,
            path: head.uri.path().to_owned(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            id: header("x-eacc-request-id").unwrap_or_default(),
            header: header(SEEN_HEADER),
        };
        if matches!(self.twist, Twist::Breaks) {
            return broken_off();
        }
        let said = self.twisted(&asked).await;
        self.response(said)
    }

    async fn twisted(&self, asked: &Asked) -> Said {
        let done = |status: u16, body: &'static str| {
            (StatusCode::from_u16(status).unwrap_or_default(), Bytes::from_static(body.as_bytes()))
        };
        match self.twist {
            Twist::Refuses(status, refuses) => {
                let refused = refuses(asked, &mut self.memory());
                if refused { done(status, "{}") } else { self.ask(asked).await }
            }
            Twist::Hears(hears) => self.ask(&hears(asked).unwrap_or_else(|| asked.clone())).await,
            Twist::Takes(percent, when) => {
                if when(asked) {
                    sleep(Duration::from_millis(10 * percent)).await;
                }
                self.ask(asked).await
            }
            Twist::Shares(Share::OneAtATime) => {
                let others = self.under_way.fetch_add(1, Ordering::SeqCst);
                sleep(BUSY).await;
                let said = if others > 0 { done(429, "{}") } else { self.ask(asked).await };
                self.under_way.fetch_sub(1, Ordering::SeqCst);
                said
            }
            Twist::Shares(Share::OneQuestion) => {
                self.memory().last = Some(asked.clone());
                sleep(BUSY).await;
                let last = self.memory().last.clone();
                self.ask(last.as_ref().unwrap_or(asked)).await
            }
            _ => self.edited(asked, self.ask(asked).await, done).await,
        }
    }

    /// What becomes of what the healthy AI has said.
    async fn edited(&self, asked: &Asked, said: Said, done: impl Fn(u16, &'static str) -> Said) -> Said {
        let (status, body) = said;
        let json = || serde_json::from_slice::<Value>(&body).unwrap_or_default();
        match self.twist {
            Twist::Status(other) if status.is_success() => {
                (StatusCode::from_u16(other).unwrap_or_default(), body)
            }
            Twist::Edits(edit) if status.is_success() => {
                let mut json = json();
                edit(&mut json);
                (status, json.to_string().into())
            }
            Twist::Plays(plays) if status.is_success() => {
                let cards = serde_json::from_value(json()["res"].clone()).unwrap_or_default();
                let cards = asked.question().map(|question| plays(&question, cards));
                (status, json!({ "res": cards }).to_string().into())
            }
            Twist::SaysToNonsense(other, body) if status.is_client_error() => done(other, body),
            Twist::TakesToRefuse(percent) if status.is_client_error() => {
                sleep(Duration::from_millis(10 * percent)).await;
                (status, body)
            }
            _ => (status, body),
        }
    }

    fn response(&self, (status, body): Said) -> Response {
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let language = match self.twist {
            Twist::Speaks(language) => language,
            _ => Some("application/json"),
        };
        if let Some(language) = language {
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(language));
        }
        response
    }
}

/// An answer that begins, and breaks off.
fn broken_off() -> Response {
    let nothing = stream::iter([Err::<Bytes, io::Error>(io::ErrorKind::ConnectionReset.into())]);
    Response::new(Body::from_stream(nothing))
}
