//! Small surfaces to compare.

use coeval_release_check::{
    ApiDocument, ApiStyle, CatalogItem, KeptRelease, ReleaseSurface, RuleSet, RuleViolation,
    catalog_by_key, check, read_descriptors, read_openapi,
};
use coeval_releases::Release;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) const OLD: Release = Release::new(0, 1, 0);
pub(crate) const NEW: Release = Release::new(0, 2, 0);

/// With nothing in it.
pub(crate) fn empty(release: Release) -> ReleaseSurface {
    ReleaseSurface {
        release,
        apis: Vec::new(),
        catalog: std::collections::BTreeMap::new(),
        outputs: None,
    }
}

pub(crate) fn of_api(release: Release, api: ApiDocument) -> ReleaseSurface {
    ReleaseSurface {
        apis: vec![api],
        ..empty(release)
    }
}

pub(crate) fn of_items(release: Release, items: Vec<CatalogItem>) -> ReleaseSurface {
    ReleaseSurface {
        catalog: catalog_by_key(items),
        ..empty(release)
    }
}

pub(crate) fn rest(release: Release, style: ApiStyle, document: &Value) -> ReleaseSurface {
    of_api(release, read_openapi(style, document).unwrap())
}

/// A `.proto` text in a package of its own; our options can be imported.
pub(crate) fn grpc(release: Release, text: &str) -> ReleaseSurface {
    let bytes = compiled(text);
    of_api(release, read_descriptors(&bytes).unwrap())
}

pub(crate) fn compiled(text: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("foos.proto"), text).unwrap();
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto/proto");
    let mut compiler = protox::Compiler::new([folder.path(), &ours]).unwrap();
    compiler.include_imports(true);
    let opened = compiler.open_file("foos.proto");
    opened.unwrap_or_else(|error| panic!("{error}\n{text}"));
    compiler.encode_file_descriptor_set()
}

pub(crate) fn judged(
    old: &ReleaseSurface,
    new: &ReleaseSurface,
    rules: &RuleSet,
) -> Vec<RuleViolation> {
    check(&[kept(old)], new, rules)
}

pub(crate) fn kept(surface: &ReleaseSurface) -> KeptRelease {
    KeptRelease {
        surface: surface.clone(),
    }
}

/// A deprecation that lets it go in the second release.
pub(crate) fn due() -> Value {
    json!({ "since": "0.1.0", "lastUsedIn": "0.0.9", "removedIn": "0.2.0", "instead": "bars" })
}

/// One that is sound in the second release.
pub(crate) fn sound() -> Value {
    json!({ "since": "0.2.0", "lastUsedIn": "0.1.0", "removedIn": "0.3.0", "instead": "bars" })
}

pub(crate) fn releases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../releases")
}

pub(crate) fn listed(violations: &[RuleViolation]) -> String {
    let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
