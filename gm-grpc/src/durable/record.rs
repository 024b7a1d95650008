//! The recorded exchanges of one decision, each given back once.

use super::stop::{Divergence, Place};
use crate::journal::{Exchange, Port};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The record of one decision.
#[derive(Debug, Default)]
pub struct Record(Mutex<BTreeMap<Place, Exchange>>);

impl Record {
    /// The record that these exchanges make.
    pub fn of(exchanges: impl IntoIterator<Item = Exchange>) -> Record {
        let by_place = exchanges.into_iter().map(|exchange| {
            let Exchange { chain, port, number, .. } = &exchange;
            (Place { chain: chain.clone(), port: *port, number: *number }, exchange)
        });
        Record(Mutex::new(by_place.collect()))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Place, Exchange>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what is recorded at a place, if anything is.
    ///
    /// # Errors
    /// [`Divergence`] if something else was asked there.
    pub fn take(&self, place: &Place, asked: &str) -> Result<Option<Exchange>, Box<Divergence>> {
        let mut record = self.lock();
        match record.get(place) {
            None => Ok(None),
            Some(recorded) if recorded.request != asked => Err(Box::new(Divergence {
                place: place.clone(),
                recorded: recorded.request.clone(),
                asked: Some(asked.to_owned()),
            })),
            Some(_) => Ok(record.remove(place)),
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
