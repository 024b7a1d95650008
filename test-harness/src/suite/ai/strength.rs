//! How strong an AI is, as information: duels against the yardsticks, each deal played from both seats.
//!
//! ```text
//! strength: 0.71 ± 0.05 against greedy (5 weapons each, 210 duels: 140 won, 18 drawn, 52 lost; seed 1)
//! ```

use super::AiTalk;
use super::positions::mirrored;
use super::yardstick::Yardstick;
use gm_core::arena::duel::{Duel, Outcome, Reason, Side};
use gm_core::arena::{NoClock, Player, play};
use gm_core::contract::{DuelQuestion, Fault};
use gm_core::ids::{CarId, TurnNo};
use gm_core::random::{Purpose, Seed};
use std::convert::Infallible;
use tokio::time::timeout;

/// How many weapons both have.
const WEAPONS: u32 = 5;

/// The most duels against one yardstick.
const MOST_DUELS: u32 = 1_000;

/// Who sits at the two seats.
enum Duellist<'t> {
    Asked(&'t mut AiTalk),
    InProcess(Yardstick, u64),
}

impl Player<Duel> for Duellist<'_> {
    async fn ask(&mut self, question: &DuelQuestion) -> Result<Vec<u8>, Fault> {
        match self {
            Duellist::Asked(talk) => talk.ask(question).await.map_err(|_| Fault::NotTheValue),
            Duellist::InProcess(yardstick, seed) => Ok(yardstick.plays(question, *seed)),
        }
    }

    async fn notify(&mut self, notice: &Infallible) {
        match *notice {}
    }
}

/// Plays one duel against a yardstick, with the AI on this side.
pub(super) async fn duel(
    talk: &mut AiTalk,
    yardstick: Yardstick,
    seed: u64,
    weapons: u32,
    side: Side,
) -> Outcome {
    let mut stream = Seed(seed).stream(TurnNo(1), Purpose::Duel, CarId(1));
    let mut duel = Duel::deal(&mut stream, [weapons; 2], None);
    let asked = Duellist::Asked(talk);
    let other = Duellist::InProcess(yardstick, seed);
    let mut players = if side == Side::White { [asked, other] } else { [other, asked] };
    let played = play(&mut duel, &mut players, &mut NoClock).await;
    played.expect("a duel ends after at most 25 turns (R-6.8)").outcome
}

/// What came of the duels against one yardstick.
#[derive(Debug, Clone, PartialEq, Default)]
struct Tally {
    won: u32,
    drawn: u32,
    lost: u32,
    /// Those of the lost that were lost by an illegal play, or by no usable answer (R-6.3).
    thrown_away: u32,
    /// The mean score of each deal, which was played from both seats.
    pairs: Vec<f64>,
}

impl Tally {
    /// Adds the two duels of one deal, in which the AI sat on these sides.
    fn add(&mut self, pair: [(Side, Outcome); 2]) {
        let mut score = 0.0;
        for (side, outcome) in pair {
            let (count, points) = match outcome.winner {
                Some(winner) if winner == side => (&mut self.won, 1.0),
                None => (&mut self.drawn, 0.5),
                Some(_) => (&mut self.lost, 0.0),
            };
            *count += 1;
            score += points / 2.0;
            let is_thrown = matches!(outcome.reason, Reason::Illegal(_) | Reason::Fault(_));
            self.thrown_away += u32::from(is_thrown && outcome.loser() == Some(side));
        }
        self.pairs.push(score);
    }

    /// What there is to say.
    fn line(&self, against: Yardstick, seed: u64) -> String {
        let name = against.name();
        let Tally { won, drawn, lost, thrown_away, pairs } = self;
        if pairs.is_empty() {
            return format!("strength: unknown against {name}: two duels take longer than there was time");
        }
        let (mean, half_width) = interval(pairs);
        let thrown_away = match thrown_away {
            0 => String::new(),
            n => format!(", {n} of them by an illegal play or without an answer"),
        };
        format!(
            "strength: {mean:.2} ± {half_width:.2} against {name} ({WEAPONS} weapons each, {} duels: {won} won, {drawn} \
             drawn, {lost} lost{thrown_away}; seed {seed})",
            won + drawn + lost
        )
    }
}

/// Plays against each yardstick for an equal part of the time that the settings give, and says what came of it. What
/// is under way when the time is over is broken off, and not counted.
pub(super) async fn measure(talk: &mut AiTalk) -> Vec<String> {
    let (seed, time) = (talk.settings().seed, talk.settings().strength);
    let mut lines = Vec::new();
    if time.is_zero() {
        return lines;
    }
    let part = time / u32::try_from(Yardstick::ALL.len()).expect("a few yardsticks");
    for yardstick in Yardstick::ALL {
        let mut tally = Tally::default();
        let in_time = timeout(part, duels(talk, yardstick, seed, &mut tally)).await;
        if in_time.is_err() {
            talk.hang_up();
        }
        lines.push(tally.line(yardstick, seed));
    }
    lines
}

/// Plays each deal from both seats.
async fn duels(talk: &mut AiTalk, yardstick: Yardstick, seed: u64, tally: &mut Tally) {
    for deal in 0..u64::from(MOST_DUELS / 2) {
        let seed = seed.wrapping_add(deal);
        let [one, other] = [0, 1].map(mirrored);
        let first = duel(talk, yardstick, seed, WEAPONS, one).await;
        let second = duel(talk, yardstick, seed, WEAPONS, other).await;
        tally.add([(one, first), (other, second)]);
    }
}

/// The mean, and half of the width of its 95 % interval: by the normal distribution, or, where all scores are the same,
/// by the rule of three.
fn interval(scores: &[f64]) -> (f64, f64) {
    let n = scores.len() as f64;
    if scores.is_empty() {
        return (0.0, 1.0);
    }
    let mean = scores.iter().sum::<f64>() / n;
    let all_the_same = scores.windows(2).all(|two| two[0] == two[1]);
    if all_the_same {
        return (mean, (3.0 / n).min(1.0));
    }
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, 1.96 * (variance / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::arena::duel::Illegal;

    #[test]
    fn r_6_3_a_tally_in_words() {
        let mut tally = Tally::default();
        let line = tally.line(Yardstick::Greedy, 7);
        assert_eq!(line, "strength: unknown against greedy: two duels take longer than there was time");
        let ended = |winner, reason| Outcome { winner, reason };
        let [one, other] = [Side::White, Side::Black];
        tally.add([(one, ended(Some(one), Reason::Hit)), (other, ended(None, Reason::EmptyPile))]);
        let illegal = ended(Some(other), Reason::Illegal(Illegal::Empty));
        tally.add([(one, illegal), (other, illegal)]);
        assert_eq!(tally.pairs, [0.75, 0.5]);
        assert_eq!(
            tally.line(Yardstick::Greedy, 7),
            "strength: 0.62 ± 0.24 against greedy (5 weapons each, 4 duels: 2 won, 1 drawn, 1 lost, 1 of them by an \
             illegal play or without an answer; seed 7)"
        );
    }

    #[test]
    fn intervals() {
        assert_eq!(interval(&[]), (0.0, 1.0));
        assert_eq!(interval(&[1.0]), (1.0, 1.0));
        assert_eq!(interval(&[0.5; 30]), (0.5, 0.1));
        let (mean, half_width) = interval(&[0.0, 1.0, 0.0, 1.0]);
        assert!((mean - 0.5).abs() < 1e-9 && (half_width - 0.5658).abs() < 1e-3, "{mean} {half_width}");
    }
}
