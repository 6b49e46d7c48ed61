//! `bless`.

use crate::fake::{FakeRelease, refusal, stdout};
use std::path::Path;
use std::process::Command;

/// Forty digits, as a commit has.
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@x"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_release_is_kept_whole_with_its_commit_and_compared_with_from_then_on() {
    let fake = FakeRelease::new("0.2.0");
    let said = stdout(&fake.run(&["bless", "0.2.0", "--commit", COMMIT, "--as-released"]));
    assert!(said.starts_with("kept 0.2.0 in releases/0.2.0"), "{said}");
    assert_eq!(names(&fake.releases()), ["0.1.0", "0.2.0"]);
    let kept = fake.releases().join("0.2.0");
    assert_eq!(names(&kept), names(&fake.releases().join("0.1.0")));
    assert_eq!(
        std::fs::read_to_string(kept.join("COMMIT")).unwrap(),
        format!("{COMMIT}\n")
    );
    let said = stdout(&fake.run(&["check"]));
    assert!(said.contains("breaks nothing of 0.2.0, 0.1.0"), "{said}");
}

#[test]
fn a_release_that_is_another_kept_already_or_too_low_is_refused_and_nothing_changes() {
    for (number, asked, why) in [
        ("0.2.0", "0.3.0", "is of release 0.2.0, not 0.3.0"),
        ("0.1.0", "0.1.0", "0.1.0 is kept already"),
        ("0.0.9", "0.0.9", "0.0.9 is not above 0.1.0"),
        ("0.2.0", "two", "is not a release"),
    ] {
        let fake = FakeRelease::new(number);
        let output = fake.run(&["bless", asked, "--commit", COMMIT, "--without-outputs"]);
        assert!(!output.status.success());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(why), "{said}");
        assert_eq!(names(&fake.releases()), ["0.1.0"], "{why}");
    }
}

#[test]
fn a_release_that_breaks_something_is_not_kept() {
    let fake = FakeRelease::new("0.2.0");
    let file = fake.served().join("errors.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("COEVAL-1001", "COEVAL-9999")).unwrap();
    let said = refusal(&fake.run(&["bless", "0.2.0", "--commit", COMMIT, "--without-outputs"]));
    assert!(
        said.contains("error-code-stays: error codes, COEVAL-1001"),
        "{said}"
    );
    assert!(said.contains("Nothing was kept."), "{said}");
    assert_eq!(names(&fake.releases()), ["0.1.0"]);
}

#[test]
fn without_a_commit_it_is_that_of_the_tree_which_must_be_clean() {
    let fake = FakeRelease::new("0.2.0");
    let bless = ["bless", "0.2.0", "--without-outputs"];
    git(fake.path(), &["init", "-q"]);
    git(fake.path(), &["add", "."]);
    git(fake.path(), &["commit", "-q", "-m", "all"]);
    std::fs::write(fake.path().join("more"), "").unwrap();
    let said = refusal(&fake.run(&bless));
    assert!(said.contains("something is not committed"), "{said}");
    assert_eq!(names(&fake.releases()), ["0.1.0"]);
    std::fs::remove_file(fake.path().join("more")).unwrap();
    stdout(&fake.run(&bless));
    let commit = std::fs::read_to_string(fake.releases().join("0.2.0/COMMIT")).unwrap();
    assert_eq!(commit.trim(), git(fake.path(), &["rev-parse", "HEAD"]));
}
