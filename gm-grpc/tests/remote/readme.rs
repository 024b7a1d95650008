//! The commands of the README, as they stand there: an evening, with `gm` and `curl`, and what `grpcurl` is told.
//!
//! A block of commands with `<!-- runs: NAME -->` before it is run by a shell, with the addresses and the token of this
//! test in place of the usual ones.

use super::game::{BOUND, Game, a_car, serve_here};
use fight_lambda_reference::Mind;
use gm_grpc::api::wire::descriptors;
use prost_reflect::DynamicMessage;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;
use tokio::time::timeout;

const README: &str = include_str!("../../../README.md");

/// The block after a mark.
fn block(mark: &str) -> String {
    let (_, rest) = README.split_once(&format!("<!-- {mark} -->\n```sh\n")).expect("the block is there");
    rest.split_once("```").expect("it ends").0.to_owned()
}

/// Runs a block as somebody would who copies it.
async fn run(block: &str, replaced: &[(&str, &str)]) -> String {
    let mut script = block.to_owned();
    for (usual, here) in replaced {
        script = script.replace(usual, here);
    }
    let gm = Path::new(env!("CARGO_BIN_EXE_gm"));
    let folder = gm.parent().expect("it is in a folder").to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&path))).expect("a path");
    let mut shell = Command::new("sh");
    shell
        .args(["-euc", &script])
        .env("PATH", path)
        .env_remove("GM_RACE")
        .env_remove("GM_DATA")
        .stdin(Stdio::null());
    shell.kill_on_drop(true);
    let output = timeout(BOUND, shell.output()).await.expect("in time").expect("there is a shell");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}\nsays {said}\nand {wrong}");
    said
}

/// From the first line to the last, in the order of the README.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_evening_by_the_readme() {
    let game = Game::start().await;
    let ai = serve_here(fight_lambda_reference::server::router(Mind::Careful, 7)).await + "/action";
    let (red, blue) = (a_car("red-1").await, a_car("blue-1").await);
    let replaced = [
        ("http://127.0.0.1:7300", &*game.url),
        ("http://127.0.0.1:8080", &red),
        ("http://127.0.0.1:8090", &blue),
        ("http://127.0.0.1:8081/action", &ai),
        ("gm-admin-…", &game.admin_token),
    ];
    for (mark, expected) in [
        ("organiser", "blue-1"),
        ("team", "red-1"),
        ("curl", "\"budget\""),
        ("evening", "Blue"),
        ("spectator", "pirates"),
    ] {
        // A complaint about a turn needs that turn to have been played.
        let script = block(&format!("runs: {mark}")).replace("\"turn\": 3", "\"turn\": 0");
        let said = run(&script, &replaced).await;
        assert!(said.contains(expected), "{mark}: {said}");
    }
}

/// Nobody needs `grpcurl` to test this: what it is told names services, methods and fields that there are.
#[test]
fn grpcurl_is_told_what_there_is() {
    let script = block("understood: grpcurl");
    let lines: Vec<&str> = script.lines().collect();
    assert!(lines.len() > 4, "{lines:?}");
    for line in lines {
        let name = line.rsplit(' ').next().expect("a last word");
        if line.contains(" list ") {
            assert!(descriptors().get_service_by_name(name).is_some(), "{line}");
            continue;
        }
        let (service, method) = name.rsplit_once(['/', '.']).expect("a service and a method");
        let service = descriptors().get_service_by_name(service).expect(line);
        let method = service.methods().find(|it| it.name() == method).expect(line);
        if let Some((_, rest)) = line.split_once("-d '") {
            let json = rest.split_once('\'').expect("it ends").0;
            let mut json = serde_json::Deserializer::from_str(json);
            DynamicMessage::deserialize(method.input(), &mut json).expect(line);
        }
    }
}
