//! The ACL of a resource: a record of its own, so that granting access is no new revision.

use crate::read::{Found, Target};
use crate::resources::Resources;
use crate::write::steps::{as_read, fenced};
use coeval_access::{Acl, AclMember, Grant, ResourceAction};
use coeval_catalog::caller::Caller;
use coeval_core::version::Uuid;
use coeval_records::acl::decode_acl;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::encode::encode;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{
    ReadRequest, RecordPut, Revision, StorageError, StoredEntry, Token, WriteAction as KeyAction,
    WriteCondition, WriteStep,
};

/// The step that stores an ACL in place of what was read. It does not expire by itself: when its
/// resource does, it says who is to be told.
pub(crate) fn step(
    id: Uuid,
    acl: &Acl,
    before: Option<Revision>,
) -> Result<WriteStep, EngineError> {
    let body = encode("an ACL", acl)?;
    let action = if acl.grants().is_empty() {
        KeyAction::Delete
    } else {
        KeyAction::Put(RecordPut {
            indexed: false,
            ..RecordPut::of(body)
        })
    };
    Ok(WriteStep {
        key: keys::acl(id)?,
        condition: before.map_or(WriteCondition::NotExists, WriteCondition::RevisionIs),
        action,
    })
}

/// The step that removes an ACL together with its resource. Who was let in since it was read would
/// not be told: so it is as it was read, or nothing is written.
pub(crate) fn removal(id: Uuid, read: Option<&StoredEntry>) -> Result<WriteStep, StorageError> {
    let condition = match read {
        None => WriteCondition::NotExists,
        Some(entry) => match entry.stored.revision() {
            Some(revision) => WriteCondition::RevisionIs(revision),
            None => WriteCondition::Exists,
        },
    };
    Ok(WriteStep {
        key: keys::acl(id)?,
        condition,
        action: KeyAction::Delete,
    })
}

/// With more grants than this an ACL before its change is not told: the record of the change would
/// be as large as the ACL, and that may be as large as a record can be.
const MOST_TOLD: usize = 1_000;

/// What is to be done with an ACL.
enum Edit<'a> {
    Set(&'a Grant),
    Remove(&'a AclMember),
}

impl Resources {
    /// Who has access beside the owner.
    ///
    /// # Errors
    /// If the caller may not see it.
    pub async fn acl(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
    ) -> Result<Acl, EngineError> {
        let found = self
            .find(caller, of, target, ResourceAction::ReadAcl)
            .await?;
        self.read_acl(&found.stored).await
    }

    /// Gives somebody access, or changes what somebody has.
    ///
    /// # Errors
    /// If the caller may not, or has less.
    pub async fn grant(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        grant: &Grant,
    ) -> Result<Token, EngineError> {
        let action = ResourceAction::ChangeAcl(grant.level);
        self.edit_acl(caller, of, target, action, &Edit::Set(grant))
            .await
    }

    /// Takes somebody's access away.
    ///
    /// # Errors
    /// If the caller may not, or has less than what it would take.
    pub async fn revoke(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        member: &AclMember,
    ) -> Result<Token, EngineError> {
        let action = ResourceAction::ChangeAcl(coeval_access::AccessLevel::ReadOnly);
        self.edit_acl(caller, of, target, action, &Edit::Remove(member))
            .await
    }

    async fn edit_acl(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        action: ResourceAction,
        edit: &Edit<'_>,
    ) -> Result<Token, EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let found = self.find(caller, of, target, action).await?;
            let Found {
                fetched,
                stored,
                level,
            } = found;
            let key = keys::acl(stored.id)?;
            let snapshot = self.store.read(ReadRequest::keys([key.clone()])).await?;
            let entry = snapshot.keys.into_iter().next().flatten();
            let before: Option<Revision> = entry.as_ref().and_then(|one| one.stored.revision());
            let mut acl = entry.as_ref().and_then(decode_acl).unwrap_or_default();
            let could = acl.clone();
            match edit {
                // Nobody gives or takes more than the level that they have themselves.
                Edit::Set(grant) => acl.set((*grant).clone(), level)?,
                Edit::Remove(member) => {
                    acl.remove(member, level)?;
                }
            }
            // The level follows from owner and version of this record. If it changes or goes
            // meanwhile, access is judged again, and no ACL is left without its resource.
            let mut write = fenced(&fetched.state).when(&fetched.key, as_read(&stored));
            write.steps.push(step(stored.id, &acl, before)?);
            let mut deed = Deed::of_resource(What::ChangeAcl, of, stored.id, &stored.header);
            deed.before = Some(stored.revision.to_string());
            deed.paired = stored.paired;
            // Watchers judge with the ACL before the change whether they could see it: who could
            // and can't now is told that it left.
            deed.acl = (could.grants().len() <= MOST_TOLD).then_some(could);
            deed.note = Some(match edit {
                Edit::Set(grant) => format!("{} for {}", grant.level.name(), grant.member),
                Edit::Remove(member) => format!("nothing for {member}"),
            });
            let audit = self.audit_step(caller, &deed)?;
            // An ACL without grants is no record, so its key can't tell whether this happened.
            let head = audit.key.clone();
            write.steps.push(audit);
            if let Some(written) = unless_raced(self.commit(&head, write).await)? {
                return Ok(written.token);
            }
        }
    }
}
