//! The API under attack and in trouble: what must hold then.
//!
//! ```text
//! parallel   a thousand at once             restart    watched on through deaths and restarts
//! malformed  whatever bytes come            shutdown   whoever holds on
//! canaries   nothing private is sent        slow       who does not read, and whose token is revoked
//! ```
//!
//! Servers are in this process where they can be (`served`), and processes of their own where they are killed (`child`).

mod calls;
mod canaries;
mod cars;
mod child;
mod malformed;
mod parallel;
mod restart;
mod served;
mod shutdown;
mod slow;
