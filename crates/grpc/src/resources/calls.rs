//! The methods of the generic service.

use super::message::{ResourceRenderer, applied, body};
use super::watch as watching;
use crate::api::GrpcState;
use crate::call::{GrpcCall, TASK, answer, saying, sequenced, warned, warning};
use crate::header::quarantined;
use crate::proto::resources::v1 as pb;
use crate::watching::{WatchResponses, until_moved};
use coeval_api::methods::{
    DeleteOutcome, ListParams, MethodError, ResourceSelector, UpdateMask, UpgradeParams,
};
use std::sync::Arc;
use tonic::Response;

/// What a method answers.
type CallResult<T> = Result<Response<T>, MethodError>;

fn needed(resource: Option<pb::Resource>) -> Result<pb::Resource, MethodError> {
    resource.ok_or_else(|| MethodError::invalid("resource is missing"))
}

pub(super) async fn create(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::CreateResourceRequest>,
) -> CallResult<pb::CreateResourceResponse> {
    let (methods, caller, asked) = (&api.methods, &call.caller, call.message);
    let resource = needed(asked.resource)?;
    // Looked at before the write: a form that can't be answered must not be found out afterwards.
    let showing = ResourceRenderer::of(&resource.kind, asked.spec_form)?;
    let of = methods.kind(caller, &resource.kind).await?;
    let mut body = body(resource, asked.applied)?;
    body.strict = asked.strict;
    let written = methods.create(caller, &of, body).await?;
    let message = pb::CreateResourceResponse {
        resource: Some(showing.shown(&api, caller, &written.resource).await?),
        task: written.task.clone().unwrap_or_default(),
    };
    let response = sequenced(caller, written.resource.token, message);
    Ok(warned(response, &written))
}

pub(super) async fn get(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::GetResourceRequest>,
) -> CallResult<pb::GetResourceResponse> {
    let caller = call.at(&call.message.version)?;
    let (methods, asked) = (&api.methods, call.message);
    let showing = ResourceRenderer::of(&asked.kind, asked.spec_form)?;
    let of = methods.kind(&caller, &asked.kind).await?;
    let found = methods
        .get(&caller, &of, &asked.name, &asked.namespace)
        .await?;
    let message = pb::GetResourceResponse {
        resource: Some(showing.shown(&api, &caller, &found).await?),
        left_out: methods.left_out(&caller, &found).await?,
        applied: applied(&found),
    };
    let notices = methods.engine().deprecation_notices([&found]);
    let response = sequenced(&caller, found.token, message);
    Ok(warning(response, &notices))
}

pub(super) async fn list(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::ListResourcesRequest>,
) -> CallResult<pb::ListResourcesResponse> {
    let caller = call.at(&call.message.version)?;
    let (methods, asked) = (&api.methods, call.message);
    let showing = ResourceRenderer::of(&asked.kind, asked.spec_form)?;
    let of = methods.kind(&caller, &asked.kind).await?;
    let size = usize::try_from(asked.page_size);
    let query = ListParams {
        page_size: size.map_err(|_| MethodError::invalid("page_size is negative"))?,
        page_token: asked.page_token,
        namespace: asked.namespace,
        selector: ResourceSelector {
            filter: asked.filter,
            stored_version: asked.stored_version,
            ..ResourceSelector::default()
        },
        order_by: asked.order_by,
        ..ListParams::default()
    };
    let page = methods.list(&caller, &of, &query).await?;
    let mut resources = Vec::with_capacity(page.items.len());
    for resource in &page.items {
        resources.push(showing.shown(&api, &caller, resource).await?);
    }
    let message = pb::ListResourcesResponse {
        resources,
        next_page_token: page.next.unwrap_or_default(),
        quarantined: page.quarantined.iter().map(quarantined).collect(),
        sequence: page.token.to_string(),
    };
    let response = sequenced(&caller, page.token, message);
    Ok(warning(response, &page.warnings))
}

pub(super) async fn update(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::UpdateResourceRequest>,
) -> CallResult<pb::UpdateResourceResponse> {
    let (methods, caller, asked) = (&api.methods, &call.caller, call.message);
    let resource = needed(asked.resource)?;
    let mask = asked.update_mask;
    let mask = mask.map(|mask| UpdateMask::parse(mask.paths.iter().map(String::as_str)));
    let mask = mask.transpose()?;
    let showing = ResourceRenderer::of(&resource.kind, asked.spec_form)?;
    let of = methods.kind(caller, &resource.kind).await?;
    let mut body = body(resource, asked.applied)?;
    body.strict = asked.strict;
    let written = methods
        .update(caller, &of, body, mask.as_ref(), call.force)
        .await?;
    let message = pb::UpdateResourceResponse {
        resource: Some(showing.shown(&api, caller, &written.resource).await?),
        kept: written.kept.clone(),
        dropped: written.dropped.clone(),
        task: written.task.clone().unwrap_or_default(),
    };
    let response = sequenced(caller, written.resource.token, message);
    Ok(warned(response, &written))
}

pub(super) async fn upsert(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::UpsertResourceRequest>,
) -> CallResult<pb::UpsertResourceResponse> {
    let (methods, caller, asked) = (&api.methods, &call.caller, call.message);
    let resource = needed(asked.resource)?;
    let showing = ResourceRenderer::of(&resource.kind, asked.spec_form)?;
    let of = methods.kind(caller, &resource.kind).await?;
    let mut body = body(resource, None)?;
    body.strict = asked.strict;
    let written = methods.upsert(caller, &of, body, call.force).await?;
    let message = pb::UpsertResourceResponse {
        resource: Some(showing.shown(&api, caller, &written.resource).await?),
        kept: written.kept.clone(),
        dropped: written.dropped.clone(),
        task: written.task.clone().unwrap_or_default(),
        created: written.created,
    };
    let response = sequenced(caller, written.resource.token, message);
    Ok(warned(response, &written))
}

pub(super) async fn update_status(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::UpdateResourceStatusRequest>,
) -> CallResult<pb::UpdateResourceStatusResponse> {
    let (methods, caller, asked) = (&api.methods, &call.caller, call.message);
    let showing = ResourceRenderer::of(&asked.kind, asked.spec_form)?;
    let of = methods.kind(caller, &asked.kind).await?;
    let target = methods
        .target(caller, &of, &asked.name, &asked.namespace)
        .await?;
    let written = methods
        .update_status(caller, &of, &target, &asked.message, &asked.revision)
        .await?;
    let message = pb::UpdateResourceStatusResponse {
        resource: Some(showing.shown(&api, caller, &written.resource).await?),
    };
    let response = sequenced(caller, written.resource.token, message);
    Ok(warned(response, &written))
}

pub(super) async fn delete(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::DeleteResourceRequest>,
) -> CallResult<()> {
    let (methods, caller, asked) = (&api.methods, &call.caller, call.message);
    let of = methods.kind(caller, &asked.kind).await?;
    let target = methods
        .target(caller, &of, &asked.name, &asked.namespace)
        .await?;
    let deleted = methods
        .delete(caller, &of, &target, &asked.revision, call.force)
        .await?;
    Ok(match deleted {
        DeleteOutcome::Done(token) => sequenced(caller, token, ()),
        DeleteOutcome::Accepted(task) => saying(answer(caller, ()), TASK, &task),
    })
}

pub(super) async fn list_revisions(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::ListRevisionsRequest>,
) -> CallResult<pb::ListRevisionsResponse> {
    let caller = call.at(&call.message.version)?;
    let (methods, asked) = (&api.methods, call.message);
    let showing = ResourceRenderer::of(&asked.kind, asked.spec_form)?;
    let of = methods.kind(&caller, &asked.kind).await?;
    let target = methods
        .target(&caller, &of, &asked.name, &asked.namespace)
        .await?;
    let history = methods.engine().history(&caller, &of, &target).await?;
    let mut revisions = Vec::with_capacity(history.revisions.len());
    for one in &history.revisions {
        revisions.push(pb::Revision {
            resource: Some(showing.shown(&api, &caller, one).await?),
            generation: one.header.generation,
            modified_by: one.header.modified_by.clone(),
        });
    }
    let message = pb::ListRevisionsResponse {
        revisions,
        quarantined: history.quarantined.iter().map(quarantined).collect(),
    };
    let notices = methods.engine().deprecation_notices(&history.revisions);
    Ok(warning(answer(&caller, message), &notices))
}

pub(super) async fn restore(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::RestoreResourceRequest>,
) -> CallResult<pb::RestoreResourceResponse> {
    let (methods, caller, asked) = (&api.methods, &call.caller, call.message);
    if asked.revision.is_empty() {
        return Err(MethodError::invalid(
            "revision is missing: say which one is to be written again",
        ));
    }
    let showing = ResourceRenderer::of(&asked.kind, asked.spec_form)?;
    let of = methods.kind(caller, &asked.kind).await?;
    let target = methods
        .target(caller, &of, &asked.name, &asked.namespace)
        .await?;
    let revision = coeval_api::methods::parse_revision(&asked.revision);
    let present = &asked.present;
    let present = (!present.is_empty()).then(|| coeval_api::methods::parse_revision(present));
    let written = methods
        .restore(caller, &of, &target, revision, present)
        .await?;
    let message = pb::RestoreResourceResponse {
        resource: Some(showing.shown(&api, caller, &written.resource).await?),
        kept: written.kept,
        dropped: written.dropped,
    };
    let response = sequenced(caller, written.resource.token, message);
    let response = warning(response, &written.warnings);
    Ok(match &written.task {
        None => response,
        Some(task) => saying(response, TASK, task),
    })
}

pub(super) async fn upgrade(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::UpgradeResourceRequest>,
) -> CallResult<pb::UpgradeResourceResponse> {
    let (methods, caller, asked) = (&api.methods, &call.caller, call.message);
    let showing = ResourceRenderer::of(&asked.kind, asked.spec_form)?;
    let of = methods.kind(caller, &asked.kind).await?;
    let target = methods
        .target(caller, &of, &asked.name, &asked.namespace)
        .await?;
    let (version, revision) = (&asked.version, &asked.revision);
    let written = methods
        .upgrade(caller, &of, &target, version, revision, asked.dry_run)
        .await?;
    let message = pb::UpgradeResourceResponse {
        resource: Some(showing.shown(&api, caller, &written.resource).await?),
        kept: written.kept.clone(),
        task: written.task.clone().unwrap_or_default(),
    };
    let response = sequenced(caller, written.resource.token, message);
    Ok(warned(response, &written))
}

pub(super) async fn upgrade_many(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::UpgradeResourcesRequest>,
) -> CallResult<pb::UpgradeResourcesResponse> {
    let caller = call.at(&call.message.view_version)?;
    let (methods, asked) = (&api.methods, call.message);
    let of = methods.kind(&caller, &asked.kind).await?;
    let upgrade = UpgradeParams {
        namespace: asked.namespace,
        selector: ResourceSelector {
            filter: asked.filter,
            stored_version: asked.stored_version,
            ..ResourceSelector::default()
        },
        version: asked.version,
        dry_run: asked.dry_run,
    };
    let (task, warnings) = methods.upgrade_many(&caller, &of, &upgrade).await?;
    let message = pb::UpgradeResourcesResponse {
        task: Some(crate::tasks::shown(&api, &caller, &task).await?),
    };
    Ok(warning(answer(&caller, message), &warnings))
}

pub(super) async fn watch(
    api: Arc<GrpcState>,
    call: GrpcCall<pb::WatchResourcesRequest>,
) -> CallResult<WatchResponses> {
    let caller = call.at(&call.message.version)?;
    let (told, warnings) = watching::open(&api, &caller, call.message).await?;
    let response = answer(&caller, until_moved(told, call.connection));
    Ok(warning(response, &warnings))
}
