//! The car is left as it was found: what was added is taken away, and what nobody has told it is noticed.
//!
//! ```text
//! first look, twice   …   case, GET /state   …   PATCH /state, DELETE /engine/a, PATCH /pilot {"count": 1}
//! ```

use super::Talk;
use super::keep::AsFound;
use crate::client::{Ask, Exchange};
use crate::suite::case::{Done, Failure, Stopped};
use gm_core::contract::{CarRequest, Kind, Modules};
use gm_core::ids::Square;

/// How often a car that does not look the same twice is looked at.
const LOOKS: usize = 4;

/// How often a question is asked again whose answer was not the right one.
const AGAIN: usize = 3;

/// How often a car that does not answer is asked again before it is given up.
const PATIENCE: usize = 2;

/// How many names are told that are left.
const TOLD: usize = 5;

/// How much of a request is told, in characters.
const SHOWN: usize = 100;

impl Talk {
    /// Looks how the car is when it is found.
    pub(super) async fn look_first(&mut self) {
        let (looks, kept) = self.look_steadily().await;
        self.keep.found = kept;
        self.keep.state = self.state().await.ok().map(|state| of_state(state.square, state.modules));
        if let Some(kept) = kept
            && let Some(other) = looks.iter().find(|look| **look != kept)
        {
            let unlike = other.unlike(&kept).join("; ");
            self.keep.note(format!(
                "When it was looked at first, nobody told it anything, and its answers differed: {unlike}. It is taken to \
                 have been found with {kept}."
            ));
        }
    }

    /// How the car is now; none if it can't be seen.
    pub async fn look(&mut self) -> Option<AsFound> {
        self.look_steadily().await.1
    }

    /// Looks until two looks are the same: all of them, and how the car is taken to be.
    async fn look_steadily(&mut self) -> (Vec<AsFound>, Option<AsFound>) {
        let mut looks: Vec<AsFound> = Vec::new();
        let mut agrees = None;
        for _ in 0..LOOKS {
            let Ok(state) = self.state().await else { return (looks, None) };
            let Ok(modules) = self.counts().await else { return (looks, None) };
            let look = AsFound { square: state.square, modules };
            if state.modules == modules {
                agrees = Some(look);
            }
            let is_steady = looks.last() == Some(&look);
            looks.push(look);
            if is_steady {
                return (looks, Some(look));
            }
        }
        let last = looks.last().copied();
        (looks, agrees.or(last))
    }

    /// Why nothing more can be asked.
    pub(super) fn has_ended(&self) -> Option<String> {
        let told = self.settings.stop.why().map(|why| format!("the run was told to stop ({why})"));
        self.keep.gone.clone().or(told)
    }

    /// Looks how the car is after a case, and may know better than the case what came of it.
    pub(super) async fn look_over(&mut self, case: &'static str, done: Done) -> Done {
        if self.has_ended().is_some() {
            let kept_back = self.exchanges.iter().any(|exchange| !exchange.was_sent());
            return match (done, self.has_ended()) {
                (Err(_), Some(why)) => Err(Stopped::Skip(why)),
                (Ok(()), Some(why)) if kept_back => Err(Stopped::Skip(why)),
                (done, _) => done,
            };
        }
        match done {
            Err(Stopped::Broken(failure)) => {
                let is_silent = self.last().is_some_and(|last| last.got.is_err());
                let gone = if is_silent { self.is_gone(case).await } else { None };
                if let Some(gone) = gone {
                    return Err(Stopped::Gone(gone));
                }
                let failure = self.ask_again(failure).await;
                self.note_untold(case).await;
                Err(Stopped::Broken(failure))
            }
            Ok(()) => match self.settle(case).await {
                Some(gone) => Err(Stopped::Gone(gone)),
                None => Ok(()),
            },
            skipped => skipped,
        }
    }

    /// Notes what is not as it was after a case that did not hold, if it has told the car nothing of that.
    async fn note_untold(&mut self, case: &'static str) {
        let (Some(expected), None) = (self.keep.state, &self.race) else { return };
        let Ok(state) = self.state().await else { return };
        let mut now = of_state(state.square, state.modules);
        if self.keep.told_square {
            now.square = expected.square;
        }
        for kind in &self.keep.told {
            *now.modules.of_mut(*kind) = expected.modules.of(*kind);
        }
        if now != expected {
            let unlike = now.unlike(&expected).join("; ");
            self.keep.note(format!("After {case}, which told the car nothing of that: {unlike}."));
        }
    }

    /// Sets right what a case has left behind that passed, and notes it. A failure if the car is gone.
    async fn settle(&mut self, case: &'static str) -> Option<Failure> {
        if self.race.is_some() {
            return None;
        }
        let expected = self.keep.state?;
        let Ok(state) = self.state().await else {
            let is_silent = self.last().is_some_and(|last| last.got.is_err());
            return if is_silent { self.is_gone(case).await } else { None };
        };
        let now = of_state(state.square, state.modules);
        if now != expected {
            if self.keep.owed.is_empty() {
                let unlike = now.unlike(&expected).join("; ");
                self.keep.note(format!("After {case}, which leaves the car as it was: {unlike}."));
            }
            self.give_back().await;
        } else if self.keep.retired {
            self.give_back().await;
        }
        self.keep.told.clear();
        self.keep.told_square = false;
        None
    }

    /// Asks a question again whose answer broke a case, if nobody told the car anything since.
    async fn ask_again(&mut self, mut failure: Failure) -> Failure {
        let Some(at) = failure.exchange else { return failure };
        let is_look =
            |ask: &Ask| ask.method == "GET" && (ask.path == "/state" || ask.path.ends_with("/count"));
        let nothing_told = |exchange: &Exchange| exchange.ask.method == "GET";
        let (Some(shown), Some(since)) = (self.exchanges.get(at), self.exchanges.get(at + 1..)) else {
            return failure;
        };
        if !is_look(&shown.ask) || shown.place != self.client.place() || !since.iter().all(nothing_told) {
            return failure;
        }
        let (path, first) = (shown.ask.path.clone(), shown.in_words());
        for _ in 0..AGAIN {
            let id = self.fresh_id();
            let ask = self.signed(Ask::new("GET", &path), &id);
            let again = self.send_raw(ask).await.in_words();
            if again != first {
                failure.found.push_str(&format!(
                    "; but asked again, with nothing told in between: {again}. The answers differ, so this may not be what \
                     is wrong: the car does not count reliably, or somebody else talks to it"
                ));
                break;
            }
        }
        failure
    }

    /// A failure if the car has answered and does not any more: after which request.
    async fn is_gone(&mut self, case: &'static str) -> Option<Failure> {
        let place = self.client.place().to_owned();
        let is_own = |exchange: &Exchange| exchange.place == place && exchange.was_sent();
        let asked_state =
            |exchange: &&Exchange| exchange.ask.path == "/state" && exchange.ask.method == "GET";
        self.exchanges
            .iter()
            .filter(asked_state)
            .find(|exchange| is_own(exchange) && exchange.got.is_ok())?;
        for _ in 0..PATIENCE {
            for request in [CarRequest::State, CarRequest::Count(Kind::Engine)] {
                if self.send(&request).await.got.is_ok() {
                    return None;
                }
            }
        }
        let answered =
            self.exchanges.iter().rposition(|exchange| is_own(exchange) && exchange.got.is_ok())?;
        let silent = answered + 1 + self.exchanges[answered + 1..].iter().position(is_own)?;
        // One that could not be sent is not what ended it.
        let was_heard = self.exchanges[silent].answer() != Err(gm_core::contract::Fault::Unreachable);
        let at = if was_heard { silent } else { answered };
        let request = told(&self.exchanges[at].ask);
        let last = self.last().map_or_else(|| "nothing".to_owned(), Exchange::in_words);
        self.keep.gone = Some(format!("the car does not answer any more since {case}"));
        Some(Failure {
            expected: format!("the car to go on answering after {request}"),
            found: format!("no answer to anything any more: {last}"),
            exchange: Some(at),
        })
    }

    /// Adds a module that may be there already; whether it is new. One that was there is never taken away.
    ///
    /// # Errors
    /// What was wrong with an answer.
    pub(in super::super) async fn add_perhaps(&mut self, kind: Kind, name: &str) -> Result<bool, Failure> {
        let before = self.count(kind).await?;
        let module = (kind, name.to_owned());
        self.keep.perhaps.push(module.clone());
        self.tell(&CarRequest::Gain { kind, name: name.to_owned() }).await?;
        let is_new = self.count(kind).await? > before;
        self.keep.perhaps.retain(|perhaps| *perhaps != module);
        if is_new {
            self.keep.owe(kind, name);
        }
        Ok(is_new)
    }

    /// Brings a count down again that was brought up by number, so that nobody knows the new names. A car that drops what
    /// came last keeps its own modules; what another one may have dropped is noted.
    pub(in super::super) async fn lower(&mut self, kind: Kind, count: u64) {
        if !self.keep.newest_first.contains_key(&kind)
            && let Some(newest_first) = self.drops_newest(kind).await
        {
            self.keep.newest_first.insert(kind, newest_first);
        }
        if let Ok(now) = self.count(kind).await {
            self.lowered(kind, now.saturating_sub(count));
        }
        self.send(&CarRequest::SetCount { kind, count }).await;
    }

    /// A count was brought down by so many, by number.
    pub(in super::super) fn lowered(&mut self, kind: Kind, many: u64) {
        if self.keep.newest_first.get(&kind) == Some(&false) {
            self.keep.replace(kind, many);
        }
    }

    /// Whether the car drops the module that came last when its count is lowered; none if that does not show. Tried with
    /// a module of a known name, on top of those that are to go.
    async fn drops_newest(&mut self, kind: Kind) -> Option<bool> {
        let before = self.count(kind).await.ok()?;
        let name = self.fresh_name(kind);
        self.send(&CarRequest::Gain { kind, name: name.clone() }).await;
        let added = self.count(kind).await == Ok(before + 1);
        if added {
            self.send(&CarRequest::SetCount { kind, count: before }).await;
        }
        let dropped = added && self.count(kind).await == Ok(before);
        self.send(&CarRequest::Lose { kind, name }).await;
        match self.count(kind).await {
            Ok(after) if dropped && after == before => Some(true),
            Ok(after) if dropped && after + 1 == before => {
                self.keep.replace(kind, 1);
                Some(false)
            }
            _ => None,
        }
    }

    /// Takes away what was added, and brings the car back into the race, its counts and its square to how they were
    /// found. Whatever was told to stop: this is asked.
    pub(super) async fn give_back(&mut self) {
        self.client.go_on();
        // A race can't go on without its modules.
        self.race = None;
        if self.keep.gone.is_some() && self.send(&CarRequest::State).await.got.is_err() {
            return;
        }
        // A car that is out of the race may refuse everything else.
        if self.keep.retired {
            self.tell_square().await;
        }
        for (kind, name) in self.keep.owed.clone() {
            self.send(&CarRequest::Lose { kind, name }).await;
        }
        if let Some(found) = self.keep.found {
            if self.state().await.map(|state| state.square) != Ok(found.square) {
                self.tell_square().await;
            }
            for kind in Kind::ALL {
                self.give_back_count(kind, found.modules.of(kind)).await;
            }
        }
        self.client.heed(&self.settings.stop);
        self.keep.told.clear();
        self.keep.told_square = false;
    }

    /// Tells the car the square where it was found, and so that it is in the race.
    async fn tell_square(&mut self) {
        let square = self.keep.found.map_or(0, |found| found.square);
        let square = Square(u32::try_from(square).unwrap_or(u32::MAX));
        self.send(&CarRequest::SetSquare(square)).await;
    }

    async fn give_back_count(&mut self, kind: Kind, count: u64) {
        // Once more, before anything is done about it: the answer may be wrong.
        let mut now = self.count(kind).await;
        if now != Ok(count) {
            now = self.count(kind).await;
        }
        let of_kind = |modules: &[(Kind, String)]| -> Vec<(Kind, String)> {
            modules.iter().filter(|(of, _)| *of == kind).cloned().collect()
        };
        for (kind, name) in of_kind(&self.keep.perhaps) {
            if now.as_ref().is_ok_and(|now| *now > count) {
                self.send(&CarRequest::Lose { kind, name }).await;
                now = self.count(kind).await;
            }
        }
        self.keep.perhaps.retain(|(of, _)| *of != kind);
        match now {
            Ok(now) if now == count => return,
            Ok(now) if now > count => self.lower(kind, count).await,
            Ok(now) => {
                self.keep.replace(kind, count - now);
                self.send(&CarRequest::SetCount { kind, count }).await;
            }
            Err(_) => _ = self.send(&CarRequest::SetCount { kind, count }).await,
        }
        if self.count(kind).await == Ok(count) {
            let left = of_kind(&self.keep.owed);
            self.keep.owed.retain(|(of, _)| *of != kind);
            self.keep.by_count.extend(left);
        }
    }

    /// Leaves the car as it was found, and says so, a line each; or what is not as it was.
    pub async fn leave(&mut self) -> Vec<String> {
        self.client.go_on();
        let is_racing = self.race.is_some();
        let interrupted = self.settings.stop.why().map(ToOwned::to_owned);
        let is_tidy = self.keep.owed.is_empty() && interrupted.is_none() && self.keep.gone.is_none();
        if is_tidy
            && !is_racing
            && let Some(found) = self.keep.found
            && let Some(now) = self.look().await
            && now != found
        {
            self.keep.note(format!("At the end: {}.", now.unlike(&found).join("; ")));
        }
        self.give_back().await;
        self.client.go_on();
        let mut lines = Vec::new();
        if let Some(why) = interrupted {
            lines.push(format!("It was told to stop ({why}) before all was checked."));
        }
        lines.extend(self.keep.notes());
        lines.extend(self.left().await);
        lines
    }

    /// How the car is left, a line each.
    async fn left(&mut self) -> Vec<String> {
        let Some(found) = self.keep.found else {
            return vec![match self.keep.told_anything {
                true => "How the car was found could not be seen, so it may not be as it was.".to_owned(),
                false => "Nothing was done to the car: it was asked, and told nothing.".to_owned(),
            }];
        };
        let mut lines = Vec::new();
        let left = self.look().await;
        match &left {
            None => lines.push(format!(
                "The car does not say any more how it is, so it may not be as it was: it was found with {found}."
            )),
            Some(left) => lines
                .extend(left.unlike(&found).iter().map(|unlike| format!("NOT as it was: {unlike}."))),
        }
        if self.keep.retired {
            lines.push(
                "NOT as it was: it was told that it is out of the race (DELETE /state), and has not accepted a PATCH /state \
                 since."
                    .to_owned(),
            );
        }
        for (kind, many) in &self.keep.replaced {
            let drops_others = self.keep.newest_first.get(kind) == Some(&false);
            let why = if drops_others {
                " When its count is lowered it drops others than what came last (C-9)."
            } else {
                ""
            };
            lines.push(format!(
                "NOT as it was: {many} of kind {kind} may have been its own and are gone, with others of other names in \
                 their place.{why}"
            ));
        }
        lines.extend(named("What was added and may still be there", &self.keep.owed));
        let is_as_found = lines.is_empty();
        lines.extend(named("What was added could be taken away only by count", &self.keep.by_count));
        if is_as_found {
            lines.push(format!(
                "The car is as it was found: {found}. (Names can't be seen through the contract: what was added by name is \
                 gone again.)"
            ));
        }
        lines
    }
}

/// What a state says, as far as the contract shows it.
fn of_state(square: u64, modules: Modules) -> AsFound {
    AsFound { square, modules }
}

/// A request in a few words, its body included.
fn told(ask: &Ask) -> String {
    let body = ask.body.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let whole = format!("{ask} {body}");
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut short: String = whole.trim_end().chars().take(SHOWN).map(plain).collect();
    if whole.trim_end().chars().count() > SHOWN {
        short.push('…');
    }
    short
}

/// A line with the names of modules, if there are any.
fn named(what: &str, modules: &[(Kind, String)]) -> Option<String> {
    let names: Vec<String> =
        modules.iter().take(TOLD).map(|(kind, name)| format!("{kind} {name:?}")).collect();
    let more =
        if modules.len() > TOLD { format!(" and {} more", modules.len() - TOLD) } else { String::new() };
    (!names.is_empty()).then(|| format!("{what}: {}{more}.", names.join(", ")))
}
