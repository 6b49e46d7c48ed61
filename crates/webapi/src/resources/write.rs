//! Changing resources.

use super::body::{SentResource, read, read_for};
use super::represent::{ResourceWriter, print};
use super::target::{named, selector};
use crate::api::WebState;
use crate::call::{RevisionCondition, WebCall};
use crate::error::WebError;
use crate::tasks;
use coeval_api::methods::{DeleteOutcome, UpdateMask, UpgradeParams, WriteOutcome};
use coeval_api::negotiation::names;
use coeval_api::rest::{BodyFields as _, RestAnswer, pointers};
use coeval_engine::Caller;
use http::StatusCode;
use serde_json::json;
use std::sync::Arc;

pub(super) async fn create(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let of = api.methods.kind(caller, call.param("kind")).await?;
    let mut sent = read(&api, &call, caller, &of).await?;
    no_mask(&sent)?;
    sent.body.strict = call.query.flag("strict")?.unwrap_or(false);
    let written = api.methods.create(caller, &of, sent.body).await?;
    answer(&api, caller, &written).await
}

pub(super) async fn replace(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let of = api.methods.kind(caller, call.param("kind")).await?;
    let mut sent = read_for(&api, &call, caller, &of).await?;
    no_mask(&sent)?;
    sent.body.strict = call.query.flag("strict")?.unwrap_or(false);
    let on = conditioned(&call, &mut sent)?;
    let force = call.force()?;
    let written = if call.query.flag("upsert")?.unwrap_or(false) {
        api.methods.upsert(caller, &of, sent.body, force).await
    } else {
        let update = api.methods.update(caller, &of, sent.body, None, force);
        update.await
    };
    let written = written.map_err(|error| WebError::from(error).conditioned(on.if_match))?;
    answer(&api, caller, &written).await
}

pub(super) async fn patch(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let of = api.methods.kind(caller, call.param("kind")).await?;
    let mut sent = read_for(&api, &call, caller, &of).await?;
    sent.body.strict = call.query.flag("strict")?.unwrap_or(false);
    let on = conditioned(&call, &mut sent)?;
    // No mask is an empty one, which is refused below: a patch must say what it changes.
    let mask = sent.mask.take().unwrap_or_default();
    let mask = UpdateMask::parse(mask.iter().map(String::as_str))?;
    let force = call.force()?;
    let update = api
        .methods
        .update(caller, &of, sent.body, Some(&mask), force);
    let written = update.await;
    let written = written.map_err(|error| WebError::from(error).conditioned(on.if_match))?;
    answer(&api, caller, &written).await
}

pub(super) async fn delete(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let which = named(&api, &call, caller).await?;
    let on = call.revision(call.query.get("revision").unwrap_or_default())?;
    let force = call.force()?;
    let deleted = api
        .methods
        .delete(caller, &which.of, &which.target, &on.revision, force);
    let deleted = deleted.await;
    let deleted = deleted.map_err(|error| WebError::from(error).conditioned(on.if_match))?;
    Ok(match deleted {
        DeleteOutcome::Done(token) => {
            let body = json!({ "task": null, "sequence": token.to_string() });
            RestAnswer::ok(&body).sequenced(token)
        }
        // Whether it is deleted is known when the task has ended.
        DeleteOutcome::Accepted(task) => {
            let body = json!({ "task": task, "sequence": null });
            RestAnswer::json(StatusCode::ACCEPTED, &body)
        }
    })
}

pub(super) async fn status(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let which = named(&api, &call, caller).await?;
    let body = call.object(&["message", "revision"])?;
    let on = call.revision(&body.text("revision")?.unwrap_or_default())?;
    let message = body.text("message")?.unwrap_or_default();
    let written = api
        .methods
        .update_status(caller, &which.of, &which.target, &message, &on.revision)
        .await;
    let written = written.map_err(|error| WebError::from(error).conditioned(on.if_match))?;
    answer(&api, caller, &written).await
}

pub(super) async fn upgrade(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let which = named(&api, &call, caller).await?;
    let body = call.object(&["version", "revision", "dryRun"])?;
    let on = call.revision(&body.text("revision")?.unwrap_or_default())?;
    let version = body.text("version")?.unwrap_or_default();
    let dry_run = body.flag("dryRun")?.unwrap_or_default();
    let (of, target) = (&which.of, &which.target);
    let written = api
        .methods
        .upgrade(caller, of, target, &version, &on.revision, dry_run)
        .await;
    let written = written.map_err(|error| WebError::from(error).conditioned(on.if_match))?;
    answer(&api, caller, &written).await
}

pub(super) async fn upgrade_many(
    api: Arc<WebState>,
    call: WebCall,
) -> Result<RestAnswer, WebError> {
    // The filter is about the views at the version that the query names (decision 0009).
    let caller = call.caller_at_version()?;
    let of = api.methods.kind(&caller, call.param("kind")).await?;
    let body = call.object(&["version", "dryRun"])?;
    let asked = UpgradeParams {
        namespace: call.query.get("namespace").unwrap_or_default().to_owned(),
        selector: selector(&call)?,
        version: body.text("version")?.unwrap_or_default(),
        dry_run: body.flag("dryRun")?.unwrap_or_default(),
    };
    let (task, warnings) = api.methods.upgrade_many(&caller, &of, &asked).await?;
    let answer = RestAnswer::json(StatusCode::ACCEPTED, &tasks::shown(&task));
    Ok(answer.warnings(&warnings))
}

fn no_mask(sent: &SentResource) -> Result<(), WebError> {
    match sent.mask {
        None => Ok(()),
        Some(_) => Err(WebError::invalid("a mask belongs to PATCH")),
    }
}

/// Puts the revision of `If-Match` into the body.
fn conditioned(call: &WebCall, sent: &mut SentResource) -> Result<RevisionCondition, WebError> {
    let on = call.revision(&sent.body.meta.revision)?;
    on.revision.clone_into(&mut sent.body.meta.revision);
    Ok(on)
}

/// What a write answers: the resource, and what the write left alone or took along.
pub(super) async fn answer(
    api: &WebState,
    caller: &Caller,
    written: &WriteOutcome,
) -> Result<RestAnswer, WebError> {
    let resource = &written.resource;
    // Written by hand, so that the content is copied as it is stored and never read.
    let mut out = Vec::with_capacity(ResourceWriter::size(resource) + 256);
    out.extend_from_slice(b"{\"resource\":");
    ResourceWriter::new(api, caller)
        .resource(resource, &mut out)
        .await?;
    for (name, all) in [("kept", &written.kept), ("dropped", &written.dropped)] {
        out.extend_from_slice(format!(",\"{name}\":").as_bytes());
        print(all, &mut out);
    }
    out.extend_from_slice(b",\"overrode\":");
    print(&written.overrode, &mut out);
    out.extend_from_slice(b",\"task\":");
    print(&written.task, &mut out);
    out.push(b'}');
    // 202 where a task goes on with the write: what is shown may not be the last word.
    let status = match (written.created, &written.task) {
        (true, _) => StatusCode::CREATED,
        (false, Some(_)) => StatusCode::ACCEPTED,
        (false, None) => StatusCode::OK,
    };
    let mut answer = RestAnswer::raw_json(status, out)
        .revised(resource.revision)
        .sequenced(resource.token);
    // Headers hold as many as fit; the body has all of them.
    for (name, all) in [
        (names::KEPT, &written.kept),
        (names::DROPPED, &written.dropped),
    ] {
        if let Some(all) = pointers(all) {
            answer = answer.saying(name, &all);
        }
    }
    Ok(answer.warnings(&written.all_warnings()))
}
