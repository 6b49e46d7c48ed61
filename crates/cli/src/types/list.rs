//! `coeval type list` and `coeval type versions`: what is registered.

use super::annotate::column_value;
use super::server_types::{all, type_of, versions_of};
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::output::OutputFormat;
use crate::rows::print_rows;
use coeval_proto::types::v1 as pb;
use serde_json::{Value, json};

pub(super) async fn list(session: &ClientSession, format: &OutputFormat) -> Result<(), Failure> {
    let found = all(session, "", "").await?;
    let types: Vec<&[pb::TypeVersion]> = found
        .chunk_by(|one, next| type_of(one) == type_of(next))
        .collect();
    let rows: Vec<_> = types.iter().map(|versions| row(versions)).collect();
    let values: Vec<_> = types.iter().map(|versions| value(versions)).collect();
    print_rows(
        format,
        &["type", "versions", "title", "built in"],
        &rows,
        &values,
    )
}

/// The title is that of the newest version that has one.
fn title(versions: &[pb::TypeVersion]) -> &str {
    let mut titles = versions.iter().rev().map(|version| version.title.as_str());
    titles.find(|title| !title.is_empty()).unwrap_or_default()
}

fn row(versions: &[pb::TypeVersion]) -> Vec<String> {
    let numbers: Vec<_> = versions.iter().map(|one| one.version.as_str()).collect();
    let built_in = versions.iter().all(|one| one.built_in);
    vec![
        versions.first().map(type_of).unwrap_or_default(),
        numbers.join(", "),
        title(versions).to_owned(),
        if built_in { "yes" } else { "" }.to_owned(),
    ]
}

fn value(versions: &[pb::TypeVersion]) -> Value {
    json!({
        "type": versions.first().map(type_of),
        "title": title(versions),
        "versions": versions.iter().map(|one| one.version.as_str()).collect::<Vec<_>>(),
        "builtIn": versions.iter().all(|one| one.built_in),
    })
}

pub(super) async fn versions(
    session: &ClientSession,
    kind: &str,
    format: &OutputFormat,
) -> Result<(), Failure> {
    let found = versions_of(session, kind).await?;
    let row = |version: &pb::TypeVersion| {
        vec![
            version.id.clone(),
            version.title.clone(),
            if version.unproven { "no" } else { "yes" }.to_owned(),
            findings(version),
            version.interfaces.join(", "),
            version.deprecated.as_ref().map(sunset).unwrap_or_default(),
        ]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let value = |version: &pb::TypeVersion| {
        json!({
            "id": version.id, "version": version.version, "title": version.title,
            "description": version.description, "interfaces": version.interfaces,
            "unproven": version.unproven, "builtIn": version.built_in,
            "externalId": version.external_id,
            "findings": super::findings::values(&version.findings),
            "deprecated": version.deprecated.as_ref().map(|one| json!({
                "since": one.since, "sunset": one.sunset, "message": one.message,
            })),
            "columns": version.columns.iter().map(column_value).collect::<Vec<_>>(),
        })
    };
    let values: Vec<_> = found.iter().map(value).collect();
    let headers = [
        "version",
        "title",
        "proven",
        "findings",
        "interfaces",
        "deprecated",
    ];
    print_rows(format, &headers, &rows, &values)
}

/// Short enough for a table.
fn sunset(deprecated: &pb::Deprecation) -> String {
    match (deprecated.since.as_str(), deprecated.sunset.as_str()) {
        ("", "") => "yes".to_owned(),
        (since, "") => format!("since {since}"),
        (_, sunset) => format!("until {sunset}"),
    }
}

/// The rules, each once.
fn findings(version: &pb::TypeVersion) -> String {
    let mut rules: Vec<&str> = Vec::new();
    for finding in &version.findings {
        if !rules.contains(&finding.rule.as_str()) {
            rules.push(&finding.rule);
        }
    }
    match version.findings.len() {
        0 => String::new(),
        number => format!("{number}: {}", rules.join(", ")),
    }
}
