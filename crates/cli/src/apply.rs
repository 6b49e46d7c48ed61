//! `coeval apply`.

use crate::context::ServerOptions;
use crate::failure::Failure;
use clap::Args;
use std::process::ExitCode;

/// Create or change resources so that they are as files say.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: Options) -> Result<ExitCode, Failure> {
    let _session = options.server.session()?;
    Err(Failure::refused(
        "`coeval apply` is not there yet",
        "Use another command.",
    ))
}
