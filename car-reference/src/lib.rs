//! A reference car.
