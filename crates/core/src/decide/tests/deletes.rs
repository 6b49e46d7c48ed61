//! Deleting.

use super::*;

#[test]
fn a_delete_needs_no_version_and_removes_every_record() {
    for revision in [RevisionCheck::NotGiven, RevisionCheck::Current] {
        assert_eq!(decide_delete(at("v9"), revision), Ok(WrittenRecords::Only));
        for lead in [LeadingRecord::Old, LeadingRecord::New] {
            let stored = pair("v1", "v2", lead);
            assert_eq!(decide_delete(stored, revision), Ok(WrittenRecords::Both));
        }
    }
}

#[test]
fn a_delete_with_a_stale_revision_is_refused() {
    assert_eq!(
        decide_delete(at("v1"), RevisionCheck::Stale),
        Err(VersionRefusal::Stale)
    );
}
