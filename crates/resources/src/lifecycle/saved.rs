//! A change that waits for a hook, as it is kept with its task. Where the type has secure fields
//! it is sealed, because it may bring some.

use crate::lifecycle::hooks::Hooks;
use crate::resources::Resources;
use crate::write::mask::FieldMask;
use crate::write::request::{Checking, MetaEdit, Update};
use crate::write::undeclared::Undeclared;
use coeval_catalog::types::state::TypeState;
use coeval_core::decide::StoreAt;
use coeval_core::version::{Uuid, WriteVersion};
use coeval_records::error::EngineError;
use coeval_records::error::tasks::TaskError;
use coeval_records::header::State;
use coeval_records::seal::context::{Context, Purpose};
use coeval_records::seal::secret_error::SecretError;
use coeval_storage::{Revision, UnixMillis};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The most bytes of it: with the task they fit into a record.
const LONGEST: usize = 400 * 1024;

/// What is sealed is bound to its task, and to this use.
const PLACE: &[u8] = b"update";

/// Something that may be said, and may be nothing.
type Said<T> = Vec<Option<T>>;

/// A change, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedUpdate {
    revision: Option<String>,
    at: String,
    store_at: String,
    /// None or one: a null is content too.
    content: Vec<Value>,
    mask: Option<Vec<Vec<String>>>,
    force: bool,
    checking: String,
    name: Option<String>,
    #[serde(default)]
    unique: bool,
    owner: Option<String>,
    labels: Option<BTreeMap<String, String>>,
    description: Said<String>,
    sub_kind: Said<String>,
    external_id: Said<String>,
    expires: Said<i64>,
    state: Option<State>,
    message: Said<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    applied: Option<Vec<String>>,
}

fn said<T: Clone>(said: &Option<Option<T>>) -> Said<T> {
    said.clone().into_iter().collect()
}

fn unsaid<T>(said: Said<T>) -> Option<Option<T>> {
    said.into_iter().next()
}

impl SavedUpdate {
    pub(crate) fn of(update: &Update) -> Self {
        let meta = &update.meta;
        Self {
            revision: update.revision.map(|revision| revision.to_string()),
            at: update.at.0.to_string(),
            store_at: match update.store_at {
                StoreAt::Set => "set",
                StoreAt::Unchanged => "unchanged",
                StoreAt::Unsaid => "unsaid",
            }
            .to_owned(),
            content: update.content.clone().into_iter().collect(),
            mask: update.mask.as_ref().map(FieldMask::paths),
            force: update.force,
            checking: match update.checking {
                Checking::Later => "later",
                Checking::Resolve => "resolve",
                Checking::Strict => "strict",
            }
            .to_owned(),
            name: meta.name.clone(),
            unique: meta.unique,
            owner: meta.owner.clone(),
            labels: meta.labels.clone(),
            description: said(&meta.description),
            sub_kind: said(&meta.sub_kind),
            external_id: said(&meta.external_id),
            expires: said(&meta.expires.map(|expires| expires.map(|at| at.0))),
            state: meta.state,
            message: said(&meta.message),
            applied: meta.applied.clone(),
        }
    }

    pub(crate) fn into_update(self) -> Option<Update> {
        Some(Update {
            revision: self.revision.as_deref().map(Revision::from_opaque),
            // Whether one was needed was judged before; the one that was given is compared again.
            needs_revision: false,
            at: WriteVersion::parse(&self.at).ok()?,
            store_at: match self.store_at.as_str() {
                "set" => StoreAt::Set,
                "unchanged" => StoreAt::Unchanged,
                _ => StoreAt::Unsaid,
            },
            content: self.content.into_iter().next(),
            mask: self.mask.map(FieldMask::of_paths),
            meta: MetaEdit {
                name: self.name,
                unique: self.unique,
                owner: self.owner,
                labels: self.labels,
                description: unsaid(self.description),
                sub_kind: unsaid(self.sub_kind),
                external_id: unsaid(self.external_id),
                expires: unsaid(self.expires).map(|expires| expires.map(UnixMillis)),
                state: self.state,
                message: unsaid(self.message),
                applied: self.applied,
            },
            force: self.force,
            checking: match self.checking.as_str() {
                "later" => Checking::Later,
                "resolve" => Checking::Resolve,
                _ => Checking::Strict,
            },
            // It was judged before it was saved.
            undeclared: Undeclared::Accept,
            // Its task has run the one that comes before it, and none follows.
            hooks: Hooks::Run,
        })
    }
}

impl Resources {
    pub(crate) fn save_update(
        &self,
        state: &TypeState,
        task: Uuid,
        update: &SavedUpdate,
    ) -> Result<Vec<u8>, EngineError> {
        let plain = coeval_records::encode::encode("an update", update)?;
        let bytes = match &self.settings.keyring {
            Some(keyring) if state.has_secure => {
                let place = task.0.to_be_bytes();
                let parts: [&[u8]; 2] = [PLACE, &place];
                let sealed = keyring.seal(&Context::new(Purpose::Secret, &parts), &plain);
                sealed.map_err(SecretError::from)?
            }
            _ => plain,
        };
        if bytes.len() > LONGEST {
            return Err(TaskError::TooLarge {
                what: "input",
                size: bytes.len(),
                limit: LONGEST,
            }
            .into());
        }
        Ok(bytes)
    }

    pub fn saved_update(&self, task: Uuid, saved: &[u8]) -> Result<Update, EngineError> {
        let opened;
        let plain = match (saved.first(), &self.settings.keyring) {
            // JSON begins so, and sealed bytes with the number of their format: the two can't be
            // mistaken.
            (Some(b'{'), _) => saved,
            (_, None) => return Err(SecretError::NoKey.into()),
            (_, Some(keyring)) => {
                let place = task.0.to_be_bytes();
                let parts: [&[u8]; 2] = [PLACE, &place];
                let plain = keyring.open(&Context::new(Purpose::Secret, &parts), saved);
                opened = plain.map_err(SecretError::from)?;
                &opened
            }
        };
        let update: Option<SavedUpdate> = serde_json::from_slice(plain).ok();
        let unreadable = || TaskError::Unreadable {
            id: task,
            reason: "the change that it was to make can't be read".to_owned(),
        };
        let update = update.and_then(SavedUpdate::into_update);
        Ok(update.ok_or_else(unreadable)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_change_reads_back_as_it_was_kept() {
        let mut update = Update::new(coeval_core::version::Version::new(1, 2, 0), json!({"a": 1}));
        update.at = WriteVersion::downgraded(coeval_core::version::Version::new(1, 2, 3));
        update.revision = Some(Revision::from_bytes([7; 16]));
        update.store_at = StoreAt::Set;
        update.mask = FieldMask::parse(["/a/b", ""]).ok();
        update.force = true;
        update.checking = Checking::Later;
        update.meta = MetaEdit {
            name: Some("n".into()),
            unique: true,
            owner: None,
            labels: Some(BTreeMap::from([("k".into(), "v".into())])),
            description: Some(None),
            sub_kind: None,
            external_id: Some(Some("x".into())),
            expires: Some(Some(UnixMillis(5))),
            state: Some(State::InDeletion),
            message: Some(None),
            applied: Some(vec!["/a".into()]),
        };
        for update in [
            update,
            Update::new(coeval_core::version::Version::new(1, 0, 0), json!(null)),
        ] {
            let text = serde_json::to_string(&SavedUpdate::of(&update)).unwrap();
            let saved: SavedUpdate = serde_json::from_str(&text).unwrap();
            let back = saved.into_update().unwrap();
            // It is judged before it is kept, not again afterwards.
            let update = Update {
                undeclared: Undeclared::Accept,
                ..update
            };
            assert_eq!(format!("{back:?}"), format!("{update:?}"));
        }
    }
}
