//! A user who is known by name alone: somebody else, such as the listener that verified a
//! certificate, vouches for who it is. There is no session.

use crate::resources::Resources;
use coeval_catalog::caller::{Caller, WantedVersions};
use coeval_catalog::identity::content::UserContent;
use coeval_catalog::identity::names;
use coeval_catalog::identity::seen::{Seen, identity_key};
use coeval_catalog::kinds::OwnKind;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_storage::ReadRequest;

impl Resources {
    /// The caller of a request whose sender was proven to be that user of that organization;
    /// nothing if there is no such user, or it or its organization is disabled.
    ///
    /// # Errors
    /// If the user may not act for the organization in `context`.
    pub async fn caller_named(
        &self,
        org: &str,
        user: &str,
        context: Option<&str>,
        wanted: WantedVersions,
    ) -> Result<Option<Caller>, EngineError> {
        let snapshot = self
            .store
            .read(ReadRequest::keys([identity_key()?]))
            .await?;
        let identity = snapshot.keys.into_iter().next().flatten();
        let seen = Seen(identity.and_then(|entry| entry.stored.revision()));
        let Some(id) = self.user_named(org, user, seen).await? else {
            return Ok(None);
        };
        match self.known_user(id, seen).await {
            Ok(known) => {
                let subject = known.subject.clone();
                self.acting(seen, subject, context, wanted).await.map(Some)
            }
            // Disabled, or deleted since: there is no token here that could be invalid.
            Err(EngineError::Identity(IdentityError::TokenInvalid)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Names are looked up once for each state of identity.
    async fn user_named(
        &self,
        org: &str,
        user: &str,
        seen: Seen,
    ) -> Result<Option<Uuid>, EngineError> {
        // With the length no two pairs have the same key, whatever characters are in them.
        let pair = format!("{}/{org}/{user}", org.len());
        if let Some((at, id)) = self.identity.subjects.ids.get(&pair)
            && at == seen
        {
            return Ok(Some(id));
        }
        let Some(org) = self.own_named(OwnKind::Org, org).await? else {
            return Ok(None);
        };
        let name = names::within(&org.stored.header.name, user);
        let Some(own) = self.own_named(OwnKind::User, &name).await? else {
            return Ok(None);
        };
        let content: UserContent = self.read_own(&own)?;
        // The name is only how it was found; the user's own record says whose it is.
        if content.org != OwnKind::Org.urn(org.stored.id) {
            return Ok(None);
        }
        let id = own.stored.id;
        self.identity.subjects.ids.insert(pair, (seen, id));
        Ok(Some(id))
    }
}
