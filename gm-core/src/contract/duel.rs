//! The question to a duel AI: A-1, with the header of A-4.
//!
//! ```
//! use gm_core::contract::DuelQuestion;
//! let question = DuelQuestion { your_moves: vec![1, 5], other_moves: vec![2], cards: vec![3, 2], other_cards: 5, ..DuelQuestion::default() };
//! assert_eq!(question.query(), "yourmoves=[1,5]&othermoves=[2]&cards=[3,2]&othernbcards=5");
//! assert_eq!(DuelQuestion::from_query("othernbcards=5&cards=%5B3%2C2%5D&othermoves=[2]&yourmoves=[1,5]"), Ok(question));
//! ```

use super::address::DuelUrl;
use super::fault::{Answer, Fault};
use super::reader::{self, Deviation};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The header that carries [`Seen`] (A-4).
pub const SEEN_HEADER: &str = "X-EACC-DUEL";

/// How many cards there are in a duel (R-6.1): no list of a question is longer.
pub const CARDS: u8 = 25;

/// The squares between the two duellists at the start (R-6.1).
pub const START_DISTANCE: u8 = 22;

/// What a duel AI is told when it is asked (R-6.7, A-1, A-4).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DuelQuestion {
    /// What this player laid down, in order; 0 for a card used to attack or parry.
    pub your_moves: Vec<u8>,
    /// What the other laid down.
    pub other_moves: Vec<u8>,
    /// This player's hand.
    pub cards: Vec<u8>,
    /// How many cards the other holds.
    pub other_cards: u8,
    /// The extension of A-4: what both have seen, card values included. The game master always sends it; an AI may
    /// be asked by somebody who does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
}

/// The header `X-EACC-DUEL` (A-4): everything that both players have seen, and nothing hidden.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Seen {
    /// Squares between the two.
    pub distance: u8,
    /// How many cards this player was dealt.
    pub hand_size: u8,
    /// How many cards the other was dealt.
    pub other_hand_size: u8,
    /// Cards left in the pile.
    pub pile: u8,
    /// Whether this player had the first turn.
    pub first: bool,
    /// The turns so far, oldest first.
    pub turns: Vec<SeenTurn>,
}

/// One turn as both players saw it (A-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenTurn {
    /// Whether it was this player's turn.
    pub you: bool,
    /// The card that moved, if one did.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub step: Option<u8>,
    /// The cards that attacked, if any did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attack: Vec<u8>,
    /// Whether the attack was parried; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parried: Option<bool>,
}

/// What is wrong with a query that should ask a duel AI (A-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadQuestion {
    /// A parameter is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A parameter is there twice.
    #[error("{0} is given twice")]
    Twice(&'static str),
    /// A parameter that should be a list is none.
    #[error("{0} is not a list such as [3,2,1]")]
    NotAList(&'static str),
    /// A list holds something that is no move or no card.
    #[error("{name} holds something else than whole numbers from {low} to 5")]
    NotACard {
        /// The parameter.
        name: &'static str,
        /// The lowest number that it may hold: 0 for moves (R-6.7), 1 for cards.
        low: u8,
    },
    /// A list is longer than there are cards.
    #[error("{0} holds more than 25 numbers")]
    TooMany(&'static str),
    /// `othernbcards` is no number of cards.
    #[error("othernbcards is not a whole number from 0 to 25")]
    NotANumber,
    /// The moves told would have brought the two onto or past each other (R-6.2).
    #[error("the moves add up to {0} squares, but only 21 can be moved")]
    TooFar(u16),
}

const YOUR_MOVES: &str = "yourmoves";
const OTHER_MOVES: &str = "othermoves";
const HAND: &str = "cards";
const OTHER_CARDS: &str = "othernbcards";

impl DuelQuestion {
    /// What an answer deviates from the contract in, and is accepted all the same (C-22, A-2).
    #[must_use]
    pub fn deviations(answer: &Answer) -> Vec<Deviation> {
        DuelQuestion::accepted(answer).unwrap_or_default()
    }

    /// What is wrong with an answer, so that it is not accepted; nothing if it is. Whether the cards may be played, the
    /// duel says.
    #[must_use]
    pub fn fault_in(answer: &Answer) -> Option<Fault> {
        DuelQuestion::accepted(answer).err()
    }

    /// What an accepted answer deviates in.
    fn accepted(answer: &Answer) -> Result<Vec<Deviation>, Fault> {
        match answer.status {
            200 => reader::cards(answer).map(|taken| taken.deviations),
            status => Err(Fault::Status(status)),
        }
    }

    /// The query of A-1, brackets and commas unescaped.
    #[must_use]
    pub fn query(&self) -> String {
        format!(
            "{YOUR_MOVES}={}&{OTHER_MOVES}={}&{HAND}={}&{OTHER_CARDS}={}",
            list(&self.your_moves),
            list(&self.other_moves),
            list(&self.cards),
            self.other_cards
        )
    }

    /// The whole URL of the request of A-1: the AI's own, with its own query first if it has one.
    #[must_use]
    pub fn url(&self, ai: &DuelUrl) -> String {
        let ai = ai.as_str();
        let joint = match ai.split_once('?') {
            None => "?",
            Some((_, own)) if own.is_empty() || own.ends_with('&') => "",
            Some(_) => "&",
        };
        format!("{ai}{joint}{}", self.query())
    }

    /// Reads the query of A-1 on the AI's side: the parameters in any order, brackets and commas escaped or not,
    /// blanks within a list allowed, parameters that A-1 does not know passed over. [`DuelQuestion::seen`] is
    /// empty: it is in the header ([`Seen::from_header`]).
    ///
    /// # Errors
    /// [`BadQuestion`] names the parameter and says what is wrong with it.
    pub fn from_query(query: &str) -> Result<DuelQuestion, BadQuestion> {
        let mut values: [(&'static str, Option<String>); 4] =
            [YOUR_MOVES, OTHER_MOVES, HAND, OTHER_CARDS].map(|name| (name, None));
        for parameter in query.split('&') {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let name = percent_decode_str(name).decode_utf8_lossy();
            if let Some((known, slot)) = values.iter_mut().find(|(known, _)| *known == name) {
                if slot.is_some() {
                    return Err(BadQuestion::Twice(known));
                }
                *slot = Some(percent_decode_str(value).decode_utf8_lossy().replace('+', " "));
            }
        }
        let [your_moves, other_moves, cards, other_cards] =
            values.map(|(name, value)| value.ok_or(BadQuestion::Missing(name)));
        let question = DuelQuestion {
            your_moves: numbers(YOUR_MOVES, &your_moves?, 0)?,
            other_moves: numbers(OTHER_MOVES, &other_moves?, 0)?,
            cards: numbers(HAND, &cards?, 1)?,
            other_cards: number(&other_cards?, 0, CARDS).ok_or(BadQuestion::NotANumber)?,
            seen: None,
        };
        match question.distance() {
            Some(_) => Ok(question),
            None => Err(BadQuestion::TooFar(question.moved())),
        }
    }

    /// The squares between the two: 22 less all moves told (R-6.7). `None` where the moves told can't be, because
    /// less than one square would be left.
    #[must_use]
    pub fn distance(&self) -> Option<u8> {
        let left = u16::from(START_DISTANCE).checked_sub(self.moved())?;
        u8::try_from(left).ok().filter(|&left| left >= 1)
    }

    fn moved(&self) -> u16 {
        self.your_moves.iter().chain(&self.other_moves).fold(0, |sum, &m| sum.saturating_add(m.into()))
    }
}

impl Seen {
    /// The header's text (A-4): compact JSON.
    #[must_use]
    pub fn header(&self) -> String {
        serde_json::to_string(self).expect("numbers, booleans and lists of them are always JSON")
    }

    /// Reads the header on the AI's side; `None` for anything that is not what A-4 says. Fields that A-4 does not
    /// know are passed over.
    #[must_use]
    pub fn from_header(text: &str) -> Option<Seen> {
        serde_json::from_str(text).ok()
    }
}

fn list(numbers: &[u8]) -> String {
    let mut text = String::from("[");
    for (at, number) in numbers.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(text, "{comma}{number}").expect("a String takes all that is written to it");
    }
    text.push(']');
    text
}

fn numbers(name: &'static str, text: &str, low: u8) -> Result<Vec<u8>, BadQuestion> {
    let inside = text
        .trim()
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .ok_or(BadQuestion::NotAList(name))?;
    if inside.trim().is_empty() {
        return Ok(Vec::new());
    }
    let max = usize::from(CARDS);
    if inside.split(',').nth(max).is_some() {
        return Err(BadQuestion::TooMany(name));
    }
    inside.split(',').map(|item| number(item, low, 5).ok_or(BadQuestion::NotACard { name, low })).collect()
}

fn number(text: &str, low: u8, high: u8) -> Option<u8> {
    text.trim().parse().ok().filter(|number| (low..=high).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question() -> DuelQuestion {
        DuelQuestion {
            your_moves: vec![1, 5, 4, 1],
            other_moves: vec![1, 2, 2, 4],
            cards: vec![3, 2, 1, 1, 2, 2],
            other_cards: 5,
            seen: None,
        }
    }

    const A_1: &str = "yourmoves=[1,5,4,1]&othermoves=[1,2,2,4]&cards=[3,2,1,1,2,2]&othernbcards=5";

    #[test]
    fn a_1_the_query_is_the_contract_s() {
        assert_eq!(question().query(), A_1);
        assert_eq!(DuelQuestion::default().query(), "yourmoves=[]&othermoves=[]&cards=[]&othernbcards=0");
    }

    #[test]
    fn a_1_the_url_keeps_its_own_query() {
        let cases = [
            ("http://ai.example/prod/action", "http://ai.example/prod/action?"),
            ("http://ai.example", "http://ai.example/?"),
            ("http://ai.example/a?", "http://ai.example/a?"),
            ("http://ai.example/a?key=1", "http://ai.example/a?key=1&"),
            ("http://ai.example/a?key=1&", "http://ai.example/a?key=1&"),
        ];
        for (ai, begins) in cases {
            let url = question().url(&DuelUrl::parse(ai).unwrap());
            assert_eq!(url, format!("{begins}{A_1}"), "{ai}");
        }
    }

    #[test]
    fn a_1_brackets_and_commas_survive_a_url_parser() {
        let url = question().url(&DuelUrl::parse("http://ai.example/action?key=1").unwrap());
        assert_eq!(url::Url::parse(&url).unwrap().as_str(), url);
    }

    #[track_caller]
    fn check(query: &str, expected: Result<DuelQuestion, &str>) {
        let read = DuelQuestion::from_query(query);
        assert_eq!(read.map_err(|bad| bad.to_string()), expected.map_err(str::to_owned), "{query}");
    }

    #[test]
    fn a_1_what_an_ai_reads() {
        let empty = DuelQuestion { cards: vec![5], ..DuelQuestion::default() };
        for query in [
            A_1,
            "yourmoves=%5B1,5,4,1%5D&othermoves=%5b1%2c2%2C2,4%5d&cards=[3,2,1,1,2,2]&othernbcards=5",
            "othernbcards=5&cards=[3,2,1,1,2,2]&othermoves=[1,2,2,4]&yourmoves=[1,5,4,1]",
            "stage=prod&yourmoves=[1,5,4,1]&&othermoves=[1,2,2,4]&x&cards=[3,2,1,1,2,2]&othernbcards=5&y=",
            "yourmoves=[1,+5,%204,1]&othermoves=[ 1,2,2,4 ]&cards= [3,2,1,1,2,2] &othernbcards=+5",
        ] {
            check(query, Ok(question()));
        }
        check("yourmoves=[]&othermoves=[ ]&cards=[5]&othernbcards=0", Ok(empty));
    }

    #[test]
    fn a_1_what_an_ai_refuses() {
        let long = format!("yourmoves=[0{}]&othermoves=[]&cards=[]&othernbcards=0", ",0".repeat(25));
        for (query, why) in [
            ("", "yourmoves is missing"),
            ("yourmoves=[]", "othermoves is missing"),
            ("yourmoves=[]&othermoves=[]", "cards is missing"),
            ("yourmoves=[]&othermoves=[]&cards=[]", "othernbcards is missing"),
            ("cards=[]&cards=[]", "cards is given twice"),
            ("yourmoves&othermoves=[]&cards=[]&othernbcards=0", "yourmoves is not a list such as [3,2,1]"),
            (
                "yourmoves=[]&othermoves=1,2&cards=[]&othernbcards=0",
                "othermoves is not a list such as [3,2,1]",
            ),
            ("yourmoves=[]&othermoves=[]&cards=[1&othernbcards=0", "cards is not a list such as [3,2,1]"),
            (
                "yourmoves=[6]&othermoves=[]&cards=[]&othernbcards=0",
                "yourmoves holds something else than whole numbers from 0 to 5",
            ),
            (
                "yourmoves=[]&othermoves=[]&cards=[0]&othernbcards=0",
                "cards holds something else than whole numbers from 1 to 5",
            ),
            (
                "yourmoves=[]&othermoves=[]&cards=[1,,2]&othernbcards=0",
                "cards holds something else than whole numbers from 1 to 5",
            ),
            (
                "yourmoves=[]&othermoves=[]&cards=[-1]&othernbcards=0",
                "cards holds something else than whole numbers from 1 to 5",
            ),
            (long.as_str(), "yourmoves holds more than 25 numbers"),
            (
                "yourmoves=[]&othermoves=[]&cards=[]&othernbcards=26",
                "othernbcards is not a whole number from 0 to 25",
            ),
            (
                "yourmoves=[]&othermoves=[]&cards=[]&othernbcards=",
                "othernbcards is not a whole number from 0 to 25",
            ),
            (
                "yourmoves=[5,5,1]&othermoves=[5,5,1]&cards=[]&othernbcards=0",
                "the moves add up to 22 squares, but only 21 can be moved",
            ),
            (
                "yourmoves=[5,5,5]&othermoves=[5,5,5]&cards=[]&othernbcards=0",
                "the moves add up to 30 squares, but only 21 can be moved",
            ),
        ] {
            check(query, Err(why));
        }
    }

    #[test]
    fn r_6_7_the_distance_is_22_less_all_moves() {
        assert_eq!(question().distance(), Some(2));
        assert_eq!(DuelQuestion::default().distance(), Some(22));
        let at = |your: &[u8], other: &[u8]| {
            DuelQuestion { your_moves: your.into(), other_moves: other.into(), ..DuelQuestion::default() }
                .distance()
        };
        assert_eq!(at(&[5, 5, 5, 5], &[1]), Some(1));
        assert_eq!(at(&[5, 5, 5, 5], &[2]), None);
        assert_eq!(at(&[255; 300], &[255; 300]), None);
    }

    #[test]
    fn a_4_the_header_is_the_contract_s() {
        let seen = Seen {
            distance: 2,
            hand_size: 6,
            other_hand_size: 6,
            pile: 6,
            first: true,
            turns: vec![
                SeenTurn { you: true, step: Some(3), attack: vec![], parried: None },
                SeenTurn { you: false, step: Some(5), attack: vec![4, 4], parried: Some(true) },
            ],
        };
        let text = r#"{"distance":2,"hand_size":6,"other_hand_size":6,"pile":6,"first":true,"turns":[{"you":true,"move":3},{"you":false,"move":5,"attack":[4,4],"parried":true}]}"#;
        assert_eq!(seen.header(), text);
        assert_eq!(Seen::from_header(text), Some(seen.clone()));
        assert_eq!(Seen::from_header(&text.replacen('{', r#"{"more":[1],"#, 1)), Some(seen));
    }

    #[test]
    fn a_4_nonsense_in_the_header_is_nothing() {
        for text in [
            "",
            "1",
            "[]",
            "{}",
            "{\"distance\":2}",
            "\u{feff}",
            "{\"distance\":300,\"hand_size\":6,\"other_hand_size\":6,\"pile\":6,\"first\":true,\"turns\":[]}",
        ] {
            assert_eq!(Seen::from_header(text), None, "{text}");
        }
    }
}
