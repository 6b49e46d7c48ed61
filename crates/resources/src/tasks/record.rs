//! A task in the store.

use crate::tasks::task::Task;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::error::tasks::TaskError;
use coeval_records::header::Time;
use coeval_records::keys;
use coeval_storage::{
    RecordPut, Revision, StorageError, StoredEntry, UnixMillis, WriteAction, WriteCondition,
    WriteStep,
};

/// How long a task is kept after its end.
const KEPT: i64 = 7 * 24 * 60 * 60 * 1000;

/// The most bytes of what a job is told, and of its checkpoint: written with every batch.
const MOST_STATE: usize = 16 * 1024;
/// The most bytes of a result: with the rest it fits into a record.
pub const MOST_RESULT: usize = 320 * 1024;

/// A task and the revision that it was read at.
#[derive(Clone, Debug)]
pub struct Kept {
    pub task: Task,
    pub revision: Revision,
}

/// A new id. Later ones are greater, so that a listing is in the order of time.
pub(crate) fn draw_task_id(now: Time) -> Result<Uuid, EngineError> {
    let Uuid(random) = coeval_records::records::draw_id()?;
    let moment = u128::try_from(now).unwrap_or_default() << 80;
    // Version 7: milliseconds first; the variant stays as it was drawn.
    let low = random & ((1 << 76) - 1);
    Ok(Uuid(moment | 7 << 76 | low))
}

pub fn decode(id: Uuid, entry: StoredEntry) -> Result<Kept, EngineError> {
    let record = entry.into_record()?;
    let task = serde_json::from_slice(&record.content.body).map_err(|error| {
        let reason = error.to_string();
        TaskError::Unreadable { id, reason }
    })?;
    Ok(Kept {
        task,
        revision: record.revision,
    })
}

/// The step that writes a task, on condition of what there is.
pub fn step(task: &Task, condition: WriteCondition) -> Result<WriteStep, EngineError> {
    let size = |value: &serde_json::Value| value.to_string().len();
    let check = |what, size, limit| {
        if size > limit {
            Err(TaskError::TooLarge { what, size, limit })
        } else {
            Ok(())
        }
    };
    // Refused here with a name, rather than by the store's limit for a whole record.
    check("input", size(&task.input), MOST_STATE)?;
    check("checkpoint", size(&task.checkpoint), MOST_STATE)?;
    check("result", task.result.as_ref().map_or(0, size), MOST_RESULT)?;
    let body = coeval_records::encode::encode("a task", task)?;
    // An open task never expires, however long nobody gets to it.
    let expires = task.ended.map(|ended| UnixMillis(ended).plus(KEPT));
    Ok(WriteStep {
        key: keys::task(task.id)?,
        condition,
        action: WriteAction::Put(RecordPut::of(body).expiring(expires)),
    })
}

/// The step that tells runners of a task, with what it has to report so far.
pub fn open_step(id: Uuid, report: Vec<u8>) -> Result<WriteStep, StorageError> {
    Ok(WriteStep {
        key: keys::open_task(id)?,
        condition: WriteCondition::Whatever,
        action: WriteAction::Put(RecordPut::of(report)),
    })
}

/// The steps that end it.
pub fn close_steps(id: Uuid) -> Result<Vec<WriteStep>, StorageError> {
    // All slots, not only those in use: which ones are is known to the job alone.
    let slots = (0..keys::TASK_SLOTS).map(|slot| keys::task_slot(id, slot));
    let all = std::iter::once(keys::open_task(id)).chain(slots);
    let delete = |key| WriteStep {
        key,
        condition: WriteCondition::Whatever,
        action: WriteAction::Delete,
    };
    all.map(|key| key.map(delete)).collect()
}

/// An id as text.
pub mod id_text {
    use coeval_core::version::Uuid;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(id: &Uuid, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(id)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Uuid, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        Uuid::parse(&text).ok_or_else(|| serde::de::Error::custom("not an id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_task_has_a_greater_id() {
        let (early, late) = (draw_task_id(1_000).unwrap(), draw_task_id(1_001).unwrap());
        assert!(early.to_string() < late.to_string());
        let text = late.to_string();
        assert_eq!(text.as_bytes()[14], b'7', "{text}");
        assert!(b"89ab".contains(&text.as_bytes()[19]), "{text}");
    }
}
