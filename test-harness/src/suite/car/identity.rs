//! C-1 to C-5: the car's resources, its counts, its state.
//!
//! ```text
//! GET /engine        {"res": "bucket name"}       GET /engine/count   {"res": 4}
//! GET /state         {"name": "i-0abc", "square": 0, "modules": {"engine": 4, "pilot": 1, "weapon": 3}}
//! ```

use super::Talk;
use crate::suite::case::{Case, Done, Level, Stopped};
use futures_util::FutureExt;
use gm_core::contract::{CarRequest, Kind, reader};
use gm_core::race::Rules;

/// The most characters of an instance name (R-2.3).
const LONGEST_NAME: usize = 100;

const REFUSED: &str = "registration is refused (R-2.3)";

macro_rules! resource {
    ($id:literal, $requirement:literal, $kind:expr, $title:literal) => {
        Case {
            id: $id,
            requirement: $requirement,
            title: $title,
            level: Level::Must,
            needs: &["C-20.8"],
            hint: "answer 200 and the name in {\"res\": \"…\"}, a text that is not empty, and always the same one",
            costs: REFUSED,
            check: |talk| resource(talk, $kind).boxed(),
        }
    };
}

macro_rules! count {
    ($id:literal, $kind:expr, $title:literal) => {
        Case {
            id: $id,
            requirement: "C-4",
            title: $title,
            level: Level::Must,
            needs: &["C-20.8"],
            hint: "answer 200 and {\"res\": 3}: how many there are at this moment, a whole number",
            costs: "registration is refused (R-2.3); in a race, a penalty whenever it is asked: engines in every \
                    turn, and the car stays where it is (R-3.1)",
            check: |talk| count(talk, $kind).boxed(),
        }
    };
}

/// The cases.
pub(super) fn cases() -> Vec<Case<Talk>> {
    vec![
        resource!("C-1.1", "C-1", Kind::Engine, "GET /engine names the bucket"),
        resource!("C-2.1", "C-2", Kind::Pilot, "GET /pilot names the queue"),
        resource!("C-3.1", "C-3", Kind::Weapon, "GET /weapon names the table"),
        count!("C-4.1", Kind::Engine, "GET /engine/count is a whole number"),
        count!("C-4.2", Kind::Pilot, "GET /pilot/count is a whole number"),
        count!("C-4.3", Kind::Weapon, "GET /weapon/count is a whole number"),
        Case {
            id: "C-4.4",
            requirement: "C-4",
            title: "counts stay the same while nothing changes",
            level: Level::Must,
            needs: &["C-4.1", "C-4.2", "C-4.3"],
            hint: "count what is there each time; asking must not change it",
            costs: "a penalty in some turns (R-3.1), of which you can't tell why",
            check: |talk| counts_stay(talk).boxed(),
        },
        Case {
            id: "C-5.1",
            requirement: "C-5",
            title: "GET /state has name, square and modules",
            level: Level::Must,
            needs: &["C-20.8"],
            hint: "answer {\"name\": \"i-0abc\", \"square\": 42, \"modules\": {\"engine\": 3, \"pilot\": 1, \"weapon\": 2}} \
                   as it stands there, not within {\"res\": …}",
            costs: "registration is refused (R-2.3); in a race, a penalty after every move (R-3.1)",
            check: |talk| state(talk).boxed(),
        },
        Case {
            id: "C-5.2",
            requirement: "C-5",
            title: "the state has the counts that are asked for one by one",
            level: Level::Must,
            needs: &["C-4.4", "C-5.1"],
            hint: "count modules in one place, and let /state and /count both ask there",
            costs: "a penalty at each spot check, in about one turn of twenty (R-3.4)",
            check: |talk| same_counts(talk).boxed(),
        },
        Case {
            id: "C-5.3",
            requirement: "C-5",
            title: "the name is the instance name",
            level: Level::Must,
            needs: &["C-5.1"],
            hint: "give the name under which the team registers the car",
            costs: REFUSED,
            check: |talk| name(talk).boxed(),
        },
        Case {
            id: "C-5.4",
            requirement: "C-5",
            title: "the car can be registered: it has a pilot, at most 10 modules, and is not too dear",
            level: Level::Must,
            needs: &["C-5.2"],
            hint: "start the car as it is to enter the race: 1 pilot or more, 10 modules at most, and what they cost within \
                   the team's budget, by the rules' usual numbers",
            costs: "the race: registration is refused as the car is now (R-2.3)",
            check: |talk| can_enter(talk).boxed(),
        },
    ]
}

async fn resource(talk: &mut Talk, kind: Kind) -> Done {
    let request = CarRequest::Resource(kind);
    let first = talk.ask(&request, reader::resource).await?;
    let second = talk.ask(&request, reader::resource).await?;
    if first == second {
        return Ok(());
    }
    Err(talk.failure(format!("{first:?} again"), format!("{second:?}")).into())
}

async fn count(talk: &mut Talk, kind: Kind) -> Done {
    talk.count(kind).await?;
    Ok(())
}

async fn counts_stay(talk: &mut Talk) -> Done {
    let before = talk.counts().await?;
    for _ in 0..3 {
        talk.expect_counts(before, "nothing at all").await?;
    }
    Ok(())
}

async fn state(talk: &mut Talk) -> Done {
    talk.state().await?;
    Ok(())
}

async fn same_counts(talk: &mut Talk) -> Done {
    let counts = talk.counts().await?;
    let state = talk.state().await?.modules;
    for kind in Kind::ALL {
        let (expected, found) = (counts.of(kind), state.of(kind));
        if found != expected {
            let expected = format!("{expected} of kind {kind}, as GET /{kind}/count said");
            return Err(talk.failure(expected, found.to_string()).into());
        }
    }
    Ok(())
}

async fn name(talk: &mut Talk) -> Done {
    let name = talk.state().await?.name;
    let length = name.chars().count();
    if !(1..=LONGEST_NAME).contains(&length) || name.contains(char::is_control) {
        let expected = format!("a name of 1 to {LONGEST_NAME} characters, none of them a control character");
        return Err(talk.failure(expected, format!("{name:?}")).into());
    }
    match talk.settings().instance.clone() {
        None => Err(Stopped::Skip("no --instance was given to compare it with".to_owned())),
        Some(instance) if instance == name => Ok(()),
        Some(instance) => Err(talk.failure(format!("{instance:?}"), format!("{name:?}")).into()),
    }
}

/// R-2.3, by the balanced rules: what else a registration asks is for other cases to say.
async fn can_enter(talk: &mut Talk) -> Done {
    let rules = Rules::balanced();
    let modules = talk.counts().await?;
    let price = Kind::ALL
        .into_iter()
        .map(|kind| modules.of(kind).saturating_mul(u64::from(rules.prices.of(kind))))
        .fold(u64::from(rules.registration_fee), u64::saturating_add);
    let mut reasons = Vec::new();
    if modules.pilot == 0 {
        reasons.push("no pilot".to_owned());
    }
    if modules.total() > u64::from(rules.max_modules) {
        reasons.push(format!("{} modules in all", modules.total()));
    }
    if price > u64::from(rules.initial_budget) {
        reasons.push(format!("they cost {price} dollars"));
    }
    if reasons.is_empty() {
        return Ok(());
    }
    let expected = format!(
        "1 pilot or more, {} modules at most, for {} dollars at most",
        rules.max_modules, rules.initial_budget
    );
    Err(talk.failure(expected, reasons.join(", ")).into())
}
