//! `coeval-release-check`: compares what a binary serves with the kept releases, and keeps new ones.

mod command;

use clap::{Parser, Subcommand};
use command::{CommandFailure, bless, check, outputs};
use std::process::ExitCode;

/// Compare what a release serves with those that are kept
#[derive(Debug, Parser)]
#[command(name = "coeval-release-check", version)]
struct CheckCli {
    #[command(subcommand)]
    command: CheckCommand,
}

#[derive(Debug, Subcommand)]
enum CheckCommand {
    Check(check::CheckOptions),
    Bless(bless::BlessOptions),
    Outputs(outputs::OutputsOptions),
}

fn run(cli: &CheckCli) -> Result<String, CommandFailure> {
    match &cli.command {
        CheckCommand::Check(options) => check::run(options),
        CheckCommand::Bless(options) => bless::run(options),
        CheckCommand::Outputs(options) => outputs::run(options),
    }
}

fn main() -> ExitCode {
    match run(&CheckCli::parse()) {
        Ok(done) => {
            println!("{done}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
