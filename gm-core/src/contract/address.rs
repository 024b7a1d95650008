//! The URL of a car, and the URL of a duel AI.
//!
//! ```
//! use gm_core::contract::BaseUrl;
//! assert_eq!(BaseUrl::parse("HTTP://Car.Example:80/").unwrap().as_str(), "http://car.example");
//! assert!(BaseUrl::parse("ftp://car.example").is_err());
//! ```
//!
//! What has one meaning is taken (`0x7f.1`) and made canonical at once: who looks at a host looks at the canonical
//! form. What browsers mend is refused (`http:car`, blanks, backslashes): nothing is guessed (C-22).

use serde::{Deserialize, Serialize};
use std::fmt;
use url::Url;

/// The base URL of a car, `http://domain[:port]`, in one canonical form, so that two that are equal are written
/// equally (R-1.2). A path is kept (a car may live behind one), a trailing slash is not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BaseUrl(String);

/// The URL of a duel AI: absolute, http or https, perhaps with a query of its own, which is kept (A-1, C-16).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DuelUrl(String);

/// Why a text is not a usable URL. A closed list (R-10.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadUrl {
    /// Not an absolute URL at all.
    #[error("not an absolute URL")]
    NotAbsolute,
    /// Another scheme than http and https.
    #[error("the scheme is not http or https")]
    Scheme,
    /// A blank, a line break or another control character, wherever it is.
    #[error("it holds a blank or a control character")]
    Blank,
    /// A backslash, wherever it is.
    #[error("it holds a backslash")]
    Backslash,
    /// Anything but exactly two slashes between the scheme and the host.
    #[error("the scheme is not followed by :// and a host")]
    Slashes,
    /// A user name or a password.
    #[error("it holds a user name or password")]
    Credentials,
    /// A query, where none may be.
    #[error("it has a query")]
    Query,
    /// A fragment.
    #[error("it has a fragment")]
    Fragment,
    /// Longer than [`MAX_LENGTH`], as it came or in canonical form.
    #[error("longer than 2048 bytes")]
    TooLong,
}

/// The longest URL that is taken, in bytes.
pub const MAX_LENGTH: usize = 2048;

fn parse(text: &str) -> Result<Url, BadUrl> {
    if text.len() > MAX_LENGTH {
        return Err(BadUrl::TooLong);
    }
    if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(BadUrl::Blank);
    }
    if text.contains('\\') {
        return Err(BadUrl::Backslash);
    }
    let url = Url::parse(text).map_err(|_| BadUrl::NotAbsolute)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(BadUrl::Scheme);
    }
    let (_, rest) = text.split_once(':').ok_or(BadUrl::NotAbsolute)?;
    if !rest.starts_with("//") || rest.starts_with("///") {
        return Err(BadUrl::Slashes);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(BadUrl::Credentials);
    }
    if url.fragment().is_some() {
        return Err(BadUrl::Fragment);
    }
    // Escapes make it longer, and what was taken once must be taken again when it is read back.
    if url.as_str().len() > MAX_LENGTH {
        return Err(BadUrl::TooLong);
    }
    Ok(url)
}

impl BaseUrl {
    /// Parses and canonicalises a base URL.
    ///
    /// # Errors
    /// [`BadUrl`] says what is wrong with it.
    pub fn parse(text: &str) -> Result<BaseUrl, BadUrl> {
        let url = parse(text)?;
        if url.query().is_some() {
            return Err(BadUrl::Query);
        }
        Ok(BaseUrl(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// The URL, without a slash at the end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl DuelUrl {
    /// Parses the URL of a duel AI.
    ///
    /// # Errors
    /// [`BadUrl`] says what is wrong with it.
    pub fn parse(text: &str) -> Result<DuelUrl, BadUrl> {
        Ok(DuelUrl(parse(text)?.into()))
    }

    /// The URL, with its own query if it has one.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! as_text {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl TryFrom<String> for $name {
            type Error = BadUrl;
            fn try_from(text: String) -> Result<$name, BadUrl> {
                $name::parse(&text)
            }
        }
        impl From<$name> for String {
            fn from(url: $name) -> String {
                url.0
            }
        }
    };
}
as_text!(BaseUrl);
as_text!(DuelUrl);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn r_1_2_base_urls() {
        for (text, expected) in [
            ("http://car.example", Ok("http://car.example")),
            ("http://car.example/", Ok("http://car.example")),
            ("http://car.example//", Ok("http://car.example")),
            ("HTTP://Car.EXAMPLE:80", Ok("http://car.example")),
            ("https://car.example:443/", Ok("https://car.example")),
            ("http://car.example:8080", Ok("http://car.example:8080")),
            ("http://car.example:08080", Ok("http://car.example:8080")),
            ("http://car.example/cars/7/", Ok("http://car.example/cars/7")),
            ("http://car.example/cars/../7", Ok("http://car.example/7")),
            ("http://car.example/V8é", Ok("http://car.example/V8%C3%A9")),
            ("http://@car.example", Ok("http://car.example")),
            ("http://127.0.0.1:8080", Ok("http://127.0.0.1:8080")),
            ("http://0x7f.1", Ok("http://127.0.0.1")),
            ("http://2130706433", Ok("http://127.0.0.1")),
            ("http://[::1]:80", Ok("http://[::1]")),
            ("http://[0:0:0:0:0:0:0:1]:8080/", Ok("http://[::1]:8080")),
            ("http://bücher.example", Ok("http://xn--bcher-kva.example")),
            ("", Err(BadUrl::NotAbsolute)),
            ("car.example", Err(BadUrl::NotAbsolute)),
            ("/cars/7", Err(BadUrl::NotAbsolute)),
            ("//car.example", Err(BadUrl::NotAbsolute)),
            ("http://", Err(BadUrl::NotAbsolute)),
            ("http://car.example:65536", Err(BadUrl::NotAbsolute)),
            ("http://1.2.3.256", Err(BadUrl::NotAbsolute)),
            ("car.example:8080", Err(BadUrl::Scheme)),
            ("ftp://car.example", Err(BadUrl::Scheme)),
            ("file:///cars/7", Err(BadUrl::Scheme)),
            ("http://me@car.example", Err(BadUrl::Credentials)),
            ("http://me:pw@car.example", Err(BadUrl::Credentials)),
            ("http://:pw@car.example", Err(BadUrl::Credentials)),
            ("http://car.example?a=1", Err(BadUrl::Query)),
            ("http://car.example/?", Err(BadUrl::Query)),
            ("http://car.example/#top", Err(BadUrl::Fragment)),
            ("http://car.example/#", Err(BadUrl::Fragment)),
        ] {
            let found = BaseUrl::parse(text);
            assert_eq!(found.as_ref().map(BaseUrl::as_str), expected.as_ref().copied(), "{text:?}");
        }
    }

    /// What a browser would mend. A car's URL and a duel AI's are read alike.
    #[test]
    fn c_22_nothing_in_a_url_is_guessed() {
        for (text, expected) in [
            (" http://car.example", BadUrl::Blank),
            ("http://car.example ", BadUrl::Blank),
            ("http://car.example\n", BadUrl::Blank),
            ("http://car.example\r\n", BadUrl::Blank),
            ("ht\ttp://car.example", BadUrl::Blank),
            ("http://car\n.example", BadUrl::Blank),
            ("http://car.example/a\tb", BadUrl::Blank),
            ("http://car.example/V8 engine", BadUrl::Blank),
            ("http://car example", BadUrl::Blank),
            ("http://car.example/\0", BadUrl::Blank),
            ("\u{1b}http://car.example", BadUrl::Blank),
            ("http://car.example/\u{7f}", BadUrl::Blank),
            ("http://car.example/\u{85}", BadUrl::Blank),
            ("http://car.example\u{a0}", BadUrl::Blank),
            ("http://car.example/\u{3000}", BadUrl::Blank),
            (" ", BadUrl::Blank),
            ("http:\\\\car.example", BadUrl::Backslash),
            ("http:/\\car.example", BadUrl::Backslash),
            ("http://car.example\\cars", BadUrl::Backslash),
            ("http://me\\@car.example", BadUrl::Backslash),
            ("http://car.example/?a=\\", BadUrl::Backslash),
            ("http:car.example", BadUrl::Slashes),
            ("https:car.example:8080", BadUrl::Slashes),
            ("http:/car.example", BadUrl::Slashes),
            ("http:///car.example", BadUrl::Slashes),
            ("http:////car.example", BadUrl::Slashes),
        ] {
            assert_eq!(BaseUrl::parse(text), Err(expected), "{text:?}");
            assert_eq!(DuelUrl::parse(text), Err(expected), "{text:?}");
        }
    }

    #[test]
    fn c_16_duel_urls() {
        for (text, expected) in [
            ("https://ai.example/prod/action", Ok("https://ai.example/prod/action")),
            ("https://ai.example/prod/action/", Ok("https://ai.example/prod/action/")),
            ("https://ai.example", Ok("https://ai.example/")),
            ("https://ai.example/?key=1&b=[2]", Ok("https://ai.example/?key=1&b=[2]")),
            ("https://ai.example/?", Ok("https://ai.example/?")),
            ("/prod/action", Err(BadUrl::NotAbsolute)),
            ("lambda:action", Err(BadUrl::Scheme)),
            ("https://me:pw@ai.example/", Err(BadUrl::Credentials)),
            ("https://ai.example/#a", Err(BadUrl::Fragment)),
        ] {
            let found = DuelUrl::parse(text);
            assert_eq!(found.as_ref().map(DuelUrl::as_str), expected.as_ref().copied(), "{text:?}");
        }
    }

    /// The bound holds for the text as it came and for its canonical form, to the byte.
    #[test]
    fn urls_have_a_bound() {
        let of_length = |length: usize| format!("http://c/{}", "x".repeat(length - "http://c/".len()));
        assert_eq!(BaseUrl::parse(&of_length(2048)).unwrap().as_str().len(), 2048);
        assert_eq!(BaseUrl::parse(&of_length(2049)), Err(BadUrl::TooLong));
        assert_eq!(DuelUrl::parse(&of_length(2049)), Err(BadUrl::TooLong));
        assert_eq!(BaseUrl::parse(&format!("http://c/{}", "é".repeat(600))), Err(BadUrl::TooLong));
        // Shorter in canonical form, but nobody reads that much to find out.
        assert_eq!(BaseUrl::parse(&format!("http://c/{}", "./".repeat(2000))), Err(BadUrl::TooLong));
    }

    #[test]
    fn urls_as_json_are_checked_again() {
        let url: BaseUrl = serde_json::from_str(r#""HTTP://c:80/""#).unwrap();
        assert_eq!(serde_json::to_string(&url).unwrap(), r#""http://c""#);
        assert_eq!(url.to_string(), "http://c");
        let refusal = serde_json::from_str::<DuelUrl>(r#""ftp://c""#).unwrap_err();
        assert_eq!(refusal.to_string(), "the scheme is not http or https");
    }

    proptest! {
        /// What was taken once is canonical: parsed again it is taken, and the same.
        #[test]
        fn r_1_2_canonical_urls_stay_as_they_are(
            text in "(http|HTTPS|ftp)://[a-zA-Z0-9.é%\\[\\]:@]{0,20}(:[0-9]{1,5})?(/[ -~é]{0,12}){0,3}",
        ) {
            if let Ok(url) = BaseUrl::parse(&text) {
                prop_assert_eq!(BaseUrl::parse(url.as_str()), Ok(url.clone()));
                prop_assert!(!url.as_str().ends_with('/'));
            }
            if let Ok(url) = DuelUrl::parse(&text) {
                prop_assert_eq!(DuelUrl::parse(url.as_str()), Ok(url.clone()));
            }
        }
    }
}
