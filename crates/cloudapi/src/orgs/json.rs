//! Organizations in JSON.

use super::places;
use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::listing;
use coeval_api::rest::RestAnswer;
use coeval_engine::identity::{NewOrg, OrgEdit, Organization};
use http::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;

const KEYS: [&str; 5] = ["id", "name", "displayName", "description", "isEnabled"];

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let all = places::orgs(&api, call.caller()?).await?;
    let rows = all.iter().map(row).collect();
    listing::answer(&api, &call, rows, &KEYS, "Orgs")
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let org = api.engine.get_org(call.caller()?, call.param("id")).await?;
    Ok(RestAnswer::ok(&row(&org)))
}

pub(super) async fn create(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let body = call.object()?;
    let new = NewOrg {
        name: body.needed("name")?,
        display_name: body.text("displayName")?,
        description: body.text("description")?,
        vdcs: Vec::new(),
    };
    // The engine creates organizations enabled.
    let enabled = body.flag("isEnabled")?.unwrap_or(true);
    let mut org = api.engine.create_org(caller, &new).await?;
    // A second write. In between it is enabled, and has nobody in it who could log in.
    if !enabled {
        let edit = OrgEdit {
            enabled: Some(false),
            ..OrgEdit::default()
        };
        org = api.engine.update_org(caller, &org.id, &edit).await?;
    }
    Ok(RestAnswer::json(StatusCode::CREATED, &row(&org)))
}

pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let body = call.object()?;
    let org = api.engine.get_org(caller, call.param("id")).await?;
    if body.text("name")?.is_some_and(|name| name != org.name) {
        return Err(ApiError::request(
            "the name of an organization never changes",
        ));
    }
    // A PUT replaces: a display name or description that is absent is removed. Data centers are not in this
    // form, and stay.
    let edit = OrgEdit {
        // On what was just read: a change in between is refused, and not overwritten.
        revision: Some(org.revision),
        display_name: Some(body.text("displayName")?),
        description: Some(body.text("description")?),
        enabled: body.flag("isEnabled")?,
        vdcs: None,
    };
    let org = api.engine.update_org(caller, &org.id, &edit).await?;
    Ok(RestAnswer::ok(&row(&org)))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    api.engine
        .delete_org(call.caller()?, call.param("id"))
        .await?;
    Ok(RestAnswer::none())
}

fn row(org: &Organization) -> Value {
    json!({
        "id": org.id,
        "name": org.name,
        "displayName": org.display_name.as_ref().unwrap_or(&org.name),
        "description": org.description,
        "isEnabled": org.enabled,
        "orgVdcCount": org.vdcs.len(),
        "managedBy": null,
        "canManageOrgs": false,
        "canPublish": false,
    })
}
