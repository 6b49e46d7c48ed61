//! Every input within bounds.

use super::*;

/// Few versions, so that every set of known ones can be tried, with holes and without a beginning.
pub(super) const SIX: [&str; 6] = ["v1", "v1.1", "v1.2", "v2", "v2.1", "v3"];

/// Majors 1 to 3, minors 0 to 2, patches 0 and 1.
pub(super) fn eighteen() -> Vec<Version> {
    let mut versions = Vec::new();
    for major in 1..=3 {
        for minor in 0..=2 {
            versions.extend([0, 1].map(|patch| Version::new(major, minor, patch)));
        }
    }
    versions
}

pub(super) fn six() -> Vec<Version> {
    SIX.map(v).to_vec()
}

/// Every subset.
pub(super) fn subsets(versions: &[Version]) -> Vec<KnownVersions> {
    let chosen = |set: u32| {
        let numbered = (0..).zip(versions);
        let kept = numbered.filter(move |(bit, _)| set >> bit & 1 == 1);
        kept.map(|(_, version)| *version).collect()
    };
    (0..1 << versions.len()).map(chosen).collect()
}

/// Servers of one release after the other.
pub(super) fn releases(versions: &[Version]) -> Vec<KnownVersions> {
    let ends = 0..=versions.len();
    ends.map(|end| versions.iter().copied().take(end).collect())
        .collect()
}

/// Every record and every pair.
pub(super) fn stored(versions: &[Version]) -> Vec<StoredVersions> {
    let versions = || versions.iter().copied().map(StoredVersion);
    let mut all: Vec<_> = versions().map(StoredVersions::Alone).collect();
    for old in versions() {
        for new in versions() {
            let pairs = [LeadingRecord::Old, LeadingRecord::New]
                .map(|lead| VersionPair::new(old, new, lead));
            all.extend(pairs.into_iter().flatten().map(StoredVersions::Pair));
        }
    }
    all
}

pub(super) fn wanted(versions: &[Version]) -> Vec<WantedVersion> {
    let mut all = vec![WantedVersion::Stored];
    for version in versions.iter().copied() {
        all.extend([
            WantedVersion::Exactly(version),
            WantedVersion::Major(version),
            WantedVersion::AtMost(ClientVersion(version)),
        ]);
    }
    all
}

/// Calls `check` with every read of resources at these versions by these servers.
pub(super) fn every_read(
    versions: &[Version],
    servers: &[KnownVersions],
    mut check: impl FnMut(&VersionedRead<'_>),
) {
    let wanted = wanted(versions);
    for known in servers {
        for stored in stored(versions) {
            for wanted in &wanted {
                check(&reading(stored, known, *wanted));
            }
        }
    }
}

/// Calls `check` with every write, unforced; each law forces for itself.
pub(super) fn every_write(
    versions: &[Version],
    servers: &[KnownVersions],
    mut check: impl FnMut(&VersionedWrite<'_>),
) {
    let mut all_stored = vec![None];
    all_stored.extend(stored(versions).into_iter().map(Some));
    let settings = settings();
    for known in servers {
        for stored in &all_stored {
            for version in versions {
                for body in [
                    WriteVersion::plain(*version),
                    WriteVersion::downgraded(*version),
                ] {
                    for setting in &settings {
                        check(&VersionedWrite {
                            stored: *stored,
                            body,
                            known,
                            ..*setting
                        });
                    }
                }
            }
        }
    }
}

/// Everything about a write that is not a version.
fn settings() -> Vec<VersionedWrite<'static>> {
    static NOTHING: std::sync::LazyLock<KnownVersions> =
        std::sync::LazyLock::new(KnownVersions::default);
    let plain = writing(at("v1"), "v1", &NOTHING);
    let mut all = Vec::new();
    for store_at in [StoreAt::Set, StoreAt::Unchanged, StoreAt::Unsaid] {
        for revision in [
            RevisionCheck::NotGiven,
            RevisionCheck::Current,
            RevisionCheck::Stale,
        ] {
            for skew in [SkewRule::Merge, SkewRule::Strict] {
                for control in [CallerControl::Full, CallerControl::Write] {
                    for restricted_below in [None, Some(v("v2"))] {
                        all.push(VersionedWrite {
                            store_at,
                            revision,
                            skew,
                            control,
                            restricted_below,
                            ..plain
                        });
                    }
                }
            }
        }
    }
    all
}
