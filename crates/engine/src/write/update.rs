//! Changing a resource: at its version or at another, all of it or a part.

use super::create::Checking;
use super::join::join;
use super::mask::FieldMask;
use super::metadata::MetaEdit;
use super::plan_update::PlannedUpdate;
use super::undeclared::Undeclared;
use crate::attempts::{Attempts, unless_raced};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::keys::TypeKey;
use crate::lifecycle::Hooks;
use crate::migrations::is_migration;
use crate::read::{Found, Target};
use crate::resource::Changed;
use crate::tasks::Task;
use crate::visible_versions::WantedView;
use coeval_access::ResourceAction;
use coeval_core::decide::{StoreAt, WantedVersion};
use coeval_core::version::{Version, WriteVersion};
use coeval_storage::{Revision, WriteStep};
use serde_json::Value;

/// A change of a resource.
#[derive(Clone, Debug)]
pub struct Update {
    /// The revision that was read.
    pub revision: Option<Revision>,
    /// Whether one must be given.
    pub needs_revision: bool,
    /// The version of the content, with its mark if it has one.
    pub at: WriteVersion,
    /// At which version it is to be stored.
    pub store_at: StoreAt,
    /// The content; nothing: it stays.
    pub content: Option<Value>,
    /// Only these fields of it.
    pub mask: Option<FieldMask>,
    /// Metadata.
    pub meta: MetaEdit,
    /// Whether the caller insists.
    pub force: bool,
    /// What happens to content that does not fit.
    pub checking: Checking,
    /// What becomes of fields that the version does not declare.
    pub undeclared: Undeclared,
    /// Whether the hooks of the type version run.
    pub hooks: Hooks,
}

/// What came of a change.
#[derive(Clone, Debug)]
pub enum Updated {
    /// It is made; the task runs the hook that follows it, if there is one.
    Done(Box<Changed>, Option<Task>),
    /// The task makes it, after a hook.
    Accepted(Task),
}

impl Updated {
    /// The change, unless it waits for a hook.
    #[must_use]
    pub fn done(self) -> Option<Changed> {
        match self {
            Self::Done(changed, _) => Some(*changed),
            Self::Accepted(_) => None,
        }
    }
}

impl Update {
    /// Of the whole content, at a version.
    #[must_use]
    pub fn new(at: Version, content: Value) -> Self {
        Self {
            revision: None,
            needs_revision: false,
            at: WriteVersion::plain(at),
            store_at: StoreAt::Unsaid,
            content: Some(content),
            mask: None,
            meta: MetaEdit::default(),
            force: false,
            checking: Checking::Strict,
            undeclared: Undeclared::Warn,
            hooks: Hooks::Run,
        }
    }

    /// The same, on condition of a revision.
    #[must_use]
    pub fn on(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }
}

impl Engine {
    /// Changes a resource and runs the hooks of its type version: `PreDelete` before a change that
    /// begins its deletion, `PostUpdate` after any other.
    ///
    /// # Errors
    /// A conflict says which revision it has by now and where it differs. Hooks are to be skipped and the
    /// caller may not; or one can't be run.
    pub async fn update(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        update: &Update,
    ) -> Result<Updated, EngineError> {
        if update.needs_revision && update.revision.is_none() && update.mask.is_none() {
            return Err(EngineError::RevisionNeeded);
        }
        if is_migration(of) {
            let changed = self.update_migration(caller, target, update).await?;
            return Ok(Updated::Done(Box::new(changed), None));
        }
        crate::kinds::not_own(of)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let found = self
                .find(caller, of, target, ResourceAction::Modify)
                .await?;
            let outcome = self.attempt_hooked(caller, &found, update).await;
            let outcome = self.unless_edited(&found.fetched.state, outcome).await;
            if let Some(updated) = unless_raced(outcome)?.flatten() {
                return Ok(updated);
            }
        }
    }

    /// One attempt at a change of what has no hooks, the engine's own kinds; `more` joins its atomic write.
    pub(crate) async fn attempt(
        &self,
        caller: &Caller,
        found: Found,
        update: &Update,
        more: Vec<WriteStep>,
    ) -> Result<Changed, EngineError> {
        let mut planned = self.plan_update(caller, &found, update).await?;
        join(&mut planned.write.steps, more)?;
        self.finish_update(caller, &found, update, planned).await
    }

    /// Writes a planned update, and shows what came of it.
    pub(crate) async fn finish_update(
        &self,
        caller: &Caller,
        found: &Found,
        update: &Update,
        planned: PlannedUpdate,
    ) -> Result<Changed, EngineError> {
        let (state, level) = (&*found.fetched.state, found.level);
        let PlannedUpdate {
            mut after, whole, ..
        } = planned;
        let since = std::time::Instant::now();
        let written = self.commit(&planned.head, planned.write).await?;
        self.pulse.beat(since.elapsed());
        after.revision = written.revision;
        let wanted = match &whole {
            Some(_) => WantedView::of_all(WantedVersion::Exactly(update.at.version())),
            None => caller.wanted_view(state),
        };
        // What was written can be shown at the version that it was written at; if not even that
        // works, at the stored one.
        let token = written.token;
        let shown = match &whole {
            None => {
                let stored = after.clone();
                self.resource_of(state, stored, &wanted, level, token).await
            }
            opened => {
                let stored = after.clone();
                self.resource(state, stored, &wanted, level, token, opened.as_ref())
            }
        };
        let resource = match shown {
            Ok(resource) => resource,
            Err(_) => {
                let wanted = WantedView::of_all(WantedVersion::Stored);
                self.resource(state, after, &wanted, level, token, whole.as_ref())?
            }
        };
        Ok(Changed {
            resource,
            kept: planned.kept,
            dropped: planned.dropped,
            overrode: planned.overrode,
            warnings: planned.warnings,
            created: false,
            task: None,
        })
    }
}
