//! C-19, C-22: what the game master takes at its value, logs to the team, and should not have to.
//!
//! ```text
//! GET /engine/count   {"res": "3"}   taken as 3, and a warning
//! ```

use super::Talk;
use crate::suite::case::{Case, Done, Level};
use futures_util::FutureExt;
use gm_core::contract::{CarRequest, Deviation, Kind, Prices};
use gm_core::ids::TeamId;

/// The cases.
pub(super) fn cases() -> Vec<Case<Talk>> {
    const NOTHING: &str = "nothing: it is taken, and noted in the team's log (C-22)";
    macro_rules! without {
        ($id:literal, $requirement:literal, $title:literal, $hint:literal, $deviations:expr) => {
            Case {
                id: $id,
                requirement: $requirement,
                title: $title,
                level: Level::Should,
                needs: &["C-20.8"],
                hint: $hint,
                costs: NOTHING,
                check: |talk| without(talk, &$deviations).boxed(),
            }
        };
    }
    vec![
        without!(
            "C-19.1",
            "C-19",
            "every answer but the state's is within {\"res\": …}",
            "answer {\"res\": 3}, not 3",
            [Deviation::NoEnvelope]
        ),
        without!(
            "C-22.1",
            "C-22",
            "true and false are JSON booleans",
            "answer {\"res\": true}, not {\"res\": \"true\"} or {\"res\": 1}",
            [Deviation::BooleanAsText, Deviation::BooleanAsNumber]
        ),
        without!(
            "C-22.2",
            "C-22",
            "numbers are whole JSON numbers",
            "answer {\"res\": 3}, not {\"res\": \"3\"} or {\"res\": 3.0}",
            [Deviation::NumberAsText, Deviation::NumberWithFraction]
        ),
        without!(
            "C-22.3",
            "C-22",
            "kinds are in lower case",
            "answer {\"res\": \"engine\"}, not {\"res\": \"Engine\"}",
            [Deviation::KindInOtherCase]
        ),
        without!(
            "C-22.4",
            "C-22",
            "answers say that they are JSON",
            "send Content-Type: application/json",
            [Deviation::ContentTypeMissing, Deviation::ContentTypeOther]
        ),
        without!(
            "C-22.5",
            "C-22",
            "answers hold nothing that the contract does not know",
            "leave out what nobody asked for: it may be a wrong spelling of what somebody did",
            [Deviation::UnknownFields]
        ),
    ]
}

/// Every question of the contract.
fn questions() -> Vec<CarRequest> {
    let prices = Prices { engine: 2, pilot: 1, weapon: 2 };
    let kinds = Kind::ALL.into_iter().flat_map(|kind| [CarRequest::Resource(kind), CarRequest::Count(kind)]);
    let others = [
        CarRequest::State,
        CarRequest::Wreck,
        CarRequest::Mine,
        CarRequest::Garage(prices),
        CarRequest::ShouldFight(TeamId(7)),
        CarRequest::DuelUrl,
    ];
    kinds.chain(others).collect()
}

async fn without(talk: &mut Talk, unwanted: &[Deviation]) -> Done {
    for request in questions() {
        let Ok(got) = talk.send(&request).await.answer() else { continue };
        let taken = request.deviations(&got.answer());
        if let Some(deviation) = taken.into_iter().find(|deviation| unwanted.contains(deviation)) {
            let expected = format!("{request}: {}", request.wanted());
            let found = format!("{deviation}: {}", got.text());
            return Err(talk.failure(expected, found).into());
        }
    }
    Ok(())
}
