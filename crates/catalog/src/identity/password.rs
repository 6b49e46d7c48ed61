//! Passwords, which are never printed, and their hashes, which are made and compared a few at a
//! time.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_storage::StorageError;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most bytes of a password.
const LONGEST: usize = 1_024;
/// The most that a hash from elsewhere may cost: KiB, passes and lanes.
const COSTLIEST: (u32, u32, u32) = (256 * 1024, 16, 16);
const LONGEST_HASH: usize = 512;

/// A password.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Password(String);

impl Password {
    /// As it was typed.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    fn check(&self) -> Result<(), IdentityError> {
        match self.0.len() {
            0 => Err(IdentityError::PasswordRefused {
                what: "it is empty",
            }),
            1..=LONGEST => Ok(()),
            _ => Err(IdentityError::PasswordRefused {
                what: "it has more than 1024 bytes",
            }),
        }
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// A hash in PHC form, `$argon2id$v=19$…`.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct PasswordPhc(String);

impl PasswordPhc {
    /// As it was made elsewhere.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Refuses what is not argon2id, and what would take too much to compare with.
    pub fn check(&self) -> Result<(), IdentityError> {
        let refuse = |what| Err(IdentityError::HashRefused { what });
        if self.0.len() > LONGEST_HASH {
            return refuse("it is too long");
        }
        let Ok(hash) = PasswordHash::new(&self.0) else {
            return refuse("it is no PHC string");
        };
        if hash.algorithm.as_str() != "argon2id" {
            return refuse("it is not of argon2id");
        }
        if hash.salt.is_none() || hash.hash.is_none() {
            return refuse("it lacks the salt or the hash");
        }
        let Ok(params) = Params::try_from(&hash) else {
            return refuse("its parameters are not valid");
        };
        // Every login would pay for it: a hash must be no way to stop a server.
        let (memory, passes, lanes) = COSTLIEST;
        let costly =
            params.m_cost() > memory || params.t_cost() > passes || params.p_cost() > lanes;
        if costly {
            return refuse("it costs too much memory or time");
        }
        Ok(())
    }
}

impl fmt::Debug for PasswordPhc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordPhc(…)")
    }
}

/// How a password is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PasswordGiven {
    /// Itself.
    Clear(Password),
    /// Hashed elsewhere.
    Hashed(PasswordPhc),
}

/// What making or comparing a hash costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordCost {
    /// KiB of memory.
    pub memory: u32,
    /// Passes over it.
    pub passes: u32,
    /// Lanes.
    pub lanes: u32,
}

impl PasswordCost {
    /// As little as possible: for tests alone.
    pub const CHEAP: Self = Self {
        memory: 8,
        passes: 1,
        lanes: 1,
    };
}

impl Default for PasswordCost {
    fn default() -> Self {
        Self {
            memory: 19 * 1024,
            passes: 2,
            lanes: 1,
        }
    }
}

/// Makes and compares hashes, a few at a time; a bounded number waits.
#[derive(Debug)]
pub struct Hasher {
    cost: PasswordCost,
    room: Arc<Semaphore>,
    working: Arc<Semaphore>,
}

/// Somebody's turn. It ends with the work, even if nobody waits for the work any more.
#[derive(Debug)]
pub struct Turn {
    _room: OwnedSemaphorePermit,
    _working: OwnedSemaphorePermit,
}

impl Hasher {
    pub fn new(cost: PasswordCost, at_once: usize, waiting: usize) -> Self {
        let at_once = at_once.max(1);
        Self {
            cost,
            room: Arc::new(Semaphore::new(at_once + waiting)),
            working: Arc::new(Semaphore::new(at_once)),
        }
    }

    /// Waits for a turn, unless too many wait already.
    pub async fn turn(&self) -> Result<Turn, IdentityError> {
        // Without waiting: beyond a bounded number a login is refused, so that waiting costs no
        // more.
        let room = Arc::clone(&self.room).try_acquire_owned();
        let room = room.map_err(|_| IdentityError::LoginsTooMany)?;
        // The room is kept while it waits: those who wait are counted too.
        let working = Arc::clone(&self.working).acquire_owned().await;
        let working = working.map_err(|_| IdentityError::LoginsTooMany)?;
        Ok(Turn {
            _room: room,
            _working: working,
        })
    }

    /// The hash to be stored.
    pub async fn phc(&self, given: &PasswordGiven) -> Result<PasswordPhc, EngineError> {
        let password = match given {
            PasswordGiven::Hashed(phc) => {
                phc.check()?;
                return Ok(phc.clone());
            }
            PasswordGiven::Clear(password) => {
                password.check()?;
                password.clone()
            }
        };
        let turn = self.turn().await?;
        let argon2 = self.argon2()?;
        let mut salt = [0; 16];
        getrandom::fill(&mut salt)
            .map_err(|error| StorageError::failed(format!("no random bytes: {error}")))?;
        let hashed = blocking(turn, move || {
            argon2.hash_password_with_salt(password.0.as_bytes(), &salt)
        });
        let hash: PasswordHash = hashed.await?.map_err(|_| IdentityError::PasswordRefused {
            what: "it can't be hashed",
        })?;
        Ok(PasswordPhc(hash.to_string()))
    }

    /// Whether the password is the one that was hashed. Without a hash it takes as long and is not.
    pub async fn verify(
        &self,
        turn: Turn,
        password: &Password,
        phc: Option<PasswordPhc>,
    ) -> Result<bool, EngineError> {
        // Also for one that can't be right the work is done: the time it takes tells nothing.
        let fits = password.check().is_ok();
        let text = if fits {
            password.0.clone()
        } else {
            String::new()
        };
        let argon2 = self.argon2()?;
        let verified = blocking(turn, move || {
            // A hash that can't be read fits nothing, and takes as long as one that can.
            let known = phc.and_then(|phc| PasswordHash::new(&phc.0).ok());
            match known {
                Some(hash) => argon2.verify_password(text.as_bytes(), &hash).is_ok(),
                None => {
                    // Nobody of that name: as much work as for somebody.
                    let mut out = [0; 32];
                    let made = argon2.hash_password_into(text.as_bytes(), &[7; 16], &mut out);
                    // Looked at, so that the work is done.
                    made.is_err() && out == [1; 32]
                }
            }
        });
        Ok(verified.await? && fits)
    }

    fn argon2(&self) -> Result<Argon2<'static>, IdentityError> {
        let PasswordCost {
            memory,
            passes,
            lanes,
        } = self.cost;
        let params = Params::new(memory, passes, lanes, None);
        let params = params.map_err(|_| IdentityError::HashRefused {
            what: "the configured cost is not valid",
        })?;
        Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
    }
}

async fn blocking<T: Send + 'static>(
    turn: Turn,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, EngineError> {
    let joined = tokio::task::spawn_blocking(move || {
        // The turn ends with the work: who waited for it may be gone, and it still takes memory.
        let done = work();
        drop(turn);
        done
    });
    let joined = joined.await;
    joined.map_err(|error| StorageError::failed(format!("the work was cut: {error}")).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_codes::Coded;

    fn hasher() -> Hasher {
        Hasher::new(PasswordCost::CHEAP, 1, 1)
    }

    fn clear(text: &str) -> PasswordGiven {
        PasswordGiven::Clear(Password::new(text))
    }

    #[tokio::test]
    async fn a_password_fits_its_hash_and_no_other_does() {
        let hasher = hasher();
        let phc = hasher.phc(&clear("s3cret")).await.unwrap();
        phc.check().unwrap();
        for (text, fits) in [("s3cret", true), ("s3cre", false), ("", false)] {
            let turn = hasher.turn().await.unwrap();
            let password = Password::new(text);
            let verified = hasher.verify(turn, &password, Some(phc.clone())).await;
            assert_eq!(verified.unwrap(), fits, "{text:?}");
        }
        let turn = hasher.turn().await.unwrap();
        let unknown = hasher.verify(turn, &Password::new("s3cret"), None).await;
        assert!(!unknown.unwrap());
        let again = hasher.phc(&clear("s3cret")).await.unwrap();
        assert_ne!(again, phc, "each hash has a salt of its own");
    }

    #[tokio::test]
    async fn more_than_fit_are_refused_and_told_to_wait() {
        let hasher = hasher();
        let first = hasher.turn().await.unwrap();
        let mut second = Box::pin(hasher.turn());
        assert!(futures::poll!(&mut second).is_pending());
        let third = hasher.turn().await.err().unwrap();
        assert_eq!(third.code(), coeval_codes::LOGINS_TOO_MANY);
        drop(first);
        drop(second.await.unwrap());
        assert!(hasher.turn().await.is_ok());
    }

    #[test]
    fn nothing_secret_is_printed() {
        let given = [
            clear("hunter2"),
            PasswordGiven::Hashed(PasswordPhc::new("hunter2")),
        ];
        assert!(!format!("{given:?}").contains("hunter2"));
    }

    #[test]
    fn hashes_from_elsewhere_are_argon2id_and_not_too_costly() {
        let good = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0$TmGjYEdJzHFd6mLBcBX7mbKnl9iSeG8Vp1VYq2gmdKs";
        assert_eq!(PasswordPhc::new(good).check(), Ok(()));
        for bad in [
            String::new(),
            "hunter2".to_owned(),
            "$2b$12$abcdefghijklmnopqrstuuRyR1nF1nF1nF1nF1nF1nF1nF1nF1nF1".to_owned(),
            good.replace("argon2id", "argon2i"),
            good.replace("m=8", "m=4194304"),
            good.replace("t=1", "t=1000000"),
            "$argon2id$v=19$m=8,t=1,p=1".to_owned(),
            format!("{good}{}", "A".repeat(600)),
        ] {
            let refused = PasswordPhc::new(bad.clone()).check().unwrap_err();
            assert_eq!(refused.code(), coeval_codes::PASSWORD_HASH_REFUSED, "{bad}");
        }
    }
}
