//! The protocol files of `proto/` compile, keep to the names of Buf's STANDARD lint, and say what everything means.
//!
//! Checked from the descriptors: packages and folders, names of services, enums and fields, a request and a response
//! of its own for each RPC, and a comment on each message, field, enum, value, service and RPC.

use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const PACKAGE: &str = "gm.v1";
const FOLDER: &str = "gm/v1";

// The numbers by which a descriptor's source info names its parts (google/protobuf/descriptor.proto).
const FILE_MESSAGES: i32 = 4;
const FILE_ENUMS: i32 = 5;
const FILE_SERVICES: i32 = 6;
const MESSAGE_FIELDS: i32 = 2;
const MESSAGE_MESSAGES: i32 = 3;
const MESSAGE_ENUMS: i32 = 4;
const MESSAGE_ONEOFS: i32 = 8;
const ENUM_VALUES: i32 = 2;
const SERVICE_METHODS: i32 = 2;

fn proto_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto")
}

/// The protocol files, as they are imported.
fn proto_files() -> BTreeSet<String> {
    let folder = fs::read_dir(proto_root().join(FOLDER)).expect("proto/gm/v1 is there");
    folder
        .map(|entry| entry.expect("proto/gm/v1 can be read").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".proto"))
        .map(|name| format!("{FOLDER}/{name}"))
        .collect()
}

/// Compiles all protocol files, without what they import from elsewhere.
fn compiled() -> FileDescriptorSet {
    let mut compiler = protox::Compiler::new([proto_root()]).expect("proto/ is there");
    compiler.include_source_info(true);
    compiler.open_files(proto_files()).expect("the protocol files compile");
    compiler.file_descriptor_set()
}

/// Compiles one file that is given as text.
fn compiled_text(text: &str) -> FileDescriptorProto {
    let parsed = protox::file::File::from_source("gm/v1/it.proto", text).expect("the text compiles");
    parsed.file_descriptor_proto().clone()
}

/// What is wrong with a file.
fn offences(file: &FileDescriptorProto) -> Vec<String> {
    let mut lint = Lint { file, comments: BTreeSet::new(), found: Vec::new() };
    for location in file.source_code_info.iter().flat_map(|info| &info.location) {
        if !location.leading_comments().trim().is_empty() {
            lint.comments.insert(location.path.clone());
        }
    }
    lint.check();
    lint.found
}

struct Lint<'a> {
    file: &'a FileDescriptorProto,
    /// The paths of everything that has a comment before it.
    comments: BTreeSet<Vec<i32>>,
    found: Vec<String>,
}

impl Lint<'_> {
    fn offend(&mut self, name: &str, text: &str) {
        self.found.push(format!("{}: {name}: {text}", self.file.name()));
    }

    fn wants_comment(&mut self, name: &str, path: &[i32]) {
        if !self.comments.contains(path) {
            self.offend(name, "has no comment");
        }
    }

    fn check(&mut self) {
        let file = self.file;
        if file.package() != PACKAGE || !file.name().starts_with(&format!("{FOLDER}/")) {
            self.offend(file.package(), "the package is not that of the folder");
        }
        for (message, no) in file.message_type.iter().zip(0..) {
            self.message(message, &[FILE_MESSAGES, no]);
        }
        for (an_enum, no) in file.enum_type.iter().zip(0..) {
            self.an_enum(an_enum, &[FILE_ENUMS, no]);
        }
        for (service, no) in file.service.iter().zip(0..) {
            let path = [FILE_SERVICES, no];
            self.wants_comment(service.name(), &path);
            if !is_camel(service.name()) || !service.name().ends_with("Service") {
                self.offend(service.name(), "a service is named …Service");
            }
            for (method, no) in service.method.iter().zip(0..) {
                let name = format!("{}.{}", service.name(), method.name());
                self.wants_comment(&name, &[&path[..], &[SERVICE_METHODS, no]].concat());
                if !is_camel(method.name()) {
                    self.offend(&name, "an RPC is named LikeThis");
                }
                for (given, end) in [(method.input_type(), "Request"), (method.output_type(), "Response")] {
                    let plain = format!(".{PACKAGE}.{}{end}", method.name());
                    let prefixed = format!(".{PACKAGE}.{}{}{end}", service.name(), method.name());
                    if given != plain && given != prefixed {
                        self.offend(&name, &format!("{given} is not its own {end}"));
                    }
                }
            }
        }
    }

    fn message(&mut self, message: &DescriptorProto, path: &[i32]) {
        self.wants_comment(message.name(), path);
        if !is_camel(message.name()) {
            self.offend(message.name(), "a message is named LikeThis");
        }
        for (field, no) in message.field.iter().zip(0..) {
            let name = format!("{}.{}", message.name(), field.name());
            self.wants_comment(&name, &[path, &[MESSAGE_FIELDS, no]].concat());
            if !is_snake(field.name()) {
                self.offend(&name, "a field is named like_this");
            }
        }
        for (oneof, no) in message.oneof_decl.iter().zip(0..) {
            let name = format!("{}.{}", message.name(), oneof.name());
            // The compiler makes one for each `optional` field.
            if oneof.name().starts_with('_') {
                continue;
            }
            self.wants_comment(&name, &[path, &[MESSAGE_ONEOFS, no]].concat());
            if !is_snake(oneof.name()) {
                self.offend(&name, "a oneof is named like_this");
            }
        }
        for (nested, no) in message.nested_type.iter().zip(0..) {
            self.message(nested, &[path, &[MESSAGE_MESSAGES, no]].concat());
        }
        for (nested, no) in message.enum_type.iter().zip(0..) {
            self.an_enum(nested, &[path, &[MESSAGE_ENUMS, no]].concat());
        }
    }

    fn an_enum(&mut self, an_enum: &EnumDescriptorProto, path: &[i32]) {
        self.wants_comment(an_enum.name(), path);
        if !is_camel(an_enum.name()) {
            self.offend(an_enum.name(), "an enum is named LikeThis");
        }
        let prefix = format!("{}_", upper_snake(an_enum.name()));
        for (value, no) in an_enum.value.iter().zip(0..) {
            self.wants_comment(value.name(), &[path, &[ENUM_VALUES, no]].concat());
            if !value.name().starts_with(&prefix) || value.name() != value.name().to_uppercase() {
                self.offend(value.name(), &format!("a value of {} is named {prefix}…", an_enum.name()));
            }
            if (value.number() == 0) != (value.name() == format!("{prefix}UNSPECIFIED")) {
                self.offend(value.name(), &format!("zero, and only zero, is {prefix}UNSPECIFIED"));
            }
        }
    }
}

/// Whether a name is written `LikeThis`.
fn is_camel(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Whether a name is written `like_this`.
fn is_snake(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('_')
        && !name.contains("__")
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// `LikeThis` as `LIKE_THIS`.
fn upper_snake(camel: &str) -> String {
    let mut snake = String::new();
    for (at, c) in camel.char_indices() {
        if at > 0 && c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_uppercase());
    }
    snake
}

#[test]
fn the_protocol_files_keep_to_the_lint() {
    let set = compiled();
    let names: BTreeSet<String> = set.file.iter().map(|file| file.name().to_owned()).collect();
    assert!(names.is_superset(&proto_files()), "{names:?}");
    let own = set.file.iter().filter(|file| file.package() == PACKAGE);
    let found: Vec<String> = own.flat_map(offences).collect();
    assert!(found.is_empty(), "{} offences:\n{}", found.len(), found.join("\n"));
}

#[test]
fn no_two_rpcs_share_a_request_or_a_response() {
    let set = compiled();
    let mut users: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for service in set.file.iter().flat_map(|file| &file.service) {
        for method in &service.method {
            for used in [method.input_type(), method.output_type()] {
                users.entry(used).or_default().push(format!("{}.{}", service.name(), method.name()));
            }
        }
    }
    users.retain(|_, users| users.len() > 1);
    assert_eq!(users, BTreeMap::new());
}

#[test]
fn every_service_is_there() {
    let set = compiled();
    let services: BTreeMap<&str, usize> = set
        .file
        .iter()
        .flat_map(|file| &file.service)
        .map(|service| (service.name(), service.method.len()))
        .collect();
    assert_eq!(services, BTreeMap::from([("AdminService", 32), ("ObserverService", 6), ("TeamService", 6)]));
}

#[test]
fn the_lint_finds_what_is_wrong() {
    const GOOD: &str = "// A.
message Turn {
  // A.
  optional uint32 turn_no = 1;
  // A.
  oneof what {
    // A.
    bool it = 2;
  }
}
// A.
enum CarStatus {
  // A.
  CAR_STATUS_UNSPECIFIED = 0;
  // A.
  CAR_STATUS_RACING = 1;
}
// A.
message StepRequest {}
// A.
message StepResponse {}
// A.
service RaceService {
  // A.
  rpc Step(StepRequest) returns (StepResponse);
}
";
    let lint = |body: &str, package: &str| {
        let file = compiled_text(&format!("syntax = \"proto3\";\npackage {package};\n{body}"));
        // Without name resolution types are written as in the text.
        let mut file = file;
        for method in file.service.iter_mut().flat_map(|service| &mut service.method) {
            method.input_type = method.input_type.take().map(|name| format!(".{PACKAGE}.{name}"));
            method.output_type = method.output_type.take().map(|name| format!(".{PACKAGE}.{name}"));
        }
        offences(&file)
    };
    assert_eq!(lint(GOOD, PACKAGE), [""; 0]);
    assert_eq!(lint(GOOD, "gm.v2").len(), 1);
    for (from, to, count, text) in [
        ("// A.", "", 11, "has no comment"),
        ("turn_no", "turnNo", 1, "like_this"),
        ("oneof what", "oneof What", 1, "like_this"),
        ("message Turn", "message turn", 1, "LikeThis"),
        ("CAR_STATUS_RACING", "RACING", 1, "CAR_STATUS_…"),
        ("CAR_STATUS_UNSPECIFIED", "CAR_STATUS_NONE", 1, "CAR_STATUS_UNSPECIFIED"),
        ("enum CarStatus", "enum State", 3, "STATE_"),
        ("RaceService", "Race", 1, "…Service"),
        ("rpc Step(", "rpc Take(", 2, "is not its own"),
        ("returns (StepResponse)", "returns (Turn)", 1, "is not its own"),
        ("(StepRequest)", "(RaceServiceStepRequest)", 0, ""),
    ] {
        let found = lint(&GOOD.replace(from, to), PACKAGE);
        assert_eq!(found.len(), count, "{from} → {to}: {found:?}");
        assert!(found.iter().all(|offence| offence.contains(text)), "{from} → {to}: {found:?}");
    }
}
