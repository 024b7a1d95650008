//! The rules of a race: every number that can be set, with the presets behind what is not.
//!
//! ```
//! use gm_grpc::api::{convert::rules, field::Fields, wire};
//! let mut fields = Fields::default();
//! let asked = wire::Rules { track_length: Some(100), turn_interval_seconds: Some(0), ..Default::default() };
//! let plan = rules::from_wire(Some(&asked), &mut fields).unwrap();
//! assert_eq!((plan.rules.track_length, plan.rules.initial_budget, plan.pace), (100, 100, None));
//!
//! let asked = wire::Rules { track_length: Some(0), ..Default::default() };
//! assert!(rules::from_wire(Some(&asked), &mut fields).is_none());
//! assert_eq!(fields.into_violations()[0].field, "track_length");
//! ```

use super::{achievement, achievement_id, bonus, car};
use crate::api::field::Fields;
use crate::api::wire;
use gm_core::contract::Prices;
use gm_core::ids::Seconds;
use gm_core::ports::PirateMind;
use gm_core::race::event::Achievement;
use gm_core::race::rules::{
    EncounterOdds, MineRules, PirateRules, Preset, Reward, Rules, Spoils, ValidRules, WreckOdds,
};
use gm_core::race::state::BonusPlan;
use gm_core::race::view::Viewer;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Rules as a request asks for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The rules, checked.
    pub rules: ValidRules,
    /// From the start of one turn to the start of the next; none: on the admin's word (R-10.1).
    pub pace: Option<Duration>,
}

/// Rules with every number, as the admin sees them.
#[must_use]
pub fn to_wire(rules: &Rules) -> wire::Rules {
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
    } = rules;
    wire::Rules {
        preset: wire::Preset::Unspecified.into(),
        initial_budget: Some(*initial_budget),
        prices: Some(car::prices(prices)),
        track_length: Some(*track_length),
        max_modules: Some(*max_modules),
        registration_fee: Some(*registration_fee),
        encounter_odds: Some(odds_to_wire(encounters)),
        spot_check_percent: Some(*spot_check_percent),
        combat_range: Some(*combat_range),
        meet_again: Some(*meet_again),
        pirates: Some(pirates_to_wire(pirates)),
        wreck_odds: Some(wreck_to_wire(wreck)),
        mine: Some(mine_to_wire(mine)),
        garage_step_back: Some(*garage_step_back),
        hand_limit: *hand_limit,
        duel_limit_seconds: Some(duel_limit.0),
        request_deadline_ms: Some(*request_deadline_ms),
        move_deadline_ms: Some(*move_deadline_ms),
        verify_grace_seconds: Some(verify_grace.0),
        spoils: spoils_to_wire(*spoils).into(),
        transfers: Some(*transfers),
        end_award: Some(*end_award),
        achievements: rewards_to_wire(achievements),
        scrooge_above: Some(*scrooge_above),
        turn_interval_seconds: Some(turn_every.0),
        running_time_seconds: Some(running_time.0),
        max_turns: *max_turns,
        idle_turns: Some(*idle_turns),
        bonuses: bonuses.iter().map(|plan| bonus::placed(None, plan)).collect(),
        random_bonuses: Some(*random_bonuses),
    }
}

/// Rules as `viewer` may see them, to whom these achievements are `known`: without what the race hides (R-9.1, R-11,
/// R-12.3), and without the odds, which the admin may change unseen (R-3.3).
#[must_use]
pub fn shown(rules: &Rules, viewer: Viewer, known: &BTreeSet<Achievement>) -> wire::Rules {
    let all = to_wire(rules);
    match viewer {
        Viewer::Admin => all,
        Viewer::Team(_) | Viewer::Spectator => {
            let is_known =
                |id: &str| Achievement::ALL.iter().any(|one| one.id() == id && known.contains(one));
            let achievements = all.achievements.into_iter();
            wire::Rules {
                encounter_odds: None,
                bonuses: all.bonuses.into_iter().filter(|bonus| !bonus.hidden).collect(),
                random_bonuses: None,
                achievements: achievements.filter(|reward| is_known(&reward.achievement_id)).collect(),
                scrooge_above: all.scrooge_above.filter(|_| known.contains(&Achievement::Scrooge)),
                ..all
            }
        }
    }
}

/// The rules of a request, with the preset's numbers where it sets none. It is read as a field of the message around
/// it: by [`Fields::within`]. None, with everything that is wrong noted, if they are not right.
pub fn from_wire(asked: Option<&wire::Rules>, fields: &mut Fields) -> Option<Plan> {
    let nothing = wire::Rules::default();
    let asked = asked.unwrap_or(&nothing);
    let preset = preset(asked.preset, fields);
    let before = preset.unwrap_or_default().rules();
    let (plans, numbers) = bonuses(&asked.bonuses, fields);
    let rewards = rewards(&asked.achievements, &before, fields);
    let spoils = spoils(asked.spoils, before.spoils, fields);
    let pirates = pirates(asked.pirates.as_ref(), before.pirates, fields);
    let every = asked.turn_interval_seconds.unwrap_or(before.turn_every.0);
    let rules = Rules {
        initial_budget: asked.initial_budget.unwrap_or(before.initial_budget),
        prices: asked.prices.as_ref().map_or(before.prices, prices),
        registration_fee: asked.registration_fee.unwrap_or(before.registration_fee),
        max_modules: asked.max_modules.unwrap_or(before.max_modules),
        track_length: asked.track_length.unwrap_or(before.track_length),
        combat_range: asked.combat_range.unwrap_or(before.combat_range),
        meet_again: asked.meet_again.unwrap_or(before.meet_again),
        encounters: asked.encounter_odds.as_ref().map_or(before.encounters, odds_from_wire),
        spot_check_percent: asked.spot_check_percent.unwrap_or(before.spot_check_percent),
        pirates: pirates.unwrap_or(before.pirates),
        wreck: asked.wreck_odds.as_ref().map_or(before.wreck, wreck),
        mine: asked.mine.as_ref().map_or(before.mine, |asked| mine(asked, before.mine)),
        garage_step_back: asked.garage_step_back.unwrap_or(before.garage_step_back),
        hand_limit: asked.hand_limit.or(before.hand_limit),
        duel_limit: asked.duel_limit_seconds.map_or(before.duel_limit, Seconds),
        request_deadline_ms: asked.request_deadline_ms.unwrap_or(before.request_deadline_ms),
        move_deadline_ms: asked.move_deadline_ms.unwrap_or(before.move_deadline_ms),
        verify_grace: asked.verify_grace_seconds.map_or(before.verify_grace, Seconds),
        spoils: spoils.unwrap_or(before.spoils),
        transfers: asked.transfers.unwrap_or(before.transfers),
        end_award: asked.end_award.unwrap_or(before.end_award),
        achievements: rewards,
        scrooge_above: asked.scrooge_above.unwrap_or(before.scrooge_above),
        // Without a clock there is none; the rules keep one for the case that the admin starts it.
        turn_every: if every == 0 { before.turn_every } else { Seconds(every) },
        running_time: asked.running_time_seconds.map_or(before.running_time, Seconds),
        max_turns: asked.max_turns.or(before.max_turns),
        idle_turns: asked.idle_turns.unwrap_or(before.idle_turns),
        bonuses: plans,
        random_bonuses: asked.random_bonuses.unwrap_or(before.random_bonuses),
    };
    match rules.validated() {
        Ok(rules) if fields.are_right() => {
            let pace = (every != 0).then(|| Duration::from_secs(every.into()));
            Some(Plan { rules, pace })
        }
        Ok(_) => None,
        Err(bad) => {
            for problem in bad.0 {
                fields.wrong(&path(&problem.setting, asked, &numbers), problem.problem);
            }
            None
        }
    }
}

/// The odds of the encounters in a request (R-3.3).
pub fn odds(asked: Option<&wire::EncounterOdds>, fields: &mut Fields, field: &str) -> Option<EncounterOdds> {
    let odds = odds_from_wire(fields.needed(field, asked)?);
    let checked = odds.check();
    fields.parsed(field, checked).map(|()| odds)
}

/// The odds of the encounters, as they are sent.
#[must_use]
pub fn odds_to_wire(odds: &EncounterOdds) -> wire::EncounterOdds {
    let EncounterOdds { nothing, pirates, garage, wreck, minefield } = *odds;
    wire::EncounterOdds { nothing, pirates, garage, wreck, minefield }
}

/// The path of a setting in the message. `numbers` are those of the bonuses that could be read.
fn path(setting: &str, asked: &wire::Rules, numbers: &[usize]) -> String {
    let field = match setting {
        "encounters" => "encounter_odds",
        "wreck" => "wreck_odds",
        "duel_limit" => "duel_limit_seconds",
        "verify_grace" => "verify_grace_seconds",
        "turn_every" => "turn_interval_seconds",
        "running_time" => "running_time_seconds",
        same => same,
    };
    let of_bonus = || -> Option<String> {
        let at: usize = field.strip_prefix("bonuses[")?.strip_suffix(']')?.parse().ok()?;
        Some(format!("bonuses[{}]", numbers.get(at)?))
    };
    let of_reward = || -> Option<String> {
        let (id, part) = field.strip_prefix("achievements.")?.split_once('.')?;
        let at = asked.achievements.iter().position(|reward| reward.achievement_id == id)?;
        Some(format!("achievements[{at}].{part}"))
    };
    of_bonus().or_else(of_reward).unwrap_or_else(|| field.to_owned())
}

fn preset(number: i32, fields: &mut Fields) -> Option<Preset> {
    fields.value("preset", number, |preset| match preset {
        wire::Preset::Unspecified | wire::Preset::Balanced => Some(Preset::Balanced),
        wire::Preset::Classic => Some(Preset::Classic),
    })
}

fn spoils(number: i32, before: Spoils, fields: &mut Fields) -> Option<Spoils> {
    fields.value("spoils", number, |spoils| match spoils {
        wire::Spoils::Unspecified => Some(before),
        wire::Spoils::Destroyed => Some(Spoils::Destroyed),
        wire::Spoils::WinnerTakes => Some(Spoils::WinnerTakes),
    })
}

fn spoils_to_wire(spoils: Spoils) -> wire::Spoils {
    match spoils {
        Spoils::Destroyed => wire::Spoils::Destroyed,
        Spoils::WinnerTakes => wire::Spoils::WinnerTakes,
    }
}

fn prices(asked: &wire::ModulePrices) -> Prices {
    let wire::ModulePrices { engine, pilot, weapon } = *asked;
    Prices { engine, pilot, weapon }
}

fn odds_from_wire(asked: &wire::EncounterOdds) -> EncounterOdds {
    let wire::EncounterOdds { nothing, pirates, garage, wreck, minefield } = *asked;
    EncounterOdds { nothing, pirates, garage, wreck, minefield }
}

fn wreck(asked: &wire::WreckOdds) -> WreckOdds {
    let wire::WreckOdds { nothing, engine, weapon, pilot, snakes } = *asked;
    WreckOdds { nothing, engine, weapon, pilot, snakes }
}

fn wreck_to_wire(odds: &WreckOdds) -> wire::WreckOdds {
    let WreckOdds { nothing, engine, weapon, pilot, snakes } = *odds;
    wire::WreckOdds { nothing, engine, weapon, pilot, snakes }
}

fn mine(asked: &wire::MineRules, before: MineRules) -> MineRules {
    let wire::MineRules { damage_percent, detour_turns } = *asked;
    MineRules {
        damage_percent: damage_percent.unwrap_or(before.damage_percent),
        detour_turns: detour_turns.unwrap_or(before.detour_turns),
    }
}

fn mine_to_wire(mine: &MineRules) -> wire::MineRules {
    let MineRules { damage_percent, detour_turns } = *mine;
    wire::MineRules { damage_percent: Some(damage_percent), detour_turns: Some(detour_turns) }
}

fn pirates(
    asked: Option<&wire::PirateRules>,
    before: PirateRules,
    fields: &mut Fields,
) -> Option<PirateRules> {
    let Some(wire::PirateRules { least_weapons, most_weapons, mind }) = asked else { return Some(before) };
    let mind = fields.within("pirates", |fields| fields.parsed("mind", mind_of(*mind)))?;
    Some(PirateRules {
        least_weapons: least_weapons.unwrap_or(before.least_weapons),
        most_weapons: most_weapons.unwrap_or(before.most_weapons),
        mind: mind.unwrap_or(before.mind),
    })
}

/// The mind of this number, or `None` where none is said.
///
/// # Errors
/// It is none, with those that there are.
#[allow(deprecated, reason = "who was written for an earlier gm may still say it")]
pub fn mind_of(number: i32) -> Result<Option<PirateMind>, String> {
    match wire::PirateMind::try_from(number) {
        Ok(wire::PirateMind::Unspecified) => Ok(None),
        Ok(wire::PirateMind::Random) => Ok(Some(PirateMind::Random)),
        Ok(wire::PirateMind::Greedy) => Ok(Some(PirateMind::Greedy)),
        Ok(wire::PirateMind::Careful | wire::PirateMind::Reference) => Ok(Some(PirateMind::Careful)),
        Ok(wire::PirateMind::Search) => Ok(Some(PirateMind::Search)),
        Err(_) => {
            let theirs = PirateMind::ALL.map(mind_to_wire).map(|mind| mind.as_str_name()).join(", ");
            Err(format!("{number} is no mind of pirates; theirs are {theirs}"))
        }
    }
}

/// A mind on the wire.
#[must_use]
pub fn mind_to_wire(mind: PirateMind) -> wire::PirateMind {
    match mind {
        PirateMind::Random => wire::PirateMind::Random,
        PirateMind::Greedy => wire::PirateMind::Greedy,
        PirateMind::Careful => wire::PirateMind::Careful,
        PirateMind::Search => wire::PirateMind::Search,
    }
}

fn pirates_to_wire(pirates: &PirateRules) -> wire::PirateRules {
    let PirateRules { least_weapons, most_weapons, mind } = *pirates;
    wire::PirateRules {
        least_weapons: Some(least_weapons),
        most_weapons: Some(most_weapons),
        mind: mind_to_wire(mind).into(),
    }
}

/// All of them: one that is not named in the rules is worth nothing but its medal.
fn rewards_to_wire(rewards: &BTreeMap<Achievement, Reward>) -> Vec<wire::AchievementReward> {
    Achievement::ALL
        .iter()
        .map(|achievement| {
            let Reward { dollars, points } = rewards.get(achievement).copied().unwrap_or_default();
            wire::AchievementReward { achievement_id: achievement_id(*achievement), dollars, points }
        })
        .collect()
}

fn rewards(
    asked: &[wire::AchievementReward],
    before: &Rules,
    fields: &mut Fields,
) -> BTreeMap<Achievement, Reward> {
    let mut rewards = before.achievements.clone();
    let mut named = BTreeSet::new();
    for (at, wire::AchievementReward { achievement_id, dollars, points }) in asked.iter().enumerate() {
        let achievement = fields.within(&format!("achievements[{at}]"), |fields| {
            let achievement = achievement::named(achievement_id, fields, "achievement_id")?;
            if !named.insert(achievement) {
                fields.wrong("achievement_id", "is there twice");
                return None;
            }
            Some(achievement)
        });
        if let Some(achievement) = achievement {
            rewards.insert(achievement, Reward { dollars: *dollars, points: *points });
        }
    }
    rewards
}

/// The bonuses that can be read, and the number of each in the request.
fn bonuses(asked: &[wire::Bonus], fields: &mut Fields) -> (Vec<BonusPlan>, Vec<usize>) {
    asked
        .iter()
        .enumerate()
        .filter_map(|(at, asked)| {
            let plan = fields.within(&format!("bonuses[{at}]"), |fields| bonus::plan(asked, fields))?;
            Some((plan, at))
        })
        .unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::contract::Kind;
    use gm_core::ids::{CarId, Place, TurnNo};
    use gm_core::race::state::{BonusEffect, Often};
    use gm_core::random::{Purpose, Seed, Stream};

    fn read(asked: &wire::Rules) -> Result<Plan, Vec<String>> {
        let mut fields = Fields::default();
        let plan = fields.within("rules", |fields| from_wire(Some(asked), fields));
        let wrong: Vec<String> = fields.into_violations().into_iter().map(|wrong| wrong.field).collect();
        assert_eq!(plan.is_none(), !wrong.is_empty(), "no rules without a reason: {wrong:?}");
        plan.ok_or(wrong)
    }

    /// Rules in which every achievement is named, as the messages have them.
    fn all_named(rules: &Rules) -> Rules {
        let mut rules = rules.clone();
        for achievement in Achievement::ALL {
            rules.achievements.entry(achievement).or_default();
        }
        rules
    }

    #[track_caller]
    fn comes_back(rules: &Rules, told: &str) {
        let plan = read(&to_wire(rules)).map_err(|wrong| format!("{told}: {wrong:?}"));
        let Plan { rules: read, pace } = plan.expect("rules that were valid");
        assert_eq!(Rules::from(read), all_named(rules), "{told}");
        assert_eq!(pace, Some(Duration::from_secs(rules.turn_every.0.into())), "{told}");
    }

    /// Any rules that a race can have.
    fn any_rules(stream: &mut Stream) -> Rules {
        let mut odds = [20; 5];
        for _ in 0..20 {
            let [from, to] = [stream.below(5) as usize, stream.below(5) as usize];
            if odds[from] > 0 {
                odds[from] -= 1;
                odds[to] += 1;
            }
        }
        let least = stream.between(1, 25);
        let track_length = stream.between(10, 1_000_000);
        let kind = Kind::ALL[stream.below(3) as usize];
        let effects = [
            BonusEffect::Dollars(stream.between(1, 1_000_000)),
            BonusEffect::Points(stream.between(1, 1_000_000)),
            BonusEffect::Module(kind),
            BonusEffect::Advance(stream.between(1, 1_000_000)),
            BonusEffect::Back(stream.between(1, 1_000_000)),
            BonusEffect::MissTurn,
            BonusEffect::ClearMisses,
        ];
        let bonuses: Vec<BonusPlan> = (0..stream.below(7))
            .map(|place| BonusPlan {
                place: Place(place),
                effect: effects[stream.below(7) as usize],
                often: [Often::Once, Often::OncePerTeam, Often::Always][stream.below(3) as usize],
                hidden: stream.percent(50),
            })
            .collect();
        let named = Achievement::ALL.into_iter().filter(|_| stream.percent(50)).collect::<Vec<_>>();
        Rules {
            initial_budget: stream.between(0, 1_000_000),
            prices: Prices {
                engine: stream.between(0, 1_000_000),
                pilot: stream.between(0, 1_000_000),
                weapon: stream.between(0, 1_000_000),
            },
            registration_fee: stream.between(0, 1_000_000),
            max_modules: stream.between(1, 1_000),
            track_length,
            combat_range: stream.between(0, 1_000_000),
            meet_again: stream.percent(50),
            encounters: EncounterOdds {
                nothing: odds[0],
                pirates: odds[1],
                garage: odds[2],
                wreck: odds[3],
                minefield: odds[4],
            },
            spot_check_percent: stream.between(0, 100),
            pirates: PirateRules {
                least_weapons: least,
                most_weapons: stream.between(least, 25),
                mind: *stream.pick(&PirateMind::ALL).expect("there are some"),
            },
            wreck: WreckOdds {
                nothing: odds[4],
                engine: odds[3],
                weapon: odds[2],
                pilot: odds[1],
                snakes: odds[0],
            },
            mine: MineRules {
                damage_percent: stream.between(0, 100),
                detour_turns: stream.between(0, 1_000_000),
            },
            garage_step_back: stream.between(0, 1_000_000),
            hand_limit: stream.percent(50).then(|| stream.between(1, 25)),
            duel_limit: Seconds(stream.between(1, u32::MAX)),
            request_deadline_ms: stream.between(1, 600_000),
            move_deadline_ms: stream.between(1, 600_000),
            verify_grace: Seconds(stream.between(0, 600)),
            spoils: if stream.percent(50) { Spoils::Destroyed } else { Spoils::WinnerTakes },
            transfers: stream.percent(50),
            end_award: stream.between(0, 1_000_000),
            achievements: named
                .into_iter()
                .map(|one| {
                    let [dollars, points] = [stream.between(0, 1_000_000), stream.between(0, 1_000_000)];
                    (one, Reward { dollars, points })
                })
                .collect(),
            scrooge_above: stream.between(0, 1_000_000),
            turn_every: Seconds(stream.between(1, u32::MAX)),
            running_time: Seconds(stream.between(1, u32::MAX)),
            max_turns: stream.percent(50).then(|| stream.between(1, u32::MAX)),
            idle_turns: stream.between(1, u32::MAX),
            random_bonuses: stream.between(0, 3),
            bonuses,
        }
    }

    #[test]
    fn rules_come_back() {
        comes_back(&Rules::balanced(), "balanced");
        comes_back(&Rules::classic(), "classic");
        let seed = rand::random();
        for no in 1..=200 {
            let mut stream = Seed(seed).stream(TurnNo(no), Purpose::Wreck, CarId(0));
            let rules = any_rules(&mut stream);
            assert!(rules.clone().validated().is_ok(), "seed {seed}, rules {no}");
            comes_back(&rules, &format!("seed {seed}, rules {no}"));
        }
    }

    /// What is not set is as in the preset; what is set of a part changes that part alone.
    #[test]
    fn what_is_not_set_is_the_presets() {
        let plain = |preset: wire::Preset| wire::Rules { preset: preset.into(), ..Default::default() };
        for (preset, rules) in [
            (wire::Preset::Unspecified, Rules::balanced()),
            (wire::Preset::Balanced, Rules::balanced()),
            (wire::Preset::Classic, Rules::classic()),
        ] {
            let read = read(&plain(preset)).expect("a preset");
            assert_eq!((Rules::from(read.rules), read.pace), (rules, Some(Duration::from_secs(60))));
        }
        let mut fields = Fields::default();
        let none = from_wire(None, &mut fields).map(|plan| Rules::from(plan.rules));
        assert_eq!(none, Some(Rules::balanced()));

        let classic = Rules::classic();
        for (asked, expected) in [
            (
                wire::Rules {
                    pirates: Some(wire::PirateRules { least_weapons: Some(4), ..Default::default() }),
                    ..plain(wire::Preset::Classic)
                },
                Rules { pirates: PirateRules { least_weapons: 4, ..classic.pirates }, ..classic.clone() },
            ),
            (
                wire::Rules {
                    mine: Some(wire::MineRules { detour_turns: Some(0), ..Default::default() }),
                    ..plain(wire::Preset::Classic)
                },
                Rules { mine: MineRules { detour_turns: 0, ..classic.mine }, ..classic.clone() },
            ),
            (
                wire::Rules {
                    achievements: vec![wire::AchievementReward {
                        achievement_id: "scrooge".to_owned(),
                        dollars: 0,
                        points: 9,
                    }],
                    ..plain(wire::Preset::Classic)
                },
                Rules {
                    achievements: classic
                        .achievements
                        .clone()
                        .into_iter()
                        .chain([(Achievement::Scrooge, Reward { dollars: 0, points: 9 })])
                        .collect(),
                    ..classic.clone()
                },
            ),
        ] {
            assert_eq!(read(&asked).map(|plan| Rules::from(plan.rules)), Ok(expected));
        }
    }

    /// R-10.1: 0 is no clock, and not a clock of 0 seconds.
    #[test]
    fn r_10_1_without_a_clock() {
        let asked = |seconds| wire::Rules { turn_interval_seconds: Some(seconds), ..Default::default() };
        let Plan { rules, pace } = read(&asked(0)).expect("rules");
        assert_eq!((rules.turn_every, pace), (Seconds(60), None));
        let Plan { rules, pace } = read(&asked(7)).expect("rules");
        assert_eq!((rules.turn_every, pace), (Seconds(7), Some(Duration::from_secs(7))));
    }

    /// Rules with one change: every field of the message that is refused, in the order in which it is found.
    #[track_caller]
    fn check(expected: &[&str], change: impl FnOnce(&mut wire::Rules)) {
        let mut asked = wire::Rules::default();
        change(&mut asked);
        let expected: Vec<String> = expected.iter().map(|field| format!("rules.{field}")).collect();
        assert_eq!(read(&asked).map(drop), Err(expected));
    }

    /// Every setting that can be wrong is refused under the name that it has in the message.
    /// R-5.1: numbers, and the minds that they mean. 2 is how careful ones were called first.
    #[test]
    fn r_5_1_minds_by_number() {
        let theirs =
            "theirs are PIRATE_MIND_RANDOM, PIRATE_MIND_GREEDY, PIRATE_MIND_CAREFUL, PIRATE_MIND_SEARCH";
        for (number, expected) in [
            (0, Ok(None)),
            (1, Ok(Some(PirateMind::Random))),
            (2, Ok(Some(PirateMind::Careful))),
            (3, Ok(Some(PirateMind::Greedy))),
            (4, Ok(Some(PirateMind::Careful))),
            (5, Ok(Some(PirateMind::Search))),
            (6, Err(format!("6 is no mind of pirates; {theirs}"))),
        ] {
            assert_eq!(mind_of(number), expected, "{number}");
        }
        for it in PirateMind::ALL {
            assert_eq!(mind_of(mind_to_wire(it).into()), Ok(Some(it)));
        }
    }

    #[test]
    fn what_is_wrong_is_named_as_in_the_message() {
        const BIG: u32 = 1_000_001;
        let prices = wire::ModulePrices { engine: BIG, pilot: BIG, weapon: BIG };
        check(&["preset"], |it| it.preset = 3);
        check(&["spoils"], |it| it.spoils = 9);
        check(&["initial_budget"], |it| it.initial_budget = Some(BIG));
        check(&["prices.engine", "prices.pilot", "prices.weapon"], |it| it.prices = Some(prices));
        check(&["registration_fee"], |it| it.registration_fee = Some(BIG));
        check(&["max_modules"], |it| it.max_modules = Some(0));
        check(&["track_length"], |it| it.track_length = Some(0));
        check(&["combat_range"], |it| it.combat_range = Some(BIG));
        check(&["spot_check_percent"], |it| it.spot_check_percent = Some(101));
        check(&["pirates.least_weapons", "pirates.most_weapons"], |it| {
            let pirates =
                wire::PirateRules { least_weapons: Some(0), most_weapons: Some(26), ..Default::default() };
            it.pirates = Some(pirates);
        });
        check(&["pirates.mind"], |it| {
            it.pirates = Some(wire::PirateRules { mind: 7, ..Default::default() });
        });
        check(&["mine.damage_percent", "mine.detour_turns"], |it| {
            it.mine = Some(wire::MineRules { damage_percent: Some(101), detour_turns: Some(BIG) });
        });
        check(&["garage_step_back"], |it| it.garage_step_back = Some(BIG));
        check(&["hand_limit"], |it| it.hand_limit = Some(26));
        check(&["duel_limit_seconds"], |it| it.duel_limit_seconds = Some(0));
        check(&["request_deadline_ms"], |it| it.request_deadline_ms = Some(0));
        check(&["move_deadline_ms"], |it| it.move_deadline_ms = Some(600_001));
        check(&["verify_grace_seconds"], |it| it.verify_grace_seconds = Some(601));
        check(&["end_award"], |it| it.end_award = Some(BIG));
        check(&["scrooge_above"], |it| it.scrooge_above = Some(BIG));
        check(&["running_time_seconds"], |it| it.running_time_seconds = Some(0));
        check(&["max_turns"], |it| it.max_turns = Some(0));
        check(&["idle_turns"], |it| it.idle_turns = Some(0));
        check(&["encounter_odds"], |it| it.encounter_odds = Some(wire::EncounterOdds::default()));
        check(&["wreck_odds"], |it| it.wreck_odds = Some(wire::WreckOdds::default()));
        check(&["random_bonuses"], |it| it.random_bonuses = Some(301));
    }

    #[test]
    fn what_is_wrong_in_a_list_is_named_by_its_number() {
        let reward = |id: &str, dollars, points| wire::AchievementReward {
            achievement_id: id.to_owned(),
            dollars,
            points,
        };
        check(&["achievements[1].achievement_id", "achievements[2].achievement_id"], |it| {
            it.achievements = vec![reward("mad_max", 1, 1), reward("max", 1, 1), reward("mad_max", 1, 1)];
        });
        check(&["achievements[1].dollars", "achievements[1].points"], |it| {
            it.achievements = vec![reward("mad_max", 1, 1), reward("scrooge", 1_000_001, 1_000_001)];
        });
        let plan = |place| {
            let effect = BonusEffect::MissTurn;
            bonus::placed(None, &BonusPlan { place: Place(place), effect, often: Often::Once, hidden: false })
        };
        check(&["bonuses[0].effect", "bonuses[2]", "bonuses[3]"], |it| {
            let unreadable = wire::Bonus { effect: None, ..plan(1) };
            it.bonuses = vec![unreadable, plan(2), plan(300), plan(2)];
        });
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        check(&["spoils", "track_length", "idle_turns", "wreck_odds"], |it| {
            it.spoils = 3;
            it.track_length = Some(0);
            it.idle_turns = Some(0);
            it.wreck_odds = Some(wire::WreckOdds { nothing: 99, ..Default::default() });
        });
    }

    /// R-3.3.
    #[test]
    fn r_3_3_odds_of_a_request() {
        let of = |odds: Option<wire::EncounterOdds>| {
            let mut fields = Fields::default();
            let odds = self::odds(odds.as_ref(), &mut fields, "odds");
            (odds, fields.into_violations().into_iter().map(|wrong| wrong.field).collect::<Vec<_>>())
        };
        let good = wire::EncounterOdds { nothing: 60, pirates: 10, garage: 10, wreck: 12, minefield: 8 };
        assert_eq!(of(Some(good)), (Some(Rules::balanced().encounters), vec![]));
        assert_eq!(of(None), (None, vec!["odds".to_owned()]));
        assert_eq!(of(Some(wire::EncounterOdds { wreck: 13, ..good })), (None, vec!["odds".to_owned()]));
    }

    /// R-9.1, R-11, R-12.3: others don't read in the rules what the race hides from them.
    #[test]
    fn r_11_the_rules_hide_what_the_race_hides() {
        let plan = |place, hidden| BonusPlan {
            place: Place(place),
            effect: BonusEffect::MissTurn,
            often: Often::Once,
            hidden,
        };
        let rules = Rules { bonuses: vec![plan(1, true), plan(2, false)], ..Rules::balanced() };
        let known = BTreeSet::from([Achievement::MadMax]);
        assert_eq!(shown(&rules, Viewer::Admin, &known), to_wire(&rules));
        for viewer in [Viewer::Spectator, Viewer::Team(gm_core::ids::TeamId(1))] {
            let seen = shown(&rules, viewer, &known);
            let ids: Vec<&str> = seen.achievements.iter().map(|one| one.achievement_id.as_str()).collect();
            let places: Vec<u32> = seen.bonuses.iter().map(|bonus| bonus.place).collect();
            assert_eq!((ids, places), (vec!["mad_max"], vec![2]), "{viewer:?}");
            assert_eq!((seen.encounter_odds, seen.random_bonuses, seen.scrooge_above), (None, None, None));
            let all = wire::Rules {
                encounter_odds: None,
                random_bonuses: None,
                scrooge_above: None,
                achievements: seen.achievements.clone(),
                bonuses: seen.bonuses.clone(),
                ..to_wire(&rules)
            };
            assert_eq!(seen, all, "nothing else is hidden");
        }
        let scrooge = shown(&rules, Viewer::Spectator, &BTreeSet::from([Achievement::Scrooge]));
        assert_eq!(scrooge.scrooge_above, Some(120));
    }
}
