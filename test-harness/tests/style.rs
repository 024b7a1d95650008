//! The bans of this workspace: each a row of [`BANS`] that names what is banned, where, and what to write instead.
//!
//! All offences are told at once, as `gm-core/src/race/turn.rs:12: unwrap: …`. Each row carries an example that
//! breaks it and one that does not, and both are tested, so that no row is dead.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// Where a ban holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// All code, tests too. Comments are not code.
    Code,
    /// Code that is not test code.
    OutsideTests,
    /// Libraries outside of their tests: not `main.rs`, not `src/bin`.
    Library,
    /// The rules, their tests included.
    Core,
    /// Each line of each text file of the workspace, comments too.
    AnyText,
}

/// One ban.
struct Ban {
    /// Its name, in one word.
    name: &'static str,
    /// The texts that are banned. Where one begins or ends with a letter, it must do so at the edge of a word.
    patterns: &'static [&'static str],
    /// Where it holds.
    place: Place,
    /// What to write instead.
    replacement: &'static str,
    /// Paths (from the root of the workspace, as prefixes) where it does not hold, and why. A folder is no
    /// exception for the tests in it; a test file must be named.
    except: &'static [(&'static str, &'static str)],
    /// A line that breaks it.
    bad: &'static str,
    /// A line that looks like it and does not.
    good: &'static str,
}

const BANS: &[Ban] = &[
    Ban {
        name: "sleep",
        patterns: &["sleep(", "sleep_until(", "sleep_ms("],
        place: Place::Code,
        replacement: "wait on a condition with a bound, or pause tokio's time; a deadline is `timeout`",
        except: &[
            ("gm-grpc/src/drive/", "R-7.8: a verification is asked again once a second"),
            ("gm-grpc/src/api/observer.rs", "a replay is as fast as is asked for"),
            (
                "gm-grpc/src/cli/remote/connection.rs",
                "the pause before a server that is not there is asked again",
            ),
            ("gm-grpc/src/control/desk.rs", "the clock of a race (R-10.1)"),
            ("gm-grpc/src/control/owner.rs", "its patience with a full disk, and with a turn at a shutdown"),
            ("gm-grpc/src/drive/tests/raw.rs", "a car that drips its answer, a byte at a time"),
            ("gm-grpc/src/serve/listen.rs", "its patience when no connection can be accepted"),
            ("test-harness/src/", "a mock car that is late on purpose"),
        ],
        bad: "tokio::time::sleep(PATIENCE).await;",
        good: "tokio::time::timeout(PATIENCE, asleep(car)).await",
    },
    Ban {
        name: "unwrap",
        patterns: &[".unwrap()", ".unwrap_err()"],
        place: Place::OutsideTests,
        replacement: "`?` with an error of this boundary, or `expect` with an invariant that can be seen from there",
        except: &[],
        bad: "let car = cars.get(&id).unwrap();",
        good: "let car = cars.get(&id).unwrap_or(&nobody);",
    },
    Ban {
        name: "unfinished",
        patterns: &["todo!", "unimplemented!"],
        place: Place::Code,
        replacement: "the code, or no function at all",
        except: &[],
        bad: "todo!(\"the garage\")",
        good: "let to_do = rest.len();",
    },
    Ban {
        name: "dbg",
        patterns: &["dbg!"],
        place: Place::Code,
        replacement: "an event of `tracing`, or an assertion that says what it found",
        except: &[],
        bad: "dbg!(&state);",
        good: "tracing::debug!(?state);",
    },
    Ban {
        name: "ignored-test",
        patterns: &["#[ignore"],
        place: Place::Code,
        replacement: "a test that runs; what takes long is a bench, what needs a service says why it skips",
        except: &[],
        bad: "#[ignore = \"slow\"]",
        good: "#[must_use]",
    },
    Ban {
        name: "hash-order",
        patterns: &["HashMap", "HashSet", "hash_map", "hash_set", "IndexMap"],
        place: Place::Core,
        replacement: "`BTreeMap` or `BTreeSet`: the order of a hash would leak into events (R-10.5)",
        except: &[],
        bad: "use std::collections::{BTreeMap, HashMap};",
        good: "use std::collections::BTreeMap;",
    },
    Ban {
        name: "clock",
        patterns: &["Instant::now", "SystemTime::now", "UNIX_EPOCH", "elapsed()"],
        place: Place::Core,
        replacement: "a port that tells what the rules need to know: time is an input (R-10.5)",
        except: &[],
        bad: "let begun = std::time::Instant::now();",
        good: "let up = world.running_time_is_up(turn, limit).await;",
    },
    Ban {
        name: "dice",
        patterns: &[
            "thread_rng",
            "OsRng",
            "SysRng",
            "getrandom",
            "from_os_rng",
            "rand::rng",
            "rand::random",
            "RandomState",
        ],
        place: Place::Core,
        replacement: "a named stream of the race's seed: `Seed::stream` (R-10.5)",
        except: &[],
        bad: "let die = rand::rng().random_range(1..7);",
        good: "let die = seed.stream(turn, Purpose::Wreck, car).between(1, 6);",
    },
    Ban {
        name: "print",
        patterns: &["println!", "eprintln!", "print!", "eprint!"],
        place: Place::Library,
        replacement: "`tracing`, or a writer that the caller hands in",
        except: &[
            ("gm-grpc/src/cli/", "what a command says to its user"),
            ("car-reference/src/car.rs", "the log of a team's own car is its standard error"),
        ],
        bad: "println!(\"turn {turn}\");",
        good: "writeln!(out, \"turn {turn}\")?;",
    },
    Ban {
        name: "vague-module",
        patterns: &["mod utils", "mod util", "mod helpers", "mod helper", "mod manager", "mod common"],
        place: Place::Code,
        replacement: "the name of what it does, in the rule book's or the field's words",
        except: &[],
        bad: "mod helpers;",
        good: "mod spot_check;",
    },
    Ban {
        name: "left-over",
        patterns: &["TODO", "FIXME", "XXX"],
        place: Place::AnyText,
        replacement: "an issue, or the thing itself",
        except: &[],
        bad: "// TODO: the garage",
        good: "// The garage is told to all cars at once.",
    },
    Ban {
        name: "machine-path",
        patterns: &["/work/", "/root/", "/home/"],
        place: Place::AnyText,
        replacement: "a path from the root of the workspace, or a temporary folder",
        except: &[],
        bad: "let file = \"/root/race.toml\";",
        good: "let file = dir.path().join(\"race.toml\");",
    },
    Ban {
        name: "registry-host",
        patterns: &[
            "crates.io",
            "registry.npmjs.org",
            "pypi.org",
            "proxy.golang.org",
            "docker.io",
            "deb.debian.org",
        ],
        place: Place::AnyText,
        replacement: "the name of the package: which registry serves it is the machine's affair",
        except: &[],
        bad: "# from https://index.crates.io",
        good: "serde = { version = \"1\" }",
    },
];

/// Names of files and folders that say nothing.
const VAGUE_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "manager", "managers", "common"];

/// Folders that are not the workspace's own text.
const FOREIGN_FOLDERS: &[&str] = &[".git", "target", "node_modules"];

/// Endings of files that are text to be read by [`Place::AnyText`], besides everything in `scripts` and `.ci`.
const TEXT_ENDINGS: &[&str] = &["rs", "md", "toml", "proto", "html", "css", "js", "mjs", "json", "py", "sql"];

/// This file quotes everything that it bans.
const THIS_FILE: &str = "test-harness/tests/style.rs";

/// What is wrong, and where.
#[derive(Debug, PartialEq, Eq)]
struct Offence {
    path: String,
    line: usize,
    name: &'static str,
    text: String,
    replacement: &'static str,
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Offence { path, line, name, text, replacement } = self;
        write!(f, "{path}:{line}: {name}: `{text}`. Instead: {replacement}")
    }
}

/// Everything that is wrong with the files of a workspace, given as paths from its root with their content.
fn all_offences(files: &[(String, String)]) -> Vec<Offence> {
    let test_files: BTreeSet<String> =
        files.iter().flat_map(|(path, content)| declared_test_files(path, content)).collect();
    let is_test = |path: &str| {
        let folders = path.match_indices('/').map(|(at, _)| format!("{}.rs", &path[..at]));
        test_files.contains(path) || folders.into_iter().any(|folder| test_files.contains(&folder))
    };
    files.iter().flat_map(|(path, content)| offences(path, content, is_test(path))).collect()
}

/// Everything that is wrong with one file; `is_test_file` if all of it is test code by another file's word.
fn offences(path: &str, content: &str, is_test_file: bool) -> Vec<Offence> {
    let mut found = Vec::new();
    let mut offend = |line: usize, name, text: &str, replacement| {
        found.push(Offence { path: path.into(), line, name, text: text.into(), replacement });
    };
    let is_rust = path.ends_with(".rs");
    if is_rust {
        let first = content.lines().next().unwrap_or_default();
        if !first.starts_with("//!") {
            let replacement = "a first line `//! …` that says what the file is for, and its rule's number";
            offend(1, "no-purpose", first, replacement);
        }
        for part in path.split('/').map(|part| part.trim_end_matches(".rs")) {
            if VAGUE_NAMES.contains(&part) {
                offend(
                    1,
                    "vague-name",
                    part,
                    "the name of what it does, in the rule book's or the field's words",
                );
            }
        }
    }
    if path == THIS_FILE {
        return found;
    }
    let tests_begin = if is_test_file { Some(1) } else { first_test_line(path, content) };
    for (index, line) in content.lines().enumerate() {
        let line_no = index + 1;
        let is_test = tests_begin.is_some_and(|begin| line_no >= begin);
        let is_comment = line.trim_start().starts_with("//");
        for ban in BANS {
            let holds = match ban.place {
                Place::AnyText => true,
                _ if !is_rust || is_comment => false,
                Place::Code => true,
                Place::OutsideTests => !is_test,
                Place::Library => !is_test && is_library(path),
                Place::Core => path.starts_with("gm-core/src/"),
            };
            let excepted = ban
                .except
                .iter()
                .any(|(prefix, _)| path.starts_with(prefix) && (!is_test || prefix.ends_with(".rs")));
            if holds && !excepted && ban.patterns.iter().any(|pattern| has_word(line, pattern)) {
                offend(line_no, ban.name, line.trim(), ban.replacement);
            }
        }
    }
    found
}

/// The line from which on a file is test code, if it has any: all of it in `tests/`, `benches/`, `tests.rs` and
/// `…_tests.rs`, else from `#[cfg(test)] mod … {` on, which is the last thing in a file.
fn first_test_line(path: &str, content: &str) -> Option<usize> {
    let mut parts = path.split('/');
    let file = parts.next_back().unwrap_or_default();
    if file == "tests.rs"
        || file.ends_with("_tests.rs")
        || parts.any(|part| matches!(part, "tests" | "benches"))
    {
        return Some(1);
    }
    let lines: Vec<&str> = content.lines().map(str::trim).collect();
    (0..lines.len()).find_map(|at| {
        let module = lines[at..].iter().skip(1).find(|line| !line.starts_with("#["))?;
        let begins = lines[at] == "#[cfg(test)]" && module.contains("mod ") && module.ends_with('{');
        begins.then_some(at + 1)
    })
}

/// The files that a file declares to be test code, by `#[cfg(test)] mod it;`: `it.rs`, which also stands for all of
/// the folder `it`.
fn declared_test_files(path: &str, content: &str) -> Vec<String> {
    let Some((folder, file)) = path.rsplit_once('/').filter(|_| path.ends_with(".rs")) else {
        return Vec::new();
    };
    let folder = match file {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        _ => path.trim_end_matches(".rs").to_owned(),
    };
    let lines: Vec<&str> = content.lines().map(str::trim).collect();
    let declared =
        lines.iter().enumerate().filter(|(_, line)| **line == "#[cfg(test)]").filter_map(|(at, _)| {
            let item = lines[at..].iter().find(|line| !line.starts_with("#["))?;
            let (_, name) = item.strip_suffix(';')?.rsplit_once("mod ")?;
            Some(format!("{folder}/{name}.rs"))
        });
    declared.collect()
}

/// Whether a file belongs to a library: it is in `src/`, and no binary.
fn is_library(path: &str) -> bool {
    path.contains("/src/") && !path.contains("/src/bin/") && !path.ends_with("/src/main.rs")
}

/// Whether `line` holds `pattern`, at the edges of words where the pattern begins or ends with a letter.
fn has_word(line: &str, pattern: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(pattern).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + pattern.len()..].chars().next();
        let open = !pattern.starts_with(part_of_word) || !before.is_some_and(part_of_word);
        let shut = !pattern.ends_with(part_of_word) || !after.is_some_and(part_of_word);
        open && shut
    })
}

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The workspace's own text files, as paths from its root, in order.
fn own_files() -> Vec<(String, String)> {
    let root = root();
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace can be read") {
            let path = entry.expect("a folder of the workspace can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                let is_build = path.join("CACHEDIR.TAG").exists() || name.starts_with("mutants.out");
                if !FOREIGN_FOLDERS.contains(&name.as_str()) && !is_build {
                    folders.push(path);
                }
                continue;
            }
            let from_root = path.strip_prefix(&root).expect("it was found below the root");
            let from_root = from_root.to_string_lossy().replace('\\', "/");
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let is_script = from_root.starts_with("scripts/") || from_root.starts_with(".ci/");
            if TEXT_ENDINGS.contains(&ending.as_str()) || is_script {
                let content = fs::read_to_string(&path).expect(&from_root);
                files.push((from_root, content));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn the_workspace_keeps_its_style() {
    let files = own_files();
    assert!(
        files.iter().any(|(path, _)| path == "gm-core/src/lib.rs"),
        "the walk did not find the workspace"
    );
    let found: Vec<String> = all_offences(&files).iter().map(Offence::to_string).collect();
    assert!(found.is_empty(), "{} offences:\n{}", found.len(), found.join("\n"));
}

/// The names of the offences in a file of the given path and lines.
fn names(path: &str, lines: &[&str]) -> Vec<&'static str> {
    offences(path, &lines.join("\n"), false).iter().map(|offence| offence.name).collect()
}

#[test]
fn each_ban_fires_on_its_bad_example_and_not_on_its_good_one() {
    const LIBRARY: &str = "gm-core/src/race/garage.rs";
    for ban in BANS {
        assert_eq!(names(LIBRARY, &["//! R-5.4.", ban.bad]), [ban.name], "{}", ban.bad);
        assert_eq!(names(LIBRARY, &["//! R-5.4.", ban.good]), [""; 0], "{}", ban.good);
        for pattern in ban.patterns {
            let line = format!("let it = {pattern}");
            assert_eq!(names(LIBRARY, &["//! R-5.4.", &line]), [ban.name], "{line}");
        }
        for (prefix, why) in ban.except {
            let excepted = if prefix.ends_with(".rs") { (*prefix).into() } else { format!("{prefix}it.rs") };
            assert_eq!(names(&excepted, &["//! It.", ban.bad]), [""; 0], "{prefix}: {why}");
        }
    }
}

#[test]
fn a_ban_holds_where_it_says() {
    const UNWRAP: &str = "let it = some.unwrap();";
    const PRINT: &str = "println!(\"it\");";
    const MAP: &str = "let it = HashMap::new();";
    const LEFT: &str = "# FIXME: it";
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("gm-grpc/src/it.rs", &["//! It.", UNWRAP, PRINT, MAP], &["unwrap", "print"]),
        ("gm-core/src/it.rs", &["//! It.", UNWRAP, PRINT, MAP], &["unwrap", "print", "hash-order"]),
        ("gm-core/src/it.rs", &["//! It.", "#[cfg(test)]", "mod tests {", UNWRAP, MAP], &["hash-order"]),
        ("gm-core/src/it.rs", &["//! It.", "#[cfg(test)]", "#[path = \"x\"]", "mod tests {", UNWRAP], &[]),
        ("gm-core/src/it.rs", &["//! It.", "#[cfg(test)]", "mod it_tests;", UNWRAP], &["unwrap"]),
        ("gm-core/src/it.rs", &["//! It.", "#[cfg(test)]", "fn it() {", UNWRAP], &["unwrap"]),
        ("gm-core/src/it.rs", &["//! ```", "//! it.unwrap()", "/// it.unwrap()", "// it.unwrap()"], &[]),
        ("gm-core/src/it_tests.rs", &["//! It.", UNWRAP], &[]),
        (
            "gm-core/tests/it.rs",
            &["//! It.", UNWRAP, PRINT, MAP, "it.sleep();", "sleep(IT)"],
            &["sleep", "sleep"],
        ),
        ("gm-core/benches/it.rs", &["//! It.", UNWRAP, PRINT], &[]),
        ("car-reference/src/main.rs", &["//! It.", PRINT, UNWRAP], &["unwrap"]),
        ("car-reference/src/bin/car.rs", &["//! It.", PRINT], &[]),
        ("gm-grpc/src/drive/it.rs", &["//! It.", "sleep(IT)"], &[]),
        ("gm-grpc/src/drive/tests/it.rs", &["//! It.", "sleep(IT)"], &["sleep"]),
        ("docs/it.md", &[UNWRAP, PRINT, LEFT], &["left-over"]),
        ("scripts/it", &[LEFT, "cd /work/it"], &["left-over", "machine-path"]),
        ("gm-core/src/it.rs", &["use std::fmt;"], &["no-purpose"]),
        ("gm-core/src/it.rs", &[], &["no-purpose"]),
        ("gm-core/src/utils/it.rs", &["//! It."], &["vague-name"]),
        ("gm-core/tests/common.rs", &["//! It."], &["vague-name"]),
        (THIS_FILE, &["//! It.", UNWRAP, MAP, LEFT], &[]),
    ];
    for (path, lines, expected) in cases {
        assert_eq!(names(path, lines), *expected, "{path}: {lines:?}");
    }
}

#[test]
fn a_file_is_test_code_where_its_parent_says_so() {
    const UNWRAP: &str = "//! It.\nlet it = some.unwrap();";
    for (parent, declaration, child, is_test) in [
        ("a/src/lib.rs", "#[cfg(test)]\nmod table;", "a/src/table.rs", true),
        ("a/src/lib.rs", "#[cfg(test)]\nmod table;", "a/src/table/row.rs", true),
        ("a/src/lib.rs", "#[cfg(test)]\nmod table;", "a/src/tables.rs", false),
        ("a/src/lib.rs", "#[cfg(test)]\nmod table;", "b/src/table.rs", false),
        ("a/src/lib.rs", "mod table;", "a/src/table.rs", false),
        ("a/src/lib.rs", "#[cfg(test)]\nuse it;\nmod table;", "a/src/table.rs", false),
        ("a/src/duel/mod.rs", "#[cfg(test)]\npub(crate) mod table;", "a/src/duel/table.rs", true),
        ("a/src/duel.rs", "#[cfg(test)]\nmod table;", "a/src/duel/table.rs", true),
        ("a/src/duel.rs", "#[cfg(test)]\nmod table;", "a/src/table.rs", false),
    ] {
        let files = [(parent, format!("//! It.\n{declaration}")), (child, UNWRAP.into())];
        let found = all_offences(&files.map(|(path, content)| (path.to_owned(), content)));
        assert_eq!(found.is_empty(), is_test, "{parent}: {declaration:?}: {child}");
    }
}

#[test]
fn an_offence_names_its_line_and_its_replacement() {
    let told: Vec<String> = offences("gm-core/src/it.rs", "//! It.\n\n  dbg!(it);\n", false)
        .iter()
        .map(Offence::to_string)
        .collect();
    assert_eq!(
        told,
        [
            "gm-core/src/it.rs:3: dbg: `dbg!(it);`. Instead: an event of `tracing`, or an assertion that says what it found"
        ]
    );
}

#[test]
fn words_have_edges() {
    for (line, pattern, expected) in [
        ("todo!()", "todo!", true),
        ("my_todo!()", "todo!", false),
        ("TODOS", "TODO", false),
        ("(TODO)", "TODO", true),
        ("a TODOx TODO", "TODO", true),
        ("x.unwrap()", ".unwrap()", true),
        ("unwrap()", ".unwrap()", false),
        ("asleep(", "sleep(", false),
        ("é TODO é", "TODO", true),
        ("", "TODO", false),
    ] {
        assert_eq!(has_word(line, pattern), expected, "{line:?} {pattern:?}");
    }
}
