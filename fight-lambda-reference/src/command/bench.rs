//! `fight-lambda bench`: how much better is one AI than another?

use super::{Failure, Format};
use clap::Args;
use fight_lambda_reference::bench::{Bench, Contender, Report, Tally, Terms, pair};
use indicatif::{ProgressBar, ProgressStyle};
use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Instant;

/// What `fight-lambda bench --help` says first.
pub(super) const ABOUT: &str = "\
Plays many duels between two AIs, and says how much better the first one is.

Each deal, the order of the pile and who plays first, is played twice with the seats swapped, so that luck helps both
alike. The score is A's mean: 1 for a win, 0.5 for a draw, 0 for a loss; its 95 % interval is made of the means of such
pairs.";

/// What it says last.
const EXAMPLES: &str = "\
Who plays:
  random, greedy, careful   answer at once
  search                    thinks for 20 ms, or as long as is said: search:5ms, search:2000 (plays judged)
  ismcts                    the yardstick, a plain tree search of 10000 iterations, or as many as is said: ismcts:1000
  http://… or https://…     any AI, asked as the game master does, with 2 s for an answer (A-1 to A-4)

Examples:
  fight-lambda bench --a search --b greedy --duels 1000
  fight-lambda bench --a http://127.0.0.1:8081/action --b careful --weapons 3 --other-weapons 8
  fight-lambda bench --a search:5000 --b ismcts:1000 --duels 10000 --format json
  fight-lambda bench --a search:2000 --b greedy --duels 2000 --at-least 0.7     a test, for CI

With a budget that is a number the same seed gives the same duels, however many are played at once.
With a time budget, more jobs than processors take time from each other; for latencies that can be trusted, let --jobs
be less than the processors.

Ctrl-C shows what was played so far.

Exit code: 0 played; 1 an AI can't be reached, or a bound was missed; 2 asked wrongly; 130 broken off.";

/// What it is told.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, after_help = "More, with examples: --help")]
pub(crate) struct Options {
    /// The AI whose score is told
    #[arg(long, value_name = "NAME|URL", default_value = "search")]
    a: Contender,

    /// The AI that it is measured against
    #[arg(long, value_name = "NAME|URL", default_value = "greedy")]
    b: Contender,

    /// The weapons of A's car, and so its cards: 1 to 25
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=25))]
    weapons: u32,

    /// The weapons of B's car; as many as A's unless it is given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=25))]
    other_weapons: Option<u32>,

    /// How many duels; an odd number is rounded up
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1_000,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    duels: u32,

    /// The seed of the deals and of the AIs' dice
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// How many pairs of duels are played at once; as many as there are processors unless it is given, and one where an
    /// AI is at a URL
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,

    /// Fails if the score is below this for certain: if its whole interval is
    #[arg(long, value_name = "SCORE", value_parser = score)]
    at_least: Option<f64>,

    /// Fails unless the score is above this for certain: unless its whole interval is
    #[arg(long, value_name = "SCORE", value_parser = score)]
    above: Option<f64>,

    /// How it is told
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn score(text: &str) -> Result<f64, String> {
    let score = text.parse().ok().filter(|score| (0.0..=1.0).contains(score));
    score.ok_or_else(|| "a score is a number from 0 to 1, as 0.58".to_owned())
}

/// Plays, and tells what came of it.
pub(super) async fn run(options: &Options) -> Result<(), Failure> {
    let terms = Terms {
        contenders: [options.a.clone(), options.b.clone()],
        weapons: [options.weapons, options.other_weapons.unwrap_or(options.weapons)],
        seed: options.seed,
    };
    let interrupted =
        crate::interrupted().map_err(|why| Failure::Failed(format!("can't wait for Ctrl-C: {why}")))?;
    tokio::pin!(interrupted);
    let bench = tokio::select! {
        bench = Bench::prepare(terms.clone()) => bench.map_err(|why| Failure::Failed(why.to_string()))?,
        () = &mut interrupted => return Err(Failure::Interrupted),
    };
    let jobs = match options.jobs {
        Some(jobs) => usize::from(jobs),
        None if bench.is_far() => 1,
        None => available_parallelism().map_or(1, NonZero::get),
    };
    let pairs = options.duels.div_ceil(pair::DUELS);
    let asked = u64::from(pairs) * u64::from(pair::DUELS);

    let bar = progress(asked);
    let begun = Instant::now();
    let mut running = bench.start(pairs, jobs);
    let mut tally = Tally::default();
    let broken_off = loop {
        tokio::select! {
            played = running.next() => match played {
                None => break false,
                Some(pair) => {
                    tally.add(&pair);
                    bar.inc(pair::DUELS.into());
                    bar.set_message(tally.score().map_or_else(String::new, |score| format!("score {score:.3}, ")));
                }
            },
            () = &mut interrupted => break true,
        }
    };
    bar.finish_and_clear();

    let report = Report::new(&terms, asked, &tally, begun.elapsed(), jobs);
    options.format.tell(&report)?;
    if broken_off {
        return Err(Failure::Interrupted);
    }
    if report.partial {
        return Err(Failure::Failed(
            "duels were not played to their end: an AI has a bug, see above".to_owned(),
        ));
    }
    let interval = report.interval.map_or_else(
        || "nothing, from so few duels".to_owned(),
        |[low, high]| format!("{low:.4} to {high:.4}"),
    );
    match (options.at_least, options.above) {
        (Some(bound), _) if report.is_below(bound) => {
            Err(Failure::Failed(format!("the score is not at least {bound}: it is {interval}")))
        }
        (_, Some(bound)) if !report.is_above(bound) => {
            Err(Failure::Failed(format!("the score is not above {bound} for certain: it is {interval}")))
        }
        _ => Ok(()),
    }
}

/// How far it is, on a terminal alone.
fn progress(duels: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} duels, {msg}{eta} left");
    ProgressBar::new(duels).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
