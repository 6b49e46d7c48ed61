//! `x-extensible-enum`: a version whose readers promise to tolerate values that it does not list.
//!
//! Writers are held to the list (`enum`) as ever. A view may have other values there: those that a
//! later version of the type added.

use super::subschemas::each_inside;
use serde_json::{Map, Value};

const KEYWORD: &str = "x-extensible-enum";

/// The schema that views are held to; `None` if it is the schema itself.
pub(super) fn for_readers(source: &Value) -> Option<Value> {
    let mut opened = source.clone();
    let mut found = false;
    open(&mut opened, &mut found);
    found.then_some(opened)
}

fn open(schema: &mut Value, found: &mut bool) {
    let Value::Object(map) = schema else {
        return;
    };
    if is_extensible(map) {
        *found = true;
        map.shift_remove("enum");
        map.shift_remove(KEYWORD);
    }
    each_inside(map, &mut |inner| open(inner, found));
}

/// Without an `enum` beside it, it is only a hint, as its inventors use it: any value fits.
fn is_extensible(schema: &Map<String, Value>) -> bool {
    let said = schema.get(KEYWORD);
    said.is_some_and(|said| *said != Value::Bool(false)) && schema.contains_key("enum")
}

#[cfg(test)]
mod tests {
    use crate::types::Schema;
    use serde_json::json;

    #[test]
    fn readers_tolerate_what_writers_may_not_send() {
        let schema = Schema::compile(json!({
            "type": "object",
            "properties": {
                "tier": { "type": "string", "enum": ["a", "b"], "x-extensible-enum": true },
                "list": { "type": "array", "items": { "enum": [1], "x-extensible-enum": true } },
                "closed": { "enum": ["x"], "x-extensible-enum": false },
                "hint": { "type": "string", "x-extensible-enum": ["p", "q"] },
            },
        }))
        .unwrap();
        for (content, writes, reads) in [
            (json!({ "tier": "a" }), true, true),
            (json!({ "tier": "c" }), false, true),
            (json!({ "tier": 1 }), false, false),
            (json!({ "list": [1, 2] }), false, true),
            (json!({ "closed": "y" }), false, false),
            (json!({ "hint": "r" }), true, true),
        ] {
            assert_eq!(schema.validate(&content).is_ok(), writes, "{content}");
            let read = schema.for_readers().validate(&content);
            assert_eq!(read.is_ok(), reads, "{content}");
        }
    }

    #[test]
    fn a_field_of_that_name_is_no_keyword() {
        let schema = json!({
            "properties": { "enum": { "type": "string" }, "x-extensible-enum": { "type": "string" } },
        });
        let schema = Schema::compile(schema).unwrap();
        assert!(std::ptr::eq(schema.for_readers(), &schema));
        assert!(
            schema
                .for_readers()
                .validate(&json!({ "enum": 1 }))
                .is_err()
        );
    }
}
