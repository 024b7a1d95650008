//! R-2: a car is registered, or refused with every reason that applies.
//!
//! ```text
//! GET /state, then for each kind GET /engine and GET /engine/count; 3 engines, 2 pilots, 3 weapons: paid 14
//! ```

use crate::answer::{self, Reply};
use crate::command::Application;
use crate::event::{Accepted, Event, RefusedBecause};
use crate::judge::{Judge, Talk};
use crate::model::Status;
use crate::record::{Outcome, Port};
use crate::verification::{can_be_names, read_request};
use crate::word::{Fault, Kind, Module, Modules, Request, Resources};

/// R-2.1: the most characters of an instance name, and of what is told of one.
const LONGEST_INSTANCE: usize = 100;

/// R-2.1: whether this can be an instance name.
fn can_be_named(instance: &str) -> bool {
    (1..=LONGEST_INSTANCE).contains(&instance.chars().count()) && !instance.chars().any(char::is_control)
}

/// What was learnt of a car.
#[derive(Debug, Default)]
struct Learnt {
    reasons: Vec<RefusedBecause>,
    accepted: Vec<Accepted>,
    resources: Resources,
    counts: Modules,
    pilots_known: bool,
    engines: Option<Vec<String>>,
    weapons: Option<Vec<String>>,
}

impl Judge {
    /// R-2: what came of an application.
    pub(crate) fn registers(&mut self, no: u32, application: &Application) {
        let Application { team, instance, url } = application;
        let (team, chain) = (*team, format!("t{}-command{no}-c0", self.turn));
        let mut talk = Talk { chain: chain.clone(), team: Some(team), car: None, url: String::new() };
        let mut learnt = Learnt::default();
        let is_name = can_be_named(instance);
        if !is_name {
            learnt.reasons.push(RefusedBecause::BadInstanceName);
        }
        let address = match url {
            Some(url) => Some(url.clone()),
            None if !is_name => {
                self.settles(no, application, None, learnt);
                return;
            }
            None => {
                let asked = self.exchange("R-2.1", &talk, Port::Resolver, &format!("RESOLVE {instance}"));
                match asked.map(|asked| asked.outcome) {
                    Some(Outcome::Address(address)) => address,
                    _ => None,
                }
            }
        };
        let taken = self.model.cars.values().any(|car| car.instance == *instance);
        let url_taken = self
            .model
            .cars
            .values()
            .any(|car| car.status != Status::Retired && Some(&car.url) == address.as_ref());
        if taken {
            learnt.reasons.push(RefusedBecause::InstanceTaken);
        }
        match &address {
            None => learnt.reasons.push(RefusedBecause::NoAddress),
            Some(_) if url_taken => learnt.reasons.push(RefusedBecause::UrlTaken),
            Some(_) => {}
        }
        if let Some(url) = address.clone() {
            talk.url = url;
            self.inspects_car(&talk, team, instance, &mut learnt);
        }
        self.settles(no, application, address, learnt);
    }

    /// R-2.2: all seven questions, and the inspector.
    fn inspects_car(&mut self, talk: &Talk, team: u32, instance: &str, learnt: &mut Learnt) {
        let state = self.learns(talk, Request::State, answer::state, learnt);
        match state {
            Err(Fault::Unreachable) => return,
            Ok(said) if said.name != instance => {
                let found = said.name.chars().take(LONGEST_INSTANCE).collect();
                learnt.reasons.push(RefusedBecause::OtherName { found });
            }
            _ => {}
        }
        let mut said = Vec::new();
        for kind in Kind::ALL {
            let resource = self.learns(talk, Request::Resource(kind), answer::resource, learnt).ok();
            if let Some(name) = &resource {
                learnt.resources.set(kind, name.clone());
            }
            let count = self.learns(talk, Request::Count(kind), answer::count, learnt).ok();
            said.push((kind, resource, count));
        }
        let inspected = self.is_asked(&talk.chain, Port::Inspector);
        if let Some(team) = self.model.teams.get_mut(&team) {
            team.inspected |= inspected;
        }
        let inspected = self.model.teams.get(&team).is_some_and(|team| team.inspected);
        for (kind, resource, said) in said {
            let there = match &resource {
                Some(resource) if inspected => self.looks(talk, kind, resource, learnt),
                _ => said,
            };
            if let (Some(said), Some(there)) = (said, there)
                && said != there
            {
                learnt.reasons.push(RefusedBecause::WrongCount { kind, said, there });
            }
            if let Some(count) = there {
                learnt.counts.set(kind, count);
                learnt.pilots_known |= kind == Kind::Pilot;
            }
        }
    }

    /// One question of a registration.
    fn learns<T>(
        &mut self,
        talk: &Talk,
        request: Request,
        read: fn(&Outcome) -> Reply<T>,
        learnt: &mut Learnt,
    ) -> Result<T, Fault> {
        let Some(asked) = self.exchange("R-2.2", talk, Port::Car, &request.text(&talk.url)) else {
            return Err(Fault::Unreachable);
        };
        match read(&asked.outcome) {
            Ok((value, deviations)) => {
                self.words(&asked, &deviations);
                if !deviations.is_empty() {
                    learnt.accepted.push(Accepted { request, deviations });
                }
                Ok(value)
            }
            Err(fault) => {
                learnt.reasons.push(RefusedBecause::NoAnswer { request, fault });
                Err(fault)
            }
        }
    }

    /// What the inspector sees of a kind; it is asked once.
    fn looks(&mut self, talk: &Talk, kind: Kind, resource: &str, learnt: &mut Learnt) -> Option<u64> {
        let asked = self.exchange("R-2.2", talk, Port::Inspector, &read_request(kind, resource))?;
        match asked.outcome {
            Outcome::Number(number) => Some(number),
            Outcome::Names(names) => {
                let count = names.len() as u64;
                if !can_be_names(&names) {
                    learnt.reasons.push(RefusedBecause::BadModuleNames { kind });
                }
                match kind {
                    Kind::Engine => learnt.engines = Some(names),
                    _ => learnt.weapons = Some(names),
                }
                Some(count)
            }
            Outcome::NotInspected(fault) => {
                learnt.reasons.push(RefusedBecause::NotInspected { kind, fault });
                None
            }
            _ => None,
        }
    }

    /// R-2.3: accepted, or refused with every reason.
    fn settles(&mut self, no: u32, application: &Application, address: Option<String>, mut learnt: Learnt) {
        let Application { team, instance, .. } = application;
        let team = *team;
        let counts = learnt.counts;
        let rules = &self.model.rules;
        let found = Kind::ALL.iter().map(|kind| counts.of(*kind)).sum::<u64>();
        let price = Kind::ALL
            .iter()
            .map(|kind| counts.of(*kind).saturating_mul(rules.prices.of(*kind)))
            .fold(u64::from(rules.registration_fee), u64::saturating_add);
        let budget = self.model.budget(team);
        if learnt.pilots_known && counts.pilot == 0 {
            learnt.reasons.push(RefusedBecause::NoPilot);
        }
        if found > u64::from(rules.max_modules) {
            learnt.reasons.push(RefusedBecause::TooManyModules { found, most: rules.max_modules });
        }
        if price > budget {
            learnt.reasons.push(RefusedBecause::TooExpensive { price, budget });
        }
        if matches!(self.peek(), Some(Event::RegistrationRefused { .. })) || !learnt.reasons.is_empty() {
            self.is_refused(team, instance, learnt);
            return;
        }
        let car = self.model.cars.keys().next_back().map_or(1, |last| last.saturating_add(1));
        let names = |kind: Kind, read: Option<Vec<String>>| {
            let names = read.unwrap_or_else(|| {
                (1..=counts.of(kind)).map(|number| format!("{}-{number}", kind.word())).collect()
            });
            names.into_iter().map(move |name| Module { kind, name })
        };
        let modules = names(Kind::Engine, learnt.engines)
            .chain(names(Kind::Pilot, None))
            .chain(names(Kind::Weapon, learnt.weapons))
            .collect();
        let url = address.unwrap_or_default();
        let (instance, resources) = (instance.clone(), learnt.resources);
        let registered = Event::CarRegistered { car, team, instance, url, resources, modules, paid: price };
        self.expect("R-2.3", registered);
        for Accepted { request, deviations } in learnt.accepted {
            self.tolerates(car, request, deviations);
        }
        self.newcomers.push((no, car));
    }

    /// R-2.3: who was registered is told its square, when all that arrived with it was settled; not who is out of the race
    /// by then.
    pub(crate) fn greets(&mut self) {
        for (no, car) in std::mem::take(&mut self.newcomers) {
            if let Some(known) = self.model.cars.get(&car)
                && known.status != Status::Retired
            {
                let square = known.square;
                let talk = self.talk(&format!("command{no}"), car);
                self.tell("R-2.3", &talk, &Request::SetSquare(square));
            }
        }
    }

    /// Every reason must be there, in whatever order.
    fn is_refused(&mut self, team: u32, instance: &str, learnt: Learnt) {
        let given = match self.peek() {
            Some(Event::RegistrationRefused { reasons, .. }) => Some(reasons.clone()),
            _ => None,
        };
        let mut reasons = learnt.reasons;
        if let Some(given) = given
            && given.len() == reasons.len()
            && reasons.iter().all(|reason| given.contains(reason))
        {
            reasons = given;
        }
        let accepted: Vec<Accepted> = learnt.accepted;
        self.expect(
            "R-2.3",
            Event::RegistrationRefused {
                team,
                instance: instance.chars().take(LONGEST_INSTANCE).collect(),
                reasons,
                accepted,
            },
        );
    }
}
