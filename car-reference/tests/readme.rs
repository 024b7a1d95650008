//! The README's curl lines are true: every request of C is among them, and each is answered as the README says.

mod client;

use car_reference::{Car, CarSettings, request};
use client::{Client, start};
use gm_core::contract::DuelUrl;
use serde_json::Value;
use std::collections::BTreeSet;

#[tokio::test]
async fn c_1_to_16_the_curl_lines_of_the_readme() {
    let ai_url = Some(DuelUrl::parse("http://127.0.0.1:9000/").unwrap());
    let secret = Some("s3cret".into());
    let served = start(Car::in_memory(CarSettings { secret, ai_url, ..CarSettings::new("i-0abc") })).await;
    let mut client = Client::to(&served, Some("s3cret")).await;
    let mut seen = BTreeSet::new();
    for line in include_str!("../README.md").lines().filter(|line| line.starts_with("curl ")) {
        let (command, comment) = line.split_once('#').expect(line);
        let rest = command.strip_prefix("curl -H 'X-EACC-SECRET: s3cret' ").expect(line);
        let (method, rest) = match rest.strip_prefix("-X ") {
            Some(rest) => rest.split_once(' ').expect(line),
            None => ("GET", rest),
        };
        let (body, rest) = match rest.strip_prefix("-d '") {
            Some(rest) => rest.split_once("' ").expect(line),
            None => ("", rest),
        };
        let path = rest.trim().trim_matches('\'').strip_prefix("http://127.0.0.1:8080").expect(line);
        let (number, answer) = comment.trim().split_once("  ").expect(line);

        let request = request::read(method, path, body.as_bytes()).expect(line);
        assert_eq!(request.number(), number, "{line}");
        seen.insert((number.to_owned(), format!("{method} {}", path.split('/').nth(1).expect(line))));
        let answer: Value = serde_json::from_str(answer.trim()).expect(line);
        assert_eq!(client.raw(method, path, None, body.as_bytes()).await, (200, answer), "{line}");
    }
    // C-4 and C-9 to C-11 are there for each of the three kinds.
    let expected = 16 + 4 * 2;
    assert_eq!(seen.len(), expected, "{seen:?}");
}
