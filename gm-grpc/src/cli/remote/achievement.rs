//! `gm achievements`: which there are, and what the admin does with them by hand (R-9, R-9.1).
//!
//! ```text
//! gm achievements hint mad_max 'drive like there is no tomorrow'
//! gm achievements award mad_max Red
//! ```

use super::connection::{Once, Server, call};
use super::shown::{cell, list, table};
use super::which::{self, WhichRace};
use crate::api::wire;
use crate::cli::Failure;
use clap::{Args, Subcommand};

/// List the achievements, award them by hand, give hints to them, and reveal them
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(in crate::cli) struct Achievements {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Award(Award),
    Hint(Hint),
    Reveal(Reveal),
}

impl Achievements {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::List(list) => list.run().await,
            Command::Award(award) => award.run().await,
            Command::Hint(hint) => hint.run().await,
            Command::Reveal(reveal) => reveal.run().await,
        }
    }
}

/// List the achievements that are shown to you, and the hints to those that are not
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm achievements list --race Friday")]
struct List {
    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    server: Server,
}

impl List {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let snapshot = which::snapshot(&line, &race_id).await?;
        if line.json {
            return snapshot.achievements.iter().try_for_each(super::shown::say_json);
        }
        let rows = snapshot.achievements.iter().map(|it| {
            let id = if it.achievement_id.is_empty() { "hidden" } else { &it.achievement_id };
            vec![cell(id), cell(&it.title), list(&it.team_ids, "nobody"), cell(&it.hint)]
        });
        super::shown::say(&table(
            &["achievement", "title", "teams that have it", "hint"],
            rows.collect(),
            &[],
        ))
    }
}

/// Give a team an achievement by hand, with its dollars and points
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm achievements award mad_max Red")]
struct Award {
    /// Which achievement, by its id: `mad_max`, for instance
    achievement: String,

    /// Which team: its name or number
    team: String,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Award {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let team_id = which::team(&line, &race_id, &self.team).await?;
        let request = wire::AwardAchievementRequest {
            request_id: self.once.id(),
            race_id,
            team_id,
            achievement_id: self.achievement.clone(),
        };
        let awarded = call!(line, admin.award_achievement(request))?;
        line.show(&awarded, |awarded| {
            let team = awarded.team.clone().unwrap_or_default();
            format!("team {} {:?} has {}", team.team_id, cell(&team.name), cell(&self.achievement))
        })
    }
}

/// Publish a hint about an achievement that is hidden
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm achievements hint mad_max 'drive like there is no tomorrow'")]
struct Hint {
    /// Which achievement, by its id: `mad_max`, for instance
    achievement: String,

    /// The hint: everybody can read it
    text: String,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Hint {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let request = wire::PublishHintRequest {
            request_id: self.once.id(),
            race_id,
            achievement_id: self.achievement.clone(),
            hint: self.text,
        };
        let published = call!(line, admin.publish_hint(request))?;
        line.show(&published, |_| format!("the hint to {} is published", cell(&self.achievement)))
    }
}

/// Show an achievement to everybody before a team has it
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm achievements reveal mad_max")]
struct Reveal {
    /// Which achievement, by its id: `mad_max`, for instance
    achievement: String,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Reveal {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let request = wire::RevealAchievementRequest {
            request_id: self.once.id(),
            race_id,
            achievement_id: self.achievement.clone(),
        };
        let revealed = call!(line, admin.reveal_achievement(request))?;
        line.show(&revealed, |_| format!("everybody sees {}", cell(&self.achievement)))
    }
}
