//! Teams: made, their secrets, budgets and inspectors (I).

use super::Admin;
use crate::api::convert;
use crate::api::error::ApiError;
use crate::api::field::Fields;
use crate::api::once::{Made, RequestId, Settled, order};
use crate::api::secret::{self, api_secret};
use crate::api::{race_id, the_race, wire};
use crate::control::RaceHandle;
use crate::drive::{InspectorSetting, Secret};
use crate::journal::JournalError;
use gm_core::contract::BaseUrl;
use gm_core::ids::{Dollars, TeamId};
use gm_core::race::Event;
use gm_core::race::Race;
use gm_core::race::command::{Command, LONGEST_NAME, Refusal};
use gm_core::race::rules::MOST_DOLLARS;
use gm_core::race::view::{RaceView, TeamView, Viewer, view};

impl Admin {
    pub(super) async fn create_team(
        &self,
        request: wire::CreateTeamRequest,
    ) -> Result<wire::CreateTeamResponse, ApiError> {
        let mut fields = Fields::default();
        let id = RequestId::of_admin(&request.request_id, &mut fields);
        let race = race_id(&request.race_id, &mut fields);
        let car = car_secret(&request.car_secret, "car_secret", &mut fields);
        let api = api_secret(&request.api_secret, "api_secret", &mut fields);
        fields.name("name", &request.name, LONGEST_NAME);
        if let Some(budget) = request.budget {
            fields.number("budget", budget, 0..=MOST_DOLLARS);
        }
        let secrets = car.zip(api);
        let ((id, race), ((car, car_text), api)) = fields.finish(id.zip(race).zip(secrets))?;
        let handle = self.api.own(&race).await?;
        let budget = request.budget.map(|dollars| Dollars(dollars.into()));
        let command = Command::CreateTeam { name: request.name.clone(), budget };
        // The call is kept with the secrets: the same id with others is another request. A team that was made just before
        // the game master died has none yet, and no call; who asks again is given them.
        let made = self.api.once("CreateTeam", &id, &request, Vec::new(), async |call| {
            // It must not be there without its secrets because somebody has one of them.
            self.must_be_free(&api, &handle, &id).await?;
            let team = created(order(&handle, command.clone(), &id).await?)?;
            let is_new =
                self.api.journal().give_secrets(handle.record(), team, &car, &api, Some(&call)).await?;
            Ok((team, is_new))
        });
        let (team, is_new) = match made.await? {
            Made::Now(made) => made,
            Made::Before(_) => (created(order(&handle, command.clone(), &id).await?)?, false),
        };
        if !is_new {
            let (car_secret, api_secret) = (String::new(), String::new());
            return Ok(wire::CreateTeamResponse { team_id: team.0, car_secret, api_secret });
        }
        handle.secrets().set(team, car);
        Ok(wire::CreateTeamResponse { team_id: team.0, car_secret: car_text, api_secret: api })
    }

    /// Refuses a secret that somebody has already, unless this is the request again that gave it to him.
    async fn must_be_free(&self, api: &str, race: &RaceHandle, id: &RequestId) -> Result<(), ApiError> {
        let journal = self.api.journal();
        let is_free = journal.who(api).await?.is_none();
        if is_free || journal.has_request(race.record(), id.as_str()).await? {
            Ok(())
        } else {
            Err(JournalError::SecretTaken.into())
        }
    }

    pub(super) async fn list_teams(
        &self,
        request: wire::ListTeamsRequest,
    ) -> Result<wire::ListTeamsResponse, ApiError> {
        let looked = self.api.look(&the_race(&request.race_id)?).await?;
        // Made once for all: with many teams it takes a while.
        let view = view(&looked.race, Viewer::Admin);
        let standings = convert::score::standings(&view);
        let teams = view.teams.iter().map(|team| of_view(&view, &standings, team)).collect();
        Ok(wire::ListTeamsResponse { teams })
    }

    pub(super) async fn rotate_team_secret(
        &self,
        request: wire::RotateTeamSecretRequest,
    ) -> Result<wire::RotateTeamSecretResponse, ApiError> {
        let mut fields = Fields::default();
        let id = RequestId::of_admin(&request.request_id, &mut fields);
        let race = race_id(&request.race_id, &mut fields);
        let kind = fields.value("secret_kind", request.secret_kind, |kind| match kind {
            wire::SecretKind::Unspecified => None,
            wire::SecretKind::Cars | wire::SecretKind::Api => Some(kind),
        });
        let secret = match kind {
            Some(wire::SecretKind::Cars) => {
                car_secret(&request.secret, "secret", &mut fields).map(|(secret, text)| (Some(secret), text))
            }
            _ => api_secret(&request.secret, "secret", &mut fields).map(|text| (None, text)),
        };
        let ((id, race), (car, text)) = fields.finish(id.zip(race).zip(secret))?;
        let handle = self.api.own(&race).await?;
        let team = there(&handle.state().race, request.team_id)?;
        let journal = self.api.journal();
        self.api.is_no_order(handle.record(), &id).await?;
        let made = self.api.once("RotateTeamSecret", &id, &request, Vec::new(), async |call| {
            match &car {
                Some(car) => journal.set_secret(handle.record(), team, car, Some(&call)).await?,
                None => journal.set_api_secret(handle.record(), team, &text, Some(&call)).await?,
            }
            Ok(())
        });
        match (made.await?, car) {
            (Made::Before(_), _) => return Ok(wire::RotateTeamSecretResponse { secret: String::new() }),
            // What the journal holds now: somebody else may have set another one meanwhile, and the last one counts.
            (Made::Now(()), Some(_)) => {
                if let Some(car) = journal.secrets(handle.record()).await?.remove(&team) {
                    handle.secrets().set(team, car);
                }
            }
            (Made::Now(()), None) => self.api.access().has_changed(),
        }
        Ok(wire::RotateTeamSecretResponse { secret: text })
    }

    pub(super) async fn grant_budget(
        &self,
        request: wire::GrantBudgetRequest,
    ) -> Result<wire::GrantBudgetResponse, ApiError> {
        let mut fields = Fields::default();
        let id = RequestId::of_admin(&request.request_id, &mut fields);
        let race = race_id(&request.race_id, &mut fields);
        let dollars = fields.number("dollars", request.dollars, 1..=MOST_DOLLARS);
        let (id, race) = fields.finish(id.zip(race))?;
        let handle = self.api.own(&race).await?;
        let team = TeamId(request.team_id);
        self.api.order(&handle, Command::Grant { team, dollars: Dollars(dollars.into()) }, &id).await?;
        Ok(wire::GrantBudgetResponse { team: wire_team(&handle.state().race, team) })
    }

    pub(super) async fn set_inspector(
        &self,
        request: wire::SetInspectorRequest,
    ) -> Result<wire::SetInspectorResponse, ApiError> {
        let mut fields = Fields::default();
        let id = RequestId::of_admin(&request.request_id, &mut fields);
        let race = race_id(&request.race_id, &mut fields);
        let asked = fields.needed("inspector", request.inspector.as_ref());
        let inspector = match asked.map(|inspector| inspector.way.as_ref()) {
            None => None,
            Some(None) => Some(InspectorSetting::None),
            Some(Some(wire::inspector::Way::Relay(relay))) => fields.within("inspector.relay", |fields| {
                fields.parsed("url", BaseUrl::parse(&relay.url)).map(|url| InspectorSetting::Relay { url })
            }),
        };
        let ((id, race), inspector) = fields.finish(id.zip(race).zip(inspector))?;
        let handle = self.api.own(&race).await?;
        let team = there(&handle.state().race, request.team_id)?;
        self.api.is_no_order(handle.record(), &id).await?;
        self.api
            .once("SetInspector", &id, &request, Vec::new(), async |call| {
                Ok(self.api.journal().set_inspector(handle.record(), team, &inspector, Some(&call)).await?)
            })
            .await?;
        Ok(wire::SetInspectorResponse { turn: handle.state().race.turn.next().0 })
    }
}

/// The team that a command has made.
fn created(settled: Settled) -> Result<TeamId, ApiError> {
    match settled.told {
        Some(Event::TeamCreated { team, .. }) => Ok(team),
        _ => Err(ApiError::internal(&Unanswered)),
    }
}

/// A team of a race.
fn there(race: &Race, team: u32) -> Result<TeamId, ApiError> {
    let team = TeamId(team);
    match race.teams.contains_key(&team) {
        true => Ok(team),
        false => Err(crate::control::Refused::from(Refusal::NoSuchTeam(team)).into()),
    }
}

/// The secret of a team's cars, drawn if it is empty, and as text.
fn car_secret(text: &str, field: &str, fields: &mut Fields) -> Option<(Secret, String)> {
    let text = if text.is_empty() { secret::draw("car") } else { text.to_owned() };
    fields.parsed(field, Secret::parse(&text)).map(|secret| (secret, text))
}

/// A team as the admin sees it.
pub(super) fn wire_team(race: &Race, team: TeamId) -> Option<wire::Team> {
    let view = view(race, Viewer::Admin);
    let of = view.teams.iter().find(|of| of.id == team)?;
    Some(of_view(&view, &convert::score::standings(&view), of))
}

fn of_view(view: &RaceView, standings: &[wire::Standing], of: &TeamView) -> wire::Team {
    let team = of.id;
    wire::Team {
        team_id: team.0,
        name: of.name.clone(),
        budget: of.budget.unwrap_or_default().0,
        standing: standings.iter().find(|standing| standing.team_id == team.0).cloned(),
        cars: view.cars.iter().filter(|car| car.team == team).filter_map(convert::car::own).collect(),
    }
}

/// A command that is answered by an event was settled without one.
#[derive(Debug, thiserror::Error)]
#[error("a command was settled without the event that answers it")]
pub(crate) struct Unanswered;
