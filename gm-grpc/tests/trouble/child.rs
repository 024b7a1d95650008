//! `gm serve` as a process of its own, which can be killed.
//!
//! ```text
//! let child = Child::start(data, &[]).await;
//! child.kill().await;                            or child.stop().await, as by Ctrl-C
//! ```

use super::calls::BOUND;
use rustix::process::{Pid, Signal, kill_process};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::Command;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// See [the module](self).
pub(crate) struct Child {
    pub(crate) address: SocketAddr,
    /// The admin's token, if one was made.
    pub(crate) admin: Option<String>,
    process: tokio::process::Child,
    /// All that it writes to its error output.
    log: JoinHandle<String>,
}

impl Child {
    /// Starts it over a data directory, with these flags.
    pub(crate) async fn start(data: &Path, flags: &[&str]) -> Child {
        let is_new = !data.join("gm.db").exists();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gm"));
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--watch-heartbeat-seconds", "1", "--data"])
            .arg(data);
        command.args(flags).env_clear().kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("gm starts");
        let mut stderr = process.stderr.take().expect("it is piped");
        let log = tokio::spawn(async move {
            let mut log = Vec::new();
            stderr.read_to_end(&mut log).await.expect("it can be read");
            String::from_utf8_lossy(&log).into_owned()
        });
        let mut lines = BufReader::new(process.stdout.take().expect("it is piped")).lines();
        let (mut address, mut admin) = (None, None);
        while address.is_none() || (is_new && admin.is_none()) {
            let line = timeout(BOUND, lines.next_line()).await.expect("it says where it is in time");
            let line = line.expect("its output can be read").expect("it says where it is");
            if let Some((_, rest)) = line.split_once("http://") {
                let at = rest.split(' ').next().expect("a text has a first part");
                address = Some(at.parse().expect("an address"));
            }
            if let Some((_, token)) = line.split_once("shown this once: ") {
                admin = Some(token.to_owned());
            }
        }
        // What else it says must not fill its pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Child { address: address.expect("it was found"), admin, process, log }
    }

    fn signal(&self, signal: Signal) {
        let pid = self.process.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        kill_process(pid.expect("it runs"), signal).expect("it is ours");
    }

    async fn ends(mut self) -> (ExitStatus, String) {
        let status = timeout(BOUND, self.process.wait()).await.expect("it ends").expect("it is ours");
        (status, self.log.await.expect("no panic"))
    }

    /// Kills it: it can do nothing more. What it had written to its log.
    pub(crate) async fn kill(self) -> String {
        self.signal(Signal::KILL);
        self.ends().await.1
    }

    /// Tells it to end, and waits until it has. What it had written to its log.
    pub(crate) async fn stop(self) -> String {
        self.signal(Signal::TERM);
        let (status, log) = self.ends().await;
        assert!(status.success(), "{status}: {log}");
        log
    }
}
