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
    #[serde(with = "PriceSettings")]
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

/// The prices as settings. To a car they are an offer that may grow (C-14); here a wrong key is a mistake.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Prices", deny_unknown_fields)]
struct PriceSettings {
    engine: u32,
    pilot: u32,
    weapon: u32,
}

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
            pirates: PirateRules { least_weapons: 1, most_weapons: 5, mind: PirateMind::Search },
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Kind;
    use crate::ids::Place;
    use crate::race::state::{BonusEffect, Often};
    use serde_json::{Value, json};

    /// What is wrong with the balanced rules after a change.
    fn problems(change: impl FnOnce(&mut Rules)) -> String {
        let mut rules = Rules::balanced();
        change(&mut rules);
        rules.validated().map_or_else(|bad| bad.to_string(), |_| String::new())
    }

    /// A setting that can be from `low` to `high`: both are taken, and what is next to them is not.
    #[track_caller]
    fn check(setting: &str, low: u32, high: u32, set: impl Fn(&mut Rules, u32)) {
        for value in [low, high] {
            assert_eq!(problems(|rules| set(rules, value)), "", "{setting} = {value}");
        }
        for value in [low.checked_sub(1), high.checked_add(1)].into_iter().flatten() {
            let problem = format!("{setting}: is {value}, and must be from {low} to {high}");
            assert_eq!(problems(|rules| set(rules, value)), problem);
        }
    }

    #[test]
    fn every_setting_has_its_range() {
        check("initial_budget", 0, 1_000_000, |rules, value| rules.initial_budget = value);
        check("prices.engine", 0, 1_000_000, |rules, value| rules.prices.engine = value);
        check("prices.pilot", 0, 1_000_000, |rules, value| rules.prices.pilot = value);
        check("prices.weapon", 0, 1_000_000, |rules, value| rules.prices.weapon = value);
        check("registration_fee", 0, 1_000_000, |rules, value| rules.registration_fee = value);
        check("max_modules", 1, 1_000, |rules, value| rules.max_modules = value);
        check("track_length", 1, 1_000_000, |rules, value| rules.track_length = value);
        check("combat_range", 0, 1_000_000, |rules, value| rules.combat_range = value);
        check("spot_check_percent", 0, 100, |rules, value| rules.spot_check_percent = value);
        check("mine.damage_percent", 0, 100, |rules, value| rules.mine.damage_percent = value);
        check("mine.detour_turns", 0, 1_000_000, |rules, value| rules.mine.detour_turns = value);
        check("garage_step_back", 0, 1_000_000, |rules, value| rules.garage_step_back = value);
        check("hand_limit", 1, 25, |rules, value| rules.hand_limit = Some(value));
        check("duel_limit", 1, u32::MAX, |rules, value| rules.duel_limit = Seconds(value));
        check("request_deadline_ms", 1, 600_000, |rules, value| rules.request_deadline_ms = value);
        check("move_deadline_ms", 1, 600_000, |rules, value| rules.move_deadline_ms = value);
        check("verify_grace", 0, 600, |rules, value| rules.verify_grace = Seconds(value));
        check("end_award", 0, 1_000_000, |rules, value| rules.end_award = value);
        check("scrooge_above", 0, 1_000_000, |rules, value| rules.scrooge_above = value);
        check("turn_every", 1, u32::MAX, |rules, value| rules.turn_every = Seconds(value));
        check("running_time", 1, u32::MAX, |rules, value| rules.running_time = Seconds(value));
        check("max_turns", 1, u32::MAX, |rules, value| rules.max_turns = Some(value));
        check("idle_turns", 1, u32::MAX, |rules, value| rules.idle_turns = value);
        check("pirates.least_weapons", 1, 25, |rules, value| {
            rules.pirates.least_weapons = value;
            rules.pirates.most_weapons = 25;
        });
        check("pirates.most_weapons", 3, 25, |rules, value| {
            rules.pirates.least_weapons = 3;
            rules.pirates.most_weapons = value;
        });
        for achievement in Achievement::ALL {
            let set = |rules: &mut Rules, dollars, points| {
                rules.achievements.insert(achievement, Reward { dollars, points });
            };
            check(&format!("achievements.{achievement}.dollars"), 0, 1_000_000, |rules, value| {
                set(rules, value, 0);
            });
            check(&format!("achievements.{achievement}.points"), 0, 1_000_000, |rules, value| {
                set(rules, 0, value);
            });
        }
    }

    /// R-3.3, R-5.2: odds add up to 100, whatever the single ones are.
    #[test]
    fn r_3_3_odds_add_up_to_100() {
        let odds = |nothing, pirates, garage, wreck, minefield| EncounterOdds {
            nothing,
            pirates,
            garage,
            wreck,
            minefield,
        };
        let wreck =
            |nothing, engine, weapon, pilot, snakes| WreckOdds { nothing, engine, weapon, pilot, snakes };
        const BIG: u32 = u32::MAX;
        for ([a, b, c, d, e], sum) in [
            ([20, 20, 20, 20, 20], 100),
            ([100, 0, 0, 0, 0], 100),
            ([0, 100, 0, 0, 0], 100),
            ([0, 0, 100, 0, 0], 100),
            ([0, 0, 0, 100, 0], 100),
            ([0, 0, 0, 0, 100], 100),
            ([0, 0, 0, 0, 0], 0),
            ([20, 20, 20, 20, 19], 99),
            ([20, 20, 20, 20, 21], 101),
            ([101, 0, 0, 0, 0], 101),
            ([BIG, 101, 0, 0, 0], 4_294_967_396_u64), // 100, if it could overflow
            ([BIG, BIG, BIG, BIG, BIG], 21_474_836_475),
        ] {
            let problem = |setting: &str| match sum {
                100 => String::new(),
                sum => format!("{setting}: the odds add up to {sum}, and must add up to 100"),
            };
            let encounters = odds(a, b, c, d, e);
            assert_eq!(problems(|rules| rules.encounters = encounters), problem("encounters"));
            assert_eq!(problems(|rules| rules.wreck = wreck(a, b, c, d, e)), problem("wreck"));
            let valid = Rules::balanced().validated().unwrap();
            assert_eq!(encounters.check().is_ok(), sum == 100);
            match valid.with_odds(encounters) {
                Ok(changed) => {
                    let expected = Rules { encounters, ..Rules::balanced() };
                    assert_eq!((sum, Rules::from(changed)), (100, expected));
                }
                Err(bad) => assert_eq!(format!("encounters: {bad}"), problem("encounters")),
            }
        }
    }

    /// R-12.1: bonuses lie on the ring, one on a place, with an effect that is worth something.
    #[test]
    fn r_12_1_bonuses_of_the_rules() {
        let plan =
            |place, effect| BonusPlan { place: Place(place), effect, often: Often::Once, hidden: false };
        let one = |place| plan(place, BonusEffect::MissTurn);
        let off = "place 300 is not on the ring of 300 squares";
        for (bonuses, random, problem) in [
            (vec![], 0, String::new()),
            (vec![one(0), one(299)], 298, String::new()),
            (vec![], 300, String::new()),
            (vec![], 301, "random_bonuses: is 301, and there are 300 free places on the ring".to_owned()),
            (
                vec![one(0), one(299)],
                299,
                "random_bonuses: is 299, and there are 298 free places on the ring".to_owned(),
            ),
            (vec![one(300)], 0, format!("bonuses[0]: {off}")),
            (vec![one(1), one(300), one(1)], 0, {
                format!("bonuses[1]: {off}; bonuses[2]: place 1 has a bonus already")
            }),
        ] {
            let found = problems(|rules| {
                rules.bonuses = bonuses.clone();
                rules.random_bonuses = random;
            });
            assert_eq!(found, problem, "{bonuses:?} {random}");
        }
        let most = 1_000_000;
        let effects: [fn(u32) -> BonusEffect; 4] =
            [BonusEffect::Dollars, BonusEffect::Points, BonusEffect::Advance, BonusEffect::Back];
        for effect in effects {
            for (amount, fits) in [(0, false), (1, true), (most, true), (most + 1, false)] {
                let problem = format!("its effect is {amount}, and must be from 1 to {most}");
                let expected = if fits { Ok(()) } else { Err(problem) };
                assert_eq!(plan(0, effect(amount)).check(300), expected, "{:?}", effect(amount));
            }
        }
        for effect in [BonusEffect::Module(Kind::Pilot), BonusEffect::MissTurn, BonusEffect::ClearMisses] {
            assert_eq!(plan(0, effect).check(300), Ok(()));
        }
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let found = problems(|rules| {
            rules.track_length = 0;
            rules.hand_limit = Some(26);
            rules.max_turns = Some(0);
            rules.pirates = PirateRules { least_weapons: 26, most_weapons: 24, mind: PirateMind::Random };
            rules.encounters.nothing = 61;
            rules.wreck.snakes = 1;
            rules.achievements.insert(Achievement::Scrooge, Reward { dollars: 1_000_001, points: 1_000_001 });
            rules.random_bonuses = 1;
        });
        let expected = [
            "track_length: is 0, and must be from 1 to 1000000",
            "pirates.least_weapons: is 26, and must be from 1 to 25",
            "pirates.most_weapons: is 24, and must be from 25 to 25",
            "hand_limit: is 26, and must be from 1 to 25",
            "achievements.scrooge.dollars: is 1000001, and must be from 0 to 1000000",
            "achievements.scrooge.points: is 1000001, and must be from 0 to 1000000",
            "max_turns: is 0, and must be from 1 to 4294967295",
            "encounters: the odds add up to 101, and must add up to 100",
            "wreck: the odds add up to 99, and must add up to 100",
            "random_bonuses: is 1, and there are 0 free places on the ring",
        ];
        assert_eq!(found, expected.join("; "));
    }

    /// The numbers of the rule book: *balanced / classic* where they differ.
    #[test]
    fn the_presets_are_those_of_the_rule_book() {
        assert_eq!((Preset::default(), Rules::default()), (Preset::Balanced, Rules::balanced()));
        assert_eq!(Preset::Balanced.rules(), Rules::balanced());
        assert_eq!(Preset::Classic.rules(), Rules::classic());
        let both = [(Rules::balanced(), 0), (Rules::classic(), 1)];
        for (rules, preset) in both {
            let differing = |numbers: [u32; 2]| numbers[preset];
            assert_eq!(rules.initial_budget, 100, "R-1.1");
            assert_eq!(rules.prices, Prices { pilot: 1, engine: 2, weapon: 2 }, "R-1.3");
            assert_eq!(rules.track_length, 300, "R-1.4");
            assert_eq!((rules.max_modules, rules.registration_fee), (10, 0), "R-2.3");
            assert_eq!(rules.encounters.nothing, differing([60, 50]), "R-3.3");
            assert_eq!(rules.encounters.pirates, 10, "R-3.3");
            assert_eq!(rules.encounters.garage, 10, "R-3.3");
            assert_eq!(rules.encounters.wreck, differing([12, 15]), "R-3.3");
            assert_eq!(rules.encounters.minefield, differing([8, 15]), "R-3.3");
            assert_eq!(rules.spot_check_percent, 5, "R-3.4");
            assert_eq!((rules.combat_range, rules.meet_again), (0, false), "R-4.1");
            assert_eq!(rules.pirates.least_weapons, 1, "R-5.1");
            assert_eq!(rules.pirates.most_weapons, differing([5, 8]), "R-5.1");
            assert_eq!(rules.pirates.mind, PirateMind::Search, "R-5.1");
            let wreck = WreckOdds { nothing: 50, engine: 25, weapon: 15, pilot: 8, snakes: 2 };
            assert_eq!(rules.wreck, wreck, "R-5.2");
            assert_eq!(rules.mine, MineRules { damage_percent: 80, detour_turns: 3 }, "R-5.3");
            assert_eq!(rules.garage_step_back, 1, "R-5.4");
            assert_eq!(rules.hand_limit, None, "R-6.1");
            assert_eq!(rules.duel_limit, Seconds(30), "R-6.8");
            assert_eq!((rules.request_deadline_ms, rules.move_deadline_ms), (2_000, 2_000), "C-21, A-3");
            assert_eq!(rules.spoils, Spoils::Destroyed, "R-7.6");
            assert!(!rules.transfers, "R-7.7");
            assert_eq!(rules.verify_grace, Seconds(0), "R-7.8");
            assert_eq!(rules.end_award, 20, "R-8.2");
            assert_eq!(rules.scrooge_above, differing([120, 300]), "R-9.14");
            assert_eq!(rules.turn_every, Seconds(60), "R-10.1");
            assert_eq!(rules.running_time, Seconds(7_200), "R-10.2");
            assert_eq!((rules.max_turns, rules.idle_turns), (None, 5), "R-10.2");
            assert_eq!((rules.bonuses.len(), rules.random_bonuses), (0, 0), "R-12.1");
            let rewards: Vec<(&str, u32, u32)> = Achievement::ALL
                .into_iter()
                .map(|achievement| {
                    let Reward { dollars, points } = rules.achievements[&achievement];
                    (achievement.id(), dollars, points)
                })
                .collect();
            let book = [
                ("lightning", 0, 3),
                ("armed_to_the_teeth", 0, 3),
                ("strategist", 10, 5),
                ("mad_max", 5, 3),
                ("pacifist", 0, 2),
                ("click_click", 5, 0),
                ("ulysses_31", 5, 0),
                ("out_of_fuel", 5, 0),
                ("ace_driver", 5, 3),
                ("recycler", 0, 2),
                ("snakes_on_a_car", 5, 1),
                ("pimp_my_ride", 0, 1),
                ("scrooge", 0, 5),
            ];
            assert_eq!(rewards, book, "R-9");
            assert!(rules.validated().is_ok());
        }
    }

    /// Stored rules come back as they were, and are checked again.
    #[test]
    fn rules_come_back_from_json() {
        let rules = Rules {
            hand_limit: Some(5),
            bonuses: vec![BonusPlan {
                place: Place(9),
                effect: BonusEffect::Module(Kind::Pilot),
                often: Often::OncePerTeam,
                hidden: true,
            }],
            ..Rules::classic()
        };
        let valid = rules.clone().validated().unwrap();
        let text = serde_json::to_string(&valid).unwrap();
        assert_eq!(serde_json::from_str::<ValidRules>(&text).unwrap(), valid);
        assert_eq!(serde_json::from_str::<Rules>(&text).unwrap(), rules);
        let wrong = serde_json::to_string(&Rules { track_length: 0, ..rules }).unwrap();
        let refusal = serde_json::from_str::<ValidRules>(&wrong).unwrap_err().to_string();
        assert!(refusal.contains("track_length: is 0"), "{refusal}");
    }

    /// A key that nobody knows is a mistake of whoever wrote the rules down, wherever it is.
    #[test]
    fn unknown_keys_are_refused() {
        let mut rules = Rules::balanced();
        rules.bonuses.push(BonusPlan {
            place: Place(9),
            effect: BonusEffect::MissTurn,
            often: Often::Once,
            hidden: false,
        });
        let good = serde_json::to_value(&rules).unwrap();
        for place in [
            "",
            "/prices",
            "/encounters",
            "/pirates",
            "/wreck",
            "/mine",
            "/achievements",
            "/achievements/scrooge",
            "/bonuses/0",
        ] {
            let mut bad = good.clone();
            let at = bad.pointer_mut(place).and_then(Value::as_object_mut).unwrap();
            at.insert("wheels".to_owned(), json!(4));
            let refusal = serde_json::from_value::<Rules>(bad).unwrap_err().to_string();
            assert!(refusal.contains("wheels"), "{place}: {refusal}");
        }
    }
}
