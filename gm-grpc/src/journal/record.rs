//! What the journal holds, as the rest of the program sees it.
//!
//! ```
//! use gm_grpc::journal::RaceId;
//! assert_eq!(RaceId::parse("gm-7f3a").unwrap().as_str(), "gm-7f3a");
//! assert!(RaceId::parse("a race").is_err());
//! ```

use gm_core::arena::Seat;
use gm_core::contract::{Answer, BaseUrl, Fault};
use gm_core::ids::{CarId, TeamId, TurnNo};
use gm_core::ports::InspectorFault;
use gm_core::race::command::Arrival;
use gm_core::random::Seed;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// The name of a race that no other race has ever had: it starts every request id (C-20). 1 to 128 visible ASCII
/// characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RaceId(String);

/// A text that can't name a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a race's id is 1 to 128 visible ASCII characters")]
pub struct BadRaceId;

impl RaceId {
    /// The longest, in characters.
    pub const MAX_LENGTH: usize = 128;

    /// A new one, random.
    #[must_use]
    pub fn random() -> RaceId {
        RaceId(format!("gm-{:016x}", rand::random::<u64>()))
    }

    /// Parses one.
    ///
    /// # Errors
    /// [`BadRaceId`] if it is empty, too long, or holds anything but visible ASCII.
    pub fn parse(text: &str) -> Result<RaceId, BadRaceId> {
        let visible = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && text.len() <= RaceId::MAX_LENGTH { Ok(RaceId(text.to_owned())) } else { Err(BadRaceId) }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RaceId {
    type Error = BadRaceId;
    fn try_from(text: String) -> Result<RaceId, BadRaceId> {
        RaceId::parse(&text)
    }
}

impl From<RaceId> for String {
    fn from(id: RaceId) -> String {
        id.0
    }
}

impl fmt::Display for RaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Milliseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub i64);

impl Moment {
    /// Now, by the machine's clock.
    #[must_use]
    pub fn now() -> Moment {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// As a date and a time of day, UTC: `2026-02-28 23:59:07`.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const A_DAY: i64 = 24 * 60 * 60;
        /// Days of four centuries, after which the calendar begins again.
        const AN_ERA: i64 = 146_097;
        /// Days from the first of March of the year 0 to 1970.
        const TO_1970: i64 = 719_468;
        let seconds = self.0.div_euclid(1_000);
        let (days, of_day) = (seconds.div_euclid(A_DAY) + TO_1970, seconds.rem_euclid(A_DAY));
        // A year that begins in March has its odd day, if any, at its end.
        let (era, of_era) = (days.div_euclid(AN_ERA), days.rem_euclid(AN_ERA));
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        let (year, hour, minute) = (era * 400 + year + later, of_day / 3_600, of_day / 60 % 60);
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{:02}", of_day % 60)
    }
}

/// Where a race came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It was made here, and is played here.
    Here,
    /// It was imported: it can be looked at and verified, but is not played on.
    Imported,
}

/// What the journal knows of a race beside its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaceRecord {
    /// Its short number in this database.
    pub key: RaceKey,
    /// Its id.
    pub id: RaceId,
    /// What people call it.
    pub name: String,
    /// When it was made.
    pub created_at: Moment,
    /// The version of the program that made it.
    pub gm: String,
    /// The revision of its rules (R-10.5).
    pub revision: u32,
    /// Its seed.
    pub seed: Seed,
    /// Where it came from.
    pub origin: Origin,
    /// Who is to take part, as JSON without secrets; none: teams come by themselves.
    pub plan: Option<String>,
    /// From the start of one turn to the start of the next; none: on the admin's word (R-10.1).
    pub pace: Option<Duration>,
    /// Running time (R-10.2) at the last commit.
    pub ran: Duration,
    /// Whether it was over at the last commit.
    pub finished: bool,
    /// Whether only those see it who may do something in it.
    pub private: bool,
}

/// The short number of a race in one database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RaceKey(pub(super) i64);

/// The number of a decision in its race, from 1 without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DecisionNo(pub u64);

impl fmt::Display for DecisionNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// The race is made: its first events. Nobody is asked anything.
    Create,
    /// A turn is played (R-3).
    Turn,
    /// Commands are settled between two turns (R-3.0), in order of arrival.
    Commands,
    /// Cars are registered, all or none.
    RegisterAll,
}

/// A decision, as it was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Its number.
    pub no: DecisionNo,
    /// What is decided.
    pub kind: DecisionKind,
    /// The turn that is played; for commands, the one that was completed before.
    pub turn: TurnNo,
    /// The commands, in order of arrival; none for a turn.
    pub arrivals: Vec<Arrival>,
}

/// A decision in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionRecord {
    /// The decision.
    pub decision: Decision,
    /// When it was begun.
    pub begun_at: Moment,
    /// How it ended; none: it is to be completed.
    pub committed: Option<Committed>,
}

/// How a decision ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// When.
    pub at: Moment,
    /// The number of the last event of the race then.
    pub last_seq: u64,
    /// For each command why it was refused, in words, if it was.
    pub settled: Vec<Option<String>>,
}

/// What was asked in a conversation. A car and its inspector share a chain, so it is part of the name of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Port {
    /// A request to a car (CONTRACT C).
    Car,
    /// Whether a car is asked again (R-7.8), after its request of this number. Recorded only when the time is up.
    Grace,
    /// A question to a duel AI (CONTRACT A), or to pirates.
    Ai,
    /// What an inspector read (CONTRACT I).
    Inspector,
    /// Where an instance is (R-2.1).
    Resolver,
    /// The clock of a duel (R-6.8), after so many answers. Recorded only when it strikes.
    DuelClock,
    /// The running time of the race (R-10.2). Recorded only when it is up.
    RaceClock,
}

/// One exchange with the outside: what was asked, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The conversation, as it stands in the request id: `t12-track-c3`.
    pub chain: String,
    /// What was asked in it.
    pub port: Port,
    /// Its number in its chain and port, from 1.
    pub number: u32,
    /// The turn.
    pub turn: TurnNo,
    /// In whose log it stands.
    pub team: Option<TeamId>,
    /// The car; none if it is not registered yet, or there is none.
    pub car: Option<CarId>,
    /// As it was sent, without secrets: `POST http://car/engine`, and below it a body or a header.
    pub request: String,
    /// What came of it.
    pub outcome: Outcome,
    /// What was accepted all the same (C-22), in words.
    pub deviations: Vec<String>,
    /// How long it took.
    pub latency: Duration,
    /// When it was journalled.
    pub at: Moment,
}

/// What came of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// An answer of a car or an AI.
    Answer(Answer),
    /// None of a car or an AI.
    Fault(Fault),
    /// An inspector read names: engines, weapons.
    Names(Vec<String>),
    /// An inspector read a number: pilots.
    Number(u64),
    /// An inspector failed.
    NotInspected(InspectorFault),
    /// Where the instance is.
    Address(Option<BaseUrl>),
    /// The time is up; in a duel, for the seat that took longer.
    TimeIsUp(Option<Seat>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_as_dates() {
        for (moment, words) in [
            (0, "1970-01-01 00:00:00"),
            (-1, "1969-12-31 23:59:59"),
            (951_782_400_000, "2000-02-29 00:00:00"),
            (951_868_799_999, "2000-02-29 23:59:59"),
            (951_868_800_000, "2000-03-01 00:00:00"),
            (1_772_323_147_500, "2026-02-28 23:59:07"),
            (1_772_323_200_000, "2026-03-01 00:00:00"),
            (1_798_761_599_000, "2026-12-31 23:59:59"),
            (4_107_542_400_000, "2100-03-01 00:00:00"),
        ] {
            assert_eq!(Moment(moment).to_string(), words, "{moment}");
        }
    }
}
