//! An AI at a URL, asked as the game master asks it (CONTRACT A).
//!
//! ```text
//! GET /action?yourmoves=[1,5]&othermoves=[2]&cards=[3,2]&othernbcards=5     X-EACC-DUEL: {"distance":14,…}
//! 200 {"res":[3]}
//! ```

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Request};
use gm_core::contract::duel::SEEN_HEADER;
use gm_core::contract::{Answer, ContentType, DuelQuestion, DuelUrl, Fault, reader};
use http_body_util::{BodyExt, Empty, LengthLimitError, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::time::Duration;

/// How long an AI has for an answer, the connection included (A-3).
pub const DEADLINE: Duration = Duration::from_secs(2);

/// The way to an AI at a URL. Clones share their connections.
#[derive(Debug, Clone)]
pub struct Far {
    url: DuelUrl,
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
}

impl Far {
    /// A way to this AI. No redirect is followed and no proxy is used (C-21).
    ///
    /// # Errors
    /// In words, why TLS can't be spoken.
    pub fn new(url: DuelUrl) -> Result<Far, String> {
        let provider = rustls::crypto::ring::default_provider();
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(provider)
            .map_err(|why| format!("TLS can't be spoken: {why}"))?
            .https_or_http()
            .enable_http1()
            .build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Far { url, client })
    }

    /// Asks for the cards that it plays.
    ///
    /// # Errors
    /// A [`Fault`]: no connection, late ([`DEADLINE`]), another status than 200, or nothing that A-2 knows.
    pub async fn ask(&self, question: &DuelQuestion) -> Result<Vec<u8>, Fault> {
        let asking = tokio::time::timeout(DEADLINE, self.exchange(question));
        let answer = asking.await.unwrap_or(Err(Fault::Late))?;
        match answer.status {
            200 => Ok(reader::cards(&answer)?.value),
            status => Err(Fault::Status(status)),
        }
    }

    async fn exchange(&self, question: &DuelQuestion) -> Result<Answer, Fault> {
        let mut request = Request::get(question.url(&self.url));
        if let Some(seen) = &question.seen
            && let Ok(header) = HeaderValue::try_from(seen.header())
        {
            request = request.header(SEEN_HEADER, header);
        }
        let request = request.body(Empty::new()).map_err(|_| Fault::Unreachable)?;
        let response = self
            .client
            .request(request)
            .await
            .map_err(|why| if why.is_connect() { Fault::Unreachable } else { Fault::Broken })?;
        let content_type = response.headers().get(CONTENT_TYPE).map(|it| it.to_str().unwrap_or_default());
        let (status, content_type) = (response.status().as_u16(), ContentType::of(content_type));
        let body = Limited::new(response.into_body(), Answer::MAX_BODY).collect().await;
        let body =
            body.map_err(|why| if why.is::<LengthLimitError>() { Fault::TooLarge } else { Fault::Broken })?;
        Ok(Answer { status, content_type, body: body.to_bytes().to_vec() })
    }
}
