//! The rules of a race file as the server wants them: one format for `gm run` and for `gm race create`.
//!
//! ```text
//! [rules]             rules.track_length = 40, and all other numbers of the preset
//! track_length = 40
//! ```

use crate::api::convert::rules::to_wire;
use crate::api::wire;
use crate::cli::Failure;
use crate::cli::race_file::RaceFile;
use gm_core::race::rules::Preset;
use std::path::Path;

/// What a file says of a race that is to be made.
pub(super) struct Asked {
    pub(super) rules: wire::Rules,
    pub(super) seed: Option<u64>,
}

/// Reads a race file, if there is one; `preset` counts more than what it says of the preset.
pub(super) fn read(file: Option<&Path>, preset: Option<wire::Preset>) -> Result<Asked, Failure> {
    let Some(path) = file else {
        let rules = wire::Rules { preset: preset.unwrap_or_default().into(), ..Default::default() };
        return Ok(Asked { rules, seed: None });
    };
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::because(format!("can't read {name}: {error}")))?;
    let preset = preset.map(|preset| match preset {
        wire::Preset::Classic => Preset::Classic,
        wire::Preset::Unspecified | wire::Preset::Balanced => Preset::Balanced,
    });
    let read = RaceFile::parse(&name, &text).and_then(|file| file.rules(preset));
    let asked = read.map_err(|bad| Failure::because(bad.to_string()))?;
    let of_preset = match asked.preset {
        Preset::Balanced => wire::Preset::Balanced,
        Preset::Classic => wire::Preset::Classic,
    };
    // What the rules leave out, a limit of cards for instance, the server takes from the preset as the file does.
    let rules = wire::Rules { preset: of_preset.into(), ..to_wire(&asked.rules) };
    Ok(Asked { rules, seed: asked.seed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::convert::rules::from_wire;
    use crate::api::field::Fields;
    use gm_core::race::Rules;

    #[test]
    fn a_file_becomes_the_same_rules_over_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("race.toml");
        for (text, preset, expected) in [
            ("[rules]\ntrack_length = 40", None, Rules { track_length: 40, ..Rules::balanced() }),
            ("preset = 'classic'\nseed = 3", None, Rules::classic()),
            ("preset = 'classic'", Some(wire::Preset::Balanced), Rules::balanced()),
            (include_str!("../../../../docs/race.toml"), Some(wire::Preset::Classic), Rules::classic()),
        ] {
            std::fs::write(&path, text).expect("a file");
            let asked = read(Some(&path), preset).unwrap_or_else(|failure| panic!("{failure}"));
            let plan = from_wire(Some(&asked.rules), &mut Fields::default()).expect("good rules");
            if text.len() < 100 {
                assert_eq!(*plan.rules, expected, "{text}");
            } else {
                assert_eq!((plan.rules.max_turns, asked.seed), (Some(60), Some(7)), "the file for people");
            }
        }
        std::fs::write(&path, "[rules]\ntrack_length = 0").expect("a file");
        let bad = read(Some(&path), None).err().expect("bad rules").to_string();
        assert!(bad.contains("race.toml:2: rules.track_length: is 0"), "{bad}");
    }
}
