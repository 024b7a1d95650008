//! `gm token`: who else may be an admin or an observer.
//!
//! ```text
//! gm token create observer --race friday --note 'the screen in the hall'
//! gm token revoke 7f3a
//! ```

use super::connection::{Once, Server, call};
use super::shown::{at, cell, table, word};
use super::which::{PAGE, WhichRace, pages};
use crate::api::wire;
use crate::cli::Failure;
use clap::{Args, Subcommand, ValueEnum};

/// Make tokens for admins and observers, list and revoke them
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(in crate::cli) struct Token {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Create(Create),
    List(List),
    Revoke(Revoke),
}

impl Token {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Create(create) => create.run().await,
            Command::List(list) => list.run().await,
            Command::Revoke(revoke) => revoke.run().await,
        }
    }
}

/// Make a token. It is shown this once
#[derive(Debug, Args)]
#[command(after_long_help = CREATE)]
struct Create {
    /// What it is for
    #[arg(value_enum)]
    role: Role,

    /// What people are to know of it, who has it for instance
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    note: String,

    /// The token itself, 16 to 256 visible ASCII characters [default: a new one]
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    secret: String,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

const CREATE: &str = "An observer's token is for the race that is named, or else for all.

Examples:

    gm token create observer --race Friday --note 'the screen in the hall'
    gm token create admin --note Ada";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Role {
    /// May do everything
    Admin,
    /// May watch private races
    Observer,
}

impl Create {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let role = match self.role {
            Role::Admin => wire::TokenRole::Admin,
            Role::Observer => wire::TokenRole::Observer,
        };
        let race_id = self.race.find_if_named(&line).await?;
        let request = wire::CreateTokenRequest {
            request_id: self.once.id(),
            role: role.into(),
            race_id: race_id.unwrap_or_default(),
            note: self.note,
            secret: self.secret,
        };
        let made = call!(line, admin.create_token(request))?;
        line.show(&made, |made| {
            let id = made.token.clone().unwrap_or_default().token_id;
            match made.secret.as_str() {
                "" => format!("token {id} was made, and shown, when this was first asked"),
                secret => format!("token {id}, shown this once:\n    export GM_TOKEN={secret}"),
            }
        })
    }
}

/// List the tokens that are valid, without what must stay secret
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm token list")]
struct List {
    #[command(flatten)]
    server: Server,
}

impl List {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let (tokens, next_page_token) = pages(async |page_token| {
            let request = wire::ListTokensRequest { page_size: PAGE, page_token };
            let page = call!(line, admin.list_tokens(request))?;
            Ok((page.tokens, page.next_page_token))
        })
        .await?;
        let all = wire::ListTokensResponse { tokens, next_page_token };
        line.show(&all, |all| {
            let rows = all.tokens.iter().map(|token| {
                vec![
                    token.token_id.clone(),
                    word(token.role().as_str_name(), "TOKEN_ROLE_"),
                    if token.race_id.is_empty() { "all".to_owned() } else { token.race_id.clone() },
                    at(token.created_at.as_ref()),
                    cell(&token.note),
                ]
            });
            table(&["token", "role", "race", "made (UTC)", "note"], rows.collect(), &[])
        })
    }
}

/// Make a token worthless, at once
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm token revoke 7f3a")]
struct Revoke {
    /// Which: its id, as `gm token list` shows it
    token_id: String,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Revoke {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let request = wire::RevokeTokenRequest { request_id: self.once.id(), token_id: self.token_id };
        let revoked = call!(line, admin.revoke_token(request))?;
        line.show(&revoked, |revoked| {
            format!("token {} is worthless", revoked.token.clone().unwrap_or_default().token_id)
        })
    }
}
