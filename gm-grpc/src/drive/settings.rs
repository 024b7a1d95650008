//! What a race over HTTP is given: deadlines, secrets, the table of instances.
//!
//! ```
//! use gm_grpc::drive::Secret;
//! assert_eq!(format!("{:?}", Secret::parse("s3cret").unwrap()), "Secret(…)");
//! assert!(Secret::parse("line\nbreak").is_err());
//! ```

use super::clock::RunningTime;
use super::inspector::Inspectors;
use super::secrets::CarSecrets;
use super::witness::Witness;
use gm_core::contract::BaseUrl;
use gm_core::race::Rules;
use http::HeaderValue;
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// How long, and how many at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The deadline of a request to a car, from the moment it is sent to the last byte of the answer, connecting
    /// included (C-21). Waiting for another request to end does not count (R-7.9).
    pub car: Duration,
    /// The deadline of a question to a duel AI, measured in the same way (A-3).
    pub ai: Duration,
    /// How many requests may be under way in all, at least 1.
    pub in_flight: usize,
}

impl Default for Limits {
    /// 2 s for a car, 2 s for an AI, 256 at once.
    fn default() -> Limits {
        Limits { car: Duration::from_secs(2), ai: Duration::from_secs(2), in_flight: 256 }
    }
}

impl Limits {
    /// The deadlines of these rules (C-21, A-3), and so many requests at once.
    #[must_use]
    pub fn of(rules: &Rules, in_flight: usize) -> Limits {
        let deadline = |milliseconds: u32| Duration::from_millis(milliseconds.into());
        Limits { car: deadline(rules.request_deadline_ms), ai: deadline(rules.move_deadline_ms), in_flight }
    }
}

/// The secret between the game master and the cars of one team (C-20). Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(HeaderValue);

/// A text that can't be sent as a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secret is 1 to 256 visible ASCII characters")]
pub struct BadSecret;

impl Secret {
    /// The longest secret, in characters.
    pub const MAX_LENGTH: usize = 256;

    /// Parses a secret.
    ///
    /// # Errors
    /// [`BadSecret`] if it is empty, too long, or holds anything but visible ASCII.
    pub fn parse(text: &str) -> Result<Secret, BadSecret> {
        let visible = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if !visible || text.len() > Secret::MAX_LENGTH {
            return Err(BadSecret);
        }
        let mut header = HeaderValue::from_str(text).map_err(|_| BadSecret)?;
        header.set_sensitive(true);
        Ok(Secret(header))
    }

    /// The secret in clear, to be kept encrypted.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub(super) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What [`HttpWorld`](super::HttpWorld) is made of.
#[derive(Clone)]
pub struct Settings {
    /// A name that no other race has ever had, random for instance: it starts every request id, and a car that
    /// answers a request id it knows must not be given another race's (C-20). Visible ASCII, at most 128 characters.
    pub race: String,
    /// Deadlines and limits.
    pub limits: Limits,
    /// The secrets that are sent to the cars of teams (C-20); the caller keeps a copy to set others.
    pub secrets: Arc<CarSecrets>,
    /// How the resources of teams are read (CONTRACT I); the caller keeps a copy to set it.
    pub inspectors: Arc<Inspectors>,
    /// Where the cars of known instances are (R-2.1), for teams that give no URL.
    pub instances: BTreeMap<String, BaseUrl>,
    /// Names of hosts that only this game master knows, with their addresses, as in a hosts file: `red-1.car`. The
    /// port is used where a URL names none.
    pub hosts: BTreeMap<String, SocketAddr>,
    /// Whether cars and AIs may be on private addresses: the loopback, a LAN, a cloud's link-local services. Yes by
    /// default, since a race in one room is just that; a server in the open should say no.
    pub allow_private: bool,
    /// The running time of the race (R-10.2); the caller keeps a copy to start and pause it.
    pub running: Arc<RunningTime>,
    /// Who looks on.
    pub witness: Arc<dyn Witness>,
}

impl Settings {
    /// Default limits, no secrets, no inspectors, no instances, the time not running, nobody looking on.
    #[must_use]
    pub fn new(race: impl Into<String>) -> Settings {
        Settings {
            race: race.into(),
            limits: Limits::default(),
            secrets: Arc::default(),
            inspectors: Arc::default(),
            instances: BTreeMap::new(),
            hosts: BTreeMap::new(),
            allow_private: true,
            running: Arc::new(RunningTime::default()),
            witness: Arc::new(()),
        }
    }
}

/// Why a world could not be made of its settings.
#[derive(Debug, thiserror::Error)]
pub enum BadSettings {
    /// The race's name can't be sent in a header.
    #[error("the race's name is not 1 to 128 visible ASCII characters")]
    Race,
    /// TLS could not be set up.
    #[error("TLS could not be set up")]
    Tls(#[source] rustls::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-20: a text, and whether it can be sent as a secret.
    #[test]
    fn c_20_secrets() {
        let long = "s".repeat(Secret::MAX_LENGTH);
        let too_long = "s".repeat(Secret::MAX_LENGTH + 1);
        for (text, good) in [
            ("s3cret", true),
            ("!~", true),
            (&long, true),
            (&too_long, false),
            ("", false),
            ("two words", false),
            ("x\r\ny: z", false),
            ("é", false),
        ] {
            assert_eq!(Secret::parse(text).is_ok(), good, "{text:?}");
        }
        let secret = Secret::parse("s3cret").expect("a good secret");
        assert!(secret.header().is_sensitive() && !format!("{secret:?}").contains("s3cret"));
    }
}
