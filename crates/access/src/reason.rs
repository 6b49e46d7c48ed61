//! Why an action is denied, precisely. Whoever may not even read the thing is told "not found"
//! instead; the reason is then for the audit and for those who may ask.

use crate::AccessLevel;
use coeval_codes::Coded;
use std::fmt;

/// Why an action is denied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum DenialReason {
    /// A right is not held.
    #[error("the right `{right}` is missing")]
    #[code(
        RIGHT_MISSING,
        advice = right_advice(right, or.as_ref())
    )]
    RightMissing {
        /// The least right that would do.
        right: String,
        /// The administrator's right that would do as well.
        or: Option<String>,
    },
    /// The ACL grants less than it takes.
    #[error("the ACL grants {}, and {needs} is needed", GrantedLevel(*.has))]
    #[code(
        ACL_LEVEL_TOO_LOW,
        advice = "Ask the owner to grant {needs} to you, a role of yours or your organization."
    )]
    LevelTooLow {
        /// What the ACL grants.
        has: Option<AccessLevel>,
        /// What it takes.
        needs: AccessLevel,
    },
    /// The resource is another tenant's.
    #[error("it belongs to another organization")]
    #[code(
        OTHER_ORGANIZATION,
        advice = "Use the organization that it belongs to; a provider leaves the tenant context out or names that tenant."
    )]
    OtherOrganization,
    /// The type version is not visible.
    #[error("the type version {version} is not visible to the caller")]
    #[code(
        TYPE_VERSION_NOT_VISIBLE,
        advice = "Ask the provider to grant access to {version}, or to publish the type's bundle to your organization again."
    )]
    VersionNotVisible {
        /// Which, `acme:app:1.1.0`.
        version: String,
    },
    /// The ACL of the type version grants less than it takes.
    #[error("the ACL of the type version {version} grants {has}, and {needs} is needed")]
    #[code(
        TYPE_LEVEL_TOO_LOW,
        advice = "Ask the provider to grant {needs} on {version}."
    )]
    VersionLevelTooLow {
        /// Which, `acme:app:1.1.0`.
        version: String,
        /// What it grants.
        has: AccessLevel,
        /// What it takes.
        needs: AccessLevel,
    },
    /// Tenants can't do it, whatever they hold.
    #[error("only the provider may do it")]
    #[code(PROVIDER_ONLY, advice = "Ask the provider to do it.")]
    ProviderOnly,
    /// One may neither give nor take away more than one has.
    #[error("the grant is {grant}, and the caller has {own}")]
    #[code(
        GRANT_ABOVE_OWN,
        advice = "Grant at most {own}, or ask somebody with full control to do it."
    )]
    GrantAboveOwn {
        /// The level of the grant.
        grant: AccessLevel,
        /// The caller's.
        own: AccessLevel,
    },
    /// Secrets need full control by a grant.
    #[error("secrets need a grant of FullControl in the ACL, and it grants {}", GrantedLevel(*.has))]
    #[code(
        SECRETS_NOT_GRANTED,
        advice = "Have FullControl granted in the ACL: to you, a role of yours or your organization."
    )]
    SecretsNotGranted {
        /// What the ACL grants.
        has: Option<AccessLevel>,
    },
}

struct GrantedLevel(Option<AccessLevel>);

impl fmt::Display for GrantedLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.map_or("nothing", AccessLevel::name))
    }
}

fn right_advice(right: &str, or: Option<&String>) -> String {
    match or {
        None => format!("Ask an administrator to add `{right}` to one of your roles."),
        Some(or) => format!(
            "Ask an administrator to add `{right}` or `{or}` to one of your roles; in a tenant it must be published to the organization too."
        ),
    }
}
