//! The URL of a car, and the URL of a duel AI.
//!
//! ```
//! use gm_core::contract::BaseUrl;
//! assert_eq!(BaseUrl::parse("HTTP://Car.Example:80/").unwrap().as_str(), "http://car.example");
//! assert!(BaseUrl::parse("ftp://car.example").is_err());
//! ```

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
    /// A user name or a password.
    #[error("it holds a user name or password")]
    Credentials,
    /// A query, where none may be.
    #[error("it has a query")]
    Query,
    /// A fragment.
    #[error("it has a fragment")]
    Fragment,
    /// Longer than [`MAX_LENGTH`].
    #[error("longer than 2048 bytes")]
    TooLong,
}

/// The longest URL that is taken, in bytes.
pub const MAX_LENGTH: usize = 2048;

fn parse(text: &str) -> Result<Url, BadUrl> {
    if text.len() > MAX_LENGTH {
        return Err(BadUrl::TooLong);
    }
    let url = Url::parse(text).map_err(|_| BadUrl::NotAbsolute)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(BadUrl::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(BadUrl::Credentials);
    }
    if url.fragment().is_some() {
        return Err(BadUrl::Fragment);
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
