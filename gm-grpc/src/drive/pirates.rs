//! The pirates' AI, in process (R-5.1): one of `fight-lambda-reference`, whose answer is written as over HTTP.

use fight_lambda_reference::{Ai, Mind};
use gm_core::contract::{Answer, DuelQuestion, Envelope};
use gm_core::ports::PirateMind;
use serde_json::json;

/// A pirate at its seat.
pub(super) struct Pirates(Box<dyn Ai>);

impl Pirates {
    pub(super) fn new(mind: PirateMind, seed: u64) -> Pirates {
        Pirates(Mind::from(mind).wake(seed))
    }

    pub(super) fn answer(&mut self, question: &DuelQuestion) -> Answer {
        Answer::ok(json!(Envelope { res: self.0.play(question) }).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R-5.1 (cfg which): each mind, a question, and what it may answer. The reference AI sees that three 5s can't be
    /// parried by two cards; the other one has to be lucky to find them.
    #[test]
    fn r_5_1_the_minds_of_pirates() {
        let query = "yourmoves=[5,5,5]&othermoves=[2]&cards=[1,5,5,5]&othernbcards=2";
        let question = DuelQuestion::from_query(query).expect("a good question");
        let answers = |mind| (0..100).map(move |seed| Pirates::new(mind, seed));
        let hit = Answer::ok(r#"{"res":[5,5,5]}"#);
        let hits =
            |mind| answers(mind).filter_map(|mut it| (it.answer(&question) == hit).then_some(())).count();
        assert_eq!(hits(PirateMind::Reference), 100);
        let lucky = hits(PirateMind::Random);
        assert!((1..100).contains(&lucky), "{lucky} of 100");
    }
}
