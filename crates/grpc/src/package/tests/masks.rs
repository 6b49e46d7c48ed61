//! Field masks.

use super::*;
use crate::package::mask::{MaskedFields, mask};
use coeval_codes::Coded;

#[test]
fn a_mask_names_fields_as_the_package_does() {
    let package = package(everything());
    for (path, content) in [
        ("spec", vec![""]),
        ("spec.name", vec!["/name"]),
        ("spec.free_form", vec!["/Free-Form"]),
        ("spec.net.cidr", vec!["/net/cidr"]),
        ("spec.net.extra", vec!["/net/$x"]),
        ("spec.extra", vec!["/1st", "/free_form", "/extra"]),
        ("spec.extra.1st", vec!["/1st"]),
        ("spec.labels", vec!["/labels"]),
        ("spec.labels.a.b/c", vec!["/labels/a.b~1c"]),
        ("spec.nodes", vec!["/nodes"]),
    ] {
        let expected = MaskedFields {
            content: content.into_iter().map(str::to_owned).collect(),
            ..MaskedFields::default()
        };
        assert_eq!(mask(&package, &[path.to_owned()]), Ok(expected), "{path}");
    }
    let several = ["metadata.labels", "sub_kind", "metadata"].map(str::to_owned);
    let expected = MaskedFields {
        metadata: vec!["labels".into(), "*".into()],
        sub_kind: true,
        ..MaskedFields::default()
    };
    assert_eq!(mask(&package, &several), Ok(expected));
}

#[test]
fn what_is_no_field_is_refused() {
    let package = package(everything());
    for path in [
        "",
        "*",
        "spec.",
        "spec.freeForm",
        "spec.Free-Form",
        "spec.unknown",
        "spec.name.x",
        "spec.nodes.node_name",
        "spec.any.x",
        "spec.extra.name",
        "metadata.revision",
        "metadata.labels.a",
        "kind",
        "version",
        "status",
        "status.state",
        "specs",
    ] {
        let refused = mask(&package, &[path.to_owned()]).unwrap_err();
        assert_eq!(refused.code(), coeval_codes::TYPED_MASK_UNKNOWN, "{path}");
    }
}
