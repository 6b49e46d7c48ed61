//! Records of what was done: who, what, to which resource, at which version. Each is part of the
//! atomic write that it tells of, and has that write's revision.
//!
//! They are not only for people. A watch learns from them what was done to a resource and who could see
//! it before; and a removal, which leaves no record of its own, is found out by its audit record if
//! nobody knows whether it happened. So a deed holds what those need, even where a log would not.

use crate::error::EngineError;
use crate::header::{Header, Time};
use crate::keys::{self, TypeKey};
use crate::records::Records;
use coeval_access::Acl;
use coeval_core::types::TypeVersionId;
use coeval_core::version::Uuid;
use coeval_storage::{
    Key, KeySpan, RecordPut, Revision, StoredValue, WriteAction, WriteCondition, WriteStep,
};
use serde::{Deserialize, Serialize};
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
    pub acl: Option<Acl>,
    /// Where they are others now: its owner and its version before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<Was>,
    /// It takes part in the migration of its type: whoever sees either major can be told. Nothing else
    /// in the write says so where only the new record was there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paired: bool,
}

/// What decided before who could see a resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Was {
    pub owner: String,
    pub stored: String,
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
    pub fn after(mut self, before: &Header, now: &Header) -> Self {
        if before.owner != now.owner || before.version != now.version {
            self.was = Some(Was {
                owner: before.owner.clone(),
                stored: before.version.to_string(),
            });
        }
        self
    }

    /// On a type version.
    pub fn of_type(what: What, id: &TypeVersionId) -> Self {
        Self {
            version: Some(id.version.to_string()),
            ..Self::new(what, format!("{}:{}", id.vendor, id.nss))
        }
    }

    /// On something that is neither a resource nor a type version.
    pub fn other(what: What, of: &str) -> Self {
        Self::new(what, of.to_owned())
    }

    /// On a resource.
    pub fn of_resource(what: What, of: &TypeKey, id: Uuid, header: &Header) -> Self {
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
    // The counter alone has to be in order; nothing else is read by it.
    let order = MADE.fetch_add(1, Ordering::Relaxed);
    let random = u128::from_be_bytes(*Revision::draw()?.as_bytes());
    Ok((u128::from(order) << 64) | (random & u128::from(u64::MAX)))
}

/// The step that records a deed.
pub fn step(at: Time, user: &str, org: &str, deed: &Deed) -> Result<WriteStep, EngineError> {
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
        // The key is drawn for this write alone, so there is nothing to be conditioned on.
        condition: WriteCondition::Whatever,
        action: WriteAction::Put(RecordPut::of(body)),
    })
}

impl Records {
    /// Removes records of what was done before the time that they are kept for; returns how many.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn prune_audit(&self) -> Result<u64, EngineError> {
        let days = i64::from(self.settings.audit_days);
        let oldest = self.now() - days * 24 * 60 * 60 * 1000;
        // Kept for longer than since 1970: nothing is too old.
        let Ok(oldest) = u64::try_from(oldest) else {
            return Ok(0);
        };
        let all = keys::audits()?;
        let span = KeySpan {
            // Keys begin with the time, so no record has to be read to know its age.
            end: keys::audit(oldest, 0)?.to_bytes(),
            ..all
        };
        Ok(self.store.delete_range(span).await?)
    }
}

pub fn read_audit(key: &Key, stored: &StoredValue) -> Option<AuditRecord> {
    let record = stored.record()?;
    let text = std::str::from_utf8(key.as_bytes()).ok()?;
    Some(AuditRecord {
        deed: serde_json::from_slice(&record.content.body).ok()?,
        // An atomic write has one revision, so this is also that of the resource.
        after: record.revision,
        place: text.strip_prefix("u/")?.to_owned(),
    })
}

/// The deed that an event tells of.
pub fn deed_of(event: &coeval_storage::KeyEvent) -> Option<Deed> {
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
