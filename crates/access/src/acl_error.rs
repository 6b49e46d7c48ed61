//! Why a change of an ACL is refused.

use crate::{AccessLevel, MAX_GRANTS};
use coeval_codes::Coded;

/// Why a change of an ACL is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
// A change that can't be made as it was asked for, whoever asks: as it was released.
#[code(kind = InvalidArgument)]
pub enum AclError {
    /// One may neither give nor take away more than one has.
    #[error("the grant is or would be {grant}, and the caller has {own}")]
    #[code(
        GRANT_ABOVE_OWN,
        advice = "Grant at most {own}, or ask somebody with full control to do it."
    )]
    AboveOwn {
        /// The level of the grant, as it is or as it would be.
        grant: AccessLevel,
        /// The caller's.
        own: AccessLevel,
    },
    /// There is nothing to remove.
    #[error("the ACL has no grant for this member")]
    #[code(GRANT_MISSING, advice = "Read the ACL and use a member that it lists.")]
    NoSuchGrant,
    /// The limit is reached.
    #[error("the ACL has {MAX_GRANTS} grants already")]
    #[code(
        GRANTS_TOO_MANY,
        advice = "Grant to a role or an organization instead of to each user."
    )]
    TooManyGrants,
}
