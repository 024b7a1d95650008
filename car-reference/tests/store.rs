//! The store in a file, seen through HTTP: it survives a restart, and what is wrong with it is said.

#![allow(clippy::unwrap_used, reason = "they are tests")]

mod client;

use car_reference::store::{Change, StoreError};
use car_reference::{Car, CarSettings, FileStore, ModuleStore};
use client::{Client, Served, fresh_path, start};
use gm_core::contract::{CarRequest, Kind, Modules};
use gm_core::ids::Square;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const NEW: Modules = Modules { engine: 2, pilot: 1, weapon: 0 };

async fn start_at(path: &Path) -> (Served, Client) {
    let store = FileStore::open(path, NEW).unwrap();
    let served = start(Car::new(CarSettings::new("i-0abc"), store)).await;
    let client = Client::to(&served, None).await;
    (served, client)
}

fn gain(name: &str) -> CarRequest {
    CarRequest::Gain { kind: Kind::Engine, name: name.into() }
}

fn lose(name: &str) -> CarRequest {
    CarRequest::Lose { kind: Kind::Engine, name: name.into() }
}

#[tokio::test]
async fn a_car_survives_a_restart() {
    let path = fresh_path("restart");
    let (served, mut client) = start_at(&path).await;
    for (id, request) in [
        ("1", CarRequest::SetSquare(Square(42))),
        ("2", gain("V8 \"é\"")),
        ("3", lose("engine-1")),
        ("4", CarRequest::SetCount { kind: Kind::Weapon, count: 2 }),
        ("5", CarRequest::SetCount { kind: Kind::Pilot, count: 0 }),
    ] {
        assert_eq!(client.send_as(Some(id), request.clone()).await.0, 200, "{request}");
    }
    let before = client.send(CarRequest::State).await;
    served.stop().await;

    let (served, mut client) = start_at(&path).await;
    assert_eq!(client.send(CarRequest::State).await, before);
    assert_eq!(before.1["square"], 42);
    assert_eq!(before.1["modules"], json!({"engine": 2, "pilot": 0, "weapon": 2}));
    assert_eq!(client.send(lose("engine-2")).await.0, 200);
    assert_eq!(client.send(lose("V8 \"é\"")).await.0, 200);
    served.stop().await;
    let stored: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(stored["square"], 42);
    assert_eq!(stored["in_race"], true);
    assert_eq!(stored["engine"], json!([]));
    assert_eq!(stored["weapon"], json!(["weapon-1", "weapon-2"]));
}

/// C-6, C-8: whether the car is in the race is kept, too.
#[tokio::test]
async fn c_8_the_race_survives_a_restart() {
    let path = fresh_path("race");
    for (change, in_race) in [(Change::Enter(Square(3)), true), (Change::Leave, false)] {
        let mut store = FileStore::open(&path, NEW).unwrap();
        store.change(&change, None).await.unwrap();
        assert_eq!(store.in_race().await.unwrap(), in_race);
        drop(store);
        assert_eq!(FileStore::open(&path, NEW).unwrap().in_race().await.unwrap(), in_race);
    }
}

/// C-20: a command that is sent again after a restart is not done again.
#[tokio::test]
async fn c_20_sent_again_after_a_restart() {
    let path = fresh_path("sent_again");
    let (served, mut client) = start_at(&path).await;
    assert_eq!(client.send_as(Some("1"), gain("v8")).await.0, 200);
    assert_eq!(client.send_as(Some("2"), lose("v8")).await.0, 200);
    served.stop().await;

    let (_served, mut client) = start_at(&path).await;
    assert_eq!(client.send_as(Some("1"), gain("v8")).await.0, 200);
    assert_eq!(client.send(CarRequest::Count(Kind::Engine)).await.1, json!({"res": 2}));
    assert_eq!(client.send_as(Some("2"), lose("v8")).await.0, 200);
    assert_eq!(client.send_as(Some("2"), gain("v8")).await.0, 409);
    assert_eq!(client.send(CarRequest::Count(Kind::Engine)).await.1, json!({"res": 2}));
}

/// What can't be written is answered 500, and has not been; when it can be written again, it is done.
#[tokio::test]
async fn a_change_that_can_not_be_kept_is_none() {
    let path = fresh_path("unwritable");
    let (_served, mut client) = start_at(&path).await;
    let before = client.send(CarRequest::State).await;
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    for request in [CarRequest::SetSquare(Square(42)), gain("v8"), lose("engine-1"), CarRequest::Retire] {
        let (status, said) = client.send_as(Some(&request.to_string()), request).await;
        assert_eq!(status, 500);
        assert_eq!(said, json!({"error": "the car's store failed; nothing was changed"}));
        assert_eq!(client.send(CarRequest::State).await, before);
    }
    fs::create_dir(path.parent().unwrap()).unwrap();
    let request = gain("v8");
    assert_eq!(client.send_as(Some(&request.to_string()), request).await.0, 200);
    assert_eq!(client.send(CarRequest::Count(Kind::Engine)).await.1, json!({"res": 3}));
    assert!(path.exists());
}

#[test]
fn a_damaged_file_is_left_as_it_is() {
    let path = fresh_path("damaged");
    for damaged in ["", "{", "[]", "\u{feff}{}", r#"{"version":2}"#] {
        fs::write(&path, damaged).unwrap();
        let error = FileStore::open(&path, NEW).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{damaged}: {error}");
        let text = error.to_string();
        assert!(text.contains("car.json: not a car's store: ") && !text.contains('\n'), "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let error = FileStore::open(&path, NEW).unwrap_err();
    assert!(matches!(error, StoreError::Read { .. }), "{error}");
}

/// A file that was left half written beside the store, by a crash, is no matter.
#[test]
fn what_a_crash_left_behind_is_no_matter() {
    let path = fresh_path("crash");
    FileStore::open(&path, NEW).unwrap();
    let before = fs::read(&path).unwrap();
    fs::write(path.with_extension("json.new"), "{\"vers").unwrap();
    FileStore::open(&path, Modules { engine: 9, ..NEW }).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_new_store_must_be_writable() {
    let path = fresh_path("nowhere").join("car.json");
    let error = FileStore::open(&path, NEW).unwrap_err();
    assert!(matches!(error, StoreError::Write { .. } | StoreError::Read { .. }), "{error}");
}

/// A store behind symbolic links is written where it really is, also if it is not there yet; the links stay.
#[cfg(unix)]
#[tokio::test]
async fn a_store_behind_links_is_written_where_it_is() {
    use std::os::unix::fs::symlink;
    let link = fresh_path("links");
    let directory = link.parent().unwrap();
    let real = directory.join("real/store.json");
    fs::create_dir(directory.join("real")).unwrap();
    symlink("second.json", &link).unwrap();
    symlink("real/store.json", directory.join("second.json")).unwrap();
    for square in [3, 4] {
        let mut store = FileStore::open(&link, NEW).unwrap();
        store.change(&Change::Enter(Square(square)), None).await.unwrap();
        drop(store);
        let stored: Value = serde_json::from_slice(&fs::read(&real).unwrap()).unwrap();
        assert_eq!(stored["square"], square);
        for link in [&link, &directory.join("second.json")] {
            assert!(fs::symlink_metadata(link).unwrap().is_symlink(), "{}", link.display());
        }
        assert!(!fs::symlink_metadata(&real).unwrap().is_symlink());
    }

    let circle = directory.join("circle.json");
    symlink("circle.json", &circle).unwrap();
    let error = FileStore::open(&circle, NEW).unwrap_err();
    assert!(matches!(error, StoreError::Read { .. }), "{error}");
}

/// A new store is its owner's alone; the permissions of one that is there are kept, whatever a crash left beside it.
#[cfg(unix)]
#[tokio::test]
async fn a_store_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let path = fresh_path("permissions");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
    drop(FileStore::open(&path, NEW).unwrap());
    assert_eq!(mode(), 0o600);
    for kept in [0o600, 0o640, 0o664, 0o600] {
        fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
        let beside = path.with_extension("json.new");
        fs::write(&beside, "{\"vers").unwrap();
        fs::set_permissions(&beside, fs::Permissions::from_mode(0o666)).unwrap();
        let mut store = FileStore::open(&path, NEW).unwrap();
        store.change(&Change::Enter(Square(kept)), None).await.unwrap();
        assert_eq!((mode(), store.square().await.unwrap()), (kept, Square(kept)));
    }
}

/// Two cars would overwrite each other's changes. It is the file that counts, not the way to it, nor what is left of a
/// lock that has ended.
#[tokio::test]
async fn a_store_is_one_car_s() {
    let path = fresh_path("lock");
    let mut ways = vec![path.clone(), path.parent().unwrap().join("../lock/car.json")];
    #[cfg(unix)]
    {
        ways.push(path.with_file_name("link.json"));
        std::os::unix::fs::symlink("car.json", &ways[2]).unwrap();
    }
    for first in &ways {
        let mut store = FileStore::open(first, NEW).unwrap();
        for second in &ways {
            let error = FileStore::open(second, NEW).unwrap_err();
            assert!(matches!(error, StoreError::InUse { .. }), "{error}");
            // With a change another file takes the place of the store.
            store.change(&Change::Move(Square(1)), None).await.unwrap();
        }
        FileStore::open(path.with_file_name("other.json"), NEW).unwrap();
    }
    assert!(path.with_file_name("car.json.lock").exists());
}
