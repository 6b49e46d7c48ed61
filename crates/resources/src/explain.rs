//! What somebody may do with a resource and why, and whether a type can be seen at all.

use crate::read::Target;
use crate::resources::Resources;
use coeval_access::{
    AccessExplanation, AccessSubject, AclFacts, ResourceAction, explain, may_explain,
};
use coeval_catalog::allow::{decided, facts};
use coeval_catalog::caller::Caller;
use coeval_catalog::kinds::OwnKind;
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_records::keys::TypeKey;

impl Resources {
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
}

impl Resources {
    /// Why the caller may or may not do something with a resource, requirement by requirement.
    ///
    /// # Errors
    /// If the caller may not know.
    pub async fn explain(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &crate::read::Target,
        about: &AccessSubject,
        action: ResourceAction,
    ) -> Result<AccessExplanation, EngineError> {
        // Who can't see the resource can't ask about it, not even why not.
        let found = self.find(caller, of, target, ResourceAction::Read).await?;
        let (state, stored) = (&*found.fetched.state, &found.stored);
        let acl = self.read_acl(stored).await?;
        let asked = facts(
            caller.subject.as_ref(),
            state,
            stored,
            AclFacts::Loaded(&acl),
        )?;
        decided(may_explain(&caller.subject, about.user(), &asked))?;
        let told = facts(about, state, stored, AclFacts::Loaded(&acl))?;
        Ok(explain(action, about, &told))
    }
}
