//! A tiny second game, which shows that [`Game`] and the match carry more than duels (tests only).
//!
//! **The standoff.** Three seats, one card from 1 to 5 face down on the table. In each round all who are still in lay
//! down a number from 1 to 5 at the same time. The lowest are out, unless that is everybody. The one who alone laid
//! the highest may look at the card, is asked whether to take it, and adds it to its numbers from then on. All hear who
//! is out and that the card was taken, but not which card it is. The last one in wins; after 4 rounds nobody does.
//! An illegal number counts as 0; who does not answer, or has used up its time, is out.
//!
//! ```text
//! round 1: 3 1 5, seat 1 is out, seat 2 sees the card and takes it
//! round 2: 4 – 3, seat 2 has 3 and the card: seat 0 is out, seat 2 wins
//! ```

use super::{
    Clock, Entry, Game, NeverEnded, NoClock, Notices, Player, Record, Replies, Reply, Seat, Stage, play,
    play_watched,
};
use crate::contract::Fault;
use futures_util::FutureExt;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, atomic::AtomicUsize, atomic::Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

const SEATS: usize = 3;
const ROUNDS: usize = 4;

struct Standoff {
    card: u8,
    still_in: [bool; SEATS],
    holds_card: Option<Seat>,
    looks: Option<Seat>,
    rounds: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum View {
    Lay { still_in: Vec<Seat>, your_card: Option<u8> },
    Take { card: u8 },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Move {
    Lay(u8),
    Take(bool),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Illegal {
    NoSuchNumber,
    AnotherQuestion,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Notice {
    YouAre(Seat),
    Out(Seat),
    CardTakenBy(Seat),
}

impl Standoff {
    fn new(card: u8) -> Standoff {
        Standoff { card, still_in: [true; SEATS], holds_card: None, looks: None, rounds: 0 }
    }

    fn seats_still_in(&self) -> Vec<Seat> {
        (0..SEATS).filter(|&seat| self.still_in[seat]).map(Seat).collect()
    }

    fn to_all(notice: &Notice) -> Notices<Standoff> {
        (0..SEATS).map(|seat| (Seat(seat), notice.clone())).collect()
    }

    fn out(&mut self, seats: &[Seat]) -> Notices<Standoff> {
        seats
            .iter()
            .flat_map(|&seat| {
                self.still_in[seat.0] = false;
                Standoff::to_all(&Notice::Out(seat))
            })
            .collect()
    }

    fn round(&mut self, replies: &Replies<Standoff>) -> Notices<Standoff> {
        self.rounds += 1;
        let mut laid: Vec<(u8, Seat)> = Vec::new();
        for (seat, reply) in replies {
            let card = if self.holds_card == Some(*seat) { self.card } else { 0 };
            match reply {
                Reply::Move(Move::Lay(number)) => laid.push((number + card, *seat)),
                Reply::Move(Move::Take(_)) | Reply::Illegal(..) => laid.push((0, *seat)),
                Reply::Fault(_) => {}
            }
        }
        let faulty: Vec<Seat> = replies
            .iter()
            .filter(|(_, reply)| matches!(reply, Reply::Fault(_)))
            .map(|(seat, _)| *seat)
            .collect();
        let mut notices = self.out(&faulty);
        let numbers = || laid.iter().map(|(number, _)| *number);
        let (lowest, highest) = (numbers().min(), numbers().max());
        if lowest != highest {
            let lost: Vec<Seat> = laid.iter().filter(|(n, _)| Some(*n) == lowest).map(|(_, s)| *s).collect();
            notices.extend(self.out(&lost));
            let top: Vec<Seat> = laid.iter().filter(|(n, _)| Some(*n) == highest).map(|(_, s)| *s).collect();
            if let ([seat], None) = (top.as_slice(), self.holds_card) {
                self.looks = Some(*seat);
            }
        }
        notices
    }
}

impl Game for Standoff {
    type View = View;
    type Move = Move;
    type Illegal = Illegal;
    type Notice = Notice;
    type Outcome = Option<Seat>;

    fn seats(&self) -> usize {
        SEATS
    }

    fn max_steps(&self) -> usize {
        2 * ROUNDS
    }

    fn opening(&mut self) -> Notices<Standoff> {
        (0..SEATS).map(|seat| (Seat(seat), Notice::YouAre(Seat(seat)))).collect()
    }

    fn stage(&self) -> Stage<Option<Seat>> {
        match (self.seats_still_in().as_slice(), self.looks) {
            ([], _) => Stage::Over(None),
            ([last], _) => Stage::Over(Some(*last)),
            (_, Some(seat)) => Stage::Asks(vec![seat]),
            (_, None) if self.rounds == ROUNDS => Stage::Over(None),
            (still_in, None) => Stage::Asks(still_in.to_vec()),
        }
    }

    fn view(&self, seat: Seat) -> View {
        if self.looks == Some(seat) {
            return View::Take { card: self.card };
        }
        let your_card = self.holds_card.filter(|&holder| holder == seat).map(|_| self.card);
        View::Lay { still_in: self.seats_still_in(), your_card }
    }

    fn check(&self, seat: Seat, play: &Move) -> Result<(), Illegal> {
        match (play, self.looks == Some(seat)) {
            (Move::Lay(1..=5), false) | (Move::Take(_), true) => Ok(()),
            (Move::Lay(_), false) => Err(Illegal::NoSuchNumber),
            _ => Err(Illegal::AnotherQuestion),
        }
    }

    fn apply(&mut self, replies: &Replies<Standoff>) -> Notices<Standoff> {
        let Some(seat) = self.looks.take() else { return self.round(replies) };
        match replies {
            [(_, Reply::Fault(_))] => self.out(&[seat]),
            [(_, Reply::Move(Move::Take(true)))] => {
                self.holds_card = Some(seat);
                Standoff::to_all(&Notice::CardTakenBy(seat))
            }
            _ => Vec::new(),
        }
    }

    fn out_of_time(&mut self, seat: Seat) -> Notices<Standoff> {
        self.looks = self.looks.filter(|&looks| looks != seat);
        self.out(&[seat])
    }
}

/// A bot that answers what it was told beforehand, and keeps what it hears.
#[derive(Default)]
struct Scripted {
    answers: VecDeque<Result<Move, Fault>>,
    heard: Vec<Notice>,
}

impl Player<Standoff> for Scripted {
    async fn ask(&mut self, _: &View) -> Result<Move, Fault> {
        self.answers.pop_front().unwrap_or(Err(Fault::Broken))
    }
    async fn notify(&mut self, notice: &Notice) {
        self.heard.push(notice.clone());
    }
}

/// One answer for each word: a number is laid down, `take` and `leave` are what they say, `late` is a fault.
fn scripted(answers: &str) -> Scripted {
    let answer = |word: &str| match word {
        "take" => Ok(Move::Take(true)),
        "leave" => Ok(Move::Take(false)),
        "late" => Err(Fault::Late),
        number => Ok(Move::Lay(number.parse().expect("a number"))),
    };
    Scripted { answers: answers.split_whitespace().map(answer).collect(), heard: Vec::new() }
}

/// The clock names each seat of the script after the step at its place; 9 stands for nobody.
struct ScriptedClock(VecDeque<usize>);

impl Clock for ScriptedClock {
    async fn overdue(&mut self) -> Option<Seat> {
        self.0.pop_front().filter(|&seat| seat != 9).map(Seat)
    }
}

/// A record in words, a line for each entry but the notices to seats 1 and 2, which are those to seat 0.
fn told(record: &Record<Standoff>) -> Vec<String> {
    record
        .iter()
        .filter_map(|entry| match entry {
            Entry::Asked { step, seat: Seat(seat), view, reply } => {
                let view = match view {
                    View::Lay { still_in, your_card: None } => format!("lay, {} in", still_in.len()),
                    View::Lay { your_card: Some(card), .. } => format!("lay, holds {card}"),
                    View::Take { card } => format!("take {card}?"),
                };
                Some(format!("{step}: {seat} {view}: {reply:?}"))
            }
            Entry::Notice { seat: Seat(0), notice } => Some(format!("{notice:?}")),
            Entry::Notice { .. } => None,
            Entry::OutOfTime { seat } => Some(format!("{seat:?} out of time")),
        })
        .collect()
}

#[track_caller]
fn check(scripts: [&str; SEATS], clock: &[usize], expected: &str, outcome: Option<usize>) {
    let mut players = scripts.map(scripted);
    let mut clock = ScriptedClock(clock.iter().copied().collect());
    let played = play(&mut Standoff::new(4), &mut players, &mut clock)
        .now_or_never()
        .expect("scripted bots never wait")
        .expect("a standoff ends");
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(told(&played.record), expected, "{scripts:?}");
    assert_eq!(played.outcome, outcome.map(Seat), "{scripts:?}");
}

#[test]
fn m_1_simultaneous_orders_elimination_a_second_question_and_a_hidden_card() {
    check(
        ["3 4", "1", "5 take 3"],
        &[],
        "YouAre(Seat(0))
         0: 0 lay, 3 in: Move(Lay(3))
         0: 1 lay, 3 in: Move(Lay(1))
         0: 2 lay, 3 in: Move(Lay(5))
         Out(Seat(1))
         1: 2 take 4?: Move(Take(true))
         CardTakenBy(Seat(2))
         2: 0 lay, 2 in: Move(Lay(4))
         2: 2 lay, holds 4: Move(Lay(3))
         Out(Seat(0))",
        Some(2),
    );
}

#[test]
fn m_2_the_game_says_what_a_fault_and_an_illegal_move_mean() {
    check(
        ["late", "9 2", "3 7 4"],
        &[],
        "YouAre(Seat(0))
         0: 0 lay, 3 in: Fault(Late)
         0: 1 lay, 3 in: Illegal(Lay(9), NoSuchNumber)
         0: 2 lay, 3 in: Move(Lay(3))
         Out(Seat(0))
         Out(Seat(1))",
        Some(2),
    );
    check(
        ["2 5", "1", "3 7 4"],
        &[],
        "YouAre(Seat(0))
         0: 0 lay, 3 in: Move(Lay(2))
         0: 1 lay, 3 in: Move(Lay(1))
         0: 2 lay, 3 in: Move(Lay(3))
         Out(Seat(1))
         1: 2 take 4?: Illegal(Lay(7), AnotherQuestion)
         2: 0 lay, 2 in: Move(Lay(5))
         2: 2 lay, 2 in: Move(Lay(4))
         Out(Seat(2))",
        Some(0),
    );
}

#[test]
fn m_2_the_clock_of_the_match() {
    check(
        ["2 2", "2 1", "2"],
        &[2, 9],
        "YouAre(Seat(0))
         0: 0 lay, 3 in: Move(Lay(2))
         0: 1 lay, 3 in: Move(Lay(2))
         0: 2 lay, 3 in: Move(Lay(2))
         Seat(2) out of time
         Out(Seat(2))
         1: 0 lay, 2 in: Move(Lay(2))
         1: 1 lay, 2 in: Move(Lay(1))
         Out(Seat(1))",
        Some(0),
    );
    // The clock is not looked at when the game is over: seat 2 has won.
    check(
        ["1", "1", "2"],
        &[2],
        "YouAre(Seat(0))
         0: 0 lay, 3 in: Move(Lay(1))
         0: 1 lay, 3 in: Move(Lay(1))
         0: 2 lay, 3 in: Move(Lay(2))
         Out(Seat(0))
         Out(Seat(1))",
        Some(2),
    );
}

/// Who looks on sees the game as it begins, and after each step and whatever the clock does.
#[test]
fn m_3_a_match_is_watched() {
    let mut players = ["2 2", "2 1", "2"].map(scripted);
    let mut clock = ScriptedClock([2, 9].into());
    let mut seen = Vec::new();
    let watch = |game: &Standoff| seen.push((game.rounds, game.seats_still_in().len()));
    let played = play_watched(&mut Standoff::new(4), &mut players, &mut clock, watch).now_or_never();
    assert!(played.is_some_and(|played| played.is_ok()));
    assert_eq!(seen, [(0, 3), (1, 3), (1, 2), (2, 1)]);
}

#[test]
fn m_3_notices_reach_each_seat_in_order_and_only_that_seat() {
    let mut players = ["3 4", "1", "5 take 3"].map(scripted);
    let played = play(&mut Standoff::new(4), &mut players, &mut NoClock).now_or_never().unwrap().unwrap();
    for (number, player) in players.iter().enumerate() {
        let seat = Seat(number);
        let heard =
            [Notice::YouAre(seat), Notice::Out(Seat(1)), Notice::CardTakenBy(Seat(2)), Notice::Out(Seat(0))];
        assert_eq!(player.heard, heard);
        let recorded: Vec<Notice> = played
            .record
            .iter()
            .filter_map(|entry| match entry {
                Entry::Notice { seat: to, notice } if *to == seat => Some(notice.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(recorded, heard);
    }
}

/// A bot that answers what a record says that it answered.
struct Replayed(VecDeque<Result<Move, Fault>>);

impl Player<Standoff> for Replayed {
    async fn ask(&mut self, _: &View) -> Result<Move, Fault> {
        self.0.pop_front().unwrap_or(Err(Fault::Broken))
    }
    async fn notify(&mut self, _: &Notice) {}
}

#[test]
fn m_3_a_match_replays_from_its_record() {
    let mut players = ["3 4", "late", "5 take 3"].map(scripted);
    let first = play(&mut Standoff::new(2), &mut players, &mut NoClock).now_or_never().unwrap().unwrap();
    let mut again = [0, 1, 2].map(|seat| {
        Replayed(
            first
                .record
                .iter()
                .filter_map(|entry| match entry {
                    Entry::Asked { seat: Seat(asked), reply, .. } if *asked == seat => Some(match reply {
                        Reply::Move(play) | Reply::Illegal(play, _) => Ok(play.clone()),
                        Reply::Fault(fault) => Err(*fault),
                    }),
                    _ => None,
                })
                .collect(),
        )
    });
    let second = play(&mut Standoff::new(2), &mut again, &mut NoClock).now_or_never().unwrap().unwrap();
    assert_eq!(first, second);
}

/// A bot that waits with its answer, and with its ear, until all three are waiting.
struct Patient {
    asked: Arc<AtomicUsize>,
    told: Arc<AtomicUsize>,
}

async fn all_three_are_here(count: &AtomicUsize) {
    let round = count.fetch_add(1, Relaxed) / SEATS + 1;
    std::future::poll_fn(
        |_| if count.load(Relaxed) >= round * SEATS { Poll::Ready(()) } else { Poll::Pending },
    )
    .await;
}

impl Player<Standoff> for Patient {
    async fn ask(&mut self, _: &View) -> Result<Move, Fault> {
        all_three_are_here(&self.asked).await;
        Ok(Move::Lay(3))
    }
    async fn notify(&mut self, _: &Notice) {
        all_three_are_here(&self.told).await;
    }
}

/// Polls a future again and again, without any executor.
fn drive<F: Future>(future: F) -> F::Output {
    const MAX_POLLS: usize = 1_000;
    let mut future = pin!(future);
    for _ in 0..MAX_POLLS {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
    panic!("still waiting after {MAX_POLLS} polls: the seats are not asked at the same time");
}

#[test]
fn m_1_all_seats_of_a_step_are_asked_and_told_at_the_same_time() {
    let (asked, told) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut players = [(); SEATS].map(|()| Patient { asked: asked.clone(), told: told.clone() });
    let played = drive(play(&mut Standoff::new(1), &mut players, &mut NoClock)).unwrap();
    assert_eq!(played.outcome, None, "all lay the same four times");
    assert_eq!((asked.load(Relaxed), told.load(Relaxed)), (ROUNDS * SEATS, SEATS));
}

#[test]
fn m_2_nobody_can_be_reached_at_a_seat_without_a_player() {
    let mut players = ["1", "2"].map(scripted);
    let played = play(&mut Standoff::new(1), &mut players, &mut NoClock).now_or_never().unwrap().unwrap();
    assert!(told(&played.record).contains(&"0: 2 lay, 3 in: Fault(Unreachable)".to_owned()));
    assert_eq!(played.outcome, Some(Seat(1)));
}

/// A game whose steps are counted, and which says that it ends earlier than it does.
struct Endless {
    said: usize,
    ends: usize,
    steps: usize,
}

impl Game for Endless {
    type View = ();
    type Move = ();
    type Illegal = ();
    type Notice = ();
    type Outcome = usize;
    fn seats(&self) -> usize {
        1
    }
    fn max_steps(&self) -> usize {
        self.said
    }
    fn stage(&self) -> Stage<usize> {
        if self.steps == self.ends { Stage::Over(self.steps) } else { Stage::Asks(vec![Seat(0)]) }
    }
    fn view(&self, _: Seat) {}
    fn check(&self, _: Seat, (): &()) -> Result<(), ()> {
        Ok(())
    }
    fn apply(&mut self, _: &Replies<Endless>) -> Notices<Endless> {
        self.steps += 1;
        Vec::new()
    }
    fn out_of_time(&mut self, _: Seat) -> Notices<Endless> {
        self.steps += 1;
        Vec::new()
    }
}

struct Nods;

impl Player<Endless> for Nods {
    async fn ask(&mut self, (): &()) -> Result<(), Fault> {
        Ok(())
    }
    async fn notify(&mut self, (): &()) {}
}

#[test]
fn a_match_never_goes_on_for_ever() {
    let run = |said, ends, clock: &[usize]| {
        let mut clock = ScriptedClock(clock.iter().copied().collect());
        let mut game = Endless { said, ends, steps: 0 };
        play(&mut game, &mut [Nods], &mut clock)
            .now_or_never()
            .unwrap()
            .map(|played| (played.outcome, played.record.len()))
    };
    assert_eq!(run(5, 5, &[]), Ok((5, 5)));
    assert_eq!(run(5, 0, &[]), Ok((0, 0)), "over before the first step");
    assert_eq!(run(5, 6, &[]), Err(NeverEnded(5)));
    assert_eq!(run(5, 6, &[9, 9, 9, 9, 0]), Ok((6, 6)), "ended by the clock in the last step");
    assert_eq!(run(0, 1, &[]), Err(NeverEnded(0)));
    assert_eq!(NeverEnded(5).to_string(), "the game did not end within 5 steps");
}

#[test]
fn the_future_of_a_match_can_be_sent_to_another_thread() {
    fn can_be_sent(_: &impl Send) {}
    let (mut game, mut players) = (Standoff::new(1), ["", "", ""].map(scripted));
    can_be_sent(&play(&mut game, &mut players, &mut NoClock));
}
