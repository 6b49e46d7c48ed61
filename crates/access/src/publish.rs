//! What publishing a rights bundle does to the ACLs of type versions.
//!
//! Publishing a bundle that has rights of a type grants the organization every version of that type
//! that exists. Doing it again brings versions up to date that were defined meanwhile.

use crate::{AccessLevel, Acl, AclMember, Grant, Rights};
use coeval_core::version::TypeName;

/// What an organization is granted on the versions of a published type: its users create resources.
pub const PUBLISHED_LEVEL: AccessLevel = AccessLevel::ReadWrite;

/// The types whose versions are granted when a bundle with these rights is published.
pub fn types_to_grant(bundle: &Rights) -> impl Iterator<Item = TypeName<'_>> {
    bundle.types().map(|(of, _)| of)
}

/// The types whose versions are taken away when a bundle is unpublished: those that no bundle which
/// stays published brings.
pub fn types_to_revoke<'a>(
    bundle: &'a Rights,
    still_published: &'a [&'a Rights],
) -> impl Iterator<Item = TypeName<'a>> {
    let stays = |of: TypeName<'_>| {
        let brings = |other: &&Rights| !other.of_type(of).is_empty();
        still_published.iter().any(brings)
    };
    types_to_grant(bundle).filter(move |of| !stays(*of))
}

/// Grants a type version to an organization, at least as much as publishing does. Returns whether
/// it changed.
pub fn publish(acl: &mut Acl, org: &str) -> bool {
    // Raised, not set: a higher grant that somebody made by hand stays.
    acl.raise(Grant {
        member: AclMember::Org(org.to_owned()),
        level: PUBLISHED_LEVEL,
    })
}

/// Takes away what an organization as a whole was granted on a type version. Returns whether it
/// changed. Grants to single users stay.
pub fn unpublish(acl: &mut Acl, org: &str) -> bool {
    acl.take(&AclMember::Org(org.to_owned())).is_some()
}

#[cfg(test)]
mod tests;
