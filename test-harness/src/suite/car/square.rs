//! C-6, C-7: the car is told its square.
//!
//! ```text
//! PATCH /state            {"square": 42}  →  2xx, and GET /state says 42
//! PUT   /state/position   {"square": 41}  →  2xx, and GET /state says 41
//! ```

use super::Talk;
use super::transport::give_back_square;
use crate::client::Ask;
use crate::suite::case::{Case, Done, Level};
use futures_util::FutureExt;
use gm_core::contract::CarRequest;
use gm_core::ids::Square;
use gm_core::race::rules::MOST_SQUARES;

/// Squares that are told: neighbours, the last of the ring, far beyond it (R-1.4), and the first.
const SQUARES: [u32; 8] = [1, 42, 41, 299, 300, 301, 905, 0];

/// Squares that don't fit into 15, 16, 20, 31 bits, or what somebody took for enough, up to the last that there is.
const FAR_SQUARES: [u32; 9] =
    [1_001, 10_001, 32_768, 65_536, MOST_SQUARES, 16_777_217, 0x7fff_ffff, 0x8000_0000, u32::MAX];

/// Bodies that say no square.
const NO_SQUARE: [&str; 8] = [
    "",
    "not json",
    "{",
    "{}",
    "[]",
    r#"{"square": -1}"#,
    r#"{"square": null}"#,
    r#"{"square": {"square": 3}}"#,
];

/// The cases.
pub(super) fn cases() -> Vec<Case<Talk>> {
    const MOVE: &str = "a penalty after every move (R-3.1)";
    const STEP: &str =
        "a penalty after each purchase in a garage and each bonus that moves the car (R-5.4, R-12.2)";
    vec![
        Case {
            id: "C-6.1",
            requirement: "C-6",
            title: "PATCH /state is accepted",
            level: Level::Must,
            needs: &["C-20.8"],
            hint: "answer PATCH /state with 200; the body is {\"square\": 42}",
            costs: MOVE,
            check: |talk| accepted(talk, CarRequest::SetSquare).boxed(),
        },
        Case {
            id: "C-6.2",
            requirement: "C-6",
            title: "the state reports the square that PATCH /state told",
            level: Level::Must,
            needs: &["C-6.1", "C-5.1"],
            hint: "keep the number as it is told: it replaces the old one, may be smaller, and counts on past 300",
            costs: MOVE,
            check: |talk| reported(talk, &SQUARES, CarRequest::SetSquare).boxed(),
        },
        Case {
            id: "C-6.3",
            requirement: "C-6",
            title: "telling the same square twice changes nothing",
            level: Level::Must,
            needs: &["C-6.2"],
            hint: "the number is where the car is, not how far it goes",
            costs: "a penalty whenever a request is sent again (R-7.1)",
            check: |talk| twice(talk).boxed(),
        },
        Case {
            id: "C-6.4",
            requirement: "C-6",
            title: "PATCH /state changes no module",
            level: Level::Must,
            needs: &["C-6.2", "C-4.4"],
            hint: "PATCH /state is about the square alone",
            costs: "a penalty after every move (R-3.1)",
            check: |talk| no_module(talk).boxed(),
        },
        Case {
            id: "C-6.5",
            requirement: "C-6",
            title: "a PATCH /state without a square is refused with 4xx and changes nothing",
            level: Level::Should,
            needs: &["C-6.2"],
            hint: "read the body first; where it holds no whole number from 0 on, answer 422 and leave all as it is",
            costs: "nothing: the game master never sends such a body",
            check: |talk| refused(talk, "PATCH", "/state").boxed(),
        },
        Case {
            id: "C-6.6",
            requirement: "C-6",
            title: "PATCH /state takes squares up to 4294967295",
            level: Level::Must,
            needs: &["C-6.2"],
            hint: "keep the square in a type that holds 32 bits without a sign, and set no limit of your own",
            costs: "a penalty after every move (R-3.1), from the square on that the car does not take",
            check: |talk| reported(talk, &FAR_SQUARES, CarRequest::SetSquare).boxed(),
        },
        Case {
            id: "C-7.1",
            requirement: "C-7",
            title: "PUT /state/position is accepted",
            level: Level::Must,
            needs: &["C-20.8"],
            hint: "answer PUT /state/position with 200; the body is {\"square\": 41}",
            costs: STEP,
            check: |talk| accepted(talk, CarRequest::SetPosition).boxed(),
        },
        Case {
            id: "C-7.2",
            requirement: "C-7",
            title: "the state reports the square that PUT /state/position told",
            level: Level::Must,
            needs: &["C-7.1", "C-5.1"],
            hint: "PATCH /state and PUT /state/position tell the same square, whose last word counts",
            costs: STEP,
            check: |talk| reported(talk, &SQUARES, CarRequest::SetPosition).boxed(),
        },
        Case {
            id: "C-7.3",
            requirement: "C-7",
            title: "a PUT /state/position without a square is refused with 4xx and changes nothing",
            level: Level::Should,
            needs: &["C-7.2"],
            hint: "read the body first; where it holds no whole number from 0 on, answer 422 and leave all as it is",
            costs: "nothing: the game master never sends such a body",
            check: |talk| refused(talk, "PUT", "/state/position").boxed(),
        },
        Case {
            id: "C-7.4",
            requirement: "C-7",
            title: "PUT /state/position takes squares up to 4294967295",
            level: Level::Must,
            needs: &["C-7.2"],
            hint: "keep the square in a type that holds 32 bits without a sign, and set no limit of your own",
            costs: "a penalty after each purchase in a garage and each bonus that moves the car (R-5.4, R-12.2), from the square on that the car does not take",
            check: |talk| reported(talk, &FAR_SQUARES, CarRequest::SetPosition).boxed(),
        },
    ]
}

async fn accepted(talk: &mut Talk, told: fn(Square) -> CarRequest) -> Done {
    let square = talk.found().map_or(0, |found| u32::try_from(found.square).unwrap_or(u32::MAX));
    talk.tell(&told(Square(square))).await?;
    Ok(())
}

async fn reported(talk: &mut Talk, squares: &[u32], told: fn(Square) -> CarRequest) -> Done {
    let before = talk.state().await?.square;
    for &square in squares {
        let request = told(Square(square));
        talk.tell(&request).await?;
        talk.expect_square(u64::from(square), &format!("{request} {{\"square\": {square}}}")).await?;
    }
    talk.tell(&told(Square(u32::try_from(before).unwrap_or(u32::MAX)))).await?;
    Ok(())
}

async fn twice(talk: &mut Talk) -> Done {
    for _ in 0..2 {
        talk.tell(&CarRequest::SetSquare(Square(17))).await?;
    }
    talk.expect_square(17, "PATCH /state {\"square\": 17}, twice").await?;
    give_back_square(talk).await
}

async fn no_module(talk: &mut Talk) -> Done {
    let before = talk.counts().await?;
    talk.tell(&CarRequest::SetSquare(Square(18))).await?;
    talk.expect_counts(before, "a PATCH /state").await?;
    give_back_square(talk).await
}

async fn refused(talk: &mut Talk, method: &str, path: &str) -> Done {
    let before = talk.state().await?.square;
    for body in NO_SQUARE {
        let id = talk.fresh_id();
        let ask = talk.signed(Ask::new(method, path).body(body), &id);
        let status = talk.send_raw(ask).await.status();
        if !status.is_some_and(|status| (400..500).contains(&status)) {
            return Err(talk.unlike(format!("a status of 4xx to the body {body:?}")).into());
        }
        talk.expect_square(before, &format!("a refused {method} {path} with the body {body:?}")).await?;
    }
    Ok(())
}
