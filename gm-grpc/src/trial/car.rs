//! A look at a car, outside of the race: does it say what the game master knows?
//!
//! ```text
//! C-1   GET http://red-1/engine: 200 {"res":"red-engines"} in 3 ms       expected red-engines
//! C-4   GET http://red-1/engine/count: 200 {"res":2} in 4 ms             expected 3, found 2: wrong
//! C-16  GET http://red-1/fight/iaurl: no answer within the deadline      wrong
//! ```
//!
//! Only what changes nothing is asked. What a car wants at an event or of a fight (C-12 to C-15) is not: a car may
//! take the question for the event itself.
//!
//! A race goes on while a car is looked at, and a turn tells cars what is committed only at its end. So a car that says
//! something else than expected is wrong only where the race stood still.

use super::{Permit, Steps, aside};
use crate::control::{Activity, State};
use crate::drive::HttpWorld;
use crate::durable::{Live, car_request};
use crate::journal::Port;
use crate::team_log::{Asked, Came, Shown};
use gm_core::contract::car::CarState;
use gm_core::contract::{Answer, CarRequest, DuelUrl, Fault, Kind, reader};
use gm_core::ids::CarId;
use gm_core::ports::{Car as _, Chain, Topic, World};
use gm_core::race::Race;
use gm_core::race::event::Fact;
use std::fmt;
use tokio::sync::watch;

/// What a car is asked, in this order.
const QUESTIONS: [CarRequest; 8] = [
    CarRequest::State,
    CarRequest::Resource(Kind::Engine),
    CarRequest::Resource(Kind::Pilot),
    CarRequest::Resource(Kind::Weapon),
    CarRequest::Count(Kind::Engine),
    CarRequest::Count(Kind::Pilot),
    CarRequest::Count(Kind::Weapon),
    CarRequest::DuelUrl,
];

/// A question to a car, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// What it was asked.
    pub request: CarRequest,
    /// The exchange, as in the team's log.
    pub asked: Asked,
    /// What the game master expected, in words: as it knew the race when the answer came. None if it expected nothing
    /// particular, also of a car that is out of the race.
    pub expected: Option<String>,
    /// What it found, in words: one line, at most [`MOST_IN_A_LINE`](crate::team_log::entry::MOST_IN_A_LINE) bytes and
    /// how many there were.
    pub found: String,
    /// Whether there was no usable answer, or another than expected while the race stood still.
    pub wrong: bool,
    /// Whether the race went on meanwhile: the car may know of it what the game master has not committed yet.
    pub moving: bool,
}

impl Looked {
    /// The number of the question in the contract, e.g. `C-4`.
    #[must_use]
    pub fn number(&self) -> &'static str {
        self.request.number()
    }
}

/// There is no such car in the race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no car {0}")]
pub struct NoSuchCar(pub CarId);

/// Looks at a car: a step for each of C-5, C-1, C-2, C-3, C-4 (three times) and C-16, as it is answered. One that is not
/// answered does not end the look.
///
/// `known` is the race of this world, newest. Must be called within a tokio runtime.
///
/// # Errors
/// [`NoSuchCar`] if the race has no such car. Then nobody is asked.
pub fn look_at(
    world: &HttpWorld,
    permit: Permit,
    known: watch::Receiver<State>,
    car: CarId,
) -> Result<Steps<Looked>, NoSuchCar> {
    let race = known.borrow().race.clone();
    let (team, url) = race.cars.get(&car).map(|car| (car.team, car.url.clone())).ok_or(NoSuchCar(car))?;
    let chain = Chain { turn: race.turn, topic: Topic::SpotCheck, car };
    let limit = world.limits().car.saturating_mul(u32::try_from(QUESTIONS.len()).unwrap_or(u32::MAX));
    let (world, name) = aside(world);
    Ok(Steps::begin(permit, QUESTIONS.len(), limit, |teller| async move {
        let mut line = world.car(chain, team, &url);
        for (number, request) in (1..).zip(QUESTIONS) {
            let before = known.borrow().clone();
            let outcome = line.exchange(&request).await;
            let after = known.borrow().clone();
            let deviations = outcome.as_ref().map(|answer| request.deviations(answer)).unwrap_or_default();
            let asked = Asked {
                chain: format!("{name}-{chain}"),
                port: Port::Car,
                number,
                car: Some(car),
                request: Shown::of(car_request(&url, &request).as_bytes()),
                came: Came::of_answer(&outcome),
                deviations: deviations.iter().map(ToString::to_string).collect(),
                latency: line.latency(),
            };
            let said = outcome.and_then(|answer| Said::read(&request, &answer));
            teller.tell(judge(request, asked, said, car, [&before, &after]));
        }
    }))
}

/// What an answer is worth, by the race as it was known before the question and after the answer.
fn judge(
    request: CarRequest,
    asked: Asked,
    said: Result<Said, Fault>,
    car: CarId,
    known: [&State; 2],
) -> Looked {
    let [before, after] = known;
    let moving =
        before.last_seq != after.last_seq || known.iter().any(|state| state.activity != Activity::Waits);
    let expected = [before, after].map(|state| Said::expected(&request, &state.race, car));
    let [_, newest] = &expected;
    let wrong = match &said {
        Err(_) => true,
        Ok(said) => newest.is_some() && !moving && !expected.iter().flatten().any(|right| right == said),
    };
    let wanted = said.as_ref().err().and_then(|fault| request.wanted_instead_of(*fault));
    let found = match &said {
        Ok(said) => said.to_string(),
        Err(fault) => fault.to_string(),
    };
    let in_a_line = |text: &str| Shown::of(text.as_bytes()).to_string();
    Looked {
        expected: newest.as_ref().map(|right| in_a_line(&right.to_string())).or(wanted.map(str::to_owned)),
        found: in_a_line(&found),
        request,
        asked,
        wrong,
        moving,
    }
}

/// What a car says, or should say.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    /// C-1, C-2, C-3.
    Name(String),
    /// C-4.
    Count(u64),
    /// C-5.
    State(CarState),
    /// C-16.
    Url(DuelUrl),
}

impl Said {
    /// Reads the answer to one of [`QUESTIONS`].
    fn read(request: &CarRequest, answer: &Answer) -> Result<Said, Fault> {
        if !request.succeeds_with(answer.status) {
            return Err(Fault::Status(answer.status));
        }
        Ok(match request {
            CarRequest::Count(_) => Said::Count(reader::count(answer)?.value),
            CarRequest::State => Said::State(reader::state(answer)?.value),
            CarRequest::DuelUrl => {
                let text = reader::text(answer)?.value;
                Said::Url(DuelUrl::parse(&text).map_err(|_| Fault::NotTheValue)?)
            }
            _ => Said::Name(reader::resource(answer)?.value),
        })
    }

    /// What the car should say; none where anything will do.
    fn expected(request: &CarRequest, race: &Race, car: CarId) -> Option<Said> {
        let car = race.cars.get(&car).filter(|car| !car.is_retired())?;
        match request {
            CarRequest::Resource(kind) => Some(Said::Name(car.resources.of(*kind).to_owned())),
            CarRequest::Count(kind) => Some(Said::Count(car.count(*kind))),
            CarRequest::State => Some(Said::State(CarState {
                name: car.instance.clone(),
                square: car.square.0.into(),
                modules: car.counts(),
            })),
            _ => None,
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Name(name) => f.write_str(name),
            Said::Count(count) => write!(f, "{count}"),
            Said::State(CarState { name, square, modules }) => {
                write!(f, "{name}: {}", Fact::State { square: *square, modules: *modules })
            }
            Said::Url(url) => write!(f, "{url}"),
        }
    }
}
