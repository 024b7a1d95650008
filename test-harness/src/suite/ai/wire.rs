//! A-1 to A-4: how the AI is asked, and in what form it answers.
//!
//! ```text
//! GET {url}?yourmoves=[1,5]&othermoves=[2]&cards=[3,2]&othernbcards=5   →  200 {"res": [3]}
//! ```

use super::AiTalk;
use super::positions::at;
use super::talk::Form;
use crate::suite::case::{Case, Done, Failure, Level, Stopped, Subject};
use futures_util::FutureExt;
use gm_core::contract::duel::SEEN_HEADER;
use gm_core::contract::{Deviation, DuelQuestion, DuelUrl, Seen};

const LOST: &str = "every duel: a wrong answer loses it (R-6.3, A-3)";

/// How many questions are asked at the same time.
const AT_ONCE: u8 = 8;

/// How often so many are asked at the same time.
const ROUNDS: u8 = 3;

/// What all others build on.
pub(super) fn first() -> Vec<Case<AiTalk>> {
    vec![
        Case {
            id: "A-1.1",
            requirement: "A-1",
            title: "a question is answered with 200",
            level: Level::Must,
            needs: &[],
            hint: "start the AI, and give its whole URL; brackets and commas in the query are not escaped, and there are \
                   headers that it may ignore",
            costs: LOST,
            check: |talk| answers(talk).boxed(),
        },
        Case {
            id: "A-2.1",
            requirement: "A-2",
            title: "the answer is a list of cards in {\"res\": …}",
            level: Level::Must,
            needs: &["A-1.1"],
            hint: "answer {\"res\": [1]}: a JSON list of whole numbers, also where it is one card",
            costs: LOST,
            check: |talk| is_a_list(talk).boxed(),
        },
    ]
}

/// What needs an AI that plays.
pub(super) fn later() -> Vec<Case<AiTalk>> {
    const PLAYS: &[&str] = &["R-6.2.1", "R-6.2.2"];
    vec![
        Case {
            id: "A-1.2",
            requirement: "A-1",
            title: "brackets and commas may be escaped",
            level: Level::Must,
            needs: PLAYS,
            hint: "decode the query before you split it: %5B1%2C5%5D is [1,5]; a gateway in between may escape it",
            costs: "every duel behind a gateway or proxy that escapes them",
            check: |talk| escaped(talk).boxed(),
        },
        Case {
            id: "A-1.3",
            requirement: "A-1",
            title: "a query of the URL's own is kept, before the parameters",
            level: Level::Must,
            needs: PLAYS,
            hint: "find the parameters by name, wherever they stand",
            costs: "every duel, if your URL has a query of its own (a stage, a key)",
            check: |talk| own_query(talk).boxed(),
        },
        Case {
            id: "A-1.4",
            requirement: "A-1",
            title: "the parameters may stand in any order",
            level: Level::Should,
            needs: &["A-1.3"],
            hint: "find the parameters by name",
            costs: "nothing: the game master keeps the order of the contract",
            check: |talk| any_order(talk).boxed(),
        },
        Case {
            id: "A-1.5",
            requirement: "A-1",
            title: "several duels at the same time get their own answers",
            level: Level::Must,
            needs: &["R-6.2.4"],
            hint: "keep nothing between two questions: each tells all that there is to know",
            costs: "duels of the turns in which several of your cars fight",
            check: |talk| at_once(talk).boxed(),
        },
        Case {
            id: "A-1.6",
            requirement: "A-1",
            title: "the same question again is answered, too",
            level: Level::Must,
            needs: PLAYS,
            hint: "keep nothing between two questions: the game master asks again after a restart of its own",
            costs: "a duel after each restart of the game master",
            check: |talk| again(talk).boxed(),
        },
        Case {
            id: "A-4.1",
            requirement: "A-4",
            title: "a question without the header X-EACC-DUEL is answered, too",
            level: Level::Should,
            needs: &["A-1.6"],
            hint: "the four parameters are enough to play; take the header as something more",
            costs: "nothing: the game master always sends it",
            check: |talk| without_header(talk).boxed(),
        },
        Case {
            id: "A-4.2",
            requirement: "A-4",
            title: "a header X-EACC-DUEL that makes no sense is passed over",
            level: Level::Should,
            needs: &["A-4.1"],
            hint: "where the header can't be read, or says another distance than the moves, play without it",
            costs: "nothing: the game master's makes sense",
            check: |talk| nonsense_header(talk).boxed(),
        },
    ]
}

/// What looks back on everything, and what is no question.
pub(super) fn last() -> Vec<Case<AiTalk>> {
    const TAKEN: &str = "nothing: it is taken, and noted in the team's log (C-22)";
    macro_rules! without {
        ($id:literal, $title:literal, $hint:literal, $deviations:expr) => {
            Case {
                id: $id,
                requirement: "A-2",
                title: $title,
                level: Level::Should,
                needs: &["A-2.1"],
                hint: $hint,
                costs: TAKEN,
                check: |talk| async move { without(talk, &$deviations) }.boxed(),
            }
        };
    }
    vec![
        without!(
            "A-2.2",
            "the list is within {\"res\": …}",
            "answer {\"res\": [1]}, not [1]",
            [Deviation::NoEnvelope]
        ),
        without!(
            "A-2.3",
            "cards are whole JSON numbers",
            "answer [1], not [\"1\"] or [1.0]",
            [Deviation::NumberAsText, Deviation::NumberWithFraction]
        ),
        without!(
            "A-2.4",
            "the answer says that it is JSON",
            "send Content-Type: application/json",
            [Deviation::ContentTypeMissing, Deviation::ContentTypeOther]
        ),
        without!(
            "A-2.5",
            "the answer holds nothing else",
            "leave out what nobody asked for",
            [Deviation::UnknownFields]
        ),
        Case {
            id: "A-1.7",
            requirement: "A-1",
            title: "what is no question is refused with 4xx",
            level: Level::Should,
            needs: &["A-2.1"],
            hint: "look whether all four parameters are there and can be read, and answer 400 or 422 where not",
            costs: "nothing: the game master never asks that",
            check: |talk| no_question(talk).boxed(),
        },
        Case {
            id: "A-3.1",
            requirement: "A-3",
            title: "every answer takes at most half of the deadline",
            level: Level::Should,
            needs: &["A-1.1"],
            hint: "think for less time; a Lambda that was not asked for a while takes longer to start, too",
            costs: "nothing yet; a duel for each that takes twice as long on the evening (A-3)",
            check: |talk| in_time(talk).boxed(),
        },
    ]
}

/// The first question of a duel.
fn opening() -> DuelQuestion {
    at(22, &[1, 2, 3, 4, 5], 5)
}

async fn answers(talk: &mut AiTalk) -> Done {
    let url = talk.url().clone();
    let ask = talk.request(&opening(), &url, Form::Plain);
    if talk.send(ask).await.status() == Some(200) { Ok(()) } else { Err(talk.unlike("200").into()) }
}

async fn is_a_list(talk: &mut AiTalk) -> Done {
    for cards in [&[1, 2, 3, 4, 5][..], &[2, 2, 3], &[4, 4, 5, 3]] {
        talk.ask(&at(21, cards, 5)).await?;
    }
    Ok(())
}

/// Some positions, near and far. The other holds so many cards, by which they differ from case to case.
fn some(other: u8) -> [DuelQuestion; 4] {
    [
        at(22, &[1, 2, 3, 4, 5], other),
        at(9, &[4, 5, 5, 2], other),
        at(4, &[1, 4, 4], other),
        at(2, &[1, 1, 2], other),
    ]
}

async fn escaped(talk: &mut AiTalk) -> Done {
    let url = talk.url().clone();
    for question in some(1) {
        let ask = talk.request(&question, &url, Form::Escaped);
        talk.send(ask).await;
        let cards = talk.played()?;
        talk.legal(&question, &cards)?;
    }
    Ok(())
}

async fn own_query(talk: &mut AiTalk) -> Done {
    let own = talk.url().as_str().to_owned();
    let joint = if own.contains('?') { "&" } else { "?" };
    for (query, distance) in [("stage=prod", 20), ("key=a%26b&z", 9), ("x=", 5)] {
        let url = DuelUrl::parse(&format!("{own}{joint}{query}"));
        let url = url.map_err(|bad| Stopped::Skip(format!("the URL can't be made longer: {bad}")))?;
        let question = at(distance, &[4, 5, 5, 2], 2);
        let ask = talk.request(&question, &url, Form::Plain);
        talk.send(ask).await;
        let cards = talk.played()?;
        talk.legal(&question, &cards)?;
    }
    Ok(())
}

async fn any_order(talk: &mut AiTalk) -> Done {
    let url = talk.url().clone();
    for question in some(2) {
        let mut ask = talk.request(&question, &url, Form::Plain);
        let query = question.query();
        let turned: Vec<&str> = query.split('&').rev().collect();
        ask.path = ask.path.replace(&query, &turned.join("&"));
        talk.send(ask).await;
        let cards = talk.played()?;
        talk.legal(&question, &cards)?;
    }
    Ok(())
}

async fn at_once(talk: &mut AiTalk) -> Done {
    let url = talk.url().clone();
    for round in 1..=ROUNDS {
        // Each holds one kind of card, so that the answer to another is mostly illegal.
        let questions: Vec<DuelQuestion> =
            (1..=AT_ONCE).map(|n| at(22 - n, &[1 + n % 5; 3], 2 + round)).collect();
        let asks = questions.iter().map(|question| talk.request(question, &url, Form::Plain)).collect();
        let before = talk.exchanges().len();
        let exchanges = talk.send_at_once(asks).await.map_err(|bad| Stopped::Skip(bad.to_string()))?;
        for (index, (question, exchange)) in questions.iter().zip(&exchanges).enumerate() {
            let got = exchange.answer().ok().filter(|got| got.status == 200);
            let cards = got.and_then(|got| gm_core::contract::reader::cards(&got.answer()).ok());
            let failure = match cards {
                None => talk.failure("200 and a list, for each of several at once", exchange.in_words()),
                Some(cards) => match talk.legal(question, &cards.value) {
                    Ok(()) => continue,
                    Err(failure) => failure,
                },
            };
            return Err(Failure { exchange: Some(before + index), ..failure }.into());
        }
    }
    Ok(())
}

async fn again(talk: &mut AiTalk) -> Done {
    let url = talk.url().clone();
    for question in some(6) {
        // The game master sends a request again with its id (C-20). Another duel may come to the same position.
        let first = talk.request(&question, &url, Form::Plain);
        let another = talk.request(&question, &url, Form::Plain);
        for ask in [first.clone(), first, another] {
            talk.send(ask).await;
            let cards = talk.played()?;
            talk.legal(&question, &cards)?;
        }
    }
    Ok(())
}

async fn without_header(talk: &mut AiTalk) -> Done {
    for question in some(7) {
        talk.plays(&DuelQuestion { seen: None, ..question }).await?;
    }
    Ok(())
}

async fn nonsense_header(talk: &mut AiTalk) -> Done {
    let header = |question: &DuelQuestion| question.seen.as_ref().map(Seen::header).unwrap_or_default();
    let mut asked = Vec::new();
    for nonsense in ["", "nonsense", "{}", "[1]", "{\"distance\":-1}"] {
        asked.extend(some(8).map(|question| (question, nonsense.to_owned())));
    }
    // Who believes it attacks with two 5s, which the other can't parry, and is wrong.
    let elsewhere = header(&at(5, &[1, 2, 5, 5], 1));
    asked.extend([2, 3].map(|distance| (at(distance, &[1, 2, 5, 5], 1), elsewhere.clone())));
    let url = talk.url().clone();
    for (question, header) in asked {
        let bare = DuelQuestion { seen: None, ..question.clone() };
        let ask = talk.request(&bare, &url, Form::Plain).header(SEEN_HEADER, &header);
        talk.send(ask).await;
        let cards = talk.played()?;
        talk.legal(&question, &cards)?;
    }
    Ok(())
}

/// Looks through all cards that were played so far.
fn without(talk: &AiTalk, unwanted: &[Deviation]) -> Done {
    for (index, exchange) in talk.exchanges().iter().enumerate() {
        let Some(got) = exchange.answer().ok().filter(|got| got.status == 200) else { continue };
        let taken = DuelQuestion::deviations(&got.answer());
        if let Some(deviation) = taken.into_iter().find(|deviation| unwanted.contains(deviation)) {
            let failure = talk.failure("{\"res\": [1]}", format!("{deviation}: {}", got.text()));
            return Err(Failure { exchange: Some(index), ..failure }.into());
        }
    }
    Ok(())
}

async fn no_question(talk: &mut AiTalk) -> Done {
    let whole = talk.url().as_str().to_owned();
    let (_, path) = crate::client::place_and_path(&whole);
    let joint = if path.contains('?') { "&" } else { "?" };
    for query in [
        "",
        "yourmoves=[]&othermoves=[]&othernbcards=5",
        "yourmoves=[]&othermoves=[]&cards=x&othernbcards=5",
        "yourmoves=[]&othermoves=[]&cards=[9]&othernbcards=5",
        "yourmoves=[5,5,5]&othermoves=[5,5,5]&cards=[1]&othernbcards=5",
    ] {
        let ask = talk.bare(&format!("{path}{joint}{query}"));
        let status = talk.send(ask).await.status();
        if !status.is_some_and(|status| (400..500).contains(&status)) {
            return Err(talk.unlike("a status of 4xx").into());
        }
    }
    Ok(())
}

async fn in_time(talk: &mut AiTalk) -> Done {
    let most = talk.settings().deadline / 2;
    let answered = talk.exchanges().iter().enumerate().filter(|(_, exchange)| exchange.got.is_ok());
    match answered.max_by_key(|(_, exchange)| exchange.took).filter(|(_, slowest)| slowest.took > most) {
        None => Ok(()),
        Some((at, slowest)) => {
            let expected = format!("every answer within {} ms", most.as_millis());
            let found = format!("{} ms", slowest.took.as_millis());
            Err(Failure { expected, found, exchange: Some(at) }.into())
        }
    }
}
