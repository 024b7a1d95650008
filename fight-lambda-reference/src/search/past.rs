//! What has happened in a duel, as the one who is asked can know it (R-6.7, A-4).
//!
//! With the header `X-EACC-DUEL` all is known. From the four parameters alone, cards that attacked or parried are 0s,
//! and where a turn ends is not told. But turns alternate, an attack needs the distance of its cards, what parries
//! stands in the other's list at that very place, and there are five cards of a value: often there is only one way to
//! read the lists, and else the first is taken that explains them.
//!
//! ```text
//! yourmoves [5,0,0] othermoves [5,5,3,0,0]   22 − 5 − 5 − 5 − 3 = 4: the 0s are 4s; I attacked, or the other did
//! ```

use super::cards::{ALL, Counts, counted, total, without};
use super::view::{Deed, Habits, View};
use gm_core::contract::{DuelQuestion, Seen};

/// A turn that was played; an attack in it was parried, since the duel goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Whether it was the turn of the one who is asked.
    pub(crate) mine: bool,
    /// What was done.
    pub(crate) deed: Deed,
}

/// A duel up to now, seen by the one who is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Past {
    /// The turns, oldest first.
    pub(crate) turns: Vec<Turn>,
    /// What the one who is asked knows.
    pub(crate) view: View,
    /// What the other saw of the one who is asked.
    pub(crate) my_habits: Habits,
}

/// A moment of the past: what all could see at the start of a turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// The turn that was then played.
    pub(crate) turn: Turn,
    /// The squares between the two.
    pub(crate) distance: u8,
    /// All cards that had been laid down.
    pub(crate) laid: Counts,
    /// How many cards each held: the one who is asked, the other.
    pub(crate) held: [u8; 2],
    /// How many cards were in the pile.
    pub(crate) pile: u8,
    /// What each had been seen to do: the one who is asked, the other.
    pub(crate) habits: [Habits; 2],
    /// How many cards were drawn at the end of the turn.
    pub(crate) drew: u8,
}

impl Past {
    /// `None` where nothing can be played: the moves add up to more squares than there are.
    pub(crate) fn read(question: &DuelQuestion) -> Option<Past> {
        let distance = question.distance()?;
        let hand = counted(&question.cards);
        let told = question.seen.as_ref().and_then(|seen| told(seen, question));
        let turns = told.or_else(|| Reading::of(question, &hand)).unwrap_or_default();
        Some(Past::after(turns, question, hand, distance))
    }

    fn after(turns: Vec<Turn>, question: &DuelQuestion, hand: Counts, distance: u8) -> Past {
        let laid = laid(&turns).and_then(|laid| without(&ALL, &laid)).and_then(|left| without(&left, &hand));
        // Where the turns can't be, at least the cards that are told.
        let unseen = laid.unwrap_or_else(|| {
            let mut left = ALL;
            let moves = question.your_moves.iter().chain(&question.other_moves);
            for &value in moves.chain(&question.cards).filter(|value| (1..=5).contains(*value)) {
                left[usize::from(value)] = left[usize::from(value)].saturating_sub(1);
            }
            left
        });
        let other = question.other_cards.min(total(&unseen));
        // Each card that was laid down stands in one of the lists.
        let told = question.your_moves.len() + question.other_moves.len() + question.cards.len();
        let pile = usize::from(total(&ALL)).saturating_sub(told) as u8;
        let pile = pile.saturating_sub(question.other_cards).min(total(&unseen) - other);
        // Who is in turn has drawn up, but for what it parried with just now. The other has always drawn up. So the
        // header need not be believed in this.
        let parried = turns.last().filter(|turn| !turn.mine).map_or(0, |turn| turn.deed.attackers);
        let size = (total(&hand) + parried).min(total(&ALL));
        let habits = |mine| {
            let own = turns.iter().filter(|turn| turn.mine == mine);
            own.fold(Habits::default(), |habits, turn| habits.after(turn.deed))
        };
        let (my_habits, habits) = (habits(true), habits(false));
        let view = View { hand, unseen, distance, other, size, other_size: other, pile, habits };
        Past { turns, view, my_habits }
    }

    /// What could be seen at the start of each turn, oldest first; `None` if the turns don't fit together.
    pub(crate) fn moments(&self) -> Option<Vec<Moment>> {
        let view = &self.view;
        let sizes = [view.size, view.other_size];
        let mut held = sizes;
        let mut pile = 25_u8.checked_sub(held[0].checked_add(held[1])?)?;
        let mut laid = [0; 6];
        let mut distance: u8 = 22;
        let mut habits = [Habits::default(); 2];
        let mut moments = Vec::with_capacity(self.turns.len());
        for &turn in &self.turns {
            let (player, other) = if turn.mine { (0, 1) } else { (1, 0) };
            let before = Moment { turn, distance, laid, held, pile, habits, drew: 0 };
            distance = distance.checked_sub(turn.deed.step).filter(|&left| left > 0)?;
            lay(&mut laid, turn.deed, distance)?;
            held[player] = held[player].checked_sub(turn.deed.cards())?;
            held[other] = held[other].checked_sub(turn.deed.attackers)?;
            let drew = sizes[player].saturating_sub(held[player]);
            pile = pile.checked_sub(drew)?;
            held[player] += drew;
            habits[player] = habits[player].after(turn.deed);
            moments.push(Moment { drew, ..before });
        }
        let now = (distance, held, pile);
        (now == (view.distance, [total(&view.hand), view.other], view.pile)).then_some(moments)
    }
}

/// Lays down the cards of a deed that leaves this distance, and those that parry it; `None` if there are not so many.
fn lay(laid: &mut Counts, deed: Deed, left: u8) -> Option<()> {
    *laid.get_mut(usize::from(deed.step))? += u8::from(deed.step > 0);
    if deed.attackers > 0 {
        *laid.get_mut(usize::from(left))? += 2 * deed.attackers;
    }
    laid.iter().zip(ALL).all(|(laid, all)| *laid <= all).then_some(())
}

/// The cards that were laid down; `None` if the turns can't be.
fn laid(turns: &[Turn]) -> Option<Counts> {
    let mut laid = [0; 6];
    let mut distance: u8 = 22;
    for turn in turns {
        distance = distance.checked_sub(turn.deed.step).filter(|&left| left > 0)?;
        lay(&mut laid, turn.deed, distance)?;
    }
    Some(laid)
}

/// The turns of the header; `None` if they are not those that the four parameters tell of.
fn told(seen: &Seen, question: &DuelQuestion) -> Option<Vec<Turn>> {
    let mut lists = [Vec::new(), Vec::new()];
    let mut turns = Vec::with_capacity(seen.turns.len());
    let mut distance: u8 = 22;
    for turn in &seen.turns {
        let attackers = u8::try_from(turn.attack.len()).ok().filter(|&cards| cards <= 5)?;
        let deed = Deed { step: turn.step.unwrap_or(0), attackers };
        if deed.cards() == 0 || deed.step > 5 || (attackers > 0) != (turn.parried == Some(true)) {
            return None;
        }
        distance = distance.checked_sub(deed.step).filter(|&left| left > 0)?;
        if turn.attack.iter().any(|&value| value != distance) {
            return None;
        }
        let (player, other) = if turn.you { (0, 1) } else { (1, 0) };
        lists[player].extend(turn.step);
        for list in [player, other] {
            lists[list].extend(turn.attack.iter().map(|_| 0));
        }
        turns.push(Turn { mine: turn.you, deed });
    }
    laid(&turns)?;
    // Turns alternate, and now it is the turn of who is asked.
    if turns.iter().rev().enumerate().any(|(ago, turn)| turn.mine != (ago % 2 == 1)) {
        return None;
    }
    (lists == [question.your_moves.as_slice(), question.other_moves.as_slice()]).then_some(turns)
}

/// Reads the lists of the four parameters turn by turn.
#[derive(Debug)]
struct Reading<'q> {
    lists: [&'q [u8]; 2],
    /// The cards that may still be laid down.
    left: Counts,
    turns: Vec<Turn>,
    /// How many more turns may be tried: lists that make no sense must not take for ever.
    patience: u32,
}

impl Reading<'_> {
    /// The turns that the lists tell of: the first way that explains them, and `None` if there is none.
    fn of(question: &DuelQuestion, hand: &Counts) -> Option<Vec<Turn>> {
        let left = without(&ALL, hand)?;
        let lists = [question.your_moves.as_slice(), question.other_moves.as_slice()];
        let mut reading = Reading { lists, left, turns: Vec::new(), patience: 20_000 };
        [true, false].into_iter().find_map(|mine| reading.goes_on(mine, 22).then(|| reading.turns.clone()))
    }

    /// Whether the rest of the lists can be read if this player is in turn. If so, [`Reading::turns`] holds all turns.
    fn goes_on(&mut self, mine: bool, distance: u8) -> bool {
        if self.lists == [&[] as &[u8]; 2] {
            // Who is asked is in turn now.
            return mine;
        }
        let Some(patience) = self.patience.checked_sub(1) else { return false };
        self.patience = patience;
        let (player, other) = if mine { (0, 1) } else { (1, 0) };
        let before = (self.lists, self.left);
        let step = match self.lists[player].split_first() {
            Some((&step, rest)) if step > 0 => {
                self.lists[player] = rest;
                step
            }
            Some(_) => 0,
            None => return false,
        };
        let zeros = |list: &[u8]| list.iter().take_while(|card| **card == 0).count() as u8;
        let most = zeros(self.lists[player]).min(zeros(self.lists[other])).min(5);
        let moved = (self.lists, self.left);
        // What attacks is read as far as it goes, since the one who is attacked is next.
        for attackers in (0..=most).rev() {
            (self.lists, self.left) = moved;
            let deed = Deed { step, attackers };
            let mut laid = [0; 6];
            let Some(left) = distance.checked_sub(step).filter(|&left| left > 0 && deed.cards() > 0) else {
                continue;
            };
            let Some(rest) = lay(&mut laid, deed, left).and_then(|()| without(&self.left, &laid)) else {
                continue;
            };
            self.left = rest;
            for list in [player, other] {
                self.lists[list] = &self.lists[list][usize::from(attackers)..];
            }
            self.turns.push(Turn { mine, deed });
            if self.goes_on(!mine, left) {
                return true;
            }
            self.turns.pop();
        }
        (self.lists, self.left) = before;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::cards::with;
    use super::*;
    use crate::search::dice::Dice;
    use gm_core::arena::duel::{Duel, Hand, Plays, Side};
    use gm_core::arena::{Game, Reply};
    use gm_core::contract::SeenTurn;
    use gm_core::ids::{CarId, TurnNo};
    use gm_core::random::{Purpose, Seed};

    /// Plays duels at random, and hands out each question with the true cards of the pile and the other's hand.
    fn asked(duels: u64, mut check: impl FnMut(DuelQuestion, Counts)) {
        for seed in 0..duels {
            let mut dice = Dice::new(seed);
            let weapons = [1 + dice.below(10), 1 + dice.below(10)];
            let mut stream = Seed(seed).stream(TurnNo(1), Purpose::Duel, CarId(1));
            let mut duel = Duel::deal(&mut stream, weapons, None);
            while let Some(side) = duel.board().in_turn() {
                let question = duel.view(side.seat());
                let hidden = |hand: &Hand| counted(&hand.cards());
                let pile: Vec<u8> = duel.board().pile().iter().map(|card| card.value()).collect();
                let hidden = with(&hidden(duel.board().hand(side.other())), &counted(&pile));
                let plays = Plays::of(duel.board().hand(side), duel.board().distance());
                // Moves for most of the time, and some attacks where they can be.
                let attacks = plays.iter().filter(|play| play.attack().is_some()).count();
                let play =
                    plays[plays.len() - 1 - dice.below(attacks.max(plays.len() / 2).max(1) as u32) as usize];
                check(question, hidden);
                duel.apply(&[(side.seat(), Reply::Move(play.cards()))]);
            }
            assert_eq!(Side::at(Side::Black.seat()), Some(Side::Black));
        }
    }

    #[test]
    fn a_4_with_the_header_all_is_known() {
        let (mut questions, mut fights) = (0, 0);
        asked(2_000, |question, hidden| {
            let past = Past::read(&question).expect("a distance");
            let seen = question.seen.as_ref().expect("the header");
            assert_eq!(past.view.unseen, hidden, "{}", question.query());
            let sizes = [past.view.size, past.view.other_size];
            assert_eq!(sizes, [seen.hand_size, seen.other_hand_size], "{}", question.query());
            assert_eq!(past.view.pile, seen.pile, "{}", question.query());
            let moments = past.moments().expect("the turns fit together");
            assert_eq!(moments.len(), seen.turns.len());
            questions += 1;
            fights += usize::from(past.turns.iter().any(|turn| turn.deed.attackers > 0));
        });
        assert!(questions > 8_000 && fights > 500, "{questions} {fights}");
    }

    /// The pile, the sizes and the distance follow from the four parameters; the values of the 0s mostly do.
    #[test]
    fn r_6_7_without_the_header_the_lists_are_read() {
        let (mut fights, mut right) = (0, 0);
        asked(2_000, |question, hidden| {
            let seen = question.seen.clone().expect("the header");
            let bare = DuelQuestion { seen: None, ..question };
            let past = Past::read(&bare).expect("a distance");
            assert_eq!(past.view.pile, seen.pile, "{}", bare.query());
            assert_eq!(past.view.other_size, seen.other_hand_size, "{}", bare.query());
            let is_right = past.view.unseen == hidden;
            if bare.your_moves.contains(&0) || bare.other_moves.contains(&0) {
                fights += 1;
                right += usize::from(is_right);
            } else {
                assert!(is_right && past.view.size == seen.hand_size, "{}", bare.query());
            }
        });
        println!("{right} of {fights} questions with fights read right");
        assert!(fights > 500 && right * 10 > fights * 9, "{right} of {fights}");
    }

    #[test]
    fn a_4_a_header_that_tells_of_another_duel_is_passed_over() {
        let question = DuelQuestion {
            your_moves: vec![5],
            other_moves: vec![4, 3],
            cards: vec![1, 2],
            other_cards: 2,
            seen: None,
        };
        let right = Past::read(&question).expect("a distance");
        assert_eq!(right.turns.len(), 3);
        let turn = |you, step| SeenTurn { you, step: Some(step), attack: Vec::new(), parried: None };
        // What it says of hands and pile is a lie, too.
        let seen =
            |turns| Seen { distance: 10, hand_size: 9, other_hand_size: 25, pile: 3, first: true, turns };
        let [four, five, three] = [turn(false, 4), turn(true, 5), turn(false, 3)];
        for turns in [
            vec![],
            vec![four.clone(), five.clone()],
            vec![four.clone(), five.clone(), turn(false, 200)],
            vec![four.clone(), five.clone(), turn(false, 0)],
            // Not in turn.
            vec![five.clone(), four.clone(), three.clone()],
            vec![four.clone(), three.clone(), five.clone()],
            vec![four.clone(), five.clone(), SeenTurn { attack: vec![3; 300], ..three.clone() }],
            vec![
                four.clone(),
                five.clone(),
                SeenTurn { attack: vec![9], parried: Some(true), ..three.clone() },
            ],
            vec![four, five, three],
        ] {
            let with = DuelQuestion { seen: Some(seen(turns)), ..question.clone() };
            assert_eq!(Past::read(&with), Some(right.clone()), "{with:?}");
        }
    }

    /// Whatever is asked, something is known, and it is never more than there are cards.
    #[test]
    fn bad_input_is_read_as_far_as_it_goes() {
        let mut dice = Dice::new(5);
        let mut read = 0;
        for _ in 0..100_000 {
            let list = |dice: &mut Dice, most: u32, values: u32| -> Vec<u8> {
                (0..dice.below(most)).map(|_| dice.below(values) as u8).collect()
            };
            let question = DuelQuestion {
                your_moves: list(&mut dice, 9, 7),
                other_moves: list(&mut dice, 9, 6),
                cards: list(&mut dice, 30, 7),
                other_cards: dice.below(30) as u8,
                seen: None,
            };
            let Some(past) = Past::read(&question) else { continue };
            let View { unseen, other, pile, hand, .. } = past.view;
            assert!(
                other + pile <= total(&unseen) && unseen.iter().chain(&hand).all(|n| *n <= 5),
                "{past:?}"
            );
            read += 1;
        }
        assert!(read > 10_000, "{read}");
    }
}
