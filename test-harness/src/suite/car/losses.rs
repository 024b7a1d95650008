//! C-11: the car has lost a module.
//!
//! ```text
//! DELETE /engine/V8%20n%C2%B01  →  2xx, and GET /engine/count says one less; or 404, if it has no such module
//! ```

use super::Talk;
use super::gains::{gain, give_back, longest_names, odd_names, pairs};
use crate::suite::case::{Case, Done, Level};
use futures_util::FutureExt;
use gm_core::contract::{CarRequest, Kind};

/// The cases.
pub(super) fn cases() -> Vec<Case<Talk>> {
    const LOSS: &str = "a penalty at each loss: in a minefield, after a duel, by snakes (R-7.3)";
    vec![
        Case {
            id: "C-11.1",
            requirement: "C-11",
            title: "DELETE /{kind}/{name} takes that one module away",
            level: Level::Must,
            needs: &["C-10.1"],
            hint: "delete the object or item of this name, or lower the number, before you answer",
            costs: LOSS,
            check: |talk| takes_away(talk).boxed(),
        },
        Case {
            id: "C-11.2",
            requirement: "C-11",
            title: "deleting a name that is not there is answered with 2xx or 404, and changes nothing",
            level: Level::Must,
            needs: &["C-11.1"],
            hint: "where there is no such module, answer 404 and leave the others alone",
            costs: "a penalty (R-7.3) whenever a request is sent again",
            check: |talk| not_there(talk).boxed(),
        },
        Case {
            id: "C-11.3",
            requirement: "C-11",
            title: "a module that was lost can be gained again",
            level: Level::Must,
            needs: &["C-11.1"],
            hint: "forget the name when the module goes",
            costs: "a penalty (R-7.2) where a name comes back",
            check: |talk| again(talk).boxed(),
        },
        Case {
            id: "C-11.4",
            requirement: "C-11",
            title: "names on the path are percent-decoded, once",
            level: Level::Must,
            needs: &["C-10.4", "C-11.1"],
            hint: "decode the last segment of the path, once, as UTF-8; a + stays a +; look how your framework does it",
            costs: "a penalty (R-7.3) when a module with such a name is lost",
            check: |talk| decoded(talk).boxed(),
        },
        Case {
            id: "C-11.5",
            requirement: "C-11",
            title: "only the module of exactly that name is taken away",
            level: Level::Must,
            needs: &["C-11.1"],
            hint: "compare whole names: S3 lists by prefix, so engine-1 also finds engine-10",
            costs: "a penalty (R-7.3) when engine-1 is lost by a car that has engine-10 too",
            check: |talk| exactly(talk).boxed(),
        },
        Case {
            id: "C-11.6",
            requirement: "C-11",
            title: "DELETE /{kind}/{name} leaves the other kinds alone",
            level: Level::Must,
            needs: &["C-10.8", "C-11.1"],
            hint: "each kind has a resource of its own, also where two modules have the same name",
            costs: "a penalty for another kind, whenever that is counted (R-3.4, R-7.2)",
            check: |talk| others(talk).boxed(),
        },
        Case {
            id: "C-11.7",
            requirement: "C-11",
            title: "a module may be called count",
            level: Level::Should,
            needs: &["C-11.1"],
            hint: "DELETE /engine/count is about a module, GET /engine/count about all of them",
            costs: "nothing: the game master gives no such name",
            check: |talk| called_count(talk).boxed(),
        },
        Case {
            id: "C-11.8",
            requirement: "C-11",
            title: "names of up to 1024 bytes are found on the path",
            level: Level::Must,
            needs: &["C-10.10", "C-11.4"],
            hint: "percent-encoded such a name has up to 3072 bytes: let the server, and what stands before it, take them",
            costs: "a penalty (R-7.3) when a module with such a name is lost",
            check: |talk| longest(talk).boxed(),
        },
        Case {
            id: "C-11.9",
            requirement: "C-11",
            title: "names on the path are not normalised",
            level: Level::Must,
            needs: &["C-10.11", "C-11.4", "C-11.5"],
            hint: "compare the bytes after decoding: no trim, no NFC, no collation that takes two names for one",
            costs: "a penalty (R-7.3) when a module with such a name is lost",
            check: |talk| not_normalised(talk).boxed(),
        },
    ]
}

/// Takes a module away, and checks that there is one less.
async fn lose(talk: &mut Talk, kind: Kind, name: &str) -> Done {
    let before = talk.count(kind).await?;
    let request = CarRequest::Lose { kind, name: name.to_owned() };
    talk.tell(&request).await?;
    talk.expect_count(kind, before.saturating_sub(1), &request.to_string()).await?;
    Ok(())
}

async fn takes_away(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let names = [talk.fresh_name(kind), talk.fresh_name(kind)];
        for name in &names {
            gain(talk, kind, name).await?;
        }
        for name in &names {
            lose(talk, kind, name).await?;
        }
    }
    Ok(())
}

async fn not_there(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let before = talk.count(kind).await?;
        let request = CarRequest::Lose { kind, name: talk.fresh_name(kind) };
        talk.tell(&request).await?;
        talk.expect_count(kind, before, &format!("{request}, which it has not")).await?;
    }
    Ok(())
}

async fn again(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let name = talk.fresh_name(kind);
        for _ in 0..2 {
            gain(talk, kind, &name).await?;
            lose(talk, kind, &name).await?;
        }
    }
    Ok(())
}

async fn decoded(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        for name in odd_names(talk) {
            gain(talk, kind, &name).await?;
            lose(talk, kind, &name).await?;
        }
    }
    Ok(())
}

async fn exactly(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let short = talk.fresh_name(kind);
        let longer = format!("{short}0");
        gain(talk, kind, &short).await?;
        gain(talk, kind, &longer).await?;
        lose(talk, kind, &short).await?;
        lose(talk, kind, &longer).await?;
    }
    Ok(())
}

async fn others(talk: &mut Talk) -> Done {
    let before = talk.counts().await?;
    let name = talk.fresh_name(Kind::Engine);
    for kind in Kind::ALL {
        talk.tell(&CarRequest::Gain { kind, name: name.clone() }).await?;
    }
    for (index, kind) in Kind::ALL.into_iter().enumerate() {
        talk.tell(&CarRequest::Lose { kind, name: name.clone() }).await?;
        let mut expected = before;
        for later in &Kind::ALL[index + 1..] {
            *expected.of_mut(*later) += 1;
        }
        talk.expect_counts(expected, &format!("a DELETE of a {kind} whose name other modules have too"))
            .await?;
    }
    Ok(())
}

async fn called_count(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let name = "count".to_owned();
        // One that it has already is its own, and stays.
        if !talk.add_perhaps(kind, &name).await? {
            continue;
        }
        if let Err(stopped) = lose(talk, kind, &name).await {
            give_back(talk, kind, name).await;
            return Err(stopped);
        }
    }
    Ok(())
}

async fn longest(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        for name in longest_names(talk) {
            gain(talk, kind, &name).await?;
            lose(talk, kind, &name).await?;
        }
    }
    Ok(())
}

async fn not_normalised(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        for [one, other] in pairs(talk) {
            gain(talk, kind, &one).await?;
            gain(talk, kind, &other).await?;
            lose(talk, kind, &one).await?;
            lose(talk, kind, &other).await?;
        }
    }
    Ok(())
}
