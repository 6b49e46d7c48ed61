//! May the caller do it with this type version?

use crate::decide::version_name;
use crate::{
    AccessDecision, AccessLevel, AccessSubject, AllowedAccess, DenialReason, DeniedAccess,
    GeneralRight, TypeAction, TypeRight, VersionFacts,
};
use coeval_core::version::TypeName;

/// May the caller do it with this type version? It never needs another ACL.
pub fn decide_type(
    action: TypeAction,
    subject: &AccessSubject,
    of: TypeName<'_>,
    version: VersionFacts,
) -> AccessDecision {
    // The right to manage all definitions stands for full control of each.
    let manages = subject.rights().has(GeneralRight::ManageAnyDefinition);
    let managed = manages.then_some(AccessLevel::FullControl);
    let Some(level) = version.level.max(managed) else {
        // Without any level the version is hidden, so no other reason is told.
        let version = version_name(of, version.version);
        let reason = DenialReason::VersionNotVisible { version };
        return AccessDecision::Denied(DeniedAccess {
            hidden: true,
            reason,
        });
    };
    match unmet(action, subject, of, version, level) {
        None => AccessDecision::Allowed(AllowedAccess { level }),
        Some(reason) => AccessDecision::Denied(DeniedAccess {
            hidden: false,
            reason,
        }),
    }
}

fn unmet(
    action: TypeAction,
    subject: &AccessSubject,
    of: TypeName<'_>,
    version: VersionFacts,
    level: AccessLevel,
) -> Option<DenialReason> {
    // Before the rights, as a tenant can't be given what only the provider may do.
    if action.is_providers() && !subject.is_provider() {
        return Some(DenialReason::ProviderOnly);
    }
    let missing = action
        .general_right()
        .filter(|right| !subject.rights().has(*right));
    if let Some(right) = missing {
        let right = right.name().to_owned();
        return Some(DenialReason::RightMissing { right, or: None });
    }
    // Creating is a right on resources of the type: it comes by role or by the version's ACL.
    let held = subject.rights().of_type(of).has(TypeRight::Modify);
    let creates = held || version.implied() >= Some(AccessLevel::ReadWrite);
    if action == TypeAction::CreateResource && !creates {
        let right = TypeRight::Modify.name(of);
        return Some(DenialReason::RightMissing { right, or: None });
    }
    // The level at last: what was missing before is told first.
    (level < action.needs()).then(|| DenialReason::VersionLevelTooLow {
        version: version_name(of, version.version),
        has: level,
        needs: action.needs(),
    })
}
