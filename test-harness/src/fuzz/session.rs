//! A car under fire: sends steps to it, looks how it is after each, and brings it back to how it was found.
//!
//! ```text
//! bring it back → step → look → step → look → …
//! ```

use super::model::{Class, Model, Seen};
use super::names::{fits_a_path, is_plain};
use super::raw::{self, Marks, Raw};
use super::step::{Effect, Key, Step, What, is_sendable, short};
use super::{Broke, Settings};
use crate::client::{Ask, BadPlace, Client, Exchange, Got, Mask, REQUEST_ID, car_url, harmless};
use crate::report::amount;
use gm_core::contract::{Answer, CarRequest, Fault, Kind, Reply, reader};
use gm_core::ids::Square;
use http::Uri;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// How often a car that does not answer is asked again before it is given up.
const PATIENCE: usize = 3;

/// How many names are told that are left.
const TOLD: usize = 5;

/// What is told of a step that could not be sent.
const UNSENT: &str = "it was not sent";

/// What is told where counts were lowered by number (C-9).
const LOWERED: &str = "But counts were also raised and lowered again by number, and a car may then drop modules that it had \
                       before: whether the same names are there only the car knows. If they matter, start it anew.";

/// A step that broke the car, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Break {
    pub(super) how: Broke,
    pub(super) expected: String,
    pub(super) found: String,
    pub(super) answer: String,
}

/// What the car has been seen to do about secrets (C-20: it should refuse a wrong one).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Guards {
    pub(super) questions: bool,
    pub(super) commands: bool,
}

/// A car under fire.
pub(super) struct Session {
    client: Client,
    settings: Settings,
    /// What makes ids of this run unlike those of any other.
    run: String,
    serial: u64,
    /// The id that was sent last.
    before: String,
    base: String,
    address: Option<(String, u16)>,
    /// How it was found; or why that could not be seen.
    found: Result<Seen, String>,
    /// A count was lowered: which modules went is for the car to say.
    lowered: bool,
    /// Whether the state tells the same counts as the counts themselves, so that one question will do.
    state_counts: bool,
    guards: Guards,
    /// What was added and may still be there, since the car does not find it; whether it surely was there.
    stuck: BTreeMap<(Kind, String), bool>,
    model: Option<Model>,
    /// The status of the last answer to the client, if there was one.
    status: Option<u16>,
    /// No secret was sent, and the car wanted one.
    pub(super) wants_secret: bool,
    /// How many steps were sent.
    pub(super) sent: u64,
    /// The step before was accepted without the right secret, and that is known of this car.
    pub(super) let_in: u64,
}

impl Session {
    pub(super) async fn begin(settings: Settings) -> Result<Session, BadPlace> {
        let client = Client::new(car_url(&settings.url)?.as_str())?.deadline(settings.deadline);
        let client = client.hiding(settings.secret.as_deref()).heeding(&settings.stop);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let uri = Uri::try_from(client.place()).map_err(|_| BadPlace::Url(settings.url.clone()))?;
        let mut session = Session {
            client,
            run: since.as_millis().to_string(),
            serial: 0,
            before: String::new(),
            base: uri.path().trim_end_matches('/').to_owned(),
            address: raw::address(&uri),
            found: Err(String::new()),
            lowered: false,
            state_counts: false,
            guards: Guards::default(),
            stuck: BTreeMap::new(),
            model: None,
            status: None,
            wants_secret: false,
            sent: 0,
            let_in: 0,
            settings,
        };
        let found = session.look(true).await;
        session.found = found.map_err(|told| session.why_unseen(&told));
        if let Ok(found) = session.found.clone() {
            session.state_counts = session.state().await.is_ok_and(|state| state == found);
            session.guards = session.try_guards(&found).await;
        }
        Ok(session)
    }

    /// How the car was found.
    ///
    /// # Errors
    /// Why that could not be seen, in words.
    pub(super) fn found(&self) -> Result<&Seen, &str> {
        self.found.as_ref().map_err(String::as_str)
    }

    /// What is told of a car that does not tell how it is; `told` is what it said.
    fn why_unseen(&self, told: &str) -> String {
        let advice = match self.status {
            None => "nobody answers there as a car does: is it started, and is this its URL?",
            Some(401 | 403) if self.settings.secret.is_none() => {
                "it wants the secret of its team: give it by --secret or CONFORM_SECRET"
            }
            Some(401 | 403) => "it does not take this secret (--secret or CONFORM_SECRET)",
            Some(_) => "check it with `conform car` first",
        };
        format!("the car does not tell how it is (C-4, C-5): {told}; {advice}")
    }

    pub(super) fn place(&self) -> &str {
        self.client.place()
    }

    pub(super) fn guards(&self) -> Guards {
        self.guards
    }

    /// Whether it was told to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.settings.stop.why().is_some()
    }

    /// Whether bytes can be sent to it.
    pub(super) fn takes_bytes(&self) -> bool {
        self.address.is_some()
    }

    fn fresh_id(&mut self) -> String {
        self.serial += 1;
        format!("fuzz{}-t0-c0-{}", self.run, self.serial)
    }

    async fn try_guards(&mut self, found: &Seen) -> Guards {
        if self.settings.secret.is_none() {
            return Guards::default();
        }
        let mut refuses = [false; 2];
        let stay = CarRequest::SetSquare(square(found.square));
        for (refuses, request) in refuses.iter_mut().zip([CarRequest::State, stay]) {
            let step = Step { key: Key::Other, ..Step::of(request) };
            let status = self.exchange(&step).await.and_then(|exchange| exchange.status());
            *refuses = status.is_some_and(|status| (400..500).contains(&status));
        }
        let [questions, commands] = refuses;
        Guards { questions, commands }
    }

    /// Sends a request; none if the step is not one, or one that the client can't write.
    async fn exchange(&mut self, step: &Step) -> Option<Exchange> {
        let ask = self.ask(step).filter(is_sendable)?;
        let is_head = ask.method == "HEAD";
        let exchange = Some(self.client.exchange(ask).await).filter(Exchange::was_sent)?;
        self.status = exchange.status();
        if is_head {
            // A car that answers it with a body leaves that on the connection.
            self.client.hang_up();
        }
        Some(exchange)
    }

    fn ask(&mut self, step: &Step) -> Option<Ask> {
        let id = self.fresh_id();
        let before = if self.before.is_empty() { id.clone() } else { self.before.clone() };
        let ask = step.ask(self.settings.secret.as_deref(), &id, &before)?;
        if let Some(id) = ask.header_value(REQUEST_ID) {
            self.before = id.to_owned();
        }
        Some(ask)
    }

    /// The requests of these steps with ids that were not sent yet, to be repeated by hand.
    pub(super) fn asks(&mut self, steps: &[Step]) -> Vec<Option<Ask>> {
        steps.iter().map(|step| self.ask(step)).collect()
    }

    /// What stands for the marks in bytes.
    pub(super) fn marks(&mut self, secret: Option<String>) -> Marks {
        let host = self.client.place().split("://").nth(1).unwrap_or_default();
        let host = host.split('/').next().unwrap_or_default().to_owned();
        Marks { host, base: self.base.clone(), secret, id: self.fresh_id() }
    }

    /// Asks a question of the contract and reads its answer, or tells what came instead.
    async fn question<T>(
        &mut self,
        request: CarRequest,
        read: impl FnOnce(&Answer) -> Reply<T>,
    ) -> Result<T, String> {
        let exchange = self.exchange(&Step::of(request.clone())).await;
        let exchange = exchange.ok_or("it can't be asked")?;
        let answer =
            exchange.answer().map(Got::answer).ok().filter(|answer| request.succeeds_with(answer.status));
        let value = answer.and_then(|answer| read(&answer).ok());
        value.map(|taken| taken.value).ok_or_else(|| format!("{request}: {}", exchange.in_words()))
    }

    async fn state(&mut self) -> Result<Seen, String> {
        let state = self.question(CarRequest::State, reader::state).await?;
        let counts = Kind::ALL.map(|kind| state.modules.of(kind));
        Ok(Seen { name: state.name, square: state.square, counts })
    }

    /// Looks how the car is: all of it, or only what its state says.
    async fn look(&mut self, all: bool) -> Result<Seen, String> {
        let mut seen = self.state().await?;
        if all || !self.state_counts {
            let told = seen.counts;
            for kind in Kind::ALL {
                let count = self.question(CarRequest::Count(kind), reader::count).await?;
                if self.state_counts && count != told[kind as usize] {
                    return Err(format!(
                        "GET /{kind}/count: {count}, and GET /state: {}",
                        told[kind as usize]
                    ));
                }
                seen.counts[kind as usize] = count;
            }
        }
        Ok(seen)
    }

    /// Does a step, and looks whether the car is still right. `all`: at all of it.
    pub(super) async fn step(&mut self, step: &Step, all: bool) -> Result<(), Break> {
        self.sent += 1;
        let (status, answer) = match &step.what {
            What::Raw(raw) => self.send_bytes(raw).await?,
            _ => self.send_request(step).await?,
        };
        self.wants_secret |= self.settings.secret.is_none() && status == Some(401);
        let class = match status {
            Some(200..=299) => Class::Accepted,
            Some(_) => Class::Refused,
            None => Class::Unheard,
        };
        let broken =
            |how, expected: String, found: String| Break { how, expected, found, answer: answer.clone() };
        if class == Class::Accepted && step.key != Key::Right && self.settings.secret.is_some() {
            self.let_in += 1;
            let asks = matches!(&step.what, What::Contract(request, _) if !request.is_command());
            if if asks { self.guards.questions } else { self.guards.commands } {
                let expected = "401 to who does not know the secret, as to others".to_owned();
                return Err(broken(Broke::LetIn, expected, answer.clone()));
            }
        }
        self.check(step, class, status, all)
            .await
            .map_err(|(how, expected, found)| broken(how, expected, found))
    }

    async fn send_request(&mut self, step: &Step) -> Result<(Option<u16>, String), Break> {
        let Some(exchange) = self.exchange(step).await else { return Ok((Some(400), UNSENT.to_owned())) };
        let may_be_cut_off = step.may_be_cut_off(&exchange.ask);
        let words = exchange.in_words();
        let broken = |how, expected: &str| Break {
            how,
            expected: expected.to_owned(),
            found: words.clone(),
            answer: words.clone(),
        };
        match exchange.answer() {
            Ok(got) if (500..600).contains(&got.status) && !step.excuses(got.status) => {
                Err(broken(Broke::ServerError, "an answer of 2xx or 4xx"))
            }
            Ok(got) => Ok((Some(got.status), words)),
            Err(Fault::Late) => Err(broken(Broke::Hung, "an answer within the deadline")),
            // The body is too long, or how it ends is not said; the head may have come.
            Err(Fault::TooLarge) => Ok((None, words)),
            Err(_) if may_be_cut_off => Ok((None, words)),
            Err(_) => Err(broken(Broke::Closed, "an answer")),
        }
    }

    async fn send_bytes(&mut self, raw: &Raw) -> Result<(Option<u16>, String), Break> {
        let Some((host, port)) = self.address.clone().filter(|_| !self.is_stopped()) else {
            return Ok((Some(400), UNSENT.to_owned()));
        };
        // A car may rely on one connection at a time (C-23).
        self.client.hang_up();
        let marks = self.marks(self.settings.secret.clone());
        let deadline = self.settings.deadline;
        let Ok(heard) = raw::send((host.as_str(), port), raw, &marks, deadline).await else {
            return Ok((None, "no connection could be made".into()));
        };
        let status = raw::status(&heard);
        let mask = Mask::of(self.settings.secret.as_deref().unwrap_or_default());
        let first = String::from_utf8_lossy(&heard);
        let first = harmless(&mask.hide(first.lines().next().unwrap_or("nothing")));
        match status {
            Some(error) if (500..600).contains(&error) && !matches!(error, 501 | 505) => Err(Break {
                how: Broke::ServerError,
                expected: "an answer of 4xx, or none".into(),
                found: first.clone(),
                answer: first,
            }),
            _ => Ok((status, first)),
        }
    }

    /// Looks whether the car is what it may be after a step.
    async fn check(
        &mut self,
        step: &Step,
        class: Class,
        status: Option<u16>,
        all: bool,
    ) -> Result<(), (Broke, String, String)> {
        let Some(mut model) = self.model.clone() else { return Ok(()) };
        let refused_right = self.refused_right(step, status, model.retired);
        let request = match &step.what {
            What::Contract(request, _) => Some(request),
            _ => None,
        };
        let accepted = class == Class::Accepted;
        if accepted && request == Some(&CarRequest::Retire) {
            model.retired = true;
        }
        let comes_back = accepted && matches!(request, Some(CarRequest::SetSquare(_)));
        if model.retired && !comes_back {
            if let Some(found) = refused_right {
                return Err(found);
            }
            model.unseen(step, class);
            self.model = Some(model);
            return Ok(());
        }
        if let Some(CarRequest::Lose { kind, name }) = request
            && status == Some(404)
            && step.must_be_found()
            && model.has(*kind, name)
        {
            let expected = format!("2xx: the car took the {kind} of this name before");
            return Err((Broke::WrongEffect, expected, "404".to_owned()));
        }
        let allowed = model.allows(step, class);
        if allowed.is_none() || model.retired {
            // Whatever it made of it: a square is told to it that it must take.
            self.exchange(&Step::of(CarRequest::SetSquare(square(model.seen.square)))).await;
        }
        let seen = self.look(all || allowed.is_none()).await.map_err(|found| {
            (Broke::Lost, "answers to GET /state and the counts, as before".to_owned(), found)
        })?;
        if let Some(allowed) = allowed.filter(|_| !model.retired)
            && !allowed.holds(&seen)
        {
            let how = match class {
                Class::Refused => Broke::ChangedByRefusal,
                _ if step.effect() == Effect::Nothing => Broke::ChangedByQuestion,
                _ => Broke::WrongEffect,
            };
            return Err((how, allowed.to_string(), seen.to_string()));
        }
        if accepted && matches!(request, Some(CarRequest::SetCount { .. })) {
            self.lowered |= seen.counts.iter().zip(model.seen.counts).any(|(now, before)| *now < before);
        }
        if let Some(found) = refused_right {
            return Err(found);
        }
        model.retired = false;
        self.note_losses(&model, step, &seen);
        model.after(step, class, seen);
        self.model = Some(model);
        Ok(())
    }

    /// Notes what was dropped and may have been there before.
    fn note_losses(&mut self, model: &Model, step: &Step, seen: &Seen) {
        let known = match step.effect() {
            Effect::Command(CarRequest::Lose { kind, name }) if model.has(kind, &name) => Some(kind),
            _ => None,
        };
        for kind in Kind::ALL {
            let dropped = seen.counts[kind as usize] < model.seen.counts[kind as usize];
            if dropped && known != Some(kind) {
                self.lowered = true;
            }
        }
    }

    /// What is wrong with a status of 3xx or 4xx, if the request is right (C-1 to C-15). What a car that is out of the race
    /// answers is looked at only where it is put back.
    fn refused_right(
        &self,
        step: &Step,
        status: Option<u16>,
        retired: bool,
    ) -> Option<(Broke, String, String)> {
        let status = status.filter(|status| (300..500).contains(status))?;
        let is_back = matches!(step.what, What::Contract(CarRequest::SetSquare(_), _));
        let may_be_missing = matches!(step.what, What::Contract(CarRequest::Lose { .. }, _));
        let no_secret = self.settings.secret.is_none() && matches!(status, 401 | 403);
        if !step.is_right() || no_secret || (retired && !is_back) || (may_be_missing && status == 404) {
            return None;
        }
        let wanted = if may_be_missing { "2xx or 404" } else { "2xx" };
        let expected = format!("{wanted}: the request is right, and as the game master sends it");
        Some((Broke::RefusedRight, expected, format!("status {status}")))
    }

    /// Brings the car back to how it was found, as far as the contract can. Whether that is so.
    pub(super) async fn bring_back(&mut self) -> bool {
        let Ok(found) = self.found.clone() else { return false };
        self.client.hang_up();
        self.before.clear();
        let owed = self.model.take().map(|model| (model.owed(), model.retired));
        let (owed, retired) = owed.unwrap_or_default();
        if retired {
            // A car that is out of the race may refuse everything else.
            self.exchange(&Step::of(CarRequest::SetSquare(square(found.square)))).await;
        }
        for (kind, name, is_sure) in owed {
            let step = Step::of(CarRequest::Lose { kind, name: name.clone() });
            let status = self.exchange(&step).await.and_then(|exchange| exchange.status());
            let is_gone = match status {
                Some(200..=299) => true,
                Some(404) => !is_sure && fits_a_path(&name),
                _ => false,
            };
            if is_gone {
                self.stuck.remove(&(kind, name));
            } else {
                self.stuck.insert((kind, name), is_sure);
            }
        }
        for _ in 0..PATIENCE {
            let seen = self.look(true).await;
            if !retired
                && let Ok(seen) = &seen
                && *seen == found
            {
                self.model = Some(Model::new(found, self.stuck.keys().cloned()));
                return true;
            }
            if retired || seen.as_ref().map(|seen| seen.square) != Ok(found.square) {
                self.exchange(&Step::of(CarRequest::SetSquare(square(found.square)))).await;
            }
            if let Ok(seen) = seen {
                for kind in Kind::ALL {
                    let count = found.counts[kind as usize];
                    if seen.counts[kind as usize] != count {
                        self.lowered = true;
                        self.exchange(&Step::of(CarRequest::SetCount { kind, count })).await;
                    }
                }
            }
            if let Ok(seen) = self.look(true).await
                && seen == found
            {
                self.model = Some(Model::new(found, self.stuck.keys().cloned()));
                return true;
            }
        }
        false
    }

    /// Notes names that a step may have left although it was seen to break the car.
    pub(super) fn owe(&mut self, step: &Step) {
        if let (What::Contract(CarRequest::Gain { kind, name }, _), Some(model)) =
            (&step.what, &mut self.model)
        {
            model.may_have(*kind, name);
        }
    }

    /// Leaves the car as it was found, and says so, a line each; or what is not as it was.
    pub(super) async fn leave(&mut self) -> Vec<String> {
        self.client.go_on();
        let is_back = self.bring_back().await;
        let Ok(found) = self.found.clone() else {
            return vec!["Nothing was done to it: it was only asked how it is.".to_owned()];
        };
        let mut lines = match self.look(true).await {
            Err(told) => vec![format!("NOT as it was: the car does not say any more how it is ({told}).")],
            Ok(seen) if seen != found => {
                vec![format!("NOT as it was: {seen}, and it was found with {found}.")]
            }
            Ok(_) if !is_back => vec!["The car came back to how it was found only just now.".to_owned()],
            Ok(_) => vec![format!(
                "The car is as it was found: {found}. (Names can't be seen through the contract: what was added by name \
                 was taken away by name.)"
            )],
        };
        let left = self.stuck.iter().filter(|((_, name), is_sure)| **is_sure && is_plain(name));
        if self.lowered {
            lines.push(LOWERED.to_owned());
        }
        let names: Vec<String> =
            left.map(|((kind, name), _)| format!("{kind} \"{}\"", short(name))).collect();
        if !names.is_empty() {
            lines.push(format!(
                "{} that the car took could not be taken away by name, only by count: {}{}",
                amount(names.len() as u64, "name"),
                names[..names.len().min(TOLD)].join(", "),
                if names.len() > TOLD { ", …" } else { "" }
            ));
        }
        lines
    }
}

/// The square, or the last one that the contract can tell.
fn square(square: u64) -> Square {
    Square(u32::try_from(square).unwrap_or(u32::MAX))
}
