//! Who may do what through the API: tokens of admins and observers, and whose secret one is shown.
//!
//! ```
//! use gm_grpc::journal::TokenId;
//! let id = TokenId::random();
//! assert_eq!(TokenId::parse(id.as_str()), Ok(id));
//! ```
//!
//! Of each secret only the [fingerprint](secrets::fingerprint) is kept, so it must be drawn at random, with 128 bits or
//! more. A secret is one person's: two tokens, two teams, or a token and a team never have the same.

use super::call::{self, Call};
use super::error::JournalError;
use super::record::{Moment, RaceId};
use super::secrets;
use super::store::Journal;
use super::writer::Transaction;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gm_core::ids::TeamId;
use sqlx::Row as _;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use std::fmt;

/// The name of a token: `tok-` and 16 hex digits. It is not its secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(String);

/// A text that can't name a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token's id is tok- and 16 hex digits")]
pub struct BadTokenId;

impl TokenId {
    const PREFIX: &str = "tok-";
    const DIGITS: usize = 16;

    /// A new one, random.
    #[must_use]
    pub fn random() -> TokenId {
        TokenId(format!("{}{:016x}", TokenId::PREFIX, rand::random::<u64>()))
    }

    /// Parses one.
    ///
    /// # Errors
    /// [`BadTokenId`] if it is of another form.
    pub fn parse(text: &str) -> Result<TokenId, BadTokenId> {
        let digits = text.strip_prefix(TokenId::PREFIX).ok_or(BadTokenId)?;
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_one = digits.len() == TokenId::DIGITS && digits.bytes().all(is_hex);
        if is_one { Ok(TokenId(text.to_owned())) } else { Err(BadTokenId) }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// To change things, and to see everything.
    Admin,
    /// To see everything.
    Observer,
}

/// The roles by the words that they are stored under.
const ROLES: [(Role, &str); 2] = [(Role::Admin, "admin"), (Role::Observer, "observer")];

fn role_word(role: Role) -> &'static str {
    ROLES.iter().find_map(|(one, word)| (*one == role).then_some(*word)).unwrap_or_default()
}

/// What is known of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// Its name.
    pub id: TokenId,
    /// What it is good for.
    pub role: Role,
    /// The only race that it is good for; none: all of them, and what belongs to no race.
    pub race: Option<RaceId>,
    /// Whose it is, in words.
    pub note: String,
    /// When it was made.
    pub created_at: Moment,
}

/// Whose a secret is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// It is that of a token.
    Token(TokenRecord),
    /// It is that of a team.
    Team {
        /// In which race.
        race: RaceId,
        /// Which team.
        team: TeamId,
    },
}

/// What became of a token that was to be revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revoked {
    /// It is good for nothing any more.
    Done(TokenRecord),
    /// There is no such token, or it was revoked before. Nothing was written.
    NotThere,
    /// It is the last with which all races can be administered. Nothing was written: nobody could make another.
    LastAdmin,
}

/// A query for tokens with the ids of their races. A statement is a literal, so that nothing from outside gets into it.
macro_rules! tokens {
    ($which:literal) => {
        concat!(
            "SELECT tokens.id, tokens.fingerprint, tokens.role, tokens.note, tokens.created_at, races.race AS race \
             FROM tokens LEFT JOIN races ON races.id = tokens.race ",
            $which
        )
    };
}

impl Journal {
    /// Whose secret this is, if anybody's. One that was revoked or replaced, or whose race was forgotten, is nobody's.
    ///
    /// What is found is found by its fingerprint; how much of a wrong secret was right can't be told from the time,
    /// since its fingerprint has nothing to do with that of a right one.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn who(&self, secret: &str) -> Result<Option<Credential>, JournalError> {
        let fingerprint = secrets::fingerprint(secret);
        let is_it = |row: &SqliteRow, column: &str| -> Result<bool, JournalError> {
            let kept: Vec<u8> = row.try_get(column)?;
            Ok(<[u8; 32]>::try_from(kept).is_ok_and(|kept| secrets::is(secret, &kept)))
        };
        let token = sqlx::query(tokens!("WHERE fingerprint = ? AND revoked_at IS NULL"))
            .bind(fingerprint.as_slice())
            .fetch_optional(self.readers())
            .await?;
        if let Some(row) = token
            && is_it(&row, "fingerprint")?
        {
            return self.token_record(&row).map(|token| Some(Credential::Token(token)));
        }
        let team = sqlx::query(
            "SELECT races.race, teams.team, teams.api_secret FROM teams JOIN races ON races.id = teams.race \
             WHERE teams.api_secret = ?",
        )
        .bind(fingerprint.as_slice())
        .fetch_optional(self.readers())
        .await?;
        match team {
            Some(row) if is_it(&row, "api_secret")? => {
                let race: String = row.try_get("race")?;
                let team: i64 = row.try_get("team")?;
                let damaged = || self.damaged(format!("a team of race {race:?} is not one"));
                Ok(Some(Credential::Team {
                    race: RaceId::parse(&race).map_err(|_| damaged())?,
                    team: TeamId(u32::try_from(team).map_err(|_| damaged())?),
                }))
            }
            _ => Ok(None),
        }
    }

    /// Makes a token.
    ///
    /// # Errors
    /// [`JournalError::SecretTaken`], [`JournalError::CallExists`], and [`JournalError::NoSuchRace`] if it is to be good
    /// for a race that is not here, among others. Nothing was written then.
    pub async fn create_token(
        &self,
        token: &TokenRecord,
        secret: &str,
        call: Option<&Call>,
    ) -> Result<(), JournalError> {
        let fingerprint = secrets::fingerprint(secret);
        let create = CreateToken { token: token.clone(), fingerprint, call: call.cloned() };
        self.transact(create).await.map(drop)
    }

    /// Tokens that are valid, the newest first, at most so many; `before` is the last of the page before.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn tokens(
        &self,
        before: Option<(Moment, TokenId)>,
        most: u32,
    ) -> Result<Vec<TokenRecord>, JournalError> {
        let (at, id) = before.map_or((None, None), |(at, id)| (Some(at.0), Some(id.0)));
        let rows = sqlx::query(tokens!(
            "WHERE revoked_at IS NULL AND (?1 IS NULL OR (tokens.created_at, tokens.id) < (?1, ?2)) \
             ORDER BY tokens.created_at DESC, tokens.id DESC LIMIT ?3"
        ))
        .bind(at)
        .bind(id)
        .bind(i64::from(most))
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(|row| self.token_record(row)).collect()
    }

    /// A token that is valid.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn token(&self, id: &TokenId) -> Result<Option<TokenRecord>, JournalError> {
        let row = sqlx::query(tokens!("WHERE tokens.id = ? AND revoked_at IS NULL"))
            .bind(id.as_str())
            .fetch_optional(self.readers())
            .await?;
        row.map(|row| self.token_record(&row)).transpose()
    }

    /// Revokes a token: its secret is nobody's any more. The last with which all races can be administered stays.
    ///
    /// # Errors
    /// [`JournalError::CallExists`] among others. Nothing was written then.
    pub async fn revoke_token(&self, id: &TokenId, call: Option<&Call>) -> Result<Revoked, JournalError> {
        // What it is does not change; whether it is there, the transaction decides.
        let found = sqlx::query(tokens!("WHERE tokens.id = ?"))
            .bind(id.as_str())
            .fetch_optional(self.readers())
            .await?;
        let found = found.map(|row| self.token_record(&row)).transpose()?;
        let became = self.transact(RevokeToken { id: id.clone(), call: call.cloned() }).await?;
        Ok(match (became, found) {
            (RevokeToken::DONE, Some(token)) => Revoked::Done(token),
            (RevokeToken::LAST_ADMIN, _) => Revoked::LastAdmin,
            _ => Revoked::NotThere,
        })
    }

    /// Whether there is a valid token with which all races can be administered.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn has_admin(&self) -> Result<bool, JournalError> {
        let has = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM tokens WHERE role = 'admin' AND race IS NULL AND revoked_at IS NULL)",
        )
        .fetch_one(self.readers())
        .await?;
        Ok(has)
    }

    fn token_record(&self, row: &SqliteRow) -> Result<TokenRecord, JournalError> {
        let id: String = row.try_get("id")?;
        let damaged = |column: &str| self.damaged(format!("{column} of token {id:?} is not one"));
        let (race, role): (Option<String>, String) = (row.try_get("race")?, row.try_get("role")?);
        let role = ROLES.iter().find_map(|(one, word)| (*word == role).then_some(*one));
        Ok(TokenRecord {
            id: TokenId::parse(&id).map_err(|_| damaged("id"))?,
            role: role.ok_or_else(|| damaged("role"))?,
            race: race.map(|race| RaceId::parse(&race)).transpose().map_err(|_| damaged("race"))?,
            note: row.try_get("note")?,
            created_at: Moment(row.try_get("created_at")?),
        })
    }
}

/// A team in the database: the number of its race, and its own.
type TeamKey = (i64, i64);

/// Refuses a secret that anybody has already but this team, if it is one's. A revoked token has had it, which is enough.
pub(super) async fn must_be_free(
    connection: &mut SqliteConnection,
    fingerprint: &[u8; 32],
    but_for: Option<TeamKey>,
) -> Result<(), JournalError> {
    let (race, team) = but_for.unzip();
    let is_taken: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM tokens WHERE fingerprint = ?1) \
         OR EXISTS (SELECT 1 FROM teams WHERE api_secret = ?1 AND NOT (race IS ?2 AND team IS ?3))",
    )
    .bind(fingerprint.as_slice())
    .bind(race)
    .bind(team)
    .fetch_one(connection)
    .await?;
    if is_taken { Err(JournalError::SecretTaken) } else { Ok(()) }
}

struct CreateToken {
    token: TokenRecord,
    fingerprint: [u8; 32],
    call: Option<Call>,
}

impl Transaction for CreateToken {
    fn is_synced(&self) -> bool {
        true
    }

    fn write<'c>(&'c self, connection: &'c mut SqliteConnection) -> BoxFuture<'c, Result<i64, JournalError>> {
        async move {
            let CreateToken { token, fingerprint, call } = self;
            call::must_be_new(connection, call.as_ref()).await?;
            must_be_free(connection, fingerprint, None).await?;
            let race: Option<i64> = match &token.race {
                None => None,
                Some(race) => Some(
                    sqlx::query_scalar("SELECT id FROM races WHERE race = ?")
                        .bind(race.as_str())
                        .fetch_optional(&mut *connection)
                        .await?
                        .ok_or_else(|| JournalError::NoSuchRace(race.clone()))?,
                ),
            };
            sqlx::query(
                "INSERT INTO tokens (id, fingerprint, role, race, note, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            )
            .bind(token.id.as_str())
            .bind(fingerprint.as_slice())
            .bind(role_word(token.role))
            .bind(race)
            .bind(token.note.as_str())
            .bind(token.created_at.0)
            .execute(&mut *connection)
            .await?;
            call::keep(connection, call.as_ref()).await?;
            Ok(0)
        }
        .boxed()
    }
}

struct RevokeToken {
    id: TokenId,
    call: Option<Call>,
}

impl RevokeToken {
    const NOT_THERE: i64 = 0;
    const DONE: i64 = 1;
    const LAST_ADMIN: i64 = 2;
}

impl Transaction for RevokeToken {
    fn is_synced(&self) -> bool {
        true
    }

    fn write<'c>(&'c self, connection: &'c mut SqliteConnection) -> BoxFuture<'c, Result<i64, JournalError>> {
        async move {
            let RevokeToken { id, call } = self;
            call::must_be_new(connection, call.as_ref()).await?;
            let is_admin_of_all: Option<bool> = sqlx::query_scalar(
                "SELECT role = 'admin' AND race IS NULL FROM tokens WHERE id = ? AND revoked_at IS NULL",
            )
            .bind(id.as_str())
            .fetch_optional(&mut *connection)
            .await?;
            let Some(is_admin_of_all) = is_admin_of_all else { return Ok(RevokeToken::NOT_THERE) };
            let admins: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM tokens WHERE role = 'admin' AND race IS NULL AND revoked_at IS NULL",
            )
            .fetch_one(&mut *connection)
            .await?;
            if is_admin_of_all && admins <= 1 {
                return Ok(RevokeToken::LAST_ADMIN);
            }
            sqlx::query("UPDATE tokens SET revoked_at = ? WHERE id = ?")
                .bind(Moment::now().0)
                .bind(id.as_str())
                .execute(&mut *connection)
                .await?;
            call::keep(connection, call.as_ref()).await?;
            Ok(RevokeToken::DONE)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests;
