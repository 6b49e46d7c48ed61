//! Why an action is denied, precisely. Whoever may not even read the thing is told "not found"
//! instead; the reason is then for the audit and for those who may ask.

use crate::AccessLevel;
use coeval_codes::{Code, Coded};
use std::fmt;

/// Why an action is denied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DenialReason {
    /// A right is not held.
    #[error("the right `{right}` is missing")]
    RightMissing {
        /// The least right that would do.
        right: String,
        /// The administrator's right that would do as well.
        or: Option<String>,
    },
    /// The ACL grants less than it takes.
    #[error("the ACL grants {}, and {needs} is needed", GrantedLevel(*.has))]
    LevelTooLow {
        /// What the ACL grants.
        has: Option<AccessLevel>,
        /// What it takes.
        needs: AccessLevel,
    },
    /// The resource is another tenant's.
    #[error("it belongs to another organization")]
    OtherOrganization,
    /// The type version is not visible.
    #[error("the type version {version} is not visible to the caller")]
    VersionNotVisible {
        /// Which, `acme:app:1.1.0`.
        version: String,
    },
    /// The ACL of the type version grants less than it takes.
    #[error("the ACL of the type version {version} grants {has}, and {needs} is needed")]
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
    ProviderOnly,
    /// One may neither give nor take away more than one has.
    #[error("the grant is {grant}, and the caller has {own}")]
    GrantAboveOwn {
        /// The level of the grant.
        grant: AccessLevel,
        /// The caller's.
        own: AccessLevel,
    },
    /// Secrets need full control by a grant.
    #[error("secrets need a grant of FullControl in the ACL, and it grants {}", GrantedLevel(*.has))]
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

impl Coded for DenialReason {
    fn code(&self) -> Code {
        match self {
            Self::RightMissing { .. } => coeval_codes::RIGHT_MISSING,
            Self::LevelTooLow { .. } => coeval_codes::ACL_LEVEL_TOO_LOW,
            Self::OtherOrganization => coeval_codes::OTHER_ORGANIZATION,
            Self::VersionNotVisible { .. } => coeval_codes::TYPE_VERSION_NOT_VISIBLE,
            Self::VersionLevelTooLow { .. } => coeval_codes::TYPE_LEVEL_TOO_LOW,
            Self::ProviderOnly => coeval_codes::PROVIDER_ONLY,
            Self::GrantAboveOwn { .. } => coeval_codes::GRANT_ABOVE_OWN,
            Self::SecretsNotGranted { .. } => coeval_codes::SECRETS_NOT_GRANTED,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::RightMissing { right, or: None } => {
                format!("Ask an administrator to add `{right}` to one of your roles.")
            }
            Self::RightMissing { right, or: Some(or) } => {
                format!("Ask an administrator to add `{right}` or `{or}` to one of your roles; in a tenant it must be published to the organization too.")
            }
            Self::LevelTooLow { needs, .. } => {
                format!("Ask the owner to grant {needs} to you, a role of yours or your organization.")
            }
            Self::OtherOrganization => {
                "Use the organization that it belongs to; a provider leaves the tenant context out or names that tenant.".to_owned()
            }
            Self::VersionNotVisible { version } => {
                format!("Ask the provider to grant access to {version}, or to publish the type's bundle to your organization again.")
            }
            Self::VersionLevelTooLow { version, needs, .. } => {
                format!("Ask the provider to grant {needs} on {version}.")
            }
            Self::ProviderOnly => "Ask the provider to do it.".to_owned(),
            Self::GrantAboveOwn { own, .. } => {
                format!("Grant at most {own}, or ask somebody with full control to do it.")
            }
            Self::SecretsNotGranted { .. } => {
                "Have FullControl granted in the ACL: to you, a role of yours or your organization.".to_owned()
            }
        }
    }
}
