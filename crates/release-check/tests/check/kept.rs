//! What is really kept.

use crate::surfaces::{judged, listed, releases};
use coeval_release_check::{
    ApiStyle, ReleaseRule, RuleSet, SurfaceSummary, check, read_descriptors, read_kept_releases,
    read_surface,
};
use coeval_releases::Release;
use std::path::Path;

#[test]
fn the_first_release_compared_with_itself_breaks_nothing_and_much_is_compared() {
    let first = read_surface(&releases().join("0.1.0")).unwrap();
    let found = judged(&first, &first, &RuleSet::all());
    assert!(found.is_empty(), "{}", listed(&found));
    let counted = SurfaceSummary::of(&first);
    println!("{counted}");
    assert!(counted.webapi_operations >= 80, "{counted:?}");
    assert!(counted.cloudapi_operations >= 130, "{counted:?}");
    assert!(counted.grpc_methods >= 60, "{counted:?}");
    assert!(counted.fields > 1000, "{counted:?}");
    assert!(counted.error_codes >= 150, "{counted:?}");
    assert!(counted.commands >= 400, "{counted:?}");
    assert!(counted.settings >= 90, "{counted:?}");
    assert!(counted.metrics >= 10, "{counted:?}");
    assert!(counted.kinds >= 6, "{counted:?}");
    assert!(counted.levels >= 4, "{counted:?}");
    assert!(counted.outputs >= 20, "{counted:?}");
}

#[test]
fn every_kept_release_can_be_read_and_the_newest_comes_first() {
    let kept = read_kept_releases(&releases()).unwrap();
    assert!(
        kept.iter()
            .any(|one| one.release() == Release::new(0, 1, 0))
    );
    assert!(kept.is_sorted_by_key(|one| std::cmp::Reverse(one.release())));
    for one in &kept {
        assert!(
            one.surface.outputs.is_some(),
            "{} has no outputs",
            one.release()
        );
    }
}

#[test]
fn what_answers_without_being_described_is_compared_too() {
    let first = read_surface(&releases().join("0.1.0")).unwrap();
    for (style, name) in [
        (ApiStyle::Webapi, "Error"),
        (ApiStyle::Webapi, "WatchEvent"),
        (ApiStyle::Cloudapi, "Error"),
        (ApiStyle::Grpc, "coeval.errors.v1.ErrorDetail"),
    ] {
        let api = first.api(style).unwrap();
        assert!(
            api.standalone.contains(name),
            "{name}: {:?}",
            api.standalone
        );
    }
}

#[test]
fn a_release_with_nothing_in_it_breaks_whatever_was_there() {
    let first = read_surface(&releases().join("0.1.0")).unwrap();
    let mut nothing = first.clone();
    nothing.catalog.clear();
    for api in &mut nothing.apis {
        api.operations.clear();
    }
    let found = check(&[crate::surfaces::kept(&first)], &nothing, &RuleSet::all());
    let counted = SurfaceSummary::of(&first);
    let operations = counted.webapi_operations + counted.cloudapi_operations + counted.grpc_methods;
    let gone = found
        .iter()
        .filter(|one| one.rule == ReleaseRule::OperationStays);
    assert_eq!(gone.count(), operations);
    let gone = found
        .iter()
        .filter(|one| one.rule == ReleaseRule::ErrorCodeStays);
    assert_eq!(gone.count(), counted.error_codes);
}

/// The .proto files of this tree are compiled in a second; the rest of what is served takes a build,
/// and is compared by `coeval-release-check check`.
#[test]
fn the_proto_files_of_this_tree_break_no_kept_release() {
    let kept = read_kept_releases(&releases()).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto/proto");
    let mut compiler = protox::Compiler::new([&sources]).unwrap();
    compiler.include_imports(true);
    let mut pending = vec![sources.clone()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap();
            pending.extend(entries.map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|kind| kind == "proto") {
            compiler
                .open_file(path.strip_prefix(&sources).unwrap())
                .unwrap();
        }
    }
    let api = read_descriptors(&compiler.encode_file_descriptor_set()).unwrap();
    let served = crate::surfaces::of_api(coeval_releases::CURRENT, api);
    // Only what both have is compared: the catalog is not known here.
    let kept: Vec<_> = kept
        .into_iter()
        .map(|mut one| {
            one.surface.catalog.clear();
            one
        })
        .collect();
    let found = check(&kept, &served, &RuleSet::all());
    assert!(found.is_empty(), "{}", listed(&found));
}
