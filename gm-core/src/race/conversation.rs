//! Talking with one car: what the car is told and asked, and what the game master notes down while doing so.
//!
//! A conversation holds its own copy of the car and follows every event on it, so that conversations with many cars
//! go on at the same time. When they are over, their events become the race's, in the turn's order of priority.

use super::event::{Breach, Check, Event, Fact, GainCause, LossCause, Retirement, StepCause};
use super::rules::ValidRules;
use super::state::{Car, Module, Race};
use super::verification::What;
use crate::contract::{CarRequest, DuelUrl, Fault, Found, Kind, Reply, car::CarState};
use crate::ids::{CarId, Square, TeamId, TurnNo};
use crate::ports::{Car as _, Chain, Topic, World};
use crate::random::{Purpose, Seed, Stream};

/// A conversation with one car.
pub(super) struct Conversation<'a, W: World> {
    pub(super) world: &'a W,
    pub(super) rules: &'a ValidRules,
    seed: Seed,
    pub(super) chain: Chain,
    /// The car, as this conversation has left it.
    pub(super) car: Car,
    pub(super) line: W::Car,
    pub(super) inspector: Option<W::Inspector>,
    events: Vec<Event>,
}

impl<'a, W: World> Conversation<'a, W> {
    /// Opens a conversation about `topic`.
    pub(super) fn open(race: &'a Race, world: &'a W, topic: Topic, car: &Car) -> Conversation<'a, W> {
        let chain = Chain { turn: race.turn, topic, car: car.id };
        Conversation {
            world,
            rules: &race.rules,
            seed: race.seed,
            chain,
            car: car.clone(),
            line: world.car(chain, car.team, &car.url),
            inspector: world.inspector(chain, car.team),
            events: Vec::new(),
        }
    }

    pub(super) fn id(&self) -> CarId {
        self.car.id
    }

    pub(super) fn turn(&self) -> TurnNo {
        self.chain.turn
    }

    /// The dice for one purpose of this turn and car.
    pub(super) fn dice(&self, purpose: Purpose) -> Stream {
        self.seed.stream(self.turn(), purpose, self.id())
    }

    /// Notes down that something happened, and follows it on the car.
    pub(super) fn note(&mut self, event: Event) {
        self.car.apply(&event, self.chain.turn);
        self.events.push(event);
    }

    /// Takes what was noted down so far.
    pub(super) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Takes a value from an answer; deviations that were accepted on the way are noted down (C-22).
    pub(super) fn take<T>(&mut self, request: CarRequest, reply: Reply<T>) -> Result<T, Fault> {
        let taken = reply?;
        if !taken.deviations.is_empty() {
            let car = self.id();
            self.note(Event::DeviationsAccepted { car, request, deviations: taken.deviations });
        }
        Ok(taken.value)
    }

    // --- questions ---

    pub(super) async fn count(&mut self, kind: Kind) -> Result<u64, Fault> {
        let reply = self.line.count(kind).await;
        self.take(CarRequest::Count(kind), reply)
    }

    pub(super) async fn state(&mut self) -> Result<CarState, Fault> {
        let reply = self.line.state().await;
        self.take(CarRequest::State, reply)
    }

    pub(super) async fn searches_wreck(&mut self) -> Result<bool, Fault> {
        let reply = self.line.searches_wreck().await;
        self.take(CarRequest::Wreck, reply)
    }

    pub(super) async fn crosses_mines(&mut self) -> Result<bool, Fault> {
        let reply = self.line.crosses_mines().await;
        self.take(CarRequest::Mine, reply)
    }

    pub(super) async fn buys(&mut self) -> Result<Option<Kind>, Fault> {
        let prices = self.rules.prices;
        let reply = self.line.buys(prices).await;
        self.take(CarRequest::Garage(prices), reply)
    }

    pub(super) async fn should_fight(&mut self, other: TeamId) -> Result<bool, Fault> {
        let reply = self.line.should_fight(other).await;
        self.take(CarRequest::ShouldFight(other), reply)
    }

    pub(super) async fn duel_url(&mut self) -> Result<DuelUrl, Fault> {
        let reply = self.line.duel_url().await;
        self.take(CarRequest::DuelUrl, reply)
    }

    // --- penalties (R-7.1) ---

    pub(super) fn penalise(&mut self, breach: Breach) {
        let car = self.id();
        self.note(Event::Penalised { car, breach });
    }

    /// A penalty for a question that was not answered usably.
    pub(super) fn penalise_no_answer(&mut self, request: CarRequest, fault: Fault) {
        self.penalise(Breach {
            check: Check::Asked(request),
            expected: Fact::AnAnswer,
            found: Found::Fault(fault),
        });
    }

    // --- what happens to the car ---

    /// The car is told its square, and must know it; else a penalty, and it is told again.
    pub(super) async fn announce_square(&mut self) {
        let square = self.car.square;
        // An error in the answer to a command is not punished by itself: the verification decides.
        let _ = self.line.set_square(square).await;
        if let Some(breach) = self.verify(What::Square).await {
            self.penalise(breach);
            self.resend_square().await;
        }
    }

    /// The car steps to another square without driving there, is told, and must know it; else a penalty, and it is
    /// told again.
    pub(super) async fn step(&mut self, to: Square, cause: StepCause) {
        if let Some(breach) = self.step_unpunished(to, cause).await {
            self.penalise(breach);
        }
    }

    /// The same without the penalty, which is the caller's to give (R-5.4: one purchase, one penalty).
    pub(super) async fn step_unpunished(&mut self, to: Square, cause: StepCause) -> Option<Breach> {
        let car = self.id();
        self.note(Event::CarStepped { car, to, cause });
        let _ = self.line.set_position(to).await;
        let breach = self.verify(What::Square).await;
        if breach.is_some() {
            self.resend_square().await;
        }
        breach
    }

    /// The right square is sent again.
    pub(super) async fn resend_square(&mut self) {
        let _ = self.line.set_square(self.car.square).await;
    }

    /// The car gains a module.
    pub(super) async fn gain(&mut self, kind: Kind, cause: GainCause) {
        if let Some(breach) = self.gain_unpunished(kind, cause).await {
            self.penalise(breach);
        }
    }

    /// The same without the penalty, which is the caller's to give (R-5.4: one purchase, one penalty).
    pub(super) async fn gain_unpunished(&mut self, kind: Kind, cause: GainCause) -> Option<Breach> {
        let car = self.id();
        let (name, _) = self.car.next_name(kind, self.turn());
        self.note(Event::ModuleGained { car, module: Module { kind, name: name.clone() }, cause });
        let _ = self.line.gain(kind, &name).await;
        let breach = self.verify(What::Gained(kind, &name)).await;
        if breach.is_some() {
            self.correct_count(kind).await;
        }
        breach
    }

    /// The car loses a module, and is retired if that was its last pilot.
    pub(super) async fn lose(&mut self, module: Module, cause: LossCause) {
        let car = self.id();
        let Module { kind, name } = module.clone();
        self.note(Event::ModuleLost { car, module, cause });
        let _ = self.line.lose(kind, &name).await;
        if self.car.count(Kind::Pilot) == 0 {
            self.retire(Retirement::NoPilot).await;
        } else if let Some(breach) = self.verify(What::Lost(kind, &name)).await {
            self.penalise(breach);
            self.correct_count(kind).await;
        }
    }

    /// The car is out of the race, and is told so once; its answer does not matter.
    pub(super) async fn retire(&mut self, reason: Retirement) {
        let car = self.id();
        self.note(Event::CarRetired { car, reason });
        let _ = self.line.retire().await;
    }
}
