//! `gm run` is told to end in the middle of a turn, and the race goes on later as if it had not been.
