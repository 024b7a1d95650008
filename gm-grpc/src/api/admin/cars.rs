//! Cars: registered for a team, and retired.

use super::Admin;
use super::teams::Unanswered;
use crate::api::convert;
use crate::api::error::ApiError;
use crate::api::field::Fields;
use crate::api::once::RequestId;
use crate::api::{Api, race_id, wire};
use crate::control::RaceHandle;
use gm_core::contract::BaseUrl;
use gm_core::ids::{CarId, TeamId};
use gm_core::race::command::{Application, CarCorrection, Command, LONGEST_INSTANCE, NewStanding};
use gm_core::race::view::{Viewer, view};
use gm_core::race::{Event, Race};

impl Admin {
    pub(super) async fn register_car(
        &self,
        request: wire::AdminServiceRegisterCarRequest,
    ) -> Result<wire::AdminServiceRegisterCarResponse, ApiError> {
        let mut fields = Fields::default();
        let id = RequestId::of_admin(&request.request_id, &mut fields);
        let race = race_id(&request.race_id, &mut fields);
        let application = application(TeamId(request.team_id), request.instance, &request.url, &mut fields);
        let ((id, race), application) = fields.finish(id.zip(race).zip(application))?;
        let registered = register(&self.api, &self.api.own(&race).await?, application, &id).await?;
        Ok(wire::AdminServiceRegisterCarResponse { car: registered.car, reasons: registered.reasons })
    }

    pub(super) async fn retire_car(
        &self,
        request: wire::RetireCarRequest,
    ) -> Result<wire::RetireCarResponse, ApiError> {
        let mut fields = Fields::default();
        let id = RequestId::of_admin(&request.request_id, &mut fields);
        let race = race_id(&request.race_id, &mut fields);
        fields.text("reason", &request.reason);
        let (id, race) = fields.finish(id.zip(race))?;
        let handle = self.api.own(&race).await?;
        let car = CarId(request.car_id);
        let retired = CarCorrection {
            car,
            reason: request.reason,
            square: None,
            turns_to_miss: None,
            modules: None,
            standing: Some(NewStanding::Retired),
        };
        self.api.order(&handle, Command::CorrectCar(retired), &id).await?;
        Ok(wire::RetireCarResponse { car: own_car(&handle.state().race, car) })
    }
}

/// What came of a registration.
pub(crate) struct Registered {
    /// The car, if it was accepted.
    pub(crate) car: Option<wire::OwnCar>,
    /// Every reason for which it was refused.
    pub(crate) reasons: Vec<String>,
}

/// A registration as it is asked for.
pub(crate) fn application(
    team: TeamId,
    instance: String,
    url: &str,
    fields: &mut Fields,
) -> Option<Application> {
    fields.name("instance", &instance, LONGEST_INSTANCE);
    let url = match url {
        "" => None,
        url => Some(fields.parsed("url", BaseUrl::parse(url))?),
    };
    Some(Application { team, instance, url })
}

/// Registers a car, by the one path that teams and admins take.
pub(crate) async fn register(
    api: &Api,
    race: &RaceHandle,
    application: Application,
    id: &RequestId,
) -> Result<Registered, ApiError> {
    match api.order(race, Command::Register(application), id).await?.told {
        Some(Event::CarRegistered { car, .. }) => {
            Ok(Registered { car: own_car(&race.state().race, car), reasons: Vec::new() })
        }
        Some(Event::RegistrationRefused { reasons, .. }) => {
            Ok(Registered { car: None, reasons: reasons.iter().map(ToString::to_string).collect() })
        }
        _ => Err(ApiError::internal(&Unanswered)),
    }
}

/// A car as its own team and the admin see it.
pub(crate) fn own_car(race: &Race, car: CarId) -> Option<wire::OwnCar> {
    view(race, Viewer::Admin).cars.iter().find(|of| of.id == car).and_then(convert::car::own)
}
