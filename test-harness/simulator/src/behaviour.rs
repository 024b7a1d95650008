//! How the cars, the duel AIs and the inspectors of a plan behave.
//!
//! ```
//! use race_simulator::{behaviour, generate::Generator};
//! let plan = Generator::new(7, 5).plan().clone();
//! let world = behaviour::world(&plan);
//! assert!(world.with_car(plan.cars[0].url.as_str(), |car| car.square).is_some());
//! ```

use crate::dice::Dice;
use crate::plan::{CarFault, CarPlan, Faults, MindFault, MindKind, MindPlan, Plan};
use gm_core::arena::duel::{Card, Hand, Plays};
use gm_core::contract::{Answer, CarRequest, ContentType, DuelQuestion, DuelUrl, Fault, Kind};
use gm_core::memory::{MemoryCar, MemoryWorld};
use gm_core::ports::InspectorFault;
use serde_json::{Value, json};

/// The squares between two players at the start of a duel (R-6.1).
const DUEL_DISTANCE: u8 = 22;

/// The world of a plan: its cars at their URLs, their AIs, the pirates, the inspectors.
#[must_use]
pub fn world(plan: &Plan) -> MemoryWorld {
    let world = MemoryWorld::default();
    for car in &plan.cars {
        if car.is_listed {
            world.list(&car.instance, car.url.clone());
        }
        if let (Some(mind), Ok(url)) = (&car.mind, DuelUrl::parse(&duel_url(car))) {
            world.teach(url.as_str(), think(plan.seed, mind));
        }
        world.park(car.url.as_str(), drive(plan.seed, car));
    }
    world.teach_pirates(think(plan.seed, &plan.pirates));
    for team in &plan.inspected {
        world.inspect(*team);
    }
    world
}

/// Where a car's duel AI is: with a query of its own and without, with a path and without.
fn duel_url(car: &CarPlan) -> String {
    let number = car.dice;
    let (path, query) = match number % 6 {
        0 => ("/action", ""),
        1 => ("/action", "?a=1"),
        2 => ("", ""),
        3 => ("/", "?a=1&"),
        4 => ("/action", "?"),
        _ => ("", "?a=1"),
    };
    format!("http://duel-{number}.ai{path}{query}")
}

/// A car as it is planned.
fn drive(seed: u64, plan: &CarPlan) -> MemoryCar {
    let mut dice = Dice::new(seed, plan.dice);
    let [engines, pilots, weapons] = plan.modules;
    let (strategy, faults) = (plan.strategy.clone(), plan.faults.clone());
    let car = MemoryCar {
        duel_url: plan.mind.as_ref().map(|_| duel_url(plan)),
        ..MemoryCar::new(&plan.instance, engines, pilots, weapons)
    };
    car.scripted(move |request, car| {
        // The same dice are thrown for each request, whatever it is: what is decided does not depend on faults.
        car.searches_wrecks = dice.percent(strategy.searches);
        car.crosses_mines = dice.percent(strategy.crosses);
        car.fights = dice.percent(strategy.fights);
        let wish = dice.one_of(&Kind::ALL);
        car.buys = dice.percent(strategy.buys).then_some(strategy.favourite.unwrap_or(wish));
        let fault = drawn(&mut dice, &faults)?;
        Some(misbehave(&mut dice, fault, request, car))
    })
}

/// What goes wrong now, if anything does.
fn drawn<F: Copy>(dice: &mut Dice, faults: &Faults<F>) -> Option<F> {
    let kind = dice.pick(&faults.kinds).copied();
    if dice.percent(faults.percent) { kind } else { None }
}

fn misbehave(
    dice: &mut Dice,
    fault: CarFault,
    request: &CarRequest,
    car: &mut MemoryCar,
) -> Result<Answer, Fault> {
    let kind = dice.one_of(&Kind::ALL);
    match fault {
        CarFault::NoAnswer => return Err(no_answer(dice)),
        CarFault::Status => return Ok(status(dice)),
        CarFault::Nonsense => return Ok(nonsense(dice)),
        CarFault::Sloppy => {
            let answer = car.obey(request);
            return Ok(sloppy(dice, matches!(request, CarRequest::Garage(_)), answer));
        }
        CarFault::WrongValue => {
            let answer = car.obey(request);
            return Ok(wrong(dice, &answer));
        }
        CarFault::Disobeys if request.is_command() => return Ok(Answer::ok(r#"{"res":"ok"}"#)),
        CarFault::Disobeys => {}
        CarFault::LosesModule => {
            car.modules.entry(kind).or_default().pop();
        }
        CarFault::FindsModule => {
            let names = car.modules.entry(kind).or_default();
            names.push(format!("found-{}", names.len()));
        }
        CarFault::Drifts => car.square = car.square.wrapping_add(dice.between(1, 3)),
        CarFault::Disorder => {
            let disorder = disorder(dice, kind);
            car.inspected.insert(kind, disorder);
        }
        CarFault::Tidies => car.inspected.clear(),
    }
    Ok(car.obey(request))
}

fn no_answer(dice: &mut Dice) -> Fault {
    dice.one_of(&[Fault::Late, Fault::Unreachable, Fault::Broken, Fault::TooLarge])
}

fn status(dice: &mut Dice) -> Answer {
    let common = dice.one_of(&[200, 201, 202, 204, 302, 400, 404, 405, 500, 503]);
    let any = u16::try_from(dice.between(100, 599)).unwrap_or(500);
    Answer { status: if dice.percent(70) { common } else { any }, ..Answer::ok("{}") }
}

fn nonsense(dice: &mut Dice) -> Answer {
    Answer::ok(dice.one_of(&[
        "",
        "{",
        "[]",
        "null",
        "\"\"",
        "{\"res\":null}",
        "<html>",
        "{\"res\":18446744073709551616}",
        "{\"res\":-1}",
        "{\"res\":1.5}",
        "{\"res\":\"maybe\"}",
        "{\"res\":{}}",
        "{\"res\":[0]}",
        "{\"res\":[9,9,9,9,9,9,9,9,9]}",
        "\u{feff}{\"res\":1}",
    ]))
}

/// The same value in a form that is accepted all the same (C-22).
fn sloppy(dice: &mut Dice, names_a_kind: bool, answer: Answer) -> Answer {
    let Ok(body) = serde_json::from_slice::<Value>(&answer.body) else { return answer };
    let value = body.get("res").cloned().unwrap_or_else(|| body.clone());
    let said = match dice.below(7) {
        0 => json!({"res": value, "unknown": 1}),
        1 => value,
        2 => return Answer { content_type: ContentType::Missing, ..answer },
        3 => return Answer { content_type: ContentType::Other, ..answer },
        4 => match value {
            Value::Number(number) => return Answer::ok(format!("{{\"res\":{number}.0}}")),
            Value::Bool(is) => json!({"res": u8::from(is)}),
            other => json!({"res": other, "more": null}),
        },
        _ => match value {
            Value::Number(number) => json!({"res": number.to_string()}),
            Value::Bool(is) => json!({"res": is.to_string()}),
            Value::String(word) if names_a_kind => json!({"res": word.to_uppercase()}),
            other => json!({"res": other, "more": []}),
        },
    };
    Answer::ok(said.to_string())
}

/// Another value of the same form.
fn wrong(dice: &mut Dice, answer: &Answer) -> Answer {
    let Ok(mut body) = serde_json::from_slice::<Value>(&answer.body) else { return nonsense(dice) };
    let by = dice.between(1, 3);
    change(&mut body, by, dice.percent(50));
    Answer::ok(body.to_string())
}

/// Changes the first thing in a value that can be changed.
fn change(value: &mut Value, by: u32, up: bool) {
    match value {
        Value::Bool(is) => *is = !*is,
        Value::String(text) => text.push('x'),
        Value::Number(number) => {
            let was = number.as_u64().unwrap_or_default();
            let by = u64::from(by);
            *value = json!(if up { was.saturating_add(by) } else { was.saturating_sub(by) });
        }
        Value::Array(values) => values.iter_mut().take(1).for_each(|value| change(value, by, up)),
        Value::Object(fields) => {
            let last = fields.len().saturating_sub(1);
            let at = last.min(by as usize - 1);
            fields.values_mut().skip(at).take(1).for_each(|value| change(value, by, up));
        }
        Value::Null => *value = json!("x"),
    }
}

/// What an inspector finds in a resource that is in disorder.
fn disorder(dice: &mut Dice, kind: Kind) -> Result<Vec<String>, InspectorFault> {
    match dice.below(6) {
        0 | 1 => Err(dice.one_of(&[
            InspectorFault::Unavailable,
            InspectorFault::Malformed,
            InspectorFault::Denied,
            InspectorFault::NoSuchResource,
        ])),
        2 => Ok(vec!["twice".to_owned(), "twice".to_owned()]),
        3 => Ok(vec![String::new()]),
        4 => Ok((0..dice.below(6)).map(|number| format!("{kind}-t1-c1-{number}")).collect()),
        _ => Ok((1..=dice.below(6)).map(|number| format!("{kind}-{number}")).collect()),
    }
}

/// A duel AI as it is planned.
fn think(seed: u64, plan: &MindPlan) -> impl FnMut(&DuelQuestion) -> Result<Answer, Fault> + Send + 'static {
    let mut dice = Dice::new(seed, plan.dice);
    let (plays, faults) = (plan.plays, plan.faults.clone());
    move |question| {
        let fault = drawn(&mut dice, &faults);
        let cards = choose(&mut dice, plays, question);
        let right = || Answer::ok(json!({"res": cards}).to_string());
        match fault {
            None => Ok(right()),
            Some(MindFault::NoAnswer) => Err(no_answer(&mut dice)),
            Some(MindFault::Status) => Ok(status(&mut dice)),
            Some(MindFault::Nonsense) => Ok(nonsense(&mut dice)),
            Some(MindFault::Sloppy) => Ok(sloppy_cards(&mut dice, &cards)),
            Some(MindFault::Illegal) => Ok(Answer::ok(json!({"res": illegal(&mut dice)}).to_string())),
        }
    }
}

/// A legal play.
fn choose(dice: &mut Dice, plays: MindKind, question: &DuelQuestion) -> Vec<u8> {
    let hand: Hand = question.cards.iter().filter_map(|value| Card::of(*value)).collect();
    let walked: u8 = question.your_moves.iter().chain(&question.other_moves).sum();
    let legal: Vec<Vec<u8>> =
        Plays::of(&hand, DUEL_DISTANCE.saturating_sub(walked)).iter().map(|play| play.cards()).collect();
    let any = dice.pick(&legal).cloned();
    let chosen = match plays {
        MindKind::First => legal.into_iter().next(),
        MindKind::Random => any,
        MindKind::Fierce => legal.into_iter().max_by_key(Vec::len),
    };
    chosen.unwrap_or_default()
}

fn sloppy_cards(dice: &mut Dice, cards: &[u8]) -> Answer {
    let right = Answer::ok(json!({"res": cards}).to_string());
    match dice.below(5) {
        0 => Answer::ok(json!(cards).to_string()),
        1 => Answer { content_type: ContentType::Missing, ..right },
        2 => Answer { content_type: ContentType::Other, ..right },
        3 => Answer::ok(json!({"res": cards, "because": "why not"}).to_string()),
        _ => {
            let texts: Vec<String> = cards.iter().map(u8::to_string).collect();
            Answer::ok(json!({"res": texts}).to_string())
        }
    }
}

/// Cards that may mostly not be played.
fn illegal(dice: &mut Dice) -> Vec<u8> {
    (0..dice.below(5)).map(|_| u8::try_from(dice.below(8)).unwrap_or_default()).collect()
}
