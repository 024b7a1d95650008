//! How a car is asked: headers, names, keep-alive, one request at a time.

use super::raw::{Act, RawServer, Seen, json, say};
use super::*;
use crate::drive::{Asked, Witness};
use futures_util::future::join_all;
use gm_core::contract::{Answer, CarRequest, Fault, Kind};
use gm_core::ids::Square;
use gm_core::ports::Car;
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};
use tokio::time::Instant;

const SET_SQUARE: CarRequest = CarRequest::SetSquare(Square(42));

/// C-20: all headers of two requests, one with a body and one without, and nothing else.
#[tokio::test]
async fn c_20_the_headers() {
    let server = RawServer::start(|_, _| vec![json("{}")]).await;
    let mut car = car_of(&world(), &server.url());
    car.exchange(&SET_SQUARE).await.expect("an answer");
    car.exchange(&CarRequest::State).await.expect("an answer");
    let [set, get] = &server.requests()[..] else { panic!("two requests") };
    let host = format!("host: 127.0.0.1:{}", server.port);
    let agent = format!("user-agent: gm/{}", env!("CARGO_PKG_VERSION"));
    let sorted = |seen: &Seen| {
        let mut headers = seen.headers.clone();
        headers.sort();
        headers
    };
    assert_eq!((set.line.as_str(), set.body.as_str()), ("PATCH /state HTTP/1.1", r#"{"square":42}"#));
    assert_eq!(
        sorted(set),
        [
            "content-length: 13",
            "content-type: application/json",
            &host,
            &agent,
            "x-eacc-request-id: race-7f3a-t12-track-c3-1",
            "x-eacc-secret: s3cret",
        ]
    );
    assert_eq!((get.line.as_str(), get.body.as_str()), ("GET /state HTTP/1.1", ""));
    assert_eq!(
        sorted(get),
        [&host, &agent, "x-eacc-request-id: race-7f3a-t12-track-c3-2", "x-eacc-secret: s3cret"]
    );
}

/// C-20: another team's car is not told this team's secret.
#[tokio::test]
async fn c_20_no_other_teams_secret() {
    let server = RawServer::start(|_, _| vec![json("{}")]).await;
    let url = BaseUrl::parse(&server.url()).expect("a URL");
    let mut car = world().car(chain(Topic::Track), TeamId(8), &url);
    car.exchange(&CarRequest::State).await.expect("an answer");
    assert_eq!(server.requests()[0].header("x-eacc-secret"), None);
}

/// C-11: the name of a module, and the line that goes over the wire, behind a base URL with a path of its own.
#[tokio::test]
async fn c_11_names_on_the_wire() {
    let server = RawServer::start(|_, _| vec![json("{}")]).await;
    let mut car = car_of(&world(), &format!("{}/my/car/", server.url()));
    let rows = [
        ("engine-t12-c3-1", "engine-t12-c3-1"),
        ("V8 n°1", "V8%20n%C2%B01"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        ("../state", "..%2Fstate"),
        ("%2e%2e", "%252e%252e"),
        ("a?b#c", "a%3Fb%23c"),
        ("a\r\nx: y", "a%0D%0Ax%3A%20y"),
        ("a\\b|c", "a%5Cb%7Cc"),
    ];
    for (name, _) in rows {
        let lose = CarRequest::Lose { kind: Kind::Engine, name: name.into() };
        car.exchange(&lose).await.expect("an answer");
    }
    for ((name, written), seen) in rows.iter().zip(server.requests()) {
        assert_eq!(seen.line, format!("DELETE /my/car/engine/{written} HTTP/1.1"), "{name:?}");
    }
}

/// A name that no URL can hold is a fault, not a panic.
#[tokio::test]
async fn a_name_without_end_is_a_fault() {
    let server = RawServer::start(|_, _| vec![json("{}")]).await;
    let lose = CarRequest::Lose { kind: Kind::Weapon, name: "w".repeat(70_000) };
    let mut car = car_of(&world(), &server.url());
    assert_eq!(car.exchange(&lose).await, Err(Fault::Unreachable));
    assert_eq!(server.connections(), 0);
}

/// C-21: one connection for all of a car's conversations, for as long as the car keeps it.
#[tokio::test]
async fn c_21_keep_alive() {
    let server = RawServer::start(|_, _| vec![json("1")]).await;
    let world = world();
    for _ in 0..3 {
        let mut car = car_of(&world, &server.url());
        for _ in 0..3 {
            assert_eq!(car.exchange(&CarRequest::State).await, Ok(Answer::ok("1")));
        }
    }
    assert_eq!((server.requests().len(), server.connections()), (9, 1));
}

/// A car that says that it closes is taken at its word.
#[tokio::test]
async fn c_21_connection_close() {
    let server = RawServer::start(|_, _| {
        vec![say("HTTP/1.1 200 OK\nconnection: close\ncontent-length: 1\n\n1"), Act::Close]
    })
    .await;
    let mut car = car_of(&world(), &server.url());
    for _ in 0..3 {
        assert_eq!(car.exchange(&CarRequest::State).await.map(|answer| answer.status), Ok(200));
    }
    assert_eq!((server.requests().len(), server.connections()), (3, 3));
}

/// A request that crosses the close of an idle connection goes out once more: the acts for the second request (on
/// the idle connection) and for the third (on a new one), what comes of it, and how many requests were seen.
#[tokio::test]
async fn c_20_sent_again_when_an_idle_connection_was_closed() {
    let half = say("HTTP/1.1 200 OK\nconte");
    for (name, second, third, expected, seen) in [
        ("closed, then answered", vec![Act::Close], vec![json("2")], Ok(Answer::ok("2")), 3),
        ("closed, then closed", vec![Act::Close], vec![Act::Close], Err(Fault::Broken), 3),
        ("closed, then silent", vec![Act::Close], vec![Act::Silence], Err(Fault::Late), 3),
        ("broken off in the answer", vec![half, Act::Close], vec![json("2")], Err(Fault::Broken), 2),
        ("silent", vec![Act::Silence], vec![json("2")], Err(Fault::Late), 2),
    ] {
        let server = RawServer::start(move |number, _| match number {
            0 => vec![json("1")],
            1 => second.clone(),
            _ => third.clone(),
        })
        .await;
        let mut car = car_of(&world(), &server.url());
        car.exchange(&CarRequest::State).await.expect("an answer");
        let begin = Instant::now();
        assert_eq!(car.exchange(&SET_SQUARE).await, expected, "{name}");
        assert!(begin.elapsed() < 3 * DEADLINE, "{name}: took {:?}", begin.elapsed());
        let requests = server.requests();
        assert_eq!(requests.len(), seen, "{name}");
        let ids: Vec<_> = requests[1..].iter().map(|seen| seen.header("x-eacc-request-id")).collect();
        assert_eq!(ids, vec![Some("race-7f3a-t12-track-c3-2"); seen - 1], "{name}");
        assert!(requests[1..].iter().all(|seen| seen.body == r#"{"square":42}"#), "{name}");
    }
}

/// A connection that was idle for so long that a usual server is about to close it is not used.
#[tokio::test]
async fn c_21_an_old_connection_is_not_used() {
    let server = RawServer::start(|_, _| vec![json("1")]).await;
    let mut car = car_of(&world(), &server.url());
    for (idle, connections) in [(0, 1), (2, 1), (2, 1), (3, 2), (60, 3), (2, 3)] {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(idle)).await;
        tokio::time::resume();
        assert_eq!(car.exchange(&CarRequest::State).await, Ok(Answer::ok("1")));
        assert_eq!(server.connections(), connections, "after {idle} s");
    }
}

/// An idle connection that is known to be closed is not used at all.
#[tokio::test]
async fn c_21_a_closed_connection_is_not_used() {
    let server = RawServer::start(|_, _| vec![json("1"), Act::Close]).await;
    let mut car = car_of(&world(), &server.url());
    for _ in 0..3 {
        assert_eq!(car.exchange(&CarRequest::State).await, Ok(Answer::ok("1")));
    }
    assert_eq!((server.requests().len(), server.connections()), (3, 3));
}

/// Four requests to cars that need 150 ms for each, all at once: the four base URLs, how many may be under way in
/// all, how many of them the server sees at the same time. All are answered, although the last may wait for longer
/// than a deadline (R-7.9).
#[tokio::test]
async fn c_23_one_request_at_a_time() {
    for (name, paths, in_flight, most) in [
        ("C-23: one car", ["/a", "/a", "/a", "/a"], 16, 1),
        ("C-23: one car, written in two ways", ["/a", "/a/", "/a", "/a/"], 16, 1),
        ("two cars", ["/a", "/b", "/a", "/b"], 16, 2),
        ("four cars", ["/a", "/b", "/c", "/d"], 16, 4),
        ("R-7.9: four cars, one place", ["/a", "/b", "/c", "/d"], 1, 1),
        ("R-7.9: four cars, no place at all is taken for one", ["/a", "/b", "/c", "/d"], 0, 1),
    ] {
        let slow = Act::Pause(Duration::from_millis(150));
        let server = RawServer::start(move |_, _| vec![slow.clone(), json("1")]).await;
        let mut settings = settings();
        settings.limits.in_flight = in_flight;
        let world = HttpWorld::new(settings).expect("good settings");
        let outcomes = join_all(paths.map(|path| {
            let mut car = car_of(&world, &format!("{}{path}", server.url()));
            async move { car.exchange(&CarRequest::State).await }
        }));
        assert_eq!(outcomes.await, vec![Ok(Answer::ok("1")); 4], "{name}");
        assert_eq!(server.most_under_way(), most, "{name}");
    }
}

/// R-7.9: a deadline that passed while the game master itself stood still is not the car's.
#[tokio::test]
async fn r_7_9_what_the_game_master_oversleeps_costs_nothing() {
    let server = RawServer::start(|_, _| vec![json("1")]).await;
    let mut car = car_of(&world(), &server.url());
    // The server shares this thread. It hears of the request, and then nothing moves until the deadline is long past.
    let overloaded = async {
        server.heard.notified().await;
        let begin = std::time::Instant::now();
        while begin.elapsed() < 3 * DEADLINE {
            std::hint::spin_loop();
        }
    };
    let (outcome, ()) = tokio::join!(car.exchange(&CarRequest::State), overloaded);
    assert_eq!(outcome, Ok(Answer::ok("1")));
}

/// R-7.9: a game master with fewer files than cars. Each car has a connection that is kept alive; when there is no
/// file for another, idle ones are closed, and no car is told to be unreachable. The test runs itself again, with a
/// limit on its files; the cars stay in this process.
#[cfg(unix)]
#[tokio::test]
async fn r_7_9_more_cars_than_files() {
    const CHILD: &str = "GM_TEST_CARS_FOR_FEW_FILES";
    const CARS: usize = 100;
    if let Ok(cars) = std::env::var(CHILD) {
        let world = world();
        for number in 0..CARS {
            let outcome = car_of(&world, &format!("{cars}/{number}")).exchange(&CarRequest::State).await;
            assert_eq!(outcome, Ok(Answer::ok("1")), "car {number}");
        }
        return;
    }
    let server = RawServer::start(|_, _| vec![json("1")]).await;
    let mut child = tokio::process::Command::new("sh");
    child.args(["-c", "ulimit -n 48 && exec \"$0\" \"$@\""]).arg(std::env::current_exe().expect("this test"));
    child.args(["drive::tests::cars::r_7_9_more_cars_than_files", "--exact"]).env(CHILD, server.url());
    let output = child.kill_on_drop(true).output().await.expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!((server.requests().len(), server.connections()), (CARS, CARS));
}

/// Variables that name a proxy are not looked at. The test runs itself again, with the variables set.
#[tokio::test]
async fn c_21_no_proxy() {
    const CHILD: &str = "GM_TEST_BEHIND_A_PROXY";
    if std::env::var_os(CHILD).is_some() {
        let server = RawServer::start(|_, _| vec![json("1")]).await;
        let mut car = car_of(&world(), &server.url());
        assert_eq!(car.exchange(&CarRequest::State).await, Ok(Answer::ok("1")));
        return;
    }
    let proxy = TcpListener::bind("127.0.0.1:0").expect("a free port");
    proxy.set_nonblocking(true).expect("a socket");
    let url = format!("http://{}", proxy.local_addr().expect("bound"));
    let mut child = Command::new(std::env::current_exe().expect("this test"));
    child.args(["drive::tests::cars::c_21_no_proxy", "--exact"]).env(CHILD, "1");
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(name, &url);
    }
    let output = child.env_remove("NO_PROXY").env_remove("no_proxy").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    assert!(proxy.accept().is_err(), "the proxy was contacted");
}

/// The witness sees each request when it is sent and when it is answered, in order.
#[tokio::test]
async fn the_witness() {
    #[derive(Default)]
    struct Notes(Mutex<Vec<String>>);
    impl Witness for Notes {
        fn asked(&self, asked: &Asked<'_>) {
            let path = asked.url.rsplit_once('/').map_or("", |(_, last)| last);
            self.note(format!("{} {} {} {path}", asked.chain, asked.number, asked.method));
        }
        fn answered(&self, _: &Asked<'_>, outcome: &Result<Answer, Fault>, latency: Duration) {
            assert!(latency <= DEADLINE);
            self.note(outcome.as_ref().map_or_else(ToString::to_string, |answer| answer.status.to_string()));
        }
    }
    impl Notes {
        fn note(&self, text: String) {
            self.0.lock().expect("not poisoned").push(text);
        }
    }
    let server = RawServer::start(|number, _| vec![if number == 0 { json("1") } else { Act::Silence }]).await;
    let notes = Arc::new(Notes::default());
    let mut settings = settings();
    settings.witness = Arc::<Notes>::clone(&notes);
    let mut car = car_of(&HttpWorld::new(settings).expect("good settings"), &server.url());
    let _ = car.exchange(&CarRequest::State).await;
    let _ = car.exchange(&SET_SQUARE).await;
    assert_eq!(
        *notes.0.lock().expect("not poisoned"),
        ["t12-track-c3 1 GET state", "200", "t12-track-c3 2 PATCH state", "no answer within the deadline"]
    );
}
