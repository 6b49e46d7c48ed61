//! Resource files: what `-f` names, read whole before anything is sent. One document that can't be
//! read refuses them all, and each problem says its file, its document and its line.

mod document;
mod error;
mod walk;

pub(crate) use document::{DeclaredResource, DocumentPlace};
pub(crate) use error::FilesError;

use crate::failure::Failure;
use clap::Args;
use coeval_core::types::{BodyLimits, read_documents};
use error::{FileProblem, LocatedProblem};
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
    pub(crate) fn read(&self) -> Result<Vec<DeclaredResource>, Failure> {
        read(&self.filename, self.recursive).map_err(|error| Failure::from(error).into_usage())
    }
}

/// All resources of these files and folders.
pub(crate) fn read(
    paths: &[PathBuf],
    recursive: bool,
) -> Result<Vec<DeclaredResource>, FilesError> {
    let mut problems = Vec::new();
    let mut all = Vec::new();
    let mut stdin = false;
    for path in paths {
        // The second time nothing would be left in it.
        if path == Path::new("-") && std::mem::replace(&mut stdin, true) {
            problems.push(LocatedProblem::of_file(path, FileProblem::StdinTwice));
            continue;
        }
        match walk(path, recursive) {
            Ok(files) => {
                for file in &files {
                    let bytes = read_bytes(file, FILE_BYTES);
                    read_one(&file.display_name(), bytes, &mut all, &mut problems);
                    // Told until then; after that it is better to correct some and try again.
                    if problems.len() > TOLD || all.len() > DOCUMENTS {
                        break;
                    }
                }
            }
            Err(why) => problems.push(LocatedProblem::of_file(path, why)),
        }
    }
    // Checked once over all files: what is sent is limited as a whole.
    if all.len() > DOCUMENTS {
        let why = FileProblem::TooMany(DOCUMENTS);
        problems.push(LocatedProblem::new("the files".to_owned(), why));
    }
    problems.extend(duplicates(&all));
    match FilesError::of(problems) {
        Some(error) => Err(error),
        None => Ok(all),
    }
}

/// The resources of a text that is no file.
pub(crate) fn read_text(text: &str, called: &str) -> Result<Vec<DeclaredResource>, FilesError> {
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
    bytes: Result<Vec<u8>, FileProblem>,
    all: &mut Vec<DeclaredResource>,
    problems: &mut Vec<LocatedProblem>,
) {
    // Bounds on each file, so that a broken one can't fill the memory.
    let limits = BodyLimits {
        bytes: FILE_BYTES,
        depth: DEPTH,
    };
    let read = bytes.and_then(|bytes| {
        read_documents(&bytes, limits).map_err(|error| FileProblem::Document(Box::new(error)))
    });
    let documents = match read {
        Ok(documents) => documents,
        Err(why) => {
            problems.push(LocatedProblem::new(called.to_owned(), why));
            return;
        }
    };
    // A file without anything in it is more likely a mistake than meant so.
    let before = all.len() + problems.len();
    for (number, one) in documents.iter().enumerate() {
        document::resources(called.to_owned(), number + 1, one, all, problems);
        if problems.len() > TOLD || all.len() > DOCUMENTS {
            return;
        }
    }
    if all.len() + problems.len() == before {
        problems.push(LocatedProblem::new(called.to_owned(), FileProblem::Nothing));
    }
}

/// Two documents for one resource: which of them should win?
fn duplicates(all: &[DeclaredResource]) -> Vec<LocatedProblem> {
    let mut seen: HashMap<_, &DocumentPlace> = HashMap::new();
    let mut problems = Vec::new();
    for one in all {
        let what = (&one.kind, &one.namespace, &one.name);
        if let Some(first) = seen.insert(what, &one.place) {
            let name = one.to_string();
            let first = first.to_string();
            problems.push(LocatedProblem::new(
                one.place.to_string(),
                FileProblem::Twice { name, first },
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests;
