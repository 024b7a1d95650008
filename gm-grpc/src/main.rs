//! The command `gm`.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    gm_grpc::cli::run().await
}
