//! `bless`: keeps what a release serves. It changes all or nothing: the files are written to a
//! folder beside the others, which gets its name when it is whole.

use super::CommandFailure;
use super::served::{ServedFiles, ask_binary};
use clap::Args;
use coeval_release_check::{KeptRelease, RuleSet, SurfaceSummary, check, read_kept_releases};
use coeval_releases::Release;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Keep what a release serves, so that later ones are compared with it
#[derive(Debug, Args)]
pub(crate) struct BlessOptions {
    /// The release, such as 0.2.0
    release: Release,
    /// The binary of coeval to ask
    #[arg(long, value_name = "FILE")]
    binary: PathBuf,
    /// The commit that it is built from; HEAD if omitted, and then nothing may be uncommitted
    #[arg(long, value_name = "HASH", value_parser = commit_hash)]
    commit: Option<String>,
    /// Where releases are kept
    #[arg(long, value_name = "DIR", default_value = "releases")]
    releases: PathBuf,
    /// Keep a release that is already out: nothing is compared
    #[arg(long)]
    as_released: bool,
    /// Leave out what commands print: no server is started
    #[arg(long)]
    without_outputs: bool,
}

pub(crate) fn run(options: &BlessOptions) -> Result<String, CommandFailure> {
    let kept = read_kept_releases(&options.releases)?;
    // Before the binary is asked, which takes a server and its time.
    refuse_number(options, &kept)?;
    let commit = match &options.commit {
        Some(commit) => commit.clone(),
        None => head_of(&options.releases)?,
    };
    let served = ask_binary(&options.binary, !options.without_outputs)?;
    let found = served.surface.release;
    // The binary knows which release it is. A wrong number would be kept for ever.
    if found != options.release {
        return Err(CommandFailure::new(format!(
            "{} is of release {found}, not {}: nothing was kept",
            options.binary.display(),
            options.release
        )));
    }
    if !options.as_released {
        let violations = check(&kept, &served.surface, &RuleSet::all());
        if !violations.is_empty() {
            let failure = CommandFailure::of_violations(&violations);
            return Err(CommandFailure::new(format!("{failure} Nothing was kept.")));
        }
    }
    let target = options.releases.join(options.release.to_string());
    keep(&served, &commit, &options.releases, &target)?;
    let counted = SurfaceSummary::of(&served.surface);
    Ok(format!("kept {found} in {}: {counted}", target.display()))
}

/// A whole hash: what is kept is built from it, and is never changed.
fn commit_hash(text: &str) -> Result<String, String> {
    let is_hash = text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let wrong = || "use the 40 digits that `git rev-parse` prints".to_owned();
    is_hash.then(|| text.to_owned()).ok_or_else(wrong)
}

fn refuse_number(options: &BlessOptions, kept: &[KeptRelease]) -> Result<(), CommandFailure> {
    let release = options.release;
    if kept.iter().any(|one| one.release() == release) {
        return Err(CommandFailure::new(format!(
            "{release} is kept already, and what is released does not change"
        )));
    }
    let newest = kept.iter().map(KeptRelease::release).max();
    match newest.filter(|newest| *newest > release && !options.as_released) {
        Some(newest) => Err(CommandFailure::new(format!(
            "{release} is not above {newest}, which is kept: give it a higher number"
        ))),
        None => Ok(()),
    }
}

/// The commit that is checked out, if that is all there is.
fn head_of(folder: &Path) -> Result<String, CommandFailure> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .output();
        let output =
            output.map_err(|error| CommandFailure::new(format!("can't run git: {error}")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(CommandFailure::new(format!("git: {said}; give --commit")));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    if !git(&["status", "--porcelain"])?.is_empty() {
        return Err(CommandFailure::new(
            "something is not committed, so no commit is this release: commit it, or give --commit",
        ));
    }
    git(&["rev-parse", "HEAD"])
}

fn keep(
    served: &ServedFiles,
    commit: &str,
    releases: &Path,
    target: &Path,
) -> Result<(), CommandFailure> {
    // Beside its target: within one file system the rename happens at once or not at all.
    let unfinished = tempfile::Builder::new()
        .prefix(".blessing-")
        .tempdir_in(releases)?;
    copy(&served.folder(), unfinished.path())?;
    std::fs::write(unfinished.path().join("COMMIT"), format!("{commit}\n"))?;
    // A temporary folder is its owner's alone; what is kept is for everybody.
    let permissions = std::fs::metadata(releases)?.permissions();
    std::fs::set_permissions(unfinished.path(), permissions)?;
    std::fs::rename(unfinished.keep(), target)?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), CommandFailure> {
    let mut pending = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = pending.pop() {
        std::fs::create_dir_all(&to)?;
        for entry in std::fs::read_dir(&from)? {
            let (path, target) = entry.map(|one| (one.path(), to.join(one.file_name())))?;
            if path.is_dir() {
                pending.push((path, target));
            } else {
                std::fs::copy(&path, &target)?;
            }
        }
    }
    Ok(())
}
