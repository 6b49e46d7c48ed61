//! The table of conditions and actions, and the members of one batch.

use super::*;
use crate::record::RecordContent;

const NOW: UnixMillis = UnixMillis(1_000);

struct Map(HashMap<Key, Bytes>);

impl StateLookup for Map {
    fn standing(&mut self, key: &Key, whole: bool) -> Result<KeyState, StorageError> {
        Ok(match self.0.get(key) {
            Some(raw) if whole => KeyState::Whole(raw.clone()),
            raw => KeyState::head_of(raw.map(Bytes::as_ref)),
        })
    }
}

fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

fn revision(n: u8) -> Revision {
    Revision::from_bytes([n; 16])
}

fn store(expires: Option<UnixMillis>) -> Map {
    let put = RecordPut::of(b"v".to_vec()).expiring(expires);
    Map(HashMap::from([(
        key("there"),
        put_bytes(&key("there"), &put, revision(1)),
    )]))
}

fn judge_one(store: &mut Map, name: &str, c: WriteCondition, action: WriteAction) -> JudgedChanges {
    let write = AtomicWrite::new().step(&key(name), c, action);
    BatchOverlay::default()
        .judge(&write, revision(2), NOW, store)
        .unwrap()
}

fn actions() -> [WriteAction; 4] {
    [
        WriteAction::Put(RecordPut::of(b"w".to_vec())),
        WriteAction::Delete,
        WriteAction::KeepAlive(Some(UnixMillis(9_000))),
        WriteAction::Nop,
    ]
}

#[test]
fn every_condition_with_every_action() {
    use WriteCondition::{Exists, NotExists, RevisionIs, Whatever};
    // (condition, key, which of put, delete, keep_alive, nop are accepted)
    let table = [
        (Whatever, "there", [true, true, true, true]),
        (Whatever, "gone", [true, true, false, true]),
        (Exists, "there", [true; 4]),
        (Exists, "gone", [false; 4]),
        (NotExists, "there", [false; 4]),
        // not-exists with keep_alive is refused earlier, by `AtomicWrite::check`
        (RevisionIs(revision(1)), "there", [true; 4]),
        (RevisionIs(revision(9)), "there", [false; 4]),
        (RevisionIs(Revision::NEVER), "there", [false; 4]),
        (RevisionIs(revision(1)), "gone", [false; 4]),
    ];
    for (condition, name, expected) in table {
        for (action, accepted) in actions().into_iter().zip(expected) {
            let label = format!("{condition:?} {name} {action:?}");
            let result = judge_one(&mut store(None), name, condition, action);
            assert_eq!(result.is_ok(), accepted, "{label}: {result:?}");
        }
    }
}

fn as_read(n: u8, expires: Option<i64>) -> WriteCondition {
    WriteCondition::AsRead {
        revision: revision(n),
        expires: expires.map(UnixMillis),
        flags: 0,
    }
}

#[test]
fn as_read_means_these_flags_too() {
    let mut store = store(None);
    for (flags, accepted) in [(0, true), (1, false)] {
        let condition = WriteCondition::AsRead {
            revision: revision(1),
            expires: None,
            flags,
        };
        let result = judge_one(&mut store, "there", condition, WriteAction::Delete);
        assert_eq!(result.is_ok(), accepted, "{flags}: {result:?}");
    }
}

#[test]
fn as_read_means_this_revision_and_this_expiry() {
    // (what stands expires, revision and expiry in the condition, accepted)
    let table = [
        (None, 1, None, true),
        (None, 9, None, false),
        (None, 1, Some(5_000), false),
        (Some(5_000), 1, Some(5_000), true),
        (Some(5_000), 1, Some(5_001), false),
        (Some(5_000), 1, None, false),
        (Some(5_000), 9, Some(5_000), false),
    ];
    let refusal = Err(StorageError::Conflict {
        key: key("there"),
        current: revision(1),
    });
    for (standing, n, expires, accepted) in table {
        for action in actions() {
            let mut store = store(standing.map(UnixMillis));
            let result = judge_one(&mut store, "there", as_read(n, expires), action);
            let right = if accepted {
                result.is_ok()
            } else {
                result == refusal
            };
            assert!(right, "{standing:?} {n} {expires:?}: {result:?}");
        }
    }
    // A head that can't be read has the revision that nothing matches.
    let mut cut = Map(HashMap::from([(key("there"), Bytes::from_static(b"cut"))]));
    let result = judge_one(&mut cut, "there", as_read(0xff, None), WriteAction::Delete);
    assert!(matches!(result, Err(StorageError::Conflict { .. })));
}

#[test]
fn expired_is_absent_for_every_condition() {
    use WriteCondition::{Exists, NotExists, RevisionIs};
    let mut expired = store(Some(UnixMillis(1_000)));
    for condition in [Exists, RevisionIs(revision(1)), as_read(1, Some(1_000))] {
        for action in actions() {
            let result = judge_one(&mut expired, "there", condition, action);
            assert!(matches!(result, Err(StorageError::NotFound { .. })));
        }
    }
    let [put, ..] = actions();
    assert!(judge_one(&mut expired, "there", NotExists, put).is_ok());
    let mut live = store(Some(UnixMillis(1_001)));
    assert!(judge_one(&mut live, "there", Exists, WriteAction::Nop).is_ok());
}

#[test]
fn a_sweep_takes_only_what_is_still_expired_as_read() {
    let mut expired = store(Some(UnixMillis(900)));
    let judge = |store: &mut Map, r, at| {
        judge_one(
            store,
            "there",
            WriteCondition::StillExpired(r, UnixMillis(at)),
            WriteAction::Delete,
        )
    };
    assert!(judge(&mut expired, revision(1), 900).is_ok());
    assert!(judge(&mut expired, revision(1), 901).is_err());
    assert!(judge(&mut expired, revision(2), 900).is_err());
    let mut live = store(Some(UnixMillis(2_000)));
    assert!(judge(&mut live, revision(1), 2_000).is_err());
}

#[test]
fn a_member_meets_what_an_earlier_one_wrote_and_a_refused_one_leaves_nothing() {
    let mut store = store(None);
    let mut batch = BatchOverlay::default();
    let create = |name: &str| {
        let put = WriteAction::Put(RecordPut::of(RecordContent::of("x")));
        AtomicWrite::new().step(&key(name), WriteCondition::NotExists, put)
    };
    let half = create("new").step(&key("gone"), WriteCondition::Exists, WriteAction::Delete);
    assert!(
        batch
            .judge(&half, revision(2), NOW, &mut store)
            .unwrap()
            .is_err()
    );
    let first = batch
        .judge(&create("new"), revision(3), NOW, &mut store)
        .unwrap();
    assert!(first.is_ok());
    let second = batch
        .judge(&create("new"), revision(4), NOW, &mut store)
        .unwrap();
    assert_eq!(
        second,
        Err(StorageError::AlreadyExists {
            key: key("new"),
            current: revision(3)
        })
    );
    let remove = AtomicWrite::new().delete(&key("new")).delete(&key("there"));
    assert!(
        batch
            .judge(&remove, revision(5), NOW, &mut store)
            .unwrap()
            .is_ok()
    );
    assert!(batch.outcome().all(|(_, raw)| raw.is_none()));
    assert_eq!(batch.outcome().count(), 2);
}

#[test]
fn a_keep_alive_that_begins_an_expiry_makes_the_sweep_find_it() {
    let indexed = |before: RecordPut, expires| {
        let raw = put_bytes(&key("k"), &before, revision(1));
        let kept = with_expiry(&key("k"), &raw, expires).unwrap();
        StoredValue::decode(&key("k"), kept)
            .record()
            .unwrap()
            .indexed
    };
    let soon = Some(UnixMillis(5_000));
    let put = || RecordPut::of(b"v".to_vec());
    assert!(indexed(put(), soon));
    assert!(indexed(put().expiring(soon), soon));
    assert!(!indexed(put().expiring(soon), None));
    let belonging = RecordPut {
        indexed: false,
        ..put().expiring(soon)
    };
    assert!(!indexed(belonging, soon));
}

#[test]
fn a_keep_alive_leaves_all_but_the_expiry() {
    let keep = WriteAction::KeepAlive(Some(UnixMillis(7_000)));
    let changes = judge_one(
        &mut store(Some(UnixMillis(2_000))),
        "there",
        WriteCondition::Exists,
        keep,
    );
    let RawChangeValue::Put(raw) = changes.unwrap().remove(0).to else {
        panic!("not a put")
    };
    let stored = StoredValue::decode(&key("there"), raw);
    let record = stored.record().unwrap();
    assert_eq!(record.revision, revision(1));
    assert_eq!(record.expires, Some(UnixMillis(7_000)));
    assert_eq!(record.content.body, "v");
    assert!(record.indexed);
}
