//! Cars (R-1.2), their modules (R-1.3), and what they meet (R-5).
//!
//! ```
//! use gm_core::contract::Kind;
//! use gm_grpc::api::{convert::car, field::Fields, wire};
//! let mut fields = Fields::default();
//! assert_eq!(car::kind(wire::ModuleKind::Pilot.into(), &mut fields, "kind"), Some(Kind::Pilot));
//! assert_eq!(car::kind(0, &mut fields, "kind"), None);
//! assert_eq!(fields.into_violations()[0].field, "kind");
//! ```

use crate::api::field::Fields;
use crate::api::wire;
use gm_core::contract::{Kind, Modules, Prices};
use gm_core::ids::CarId;
use gm_core::race::event::Retirement;
use gm_core::race::state::{Encounter, Module, Resources, Status, Transfer};
use gm_core::race::view::CarView;

/// The most characters of a module's name: as many as a resource's can have.
const LONGEST_MODULE: usize = 1_024;
/// The most cars that a request can name.
pub const MOST_CARS: usize = 1_000;

/// A kind of module as it is sent.
#[must_use]
pub fn kind_to_wire(kind: Kind) -> wire::ModuleKind {
    match kind {
        Kind::Engine => wire::ModuleKind::Engine,
        Kind::Pilot => wire::ModuleKind::Pilot,
        Kind::Weapon => wire::ModuleKind::Weapon,
    }
}

/// A kind of module in a request; none, and noted under `field`, if it is not said or unknown.
pub fn kind(number: i32, fields: &mut Fields, field: &str) -> Option<Kind> {
    fields.value(field, number, |kind| match kind {
        wire::ModuleKind::Unspecified => None,
        wire::ModuleKind::Engine => Some(Kind::Engine),
        wire::ModuleKind::Pilot => Some(Kind::Pilot),
        wire::ModuleKind::Weapon => Some(Kind::Weapon),
    })
}

/// What a car meets, as it is sent.
#[must_use]
pub fn encounter_to_wire(encounter: Encounter) -> wire::Encounter {
    match encounter {
        Encounter::Nothing => wire::Encounter::Nothing,
        Encounter::Pirates => wire::Encounter::Pirates,
        Encounter::Wreck => wire::Encounter::Wreck,
        Encounter::Minefield => wire::Encounter::Minefield,
        Encounter::Garage => wire::Encounter::Garage,
    }
}

/// An encounter in a request; none, and noted under `field`, if it is not said or unknown.
pub fn encounter(number: i32, fields: &mut Fields, field: &str) -> Option<Encounter> {
    fields.value(field, number, |encounter| match encounter {
        wire::Encounter::Unspecified => None,
        wire::Encounter::Nothing => Some(Encounter::Nothing),
        wire::Encounter::Pirates => Some(Encounter::Pirates),
        wire::Encounter::Wreck => Some(Encounter::Wreck),
        wire::Encounter::Minefield => Some(Encounter::Minefield),
        wire::Encounter::Garage => Some(Encounter::Garage),
    })
}

/// How many modules of each kind.
#[must_use]
pub fn counts(modules: &Modules) -> wire::ModuleCounts {
    let Modules { engine, pilot, weapon } = *modules;
    wire::ModuleCounts { engine, pilot, weapon }
}

/// The prices of the modules (R-1.3).
#[must_use]
pub fn prices(prices: &Prices) -> wire::ModulePrices {
    let Prices { engine, pilot, weapon } = *prices;
    wire::ModulePrices { engine, pilot, weapon }
}

/// A module by name.
#[must_use]
pub fn module(module: &Module) -> wire::Module {
    let Module { kind, name } = module;
    wire::Module { kind: kind_to_wire(*kind).into(), name: name.clone() }
}

/// Modules by name.
#[must_use]
pub fn modules(modules: &[Module]) -> Vec<wire::Module> {
    modules.iter().map(module).collect()
}

/// A module in a request; none, and noted under `field`, if its kind is not said or its name can't be one.
pub fn module_named(named: Option<&wire::Module>, fields: &mut Fields, field: &str) -> Option<Module> {
    let wire::Module { kind: number, name } = fields.needed(field, named)?;
    fields.within(field, |fields| {
        let is_name = fields.name("name", name, LONGEST_MODULE);
        let kind = kind(*number, fields, "kind")?;
        is_name.then(|| Module { kind, name: name.clone() })
    })
}

/// Cars in a request, at most [`MOST_CARS`]; more are noted under `field`.
pub fn car_ids(ids: Vec<u32>, fields: &mut Fields, field: &str) -> Vec<CarId> {
    if ids.len() > MOST_CARS {
        fields.wrong(field, format!("must name at most {MOST_CARS} cars"));
    }
    ids.into_iter().map(CarId).collect()
}

/// The names of a car's resources (C-1 to C-3).
#[must_use]
pub fn resources(resources: &Resources) -> wire::Resources {
    let Resources { engine, pilot, weapon } = resources.clone();
    wire::Resources { engine, pilot, weapon }
}

/// Why a car is out of the race, and what the jury said, if it was the jury.
#[must_use]
pub fn retirement(reason: &Retirement) -> (wire::RetirementReason, String) {
    match reason {
        Retirement::OutOfFuel => (wire::RetirementReason::OutOfFuel, String::new()),
        Retirement::Destroyed => (wire::RetirementReason::Destroyed, String::new()),
        Retirement::NoPilot => (wire::RetirementReason::NoPilot, String::new()),
        Retirement::Jury(words) => (wire::RetirementReason::Jury, words.clone()),
    }
}

/// A car as everybody may see it.
#[must_use]
pub fn car(car: &CarView) -> wire::Car {
    let CarView {
        id,
        team,
        instance,
        square,
        place,
        furthest,
        modules,
        turns_to_miss,
        fights_won,
        status,
        own: _,
    } = car;
    let (status, (reason, jury_reason), turn) = match status {
        Status::Entered => (wire::CarStatus::Entered, Default::default(), 0),
        Status::Racing => (wire::CarStatus::Racing, Default::default(), 0),
        Status::Retired { reason, turn } => (wire::CarStatus::Retired, retirement(reason), turn.0),
    };
    wire::Car {
        car_id: id.0,
        team_id: team.0,
        instance: instance.clone(),
        square: square.0,
        furthest: furthest.0,
        modules: Some(counts(modules)),
        turns_to_miss: *turns_to_miss,
        fights_won: *fights_won,
        status: status.into(),
        retirement_reason: reason.into(),
        retired_in_turn: turn,
        place: place.0,
        jury_reason,
    }
}

/// A car as its own team and the admin see it; none for everybody else.
#[must_use]
pub fn own(view: &CarView) -> Option<wire::OwnCar> {
    let own = view.own.as_ref()?;
    Some(wire::OwnCar {
        car: Some(car(view)),
        url: own.url.to_string(),
        modules: modules(&own.modules),
        resources: Some(resources(&own.resources)),
    })
}

/// A transfer within a team (R-7.7).
#[must_use]
pub fn transfer(transfer: &Transfer) -> wire::Transfer {
    let Transfer { team, module: moved, from, to } = transfer;
    wire::Transfer { team_id: team.0, module: Some(module(moved)), from_car_id: from.0, to_car_id: to.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::contract::BaseUrl;
    use gm_core::ids::{Place, Square, TeamId, TurnNo};
    use gm_core::race::view::OwnCar;

    /// A number of an enum in a request; `None`: refused under its field.
    #[track_caller]
    fn check<T: PartialEq + std::fmt::Debug>(
        read: fn(i32, &mut Fields, &str) -> Option<T>,
        rows: &[(i32, Option<T>)],
    ) {
        for (number, expected) in rows {
            let mut fields = Fields::default();
            assert_eq!(&read(*number, &mut fields, "it"), expected, "{number}");
            let wrong: Vec<String> = fields.into_violations().into_iter().map(|wrong| wrong.field).collect();
            assert_eq!(wrong, if expected.is_some() { vec![] } else { vec!["it".to_owned()] }, "{number}");
        }
    }

    #[test]
    fn kinds_and_encounters_of_requests() {
        let kinds = Kind::ALL.map(|kind| (kind_to_wire(kind).into(), Some(kind)));
        check(kind, &kinds);
        check(kind, &[(0, None), (4, None), (-1, None)]);
        let met = [
            Encounter::Nothing,
            Encounter::Pirates,
            Encounter::Wreck,
            Encounter::Minefield,
            Encounter::Garage,
        ];
        check(encounter, &met.map(|met| (encounter_to_wire(met).into(), Some(met))));
        check(encounter, &[(0, None), (6, None), (i32::MAX, None)]);
    }

    #[test]
    fn modules_of_requests() {
        let pilot = |name: &str| wire::Module { kind: 2, name: name.to_owned() };
        let read = |named: Option<&wire::Module>| {
            let mut fields = Fields::default();
            let module = module_named(named, &mut fields, "module");
            let wrong: Vec<String> = fields.into_violations().into_iter().map(|wrong| wrong.field).collect();
            (module, wrong.join(" "))
        };
        let module = Module { kind: Kind::Pilot, name: "Ann".to_owned() };
        assert_eq!(read(Some(&pilot("Ann"))), (Some(module), String::new()));
        assert_eq!(read(Some(&pilot(""))), (None, "module.name".to_owned()));
        assert_eq!(
            read(Some(&wire::Module { kind: 9, ..pilot("") })),
            (None, "module.name module.kind".to_owned())
        );
        assert_eq!(read(None), (None, "module".to_owned()));
    }

    fn view(status: Status, own: Option<OwnCar>) -> CarView {
        CarView {
            id: CarId(3),
            team: TeamId(2),
            instance: "i-3".to_owned(),
            square: Square(305),
            place: Place(5),
            furthest: Square(306),
            modules: Modules { engine: 3, pilot: 1, weapon: 2 },
            turns_to_miss: 4,
            fights_won: 7,
            status,
            own,
        }
    }

    fn whole() -> wire::Car {
        wire::Car {
            car_id: 3,
            team_id: 2,
            instance: "i-3".to_owned(),
            square: 305,
            furthest: 306,
            modules: Some(wire::ModuleCounts { engine: 3, pilot: 1, weapon: 2 }),
            turns_to_miss: 4,
            fights_won: 7,
            status: wire::CarStatus::Racing.into(),
            retirement_reason: 0,
            retired_in_turn: 0,
            place: 5,
            jury_reason: String::new(),
        }
    }

    #[test]
    fn cars_in_every_status() {
        let retired = |reason| Status::Retired { reason, turn: TurnNo(9) };
        let jury = Retirement::Jury("it talked".to_owned());
        use wire::{CarStatus, RetirementReason as Reason};
        for (status, expected, reason, turn, words) in [
            (Status::Entered, CarStatus::Entered, Reason::Unspecified, 0, ""),
            (Status::Racing, CarStatus::Racing, Reason::Unspecified, 0, ""),
            (retired(Retirement::OutOfFuel), CarStatus::Retired, Reason::OutOfFuel, 9, ""),
            (retired(Retirement::Destroyed), CarStatus::Retired, Reason::Destroyed, 9, ""),
            (retired(Retirement::NoPilot), CarStatus::Retired, Reason::NoPilot, 9, ""),
            (retired(jury), CarStatus::Retired, Reason::Jury, 9, "it talked"),
        ] {
            let expected = wire::Car {
                status: expected.into(),
                retirement_reason: reason.into(),
                retired_in_turn: turn,
                jury_reason: words.to_owned(),
                ..whole()
            };
            assert_eq!(car(&view(status, None)), expected);
        }
    }

    /// R-11: what is a team's own is shown where the view holds it, and nowhere else.
    #[test]
    fn r_11_own_cars() {
        assert_eq!(own(&view(Status::Racing, None)), None);
        let mine = OwnCar {
            url: BaseUrl::parse("http://car.example").expect("a URL"),
            resources: Resources { engine: "b".to_owned(), pilot: "q".to_owned(), weapon: "t".to_owned() },
            modules: vec![Module { kind: Kind::Weapon, name: "Axe".to_owned() }],
        };
        let expected = wire::OwnCar {
            car: Some(whole()),
            url: "http://car.example".to_owned(),
            modules: vec![wire::Module { kind: 3, name: "Axe".to_owned() }],
            resources: Some(wire::Resources {
                engine: "b".to_owned(),
                pilot: "q".to_owned(),
                weapon: "t".to_owned(),
            }),
        };
        assert_eq!(own(&view(Status::Racing, Some(mine))), Some(expected));
    }
}
