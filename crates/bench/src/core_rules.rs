//! Ratios of conversions and validation against parsing and printing the same document, and what
//! registering a version costs when the type has had many.

mod history;
mod measure;
mod subject;

use crate::figures::is_wanted;
use clap::Args;
use coeval_core::convert::ContentRecord;
use coeval_core::types::{BodyLimits, read_body};
use measure::{RuleTable, time, time_owned};
use serde_json::Value;
use std::hint::black_box;
use subject::RuleSubject;

#[derive(Debug, Args)]
pub(crate) struct CoreOptions {
    /// Which to measure: conversions, history. All if none is named.
    parts: Vec<String>,
}

/// Measures what is wanted.
pub(crate) fn run(options: &CoreOptions) {
    if is_wanted(&options.parts, "conversions") {
        conversions();
    }
    if is_wanted(&options.parts, "history") {
        history::print();
    }
}

fn parse(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

fn conversions() {
    let subject = RuleSubject::new();
    let (first, second, last) = (subject.version(0), subject.version(1), subject.version(10));
    let versions = &subject.versions;
    let text = serde_json::to_vec(&subject.document).unwrap();
    let record = || ContentRecord::new(first, subject.document.clone());
    println!(
        "a document of {} bytes, ten steps to the next version\n",
        text.len()
    );

    let parsing = time(|| black_box(parse(&text)));
    let strict = time(|| black_box(read_body(&text, BodyLimits::default()).unwrap()));
    let both = time(|| black_box(serde_json::to_vec(&parse(&text)).unwrap()));
    let converting = time_owned(record, |record| versions.view(record, second).unwrap());
    let bytes_to_bytes = |to| {
        time(|| {
            let view = versions
                .view(ContentRecord::new(first, parse(&text)), to)
                .unwrap();
            black_box(serde_json::to_vec(&view.content).unwrap())
        })
    };
    let one = bytes_to_bytes(second);
    let ten = bytes_to_bytes(last);
    let back = time_owned(
        || versions.moved(record(), second).unwrap(),
        |moved| versions.moved(moved, first).unwrap(),
    );

    // An old client saves: the record is stored at the newer version, the body is at the older.
    let stored = versions.moved(record(), second).unwrap();
    let stored_text = serde_json::to_vec(&stored.content).unwrap();
    let kept = stored.kept.to_json();
    let kept_text = serde_json::to_vec(&kept).unwrap();
    let mut body = subject.document.clone();
    body["name"] = Value::from("another");
    let body_text = serde_json::to_vec(&body).unwrap();
    let putting = time(|| {
        let stored = ContentRecord {
            version: second,
            content: parse(&stored_text),
            kept: coeval_core::convert::KeptValues::from_json(&parse(&kept_text)).unwrap(),
        };
        let put = versions.put(stored, first, parse(&body_text)).unwrap();
        let content = serde_json::to_vec(&put.record.content).unwrap();
        black_box((
            content,
            serde_json::to_vec(&put.record.kept.to_json()).unwrap(),
        ))
    });
    let schema = &versions.get(first).unwrap().schema;
    assert!(schema.validate(&subject.document).is_ok());
    let validating = time(|| black_box(schema.validate(&subject.document).is_ok()));

    let mut table = RuleTable::default();
    table.row("parse (serde_json)", parsing, None);
    table.row(
        "parse, strictly (bodies)",
        strict,
        Some((parsing, "parse", None)),
    );
    table.row("parse and print", both, None);
    table.row(
        "convert",
        converting,
        Some((both, "parse and print", Some(0.5))),
    );
    table.row(
        "convert back",
        back,
        Some((both, "parse and print", Some(0.5))),
    );
    table.row("bytes to bytes, one version", one, None);
    table.row(
        "bytes to bytes, ten versions",
        ten,
        Some((one, "one version", Some(2.0))),
    );
    table.row(
        "put, bytes to bytes",
        putting,
        Some((one, "one version", Some(2.5))),
    );
    table.row("validate", validating, Some((parsing, "parse", Some(1.0))));
    table.print();
}
