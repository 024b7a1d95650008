//! The bench: its deals are mirrored, its results repeat, and it asks an AI at a URL as the game master does.

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use fight_lambda_reference::bench::run::CannotRun;
use fight_lambda_reference::bench::{Bench, Tally, Terms};
use fight_lambda_reference::{Ai, Careful};
use gm_core::contract::duel::SEEN_HEADER;
use gm_core::contract::{DuelQuestion, Seen};
use std::collections::BTreeMap;
use tokio::net::TcpListener;

fn terms(a: &str, b: &str, weapons: [u32; 2], seed: u64) -> Terms {
    let contenders = [a, b].map(|it| it.parse().expect("a contender"));
    Terms { contenders, weapons, seed }
}

async fn play(terms: Terms, pairs: u32, jobs: usize) -> Tally {
    let bench = Bench::prepare(terms).await.expect("all can be reached");
    let mut running = bench.start(pairs, jobs);
    let mut tally = Tally::default();
    while let Some(pair) = running.next().await {
        tally.add(&pair);
    }
    assert_eq!(tally.pairs(), u64::from(pairs));
    tally
}

/// All that does not depend on the machine.
fn results(tally: &Tally) -> (Option<f64>, Option<[f64; 2]>, [u64; 3], Option<f64>) {
    (tally.score(), tally.interval(), tally.sums, tally.turns())
}

/// A deal that is played from both sides by the same AI is won once by each, or drawn twice.
#[tokio::test(flavor = "multi_thread")]
async fn an_ai_is_as_good_as_itself() {
    for (name, weapons, pairs) in [
        ("random", 5, 100),
        ("random", 13, 100),
        ("greedy", 1, 100),
        ("greedy", 8, 100),
        ("careful", 3, 100),
        ("ismcts:30", 5, 30),
        ("search:20", 5, 30),
    ] {
        let tally = play(terms(name, name, [weapons; 2], 1), pairs, 2).await;
        assert_eq!((tally.score(), tally.interval()), (Some(0.5), Some([0.5, 0.5])), "{name}, {weapons}");
        assert_eq!(tally.sums[0], tally.sums[2], "{name}, {weapons}");
        let moves = |who| tally.latency(who).map_or(0, |latency| latency.moves);
        assert_eq!(moves(0), moves(1), "{name}, {weapons}: each played both seats of the same duels");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_out_does_not_depend_on_how_many_are_played_at_once() {
    let terms = |seed| terms("ismcts:30", "random", [5, 6], seed);
    let one = results(&play(terms(1), 60, 1).await);
    assert_eq!(results(&play(terms(1), 60, 4).await), one);
    assert_ne!(results(&play(terms(2), 60, 1).await), one);
}

/// The bounds are far from what they do: 0.79 against chance, and 0.97 with ten cards against one.
#[tokio::test(flavor = "multi_thread")]
async fn a_is_the_first_one_and_keeps_its_weapons() {
    for (a, b, weapons, low, high) in [
        ("ismcts:100", "random", [5, 5], 0.65, 1.0),
        ("random", "ismcts:100", [5, 5], 0.0, 0.35),
        ("careful", "careful", [10, 1], 0.9, 1.0),
        ("careful", "careful", [1, 10], 0.0, 0.1),
    ] {
        let tally = play(terms(a, b, weapons, 1), 100, 2).await;
        let score = tally.score().expect("duels");
        assert!((low..=high).contains(&score), "{a} against {b}, {weapons:?}: {score}");
    }
}

/// Serves an AI on loopback, and gives its URL.
async fn serve(answer: impl Fn(&Uri, &HeaderMap) -> Response + Clone + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let answer = move |uri: Uri, headers: HeaderMap| async move { answer(&uri, &headers) };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    format!("http://{address}/action?key=1")
}

/// It plays as it would in process, so that it scores exactly 0.5 against itself: question and header come through.
#[tokio::test(flavor = "multi_thread")]
async fn a_4_an_ai_at_a_url_is_told_what_one_in_process_is() {
    let url = serve(|uri, headers| {
        let query = uri.query().expect("a query");
        assert!(query.starts_with("key=1&yourmoves="), "{query}");
        let mut question = DuelQuestion::from_query(query).expect("a question (A-1)");
        let seen = headers.get(SEEN_HEADER).and_then(|it| it.to_str().ok()).expect("a header (A-4)");
        question.seen = Some(Seen::from_header(seen).expect("what A-4 says"));
        let cards = Careful.play(&question);
        ([(header::CONTENT_TYPE, "application/json")], format!(r#"{{"res":{cards:?}}}"#)).into_response()
    })
    .await;
    let far = play(terms(&url, "careful", [6, 6], 3), 30, 3).await;
    assert_eq!((far.score(), far.interval()), (Some(0.5), Some([0.5, 0.5])));
    assert!(far.sides.iter().all(|side| side.reasons.is_empty()));
    let near = play(terms("careful", "careful", [6, 6], 3), 30, 1).await;
    assert_eq!(results(&far), results(&near));
}

/// What the AI answers, and what it loses all its duels by.
#[tokio::test(flavor = "multi_thread")]
async fn r_6_3_what_is_no_play_loses_the_duel() {
    let json = |body: &'static str| ([(header::CONTENT_TYPE, "application/json")], body).into_response();
    type Answer = Box<dyn Fn() -> Response + Send + Sync>;
    let cases: [(&str, bool, Answer); 7] = [
        ("status 503", false, Box::new(|| StatusCode::SERVICE_UNAVAILABLE.into_response())),
        ("status 307", false, Box::new(|| Redirect::temporary("/elsewhere").into_response())),
        ("the answer was not JSON", false, Box::new(|| "nonsense".into_response())),
        ("the answer was JSON, but not what was asked for", false, Box::new(move || json("{}"))),
        ("the answer was larger than 64 KiB", false, Box::new(|| " ".repeat(70_000).into_response())),
        ("no card was played", true, Box::new(move || json(r#"{"res":[]}"#))),
        ("there is no card 9", true, Box::new(move || json(r#"{"res":[9]}"#))),
    ];
    for (reason, illegal, answer) in cases {
        let answer = std::sync::Arc::new(answer);
        let url = serve(move |_, _| answer()).await;
        let tally = play(terms(&url, "greedy", [5, 5], 1), 3, 1).await;
        assert_eq!((tally.score(), tally.sums), (Some(0.0), [0, 0, 6]), "{reason}");
        let lost = &tally.sides[0];
        let expected = if illegal { (6, 0) } else { (0, 6) };
        assert_eq!((lost.illegal, lost.unanswered), expected, "{reason}");
        assert_eq!(lost.reasons, BTreeMap::from([(reason.to_owned(), 6)]));
        assert!(tally.sides[1].reasons.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_there_is_said_before_anything_is_played() {
    // A port that was free a moment ago.
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    drop(listener);
    let refused = Bench::prepare(terms("greedy", &url, [5, 5], 1)).await.err();
    assert_eq!(refused, Some(CannotRun::Unreachable(url)));
    // Whoever refuses is there.
    let url = serve(|_, _| StatusCode::UNPROCESSABLE_ENTITY.into_response()).await;
    assert!(Bench::prepare(terms(&url, "greedy", [5, 5], 1)).await.is_ok());
}
