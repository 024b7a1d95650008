//! The messages and services of `proto/gm/v1`, generated, and what describes them.
//!
//! ```
//! use gm_grpc::api::wire::{self, descriptors};
//! let race = wire::GetRaceRequest { race_id: "gm-1".to_owned() };
//! assert!(descriptors().get_message_by_name("gm.v1.GetRaceRequest").is_some());
//! assert_eq!(race.race_id, "gm-1");
//! ```

#![allow(
    missing_docs,
    clippy::all,
    unreachable_pub,
    reason = "generated; the protocol files say what it means"
)]

use prost_reflect::DescriptorPool;
use std::sync::LazyLock;

tonic::include_proto!("gm.v1");

/// The protocol files with what they import and with their comments, as a `google.protobuf.FileDescriptorSet`.
pub static DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/gm.binpb"));

/// The descriptors of all messages and services.
#[must_use]
pub fn descriptors() -> &'static DescriptorPool {
    static POOL: LazyLock<DescriptorPool> =
        LazyLock::new(|| DescriptorPool::decode(DESCRIPTOR_SET).expect("the build has compiled them"));
    &POOL
}
