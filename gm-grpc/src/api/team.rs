//! TeamService: what a team may do and see. The HTTP API of CONTRACT G does the same by the same functions.

use super::Api;
use super::admin::caller;
use super::admin::cars::{Registered, application, register};
use super::admin::jury::wire_complaint;
use super::auth::Caller;
use super::convert::{self, car};
use super::error::ApiError;
use super::field::Fields;
use super::once::RequestId;
use super::stream::{Answers, Told, over_grpc};
use super::wire::{self, team_service_server, watch_log_response};
use crate::trial;
use crate::watch::{self, LogMessage, LogReader};
use futures_util::stream::unfold;
use futures_util::{Stream, StreamExt as _};
use gm_core::contract::DuelUrl;
use gm_core::ids::{CarId, TeamId, TurnNo};
use gm_core::race::Event;
use gm_core::race::command::Command;
use gm_core::race::state::Transfer;
use gm_core::race::view::{Viewer, view};
use gm_core::random::Seed;
use std::time::Duration;
use tonic::{Code, Request, Response, Status};

/// The most weapons of a side in a test duel: there are no more cards.
const MOST_WEAPONS: u32 = 25;
/// The most complaints that a team is shown, the newest of them: an answer has a size.
const MOST_COMPLAINTS: usize = 100;
/// The weapons of a side where nothing is said.
const USUAL_WEAPONS: u32 = 5;

/// The service for teams.
#[derive(Clone)]
pub struct Team {
    api: Api,
}

impl Team {
    /// The service over what all share.
    #[must_use]
    pub fn new(api: Api) -> Team {
        Team { api }
    }
}

#[tonic::async_trait]
impl team_service_server::TeamService for Team {
    async fn register_car(
        &self,
        request: Request<wire::TeamServiceRegisterCarRequest>,
    ) -> Result<Response<wire::TeamServiceRegisterCarResponse>, Status> {
        Ok(Response::new(self.register_car(&caller(&request), request.into_inner()).await?))
    }

    async fn get_team(
        &self,
        request: Request<wire::GetTeamRequest>,
    ) -> Result<Response<wire::GetTeamResponse>, Status> {
        Ok(Response::new(self.get_team(&caller(&request)).await?))
    }

    type WatchLogStream = Answers<wire::WatchLogResponse>;

    async fn watch_log(
        &self,
        request: Request<wire::WatchLogRequest>,
    ) -> Result<Response<Self::WatchLogStream>, Status> {
        Ok(Response::new(over_grpc(self.watch_log(caller(&request), request.into_inner()).await?)))
    }

    type TestDuelStream = Answers<wire::TestDuelResponse>;

    async fn test_duel(
        &self,
        request: Request<wire::TestDuelRequest>,
    ) -> Result<Response<Self::TestDuelStream>, Status> {
        Ok(Response::new(over_grpc(self.test_duel(caller(&request), request.into_inner()).await?)))
    }

    async fn transfer_module(
        &self,
        request: Request<wire::TransferModuleRequest>,
    ) -> Result<Response<wire::TransferModuleResponse>, Status> {
        Ok(Response::new(self.transfer_module(&caller(&request), request.into_inner()).await?))
    }

    async fn file_complaint(
        &self,
        request: Request<wire::FileComplaintRequest>,
    ) -> Result<Response<wire::FileComplaintResponse>, Status> {
        Ok(Response::new(self.file_complaint(&caller(&request), request.into_inner()).await?))
    }
}

impl Team {
    /// Registers a car (R-2, G-1).
    pub(crate) async fn register_car(
        &self,
        caller: &Caller,
        request: wire::TeamServiceRegisterCarRequest,
    ) -> Result<wire::TeamServiceRegisterCarResponse, ApiError> {
        let (race, team) = caller.team()?;
        let mut fields = Fields::default();
        let id = RequestId::of_team(team, &request.request_id, &mut fields);
        let application = application(team, request.instance, &request.url, &mut fields);
        let (id, application) = fields.finish(id.zip(application))?;
        let Registered { car, reasons } =
            register(&self.api, &self.api.own(race).await?, application, &id).await?;
        Ok(wire::TeamServiceRegisterCarResponse { car, reasons })
    }

    /// All of the team's own (R-11, G-2).
    pub(crate) async fn get_team(&self, caller: &Caller) -> Result<wire::GetTeamResponse, ApiError> {
        let (race, team) = caller.team()?;
        let looked = self.api.look(race).await?;
        let viewer = Viewer::Team(team);
        let seen = view(&looked.race, viewer);
        let own = seen.teams.iter().find(|of| of.id == team).ok_or_else(|| gone(team))?;
        let complaints = looked.race.complaints.iter().filter(|complaint| complaint.team == team);
        let newest: Vec<_> = complaints.rev().take(MOST_COMPLAINTS).collect();
        Ok(wire::GetTeamResponse {
            team_id: team.0,
            name: own.name.clone(),
            budget: own.budget.unwrap_or_default().0,
            standing: convert::score::standings(&seen).into_iter().find(|it| it.team_id == team.0),
            cars: seen.cars.iter().filter(|it| it.team == team).filter_map(car::own).collect(),
            complaints: newest.into_iter().rev().map(wire_complaint).collect(),
            race: Some(convert::race::race(&looked.record, &looked.race, looked.state.as_ref(), viewer)),
        })
    }

    /// The team's log, from an entry on and as it grows (G-3).
    pub(crate) async fn watch_log(
        &self,
        caller: Caller,
        request: wire::WatchLogRequest,
    ) -> Result<Told<wire::WatchLogResponse>, ApiError> {
        let messages = self.log(&caller, request.after).await?;
        let answers = messages.map(|message| {
            let message = match message? {
                LogMessage::Entry(entry) => watch_log_response::Message::Entry(convert::log::entry(&entry)),
                LogMessage::CaughtUp(last) => watch_log_response::Message::CaughtUp(last),
                LogMessage::Heartbeat(last) => watch_log_response::Message::Heartbeat(last),
            };
            Ok(wire::WatchLogResponse { message: Some(message) })
        });
        Ok(self.api.ending(caller, "WatchLog", answers))
    }

    async fn log(
        &self,
        caller: &Caller,
        after: u64,
    ) -> Result<impl Stream<Item = Result<LogMessage, watch::Ended>> + Send + use<>, ApiError> {
        let (race, team) = caller.team()?;
        let record = self.api.record(race).await?;
        let owner = self.api.owner(race).await?;
        let settings = self.api.chronicles().settings();
        let reader =
            LogReader::open(self.api.journal().clone(), record, owner, team, after, settings).await?;
        Ok(watch::stream(reader, settings, std::future::pending(), self.api.streams_open()))
    }

    /// Plays a duel of the team's AI against the pirates', outside of the race (R-6, G-4).
    pub(crate) async fn test_duel(
        &self,
        caller: Caller,
        request: wire::TestDuelRequest,
    ) -> Result<Told<wire::TestDuelResponse>, ApiError> {
        let steps = self.trial(&caller, &request).await?;
        Ok(self.api.ending(caller, "TestDuel", to_the_end(steps)))
    }

    async fn trial(
        &self,
        caller: &Caller,
        request: &wire::TestDuelRequest,
    ) -> Result<trial::Steps<trial::Step>, ApiError> {
        let (race, team) = caller.team()?;
        let mut fields = Fields::default();
        let url = fields.parsed("url", DuelUrl::parse(&request.url));
        let own = weapons("weapons", request.weapons, &mut fields);
        let other_weapons = weapons("other_weapons", request.other_weapons, &mut fields);
        let mind = fields.parsed("mind", convert::rules::mind_of(request.mind));
        let (url, mind) = fields.finish(url.zip(mind))?;
        let handle = self.api.own(race).await?;
        let rules = handle.state().race.rules.clone();
        let permit = self.api.0.duels.take(race, team)?;
        let trial = trial::DuelTrial {
            team,
            url,
            weapons: own,
            other_weapons,
            mind: mind.unwrap_or(rules.pirates.mind),
            seed: Seed(request.seed.unwrap_or_else(rand::random)),
            rules,
        };
        Ok(trial::play(&self.api.world(race)?, permit, trial))
    }

    /// Asks to move a module between two cars of the team (R-7.7, G-7).
    pub(crate) async fn transfer_module(
        &self,
        caller: &Caller,
        request: wire::TransferModuleRequest,
    ) -> Result<wire::TransferModuleResponse, ApiError> {
        let (race, team) = caller.team()?;
        let mut fields = Fields::default();
        let id = RequestId::of_team(team, &request.request_id, &mut fields);
        let module = car::module_named(request.module.as_ref(), &mut fields, "module");
        let (id, module) = fields.finish(id.zip(module))?;
        let (from, to) = (CarId(request.from_car_id), CarId(request.to_car_id));
        let handle = self.api.own(race).await?;
        let transfer = Command::Transfer(Transfer { team, module, from, to });
        let settled = self.api.order(&handle, transfer, &id).await?;
        Ok(wire::TransferModuleResponse { turn: settled.turn.0 })
    }

    /// Files a complaint with the jury (R-10.3, G-5).
    pub(crate) async fn file_complaint(
        &self,
        caller: &Caller,
        request: wire::FileComplaintRequest,
    ) -> Result<wire::FileComplaintResponse, ApiError> {
        let (race, team) = caller.team()?;
        let mut fields = Fields::default();
        let id = RequestId::of_team(team, &request.request_id, &mut fields);
        fields.text("text", &request.text);
        let id = fields.finish(id)?;
        let command = Command::Complain { team, turn: TurnNo(request.turn), text: request.text };
        let filed = self.api.order(&self.api.own(race).await?, command, &id).await?;
        let Some(Event::ComplaintFiled { number, .. }) = filed.told else {
            return Err(ApiError::internal(&super::admin::teams::Unanswered));
        };
        Ok(wire::FileComplaintResponse { complaint_no: number })
    }
}

/// The steps of a test duel; one that was given up ends with an error, and not as if it were over.
fn to_the_end(
    steps: trial::Steps<trial::Step>,
) -> impl Stream<Item = Result<wire::TestDuelResponse, ApiError>> + Send + 'static {
    unfold(Some(steps), |steps| async {
        let mut steps = steps?;
        match steps.next().await {
            Some(step @ trial::Step::Over(_)) => Some((Ok(convert::trial::step(step)), None)),
            Some(step) => Some((Ok(convert::trial::step(step)), Some(steps))),
            None => Some((Err(given_up()), None)),
        }
    })
}

fn given_up() -> ApiError {
    ApiError::new(
        Code::Unavailable,
        "TRIAL_GIVEN_UP",
        "the duel was given up, since the game master had no time for it: try again soon",
    )
    .again_after(Duration::from_secs(10))
}

/// The weapons of a side.
fn weapons(field: &str, weapons: u32, fields: &mut Fields) -> u32 {
    match fields.number(field, weapons, 0..=MOST_WEAPONS) {
        0 => USUAL_WEAPONS,
        weapons => weapons,
    }
}

fn gone(team: TeamId) -> ApiError {
    ApiError::not_found("NO_SUCH_TEAM", format!("there is no team {team} in this race"))
}
