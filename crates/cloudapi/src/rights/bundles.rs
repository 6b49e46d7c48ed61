//! Rights bundles.

use super::right::{listed, page};
use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::listing;
use coeval_access::BundleAudience;
use coeval_api::rest::RestAnswer;
use coeval_engine::identity::{BundleEdit, NewBundle, PublishTo, RightsBundle};
use coeval_engine::{Attempts, EngineError};
use http::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;

const KEYS: [&str; 5] = ["id", "name", "description", "readOnly", "publishAll"];
/// How many attempts an edit of rights has that loses races.
const ATTEMPTS: usize = 8;

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let mut all = api.engine.list_bundles(call.caller()?).await?;
    all.sort_by(|one, other| one.name.cmp(&other.name));
    let rows = all.iter().map(row).collect();
    listing::answer(&api, &call, rows, &KEYS, "RightsBundles")
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    Ok(RestAnswer::ok(&row(&one(&api, &call).await?)))
}

/// The bundle that the path names.
pub(super) async fn one(api: &CloudState, call: &CloudCall) -> Result<RightsBundle, ApiError> {
    let caller = call.caller()?;
    Ok(api.engine.get_bundle(caller, call.param("id")).await?)
}

pub(super) async fn create(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let body = call.object()?;
    let new = NewBundle {
        name: body.needed("name")?,
        description: body.text("description")?,
        rights: Vec::new(),
    };
    // Two writes: a bundle exists before it is published.
    let to_all = body.flag("publishAll")? == Some(true);
    let mut bundle = api.engine.create_bundle(caller, &new).await?;
    if to_all {
        let all = PublishTo::All;
        bundle = api.engine.publish_bundle(caller, &bundle.id, &all).await?;
    }
    Ok(RestAnswer::json(StatusCode::CREATED, &row(&bundle)))
}

pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let body = call.object()?;
    let bundle = one(&api, &call).await?;
    let edit = BundleEdit {
        // On what was just read: a change in between is refused, and not overwritten.
        revision: Some(bundle.revision),
        // The same name is no renaming.
        name: body.text("name")?.filter(|name| *name != bundle.name),
        // A PUT replaces: what is absent is removed.
        description: Some(body.text("description")?),
        rights: None,
    };
    let caller = call.caller()?;
    let bundle = api.engine.update_bundle(caller, &bundle.id, &edit).await?;
    Ok(RestAnswer::ok(&row(&bundle)))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    api.engine
        .delete_bundle(call.caller()?, call.param("id"))
        .await?;
    Ok(RestAnswer::none())
}

pub(super) async fn get_rights(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let bundle = one(&api, &call).await?;
    page(&api, &call, &bundle.rights)
}

pub(super) async fn set_rights(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let rights = listed(&api, &call).await?;
    change_rights(&api, &call, |_| rights.clone()).await
}

pub(super) async fn add_rights(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let added = listed(&api, &call).await?;
    let with = |mut rights: Vec<String>| {
        for right in &added {
            if !rights.contains(right) {
                rights.push(right.clone());
            }
        }
        rights
    };
    change_rights(&api, &call, with).await
}

async fn change_rights(
    api: &CloudState,
    call: &CloudCall,
    change: impl Fn(Vec<String>) -> Vec<String>,
) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let mut attempts = Attempts::at_most(ATTEMPTS);
    loop {
        attempts.begin().map_err(EngineError::from)?;
        // Read anew for each attempt, so that what somebody else changed stays.
        let bundle = one(api, call).await?;
        let rights = change(bundle.rights.clone());
        // A type's own bundle never changes, but may be asked to stay as it is.
        if rights == bundle.rights {
            return page(api, call, &rights);
        }
        let edit = BundleEdit {
            revision: Some(bundle.revision),
            rights: Some(rights),
            ..BundleEdit::default()
        };
        match api.engine.update_bundle(caller, &bundle.id, &edit).await {
            // Lost a race: once more, on what is there now.
            Err(EngineError::Conflict { .. }) => {}
            other => return page(api, call, &other?.rights),
        }
    }
}

fn row(bundle: &RightsBundle) -> Value {
    json!({
        "id": bundle.id,
        "name": bundle.name,
        "description": bundle.description,
        "bundleKey": "com.vmware.vcloud.undefined.key",
        "readOnly": bundle.predefined,
        "publishAll": bundle.published == BundleAudience::ToAll,
    })
}
