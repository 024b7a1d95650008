//! The recorded exchanges of one decision, each given back once.

use super::stop::{Divergence, Place};
use crate::journal::{Exchange, Port};
use gm_core::ids::{CarId, TeamId, TurnNo};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whose an exchange is: in which turn, in whose log, with which car.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whose {
    /// The turn.
    pub turn: TurnNo,
    /// In whose log it stands; none: in nobody's.
    pub team: Option<TeamId>,
    /// The car; none if it is not registered yet, or there is none.
    pub car: Option<CarId>,
}

impl Whose {
    fn of(exchange: &Exchange) -> Whose {
        let Exchange { turn, team, car, .. } = exchange;
        Whose { turn: *turn, team: *team, car: *car }
    }
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn {}", self.turn)?;
        match self.team {
            Some(team) => write!(f, ", team {team}")?,
            None => f.write_str(", no team")?,
        }
        match self.car {
            Some(car) => write!(f, ", car {car}"),
            None => f.write_str(", no car"),
        }
    }
}

/// The record of one decision.
#[derive(Debug, Default)]
pub struct Record(Mutex<BTreeMap<Place, Exchange>>);

impl Record {
    /// The record that these exchanges make.
    ///
    /// # Errors
    /// [`Divergence`] if two are recorded at the same place.
    pub fn of(exchanges: impl IntoIterator<Item = Exchange>) -> Result<Record, Box<Divergence>> {
        let mut by_place = BTreeMap::new();
        for exchange in exchanges {
            let Exchange { chain, port, number, .. } = &exchange;
            let place = Place { chain: chain.clone(), port: *port, number: *number };
            if let Some(first) = by_place.insert(place.clone(), exchange) {
                return Err(Box::new(Divergence {
                    place,
                    recorded: format!("{}\ntwice", first.request),
                    asked: None,
                }));
            }
        }
        Ok(Record(Mutex::new(by_place)))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Place, Exchange>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what is recorded at a place, if anything is.
    ///
    /// # Errors
    /// [`Divergence`] if something else was asked there, or it stands there as another's.
    pub fn take(
        &self,
        place: &Place,
        asked: &str,
        whose: Whose,
    ) -> Result<Option<Exchange>, Box<Divergence>> {
        let mut record = self.lock();
        let Some(recorded) = record.get(place) else { return Ok(None) };
        let diverged = |recorded, asked| {
            Err(Box::new(Divergence { place: place.clone(), recorded, asked: Some(asked) }))
        };
        let is_of = Whose::of(recorded);
        if recorded.request != asked {
            diverged(recorded.request.clone(), asked.to_owned())
        } else if is_of != whose {
            diverged(format!("{asked}\nof {is_of}"), format!("{asked}\nof {whose}"))
        } else {
            Ok(record.remove(place))
        }
    }

    /// Whether anything is recorded at a place, and was not taken yet.
    pub fn has(&self, place: &Place) -> bool {
        self.lock().contains_key(place)
    }

    /// Whether anything is recorded in a chain at a port, and was not taken yet.
    pub fn has_any(&self, chain: &str, port: Port) -> bool {
        self.lock().keys().any(|place| place.port == port && place.chain == chain)
    }

    /// What was recorded and never asked for.
    pub fn left(&self) -> Option<Box<Divergence>> {
        let record = self.lock();
        let (place, exchange) = record.first_key_value()?;
        Some(Box::new(Divergence { place: place.clone(), recorded: exchange.request.clone(), asked: None }))
    }
}
