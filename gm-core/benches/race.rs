//! Races per second on one core, with cars in memory that answer at once: events applied (a recorded race is read
//! back), and turns played by 6 and by 200 cars. `cargo bench -p gm-core --bench race`; the throughput is in events
//! and in turns.
#![allow(missing_docs, reason = "criterion's macros write functions without docs")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use futures_util::FutureExt;
use gm_core::contract::{BaseUrl, Kind};
use gm_core::ids::{CommandNo, TeamId};
use gm_core::memory::{MemoryCar, MemoryWorld};
use gm_core::race::command::{Application, Arrival, decide};
use gm_core::race::{Command, Event, Race, Rules, turn};
use gm_core::random::Seed;
use std::hint::black_box;

/// Turns of one race. Most cars are still racing after so many.
const TURNS: u64 = 20;

/// A race that is about to start its first turn.
struct Field {
    race: Race,
    world: MemoryWorld,
    events: Vec<Event>,
}

impl Field {
    fn new(teams: u32, cars_of_each: u32) -> Field {
        let rules = Rules { initial_budget: 1_000, ..Rules::balanced() };
        let (race, events) = Race::create(rules.validated().expect("valid rules"), Seed(1));
        let mut field = Field { race, world: MemoryWorld::default(), events };
        for team in 1..=teams {
            field.order(Command::CreateTeam { name: format!("team {team}"), budget: None });
        }
        for number in 0..teams * cars_of_each {
            let instance = format!("i-{number}");
            let url = BaseUrl::parse(&format!("http://{instance}")).expect("a URL");
            let car = MemoryCar {
                fights: number % 2 == 0,
                crosses_mines: number % 3 == 0,
                buys: Some(Kind::Engine),
                ..MemoryCar::new(&instance, 4, 2, 3)
            };
            field.world.park(url.as_str(), car);
            let team = TeamId(number % teams + 1);
            field.order(Command::Register(Application { team, instance, url: Some(url) }));
        }
        field.order(Command::Start);
        field
    }

    fn order(&mut self, command: Command) {
        let no = CommandNo(u32::try_from(self.events.len()).expect("few events"));
        let decided = decide(&self.race, &self.world, Arrival { no, command }).now_or_never();
        self.happen(decided.expect("never waits").expect("not refused"));
    }

    fn turn(&mut self) {
        let played = turn::play(&self.race, &self.world, &[]).now_or_never();
        self.happen(played.expect("never waits").expect("the race is running").events);
    }

    fn happen(&mut self, events: Vec<Event>) {
        for event in &events {
            self.race.apply(event);
        }
        self.events.extend(events);
    }

    fn play(mut self) -> Field {
        for _ in 0..TURNS {
            self.turn();
        }
        self
    }
}

fn races(c: &mut Criterion) {
    for (teams, cars_of_each) in [(3, 2), (20, 10)] {
        let cars = teams * cars_of_each;
        let mut group = c.benchmark_group(format!("race of {cars} cars"));
        group.sample_size(20);

        let Field { events, .. } = Field::new(teams, cars_of_each).play();
        group.throughput(Throughput::Elements(events.len() as u64));
        group.bench_function("events applied", |b| b.iter(|| black_box(Race::from_events(&events))));

        group.throughput(Throughput::Elements(TURNS));
        group.bench_function("turns played", |b| {
            b.iter_batched(
                || Field::new(teams, cars_of_each),
                |field| black_box(field.play().events.len()),
                BatchSize::PerIteration,
            );
        });
        group.finish();
    }
}

criterion_group!(benches, races);
criterion_main!(benches);
