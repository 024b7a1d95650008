//! A request as a line of `curl`, to be repeated by hand.
//!
//! ```
//! use test_harness::{client::Ask, curl::curl};
//! let ask = Ask::new("GET", "/state").header("X-EACC-SECRET", "s3cret");
//! assert_eq!(curl(&ask, "http://car"), r#"curl -sS -i --path-as-is -g -H "X-EACC-SECRET: $CONFORM_SECRET" 'http://car/state'"#);
//! ```
//!
//! The secret is never written: it comes from the variable `CONFORM_SECRET`, as that of `conform` itself may.

use crate::client::{Ask, Exchange, REQUEST_ID, SECRET};
use http::header::CONTENT_TYPE;

/// The variable that holds the secret of the team's cars.
pub const SECRET_VARIABLE: &str = "CONFORM_SECRET";

/// What a shell puts behind an id so that it was never sent before. One that has no nanoseconds has `RANDOM`.
const FRESH: &str = "$(date +%s%N)$RANDOM";

/// The lines for a shell that repeat these exchanges, in order: each with an id that was not sent before (C-20), or a car
/// that remembers ids would say again what it said. Those that had one id among them have one again.
#[must_use]
pub fn again(exchanges: &[&Exchange]) -> Vec<String> {
    let ids: Vec<Option<&str>> =
        exchanges.iter().map(|exchange| exchange.ask.header_value(REQUEST_ID)).collect();
    let repeat = |(at, exchange): (usize, &&Exchange)| {
        let first = ids.iter().position(|id| *id == ids[at]).unwrap_or(at);
        let is_shared = ids[at].is_some() && ids.iter().filter(|id| **id == ids[at]).count() > 1;
        if !is_shared {
            return line(&exchange.ask, &exchange.place, Some(FRESH));
        }
        let begins = if at == first { format!("fresh{first}={FRESH}; ") } else { String::new() };
        begins + &line(&exchange.ask, &exchange.place, Some(&format!("$fresh{first}")))
    };
    exchanges.iter().enumerate().map(repeat).collect()
}

/// The line for a shell that repeats a request at a place, with the same id.
#[must_use]
pub fn curl(ask: &Ask, place: &str) -> String {
    line(ask, place, None)
}

/// The line, with this behind the request's id.
fn line(ask: &Ask, place: &str, fresh: Option<&str>) -> String {
    // Paths are sent as they are, and brackets are not taken for patterns.
    let mut line = "curl -sS -i --path-as-is -g".to_owned();
    match ask.method.as_str() {
        // Told to be HEAD by `-X`, it would wait for a body.
        "HEAD" => line.push_str(" -I"),
        "GET" if ask.body.is_none() => {}
        method => line.push_str(&format!(" -X {}", quoted(method))),
    }
    if ask.body.is_some() && ask.header_value(CONTENT_TYPE.as_str()).is_none() {
        // Else it says that the body is a form.
        line.push_str(" -H 'content-type:'");
    }
    for (name, value) in &ask.headers {
        if name.eq_ignore_ascii_case(SECRET) {
            line.push_str(&format!(" -H \"{SECRET}: ${SECRET_VARIABLE}\""));
        } else if let (Some(fresh), true) = (fresh, name.eq_ignore_ascii_case(REQUEST_ID)) {
            line.push_str(&format!(" -H {}\"{fresh}\"", quoted(&format!("{name}: {value}-"))));
        } else if value.is_empty() {
            line.push_str(&format!(" -H {}", quoted(&format!("{name};"))));
        } else {
            line.push_str(&format!(" -H {}", quoted(&format!("{name}: {value}"))));
        }
    }
    let url = quoted(&format!("{place}{}", ask.path));
    match ask.body.as_deref().map(|body| (body, std::str::from_utf8(body))) {
        None => format!("{line} {url}"),
        Some((_, Ok(text))) if !text.contains('\0') => format!("{line} --data-raw {} {url}", quoted(text)),
        // A shell's word holds neither NUL nor what is not UTF-8.
        Some((body, _)) => {
            let octal: String = body.iter().map(|byte| format!("\\{byte:03o}")).collect();
            format!("printf '{octal}' | {line} --data-binary @- {url}")
        }
    }
}

/// A word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Mask;
    use gm_core::contract::Fault;
    use serde_json::json;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    #[test]
    fn lines_for_a_shell() {
        for (ask, expected) in [
            (Ask::new("GET", "/a?cards=[1,2]"), "curl -sS -i --path-as-is -g 'http://car/a?cards=[1,2]'"),
            (
                Ask::new("POST", "/engine").json(&json!({"name": "l'as"})),
                r#"curl -sS -i --path-as-is -g -X 'POST' -H 'content-type: application/json' --data-raw '{"name":"l'\''as"}' 'http://car/engine'"#,
            ),
            (
                Ask::new("DELETE", "/engine/..")
                    .header("x-eacc-secret", "s3cret")
                    .header("X-EACC-REQUEST-ID", "7"),
                r#"curl -sS -i --path-as-is -g -X 'DELETE' -H "X-EACC-SECRET: $CONFORM_SECRET" -H 'X-EACC-REQUEST-ID: 7' 'http://car/engine/..'"#,
            ),
            (Ask::new("HEAD", "/state"), "curl -sS -i --path-as-is -g -I 'http://car/state'"),
            (
                Ask { body: Some(b"{}".to_vec()), ..Ask::new("GET", "/state").header("X-Empty", "") },
                "curl -sS -i --path-as-is -g -X 'GET' -H 'content-type:' -H 'X-Empty;' --data-raw '{}' 'http://car/state'",
            ),
            (
                Ask::new("PATCH", "/state").body([0xff, 0, b'a']),
                r"printf '\377\000\141' | curl -sS -i --path-as-is -g -X 'PATCH' -H 'content-type: application/json' --data-binary @- 'http://car/state'",
            ),
        ] {
            assert_eq!(curl(&ask, "http://car"), expected);
        }
    }

    /// What is sent again has an id of its own each time, and two that had the same have the same; all else is as it was.
    #[test]
    fn c_20_lines_with_fresh_ids() {
        let exchange = |ask: Ask, id: &str| Exchange {
            place: "http://car".to_owned(),
            ask: ask.header(SECRET, "s3cret").header(REQUEST_ID, id),
            got: Err(Fault::Late),
            took: Duration::ZERO,
            at: Duration::ZERO,
            connection: 1,
            because: None,
            mask: Mask::of("s3cret"),
        };
        let post = exchange(Ask::new("POST", "/engine").json(&json!({"name": "l'as"})), "7");
        let odd = exchange(Ask::new("PATCH", "/state").body([0xff, b'a']), "a$(b)'\"`c`");
        let look = exchange(Ask::new("GET", "/engine/count"), "8");
        let lines = again(&[&post, &odd, &post, &look]);
        // Instead of curl, what it is given is told.
        let script = format!("curl() {{ cat; printf '%s\\n' \"$@\"; }}\n{}", lines.join("\n"));
        let ids = || {
            let mut shell = Command::new("sh");
            let shell =
                shell.arg("-c").arg(&script).env("CONFORM_SECRET", "of the shell").stdin(Stdio::null());
            let told = shell.output().expect("a shell");
            assert!(told.status.success(), "{script}\n{}", String::from_utf8_lossy(&told.stderr));
            let told = String::from_utf8_lossy(&told.stdout).into_owned();
            for part in
                ["X-EACC-SECRET: of the shell", "{\"name\":\"l'as\"}", "http://car/engine/count", "\u{fffd}a"]
            {
                assert!(told.lines().any(|line| line.starts_with(part)), "{part} is not in\n{told}");
            }
            let ids =
                told.lines().filter_map(|line| line.strip_prefix("X-EACC-REQUEST-ID: ").map(str::to_owned));
            ids.collect::<Vec<String>>()
        };
        let (first, second) = (ids(), ids());
        for (ids, others) in [(&first, &second), (&second, &first)] {
            let [post, odd, same, look] = &ids[..] else { panic!("{ids:?}") };
            assert!(
                post.starts_with("7-") && odd.starts_with("a$(b)'\"`c`-") && look.starts_with("8-"),
                "{ids:?}"
            );
            assert_eq!(post, same);
            assert!(
                ids.iter().all(|id| id.len() > "a$(b)'\"`c`-".len() && !others.contains(id)),
                "{ids:?} {others:?}"
            );
        }
    }
}
