//! The one task that owns a race: nobody else changes it.
//!
//! ```text
//! asks ─▶ desk ─┬─ commands ─▶ settled between two turns          (R-3.0)
//!               └─ a step, or the clock ─▶ a turn                 (R-10.1)
//!
//! a decision:  begin ─▶ ask the world, each answer kept ─▶ commit ─▶ told to who asked and who follows
//! ```
//!
//! A decision that is stopped, by a journal that can't be written or by the end of the process, is made again from
//! its beginning with what was answered so far: see [`durable`](crate::durable).

use super::decide::{Decided, decide};
use super::desk::{Batch, Desk, Errand, NewPace, Work};
use super::handle::{Activity, Denied, Outcome, Refused, State};
use crate::drive::{CarSecrets, Inspectors, RunningTime};
use crate::durable::{Deciding, Keeper, LiveWorld, Point, Probe, Record, Stop};
use crate::journal::{
    Commit, Decision, DecisionKind, DecisionNo, Journal, JournalError, Numbered, Numbers, RaceRecord,
};
use crate::observe::metrics::{self, OwnedRace};
use gm_core::ids::CommandNo;
use gm_core::race::Race;
use gm_core::race::command::Arrival;
use gm_core::race::state::Life;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tracing::Instrument as _;

/// A race with its task.
pub(super) struct Owner<W> {
    pub(super) record: Arc<RaceRecord>,
    pub(super) journal: Journal,
    pub(super) world: W,
    pub(super) running: Arc<RunningTime>,
    /// What cars are sent (C-20).
    pub(super) secrets: Arc<CarSecrets>,
    /// How resources are read in the decision that is made (CONTRACT I).
    pub(super) inspectors: Arc<Inspectors>,
    pub(super) probe: Arc<dyn Probe>,
    /// How long it is waited until the journal is tried again.
    pub(super) try_again: Duration,
    pub(super) table: Table,
    pub(super) desk: Desk,
    /// Set when the game master shuts down: until when a decision may still be made.
    pub(super) shut_down: watch::Receiver<Option<Instant>>,
    pub(super) state: watch::Sender<State>,
    /// This race among those that are owned, for who counts them.
    pub(super) counted: OwnedRace,
    /// When the last turn started.
    pub(super) turn_started: Option<Instant>,
    /// Why it is suspended, so that the log is told once and not at every try.
    pub(super) suspended_because: Option<Arc<str>>,
}

/// The race, and the numbers of what comes next.
pub(super) struct Table {
    pub(super) race: Race,
    pub(super) numbers: Numbers,
    pub(super) last: DecisionNo,
    pub(super) commands: u32,
}

/// Why the task ends.
#[derive(Debug)]
pub(super) enum End {
    /// The game master shuts down.
    ShutDown,
    /// Nobody can ask anything any more.
    NobodyLeft,
    /// A test let it die.
    Died,
}

/// How a decision was made.
struct Made {
    decided: Decided,
    events: Vec<Numbered>,
    /// The race after it.
    race: Race,
    numbers: Numbers,
}

impl Table {
    /// What a decision makes of the race. Nothing of it has happened until it is [committed](Owner::committed).
    fn after(&self, decided: Decided) -> Made {
        let mut race = self.race.clone();
        decided.events.iter().for_each(|event| race.apply(event));
        let mut numbers = self.numbers.clone();
        let events = decided.events.iter().cloned().map(|event| numbers.next(event)).collect();
        Made { decided, events, race, numbers }
    }
}

impl<W: LiveWorld> Owner<W> {
    /// Owns the race until the game master shuts down. Completes the decision that was broken off first, if any was.
    pub(super) async fn run(mut self, broken_off: Option<Decision>) {
        self.keep_time();
        let end = match broken_off {
            Some(decision) => {
                let errands = self.desk.errands_of(&decision);
                self.carry_out(decision, errands, true).await
            }
            None => Ok(()),
        };
        let end = match end {
            Ok(()) => self.work().await,
            Err(end) => end,
        };
        tracing::debug!(race = %self.record.id, ?end, "the task of a race ends");
        self.running.pause();
        // Who still waits is told by the end of his channel.
        self.state.send_modify(|state| {
            state.activity = Activity::Ended;
            state.next_turn = None;
        });
    }

    async fn work(&mut self) -> End {
        loop {
            self.keep_time();
            let next_turn = self.next_turn();
            self.tell(Activity::Waits, next_turn);
            let work = tokio::select! {
                biased;
                () = asked_to_end(&mut self.shut_down) => return End::ShutDown,
                work = self.desk.next(&self.table.race, next_turn) => work,
            };
            let end = match work {
                Work::Settle(batch) => self.settle(batch).await,
                Work::Turn(errand) => self.play(errand).await,
                Work::Pace(new) => {
                    self.set_pace(new).await;
                    Ok(())
                }
                Work::NobodyLeft => return End::NobodyLeft,
            };
            if let Err(end) = end {
                return end;
            }
        }
    }

    /// The running time runs while the race does (R-10.2).
    fn keep_time(&self) {
        if self.table.race.life == Life::Running {
            self.running.start();
        } else {
            self.running.pause();
        }
    }

    /// When the next turn starts by itself.
    fn next_turn(&self) -> Option<Instant> {
        let pace = self.desk.pace.filter(|_| self.table.race.life == Life::Running)?;
        match self.turn_started {
            None => Some(Instant::now()),
            // A pace that no clock can count is as good as none.
            Some(started) => started.checked_add(pace),
        }
    }

    fn tell(&mut self, activity: Activity, next_turn: Option<Instant>) {
        self.counted.is(self.table.race.life);
        self.state.send_modify(|state| {
            state.activity = activity;
            state.next_turn = next_turn;
            state.pace = self.desk.pace;
        });
    }

    async fn set_pace(&mut self, NewPace { pace, call, reply }: NewPace) {
        let set = self.journal.set_pace(self.record.key, pace, call).await;
        if set.is_ok() {
            self.desk.pace = pace;
            // Before who asked is told: he may look.
            self.state.send_modify(|state| state.pace = pace);
        }
        let done = set.map(|()| Outcome::nothing(self.table.last));
        let _ = reply.send(done.map_err(Denied::from));
    }

    async fn settle(&mut self, batch: Batch) -> Result<(), End> {
        let (kind, errands) = match batch {
            Batch::Orders(errands) => (DecisionKind::Commands, errands),
            Batch::RegisterAll(errand) => (DecisionKind::RegisterAll, vec![errand]),
        };
        let mut no = self.table.commands;
        let arrivals = errands.iter().flat_map(|errand| errand.commands.iter().cloned()).map(|command| {
            no = no.saturating_add(1);
            Arrival { no: CommandNo(no), command }
        });
        let decision = self.decision(kind, arrivals.collect());
        self.carry_out(decision, errands, false).await
    }

    async fn play(&mut self, errand: Option<Errand>) -> Result<(), End> {
        self.turn_started = Some(Instant::now());
        let decision = self.decision(DecisionKind::Turn, Vec::new());
        self.carry_out(decision, errand.into_iter().collect(), false).await
    }

    /// The next decision.
    fn decision(&self, kind: DecisionKind, arrivals: Vec<Arrival>) -> Decision {
        let turn = match kind {
            DecisionKind::Turn => gm_core::ids::TurnNo(self.table.race.turn.0.saturating_add(1)),
            _ => self.table.race.turn,
        };
        Decision { no: DecisionNo(self.table.last.0.saturating_add(1)), kind, turn, arrivals }
    }

    /// Makes a decision, however often the journal keeps it from being made, and tells those who asked for it.
    async fn carry_out(
        &mut self,
        decision: Decision,
        errands: Vec<Errand>,
        is_broken_off: bool,
    ) -> Result<(), End> {
        let is_turn = decision.kind == DecisionKind::Turn;
        let begun = Instant::now();
        let span = match is_turn {
            true => tracing::info_span!("turn", race = %self.record.id, turn = decision.turn.0),
            false => tracing::Span::none(),
        };
        self.desk.begin(&decision, errands);
        self.secrets.take_effect();
        let mut is_first = !is_broken_off;
        loop {
            self.tell(if is_turn { Activity::Plays(decision.turn) } else { Activity::Settles }, None);
            match self.attempt(&decision, is_first).instrument(span.clone()).await {
                Ok(made) => {
                    self.committed(&decision, made);
                    if is_turn {
                        metrics::turn(begun.elapsed());
                    }
                    return Ok(());
                }
                Err(Attempt::End(end)) => return Err(end),
                Err(Attempt::Stop(Stop::Died)) => return Err(End::Died),
                Err(Attempt::Stop(Stop::Journal(error))) => self.suspended(error).await?,
                Err(Attempt::Stop(stop)) => return Err(self.stopped(&stop).await),
            }
            is_first = false;
        }
    }

    /// Makes a decision once. `is_first`: nothing of it can be in the journal yet.
    async fn attempt(&mut self, decision: &Decision, is_first: bool) -> Result<Made, Attempt> {
        // What failed may have succeeded all the same: the journal tells.
        let found = match is_first {
            true => None,
            false => self.journal.decision(&self.record, decision.no).await?,
        };
        let record = match found {
            None => {
                self.journal.begin(self.record.key, decision, self.desk.requests()).await?;
                Record::default()
            }
            Some(found) if found.committed.is_some() => return Ok(self.read_back(decision.no).await?),
            Some(_) => {
                let exchanges = self.journal.exchanges(&self.record, decision.no).await?;
                Record::of(exchanges).map_err(Stop::Diverged)?
            }
        };
        // As the journal has it for this decision: it is made again with the same, whatever was set since.
        self.inspectors.replace(self.journal.inspectors_for(&self.record, decision.no).await?);

        let keeper = Keeper {
            journal: self.journal.clone(),
            race: self.record.key,
            decision: decision.no,
            probe: Arc::clone(&self.probe),
        };
        let world = Deciding::live(&self.world, record, keeper);
        let decided = {
            let mut deciding = std::pin::pin!(world.run(decide(&self.table.race, &world, decision)));
            loop {
                tokio::select! {
                    decided = &mut deciding => break decided?,
                    () = self.desk.listen(&self.table.race) => {}
                    () = time_is_up(&mut self.shut_down) => return Err(Attempt::End(End::ShutDown)),
                }
            }
        };

        let made = self.table.after(decided);
        let commit = Commit {
            decision: decision.no,
            events: made.events.clone(),
            last_seq: made.numbers.last(),
            settled: made.decided.in_words(),
            reasons: made.decided.reasons(),
            ran: self.running.ran(),
            finished: made.race.is_finished(),
        };
        if self.probe.dies_at(Point::BeforeCommit) {
            return Err(Attempt::Stop(Stop::Died));
        }
        self.journal.commit(self.record.key, &commit, &made.race).await?;
        if self.probe.dies_at(Point::AfterCommit) {
            return Err(Attempt::Stop(Stop::Died));
        }
        Ok(made)
    }

    /// A decision that was committed although its commit seemed to fail.
    async fn read_back(&self, no: DecisionNo) -> Result<Made, JournalError> {
        let found = self.journal.outcome(&self.record, no).await?;
        let settled = Refused::settled(found.settled, found.reasons).collect();
        let events = found.events.into_iter().map(|numbered| numbered.event).collect();
        Ok(self.table.after(Decided { events, settled, not_registered: Vec::new() }))
    }

    /// What was decided becomes the race; who waits for it, and who follows, is told.
    fn committed(&mut self, decision: &Decision, made: Made) {
        self.suspended_because = None;
        self.table.race = made.race;
        self.table.numbers = made.numbers;
        self.table.last = decision.no;
        self.table.commands = decision.arrivals.last().map_or(self.table.commands, |last| last.no.0);
        self.state.send_modify(|state| {
            state.race = Arc::new(self.table.race.clone());
            state.last_seq = self.table.numbers.last();
        });
        self.desk.done(decision, &made.decided, &made.events);
    }

    /// The journal can't be written: the race stands still until it can, or until the game master shuts down.
    async fn suspended(&mut self, error: JournalError) -> Result<(), End> {
        if matches!(error, JournalError::Closed) {
            return Err(End::ShutDown);
        }
        let why: Arc<str> = error.to_string().into();
        if self.suspended_because.as_ref() != Some(&why) {
            tracing::warn!(race = %self.record.id, "the race is suspended: {why}");
            let error: &dyn std::error::Error = &error;
            tracing::debug!(race = %self.record.id, error, "why");
            self.suspended_because = Some(Arc::clone(&why));
        }
        self.running.pause();
        self.tell(Activity::Suspended(Arc::clone(&why)), None);
        let again = Instant::now() + self.try_again;
        let denied = Denied::Suspended(why);
        let end = tokio::select! {
            () = asked_to_end(&mut self.shut_down) => Err(End::ShutDown),
            () = sleep_until(again) => Ok(()),
            is_left = self.desk.deny_until_tried_again(&denied) => match is_left {
                true => Ok(()),
                false => Err(End::NobodyLeft),
            },
        };
        self.keep_time();
        end
    }

    /// The rules have diverged from the record: the race stands still for good.
    async fn stopped(&mut self, stop: &Stop) -> End {
        let why: Arc<str> = stop.to_string().into();
        tracing::error!(race = %self.record.id, %why, "a race is stopped");
        self.running.pause();
        self.tell(Activity::Stopped(Arc::clone(&why)), None);
        let denied = Denied::Stopped(why);
        self.desk.deny_all(&denied);
        loop {
            tokio::select! {
                () = asked_to_end(&mut self.shut_down) => return End::ShutDown,
                is_left = self.desk.deny_until_tried_again(&denied) => if !is_left { return End::NobodyLeft },
            }
        }
    }
}

/// Why an attempt at a decision failed.
enum Attempt {
    Stop(Stop),
    End(End),
}

impl From<Stop> for Attempt {
    fn from(stop: Stop) -> Attempt {
        Attempt::Stop(stop)
    }
}

impl From<JournalError> for Attempt {
    fn from(error: JournalError) -> Attempt {
        Attempt::Stop(Stop::Journal(error))
    }
}

/// Waits until the game master shuts down.
async fn asked_to_end(shut_down: &mut watch::Receiver<Option<Instant>>) {
    if shut_down.wait_for(Option::is_some).await.is_err() {
        // Who could shut it down has gone: it goes on until nobody can ask it anything.
        std::future::pending().await
    }
}

/// Waits until the game master shuts down, and the time that a decision has then is up. The time may be shortened.
async fn time_is_up(shut_down: &mut watch::Receiver<Option<Instant>>) {
    asked_to_end(shut_down).await;
    loop {
        let until = *shut_down.borrow_and_update();
        let Some(until) = until else { return };
        tokio::select! {
            () = sleep_until(until) => return,
            changed = shut_down.changed() => if changed.is_err() {
                return sleep_until(until).await;
            },
        }
    }
}
