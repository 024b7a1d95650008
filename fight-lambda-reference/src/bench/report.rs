//! What a bench found: for people ([`fmt::Display`]), and for programs (as JSON).
//!
//! ```text
//! search:20ms against greedy: 0.7612 (95 % interval 0.7413 to 0.7811)
//! 1000 duels, 5 against 5 weapons: 731 won, 60 drawn, 209 lost; 7.3 turns each
//! ```

use super::pair::Terms;
use super::tally::{ENOUGH_PAIRS, Latency, Mishaps, Tally};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What a bench found. As JSON it is one object, whose fields stay as they are; new ones may come.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The AI whose score it is.
    pub a: Side,
    /// The AI that it was measured against.
    pub b: Side,
    /// How many duels were to be played: an even number.
    pub asked: u64,
    /// How many were played.
    pub duels: u64,
    /// Whether it was broken off before all were played.
    pub partial: bool,
    /// How many A won.
    pub wins: u64,
    /// How many were drawn.
    pub draws: u64,
    /// How many A lost.
    pub losses: u64,
    /// A's mean, with 1 for a win, 0.5 for a draw, 0 for a loss; `null` where nothing was played.
    pub score: Option<f64>,
    /// The 95 % interval of the score, low and high; `null` where fewer than two pairs were played.
    pub interval: Option<[f64; 2]>,
    /// The mean number of turns of a duel; `null` where nothing was played.
    pub turns: Option<f64>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Duels in a second.
    pub duels_per_second: f64,
    /// The seed of the deals and of the AIs' dice.
    pub seed: u64,
    /// How many pairs were played at once.
    pub jobs: usize,
    /// The command that plays the same deals again.
    pub again: String,
}

/// One of the two AIs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// Its name with its budget, or its URL.
    pub ai: String,
    /// How many weapons its car has.
    pub weapons: u32,
    /// How many duels it lost by an illegal play (R-6.3).
    pub illegal: u64,
    /// How many duels it lost by no usable answer (R-6.3).
    pub unanswered: u64,
    /// Why, in words, and how often.
    pub reasons: BTreeMap<String, u64>,
    /// How long its moves took, in milliseconds; `null` where it made none.
    pub latency_ms: Option<Latency>,
}

impl Report {
    /// The report on these pairs.
    #[must_use]
    pub fn new(terms: &Terms, asked: u64, tally: &Tally, took: Duration, jobs: usize) -> Report {
        let side = |who: usize| {
            let Mishaps { illegal, unanswered, reasons } = tally.sides[who].clone();
            let (ai, weapons) = (terms.contenders[who].to_string(), terms.weapons[who]);
            Side { ai, weapons, illegal, unanswered, reasons, latency_ms: tally.latency(who) }
        };
        let [wins, draws, losses] = tally.sums;
        let duels = tally.duels();
        let seconds = took.as_secs_f64();
        let [a, b] = [0, 1].map(side);
        let again = format!(
            "fight-lambda bench --a {} --b {} --weapons {} --other-weapons {} --duels {asked} --seed {}",
            quoted(&a.ai),
            quoted(&b.ai),
            a.weapons,
            b.weapons,
            terms.seed
        );
        Report {
            a,
            b,
            asked,
            duels,
            partial: duels < asked,
            wins,
            draws,
            losses,
            score: tally.score(),
            interval: tally.interval(),
            turns: tally.turns(),
            seconds,
            duels_per_second: if seconds > 0.0 { duels as f64 / seconds } else { 0.0 },
            seed: terms.seed,
            jobs,
            again,
        }
    }

    /// Whether the score is below this for certain: the whole interval is.
    #[must_use]
    pub fn is_below(&self, bound: f64) -> bool {
        self.interval.is_some_and(|[_, high]| high < bound)
    }

    /// Whether the score is above this for certain: the whole interval is.
    #[must_use]
    pub fn is_above(&self, bound: f64) -> bool {
        self.interval.is_some_and(|[low, _]| low > bound)
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_./:".contains(it);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { a, b, asked, duels, .. } = self;
        write!(f, "{} against {}: ", a.ai, b.ai)?;
        match (self.score, self.interval) {
            (None, _) => writeln!(f, "nothing was played")?,
            (Some(score), None) => writeln!(f, "{score:.4}")?,
            (Some(score), Some([low, high])) => {
                writeln!(f, "{score:.4} (95 % interval {low:.4} to {high:.4})")?;
            }
        }
        if self.partial {
            writeln!(f, "A partial result: it was broken off after {duels} of {asked} duels.")?;
        }
        if *duels < 2 * ENOUGH_PAIRS {
            writeln!(f, "So few duels say little: play {} or more.", 2 * ENOUGH_PAIRS)?;
        }
        let Report { wins, draws, losses, .. } = self;
        write!(f, "{duels} duels, {} against {} weapons: ", a.weapons, b.weapons)?;
        write!(f, "{wins} won, {draws} drawn, {losses} lost")?;
        match self.turns {
            Some(turns) => writeln!(f, "; {turns:.1} turns each")?,
            None => writeln!(f)?,
        }
        let width = a.ai.chars().count().max(b.ai.chars().count());
        writeln!(f, "\n{:width$}       p50       p99     p99.9       max ms     moves", "latency")?;
        for side in [a, b] {
            write!(f, "{:width$}", side.ai)?;
            match side.latency_ms {
                Some(Latency { moves, p50, p99, p99_9, max }) => {
                    writeln!(f, " {p50:9.3} {p99:9.3} {p99_9:9.3} {max:9.3} {moves:12}")?;
                }
                None => writeln!(f, " made no move")?,
            }
        }
        for side in [a, b].into_iter().filter(|side| side.illegal + side.unanswered > 0) {
            let Side { ai, illegal, unanswered, reasons, .. } = side;
            write!(
                f,
                "\n{ai} lost {illegal} duels by illegal plays and {unanswered} without an answer (R-6.3):"
            )?;
            for (reason, times) in reasons {
                write!(f, "\n  {times} × {reason}")?;
            }
            writeln!(f)?;
        }
        let Report { seconds, duels_per_second, jobs, seed, again, .. } = self;
        let at_once =
            if *jobs == 1 { "one pair at a time".to_owned() } else { format!("{jobs} pairs at once") };
        writeln!(f, "\n{seconds:.1} s, {duels_per_second:.1} duels a second, {at_once}, seed {seed}")?;
        writeln!(f, "again: {again}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::pair::{Mishap, Pair};
    use gm_core::contract::Fault;

    fn report(asked: u64) -> Report {
        let contenders = ["search:20ms", "https://ai.example/a?key=1&b"].map(|it| it.parse().unwrap());
        let terms = Terms { contenders, weapons: [5, 8], seed: 7 };
        let mut tally = Tally::default();
        let mishaps = [vec![], vec![Mishap::Unanswered(Fault::Status(503))]];
        tally.add(&Pair { mishaps, ..pair([2, 0, 0]) });
        tally.add(&pair([0, 2, 0]));
        Report::new(&terms, asked, &tally, Duration::from_millis(2_500), 2)
    }

    fn pair(sums: [u32; 3]) -> Pair {
        Pair {
            sums,
            turns: 13,
            latencies: [vec![20_000_000, 20_500_000], vec![1_000_000]],
            ..Pair::default()
        }
    }

    #[test]
    fn for_people() {
        let expected = "\
search:20ms against https://ai.example/a?key=1&b: 0.7500 (95 % interval 0.2600 to 1.0000)
A partial result: it was broken off after 4 of 6 duels.
So few duels say little: play 60 or more.
4 duels, 5 against 8 weapons: 2 won, 2 drawn, 0 lost; 6.5 turns each

latency                            p50       p99     p99.9       max ms     moves
search:20ms                     20.000    20.500    20.500    20.500            4
https://ai.example/a?key=1&b     1.000     1.000     1.000     1.000            2

https://ai.example/a?key=1&b lost 0 duels by illegal plays and 1 without an answer (R-6.3):
  1 × status 503

2.5 s, 1.6 duels a second, 2 pairs at once, seed 7
again: fight-lambda bench --a search:20ms --b 'https://ai.example/a?key=1&b' --weapons 5 --other-weapons 8 --duels 6 --seed 7
";
        assert_eq!(report(6).to_string(), expected);
    }

    #[test]
    fn for_programs() {
        let json = serde_json::to_value(report(4)).unwrap();
        let expected = serde_json::json!({
            "a": {
                "ai": "search:20ms", "weapons": 5, "illegal": 0, "unanswered": 0, "reasons": {},
                "latency_ms": { "moves": 4, "p50": 20.0, "p99": 20.5, "p99_9": 20.5, "max": 20.5 },
            },
            "b": {
                "ai": "https://ai.example/a?key=1&b", "weapons": 8, "illegal": 0, "unanswered": 1,
                "reasons": { "status 503": 1 },
                "latency_ms": { "moves": 2, "p50": 1.0, "p99": 1.0, "p99_9": 1.0, "max": 1.0 },
            },
            "asked": 4, "duels": 4, "partial": false, "wins": 2, "draws": 2, "losses": 0,
            "score": 0.75, "interval": [json["interval"][0].as_f64(), 1.0], "turns": 6.5,
            "seconds": 2.5, "duels_per_second": 1.6, "seed": 7, "jobs": 2,
            "again": "fight-lambda bench --a search:20ms --b 'https://ai.example/a?key=1&b' --weapons 5 \
                      --other-weapons 8 --duels 4 --seed 7",
        });
        assert_eq!(json, expected);
        assert!((json["interval"][0].as_f64().unwrap() - 0.26).abs() < 1e-9);
    }

    #[test]
    fn nothing_played_is_nothing_known() {
        let terms = Terms {
            contenders: ["greedy", "random"].map(|it| it.parse().unwrap()),
            weapons: [5; 2],
            seed: 1,
        };
        let report = Report::new(&terms, 10, &Tally::default(), Duration::ZERO, 1);
        assert!(report.to_string().starts_with("greedy against random: nothing was played\n"), "{report}");
        assert_eq!((report.score, report.duels_per_second), (None, 0.0));
        assert!(!report.is_below(1.0) && !report.is_above(0.0));
    }

    #[test]
    fn a_bound_is_kept_or_missed_by_the_whole_interval() {
        let report = report(4);
        assert!(!report.is_below(1.0) && !report.is_above(0.3) && report.is_above(0.25));
        let mut low = report;
        low.interval = Some([0.4, 0.6]);
        assert!(low.is_below(0.61) && !low.is_below(0.6));
    }
}
