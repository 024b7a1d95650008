//! Bonuses on the ring (R-12).
//!
//! ```
//! use gm_grpc::api::{convert::bonus, field::Fields, wire};
//! let mut fields = Fields::default();
//! assert_eq!(bonus::plan(&wire::Bonus { place: 7, ..Default::default() }, &mut fields), None);
//! assert_eq!(fields.into_violations()[0].field, "effect");
//! ```

use super::{car, team_ids};
use crate::api::field::Fields;
use crate::api::wire;
use gm_core::ids::Place;
use gm_core::race::state::{BonusEffect, BonusId, BonusPlan, Often};
use gm_core::race::view::BonusView;
use wire::bonus_effect::Effect;

/// What a bonus does.
#[must_use]
pub fn effect_to_wire(effect: BonusEffect) -> wire::BonusEffect {
    let effect = match effect {
        BonusEffect::Dollars(dollars) => Effect::Dollars(dollars),
        BonusEffect::Points(points) => Effect::Points(points),
        BonusEffect::Module(kind) => Effect::Module(car::kind_to_wire(kind).into()),
        BonusEffect::Advance(squares) => Effect::Advance(squares),
        BonusEffect::Back(squares) => Effect::GoBack(squares),
        BonusEffect::MissTurn => Effect::MissTurn(true),
        BonusEffect::ClearMisses => Effect::ClearTurnsToMiss(true),
    };
    wire::BonusEffect { effect: Some(effect) }
}

/// How often a bonus can be taken.
#[must_use]
pub fn often_to_wire(often: Often) -> wire::BonusUse {
    match often {
        Often::Once => wire::BonusUse::Once,
        Often::OncePerTeam => wire::BonusUse::OncePerTeam,
        Often::Always => wire::BonusUse::Always,
    }
}

/// How often a bonus of a request can be taken; none, and noted under `field`, if it is not said or unknown.
pub fn often(number: i32, fields: &mut Fields, field: &str) -> Option<Often> {
    fields.value(field, number, |often| match often {
        wire::BonusUse::Unspecified => None,
        wire::BonusUse::Once => Some(Often::Once),
        wire::BonusUse::OncePerTeam => Some(Often::OncePerTeam),
        wire::BonusUse::Always => Some(Often::Always),
    })
}

/// A bonus as it was placed; without an id where it is part of the rules.
#[must_use]
pub fn placed(id: Option<BonusId>, plan: &BonusPlan) -> wire::Bonus {
    let BonusPlan { place, effect, often, hidden } = *plan;
    wire::Bonus {
        bonus_id: id.map_or(0, |id| id.0),
        place: place.0,
        effect: Some(effect_to_wire(effect)),
        r#use: often_to_wire(often).into(),
        hidden,
        taken_by_team_ids: Vec::new(),
    }
}

/// A bonus as it lies on the ring.
#[must_use]
pub fn bonus(bonus: &BonusView) -> wire::Bonus {
    let BonusView { id, place, effect, often, hidden, taken_by } = bonus;
    wire::Bonus {
        bonus_id: id.0,
        place: place.0,
        effect: Some(effect_to_wire(*effect)),
        r#use: often_to_wire(*often).into(),
        hidden: *hidden,
        taken_by_team_ids: team_ids(taken_by),
    }
}

/// A bonus of a request. Whether it can lie on the ring is checked with the ring: [`BonusPlan::check`].
pub fn plan(bonus: &wire::Bonus, fields: &mut Fields) -> Option<BonusPlan> {
    let wire::Bonus { bonus_id: _, place, effect: told, r#use, hidden, taken_by_team_ids: _ } = bonus;
    let told = told.as_ref().and_then(|told| told.effect.as_ref());
    let effect = fields
        .needed("effect", told)
        .and_then(|told| fields.within("effect", |fields| effect_of_request(told, fields)));
    let often = often(*r#use, fields, "use");
    Some(BonusPlan { place: Place(*place), effect: effect?, often: often?, hidden: *hidden })
}

fn effect_of_request(told: &Effect, fields: &mut Fields) -> Option<BonusEffect> {
    let mut only_true = |field: &str, told: bool, effect| {
        if !told {
            fields.wrong(field, "must be true");
        }
        told.then_some(effect)
    };
    match told {
        Effect::Dollars(dollars) => Some(BonusEffect::Dollars(*dollars)),
        Effect::Points(points) => Some(BonusEffect::Points(*points)),
        Effect::Module(kind) => car::kind(*kind, fields, "module").map(BonusEffect::Module),
        Effect::Advance(squares) => Some(BonusEffect::Advance(*squares)),
        Effect::GoBack(squares) => Some(BonusEffect::Back(*squares)),
        Effect::MissTurn(told) => only_true("miss_turn", *told, BonusEffect::MissTurn),
        Effect::ClearTurnsToMiss(told) => only_true("clear_turns_to_miss", *told, BonusEffect::ClearMisses),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::contract::Kind;
    use gm_core::ids::TeamId;

    /// R-12.1: every plan comes back from its message.
    #[test]
    fn r_12_1_plans_come_back() {
        let effects = [
            BonusEffect::Dollars(5),
            BonusEffect::Points(6),
            BonusEffect::Module(Kind::Pilot),
            BonusEffect::Advance(7),
            BonusEffect::Back(8),
            BonusEffect::MissTurn,
            BonusEffect::ClearMisses,
        ];
        for effect in effects {
            for often in [Often::Once, Often::OncePerTeam, Often::Always] {
                for hidden in [false, true] {
                    let plan_of = BonusPlan { place: Place(9), effect, often, hidden };
                    let mut fields = Fields::default();
                    assert_eq!(plan(&placed(None, &plan_of), &mut fields), Some(plan_of));
                    assert!(fields.are_right());
                }
            }
        }
    }

    #[track_caller]
    fn check(effect: Option<Effect>, r#use: i32, expected: &[&str]) {
        let effect = effect.map(|effect| wire::BonusEffect { effect: Some(effect) });
        let bonus = wire::Bonus { place: 3, effect, r#use, ..Default::default() };
        let mut fields = Fields::default();
        assert_eq!(plan(&bonus, &mut fields), None);
        let wrong: Vec<String> = fields.into_violations().into_iter().map(|wrong| wrong.field).collect();
        assert_eq!(wrong, expected);
    }

    #[test]
    fn what_is_wrong_is_named() {
        check(None, 1, &["effect"]);
        check(None, 0, &["effect", "use"]);
        check(Some(Effect::Points(3)), 4, &["use"]);
        check(Some(Effect::Module(0)), 1, &["effect.module"]);
        check(Some(Effect::MissTurn(false)), 1, &["effect.miss_turn"]);
        check(Some(Effect::ClearTurnsToMiss(false)), 1, &["effect.clear_turns_to_miss"]);
        let bare =
            wire::Bonus { effect: Some(wire::BonusEffect { effect: None }), r#use: 1, ..Default::default() };
        let mut fields = Fields::default();
        assert_eq!(plan(&bare, &mut fields), None);
        assert!(!fields.are_right(), "an effect that does nothing");
    }

    #[test]
    fn bonuses_on_the_ring() {
        let view = BonusView {
            id: BonusId(4),
            place: Place(9),
            effect: BonusEffect::Module(Kind::Engine),
            often: Often::OncePerTeam,
            hidden: true,
            taken_by: vec![TeamId(1), TeamId(3)],
        };
        let expected = wire::Bonus {
            bonus_id: 4,
            place: 9,
            effect: Some(wire::BonusEffect { effect: Some(Effect::Module(1)) }),
            r#use: wire::BonusUse::OncePerTeam.into(),
            hidden: true,
            taken_by_team_ids: vec![1, 3],
        };
        assert_eq!(bonus(&view), expected);
    }
}
