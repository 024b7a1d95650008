//! Tokens, secrets and calls: whose a secret is, what is refused, and what is written once.

use super::*;
use crate::drive::{InspectorSetting, Secret};
use crate::journal::{
    Commit, DataDirectory, Decision, DecisionKind, DecisionNo, NewRace, Numbered, Numbers, Origin,
    RaceRecord, Visible,
};
use gm_core::contract::BaseUrl;
use gm_core::ids::TurnNo;
use gm_core::race::{REVISION, Race, Rules};
use gm_core::random::Seed;
use std::collections::BTreeMap;
use std::time::Duration;
use tempfile::TempDir;

const RED: TeamId = TeamId(1);
const BLUE: TeamId = TeamId(2);

async fn a_journal() -> (TempDir, Journal) {
    let place = tempfile::tempdir().expect("a directory");
    let journal = Journal::open(DataDirectory::open(place.path()).expect("free")).await.expect("a journal");
    (place, journal)
}

fn new_race(id: &str) -> (NewRace, Vec<Numbered>) {
    let (_, events) = Race::create(Rules::balanced().validated().expect("good rules"), Seed(1));
    let mut numbers = Numbers::default();
    let new = NewRace {
        id: RaceId::parse(id).expect("an id"),
        name: "Friday".to_owned(),
        seed: Seed(1),
        revision: REVISION,
        origin: Origin::Here,
        plan: None,
        secrets: BTreeMap::new(),
        pace: None,
        private: false,
    };
    (new, events.into_iter().map(|event| numbers.next(event)).collect())
}

async fn a_race(journal: &Journal, id: &str) -> RaceRecord {
    let (new, events) = new_race(id);
    journal.create(new, &events, None).await.expect("a race")
}

fn token(role: Role, race: Option<&RaceRecord>, at: i64) -> TokenRecord {
    let race = race.map(|race| race.id.clone());
    TokenRecord { id: TokenId::random(), role, race, note: "Ann's".to_owned(), created_at: Moment(at) }
}

fn a_call(request_id: &str) -> Call {
    Call {
        request_id: request_id.to_owned(),
        rpc: "Test/Do".to_owned(),
        digest: secrets::fingerprint(request_id),
        answer: b"done".to_vec(),
    }
}

fn secret(text: &str) -> Secret {
    Secret::parse(text).expect("a secret")
}

fn relay(url: &str) -> InspectorSetting {
    InspectorSetting::Relay { url: BaseUrl::parse(url).expect("a URL") }
}

/// A text, and whether it names a token.
#[test]
fn the_name_of_a_token() {
    for (text, is_one) in [
        ("tok-0123456789abcdef", true),
        ("tok-0123456789ABCDEF", false),
        ("tok-0123456789abcde", false),
        ("tok-0123456789abcdef0", false),
        ("tok-0123456789abcdeg", false),
        ("0123456789abcdef", false),
        ("tok-", false),
        ("", false),
    ] {
        assert_eq!(TokenId::parse(text).is_ok(), is_one, "{text:?}");
    }
    assert_ne!(TokenId::random(), TokenId::random());
}

#[tokio::test]
async fn whose_a_secret_is() {
    let (_place, journal) = a_journal().await;
    let (friday, monday) = (a_race(&journal, "gm-1").await, a_race(&journal, "gm-2").await);
    let (admin, observer) = (token(Role::Admin, None, 1), token(Role::Observer, Some(&monday), 2));
    assert!(!journal.has_admin().await.expect("read"));
    journal.create_token(&observer, "the observer's", None).await.expect("made");
    let of_one_race = token(Role::Admin, Some(&friday), 3);
    journal.create_token(&of_one_race, "of one race", None).await.expect("made");
    assert!(!journal.has_admin().await.expect("read"), "neither is one of all races");
    journal.create_token(&admin, "the admin's", None).await.expect("made");
    assert!(journal.has_admin().await.expect("read"));
    journal.set_api_secret(&friday, RED, "red's", None).await.expect("set");
    journal.set_api_secret(&friday, BLUE, "blue's first", None).await.expect("set");
    journal.set_api_secret(&friday, BLUE, "blue's", None).await.expect("set");
    journal.set_api_secret(&monday, RED, "red's on monday", None).await.expect("set");
    journal.set_secret(&friday, RED, &secret("what-cars-are-sent"), None).await.expect("set");

    let team = |race: &RaceRecord, team| Some(Credential::Team { race: race.id.clone(), team });
    let rows = [
        ("the admin's", Some(Credential::Token(admin.clone()))),
        ("the observer's", Some(Credential::Token(observer.clone()))),
        ("red's", team(&friday, RED)),
        ("blue's", team(&friday, BLUE)),
        ("red's on monday", team(&monday, RED)),
        ("blue's first", None),
        ("what-cars-are-sent", None),
        ("the admin's ", None),
        ("", None),
    ];
    for (shown, whose) in &rows {
        assert_eq!(&journal.who(shown).await.expect("read"), whose, "{shown:?}");
    }
    for (id, found) in [(&admin.id, Some(&admin)), (&TokenId::random(), None)] {
        assert_eq!(journal.token(id).await.expect("read").as_ref(), found);
    }

    // With a race goes all that is good for it alone.
    journal.forget(monday.key).await.expect("forgotten");
    assert_eq!(journal.who("red's on monday").await.expect("read"), None);
    assert_eq!(journal.who("the observer's").await.expect("read"), None);
    assert_eq!(journal.token(&observer.id).await.expect("read"), None);
    assert_eq!(journal.tokens(None, 10).await.expect("read"), [of_one_race, admin]);
    journal.close().await.expect("closed");
}

/// A secret, who has it already, and that nobody else is given it; nothing is written then.
#[tokio::test]
async fn nobody_has_anothers_secret() {
    let (_place, journal) = a_journal().await;
    let (friday, monday) = (a_race(&journal, "gm-1").await, a_race(&journal, "gm-2").await);
    let (admin, revoked) = (token(Role::Admin, None, 1), token(Role::Observer, None, 2));
    journal.create_token(&admin, "a token's", None).await.expect("made");
    journal.create_token(&revoked, "a revoked token's", None).await.expect("made");
    let done = journal.revoke_token(&revoked.id, None).await.expect("revoked");
    assert_eq!(done, Revoked::Done(revoked));
    journal.set_api_secret(&friday, RED, "a team's", None).await.expect("set");

    for (number, taken) in ["a token's", "a revoked token's", "a team's"].into_iter().enumerate() {
        let call = a_call(&format!("call-{number}"));
        let made = journal.create_token(&token(Role::Observer, None, 3), taken, Some(&call)).await;
        assert!(matches!(made, Err(JournalError::SecretTaken)), "{taken}: {made:?}");
        for (race, team) in [(&friday, BLUE), (&monday, RED)] {
            let set = journal.set_api_secret(race, team, taken, Some(&call)).await;
            assert!(matches!(set, Err(JournalError::SecretTaken)), "{taken}: {set:?}");
            let given = journal.give_secrets(race, team, &secret("cars"), taken, None).await;
            assert!(matches!(given, Err(JournalError::SecretTaken)), "{taken}: {given:?}");
        }
        assert_eq!(journal.call(&call.request_id).await.expect("read"), None);
    }
    assert_eq!(journal.tokens(None, 10).await.expect("read"), [admin]);
    assert_eq!(journal.secrets(&monday).await.expect("read"), BTreeMap::new());
    // To set one's own again takes it from nobody.
    journal.set_api_secret(&friday, RED, "a team's", None).await.expect("set");
    journal.close().await.expect("closed");
}

#[tokio::test]
async fn a_new_team_is_given_its_secrets_once() {
    let (_place, journal) = a_journal().await;
    let race = a_race(&journal, "gm-1").await;
    assert!(journal.give_secrets(&race, RED, &secret("cars"), "red's", None).await.expect("given"));
    assert!(!journal.give_secrets(&race, RED, &secret("others"), "another", None).await.expect("looked"));
    let red = Credential::Team { race: race.id.clone(), team: RED };
    assert_eq!(journal.who("red's").await.expect("read"), Some(red));
    assert_eq!(journal.who("another").await.expect("read"), None);
    assert_eq!(journal.secrets(&race).await.expect("read"), BTreeMap::from([(RED, secret("cars"))]));
    // An inspector alone is no secret, and stays.
    journal.set_inspector(&race, BLUE, &relay("http://relay"), None).await.expect("set");
    assert!(journal.give_secrets(&race, BLUE, &secret("blue-cars"), "blue's", None).await.expect("given"));
    assert_eq!(journal.inspectors(&race).await.expect("read")[&BLUE], relay("http://relay"));
    // One of the two is enough to keep it.
    journal.set_secret(&race, TeamId(3), &secret("planned"), None).await.expect("set");
    assert!(!journal.give_secrets(&race, TeamId(3), &secret("new"), "three's", None).await.expect("looked"));
    assert_eq!(journal.who("three's").await.expect("read"), None);
    journal.close().await.expect("closed");
}

#[tokio::test]
async fn the_last_admin_stays() {
    let (_place, journal) = a_journal().await;
    let race = a_race(&journal, "gm-1").await;
    let (ann, bob) = (token(Role::Admin, None, 1), token(Role::Admin, None, 2));
    let (of_one_race, observer) = (token(Role::Admin, Some(&race), 3), token(Role::Observer, None, 4));
    for (token, secret) in [(&ann, "ann"), (&bob, "bob"), (&of_one_race, "one race"), (&observer, "observer")]
    {
        journal.create_token(token, secret, None).await.expect("made");
    }
    // Both at once: one of them is the last then.
    let both = tokio::join!(journal.revoke_token(&ann.id, None), journal.revoke_token(&bob.id, None));
    let (done, kept) = match (both.0.expect("looked"), both.1.expect("looked")) {
        (Revoked::Done(ann), Revoked::LastAdmin) => (ann, bob),
        (Revoked::LastAdmin, Revoked::Done(bob)) => (bob, ann),
        other => panic!("{other:?}"),
    };
    let call = a_call("again");
    for (id, became) in [
        (&done.id, Revoked::NotThere),
        (&TokenId::random(), Revoked::NotThere),
        (&kept.id, Revoked::LastAdmin),
    ] {
        assert_eq!(journal.revoke_token(id, Some(&call)).await.expect("looked"), became);
    }
    assert_eq!(journal.call("again").await.expect("read"), None, "nothing was done");
    assert!(journal.has_admin().await.expect("read"));
    for token in [of_one_race, observer] {
        let became = journal.revoke_token(&token.id, None).await.expect("looked");
        assert_eq!(became, Revoked::Done(token));
    }
    for shown in ["one race", "observer"] {
        assert_eq!(journal.who(shown).await.expect("read"), None, "{shown}");
    }
    assert_eq!(journal.tokens(None, 10).await.expect("read"), [kept]);
    journal.close().await.expect("closed");
}

/// Each change, made twice at once by calls with one request id: one is made, and the other is told so.
#[tokio::test]
async fn two_at_once_with_one_request_id_make_one() {
    let (_place, journal) = a_journal().await;
    let race = a_race(&journal, "gm-1").await;
    let (admin, observer) = (token(Role::Admin, None, 1), token(Role::Observer, None, 2));
    journal.create_token(&observer, "observer", None).await.expect("made");

    let (one, other) = (token(Role::Observer, None, 3), token(Role::Observer, None, 4));
    let call = a_call("token");
    once(
        &journal,
        &call,
        tokio::join!(
            journal.create_token(&one, "one", Some(&call)),
            journal.create_token(&other, "other", Some(&call))
        ),
    )
    .await;
    assert_eq!(journal.tokens(None, 10).await.expect("read"), [one, observer.clone()]);

    journal.create_token(&admin, "admin", None).await.expect("made");
    let call = a_call("revoke");
    let revoke = || async { journal.revoke_token(&observer.id, Some(&call)).await.map(drop) };
    // Each looks for the token before it writes, so either may be the first.
    let (one, other) = tokio::join!(revoke(), revoke());
    once(&journal, &call, if one.is_ok() { (one, other) } else { (other, one) }).await;

    let call = a_call("cars");
    let (new, newer) = (secret("new"), secret("newer"));
    once(
        &journal,
        &call,
        tokio::join!(
            journal.set_secret(&race, RED, &new, Some(&call)),
            journal.set_secret(&race, RED, &newer, Some(&call))
        ),
    )
    .await;
    assert_eq!(journal.secrets(&race).await.expect("read")[&RED], new);

    let call = a_call("api");
    once(
        &journal,
        &call,
        tokio::join!(
            journal.set_api_secret(&race, RED, "first", Some(&call)),
            journal.set_api_secret(&race, RED, "second", Some(&call))
        ),
    )
    .await;
    assert_eq!(journal.who("second").await.expect("read"), None);

    let call = a_call("inspector");
    let (here, there) = (relay("http://here"), relay("http://there"));
    once(
        &journal,
        &call,
        tokio::join!(
            journal.set_inspector(&race, RED, &here, Some(&call)),
            journal.set_inspector(&race, RED, &there, Some(&call))
        ),
    )
    .await;
    assert_eq!(journal.inspectors(&race).await.expect("read")[&RED], here);

    let call = a_call("race");
    let create = |id: &'static str| {
        let ((new, events), journal, call) = (new_race(id), &journal, &call);
        async move { journal.create(new, &events, Some(call)).await.map(drop) }
    };
    once(&journal, &call, tokio::join!(create("gm-2"), create("gm-3"))).await;
    let ids: Vec<String> =
        journal.races().await.expect("read").iter().map(|race| race.id.to_string()).collect();
    assert_eq!(ids, ["gm-1", "gm-2"]);
    journal.close().await.expect("closed");
}

/// The first was made and its call is kept as it was; the second was told so.
async fn once(
    journal: &Journal,
    call: &Call,
    (first, second): (Result<(), JournalError>, Result<(), JournalError>),
) {
    assert!(first.is_ok(), "{}: {first:?}", call.request_id);
    assert!(
        matches!(&second, Err(JournalError::CallExists(id)) if *id == call.request_id),
        "{}: {second:?}",
        call.request_id
    );
    assert_eq!(journal.call(&call.request_id).await.expect("read").as_ref(), Some(call));
}

/// What can't be done is not called done.
#[tokio::test]
async fn a_call_that_fails_is_not_kept() {
    let (_place, journal) = a_journal().await;
    let race = a_race(&journal, "gm-1").await;
    let call = a_call("call");
    let (new, events) = new_race("gm-1");
    let made = journal.create(new, &events, Some(&call)).await;
    assert!(matches!(made, Err(JournalError::RaceExists(_))), "{made:?}");
    journal.forget(race.key).await.expect("forgotten");
    let made = journal.create_token(&token(Role::Admin, Some(&race), 1), "x", Some(&call)).await;
    assert!(matches!(made, Err(JournalError::NoSuchRace(_))), "{made:?}");
    let set = journal.set_secret(&race, RED, &secret("cars"), Some(&call)).await;
    assert!(matches!(set, Err(JournalError::Database(_))), "{set:?}");
    assert_eq!(journal.call("call").await.expect("read"), None);
    assert_eq!(journal.who("x").await.expect("read"), None);
    journal.close().await.expect("closed");
}

#[tokio::test]
async fn tokens_and_races_page_by_page() {
    let (_place, journal) = a_journal().await;
    // Two of each moment: the id tells them apart.
    let mut tokens: Vec<TokenRecord> = (0..7).map(|n| token(Role::Observer, None, n / 2)).collect();
    for (number, token) in tokens.iter().enumerate() {
        journal.create_token(token, &format!("secret {number}"), None).await.expect("made");
    }
    tokens.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    let mut paged = Vec::new();
    let mut before = None;
    for expected in [3, 3, 1, 0] {
        let page = journal.tokens(before.clone(), 3).await.expect("read");
        assert_eq!(page.len(), expected);
        before = page.last().map(|last| (last.created_at, last.id.clone())).or(before);
        paged.extend(page);
    }
    assert_eq!(paged, tokens);

    for number in 0..5 {
        let (mut new, events) = new_race(&format!("gm-{number}"));
        new.private = number % 2 == 1;
        journal.create(new, &events, None).await.expect("made");
    }
    let third = RaceId::parse("gm-3").expect("an id");
    for (visible, expected) in [
        (Visible::All, ["gm-4", "gm-3", "gm-2", "gm-1", "gm-0"].as_slice()),
        (Visible::PublicAnd(None), ["gm-4", "gm-2", "gm-0"].as_slice()),
        (Visible::PublicAnd(Some(&third)), ["gm-4", "gm-3", "gm-2", "gm-0"].as_slice()),
    ] {
        let (mut before, mut paged) = (None, Vec::new());
        for _ in 0..expected.len() {
            let page = journal.races_page(before, 1, visible).await.expect("read");
            let [race] = &page[..] else { panic!("{} races", page.len()) };
            before = Some((race.created_at, race.id.clone()));
            assert_eq!(race.private, ["gm-1", "gm-3"].contains(&race.id.as_str()));
            paged.push(race.id.to_string());
        }
        assert_eq!(paged, expected);
        assert!(journal.races_page(before, 1, visible).await.expect("read").is_empty());
        let two = journal.races_page(None, 2, visible).await.expect("read");
        assert_eq!(two.iter().map(|race| race.id.as_str()).collect::<Vec<_>>(), expected[..2]);
    }
    journal.close().await.expect("closed");
}

/// What is set while a decision is open holds from the next one on, however often it is set.
#[tokio::test]
async fn i_3_an_inspector_holds_from_the_next_decision_on() {
    let (_place, journal) = a_journal().await;
    let race = a_race(&journal, "gm-1").await;
    let (_, after) = Race::create(Rules::balanced().validated().expect("good rules"), Seed(1));
    let state = Race::from_events(&after).expect("a race");
    let last_seq = after.len() as u64;
    let begin = async |no: u64| {
        let decision =
            Decision { no: DecisionNo(no), kind: DecisionKind::Commands, turn: TurnNo(0), arrivals: vec![] };
        journal.begin(race.key, &decision, vec![]).await.expect("begun");
    };
    let commit = async |no: u64| {
        let commit = Commit {
            decision: DecisionNo(no),
            events: vec![],
            last_seq,
            settled: vec![],
            reasons: vec![],
            ran: Duration::ZERO,
            finished: false,
        };
        journal.commit(race.key, &commit, &state).await.expect("committed");
    };
    let set = async |url: Option<&str>| {
        let inspector = url.map_or(InspectorSetting::None, relay);
        journal.set_inspector(&race, RED, &inspector, None).await.expect("set");
    };
    let holds_for = async |no: u64| {
        let inspectors = journal.inspectors_for(&race, DecisionNo(no)).await.expect("read");
        assert!(inspectors.keys().all(|team| *team == RED));
        match inspectors.get(&RED) {
            None => "nothing".to_owned(),
            Some(InspectorSetting::None) => "none".to_owned(),
            Some(InspectorSetting::Relay { url }) => url.to_string(),
        }
    };

    begin(2).await;
    set(Some("http://a")).await;
    assert_eq!([holds_for(2).await, holds_for(3).await], ["nothing", "http://a"]);
    set(Some("http://b")).await;
    assert_eq!([holds_for(2).await, holds_for(3).await], ["nothing", "http://b"]);
    commit(2).await;
    set(Some("http://c")).await;
    assert_eq!(holds_for(3).await, "http://c", "nothing was begun since");
    begin(3).await;
    set(None).await;
    set(Some("http://d")).await;
    set(None).await;
    assert_eq!([holds_for(3).await, holds_for(4).await], ["http://c", "none"]);
    assert_eq!(journal.inspectors(&race).await.expect("read")[&RED], InspectorSetting::None);
    commit(3).await;
    begin(4).await;
    assert_eq!(holds_for(4).await, "none");
    journal.close().await.expect("closed");
}
