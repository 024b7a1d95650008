//! Secrets in a data directory: those of cars are read back, those of the API are recognised, and neither is found in
//! any of its files by who has a copy of them.
//!
//! ```text
//! journal.set_api_secret(&race, team, "…")      journal.who("…")
//! ```

use car_reference::{Car, CarSettings};
use gm_core::contract::BaseUrl;
use gm_core::ids::TeamId;
use gm_core::race::{REVISION, Race, Rules};
use gm_core::random::Seed;
use gm_grpc::drive::{InspectorSetting, Secret};
use gm_grpc::journal::{
    Credential, DataDirectory, Journal, JournalError, Moment, NewRace, Numbers, Origin, RaceId, RaceRecord,
    Role, TokenId, TokenRecord,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tokio::net::TcpListener;

const CARS_SECRET: &str = "what-the-cars-of-red-are-sent";
const OTHER_CARS_SECRET: &str = "what-the-cars-of-blue-are-sent";
const API_SECRET: &str = "what-red-shows-to-the-api";
const OLD_API_SECRET: &str = "what-red-showed-before";
const NEW_CARS_SECRET: &str = "what-the-cars-of-a-new-team-are-sent";
const NEW_API_SECRET: &str = "what-a-new-team-shows-to-the-api";
const TOKEN_SECRET: &str = "what-the-admin-shows-to-the-api";
const RELAY: &str = "relay-of-red.example/a-path-that-nobody-knows";
const RED: TeamId = TeamId(1);
const BLUE: TeamId = TeamId(2);
const NEW: TeamId = TeamId(3);

/// The files of a directory in which these bytes are.
fn files_with(directory: &Path, bytes: &[u8]) -> BTreeSet<String> {
    let files =
        std::fs::read_dir(directory).expect("it can be read").map(|file| file.expect("a file").path());
    files
        .filter(|file| {
            let content = std::fs::read(file).expect("it can be read");
            content.windows(bytes.len()).any(|part| part == bytes)
        })
        .map(|file| file.file_name().expect("a name").to_string_lossy().into_owned())
        .collect()
}

/// None of the secrets is in any file, as it is or in hex digits; what is no secret is, so that this finds something.
#[track_caller]
fn nothing_in_clear(directory: &Path, secrets: &[&str], no_secret: &str) {
    for secret in secrets {
        assert_eq!(files_with(directory, secret.as_bytes()), BTreeSet::new(), "{secret} is there");
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(files_with(directory, hex.as_bytes()), BTreeSet::new(), "{secret} is there in hex digits");
    }
    assert_ne!(files_with(directory, no_secret.as_bytes()), BTreeSet::new(), "{no_secret} is not found");
}

async fn journal_in(directory: &Path) -> Journal {
    Journal::open(DataDirectory::open(directory).expect("free")).await.expect("a journal")
}

fn secret(text: &str) -> Secret {
    Secret::parse(text).expect("a secret")
}

async fn a_race(journal: &Journal, id: &str) -> RaceRecord {
    let (_, events) = Race::create(Rules::balanced().validated().expect("good rules"), Seed(1));
    let mut numbers = Numbers::default();
    let events: Vec<_> = events.into_iter().map(|event| numbers.next(event)).collect();
    let new = NewRace {
        id: RaceId::parse(id).expect("an id"),
        name: "Friday".to_owned(),
        seed: Seed(1),
        revision: REVISION,
        origin: Origin::Here,
        plan: None,
        secrets: BTreeMap::from([(RED, secret(CARS_SECRET))]),
        pace: None,
        private: false,
    };
    journal.create(new, &events, None).await.expect("a race")
}

/// Whether this is what a team shows to the API.
async fn is_api_secret(journal: &Journal, race: &RaceRecord, team: TeamId, shown: &str) -> bool {
    let whose = Credential::Team { race: race.id.clone(), team };
    journal.who(shown).await.expect("it is read") == Some(whose)
}

#[tokio::test]
async fn no_secret_is_in_clear_in_any_file() {
    let place = tempfile::tempdir().expect("a directory");
    let all = [
        CARS_SECRET,
        OTHER_CARS_SECRET,
        API_SECRET,
        OLD_API_SECRET,
        NEW_CARS_SECRET,
        NEW_API_SECRET,
        TOKEN_SECRET,
        RELAY,
    ];
    let journal = journal_in(place.path()).await;
    let race = a_race(&journal, "gm-secret").await;
    journal.set_secret(&race, BLUE, &secret(OTHER_CARS_SECRET), None).await.expect("it is set");
    journal.set_api_secret(&race, RED, OLD_API_SECRET, None).await.expect("it is set");
    journal.set_api_secret(&race, RED, API_SECRET, None).await.expect("it is set");
    assert!(
        journal
            .give_secrets(&race, NEW, &secret(NEW_CARS_SECRET), NEW_API_SECRET, None)
            .await
            .expect("given")
    );
    let relay = InspectorSetting::Relay { url: BaseUrl::parse(&format!("http://{RELAY}")).expect("a URL") };
    journal.set_inspector(&race, RED, &relay, None).await.expect("it is set");
    let admin = TokenRecord {
        id: TokenId::random(),
        role: Role::Admin,
        race: None,
        note: "Ann's".to_owned(),
        created_at: Moment::now(),
    };
    journal.create_token(&admin, TOKEN_SECRET, None).await.expect("it is made");
    // While it is open, all of it is in the log beside the database.
    assert!(files_with(place.path(), b"Friday").contains("gm.db-wal"));
    nothing_in_clear(place.path(), &all, "Friday");
    journal.close().await.expect("it closes");
    assert_eq!(files_with(place.path(), b"Friday"), BTreeSet::from(["gm.db".to_owned()]));
    nothing_in_clear(place.path(), &all, "Friday");

    let journal = journal_in(place.path()).await;
    let secrets = journal.secrets(&race).await.expect("they are read");
    let of_cars = [(RED, CARS_SECRET), (BLUE, OTHER_CARS_SECRET), (NEW, NEW_CARS_SECRET)];
    assert!(secrets == of_cars.map(|(team, text)| (team, secret(text))).into());
    assert_eq!(journal.inspectors(&race).await.expect("they are read"), BTreeMap::from([(RED, relay)]));
    assert_eq!(journal.who(TOKEN_SECRET).await.expect("it is read"), Some(Credential::Token(admin)));
    let new_team = Credential::Team { race: race.id.clone(), team: NEW };
    assert_eq!(journal.who(NEW_API_SECRET).await.expect("it is read"), Some(new_team));
    journal.close().await.expect("it closes");
}

#[tokio::test]
async fn who_shows_an_api_secret() {
    let place = tempfile::tempdir().expect("a directory");
    let journal = journal_in(place.path()).await;
    let (race, other) = (a_race(&journal, "gm-1").await, a_race(&journal, "gm-2").await);
    journal.set_api_secret(&race, RED, OLD_API_SECRET, None).await.expect("it is set");
    assert!(is_api_secret(&journal, &race, RED, OLD_API_SECRET).await);
    journal.set_api_secret(&race, RED, API_SECRET, None).await.expect("it is set");
    journal.set_api_secret(&race, TeamId(3), "three", None).await.expect("it is set");
    // A new secret of the cars leaves it as it is, and it them.
    journal.set_secret(&race, RED, &secret("new"), None).await.expect("it is set");
    assert!(journal.secrets(&race).await.expect("they are read")[&RED] == secret("new"));

    let reader = Journal::open_to_read(DataDirectory::look(place.path()).expect("a journal")).await;
    let reader = reader.expect("it opens");
    for (race, team, shown, expected) in [
        (&race, RED, API_SECRET, true),
        (&race, RED, OLD_API_SECRET, false),
        (&race, RED, CARS_SECRET, false),
        (&race, RED, "new", false),
        (&race, RED, "", false),
        (&race, RED, "what-red-shows-to-the-ap", false),
        (&race, RED, "what-red-shows-to-the-api ", false),
        (&race, TeamId(3), "three", true),
        (&race, TeamId(3), API_SECRET, false),
        (&race, BLUE, API_SECRET, false),
        (&race, BLUE, "", false),
        (&other, RED, API_SECRET, false),
        (&other, RED, "", false),
    ] {
        for journal in [&journal, &reader] {
            let is = is_api_secret(journal, race, team, shown).await;
            assert_eq!(is, expected, "{} of race {}, team {team}", shown, race.id);
        }
    }
    let refused = reader.set_api_secret(&race, RED, "another", None).await;
    assert!(matches!(refused, Err(JournalError::OnlyRead)), "{refused:?}");

    journal.forget(race.key).await.expect("it is forgotten");
    assert!(!is_api_secret(&journal, &race, RED, API_SECRET).await);
    reader.close().await.expect("it closes");
    journal.close().await.expect("it closes");
}

/// A car that answers only who knows its team's secret (C-20), as the race file names it.
async fn a_car(instance: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let settings = CarSettings { secret: Some(CARS_SECRET.to_owned().into()), ..CarSettings::new(instance) };
    tokio::spawn(car_reference::serve(Car::in_memory(settings), listener, std::future::pending()));
    format!("[[team.car]]\ninstance = '{instance}'\nurl = 'http://{address}'\n")
}

/// Runs a race, and lets the process die where it is said.
async fn gm_run(race: PathBuf, data: PathBuf, out: PathBuf, dies_at: Option<&'static str>) -> Output {
    let mut gm = Command::new(env!("CARGO_BIN_EXE_gm"));
    gm.arg("run")
        .arg(race)
        .arg("--resume")
        .arg("--data")
        .arg(data)
        .arg("--out")
        .arg(out)
        .args(["--pace", "0"]);
    gm.envs(dies_at.map(|point| ("GM_TEST_KILL_AT", point)));
    tokio::task::spawn_blocking(move || gm.output()).await.expect("no panic").expect("gm was built")
}

/// C-20: it is sent to the cars, and is nowhere else: not when the process was killed, not when the race is over, not in
/// what is written about it.
#[tokio::test(flavor = "multi_thread")]
async fn c_20_the_secret_of_the_cars_stays_out_of_a_whole_race() {
    let place = tempfile::tempdir().expect("a directory");
    let path = |name: &str| place.path().join(name);
    let (file, data, out) = (path("race.toml"), path("data"), path("out.jsonl"));
    let race = format!(
        "seed = 3\n[rules]\nmax_turns = 4\n[[team]]\nname = 'Red'\nsecret = '{CARS_SECRET}'\n{}{}",
        a_car("red-one").await,
        a_car("red-two").await
    );
    std::fs::write(&file, race).expect("a race file");
    // A release build does not die, and plays the race at once.
    for dies_at in [Some("kept:25"), None] {
        let said = gm_run(file.clone(), data.clone(), out.clone(), dies_at).await;
        let (stdout, stderr) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
        assert!(said.status.success() || dies_at.is_some(), "{stderr}");
        nothing_in_clear(&data, &[CARS_SECRET], "red-two");
        assert!(!stdout.contains(CARS_SECRET) && !stderr.contains(CARS_SECRET), "{stdout}{stderr}");
    }
    let written = std::fs::read_to_string(&out).expect("the events");
    assert!(written.contains("race_finished") && !written.contains(CARS_SECRET), "{written}");
}
