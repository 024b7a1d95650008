//! Whether it serves, for balancers: the health service of gRPC, whose watches end with a word at a shutdown.
//!
//! ```text
//! Watch: SERVING … NOT_SERVING ─▶ UNAVAILABLE
//! ```

use super::Api;
use super::error::ApiError;
use super::stream::Answers;
use futures_util::StreamExt as _;
use futures_util::stream::unfold;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_server;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tonic_health::server::HealthService;

/// The service over what a reporter says.
pub struct Health {
    api: Api,
    told: HealthService,
}

impl Health {
    /// Tells what is reported, until the API drains its streams.
    #[must_use]
    pub fn new(api: Api, told: HealthService) -> Health {
        Health { api, told }
    }
}

#[tonic::async_trait]
impl health_server::Health for Health {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        self.told.check(request).await
    }

    type WatchStream = Answers<HealthCheckResponse>;

    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let told = self.told.watch(request).await?.into_inner();
        let stop = Box::pin(self.api.stop());
        let answers = unfold(Some((told, stop)), |state| async {
            let (mut told, mut stop) = state?;
            tokio::select! {
                // That it does not serve any more is told before the end.
                biased;
                status = told.next() => Some((status?, Some((told, stop)))),
                () = &mut stop => Some((Err(ApiError::shutting_down().into_status()), None)),
            }
        });
        Ok(Response::new(answers.boxed()))
    }
}
