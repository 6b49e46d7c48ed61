//! Schemas and steps that would take very long if nothing were bounded. That these tests end is what
//! they test.

use super::{ConversionFit, Pair, object};
use serde_json::{Map, Value, json};

#[test]
fn steps_that_double_a_field_again_and_again_are_not_followed_for_ever() {
    let mut steps = Vec::new();
    for number in 0..30 {
        let under = format!("/n{number}");
        steps.push(json!({"copy": {"from": "/b", "to": "/a"}}));
        steps.push(json!({"nest": {"paths": ["/a", "/b"], "under": under}}));
        steps.push(json!({"rename": {"path": under, "to": "a"}}));
    }
    let text = || json!({"a": {"type": "string"}});
    let pair = Pair::open(text(), text(), Value::Array(steps));
    assert!(!matches!(pair.forward.fit, ConversionFit::Fits));
}

#[test]
fn cases_that_double_with_every_step_are_not_told_apart_for_ever() {
    let wide = |count: usize| {
        let fields = (0..count).map(|n| (format!("p{n}"), json!({"enum": [0, 1]})));
        object(Value::Object(fields.collect::<Map<_, _>>()))
    };
    let step = |n: usize| {
        let steps = json!([{"map": {"path": format!("/p{n}"), "table": [[1, 0], [0, 1]]}}]);
        json!({"when": {"path": format!("/p{n}"), "is": 1, "steps": steps}})
    };
    let steps = (0..100).map(step).collect();
    let pair = Pair::of(wide(100), wide(100), Value::Array(steps));
    assert_eq!(pair.forward.errors().count(), 0);
}

#[test]
fn alternatives_inside_of_alternatives_end() {
    fn nested(levels: usize, most: u8) -> Value {
        if levels == 0 {
            return json!({"type": "integer", "maximum": most});
        }
        let inner = || nested(levels - 1, most);
        json!({"anyOf": [
            {"type": "object", "required": ["a"], "properties": {"a": inner()}},
            {"type": "object", "required": ["b"], "properties": {"b": inner()}},
            {"type": "array", "items": inner()},
        ]})
    }
    let pair = Pair::open(
        json!({"x": nested(4, 1)}),
        json!({"x": nested(4, 2)}),
        json!([]),
    );
    pair.fits_forward();
    assert!(matches!(pair.backward.fit, ConversionFit::DoesNotFit(_)));
}

#[test]
fn many_conditions_on_one_object_end() {
    let one = |n: usize| json!({"anyOf": [{"required": [format!("a{n}")]}, {"required": [format!("b{n}")]}]});
    let all: Vec<Value> = (0..14).map(one).collect();
    let of = |least: u8| json!({"q": {"type": "object", "minProperties": least, "allOf": all}});
    let pair = Pair::open(of(0), of(1), json!([]));
    assert_eq!(pair.forward.errors().count(), 0);
    pair.fits_backward();
}

#[test]
fn a_schema_that_refers_to_itself_is_compared_once() {
    let tree = |most: u8| {
        json!({
            "type": "object",
            "definitions": {"node": {"type": "object", "properties": {
                "size": {"type": "integer", "maximum": most},
                "left": {"$ref": "#/definitions/node"},
                "right": {"$ref": "#/definitions/node"},
            }}},
            "properties": {"tree": {"$ref": "#/definitions/node"}},
        })
    };
    let pair = Pair::of(tree(1), tree(2), json!([]));
    pair.fits_forward();
    pair.breaks_backward(
        json!({"tree": {"size": 2}}),
        json!({"tree": {"size": 2}}),
        "/tree/size",
    );
}
