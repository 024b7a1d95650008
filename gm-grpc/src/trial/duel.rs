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
//! It is played as the race plays its duels, by the same referee, clock and lines, with one of the pirates' AIs. The cards
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
use gm_core::ports::{Chain, DuelAi, Duellist, PirateMind, Topic, World};
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
    /// Which AI the pirates have (R-5.1).
    pub mind: PirateMind,
    /// The seed of the cards, of who begins, and of the pirates' dice.
    pub seed: Seed,
    /// The race's: the most cards of a hand, the limit of a duel (R-6.8).
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
        let DuelTrial { team, url, weapons, other_weapons, mind, seed, rules } = trial;
        let chain = Chain { turn: TurnNo(0), topic: Topic::PirateDuel, car: CarId(0) };
        let dice = |purpose| seed.stream(chain.turn, purpose, chain.car);
        let pirates = Duellist::Pirates {
            chain: Chain { topic: Topic::PirateMind, ..chain },
            mind,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::tests::raw::{Act, RawServer, Seen, json, say};
    use crate::drive::tests::settings;
    use crate::drive::{Settings, Witness};
    use crate::journal::RaceId;
    use crate::trial::{Limits, Permits, TooMany};
    use fight_lambda_reference::{Mind, handler};
    use gm_core::arena::duel::{Illegal, Outcome, Reason};
    use gm_core::ids::Seconds;
    use gm_core::race::Rules;
    use std::sync::{Arc, Mutex};
    use tokio::sync::Notify;
    use tokio::time::timeout;

    /// More than all of a test may take.
    const LONG: Duration = Duration::from_secs(20);

    fn trial(url: &str, seed: u64) -> DuelTrial {
        DuelTrial {
            team: TeamId(7),
            url: DuelUrl::parse(url).expect("a URL"),
            weapons: 5,
            other_weapons: 4,
            mind: PirateMind::Careful,
            seed: Seed(seed),
            rules: Rules::balanced().validated().expect("good rules"),
        }
    }

    fn permit() -> Permit {
        Permits::default().take(&RaceId::random(), TeamId(7)).expect("the first")
    }

    /// What a careful AI answers.
    fn reference(seen: &Seen) -> Act {
        let target = seen.line.split(' ').nth(1).unwrap_or_default();
        let query = target.split_once('?').map_or("", |(_, query)| query);
        let (_, body) = handler::answer(&mut *Mind::Careful.wake(1), query, seen.header("x-eacc-duel"));
        json(&body.to_string())
    }

    async fn all_steps(settings: Settings, trial: DuelTrial) -> Vec<Step> {
        let world = HttpWorld::new(settings).expect("good settings");
        let mut playing = play(&world, permit(), trial);
        let mut steps = Vec::new();
        while let Some(step) = timeout(LONG, playing.next()).await.expect("a duel ends") {
            steps.push(step);
        }
        steps
    }

    fn transcript(steps: &[Step]) -> &Transcript {
        match steps.last() {
            Some(Step::Over(transcript)) => transcript,
            other => panic!("a duel is over at its end, not {other:?}"),
        }
    }

    fn exchanges(steps: &[Step]) -> Vec<&Asked> {
        fn of(step: &Step) -> Option<&Asked> {
            if let Step::Exchange(asked) = step { Some(asked) } else { None }
        }
        steps.iter().filter_map(of).collect()
    }

    /// Keeps the requests that it sees.
    #[derive(Default)]
    struct Sees(Mutex<Vec<String>>);

    impl Witness for Sees {
        fn asked(&self, asked: &crate::drive::Asked<'_>) {
            self.0.lock().expect("no test panics while it holds this").push(asked.url.to_owned());
        }
    }

    /// G-4: the steps of a duel of a careful AI, what they show, and what of it is in which order. No request
    /// of it can be taken for one of the race's (C-20), no secret is sent to an AI, and the race's witness sees nothing.
    #[tokio::test]
    async fn g_4_a_whole_duel() {
        let witness = Arc::new(Sees::default());
        for seed in 1..=8 {
            let server = RawServer::start(|_, seen| vec![reference(seen)]).await;
            let settings = Settings { witness: Arc::clone(&witness) as Arc<dyn Witness>, ..settings() };
            let steps = all_steps(settings, trial(&format!("{}/ai", server.url()), seed)).await;
            assert_eq!(steps[0], Step::Started { seed: Seed(seed), hand_sizes: [5, 4] });
            let transcript = transcript(&steps);
            assert!(transcript.outcome.is_some());

            let turned: Vec<&Turned> = steps
                .iter()
                .filter_map(|step| if let Step::Turn(turned) = step { Some(turned) } else { None })
                .collect();
            assert!(turned.iter().map(|turned| &turned.turn).eq(&transcript.turns), "seed {seed}");
            assert_eq!((turned[0].distance, &turned[0].hands), (22, &transcript.dealt));
            assert!(turned.iter().any(|turned| turned.turn.side == Side::Black), "seed {seed}");

            // Each of its questions comes before the turn that it was for, with the hand that the turn shows.
            let mut asked = exchanges(&steps).into_iter();
            for (at, step) in steps.iter().enumerate() {
                let Step::Turn(Turned { hands, turn: Turn { side: Side::White, .. }, .. }) = step else {
                    continue;
                };
                let Step::Exchange(before) = &steps[at - 1] else { panic!("a question before {step:?}") };
                assert_eq!(asked.next(), Some(&**before));
                let hand = format!("&cards={hands:?}&", hands = hands[0]).replace(' ', "");
                assert!(before.request.to_string().contains(&hand), "{hand} in {}", before.request);
            }
            assert_eq!(asked.next(), None);

            let requests = server.requests();
            assert_eq!(requests.len(), exchanges(&steps).len());
            for ((number, seen), asked) in (1..).zip(&requests).zip(exchanges(&steps)) {
                assert_eq!((asked.number, asked.car, asked.port), (number, None, Port::Ai));
                assert!(asked.chain.starts_with("trial-"), "{}", asked.chain);
                let id = format!("race-7f3a-{}-{number}", asked.chain);
                assert_eq!(seen.header("x-eacc-request-id"), Some(id.as_str()));
                assert_eq!(seen.header("x-eacc-secret"), None);
                let told = asked.request.to_string();
                assert!(told.contains("X-EACC-DUEL: {") && told.starts_with("GET http://"), "{told}");
            }
        }
        assert_eq!(*witness.0.lock().expect("not poisoned"), [""; 0]);
    }

    /// The same seed gives the same cards, and here the same duel; another gives others. Two duels of the same seed have
    /// other request ids.
    #[tokio::test]
    async fn g_4_the_same_seed_gives_the_same_cards() {
        let server = RawServer::start(|_, seen| vec![reference(seen)]).await;
        let mut duels = Vec::new();
        for seed in [1, 1, 2] {
            let steps = all_steps(settings(), trial(&server.url(), seed)).await;
            let chain = exchanges(&steps)[0].chain.clone();
            duels.push((transcript(&steps).clone(), chain));
        }
        let [(first, a), (again, b), (other, _)] = &duels[..] else { panic!("three duels") };
        assert_eq!(first, again);
        assert_ne!(a, b);
        assert_ne!(first.dealt, other.dealt);
    }

    /// R-5.1: the pirates play as the mind does that was asked for, and not all alike.
    #[tokio::test]
    async fn g_4_the_pirates_play_by_the_mind_that_is_asked_for() {
        let server = RawServer::start(|_, seen| vec![reference(seen)]).await;
        let mut duels = Vec::new();
        for mind in PirateMind::ALL {
            let mut of_mind = Vec::new();
            for seed in 1..=4 {
                let url = server.url();
                let [steps, again] = [
                    all_steps(settings(), DuelTrial { mind, ..trial(&url, seed) }).await,
                    all_steps(settings(), DuelTrial { mind, ..trial(&url, seed) }).await,
                ];
                assert_eq!(transcript(&steps), transcript(&again), "{} with seed {seed}", mind.name());
                of_mind.push(transcript(&steps).clone());
            }
            duels.push(of_mind);
        }
        let [random, greedy, careful, _] = &duels[..] else { panic!("four minds") };
        assert!(random != greedy && greedy != careful && random != careful);
    }

    /// What an AI does, and why its duel is lost at the first question; nothing else is sent to it.
    #[tokio::test]
    async fn g_4_ais_that_lose_at_once() {
        let moved = "HTTP/1.1 302 Found\nlocation: http://127.0.0.1:1/\ncontent-length: 0\n\n";
        for (name, act, reason) in [
            ("slow", Act::Silence, Reason::Fault(Fault::Late)),
            ("illegal", json(r#"{"res":[9]}"#), Reason::Illegal(Illegal::NotACard(9))),
            ("broken", Act::Close, Reason::Fault(Fault::Broken)),
            ("nonsense", json("<html>"), Reason::Fault(Fault::NotJson)),
            ("elsewhere", say(moved), Reason::Fault(Fault::Status(302))),
            (
                "endless",
                Act::Endless(format!("HTTP/1.1 200 OK\r\n\r\n{}", "1".repeat(4096))),
                Reason::Fault(Fault::TooLarge),
            ),
        ] {
            let server = RawServer::start(move |_, _| vec![act.clone()]).await;
            let steps = all_steps(settings(), trial(&server.url(), 1)).await;
            let outcome = Outcome { winner: Some(Side::Black), reason };
            assert_eq!(transcript(&steps).outcome, Some(outcome), "{name}");
            assert_eq!(server.requests().len(), 1, "{name}");
            let asked = exchanges(&steps);
            let [asked] = &asked[..] else { panic!("{name}: one exchange, not {asked:?}") };
            match (&asked.came, reason) {
                (Came::Fault(why), Reason::Fault(fault)) => assert_eq!(*why, fault.to_string(), "{name}"),
                (Came::Answer { status, .. }, _) => assert!([200, 302].contains(status), "{name}"),
                other => panic!("{name}: {other:?}"),
            }
        }
    }

    /// Where private addresses are not allowed, an AI there is not connected to.
    #[tokio::test]
    async fn g_4_a_private_address() {
        let server = RawServer::start(|_, seen| vec![reference(seen)]).await;
        let settings = Settings { allow_private: false, ..settings() };
        let steps = all_steps(settings, trial(&server.url(), 1)).await;
        let outcome = Outcome { winner: Some(Side::Black), reason: Reason::Fault(Fault::Unreachable) };
        assert_eq!(transcript(&steps).outcome, Some(outcome));
        assert_eq!(server.connections(), 0);
    }

    /// C-22: what an AI's answers deviate in stands beside each of them.
    #[tokio::test]
    async fn c_22_deviations() {
        let server = RawServer::start(|_, seen| match reference(seen) {
            Act::Say(text) => {
                let (_, body) = text.split_once("\r\n\r\n").expect("a body");
                vec![json(body.trim_start_matches("{\"res\":").trim_end_matches('}'))]
            }
            other => vec![other],
        })
        .await;
        let steps = all_steps(settings(), trial(&server.url(), 1)).await;
        assert!(!exchanges(&steps).is_empty());
        for asked in exchanges(&steps) {
            assert_eq!(asked.deviations, ["the bare value without {\"res\": …}"]);
        }
    }

    /// R-6.8: the limit of the whole duel is the race's. Three answers take longer than it.
    #[tokio::test]
    async fn r_6_8_the_time_limit() {
        let slow = Act::Pause(Duration::from_millis(350));
        let server = RawServer::start(move |_, seen| vec![slow.clone(), reference(seen)]).await;
        let rules = Rules { duel_limit: Seconds(1), ..Rules::balanced() };
        let rules = rules.validated().expect("good rules");
        let steps = all_steps(settings(), DuelTrial { rules, ..trial(&server.url(), 1) }).await;
        let outcome = Outcome { winner: Some(Side::Black), reason: Reason::OutOfTime };
        assert_eq!(transcript(&steps).outcome, Some(outcome));
        assert_eq!(server.requests().len(), 3);
    }

    /// Who goes away ends the duel: the question under way is broken off, no other follows, and the permit is free.
    #[tokio::test]
    async fn who_goes_away_ends_the_duel() {
        let never = Arc::new(Notify::new());
        let server = RawServer::start(move |number, seen| match number {
            0 => vec![reference(seen)],
            _ => vec![Act::Until(Arc::clone(&never)), reference(seen)],
        })
        .await;
        let world = HttpWorld::new(settings()).expect("good settings");
        let (permits, race) = (Permits::new(Limits { at_once: 1, per_team: 1 }), RaceId::random());
        let permit = permits.take(&race, TeamId(7)).expect("the first");
        let mut playing = play(&world, permit, trial(&server.url(), 1));
        let asked_twice = async {
            while server.requests().len() < 2 {
                server.heard.notified().await;
            }
        };
        timeout(LONG, asked_twice).await.expect("it is asked twice");
        assert!(matches!(playing.next().await, Some(Step::Started { .. })));
        assert_eq!(permits.take(&race, TeamId(7)).err(), Some(TooMany::OfTeam(1)));
        drop(playing);
        let freed = async {
            while permits.take(&race, TeamId(7)).is_err() {
                tokio::task::yield_now().await;
            }
        };
        // Long before the deadline of the question that is under way.
        timeout(crate::drive::tests::DEADLINE / 2, freed).await.expect("the permit is given back");
        assert_eq!(server.requests().len(), 2);
    }

    /// A whole duel finds room although nobody reads it before its end; its permit is kept until then.
    #[tokio::test]
    async fn nobody_waits_for_who_reads() {
        let server = RawServer::start(|_, seen| vec![reference(seen)]).await;
        let world = HttpWorld::new(settings()).expect("good settings");
        let mut playing = play(&world, permit(), trial(&server.url(), 1));
        let over = async {
            while !playing.steps.is_closed() {
                tokio::task::yield_now().await;
            }
        };
        timeout(LONG, over).await.expect("the duel ends without being read");
        let mut last = None;
        while let Some(step) = playing.next().await {
            last = Some(step);
        }
        assert!(matches!(last, Some(Step::Over(_))));
    }
}
