//! What was asked of a race and waits: for the turn that is being played, or for its own turn to be settled.
//!
//! Many may ask at once. Commands wait, within a bound, and are settled together between two turns; a turn
//! is played for one who asks, and refused to others; a request that comes again is carried out once.

use super::decide::Decided;
use super::handle::{Ask, Denied, MOST_ASKS, Outcome, Refused, Reply, What};
use super::told::told;
use crate::journal::{
    Call, Decision, DecisionKind, DecisionNo, Journal, Numbered, RaceRecord, RequestRecord,
};
use gm_core::ids::TurnNo;
use gm_core::race::Race;
use gm_core::race::command::{Command, Refusal};
use gm_core::race::state::Life;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// How many commands can wait for the end of a turn; more are refused.
pub const MOST_WAITING: usize = 1_000;

/// How many batches of commands are settled while a turn is due: who orders without end does not hold up the race.
const MOST_BATCHES: u32 = 8;

/// What waits for a race.
pub(super) struct Desk {
    asks: mpsc::Receiver<Ask>,
    waiting: VecDeque<Errand>,
    /// How many batches were settled since the last turn, or since there was nothing to settle.
    batches: u32,
    /// A turn that somebody asked for, and that is next.
    step: Option<Errand>,
    /// What is carried out now.
    current: Option<Current>,
    /// Somebody wanted the journal to be tried again while it was.
    try_again: bool,
    /// Changes of the pace, in order; as many as asks can wait.
    new_pace: VecDeque<NewPace>,
    /// The requests that were carried out, or begun, and may be sent again.
    known: BTreeMap<String, (DecisionNo, RequestRecord)>,
    journal: Journal,
    record: Arc<RaceRecord>,
    pub(super) pace: Option<Duration>,
}

/// What somebody asked for, and who waits for it.
pub(super) struct Errand {
    what: What,
    pub(super) commands: Vec<Command>,
    request_id: Option<String>,
    replies: Vec<Reply>,
}

/// What is carried out now.
struct Current {
    kind: DecisionKind,
    turn: TurnNo,
    errands: Vec<Errand>,
}

/// Another pace, the call that asked for it, and who waits for it.
pub(super) struct NewPace {
    pub(super) pace: Option<Duration>,
    pub(super) call: Option<Call>,
    pub(super) reply: Reply,
}

/// What the owner does next.
pub(super) enum Work {
    Settle(Batch),
    /// A turn: on somebody's word, or by the clock.
    Turn(Option<Errand>),
    Pace(NewPace),
    NobodyLeft,
}

/// Commands that are settled in one decision.
pub(super) enum Batch {
    Orders(Vec<Errand>),
    RegisterAll(Errand),
}

impl Desk {
    pub(super) fn new(
        asks: mpsc::Receiver<Ask>,
        journal: Journal,
        record: Arc<RaceRecord>,
        requests: Vec<(DecisionNo, RequestRecord)>,
    ) -> Desk {
        let pace = record.pace;
        let by_id = |(no, request): (DecisionNo, RequestRecord)| (request.request_id.clone(), (no, request));
        Desk {
            asks,
            waiting: VecDeque::new(),
            batches: 0,
            step: None,
            current: None,
            new_pace: VecDeque::new(),
            try_again: false,
            known: requests.into_iter().map(by_id).collect(),
            journal,
            record,
            pace,
        }
    }

    /// What was asked for in a decision that was broken off: who asked may ask again, and is told then.
    pub(super) fn errands_of(&self, decision: &Decision) -> Vec<Errand> {
        let mut requests: Vec<&RequestRecord> =
            self.known.values().filter(|(no, _)| *no == decision.no).map(|(_, request)| request).collect();
        requests.sort_by_key(|request| request.first);
        let errand = |commands: Vec<Command>, request_id| {
            let what = match decision.kind {
                DecisionKind::Turn => What::Step(decision.turn),
                DecisionKind::RegisterAll => What::RegisterAll(commands.clone()),
                DecisionKind::Commands | DecisionKind::Create => What::Order(commands.clone()),
            };
            Errand { what, commands, request_id, replies: Vec::new() }
        };
        let mut commands = decision.arrivals.iter().map(|arrival| arrival.command.clone());
        let mut errands = Vec::new();
        let mut place = 0;
        for request in requests {
            let others: Vec<Command> =
                commands.by_ref().take((request.first - place.min(request.first)) as usize).collect();
            if !others.is_empty() {
                errands.push(errand(others, None));
            }
            let own = commands.by_ref().take(request.commands as usize).collect();
            errands.push(errand(own, Some(request.request_id.clone())));
            place = request.first + request.commands;
        }
        let rest: Vec<Command> = commands.collect();
        if !rest.is_empty() {
            errands.push(errand(rest, None));
        }
        errands
    }

    /// Commands of the game master's own, before anybody else's.
    pub(super) fn put(&mut self, commands: Vec<Command>) {
        let what = What::Order(commands.clone());
        self.waiting.push_back(Errand { what, commands, request_id: None, replies: Vec::new() });
    }

    /// Waits for what is to be done next: commands first, but not without end; then a turn that somebody wants, then
    /// one by the clock.
    pub(super) async fn next(&mut self, race: &Race, next_turn: Option<Instant>) -> Work {
        loop {
            // What was asked during the turn takes effect before the next one, also where that is due already.
            for _ in 0..MOST_ASKS {
                let Ok(ask) = self.asks.try_recv() else { break };
                self.take(ask, race);
            }
            if let Some(new) = self.new_pace.pop_front() {
                return Work::Pace(new);
            }
            if self.waiting.is_empty() {
                self.batches = 0;
            }
            let is_due = next_turn.is_some_and(|at| at <= Instant::now());
            let turn_waits = is_due || self.step.is_some();
            if !(turn_waits && self.batches >= MOST_BATCHES)
                && let Some(batch) = self.batch()
            {
                self.batches = self.batches.saturating_add(1);
                return Work::Settle(batch);
            }
            self.batches = 0;
            if is_due {
                return Work::Turn(None);
            }
            if let Some(step) = self.step.take() {
                // What was settled since it was asked for may have changed whether there is a turn.
                match self.can_step(race, &step.what) {
                    Ok(()) => return Work::Turn(Some(step)),
                    Err(denied) => {
                        step.replies.into_iter().for_each(|reply| drop(reply.send(Err(denied.clone()))))
                    }
                }
                continue;
            }
            let now = async move {
                match next_turn {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                ask = self.asks.recv() => match ask {
                    Some(ask) => self.take(ask, race),
                    None => return Work::NobodyLeft,
                },
                () = now => return Work::Turn(None),
            }
        }
    }

    /// Takes the next ask while something is carried out. Losing this future loses no ask.
    pub(super) async fn listen(&mut self, race: &Race) {
        match self.asks.recv().await {
            Some(ask) => self.take(ask, race),
            None => std::future::pending().await,
        }
    }

    /// The commands that wait at the front.
    fn batch(&mut self) -> Option<Batch> {
        let is_order = |errand: &Errand| matches!(errand.what, What::Order(_));
        let first = self.waiting.pop_front()?;
        if !is_order(&first) {
            return Some(Batch::RegisterAll(first));
        }
        let mut orders = vec![first];
        while self.waiting.front().is_some_and(is_order) {
            orders.extend(self.waiting.pop_front());
        }
        Some(Batch::Orders(orders))
    }

    fn take(&mut self, ask: Ask, race: &Race) {
        let Some(ask) = self.attach(ask) else { return };
        let Ask { what, request_id, reply } = ask;
        let Some(id) = &request_id else { return self.add(Errand::of(what, request_id, reply), race) };
        if let Some((decision, request)) = self.known.get(id).cloned() {
            // It only reads, so it need not hold up the race.
            let (journal, record) = (self.journal.clone(), Arc::clone(&self.record));
            tokio::spawn(async move {
                let _ = reply.send(repeated(&what, decision, &request, &journal, &record).await);
            });
        } else {
            self.add(Errand::of(what, request_id, reply), race);
        }
    }

    /// A request that is carried out now, or waits to be, is carried out once: who sends it again waits with the others.
    /// Gives back what is something else.
    fn attach(&mut self, ask: Ask) -> Option<Ask> {
        let Some(id) = &ask.request_id else { return Some(ask) };
        let current = self.current.iter_mut().flat_map(|current| &mut current.errands);
        let mut errands = current.chain(&mut self.waiting).chain(&mut self.step);
        let Some(errand) = errands.find(|errand| errand.request_id.as_ref() == Some(id)) else {
            return Some(ask);
        };
        if errand.what == ask.what {
            errand.replies.push(ask.reply);
        } else {
            let _ = ask.reply.send(Err(Denied::OtherRequest(id.clone())));
        }
        None
    }

    fn add(&mut self, errand: Errand, race: &Race) {
        let denied = match &errand.what {
            What::Order(commands) | What::RegisterAll(commands) => self.can_wait(commands).err(),
            What::Step(_) => self.can_step(race, &errand.what).err(),
            What::Pace(pace, call) => {
                let (pace, call) = (*pace, call.clone());
                if self.new_pace.len() >= MOST_WAITING {
                    errand.replies.into_iter().for_each(|reply| drop(reply.send(Err(Denied::QueueFull))));
                } else {
                    self.new_pace.extend(errand.replies.into_iter().map(|reply| NewPace {
                        pace,
                        call: call.clone(),
                        reply,
                    }));
                }
                return;
            }
            // It is being tried; if that fails, it is tried again at once.
            What::TryAgain => {
                self.try_again = self.current.is_some();
                let outcome = Outcome::nothing(DecisionNo(0));
                errand.replies.into_iter().for_each(|reply| drop(reply.send(Ok(outcome.clone()))));
                return;
            }
        };
        match (denied, &errand.what) {
            (Some(denied), _) => {
                errand.replies.into_iter().for_each(|reply| drop(reply.send(Err(denied.clone()))));
            }
            (None, What::Step(_)) => self.step = Some(errand),
            (None, _) => self.waiting.push_back(errand),
        }
    }

    /// Whether commands can wait.
    fn can_wait(&self, commands: &[Command]) -> Result<(), Denied> {
        let waiting: usize = self.waiting.iter().map(|errand| errand.commands.len()).sum();
        if waiting + commands.len() > MOST_WAITING {
            return Err(Denied::QueueFull);
        }
        match &self.current {
            Some(Current { kind: DecisionKind::Turn, turn, .. })
                if self.pace.is_none() && commands.contains(&Command::Pause) =>
            {
                Err(Denied::NothingToPause(*turn))
            }
            _ => Ok(()),
        }
    }

    /// Whether a turn can be asked for.
    fn can_step(&self, race: &Race, what: &What) -> Result<(), Denied> {
        let next = TurnNo(race.turn.0.saturating_add(1));
        match (&self.current, &self.step, what) {
            (Some(Current { kind: DecisionKind::Turn, turn, .. }), ..) => Err(Denied::TurnIsPlayed(*turn)),
            (_, Some(_), _) => Err(Denied::TurnIsPlayed(next)),
            _ if self.pace.is_some() => Err(Denied::OnTheClock),
            // Commands that are settled now may still start the race.
            (None, None, _) if race.life != Life::Running => {
                let refusal = if race.is_finished() { Refusal::Finished } else { Refusal::NotRunning };
                Err(Denied::Refused(Refused::from(refusal)))
            }
            (.., What::Step(expected)) if *expected != next => {
                Err(Denied::WrongTurn { expected: *expected, next })
            }
            _ => Ok(()),
        }
    }

    /// Something is carried out now.
    pub(super) fn begin(&mut self, decision: &Decision, errands: Vec<Errand>) {
        let Decision { no: _, kind, turn, arrivals: _ } = decision;
        self.current = Some(Current { kind: *kind, turn: *turn, errands });
    }

    /// The requests that are carried out now and may be sent again.
    pub(super) fn requests(&self) -> Vec<RequestRecord> {
        let mut first = 0;
        let mut requests = Vec::new();
        for errand in self.current.iter().flat_map(|current| &current.errands) {
            let commands = u32::try_from(errand.commands.len()).unwrap_or(u32::MAX);
            if let Some(request_id) = errand.request_id.clone() {
                requests.push(RequestRecord { request_id, first, commands });
            }
            first += commands;
        }
        requests
    }

    /// What was carried out is done: who waits is told what became of it.
    pub(super) fn done(&mut self, decision: &Decision, decided: &Decided, events: &[Numbered]) {
        self.try_again = false;
        for request in self.requests() {
            self.known.insert(request.request_id.clone(), (decision.no, request));
        }
        let commands = decision.arrivals.iter().map(|arrival| &arrival.command);
        let mut told = told(commands.zip(decided.settled.iter().map(Result::is_ok)), events).into_iter();
        let events: Arc<[Numbered]> = events.into();
        let mut settled = decided.settled.iter();
        for errand in self.current.take().into_iter().flat_map(|current| current.errands) {
            let settled = settled.by_ref().take(errand.commands.len());
            let outcome = Outcome {
                decision: decision.no,
                events: Arc::clone(&events),
                settled: settled.cloned().collect(),
                told: told.by_ref().take(errand.commands.len()).collect(),
                not_registered: decided.not_registered.clone(),
            };
            errand.replies.into_iter().for_each(|reply| drop(reply.send(Ok(outcome.clone()))));
        }
    }

    /// Everybody who waits is refused.
    pub(super) fn deny_all(&mut self, denied: &Denied) {
        let current = self.current.take().into_iter().flat_map(|current| current.errands);
        let waiting = current.chain(self.waiting.drain(..)).chain(self.step.take());
        let paces = self.new_pace.drain(..).map(|new| new.reply);
        for reply in waiting.flat_map(|errand| errand.replies).chain(paces) {
            let _ = reply.send(Err(denied.clone()));
        }
    }

    /// Refuses what is asked, until somebody wants it to be tried again; `false` when nobody can ask any more.
    pub(super) async fn deny_until_tried_again(&mut self, denied: &Denied) -> bool {
        if std::mem::take(&mut self.try_again) {
            return true;
        }
        while let Some(ask) = self.asks.recv().await {
            // What will be carried out is not denied.
            let Some(Ask { what, reply, .. }) = self.attach(ask) else { continue };
            if what == What::TryAgain {
                let outcome = Outcome::nothing(DecisionNo(0));
                let _ = reply.send(Ok(outcome));
                return true;
            }
            let _ = reply.send(Err(denied.clone()));
        }
        false
    }
}

impl Errand {
    fn of(what: What, request_id: Option<String>, reply: Reply) -> Errand {
        let commands = match &what {
            What::Order(commands) | What::RegisterAll(commands) => commands.clone(),
            What::Step(_) | What::Pace(..) | What::TryAgain => Vec::new(),
        };
        Errand { what, commands, request_id, replies: vec![reply] }
    }
}

/// The answer to a request that was carried out before.
async fn repeated(
    what: &What,
    decision: DecisionNo,
    request: &RequestRecord,
    journal: &Journal,
    record: &RaceRecord,
) -> Result<Outcome, Denied> {
    let other = || Denied::OtherRequest(request.request_id.clone());
    let found = journal.outcome(record, decision).await?;
    let (first, many) = (request.first as usize, request.commands as usize);
    let arrivals = found.decision.arrivals.iter().skip(first).take(many).map(|arrival| &arrival.command);
    let is_same = match what {
        What::Order(commands) => {
            found.decision.kind == DecisionKind::Commands && arrivals.eq(commands.iter())
        }
        What::RegisterAll(commands) => {
            found.decision.kind == DecisionKind::RegisterAll && arrivals.eq(commands.iter())
        }
        What::Step(turn) => found.decision.kind == DecisionKind::Turn && found.decision.turn == *turn,
        What::Pace(..) | What::TryAgain => false,
    };
    if !is_same {
        return Err(other());
    }
    let settled: Vec<_> = Refused::settled(found.settled, found.reasons).collect();
    let commands = found.decision.arrivals.iter().map(|arrival| &arrival.command);
    let told = told(commands.zip(settled.iter().map(Result::is_ok)), &found.events);
    Ok(Outcome {
        decision,
        events: found.events.into(),
        settled: settled.into_iter().skip(first).take(many).collect(),
        told: told.into_iter().skip(first).take(many).collect(),
        not_registered: Vec::new(),
    })
}
