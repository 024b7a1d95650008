//! The car in a race of a mock game master: a test that a team can write for its own car, with `test-harness` as a
//! dev-dependency.

use axum::serve;
use car_reference::{Car, CarSettings, router};
use test_harness::game_master::{Encounter, MockGameMaster};
use tokio::net::TcpListener;

/// The reference car on a free port of this machine, and its URL.
async fn car(secret: &str) -> String {
    let settings = CarSettings { secret: Some(secret.into()), ..CarSettings::new("mine") };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(serve(listener, router(Car::in_memory(settings))).into_future());
    url
}

#[tokio::test]
async fn my_car_is_never_penalised() {
    let mut gm =
        MockGameMaster::new(&car("s3cret").await).expect("a URL").secret("s3cret").instance("mine").seed(7);
    gm.register().await.expect("it takes part");
    gm.turns(3).await.expect("it drives");
    for encounter in [Encounter::Garage, Encounter::Wreck, Encounter::Minefield] {
        gm.meets(encounter).await.expect("it goes on");
    }
    gm.assert_no_penalty();
    assert!(gm.is_in_race());
}

/// A game master with another secret is not let in, and the car is not registered.
#[tokio::test]
async fn my_car_knows_its_game_master() {
    let mut gm = MockGameMaster::new(&car("s3cret").await).expect("a URL").secret("wrong").instance("mine");
    let why = gm.register().await.expect_err("it answers 401").to_string();
    assert!(why.contains("401"), "{why}");
}
