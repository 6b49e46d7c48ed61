//! Organizations.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::lists;
use crate::route::{WebBody, WebRoute, handler};
use coeval_api::rest::{BodyFields as _, RestAnswer};
use coeval_engine::Caller;
use coeval_engine::identity::{NewOrg, OrgEdit, Organization};
use serde_json::{Value, json};
use std::sync::Arc;

const KEYS: [&str; 6] = [
    "id",
    "name",
    "displayName",
    "description",
    "enabled",
    "vdcs",
];
/// How many are read at once.
const AT_ONCE: usize = 500;

pub(crate) fn routes() -> Vec<WebRoute> {
    vec![
        WebRoute::get("/organizations", handler!(list))
            .about("The organizations that the caller may see.")
            .listing()
            .answers(200, WebBody::Page("Organization")),
        WebRoute::post("/organizations", handler!(create))
            .about("Makes an organization.")
            .takes("OrganizationInput")
            .answers(201, WebBody::One("Organization")),
        WebRoute::get("/organizations/{id}", handler!(get))
            .about("One organization, by name or id.")
            .gives("Organization"),
        WebRoute::patch("/organizations/{id}", handler!(update))
            .about("Changes what is said of an organization; its name never changes.")
            .takes("OrganizationEdit")
            .gives("Organization"),
        WebRoute::delete("/organizations/{id}", handler!(delete))
            .about("Deletes an organization that has nothing any more.")
            .answers(204, WebBody::Empty),
    ]
}

fn shown(org: &Organization) -> Value {
    json!({
        "id": org.id,
        "name": org.name,
        "displayName": org.display_name,
        "description": org.description,
        "enabled": org.enabled,
        "vdcs": org.vdcs,
        "revision": org.revision.to_string(),
    })
}

/// All that the caller may see.
async fn all(api: &WebState, caller: &Caller) -> Result<Vec<Organization>, WebError> {
    let mut all: Vec<Organization> = Vec::new();
    // All pages: the filter and the order of the query are about all rows.
    loop {
        let after = all.last().map(|org| org.id.clone());
        let page = api.engine().list_orgs(caller, after.as_deref(), AT_ONCE);
        let page = page.await?;
        let last = page.len() < AT_ONCE;
        all.extend(page);
        if last {
            return Ok(all);
        }
    }
}

async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let all = all(&api, call.caller()?).await?;
    lists::page(&call, all.iter().map(shown).collect(), &KEYS)
}

async fn get(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let org = api.engine().get_org(call.caller()?, call.param("id"));
    let org = org.await?;
    Ok(RestAnswer::ok(&shown(&org)).revised(org.revision))
}

async fn create(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let body = call.object(&["name", "displayName", "description", "vdcs"])?;
    let new = NewOrg {
        name: body.needed("name")?,
        display_name: body.text("displayName")?,
        description: body.text("description")?,
        vdcs: body.texts("vdcs")?.unwrap_or_default(),
    };
    let org = api.engine().create_org(call.caller()?, &new).await?;
    Ok(RestAnswer::created(&shown(&org)).revised(org.revision))
}

async fn update(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let body = call.object(&["displayName", "description", "enabled", "vdcs", "revision"])?;
    let on = call.revision(&body.text("revision")?.unwrap_or_default())?;
    let said = |name: &str| -> Result<Option<Option<String>>, WebError> {
        // Present and null takes it away, absent leaves it.
        let text = body.text(name)?;
        Ok(body.contains_key(name).then_some(text))
    };
    let edit = OrgEdit {
        revision: on.read(),
        display_name: said("displayName")?,
        description: said("description")?,
        enabled: body.flag("enabled")?,
        vdcs: body.texts("vdcs")?,
    };
    let changed = api
        .engine()
        .update_org(call.caller()?, call.param("id"), &edit)
        .await;
    let org = changed.map_err(|error| WebError::from(error).conditioned(on.if_match))?;
    Ok(RestAnswer::ok(&shown(&org)).revised(org.revision))
}

async fn delete(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let deleted = api.engine().delete_org(call.caller()?, call.param("id"));
    deleted.await?;
    Ok(RestAnswer::none())
}
