//! Who was written for a released version of the API can go on with this one.
//!
//! `proto/released/gm.v1.binpb` are the descriptors of the last release, with all that they import. The present ones may
//! have more. What was there stays as it was, in bytes and in JSON: by Buf's rules `WIRE_JSON`, and each in its file, as
//! generated code wants it. A field or value that goes leaves its number and its name reserved.
//!
//! ```text
//! proto/released/gm.v1.binpb: for programs; the web client of test-harness/clients goes by it
//! proto/released/gm.v1.txt:   the same for people, a line for each element, so that a review sees what a release changes
//! ```

use prost::Message as _;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    ServiceDescriptorProto,
};
use protox::Compiler;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const PACKAGE: &str = "gm.v1";
const FOLDER: &str = "gm/v1";

/// Set: the present API is recorded as the one that was released.
const RELEASE: &str = "GM_RELEASE_PROTO";

fn proto_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto")
}

fn released_file(ending: &str) -> PathBuf {
    proto_root().join("released").join(format!("{PACKAGE}.{ending}"))
}

/// The present API, with all that it imports: so others can read it without looking for files.
fn present() -> FileDescriptorSet {
    let folder = fs::read_dir(proto_root().join(FOLDER)).expect("proto/gm/v1 is there");
    let names: BTreeSet<String> = folder
        .map(|entry| entry.expect("proto/gm/v1 can be read").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".proto"))
        .map(|name| format!("{FOLDER}/{name}"))
        .collect();
    let mut compiler = Compiler::new([proto_root()]).expect("proto/ is there");
    // Comments are no part of what is kept, and would make it four times as large.
    compiler.include_imports(true).include_source_info(false);
    compiler.open_files(names).expect("the protocol files compile");
    compiler.file_descriptor_set()
}

/// Everything of an API that others rely on.
///
/// ```text
/// field gm.v1.Car.3   name: instance · JSON: instance · type: string · label: single
/// ```
#[derive(Debug, Default)]
struct Surface {
    /// What is said of each element, by its kind and name. Fields are named by their number.
    elements: BTreeMap<String, Vec<(&'static str, String)>>,
    /// The numbers that each message and enum has reserved, from the first to the last.
    reserved_numbers: BTreeMap<String, Vec<(i32, i32)>>,
    /// The names that each message and enum has reserved.
    reserved_names: BTreeMap<String, BTreeSet<String>>,
}

impl Surface {
    /// What a set says in our package.
    fn of(set: &FileDescriptorSet) -> Surface {
        let mut surface = Surface::default();
        for file in set.file.iter().filter(|file| file.package() == PACKAGE) {
            surface.file(file);
        }
        surface
    }

    fn add(&mut self, element: String, facts: Vec<(&'static str, String)>) {
        self.elements.insert(element, facts);
    }

    fn file(&mut self, file: &FileDescriptorProto) {
        let place = vec![("file", file.name().to_owned()), ("syntax", file.syntax().to_owned())];
        for message in &file.message_type {
            self.message(message, PACKAGE, &place);
        }
        for an_enum in &file.enum_type {
            self.an_enum(an_enum, PACKAGE, &place);
        }
        for service in &file.service {
            self.service(service, &place);
        }
    }

    fn message(&mut self, message: &DescriptorProto, within: &str, place: &[(&'static str, String)]) {
        let name = format!("{within}.{}", message.name());
        self.add(format!("message {name}"), place.to_vec());
        for field in &message.field {
            self.add(format!("field {name}.{}", field.number()), facts_of(field, message));
        }
        // The end of a message's range is the first number after it.
        let ranges = message.reserved_range.iter().map(|range| (range.start(), range.end() - 1));
        self.reserved_numbers.insert(name.clone(), ranges.collect());
        self.reserved_names.insert(name.clone(), message.reserved_name.iter().cloned().collect());
        for nested in &message.nested_type {
            self.message(nested, &name, place);
        }
        for nested in &message.enum_type {
            self.an_enum(nested, &name, place);
        }
    }

    fn an_enum(&mut self, an_enum: &EnumDescriptorProto, within: &str, place: &[(&'static str, String)]) {
        let name = format!("{within}.{}", an_enum.name());
        self.add(format!("enum {name}"), place.to_vec());
        for value in &an_enum.value {
            let facts = vec![("name", value.name().to_owned())];
            self.add(format!("value {name}.{}", value.number()), facts);
        }
        // The end of an enum's range belongs to it.
        let ranges = an_enum.reserved_range.iter().map(|range| (range.start(), range.end()));
        self.reserved_numbers.insert(name.clone(), ranges.collect());
        self.reserved_names.insert(name, an_enum.reserved_name.iter().cloned().collect());
    }

    fn service(&mut self, service: &ServiceDescriptorProto, place: &[(&'static str, String)]) {
        let name = format!("{PACKAGE}.{}", service.name());
        self.add(format!("service {name}"), place.to_vec());
        for method in &service.method {
            let message = |name: &str, is_stream: bool| {
                format!("{}{}", if is_stream { "stream " } else { "" }, name.trim_start_matches('.'))
            };
            let facts = vec![
                ("request", message(method.input_type(), method.client_streaming())),
                ("response", message(method.output_type(), method.server_streaming())),
            ];
            self.add(format!("rpc {name}.{}", method.name()), facts);
        }
    }

    /// Whether a field or a value that is gone can't come back as something else.
    fn has_reserved(&self, element: &str, facts: &[(&'static str, String)]) -> bool {
        let Some((owner, number)) = owner_and_number(element) else { return false };
        let named = |(fact, name): &(&'static str, String)| {
            *fact != "name" || self.reserved_names.get(owner).is_some_and(|names| names.contains(name))
        };
        self.covers(owner, (number, number)) && facts.iter().all(named)
    }

    fn covers(&self, owner: &str, (first, last): (i32, i32)) -> bool {
        let mut ranges = self.reserved_numbers.get(owner).cloned().unwrap_or_default();
        ranges.sort_unstable();
        let mut next = Some(first);
        for (start, end) in ranges {
            // Past the largest number nothing is left to cover.
            next = next
                .and_then(|next| if start <= next && next <= end { end.checked_add(1) } else { Some(next) });
        }
        next.is_none_or(|next| next > last)
    }

    /// A line for each element, for people.
    fn listing(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for (element, facts) in &self.elements {
            let facts: Vec<String> = facts.iter().map(|(fact, value)| format!("{fact}: {value}")).collect();
            lines.push(format!("{element}  {}", facts.join(" · ")));
        }
        for (owner, ranges) in &self.reserved_numbers {
            lines.extend(ranges.iter().map(|(first, last)| format!("reserved {owner}  {first} to {last}")));
        }
        for (owner, names) in &self.reserved_names {
            lines.extend(names.iter().map(|name| format!("reserved {owner}  {name}")));
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

/// The message or enum, and the number, of `field gm.v1.Car.3` and `value gm.v1.Spoils.1`.
fn owner_and_number(element: &str) -> Option<(&str, i32)> {
    let path = element.strip_prefix("field ").or_else(|| element.strip_prefix("value "))?;
    let (owner, number) = path.rsplit_once('.')?;
    Some((owner, number.parse().ok()?))
}

fn facts_of(field: &FieldDescriptorProto, message: &DescriptorProto) -> Vec<(&'static str, String)> {
    let of_type = match field.r#type() {
        Type::Message | Type::Enum | Type::Group => field.type_name().trim_start_matches('.').to_owned(),
        plain => plain.as_str_name().trim_start_matches("TYPE_").to_lowercase(),
    };
    let oneof = field.oneof_index.and_then(|index| message.oneof_decl.get(usize::try_from(index).ok()?));
    let label = match (field.label(), oneof) {
        (Label::Repeated, _) => "repeated".to_owned(),
        (Label::Required, _) => "required".to_owned(),
        (Label::Optional, _) if field.proto3_optional() => "optional".to_owned(),
        (Label::Optional, Some(oneof)) => format!("one of {}", oneof.name()),
        (Label::Optional, None) => "single".to_owned(),
    };
    vec![
        ("name", field.name().to_owned()),
        ("JSON", field.json_name().to_owned()),
        ("type", of_type),
        ("label", label),
    ]
}

/// What of the old API is not kept by the new one.
fn breaks(old: &Surface, new: &Surface) -> Vec<String> {
    let mut found = Vec::new();
    for (element, facts) in &old.elements {
        match new.elements.get(element) {
            Some(now) => {
                found.extend(
                    facts.iter().zip(now).filter(|(before, now)| before != now).map(
                        |((fact, before), (_, now))| format!("{element}: {fact}: was {before}, is {now}"),
                    ),
                )
            }
            None if new.has_reserved(element, facts) => {}
            None => {
                let name = facts.iter().find(|(fact, _)| *fact == "name");
                let name = name.map_or(String::new(), |(_, name)| format!(" ({name})"));
                let rescue = if name.is_empty() { "" } else { ", and number and name are not both reserved" };
                found.push(format!("{element}{name}: is gone{rescue}"));
            }
        }
    }
    // Where the whole message is gone, that was said.
    let is_there = |owner: &str| new.reserved_numbers.contains_key(owner);
    for (owner, ranges) in old.reserved_numbers.iter().filter(|(owner, _)| is_there(owner)) {
        for (first, last) in ranges.iter().filter(|range| !new.covers(owner, **range)) {
            found.push(format!("reserved {owner}: {first} to {last} are not reserved any more"));
        }
    }
    for (owner, names) in old.reserved_names.iter().filter(|(owner, _)| is_there(owner)) {
        for name in names.iter().filter(|name| !new.reserved_names[owner].contains(*name)) {
            found.push(format!("reserved {owner}: {name} is not reserved any more"));
        }
    }
    found
}

#[test]
fn nothing_that_was_released_is_broken() {
    let (binary, listing) = (released_file("binpb"), released_file("txt"));
    let again = format!("{RELEASE}=1 cargo test -p test-harness --test released, and commit proto/released");
    let present = present();
    if std::env::var_os(RELEASE).is_some() {
        fs::create_dir_all(proto_root().join("released")).expect("a folder for it");
        fs::write(&binary, present.encode_to_vec()).expect("it is written");
        fs::write(&listing, Surface::of(&present).listing()).expect("it is written");
    }
    let released = fs::read(&binary).map(|bytes| FileDescriptorSet::decode(&*bytes));
    let released = released.expect("what was released is there").expect("it holds descriptors");
    let old = Surface::of(&released);
    assert!(old.elements.len() > 100, "the released file holds nothing: restore it");
    assert_eq!(
        fs::read_to_string(&listing).unwrap_or_default().lines().collect::<Vec<_>>(),
        old.listing().lines().collect::<Vec<_>>(),
        "{} does not say what is in {}: {again}",
        listing.display(),
        binary.display(),
    );
    let found = breaks(&old, &Surface::of(&present));
    assert!(
        found.is_empty(),
        "{} things that were released are broken, and clients with them. Add instead of changing; what must go leaves \
         number and name reserved; what must be otherwise is gm.v2. Only if nobody has the last release: {again}\n{}",
        found.len(),
        found.join("\n"),
    );
}

/// Texts as files.
struct Texts(BTreeMap<&'static str, String>);

impl FileResolver for Texts {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        let text = self.0.get(name).ok_or_else(|| protox::Error::file_not_found(name))?;
        File::from_source(name, text)
    }
}

/// The API of two files.
fn surface_of(race: &str, car: &str) -> Surface {
    let file = |text: &str| format!("syntax = \"proto3\";\npackage {PACKAGE};\n{text}");
    let texts = BTreeMap::from([("race.proto", file(race)), ("car.proto", file(car))]);
    let mut resolver = ChainFileResolver::new();
    resolver.add(Texts(texts));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = Compiler::with_file_resolver(resolver);
    compiler.include_imports(true);
    compiler.open_files(["race.proto", "car.proto"]).expect("the text compiles");
    Surface::of(&compiler.file_descriptor_set())
}

const RACE: &str = "import \"car.proto\";
enum Spoils {
  reserved 7, 10 to 12;
  reserved \"SPOILS_SOLD\";
  SPOILS_UNSPECIFIED = 0;
  SPOILS_DESTROYED = 1;
}
message Race {
  reserved 4, 20 to 29;
  reserved \"laps\";
  string race_id = 1;
  repeated Car cars = 2;
  optional uint32 max_turns = 3;
  oneof start {
    uint64 after = 5;
    bool now = 6;
  }
  Spoils spoils = 7;
  map<uint32, Car> by_place = 8;
}
message StepRequest {}
message StepResponse {}
message OtherResponse {}
message WatchRequest {}
message WatchResponse {}
service RaceService {
  rpc Step(StepRequest) returns (StepResponse);
  rpc Watch(WatchRequest) returns (stream WatchResponse);
}
";

const CAR: &str = "message Car {
  uint32 car_id = 1;
  message Wheel {
    uint32 size = 1;
  }
}
message Unused {}
";

/// Checks what a change of the two files breaks: as many things as there are texts, each with its text in it.
#[track_caller]
fn check(change: (&str, &str), breaks_what: &[&str]) {
    let (from, to) = change;
    assert!(RACE.contains(from) || CAR.contains(from), "{from:?} is in neither file");
    let new = surface_of(&RACE.replacen(from, to, 1), &CAR.replacen(from, to, 1));
    let found = breaks(&surface_of(RACE, CAR), &new);
    assert_eq!(found.len(), breaks_what.len(), "{from:?} → {to:?}: {found:#?}");
    for text in breaks_what {
        assert!(
            found.iter().any(|found| found.contains(text)),
            "{from:?} → {to:?}: no {text:?} in {found:#?}"
        );
    }
}

#[test]
fn what_breaks_others_is_found() {
    const ID: &str = "string race_id = 1;";
    const STEP: &str = "rpc Step(StepRequest) returns (StepResponse);";
    for (from, to, breaks_what) in [
        // Fields.
        (ID, "", &["field gm.v1.Race.1 (race_id): is gone"][..]),
        (ID, "reserved 1;", &["field gm.v1.Race.1 (race_id): is gone"]),
        (ID, "reserved \"race_id\";", &["field gm.v1.Race.1 (race_id): is gone"]),
        (ID, "string race_id = 9;", &["field gm.v1.Race.1 (race_id): is gone"]),
        (ID, "string id = 1;", &["name: was race_id, is id", "JSON: was raceId, is id"]),
        (ID, "string race_id = 1 [json_name = \"race\"];", &["JSON: was raceId, is race"]),
        (ID, "bytes race_id = 1;", &["type: was string, is bytes"]),
        (ID, "optional string race_id = 1;", &["label: was single, is optional"]),
        (ID, "repeated string race_id = 1;", &["label: was single, is repeated"]),
        ("optional uint32 max_turns", "uint32 max_turns", &["label: was optional, is single"]),
        ("uint32 max_turns", "int32 max_turns", &["type: was uint32, is int32"]),
        ("repeated Car cars", "Car cars", &["label: was repeated, is single"]),
        ("repeated Car cars", "repeated Unused cars", &["type: was gm.v1.Car, is gm.v1.Unused"]),
        ("Spoils spoils", "uint32 spoils", &["type: was gm.v1.Spoils, is uint32"]),
        ("map<uint32, Car>", "map<uint64, Car>", &["field gm.v1.Race.ByPlaceEntry.1: type: was uint32"]),
        // Oneofs.
        (
            "oneof start",
            "oneof begin",
            &["Race.5: label: was one of start", "Race.6: label: was one of start"],
        ),
        ("bool now = 6;\n  }", "} bool now = 6;", &["Race.6: label: was one of start, is single"]),
        (ID, "oneof id { string race_id = 1; }", &["label: was single, is one of id"]),
        // Messages.
        ("message Unused {}", "", &["message gm.v1.Unused: is gone"]),
        ("message Unused", "message Used", &["message gm.v1.Unused: is gone"]),
        (
            "message Wheel",
            "message Tyre",
            &["message gm.v1.Car.Wheel: is gone", "field gm.v1.Car.Wheel.1 (size): is gone"],
        ),
        // Enums.
        ("SPOILS_DESTROYED = 1;", "", &["value gm.v1.Spoils.1 (SPOILS_DESTROYED): is gone"]),
        ("SPOILS_DESTROYED = 1;", "reserved 1;", &["value gm.v1.Spoils.1 (SPOILS_DESTROYED): is gone"]),
        (
            "SPOILS_DESTROYED = 1;",
            "SPOILS_DESTROYED = 2;",
            &["value gm.v1.Spoils.1 (SPOILS_DESTROYED): is gone"],
        ),
        ("SPOILS_DESTROYED = 1;", "SPOILS_GONE = 1;", &["name: was SPOILS_DESTROYED, is SPOILS_GONE"]),
        // What is reserved.
        ("reserved 4, 20 to 29;", "reserved 20 to 29;", &["gm.v1.Race: 4 to 4 are not reserved"]),
        ("reserved 4, 20 to 29;", "reserved 4, 21 to 29;", &["gm.v1.Race: 20 to 29 are not reserved"]),
        ("reserved 4, 20 to 29;", "reserved 4, 20 to 24, 26 to 29;", &["20 to 29 are not reserved"]),
        ("reserved 7, 10 to 12;", "reserved 7, 10 to 11;", &["gm.v1.Spoils: 10 to 12 are not reserved"]),
        ("reserved \"laps\";", "", &["gm.v1.Race: laps is not reserved"]),
        ("reserved \"SPOILS_SOLD\";", "", &["gm.v1.Spoils: SPOILS_SOLD is not reserved"]),
        // Services.
        (STEP, "", &["rpc gm.v1.RaceService.Step: is gone"]),
        ("rpc Step", "rpc Go", &["rpc gm.v1.RaceService.Step: is gone"]),
        ("(StepRequest)", "(Car)", &["request: was gm.v1.StepRequest, is gm.v1.Car"]),
        ("(StepRequest)", "(stream StepRequest)", &["is stream gm.v1.StepRequest"]),
        ("(StepResponse)", "(OtherResponse)", &["response: was gm.v1.StepResponse"]),
        ("(stream WatchResponse)", "(WatchResponse)", &["response: was stream gm.v1.WatchResponse"]),
        (
            "service RaceService",
            "service GameService",
            &[
                "service gm.v1.RaceService: is gone",
                "RaceService.Step: is gone",
                "RaceService.Watch: is gone",
            ],
        ),
    ] {
        check((from, to), breaks_what);
    }
}

#[test]
fn what_breaks_nobody_is_not_found() {
    for change in [
        ("string race_id = 1;", "string race_id = 1; string title = 9;"),
        ("string race_id = 1;", "// The id.\n  string race_id = 1;"),
        ("string race_id = 1;", "string race_id = 1 [deprecated = true];"),
        ("string race_id = 1;", "reserved 1; reserved \"race_id\";"),
        ("string race_id = 1;\n  repeated Car cars = 2;", "repeated Car cars = 2;\n  string race_id = 1;"),
        ("oneof start {", "oneof start { string when = 9;"),
        ("oneof start {", "oneof end { string why = 9; } oneof start {"),
        ("reserved 4, 20 to 29;", "reserved 4, 15 to 24, 25 to 40;"),
        ("reserved 4, 20 to 29;", "reserved 4, 20 to max;"),
        ("reserved 7, 10 to 12;", "reserved 7 to 12;"),
        ("SPOILS_DESTROYED = 1;", "SPOILS_DESTROYED = 1; SPOILS_KEPT = 2;"),
        ("SPOILS_DESTROYED = 1;", "reserved 1; reserved \"SPOILS_DESTROYED\";"),
        ("message Unused {}", "message Unused {} message New {} enum Newer { NEWER_UNSPECIFIED = 0; }"),
        ("rpc Step(", "rpc New(Race) returns (OtherResponse);\n  rpc Step("),
        ("message StepRequest {}", "message StepRequest { uint32 turn = 1; }"),
        ("service RaceService", "service NewService {}\nservice RaceService"),
    ] {
        check(change, &[]);
    }
}

#[test]
fn an_element_that_moves_to_another_file_is_found() {
    let old = surface_of(RACE, CAR);
    let moved = "message Unused {}\n";
    let new = surface_of(&format!("{RACE}{moved}"), &CAR.replace(moved, ""));
    assert_eq!(breaks(&old, &new), ["message gm.v1.Unused: file: was car.proto, is race.proto"]);
}
