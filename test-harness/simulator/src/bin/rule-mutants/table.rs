//! The table of mutations: read, planted, and written with what came of each.

use crate::Tried;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A mutation of the rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mutant {
    /// The rule that is wrong with it.
    pub(crate) rule: String,
    /// What is wrong, in words.
    pub(crate) what: String,
    /// In which file of `gm-core/src`.
    file: String,
    /// What stands there, exactly once.
    from: String,
    /// What stands there instead, where `MUTANT` is whether it is on.
    to: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    mutant: Vec<Mutant>,
}

/// Reads the table.
pub(crate) fn read(path: &Path) -> Result<Vec<Mutant>, String> {
    let text = fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let table: Table = toml::from_str(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(table.mutant)
}

/// The module of the copy that says which mutation is on.
const SWITCH: &str = "//! Which mutation is on, by its number: the variable GM_MUTANT.

use std::sync::LazyLock;

static ON: LazyLock<u32> =
    LazyLock::new(|| std::env::var(\"GM_MUTANT\").ok().and_then(|on| on.parse().ok()).unwrap_or(0));

pub(crate) fn is_on(number: u32) -> bool {
    *ON == number
}
";

/// Puts all mutations into a copy of the rules, each behind its switch.
pub(crate) fn plant(mutants: &[Mutant], sources: &Path) -> Result<(), String> {
    for (number, mutant) in (1..).zip(mutants) {
        let path = sources.join(&mutant.file);
        let text = fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        if text.matches(&mutant.from).count() != 1 {
            return Err(format!(
                "{} ({}): in {} this must stand exactly once, and does not: {}",
                mutant.rule, mutant.what, mutant.file, mutant.from
            ));
        }
        let to = mutant.to.replace("MUTANT", &format!("crate::mutants::is_on({number})"));
        let planted = text.replace(&mutant.from, &to);
        fs::write(&path, planted).map_err(|why| format!("{}: {why}", path.display()))?;
    }
    fs::write(sources.join("mutants.rs"), SWITCH).map_err(|why| why.to_string())?;
    let lib = sources.join("lib.rs");
    let text = fs::read_to_string(&lib).map_err(|why| why.to_string())?;
    fs::write(&lib, text + "\nmod mutants;\n").map_err(|why| why.to_string())
}

/// The marks between which the table is written.
const MARKS: [&str; 2] = ["<!-- mutations -->\n", "<!-- end -->"];

/// Writes what came of each into a document.
pub(crate) fn write(path: &Path, tried: &[Tried<'_>]) -> Result<(), String> {
    let document = fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let [begin, end] = MARKS;
    let (before, rest) =
        document.split_once(begin).ok_or_else(|| format!("{}: no {begin}", path.display()))?;
    let (_, after) = rest.split_once(end).ok_or_else(|| format!("{}: no {end}", path.display()))?;
    let mut table = "\n| rule | what is wrong | caught by |\n|---|---|---|\n".to_owned();
    for Tried { mutant, caught_by } in tried {
        let by = caught_by.as_deref().unwrap_or("**nothing**");
        table.push_str(&format!("| {} | {} | {by} |\n", mutant.rule, mutant.what));
    }
    let rules: BTreeSet<&str> = tried.iter().map(|tried| tried.mutant.rule.as_str()).collect();
    table.push_str(&format!("\n{} mutations of {} rules.\n\n", tried.len(), rules.len()));
    fs::write(path, format!("{before}{begin}{table}{end}{after}")).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At least 30, and each stands in the rules as they are now: one that does not would not be tried.
    #[test]
    fn every_mutation_can_be_planted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mutants = read(&root.join("test-harness/simulator/mutants.toml")).expect("the table");
        assert!(mutants.len() >= 30, "{}", mutants.len());
        for mutant in &mutants {
            let path = root.join("gm-core/src").join(&mutant.file);
            let text = fs::read_to_string(path).expect("a file of the rules");
            assert_eq!(text.matches(&mutant.from).count(), 1, "{}: {}", mutant.what, mutant.from);
            assert!(mutant.to.contains("MUTANT"), "{}", mutant.what);
        }
        let whats: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.what.as_str()).collect();
        assert_eq!(whats.len(), mutants.len(), "each is another one");
    }

    /// The list in the document is that of the mutations, and says of each that it is caught.
    #[test]
    fn the_document_lists_every_mutation() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mutants = read(&root.join("test-harness/simulator/mutants.toml")).expect("the table");
        let document = fs::read_to_string(root.join("docs/auditor.md")).expect("the document");
        let rows: Vec<&str> = document.lines().filter(|line| line.starts_with("| R-")).collect();
        assert_eq!(rows.len(), mutants.len());
        for (row, mutant) in rows.iter().zip(&mutants) {
            let begins = format!("| {} | {} | R-", mutant.rule, mutant.what);
            assert!(
                row.starts_with(&begins),
                "{row}: write it anew with rule-mutants --write docs/auditor.md"
            );
        }
    }
}
