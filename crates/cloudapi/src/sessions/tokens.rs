//! The caller's own API tokens, without their secrets.

use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::{listing, urn};
use coeval_api::rest::RestAnswer;
use coeval_engine::EngineError;
use coeval_engine::identity::{IdentityError, Session, SessionKind};
use serde_json::{Value, json};
use std::sync::Arc;

const KEYS: [&str; 6] = ["id", "name", "type", "owner", "org", "expirationTimestamp"];

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let tokens = own(&api, &call).await?;
    let owner = owner(&api, &call).await?;
    let rows = tokens.iter().map(|token| row(token, &owner)).collect();
    listing::answer(&api, &call, rows, &KEYS, "Tokens")
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let token = one(&api, &call).await?;
    Ok(RestAnswer::ok(&row(&token, &owner(&api, &call).await?)))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let token = one(&api, &call).await?;
    let caller = call.caller()?;
    api.engine.revoke_session(caller, &token.id).await?;
    Ok(RestAnswer::none())
}

async fn own(api: &CloudState, call: &CloudCall) -> Result<Vec<Session>, ApiError> {
    let caller = call.caller()?;
    let mut all = api.engine.list_sessions(caller, caller.user()).await?;
    // Sessions are tokens too, and none of this list.
    all.retain(|one| one.kind == SessionKind::ApiToken);
    all.sort_by_key(|one| (one.created, one.short));
    Ok(all)
}

async fn one(api: &CloudState, call: &CloudCall) -> Result<Session, ApiError> {
    let id = urn::uuid(call.param("id"));
    let id = id.ok_or_else(|| ApiError::id(call.param("id"), "a token's id", "it has no UUID"))?;
    let mut all = own(api, call).await?.into_iter();
    let unknown = || EngineError::from(IdentityError::SessionUnknown);
    // Among the caller's own alone: a token of somebody else does not exist here.
    Ok(all.find(|one| one.short == id).ok_or_else(unknown)?)
}

async fn owner(api: &CloudState, call: &CloudCall) -> Result<Value, ApiError> {
    let caller = call.caller()?;
    // Only the user and the organization of it are shown.
    super::login::session(api, caller, "").await
}

fn row(token: &Session, owner: &Value) -> Value {
    json!({
        "id": format!("urn:vcloud:token:{}", token.short),
        "name": token.name,
        "type": "REFRESH",
        "owner": owner.get("user"),
        "org": owner.get("org"),
        "expirationTimestamp": token.expires.map(coeval_api::rest::rfc3339),
        "createdTimestamp": coeval_api::rest::rfc3339(token.created),
        "issued": !token.announced,
    })
}
