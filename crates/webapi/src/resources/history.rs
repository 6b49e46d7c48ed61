//! What a resource was before.

use super::read::resources;
use super::represent::{print, quarantined};
use super::target::named;
use super::write;
use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use coeval_api::rest::BodyFields as _;
use coeval_api::rest::RestAnswer;
use http::StatusCode;
use std::sync::Arc;

pub(super) async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller_at_version()?;
    let which = named(&api, &call, &caller).await?;
    let history = api.engine().history(&caller, &which.of, &which.target);
    let history = history.await?;
    let mut out = b"{\"items\":".to_vec();
    resources(&api, &caller, &history.revisions, &mut out).await?;
    // As many are kept as fit on a page.
    out.extend_from_slice(b",\"nextPageToken\":null,\"quarantined\":");
    print(&quarantined(&history.quarantined), &mut out);
    out.push(b'}');
    let notices = api.engine().deprecation_notices(&history.revisions);
    Ok(RestAnswer::raw_json(StatusCode::OK, out).warnings(&notices))
}

pub(super) async fn restore(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let which = named(&api, &call, caller).await?;
    let body = call.object(&["revision", "present"])?;
    let on = call.revision(&body.text("present")?.unwrap_or_default())?;
    let revision = coeval_api::methods::parse_revision(&body.needed("revision")?);
    let restored = api
        .methods
        .restore(caller, &which.of, &which.target, revision, on.read())
        .await;
    let written = restored.map_err(|error| WebError::from(error).conditioned(on.if_match))?;
    // 0.1.0 answers nothing but 200 here; a task of a hook is named in the body.
    let mut answer = write::answer(&api, caller, &written).await?;
    answer.status = StatusCode::OK;
    Ok(answer)
}
