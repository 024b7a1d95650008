//! Requests that are not in the contract: other methods, paths, bodies and headers.
//!
//! ```text
//! PATCH /state {"square": 1e400}        DELETE /engine/%zz        BREW /weapon        POST /engine [[[[[[…
//! ```
//!
//! A car may refuse each of them, or make of it what it likes.

use super::Dice;
use super::names::{any_char, name};
use super::step::What;

/// How deep nested JSON goes.
const DEPTHS: [usize; 4] = [10, 200, 5_000, 20_000];

/// The largest body, in bytes: somewhat more than what a car has to read.
const LARGEST: usize = 80 * 1024;

/// The longest path, in bytes: more than most servers read.
const LONGEST_PATH: usize = 20_000;

const METHODS: [&str; 14] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "Patch", "BREW", "PROPFIND",
    "QUERY", "M-SEARCH",
];

const PATHS: [&str; 40] = [
    "/",
    "//",
    "/state/",
    "//state",
    "/state//",
    "/./state",
    "/state/.",
    "/state/../state",
    "/../../etc/passwd",
    "/STATE",
    "/State",
    "/stat",
    "/states",
    "/state/position/",
    "/state/position/1",
    "/state%2Fposition",
    "/%73tate",
    "/state?",
    "/state??",
    "/state?square=3",
    "/state?%00=%ff",
    "/state;a=b",
    "/engine/count/",
    "/engine//count",
    "/engine/%63ount",
    "/engine/count?x=1",
    "/engines/count",
    "/Engine/count",
    "/turbo",
    "/turbo/count",
    "/event",
    "/event/",
    "/event/pirates",
    "/event/garage?engine=1",
    "/fight",
    "/fight/shouldfight",
    "/fight/shouldfight?id=",
    "/fight/shouldfight?id=-1",
    "/favicon.ico",
    "/engine/a/b",
];

/// What is wrong with a name on a path.
const SEGMENTS: [&str; 22] = [
    "%",
    "%z",
    "%zz",
    "%ff",
    "%00",
    "%c3",
    "%c3%28",
    "%ed%a0%80",
    "%f4%90%80%80",
    "%2",
    "%%32",
    "%u1234",
    "%2F",
    "%2f%2f",
    "%5c",
    "%0d%0aX: 1",
    "a%0ab",
    "%252F",
    "+",
    "a%20%20b",
    "%e2%80%ae",
    "%EF%BB%BF",
];

const PLACES: [&str; 8] = [
    "/engine",
    "/pilot",
    "/weapon",
    "/state",
    "/state/position",
    "/event/garage",
    "/engine/count",
    "/fight/iaurl",
];

/// Values that are no names, squares or counts that a car has to take. None of them is a large number: what takes it
/// for a count would have to make so many modules.
const VALUES: [&str; 22] = [
    "null",
    "false",
    "\"\"",
    "\"abc\"",
    "[]",
    "{}",
    "[1]",
    "{\"a\":1}",
    "1.5",
    "-1",
    "-0",
    "0x10",
    "01",
    "+1",
    ".5",
    "1.",
    "NaN",
    "Infinity",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\u12\"",
    "\"\\x41\"",
];

/// Squares that are none.
const SQUARES: [&str; 12] = [
    "4294967296",
    "9007199254740991",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999999999",
    "1e2",
    "1e400",
    "-1e400",
    "-4294967296",
    "1E-5",
    "123456789.5",
];

const CONTENT_TYPES: [&str; 9] = [
    "application/json",
    "application/json; charset=utf-16",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "application/xml",
    "/",
    "é",
];

/// One of them.
pub(super) fn odd(dice: &mut Dice) -> What {
    let text = |body: String| Some(body.into_bytes());
    let (method, path, body) = match dice.below(10) {
        0 => (dice.one_of(&METHODS), dice.one_of(&PLACES).to_owned(), None),
        1 => {
            let method = if dice.percent(60) { "GET" } else { dice.one_of(&METHODS) };
            (method, dice.one_of(&PATHS).to_owned(), None)
        }
        2 => {
            let method = if dice.percent(70) { "DELETE" } else { dice.one_of(&METHODS) };
            (method, format!("{}/{}", dice.one_of(&PLACES[..3]), segment(dice)), None)
        }
        3 => {
            let path = format!("/{}", noise(dice));
            (dice.one_of(&METHODS), path, text(dice.one_of(&VALUES).to_owned()))
        }
        4 => {
            let method = dice.one_of(&["GET", "DELETE"]);
            let length = dice.one_of(&[300, 2_000, 5_000, 9_000, LONGEST_PATH]);
            (method, format!("/engine/{}", dice.one_of(&["a", "%61", "/", "%zz"]).repeat(length / 2)), None)
        }
        5 => {
            let question = dice.one_of(&["/state", "/engine/count", "/event/wreck", "/event/mine"]);
            let body = broken(dice, "square", "1");
            ("GET", question.to_owned(), Some(body))
        }
        6 => {
            let value = if dice.percent(60) { dice.one_of(&SQUARES) } else { dice.one_of(&VALUES) };
            let (method, path) = dice.one_of(&[("PATCH", "/state"), ("PUT", "/state/position")]);
            (method, path.to_owned(), text(format!("{{\"square\": {value}}}")))
        }
        7 => {
            let (method, path, field) = dice.one_of(&WITH_A_BODY);
            (method, path.to_owned(), text(format!("{{\"{field}\": {}}}", dice.one_of(&VALUES))))
        }
        _ => {
            let (method, path, field) = dice.one_of(&WITH_A_BODY);
            let value = if field == "name" { "\"fuzz\"" } else { "12" };
            (method, path.to_owned(), Some(broken(dice, field, value)))
        }
    };
    let content_type = match dice.below(10) {
        0 => None,
        1 | 2 => Some(dice.one_of(&CONTENT_TYPES).to_owned()),
        _ => body.as_ref().map(|_| "application/json".to_owned()),
    };
    What::Odd { method: method.to_owned(), path, body, content_type }
}

const WITH_A_BODY: [(&str, &str, &str); 7] = [
    ("PATCH", "/state", "square"),
    ("PUT", "/state/position", "square"),
    ("PATCH", "/engine", "count"),
    ("PATCH", "/weapon", "count"),
    ("POST", "/engine", "name"),
    ("POST", "/pilot", "name"),
    ("POST", "/event/garage", "engine"),
];

fn segment(dice: &mut Dice) -> String {
    let mut segment = dice.one_of(&SEGMENTS).to_owned();
    if dice.percent(30) {
        segment = format!("x{segment}{}", dice.one_of(&SEGMENTS));
    }
    // A URL holds no blanks.
    segment.replace(' ', "%20")
}

fn noise(dice: &mut Dice) -> String {
    let length = dice.index(30);
    let visible = |c: &char| {
        !c.is_control() && !matches!(c, ' ' | '#' | '<' | '>' | '"' | '`' | '{' | '}' | '^' | '|' | '\\')
    };
    (0..length).map(|_| any_char(dice)).filter(|c| c.is_ascii() && visible(c)).collect()
}

/// A body that is none: `{"field": value}` is what it would be. What is left of it is never a whole count.
fn broken(dice: &mut Dice, field: &str, value: &str) -> Vec<u8> {
    let whole = format!("{{\"{field}\": {value}}}");
    match dice.below(20) {
        0 => Vec::new(),
        1 => whole.as_bytes()[..1 + dice.index(whole.len() - 1)].to_vec(),
        2 => b"{".repeat(dice.one_of(&DEPTHS)),
        3 => b"[".repeat(dice.one_of(&DEPTHS)),
        4 => {
            let depth = dice.one_of(&DEPTHS);
            format!("{{\"{field}\": {}{}}}", "[".repeat(depth), "]".repeat(depth)).into_bytes()
        }
        5 => format!("{{\"{field}\": null, \"{field}\": null}}").into_bytes(),
        6 => [whole.as_bytes(), b"\xff"].concat(),
        7 => format!("{{\"{field}\": \"\u{1}\"}}").into_bytes(),
        8 => [b"{\"name\": \"\xff\xfe\"}".as_slice(), &[]].concat(),
        9 => [b"{\"name\": \"\xed\xa0\x80\"}".as_slice(), &[]].concat(),
        10 => [b"\xfe\xff".as_slice(), whole.as_bytes()].concat(),
        11 => format!("{field}=abc").into_bytes(),
        12 => format!("{{\"{field}x\": {value}}}").into_bytes(),
        13 => "x".repeat(LARGEST).into_bytes(),
        14 => format!("{{\"{field}\": \"{}\"}}", "x".repeat(LARGEST)).into_bytes(),
        15 => format!("{{'{field}': '{value}'}}").into_bytes(),
        16 => format!("\"{}\"", name(dice).escape_default()).into_bytes(),
        17 => b"<xml/>".to_vec(),
        18 => vec![0; 1 + dice.index(40)],
        _ => (0..dice.index(60)).map(|_| dice.bits().to_le_bytes()[0]).collect(),
    }
}

/// A header that a request may have besides those of the contract.
pub(super) fn header(dice: &mut Dice) -> (String, String) {
    let (name, value) = match dice.below(12) {
        0 => ("Accept", "text/html, */*;q=0".to_owned()),
        1 => ("Accept", "é".to_owned()),
        2 => ("Accept-Encoding", "br, gzip;q=0, x".to_owned()),
        3 => ("X-Big", "x".repeat(dice.one_of(&[100, 1_000, 3_000, 7_000, 15_000]))),
        4 => ("Cookie", "a=b; ; =; \"".to_owned()),
        5 => ("X-Empty", String::new()),
        6 => ("Connection", "close".to_owned()),
        7 => ("Expect", "100-continue".to_owned()),
        8 => ("Expect", "a wonder".to_owned()),
        9 => ("Origin", "null".to_owned()),
        10 => ("X-Forwarded-For", "::1, unknown".to_owned()),
        _ => ("Authorization", "Basic %%%".to_owned()),
    };
    (name.to_owned(), value)
}

/// How an id may begin.
pub(super) fn id_start(dice: &mut Dice) -> String {
    match dice.below(6) {
        0 => "x".repeat(dice.one_of(&[60, 100, 200, 300, 1_000])),
        1 => "'\"; --".to_owned(),
        2 => "../".to_owned(),
        3 => "é\u{a0}".to_owned(),
        4 => "a b\tc".to_owned(),
        _ => "%00%zz{}".to_owned(),
    }
}
