//! What can go wrong with organizations, users, roles, bundles and sessions.

use crate::keys::TypeKey;
use coeval_codes::{Code, Coded};

/// Every refusal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// A plain write to a resource of an own kind.
    #[error("resources of {of} are not written like others")]
    OwnKind {
        /// Which kind.
        of: TypeKey,
    },
    /// Whatever was wrong, it is not told.
    #[error("the organization, the user name or the password is wrong")]
    LoginFailed,
    /// Too many logins of that user, or from that source, failed.
    #[error("too many logins failed; the next one is possible in {} s", retry_after_ms.div_ceil(1000))]
    LoginBlocked {
        /// When another attempt is looked at.
        retry_after_ms: u64,
    },
    /// More logins than can be worked on.
    #[error("too many logins are under way")]
    LoginsTooMany,
    /// Malformed, expired, revoked, or its user may not any more.
    #[error("the session or token is not valid, or not any more")]
    TokenInvalid,
    /// Empty or too long.
    #[error("the password can't be used: {what}")]
    PasswordRefused {
        /// Why.
        what: &'static str,
    },
    /// Not argon2id, or too costly.
    #[error("the password's hash can't be used: {what}")]
    HashRefused {
        /// Why.
        what: &'static str,
    },
    /// No such organization, or not one that the caller may know of.
    #[error("there is no organization {what}")]
    OrgUnknown {
        /// Which.
        what: String,
    },
    /// It still has something.
    #[error("the organization {name} still has {has}")]
    OrgInUse {
        /// Which.
        name: String,
        /// What.
        has: String,
    },
    /// No such user.
    #[error("there is no user {what}")]
    UserUnknown {
        /// Which.
        what: String,
    },
    /// No such role.
    #[error("there is no role {what}")]
    RoleUnknown {
        /// Which.
        what: String,
    },
    /// Users have it.
    #[error("the role {name} is that of users, {user} for one")]
    RoleInUse {
        /// Which.
        name: String,
        /// One of them.
        user: String,
    },
    /// No such bundle.
    #[error("there is no rights bundle {what}")]
    BundleUnknown {
        /// Which.
        what: String,
    },
    /// A name that is no right's.
    #[error("there is no right {name:?}")]
    RightUnknown {
        /// Its beginning.
        name: String,
    },
    /// It belongs to Coeval or to a type.
    #[error("{what} is predefined and can't be {action}")]
    Predefined {
        /// What.
        what: String,
        /// What was to be done.
        action: &'static str,
    },
    /// The caller would give away, or get hold of, more than it has.
    #[error("it takes rights that the caller does not have: {rights}")]
    AboveOwn {
        /// Some of them.
        rights: String,
    },
    /// A name that can't be used.
    #[error("the name can't be used: {what}")]
    NameInvalid {
        /// Why.
        what: String,
    },
    /// It can't be taken from a single organization.
    #[error("the bundle {name} is published to all organizations")]
    PublishedToAll {
        /// Which.
        name: String,
    },
    /// No such session or token, or not one of the caller's.
    #[error("there is no such session or token")]
    SessionUnknown,
    /// Each organization's users have a door of their own.
    #[error("the token is not that of a user of {org}")]
    OtherDoor {
        /// Whose door it was shown at.
        org: String,
    },
    /// A tenant's user asked to act for another organization.
    #[error(transparent)]
    Context(#[from] coeval_access::ContextRefused),
    /// Something in the bootstrap can't be done.
    #[error("the bootstrap can't be done: {what}")]
    BootstrapInvalid {
        /// What.
        what: String,
    },
}

impl Coded for IdentityError {
    fn code(&self) -> Code {
        match self {
            Self::OwnKind { .. } => coeval_codes::BUILT_IN,
            Self::LoginFailed => coeval_codes::LOGIN_FAILED,
            Self::LoginBlocked { .. } => coeval_codes::LOGIN_BLOCKED,
            Self::LoginsTooMany => coeval_codes::LOGINS_TOO_MANY,
            Self::TokenInvalid => coeval_codes::TOKEN_INVALID,
            Self::PasswordRefused { .. } => coeval_codes::PASSWORD_REFUSED,
            Self::HashRefused { .. } => coeval_codes::PASSWORD_HASH_REFUSED,
            Self::OrgUnknown { .. } => coeval_codes::ORGANIZATION_UNKNOWN,
            Self::OrgInUse { .. } => coeval_codes::ORGANIZATION_IN_USE,
            Self::UserUnknown { .. } => coeval_codes::USER_UNKNOWN,
            Self::RoleUnknown { .. } => coeval_codes::ROLE_UNKNOWN,
            Self::RoleInUse { .. } => coeval_codes::ROLE_IN_USE,
            Self::BundleUnknown { .. } => coeval_codes::BUNDLE_UNKNOWN,
            Self::RightUnknown { .. } => coeval_codes::RIGHT_UNKNOWN,
            Self::Predefined { .. } => coeval_codes::PREDEFINED,
            Self::AboveOwn { .. } => coeval_codes::ABOVE_OWN_RIGHTS,
            Self::NameInvalid { .. } => coeval_codes::IDENTITY_NAME_INVALID,
            Self::PublishedToAll { .. } => coeval_codes::PUBLISHED_TO_ALL,
            Self::SessionUnknown => coeval_codes::SESSION_UNKNOWN,
            Self::OtherDoor { .. } => coeval_codes::TOKEN_AT_OTHER_DOOR,
            Self::Context(inner) => inner.code(),
            Self::BootstrapInvalid { .. } => coeval_codes::BOOTSTRAP_INVALID,
        }
    }

    fn advice(&self) -> String {
        let text = match self {
            Self::OwnKind { of } => {
                let what = match &*of.nss {
                    "org" => "create, change and delete organizations",
                    "user" => "create, change and delete users, or to set passwords",
                    "role" => "create, change and delete roles",
                    _ => "create, change, publish and delete rights bundles",
                };
                return format!("Use the methods that {what}.");
            }
            Self::LoginFailed => "Check all three; an administrator can set a new password.",
            Self::LoginBlocked { .. } => "Wait as long as it says, then try once more.",
            Self::LoginsTooMany => "Try again in a moment, and keep the session that you get.",
            Self::TokenInvalid => "Log in again, or make a new token.",
            Self::PasswordRefused { .. } => "Choose another one.",
            Self::HashRefused { .. } => "Give a PHC string of argon2id, or the password itself.",
            Self::OrgUnknown { .. } => "Check the name or id, or create the organization first.",
            Self::OrgInUse { .. } => "Delete what it has first.",
            Self::UserUnknown { .. } => "Check the name or id and the organization.",
            Self::RoleUnknown { .. } => {
                "Use a role of the user's organization or a global one, or create it first."
            }
            Self::RoleInUse { .. } => "Take it from its users first.",
            Self::BundleUnknown { .. } => {
                "Check the name or id; a type's bundle is made with its first version."
            }
            Self::RightUnknown { .. } => {
                "Use the name of a general right, or that of a type's, such as `acme:app: View`."
            }
            Self::Predefined { .. } => "Make one of your own.",
            Self::AboveOwn { .. } => "Ask somebody who has these rights to do it.",
            Self::NameInvalid { .. } => "Choose another name.",
            Self::PublishedToAll { .. } => {
                "Unpublish it from all, then publish it to those who are to have it."
            }
            Self::SessionUnknown => "List the sessions and tokens to see which there are.",
            Self::OtherDoor { .. } => {
                "Show it where its user logs in: at the provider's door, or at that of its organization."
            }
            Self::Context(inner) => return inner.advice(),
            Self::BootstrapInvalid { .. } => "Correct the file and start again.",
        };
        text.to_owned()
    }
}
