//! To whom bundles and global roles are published.

use super::bundles::one;
use super::right::references;
use super::roles;
use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::listing;
use crate::orgs::places;
use coeval_access::BundleAudience;
use coeval_api::rest::RestAnswer;
use coeval_engine::SYSTEM_ORG;
use coeval_engine::identity::{PublishTo, RightsBundle};
use serde_json::json;
use std::sync::Arc;

const KEYS: [&str; 2] = ["id", "name"];

pub(super) async fn tenants(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let bundle = one(&api, &call).await?;
    page(&api, &call, &bundle.published).await
}

pub(super) async fn replace(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (caller, id) = (call.caller()?, call.param("id"));
    let orgs = orgs(&call)?;
    let bundle = api.engine.publish_bundle_only_to(caller, id, &orgs).await?;
    page(&api, &call, &bundle.published).await
}

pub(super) async fn publish(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let to = PublishTo::Orgs(orgs(&call)?);
    let bundle = published(&api, &call, &to).await?;
    page(&api, &call, &bundle.published).await
}

pub(super) async fn publish_all(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let bundle = published(&api, &call, &PublishTo::All).await?;
    page(&api, &call, &bundle.published).await
}

pub(super) async fn unpublish(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let from = PublishTo::Orgs(orgs(&call)?);
    let bundle = unpublished(&api, &call, &from).await?;
    page(&api, &call, &bundle.published).await
}

pub(super) async fn unpublish_all(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let bundle = unpublished(&api, &call, &PublishTo::All).await?;
    page(&api, &call, &bundle.published).await
}

/// All organizations, whichever the body names: a global role is there for everybody.
pub(super) async fn role_tenants(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    roles::global(&api, &call).await?;
    page(&api, &call, &BundleAudience::ToAll).await
}

pub(super) async fn role_replace(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    roles::global(&api, &call).await?;
    let named = orgs(&call)?;
    let all = places::orgs(&api, call.caller()?).await?;
    // The provider's own organization is published nothing.
    let mut tenants = all.iter().filter(|org| org.id != SYSTEM_ORG);
    // By name, by id, or by the bare end of an id, as clients send them.
    let has = |what: &String, id: &str, name: &str| {
        what == name || places::bare(what) == places::bare(id)
    };
    // A client that sends the list of all tenants wants what is so already; any shorter list can't be kept.
    let everybody = tenants.all(|org| named.iter().any(|what| has(what, &org.id, &org.name)));
    if everybody {
        page(&api, &call, &BundleAudience::ToAll).await
    } else {
        Err(ApiError::GlobalRole)
    }
}

pub(super) async fn role_unpublish(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    // Looked up first, so that a role that does not exist is told as such.
    roles::global(&api, &call).await?;
    Err(ApiError::GlobalRole)
}

async fn published(
    api: &CloudState,
    call: &CloudCall,
    to: &PublishTo,
) -> Result<RightsBundle, ApiError> {
    let (caller, id) = (call.caller()?, call.param("id"));
    Ok(api.engine.publish_bundle(caller, id, to).await?)
}

async fn unpublished(
    api: &CloudState,
    call: &CloudCall,
    from: &PublishTo,
) -> Result<RightsBundle, ApiError> {
    let (caller, id) = (call.caller()?, call.param("id"));
    Ok(api.engine.unpublish_bundle(caller, id, from).await?)
}

/// The organizations that a body lists.
fn orgs(call: &CloudCall) -> Result<Vec<String>, ApiError> {
    let body = call.object()?;
    let list = body.list("values")?;
    references(list.ok_or_else(|| ApiError::request("values is missing"))?)
}

async fn page(
    api: &CloudState,
    call: &CloudCall,
    published: &BundleAudience,
) -> Result<RestAnswer, ApiError> {
    let orgs = places::orgs(api, call.caller()?).await?;
    let orgs = orgs.iter().filter(|org| org.id != SYSTEM_ORG);
    let orgs = orgs.filter(|org| published.includes(&org.id));
    let rows = orgs.map(|org| json!({ "name": org.name, "id": org.id }));
    listing::answer(api, call, rows.collect(), &KEYS, "EntityReferences")
}
