//! The tables of `docs/conformance.md` are what the code says.
//!
//! ```text
//! GM_WRITE_DOCS=1 cargo test -p test-harness --test conformance_doc     writes them
//! ```

use std::fs;
use std::path::Path;
use test_harness::flaws;
use test_harness::suite::{Case, ai, car};

/// The document with this content between a mark and the next end.
fn with(document: &str, mark: &str, content: &str) -> String {
    let begin = format!("<!-- {mark} -->\n");
    let at = document.find(&begin).expect(mark) + begin.len();
    let end = document[at..].find("<!-- end -->").expect("a mark has an end") + at;
    format!("{}\n{content}\n{}", &document[..at], &document[end..])
}

fn table_of_cases<T>(cases: &[Case<T>]) -> String {
    let mut table = "| case | level | what holds | needs |\n|---|---|---|---|\n".to_owned();
    for case in cases {
        let needs = case.needs.join(", ");
        table.push_str(&format!(
            "| {} | {} | {} | {needs} |\n",
            case.id,
            case.level.word(),
            cell(case.title)
        ));
    }
    table
}

fn table_of_flaws<'f>(flaws: impl Iterator<Item = (&'f str, &'f str, &'f str)>) -> String {
    let mut table = "| name | what it does | caught by |\n|---|---|---|\n".to_owned();
    for (name, what, caught_by) in flaws {
        table.push_str(&format!("| `{name}` | {} | {caught_by} |\n", cell(what)));
    }
    table
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*")
}

#[test]
fn the_tables_are_what_the_code_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/conformance.md");
    let document = fs::read_to_string(&path).expect("docs/conformance.md");
    let cars = flaws::car::FLAWS.iter().map(|flaw| (flaw.name, flaw.what, flaw.caught_by));
    let ais = flaws::ai::FLAWS.iter().map(|flaw| (flaw.name, flaw.what, flaw.caught_by));
    let mut expected = document.clone();
    for (mark, content) in [
        ("cases of a car", table_of_cases(car::cases())),
        ("cases of an AI", table_of_cases(ai::cases())),
        ("broken cars", table_of_flaws(cars)),
        ("broken AIs", table_of_flaws(ais)),
    ] {
        expected = with(&expected, mark, &content);
    }
    if std::env::var_os("GM_WRITE_DOCS").is_some() {
        fs::write(&path, &expected).expect("docs/conformance.md can be written");
        return;
    }
    let differs = document.lines().zip(expected.lines()).find(|(there, here)| there != here);
    assert!(
        document == expected,
        "docs/conformance.md is not what the code says, first at {differs:?}; write it with \
         GM_WRITE_DOCS=1 cargo test -p test-harness --test conformance_doc"
    );
}
