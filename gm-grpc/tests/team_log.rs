//! The logs of the teams of a race: all that is theirs, and nothing of another team.

mod played;

use gm_core::ids::TeamId;
use gm_core::race::view::{Seen, Viewer, seen, team_of};
use gm_core::race::{Event, Race};
use gm_grpc::journal::{DataDirectory, DecisionNo, Exchange, Journal, RaceRecord};
use gm_grpc::team_log::{Asked, Entry, Reader, What};
use std::path::Path;

/// What everything that is team 2's own has in it.
const CANARIES: [&str; 9] = [
    "canary-url",
    "canary-answer",
    "canary-ai.example",
    "canary-move",
    "canary-engine",
    "canary-complaint",
    "canary-reply",
    "canary-reason",
    "canary-refused",
];

const TEAMS: [TeamId; 3] = [TeamId(1), TeamId(2), TeamId(3)];

async fn look(directory: &Path) -> (Journal, RaceRecord) {
    let directory = DataDirectory::look(directory).expect("a directory");
    let journal = Journal::open_to_read(directory).await.expect("a journal");
    let race = journal.race(&played::race_id()).await.expect("the race");
    (journal, race)
}

/// All that a reader has to give.
async fn rest(log: &mut Reader) -> Vec<Entry> {
    let mut entries = Vec::new();
    loop {
        let page = log.next_page().await.expect("a page");
        if page.is_empty() {
            return entries;
        }
        entries.extend(page);
    }
}

async fn played_race() -> (tempfile::TempDir, Journal, RaceRecord) {
    let directory = tempfile::tempdir().expect("a directory");
    played::play(directory.path(), async |_| {}).await;
    let (journal, race) = look(directory.path()).await;
    (directory, journal, race)
}

#[tokio::test]
async fn r_11_nothing_of_another_team_is_in_a_log() {
    let (_directory, journal, race) = played_race().await;
    let mut logs = Vec::new();
    for team in TEAMS {
        let entries = rest(&mut Reader::new(journal.clone(), race.clone(), team, 0)).await;
        let lines: Vec<String> =
            entries.iter().map(|entry| format!("{entry}\n{}\n{entry:?}", entry.to_json())).collect();
        logs.push(lines);
    }
    let [red, green, blue] = &logs[..] else { panic!("three logs") };
    for canary in CANARIES.into_iter().chain(["7777"]) {
        assert!(green.iter().any(|line| line.contains(canary)), "{canary} is in its own team's log");
    }
    for line in red.iter().chain(blue) {
        assert!(!line.contains("canary") && !line.contains("7777"), "{line}");
    }
    for word in ["is penalised: ", "FightStarted", "DuelPlayed", "our car was there", "AchievementEarned"] {
        assert!(red.iter().any(|line| line.contains(word)), "{word} is in the log of Red");
    }
    assert!(blue.iter().any(|line| line.contains("hex fffe1b5b324a")), "what is no text");
    assert!(blue.iter().any(|line| line.contains("the jury saw it")));
    for line in logs.iter().flatten().filter_map(|line| line.lines().next()) {
        assert!(!line.contains('\u{1b}'), "a terminal would obey {line:?}");
    }
}

/// What a team's log must have, made from the journal in another way.
async fn expected(journal: &Journal, race: &RaceRecord, team: TeamId) -> (Vec<Asked>, Vec<Seen>) {
    let (mut asked, mut own) = (Vec::new(), Vec::new());
    let mut state: Option<Race> = None;
    for decision in journal.decisions(race, DecisionNo(0)).await.expect("decisions") {
        let no = decision.decision.no;
        let exchanges: Vec<Exchange> = journal.exchanges(race, no).await.expect("exchanges");
        asked.extend(exchanges.iter().filter(|it| it.team == Some(team)).map(Asked::of));
        for numbered in journal.outcome(race, no).await.expect("events").events {
            let event = numbered.event;
            match &mut state {
                None => state = Race::from_events([&event]),
                Some(race) => {
                    if team_of(race, &event) == Some(team) {
                        own.extend(seen(race, &event, Viewer::Team(team)));
                    }
                    race.apply(&event);
                }
            }
        }
    }
    (asked, own)
}

#[tokio::test]
async fn everything_of_the_team_is_in_its_log() {
    let (_directory, journal, race) = played_race().await;
    for team in TEAMS {
        let entries = rest(&mut Reader::new(journal.clone(), race.clone(), team, 0)).await;
        assert!(entries.iter().map(|entry| entry.number).eq(1..=entries.len() as u64), "no gap");
        assert!(entries.is_sorted_by_key(|entry| (entry.turn, entry.at)), "in order");
        let (asked, own) = expected(&journal, &race, team).await;
        let by_place = |asked: &Asked| (asked.chain.clone(), asked.port, asked.number);
        let mut found: Vec<Asked> = Vec::new();
        let mut events = Vec::new();
        for entry in entries {
            match entry.what {
                What::Exchange(asked) => found.push(*asked),
                What::Event(happened) => events.push(happened.event),
            }
        }
        found.sort_by_key(by_place);
        let mut asked = asked;
        asked.sort_by_key(by_place);
        assert!(asked.len() > 50, "{} exchanges", asked.len());
        assert_eq!(found, asked);
        events.retain(|event| own.contains(event));
        assert_eq!(events, own);
    }
}

/// The exchanges of a turn go before its events.
#[tokio::test]
async fn the_order_of_a_turn() {
    let (_directory, journal, race) = played_race().await;
    let entries = rest(&mut Reader::new(journal, race, TeamId(1), 0)).await;
    let place = |wanted: &dyn Fn(&Entry) -> bool| entries.iter().position(wanted).expect("it is there");
    let starts = place(
        &|entry| matches!(&entry.what, What::Event(it) if matches!(it.event, Seen::Whole(Event::TurnStarted { turn }) if turn.0 == 2)),
    );
    let is_of_turn = |entry: &Entry| matches!(&entry.what, What::Exchange(asked) if asked.chain.starts_with("t2-") && !asked.chain.contains("command"));
    let last = entries.iter().rposition(is_of_turn).expect("it was asked something");
    assert!(last < starts && starts - last == 1, "{last} {starts}");
}

/// From wherever it is read, it is the same log.
#[tokio::test]
async fn it_goes_on_from_any_entry() {
    let (_directory, journal, race) = played_race().await;
    let all = rest(&mut Reader::new(journal.clone(), race.clone(), TeamId(2), 0)).await;
    for after in (0..=all.len()).step_by(13).chain([all.len() - 1, all.len(), all.len() + 5]) {
        let mut log = Reader::new(journal.clone(), race.clone(), TeamId(2), after as u64);
        let rest = rest(&mut log).await;
        assert_eq!(rest, all[after.min(all.len())..], "after {after}");
        assert_eq!(log.last(), all.len() as u64);
    }
}

/// Read while the race is played, it is the same log.
#[tokio::test]
async fn it_grows() {
    let directory = tempfile::tempdir().expect("a directory");
    let (mut log, mut read, mut looks) = (None, Vec::new(), 0);
    played::play(directory.path(), async |journal: &Journal| {
        if log.is_none() {
            let race = journal.race(&played::race_id()).await.expect("the race");
            log = Some(Reader::new(journal.clone(), race, TeamId(3), 0));
        }
        let new = rest(log.as_mut().expect("it was made")).await;
        looks += usize::from(!new.is_empty());
        read.extend(new);
    })
    .await;
    let (journal, race) = look(directory.path()).await;
    assert_eq!(read, rest(&mut Reader::new(journal, race, TeamId(3), 0)).await);
    assert!(looks > 8, "it has grown {looks} times");
}
