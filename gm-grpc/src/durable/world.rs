//! The ports of a decision: answers from the record first, and then from the live world, which are kept.

use super::live::{Live, LiveWorld};
use super::probe::{Point, Probe};
use super::record::{Record, Whose};
use super::stop::{Divergence, Place, Stop};
use crate::journal::{DecisionNo, Exchange, Journal, JournalError, Moment, Outcome, Port, RaceKey};
use futures_util::future::{BoxFuture, FutureExt};
use gm_core::arena::Seat;
use gm_core::contract::{Answer, BaseUrl, CarRequest, Deviation, DuelQuestion, DuelUrl, Fault};
use gm_core::ids::{CarId, Seconds, TeamId, TurnNo};
use gm_core::ports::{Car, Chain, DuelAi, DuelClock, Duellist, Inspector, InspectorFault, World};
use std::future::{Future, pending};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Notify;

/// Who keeps the answers of one decision, so that it can be made again.
pub trait Keep: Send + Sync {
    /// Keeps what came of an exchange. When this returns it is durable.
    fn keep(&self, exchange: Exchange) -> BoxFuture<'_, Result<(), JournalError>>;

    /// Whether a test lets the process die here.
    fn dies_at(&self, point: Point) -> bool;
}

/// Keeps the answers of one decision in the journal.
#[derive(Clone)]
pub struct Keeper {
    /// The journal.
    pub journal: Journal,
    /// The race.
    pub race: RaceKey,
    /// The decision.
    pub decision: DecisionNo,
    /// Where a test lets the process die.
    pub probe: Arc<dyn Probe>,
}

impl Keep for Keeper {
    fn keep(&self, exchange: Exchange) -> BoxFuture<'_, Result<(), JournalError>> {
        self.journal.keep(self.race, self.decision, exchange).boxed()
    }

    fn dies_at(&self, point: Point) -> bool {
        self.probe.dies_at(point)
    }
}

/// The world of one decision.
pub struct Deciding<'w, W> {
    live: &'w W,
    shared: Arc<Shared>,
}

/// What the conversations of a decision share.
struct Shared {
    record: Record,
    /// None: the record is all there is.
    keeper: Option<Box<dyn Keep>>,
    stop: OnceLock<Stop>,
    stopped: Notify,
}

impl<'w, W: LiveWorld> Deciding<'w, W> {
    /// A decision that goes on live where its record ends.
    pub fn live(live: &'w W, record: Record, keeper: impl Keep + 'static) -> Deciding<'w, W> {
        Deciding::new(live, record, Some(Box::new(keeper)))
    }

    /// A decision that is made again from its record alone.
    pub fn from_record(nobody: &'w W, record: Record) -> Deciding<'w, W> {
        Deciding::new(nobody, record, None)
    }

    fn new(live: &'w W, record: Record, keeper: Option<Box<dyn Keep>>) -> Deciding<'w, W> {
        let shared = Shared { record, keeper, stop: OnceLock::new(), stopped: Notify::new() };
        Deciding { live, shared: Arc::new(shared) }
    }

    /// Makes the decision, which asks this world; gives it up when it is stopped.
    ///
    /// # Errors
    /// Why it was stopped; also if there is more in the record than was asked for.
    pub async fn run<T>(&self, made: impl Future<Output = T>) -> Result<T, Stop> {
        let made = tokio::select! {
            biased;
            () = self.shared.stopped.notified() => None,
            made = made => Some(made),
        };
        if let Some(stop) = self.shared.stop.get() {
            return Err(stop.clone());
        }
        match (made, self.shared.record.left()) {
            (_, Some(left)) => Err(Stop::Diverged(left)),
            (Some(made), None) => Ok(made),
            // Whoever notifies has said why before.
            (None, None) => Err(Stop::Died),
        }
    }
}

/// An exchange that is made now.
#[derive(Clone)]
struct Asked<'a> {
    place: Place,
    chain: Chain,
    team: Option<TeamId>,
    request: &'a str,
}

impl Asked<'_> {
    fn whose(&self) -> Whose {
        let Chain { turn, car, .. } = self.chain;
        Whose { turn, team: self.team, car: (car != CarId(0)).then_some(car) }
    }
}

impl Shared {
    /// Stops the decision: who calls this never goes on.
    async fn stop<T>(&self, why: Stop) -> T {
        // Many conversations may be stopped at once; the first one says why.
        let _ = self.stop.set(why);
        self.stopped.notify_one();
        pending().await
    }

    async fn passes(&self, point: Point) {
        if self.keeper.as_ref().is_some_and(|keeper| keeper.dies_at(point)) {
            self.stop(Stop::Died).await
        }
    }

    /// What is recorded at a place, if anything is.
    async fn recorded(&self, asked: &Asked<'_>) -> Option<Exchange> {
        let place = &asked.place;
        match self.record.take(place, asked.request, asked.whose()) {
            Ok(Some(exchange)) => Some(exchange),
            Ok(None) if self.keeper.is_none() && !is_clock(place.port) => {
                self.stop(Stop::RecordEnds(place.clone())).await
            }
            Ok(None) => None,
            Err(divergence) => self.stop(Stop::Diverged(divergence)).await,
        }
    }

    /// Whether a clock that has no seats is recorded to have struck.
    async fn has_struck(&self, asked: &Asked<'_>) -> bool {
        match self.recorded(asked).await {
            None => false,
            Some(Exchange { outcome: Outcome::TimeIsUp(None), .. }) => true,
            Some(other) => self.misplaced(asked.clone(), &other.outcome).await,
        }
    }

    /// A record that does not hold what belongs to its place.
    async fn misplaced<T>(&self, asked: Asked<'_>, outcome: &Outcome) -> T {
        let Asked { place, request, .. } = asked;
        let recorded = format!("{request}\n{outcome:?}, which can't have come of it");
        let asked = Some(request.to_owned());
        self.stop(Stop::Diverged(Box::new(Divergence { place, recorded, asked }))).await
    }

    /// Keeps what came of an exchange; when this returns it is durable.
    async fn keep(&self, asked: Asked<'_>, outcome: Outcome, deviations: Vec<String>, latency: Duration) {
        let Some(keeper) = &self.keeper else { return };
        self.passes(Point::Answered).await;
        let Whose { turn, team, car } = asked.whose();
        let Asked { place: Place { chain: name, port, number }, request, .. } = asked;
        let exchange = Exchange {
            chain: name,
            port,
            number,
            turn,
            team,
            car,
            request: request.to_owned(),
            outcome,
            deviations,
            latency,
            at: Moment::now(),
        };
        if let Err(error) = keeper.keep(exchange).await {
            self.stop(Stop::Journal(error)).await
        }
        self.passes(Point::Kept).await;
    }
}

/// Whether a port is a clock: its silence is not recorded.
fn is_clock(port: Port) -> bool {
    matches!(port, Port::Grace | Port::DuelClock | Port::RaceClock)
}

impl<W: LiveWorld> World for Deciding<'_, W> {
    type Car = DurableCar<W::Car>;
    type DuelAi = DurableDuelAi<W::DuelAi>;
    type Inspector = DurableInspector<W::Inspector>;
    type DuelClock = DurableDuelClock<W::DuelClock>;

    fn car(&self, chain: Chain, team: TeamId, url: &BaseUrl) -> Self::Car {
        let line = Line::new(&self.shared, chain, Port::Car, Some(team));
        DurableCar { live: self.live.car(chain, team, url), line, url: url.clone() }
    }

    fn duel(&self, duellists: [Duellist; 2], limit: Seconds) -> ([Self::DuelAi; 2], Self::DuelClock) {
        let seats = duellists.clone().map(|duellist| match duellist {
            Duellist::Car { chain, team, url } => {
                (Line::new(&self.shared, chain, Port::Ai, Some(team)), Some(url))
            }
            Duellist::Pirates { chain, .. } => (Line::new(&self.shared, chain, Port::Ai, None), None),
        });
        let clock = Line::new(&self.shared, seats[0].0.chain, Port::DuelClock, None);
        let (live, live_clock) = self.live.duel(duellists, limit);
        let [(first, first_url), (second, second_url)] = seats;
        let [first_live, second_live] = live;
        (
            [
                DurableDuelAi { live: first_live, line: first, url: first_url },
                DurableDuelAi { live: second_live, line: second, url: second_url },
            ],
            DurableDuelClock { live: live_clock, line: clock },
        )
    }

    fn inspector(&self, chain: Chain, team: TeamId) -> Option<Self::Inspector> {
        let line = Line::new(&self.shared, chain, Port::Inspector, Some(team));
        let live = self.live.inspector(chain, team);
        // Who was inspected has an inspector, whatever was set since.
        let is_there = live.is_some() || self.shared.record.has_any(&line.name, Port::Inspector);
        is_there.then_some(DurableInspector { live, line })
    }

    async fn resolve(&self, chain: Chain, team: TeamId, instance: &str) -> Option<BaseUrl> {
        let mut line = Line::new(&self.shared, chain, Port::Resolver, Some(team));
        let request = format!("RESOLVE {instance}");
        let outcome = line
            .once(&request, async || Outcome::Address(self.live.resolve(chain, team, instance).await))
            .await;
        match outcome {
            Outcome::Address(url) => url,
            other => line.misplaced(&request, &other).await,
        }
    }

    async fn running_time_is_up(&self, turn: TurnNo, limit: Seconds) -> bool {
        let chain = Chain { turn, topic: gm_core::ports::Topic::Track, car: CarId(0) };
        let place = Place { chain: format!("t{turn}"), port: Port::RaceClock, number: 1 };
        let request = format!("TIME {limit} s");
        let asked = Asked { place, chain, team: None, request: &request };
        if self.shared.has_struck(&asked).await {
            return true;
        }
        let is_up = self.live.running_time_is_up(turn, limit).await;
        if is_up {
            self.shared.keep(asked, Outcome::TimeIsUp(None), Vec::new(), Duration::ZERO).await;
        }
        is_up
    }
}

/// One port of one conversation, and how far it is.
struct Line {
    shared: Arc<Shared>,
    chain: Chain,
    name: String,
    port: Port,
    team: Option<TeamId>,
    /// How much was asked.
    number: u32,
}

impl Line {
    fn new(shared: &Arc<Shared>, chain: Chain, port: Port, team: Option<TeamId>) -> Line {
        Line { shared: Arc::clone(shared), chain, name: chain.to_string(), port, team, number: 0 }
    }

    fn place(&self, port: Port, number: u32) -> Place {
        Place { chain: self.name.clone(), port, number }
    }

    /// What is asked now.
    fn asked<'a>(&self, request: &'a str) -> Asked<'a> {
        let place = self.place(self.port, self.number);
        Asked { place, chain: self.chain, team: self.team, request }
    }

    /// What is recorded of the next exchange, if anything is.
    async fn next(&mut self, request: &str) -> Option<Exchange> {
        self.number = self.number.saturating_add(1);
        self.shared.recorded(&self.asked(request)).await
    }

    /// Keeps what came of the exchange.
    async fn keep(&self, request: &str, outcome: Outcome, deviations: Vec<String>, latency: Duration) {
        self.shared.keep(self.asked(request), outcome, deviations, latency).await;
    }

    /// The next exchange, from the record or live.
    async fn once(&mut self, request: &str, live: impl AsyncFnOnce() -> Outcome) -> Outcome {
        if let Some(recorded) = self.next(request).await {
            return recorded.outcome;
        }
        self.shared.passes(Point::Sent).await;
        let outcome = live().await;
        self.keep(request, outcome.clone(), Vec::new(), Duration::ZERO).await;
        outcome
    }

    /// The answer, or the fault, that is recorded of a request.
    async fn answer(&self, request: &str, recorded: Outcome) -> Result<Answer, Fault> {
        match recorded {
            Outcome::Answer(answer) => Ok(answer),
            Outcome::Fault(fault) => Err(fault),
            other => self.misplaced(request, &other).await,
        }
    }

    /// Keeps what came of a request, with what was accepted in it.
    async fn keep_answer(
        &self,
        request: &str,
        outcome: &Result<Answer, Fault>,
        accepted: impl FnOnce(&Answer) -> Vec<Deviation>,
        latency: Duration,
    ) {
        let (outcome, words) = match outcome {
            Ok(answer) => {
                let words = accepted(answer).iter().map(ToString::to_string).collect();
                (Outcome::Answer(answer.clone()), words)
            }
            Err(fault) => (Outcome::Fault(*fault), Vec::new()),
        };
        self.keep(request, outcome, words, latency).await;
    }

    async fn misplaced<T>(&self, request: &str, outcome: &Outcome) -> T {
        self.shared.misplaced(self.asked(request), outcome).await
    }
}

/// A conversation with a car, which may have begun in another process.
pub struct DurableCar<C> {
    live: C,
    line: Line,
    url: BaseUrl,
}

impl<C: Car + Live<CarRequest>> Car for DurableCar<C> {
    async fn exchange(&mut self, request: &CarRequest) -> Result<Answer, Fault> {
        let text = car_request(&self.url, request);
        if let Some(recorded) = self.line.next(&text).await {
            self.live.resume_after(request, recorded.latency);
            return self.line.answer(&text, recorded.outcome).await;
        }
        self.line.shared.passes(Point::Sent).await;
        let outcome = self.live.exchange(request).await;
        let accepted = |answer: &Answer| request.deviations(answer);
        self.line.keep_answer(&text, &outcome, accepted, self.live.latency()).await;
        outcome
    }

    async fn wait_to_ask_again(&mut self, tries: u32, grace: Seconds) -> bool {
        let place = self.line.place(Port::Grace, self.line.number);
        let request = format!("GRACE {grace} s");
        let asked = Asked { place, chain: self.line.chain, team: None, request: &request };
        if self.line.shared.has_struck(&asked).await {
            return false;
        }
        let next = self.line.place(Port::Car, self.line.number.saturating_add(1));
        if self.line.shared.record.has(&next) {
            return true;
        }
        let again = self.live.wait_to_ask_again(tries, grace).await;
        if !again {
            self.line.shared.keep(asked, Outcome::TimeIsUp(None), Vec::new(), Duration::ZERO).await;
        }
        again
    }
}

/// A seat of a duel, which may have begun in another process.
pub struct DurableDuelAi<A> {
    live: A,
    line: Line,
    url: Option<DuelUrl>,
}

impl<A: DuelAi + Live<DuelQuestion>> DuelAi for DurableDuelAi<A> {
    async fn exchange(&mut self, question: &DuelQuestion) -> Result<Answer, Fault> {
        let text = duel_request(self.url.as_ref(), question);
        if let Some(recorded) = self.line.next(&text).await {
            self.live.resume_after(question, recorded.latency);
            return self.line.answer(&text, recorded.outcome).await;
        }
        self.line.shared.passes(Point::Sent).await;
        let outcome = self.live.exchange(question).await;
        self.line.keep_answer(&text, &outcome, DuelQuestion::deviations, self.live.latency()).await;
        outcome
    }
}

/// A request to a car as it is recorded.
pub(crate) fn car_request(url: &BaseUrl, request: &CarRequest) -> String {
    match request.body() {
        Some(body) => format!("{} {url}{}\n{body}", request.method(), request.path()),
        None => format!("{} {url}{}", request.method(), request.path()),
    }
}

/// A question to a duel AI as it is recorded; the pirates have no URL.
pub(crate) fn duel_request(url: Option<&DuelUrl>, question: &DuelQuestion) -> String {
    let line = match url {
        Some(url) => format!("GET {}", question.url(url)),
        None => format!("PLAY {}", question.query()),
    };
    match &question.seen {
        Some(seen) => format!("{line}\nX-EACC-DUEL: {}", seen.header()),
        None => line,
    }
}

/// The clock of a duel, which may have begun in another process.
pub struct DurableDuelClock<C> {
    live: C,
    line: Line,
}

impl<C: DuelClock> DuelClock for DurableDuelClock<C> {
    async fn overdue(&mut self) -> Option<Seat> {
        let request = "DUEL TIME";
        if let Some(recorded) = self.line.next(request).await {
            return match recorded.outcome {
                Outcome::TimeIsUp(Some(seat)) => Some(seat),
                other => self.line.misplaced(request, &other).await,
            };
        }
        let seat = self.live.overdue().await?;
        let asked = self.line.asked(request);
        self.line.shared.keep(asked, Outcome::TimeIsUp(Some(seat)), Vec::new(), Duration::ZERO).await;
        Some(seat)
    }
}

/// A reader of a team's resources, which may have begun in another process.
pub struct DurableInspector<I> {
    /// None: it was there when this was recorded.
    live: Option<I>,
    line: Line,
}

impl<I: Inspector> DurableInspector<I> {
    async fn names(
        &mut self,
        request: &str,
        read: impl AsyncFnOnce(&mut I) -> Result<Vec<String>, InspectorFault>,
    ) -> Result<Vec<String>, InspectorFault> {
        let DurableInspector { live, line } = self;
        let live = async || match live {
            Some(live) => read(live).await.map_or_else(Outcome::NotInspected, Outcome::Names),
            None => Outcome::NotInspected(InspectorFault::Unavailable),
        };
        match line.once(request, live).await {
            Outcome::Names(names) => Ok(names),
            Outcome::NotInspected(fault) => Err(fault),
            other => line.misplaced(request, &other).await,
        }
    }
}

impl<I: Inspector> Inspector for DurableInspector<I> {
    async fn engines(&mut self, bucket: &str) -> Result<Vec<String>, InspectorFault> {
        self.names(&format!("READ engines {bucket}"), async |live| live.engines(bucket).await).await
    }

    async fn pilots(&mut self, queue: &str) -> Result<u64, InspectorFault> {
        let request = format!("READ pilots {queue}");
        let DurableInspector { live, line } = self;
        let live = async || match live {
            Some(live) => live.pilots(queue).await.map_or_else(Outcome::NotInspected, Outcome::Number),
            None => Outcome::NotInspected(InspectorFault::Unavailable),
        };
        match line.once(&request, live).await {
            Outcome::Number(number) => Ok(number),
            Outcome::NotInspected(fault) => Err(fault),
            other => line.misplaced(&request, &other).await,
        }
    }

    async fn weapons(&mut self, table: &str) -> Result<Vec<String>, InspectorFault> {
        self.names(&format!("READ weapons {table}"), async |live| live.weapons(table).await).await
    }
}
