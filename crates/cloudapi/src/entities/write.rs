//! Making, changing and deleting entities.
//!
//! An update settles three things before it writes: the version that the body is written at (the
//! query's, else that of `entityType`, else the one that is shown), whether the entity moves to
//! it, and the revision on which the write is conditioned. A client that reads at another version
//! than the stored one and returns `entityType` as it was shown asks for no move: see [`meant`].
//! What the body's version can't express stays, and the headers of the answer list it.

use super::represent;
use super::target::{accepted, entity, if_match, not_own, sequenced, wanting};
use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::urn;
use coeval_access::DenialReason;
use coeval_api::negotiation::names;
use coeval_api::rest::{RestAnswer, pointers};
use coeval_core::decide::{StoreAt, VersionRefusal};
use coeval_core::version::{Version, WriteVersion};
use coeval_engine::lifecycle::Hooks;
use coeval_engine::tasks::Task;
use coeval_engine::write::{
    Checking, Create, Delete, Deleted, MetaEdit, Undeclared, Update, Updated,
};
use coeval_engine::{Caller, EngineError, State, Target, TypeKey};
use http::StatusCode;
use http::header::ETAG;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Where the task of a hook is that follows a write.
const TASK_LOCATION: &str = "x-vmware-vcloud-task-location";

/// An entity of a type version; the answer leads to the task of its creation.
pub(super) async fn create(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version) = urn::type_version(call.param("id"))?;
    not_own(&of)?;
    let mut body = call.object()?;
    let said = body.text("entityType")?.filter(|said| !said.is_empty());
    // It may be said again, if it says the same.
    if said.is_some_and(|said| said != urn::of_type(&of, version)) {
        return Err(ApiError::request(
            "entityType is another type than that of the path",
        ));
    }
    let name = body.text("name")?.filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| ApiError::request("name is missing"))?;
    let content = content(&mut body)?;
    let content = content.ok_or_else(|| ApiError::request("entity is missing"))?;
    let resolve = call.flag("resolveEntity")?.unwrap_or(false);
    let hooks = hooks(&call)?;
    // `unique` is false: the RDE API has always allowed several entities of one name.
    let create = Create {
        external_id: body.text("externalId")?.filter(|id| !id.is_empty()),
        unique: false,
        announced: true,
        // Clients have a content checked by resolving it later, unless they ask for both at once.
        checking: if resolve {
            Checking::Resolve
        } else {
            Checking::Later
        },
        hooks,
        ..Create::new(version, name, content)
    };
    let made = api.engine.create(call.caller()?, &of, create);
    let made = made.await.map_err(restricted)?;
    let task = made.task.map(|task| task.id.to_string());
    let location = task_url(&api, &task.unwrap_or_default());
    let mut answer = RestAnswer::accepted(&location);
    let notice = api.engine.deprecation_notice(&of, version);
    for warning in made.warnings.iter().chain(&notice) {
        answer = answer.warning(warning);
    }
    Ok(sequenced(answer, made.resource.token))
}

/// Where a task is.
pub(super) fn task_url(api: &CloudState, task: &str) -> String {
    format!("{}/api/task/{task}", api.settings.public_url)
}

pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, target) = entity(&call)?;
    let accepted = accepted(&call, Some(&of))?;
    let caller = wanting(call.caller()?, accepted);
    let mut body = call.object()?;
    let said = said_type(&body, &of)?;
    let hooks = hooks(&call)?;
    let revision = if_match(&api, &call)?;
    // The query says what the caller wants to see, and so what its body is written at. The body's own type
    // counts only where the query is silent; two that differ can't both be meant.
    let (at, store_at) = match (accepted, said) {
        (Some(at), Some(said)) if at != said => {
            return Err(ApiError::request(
                "entityType is another version than the one that the query asks for",
            ));
        }
        (Some(at), _) => (at, StoreAt::Unchanged),
        (None, said) => meant(&api, &caller, &of, &target, said).await?,
    };
    let meta = meta(&body)?;
    if let Some(owner) = &meta.owner {
        known_owner(&api, &caller, &of, &target, owner).await?;
    }
    let update = Update {
        revision,
        needs_revision: false,
        at: WriteVersion::plain(at),
        store_at,
        content: content(&mut body)?,
        mask: None,
        meta,
        force: call.headers().force()?,
        checking: Checking::Later,
        undeclared: Undeclared::Warn,
        hooks,
    };
    let updated = api.engine.update(&caller, &of, &target, &update);
    // A version in the body asks for a change of type, and clients know a code for its refusal.
    let updated = updated.await.map_err(|error| match store_at {
        StoreAt::Set => type_update(error),
        _ => restricted(error),
    })?;
    let location = |task: &Task| task_url(&api, &task.id.to_string());
    let (changed, task) = match updated {
        Updated::Done(changed, task) => (changed, task),
        // A hook decides first: the entity is as it was.
        Updated::Accepted(task) => return Ok(RestAnswer::accepted(&location(&task))),
    };
    let resource = &changed.resource;
    let text = represent::entity(&api, &caller, resource, call.version).await?;
    let mut answer =
        RestAnswer::raw_json(StatusCode::OK, text).with(ETAG, &represent::etag(resource));
    if let Some(task) = &task {
        answer = answer.saying(TASK_LOCATION, &location(task));
    }
    for (name, all) in [
        (names::KEPT, &changed.kept),
        (names::DROPPED, &changed.dropped),
    ] {
        if let Some(all) = pointers(all) {
            answer = answer.saying(name, &all);
        }
    }
    if let Some(overrode) = &changed.overrode {
        answer = answer.warning(&format!("forced: {overrode}"));
    }
    for warning in &changed.warnings {
        answer = answer.warning(warning);
    }
    if let Some(notice) = api.engine.deprecation_notice(&of, resource.version.version) {
        answer = answer.warning(&notice);
    }
    Ok(sequenced(answer, resource.token))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, target) = entity(&call)?;
    let revision = if_match(&api, &call)?;
    let caller = call.caller()?;
    let delete = Delete {
        revision,
        hooks: hooks(&call)?,
        force: call.headers().force()?,
    };
    let deleted = api.engine.delete(caller, &of, &target, delete);
    Ok(match deleted.await? {
        Deleted::Done(token) => sequenced(RestAnswer::none(), token),
        Deleted::Accepted(task) => RestAnswer::accepted(&task_url(&api, &task.id.to_string())),
    })
}

/// Whether the hooks of the type are to run.
fn hooks(call: &CloudCall) -> Result<Hooks, ApiError> {
    Ok(match call.flag("invokeHooks")? {
        // They run unless the caller says otherwise.
        Some(false) => Hooks::Skip,
        _ => Hooks::Run,
    })
}

/// The version that the body's `entityType` names.
fn said_type(body: &Map<String, Value>, of: &TypeKey) -> Result<Option<Version>, ApiError> {
    let Some(text) = body.text("entityType")?.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let (named, version) = urn::type_version(&text)?;
    if named == *of {
        Ok(Some(version))
    } else {
        Err(ApiError::request(format!(
            "the entity is of the type {of}, and can't become one of {named}"
        ))
        .minor("RDE_INVALID_TYPE_UPDATE"))
    }
}

/// What a body without a word in the query means. Nothing said: the version that the entity is
/// shown at. The same for somebody who is shown another version than the stored one, and returns
/// it: that is no wish to change the version.
async fn meant(
    api: &CloudState,
    caller: &Caller,
    of: &TypeKey,
    target: &Target,
    said: Option<Version>,
) -> Result<(Version, StoreAt), ApiError> {
    let wants = &caller.wanted;
    let plain = wants.accept.is_empty() && wants.release.is_none();
    // Whoever has told no versions that it understands means the body's type as it is written.
    if let (Some(said), true) = (said, plain) {
        return Ok((said, StoreAt::Set));
    }
    let shown = api.engine.get(caller, of, target).await?;
    let shown_at = shown.version.version;
    Ok(match said {
        Some(said) if said != shown_at => (said, StoreAt::Set),
        _ => (shown_at, StoreAt::Unchanged),
    })
}

/// The content, if there is one: an object.
fn content(body: &mut Map<String, Value>) -> Result<Option<Value>, ApiError> {
    match body.remove("entity") {
        None | Some(Value::Null) => Ok(None),
        Some(content @ Value::Object(_)) => Ok(Some(content)),
        Some(_) => Err(ApiError::request("entity must be an object")),
    }
}

/// What a body says beside the content. Echoes of what was read change nothing: `state`, `org` and
/// every `entityState` but one are not looked at.
fn meta(body: &Map<String, Value>) -> Result<MetaEdit, ApiError> {
    let owner = match body.map("owner")? {
        Some(owner) => owner.text("id")?.filter(|id| !id.is_empty()),
        None => None,
    };
    let deletion = body.text("entityState")?.as_deref() == Some(State::InDeletion.name());
    let external_id = body.text("externalId")?;
    Ok(MetaEdit {
        name: body.text("name")?.filter(|name| !name.is_empty()),
        owner,
        // An empty one takes it away.
        external_id: external_id.map(|id| Some(id).filter(|id| !id.is_empty())),
        state: deletion.then_some(State::InDeletion),
        ..MetaEdit::default()
    })
}

/// Refuses a new owner who is not there. (One who is gone may still be the old one.)
async fn known_owner(
    api: &CloudState,
    caller: &Caller,
    of: &TypeKey,
    target: &Target,
    owner: &str,
) -> Result<(), ApiError> {
    let user = owner.starts_with("urn:vcloud:user:");
    if user && api.engine.name_of(caller, owner).await?.is_some() {
        return Ok(());
    }
    let there = api.engine.get(caller, of, target).await?;
    if there.header.owner == owner {
        Ok(())
    } else {
        Err(ApiError::request(format!("there is no user {owner:?}")))
    }
}

/// Clients know what it means to change a field that is not theirs.
fn restricted(error: EngineError) -> ApiError {
    match error {
        EngineError::Conversion(refusal) => ApiError::of_conversion(refusal),
        other => other.into(),
    }
}

/// So do they for a version that is not there, or not for them.
fn type_update(error: EngineError) -> ApiError {
    let unseen = match &error {
        EngineError::TypeVersionUnknown { .. }
        | EngineError::Version(VersionRefusal::VersionUnknown { .. }) => true,
        EngineError::Denied(denied) => {
            matches!(denied.reason, DenialReason::VersionNotVisible { .. })
        }
        _ => false,
    };
    if unseen {
        ApiError::from(error).minor("RDE_INVALID_TYPE_UPDATE")
    } else {
        restricted(error)
    }
}
