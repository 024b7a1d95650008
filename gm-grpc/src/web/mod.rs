//! The HTTP API for teams and spectators (CONTRACT G): the same functions as the gRPC services, in JSON.
//!
//! - [`problem`]: errors, as `application/problem+json`.

pub mod problem;
