//! What somebody may do with a resource and why, and whether a type can be seen at all.

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::identity::IdentityError;
use crate::keys::TypeKey;
use crate::kinds::OwnKind;
use crate::read::Target;
use crate::visible_versions::sees_any;
use coeval_access::{AccessExplanation, ResourceAction};

impl Engine {
    /// Why a user may or may not do something with a resource; without a user, the caller.
    ///
    /// # Errors
    /// If the caller may not know, or there is no such user.
    pub async fn explain_user(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        user: Option<&str>,
        action: ResourceAction,
    ) -> Result<AccessExplanation, EngineError> {
        let own = self
            .explain(caller, of, target, &caller.subject, action)
            .await?;
        let Some(user) = user.filter(|user| *user != caller.user()) else {
            return Ok(own);
        };
        let unknown = || IdentityError::UserUnknown {
            what: user.to_owned(),
        };
        let id = OwnKind::User.id(user).ok_or_else(unknown)?;
        let seen = match caller.seen {
            Some(seen) => seen,
            None => self.seen().await?,
        };
        let known = match self.known_user(id, seen).await {
            Err(EngineError::Identity(IdentityError::TokenInvalid)) => return Err(unknown().into()),
            other => other?,
        };
        self.explain(caller, of, target, &known.subject, action)
            .await
    }

    /// Whether the caller sees any version of a type. No read, unless it seems that it does not.
    ///
    /// # Errors
    /// If there is no such type, or the store fails.
    pub async fn sees_type(&self, caller: &Caller, of: &TypeKey) -> Result<bool, EngineError> {
        // What was loaded may be outdated: nobody is refused by that.
        let loaded = self.types.get(of).await?;
        if sees_any(&loaded, &caller.subject) {
            return Ok(true);
        }
        let state = self.types.current(of).await?;
        Ok(sees_any(&state, &caller.subject))
    }
}
