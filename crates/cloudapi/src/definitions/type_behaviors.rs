//! The behaviors of a type version, and who may invoke them.

use super::interface_behaviors::KEYS;
use super::types::type_param;
use super::{behavior_body, represent};
use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::listing;
use coeval_api::rest::RestAnswer;
use coeval_engine::EngineError;
use coeval_engine::behaviors::BehaviorAccess;
use serde_json::Value;
use std::sync::Arc;

/// What clients look for when a behavior is not one of the type's.
fn told(error: EngineError) -> ApiError {
    match error {
        EngineError::BehaviorUnknown { .. } => {
            ApiError::from(error).minor("RDE_INVALID_BEHAVIOR_SCOPE")
        }
        error => error.into(),
    }
}

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let all = api
        .engine
        .type_behaviors(call.caller()?, &of, version)
        .await?;
    let rows = all.iter().map(represent::type_behavior).collect();
    listing::answer(&api, &call, rows, &KEYS, "Behaviors")
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let which = call.param("behavior");
    let found = api
        .engine
        .type_behavior(call.caller()?, &of, version, which);
    let found = found.await.map_err(told)?;
    Ok(RestAnswer::ok(&represent::type_behavior(&found)))
}

pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let body = call.object()?;
    let description = body.text("description")?;
    let execution = behavior_body::execution(&body)?;
    let done = api.engine.override_behavior(
        call.caller()?,
        &of,
        version,
        call.param("behavior"),
        description.as_deref(),
        &execution,
    );
    let done = done.await.map_err(told)?;
    Ok(RestAnswer::ok(&represent::type_behavior(&done)))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let which = call.param("behavior");
    let done = api.engine.end_override(call.caller()?, &of, version, which);
    done.await.map_err(told)?;
    Ok(RestAnswer::none())
}

const ACCESS_KEYS: [&str; 2] = ["behaviorId", "accessLevelId"];

fn access_page(
    api: &CloudState,
    call: &CloudCall,
    all: &[BehaviorAccess],
) -> Result<RestAnswer, ApiError> {
    let rows = all.iter().map(represent::behavior_access).collect();
    listing::answer(api, call, rows, &ACCESS_KEYS, "BehaviorAccesses")
}

pub(super) async fn list_access(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let all = api
        .engine
        .behavior_access(call.caller()?, &of, version)
        .await?;
    access_page(&api, &call, &all)
}

pub(super) async fn add_access(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let access = behavior_body::access(&call.object()?)?;
    let answer = RestAnswer::ok(&represent::behavior_access(&access));
    let caller = call.caller()?;
    let done = api.engine.add_behavior_access(caller, &of, version, access);
    done.await.map_err(told)?;
    Ok(answer)
}

/// All of them; no list or an empty one takes all away.
pub(super) async fn set_access(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let body = call.object()?;
    let mut all = Vec::new();
    for value in body.list("values")?.into_iter().flatten() {
        let Value::Object(map) = value else {
            return Err(ApiError::request("each of values must be a JSON object"));
        };
        all.push(behavior_body::access(map)?);
    }
    let caller = call.caller()?;
    let done = api.engine.set_behavior_access(caller, &of, version, all);
    let done = done.await.map_err(told)?;
    access_page(&api, &call, &done)
}
