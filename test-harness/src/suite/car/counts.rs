//! C-9: the car brings a resource to a count.
//!
//! ```text
//! PATCH /engine   {"count": 5}  →  2xx, and GET /engine/count says 5
//! ```
//!
//! It is never brought below the count at which it was found: what it drops then would be its own. A car that drops others
//! than those that came last may lose its own all the same: [`Talk::lower`] finds that out, and the last lines say it. But the
//! pilots are brought lower, in one case: a queue holds their number, and no names (C-2).

use super::Talk;
use crate::client::Ask;
use crate::suite::case::{Case, Done, Level};
use futures_util::FutureExt;
use gm_core::contract::{CarRequest, Kind};

/// Bodies that say no count.
const NO_COUNT: [&str; 8] = [
    "",
    "not json",
    "{}",
    "[]",
    r#"{"count": -1}"#,
    r#"{"count": "many"}"#,
    r#"{"count": null}"#,
    r#"{"count": 1.5}"#,
];

/// The cases.
pub(super) fn cases() -> Vec<Case<Talk>> {
    const AGAIN: &str =
        "after a penalty, the next one at once: the game master's correction is not taken (R-7.2)";
    vec![
        Case {
            id: "C-9.1",
            requirement: "C-9",
            title: "PATCH /{kind} with a higher count adds modules",
            level: Level::Must,
            needs: &["C-4.4"],
            hint: "add as many as are missing, best under the smallest free of engine-1, engine-2, …",
            costs: AGAIN,
            check: |talk| up(talk).boxed(),
        },
        Case {
            id: "C-9.2",
            requirement: "C-9",
            title: "PATCH /{kind} with a lower count drops modules",
            level: Level::Must,
            needs: &["C-9.1"],
            hint: "drop as many as are too many, best those that came last",
            costs: AGAIN,
            check: |talk| down(talk).boxed(),
        },
        Case {
            id: "C-9.3",
            requirement: "C-9",
            title: "PATCH /{kind} with the present count changes nothing",
            level: Level::Must,
            needs: &["C-9.1"],
            hint: "the number is how many there must be, not how many come",
            costs: AGAIN,
            check: |talk| same(talk).boxed(),
        },
        Case {
            id: "C-9.4",
            requirement: "C-9",
            title: "PATCH /{kind} leaves the other kinds alone",
            level: Level::Must,
            needs: &["C-9.1"],
            hint: "each kind has a count of its own",
            costs: "a penalty for another kind, whenever that is counted (R-3.4, R-7.2)",
            check: |talk| others(talk).boxed(),
        },
        Case {
            id: "C-9.5",
            requirement: "C-9",
            title: "a PATCH /{kind} without a count is refused with 4xx and changes nothing",
            level: Level::Should,
            needs: &["C-9.2"],
            hint: "read the body first; where it holds no whole number from 0 on, answer 422 and leave all as it is",
            costs: "nothing: the game master never sends such a body",
            check: |talk| refused(talk).boxed(),
        },
        Case {
            id: "C-9.6",
            requirement: "C-9",
            title: "a count may be 0",
            level: Level::Must,
            needs: &["C-9.2"],
            hint: "take 0 as any other number, also of pilots: nothing is left then",
            costs: "a penalty for the last engine or weapon, and the next one at once: the correction is not taken (R-7.2)",
            check: |talk| none(talk).boxed(),
        },
    ]
}

async fn set(talk: &mut Talk, kind: Kind, count: u64) -> Done {
    talk.tell(&CarRequest::SetCount { kind, count }).await?;
    Ok(())
}

async fn up(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let before = talk.count(kind).await?;
        set(talk, kind, before + 2).await?;
        let after = format!("PATCH /{kind} {{\"count\": {}}}", before + 2);
        talk.expect_count(kind, before + 2, &after).await?;
        talk.lower(kind, before).await;
    }
    Ok(())
}

async fn down(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let before = talk.count(kind).await?;
        set(talk, kind, before + 3).await?;
        for count in [before + 2, before] {
            set(talk, kind, count).await?;
            talk.lowered(kind, if count == before { 2 } else { 1 });
            talk.expect_count(kind, count, &format!("PATCH /{kind} {{\"count\": {count}}}")).await?;
        }
    }
    Ok(())
}

async fn same(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let before = talk.count(kind).await?;
        for _ in 0..2 {
            set(talk, kind, before).await?;
            talk.expect_count(kind, before, &format!("PATCH /{kind} {{\"count\": {before}}}, as it was"))
                .await?;
        }
    }
    Ok(())
}

async fn others(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let mut expected = talk.counts().await?;
        let before = expected.of(kind);
        *expected.of_mut(kind) += 1;
        set(talk, kind, before + 1).await?;
        talk.expect_counts(expected, &format!("PATCH /{kind} {{\"count\": {}}}", before + 1)).await?;
        talk.lower(kind, before).await;
    }
    Ok(())
}

async fn refused(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let before = talk.count(kind).await?;
        for body in NO_COUNT {
            let id = talk.fresh_id();
            let ask = talk.signed(Ask::new("PATCH", &format!("/{kind}")).body(body), &id);
            let status = talk.send_raw(ask).await.status();
            if !status.is_some_and(|status| (400..500).contains(&status)) {
                return Err(talk.unlike(format!("a status of 4xx to the body {body:?}")).into());
            }
            talk.expect_count(kind, before, &format!("a refused PATCH /{kind} with the body {body:?}"))
                .await?;
        }
    }
    Ok(())
}

/// Tried with the pilots: they have no names that would be lost.
async fn none(talk: &mut Talk) -> Done {
    let before = talk.count(Kind::Pilot).await?;
    for count in [0, before] {
        set(talk, Kind::Pilot, count).await?;
        talk.expect_count(Kind::Pilot, count, &format!("PATCH /pilot {{\"count\": {count}}}")).await?;
    }
    Ok(())
}

/// A name that the car would give is there already, because somebody has given it (C-10): the one after the next.
pub(super) async fn taken(talk: &mut Talk) -> Done {
    for kind in [Kind::Engine, Kind::Weapon] {
        let before = talk.count(kind).await?;
        let name = format!("{kind}-{}", before + 2);
        if !talk.add_perhaps(kind, &name).await? {
            continue;
        }
        let count = before + 3;
        set(talk, kind, count).await?;
        let after = format!("POST /{kind} {{\"name\": {name:?}}} and PATCH /{kind} {{\"count\": {count}}}");
        talk.expect_count(kind, count, &after).await?;
        talk.lower(kind, before + 1).await;
        talk.send(&CarRequest::Lose { kind, name }).await;
    }
    Ok(())
}
