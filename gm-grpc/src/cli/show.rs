//! Shows a race while it is played: sets it up or lets it go on, follows its events, and ends it when that is wanted.
//!
//! ```text
//! Races ─▶ the race's task plays turns by itself ─▶ journal ─▶ followed here ─▶ the report, and the file of --out
//! ```
//!
//! Nothing is started unless every car can be registered: they are all inspected first, and everything that is wrong
//! is said at once. What is shown was committed: whoever is interrupted here loses nothing.

use super::Failure;
use super::data::{GoOn, Interrupted};
use super::json::JsonLines;
use super::log;
use super::out_file::OutFile;
use super::plain::PlainLines;
use super::plan::Plan;
use super::report::{Report, Waiting, Wish};
use super::screen::Screen;
use super::set_up::{NotSetUp, set_up};
use super::signals::Signals;
use super::worlds::{PlannedWorld, UnderWay};
use crate::control::{Activity, Denied, RaceHandle, Races, Settings, State};
use crate::journal::store::numbered;
use crate::journal::{Journal, NewRace, Numbered, RaceRecord};
use clap::{Args, ValueEnum};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gm_core::ids::TurnNo;
use gm_core::race::Race;
use gm_core::race::command::Command;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

/// How often the screen is drawn while the race waits.
const REDRAW: Duration = Duration::from_millis(100);

/// How long the turn that is being played may take when the race is interrupted after it. One that takes longer is
/// broken off, and completed when the race goes on.
const LAST_TURN: Duration = Duration::from_secs(60);

/// How the race is shown.
#[derive(Debug, Clone, Args)]
pub(super) struct Show {
    /// Seconds from the start of one turn to the start of the next; 0 = without waiting. A race that goes on keeps its
    /// own if nothing is said
    #[arg(long, value_name = "SECONDS", value_parser = parse_pace)]
    pub(super) pace: Option<Duration>,

    /// Write every event to this file as a line of JSON, from the first of the race; what was in it is replaced when the
    /// race starts or goes on. The same seed and the same answers give the same file, byte for byte
    #[arg(long, value_name = "FILE.jsonl")]
    pub(super) out: Option<PathBuf>,

    /// How to show the race: text is a live view on a terminal and plain lines elsewhere; json is a line of JSON for
    /// each event and one for the result. Of a race that goes on, only what is new is shown
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,

    /// What is logged on the error output: nothing, what the game master itself lacks, or every request with what
    /// came of it. With the live view, only into a file: `2> gm.log`
    #[arg(long, value_enum, env = "GM_LOG", default_value_t = log::Level::Warn)]
    pub(super) log: log::Level,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
}

fn parse_pace(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|pace| *pace <= Duration::from_secs(86_400))
        .ok_or_else(|| "must be from 0 to 86400 seconds".to_owned())
}

/// A race that is to be shown.
pub(super) struct Stage {
    /// Where it is kept.
    pub(super) journal: Journal,
    /// Who takes part.
    pub(super) plan: Plan,
    /// Where it begins.
    pub(super) entry: Entry,
    /// How it goes on when it is interrupted; none: what is kept of it ends with this process.
    pub(super) go_on: Option<GoOn>,
}

/// Where a race begins.
pub(super) enum Entry {
    /// With its first event.
    New(NewRace),
    /// Where it was interrupted.
    GoesOn(Box<Interrupted>),
}

/// How the showing of a race ended.
enum Ended {
    /// The race is over.
    Over,
    /// It was interrupted, after the turn that was being played.
    AfterTheTurn,
    /// It was interrupted at once.
    AtOnce,
}

/// Plays a race to its end, or until somebody interrupts it, and shows it.
pub(super) async fn show(stage: Stage, show: &Show) -> Result<(), Failure> {
    let live = show.format == Format::Text && io::stdout().is_terminal();
    log::start(show.log, live);
    let settings = settings()?;
    let out = show.out.as_deref().map(OutFile::open).transpose()?;
    let Stage { journal, plan, entry, go_on } = stage;
    let under_way = Arc::new(UnderWay::default());
    let world = PlannedWorld::of(&plan, Arc::clone(&under_way));
    let races = Races::new(journal, world, settings);
    let mut signals = Signals::new()?;
    let mut news = News::new(live);

    let (after, goes_on) = match &entry {
        Entry::New(_) => (0, None),
        Entry::GoesOn(interrupted) => {
            eprintln!("gm: {interrupted}");
            (interrupted.last_seq, Some(interrupted.turn))
        }
    };
    let shown = match prepare(&races, &plan, entry, &go_on, &mut signals, &mut news).await {
        Err(failure) => {
            out.into_iter().for_each(OutFile::give_up);
            Err(failure)
        }
        Ok(race) => {
            let mut audience =
                Audience { report: report_of(show.format, go_on.is_some()), out, gone: false, after };
            let is_kept = go_on.is_some();
            let mut view = View { race: &race, races: &races, under_way: &under_way, signals, news, is_kept };
            let ended = view.run(&mut audience, goes_on).await;
            // Gives the terminal back before anything is said on it.
            drop(audience);
            races.end(Duration::ZERO).await;
            ended.and_then(|ended| told(&ended, &race, go_on.as_ref()))
        }
    };
    let closed = races.shut_down(Duration::ZERO).await;
    shown.and(closed.map_err(Failure::from))
}

/// Shows how a race ended that is over.
pub(super) async fn show_result(journal: &Journal, race: &RaceRecord, show: &Show) -> Result<(), Failure> {
    log::start(show.log, show.format == Format::Text && io::stdout().is_terminal());
    eprintln!("gm: race {} is over: this is how it ended", race.id);
    let loaded = journal.load(&race.id).await?;
    if let Some(path) = &show.out {
        let mut out = OutFile::open(path)?;
        out.begin()?;
        let mut after = 0;
        while after < loaded.numbers.last() {
            let page = journal.events(race, after).await?;
            let events =
                page.into_iter().map(|event| numbered(race, event)).collect::<Result<Vec<_>, _>>()?;
            out.write(&events)?;
            let Some(last) = events.last() else { break };
            after = last.sequence;
        }
    }
    report_of(show.format, true).ends(&loaded.race)?;
    Ok(journal.close().await?)
}

/// Says how a race goes on that was interrupted.
fn told(ended: &Ended, race: &RaceHandle, go_on: Option<&GoOn>) -> Result<(), Failure> {
    let state = race.state();
    let (id, turn) = (race.id(), state.race.turn);
    match (ended, go_on) {
        (Ended::Over, _) => Ok(()),
        // The turn that was being played was its last.
        (Ended::AfterTheTurn, None) => Ok(()),
        (Ended::AfterTheTurn, Some(go_on)) => {
            eprintln!("gm: race {id} is interrupted after turn {turn}; go on with {go_on}");
            Ok(())
        }
        (Ended::AtOnce, None) => Err(Failure::Stopped(None)),
        (Ended::AtOnce, Some(go_on)) => Err(Failure::Stopped(Some(format!(
            "race {id} is interrupted after turn {turn}; go on with {go_on}"
        )))),
    }
}

/// How races are owned here.
fn settings() -> Result<Settings, Failure> {
    #[cfg(all(debug_assertions, unix))]
    if let Some(kill) = super::kill::Kill::from_environment().map_err(Failure::because)? {
        return Ok(Settings { probe: Arc::new(kill), ..Settings::default() });
    }
    Ok(Settings::default())
}

/// Makes the race or recovers it, and sets it up as far as it is not. A race that can't be as it is planned is
/// forgotten.
async fn prepare(
    races: &Races<PlannedWorld>,
    plan: &Plan,
    entry: Entry,
    go_on: &Option<GoOn>,
    signals: &mut Signals,
    news: &mut News,
) -> Result<RaceHandle, Failure> {
    let race = match entry {
        Entry::New(new) => races.create(new, plan.rules.clone()).await?,
        Entry::GoesOn(interrupted) => races.own(&interrupted.record.id).await?,
    };
    let mut ticks = ticks();
    let set_up = {
        let mut set_up = pin!(set_up(&race, plan));
        loop {
            tokio::select! {
                set_up = &mut set_up => break set_up,
                _ = signals.next() => break told(&Ended::AtOnce, &race, go_on.as_ref()).map_err(NotSetUp::Interrupted),
                _ = ticks.tick() => news.tell(&race.state()),
            }
        }
    };
    match set_up {
        Ok(()) => Ok(race),
        Err(NotSetUp::Interrupted(failure)) => Err(failure),
        Err(NotSetUp::Denied(Denied::Stopped(why))) => Err(stopped(&race, &why)),
        Err(NotSetUp::Denied(denied)) => Err(Failure::because(denied.to_string())),
        Err(NotSetUp::Wrong(wrong)) => {
            races.journal().forget(race.record().key).await?;
            Err(Failure::because(wrong))
        }
    }
}

fn ticks() -> Interval {
    let mut ticks = interval(REDRAW);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// A race that is being shown.
struct View<'r> {
    race: &'r RaceHandle,
    races: &'r Races<PlannedWorld>,
    under_way: &'r UnderWay,
    signals: Signals,
    news: News,
    /// It can go on when it is interrupted.
    is_kept: bool,
}

impl<'r> View<'r> {
    /// Shows the race until it is over, or interrupted.
    async fn run(&mut self, audience: &mut Audience, goes_on: Option<TurnNo>) -> Result<Ended, Failure> {
        audience.begins(&self.race.state().race, goes_on)?;
        let mut shown = audience.first();
        let mut events = self.race.follow(shown);
        let mut ticks = ticks();
        let mut wish = Wish::GoOn;
        let mut ending: Option<BoxFuture<'r, Result<(), Failure>>> = None;
        loop {
            let state = self.race.state();
            if state.race.is_finished() && shown >= state.last_seq {
                audience.ends(&state.race)?;
                return Ok(Ended::Over);
            }
            if let Activity::Stopped(why) = &state.activity {
                return Err(stopped(self.race, why));
            }
            let wanted = tokio::select! {
                happened = events.next() => match happened? {
                    None if wish == Wish::GoOn => return Err(broken_off(self.race)),
                    None => return Ok(Ended::AfterTheTurn),
                    Some(happened) => {
                        shown = happened.last().map_or(shown, |last| last.sequence);
                        audience.happened(&self.race.state().race, &happened)?;
                        continue;
                    }
                },
                signal = self.signals.next() => signal.wish(wish),
                ended = completed(&mut ending) => {
                    ended?;
                    continue;
                }
                _ = ticks.tick() => {
                    self.news.tell(&state);
                    audience.waits(&state.race, &self.waiting(&state))?
                }
            };
            let before = wish;
            wish = wish.and(wanted);
            match (before, wish) {
                (_, Wish::Stop) => {
                    self.races.end(Duration::ZERO).await;
                    if let Some(ending) = ending.take() {
                        // It waits for the same tasks, and what it could not finish is interrupted now.
                        let _ = ending.await;
                    }
                    return Ok(Ended::AtOnce);
                }
                (Wish::GoOn, Wish::End) => {
                    self.news.say(if self.is_kept {
                        "the race is interrupted after this turn; Ctrl-C again to stop at once"
                    } else {
                        "the race ends after this turn; Ctrl-C again to stop at once"
                    });
                    ending = Some(self.end());
                }
                _ => {}
            }
        }
    }

    /// Ends the race after the turn that is being played, for good if it can't go on later.
    fn end(&self) -> BoxFuture<'r, Result<(), Failure>> {
        let (race, races) = (self.race, self.races);
        if self.is_kept {
            races.end(LAST_TURN).map(Ok).boxed()
        } else {
            async {
                let finished = race.order(vec![Command::Finish], None).await;
                finished.map(drop).map_err(|denied| Failure::because(denied.to_string()))
            }
            .boxed()
        }
    }

    fn waiting(&self, state: &State) -> Waiting {
        match (&state.activity, state.next_turn) {
            (Activity::Suspended(why), _) => Waiting::Journal(Arc::clone(why)),
            (Activity::Waits, Some(next)) => {
                Waiting::NextTurn(next.saturating_duration_since(Instant::now()).as_secs() + 1)
            }
            _ => Waiting::Answers(self.under_way.names()),
        }
    }
}

/// Waits until what ends the race is done; for ever if nothing is to end it.
async fn completed(ending: &mut Option<BoxFuture<'_, Result<(), Failure>>>) -> Result<(), Failure> {
    let Some(running) = ending else { return std::future::pending().await };
    let done = running.await;
    *ending = None;
    done
}

/// The task of the race has ended, and nobody has asked it to.
fn broken_off(race: &RaceHandle) -> Failure {
    Failure::because(format!(
        "race {} was broken off by a mistake in gm, and nothing of it is lost: please report what --log warn says, and \
         go on with --resume",
        race.id()
    ))
}

/// The race can't go on.
fn stopped(race: &RaceHandle, why: &str) -> Failure {
    Failure::because(format!(
        "race {} can't go on, and nothing of it is lost: {why}\nThis gm plays by other rules than the one that has \
         begun the turn, or the journal was changed: go on with the gm that has begun the race",
        race.id()
    ))
}

/// Says on the error output when a race is suspended, and when it goes on.
struct News {
    /// The error output is a terminal with a live view on it, which says it instead.
    is_silent: bool,
    /// Why it was said to be suspended, and the number of its last event then.
    suspended: Option<(Arc<str>, u64)>,
}

impl News {
    fn new(live: bool) -> News {
        News { is_silent: live && io::stderr().is_terminal(), suspended: None }
    }

    fn tell(&mut self, state: &State) {
        if let Some(words) = self.of(state) {
            self.say(&words);
        }
    }

    fn say(&self, words: &str) {
        if !self.is_silent {
            eprintln!("gm: {words}");
        }
    }

    /// What is new, in words. While it is tried whether the journal can be written, it is not known yet.
    fn of(&mut self, state: &State) -> Option<String> {
        match (&state.activity, &self.suspended) {
            (Activity::Suspended(why), said) if said.as_ref().is_none_or(|(said, _)| said != why) => {
                self.suspended = Some((Arc::clone(why), state.last_seq));
                Some(format!(
                    "the race is suspended, and nothing is lost: {why} (it is tried again by itself)"
                ))
            }
            (Activity::Suspended(_), _) | (_, None) => None,
            (activity, Some((_, last_seq))) => {
                let goes_on = *activity == Activity::Waits || state.last_seq > *last_seq;
                goes_on.then(|| {
                    self.suspended = None;
                    "the race goes on: the journal can be written again".to_owned()
                })
            }
        }
    }
}

/// Who is told of the race: the report on the standard output, and the file.
struct Audience {
    report: Box<dyn Report>,
    out: Option<OutFile>,
    /// Nobody reads the report any more. The race goes on for the file, if there is one.
    gone: bool,
    /// The number of the last event that the report need not show: it is of another process. The file has them all.
    after: u64,
}

impl Audience {
    fn begins(&mut self, race: &Race, goes_on: Option<TurnNo>) -> Result<(), Failure> {
        if let Some(out) = &mut self.out {
            out.begin()?;
        }
        let shown = self.report.begins(race, goes_on);
        self.shown(shown)
    }

    fn happened(&mut self, race: &Race, events: &[Numbered]) -> Result<(), Failure> {
        if let Some(out) = &mut self.out {
            out.write(events)?;
        }
        let known = events.partition_point(|event| event.sequence <= self.after);
        let (_, events) = events.split_at(known);
        if self.gone || events.is_empty() {
            return Ok(());
        }
        let shown = self.report.happened(race, events);
        self.shown(shown)
    }

    /// The number of the last event that nobody needs.
    fn first(&self) -> u64 {
        if self.out.is_some() { 0 } else { self.after }
    }

    fn waits(&mut self, race: &Race, waiting: &Waiting) -> Result<Wish, Failure> {
        if self.gone {
            return Ok(Wish::GoOn);
        }
        match self.report.waits(race, waiting) {
            Ok(wish) => Ok(wish),
            Err(error) => self.shown(Err(error)).map(|()| Wish::GoOn),
        }
    }

    fn ends(&mut self, race: &Race) -> Result<(), Failure> {
        if self.gone {
            return Ok(());
        }
        let shown = self.report.ends(race);
        self.shown(shown)
    }

    fn shown(&mut self, shown: io::Result<()>) -> Result<(), Failure> {
        match shown.map_err(Failure::from) {
            Err(Failure::NobodyReads) if self.out.is_some() => {
                self.gone = true;
                Ok(())
            }
            shown => shown,
        }
    }
}

fn report_of(format: Format, is_kept: bool) -> Box<dyn Report> {
    match format {
        Format::Json => Box::new(JsonLines),
        Format::Text if io::stdout().is_terminal() => Box::new(Screen::new(is_kept)),
        Format::Text => Box::new(PlainLines),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table::tests::a_race;

    /// What a race's task does, the number of the race's last event, and what is said then.
    #[test]
    fn a_suspended_race_is_news_once() {
        let full = || Activity::Suspended("the disk is full".into());
        let said =
            "the race is suspended, and nothing is lost: the disk is full (it is tried again by itself)";
        let goes_on = "the race goes on: the journal can be written again";
        let mut news = News { is_silent: true, suspended: None };
        for (activity, last_seq, expected) in [
            (Activity::Plays(TurnNo(1)), 5, None),
            (full(), 5, Some(said)),
            (full(), 5, None),
            // It is tried again, and fails again.
            (Activity::Plays(TurnNo(1)), 5, None),
            (full(), 5, None),
            (
                Activity::Suspended("it is read-only".into()),
                5,
                Some(&*said.replace("the disk is full", "it is read-only")),
            ),
            (Activity::Plays(TurnNo(1)), 5, None),
            (Activity::Plays(TurnNo(2)), 9, Some(goes_on)),
            (Activity::Waits, 9, None),
            (full(), 9, Some(said)),
            (Activity::Waits, 9, Some(goes_on)),
        ] {
            let state = State { race: Arc::new(a_race()), last_seq, activity, pace: None, next_turn: None };
            assert_eq!(news.of(&state).as_deref(), expected, "{:?} at {last_seq}", state.activity);
        }
    }
}
