//! C-8: the car leaves the race, and comes back.
//!
//! ```text
//! DELETE /state  →  2xx        PATCH /state {"square": 42}  →  2xx, and the car is in the race again
//! ```

use super::Talk;
use super::gains::{gain, give_back};
use super::transport::give_back_square;
use crate::suite::case::{Case, Done, Level};
use futures_util::FutureExt;
use gm_core::contract::{CarRequest, Kind};
use gm_core::ids::Square;

/// The cases.
pub(super) fn cases() -> Vec<Case<Talk>> {
    vec![
        Case {
            id: "C-8.1",
            requirement: "C-8",
            title: "DELETE /state is accepted",
            level: Level::Should,
            needs: &["C-20.8"],
            hint: "answer DELETE /state with 200: the car is out of the race, and should still answer",
            costs: "nothing: a car that is out of the race is out, whatever it answers (R-7.4)",
            check: |talk| leaves(talk).boxed(),
        },
        Case {
            id: "C-8.2",
            requirement: "C-8",
            title: "PATCH /state puts a retired car back into the race",
            level: Level::Must,
            needs: &["C-6.2"],
            hint: "a car that was told DELETE /state takes PATCH /state as before; keep its process running",
            costs: "a penalty in every turn after the jury has put the car back (R-10.3)",
            check: |talk| comes_back(talk).boxed(),
        },
        Case {
            id: "C-8.3",
            requirement: "C-8",
            title: "a second DELETE /state is accepted, too",
            level: Level::Should,
            needs: &["C-8.1", "C-8.2"],
            hint: "a car that is out of the race can be told so again",
            costs: "nothing (R-7.4)",
            check: |talk| leaves_twice(talk).boxed(),
        },
        Case {
            id: "C-8.4",
            requirement: "C-8",
            title: "a car that comes back has the modules that it had",
            level: Level::Should,
            needs: &["C-8.2", "C-6.4", "C-10.1"],
            hint: "DELETE /state says that the car is out of the race; its modules stay",
            costs: "nothing: the jury tells the car its modules again (R-10.3)",
            check: |talk| keeps_modules(talk).boxed(),
        },
        Case {
            id: "C-8.5",
            requirement: "C-8",
            title: "a car that is out of the race answers as before, and keeps its square and modules",
            level: Level::Should,
            needs: &["C-5.2", "C-8.4"],
            hint: "DELETE /state changes nothing that the car says of itself: go on answering, with the same square",
            costs: "nothing: the game master asks a car that is out of the race no more, and tells it all again (R-10.3)",
            check: |talk| answers_as_before(talk).boxed(),
        },
    ]
}

async fn leaves(talk: &mut Talk) -> Done {
    talk.tell(&CarRequest::Retire).await?;
    // Whether that works is for C-8.2 to say.
    let square = talk.found().map_or(0, |found| u32::try_from(found.square).unwrap_or(u32::MAX));
    talk.send(&CarRequest::SetSquare(Square(square))).await;
    Ok(())
}

async fn comes_back(talk: &mut Talk) -> Done {
    // Whether it is accepted is for C-8.1 to say.
    talk.send(&CarRequest::Retire).await;
    talk.tell(&CarRequest::SetSquare(Square(23))).await?;
    talk.expect_square(23, "DELETE /state and PATCH /state {\"square\": 23}").await?;
    give_back_square(talk).await
}

async fn leaves_twice(talk: &mut Talk) -> Done {
    talk.tell(&CarRequest::Retire).await?;
    talk.tell(&CarRequest::Retire).await?;
    give_back_square(talk).await
}

async fn keeps_modules(talk: &mut Talk) -> Done {
    give_back_square(talk).await?;
    // One that is sure to be there, whatever became of the others when the car left before.
    let name = talk.fresh_name(Kind::Weapon);
    gain(talk, Kind::Weapon, &name).await?;
    let before = talk.counts().await?;
    talk.send(&CarRequest::Retire).await;
    give_back_square(talk).await?;
    talk.expect_counts(before, "DELETE /state and PATCH /state").await?;
    give_back(talk, Kind::Weapon, name).await;
    Ok(())
}

async fn answers_as_before(talk: &mut Talk) -> Done {
    talk.tell(&CarRequest::SetSquare(Square(24))).await?;
    let before = talk.state().await?;
    talk.send(&CarRequest::Retire).await;
    let after = talk.state().await?;
    if after != before {
        let [expected, found] = [before, after].map(|state| {
            serde_json::to_string(&state).unwrap_or_else(|_| format!("square {}", state.square))
        });
        return Err(talk.failure(format!("GET /state: {expected} after DELETE /state"), found).into());
    }
    talk.expect_counts(before.modules, "DELETE /state").await?;
    give_back_square(talk).await
}
