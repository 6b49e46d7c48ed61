//! Atomic writes, one at a time.

use crate::bench::{BenchStore, body, in_millis, key, text};
use crate::feeds::next_group;
use crate::refused;
use coeval_storage::StorageError::{AlreadyExists, Conflict, InvalidWrite, NotFound, TooLarge};
use coeval_storage::{
    AtomicWrite, KeyChange, PutRevision, ReadRequest, RecordContent, RecordPut, Revision,
    StorageError, Store, StoreLimits, WriteAction, WriteCondition,
};

/// What stands under the key, as a reader sees it: revision, body, whether it expires.
async fn seen(store: &dyn Store, name: &str) -> Option<(Revision, String, bool)> {
    match store.get(&key(name)).await {
        Ok(record) => Some((record.revision, body(&record), record.expires.is_some())),
        Err(NotFound { .. }) => None,
        Err(other) => panic!("{other:?}"),
    }
}

pub async fn every_condition_with_every_action(bench: &BenchStore) {
    use WriteCondition::{AsRead, Exists, NotExists, RevisionIs, Whatever};
    let store = &bench.store;
    let mut round = 0;
    for there in [true, false] {
        for condition in [
            "whatever",
            "exists",
            "not-exists",
            "revision",
            "stale",
            "never",
            "as-read",
            "as-read-stale",
            "as-read-other-expiry",
        ] {
            for action in ["put", "delete", "keep-alive", "nop"] {
                round += 1;
                let name = format!("t/{round}");
                let label = format!("{condition} {action} there={there}");
                let standing = if there {
                    store.create(&key(&name), text("1")).await.unwrap().revision
                } else {
                    Revision::draw().unwrap()
                };
                let condition = match condition {
                    "whatever" => Whatever,
                    "exists" => Exists,
                    "not-exists" => NotExists,
                    "revision" => RevisionIs(standing),
                    "stale" => RevisionIs(Revision::draw().unwrap()),
                    "never" => RevisionIs(Revision::NEVER),
                    as_read => AsRead {
                        revision: match as_read {
                            "as-read-stale" => Revision::draw().unwrap(),
                            _ => standing,
                        },
                        expires: match as_read {
                            "as-read-other-expiry" => Some(in_millis(3_600_000)),
                            _ => None,
                        },
                        flags: 0,
                    },
                };
                let step = match action {
                    "put" => WriteAction::Put(text("2")),
                    "delete" => WriteAction::Delete,
                    "keep-alive" => WriteAction::KeepAlive(Some(in_millis(3_600_000))),
                    _ => WriteAction::Nop,
                };
                // A neighbour, so that a nop is part of a write and halves would show.
                let beside = format!("t/{round}-beside");
                let write = AtomicWrite::new().put(&key(&beside), &b"x"[..]).step(
                    &key(&name),
                    condition,
                    step.clone(),
                );
                let before = seen(store, &name).await;
                let result = store.atomic_write(write).await;
                // The rule once more, written apart from the stores.
                let holds = match condition {
                    Whatever => there || action != "keep-alive",
                    Exists => there,
                    NotExists => !there && action != "keep-alive",
                    RevisionIs(revision) => there && revision == standing,
                    AsRead {
                        revision, expires, ..
                    } => there && revision == standing && expires.is_none(),
                    WriteCondition::StillExpired(..) => unreachable!(),
                };
                let after = seen(store, &name).await;
                assert_eq!(seen(store, &beside).await.is_some(), holds, "{label}");
                let Ok(written) = result else {
                    assert!(!holds, "{label}: {result:?}");
                    assert_eq!(before, after, "{label}: refused, and changed something");
                    expect_refusal(
                        &result.unwrap_err(),
                        condition,
                        action,
                        there,
                        standing,
                        &label,
                    );
                    continue;
                };
                assert!(holds, "{label}: accepted");
                let expected = match action {
                    "put" => Some((written.revision, "2".into(), false)),
                    "delete" => None,
                    "keep-alive" => Some((standing, "1".into(), true)),
                    _ => before,
                };
                assert_eq!(after, expected, "{label}");
            }
        }
    }
}

pub async fn a_write_on_what_was_read_never_undoes_a_keep_alive(bench: &BenchStore) {
    let store = &bench.store;
    let name = key("lease");
    let soon = Some(in_millis(3_600_000));
    let created = store.create(&name, text("1").expiring(soon)).await.unwrap();
    let as_read = |expires| WriteCondition::AsRead {
        revision: created.revision,
        expires,
        flags: 0,
    };
    let put = |body: &str, expires| WriteAction::Put(text(body).expiring(expires));
    // The expiry that it has now, and no other.
    let later = Some(in_millis(7_200_000));
    store.keep_alive(&name, later).await.unwrap();
    for stale in [soon, None] {
        for action in [
            put("2", stale),
            WriteAction::Delete,
            WriteAction::KeepAlive(stale),
        ] {
            let write = AtomicWrite::new().step(&name, as_read(stale), action);
            let refusal = store.atomic_write(write).await;
            refused!(refusal, Conflict { current, .. } if *current == created.revision);
        }
    }
    let record = store.get(&name).await.unwrap();
    assert_eq!((body(&record).as_str(), record.expires), ("1", later));
    let write = AtomicWrite::new().step(&name, as_read(later), put("2", later));
    let written = store.atomic_write(write.clone()).await.unwrap();
    let record = store.get(&name).await.unwrap();
    assert_eq!((record.revision, record.expires), (written.revision, later));
    let again = store.atomic_write(write).await;
    refused!(again, Conflict { current, .. } if *current == written.revision);
}

pub async fn a_write_on_what_was_read_never_undoes_a_change_of_flags(bench: &BenchStore) {
    let store = &bench.store;
    let name = key("flagged");
    let created = store.create(&name, text("1")).await.unwrap();
    // The same revision with other flags, as a repair puts it.
    let mut flagged = text("1");
    flagged.content.flags = 1;
    flagged.revision = PutRevision::Same(created.revision);
    let write = AtomicWrite::new().step(&name, WriteCondition::Exists, WriteAction::Put(flagged));
    store.atomic_write(write).await.unwrap();
    for (flags, holds) in [(0, false), (1, true)] {
        let as_read = WriteCondition::AsRead {
            revision: created.revision,
            expires: None,
            flags,
        };
        let write = AtomicWrite::new().step(&name, as_read, WriteAction::Put(text("2")));
        let result = store.atomic_write(write).await;
        assert_eq!(result.is_ok(), holds, "{flags}: {result:?}");
    }
    assert_eq!(body(&store.get(&name).await.unwrap()), "2");
}

/// One keeps a lease alive, one rewrites it with the expiry that it reads: none of the rewrites
/// takes an expiry back, not even until the next keep_alive.
pub async fn racing_rewrites_and_keep_alives_leave_the_latest_expiry(bench: &BenchStore) {
    let store = &bench.store;
    let name = key("l/lease");
    let first = in_millis(3_600_000);
    let lease = text("0").expiring(Some(first));
    store.create(&name, lease).await.unwrap();
    let (_, mut watch) = bench.watch("l", None).await;
    let keep = async {
        for n in 1..=40 {
            store.keep_alive(&name, Some(first.plus(n))).await.unwrap();
        }
    };
    let rewrite = async {
        let mut done = 0;
        while done < 20 {
            let record = store.get(&name).await.unwrap();
            let as_read = WriteCondition::AsRead {
                revision: record.revision,
                expires: record.expires,
                flags: record.content.flags,
            };
            let put = WriteAction::Put(text("x").expiring(record.expires));
            let write = AtomicWrite::new().step(&name, as_read, put);
            match store.atomic_write(write).await {
                Ok(_) => done += 1,
                Err(Conflict { .. }) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
    };
    futures::future::join(keep, rewrite).await;
    let mut latest = first;
    for _ in 0..60 {
        let (_, group) = next_group(&mut watch).await;
        let KeyChange::Put(stored) = &group.events[0].change else {
            panic!("{group:?}");
        };
        let expires = stored.record().unwrap().expires.unwrap();
        assert!(expires >= latest, "{expires:?} after {latest:?}");
        latest = expires;
    }
    assert_eq!(latest, first.plus(40));
}

fn expect_refusal(
    refusal: &StorageError,
    condition: WriteCondition,
    action: &str,
    there: bool,
    standing: Revision,
    label: &str,
) {
    let right = match (condition, there) {
        (WriteCondition::NotExists, _) if action == "keep-alive" => {
            matches!(refusal, InvalidWrite { .. })
        }
        (WriteCondition::NotExists, true) => {
            matches!(refusal, AlreadyExists { current, .. } if *current == standing)
        }
        (_, false) => matches!(refusal, NotFound { .. }),
        (_, true) => matches!(refusal, Conflict { current, .. } if *current == standing),
    };
    assert!(right, "{label}: {refusal:?}");
}

pub async fn a_malformed_write_is_refused_before_any_io(bench: &BenchStore) {
    let store = &bench.store;
    // A closed store does no I/O and says so; whoever gets another answer was refused earlier.
    store.close().await;
    refused!(store.put(&key("a"), text("1")).await, StorageError::Closed);
    let limits = StoreLimits::default();
    let idle = AtomicWrite::new().when(&key("a"), WriteCondition::Exists);
    let twice = AtomicWrite::new()
        .put(&key("a"), &b"1"[..])
        .delete(&key("a"));
    let mut ones = text("1");
    ones.revision = PutRevision::Same(Revision::NEVER);
    let ones = AtomicWrite::new().step(&key("a"), WriteCondition::Whatever, WriteAction::Put(ones));
    for write in [AtomicWrite::new(), idle, twice, ones] {
        refused!(store.atomic_write(write).await, InvalidWrite { reason } if !reason.is_empty());
    }
    let name = |n: usize| key(&format!("k/{n}"));
    let room = limits.record - RecordContent::default().stored_size();
    let large = AtomicWrite::new().put(&name(0), vec![0; room + 1]);
    let actions = (0..=limits.actions).fold(AtomicWrite::new(), |w, n| w.delete(&name(n)));
    let conditions = (0..=limits.conditions).fold(AtomicWrite::new().delete(&key("a")), |w, n| {
        w.when(&name(n), WriteCondition::NotExists)
    });
    let values = (0..4).fold(AtomicWrite::new(), |w, n| w.put(&name(n), vec![0; room]));
    for write in [large, actions, conditions, values] {
        refused!(store.atomic_write(write).await, TooLarge { size, limit, .. } if size > limit);
    }
}

pub async fn a_write_at_every_limit_is_accepted(bench: &BenchStore) {
    let store = &bench.store;
    let limits = StoreLimits::default();
    let largest = vec![7; limits.record - RecordContent::default().stored_size()];
    store
        .put(&key("largest"), RecordPut::of(largest.clone()))
        .await
        .unwrap();
    assert_eq!(
        store.get(&key("largest")).await.unwrap().content.body,
        largest
    );

    // The keys' bytes, too, are exactly what is allowed.
    let length = limits.keys / (limits.conditions + limits.actions);
    let name = |kind: &str, n: usize| key(&format!("{:k<length$}", format!("m/{kind}/{n:02}/")));
    let conditions = 0..limits.conditions;
    let fill = conditions.clone().fold(AtomicWrite::new(), |write, n| {
        write.put(&name("condition", n), &b"1"[..])
    });
    let filled = store.atomic_write(fill).await.unwrap();
    let (_, mut watch) = bench.watch("m/action", None).await;
    // The values' bytes, headers included, are exactly what is allowed.
    let each = limits.values / limits.actions;
    let first = limits.values - each * (limits.actions - 1);
    let header = RecordContent::default().stored_size();
    let write = conditions.fold(AtomicWrite::new(), |write, n| {
        write.when(
            &name("condition", n),
            WriteCondition::RevisionIs(filled.revision),
        )
    });
    let write = (0..limits.actions).fold(write, |write, n| {
        let size = if n == 0 { first } else { each };
        write.put(&name("action", n), vec![n as u8; size - header])
    });
    let written = store.atomic_write(write).await.unwrap();
    let (at, group) = next_group(&mut watch).await;
    assert_eq!((at, group.events.len()), (written.token, limits.actions));
    for (n, event) in group.events.iter().enumerate() {
        assert_eq!(event.key, name("action", n));
        let KeyChange::Put(stored) = &event.change else {
            panic!("{event:?}");
        };
        let body = &stored.record().unwrap().content.body;
        assert!(body.iter().all(|byte| usize::from(*byte) == n));
    }
}

pub async fn fresh_puts_share_one_revision_and_all_share_one_sequence(bench: &BenchStore) {
    let store = &bench.store;
    let given = Revision::draw().unwrap();
    store.put(&key("w/gone"), text("1")).await.unwrap();
    let old = store.put(&key("w/kept"), text("1")).await.unwrap();
    let (_, mut watch) = bench.watch("w", None).await;
    let mut same = text("same");
    same.revision = PutRevision::Same(given);
    let write = AtomicWrite::new()
        .put(&key("w/z"), &b"z"[..])
        .delete(&key("w/gone"))
        .step(
            &key("w/same"),
            WriteCondition::Whatever,
            WriteAction::Put(same),
        )
        .step(
            &key("w/kept"),
            WriteCondition::Exists,
            WriteAction::KeepAlive(Some(in_millis(3_600_000))),
        )
        .put(&key("w/a"), &b"a"[..]);
    let written = store.atomic_write(write).await.unwrap();
    let (at, group) = next_group(&mut watch).await;
    assert_eq!(at, written.token);
    let keys: Vec<_> = group
        .events
        .iter()
        .map(|event| event.key.to_string())
        .collect();
    assert_eq!(keys, ["w/z", "w/gone", "w/same", "w/kept", "w/a"]);
    for (name, revision) in [
        ("w/z", written.revision),
        ("w/a", written.revision),
        ("w/same", given),
        ("w/kept", old.revision),
    ] {
        assert_eq!(
            store.get(&key(name)).await.unwrap().revision,
            revision,
            "{name}"
        );
    }
    assert_ne!(written.revision, old.revision);
}

pub async fn a_replayed_move_fails_and_changes_nothing(bench: &BenchStore) {
    let store = &bench.store;
    let (from, to) = (key("m/from"), key("m/to"));
    let first = store.create(&from, text("1")).await.unwrap();
    let step = AtomicWrite::new()
        .step(
            &from,
            WriteCondition::RevisionIs(first.revision),
            WriteAction::Delete,
        )
        .step(&to, WriteCondition::NotExists, WriteAction::Put(text("1")));
    let moved = store.atomic_write(step.clone()).await.unwrap();
    let (_, mut watch) = bench.watch("m", None).await;
    for _ in 0..3 {
        let again = store.atomic_write(step.clone()).await;
        refused!(again, NotFound { .. } | AlreadyExists { .. });
    }
    refused!(store.get(&from).await, NotFound { .. });
    assert_eq!(store.get(&to).await.unwrap().revision, moved.revision);
    // Watchers heard nothing of the replays.
    let marker = store.put(&key("m/marker"), text("1")).await.unwrap();
    assert_eq!(next_group(&mut watch).await.0, marker.token);
}

pub async fn a_refused_write_leaves_no_half(bench: &BenchStore) {
    let store = &bench.store;
    store.put(&key("h/there"), text("1")).await.unwrap();
    let before = store.get(&key("h/there")).await.unwrap();
    let failing = [
        AtomicWrite::new().when(&key("h/none"), WriteCondition::Exists),
        AtomicWrite::new().when(
            &key("h/there2"),
            WriteCondition::RevisionIs(before.revision),
        ),
    ];
    for first in failing {
        let write = first
            .put(&key("h/new"), &b"2"[..])
            .put(&key("h/there"), &b"2"[..]);
        refused!(store.atomic_write(write.clone()).await, NotFound { .. });
        // The failing condition last.
        let mut reversed = write;
        reversed.steps.reverse();
        refused!(store.atomic_write(reversed).await, NotFound { .. });
    }
    let request = ReadRequest::keys([key("h/new"), key("h/there")]);
    let snapshot = store.read(request).await.unwrap();
    assert_eq!(snapshot.keys[0], None);
    assert_eq!(store.get(&key("h/there")).await.unwrap(), before);
}
