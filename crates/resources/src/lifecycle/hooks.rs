//! Which behaviors run when something happens to a resource.

use crate::resources::Resources;
use crate::tasks::task::About;
use coeval_access::TypeAction;
use coeval_catalog::behaviors::TypeBehavior;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_codes::Coded;
use coeval_core::types::HookPoint;
use coeval_core::version::{Uuid, Version};
use coeval_records::error::EngineError;
use coeval_records::error::behaviors::BehaviorError;
use coeval_records::keys::TypeKey;
use serde::{Deserialize, Serialize};

/// The operation of tasks that change a resource after a hook, or run one after a change.
pub const UPDATE: &str = "updateDefinedEntity";
/// The operation of tasks that delete a resource with hooks.
pub const DELETE: &str = "deleteDefinedEntity";

/// Whether the hooks of a type version are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hooks {
    /// As the type version says.
    #[default]
    Run,
    /// Not; it takes full control of the type version.
    Skip,
}

/// What a task with hooks is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "does", rename_all = "camelCase")]
pub enum HookWork {
    /// It was made: run `PostCreate`, then settle its state.
    Created,
    /// It was changed: run `PostUpdate`.
    Updated,
    /// A change that begins its deletion: run `PreDelete`, then make the change.
    Update,
    /// Run `PreDelete`, mark it, run `PostDelete`, delete it.
    Delete {
        /// The revision that the caller named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        revision: Option<String>,
    },
}

/// The name of a hook, as files and tasks have it.
pub const fn name_of(hook: HookPoint) -> &'static str {
    match hook {
        HookPoint::PreCreate => "PreCreate",
        HookPoint::PostCreate => "PostCreate",
        HookPoint::PostUpdate => "PostUpdate",
        HookPoint::PreDelete => "PreDelete",
        HookPoint::PostDelete => "PostDelete",
    }
}

/// What a task with hooks is about.
pub fn about(of: &TypeKey, version: Version, id: Uuid) -> About {
    About {
        of: Some(of.to_string()),
        version: Some(version.to_string()),
        resource: Some(crate::resource::urn(of, id)),
    }
}

impl Resources {
    /// The behavior that a type version runs then, if any.
    pub async fn hook(
        &self,
        state: &TypeState,
        version: Version,
        hook: HookPoint,
    ) -> Result<Option<TypeBehavior>, EngineError> {
        let definition = state.version(version);
        let hooks = definition.map_or(&[][..], |one| &one.hooks);
        let Some((_, id)) = hooks.iter().find(|(when, _)| *when == hook) else {
            return Ok(None);
        };
        let all = self.behaviors_of(state, version).await?;
        let found = all.into_iter().find(|one| one.is(id, &state.key, version));
        // A hook that names nothing is refused, never passed over: the type says that it has to
        // run.
        let missing = || refuse(state, version, hook, format!("there is no behavior {id:?}"));
        found.map(Some).ok_or_else(missing)
    }

    /// The same, refused before anything is done if it could not be run.
    pub(crate) async fn runnable_hook(
        &self,
        state: &TypeState,
        version: Version,
        hook: HookPoint,
    ) -> Result<Option<TypeBehavior>, EngineError> {
        let found = self.hook(state, version, hook).await?;
        if let Some(found) = &found
            && let Err(error) = self.check_runs(&found.behavior.execution)
        {
            let reason = format!("{error} {}", error.advice());
            return Err(refuse(state, version, hook, reason));
        }
        Ok(found)
    }

    /// Whether hooks run; leaving out what there is takes full control of the type version.
    pub(crate) fn runs_hooks(
        &self,
        caller: &Caller,
        state: &TypeState,
        version: Version,
        hooks: Hooks,
    ) -> Result<bool, EngineError> {
        match hooks {
            Hooks::Run => Ok(true),
            // Nothing is left out: clients say so to types without hooks too.
            Hooks::Skip
                if state
                    .version(version)
                    .is_none_or(|one| one.hooks.is_empty()) =>
            {
                Ok(false)
            }
            Hooks::Skip => {
                self.allow_type(caller, state, version, TypeAction::SkipHooks)?;
                Ok(false)
            }
        }
    }
}

pub fn refuse(state: &TypeState, version: Version, hook: HookPoint, reason: String) -> EngineError {
    BehaviorError::HookNotRun {
        hook: name_of(hook),
        of: format!("{}:{version}", state.key),
        reason,
    }
    .into()
}
