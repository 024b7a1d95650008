//! What lies on the ring and what is met there: bonuses and encounters.
//!
//! ```text
//! {"nothing":60,"pirates":10,"garage":10,"wreck":12,"minefield":8}
//! {"place":9,"effect":{"points":3},"often":"once","hidden":false}
//! ```

use super::contract::Kind;
use super::domain;
use serde::{Deserialize, Serialize};

/// What can be met.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Encounter {
    Nothing,
    Pirates,
    Wreck,
    Minefield,
    Garage,
}

impl From<&domain::Encounter> for Encounter {
    fn from(it: &domain::Encounter) -> Encounter {
        match it {
            domain::Encounter::Nothing => Encounter::Nothing,
            domain::Encounter::Pirates => Encounter::Pirates,
            domain::Encounter::Wreck => Encounter::Wreck,
            domain::Encounter::Minefield => Encounter::Minefield,
            domain::Encounter::Garage => Encounter::Garage,
        }
    }
}

impl From<Encounter> for domain::Encounter {
    fn from(it: Encounter) -> domain::Encounter {
        match it {
            Encounter::Nothing => domain::Encounter::Nothing,
            Encounter::Pirates => domain::Encounter::Pirates,
            Encounter::Wreck => domain::Encounter::Wreck,
            Encounter::Minefield => domain::Encounter::Minefield,
            Encounter::Garage => domain::Encounter::Garage,
        }
    }
}

/// The odds of the encounters, in percent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EncounterOdds {
    nothing: u32,
    pirates: u32,
    garage: u32,
    wreck: u32,
    minefield: u32,
}

impl From<&domain::EncounterOdds> for EncounterOdds {
    fn from(it: &domain::EncounterOdds) -> EncounterOdds {
        let domain::EncounterOdds { nothing, pirates, garage, wreck, minefield } = it;
        EncounterOdds {
            nothing: *nothing,
            pirates: *pirates,
            garage: *garage,
            wreck: *wreck,
            minefield: *minefield,
        }
    }
}

impl From<EncounterOdds> for domain::EncounterOdds {
    fn from(it: EncounterOdds) -> domain::EncounterOdds {
        let EncounterOdds { nothing, pirates, garage, wreck, minefield } = it;
        domain::EncounterOdds { nothing, pirates, garage, wreck, minefield }
    }
}

/// A bonus as it is placed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BonusPlan {
    place: u32,
    effect: BonusEffect,
    often: Often,
    hidden: bool,
}

impl From<&domain::BonusPlan> for BonusPlan {
    fn from(it: &domain::BonusPlan) -> BonusPlan {
        let domain::BonusPlan { place, effect, often, hidden } = it;
        BonusPlan { place: place.0, effect: effect.into(), often: often.into(), hidden: *hidden }
    }
}

impl From<BonusPlan> for domain::BonusPlan {
    fn from(it: BonusPlan) -> domain::BonusPlan {
        let BonusPlan { place, effect, often, hidden } = it;
        domain::BonusPlan { place: domain::Place(place), effect: effect.into(), often: often.into(), hidden }
    }
}

/// What a bonus does.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum BonusEffect {
    Dollars(u32),
    Points(u32),
    Module(Kind),
    Advance(u32),
    Back(u32),
    MissTurn,
    ClearMisses,
}

impl From<&domain::BonusEffect> for BonusEffect {
    fn from(it: &domain::BonusEffect) -> BonusEffect {
        match it {
            domain::BonusEffect::Dollars(dollars) => BonusEffect::Dollars(*dollars),
            domain::BonusEffect::Points(points) => BonusEffect::Points(*points),
            domain::BonusEffect::Module(kind) => BonusEffect::Module(kind.into()),
            domain::BonusEffect::Advance(squares) => BonusEffect::Advance(*squares),
            domain::BonusEffect::Back(squares) => BonusEffect::Back(*squares),
            domain::BonusEffect::MissTurn => BonusEffect::MissTurn,
            domain::BonusEffect::ClearMisses => BonusEffect::ClearMisses,
        }
    }
}

impl From<BonusEffect> for domain::BonusEffect {
    fn from(it: BonusEffect) -> domain::BonusEffect {
        match it {
            BonusEffect::Dollars(dollars) => domain::BonusEffect::Dollars(dollars),
            BonusEffect::Points(points) => domain::BonusEffect::Points(points),
            BonusEffect::Module(kind) => domain::BonusEffect::Module(kind.into()),
            BonusEffect::Advance(squares) => domain::BonusEffect::Advance(squares),
            BonusEffect::Back(squares) => domain::BonusEffect::Back(squares),
            BonusEffect::MissTurn => domain::BonusEffect::MissTurn,
            BonusEffect::ClearMisses => domain::BonusEffect::ClearMisses,
        }
    }
}

/// How often a bonus can be taken.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Often {
    Once,
    OncePerTeam,
    Always,
}

impl From<&domain::Often> for Often {
    fn from(it: &domain::Often) -> Often {
        match it {
            domain::Often::Once => Often::Once,
            domain::Often::OncePerTeam => Often::OncePerTeam,
            domain::Often::Always => Often::Always,
        }
    }
}

impl From<Often> for domain::Often {
    fn from(it: Often) -> domain::Often {
        match it {
            Often::Once => domain::Often::Once,
            Often::OncePerTeam => domain::Often::OncePerTeam,
            Often::Always => domain::Often::Always,
        }
    }
}
