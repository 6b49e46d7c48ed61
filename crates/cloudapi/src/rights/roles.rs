//! Roles: global ones, and those of the organization that the caller acts in.

use super::right::{listed, page};
use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::listing;
use coeval_api::rest::RestAnswer;
use coeval_engine::identity::{IdentityError, NewRole, Role, RoleEdit};
use coeval_engine::{EngineError, SYSTEM_ORG};
use http::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;

const KEYS: [&str; 5] = ["id", "name", "description", "readOnly", "publishAll"];

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let all = api.engine.list_roles(caller, caller.org()).await?;
    rows(&api, &call, all, "Roles")
}

/// The provider's to see.
pub(super) async fn list_global(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let mut all = api.engine.list_roles(call.caller()?, SYSTEM_ORG).await?;
    // The provider's own roles are in that list too, and are not global.
    all.retain(|role| role.org.is_none());
    rows(&api, &call, all, "GlobalRoles")
}

fn rows(
    api: &CloudState,
    call: &CloudCall,
    mut all: Vec<Role>,
    model: &str,
) -> Result<RestAnswer, ApiError> {
    all.sort_by(|one, other| one.name.cmp(&other.name));
    let rows = all.iter().map(row).collect();
    listing::answer(api, call, rows, &KEYS, model)
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    Ok(RestAnswer::ok(&row(&one(&api, &call).await?)))
}

pub(super) async fn get_global(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    Ok(RestAnswer::ok(&row(&global(&api, &call).await?)))
}

/// The role that the path names, where the caller acts.
async fn one(api: &CloudState, call: &CloudCall) -> Result<Role, ApiError> {
    let caller = call.caller()?;
    let role = api.engine.get_role(caller, caller.org(), &id(call)).await?;
    Ok(role)
}

/// The global role that the path names; the provider's to see.
pub(super) async fn global(api: &CloudState, call: &CloudCall) -> Result<Role, ApiError> {
    let (caller, id) = (call.caller()?, id(call));
    let role = api.engine.get_role(caller, SYSTEM_ORG, &id).await?;
    match role.org {
        None => Ok(role),
        Some(_) => {
            let what = role.name;
            Err(EngineError::from(IdentityError::RoleUnknown { what }).into())
        }
    }
}

/// In full; a path may have a bare UUID, or a name.
fn id(call: &CloudCall) -> String {
    let what = call.param("id");
    match coeval_core::version::Uuid::parse(what) {
        Some(uuid) => format!("urn:vcloud:role:{uuid}"),
        // A global role's id has that word in it at some clients.
        None => what.replace("urn:vcloud:globalRole:", "urn:vcloud:role:"),
    }
}

pub(super) async fn create(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let org = call.caller()?.org().to_owned();
    made(&api, &call, Some(org)).await
}

pub(super) async fn create_global(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    made(&api, &call, None).await
}

async fn made(
    api: &CloudState,
    call: &CloudCall,
    org: Option<String>,
) -> Result<RestAnswer, ApiError> {
    let body = call.object()?;
    let new = NewRole {
        name: body.needed("name")?,
        org,
        description: body.text("description")?,
        rights: Vec::new(),
    };
    let role = api.engine.create_role(call.caller()?, &new).await?;
    Ok(RestAnswer::json(StatusCode::CREATED, &row(&role)))
}

pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let role = one(&api, &call).await?;
    changed(&api, &call, role).await
}

pub(super) async fn update_global(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let role = global(&api, &call).await?;
    changed(&api, &call, role).await
}

async fn changed(api: &CloudState, call: &CloudCall, role: Role) -> Result<RestAnswer, ApiError> {
    let body = call.object()?;
    let edit = RoleEdit {
        // On what was just read: a change in between is refused, and not overwritten.
        revision: Some(role.revision),
        name: body.text("name")?.filter(|name| *name != role.name),
        // A PUT replaces: what is absent is removed.
        description: Some(body.text("description")?),
        rights: None,
    };
    let role = api.engine.update_role(call.caller()?, &role.id, &edit);
    Ok(RestAnswer::ok(&row(&role.await?)))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let role = one(&api, &call).await?;
    api.engine.delete_role(call.caller()?, &role.id).await?;
    Ok(RestAnswer::none())
}

pub(super) async fn delete_global(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let role = global(&api, &call).await?;
    api.engine.delete_role(call.caller()?, &role.id).await?;
    Ok(RestAnswer::none())
}

pub(super) async fn get_rights(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let rights = api
        .engine
        .rights_of_role(call.caller()?, &id(&call))
        .await?;
    page(&api, &call, &rights)
}

pub(super) async fn add_rights(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let added = listed(&api, &call).await?;
    let role = api
        .engine
        .add_role_rights(caller, &id(&call), &added)
        .await?;
    let rights = api.engine.rights_of_role(caller, &role.id).await?;
    page(&api, &call, &rights)
}

pub(super) async fn set_rights(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let role = one(&api, &call).await?;
    let edit = RoleEdit {
        // Rights that somebody adds meanwhile are not lost: the write is refused then.
        revision: Some(role.revision),
        rights: Some(listed(&api, &call).await?),
        ..RoleEdit::default()
    };
    let role = api.engine.update_role(caller, &role.id, &edit).await?;
    page(&api, &call, &role.rights)
}

fn row(role: &Role) -> Value {
    json!({
        "id": role.id,
        "name": role.name,
        "description": role.description,
        "bundleKey": "com.vmware.vcloud.undefined.key",
        "readOnly": role.predefined,
        "publishAll": role.org.is_none(),
    })
}
