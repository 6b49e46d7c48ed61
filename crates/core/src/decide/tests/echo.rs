//! The echoing client: it reads at an old version, changes a field, and sends back what it was
//! served, mark and all.

use super::universe::{eighteen, every_read, releases};
use super::*;

/// The write that follows from a read: same resource, same server, the version as it was printed.
fn echo<'a>(
    reading: &VersionedRead<'a>,
    served: &ViewDecision,
    store_at: StoreAt,
) -> VersionedWrite<'a> {
    let printed = served.version().to_string();
    VersionedWrite {
        store_at,
        restricted_below: reading.restricted_below,
        ..writing(reading.stored, &printed, reading.known)
    }
}

#[test]
fn an_old_client_reads_changes_and_saves_and_nothing_else_moves() {
    let known = server("v1.2");
    let read = reading(at("v1.2"), &known, at_most("v1.1"));
    let served = decide_read(&read).unwrap();
    assert_eq!(served.version().to_string(), "v1.1+downgraded");
    let saved = echo(&read, &served, StoreAt::Unsaid);
    assert_eq!(change(&saved), Ok(edit("v1.1", "v1.2")));
}

#[test]
fn it_works_over_majors_and_while_the_type_is_being_migrated() {
    let known = server("v2");
    for stored in [at("v2"), pair("v1.1", "v2", LeadingRecord::New)] {
        let read = reading(stored, &known, at_most("v1.1"));
        let served = decide_read(&read).unwrap();
        let saved = echo(&read, &served, StoreAt::Unsaid);
        assert_eq!(change(&saved), Ok(edit("v1.1", "v2")));
    }
}

#[test]
fn through_a_server_that_does_not_know_the_stored_version_it_is_refused() {
    let known = server("v1.1");
    for stored in [at("v1.2"), pair("v1.1", "v2", LeadingRecord::New)] {
        let read = reading(stored, &known, at_most("v1.1"));
        let served = decide_read(&read).unwrap();
        assert_eq!(served.version().to_string(), "v1.1+downgraded");
        assert!(change(&echo(&read, &served, StoreAt::Unsaid)).is_err());
    }
}

#[test]
fn a_restricted_view_does_not_come_back() {
    let known = server("v2");
    let read = VersionedRead {
        restricted_below: Some(v("v2")),
        ..reading(at("v2"), &known, at_most("v1.1"))
    };
    let served = decide_read(&read).unwrap();
    assert_eq!(served.shown, ViewRendering::Restricted);
    for store_at in [StoreAt::Unsaid, StoreAt::Set, StoreAt::Unchanged] {
        let refusal = change(&echo(&read, &served, store_at)).unwrap_err();
        assert!(matches!(refusal, VersionRefusal::RestrictedView { .. }));
    }
}

/// Every echo is either accepted, and then leaves the stored version as it was, or goes through a
/// server that does not know all that is stored. What was asked for by name comes back by name.
#[test]
fn law_what_is_served_can_be_sent_back_and_moves_no_version() {
    let versions = eighteen();
    every_read(&versions, &releases(&versions), |read| {
        let Ok(served) = decide_read(read) else {
            return;
        };
        let (lead, all_known) = match read.stored {
            StoredVersions::Alone(stored) => (stored, read.known.know_stored(stored).is_some()),
            StoredVersions::Pair(pair) => {
                let (lead, mirror) = pair.lead_and_mirror();
                let knows = |stored| read.known.know_stored(stored).is_some();
                (
                    lead,
                    knows(lead) && (knows(mirror) || pair.lead() == LeadingRecord::Old),
                )
            }
        };
        let store_at = match read.wanted {
            WantedVersion::AtMost(_) | WantedVersion::Stored => StoreAt::Unsaid,
            WantedVersion::Exactly(_) | WantedVersion::Major(_) => StoreAt::Unchanged,
        };
        match decide_write(&echo(read, &served, store_at)) {
            Ok(write) => assert_eq!(write.change.stored_at().version(), lead.0, "{read:?}"),
            Err(refusal) => assert!(!all_known, "{read:?}: {refusal}"),
        }
    });
}
