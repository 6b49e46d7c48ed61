//! What type versions promise, by example and by law.

mod annotations;
mod bodies;
mod content;
mod declared;
mod declared_only;
mod differing;
mod documents;
mod files;
mod hostile;
mod laws;
mod restricted;
mod schemas;
mod since;

use super::Schema;
use serde_json::Value;

fn schema(source: Value) -> Schema {
    Schema::compile(source).unwrap()
}
