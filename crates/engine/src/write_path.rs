//! Writes to any resource. One of the kind `migration` declares what goes on in the background, and is
//! written there; all others are written as resources.

use crate::Engine;
use coeval_access::ResourceAction;
use coeval_background::migrations::resources::is_migration;
use coeval_catalog::caller::Caller;
use coeval_core::version::Uuid;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use coeval_resources::read::Target;
use coeval_resources::resource::Changed;
use coeval_resources::write::delete::{Delete, Deleted};
use coeval_resources::write::request::{Create, Update, Updated};
use coeval_storage::{ReadRequest, Revision};

impl Engine {
    /// Creates a resource and runs the hook of its type version. With a hook it is not resolved
    /// before that has succeeded, whatever was asked for; the answer's task goes on with it.
    ///
    /// # Errors
    /// If the name is taken, the content does not fit, or the caller may not; or the hook is to be
    /// skipped and the caller may not; or it can't be run.
    pub async fn create(
        &self,
        caller: &Caller,
        of: &TypeKey,
        create: Create,
    ) -> Result<Changed, EngineError> {
        if is_migration(of) {
            return self.create_migration(caller, &create).await;
        }
        self.resources().create(caller, of, create).await
    }

    /// Changes a resource and runs the hooks of its type version.
    ///
    /// # Errors
    /// If it is not there or not visible, the content does not fit, or the caller may not. A conflict says
    /// which revision it has by now and where it differs. Hooks are to be skipped and the caller may not;
    /// or one can't be run.
    pub async fn update(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        update: &Update,
    ) -> Result<Updated, EngineError> {
        if is_migration(of) {
            update.check_revision()?;
            let changed = self.update_migration(caller, target, update).await?;
            return Ok(Updated::Done(Box::new(changed), None));
        }
        self.resources().update(caller, of, target, update).await
    }

    /// Deletes a resource and runs the hooks of its type version.
    ///
    /// # Errors
    /// If it is not there or not visible, the caller may not, or its state or its revision forbids it.
    pub async fn delete(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        delete: impl Into<Delete>,
    ) -> Result<Deleted, EngineError> {
        let delete = delete.into();
        if is_migration(of) {
            let forgotten = self.forget_migration(caller, target, delete.revision);
            return Ok(Deleted::Done(forgotten.await?));
        }
        self.resources().delete(caller, of, target, delete).await
    }

    /// Writes an earlier revision again: its content at its version, on condition that the present
    /// one is still that which was read. What restricted fields hold stays for those who can't see
    /// them.
    ///
    /// # Errors
    /// If that revision is not kept, or the present one is another; and as [`Engine::update`], whose
    /// hooks run here as well.
    pub async fn restore(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        revision: Revision,
        present: Option<Revision>,
    ) -> Result<Updated, EngineError> {
        let planned = self.plan_restore(caller, of, target, revision, present);
        let (id, update) = planned.await?;
        self.update(caller, of, &Target::Id(id), &update).await
    }

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

    async fn may_see(&self, caller: &Caller, of: &TypeKey, id: Uuid) -> Result<bool, EngineError> {
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
