//! The caller, as far as access is concerned.

use crate::{ResourceHome, Rights};
use coeval_codes::Coded;

/// Who asks. Built once for a session, or when roles, rights or publications change.
#[derive(Clone, Debug)]
pub struct AccessSubject {
    user: String,
    org: String,
    roles: Vec<String>,
    provider: bool,
    rights: Rights,
    context: Option<String>,
}

impl AccessSubject {
    /// A user of a tenant. Rights that are the provider's alone are left out.
    #[must_use]
    pub fn tenant(user: &str, org: &str, roles: Vec<String>, rights: Rights) -> Self {
        Self {
            user: user.to_owned(),
            org: org.to_owned(),
            roles,
            provider: false,
            rights: rights.for_a_tenant(),
            context: None,
        }
    }

    /// A user of the provider; `org` is the id of the provider's organization.
    #[must_use]
    pub fn provider(user: &str, org: &str, roles: Vec<String>, rights: Rights) -> Self {
        Self {
            user: user.to_owned(),
            org: org.to_owned(),
            roles,
            provider: true,
            rights,
            context: None,
        }
    }

    /// Acting for a tenant. For the own organization it changes nothing, since clients of tenants
    /// send it too; that of another is only for the provider.
    pub fn in_context(mut self, org: &str) -> Result<Self, ContextRefused> {
        if org == self.org {
            self.context = None;
        } else if self.provider {
            self.context = Some(org.to_owned());
        } else {
            return Err(ContextRefused);
        }
        Ok(self)
    }

    /// The user's id.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The id of the user's own organization, whatever the context.
    #[must_use]
    pub fn org(&self) -> &str {
        &self.org
    }

    /// The ids of the user's roles.
    #[must_use]
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// Of the provider's organization?
    #[must_use]
    pub const fn is_provider(&self) -> bool {
        self.provider
    }

    /// What the caller may do at all.
    #[must_use]
    pub const fn rights(&self) -> &Rights {
        &self.rights
    }

    /// The organization that listings show and that new resources belong to.
    #[must_use]
    pub fn effective_org(&self) -> &str {
        self.context.as_deref().unwrap_or(&self.org)
    }

    /// The tenant that a provider acts for.
    #[must_use]
    pub fn context(&self) -> Option<&str> {
        self.context.as_deref()
    }

    /// Are resources of that organization in the caller's listings?
    #[must_use]
    pub fn lists(&self, home: ResourceHome<'_>) -> bool {
        match (home, &self.context) {
            (ResourceHome::Provider, context) => self.provider && context.is_none(),
            (ResourceHome::Tenant(org), Some(context)) => org == context,
            (ResourceHome::Tenant(org), None) => !self.provider && org == self.org,
        }
    }
}

/// A tenant's user asked to act for another organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[error("only the provider may act for another organization")]
#[code(
    TENANT_CONTEXT_REFUSED,
    advice = "Leave the tenant context out, or name your own organization."
)]
pub struct ContextRefused;

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant() -> AccessSubject {
        AccessSubject::tenant("u", "t1", Vec::new(), Rights::none())
    }

    fn provider() -> AccessSubject {
        AccessSubject::provider("p", "sys", Vec::new(), Rights::everything())
    }

    #[test]
    fn a_tenant_context_moves_a_provider_and_does_no_harm_to_a_tenant() {
        assert_eq!(provider().effective_org(), "sys");
        let there = provider().in_context("t1").unwrap();
        assert_eq!((there.effective_org(), there.org()), ("t1", "sys"));
        let back = there.in_context("sys").unwrap();
        assert_eq!((back.effective_org(), back.context()), ("sys", None));
        assert_eq!(tenant().in_context("t1").unwrap().effective_org(), "t1");
        assert_eq!(tenant().in_context("t2").unwrap_err(), ContextRefused);
    }

    #[test]
    fn listings_show_the_effective_organization_only() {
        let homes = [
            ResourceHome::Provider,
            ResourceHome::Tenant("t1"),
            ResourceHome::Tenant("t2"),
        ];
        let listed = |subject: AccessSubject| homes.map(|home| subject.lists(home));
        assert_eq!(listed(tenant()), [false, true, false]);
        assert_eq!(listed(provider()), [true, false, false]);
        let acting = provider().in_context("t2").unwrap();
        assert_eq!(listed(acting), [false, false, true]);
    }

    #[test]
    fn a_tenant_never_holds_everything_nor_a_right_of_the_provider() {
        let mistaken = AccessSubject::tenant("u", "t1", Vec::new(), Rights::everything());
        assert_eq!(mistaken.rights(), &Rights::none());
    }
}
