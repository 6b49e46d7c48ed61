//! Users in JSON.

use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::listing;
use coeval_api::rest::RestAnswer;
use coeval_engine::Caller;
use coeval_engine::identity::{NewUser, Password, PasswordGiven, User, UserEdit};
use http::StatusCode;
use serde_json::{Map, Value, json};
use std::sync::Arc;

const KEYS: [&str; 8] = [
    "id",
    "username",
    "fullName",
    "email",
    "description",
    "enabled",
    "orgEntityRef",
    "roleEntityRefs",
];

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let users = super::of_org(&api, caller, caller.org()).await?;
    let mut rows = Vec::new();
    for user in &users {
        rows.push(row(&api, caller, user).await?);
    }
    listing::answer(&api, &call, rows, &KEYS, "Users")
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let user = api.engine.get_user(caller, call.param("id")).await?;
    Ok(RestAnswer::ok(&row(&api, caller, &user).await?))
}

pub(super) async fn create(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let body = call.object()?;
    let org = match body.map("orgEntityRef")? {
        None => None,
        // By its id, or by its name where there is none.
        Some(org) => org.text("id")?.or(org.text("name")?),
    };
    let new = NewUser {
        name: body.needed("username")?,
        // By default where the caller acts, which for a provider's user may be a tenant.
        org: org.unwrap_or_else(|| caller.org().to_owned()),
        full_name: body.text("fullName")?,
        email: body.text("email")?,
        description: body.text("description")?,
        enabled: body.flag("enabled")?.unwrap_or(true),
        roles: roles(&body)?.unwrap_or_default(),
        password: password(&body)?,
    };
    let user = api.engine.create_user(caller, &new).await?;
    Ok(RestAnswer::json(
        StatusCode::CREATED,
        &row(&api, caller, &user).await?,
    ))
}

pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let body = call.object()?;
    let user = api.engine.get_user(caller, call.param("id")).await?;
    // The same name is no renaming.
    let name = body.text("username")?.filter(|name| *name != user.name);
    let edit = UserEdit {
        revision: Some(user.revision),
        name,
        // A PUT replaces: texts that are absent are removed. An absent flag or list of roles stays.
        full_name: Some(body.text("fullName")?),
        email: Some(body.text("email")?),
        description: Some(body.text("description")?),
        enabled: body.flag("enabled")?,
        roles: roles(&body)?,
    };
    // Read before the first write, so that a body that can't be read changes nothing.
    let password = password(&body)?;
    let user = api.engine.update_user(caller, &user.id, &edit).await?;
    if let Some(password) = password {
        // Last, since it ends the sessions of the user.
        api.engine.set_password(caller, &user.id, &password).await?;
    }
    Ok(RestAnswer::ok(&row(&api, caller, &user).await?))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    api.engine
        .delete_user(call.caller()?, call.param("id"))
        .await?;
    Ok(RestAnswer::none())
}

/// Their ids, or names where there is none.
fn roles(body: &Map<String, Value>) -> Result<Option<Vec<String>>, ApiError> {
    let Some(list) = body.list("roleEntityRefs")? else {
        return Ok(None);
    };
    crate::rights::references(list).map(Some)
}

fn password(body: &Map<String, Value>) -> Result<Option<PasswordGiven>, ApiError> {
    // Clients send back what they read, where it is masked or empty.
    let given = body.text("password")?;
    let given = given.filter(|text| !text.is_empty() && *text != "******");
    Ok(given.map(|text| PasswordGiven::Clear(Password::new(text))))
}

async fn row(api: &CloudState, caller: &Caller, user: &User) -> Result<Value, ApiError> {
    let name = async |id: &str| -> Result<Value, ApiError> {
        let name = api.engine.name_of(caller, id).await?;
        Ok(json!({ "name": name.as_deref().unwrap_or_default(), "id": id }))
    };
    let mut roles = Vec::new();
    for role in &user.roles {
        roles.push(name(role).await?);
    }
    Ok(json!({
        "id": user.id,
        "username": user.name,
        "fullName": user.full_name,
        "email": user.email,
        "description": user.description,
        "enabled": user.enabled,
        "locked": false,
        "providerType": "LOCAL",
        "roleEntityRefs": roles,
        "orgEntityRef": name(&user.org).await?,
    }))
}
