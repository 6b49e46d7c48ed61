use super::*;
use crate::convert::{ConversionLaw, LawsChecked};

fn types() -> Versions {
    let old = json!({"type": "object", "properties": {
        "img": {"type": "string"}, "size": {"type": "integer", "minimum": 0, "maximum": 1000},
        "nodes": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    }});
    let new = json!({"type": "object", "properties": {
        "image": {"type": "string"}, "size": {"type": "integer", "minimum": 0, "maximum": 1_024_000},
        "gpu": {"type": "integer"},
        "nodes": {"type": "array", "items": {"type": "object", "properties": {
            "name": {"type": "string"}, "zone": {"type": "string"},
        }}},
    }});
    let steps = json!([
        {"rename": {"path": "/img", "to": "image"}},
        {"scale": {"path": "/size", "by": 1024}},
        {"add": {"path": "/gpu", "value": 0}},
        {"each": {"path": "/nodes", "key": "name", "steps": [{"add": {"path": "/zone"}}]}},
    ]);
    versions(vec![
        file("1.0.0", &old, None),
        file("2.0.0", &new, Some(("1.0.0", steps))),
    ])
}

#[test]
fn the_laws_are_checked_on_documents_that_the_schemas_give_rise_to() {
    let checked = types().check_laws(v("2.0.0"), 300, 1).unwrap();
    assert_eq!(checked.converted, 600);
    assert!(checked.written > 400, "{checked:?}");
    assert_eq!(
        types().check_laws(v("1.0.0"), 300, 1),
        Ok(LawsChecked::default())
    );
}

#[test]
fn they_are_checked_on_stored_records_too() {
    let stored = record("2.0.0", json!({"image": "a", "size": 2049, "gpu": 4}));
    let mut checked = LawsChecked::default();
    let edit = |view: &Value| {
        let mut body = view.clone();
        body["img"] = json!("b");
        Some(body)
    };
    types()
        .check_record(&stored, v("1.0.0"), edit, &mut checked)
        .unwrap();
    assert_eq!(
        (checked.converted, checked.written, checked.refused),
        (1, 1, 0)
    );
}

#[test]
fn a_document_that_does_not_come_back_is_named() {
    // What is required and missing is filled in on arrival, so this record never was a good one.
    let old = json!({"properties": {"a": {"default": 1}}, "required": ["a"]});
    let new = json!({"properties": {"a": {}}});
    let types = versions(vec![file("1.0.0", &old, None), file("2.0.0", &new, None)]);
    let stored = record("1.0.0", json!({}));
    let mut checked = LawsChecked::default();
    let broken = types
        .check_record(&stored, v("2.0.0"), |_| None, &mut checked)
        .unwrap_err();
    assert_eq!(
        (broken.law, broken.document.clone()),
        (ConversionLaw::ThereAndBack, json!({}))
    );
    assert_eq!(coeval_codes::Coded::code(&*broken).number(), 3303);
}
