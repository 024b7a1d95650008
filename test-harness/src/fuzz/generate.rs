//! Steps from a seed, an episode at a time: each begins with the car as it was found.
//!
//! ```
//! use test_harness::fuzz::{Found, episode};
//! let found = Found { square: 0, counts: [4, 1, 3] };
//! assert_eq!(episode(7, 3, &found), episode(7, 3, &found));
//! ```

use super::Dice;
use super::names::{name, twins};
use super::nonsense::{header, id_start, odd};
use super::raw::raw;
use super::step::{Id, Key, Spelling, Step, What};
use gm_core::contract::{CarRequest, Kind, Prices};
use gm_core::ids::{Square, TeamId};

/// How many steps an episode has, at most.
pub const EPISODE: usize = 32;

/// By how many a count is raised, at most.
const RAISED: u64 = 6;

/// How a car was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Its square.
    pub square: u64,
    /// How many modules of each kind it had.
    pub counts: [u64; 3],
}

/// The steps of an episode, always [`EPISODE`].
#[must_use]
pub fn episode(seed: u64, number: u64, found: &Found) -> Vec<Step> {
    let mut dice = Dice::of(seed, number);
    let mut steps: Vec<Step> = Vec::new();
    let mut names: Vec<(Kind, String)> = Vec::new();
    while steps.len() < EPISODE {
        match dice.below(100) {
            0..=55 => {
                let request = valid(&mut dice, &mut names, found);
                steps.extend(request.into_iter().map(Step::of));
                // Only the last of those that belong together is written in another way.
                if let Some(last) = steps.last_mut() {
                    vary(&mut dice, last);
                }
            }
            56..=63 => {
                let request = valid(&mut dice, &mut names, found).pop();
                let key = dice.one_of(&[Key::Missing, Key::Empty, Key::Longer, Key::Other]);
                steps.extend(request.map(|request| Step { key, ..Step::of(request) }));
            }
            64..=93 => {
                let mut step = Step::new(odd(&mut dice));
                if dice.percent(10) {
                    step.headers.push(header(&mut dice));
                }
                steps.push(step);
            }
            _ => steps.push(Step::new(What::Raw(raw(&mut dice)))),
        }
    }
    steps.truncate(EPISODE);
    steps
}

/// Requests of the contract that belong together, at least one.
fn valid(dice: &mut Dice, names: &mut Vec<(Kind, String)>, found: &Found) -> Vec<CarRequest> {
    let kind = dice.one_of(&Kind::ALL);
    let request = match dice.below(30) {
        0..=8 => {
            let name = name(dice);
            names.push((kind, name.clone()));
            CarRequest::Gain { kind, name }
        }
        9 => {
            let pair = twins(dice);
            names.extend(pair.iter().map(|name| (kind, name.clone())));
            return pair.map(|name| CarRequest::Gain { kind, name }).into();
        }
        10 | 11 if !names.is_empty() => {
            let (kind, name) = dice.one_of(names);
            CarRequest::Gain { kind, name }
        }
        10..=15 if !names.is_empty() => {
            let at = dice.index(names.len());
            let (kind, name) = names.swap_remove(at);
            CarRequest::Lose { kind, name }
        }
        // A car that keeps only the number of its pilots knows no names, and this would take one of its own.
        10..=16 => CarRequest::Lose {
            kind: dice.one_of(&[Kind::Engine, Kind::Weapon]),
            name: format!("nobody{}", dice.below(1_000_000)),
        },
        17 | 18 => {
            let own = found.counts[kind as usize];
            CarRequest::SetCount { kind, count: own + dice.below(RAISED) }
        }
        19 | 20 => CarRequest::SetSquare(square(dice)),
        21 => CarRequest::SetPosition(square(dice)),
        22 => return vec![CarRequest::Retire, CarRequest::SetSquare(square(dice))],
        23 => CarRequest::Wreck,
        24 => CarRequest::Mine,
        25 => {
            let price = if dice.percent(50) { low_price } else { number };
            CarRequest::Garage(Prices { engine: price(dice), pilot: price(dice), weapon: price(dice) })
        }
        26 => CarRequest::ShouldFight(TeamId(number(dice))),
        27 => CarRequest::DuelUrl,
        28 => dice.one_of(&[CarRequest::State, CarRequest::Resource(kind)]),
        _ => CarRequest::Count(kind),
    };
    vec![request]
}

fn square(dice: &mut Dice) -> Square {
    Square(number(dice))
}

/// A price such as a race has, or none (C-14).
fn low_price(dice: &mut Dice) -> u32 {
    u32::try_from(dice.below(6)).unwrap_or(0)
}

/// A number of 32 bits, at the edges of some type more often than elsewhere.
fn number(dice: &mut Dice) -> u32 {
    const EDGES: [u32; 12] =
        [0, 1, 127, 255, 256, 32_767, 32_768, 65_535, 65_536, 2_147_483_647, 2_147_483_648, u32::MAX];
    match dice.below(4) {
        0 => dice.one_of(&EDGES),
        1 => u32::try_from(dice.below(200)).unwrap_or(0),
        2 => u32::try_from(dice.below(1_000_000)).unwrap_or(0),
        _ => u32::try_from(dice.below(u64::from(u32::MAX) + 1)).unwrap_or(u32::MAX),
    }
}

/// Writes a request of the contract in another way, now and then.
fn vary(dice: &mut Dice, step: &mut Step) {
    if let What::Contract(request, spelling) = &mut step.what
        && dice.percent(25)
    {
        let all = [Spelling::Escaped, Spelling::Spaced, Spelling::Extra, Spelling::Untyped];
        *spelling = dice.one_of(&all);
        // Only what has a body or a name is written otherwise.
        if !request.is_command() && request.body().is_none() {
            *spelling = Spelling::Plain;
        }
    }
    match dice.below(30) {
        0 => step.id = Id::Missing,
        1 => step.id = Id::Odd(id_start(dice)),
        2 => step.id = Id::Again,
        3 | 4 => step.headers.push(header(dice)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::step::is_sendable;
    use super::*;
    use std::collections::BTreeSet;

    const FOUND: Found = Found { square: 7, counts: [4, 1, 3] };
    const SEEDS: u64 = 20;
    const EPISODES: u64 = 40;

    /// All that the client is given can be sent as it is, and no count is below that at which the car was found.
    #[test]
    fn what_is_made_can_be_sent_and_destroys_nothing() {
        let mut kinds = BTreeSet::new();
        for (seed, number) in (0..SEEDS).flat_map(|seed| (0..EPISODES).map(move |number| (seed, number))) {
            let steps = episode(seed, number, &FOUND);
            assert_eq!(steps.len(), EPISODE, "seed {seed}, episode {number}");
            for step in steps {
                if let Some(ask) = step.ask(Some("s3cret"), "id-1", "id-0") {
                    assert!(is_sendable(&ask), "seed {seed}, episode {number}: {ask:?}");
                }
                if let What::Contract(CarRequest::SetCount { kind, count }, _) = &step.what {
                    let own = FOUND.counts[*kind as usize];
                    assert!((own..own + RAISED).contains(count), "seed {seed}, episode {number}: {step}");
                }
                kinds.insert(match &step.what {
                    What::Contract(request, _) => request.number(),
                    What::Odd { method, .. } if method == "BREW" => "an unknown method",
                    What::Odd { .. } => "odd",
                    What::Raw(raw) => raw.title,
                });
            }
        }
        // C-1 to C-16, and all sorts of raw bytes.
        assert_eq!(kinds.len(), 16 + 2 + 22, "{kinds:?}");
    }

    #[test]
    fn a_seed_makes_the_same_steps_and_another_seed_others() {
        for number in 0..EPISODES {
            assert_eq!(episode(7, number, &FOUND), episode(7, number, &FOUND));
            assert_ne!(episode(7, number, &FOUND), episode(8, number, &FOUND));
            assert_ne!(episode(7, number, &FOUND), episode(7, number + 1, &FOUND));
        }
    }
}
