//! Users, and their sessions and tokens as administrators see them.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::lists;
use crate::route::{WebBody, WebRoute, handler};
use coeval_api::rest::{BodyFields as _, RestAnswer};
use coeval_engine::Caller;
use coeval_engine::identity::{NewUser, Password, PasswordGiven, User, UserEdit};
use serde_json::{Value, json};
use std::sync::Arc;

const KEYS: [&str; 8] = [
    "id",
    "name",
    "organization",
    "fullName",
    "email",
    "description",
    "enabled",
    "roles",
];
/// How many are read at once.
const AT_ONCE: usize = 500;

pub(crate) fn routes() -> Vec<WebRoute> {
    vec![
        WebRoute::get("/users", handler!(list))
            .about("The users of an organization.")
            .text(
                "organization",
                "By name or id; the caller's own if nothing is said",
            )
            .listing()
            .answers(200, WebBody::Page("User")),
        WebRoute::post("/users", handler!(create))
            .about("Makes a user.")
            .takes("UserInput")
            .answers(201, WebBody::One("User")),
        WebRoute::get("/users/{id}", handler!(get))
            .about("One user.")
            .gives("User"),
        WebRoute::patch("/users/{id}", handler!(update))
            .about("Changes a user; what is not said stays.")
            .takes("UserEdit")
            .gives("User"),
        WebRoute::delete("/users/{id}", handler!(delete))
            .about("Deletes a user.")
            .answers(204, WebBody::Empty),
        WebRoute::put("/users/{id}/password", handler!(set_password))
            .about("Gives a user another password; the user's sessions end.")
            .takes("PasswordInput")
            .answers(204, WebBody::Empty),
    ]
}

async fn named(api: &WebState, caller: &Caller, id: &str) -> Result<Value, WebError> {
    let name = api.engine().name_of(caller, id).await?;
    Ok(json!({ "id": id, "name": name.as_deref().unwrap_or_default() }))
}

async fn shown(api: &WebState, caller: &Caller, user: &User) -> Result<Value, WebError> {
    let mut roles = Vec::new();
    for role in &user.roles {
        roles.push(named(api, caller, role).await?);
    }
    Ok(json!({
        "id": user.id,
        "name": user.name,
        "organization": named(api, caller, &user.org).await?,
        "fullName": user.full_name,
        "email": user.email,
        "description": user.description,
        "enabled": user.enabled,
        "roles": roles,
        "revision": user.revision.to_string(),
    }))
}

async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let org = call.query.said("organization").unwrap_or(caller.org());
    // All pages: the filter and the order of the query are about all rows.
    let mut all: Vec<User> = Vec::new();
    loop {
        let after = all.last().map(|user| user.id.clone());
        let page = api
            .engine()
            .list_users(caller, org, after.as_deref(), AT_ONCE);
        let page = page.await?;
        let last = page.len() < AT_ONCE;
        all.extend(page);
        if last {
            break;
        }
    }
    let mut rows = Vec::new();
    for user in &all {
        rows.push(shown(&api, caller, user).await?);
    }
    lists::page(&call, rows, &KEYS)
}

async fn get(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let user = api.engine().get_user(caller, call.param("id")).await?;
    Ok(RestAnswer::ok(&shown(&api, caller, &user).await?).revised(user.revision))
}

fn password(text: String) -> PasswordGiven {
    PasswordGiven::Clear(Password::new(text))
}

async fn create(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let body = call.object(&[
        "name",
        "organization",
        "fullName",
        "email",
        "description",
        "enabled",
        "roles",
        "password",
    ])?;
    let org = body.text("organization")?;
    let new = NewUser {
        name: body.needed("name")?,
        org: org.unwrap_or_else(|| caller.org().to_owned()),
        full_name: body.text("fullName")?,
        email: body.text("email")?,
        description: body.text("description")?,
        enabled: body.flag("enabled")?.unwrap_or(true),
        roles: body.texts("roles")?.unwrap_or_default(),
        password: body.text("password")?.map(password),
    };
    let user = api.engine().create_user(caller, &new).await?;
    Ok(RestAnswer::created(&shown(&api, caller, &user).await?).revised(user.revision))
}

async fn update(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let body = call.object(&[
        "name",
        "fullName",
        "email",
        "description",
        "enabled",
        "roles",
        "revision",
    ])?;
    let on = call.revision(&body.text("revision")?.unwrap_or_default())?;
    let said = |name: &str| -> Result<Option<Option<String>>, WebError> {
        // Present and null takes it away, absent leaves it.
        let text = body.text(name)?;
        Ok(body.contains_key(name).then_some(text))
    };
    let edit = UserEdit {
        revision: on.read(),
        name: body.text("name")?,
        full_name: said("fullName")?,
        email: said("email")?,
        description: said("description")?,
        enabled: body.flag("enabled")?,
        roles: body.texts("roles")?,
    };
    let changed = api
        .engine()
        .update_user(caller, call.param("id"), &edit)
        .await;
    let user = changed.map_err(|error| WebError::from(error).conditioned(on.if_match))?;
    Ok(RestAnswer::ok(&shown(&api, caller, &user).await?).revised(user.revision))
}

async fn delete(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let deleted = api.engine().delete_user(call.caller()?, call.param("id"));
    deleted.await?;
    Ok(RestAnswer::none())
}

async fn set_password(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let given = password(call.object(&["password"])?.needed("password")?);
    let set = api
        .engine()
        .set_password(call.caller()?, call.param("id"), &given);
    set.await?;
    Ok(RestAnswer::none())
}
