//! The gRPC API: one file for each service, and between its messages and the words of the domain one conversion.
//!
//! - [`wire`]: the messages and services as `proto/gm/v1` has them.

pub mod wire;
