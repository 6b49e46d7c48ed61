//! Mass migration: every resource of one version of a type that the caller may move, or every one
//! that a filter matches, goes to another version, as an update that changes only the version would
//! take it there.

pub(crate) mod batch;
pub mod matching;
pub(crate) mod page;
pub(crate) mod plan;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod selection;
pub(crate) mod slots;

use crate::background::Background;
use crate::jobs::job::{Job, Run};
use crate::jobs::migrate::plan::Plan;
use crate::jobs::migrate::run::MigrateRun;
use async_trait::async_trait;
use bytes::Bytes;
use coeval_access::TypeAction;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::VisibleVersions;
use coeval_core::types::TypeVersionId;
use coeval_core::version::Version;
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::error::tasks::{TargetFlaw, TaskError};
use coeval_records::keys::TypeKey;
use coeval_resources::task_calls::NewTask;
use coeval_resources::tasks::task::{About, Task};
use std::sync::Arc;

/// The operation of tasks that move the resources of one version.
pub const MIGRATE: &str = "migrateEntities";
/// The operation of tasks that move those that a filter matches. One of its own, because servers of
/// 0.1.0 would not know what is meant: they leave it to others.
pub const UPGRADE: &str = "upgradeResources";

/// How resources are migrated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigrateOptions {
    /// Resources that don't fit the target are migrated all the same, and don't resolve there.
    pub force: bool,
    /// Only finds out what would happen.
    pub dry_run: bool,
    /// Versions on the way that change what fields mean, all by name.
    pub meaning_changed: Vec<Version>,
}

impl Background {
    /// Moves the resources of one version to another, in the background.
    ///
    /// # Errors
    /// If the versions don't allow it or the caller does not see them. What happens to single
    /// resources is in the task's result.
    pub async fn migrate_resources(
        &self,
        caller: &Caller,
        of: &TypeKey,
        from: Version,
        to: Version,
        options: &MigrateOptions,
    ) -> Result<Task, EngineError> {
        let state = self.types.current(of).await?;
        for version in [from, to] {
            self.allow_type(caller, &state, version, TypeAction::See)?;
        }
        check_target(&state, Some(from), to)?;
        let visible = caller.visible_versions(&state);
        check_meaning(&state, &visible, from, to, &options.meaning_changed)?;
        let plan = Plan {
            vendor: of.vendor.to_string(),
            nss: of.nss.to_string(),
            from: Some(from.to_string()),
            matching: None,
            to: to.to_string(),
            force: options.force,
            dry_run: options.dry_run,
        };
        let tried = tried(options.dry_run);
        let new = NewTask {
            operation: MIGRATE,
            description: format!("Migrating resources of {of} from {from} to {to}{tried}"),
            of,
            about: About {
                of: Some(of.to_string()),
                version: Some(from.to_string()),
                resource: None,
            },
            input: plan.to_json()?,
            deed: migrating(of, to),
        };
        self.submit(caller, new).await
    }
}

const fn tried(dry_run: bool) -> &'static str {
    if dry_run { " (only tried)" } else { "" }
}

/// What the audit says of the task itself.
fn migrating(of: &TypeKey, to: Version) -> Deed {
    let id = TypeVersionId {
        vendor: of.vendor.to_string(),
        nss: of.nss.to_string(),
        version: to,
    };
    Deed::of_type(What::Migrate, &id)
}

/// Refuses a target that no resource can be moved to.
pub(crate) fn check_target(
    state: &TypeState,
    from: Option<Version>,
    to: Version,
) -> Result<(), EngineError> {
    for version in from.into_iter().chain([to]) {
        if state.version(version).is_none() {
            let of = state.key.clone();
            return Err(EngineError::TypeVersionUnknown { of, version });
        }
    }
    let refuse = |reason| Err(TaskError::TargetRefused { from, to, reason }.into());
    if from == Some(to) {
        return refuse(TargetFlaw::Same);
    }
    // In a phased migration a resource may have two records, and the phases move it.
    if state.phase.migration.is_some() {
        return refuse(TargetFlaw::InPhases);
    }
    if state.phase.closed.contains(&to.major) {
        return refuse(TargetFlaw::Closed);
    }
    Ok(())
}

/// The versions between two that change what a field means, oldest first.
pub(crate) fn changes_of_meaning(state: &TypeState, from: Version, to: Version) -> Vec<Version> {
    let ancestry = |version| {
        std::iter::successors(Some(version), |one| state.versions.parent(*one)).collect::<Vec<_>>()
    };
    let (one, other) = (ancestry(from), ancestry(to));
    // What both descend from is not passed.
    let passed = one.iter().filter(|version| !other.contains(version));
    let passed = passed.chain(other.iter().filter(|version| !one.contains(version)));
    let changes = |version: &&Version| {
        let definition = state.on_path(**version);
        definition.is_some_and(|one| !one.meaning_changed.is_empty())
    };
    let mut changed: Vec<Version> = passed.filter(changes).copied().collect();
    changed.sort();
    changed
}

/// Refuses to pass a version that changes a meaning, unless the caller named it. One that the
/// caller can't see is told, and named, as the higher of the two versions.
pub(crate) fn check_meaning(
    state: &TypeState,
    visible: &VisibleVersions,
    from: Version,
    to: Version,
    named: &[Version],
) -> Result<(), EngineError> {
    let changed = changes_of_meaning(state, from, to).into_iter();
    let mut changed = changed.map(|version| {
        if visible.has(version) {
            (version, version)
        } else {
            (version, from.max(to))
        }
    });
    match changed.find(|(_, told)| !named.contains(told)) {
        None => Ok(()),
        Some((version, told)) => {
            let definition = state.version(version);
            let fields = definition.map_or(&[][..], |one| &one.meaning_changed);
            let fields: Vec<_> = fields.iter().map(ToString::to_string).collect();
            let fields = visible.only_visible(state, fields).join(", ");
            let version = told;
            Err(TaskError::MeaningChanged { version, fields }.into())
        }
    }
}

/// The job of these tasks, by their operation.
#[derive(Debug)]
pub struct MigrateJob(pub &'static str);

#[async_trait]
impl Job for MigrateJob {
    fn operation(&self) -> &'static str {
        self.0
    }

    async fn begin(
        &self,
        background: Arc<Background>,
        task: &Task,
        report: Bytes,
        abreast: usize,
    ) -> Result<Box<dyn Run>, EngineError> {
        let run = MigrateRun::begin(background, task, &report, abreast).await?;
        Ok(Box::new(run))
    }
}
