//! What a reader found out about a group of events, kept with the group: all watchers of a process
//! share the group, so each thing is found out once, however many watch.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A place for what somebody above the store made of a group. It is no part of the group: groups
/// that differ in nothing else are equal.
#[derive(Clone, Default)]
pub struct GroupMemo(OnceLock<Arc<dyn Any + Send + Sync>>);

impl GroupMemo {
    /// What was made of it, made now if nobody did. Where something of another type is kept already
    /// it is made anew each time.
    ///
    /// ```
    /// use coeval_storage::memo::GroupMemo;
    ///
    /// let memo = GroupMemo::default();
    /// assert_eq!(*memo.get_or_make(|| 1), 1);
    /// assert_eq!(*memo.get_or_make(|| 2), 1, "made once");
    /// ```
    pub fn get_or_make<T: Send + Sync + 'static>(&self, make: impl Fn() -> T) -> Arc<T> {
        let kept = self.0.get_or_init(|| Arc::new(make()));
        let kept = Arc::clone(kept);
        // Somebody kept a value of another type here first: slower, and right all the same.
        kept.downcast().unwrap_or_else(|_| Arc::new(make()))
    }
}

impl fmt::Debug for GroupMemo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() {
            "GroupMemo(…)"
        } else {
            "GroupMemo"
        })
    }
}

impl PartialEq for GroupMemo {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for GroupMemo {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_thing_is_made_once_and_one_of_another_type_does_no_harm() {
        let memo = GroupMemo::default();
        let made = AtomicUsize::new(0);
        let make = || made.fetch_add(1, Ordering::Relaxed);
        assert_eq!(*memo.get_or_make(make), 0);
        assert_eq!(*memo.get_or_make(make), 0);
        assert_eq!(*memo.get_or_make(|| "other"), "other");
        assert_eq!(made.load(Ordering::Relaxed), 1);
        assert_eq!(memo, GroupMemo::default());
    }
}
