//! A game master that serves in this process.
//!
//! ```text
//! let served = Served::start(settings).await;
//! let mut admin = admin(served.channel().await, &served.admin);
//! served.stop().await;
//! ```

use super::calls::{BOUND, channel};
use gm_grpc::api::Api;
use gm_grpc::control;
use gm_grpc::journal::JournalError;
use gm_grpc::serve::{Given, Opened, Server, Settings};
use std::net::SocketAddr;
use std::path::Path;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::transport::Channel;

/// See [the module](self).
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) admin: String,
    pub(crate) api: Api,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Result<(), JournalError>>,
}

/// Settings for a data directory.
pub(crate) fn settings(data: &Path) -> Settings {
    let loaded = Settings::of(&Given::default(), None).expect("the defaults are right");
    Settings { data: data.to_owned(), ..loaded.settings }
}

impl Served {
    pub(crate) async fn start(settings: Settings) -> Served {
        let Opened { server, admin_token, .. } =
            Server::open(settings, control::Settings::default()).await.expect("a data directory");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("it is bound");
        let api = server.api().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = tokio::spawn(server.serve(listener, async {
            let _ = stopped.await;
        }));
        Served { address, admin: admin_token.expect("it is new"), api, stop, ended }
    }

    pub(crate) async fn channel(&self) -> Channel {
        channel(self.address).await.expect("it serves")
    }

    /// Stops it, and waits until it has ended.
    pub(crate) async fn stop(self) {
        let _ = self.stop.send(());
        let ended = timeout(BOUND, self.ended).await.expect("it ends").expect("no panic");
        ended.expect("the journal closes");
    }
}
