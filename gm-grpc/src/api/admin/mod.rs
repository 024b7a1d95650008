//! AdminService: what the organisers of a race may do.
//!
//! One file for each resource; here is the service as tonic wants it, and nothing else.
//!
//! - `races`: their life; `teams`: their secrets and budgets; `cars`: registration and retirement.
//! - `ring`: encounters, odds and bonuses; `jury`: corrections, complaints, achievements.
//! - `tokens`: who else is an admin or an observer; `inspection`: asks a car now; `carry`: exports and imports.

mod carry;
pub(super) mod cars;
mod inspection;
pub(super) mod jury;
mod races;
mod ring;
pub(super) mod teams;
mod tokens;

use super::auth::Caller;
use super::error::ApiError;
use super::field::Fields;
use super::once::RequestId;
use super::stream::{Answers, over_grpc};
use super::wire::{self, admin_service_server};
use super::{Api, race_id};
use crate::control::RaceHandle;
use tonic::{Request, Response, Status, Streaming};

/// The service for admins. That who asks is one, [`auth`](super::auth) has seen to.
#[derive(Clone)]
pub struct Admin {
    api: Api,
}

impl Admin {
    /// The service over what all share.
    #[must_use]
    pub fn new(api: Api) -> Admin {
        Admin { api }
    }

    /// The race, the id of the request, and what is asked, if nothing is wrong with them.
    async fn asked<T>(
        &self,
        race: &str,
        id: &str,
        asked: Option<T>,
        mut fields: Fields,
    ) -> Result<(RaceHandle, RequestId, T), ApiError> {
        let id = RequestId::of_admin(id, &mut fields);
        let race = race_id(race, &mut fields);
        let ((id, race), asked) = fields.finish(id.zip(race).zip(asked))?;
        Ok((self.api.own(&race).await?, id, asked))
    }
}

/// Who asks.
pub(super) fn caller<T>(request: &Request<T>) -> Caller {
    Caller::of(request.extensions())
}

#[tonic::async_trait]
impl admin_service_server::AdminService for Admin {
    async fn create_race(
        &self,
        request: Request<wire::CreateRaceRequest>,
    ) -> Result<Response<wire::CreateRaceResponse>, Status> {
        Ok(Response::new(self.create_race(request.into_inner()).await?))
    }

    async fn get_race(
        &self,
        request: Request<wire::GetRaceRequest>,
    ) -> Result<Response<wire::GetRaceResponse>, Status> {
        Ok(Response::new(self.get_race(request.into_inner()).await?))
    }

    async fn list_races(
        &self,
        request: Request<wire::AdminServiceListRacesRequest>,
    ) -> Result<Response<wire::AdminServiceListRacesResponse>, Status> {
        Ok(Response::new(self.list_races(request.into_inner()).await?))
    }

    async fn start_race(
        &self,
        request: Request<wire::StartRaceRequest>,
    ) -> Result<Response<wire::StartRaceResponse>, Status> {
        Ok(Response::new(self.start_race(request.into_inner()).await?))
    }

    async fn pause_race(
        &self,
        request: Request<wire::PauseRaceRequest>,
    ) -> Result<Response<wire::PauseRaceResponse>, Status> {
        Ok(Response::new(self.pause_race(request.into_inner()).await?))
    }

    async fn resume_race(
        &self,
        request: Request<wire::ResumeRaceRequest>,
    ) -> Result<Response<wire::ResumeRaceResponse>, Status> {
        Ok(Response::new(self.resume_race(request.into_inner()).await?))
    }

    async fn step_turn(
        &self,
        request: Request<wire::StepTurnRequest>,
    ) -> Result<Response<wire::StepTurnResponse>, Status> {
        Ok(Response::new(self.step_turn(request.into_inner()).await?))
    }

    async fn set_clock(
        &self,
        request: Request<wire::SetClockRequest>,
    ) -> Result<Response<wire::SetClockResponse>, Status> {
        Ok(Response::new(self.set_clock(request.into_inner()).await?))
    }

    async fn finish_race(
        &self,
        request: Request<wire::FinishRaceRequest>,
    ) -> Result<Response<wire::FinishRaceResponse>, Status> {
        Ok(Response::new(self.finish_race(request.into_inner()).await?))
    }

    async fn create_team(
        &self,
        request: Request<wire::CreateTeamRequest>,
    ) -> Result<Response<wire::CreateTeamResponse>, Status> {
        Ok(Response::new(self.create_team(request.into_inner()).await?))
    }

    async fn list_teams(
        &self,
        request: Request<wire::ListTeamsRequest>,
    ) -> Result<Response<wire::ListTeamsResponse>, Status> {
        Ok(Response::new(self.list_teams(request.into_inner()).await?))
    }

    async fn rotate_team_secret(
        &self,
        request: Request<wire::RotateTeamSecretRequest>,
    ) -> Result<Response<wire::RotateTeamSecretResponse>, Status> {
        Ok(Response::new(self.rotate_team_secret(request.into_inner()).await?))
    }

    async fn grant_budget(
        &self,
        request: Request<wire::GrantBudgetRequest>,
    ) -> Result<Response<wire::GrantBudgetResponse>, Status> {
        Ok(Response::new(self.grant_budget(request.into_inner()).await?))
    }

    async fn set_inspector(
        &self,
        request: Request<wire::SetInspectorRequest>,
    ) -> Result<Response<wire::SetInspectorResponse>, Status> {
        Ok(Response::new(self.set_inspector(request.into_inner()).await?))
    }

    async fn register_car(
        &self,
        request: Request<wire::AdminServiceRegisterCarRequest>,
    ) -> Result<Response<wire::AdminServiceRegisterCarResponse>, Status> {
        Ok(Response::new(self.register_car(request.into_inner()).await?))
    }

    async fn retire_car(
        &self,
        request: Request<wire::RetireCarRequest>,
    ) -> Result<Response<wire::RetireCarResponse>, Status> {
        Ok(Response::new(self.retire_car(request.into_inner()).await?))
    }

    async fn declare_encounter(
        &self,
        request: Request<wire::DeclareEncounterRequest>,
    ) -> Result<Response<wire::DeclareEncounterResponse>, Status> {
        Ok(Response::new(self.declare_encounter(request.into_inner()).await?))
    }

    async fn set_encounter_odds(
        &self,
        request: Request<wire::SetEncounterOddsRequest>,
    ) -> Result<Response<wire::SetEncounterOddsResponse>, Status> {
        Ok(Response::new(self.set_encounter_odds(request.into_inner()).await?))
    }

    async fn place_bonus(
        &self,
        request: Request<wire::PlaceBonusRequest>,
    ) -> Result<Response<wire::PlaceBonusResponse>, Status> {
        Ok(Response::new(self.place_bonus(request.into_inner()).await?))
    }

    async fn remove_bonus(
        &self,
        request: Request<wire::RemoveBonusRequest>,
    ) -> Result<Response<wire::RemoveBonusResponse>, Status> {
        Ok(Response::new(self.remove_bonus(request.into_inner()).await?))
    }

    async fn adjudicate(
        &self,
        request: Request<wire::AdjudicateRequest>,
    ) -> Result<Response<wire::AdjudicateResponse>, Status> {
        Ok(Response::new(self.adjudicate(request.into_inner()).await?))
    }

    async fn list_complaints(
        &self,
        request: Request<wire::ListComplaintsRequest>,
    ) -> Result<Response<wire::ListComplaintsResponse>, Status> {
        Ok(Response::new(self.list_complaints(request.into_inner()).await?))
    }

    async fn answer_complaint(
        &self,
        request: Request<wire::AnswerComplaintRequest>,
    ) -> Result<Response<wire::AnswerComplaintResponse>, Status> {
        Ok(Response::new(self.answer_complaint(request.into_inner()).await?))
    }

    async fn award_achievement(
        &self,
        request: Request<wire::AwardAchievementRequest>,
    ) -> Result<Response<wire::AwardAchievementResponse>, Status> {
        Ok(Response::new(self.award_achievement(request.into_inner()).await?))
    }

    async fn publish_hint(
        &self,
        request: Request<wire::PublishHintRequest>,
    ) -> Result<Response<wire::PublishHintResponse>, Status> {
        Ok(Response::new(self.publish_hint(request.into_inner()).await?))
    }

    async fn reveal_achievement(
        &self,
        request: Request<wire::RevealAchievementRequest>,
    ) -> Result<Response<wire::RevealAchievementResponse>, Status> {
        Ok(Response::new(self.reveal_achievement(request.into_inner()).await?))
    }

    async fn create_token(
        &self,
        request: Request<wire::CreateTokenRequest>,
    ) -> Result<Response<wire::CreateTokenResponse>, Status> {
        Ok(Response::new(self.create_token(request.into_inner()).await?))
    }

    async fn list_tokens(
        &self,
        request: Request<wire::ListTokensRequest>,
    ) -> Result<Response<wire::ListTokensResponse>, Status> {
        Ok(Response::new(self.list_tokens(request.into_inner()).await?))
    }

    async fn revoke_token(
        &self,
        request: Request<wire::RevokeTokenRequest>,
    ) -> Result<Response<wire::RevokeTokenResponse>, Status> {
        Ok(Response::new(self.revoke_token(request.into_inner()).await?))
    }

    type InspectCarStream = Answers<wire::InspectCarResponse>;

    async fn inspect_car(
        &self,
        request: Request<wire::InspectCarRequest>,
    ) -> Result<Response<Self::InspectCarStream>, Status> {
        Ok(Response::new(over_grpc(self.inspect_car(caller(&request), request.into_inner()).await?)))
    }

    type ExportRaceStream = Answers<wire::ExportRaceResponse>;

    async fn export_race(
        &self,
        request: Request<wire::ExportRaceRequest>,
    ) -> Result<Response<Self::ExportRaceStream>, Status> {
        Ok(Response::new(over_grpc(self.export_race(caller(&request), request.into_inner()).await?)))
    }

    async fn import_race(
        &self,
        request: Request<Streaming<wire::ImportRaceRequest>>,
    ) -> Result<Response<wire::ImportRaceResponse>, Status> {
        Ok(Response::new(self.import_race(request.into_inner()).await?))
    }
}
