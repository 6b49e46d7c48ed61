//! The two releases, and their binaries.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A release of Coeval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Release {
    /// The newest one that was released before this one.
    Previous,
    /// What this test was built with.
    Current,
}

/// Both, the older one first.
pub(crate) const BOTH: [Release; 2] = [Release::Previous, Release::Current];

impl Release {
    pub(crate) fn binary(self) -> PathBuf {
        match self {
            Self::Previous => previous_binary(),
            Self::Current => PathBuf::from(env!("CARGO_BIN_EXE_coeval")),
        }
    }

    /// Its number, as it tells itself.
    pub(crate) fn number(self) -> String {
        let output = Command::new(self.binary()).arg("--version").output();
        let told = String::from_utf8(output.unwrap().stdout).unwrap();
        told.split_whitespace().nth(1).unwrap().to_owned()
    }

    /// The binary, with no `COEVAL_…` variable of whoever runs the tests.
    pub(crate) fn command(self, folder: &Path) -> Command {
        let mut command = Command::new(self.binary());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("COEVAL_") {
                command.env_remove(name);
            }
        }
        command.env("HOME", folder).env_remove("XDG_CONFIG_HOME");
        command.current_dir(folder);
        command
    }
}

/// The file that `COEVAL_PREVIOUS` names.
pub(crate) fn previous_binary() -> PathBuf {
    let given = std::env::var_os("COEVAL_PREVIOUS").map(PathBuf::from);
    given.filter(|path| path.is_file()).expect(
        "COEVAL_PREVIOUS does not name the binary of the release before this one. \
         Run: export COEVAL_PREVIOUS=$(releases/previous)",
    )
}

#[test]
fn the_previous_release_is_another_one_than_this() {
    assert_eq!(Release::Current.number(), env!("CARGO_PKG_VERSION"));
    assert_ne!(Release::Previous.number(), Release::Current.number());
}
