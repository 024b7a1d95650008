//! Tokens: who else is an admin or an observer.

use super::Admin;
use crate::api::convert::moment;
use crate::api::error::ApiError;
use crate::api::field::Fields;
use crate::api::once::{Made, RequestId};
use crate::api::page::{self, Page};
use crate::api::{race_id, secret, wire};
use crate::journal::Moment;
use crate::journal::access::{Revoked, Role, TokenId, TokenRecord};
use prost::Message as _;
use tonic::Code;

/// The most characters of a note.
const LONGEST_NOTE: usize = 200;
/// The list of tokens, for its pages.
const TOKENS: &str = "tokens";

impl Admin {
    pub(super) async fn create_token(
        &self,
        request: wire::CreateTokenRequest,
    ) -> Result<wire::CreateTokenResponse, ApiError> {
        let mut fields = Fields::default();
        let id = RequestId::of_admin(&request.request_id, &mut fields);
        let role = fields.value("role", request.role, |role| match role {
            wire::TokenRole::Unspecified => None,
            wire::TokenRole::Admin => Some(Role::Admin),
            wire::TokenRole::Observer => Some(Role::Observer),
        });
        let race = (!request.race_id.is_empty()).then(|| race_id(&request.race_id, &mut fields)).flatten();
        if role == Some(Role::Admin) && !request.race_id.is_empty() {
            fields.wrong("race_id", "an admin's token is for all races: leave it out");
        }
        if request.note.chars().count() > LONGEST_NOTE || request.note.chars().any(char::is_control) {
            fields.wrong("note", "must have at most 200 characters, none of them a control character");
        }
        let purpose = if role == Some(Role::Admin) { "admin" } else { "observer" };
        let secret = secret::brought(&request.secret, purpose, "secret", &mut fields);
        let ((id, role), secret) = fields.finish(id.zip(role).zip(secret))?;
        if let Some(race) = &race {
            self.api.record(race).await?;
        }
        let token = TokenRecord {
            id: TokenId::random(),
            role,
            race,
            note: request.note.clone(),
            created_at: Moment::now(),
        };
        let answer = wire_token(token.clone()).encode_to_vec();
        let made = self.api.once("CreateToken", &id, &request, answer, async |call| {
            self.api.journal().create_token(&token, &secret, Some(&call)).await?;
            Ok(())
        });
        match made.await? {
            Made::Now(()) => Ok(wire::CreateTokenResponse { token: Some(wire_token(token)), secret }),
            Made::Before(token) => {
                Ok(wire::CreateTokenResponse { token: Some(told_before(&token)?), secret: String::new() })
            }
        }
    }

    pub(super) async fn list_tokens(
        &self,
        request: wire::ListTokensRequest,
    ) -> Result<wire::ListTokensResponse, ApiError> {
        let mut fields = Fields::default();
        let page: Page<(Moment, String)> =
            Page::read(TOKENS, request.page_size, &request.page_token, &mut fields);
        let page = fields.finish(Some(page))?;
        let before = page.after.and_then(|(at, id)| Some((at, TokenId::parse(&id).ok()?)));
        // One more than is shown tells whether there is another page.
        let tokens = self.api.journal().tokens(before, page.size + 1).await?;
        let place = |token: &TokenRecord| (token.created_at, token.id.as_str().to_owned());
        let (shown, next_page_token) = page::cut(TOKENS, tokens, page.size, place)?;
        let tokens = shown.into_iter().map(wire_token).collect();
        Ok(wire::ListTokensResponse { tokens, next_page_token })
    }

    pub(super) async fn revoke_token(
        &self,
        request: wire::RevokeTokenRequest,
    ) -> Result<wire::RevokeTokenResponse, ApiError> {
        let mut fields = Fields::default();
        let id = RequestId::of_admin(&request.request_id, &mut fields);
        let token = fields.parsed("token_id", TokenId::parse(&request.token_id));
        let (id, token) = fields.finish(id.zip(token))?;
        // What it is does not change by being revoked; one that is not there was perhaps revoked by this very request.
        let found = self.api.journal().token(&token).await?.map(wire_token).unwrap_or_default();
        let made =
            self.api.once("RevokeToken", &id, &request, found.encode_to_vec(), async |call| {
                match self.api.journal().revoke_token(&token, Some(&call)).await? {
                    Revoked::Done(token) => Ok(token),
                    Revoked::NotThere => Err(no_token(token.as_str())),
                    Revoked::LastAdmin => Err(ApiError::new(
                        Code::FailedPrecondition,
                        "LAST_ADMIN",
                        "it is the last admin's token: create another one first",
                    )),
                }
            });
        let token = match made.await? {
            Made::Now(token) => {
                self.api.access().has_changed();
                wire_token(token)
            }
            Made::Before(token) => told_before(&token)?,
        };
        Ok(wire::RevokeTokenResponse { token: Some(token) })
    }
}

/// The token that a call was answered with before.
fn told_before(answer: &[u8]) -> Result<wire::Token, ApiError> {
    wire::Token::decode(answer).map_err(|error| ApiError::internal(&error))
}

fn no_token(id: &str) -> ApiError {
    ApiError::not_found(
        "NO_SUCH_TOKEN",
        format!("there is no valid token {id}: ListTokens names those that are"),
    )
}

fn wire_token(token: TokenRecord) -> wire::Token {
    let role = match token.role {
        Role::Admin => wire::TokenRole::Admin,
        Role::Observer => wire::TokenRole::Observer,
    };
    wire::Token {
        token_id: token.id.as_str().to_owned(),
        role: role.into(),
        race_id: token.race.map(String::from).unwrap_or_default(),
        note: token.note,
        created_at: Some(moment(token.created_at)),
    }
}
