//! `releases/previous`, in tiny repositories with a history of their own.

use crate::files::{read, root};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A repository whose release 0.1.0 is an earlier commit, and which is 0.2.0 by now.
struct TinyRepository {
    folder: TempDir,
}

const SCRIPT: &str = "releases/previous";

fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {output:?}"
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut all = vec!["-c", "user.name=test", "-c", "user.email=test@example.com"];
    all.extend(arguments);
    run(folder, "git", &all)
}

impl TinyRepository {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let repository = Self { folder };
        let path = repository.path();
        std::fs::create_dir(&path).unwrap();
        git(&path, &["init", "--quiet"]);
        write(&path.join(".gitignore"), "/target\n");
        repository.becomes("0.1.0");
        let commit = git(&path, &["rev-parse", "HEAD"]);
        write(&path.join("releases/0.1.0/COMMIT"), &format!("{commit}\n"));
        // One that is older, and this release's own.
        write(&path.join("releases/0.0.9/COMMIT"), "0000\n");
        write(&path.join("releases/0.2.0/COMMIT"), "0000\n");
        std::fs::copy(root().join(SCRIPT), path.join(SCRIPT)).unwrap();
        repository.becomes("0.2.0");
        repository
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    /// Commits a program that says its version.
    fn becomes(&self, version: &str) {
        let path = self.path();
        let package = format!("name = \"coeval\"\nversion = \"{version}\"\n");
        let manifest = format!("[package]\n{package}edition = \"2024\"\n[workspace]\n");
        write(&path.join("Cargo.toml"), &manifest);
        let lock = format!("version = 4\n\n[[package]]\n{package}");
        write(&path.join("Cargo.lock"), &lock);
        let program = "fn main() { println!(env!(\"CARGO_PKG_VERSION\")) }\n";
        write(&path.join("src/main.rs"), program);
        git(&path, &["add", "--all"]);
        git(&path, &["commit", "--quiet", "--message", version]);
    }
}

fn script(folder: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(folder.join(SCRIPT));
    command
        .env_remove("COEVAL_PREVIOUS")
        .env_remove("CARGO_TARGET_DIR");
    command.envs(variables.iter().copied());
    command.current_dir("/").output().unwrap()
}

/// The binary that it prints, and what it says.
fn found(folder: &Path, variables: &[(&str, &str)]) -> (PathBuf, String) {
    let output = script(folder, variables);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    let binary = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
    assert_eq!(run(folder, binary.to_str().unwrap(), &[]), "0.1.0");
    (binary, told)
}

fn refused(folder: &Path, variables: &[(&str, &str)]) -> String {
    let output = script(folder, variables);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_newest_release_before_this_one_is_built_once() {
    let repository = TinyRepository::new();
    let path = repository.path();
    let (binary, told) = found(&path, &[]);
    assert!(told.contains("release 0.1.0 was built in"), "{told}");
    let worktrees = || git(&path, &["worktree", "list"]).lines().count();
    assert_eq!(worktrees(), 1, "the source stays behind");
    assert_eq!(found(&path, &[]), (binary, String::new()));
    // What git remembers of a removed target folder is no trouble, nor is a source left behind.
    std::fs::remove_dir_all(path.join("target")).unwrap();
    let source = path.join("target/previous/0.1.0/source");
    let add = ["worktree", "add", "--detach", source.to_str().unwrap()];
    git(&path, &add);
    assert!(found(&path, &[]).1.contains("was built in"));
    git(&path, &add);
    std::fs::remove_dir_all(path.join("target")).unwrap();
    assert!(found(&path, &[]).1.contains("was built in"));
    assert_eq!(worktrees(), 1);
    // Another commit is another binary.
    let head = git(&path, &["rev-parse", "HEAD~"]);
    let other = git(
        &path,
        &["commit-tree", &format!("{head}^{{tree}}"), "-m", "other"],
    );
    write(&path.join("releases/0.1.0/COMMIT"), &other);
    assert!(found(&path, &[]).1.contains("was built in"));
}

#[test]
fn a_kept_release_is_built_in_a_clone_in_a_worktree_and_for_another_target_folder() {
    let repository = TinyRepository::new();
    let path = repository.path();
    let clone = repository.folder.path().join("clone");
    let url = format!("file://{}", path.display());
    git(&path, &["clone", "--quiet", &url, clone.to_str().unwrap()]);
    let linked = repository.folder.path().join("linked");
    git(
        &clone,
        &["worktree", "add", "--quiet", linked.to_str().unwrap()],
    );
    let target = repository.folder.path().join("elsewhere");
    let elsewhere = [("CARGO_TARGET_DIR", target.to_str().unwrap())];
    for (folder, variables, target) in [
        (&clone, &[][..], clone.join("target")),
        (&linked, &[], linked.join("target")),
        (&linked, &elsewhere, target.clone()),
    ] {
        let (binary, told) = found(folder, variables);
        assert!(binary.starts_with(&target), "{}", binary.display());
        assert!(told.contains("was built in"), "{told}");
    }
}

#[test]
fn a_shallow_clone_says_what_to_do() {
    let repository = TinyRepository::new();
    let shallow = repository.folder.path().join("shallow");
    let url = format!("file://{}", repository.path().display());
    let to = shallow.to_str().unwrap();
    git(
        &repository.path(),
        &["clone", "--quiet", "--depth", "1", &url, to],
    );
    let told = refused(&shallow, &[]);
    for advice in [
        "git fetch --unshallow",
        "COEVAL_PREVIOUS=FILE",
        "./test --without previous",
    ] {
        assert!(told.contains(advice), "{told}");
    }
}

#[test]
fn a_given_binary_is_taken_if_it_can_be_executed() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("coeval");
    std::fs::write(&file, "#!/bin/sh\necho 0.1.0\n").unwrap();
    let given = [("COEVAL_PREVIOUS", file.to_str().unwrap())];
    let told = refused(&root(), &given);
    assert!(told.contains("can't be executed"), "{told}");
    assert!(told.contains("chmod +x"), "{told}");
    run(folder.path(), "chmod", &["+x", "coeval"]);
    assert_eq!(found(&root(), &given), (file, String::new()));
    let told = refused(&root(), &[("COEVAL_PREVIOUS", "/nowhere")]);
    assert!(told.contains("is not a file"), "{told}");
}

#[test]
fn every_kept_release_names_a_whole_commit() {
    for kept in std::fs::read_dir(root().join("releases")).unwrap() {
        let kept = kept.unwrap();
        if !kept.path().is_dir() {
            continue;
        }
        let name = kept.file_name().into_string().unwrap();
        let commit = read(&format!("releases/{name}/COMMIT"));
        let commit = commit.trim();
        let is_whole = commit.len() == 40 && commit.bytes().all(|one| one.is_ascii_hexdigit());
        assert!(is_whole, "releases/{name}/COMMIT: {commit}");
    }
}
