//! The life of races: made, started, paused, stepped, finished.

use super::Admin;
use crate::api::convert::{self, rules};
use crate::api::error::ApiError;
use crate::api::field::Fields;
use crate::api::once::{Made, RequestId};
use crate::api::{race_id, the_race, wire};
use crate::journal::{NewRace, Origin, RaceId, Visible};
use gm_core::ids::TurnNo;
use gm_core::race::REVISION;
use gm_core::race::command::Command;
use gm_core::race::view::Viewer;
use gm_core::random::Seed;
use std::time::Duration;

/// The most characters of a race's title.
pub(super) const LONGEST_TITLE: usize = 100;
/// The longest from the start of a turn to the start of the next, in seconds.
const LONGEST_INTERVAL: u32 = 86_400;
/// The list of all races, for its pages.
const RACES: &str = "races";

impl Admin {
    pub(super) async fn create_race(
        &self,
        request: wire::CreateRaceRequest,
    ) -> Result<wire::CreateRaceResponse, ApiError> {
        let mut fields = Fields::default();
        let id = RequestId::of_admin(&request.request_id, &mut fields);
        let plan = fields.within("rules", |fields| rules::from_wire(request.rules.as_ref(), fields));
        fields.name("title", &request.title, LONGEST_TITLE);
        let (id, plan) = fields.finish(id.zip(plan))?;
        let race = RaceId::random();
        let new = NewRace {
            id: race.clone(),
            name: request.title.clone(),
            seed: Seed(request.seed.unwrap_or_else(rand::random)),
            revision: REVISION,
            origin: Origin::Here,
            plan: None,
            secrets: Default::default(),
            pace: plan.pace,
            private: request.private,
        };
        let answer = race.as_str().as_bytes().to_vec();
        let made = self.api.once("CreateRace", &id, &request, answer, async |call| {
            Ok(self.api.0.races.create_once(new, plan.rules, Some(&call)).await?)
        });
        let race = match made.await? {
            Made::Now(_) => race,
            Made::Before(race) => named(race)?,
        };
        let (race, seed) = self.race(&race).await?;
        Ok(wire::CreateRaceResponse { race: Some(race), seed })
    }

    pub(super) async fn get_race(
        &self,
        request: wire::GetRaceRequest,
    ) -> Result<wire::GetRaceResponse, ApiError> {
        let (race, seed) = self.race(&the_race(&request.race_id)?).await?;
        Ok(wire::GetRaceResponse { race: Some(race), seed })
    }

    pub(super) async fn list_races(
        &self,
        request: wire::AdminServiceListRacesRequest,
    ) -> Result<wire::AdminServiceListRacesResponse, ApiError> {
        let (size, token) = (request.page_size, &request.page_token);
        let (shown, next_page_token) = self.api.races_page(RACES, size, token, Visible::All).await?;
        let mut races = Vec::with_capacity(shown.len());
        for record in shown {
            races.push(self.race(&record.id).await?.0);
        }
        Ok(wire::AdminServiceListRacesResponse { races, next_page_token })
    }

    pub(super) async fn start_race(
        &self,
        request: wire::StartRaceRequest,
    ) -> Result<wire::StartRaceResponse, ApiError> {
        let race = self.life(&request.race_id, &request.request_id, Command::Start).await?;
        Ok(wire::StartRaceResponse { race: Some(race) })
    }

    pub(super) async fn pause_race(
        &self,
        request: wire::PauseRaceRequest,
    ) -> Result<wire::PauseRaceResponse, ApiError> {
        let race = self.life(&request.race_id, &request.request_id, Command::Pause).await?;
        Ok(wire::PauseRaceResponse { race: Some(race) })
    }

    pub(super) async fn resume_race(
        &self,
        request: wire::ResumeRaceRequest,
    ) -> Result<wire::ResumeRaceResponse, ApiError> {
        let race = self.life(&request.race_id, &request.request_id, Command::Resume).await?;
        Ok(wire::ResumeRaceResponse { race: Some(race) })
    }

    pub(super) async fn finish_race(
        &self,
        request: wire::FinishRaceRequest,
    ) -> Result<wire::FinishRaceResponse, ApiError> {
        let race = self.life(&request.race_id, &request.request_id, Command::Finish).await?;
        Ok(wire::FinishRaceResponse { race: Some(race) })
    }

    pub(super) async fn step_turn(
        &self,
        request: wire::StepTurnRequest,
    ) -> Result<wire::StepTurnResponse, ApiError> {
        let mut fields = Fields::default();
        let id = RequestId::of_admin(&request.request_id, &mut fields);
        let race = race_id(&request.race_id, &mut fields);
        let turn = fields.number("expected_turn", request.expected_turn, 1..=u32::MAX);
        let (id, race) = fields.finish(id.zip(race))?;
        let handle = self.api.own(&race).await?;
        self.api.is_no_call(&id).await?;
        let outcome = handle.step(TurnNo(turn), Some(id.as_str())).await?;
        if let Some(Err(refused)) = outcome.settled.into_iter().next() {
            return Err(refused.into());
        }
        Ok(wire::StepTurnResponse { race: Some(self.race(&race).await?.0) })
    }

    pub(super) async fn set_clock(
        &self,
        request: wire::SetClockRequest,
    ) -> Result<wire::SetClockResponse, ApiError> {
        let mut fields = Fields::default();
        let id = RequestId::of_admin(&request.request_id, &mut fields);
        let race = race_id(&request.race_id, &mut fields);
        let seconds =
            fields.number("turn_interval_seconds", request.turn_interval_seconds, 0..=LONGEST_INTERVAL);
        let (id, race) = fields.finish(id.zip(race))?;
        let pace = (seconds > 0).then(|| Duration::from_secs(seconds.into()));
        let handle = self.api.own(&race).await?;
        self.api.is_no_order(handle.record(), &id).await?;
        self.api
            .once("SetClock", &id, &request, Vec::new(), async |call| {
                Ok(handle.set_pace(pace, Some(call)).await?)
            })
            .await?;
        Ok(wire::SetClockResponse { race: Some(self.race(&race).await?.0) })
    }

    /// Orders what changes the life of a race, and gives the race.
    async fn life(&self, race: &str, id: &str, command: Command) -> Result<wire::Race, ApiError> {
        let (handle, id, command) = self.asked(race, id, Some(command), Fields::default()).await?;
        self.api.order(&handle, command, &id).await?;
        Ok(self.race(&handle.record().id).await?.0)
    }

    /// A race as it is now, with its seed.
    pub(super) async fn race(&self, id: &RaceId) -> Result<(wire::Race, u64), ApiError> {
        let looked = self.api.look(id).await?;
        let race = convert::race::race(&looked.record, &looked.race, looked.state.as_ref(), Viewer::Admin);
        Ok((race, looked.record.seed.0))
    }
}

/// The race that a call was answered with before.
pub(super) fn named(answer: Vec<u8>) -> Result<RaceId, ApiError> {
    let id = String::from_utf8(answer).ok().and_then(|id| RaceId::parse(&id).ok());
    id.ok_or_else(|| ApiError::no_race("of this request"))
}
