//! What each RPC is asked for in [`every_rpc`](super::every_rpc): once for its success, and once for each error that its
//! comment in `proto/gm/v1` names.

use super::stage::Scene;
use serde_json::{Value, json};
use tonic::Code;

/// What is asked, of a race in some state, and what comes of it.
pub(crate) struct Row {
    pub(crate) rpc: &'static str,
    /// The state of the race, as [`Scene::new`] names it.
    pub(crate) state: &'static str,
    /// Whether team 1 has a car.
    pub(crate) car: bool,
    /// What is called before, with success.
    pub(crate) before: &'static [(&'static str, Body)],
    pub(crate) body: Body,
    pub(crate) code: Code,
    /// The reason in the error's details, or a word in the answer.
    pub(crate) says: &'static str,
}

/// A request about a race.
pub(crate) type Body = fn(&Scene<'_>) -> Value;

fn row(rpc: &'static str, state: &'static str, body: Body, code: Code, says: &'static str) -> Row {
    Row { rpc, state, car: false, before: &[], body, code, says }
}

fn good(rpc: &'static str, state: &'static str, body: Body, says: &'static str) -> Row {
    row(rpc, state, body, Code::Ok, says)
}

fn invalid(rpc: &'static str, body: Body, field: &'static str) -> Row {
    row(rpc, "running", body, Code::InvalidArgument, field)
}

impl Row {
    fn with_car(self) -> Row {
        Row { car: true, ..self }
    }

    fn after(self, before: &'static [(&'static str, Body)]) -> Row {
        Row { before, ..self }
    }
}

fn of_race(scene: &Scene<'_>) -> Value {
    json!({ "race_id": scene.race })
}

fn with(scene: &Scene<'_>, more: Value) -> Value {
    let mut body = of_race(scene);
    if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
        body.extend(more);
    }
    body
}

const COMPLAINT: (&str, Body) = ("TeamService.FileComplaint", |_| json!({ "turn": 0, "text": "unfair" }));
const BONUS: (&str, Body) = ("AdminService.PlaceBonus", |s| with(s, json!({ "bonus": bonus(7) })));

fn bonus(place: u32) -> Value {
    json!({ "place": place, "effect": { "points": 3 }, "use": "BONUS_USE_ONCE" })
}

fn car(correction: Value) -> Value {
    let mut correction = correction;
    correction["car_id"] = json!(1);
    json!({ "correction": { "car": correction }, "reason": "seen" })
}

/// An achievement of the table of R-9.
const PACIFIST: &str = "pacifist";

/// Every row but those that follow from the descriptors alone.
#[rustfmt::skip]
pub(crate) fn rows() -> Vec<Row> {
    let mut rows = admins();
    rows.extend(teams());
    rows.extend(observers());
    rows
}

#[rustfmt::skip]
fn admins() -> Vec<Row> {
    use Code::{AlreadyExists, FailedPrecondition, NotFound};
    vec![
        good("AdminService.CreateRace", "preparing", |_| json!({ "title": "Sunday", "rules": { "max_turns": 5 } }), "Sunday"),
        invalid("AdminService.CreateRace", |_| json!({ "title": "" }), "title"),
        invalid("AdminService.CreateRace", |_| json!({ "title": "t", "rules": { "track_length": 0 } }), "rules.track_length"),
        invalid("AdminService.CreateRace", |_| json!({ "title": "t", "rules": { "encounter_odds": { "nothing": 99 } } }), "rules.encounter_odds"),
        good("AdminService.GetRace", "preparing", of_race, "RACE_STATUS_PREPARING"),
        good("AdminService.ListRaces", "preparing", |_| json!({ "page_size": 1 }), "next_page_token"),
        invalid("AdminService.ListRaces", |_| json!({ "page_token": "made-up" }), "page_token"),
        good("AdminService.StartRace", "preparing", of_race, "RACE_STATUS_RUNNING"),
        row("AdminService.StartRace", "running", of_race, FailedPrecondition, "ALREADY_STARTED"),
        good("AdminService.PauseRace", "running", of_race, "RACE_STATUS_PAUSED"),
        row("AdminService.PauseRace", "preparing", of_race, FailedPrecondition, "NOT_RUNNING"),
        good("AdminService.ResumeRace", "paused", of_race, "RACE_STATUS_RUNNING"),
        row("AdminService.ResumeRace", "running", of_race, FailedPrecondition, "NOT_PAUSED"),
        good("AdminService.StepTurn", "running", |s| with(s, json!({ "expected_turn": 1 })), "\"turn\":1"),
        row("AdminService.StepTurn", "paused", |s| with(s, json!({ "expected_turn": 1 })), FailedPrecondition, "NOT_RUNNING"),
        row("AdminService.StepTurn", "running", |s| with(s, json!({ "expected_turn": 2 })), FailedPrecondition, "WRONG_TURN"),
        row("AdminService.StepTurn", "on the clock", |s| with(s, json!({ "expected_turn": 2 })), FailedPrecondition, "ON_THE_CLOCK"),
        invalid("AdminService.StepTurn", of_race, "expected_turn"),
        good("AdminService.SetClock", "preparing", |s| with(s, json!({ "turn_interval_seconds": 30 })), "\"turn_interval_seconds\":30"),
        invalid("AdminService.SetClock", |s| with(s, json!({ "turn_interval_seconds": 86_401 })), "turn_interval_seconds"),
        good("AdminService.FinishRace", "running", of_race, "RACE_ENDING_ADMIN"),
        row("AdminService.FinishRace", "finished", of_race, FailedPrecondition, "FINISHED"),

        good("AdminService.CreateTeam", "preparing", |s| with(s, json!({ "name": "Green" })), "gm-team-"),
        invalid("AdminService.CreateTeam", |s| with(s, json!({ "name": "" })), "name"),
        invalid("AdminService.CreateTeam", |s| with(s, json!({ "name": "Green", "api_secret": "short" })), "api_secret"),
        invalid("AdminService.CreateTeam", |s| with(s, json!({ "name": "Green", "car_secret": "two words" })), "car_secret"),
        row("AdminService.CreateTeam", "preparing", |s| with(s, json!({ "name": "Red" })), AlreadyExists, "NAME_TAKEN"),
        row("AdminService.CreateTeam", "preparing", |s| with(s, json!({ "name": "Green", "api_secret": s.secrets[0] })), AlreadyExists, "SECRET_TAKEN"),
        row("AdminService.CreateTeam", "finished", |s| with(s, json!({ "name": "Green" })), FailedPrecondition, "FINISHED"),
        good("AdminService.ListTeams", "preparing", of_race, "Blue"),
        good("AdminService.RotateTeamSecret", "preparing", |s| with(s, json!({ "team_id": 1, "secret_kind": "SECRET_KIND_API" })), "gm-team-"),
        good("AdminService.RotateTeamSecret", "running", |s| with(s, json!({ "team_id": 1, "secret_kind": "SECRET_KIND_CARS", "secret": "new" })), "new"),
        invalid("AdminService.RotateTeamSecret", |s| with(s, json!({ "team_id": 1 })), "secret_kind"),
        row("AdminService.RotateTeamSecret", "preparing", |s| with(s, json!({ "team_id": 1, "secret_kind": 2, "secret": s.secrets[1] })), AlreadyExists, "SECRET_TAKEN"),
        row("AdminService.RotateTeamSecret", "preparing", |s| with(s, json!({ "team_id": 3, "secret_kind": 2 })), NotFound, "NO_SUCH_TEAM"),
        good("AdminService.GrantBudget", "running", |s| with(s, json!({ "team_id": 1, "dollars": 5 })), "\"budget\":105"),
        invalid("AdminService.GrantBudget", |s| with(s, json!({ "team_id": 1, "dollars": 0 })), "dollars"),
        row("AdminService.GrantBudget", "running", |s| with(s, json!({ "team_id": 3, "dollars": 5 })), NotFound, "NO_SUCH_TEAM"),
        good("AdminService.SetInspector", "preparing", |s| with(s, json!({ "team_id": 1, "inspector": { "relay": { "url": "http://127.0.0.1:9" } } })), "\"turn\":1"),
        invalid("AdminService.SetInspector", |s| with(s, json!({ "team_id": 1, "inspector": { "relay": { "url": "ftp://x" } } })), "inspector.relay.url"),

        good("AdminService.RegisterCar", "preparing", |s| with(s, json!({ "team_id": 1, "instance": "i", "url": "http://127.0.0.1:9" })), "C-5"),
        invalid("AdminService.RegisterCar", |s| with(s, json!({ "team_id": 1, "instance": "i", "url": "no URL" })), "url"),
        row("AdminService.RegisterCar", "finished", |s| with(s, json!({ "team_id": 1, "instance": "i", "url": "http://127.0.0.1:9" })), FailedPrecondition, "FINISHED"),
        good("AdminService.RetireCar", "running", |s| with(s, json!({ "car_id": 1, "reason": "smoke" })), "CAR_STATUS_RETIRED").with_car(),
        row("AdminService.RetireCar", "running", |s| with(s, json!({ "car_id": 1 })), Code::InvalidArgument, "reason").with_car(),
        row("AdminService.RetireCar", "running", |s| with(s, json!({ "car_id": 1, "reason": "smoke" })), FailedPrecondition, "IS_RETIRED").with_car()
            .after(&[("AdminService.RetireCar", |s| with(s, json!({ "car_id": 1, "reason": "fire" })))]),
        row("AdminService.RetireCar", "running", |s| with(s, json!({ "car_id": 9, "reason": "smoke" })), NotFound, "NO_SUCH_CAR"),
        good("AdminService.InspectCar", "running", |s| with(s, json!({ "car_id": 1 })), "C-4").with_car(),
        row("AdminService.InspectCar", "running", |s| with(s, json!({ "car_id": 9 })), NotFound, "NO_SUCH_CAR"),

        good("AdminService.DeclareEncounter", "running", |s| with(s, json!({ "encounter": "ENCOUNTER_PIRATES", "car_ids": [1] })), "\"turn\":1").with_car(),
        invalid("AdminService.DeclareEncounter", of_race, "encounter"),
        row("AdminService.DeclareEncounter", "finished", |s| with(s, json!({ "encounter": 3 })), FailedPrecondition, "FINISHED"),
        good("AdminService.SetEncounterOdds", "running", |s| with(s, json!({ "odds": { "nothing": 100 } })), "\"turn\":1"),
        invalid("AdminService.SetEncounterOdds", |s| with(s, json!({ "odds": { "nothing": 99 } })), "odds"),
        row("AdminService.SetEncounterOdds", "finished", |s| with(s, json!({ "odds": { "nothing": 100 } })), FailedPrecondition, "FINISHED"),
        good("AdminService.PlaceBonus", "running", |s| with(s, json!({ "bonus": bonus(7) })), "\"turn\":1"),
        invalid("AdminService.PlaceBonus", |s| with(s, json!({ "bonus": bonus(300) })), "BAD_BONUS"),
        invalid("AdminService.PlaceBonus", of_race, "bonus"),
        row("AdminService.PlaceBonus", "running", |s| with(s, json!({ "bonus": bonus(7) })), AlreadyExists, "PLACE_TAKEN").after(&[BONUS]),
        row("AdminService.PlaceBonus", "finished", |s| with(s, json!({ "bonus": bonus(7) })), FailedPrecondition, "FINISHED"),
        good("AdminService.RemoveBonus", "running", |s| with(s, json!({ "bonus_id": 1 })), "\"turn\":1").after(&[BONUS]),
        invalid("AdminService.RemoveBonus", of_race, "bonus_id"),
        row("AdminService.RemoveBonus", "running", |s| with(s, json!({ "bonus_id": 1 })), NotFound, "NO_SUCH_BONUS"),
        row("AdminService.RemoveBonus", "finished", |s| with(s, json!({ "bonus_id": 1 })), FailedPrecondition, "FINISHED"),

        good("AdminService.Adjudicate", "running", |s| with(s, car(json!({ "square": 9 }))), "\"square\":9").with_car(),
        good("AdminService.Adjudicate", "finished", |s| with(s, json!({ "correction": { "team": { "team_id": 2, "points": -4 } }, "reason": "seen" })), "\"points\":-4"),
        row("AdminService.Adjudicate", "running", |s| with(s, car(json!({}))), Code::InvalidArgument, "NOTHING_TO_CORRECT").with_car(),
        row("AdminService.Adjudicate", "running", |s| with(s, car(json!({ "square": 2_000_000 }))), Code::InvalidArgument, "TOO_MUCH").with_car(),
        invalid("AdminService.Adjudicate", |s| with(s, json!({ "reason": "seen" })), "correction"),
        row("AdminService.Adjudicate", "running", |s| with(s, car(json!({ "standing": "NEW_STANDING_REINSTATED" }))), FailedPrecondition, "NOT_RETIRED").with_car(),
        row("AdminService.Adjudicate", "running", |s| with(s, car(json!({ "square": 9 }))), NotFound, "NO_SUCH_CAR"),
        good("AdminService.ListComplaints", "running", |s| with(s, json!({ "open_only": true })), "unfair").after(&[COMPLAINT]),
        invalid("AdminService.ListComplaints", |s| with(s, json!({ "page_token": "00" })), "page_token"),
        good("AdminService.AnswerComplaint", "running", |s| with(s, json!({ "complaint_no": 1, "answer": "no" })), "unfair").after(&[COMPLAINT]),
        row("AdminService.AnswerComplaint", "running", |s| with(s, json!({ "complaint_no": 1 })), Code::InvalidArgument, "answer").after(&[COMPLAINT]),
        row("AdminService.AnswerComplaint", "running", |s| with(s, json!({ "complaint_no": 2, "answer": "no" })), NotFound, "NO_SUCH_COMPLAINT").after(&[COMPLAINT]),
        good("AdminService.AwardAchievement", "running", |s| with(s, json!({ "team_id": 1, "achievement_id": PACIFIST })), PACIFIST),
        invalid("AdminService.AwardAchievement", |s| with(s, json!({ "team_id": 1, "achievement_id": "none" })), "achievement_id"),
        row("AdminService.AwardAchievement", "running", |s| with(s, json!({ "team_id": 1, "achievement_id": PACIFIST })), AlreadyExists, "HAS_ACHIEVEMENT")
            .after(&[("AdminService.AwardAchievement", |s| with(s, json!({ "team_id": 1, "achievement_id": PACIFIST })))]),
        row("AdminService.AwardAchievement", "running", |s| with(s, json!({ "team_id": 3, "achievement_id": PACIFIST })), NotFound, "NO_SUCH_TEAM"),
        good("AdminService.PublishHint", "running", |s| with(s, json!({ "achievement_id": PACIFIST, "hint": "be kind" })), "be kind"),
        invalid("AdminService.PublishHint", |s| with(s, json!({ "achievement_id": PACIFIST })), "hint"),
        invalid("AdminService.PublishHint", |s| with(s, json!({ "hint": "be kind" })), "achievement_id"),
        good("AdminService.RevealAchievement", "running", |s| with(s, json!({ "achievement_id": PACIFIST })), PACIFIST),
        invalid("AdminService.RevealAchievement", of_race, "achievement_id"),

        good("AdminService.CreateToken", "preparing", |s| with(s, json!({ "role": "TOKEN_ROLE_OBSERVER", "note": "the screen" })), "gm-observer-"),
        good("AdminService.CreateToken", "preparing", |_| json!({ "role": "TOKEN_ROLE_ADMIN" }), "gm-admin-"),
        invalid("AdminService.CreateToken", |_| json!({}), "role"),
        invalid("AdminService.CreateToken", |s| with(s, json!({ "role": "TOKEN_ROLE_ADMIN" })), "race_id"),
        invalid("AdminService.CreateToken", |_| json!({ "role": 2, "note": "n".repeat(201) }), "note"),
        row("AdminService.CreateToken", "preparing", |s| json!({ "role": 2, "secret": s.secrets[0] }), AlreadyExists, "SECRET_TAKEN"),
        good("AdminService.ListTokens", "preparing", |_| json!({ "page_size": 1 }), "TOKEN_ROLE_"),
        invalid("AdminService.ListTokens", |_| json!({ "page_token": "00" }), "page_token"),
        row("AdminService.RevokeToken", "preparing", |_| json!({ "token_id": "tok-0000000000000000" }), NotFound, "NO_SUCH_TOKEN"),
        invalid("AdminService.RevokeToken", |_| json!({ "token_id": "" }), "token_id"),

        good("AdminService.ExportRace", "running", of_race, "chunk"),
        row("AdminService.ImportRace", "preparing", |s| json!([{ "request_id": s.stage.id(), "chunk": "bm8gZXhwb3J0" }]), Code::InvalidArgument, "NO_EXPORT"),
        row("AdminService.ImportRace", "preparing", |_| json!([]), Code::InvalidArgument, "chunk"),
        row("AdminService.ImportRace", "preparing", |_| json!([{ "request_id": "", "chunk": "" }]), Code::InvalidArgument, "request_id"),
    ]
}

#[rustfmt::skip]
fn teams() -> Vec<Row> {
    use Code::{FailedPrecondition, NotFound, OutOfRange, PermissionDenied};
    vec![
        good("TeamService.RegisterCar", "preparing", |_| json!({ "instance": "i", "url": "http://127.0.0.1:9" }), "C-5"),
        invalid("TeamService.RegisterCar", |_| json!({ "instance": "i", "url": "no URL" }), "url"),
        row("TeamService.RegisterCar", "finished", |_| json!({ "instance": "i", "url": "http://127.0.0.1:9" }), FailedPrecondition, "FINISHED"),
        good("TeamService.GetTeam", "running", |_| json!({}), "http://127.0.0.1").with_car(),
        good("TeamService.WatchLog", "running", |_| json!({ "after": 0 }), "caught_up").with_car(),
        row("TeamService.WatchLog", "running", |_| json!({ "after": 1_000_000 }), OutOfRange, "BEYOND_LAST"),
        good("TeamService.TestDuel", "running", |_| json!({ "url": "http://127.0.0.1:9/ai", "seed": 1 }), "DUEL_END_FAULT"),
        invalid("TeamService.TestDuel", |_| json!({ "url": "no URL" }), "url"),
        invalid("TeamService.TestDuel", |_| json!({ "url": "http://127.0.0.1:9/ai", "weapons": 26 }), "weapons"),
        good("TeamService.TestDuel", "running", |_| json!({ "url": "http://127.0.0.1:9/ai", "mind": 3 }), "DUEL_END_FAULT"),
        invalid("TeamService.TestDuel", |_| json!({ "url": "http://127.0.0.1:9/ai", "mind": 6 }), "mind"),
        good("TeamService.TransferModule", "running", |_| json!({ "module": { "kind": 1, "name": "engine-1" }, "from_car_id": 1, "to_car_id": 2 }), "\"turn\":2").with_car()
            .after(&[SECOND_CAR, STEP]),
        invalid("TeamService.TransferModule", |_| json!({ "from_car_id": 1, "to_car_id": 2 }), "module"),
        invalid("TeamService.TransferModule", |_| json!({ "module": { "kind": 0, "name": "" } }), "module.name"),
        row("TeamService.TransferModule", "running", |_| json!({ "module": { "kind": 1, "name": "engine-1" }, "from_car_id": 1, "to_car_id": 1 }), Code::InvalidArgument, "SAME_CAR").with_car(),
        row("TeamService.TransferModule", "running", |_| json!({ "module": { "kind": 1, "name": "engine-1" }, "from_car_id": 1, "to_car_id": 9 }), NotFound, "NO_SUCH_CAR").with_car(),
        row("TeamService.TransferModule", "running", |_| json!({ "module": { "kind": 1, "name": "none" }, "from_car_id": 1, "to_car_id": 2 }), FailedPrecondition, "TRANSFER_IMPOSSIBLE").with_car()
            .after(&[SECOND_CAR, STEP]),
        row("TeamService.TransferModule", "running", |_| json!({ "module": { "kind": 1, "name": "engine-1" }, "from_car_id": 1, "to_car_id": 2 }), PermissionDenied, "OTHER_TEAMS_CAR").with_car()
            .after(&[CAR_OF_BLUE]),
        good("TeamService.FileComplaint", "finished", |_| json!({ "text": "unfair" }), "\"complaint_no\":1"),
        invalid("TeamService.FileComplaint", |_| json!({ "text": " " }), "text"),
        invalid("TeamService.FileComplaint", |_| json!({ "turn": 1, "text": "unfair" }), "FUTURE_TURN"),
    ]
}

/// A second car of team 1, which the stage hosts as `second`.
const SECOND_CAR: (&str, Body) = ("AdminService.RegisterCar", |s| {
    with(s, json!({ "team_id": 1, "instance": "second", "url": s.stage.second }))
});
const CAR_OF_BLUE: (&str, Body) = ("AdminService.RegisterCar", |s| {
    with(s, json!({ "team_id": 2, "instance": "second", "url": s.stage.second }))
});
const STEP: (&str, Body) = ("AdminService.StepTurn", |s| with(s, json!({ "expected_turn": 1 })));

#[rustfmt::skip]
fn observers() -> Vec<Row> {
    use Code::{NotFound, OutOfRange};
    vec![
        good("ObserverService.ListRaces", "running", |_| json!({ "page_size": 1 }), "RACE_STATUS_"),
        invalid("ObserverService.ListRaces", |_| json!({ "page_size": 101 }), "page_size"),
        good("ObserverService.GetSnapshot", "running", of_race, "\"sequence\":"),
        good("ObserverService.WatchRace", "running", |s| with(s, json!({ "with_snapshot": true })), "caught_up"),
        invalid("ObserverService.WatchRace", |s| with(s, json!({ "with_snapshot": false })), "with_snapshot"),
        invalid("ObserverService.WatchRace", |s| with(s, json!({ "after": 0, "mode": 9 })), "mode"),
        invalid("ObserverService.WatchRace", |s| with(s, json!({ "after": 0, "kinds": [0] })), "kinds[0]"),
        row("ObserverService.WatchRace", "running", |s| with(s, json!({ "after": 1_000_000 })), OutOfRange, "BEYOND_LAST"),
        good("ObserverService.GetStandings", "running", of_race, "Blue"),
        good("ObserverService.GetDuel", "running", |s| with(s, json!({ "turn": 1, "duel_no": 1 })), "DUEL_END_").with_car()
            .after(&[PIRATES, STEP]),
        invalid("ObserverService.GetDuel", of_race, "duel_no"),
        row("ObserverService.GetDuel", "running", |s| with(s, json!({ "turn": 1, "duel_no": 1 })), NotFound, "NO_SUCH_DUEL"),
        good("ObserverService.ReplayRace", "running", |s| with(s, json!({ "from_turn": 1 })), "turn_completed").after(&[STEP]),
        invalid("ObserverService.ReplayRace", |s| with(s, json!({ "turn_duration": "61s" })), "turn_duration"),
        row("ObserverService.ReplayRace", "running", |s| with(s, json!({ "from_turn": 9 })), OutOfRange, "BEYOND_LAST_TURN"),
    ]
}

const PIRATES: (&str, Body) = ("AdminService.DeclareEncounter", |s| with(s, json!({ "encounter": 2 })));
