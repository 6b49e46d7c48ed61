//! Failed logins, counted for each user and for each source in the store, so that all servers
//! count together. After some failures the next attempt has to wait, twice as long each time.

use crate::resources::Resources;
use coeval_catalog::identity::token::hex;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_records::header::Time;
use coeval_records::keys;
use coeval_storage::{
    AtomicWrite, Key, ReadRequest, RecordPut, Revision, UnixMillis, WriteAction, WriteCondition,
    WriteStep,
};
use serde::{Deserialize, Serialize};

/// Failures of one user without consequences.
const FREE: u32 = 5;
/// Those of one source: many may share one.
const FREE_OF_SOURCE: u32 = 50;
const SHORTEST: Time = 1_000;
const LONGEST: Time = 5 * 60 * 1_000;
/// When failures are forgotten.
const FORGOTTEN_AFTER: Time = 60 * 60 * 1_000;
/// How many attempts there are at a count: others may fail to log in at the same moment.
const COUNTS: usize = 8;

/// What is stored of failed logins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failures {
    count: u32,
    /// Until then no attempt is looked at.
    until: Time,
}

impl Failures {
    /// With one more.
    fn and_one(self, free: u32, now: Time) -> Self {
        let count = self.count.saturating_add(1);
        let until = match count.checked_sub(free) {
            None => 0,
            Some(doubled) => {
                // Twenty doublings are far beyond the longest wait; more would shift the bits out.
                let wait = SHORTEST.checked_shl(doubled.min(20)).unwrap_or(LONGEST);
                now.saturating_add(wait.min(LONGEST))
            }
        };
        Self { count, until }
    }

    /// How long to wait, if at all. A clock that was wrong blocks nobody for longer than the
    /// longest wait.
    fn wait(self, now: Time) -> Option<u64> {
        let left = (self.until - now).min(LONGEST);
        u64::try_from(left).ok().filter(|left| *left > 0)
    }
}

/// Where the failures of one attempt are counted.
#[derive(Debug)]
pub(crate) struct Counters {
    /// Of the user, whether there is such a one or not.
    pub user: Key,
    source: Option<Key>,
}

impl Counters {
    pub(crate) fn new(org: &str, user: &str, source: Option<&str>) -> Result<Self, EngineError> {
        // With the length in front no two pairs have the same text. Hashed, so any name fits into a
        // key.
        let user = hex(&format!("user\0{}\0{org}\0{user}", org.len()));
        let source = source.map(|source| hex(&format!("source\0{source}")));
        Ok(Self {
            user: keys::failed_logins(&user)?,
            source: source.map(|hash| keys::failed_logins(&hash)).transpose()?,
        })
    }

    fn keys(&self) -> Vec<Key> {
        let source = self.source.iter();
        std::iter::once(&self.user).chain(source).cloned().collect()
    }
}

impl Resources {
    async fn failures(
        &self,
        counters: &Counters,
    ) -> Result<Vec<(Key, Option<Revision>, Failures)>, EngineError> {
        let wanted = counters.keys();
        let snapshot = self.store.read(ReadRequest::keys(wanted.clone())).await?;
        let both = wanted.into_iter().zip(snapshot.keys);
        let read = both.map(|(key, entry)| {
            let record = entry.as_ref().and_then(|entry| entry.stored.record());
            let failures = record.and_then(|one| serde_json::from_slice(&one.content.body).ok());
            let revision = entry.and_then(|entry| entry.stored.revision());
            // A count that can't be read begins anew: it must not lock anybody out.
            (key, revision, failures.unwrap_or_default())
        });
        Ok(read.collect())
    }

    /// Refuses an attempt that comes too early.
    pub(crate) async fn not_blocked(&self, counters: &Counters) -> Result<(), EngineError> {
        let now = self.now();
        let found = self.failures(counters).await?;
        let wait = found.iter().filter_map(|(_, _, one)| one.wait(now)).max();
        match wait {
            None => Ok(()),
            Some(retry_after_ms) => Err(IdentityError::LoginBlocked { retry_after_ms }.into()),
        }
    }

    /// Counts a failure and records it.
    pub(crate) async fn count_failure(
        &self,
        counters: &Counters,
        audit: &WriteStep,
    ) -> Result<(), EngineError> {
        // Few: an attacker who fails in parallel must not keep servers busy with counting.
        let mut attempts = Attempts::at_most(COUNTS);
        loop {
            attempts.begin()?;
            let now = self.now();
            let mut write = AtomicWrite::new();
            for (key, revision, failures) in self.failures(counters).await? {
                let free = if key == counters.user {
                    FREE
                } else {
                    FREE_OF_SOURCE
                };
                let condition =
                    revision.map_or(WriteCondition::NotExists, WriteCondition::RevisionIs);
                let body =
                    coeval_records::encode::encode("failed logins", &failures.and_one(free, now))?;
                let put = RecordPut::of(body).expiring(Some(UnixMillis(now + FORGOTTEN_AFTER)));
                write = write.step(&key, condition, WriteAction::Put(put));
            }
            write.steps.push(audit.clone());
            if unless_raced(self.store.atomic_write(write).await)?.is_some() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failures_are_free_and_then_each_wait_is_twice_the_one_before() {
        let mut failures = Failures::default();
        let mut waits = Vec::new();
        for _ in 0..20 {
            failures = failures.and_one(FREE, 1_000_000);
            waits.push(failures.wait(1_000_000).unwrap_or_default() / 1_000);
        }
        assert_eq!(waits[..10], [0, 0, 0, 0, 1, 2, 4, 8, 16, 32]);
        assert_eq!(waits[10..16], [64, 128, 256, 300, 300, 300]);
        assert!(waits[16..].iter().all(|wait| *wait == 300));
    }

    #[test]
    fn a_wait_ends_and_a_wrong_clock_does_not_make_it_endless() {
        let failures = Failures {
            count: 5,
            until: 5_000,
        };
        assert_eq!(failures.wait(4_000), Some(1_000));
        assert_eq!(failures.wait(5_000), None);
        assert_eq!(failures.wait(-1_000_000_000), Some(300_000));
    }

    #[test]
    fn users_and_sources_are_counted_apart_whatever_their_names() {
        let key = |org, user| Counters::new(org, user, None).unwrap().user;
        assert_ne!(key("a", "b\0c"), key("a\0b", "c"));
        assert_eq!(key("a", "b"), key("a", "b"));
        let both = Counters::new("a", "b", Some("1.2.3.4")).unwrap().keys();
        assert_eq!(both.len(), 2);
        assert_ne!(both[0], both[1]);
    }
}
