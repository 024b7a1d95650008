//! Every rule that is cited anywhere is written down: `R-3.2` in `docs/rules.md`, `C-22` in `docs/contract.md`.
//!
//! Citations are read from code, protocol files and documents, comments included, and from the names of tests
//! (`r_6_4_a_parry` cites ). Links between the documents are followed too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The chapters that are numbered, by their letter: R is in the rules, the others are in the contract.
const CHAPTERS: &[char] = &['R', 'C', 'A', 'G', 'I'];

/// Every citation in a text: `R-3.2`, `R-3` (the whole chapter), `C-22`, in order.
///
/// A letter that ends a longer word cites nothing (`RFC-3986`), nor does a number that goes on as a word
/// (`C-4a`).
fn citations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, letter) in text.char_indices().filter(|(_, c)| CHAPTERS.contains(c)) {
        let stands_alone = !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
        let Some(rest) = text[at + 1..].strip_prefix('-').filter(|_| stands_alone) else { continue };
        let (chapter, rest) = digits(rest);
        let sub_rule =
            rest.strip_prefix('.').map(digits).filter(|(number, _)| letter == 'R' && !number.is_empty());
        let (id, rest) = match sub_rule {
            Some((number, rest)) => (format!("{letter}-{chapter}.{number}"), rest),
            None => (format!("{letter}-{chapter}"), rest),
        };
        if !chapter.is_empty() && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            found.push(id);
        }
    }
    found
}

/// Every citation in the name of a test: `fn r_6_4_a_parry()` cites, `fn c_22_…` C-22, `fn r_6_…` R-6.
fn citations_in_names(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("fn ") {
        let name = &text[at + 3..];
        let Some(letter) = name.chars().next().map(|c| c.to_ascii_uppercase()) else { continue };
        let Some(rest) = name.get(1..).and_then(|rest| rest.strip_prefix('_')) else { continue };
        let (chapter, rest) = digits(rest);
        if !CHAPTERS.contains(&letter) || chapter.is_empty() {
            continue;
        }
        let number = rest.strip_prefix('_').map(|rest| digits(rest).0).unwrap_or_default();
        found.push(match number {
            number if letter == 'R' && !number.is_empty() => format!("R-{chapter}.{number}"),
            _ => format!("{letter}-{chapter}"),
        });
    }
    found
}

/// The digits that a text begins with, and what follows them.
fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// The numbers that a document defines: at the start of a list item (`- R-3.2 …`), of a row (`| C-4 | …`) or of a
/// heading (`## R-3 …`, `## C …`). Twice the same is an error.
fn definitions(document: &str) -> Result<BTreeSet<String>, String> {
    let mut defined = BTreeSet::new();
    for line in document.lines() {
        let Some(text) = ["- ", "| ", "## "].iter().find_map(|mark| line.strip_prefix(mark)) else {
            continue;
        };
        let first = text.split_whitespace().next().unwrap_or_default();
        if citations(first) == [first] && !defined.insert(first.to_owned()) {
            return Err(format!("{first} is there twice"));
        }
    }
    Ok(defined)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect(path)
}

/// The files that may cite rules, as paths from the root of the workspace, with their text.
fn citing_files() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder of the workspace can be read") {
            let name = entry.expect("a folder of the workspace can be read").file_name();
            let path = folder.join(&name);
            let name = name.to_string_lossy();
            let whole = root().join(&path);
            if whole.is_dir() {
                let is_foreign = name.starts_with('.') || name == "target" || name.starts_with("mutants.out");
                if !is_foreign && !whole.join("CACHEDIR.TAG").exists() {
                    folders.push(path);
                }
            } else if [".rs", ".proto", ".md", ".toml"].iter().any(|ending| name.ends_with(ending)) {
                let path = path.to_string_lossy().replace('\\', "/");
                files.insert(path.clone(), read(&path));
            }
        }
    }
    files
}

#[test]
fn every_cited_rule_is_written_down() {
    let mut defined = definitions(&read("docs/rules.md")).expect("docs/rules.md");
    defined.extend(definitions(&read("docs/contract.md")).expect("docs/contract.md"));
    let mut wrong = Vec::new();
    let mut cited = BTreeSet::new();
    for (path, text) in citing_files() {
        // This file cites rules that are not there, as examples.
        if path == "test-harness/tests/docs.rs" {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            for id in citations(line).into_iter().chain(citations_in_names(line)) {
                if !defined.contains(&id) {
                    wrong.push(format!("{path}:{}: there is no {id}: {}", index + 1, line.trim()));
                }
                cited.insert(id);
            }
        }
    }
    assert!(cited.len() > 20, "the walk did not find the workspace");
    assert!(wrong.is_empty(), "{} wrong citations:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is no requirement of its own that a test could check, and why.
const NOT_TESTED: &[(&str, &str)] = &[("I-2", "the inspector of AWS is not built")];

/// The ids that a file tests: those in the name of a test, and in the words right above it.
fn tested(text: &str) -> Vec<String> {
    let (mut words, mut is_test, mut found) = (Vec::new(), false, Vec::new());
    for line in text.lines().map(str::trim) {
        if line.starts_with("///") {
            words.extend(citations(line));
        } else if line.starts_with("#[") {
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
        } else {
            if is_test && line.contains("fn ") {
                found.append(&mut words);
                found.extend(citations_in_names(line));
            }
            (words, is_test) = (Vec::new(), false);
        }
    }
    found
}

/// The requirements of the conformance cases in a file, where they stand alone: `requirement: "C-9",` or `"R-7.4",`; or behind
/// the id of a case: `resource!("C-2.1", "C-2", …`.
fn of_cases(text: &str) -> Vec<String> {
    let alone = |line: &str| {
        let line = line.trim().trim_start_matches("requirement: ");
        let behind_its_id = line.split_once("!(\"").and_then(|(_, words)| {
            let (case, rest) = words.split_once("\", ")?;
            let (id, _) = rest.strip_prefix('"')?.split_once("\", ")?;
            case.strip_prefix(id)?.starts_with('.').then_some(id)
        });
        if let Some(id) = behind_its_id {
            return Some(id.to_owned());
        }
        let id = line.strip_prefix('"')?.strip_suffix("\",")?;
        (citations(id) == [id]).then(|| id.to_owned())
    };
    text.lines().filter_map(alone).collect()
}

#[test]
fn what_is_tested_is_found_and_nothing_else_is() {
    for (text, expected) in [
        ("#[test]\nfn r_6_4_a_parry() {", vec!["R-6.4"]),
        (
            "/// R-6.4: or R-6.5.\n#[tokio::test(start_paused = true)]\nasync fn a_parry() {",
            vec!["R-6.4", "R-6.5"],
        ),
        ("/// R-6.4\n#[test]\n#[cfg(unix)]\nfn a_parry() {", vec!["R-6.4"]),
        ("/// R-6.4\nfn r_6_4_no_test() {", vec![]),
        ("//! R-6.4\n#[test]\nfn a_parry() {}", vec![]),
        ("// R-6.4\n#[test]\nfn a_parry() { let r = \"R-6.5\"; }", vec![]),
        ("/// R-6.4\nstruct Parry;\n#[test]\nfn a_parry() {", vec![]),
    ] {
        assert_eq!(tested(text), expected, "{text}");
    }
    for (text, expected) in [
        ("            requirement: \"C-9\",", vec!["C-9"]),
        ("            \"R-7.4\",", vec!["R-7.4"]),
        ("        resource!(\"C-2.1\", \"C-2\", Kind::Pilot),", vec!["C-2"]),
        ("        resource!(\"C-2.1\", \"C-3\", Kind::Pilot),", vec![]),
        ("            hint: \"C-9\",", vec![]),
        ("            id: \"C-9.7\",", vec![]),
        ("            \"R-7.4 is a rule\",", vec![]),
        ("            needs: &[\"C-9.1\"],", vec![]),
    ] {
        assert_eq!(of_cases(text), expected, "{text}");
    }
}

/// Every requirement of the contract and every rule is cited by a test, in its name or right above it, or is that of a
/// conformance case. A chapter is cited where one of its rules is.
#[test]
fn every_requirement_is_cited_by_a_test() {
    let mut defined = definitions(&read("docs/rules.md")).expect("docs/rules.md");
    defined.extend(definitions(&read("docs/contract.md")).expect("docs/contract.md"));
    let mut cited = BTreeSet::new();
    for (path, text) in citing_files().iter().filter(|(path, _)| path.ends_with(".rs")) {
        if path == "test-harness/tests/docs.rs" {
            continue;
        }
        cited.extend(tested(text));
        if ["/suite/car/", "/suite/ai/"].iter().any(|folder| path.contains(folder)) {
            cited.extend(of_cases(text));
        }
    }
    let chapters: Vec<String> =
        cited.iter().filter_map(|id| Some(id.split_once('.')?.0.to_owned())).collect();
    cited.extend(chapters);
    let excused: BTreeSet<String> = NOT_TESTED.iter().map(|(id, _)| (*id).to_owned()).collect();
    let idle: Vec<&String> = excused.intersection(&cited).collect();
    assert!(idle.is_empty(), "{idle:?} are cited by tests: take them off the list");
    let missing: Vec<&String> = defined.difference(&cited).filter(|id| !excused.contains(*id)).collect();
    assert!(missing.is_empty(), "no test and no conformance case cites {missing:?}");
}

/// The numbers are part of what teams rely on: none may get lost when the documents are edited.
#[test]
fn no_number_is_lost() {
    let rules = definitions(&read("docs/rules.md")).expect("docs/rules.md");
    // For each chapter: its first and last number.
    let chapters =
        [(1, 1, 4), (2, 1, 4), (3, 0, 6), (4, 1, 6), (5, 1, 4), (6, 1, 8), (7, 1, 9), (8, 1, 3), (9, 1, 14)];
    let chapters = chapters.into_iter().chain([(10, 1, 5), (12, 1, 3)]);
    for (chapter, first, last) in chapters {
        assert!(rules.contains(&format!("R-{chapter}")), "R-{chapter}");
        for number in first..=last {
            assert!(rules.contains(&format!("R-{chapter}.{number}")), "R-{chapter}.{number}");
        }
    }
    assert!(rules.contains("R-11"));
    let contract = definitions(&read("docs/contract.md")).expect("docs/contract.md");
    let sections = (1..=16).chain(19..=23).map(|n| format!("C-{n}"));
    let sections = sections.chain((1..=4).map(|n| format!("A-{n}"))).chain((1..=7).map(|n| format!("G-{n}")));
    for id in sections.chain((1..=4).map(|n| format!("I-{n}"))) {
        assert!(contract.contains(&id), "{id}");
    }
}

/// The anchor of a heading, as the usual renderers of Markdown make it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// The targets of a document's links to files and headings: `](path#anchor)`.
fn links(document: &str) -> Vec<String> {
    let targets = document.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.replace(' ', "")).filter(|target| !target.contains("://")).collect()
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let mut broken = Vec::new();
    for (path, text) in citing_files().iter().filter(|(path, _)| path.ends_with(".md")) {
        for link in links(text) {
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let folder = Path::new(path).parent().unwrap_or(Path::new(""));
            let target = if file.is_empty() { PathBuf::from(path) } else { folder.join(file) };
            let whole = root().join(&target);
            if !whole.exists() {
                broken.push(format!("{path}: {link}: no such file"));
            } else if !heading.is_empty() {
                let text = fs::read_to_string(&whole).unwrap_or_default();
                let headings = text.lines().filter(|line| line.starts_with('#'));
                if !headings.map(|line| anchor(line.trim_start_matches('#').trim())).any(|a| a == heading) {
                    broken.push(format!("{path}: {link}: no such heading"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{} broken links:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn citations_are_found_and_nothing_else_is() {
    for (text, expected) in [
        ("R-3.2 and (R-4), `C-22`.", &["R-3.2", "R-4", "C-22"][..]),
        ("R-1 to R-5; R-10.5: A-1, I-4/G-7", &["R-1", "R-5", "R-10.5", "A-1", "I-4", "G-7"]),
        ("the end of R-6.", &["R-6"]),
        ("C-4.5", &["C-4"]),
        ("RFC-3986 SHA-256 UTF-8 A-Z C- R-x R-.1", &[]),
        ("X-C-4 _C-4 C-4a R-3.2b", &[]),
        ("é R-3.2 é", &["R-3.2"]),
    ] {
        assert_eq!(citations(text), expected, "{text}");
    }
    for (text, expected) in [
        ("    fn r_6_4_a_parry() {", &["R-6.4"][..]),
        ("fn c_22_reads_3_as_text()", &["C-22"]),
        ("fn r_11_what_spectators_see()", &["R-11"]),
        ("async fn a_3_late() fn read() fn r_x() fn c_() fn m_2_it() fn", &["A-3"]),
    ] {
        assert_eq!(citations_in_names(text), expected, "{text}");
    }
}

#[test]
fn definitions_are_what_begins_a_line() {
    let document =
        "## R-3 A turn\n- R-3.0 **Start.** See R-9.9.\nR-4.1\n| R-9.2 | x |\n- see R-5.1\n## C The car";
    assert_eq!(definitions(document), Ok(["R-3", "R-3.0", "R-9.2"].map(String::from).into()));
    assert_eq!(definitions("- R-3.1 a\n- R-3.1 b"), Err("R-3.1 is there twice".into()));
}

#[test]
fn anchors_and_links_are_read() {
    assert_eq!(anchor("R-6 The duel (\"En Garde\")"), "r-6-the-duel-en-garde");
    assert_eq!(anchor("a $ / b"), "a---b");
    assert_eq!(links("[a](b.md#c) [d](http://e) [f](#g)"), ["b.md#c", "#g"]);
}
