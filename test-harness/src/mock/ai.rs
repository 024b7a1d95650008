//! A duel AI for tests of the game master: it plays as a careful one does, with scripted faults.
//!
//! ```no_run
//! # async fn a_test() -> std::io::Result<()> {
//! use test_harness::mock::{Endpoint, Fault, MockAi};
//! let ai = MockAi::healthy().fault(Fault::on(Endpoint::Action).from(2).wrong_value()).start().await?;
//! // … a car gives ai.url(), and loses its duels by their second question …
//! # Ok(())
//! # }
//! ```

use super::fault::{Endpoint, Fault};
use super::server::{Heard, Server, Subject};
use fight_lambda_reference::handler::answer;
use fight_lambda_reference::{Ai, Mind};
use gm_core::contract::duel::SEEN_HEADER;
use gm_core::contract::{DuelQuestion, DuelUrl};
use serde_json::{Value, json};
use std::io;

/// Where an AI answers.
const PATH: &str = "/prod/action";

/// A card that there is not.
const NO_CARD: u8 = 9;

/// A duel AI that is to be started.
pub struct MockAiPlan {
    mind: Box<dyn Ai>,
    faults: Vec<Fault>,
}

impl MockAiPlan {
    /// Another mind.
    #[must_use]
    pub fn mind(self, mind: impl Ai + 'static) -> MockAiPlan {
        MockAiPlan { mind: Box::new(mind), ..self }
    }

    /// One more fault.
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> MockAiPlan {
        self.faults.push(fault);
        self
    }

    /// Starts it on a free port of the loopback.
    ///
    /// # Errors
    /// If no port can be had.
    pub async fn start(self) -> io::Result<MockAi> {
        let server = Server::start(Mocked(self.mind), self.faults).await?;
        let url = DuelUrl::parse(&format!("{}{PATH}", server.url())).map_err(io::Error::other)?;
        Ok(MockAi { server, url })
    }
}

/// A duel AI that is asked over HTTP.
pub struct MockAi {
    server: Server<Mocked>,
    url: DuelUrl,
}

impl MockAi {
    /// One that plays as the careful AI of `fight-lambda` does.
    #[must_use]
    pub fn healthy() -> MockAiPlan {
        MockAiPlan { mind: Mind::Careful.wake(1), faults: Vec::new() }
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &DuelUrl {
        &self.url
    }

    /// All requests that came, in order, at most [`MAX_REMEMBERED`](super::MAX_REMEMBERED). One that was sent again, with
    /// the same id (C-20), is there each time.
    #[must_use]
    pub fn requests(&self) -> Vec<Heard> {
        self.server.requests()
    }

    /// These faults from now on, and no others.
    pub fn follow(&self, faults: Vec<Fault>) {
        self.server.follow(faults);
    }
}

struct Mocked(Box<dyn Ai>);

impl Subject for Mocked {
    fn endpoint(&self, heard: &Heard) -> Option<Endpoint> {
        let (path, _) = heard.path.split_once('?')?;
        (heard.method == "GET" && path == PATH).then_some(Endpoint::Action)
    }

    fn obey(&mut self, heard: &Heard) -> (u16, Value) {
        match heard.path.split_once('?') {
            Some((_, query)) if heard.endpoint.is_some() => {
                answer(&mut *self.0, query, heard.header(SEEN_HEADER))
            }
            _ => (404, json!({"error": format!("there is nothing at {}", heard.line())})),
        }
    }

    /// Plays a card that it does not hold.
    fn lie(&mut self, heard: &Heard) -> (u16, Value) {
        let query = heard.path.split_once('?').map_or("", |(_, query)| query);
        let Ok(question) = DuelQuestion::from_query(query) else { return self.obey(heard) };
        let lacking = (1..=5).find(|card| !question.cards.contains(card)).unwrap_or(NO_CARD);
        (200, json!({ "res": [lacking] }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Ask, Client, place_and_path};
    use gm_core::contract::Fault as Wrong;
    use std::time::Duration;

    /// A-1, A-3: two questions to each; five squares apart, three 5s are a hit.
    #[tokio::test]
    async fn a_1_what_is_answered() {
        const QUERY: &str = "?yourmoves=[5,5,5]&othermoves=[2]&cards=[1,5,5,5]&othernbcards=2";
        let hit = || Ok((200, r#"{"res":[5,5,5]}"#.to_owned()));
        let fault = || Fault::on(Endpoint::Action).times(1);
        for (plan, first) in [
            (MockAi::healthy(), hit()),
            (MockAi::healthy().fault(fault().wrong_value()), Ok((200, r#"{"res":[2]}"#.to_owned()))),
            (MockAi::healthy().fault(fault().body("[1]")), Ok((200, "[1]".to_owned()))),
            (MockAi::healthy().fault(fault().status(500)), Ok((500, String::new()))),
            (MockAi::healthy().fault(fault().dropped()), Err(Wrong::Broken)),
            (MockAi::healthy().fault(fault().late(Duration::from_secs(3))), Err(Wrong::Late)),
            (MockAi::healthy().fault(fault().turn(1).dropped()), hit()),
        ] {
            let ai = plan.start().await.expect("a port");
            let (place, path) = place_and_path(ai.url().as_str());
            let mut client = Client::new(place).expect("a place").deadline(Duration::from_millis(500));
            for expected in [first, hit()] {
                let exchange = client.exchange(Ask::new("GET", &format!("{path}{QUERY}"))).await;
                assert_eq!(exchange.answer().map(|got| (got.status, got.text())), expected);
            }
            assert_eq!(ai.requests().len(), 2);
            assert_eq!(ai.requests()[0].line(), format!("GET {PATH}{QUERY}"), "as it was written");
            for (line, status) in [("/elsewhere?x", 404), (PATH, 404), ("/prod/action?cards=[]", 422)] {
                let exchange = client.exchange(Ask::new("GET", line)).await;
                assert_eq!(exchange.status(), Some(status), "{line}");
            }
        }
    }

    /// A hand of all cards there are: then it plays one that there is not.
    #[tokio::test]
    async fn r_6_3_an_illegal_move_in_any_case() {
        let plan = MockAi::healthy().mind(fight_lambda_reference::Careful);
        let ai = plan.fault(Fault::on(Endpoint::Any).wrong_value()).start().await.expect("a port");
        let (place, path) = place_and_path(ai.url().as_str());
        let mut client = Client::new(place).expect("a place");
        let all = "?yourmoves=[]&othermoves=[]&cards=[1,2,3,4,5]&othernbcards=2";
        let exchange = client.exchange(Ask::new("GET", &format!("{path}{all}"))).await;
        assert_eq!(exchange.answer().map(|got| got.text()), Ok(r#"{"res":[9]}"#.to_owned()));
        ai.follow(vec![]);
        let exchange = client.exchange(Ask::new("GET", &format!("{path}{all}"))).await;
        assert_eq!(exchange.status(), Some(200));
        assert_ne!(exchange.answer().map(|got| got.text()), Ok(r#"{"res":[9]}"#.to_owned()));
    }
}
