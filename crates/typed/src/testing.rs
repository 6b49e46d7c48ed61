//! Types for tests.

use crate::{Ledger, PackageCandidate, PackageFinding, PackageLayout, PackageName};
use coeval_core::types::TypeVersion;
use serde_json::{Value, json};

pub(crate) fn version(number: &str, schema: &Value) -> TypeVersion {
    let file = json!({"kind": "type", "version": "v1", "metadata": {"name": format!("acme:app:{number}")},
        "spec": {"vendor": "acme", "nss": "app", "version": number, "title": "App", "schema": schema}});
    TypeVersion::parse(&file.to_string()).unwrap()
}

/// The package after each version, registered in this order.
pub(crate) fn history(
    versions: &[(&str, Value, bool)],
) -> Vec<(Option<PackageLayout>, Vec<PackageFinding>, Ledger)> {
    let name = PackageName::of("acme", "app").unwrap();
    let versions: Vec<(TypeVersion, bool)> = versions
        .iter()
        .map(|(number, schema, unproven)| (version(number, schema), *unproven))
        .collect();
    let mut ledger = Ledger::default();
    let upto = |count: usize| {
        let candidates = versions.iter().take(count + 1);
        let candidates: Vec<PackageCandidate<'_>> = candidates
            .map(|(version, unproven)| PackageCandidate {
                version,
                unproven: *unproven,
            })
            .collect();
        ledger = ledger.extended(&candidates);
        let (layout, findings) = PackageLayout::of(&name, &ledger, &candidates);
        (layout, findings, ledger.clone())
    };
    (0..versions.len()).map(upto).collect()
}

pub(crate) fn layout(schema: Value) -> PackageLayout {
    let mut all = history(&[("1.0.0", schema, false)]);
    all.remove(0).0.unwrap()
}
