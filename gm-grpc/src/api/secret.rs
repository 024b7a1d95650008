//! Tokens and secrets that are shown to the API: drawn, or brought along.
//!
//! ```
//! use gm_grpc::api::secret::draw;
//! assert_ne!(draw("team"), draw("team"));
//! assert!(draw("team").starts_with("gm-team-"));
//! ```

use super::field::Fields;

/// The fewest characters of one that is brought along: only its fingerprint is kept, which must not be guessed.
const SHORTEST: usize = 16;
/// The most characters.
const LONGEST: usize = 256;

/// A new one: 160 random bits. What it is for stands before them, so that one that was mislaid is known for what it is.
#[must_use]
pub fn draw(purpose: &str) -> String {
    format!("gm-{purpose}-{}", hex::encode(rand::random::<[u8; 20]>()))
}

/// One that a request brings along, or a new one if it brings none.
pub(crate) fn api_secret(text: &str, field: &str, fields: &mut Fields) -> Option<String> {
    brought(text, "team", field, fields)
}

/// One for an admin or an observer that a request brings along, or a new one if it brings none.
pub(crate) fn brought(text: &str, purpose: &str, field: &str, fields: &mut Fields) -> Option<String> {
    if text.is_empty() {
        return Some(draw(purpose));
    }
    let is_one =
        (SHORTEST..=LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_one {
        fields.wrong(field, "must be 16 to 256 visible ASCII characters, or be left out to have one drawn");
    }
    is_one.then(|| text.to_owned())
}
