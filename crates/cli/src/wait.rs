//! `coeval wait`.

use crate::context::ServerOptions;
use crate::failure::Failure;
use clap::Args;
use std::process::ExitCode;

/// Wait until resources are as you want them.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: Options) -> Result<ExitCode, Failure> {
    let _session = options.server.session()?;
    Err(Failure::refused(
        "`coeval wait` is not there yet",
        "Use another command.",
    ))
}
