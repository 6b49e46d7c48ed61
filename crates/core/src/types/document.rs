//! Content as people write it in a file: JSON, or YAML with the meaning that JSON would have.

use super::body::{BodyError, read_body};
use super::file_error::{FileError, FileProblem};
use super::limits::BodyLimits;
use super::position::Position;
use super::yaml::{self, YamlBounds};
use coeval_codes::Coded;
use serde_json::Value;

/// The content of a file, and how it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What it says.
    pub content: Value,
    /// How.
    pub form: DocumentForm,
}

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentForm {
    /// As JSON.
    Json,
    /// As YAML.
    Yaml,
}

/// Why a document can't be taken as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum DocumentError {
    /// What would be refused in a body too.
    #[error(transparent)]
    #[code(transparent)]
    Body(#[from] BodyError),
    /// Neither YAML nor JSON, or YAML that JSON can't say.
    #[error("{position}: {reason}")]
    #[code(
        DOCUMENT_INVALID,
        advice = "Correct the line; mostly it is the indentation, a quote or a comma."
    )]
    Yaml {
        /// Where.
        position: Position,
        /// Why.
        reason: String,
    },
    /// One is expected.
    #[error("there are {0} documents in it, and one is expected")]
    #[code(
        DOCUMENT_INVALID,
        advice = "Give one document; --- begins another one."
    )]
    Documents(usize),
}

/// The document of a text: what is returned means exactly what was written. Keys that are there
/// twice, numbers that would be changed and YAML that has no meaning in JSON are refused.
///
/// # Errors
///
/// Whatever would be lost, guessed or too much.
pub fn read_document(bytes: &[u8], limits: BodyLimits) -> Result<Document, DocumentError> {
    let form = DocumentForm::Json;
    let not_json = match read_body(bytes, limits) {
        Ok(content) => return Ok(Document { content, form }),
        Err(error @ BodyError::NotJson { .. }) => error,
        Err(other) => return Err(other.into()),
    };
    // It is UTF-8, or the error would be another.
    let text = String::from_utf8_lossy(bytes);
    let like_json = text.trim_start().starts_with(['{', '[']);
    match read_yaml(&text, limits) {
        Err(DocumentError::Yaml { .. }) if like_json => Err(not_json.into()),
        read => read,
    }
}

fn read_yaml(text: &str, limits: BodyLimits) -> Result<Document, DocumentError> {
    let bounds = YamlBounds {
        depth: limits.depth,
        // In JSON a value takes two bytes at least, with what separates it from the next.
        nodes: limits.bytes / 2,
    };
    let documents = yaml::read(text, bounds).map_err(|problems| first(problems, limits))?;
    let [document] = documents.as_slice() else {
        return Err(DocumentError::Documents(documents.len()));
    };
    let content = document.to_json();
    // Aliases are short, what they stand for need not be.
    let bytes = content.to_string().len();
    if bytes > limits.bytes {
        let limit = limits.bytes;
        return Err(BodyError::TooLarge { bytes, limit }.into());
    }
    let form = DocumentForm::Yaml;
    Ok(Document { content, form })
}

pub(super) fn first(mut problems: Vec<FileProblem>, limits: BodyLimits) -> DocumentError {
    problems.sort_by_key(|problem| problem.position);
    let Some(FileProblem { position, found }) = problems.into_iter().next() else {
        return DocumentError::Documents(0);
    };
    let reason = match found {
        FileError::TooDeep => {
            let limit = limits.depth;
            return BodyError::TooDeep { position, limit }.into();
        }
        FileError::KeyTwice(key) => {
            let key = key.chars().take(100).collect();
            return BodyError::DuplicateKey { position, key }.into();
        }
        FileError::Number(text) => return BodyError::Number { position, text }.into(),
        FileError::TooManyNodes => "there are too many values, aliases written out".to_owned(),
        FileError::Syntax(reason) => reason,
        other => other.to_string(),
    };
    DocumentError::Yaml { position, reason }
}
