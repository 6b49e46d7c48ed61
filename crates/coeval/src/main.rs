//! `coeval`: the one binary.

mod cli;
mod completion;
mod config;
mod deprecated;
mod dev;
mod errors;
#[cfg(test)]
mod help_tests;
mod keyring;
mod man;
mod quantity;
mod serve;
mod store_address;
mod store_commands;
mod surface;
mod telemetry;
mod text_file;
mod url;

use clap::{ArgMatches, CommandFactory as _};
use cli::{CommandLine, TopCommand};
use coeval_cli::Failure;
use std::process::ExitCode;

/// Records are made on a store's threads and dropped on a task's: glibc's allocator returns their
/// memory to the system each time, which made ranges a quarter slower.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    completion::answer_a_shell(CommandLine::command);
    let (cli, matches) = match config::parse::<CommandLine>(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(stop) => return stop.report(),
    };
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::internal(format!("can't start threads: {error}")))
        .and_then(|runtime| runtime.block_on(run(cli, &matches)));
    match outcome {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// `matches` are those of the subcommand: they know where each value came from.
async fn run(cli: CommandLine, matches: &ArgMatches) -> Result<ExitCode, Failure> {
    match cli.command {
        TopCommand::Resources(command) => return coeval_cli::run(*command).await,
        TopCommand::Serve(options) => serve::run(&options, matches).await?,
        TopCommand::Dev(options) => dev::run(&options, matches).await?,
        TopCommand::Store(options) => store_commands::run(options, matches).await?,
        TopCommand::Type(options) => return coeval_cli::types::run(options, matches).await,
        TopCommand::Explain(options) => coeval_cli::explain::run(&options).await?,
        TopCommand::Convert(options) => coeval_cli::convert::run(&options)?,
        TopCommand::Errors(options) => errors::run(&options)?,
        TopCommand::Completion(options) => completion::run(&options)?,
        TopCommand::Man(options) => man::run(&options, &CommandLine::command())?,
        TopCommand::Surface(options) => surface::run(&options, &config::declared::<CommandLine>())?,
    }
    Ok(ExitCode::SUCCESS)
}
