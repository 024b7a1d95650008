//! The chain of hashes over the lines of an export, so that a changed byte anywhere is found.
//!
//! ```
//! use gm_grpc::export::chain::Chain;
//! let mut line = br#"{"record":"end"}"#.to_vec();
//! Chain::begin().seal(&mut line);
//! assert!(line.starts_with(br#"{"record":"end","hash":""#) && line.ends_with(b"\"}\n"));
//! assert!(Chain::begin().unseal(&mut line));
//! assert_eq!(line, br#"{"record":"end"}"#);
//! ```
//!
//! The hash of a line is the SHA-256 of the hash before it, as 32 bytes, and of the bytes of this line before
//! `,"hash":"`. The hash before the first line is that of [`TITLE`]. Title and seal are the same in every format of
//! export, so that a program also tells a newer format from a damaged file.
//!
//! There is no key in it: it finds what happens to a file on its way, and a line that somebody has changed by hand. Who
//! computes all hashes after it anew gets past the chain, but changes the last one, which can be compared; and deciding
//! the race again shows what does not follow from the rules.

use sha2::{Digest, Sha256};

/// What the chain begins with.
pub const TITLE: &str = "gm race export";

/// What stands between a record and its hash.
const BEFORE: &[u8] = br#","hash":""#;
/// What stands behind the hash.
const BEHIND: &[u8] = b"\"}\n";
/// The length of a hash in hexadecimal digits.
const DIGITS: usize = 64;
/// The length of all that is added to a record, its last brace included.
const SEAL: usize = BEFORE.len() + DIGITS + BEHIND.len();

/// The chain up to one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain([u8; 32]);

impl Chain {
    /// The chain before the first line.
    #[must_use]
    pub fn begin() -> Chain {
        Chain(Sha256::digest(TITLE).into())
    }

    /// The hash of the last line, as it stands there: 64 digits, in lower case.
    #[must_use]
    pub fn hash(&self) -> String {
        hex::encode(self.0)
    }

    /// Turns a record, a JSON object of at least one field without a line break, into a line of the export.
    pub fn seal(&mut self, record: &mut Vec<u8>) {
        debug_assert!(record.ends_with(b"}") && !record.contains(&b'\n'));
        record.pop();
        self.advance(record);
        record.extend_from_slice(BEFORE);
        record.extend_from_slice(self.hash().as_bytes());
        record.extend_from_slice(BEHIND);
    }

    /// Turns a line of the export, with its line end, back into a record, if it is the one that follows in the chain.
    /// If not, the line and the chain stay as they are.
    #[must_use]
    pub fn unseal(&mut self, line: &mut Vec<u8>) -> bool {
        let Some(end) = line.len().checked_sub(SEAL) else { return false };
        let mut next = self.clone();
        next.advance(&line[..end]);
        let digits = next.hash();
        let seal = [BEFORE, digits.as_bytes(), BEHIND].concat();
        if line[end..] != seal {
            return false;
        }
        line.truncate(end);
        line.push(b'}');
        *self = next;
        true
    }

    /// Takes in the bytes of one line.
    fn advance(&mut self, bytes: &[u8]) {
        self.0 = Sha256::new().chain_update(self.0).chain_update(bytes).finalize().into();
    }
}

/// Whether a line has the form of one that was sealed, whatever its hash.
pub(super) fn is_sealed(line: &[u8]) -> bool {
    line.len().checked_sub(SEAL).is_some_and(|end| line[end..].starts_with(BEFORE) && line.ends_with(BEHIND))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chain is part of the format: these hashes were computed by another program.
    #[test]
    fn the_chain_is_pinned() {
        let mut chain = Chain::begin();
        let mut text = Vec::new();
        for record in [r#"{"a":1}"#, r#"{"a":1}"#, r#"{"é":"\n"}"#] {
            let mut line = record.as_bytes().to_vec();
            chain.seal(&mut line);
            text.extend_from_slice(&line);
        }
        assert_eq!(String::from_utf8(text).unwrap(), include_str!("fixtures/chain.jsonl"));
    }

    #[test]
    fn a_line_that_does_not_follow_stays_as_it_is() {
        let mut good = br#"{"a":1}"#.to_vec();
        Chain::begin().seal(&mut good);
        let other =
            |from: &str, to: &str| String::from_utf8(good.clone()).unwrap().replace(from, to).into_bytes();
        let mut second = good.clone();
        assert!(Chain::begin().unseal(&mut second));
        for line in [
            b"".to_vec(),
            b"\n".to_vec(),
            br#"{"a":1}"#.to_vec(),
            other("1", "2"),
            other("\n", ""),
            other("\n", "\r\n"),
            other("\n", "\n\n"),
            other("}", " }"),
            other("{", " {"),
            other(r#","hash""#, r#", "hash""#),
            good.to_ascii_uppercase(),
        ] {
            let (mut chain, mut found) = (Chain::begin(), line.clone());
            assert!(!chain.unseal(&mut found), "{}", String::from_utf8_lossy(&line));
            assert_eq!((chain, found), (Chain::begin(), line));
        }
        let mut chain = Chain::begin();
        assert!(chain.unseal(&mut good.clone()));
        assert!(!chain.unseal(&mut good), "the same line again does not follow");
    }
}
