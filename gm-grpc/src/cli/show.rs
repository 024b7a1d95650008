//! Carries out a plan: registers the cars, runs the race, and shows it.
//!
//! Nothing is started unless every car can be registered: they are all inspected first, and everything that is wrong
//! is said at once.

use super::Failure;
use super::json::JsonLines;
use super::plain::PlainLines;
use super::plan::{Plan, PlannedCar, PlannedTeam};
use super::report::{self, Report, Waiting, Wish};
use super::screen::Screen;
use crate::control::{Control, Numbered};
use crate::drive::{Asked, HttpWorld, Limits, RunningTime, Settings, Witness};
use clap::{Args, ValueEnum};
use gm_core::contract::{Answer, Fault};
use gm_core::ids::TeamId;
use gm_core::ports::{Chain, Topic};
use gm_core::race::command::{Application, Command};
use gm_core::race::{Event, Race};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

/// How often the screen is drawn while the race waits.
const REDRAW: Duration = Duration::from_millis(100);

/// The most requests that are under way at the same time.
const IN_FLIGHT: usize = 256;

/// How the race is shown.
#[derive(Debug, Clone, Args)]
pub(super) struct Show {
    /// Seconds from the start of one turn to the start of the next; 0 = without waiting [default: 0 for a demo, else
    /// the rules' turn_every]
    #[arg(long, value_name = "SECONDS", value_parser = parse_pace)]
    pub(super) pace: Option<Duration>,

    /// Write every event to this file as a line of JSON. The same seed and the same answers give the same file, byte
    /// for byte
    #[arg(long, value_name = "FILE.jsonl")]
    pub(super) out: Option<PathBuf>,

    /// How to show the race: text is a live view on a terminal and plain lines elsewhere; json is a line of JSON for
    /// each event and one for the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
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
    let mut out = show.out.as_deref().map(OutFile::create).transpose()?;
    let running = Arc::new(RunningTime::default());
    let asked = Arc::new(UnderWay::default());
    let world = world(&plan, Arc::clone(&running), Arc::clone(&asked))?;
    let (mut control, mut events) = Control::create(plan.rules.clone(), plan.seed, world);
    events.extend(set_up(&mut control, &plan).await?);

    let mut report = report_of(show.format);
    report.begins(control.race())?;
    tell(&mut *report, &mut out, control.race(), &events)?;
    running.start();
    let done = run(&mut control, &mut *report, &mut out, &asked, pace).await;
    let ended = report.ends(control.race());
    done?;
    ended?;
    Ok(())
}

fn report_of(format: Format) -> Box<dyn Report> {
    match format {
        Format::Json => Box::new(JsonLines),
        Format::Text if io::stdout().is_terminal() => Box::new(Screen::new()),
        Format::Text => Box::new(PlainLines),
    }
}

fn world(plan: &Plan, running: Arc<RunningTime>, witness: Arc<UnderWay>) -> Result<HttpWorld, Failure> {
    // Request ids must never come twice at a car that remembers them, so every race has a name of its own.
    let settings = Settings {
        limits: Limits {
            car: Duration::from_millis(plan.rules.request_deadline_ms.into()),
            ai: Duration::from_millis(plan.rules.move_deadline_ms.into()),
            in_flight: IN_FLIGHT,
        },
        secrets: secrets(plan),
        hosts: plan.hosts.clone(),
        running,
        witness,
        ..Settings::new(format!("gm-{:016x}", rand::random::<u64>()))
    };
    HttpWorld::new(settings).map_err(|error| Failure::because(error.to_string()))
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
    check(&entries, control.preview(register.clone()).await.events)?;
    let (registered, _) = control.order(register).await;
    check(&entries, registered.iter().map(|numbered| numbered.event.clone()).collect())?;
    events.extend(registered);
    events.extend(control.order(vec![Command::Start]).await.0);
    Ok(events)
}

/// Says everything that is wrong with the cars, if something is.
fn check(entries: &[(TeamId, &PlannedTeam, &PlannedCar)], events: Vec<Event>) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for event in events {
        let Event::RegistrationRefused { team, instance, reasons, .. } = event else { continue };
        let entry = entries.iter().find(|(id, _, car)| *id == team && car.instance == instance);
        let place = entry.map_or(instance.clone(), |(_, _, car)| format!("{} at {}", car.place, car.url));
        let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        wrong.push(format!("{place}: {}", reasons.join("; ")));
    }
    match wrong.as_slice() {
        [] => Ok(()),
        [one] => Err(Failure::because(format!("nothing was started: {one}"))),
        several => Err(Failure::because(format!(
            "nothing was started, because {} cars can't take part:\n  {}",
            several.len(),
            several.join("\n  ")
        ))),
    }
}

/// Plays turn after turn, until the race is over.
async fn run(
    control: &mut Control<HttpWorld>,
    report: &mut dyn Report,
    out: &mut Option<OutFile>,
    asked: &UnderWay,
    pace: Duration,
) -> Result<(), Failure> {
    let mut redraw = interval(REDRAW);
    redraw.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut interrupt = Box::pin(tokio::signal::ctrl_c());
    let mut wish = Wish::GoOn;
    while !control.race().is_finished() {
        let next_turn = Instant::now() + pace;
        let events = {
            let mut turn = std::pin::pin!(control.play());
            loop {
                tokio::select! {
                    events = &mut turn => break events,
                    _ = &mut interrupt, if wish == Wish::GoOn => wish = Wish::End,
                    _ = redraw.tick() => {
                        if report.waits(control.race(), &Waiting::ForAnswers(asked.names()))? == Wish::End {
                            wish = Wish::End;
                        }
                    }
                }
            }
        }
        .map_err(|refusal| Failure::because(refusal.to_string()))?;
        let happened = control.commit(events);
        tell(report, out, control.race(), &happened)?;

        while wish == Wish::GoOn && !control.race().is_finished() && Instant::now() < next_turn {
            tokio::select! {
                () = sleep_until(next_turn) => {}
                _ = &mut interrupt => wish = Wish::End,
                _ = redraw.tick() => {
                    let left = next_turn.saturating_duration_since(Instant::now());
                    wish = report.waits(control.race(), &Waiting::ForTheNextTurn(left.as_secs() + 1))?;
                }
            }
        }
        if wish == Wish::End && !control.race().is_finished() {
            let (finished, _) = control.order(vec![Command::Finish]).await;
            tell(report, out, control.race(), &finished)?;
        }
    }
    Ok(())
}

fn tell(
    report: &mut dyn Report,
    out: &mut Option<OutFile>,
    race: &Race,
    events: &[Numbered],
) -> Result<(), Failure> {
    if let Some(out) = out {
        out.write(events)?;
    }
    report.happened(race, events)?;
    Ok(())
}

/// The file to which every event is written.
struct OutFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl OutFile {
    fn create(path: &Path) -> Result<OutFile, Failure> {
        let file = File::create(path).map_err(|error| OutFile::failure(path, &error))?;
        Ok(OutFile { path: path.to_owned(), file: BufWriter::new(file) })
    }

    fn write(&mut self, events: &[Numbered]) -> Result<(), Failure> {
        let written = events.iter().try_for_each(|event| report::write_json(&mut self.file, event));
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
