//! `conform ai URL`: checks a duel AI.

use crate::Unusable;
use crate::options::Ai;
use crate::output::{Output, read};
use std::time::Duration;
use test_harness::suite::ai::{Settings, cases, conform};

pub(crate) async fn run(options: Ai) -> Result<bool, Unusable> {
    let (selection, known) = read(&options.cases, cases())?;
    let mut output = Output::new(&options.cases, selection.ids(cases()).len());
    let settings = Settings {
        url: options.url,
        deadline: options.cases.deadline(),
        seed: options.seed,
        positions: options.positions,
        strength: Duration::from_secs(options.strength),
    };
    let suite = conform(settings, &selection, &known, |it| output.told(it)).await;
    output.end(&suite.map_err(|bad| bad.to_string())?)
}
