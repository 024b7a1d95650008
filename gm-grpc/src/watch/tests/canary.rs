//! what is hidden from somebody is in nothing that they are given.

use super::*;
use crate::watch::Replay;
use gm_core::contract::Kind;
use gm_core::ids::{CarId, Dollars, Place as OnRing, Points};
use gm_core::race::command::{CarCorrection, TeamCorrection};
use gm_core::race::event::Achievement;
use gm_core::race::state::{BonusEffect, BonusPlan, Encounter, Often};

/// What is Red's own, or the admin's, in each place where something is: how it looks where it is shown, and whether
/// Red sees it.
const CANARIES: [(&str, bool); 10] = [
    ("canary-host", true),
    ("redcar-engine", true),
    ("canary-engine", true),
    ("canary-complaint", true),
    ("canary-reply", true),
    ("canary-reason", true),
    ("424242", true),
    ("737373", true),
    ("898989", false),
    ("EncounterDeclared", false),
];

/// All that somebody is given, in every way there is.
async fn all_of(served: &Served, viewer: Viewer) -> Vec<String> {
    let mut lines = Vec::new();
    for (start, mode) in [(Start::After(0), Mode::Lossless), (Start::Snapshot, Mode::Latest)] {
        let mut reader = served.read(viewer, start, mode).await;
        loop {
            let message = next(&mut reader).await.expect("it goes on");
            lines.push(format!("{message:?}"));
            if matches!(message, Message::CaughtUp(_)) {
                break;
            }
        }
    }
    for turn in 0..=2 {
        let chronicle = served.chronicle().await;
        let mut replay = Replay::begin(&chronicle, viewer, TurnNo(turn)).await.expect("a replay");
        lines.push(format!("{:?}", replay.snapshot()));
        while let Some(shown) = replay.next().await.expect("readable") {
            lines.push(format!("{shown:?}"));
        }
    }
    lines
}

#[tokio::test]
async fn nothing_of_what_is_hidden_is_told() {
    let place = Place::new();
    let mut red = MemoryCar::new("redcar", 4, 1, 3);
    red.modules.insert(Kind::Engine, (0..4).map(|n| format!("canary-engine-{n}")).collect());
    place.world.park("http://canary-host", red);
    place.world.inspect(TeamId(1));
    let served = place.serve(Settings::default()).await;
    let url = Some(BaseUrl::parse("http://canary-host").expect("a URL"));
    let car = Command::Register(Application { team: TeamId(1), instance: "redcar".to_owned(), url });
    let hidden = BonusPlan {
        place: OnRing(299),
        effect: BonusEffect::Dollars(898_989),
        often: Often::Once,
        hidden: true,
    };
    served.order(vec![team("Red"), team("Green"), car, register(2, "b"), Command::Start]).await;
    served
        .order(vec![
            Command::PlaceBonus(hidden),
            Command::Grant { team: TeamId(1), dollars: Dollars(424_242) },
            Command::Complain { team: TeamId(1), turn: TurnNo(0), text: "canary-complaint".to_owned() },
            Command::AnswerComplaint { number: 1, text: "canary-reply".to_owned() },
            Command::PublishHint { achievement: Achievement::Ulysses31, text: "save your money".to_owned() },
            Command::Declare { encounter: Encounter::Garage, cars: Some(vec![CarId(1)]) },
        ])
        .await;
    served.turns(1).await;
    served
        .order(vec![
            Command::CorrectTeam(TeamCorrection {
                team: TeamId(1),
                reason: "canary-reason".to_owned(),
                budget: Some(Dollars(737_373)),
                points: Points(2),
            }),
            Command::CorrectCar(CarCorrection {
                car: CarId(1),
                reason: "canary-reason".to_owned(),
                square: Some(gm_core::ids::Square(4)),
                turns_to_miss: None,
                modules: None,
                standing: None,
            }),
        ])
        .await;
    served.turns(1).await;

    let told = [
        all_of(&served, Viewer::Spectator).await,
        all_of(&served, GREEN).await,
        all_of(&served, RED).await,
        all_of(&served, Viewer::Admin).await,
    ];
    let [spectator, green, red, admin] = &told;
    for (canary, is_reds) in CANARIES {
        let holds = |lines: &[String]| lines.iter().any(|line| line.contains(canary));
        assert!(holds(admin), "{canary} is planted");
        assert_eq!(holds(red), is_reds, "{canary}");
        assert!(!holds(spectator) && !holds(green), "{canary}");
    }
    // The hint is told, and not what it is about.
    for lines in [spectator, green, red] {
        let hints: Vec<_> = lines.iter().filter(|line| line.contains("save your money")).collect();
        assert!(!hints.is_empty() && hints.iter().all(|line| !line.contains("Ulysses")), "{hints:?}");
    }
    served.end().await;
}
