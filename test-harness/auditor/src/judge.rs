//! The judge of one race: what is recorded of a decision is read beside what the rules ask for, event by event and
//! question by question.
//!
//! ```text
//! expected {"event":"car_moved","car":3,"squares":4,"to":12}, found {"event":"car_moved","car":3,"squares":5,"to":13}
//! ```

use crate::event::Event;
use crate::finding::Finding;
use crate::model::Model;
use crate::record::{Exchange, Outcome, Port};
use crate::rules::Rules;
use crate::tally::Tally;
use crate::word::{Deviation, Request};
use std::collections::{BTreeMap, BTreeSet};

/// The most findings of one race; what follows is not looked for.
pub(crate) const MOST_FINDINGS: usize = 200;

/// How far ahead an event is looked for that did not come where it should.
const LOOK_AHEAD: usize = 12;

/// The most characters that a finding quotes of an event or a request.
const LONGEST_QUOTE: usize = 400;

/// What was asked on one port of one chain, in order.
#[derive(Debug, Clone, Default)]
struct Lane {
    asked: Vec<(u64, Exchange)>,
    next: usize,
}

/// A conversation: its chain, and whom it is with.
#[derive(Debug, Clone)]
pub(crate) struct Talk {
    pub(crate) chain: String,
    pub(crate) team: Option<u32>,
    pub(crate) car: Option<u32>,
    pub(crate) url: String,
}

/// The judge of one race.
#[derive(Debug, Clone)]
pub(crate) struct Judge {
    pub(crate) model: Model,
    pub(crate) tally: Tally,
    pub(crate) findings: Vec<Finding>,
    found: usize,
    /// The turn that is played, or was completed last.
    pub(crate) turn: u32,
    /// The line of the decision.
    pub(crate) line: u64,
    events: Vec<(u64, Event)>,
    next: usize,
    lanes: BTreeMap<(String, Port), Lane>,
    /// What was tolerated in answers, and must be told.
    tolerated: Vec<(u32, Request, Vec<Deviation>)>,
    /// The cars that were registered in this decision, each with the number of its command.
    pub(crate) newcomers: Vec<(u32, u32)>,
}

impl Judge {
    pub(crate) fn new(rules: Rules) -> Judge {
        Judge {
            model: Model::new(rules),
            tally: Tally::default(),
            findings: Vec::new(),
            found: 0,
            turn: 0,
            line: 0,
            events: Vec::new(),
            next: 0,
            lanes: BTreeMap::new(),
            tolerated: Vec::new(),
            newcomers: Vec::new(),
        }
    }

    /// Whether so much was found that it is no use to go on.
    pub(crate) fn has_enough(&self) -> bool {
        self.found >= MOST_FINDINGS
    }

    pub(crate) fn finds(&mut self, line: u64, rule: &'static str, what: String) {
        self.found += 1;
        if self.found <= MOST_FINDINGS {
            self.findings.push(Finding { line, turn: self.turn, rule, what });
        }
    }

    /// Something is wrong at the event that comes next.
    pub(crate) fn wrong(&mut self, rule: &'static str, what: impl Into<String>) {
        let line = self.here();
        self.finds(line, rule, what.into());
    }

    /// The line of the event that comes next.
    fn here(&self) -> u64 {
        self.events.get(self.next).or(self.events.last()).map_or(self.line, |(line, _)| *line)
    }

    /// Takes up a decision.
    pub(crate) fn open(
        &mut self,
        line: u64,
        turn: u32,
        events: Vec<(u64, Event)>,
        exchanges: Vec<(u64, Exchange)>,
    ) {
        self.line = line;
        self.turn = turn;
        self.events = events;
        self.next = 0;
        self.lanes.clear();
        self.tolerated.clear();
        for (line, exchange) in exchanges {
            let key = (exchange.chain.clone(), exchange.port);
            self.lanes.entry(key).or_default().asked.push((line, exchange));
        }
    }

    /// Closes a decision: nothing may be left of it.
    pub(crate) fn close(&mut self) {
        self.told();
        while let Some((line, event)) = self.events.get(self.next).cloned() {
            self.finds(line, rule_of(&event), format!("nothing asks for {}", quote(&event)));
            self.model.apply(&event);
            self.next += 1;
        }
        for (car, request, _) in std::mem::take(&mut self.tolerated) {
            let what = format!("expected word of what was tolerated in car {car}'s answer to {request:?}");
            self.wrong("C-22", what);
        }
        let left: Vec<_> = std::mem::take(&mut self.lanes)
            .into_values()
            .flat_map(|lane| lane.asked.into_iter().skip(lane.next))
            .collect();
        for (line, asked) in left {
            let what = format!(
                "nothing asks for request {} of {}: {}",
                asked.number,
                asked.chain,
                cut(&asked.request)
            );
            self.finds(line, rule_of_chain(&asked.chain), what);
        }
    }

    /// Passes over what was tolerated in answers, which is told when they are read.
    fn told(&mut self) {
        while let Some((_, Event::DeviationsAccepted { car, request, deviations })) =
            self.events.get(self.next)
        {
            let known = self
                .tolerated
                .iter()
                .position(|(whose, asked, seen)| whose == car && asked == request && seen == deviations);
            let Some(known) = known else { return };
            self.tolerated.remove(known);
            self.next += 1;
        }
    }

    /// The event that comes next.
    pub(crate) fn peek(&mut self) -> Option<&Event> {
        self.told();
        self.events.get(self.next).map(|(_, event)| event)
    }

    /// Takes the event that comes next, whatever it is.
    pub(crate) fn advance(&mut self) {
        if let Some((_, event)) = self.events.get(self.next) {
            self.model.apply(event);
            self.next += 1;
        }
    }

    /// This event must come next.
    pub(crate) fn expect(&mut self, rule: &'static str, expected: Event) {
        self.told();
        match self.events.get(self.next) {
            Some((_, found)) if *found == expected => self.advance(),
            _ => self.misses(rule, &expected),
        }
    }

    /// Another event came than the one expected: it was changed, or is there too much, or too early.
    fn misses(&mut self, rule: &'static str, expected: &Event) {
        let rest = self.events.get(self.next..).unwrap_or_default();
        if let Some((line, found)) = rest.first()
            && expected.is_like(found)
        {
            let what = format!("expected {}, found {}", quote(expected), quote(found));
            self.finds(*line, rule, what);
            self.advance();
        } else if let Some(ahead) = rest.iter().take(LOOK_AHEAD).position(|(_, found)| found == expected) {
            self.skip(ahead);
            self.advance();
        } else {
            let instead = rest.first().map_or("the end of the decision".to_owned(), |(_, it)| quote(it));
            self.wrong(rule, format!("expected {}, found {instead}", quote(expected)));
            self.model.apply(expected);
        }
    }

    /// Passes over events that nothing asks for.
    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            if let Some((line, event)) = self.events.get(self.next) {
                let (line, event) = (*line, event.clone());
                self.finds(line, rule_of(&event), format!("nothing asks for {} here", quote(&event)));
                self.advance();
            }
        }
    }

    /// The event that comes next must be one of a kind, of which something was drawn.
    pub(crate) fn draw<T>(
        &mut self,
        rule: &'static str,
        what: &str,
        drawn: impl Fn(&Event) -> Option<T>,
    ) -> Option<T> {
        self.told();
        let rest = self.events.get(self.next..).unwrap_or_default();
        let ahead = rest.iter().take(LOOK_AHEAD).position(|(_, event)| drawn(event).is_some());
        let Some(ahead) = ahead else {
            let instead = rest.first().map_or("the end of the decision".to_owned(), |(_, it)| quote(it));
            self.wrong(rule, format!("expected {what}, found {instead}"));
            return None;
        };
        self.skip(ahead);
        let drawn = self.events.get(self.next).and_then(|(_, event)| drawn(event));
        self.advance();
        drawn
    }

    /// The conversation with a car about a topic.
    pub(crate) fn talk(&self, topic: &str, car: u32) -> Talk {
        let known = self.model.cars.get(&car);
        Talk {
            chain: format!("t{}-{topic}-c{car}", self.turn),
            team: known.map(|car| car.team),
            car: Some(car),
            url: known.map_or(String::new(), |car| car.url.clone()),
        }
    }

    /// Whether anything is left to be asked on a port of a chain.
    pub(crate) fn is_asked(&self, chain: &str, port: Port) -> bool {
        self.lane(chain, port).is_some_and(|lane| lane.next < lane.asked.len())
    }

    fn lane(&self, chain: &str, port: Port) -> Option<&Lane> {
        self.lanes.get(&(chain.to_owned(), port))
    }

    /// The exchange that comes next on a port of a chain, if there is one.
    pub(crate) fn next_exchange(&self, chain: &str, port: Port) -> Option<&Exchange> {
        let lane = self.lane(chain, port)?;
        lane.asked.get(lane.next).map(|(_, exchange)| exchange)
    }

    /// How many exchanges of a port of a chain were gone through.
    pub(crate) fn exchanged(&self, chain: &str, port: Port) -> u32 {
        self.lane(chain, port).map_or(0, |lane| u32::try_from(lane.next).unwrap_or(u32::MAX))
    }

    /// Something was asked: what, of whom, in which place of its chain. Gives what came of it.
    pub(crate) fn exchange(
        &mut self,
        rule: &'static str,
        talk: &Talk,
        port: Port,
        request: &str,
    ) -> Option<Exchange> {
        let turn = self.turn;
        let Some(lane) = self.lanes.get_mut(&(talk.chain.clone(), port)) else {
            self.wrong(rule, format!("expected to be asked of {}: {}", talk.chain, cut(request)));
            return None;
        };
        let Some((line, asked)) = lane.asked.get(lane.next).cloned() else {
            self.wrong(rule, format!("expected to be asked of {}: {}", talk.chain, cut(request)));
            return None;
        };
        lane.next += 1;
        let number = u32::try_from(lane.next).unwrap_or(u32::MAX);
        if asked.request != request {
            let what = format!(
                "expected of {} the request {}, found {}",
                talk.chain,
                cut(request),
                cut(&asked.request)
            );
            self.finds(line, rule, what);
        }
        let clock = matches!(port, Port::Grace | Port::DuelClock | Port::RaceClock);
        if (!clock && asked.number != number)
            || asked.turn != turn
            || asked.team != talk.team
            || asked.car != talk.car
        {
            let what = format!(
                "expected request {number} of turn {turn}, team {:?}, car {:?}; found {} of {}, {:?}, {:?}",
                talk.team, talk.car, asked.number, asked.turn, asked.team, asked.car
            );
            self.finds(line, "C-20", what);
        }
        Some(asked)
    }

    /// R-2.2: passes over the questions of a registration that was refused before they mattered: cars are asked side by
    /// side, before the first command of a decision takes effect. Nobody may have been told anything.
    pub(crate) fn passes_over(&mut self, chain: &str) {
        for port in [Port::Resolver, Port::Car, Port::Inspector] {
            let Some(lane) = self.lanes.get_mut(&(chain.to_owned(), port)) else { continue };
            let asked: Vec<_> = lane.asked.iter().skip(lane.next).cloned().collect();
            lane.next = lane.asked.len();
            for (line, asked) in asked {
                if port == Port::Car && !asked.request.starts_with("GET ") {
                    let what = format!("a car that is not registered is told {}", cut(&asked.request));
                    self.finds(line, "R-2.3", what);
                }
            }
        }
    }

    /// A question to a car: what was answered.
    pub(crate) fn ask<T>(
        &mut self,
        rule: &'static str,
        talk: &Talk,
        request: &Request,
        read: fn(&Outcome) -> crate::answer::Reply<T>,
    ) -> Result<T, crate::word::Fault> {
        let Some(asked) = self.exchange(rule, talk, Port::Car, &request.text(&talk.url)) else {
            return Err(crate::word::Fault::Unreachable);
        };
        match read(&asked.outcome) {
            Ok((value, deviations)) => {
                self.words(&asked, &deviations);
                if let Some(car) = talk.car
                    && !deviations.is_empty()
                {
                    self.tolerated.push((car, request.clone(), deviations));
                }
                Ok(value)
            }
            Err(fault) => {
                self.words(&asked, &[]);
                Err(fault)
            }
        }
    }

    /// A question was tolerated something in, of a car that has its id only now.
    pub(crate) fn tolerates(&mut self, car: u32, request: Request, deviations: Vec<Deviation>) {
        self.tolerated.push((car, request, deviations));
    }

    /// A command to a car: its answer is not read.
    pub(crate) fn tell(&mut self, rule: &'static str, talk: &Talk, request: &Request) {
        if let Some(asked) = self.exchange(rule, talk, Port::Car, &request.text(&talk.url)) {
            self.words(&asked, &[]);
        }
    }

    /// C-22: what was tolerated is recorded with the answer.
    pub(crate) fn words(&mut self, asked: &Exchange, deviations: &[Deviation]) {
        let words: Vec<&str> = deviations.iter().map(|deviation| deviation.words()).collect();
        if asked.deviations != words {
            let what = format!(
                "expected in request {} of {} that is tolerated: {words:?}, found {:?}",
                asked.number, asked.chain, asked.deviations
            );
            self.wrong("C-22", what);
        }
    }

    /// All cars that race, in ascending order.
    pub(crate) fn racing(&self) -> BTreeSet<u32> {
        self.model.cars.keys().copied().filter(|car| self.model.racing(*car)).collect()
    }
}

/// An event as it is stored, cut where it is long.
pub(crate) fn quote(event: &Event) -> String {
    cut(&serde_json::to_string(event).unwrap_or_default())
}

/// A text, cut where it is long.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// The rule that an event is of, where nothing asks for it.
fn rule_of(event: &Event) -> &'static str {
    match event {
        Event::CarRegistered { .. } | Event::RegistrationRefused { .. } => "R-2.3",
        Event::TurnStarted { .. } | Event::CarStarted { .. } | Event::PriorityDrawn { .. } => "R-3.0",
        Event::TurnMissed { .. } | Event::CarMoved { .. } => "R-3.1",
        Event::EncounterMet { .. } => "R-3.3",
        Event::CarsMet { .. } => "R-4.2",
        Event::FightDeclined { .. } | Event::FightStarted { .. } => "R-4.3",
        Event::DuelForfeited { .. } => "R-4.5",
        Event::FightWon { .. } | Event::FightLost { .. } | Event::FightDrawn { .. } => "R-4.6",
        Event::PiratesAttacked { .. } => "R-5.1",
        Event::WreckSearched { .. } | Event::WreckLeft { .. } => "R-5.2",
        Event::MinefieldCrossed { .. } | Event::MinefieldAvoided { .. } => "R-5.3",
        Event::GarageLeft { .. } | Event::ModuleBought { .. } | Event::TooExpensive { .. } => "R-5.4",
        Event::DuelStarted { .. } | Event::DuelPlayed { .. } => "R-6.1",
        Event::Penalised { .. } | Event::TurnsToMissAdded { .. } => "R-7.1",
        Event::ModuleGained { .. } | Event::NamesRead { .. } => "R-7.2",
        Event::ModuleLost { .. } => "R-7.3",
        Event::CarRetired { .. } => "R-7.4",
        Event::Scored { .. } => "R-8.1",
        Event::AchievementEarned { .. } => "R-9.1",
        Event::RaceFinished { .. } => "R-10.2",
        Event::CarCorrected { .. } | Event::TeamCorrected { .. } => "R-10.3",
        Event::CarStepped { .. } | Event::BonusTaken { .. } => "R-12.2",
        Event::DeviationsAccepted { .. } | Event::DuelDeviationsAccepted { .. } => "C-22",
        Event::InspectionSkipped { .. } => "I-4",
        _ => "R-10.1",
    }
}

/// The rule that a conversation is of.
fn rule_of_chain(chain: &str) -> &'static str {
    match chain.split('-').nth(1) {
        Some("track") => "R-3.1",
        Some("bonus") => "R-12.2",
        Some("fight") => "R-4.3",
        Some("duel" | "pirateduel" | "pirates") => "R-6.2",
        Some("encounter") => "R-5",
        Some("spotcheck") => "R-3.4",
        Some("transfer") => "R-7.7",
        Some(_) => "R-2.2",
        None => "R-10.2",
    }
}
