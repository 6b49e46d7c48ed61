//! Optimistic attempts: read, decide, write on condition that nothing changed since, and begin again
//! if something did.
//!
//! Nothing is ever locked, so whoever writes may lose a race against somebody else who writes. Then
//! nothing of the write has happened, and what was decided was decided on what is outdated. An attempt
//! is all of it: the reading, the checks, and the write.
//!
//! ```text
//! let mut attempts = Attempts::new();
//! loop {
//!     attempts.begin()?;
//!     let state = self.types.load(of).await?;
//!     let write = …;
//!     if let Some(written) = unless_raced(self.commit(&key, write).await)? {
//!         return Ok(written.token);
//!     }
//! }
//! ```
//!
//! - Attempts end: [`Attempts::begin`] refuses one too many with [`TooManyRaces`], so a loop
//!   needs no end of its own. With 32 of them somebody else wrote 32 times meanwhile.
//! - Only a lost race leads to another attempt by itself. Every other error is the caller's to return.
//! - Nothing sleeps between two attempts: whoever won a race is done. A type that is being edited is the
//!   exception, for the edit takes as long as it takes; `Records::unless_edited` waits for it.
//!
//! It counts, and takes no closure: an attempt borrows, continues and returns as any code does, and its
//! future is `Send` if what it awaits is.

use coeval_storage::StorageError;

/// How many attempts there are by default.
const DEFAULT_LIMIT: usize = 32;

/// Counts the attempts at one operation.
#[derive(Clone, Debug)]
pub struct Attempts {
    begun: usize,
    limit: usize,
}

impl Attempts {
    /// As many as should be enough for everybody.
    #[must_use]
    pub const fn new() -> Self {
        Self::at_most(DEFAULT_LIMIT)
    }

    /// At most so many.
    #[must_use]
    pub const fn at_most(limit: usize) -> Self {
        Self { begun: 0, limit }
    }

    /// Begins the next attempt.
    ///
    /// # Errors
    /// If all are used up; then nothing was written.
    pub const fn begin(&mut self) -> Result<(), TooManyRaces> {
        if self.is_last() {
            let attempts = self.begun;
            return Err(TooManyRaces { attempts });
        }
        self.begun += 1;
        Ok(())
    }

    /// Whether there is none after the one that was begun.
    pub const fn is_last(&self) -> bool {
        self.begun >= self.limit
    }
}

impl Default for Attempts {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a write lost a race against another one: a condition of it does not hold any more. What was
/// read for it has to be read again.
pub const fn is_race(error: &StorageError) -> bool {
    matches!(
        error,
        // The last two are failed conditions as well: on a key that must not, or must, exist.
        StorageError::Conflict { .. }
            | StorageError::AlreadyExists { .. }
            | StorageError::NotFound { .. }
    )
}

/// All attempts lost a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyRaces {
    /// How many there were.
    pub attempts: usize,
}

/// An error that may say that a write lost a race.
pub trait MayBeRace {
    /// The store's error, if it is one.
    fn storage_error(&self) -> Option<&StorageError>;
}

impl MayBeRace for StorageError {
    fn storage_error(&self) -> Option<&StorageError> {
        Some(self)
    }
}

/// What came of an attempt; `None` if it lost a race, and another one may succeed.
///
/// # Errors
/// All others.
pub fn unless_raced<T, E: MayBeRace>(outcome: Result<T, E>) -> Result<Option<T>, E> {
    match outcome {
        Err(error) if error.storage_error().is_some_and(is_race) => Ok(None),
        other => other.map(Some),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;
    use crate::error::EngineError;
    use coeval_storage::{Key, Revision};

    fn raced() -> StorageError {
        StorageError::Conflict {
            key: Key::new("a").unwrap(),
            current: Revision::NEVER,
        }
    }

    #[test]
    fn there_is_an_end_to_attempts_and_the_error_says_how_many_there_were() {
        let mut attempts = Attempts::at_most(2);
        attempts.begin().unwrap();
        assert!(!attempts.is_last());
        attempts.begin().unwrap();
        assert!(attempts.is_last());
        for _ in 0..2 {
            let error = EngineError::from(attempts.begin().unwrap_err());
            assert!(matches!(error, EngineError::Contended { attempts: 2 }));
        }
    }

    #[test]
    fn only_a_lost_race_is_another_attempt_and_every_other_error_stays() {
        assert_eq!(unless_raced(Ok::<_, StorageError>(1)).unwrap(), Some(1));
        assert_eq!(unless_raced(Err::<(), _>(raced())).unwrap(), None);
        let wrapped = EngineError::from(raced());
        assert_eq!(unless_raced(Err::<(), _>(wrapped)).unwrap(), None);
        let failed = StorageError::failed("the disk is full");
        assert!(unless_raced(Err::<(), _>(failed)).is_err());
        let other = EngineError::RevisionNeeded;
        assert!(unless_raced(Err::<(), _>(other)).is_err());
    }
}
