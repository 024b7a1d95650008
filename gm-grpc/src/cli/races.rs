//! `gm race list`, `show`, `log` and `forget`: what is in a data directory.
//!
//! All but `forget` open the journal only to read it, so they work beside a `gm` that plays a race there.

use super::Failure;
use super::race::{Data, OnlyData, find};
use super::remote::Server;
use super::remote::which::NamedRace;
use super::remote::{race, show};
use super::table::{aligned, as_json, as_text, one_line, row};
use crate::journal::{DataDirectory, Journal, Loaded, Origin, RaceId, RaceRecord};
use crate::team_log::Reader;
use clap::Args;
use gm_core::ids::{TeamId, TurnNo};
use gm_core::race::Race;
use gm_core::race::rules::{Preset, Rules};
use gm_core::race::state::Life;
use serde_json::{Value, json};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

/// List the races that you may watch
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n\n    gm race list\n    gm race list --data gm-data")]
pub(super) struct List {
    #[command(flatten)]
    data: Data,

    #[command(flatten)]
    server: Server,
}

/// Show a race: its state, its table and its cars
///
/// Of a data directory also its rules, and which complaints wait for the jury.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n\n    gm race show Friday\n    gm race show latest --data gm-data")]
pub(super) struct Show {
    #[command(flatten)]
    race: NamedRace,

    #[command(flatten)]
    data: Data,

    #[command(flatten)]
    server: Server,
}

/// Show the log of a team, as the team may read it, from a data directory
///
/// A team itself reads it from the server, with `gm log`.
///
/// All that its cars, its duel AIs and its resources were asked, with what they answered, how long they took and what
/// was accepted all the same; and what became of its cars: penalties with what was expected and found, losses and gains,
/// refused registrations, what the jury says. Nothing that belongs to another team is in it.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Log {
    /// Which race: its id, its name if only one has it, or `latest`
    race: String,

    /// Whose log: the team's name or its number
    #[arg(long, value_name = "NAME|ID")]
    team: String,

    /// Only this turn, and what was decided between it and the next
    #[arg(long, value_name = "N")]
    turn: Option<u32>,

    #[command(flatten)]
    data: OnlyData,

    /// One line of JSON for each entry
    #[arg(long)]
    json: bool,
}

/// What the help shows of logs.
const EXAMPLES: &str = "What a team was penalised for, and what its cars said in turn 12:

    gm race log latest --team Red --data gm-data --json | jq -c 'select(.event.expected)'
    gm race log latest --team Red --data gm-data --turn 12";

/// Forget a race of a data directory. Unless it was exported, it is gone for good
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm race forget latest --data gm-data")]
pub(super) struct Forget {
    /// Which: its id, its name if only one has it, or `latest`
    race: String,

    /// Without being asked
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    data: OnlyData,
}

/// The journal of a data directory, to be read only.
async fn look(data: &Path) -> Result<Journal, Failure> {
    let directory = DataDirectory::look(data)?;
    Ok(Journal::open_to_read(directory).await?)
}

/// The state of a race in words.
fn state(race: &Race) -> String {
    match race.life {
        Life::Preparing => "being prepared".to_owned(),
        Life::Running => "under way".to_owned(),
        Life::Paused => "paused".to_owned(),
        Life::Finished(ending) => format!("over: {ending}"),
    }
}

fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Here => "here",
        Origin::Imported => "imported",
    }
}

/// What is known of a race, for programs.
fn record_json(record: &RaceRecord) -> Value {
    json!({
        "race": record.id,
        "name": record.name,
        "created_at": record.created_at,
        "gm": record.gm,
        "revision": record.revision,
        "seed": record.seed.to_string(),
        "origin": record.origin,
        "pace_ms": record.pace.map(|pace| u64::try_from(pace.as_millis()).unwrap_or(u64::MAX)),
        "ran_ms": u64::try_from(record.ran.as_millis()).unwrap_or(u64::MAX),
    })
}

fn line(out: &mut impl Write, value: &Value) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

impl List {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let Some(data) = self.data.or(&self.server) else { return race::list(&self.server).await };
        let journal = look(&data).await?;
        let mut rows =
            vec![row(["race", "name", "state", "turn", "cars", "made (UTC)", "revision", "origin"])];
        let mut out = io::stdout().lock();
        for record in journal.races().await? {
            // One that can't be read must not hide the others.
            let loaded = journal.load(&record.id).await;
            if self.server.json {
                let mut value = record_json(&record);
                match &loaded {
                    Ok(Loaded { race, .. }) => {
                        value["life"] = json!(race.life);
                        value["turn"] = json!(race.turn);
                        value["cars"] = json!(race.cars.len());
                    }
                    Err(error) => value["unreadable"] = json!(error.to_string()),
                }
                line(&mut out, &value)?;
                continue;
            }
            let (state, turn, cars) = match &loaded {
                Ok(Loaded { race, .. }) => (state(race), race.turn.to_string(), race.cars.len().to_string()),
                Err(error) => {
                    eprintln!("gm: {error}");
                    ("can't be read".to_owned(), String::new(), String::new())
                }
            };
            rows.push(row([
                record.id.as_str(),
                &one_line(&record.name),
                &state,
                &turn,
                &cars,
                &record.created_at.to_string(),
                &record.revision.to_string(),
                origin(record.origin),
            ]));
        }
        if !self.server.json {
            write!(out, "{}", aligned(&rows, &[3, 4, 6]))?;
        }
        Ok(out.flush()?)
    }
}

impl Show {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let Some(data) = self.data.or(&self.server) else {
            return show::show(&self.server, &self.race).await;
        };
        let wanted = self.race.needed()?;
        let journal = look(&data).await?;
        let record = find(&journal, &wanted).await?;
        let loaded = journal.load(&record.id).await?;
        let answers = match loaded.last.committed {
            Some(_) => None,
            None => {
                let open = loaded.last.decision.no;
                Some(journal.exchanges(&record, open).await?.len())
            }
        };
        let mut out = io::stdout().lock();
        if self.server.json {
            line(&mut out, &shown_json(&loaded, answers))?;
        } else {
            out.write_all(shown(&loaded, answers).as_bytes())?;
        }
        Ok(out.flush()?)
    }
}

/// A race in words; `answers`: how many there are to a decision that is not complete.
fn shown(loaded: &Loaded, answers: Option<usize>) -> String {
    let Loaded { record, race, .. } = loaded;
    let from = match record.origin {
        Origin::Here => "",
        Origin::Imported => ", imported",
    };
    let mut text = format!(
        "race {} {:?}, made {} UTC by gm {}{from}\nseed {}, revision {} of the rules\nturn {}, {}; it ran for {} s\n",
        record.id,
        record.name,
        record.created_at,
        one_line(&record.gm),
        record.seed,
        record.revision,
        race.turn,
        state(race),
        record.ran.as_secs(),
    );
    if let Some(answers) = answers {
        text.push_str(&format!("something is being decided: {answers} answers to it are in the journal\n"));
    }
    let (preset, differences) = differences(&race.rules);
    if differences.is_empty() {
        text.push_str(&format!("rules: {preset}\n"));
    } else {
        text.push_str(&format!("rules: {preset}, but\n"));
        for Difference { setting, is, preset } in differences {
            text.push_str(&format!("  {setting} = {is}  ({preset})\n"));
        }
    }
    text.push('\n');
    text.push_str(&as_text(race));
    let waiting = || race.complaints.iter().filter(|complaint| complaint.answer.is_none());
    if waiting().next().is_some() {
        text.push_str("\ncomplaints that wait for the jury:\n");
    }
    for complaint in waiting() {
        let team = race.teams.get(&complaint.team).map_or("", |team| team.name.as_str());
        let (number, turn, words) = (complaint.number, complaint.turn, one_line(&complaint.text));
        text.push_str(&format!("  {number} of {} about turn {turn}: {words}\n", one_line(team)));
    }
    text
}

fn shown_json(loaded: &Loaded, answers: Option<usize>) -> Value {
    let Loaded { record, race, .. } = loaded;
    let (preset, differences) = differences(&race.rules);
    let mut value = record_json(record);
    value["life"] = json!(race.life);
    value["turn"] = json!(race.turn);
    value["open_answers"] = json!(answers);
    value["preset"] = json!(preset);
    value["rules"] =
        differences.into_iter().map(|it| (it.setting, it.is)).collect::<serde_json::Map<_, _>>().into();
    value["complaints"] = race
        .complaints
        .iter()
        .filter(|complaint| complaint.answer.is_none())
        .map(|it| json!({ "number": it.number, "team": it.team, "turn": it.turn, "text": it.text }))
        .collect();
    value["result"] = as_json(race)["result"].take();
    value
}

/// A setting of the rules that is not the preset's.
#[derive(Debug, Clone, PartialEq)]
struct Difference {
    /// Its name, as in a race file: `encounters.nothing`.
    setting: String,
    is: Value,
    preset: Value,
}

/// The preset that rules come closest to, and what is different in them.
fn differences(rules: &Rules) -> (&'static str, Vec<Difference>) {
    let presets = [("balanced", Preset::Balanced), ("classic", Preset::Classic)];
    let compared = presets.map(|(name, preset)| {
        let (mut differences, is, preset) = (Vec::new(), as_chosen(rules), as_chosen(&preset.rules()));
        compare("", &is, &preset, &mut differences);
        (name, differences)
    });
    let [balanced, classic] = compared;
    if classic.1.len() < balanced.1.len() { classic } else { balanced }
}

/// Rules as a race file says them: careful pirates are stored by another name.
fn as_chosen(rules: &Rules) -> Value {
    let mut value = json!(rules);
    value["pirates"]["mind"] = json!(rules.pirates.mind.name());
    value
}

fn compare(setting: &str, is: &Value, preset: &Value, differences: &mut Vec<Difference>) {
    match (is, preset) {
        (is, preset) if is == preset => {}
        (Value::Object(is), Value::Object(preset)) => {
            for (name, is) in is {
                let setting = if setting.is_empty() { name.clone() } else { format!("{setting}.{name}") };
                compare(&setting, is, preset.get(name).unwrap_or(&Value::Null), differences);
            }
        }
        (is, preset) => differences.push(Difference {
            setting: setting.to_owned(),
            is: is.clone(),
            preset: preset.clone(),
        }),
    }
}

impl Log {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let data = self.data.needed("a team reads its log from the server with `gm log`")?;
        let journal = look(&data).await?;
        let record = find(&journal, &self.race).await?;
        let loaded = journal.load(&record.id).await?;
        let team = team_of(&loaded.race, &self.team)?;
        let turn = self.turn.map(TurnNo);
        let mut log = Reader::new(journal, record, team, 0);
        let mut out = io::BufWriter::new(io::stdout().lock());
        loop {
            let page = log.next_page().await?;
            if page.is_empty() {
                return Ok(out.flush()?);
            }
            for entry in page.iter().filter(|entry| turn.is_none_or(|turn| entry.turn == turn)) {
                if self.json {
                    line(&mut out, &entry.to_json())?;
                } else {
                    writeln!(out, "{}  {entry}", entry.at)?;
                }
            }
        }
    }
}

/// The team of this name or number.
fn team_of(race: &Race, which: &str) -> Result<TeamId, Failure> {
    let by_name = race.teams.values().find(|team| team.name == which).map(|team| team.id);
    let by_number = || which.parse().ok().map(TeamId).filter(|id| race.teams.contains_key(id));
    by_name.or_else(by_number).ok_or_else(|| {
        let teams: Vec<String> =
            race.teams.values().map(|team| format!("{} {:?}", team.id, team.name)).collect();
        let teams = if teams.is_empty() { "it has none yet".to_owned() } else { teams.join(", ") };
        Failure::because(format!("the race has no team {which:?}: {teams}"))
    })
}

impl Forget {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let data = self.data.needed("a server forgets no race")?;
        // Looking makes no directory where there is none.
        let record = find(&look(&data).await?, &self.race).await?;
        let RaceRecord { id, name, .. } = &record;
        if !self.yes && !is_meant(&record.id, name)? {
            return Err(Failure::because(format!("race {id} is still there")));
        }
        let directory = DataDirectory::open(&data)?;
        let journal = Journal::open(directory).await?;
        // It may have become another one's number in the meantime; not another one's id.
        let record = journal.race(id).await?;
        journal.forget(record.key).await?;
        journal.close().await?;
        println!("race {id} is forgotten");
        Ok(())
    }
}

/// Asks whether the race is to be forgotten.
fn is_meant(id: &RaceId, name: &str) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::because(format!(
            "race {id} {name:?} would be gone for good: say so with --yes, and export it before if it matters"
        )));
    }
    eprint!("Forget race {id} {name:?} with all that belongs to it? It is gone for good. [y/N] ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::ports::PirateMind;
    use gm_core::race::rules::{EncounterOdds, PirateRules};

    /// The closest preset, and what differs from it.
    #[test]
    fn rules_that_differ_from_the_preset() {
        let careful = PirateRules { mind: PirateMind::Careful, ..Rules::balanced().pirates };
        let odds = EncounterOdds { nothing: 59, pirates: 11, ..Rules::balanced().encounters };
        for (rules, expected) in [
            (Rules::balanced(), "balanced"),
            (Rules::classic(), "classic"),
            (Rules { track_length: 40, ..Rules::classic() }, "classic track_length=40(300)"),
            (Rules { pirates: careful, ..Rules::balanced() }, r#"balanced pirates.mind="careful"("search")"#),
            (Rules { hand_limit: Some(5), ..Rules::balanced() }, "balanced hand_limit=5(null)"),
            (
                Rules { encounters: odds, ..Rules::balanced() },
                "balanced encounters.nothing=59(60) encounters.pirates=11(10)",
            ),
        ] {
            let (preset, differences) = differences(&rules);
            let mut said = preset.to_owned();
            for Difference { setting, is, preset } in differences {
                said.push_str(&format!(" {setting}={is}({preset})"));
            }
            assert_eq!(said, expected);
        }
    }
}
