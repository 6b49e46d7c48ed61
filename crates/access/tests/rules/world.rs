//! Callers and resources that the tests of this folder share: two tenants `t1` and `t2`, the
//! provider `sys`, the type `acme:app`.

use coeval_access::{
    Acl, Bundle, Facts, Grant, Holds, Home, Level, Member, Published, Rights, Role, RoleOf,
    Subject, VersionFacts, default_tenant_rights, effective_rights, rights_of_type,
};
use coeval_access::{AclFacts, Action};
use coeval_core::version::{Name, TypeName, Version};

pub(crate) const HOMES: [Home<'static>; 3] =
    [Home::Tenant("t1"), Home::Provider, Home::Tenant("t2")];

pub(crate) fn app() -> TypeName<'static> {
    TypeName {
        vendor: Name::parse("acme").unwrap(),
        nss: Name::parse("app").unwrap(),
    }
}

pub(crate) fn version(level: Option<Level>, max_implicit: Option<Level>) -> VersionFacts {
    VersionFacts {
        version: Version::new(1, 0, 0),
        level,
        max_implicit,
    }
}

pub(crate) fn facts<'a>(
    home: Home<'a>,
    version: VersionFacts,
    owner: Option<&'a str>,
    acl: &'a Acl,
) -> Facts<'a> {
    Facts {
        of: app(),
        version,
        home,
        owner,
        acl: AclFacts::Loaded(acl),
    }
}

/// Every action; the version to change to is visible in one and not in the other.
pub(crate) fn actions() -> [(char, Action); 13] {
    let target = |level| VersionFacts::new(Version::new(2, 0, 0), level);
    [
        ('R', Action::Read),
        ('M', Action::Modify),
        ('S', Action::Resolve),
        ('D', Action::Delete),
        ('V', Action::ChangeVersion(target(Some(Level::ReadOnly)))),
        ('W', Action::ChangeVersion(target(None))),
        ('O', Action::ChangeOwner),
        ('F', Action::Force),
        ('L', Action::ReadAcl),
        ('1', Action::ChangeAcl(Level::ReadOnly)),
        ('2', Action::ChangeAcl(Level::ReadWrite)),
        ('3', Action::ChangeAcl(Level::FullControl)),
        ('X', Action::ReadSecrets),
    ]
}

/// The three ways to be granted something.
pub(crate) fn members(subject: &Subject) -> [(&'static str, Member); 3] {
    [
        ("user", Member::User(subject.user().to_owned())),
        ("role", Member::Role("dev".to_owned())),
        ("org", Member::Org(subject.org().to_owned())),
    ]
}

pub(crate) fn granting(member: Member, level: Level) -> Acl {
    Acl::from(vec![Grant { member, level }])
}

pub(crate) fn roles() -> Vec<String> {
    vec!["dev".to_owned()]
}

/// A user of `t1` with these rights.
pub(crate) fn user(rights: &[&str]) -> Subject {
    Subject::tenant("ann", "t1", roles(), named(rights))
}

pub(crate) fn named(rights: &[&str]) -> Rights {
    Rights::from_names(rights.iter().copied())
}

/// The administrator of a tenant to which the type and the usual rights are published.
pub(crate) fn organization_administrator(user: &str, org: &str) -> Subject {
    let bundle = |rights| Bundle {
        name: String::new(),
        rights,
        published: Published::ToAll,
    };
    let of_type = rights_of_type(app());
    let of_type = Rights::from_names(of_type.iter().map(String::as_str));
    let bundles = [bundle(default_tenant_rights()), bundle(of_type)];
    let role = Role {
        id: "dev".to_owned(),
        of: RoleOf::Everyone,
        holds: Holds::WhatIsPublished,
    };
    let rights = effective_rights(false, org, [&role], &bundles);
    Subject::tenant(user, org, roles(), rights)
}

pub(crate) fn system_administrator() -> Subject {
    Subject::provider("root", "sys", roles(), Rights::everything())
}
