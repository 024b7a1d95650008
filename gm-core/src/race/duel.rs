//! R-6, as the race plays it: through the arena's match, with AIs that are asked over the ports.
//!
//! [`between`] is the duel and no more, for whoever plays one outside of a race: no events, no winner's reward.

use super::conversation::Conversation;
use super::event::{Combatant, Event, LossCause};
use super::rules::ValidRules;
use super::state::Module;
use crate::arena::duel::{Duel, Side, Transcript};
use crate::arena::{self, Clock, Player, Seat};
use crate::contract::{Deviation, DuelQuestion, Fault, Kind};
use crate::ports::{Chain, DuelAi, DuelClock, Duellist, Topic, World};
use crate::random::{Purpose, Stream};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::Future;

/// Who comes to a duel, with what.
pub(super) struct Party {
    pub(super) who: Combatant,
    pub(super) weapons: u32,
    pub(super) ai: Duellist,
}

/// Plays a duel: the first party is white and sits at seat 0, the second is black. Gives what happened and which side
/// won; none for a draw.
pub(super) async fn play<W: World>(
    world: &W,
    rules: &ValidRules,
    dice: &mut Stream,
    parties: [Party; 2],
) -> (Vec<Event>, Option<Side>) {
    let duellists = [parties[0].who, parties[1].who];
    let weapons = [parties[0].weapons, parties[1].weapons];
    let mut events = vec![Event::DuelStarted { duellists, weapons }];

    let duel = Duel::deal(dice, weapons, rules.hand_limit);
    let (ais, clock) = world.duel(parties.map(|party| party.ai), rules.duel_limit);
    let Fought { transcript, deviations } = between(duel, ais, clock, |_| {}).await;
    let winner = transcript.outcome.and_then(|outcome| outcome.winner);

    for (who, deviations) in duellists.into_iter().zip(deviations) {
        if let (Combatant::Car(car), false) = (who, deviations.is_empty()) {
            events.push(Event::DuelDeviationsAccepted { car, deviations });
        }
    }
    events.push(Event::DuelPlayed { duellists, transcript });
    (events, winner)
}

/// A duel that was played to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fought {
    /// All that happened.
    pub transcript: Transcript,
    /// What was accepted in the answers of the two AIs (C-22, A-2), each once, in the order of [`Deviation`].
    pub deviations: [Vec<Deviation>; 2],
}

/// Plays a duel that was dealt: the AIs are asked in turn, each as [`DuelAi`] keeps its deadline, and the clock is
/// looked at. The duel is shown to `watch` as it was dealt, and again after each turn and whatever else ends it.
#[expect(clippy::manual_async_fn, reason = "`async fn` can't say that the future is Send for every AI")]
pub fn between<A: DuelAi, C: DuelClock>(
    mut duel: Duel,
    ais: [A; 2],
    clock: C,
    watch: impl FnMut(&Duel) + Send,
) -> impl Future<Output = Fought> + Send {
    async move {
        let mut players = ais.map(|ai| Seated { ai, deviations: BTreeSet::new() });
        let played = arena::play_watched(&mut duel, &mut players, &mut RaceClock(clock), watch).await;
        if let Err(never_ended) = played {
            debug_assert!(false, "R-6.8: {never_ended}");
        }
        let deviations = players.map(|player| player.deviations.into_iter().collect());
        Fought { transcript: duel.into_transcript(), deviations }
    }
}

/// Asks a car for its duel AI. One that gives no usable URL has lost the duel at once; that is its whole
/// punishment.
pub(super) async fn ask_for_ai<W: World>(car: &mut Conversation<'_, W>, topic: Topic) -> Option<Duellist> {
    match car.duel_url().await {
        Ok(url) => {
            let chain = Chain { topic, ..car.chain };
            Some(Duellist::Car { chain, team: car.car.team, url })
        }
        Err(fault) => {
            car.note(Event::DuelForfeited { car: car.id(), fault });
            None
        }
    }
}

/// What becomes of the loser: it must know its square, loses one module drawn at random, and has a
/// turn to miss. Gives the module that it lost.
pub(super) async fn lose<W: World>(
    car: &mut Conversation<'_, W>,
    against: Combatant,
    purpose: Purpose,
    cause: LossCause,
) -> Option<Module> {
    car.note(Event::FightLost { car: car.id(), against });
    car.announce_square().await;
    let lost = car.dice(purpose).pick(&car.car.modules).cloned()?;
    car.lose(lost.clone(), cause).await;
    Some(lost)
}

/// How many weapons a car fights with.
pub(super) fn weapons_of<W: World>(car: &Conversation<'_, W>) -> u32 {
    u32::try_from(car.car.count(Kind::Weapon)).unwrap_or(u32::MAX)
}

/// A duellist's AI at its seat.
struct Seated<A> {
    ai: A,
    deviations: BTreeSet<Deviation>,
}

impl<A: DuelAi> Player<Duel> for Seated<A> {
    async fn ask(&mut self, question: &DuelQuestion) -> Result<Vec<u8>, Fault> {
        let taken = self.ai.plays(question).await?;
        self.deviations.extend(taken.deviations);
        Ok(taken.value)
    }

    async fn notify(&mut self, notice: &Infallible) {
        match *notice {}
    }
}

struct RaceClock<C>(C);

impl<C: DuelClock> Clock for RaceClock<C> {
    async fn overdue(&mut self) -> Option<Seat> {
        self.0.overdue().await
    }
}

#[cfg(test)]
mod tests {
    use crate::arena::Seat;
    use crate::arena::duel::Side;
    use crate::contract::{Answer, DuelQuestion};
    use crate::ids::CarId;
    use crate::memory::{MemoryCar, first_legal};
    use crate::race::event::Event;
    use crate::race::rules::Rules;
    use crate::race::tests::{Scene, quiet_rules};
    use std::collections::BTreeSet;

    /// Two cars with so many weapons that fight a duel on square 0, with AIs at `http://a.ai` and `http://b.ai`.
    fn duellists(rules: Rules, seed: u64, weapons: [u32; 2]) -> Scene {
        let mut scene = Scene::new(rules, seed);
        for (team, name, weapons) in [(1, "a", weapons[0]), (2, "b", weapons[1])] {
            let duel_url = Some(format!("http://{name}.ai/play"));
            let car = MemoryCar { fights: true, duel_url, ..MemoryCar::new(name, 0, 1, weapons) };
            let car = scene.car(team, car);
            scene.misses(car, 1);
        }
        scene
    }

    fn transcript(scene: &Scene) -> &crate::arena::duel::Transcript {
        scene
            .history
            .iter()
            .find_map(|event| match event {
                Event::DuelPlayed { transcript, .. } => Some(transcript),
                _ => None,
            })
            .expect("a duel")
    }

    /// as many cards as weapons, at most the limit of the rules, the second car's as black's.
    #[test]
    fn r_6_1_weapons_are_cards() {
        for (weapons, hand_limit, dealt) in [
            ([3, 5], None, [3, 5]),
            ([5, 3], None, [5, 3]),
            ([3, 9], Some(4), [3, 4]),
            ([20, 20], None, [12, 13]),
        ] {
            let mut scene = duellists(Rules { hand_limit, ..quiet_rules() }, 1, weapons);
            let told = scene.told();
            let [a, b] = weapons;
            let start = format!("duel: car 1 with {a} weapons against car 2 with {b}");
            assert!(told.contains(&start), "{told:?}");
            let hands = transcript(&scene).dealt.clone().map(|hand| hand.len());
            assert_eq!(hands, dealt, "{weapons:?}, at most {hand_limit:?}");
        }
    }

    /// The cards and the first player come from the race's seed, and from the turn.
    #[test]
    fn r_6_1_the_cards_come_from_the_seed() {
        let mut firsts = BTreeSet::new();
        let mut hands = BTreeSet::new();
        for seed in 1..10 {
            let play = || {
                let mut scene = duellists(quiet_rules(), seed, [5, 5]);
                scene.turn();
                transcript(&scene).clone()
            };
            let played = play();
            assert_eq!(play(), played);
            firsts.insert(played.first);
            hands.insert(played.dealt);
        }
        assert_eq!((firsts.len(), hands.len()), (2, 9));
    }

    /// at the limit of the whole duel, whose answers took longer loses; then as any loser.
    #[test]
    fn r_6_8_the_time_limit() {
        for (seat, winner, loser) in [(0, 2, 1), (1, 1, 2)] {
            let mut scene = duellists(quiet_rules(), 1, [2, 2]);
            scene.world.duel_is_overdue(Some(Seat(seat)));
            let told = scene.told();
            let side = Side::at(Seat(1 - seat)).expect("a side");
            let expected = [
                format!(
                    "duel between car 1 and car 2 after 1 turns: {side} won: the duel's time was over, and the other had used more of it"
                ),
                format!("car {winner} wins against car {loser}"),
                format!("car {loser} loses against car {winner}"),
            ];
            assert_eq!(told[5..8], expected);
            assert!(told[8].starts_with(&format!("car {loser} loses ")), "a module: {told:?}");
            assert_eq!(scene.the(CarId(loser)).turns_to_miss, 1);
            assert_eq!(scene.the(CarId(winner)).fights_won, 1);
        }
    }

    /// C-22, A-2: what an AI's answers deviate in is noted once for the duel, for its car, before the duel is told.
    #[test]
    fn r_6_2_deviations_of_a_duel_ai_are_noted() {
        let bare = |question: &DuelQuestion| {
            let legal = first_legal(question).body;
            let text = String::from_utf8(legal).expect("JSON");
            let list = text.trim_start_matches("{\"res\":").trim_end_matches('}').to_owned();
            Ok(Answer::ok(list))
        };
        let says =
            |car: u32| format!("car {car}: its duel AI: accepted the bare value without {{\"res\": …}}");
        for (urls, expected) in [
            (vec![], vec![]),
            (vec!["http://a.ai/play"], vec![says(1)]),
            (vec!["http://b.ai/play"], vec![says(2)]),
            (vec!["http://a.ai/play", "http://b.ai/play"], vec![says(1), says(2)]),
        ] {
            let mut scene = duellists(quiet_rules(), 1, [4, 4]);
            for url in urls {
                scene.world.teach(url, bare);
            }
            let told = scene.told();
            let accepted: Vec<String> =
                told.iter().filter(|line| line.contains("accepted")).cloned().collect();
            assert_eq!(accepted, expected, "{told:?}");
            let played = told.iter().position(|line| line.starts_with("duel between")).expect("a duel");
            assert!(told[..played].ends_with(&accepted));
        }
    }

    /// a wrong status of an AI is an illegal move, whatever the body says.
    #[test]
    fn r_6_3_a_wrong_status_loses() {
        let mut scene = duellists(quiet_rules(), 1, [4, 4]);
        scene.world.teach("http://b.ai/play", |question| Ok(Answer { status: 201, ..first_legal(question) }));
        let told = scene.told();
        assert!(told[5].ends_with("white won: the other gave no usable answer: status 201"), "{told:?}");
    }
}
