//! `coeval task`.

use crate::context::ServerOptions;
use crate::failure::Failure;
use clap::Args;
use std::process::ExitCode;

/// Look at tasks, wait for them, cancel them.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: Options) -> Result<ExitCode, Failure> {
    let _session = options.server.session()?;
    Err(Failure::refused(
        "`coeval task` is not there yet",
        "Use another command.",
    ))
}
