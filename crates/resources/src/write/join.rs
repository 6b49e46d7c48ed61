//! Two writes that become one.

use coeval_storage::{Action, Condition, Step, StorageError};

/// Adds steps to a write. One that only looks at a key makes way for one that writes it: the
/// migration of migrations is moved by a write to one of them.
///
/// # Errors
/// If the two saw different revisions: that is a race, and both can't hold.
pub fn join(steps: &mut Vec<Step>, more: Vec<Step>) -> Result<(), StorageError> {
    for step in more {
        if let Condition::RevisionIs(wanted) = step.condition {
            let looked = steps.iter().position(|other| {
                let looks = matches!(other.condition, Condition::RevisionIs(_));
                other.key == step.key && other.action == Action::Nop && looks
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
