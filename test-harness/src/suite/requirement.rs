//! The text that a case comes from, as it stands in `docs/contract.md` and `docs/rules.md`.
//!
//! ```
//! use test_harness::suite::requirement::text;
//! assert!(text("C-20").unwrap().starts_with("Every request carries X-EACC-SECRET"));
//! assert_eq!(text("C-12").unwrap(), "GET /event/wreck → 200, {\"res\": true}");
//! assert_eq!(text("Z-1"), None);
//! ```

const CONTRACT: &str = include_str!("../../../docs/contract.md");
const RULES: &str = include_str!("../../../docs/rules.md");

/// The text of a requirement, in one line without marks; none if there is no such requirement.
#[must_use]
pub fn text(id: &str) -> Option<String> {
    let document = if id.starts_with("R-") { RULES } else { CONTRACT };
    document.lines().find_map(|line| {
        let item = line.strip_prefix("- ").and_then(|rest| rest.strip_prefix(id)?.strip_prefix(' '));
        let row = line.strip_prefix("| ").and_then(|rest| rest.strip_prefix(id)?.strip_prefix(" | "));
        item.map(plain).or_else(|| row.map(of_row))
    })
}

/// A row of the table of requests: request, body, success, answer.
fn of_row(row: &str) -> String {
    let mut cells = row.split('|').map(plain);
    let request = cells.next().unwrap_or_default();
    let body = cells.next().unwrap_or_default();
    let answer: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
    let body = if body.is_empty() { body } else { format!(" {body}") };
    format!("{request}{body} → {}", answer.join(", "))
}

fn plain(text: &str) -> String {
    text.replace('`', "").replace("**", "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found() {
        for (id, expected) in [
            ("C-6", "PATCH /state {\"square\": 42} → 2xx, any"),
            ("C-13", "GET /event/mine → 200, {\"res\": false}"),
        ] {
            assert_eq!(text(id).as_deref(), Some(expected));
        }
        for (id, begins) in [
            ("C-1", "GET /engine → 200, {\"res\": \"bucket name\"} S3"),
            ("C-23", "Requests to one car are never sent in parallel"),
            ("A-2", "200 and {\"res\": [1]}"),
            ("R-3.1", "On track, all racing cars at the same time."),
        ] {
            assert!(text(id).is_some_and(|text| text.starts_with(begins)), "{id}: {:?}", text(id));
        }
        for id in ["C", "C-", "C-2x", "Z-1", ""] {
            assert_eq!(text(id), None, "{id}");
        }
    }
}
