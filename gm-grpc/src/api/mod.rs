//! The gRPC API: one file for each service, and between its messages and the words of the domain one conversion.
//!
//! - [`wire`]: the messages and services as `proto/gm/v1` has them.
//! - [`field`]: what is wrong with the fields of a request; [`error`]: what a client is told of what went wrong.
//! - [`convert`]: between messages and the domain.
//! - [`json`]: messages as JSON, and the schema of that.

pub mod convert;
#[allow(unused_imports, dead_code, reason = "what the services need of it is used where they are")]
pub mod error;
pub mod field;
pub mod json;
pub mod wire;
