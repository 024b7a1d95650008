//! Names of modules: odd ones, and which of them any car must be able to keep (C-10, C-11).
//!
//! ```
//! use test_harness::fuzz::is_plain;
//! assert!(is_plain("l'été 100% 🏎") && !is_plain("..") && !is_plain("a/b") && !is_plain("a\0"));
//! ```

use super::Dice;
use gm_core::contract::car::encode_name;

/// The longest name, in characters: as long as a key of S3 may be, in bytes.
pub(super) const LONGEST: usize = 1_024;

/// The longest name that must be found again on a path, in bytes when it is encoded. Many servers take 8 KiB for a
/// request's head; this leaves them room.
const LONGEST_PATH: usize = 1_500;

/// Whether a car that takes this name must keep it apart from all others: it is a key that S3 can have at a bucket's
/// root, and no step in a path. What a car makes of other names is its own affair.
#[must_use]
pub fn is_plain(name: &str) -> bool {
    let visible = name.chars().any(|c| !c.is_whitespace());
    // Noncharacters of Unicode can't be written in XML, in which S3 lists its keys.
    let is_no_character = |c: char| matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe;
    let odd = |c: char| c.is_control() || is_no_character(c) || matches!(c, '/' | '\\');
    visible
        && name.trim() == name
        && !matches!(name, "." | ".." | "count")
        && name.len() <= LONGEST
        && !name.contains(odd)
}

/// Whether a car that has a module of this name must also find it on a path.
pub(super) fn fits_a_path(name: &str) -> bool {
    is_plain(name) && encode_name(name).len() <= LONGEST_PATH
}

/// A name, odd or not.
pub(super) fn name(dice: &mut Dice) -> String {
    match dice.below(12) {
        0..=3 => format!("{}-t{}-c{}-{}", dice.one_of(&KINDS), tag(dice), dice.below(9), dice.below(100)),
        4 => dice.one_of(&SPECIAL).to_owned(),
        5 => reserved(dice),
        6..=8 => {
            let length = 1 + dice.index(12);
            (0..length).map(|_| any_char(dice)).collect()
        }
        9 => {
            let length = dice.one_of(&[63, 64, 65, 127, 128, 200, 254, 255, 256, 257, 500, 1_023, LONGEST]);
            let c = if dice.percent(70) { 'x' } else { any_char(dice) };
            tagged(dice, &c.to_string().repeat(length), length)
        }
        10 => {
            let length = dice.index(LONGEST + 1);
            (0..length).map(|_| any_char(dice)).collect()
        }
        _ => String::new(),
    }
}

/// Two plain names that differ only at their end.
pub(super) fn twins(dice: &mut Dice) -> [String; 2] {
    let length = dice.one_of(&[10, 20, 33, 65, 101, 130, 200, 256, 300, 600, 1_000]);
    let start = tagged(dice, &"y".repeat(length), length);
    [format!("{start}1"), format!("{start}2")]
}

const KINDS: [&str; 3] = ["engine", "pilot", "weapon"];

/// Names that mean something somewhere.
const SPECIAL: [&str; 24] = [
    "count",
    ".",
    "..",
    "...",
    "%2F",
    "%",
    "%%",
    "%00",
    "null",
    "true",
    "0",
    "-1",
    "NaN",
    "undefined",
    "constructor",
    "__proto__",
    "a/b",
    "/",
    "\\",
    "\0",
    "a\0b",
    "'; --",
    "{\"name\": 1}",
    "state",
];

/// What makes a name unlike those that a car has by itself.
fn tag(dice: &mut Dice) -> u64 {
    1_000_000 + dice.below(1_000_000_000)
}

/// A name of this length that begins with a tag.
fn tagged(dice: &mut Dice, rest: &str, length: usize) -> String {
    format!("fuzz{}-{rest}", tag(dice)).chars().take(length.max(20)).collect()
}

/// Reserved characters of URLs, quotes and blanks.
fn reserved(dice: &mut Dice) -> String {
    const RESERVED: [char; 26] = [
        ' ', '%', '+', '&', '=', '?', '#', ':', ';', ',', '@', '$', '!', '*', '\'', '"', '(', ')', '[', ']',
        '{', '}', '<', '>', '|', '~',
    ];
    let start = tag(dice);
    let odd: String = (0..1 + dice.index(6)).map(|_| dice.one_of(&RESERVED)).collect();
    format!("r{start}{odd}z")
}

/// A character of any plane; controls and what is not assigned among them.
pub(super) fn any_char(dice: &mut Dice) -> char {
    let code = match dice.below(8) {
        0 => dice.below(0x20),
        1 | 2 => 0x20 + dice.below(0x60),
        3 => 0x80 + dice.below(0x780),
        4 => 0x0800 + dice.below(0xd000),
        5 => 0x1f300 + dice.below(0x300),
        6 => 0xe000 + dice.below(0x2000),
        _ => 0x10000 + dice.below(0x10_0000),
    };
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
}
