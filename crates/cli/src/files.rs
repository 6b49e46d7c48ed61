//! Resource files: what `-f` names, read whole before anything is sent. One document that can't be
//! read refuses them all, and each problem says its file, its document and its line.

mod document;
mod error;
mod walk;

pub(crate) use document::{Declared, Place};
pub(crate) use error::FilesError;

use crate::failure::Failure;
use clap::Args;
use coeval_core::types::{BodyLimits, read_documents};
use error::{Problem, Why};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use walk::{read_bytes, walk};

/// Bytes of one file.
const FILE_BYTES: usize = 16 << 20;
/// Levels of objects and lists: those of a content, and the few around it.
const DEPTH: usize = coeval_core::types::limits::CONTENT_DEPTH + 8;
/// Documents in all.
const DOCUMENTS: usize = 100_000;
/// Problems that are told; after that one mends and tries again.
const TOLD: usize = 50;

/// Which files.
#[derive(Clone, Debug, Args)]
pub(crate) struct FileOptions {
    /// A file with resources, YAML or JSON; a folder of such files; - for stdin
    #[arg(short, long = "filename", value_name = "FILE", required = true)]
    pub(crate) filename: Vec<PathBuf>,
    /// Look into the folders of folders too
    #[arg(short = 'R', long)]
    pub(crate) recursive: bool,
}

impl FileOptions {
    /// All resources of the files, in their order.
    ///
    /// # Errors
    /// If anything of it can't be used. The exit code is that of wrong usage.
    pub(crate) fn read(&self) -> Result<Vec<Declared>, Failure> {
        read(&self.filename, self.recursive).map_err(|error| Failure::from(error).into_usage())
    }
}

/// All resources of these files and folders.
pub(crate) fn read(paths: &[PathBuf], recursive: bool) -> Result<Vec<Declared>, FilesError> {
    let mut problems = Vec::new();
    let mut all = Vec::new();
    let mut stdin = false;
    for path in paths {
        if path == Path::new("-") && std::mem::replace(&mut stdin, true) {
            problems.push(Problem::of_file(path, Why::StdinTwice));
            continue;
        }
        match walk(path, recursive) {
            Ok(files) => {
                for file in &files {
                    let bytes = read_bytes(file, FILE_BYTES);
                    read_one(&file.said(), bytes, &mut all, &mut problems);
                    if problems.len() > TOLD || all.len() > DOCUMENTS {
                        break;
                    }
                }
            }
            Err(why) => problems.push(Problem::of_file(path, why)),
        }
    }
    if all.len() > DOCUMENTS {
        let why = Why::TooMany(DOCUMENTS);
        problems.push(Problem::new("the files".to_owned(), why));
    }
    problems.extend(said_twice(&all));
    match FilesError::of(problems) {
        Some(error) => Err(error),
        None => Ok(all),
    }
}

/// The resources of a text that is no file.
pub(crate) fn read_text(text: &str, called: &str) -> Result<Vec<Declared>, FilesError> {
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    read_one(
        called,
        Ok(text.as_bytes().to_vec()),
        &mut all,
        &mut problems,
    );
    match FilesError::of(problems) {
        Some(error) => Err(error),
        None => Ok(all),
    }
}

fn read_one(
    called: &str,
    bytes: Result<Vec<u8>, Why>,
    all: &mut Vec<Declared>,
    problems: &mut Vec<Problem>,
) {
    let limits = BodyLimits {
        bytes: FILE_BYTES,
        depth: DEPTH,
    };
    let read = bytes.and_then(|bytes| {
        read_documents(&bytes, limits).map_err(|error| Why::Document(Box::new(error)))
    });
    let documents = match read {
        Ok(documents) => documents,
        Err(why) => {
            problems.push(Problem::new(called.to_owned(), why));
            return;
        }
    };
    let before = all.len() + problems.len();
    for (number, one) in documents.iter().enumerate() {
        document::resources(called.to_owned(), number + 1, one, all, problems);
        if problems.len() > TOLD || all.len() > DOCUMENTS {
            return;
        }
    }
    if all.len() + problems.len() == before {
        problems.push(Problem::new(called.to_owned(), Why::Nothing));
    }
}

/// Two documents for one resource: which of them should win?
fn said_twice(all: &[Declared]) -> Vec<Problem> {
    let mut seen: HashMap<_, &Place> = HashMap::new();
    let mut problems = Vec::new();
    for one in all {
        let what = (&one.kind, &one.namespace, &one.name);
        if let Some(first) = seen.insert(what, &one.place) {
            let name = one.to_string();
            let first = first.to_string();
            problems.push(Problem::new(
                one.place.to_string(),
                Why::Twice { name, first },
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests;
