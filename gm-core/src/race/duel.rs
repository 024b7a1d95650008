//! R-6, as the race plays it: through the arena's match, with AIs that are asked over the ports.

use super::conversation::Conversation;
use super::event::{Combatant, Event, LossCause};
use super::rules::ValidRules;
use super::state::Module;
use crate::arena::duel::{Duel, Side};
use crate::arena::{self, Clock, Player, Seat};
use crate::contract::{Deviation, DuelQuestion, Fault, Kind};
use crate::ports::{Chain, DuelAi, DuelClock, Duellist, Topic, World};
use crate::random::{Purpose, Stream};
use std::collections::BTreeSet;
use std::convert::Infallible;

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

    let mut duel = Duel::deal(dice, weapons, rules.hand_limit);
    let (ais, clock) = world.duel(parties.map(|party| party.ai), rules.duel_limit);
    let mut players = ais.map(|ai| Seated { ai, deviations: BTreeSet::new() });
    let played = arena::play(&mut duel, &mut players, &mut RaceClock(clock)).await;
    let winner = match played {
        Ok(played) => played.outcome.winner,
        Err(never_ended) => {
            debug_assert!(false, "R-6.8: {never_ended}");
            None
        }
    };

    for (who, player) in duellists.into_iter().zip(players) {
        if let (Combatant::Car(car), false) = (who, player.deviations.is_empty()) {
            let deviations = player.deviations.into_iter().collect();
            events.push(Event::DuelDeviationsAccepted { car, deviations });
        }
    }
    events.push(Event::DuelPlayed { duellists, transcript: duel.into_transcript() });
    (events, winner)
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
