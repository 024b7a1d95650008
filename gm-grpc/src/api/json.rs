//! Messages as JSON, and what that JSON looks like.
//!
//! The JSON is protobuf's own, with the names of the protocol files, 64-bit numbers as numbers, and fields that have
//! their default value shown. Fields that are absent are left out.
//!
//! ```
//! use gm_grpc::api::{json, wire};
//! let moved = wire::CarMoved { car_id: 3, squares: 0, to_square: 12 };
//! assert_eq!(json::to_json(&moved).to_string(), r#"{"car_id":3,"squares":0,"to_square":12}"#);
//! let schema = json::schema("gm.v1.CarMoved").unwrap();
//! let squares = &schema["components"]["schemas"]["CarMoved"]["properties"]["squares"];
//! assert_eq!((squares["type"].as_str(), squares["description"].as_str()), (Some("integer"), Some("By how many squares.")));
//! ```

use super::wire;
use prost::{Message, Name};
use prost_reflect::{
    Cardinality, DynamicMessage, EnumDescriptor, FieldDescriptor, FileDescriptor, Kind, MessageDescriptor,
    SerializeOptions,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Where schemas refer to each other, as OpenAPI 3.1 has it.
const SCHEMAS: &str = "#/components/schemas/";

/// A message as JSON.
#[must_use]
pub fn to_json<M: Message + Name>(message: &M) -> Value {
    let descriptor = wire::descriptors()
        .get_message_by_name(&M::full_name())
        .expect("each message was generated from its descriptor");
    let options = SerializeOptions::new()
        .use_proto_field_name(true)
        .stringify_64_bit_integers(false)
        .skip_default_fields(false);
    DynamicMessage::decode(descriptor, message.encode_to_vec().as_slice())
        .ok()
        .and_then(|message| message.serialize_with_options(serde_json::value::Serializer, &options).ok())
        .expect("a message that was encoded by its descriptor is decoded by it, and has a form in JSON")
}

/// The JSON Schema of a message by its full name, `gm.v1.Race`, with those of all messages that it can hold; none if
/// there is no such message. It is laid out as in an OpenAPI 3.1 document: `components.schemas`, by short name.
#[must_use]
pub fn schema(full_name: &str) -> Option<Value> {
    let message = wire::descriptors().get_message_by_name(full_name)?;
    let reference = format!("{SCHEMAS}{}", message.name());
    Some(json!({ "$ref": reference, "components": { "schemas": schemas([full_name]) } }))
}

/// The JSON Schemas of these messages and of all messages and enums that they can hold, by short name. A name that no
/// message has is passed over.
#[must_use]
pub fn schemas<'a>(full_names: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, Value> {
    let mut schemas = BTreeMap::new();
    let mut open: Vec<MessageDescriptor> =
        full_names.into_iter().filter_map(|name| wire::descriptors().get_message_by_name(name)).collect();
    while let Some(message) = open.pop() {
        if schemas.contains_key(message.name()) || well_known(&message).is_some() {
            continue;
        }
        schemas.insert(message.name().to_owned(), of_message(&message));
        for field in message.fields() {
            match field.kind() {
                Kind::Message(held) => open.push(held),
                Kind::Enum(held) => {
                    schemas.insert(held.name().to_owned(), of_enum(&held));
                }
                Kind::Double
                | Kind::Float
                | Kind::Int32
                | Kind::Int64
                | Kind::Uint32
                | Kind::Uint64
                | Kind::Sint32
                | Kind::Sint64
                | Kind::Fixed32
                | Kind::Fixed64
                | Kind::Sfixed32
                | Kind::Sfixed64
                | Kind::Bool
                | Kind::String
                | Kind::Bytes => {}
            }
        }
    }
    schemas
}

fn of_message(message: &MessageDescriptor) -> Value {
    let mut properties = Map::new();
    let mut always = Vec::new();
    for field in message.fields() {
        properties.insert(field.name().to_owned(), of_field(&field));
        if !field.supports_presence() {
            always.push(field.name().to_owned());
        }
    }
    let mut schema = json!({
        "type": "object",
        "description": comment(&message.parent_file(), message.path()),
        "properties": properties,
    });
    if !always.is_empty() {
        schema["required"] = json!(always);
    }
    schema
}

fn of_field(field: &FieldDescriptor) -> Value {
    let held = of_kind(&field.kind());
    let mut schema = match field.cardinality() {
        Cardinality::Repeated => json!({ "type": "array", "items": held }),
        Cardinality::Optional | Cardinality::Required => held,
    };
    schema["description"] = json!(comment(&field.parent_message().parent_file(), field.path()));
    schema
}

fn of_kind(kind: &Kind) -> Value {
    match kind {
        Kind::Double | Kind::Float => json!({ "type": "number" }),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => json!({ "type": "integer", "format": "int32" }),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => json!({ "type": "integer", "format": "int64" }),
        Kind::Uint32 | Kind::Fixed32 => {
            json!({ "type": "integer", "format": "uint32", "minimum": 0, "maximum": u32::MAX })
        }
        Kind::Uint64 | Kind::Fixed64 => json!({ "type": "integer", "format": "uint64", "minimum": 0 }),
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::String => json!({ "type": "string" }),
        Kind::Bytes => json!({ "type": "string", "contentEncoding": "base64" }),
        Kind::Message(message) => {
            well_known(message).unwrap_or_else(|| json!({ "$ref": format!("{SCHEMAS}{}", message.name()) }))
        }
        Kind::Enum(held) => json!({ "$ref": format!("{SCHEMAS}{}", held.name()) }),
    }
}

fn of_enum(held: &EnumDescriptor) -> Value {
    let file = held.parent_file();
    let names: Vec<String> = held.values().map(|value| value.name().to_owned()).collect();
    let told: Vec<String> = held
        .values()
        .map(|value| format!("- `{}`: {}", value.name(), comment(&file, value.path())))
        .collect();
    let description = format!("{}\n\n{}", comment(&file, held.path()), told.join("\n"));
    json!({ "type": "string", "enum": names, "description": description })
}

/// The messages of protobuf's own that have a form of their own in JSON.
fn well_known(message: &MessageDescriptor) -> Option<Value> {
    match message.full_name() {
        "google.protobuf.Timestamp" => Some(json!({ "type": "string", "format": "date-time" })),
        "google.protobuf.Duration" => Some(json!({ "type": "string", "pattern": r"^-?\d+(\.\d+)?s$" })),
        _ => None,
    }
}

/// The comment before something in a protocol file.
fn comment(file: &FileDescriptor, path: &[i32]) -> String {
    let file = file.file_descriptor_proto();
    let mut locations = file.source_code_info.iter().flat_map(|info| &info.location);
    let comment = locations.find(|location| location.path == path).map(|found| found.leading_comments());
    let lines = comment.unwrap_or_default().lines().map(str::trim);
    // A line that ends is not the end of a sentence; an empty one is the end of a paragraph.
    let text = lines.map(|line| if line.is_empty() { "\n\n" } else { line }).collect::<Vec<_>>().join(" ");
    text.replace(" \n\n ", "\n\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::convert::event::event;
    use crate::journal::stored::read_event;
    use gm_core::ids::TurnNo;
    use gm_core::race::view::Seen;
    use std::collections::BTreeSet;

    const EVENTS: &str = include_str!("../../tests/fixtures/stored-v1/events.jsonl");

    #[test]
    fn messages_as_json() {
        let race = wire::Race {
            race_id: "gm-1".to_owned(),
            status: wire::RaceStatus::Running.into(),
            created_at: Some(prost_types::Timestamp { seconds: 1, nanos: 500_000_000 }),
            ..Default::default()
        };
        let expected = json!({
            "race_id": "gm-1",
            "title": "",
            "status": "RACE_STATUS_RUNNING",
            "turn": 0,
            "rules_revision": 0,
            "created_at": "1970-01-01T00:00:01.500Z",
            "private": false,
            "ending": "RACE_ENDING_UNSPECIFIED",
            "origin": "RACE_ORIGIN_UNSPECIFIED",
        });
        assert_eq!(to_json(&race), expected, "what is absent is left out, and what is 0 is not");
        let budget = wire::TeamBudget { team_id: 1, budget: u64::MAX };
        assert_eq!(to_json(&budget), json!({ "team_id": 1, "budget": u64::MAX }));
        let corrected = wire::TeamCorrected { points: i64::MIN, ..Default::default() };
        assert_eq!(to_json(&corrected)["points"], json!(i64::MIN));
        let present = wire::TeamCreated { budget: Some(0), ..Default::default() };
        assert_eq!(to_json(&present)["budget"], json!(0), "present, and 0");
        let piece = wire::ExportRaceResponse { chunk: vec![0, 255] };
        assert_eq!(to_json(&piece), json!({ "chunk": "AP8=" }));
        let caught_up = wire::watch_race_response::Message::CaughtUp(0);
        let response = wire::WatchRaceResponse { message: Some(caught_up) };
        assert_eq!(to_json(&response), json!({ "caught_up": 0 }), "what is set of a oneof is there");
    }

    /// What a value has that its schema does not allow.
    fn misfits(value: &Value, schema: &Value, all: &Value, path: &str) -> Vec<String> {
        let wrong = |what: &str| vec![format!("{path}: {what}: {value}")];
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.strip_prefix(SCHEMAS).unwrap_or_default();
            return match all.get(name) {
                Some(schema) => misfits(value, schema, all, path),
                None => wrong("its schema is not there"),
            };
        }
        match (schema["type"].as_str(), value) {
            (Some("object"), Value::Object(fields)) => {
                let required = schema["required"].as_array().into_iter().flatten();
                let missing = required.filter_map(Value::as_str).filter(|name| !fields.contains_key(*name));
                let mut found: Vec<String> = missing.map(|name| format!("{path}: no {name}")).collect();
                for (name, field) in fields {
                    match schema["properties"].get(name) {
                        Some(schema) => found.extend(misfits(field, schema, all, &format!("{path}.{name}"))),
                        None => found.extend(wrong(name)),
                    }
                }
                found
            }
            (Some("array"), Value::Array(items)) => {
                items.iter().flat_map(|item| misfits(item, &schema["items"], all, path)).collect()
            }
            (Some("string"), Value::String(_)) => match schema["enum"].as_array() {
                Some(names) if !names.contains(value) => wrong("none of its values"),
                _ => Vec::new(),
            },
            (Some("integer"), Value::Number(_)) | (Some("boolean"), Value::Bool(_)) => Vec::new(),
            _ => wrong("another type"),
        }
    }

    /// The schema is that of what is sent: every event fits it.
    #[test]
    fn every_event_fits_its_schema() {
        let schema = schema("gm.v1.RaceEvent").expect("a message");
        let all = &schema["components"]["schemas"];
        for line in EVENTS.lines() {
            let happened = read_event(1, line).expect("an event of the fixture");
            let json = to_json(&event(1, TurnNo(1), &Seen::Whole(happened)));
            assert_eq!(misfits(&json, &schema, all, "event"), [""; 0], "{line}");
        }
        let wrong = json!({ "sequence": "1", "turn": 1, "kind": "MOVE", "wheel": 1 });
        assert_eq!(misfits(&wrong, &schema, all, "event").len(), 3, "what does not fit is found");
        assert_eq!(misfits(&json!({}), &schema, all, "event").len(), 3, "what is missing is found");
    }

    /// Every message can be described; whatever is referred to is there, under a name that only it has; and everything
    /// is explained.
    #[test]
    fn every_message_has_a_schema() {
        let messages: Vec<MessageDescriptor> = wire::descriptors()
            .all_messages()
            .filter(|message| message.package_name() == "gm.v1" && !message.is_map_entry())
            .collect();
        let names: Vec<&str> = messages.iter().map(MessageDescriptor::full_name).collect();
        let schemas = schemas(names.iter().copied());
        let short: BTreeSet<&str> = messages.iter().map(MessageDescriptor::name).collect();
        assert_eq!(short.len(), messages.len(), "no two messages share a short name");
        for (name, schema) in &schemas {
            let text = schema.to_string();
            for reference in text.split(SCHEMAS).skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(schemas.contains_key(reference), "{name} refers to {reference}");
            }
            assert!(!text.contains(r#""description":"""#), "{name}: {text}");
        }
        assert!(short.iter().all(|name| schemas.contains_key(*name)));
        assert_eq!(schema("gm.v1.NoSuch"), None);
    }

    #[test]
    fn a_schema_says_what_the_protocol_file_says() {
        let schemas = schemas(["gm.v1.Race"]);
        let race = &schemas["Race"];
        assert_eq!(race["properties"]["created_at"]["format"], "date-time");
        assert_eq!(race["properties"]["status"]["$ref"], "#/components/schemas/RaceStatus");
        let required = race["required"].as_array().expect("a list");
        assert!(
            required.contains(&json!("turn")) && !required.contains(&json!("next_turn_at")),
            "{required:?}"
        );
        let paused = "- `RACE_STATUS_PAUSED`: No turn runs; paused time does not count (R-10.2).";
        let description = schemas["RaceStatus"]["description"].as_str().unwrap_or_default();
        assert!(description.starts_with("Where a race is in its life (R-10.1).\n\n"), "{description}");
        assert!(description.contains(paused), "{description}");
        assert_eq!(schemas["Rules"]["properties"]["bonuses"]["items"]["$ref"], "#/components/schemas/Bonus");
    }
}
