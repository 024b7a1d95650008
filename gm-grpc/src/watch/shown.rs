//! An event and a race, as a viewer is told of them (R-11).
//!
//! ```text
//! journal      … 41 CarMoved   42 BonusPlaced (hidden)   43 CarMoved …
//! spectators   … 38 CarMoved                             39 CarMoved …
//! ```
//!
//! Neither holds a number of the journal, so none can get to somebody who could count what is hidden from them.

use super::kind::{Kind, cars_of, kind_of};
use crate::journal::Numbered;
use gm_core::ids::{CarId, TurnNo};
use gm_core::race::Race;
use gm_core::race::view::{RaceView, Seen, Viewer, seen, view};

/// An event as a viewer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its number in what this viewer sees, from 1 without a gap.
    pub sequence: u64,
    /// The turn in which it happened; between two turns, the one before.
    pub turn: TurnNo,
    /// What it is about.
    pub kind: Kind,
    /// The cars that it names.
    pub cars: Vec<CarId>,
    /// What the viewer sees of it.
    pub event: Seen,
}

impl Shown {
    /// An event as `viewer` sees it; none if it is not for them. `before` is the race before it, none if it is the first.
    pub(super) fn to(
        viewer: Viewer,
        before: Option<&Race>,
        numbered: &Numbered,
        sequence: u64,
    ) -> Option<Shown> {
        let Numbered { sequence: _, turn, event } = numbered;
        let seen = match before {
            Some(before) => seen(before, event, viewer),
            // There is no race before the first event; what is seen of that one depends on none.
            None => Race::from_events([event]).and_then(|race| seen(&race, event, viewer)),
        };
        seen.map(|seen| Shown {
            sequence,
            turn: *turn,
            kind: kind_of(event),
            cars: cars_of(event),
            event: seen,
        })
    }
}

/// A race as a viewer sees it, between two decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The number of the last event in it, as this viewer counts: the next one that is new has the next number.
    pub sequence: u64,
    /// The race; its life and its turn are in there.
    pub race: RaceView,
}

impl Snapshot {
    pub(super) fn of(race: &Race, viewer: Viewer, sequence: u64) -> Snapshot {
        Snapshot { sequence, race: view(race, viewer) }
    }
}
