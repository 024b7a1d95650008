//! G-4: a duel of a team's AI against the pirates', outside of the race (R-6, R-5.1).
//!
//! ```text
//! Started   seed 7, 5 cards each
//! Exchange  GET https://ai.example/play?yourmoves=[]&…: 200 {"res":[3]} in 41 ms
//! Turn      seat 0 at distance 22 with 1 3 3 5 5: moves 3, draws 2
//! Turn      seat 1 at distance 19 with 1 2 2 4 4: moves 4, draws 1
//! …
//! Over      white won: the other was hit
//! ```
//!
//! It is played as the race plays its duels, by the same referee, clock and lines, with the race's pirates. The cards
//! and who begins come from the seed, out of streams of turn 0, in which a race has no duel.

use super::{Permit, Steps, Teller, aside};
use crate::drive::{HttpDuelAi, HttpWorld};
use crate::durable::{Live, duel_request};
use crate::journal::Port;
use crate::team_log::{Asked, Came, Shown};
use gm_core::arena::duel::board::MAX_TURNS;
use gm_core::arena::duel::{Board, Duel, Side, Transcript, Turn};
use gm_core::contract::{Answer, DuelQuestion, DuelUrl, Fault};
use gm_core::ids::{CarId, TeamId, TurnNo};
use gm_core::ports::{Chain, DuelAi, Duellist, Topic, World};
use gm_core::race::ValidRules;
use gm_core::race::duel::between;
use gm_core::random::{Purpose, Seed};
use std::time::Duration;

/// Room for all steps: the first and the last, an exchange and a turn for each turn.
const ROOM: usize = 2 + 2 * MAX_TURNS;

/// What is to be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuelTrial {
    /// The team whose AI it is.
    pub team: TeamId,
    /// The AI (C-16). It sits at seat 0.
    pub url: DuelUrl,
    /// Weapons of the team's side: a card each, as far as there are cards and the rules allow (R-6.1).
    pub weapons: u32,
    /// Weapons of the pirates.
    pub other_weapons: u32,
    /// The seed of the cards, of who begins, and of the pirates' dice.
    pub seed: Seed,
    /// The race's: the most cards of a hand, the limit of a duel (R-6.8), which AI the pirates have.
    pub rules: ValidRules,
}

/// A step of a test duel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The duel begins.
    Started {
        /// Its seed.
        seed: Seed,
        /// How many cards the team's side and the pirates were dealt (R-6.1).
        hand_sizes: [u8; 2],
    },
    /// The team's AI was asked, and this came of it.
    Exchange(Box<Asked>),
    /// A turn was played.
    Turn(Turned),
    /// The duel has ended: all of it, and in its outcome who won and why. The last step.
    Over(Box<Transcript>),
}

/// A turn that was played, with what is seen of it when a duel is over: in a test nothing is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turned {
    /// The distance before the turn, 1 to 22 (R-6.1).
    pub distance: u8,
    /// Both hands before the turn, lowest card first: the team's, the pirates'.
    pub hands: [Vec<u8>; 2],
    /// The turn.
    pub turn: Turn,
}

/// Plays a test duel. Its last step is [`Step::Over`], unless it is given up: for a reader that is gone, or where the
/// game master has no time for it.
///
/// Must be called within a tokio runtime.
pub fn play(world: &HttpWorld, permit: Permit, trial: DuelTrial) -> Steps<Step> {
    let limit = Duration::from_secs(trial.rules.duel_limit.0.into());
    let (world, name) = aside(world);
    Steps::begin(permit, ROOM, limit, |teller| async move {
        let DuelTrial { team, url, weapons, other_weapons, seed, rules } = trial;
        let chain = Chain { turn: TurnNo(0), topic: Topic::PirateDuel, car: CarId(0) };
        let dice = |purpose| seed.stream(chain.turn, purpose, chain.car);
        let pirates = Duellist::Pirates {
            chain: Chain { topic: Topic::PirateMind, ..chain },
            mind: rules.pirates.mind,
            seed: dice(Purpose::PirateMind).bits(),
        };
        let ([team_ai, pirate_ai], clock) =
            world.duel([Duellist::Car { chain, team, url: url.clone() }, pirates], rules.duel_limit);
        let telling = Telling { teller: teller.clone(), url, chain: format!("{name}-{chain}"), number: 0 };
        let ais = [Heard { ai: team_ai, telling: Some(telling) }, Heard { ai: pirate_ai, telling: None }];

        let duel = Duel::deal(&mut dice(Purpose::PirateDuel), [weapons, other_weapons], rules.hand_limit);
        let hand_sizes = Side::BOTH.map(|side| duel.board().hand_size(side));
        teller.tell(Step::Started { seed, hand_sizes });
        let (mut before, mut shown) = (*duel.board(), 0);
        let fought = between(duel, ais, clock, |duel| {
            if let Some(turn) = duel.transcript().turns.get(shown) {
                teller.tell(Step::Turn(Turned::from(&before, turn)));
                shown += 1;
            }
            before = *duel.board();
        });
        let transcript = fought.await.transcript;
        teller.tell(Step::Over(Box::new(transcript)));
    })
}

impl Turned {
    fn from(before: &Board, turn: &Turn) -> Turned {
        Turned {
            distance: before.distance(),
            hands: Side::BOTH.map(|side| before.hand(side).cards()),
            turn: turn.clone(),
        }
    }
}

/// An AI at its seat, and who is told what it was asked: nobody of the pirates, whose hand and turns say it all.
struct Heard {
    ai: HttpDuelAi,
    telling: Option<Telling>,
}

struct Telling {
    teller: Teller<Step>,
    url: DuelUrl,
    chain: String,
    number: u32,
}

impl DuelAi for Heard {
    async fn exchange(&mut self, question: &DuelQuestion) -> Result<Answer, Fault> {
        let outcome = self.ai.exchange(question).await;
        if let Some(Telling { teller, url, chain, number }) = &mut self.telling {
            *number = number.saturating_add(1);
            let deviations = outcome.as_ref().map(DuelQuestion::deviations).unwrap_or_default();
            teller.tell(Step::Exchange(Box::new(Asked {
                chain: chain.clone(),
                port: Port::Ai,
                number: *number,
                car: None,
                request: Shown::of(duel_request(Some(url), question).as_bytes()),
                came: Came::of_answer(&outcome),
                deviations: deviations.iter().map(ToString::to_string).collect(),
                latency: self.ai.latency(),
            })));
        }
        outcome
    }
}
