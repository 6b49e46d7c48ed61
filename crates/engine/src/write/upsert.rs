//! Changing a resource, or making it where there is none.

use crate::attempts::Attempts;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::keys::TypeKey;
use crate::read::Target;
use crate::write::{Create, Update, Updated};
use coeval_access::ResourceAction;
use coeval_storage::ReadRequest;

impl Engine {
    /// Changes the resource of that name, or makes it, and runs the hooks of its type version.
    ///
    /// # Errors
    /// As [`Engine::update`] and [`Engine::create`].
    pub async fn upsert(
        &self,
        caller: &Caller,
        of: &TypeKey,
        create: Create,
        update: &Update,
    ) -> Result<Updated, EngineError> {
        let org = create
            .org
            .clone()
            .unwrap_or_else(|| caller.org().to_owned());
        let name = create.name.clone();
        let target = Target::Name { org, name };
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            match self.update(caller, of, &target, update).await {
                Err(EngineError::NotFound { .. }) => {}
                other => return other,
            }
            match self.create(caller, of, create.clone()).await {
                Err(EngineError::AlreadyExists { id, what }) => {
                    // Made by somebody else meanwhile; or it is there and may not be seen.
                    if !self.may_see(caller, of, id).await? {
                        return Err(EngineError::AlreadyExists { id, what });
                    }
                }
                made => {
                    let made = made?;
                    let task = made.task.clone();
                    return Ok(Updated::Done(Box::new(made), task));
                }
            }
        }
    }

    async fn may_see(
        &self,
        caller: &Caller,
        of: &TypeKey,
        id: coeval_core::version::Uuid,
    ) -> Result<bool, EngineError> {
        match self
            .find(caller, of, &Target::Id(id), ResourceAction::Modify)
            .await
        {
            Ok(_) => Ok(true),
            // Gone again: another round.
            Err(EngineError::NotFound { .. }) => {
                let fetched = self.fetch(of, id, ReadRequest::default()).await?;
                Ok(fetched.stored.is_none())
            }
            Err(EngineError::Denied(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
