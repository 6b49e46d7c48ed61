//! The names behind ids, for showing resources: whoever may see a resource may know what its owner
//! and its organization are called.

use crate::identity::open::SYSTEM_USER;
use crate::identity::own::Own;
use crate::resources::Resources;
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::content::{RoleContent, UserContent};
use coeval_catalog::kinds::OwnKind;
use coeval_records::error::EngineError;
use std::sync::Arc;

impl Resources {
    /// What a user, a role, an organization or a bundle is called, by its id; nothing if it is
    /// gone. Remembered until something about identity changes.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn name_of(
        &self,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<Arc<str>>, EngineError> {
        if id == SYSTEM_USER {
            return Ok(Some("system".into()));
        }
        let seen = match caller.seen {
            Some(seen) => seen,
            None => self.seen().await?,
        };
        let names = &self.identity.subjects.names;
        if let Some((at, name)) = names.get(id)
            && at == seen
        {
            return Ok(Some(name));
        }
        let kinds = OwnKind::ALL.into_iter();
        let found = kinds.filter(|_| id.starts_with("urn:")).find_map(|kind| {
            let id = kind.id(id)?;
            Some((kind, id))
        });
        let Some((kind, uuid)) = found else {
            return Ok(None);
        };
        let Some(own) = self.own(kind, uuid).await? else {
            return Ok(None);
        };
        let name: Arc<str> = self.own_name(kind, own)?.into();
        names.insert(id.to_owned(), (seen, Arc::clone(&name)));
        Ok(Some(name))
    }

    fn own_name(&self, kind: OwnKind, own: Own) -> Result<String, EngineError> {
        Ok(match kind {
            OwnKind::User => self.read_own::<UserContent>(&own)?.username,
            OwnKind::Role => self.read_own::<RoleContent>(&own)?.rolename,
            OwnKind::Org | OwnKind::Bundle | OwnKind::Migration => own.stored.header.name,
        })
    }
}
