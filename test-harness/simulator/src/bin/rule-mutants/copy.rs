//! A copy of this workspace, without its documents and scripts.

use std::fs;
use std::path::Path;

/// What is copied, from the root of the workspace: all of its members, so that the dependencies are the same.
const PARTS: [&str; 8] = [
    "Cargo.toml",
    "Cargo.lock",
    "proto",
    "gm-core",
    "gm-grpc",
    "car-reference",
    "fight-lambda-reference",
    "test-harness",
];

/// What the simulator of the copy is called.
pub(crate) const BINARY: &str = "simulate-with-mutants";

/// Copies them into a folder, which then holds nothing else.
pub(crate) fn workspace(root: &Path, to: &Path) -> Result<(), String> {
    let failed = |why: std::io::Error| format!("the workspace can't be copied to {}: {why}", to.display());
    if to.exists() {
        fs::remove_dir_all(to).map_err(failed)?;
    }
    for part in PARTS {
        copy(&root.join(part), &to.join(part)).map_err(failed)?;
    }
    rename(&to.join("test-harness/simulator/Cargo.toml")).map_err(failed)
}

/// Gives the simulator of the copy another name: it is built into the folder where the real one is, so that what both are
/// made of is built once.
fn rename(manifest: &Path) -> std::io::Result<()> {
    let text = fs::read_to_string(manifest)?;
    let named = |name: &str| [format!("name = \"{name}\""), format!("default-run = \"{name}\"")];
    let (was, is) = (named("simulate"), named(BINARY));
    fs::write(manifest, text.replace(&was[0], &is[0]).replace(&was[1], &is[1]))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        // The times go with it: what was not changed is not built anew.
        fs::copy(from, to)?;
        let times = fs::FileTimes::new().set_modified(fs::metadata(from)?.modified()?);
        return fs::File::options().write(true).open(to)?.set_times(times);
    }
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if name != "target" && name != "node_modules" {
            copy(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}
