//! `GET /openapi.json`: all that is offered over HTTP, as a document of OpenAPI 3.1.
//!
//! ```text
//! operations ──▶ paths, parameters, answers      protocol files ──▶ components.schemas, with their comments
//! ```

use super::operation::{For, Operation, Parameter, Place, Shape};
use super::{Web, problem};
use crate::api::json::schemas;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{
    ComponentsBuilder, Content, InfoBuilder, OpenApiBuilder, PathItem, PathsBuilder, Ref, Required,
    ResponseBuilder,
};

const TITLE: &str = "The game master of the race";
const ABOUT: &str = "What the game master offers over HTTP: section G of the contract. The numbers in it (R-2.3, G-1) \
                     are those of the rules and of the contract. The same is offered over gRPC on the same port.\n\n\
                     Whoever has a secret or a token shows it as `Authorization: Bearer …`, or as `X-EACC-SECRET`; one \
                     that nobody has is refused everywhere. Every error is a `Problem`.";
/// The names of the two ways to show a secret.
const BEARER: &str = "bearer";
const SECRET: &str = "secret";

/// The operation that gives the document.
pub(super) fn operation() -> Operation {
    Operation::get("/openapi.json", give)
        .named("getOpenApi", "This document", "All that is offered over HTTP, for programs.")
        .answers("The document, of OpenAPI 3.1.")
        .plain("application/json")
}

async fn give(State(web): State<Web>) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, json)], web.document.clone()).into_response()
}

/// The document of these operations.
pub(super) fn document(operations: &[Operation]) -> Value {
    let mut paths = PathsBuilder::new();
    for operation in operations {
        let method = if operation.method == "POST" { HttpMethod::Post } else { HttpMethod::Get };
        paths = paths.path(operation.path, PathItem::new(method, described(operation)));
    }
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A team's secret for the API, or a token of an observer or an admin."))
        .build();
    let secret = ApiKeyValue::with_description("X-EACC-SECRET", "The same, in the header of CONTRACT G.");
    let components = ComponentsBuilder::new()
        .security_scheme(BEARER, SecurityScheme::Http(bearer))
        .security_scheme(SECRET, SecurityScheme::ApiKey(ApiKey::Header(secret)))
        .build();
    let info =
        InfoBuilder::new().title(TITLE).version(env!("CARGO_PKG_VERSION")).description(Some(ABOUT)).build();
    let document = OpenApiBuilder::new().info(info).paths(paths.build()).components(Some(components)).build();
    let mut document = serde_json::to_value(document).expect("a document is JSON");
    document["components"]["schemas"] = all_schemas(operations);
    document
}

/// The schemas of the messages are written by their descriptors, and are no types of the library.
fn all_schemas(operations: &[Operation]) -> Value {
    let messages = operations.iter().flat_map(|operation| &operation.messages).copied();
    let mut all = schemas(messages);
    all.insert("Problem".to_owned(), problem::schema());
    for (name, schema) in operations.iter().flat_map(|operation| &operation.schemas) {
        all.insert((*name).to_owned(), schema.clone());
    }
    all.into_iter().collect()
}

fn described(operation: &Operation) -> OperationBuilder {
    let mut described = OperationBuilder::new()
        .operation_id(Some(operation.id))
        .summary(Some(operation.summary))
        .description(Some(operation.about))
        .tag(match operation.who {
            For::Teams => "teams",
            For::Watchers => "spectators",
            For::Everybody | For::Admins => "the server",
        });
    for parameter in &operation.parameters {
        described = described.parameter(as_parameter(parameter));
    }
    if let Some(body) = operation.body {
        let content = Content::new(Some(Ref::from_schema_name(body)));
        let body = RequestBodyBuilder::new()
            .description(Some("JSON, at most 65536 bytes. Fields that are not known are refused."))
            .required(Some(Required::True))
            .content("application/json", content)
            .build();
        described = described.request_body(Some(body));
    }
    for scheme in [BEARER, SECRET] {
        if operation.who != For::Everybody {
            described = described.security(SecurityRequirement::new(scheme, [""; 0]));
        }
    }
    if operation.who == For::Watchers {
        // An empty one says that nothing needs to be shown.
        described = described.security(SecurityRequirement::default());
    }
    let mut good = ResponseBuilder::new().description(operation.answer);
    for form in &operation.good {
        let content = match form.schema {
            Some(schema) => Content::new(Some(Ref::from_schema_name(schema))),
            None => Content::new(None::<Ref>),
        };
        good = good.content(form.media_type, content);
    }
    described = described.response("200", good.build());
    for (status, meaning) in errors(operation) {
        let content = Content::new(Some(Ref::from_schema_name("Problem")));
        let response =
            ResponseBuilder::new().description(meaning).content("application/problem+json", content);
        described = described.response(status.to_string(), response.build());
    }
    described
}

fn as_parameter(parameter: &Parameter) -> ParameterBuilder {
    let (place, required) = match parameter.place {
        Place::Path => (ParameterIn::Path, Required::True),
        Place::Query => (ParameterIn::Query, Required::False),
        Place::Header => (ParameterIn::Header, Required::False),
    };
    let schema = ObjectBuilder::new();
    let schema = match parameter.shape {
        Shape::Text => schema.schema_type(Type::String),
        Shape::Whole => schema.schema_type(Type::Integer).minimum(Some(0)),
        Shape::YesOrNo => schema.schema_type(Type::Boolean),
        Shape::Word(words) => schema.schema_type(Type::String).enum_values(Some(words.iter().copied())),
    };
    ParameterBuilder::new()
        .name(parameter.name)
        .parameter_in(place)
        .required(required)
        .description(Some(parameter.about))
        .schema(Some(schema))
}

/// The errors of an operation: its own, and those that follow from what it needs.
fn errors(operation: &Operation) -> BTreeMap<u16, String> {
    let mut errors: BTreeMap<u16, String> = BTreeMap::new();
    let mut add = |status: u16, meaning: &str| {
        let words = errors.entry(status).or_default();
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(meaning);
    };
    for (status, meaning) in &operation.errors {
        add(*status, meaning);
    }
    if operation.path.starts_with("/v1/") {
        add(400, "A parameter, a header or a field is wrong; `fields` names each.");
    }
    if operation.body.is_some() {
        add(400, "The body is not JSON.");
        add(408, "The body did not come within 30 s.");
        add(413, "The body is larger than 65536 bytes.");
        add(415, "The body does not say that it is `application/json`.");
    }
    add(
        401,
        match operation.who {
            For::Everybody => "A secret or token was shown that nobody has.",
            For::Watchers => "The race is private and nothing was shown, or what was shown is nobody's.",
            For::Teams | For::Admins => "Nothing was shown, or a secret that nobody has.",
        },
    );
    match operation.who {
        For::Everybody => {}
        For::Watchers => add(403, "The race is private, and what was shown is for another race."),
        For::Teams => add(403, "A token was shown that is not a team's."),
        For::Admins => add(403, "A token was shown that is not an admin's."),
    }
    if operation.path.starts_with("/v1/") {
        add(500, "Something is wrong with the game master: its log says what.");
    }
    errors
}
