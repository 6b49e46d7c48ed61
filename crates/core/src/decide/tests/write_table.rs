//! The rules for writing, one test for each row of their table.
//!
//! A row is tried in every way in which an edit can't be carried, said and unsaid where to store
//! it. Rows without a mark hold as well where it could be carried. The table's client column is `*`
//! or the body's version: it never decides, so no input has it.

use super::universe::SIX;
use super::*;

const BOTH: [Force; 2] = [Force::No, Force::Yes];

/// Every decision that a row speaks of.
fn row(
    stored: Option<StoredVersions>,
    text: &str,
    known: &KnownVersions,
    force: Force,
) -> Vec<Result<WriteDecision, VersionRefusal>> {
    let mut decisions = Vec::new();
    for skew in [SkewRule::Strict, SkewRule::Merge] {
        for revision in [RevisionCheck::NotGiven, RevisionCheck::Current] {
            for store_at in [StoreAt::Unsaid, StoreAt::Set] {
                let case = VersionedWrite {
                    stored,
                    skew,
                    revision,
                    store_at,
                    force,
                    ..writing(at("v1"), text, known)
                };
                let carried = skew == SkewRule::Merge && revision == RevisionCheck::Current;
                if !(case.body.is_marked() && carried) {
                    decisions.push(decide_write(&case));
                }
            }
        }
    }
    assert!(decisions.len() >= 6);
    decisions
}

fn changes(
    stored: StoredVersions,
    text: &str,
    newest: &str,
    force: Force,
) -> Vec<Result<ContentChange, VersionRefusal>> {
    let decisions = row(Some(stored), text, &server(newest), force);
    let changes = decisions.into_iter().map(|d| d.map(|write| write.change));
    changes.collect()
}

fn all<T: PartialEq + std::fmt::Debug>(found: &[T], expected: &T) {
    assert!(
        found.iter().all(|one| one == expected),
        "{found:?} {expected:?}"
    );
}

/// The table's `*` for what is stored.
fn anything() -> Vec<Option<StoredVersions>> {
    let alone = SIX.into_iter().map(|text| Some(at(text)));
    alone.chain([None, Some(migrated())]).collect()
}

fn migrated() -> StoredVersions {
    pair("v1.1", "v2", LeadingRecord::New)
}

#[test]
fn write_row_01_the_same_version_everywhere_is_stored() {
    let found = changes(at("v1.1"), "v1.1", "v1.1", Force::No);
    all(&found, &Ok(edit("v1.1", "v1.1")));
}

#[test]
fn write_row_02_an_unknown_stored_version_is_not_overwritten() {
    let found = changes(at("v1.2"), "v1.1", "v1.1", Force::No);
    let stored = StoredVersion(v("v1.2"));
    all(&found, &Err(VersionRefusal::StoredUnknown { stored }));
}

#[test]
fn write_row_03_force_overwrites_an_unknown_stored_version_and_keeps_it_whole() {
    let found = changes(at("v1.2"), "v1.1", "v1.1", Force::Yes);
    all(&found, &Ok(replaced("v1.1")));
}

#[test]
fn write_row_04_a_newer_minor_is_stored() {
    for force in BOTH {
        let found = changes(at("v1.1"), "v1.2", "v1.2", force);
        all(&found, &Ok(moved("v1.1", "v1.2")));
    }
}

#[test]
fn write_row_05_a_version_that_the_server_does_not_know_is_never_written() {
    for force in BOTH {
        let found = changes(at("v1.1"), "v1.2", "v1.1", force);
        let refusal = VersionRefusal::VersionUnknown {
            version: v("v1.2"),
            newest: Some(known("v1.1")),
        };
        all(&found, &Err(refusal));
    }
}

#[test]
fn write_row_06_a_marked_body_is_refused_whatever_is_stored_and_known() {
    for stored in anything() {
        for newest in SIX {
            for decision in row(stored, "v1.1+downgraded", &server(newest), Force::No) {
                let refusal = decision.unwrap_err();
                let marked = matches!(
                    refusal,
                    VersionRefusal::MarkedBody { .. } | VersionRefusal::MarkedRecord { .. }
                );
                assert!(marked, "{stored:?} {newest}: {refusal}");
            }
        }
    }
}

#[test]
fn write_row_07_force_stores_a_marked_body_without_its_mark() {
    for stored in anything() {
        for decision in row(stored, "v1.1+downgraded", &server("v1.1"), Force::Yes) {
            let write = decision.unwrap();
            assert_eq!(write.change.stored_at(), known("v1.1"), "{stored:?}");
            assert!(write.overrode.is_some());
        }
    }
}

#[test]
fn write_row_08_force_does_not_store_a_marked_body_of_an_unknown_version() {
    for stored in anything() {
        for decision in row(stored, "v1.1+downgraded", &server("v1"), Force::Yes) {
            let refusal = decision.unwrap_err();
            let unknown = matches!(refusal, VersionRefusal::VersionUnknown { .. });
            assert!(unknown, "{stored:?}: {refusal}");
        }
    }
}

#[test]
fn write_row_09_an_old_server_does_not_write_the_old_copy_of_a_migrated_resource() {
    for text in ["v1", "v1.1", "v1.2", "v2", "v1.1+downgraded", "v3"] {
        let found = changes(migrated(), text, "v1.1", Force::No);
        let new = StoredVersion(v("v2"));
        all(&found, &Err(VersionRefusal::MarkedRecord { new }));
    }
}

#[test]
fn write_row_10_force_writes_the_old_copy_and_leaves_the_new_record_alone() {
    for text in ["v1", "v1.1", "v1+downgraded", "v1.1+downgraded"] {
        for decision in row(Some(migrated()), text, &server("v1.1"), Force::Yes) {
            let write = decision.unwrap();
            assert_eq!(write.change.stored_at(), known("v1.1"), "{text}");
            assert_eq!(write.records, WrittenRecords::Old, "{text}");
        }
    }
}

/// The row says `*`; rows 5 and 8 say never. Never is stronger.
#[test]
fn write_row_10_force_does_not_write_a_body_that_the_server_can_not_read() {
    for text in ["v1.2", "v2", "v2+downgraded"] {
        for decision in row(Some(migrated()), text, &server("v1.1"), Force::Yes) {
            let refusal = decision.unwrap_err();
            assert!(
                matches!(refusal, VersionRefusal::VersionUnknown { .. }),
                "{text}"
            );
        }
    }
}

#[test]
fn write_row_11_an_old_body_is_written_to_both_records() {
    for force in BOTH {
        for text in ["v1", "v1.1"] {
            for decision in row(Some(migrated()), text, &server("v2"), force) {
                let write = decision.unwrap();
                assert_eq!(write.change, edit(text, "v2"));
                assert_eq!(write.records, WrittenRecords::Both);
            }
        }
    }
}

#[test]
fn write_row_12_a_new_body_is_written_to_both_records() {
    for force in BOTH {
        for decision in row(Some(migrated()), "v2", &server("v2"), force) {
            let write = decision.unwrap();
            assert_eq!(write.change, edit("v2", "v2"));
            assert_eq!(write.records, WrittenRecords::Both);
        }
    }
}
