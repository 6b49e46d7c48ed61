//! Callers and resources that the tests of this folder share: two tenants `t1` and `t2`, the
//! provider `sys`, the type `acme:app`.

use coeval_access::{
    AccessBundle, AccessLevel, AccessRole, AccessSubject, Acl, AclMember, BundleAudience, Grant,
    ResourceFacts, ResourceHome, Rights, RoleOf, RoleRights, VersionFacts, default_tenant_rights,
    effective_rights, rights_of_type,
};
use coeval_access::{AclFacts, ResourceAction};
use coeval_core::version::{TypeName, UrnName, Version};

pub(crate) const HOMES: [ResourceHome<'static>; 3] = [
    ResourceHome::Tenant("t1"),
    ResourceHome::Provider,
    ResourceHome::Tenant("t2"),
];

pub(crate) fn app() -> TypeName<'static> {
    TypeName {
        vendor: UrnName::parse("acme").unwrap(),
        nss: UrnName::parse("app").unwrap(),
    }
}

pub(crate) fn version(
    level: Option<AccessLevel>,
    max_implicit: Option<AccessLevel>,
) -> VersionFacts {
    VersionFacts {
        version: Version::new(1, 0, 0),
        level,
        max_implicit,
    }
}

pub(crate) fn facts<'a>(
    home: ResourceHome<'a>,
    version: VersionFacts,
    owner: Option<&'a str>,
    acl: &'a Acl,
) -> ResourceFacts<'a> {
    ResourceFacts {
        of: app(),
        version,
        home,
        owner,
        acl: AclFacts::Loaded(acl),
    }
}

/// Every action; the version to change to is visible in one and not in the other.
pub(crate) fn actions() -> [(char, ResourceAction); 13] {
    let target = |level| VersionFacts::new(Version::new(2, 0, 0), level);
    [
        ('R', ResourceAction::Read),
        ('M', ResourceAction::Modify),
        ('S', ResourceAction::Resolve),
        ('D', ResourceAction::Delete),
        (
            'V',
            ResourceAction::ChangeVersion(target(Some(AccessLevel::ReadOnly))),
        ),
        ('W', ResourceAction::ChangeVersion(target(None))),
        ('O', ResourceAction::ChangeOwner),
        ('F', ResourceAction::Force),
        ('L', ResourceAction::ReadAcl),
        ('1', ResourceAction::ChangeAcl(AccessLevel::ReadOnly)),
        ('2', ResourceAction::ChangeAcl(AccessLevel::ReadWrite)),
        ('3', ResourceAction::ChangeAcl(AccessLevel::FullControl)),
        ('X', ResourceAction::ReadSecrets),
    ]
}

/// The three ways to be granted something.
pub(crate) fn members(subject: &AccessSubject) -> [(&'static str, AclMember); 3] {
    [
        ("user", AclMember::User(subject.user().to_owned())),
        ("role", AclMember::Role("dev".to_owned())),
        ("org", AclMember::Org(subject.org().to_owned())),
    ]
}

pub(crate) fn granting(member: AclMember, level: AccessLevel) -> Acl {
    Acl::from(vec![Grant { member, level }])
}

pub(crate) fn roles() -> Vec<String> {
    vec!["dev".to_owned()]
}

/// A user of `t1` with these rights.
pub(crate) fn user(rights: &[&str]) -> AccessSubject {
    AccessSubject::tenant("ann", "t1", roles(), named(rights))
}

pub(crate) fn named(rights: &[&str]) -> Rights {
    Rights::from_names(rights.iter().copied())
}

/// The administrator of a tenant to which the type and the usual rights are published.
pub(crate) fn organization_administrator(user: &str, org: &str) -> AccessSubject {
    let bundle = |rights| AccessBundle {
        name: String::new(),
        rights,
        published: BundleAudience::ToAll,
    };
    let of_type = rights_of_type(app());
    let of_type = Rights::from_names(of_type.iter().map(String::as_str));
    let bundles = [bundle(default_tenant_rights()), bundle(of_type)];
    let role = AccessRole {
        id: "dev".to_owned(),
        of: RoleOf::Everyone,
        holds: RoleRights::WhatIsPublished,
    };
    let rights = effective_rights(false, org, [&role], &bundles);
    AccessSubject::tenant(user, org, roles(), rights)
}

pub(crate) fn system_administrator() -> AccessSubject {
    AccessSubject::provider("root", "sys", roles(), Rights::everything())
}
