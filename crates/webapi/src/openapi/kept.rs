//! The description of this release is kept in the repository, and what is served now must be
//! compatible with it: a client of the release that it was made for goes on working.

use super::compatible::broken;
use super::document;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Set to write the file anew: when something was added, or a new release begins (then under a new
/// name, and the old file stays).
const RENEW: &str = "COEVAL_RENEW_API";

const HOW: &str = "The description of the console's API as of release 0.1, kept so that nothing in it is removed or changes. To renew it after something was added: COEVAL_RENEW_API=1 cargo nextest run -p coeval-webapi kept";

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api/webapi-0.1.json")
}

fn served() -> Value {
    let mut document = document(&crate::routes(), "/");
    document["x-about"] = HOW.into();
    document
}

#[test]
fn what_is_served_is_compatible_with_what_is_kept() {
    let served = served();
    if std::env::var_os(RENEW).is_some() {
        let text = serde_json::to_string_pretty(&served).unwrap();
        std::fs::create_dir_all(file().parent().unwrap()).unwrap();
        std::fs::write(file(), text + "\n").unwrap();
    }
    let kept: Value = serde_json::from_slice(&std::fs::read(file()).unwrap()).unwrap();
    let found = broken(&kept, &served);
    assert!(found.is_empty(), "clients break:\n{}", found.join("\n"));
    // Additions are kept too, so that they can't be taken back unnoticed.
    let new = broken(&served, &kept);
    assert!(
        new.is_empty(),
        "not kept yet (run with {RENEW}=1):\n{}",
        new.join("\n")
    );
}
