//! `coeval convert`: a document at another version of its type. No server is needed.

mod conversion;
mod error;
mod files;
mod kept_file;
mod print;

use crate::failure::Failure;
use clap::Args;
use coeval_core::convert::Versions;
use coeval_core::version::{Version, VersionError};
use conversion::convert;
use kept_file::KeptFile;
use std::io::Write as _;
use std::path::PathBuf;

/// Convert a document from one version of its type to another, offline.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval convert --type app-1.0.yaml,app-2.0.yaml --from 1.0 --to 2.0 web.yaml
  coeval convert --type app.yaml --from 2.0 --to 1.0 --kept web.kept new.json > old.json
  coeval convert --type app.yaml --from 1.0 --to 2.0 --with-kept web.kept old.json
  coeval convert --type app.yaml --from 1.0 --to 2.0 --json - < web.json | jq .kept

The converted document goes to stdout, as YAML if it came as YAML, else as JSON. What the conversion
may do, and what it kept of this document because the other version can't hold it, goes to stderr.
The document must fit the version that it comes from. If the result does not fit the other one, a
warning says so.

With --kept and --with-kept the way back is exact. A document may be changed in between: what was
kept for values that are still the same comes back, as when a client saves at an older version.")]
pub struct ConvertOptions {
    /// Files with all versions of the type, one or more in each
    #[arg(
        long = "type",
        required = true,
        value_name = "FILE",
        value_delimiter = ','
    )]
    types: Vec<PathBuf>,
    /// The version of the document, as 1.0, v1.0 or 1.0.0
    #[arg(long, value_name = "VERSION", value_parser = version)]
    from: Version,
    /// The version to convert to
    #[arg(long, value_name = "VERSION", value_parser = version)]
    to: Version,
    /// Write what is kept to a new file
    #[arg(long, value_name = "FILE")]
    kept: Option<PathBuf>,
    /// Use what an earlier conversion kept for this document
    #[arg(long, value_name = "FILE")]
    with_kept: Option<PathBuf>,
    /// Print a JSON object with the document, what is kept, and the class of the conversion
    #[arg(long)]
    json: bool,
    /// The document, JSON or YAML; - is stdin
    #[arg(value_name = "DOC")]
    document: PathBuf,
}

fn version(text: &str) -> Result<Version, VersionError> {
    Version::parse_header(text)
}

/// Runs it.
///
/// # Errors
/// If the document can't be converted, or a file can't be used.
pub fn run(options: &ConvertOptions) -> Result<(), Failure> {
    // All versions of the type: the way from one to the other may lead over others.
    let versions = Versions::of_files(files::types(&options.types)?)?;
    let kept = options.with_kept.as_deref().map(files::kept).transpose()?;
    // What is kept is relative to a version: applied to another one it would get to wrong places.
    if let Some(kept) = kept.as_ref().filter(|kept| kept.version != options.from) {
        return Err(Failure::usage(
            format!(
                "what was kept belongs to a document at version {}, not {}",
                kept.version, options.from
            ),
            "Give --from the version that the earlier conversion led to.",
        ));
    }
    let document = files::document(&options.document)?;
    let form = document.form;
    let done = convert(&versions, options.from, options.to, document.content, kept)?;
    // Before the document is printed: whoever pipes it on must not have it without what was kept.
    if let Some(path) = &options.kept {
        files::write_new(path, &KeptFile::of(&done.record).print())?;
    }
    let out = if options.json {
        print::json(&done)
    } else {
        print::document(&done.record.content, form)
    };
    // Nothing is left to do when one of them is closed.
    let _ = std::io::stderr().write_all(print::report(&done).as_bytes());
    let _ = std::io::stdout().write_all(out.as_bytes());
    Ok(())
}
