//! Reading a team's real resources (CONTRACT I): nobody does (I-1), or a relay in the team's account (I-3).
//!
//! ```text
//! GET {relay}/Engines/{bucket}      {"res": ["V8", "V6"]}
//! GET {relay}/Weapons/{table}       {"res": ["gun"]}
//! GET {relay}/Pilots/{queue}        {"res": 2}
//! GET {relay}/Instance/{instance}   {"res": "ec2-1-2-3-4.example"}
//! ```
//!
//! A relay is asked within the deadline of a car, and an answer has the bounds of a car's. It only reads, so its requests
//! have no id; and nothing that it answers is mended: what is not as above is a fault.

use super::line::Line;
use super::witness::Asked;
use super::world::{Shared, user_agent};
use gm_core::contract::{Answer, BaseUrl, Fault, car::encode_name};
use gm_core::ids::TeamId;
use gm_core::ports::{Chain, Inspector, InspectorFault};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How a team's resources are read (CONTRACT I).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum InspectorSetting {
    /// They are not: counts are believed (I-1).
    #[default]
    None,
    /// By a relay in the team's account (I-3).
    Relay {
        /// Where it is.
        url: BaseUrl,
    },
}

/// How the resources of a race's teams are read. Who owns the race sets it when a decision begins.
#[derive(Debug, Default)]
pub struct Inspectors(RwLock<BTreeMap<TeamId, InspectorSetting>>);

impl Inspectors {
    /// These. A team that is not among them has none.
    #[must_use]
    pub fn of(inspectors: BTreeMap<TeamId, InspectorSetting>) -> Inspectors {
        Inspectors(RwLock::new(inspectors))
    }

    /// From now on these, and no others.
    pub fn replace(&self, inspectors: BTreeMap<TeamId, InspectorSetting>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = inspectors;
    }

    /// From now on this one for a team.
    pub fn set(&self, team: TeamId, inspector: InspectorSetting) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(team, inspector);
    }

    /// How a team's resources are read now.
    #[must_use]
    pub fn get(&self, team: TeamId) -> InspectorSetting {
        let inspectors = self.0.read().unwrap_or_else(PoisonError::into_inner);
        inspectors.get(&team).cloned().unwrap_or_default()
    }
}

/// A relay, for one conversation (I-3).
pub struct HttpInspector {
    shared: Arc<Shared>,
    chain: Chain,
    url: BaseUrl,
    line: Box<Line>,
    /// How many requests were sent.
    number: u32,
}

impl HttpInspector {
    /// The inspector of a team, if it has one.
    pub(super) fn of(shared: &Arc<Shared>, chain: Chain, team: TeamId) -> Option<HttpInspector> {
        match shared.settings.inspectors.get(team) {
            InspectorSetting::None => None,
            InspectorSetting::Relay { url } => {
                let line = Box::new(shared.new_line());
                Some(HttpInspector { shared: Arc::clone(shared), chain, url, line, number: 0 })
            }
        }
    }

    /// Where an instance is (R-2.1), if the relay knows it.
    pub(super) async fn resolve(&mut self, instance: &str) -> Option<BaseUrl> {
        self.ask("Instance", instance, base_url).await.ok()
    }

    async fn ask<T>(
        &mut self,
        what: &str,
        name: &str,
        read: fn(Value) -> Option<T>,
    ) -> Result<T, InspectorFault> {
        self.number = self.number.saturating_add(1);
        let url = format!("{}/{what}/{}", self.url, encode_name(name));
        let asked = Asked { chain: self.chain, number: self.number, method: "GET", url: &url, body: None };
        let limit = self.shared.settings.limits.car;
        let exchanged = self.shared.exchange(&mut self.line, asked, user_agent(), limit).await;
        let read = resource(exchanged.outcome).and_then(|res| read(res).ok_or(InspectorFault::Malformed));
        if let Err(fault) = &read {
            tracing::debug!(chain = %self.chain, number = self.number, %fault, "not inspected");
        }
        read
    }
}

impl Inspector for HttpInspector {
    async fn engines(&mut self, bucket: &str) -> Result<Vec<String>, InspectorFault> {
        self.ask("Engines", bucket, names).await
    }

    async fn pilots(&mut self, queue: &str) -> Result<u64, InspectorFault> {
        self.ask("Pilots", queue, |res| res.as_u64()).await
    }

    async fn weapons(&mut self, table: &str) -> Result<Vec<String>, InspectorFault> {
        self.ask("Weapons", table, names).await
    }
}

/// What a relay says is there: the one function that makes an [`InspectorFault`] of what it answers instead.
fn resource(outcome: Result<Answer, Fault>) -> Result<Value, InspectorFault> {
    let answer = outcome.map_err(|_| InspectorFault::Unavailable)?;
    match answer.status {
        200 => {}
        401 | 403 => return Err(InspectorFault::Denied),
        404 => return Err(InspectorFault::NoSuchResource),
        _ => return Err(InspectorFault::Unavailable),
    }
    match serde_json::from_slice(&answer.body) {
        Ok(Value::Object(mut envelope)) => envelope.remove("res").ok_or(InspectorFault::Unavailable),
        // It is not a relay that speaks: a page of a proxy, say.
        _ => Err(InspectorFault::Unavailable),
    }
}

fn names(res: Value) -> Option<Vec<String>> {
    let Value::Array(items) = res else { return None };
    items.into_iter().map(|item| if let Value::String(name) = item { Some(name) } else { None }).collect()
}

/// A host, perhaps with a port, is where a car is.
fn base_url(res: Value) -> Option<BaseUrl> {
    let host = res.as_str().filter(|host| !host.contains('/'))?;
    BaseUrl::parse(&format!("http://{host}")).ok()
}
