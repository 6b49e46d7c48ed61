//! `coeval type check`

mod report;
mod text;

use super::explain::{print, terminal_width};
use super::read::{TypesOrSchema, read_types_or_schema};
use crate::failure::Failure;
use coeval_core::compat::{ChangeKind, SchemaChange, check};
use coeval_core::convert::Versions;
use coeval_core::types::{Schema, TypeVersion};
use report::CheckReport;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Breaking, or a number that says too little.
const BREAKING: u8 = 1;
/// Nobody knows.
const UNDECIDED: u8 = 4;

pub(super) fn run(files: &[PathBuf], json: bool) -> Result<ExitCode, Failure> {
    let report = compare_files(files)?;
    let text = if json {
        let text = serde_json::to_string_pretty(&report)
            .map_err(|error| Failure::internal(format!("can't print JSON: {error}")))?;
        text + "\n"
    } else {
        text::render(&report, terminal_width())
    };
    print(&text)?;
    Ok(match report.kind() {
        ChangeKind::Breaking => ExitCode::from(BREAKING),
        ChangeKind::Undecided => ExitCode::from(UNDECIDED),
        _ if report.enough() == Some(false) => ExitCode::from(BREAKING),
        ChangeKind::Identical | ChangeKind::Additive => ExitCode::SUCCESS,
    })
}

fn compare_files(files: &[PathBuf]) -> Result<CheckReport, Failure> {
    let mut types: Vec<Vec<TypeVersion>> = Vec::new();
    let mut schemas: Vec<(String, Schema)> = Vec::new();
    for path in files {
        // 1 means that something breaks, so a file that can't be read must not end with it.
        let read = read_types_or_schema(path);
        match read.map_err(|error| Failure::from(error).into_usage())? {
            TypesOrSchema::Types(versions) => types.push(versions),
            TypesOrSchema::Schema(schema) => schemas.push((named(path), *schema)),
        }
    }
    match (types.is_empty(), schemas.is_empty()) {
        (false, true) => of_types(types),
        (true, false) => of_schemas(schemas),
        _ => Err(Failure::usage(
            "some files are type files and others are bare schemas",
            "Give either type files or schemas.",
        )),
    }
}

fn named(path: &Path) -> String {
    match path.to_str() {
        Some("-") => "stdin".to_owned(),
        _ => path.display().to_string(),
    }
}

/// The files' names alone, if they tell them apart.
fn shorten_names(schemas: &mut [(String, Schema)]) {
    let short = |name: &String| {
        let file = Path::new(name).file_name().unwrap_or_default();
        file.to_string_lossy().into_owned()
    };
    let names: BTreeSet<String> = schemas.iter().map(|(name, _)| short(name)).collect();
    // Otherwise the folders are what tells them apart.
    if names.len() == schemas.len() {
        for (name, _) in schemas {
            *name = short(name);
        }
    }
}

fn nothing_before() -> Failure {
    Failure::usage(
        "there is nothing to compare the new version with",
        "Give the version before it too: coeval type check OLD NEW.",
    )
}

fn of_schemas(mut schemas: Vec<(String, Schema)>) -> Result<CheckReport, Failure> {
    shorten_names(&mut schemas);
    let new = schemas.pop().ok_or_else(nothing_before)?;
    let changes = schemas.iter().rev();
    let changes = changes.map(|(name, old)| (name.clone(), SchemaChange::between(old, &new.1)));
    CheckReport::of_schemas(new.0, changes.collect()).ok_or_else(nothing_before)
}

fn of_types(mut files: Vec<Vec<TypeVersion>>) -> Result<CheckReport, Failure> {
    let mut last = files.pop().unwrap_or_default();
    // Of one file with several versions the highest is the new one.
    last.sort_by_key(|version| version.id.version);
    let new = last.pop().ok_or_else(nothing_before)?;
    let mut before: Vec<TypeVersion> = files.into_iter().flatten().collect();
    before.append(&mut last);
    let of_others =
        |other: &&TypeVersion| (&other.id.vendor, &other.id.nss) != (&new.id.vendor, &new.id.nss);
    if let Some(other) = before.iter().find(of_others) {
        return Err(Failure::usage(
            format!(
                "{} and {} are versions of different types",
                other.id, new.id
            ),
            "Give versions of one type.",
        ));
    }
    // A registration would refuse it.
    if let Some(flaw) = new.schema.list_key_flaws().into_iter().next() {
        let message = format!("{}: {flaw}", new.id);
        return Err(Failure::from(flaw).with_message(message));
    }
    let same = |other: &&TypeVersion| other.id.version == new.id.version;
    if let Some(same) = before.iter().find(same) {
        // An edit of a version that nobody uses yet.
        let change = SchemaChange::between(&same.schema, &new.schema);
        let changes = vec![(format!("{} before", same.id), change)];
        return CheckReport::of_schemas(new.id.to_string(), changes).ok_or_else(nothing_before);
    }
    if let Some(missing) = new.conversion.as_ref().map(|conversion| conversion.from)
        && !before.iter().any(|other| other.id.version == missing)
    {
        return Err(Failure::usage(
            format!(
                "{} converts from version {missing}, which is not given",
                new.id
            ),
            format!("Give the file of version {missing} too."),
        ));
    }
    let report = CheckReport::of_types(&new, check(&before, &new)).ok_or_else(nothing_before)?;
    let version = new.id.version;
    before.push(new);
    // What is wrong with steps is told elsewhere.
    let lists = Versions::of_files(before).map(|all| all.keyless_lists(version));
    Ok(report.with_notes(&lists.unwrap_or_default()))
}
