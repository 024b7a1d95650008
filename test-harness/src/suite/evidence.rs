//! What led to an answer that is wrong: the commands that a failure's evidence is no evidence without.
//!
//! ```text
//! POST /engine {"name": "a"}    DELETE /engine/a    GET /engine/count → one too many
//! └──────────── led there ──────────────────────┘   └─────── the evidence ────────┘
//! ```

use super::case::Ran;
use crate::client::{Ask, Exchange, REQUEST_ID};
use gm_core::contract::Kind;
use gm_core::contract::car::NameBody;
use percent_encoding::percent_decode_str;

/// The most exchanges that are shown before the evidence: the last ones.
const MOST: usize = 6;

/// A question that only looks how the car is (C-4, C-5).
fn is_look(ask: &Ask) -> bool {
    ask.method == "GET" && (ask.path == "/state" || ask.path.ends_with("/count"))
}

/// The module that is gained or lost.
fn module(ask: &Ask) -> Option<(Kind, String)> {
    let mut segments = ask.path.split('/').skip(1);
    let word = segments.next()?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.word() == word)?;
    let name = match ask.method.as_str() {
        "POST" => serde_json::from_slice::<NameBody>(ask.body.as_deref()?).ok()?.name,
        "DELETE" => percent_decode_str(segments.next()?).decode_utf8_lossy().into_owned(),
        _ => return None,
    };
    Some((kind, name))
}

/// The last that was asked before an answer that tells how the car is, so that the answer tells what came of it.
fn last_before(exchanges: &[Exchange]) -> &[Exchange] {
    let end = exchanges.iter().rposition(|exchange| !is_look(&exchange.ask)).map_or(0, |last| last + 1);
    let begin =
        exchanges[..end].iter().rposition(|exchange| is_look(&exchange.ask)).map_or(0, |look| look + 1);
    &exchanges[begin..end]
}

/// The command before the end of these exchanges which the car did not accept, if that is what came last.
pub(crate) fn refused(exchanges: &[Exchange]) -> Option<&Exchange> {
    let last = last_before(exchanges).last()?;
    let is_command = last.ask.method != "GET";
    let accepted = last.status().is_some_and(|status| (200..300).contains(&status));
    let was_not_there = last.ask.method == "DELETE" && last.status() == Some(404);
    (is_command && !accepted && !was_not_there).then_some(last)
}

impl Ran {
    /// What led to the evidence, in order, at most six: what was asked before it since the car was looked at; what was
    /// done before with the same modules; what had its id, or came before an answer of 409 (C-20).
    #[must_use]
    pub fn led_there(&self) -> Vec<&Exchange> {
        let Some((evidence, before)) = self.shown_by.and_then(|at| self.exchanges[..=at].split_last()) else {
            return Vec::new();
        };
        let since = if is_look(&evidence.ask) { last_before(before) } else { &[] };
        let modules: Vec<_> =
            since.iter().chain([evidence]).filter_map(|exchange| module(&exchange.ask)).collect();
        let id = evidence.ask.header_value(REQUEST_ID);
        let led: Vec<&Exchange> = before
            .iter()
            .enumerate()
            .filter(|(at, exchange)| {
                since.iter().any(|one| std::ptr::eq(one, *exchange))
                    || module(&exchange.ask).is_some_and(|module| modules.contains(&module))
                    || id.is_some() && exchange.ask.header_value(REQUEST_ID) == id
                    || evidence.status() == Some(409) && at + 1 == before.len()
            })
            .map(|(_, exchange)| exchange)
            .collect();
        led[led.len().saturating_sub(MOST)..].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Got;
    use crate::client::Mask;
    use crate::suite::{Level, Outcome};
    use std::time::Duration;

    /// `POST /engine a 409`: a name is that of a module, the status is that of the answer.
    fn exchange(number: usize, text: &str) -> Exchange {
        let words: Vec<&str> = text.split(' ').collect();
        let (method, path, status) = (words[0], words[1], words[words.len() - 1]);
        let id = words
            .iter()
            .find_map(|word| word.strip_prefix('#'))
            .map_or(number.to_string(), ToOwned::to_owned);
        let mut ask = Ask::new(method, path).header(REQUEST_ID, &id);
        if method == "POST" {
            ask = ask.json(&serde_json::json!({ "name": words[2] }));
        }
        let got =
            Got { status: status.parse().expect("a status"), headers: Default::default(), body: "{}".into() };
        let (took, at) = (Duration::ZERO, Duration::ZERO);
        let (place, because, mask) = ("http://car".to_owned(), None, Mask::of(""));
        Exchange { place, ask, got: Ok(got), took, at, connection: 1, because, mask }
    }

    /// A case whose last exchange shows its failure.
    fn ran(exchanges: &[&str]) -> Ran {
        Ran {
            id: "C-10.2",
            requirement: "C-10",
            title: "",
            level: Level::Must,
            hint: "",
            costs: "",
            outcome: Outcome::Passed,
            known: false,
            took: Duration::ZERO,
            exchanges: exchanges.iter().enumerate().map(|(number, text)| exchange(number, text)).collect(),
            shown_by: exchanges.len().checked_sub(1),
        }
    }

    /// The last of each list shows the failure; how many before it led there is what stands second, by their places.
    #[test]
    fn what_led_there() {
        for (exchanges, expected) in [
            (&["GET /engine/count 200"][..], &[][..]),
            (&["GET /state 200", "PATCH /state 200", "GET /state 200"], &[1]),
            (&["PATCH /state 200", "GET /state 200", "PATCH /state 200", "GET /state 200"], &[2]),
            (
                &["PATCH /state 200", "PATCH /state 200", "GET /engine/count 200", "GET /pilot/count 200"],
                &[0, 1],
            ),
            (&["GET /state 200", "GET /event/wreck 200", "GET /state 200"], &[1]),
            (&["PATCH /state 200", "GET /event/wreck 500"], &[]),
            (
                &[
                    "POST /engine b 200",
                    "POST /engine a 200",
                    "GET /engine/count 200",
                    "DELETE /engine/a 200",
                    "GET /engine/count 200",
                ],
                &[1, 3],
            ),
            (&["POST /engine a 200", "GET /engine/count 200", "POST /engine a 409"], &[0, 1]),
            (&["POST /pilot a 200", "GET /engine/count 200", "POST /engine a 500"], &[]),
            (&["GET /engine/count #7 200", "PATCH /state 200", "GET /state #7 200"], &[0, 1]),
            (&["GET /state 200", "GET /engine/count 409"], &[0]),
            (&[], &[]),
        ] {
            let ran = ran(exchanges);
            let expected: Vec<&Exchange> = expected.iter().map(|at| &ran.exchanges[*at]).collect();
            assert_eq!(ran.led_there(), expected, "{exchanges:?}");
        }
        let many: Vec<&str> = vec!["PATCH /state 200"; 9].into_iter().chain(["GET /state 200"]).collect();
        assert_eq!(ran(&many).led_there().len(), MOST);
    }

    #[test]
    fn commands_that_were_not_accepted() {
        for (exchanges, expected) in [
            (&["POST /engine a 409", "GET /engine/count 200"][..], true),
            (&["POST /engine a 409"], true),
            (&["POST /engine a 201", "GET /engine/count 200"], false),
            (&["POST /engine a 409", "GET /engine/count 200", "PATCH /state 200", "GET /state 200"], false),
            (&["DELETE /engine/a 404", "GET /engine/count 200"], false),
            (&["DELETE /engine/a 500", "GET /engine/count 200"], true),
            (&["GET /event/wreck 500", "GET /state 200"], false),
            (&[], false),
        ] {
            assert_eq!(refused(&ran(exchanges).exchanges).is_some(), expected, "{exchanges:?}");
        }
    }
}
