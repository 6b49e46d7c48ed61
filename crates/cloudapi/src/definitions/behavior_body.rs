//! A behavior, and who may invoke one, as they are sent.

use crate::call::BodyFields;
use crate::error::ApiError;
use coeval_access::AccessLevel;
use coeval_codes::Coded;
use coeval_engine::behaviors::{Behavior, BehaviorAccess};
use serde_json::{Map, Value};

pub(super) fn behavior(body: &Map<String, Value>) -> Result<Behavior, ApiError> {
    Ok(Behavior {
        name: body.needed("name")?,
        description: body.text("description")?,
        execution: execution(body)?,
    })
}

pub(super) fn execution(body: &Map<String, Value>) -> Result<Value, ApiError> {
    let execution = body.map("execution")?;
    let execution = execution.ok_or_else(|| ApiError::request("execution is missing"))?;
    Ok(Value::Object(execution.clone()))
}

pub(super) fn level(text: &str) -> Result<AccessLevel, ApiError> {
    let unknown =
        |error: coeval_access::LevelUnknown| ApiError::id(text, "an access level", error.advice());
    text.parse().map_err(unknown)
}

pub(super) fn access(body: &Map<String, Value>) -> Result<BehaviorAccess, ApiError> {
    Ok(BehaviorAccess {
        behavior: body.needed("behaviorId")?,
        level: level(&body.needed("accessLevelId")?)?,
    })
}
