//! `GET /`: what there is, for a person who has an address and curl.
//!
//! ```text
//! curl http://127.0.0.1:7300/
//! ```

use super::Web;
use super::operation::Operation;
use axum::extract::State;
use http::HeaderMap;
use http::header::HOST;
use std::fmt::Write as _;

/// Who asks without a name.
const SOMEWHERE: &str = "127.0.0.1:7300";
/// Where the help has the address that it was asked at.
const ADDRESS: &str = "{address}";

/// The operation.
pub(super) fn operation() -> Operation {
    Operation::get("/", help)
        .named("getHelp", "What there is", "For people.")
        .answers("A page of text.")
        .plain("text/plain")
}

async fn help(State(web): State<Web>, headers: HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or(SOMEWHERE);
    web.help.replace(ADDRESS, host)
}

/// The page for these operations.
pub(super) fn page(operations: &[Operation]) -> String {
    let mut page =
        "The game master of the race, over HTTP and gRPC. SECRET is your team's secret for the API.\n\n"
            .to_owned();
    for (words, command) in [
        ("The races, and one of them as it happens:", "curl http://{address}/v1/races"),
        ("", "curl -N http://{address}/v1/races/RACE/events"),
        ("Your team, and its log:", "curl -H 'x-eacc-secret: SECRET' http://{address}/v1/team"),
        ("", "curl -H 'x-eacc-secret: SECRET' 'http://{address}/v1/team/log?after=0'"),
        (
            "Register a car:",
            "curl -H 'x-eacc-secret: SECRET' --json '{\"instance\": \"i-0abc\", \"url\": \"http://…\"}' \
             http://{address}/v1/cars",
        ),
        (
            "Try your duel AI:",
            "curl -H 'x-eacc-secret: SECRET' --json '{\"url\": \"http://…\"}' http://{address}/v1/test-duel",
        ),
    ] {
        if !words.is_empty() {
            page.push_str(words);
            page.push('\n');
        }
        // Writing to a text never fails.
        let _ = writeln!(page, "    {command}");
    }
    page.push_str("\nAll that there is:\n");
    for operation in operations {
        let _ = writeln!(page, "    {:<4} {:<28} {}", operation.method, operation.path, operation.summary);
    }
    page.push_str("\n/openapi.json says it for programs. Errors are application/problem+json: `detail` says what to do.\n");
    page
}
