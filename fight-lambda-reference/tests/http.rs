//! The AI over real HTTP on loopback (A-1 to A-4).

use fight_lambda_reference::{Mind, server};
use gm_core::contract::{Answer, ContentType};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const PATIENCE: Duration = Duration::from_secs(20);

async fn start(mind: Mind) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(server::serve(listener, mind, 1));
    address
}

/// Sends a request just as it is written here, brackets and all.
async fn send(address: SocketAddr, request: &str, headers: &str) -> Answer {
    let exchange = async {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let text = format!("{request} HTTP/1.1\r\nHost: ai.example\r\nConnection: close\r\n{headers}\r\n");
        stream.write_all(text.as_bytes()).await.expect("a request sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer
    };
    let answer = tokio::time::timeout(PATIENCE, exchange).await.expect("an answer in time");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).expect("a status").parse().expect("a number");
    let json = head.to_lowercase().contains("\r\ncontent-type: application/json\r\n");
    let content_type = if json { ContentType::Json } else { ContentType::Other };
    Answer { status, content_type, body: body.into() }
}

#[tokio::test]
async fn a_1_requests_and_answers() {
    let address = start(Mind::Careful).await;
    let query = "yourmoves=[5,5,5]&othermoves=[2]&cards=[1,5,5,5]&othernbcards=2";
    let escaped = query.replace('[', "%5B").replace(']', "%5D").replace(',', "%2C");
    let mixed = "othernbcards=2&cards=[1,5,5,5]&stage=prod&yourmoves=%5b5,5,5%5d&othermoves=[2]";
    let hit = r#"{"res":[5,5,5]}"#;
    for (request, status, body) in [
        (format!("GET /action?{query}"), 200, hit),
        (format!("GET /prod/action?{query}"), 200, hit),
        (format!("GET /?{query}"), 200, hit),
        (format!("GET /action?{escaped}"), 200, hit),
        (format!("GET /action?{mixed}"), 200, hit),
        ("GET /action".to_owned(), 422, r#"{"error":"yourmoves is missing"}"#),
        (
            "GET /action?yourmoves=[]&othermoves=[]&othernbcards=1".to_owned(),
            422,
            r#"{"error":"cards is missing"}"#,
        ),
        (
            "GET /action?yourmoves=[]&othermoves=[]&cards=[]&othernbcards=1".to_owned(),
            422,
            r#"{"error":"none of the cards can be played: this duel is lost"}"#,
        ),
        (
            "GET /action?yourmoves=[]&othermoves=[]&cards=[1]&othernbcards=one".to_owned(),
            422,
            r#"{"error":"othernbcards is not a whole number from 0 to 25"}"#,
        ),
        (format!("POST /action?{query}"), 405, r#"{"error":"a duel AI is asked with GET"}"#),
        (format!("DELETE /?{query}"), 405, r#"{"error":"a duel AI is asked with GET"}"#),
    ] {
        let answer = send(address, &request, "").await;
        let expected = Answer { status, content_type: ContentType::Json, body: body.into() };
        assert_eq!(answer, expected, "{request}: {}", String::from_utf8_lossy(&answer.body));
    }
}

/// The example of A-1, with a header and without.
#[tokio::test]
async fn a_4_the_header_is_read_and_may_be_nonsense() {
    let address = start(Mind::Careful).await;
    let request = "GET /action?yourmoves=[4,5,0,0]&othermoves=[4,5,0,0]&cards=[1,4]&othernbcards=3";
    let seen = r#"{"distance":4,"hand_size":2,"other_hand_size":5,"pile":9,"first":true,"turns":[{"you":true,"move":4},{"you":false,"move":4},{"you":true,"move":5},{"you":false,"move":5,"attack":[4,4],"parried":true}]}"#;
    let answer = send(address, request, &format!("X-EACC-DUEL: {seen}\r\n")).await;
    assert_eq!(answer, Answer::ok(r#"{"res":[4]}"#));
    for nonsense in ["X-EACC-DUEL: \r\n", "X-EACC-DUEL: {\r\n", "X-EACC-DUEL: \u{e9}\r\n"] {
        assert_eq!(send(address, request, nonsense).await.status, 200, "{nonsense:?}");
    }
}

#[tokio::test]
async fn the_same_question_gets_the_same_answer_from_any_server() {
    let (one, other) = (start(Mind::Random).await, start(Mind::Random).await);
    for cards in ["1,2,3,4,5", "1,1,1,2", "5,4"] {
        let request = format!("GET /action?yourmoves=[5]&othermoves=[4]&cards=[{cards}]&othernbcards=5");
        let first = send(one, &request, "").await;
        assert_eq!(first.status, 200);
        assert_eq!(send(one, &request, "").await, first);
        assert_eq!(send(other, &request, "").await, first);
    }
}
