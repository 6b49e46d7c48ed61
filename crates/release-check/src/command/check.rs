//! `check`: whether anything breaks.

use super::CommandFailure;
use super::served::ask_binary;
use clap::Args;
use coeval_release_check::{RuleSet, SurfaceSummary, check, read_kept_releases};
use std::path::PathBuf;

/// Compare what a binary serves with every kept release
#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    /// The binary of coeval to ask
    #[arg(long, value_name = "FILE")]
    binary: PathBuf,
    /// Where releases are kept
    #[arg(long, value_name = "DIR", default_value = "releases")]
    releases: PathBuf,
    /// Leave out what commands print: no server is started
    #[arg(long)]
    without_outputs: bool,
}

pub(crate) fn run(options: &CheckOptions) -> Result<String, CommandFailure> {
    let kept = read_kept_releases(&options.releases)?;
    if kept.is_empty() {
        return Err(CommandFailure::new(format!(
            "no release is kept in {}: run it at the root of the repository, or give --releases",
            options.releases.display()
        )));
    }
    let served = ask_binary(&options.binary, !options.without_outputs)?.surface;
    let violations = check(&kept, &served, &RuleSet::all());
    if !violations.is_empty() {
        return Err(CommandFailure::of_violations(&violations));
    }
    let with: Vec<String> = kept.iter().map(|one| one.release().to_string()).collect();
    let with = with.join(", ");
    let (release, compared) = (served.release, SurfaceSummary::of(&served));
    Ok(format!("{release} breaks nothing of {with}: {compared}"))
}
