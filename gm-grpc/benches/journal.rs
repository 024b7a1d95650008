//! What the journal costs: turns per second of a race of 50 cars that answer at once, with it and without it.
//!
//! ```sh
//! cargo bench -p gm-grpc --bench journal
//! ```
//!
//! The cars are reference cars over HTTP on the loopback: nobody thinks, and nothing is far away. They are in a process of
//! their own, as the cars of a race are, and then in this one, where the journal's share is as large as it can be. Both
//! ways take turns in one run, each time with new cars and the same seed; what counts is the ratio. The same is done with
//! cars in memory, where a turn costs nearly nothing but what the journal writes: that is the price in milliseconds.

use car_reference::{Car, CarSettings, StrategyName};
use fight_lambda_reference::Mind;
use gm_core::contract::{BaseUrl, DuelUrl, Modules};
use gm_core::ids::{CommandNo, TeamId, TurnNo};
use gm_core::memory::{MemoryCar, MemoryWorld};
use gm_core::race::command::{self, Application, Arrival, Command as Order};
use gm_core::race::{REVISION, Race, Rules, ValidRules, turn};
use gm_core::random::Seed;
use gm_grpc::control::{Races, Setting, Settings, Worlds};
use gm_grpc::drive::{self, HttpWorld};
use gm_grpc::durable::LiveWorld;
use gm_grpc::journal::{DataDirectory, Journal, NewRace, Origin, RaceId};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

const TEAMS: u32 = 5;
const CARS: u32 = 10;
const TURNS: u32 = 20;
const ROUNDS: usize = 7;
const SEED: Seed = Seed(5);

fn rules() -> ValidRules {
    let rules = Rules { initial_budget: 1_000, random_bonuses: 15, ..Rules::balanced() };
    rules.validated().expect("good rules")
}

fn names() -> impl Iterator<Item = (u32, String)> {
    (1..=TEAMS).flat_map(|team| (1..=CARS).map(move |car| (team, format!("car-{team}-{car}"))))
}

fn set_up() -> Vec<Order> {
    let teams = (1..=TEAMS).map(|team| Order::CreateTeam { name: format!("Team {team}"), budget: None });
    let cars = names().map(|(team, name)| {
        let url = Some(BaseUrl::parse(&format!("http://{name}.bench")).expect("a URL"));
        Order::Register(Application { team: TeamId(team), instance: name, url })
    });
    teams.chain(cars).chain([Order::Start]).collect()
}

/// Reference cars, served until the set is dropped.
async fn serve() -> (JoinSet<std::io::Result<()>>, BTreeMap<String, SocketAddr>) {
    let (mut servers, mut hosts) = (JoinSet::new(), BTreeMap::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    hosts.insert("ai.bench".to_owned(), listener.local_addr().expect("an address"));
    servers.spawn(fight_lambda_reference::server::serve(listener, Mind::Careful, 1));
    for (_, name) in names() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        hosts.insert(format!("{name}.bench"), listener.local_addr().expect("an address"));
        let settings = CarSettings {
            modules: Modules { engine: 5, pilot: 2, weapon: 3 },
            ai_url: Some(DuelUrl::parse("http://ai.bench/action").expect("a URL")),
            strategy: StrategyName::Bold,
            ..CarSettings::new(&name)
        };
        servers.spawn(car_reference::serve(Car::in_memory(settings), listener, std::future::pending()));
    }
    (servers, hosts)
}

/// The argument that makes this program a process with cars, which ends with its standard input.
const CARS_ONLY: &str = "--cars-only";

/// Says where its cars are, and serves them until nobody needs them any more.
async fn serve_elsewhere() {
    let (_servers, hosts) = serve().await;
    let places: Vec<String> = hosts.iter().map(|(host, address)| format!("{host}={address}")).collect();
    println!("{}", places.join(" "));
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new()));
    ended.await.expect("no panic").expect("readable");
}

/// Cars in a process of their own.
struct Elsewhere(Child);

impl Elsewhere {
    fn start() -> (Elsewhere, BTreeMap<String, SocketAddr>) {
        let this = std::env::current_exe().expect("a program");
        let mut child = Command::new(this)
            .arg(CARS_ONLY)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut places = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut places).expect("a line");
        let place = |text: &str| {
            let (host, address) = text.split_once('=').expect("a place");
            (host.to_owned(), address.parse().expect("an address"))
        };
        (Elsewhere(child), places.split_whitespace().map(place).collect())
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().expect("it ends");
    }
}

fn http(hosts: BTreeMap<String, SocketAddr>) -> HttpWorld {
    let race = RaceId::random().to_string();
    HttpWorld::new(drive::Settings { hosts, ..drive::Settings::new(race) }).expect("a world")
}

fn in_memory() -> MemoryWorld {
    let world = MemoryWorld::default();
    for (_, name) in names() {
        let car = MemoryCar { fights: true, crosses_mines: true, ..MemoryCar::new(&name, 5, 2, 3) };
        world.park(&format!("http://{name}.bench"), car);
    }
    world
}

/// Without a journal.
async fn off<W: LiveWorld>(world: W) -> Duration {
    let (mut race, _) = Race::create(rules(), SEED);
    let inbox: Vec<Arrival> =
        (1..).map(CommandNo).zip(set_up()).map(|(no, command)| Arrival { no, command }).collect();
    let played = command::decide_all(&race, &world, &inbox).await;
    played.events.iter().for_each(|event| race.apply(event));
    let started = Instant::now();
    for _ in 0..TURNS {
        let played = turn::play(&race, &world, &[]).await.expect("the race runs");
        played.events.iter().for_each(|event| race.apply(event));
    }
    assert_eq!(race.turn, TurnNo(TURNS));
    started.elapsed()
}

struct One<W>(W);

impl<W: LiveWorld + Clone + Send + Sync + 'static> Worlds for One<W> {
    type World = W;

    fn open(&self, _: Setting) -> Result<W, String> {
        Ok(self.0.clone())
    }
}

/// With the journal.
async fn on<W: LiveWorld + Clone + Send + Sync + 'static>(world: W) -> Duration {
    let place = tempfile::tempdir().expect("a directory");
    let journal = Journal::open(DataDirectory::open(place.path()).expect("free")).await.expect("a journal");
    let races = Races::new(journal, One(world), Settings::default());
    let new = NewRace {
        id: RaceId::random(),
        name: "bench".to_owned(),
        seed: SEED,
        revision: REVISION,
        origin: Origin::Here,
        plan: None,
        secrets: BTreeMap::new(),
        pace: None,
        private: false,
    };
    let race = races.create(new, rules()).await.expect("a race");
    race.order(set_up(), None).await.expect("settled");
    let started = Instant::now();
    for number in 1..=TURNS {
        race.step(TurnNo(number), None).await.expect("a turn");
    }
    let took = started.elapsed();
    races.shut_down(Duration::from_secs(60)).await.expect("closed");
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn say(cars: &str, without: Vec<Duration>, with: Vec<Duration>) {
    let (without, with) = (median(without), median(with));
    let per_second = |took: Duration| f64::from(TURNS) / took.as_secs_f64();
    println!(
        "{cars}: {:.0} turns/s without the journal, {:.0} with it: {:.1} % fewer; {:.2} ms more for a turn",
        per_second(without),
        per_second(with),
        100.0 * (1.0 - per_second(with) / per_second(without)),
        (with.as_secs_f64() - without.as_secs_f64()) * 1_000.0 / f64::from(TURNS),
    );
}

#[tokio::main]
async fn main() {
    // `cargo test --benches` only wants to know that it runs.
    let rounds = if std::env::args().any(|argument| argument == "--bench") { ROUNDS } else { 1 };
    if std::env::args().any(|argument| argument == CARS_ONLY) {
        return serve_elsewhere().await;
    }
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (_cars, hosts) = Elsewhere::start();
        without.push(off(http(hosts)).await);
        let (_cars, hosts) = Elsewhere::start();
        with.push(on(http(hosts)).await);
    }
    say("50 cars over HTTP in a process of their own", without, with);
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (_servers, hosts) = serve().await;
        without.push(off(http(hosts)).await);
        let (_servers, hosts) = serve().await;
        with.push(on(http(hosts)).await);
    }
    say("50 cars over HTTP in this process", without, with);
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        without.push(off(in_memory()).await);
        with.push(on(in_memory()).await);
    }
    say("50 cars in memory", without, with);
}
