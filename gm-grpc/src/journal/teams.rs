//! What the journal keeps for a team beside the race: its two secrets (C-20 and the API's), and how its resources are read.
//!
//! ```text
//! give_secrets(&race, team, &car, api)     once, when the team is new
//! set_inspector(&race, team, …)            holds from the next decision on, also after the death of the process
//! ```

use super::access::must_be_free;
use super::call::{self, Call};
use super::error::JournalError;
use super::record::{DecisionNo, RaceId, RaceRecord};
use super::secrets;
use super::store::{Journal, signed, unreadable};
use super::writer::Transaction;
use crate::drive::{InspectorSetting, Secret};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gm_core::contract::BaseUrl;
use gm_core::ids::TeamId;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use std::collections::BTreeMap;

/// An inspector as it is stored, encrypted.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum StoredInspector {
    /// I-1.
    None {},
    /// I-3.
    Relay { url: String },
}

impl StoredInspector {
    fn of(inspector: &InspectorSetting) -> StoredInspector {
        match inspector {
            InspectorSetting::None => StoredInspector::None {},
            InspectorSetting::Relay { url } => StoredInspector::Relay { url: url.to_string() },
        }
    }

    /// Nothing of what is stored is told: it may be a secret.
    fn read(clear: &[u8]) -> Result<InspectorSetting, &'static str> {
        match serde_json::from_slice(clear).map_err(|_| "it is none that this gm knows")? {
            StoredInspector::None {} => Ok(InspectorSetting::None),
            StoredInspector::Relay { url } => {
                let url = BaseUrl::parse(&url).map_err(|_| "its URL is none")?;
                Ok(InspectorSetting::Relay { url })
            }
        }
    }
}

impl Journal {
    /// What the cars of a race's teams are sent (C-20).
    ///
    /// # Errors
    /// [`JournalError::Key`] if they can't be decrypted, among others.
    pub async fn secrets(&self, race: &RaceRecord) -> Result<BTreeMap<TeamId, Secret>, JournalError> {
        let key = self.key()?;
        let rows =
            sqlx::query("SELECT team, car_secret FROM teams WHERE race = ? AND car_secret IS NOT NULL")
                .bind(race.key.0)
                .fetch_all(self.readers())
                .await?;
        let mut secrets = BTreeMap::new();
        for row in rows {
            let team = team_of(race, &row)?;
            let clear = key.decrypt(&of_cars(&race.id, team), row.try_get("car_secret")?)?;
            let secret = std::str::from_utf8(&clear).ok().and_then(|text| Secret::parse(text).ok());
            let secret = secret.ok_or_else(|| JournalError::Key(format!("what team {team} has is none")))?;
            secrets.insert(team, secret);
        }
        Ok(secrets)
    }

    /// Gives a new team its two secrets: what its cars are sent (C-20), and what it shows to the API. A team that has
    /// either of them keeps what it has. Gives whether it was given them now. The `call` is kept with them.
    ///
    /// # Errors
    /// [`JournalError::SecretTaken`] if somebody shows `api` already, [`JournalError::CallExists`] among others. Nothing
    /// was written then.
    pub async fn give_secrets(
        &self,
        race: &RaceRecord,
        team: TeamId,
        car: &Secret,
        api: &str,
        call: Option<&Call>,
    ) -> Result<bool, JournalError> {
        let give = GiveSecrets {
            race: race.key.0,
            team: team.0.into(),
            car: self.key()?.encrypt(&of_cars(&race.id, team), car.as_bytes()),
            api: secrets::fingerprint(api),
            call: call.cloned(),
        };
        Ok(self.transact(give).await? > 0)
    }

    /// Sets what a team's cars are sent (C-20).
    ///
    /// # Errors
    /// [`JournalError::CallExists`] among others. Nothing was written then.
    pub async fn set_secret(
        &self,
        race: &RaceRecord,
        team: TeamId,
        secret: &Secret,
        call: Option<&Call>,
    ) -> Result<(), JournalError> {
        let sealed = self.key()?.encrypt(&of_cars(&race.id, team), secret.as_bytes());
        self.set(race, team, Column::CarSecret(sealed), call).await
    }

    /// Sets what a team shows to the API. Only its [fingerprint](secrets::fingerprint) is kept, so it is to be drawn at
    /// random, with 128 bits or more; the one before is none any more.
    ///
    /// # Errors
    /// [`JournalError::SecretTaken`] and [`JournalError::CallExists`] among others. Nothing was written then.
    pub async fn set_api_secret(
        &self,
        race: &RaceRecord,
        team: TeamId,
        secret: &str,
        call: Option<&Call>,
    ) -> Result<(), JournalError> {
        self.set(race, team, Column::ApiSecret(secrets::fingerprint(secret)), call).await
    }

    /// Sets how a team's resources are read (CONTRACT I), from the next decision on: one that was begun is made with
    /// what held when it was begun, in this process or another. Who owns the race asks for it himself.
    ///
    /// # Errors
    /// [`JournalError::CallExists`] among others. Nothing was written then.
    pub async fn set_inspector(
        &self,
        race: &RaceRecord,
        team: TeamId,
        inspector: &InspectorSetting,
        call: Option<&Call>,
    ) -> Result<(), JournalError> {
        let json = serde_json::to_vec(&StoredInspector::of(inspector)).expect("texts under fixed names");
        let sealed = self.key()?.encrypt(&of_inspector(&race.id, team), &json);
        self.set(race, team, Column::Inspector(sealed), call).await
    }

    async fn set(
        &self,
        race: &RaceRecord,
        team: TeamId,
        column: Column,
        call: Option<&Call>,
    ) -> Result<(), JournalError> {
        let set = Set { race: race.key.0, team: team.0.into(), column, call: call.cloned() };
        self.transact(set).await.map(drop)
    }

    /// How the resources of a race's teams are read, as it was set last. A team for which nothing was set is missing.
    ///
    /// # Errors
    /// [`JournalError::Key`] if it can't be decrypted, among others.
    pub async fn inspectors(
        &self,
        race: &RaceRecord,
    ) -> Result<BTreeMap<TeamId, InspectorSetting>, JournalError> {
        self.inspectors_for(race, DecisionNo(u64::MAX)).await
    }

    /// How the resources of a race's teams are read for one decision: the last that was begun, or one after it.
    ///
    /// # Errors
    /// [`JournalError::Key`] if it can't be decrypted, among others.
    pub async fn inspectors_for(
        &self,
        race: &RaceRecord,
        decision: DecisionNo,
    ) -> Result<BTreeMap<TeamId, InspectorSetting>, JournalError> {
        let key = self.key()?;
        let rows = sqlx::query(
            "SELECT team, CASE WHEN inspector_from <= ? THEN inspector ELSE inspector_before END AS inspector \
             FROM teams WHERE race = ? AND inspector IS NOT NULL",
        )
        .bind(signed(decision.0))
        .bind(race.key.0)
        .fetch_all(self.readers())
        .await?;
        let mut inspectors = BTreeMap::new();
        for row in rows {
            let team = team_of(race, &row)?;
            let Some(sealed) = row.try_get::<Option<Vec<u8>>, _>("inspector")? else { continue };
            let clear = key.decrypt(&of_inspector(&race.id, team), &sealed)?;
            let inspector = StoredInspector::read(&clear).map_err(|because| {
                unreadable(race, format!("the inspector of team {team}"), because.to_owned())
            })?;
            inspectors.insert(team, inspector);
        }
        Ok(inspectors)
    }
}

fn team_of(race: &RaceRecord, row: &SqliteRow) -> Result<TeamId, JournalError> {
    let team: i64 = row.try_get("team")?;
    let not_one = |_| unreadable(race, format!("team {team}"), "its number is not one".to_owned());
    u32::try_from(team).map(TeamId).map_err(not_one)
}

/// What the secret of a team's cars is bound to: it can't be moved to another race or team.
pub(super) fn of_cars(race: &RaceId, team: TeamId) -> Vec<u8> {
    format!("race {race} team {team}").into_bytes()
}

/// What a team's inspector is bound to. No race's id has a blank, so it is no secret of any cars.
fn of_inspector(race: &RaceId, team: TeamId) -> Vec<u8> {
    format!("race {race} team {team} inspector").into_bytes()
}

struct GiveSecrets {
    race: i64,
    team: i64,
    car: Vec<u8>,
    api: [u8; 32],
    call: Option<Call>,
}

impl Transaction for GiveSecrets {
    fn is_synced(&self) -> bool {
        true
    }

    fn write<'c>(&'c self, connection: &'c mut SqliteConnection) -> BoxFuture<'c, Result<i64, JournalError>> {
        async move {
            let GiveSecrets { race, team, car, api, call } = self;
            call::must_be_new(connection, call.as_ref()).await?;
            must_be_free(connection, api, Some((*race, *team))).await?;
            let given = sqlx::query(
                "INSERT INTO teams (race, team, car_secret, api_secret) VALUES (?, ?, ?, ?) \
                 ON CONFLICT (race, team) DO UPDATE \
                 SET car_secret = excluded.car_secret, api_secret = excluded.api_secret \
                 WHERE car_secret IS NULL AND api_secret IS NULL",
            )
            .bind(race)
            .bind(team)
            .bind(car.as_slice())
            .bind(api.as_slice())
            .execute(&mut *connection)
            .await?;
            call::keep(connection, call.as_ref()).await?;
            Ok(signed(given.rows_affected()))
        }
        .boxed()
    }
}

/// What is set, as it is stored.
enum Column {
    CarSecret(Vec<u8>),
    ApiSecret([u8; 32]),
    Inspector(Vec<u8>),
}

struct Set {
    race: i64,
    team: i64,
    column: Column,
    call: Option<Call>,
}

impl Transaction for Set {
    fn is_synced(&self) -> bool {
        true
    }

    fn write<'c>(&'c self, connection: &'c mut SqliteConnection) -> BoxFuture<'c, Result<i64, JournalError>> {
        async move {
            let Set { race, team, column, call } = self;
            call::must_be_new(connection, call.as_ref()).await?;
            match column {
                Column::CarSecret(sealed) => set_car_secret(connection, *race, *team, sealed).await?,
                Column::ApiSecret(fingerprint) => {
                    must_be_free(connection, fingerprint, Some((*race, *team))).await?;
                    sqlx::query(
                        "INSERT INTO teams (race, team, api_secret) VALUES (?, ?, ?) \
                         ON CONFLICT (race, team) DO UPDATE SET api_secret = excluded.api_secret",
                    )
                    .bind(race)
                    .bind(team)
                    .bind(fingerprint.as_slice())
                    .execute(&mut *connection)
                    .await?;
                }
                Column::Inspector(sealed) => set_inspector(connection, *race, *team, sealed).await?,
            }
            call::keep(connection, call.as_ref()).await?;
            Ok(0)
        }
        .boxed()
    }
}

/// Sets what a team's cars are sent, encrypted.
pub(super) async fn set_car_secret(
    connection: &mut SqliteConnection,
    race: i64,
    team: i64,
    sealed: &[u8],
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO teams (race, team, car_secret) VALUES (?, ?, ?) \
         ON CONFLICT (race, team) DO UPDATE SET car_secret = excluded.car_secret",
    )
    .bind(race)
    .bind(team)
    .bind(sealed)
    .execute(connection)
    .await
    .map(drop)
}

/// Sets an inspector, encrypted, from the decision after the last that was begun. What holds for that one is kept
/// beside it, however often another is set meanwhile.
async fn set_inspector(
    connection: &mut SqliteConnection,
    race: i64,
    team: i64,
    sealed: &[u8],
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO teams (race, team, inspector, inspector_from) \
         VALUES (?1, ?2, ?3, 1 + (SELECT coalesce(max(no), 0) FROM decisions WHERE race = ?1)) \
         ON CONFLICT (race, team) DO UPDATE SET \
         inspector_before = CASE inspector_from WHEN excluded.inspector_from THEN inspector_before ELSE inspector END, \
         inspector = excluded.inspector, inspector_from = excluded.inspector_from",
    )
    .bind(race)
    .bind(team)
    .bind(sealed)
    .execute(connection)
    .await
    .map(drop)
}
