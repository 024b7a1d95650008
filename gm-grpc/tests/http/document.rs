//! `/openapi.json`: what it says is there is there, what it refers to is in it, and real answers are as it says.

use crate::client::Ask;
use crate::served::{CANARY_HOST, RED, Served, ai, car};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What does not fit a schema.
fn misfits(value: &Value, schema: &Value, document: &Value, path: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let referred = document.pointer(reference.trim_start_matches('#'));
        return match referred {
            Some(schema) => misfits(value, schema, document, path),
            None => vec![format!("{path}: {reference} is not there")],
        };
    }
    let kind = match value {
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::Bool(_) => "boolean",
        Value::Null => "null",
    };
    if schema["type"] != kind {
        return vec![format!("{path}: {kind} instead of {}", schema["type"])];
    }
    let mut found = Vec::new();
    match value {
        Value::Object(members) => {
            for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !members.contains_key(name) {
                    found.push(format!("{path}: no {name}"));
                }
            }
            for (name, value) in members {
                let path = format!("{path}.{name}");
                match schema["properties"].get(name) {
                    Some(schema) => found.extend(misfits(value, schema, document, &path)),
                    None => found.push(format!("{path}: not described")),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                found.extend(misfits(item, &schema["items"], document, path));
            }
        }
        value => {
            if schema["enum"].as_array().is_some_and(|all| !all.contains(value)) {
                found.push(format!("{path}: {value} is none of its values"));
            }
        }
    }
    found
}

/// All references in a document.
fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn the_document_is_true() {
    let served = Served::start().await;
    let document = served.ask(Ask::get("/openapi.json")).await.good();
    assert_eq!(document["openapi"], "3.1.0");
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(found.len() > 30, "{found:?}");
    for reference in found {
        assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
    let paths = document["paths"].as_object().expect("paths");
    let expected = [
        "/",
        "/healthz",
        "/metrics",
        "/openapi.json",
        "/v1/cars",
        "/v1/complaints",
        "/v1/races",
        "/v1/races/{race}",
        "/v1/races/{race}/events",
        "/v1/races/{race}/standings",
        "/v1/team",
        "/v1/team/log",
        "/v1/test-duel",
        "/v1/transfers",
    ];
    assert_eq!(paths.keys().map(String::as_str).collect::<BTreeSet<_>>(), BTreeSet::from(expected));
    let mut ids = BTreeSet::new();
    for (path, item) in paths {
        for (method, operation) in item.as_object().expect("operations") {
            assert!(ids.insert(operation["operationId"].to_string()), "{path}: its id is another's");
            for member in ["operationId", "summary", "description"] {
                assert!(
                    operation[member].as_str().is_some_and(|said| !said.is_empty()),
                    "{path}: no {member}"
                );
            }
            let responses = operation["responses"].as_object().expect("responses");
            for (status, response) in responses {
                let described = response["description"].as_str().is_some_and(|said| said.ends_with('.'));
                assert!(described, "{path}: {status} is not explained");
                assert_eq!(
                    response["content"].get("application/problem+json").is_some(),
                    status != "200",
                    "{path}: {status}"
                );
            }
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert!(parameter["description"].is_string() && parameter["schema"].is_object(), "{path}");
            }
            // What it answers to nobody, without a body, is described; and it is neither 404 nor 405.
            let asked = path.replace("{race}", &served.race);
            let answer = Ask::new(&method.to_uppercase(), &asked).open(served.at).await;
            let status = answer.status.as_str();
            assert!(!["404", "405"].contains(&status), "{method} {path}: {status}");
            assert!(responses.contains_key(status), "{method} {path}: {status} is not described");
        }
    }
}

#[tokio::test]
async fn answers_are_as_the_document_says() {
    let served = Served::start().await;
    let document = served.ask(Ask::get("/openapi.json")).await.good();
    let check = |path: &str, method: &str, media_type: &str, value: &Value| {
        let content = &document["paths"][path][method]["responses"]["200"]["content"][media_type];
        assert_eq!(misfits(value, &content["schema"], &document, path), [""; 0], "{value}");
    };
    let refused =
        served.ask(Ask::post("/v1/cars", car("another-name", CANARY_HOST)).secret(RED)).await.good();
    check("/v1/cars", "post", "application/json", &refused);
    served.register_all().await;
    served.start_race().await;
    served.step(1).await;
    for (path, method, body) in [
        ("/v1/team", "get", Value::Null),
        ("/v1/races", "get", Value::Null),
        ("/v1/races/{race}", "get", Value::Null),
        ("/v1/races/{race}/standings", "get", Value::Null),
        ("/v1/complaints", "post", json!({ "text": "!" })),
        ("/v1/test-duel", "post", json!({ "url": ai() })),
        ("/v1/transfers", "post", json!({ "module": "engine-1", "from": 1, "to": 2 })),
    ] {
        let asked = path.replace("{race}", &served.race);
        let ask = if method == "get" { Ask::get(&asked) } else { Ask::post(&asked, body.to_string()) };
        let answer = served.ask(ask.secret(RED)).await.good();
        check(path, method, "application/json", &answer);
    }
    for path in ["/v1/team/log", "/v1/races/{race}/events"] {
        let ask = Ask::get(&path.replace("{race}", &served.race)).secret(RED).accept("application/jsonl");
        let lines = served.ask(ask).await.lines();
        assert!(lines.len() > 10);
        for line in &lines {
            check(path, "get", "application/jsonl", line);
        }
    }
    let problem =
        served.ask(Ask::post("/v1/complaints", "{}").secret(RED)).await.problem(400, "INVALID_FIELDS");
    let schema = json!({ "$ref": "#/components/schemas/Problem" });
    assert_eq!(misfits(&problem, &schema, &document, "problem"), [""; 0]);
    assert_eq!(misfits(&json!({}), &schema, &document, "problem").len(), 5, "what is missing is found");
}
