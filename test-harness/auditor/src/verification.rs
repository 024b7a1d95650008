//! R-7: what a car gains and loses, and how it is verified that it knows.
//!
//! ```text
//! POST /engine {"name":"engine-t1-c3-1"}, GET /engine/count: 3 where 4 is right, so a penalty and PATCH /engine {"count":4}
//! ```

use crate::answer;
use crate::event::{Breach, Check, Event, Fact, Found, GainCause, LossCause, Retirement};
use crate::judge::{Judge, Talk};
use crate::record::{Outcome, Port};
use crate::word::{InspectorFault, Kind, Module, Request};

/// What an inspected resource must say of one name.
#[derive(Debug, Clone, Copy)]
enum Named<'a> {
    Holds(&'a str),
    HoldsNot(&'a str),
}

impl Judge {
    /// R-7.8: after the `tries`th question that failed, whether there is time to ask again.
    fn asks_again(&mut self, talk: &Talk, tries: u32) -> bool {
        let grace = self.model.rules.verify_grace;
        if tries > grace {
            return false;
        }
        if let Some(struck) = self.next_exchange(&talk.chain, Port::Grace)
            && struck.number == self.exchanged(&talk.chain, Port::Car)
        {
            let clock = Talk { team: None, ..talk.clone() };
            let struck = self.exchange("R-7.8", &clock, Port::Grace, &format!("GRACE {grace} s"));
            if struck.is_some_and(|struck| struck.outcome != Outcome::TimeIsUp(None)) {
                self.wrong("R-7.8", "expected that the grace is over");
            }
            return false;
        }
        true
    }

    /// `GET /{kind}/count` must be right, and with an inspector what is really there.
    fn count_breach(&mut self, talk: &Talk, car: u32, kind: Kind, named: Named<'_>) -> Option<Breach> {
        let mut tries = 0;
        loop {
            tries += 1;
            let breach = match self.count_wrong(talk, car, kind) {
                None => self.resource_wrong(talk, car, kind, named),
                wrong => wrong,
            }?;
            if !self.asks_again(talk, tries) {
                return Some(breach);
            }
        }
    }

    fn count_wrong(&mut self, talk: &Talk, car: u32, kind: Kind) -> Option<Breach> {
        let right = self.model.cars.get(&car)?.count(kind);
        let request = Request::Count(kind);
        let found = match self.ask("R-7.2", talk, &request, answer::count) {
            Ok(said) if said == right => return None,
            Ok(said) => Found::Value(Fact::Count(said)),
            Err(fault) => Found::Fault(fault),
        };
        Some(Breach { check: Check::Asked(request), expected: Fact::Count(right), found })
    }

    fn resource_wrong(&mut self, talk: &Talk, car: u32, kind: Kind, named: Named<'_>) -> Option<Breach> {
        let right = self.model.cars.get(&car)?.count(kind);
        let breach = |expected, found| {
            let found = Found::Value(found);
            Some(Breach { check: Check::Inspected(kind), expected, found })
        };
        match self.inspect(talk, car, kind)? {
            Outcome::Number(there) if there != right => breach(Fact::Count(right), Fact::Count(there)),
            Outcome::Names(names) => match named {
                _ if names.len() as u64 != right => {
                    breach(Fact::Count(right), Fact::Count(names.len() as u64))
                }
                Named::Holds(name) if !names.iter().any(|there| there == name) => {
                    breach(Fact::Holds(name.to_owned()), Fact::HoldsNot(name.to_owned()))
                }
                Named::HoldsNot(name) if names.iter().any(|there| there == name) => {
                    breach(Fact::HoldsNot(name.to_owned()), Fact::Holds(name.to_owned()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// I-4: an inspector that fails is asked once more, and then passed over.
    pub(crate) fn inspect(&mut self, talk: &Talk, car: u32, kind: Kind) -> Option<Outcome> {
        let known = self.model.cars.get(&car)?;
        if !self.model.teams.get(&known.team)?.inspected {
            return None;
        }
        let request = read_request(kind, known.resources.of(kind));
        let mut failed = None;
        for _ in 0..2 {
            match self.exchange("I-4", talk, Port::Inspector, &request)?.outcome {
                Outcome::NotInspected(fault) => failed = Some(fault),
                seen => return Some(seen),
            }
        }
        if let Some(fault) = failed {
            self.skipped(car, kind, fault);
        }
        None
    }

    fn skipped(&mut self, car: u32, kind: Kind, fault: InspectorFault) {
        self.expect("I-4", Event::InspectionSkipped { car, kind, fault });
    }

    /// After a correction names are read again (R-7.2). Pilots have none.
    pub(crate) fn reads_names(&mut self, talk: &Talk, car: u32, kind: Kind) {
        if kind == Kind::Pilot {
            return;
        }
        let Some(Outcome::Names(names)) = self.inspect(talk, car, kind) else { return };
        let right = self.model.cars.get(&car).map_or(0, |car| car.count(kind));
        if names.len() as u64 == right {
            self.expect("R-7.2", Event::NamesRead { car, kind, names });
        } else if matches!(self.peek(), Some(Event::NamesRead { car: of, .. }) if *of == car) {
            self.wrong("R-7.2", "names are read that are more or fewer than the car has modules");
            self.advance();
        }
    }

    /// R-3.1: the engines before a move. That is no verification: it has no grace (R-7.8), and no inspector looks.
    pub(crate) fn corrects_engines(&mut self, talk: &Talk, car: u32) -> Option<Breach> {
        let breach = self.count_wrong(talk, car, Kind::Engine)?;
        self.corrects_count(talk, car, Kind::Engine);
        Some(breach)
    }

    fn corrects_count(&mut self, talk: &Talk, car: u32, kind: Kind) {
        let count = self.model.cars.get(&car).map_or(0, |car| car.count(kind));
        self.tell("R-7.2", talk, &Request::SetCount { kind, count });
        self.reads_names(talk, car, kind);
    }

    fn verifies(&mut self, talk: &Talk, car: u32, kind: Kind, named: Named<'_>) -> Option<Breach> {
        let breach = self.count_breach(talk, car, kind, named)?;
        self.corrects_count(talk, car, kind);
        Some(breach)
    }

    /// `GET /state` must report the square, or it is sent again. Gives what is to be punished.
    pub(crate) fn corrects_square(&mut self, rule: &'static str, talk: &Talk, car: u32) -> Option<Breach> {
        let square = self.model.cars.get(&car)?.square;
        let right = u64::from(square);
        let mut tries = 0;
        loop {
            tries += 1;
            let found = match self.ask(rule, talk, &Request::State, answer::state) {
                Ok(said) if said.square == right => return None,
                Ok(said) => Found::Value(Fact::Square(said.square)),
                Err(fault) => Found::Fault(fault),
            };
            if !self.asks_again(talk, tries) {
                self.tell(rule, talk, &Request::SetSquare(square));
                let check = Check::Asked(Request::State);
                return Some(Breach { check, expected: Fact::Square(right), found });
            }
        }
    }

    /// R-3.4: `GET /state` must report square and counts, or all of them are sent again.
    pub(crate) fn corrects_state(&mut self, talk: &Talk, car: u32) -> Option<Breach> {
        let known = self.model.cars.get(&car)?;
        let (square, modules) = (known.square, known.counts());
        let right = Fact::State { square: u64::from(square), modules };
        let mut tries = 0;
        loop {
            tries += 1;
            let said = self.ask("R-3.4", talk, &Request::State, answer::state);
            let found = match &said {
                Ok(said) => {
                    let said = Fact::State { square: said.square, modules: said.modules };
                    if said == right {
                        return None;
                    }
                    Found::Value(said)
                }
                Err(fault) => Found::Fault(*fault),
            };
            if !self.asks_again(talk, tries) {
                // What was said right need not be sent again.
                if said.as_ref().map_or(true, |said| said.square != u64::from(square)) {
                    self.tell("R-3.4", talk, &Request::SetSquare(square));
                }
                for kind in Kind::ALL {
                    if said.as_ref().map_or(true, |said| said.modules.of(kind) != modules.of(kind)) {
                        self.tell("R-3.4", talk, &Request::SetCount { kind, count: modules.of(kind) });
                        self.reads_names(talk, car, kind);
                    }
                }
                return Some(Breach { check: Check::Asked(Request::State), expected: right, found });
            }
        }
    }

    /// R-7.1: a penalty, if there is anything to be punished.
    pub(crate) fn punishes(&mut self, rule: &'static str, car: u32, breach: Option<Breach>) {
        if let Some(breach) = breach {
            self.expect(rule, Event::Penalised { car, breach });
        }
    }

    /// R-1.3: the name of the next module that the game master gives a car.
    fn next_name(&self, car: u32, kind: Kind) -> Option<String> {
        let known = self.model.cars.get(&car)?;
        let mut serial = known.names_given;
        loop {
            serial = serial.checked_add(1)?;
            let name = format!("{}-t{}-c{car}-{serial}", kind.word(), self.turn);
            if !known.has(&Module { kind, name: name.clone() }) {
                return Some(name);
            }
        }
    }

    /// R-7.2: a gain. Gives what is to be punished.
    pub(crate) fn gains(&mut self, talk: &Talk, car: u32, kind: Kind, cause: GainCause) -> Option<Breach> {
        let name = self.next_name(car, kind)?;
        let module = Module { kind, name: name.clone() };
        self.expect("R-7.2", Event::ModuleGained { car, module, cause });
        self.tell("R-7.2", talk, &Request::Gain { kind, name: name.clone() });
        self.verifies(talk, car, kind, Named::Holds(&name))
    }

    /// R-7.3: a loss of this module, with its verification and punishment, or the car's retirement (R-7.4).
    pub(crate) fn loses(&mut self, talk: &Talk, car: u32, module: Module, cause: LossCause) {
        self.expect("R-7.3", Event::ModuleLost { car, module: module.clone(), cause });
        self.has_lost(talk, car, &module);
    }

    /// What follows a loss.
    pub(crate) fn has_lost(&mut self, talk: &Talk, car: u32, module: &Module) {
        let Module { kind, name } = module;
        self.tell("R-7.3", talk, &Request::Lose { kind: *kind, name: name.clone() });
        let pilots = self.model.cars.get(&car).map_or(0, |car| car.count(Kind::Pilot));
        if pilots == 0 {
            self.retires(talk, car, Retirement::NoPilot);
            return;
        }
        let breach = self.verifies(talk, car, *kind, Named::HoldsNot(name));
        self.punishes("R-7.3", car, breach);
    }

    /// A loss of a module that is drawn at random among all that a car has.
    pub(crate) fn loses_any(
        &mut self,
        rule: &'static str,
        talk: &Talk,
        car: u32,
        cause: LossCause,
    ) -> Option<Module> {
        let had = self.model.cars.get(&car)?.modules.clone();
        let lost = self.draw(rule, &format!("a loss of car {car}"), |event| match event {
            Event::ModuleLost { car: of, module, cause: by } if *of == car && *by == cause => {
                Some(module.clone())
            }
            _ => None,
        })?;
        match had.iter().position(|module| *module == lost) {
            Some(at) => self.tally.evenly("R-7.3", "module lost", had.len(), at),
            None => self.wrong("R-7.3", format!("car {car} never had {lost:?}")),
        }
        self.has_lost(talk, car, &lost);
        Some(lost)
    }

    /// R-7.4: a retirement, and `DELETE /state` once.
    pub(crate) fn retires(&mut self, talk: &Talk, car: u32, reason: Retirement) {
        self.expect("R-7.4", Event::CarRetired { car, reason });
        self.tell("R-7.4", talk, &Request::Retire);
    }
}

/// What an inspector is asked.
pub(crate) fn read_request(kind: Kind, resource: &str) -> String {
    format!("READ {}s {resource}", kind.word())
}
