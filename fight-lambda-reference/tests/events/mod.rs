//! The events that the Lambda is given by whatever stands before it, whole as AWS documents them, and the answers that
//! are expected there.
//!
//! The files hold the question of `A_HIT`; [`Kind::event`] makes another one of it, as that service would: with the query
//! decoded or as it was sent, in one string or by parameter, and with names of headers in its own case.

use gm_core::contract::duel::SEEN_HEADER;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

/// What stands before the Lambda.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A REST API of API Gateway: the payload's format 1.0.
    Rest,
    /// An HTTP API of API Gateway: the payload's format 2.0.
    Http,
    /// A Function URL: format 2.0, too.
    FunctionUrl,
    /// A load balancer.
    Alb,
    /// A load balancer whose target group has multi-value headers.
    AlbMultiValue,
}

impl Kind {
    pub(crate) const ALL: [Kind; 5] =
        [Kind::Rest, Kind::Http, Kind::FunctionUrl, Kind::Alb, Kind::AlbMultiValue];

    /// The event as it is in its file.
    pub(crate) fn whole(self) -> Value {
        let file = match self {
            Kind::Rest => include_str!("rest.json"),
            Kind::Http => include_str!("http.json"),
            Kind::FunctionUrl => include_str!("function_url.json"),
            Kind::Alb => include_str!("alb.json"),
            Kind::AlbMultiValue => include_str!("alb_multi_value.json"),
        };
        serde_json::from_str(file).expect("JSON")
    }

    /// The event of a request with this method, this query as it is sent, and this header `X-EACC-DUEL`, if any.
    pub(crate) fn event(self, method: &str, query: &str, seen: Option<&str>) -> Value {
        let mut event = self.whole();
        let sent = parameters(query);
        let decoded: Vec<_> = sent.iter().map(|(name, value)| (decode(name), decode(value))).collect();
        match self {
            Kind::Rest => {
                event["httpMethod"] = json!(method);
                event["requestContext"]["httpMethod"] = json!(method);
                event["queryStringParameters"] = or_null(last(&decoded));
                event["multiValueQueryStringParameters"] = or_null(lists(&decoded));
            }
            Kind::Http | Kind::FunctionUrl => {
                event["requestContext"]["http"]["method"] = json!(method);
                event["rawQueryString"] = json!(query);
                event["queryStringParameters"] = with_commas(&decoded);
            }
            Kind::Alb => {
                event["httpMethod"] = json!(method);
                event["queryStringParameters"] = last(&sent);
            }
            Kind::AlbMultiValue => {
                event["httpMethod"] = json!(method);
                event["multiValueQueryStringParameters"] = lists(&sent);
            }
        }
        self.put_header(&mut event, seen);
        event
    }

    fn put_header(self, event: &mut Value, seen: Option<&str>) {
        // API Gateway's REST APIs keep the case that is sent; all others make it lower.
        let name = if self == Kind::Rest { SEEN_HEADER.to_owned() } else { SEEN_HEADER.to_lowercase() };
        for headers in ["headers", "multiValueHeaders"] {
            if let Some(headers) = event.get_mut(headers).and_then(Value::as_object_mut) {
                let is_list = headers.values().any(Value::is_array);
                headers.remove(&name);
                if let Some(seen) = seen {
                    headers.insert(name.clone(), if is_list { json!([seen]) } else { json!(seen) });
                }
            }
        }
    }

    /// The answer that is expected, in this service's own format.
    pub(crate) fn answer(self, status: u16, headers: &[(&str, &str)], body: &str) -> Value {
        let headers: Vec<_> = headers.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        let (one, more) = (last(&headers), lists(&headers));
        let mut answer = json!({ "statusCode": status, "body": body, "isBase64Encoded": false });
        let (headers, multi_value) = match self {
            // Both would be sent.
            Kind::Rest => (json!({}), more),
            Kind::Http | Kind::FunctionUrl => {
                answer["cookies"] = json!([]);
                (one, json!({}))
            }
            // It reads one of the two.
            Kind::Alb | Kind::AlbMultiValue => {
                let reason = http::StatusCode::from_u16(status).expect("a status").canonical_reason();
                answer["statusDescription"] = json!(format!("{status} {}", reason.expect("a known one")));
                (one, more)
            }
        };
        answer["headers"] = headers;
        answer["multiValueHeaders"] = multi_value;
        answer
    }
}

/// Names and values in order, as they are sent.
fn parameters(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn decode(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8().expect("UTF-8").into_owned()
}

/// `{"name": "its last value"}`
fn last(pairs: &[(String, String)]) -> Value {
    Value::Object(pairs.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
}

/// `{"name": ["each", "value"]}`
fn lists(pairs: &[(String, String)]) -> Value {
    let mut lists = Map::new();
    for (name, value) in pairs {
        let list = lists.entry(name.clone()).or_insert_with(|| json!([]));
        list.as_array_mut().expect("a list").push(json!(value));
    }
    Value::Object(lists)
}

/// `{"name": "each,value"}`
fn with_commas(pairs: &[(String, String)]) -> Value {
    let mut joined: Map<String, Value> = Map::new();
    for (name, value) in pairs {
        let before = joined.get(name).and_then(Value::as_str).map(|before| format!("{before},"));
        joined.insert(name.clone(), json!(format!("{}{value}", before.unwrap_or_default())));
    }
    Value::Object(joined)
}

/// API Gateway's REST APIs have no empty objects here.
fn or_null(object: Value) -> Value {
    if object.as_object().is_some_and(Map::is_empty) { Value::Null } else { object }
}
