//! Interfaces and their behaviors.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::lists;
use crate::route::{WebBody, WebRoute, handler};
use coeval_api::rest::{BodyFields as _, RestAnswer};
use coeval_core::types::InterfaceId;
use coeval_core::version::Version;
use coeval_engine::behaviors::{self, Behavior, interface_behavior_id};
use coeval_engine::types::Interface;
use serde_json::{Value, json};
use std::sync::Arc;

const KEYS: [&str; 6] = ["id", "vendor", "nss", "version", "name", "builtIn"];

pub(crate) fn routes() -> Vec<WebRoute> {
    vec![
        WebRoute::get("/interfaces", handler!(list))
            .about("All interfaces.")
            .listing()
            .answers(200, WebBody::Page("Interface")),
        WebRoute::post("/interfaces", handler!(create))
            .about("Defines an interface.")
            .takes("InterfaceInput")
            .answers(201, WebBody::One("Interface")),
        WebRoute::get("/interfaces/{id}", handler!(get))
            .about("One interface: vendor:nss:version.")
            .gives("Interface"),
        WebRoute::patch("/interfaces/{id}", handler!(update))
            .about("Gives an interface that is not in use another name.")
            .takes("InterfaceEdit")
            .gives("Interface"),
        WebRoute::delete("/interfaces/{id}", handler!(delete))
            .about("Deletes an interface that no type implements.")
            .answers(204, WebBody::Empty),
        WebRoute::get("/interfaces/{id}/behaviors", handler!(behaviors))
            .about("The behaviors of an interface.")
            .listing()
            .answers(200, WebBody::Page("Behavior")),
    ]
}

/// `vendor:nss:version`, alone or as the end of an id of the RDE API.
pub(crate) fn three(text: &str, what: &str) -> Result<(String, String, Version), WebError> {
    let bad = |why: String| WebError::invalid(format!("that is no {what}: {why}"));
    // Ids of the RDE API have their own prefix and the sort of thing before the three parts.
    let bare = text
        .strip_prefix("urn:vcloud:")
        .and_then(|rest| rest.split_once(':'))
        .map_or(text, |(_, rest)| rest);
    let parts: Vec<&str> = bare.split(':').collect();
    let [vendor, nss, version] = parts.as_slice() else {
        return Err(bad("use vendor:nss:version".to_owned()));
    };
    // Cut short it has zeros: `1` is 1.0.0.
    let version = Version::parse_header(version).map_err(|error| bad(error.to_string()))?;
    Ok(((*vendor).to_owned(), (*nss).to_owned(), version))
}

fn id(call: &WebCall) -> Result<InterfaceId, WebError> {
    let (vendor, nss, version) = three(call.param("id"), "interface")?;
    Ok(InterfaceId {
        vendor,
        nss,
        version,
    })
}

fn shown(interface: &Interface) -> Value {
    let Interface {
        vendor,
        nss,
        version,
        ..
    } = interface;
    json!({
        "id": format!("{vendor}:{nss}:{version}"),
        "vendor": vendor,
        "nss": nss,
        "version": version,
        "name": interface.name,
        "builtIn": interface.built_in,
    })
}

/// A behavior as it is answered.
pub(crate) fn behavior(id: &str, reference: &str, behavior: &Behavior) -> Value {
    json!({
        "id": id,
        "reference": reference,
        "name": behavior.name,
        "description": behavior.description,
        "execution": behaviors::shown(&behavior.execution),
    })
}

/// What behaviors can be filtered by.
pub(crate) const BEHAVIOR_KEYS: [&str; 4] = ["id", "reference", "name", "description"];

async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let all = api.engine().interfaces().await?;
    lists::page(&call, all.iter().map(shown).collect(), &KEYS)
}

async fn create(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let body = call.object(&["vendor", "nss", "version", "name"])?;
    // In full: what is defined must have one name only.
    let version = Version::parse_full(&body.needed("version")?)?;
    let id = InterfaceId {
        vendor: body.needed("vendor")?,
        nss: body.needed("nss")?,
        version,
    };
    let interface = Interface::new(&id, body.needed("name")?);
    let defined = api.engine().define_interface(call.caller()?, &interface);
    defined.await?;
    Ok(RestAnswer::created(&shown(&interface)))
}

async fn get(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let interface = api.engine().interface(&id(&call)?).await?;
    Ok(RestAnswer::ok(&shown(&interface)))
}

async fn update(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let name = call.object(&["name"])?.needed("name")?;
    let rename = |interface: &mut Interface| name.clone_into(&mut interface.name);
    let id = id(&call)?;
    let done = api.engine().edit_interface(call.caller()?, &id, rename);
    Ok(RestAnswer::ok(&shown(&done.await?)))
}

async fn delete(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let id = id(&call)?;
    api.engine().delete_interface(call.caller()?, &id).await?;
    Ok(RestAnswer::none())
}

async fn behaviors(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = id(&call)?;
    let all = api.engine().interface_behaviors(call.caller()?, &of);
    let all = all.await?;
    let rows = all.iter().map(|one| {
        let id = interface_behavior_id(&one.name, &of);
        behavior(&id, &id, one)
    });
    lists::page(&call, rows.collect(), &BEHAVIOR_KEYS)
}
