//! Between the messages of `proto/gm/v1` and the domain, written out by hand: one file for each word.
//!
//! ```text
//! domain ── race, car, score, event … ──▶ message     never fails: a race is always right
//! message ── rules, bonus, kind … ──▶ domain          what is wrong goes into `Fields`, all of it
//! ```
//!
//! Every match names every value, so that a new one does not compile until somebody says how it is shown. What a
//! viewer may see is decided by the views of the rules (R-11), not here: a message shows what the view holds.
//!
//! - [`car`]: cars, modules, encounters. [`bonus`]: bonuses. [`rules`]: the rules of a race.
//! - [`score`], [`achievement`]: the score and what it is made of. [`duel`]: duels, card by card.
//! - [`event`]: what happens. [`race`]: a race, and all of it at one moment.

pub mod achievement;
pub mod bonus;
pub mod car;
pub mod duel;
pub mod event;
pub mod log;
pub mod race;
pub mod rules;
pub mod score;
pub mod trial;

use crate::journal::Moment;
use gm_core::ids::{CarId, TeamId};
use gm_core::race::event::Achievement;
use prost_types::Timestamp;

/// The first and the last moment that protobuf has: the years 1 to 9999, in milliseconds since 1970.
const MOMENTS: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

/// A moment as protobuf has it; one that it has not, as the nearest. An export from elsewhere may hold any.
#[must_use]
pub fn moment(moment: Moment) -> Timestamp {
    let Moment(milliseconds) = moment;
    let milliseconds = milliseconds.clamp(*MOMENTS.start(), *MOMENTS.end());
    let nanos = i32::try_from(milliseconds.rem_euclid(1_000) * 1_000_000)
        .expect("a second has fewer than 2^31 nanoseconds");
    Timestamp { seconds: milliseconds.div_euclid(1_000), nanos }
}

fn achievement_id(achievement: Achievement) -> String {
    achievement.id().to_owned()
}

fn car_ids<'a>(cars: impl IntoIterator<Item = &'a CarId>) -> Vec<u32> {
    cars.into_iter().map(|car| car.0).collect()
}

fn team_ids<'a>(teams: impl IntoIterator<Item = &'a TeamId>) -> Vec<u32> {
    teams.into_iter().map(|team| team.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        for (milliseconds, seconds, nanos) in [
            (0, 0, 0),
            (1, 0, 1_000_000),
            (1_772_323_147_500, 1_772_323_147, 500_000_000),
            (-1, -1, 999_000_000),
            (i64::MIN, -62_135_596_800, 0),
            (i64::MAX, 253_402_300_799, 999_000_000),
        ] {
            assert_eq!(moment(Moment(milliseconds)), Timestamp { seconds, nanos }, "{milliseconds}");
        }
    }
}
