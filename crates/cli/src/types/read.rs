//! Type files as a command names them.

use coeval_codes::{Code, Coded};
use coeval_core::compat::without_descriptions;
use coeval_core::types::{
    BodyLimits, Schema, SchemaError, TypeFileError, TypeVersion, read_document,
};
use serde_json::Value;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Far beyond the limit of a type file, so that the refusal can say how large the file is.
const READ_AT_MOST: u64 = 64 * 1024 * 1024;

/// Why one file can't be used.
#[derive(Debug, thiserror::Error)]
enum TypeFileProblem {
    #[error("{0}")]
    File(io::Error),
    #[error("the bytes from number {0} on are not UTF-8")]
    NotUtf8(usize),
    #[error(transparent)]
    Type(Box<TypeFileError>),
    #[error("{}", lines(.0))]
    Schema(Vec<SchemaError>),
}

fn lines(errors: &[SchemaError]) -> String {
    let all = errors.iter().map(ToString::to_string);
    all.collect::<Vec<_>>().join("\n")
}

#[derive(Debug)]
struct RefusedTypeFile {
    path: PathBuf,
    why: TypeFileProblem,
}

/// All files that can't be used, at least one.
#[derive(Debug)]
pub(crate) struct TypeFilesError {
    first: RefusedTypeFile,
    others: Vec<RefusedTypeFile>,
}

/// A line for each problem, with its file.
impl fmt::Display for TypeFilesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for RefusedTypeFile { path, why } in std::iter::once(&self.first).chain(&self.others) {
            let file = if is_stdin(path) {
                Path::new("stdin")
            } else {
                path
            };
            for line in why.to_string().lines() {
                write!(f, "{separator}{}: {line}", file.display())?;
                separator = "\n";
            }
        }
        Ok(())
    }
}

impl std::error::Error for TypeFilesError {}

impl Coded for TypeFilesError {
    fn code(&self) -> Code {
        match &self.first.why {
            TypeFileProblem::File(_) => coeval_codes::FILE,
            TypeFileProblem::NotUtf8(_) => coeval_codes::TYPE_FILE_SYNTAX,
            TypeFileProblem::Type(error) => error.code(),
            TypeFileProblem::Schema(errors) => {
                let code = errors.first().map(Coded::code);
                code.unwrap_or(coeval_codes::TYPE_FILE_SYNTAX)
            }
        }
    }

    fn advice(&self) -> String {
        match &self.first.why {
            TypeFileProblem::File(_) => "Check the path and the permissions.".to_owned(),
            TypeFileProblem::NotUtf8(_) => "Save the file as UTF-8.".to_owned(),
            TypeFileProblem::Type(error) => error.advice(),
            TypeFileProblem::Schema(errors) => {
                errors.first().map(Coded::advice).unwrap_or_default()
            }
        }
    }
}

/// The type versions of all files, in the order in which they are given.
pub(crate) fn read_files(paths: &[PathBuf]) -> Result<Vec<TypeVersion>, TypeFilesError> {
    let mut versions = Vec::new();
    let mut refused = Vec::new();
    // All files are read before any is judged, so that all problems are told at once.
    for path in paths {
        let path = path.clone();
        match read_file(&path) {
            Ok(mut found) => versions.append(&mut found),
            Err(why) => refused.push(RefusedTypeFile { path, why }),
        }
    }
    let mut refused = refused.into_iter();
    match refused.next() {
        None => Ok(versions),
        Some(first) => Err(TypeFilesError {
            first,
            others: refused.collect(),
        }),
    }
}

/// The documents of files as they are written, each by itself: a server judges them, which may know
/// more than this release.
pub(crate) fn read_documents(paths: &[PathBuf]) -> Result<Vec<String>, TypeFilesError> {
    let mut documents = Vec::new();
    for path in paths {
        // At the first file that can't be read nothing is sent.
        let text = read_text(path).map_err(|why| TypeFilesError {
            first: RefusedTypeFile {
                path: path.clone(),
                why,
            },
            others: Vec::new(),
        })?;
        documents.extend(split(&text));
    }
    Ok(documents)
}

/// At the lines that end a document. A file without one is one document, whatever is in it.
fn split(text: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in text.split_inclusive('\n') {
        // As YAML has it: only at the margin, and with a blank or nothing behind.
        let rest = line.strip_prefix("---");
        let ends =
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        if ends {
            documents.push(String::new());
        }
        if let Some(document) = documents.last_mut() {
            document.push_str(line);
        }
    }
    let says_something = |document: &String| {
        let mut lines = document.lines().map(str::trim);
        lines.any(|line| !line.is_empty() && !line.starts_with('#') && line != "---")
    };
    // A file that is only comments is still one document, and is refused as such.
    let several = documents.len() > 1;
    documents.retain(|document| !several || says_something(document));
    documents
}

fn read_file(path: &Path) -> Result<Vec<TypeVersion>, TypeFileProblem> {
    TypeVersion::parse_all(&read_text(path)?)
        .map_err(|error| TypeFileProblem::Type(Box::new(error)))
}

fn read_text(path: &Path) -> Result<String, TypeFileProblem> {
    String::from_utf8(read_bytes(path).map_err(TypeFileProblem::File)?)
        .map_err(|error| TypeFileProblem::NotUtf8(error.utf8_error().valid_up_to()))
}

/// A file that holds type versions, or a bare schema.
#[derive(Debug)]
pub(crate) enum TypesOrSchema {
    Types(Vec<TypeVersion>),
    Schema(Box<Schema>),
}

/// What a file holds. A document with a kind is a type file, whatever the kind.
pub(crate) fn read_types_or_schema(path: &Path) -> Result<TypesOrSchema, TypeFilesError> {
    let read = || {
        let text = read_text(path)?;
        // The limit of type files is the parser's; here a file only must not fill the memory.
        let limits = BodyLimits {
            bytes: READ_AT_MOST as usize,
            ..BodyLimits::default()
        };
        let is_schema = |content: &Value| match content {
            Value::Object(map) => !map.get("kind").is_some_and(Value::is_string),
            Value::Bool(_) => true,
            _ => false,
        };
        match read_document(text.as_bytes(), limits) {
            Ok(document) if is_schema(&document.content) => {
                // Often they are most of it, and nothing here depends on them.
                let schema = Schema::compile_to_compare(without_descriptions(document.content));
                let schema = schema.map_err(TypeFileProblem::Schema)?;
                Ok(TypesOrSchema::Schema(Box::new(schema)))
            }
            _ => {
                let types = TypeVersion::parse_all(&text);
                types
                    .map(TypesOrSchema::Types)
                    .map_err(|error| TypeFileProblem::Type(Box::new(error)))
            }
        }
    };
    read().map_err(|why| TypeFilesError {
        first: RefusedTypeFile {
            path: path.to_owned(),
            why,
        },
        others: Vec::new(),
    })
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let source: Box<dyn Read> = if is_stdin(path) {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path)?)
    };
    let mut bytes = Vec::new();
    source.take(READ_AT_MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_split_where_yaml_ends_them() {
        assert_eq!(split("a: 1\n"), ["a: 1\n"]);
        assert_eq!(
            split("# x\n---\na: 1\n---\nb: 2"),
            ["---\na: 1\n", "---\nb: 2"]
        );
        assert_eq!(
            split("a: |\n  x\n  ---\n----\n"),
            ["a: |\n  x\n  ---\n----\n"]
        );
        assert_eq!(split(""), [""]);
    }

    #[test]
    fn every_file_that_cant_be_used_is_named_in_each_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let wrong = file(
            "wrong.yaml",
            b"kind: typ\nversion: v1\nmetadata: {name: x}\n",
        );
        let binary = file("binary.yaml", b"kind: \xff");
        let missing = folder.path().join("missing.yaml");
        let error = read_files(&[wrong, binary, missing]).unwrap_err();
        assert_eq!(error.code(), coeval_codes::TYPE_KEY_MISSING);
        let said = error.to_string();
        let lines: Vec<_> = said
            .lines()
            .map(|line| line.trim_start_matches(folder.path().to_str().unwrap()))
            .collect();
        assert!(
            lines[0].starts_with("/wrong.yaml: line 1, column "),
            "{said}"
        );
        assert!(
            lines[1].starts_with("/wrong.yaml: line 1, column "),
            "{said}"
        );
        assert_eq!(
            lines[2],
            "/binary.yaml: the bytes from number 6 on are not UTF-8"
        );
        assert!(lines[3].starts_with("/missing.yaml: "), "{said}");
        assert_eq!(lines.len(), 4, "{said}");
    }
}
