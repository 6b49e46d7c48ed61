//! Which crates there are, and which of them are shipped.

use super::ShapeError;
use std::path::{Path, PathBuf};

/// Crates that only tests, measurements and checks use.
const NOT_SHIPPED: &[&str] = &[
    "bench",
    "phases-model",
    "release-check",
    "repo-checks",
    "storage-suite",
];

/// Whether its code is product code.
#[must_use]
pub fn is_product(name: &str) -> bool {
    !NOT_SHIPPED.contains(&name)
}

/// Names and folders of all crates, sorted.
pub(super) fn all_crates(root: &Path) -> Result<Vec<(String, PathBuf)>, ShapeError> {
    let mut found = Vec::new();
    for path in entries(&root.join("crates"))? {
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(name) = name
            && path.join("Cargo.toml").is_file()
        {
            found.push((name.to_owned(), path));
        }
    }
    Ok(found)
}

/// What is in a folder, sorted; a folder that does not exist is empty.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, ShapeError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let unreadable = |error| ShapeError::Unreadable {
        path: folder.to_owned(),
        error,
    };
    let listed = std::fs::read_dir(folder).map_err(unreadable)?;
    let paths: Result<Vec<_>, _> = listed
        .map(|entry| entry.map(|entry| entry.path()))
        .collect();
    let mut paths = paths.map_err(unreadable)?;
    paths.sort();
    Ok(paths)
}
