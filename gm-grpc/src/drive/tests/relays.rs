//! I-3: how a relay is asked, and what each kind of bad answer comes to.

use super::raw::{Act, RawServer, json, say};
use super::*;
use crate::drive::{HttpInspector, InspectorSetting, Inspectors};
use gm_core::contract::Answer;
use gm_core::ports::{Inspector, InspectorFault};
use std::future::Future;
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout};

/// Longer than anything here takes.
const BOUND: Duration = Duration::from_secs(60);

/// A world in which team 7 has a relay here.
fn world_with(url: &str, change: impl FnOnce(&mut Settings)) -> HttpWorld {
    let mut settings = settings();
    let url = BaseUrl::parse(url).expect("a URL");
    settings.inspectors =
        Arc::new(Inspectors::of(BTreeMap::from([(TeamId(7), InspectorSetting::Relay { url })])));
    change(&mut settings);
    HttpWorld::new(settings).expect("good settings")
}

fn inspector_of(world: &HttpWorld) -> HttpInspector {
    world.inspector(chain(Topic::SpotCheck), TeamId(7)).expect("it has one")
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// I-3: the four requests behind a base URL with a path of its own, on one connection, and all of their headers. The
/// secret of the cars is not for a relay.
#[tokio::test]
async fn i_3_what_a_relay_is_asked() {
    let server = RawServer::start(|number, _| {
        let answers =
            [r#"{"res":["V8","V 6"]}"#, r#"{"res":2}"#, r#"{"res":[]}"#, r#"{"res":"car.example:81"}"#];
        vec![json(answers[number])]
    })
    .await;
    let world = world_with(&format!("{}/prod/", server.url()), |_| {});
    let mut inspector = inspector_of(&world);
    assert_eq!(inspector.engines("red engines").await, Ok(strings(&["V8", "V 6"])));
    assert_eq!(inspector.pilots("red/pilots").await, Ok(2));
    assert_eq!(inspector.weapons("..").await, Ok(Vec::new()));
    assert_eq!(server.connections(), 1, "one conversation, one connection");
    let found = world.resolve(chain(Topic::Track), TeamId(7), "i-0abc").await;
    assert_eq!(found, Some(BaseUrl::parse("http://car.example:81").expect("a URL")));
    let requests = server.requests();
    let lines: Vec<&str> = requests.iter().map(|seen| seen.line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "GET /prod/Engines/red%20engines HTTP/1.1",
            "GET /prod/Pilots/red%2Fpilots HTTP/1.1",
            "GET /prod/Weapons/%2E%2E HTTP/1.1",
            "GET /prod/Instance/i-0abc HTTP/1.1",
        ]
    );
    for seen in &requests {
        let mut headers = seen.headers.clone();
        headers.sort();
        let host = format!("host: 127.0.0.1:{}", server.port);
        assert_eq!(headers, [host, format!("user-agent: gm/{}", env!("CARGO_PKG_VERSION"))]);
        assert_eq!(seen.body, "");
    }
}

/// I-1: a team without an inspector, and what is set while the race is played.
#[tokio::test]
async fn i_1_who_has_an_inspector() {
    let inspectors = Arc::new(Inspectors::default());
    let mut settings = settings();
    settings.inspectors = Arc::clone(&inspectors);
    let world = HttpWorld::new(settings).expect("good settings");
    let has = |team| world.inspector(chain(Topic::Track), TeamId(team)).is_some();
    let relay = InspectorSetting::Relay { url: BaseUrl::parse("http://relay").expect("a URL") };
    assert_eq!([has(7), has(8)], [false, false]);
    assert_eq!(world.resolve(chain(Topic::Track), TeamId(7), "i-0abc").await, None);
    inspectors.set(TeamId(7), relay.clone());
    assert_eq!([has(7), has(8)], [true, false]);
    inspectors.set(TeamId(7), InspectorSetting::None);
    assert_eq!([has(7), has(8)], [false, false]);
    inspectors.replace(BTreeMap::from([(TeamId(8), relay)]));
    assert_eq!([has(7), has(8)], [false, true]);
}

/// Asks a relay that does this for engines, pilots and an instance, and checks what comes of it within the deadline.
#[track_caller]
fn check(
    name: &str,
    act: Act,
    engines: Result<&[&str], InspectorFault>,
    pilots: Result<u64, InspectorFault>,
    instance: Option<&str>,
) {
    in_runtime(async {
        let server = RawServer::start(move |_, _| vec![act.clone()]).await;
        let world = world_with(&server.url(), |_| {});
        let begin = Instant::now();
        let mut inspector = inspector_of(&world);
        let read = inspector.engines("bucket").await;
        assert_eq!(read, engines.map(strings), "{name}: engines");
        assert_eq!(inspector.weapons("table").await, engines.map(strings), "{name}: weapons");
        assert_eq!(inspector.pilots("queue").await, pilots, "{name}: pilots");
        let found = world.resolve(chain(Topic::Track), TeamId(7), "i-0abc").await;
        assert_eq!(found.as_ref().map(BaseUrl::as_str), instance, "{name}: instance");
        assert!(begin.elapsed() < 6 * DEADLINE, "{name}: took {:?}", begin.elapsed());
        assert_eq!(server.requests().len(), 4, "{name}: each is asked once");
    });
}

#[track_caller]
fn in_runtime(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { timeout(BOUND, test).await.expect("it ends") });
}

/// I-3, I-4: what a relay answers, and what is made of it.
#[test]
fn i_3_i_4_answers_and_faults() {
    use InspectorFault::{Denied, Malformed, NoSuchResource, Unavailable};
    let fails = |name: &str, act, fault| check(name, act, Err(fault), Err(fault), None);
    let status = |line: &str| say(&format!("HTTP/1.1 {line}\ncontent-length: 11\n\n{{\"res\":[]}} "));
    fails("401", status("401 Unauthorized"), Denied);
    fails("403", status("403 Forbidden"), Denied);
    fails("404", status("404 Not Found"), NoSuchResource);
    fails("500", status("500 Internal Server Error"), Unavailable);
    fails("201", status("201 Created"), Unavailable);
    fails("a redirect", say("HTTP/1.1 302 Found\nlocation: /x\ncontent-length: 0\n\n"), Unavailable);
    fails("a page", json("<html>"), Unavailable);
    fails("nothing", json(""), Unavailable);
    fails("no envelope", json("[]"), Unavailable);
    fails("an empty envelope", json("{}"), Unavailable);
    fails("half an answer", json(r#"{"res":["#), Unavailable);
    fails("null", json(r#"{"res":null}"#), Malformed);
    fails("a map", json(r#"{"res":{}}"#), Malformed);
    fails("a negative number", json(r#"{"res":-1}"#), Malformed);
    fails("half a pilot", json(r#"{"res":1.5}"#), Malformed);
    fails("names that are none", json(r#"{"res":["V8",6]}"#), Malformed);
    fails("a URL for a host", json(r#"{"res":"http://car.example"}"#), Malformed);
    fails("an empty host", json(r#"{"res":""}"#), Malformed);
    fails("a host with a blank", json(r#"{"res":"a car"}"#), Malformed);
    fails("not HTTP", say("V8\n\n"), Unavailable);
    fails("closes", Act::Close, Unavailable);
    fails("silence", Act::Silence, Unavailable);
    fails("too large", json(&format!(r#"{{"res":["{}"]}}"#, "A".repeat(Answer::MAX_BODY))), Unavailable);
    check("names", json(r#"{"res":["V8"],"more":1}"#), Ok(&["V8"]), Err(Malformed), None);
    check("a number", json(r#"{"res":3}"#), Err(Malformed), Ok(3), None);
    check(
        "a host",
        json(r#"{"res":"Car.Example"}"#),
        Err(Malformed),
        Err(Malformed),
        Some("http://car.example"),
    );
}

/// I-4: nobody is there.
#[tokio::test]
async fn i_4_no_relay_is_there() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    drop(listener);
    let world = world_with(&url, |_| {});
    assert_eq!(inspector_of(&world).pilots("queue").await, Err(InspectorFault::Unavailable));
    assert_eq!(world.resolve(chain(Topic::Track), TeamId(7), "i-0abc").await, None);
}

/// A relay is where cars may be, and nowhere else.
#[tokio::test]
async fn a_relay_on_a_private_address_is_not_asked() {
    let server = RawServer::start(|_, _| vec![json(r#"{"res":1}"#)]).await;
    for url in [server.url(), format!("http://localhost:{}", server.port)] {
        let world = world_with(&url, |settings| settings.allow_private = false);
        assert_eq!(inspector_of(&world).pilots("queue").await, Err(InspectorFault::Unavailable), "{url}");
    }
    assert_eq!(server.connections(), 0);
}

/// R-7.9: readings wait for a free place among all requests, and their deadline begins only then.
#[tokio::test]
async fn r_7_9_a_relay_counts_among_the_requests_under_way() {
    let server = RawServer::start(|_, _| vec![Act::Pause(DEADLINE / 2), json(r#"{"res":1}"#)]).await;
    let world = world_with(&server.url(), |settings| settings.limits.in_flight = 1);
    let read = || async { inspector_of(&world).pilots("queue").await };
    let (a, b, c) = tokio::join!(read(), read(), read());
    assert_eq!([a, b, c], [Ok(1); 3]);
    assert_eq!(server.most_under_way(), 1);
}

/// R-2.1: the static table goes before the relay.
#[tokio::test]
async fn r_2_1_the_table_goes_before_the_relay() {
    let server = RawServer::start(|_, _| vec![json(r#"{"res":"relayed.example"}"#)]).await;
    let listed = BaseUrl::parse("http://listed.example").expect("a URL");
    let world = world_with(&server.url(), |settings| {
        settings.instances.insert("i-listed".into(), listed.clone());
    });
    let chain = chain(Topic::Track);
    assert_eq!(world.resolve(chain, TeamId(7), "i-listed").await, Some(listed));
    assert!(server.requests().is_empty());
    assert!(world.resolve(chain, TeamId(7), "i-other").await.is_some());
    assert_eq!(world.resolve(chain, TeamId(8), "i-other").await, None, "not its relay");
    assert_eq!(server.requests().len(), 1);
}
