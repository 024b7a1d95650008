//! Version 1 of the stored form: types of its own for all that a race's events, commands and rules are made of.
//!
//! ```text
//! {"event":"car_moved","car":3,"squares":4,"to":12}
//! [{"no":7,"command":"pause"},{"no":8,"command":{"grant":{"team":1,"dollars":50}}}]
//! ```
//!
//! A type here has the name of the one in [`domain`] whose stored form it is, and its fields mean what they mean
//! there; ids and amounts are plain numbers. A record has exactly the fields of its type: one that is missing or
//! unknown is an error. Nothing here may change what is read or written: there are journals in this form. What the
//! rules come to know in addition is a version 2 beside this one.
//!
//! Each type is taken apart field by field in both directions, so that a new field of the rules does not compile
//! before somebody has said how it is stored.

mod breach;
mod cause;
mod command;
mod contract;
mod duel;
mod event;
mod module;
mod ring;
mod rules;
mod score;
mod tagged;

use super::Wrong;
use gm_core::contract::BaseUrl;
use serde::de::DeserializeOwned;

/// The types of the rules whose stored form this is.
mod domain {
    pub(super) use gm_core::arena::duel::{Illegal, Outcome, Reason, Side, Transcript, Turn};
    pub(super) use gm_core::contract::{CarRequest, Deviation, Fault, Found, Kind, Modules, Prices};
    pub(super) use gm_core::ids::{
        CarId, CommandNo, Dollars, Place, Points, Seconds, Square, TeamId, TurnNo,
    };
    pub(super) use gm_core::ports::{InspectorFault, PirateMind};
    pub(super) use gm_core::race::command::{
        Application, Arrival, CarCorrection, Command, NewStanding, TeamCorrection,
    };
    pub(super) use gm_core::race::event::{
        Accepted, Achievement, Breach, Check, Combatant, DelayCause, EndAward, EndTitle, Event, Fact, Find,
        GainCause, LossCause, RefusedBecause, Retirement, Score, StepCause, TransferProblem,
    };
    pub(super) use gm_core::race::rules::{
        EncounterOdds, MineRules, PirateRules, Reward, Rules, Spoils, ValidRules, WreckOdds,
    };
    pub(super) use gm_core::race::state::{
        BonusEffect, BonusId, BonusPlan, Encounter, Ending, Module, Often, Resources, Transfer,
    };
    pub(super) use gm_core::random::Seed;
}

/// The stored form of an event.
pub(super) fn write_event(event: &domain::Event) -> String {
    write(&event::Event::from(event))
}

/// The event of a stored form.
pub(super) fn read_event(text: &str) -> Result<domain::Event, Wrong> {
    read::<event::Event>(text)?.try_into()
}

/// The stored form of commands.
pub(super) fn write_arrivals(arrivals: &[domain::Arrival]) -> String {
    write(&arrivals.iter().map(command::Arrival::from).collect::<Vec<_>>())
}

/// The commands of a stored form.
pub(super) fn read_arrivals(text: &str) -> Result<Vec<domain::Arrival>, Wrong> {
    let arrivals = read::<Vec<command::Arrival>>(text)?.into_iter().enumerate();
    let checked = arrivals.map(|(index, arrival)| {
        domain::Arrival::try_from(arrival).map_err(|wrong| wrong.within(&format!("[{index}]")))
    });
    checked.collect()
}

/// The stored form of rules.
pub(super) fn write_rules(rules: &domain::ValidRules) -> String {
    write(&rules::Rules::from(&**rules))
}

/// The rules of a stored form.
pub(super) fn read_rules(text: &str) -> Result<domain::ValidRules, Wrong> {
    read::<rules::Rules>(text)?.validated()
}

fn write(stored: &impl serde::Serialize) -> String {
    serde_json::to_string(stored)
        .expect("all keys are names, and nothing that is derived here refuses to be written")
}

/// Reads a text. Only one that is wrong is read again, by what remembers in which field it is.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, Wrong> {
    serde_json::from_str(text).map_err(|wrong| {
        match serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_str(text)) {
            // A field whose name could not be read is `?` there, and the whole is `.`.
            Err(placed) => Wrong::at(placed.path().to_string().trim_end_matches(['?', '.']), placed.inner()),
            // All of it is good, and more follows.
            Ok(_) => Wrong::at("", &wrong),
        }
    })
}

/// The URL of a stored form. It was canonical when it was written; what is not a car's URL is refused.
fn base_url(field: &str, url: &str) -> Result<BaseUrl, Wrong> {
    BaseUrl::parse(url).map_err(|bad| Wrong::at(field, bad))
}
