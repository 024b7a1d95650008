//! Where requests may go: teams choose the URLs of their cars and AIs, so on a server in the open they could point
//! the game master at its own network.
//!
//! ```text
//! http://127.0.0.1/      10.0.0.1      [::ffff:169.254.169.254]      a name that resolves to one of them
//! ```
//!
//! A race in one room needs just those addresses, so they are allowed unless the settings say otherwise. Both ways
//! in are watched: an address that is written in the URL, which is never resolved, and every address that a name
//! resolves to, at the moment at which it is connected to. Names that the settings know themselves, as a hosts file
//! does, are the organiser's word and not watched.

use http::Uri;
use hyper_util::client::legacy::connect::dns::{GaiAddrs, GaiFuture, GaiResolver, Name};
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tower_service::Service;

/// What is asked before a connection is made; as a service, resolves names to the addresses that are allowed.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    allow_private: bool,
    hosts: Arc<BTreeMap<String, SocketAddr>>,
    resolver: GaiResolver,
}

/// The address is one that requests may not go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("requests to private addresses are not allowed")]
pub(super) struct Private;

impl Guard {
    pub(super) fn new(allow_private: bool, hosts: BTreeMap<String, SocketAddr>) -> Guard {
        Guard { allow_private, hosts: Arc::new(hosts), resolver: GaiResolver::new() }
    }

    /// Whether a URL with an address for a host may be asked. One with a name always may: its addresses are looked
    /// at when they are known.
    pub(super) fn check(&self, place: &Uri) -> Result<(), Private> {
        let host = place.host().unwrap_or_default();
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        match host.parse::<IpAddr>() {
            Ok(address) if !self.allows(address) => Err(Private),
            _ => Ok(()),
        }
    }

    fn allows(&self, address: IpAddr) -> bool {
        self.allow_private || is_public(address)
    }
}

impl Service<Name> for Guard {
    type Response = Addresses;
    type Error = io::Error;
    type Future = Resolving;

    fn poll_ready(&mut self, task: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        self.resolver.poll_ready(task)
    }

    fn call(&mut self, name: Name) -> Resolving {
        match self.hosts.get(name.as_str()) {
            Some(known) => Resolving::Known(*known),
            None => Resolving::Asking { guard: self.clone(), resolving: self.resolver.call(name) },
        }
    }
}

/// A name that is being resolved.
pub(super) enum Resolving {
    /// The settings know it.
    Known(SocketAddr),
    /// The operating system is asked.
    Asking { guard: Guard, resolving: GaiFuture },
}

impl Future for Resolving {
    type Output = io::Result<Addresses>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<Addresses>> {
        Poll::Ready(match &mut *self {
            Resolving::Known(address) => Ok(Addresses::Known(Some(*address))),
            Resolving::Asking { guard, resolving } => {
                let addresses = ready!(Pin::new(resolving).poll(task))?;
                Ok(Addresses::Found { guard: guard.clone(), addresses })
            }
        })
    }
}

/// The addresses of a name to which requests may go.
pub(super) enum Addresses {
    /// The one that the settings give, with its port where the URL names none.
    Known(Option<SocketAddr>),
    /// Those of the operating system's that are allowed.
    Found { guard: Guard, addresses: GaiAddrs },
}

impl Iterator for Addresses {
    type Item = SocketAddr;

    fn next(&mut self) -> Option<SocketAddr> {
        match self {
            Addresses::Known(address) => address.take(),
            Addresses::Found { guard, addresses } => addresses.find(|address| guard.allows(address.ip())),
        }
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => address.to_ipv4_mapped().map_or_else(|| is_public_v6(address), is_public_v4),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let shared = first == 100 && (64..128).contains(&second);
    !(first == 0
        || shared
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    !(address.is_loopback()
        || address.is_unspecified()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || address.is_multicast())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::contract::BaseUrl;

    /// A URL as a team writes it, and whether it may be asked where private addresses are not allowed.
    #[test]
    fn addresses_in_urls() {
        for (url, public) in [
            ("http://car.example", true),
            ("http://192.0.2.7:8080", true),
            ("http://100.63.0.1", true),
            ("http://100.128.0.1", true),
            ("http://[2001:db8::1]:80", true),
            ("http://127.0.0.1:8080", false),
            ("http://0x7f.1", false),
            ("http://2130706433", false),
            ("http://10.1.2.3", false),
            ("http://172.16.0.1", false),
            ("http://192.168.1.1", false),
            ("http://169.254.169.254/latest", false),
            ("http://100.64.0.1", false),
            ("http://0.0.0.0", false),
            ("http://255.255.255.255", false),
            ("http://224.0.0.1", false),
            ("http://[::1]", false),
            ("http://[::]", false),
            ("http://[::ffff:127.0.0.1]", false),
            ("http://[fd00::1]", false),
            ("http://[fe80::1]", false),
            ("http://[ff02::1]", false),
        ] {
            let place = BaseUrl::parse(url).expect("a URL").as_str().parse::<Uri>().expect("a URL");
            assert_eq!(Guard::new(false, BTreeMap::new()).check(&place).is_ok(), public, "{url}");
            assert_eq!(Guard::new(true, BTreeMap::new()).check(&place), Ok(()), "{url}");
        }
    }

    /// A name that resolves to the loopback.
    #[tokio::test]
    async fn addresses_of_names() {
        for (allow_private, found) in [(true, true), (false, false)] {
            let name = "localhost".parse().expect("a name");
            let mut allowed =
                Guard::new(allow_private, BTreeMap::new()).call(name).await.expect("every machine knows it");
            assert_eq!(allowed.next().is_some(), found);
        }
    }

    /// A name of the settings is never looked up, and brings its own port.
    #[tokio::test]
    async fn names_of_the_settings() {
        let address: SocketAddr = "127.0.0.1:4711".parse().expect("an address");
        let hosts = BTreeMap::from([("red-1.invalid".to_owned(), address)]);
        for allow_private in [true, false] {
            let name = "red-1.invalid".parse().expect("a name");
            let found = Guard::new(allow_private, hosts.clone()).call(name).await.expect("a known name");
            assert_eq!(found.collect::<Vec<_>>(), [address]);
        }
    }
}
