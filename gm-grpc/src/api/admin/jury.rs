//! The jury: corrections and complaints; and what it does about achievements.

use super::Admin;
use super::cars::own_car;
use super::teams::wire_team;
use crate::api::convert::{self, achievement};
use crate::api::error::ApiError;
use crate::api::field::Fields;
use crate::api::page::{self, Page};
use crate::api::{race_id, wire};
use crate::control::RaceHandle;
use gm_core::contract::Modules;
use gm_core::ids::{CarId, Dollars, Points, Square, TeamId};
use gm_core::race::command::{CarCorrection, Command, NewStanding, TeamCorrection};
use gm_core::race::event::Achievement;
use gm_core::race::state::Complaint;
use gm_core::race::view::{Viewer, view};

/// Who is corrected.
#[derive(Clone, Copy)]
enum Corrected {
    Car(CarId),
    Team(TeamId),
}

impl Admin {
    pub(super) async fn adjudicate(
        &self,
        request: wire::AdjudicateRequest,
    ) -> Result<wire::AdjudicateResponse, ApiError> {
        let mut fields = Fields::default();
        fields.text("reason", &request.reason);
        let correction = request.correction.and_then(|correction| correction.correction);
        let correction = fields.needed("correction", correction);
        let correction = correction
            .and_then(|it| fields.within("correction", |fields| corrected(it, request.reason, fields)));
        let (handle, id, (command, whom)) =
            self.asked(&request.race_id, &request.request_id, correction, fields).await?;
        self.api.order(&handle, command, &id).await?;
        let race = handle.state().race;
        let corrected = match whom {
            Corrected::Car(car) => own_car(&race, car).map(wire::adjudicate_response::Corrected::Car),
            Corrected::Team(team) => wire_team(&race, team).map(wire::adjudicate_response::Corrected::Team),
        };
        Ok(wire::AdjudicateResponse { corrected })
    }

    pub(super) async fn list_complaints(
        &self,
        request: wire::ListComplaintsRequest,
    ) -> Result<wire::ListComplaintsResponse, ApiError> {
        let mut fields = Fields::default();
        let list = format!("complaints {} {}", request.race_id, request.open_only);
        let page: Page<u32> = Page::read(&list, request.page_size, &request.page_token, &mut fields);
        let race = race_id(&request.race_id, &mut fields);
        let race = self.api.look(&fields.finish(race)?).await?.race;
        let after = page.after.unwrap_or(0);
        let complaints = race.complaints.iter().filter(|complaint| complaint.number > after);
        let complaints = complaints.filter(|complaint| !request.open_only || complaint.answer.is_none());
        // One more than is shown tells whether there is another page.
        let complaints: Vec<&Complaint> = complaints.take(page.size as usize + 1).collect();
        let (shown, next_page_token) = page::cut(&list, complaints, page.size, |complaint| complaint.number)?;
        let complaints = shown.into_iter().map(wire_complaint).collect();
        Ok(wire::ListComplaintsResponse { complaints, next_page_token })
    }

    pub(super) async fn answer_complaint(
        &self,
        request: wire::AnswerComplaintRequest,
    ) -> Result<wire::AnswerComplaintResponse, ApiError> {
        let (number, mut fields) = (request.complaint_no, Fields::default());
        fields.text("answer", &request.answer);
        let command = Command::AnswerComplaint { number, text: request.answer };
        let (handle, id, command) =
            self.asked(&request.race_id, &request.request_id, Some(command), fields).await?;
        self.api.order(&handle, command, &id).await?;
        let race = handle.state().race;
        let complaint = race.complaints.iter().find(|complaint| complaint.number == number);
        Ok(wire::AnswerComplaintResponse { complaint: complaint.map(wire_complaint) })
    }

    pub(super) async fn award_achievement(
        &self,
        request: wire::AwardAchievementRequest,
    ) -> Result<wire::AwardAchievementResponse, ApiError> {
        let mut fields = Fields::default();
        let team = TeamId(request.team_id);
        let achievement = achievement::named(&request.achievement_id, &mut fields, "achievement_id");
        let command = achievement.map(|achievement| Command::Award { team, achievement });
        let (handle, id, command) =
            self.asked(&request.race_id, &request.request_id, command, fields).await?;
        self.api.order(&handle, command, &id).await?;
        Ok(wire::AwardAchievementResponse { team: wire_team(&handle.state().race, team) })
    }

    pub(super) async fn publish_hint(
        &self,
        request: wire::PublishHintRequest,
    ) -> Result<wire::PublishHintResponse, ApiError> {
        let mut fields = Fields::default();
        let achievement = achievement::named(&request.achievement_id, &mut fields, "achievement_id");
        fields.text("hint", &request.hint);
        let command =
            achievement.map(|it| (Command::PublishHint { achievement: it, text: request.hint }, it));
        let (handle, id, (command, achievement)) =
            self.asked(&request.race_id, &request.request_id, command, fields).await?;
        self.api.order(&handle, command, &id).await?;
        Ok(wire::PublishHintResponse { achievement: shown(&handle, achievement) })
    }

    pub(super) async fn reveal_achievement(
        &self,
        request: wire::RevealAchievementRequest,
    ) -> Result<wire::RevealAchievementResponse, ApiError> {
        let mut fields = Fields::default();
        let achievement = achievement::named(&request.achievement_id, &mut fields, "achievement_id");
        let command = achievement.map(|achievement| (Command::Reveal { achievement }, achievement));
        let (handle, id, (command, achievement)) =
            self.asked(&request.race_id, &request.request_id, command, fields).await?;
        self.api.order(&handle, command, &id).await?;
        Ok(wire::RevealAchievementResponse { achievement: shown(&handle, achievement) })
    }
}

/// A correction as the rules know it. Whether it can be, they say.
fn corrected(
    correction: wire::correction::Correction,
    reason: String,
    fields: &mut Fields,
) -> Option<(Command, Corrected)> {
    match correction {
        wire::correction::Correction::Car(car) => fields.within("car", |fields| {
            let standing = fields.value("standing", car.standing, |standing| {
                Some(match standing {
                    wire::NewStanding::Unspecified => None,
                    wire::NewStanding::Reinstated => Some(NewStanding::Reinstated),
                    wire::NewStanding::Retired => Some(NewStanding::Retired),
                })
            })?;
            let correction = CarCorrection {
                car: CarId(car.car_id),
                reason,
                square: car.square.map(Square),
                turns_to_miss: car.turns_to_miss,
                modules: car.modules.map(|counts| Modules {
                    engine: counts.engine,
                    pilot: counts.pilot,
                    weapon: counts.weapon,
                }),
                standing,
            };
            Some((Command::CorrectCar(correction), Corrected::Car(CarId(car.car_id))))
        }),
        wire::correction::Correction::Team(team) => {
            let correction = TeamCorrection {
                team: TeamId(team.team_id),
                reason,
                budget: team.budget.map(|dollars| Dollars(dollars.into())),
                points: Points(team.points),
            };
            Some((Command::CorrectTeam(correction), Corrected::Team(TeamId(team.team_id))))
        }
    }
}

/// A complaint as its team and the jury see it.
pub(crate) fn wire_complaint(complaint: &Complaint) -> wire::Complaint {
    wire::Complaint {
        complaint_no: complaint.number,
        team_id: complaint.team.0,
        turn: complaint.turn.0,
        text: complaint.text.clone(),
        answer: complaint.answer.clone().unwrap_or_default(),
    }
}

/// An achievement as everybody sees it.
fn shown(race: &RaceHandle, achievement: Achievement) -> Option<wire::Achievement> {
    let race = race.state().race;
    let name = achievement.to_string();
    let everybody = convert::achievement::achievements(&view(&race, Viewer::Spectator));
    let hint = race.hints.get(&achievement);
    // While it is hidden, everybody sees its hint and not its name.
    let is_it = |it: &wire::Achievement| {
        it.achievement_id == name || (it.achievement_id.is_empty() && hint == Some(&it.hint))
    };
    everybody.into_iter().find(is_it)
}
