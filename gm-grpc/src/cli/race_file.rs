//! The file of `gm run`: who takes part in a race, under which rules.
//!
//! ```
//! use gm_grpc::cli::race_file::{Overrides, RaceFile};
//! let text = "[rules]\nmax_turns = 5\n[[team]]\nname = 'Red'\n[[team.car]]\ninstance = 'a'\nurl = 'http://10.0.0.1'";
//! let plan = RaceFile::parse("race.toml", text).unwrap().plan(Overrides::default()).unwrap();
//! assert_eq!(plan.rules.max_turns, Some(5));
//! ```
//!
//! What is wrong is said with the line where it stands. What the file does not say of the rules is the preset's.

use super::plan::{Plan, PlannedCar, PlannedTeam};
use crate::drive::Secret;
use gm_core::contract::{BaseUrl, Prices};
use gm_core::ids::{Dollars, Seconds};
use gm_core::ports::{NoSuchMind, PirateMind};
use gm_core::race::command::{LONGEST_INSTANCE, LONGEST_NAME, Refusal, is_name};
use gm_core::race::event::{Achievement, RefusedBecause};
use gm_core::race::rules::{
    EncounterOdds, MOST_DOLLARS, MineRules, PirateRules, Preset, Reward, Rules, Spoils, ValidRules, WreckOdds,
};
use gm_core::race::state::BonusPlan;
use gm_core::random::Seed;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The most teams and the most cars in all that a file may name.
pub const MOST_TEAMS: usize = 100;
/// The most cars in all that a file may name.
pub const MOST_CARS: usize = 1_000;

/// The most characters of a line that are quoted in an error.
const LONGEST_QUOTE: usize = 60;

/// A race file that was read. Its syntax and keys are right; whether the race can be run, [`RaceFile::plan`] says.
#[derive(Debug)]
pub struct RaceFile<'t> {
    name: &'t str,
    text: &'t str,
    content: Content,
}

/// What the command line says instead of the file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Overrides {
    /// The seed.
    pub seed: Option<u64>,
    /// The most turns.
    pub turns: Option<u32>,
}

/// What a file says of the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesOfFile {
    /// Whose numbers the rules have where the file says nothing.
    pub preset: Preset,
    /// The rules, checked.
    pub rules: ValidRules,
    /// The seed, if it says one.
    pub seed: Option<u64>,
}

/// What is wrong with a race file, each with the line where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadFile(Vec<String>);

impl std::error::Error for BadFile {}

impl fmt::Display for BadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n    "))
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    seed: Option<u64>,
    allow_private: Option<bool>,
    #[serde(default)]
    preset: Preset,
    #[serde(default)]
    rules: RulesText,
    #[serde(default)]
    team: Vec<TeamText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TeamText {
    name: Spanned<String>,
    secret: Option<Spanned<String>>,
    budget: Option<Spanned<Dollars>>,
    #[serde(default)]
    car: Vec<CarText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CarText {
    instance: Spanned<String>,
    url: Spanned<String>,
}

/// Settings of which each may be left out, and then stays as the preset has it.
macro_rules! overrides {
    ($name:ident of $rules:ty {
        $($field:ident: $type:ty),* $(,)?
        ; or_none $($optional:ident: $inner:ty),*
        ; parts $($part:ident: $text:ty),*
    }) => {
        #[derive(Debug, Default, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        struct $name {
            $($field: Option<$type>,)*
            $($optional: Option<$inner>,)*
            $($part: $text,)*
        }

        impl $name {
            fn over(self, rules: &mut $rules) {
                $(if let Some(value) = self.$field { rules.$field = value.into(); })*
                $(if let Some(value) = self.$optional { rules.$optional = Some(value); })*
                $(self.$part.over(&mut rules.$part);)*
            }
        }
    };
}

overrides!(RulesText of Rules {
    initial_budget: u32,
    registration_fee: u32,
    max_modules: u32,
    track_length: u32,
    combat_range: u32,
    meet_again: bool,
    spot_check_percent: u32,
    garage_step_back: u32,
    duel_limit: Seconds,
    request_deadline_ms: u32,
    move_deadline_ms: u32,
    verify_grace: Seconds,
    spoils: Spoils,
    transfers: bool,
    end_award: u32,
    scrooge_above: u32,
    turn_every: Seconds,
    running_time: Seconds,
    idle_turns: u32,
    bonuses: Vec<BonusPlan>,
    random_bonuses: u32,
    ; or_none hand_limit: u32, max_turns: u32
    ; parts prices: PricesText, encounters: EncountersText, pirates: PiratesText, wreck: WreckText, mine: MineText,
        achievements: AchievementsText
});
overrides!(PricesText of Prices { engine: u32, pilot: u32, weapon: u32; or_none ; parts });
overrides!(EncountersText of EncounterOdds {
    nothing: u32, pirates: u32, garage: u32, wreck: u32, minefield: u32; or_none ; parts
});
overrides!(PiratesText of PirateRules { least_weapons: u32, most_weapons: u32, mind: MindText; or_none ; parts });
overrides!(WreckText of WreckOdds {
    nothing: u32, engine: u32, weapon: u32, pilot: u32, snakes: u32; or_none ; parts
});
overrides!(MineText of MineRules { damage_percent: u32, detour_turns: u32; or_none ; parts });
overrides!(RewardText of Reward { dollars: u32, points: u32; or_none ; parts });

/// A mind of pirates, by the name that people choose it by.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct MindText(PirateMind);

impl TryFrom<String> for MindText {
    type Error = NoSuchMind;

    fn try_from(name: String) -> Result<MindText, NoSuchMind> {
        name.parse().map(MindText)
    }
}

impl From<MindText> for PirateMind {
    fn from(text: MindText) -> PirateMind {
        text.0
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
struct AchievementsText(BTreeMap<Achievement, RewardText>);

impl AchievementsText {
    fn over(self, rewards: &mut BTreeMap<Achievement, Reward>) {
        for (achievement, reward) in self.0 {
            reward.over(rewards.entry(achievement).or_default());
        }
    }
}

impl<'t> RaceFile<'t> {
    /// Reads a race file; `name` is what it is called in errors.
    ///
    /// # Errors
    /// Where it is not TOML, names something unknown, or holds a value of the wrong kind.
    pub fn parse(name: &'t str, text: &'t str) -> Result<RaceFile<'t>, BadFile> {
        match toml::from_str(text) {
            Ok(content) => Ok(RaceFile { name, text, content }),
            Err(error) => {
                let message = error.message().lines().collect::<Vec<_>>().join(", ");
                let line = error.span().and_then(|span| text.lines().nth(line_of(text, span.start) - 1));
                let line: String = line.unwrap_or_default().trim().chars().take(LONGEST_QUOTE).collect();
                Err(BadFile(vec![at(name, text, error.span(), &format!("{message}, in: {line}"))]))
            }
        }
    }

    /// The rules alone, for a race whose teams come by themselves; `preset` counts more than what the file says.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn rules(self, preset: Option<Preset>) -> Result<RulesOfFile, BadFile> {
        let RaceFile { name, text, content } = self;
        let preset = preset.unwrap_or(content.preset);
        let mut problems = Vec::new();
        let rules = rules(name, text, preset, content.rules, None, &mut problems).ok_or(BadFile(problems))?;
        Ok(RulesOfFile { preset, rules, seed: content.seed })
    }

    /// Checks the race as a whole.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn plan(self, over: Overrides) -> Result<Plan, BadFile> {
        let RaceFile { name, text, content } = self;
        let mut problems = Vec::new();
        let rules = rules(name, text, content.preset, content.rules, over.turns, &mut problems);
        let teams = teams(name, text, content.team, &mut problems);
        let seed = over.seed.or(content.seed).unwrap_or_else(|| u64::from(rand::random::<u32>()));
        let allow_private = content.allow_private.unwrap_or(true);
        match rules {
            Some(rules) if problems.is_empty() => {
                Ok(Plan { rules, seed: Seed(seed), teams, hosts: BTreeMap::new(), allow_private, demo: None })
            }
            _ => Err(BadFile(problems)),
        }
    }
}

/// The rules, with everything that is wrong with them.
fn rules(
    name: &str,
    text: &str,
    preset: Preset,
    said: RulesText,
    max_turns: Option<u32>,
    problems: &mut Vec<String>,
) -> Option<ValidRules> {
    let mut rules = preset.rules();
    said.over(&mut rules);
    rules.max_turns = max_turns.or(rules.max_turns);
    match rules.validated() {
        Ok(rules) => Some(rules),
        Err(bad) => {
            problems.extend(bad.0.iter().map(|bad| {
                let problem = format!("rules.{}: {}", bad.setting, bad.problem);
                at(name, text, span_of(text, &bad.setting), &problem)
            }));
            None
        }
    }
}

/// The teams, with everything that is wrong with them and their cars.
fn teams(name: &str, text: &str, teams: Vec<TeamText>, problems: &mut Vec<String>) -> Vec<PlannedTeam> {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut instances: BTreeMap<String, usize> = BTreeMap::new();
    let mut urls: BTreeMap<BaseUrl, usize> = BTreeMap::new();
    let mut planned = Vec::new();
    if teams.is_empty() {
        problems.push(format!("{name}: no team takes part: add [[team]] with a name, and its [[team.car]]s"));
    }
    if !teams.is_empty() && teams.iter().all(|team| team.car.is_empty()) {
        problems.push(format!(
            "{name}: no car takes part: add a [[team.car]] with an instance and a url to a team"
        ));
    }
    if teams.len() > MOST_TEAMS || teams.iter().map(|team| team.car.len()).sum::<usize>() > MOST_CARS {
        problems
            .push(format!("{name}: at most {MOST_TEAMS} teams with {MOST_CARS} cars in all can take part"));
        return planned;
    }
    for TeamText { name: team, secret, budget, car: cars } in teams {
        let mut wrong =
            |span: Range<usize>, problem: &str| problems.push(at(name, text, Some(span), problem));
        let line = line_of(text, team.span().start);
        if let Some(first) = names.insert(team.get_ref().clone(), line) {
            wrong(team.span(), &format!("team {:?}: line {first} names a team so already", team.get_ref()));
        }
        if !is_name(team.get_ref(), LONGEST_NAME) {
            wrong(team.span(), &format!("team {:?}: {}", team.get_ref(), Refusal::BadName));
        }
        if let Some(budget) = budget.as_ref().filter(|budget| budget.get_ref().0 > u64::from(MOST_DOLLARS)) {
            let problem = format!("budget: is {}, and must be from 0 to {MOST_DOLLARS}", budget.get_ref().0);
            wrong(budget.span(), &format!("team {:?}: {problem}", team.get_ref()));
        }
        let budget = budget.map(Spanned::into_inner);
        let secret = secret.and_then(|secret| match Secret::parse(secret.get_ref()) {
            Ok(parsed) => Some(parsed),
            Err(bad) => {
                wrong(secret.span(), &format!("team {:?}: secret: {bad}", team.get_ref()));
                None
            }
        });
        let mut planned_cars = Vec::new();
        for CarText { instance, url } in cars {
            let what = format!("car {:?} of team {:?}", instance.get_ref(), team.get_ref());
            if !is_name(instance.get_ref(), LONGEST_INSTANCE) {
                wrong(instance.span(), &format!("{what}: {}", RefusedBecause::BadInstanceName));
            }
            let line = line_of(text, instance.span().start);
            if let Some(first) = instances.insert(instance.get_ref().clone(), line) {
                wrong(instance.span(), &format!("{what}: line {first} names a car so already"));
            }
            let parsed = match BaseUrl::parse(url.get_ref()) {
                Ok(parsed) => parsed,
                Err(bad) => {
                    wrong(url.span(), &format!("{what}: url {:?}: {bad}", url.get_ref()));
                    continue;
                }
            };
            if let Some(first) = urls.insert(parsed.clone(), line_of(text, url.span().start)) {
                wrong(url.span(), &format!("{what}: line {first} names a car at {parsed} already"));
            }
            let place = at(name, text, Some(instance.span()), &what);
            planned_cars.push(PlannedCar { place, instance: instance.into_inner(), url: parsed });
        }
        let place = at(name, text, Some(team.span()), &format!("team {:?}", team.get_ref()));
        planned.push(PlannedTeam { place, name: team.into_inner(), budget, secret, cars: planned_cars });
    }
    planned
}

/// A problem with its place: `race.toml:12: …`.
fn at(name: &str, text: &str, span: Option<Range<usize>>, problem: &str) -> String {
    match span {
        Some(span) => format!("{name}:{}: {problem}", line_of(text, span.start)),
        None => format!("{name}: {problem}"),
    }
}

/// The line of a place in a text, from 1.
fn line_of(text: &str, place: usize) -> usize {
    1 + text.bytes().take(place).filter(|byte| *byte == b'\n').count()
}

/// Where a setting of the rules stands in the file, or the nearest part of it that does: `mine.damage_percent`,
/// `bonuses[2]`.
fn span_of(text: &str, setting: &str) -> Option<Range<usize>> {
    let document = DeTable::parse(text).ok()?;
    let mut here: &Spanned<DeValue<'_>> = document.get_ref().get("rules")?;
    let mut span = here.span();
    for part in setting.split(['.', '[']) {
        let next = match part.strip_suffix(']') {
            Some(index) => here.get_ref().get(index.parse::<usize>().ok()?),
            None => here.get_ref().get(part),
        };
        let Some(next) = next else { break };
        here = next;
        span = next.span();
    }
    Some(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARS: &str = "[[team]]\nname = 'Red'\n[[team.car]]\ninstance = 'a'\nurl = 'http://10.0.0.1'\n";

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let read = RaceFile::parse("race.toml", text).and_then(|file| file.plan(Overrides::default()));
        match read {
            Ok(_) => panic!("expected {expected:?}, and the file is good"),
            Err(bad) => assert_eq!(bad.to_string(), expected),
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let unknown = "race.toml:1: unknown field `sed`, expected one of `seed`, `allow_private`, `preset`, `rules`, `team`, in: sed = 7";
        for (text, expected) in [
            (format!("sed = 7\n{CARS}"), unknown),
            (
                format!("[rules]\nmax_turn = 7\n{CARS}"),
                "race.toml:2: unknown field `max_turn`, expected one of `initial_budget`",
            ),
            (format!("[rules.mine]\ndamage = 7\n{CARS}"), "race.toml:2: unknown field `damage`, expected"),
            (format!("seed = 'x'\n{CARS}"), "race.toml:1: invalid type: string \"x\", expected u64"),
            (format!("seed = \n{CARS}"), "race.toml:1: "),
            (
                format!("[rules]\npirates.mind = 'bold'\n{CARS}"),
                "race.toml:2: pirates have no such mind; theirs are random, greedy, careful, search, in: pirates.mind = 'bold'",
            ),
        ] {
            let bad = RaceFile::parse("race.toml", &text).expect_err(&text).to_string();
            assert!(bad.starts_with(expected), "{bad}");
            assert_eq!(bad.lines().count(), 1, "{bad}");
        }
        for (text, expected) in [
            (
                format!("[rules.encounters]\nnothing = -5\n{CARS}"),
                "race.toml:2: invalid value: integer `-5`, expected u32, in: nothing = -5",
            ),
            (
                format!("\n[rules.encounters]\nnothing = 50\n{CARS}"),
                "race.toml:2: rules.encounters: the odds add up to 90, and must add up to 100",
            ),
            (
                format!("[rules]\nmine.damage_percent = 101\nmax_turns = 0\n{CARS}"),
                "race.toml:2: rules.mine.damage_percent: is 101, and must be from 0 to 100\n    \
                 race.toml:3: rules.max_turns: is 0, and must be from 1 to 4294967295",
            ),
            (
                format!("[[rules.bonuses]]\nplace = 300\neffect = 'miss_turn'\n{CARS}"),
                "race.toml:1: rules.bonuses[0]: place 300 is not on the ring of 300 squares",
            ),
            (
                format!("{CARS}[[team.car]]\ninstance = 'a'\nurl = 'http://10.0.0.2'"),
                "race.toml:7: car \"a\" of team \"Red\": line 4 names a car so already",
            ),
            (
                format!("{CARS}[[team.car]]\ninstance = 'b'\nurl = 'http://10.0.0.1:80/'"),
                "race.toml:8: car \"b\" of team \"Red\": line 5 names a car at http://10.0.0.1 already",
            ),
            (
                format!("{CARS}[[team.car]]\ninstance = 'b'\nurl = 'ftp://x'"),
                "race.toml:8: car \"b\" of team \"Red\": url \"ftp://x\": the scheme is not http or https",
            ),
            (
                format!("{CARS}[[team]]\nname = 'Red'\nsecret = 'two words'"),
                "race.toml:7: team \"Red\": line 2 names a team so already\n    \
                 race.toml:8: team \"Red\": secret: a secret is 1 to 256 visible ASCII characters",
            ),
            (
                "[[team]]\nname = ''\nbudget = 1000001\n[[team.car]]\ninstance = \"a\\tb\"\nurl = 'http://10.0.0.1'".to_owned(),
                "race.toml:2: team \"\": a team's name must have 1 to 100 characters, none of them a control character\n    \
                 race.toml:3: team \"\": budget: is 1000001, and must be from 0 to 1000000\n    \
                 race.toml:5: car \"a\\tb\" of team \"\": the instance name must have 1 to 100 characters, none of them a \
                 control character",
            ),
            (
                "[[team]]\nname = 'Red'".to_owned(),
                "race.toml: no car takes part: add a [[team.car]] with an instance and a url to a team",
            ),
            (
                "seed = 1".to_owned(),
                "race.toml: no team takes part: add [[team]] with a name, and its [[team.car]]s",
            ),
        ] {
            check(&text, expected);
        }
    }

    #[test]
    fn what_is_not_said_is_the_presets() {
        let plan = |text: &str, over| {
            RaceFile::parse("race.toml", text).and_then(|file| file.plan(over)).expect("a good file")
        };
        let classic = format!(
            "preset = 'classic'\nseed = 9\n[rules]\nhand_limit = 5\nencounters.nothing = 40\nencounters.wreck = 25\n\
             achievements.scrooge.points = 6\nspoils = 'winner_takes'\npirates.mind = 'random'\n{CARS}"
        );
        let read = plan(&classic, Overrides::default());
        let mut expected = Rules::classic();
        expected.hand_limit = Some(5);
        expected.encounters = EncounterOdds { nothing: 40, wreck: 25, ..expected.encounters };
        expected.achievements.insert(Achievement::Scrooge, Reward { dollars: 0, points: 6 });
        expected.spoils = Spoils::WinnerTakes;
        expected.pirates.mind = PirateMind::Random;
        assert_eq!(*read.rules, expected);
        assert_eq!(read.seed, Seed(9));
        let read = plan(&classic, Overrides { seed: Some(3), turns: Some(4) });
        assert_eq!((read.seed, read.rules.max_turns), (Seed(3), Some(4)));
    }

    /// R-5.1: each name, and `reference`, which careful pirates were called first.
    #[test]
    fn r_5_1_the_minds_of_pirates_by_name() {
        let named = PirateMind::ALL.map(|mind| (mind.name(), mind));
        for (name, expected) in named.into_iter().chain([("reference", PirateMind::Careful)]) {
            let text = format!("[rules]\npirates = {{ mind = '{name}' }}\n{CARS}");
            let read = RaceFile::parse("race.toml", &text).and_then(|file| file.plan(Overrides::default()));
            assert_eq!(read.expect(name).rules.pirates.mind, expected, "{name}");
        }
    }

    /// The example in the documentation names every setting, and the numbers that it calls those of the preset are.
    #[test]
    fn the_example_in_the_docs() {
        let text = include_str!("../../../docs/race.toml");
        let plan = RaceFile::parse("docs/race.toml", text)
            .and_then(|file| file.plan(Overrides::default()))
            .expect("a good file");
        let named = &plan.rules;
        let expected = Rules {
            max_turns: Some(60),
            random_bonuses: 10,
            bonuses: named.bonuses.clone(),
            ..Rules::balanced()
        };
        assert_eq!(**named, expected);
        assert_eq!((named.bonuses.len(), plan.teams.len()), (1, 2));
        let bad = RaceFile::parse("x", "[rules]\nx = 1").expect_err("an unknown key").to_string();
        for setting in bad.split('`').skip(3).step_by(2) {
            assert!(text.contains(setting), "{setting} is missing in docs/race.toml");
        }
    }
}
