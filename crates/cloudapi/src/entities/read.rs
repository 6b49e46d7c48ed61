//! Reading one entity, and resolving it.

use super::represent::{self, EntityWriter};
use super::target::{accepted, entity, sequenced, wanting};
use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use coeval_api::negotiation::names;
use coeval_api::rest::RestAnswer;
use coeval_engine::Resource;
use http::StatusCode;
use http::header::ETAG;
use std::sync::Arc;

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, target) = entity(&call)?;
    let caller = wanting(call.caller()?, accepted(&call, Some(&of))?);
    let resource = api.engine.get(&caller, &of, &target).await?;
    let text = represent::entity(&api, &caller, &resource, call.version).await?;
    let answer = RestAnswer::raw_json(StatusCode::OK, text).with(ETAG, &represent::etag(&resource));
    // A restricted view says why it is one.
    let answer = match &resource.restricted {
        Some(reason) => answer.saying(names::WARNING, reason),
        None => answer,
    };
    Ok(sequenced(
        noticed(&api, answer, [&resource]),
        resource.token,
    ))
}

/// With what is to be said of the versions that entities are shown at.
pub(super) fn noticed<'r>(
    api: &CloudState,
    answer: RestAnswer,
    shown: impl IntoIterator<Item = &'r Resource>,
) -> RestAnswer {
    let notices = api.engine.deprecation_notices(shown);
    let warn = |answer: RestAnswer, notice: &String| answer.warning(notice);
    notices.iter().fold(answer, warn)
}

/// With the secure values in place.
pub(super) async fn full_contents(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let (of, target) = entity(&call)?;
    let caller = call.caller()?;
    let resource = api.engine.full_contents(caller, &of, &target).await?;
    let text = represent::entity(&api, caller, &resource, call.version).await?;
    let answer = RestAnswer::raw_json(StatusCode::OK, text).with(ETAG, &represent::etag(&resource));
    Ok(sequenced(
        noticed(&api, answer, [&resource]),
        resource.token,
    ))
}

pub(super) async fn resolve(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, target) = entity(&call)?;
    let caller = call.caller()?;
    let resource = api.engine.resolve(caller, &of, &target).await?;
    // Not the whole entity: clients merge this answer into what they have.
    let text = EntityWriter::new(&api, caller, call.version).entity_state(&resource);
    let answer = RestAnswer::raw_json(StatusCode::OK, text).with(ETAG, &represent::etag(&resource));
    Ok(sequenced(answer, resource.token))
}
