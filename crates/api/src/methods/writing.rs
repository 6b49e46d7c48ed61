//! Writes, as requests ask for them.
//!
//! Every write goes through the engine's one write path: nothing here reads first and writes
//! then, except to learn the version or the answer. What is conditioned is conditioned by the
//! revision, which the write itself compares.
//!
//! Without a mask an update replaces the whole, so it needs the revision that was read. With one
//! the server merges, and the revision is the caller's choice. An upsert needs none: its caller
//! declares what is to be there. A write that a hook has to see first is accepted with a task,
//! and the answer shows the resource as it still is.

use crate::methods::ResourceMethods;
use crate::methods::body::{ResourceBody, parse_revision, parse_version};
use crate::methods::error::MethodError;
use crate::methods::mask::UpdateMask;
use crate::methods::selector::ResourceSelector;
use coeval_core::decide::StoreAt;
use coeval_core::version::WriteVersion;
use coeval_engine::jobs::UpgradeMatching;
use coeval_engine::lifecycle::Hooks;
use coeval_engine::tasks::Task;
use coeval_engine::write::{
    Checking, Create, Delete, Deleted, FieldMask, MetaEdit, Update, Updated, Upgrade,
};
use coeval_engine::{Caller, Resource, Target, TypeKey};
use coeval_filter::Filter;
use coeval_storage::{Revision, Token};

/// What a write answers.
#[derive(Clone, Debug)]
pub struct WriteOutcome {
    /// As the caller sees it now.
    pub resource: Resource,
    /// Pointers to what the write left alone because the body's version can't express it.
    pub kept: Vec<String>,
    /// Pointers to what went with deleted items.
    pub dropped: Vec<String>,
    /// What force overrode.
    pub overrode: Option<String>,
    /// What should be looked at, a sentence each.
    pub warnings: Vec<String>,
    /// Whether it was made by this write.
    pub created: bool,
    /// The task that goes on with it, if there is one: an id.
    pub task: Option<String>,
}

impl WriteOutcome {
    /// All that `coeval-warning` says.
    #[must_use]
    pub fn all_warnings(&self) -> Vec<String> {
        let forced = self.overrode.as_ref().map(|one| format!("forced: {one}"));
        forced.into_iter().chain(self.warnings.clone()).collect()
    }
}

/// Which resources are to be stored at another version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpgradeParams {
    /// The organization's name; empty: the caller's own; `-`: all.
    pub namespace: String,
    /// Those that it selects; an empty one is refused.
    pub selector: ResourceSelector,
    /// The version; empty: the newest that the caller can see.
    pub version: String,
    /// Only finds out what would happen.
    pub dry_run: bool,
}

/// What a delete answers.
#[derive(Clone, Debug)]
pub enum DeleteOutcome {
    /// It is gone.
    Done(Token),
    /// This task deletes it, with its hooks.
    Accepted(String),
}

impl ResourceMethods {
    /// Makes a resource.
    ///
    /// # Errors
    /// *Already exists* if any resource has the name, however it was made.
    pub async fn create(
        &self,
        caller: &Caller,
        of: &TypeKey,
        body: ResourceBody,
    ) -> Result<WriteOutcome, MethodError> {
        let create = self.creation(caller, body).await?;
        let made = self.engine.create(caller, of, create).await?;
        Ok(WriteOutcome {
            warnings: self.warnings(of, &made.resource, made.warnings),
            resource: made.resource,
            kept: Vec::new(),
            dropped: Vec::new(),
            overrode: None,
            created: true,
            task: made.task.as_ref().map(Task::urn),
        })
    }

    /// Changes a resource: all of it, or the fields of a mask. Without a mask the body must carry
    /// the revision that was read.
    ///
    /// # Errors
    /// *Not found* if there is none; *aborted* if it has another revision by now.
    pub async fn update(
        &self,
        caller: &Caller,
        of: &TypeKey,
        body: ResourceBody,
        mask: Option<&UpdateMask>,
        force: bool,
    ) -> Result<WriteOutcome, MethodError> {
        let target = self.target_of(caller, of, &body.meta).await?;
        let at = match (mask, body.version.is_empty()) {
            // A mask is about what the caller is shown.
            (Some(_), true) => {
                let shown = self.engine.get(caller, of, &target).await?;
                WriteVersion::plain(shown.version.version)
            }
            _ => body.written_at()?,
        };
        let mut update = edit(at, body, mask, &target)?;
        // A mask says what is meant to change, and the rest stays. Without one the whole is replaced, which is
        // safe only on what was read.
        update.needs_revision = mask.is_none();
        update.force = force;
        let updated = self.engine.update(caller, of, &target, &update).await?;
        self.updated(caller, of, &target, updated).await
    }

    /// Changes the resource of that name, or makes it.
    ///
    /// # Errors
    /// As [`ResourceMethods::create`] and [`ResourceMethods::update`]; but no revision is needed.
    pub async fn upsert(
        &self,
        caller: &Caller,
        of: &TypeKey,
        body: ResourceBody,
        force: bool,
    ) -> Result<WriteOutcome, MethodError> {
        let at = body.written_at()?;
        let target = self.target_of(caller, of, &body.meta).await?;
        let mut update = edit(at, body.clone(), None, &target)?;
        update.force = force;
        let engine = &self.engine;
        // What is named by an id, or by a revision that was read, is there or is not meant.
        let may_be_made = update.revision.is_none() && matches!(target, Target::Name { .. });
        let updated = if may_be_made {
            // The engine decides which of the two it is. Asked here, it could be created in
            // between.
            let create = self.creation(caller, body).await?;
            engine.upsert(caller, of, create, &update).await?
        } else {
            engine.update(caller, of, &target, &update).await?
        };
        self.updated(caller, of, &target, updated).await
    }

    /// Stores a resource at another version; default: the newest that the caller can see.
    ///
    /// # Errors
    /// *Not found* if there is none; *failed precondition* if its content has no counterpart there.
    pub async fn upgrade(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        version: &str,
        revision: &str,
        dry_run: bool,
    ) -> Result<WriteOutcome, MethodError> {
        let upgrade = Upgrade {
            to: parse_version(version)?,
            revision: (!revision.is_empty()).then(|| parse_revision(revision)),
            dry_run,
        };
        let updated = self.engine.upgrade(caller, of, target, &upgrade).await?;
        self.updated(caller, of, target, updated).await
    }

    /// Stores the resources that are meant at another version, in the background; and what is to be
    /// said of the filter.
    ///
    /// # Errors
    /// If nothing says which ones are meant, the filter can't be used, or there is no such version.
    pub async fn upgrade_many(
        &self,
        caller: &Caller,
        of: &TypeKey,
        asked: &UpgradeParams,
    ) -> Result<(Task, Vec<String>), MethodError> {
        if asked.selector == ResourceSelector::default() {
            // What is left out by a slip must not mean everything.
            return Err(MethodError::invalid(
                "filter is missing: say which resources are to be upgraded, name==* for all",
            ));
        }
        let org = self.scope(caller, &asked.namespace).await?;
        let upgrade = UpgradeMatching {
            // Without tests it matches all: then the stored version alone selects.
            filter: asked.selector.filter()?.unwrap_or(Filter::And(Vec::new())),
            versions: asked.selector.versions()?,
            org,
            to: parse_version(&asked.version)?,
            dry_run: asked.dry_run,
        };
        Ok(self.engine.upgrade_matching(caller, of, &upgrade).await?)
    }

    /// Writes an earlier revision of a resource again; with the present one only if it still is that.
    ///
    /// # Errors
    /// *Not found* if that revision is not kept; *aborted* if the resource has another one by now.
    pub async fn restore(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        revision: Revision,
        present: Option<Revision>,
    ) -> Result<WriteOutcome, MethodError> {
        let restored = self.engine.restore(caller, of, target, revision, present);
        self.updated(caller, of, target, restored.await?).await
    }

    /// Says how a resource is doing; its content stays.
    ///
    /// # Errors
    /// As [`ResourceMethods::update`]; but no revision is needed.
    pub async fn update_status(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        message: &str,
        revision: &str,
    ) -> Result<WriteOutcome, MethodError> {
        // Written at the stored version: no content changes, so that there is nothing to convert.
        let there = self.engine.get(caller, of, target).await?;
        // Empty takes the message away; there is no other way to say that here.
        let message = (!message.is_empty()).then(|| message.to_owned());
        let update = Update {
            revision: (!revision.is_empty()).then(|| parse_revision(revision)),
            content: None,
            store_at: StoreAt::Unchanged,
            meta: MetaEdit {
                message: Some(message),
                ..MetaEdit::default()
            },
            ..Update::new(there.header.version, serde_json::Value::Null)
        };
        let updated = self.engine.update(caller, of, target, &update).await?;
        self.updated(caller, of, target, updated).await
    }

    /// Deletes a resource; with a revision only if it has that one.
    ///
    /// # Errors
    /// *Not found* if there is none; *aborted* if it has another revision by now.
    pub async fn delete(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        revision: &str,
        force: bool,
    ) -> Result<DeleteOutcome, MethodError> {
        let delete = Delete {
            revision: (!revision.is_empty()).then(|| parse_revision(revision)),
            force,
            ..Delete::default()
        };
        Ok(
            match self.engine.delete(caller, of, target, delete).await? {
                Deleted::Done(token) => DeleteOutcome::Done(token),
                Deleted::Accepted(task) => DeleteOutcome::Accepted(task.urn()),
            },
        )
    }

    async fn creation(&self, caller: &Caller, body: ResourceBody) -> Result<Create, MethodError> {
        let at = body.written_at()?;
        let undeclared = body.undeclared();
        let meta = body.meta;
        if meta.name.is_empty() {
            return Err(MethodError::invalid("metadata.name is missing"));
        }
        // Sent as new, what was read is a slip: it would become a second resource.
        if !meta.id.is_empty() || !meta.revision.is_empty() {
            return Err(MethodError::invalid(
                "what is to be made has no id and no revision yet: leave them out",
            ));
        }
        let content = body
            .spec
            .ok_or_else(|| MethodError::invalid("spec is missing"))?;
        Ok(Create {
            at,
            org: self.namespace(caller, &meta.namespace).await?,
            labels: meta.labels,
            description: said(meta.description),
            sub_kind: said(body.sub_kind),
            expires: meta.expires,
            applied: body.applied,
            undeclared,
            ..Create::new(at.version(), meta.name, content)
        })
    }

    /// The warnings of a write, and what there is to say of the version that it was written at.
    #[must_use]
    pub fn warnings(
        &self,
        of: &TypeKey,
        written: &Resource,
        mut warnings: Vec<String>,
    ) -> Vec<String> {
        warnings.extend(self.engine.deprecation_notice(of, written.version.version));
        warnings
    }

    async fn updated(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        updated: Updated,
    ) -> Result<WriteOutcome, MethodError> {
        Ok(match updated {
            Updated::Done(changed, task) => WriteOutcome {
                warnings: self.warnings(of, &changed.resource, changed.warnings),
                resource: changed.resource,
                kept: changed.kept,
                dropped: changed.dropped,
                overrode: changed.overrode.map(|refusal| refusal.to_string()),
                created: changed.created,
                task: task.as_ref().map(Task::urn),
            },
            // It is as it was until the task has made the change.
            Updated::Accepted(task) => WriteOutcome {
                resource: self.engine.get(caller, of, target).await?,
                kept: Vec::new(),
                dropped: Vec::new(),
                overrode: None,
                warnings: Vec::new(),
                created: false,
                task: Some(task.urn()),
            },
        })
    }
}

fn said(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// The change that a body asks for.
fn edit(
    at: WriteVersion,
    body: ResourceBody,
    mask: Option<&UpdateMask>,
    target: &Target,
) -> Result<Update, MethodError> {
    let undeclared = body.undeclared();
    let meta = body.meta;
    let revision = meta.revision();
    // Only who names it by an id can rename it; and a name that is an id is how it was meant.
    let named = matches!(target, Target::Id(_)) && !meta.name.starts_with("urn:");
    let means = |field: fn(&UpdateMask) -> bool| mask.is_none_or(field);
    let edit = MetaEdit {
        // By its name it stays what it is called.
        name: said(meta.name).filter(|_| named && means(|mask| mask.name)),
        unique: true,
        labels: means(|mask| mask.labels).then_some(meta.labels),
        description: means(|mask| mask.description).then(|| said(meta.description)),
        sub_kind: means(|mask| mask.sub_kind).then(|| said(body.sub_kind)),
        expires: means(|mask| mask.expires).then_some(meta.expires),
        applied: body.applied,
        ..MetaEdit::default()
    };
    let (content, fields) = match mask {
        None => {
            let spec = body.spec;
            let spec = spec.ok_or_else(|| MethodError::invalid("spec is missing"))?;
            (Some(spec), None)
        }
        // Nothing of the content is meant, so there is nothing to convert.
        Some(mask) if mask.spec.is_empty() => (None, None),
        Some(mask) => {
            let fields = FieldMask::parse(mask.spec.iter().map(String::as_str))?;
            let empty = || serde_json::Value::Object(serde_json::Map::new());
            (Some(body.spec.unwrap_or_else(empty)), Some(fields))
        }
    };
    Ok(Update {
        revision,
        needs_revision: false,
        at,
        store_at: StoreAt::Unsaid,
        content,
        mask: fields,
        meta: edit,
        force: false,
        checking: Checking::Strict,
        undeclared,
        hooks: Hooks::Run,
    })
}
