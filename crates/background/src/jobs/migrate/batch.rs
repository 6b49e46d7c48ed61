//! How many resources fit into one atomic write.

use crate::jobs::job::room;
use coeval_storage::{
    AtomicWrite, StorageError, StoreLimits, WriteAction, WriteCondition, WriteStep,
};

/// What the type's conditions take: its phase record and the target version.
const TYPE_CONDITIONS: usize = 2;
/// Bytes of the keys of these.
const TYPE_KEYS: usize = 2 * 1024;

/// What is left of an atomic write for resources.
fn limits() -> StoreLimits {
    let all = StoreLimits::default();
    StoreLimits {
        conditions: all.conditions - room::CONDITIONS - TYPE_CONDITIONS,
        actions: all.actions - room::ACTIONS,
        keys: all.keys - room::KEYS - TYPE_KEYS,
        values: all.values - room::VALUES,
        ..all
    }
}

/// Refuses a resource that does not even fit alone.
pub(crate) fn alone_fits(write: &AtomicWrite) -> Result<(), StorageError> {
    write.check(&limits())
}

/// What steps take of an atomic write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    conditions: usize,
    actions: usize,
    keys: usize,
    values: usize,
}

impl Cost {
    pub(crate) fn of(steps: &[WriteStep]) -> Self {
        let mut cost = Self::default();
        for step in steps {
            cost.conditions += usize::from(step.condition != WriteCondition::Whatever);
            cost.actions += usize::from(step.action != WriteAction::Nop);
            cost.keys += step.key.as_bytes().len();
            if let WriteAction::Put(put) = &step.action {
                cost.values += put.content.stored_size();
            }
        }
        cost
    }

    /// Both, if they fit together.
    pub(crate) fn and(self, more: Self) -> Option<Self> {
        let limits = limits();
        let sum = Self {
            conditions: self.conditions + more.conditions,
            actions: self.actions + more.actions,
            keys: self.keys + more.keys,
            values: self.values + more.values,
        };
        // By sums alone: packing a page costs one addition for each resource.
        let fits = sum.conditions <= limits.conditions
            && sum.actions <= limits.actions
            && sum.keys <= limits.keys
            && sum.values <= limits.values;
        fits.then_some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_storage::Key;

    #[test]
    fn what_fits_by_its_cost_is_a_write_that_the_store_takes() {
        let key = |n: usize| Key::new(format!("e/{n}")).unwrap();
        let item = |n: usize| {
            let put = coeval_storage::RecordPut::of(vec![0; 100]);
            let write =
                AtomicWrite::new().step(&key(3 * n), WriteCondition::Exists, WriteAction::Put(put));
            write
                .delete(&key(3 * n + 1))
                .put(&key(3 * n + 2), vec![0; 50])
        };
        let (mut all, mut cost) = (AtomicWrite::new(), Cost::default());
        for n in 0.. {
            let steps = item(n).steps;
            let Some(more) = cost.and(Cost::of(&steps)) else {
                break;
            };
            cost = more;
            all.steps.extend(steps);
        }
        assert!(all.check(&limits()).is_ok());
        all.steps.extend(item(1_000).steps);
        assert!(all.check(&limits()).is_err());
    }
}
