//! Calls that are made once: who sends one again gets the answer that was kept.
//!
//! ```text
//! create_token(…, Some(&call))      the token and the call are written together, or neither is
//! create_token(…, Some(&call))      CallExists: its answer is journal.call(request_id)
//! ```
//!
//! These are calls that change something beside a race's decisions. Those of a decision are kept with it
//! ([`RequestRecord`](super::RequestRecord)).

use super::error::JournalError;
use super::record::Moment;
use super::store::Journal;
use sqlx::Row as _;
use sqlx::sqlite::SqliteConnection;

/// A call that is made once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The id that its sender gave it.
    pub request_id: String,
    /// Which call it is: `gm.v1.AdminService/CreateToken`.
    pub rpc: String,
    /// [Digest](Journal::digest) of the request: another one under the same id is not the same call.
    pub digest: [u8; 32],
    /// What it was answered, without secrets.
    pub answer: Vec<u8>,
}

impl Journal {
    /// The digest of a request, with the key of this journal: a request may hold a secret.
    ///
    /// # Errors
    /// [`JournalError::OnlyRead`].
    pub fn digest(&self, request: &[u8]) -> Result<[u8; 32], JournalError> {
        Ok(self.key()?.digest(request))
    }

    /// A call that was made.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn call(&self, request_id: &str) -> Result<Option<Call>, JournalError> {
        let row = sqlx::query("SELECT * FROM calls WHERE request_id = ?")
            .bind(request_id)
            .fetch_optional(self.readers())
            .await?;
        let Some(row) = row else { return Ok(None) };
        let digest = <[u8; 32]>::try_from(row.try_get::<Vec<u8>, _>("digest")?)
            .map_err(|_| self.damaged(format!("the digest of call {request_id:?} is not one")))?;
        let request_id = row.try_get("request_id")?;
        Ok(Some(Call { request_id, rpc: row.try_get("rpc")?, digest, answer: row.try_get("answer")? }))
    }
}

/// Refuses a call that was made before. Nobody else writes, so it is new until the end of the transaction.
pub(super) async fn must_be_new(
    connection: &mut SqliteConnection,
    call: Option<&Call>,
) -> Result<(), JournalError> {
    let Some(call) = call else { return Ok(()) };
    let is_there: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM calls WHERE request_id = ?)")
        .bind(call.request_id.as_str())
        .fetch_one(connection)
        .await?;
    if is_there { Err(JournalError::CallExists(call.request_id.clone())) } else { Ok(()) }
}

/// Keeps a call [that is new](must_be_new), in the transaction of its effect.
pub(super) async fn keep(connection: &mut SqliteConnection, call: Option<&Call>) -> Result<(), JournalError> {
    let Some(call) = call else { return Ok(()) };
    sqlx::query("INSERT INTO calls (request_id, rpc, digest, answer, at) VALUES (?, ?, ?, ?, ?)")
        .bind(call.request_id.as_str())
        .bind(call.rpc.as_str())
        .bind(call.digest.as_slice())
        .bind(call.answer.as_slice())
        .bind(Moment::now().0)
        .execute(connection)
        .await?;
    Ok(())
}
