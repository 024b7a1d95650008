//! How a duel AI is asked: the query, the headers, a line for each seat, the clock of the duel.

use super::raw::{Act, RawServer, json};
use super::*;
use crate::drive::{HttpDuelAi, HttpDuelClock};
use gm_core::arena::Seat;
use gm_core::contract::duel::{Seen, SeenTurn};
use gm_core::contract::{DuelQuestion, DuelUrl, Fault};
use gm_core::ids::Seconds;
use gm_core::ports::{DuelAi, DuelClock, Duellist, PirateMind};

fn question() -> DuelQuestion {
    let turn = SeenTurn { you: false, step: Some(5), attack: vec![4, 4], parried: Some(true) };
    let seen =
        Seen { distance: 9, hand_size: 2, other_hand_size: 2, pile: 6, first: true, turns: vec![turn] };
    DuelQuestion {
        your_moves: vec![0, 0],
        other_moves: vec![5, 0, 0],
        cards: vec![3, 2],
        other_cards: 5,
        seen: Some(seen),
    }
}

fn seat_of(server: &RawServer, path: &str) -> Duellist {
    let url = DuelUrl::parse(&format!("{}{path}", server.url())).expect("a URL");
    Duellist::Car { chain: chain(Topic::FightDuel), team: TeamId(7), url }
}

fn pirates() -> Duellist {
    Duellist::Pirates { chain: chain(Topic::PirateMind), mind: PirateMind::Careful, seed: 1 }
}

fn duel(duellists: [Duellist; 2], limit: u32) -> ([HttpDuelAi; 2], HttpDuelClock) {
    world().duel(duellists, Seconds(limit))
}

/// A-1, A-4, C-20: the whole request, byte for byte but for the order of headers; and no secret, although the team
/// has one.
#[tokio::test]
async fn a_1_the_request() {
    let server = RawServer::start(|_, _| vec![json(r#"{"res":[3]}"#)]).await;
    let ([mut ai, _], _) = duel([seat_of(&server, "/prod/action?key=a%20b"), pirates()], 30);
    for _ in 0..2 {
        assert_eq!(ai.plays(&question()).await.map(|taken| taken.value), Ok(vec![3]));
    }
    assert_eq!(server.connections(), 1, "kept alive");
    for (number, seen) in (1..).zip(server.requests()) {
        assert_eq!(
            seen.line,
            "GET /prod/action?key=a%20b&yourmoves=[0,0]&othermoves=[5,0,0]&cards=[3,2]&othernbcards=5 HTTP/1.1"
        );
        let mut headers = seen.headers.clone();
        headers.sort();
        assert_eq!(
            headers,
            [
                format!("host: 127.0.0.1:{}", server.port),
                format!("user-agent: gm/{}", env!("CARGO_PKG_VERSION")),
                r#"x-eacc-duel: {"distance":9,"hand_size":2,"other_hand_size":2,"pile":6,"first":true,"turns":[{"you":false,"move":5,"attack":[4,4],"parried":true}]}"#.into(),
                format!("x-eacc-request-id: race-7f3a-t12-duel-c3-{number}"),
            ]
        );
    }
}

/// A-1: a URL without a path.
#[tokio::test]
async fn a_1_a_url_without_a_path() {
    let server = RawServer::start(|_, _| vec![json("[3]")]).await;
    let ([mut ai, _], _) = duel([seat_of(&server, ""), pirates()], 30);
    assert_eq!(ai.plays(&question()).await.map(|taken| taken.value), Ok(vec![3]));
    assert!(server.requests()[0].line.starts_with("GET /?yourmoves=[0,0]&"));
}

/// A-3: what an AI does instead of answering, and the fault.
#[tokio::test]
async fn a_3_bad_answers() {
    let oops = super::raw::say("HTTP/1.1 502 Bad Gateway\ncontent-length: 0\n\n");
    for (act, fault) in [
        (Act::Silence, Fault::Late),
        (Act::Endless("HTTP/1.1 100 Continue\r\n\r\n".repeat(64)), Fault::TooLarge),
        (Act::Close, Fault::Broken),
        (oops, Fault::Status(502)),
        (json("<html>"), Fault::NotJson),
        (json(r#"{"res":"three"}"#), Fault::NotTheValue),
    ] {
        let server = RawServer::start(move |_, _| vec![act.clone()]).await;
        let ([mut ai, _], _) = duel([seat_of(&server, "/ai"), pirates()], 30);
        assert_eq!(ai.plays(&question()).await, Err(fault));
        assert_eq!(server.requests().len(), 1, "{fault}: asked once");
    }
}

/// The seats of two duels against one AI at the same time do not wait for each other: C-23 is about cars.
#[tokio::test]
async fn an_ai_is_asked_in_parallel() {
    let slow = Act::Pause(Duration::from_millis(150));
    let server = RawServer::start(move |_, _| vec![slow.clone(), json("[3]")]).await;
    let ([mut first, mut second], _) = duel([seat_of(&server, "/ai"), seat_of(&server, "/ai")], 30);
    let question = question();
    let plays = tokio::join!(first.plays(&question), second.plays(&question));
    assert!(plays.0.is_ok() && plays.1.is_ok());
    assert_eq!((server.most_under_way(), server.connections()), (2, 2));
}

/// R-6.8: the clock adds up what each seat's answers took; the slower one is overdue, pirates never are.
#[tokio::test]
async fn r_6_8_the_clock_of_a_duel() {
    let quick = RawServer::start(|_, _| vec![json("[3]")]).await;
    let slow = RawServer::start(|_, _| vec![Act::Pause(Duration::from_millis(350)), json("[3]")]).await;
    for (slow_seat, duellists) in [
        (0, [seat_of(&slow, "/ai"), seat_of(&quick, "/ai")]),
        (1, [seat_of(&quick, "/ai"), seat_of(&slow, "/ai")]),
        (1, [pirates(), seat_of(&slow, "/ai")]),
    ] {
        let (mut seats, mut clock) = duel(duellists, 1);
        for round in 0..3 {
            assert_eq!(clock.overdue().await, None, "round {round}");
            for seat in &mut seats {
                let _ = seat.plays(&question()).await;
            }
        }
        assert_eq!(clock.overdue().await, Some(Seat(slow_seat)));
    }
}

/// R-5.1: the pirates play a card, and no socket is needed for it.
#[tokio::test]
async fn r_5_1_pirates_play() {
    let ([mut one, _], _) = duel([pirates(), pirates()], 30);
    assert_eq!(one.plays(&question()).await.map(|taken| taken.value.len()), Ok(1));
}
