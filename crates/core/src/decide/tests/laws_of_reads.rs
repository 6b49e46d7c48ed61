//! What holds for every read.

use super::universe::{eighteen, every_read, releases, six, subsets};
use super::*;
use crate::version::VersionMark;

/// Runs a law over few versions and every set of known ones, and over many versions and releases.
fn for_every_view(law: impl Fn(&VersionedRead<'_>, &ViewDecision)) {
    let (six, eighteen) = (six(), eighteen());
    for (versions, servers) in [(&six, subsets(&six)), (&eighteen, releases(&eighteen))] {
        let mut served = 0;
        every_read(versions, &servers, |reading| {
            if let Ok(view) = decide_read(reading) {
                served += 1;
                law(reading, &view);
            }
        });
        assert!(served > 1_000, "nothing was tried");
    }
}

fn record(reading: &VersionedRead<'_>, view: &ViewDecision) -> StoredVersion {
    match (reading.stored, view.from) {
        (StoredVersions::Alone(stored), ViewedRecord::Only) => stored,
        (StoredVersions::Pair(pair), ViewedRecord::Old) => pair.old(),
        (StoredVersions::Pair(pair), ViewedRecord::New) => pair.new_record(),
        impossible => panic!("{impossible:?}"),
    }
}

#[test]
fn law_a_record_of_an_unknown_major_is_never_served() {
    for_every_view(|reading, view| {
        let stored = record(reading, view);
        assert!(reading.known.knows_major(stored.0.major), "{reading:?}");
    });
}

#[test]
fn law_a_view_is_at_a_version_that_the_server_knows() {
    for_every_view(|reading, view| {
        assert_eq!(reading.known.know(view.at.version()), Some(view.at));
    });
}

#[test]
fn law_the_mark_is_there_exactly_when_more_is_stored_than_is_shown() {
    for_every_view(|reading, view| {
        let copy = matches!(reading.stored, StoredVersions::Pair(pair) if pair.lead() == LeadingRecord::New)
            && view.from == ViewedRecord::Old;
        let lowered = view.at.version() < record(reading, view).0;
        assert_eq!(
            view.mark == VersionMark::Downgraded,
            lowered || copy,
            "{reading:?}"
        );
    });
}

#[test]
fn law_what_is_not_known_is_pruned_and_what_is_known_never() {
    for_every_view(|reading, view| {
        let known = reading.known.know_stored(record(reading, view));
        let pruned = matches!(view.shown, ViewRendering::Pruned { .. });
        assert_eq!(pruned, known.is_none(), "{reading:?}");
        if let ViewRendering::Pruned { to } = view.shown {
            assert_eq!(to.version().major, record(reading, view).0.major);
            assert!(view.at <= to, "raised from a pruned view: {reading:?}");
        }
    });
}

#[test]
fn law_a_caller_gets_what_it_wants_or_less_never_more() {
    for_every_view(|reading, view| {
        let version = view.at.version();
        match reading.wanted {
            WantedVersion::Exactly(exactly) => assert_eq!(version, exactly),
            WantedVersion::Major(described) => {
                assert_eq!(version.major, described.major);
                assert!(version <= described);
            }
            WantedVersion::AtMost(ClientVersion(client)) => {
                assert!(version <= client);
                assert!(version <= record(reading, view).0, "converted up");
            }
            WantedVersion::Stored => assert!(version <= record(reading, view).0),
        }
    });
}

#[test]
fn law_more_knowledge_never_turns_an_allowed_read_into_a_refused_one() {
    let versions = six();
    let servers = subsets(&versions);
    every_read(&versions, &servers, |reading| {
        if decide_read(reading).is_err() {
            return;
        }
        for learned in &versions {
            let versions = reading.known.iter().map(KnownVersion::version);
            let more: KnownVersions = versions.chain([*learned]).collect();
            let wiser = VersionedRead {
                known: &more,
                ..*reading
            };
            let decision = decide_read(&wiser);
            assert!(
                decision.is_ok(),
                "{reading:?} learned {learned}: {decision:?}"
            );
        }
    });
}
