//! What was damaged, changed or written by a newer program is refused in words, and never makes anything panic.
//!
//! ```text
//! {"event":"car_started","car":"3"}   `car`: invalid type: string "3", expected u32
//! {"event":"car_started","car":3      EOF while parsing an object
//! ```

use super::{COMMANDS, EVENTS, RULES, every};
use crate::journal::stored::{
    FORMAT, LONGEST_PROBLEM, Unreadable, read_arrivals, read_event, read_rules, write_event, write_rules,
};
use gm_core::race::Event;
use std::fmt::Debug;

/// What is said about a text, without what is said about every text.
#[track_caller]
fn check<T: Debug>(read: Result<T, Unreadable>, what: &str, expected: &str) {
    let refused = read.expect_err(expected).to_string();
    let said = refused.strip_prefix(&format!("it is not {what} of format 1: ")).expect(&refused);
    let end = "; the record was damaged or changed: go back to a copy of it";
    let said = said.strip_suffix(end).expect(&refused);
    let said = said.split(" at line 1 column").next().unwrap_or(said);
    assert_eq!(said, expected);
}

#[test]
fn what_is_no_event_is_refused() {
    for (text, expected) in [
        ("", "EOF while parsing a value"),
        ("null", "invalid type: null, expected an object that begins with `event`"),
        ("[]", "invalid type: sequence, expected an object that begins with `event`"),
        ("{}", "missing field `event`"),
        (r#"{"car":3,"event":"car_started"}"#, "`car`: unknown field `car`, expected `event`"),
        (r#"{"event":"car_started"}"#, "missing field `car`"),
        (r#"{"event":"car_started","car":3"#, "EOF while parsing an object"),
        (r#"{"event":"car_started","car":3}}"#, "trailing characters"),
        (r#"{"event":"car_started","car":3,"x":1}"#, "`x`: unknown field `x`, expected `car`"),
        (r#"{"event":"car_started","car":3,"car":3}"#, "duplicate field `car`"),
        (r#"{"event":"car_started","car":"3"}"#, r#"`car`: invalid type: string "3", expected u32"#),
        (r#"{"event":"car_started","car":-3}"#, "`car`: invalid value: integer `-3`, expected u32"),
        (
            r#"{"event":"car_started","car":4294967296}"#,
            "`car`: invalid value: integer `4294967296`, expected u32",
        ),
        (r#"{"event":"race_started","x":1}"#, "`x`: unknown field `x`, there are no fields"),
        (
            r#"{"event":"fight_drawn","combatants":["pirates"]}"#,
            "`combatants`: invalid length 1, expected an array of length 2",
        ),
        (r#"{"event":"minefield_avoided","car":1}"#, "missing field `fault`"),
        (
            r#"{"event":"minefield_avoided","car":1,"fault":{"status":"503"}}"#,
            r#"`fault.status`: invalid type: string "503", expected u16"#,
        ),
        (
            r#"{"event":"car_retired","car":1,"reason":"bored"}"#,
            "`reason`: unknown variant `bored`, expected one of `out_of_fuel`, `destroyed`, `no_pilot`, `jury`",
        ),
        (
            r#"{"event":"car_registered","car":1,"team":1,"instance":"i","url":"ftp://car","resources":{"engine":"","pilot":"","weapon":""},"modules":[],"paid":1}"#,
            "`url`: the scheme is not http or https",
        ),
    ] {
        check(read_event(1, text), "an event", expected);
    }
}

/// A long text is not quoted at length.
#[test]
fn what_is_said_has_a_bound() {
    let name = "é".repeat(100_000);
    for text in [format!(r#"{{"event":"{name}"}}"#), format!(r#"{{"event":"car_started","car":"{name}"}}"#)] {
        let refused = read_event(1, &text);
        let Err(Unreadable::NotInFormat { problem, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(problem.chars().count(), LONGEST_PROBLEM, "{problem}");
    }
}

#[test]
fn what_are_no_commands_is_refused() {
    for (text, expected) in [
        (r#"{"no":1,"command":"start"}"#, "invalid type: map, expected a sequence"),
        (r#"[{"no":1}]"#, "`[0]`: missing field `command`"),
        (
            r#"[{"no":1,"command":"start"},{"no":2,"command":{"reveal":{}}}]"#,
            "`[1].command.reveal`: missing field `achievement`",
        ),
        (
            r#"[{"no":1,"command":{"grant":{"team":1,"dollars":-1}}}]"#,
            "`[0].command.grant.dollars`: invalid value: integer `-1`, expected u64",
        ),
        (
            r#"[{"no":1,"command":{"create_team":{"name":"Red"}}}]"#,
            "`[0].command.create_team`: missing field `budget`",
        ),
        (
            r#"[{"no":1,"command":{"register":{"team":1,"instance":"i","url":"car"}}}]"#,
            "`[0].command.register.url`: not an absolute URL",
        ),
    ] {
        check(read_arrivals(1, text), "a list of commands", expected);
    }
}

/// Rules are checked as a whole, alone and within the event.
#[test]
fn rules_that_cannot_be_played_are_refused() {
    let good = write_rules(&every::rules()[0]);
    for (from, to, expected) in [
        (r#""track_length":300"#, r#""track_length":0"#, "track_length: is 0, and must be from 1 to 1000000"),
        (r#""snakes":2"#, r#""snakes":3"#, "wreck: the odds add up to 101, and must add up to 100"),
        (
            r#""pilot":1"#,
            r#""driver":1"#,
            "`prices.driver`: unknown field `driver`, expected one of `engine`, `pilot`, `weapon`",
        ),
        (r#""max_turns":null,"#, "", "missing field `max_turns`"),
        (
            r#""track_length":300"#,
            r#""track_length":null"#,
            "`track_length`: invalid type: null, expected u32",
        ),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        check(read_rules(1, &bad), "a set of rules", expected);
    }
    let bad = good.replace(r#""idle_turns":5"#, r#""idle_turns":0"#);
    let created = format!(r#"{{"event":"race_created","revision":1,"seed":1,"rules":{bad}}}"#);
    let expected = "`rules`: idle_turns: is 0, and must be from 1 to 4294967295";
    check(read_event(1, &created), "an event", expected);
}

/// The number of the format goes before anything that the text says.
#[test]
fn a_format_that_is_not_known_is_refused() {
    for (format, expected) in [
        (0, "it is in format 0, which never was; the record was damaged or changed: go back to a copy of it"),
        (2, "it is in format 2, and this gm knows the formats up to 1: use a newer gm"),
        (u32::MAX, "it is in format 4294967295, and this gm knows the formats up to 1: use a newer gm"),
    ] {
        for text in [write_event(&Event::RaceStarted), String::new()] {
            assert_eq!(read_event(format, &text).expect_err(expected).to_string(), expected);
            assert_eq!(read_arrivals(format, &text).expect_err(expected).to_string(), expected);
            assert_eq!(read_rules(format, &text).expect_err(expected).to_string(), expected);
        }
    }
    assert_eq!(read_event(FORMAT, &write_event(&Event::RaceStarted)), Ok(Event::RaceStarted));
}

/// A disk may give back something else than was written: each byte of each line is changed, left out, or the first
/// that is missing.
#[test]
fn no_damage_makes_it_panic() {
    /// The longest are lists of what stands in lines of its own as well.
    const LONGEST: usize = 1_300;
    fn damage<T>(lines: &str, read: impl Fn(&str) -> Result<T, Unreadable>) {
        for line in lines.lines().filter(|line| line.len() < LONGEST) {
            for (at, &byte) in line.as_bytes().iter().enumerate() {
                let (before, after) = (&line.as_bytes()[..at], &line.as_bytes()[at + 1..]);
                let changed = [byte ^ 1, byte ^ 0x80, b'"'];
                let changed = changed.map(|other| [before, &[other], after].concat());
                for bytes in changed.into_iter().chain([[before, after].concat()]) {
                    if let Err(unreadable) = read(&String::from_utf8_lossy(&bytes)) {
                        assert!(matches!(unreadable, Unreadable::NotInFormat { format: 1, .. }));
                    }
                }
                assert!(read(&String::from_utf8_lossy(before)).is_err(), "{line} cut at {at}");
            }
        }
    }
    damage(EVENTS, |text| read_event(1, text));
    damage(COMMANDS, |text| read_arrivals(1, text));
    let rules = RULES.lines().next().unwrap_or_default();
    damage(rules, |text| read_rules(1, text));
}
