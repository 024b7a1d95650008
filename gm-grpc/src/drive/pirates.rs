//! The pirates' AI, in process (R-5.1): one of `fight-lambda-reference`, whose answer is written as over HTTP.

use fight_lambda_reference::{Ai, Budget, Mind};
use gm_core::contract::{Answer, DuelQuestion, Envelope};
use gm_core::ports::PirateMind;
use serde_json::json;

/// A pirate at its seat.
pub(super) struct Pirates(Box<dyn Ai>);

impl Pirates {
    /// One that thinks for as long as pirates do: by no clock, so that it always answers the same (R-10.5).
    pub(super) fn new(mind: PirateMind, seed: u64) -> Pirates {
        Pirates(Mind::from(mind).wake_within(seed, Budget::PIRATES))
    }

    pub(super) fn answer(&mut self, question: &DuelQuestion) -> Answer {
        Answer::ok(json!(Envelope { res: self.0.play(question) }).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R-5.1 (cfg which): each mind, a question, and what it may answer. All but one see that three 5s can't be parried
    /// by two cards; that one has to be lucky to find them.
    #[test]
    fn r_5_1_the_minds_of_pirates() {
        let query = "yourmoves=[5,5,5]&othermoves=[2]&cards=[1,5,5,5]&othernbcards=2";
        let question = DuelQuestion::from_query(query).expect("a good question");
        let answers = |mind| (0..100).map(move |seed| Pirates::new(mind, seed));
        let hit = Answer::ok(r#"{"res":[5,5,5]}"#);
        let hits =
            |mind| answers(mind).filter_map(|mut it| (it.answer(&question) == hit).then_some(())).count();
        for mind in [PirateMind::Greedy, PirateMind::Careful, PirateMind::Search] {
            assert_eq!(hits(mind), 100, "{}", mind.name());
        }
        let lucky = hits(PirateMind::Random);
        assert!((1..100).contains(&lucky), "{lucky} of 100");
    }

    /// Questions to which AIs that see more answer something else: those far from each other, and those where moves and
    /// attacks are to be weighed.
    const QUESTIONS: [&str; 6] = [
        "yourmoves=[]&othermoves=[]&cards=[1,2,3,4,5]&othernbcards=5",
        "yourmoves=[3]&othermoves=[5]&cards=[1,1,3,5]&othernbcards=4",
        "yourmoves=[5,2]&othermoves=[5]&cards=[1,1,3,5]&othernbcards=4",
        "yourmoves=[5]&othermoves=[4]&cards=[1,3,3,5]&othernbcards=4",
        "yourmoves=[5,5]&othermoves=[5,3]&cards=[1,3,4,4]&othernbcards=5",
        "yourmoves=[5,4]&othermoves=[5]&cards=[1,2,2,5]&othernbcards=3",
    ];

    /// What a mind answers to the questions.
    fn answers(mind: PirateMind, seed: u64) -> Vec<Answer> {
        let answer = |query| {
            let question = DuelQuestion::from_query(query).expect("a good question");
            Pirates::new(mind, seed).answer(&question)
        };
        QUESTIONS.map(answer).to_vec()
    }

    /// R-5.1, R-10.5: pirates answer as the AI of their name does within their budget, and the same each time.
    #[test]
    fn r_5_1_each_mind_answers_as_its_ai_does() {
        for mind in PirateMind::ALL {
            let mut ai = Mind::from(mind).wake_within(7, Budget::PIRATES);
            let played = QUESTIONS.map(|query| {
                let res = ai.play(&DuelQuestion::from_query(query).expect("a good question"));
                Answer::ok(json!(Envelope { res }).to_string())
            });
            assert_eq!(answers(mind, 7), played, "{}", mind.name());
            assert_eq!(answers(mind, 7), answers(mind, 7), "{}", mind.name());
        }
        assert!(matches!(Budget::PIRATES, Budget::Iterations(1..)), "never by a clock");
        assert_ne!(answers(PirateMind::Greedy, 7), answers(PirateMind::Careful, 7));
        assert_ne!(answers(PirateMind::Random, 7), answers(PirateMind::Random, 8));
    }
}
