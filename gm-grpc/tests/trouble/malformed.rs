//! Whatever bytes come: a clear error, nothing stored, and the next one is served.
//!
//! ```text
//! for each RPC ─▶ for each field, however deep ─▶ every value that it can't have ─▶ INVALID_ARGUMENT, the field named
//! ```
//!
//! `GM_BYTES_SEED=17` repeats the random ones.

use super::calls::{BOUND, Bearer, Race, TeamOf, admin, new_id, observer, reason, register, rules, team};
use super::cars::Cars;
use super::served::{Served, settings};
use bytes::{Buf as _, BufMut as _};
use gm_grpc::api::wire::{self, descriptors};
use prost::Message as _;
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor};
use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use std::str::FromStr as _;
use tokio::time::timeout;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::{BinaryMetadataValue, MetadataKey, MetadataMap, MetadataValue};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

/// Messages that are any bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Bytes;
    type Decoder = Bytes;
    fn encoder(&mut self) -> Bytes {
        Bytes
    }
    fn decoder(&mut self) -> Bytes {
        Bytes
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;
    fn encode(&mut self, bytes: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&bytes);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;
    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining()).to_vec()))
    }
}

/// A number as protobuf writes it.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn number(field: u32, value: &[u8]) -> Vec<u8> {
    [varint(u64::from(field) << 3), value.to_vec()].concat()
}

fn text(field: u32, value: &[u8]) -> Vec<u8> {
    [varint(u64::from(field) << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

/// What must become of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Must {
    /// The request is wrong, and this field is named.
    BeNamed,
    /// The rules may know better, but it is no surprise.
    BeClear,
}

/// A field with a value that it can't have.
struct Bad {
    path: String,
    what: &'static str,
    bytes: Vec<u8>,
    must: Must,
    /// The names by which it may be told: its own, or that of the choice that it is of.
    names: Vec<String>,
}

/// Every field of a message with every value that it can't have.
fn all_bad(message: &MessageDescriptor) -> Vec<Bad> {
    let mut all = Vec::new();
    for field in message.fields() {
        for (what, bytes, must) in bad_values(&field) {
            let choice = field.containing_oneof().map(|choice| choice.name().to_owned());
            let names = [field.name().to_owned()].into_iter().chain(choice).collect();
            all.push(Bad { path: field.name().to_owned(), what, bytes, must, names });
        }
        if let Kind::Message(inner) = field.kind() {
            for bad in all_bad(&inner) {
                all.push(Bad {
                    path: format!("{}.{}", field.name(), bad.path),
                    bytes: text(field.number(), &bad.bytes),
                    ..bad
                });
            }
        }
    }
    all
}

fn bad_values(field: &FieldDescriptor) -> Vec<(&'static str, Vec<u8>, Must)> {
    use Must::{BeClear, BeNamed};
    let no = field.number();
    /// A number of eleven bytes: there is none.
    const TOO_LONG: [u8; 11] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    match field.kind() {
        Kind::String => vec![
            ("not UTF-8", text(no, b"\xff\xfe"), BeNamed),
            ("10,000 characters", text(no, &[b'x'; 10_000]), BeClear),
            ("empty", text(no, b""), BeClear),
            ("control characters", text(no, b"a\n\x00\x1b[2J"), BeClear),
            ("a number", number(no, &[1]), BeNamed),
        ],
        Kind::Bytes => vec![("a number", number(no, &[1]), BeNamed)],
        Kind::Message(_) => vec![
            ("cut off", [varint(u64::from(no) << 3 | 2), vec![100, 1, 2]].concat(), BeNamed),
            ("a number", number(no, &[1]), BeNamed),
            ("empty", text(no, b""), BeClear),
        ],
        Kind::Enum(_) => vec![
            ("999", number(no, &varint(999)), BeNamed),
            ("-1", number(no, &varint(u64::MAX)), BeNamed),
            ("11 bytes", number(no, &TOO_LONG), BeNamed),
        ],
        _ => vec![
            ("2^32 - 1", number(no, &varint(u32::MAX.into())), BeClear),
            // Of which a field of 32 bits takes those of 2^32 - 1, as protobuf has it.
            ("2^63 + 2^32 - 1", number(no, &varint(1 << 63 | u64::from(u32::MAX))), BeClear),
            ("-1", number(no, &varint(u64::MAX)), BeClear),
            ("11 bytes", number(no, &TOO_LONG), BeNamed),
            // In a list of numbers, bytes are numbers.
            ("a text", text(no, b"no number\xff"), BeNamed),
        ],
    }
}

/// All RPCs of the API.
fn methods() -> Vec<MethodDescriptor> {
    let services = descriptors().services().filter(|service| service.package_name() == "gm.v1");
    services.flat_map(|service| service.methods().collect::<Vec<_>>()).collect()
}

/// Whether an RPC changes nothing, so that it may be answered whatever its request says.
fn only_reads(method: &MethodDescriptor) -> bool {
    ["Get", "List", "Watch", "Replay", "Export"].iter().any(|verb| method.name().starts_with(verb))
}

/// A server with a race in which there is something to be lost.
struct Stage {
    served: Served,
    channel: Channel,
    race: Race,
    red: TeamOf,
    _cars: Cars,
    _data: tempfile::TempDir,
}

impl Stage {
    async fn set() -> Stage {
        let data = tempfile::tempdir().expect("a directory");
        let (served, cars) = (Served::start(settings(data.path())).await, Cars::start().await);
        let channel = served.channel().await;
        let mut admin = admin(channel.clone(), &served.admin);
        let race = Race::create(&mut admin, rules()).await;
        let red = race.team(&mut admin, "Red").await;
        register(&mut team(channel.clone(), &red.secret), &cars, "red-1").await;
        Stage { served, channel, race, red, _cars: cars, _data: data }
    }

    /// Who may call an RPC.
    fn token(&self, method: &MethodDescriptor) -> Option<&str> {
        match method.parent_service().name() {
            "AdminService" => Some(&self.served.admin),
            "TeamService" => Some(&self.red.secret),
            _ => None,
        }
    }

    /// The id of a new request, and the race, in whatever message has them.
    fn base(&self, method: &MethodDescriptor) -> Vec<u8> {
        let input = method.input();
        let of = |name: &str, value: &str| {
            let field = input.get_field_by_name(name);
            field.map(|field| text(field.number(), value.as_bytes())).unwrap_or_default()
        };
        [of("request_id", &new_id()), of("race_id", &self.race.id)].concat()
    }

    /// Calls an RPC with any bytes; the first answer, or the error.
    async fn call(
        &self,
        method: &MethodDescriptor,
        bytes: Vec<u8>,
        more: &MetadataMap,
    ) -> Result<(), Status> {
        let service = method.parent_service().full_name().to_owned();
        let path =
            http::uri::PathAndQuery::from_str(&format!("/{service}/{}", method.name())).expect("a path");
        let wire = tonic::service::interceptor::InterceptedService::new(
            self.channel.clone(),
            Bearer::of(self.token(method)),
        );
        let mut grpc = Grpc::new(wire).max_encoding_message_size(usize::MAX);
        grpc.ready().await.expect("the server is there");
        let mut request = Request::new(bytes);
        *request.metadata_mut() = more.clone();
        let call = async { grpc.server_streaming(request, path, Bytes).await?.into_inner().message().await };
        timeout(BOUND, call).await.expect("an answer in time").map(drop)
    }

    /// All that is stored, as the admin sees it.
    async fn stored(&self) -> Vec<Vec<u8>> {
        let mut admin = admin(self.channel.clone(), &self.served.admin);
        let mut watcher = observer(self.channel.clone(), Some(&self.served.admin));
        let race_id = self.race.id.clone();
        let snapshot = watcher.get_snapshot(wire::GetSnapshotRequest { race_id: race_id.clone() }).await;
        let teams = admin.list_teams(wire::ListTeamsRequest { race_id: race_id.clone() }).await;
        let races = admin.list_races(wire::AdminServiceListRacesRequest::default()).await;
        let tokens = admin.list_tokens(wire::ListTokensRequest::default()).await;
        let complaints = wire::ListComplaintsRequest { race_id, ..wire::ListComplaintsRequest::default() };
        let complaints = admin.list_complaints(complaints).await;
        vec![
            snapshot.expect("a healthy call").into_inner().encode_to_vec(),
            teams.expect("a healthy call").into_inner().encode_to_vec(),
            races.expect("a healthy call").into_inner().encode_to_vec(),
            tokens.expect("a healthy call").into_inner().encode_to_vec(),
            complaints.expect("a healthy call").into_inner().encode_to_vec(),
        ]
    }
}

/// What is wrong with an answer to a bad request; none: nothing.
fn fault(method: &MethodDescriptor, answer: &Result<(), Status>, named: Option<&[String]>) -> Option<String> {
    let status = match answer {
        Ok(()) if named.is_none() && only_reads(method) => return None,
        Ok(()) => return Some("was answered".to_owned()),
        Err(status) => status,
    };
    let fields = status.get_details_bad_request().map(|bad| bad.field_violations).unwrap_or_default();
    let is_named = |field: &str| fields.iter().any(|wrong| wrong.field.contains(field));
    let is_clear = !matches!(status.code(), Code::Unknown | Code::Internal | Code::Ok)
        && !status.message().is_empty()
        && status.get_details_error_info().is_some();
    let is_well = match named {
        Some(names) => status.code() == Code::InvalidArgument && names.iter().any(|name| is_named(name)),
        None => is_clear,
    };
    (!is_well).then(|| format!("{:?} {:?}, {fields:?}", status.code(), status.message()))
}

#[track_caller]
fn assert_none(faults: &[String]) {
    let shown: Vec<&str> = faults.iter().take(40).map(|fault| &**fault).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), shown.join("\n"));
}

#[tokio::test]
async fn every_field_of_every_rpc_with_every_value_that_it_can_not_have() {
    let stage = Stage::set().await;
    let before = stage.stored().await;
    let (mut faults, mut tried) = (Vec::new(), 0);
    for method in methods() {
        for bad in all_bad(&method.input()) {
            let bytes = [stage.base(&method), bad.bytes].concat();
            let answer = stage.call(&method, bytes, &MetadataMap::new()).await;
            tried += 1;
            let named = (bad.must == Must::BeNamed).then_some(&*bad.names);
            let fault = fault(&method, &answer, named);
            faults.extend(fault.map(|it| format!("{} {} {}: {it}", method.full_name(), bad.path, bad.what)));
        }
    }
    assert!(tried > 500, "{tried}");
    assert_none(&faults);
    assert!(stage.stored().await == before, "something was stored");
    stage.served.stop().await;
}

#[tokio::test]
async fn bytes_that_are_no_message_and_messages_that_are_too_large() {
    let seed: u64 = std::env::var("GM_BYTES_SEED")
        .map_or_else(|_| rand::random(), |seed| seed.parse().expect("GM_BYTES_SEED is a number"));
    eprintln!("GM_BYTES_SEED={seed}");
    let mut dice = StdRng::seed_from_u64(seed);
    let stage = Stage::set().await;
    let before = stage.stored().await;
    let mut faults = Vec::new();
    for method in methods() {
        let base = stage.base(&method);
        let mut tries = vec![("10 MB", text(1, &vec![b'x'; 10_000_000]))];
        for _ in 0..10 {
            let mut bytes = vec![0; dice.random_range(1..200)];
            dice.fill_bytes(&mut bytes);
            // No tag begins so: what follows may be anything, but the message is none.
            bytes[0] = 7;
            tries.push(("random bytes", bytes));
        }
        if !base.is_empty() {
            tries.push(("cut off", base[..base.len() - 1].to_vec()));
        }
        for (what, bytes) in tries {
            let answer = stage.call(&method, bytes, &MetadataMap::new()).await;
            let fault = match &answer {
                // The transport looks at the length alone.
                Err(status) if what == "10 MB" => {
                    let is_clear =
                        status.code() == Code::InvalidArgument && reason(status) == "MESSAGE_TOO_LARGE";
                    (!is_clear).then(|| format!("{status:?}"))
                }
                answer => fault(&method, answer, None),
            };
            faults.extend(fault.map(|it| format!("{} {what}: {it}", method.full_name())));
        }
    }
    assert_none(&faults);
    assert!(stage.stored().await == before, "something was stored; GM_BYTES_SEED={seed}");
    stage.served.stop().await;
}

/// Metadata, and the code with which an RPC is refused for it; none: it makes no difference.
fn bad_metadata() -> Vec<(&'static str, MetadataMap, Option<Code>)> {
    let mut cases = Vec::new();
    let mut add = |what, code, fill: &dyn Fn(&mut MetadataMap)| {
        let mut map = MetadataMap::new();
        fill(&mut map);
        cases.push((what, map, code));
    };
    let secret = |value: &'static [u8]| {
        move |map: &mut MetadataMap| {
            let value = MetadataValue::try_from(value).expect("a header can hold it");
            map.append("x-eacc-secret", value);
        }
    };
    add("bad base64", None, &|map| {
        let headers = std::mem::take(map).into_headers();
        let mut headers = headers;
        headers.insert("x-trace-bin", http::HeaderValue::from_static("!!not base64!!"));
        *map = MetadataMap::from_headers(headers);
    });
    add("binary", None, &|map| {
        map.insert_bin("x-trace-bin", BinaryMetadataValue::from_bytes(&[0, 255, 254]));
    });
    add("1,000 headers", None, &|map| {
        for number in 0..1_000 {
            let key = MetadataKey::from_bytes(format!("x-{number}").as_bytes()).expect("a name");
            map.insert(key, MetadataValue::from_static("x"));
        }
    });
    add("not ASCII", Some(Code::Unauthenticated), &secret("s\u{e9}cret".as_bytes()));
    add("nobody's secret", Some(Code::Unauthenticated), &secret(b"nobody-has-this"));
    add("authorization twice", Some(Code::Unauthenticated), &|map| {
        map.append("authorization", MetadataValue::from_static("Bearer one-token"));
        map.append("authorization", MetadataValue::from_static("Bearer two-tokens"));
    });
    add("no scheme", Some(Code::Unauthenticated), &|map| {
        map.insert("authorization", MetadataValue::from_static("one-token"));
    });
    add("a token of 10,000 characters", Some(Code::Unauthenticated), &|map| {
        let token = format!("Bearer {}", "x".repeat(10_000));
        map.insert("authorization", token.parse().expect("visible ASCII"));
    });
    cases
}

#[tokio::test]
async fn metadata_that_is_none() {
    let stage = Stage::set().await;
    let before = stage.stored().await;
    let mut faults = Vec::new();
    // Of the services that need nobody, so that it is the metadata that is refused.
    for method in methods().into_iter().filter(|method| method.parent_service().name() == "ObserverService") {
        for (what, metadata, expected) in bad_metadata() {
            let answer = stage.call(&method, stage.base(&method), &metadata).await;
            let code = answer.as_ref().err().map(Status::code);
            let is_well = match expected {
                Some(expected) => code == Some(expected) && fault(&method, &answer, None).is_none(),
                None => answer.is_ok() || code == Some(Code::InvalidArgument),
            };
            if !is_well {
                faults.push(format!("{} {what}: {answer:?}", method.full_name()));
            }
        }
    }
    assert_none(&faults);
    // More than a head may hold is refused below gRPC, which has no code for it.
    let mut huge = MetadataMap::new();
    huge.insert("x-huge", "x".repeat(300_000).parse().expect("visible ASCII"));
    let method = methods().into_iter().find(|it| it.name() == "GetSnapshot").expect("it is one");
    assert!(stage.call(&method, stage.base(&method), &huge).await.is_err());
    assert!(stage.stored().await == before, "something was stored");
    stage.served.stop().await;
}
