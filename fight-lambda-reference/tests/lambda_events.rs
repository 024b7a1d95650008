//! Events of API Gateway, Function URLs and load balancers go through the handler, and the answers come in the format of
//! each (A-1 to A-4).

mod events;

use events::Kind;
use fight_lambda_reference::{Ai, lambda};
use gm_core::contract::DuelQuestion;
use lambda_http::{Adapter, Context, LambdaEvent, Service};
use serde_json::{Value, json};

/// What a question in the files asks, unescaped; the URL has a parameter of its own.
const A_HIT: &str = "team=red&yourmoves=[5,5,4]&othermoves=[2,1]&cards=[1,5,5,5]&othernbcards=2";

/// The headers of every answer.
const JSON: (&str, &str) = ("content-type", "application/json");

/// What is told of a question without the header.
const NOT_TOLD: u8 = 99;

/// Tells what it is asked, as cards: its own, then how many the other holds, then how many turns it was told of.
struct Echo;

impl Ai for Echo {
    fn play(&mut self, question: &DuelQuestion) -> Vec<u8> {
        let turns = question.seen.as_ref().map_or(NOT_TOLD, |seen| seen.turns.len() as u8);
        [&question.cards[..], &[question.other_cards, turns]].concat()
    }
}

/// What Lambda is answered to an event.
async fn answer_of(wake: fn() -> Box<dyn Ai>, event: &Value) -> Value {
    let payload = serde_json::from_str(&event.to_string()).expect("an event of a known kind");
    let mut adapter = Adapter::from(lambda::service(wake));
    let answer = adapter.call(LambdaEvent::new(payload, Context::default())).await.expect("an answer");
    serde_json::to_value(answer).expect("JSON")
}

fn echo() -> Box<dyn Ai> {
    Box::new(Echo)
}

#[tokio::test]
async fn a_1_whole_events() {
    let body = r#"{"res":[1,5,5,5,2,5]}"#;
    let one = json!({ "content-type": "application/json" });
    let list = json!({ "content-type": ["application/json"] });
    let version_2 = json!({
        "statusCode": 200, "headers": one, "multiValueHeaders": {}, "body": body, "isBase64Encoded": false,
        "cookies": [],
    });
    let alb = json!({
        "statusCode": 200, "statusDescription": "200 OK", "headers": one, "multiValueHeaders": list, "body": body,
        "isBase64Encoded": false,
    });
    for (kind, expected) in [
        (
            Kind::Rest,
            json!({
                "statusCode": 200, "headers": {}, "multiValueHeaders": list, "body": body, "isBase64Encoded": false,
            }),
        ),
        (Kind::Http, version_2.clone()),
        (Kind::FunctionUrl, version_2),
        (Kind::Alb, alb.clone()),
        (Kind::AlbMultiValue, alb),
    ] {
        assert_eq!(answer_of(echo, &kind.whole()).await, expected, "{kind:?}");
    }
}

/// However a query is written, and whatever else is in it: the same as over HTTP.
#[tokio::test]
async fn a_1_a_query_is_read_from_every_kind_of_event() {
    let hit = r#"{"res":[1,5,5,5,2,99]}"#;
    let escaped = A_HIT.replace('[', "%5B").replace(']', "%5D").replace(',', "%2C");
    let half_escaped = A_HIT.replace('[', "%5b").replace(']', "%5d");
    for (query, status, body) in [
        (A_HIT, 200, hit),
        (&escaped, 200, hit),
        (&half_escaped, 200, hit),
        // Names can be escaped, too, and spaces be a plus.
        ("yourmoves=[5,+5,%204]&othermoves=[2,1]&%63ards=[1,5,5,5]&othernbcards=+2", 200, hit),
        // Parameters of the URL's own: repeated, without a value, with what could be taken for another one.
        (
            &format!("stage=a&stage=b&key&{A_HIT}&next=%2Fx%3Fcards%3D%5B2%5D%26cards=1&sum=1%2B1%25"),
            200,
            hit,
        ),
        (&format!("stage=%26cards%3D%5B2%5D&{A_HIT}&x=%255B"), 200, hit),
        ("", 422, r#"{"error":"yourmoves is missing"}"#),
        ("yourmoves=[]&othermoves=[]&othernbcards=5", 422, r#"{"error":"cards is missing"}"#),
        // Escaped twice is not escaped.
        (
            "yourmoves=[]&othermoves=[]&cards=%255B1%255D&othernbcards=5",
            422,
            r#"{"error":"cards is not a list such as [3,2,1]"}"#,
        ),
        (
            "yourmoves=[5,5]&othermoves=[5,5]&cards=[3,4,5]&othernbcards=5",
            422,
            r#"{"error":"none of the cards can be played: this duel is lost"}"#,
        ),
    ] {
        for kind in Kind::ALL {
            let answer = answer_of(echo, &kind.event("GET", query, None)).await;
            assert_eq!(answer, kind.answer(status, &[JSON], body), "{kind:?} {query}");
        }
    }
}

#[tokio::test]
async fn a_1_a_list_that_is_given_twice_is_refused_where_both_come() {
    let query = format!("{A_HIT}&cards=[2]");
    for kind in Kind::ALL {
        let answer = answer_of(echo, &kind.event("GET", &query, None)).await;
        let (status, body) = match kind {
            // This balancer passes on the last one alone.
            Kind::Alb => (200, r#"{"res":[2,2,99]}"#),
            _ => (422, r#"{"error":"cards is given twice"}"#),
        };
        let expected = kind.answer(status, &[JSON], body);
        assert_eq!(answer, expected, "{kind:?}");
    }
}

/// `queryStringParameters` alone, as gateways that are emulated send it.
#[tokio::test]
async fn a_1_parameters_may_come_without_their_lists() {
    let mut event = Kind::Rest.whole();
    event["multiValueQueryStringParameters"] = Value::Null;
    event["multiValueHeaders"] = Value::Null;
    assert_eq!(answer_of(echo, &event).await, Kind::Rest.answer(200, &[JSON], r#"{"res":[1,5,5,5,2,5]}"#));
}

#[tokio::test]
async fn a_1_other_methods_are_refused() {
    let headers = [("allow", "GET"), JSON];
    let refused = r#"{"error":"a duel AI is asked with GET"}"#;
    for kind in Kind::ALL {
        for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"] {
            for (body, is_base64) in
                [(json!("cards=[1]"), false), (json!("Y2FyZHM9WzFd"), true), (Value::Null, false)]
            {
                let mut event = kind.event(method, A_HIT, None);
                event["body"] = body;
                event["isBase64Encoded"] = json!(is_base64);
                let answer = answer_of(echo, &event).await;
                assert_eq!(answer, kind.answer(405, &headers, refused), "{kind:?} {method}");
            }
        }
    }
}

#[tokio::test]
async fn a_1_any_path_and_any_stage_will_do() {
    for kind in Kind::ALL {
        for path in ["/", "/action", "/prod/action", "/a%20b/%5B/c", "/[1]/{x}", "/b/\u{e9}", "//"] {
            for stage in ["$default", "prod", "my stage"] {
                let mut event = kind.event("GET", A_HIT, None);
                if kind == Kind::Rest {
                    event["path"] = json!(path);
                    event["requestContext"]["stage"] = json!(stage);
                } else if event.get("rawPath").is_some() {
                    event["rawPath"] = json!(path);
                    event["requestContext"]["http"]["path"] = json!(path);
                    event["requestContext"]["stage"] = json!(stage);
                } else {
                    event["path"] = json!(path);
                }
                let expected = kind.answer(200, &[JSON], r#"{"res":[1,5,5,5,2,99]}"#);
                assert_eq!(answer_of(echo, &event).await, expected, "{kind:?} {path} {stage}");
            }
        }
    }
}

#[tokio::test]
async fn a_4_the_header_is_read_and_may_be_nonsense() {
    let told = |distance: u8| {
        format!(
            r#"{{"distance":{distance},"hand_size":4,"other_hand_size":2,"pile":14,"first":true,"turns":[{{"you":true,"move":5}}]}}"#
        )
    };
    for (seen, turns) in [
        (Some(told(5)), 1),
        (Some(told(6)), NOT_TOLD),
        (Some("{".to_owned()), NOT_TOLD),
        (Some(String::new()), NOT_TOLD),
        (Some("\u{e9}".to_owned()), NOT_TOLD),
        (None, NOT_TOLD),
    ] {
        let expected = format!(r#"{{"res":[1,5,5,5,2,{turns}]}}"#);
        for kind in Kind::ALL {
            let answer = answer_of(echo, &kind.event("GET", A_HIT, seen.as_deref())).await;
            assert_eq!(answer, kind.answer(200, &[JSON], &expected), "{kind:?} {seen:?}");
        }
    }
}

#[tokio::test]
async fn a_4_the_headers_name_may_be_in_any_case() {
    for kind in Kind::ALL {
        let whole = kind.whole().to_string();
        for name in ["X-EACC-DUEL", "x-eacc-duel", "X-Eacc-Duel"] {
            let renamed = whole.replace("X-EACC-DUEL", name).replace("x-eacc-duel", name);
            let event = serde_json::from_str(&renamed).expect("JSON");
            let expected = kind.answer(200, &[JSON], r#"{"res":[1,5,5,5,2,5]}"#);
            assert_eq!(answer_of(echo, &event).await, expected, "{kind:?} {name}");
        }
    }
}

#[tokio::test]
async fn an_ai_that_panics_is_a_500() {
    /// It has a bug.
    struct Broken;
    impl Ai for Broken {
        fn play(&mut self, _: &DuelQuestion) -> Vec<u8> {
            panic!("a bug that a test wants");
        }
    }
    for kind in Kind::ALL {
        let answer = answer_of(|| Box::new(Broken), &kind.whole()).await;
        let expected = kind.answer(500, &[JSON], r#"{"error":"the AI has a bug: see its log"}"#);
        assert_eq!(answer, expected, "{kind:?}");
    }
}
