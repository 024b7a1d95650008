//! C-10, C-11: names of modules that are not easy to write in a URL survive gain and loss, in both stores of the
//! reference car.
//!
//! ```text
//! POST /engine {"name":"…"}    DELETE /engine/%2E%2E
//! ```

use crate::stage::{Stage, ai_at, bold, quiet_rules, reference_ai, serve};
use car_reference::{Car, CarSettings, FileStore};
use gm_core::contract::{CarRequest, Kind};
use gm_core::ids::{CarId, TurnNo};
use gm_core::ports::{Car as _, Chain, Topic, World};
use std::fs;
use std::path::PathBuf;
use test_harness::broken::BrokenCar;

const NAMES: &[&str] = &[
    "é",
    "moteur n°1",
    " ",
    "100%",
    "%2e%2e",
    "\"quoted\"",
    "it's",
    ".",
    "..",
    "../state",
    "count",
    "a?b#c&d=e",
    "back\\slash",
    "日本語 🏎",
    "a\tb",
    "+",
];

#[tokio::test]
async fn c_11_names_survive_gain_and_loss_in_memory() {
    let settings = the_car().await;
    let car = serve(car_reference::router(Car::in_memory(settings)), vec![]).await;
    check(&car, || None).await;
}

#[tokio::test]
async fn c_11_names_survive_gain_and_loss_in_a_file() {
    let folder = Folder::new("names");
    let path = folder.0.join("car.json");
    let settings = the_car().await;
    let store = FileStore::open(&path, settings.modules).expect("a new store");
    let car = serve(car_reference::router(Car::new(settings, store)), vec![]).await;
    check(&car, || {
        let stored: serde_json::Value = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        Some(serde_json::from_value(stored["engine"].clone()).expect("a list of names"))
    })
    .await;
}

async fn the_car() -> CarSettings {
    let ai = serve(reference_ai(), vec![]).await;
    bold("i-1", [1, 1, 1], &ai_at(&ai))
}

/// Gains all names, then loses them again, and looks at what is there; `stored` reads it where it can be read.
async fn check(server: &BrokenCar, stored: impl Fn() -> Option<Vec<String>>) {
    let mut stage = Stage::new("race", quiet_rules());
    let team = stage.team("Red").await;
    let chain = Chain { turn: TurnNo(1), topic: Topic::Encounter, car: CarId(1) };
    let mut car = stage.world.car(chain, team, server.url());
    let mut there = vec!["engine-1".to_owned()];
    for name in NAMES {
        car.gain(Kind::Engine, name).await.expect("the car gains it");
        there.push((*name).to_owned());
        let count = car.count(Kind::Engine).await.expect("a count").value;
        assert_eq!(count, there.len() as u64, "gained {name:?}");
        assert!(stored().is_none_or(|stored| stored == there), "gained {name:?}");
    }
    for name in NAMES {
        let lose = CarRequest::Lose { kind: Kind::Engine, name: (*name).to_owned() };
        let answers = [car.exchange(&lose).await, car.exchange(&lose).await];
        let statuses = answers.map(|answer| answer.expect("an answer").status);
        assert_eq!(statuses, [200, 404], "lost {name:?}, and lost again");
        there.retain(|there| there != name);
        let count = car.count(Kind::Engine).await.expect("a count").value;
        assert_eq!(count, there.len() as u64, "lost {name:?}");
        assert!(stored().is_none_or(|stored| stored == there), "lost {name:?}");
    }
}

/// A folder of this test's own, which is removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("gm-race-test-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
