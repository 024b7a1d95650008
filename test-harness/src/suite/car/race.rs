//! A short race by the real rules, against the car: what it would have cost on the evening.
//!
//! ```text
//! registered, three turns, a wreck, a garage, a minefield, pirates, a fight, a bonus, corrected, retired, reinstated
//! ```
//!
//! It is played with modules of its own, which the car is given before and which are taken away after it: those that were
//! there are neither counted nor lost. Each case plays on in the same race, so it needs the one before.

use super::Talk;
use crate::game_master::{CannotGoOn, MockGameMaster};
use crate::suite::case::{Case, Done, Failure, Level, Stopped, Subject};
use crate::suite::evidence::refused;
use futures_util::FutureExt;
use gm_core::contract::{CarRequest, Kind};
use gm_core::ids::Square;
use gm_core::race::Event;
use gm_core::race::command::NewStanding;
use gm_core::race::state::{BonusEffect, Encounter};
use std::collections::BTreeMap;

/// The modules that the race is played with: enough pilots to lose two.
const MODULES: [(Kind, usize); 3] = [(Kind::Engine, 2), (Kind::Pilot, 3), (Kind::Weapon, 3)];

/// The seed of its dice.
const SEED: u64 = 7;

/// Everything that must hold one by one before it is tried together.
const ALL: &[&str] = &[
    "C-1.1", "C-2.1", "C-3.1", "C-5.2", "C-6.3", "C-6.4", "C-7.2", "C-8.2", "C-9.2", "C-9.3", "C-9.4",
    "C-10.2", "C-10.3", "C-10.4", "C-10.5", "C-10.8", "C-11.2", "C-11.3", "C-11.4", "C-11.5", "C-11.6",
    "C-12.2", "C-13.2", "C-14.2", "C-15.1", "C-16.1", "C-20.5", "C-20.6",
];

/// The cases.
pub(super) fn cases() -> Vec<Case<Talk>> {
    const PENALTY: &str = "the penalty that is told (R-7.1)";
    const HINT: &str =
        "each request by itself is answered rightly; look at the order in which they came (--trace)";
    macro_rules! plays {
        ($id:literal, $requirement:literal, $needs:expr, $title:literal, $play:expr) => {
            Case {
                id: $id,
                requirement: $requirement,
                title: $title,
                level: Level::Must,
                needs: $needs,
                hint: HINT,
                costs: PENALTY,
                check: |talk| $play(talk).boxed(),
            }
        };
    }
    vec![
        Case {
            id: "R-2.3.1",
            requirement: "R-2.3",
            title: "the car is registered, with modules that it is lent for it",
            level: Level::Must,
            needs: ALL,
            hint: "see what the game master asks at a registration (R-2.2), and the reasons",
            costs: "the race: the car is not in it",
            check: |talk| register(talk).boxed(),
        },
        plays!("R-3.1.1", "R-3.1", &["R-2.3.1"], "it drives three turns without a penalty", drive),
        plays!("R-5.2.1", "R-5.2", &["R-3.1.1"], "it meets a wreck without a penalty", wreck),
        plays!("R-5.4.1", "R-5.4", &["R-5.2.1"], "it stops at a garage without a penalty", garage),
        plays!("R-5.3.1", "R-5.3", &["R-5.4.1"], "it comes to a minefield without a penalty", minefield),
        plays!("R-5.1.1", "R-5.1", &["R-5.3.1"], "it is attacked by pirates without a penalty", pirates),
        plays!("R-4.6.1", "R-4.6", &["R-5.1.1"], "it fights another car without a penalty", fight),
        plays!("R-12.2.1", "R-12.2", &["R-4.6.1"], "it takes bonuses without a penalty", bonus),
        plays!(
            "R-10.3.1",
            "R-10.3",
            &["R-12.2.1"],
            "the jury puts it on another square without a penalty",
            corrected
        ),
        plays!(
            "R-7.4.1",
            "R-7.4",
            &["R-10.3.1", "C-8.2"],
            "it is retired, reinstated, and drives on without a penalty",
            retired_and_back
        ),
    ]
}

async fn register(talk: &mut Talk) -> Done {
    let besides = talk.counts().await?;
    let mut known = BTreeMap::new();
    for (kind, count) in MODULES {
        for _ in 0..count {
            let name = talk.fresh_name(kind);
            talk.tell(&CarRequest::Gain { kind, name: name.clone() }).await?;
            known.entry(kind).or_insert_with(Vec::new).push(name);
        }
    }
    let settings = talk.settings().clone();
    let gm = MockGameMaster::new(&settings.url).map_err(|bad| Stopped::Skip(bad.to_string()))?;
    let gm = gm.deadline(settings.deadline).heeding(&settings.stop).seed(SEED).besides(besides, known);
    // Under the name that it gives itself: whether that is the right one, C-5.3 says.
    let mut gm = match &settings.secret {
        Some(secret) => gm.secret(secret),
        None => gm,
    };
    let registered = gm.register().await;
    let done = judge(talk, &gm, registered.map(|_| Vec::new())).await;
    talk.race = Some(gm);
    done
}

/// Plays on in the race, and says what it cost.
async fn play(
    talk: &mut Talk,
    plays: impl AsyncFnOnce(&mut MockGameMaster) -> Result<Vec<Event>, CannotGoOn>,
) -> Done {
    let Some(mut gm) = talk.race.take() else {
        return Err(Stopped::Skip("the race was not begun".to_owned()));
    };
    let done = if gm.is_in_race() {
        let played = plays(&mut gm).await;
        judge(talk, &gm, played).await
    } else {
        Err(Stopped::Skip(
            "the car is out of the race by now: a duel or a mine took its last pilot".to_owned(),
        ))
    };
    talk.race = Some(gm);
    done
}

/// Whether there was a penalty since it was judged last. What was asked becomes part of the conversation.
async fn judge(talk: &mut Talk, gm: &MockGameMaster, played: Result<Vec<Event>, CannotGoOn>) -> Done {
    let exchanges = gm.exchanges().await;
    let first = talk.keep_race(&exchanges);
    let judged = std::mem::replace(&mut talk.judged, gm.penalties().len());
    if let Some(penalty) = gm.penalties().get(judged) {
        let exchange = penalty.exchange.map(|index| first + index);
        let besides = " (numbers are without the modules that the car had before)";
        let breach = &penalty.breach;
        let expected = format!("no penalty: {}{besides}", breach.expected);
        let mut found = format!("turn {}: {breach}", penalty.turn);
        if let Some(refused) = exchange.and_then(|at| refused(talk.exchanges().get(..at)?)) {
            found += &format!("; before it, {} was answered by {}", refused.ask, refused.in_words());
        }
        return Err(Failure { expected, found, exchange }.into());
    }
    match played {
        Ok(_) => Ok(()),
        Err(why @ CannotGoOn::Retired(_)) => Err(Stopped::Skip(why.to_string())),
        Err(why) => Err(talk.failure("the race to go on", why.to_string()).into()),
    }
}

async fn drive(talk: &mut Talk) -> Done {
    play(talk, async |gm| gm.turns(3).await.map(|()| Vec::new())).await
}

async fn wreck(talk: &mut Talk) -> Done {
    play(talk, async |gm| {
        gm.meets(Encounter::Wreck).await?;
        gm.meets(Encounter::Wreck).await
    })
    .await
}

async fn garage(talk: &mut Talk) -> Done {
    play(talk, async |gm| {
        gm.meets(Encounter::Garage).await?;
        gm.meets(Encounter::Garage).await
    })
    .await
}

async fn minefield(talk: &mut Talk) -> Done {
    play(talk, async |gm| gm.meets(Encounter::Minefield).await).await
}

async fn pirates(talk: &mut Talk) -> Done {
    play(talk, async |gm| gm.meets(Encounter::Pirates).await).await
}

async fn fight(talk: &mut Talk) -> Done {
    play(talk, async |gm| gm.fights().await).await
}

async fn bonus(talk: &mut Talk) -> Done {
    play(talk, async |gm| {
        gm.takes_bonus(BonusEffect::Module(Kind::Engine)).await?;
        gm.takes_bonus(BonusEffect::Advance(4)).await?;
        gm.takes_bonus(BonusEffect::Back(2)).await
    })
    .await
}

async fn corrected(talk: &mut Talk) -> Done {
    play(talk, async |gm| {
        gm.corrects(Some(Square(298)), None).await?;
        gm.turn().await?;
        gm.turn().await
    })
    .await
}

async fn retired_and_back(talk: &mut Talk) -> Done {
    play(talk, async |gm| {
        gm.stands(NewStanding::Retired).await?;
        gm.stands(NewStanding::Reinstated).await?;
        gm.turn().await
    })
    .await
}
