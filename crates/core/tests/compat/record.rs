//! Witnesses for a second validator.

use serde_json::Value;
use std::path::Path;

/// One line each, in the folder that `./test witnesses` reads.
pub(crate) fn write(name: &str, witnesses: &[Value]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("witnesses");
    std::fs::create_dir_all(&folder).unwrap();
    let lines: String = witnesses.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(folder.join(format!("{name}.jsonl")), lines).unwrap();
}
