//! `conform car URL`: checks a car.

use crate::Unusable;
use crate::options::Car;
use crate::output::{Output, read};
use test_harness::client;
use test_harness::stop::Stop;
use test_harness::suite::car::{Settings, cases, conform};

pub(crate) async fn run(options: Car, stop: &Stop) -> Result<bool, Unusable> {
    let (selection, known) = read(&options.cases, cases())?;
    check_secret(options.secret.as_deref())?;
    let mut output = Output::new(&options.cases, selection.ids(cases()).len());
    let deadline = options.cases.deadline();
    let stop = stop.clone();
    let settings =
        Settings { url: options.url, secret: options.secret, instance: options.instance, deadline, stop };
    let suite = conform(settings, &selection, &known, |it| output.told(it)).await;
    output.end(&suite.map_err(|bad| bad.to_string())?)
}

/// A secret that can be sent.
pub(crate) fn check_secret(secret: Option<&str>) -> Result<(), Unusable> {
    secret.map_or(Ok(()), client::check_secret).map_err(|why| format!("--secret: {why}"))
}
