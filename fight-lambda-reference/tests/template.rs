//! `template.yaml` sets up what the Lambda is made for: its settings, its memory, and no more time than there is.

use clap::Args;
use fight_lambda_reference::Player;
use std::collections::BTreeSet;

const TEMPLATE: &str = include_str!("../template.yaml");

/// What the template says of a key, without comments.
fn value_of(key: &str) -> &'static str {
    let values = TEMPLATE.lines().filter_map(|line| line.trim().strip_prefix(key)?.strip_prefix(": "));
    let values: Vec<_> = values.collect();
    assert_eq!(values.len(), 1, "{key}: {values:?}");
    values[0]
}

/// Each setting of the AI is a variable of the function, and no other.
#[test]
fn it_has_every_setting() {
    let known = Player::augment_args(clap::Command::new("it"));
    let known: BTreeSet<_> = known
        .get_arguments()
        .map(|setting| setting.get_env().expect("a variable").to_str().expect("ASCII"))
        .collect();
    let written = TEMPLATE.lines().filter(|line| line.trim().starts_with("FIGHT_LAMBDA_"));
    let written: BTreeSet<_> = written.filter_map(|line| Some(line.trim().split_once(": ")?.0)).collect();
    assert_eq!(written, known);
}

/// an answer after 2 seconds is an illegal move, whoever gives it.
#[test]
fn a_3_it_thinks_no_longer_than_there_is_time() {
    assert_eq!(value_of("Timeout"), "2");
}

/// What `lambda_runtime.rs` measures, and what `cargo lambda build --arm64 --bin bootstrap` builds.
#[test]
fn it_starts_what_is_built() {
    for (key, value) in [
        ("MemorySize", "128"),
        ("Runtime", "provided.al2023"),
        ("Architectures", "[arm64]"),
        ("Binary", "bootstrap"),
        ("Handler", "bootstrap"),
        ("Path", "/action"),
    ] {
        assert_eq!(value_of(key), value, "{key}");
    }
}
