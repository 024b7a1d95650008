//! A thousand at once: one turn by one request id, and no team spends what it has not.

use super::calls::{BOUND, Race, TeamOf, admin, is_retryable, registration, rules, started, team};
use super::cars::Cars;
use super::served::{Served, settings};
use futures_util::future::join_all;
use gm_core::race::Event;
use gm_grpc::api::wire;
use gm_grpc::journal::{DataDirectory, Journal, RaceId, store};
use std::path::Path;
use tokio::time::timeout;
use tonic::transport::Channel;

/// How many call at once.
const CALLERS: usize = 1_000;
/// On how many connections: one carries 200 calls at once.
const CONNECTIONS: usize = 8;

async fn channels(served: &Served) -> Vec<Channel> {
    join_all((0..CONNECTIONS).map(|_| served.channel())).await
}

/// The events of a race, as they are on the disk.
pub(crate) async fn on_disk(data: &Path, race: &str) -> Vec<gm_grpc::journal::Numbered> {
    let directory = DataDirectory::look(data).expect("a data directory");
    let journal = Journal::open_to_read(directory).await.expect("a journal");
    let race = journal.race(&RaceId::parse(race).expect("an id")).await.expect("the race");
    let mut all = Vec::new();
    loop {
        let page = journal.events(&race, all.len() as u64).await.expect("events");
        if page.is_empty() {
            return all;
        }
        all.extend(page.into_iter().map(|event| store::numbered(&race, event).expect("an event")));
    }
}

#[tokio::test]
async fn a_turn_is_played_once_however_often_it_is_asked_for() {
    let data = tempfile::tempdir().expect("a directory");
    let (served, cars) = (Served::start(settings(data.path())).await, Cars::start().await);
    let channels = channels(&served).await;
    let mut first = admin(channels[0].clone(), &served.admin);
    let (race, _) = started(&mut first, &channels[0], &cars).await;
    let request = race.step(1);
    let calls = (0..CALLERS).map(|caller| {
        let mut admin = admin(channels[caller % CONNECTIONS].clone(), &served.admin);
        let request = request.clone();
        async move { admin.step_turn(request).await }
    });
    let answers = timeout(BOUND, join_all(calls)).await.expect("all are answered");
    let mut played = 0;
    for answer in answers {
        match answer {
            Ok(answer) => {
                let race = answer.into_inner().race.expect("the race");
                assert_eq!((race.turn, race.status()), (1, wire::RaceStatus::Running));
                played += 1;
            }
            Err(status) => assert!(is_retryable(&status), "{status:?}"),
        }
    }
    assert!(played > 0, "somebody is told");
    // Who asks again is told, too; nothing more is played.
    let again = first.step_turn(request).await.expect("the same answer").into_inner();
    assert_eq!(again.race.expect("the race").turn, 1);
    served.stop().await;
    let events = on_disk(data.path(), &race.id).await;
    let turns = events.iter().filter(|it| matches!(it.event, Event::TurnStarted { .. })).count();
    assert_eq!(turns, 1, "{played} were told");
}

/// A team with a budget of 100 dollars, for cars of 15 each.
async fn one_team(served: &Served, channel: &Channel) -> (Race, TeamOf) {
    let mut admin = admin(channel.clone(), &served.admin);
    let race = Race::create(&mut admin, wire::Rules { initial_budget: Some(100), ..rules() }).await;
    let of = race.team(&mut admin, "Red").await;
    (race, of)
}

/// What the requests came to: the cars that were registered, in order of the requests.
async fn register_all(
    channels: &[Channel],
    of: &TeamOf,
    requests: Vec<wire::TeamServiceRegisterCarRequest>,
) -> Vec<wire::OwnCar> {
    let calls = requests.into_iter().enumerate().map(|(caller, request)| {
        let mut team = team(channels[caller % CONNECTIONS].clone(), &of.secret);
        async move { (request.instance.clone(), team.register_car(request).await) }
    });
    let answers = timeout(BOUND, join_all(calls)).await.expect("all are answered");
    let mut registered = Vec::new();
    for (instance, answer) in answers {
        match answer.map(tonic::Response::into_inner) {
            Ok(wire::TeamServiceRegisterCarResponse { car: Some(own), reasons }) => {
                assert_eq!(reasons, Vec::<String>::new());
                assert_eq!(own.car.as_ref().expect("a car").instance, instance, "each is told of its own");
                registered.push(own);
            }
            Ok(refused) => assert!(!refused.reasons.is_empty(), "{instance}: why not?"),
            Err(status) => assert!(is_retryable(&status), "{instance}: {status:?}"),
        }
    }
    registered
}

/// That what was paid is what is missing, and how many cars the team has.
async fn assert_is_paid(data: &Path, channel: Channel, race: &Race, of: &TeamOf) -> usize {
    let own = team(channel, &of.secret).get_team(wire::GetTeamRequest {}).await.expect("a team").into_inner();
    let events = on_disk(data, &race.id).await;
    let paid = events.iter().filter_map(|it| match &it.event {
        Event::CarRegistered { paid, .. } => Some(paid.0),
        _ => None,
    });
    assert_eq!(own.budget + paid.sum::<u64>(), 100, "nothing is lost and nothing overspent");
    own.cars.len()
}

#[tokio::test]
async fn r_2_4_a_team_never_overspends_however_many_cars_it_registers_at_once() {
    let data = tempfile::tempdir().expect("a directory");
    let (served, cars) = (Served::start(settings(data.path())).await, Cars::start().await);
    let channels = channels(&served).await;
    let (race, of) = one_team(&served, &channels[0]).await;
    let requests = (0..CALLERS).map(|number| registration(&cars, &format!("car-{number}"))).collect();
    let registered = register_all(&channels, &of, requests).await;
    assert_eq!(registered.len(), 6, "as many as 100 dollars buy");
    assert_eq!(assert_is_paid(data.path(), channels[0].clone(), &race, &of).await, 6);
    served.stop().await;
}

#[tokio::test]
async fn r_2_4_one_request_id_is_one_registration() {
    let data = tempfile::tempdir().expect("a directory");
    let (served, cars) = (Served::start(settings(data.path())).await, Cars::start().await);
    let channels = channels(&served).await;
    let (race, of) = one_team(&served, &channels[0]).await;
    let registered = register_all(&channels, &of, vec![registration(&cars, "car-1"); CALLERS]).await;
    assert!(!registered.is_empty() && registered.iter().all(|car| *car == registered[0]));
    assert_eq!(assert_is_paid(data.path(), channels[0].clone(), &race, &of).await, 1);
    served.stop().await;
}
