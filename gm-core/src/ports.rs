//! What the rules ask of the outside: cars, duel AIs, inspectors, clocks.
//!
//! The rules talk to a [`World`]. It opens one *conversation* at a time, each named by its [`Chain`]; within a chain
//! requests go one after the other, which the `&mut self` of [`Car::exchange`] makes a fact of the type system
//! (C-23). Whatever a port answers is an input of the race (R-10.5): an adapter may record it, and give it back
//! after a crash.
//!
//! There are no deadlines here: an adapter keeps them, and answers [`Fault::Late`].

use crate::arena::Seat;
use crate::contract::{
    Answer, BaseUrl, CarRequest, DuelQuestion, DuelUrl, Fault, Kind, Prices, Reply, Taken, car::CarState,
    reader,
};
use crate::ids::{CarId, CommandNo, Seconds, Square, TeamId, TurnNo};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::future::Future;
use std::str::FromStr;

/// The name of one conversation: who is talked to, in which phase of which turn.
///
/// Unique in a race. With the number of a request in its chain it names that request, now and after a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Chain {
    /// The turn; between two turns, the one that was completed last.
    pub turn: TurnNo,
    /// What the conversation is about.
    pub topic: Topic,
    /// The car that is talked to, or whose duel it is; 0 for a car that is not registered yet.
    pub car: CarId,
}

/// What a conversation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// A command that talks to a car: registration (R-2), jury (R-10.3).
    Command(CommandNo),
    /// A transfer settled at the start of the turn (R-7.7).
    Transfer,
    /// On track (R-3.1).
    Track,
    /// A bonus taken (R-12).
    Bonus,
    /// A fight between cars (R-4).
    Fight,
    /// The car's seat in a duel of that fight (R-6).
    FightDuel,
    /// An encounter (R-5).
    Encounter,
    /// The car's seat in a duel with pirates (R-5.1).
    PirateDuel,
    /// The pirates' seat in that duel.
    PirateMind,
    /// A spot check (R-3.4).
    SpotCheck,
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}-", self.turn)?;
        match self.topic {
            Topic::Command(no) => write!(f, "command{no}")?,
            Topic::Transfer => f.write_str("transfer")?,
            Topic::Track => f.write_str("track")?,
            Topic::Bonus => f.write_str("bonus")?,
            Topic::Fight => f.write_str("fight")?,
            Topic::FightDuel => f.write_str("duel")?,
            Topic::Encounter => f.write_str("encounter")?,
            Topic::PirateDuel => f.write_str("pirateduel")?,
            Topic::PirateMind => f.write_str("pirates")?,
            Topic::SpotCheck => f.write_str("spotcheck")?,
        }
        write!(f, "-c{}", self.car)
    }
}

/// Everything that is outside of the rules.
pub trait World: Sync {
    /// A conversation with a car.
    type Car: Car;
    /// A conversation with a duellist's AI.
    type DuelAi: DuelAi;
    /// A reader of a team's real resources.
    type Inspector: Inspector;
    /// The clock of one duel.
    type DuelClock: DuelClock;

    /// Opens a conversation with the car at `url`, which belongs to `team` (whose secret is sent, C-20).
    fn car(&self, chain: Chain, team: TeamId, url: &BaseUrl) -> Self::Car;

    /// Opens the two seats of a duel, and the clock that runs for both (R-6.8). Seat 0 is the first of `duellists`.
    fn duel(&self, duellists: [Duellist; 2], limit: Seconds) -> ([Self::DuelAi; 2], Self::DuelClock);

    /// The inspector of a team, if it has one (CONTRACT I).
    fn inspector(&self, chain: Chain, team: TeamId) -> Option<Self::Inspector>;

    /// Resolves an instance name to the base URL of the car, where the team gave none (R-2.1): a static table, the
    /// team's relay, EC2. `None` if nobody knows the instance.
    fn resolve(
        &self,
        chain: Chain,
        team: TeamId,
        instance: &str,
    ) -> impl Future<Output = Option<BaseUrl>> + Send;

    /// Whether the race has run for `limit` of running time (R-10.2). Asked once, at the end of a turn.
    fn running_time_is_up(&self, turn: TurnNo, limit: Seconds) -> impl Future<Output = bool> + Send;
}

/// Who sits at a seat of a duel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Duellist {
    /// A car's AI.
    Car {
        /// The conversation.
        chain: Chain,
        /// The car's team.
        team: TeamId,
        /// Where the AI is (C-16).
        url: DuelUrl,
    },
    /// The pirates (R-5.1).
    Pirates {
        /// The conversation.
        chain: Chain,
        /// Which built-in AI.
        mind: PirateMind,
        /// The seed of its dice, if it has any, from the race's seed.
        seed: u64,
    },
}

/// The built-in AIs that pirates can have (R-5.1, cfg), the weakest first.
///
/// ```
/// use gm_core::ports::PirateMind;
/// assert_eq!("greedy".parse(), Ok(PirateMind::Greedy));
/// let unknown = "bold".parse::<PirateMind>().unwrap_err().to_string();
/// assert_eq!(unknown, "pirates have no such mind; theirs are random, greedy, careful, search");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PirateMind {
    /// Any legal play, all equally likely.
    Random,
    /// The best attack at once, and else the move that seems best.
    Greedy,
    /// Counts cards and weighs the odds. It is stored as `reference`, which it was called first, and so it stays: what
    /// was recorded keeps its meaning and its bytes.
    #[serde(rename = "reference")]
    Careful,
    /// Thinks ahead: the strongest.
    #[default]
    Search,
}

/// None of the names of the [minds](PirateMind).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("pirates have no such mind; theirs are {}", PirateMind::ALL.map(PirateMind::name).join(", "))]
pub struct NoSuchMind;

impl PirateMind {
    /// All, the weakest first.
    pub const ALL: [PirateMind; 4] =
        [PirateMind::Random, PirateMind::Greedy, PirateMind::Careful, PirateMind::Search];

    /// Its name, as people choose it: `search`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PirateMind::Random => "random",
            PirateMind::Greedy => "greedy",
            PirateMind::Careful => "careful",
            PirateMind::Search => "search",
        }
    }
}

impl FromStr for PirateMind {
    type Err = NoSuchMind;

    /// By its name. `reference`, which `careful` was called first, still means it.
    fn from_str(name: &str) -> Result<PirateMind, NoSuchMind> {
        match name {
            "reference" => Ok(PirateMind::Careful),
            name => PirateMind::ALL.into_iter().find(|mind| mind.name() == name).ok_or(NoSuchMind),
        }
    }
}

/// A conversation with one car (CONTRACT C): one request at a time, in order.
///
/// An adapter writes [`exchange`](Car::exchange) and [`wait_to_ask_again`](Car::wait_to_ask_again); the rules call
/// the others, one for each request of the contract, which read like the rule book.
pub trait Car: Send {
    /// Sends one request and gives the answer as it came, or the fault that kept it from coming.
    fn exchange(&mut self, request: &CarRequest) -> impl Future<Output = Result<Answer, Fault>> + Send;

    /// R-7.8: waits until a second after the question that failed was sent, and says whether there is still time to
    /// ask again; `false` when `grace` has passed since the first time it was called in this verification, which
    /// `tries` tells (1 for the first).
    fn wait_to_ask_again(&mut self, tries: u32, grace: Seconds) -> impl Future<Output = bool> + Send;

    /// C-1, C-2, C-3: the name of the car's bucket, queue or table.
    fn resource(&mut self, kind: Kind) -> impl Future<Output = Reply<String>> + Send {
        async move { ask(self, CarRequest::Resource(kind), reader::resource).await }
    }

    /// C-4: how many modules of a kind the car says it has.
    fn count(&mut self, kind: Kind) -> impl Future<Output = Reply<u64>> + Send {
        async move { ask(self, CarRequest::Count(kind), reader::count).await }
    }

    /// C-5: what the car says of itself.
    fn state(&mut self) -> impl Future<Output = Reply<CarState>> + Send {
        async move { ask(self, CarRequest::State, reader::state).await }
    }

    /// C-6: tells the car its square.
    fn set_square(&mut self, square: Square) -> impl Future<Output = Result<(), Fault>> + Send {
        async move { tell(self, CarRequest::SetSquare(square)).await }
    }

    /// C-7: tells the car its square after a step that it did not drive.
    fn set_position(&mut self, square: Square) -> impl Future<Output = Result<(), Fault>> + Send {
        async move { tell(self, CarRequest::SetPosition(square)).await }
    }

    /// C-8: tells the car that it is out of the race.
    fn retire(&mut self) -> impl Future<Output = Result<(), Fault>> + Send {
        async move { tell(self, CarRequest::Retire).await }
    }

    /// C-9: tells the car how many modules of a kind it has.
    fn set_count(&mut self, kind: Kind, count: u64) -> impl Future<Output = Result<(), Fault>> + Send {
        async move { tell(self, CarRequest::SetCount { kind, count }).await }
    }

    /// C-10: tells the car that it has gained a module.
    fn gain(&mut self, kind: Kind, name: &str) -> impl Future<Output = Result<(), Fault>> + Send {
        let request = CarRequest::Gain { kind, name: name.to_owned() };
        async move { tell(self, request).await }
    }

    /// C-11: tells the car that it has lost a module.
    fn lose(&mut self, kind: Kind, name: &str) -> impl Future<Output = Result<(), Fault>> + Send {
        let request = CarRequest::Lose { kind, name: name.to_owned() };
        async move { tell(self, request).await }
    }

    /// C-12: does the car search the wreck?
    fn searches_wreck(&mut self) -> impl Future<Output = Reply<bool>> + Send {
        async move { ask(self, CarRequest::Wreck, reader::boolean).await }
    }

    /// C-13: does the car drive through the minefield?
    fn crosses_mines(&mut self) -> impl Future<Output = Reply<bool>> + Send {
        async move { ask(self, CarRequest::Mine, reader::boolean).await }
    }

    /// C-14: what does the car buy?
    fn buys(&mut self, prices: Prices) -> impl Future<Output = Reply<Option<Kind>>> + Send {
        async move { ask(self, CarRequest::Garage(prices), reader::purchase).await }
    }

    /// C-15: does the car want to fight a car of this team?
    fn should_fight(&mut self, other: TeamId) -> impl Future<Output = Reply<bool>> + Send {
        async move { ask(self, CarRequest::ShouldFight(other), reader::boolean).await }
    }

    /// C-16: where is the car's duel AI? A URL that can't be used is [`Fault::NotTheValue`].
    fn duel_url(&mut self) -> impl Future<Output = Reply<DuelUrl>> + Send {
        async move {
            let taken = ask(self, CarRequest::DuelUrl, reader::text).await?;
            let value = DuelUrl::parse(&taken.value).map_err(|_| Fault::NotTheValue)?;
            Ok(Taken { value, deviations: taken.deviations })
        }
    }
}

async fn ask<C: Car + ?Sized, T>(
    car: &mut C,
    request: CarRequest,
    read: fn(&Answer) -> Reply<T>,
) -> Reply<T> {
    let answer = car.exchange(&request).await?;
    if !request.succeeds_with(answer.status) {
        return Err(Fault::Status(answer.status));
    }
    read(&answer)
}

async fn tell<C: Car + ?Sized>(car: &mut C, request: CarRequest) -> Result<(), Fault> {
    let answer = car.exchange(&request).await?;
    if request.succeeds_with(answer.status) { Ok(()) } else { Err(Fault::Status(answer.status)) }
}

/// A conversation with one duellist's AI (CONTRACT A).
pub trait DuelAi: Send {
    /// Sends one question and gives the answer as it came, or the fault that kept it from coming.
    fn exchange(&mut self, question: &DuelQuestion) -> impl Future<Output = Result<Answer, Fault>> + Send;

    /// A-1, A-2: the cards that the AI plays.
    fn plays(&mut self, question: &DuelQuestion) -> impl Future<Output = Reply<Vec<u8>>> + Send {
        async move {
            let answer = self.exchange(question).await?;
            if answer.status != 200 {
                return Err(Fault::Status(answer.status));
            }
            reader::cards(&answer)
        }
    }
}

/// The clock of one duel, which runs for both seats (R-6.8).
pub trait DuelClock: Send {
    /// Whether the duel's time has passed, and if so, the seat whose answers took longer in all. Asked after each
    /// answer.
    fn overdue(&mut self) -> impl Future<Output = Option<Seat>> + Send;
}

/// A reader of a team's real resources (CONTRACT I).
pub trait Inspector: Send {
    /// The names of the objects at the root of a bucket: the engines.
    fn engines(&mut self, bucket: &str) -> impl Future<Output = Result<Vec<String>, InspectorFault>> + Send;

    /// The number in the one message of a queue: the pilots.
    fn pilots(&mut self, queue: &str) -> impl Future<Output = Result<u64, InspectorFault>> + Send;

    /// The names of the items of a table: the weapons.
    fn weapons(&mut self, table: &str) -> impl Future<Output = Result<Vec<String>, InspectorFault>> + Send;
}

/// Why an inspector could not say what is there. A closed list (R-10.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InspectorFault {
    /// No such bucket, queue or table.
    NoSuchResource,
    /// The team's credentials were refused.
    Denied,
    /// The resource does not hold what the rule book asks for, e.g. a queue with two messages (I-2).
    Malformed,
    /// The service or the relay did not answer, or answered nonsense.
    Unavailable,
}

impl fmt::Display for InspectorFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InspectorFault::NoSuchResource => "no such resource",
            InspectorFault::Denied => "access denied",
            InspectorFault::Malformed => "the resource does not hold what the rule book asks for",
            InspectorFault::Unavailable => "the service did not answer",
        })
    }
}
