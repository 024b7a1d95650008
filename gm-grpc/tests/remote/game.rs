//! A game master that serves, as a process, with cars in this one; and `gm` as those run it who ask it.
//!
//! ```text
//! let game = Game::start().await;
//! game.admin().says(&["race", "create", "--title", "Friday"]).await;
//! ```

use car_reference::{Car, CarSettings};
use fight_lambda_reference::Mind;
use gm_core::contract::DuelUrl;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::net::TcpListener;
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// Longer than anything here takes: a test that waits so long has failed.
pub(crate) const BOUND: Duration = Duration::from_secs(90);

/// The command, without what the environment of the tests says of servers.
pub(crate) fn gm() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gm"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GM_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// A game master that serves.
pub(crate) struct Game {
    process: Child,
    pub(crate) url: String,
    pub(crate) admin_token: String,
    folder: TempDir,
}

impl Game {
    pub(crate) async fn start() -> Game {
        let folder = TempDir::new().expect("a folder");
        let (process, url, token) = serve(folder.path(), "127.0.0.1:0", true).await;
        Game { process, url, admin_token: token.expect("the first start shows a token"), folder }
    }

    /// A file of this game's own.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Ends the server as an operator does, and starts it again at the same address.
    pub(crate) async fn start_again(&mut self) {
        let id = self.process.id().expect("it runs").cast_signed();
        let id = rustix::process::Pid::from_raw(id).expect("a process");
        rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("it can be told");
        let status = timeout(BOUND, self.process.wait()).await.expect("it ends").expect("a status");
        assert!(status.success(), "{status}");
        let address = self.url.strip_prefix("http://").expect("an address").to_owned();
        let (process, url, token) = serve(self.folder.path(), &address, false).await;
        assert_eq!((url.as_str(), token), (self.url.as_str(), None));
        self.process = process;
    }

    /// Somebody who shows this.
    pub(crate) fn who(&self, token: &str) -> Person {
        Person { url: self.url.clone(), token: token.to_owned() }
    }

    pub(crate) fn admin(&self) -> Person {
        self.who(&self.admin_token)
    }

    pub(crate) fn spectator(&self) -> Person {
        self.who("")
    }
}

async fn serve(folder: &Path, address: &str, is_first: bool) -> (Child, String, Option<String>) {
    let mut command = gm();
    let data = folder.join("data");
    let arguments = ["serve", "--listen", address, "--cars-allow-private", "true", "--shutdown-seconds", "5"];
    command.args(arguments).arg("--data").arg(data).args(["--watch-heartbeat-seconds", "1"]);
    let mut process = command.current_dir(folder).stdout(Stdio::piped()).spawn().expect("gm was built");
    let mut lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
    let first = next_line(&mut lines).await.expect("it says where it serves");
    let url = first.strip_prefix("gm serves on ").and_then(|rest| rest.split(' ').next()).expect(&first);
    let token = match is_first {
        true => next_line(&mut lines).await.and_then(|line| Some(line.split_once(": ")?.1.to_owned())),
        false => None,
    };
    // Whatever else it says is read, so that it never waits for a reader.
    let url = url.to_owned();
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (process, url, token)
}

/// The next line of a process.
pub(crate) async fn next_line(lines: &mut Lines<BufReader<ChildStdout>>) -> Option<String> {
    timeout(BOUND, lines.next_line()).await.expect("in time").expect("UTF-8")
}

/// Somebody who runs `gm`.
pub(crate) struct Person {
    pub(crate) url: String,
    pub(crate) token: String,
}

impl Person {
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = gm();
        command.args(arguments).env("GM_SERVER", &self.url);
        if !self.token.is_empty() {
            command.env("GM_TOKEN", &self.token);
        }
        command
    }

    /// What comes of a command: its exit code, what it prints, what it says on the error output.
    pub(crate) async fn runs(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = timeout(BOUND, self.command(arguments).output()).await.expect("in time");
        let Output { status, stdout, stderr } = output.expect("gm was built");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let (stdout, stderr) = (text(stdout), text(stderr));
        if !self.token.is_empty() {
            assert!(!stderr.contains(&self.token), "{arguments:?} tells the token: {stderr}");
        }
        (status.code(), stdout, stderr)
    }

    /// What a command prints that succeeds.
    pub(crate) async fn says(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.runs(arguments).await;
        assert_eq!(code, Some(0), "{arguments:?}: {stderr}");
        assert!(!stdout.contains('\u{1b}'), "colours only on a terminal: {stdout}");
        stdout
    }

    /// The same, in JSON.
    pub(crate) async fn tells(&self, arguments: &[&str]) -> Value {
        let told = self.says(&[arguments, &["--json"]].concat()).await;
        serde_json::from_str(&told).expect("one line of JSON")
    }

    /// What a command says that fails with this exit code.
    pub(crate) async fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let (exit, stdout, stderr) = self.runs(arguments).await;
        assert_eq!((exit, stdout.as_str()), (Some(code), ""), "{arguments:?}: {stderr}");
        stderr
    }
}

/// A car on a loopback port, with a careful AI: where it is.
pub(crate) async fn a_car(instance: &str) -> String {
    let ai = serve_here(fight_lambda_reference::server::router(Mind::Careful, 7)).await;
    let mut settings = CarSettings::new(instance);
    settings.ai_url = Some(DuelUrl::parse(&ai).expect("a URL"));
    serve_here(car_reference::router(Car::in_memory(settings))).await
}

/// Serves on a loopback port of this process: where.
pub(crate) async fn serve_here(router: axum::Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(axum::serve(listener, router).into_future());
    url
}
