//! A position in words, and what an AI thinks of each legal play.
//!
//! ```
//! use fight_lambda_reference::{Mind, explain::Explained};
//! use gm_core::contract::DuelQuestion;
//! let question = DuelQuestion::from_query("yourmoves=[5,5,5]&othermoves=[2]&cards=[1,5,5,5]&othernbcards=2").unwrap();
//! let explained = Explained::by(&mut *Mind::Careful.wake(1), "careful", &question);
//! assert_eq!((explained.distance, explained.play.as_slice()), (5, &[5, 5, 5][..]));
//! ```

use crate::Ai;
use crate::ai::Weighed;
use gm_core::arena::duel::{Card, Hand, Play, Plays};
use gm_core::contract::duel::CARDS;
use gm_core::contract::{BadQuestion, DuelQuestion, Seen};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// What is asked on the command line: the parameters of A-1 and the header of A-4, as texts.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// `cards`, with brackets or without.
    pub cards: String,
    /// `yourmoves`.
    pub your_moves: String,
    /// `othermoves`.
    pub other_moves: String,
    /// `othernbcards`.
    pub other_cards: String,
    /// The header's JSON, if there is one.
    pub seen: Option<String>,
}

/// Why a position can't be explained.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPosition {
    /// Not a question of A-1.
    #[error(transparent)]
    Question(#[from] BadQuestion),
    /// More cards of a value than there are.
    #[error("{cards} cards of value {value} are told of, but there are only {}", Card::OF_EACH)]
    TooManyOf {
        /// The value.
        value: u8,
        /// How many are told of.
        cards: usize,
    },
    /// More cards than there are.
    #[error("cards, moves and othernbcards are {0} cards together, but there are only {CARDS}")]
    TooMany(usize),
    /// Not a header of A-4.
    #[error(
        "seen is not what A-4 says: \
         {{\"distance\":2,\"hand_size\":6,\"other_hand_size\":6,\"pile\":6,\"first\":true,\"turns\":[]}}"
    )]
    Seen,
    /// The header speaks of another distance than the moves.
    #[error("seen says that the distance is {seen}, but by the moves it is {moves}")]
    Distance {
        /// In the header.
        seen: u8,
        /// By the moves.
        moves: u8,
    },
    /// The header speaks of another pile than the cards leave.
    #[error("seen says that {seen} cards are in the pile, but by the cards and moves it is {left}")]
    Pile {
        /// In the header.
        seen: u8,
        /// By the cards that are held and were laid down.
        left: usize,
    },
}

impl Asked {
    /// The question that it is.
    ///
    /// # Errors
    /// [`BadPosition`] says what is wrong, in the words of the contract.
    pub fn question(&self) -> Result<DuelQuestion, BadPosition> {
        let list = |text: &str| {
            let text = text.trim();
            if text.starts_with('[') { text.to_owned() } else { format!("[{text}]") }
        };
        let mut question = DuelQuestion::from_query(&format!(
            "yourmoves={}&othermoves={}&cards={}&othernbcards={}",
            list(&self.your_moves),
            list(&self.other_moves),
            list(&self.cards),
            self.other_cards
        ))?;
        let laid_down = question.your_moves.len() + question.other_moves.len();
        let all = question.cards.len() + laid_down + usize::from(question.other_cards);
        if all > usize::from(CARDS) {
            return Err(BadPosition::TooMany(all));
        }
        if let Some(seen) = &self.seen {
            let seen = Seen::from_header(seen).ok_or(BadPosition::Seen)?;
            if let Some(moves) = question.distance().filter(|&moves| moves != seen.distance) {
                return Err(BadPosition::Distance { seen: seen.distance, moves });
            }
            let left = usize::from(CARDS) - all;
            if usize::from(seen.pile) != left {
                return Err(BadPosition::Pile { seen: seen.pile, left });
            }
            question.seen = Some(seen);
        }
        for value in Card::ALL.map(Card::value) {
            let cards = told_of(&question, value);
            if cards > usize::from(Card::OF_EACH) {
                return Err(BadPosition::TooManyOf { value, cards });
            }
        }
        Ok(question)
    }
}

/// How many cards of a value are held, moved and, where the header tells it, fought.
fn told_of(question: &DuelQuestion, value: u8) -> usize {
    let of_value = |list: &[u8]| list.iter().filter(|card| **card == value).count();
    let turns = question.seen.iter().flat_map(|seen| &seen.turns);
    let fought = turns.map(|turn| of_value(&turn.attack) * if turn.parried == Some(true) { 2 } else { 1 });
    let lists = [&question.cards, &question.your_moves, &question.other_moves];
    lists.map(|list| of_value(list)).into_iter().chain(fought).sum()
}

/// A position, and what an AI thinks of it. As JSON it is one object, whose fields stay as they are; new ones may come.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// Squares between the two.
    pub distance: u8,
    /// The hand, lowest first.
    pub cards: Vec<u8>,
    /// How many cards the other holds.
    pub other_cards: u8,
    /// How many cards are left in the pile.
    pub pile: u8,
    /// How many cards of each value were not seen: each is with the other, in the pile, or one of `unknown`.
    pub unseen: BTreeMap<u8, u8>,
    /// How many cards attacked or parried and are known to nobody who was not told the header of A-4.
    pub unknown: u8,
    /// The AI.
    pub ai: String,
    /// The cards that it plays; empty where nothing can be played, and the duel is lost (R-6.6).
    pub play: Vec<u8>,
    /// Why that is illegal (R-6.3); `null` if it is not.
    pub illegal: Option<String>,
    /// Whether the AI says what it thinks of each play.
    pub weighs: bool,
    /// Every legal play, the best first; in the order of the rules for an AI that does not weigh.
    pub plays: Vec<Choice>,
}

/// One legal play.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// Its cards (A-2).
    pub cards: Vec<u8>,
    /// What it does, in words.
    pub words: String,
    /// The score that the AI expects of it, 0 to 1; `null` where it does not say.
    pub value: Option<f64>,
    /// Whether the AI plays it.
    pub played: bool,
}

impl Explained {
    /// What an AI thinks of a position.
    #[must_use]
    pub fn by(ai: &mut dyn Ai, name: &str, question: &DuelQuestion) -> Explained {
        let weighed = ai.weigh(question);
        // What it would play comes first. Asked again, one that thinks by the clock may think otherwise.
        let play = weighed.first().map_or_else(|| ai.play(question), |first| first.play.cards());
        Explained::of(name, question, play, &weighed)
    }

    /// A position in which an AI makes this play, and what it has said of the plays, if it has.
    #[must_use]
    pub fn of(name: &str, question: &DuelQuestion, play: Vec<u8>, weighed: &[Weighed]) -> Explained {
        let distance = question.distance().unwrap_or_default();
        let hand: Hand = question.cards.iter().copied().filter_map(Card::of).collect();
        let plays = Plays::of(&hand, distance);
        let legal = |play: &[u8]| Play::parse(play, distance)?.check(&hand, distance);
        let illegal = match legal(&play) {
            // R-6.6: nobody is asked who can't play.
            Err(_) if plays.is_empty() && play.is_empty() => None,
            checked => checked.err().map(|why| why.to_string()),
        };
        let value = |play: &Play| weighed.iter().find(|it| it.play == *play).map(|it| it.value);
        let mut choices: Vec<Choice> = plays
            .iter()
            .map(|it| Choice {
                cards: it.cards(),
                words: words(*it, distance),
                value: value(it),
                played: it.cards() == play,
            })
            .collect();
        // What was not weighed comes last. What is played comes before what is as good.
        let rank = |it: &Choice| it.value.unwrap_or(f64::NEG_INFINITY);
        if !weighed.is_empty() {
            choices.sort_by(|one, next| {
                rank(next).total_cmp(&rank(one)).then_with(|| next.played.cmp(&one.played))
            });
        }
        let (unseen, unknown) = unseen(question);
        let laid_down = question.your_moves.len() + question.other_moves.len();
        let gone = question.cards.len() + laid_down + usize::from(question.other_cards);
        let left = u8::try_from(usize::from(CARDS).saturating_sub(gone)).unwrap_or_default();
        Explained {
            distance,
            cards: hand.cards(),
            other_cards: question.other_cards,
            pile: question.seen.as_ref().map_or(left, |seen| seen.pile),
            unseen,
            unknown,
            ai: name.to_owned(),
            play,
            illegal,
            weighs: !weighed.is_empty(),
            plays: choices,
        }
    }
}

/// How many cards of each value were not seen, and how many were laid down without being shown.
fn unseen(question: &DuelQuestion) -> (BTreeMap<u8, u8>, u8) {
    let mut unseen: BTreeMap<u8, u8> = Card::ALL.map(|card| (card.value(), Card::OF_EACH)).into();
    let mut see = |value: u8, cards: u8| {
        if let Some(left) = unseen.get_mut(&value) {
            *left = left.saturating_sub(cards);
        }
    };
    question.cards.iter().for_each(|&value| see(value, 1));
    let moves = question.your_moves.iter().chain(&question.other_moves);
    moves.clone().for_each(|&value| see(value, 1));
    let mut unknown = moves.filter(|&&value| value == 0).count();
    for turn in question.seen.iter().flat_map(|seen| &seen.turns) {
        let each = if turn.parried == Some(true) { 2 } else { 1 };
        for &value in &turn.attack {
            see(value, each);
            unknown = unknown.saturating_sub(each.into());
        }
    }
    (unseen, u8::try_from(unknown).unwrap_or(u8::MAX))
}

/// What a play does, in words.
fn words(play: Play, distance: u8) -> String {
    let attack = |with: Card, cards: u8| match cards {
        1 => format!("attack with a {with}"),
        _ => format!("attack with {cards} × {with}"),
    };
    match play {
        Play::Move(step) => format!("move by {step}, to distance {}", distance.saturating_sub(step.value())),
        Play::Attack { with, cards } => attack(with, cards),
        Play::Indirect { step, with, cards } => format!("move by {step}, then {}", attack(with, cards)),
    }
}

/// A list as A-2 writes it.
fn list(cards: &[u8]) -> String {
    let cards: Vec<String> = cards.iter().map(ToString::to_string).collect();
    format!("[{}]", cards.join(","))
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explained { distance, cards, other_cards, pile, ai, .. } = self;
        let squares = if *distance == 1 { "1 square".to_owned() } else { format!("{distance} squares") };
        writeln!(f, "{squares} apart, and it is your turn")?;
        let count = |n: usize| format!("{n} card{}", if n == 1 { "" } else { "s" });
        writeln!(f, "you hold    {}, {}", list(cards), count(cards.len()))?;
        writeln!(f, "the other   {}", count((*other_cards).into()))?;
        writeln!(f, "the pile    {}", count((*pile).into()))?;
        let unseen: Vec<String> =
            self.unseen.iter().map(|(value, cards)| format!("{cards} × {value}")).collect();
        writeln!(f, "unseen      {}", unseen.join("  "))?;
        if self.unknown > 0 {
            let unknown = self.unknown;
            writeln!(
                f,
                "            {unknown} of them attacked or parried: which, only the header says (A-4)"
            )?;
        }
        if self.plays.is_empty() {
            return writeln!(f, "\nNone of the cards can be played: this duel is lost (R-6.6).");
        }
        writeln!(f)?;
        if let Some(why) = &self.illegal {
            writeln!(f, "{ai} plays {}, which is illegal (R-6.3): {why}", list(&self.play))?;
        }
        if !self.weighs {
            writeln!(f, "{ai} does not say what it thinks of the plays.")?;
        }
        let width = self.plays.iter().map(|it| list(&it.cards).len()).max().unwrap_or_default();
        let heading =
            if self.weighs { "value of each play to" } else { "the legal plays; → is the one of" };
        writeln!(f, "{heading} {ai}{}", if self.weighs { " (1 won, 0.5 drawn, 0 lost)" } else { "" })?;
        for choice in &self.plays {
            let mark = if choice.played { "→" } else { " " };
            write!(f, "{mark} ")?;
            match choice.value {
                Some(value) => write!(f, "{value:.4}  ")?,
                None if self.weighs => write!(f, "     -  ")?,
                None => {}
            }
            writeln!(f, "{:width$}  {}", list(&choice.cards), choice.words)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Greedy, IsMcts};

    fn asked(cards: &str, your_moves: &str, other_moves: &str, other_cards: &str) -> Asked {
        Asked {
            cards: cards.into(),
            your_moves: your_moves.into(),
            other_moves: other_moves.into(),
            other_cards: other_cards.into(),
            seen: None,
        }
    }

    /// The example of A-1.
    fn example() -> DuelQuestion {
        asked("3,2,1,1,2,2", "1,5,4,1", "[1,2,2,4]", "5").question().unwrap()
    }

    #[test]
    fn lists_with_brackets_and_without() {
        let question = example();
        assert_eq!(question, asked("[3,2,1,1,2,2]", " [1,5,4,1] ", "1,2,2,4", "5").question().unwrap());
        assert_eq!(asked("5", "", "[]", "0").question().unwrap().your_moves, Vec::<u8>::new());
    }

    #[test]
    fn nonsense_gets_the_contract_s_words() {
        for (asked, why) in [
            (asked("9", "", "", "5"), "cards holds something else than whole numbers from 1 to 5"),
            (asked("[1", "", "", "5"), "cards is not a list such as [3,2,1]"),
            (asked("1&cards=[2", "", "", "5"), "cards is given twice"),
            (asked("1", "1;2", "", "5"), "yourmoves holds something else than whole numbers from 0 to 5"),
            (asked("1", "", "", "many"), "othernbcards is not a whole number from 0 to 25"),
            (asked("1,1,1", "1,1", "1", "5"), "6 cards of value 1 are told of, but there are only 5"),
            (
                asked("1,2,3", "", "", "23"),
                "cards, moves and othernbcards are 26 cards together, but there are only 25",
            ),
            (asked("1", "5,5,5", "5,5,5", "5"), "the moves add up to 30 squares, but only 21 can be moved"),
        ] {
            assert_eq!(asked.question().map_err(|bad| bad.to_string()), Err(why.to_owned()));
        }
        let seen = |seen: &str| Asked { seen: Some(seen.into()), ..asked("1", "", "", "1") };
        assert_eq!(seen("{}").question(), Err(BadPosition::Seen));
        let header = |distance| {
            format!(
                r#"{{"distance":{distance},"hand_size":1,"other_hand_size":1,"pile":23,"first":true,"turns":[]}}"#
            )
        };
        assert_eq!(seen(&header(21)).question(), Err(BadPosition::Distance { seen: 21, moves: 22 }));
        assert!(seen(&header(22)).question().unwrap().seen.is_some());
        let pile = header(22).replace("23", "255");
        assert_eq!(seen(&pile).question(), Err(BadPosition::Pile { seen: 255, left: 23 }));
    }

    #[test]
    fn who_weighs_is_shown_with_values() {
        let explained = Explained::by(&mut IsMcts::new(1, 500), "ismcts:500", &example());
        assert!(explained.weighs && explained.illegal.is_none());
        // No 2 is unseen: any attack hits.
        assert!(explained.play.iter().all(|&card| card == 2), "{explained}");
        assert_eq!(explained.plays.iter().filter(|it| it.played).count(), 1);
        assert!(explained.plays.is_sorted_by(|one, next| one.value >= next.value), "{explained}");
        let text = explained.to_string();
        let begins = "\
2 squares apart, and it is your turn
you hold    [1,1,2,2,2,3], 6 cards
the other   5 cards
the pile    6 cards
unseen      0 × 1  0 × 2  4 × 3  3 × 4  4 × 5

value of each play to ismcts:500 (1 won, 0.5 drawn, 0 lost)
";
        assert!(text.starts_with(begins), "{text}");
        assert!(text.lines().any(|line| line.starts_with("→ 1.0000  [2")), "{text}");
        assert!(text.contains(" 1.0000  [2,2,2]  attack with 3 × 2\n"), "{text}");
    }

    #[test]
    fn who_does_not_weigh_is_said_not_to() {
        let explained = Explained::by(&mut Greedy, "greedy", &example());
        let plays = "\
greedy does not say what it thinks of the plays.
the legal plays; → is the one of greedy
  [1]      move by 1, to distance 1
  [1,1]    move by 1, then attack with a 1
  [2]      attack with a 2
  [2,2]    attack with 2 × 2
→ [2,2,2]  attack with 3 × 2
";
        assert!(explained.to_string().ends_with(plays), "{explained}");
        assert!(explained.plays.iter().all(|it| it.value.is_none()));
    }

    #[test]
    fn r_6_3_an_illegal_play_is_called_so() {
        let explained = Explained::of("http://ai.example/", &example(), vec![5], &[]);
        let expected =
            "http://ai.example/ plays [5], which is illegal (R-6.3): 5 goes onto or past the other\n";
        assert!(explained.to_string().contains(expected), "{explained}");
        assert!(explained.plays.iter().all(|it| !it.played));
    }

    #[test]
    fn r_6_6_no_play_is_a_lost_duel() {
        let question = asked("4,5", "5,5,5", "5", "3").question().unwrap();
        let explained = Explained::by(&mut Greedy, "greedy", &question);
        assert!(explained.to_string().ends_with("this duel is lost (R-6.6).\n"), "{explained}");
        assert_eq!((explained.illegal, explained.plays), (None, vec![]));
    }

    /// Two 4s attacked and two parried. With the header it is known that they were 4s.
    #[test]
    fn a_4_what_the_header_shows() {
        let mut asked = asked("1,4", "5,5,0,0", "5,3,0,0", "3");
        let unseen = |asked: &Asked| {
            let explained = Explained::by(&mut Greedy, "greedy", &asked.question().unwrap());
            (explained.unseen[&4], explained.unknown, explained.pile)
        };
        assert_eq!(unseen(&asked), (4, 4, 12));
        let turns = r#"[{"you":true,"move":5},{"you":false,"move":5},{"you":true,"move":5},{"you":false,"move":3,"attack":[4,4],"parried":true}]"#;
        asked.seen = Some(format!(
            r#"{{"distance":4,"hand_size":4,"other_hand_size":3,"pile":12,"first":true,"turns":{turns}}}"#
        ));
        assert_eq!(unseen(&asked), (0, 0, 12));
        // One more would be a sixth.
        asked.cards = "4,4".to_owned();
        assert_eq!(asked.question(), Err(BadPosition::TooManyOf { value: 4, cards: 6 }));
    }

    #[test]
    fn for_programs() {
        let question = asked("1", "5,5,5", "5", "3").question().unwrap();
        let json = serde_json::to_value(Explained::by(&mut Greedy, "greedy", &question)).unwrap();
        let expected = serde_json::json!({
            "distance": 2, "cards": [1], "other_cards": 3, "pile": 17,
            "unseen": { "1": 4, "2": 5, "3": 5, "4": 5, "5": 1 }, "unknown": 0,
            "ai": "greedy", "play": [1], "illegal": null, "weighs": false,
            "plays": [{ "cards": [1], "words": "move by 1, to distance 1", "value": null, "played": true }],
        });
        assert_eq!(json, expected);
    }
}
