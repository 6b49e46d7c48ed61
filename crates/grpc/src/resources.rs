//! The generic service: resources of every kind.

mod calls;
mod message;
mod watch;

use crate::api::GrpcState;
use crate::generated::resource_service_server::ResourceService;
use crate::proto::resources::v1 as pb;
use crate::watching::WatchResponses;
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct GenericService(pub(crate) Arc<GrpcState>);

#[tonic::async_trait]
impl ResourceService for GenericService {
    async fn create_resource(
        &self,
        request: Request<pb::CreateResourceRequest>,
    ) -> Result<Response<pb::CreateResourceResponse>, Status> {
        self.0.respond(request, calls::create).await
    }

    async fn get_resource(
        &self,
        request: Request<pb::GetResourceRequest>,
    ) -> Result<Response<pb::GetResourceResponse>, Status> {
        self.0.respond(request, calls::get).await
    }

    async fn list_resources(
        &self,
        request: Request<pb::ListResourcesRequest>,
    ) -> Result<Response<pb::ListResourcesResponse>, Status> {
        self.0.respond(request, calls::list).await
    }

    async fn update_resource(
        &self,
        request: Request<pb::UpdateResourceRequest>,
    ) -> Result<Response<pb::UpdateResourceResponse>, Status> {
        self.0.respond(request, calls::update).await
    }

    async fn upsert_resource(
        &self,
        request: Request<pb::UpsertResourceRequest>,
    ) -> Result<Response<pb::UpsertResourceResponse>, Status> {
        self.0.respond(request, calls::upsert).await
    }

    async fn update_resource_status(
        &self,
        request: Request<pb::UpdateResourceStatusRequest>,
    ) -> Result<Response<pb::UpdateResourceStatusResponse>, Status> {
        self.0.respond(request, calls::update_status).await
    }

    async fn delete_resource(
        &self,
        request: Request<pb::DeleteResourceRequest>,
    ) -> Result<Response<()>, Status> {
        self.0.respond(request, calls::delete).await
    }

    async fn list_revisions(
        &self,
        request: Request<pb::ListRevisionsRequest>,
    ) -> Result<Response<pb::ListRevisionsResponse>, Status> {
        self.0.respond(request, calls::list_revisions).await
    }

    async fn restore_resource(
        &self,
        request: Request<pb::RestoreResourceRequest>,
    ) -> Result<Response<pb::RestoreResourceResponse>, Status> {
        self.0.respond(request, calls::restore).await
    }

    async fn upgrade_resource(
        &self,
        request: Request<pb::UpgradeResourceRequest>,
    ) -> Result<Response<pb::UpgradeResourceResponse>, Status> {
        self.0.respond(request, calls::upgrade).await
    }

    async fn upgrade_resources(
        &self,
        request: Request<pb::UpgradeResourcesRequest>,
    ) -> Result<Response<pb::UpgradeResourcesResponse>, Status> {
        self.0.respond(request, calls::upgrade_many).await
    }

    type WatchResourcesStream = WatchResponses;

    async fn watch_resources(
        &self,
        request: Request<pb::WatchResourcesRequest>,
    ) -> Result<Response<WatchResponses>, Status> {
        self.0.respond(request, calls::watch).await
    }
}
