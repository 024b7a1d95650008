//! stub
use gm_core::race::{Event, command::Arrival};
pub const FORMAT: u32 = 1;
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(String);
pub fn write_event(e: &Event) -> String {
    serde_json::to_string(e).expect("x")
}
pub fn read_event(_: u32, t: &str) -> Result<Event, Unreadable> {
    serde_json::from_str(t).map_err(|e| Unreadable(e.to_string()))
}
pub fn write_arrivals(e: &[Arrival]) -> String {
    serde_json::to_string(e).expect("x")
}
pub fn read_arrivals(_: u32, t: &str) -> Result<Vec<Arrival>, Unreadable> {
    serde_json::from_str(t).map_err(|e| Unreadable(e.to_string()))
}
