//! The small words of the race: ids, squares, turns, money, points.
//!
//! Each is a type of its own, so that a square can't be paid with and a team can't be moved.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! word {
    ($(#[$doc:meta])* $name:ident($inner:ty), $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

word!(
    /// A team's id: a small positive number, unique in the race.
    TeamId(u32), ""
);
word!(
    /// A car's id: assigned at registration, ascending in the race from 1.
    CarId(u32), ""
);
word!(
    /// A turn's number: the first turn of a race is 1; 0 stands for "before the first".
    TurnNo(u32), ""
);
word!(
    /// Whole squares travelled since a car's start. Counts on past the length of the ring.
    Square(u32), ""
);
word!(
    /// Whole dollars, never negative.
    Dollars(u64), "$"
);
word!(
    /// Victory points. The jury may take points away, so a sum can be below zero.
    Points(i64), ""
);
word!(
    /// The number of a command, in order of arrival in the race, from 1.
    CommandNo(u32), ""
);
word!(
    /// A length of time in whole seconds.
    Seconds(u32), ""
);

impl TurnNo {
    /// The turn after this one.
    #[must_use]
    pub fn next(self) -> TurnNo {
        TurnNo(self.0.saturating_add(1))
    }
}

impl Square {
    /// The place on a ring of `track_length` squares.
    #[must_use]
    pub fn place(self, track_length: u32) -> Place {
        Place(self.0 % track_length.max(1))
    }

    /// The square `squares` further on.
    #[must_use]
    pub fn forward(self, squares: u32) -> Square {
        Square(self.0.saturating_add(squares))
    }

    /// The square `squares` back, not below 0.
    #[must_use]
    pub fn back(self, squares: u32) -> Square {
        Square(self.0.saturating_sub(squares))
    }
}

word!(
    /// A place on the ring, from 0 to the track's length − 1.
    Place(u32), ""
);

impl Place {
    /// The distance to another place, the shorter way round a ring of `track_length` squares.
    #[must_use]
    pub fn distance(self, other: Place, track_length: u32) -> u32 {
        let apart = self.0.abs_diff(other.0);
        apart.min(track_length.saturating_sub(apart))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// the place is `square mod track_length`: distance on the ring goes the shorter way.
    #[test]
    fn r_1_4_the_ring() {
        for (square, place) in [(0, 0), (299, 299), (300, 0), (301, 1), (905, 5)] {
            assert_eq!(Square(square).place(300), Place(place), "square {square}");
        }
        for (a, b, distance) in
            [(0, 0, 0), (0, 299, 1), (299, 0, 1), (10, 160, 150), (10, 161, 149), (5, 2, 3)]
        {
            assert_eq!(Place(a).distance(Place(b), 300), distance, "{a} to {b}");
        }
    }

    #[test]
    fn squares_never_go_below_zero() {
        assert_eq!(Square(0).back(1), Square(0));
        assert_eq!(Square(5).back(2), Square(3));
        assert_eq!(Square(u32::MAX).forward(1), Square(u32::MAX));
    }
}
