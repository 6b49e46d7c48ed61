//! The generic service: resources of every kind.

pub(crate) mod message;
mod watch;

use crate::api::Api;
use crate::call::{Call, answer, saying, sequenced};
use crate::proto::resources::v1 as pb;
use crate::proto::resources_served::resource_service_server::ResourceService;
use crate::status;
use crate::watching::Told;
use coeval_callers::names;
use coeval_methods::{ListAsked, Mask, MethodError, Near, Written, WrittenDelete};
pub(crate) use message::quarantined;
use message::{Showing, body};
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// In answers: the task that goes on with a deletion.
pub(crate) const TASK: &str = "coeval-task";

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct Resources(pub(crate) Arc<Api>);

impl Resources {
    /// What a write answers, for the messages that all have the same parts.
    async fn written(
        &self,
        call: &Call<()>,
        showing: &Showing,
        written: &Written,
    ) -> Result<pb::Resource, Status> {
        let shown = showing.shown(&self.0, &call.caller, &written.resource);
        shown.await.map_err(status::of)
    }
}

fn needed(resource: Option<pb::Resource>) -> Result<pb::Resource, MethodError> {
    resource.ok_or_else(|| MethodError::invalid("resource is missing"))
}

fn split<T>(call: Call<T>) -> (Call<()>, T) {
    let Call {
        caller,
        force,
        message,
    } = call;
    let call = Call {
        caller,
        force,
        message: (),
    };
    (call, message)
}

/// With what force overrode.
pub(crate) fn warned<T>(response: Response<T>, written: &Written) -> Response<T> {
    match &written.overrode {
        Some(overrode) => saying(response, names::WARNING, &format!("forced: {overrode}")),
        None => response,
    }
}

#[tonic::async_trait]
impl ResourceService for Resources {
    async fn create_resource(
        &self,
        request: Request<pb::CreateResourceRequest>,
    ) -> Result<Response<pb::CreateResourceResponse>, Status> {
        let (call, asked) = split(self.0.enter(request).await?);
        let resource = needed(asked.resource).map_err(status::of)?;
        let (methods, caller) = (&self.0.methods, &call.caller);
        let showing = Showing::of(&resource.kind, asked.spec_form).map_err(status::of)?;
        let of = methods.kind(caller, &resource.kind).await;
        let of = of.map_err(status::of)?;
        let body = body(resource).map_err(status::of)?;
        let written = methods
            .create(caller, &of, body)
            .await
            .map_err(status::of)?;
        let resource = self.written(&call, &showing, &written).await?;
        let message = pb::CreateResourceResponse {
            resource: Some(resource),
            task: written.task.unwrap_or_default(),
        };
        Ok(sequenced(caller, written.resource.token, message))
    }

    async fn get_resource(
        &self,
        request: Request<pb::GetResourceRequest>,
    ) -> Result<Response<pb::GetResourceResponse>, Status> {
        let (call, asked) = split(self.0.enter(request).await?);
        let caller = call.at(&asked.version).map_err(status::of)?;
        let showing = Showing::of(&asked.kind, asked.spec_form).map_err(status::of)?;
        let methods = &self.0.methods;
        let of = methods
            .kind(&caller, &asked.kind)
            .await
            .map_err(status::of)?;
        let found = methods
            .get(&caller, &of, &asked.name, &asked.namespace)
            .await;
        let found = found.map_err(status::of)?;
        let resource = showing.shown(&self.0, &caller, &found).await;
        let message = pb::GetResourceResponse {
            resource: Some(resource.map_err(status::of)?),
        };
        Ok(sequenced(&caller, found.token, message))
    }

    async fn list_resources(
        &self,
        request: Request<pb::ListResourcesRequest>,
    ) -> Result<Response<pb::ListResourcesResponse>, Status> {
        let (call, asked) = split(self.0.enter(request).await?);
        let caller = call.at(&asked.version).map_err(status::of)?;
        let showing = Showing::of(&asked.kind, asked.spec_form).map_err(status::of)?;
        let methods = &self.0.methods;
        let of = methods
            .kind(&caller, &asked.kind)
            .await
            .map_err(status::of)?;
        let size = usize::try_from(asked.page_size);
        let size = size.map_err(|_| status::of(MethodError::invalid("page_size is negative")))?;
        let query = ListAsked {
            page_size: size,
            page_token: asked.page_token,
            namespace: asked.namespace,
            near: Near {
                filter: asked.filter,
                stored_version: asked.stored_version,
                ..Near::default()
            },
            order_by: asked.order_by,
            ..ListAsked::default()
        };
        let page = methods
            .list(&caller, &of, &query)
            .await
            .map_err(status::of)?;
        let mut resources = Vec::with_capacity(page.items.len());
        for resource in &page.items {
            let resource = showing.shown(&self.0, &caller, resource).await;
            resources.push(resource.map_err(status::of)?);
        }
        let message = pb::ListResourcesResponse {
            resources,
            next_page_token: page.next.unwrap_or_default(),
            quarantined: page.quarantined.iter().map(message::quarantined).collect(),
            sequence: page.token.to_string(),
        };
        Ok(sequenced(&caller, page.token, message))
    }

    async fn update_resource(
        &self,
        request: Request<pb::UpdateResourceRequest>,
    ) -> Result<Response<pb::UpdateResourceResponse>, Status> {
        let (call, asked) = split(self.0.enter(request).await?);
        let resource = needed(asked.resource).map_err(status::of)?;
        let mask = match &asked.update_mask {
            None => None,
            Some(mask) => {
                Some(Mask::parse(mask.paths.iter().map(String::as_str)).map_err(status::of)?)
            }
        };
        let (methods, caller) = (&self.0.methods, &call.caller);
        let showing = Showing::of(&resource.kind, asked.spec_form).map_err(status::of)?;
        let of = methods.kind(caller, &resource.kind).await;
        let of = of.map_err(status::of)?;
        let body = body(resource).map_err(status::of)?;
        let written = methods
            .update(caller, &of, body, mask.as_ref(), call.force)
            .await;
        let written = written.map_err(status::of)?;
        let resource = self.written(&call, &showing, &written).await?;
        let token = written.resource.token;
        let message = pb::UpdateResourceResponse {
            resource: Some(resource),
            kept: written.kept.clone(),
            dropped: written.dropped.clone(),
            task: written.task.clone().unwrap_or_default(),
        };
        Ok(warned(sequenced(caller, token, message), &written))
    }

    async fn upsert_resource(
        &self,
        request: Request<pb::UpsertResourceRequest>,
    ) -> Result<Response<pb::UpsertResourceResponse>, Status> {
        let (call, asked) = split(self.0.enter(request).await?);
        let resource = needed(asked.resource).map_err(status::of)?;
        let (methods, caller) = (&self.0.methods, &call.caller);
        let showing = Showing::of(&resource.kind, asked.spec_form).map_err(status::of)?;
        let of = methods.kind(caller, &resource.kind).await;
        let of = of.map_err(status::of)?;
        let body = body(resource).map_err(status::of)?;
        let written = methods.upsert(caller, &of, body, call.force).await;
        let written = written.map_err(status::of)?;
        let resource = self.written(&call, &showing, &written).await?;
        let token = written.resource.token;
        let message = pb::UpsertResourceResponse {
            resource: Some(resource),
            kept: written.kept.clone(),
            dropped: written.dropped.clone(),
            task: written.task.clone().unwrap_or_default(),
            created: written.created,
        };
        Ok(warned(sequenced(caller, token, message), &written))
    }

    async fn update_resource_status(
        &self,
        request: Request<pb::UpdateResourceStatusRequest>,
    ) -> Result<Response<pb::UpdateResourceStatusResponse>, Status> {
        let (call, asked) = split(self.0.enter(request).await?);
        let (methods, caller) = (&self.0.methods, &call.caller);
        let showing = Showing::of(&asked.kind, asked.spec_form).map_err(status::of)?;
        let of = methods
            .kind(caller, &asked.kind)
            .await
            .map_err(status::of)?;
        let target = methods
            .which(caller, &of, &asked.name, &asked.namespace)
            .await;
        let target = target.map_err(status::of)?;
        let written = methods
            .update_status(caller, &of, &target, &asked.message, &asked.revision)
            .await
            .map_err(status::of)?;
        let resource = self.written(&call, &showing, &written).await?;
        let message = pb::UpdateResourceStatusResponse {
            resource: Some(resource),
        };
        Ok(sequenced(caller, written.resource.token, message))
    }

    async fn delete_resource(
        &self,
        request: Request<pb::DeleteResourceRequest>,
    ) -> Result<Response<()>, Status> {
        let (call, asked) = split(self.0.enter(request).await?);
        let (methods, caller) = (&self.0.methods, &call.caller);
        let of = methods
            .kind(caller, &asked.kind)
            .await
            .map_err(status::of)?;
        let target = methods
            .which(caller, &of, &asked.name, &asked.namespace)
            .await;
        let target = target.map_err(status::of)?;
        let deleted = methods
            .delete(caller, &of, &target, &asked.revision, call.force)
            .await
            .map_err(status::of)?;
        Ok(match deleted {
            WrittenDelete::Done(token) => sequenced(caller, token, ()),
            WrittenDelete::Accepted(task) => saying(answer(caller, ()), TASK, &task),
        })
    }

    type WatchResourcesStream = Told;

    async fn watch_resources(
        &self,
        request: Request<pb::WatchResourcesRequest>,
    ) -> Result<Response<Self::WatchResourcesStream>, Status> {
        let (call, asked) = split(self.0.enter(request).await?);
        let caller = call.at(&asked.version).map_err(status::of)?;
        let stream = watch::open(&self.0, &caller, asked).await;
        Ok(answer(&caller, stream.map_err(status::of)?))
    }
}
