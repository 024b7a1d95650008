//! `gm duel`: a duel that was played in a race, card by card, and one to test an AI (R-6, G-4).
//!
//! ```text
//! gm duel test http://127.0.0.1:9000/      against the pirates' AI, outside of any race
//! gm duel show 12 1                        the first duel of turn 12
//! ```

use super::car::exchanged;
use super::connection::{Server, call};
use super::shown::{cell, list, say, say_json};
use super::which::WhichRace;
use super::words;
use crate::api::wire;
use crate::cli::Failure;
use clap::{Args, Subcommand};
use fight_lambda_reference::Mind;
use wire::test_duel_response::Message;

/// The most weapons of a side: there are no more cards (R-6.1).
const MOST_WEAPONS: i64 = 25;

/// Test a duel AI, and show duels of a race
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(in crate::cli) struct Duel {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Test(Test),
    Show(Show),
}

impl Duel {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Test(test) => test.run().await,
            Command::Show(show) => show.run().await,
        }
    }
}

/// Play a duel of your AI against the pirates', outside of the race
///
/// For teams, by their secret for the API. It changes nothing, and costs nothing. The exit code is 1 if your AI gave no
/// usable answer or an illegal one, and 0 whoever wins.
#[derive(Debug, Args)]
#[command(after_long_help = TEST)]
struct Test {
    /// Where the AI is, http or https
    url: String,

    /// Your weapons, 1 to 25
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=MOST_WEAPONS))]
    weapons: u32,

    /// The pirates' weapons, 1 to 25
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=MOST_WEAPONS))]
    other_weapons: u32,

    /// Which of the pirates' AIs plays, the weakest first [default: the race's]
    #[arg(long, value_enum)]
    mind: Option<Mind>,

    /// Where the cards come from: the same number gives the same cards [default: a new one]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    #[command(flatten)]
    server: Server,
}

const TEST: &str = "Examples:

    gm duel test http://127.0.0.1:9000/
    gm duel test http://127.0.0.1:9000/ --weapons 3 --seed 7
    gm duel test http://127.0.0.1:9000/ --mind greedy";

fn to_wire(mind: Mind) -> wire::PirateMind {
    match mind {
        Mind::Random => wire::PirateMind::Random,
        Mind::Greedy => wire::PirateMind::Greedy,
        Mind::Careful => wire::PirateMind::Careful,
        Mind::Search => wire::PirateMind::Search,
    }
}

impl Test {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let request = wire::TestDuelRequest {
            url: self.url,
            weapons: self.weapons,
            other_weapons: self.other_weapons,
            seed: self.seed,
            mind: self.mind.map_or(wire::PirateMind::Unspecified, to_wire).into(),
        };
        let mut steps = call!(line, team.test_duel(request))?;
        let mut played = None;
        while let Some(step) = steps.message().await.map_err(|status| line.refused(&status))? {
            if line.json {
                say_json(&step)?;
            }
            let said = match step.message {
                Some(Message::Started(started)) => {
                    format!(
                        "cards by seed {}: {} in the hands",
                        started.seed,
                        list(&started.hand_sizes, "none")
                    )
                }
                Some(Message::Exchange(exchange)) => format!("  {}", exchanged(&exchange)),
                Some(Message::Turn(played)) => turn(&played, (0, 0)),
                Some(Message::Duel(duel)) => {
                    let said = format!("after {} turns: {}", duel.turns.len(), cell(&words::outcome(&duel)));
                    played = Some(duel);
                    said
                }
                None => continue,
            };
            if !line.json {
                say(&said)?;
            }
        }
        match played {
            Some(duel) if is_the_ais_fault(&duel) => {
                Err(Failure::because("your AI's answer could not be used"))
            }
            Some(_) => Ok(()),
            None => Err(Failure::because("the duel broke off")),
        }
    }
}

/// Whether the AI at seat 0 has lost by what it answered, and not by its cards.
fn is_the_ais_fault(duel: &wire::Duel) -> bool {
    let by_answer = matches!(duel.end(), wire::DuelEnd::Illegal | wire::DuelEnd::Fault);
    by_answer && duel.winner_seat == Some(1)
}

/// Show a duel of a race, with all its cards
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm duel show 12 1 --race Friday")]
struct Show {
    /// The turn of the race
    turn: u32,

    /// Which duel of the turn, from 1
    #[arg(default_value_t = 1)]
    number: u32,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    server: Server,
}

impl Show {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let request = wire::GetDuelRequest { race_id, turn: self.turn, duel_no: self.number };
        let answer = call!(line, observer.get_duel(request))?;
        line.show(&answer, |answer| in_words(&answer.duel.clone().unwrap_or_default()))
    }
}

fn in_words(duel: &wire::Duel) -> String {
    let cars = cars(duel);
    let (a, b) = (words::seat(0, cars), words::seat(1, cars));
    let mut text = format!("duel {} of turn {}: {a} against {b}\n", duel.duel_no, duel.turn);
    for (seat, hand) in (0..).zip(&duel.dealt) {
        text.push_str(&format!("{} is dealt {}\n", words::seat(seat, cars), list(&hand.cards, "nothing")));
    }
    for played in &duel.turns {
        text.push_str(&format!("{}\n", turn(played, cars)));
    }
    text + &cell(&words::outcome(duel))
}

fn cars(duel: &wire::Duel) -> (u32, u32) {
    (duel.car_ids.first().copied().unwrap_or_default(), duel.car_ids.get(1).copied().unwrap_or_default())
}

/// A turn of a duel in a line.
fn turn(turn: &wire::DuelTurn, cars: (u32, u32)) -> String {
    let mut did = Vec::new();
    if let Some(step) = turn.step {
        did.push(format!("moves {step}"));
    }
    if !turn.attack.is_empty() {
        let parried = if turn.parried == Some(true) { ", parried" } else { ", not parried" };
        did.push(format!("attacks with {}{parried}", list(&turn.attack, "")));
    }
    if !turn.drew.is_empty() {
        did.push(format!("draws {}", list(&turn.drew, "")));
    }
    let (who, hand) = (words::seat(turn.seat, cars), list(&turn.hand, "nothing"));
    format!("{who}, over {} with {hand}: {}", turn.distance, list(&did, "does nothing"))
}
