//! The rules that a race is set up with: every number that the rule book marks **(cfg)**.
//!
//! ```
//! use gm_core::race::Rules;
//! assert_eq!(Rules::balanced().encounters.wreck, 12);
//! assert!(Rules { track_length: 0, ..Rules::balanced() }.validated().is_err());
//! ```

use super::event::Achievement;
use super::state::{BonusPlan, Encounter};
use crate::contract::Prices;
use crate::ids::Seconds;
use crate::ports::PirateMind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::{fmt, ops::Deref};

/// All settings of a race. Dollars and points are whole, odds are whole percent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// What a team starts with, in dollars (R-1.1). At most [`MOST_DOLLARS`].
    pub initial_budget: u32,
    /// Price of a module of each kind, in dollars (R-1.3). At most [`MOST_DOLLARS`] each.
    pub prices: Prices,
    /// What a registration costs, in dollars (R-2.3). At most [`MOST_DOLLARS`].
    pub registration_fee: u32,
    /// The most modules that a car can have when it is registered, 1 to [`MOST_MODULES`] (R-2.3).
    pub max_modules: u32,
    /// Squares of the ring, 1 to [`MOST_SQUARES`] (R-1.4).
    pub track_length: u32,
    /// Two cars within this many squares of each other can fight; 0 = on the same square (R-4.1).
    pub combat_range: u32,
    /// Whether a pair that met meets again although neither has moved since (R-4.1).
    pub meet_again: bool,
    /// The odds of the encounters (R-3.3).
    pub encounters: EncounterOdds,
    /// The chance of a spot check per car and turn, in percent (R-3.4).
    pub spot_check_percent: u32,
    /// The pirates (R-5.1).
    pub pirates: PirateRules,
    /// What is found in a wreck (R-5.2).
    pub wreck: WreckOdds,
    /// The minefield (R-5.3).
    pub mine: MineRules,
    /// Squares that a car moves back when it buys in a garage (R-5.4).
    pub garage_step_back: u32,
    /// The most cards that a duellist is dealt; none = as many as it has weapons (R-6.1).
    pub hand_limit: Option<u32>,
    /// How long a whole duel may take, in seconds, at least 1 (R-6.8).
    pub duel_limit: Seconds,
    /// How long a car may take for one answer, in milliseconds, connecting included (C-21). 1 to
    /// [`MOST_MILLISECONDS`].
    pub request_deadline_ms: u32,
    /// How long a duel AI may take for one move, in milliseconds (A-3). 1 to [`MOST_MILLISECONDS`].
    pub move_deadline_ms: u32,
    /// For how long a verification that fails is asked again, in seconds; 0 = not at all (R-7.8). At most
    /// [`MOST_GRACE`].
    pub verify_grace: Seconds,
    /// What becomes of the module that the loser of a fight loses (R-7.6).
    pub spoils: Spoils,
    /// Whether a team may move modules between its cars (R-7.7).
    pub transfers: bool,
    /// Victory points for each of the four awards at the end (R-8.2). At most [`MOST_POINTS`].
    pub end_award: u32,
    /// What each achievement is worth (R-9). One that is not named is worth nothing but its medal.
    pub achievements: BTreeMap<Achievement, Reward>,
    /// The budget, in dollars, above which a team earns `scrooge` (R-9.14).
    pub scrooge_above: u32,
    /// A turn starts every so many seconds (R-10.1). At least 1.
    pub turn_every: Seconds,
    /// The race ends after this much running time, in seconds (R-10.2). At least 1.
    pub running_time: Seconds,
    /// The race ends after this many turns; none = no such limit (R-10.2). At least 1.
    pub max_turns: Option<u32>,
    /// The race ends when no car has been racing or entered for so many turns, at least 1 (R-10.2).
    pub idle_turns: u32,
    /// The bonuses that are on the ring from the start (R-12.1).
    pub bonuses: Vec<BonusPlan>,
    /// How many bonuses are drawn from the seed in addition (R-12.1).
    pub random_bonuses: u32,
}

/// The most dollars that one setting, grant or reward can name.
pub const MOST_DOLLARS: u32 = 1_000_000;
/// The most victory points that one setting, bonus or correction can name.
pub const MOST_POINTS: u32 = 1_000_000;
/// The most modules that a setting can allow, and that a jury can give, of one kind.
pub const MOST_MODULES: u32 = 1_000;
/// The most squares that one setting or correction can name.
pub const MOST_SQUARES: u32 = 1_000_000;
/// The longest deadline of one request, in milliseconds.
pub const MOST_MILLISECONDS: u32 = 600_000;
/// The longest grace for a verification, in seconds (R-7.8).
pub const MOST_GRACE: u32 = 600;

/// The odds of the encounters in whole percent, adding up to 100 (R-3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncounterOdds {
    /// Nothing happens.
    pub nothing: u32,
    /// Pirates (R-5.1).
    pub pirates: u32,
    /// A garage (R-5.4).
    pub garage: u32,
    /// A wreck (R-5.2).
    pub wreck: u32,
    /// A minefield (R-5.3).
    pub minefield: u32,
}

impl EncounterOdds {
    /// Each encounter with its odds, in the order of the rule.
    #[must_use]
    pub fn table(&self) -> [(Encounter, u32); 5] {
        [
            (Encounter::Nothing, self.nothing),
            (Encounter::Pirates, self.pirates),
            (Encounter::Garage, self.garage),
            (Encounter::Wreck, self.wreck),
            (Encounter::Minefield, self.minefield),
        ]
    }

    /// Whether the odds add up to 100.
    ///
    /// # Errors
    /// Says what they add up to.
    pub fn check(&self) -> Result<(), String> {
        hundred(self.table().map(|(_, percent)| percent))
    }
}

/// What a wreck holds, in whole percent, adding up to 100 (R-5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WreckOdds {
    /// Nothing.
    pub nothing: u32,
    /// An engine.
    pub engine: u32,
    /// A weapon.
    pub weapon: u32,
    /// A pilot.
    pub pilot: u32,
    /// Snakes: a pilot is lost.
    pub snakes: u32,
}

impl WreckOdds {
    /// The odds in the order of the rule: nothing, engine, weapon, pilot, snakes.
    #[must_use]
    pub fn table(&self) -> [u32; 5] {
        [self.nothing, self.engine, self.weapon, self.pilot, self.snakes]
    }
}

/// The pirates (R-5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PirateRules {
    /// The fewest weapons, at least 1.
    pub least_weapons: u32,
    /// The most weapons, not below the fewest, at most 25 (there are no more cards).
    pub most_weapons: u32,
    /// Which built-in AI they have.
    pub mind: PirateMind,
}

/// The minefield (R-5.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MineRules {
    /// The chance that a car that drives through loses a module, in percent.
    pub damage_percent: u32,
    /// The turns that a car misses when it goes round.
    pub detour_turns: u32,
}

/// What becomes of the module that the loser of a fight between cars loses (R-7.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spoils {
    /// It is gone.
    Destroyed,
    /// The winner gains it under a new name.
    WinnerTakes,
}

/// What an achievement is worth (R-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reward {
    /// Dollars, to be spent from the next turn on. At most [`MOST_DOLLARS`].
    #[serde(default)]
    pub dollars: u32,
    /// Victory points. At most [`MOST_POINTS`].
    #[serde(default)]
    pub points: u32,
}

/// The two presets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Tuned by simulating thousands of races.
    #[default]
    Balanced,
    /// The numbers of the software that ran the original event.
    Classic,
}

impl Preset {
    /// The rules of the preset.
    #[must_use]
    pub fn rules(self) -> Rules {
        match self {
            Preset::Balanced => Rules::balanced(),
            Preset::Classic => Rules::classic(),
        }
    }
}

impl Rules {
    /// The preset `balanced`, the default.
    #[must_use]
    pub fn balanced() -> Rules {
        let reward = |dollars, points| Reward { dollars, points };
        Rules {
            initial_budget: 100,
            prices: Prices { engine: 2, pilot: 1, weapon: 2 },
            registration_fee: 0,
            max_modules: 10,
            track_length: 300,
            combat_range: 0,
            meet_again: false,
            encounters: EncounterOdds { nothing: 60, pirates: 10, garage: 10, wreck: 12, minefield: 8 },
            spot_check_percent: 5,
            pirates: PirateRules { least_weapons: 1, most_weapons: 5, mind: PirateMind::Reference },
            wreck: WreckOdds { nothing: 50, engine: 25, weapon: 15, pilot: 8, snakes: 2 },
            mine: MineRules { damage_percent: 80, detour_turns: 3 },
            garage_step_back: 1,
            hand_limit: None,
            duel_limit: Seconds(30),
            request_deadline_ms: 2_000,
            move_deadline_ms: 2_000,
            verify_grace: Seconds(0),
            spoils: Spoils::Destroyed,
            transfers: false,
            end_award: 20,
            achievements: BTreeMap::from([
                (Achievement::Lightning, reward(0, 3)),
                (Achievement::ArmedToTheTeeth, reward(0, 3)),
                (Achievement::Strategist, reward(10, 5)),
                (Achievement::MadMax, reward(5, 3)),
                (Achievement::Pacifist, reward(0, 2)),
                (Achievement::ClickClick, reward(5, 0)),
                (Achievement::Ulysses31, reward(5, 0)),
                (Achievement::OutOfFuel, reward(5, 0)),
                (Achievement::AceDriver, reward(5, 3)),
                (Achievement::Recycler, reward(0, 2)),
                (Achievement::SnakesOnACar, reward(5, 1)),
                (Achievement::PimpMyRide, reward(0, 1)),
                (Achievement::Scrooge, reward(0, 5)),
            ]),
            scrooge_above: 120,
            turn_every: Seconds(60),
            running_time: Seconds(2 * 60 * 60),
            max_turns: None,
            idle_turns: 5,
            bonuses: Vec::new(),
            random_bonuses: 0,
        }
    }

    /// The preset `classic`: where it differs from `balanced`, the numbers of the original event.
    #[must_use]
    pub fn classic() -> Rules {
        let balanced = Rules::balanced();
        Rules {
            encounters: EncounterOdds { nothing: 50, pirates: 10, garage: 10, wreck: 15, minefield: 15 },
            pirates: PirateRules { most_weapons: 8, ..balanced.pirates },
            scrooge_above: 300,
            ..balanced
        }
    }

    /// Checks the rules as a whole.
    ///
    /// # Errors
    /// Every setting that is wrong, not only the first.
    pub fn validated(self) -> Result<ValidRules, BadRules> {
        let problems = self.problems();
        if problems.is_empty() { Ok(ValidRules(self)) } else { Err(BadRules(problems)) }
    }

    fn problems(&self) -> Vec<BadRule> {
        let mut problems = Vec::new();
        let mut range = |setting: &str, value: u32, low: u32, high: u32| {
            if !(low..=high).contains(&value) {
                problems.push(BadRule::new(setting, format!("is {value}, and must be from {low} to {high}")));
            }
        };
        range("initial_budget", self.initial_budget, 0, MOST_DOLLARS);
        range("prices.engine", self.prices.engine, 0, MOST_DOLLARS);
        range("prices.pilot", self.prices.pilot, 0, MOST_DOLLARS);
        range("prices.weapon", self.prices.weapon, 0, MOST_DOLLARS);
        range("registration_fee", self.registration_fee, 0, MOST_DOLLARS);
        range("max_modules", self.max_modules, 1, MOST_MODULES);
        range("track_length", self.track_length, 1, MOST_SQUARES);
        range("combat_range", self.combat_range, 0, MOST_SQUARES);
        range("spot_check_percent", self.spot_check_percent, 0, 100);
        range("pirates.least_weapons", self.pirates.least_weapons, 1, 25);
        range("pirates.most_weapons", self.pirates.most_weapons, self.pirates.least_weapons.clamp(1, 25), 25);
        range("mine.damage_percent", self.mine.damage_percent, 0, 100);
        range("mine.detour_turns", self.mine.detour_turns, 0, MOST_SQUARES);
        range("garage_step_back", self.garage_step_back, 0, MOST_SQUARES);
        if let Some(limit) = self.hand_limit {
            range("hand_limit", limit, 1, 25);
        }
        range("duel_limit", self.duel_limit.0, 1, u32::MAX);
        range("request_deadline_ms", self.request_deadline_ms, 1, MOST_MILLISECONDS);
        range("move_deadline_ms", self.move_deadline_ms, 1, MOST_MILLISECONDS);
        range("verify_grace", self.verify_grace.0, 0, MOST_GRACE);
        range("end_award", self.end_award, 0, MOST_POINTS);
        for (achievement, reward) in &self.achievements {
            range(&format!("achievements.{achievement}.dollars"), reward.dollars, 0, MOST_DOLLARS);
            range(&format!("achievements.{achievement}.points"), reward.points, 0, MOST_POINTS);
        }
        range("scrooge_above", self.scrooge_above, 0, MOST_DOLLARS);
        range("turn_every", self.turn_every.0, 1, u32::MAX);
        range("running_time", self.running_time.0, 1, u32::MAX);
        if let Some(turns) = self.max_turns {
            range("max_turns", turns, 1, u32::MAX);
        }
        range("idle_turns", self.idle_turns, 1, u32::MAX);

        if let Err(problem) = self.encounters.check() {
            problems.push(BadRule::new("encounters", problem));
        }
        if let Err(problem) = hundred(self.wreck.table()) {
            problems.push(BadRule::new("wreck", problem));
        }
        let mut places = BTreeSet::new();
        for (index, bonus) in self.bonuses.iter().enumerate() {
            let setting = format!("bonuses[{index}]");
            if let Err(problem) = bonus.check(self.track_length) {
                problems.push(BadRule::new(&setting, problem));
            } else if !places.insert(bonus.place) {
                problems.push(BadRule::new(&setting, format!("place {} has a bonus already", bonus.place)));
            }
        }
        let free = self.track_length.saturating_sub(u32::try_from(places.len()).unwrap_or(u32::MAX));
        if self.random_bonuses > free {
            problems.push(BadRule::new(
                "random_bonuses",
                format!("is {}, and there are {free} free places on the ring", self.random_bonuses),
            ));
        }
        problems
    }
}

fn hundred<const N: usize>(odds: [u32; N]) -> Result<(), String> {
    let sum: u64 = odds.iter().map(|&percent| u64::from(percent)).sum();
    if sum == 100 { Ok(()) } else { Err(format!("the odds add up to {sum}, and must add up to 100")) }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::balanced()
    }
}

/// Rules that were checked. The only rules with which a race can be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Rules", into = "Rules")]
pub struct ValidRules(Rules);

impl Deref for ValidRules {
    type Target = Rules;
    fn deref(&self) -> &Rules {
        &self.0
    }
}

impl TryFrom<Rules> for ValidRules {
    type Error = BadRules;
    fn try_from(rules: Rules) -> Result<ValidRules, BadRules> {
        rules.validated()
    }
}

impl From<ValidRules> for Rules {
    fn from(rules: ValidRules) -> Rules {
        rules.0
    }
}

impl ValidRules {
    /// The same rules with other odds for the encounters, which the admin may set during the race (R-3.3).
    ///
    /// # Errors
    /// Says what the odds add up to, if it is not 100.
    pub fn with_odds(&self, odds: EncounterOdds) -> Result<ValidRules, String> {
        odds.check()?;
        Ok(ValidRules(Rules { encounters: odds, ..self.0.clone() }))
    }
}

/// A setting that is wrong, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRule {
    /// The setting, with dots between its parts: `mine.damage_percent`.
    pub setting: String,
    /// What is wrong: "is 3, and must be …".
    pub problem: String,
}

impl BadRule {
    fn new(setting: &str, problem: impl Into<String>) -> BadRule {
        BadRule { setting: setting.to_owned(), problem: problem.into() }
    }
}

/// All settings that are wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct BadRules(pub Vec<BadRule>);

impl fmt::Display for BadRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, bad) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{}: {}", bad.setting, bad.problem)?;
        }
        Ok(())
    }
}
