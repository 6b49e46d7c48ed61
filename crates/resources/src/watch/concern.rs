//! Whether a change of users, roles, bundles or organizations concerns a watcher.

use crate::caches::directory::published;
use crate::resources::Resources;
use crate::watch::eye::Eye;
use crate::watch::reading::{Became, Happened, Reading};
use coeval_access::{GeneralRight, Rights};
use coeval_catalog::allow::type_name;
use coeval_catalog::identity::content::{
    BundleContent, RoleContent, UserContent, read as read_content,
};
use coeval_catalog::kinds::{OwnKind, VENDOR};
use coeval_records::keys;
use coeval_records::stored::Stored;
use coeval_storage::EventGroup;
use serde::de::DeserializeOwned;

/// What a group says about the watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Concern {
    /// Nothing.
    None,
    /// It is about the watcher's user, a role of its, or what its organization was given; whether
    /// that makes a difference has to be found out.
    Maybe,
    /// What the watcher may see has probably changed.
    Rights,
}

/// Whether a group can concern any watcher's rights, by its keys alone.
pub(crate) fn may_concern(group: &EventGroup) -> bool {
    group.events.iter().any(|event| {
        let own = || keys::read_record(&event.key).is_some_and(|(of, ..)| &*of.vendor == VENDOR);
        match event.key.as_bytes() {
            // A phase record is rewritten with every change of a definition, so also with that of a
            // type's ACL.
            [b'p', b'/', ..] => true,
            [b'e', b'/', ..] => own(),
            _ => false,
        }
    })
}

/// What a group says about the watcher.
pub(crate) fn concern(resources: &Resources, eye: &Eye, reading: &Reading) -> Concern {
    let mut found = Concern::None;
    for happened in &reading.records {
        let Some(kind) = happened.own_kind() else {
            continue;
        };
        // Ids decide first: contents of users, roles and bundles have to be converted and read.
        if !is_about(eye, kind, happened) {
            continue;
        }
        if changes_rights(resources, eye, kind, happened) {
            return Concern::Rights;
        }
        found = Concern::Maybe;
    }
    found
}

fn is_about(eye: &Eye, kind: OwnKind, happened: &Happened) -> bool {
    let subject = &eye.subject;
    let urn = || kind.urn(happened.id);
    match kind {
        OwnKind::User => urn() == subject.user(),
        OwnKind::Org => urn() == subject.org(),
        OwnKind::Role => subject.roles().contains(&urn()),
        // What is published is for tenants.
        OwnKind::Bundle => !subject.is_provider(),
        OwnKind::Migration => false,
    }
}

fn changes_rights(resources: &Resources, eye: &Eye, kind: OwnKind, happened: &Happened) -> bool {
    let own = OwnReader { resources, kind };
    let now = match &happened.became {
        Became::There(decoded) => Some(&decoded.stored),
        Became::Unreadable(_) | Became::Gone(_) => None,
    };
    let before = happened.before.as_ref();
    match kind {
        // Disabled or not: that ends streams, and says nothing of what is seen.
        OwnKind::Org | OwnKind::Migration => false,
        OwnKind::User => {
            let roles = |user: UserContent| user.roles;
            own.differ(before, now, roles)
        }
        OwnKind::Role => own.differ(before, now, |role: RoleContent| {
            (role.holds, relevant(eye, &role.rights))
        }),
        OwnKind::Bundle => {
            let given = |bundle: BundleContent| {
                // Rights that don't reach the organization count as none: publishing a bundle and
                // changing its rights are one comparison.
                let reaches = published(&bundle).includes(eye.subject.org());
                reaches.then(|| relevant(eye, &bundle.rights))
            };
            match (before, now) {
                // Made just now: what it gave before is nothing.
                (None, Some(now)) => match own.read::<BundleContent>(now) {
                    Some(bundle) => given(bundle).is_some_and(|rights| rights != NOTHING),
                    None => true,
                },
                _ => own.differ(before, now, given),
            }
        }
    }
}

/// No right of the type, and none to manage any definition.
const NOTHING: (coeval_access::TypeRights, bool) = (coeval_access::TypeRights::NONE, false);

/// The rights that decide what is seen of the type.
fn relevant(eye: &Eye, names: &[String]) -> (coeval_access::TypeRights, bool) {
    let rights = Rights::from_names(names.iter().map(String::as_str));
    let of_type = type_name(&eye.state.key).map(|of| rights.of_type(of));
    (
        of_type.unwrap_or_default(),
        rights.has(GeneralRight::ManageAnyDefinition),
    )
}

/// Reads resources of one own kind, whatever version they were stored at.
struct OwnReader<'a> {
    resources: &'a Resources,
    kind: OwnKind,
}

impl OwnReader<'_> {
    fn read<T: DeserializeOwned>(&self, stored: &Stored) -> Option<T> {
        let state = self.resources.types.loaded(&self.kind.of())?;
        let spoken = self.resources.spoken(&state, stored).ok()?;
        read_content(&spoken).ok()
    }

    /// Whether the two differ in that; what can't be read does.
    fn differ<T: DeserializeOwned, P: PartialEq>(
        &self,
        before: Option<&Stored>,
        now: Option<&Stored>,
        part: impl Fn(T) -> P,
    ) -> bool {
        let read = |stored: Option<&Stored>| stored.and_then(|one| self.read(one)).map(&part);
        match (read(before), read(now)) {
            (Some(before), Some(now)) => before != now,
            // A new list too many costs little; a missed change of rights is never noticed.
            _ => true,
        }
    }
}
