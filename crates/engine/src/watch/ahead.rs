//! What a watcher was sent before its turn: from a snapshot that is newer than the event at hand.
//! When its own event comes it is not sent again.

use coeval_core::version::Uuid;
use coeval_storage::Revision;
use std::collections::HashMap;

/// How many are remembered; more are too many to go on with.
const MOST: usize = 10_000;

#[derive(Clone, Copy, Debug)]
struct Sent {
    /// Events of the resource up to here are in what was sent.
    through: u64,
    /// From here on nothing has to be remembered of it.
    until: u64,
    revision: Revision,
}

/// More was sent ahead than can be remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

/// What was sent before its turn.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    sent: HashMap<Uuid, Sent>,
    /// The lowest `until`, as far as it is known: nothing can be forgotten before.
    next: u64,
}

impl Ahead {
    /// Sent as of a snapshot.
    pub(super) fn snapshot(
        &mut self,
        id: Uuid,
        revision: Revision,
        through: u64,
        until: u64,
    ) -> Result<(), TooMany> {
        self.insert(
            id,
            Sent {
                through,
                until: until.max(through),
                revision,
            },
        )
    }

    fn insert(&mut self, id: Uuid, sent: Sent) -> Result<(), TooMany> {
        if self.sent.len() >= MOST && !self.sent.contains_key(&id) {
            return Err(TooMany);
        }
        self.next = match self.sent.is_empty() {
            true => sent.until,
            false => self.next.min(sent.until),
        };
        self.sent.insert(id, sent);
        Ok(())
    }

    /// Whether what happened to the resource at that sequence was told already.
    pub(super) fn has_passed(&self, id: Uuid, sequence: u64) -> bool {
        !self.sent.is_empty()
            && self
                .sent
                .get(&id)
                .is_some_and(|sent| sent.through >= sequence)
    }

    /// Whether exactly this revision was sent before its turn.
    pub(super) fn has(&self, id: Uuid, revision: Revision) -> bool {
        self.sent
            .get(&id)
            .is_some_and(|sent| sent.revision == revision)
    }

    /// The watcher was told that it does not have it any more.
    pub(super) fn left(&mut self, id: Uuid) {
        self.sent.remove(&id);
    }

    /// Forgets what the stream has passed.
    pub(super) fn pass(&mut self, sequence: u64) {
        if self.sent.is_empty() || sequence < self.next {
            return;
        }
        self.sent.retain(|_, sent| sent.until > sequence);
        self.next = self.sent.values().map(|sent| sent.until).min().unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(n: u8) -> Revision {
        Revision::from_bytes([n; 16])
    }

    #[test]
    fn what_was_sent_from_a_snapshot_is_passed_over_until_the_stream_is_there() {
        let mut ahead = Ahead::default();
        let id = Uuid(1);
        ahead.snapshot(id, revision(1), 10, 12).unwrap();
        assert!(ahead.has_passed(id, 10) && !ahead.has_passed(id, 11));
        assert!(!ahead.has_passed(Uuid(2), 1));
        ahead.pass(11);
        assert!(ahead.has(id, revision(1)) && !ahead.has(id, revision(2)));
        ahead.pass(12);
        assert!(!ahead.has(id, revision(1)));
    }

    #[test]
    fn what_left_may_come_again() {
        let mut ahead = Ahead::default();
        ahead.snapshot(Uuid(1), revision(1), 5, 5).unwrap();
        assert!(ahead.has(Uuid(1), revision(1)));
        ahead.left(Uuid(1));
        assert!(!ahead.has(Uuid(1), revision(1)));
    }

    #[test]
    fn it_is_bounded() {
        let mut ahead = Ahead::default();
        for n in 0..MOST as u128 {
            ahead.snapshot(Uuid(n), revision(1), 5, 5).unwrap();
        }
        assert_eq!(
            ahead.snapshot(Uuid(u128::MAX), revision(1), 5, 5),
            Err(TooMany)
        );
        ahead.snapshot(Uuid(0), revision(2), 5, 5).unwrap();
        ahead.pass(5);
        ahead.snapshot(Uuid(u128::MAX), revision(1), 9, 9).unwrap();
    }
}
