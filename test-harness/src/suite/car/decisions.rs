//! C-12 to C-16: what the car decides for itself.
//!
//! ```text
//! GET /event/wreck   {"res": true}          POST /event/garage   {"res": "engine"}
//! ```

use super::Talk;
use crate::client::{Client, place_and_path};
use crate::suite::case::{Case, Done, Level, Stopped};
use futures_util::FutureExt;
use gm_core::arena::duel::{Card, Hand, Plays};
use gm_core::contract::duel::START_DISTANCE;
use gm_core::contract::{Answer, Fault, Reply};
use gm_core::contract::{CarRequest, DuelQuestion, DuelUrl, Prices, Taken, reader};
use gm_core::ids::TeamId;
use gm_core::race::rules::MOST_DOLLARS;

/// What the garage asks for its modules as a rule, in dollars.
const USUAL: Prices = Prices { engine: 2, pilot: 1, weapon: 2 };

/// What it asks by other rules: nothing for one, for all, and as much as a rule can say.
const OTHERS: [Prices; 3] = [
    Prices { engine: 1, pilot: 0, weapon: 3 },
    Prices { engine: 0, pilot: 0, weapon: 0 },
    Prices { engine: MOST_DOLLARS, pilot: MOST_DOLLARS, weapon: MOST_DOLLARS },
];

/// Teams that the car may have to fight.
const TEAMS: [u32; 3] = [1, 7, 200];

/// The cases.
pub(super) fn cases() -> Vec<Case<Talk>> {
    vec![
        Case {
            id: "C-12.1",
            requirement: "C-12",
            title: "GET /event/wreck is answered with true or false",
            level: Level::Must,
            needs: &["C-20.8"],
            hint: "answer {\"res\": true} to search the wreck, {\"res\": false} to drive on",
            costs: "a penalty at each wreck, in about one turn of eight (R-5.2)",
            check: |talk| yes_or_no(talk, &CarRequest::Wreck).boxed(),
        },
        Case {
            id: "C-12.2",
            requirement: "C-12",
            title: "being asked about a wreck changes nothing",
            level: Level::Must,
            needs: &["C-12.1", "C-5.2"],
            hint: "what the car finds it is told by POST /{kind} afterwards",
            costs: "a penalty when the modules are counted (R-3.4, R-7.2)",
            check: |talk| changes_nothing(talk, CarRequest::Wreck).boxed(),
        },
        Case {
            id: "C-13.1",
            requirement: "C-13",
            title: "GET /event/mine is answered with true or false",
            level: Level::Must,
            needs: &["C-20.8"],
            hint: "answer {\"res\": true} to drive through, {\"res\": false} to go round",
            costs: "three turns at each minefield, in about one turn of twelve (R-5.3)",
            check: |talk| yes_or_no(talk, &CarRequest::Mine).boxed(),
        },
        Case {
            id: "C-13.2",
            requirement: "C-13",
            title: "being asked about a minefield changes nothing",
            level: Level::Must,
            needs: &["C-13.1", "C-5.2"],
            hint: "what the car loses it is told by DELETE /{kind}/{name} afterwards",
            costs: "a penalty when the modules are counted (R-3.4, R-7.3)",
            check: |talk| changes_nothing(talk, CarRequest::Mine).boxed(),
        },
        Case {
            id: "C-14.1",
            requirement: "C-14",
            title: "POST /event/garage is answered with a kind or none",
            level: Level::Must,
            needs: &["C-20.8"],
            hint: "answer {\"res\": \"engine\"}, \"pilot\", \"weapon\" or \"none\"; the body has the prices",
            costs: "a penalty at each garage, in about one turn of ten (R-5.4)",
            check: |talk| garage(talk, &[USUAL]).boxed(),
        },
        Case {
            id: "C-14.2",
            requirement: "C-14",
            title: "being asked in a garage changes nothing",
            level: Level::Must,
            needs: &["C-14.1", "C-5.2"],
            hint: "what the car buys it is told by POST /{kind} afterwards, if the team can pay for it",
            costs: "a penalty for each purchase (R-7.2)",
            check: |talk| changes_nothing(talk, CarRequest::Garage(USUAL)).boxed(),
        },
        Case {
            id: "C-14.3",
            requirement: "C-14",
            title: "prices may be 0, and as high as 1000000 dollars",
            level: Level::Must,
            needs: &["C-14.1"],
            hint: "a price is any whole number from 0 on: a module for nothing is an offer, too",
            costs: "nothing by the usual rules; where a race has such prices, a penalty at each garage (R-5.4)",
            check: |talk| garage(talk, &OTHERS).boxed(),
        },
        Case {
            id: "C-15.1",
            requirement: "C-15",
            title: "GET /fight/shouldfight?id= is answered with true or false, whichever team it is",
            level: Level::Must,
            needs: &["C-20.8"],
            hint: "answer {\"res\": true} to fight; id is the number of the other car's team",
            costs: "a penalty whenever the car can fight (R-4.3)",
            check: |talk| fights(talk).boxed(),
        },
        Case {
            id: "C-16.1",
            requirement: "C-16",
            title: "GET /fight/iaurl is answered with an absolute URL",
            level: Level::Must,
            needs: &["C-20.8"],
            hint: "answer {\"res\": \"https://…/prod/action\"}: the whole URL, with http:// or https://",
            costs: "every duel: pirates and cars win at once (R-4.5)",
            check: |talk| url(talk).boxed(),
        },
        Case {
            id: "C-16.2",
            requirement: "C-16",
            title: "the AI at that URL plays",
            level: Level::Should,
            needs: &["C-16.1"],
            hint: "start the AI, and look that the URL can be reached from here; `conform ai URL` says more",
            costs: "every duel (R-6.3)",
            check: |talk| ai_plays(talk).boxed(),
        },
    ]
}

async fn yes_or_no(talk: &mut Talk, request: &CarRequest) -> Done {
    for _ in 0..3 {
        talk.ask(request, reader::boolean).await?;
    }
    Ok(())
}

async fn changes_nothing(talk: &mut Talk, request: CarRequest) -> Done {
    let before = talk.state().await?;
    for _ in 0..3 {
        talk.send(&request).await;
    }
    let after = talk.state().await?;
    if before == after {
        return Ok(());
    }
    let [expected, found] =
        [before, after].map(|state| serde_json::to_string(&state).unwrap_or_else(|_| state.name.clone()));
    Err(talk.failure(format!("GET /state: {expected} after {request}"), found).into())
}

async fn garage(talk: &mut Talk, offers: &[Prices]) -> Done {
    for prices in offers {
        talk.ask(&CarRequest::Garage(*prices), reader::purchase).await?;
    }
    Ok(())
}

async fn fights(talk: &mut Talk) -> Done {
    for team in TEAMS {
        talk.ask(&CarRequest::ShouldFight(TeamId(team)), reader::boolean).await?;
    }
    Ok(())
}

/// Reads the URL of a duel AI, which must be usable.
pub(super) fn duel_url(answer: &Answer) -> Reply<DuelUrl> {
    let taken = reader::text(answer)?;
    let value = DuelUrl::parse(&taken.value).map_err(|_| Fault::NotTheValue)?;
    Ok(Taken { value, deviations: taken.deviations })
}

async fn url(talk: &mut Talk) -> Done {
    talk.ask(&CarRequest::DuelUrl, duel_url).await?;
    Ok(())
}

async fn ai_plays(talk: &mut Talk) -> Done {
    let url = talk.ask(&CarRequest::DuelUrl, duel_url).await?;
    let cards = vec![1, 2, 3, 4, 5];
    let question = DuelQuestion { cards, other_cards: 5, ..DuelQuestion::default() };
    let whole = question.url(&url);
    let (place, path) = place_and_path(&whole);
    let deadline = talk.settings().deadline;
    let client = Client::new(place).map_err(|bad| Stopped::Skip(bad.to_string()))?;
    let exchange = client.deadline(deadline).exchange(crate::client::Ask::new("GET", path)).await;
    let played = exchange.answer().ok().filter(|got| got.status == 200);
    let played = played.and_then(|got| reader::cards(&got.answer()).ok()).map(|taken| taken.value);
    talk.keep(exchange);
    let hand: Hand = question.cards.iter().copied().filter_map(Card::of).collect();
    let legal = Plays::of(&hand, START_DISTANCE);
    if played.is_some_and(|played| legal.iter().any(|play| play.cards() == played)) {
        return Ok(());
    }
    Err(talk.unlike("200 and one of the cards 1 to 5, as {\"res\": [3]}").into())
}
