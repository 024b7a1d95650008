//! R-6: a duel, played again card by card.
//!
//! ```text
//! distance 4, hand [1,3,3]: [3] is a move, [1,3,3] an indirect attack with two threes, [4] is a card not held
//! ```

use crate::answer;
use crate::event::{Combatant, DuelOutcome, DuelTurn, Event, Illegal, Reason, Side, Transcript};
use crate::judge::{Judge, Talk};
use crate::record::{Outcome, Port};
use crate::word::Deviation;
use serde::Serialize;
use std::collections::BTreeSet;

/// R-6.1: the squares between the two at first.
const DISTANCE: u8 = 22;

/// R-6.1: the greatest card; there are as many of each as there are cards.
const GREATEST: u8 = 5;

/// R-6.1: how many cards there are of each.
const OF_EACH: u8 = 5;

/// R-6.8: no duel has more turns.
const MOST_TURNS: usize = 25;

/// By how much the clock of a duel and the recorded times may differ, in microseconds.
const CLOCKS_DIFFER: u64 = 50_000;

/// Who sits on one side of a duel.
#[derive(Debug, Clone)]
pub(crate) struct Seat {
    talk: Talk,
    /// The AI's URL; pirates have none.
    url: Option<String>,
}

/// One player.
#[derive(Debug, Clone, Default)]
struct Player {
    hand: Vec<u8>,
    size: usize,
    /// What it laid down, as R-6.7 tells it.
    laid: Vec<u8>,
}

impl Player {
    fn has(&self, cards: &[u8]) -> bool {
        cards.iter().all(|card| count(&self.hand, *card) >= count(cards, *card))
    }

    fn discards(&mut self, cards: &[u8]) {
        for card in cards {
            if let Some(at) = self.hand.iter().position(|held| held == card) {
                self.hand.remove(at);
            }
        }
    }

    fn draws(&mut self, card: u8) {
        let at = self.hand.partition_point(|held| *held <= card);
        self.hand.insert(at, card);
    }
}

fn count(cards: &[u8], card: u8) -> usize {
    cards.iter().filter(|it| **it == card).count()
}

/// A duel as it is played again.
struct Replay {
    players: [Player; 2],
    distance: u8,
    /// How many of each card were seen.
    seen: [u8; GREATEST as usize],
    pile: usize,
    first: Side,
    turns: Vec<DuelTurn>,
}

/// What a duellist is told in the header (A-4).
#[derive(Serialize)]
struct SeenBy {
    distance: u8,
    hand_size: usize,
    other_hand_size: usize,
    pile: usize,
    first: bool,
    turns: Vec<SeenTurn>,
}

/// One turn in the header.
#[derive(Serialize)]
struct SeenTurn {
    you: bool,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    step: Option<u8>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attack: Vec<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parried: Option<bool>,
}

/// What a list of cards is at a distance (R-6.2).
#[derive(Debug, Clone, PartialEq, Eq)]
enum Play {
    Move(u8),
    Attack { step: Option<u8>, cards: Vec<u8> },
}

/// R-6.2, R-6.3: what a list of cards is, or all that is wrong with it.
fn read_play(cards: &[u8], distance: u8, player: &Player) -> Result<Play, Vec<Illegal>> {
    let Some((&first, rest)) = cards.split_first() else { return Err(vec![Illegal::Empty]) };
    let mut wrong = Vec::new();
    for &card in cards {
        if card == 0 || card > GREATEST {
            wrong.push(Illegal::NotACard(card));
        } else if count(&player.hand, card) < count(cards, card) {
            wrong.push(Illegal::NotHeld(card));
        }
    }
    let play = if first == distance {
        wrong.extend(rest.iter().filter(|card| **card != distance).map(|card| Illegal::WrongDistance(*card)));
        Play::Attack { step: None, cards: cards.to_vec() }
    } else if first > distance {
        wrong.push(Illegal::TooFar(first));
        Play::Move(first)
    } else if rest.is_empty() {
        Play::Move(first)
    } else {
        let left = distance - first;
        wrong.extend(rest.iter().filter(|card| **card != left).map(|card| Illegal::WrongDistance(*card)));
        Play::Attack { step: Some(first), cards: rest.to_vec() }
    };
    if wrong.is_empty() { Ok(play) } else { Err(wrong) }
}

impl Replay {
    /// R-6.6: whether a player has anything to play.
    fn can_play(&self, side: Side) -> bool {
        self.players[side.seat()].hand.iter().any(|card| *card <= self.distance)
    }

    /// What the AI is asked (A-1, R-6.7).
    fn question(&self, side: Side, url: Option<&str>) -> String {
        let (you, other) = (&self.players[side.seat()], &self.players[side.other().seat()]);
        let query = format!(
            "yourmoves={}&othermoves={}&cards={}&othernbcards={}",
            list(&you.laid),
            list(&other.laid),
            list(&you.hand),
            other.hand.len()
        );
        let line = match url {
            None => format!("PLAY {query}"),
            Some(url) => {
                let joint = match url.split_once('?') {
                    None => "?",
                    Some((_, own)) if own.is_empty() || own.ends_with('&') => "",
                    Some(_) => "&",
                };
                format!("GET {url}{joint}{query}")
            }
        };
        let seen = |turn: &DuelTurn| SeenTurn {
            you: turn.side == side,
            step: turn.step,
            attack: turn.attack.clone(),
            parried: turn.parried,
        };
        let header = SeenBy {
            distance: self.distance,
            hand_size: you.size,
            other_hand_size: other.size,
            pile: self.pile,
            first: self.first == side,
            turns: self.turns.iter().map(seen).collect(),
        };
        format!("{line}\nX-EACC-DUEL: {}", serde_json::to_string(&header).unwrap_or_default())
    }

    /// Takes a card that was drawn or dealt. Whether it can be one.
    fn sees(&mut self, card: u8) -> bool {
        let Some(seen) = usize::from(card).checked_sub(1).and_then(|at| self.seen.get_mut(at)) else {
            return false;
        };
        *seen += 1;
        self.pile = self.pile.saturating_sub(1);
        *seen <= OF_EACH
    }

    /// How likely each card is to be the next one of the pile.
    fn shares(&self) -> Vec<f64> {
        let left = self.seen.map(|seen| f64::from(OF_EACH.saturating_sub(seen)));
        let all: f64 = left.iter().sum();
        left.iter().map(|left| left / all.max(1.0)).collect()
    }
}

fn list(cards: &[u8]) -> String {
    let cards: Vec<String> = cards.iter().map(u8::to_string).collect();
    format!("[{}]", cards.join(","))
}

/// A URL without a path is asked with one: `/`.
fn with_path(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let root = if path.starts_with('/') { "" } else { "/" };
    format!("{scheme}://{host}{root}{path}")
}

impl Judge {
    /// The seat of a car.
    pub(crate) fn seat(&self, topic: &str, car: u32, url: &str) -> Seat {
        Seat { talk: self.talk(topic, car), url: Some(with_path(url)) }
    }

    /// The seat of the pirates that attack a car.
    pub(crate) fn pirates_seat(&self, car: u32) -> Seat {
        Seat { talk: Talk { team: None, ..self.talk("pirates", car) }, url: None }
    }

    /// R-6: a whole duel. Gives the seat that won, or none for a draw.
    pub(crate) fn duel(
        &mut self,
        duellists: [Combatant; 2],
        weapons: [u32; 2],
        seats: &[Seat; 2],
    ) -> Option<usize> {
        self.expect("R-6.1", Event::DuelStarted { duellists, weapons });
        let mut told: Vec<(u32, Vec<Deviation>)> = Vec::new();
        while let Some(Event::DuelDeviationsAccepted { car, deviations }) = self.peek() {
            told.push((*car, deviations.clone()));
            self.advance();
        }
        let transcript = match self.peek() {
            Some(Event::DuelPlayed { transcript, .. }) => transcript.clone(),
            _ => {
                self.draw("R-6.1", "a duel that was played", |event| match event {
                    Event::DuelPlayed { transcript, .. } => Some(transcript.clone()),
                    _ => None,
                })?;
                return None;
            }
        };
        let mut tolerated: Vec<(u32, Vec<Deviation>)> = Vec::new();
        let played = self.replays(&transcript, weapons, seats, &mut tolerated);
        tolerated.sort_by_key(|(car, _)| duellists.iter().position(|who| *who == Combatant::Car(*car)));
        if told != tolerated {
            self.wrong(
                "C-22",
                format!("expected that is tolerated in the duel: {tolerated:?}, found {told:?}"),
            );
        }
        self.expect("R-6", Event::DuelPlayed { duellists, transcript: played });
        let winner = transcript.outcome.and_then(|outcome| outcome.winner);
        winner.map(Side::seat)
    }

    /// Plays the duel again: what is drawn is taken from the record, all else follows from the rules and the answers.
    fn replays(
        &mut self,
        recorded: &Transcript,
        weapons: [u32; 2],
        seats: &[Seat; 2],
        tolerated: &mut Vec<(u32, Vec<Deviation>)>,
    ) -> Transcript {
        let first = recorded.first;
        self.tally.evenly("R-6.1", "first player", 2, first.seat());
        let mut replay = self.deals(recorded, weapons);
        let mut side = first;
        let mut refused = None;
        let mut answers = 0u32;
        let mut took = [0u64; 2];
        let outcome = loop {
            let lost = |reason| Some(DuelOutcome { winner: Some(side.other()), reason });
            if replay.turns.len() >= MOST_TURNS {
                self.wrong("R-6.8", "a duel of more than 25 turns");
                break None;
            }
            if !replay.can_play(side) {
                break lost(Reason::Stuck);
            }
            let seat = &seats[side.seat()];
            let question = replay.question(side, seat.url.as_deref());
            let Some(asked) = self.exchange("R-6.7", &seat.talk, Port::Ai, &question) else { break None };
            answers += 1;
            took[side.seat()] += asked.latency_us;
            let read = answer::cards(&asked.outcome);
            let deviations = read.as_ref().map(|(_, deviations)| deviations.clone()).unwrap_or_default();
            self.words(&asked, &deviations);
            if !deviations.is_empty()
                && let Some(car) = seat.talk.car
            {
                let mut all: BTreeSet<Deviation> = deviations.into_iter().collect();
                match tolerated.iter_mut().find(|(whose, _)| *whose == car) {
                    Some((_, known)) => {
                        all.extend(known.iter().copied());
                        *known = all.into_iter().collect();
                    }
                    None => tolerated.push((car, all.into_iter().collect())),
                }
            }
            let ended = match read {
                Err(fault) => lost(Reason::Fault(fault)),
                Ok((cards, _)) => match read_play(&cards, replay.distance, &replay.players[side.seat()]) {
                    Err(wrong) => {
                        // Where several things are wrong with it, any of them may be said.
                        let said = recorded.outcome.as_ref().and_then(|outcome| match &outcome.reason {
                            Reason::Illegal(illegal) if wrong.contains(illegal) => Some(illegal.clone()),
                            _ => None,
                        });
                        refused = Some(cards);
                        let said = said.or_else(|| wrong.first().cloned());
                        said.and_then(|illegal| lost(Reason::Illegal(illegal)))
                    }
                    Ok(play) => {
                        let turn = recorded.turns.get(replay.turns.len());
                        let drew = turn.map(|turn| turn.drew.clone()).unwrap_or_default();
                        self.lays(&mut replay, side, play, &drew)
                    }
                },
            };
            if let Some(late) = self.overdue(&seats[0].talk, answers, took) {
                let winner = Side::BOTH.into_iter().find(|side| side.seat() != late);
                break Some(DuelOutcome { winner, reason: Reason::OutOfTime });
            }
            if seat.url.is_none()
                && matches!(&ended, Some(DuelOutcome { reason: Reason::Illegal(_) | Reason::Fault(_), .. }))
            {
                self.wrong("R-5.1", "the pirates' own AI plays what is not legal");
            }
            if ended.is_some() {
                break ended;
            }
            side = side.other();
        };
        let dealt = recorded.dealt.clone();
        Transcript { first, dealt, turns: replay.turns, refused, outcome }
    }

    /// R-6.8: whether the duel's time is up, and who took longer.
    fn overdue(&mut self, talk: &Talk, answers: u32, took: [u64; 2]) -> Option<usize> {
        let struck = self.next_exchange(&talk.chain, Port::DuelClock)?;
        if struck.number != answers {
            return None;
        }
        let clock = Talk { team: None, ..talk.clone() };
        let struck = self.exchange("R-6.8", &clock, Port::DuelClock, "DUEL TIME")?;
        match struck.outcome {
            Outcome::TimeIsUp(Some(late)) if late < 2 => {
                if took[1 - late] > took[late].saturating_add(CLOCKS_DIFFER) {
                    self.wrong("R-6.8", format!("seat {late} is said to have taken longer, but {took:?} µs"));
                }
                Some(late)
            }
            _ => {
                self.wrong("R-6.8", "expected whose time is up");
                None
            }
        }
    }

    /// R-6.1: one card each in turn, the first player first.
    fn deals(&mut self, recorded: &Transcript, weapons: [u32; 2]) -> Replay {
        let limit = self.model.rules.hand_limit.unwrap_or(u32::MAX);
        let wanted = weapons.map(|weapons| weapons.min(limit) as usize);
        let mut replay = Replay {
            players: [Player::default(), Player::default()],
            distance: DISTANCE,
            seen: [0; GREATEST as usize],
            pile: usize::from(GREATEST * OF_EACH),
            first: recorded.first,
            turns: Vec::new(),
        };
        let mut sizes = [0usize; 2];
        let mut pile = replay.pile;
        let order = [recorded.first.seat(), recorded.first.other().seat()];
        while pile > 0 && order.iter().any(|seat| sizes[*seat] < wanted[*seat]) {
            for seat in order {
                if sizes[seat] < wanted[seat] && pile > 0 {
                    sizes[seat] += 1;
                    pile -= 1;
                }
            }
        }
        for (seat, (dealt, size)) in recorded.dealt.iter().zip(sizes).enumerate() {
            if dealt.len() != size {
                self.wrong("R-6.1", format!("expected that {size} cards are dealt, found {dealt:?}"));
            }
            if !dealt.is_sorted() {
                self.wrong("R-6.1", format!("a hand that is not in order: {dealt:?}"));
            }
            for &card in dealt {
                self.takes_card(&mut replay, seat, card, "card dealt");
            }
            replay.players[seat].size = dealt.len();
        }
        replay
    }

    fn takes_card(&mut self, replay: &mut Replay, seat: usize, card: u8, what: &str) {
        let shares = if what == "card dealt" { vec![0.2; usize::from(GREATEST)] } else { replay.shares() };
        if replay.sees(card) {
            self.tally.with_shares("R-6.1", what, &shares, usize::from(card) - 1);
        } else {
            self.wrong("R-6.1", format!("a card {card} is there that can't be"));
        }
        replay.players[seat].draws(card);
    }

    /// R-6.2, R-6.4, R-6.5: a legal play, and what comes of it.
    fn lays(&mut self, replay: &mut Replay, side: Side, play: Play, drew: &[u8]) -> Option<DuelOutcome> {
        let (me, you) = (side.seat(), side.other().seat());
        let won = |winner: Side, reason| Some(DuelOutcome { winner: Some(winner), reason });
        let (step, attack) = match play {
            Play::Move(card) => (Some(card), Vec::new()),
            Play::Attack { step, cards } => (step, cards),
        };
        let mut turn = DuelTurn { side, step, attack: attack.clone(), parried: None, drew: Vec::new() };
        if let Some(card) = step {
            replay.players[me].discards(&[card]);
            replay.players[me].laid.push(card);
            replay.distance -= card;
        }
        if !attack.is_empty() {
            replay.players[me].discards(&attack);
            replay.players[me].laid.extend(attack.iter().map(|_| 0));
            let parried = replay.players[you].has(&attack);
            turn.parried = Some(parried);
            if !parried {
                replay.turns.push(turn);
                return won(side, Reason::Hit);
            }
            replay.players[you].discards(&attack);
            replay.players[you].laid.extend(attack.iter().map(|_| 0));
            if replay.players[you].hand.is_empty() {
                replay.turns.push(turn);
                return won(side, Reason::NoCardLeft);
            }
        }
        let wants = replay.players[me].size.saturating_sub(replay.players[me].hand.len());
        let draws = wants.min(replay.pile);
        let enough = draws == wants;
        if drew.len() != draws {
            self.wrong("R-6.5", format!("expected that {draws} cards are drawn, found {drew:?}"));
        }
        for &card in drew.iter().take(draws) {
            self.takes_card(replay, me, card, "card drawn");
        }
        turn.drew = drew.iter().copied().take(draws).collect();
        replay.turns.push(turn);
        if enough { None } else { Some(DuelOutcome { winner: None, reason: Reason::EmptyPile }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A-1: where an AI is asked.
    #[test]
    fn a_1_urls() {
        for (url, expected) in [
            ("http://ai", "http://ai/"),
            ("http://ai:8081", "http://ai:8081/"),
            ("http://ai/", "http://ai/"),
            ("http://ai/action", "http://ai/action"),
            ("http://ai?a=1", "http://ai/?a=1"),
            ("https://ai/action?to=/b", "https://ai/action?to=/b"),
            ("http://ai?to=/b", "http://ai/?to=/b"),
        ] {
            assert_eq!(with_path(url), expected);
        }
    }

    /// R-6.2, R-6.3: a list of cards, a distance, a hand; what it is, or what is wrong with it.
    #[test]
    fn r_6_2_what_a_list_of_cards_is() {
        use Illegal::{Empty, NotACard, NotHeld, TooFar, WrongDistance};
        let attack = |step, cards: &[u8]| Ok(Play::Attack { step, cards: cards.to_vec() });
        for (cards, distance, hand, expected) in [
            (&[3][..], 4, &[1, 3, 3][..], Ok(Play::Move(3))),
            (&[4], 4, &[1, 4], attack(None, &[4])),
            (&[4, 4], 4, &[4, 4], attack(None, &[4, 4])),
            (&[1, 3, 3], 4, &[1, 3, 3], attack(Some(1), &[3, 3])),
            (&[2, 2], 4, &[2, 2], attack(Some(2), &[2])),
            (&[2, 2], 2, &[2, 2], attack(None, &[2, 2])),
            (&[], 4, &[1], Err(vec![Empty])),
            (&[9], 22, &[1], Err(vec![NotACard(9)])),
            (&[5], 4, &[5], Err(vec![TooFar(5)])),
            (&[3], 4, &[1], Err(vec![NotHeld(3)])),
            (&[1, 2], 4, &[1, 2], Err(vec![WrongDistance(2)])),
            (&[4, 1], 4, &[1, 4], Err(vec![WrongDistance(1)])),
        ] {
            let player = Player { hand: hand.to_vec(), ..Player::default() };
            assert_eq!(read_play(cards, distance, &player), expected, "{cards:?} at {distance}");
        }
    }
}
