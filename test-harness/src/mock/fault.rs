//! What goes wrong, and when.
//!
//! ```
//! use std::time::Duration;
//! use test_harness::mock::{Endpoint, Fault};
//! let late_in_turn_2 = Fault::on(Endpoint::Wreck).turn(2).late(Duration::from_secs(3));
//! let first_three = Fault::on(Endpoint::Any).times(3).status(503);
//! let from_the_second_move_on = Fault::on(Endpoint::Action).from(2).wrong_value();
//! # let _ = (late_in_turn_2, first_three, from_the_second_move_on);
//! ```

use super::server::Heard;
use crate::client::REQUEST_ID;
use gm_core::contract::{CarRequest, Kind};
use gm_core::ids::TurnNo;
use std::time::Duration;

/// What is asked: a request of the contract, whatever is said in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// Anything.
    Any,
    /// C-1, C-2, C-3.
    Resource(Kind),
    /// C-4.
    Count(Kind),
    /// C-5.
    State,
    /// C-6.
    SetSquare,
    /// C-7.
    SetPosition,
    /// C-8.
    Retire,
    /// C-9.
    SetCount(Kind),
    /// C-10.
    Gain(Kind),
    /// C-11.
    Lose(Kind),
    /// C-12.
    Wreck,
    /// C-13.
    Mine,
    /// C-14.
    Garage,
    /// C-15.
    ShouldFight,
    /// C-16.
    DuelUrl,
    /// A-1: what a duel AI is asked.
    Action,
    /// A method and a path without its query, whether the contract knows them or not.
    Line(&'static str, &'static str),
}

impl Endpoint {
    /// The endpoint of a request of C.
    #[must_use]
    pub fn of(request: &CarRequest) -> Endpoint {
        match request {
            CarRequest::Resource(kind) => Endpoint::Resource(*kind),
            CarRequest::Count(kind) => Endpoint::Count(*kind),
            CarRequest::State => Endpoint::State,
            CarRequest::SetSquare(_) => Endpoint::SetSquare,
            CarRequest::SetPosition(_) => Endpoint::SetPosition,
            CarRequest::Retire => Endpoint::Retire,
            CarRequest::SetCount { kind, .. } => Endpoint::SetCount(*kind),
            CarRequest::Gain { kind, .. } => Endpoint::Gain(*kind),
            CarRequest::Lose { kind, .. } => Endpoint::Lose(*kind),
            CarRequest::Wreck => Endpoint::Wreck,
            CarRequest::Mine => Endpoint::Mine,
            CarRequest::Garage(_) => Endpoint::Garage,
            CarRequest::ShouldFight(_) => Endpoint::ShouldFight,
            CarRequest::DuelUrl => Endpoint::DuelUrl,
        }
    }

    /// Whether a request is one of these.
    pub(super) fn takes(self, heard: &Heard) -> bool {
        match self {
            Endpoint::Any => true,
            Endpoint::Line(method, path) => {
                heard.method == method && heard.path.split('?').next() == Some(path)
            }
            known => heard.endpoint == Some(known),
        }
    }
}

/// What is done instead of what the contract says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// It does what it is asked, and answers after this time.
    Late(Duration),
    /// It does nothing, and answers with this status.
    Status(u16),
    /// It does what it is asked, and answers 200 with this body.
    Body(String),
    /// It does nothing, and closes the connection.
    Drop,
    /// It answers 200, and not the truth.
    WrongValue,
}

/// When something goes wrong: on all requests of an endpoint, until it is said more narrowly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    endpoint: Endpoint,
    turn: Option<TurnNo>,
    from: u32,
    times: u32,
}

/// Something that goes wrong. Of several that fit a request, the first one counts.
///
/// A request that comes once more with the same id is the same request (C-20): it goes wrong again, and is counted once.
/// So a connection that is dropped once is dropped for good, though the game master asks again where it was an old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    when: When,
    pub(super) what: What,
    /// How many requests it was about so far.
    met: u32,
    /// The id of the last one, and whether it went wrong.
    last: Option<(String, bool)>,
}

impl Fault {
    /// On all requests of this endpoint, from the first one on.
    #[must_use]
    pub fn on(endpoint: Endpoint) -> When {
        When { endpoint, turn: None, from: 1, times: u32::MAX }
    }

    /// Whether it is this request's turn to go wrong, which it counts.
    pub(super) fn meets(&mut self, heard: &Heard) -> bool {
        let When { endpoint, turn, from, times } = self.when;
        if !endpoint.takes(heard) || turn.is_some_and(|turn| heard.turn() != Some(turn)) {
            return false;
        }
        let id = heard.header(REQUEST_ID);
        if let Some((last, wrong)) = &self.last
            && id == Some(last)
        {
            return *wrong;
        }
        self.met = self.met.saturating_add(1);
        let wrong = self.met.checked_sub(from).is_some_and(|ago| ago < times);
        self.last = id.map(|id| (id.to_owned(), wrong));
        wrong
    }
}

impl When {
    /// Only in this turn of the race, which is in the request's id (C-20). Between two turns it is the last one, and 0
    /// before the first.
    #[must_use]
    pub fn turn(self, turn: u32) -> When {
        When { turn: Some(TurnNo(turn)), ..self }
    }

    /// Only from the `nth` of these requests on, counted from 1.
    #[must_use]
    pub fn from(self, nth: u32) -> When {
        When { from: nth.max(1), ..self }
    }

    /// Only so many times.
    #[must_use]
    pub fn times(self, times: u32) -> When {
        When { times, ..self }
    }

    /// Does what it is asked, and answers after this time.
    #[must_use]
    pub fn late(self, after: Duration) -> Fault {
        self.goes_wrong(What::Late(after))
    }

    /// Does nothing, and answers with this status, 100 to 999.
    #[must_use]
    pub fn status(self, status: u16) -> Fault {
        self.goes_wrong(What::Status(status.clamp(100, 999)))
    }

    /// Does what it is asked, and answers 200 with this body, which says that it is JSON.
    #[must_use]
    pub fn body(self, body: impl Into<String>) -> Fault {
        self.goes_wrong(What::Body(body.into()))
    }

    /// Does nothing, and closes the connection.
    #[must_use]
    pub fn dropped(self) -> Fault {
        self.goes_wrong(What::Drop)
    }

    /// Answers in the form that is asked for, and not the truth. A number is one more, a yes a no; another kind is
    /// bought; nobody is at the AI's address; what a car is told it does not do, and says that it did. A duel AI plays
    /// a card that it does not hold.
    #[must_use]
    pub fn wrong_value(self) -> Fault {
        self.goes_wrong(What::WrongValue)
    }

    fn goes_wrong(self, what: What) -> Fault {
        Fault { when: self, what, met: 0, last: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(line: &str, turn: u32, number: usize) -> Heard {
        let (method, path) = line.split_once(' ').expect("a method and a path");
        Heard::new(method, path, &format!("a-race-t{turn}-track-c1-{number}"))
    }

    /// Which of six requests meet a fault: `x` where they do.
    #[test]
    fn when_a_fault_is_met() {
        let requests = [
            ("GET /engine/count", 0),
            ("GET /engine/count", 1),
            ("PATCH /state", 1),
            ("GET /engine/count", 2),
            ("GET /engine/count", 2),
            ("GET /nowhere?x=1", 2),
        ];
        let count = Endpoint::Count(Kind::Engine);
        for (when, met) in [
            (Fault::on(Endpoint::Any), "xxxxxx"),
            (Fault::on(count), "xx.xx."),
            (Fault::on(Endpoint::Count(Kind::Pilot)), "......"),
            (Fault::on(Endpoint::SetSquare), "..x..."),
            (Fault::on(Endpoint::Line("GET", "/nowhere")), ".....x"),
            (Fault::on(Endpoint::Line("PUT", "/nowhere")), "......"),
            (Fault::on(Endpoint::Line("GET", "/engine/count")), "xx.xx."),
            (Fault::on(count).from(2), ".x.xx."),
            (Fault::on(count).from(0).times(1), "x....."),
            (Fault::on(count).from(2).times(2), ".x.x.."),
            (Fault::on(count).turn(2), "...xx."),
            (Fault::on(count).turn(2).from(2), "....x."),
            (Fault::on(Endpoint::Any).turn(1).times(1), ".x...."),
            (Fault::on(count).turn(3), "......"),
        ] {
            let name = format!("{when:?}");
            let mut fault = when.dropped();
            let seen: String = requests
                .iter()
                .enumerate()
                .map(|(number, (line, turn))| {
                    let request = heard(line, *turn, number);
                    let wrong = fault.meets(&request);
                    assert_eq!(fault.meets(&request), wrong, "{name}: C-20, sent again");
                    if wrong { 'x' } else { '.' }
                })
                .collect();
            assert_eq!(seen, met, "{name}");
        }
    }

    /// Requests without an id are all different.
    #[test]
    fn without_an_id() {
        let mut fault = Fault::on(Endpoint::State).times(1).dropped();
        let mut state = Heard::new("GET", "/state", "any");
        state.headers.clear();
        assert_eq!([fault.meets(&state), fault.meets(&state)], [true, false]);
    }
}
