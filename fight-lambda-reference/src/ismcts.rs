//! The yardstick: a plain information-set Monte Carlo tree search, which the bench measures other AIs by.
//!
//! ```text
//! 10,000 times: guess the cards that can't be seen; walk down the tree by UCB1 over the plays that this guess
//! allows; add one node; play on at random; count who won. Then make the play that was visited most.
//! ```
//!
//! It is what the literature describes and no more, so that a score against it means the same next year: one tree for
//! the player who asks (single observer), whose edges are the plays of both; the exploration constant is 0.7; a play's
//! bonus grows with how often it could have been chosen (availability), not with how often its parent was visited;
//! the end of a duel counts 1 for a win, ½ for a draw and 0 for a loss of whoever made the play. It is no level for
//! pirates.
//!
//! ```
//! use fight_lambda_reference::{Ai, IsMcts};
//! use gm_core::contract::DuelQuestion;
//! let question = DuelQuestion::from_query("yourmoves=[4,4,4]&othermoves=[5]&cards=[1,5]&othernbcards=1").unwrap();
//! // Five squares apart, and whoever parries with its last card has lost.
//! assert_eq!(IsMcts::new(1, 1_000).play(&question), [5]);
//! ```

use crate::random::fingerprint;
use crate::search::dice::Dice;
use crate::search::view::Deed;
use crate::{Ai, Weighed};
use gm_core::arena::duel::{Card, Play};
use gm_core::contract::DuelQuestion;
use gm_core::contract::duel::CARDS;

/// The constant of UCB1.
const EXPLORATION: f32 = 0.7;

/// What it is measured with if nothing else is said.
pub const ITERATIONS: u32 = 10_000;

/// The most iterations of one play: more than that takes seconds, and a node each.
pub const MAX_ITERATIONS: u32 = 1_000_000;

/// A plain information-set Monte Carlo tree search.
///
/// Its dice are thrown by its seed and the question together: the same question gets the same answer.
#[derive(Debug, Clone)]
pub struct IsMcts {
    seed: u64,
    iterations: u32,
    /// The tree: node 0 is the root. Kept, so that its memory is used again.
    nodes: Vec<Node>,
    /// The natural logarithm of each count up to the number of iterations.
    logarithms: Vec<f32>,
}

impl IsMcts {
    /// An AI with these dice, which plays `iterations` duels to their end for each play: 1 to [`MAX_ITERATIONS`];
    /// numbers out of range are brought into it.
    #[must_use]
    pub fn new(seed: u64, iterations: u32) -> IsMcts {
        let iterations = iterations.clamp(1, MAX_ITERATIONS);
        // A node is created with an availability of 1, and gains at most 1 in each further iteration.
        let logarithms = (0..=iterations).map(|count| (count.max(1) as f32).ln()).collect();
        IsMcts { seed, iterations, nodes: Vec::new(), logarithms }
    }

    /// Searches, and gives each legal play with how often it was visited and its mean reward, the one that was visited
    /// most first.
    fn search(&mut self, question: &DuelQuestion) -> Vec<Tried> {
        let Some(known) = Known::read(question) else { return Vec::new() };
        let mut dice = Dice::new(self.seed ^ fingerprint(&question.query()));
        self.nodes.clear();
        self.nodes.push(Node::of(0));
        for _ in 0..self.iterations {
            self.iterate(&known, &mut dice);
        }
        let mut tried = Vec::new();
        let mut at = self.nodes[0].first;
        while at != NONE {
            let node = &self.nodes[at as usize];
            if let Some(play) = node.code.play(known.start.distance) {
                let mean = f64::from(node.halves) / 2.0 / f64::from(node.visits);
                tried.push(Tried { play, visits: node.visits, mean });
            }
            at = node.next;
        }
        // Of plays that were visited as often, the first that was tried.
        tried.reverse();
        tried.sort_by_key(|tried| std::cmp::Reverse(tried.visits));
        tried
    }

    fn iterate(&mut self, known: &Known, dice: &mut Dice) {
        let mut state = known.guess(dice);
        let mut path = [0; MAX_DEPTH];
        let mut depth = 0;
        let mut at = 0;
        let mut end = None;
        // Down the tree, until a node was added or the duel is over.
        while end.is_none() && depth < MAX_DEPTH {
            let (child, added) = self.descend(at, state.legal(), dice);
            path[depth] = child;
            depth += 1;
            at = child;
            end = state.play(self.nodes[child as usize].code, dice);
            if added {
                break;
            }
        }
        let end = end.unwrap_or_else(|| state.roll_out(dice));
        for (turn, &child) in path[..depth].iter().enumerate() {
            let node = &mut self.nodes[child as usize];
            node.visits += 1;
            // Player 0 asked, and made the first play of the path.
            node.halves += if turn % 2 == 0 { end.halves } else { 2 - end.halves };
        }
    }

    /// Goes from a node to one of the plays in `legal`: a new one if one was never tried, and else the best by UCB1.
    fn descend(&mut self, from: u32, legal: u64, dice: &mut Dice) -> (u32, bool) {
        let mut untried = legal;
        let mut best = NONE;
        let mut best_bound = f32::NEG_INFINITY;
        let mut at = self.nodes[from as usize].first;
        while at != NONE {
            let node = &mut self.nodes[at as usize];
            let bit = 1 << node.code.0;
            if legal & bit != 0 {
                untried &= !bit;
                let visits = node.visits as f32;
                let mean = node.halves as f32 * 0.5 / visits;
                let bound = mean + EXPLORATION * (self.logarithms[node.available as usize] / visits).sqrt();
                node.available += 1;
                if bound > best_bound {
                    best_bound = bound;
                    best = at;
                }
            }
            at = node.next;
        }
        if untried == 0 {
            return (best, false);
        }
        let code = Code::pick(untried, dice);
        let child = self.nodes.len() as u32;
        let node = Node { next: self.nodes[from as usize].first, ..Node::of(code.0) };
        self.nodes.push(node);
        self.nodes[from as usize].first = child;
        (child, true)
    }
}

impl Ai for IsMcts {
    fn play(&mut self, question: &DuelQuestion) -> Vec<u8> {
        self.search(question).first().map(|best| best.play.cards()).unwrap_or_default()
    }

    /// The value is the mean of the duels that were played on. With fewer iterations than legal plays, those that were
    /// never tried are left out.
    fn weigh(&mut self, question: &DuelQuestion) -> Vec<Weighed> {
        let tried = self.search(question);
        let mut weighed: Vec<Weighed> =
            tried.iter().map(|tried| Weighed { play: tried.play, value: tried.mean }).collect();
        if let Some((_, others)) = weighed.split_first_mut() {
            others.sort_by(|one, other| other.value.total_cmp(&one.value));
        }
        weighed
    }
}

/// A play at the root, when the search is done.
#[derive(Debug, Clone, Copy)]
struct Tried {
    play: Play,
    visits: u32,
    mean: f64,
}

/// No node.
const NONE: u32 = u32::MAX;

/// The longest path: each play lays down a card.
const MAX_DEPTH: usize = CARDS as usize;

/// A play, and what came of the duels in which it was made after the plays above it.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The newest of its children, which are linked.
    first: u32,
    /// The next child of its parent.
    next: u32,
    visits: u32,
    /// How often it could have been chosen.
    available: u32,
    /// What whoever made the play got in all, in halves of a win.
    halves: u32,
    code: Code,
}

impl Node {
    fn of(code: u8) -> Node {
        Node { first: NONE, next: NONE, visits: 0, available: 1, halves: 0, code: Code(code) }
    }
}

/// A play: the card that moves, 0 for none, and 8 times the number of cards that attack. What they attack with follows
/// from the distance. As a bit of a `u64`, it is one of a set of plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Code(u8);

/// The sets of attacks with 1 to `n` cards.
const ATTACKS: [u64; 6] = {
    let mut sets = [0; 6];
    let mut n = 1;
    while n < sets.len() {
        sets[n] = sets[n - 1] | 1 << (8 * n);
        n += 1;
    }
    sets
};

impl Code {
    fn step(self) -> u8 {
        self.0 % 8
    }

    fn attackers(self) -> u8 {
        self.0 / 8
    }

    /// The play that it is at a distance.
    fn play(self, distance: u8) -> Option<Play> {
        Deed { step: self.step(), attackers: self.attackers() }.play(distance)
    }

    /// One of a set that is not empty, all equally likely.
    fn pick(mut set: u64, dice: &mut Dice) -> Code {
        for _ in 0..dice.below(set.count_ones()) {
            set &= set - 1;
        }
        Code(set.trailing_zeros() as u8)
    }
}

/// Cards without an order.
#[derive(Debug, Clone, Copy, Default)]
struct Held {
    /// How many of each value, which is the index.
    counts: [u8; 8],
    /// Bit `v` is set where there is a card `v`.
    values: u8,
    total: u8,
}

impl Held {
    fn add(&mut self, value: u8) {
        self.counts[usize::from(value % 8)] += 1;
        self.values |= 1 << (value % 8);
        self.total += 1;
    }

    /// Lays down cards that are there.
    fn remove(&mut self, value: u8, cards: u8) {
        let count = &mut self.counts[usize::from(value % 8)];
        *count -= cards;
        if *count == 0 {
            self.values &= !(1 << (value % 8));
        }
        self.total -= cards;
    }

    fn count(&self, value: u8) -> u8 {
        self.counts[usize::from(value % 8)]
    }
}

/// What the player who asks knows.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// The position; player 0 asks. The other's hand is empty as yet, all unseen cards are in the pile.
    start: State,
    /// How many cards the other holds.
    other: u8,
    /// How many cards are in the pile.
    pile: u8,
}

impl Known {
    /// `None` where nothing can be played.
    ///
    /// Without the header of A-4 the values of cards that attacked or parried are not known, and may turn up in the
    /// guesses again; and both are taken to have been dealt what they hold.
    fn read(question: &DuelQuestion) -> Option<Known> {
        let distance = question.distance()?;
        let mut left = [Card::OF_EACH; 6];
        let mut see = |value: u8, cards: u8| match left.get_mut(usize::from(value)).filter(|_| value > 0) {
            None => 0,
            Some(left) => {
                let seen = cards.min(*left);
                *left -= seen;
                seen
            }
        };
        let mut hand = Held::default();
        for &value in &question.cards {
            // More than five of a value can't be held.
            if see(value, 1) == 1 {
                hand.add(value);
            }
        }
        let laid_down = question.your_moves.iter().chain(&question.other_moves);
        match &question.seen {
            None => laid_down.clone().for_each(|&value| _ = see(value, 1)),
            Some(seen) => {
                for turn in &seen.turns {
                    turn.step.iter().for_each(|&value| _ = see(value, 1));
                    let each = if turn.parried == Some(true) { 2 } else { 1 };
                    turn.attack.iter().for_each(|&value| _ = see(value, each));
                }
            }
        }
        let mut unseen = [0; MAX_DEPTH];
        let mut count = 0;
        for value in 1..=5 {
            for _ in 0..left[usize::from(value)] {
                unseen[usize::from(count)] = value;
                count += 1;
            }
        }
        let other = question.other_cards.min(count);
        // Each card that was laid down stands in one of the lists, so what is left is in the pile.
        let gone = u8::try_from(laid_down.count()).unwrap_or(CARDS);
        let (hand_sizes, pile) = match &question.seen {
            Some(seen) => ([seen.hand_size, seen.other_hand_size], seen.pile.min(count - other)),
            None => {
                let elsewhere = hand.total.saturating_add(other).saturating_add(gone);
                ([hand.total, other], CARDS.saturating_sub(elsewhere).min(count - other))
            }
        };
        let start =
            State { hands: [hand, Held::default()], hand_sizes, distance, turn: 0, unseen, count, pile: 0 };
        (start.legal() != 0).then_some(Known { start, other, pile })
    }

    /// A position in which all that is not known is drawn by the dice: the other's hand, and the order of the pile.
    fn guess(&self, dice: &mut Dice) -> State {
        let mut state = self.start;
        for _ in 0..self.other {
            let card = state.draw(dice);
            state.hands[1].add(card);
        }
        state.pile = self.pile;
        state
    }
}

/// A position of the duel, with nothing in it that the search does not need.
#[derive(Debug, Clone, Copy)]
struct State {
    hands: [Held; 2],
    hand_sizes: [u8; 2],
    distance: u8,
    /// Who is in turn.
    turn: u8,
    /// The first `count` are the cards that nobody holds. One of them is drawn when one is needed, which is the same
    /// as if the pile had been shuffled before.
    unseen: [u8; MAX_DEPTH],
    count: u8,
    /// How many cards can still be drawn.
    pile: u8,
}

/// How a duel ended: what player 0 got, in halves of a win.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    halves: u32,
}

impl End {
    const DRAW: End = End { halves: 1 };

    fn won_by(player: u8) -> End {
        End { halves: if player == 0 { 2 } else { 0 } }
    }
}

impl State {
    /// Draws one of the unseen cards, of which there must be one.
    fn draw(&mut self, dice: &mut Dice) -> u8 {
        let at = dice.below(u32::from(self.count)) as usize;
        self.count -= 1;
        let last = self.unseen[usize::from(self.count)];
        std::mem::replace(&mut self.unseen[at], last)
    }

    /// The set of plays of the player in turn (R-6.2): empty if it is stuck (R-6.6).
    fn legal(&self) -> u64 {
        let hand = &self.hands[usize::from(self.turn)];
        let distance = self.distance;
        if distance > 10 {
            return u64::from(hand.values);
        }
        let mut steps = if distance > 5 { hand.values } else { hand.values & ((1 << distance) - 1) };
        let mut set = u64::from(steps);
        while steps != 0 {
            let step = steps.trailing_zeros() as u8;
            steps &= steps - 1;
            let with = distance - step;
            if with <= 5 {
                let held = hand.count(with) - u8::from(with == step);
                set |= ATTACKS[usize::from(held)] << step;
            }
        }
        if distance <= 5 {
            set |= ATTACKS[usize::from(hand.count(distance))];
        }
        set
    }

    /// Makes a legal play: R-6.2 to R-6.6. How the duel ended, if it did.
    fn play(&mut self, code: Code, dice: &mut Dice) -> Option<End> {
        let (player, other) = (usize::from(self.turn), usize::from(1 - self.turn));
        if code.step() > 0 {
            self.hands[player].remove(code.step(), 1);
            self.distance -= code.step();
        }
        let cards = code.attackers();
        if cards > 0 {
            let with = self.distance;
            if self.hands[other].count(with) < cards {
                return Some(End::won_by(self.turn));
            }
            self.hands[player].remove(with, cards);
            self.hands[other].remove(with, cards);
            if self.hands[other].total == 0 {
                return Some(End::won_by(self.turn));
            }
        }
        while self.hands[player].total < self.hand_sizes[player] {
            if self.pile == 0 {
                return Some(End::DRAW);
            }
            self.pile -= 1;
            let card = self.draw(dice);
            self.hands[player].add(card);
        }
        self.turn = other as u8;
        let values = self.hands[other].values;
        let stuck = values == 0 || values.trailing_zeros() > u32::from(self.distance);
        stuck.then(|| End::won_by(player as u8))
    }

    /// Plays on at random.
    fn roll_out(&mut self, dice: &mut Dice) -> End {
        for _ in 0..MAX_DEPTH {
            let code = Code::pick(self.legal(), dice);
            if let Some(end) = self.play(code, dice) {
                return end;
            }
        }
        End::DRAW
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::arena::duel::{Board, DECK, Hand, Plays, Side};
    use gm_core::ids::{CarId, TurnNo};
    use gm_core::random::{Purpose, Seed, Stream};

    fn stream(seed: u64) -> Stream {
        Seed(seed).stream(TurnNo(1), Purpose::Duel, CarId(1))
    }

    fn held(hand: &Hand) -> Held {
        let mut held = Held::default();
        hand.cards().into_iter().for_each(|value| held.add(value));
        held
    }

    /// The search's own position, which holds what a board does. The player in turn is player 0.
    fn state(board: &Board, turn: Side) -> State {
        let sides = [turn, turn.other()];
        let mut unseen = [0; MAX_DEPTH];
        board.pile().iter().zip(&mut unseen).for_each(|(card, slot)| *slot = card.value());
        let count = u8::try_from(board.pile().len()).expect("at most 25");
        State {
            hands: sides.map(|side| held(board.hand(side))),
            hand_sizes: sides.map(|side| board.hand_size(side)),
            distance: board.distance(),
            turn: 0,
            unseen,
            count,
            pile: count,
        }
    }

    /// The set of plays that the rules allow, as codes.
    fn codes(plays: &Plays) -> u64 {
        plays.iter().fold(0, |set, play| {
            let step = play.step().map_or(0, Card::value);
            set | 1 << (step + 8 * play.attack().map_or(0, |(_, cards)| cards))
        })
    }

    #[test]
    fn r_6_the_search_plays_by_the_rules() {
        let seed = 1;
        let mut random = stream(seed);
        let mut dice = Dice::new(seed);
        let mut ends = [0; 4];
        for number in 0..3_000 {
            let mut pile = DECK;
            random.shuffle(&mut pile);
            let weapons = [random.between(1, 12), random.between(1, 12)];
            let mut board = Board::deal(pile, Side::White, weapons, None);
            while let Some(turn) = board.in_turn() {
                let mut state = state(&board, turn);
                let plays = board.plays();
                assert_eq!(state.legal(), codes(&plays), "seed {seed}, duel {number}: {board:?}");
                let code = Code::pick(state.legal(), &mut dice);
                let play = code.play(state.distance).expect("a play");
                let end = state.play(code, &mut dice);
                board.play(play).expect("a legal play");
                let expected = board.outcome().map(|outcome| match outcome.winner {
                    None => End::DRAW,
                    Some(winner) => End::won_by(u8::from(winner != turn)),
                });
                assert_eq!(end, expected, "seed {seed}, duel {number}: {play} brings {board:?}");
                ends[end.map_or(3, |end| end.halves as usize)] += 1;
                if end.is_none() {
                    let totals = [turn, turn.other()].map(|side| board.hand(side).total());
                    assert_eq!(state.hands.map(|hand| hand.total), totals, "seed {seed}, duel {number}");
                    assert_eq!(state.distance, board.distance(), "seed {seed}, duel {number}");
                    assert_eq!(usize::from(state.pile), board.pile().len(), "seed {seed}, duel {number}");
                }
            }
        }
        // No play loses the duel for who makes it.
        assert_eq!(ends[0], 0);
        assert!(ends.iter().skip(1).all(|&times| times > 100), "{ends:?}: draws, wins and turns between");
    }

    /// With the header, what was laid down is known to the last card.
    #[test]
    fn what_is_not_known_is_drawn_from_the_unseen_cards() {
        let turns = r#"[{"you":true,"move":1},{"you":false,"move":1},{"you":true,"move":1},{"you":false,"move":2},
            {"you":true,"move":2},{"you":false,"move":2},{"you":true,"move":1,"attack":[2],"parried":true}]"#;
        let header = format!(
            r#"{{"distance":12,"hand_size":5,"other_hand_size":3,"pile":9,"first":true,"turns":{turns}}}"#
        );
        let mut question = DuelQuestion::from_query(
            "yourmoves=[1,1,2,1,0]&othermoves=[1,2,2,0]&cards=[1,3,3,3]&othernbcards=3",
        )
        .expect("a question");
        question.seen = gm_core::contract::Seen::from_header(&header);
        assert!(question.seen.is_some());
        let known = Known::read(&question).expect("something can be played");
        // All 1s and 2s were seen, and three 3s are held.
        let unseen: Vec<u8> = known.start.unseen[..usize::from(known.start.count)].to_vec();
        assert_eq!(unseen, [3, 3, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5]);
        assert_eq!((known.other, known.pile, known.start.hand_sizes), (3, 9, [5, 3]));
        let mut dice = Dice::new(1);
        let mut held = [0; 6];
        for _ in 0..12_000 {
            let state = known.guess(&mut dice);
            assert_eq!((state.hands[1].total, state.count, state.pile), (3, 9, 9));
            (1..6).for_each(|value: u8| held[usize::from(value)] += u32::from(state.hands[1].count(value)));
        }
        // Three of twelve cards, of which two are 3s, five 4s and five 5s.
        for (value, expected) in [(1, 0), (2, 0), (3, 6_000), (4, 15_000), (5, 15_000)] {
            let times: u32 = held[value];
            assert!(times.abs_diff(expected) < 400, "{times} of value {value}");
        }
    }

    /// Without the header the values of cards that fought are unknown, and may be in the pile as far as can be known.
    #[test]
    fn a_1_what_follows_from_the_query_alone() {
        let question =
            DuelQuestion::from_query("yourmoves=[4,5,0,0]&othermoves=[4,5,0,0]&cards=[1,4]&othernbcards=3")
                .expect("a question");
        let known = Known::read(&question).expect("something can be played");
        assert_eq!((known.start.count, known.other, known.pile), (19, 3, 12));
        // Late in a duel, more was laid down than is unseen: 20 cards, and two and one are held.
        let query =
            "yourmoves=[5,5,0,0,0,0,0,0,1,0]&othermoves=[5,0,0,0,0,0,0,1,0,1]&cards=[2,3]&othernbcards=1";
        let known = Known::read(&DuelQuestion::from_query(query).expect("a question"));
        assert_eq!(known.expect("something can be played").pile, 2);
    }

    #[test]
    fn the_same_seed_and_question_get_the_same_answer() {
        let question =
            DuelQuestion::from_query("yourmoves=[5]&othermoves=[4]&cards=[1,2,3,4,5]&othernbcards=5")
                .expect("a question");
        let weigh = |seed| IsMcts::new(seed, 300).weigh(&question);
        assert_eq!(weigh(1), weigh(1));
        assert_ne!(weigh(1), weigh(2));
        // The memory of the last search does not matter.
        let mut ai = IsMcts::new(1, 300);
        ai.play(&DuelQuestion { cards: vec![5, 5], other_cards: 2, ..DuelQuestion::default() });
        assert_eq!(ai.weigh(&question), weigh(1));
    }

    #[test]
    fn it_plays_what_it_weighs_first() {
        let seed = 3;
        let mut random = stream(seed);
        for number in 0..100 {
            let mut cards: Vec<u8> = DECK.iter().map(|card| card.value()).collect();
            random.shuffle(&mut cards);
            cards.truncate(5);
            let your_moves = vec![5; random.between(1, 3) as usize];
            let question = DuelQuestion { your_moves, cards, other_cards: 5, ..DuelQuestion::default() };
            let mut ai = IsMcts::new(seed, 200);
            let weighed = ai.weigh(&question);
            let hand = question.cards.iter().copied().filter_map(Card::of).collect();
            let distance = question.distance().expect("a distance");
            assert_eq!(weighed.len(), Plays::of(&hand, distance).len(), "seed {seed}, question {number}");
            assert_eq!(ai.play(&question), weighed[0].play.cards(), "seed {seed}, question {number}");
            assert!(weighed[1..].is_sorted_by(|one, next| one.value >= next.value), "{weighed:?}");
            assert!(weighed.iter().all(|it| (0.0..=1.0).contains(&it.value)), "{weighed:?}");
        }
    }

    #[test]
    fn no_legal_play_is_no_card() {
        for (your_moves, cards) in [(vec![5; 4], vec![5, 5]), (vec![5; 4], vec![]), (vec![5; 5], vec![1])] {
            let question = DuelQuestion { your_moves, cards, ..DuelQuestion::default() };
            assert!(IsMcts::new(1, 10).play(&question).is_empty());
            assert!(IsMcts::new(1, 10).weigh(&question).is_empty());
        }
    }
}
