//! Two writes that become one.

use coeval_storage::{StorageError, WriteAction, WriteCondition, WriteStep};

/// Adds steps to a write. One that only looks at a key makes way for one that writes it: the
/// migration of migrations is moved by a write to one of them.
///
/// # Errors
/// If the two saw different revisions: that is a race, and both can't hold.
pub fn join(steps: &mut Vec<WriteStep>, more: Vec<WriteStep>) -> Result<(), StorageError> {
    for step in more {
        // The store refuses a write with two steps on one key: the order of them would matter.
        if let WriteCondition::RevisionIs(wanted) = step.condition {
            let looked = steps.iter().position(|other| {
                let looks = matches!(other.condition, WriteCondition::RevisionIs(_));
                other.key == step.key && other.action == WriteAction::Nop && looks
            });
            if let Some(place) = looked {
                let looked = steps.swap_remove(place);
                if looked.condition != step.condition {
                    let (key, current) = (looked.key, wanted);
                    return Err(StorageError::Conflict { key, current });
                }
            }
        }
        steps.push(step);
    }
    Ok(())
}
