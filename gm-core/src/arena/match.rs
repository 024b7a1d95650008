//! The one match that plays every game (M-1, M-2, M-3).
//!
//! A step: all seats that the game waits for are asked at the same time, their moves are checked, the game plays them,
//! notices go out, the clock is looked at. Everything said is recorded:
//!
//! ```text
//! step 0  seat 0  asked {distance 22, hand 1 3 5}  moved [5]
//! step 1  seat 1  asked {distance 17, hand 2 2 4}  fault: no answer within the deadline
//! ```

use super::game::{Game, Notices, Reply, Seat, Stage};
use crate::contract::Fault;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use std::future::Future;

/// A bot at its seat, however it is reached. It keeps the deadline of an answer, and answers
/// [`Fault::Late`] (M-2).
pub trait Player<G: Game>: Send {
    /// Asks for a move.
    fn ask(&mut self, view: &G::View) -> impl Future<Output = Result<G::Move, Fault>> + Send;
    /// Tells something that needs no answer.
    fn notify(&mut self, notice: &G::Notice) -> impl Future<Output = ()> + Send;
}

/// The clock of a match.
pub trait Clock: Send {
    /// The seat whose time has run out, if one has. Asked after each step that leaves the game going on; a seat
    /// that was named is not named again unless the game is to hear of it again.
    fn overdue(&mut self) -> impl Future<Output = Option<Seat>> + Send;
}

/// No limit to the time of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoClock;

impl Clock for NoClock {
    async fn overdue(&mut self) -> Option<Seat> {
        None
    }
}

/// Something that was said in a match (M-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry<V, M, I, N> {
    /// A seat was asked, and this came of it.
    Asked {
        /// The step, from 0. Entries with the same step were asked at the same time.
        step: usize,
        /// Who was asked.
        seat: Seat,
        /// What it was told.
        view: V,
        /// What it answered.
        reply: Reply<M, I>,
    },
    /// A seat was told something.
    Notice {
        /// Who was told.
        seat: Seat,
        /// What it was told.
        notice: N,
    },
    /// The clock had run out for a seat.
    OutOfTime {
        /// Whose time is up.
        seat: Seat,
    },
}

/// All that was said in a match, in order (M-3): at most [`Game::max_steps`] questions to each seat, and what the
/// game had to notify.
pub type Record<G> =
    Vec<Entry<<G as Game>::View, <G as Game>::Move, <G as Game>::Illegal, <G as Game>::Notice>>;

/// A match that was played to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played<O, R> {
    /// How the game ended.
    pub outcome: O,
    /// All that was said ([`Record`]).
    pub record: R,
}

/// A game took more steps than it may: a bug in the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the game did not end within {0} steps")]
pub struct NeverEnded(pub usize);

/// Plays a game to its end. `players[0]` sits at seat 0, and so on; nobody can be reached at a seat without a
/// player ([`Fault::Unreachable`]).
///
/// # Errors
/// [`NeverEnded`] if the game goes on past its own [`Game::max_steps`].
pub fn play<G, P, C>(
    game: &mut G,
    players: &mut [P],
    clock: &mut C,
) -> impl Future<Output = Result<Played<G::Outcome, Record<G>>, NeverEnded>> + Send
where
    G: Game,
    P: Player<G>,
    C: Clock,
{
    play_watched(game, players, clock, |_| {})
}

/// The same, and shows the game to somebody who looks on and keeps nobody waiting: at its beginning, and after each
/// change.
///
/// # Errors
/// As those of [`play`].
#[expect(clippy::manual_async_fn, reason = "`async fn` can't say that the future is Send for every game")]
pub fn play_watched<G, P, C, W>(
    game: &mut G,
    players: &mut [P],
    clock: &mut C,
    mut watch: W,
) -> impl Future<Output = Result<Played<G::Outcome, Record<G>>, NeverEnded>> + Send
where
    G: Game,
    P: Player<G>,
    C: Clock,
    W: FnMut(&G) + Send,
{
    async move {
        let max_steps = game.max_steps();
        let mut record = Vec::new();
        let opening = game.opening();
        watch(game);
        tell(players, opening, &mut record).await;
        for step in 0..max_steps {
            let seats = match game.stage() {
                Stage::Asks(seats) => seats,
                Stage::Over(outcome) => return Ok(Played { outcome, record }),
            };
            let views: Vec<G::View> = seats.iter().map(|&seat| game.view(seat)).collect();
            let answers = ask::<G, P>(players, &seats, &views).await;
            let replies: Vec<_> =
                seats.iter().zip(answers).map(|(&seat, answer)| (seat, reply(game, seat, answer))).collect();
            let notices = game.apply(&replies);
            watch(game);
            record.extend(views.into_iter().zip(replies).map(|(view, (seat, reply))| Entry::Asked {
                step,
                seat,
                view,
                reply,
            }));
            tell(players, notices, &mut record).await;
            if let Stage::Over(outcome) = game.stage() {
                return Ok(Played { outcome, record });
            }
            if let Some(seat) = clock.overdue().await {
                record.push(Entry::OutOfTime { seat });
                let notices = game.out_of_time(seat);
                watch(game);
                tell(players, notices, &mut record).await;
            }
        }
        match game.stage() {
            Stage::Over(outcome) => Ok(Played { outcome, record }),
            Stage::Asks(_) => Err(NeverEnded(max_steps)),
        }
    }
}

/// Asks all `seats` at the same time. What each is told was settled before any of them answers.
async fn ask<G: Game, P: Player<G>>(
    players: &mut [P],
    seats: &[Seat],
    views: &[G::View],
) -> Vec<Result<G::Move, Fault>> {
    let mut free: Vec<Option<&mut P>> = players.iter_mut().map(Some).collect();
    let mut asks = Vec::with_capacity(seats.len());
    for (seat, view) in seats.iter().zip(views) {
        let player = free.get_mut(seat.0).and_then(Option::take);
        asks.push(async move {
            match player {
                Some(player) => player.ask(view).await,
                None => Err(Fault::Unreachable),
            }
        });
    }
    join_all(asks).await
}

fn reply<G: Game>(game: &G, seat: Seat, answer: Result<G::Move, Fault>) -> Reply<G::Move, G::Illegal> {
    match answer {
        Err(fault) => Reply::Fault(fault),
        Ok(play) => match game.check(seat, &play) {
            Ok(()) => Reply::Move(play),
            Err(why) => Reply::Illegal(play, why),
        },
    }
}

/// Delivers notices: to one seat in order, to all seats at the same time. Nobody waits for a slow neighbour.
async fn tell<G: Game, P: Player<G>>(players: &mut [P], notices: Notices<G>, record: &mut Record<G>) {
    if notices.is_empty() {
        return;
    }
    let mut deliveries = Vec::with_capacity(players.len());
    for (number, player) in players.iter_mut().enumerate() {
        let notices = &notices;
        deliveries.push(async move {
            for (_, notice) in notices.iter().filter(|(seat, _)| seat.0 == number) {
                player.notify(notice).await;
            }
        });
    }
    join_all(deliveries).await;
    record.extend(notices.into_iter().map(|(seat, notice)| Entry::Notice { seat, notice }));
}
