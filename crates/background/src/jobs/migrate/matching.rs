//! Upgrading what a filter matches, in the background.

use crate::background::Background;
use crate::jobs::migrate::plan::{MatchingPlan, Plan};
use crate::jobs::migrate::{UPGRADE, check_target, migrating, tried};
use coeval_access::TypeAction;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::sees_any;
use coeval_core::decide::WantedVersion;
use coeval_core::version::{Classification, KnownVersion, Version};
use coeval_filter::Filter;
use coeval_records::error::EngineError;
use coeval_records::error::list::ListError;
use coeval_records::keys::TypeKey;
use coeval_resources::list::query::InOrg;
use coeval_resources::list::scope::{Whose, whose};
use coeval_resources::task_calls::NewTask;
use coeval_resources::tasks::task::{About, Task};

/// Which resources are to be stored at another version.
#[derive(Clone, Debug)]
pub struct UpgradeMatching {
    /// Those that it matches, as the caller sees them.
    pub filter: Filter,
    /// Only those stored at one of these; default: at any version.
    pub versions: Option<Classification>,
    /// Of which organization.
    pub org: InOrg,
    /// The version; default: the newest that the caller can see.
    pub to: Option<Version>,
    /// Only finds out what would happen.
    pub dry_run: bool,
}

impl Background {
    /// Stores the resources that a filter matches at another version, in the background; and what is
    /// to be said of the filter.
    ///
    /// Which version that is, and which view the filter is about, is decided now. What the caller may
    /// not see, or may not upgrade, is neither touched nor told of.
    ///
    /// # Errors
    /// If the type or the version does not exist for the caller, or the filter can't be used. What
    /// happens to single resources is in the task's result.
    pub async fn upgrade_matching(
        &self,
        caller: &Caller,
        of: &TypeKey,
        asked: &UpgradeMatching,
    ) -> Result<(Task, Vec<String>), EngineError> {
        coeval_catalog::kinds::not_own(of)?;
        let whose = whose(caller, &asked.org)?;
        asked.filter.compile().map_err(ListError::from)?;
        let state = self.types.current(of).await?;
        if !sees_any(&state, &caller.subject) {
            return Err(EngineError::TypeUnknown { of: of.clone() });
        }
        // Now, because what the request said of versions is gone when the job runs.
        let wanted = caller.wanted_view(&state).wanted;
        if let WantedVersion::Exactly(version) = wanted {
            self.allow_type(caller, &state, version, TypeAction::See)?;
        }
        // Now: a version that is published meanwhile is not what was asked for.
        let to = self.upgraded_to_newest(caller, &state, asked.to)?;
        check_target(&state, None, to)?;
        let warnings = self
            .check_filter(caller, of, asked.versions, &asked.filter)
            .await?;
        let plan = Plan {
            vendor: of.vendor.to_string(),
            nss: of.nss.to_string(),
            from: None,
            matching: Some(MatchingPlan {
                filter: asked.filter.clone(),
                view: wanted.into(),
                versions: asked.versions.map(|class| class.to_string()),
                org: match whose {
                    Whose::Org(org) => Some(org),
                    Whose::Everybody => None,
                },
                named: asked.to.is_some(),
            }),
            to: to.to_string(),
            force: false,
            dry_run: asked.dry_run,
        };
        let tried = tried(asked.dry_run);
        let new = NewTask {
            operation: UPGRADE,
            // Without the filter: it may name values that not everybody may know who sees the task.
            description: format!(
                "Upgrading resources of {of} that a filter matches to {to}{tried}"
            ),
            of,
            about: About {
                of: Some(of.to_string()),
                version: Some(to.to_string()),
                resource: None,
            },
            input: plan.to_json()?,
            deed: migrating(of, to),
        };
        let task = self.submit(caller, new).await?;
        Ok((task, warnings))
    }

    fn upgraded_to_newest(
        &self,
        caller: &Caller,
        state: &TypeState,
        named: Option<Version>,
    ) -> Result<Version, EngineError> {
        if let Some(to) = named {
            self.allow_type(caller, state, to, TypeAction::See)?;
            return Ok(to);
        }
        let visible = caller.visible_versions(state);
        let newest = visible.known(state).newest().map(KnownVersion::version);
        let of = || state.key.clone();
        let newest = newest.ok_or_else(|| EngineError::TypeUnknown { of: of() })?;
        Ok(state.within_open(newest))
    }
}
