//! The files that the command reads and writes.

use super::error::ConvertError;
use super::kept_file::KeptFile;
use coeval_core::types::{BodyLimits, Document, TypeVersion, read_document};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Far beyond every limit, so that a refusal can say how large a file is.
const READ_AT_MOST: u64 = 64 * 1024 * 1024;

/// The type versions of all files.
pub(super) fn types(paths: &[PathBuf]) -> Result<Vec<TypeVersion>, ConvertError> {
    let mut versions = Vec::new();
    for path in paths {
        let text = String::from_utf8(bytes(path)?).map_err(|error| ConvertError::File {
            path: path.clone(),
            reason: error.utf8_error().to_string(),
        })?;
        let found = TypeVersion::parse_all(&text).map_err(|error| ConvertError::Type {
            path: path.clone(),
            error: Box::new(error),
        })?;
        versions.extend(found);
    }
    Ok(versions)
}

pub(super) fn document(path: &Path) -> Result<Document, ConvertError> {
    let read = read_document(&bytes(path)?, BodyLimits::default());
    read.map_err(|error| ConvertError::Document {
        path: path.to_owned(),
        error,
    })
}

pub(super) fn kept(path: &Path) -> Result<KeptFile, ConvertError> {
    KeptFile::read(&bytes(path)?).map_err(|reason| ConvertError::Kept {
        path: path.to_owned(),
        reason,
    })
}

/// Writes a file that is not there yet: what was kept before may be all that is left of something.
pub(super) fn write_new(path: &Path, text: &str) -> Result<(), ConvertError> {
    // Never over an existing file, and synced: it may be the only copy of what is kept.
    let written = File::create_new(path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.map_err(|error| unusable(path, &error))
}

fn bytes(path: &Path) -> Result<Vec<u8>, ConvertError> {
    let read = || -> io::Result<Vec<u8>> {
        let source: Box<dyn Read> = if path == Path::new("-") {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path)?)
        };
        let mut bytes = Vec::new();
        source.take(READ_AT_MOST).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error| unusable(path, &error))
}

fn unusable(path: &Path, error: &io::Error) -> ConvertError {
    ConvertError::File {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}
