//! Crates and features that must not come in, not even through others.

use crate::files::{metadata, read};

const BANNED: &[(&str, &str)] = &[
    ("openssl", "TLS is rustls with ring"),
    ("openssl-sys", "TLS is rustls with ring"),
    ("native-tls", "TLS is rustls with ring"),
    ("aws-lc-rs", "TLS is rustls with ring"),
    ("aws-lc-sys", "TLS is rustls with ring"),
    ("serde_yaml", "it is no longer maintained"),
    ("reqwest", "it brings a second HTTP stack"),
    ("protoc-bin-vendored", "the build needs no protoc"),
    ("protobuf-src", "the build needs no protoc"),
    ("chrono", "time is jiff"),
];

const BANNED_FEATURES: &[(&str, &str, &str)] = &[
    (
        "serde_json",
        "arbitrary_precision",
        "it changes how every number in the tree is read",
    ),
    (
        "jsonschema",
        "resolve-http",
        "a schema must not make the server fetch an address",
    ),
    (
        "jsonschema",
        "resolve-file",
        "a schema must not make the server read a file",
    ),
];

#[test]
fn no_banned_crate_is_in_the_graph() {
    let metadata = metadata();
    for (name, reason) in BANNED {
        let found = metadata.packages.iter().any(|p| p.name.as_str() == *name);
        assert!(
            !found,
            "{name} is banned: {reason}; `cargo tree -i {name}` shows who wants it"
        );
    }
}

#[test]
fn no_banned_feature_is_switched_on() {
    let metadata = metadata();
    let nodes = &metadata.resolve.as_ref().unwrap().nodes;
    let features_of = |name: &str| {
        let of_that_name = nodes
            .iter()
            .filter(|node| metadata[&node.id].name.as_str() == name);
        let all = of_that_name.flat_map(|node| node.features.iter());
        all.map(ToString::to_string).collect::<Vec<_>>()
    };
    // A check that looks in the wrong place would find nothing, for ever.
    assert!(features_of("serde_json").contains(&"raw_value".to_owned()));
    for (name, feature, reason) in BANNED_FEATURES {
        let found = features_of(name).contains(&(*feature).to_owned());
        assert!(!found, "{name}/{feature} is banned: {reason}");
    }
}

#[test]
fn every_crate_comes_from_the_public_registry() {
    let usual = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
    for lock in ["Cargo.lock", "fuzz/Cargo.lock"] {
        for line in read(lock).lines() {
            assert!(
                !line.starts_with("source") || line == usual,
                "{lock}: {line}"
            );
        }
    }
}
