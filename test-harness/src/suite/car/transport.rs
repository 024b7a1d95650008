//! C-20, C-21: the car answers, to who knows the secret, on a kept connection, in time.
//!
//! ```text
//! GET /engine/count   X-EACC-SECRET: not the secret   → 401
//! ```

use super::Talk;
use crate::client::{Ask, Exchange, Got, REQUEST_ID, SECRET};
use crate::suite::case::{Case, Done, Level, Stopped, Subject};
use crate::suite::latency::latencies;
use futures_util::FutureExt;
use gm_core::contract::{CarRequest, Kind, reader};
use gm_core::ids::Square;

/// A secret that is nobody's.
const NOT_THE_SECRET: &str = "conform-not-the-secret";

/// The longest id that is tried, in characters: the name of a race may be long.
const LONG_ID: usize = 100;

/// What all others build on.
pub(super) fn first() -> Vec<Case<Talk>> {
    vec![
        Case {
            id: "C-21.1",
            requirement: "C-21",
            title: "the car answers over HTTP/1.1",
            level: Level::Must,
            needs: &[],
            hint: "start the car, and give the URL and port where it listens; it must answer within the deadline",
            costs: "registration is refused (R-2.3); in a race, a penalty for every question (R-7.1)",
            check: |talk| answers(talk).boxed(),
        },
        Case {
            id: "C-20.1",
            requirement: "C-20",
            title: "the right secret is accepted",
            level: Level::Must,
            needs: &["C-21.1"],
            hint: "compare the header X-EACC-SECRET with the secret that the team was given; give the same as --secret",
            costs: "registration is refused (R-2.3); in a race, a penalty for every question (R-7.1)",
            check: |talk| right_secret(talk).boxed(),
        },
        Case {
            id: "C-20.8",
            requirement: "C-20",
            title: "ids that differ only at their end are different ids",
            level: Level::Must,
            needs: &["C-20.1"],
            hint: "compare the whole X-EACC-REQUEST-ID: don't cut it, and answer 409 only where this very id came with \
                   another request",
            costs: "a penalty for nearly every question (R-7.1): all ids of a race begin alike",
            check: |talk| ids_apart(talk).boxed(),
        },
    ]
}

/// What needs a car that does what it is told.
pub(super) fn later() -> Vec<Case<Talk>> {
    vec![
        Case {
            id: "C-20.2",
            requirement: "C-20",
            title: "a wrong secret is refused with 401",
            level: Level::Should,
            needs: &["C-20.1"],
            hint: "answer 401 where X-EACC-SECRET is not the team's secret, before anything else is done",
            costs: "nothing from the game master; but anybody can give and take your modules",
            check: |talk| wrong_secret(talk).boxed(),
        },
        Case {
            id: "C-20.3",
            requirement: "C-20",
            title: "a request without a secret is refused with 401",
            level: Level::Should,
            needs: &["C-20.2"],
            hint: "a missing X-EACC-SECRET is a wrong one",
            costs: "nothing from the game master; but anybody can give and take your modules",
            check: |talk| no_secret(talk).boxed(),
        },
        Case {
            id: "C-20.4",
            requirement: "C-20",
            title: "a command with a wrong secret changes nothing",
            level: Level::Should,
            needs: &["C-20.2", "C-4.4"],
            hint: "look at the secret first, and do what is asked afterwards",
            costs: "nothing from the game master; but anybody can give you modules, and each is a penalty when counted",
            check: |talk| wrong_secret_changes_nothing(talk).boxed(),
        },
        Case {
            id: "C-20.5",
            requirement: "C-20",
            title: "a request that is sent again with its id is accepted, and done once",
            level: Level::Must,
            needs: &["C-10.2"],
            hint: "the game master sends a request again with the same X-EACC-REQUEST-ID when it has not seen the \
                   answer: give the answer that you gave, or do it again, if that changes nothing",
            costs: "a penalty (R-7.2) after each restart of the game master that hits one of your commands",
            check: |talk| sent_again(talk).boxed(),
        },
        Case {
            id: "C-20.6",
            requirement: "C-20",
            title: "the same command with another id is done",
            level: Level::Must,
            needs: &["C-6.2"],
            hint: "a request is known by X-EACC-REQUEST-ID, never by its path and body alone",
            costs: "a penalty (R-3.1) whenever the car comes back to a square where it was",
            check: |talk| fresh_id(talk).boxed(),
        },
        Case {
            id: "C-20.7",
            requirement: "C-20",
            title: "ids of up to 100 characters are taken",
            level: Level::Should,
            needs: &["C-4.1"],
            hint: "don't cut, parse or check X-EACC-REQUEST-ID: it is any visible ASCII",
            costs: "where the race has a long name, a penalty for every question (R-7.1)",
            check: |talk| long_id(talk).boxed(),
        },
        Case {
            id: "C-21.2",
            requirement: "C-21",
            title: "a connection is kept from one request to the next",
            level: Level::Should,
            needs: &["C-4.1"],
            hint: "answer with HTTP/1.1, a right Content-Length and no `Connection: close`",
            costs: "time: each request connects anew, within its deadline",
            check: |talk| keeps_alive(talk).boxed(),
        },
        Case {
            id: "C-21.3",
            requirement: "C-21",
            title: "answers take at most half of the deadline",
            level: Level::Should,
            needs: &["C-21.1"],
            hint: "keep in memory what you know, and ask your cloud in the background; see the latencies below",
            costs: "nothing yet; a penalty for each that takes twice as long on the evening (R-7.1)",
            check: |talk| in_time(talk).boxed(),
        },
        Case {
            id: "C-21.4",
            requirement: "C-21",
            title: "another path is answered with 404",
            level: Level::Should,
            needs: &["C-20.8"],
            hint: "answer 404 to what is not in the contract, or a wrong path in your own code looks like success",
            costs: "nothing: the game master asks no other path",
            check: |talk| other_paths(talk).boxed(),
        },
    ]
}

async fn answers(talk: &mut Talk) -> Done {
    if talk.send(&CarRequest::State).await.answer().is_err() {
        return Err(talk.unlike("an answer to GET /state").into());
    }
    Ok(())
}

async fn right_secret(talk: &mut Talk) -> Done {
    let exchange = talk.send(&CarRequest::Count(Kind::Engine)).await;
    if matches!(exchange.status(), Some(401 | 403)) {
        let given = talk.settings().secret.is_some();
        let expected = if given { "the secret to be accepted" } else { "an answer (no --secret was given)" };
        return Err(talk.unlike(expected).into());
    }
    Ok(())
}

/// Two questions whose ids differ in the last character: short ones, and the longest that are tried. Ids that the car
/// refuses for another reason are for C-20.7 to speak of.
async fn ids_apart(talk: &mut Talk) -> Done {
    for length in [0, LONG_ID] {
        let mut begins = talk.fresh_id() + "-";
        begins.extend(std::iter::repeat_n('x', length.saturating_sub(begins.len() + 1)));
        talk.send_as(&CarRequest::State, &format!("{begins}1")).await;
        let state = talk.last().and_then(|exchange| exchange.answer().ok().map(Got::answer));
        talk.send_as(&CarRequest::Count(Kind::Engine), &format!("{begins}2")).await;
        let Some(Ok(count)) = talk.last().map(Exchange::answer) else { continue };
        let is_replayed =
            state.is_some_and(|state| state.body == *count.body && reader::state(&state).is_ok());
        if count.status == 409 || is_replayed {
            let expected = format!(
                "its own answer: the id before ended in 1, this one ends in 2, of {}",
                begins.len() + 1
            );
            return Err(talk.unlike(expected + " characters").into());
        }
    }
    Ok(())
}

/// A question with another secret, or with none.
async fn with_secret(talk: &mut Talk, secret: Option<&str>) -> Done {
    if talk.settings().secret.is_none() {
        return Err(Stopped::Skip("no --secret was given".to_owned()));
    }
    let id = talk.fresh_id();
    let ask = Ask::new("GET", "/engine/count").header(REQUEST_ID, &id);
    let ask = match secret {
        Some(secret) => ask.header(SECRET, secret),
        None => ask,
    };
    if talk.send_raw(ask).await.status() == Some(401) { Ok(()) } else { Err(talk.unlike("401").into()) }
}

async fn wrong_secret(talk: &mut Talk) -> Done {
    with_secret(talk, Some(NOT_THE_SECRET)).await?;
    // The right one with something behind it is another one.
    let longer = talk.settings().secret.clone().unwrap_or_default() + "x";
    with_secret(talk, Some(&longer)).await
}

async fn no_secret(talk: &mut Talk) -> Done {
    with_secret(talk, None).await
}

async fn wrong_secret_changes_nothing(talk: &mut Talk) -> Done {
    let before = talk.count(Kind::Engine).await?;
    let (id, name) = (talk.fresh_id(), talk.fresh_name(Kind::Engine));
    let body = serde_json::json!({ "name": name });
    let ask = Ask::new("POST", "/engine").json(&body).header(REQUEST_ID, &id).header(SECRET, NOT_THE_SECRET);
    talk.send_raw(ask).await;
    let unchanged = talk.expect_count(Kind::Engine, before, "a POST /engine with a wrong secret").await;
    if unchanged.is_err() {
        talk.send(&CarRequest::Lose { kind: Kind::Engine, name }).await;
    }
    Ok(unchanged?)
}

async fn sent_again(talk: &mut Talk) -> Done {
    let before = talk.count(Kind::Weapon).await?;
    let (id, name) = (talk.fresh_id(), talk.fresh_name(Kind::Weapon));
    let gain = CarRequest::Gain { kind: Kind::Weapon, name: name.clone() };
    for _ in 0..2 {
        let accepted =
            talk.send_as(&gain, &id).await.status().is_some_and(|status| gain.succeeds_with(status));
        if !accepted {
            return Err(talk.unlike("a status of 2xx, each time that it is sent").into());
        }
    }
    talk.expect_count(Kind::Weapon, before + 1, "a POST /weapon that was sent twice with one id").await?;
    talk.tell(&CarRequest::Lose { kind: Kind::Weapon, name }).await?;
    let id = talk.fresh_id();
    for _ in 0..2 {
        if talk.send_as(&CarRequest::Count(Kind::Weapon), &id).await.status() != Some(200) {
            return Err(talk.unlike("200, each time that it is sent").into());
        }
    }
    Ok(())
}

async fn fresh_id(talk: &mut Talk) -> Done {
    for square in [5, 6, 5] {
        talk.tell(&CarRequest::SetSquare(Square(square))).await?;
    }
    talk.expect_square(5, "PATCH /state with 5, with 6, and with 5 again").await?;
    give_back_square(talk).await
}

/// Puts the car back on the square where it was found.
pub(super) async fn give_back_square(talk: &mut Talk) -> Done {
    let square = talk.found().map_or(0, |found| found.square);
    talk.tell(&CarRequest::SetSquare(Square(u32::try_from(square).unwrap_or(u32::MAX)))).await?;
    Ok(())
}

async fn long_id(talk: &mut Talk) -> Done {
    let mut id = talk.fresh_id() + "-!~";
    while id.len() < LONG_ID {
        id.push('x');
    }
    if talk.send_as(&CarRequest::Count(Kind::Engine), &id).await.status() == Some(200) {
        return Ok(());
    }
    Err(talk.unlike(format!("200 to a request whose id has {LONG_ID} characters")).into())
}

async fn other_paths(talk: &mut Talk) -> Done {
    for path in ["/no-such-path", "/state/no-such-path", "/event/no-such-path"] {
        let id = talk.fresh_id();
        let ask = talk.signed(Ask::new("GET", path), &id);
        if talk.send_raw(ask).await.status() != Some(404) {
            return Err(talk.unlike("404").into());
        }
    }
    Ok(())
}

async fn keeps_alive(talk: &mut Talk) -> Done {
    let mut connections = Vec::new();
    for kind in Kind::ALL {
        connections.push(talk.send(&CarRequest::Count(kind)).await.connection);
    }
    let expected = "three requests on one connection";
    match connections[..] {
        [first, second, third] if first == second && second == third => Ok(()),
        _ => Err(talk.failure(expected, "a new connection for each, as the car closes them").into()),
    }
}

async fn in_time(talk: &mut Talk) -> Done {
    let most = talk.settings().deadline / 2;
    // What was not answered at all is for its own case to say.
    let answered = talk.exchanges().iter().filter(|exchange| exchange.got.is_ok());
    let slowest = latencies(answered).into_iter().max_by_key(|latency| latency.p95);
    match slowest.filter(|slowest| slowest.p95 > most) {
        None => Ok(()),
        Some(slow) => {
            let at = talk.exchanges().iter().position(|exchange| exchange.took >= slow.p95);
            let expected = format!("{}: 95 of 100 answers within {} ms", slow.endpoint, most.as_millis());
            let found = format!("{} ms", slow.p95.as_millis());
            Err(crate::suite::Failure { expected, found, exchange: at }.into())
        }
    }
}
