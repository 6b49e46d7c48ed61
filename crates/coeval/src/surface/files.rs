//! The files, by name.

use super::commands;
use crate::telemetry;
use clap::Command;
use coeval_cli::Failure;
use coeval_core::types::TypeVersion;
use coeval_engine::OwnKinds;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// All of them.
pub(super) fn all(command: &Command) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let grammar = commands::grammar(command);
    let mut files: BTreeMap<String, Vec<u8>> = [
        ("webapi.json", coeval_webapi::description()),
        ("cloudapi.json", coeval_cloudapi::description()),
        ("commands.json", Value::Object(grammar)),
        ("metrics.json", telemetry::described_metrics()),
        ("errors.json", errors()),
        ("levels.json", levels()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), printed(&value)))
    .collect();
    files.insert(
        "release".into(),
        format!("{}\n", env!("CARGO_PKG_VERSION")).into(),
    );
    files.insert("descriptors.bin".into(), coeval_proto::DESCRIPTORS.into());
    for (path, text) in coeval_proto::SOURCES {
        files.insert(format!("proto/{path}"), text.as_bytes().into());
    }
    for text in OwnKinds::default().shipped_files() {
        let id = TypeVersion::parse(text)?.id;
        let name = format!("kinds/{}-{}-{}.yaml", id.vendor, id.nss, id.version);
        files.insert(name, text.as_bytes().into());
    }
    Ok(files)
}

fn printed(value: &Value) -> Vec<u8> {
    let mut text = format!("{value:#}");
    text.push('\n');
    text.into_bytes()
}

/// By code: the constant's name, which stands for its meaning, and the title, which may be reworded.
fn errors() -> Value {
    let all = coeval_codes::ALL.iter().zip(coeval_codes::NAMES);
    let described = |(code, name): (&coeval_codes::Code, &&str)| {
        (
            code.to_string(),
            json!({ "name": name, "title": code.title() }),
        )
    };
    Value::Object(all.map(described).collect::<Map<_, _>>())
}

/// By format: all levels that this release reads.
fn levels() -> Value {
    let all = coeval_stores::levels().into_iter();
    let described = |(format, highest): (&str, u32)| {
        (
            format.to_owned(),
            json!({ "reads": (1..=highest).collect::<Vec<_>>() }),
        )
    };
    Value::Object(all.map(described).collect::<Map<_, _>>())
}
