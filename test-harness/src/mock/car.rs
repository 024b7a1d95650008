//! A car for tests of the game master: all of CONTRACT C, with modules and a square, and scripted faults.
//!
//! ```no_run
//! # async fn a_test() -> std::io::Result<()> {
//! use test_harness::mock::MockCar;
//! let car = MockCar::healthy("i-1").modules(4, 1, 3).car(|car| car.fights = true).start().await?;
//! assert_eq!(car.with(|car| car.square), 0);
//! # Ok(())
//! # }
//! ```

use super::fault::{Endpoint, Fault};
use super::server::{Heard, Server, Subject};
use crate::client::SECRET;
use gm_core::contract::{BaseUrl, CarRequest, DuelUrl, Kind};
use gm_core::memory::MemoryCar;
use serde_json::{Value, json};
use std::io;

/// Where nobody is: the discard port, to which nothing is bound.
const NOBODY: &str = "http://127.0.0.1:9/action";

/// A car that is to be started.
pub struct MockCarPlan {
    car: MemoryCar,
    secret: Option<String>,
    faults: Vec<Fault>,
}

impl MockCarPlan {
    /// So many engines, pilots and weapons, which it got in the order of their numbers.
    #[must_use]
    pub fn modules(mut self, engines: u32, pilots: u32, weapons: u32) -> MockCarPlan {
        self.car.modules = MemoryCar::new(&self.car.instance, engines, pilots, weapons).modules;
        self
    }

    /// The secret that it wants to be shown: another one, or none, is answered by 401 (C-20).
    #[must_use]
    pub fn secret(mut self, secret: &str) -> MockCarPlan {
        self.secret = Some(secret.to_owned());
        self
    }

    /// Where its duel AI is (C-16).
    #[must_use]
    pub fn ai(mut self, url: &DuelUrl) -> MockCarPlan {
        self.car.duel_url = Some(url.as_str().to_owned());
        self
    }

    /// Changes the car itself: what it decides, what its modules are called.
    #[must_use]
    pub fn car(mut self, change: impl FnOnce(&mut MemoryCar)) -> MockCarPlan {
        change(&mut self.car);
        self
    }

    /// One more fault.
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> MockCarPlan {
        self.faults.push(fault);
        self
    }

    /// Starts it on a free port of the loopback.
    ///
    /// # Errors
    /// If no port can be had.
    pub async fn start(self) -> io::Result<MockCar> {
        let server = Server::start(Mocked { car: self.car, secret: self.secret }, self.faults).await?;
        let url = BaseUrl::parse(server.url()).map_err(io::Error::other)?;
        Ok(MockCar { server, url })
    }
}

/// A car that is asked over HTTP.
pub struct MockCar {
    server: Server<Mocked>,
    url: BaseUrl,
}

impl MockCar {
    /// A car that does what the contract says: 4 engines, 1 pilot, 3 weapons, no secret, no duel AI. It searches
    /// wrecks, goes round minefields, buys nothing and does not want to fight.
    #[must_use]
    pub fn healthy(instance: &str) -> MockCarPlan {
        let car = MemoryCar { duel_url: None, ..MemoryCar::new(instance, 4, 1, 3) };
        MockCarPlan { car, secret: None, faults: Vec::new() }
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &BaseUrl {
        &self.url
    }

    /// All requests that came, in order, at most [`MAX_REMEMBERED`](super::MAX_REMEMBERED). One that was sent again, with
    /// the same id (C-20), is there each time.
    #[must_use]
    pub fn requests(&self) -> Vec<Heard> {
        self.server.requests()
    }

    /// Those of one endpoint.
    #[must_use]
    pub fn requests_of(&self, endpoint: Endpoint) -> Vec<Heard> {
        self.requests().into_iter().filter(|heard| endpoint.takes(heard)).collect()
    }

    /// These faults from now on, and no others.
    pub fn follow(&self, faults: Vec<Fault>) {
        self.server.follow(faults);
    }

    /// Looks at the car, or changes it.
    pub fn with<T>(&self, look: impl FnOnce(&mut MemoryCar) -> T) -> T {
        self.server.with(|mocked| look(&mut mocked.car))
    }
}

/// Reads a request as the reference car does.
pub(super) fn read(method: &str, path: &str, body: &[u8]) -> Result<CarRequest, (u16, Value)> {
    car_reference::request::read(method, path, body).map_err(|said| (said.status, said.body))
}

struct Mocked {
    car: MemoryCar,
    secret: Option<String>,
}

impl Mocked {
    fn asked(&self, heard: &Heard) -> Result<CarRequest, (u16, Value)> {
        if self.secret.as_deref().is_some_and(|secret| heard.header(SECRET) != Some(secret)) {
            return Err((401, json!({"error": "wrong secret"})));
        }
        read(&heard.method, &heard.path, &heard.body)
    }
}

impl Subject for Mocked {
    fn endpoint(&self, heard: &Heard) -> Option<Endpoint> {
        read(&heard.method, &heard.path, &heard.body).ok().map(|request| Endpoint::of(&request))
    }

    fn obey(&mut self, heard: &Heard) -> (u16, Value) {
        match self.asked(heard) {
            Err(refused) => refused,
            Ok(CarRequest::DuelUrl) if self.car.duel_url.is_none() => (404, json!({"error": "no duel AI"})),
            Ok(request) => {
                let answer = self.car.obey(&request);
                (answer.status, serde_json::from_slice(&answer.body).unwrap_or_default())
            }
        }
    }

    fn lie(&mut self, heard: &Heard) -> (u16, Value) {
        let request = match self.asked(heard) {
            Err(refused) => return refused,
            Ok(request) => request,
        };
        let car = &self.car;
        let res = match &request {
            CarRequest::Resource(kind) => json!(format!("not-{}-{kind}", car.instance)),
            CarRequest::Count(kind) => json!(car.count(*kind) + 1),
            CarRequest::State => {
                let count = |kind| car.count(kind);
                let modules = json!({
                    "engine": count(Kind::Engine), "pilot": count(Kind::Pilot), "weapon": count(Kind::Weapon),
                });
                let square = u64::from(car.square) + 1;
                return (200, json!({"name": car.instance, "square": square, "modules": modules}));
            }
            CarRequest::Wreck => json!(!car.searches_wrecks),
            CarRequest::Mine => json!(!car.crosses_mines),
            CarRequest::ShouldFight(_) => json!(!car.fights),
            CarRequest::Garage(_) if car.buys == Some(Kind::Engine) => json!(Kind::Pilot.word()),
            CarRequest::Garage(_) => json!(Kind::Engine.word()),
            CarRequest::DuelUrl => json!(NOBODY),
            CarRequest::SetSquare(_)
            | CarRequest::SetPosition(_)
            | CarRequest::Retire
            | CarRequest::SetCount { .. }
            | CarRequest::Gain { .. }
            | CarRequest::Lose { .. } => json!("ok"),
        };
        (200, json!({ "res": res }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Ask, Client};
    use gm_core::contract::{Fault as Wrong, Prices};
    use gm_core::ids::{Square, TeamId};
    use std::time::Duration;

    async fn ask(client: &mut Client, request: &CarRequest) -> Result<(u16, String), Wrong> {
        let ask = Ask::new(request.method(), &request.path()).header(SECRET, "s3cret");
        let ask = match request.body() {
            Some(body) => ask.json(&body),
            None => ask,
        };
        let exchange = client.exchange(ask).await;
        exchange.answer().map(|got| (got.status, got.text()))
    }

    fn client(car: &MockCar) -> Client {
        Client::new(car.url().as_str()).expect("a place").deadline(Duration::from_millis(500))
    }

    fn every_request() -> Vec<CarRequest> {
        let kind = Kind::Engine;
        vec![
            CarRequest::Resource(kind),
            CarRequest::Count(kind),
            CarRequest::State,
            CarRequest::SetSquare(Square(4)),
            CarRequest::SetPosition(Square(3)),
            CarRequest::SetCount { kind, count: 2 },
            CarRequest::Gain { kind, name: "V8 n°1".to_owned() },
            CarRequest::Lose { kind, name: "V8 n°1".to_owned() },
            CarRequest::Wreck,
            CarRequest::Mine,
            CarRequest::Garage(Prices { engine: 2, pilot: 1, weapon: 2 }),
            CarRequest::ShouldFight(TeamId(7)),
            CarRequest::DuelUrl,
            CarRequest::Retire,
        ]
    }

    /// C-1 to C-16: what a healthy one answers, what one that lies answers, and what becomes of either.
    #[tokio::test]
    async fn c_1_to_16_the_truth_and_a_lie() {
        let ai = DuelUrl::parse("http://ai.example/action").expect("a URL");
        let plan = || MockCar::healthy("i-1").secret("s3cret").ai(&ai);
        let honest = plan().start().await.expect("a port");
        let liar = plan().fault(Fault::on(Endpoint::Any).wrong_value()).start().await.expect("a port");
        let (mut to_honest, mut to_liar) = (client(&honest), client(&liar));
        let state = |square, engine| {
            format!(
                r#"{{"modules":{{"engine":{engine},"pilot":1,"weapon":3}},"name":"i-1","square":{square}}}"#
            )
        };
        let ok = || r#"{"res":"ok"}"#.to_owned();
        let res = |text: &str| format!(r#"{{"res":{text}}}"#);
        let answers = [
            (res(r#""i-1-engine""#), res(r#""not-i-1-engine""#)),
            (res("4"), res("5")),
            (state(0, 4), state(1, 4)),
            (ok(), ok()),
            (ok(), ok()),
            (ok(), ok()),
            (ok(), ok()),
            (ok(), ok()),
            (res("true"), res("false")),
            (res("false"), res("true")),
            (res(r#""none""#), res(r#""engine""#)),
            (res("false"), res("true")),
            (res(r#""http://ai.example/action""#), res(&format!("\"{NOBODY}\""))),
            (ok(), ok()),
        ];
        for (request, (truth, lie)) in every_request().iter().zip(answers) {
            assert_eq!(ask(&mut to_honest, request).await, Ok((200, truth)), "{request}");
            assert_eq!(ask(&mut to_liar, request).await, Ok((200, lie)), "{request}");
        }
        let is = |car: &MockCar| car.with(|car| (car.square, car.count(Kind::Engine)));
        assert_eq!((is(&honest), is(&liar)), ((3, 2), (0, 4)), "one does what it is told, one does not");
        let endpoints: Vec<_> = honest.requests().iter().map(|heard| heard.endpoint).collect();
        let expected: Vec<_> = every_request().iter().map(|request| Some(Endpoint::of(request))).collect();
        assert_eq!(endpoints, expected);
        assert_eq!(honest.requests()[7].line(), "DELETE /engine/V8%20n%C2%B01");
        assert_eq!(honest.requests()[3].json(), Some(json!({"square": 4})));
        assert_eq!(honest.requests_of(Endpoint::Wreck).len(), 1);
    }

    /// What comes of each fault, and whether the car did what it was asked.
    #[tokio::test]
    async fn c_21_each_fault() {
        let on = || Fault::on(Endpoint::Gain(Kind::Engine));
        let ok = Ok((200, r#"{"res":"ok"}"#.to_owned()));
        for (fault, answer, engines) in [
            (on().late(Duration::from_secs(3)), Err(Wrong::Late), 5),
            (on().status(503), Ok((503, String::new())), 4),
            (on().body("{"), Ok((200, "{".to_owned())), 5),
            (on().dropped(), Err(Wrong::Broken), 4),
            (on().wrong_value(), ok.clone(), 4),
            (Fault::on(Endpoint::Gain(Kind::Pilot)).dropped(), ok.clone(), 5),
        ] {
            let name = format!("{fault:?}");
            let plan = MockCar::healthy("i-1").fault(fault).fault(on().from(2).status(500));
            let car = plan.start().await.expect("a port");
            let mut client = client(&car);
            let gain = |name: &str| CarRequest::Gain { kind: Kind::Engine, name: name.to_owned() };
            assert_eq!(ask(&mut client, &gain("V8")).await, answer, "{name}");
            assert_eq!(car.with(|car| car.count(Kind::Engine)), engines, "{name}");
            car.follow(vec![]);
            assert_eq!(ask(&mut client, &gain("V9")).await, ok, "{name}: without a fault");
            assert_eq!(car.requests().len(), 2, "{name}");
        }
    }

    /// C-20, C-16, and what is not in the contract: what is refused, though nothing is scripted.
    #[tokio::test]
    async fn c_20_what_is_refused() {
        let car = MockCar::healthy("i-1").secret("s3cret").start().await.expect("a port");
        let mut client = client(&car);
        for (ask, status) in [
            (Ask::new("GET", "/state"), 401),
            (Ask::new("GET", "/state").header(SECRET, "other"), 401),
            (Ask::new("GET", "/nowhere").header(SECRET, "s3cret"), 404),
            (Ask::new("PUT", "/state").header(SECRET, "s3cret"), 405),
            (Ask::new("PATCH", "/state").header(SECRET, "s3cret").body("42"), 422),
            (Ask::new("GET", "/fight/iaurl").header(SECRET, "s3cret"), 404),
            (Ask::new("GET", "/state").header(SECRET, "s3cret"), 200),
        ] {
            let line = ask.to_string();
            assert_eq!(client.exchange(ask).await.status(), Some(status), "{line}");
        }
    }

    /// A port is nobody else's, also when its car is gone.
    #[tokio::test]
    async fn a_port_is_kept() {
        let mut urls = std::collections::BTreeSet::new();
        for _ in 0..5 {
            let car = MockCar::healthy("i-1").start().await.expect("a port");
            assert!(urls.insert(car.url().to_string()), "{} was given twice", car.url());
        }
        for url in urls {
            let mut client = Client::new(&url).expect("a place");
            let exchange = client.exchange(Ask::new("GET", "/state")).await;
            assert_eq!(exchange.status(), Some(200), "{url} still answers");
        }
    }
}
