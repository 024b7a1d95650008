//! https: a certificate that is trusted, and one that is not.

use super::raw::{Act, RawServer, json};
use super::*;
use crate::drive::guard::Guard;
use crate::drive::line::connector_with;
use gm_core::contract::{Answer, CarRequest, Fault};
use gm_core::ports::Car;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

async fn server() -> (RawServer, CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(vec![certificate.clone()], key))
        .expect("a good configuration");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let wrap = move |stream| {
        let acceptor = acceptor.clone();
        async move { acceptor.accept(stream).await.ok() }
    };
    (RawServer::start_over(wrap, |_, _| vec![json("1")]).await, certificate)
}

#[tokio::test]
async fn https_with_a_certificate_that_is_trusted() {
    let (server, certificate) = server().await;
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let tls = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("good versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let world = HttpWorld::over(connector_with(tls, Guard::new(true, BTreeMap::new())), settings())
        .expect("good settings");
    let mut car = car_of(&world, &format!("https://localhost:{}", server.port));
    for _ in 0..2 {
        assert_eq!(car.exchange(&CarRequest::State).await, Ok(Answer::ok("1")));
    }
    assert_eq!((server.requests().len(), server.connections()), (2, 1), "kept alive");
}

#[tokio::test]
async fn https_with_a_certificate_that_is_not_trusted() {
    let (server, _) = server().await;
    let mut car = car_of(&world(), &format!("https://localhost:{}", server.port));
    assert_eq!(car.exchange(&CarRequest::State).await, Err(Fault::Unreachable));
    assert_eq!(server.requests(), []);
}

#[tokio::test]
async fn https_to_a_server_that_speaks_no_tls() {
    let server = RawServer::start(|_, _| vec![Act::Close]).await;
    let mut car = car_of(&world(), &format!("https://127.0.0.1:{}", server.port));
    assert!(matches!(car.exchange(&CarRequest::State).await, Err(Fault::Unreachable | Fault::Late)));
}
