//! Rights bundles, and publishing them.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::lists;
use crate::route::{WebBody, WebRoute, handler};
use coeval_access::BundleAudience;
use coeval_api::rest::{BodyFields as _, RestAnswer};
use coeval_engine::identity::{BundleEdit, NewBundle, PublishTo, RightsBundle};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const KEYS: [&str; 6] = ["id", "name", "description", "predefined", "type", "rights"];

pub(crate) fn routes() -> Vec<WebRoute> {
    vec![
        WebRoute::get("/bundles", handler!(list))
            .about("The rights bundles.")
            .listing()
            .answers(200, WebBody::Page("Bundle")),
        WebRoute::post("/bundles", handler!(create))
            .about("Makes a bundle; it is published to nobody yet.")
            .takes("BundleInput")
            .answers(201, WebBody::One("Bundle")),
        WebRoute::get("/bundles/{id}", handler!(get))
            .about("One bundle, by name or id.")
            .gives("Bundle"),
        WebRoute::patch("/bundles/{id}", handler!(update))
            .about("Changes a bundle; what is not said stays.")
            .takes("BundleEdit")
            .gives("Bundle"),
        WebRoute::delete("/bundles/{id}", handler!(delete))
            .about("Deletes a bundle.")
            .answers(204, WebBody::Empty),
        WebRoute::post("/bundles/{id}/publish", handler!(publish))
            .about("Publishes a bundle to organizations, or to all.")
            .takes("Publication")
            .gives("Bundle"),
        WebRoute::post("/bundles/{id}/unpublish", handler!(unpublish))
            .about("Takes a bundle back from organizations, or from all.")
            .takes("Publication")
            .gives("Bundle"),
    ]
}

fn shown(bundle: &RightsBundle) -> Value {
    let (all, orgs) = match &bundle.published {
        // Nobody by name: such a list would be out of date with the next organization.
        BundleAudience::ToAll => (true, Vec::new()),
        BundleAudience::To(orgs) => (false, orgs.iter().cloned().collect()),
    };
    json!({
        "id": bundle.id,
        "name": bundle.name,
        "description": bundle.description,
        "rights": bundle.rights,
        "published": { "all": all, "organizations": orgs },
        "type": bundle.of_type,
        "predefined": bundle.predefined,
        "revision": bundle.revision.to_string(),
    })
}

fn answered(bundle: &RightsBundle) -> RestAnswer {
    RestAnswer::ok(&shown(bundle)).revised(bundle.revision)
}

async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let all = api.engine().list_bundles(call.caller()?).await?;
    lists::page(&call, all.iter().map(shown).collect(), &KEYS)
}

async fn get(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let bundle = api.engine().get_bundle(call.caller()?, call.param("id"));
    Ok(answered(&bundle.await?))
}

async fn create(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let body = call.object(&["name", "description", "rights"])?;
    let new = NewBundle {
        name: body.needed("name")?,
        description: body.text("description")?,
        rights: body.texts("rights")?.unwrap_or_default(),
    };
    let bundle = api.engine().create_bundle(call.caller()?, &new).await?;
    Ok(RestAnswer::created(&shown(&bundle)).revised(bundle.revision))
}

async fn update(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let body = call.object(&["name", "description", "rights", "revision"])?;
    let on = call.revision(&body.text("revision")?.unwrap_or_default())?;
    let description = body.text("description")?;
    let edit = BundleEdit {
        revision: on.read(),
        name: body.text("name")?,
        // Present and null takes it away, absent leaves it; `text` alone tells the same for both.
        description: body.contains_key("description").then_some(description),
        rights: body.texts("rights")?,
    };
    let changed = api
        .engine()
        .update_bundle(call.caller()?, call.param("id"), &edit)
        .await;
    let bundle = changed.map_err(|error| WebError::from(error).conditioned(on.if_match))?;
    Ok(answered(&bundle))
}

async fn delete(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let deleted = api.engine().delete_bundle(call.caller()?, call.param("id"));
    deleted.await?;
    Ok(RestAnswer::none())
}

fn whom(body: &Map<String, Value>) -> Result<PublishTo, WebError> {
    match (body.flag("all")?, body.texts("organizations")?) {
        (Some(true), None) => Ok(PublishTo::All),
        (None | Some(false), Some(orgs)) if !orgs.is_empty() => Ok(PublishTo::Orgs(orgs)),
        // An empty list too: publishing to nobody is a slip, and not a change.
        _ => Err(WebError::invalid(
            "say organizations, or all: true, and not both",
        )),
    }
}

async fn publish(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let to = whom(&call.object(&["all", "organizations"])?)?;
    let done = api
        .engine()
        .publish_bundle(call.caller()?, call.param("id"), &to);
    Ok(answered(&done.await?))
}

async fn unpublish(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let from = whom(&call.object(&["all", "organizations"])?)?;
    let done = api
        .engine()
        .unpublish_bundle(call.caller()?, call.param("id"), &from);
    Ok(answered(&done.await?))
}
