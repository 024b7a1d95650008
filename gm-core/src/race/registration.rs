//! registration of a car.
//!
//! A car is inspected first, which only talks to the car and changes nothing; many are inspected at the same time.
//! Then it is decided, one after the other in order of arrival, so that two registrations of one team can't
//! overspend. Refused is refused with every reason that applies.

use super::event::{Event, RefusedBecause};
use super::rules::ValidRules;
use super::state::{Module, Race, Resources};
use super::turn::Turn;
use super::verification::can_be_names;
use crate::contract::{BaseUrl, CarRequest, Deviation, Fault, Kind, Modules, Reply};
use crate::ids::{CarId, CommandNo, Dollars, TeamId};
use crate::ports::{Car as _, Chain, Inspector, InspectorFault, Topic, World};
use serde::{Deserialize, Serialize};

/// The most characters of an instance name.
const LONGEST_INSTANCE: usize = 100;

/// What a team says when it registers a car.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// The team.
    pub team: TeamId,
    /// The instance name, 1 to 100 characters.
    pub instance: String,
    /// Where the car is; none = to be found by the instance name.
    pub url: Option<BaseUrl>,
}

/// What an inspection found: the car's own words, what is really there, and what is wrong with either.
#[derive(Debug, Clone, Default)]
pub(super) struct Dossier {
    url: Option<BaseUrl>,
    resources: Resources,
    /// How many modules there are, as far as they are known.
    counts: Modules,
    /// The names that an inspector read.
    engines: Option<Vec<String>>,
    weapons: Option<Vec<String>>,
    /// The car gave a number of pilots.
    pilots_known: bool,
    reasons: Vec<RefusedBecause>,
    deviations: Vec<(CarRequest, Vec<Deviation>)>,
}

impl Dossier {
    fn take<T>(&mut self, request: CarRequest, reply: Reply<T>) -> Result<T, Fault> {
        match reply {
            Ok(taken) => {
                if !taken.deviations.is_empty() {
                    self.deviations.push((request, taken.deviations));
                }
                Ok(taken.value)
            }
            Err(fault) => {
                self.reasons.push(RefusedBecause::NoAnswer { request, fault });
                Err(fault)
            }
        }
    }

    /// The modules that the car would start with. Only to be made when their number is within the rules.
    fn modules(&self) -> Vec<Module> {
        let mut modules = Vec::new();
        for kind in Kind::ALL {
            let read = match kind {
                Kind::Engine => self.engines.as_ref(),
                Kind::Pilot => None,
                Kind::Weapon => self.weapons.as_ref(),
            };
            match read {
                Some(names) => modules.extend(names.iter().map(|name| Module { kind, name: name.clone() })),
                None => modules.extend(
                    (1..=self.counts.of(kind))
                        .map(|number| Module { kind, name: format!("{kind}-{number}") }),
                ),
            }
        }
        modules
    }

    fn price(&self, rules: &ValidRules) -> Dollars {
        let modules = Kind::ALL
            .into_iter()
            .map(|kind| self.counts.of(kind).saturating_mul(u64::from(rules.prices.of(kind))))
            .fold(0, u64::saturating_add);
        Dollars(modules.saturating_add(u64::from(rules.registration_fee)))
    }
}

/// Asks the car, and the inspector, everything that the decision needs.
pub(super) async fn inspect<W: World>(
    race: &Race,
    world: &W,
    no: CommandNo,
    application: &Application,
) -> Dossier {
    let Application { team, instance, url } = application;
    let chain = Chain { turn: race.turn, topic: Topic::Command(no), car: CarId(0) };
    let mut dossier = Dossier::default();
    if !is_instance_name(instance) {
        dossier.reasons.push(RefusedBecause::BadInstanceName);
        return dossier;
    }
    dossier.url = match url {
        Some(url) => Some(url.clone()),
        None => world.resolve(chain, *team, instance).await,
    };
    let Some(url) = &dossier.url else {
        dossier.reasons.push(RefusedBecause::NoAddress);
        return dossier;
    };
    let mut line = world.car(chain, *team, url);
    let mut inspector = world.inspector(chain, *team);

    match dossier.take(CarRequest::State, line.state().await) {
        Ok(state) if state.name != *instance => {
            dossier.reasons.push(RefusedBecause::OtherName { found: state.name });
        }
        // Nobody is there: the other six questions would only say so again.
        Err(Fault::Unreachable) => return dossier,
        _ => {}
    }
    for kind in Kind::ALL {
        let resource = dossier.take(CarRequest::Resource(kind), line.resource(kind).await).ok();
        let said = dossier.take(CarRequest::Count(kind), line.count(kind).await).ok();
        let there = match (&mut inspector, &resource) {
            (Some(inspector), Some(resource)) => look(inspector, kind, resource, &mut dossier).await,
            _ => said,
        };
        if let (Some(said), Some(there)) = (said, there)
            && said != there
        {
            dossier.reasons.push(RefusedBecause::WrongCount { kind, said, there });
        }
        *dossier.counts.of_mut(kind) = there.unwrap_or(0);
        if kind == Kind::Pilot {
            dossier.pilots_known = there.is_some();
        }
        let name = resource.unwrap_or_default();
        match kind {
            Kind::Engine => dossier.resources.engine = name,
            Kind::Pilot => dossier.resources.pilot = name,
            Kind::Weapon => dossier.resources.weapon = name,
        }
    }
    dossier
}

/// What is really there, read by the inspector.
async fn look<I: Inspector>(
    inspector: &mut I,
    kind: Kind,
    resource: &str,
    dossier: &mut Dossier,
) -> Option<u64> {
    let read: Result<(u64, Option<Vec<String>>), InspectorFault> = match kind {
        Kind::Engine => inspector.engines(resource).await.map(|names| (names.len() as u64, Some(names))),
        Kind::Pilot => inspector.pilots(resource).await.map(|number| (number, None)),
        Kind::Weapon => inspector.weapons(resource).await.map(|names| (names.len() as u64, Some(names))),
    };
    match read {
        Ok((there, names)) => {
            if names.as_ref().is_some_and(|names| !can_be_names(names)) {
                dossier.reasons.push(RefusedBecause::BadModuleNames { kind });
            }
            match kind {
                Kind::Engine => dossier.engines = names,
                Kind::Pilot => {}
                Kind::Weapon => dossier.weapons = names,
            }
            Some(there)
        }
        Err(fault) => {
            dossier.reasons.push(RefusedBecause::NotInspected { kind, fault });
            None
        }
    }
}

/// Decides on a car that was inspected. Gives its id if it was registered.
pub(super) fn settle<W: World>(
    turn: &mut Turn<'_, W>,
    application: &Application,
    dossier: Dossier,
) -> Option<CarId> {
    let Application { team, instance, .. } = application.clone();
    let race = &turn.race;
    let rules = &race.rules;
    let budget = race.teams.get(&team).map_or(Dollars(0), |team| team.budget());
    let price = dossier.price(rules);
    let total = dossier.counts.total();

    let mut reasons = dossier.reasons.clone();
    if race.cars.values().any(|car| car.instance == instance) {
        reasons.push(RefusedBecause::InstanceTaken);
    }
    if race.cars.values().any(|car| !car.is_retired() && Some(&car.url) == dossier.url.as_ref()) {
        reasons.push(RefusedBecause::UrlTaken);
    }
    if dossier.pilots_known && dossier.counts.pilot == 0 {
        reasons.push(RefusedBecause::NoPilot);
    }
    if total > u64::from(rules.max_modules) {
        reasons.push(RefusedBecause::TooManyModules { found: total, most: rules.max_modules });
    }
    if price > budget {
        reasons.push(RefusedBecause::TooExpensive { price, budget });
    }

    match (&dossier.url, reasons.is_empty()) {
        (Some(url), true) => {
            let car = CarId(race.cars.keys().next_back().map_or(1, |last| last.0.saturating_add(1)));
            let registered = Event::CarRegistered {
                car,
                team,
                instance,
                url: url.clone(),
                resources: dossier.resources.clone(),
                modules: dossier.modules(),
                paid: price,
            };
            turn.emit(registered);
            turn.emit_all(
                dossier.deviations.into_iter().map(|(request, deviations)| Event::DeviationsAccepted {
                    car,
                    request,
                    deviations,
                }),
            );
            Some(car)
        }
        _ => {
            turn.emit(Event::RegistrationRefused { team, instance, reasons });
            None
        }
    }
}

/// A car that was registered is told its square. Its answer does not matter. One that the jury has retired since
/// is not: that would put it back (C-8).
pub(super) async fn welcome<W: World>(race: &Race, world: &W, no: CommandNo, car: CarId) {
    if let Some(car) = race.cars.get(&car).filter(|car| !car.is_retired()) {
        let chain = Chain { turn: race.turn, topic: Topic::Command(no), car: car.id };
        let _ = world.car(chain, car.team, &car.url).set_square(car.square).await;
    }
}

fn is_instance_name(name: &str) -> bool {
    (1..=LONGEST_INSTANCE).contains(&name.chars().count()) && !name.chars().any(char::is_control)
}
