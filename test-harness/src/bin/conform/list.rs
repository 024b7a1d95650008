//! `conform list`: what is checked.

use crate::Unusable;
use crate::options::List;
use crate::output::say;
use serde_json::json;
use test_harness::suite::{Case, Selection, ai, car, requirement};

pub(crate) fn run(options: &List) -> Result<bool, Unusable> {
    let mut told = String::new();
    let car = list(options, car::cases(), &mut told);
    let ai = list(options, ai::cases(), &mut told);
    if !car && !ai {
        let words = options.only.join(", ");
        return Err(format!("--only: no case has the id or requirement {words}; `conform list` shows all"));
    }
    say(&told)?;
    Ok(true)
}

/// Tells of those that were asked for; whether there are any.
fn list<T>(options: &List, cases: &[Case<T>], told: &mut String) -> bool {
    let named = |case: &&Case<T>| {
        let alone = std::slice::from_ref(*case);
        options.only.is_empty()
            || options.only.iter().any(|word| Selection::only(std::slice::from_ref(word), alone).is_ok())
    };
    let mut any = false;
    for case in cases.iter().filter(named) {
        any = true;
        let text = requirement::text(case.requirement).unwrap_or_default();
        if options.json {
            let case = json!({
                "id": case.id,
                "requirement": case.requirement,
                "level": case.level.word(),
                "title": case.title,
                "needs": case.needs,
                "hint": case.hint,
                "costs": case.costs,
                "text": text,
            });
            told.push_str(&format!("{case}\n"));
        } else if options.only.is_empty() {
            told.push_str(&format!("{:<7} {:<7} {}\n", case.id, case.level.word(), case.title));
        } else {
            told.push_str(&format!(
                "{:<7} {:<7} {}\n        from     {} {text}\n        hint     {}\n        costs    {}\n",
                case.id,
                case.level.word(),
                case.title,
                case.requirement,
                case.hint,
                case.costs
            ));
            if !case.needs.is_empty() {
                told.push_str(&format!("        needs    {}\n", case.needs.join(", ")));
            }
        }
    }
    any
}
