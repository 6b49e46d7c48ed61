//! Reading one entity.

use super::represent;
use crate::answer::Answer;
use crate::api::Api;
use crate::call::Call;
use crate::error::ApiError;
use crate::urn;
use coeval_engine::Target;
use http::header::ETAG;
use std::sync::Arc;

pub(super) async fn get(api: Arc<Api>, call: Call) -> Result<Answer, ApiError> {
    let caller = call.caller()?;
    let (of, id) = urn::entity(call.param("id"))?;
    let resource = api.engine.get(caller, &of, &Target::Id(id)).await?;
    let text = represent::entity(&api, caller, &resource, call.version).await?;
    Ok(Answer::raw_json(text).with(ETAG, &represent::etag(&resource)))
}
