//! `fight-lambda explain`: a position in words, and what an AI thinks of each legal play.

use super::{Failure, Format};
use clap::Args;
use fight_lambda_reference::Budget;
use fight_lambda_reference::bench::{Contender, Far};
use fight_lambda_reference::explain::{Asked, Explained};

/// What `fight-lambda explain --help` says first.
pub(super) const ABOUT: &str = "\
Shows a position in words, and what an AI thinks of each legal play, the best first.

The position is told as an AI is asked (A-1): lists with brackets or without, a 0 for each card that attacked or
parried.";

/// What it says last.
const EXAMPLES: &str = "\
Examples:
  fight-lambda explain --cards 3,2,1,1,2,2 --yourmoves 1,5,4,1 --othermoves 1,2,2,4 --othernbcards 5
  fight-lambda explain --cards 1,4 --yourmoves 5,5,0,0 --othermoves 5,3,0,0 --othernbcards 3 --seen '{\"distance\":4,
    \"hand_size\":4,\"other_hand_size\":3,\"pile\":12,\"first\":true,\"turns\":[{\"you\":true,\"move\":5},
    {\"you\":false,\"move\":5},{\"you\":true,\"move\":5},{\"you\":false,\"move\":3,\"attack\":[4,4],\"parried\":true}]}'
  fight-lambda explain --cards 1,2,3 --othernbcards 3 --ai ismcts --budget 100000
  fight-lambda explain --cards 1,2,3 --othernbcards 3 --ai http://127.0.0.1:8081/action --format json

A value is the score that the AI expects: 1 for a win, 0.5 for a draw, 0 for a loss; to search, that of a play that
looks bad is what it is at first sight. An AI that does not say what it thinks, as greedy and any at a URL, is shown
with its play.

Exit code: 0 shown; 1 the AI can't be reached or gave no usable answer; 2 the position makes no sense.";

/// What it is told.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, after_help = "More, with examples: --help")]
pub(crate) struct Options {
    /// The hand: 1 to 5 each
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    cards: String,

    /// What you laid down so far, in order; 0 for a card that attacked or parried
    #[arg(long, value_name = "LIST", default_value = "", allow_hyphen_values = true)]
    yourmoves: String,

    /// What the other laid down
    #[arg(long, value_name = "LIST", default_value = "", allow_hyphen_values = true)]
    othermoves: String,

    /// How many cards the other holds
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    othernbcards: String,

    /// What both have seen, as in the header X-EACC-DUEL
    #[arg(long, value_name = "JSON")]
    seen: Option<String>,

    /// The AI: a name, as of `bench`, or a URL
    #[arg(long, value_name = "NAME|URL", default_value = "search")]
    ai: Contender,

    /// For how long it thinks: a time such as 20ms (search alone), or a number such as 5000: plays that search judges,
    /// iterations of ismcts
    #[arg(long, value_name = "BUDGET")]
    budget: Option<Budget>,

    /// The seed of its dice
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// How it is told
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Explains it.
pub(super) async fn run(options: &Options) -> Result<(), Failure> {
    let asked = Asked {
        cards: options.cards.clone(),
        your_moves: options.yourmoves.clone(),
        other_moves: options.othermoves.clone(),
        other_cards: options.othernbcards.clone(),
        seen: options.seen.clone(),
    };
    let question = asked.question().map_err(|bad| Failure::Usage(bad.to_string()))?;
    let mut ai = options.ai.clone();
    if let Some(budget) = options.budget {
        ai = ai.within(budget).map_err(|bad| Failure::Usage(bad.to_string()))?;
    }
    let name = ai.to_string();
    let unasked = Explained::of(&name, &question, Vec::new(), &[]);
    let explained = match (ai.wake(options.seed), ai) {
        (Some(mut mind), _) => Explained::by(&mut *mind, &name, &question),
        // Who can't play is not asked.
        (None, _) if unasked.plays.is_empty() => unasked,
        (None, Contender::Url(url)) => {
            let far = Far::new(url).map_err(Failure::Failed)?;
            let failed = |fault| Failure::Failed(format!("{name} gave no usable answer: {fault}"));
            let play = far.ask(&question).await.map_err(failed)?;
            Explained::of(&name, &question, play, &[])
        }
        (None, _) => return Err(Failure::Failed(format!("{name} can't be asked"))),
    };
    options.format.tell(&explained)
}
