//! A binary that serves the files of a folder, and prints the same JSON for every command.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) struct FakeRelease {
    folder: tempfile::TempDir,
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../releases/0.1.0")
}

pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

impl FakeRelease {
    /// It serves what 0.1.0 did, as that release, and 0.1.0 is kept.
    pub(crate) fn new(number: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fake = Self { folder };
        copy(&kept(), &fake.served());
        for name in ["COMMIT", "outputs.json"] {
            std::fs::remove_file(fake.served().join(name)).unwrap();
        }
        std::fs::write(fake.served().join("release"), number).unwrap();
        copy(&kept(), &fake.releases().join("0.1.0"));
        fake.write_script(r#"echo "$$" > pid-of-the-server; echo "coeval ready on http://127.0.0.1:1"; exec sleep 600"#);
        fake
    }

    /// What `dev` does; each command writes the same.
    pub(crate) fn write_script(&self, dev: &str) {
        let served = self.served();
        let script = format!(
            r#"#!/bin/sh
case "$1" in
surface) cp -r '{}' "$3" ;;
dev) {dev} ;;
*) test -z "$COEVAL_SERVER" && echo '{{"items":[{{"name":"a"}}]}}' ;;
esac
"#,
            served.display()
        );
        std::fs::write(self.binary(), script).unwrap();
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.binary(), executable).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn served(&self) -> PathBuf {
        self.path().join("served")
    }

    pub(crate) fn releases(&self) -> PathBuf {
        self.path().join("releases")
    }

    pub(crate) fn binary(&self) -> PathBuf {
        self.path().join("coeval")
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let binary = env!("CARGO_BIN_EXE_coeval-release-check");
        let mut command = Command::new(binary);
        command.args(arguments).arg("--binary").arg(self.binary());
        command
            .current_dir(self.path())
            .env("COEVAL_SERVER", "http://elsewhere");
        command.output().unwrap()
    }
}

pub(crate) fn stdout(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

pub(crate) fn refusal(output: &Output) -> String {
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}
