//! `coeval explain`: what the fields of a kind are, and what became of them in another version.

mod fate;
mod field_query;
mod text;

use crate::context::ServerOptions;
use crate::failure::Failure;
use crate::types::explain::{print, terminal_width};
use crate::types::explanation::{ExplainedField, TypeExplanation, explain};
use crate::types::read::read_files;
use crate::types::server_types::{parsed, versions_of};
use crate::types::text::{render, render_part};
use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use coeval_core::convert::Versions;
use coeval_core::types::TypeVersion;
use coeval_core::version::{Version, VersionError};
use field_query::{FieldQuery, fits};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// Show what the fields of a kind are.
#[derive(Debug, Args)]
#[command(disable_version_flag = true)]
#[command(after_help = "Examples:
  coeval explain app
  coeval explain app.spec.nodes
  coeval explain acme:app.spec.nodes.size --version 1.0
  coeval explain app --version 1.0 --diff 1.1
  coeval explain app.spec -f app-1.0.0.yaml -f app-1.1.0.yaml -o json

Shows the fields as a tree: their types, what is required, since which version they exist, and
their descriptions. After a path only that field, with all that is said of it. A name inside of a
list or a map is said after that of the list: nodes.size is the size of every node.

With --diff each field with what became of it in the other version: it is the same, it was
renamed or moved, its type has changed, or it was removed. What was removed is not lost: it is
kept beside the document and is there again for who reads it at a version that has it.

The versions are those of a server, or with -f those of files.")]
pub struct ExplainOptions {
    /// The kind, as app or acme:app, and the field if one is meant
    #[arg(value_name = "KIND[.spec.PATH]", value_parser = FieldQuery::parse)]
    #[arg(add = ArgValueCompleter::new(crate::targets::kinds))]
    asked: FieldQuery,
    /// The version to explain, as 1.0 or v1.0; the newest, if nothing is said
    #[arg(long, value_name = "VERSION", value_parser = version)]
    version: Option<Version>,
    /// Show what became of each field in this version
    #[arg(long, value_name = "VERSION", value_parser = version)]
    diff: Option<Version>,
    /// A type file instead of a server; can be said several times; - is stdin
    #[arg(short, long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print it
    #[arg(
        short = 'o',
        long = "output",
        value_enum,
        value_name = "FORMAT",
        default_value = "text"
    )]
    output: ExplainFormat,
    #[command(flatten)]
    server: ServerOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExplainFormat {
    /// For people
    Text,
    /// For programs, with everything
    Json,
}

fn version(text: &str) -> Result<Version, VersionError> {
    Version::parse_header(text)
}

/// Runs it.
///
/// # Errors
/// If it is refused or fails.
pub async fn run(options: &ExplainOptions) -> Result<(), Failure> {
    let ended = explain_kind(options).await;
    ended.map_err(Failure::with_login_advice)
}

async fn explain_kind(options: &ExplainOptions) -> Result<(), Failure> {
    let versions = match options.files.as_slice() {
        [] => {
            let session = options.server.session()?;
            // A newer version that this release can't read must not hide those that it can.
            parsed(&versions_of(&session, &options.asked.kind).await?)
        }
        files => of_kind(read_files(files)?, &options.asked.kind)?,
    };
    let at = match options.version {
        Some(version) => version,
        None => newest(&versions, &options.asked.kind)?,
    };
    let text = match options.diff {
        None => explain_version(versions, at, options)?,
        Some(other) => compare_versions(versions, at, other, options)?,
    };
    print(&text)
}

/// Those of the kind; files may have others too.
fn of_kind(versions: Vec<TypeVersion>, kind: &str) -> Result<Vec<TypeVersion>, Failure> {
    let is = |version: &TypeVersion| match kind.split_once(':') {
        Some((vendor, nss)) => {
            version.id.vendor.as_str() == vendor && version.id.nss.as_str() == nss
        }
        None => version.id.nss.as_str() == kind,
    };
    let own: Vec<_> = versions.into_iter().filter(is).collect();
    if own.is_empty() {
        let message = format!("no file has the type {kind}");
        return Err(Failure::usage(message, "Give its file with -f."));
    }
    Ok(own)
}

fn newest(versions: &[TypeVersion], kind: &str) -> Result<Version, Failure> {
    let newest = versions.iter().map(|version| version.id.version).max();
    newest.ok_or_else(|| {
        let message = format!("no version of {kind} can be read by this release");
        Failure::refused(message, "Use a newer release of this program.")
    })
}

/// There is no such version; those that there are.
fn unknown(versions: &[TypeVersion], version: Version) -> Failure {
    let mut all: Vec<_> = versions.iter().map(|one| one.id.version).collect();
    all.sort();
    let all: Vec<_> = all.iter().map(ToString::to_string).collect();
    Failure::usage(
        format!("there is no version {version} here"),
        format!("There are {}.", all.join(", ")),
    )
}

fn no_field(asked: &FieldQuery, version: Version) -> Failure {
    Failure::usage(
        format!(
            "version {version} of {} has no field {}",
            asked.kind,
            asked.dotted()
        ),
        format!(
            "`coeval explain {} --version {version}` shows those that it has.",
            asked.kind
        ),
    )
}

fn explain_version(
    versions: Vec<TypeVersion>,
    at: Version,
    options: &ExplainOptions,
) -> Result<String, Failure> {
    if versions.iter().all(|one| one.id.version != at) {
        return Err(unknown(&versions, at));
    }
    let versions: Vec<_> = versions.into_iter().map(Arc::new).collect();
    // All versions are explained, since the others say since when a field is there, and one is
    // shown.
    let mut all = explain(&versions);
    all.retain(|one| one.name.version == at);
    let Some(mut one) = all.pop() else {
        return Ok(String::new());
    };
    let asked = &options.asked;
    if asked.path.is_empty() {
        return match options.output {
            ExplainFormat::Json => json(&one),
            ExplainFormat::Text => Ok(render(&[one], terminal_width())),
        };
    }
    let chosen = |field: &ExplainedField<'_>| fits(&asked.path, field.path.steps());
    let matching: Vec<_> = one.fields.iter().filter(|field| chosen(field)).collect();
    let Some(first) = matching.first() else {
        return Err(no_field(asked, at));
    };
    let root = first.path.clone();
    let inside = |field: &ExplainedField<'_>| field.path.steps().starts_with(root.steps());
    if options.output == ExplainFormat::Json {
        one.fields.retain(inside);
        return json(&one);
    }
    Ok(part(&one, &root))
}

fn part(one: &TypeExplanation<'_>, root: &coeval_core::types::PathPattern) -> String {
    let inside = |field: &&ExplainedField<'_>| field.path.steps().starts_with(root.steps());
    let mut all = one.fields.iter().filter(inside);
    match all.next() {
        None => String::new(),
        Some(field) => {
            let rest: Vec<_> = all.collect();
            render_part(one, field, &rest, terminal_width())
        }
    }
}

fn compare_versions(
    files: Vec<TypeVersion>,
    from: Version,
    to: Version,
    options: &ExplainOptions,
) -> Result<String, Failure> {
    for version in [from, to] {
        if !files.iter().any(|file| file.id.version == version) {
            return Err(unknown(&files, version));
        }
    }
    let versions = Versions::of_files(files)?;
    let whole = fate::compare_versions(&versions, from, to)?;
    let asked = &options.asked;
    let shown = whole.within(&asked.path);
    if !asked.path.is_empty() && shown.fields.is_empty() {
        return Err(no_field(asked, from));
    }
    match options.output {
        ExplainFormat::Json => json(&shown),
        ExplainFormat::Text => Ok(text::render(&shown, terminal_width())),
    }
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::internal(format!("can't print JSON: {error}")))?;
    Ok(text + "\n")
}
