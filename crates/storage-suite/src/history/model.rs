//! What a write does to one key: the rule that both checkers use, written down once more and
//! apart from the stores.

use super::{Act, Move, Refusal, Version};
use coeval_storage::{Revision, WriteCondition};

/// What the key becomes; an error if the move is refused.
pub(super) fn play(
    step: &Move,
    standing: Option<Version>,
    fresh: Revision,
) -> Result<Option<Version>, Refusal> {
    let key = || step.key.clone();
    match (step.condition, standing) {
        (WriteCondition::Whatever, _)
        | (WriteCondition::Exists, Some(_))
        | (WriteCondition::NotExists, None) => {}
        (
            WriteCondition::Exists | WriteCondition::RevisionIs(_) | WriteCondition::AsRead { .. },
            None,
        ) => {
            return Err(Refusal::NotFound(key()));
        }
        (WriteCondition::NotExists, Some(now)) => {
            return Err(Refusal::AlreadyExists(key(), now.revision));
        }
        (WriteCondition::RevisionIs(wanted), Some(now)) => {
            if wanted != now.revision {
                return Err(Refusal::Conflict(key(), now.revision));
            }
        }
        // Nothing in a history has flags.
        (
            WriteCondition::AsRead {
                revision, expires, ..
            },
            Some(now),
        ) => {
            if (revision, expires.map(|at| at.0)) != (now.revision, now.expires) {
                return Err(Refusal::Conflict(key(), now.revision));
            }
        }
        (WriteCondition::StillExpired(..), _) => panic!("nothing expires in a history"),
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
