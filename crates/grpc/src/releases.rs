//! The service of releases: which one the server has, and what in it is to go.

use crate::api::GrpcState;
use crate::pages::PageRequest;
use crate::proto::options::v1::Deprecation;
use crate::proto::releases::v1 as pb;
use crate::status;
use coeval_api::caller::Peer;
use coeval_api::methods::MethodError;
use coeval_engine::Caller;
use coeval_releases::DeprecatedItem;
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct ReleaseService(pub(crate) Arc<GrpcState>);

#[tonic::async_trait]
impl pb::release_service_server::ReleaseService for ReleaseService {
    /// Open to everybody, as every answer says the same in a header.
    async fn get_release(
        &self,
        request: Request<pb::GetReleaseRequest>,
    ) -> Result<Response<pb::GetReleaseResponse>, Status> {
        let peer = request.extensions().get::<Peer>();
        let admitted = self.0.gate.admit_unknown(peer);
        admitted.map_err(MethodError::from).map_err(status::of)?;
        Ok(Response::new(pb::GetReleaseResponse {
            release: env!("CARGO_PKG_VERSION").to_owned(),
        }))
    }

    async fn list_deprecations(
        &self,
        request: Request<pb::ListDeprecationsRequest>,
    ) -> Result<Response<pb::ListDeprecationsResponse>, Status> {
        self.0.serve(request, list).await
    }
}

async fn list(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListDeprecationsRequest,
) -> Result<pb::ListDeprecationsResponse, MethodError> {
    let page = (asked.page_size, asked.page_token.as_str());
    let page = PageRequest::read((&api, &caller), "deprecations", &[], page).await?;
    let all = api.settings.deprecations.to_vec();
    let key = |item: &DeprecatedItem| format!("{} {}", item.what, item.name);
    let (items, next_page_token) = page.cut(all, key).await?;
    Ok(pb::ListDeprecationsResponse {
        deprecations: items.into_iter().map(shown).collect(),
        next_page_token,
    })
}

fn shown(item: DeprecatedItem) -> pb::DeprecatedItem {
    let by = item.deprecation;
    pb::DeprecatedItem {
        what: item.what.to_owned(),
        name: item.name,
        deprecation: Some(Deprecation {
            since: by.since.to_string(),
            last_used_in: by.last_used_in.to_string(),
            removed_in: by.removed_in.to_string(),
            instead: by.instead.to_owned(),
        }),
    }
}
