//! Why a change of an ACL is refused.

use crate::{AccessLevel, MAX_GRANTS};
use coeval_codes::{Code, Coded, ErrorKind};

/// Why a change of an ACL is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AclError {
    /// One may neither give nor take away more than one has.
    #[error("the grant is or would be {grant}, and the caller has {own}")]
    AboveOwn {
        /// The level of the grant, as it is or as it would be.
        grant: AccessLevel,
        /// The caller's.
        own: AccessLevel,
    },
    /// There is nothing to remove.
    #[error("the ACL has no grant for this member")]
    NoSuchGrant,
    /// The limit is reached.
    #[error("the ACL has {MAX_GRANTS} grants already")]
    TooManyGrants,
}

impl Coded for AclError {
    fn code(&self) -> Code {
        match self {
            Self::AboveOwn { .. } => coeval_codes::GRANT_ABOVE_OWN,
            Self::NoSuchGrant => coeval_codes::GRANT_MISSING,
            Self::TooManyGrants => coeval_codes::GRANTS_TOO_MANY,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::AboveOwn { own, .. } => {
                format!("Grant at most {own}, or ask somebody with full control to do it.")
            }
            Self::NoSuchGrant => "Read the ACL and use a member that it lists.".to_owned(),
            Self::TooManyGrants => {
                "Grant to a role or an organization instead of to each user.".to_owned()
            }
        }
    }

    /// A change that can't be made as it was asked for, whoever asks: as it was released.
    fn error_kind(&self) -> ErrorKind {
        ErrorKind::InvalidArgument
    }
}
