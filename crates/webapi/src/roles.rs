//! Roles, and the rights that there are.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::lists;
use crate::route::{WebBody, WebRoute, handler};
use coeval_access::GeneralRight;
use coeval_api::rest::{BodyFields as _, RestAnswer};
use coeval_engine::identity::{NewRole, Role, RoleEdit};
use serde_json::{Value, json};
use std::sync::Arc;

const KEYS: [&str; 6] = [
    "id",
    "name",
    "organization",
    "description",
    "predefined",
    "rights",
];

pub(crate) fn routes() -> Vec<WebRoute> {
    vec![
        WebRoute::get("/rights", handler!(rights))
            .about("The rights that there are where the caller acts.")
            .listing()
            .answers(200, WebBody::Page("Right")),
        WebRoute::get("/roles", handler!(list))
            .about("The roles that users of an organization can have.")
            .text(
                "organization",
                "By name or id; the caller's own if nothing is said",
            )
            .listing()
            .answers(200, WebBody::Page("Role")),
        WebRoute::post("/roles", handler!(create))
            .about("Makes a role of an organization, or one for all.")
            .takes("RoleInput")
            .answers(201, WebBody::One("Role")),
        WebRoute::get("/roles/{id}", handler!(get))
            .about("One role, with the rights that it gives.")
            .text(
                "organization",
                "By name or id; the caller's own if nothing is said",
            )
            .gives("Role"),
        WebRoute::patch("/roles/{id}", handler!(update))
            .about("Changes a role; what is not said stays.")
            .takes("RoleEdit")
            .gives("Role"),
        WebRoute::delete("/roles/{id}", handler!(delete))
            .about("Deletes a role that nobody has.")
            .answers(204, WebBody::Empty),
    ]
}

fn shown(role: &Role) -> Value {
    json!({
        "id": role.id,
        "name": role.name,
        "organization": role.org,
        "description": role.description,
        "rights": role.rights,
        "predefined": role.predefined,
        "revision": role.revision.to_string(),
    })
}

async fn rights(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let names = api.engine().rights(call.caller()?).await?;
    let rows = names.iter().map(|name| {
        let about = GeneralRight::by_name(name).map(GeneralRight::about);
        json!({ "id": name, "name": name, "about": about })
    });
    lists::page(&call, rows.collect(), &["id", "name", "about"])
}

async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let org = call.query.said("organization").unwrap_or(caller.org());
    let all = api.engine().list_roles(caller, org).await?;
    lists::page(&call, all.iter().map(shown).collect(), &KEYS)
}

async fn get(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let org = call.query.said("organization").unwrap_or(caller.org());
    let mut role = api.engine().get_role(caller, org, call.param("id")).await?;
    // The rights of the predefined ones follow from what there is.
    role.rights = api.engine().rights_of_role(caller, &role.id).await?;
    Ok(RestAnswer::ok(&shown(&role)).revised(role.revision))
}

async fn create(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let body = call.object(&["name", "organization", "forAll", "description", "rights"])?;
    let org = body.text("organization")?;
    let for_all = body.flag("forAll")?.unwrap_or(false);
    if for_all && org.is_some() {
        return Err(WebError::invalid(
            "a role for all is of no organization: leave one of the two out",
        ));
    }
    let own = || Some(caller.org().to_owned());
    let new = NewRole {
        name: body.needed("name")?,
        org: if for_all { None } else { org.or_else(own) },
        description: body.text("description")?,
        rights: body.texts("rights")?.unwrap_or_default(),
    };
    let role = api.engine().create_role(caller, &new).await?;
    Ok(RestAnswer::created(&shown(&role)).revised(role.revision))
}

async fn update(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let body = call.object(&["name", "description", "rights", "revision"])?;
    let on = call.revision(&body.text("revision")?.unwrap_or_default())?;
    let description = body.text("description")?;
    let edit = RoleEdit {
        revision: on.read(),
        name: body.text("name")?,
        // Present and null takes it away, absent leaves it.
        description: body.contains_key("description").then_some(description),
        rights: body.texts("rights")?,
    };
    let changed = api
        .engine()
        .update_role(call.caller()?, call.param("id"), &edit)
        .await;
    let role = changed.map_err(|error| WebError::from(error).conditioned(on.if_match))?;
    Ok(RestAnswer::ok(&shown(&role)).revised(role.revision))
}

async fn delete(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let deleted = api.engine().delete_role(call.caller()?, call.param("id"));
    deleted.await?;
    Ok(RestAnswer::none())
}
