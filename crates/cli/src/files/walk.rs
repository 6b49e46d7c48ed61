//! The files that a path stands for, and their bytes.

use super::error::FileProblem;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files of one folder, with those of its folders.
const FILES: usize = 10_000;
/// Folders inside of folders. A link that leads back up ends here.
const LEVELS: usize = 32;

/// A file to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileSource {
    Stdin,
    File(PathBuf),
}

impl FileSource {
    /// As errors call it.
    pub(super) fn display_name(&self) -> String {
        match self {
            Self::Stdin => "stdin".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }
}

/// The files of a path, in the order of their names. A file that is named is taken whatever it ends
/// with.
pub(super) fn walk(path: &Path, recursive: bool) -> Result<Vec<FileSource>, FileProblem> {
    if path == Path::new("-") {
        return Ok(vec![FileSource::Stdin]);
    }
    if !fs::metadata(path).map_err(FileProblem::File)?.is_dir() {
        return Ok(vec![FileSource::File(path.to_owned())]);
    }
    let mut found = Vec::new();
    // A list of folders to do rather than recursion: a deep tree can't overflow the stack.
    let mut todo = vec![(path.to_owned(), 0)];
    while let Some((folder, level)) = todo.pop() {
        for entry in fs::read_dir(&folder).map_err(FileProblem::File)? {
            // Links are followed, so that a folder of links works; the bound on levels ends
            // circles.
            let path = entry.map_err(FileProblem::File)?.path();
            if path.is_dir() {
                if recursive && level < LEVELS {
                    todo.push((path, level + 1));
                }
            } else if is_document(&path) {
                found.push(path);
            }
            if found.len() + todo.len() > FILES {
                return Err(FileProblem::TooManyFiles(FILES));
            }
        }
    }
    if found.is_empty() {
        return Err(FileProblem::EmptyFolder);
    }
    // In the order of names, so that a run can be predicted.
    found.sort();
    Ok(found.into_iter().map(FileSource::File).collect())
}

fn is_document(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json"))
}

/// The bytes of a file, at most so many.
pub(super) fn read_bytes(file: &FileSource, limit: usize) -> Result<Vec<u8>, FileProblem> {
    let source: Box<dyn Read> = match file {
        FileSource::Stdin => Box::new(io::stdin()),
        FileSource::File(path) => Box::new(File::open(path).map_err(FileProblem::File)?),
    };
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large from one that fits.
    let read = source.take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(FileProblem::File)?;
    if bytes.len() > limit {
        return Err(FileProblem::TooLarge(limit));
    }
    Ok(bytes)
}
