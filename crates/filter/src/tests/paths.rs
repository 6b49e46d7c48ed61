//! Fields and paths, and what they lead to.

use super::resource::{Resource, at, matches, text};
use crate::{ContentPath, FieldComparison, FilterError, FilterField};
use coeval_codes::Coded;
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn names_are_of_the_header_of_labels_or_of_the_content() {
    for (name, field) in [
        ("name", FilterField::Name),
        ("externalId", FilterField::ExternalId),
        ("subKind", FilterField::SubKind),
        ("entityType", FilterField::EntityType),
        ("vendor", FilterField::Vendor),
        ("nss", FilterField::Nss),
        ("owner.name", FilterField::OwnerName),
        ("org.name", FilterField::OrgName),
        (
            "labels.app.kubernetes.io/name",
            FilterField::Label("app.kubernetes.io/name".into()),
        ),
        ("entity.kind", at("kind")),
        ("entity.name", at("name")),
    ] {
        assert_eq!(FilterField::parse(name, "entity"), Ok(field), "{name}");
    }
    for name in [
        "",
        "entity",
        "entity.",
        "entity.a..b",
        "kind",
        "Name",
        "labels.",
        "entity.a\\",
        "spec.a",
    ] {
        let error = FilterField::parse(name, "entity").unwrap_err();
        assert_eq!(error.code(), coeval_codes::FILTER_FIELD_INVALID, "{name}");
    }
    let long = format!("entity.{}", "a".repeat(2_000));
    assert!(matches!(
        FilterField::parse(&long, "entity"),
        Err(FilterError::TooMuch { .. })
    ));
}

#[test]
fn a_pointer_and_a_dotted_path_are_the_same_path() {
    for (dotted, pointer) in [
        ("a.b", "/a/b"),
        ("nodes.*.gpu", "/nodes/*/gpu"),
        ("a\\.b.c", "/a.b/c"),
        ("a/b.~", "/a~1b/~0"),
    ] {
        assert_eq!(
            ContentPath::from_dotted(dotted),
            ContentPath::from_pointer(pointer)
        );
    }
    assert_ne!(
        ContentPath::from_dotted("\\*"),
        ContentPath::from_dotted("*")
    );
    for pointer in ["", "a", "/", "/a//b", "/a~2"] {
        assert!(ContentPath::from_pointer(pointer).is_err(), "{pointer}");
    }
}

#[test]
fn a_path_goes_on_in_every_item_of_a_list() {
    let content = json!({
        "nodes": [{"gpu": "a", "disks": [{"gb": 1}, {"gb": 2}]}, [{"gpu": "b"}], {"0": "zero"}],
        "map": {"x": {"gpu": "m"}},
        "tags": ["t", "u"],
    });
    for (path, operand, expected) in [
        ("nodes.gpu", "a", true),
        ("nodes.gpu", "b", true),
        ("nodes.gpu", "c", false),
        ("nodes.*.gpu", "a", true),
        ("nodes.disks.gb", "2", true),
        ("nodes.0.gpu", "a", true),
        ("nodes.1.gpu", "a", false),
        ("nodes.00.gpu", "a", false),
        ("nodes.9.gpu", "a", false),
        ("map.*.gpu", "m", true),
        ("map.gpu", "m", false),
        ("tags", "u", true),
        ("tags.*", "u", true),
        ("tags.1", "t", false),
        ("tags.x", "t", false),
    ] {
        let found = matches(
            &at(path),
            FieldComparison::Equal(text(operand)),
            &Resource::with(content.clone()),
        );
        assert_eq!(found, expected, "{path}=={operand}");
    }
}

#[test]
fn a_path_of_numbers_in_lists_within_lists_ends_in_time() {
    let mut content = json!("leaf");
    for _ in 0..120 {
        content = Value::Array(vec![content.clone()]);
    }
    let path = vec!["0"; 60].join(".");
    assert!(matches(
        &at(&path),
        FieldComparison::Exists,
        &Resource::with(content.clone())
    ));
    assert!(!matches(
        &at("x.0.x"),
        FieldComparison::Exists,
        &Resource::with(content)
    ));
}

proptest! {
    #[test]
    fn a_path_is_read_back_as_it_is_printed(keys in prop::collection::vec(".{1,5}", 1..5)) {
        let pointer: String = keys.iter().map(|key| {
            format!("/{}", key.replace('~', "~0").replace('/', "~1"))
        }).collect();
        let path = ContentPath::from_pointer(&pointer).unwrap();
        prop_assert_eq!(ContentPath::from_dotted(&path.to_string()), Ok(path));
    }
}
