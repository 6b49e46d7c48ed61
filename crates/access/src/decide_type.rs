//! May the caller do it with this type version?

use crate::decide::version_name;
use crate::{
    Allowed, Decision, Denied, GeneralRight, Level, Reason, Subject, TypeAction, TypeRight,
    VersionFacts,
};
use coeval_core::version::TypeName;

/// May the caller do it with this type version? It never needs another ACL.
pub fn decide_type(
    action: TypeAction,
    subject: &Subject,
    of: TypeName<'_>,
    version: VersionFacts,
) -> Decision {
    let manages = subject.rights().has(GeneralRight::ManageAnyDefinition);
    let managed = manages.then_some(Level::FullControl);
    let Some(level) = version.level.max(managed) else {
        let version = version_name(of, version.version);
        let reason = Reason::VersionNotVisible { version };
        return Decision::Denied(Denied {
            hidden: true,
            reason,
        });
    };
    match unmet(action, subject, of, version, level) {
        None => Decision::Allowed(Allowed { level }),
        Some(reason) => Decision::Denied(Denied {
            hidden: false,
            reason,
        }),
    }
}

fn unmet(
    action: TypeAction,
    subject: &Subject,
    of: TypeName<'_>,
    version: VersionFacts,
    level: Level,
) -> Option<Reason> {
    if action.is_providers() && !subject.is_provider() {
        return Some(Reason::ProviderOnly);
    }
    let missing = action
        .general_right()
        .filter(|right| !subject.rights().has(*right));
    if let Some(right) = missing {
        let right = right.name().to_owned();
        return Some(Reason::RightMissing { right, or: None });
    }
    let held = subject.rights().of_type(of).has(TypeRight::Modify);
    let creates = held || version.implied() >= Some(Level::ReadWrite);
    if action == TypeAction::CreateResource && !creates {
        let right = TypeRight::Modify.name(of);
        return Some(Reason::RightMissing { right, or: None });
    }
    (level < action.needs()).then(|| Reason::VersionLevelTooLow {
        version: version_name(of, version.version),
        has: level,
        needs: action.needs(),
    })
}
