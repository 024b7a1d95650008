//! A client that knows the API only by its descriptors, as `grpcurl` does: requests and answers are JSON.

use bytes::Buf as _;
use futures_util::StreamExt as _;
use gm_grpc::api::wire::descriptors;
use http::uri::PathAndQuery;
use prost::Message as _;
use prost_reflect::{DynamicMessage, MessageDescriptor, MethodDescriptor, SerializeOptions};
use serde_json::Value;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::MetadataValue;
use tonic::transport::Channel;
use tonic::{Request, Status};

/// The most messages of a stream that are read.
const MOST_MESSAGES: usize = 1_000;

/// A method by the name of its service and its own: `AdminService.GetRace`.
pub(crate) fn method(name: &str) -> MethodDescriptor {
    let (service, method) = name.split_once('.').expect("a service and a method");
    let service = descriptors().get_service_by_name(&format!("gm.v1.{service}")).expect("a service");
    service.methods().find(|it| it.name() == method).expect("a method of the service")
}

/// Calls a method. Gives its answers: one, or those of a stream up to its end or to where it has caught up.
///
/// A stream of requests is sent one of each element, if `request` is a list.
pub(crate) async fn call(
    channel: &Channel,
    name: &str,
    token: Option<&str>,
    request: &Value,
) -> Result<Vec<Value>, Status> {
    let method = method(name);
    let path = PathAndQuery::try_from(path(&method)).expect("a path");
    let messages: Vec<DynamicMessage> = match request {
        Value::Array(requests) => requests.iter().map(|it| message(&method.input(), it)).collect(),
        request => vec![message(&method.input(), request)],
    };
    let mut request = Request::new(futures_util::stream::iter(messages));
    if let Some(token) = token {
        let token = MetadataValue::try_from(format!("Bearer {token}")).expect("a token that can be sent");
        request.metadata_mut().insert("authorization", token);
    }
    let mut client = Grpc::new(channel.clone());
    client.ready().await.expect("the server is there");
    let codec = Dynamic { answer: method.output() };
    let mut answers = client.streaming(request, path, codec).await?.into_inner();
    let mut read = Vec::new();
    while let Some(answer) = answers.next().await {
        let answer = json(&answer?);
        let is_caught_up = answer.get("caught_up").is_some();
        read.push(answer);
        if is_caught_up || read.len() >= MOST_MESSAGES {
            break;
        }
    }
    Ok(read)
}

/// The bytes that a caller is sent, as they come: of the messages up to the end or to where a stream has caught up, and
/// of an error all that it says.
pub(crate) async fn bytes(channel: &Channel, name: &str, token: Option<&str>, request: &Value) -> Vec<u8> {
    let method = method(name);
    let path = PathAndQuery::try_from(path(&method)).expect("a path");
    let mut request = Request::new(futures_util::stream::iter([message(&method.input(), request)]));
    if let Some(token) = token {
        let token = MetadataValue::try_from(format!("Bearer {token}")).expect("a token that can be sent");
        request.metadata_mut().insert("authorization", token);
    }
    let mut client = Grpc::new(channel.clone());
    client.ready().await.expect("the server is there");
    let mut all = Vec::new();
    let answers = client.streaming(request, path, Raw { answer: method.output() }).await;
    let ended = async {
        let mut answers = answers?.into_inner();
        while let Some((bytes, is_caught_up)) = answers.next().await.transpose()? {
            all.extend(bytes);
            if is_caught_up {
                break;
            }
        }
        Ok::<(), Status>(())
    };
    if let Err(status) = ended.await {
        all.extend(status.message().as_bytes());
        all.extend(status.details());
    }
    all
}

/// The request as a message of gRPC: its flags, its length, and it.
pub(crate) fn frame(name: &str, request: &Value) -> Vec<u8> {
    let message = message(&method(name).input(), request).encode_to_vec();
    let length = u32::try_from(message.len()).expect("a short message");
    [&[0], &length.to_be_bytes()[..], &message].concat()
}

/// Whether a stream of gRPC-Web has said so far that it has caught up.
pub(crate) fn has_caught_up(name: &str, mut told: &[u8]) -> bool {
    while let Some((head, rest)) = told.split_first_chunk::<5>() {
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let Some((frame, after)) = rest.split_at_checked(length) else { return false };
        // The trailers come last, and are no message.
        let message = DynamicMessage::decode(method(name).output(), frame);
        if head[0] == 0 && message.is_ok_and(|message| json(&message).get("caught_up").is_some()) {
            return true;
        }
        told = after;
    }
    false
}

/// The path of a method.
pub(crate) fn path(method: &MethodDescriptor) -> String {
    format!("/{}/{}", method.parent_service().full_name(), method.name())
}

/// Answers as bytes, and whether each says that its stream has caught up.
struct Raw {
    answer: MessageDescriptor,
}

impl Codec for Raw {
    type Encode = DynamicMessage;
    type Decode = (Vec<u8>, bool);
    type Encoder = Dynamic;
    type Decoder = Raw;

    fn encoder(&mut self) -> Dynamic {
        Dynamic { answer: self.answer.clone() }
    }

    fn decoder(&mut self) -> Raw {
        Raw { answer: self.answer.clone() }
    }
}

impl Decoder for Raw {
    type Item = (Vec<u8>, bool);
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<(Vec<u8>, bool)>, Status> {
        let bytes = from.copy_to_bytes(from.remaining()).to_vec();
        let message = DynamicMessage::decode(self.answer.clone(), &*bytes);
        let message = message.map_err(|error| Status::internal(error.to_string()))?;
        let is_caught_up = json(&message).get("caught_up").is_some();
        Ok(Some((bytes, is_caught_up)))
    }
}

fn message(descriptor: &MessageDescriptor, json: &Value) -> DynamicMessage {
    DynamicMessage::deserialize(descriptor.clone(), json).expect("a message of this kind")
}

fn json(message: &DynamicMessage) -> Value {
    let options = SerializeOptions::new()
        .use_proto_field_name(true)
        .stringify_64_bit_integers(false)
        .skip_default_fields(false);
    message.serialize_with_options(serde_json::value::Serializer, &options).expect("JSON")
}

/// Messages that are known only by their descriptors.
struct Dynamic {
    answer: MessageDescriptor,
}

impl Codec for Dynamic {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = Dynamic;
    type Decoder = Dynamic;

    fn encoder(&mut self) -> Dynamic {
        Dynamic { answer: self.answer.clone() }
    }

    fn decoder(&mut self) -> Dynamic {
        Dynamic { answer: self.answer.clone() }
    }
}

impl Encoder for Dynamic {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, item: DynamicMessage, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        item.encode(to).map_err(|error| Status::internal(error.to_string()))
    }
}

impl Decoder for Dynamic {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let message = DynamicMessage::decode(self.answer.clone(), from);
        message.map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}
