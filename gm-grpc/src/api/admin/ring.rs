//! What lies on the ring, and what is met there: encounters and their odds, bonuses.

use super::Admin;
use crate::api::convert::{bonus, car, rules};
use crate::api::error::ApiError;
use crate::api::field::Fields;
use crate::api::wire;
use gm_core::race::command::Command;
use gm_core::race::state::BonusId;

impl Admin {
    pub(super) async fn declare_encounter(
        &self,
        request: wire::DeclareEncounterRequest,
    ) -> Result<wire::DeclareEncounterResponse, ApiError> {
        let mut fields = Fields::default();
        let encounter = car::encounter(request.encounter, &mut fields, "encounter");
        let cars = car::car_ids(request.car_ids, &mut fields, "car_ids");
        let cars = (!cars.is_empty()).then_some(cars);
        let command = encounter.map(|encounter| Command::Declare { encounter, cars });
        let turn = self.between_turns(&request.race_id, &request.request_id, command, fields).await?;
        Ok(wire::DeclareEncounterResponse { turn })
    }

    pub(super) async fn set_encounter_odds(
        &self,
        request: wire::SetEncounterOddsRequest,
    ) -> Result<wire::SetEncounterOddsResponse, ApiError> {
        let mut fields = Fields::default();
        let command = rules::odds(request.odds.as_ref(), &mut fields, "odds").map(Command::SetOdds);
        let turn = self.between_turns(&request.race_id, &request.request_id, command, fields).await?;
        Ok(wire::SetEncounterOddsResponse { turn })
    }

    pub(super) async fn place_bonus(
        &self,
        request: wire::PlaceBonusRequest,
    ) -> Result<wire::PlaceBonusResponse, ApiError> {
        let mut fields = Fields::default();
        let bonus = fields.needed("bonus", request.bonus.as_ref());
        let plan = bonus.and_then(|wire| fields.within("bonus", |fields| bonus::plan(wire, fields)));
        let command = plan.map(Command::PlaceBonus);
        let turn = self.between_turns(&request.race_id, &request.request_id, command, fields).await?;
        Ok(wire::PlaceBonusResponse { turn })
    }

    pub(super) async fn remove_bonus(
        &self,
        request: wire::RemoveBonusRequest,
    ) -> Result<wire::RemoveBonusResponse, ApiError> {
        let mut fields = Fields::default();
        let bonus = BonusId(fields.number("bonus_id", request.bonus_id, 1..=u32::MAX));
        let command = Some(Command::RemoveBonus(bonus));
        let turn = self.between_turns(&request.race_id, &request.request_id, command, fields).await?;
        Ok(wire::RemoveBonusResponse { turn })
    }

    /// Orders what takes effect between two turns. Gives the turn from which on it holds.
    async fn between_turns(
        &self,
        race: &str,
        id: &str,
        command: Option<Command>,
        fields: Fields,
    ) -> Result<u32, ApiError> {
        let (handle, id, command) = self.asked(race, id, command, fields).await?;
        Ok(self.api.order(&handle, command, &id).await?.turn.0)
    }
}
