//! The laws of reads and writes by callers that don't see everything, on random types.

use super::world::{World, edit, texts};
use super::*;
use crate::convert::laws::alike;
use crate::convert::{ContentRecord, join_secure};
use fastrand::Rng;
use std::collections::BTreeSet;

const WORLDS: u64 = 400;
const ALL: [Visibility; 3] = [
    Visibility::Public,
    Visibility::Protected,
    Visibility::Private,
];
const VERSIONS: [&str; 3] = ["1.0.0", "1.1.0", "2.0.0"];

/// Runs a check on every world; a failure names the seed.
fn in_worlds(marked: bool, mut check: impl FnMut(&mut Rng, &World, ContentRecord)) -> usize {
    let mut tried = 0;
    for seed in 0..WORLDS {
        let mut rng = Rng::with_seed(seed);
        let Some(world) = World::new(&mut rng, marked) else {
            continue;
        };
        let first = ContentRecord::new(v("1.1.0"), world.stored.clone());
        // Stored at each version, so that something is kept.
        for version in VERSIONS {
            let Ok(stored) = world.versions.moved(first.clone(), v(version)) else {
                continue;
            };
            tried += 1;
            let run = || check(&mut rng, &world, stored);
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            assert!(done.is_ok(), "seed {seed}, stored at {version}");
        }
    }
    tried
}

/// The texts of a record's content that a caller does not see, by the stored version's marks.
fn hidden(world: &World, record: &ContentRecord, sees: Visibility) -> BTreeSet<(String, String)> {
    let schema = &world.versions.get(record.version).unwrap().schema;
    let (mut all, mut shown) = (Vec::new(), Vec::new());
    texts(&record.content, "", &mut all);
    texts(
        &schema.redact(&record.content, sees).content,
        "",
        &mut shown,
    );
    let shown: BTreeSet<String> = shown.into_iter().map(|(_, text)| text).collect();
    all.retain(|(_, text)| !shown.contains(text));
    all.into_iter().collect()
}

#[test]
fn what_is_put_back_as_it_was_seen_changes_nothing() {
    let tried = in_worlds(true, |_, world, stored| {
        for (at, sees) in VERSIONS.iter().flat_map(|at| ALL.map(|sees| (at, sees))) {
            let view = world
                .versions
                .view_for(stored.clone(), v(at), sees)
                .unwrap();
            for body in [view.content.clone(), view.masked()] {
                let put = world.versions.put_for(stored.clone(), v(at), body, sees);
                let put = put.unwrap();
                assert!(
                    alike(&put.record, &stored),
                    "{at} {sees}: {put:?} and not {stored:?}"
                );
                assert!(put.dropped.is_empty(), "{at} {sees}: {:?}", put.dropped);
            }
        }
    });
    assert!(tried > 900, "only {tried}");
}

#[test]
fn nothing_that_is_hidden_is_shown() {
    let mut found = 0;
    in_worlds(true, |_, world, stored| {
        for (at, sees) in VERSIONS.iter().flat_map(|at| ALL.map(|sees| (at, sees))) {
            let view = world
                .versions
                .view_for(stored.clone(), v(at), sees)
                .unwrap();
            let mut shown = view.content.to_string();
            for entry in view.kept.entries() {
                shown.push_str(&entry.value.to_string());
            }
            for (path, text) in hidden(world, &stored, sees) {
                found += 1;
                assert!(!shown.contains(&text), "{at} {sees}: {path} in {shown}");
            }
        }
    });
    assert!(found > 5_000, "only {found}");
}

#[test]
fn a_write_changes_hidden_data_only_where_its_place_is_deleted() {
    let (mut accepted, mut refused, mut followed) = (0, 0, 0);
    in_worlds(true, |rng, world, stored| {
        for (at, sees) in VERSIONS.iter().flat_map(|at| ALL.map(|sees| (at, sees))) {
            let view = world
                .versions
                .view_for(stored.clone(), v(at), sees)
                .unwrap();
            let mut body = view.content;
            edit(rng, &mut body);
            let sent = body.to_string();
            let Ok(put) = world.versions.put_for(stored.clone(), v(at), body, sees) else {
                refused += 1;
                continue;
            };
            accepted += 1;
            let before = hidden(world, &stored, sees);
            let after = hidden(world, &put.record, sees);
            let context = || format!("{at} {sees}: {stored:?} by {sent} to {put:?}");
            let gone = before.difference(&after).count();
            assert!(gone == 0 || !put.dropped.is_empty(), "{}", context());
            // An edit names no hidden field, so it can't have set one.
            let new = after.difference(&before).filter(|(_, text)| text != "new");
            assert_eq!(new.count(), 0, "{}", context());
            followed += before.intersection(&after).count();
        }
    });
    assert!(accepted > 3_000 && refused > 100, "{accepted} {refused}");
    assert!(followed > 5_000, "{followed}");
}

#[test]
fn what_needs_full_control_is_not_changed_without() {
    let mut compared = 0;
    in_worlds(true, |rng, world, stored| {
        let sees = Visibility::Protected;
        let mut body = world
            .versions
            .view_for(stored.clone(), stored.version, sees)
            .unwrap()
            .content;
        edit(rng, &mut body);
        let Ok(put) = world
            .versions
            .put_for(stored.clone(), stored.version, body, sees)
        else {
            return;
        };
        let guarded = |record: &ContentRecord| {
            let public = hidden(world, record, Visibility::Public);
            let unseen = hidden(world, record, sees);
            let seen: BTreeSet<_> = public.difference(&unseen).cloned().collect();
            seen
        };
        assert_eq!(guarded(&stored), guarded(&put.record));
        compared += guarded(&stored).len();
    });
    assert!(compared > 300, "only {compared}");
}

#[test]
fn secrets_go_apart_and_come_back() {
    let mut found = 0;
    in_worlds(true, |_, world, stored| {
        let (public, secrets) = world.versions.split_secure(stored.clone()).unwrap();
        for (_, text) in hidden(world, &stored, Visibility::Private) {
            found += 1;
            assert!(
                !format!("{public:?}").contains(&text),
                "{text} in {public:?}"
            );
        }
        let back = join_secure(public, secrets).unwrap();
        assert_eq!(back.content, stored.content);
        assert!(alike(&back, &stored));
    });
    assert!(found > 300, "only {found}");
}

#[test]
fn where_nothing_is_restricted_reads_and_writes_are_the_ordinary_ones() {
    let tried = in_worlds(false, |rng, world, stored| {
        assert!(!world.versions.restricts());
        for (at, sees) in VERSIONS.iter().flat_map(|at| ALL.map(|sees| (at, sees))) {
            let seen = world
                .versions
                .view_for(stored.clone(), v(at), sees)
                .unwrap();
            let view = world.versions.view(stored.clone(), v(at)).unwrap();
            assert_eq!((&seen.content, &seen.kept), (&view.content, &view.kept));
            let mut body = view.content;
            edit(rng, &mut body);
            assert_eq!(
                world
                    .versions
                    .put_for(stored.clone(), v(at), body.clone(), sees),
                world.versions.put(stored.clone(), v(at), body)
            );
        }
    });
    assert!(tried > 900, "only {tried}");
}
