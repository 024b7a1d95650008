//! Pages of long lists: opaque tokens that say where the next one begins.
//!
//! ```
//! use gm_grpc::api::page::Token;
//! let token = Token::after("races", &7_u64).unwrap();
//! assert_eq!(Token::read::<u64>("races", &token), Some(7));
//! assert_eq!(Token::read::<u64>("tokens", &token), None);
//! ```

use super::Api;
use super::error::ApiError;
use super::field::Fields;
use crate::journal::{Moment, RaceId, RaceRecord, Visible};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

/// The entries on a page where nothing is said.
pub const DEFAULT_SIZE: u32 = 20;
/// The most entries on a page.
pub const MOST: u32 = 100;

/// How many bytes of the checksum are kept.
const CHECKSUM: usize = 8;

/// The token of a page.
pub struct Token;

impl Token {
    /// The token for the page of a list that begins after this entry.
    ///
    /// # Errors
    /// Never, for entries that can be written as JSON.
    pub fn after<T: Serialize>(list: &str, after: &T) -> Result<String, serde_json::Error> {
        let mut bytes = serde_json::to_vec(after)?;
        let checksum = checksum(list, &bytes);
        bytes.extend_from_slice(&checksum);
        Ok(hex::encode(bytes))
    }

    /// Where the page begins; none if the token was not given for this list.
    #[must_use]
    pub fn read<T: DeserializeOwned>(list: &str, token: &str) -> Option<T> {
        let bytes = hex::decode(token).ok()?;
        let (after, sum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM)?)?;
        (sum == checksum(list, after)).then(|| serde_json::from_slice(after).ok())?
    }
}

fn checksum(list: &str, bytes: &[u8]) -> [u8; CHECKSUM] {
    let mut hash = Sha256::new();
    hash.update(b"a page of ");
    hash.update(list.as_bytes());
    hash.update([0]);
    hash.update(bytes);
    let mut sum = [0; CHECKSUM];
    sum.copy_from_slice(&hash.finalize()[..CHECKSUM]);
    sum
}

/// Which page of a list is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page<T> {
    /// After which entry it begins; none: the first page.
    pub after: Option<T>,
    /// The most entries on it.
    pub size: u32,
}

impl<T: DeserializeOwned> Page<T> {
    /// Reads `page_size` and `page_token` of a request.
    pub fn read(list: &str, size: u32, token: &str, fields: &mut Fields) -> Page<T> {
        let size = match fields.number("page_size", size, 0..=MOST) {
            0 => DEFAULT_SIZE,
            size => size.min(MOST),
        };
        let after = match token {
            "" => None,
            token => {
                let after = Token::read(list, token);
                if after.is_none() {
                    fields.wrong("page_token", "this server did not give it for this list: leave it out");
                }
                after
            }
        };
        Page { after, size }
    }
}

/// A page of entries of which one more was read than it holds, and the token of the next; empty: there is none.
///
/// # Errors
/// Never, for entries that can be written as JSON.
pub fn cut<E, T: Serialize>(
    list: &str,
    mut entries: Vec<E>,
    size: u32,
    place: impl FnOnce(&E) -> T,
) -> Result<(Vec<E>, String), ApiError> {
    let size = size as usize;
    if entries.len() <= size {
        return Ok((entries, String::new()));
    }
    entries.truncate(size);
    let token = entries.last().map(|last| Token::after(list, &place(last))).transpose();
    let token = token.map_err(|error| ApiError::internal(&error))?;
    Ok((entries, token.unwrap_or_default()))
}

impl Api {
    /// A page of the races that are visible, newest first, and the token of the next. `list` says whose list it is.
    pub(super) async fn races_page(
        &self,
        list: &str,
        size: u32,
        token: &str,
        visible: Visible<'_>,
    ) -> Result<(Vec<RaceRecord>, String), ApiError> {
        let mut fields = Fields::default();
        let page: Page<(Moment, RaceId)> = Page::read(list, size, token, &mut fields);
        let page = fields.finish(Some(page))?;
        // One more than is shown tells whether there is another page.
        let records = self.journal().races_page(page.after, page.size + 1, visible).await?;
        cut(list, records, page.size, |it| (it.created_at, it.id.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token, and whether it is one of the list of races.
    #[test]
    fn tokens() {
        let good = Token::after("races", &(17_i64, "gm-1")).expect("it can be written");
        let read = |token: &str| Token::read::<(i64, String)>("races", token);
        assert_eq!(read(&good), Some((17, "gm-1".to_owned())));
        let mut changed = good.clone().into_bytes();
        changed[2] ^= 1;
        let changed = String::from_utf8(changed).expect("it is hexadecimal still");
        for bad in ["", "00", "xyz", "é", &good[..good.len() - 2], &changed, &"f".repeat(10_000)] {
            assert_eq!(read(bad), None, "{bad}");
        }
        let other = Token::after("tokens", &(17_i64, "gm-1")).expect("it can be written");
        assert_eq!(read(&other), None);
    }

    /// Sizes, and what they come to.
    #[test]
    fn sizes() {
        for (asked, size, right) in [(0, 20, true), (1, 1, true), (100, 100, true), (101, 100, false)] {
            let mut fields = Fields::default();
            let page = Page::<u64>::read("races", asked, "", &mut fields);
            assert_eq!((page.size, fields.are_right()), (size, right), "{asked}");
        }
    }
}
