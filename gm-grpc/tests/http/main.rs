//! The HTTP API for teams and spectators (CONTRACT G), against a real server with reference cars.
//!
//! ```text
//! cargo test -p gm-grpc --test http
//! ```

mod canaries;
mod client;
mod document;
mod malformed;
mod served;
mod spectators;
mod streams;
mod teams;
