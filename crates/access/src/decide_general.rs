//! May the caller do what belongs to no type: manage users, publish bundles, read the audit?

use crate::{AccessSubject, DenialReason, DeniedAccess, GeneralRight};

/// May the caller do what this right is for, in that organization? `None` is the installation as a
/// whole, or the caller's own affairs. What is another organization's is hidden.
pub fn decide_general(
    right: GeneralRight,
    subject: &AccessSubject,
    org: Option<&str>,
) -> Result<(), DeniedAccess> {
    let denied = |hidden, reason| Err(DeniedAccess { hidden, reason });
    // The organization first, and hidden: nobody learns of another one by asking about it.
    if !org.is_none_or(|org| within_reach(subject, org)) {
        return denied(true, DenialReason::OtherOrganization);
    }
    // Rights of the provider can be held by name, but a tenant's user never uses them.
    if right.is_providers() && !subject.is_provider() {
        return denied(false, DenialReason::ProviderOnly);
    }
    if !subject.rights().has(right) {
        let right = right.name().to_owned();
        return denied(false, DenialReason::RightMissing { right, or: None });
    }
    Ok(())
}

/// A provider without a context reaches every organization, with one that and its own.
fn within_reach(subject: &AccessSubject, org: &str) -> bool {
    let everywhere = subject.is_provider() && subject.context().is_none();
    everywhere || org == subject.org() || subject.context() == Some(org)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rights, default_tenant_rights};

    fn reason(
        right: GeneralRight,
        subject: &AccessSubject,
        org: Option<&str>,
    ) -> Option<DeniedAccess> {
        decide_general(right, subject, org).err()
    }

    #[test]
    fn a_tenants_administrator_manages_his_organization_and_sees_no_other() {
        let admin = AccessSubject::tenant("a", "t1", Vec::new(), default_tenant_rights());
        let manage = GeneralRight::ManageUsers;
        assert_eq!(reason(manage, &admin, Some("t1")), None);
        let other = DeniedAccess {
            hidden: true,
            reason: DenialReason::OtherOrganization,
        };
        assert_eq!(reason(manage, &admin, Some("t2")), Some(other));
    }

    #[test]
    fn what_is_the_providers_no_tenant_does() {
        let admin = AccessSubject::tenant("a", "t1", Vec::new(), Rights::everything());
        for right in GeneralRight::ALL
            .iter()
            .filter(|right| right.is_providers())
        {
            let denied = reason(*right, &admin, None).map(|denied| denied.reason);
            assert_eq!(denied, Some(DenialReason::ProviderOnly), "{right:?}");
        }
    }

    #[test]
    fn a_provider_reaches_every_organization_or_that_of_its_context() {
        let provider = AccessSubject::provider("p", "sys", Vec::new(), Rights::everything());
        for org in [None, Some("sys"), Some("t1"), Some("t2")] {
            assert_eq!(reason(GeneralRight::ViewAudit, &provider, org), None);
        }
        let acting = provider.in_context("t1").unwrap();
        let allowed = |org| reason(GeneralRight::ViewAudit, &acting, Some(org)).is_none();
        assert_eq!(["sys", "t1", "t2"].map(allowed), [true, true, false]);
    }

    #[test]
    fn a_missing_right_is_named() {
        let user = AccessSubject::tenant("u", "t1", Vec::new(), Rights::none());
        let denied = reason(GeneralRight::ViewTasks, &user, None).unwrap();
        assert_eq!(
            denied.reason.to_string(),
            "the right `Task: View` is missing"
        );
        assert!(!denied.hidden);
    }
}
