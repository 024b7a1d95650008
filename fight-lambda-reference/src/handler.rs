//! Query and header in, status and JSON out (A-1, A-2, A-4): what the HTTP server and the Lambda have in common.
//!
//! [`respond`] is the one way from a request to a response; [`answer`] is what is in it of the contract.
//!
//! ```
//! use fight_lambda_reference::{Mind, handler::answer};
//! let (status, body) = answer(&mut *Mind::Careful.wake(1), "yourmoves=[]&othermoves=[]&cards=[3]&othernbcards=1", None);
//! assert_eq!((status, body.to_string().as_str()), (200, r#"{"res":[3]}"#));
//! ```

use crate::Ai;
use gm_core::arena::duel::{Card, Plays};
use gm_core::contract::duel::SEEN_HEADER;
use gm_core::contract::{DuelQuestion, Seen};
use http::header::{ALLOW, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Answers one request, whatever its path. `wake` makes the AI, which is new for each question.
///
/// What [`answer`] says for `GET`; 405 with `Allow` for another method; 500 if the AI panics, which is then told on the
/// standard error and felt by nobody else. The body is JSON in any case.
pub fn respond(wake: impl FnOnce() -> Box<dyn Ai>, asked: &Parts) -> Response<String> {
    if asked.method != Method::GET {
        let mut refused = response(refusal(405, "a duel AI is asked with GET"));
        refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
        return refused;
    }
    let query = asked.uri.query().unwrap_or_default();
    let seen = asked.headers.get(SEEN_HEADER).and_then(|value| value.to_str().ok());
    // The AI ends with the panic, so that nobody sees what it leaves behind.
    let thought = catch_unwind(AssertUnwindSafe(|| answer(&mut *wake(), query, seen)));
    response(thought.unwrap_or_else(|_| refusal(500, "the AI has a bug: see its log")))
}

fn response((status, body): (u16, Value)) -> Response<String> {
    let mut response = Response::new(body.to_string());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Answers one question. `seen` is the header `X-EACC-DUEL`; one that can't be read, or that speaks of another
/// distance, is passed over (A-4).
///
/// 200 and `{"res": [1]}` (A-2), or 422 and `{"error": "…"}` for a query that asks nothing that can be answered.
pub fn answer(ai: &mut dyn Ai, query: &str, seen: Option<&str>) -> (u16, Value) {
    let mut question = match DuelQuestion::from_query(query) {
        Ok(question) => question,
        Err(bad) => return refusal(422, &bad.to_string()),
    };
    let distance = question.distance();
    question.seen = seen.and_then(Seen::from_header).filter(|seen| Some(seen.distance) == distance);
    let hand = question.cards.iter().copied().filter_map(Card::of).collect();
    if distance.is_none_or(|distance| Plays::of(&hand, distance).is_empty()) {
        return refusal(422, "none of the cards can be played: this duel is lost");
    }
    (200, json!({ "res": ai.play(&question) }))
}

/// An answer that is none, and why.
#[must_use]
pub fn refusal(status: u16, why: &str) -> (u16, Value) {
    (status, json!({ "error": why }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mind;

    /// Shows what it is asked: how many turns it has seen, or 99 if it was told of none.
    struct Echo;

    impl Ai for Echo {
        fn play(&mut self, question: &DuelQuestion) -> Vec<u8> {
            vec![question.seen.as_ref().map_or(99, |seen| seen.turns.len() as u8)]
        }
    }

    #[test]
    fn a_4_a_header_that_makes_no_sense_is_passed_over() {
        let query = "yourmoves=[3]&othermoves=[]&cards=[3]&othernbcards=1";
        let header = |distance: u8| {
            format!(
                r#"{{"distance":{distance},"hand_size":1,"other_hand_size":1,"pile":20,"first":true,"turns":[{{"you":true,"move":3}}]}}"#
            )
        };
        for (seen, expected) in [
            (None, 99),
            (Some(header(19)), 1),
            (Some(header(18)), 99),
            (Some("nonsense".to_owned()), 99),
            (Some(String::new()), 99),
        ] {
            let (status, body) = answer(&mut Echo, query, seen.as_deref());
            assert_eq!((status, body), (200, json!({ "res": [expected] })), "{seen:?}");
        }
    }

    /// Status, `Allow` and body of the answer to a request with this method.
    fn asked(wake: impl FnOnce() -> Box<dyn Ai>, method: &str) -> (u16, Option<String>, String) {
        let uri = "/prod/action?yourmoves=[]&othermoves=[]&cards=[3]&othernbcards=1";
        let request = http::Request::builder().method(method).uri(uri).body(()).expect("a request");
        let response = respond(wake, &request.into_parts().0);
        assert_eq!(response.headers()[CONTENT_TYPE], "application/json", "{method}");
        let allow = response.headers().get(ALLOW).map(|value| value.to_str().expect("ASCII").to_owned());
        (response.status().as_u16(), allow, response.into_body())
    }

    #[test]
    fn a_1_only_get_is_answered() {
        let echo = || -> Box<dyn Ai> { Box::new(Echo) };
        assert_eq!(asked(echo, "GET"), (200, None, r#"{"res":[99]}"#.to_owned()));
        for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "get"] {
            let refused =
                (405, Some("GET".to_owned()), r#"{"error":"a duel AI is asked with GET"}"#.to_owned());
            assert_eq!(asked(echo, method), refused, "{method}");
        }
    }

    #[test]
    fn an_ai_that_panics_is_a_500() {
        /// It has a bug.
        struct Broken;
        impl Ai for Broken {
            fn play(&mut self, _: &DuelQuestion) -> Vec<u8> {
                panic!("a bug that a test wants");
            }
        }
        let bug = (500, None, r#"{"error":"the AI has a bug: see its log"}"#.to_owned());
        assert_eq!(asked(|| Box::new(Broken), "GET"), bug);
        assert_eq!(asked(|| panic!("it does not even wake"), "GET"), bug);
    }

    #[test]
    fn a_1_nonsense_gets_422_and_a_reason() {
        for (query, why) in [
            ("", "yourmoves is missing"),
            ("yourmoves=[]&othermoves=[]&othernbcards=5", "cards is missing"),
            ("yourmoves=[]&othermoves=[]&cards=1&othernbcards=5", "cards is not a list such as [3,2,1]"),
            (
                "yourmoves=[]&othermoves=[]&cards=[9]&othernbcards=5",
                "cards holds something else than whole numbers from 1 to 5",
            ),
            (
                "yourmoves=[]&othermoves=[]&cards=[]&othernbcards=5",
                "none of the cards can be played: this duel is lost",
            ),
            (
                "yourmoves=[5,5]&othermoves=[5,5]&cards=[3,4,5]&othernbcards=5",
                "none of the cards can be played: this duel is lost",
            ),
            (
                "yourmoves=[5,5,5]&othermoves=[5,5,5]&cards=[1]&othernbcards=5",
                "the moves add up to 30 squares, but only 21 can be moved",
            ),
        ] {
            for mind in Mind::ALL {
                let (status, body) = answer(&mut *mind.wake(1), query, None);
                assert_eq!((status, body), (422, json!({ "error": why })), "{query}");
            }
        }
    }
}
