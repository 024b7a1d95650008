//! The rules that a race is set up with.
//!
//! ```text
//! {"initial_budget":100,"prices":{"engine":2,"pilot":1,"weapon":2},"registration_fee":0,…}
//! {"dollars":5,"points":3}
//! ```

use super::contract::Prices;
use super::ring::{BonusPlan, EncounterOdds};
use super::score::Achievement;
use super::{Wrong, domain};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All settings of a race.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rules {
    initial_budget: u32,
    prices: Prices,
    registration_fee: u32,
    max_modules: u32,
    track_length: u32,
    combat_range: u32,
    meet_again: bool,
    encounters: EncounterOdds,
    spot_check_percent: u32,
    pirates: PirateRules,
    wreck: WreckOdds,
    mine: MineRules,
    garage_step_back: u32,
    #[serde(deserialize_with = "Option::deserialize")]
    hand_limit: Option<u32>,
    duel_limit: u32,
    request_deadline_ms: u32,
    move_deadline_ms: u32,
    verify_grace: u32,
    spoils: Spoils,
    transfers: bool,
    end_award: u32,
    achievements: BTreeMap<Achievement, Reward>,
    scrooge_above: u32,
    turn_every: u32,
    running_time: u32,
    #[serde(deserialize_with = "Option::deserialize")]
    max_turns: Option<u32>,
    idle_turns: u32,
    bonuses: Vec<BonusPlan>,
    random_bonuses: u32,
}

impl From<&domain::Rules> for Rules {
    fn from(it: &domain::Rules) -> Rules {
        let domain::Rules {
            initial_budget,
            prices,
            registration_fee,
            max_modules,
            track_length,
            combat_range,
            meet_again,
            encounters,
            spot_check_percent,
            pirates,
            wreck,
            mine,
            garage_step_back,
            hand_limit,
            duel_limit,
            request_deadline_ms,
            move_deadline_ms,
            verify_grace,
            spoils,
            transfers,
            end_award,
            achievements,
            scrooge_above,
            turn_every,
            running_time,
            max_turns,
            idle_turns,
            bonuses,
            random_bonuses,
        } = it;
        Rules {
            initial_budget: *initial_budget,
            prices: prices.into(),
            registration_fee: *registration_fee,
            max_modules: *max_modules,
            track_length: *track_length,
            combat_range: *combat_range,
            meet_again: *meet_again,
            encounters: encounters.into(),
            spot_check_percent: *spot_check_percent,
            pirates: pirates.into(),
            wreck: wreck.into(),
            mine: mine.into(),
            garage_step_back: *garage_step_back,
            hand_limit: *hand_limit,
            duel_limit: duel_limit.0,
            request_deadline_ms: *request_deadline_ms,
            move_deadline_ms: *move_deadline_ms,
            verify_grace: verify_grace.0,
            spoils: spoils.into(),
            transfers: *transfers,
            end_award: *end_award,
            achievements: achievements
                .iter()
                .map(|(achievement, reward)| (achievement.into(), reward.into()))
                .collect(),
            scrooge_above: *scrooge_above,
            turn_every: turn_every.0,
            running_time: running_time.0,
            max_turns: *max_turns,
            idle_turns: *idle_turns,
            bonuses: bonuses.iter().map(Into::into).collect(),
            random_bonuses: *random_bonuses,
        }
    }
}

impl Rules {
    /// The rules, if they can still be played.
    ///
    /// # Errors
    /// Every setting that is wrong.
    pub(super) fn validated(self) -> Result<domain::ValidRules, Wrong> {
        domain::Rules::from(self).validated().map_err(|bad| Wrong::at("", bad))
    }
}

impl From<Rules> for domain::Rules {
    fn from(it: Rules) -> domain::Rules {
        let Rules {
            initial_budget,
            prices,
            registration_fee,
            max_modules,
            track_length,
            combat_range,
            meet_again,
            encounters,
            spot_check_percent,
            pirates,
            wreck,
            mine,
            garage_step_back,
            hand_limit,
            duel_limit,
            request_deadline_ms,
            move_deadline_ms,
            verify_grace,
            spoils,
            transfers,
            end_award,
            achievements,
            scrooge_above,
            turn_every,
            running_time,
            max_turns,
            idle_turns,
            bonuses,
            random_bonuses,
        } = it;
        domain::Rules {
            initial_budget,
            prices: prices.into(),
            registration_fee,
            max_modules,
            track_length,
            combat_range,
            meet_again,
            encounters: encounters.into(),
            spot_check_percent,
            pirates: pirates.into(),
            wreck: wreck.into(),
            mine: mine.into(),
            garage_step_back,
            hand_limit,
            duel_limit: domain::Seconds(duel_limit),
            request_deadline_ms,
            move_deadline_ms,
            verify_grace: domain::Seconds(verify_grace),
            spoils: spoils.into(),
            transfers,
            end_award,
            achievements: achievements
                .into_iter()
                .map(|(achievement, reward)| (achievement.into(), reward.into()))
                .collect(),
            scrooge_above,
            turn_every: domain::Seconds(turn_every),
            running_time: domain::Seconds(running_time),
            max_turns,
            idle_turns,
            bonuses: bonuses.into_iter().map(Into::into).collect(),
            random_bonuses,
        }
    }
}

/// What is found in a wreck, in percent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WreckOdds {
    nothing: u32,
    engine: u32,
    weapon: u32,
    pilot: u32,
    snakes: u32,
}

impl From<&domain::WreckOdds> for WreckOdds {
    fn from(it: &domain::WreckOdds) -> WreckOdds {
        let domain::WreckOdds { nothing, engine, weapon, pilot, snakes } = it;
        WreckOdds { nothing: *nothing, engine: *engine, weapon: *weapon, pilot: *pilot, snakes: *snakes }
    }
}

impl From<WreckOdds> for domain::WreckOdds {
    fn from(it: WreckOdds) -> domain::WreckOdds {
        let WreckOdds { nothing, engine, weapon, pilot, snakes } = it;
        domain::WreckOdds { nothing, engine, weapon, pilot, snakes }
    }
}

/// The pirates.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PirateRules {
    least_weapons: u32,
    most_weapons: u32,
    mind: PirateMind,
}

impl From<&domain::PirateRules> for PirateRules {
    fn from(it: &domain::PirateRules) -> PirateRules {
        let domain::PirateRules { least_weapons, most_weapons, mind } = it;
        PirateRules { least_weapons: *least_weapons, most_weapons: *most_weapons, mind: mind.into() }
    }
}

impl From<PirateRules> for domain::PirateRules {
    fn from(it: PirateRules) -> domain::PirateRules {
        let PirateRules { least_weapons, most_weapons, mind } = it;
        domain::PirateRules { least_weapons, most_weapons, mind: mind.into() }
    }
}

/// The AI that pirates have. `reference` is the careful one: it was called so when it was stored first, and is stored so
/// for ever.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PirateMind {
    Random,
    Greedy,
    Reference,
    Search,
}

impl From<&domain::PirateMind> for PirateMind {
    fn from(it: &domain::PirateMind) -> PirateMind {
        match it {
            domain::PirateMind::Random => PirateMind::Random,
            domain::PirateMind::Greedy => PirateMind::Greedy,
            domain::PirateMind::Careful => PirateMind::Reference,
            domain::PirateMind::Search => PirateMind::Search,
        }
    }
}

impl From<PirateMind> for domain::PirateMind {
    fn from(it: PirateMind) -> domain::PirateMind {
        match it {
            PirateMind::Random => domain::PirateMind::Random,
            PirateMind::Greedy => domain::PirateMind::Greedy,
            PirateMind::Reference => domain::PirateMind::Careful,
            PirateMind::Search => domain::PirateMind::Search,
        }
    }
}

/// The minefield.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MineRules {
    damage_percent: u32,
    detour_turns: u32,
}

impl From<&domain::MineRules> for MineRules {
    fn from(it: &domain::MineRules) -> MineRules {
        let domain::MineRules { damage_percent, detour_turns } = it;
        MineRules { damage_percent: *damage_percent, detour_turns: *detour_turns }
    }
}

impl From<MineRules> for domain::MineRules {
    fn from(it: MineRules) -> domain::MineRules {
        let MineRules { damage_percent, detour_turns } = it;
        domain::MineRules { damage_percent, detour_turns }
    }
}

/// What becomes of the module that a loser loses.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Spoils {
    Destroyed,
    WinnerTakes,
}

impl From<&domain::Spoils> for Spoils {
    fn from(it: &domain::Spoils) -> Spoils {
        match it {
            domain::Spoils::Destroyed => Spoils::Destroyed,
            domain::Spoils::WinnerTakes => Spoils::WinnerTakes,
        }
    }
}

impl From<Spoils> for domain::Spoils {
    fn from(it: Spoils) -> domain::Spoils {
        match it {
            Spoils::Destroyed => domain::Spoils::Destroyed,
            Spoils::WinnerTakes => domain::Spoils::WinnerTakes,
        }
    }
}

/// What an achievement is worth.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reward {
    dollars: u32,
    points: u32,
}

impl From<&domain::Reward> for Reward {
    fn from(it: &domain::Reward) -> Reward {
        let domain::Reward { dollars, points } = it;
        Reward { dollars: *dollars, points: *points }
    }
}

impl From<Reward> for domain::Reward {
    fn from(it: Reward) -> domain::Reward {
        let Reward { dollars, points } = it;
        domain::Reward { dollars, points }
    }
}
