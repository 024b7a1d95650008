//! Plays a race in this process: from a plan, or as it is drawn.
//!
//! ```
//! use race_simulator::{generate::Generator, play};
//! let drawn = play::play(Generator::new(7, 5));
//! let again = play::play(&drawn.plan);
//! assert_eq!(drawn.export, again.export);
//! ```
//!
//! Each decision is made in the durable world, whose record is kept in memory. Where the plan lets the process die, what
//! was decided is thrown away, and decided again from what was kept: it must come to the same as if nothing had been.

use crate::behaviour;
use crate::book::{Book, Closed, moment};
use crate::generate::Generator;
use crate::plan::{Besides, Plan, Step};
use futures_util::future::{BoxFuture, FutureExt, ready};
use gm_core::arena::Seat;
use gm_core::ids::{CommandNo, TurnNo};
use gm_core::memory::MemoryWorld;
use gm_core::race::Race;
use gm_core::race::command::Arrival;
use gm_core::race::state::Life;
use gm_core::random::Seed;
use gm_grpc::control::decide::{Decided, decide};
use gm_grpc::durable::{Deciding, Keep, Point, Record, Stop};
use gm_grpc::export::{self, ExportError};
use gm_grpc::journal::{Decision, DecisionKind, DecisionNo, Exchange, JournalError};
use race_auditor::{Finding, Tally};
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};

/// A race that was played.
#[derive(Debug)]
pub struct Played {
    /// Its plan, with all of its steps.
    pub plan: Plan,
    /// What was found in it.
    pub findings: Vec<Finding>,
    /// All that was drawn in it.
    pub tally: Tally,
    /// Its export; none if it could not be played to its end.
    pub export: Vec<u8>,
    /// How many turns were completed.
    pub turns: u32,
    /// How often each kind of event happened.
    pub happened: BTreeMap<String, u64>,
    /// How often each reason for a refusal was given, by its name.
    pub refused: BTreeMap<String, u64>,
    /// How many decisions were made again after the process died.
    pub deaths: u64,
}

/// Where the steps of a race come from.
pub trait Script {
    /// The plan, in which the steps need not be.
    fn plan(&self) -> Plan;

    /// The next step; none when it is over.
    fn next(&mut self, race: &Race) -> Option<Step>;
}

impl Script for Generator {
    fn plan(&self) -> Plan {
        Generator::plan(self).clone()
    }

    fn next(&mut self, race: &Race) -> Option<Step> {
        Generator::next(self, race)
    }
}

/// The steps of a plan.
struct Written<'p> {
    plan: &'p Plan,
    done: usize,
}

impl Script for Written<'_> {
    fn plan(&self) -> Plan {
        Plan { steps: Vec::new(), ..self.plan.clone() }
    }

    fn next(&mut self, _: &Race) -> Option<Step> {
        self.done += 1;
        self.plan.steps.get(self.done - 1).cloned()
    }
}

impl<'p> From<&'p Plan> for Box<dyn Script + 'p> {
    fn from(plan: &'p Plan) -> Self {
        Box::new(Written { plan, done: 0 })
    }
}

impl From<Generator> for Box<dyn Script> {
    fn from(generator: Generator) -> Self {
        Box::new(generator)
    }
}

/// Plays a race to its end, or until something is found in it. A panic of the rules is a finding.
#[must_use]
pub fn play<'s>(script: impl Into<Box<dyn Script + 's>>) -> Played {
    let mut script = script.into();
    let mut played = Played {
        plan: script.plan(),
        findings: Vec::new(),
        tally: Tally::default(),
        export: Vec::new(),
        turns: 0,
        happened: BTreeMap::new(),
        refused: BTreeMap::new(),
        deaths: 0,
    };
    let result = quietly(|| run(&mut *script, &mut played));
    match result {
        Ok(Ok(())) => {}
        Ok(Err(Trouble { rule, what })) => played.find(rule, what),
        Err(panic) => played.find("panic", panic),
    }
    played
}

/// What is wrong with a race beside what an auditor finds.
struct Trouble {
    rule: &'static str,
    what: String,
}

impl From<ExportError> for Trouble {
    fn from(error: ExportError) -> Trouble {
        Trouble { rule: "export", what: error.to_string() }
    }
}

impl Played {
    fn find(&mut self, rule: &'static str, what: String) {
        self.findings.push(Finding { line: 0, turn: self.turns, rule, what });
    }
}

fn run(script: &mut dyn Script, played: &mut Played) -> Result<(), Trouble> {
    let plan = &played.plan;
    let world = behaviour::world(plan);
    let rules =
        plan.rules.clone().validated().map_err(|bad| Trouble { rule: "rules", what: bad.to_string() })?;
    let (race, events) = Race::create(rules.clone(), Seed(plan.seed));
    let book = Book::open(plan.seed, &rules)?;
    let mut table = Table { race, world, book, commands: 0 };
    let created = Decided { events, settled: Vec::new(), not_registered: Vec::new() };
    table.book.decision(&table.decision(DecisionKind::Create, Vec::new()), &created, Vec::new())?;

    while !table.book.found()
        && let Some(step) = script.next(&table.race)
    {
        played.plan.steps.push(step.clone());
        table.step(step, played)?;
        played.turns = table.race.turn.0;
    }
    let Closed { audited, export, happened } = table.book.close()?;
    played.findings = audited.findings;
    played.tally = audited.tally;
    played.export = export;
    played.happened = happened;
    Ok(())
}

/// Decides a race again from its export (R-10.5).
///
/// # Errors
/// What is wrong, in words.
pub fn verify(export: &[u8]) -> Result<(), String> {
    let verdict = quietly(|| now(export::verify(export, |_| {})));
    match verdict {
        Ok(Some(Ok(_))) => Ok(()),
        Ok(Some(Err(error))) => Err(error.to_string()),
        Ok(None) => Err("it waits for something".to_owned()),
        Err(panic) => Err(panic),
    }
}

/// A race while it is played.
struct Table {
    race: Race,
    world: MemoryWorld,
    book: Book,
    commands: u32,
}

impl Table {
    fn decision(&self, kind: DecisionKind, arrivals: Vec<Arrival>) -> Decision {
        let played = self.race.turn;
        let turn = if kind == DecisionKind::Turn { TurnNo(played.0.saturating_add(1)) } else { played };
        Decision { no: DecisionNo(self.book.next()), kind, turn, arrivals }
    }

    fn step(&mut self, step: Step, played: &mut Played) -> Result<(), Trouble> {
        let (kind, commands, besides) = match step {
            Step::Turn { .. } if self.race.life != Life::Running => return Ok(()),
            Step::Turn { besides } => (DecisionKind::Turn, Vec::new(), besides),
            Step::Commands { commands, together: true, besides } => {
                (DecisionKind::RegisterAll, commands, besides)
            }
            Step::Commands { commands, together: false, besides } => {
                (DecisionKind::Commands, commands, besides)
            }
        };
        let first = self.commands;
        self.commands += u32::try_from(commands.len()).unwrap_or(u32::MAX);
        let arrivals =
            (first + 1..).zip(commands).map(|(no, command)| Arrival { no: CommandNo(no), command }).collect();
        let decision = self.decision(kind, arrivals);
        self.prepare(besides);

        let kept = Kept::default();
        let dies_at = AtomicU32::new(besides.dies_at.unwrap_or_default());
        let keeper = Keeper { kept: kept.clone(), decision: decision.no.0, dies_at: Arc::new(dies_at) };
        let decided = loop {
            let record = Record::of(kept.all()).map_err(|twice| stopped(&Stop::Diverged(twice)))?;
            let deciding = Deciding::live(&self.world, record, keeper.clone());
            match now(deciding.run(decide(&self.race, &deciding, &decision))) {
                None => {
                    return Err(Trouble {
                        rule: "durable",
                        what: "a decision waits for something".to_owned(),
                    });
                }
                Some(Ok(decided)) => break decided,
                Some(Err(Stop::Died)) => played.deaths += 1,
                Some(Err(stop)) => return Err(stopped(&stop)),
            }
        };
        for refused in decided.settled.iter().filter_map(|settled| settled.as_ref().err()) {
            *played.refused.entry(refused.reason.to_string()).or_default() += 1;
        }
        self.book.decision(&decision, &decided, kept.all())?;
        decided.events.iter().for_each(|event| self.race.apply(event));
        Ok(())
    }

    /// What happens besides.
    fn prepare(&self, besides: Besides) {
        self.world.running_time_is_up(besides.time_is_up);
        self.world.duel_is_overdue(besides.overdue.map(|seat| Seat(usize::from(seat.min(1)))));
        self.world.fail_inspections(besides.failing_inspections);
    }
}

fn stopped(stop: &Stop) -> Trouble {
    Trouble { rule: "durable", what: stop.to_string() }
}

/// What was kept of a decision.
#[derive(Debug, Clone, Default)]
struct Kept(Arc<Mutex<Vec<Exchange>>>);

impl Kept {
    fn all(&self) -> Vec<Exchange> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Keeps answers in memory, and dies once.
#[derive(Clone)]
struct Keeper {
    kept: Kept,
    decision: u64,
    /// How many points it still lives; 0: for ever.
    dies_at: Arc<AtomicU32>,
}

impl Keep for Keeper {
    fn keep(&self, exchange: Exchange) -> BoxFuture<'_, Result<(), JournalError>> {
        let exchange = Exchange { at: moment(self.decision), ..exchange };
        self.kept.0.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
        ready(Ok(())).boxed()
    }

    fn dies_at(&self, _: Point) -> bool {
        let left = self.dies_at.load(Ordering::Relaxed);
        self.dies_at.store(left.saturating_sub(1), Ordering::Relaxed);
        left == 1
    }
}

/// Runs a future in which nobody waits for anything. None if it waits.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    // Who is stopped has himself polled once more, to say why.
    (&mut future).now_or_never().or_else(|| (&mut future).now_or_never())
}

thread_local! {
    /// What the last panic of this thread said, if panics are caught here.
    static PANIC: RefCell<Option<Option<String>>> = const { RefCell::new(None) };
}

/// Does something, and catches a panic of it, of which nothing is printed.
fn quietly<T>(what: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let is_caught = PANIC.with_borrow_mut(|caught| {
                caught.as_mut().map(|said| *said = Some(panic.to_string())).is_some()
            });
            if !is_caught {
                loud(panic);
            }
        }));
    });
    PANIC.set(Some(None));
    let result = catch_unwind(AssertUnwindSafe(what));
    let said = PANIC.take().flatten();
    result.map_err(|_: Box<dyn Any + Send>| said.unwrap_or_else(|| "a panic without words".to_owned()))
}
