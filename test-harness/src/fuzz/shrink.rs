//! A sequence that breaks a car becomes the shortest that still breaks it in the same way.
//!
//! ```text
//! 23 steps, the last of them POST /engine {"name": "fuzz1017-xxxxxxxx…"}   →   POST /engine {"name": "aaaa"}
//! ```
//!
//! Each try begins with the car as it was found. First steps are dropped, then each that is left is made simpler.

use super::Broke;
use super::raw::Raw;
use super::session::{Break, Session};
use super::step::{Id, Key, Spelling, Step, What};
use gm_core::contract::{CarRequest, Prices};
use gm_core::ids::{Square, TeamId};
use std::time::{Duration, Instant};

/// How many tries one finding is worth, at most.
pub const MAX_TRIES: usize = 400;

/// How long the tries of one finding may take.
pub const MAX_TIME: Duration = Duration::from_secs(30);

/// What came of it.
pub(super) struct Shrunk {
    pub(super) steps: Vec<Step>,
    /// How the car broke at the last try that broke it; none if it was never broken again.
    pub(super) broken: Option<Break>,
    pub(super) tries: usize,
}

/// Makes a sequence, whose last step broke the car, as short as it gets.
pub(super) async fn shrink(
    session: &mut Session,
    steps: Vec<Step>,
    first: &Break,
    mut tick: impl FnMut(&Session),
) -> Shrunk {
    let mut search = Search {
        session,
        until: Instant::now() + MAX_TIME,
        shrunk: Shrunk { steps: steps.clone(), broken: None, tries: 0 },
        tried: Vec::new(),
        how: first.how,
    };
    // Most often the last one will do by itself.
    let last = steps.last().cloned().into_iter().collect();
    if !search.breaks(last).await && !search.breaks(steps).await {
        return search.shrunk;
    }
    tick(search.session);
    let mut is_simpler = true;
    while is_simpler && search.goes_on() {
        is_simpler = search.drop_steps().await;
        is_simpler |= search.simplify_steps().await;
        is_simpler |= search.shorten_names().await;
        tick(search.session);
    }
    search.shrunk
}

struct Search<'s> {
    session: &'s mut Session,
    until: Instant,
    shrunk: Shrunk,
    /// What was tried before: never more than [`MAX_TRIES`].
    tried: Vec<Vec<Step>>,
    how: Broke,
}

impl Search<'_> {
    fn goes_on(&self) -> bool {
        self.shrunk.tries < MAX_TRIES && Instant::now() < self.until && !self.session.is_stopped()
    }

    /// Whether the car breaks in the same way on these; they are kept if it does.
    async fn breaks(&mut self, steps: Vec<Step>) -> bool {
        if !self.goes_on() || self.tried.contains(&steps) {
            return false;
        }
        self.tried.push(steps.clone());
        self.shrunk.tries += 1;
        let Some((at, broken)) = attempt(self.session, &steps).await else { return false };
        if broken.how != self.how || self.session.is_stopped() {
            return false;
        }
        self.shrunk.steps = steps;
        self.shrunk.steps.truncate(at + 1);
        self.shrunk.broken = Some(broken);
        true
    }

    /// Drops steps, many at a time and then fewer. Whether any were.
    async fn drop_steps(&mut self) -> bool {
        let mut dropped = false;
        let mut size = self.shrunk.steps.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at + size <= self.shrunk.steps.len() && self.shrunk.steps.len() > size {
                let mut fewer = self.shrunk.steps.clone();
                fewer.drain(at..at + size);
                if self.breaks(fewer).await {
                    dropped = true;
                } else {
                    at += size;
                }
            }
            size /= 2;
        }
        dropped
    }

    /// Makes each step simpler, the last first. Whether any was.
    async fn simplify_steps(&mut self) -> bool {
        let mut simplified = false;
        for at in (0..self.shrunk.steps.len()).rev() {
            // Each round makes the step simpler, or is the last.
            let mut again = true;
            while again && self.goes_on() {
                again = false;
                let Some(step) = self.shrunk.steps.get(at).cloned() else { break };
                for simpler in simpler(&step) {
                    let mut steps = self.shrunk.steps.clone();
                    steps[at] = simpler;
                    if self.breaks(steps).await {
                        (again, simplified) = (true, true);
                        break;
                    }
                }
            }
        }
        simplified
    }

    /// Makes names shorter, and those that begin alike alike. Whether any was.
    async fn shorten_names(&mut self) -> bool {
        let mut shortened = false;
        for at in 0..self.shrunk.steps.len() {
            let length =
                |steps: &[Step]| steps.get(at).and_then(Step::name).map_or(0, |name| name.chars().count());
            let mut size = length(&self.shrunk.steps);
            while size > 0 {
                let mut from = 0;
                while from + size <= length(&self.shrunk.steps) {
                    let cut = renamed(&self.shrunk.steps, at, from, size, "");
                    if cut != self.shrunk.steps && self.breaks(cut).await {
                        shortened = true;
                        continue;
                    }
                    let plain = renamed(&self.shrunk.steps, at, from, size, &"a".repeat(size));
                    if plain != self.shrunk.steps && self.breaks(plain).await {
                        shortened = true;
                    }
                    from += size;
                }
                size /= 2;
            }
        }
        shortened
    }
}

/// Does these steps to the car as it was found, and looks at all of it after each. The first step that broke it, and
/// how.
pub(super) async fn attempt(session: &mut Session, steps: &[Step]) -> Option<(usize, Break)> {
    if !session.bring_back().await {
        return None;
    }
    for (at, step) in steps.iter().enumerate() {
        if let Err(broken) = session.step(step, true).await {
            session.owe(step);
            return Some((at, broken));
        }
    }
    None
}

/// The steps with other characters in the name of one of them, and in all names that are the same so far.
fn renamed(steps: &[Step], at: usize, from: usize, size: usize, instead: &str) -> Vec<Step> {
    let mut steps = steps.to_vec();
    let Some(name) = steps[at].name().map(str::to_owned) else { return steps };
    let start: String = name.chars().take(from + size).collect();
    for step in &mut steps {
        let What::Contract(CarRequest::Gain { name, .. } | CarRequest::Lose { name, .. }, _) = &mut step.what
        else {
            continue;
        };
        if let Some(rest) = name.strip_prefix(&start) {
            let kept: String = start.chars().take(from).collect();
            *name = format!("{kept}{instead}{rest}");
        }
    }
    steps
}

/// What is a little simpler than this step, the simplest first.
fn simpler(step: &Step) -> Vec<Step> {
    let mut all = Vec::new();
    let mut offer = |other: Step| {
        if other != *step {
            all.push(other);
        }
    };
    offer(Step { headers: Vec::new(), ..step.clone() });
    for at in 0..step.headers.len() {
        let mut fewer = step.clone();
        fewer.headers.remove(at);
        offer(fewer);
        for shorter in shorter(step.headers[at].1.as_bytes()) {
            let mut other = step.clone();
            other.headers[at].1 = String::from_utf8_lossy(&shorter).into_owned();
            offer(other);
        }
    }
    offer(Step { key: Key::Right, ..step.clone() });
    offer(Step { id: Id::Fresh, ..step.clone() });
    if let Id::Odd(start) = &step.id {
        for shorter in shorter(start.as_bytes()) {
            offer(Step { id: Id::Odd(String::from_utf8_lossy(&shorter).into_owned()), ..step.clone() });
        }
    }
    match &step.what {
        What::Contract(request, spelling) => {
            offer(Step { what: What::Contract(request.clone(), Spelling::Plain), ..step.clone() });
            for request in simpler_request(request) {
                offer(Step { what: What::Contract(request, *spelling), ..step.clone() });
            }
        }
        What::Odd { method, path, body, content_type } => {
            let odd = |path: &str, body: Option<Vec<u8>>, content_type: Option<String>| Step {
                what: What::Odd { method: method.clone(), path: path.to_owned(), body, content_type },
                ..step.clone()
            };
            offer(odd(path, None, None));
            offer(odd(path, body.clone(), body.as_ref().map(|_| "application/json".to_owned())));
            if body.as_ref().is_some_and(|body| !body.is_empty()) {
                offer(odd(path, Some(Vec::new()), content_type.clone()));
            }
            for body in body.iter().flat_map(|body| shorter(body)) {
                offer(odd(path, Some(body), content_type.clone()));
            }
            for path in shorter(path.as_bytes()) {
                if let Ok(path) = String::from_utf8(path)
                    && path.starts_with('/')
                {
                    offer(odd(&path, body.clone(), content_type.clone()));
                }
            }
        }
        // What is left of a command could be another command.
        What::Raw(raw) if raw.commands() => {}
        What::Raw(raw) => {
            for at in 0..raw.parts.len() {
                for part in lines_fewer(&raw.parts[at]) {
                    let mut other: Raw = raw.clone();
                    other.parts[at] = part;
                    offer(Step { what: What::Raw(other), ..step.clone() });
                }
            }
        }
    }
    all
}

/// Numbers closer to 0; names are made shorter elsewhere.
fn simpler_request(request: &CarRequest) -> Vec<CarRequest> {
    match request {
        CarRequest::SetSquare(square) => lower(square.0).map(|n| CarRequest::SetSquare(Square(n))).collect(),
        CarRequest::SetPosition(square) => {
            lower(square.0).map(|n| CarRequest::SetPosition(Square(n))).collect()
        }
        CarRequest::ShouldFight(team) => lower(team.0).map(|n| CarRequest::ShouldFight(TeamId(n))).collect(),
        CarRequest::Garage(Prices { engine, pilot, weapon }) => {
            let [engine, pilot, weapon] = [*engine, *pilot, *weapon];
            let engines = lower(engine).map(move |engine| Prices { engine, pilot, weapon });
            let pilots = lower(pilot).map(move |pilot| Prices { engine, pilot, weapon });
            let weapons = lower(weapon).map(move |weapon| Prices { engine, pilot, weapon });
            engines.chain(pilots).chain(weapons).map(CarRequest::Garage).collect()
        }
        _ => Vec::new(),
    }
}

/// 0, and the number without some power of two, the largest first.
fn lower(number: u32) -> impl Iterator<Item = u32> {
    let less = (0..u32::BITS).rev().filter_map(move |bit| number.checked_sub(1 << bit));
    [0].into_iter().chain(less).filter(move |lower| *lower < number)
}

/// The bytes without a half, a quarter, … of them.
fn shorter(bytes: &[u8]) -> Vec<Vec<u8>> {
    /// Into how many parts they are cut, at most.
    const PARTS: usize = 16;
    let mut all = Vec::new();
    let mut parts = 2;
    while parts <= PARTS.min(bytes.len()) {
        let size = bytes.len().div_ceil(parts);
        for from in (0..bytes.len()).step_by(size) {
            let rest = &bytes[bytes.len().min(from + size)..];
            all.push([&bytes[..from], rest].concat());
        }
        parts *= 2;
    }
    all
}

/// The text without each of its lines.
fn lines_fewer(bytes: &[u8]) -> Vec<Vec<u8>> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.len() < 2 {
        return shorter(bytes);
    }
    (0..lines.len()).map(|at| [&lines[..at], &lines[at + 1..]].concat().concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::contract::Kind;

    #[test]
    fn names_that_begin_alike_stay_alike() {
        let gain = |name: &str| Step::of(CarRequest::Gain { kind: Kind::Engine, name: name.into() });
        let steps = ["yyy1", "yyy2", "y"].map(gain);
        for (at, from, size, instead, expected) in [
            (0, 0, 2, "", ["y1", "y2", "y"]),
            (1, 1, 2, "aa", ["yaa1", "yaa2", "y"]),
            (1, 3, 1, "", ["yyy1", "yyy", "y"]),
            (2, 0, 1, "a", ["ayy1", "ayy2", "a"]),
        ] {
            assert_eq!(renamed(&steps, at, from, size, instead), expected.map(gain), "{at} {from} {size}");
        }
    }

    #[test]
    fn simpler_steps_are_other_steps() {
        let odd = What::Odd {
            method: "PATCH".into(),
            path: "/state?x=1".into(),
            body: Some(b"{\"square\"".to_vec()),
            content_type: None,
        };
        for step in [
            Step {
                key: Key::Empty,
                id: Id::Odd("ab".into()),
                ..Step::of(CarRequest::SetSquare(Square(70_000)))
            },
            Step { headers: vec![("X-Big".into(), "xxxx".into())], ..Step::new(odd) },
        ] {
            let offered = simpler(&step);
            assert!(offered.len() > 5 && !offered.contains(&step), "{offered:?}");
        }
        assert_eq!(simpler(&Step::of(CarRequest::Wreck)), []);
    }

    #[test]
    fn numbers_and_bytes() {
        assert_eq!(lower(5).collect::<Vec<u32>>(), [0, 1, 3, 4]);
        assert_eq!(lower(0).count(), 0);
        assert_eq!(
            shorter(b"abcd"),
            [
                b"cd".to_vec(),
                b"ab".to_vec(),
                b"bcd".to_vec(),
                b"acd".to_vec(),
                b"abd".to_vec(),
                b"abc".to_vec()
            ]
        );
        assert_eq!(shorter(b"a"), [[0; 0]; 0]);
        assert_eq!(lines_fewer(b"a\nb\n"), [b"b\n".to_vec(), b"a\n".to_vec()]);
    }
}
