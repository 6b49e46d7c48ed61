//! The behaviors of an interface.

use super::{behavior_body, represent};
use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::{listing, urn};
use coeval_api::rest::RestAnswer;
use coeval_core::types::InterfaceId;
use coeval_engine::EngineError;
use coeval_engine::behaviors::Behavior;
use http::StatusCode;
use serde_json::Value;
use std::sync::Arc;

pub(super) const KEYS: [&str; 5] = ["name", "id", "ref", "description", "execution"];

fn page(
    api: &CloudState,
    call: &CloudCall,
    id: &InterfaceId,
    all: &[Behavior],
) -> Result<RestAnswer, ApiError> {
    let rows = all.iter().map(|one| represent::interface_behavior(id, one));
    listing::answer(api, call, rows.collect(), &KEYS, "Behaviors")
}

/// What clients look for when a behavior is there already, or is not.
fn told(error: EngineError) -> ApiError {
    match error {
        EngineError::BehaviorExists { .. } => {
            ApiError::from(error).minor("RDE_BEHAVIOR_ALREADY_EXISTS")
        }
        EngineError::BehaviorUnknown { .. } => {
            ApiError::from(error).told(StatusCode::FORBIDDEN, "ACCESS_TO_RESOURCE_IS_FORBIDDEN")
        }
        error => error.into(),
    }
}

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let id = urn::interface(call.param("id"))?;
    let all = api.engine.interface_behaviors(call.caller()?, &id).await?;
    page(&api, &call, &id, &all)
}

pub(super) async fn create(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let id = urn::interface(call.param("id"))?;
    let behavior = behavior_body::behavior(&call.object()?)?;
    let made = api.engine.add_behavior(call.caller()?, &id, behavior).await;
    let made = made.map_err(told)?;
    Ok(RestAnswer::ok(&represent::interface_behavior(&id, &made)))
}

pub(super) async fn replace(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let id = urn::interface(call.param("id"))?;
    // Clients send a page, and its values count; a bare list means the same.
    let mut behaviors = Vec::new();
    let body = call.json()?;
    let values = match &body {
        Value::Array(list) => Some(list),
        Value::Object(page) => page.list("values")?,
        _ => return Err(ApiError::request("the body must be a page of behaviors")),
    };
    for value in values.into_iter().flatten() {
        let Value::Object(map) = value else {
            return Err(ApiError::request("a behavior must be a JSON object"));
        };
        behaviors.push(behavior_body::behavior(map)?);
    }
    let done = api.engine.set_behaviors(call.caller()?, &id, behaviors);
    let done = done.await.map_err(told)?;
    page(&api, &call, &id, &done)
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let id = urn::interface(call.param("id"))?;
    let which = call.param("behavior");
    let found = api.engine.interface_behavior(call.caller()?, &id, which);
    let found = found.await.map_err(told)?;
    Ok(RestAnswer::ok(&represent::interface_behavior(&id, &found)))
}

pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let id = urn::interface(call.param("id"))?;
    let body = call.object()?;
    let description = body.text("description")?;
    // The name is part of the id, and so can't be changed: that of the body is not looked at.
    let execution = behavior_body::execution(&body)?;
    let done = api.engine.change_behavior(
        call.caller()?,
        &id,
        call.param("behavior"),
        description.as_deref(),
        &execution,
    );
    let done = done.await.map_err(told)?;
    Ok(RestAnswer::ok(&represent::interface_behavior(&id, &done)))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let id = urn::interface(call.param("id"))?;
    let which = call.param("behavior");
    let done = api.engine.remove_behavior(call.caller()?, &id, which);
    done.await.map_err(told)?;
    Ok(RestAnswer::none())
}
