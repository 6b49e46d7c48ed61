//! The log of an invocation. Only behaviors that run elsewhere have one, and none do here; who may
//! not see the entity is told the same as ever.

use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::urn;
use coeval_api::rest::RestAnswer;
use coeval_engine::lifecycle::BehaviorError;
use coeval_engine::{EngineError, Target};
use std::sync::Arc;

fn none(call: &CloudCall) -> ApiError {
    // Cut: it is the caller's own text, and goes into the answer.
    let invocation = call.param("invocation").chars().take(100).collect();
    EngineError::from(BehaviorError::NoLog { invocation }).into()
}

pub(super) async fn of_entity(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let (of, id) = urn::entity(call.param("id"))?;
    // Read first, so that the answer tells nobody of an entity that is hidden.
    api.engine.get(call.caller()?, &of, &Target::Id(id)).await?;
    Err(none(&call))
}

pub(super) async fn of_interface(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let of = urn::interface(call.param("id"))?;
    api.engine.interface(&of).await?;
    Err(none(&call))
}
