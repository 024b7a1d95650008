//! The settings of a race, every one of which the rule book marks with (cfg).
//!
//! ```text
//! {"initial_budget":100,"prices":{"engine":2,"pilot":1,"weapon":2}, …}
//! ```

use crate::event::{Achievement, BonusPlan, EncounterOdds};
use crate::word::Prices;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {
    pub(crate) initial_budget: u32,
    pub(crate) prices: Prices,
    pub(crate) registration_fee: u32,
    pub(crate) max_modules: u32,
    pub(crate) track_length: u32,
    pub(crate) combat_range: u32,
    pub(crate) meet_again: bool,
    pub(crate) encounters: EncounterOdds,
    pub(crate) spot_check_percent: u32,
    pub(crate) pirates: PirateRules,
    pub(crate) wreck: WreckOdds,
    pub(crate) mine: MineRules,
    pub(crate) garage_step_back: u32,
    pub(crate) hand_limit: Option<u32>,
    pub(crate) duel_limit: u32,
    pub(crate) request_deadline_ms: u32,
    pub(crate) move_deadline_ms: u32,
    pub(crate) verify_grace: u32,
    pub(crate) spoils: Spoils,
    pub(crate) transfers: bool,
    pub(crate) end_award: u32,
    pub(crate) achievements: BTreeMap<Achievement, Reward>,
    pub(crate) scrooge_above: u32,
    pub(crate) turn_every: u32,
    pub(crate) running_time: u32,
    pub(crate) max_turns: Option<u32>,
    pub(crate) idle_turns: u32,
    pub(crate) bonuses: Vec<BonusPlan>,
    pub(crate) random_bonuses: u32,
}

/// R-5.1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PirateRules {
    pub(crate) least_weapons: u32,
    pub(crate) most_weapons: u32,
    pub(crate) mind: PirateMind,
}

/// The pirates' AI. `reference` is the careful one, which is recorded by the name that it had first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PirateMind {
    Random,
    Greedy,
    Reference,
    Search,
}

/// R-5.2, in percent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WreckOdds {
    pub(crate) nothing: u32,
    pub(crate) engine: u32,
    pub(crate) weapon: u32,
    pub(crate) pilot: u32,
    pub(crate) snakes: u32,
}

/// R-5.3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MineRules {
    pub(crate) damage_percent: u32,
    pub(crate) detour_turns: u32,
}

/// R-7.6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Spoils {
    Destroyed,
    WinnerTakes,
}

/// What an achievement is worth (R-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reward {
    pub(crate) dollars: u32,
    pub(crate) points: u32,
}
