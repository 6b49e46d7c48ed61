//! What can go wrong with organizations, users, roles, bundles and sessions.

use crate::keys::TypeKey;
use coeval_codes::Coded;

/// Every refusal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum IdentityError {
    /// A plain write to a resource of an own kind.
    #[error("resources of {of} are not written like others")]
    #[code(
        BUILT_IN,
        advice = own_kind_advice(of)
    )]
    OwnKind {
        /// Which kind.
        of: TypeKey,
    },
    /// Whatever was wrong, it is not told.
    #[error("the organization, the user name or the password is wrong")]
    #[code(
        LOGIN_FAILED,
        advice = "Check all three; an administrator can set a new password."
    )]
    LoginFailed,
    /// Too many logins of that user, or from that source, failed.
    #[error("too many logins failed; the next one is possible in {} s", retry_after_ms.div_ceil(1000))]
    #[code(LOGIN_BLOCKED, advice = "Wait as long as it says, then try once more.")]
    LoginBlocked {
        /// When another attempt is looked at.
        retry_after_ms: u64,
    },
    /// More logins than can be worked on.
    #[error("too many logins are under way")]
    #[code(
        LOGINS_TOO_MANY,
        advice = "Try again in a moment, and keep the session that you get."
    )]
    LoginsTooMany,
    /// Malformed, expired, revoked, or its user may not any more.
    #[error("the session or token is not valid, or not any more")]
    #[code(TOKEN_INVALID, advice = "Log in again, or make a new token.")]
    TokenInvalid,
    /// Empty or too long.
    #[error("the password can't be used: {what}")]
    #[code(PASSWORD_REFUSED, advice = "Choose another one.")]
    PasswordRefused {
        /// Why.
        what: &'static str,
    },
    /// Not argon2id, or too costly.
    #[error("the password's hash can't be used: {what}")]
    #[code(
        PASSWORD_HASH_REFUSED,
        advice = "Give a PHC string of argon2id, or the password itself."
    )]
    HashRefused {
        /// Why.
        what: &'static str,
    },
    /// No such organization, or not one that the caller may know of.
    #[error("there is no organization {what}")]
    #[code(
        ORGANIZATION_UNKNOWN,
        advice = "Check the name or id, or create the organization first."
    )]
    OrgUnknown {
        /// Which.
        what: String,
    },
    /// It still has something.
    #[error("the organization {name} still has {has}")]
    #[code(ORGANIZATION_IN_USE, advice = "Delete what it has first.")]
    OrgInUse {
        /// Which.
        name: String,
        /// What.
        has: String,
    },
    /// No such user.
    #[error("there is no user {what}")]
    #[code(USER_UNKNOWN, advice = "Check the name or id and the organization.")]
    UserUnknown {
        /// Which.
        what: String,
    },
    /// No such role.
    #[error("there is no role {what}")]
    #[code(
        ROLE_UNKNOWN,
        advice = "Use a role of the user's organization or a global one, or create it first."
    )]
    RoleUnknown {
        /// Which.
        what: String,
    },
    /// Users have it.
    #[error("the role {name} is that of users, {user} for one")]
    #[code(ROLE_IN_USE, advice = "Take it from its users first.")]
    RoleInUse {
        /// Which.
        name: String,
        /// One of them.
        user: String,
    },
    /// No such bundle.
    #[error("there is no rights bundle {what}")]
    #[code(
        BUNDLE_UNKNOWN,
        advice = "Check the name or id; a type's bundle is made with its first version."
    )]
    BundleUnknown {
        /// Which.
        what: String,
    },
    /// A name that is no right's.
    #[error("there is no right {name:?}")]
    #[code(
        RIGHT_UNKNOWN,
        advice = "Use the name of a general right, or that of a type's, such as `acme:app: View`."
    )]
    RightUnknown {
        /// Its beginning.
        name: String,
    },
    /// It belongs to Coeval or to a type.
    #[error("{what} is predefined and can't be {action}")]
    #[code(PREDEFINED, advice = "Make one of your own.")]
    Predefined {
        /// What.
        what: String,
        /// What was to be done.
        action: &'static str,
    },
    /// The caller would give away, or get hold of, more than it has.
    #[error("it takes rights that the caller does not have: {rights}")]
    #[code(
        ABOVE_OWN_RIGHTS,
        advice = "Ask somebody who has these rights to do it."
    )]
    AboveOwn {
        /// Some of them.
        rights: String,
    },
    /// A name that can't be used.
    #[error("the name can't be used: {what}")]
    #[code(IDENTITY_NAME_INVALID, advice = "Choose another name.")]
    NameInvalid {
        /// Why.
        what: String,
    },
    /// It can't be taken from a single organization.
    #[error("the bundle {name} is published to all organizations")]
    #[code(
        PUBLISHED_TO_ALL,
        advice = "Unpublish it from all, then publish it to those who are to have it."
    )]
    PublishedToAll {
        /// Which.
        name: String,
    },
    /// No such session or token, or not one of the caller's.
    #[error("there is no such session or token")]
    #[code(
        SESSION_UNKNOWN,
        advice = "List the sessions and tokens to see which there are."
    )]
    SessionUnknown,
    /// Each organization's users have a door of their own.
    #[error("the token is not that of a user of {org}")]
    #[code(
        TOKEN_AT_OTHER_DOOR,
        advice = "Show it where its user logs in: at the provider's door, or at that of its organization."
    )]
    OtherDoor {
        /// Whose door it was shown at.
        org: String,
    },
    /// A tenant's user asked to act for another organization.
    #[error(transparent)]
    #[code(transparent)]
    Context(#[from] coeval_access::ContextRefused),
    /// Something in the bootstrap can't be done.
    #[error("the bootstrap can't be done: {what}")]
    #[code(BOOTSTRAP_INVALID, advice = "Correct the file and start again.")]
    BootstrapInvalid {
        /// What.
        what: String,
    },
}

fn own_kind_advice(of: &TypeKey) -> String {
    let what = match &*of.nss {
        "org" => "create, change and delete organizations",
        "user" => "create, change and delete users, or to set passwords",
        "role" => "create, change and delete roles",
        _ => "create, change, publish and delete rights bundles",
    };
    format!("Use the methods that {what}.")
}
