//! Achievements (R-9).
//!
//! ```
//! use gm_core::race::event::Achievement;
//! use gm_grpc::api::{convert::achievement, field::Fields};
//! let mut fields = Fields::default();
//! assert_eq!(achievement::named("mad_max", &mut fields, "achievement_id"), Some(Achievement::MadMax));
//! ```

use super::team_ids;
use crate::api::field::Fields;
use crate::api::wire;
use gm_core::race::event::Achievement;
use gm_core::race::view::{AchievementView, RaceView};

/// The achievements that are shown, and the hints to those that are not (R-9.1).
#[must_use]
pub fn achievements(view: &RaceView) -> Vec<wire::Achievement> {
    view.achievements.iter().map(achievement).collect()
}

fn achievement(view: &AchievementView) -> wire::Achievement {
    let AchievementView { achievement, hint, teams } = view;
    wire::Achievement {
        achievement_id: achievement.map(|known| known.id().to_owned()).unwrap_or_default(),
        title: achievement.map(|known| known.title().to_owned()).unwrap_or_default(),
        hint: hint.clone().unwrap_or_default(),
        team_ids: team_ids(teams),
    }
}

/// An achievement by its id in the table of R-9; none, and noted under `field` with all ids, if there is no such.
pub fn named(id: &str, fields: &mut Fields, field: &str) -> Option<Achievement> {
    let found = Achievement::ALL.into_iter().find(|achievement| achievement.id() == id);
    if found.is_none() {
        let ids = Achievement::ALL.map(Achievement::id).join(", ");
        fields.wrong(field, format!("must be one of {ids}"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::ids::TeamId;

    /// R-9.1: a bare hint does not say what it is about.
    #[test]
    fn r_9_1_shown_and_hidden() {
        let shown = AchievementView {
            achievement: Some(Achievement::MadMax),
            hint: Some("arr".to_owned()),
            teams: vec![TeamId(2)],
        };
        let expected = wire::Achievement {
            achievement_id: "mad_max".to_owned(),
            title: "Mad Max".to_owned(),
            hint: "arr".to_owned(),
            team_ids: vec![2],
        };
        assert_eq!(achievement(&shown), expected);
        let hidden = AchievementView { achievement: None, hint: Some("hiss".to_owned()), teams: vec![] };
        let expected = wire::Achievement { hint: "hiss".to_owned(), ..Default::default() };
        assert_eq!(achievement(&hidden), expected);
    }

    #[test]
    fn achievements_by_their_ids() {
        for achievement in Achievement::ALL {
            let mut fields = Fields::default();
            assert_eq!(named(achievement.id(), &mut fields, "id"), Some(achievement));
            assert!(fields.are_right());
        }
        for id in ["", "Mad_Max", "mad max", "mad_max "] {
            let mut fields = Fields::default();
            assert_eq!(named(id, &mut fields, "achievement_id"), None);
            let wrong = fields.into_violations();
            assert_eq!((wrong.len(), wrong[0].field.as_str()), (1, "achievement_id"));
            assert!(wrong[0].description.contains("mad_max, pacifist"), "{}", wrong[0].description);
        }
    }
}
