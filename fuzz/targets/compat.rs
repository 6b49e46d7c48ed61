//! Compatibility: whatever two schemas and a document are, no verdict is contradicted by the
//! document, and every witness is one.
//!
//! An input is three lines: the old schema, the new schema, a document.
#![no_main]

use coeval_core::compat::{SchemaChange, SchemaContainment, SchemaSide};
use coeval_core::types::{BodyLimits, Schema, read_body};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let mut line = || read_body(lines.next().unwrap_or_default(), BodyLimits::default());
    let (old, new, document) = (line(), line(), line());
    let (Ok(old), Ok(new)) = (old, new) else {
        return;
    };
    let (Ok(old), Ok(new)) = (Schema::compile(old), Schema::compile(new)) else {
        return;
    };
    let change = SchemaChange::between(&old, &new);
    let witnesses = change
        .findings
        .iter()
        .filter_map(|found| found.witness.as_ref());
    let answers = [&change.old_documents, &change.new_documents];
    let shown = answers.iter().filter_map(|answer| match answer {
        SchemaContainment::No(witness) => Some(witness),
        _ => None,
    });
    for witness in witnesses.chain(shown) {
        let (accepts, rejects) = match witness.accepted_by {
            SchemaSide::Old => (&old, &new),
            SchemaSide::New => (&new, &old),
        };
        assert!(accepts.validate(&witness.document).is_ok(), "{witness:?}");
        // A null that is no value counts as absent in a body; here it is one.
        let nulls = has_null(&witness.document);
        assert!(
            nulls || rejects.validate(&witness.document).is_err(),
            "{witness:?}"
        );
    }
    let Ok(document) = document else {
        return;
    };
    if !has_null(&document) {
        let (fits_old, fits_new) = (old.validate(&document), new.validate(&document));
        let lost = fits_old.is_ok() && fits_new.is_err();
        let gained = fits_new.is_ok() && fits_old.is_err();
        assert!(
            !(lost && change.old_documents == SchemaContainment::Yes),
            "{change:?}"
        );
        assert!(
            !(gained && change.new_documents == SchemaContainment::Yes),
            "{change:?}"
        );
    }
});

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(map) => map.values().any(has_null),
        _ => false,
    }
}
