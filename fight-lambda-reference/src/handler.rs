//! Query and header in, status and JSON out (A-1, A-2, A-4): what the HTTP server and a Lambda have in common.
//!
//! ```
//! use fight_lambda_reference::{Mind, handler::answer};
//! let (status, body) = answer(&mut *Mind::Careful.wake(1), "yourmoves=[]&othermoves=[]&cards=[3]&othernbcards=1", None);
//! assert_eq!((status, body.to_string().as_str()), (200, r#"{"res":[3]}"#));
//! ```

use crate::Ai;
use gm_core::arena::duel::{Card, Plays};
use gm_core::contract::{DuelQuestion, Seen};
use serde_json::{Value, json};

/// Answers one question. `seen` is the header `X-EACC-DUEL`; one that can't be read, or that speaks of another
/// distance, is passed over (A-4).
///
/// 200 and `{"res": [1]}` (A-2), or 422 and `{"error": "…"}` for a query that asks nothing that can be answered.
pub fn answer(ai: &mut dyn Ai, query: &str, seen: Option<&str>) -> (u16, Value) {
    let mut question = match DuelQuestion::from_query(query) {
        Ok(question) => question,
        Err(bad) => return refusal(422, &bad.to_string()),
    };
    let distance = question.distance();
    question.seen = seen.and_then(Seen::from_header).filter(|seen| Some(seen.distance) == distance);
    let hand = question.cards.iter().copied().filter_map(Card::of).collect();
    if distance.is_none_or(|distance| Plays::of(&hand, distance).is_empty()) {
        return refusal(422, "none of the cards can be played: this duel is lost");
    }
    (200, json!({ "res": ai.play(&question) }))
}

/// An answer that is none, and why.
#[must_use]
pub fn refusal(status: u16, why: &str) -> (u16, Value) {
    (status, json!({ "error": why }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mind;

    /// Shows what it is asked: how many turns it has seen, or 99 if it was told of none.
    struct Echo;

    impl Ai for Echo {
        fn play(&mut self, question: &DuelQuestion) -> Vec<u8> {
            vec![question.seen.as_ref().map_or(99, |seen| seen.turns.len() as u8)]
        }
    }

    #[test]
    fn a_4_a_header_that_makes_no_sense_is_passed_over() {
        let query = "yourmoves=[3]&othermoves=[]&cards=[3]&othernbcards=1";
        let header = |distance: u8| {
            format!(
                r#"{{"distance":{distance},"hand_size":1,"other_hand_size":1,"pile":20,"first":true,"turns":[{{"you":true,"move":3}}]}}"#
            )
        };
        for (seen, expected) in [
            (None, 99),
            (Some(header(19)), 1),
            (Some(header(18)), 99),
            (Some("nonsense".to_owned()), 99),
            (Some(String::new()), 99),
        ] {
            let (status, body) = answer(&mut Echo, query, seen.as_deref());
            assert_eq!((status, body), (200, json!({ "res": [expected] })), "{seen:?}");
        }
    }

    #[test]
    fn a_1_nonsense_gets_422_and_a_reason() {
        for (query, why) in [
            ("", "yourmoves is missing"),
            ("yourmoves=[]&othermoves=[]&othernbcards=5", "cards is missing"),
            ("yourmoves=[]&othermoves=[]&cards=1&othernbcards=5", "cards is not a list such as [3,2,1]"),
            (
                "yourmoves=[]&othermoves=[]&cards=[9]&othernbcards=5",
                "cards holds something else than whole numbers from 1 to 5",
            ),
            (
                "yourmoves=[]&othermoves=[]&cards=[]&othernbcards=5",
                "none of the cards can be played: this duel is lost",
            ),
            (
                "yourmoves=[5,5]&othermoves=[5,5]&cards=[3,4,5]&othernbcards=5",
                "none of the cards can be played: this duel is lost",
            ),
            (
                "yourmoves=[5,5,5]&othermoves=[5,5,5]&cards=[1]&othernbcards=5",
                "the moves add up to 30 squares, but only 21 can be moved",
            ),
        ] {
            for mind in Mind::ALL {
                let (status, body) = answer(&mut *mind.wake(1), query, None);
                assert_eq!((status, body), (422, json!({ "error": why })), "{query}");
            }
        }
    }
}
