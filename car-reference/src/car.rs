//! Each request gets its answer: C-1 to C-16.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use car_reference::{Car, CarSettings};
//! let mut car = Car::in_memory(CarSettings::new("i-0abc"));
//! let said = car.exchange(None, &gm_core::contract::CarRequest::State).await;
//! assert_eq!(said.body["modules"]["engine"], 4);
//! # });
//! ```

use crate::dice::Dice;
use crate::receipts::{Receipt, Receipts};
use crate::settings::CarSettings;
use crate::store::{Change, Kept, MAX_MODULES, MemoryStore, ModuleStore, StoreError};
use crate::strategy::{LastAnswers, Situation, Strategy};
use gm_core::contract::car::CarState;
use gm_core::contract::{CarRequest, Envelope, Kind, Modules};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a car says to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body.
    pub body: Value,
}

impl Said {
    /// 200 and `{"res": …}` (C-19).
    #[must_use]
    pub fn res(res: impl Serialize) -> Said {
        Said { status: 200, body: json!(Envelope { res }) }
    }

    /// An error, with its reason.
    #[must_use]
    pub fn error(status: u16, reason: impl AsRef<str>) -> Said {
        Said { status, body: json!({ "error": reason.as_ref() }) }
    }
}

/// A car: settings, a store, a strategy, and what it said before.
pub struct Car<S> {
    settings: CarSettings,
    store: S,
    strategy: Box<dyn Strategy>,
    receipts: Receipts,
    decisions: u64,
    last: LastAnswers,
}

impl Car<MemoryStore> {
    /// A new car, whose modules are in memory.
    #[must_use]
    pub fn in_memory(settings: CarSettings) -> Car<MemoryStore> {
        let store = MemoryStore::new(Kept::new(settings.modules));
        Car::new(settings, store)
    }
}

impl<S: ModuleStore> Car<S> {
    /// A car whose modules are in `store`, with the strategy that the settings name.
    #[must_use]
    pub fn new(settings: CarSettings, store: S) -> Car<S> {
        let strategy = settings.strategy.strategy();
        Car::with_strategy(settings, store, strategy)
    }

    /// A car with a strategy of your own.
    #[must_use]
    pub fn with_strategy(settings: CarSettings, store: S, strategy: Box<dyn Strategy>) -> Car<S> {
        let receipts = store.receipts().into_iter().collect();
        Car { settings, store, strategy, receipts, decisions: 0, last: LastAnswers::default() }
    }

    /// The settings that it was started with.
    #[must_use]
    pub fn settings(&self) -> &CarSettings {
        &self.settings
    }

    /// Answers a request. One that was answered before is answered the same, and nothing is done; the same id with
    /// another request is a 409.
    pub async fn exchange(&mut self, id: Option<&str>, request: &CarRequest) -> Said {
        let text = match request.body() {
            Some(body) => format!("{request} {body}"),
            None => request.to_string(),
        };
        if let Some(receipt) = id.and_then(|id| self.receipts.find(id)) {
            return if receipt.request == text {
                receipt.said.clone()
            } else {
                Said::error(409, format!("this X-EACC-REQUEST-ID came before, with {}", receipt.request))
            };
        }
        let receipt =
            |said: &Said| Some(Receipt { id: id?.to_owned(), request: text.clone(), said: said.clone() });
        match self.answer(request, receipt).await {
            Ok(said) => {
                self.receipts.extend(receipt(&said));
                said
            }
            Err(error) => {
                // Not kept: sent again, it is tried again.
                eprintln!("car {}: {request}: {error}", self.settings.instance);
                Said::error(500, "the car's store failed; nothing was changed")
            }
        }
    }

    async fn answer(
        &mut self,
        request: &CarRequest,
        receipt: impl Fn(&Said) -> Option<Receipt>,
    ) -> Result<Said, StoreError> {
        let change = match request.clone() {
            CarRequest::Resource(kind) => {
                return Ok(Said::res(format!("{}-{kind}s", self.settings.instance)));
            }
            CarRequest::Count(kind) => return Ok(Said::res(self.store.names(kind).await?.len())),
            CarRequest::State => {
                let Situation { square, modules, .. } = self.situation().await?;
                let name = self.settings.instance.clone();
                let state = CarState { name, square: u64::from(square.0), modules };
                return Ok(Said { status: 200, body: json!(state) });
            }
            CarRequest::DuelUrl => {
                return Ok(match &self.settings.ai_url {
                    Some(url) => Said::res(url),
                    None => Said::error(404, "this car has no duel AI: start it with --ai-url URL"),
                });
            }
            CarRequest::Wreck => {
                let (car, mut dice) = self.decides().await?;
                let searches = self.strategy.searches_wreck(&car, &mut dice);
                self.last.searched = Some(searches);
                return Ok(Said::res(searches));
            }
            CarRequest::Mine => {
                let (car, mut dice) = self.decides().await?;
                let crosses = self.strategy.crosses_mines(&car, &mut dice);
                self.last.crossed = Some(crosses);
                return Ok(Said::res(crosses));
            }
            CarRequest::Garage(prices) => {
                let (car, mut dice) = self.decides().await?;
                let wants = self.strategy.buys(&car, prices, &mut dice);
                self.last.wanted = Some(wants);
                return Ok(Said::res(wants.map_or("none", Kind::word)));
            }
            CarRequest::ShouldFight(other) => {
                let (car, mut dice) = self.decides().await?;
                let fights = self.strategy.fights(&car, other, &mut dice);
                self.last.fought = Some((other, fights));
                return Ok(Said::res(fights));
            }
            CarRequest::SetSquare(square) => Change::Enter(square),
            CarRequest::SetPosition(square) => Change::Move(square),
            CarRequest::Retire => Change::Leave,
            CarRequest::SetCount { count, .. } if count > MAX_MODULES => {
                return Ok(Said::error(422, format!("a car keeps at most {MAX_MODULES} modules of a kind")));
            }
            CarRequest::SetCount { kind, count } => Change::BringTo { kind, count },
            CarRequest::Gain { kind, name } => {
                let names = self.store.names(kind).await?;
                if names.len() as u64 >= MAX_MODULES && !names.contains(&name) {
                    return Ok(Said::error(
                        422,
                        format!("a car keeps at most {MAX_MODULES} modules of a kind"),
                    ));
                }
                Change::Add { kind, name }
            }
            CarRequest::Lose { kind, name } => {
                if !self.store.names(kind).await?.contains(&name) {
                    return Ok(Said::error(404, format!("this car has no {kind} {name:?}")));
                }
                Change::Remove { kind, name }
            }
        };
        let said = Said::res(true);
        self.store.change(&change, receipt(&said).as_ref()).await?;
        Ok(said)
    }

    /// What the next decision is made from. The dice follow from its number, not from the request's id: ids may
    /// differ between two races with the same seed, the questions asked don't.
    async fn decides(&mut self) -> Result<(Situation, Dice), StoreError> {
        let car = self.situation().await?;
        self.decisions += 1;
        Ok((car, Dice::of(self.settings.seed, &self.settings.instance, self.decisions)))
    }

    async fn situation(&self) -> Result<Situation, StoreError> {
        let mut modules = Modules::default();
        for kind in Kind::ALL {
            *modules.of_mut(kind) = self.store.names(kind).await?.len() as u64;
        }
        Ok(Situation {
            square: self.store.square().await?,
            modules,
            in_race: self.store.in_race().await?,
            last: self.last,
        })
    }
}
