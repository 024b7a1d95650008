//! Asks every endpoint of a car now that changes nothing, and shows each exchange.

use super::Admin;
use crate::api::auth::Caller;
use crate::api::convert::log;
use crate::api::error::ApiError;
use crate::api::stream::Told;
use crate::api::{the_race, wire};
use crate::control::Refused;
use crate::trial::{Looked, look_at};
use futures_util::StreamExt as _;
use gm_core::ids::CarId;
use gm_core::race::command::Refusal;

impl Admin {
    pub(super) async fn inspect_car(
        &self,
        caller: Caller,
        request: wire::InspectCarRequest,
    ) -> Result<Told<wire::InspectCarResponse>, ApiError> {
        let race = the_race(&request.race_id)?;
        let handle = self.api.own(&race).await?;
        let car = CarId(request.car_id);
        let no_car = || ApiError::from(Refused::from(Refusal::NoSuchCar(car)));
        let team = handle.state().race.cars.get(&car).map(|car| car.team).ok_or_else(no_car)?;
        let permit = self.api.0.looks.take(&race, team)?;
        let world = self.api.world(&race)?;
        let steps = look_at(&world, permit, handle.known(), car).map_err(|_| no_car())?;
        Ok(self.api.ending(caller, "InspectCar", steps.map(|looked| Ok(wire_looked(looked)))))
    }
}

fn wire_looked(looked: Looked) -> wire::InspectCarResponse {
    wire::InspectCarResponse {
        contract_no: looked.number().to_owned(),
        exchange: Some(log::exchange(&looked.asked)),
        expected: looked.expected.unwrap_or_default(),
        found: looked.found,
        wrong: looked.wrong,
        moving: looked.moving,
    }
}
