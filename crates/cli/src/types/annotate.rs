//! `coeval type deprecate` and `coeval type columns`: what may change while a version has resources.

use super::server_types::full_id;
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::output::OutputFormat;
use crate::rows::{print_rows, say};
use clap::Args;
use coeval_client::ClientError;
use coeval_core::types::{ColumnType, ListColumn, VersionDeprecation};
use coeval_proto::types::v1 as pb;
use serde_json::{Value, json};

/// What is said of a deprecation.
#[derive(Debug, Args)]
pub(crate) struct DeprecationOptions {
    /// The day from which on; default: today
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// The day on which it is to be retired
    #[arg(long, value_name = "DATE")]
    sunset: Option<String>,
    /// What to use instead
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// It is not deprecated any more
    #[arg(long, conflicts_with_all = ["since", "sunset", "message"])]
    clear: bool,
}

pub(super) async fn deprecate(
    session: &ClientSession,
    id: &str,
    options: DeprecationOptions,
) -> Result<(), Failure> {
    let id = full_id(session, id.to_owned()).await?;
    // The day in UTC, as dates in types are.
    let today = || jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let deprecated = (!options.clear).then(|| pb::Deprecation {
        since: options.since.unwrap_or_else(today),
        sunset: options.sunset.unwrap_or_default(),
        message: options.message.unwrap_or_default(),
    });
    let request = pb::AnnotateTypeVersionRequest {
        id: id.clone(),
        clear_deprecated: options.clear,
        deprecated,
        columns: None,
    };
    let now = annotate(session, request).await?;
    // As the server has it now, which may differ from what was sent.
    match now.deprecated.as_ref() {
        Some(deprecated) => say(&format!("{id} is {}", deprecation(deprecated))),
        None => say(&format!("{id} is not deprecated")),
    }
    Ok(())
}

async fn annotate(
    session: &ClientSession,
    request: pb::AnnotateTypeVersionRequest,
) -> Result<pb::TypeVersion, Failure> {
    let done = session.client.types().annotate_type_version(request).await;
    let done = done.map_err(ClientError::of_write)?.into_inner();
    Ok(done.type_version.unwrap_or_default())
}

/// As it is said in a file.
pub(super) fn deprecation(said: &pb::Deprecation) -> VersionDeprecation {
    let some = |text: &String| (!text.is_empty()).then(|| text.clone());
    VersionDeprecation {
        since: some(&said.since),
        sunset: some(&said.sunset),
        message: some(&said.message),
    }
}

/// The same; a type of a later release is shown as it is.
pub(super) fn known_column(said: &pb::Column) -> ListColumn {
    ListColumn {
        name: said.name.clone(),
        path: said.path.clone(),
        kind: ColumnType::of(&said.r#type).unwrap_or_default(),
    }
}

/// Sets them, if any are given, and shows those that there are.
pub(super) async fn columns(
    session: &ClientSession,
    id: &str,
    columns: Option<Vec<pb::Column>>,
    format: &OutputFormat,
) -> Result<(), Failure> {
    let id = full_id(session, id.to_owned()).await?;
    let now = match columns {
        Some(columns) => {
            let request = pb::AnnotateTypeVersionRequest {
                id,
                columns: Some(pb::Columns { columns }),
                ..Default::default()
            };
            annotate(session, request).await?
        }
        None => {
            let request = pb::GetTypeVersionRequest { id };
            let found = session.client.types().get_type_version(request).await;
            let found = found.map_err(ClientError::from)?.into_inner();
            found.type_version.unwrap_or_default()
        }
    };
    let row = |one: &pb::Column| vec![one.name.clone(), one.path.clone(), one.r#type.clone()];
    let rows: Vec<_> = now.columns.iter().map(row).collect();
    let values: Vec<_> = now.columns.iter().map(column_value).collect();
    print_rows(format, &["name", "path", "type"], &rows, &values)
}

pub(super) fn column_value(one: &pb::Column) -> Value {
    json!({ "name": one.name, "path": one.path, "type": one.r#type })
}

/// Reads `Size=/size:integer`.
pub(super) fn column(text: &str) -> Result<pb::Column, String> {
    let wrong = || "write NAME=PATH or NAME=PATH:TYPE, as Size=/size:integer".to_owned();
    let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
    // A path may have a colon of its own.
    let typed = rest
        .rsplit_once(':')
        .filter(|(_, kind)| ColumnType::of(kind).is_some());
    let (path, kind) = typed.unwrap_or((rest, ""));
    if name.is_empty() || !path.starts_with('/') {
        return Err(wrong());
    }
    Ok(pb::Column {
        name: name.to_owned(),
        path: path.to_owned(),
        r#type: kind.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_a_name_a_path_and_perhaps_a_type() {
        let read = |text: &str| column(text).map(|one| (one.name, one.path, one.r#type));
        let said = |name: &str, path: &str, kind: &str| {
            Ok((name.to_owned(), path.to_owned(), kind.to_owned()))
        };
        assert_eq!(read("Image=/image"), said("Image", "/image", ""));
        assert_eq!(read("Size=/a/b:integer"), said("Size", "/a/b", "integer"));
        assert_eq!(read("A=/a:b"), said("A", "/a:b", ""));
        for wrong in ["Image", "=/image", "Image=image", "Image="] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
