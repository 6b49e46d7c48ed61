//! What a validator says, asked directly.

use jsonschema::{Draft, Validator};
use serde_json::Value;

pub(crate) fn validator(schema: &Value, draft: Draft) -> Validator {
    let built = jsonschema::options()
        .with_draft(draft)
        .offline()
        .build(schema);
    built.unwrap_or_else(|error| panic!("{error}: {schema}"))
}

pub(crate) fn accepts(schema: &Value, draft: Draft, document: &Value) -> bool {
    validator(schema, draft).is_valid(document)
}
