//! What a write does to one key: the rule that both checkers use, written down once more and
//! apart from the stores.

use super::{Act, Move, Refusal, Version};
use coeval_storage::{Condition, Revision};

/// What the key becomes; an error if the move is refused.
pub(super) fn play(
    step: &Move,
    standing: Option<Version>,
    fresh: Revision,
) -> Result<Option<Version>, Refusal> {
    let key = || step.key.clone();
    match (step.condition, standing) {
        (Condition::Whatever, _) | (Condition::Exists, Some(_)) | (Condition::NotExists, None) => {}
        (Condition::Exists | Condition::RevisionIs(_) | Condition::AsRead { .. }, None) => {
            return Err(Refusal::NotFound(key()));
        }
        (Condition::NotExists, Some(now)) => {
            return Err(Refusal::AlreadyExists(key(), now.revision));
        }
        (Condition::RevisionIs(wanted), Some(now)) => {
            if wanted != now.revision {
                return Err(Refusal::Conflict(key(), now.revision));
            }
        }
        // Nothing in a history has flags.
        (
            Condition::AsRead {
                revision, expires, ..
            },
            Some(now),
        ) => {
            if (revision, expires.map(|at| at.0)) != (now.revision, now.expires) {
                return Err(Refusal::Conflict(key(), now.revision));
            }
        }
        (Condition::StillExpired(..), _) => panic!("nothing expires in a history"),
    }
    match (step.act, standing) {
        (Act::Nop, standing) => Ok(standing),
        (Act::Delete, _) => Ok(None),
        (Act::Put(value), _) => Ok(Some(Version {
            revision: fresh,
            value,
            expires: None,
        })),
        (Act::KeepAlive(_), None) => Err(Refusal::NotFound(key())),
        (Act::KeepAlive(expires), Some(now)) => Ok(Some(Version {
            expires: Some(expires),
            ..now
        })),
    }
}

/// Whether the move tells watchers something: a put and a keep_alive always, a delete of what is
/// there.
pub(super) fn is_told(step: &Move, standing: Option<Version>) -> bool {
    match step.act {
        Act::Nop => false,
        Act::Delete => standing.is_some(),
        Act::Put(_) | Act::KeepAlive(_) => true,
    }
}
