//! The repository's files and its crates' metadata.

use cargo_metadata::{Metadata, MetadataCommand};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../..").canonicalize().unwrap()
}

pub(crate) fn read(path: &str) -> String {
    let full = root().join(path);
    std::fs::read_to_string(&full).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Paths of all files that are in the repository or about to be added to it.
pub(crate) fn listed() -> Vec<String> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git lists the files");
    assert!(output.status.success(), "git ls-files failed");
    let listed = String::from_utf8(output.stdout).unwrap();
    let exists = |path: &&str| root().join(path).is_file();
    listed.lines().filter(exists).map(str::to_owned).collect()
}

/// The graph of this platform, as the last build locked it; nothing is fetched.
pub(crate) fn metadata() -> Metadata {
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml"));
    command.other_options(vec![
        "--offline".to_owned(),
        "--filter-platform".to_owned(),
        host(),
    ]);
    command.exec().expect("cargo metadata")
}

fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.unwrap().to_owned()
}
