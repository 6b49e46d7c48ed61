//! Changing a resource: at its version or at another, all of it or a part.

use crate::read::{Found, Target};
use crate::resource::Changed;
use crate::resources::Resources;
use crate::write::join::join;
use crate::write::plan_update::PlannedUpdate;
use crate::write::request::{Update, Updated};
use coeval_access::ResourceAction;
use coeval_catalog::caller::Caller;
use coeval_catalog::visible_versions::WantedView;
use coeval_core::decide::WantedVersion;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use coeval_storage::WriteStep;

impl Resources {
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
        update.check_revision()?;
        coeval_catalog::kinds::not_own(of)?;
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
    pub async fn attempt(
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
        // Background workers slow down by what callers wait for, and that is the commit.
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
