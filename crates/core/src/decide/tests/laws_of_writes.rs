//! What holds for every write, over every set of known versions. That a decision exists for every
//! input is what running through them shows.

use super::universe::{eighteen, every_write, releases, six, subsets};
use super::*;

/// A law sees the write, what is decided without force, and what is decided with it.
type Decided = Result<WriteDecision, VersionRefusal>;

fn for_every_write(law: impl Fn(&VersionedWrite<'_>, &Decided, &Decided)) {
    let versions = six();
    run(&versions, &subsets(&versions), law);
}

fn run(
    versions: &[Version],
    servers: &[KnownVersions],
    law: impl Fn(&VersionedWrite<'_>, &Decided, &Decided),
) {
    let mut accepted = 0;
    every_write(versions, servers, |writing| {
        let forced = VersionedWrite {
            force: Force::Yes,
            ..*writing
        };
        let (gently, forced) = (decide_write(writing), decide_write(&forced));
        accepted += usize::from(gently.is_ok());
        law(writing, &gently, &forced);
    });
    assert!(accepted > 1_000, "nothing was tried");
}

fn never_writes_an_unknown_version(
    writing: &VersionedWrite<'_>,
    gently: &Decided,
    forced: &Decided,
) {
    for write in [gently, forced].into_iter().flatten() {
        let stored_at = write.change.stored_at();
        assert_eq!(writing.known.know(stored_at.version()), Some(stored_at));
        assert!(writing.known.know(writing.body.version()).is_some());
    }
}

fn force_changes_nothing_but_refusals(
    writing: &VersionedWrite<'_>,
    gently: &Decided,
    forced: &Decided,
) {
    match (gently, forced) {
        (Ok(gently), Ok(forced)) => assert_eq!(gently, forced, "{writing:?}"),
        (Ok(_), Err(refusal)) => panic!("{writing:?}: {refusal}"),
        (Err(refusal), Ok(forced)) => assert_eq!(forced.overrode, Some(*refusal)),
        (Err(_), Err(_)) => {}
    }
}

fn force_overrides_no_access_no_revision_and_no_restriction(
    writing: &VersionedWrite<'_>,
    gently: &Decided,
    forced: &Decided,
) {
    let restricted = writing.stored.is_some()
        && writing
            .restricted_below
            .is_some_and(|below| writing.body.version() < below);
    if writing.revision == RevisionCheck::Stale || restricted {
        assert!(gently.is_err() && forced.is_err(), "{writing:?}");
    }
    if writing.control == CallerControl::Write {
        assert_eq!(gently.is_ok(), forced.is_ok(), "{writing:?}");
    }
}

fn a_mark_is_only_ever_an_edit_of_what_was_read(
    writing: &VersionedWrite<'_>,
    gently: &Decided,
    _: &Decided,
) {
    if let (true, Ok(write)) = (writing.body.is_marked(), gently) {
        assert!(
            matches!(write.change, ContentChange::Edit { .. }),
            "{writing:?}"
        );
        assert_eq!(writing.revision, RevisionCheck::Current);
        assert_eq!(writing.skew, SkewRule::Merge);
    }
}

fn only_full_control_changes_a_version(
    writing: &VersionedWrite<'_>,
    gently: &Decided,
    forced: &Decided,
) {
    for write in [gently, forced].into_iter().flatten() {
        let changes = matches!(
            write.change,
            ContentChange::Move { .. } | ContentChange::Replace { .. }
        );
        assert!(
            !changes || writing.control == CallerControl::Full,
            "{writing:?}"
        );
    }
}

fn without_force_nothing_unknown_is_overwritten(
    writing: &VersionedWrite<'_>,
    gently: &Decided,
    _: &Decided,
) {
    if let Ok(write) = gently {
        let replaces = matches!(write.change, ContentChange::Replace { .. });
        let unknown = match writing.stored {
            Some(StoredVersions::Alone(stored)) => writing.known.know_stored(stored).is_none(),
            Some(StoredVersions::Pair(pair)) => writing
                .known
                .know_stored(pair.lead_and_mirror().0)
                .is_none(),
            None => false,
        };
        assert!(!replaces && !unknown, "{writing:?}");
    }
}

fn a_resource_told_to_stay_stays(writing: &VersionedWrite<'_>, gently: &Decided, _: &Decided) {
    if let (StoreAt::Unchanged, Some(_), Ok(write)) = (writing.store_at, writing.stored, gently) {
        assert!(
            matches!(write.change, ContentChange::Edit { .. }),
            "{writing:?}"
        );
    }
}

fn a_pair_stays_a_pair(writing: &VersionedWrite<'_>, gently: &Decided, forced: &Decided) {
    let Some(StoredVersions::Pair(pair)) = writing.stored else {
        return;
    };
    for write in [gently, forced].into_iter().flatten() {
        let (lead, _) = pair.lead_and_mirror();
        let written = match write.records {
            WrittenRecords::Both => lead,
            WrittenRecords::Old => pair.old(),
            WrittenRecords::Only => panic!("{writing:?}"),
        };
        let major = write.change.stored_at().version().major;
        assert_eq!(major, written.0.major, "{writing:?}");
    }
}

fn who_wrote_can_read(writing: &VersionedWrite<'_>, gently: &Decided, forced: &Decided) {
    for write in [gently, forced].into_iter().flatten() {
        let stored = StoredVersions::Alone(StoredVersion(write.change.stored_at().version()));
        let client = ClientVersion(writing.body.version());
        let read = reading(stored, writing.known, WantedVersion::AtMost(client));
        assert!(decide_read(&read).is_ok(), "{writing:?}");
    }
}

const LAWS: [fn(&VersionedWrite<'_>, &Decided, &Decided); 9] = [
    never_writes_an_unknown_version,
    force_changes_nothing_but_refusals,
    force_overrides_no_access_no_revision_and_no_restriction,
    a_mark_is_only_ever_an_edit_of_what_was_read,
    only_full_control_changes_a_version,
    without_force_nothing_unknown_is_overwritten,
    a_resource_told_to_stay_stays,
    a_pair_stays_a_pair,
    who_wrote_can_read,
];

#[test]
fn law_a_version_that_the_server_does_not_know_is_never_written() {
    for_every_write(never_writes_an_unknown_version);
}

#[test]
fn law_force_changes_nothing_but_refusals() {
    for_every_write(force_changes_nothing_but_refusals);
}

#[test]
fn law_force_overrides_no_access_no_revision_and_no_restriction() {
    for_every_write(force_overrides_no_access_no_revision_and_no_restriction);
}

#[test]
fn law_a_body_marked_downgraded_is_never_stored_as_such() {
    for_every_write(a_mark_is_only_ever_an_edit_of_what_was_read);
}

#[test]
fn law_only_full_control_changes_a_version() {
    for_every_write(only_full_control_changes_a_version);
}

#[test]
fn law_without_force_nothing_unknown_is_overwritten() {
    for_every_write(without_force_nothing_unknown_is_overwritten);
}

#[test]
fn law_a_resource_told_to_stay_stays() {
    for_every_write(a_resource_told_to_stay_stays);
}

#[test]
fn law_a_pair_stays_a_pair() {
    for_every_write(a_pair_stays_a_pair);
}

#[test]
fn law_who_wrote_can_read() {
    for_every_write(who_wrote_can_read);
}

/// Every third release: the others tell nothing new and take a minute.
#[test]
fn the_laws_hold_for_eighteen_versions_too() {
    let versions = eighteen();
    let servers: Vec<_> = releases(&versions).into_iter().step_by(3).collect();
    run(&versions, &servers, |writing, gently, forced| {
        for law in LAWS {
            law(writing, gently, forced);
        }
    });
}
