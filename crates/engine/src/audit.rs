//! Records of what was done: who, what, to which resource, at which version. Each is part of the
//! atomic write that it tells of, and has that write's revision.

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::header::{Header, Time};
use crate::keys::{self, TypeKey};
use crate::kinds::VENDOR;
use crate::visible_versions::VisibleVersions;
use coeval_access::{Acl, GeneralRight};
use coeval_core::types::TypeVersionId;
use coeval_core::version::{Uuid, Version};
use coeval_storage::{
    Key, KeySpan, ReadRange, RecordPut, Revision, StoredValue, WriteAction, WriteCondition,
    WriteStep,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum What {
    Create,
    Update,
    Resolve,
    Delete,
    Expire,
    ChangeAcl,
    ChangeEntries,
    ReadSecrets,
    RegisterType,
    EditType,
    DeleteType,
    ChangeTypeAcl,
    DefineInterface,
    EditInterface,
    DeleteInterface,
    Publish,
    Unpublish,
    Login,
    LoginFailed,
    Logout,
    Migrate,
    MovePhase,
    Invoke,
    RotateKey,
    Repair,
}

/// One deed, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deed {
    /// When.
    #[serde(default)]
    pub at: Time,
    /// By whom.
    #[serde(default)]
    pub user: String,
    /// In which organization the caller acted.
    #[serde(default)]
    pub caller_org: String,
    /// What.
    pub what: What,
    /// The type.
    #[serde(rename = "type")]
    pub of: String,
    /// The version at which the caller wrote, or the type version concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The version that is stored afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<String>,
    /// The resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub org: Option<String>,
    /// Its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The revision before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What force overrode, or what else there is to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// With a deletion or a change of its ACL: who could see it before, so that watchers can be
    /// told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) acl: Option<Acl>,
    /// Where they are others now: its owner and its version before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) was: Option<Was>,
    /// It takes part in the migration of its type: whoever sees either major can be told. Nothing else
    /// in the write says so where only the new record was there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) paired: bool,
}

/// What decided before who could see a resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Was {
    pub(crate) owner: String,
    pub(crate) stored: String,
}

/// A deed as it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditRecord {
    /// What was done.
    pub deed: Deed,
    /// The revision afterwards; that of the whole atomic write.
    pub after: Revision,
    /// Where the next page begins.
    pub place: String,
}

impl Deed {
    fn new(what: What, of: String) -> Self {
        Self {
            at: 0,
            user: String::new(),
            caller_org: String::new(),
            what,
            of,
            version: None,
            stored: None,
            id: None,
            name: None,
            org: None,
            owner: None,
            before: None,
            note: None,
            acl: None,
            was: None,
            paired: false,
        }
    }

    /// Notes whose it was, and at which version, if that changes.
    pub(crate) fn after(mut self, before: &Header, now: &Header) -> Self {
        if before.owner != now.owner || before.version != now.version {
            self.was = Some(Was {
                owner: before.owner.clone(),
                stored: before.version.to_string(),
            });
        }
        self
    }

    /// On a type version.
    pub(crate) fn of_type(what: What, id: &TypeVersionId) -> Self {
        Self {
            version: Some(id.version.to_string()),
            ..Self::new(what, format!("{}:{}", id.vendor, id.nss))
        }
    }

    /// On something that is neither a resource nor a type version.
    pub(crate) fn other(what: What, of: &str) -> Self {
        Self::new(what, of.to_owned())
    }

    /// On a resource.
    pub(crate) fn of_resource(what: What, of: &TypeKey, id: Uuid, header: &Header) -> Self {
        Self {
            id: Some(id.to_string()),
            name: Some(header.name.clone()),
            org: Some(header.org.clone()),
            owner: Some(header.owner.clone()),
            stored: Some(header.version.to_string()),
            ..Self::new(what, of.to_string())
        }
    }
}

/// A place among the records of one millisecond. Those of one server stand in the order in which they
/// were made, so that *newest first* holds for what happens faster than the clock; the random half
/// keeps the servers apart.
fn next_place() -> Result<u128, EngineError> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let order = MADE.fetch_add(1, Ordering::Relaxed);
    let random = u128::from_be_bytes(*Revision::draw()?.as_bytes());
    Ok((u128::from(order) << 64) | (random & u128::from(u64::MAX)))
}

/// The step that records a deed.
pub(crate) fn step(at: Time, user: &str, org: &str, deed: &Deed) -> Result<WriteStep, EngineError> {
    let deed = Deed {
        at,
        user: user.to_owned(),
        caller_org: org.to_owned(),
        ..deed.clone()
    };
    let unique = next_place()?;
    let body = crate::encode::encode("an audit record", &deed)?;
    Ok(WriteStep {
        key: keys::audit(u64::try_from(at).unwrap_or_default(), unique)?,
        condition: WriteCondition::Whatever,
        action: WriteAction::Put(RecordPut::of(body)),
    })
}

impl Engine {
    /// The step that records a deed of a caller.
    pub(crate) fn audit_step(
        &self,
        caller: &Caller,
        deed: &Deed,
    ) -> Result<WriteStep, EngineError> {
        step(self.now(), caller.user(), caller.org(), deed)
    }

    /// What was done, newest first, a page at a time. `before` is the place of the last one that
    /// was seen.
    ///
    /// # Errors
    /// If the caller may not, or the store fails.
    pub async fn audit(
        &self,
        caller: &Caller,
        query: &AuditQuery,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Vec<AuditRecord>, EngineError> {
        self.allow_general(caller, GeneralRight::ViewAudit, None)?;
        let own_org = (!caller.subject.is_provider()).then(|| caller.org().to_owned());
        let mut span = keys::audits()?;
        if let Some(place) = before {
            span = span.before(&Key::new(format!("u/{place}"))?);
        }
        let mut range = ReadRange::of(span).descending();
        let mut found = Vec::new();
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let Some(record) = read_audit(&entry.key, &entry.stored) else {
                    continue;
                };
                let org = record.deed.org.as_ref().unwrap_or(&record.deed.caller_org);
                let visible = own_org.as_ref().is_none_or(|own| own == org);
                if visible && query.fits(&record.deed) {
                    found.push(record);
                }
                if found.len() >= limit {
                    return self.without_hidden(caller, found).await;
                }
            }
            match range.following(&page) {
                Some(next) => range = next,
                None => return self.without_hidden(caller, found).await,
            }
        }
    }

    /// The same without the versions that are hidden from the caller: whoever may read the audit of
    /// an organization learns of a hidden version by it no more than by anything else.
    async fn without_hidden(
        &self,
        caller: &Caller,
        mut found: Vec<AuditRecord>,
    ) -> Result<Vec<AuditRecord>, EngineError> {
        let mut visible = BTreeMap::new();
        for AuditRecord { deed, .. } in &mut found {
            if deed.version.is_none() && deed.stored.is_none() {
                continue;
            }
            if !visible.contains_key(&deed.of) {
                let of = TypeKey::parse(&deed.of).filter(|of| &*of.vendor != VENDOR);
                let versions = match of {
                    Some(of) => self.visible_of(caller, &of).await?,
                    None => VisibleVersions::ALL,
                };
                visible.insert(deed.of.clone(), versions);
            }
            let visible = visible.get(&deed.of);
            let seen = |text: &String| match Version::parse_full(text) {
                Ok(version) => visible.is_none_or(|all| all.has(version)),
                Err(_) => true,
            };
            deed.version = deed.version.take().filter(seen);
            deed.stored = deed.stored.take().filter(seen);
        }
        Ok(found)
    }

    /// The versions of a type that exist for the caller; of a type that is gone nothing is hidden.
    async fn visible_of(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<VisibleVersions, EngineError> {
        match self.types.current(of).await {
            Ok(state) => Ok(caller.visible_versions(&state)),
            Err(EngineError::TypeUnknown { .. }) => Ok(VisibleVersions::ALL),
            Err(error) => Err(error),
        }
    }

    /// Removes records of what was done before the time that they are kept for; returns how many.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn prune_audit(&self) -> Result<u64, EngineError> {
        let days = i64::from(self.settings.audit_days);
        let oldest = self.now() - days * 24 * 60 * 60 * 1000;
        let Ok(oldest) = u64::try_from(oldest) else {
            return Ok(0);
        };
        let all = keys::audits()?;
        let span = KeySpan {
            end: keys::audit(oldest, 0)?.to_bytes(),
            ..all
        };
        Ok(self.store.delete_range(span).await?)
    }
}

/// Which deeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// On this resource.
    pub id: Option<String>,
    /// By this user.
    pub user: Option<String>,
    /// On resources of this type, `acme:app`.
    pub of: Option<String>,
}

impl AuditQuery {
    fn fits(&self, deed: &Deed) -> bool {
        let same = |asked: &Option<String>, is: Option<&str>| {
            asked.as_deref().is_none_or(|asked| Some(asked) == is)
        };
        same(&self.id, deed.id.as_deref())
            && same(&self.user, Some(&deed.user))
            && same(&self.of, Some(&deed.of))
    }
}

fn read_audit(key: &Key, stored: &StoredValue) -> Option<AuditRecord> {
    let record = stored.record()?;
    let text = std::str::from_utf8(key.as_bytes()).ok()?;
    Some(AuditRecord {
        deed: serde_json::from_slice(&record.content.body).ok()?,
        after: record.revision,
        place: text.strip_prefix("u/")?.to_owned(),
    })
}

/// The deed that an event tells of.
pub(crate) fn deed_of(event: &coeval_storage::KeyEvent) -> Option<Deed> {
    let coeval_storage::KeyChange::Put(stored) = &event.change else {
        return None;
    };
    Some(read_audit(&event.key, stored)?.deed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_within_a_millisecond_stays_in_order() {
        let deed = Deed::new(What::Create, "acme:app".to_owned());
        let key = || step(7, "user", "org", &deed).unwrap().key;
        let keys: Vec<Key> = std::iter::repeat_with(key).take(100).collect();
        assert!(keys.is_sorted_by(|one, other| one.as_bytes() < other.as_bytes()));
    }
}
