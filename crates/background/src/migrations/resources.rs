//! A migration that is declared, changed or forgotten as any resource is.

use crate::background::Background;
use crate::migrations::content::MigrationContent;
use coeval_access::GeneralRight;
use coeval_catalog::allow::SYSTEM_ORG;
use coeval_catalog::caller::Caller;
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::WantedView;
use coeval_core::decide::WantedVersion;
use coeval_core::types::Visibility;
use coeval_core::version::Version;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::error::EngineError;
use coeval_records::error::migrations::MigrationError;
use coeval_records::keys::TypeKey;
use coeval_resources::identity::own::Own;
use coeval_resources::read::Target;
use coeval_resources::resource::Changed;
use coeval_resources::write::moving::move_record;
use coeval_resources::write::request::{Create, Update};
use coeval_storage::{Revision, Token};
use serde_json::Value;

/// Whether a type is the kind of migrations.
pub fn is_migration(of: &TypeKey) -> bool {
    *of == OwnKind::Migration.of()
}

impl Background {
    /// Begins a migration that somebody declared.
    pub async fn create_migration(
        &self,
        caller: &Caller,
        create: &Create,
    ) -> Result<Changed, EngineError> {
        let state = self.types.current(&OwnKind::Migration.of()).await?;
        let body = self.spoken_body(&state, create.at.version(), create.content.clone())?;
        let mut content = Self::read_declaration(&create.name, &body)?;
        let name = self.begin_declared(caller, &mut content).await?;
        self.shown_migration(caller, &name, true).await
    }

    /// Changes what is wanted of a migration: nothing else of it can be changed.
    pub async fn update_migration(
        &self,
        caller: &Caller,
        target: &Target,
        update: &Update,
    ) -> Result<Changed, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let own = self.found_migration(target).await?;
            if update
                .revision
                .is_some_and(|said| said != own.stored.revision)
            {
                return Err(EngineError::Conflict {
                    current: own.stored.revision,
                    paths: Vec::new(),
                });
            }
            let present: MigrationContent = self.read_own(&own)?;
            let name = present.name();
            let Some(body) = &update.content else {
                return self.shown_migration(caller, &name, false).await;
            };
            let (state, at) = (&own.fetched.state, update.at.version());
            let body = match &update.mask {
                None => body.clone(),
                Some(mask) => {
                    // With all versions and fields: only those who manage definitions get here.
                    let wanted = WantedView::of_all(WantedVersion::Exactly(at));
                    let sees = Visibility::Private;
                    let shown = self.show(state, &own.stored, &wanted, sees, None)?.shown;
                    mask.apply(
                        serde_json::from_slice(&shown.content).unwrap_or_default(),
                        body,
                    )?
                }
            };
            let body = self.spoken_body(state, at, body)?;
            let wanted = changed(&name, &present, &body)?;
            if let Some(how) = present.has_ended() {
                return Err(MigrationError::Ended { name, how }.into());
            }
            if self.declare(caller, own, &wanted, Vec::new()).await? {
                return self.shown_migration(caller, &name, false).await;
            }
        }
    }

    /// A body as this release's code speaks of it.
    fn spoken_body(
        &self,
        state: &TypeState,
        at: Version,
        body: Value,
    ) -> Result<Value, EngineError> {
        let speaks = self.types.own().speaks(&state.key);
        if at == speaks {
            return Ok(body);
        }
        let record = state.versions.create_for(at, body, Visibility::Private)?;
        Ok(move_record(state, record, speaks, None)?.record.content)
    }

    /// Forgets a migration that has ended.
    pub async fn forget_migration(
        &self,
        caller: &Caller,
        target: &Target,
        revision: Option<Revision>,
    ) -> Result<Token, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let own = self.found_migration(target).await?;
            if revision.is_some_and(|said| said != own.stored.revision) {
                return Err(EngineError::Conflict {
                    current: own.stored.revision,
                    paths: Vec::new(),
                });
            }
            let content: MigrationContent = self.read_own(&own)?;
            // Without its declaration a running migration would stand still, and nobody could tell
            // why.
            if content.has_ended().is_none() {
                let (from, to) = (content.from, content.to);
                return Err(coeval_core::phases::PhaseRefusal::Running { from, to }.into());
            }
            let write = self.removal(caller, &own).await?;
            if let Some(written) = unless_raced(self.store.atomic_write(write).await)? {
                return Ok(written.token);
            }
        }
    }

    async fn found_migration(&self, target: &Target) -> Result<Own, EngineError> {
        let found = match target {
            Target::Id(id) => self.own(OwnKind::Migration, *id).await?,
            Target::Name { name, .. } => self.own_named(OwnKind::Migration, name).await?,
        };
        let of = OwnKind::Migration.of();
        found.ok_or_else(|| EngineError::no_resource(format!("{of} {target}")))
    }

    async fn shown_migration(
        &self,
        caller: &Caller,
        name: &str,
        created: bool,
    ) -> Result<Changed, EngineError> {
        // Through the common read, so that it is shown as any resource is.
        let target = Target::Name {
            org: SYSTEM_ORG.to_owned(),
            name: name.to_owned(),
        };
        let resource = self.get(caller, &OwnKind::Migration.of(), &target).await?;
        Ok(Changed {
            resource,
            kept: Vec::new(),
            dropped: Vec::new(),
            overrode: None,
            warnings: Vec::new(),
            created,
            task: None,
        })
    }
}

/// The present content with what a body wants of it. What the server sets is not looked at.
fn changed(
    name: &str,
    present: &MigrationContent,
    body: &Value,
) -> Result<MigrationContent, EngineError> {
    let wanted = Background::read_declaration(name, body)?;
    if wanted.meaning_changed != present.meaning_changed {
        let what = "meaningChanged is said when it begins, and stays".to_owned();
        return Err(MigrationError::Invalid { what }.into());
    }
    Ok(MigrationContent {
        observed: present.observed.clone(),
        ..wanted
    })
}
