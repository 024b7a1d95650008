//! The gRPC API as its clients see it, over a port of the loopback.

mod alone;
mod canaries;
mod dynamic;
mod every_rpc;
mod rows;
mod stage;
