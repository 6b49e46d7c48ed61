//! Invoking a behavior.

use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::urn;
use coeval_api::rest::RestAnswer;
use coeval_engine::tasks::Task;
use coeval_engine::{EngineError, State, Target};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Arguments and metadata; a body that is not there says neither.
fn given(call: &CloudCall) -> Result<(Value, Value), ApiError> {
    // Blanks alone are no body: some clients send a line break.
    let body = if call.body.iter().all(u8::is_ascii_whitespace) {
        Map::new()
    } else {
        call.object()?
    };
    let one = |name| -> Result<Value, ApiError> {
        let map = body.map(name)?.cloned();
        Ok(Value::Object(map.unwrap_or_default()))
    };
    Ok((one("arguments")?, one("metadata")?))
}

fn accepted(api: &CloudState, task: &Task) -> RestAnswer {
    RestAnswer::accepted(&format!("{}/api/task/{}", api.settings.public_url, task.id))
}

/// Whatever else it may be than resolved, clients know one code for it.
fn told(error: EngineError) -> ApiError {
    match &error {
        EngineError::StateForbids { state, .. } if *state != State::Resolved => {
            ApiError::from(error).minor("RDE_ENTITY_NOT_RESOLVED")
        }
        _ => error.into(),
    }
}

pub(super) async fn on_entity(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let (of, id) = urn::entity(call.param("id"))?;
    let (arguments, metadata) = given(&call)?;
    let behavior = call.param("behavior");
    let target = Target::Id(id);
    let invoked = api
        .engine
        .invoke(caller, &of, &target, behavior, arguments, metadata);
    Ok(accepted(&api, &invoked.await.map_err(told)?))
}

pub(super) async fn of_interface(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let of = urn::interface(call.param("id"))?;
    let (arguments, metadata) = given(&call)?;
    let behavior = call.param("behavior");
    let invoked = api
        .engine
        .invoke_static(caller, &of, behavior, arguments, metadata);
    Ok(accepted(&api, &invoked.await?))
}
