//! The files that type versions give. The numbers of the fields are those that a server gives if it
//! registers these versions in this order and has never seen others.

use super::ProtoFile;
use crate::failure::Failure;
use crate::types::read::read_files;
use coeval_core::types::TypeVersion;
use coeval_typed::{Ledger, PackageCandidate, PackageFinding, PackageLayout, PackageName};
use std::collections::BTreeMap;
use std::path::PathBuf;

pub(super) fn of_files(files: &[PathBuf]) -> Result<Vec<ProtoFile>, Failure> {
    let mut versions = read_files(files)?;
    // In the order of versions, as they would be registered: field numbers are given out in that
    // order.
    versions.sort_by_key(|version| version.id.version);
    let mut majors: BTreeMap<(String, String, u32), Vec<&TypeVersion>> = BTreeMap::new();
    for version in &versions {
        let id = &version.id;
        let key = (
            id.vendor.as_str().to_owned(),
            id.nss.as_str().to_owned(),
            id.version.major,
        );
        majors.entry(key).or_default().push(version);
    }
    let mut made = Vec::new();
    for ((vendor, nss, _), versions) in &majors {
        let name = PackageName::of(vendor, nss).map_err(|finding| no_package(&finding))?;
        let candidates: Vec<PackageCandidate<'_>> = versions
            .iter()
            .map(|&version| PackageCandidate {
                version,
                unproven: false,
            })
            .collect();
        let ledger = Ledger::default().extended(&candidates);
        let (layout, findings) = PackageLayout::of(&name, &ledger, &candidates);
        for finding in &findings {
            eprintln!("note: {} ({})", finding.message, finding.kind.code());
        }
        made.extend(layout.map(|layout| ProtoFile {
            path: layout.path(),
            text: layout.proto(),
        }));
    }
    Ok(made)
}

fn no_package(finding: &PackageFinding) -> Failure {
    let advice = format!("`coeval errors {}` explains it.", finding.kind.code());
    Failure::refused(finding.message.clone(), advice)
}
