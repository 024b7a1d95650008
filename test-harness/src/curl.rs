//! A request as a line of `curl`, to be repeated by hand.
//!
//! ```
//! use test_harness::{client::Ask, curl::curl};
//! let ask = Ask::new("GET", "/state").header("X-EACC-SECRET", "s3cret");
//! assert_eq!(curl(&ask, "http://car"), r#"curl -sS -i --path-as-is -g -H "X-EACC-SECRET: $CONFORM_SECRET" 'http://car/state'"#);
//! ```
//!
//! The secret is never written: it comes from the variable `CONFORM_SECRET`, as that of `conform` itself may.

use crate::client::{Ask, SECRET};
use http::header::CONTENT_TYPE;

/// The variable that holds the secret of the team's cars.
pub const SECRET_VARIABLE: &str = "CONFORM_SECRET";

/// The line for a shell that repeats a request at a place.
#[must_use]
pub fn curl(ask: &Ask, place: &str) -> String {
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
    use serde_json::json;

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
}
