//! How strong an AI is, as information: duels against the yardsticks, each deal played from both seats.
//!
//! ```text
//! strength: 0.71 ± 0.05 against greedy (5 weapons each, 210 duels: 140 won, 18 drawn, 52 lost; seed 1)
//! ```

use super::AiTalk;
use super::positions::mirrored;
use super::yardstick::Yardstick;
use gm_core::arena::duel::{Duel, Outcome, Side};
use gm_core::arena::{NoClock, Player, play};
use gm_core::contract::{DuelQuestion, Fault};
use gm_core::ids::{CarId, TurnNo};
use gm_core::random::{Purpose, Seed};
use std::convert::Infallible;
use std::time::Instant;

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

/// Plays against each yardstick for an equal part of the time that the settings give, and says what came of it.
pub(super) async fn measure(talk: &mut AiTalk) -> Vec<String> {
    let (seed, time) = (talk.settings().seed, talk.settings().strength);
    let mut lines = Vec::new();
    if time.is_zero() {
        return lines;
    }
    for yardstick in Yardstick::ALL {
        let started = Instant::now();
        let mut sums = [0_u32; 3];
        let mut pairs = Vec::new();
        let part = time / u32::try_from(Yardstick::ALL.len()).expect("a few yardsticks");
        for deal in 0..u64::from(MOST_DUELS / 2) {
            if started.elapsed() >= part {
                break;
            }
            let mut pair = 0.0;
            for half in 0..2 {
                let side = mirrored(half);
                let outcome = duel(talk, yardstick, seed.wrapping_add(deal), WEAPONS, side).await;
                let (place, score) = match outcome.winner {
                    Some(winner) if winner == side => (0, 1.0),
                    None => (1, 0.5),
                    Some(_) => (2, 0.0),
                };
                sums[place] += 1;
                pair += score / 2.0;
            }
            pairs.push(pair);
        }
        let (mean, half_width) = interval(&pairs);
        let [won, drawn, lost] = sums;
        lines.push(format!(
            "strength: {mean:.2} ± {half_width:.2} against {} ({WEAPONS} weapons each, {} duels: {won} won, {drawn} \
             drawn, {lost} lost; seed {seed})",
            yardstick.name(),
            won + drawn + lost
        ));
    }
    lines
}

/// The mean, and half of the width of its 95 % interval by the normal distribution.
fn interval(scores: &[f64]) -> (f64, f64) {
    let n = scores.len() as f64;
    if scores.is_empty() {
        return (0.0, 1.0);
    }
    let mean = scores.iter().sum::<f64>() / n;
    if scores.len() < 2 {
        return (mean, 1.0);
    }
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, 1.96 * (variance / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals() {
        assert_eq!(interval(&[]), (0.0, 1.0));
        assert_eq!(interval(&[1.0]), (1.0, 1.0));
        assert_eq!(interval(&[0.5; 9]), (0.5, 0.0));
        let (mean, half_width) = interval(&[0.0, 1.0, 0.0, 1.0]);
        assert!((mean - 0.5).abs() < 1e-9 && (half_width - 0.5658).abs() < 1e-3, "{mean} {half_width}");
    }
}
