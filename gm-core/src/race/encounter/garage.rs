//! a garage, also for a car that misses this turn.
//!
//! All cars are offered at the same time. What they want is settled in the turn's order of priority against their
//! teams' budgets; what is paid is delivered, and the car moves back 1 square.

use crate::contract::{CarRequest, Kind};
use crate::ids::Dollars;
use crate::ports::World;
use crate::race::conversation::Conversation;
use crate::race::event::{Event, GainCause, StepCause};
use crate::race::turn::Turn;

/// The car is offered a module at these prices. Gives what it wants.
pub(super) async fn offer<W: World>(car: &mut Conversation<'_, W>) -> Option<Kind> {
    match car.buys().await {
        Ok(None) => {
            car.note(Event::GarageLeft { car: car.id() });
            None
        }
        Ok(order) => order,
        Err(fault) => {
            car.penalise_no_answer(CarRequest::Garage(car.rules.prices), fault);
            None
        }
    }
}

/// What is wanted is paid, in the order of priority in which `orders` come, as long as a team's budget lasts. Gives
/// what is to be delivered.
pub(super) fn settle<'a, W: World>(
    turn: &mut Turn<'_, W>,
    orders: Vec<(Conversation<'a, W>, Option<Kind>)>,
) -> Vec<(Conversation<'a, W>, Kind)> {
    let mut paid = Vec::new();
    for (car, order) in orders {
        let Some(kind) = order else { continue };
        let (id, team) = (car.id(), car.car.team);
        let price = Dollars(u64::from(car.rules.prices.of(kind)));
        let budget = turn.race.teams.get(&team).map_or(Dollars(0), |team| team.budget());
        if price <= budget {
            turn.emit(Event::ModuleBought { car: id, team, kind, price });
            paid.push((car, kind));
        } else {
            turn.emit(Event::TooExpensive { car: id, kind, price, budget });
        }
    }
    paid
}

/// The module is delivered, and the car moves back: one modification, with at most one penalty.
pub(super) async fn deliver<W: World>(mut car: Conversation<'_, W>, kind: Kind) -> Vec<Event> {
    let wrong_modules = car.gain_unpunished(kind, GainCause::Garage).await;
    let back = car.car.square.back(car.rules.garage_step_back);
    let wrong_square = car.step_unpunished(back, StepCause::Garage).await;
    if let Some(breach) = wrong_modules.or(wrong_square) {
        car.penalise(breach);
    }
    car.take_events()
}
