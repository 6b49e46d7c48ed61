//! Tasks, in XML as clients poll them, or in JSON for those who ask for it.

mod json;
mod view;
mod xml;

use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::route::{CloudBody, CloudRoute, handler};
use crate::urn;
use coeval_api::rest::RestAnswer;
use coeval_core::version::Uuid;
use http::header::ACCEPT;
use std::sync::Arc;
use view::TaskView;

pub(crate) fn routes() -> Vec<CloudRoute> {
    vec![
        CloudRoute::get("/api/task/{id}", handler!(get))
            .about("How far a task is, and what came out; JSON if Accept asks for it.")
            .answers(200, CloudBody::Xml),
        CloudRoute::post("/api/task/{id}/action/cancel", handler!(cancel))
            .about("Asks for a task to end.")
            .answers(204, CloudBody::Empty),
    ]
}

/// A bare UUID, or an id.
fn id(call: &CloudCall) -> Result<Uuid, ApiError> {
    let what = call.param("id");
    urn::uuid(what).ok_or_else(|| ApiError::id(what, "a task's id", "it has no UUID"))
}

async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let task = api.engine.task(caller, id(&call)?).await?;
    let shown = TaskView::of(&api, caller, &task).await?;
    let accept = call.headers.get(ACCEPT);
    // Pollers send the media type of their own version; that it has json in it is all that counts.
    let wants_json = accept.is_some_and(|value| {
        let value = value.as_bytes();
        value
            .windows(4)
            .any(|part| part.eq_ignore_ascii_case(b"json"))
    });
    Ok(if wants_json {
        RestAnswer::ok(&json::task(&shown))
    } else {
        RestAnswer::xml("vnd.vmware.vcloud.task+xml", xml::task(&shown))
    })
}

async fn cancel(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    api.engine.cancel_task(call.caller()?, id(&call)?).await?;
    Ok(RestAnswer::none())
}
