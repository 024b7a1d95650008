//! pirates attack, also a car that misses this turn.
//!
//! They have 1 to 5 weapons, and nobody is asked whether to fight. A car without a weapon is destroyed; one that
//! loses has a turn to miss and loses a module, as in a fight between cars.

use crate::arena::duel::Side;
use crate::ports::{Chain, Duellist, Topic, World};
use crate::race::conversation::Conversation;
use crate::race::duel::{self, Party};
use crate::race::event::{Combatant, Event, LossCause, Retirement};
use crate::random::Purpose;

pub(super) async fn attack<W: World>(car: &mut Conversation<'_, W>) {
    let id = car.id();
    let pirates = car.rules.pirates;
    let weapons = duel::weapons_of(car);
    let other_weapons = car.dice(Purpose::Pirates).between(pirates.least_weapons, pirates.most_weapons);
    car.note(Event::PiratesAttacked { car: id, weapons: other_weapons });
    if weapons == 0 {
        return car.retire(Retirement::Destroyed).await;
    }

    let winner = match duel::ask_for_ai(car, Topic::PirateDuel).await {
        None => Some(Side::Black),
        Some(ai) => {
            let mind = Duellist::Pirates {
                chain: Chain { topic: Topic::PirateMind, ..car.chain },
                mind: pirates.mind,
                seed: car.dice(Purpose::PirateMind).bits(),
            };
            let parties = [
                Party { who: Combatant::Car(id), weapons, ai },
                Party { who: Combatant::Pirates, weapons: other_weapons, ai: mind },
            ];
            let mut dice = car.dice(Purpose::PirateDuel);
            let (events, winner) = duel::play(car.world, car.rules, &mut dice, parties).await;
            for event in events {
                car.note(event);
            }
            winner
        }
    };

    let against = Combatant::Pirates;
    match winner {
        Some(Side::White) => car.note(Event::FightWon { car: id, against, weapons, other_weapons }),
        Some(Side::Black) => {
            duel::lose(car, against, Purpose::PirateLoss, LossCause::Pirates).await;
        }
        None => car.note(Event::FightDrawn { combatants: [Combatant::Car(id), against] }),
    }
}
