//! Carries out a plan: registers the cars, runs the race, and shows it.
//!
//! Nothing is started unless every car can be registered: they are all inspected first, and everything that is wrong
//! is said at once.

use super::Failure;
use super::json::JsonLines;
use super::log;
use super::plain::PlainLines;
use super::plan::{Plan, PlannedCar, PlannedTeam};
use super::report::{Report, Waiting, Wish};
use super::screen::Screen;
use super::signals::Signals;
use super::simple::Control;
use crate::drive::{Asked, HttpWorld, Limits, RunningTime, Settings, Witness};
use crate::journal::Numbered;
use clap::{Args, ValueEnum};
use gm_core::contract::{Answer, Fault};
use gm_core::ids::TeamId;
use gm_core::ports::{Chain, Topic};
use gm_core::race::command::{Application, Command};
use gm_core::race::event::RefusedBecause;
use gm_core::race::{Event, Race};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

/// How often the screen is drawn while the race waits.
pub(super) const REDRAW: Duration = Duration::from_millis(100);

/// The most requests that are under way at the same time, where there are not more cars.
const IN_FLIGHT: usize = 256;

/// How the race is shown.
#[derive(Debug, Clone, Args)]
pub(super) struct Show {
    /// Seconds from the start of one turn to the start of the next; 0 = without waiting
    #[arg(long, value_name = "SECONDS", value_parser = parse_pace)]
    pub(super) pace: Option<Duration>,

    /// Write every event to this file as a line of JSON; what was in it is replaced when the race starts. The same
    /// seed and the same answers give the same file, byte for byte
    #[arg(long, value_name = "FILE.jsonl")]
    pub(super) out: Option<PathBuf>,

    /// How to show the race: text is a live view on a terminal and plain lines elsewhere; json is a line of JSON for
    /// each event and one for the result
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

/// Runs the race of a plan to its end.
pub(super) async fn show(plan: Plan, show: &Show, pace: Duration) -> Result<(), Failure> {
    log::start(show.log, show.format == Format::Text && io::stdout().is_terminal());
    let running = Arc::new(RunningTime::default());
    let asked = Arc::new(UnderWay::default());
    let world = world(&plan, Arc::clone(&running), Arc::clone(&asked))?;
    let (mut control, mut events) = Control::create(plan.rules.clone(), plan.seed, world);
    let out = show.out.as_deref().map(OutFile::open).transpose()?;
    match set_up(&mut control, &plan).await {
        Ok(set_up) => events.extend(set_up),
        Err(failure) => {
            out.into_iter().for_each(OutFile::give_up);
            return Err(failure);
        }
    }

    let mut audience = Audience { report: report_of(show.format), out, gone: false };
    if let Some(out) = &mut audience.out {
        out.begin()?;
    }
    audience.begins(control.race())?;
    audience.happened(control.race(), &events)?;
    running.start();
    run(&mut control, &mut audience, &asked, pace).await?;
    audience.ends(control.race())
}

/// Who is told of the race: the report on the standard output, and the file.
struct Audience {
    report: Box<dyn Report>,
    out: Option<OutFile>,
    /// Nobody reads the report any more. The race goes on for the file, if there is one.
    gone: bool,
}

impl Audience {
    fn begins(&mut self, race: &Race) -> Result<(), Failure> {
        let shown = self.report.begins(race);
        self.shown(shown)
    }

    fn happened(&mut self, race: &Race, events: &[Numbered]) -> Result<(), Failure> {
        if let Some(out) = &mut self.out {
            out.write(events)?;
        }
        if self.gone {
            return Ok(());
        }
        let shown = self.report.happened(race, events);
        self.shown(shown)
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

pub(super) fn report_of(format: Format) -> Box<dyn Report> {
    match format {
        Format::Json => Box::new(JsonLines),
        Format::Text if io::stdout().is_terminal() => Box::new(Screen::new()),
        Format::Text => Box::new(PlainLines),
    }
}

fn world(plan: &Plan, running: Arc<RunningTime>, witness: Arc<UnderWay>) -> Result<HttpWorld, Failure> {
    // Request ids must never come twice at a car that remembers them, so every race has a name of its own.
    let settings = Settings {
        limits: limits(plan),
        secrets: secrets(plan),
        hosts: plan.hosts.clone(),
        allow_private: plan.allow_private,
        running,
        witness,
        ..Settings::new(format!("gm-{:016x}", rand::random::<u64>()))
    };
    HttpWorld::new(settings).map_err(|error| Failure::because(error.to_string()))
}

/// The deadlines of the rules (C-21, A-3), and room for every car.
fn limits(plan: &Plan) -> Limits {
    Limits {
        car: Duration::from_millis(plan.rules.request_deadline_ms.into()),
        ai: Duration::from_millis(plan.rules.move_deadline_ms.into()),
        in_flight: IN_FLIGHT.max(plan.cars()),
    }
}

fn secrets(plan: &Plan) -> BTreeMap<TeamId, crate::drive::Secret> {
    let ids = (1..).map(TeamId);
    ids.zip(&plan.teams).filter_map(|(id, team)| Some((id, team.secret.clone()?))).collect()
}

/// Creates the teams, registers the cars and starts the race.
async fn set_up(control: &mut Control<HttpWorld>, plan: &Plan) -> Result<Vec<Numbered>, Failure> {
    let teams = plan
        .teams
        .iter()
        .map(|team| Command::CreateTeam { name: team.name.clone(), budget: team.budget })
        .collect();
    let (mut events, settled) = control.order(teams).await;
    for (team, settled) in plan.teams.iter().zip(settled) {
        settled.map_err(|refusal| Failure::because(format!("{}: {refusal}", team.place)))?;
    }

    let entries: Vec<(TeamId, &PlannedTeam, &PlannedCar)> = (1..)
        .map(TeamId)
        .zip(&plan.teams)
        .flat_map(|(id, team)| team.cars.iter().map(move |car| (id, team, car)))
        .collect();
    let register: Vec<Command> = entries
        .iter()
        .map(|(team, _, car)| {
            let (instance, url) = (car.instance.clone(), Some(car.url.clone()));
            Command::Register(Application { team: *team, instance, url })
        })
        .collect();
    if io::stderr().is_terminal() {
        eprintln!("inspecting {} cars …", entries.len());
    }
    match control.register_all(register).await {
        Ok(registered) => events.extend(registered),
        Err(refused) => return Err(refusal(&entries, refused)),
    }
    events.extend(control.order(vec![Command::Start]).await.0);
    Ok(events)
}

/// Says everything that is wrong with the cars.
fn refusal(entries: &[(TeamId, &PlannedTeam, &PlannedCar)], events: Vec<Event>) -> Failure {
    let mut wrong = Vec::new();
    for event in events {
        let Event::RegistrationRefused { team, instance, reasons, .. } = event else { continue };
        let entry = entries.iter().find(|(id, _, car)| *id == team && car.instance == instance);
        let place = entry.map_or(instance.clone(), |(_, _, car)| format!("{} at {}", car.place, car.url));
        wrong.push(format!("{place}: {}", told(&reasons).join("; ")));
    }
    Failure::because(match wrong.as_slice() {
        [] => "nothing was started: not all cars can take part".to_owned(),
        [one] => format!("nothing was started: {one}"),
        several => format!(
            "nothing was started, because {} cars can't take part:\n  {}",
            several.len(),
            several.join("\n  ")
        ),
    })
}

/// Reasons in words; where every question went wrong in the same way, that is said once, with what to look at.
fn told(reasons: &[RefusedBecause]) -> Vec<String> {
    let faults: BTreeSet<Fault> = reasons
        .iter()
        .filter_map(|reason| match reason {
            RefusedBecause::NoAnswer { fault, .. } => Some(*fault),
            _ => None,
        })
        .collect();
    let unanswered = |reason: &&RefusedBecause| matches!(reason, RefusedBecause::NoAnswer { .. });
    let (questions, fault) = (reasons.iter().filter(unanswered).count(), faults.first());
    let (1, Some(fault)) = (faults.len(), fault) else {
        return reasons.iter().map(ToString::to_string).collect();
    };
    let hint = match fault {
        Fault::Unreachable => "is the car started, and is this its URL?",
        Fault::Status(401 | 403) => "is the team's secret the one that the car expects?",
        Fault::Status(404) => "is this the base URL of the car, without a path?",
        Fault::Late => "is the car overloaded, or behind a firewall?",
        _ => "is it a car that answers here?",
    };
    let mut told = vec![match questions {
        1 => {
            let question = reasons.iter().find(unanswered).map(ToString::to_string);
            format!("{}: {hint}", question.unwrap_or_default())
        }
        _ => format!("{questions} questions: expected valid answers, found each time: {fault}: {hint}"),
    }];
    told.extend(reasons.iter().filter(|reason| !unanswered(reason)).map(ToString::to_string));
    told
}

/// Plays turn after turn, until the race is over.
async fn run(
    control: &mut Control<HttpWorld>,
    audience: &mut Audience,
    asked: &UnderWay,
    pace: Duration,
) -> Result<(), Failure> {
    let mut redraw = interval(REDRAW);
    redraw.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut signals = Signals::new()?;
    let mut wish = Wish::GoOn;
    while !control.race().is_finished() {
        let next_turn = Instant::now() + pace;
        let events = {
            let mut turn = std::pin::pin!(control.play());
            loop {
                tokio::select! {
                    events = &mut turn => break events,
                    signal = signals.next() => wish = wish.and(signal.wish(wish))?,
                    _ = redraw.tick() => {
                        wish = wish.and(audience.waits(control.race(), &Waiting::ForAnswers(asked.names()))?)?;
                    }
                }
            }
        }
        .map_err(|refusal| Failure::because(refusal.to_string()))?;
        let happened = control.commit(events);
        audience.happened(control.race(), &happened)?;

        while wish == Wish::GoOn && !control.race().is_finished() && Instant::now() < next_turn {
            tokio::select! {
                () = sleep_until(next_turn) => {}
                signal = signals.next() => wish = wish.and(signal.wish(wish))?,
                _ = redraw.tick() => {
                    let left = next_turn.saturating_duration_since(Instant::now());
                    let waiting = Waiting::ForTheNextTurn(left.as_secs() + 1);
                    wish = wish.and(audience.waits(control.race(), &waiting)?)?;
                }
            }
        }
        if wish == Wish::End && !control.race().is_finished() {
            let (finished, _) = control.order(vec![Command::Finish]).await;
            audience.happened(control.race(), &finished)?;
        }
    }
    Ok(())
}

/// The file to which every event is written.
struct OutFile {
    path: PathBuf,
    file: BufWriter<File>,
    is_new: bool,
}

impl OutFile {
    /// Opens the file, so that one that can't be written is known before anything is started. What is in it stays
    /// until the race [begins](OutFile::begin).
    fn open(path: &Path) -> Result<OutFile, Failure> {
        let failure = |error| OutFile::failure(path, &error);
        let is_new = !path.exists();
        let file = OpenOptions::new().append(true).create(true).open(path).map_err(failure)?;
        Ok(OutFile { path: path.to_owned(), file: BufWriter::new(file), is_new })
    }

    /// The race begins: what was in the file is replaced by it.
    fn begin(&mut self) -> Result<(), Failure> {
        // Not everything that can be written to can be cut off: a terminal, a pipe.
        match self.file.get_ref().metadata() {
            Ok(data) if !data.is_file() => Ok(()),
            _ => self.file.get_ref().set_len(0).map_err(|error| OutFile::failure(&self.path, &error)),
        }
    }

    /// There is no race: leaves everything as it was.
    fn give_up(self) {
        if self.is_new {
            // That an empty file stays behind is no harm that could be told better than what went wrong.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    fn write(&mut self, events: &[Numbered]) -> Result<(), Failure> {
        let written = events.iter().try_for_each(|event| event.write_json(&mut self.file));
        written.and_then(|()| self.file.flush()).map_err(|error| OutFile::failure(&self.path, &error))
    }

    fn failure(path: &Path, error: &io::Error) -> Failure {
        Failure::because(format!("can't write {}: {error}", path.display()))
    }
}

/// The conversations in which an answer is waited for.
#[derive(Default)]
struct UnderWay(Mutex<BTreeSet<Chain>>);

impl UnderWay {
    fn chains(&self) -> MutexGuard<'_, BTreeSet<Chain>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn names(&self) -> Vec<String> {
        self.chains().iter().map(|chain| format!("car {} ({})", chain.car, about(chain.topic))).collect()
    }
}

impl Witness for UnderWay {
    fn asked(&self, asked: &Asked<'_>) {
        self.chains().insert(asked.chain);
    }

    fn answered(&self, asked: &Asked<'_>, _: &Result<Answer, Fault>, _: Duration) {
        self.chains().remove(&asked.chain);
    }
}

fn about(topic: Topic) -> &'static str {
    match topic {
        Topic::Command(_) => "registration",
        Topic::Transfer => "transfer",
        Topic::Track => "on track",
        Topic::Bonus => "bonus",
        Topic::Fight => "fight",
        Topic::FightDuel | Topic::PirateDuel => "duel",
        Topic::PirateMind => "pirates",
        Topic::Encounter => "encounter",
        Topic::SpotCheck => "spot check",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::contract::{BaseUrl, CarRequest};
    use gm_core::race::Rules;
    use gm_core::random::Seed;

    #[test]
    fn c_21_a_3_the_limits_are_those_of_the_rules() {
        let rules = Rules { request_deadline_ms: 111, move_deadline_ms: 222, ..Rules::balanced() };
        let car = |number: u32| PlannedCar {
            place: String::new(),
            instance: format!("i-{number}"),
            url: BaseUrl::parse("http://car.example").expect("a URL"),
        };
        let team = |cars: u32| PlannedTeam {
            place: String::new(),
            name: "Red".to_owned(),
            budget: None,
            secret: None,
            cars: (0..cars).map(car).collect(),
        };
        for (cars, in_flight) in [(1, 256), (300, 600)] {
            let plan = Plan {
                rules: rules.clone().validated().expect("good rules"),
                seed: Seed(1),
                teams: vec![team(cars), team(cars)],
                hosts: BTreeMap::new(),
                allow_private: true,
            };
            let (car, ai) = (Duration::from_millis(111), Duration::from_millis(222));
            assert_eq!(limits(&plan), Limits { car, ai, in_flight });
        }
    }

    #[test]
    fn reasons_that_are_the_same_are_said_once() {
        let no_answer = |fault| RefusedBecause::NoAnswer { request: CarRequest::State, fault };
        let said = "GET /state (C-5): expected a valid answer, found";
        for (reasons, expected) in [
            (vec![RefusedBecause::NoPilot], vec!["a car needs at least 1 pilot, found 0".to_owned()]),
            (
                vec![no_answer(Fault::Status(401)); 7],
                vec!["7 questions: expected valid answers, found each time: status 401: is the team's secret the one \
                      that the car expects?"
                    .to_owned()],
            ),
            (
                vec![no_answer(Fault::Unreachable), RefusedBecause::InstanceTaken],
                vec![
                    format!("{said} unreachable: is the car started, and is this its URL?"),
                    "the instance name is taken in this race".to_owned(),
                ],
            ),
            (
                vec![no_answer(Fault::Late), no_answer(Fault::NotJson)],
                vec![
                    format!("{said} no answer within the deadline"),
                    format!(
                        "GET /state (C-5): expected {}, found the answer was not JSON",
                        CarRequest::State.wanted()
                    ),
                ],
            ),
        ] {
            assert_eq!(told(&reasons), expected);
        }
    }
}
