//! From a write and what stands there to one transaction of etcd.
//!
//! A transaction has at most 128 operations: one for each of up to 96 actions, one for `m/head`,
//! and the rest for the expiry index. If an entry for each record does not fit, one stands for
//! all of the write; removals of old entries that do not fit are left to the sweep.

use crate::commit::TxnPlan;
use crate::layout::{KeyLayout, encode_index};
use crate::{ops, pb};
use bytes::Bytes;
use coeval_storage::judge::{put_bytes, with_expiry};
use coeval_storage::record::RecordHead;
use coeval_storage::{
    AtomicWrite, Key, Revision, StorageError, UnixMillis, WriteAction, WriteCondition, WriteStep,
};

/// etcd's default of `--max-txn-ops`, less the put of `m/head`.
const OPERATIONS: usize = 127;

/// The transaction of a write whose conditions hold for what stands there.
pub(crate) fn plan(
    write: &AtomicWrite,
    standing: &[Option<pb::KeyValue>],
    layout: &KeyLayout,
    revision: Revision,
) -> Result<TxnPlan, StorageError> {
    let mut plan = TxnPlan::default();
    let (mut entries, mut old) = (Vec::new(), Vec::new());
    for (step, kv) in write.steps.iter().zip(standing) {
        let at = layout.record(&step.key);
        plan.compares.extend(compares(step, &at, kv.as_ref()));
        let before = kv.as_ref().and_then(|kv| indexed_at(&kv.value));
        let after = match &step.action {
            WriteAction::Nop => continue,
            WriteAction::Delete => {
                plan.actions.push(ops::delete(&at));
                None
            }
            WriteAction::Put(put) => {
                let raw = put_bytes(&step.key, put, revision);
                let after = indexed_at(&raw);
                plan.actions.push(ops::put(&at, raw));
                after
            }
            WriteAction::KeepAlive(expires) => {
                let Some(kv) = kv else {
                    let key = step.key.clone();
                    return Err(StorageError::NotFound { key });
                };
                let raw = with_expiry(&step.key, &kv.value, *expires)?;
                let after = indexed_at(&raw);
                plan.actions.push(ops::put(&at, raw));
                after
            }
        };
        if let Some(after) = after {
            entries.push((after, step.key.clone()));
        }
        // An entry that stays right is not removed: one transaction can't put and delete a key.
        if let Some(before) = before.filter(|_| before != after) {
            old.push(layout.index_of_record(before, &step.key));
        }
    }
    index(&mut plan, layout, &entries, &old)?;
    Ok(plan)
}

/// When the record's entry in the index comes due, if it has one.
fn indexed_at(raw: &[u8]) -> Option<UnixMillis> {
    let head = RecordHead::read(raw)?;
    head.expires.filter(|_| head.indexed)
}

fn compares(step: &WriteStep, at: &Bytes, kv: Option<&pb::KeyValue>) -> Vec<pb::Compare> {
    // What is kept alive must be exactly what was read.
    if matches!(step.action, WriteAction::KeepAlive(_)) {
        return vec![ops::unchanged_or_absent(at, kv)];
    }
    match step.condition {
        WriteCondition::Whatever => Vec::new(),
        WriteCondition::Exists => vec![ops::exists(at)],
        // Absent, or expired and still as it was seen: a transaction can't delete and put one key.
        // The expiry can't be compared, for the checksum is in front of it; but nobody wrote since
        // it was read and judged.
        WriteCondition::NotExists
        | WriteCondition::StillExpired(..)
        | WriteCondition::AsRead { .. } => {
            vec![ops::unchanged_or_absent(at, kv)]
        }
        // None for the revision that nothing has: it was refused before.
        WriteCondition::RevisionIs(revision) => {
            ops::revision_is(at, revision).map_or_else(|| vec![ops::absent(at)], Vec::from)
        }
    }
}

fn index(
    plan: &mut TxnPlan,
    layout: &KeyLayout,
    entries: &[(UnixMillis, Key)],
    old: &[Bytes],
) -> Result<(), StorageError> {
    let room = OPERATIONS.saturating_sub(plan.actions.len());
    if entries.len() <= room {
        for (at, key) in entries {
            let entry = layout.index_of_record(*at, key);
            plan.actions.push(ops::put(&entry, Bytes::new()));
        }
    } else if let Some(first) = entries.iter().map(|(at, _)| *at).min() {
        let entry = layout.index_of_write(first, *Revision::draw()?.as_bytes());
        plan.actions.push(ops::put(&entry, encode_index(entries)));
    }
    // Where there is no room they are left to the sweep: an entry without its record is harmless.
    let room = OPERATIONS.saturating_sub(plan.actions.len());
    plan.actions.extend(old.iter().take(room).map(ops::delete));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_storage::RecordPut;

    fn write_of(count: usize, expires: impl Fn(usize) -> Option<UnixMillis>) -> TxnPlan {
        let put = |n| WriteAction::Put(RecordPut::of(b"x".to_vec()).expiring(expires(n)));
        let key = |n| Key::try_from(format!("k/{n}").as_str()).unwrap();
        let write = (0..count).fold(AtomicWrite::new(), |write, n| {
            write.step(&key(n), WriteCondition::Whatever, put(n))
        });
        let nothing = vec![None; count];
        let revision = Revision::from_bytes([1; 16]);
        plan(&write, &nothing, &KeyLayout::new("p"), revision).unwrap()
    }

    #[test]
    fn any_write_within_the_limits_fits_a_transaction() {
        assert_eq!(write_of(96, |_| None).actions.len(), 96);
        assert_eq!(write_of(60, |_| Some(UnixMillis(9))).actions.len(), 120);
        assert_eq!(write_of(96, |_| Some(UnixMillis(9))).actions.len(), 97);
        let times = |n: usize| Some(UnixMillis(i64::try_from(n).unwrap() + 1));
        assert_eq!(write_of(96, times).actions.len(), 97);
    }
}
