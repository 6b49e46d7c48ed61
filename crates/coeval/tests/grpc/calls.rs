//! gRPC calls to the servers of a world, by turns, and what refusals must have.

use crate::world::World;
use coeval_grpc::proto::access::v1 as access;
use coeval_grpc::proto::errors::v1::ErrorDetail;
use coeval_grpc::proto::header::v1::Metadata;
use coeval_grpc::proto::migrations::v1::migration_service_client::MigrationServiceClient;
use coeval_grpc::proto::releases::v1::release_service_client::ReleaseServiceClient;
use coeval_grpc::proto::resources::v1 as pb;
use coeval_grpc::proto::tasks::v1::task_service_client::TaskServiceClient;
use coeval_grpc::proto::types::v1 as types;
use prost::Message;
use serde_json::Value;
use std::time::Duration;
use tonic::metadata::{AsciiMetadataKey, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

/// Runs a case.
pub(crate) fn run<F: Future<Output = ()>>(case: impl FnOnce(World) -> F, world: World) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(case(world));
}

/// Adds to every call who sends it, and what else its metadata says.
#[derive(Clone, Default)]
pub(crate) struct Saying(Vec<(&'static str, String)>);

impl Interceptor for Saying {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        for (name, value) in &self.0 {
            let value = MetadataValue::try_from(value).unwrap();
            let name = AsciiMetadataKey::from_static(name);
            request.metadata_mut().insert(name, value);
        }
        Ok(request)
    }
}

/// What a client is made of.
pub(crate) type Way = InterceptedService<Channel, Saying>;

/// The services, as somebody calls them.
pub(crate) struct By<'a> {
    world: &'a World,
    saying: Saying,
}

impl World {
    /// Calls with this token; none if it is empty.
    pub(crate) fn by(&self, token: &str) -> By<'_> {
        let mut saying = Saying::default();
        if !token.is_empty() {
            saying.0.push(("authorization", format!("Bearer {token}")));
        }
        By {
            world: self,
            saying,
        }
    }

    /// A connection to the next server.
    pub(crate) fn channel(&self) -> Channel {
        let endpoint = Endpoint::from_shared(self.next_url()).unwrap();
        endpoint.timeout(Duration::from_secs(60)).connect_lazy()
    }
}

impl By<'_> {
    /// With one more entry of metadata.
    pub(crate) fn saying(mut self, name: &'static str, value: &str) -> Self {
        self.saying.0.push((name, value.to_owned()));
        self
    }

    fn way(&self) -> Way {
        InterceptedService::new(self.world.channel(), self.saying.clone())
    }

    pub(crate) fn resources(&self) -> pb::resource_service_client::ResourceServiceClient<Way> {
        pb::resource_service_client::ResourceServiceClient::new(self.way())
            .max_decoding_message_size(usize::MAX)
    }

    pub(crate) fn types(&self) -> types::type_service_client::TypeServiceClient<Way> {
        types::type_service_client::TypeServiceClient::new(self.way())
    }

    pub(crate) fn interfaces(
        &self,
    ) -> types::interface_service_client::InterfaceServiceClient<Way> {
        types::interface_service_client::InterfaceServiceClient::new(self.way())
    }

    pub(crate) fn access(&self) -> access::access_service_client::AccessServiceClient<Way> {
        access::access_service_client::AccessServiceClient::new(self.way())
    }

    pub(crate) fn orgs(
        &self,
    ) -> access::organization_service_client::OrganizationServiceClient<Way> {
        access::organization_service_client::OrganizationServiceClient::new(self.way())
    }

    pub(crate) fn users(&self) -> access::user_service_client::UserServiceClient<Way> {
        access::user_service_client::UserServiceClient::new(self.way())
    }

    pub(crate) fn roles(&self) -> access::role_service_client::RoleServiceClient<Way> {
        access::role_service_client::RoleServiceClient::new(self.way())
    }

    pub(crate) fn bundles(&self) -> access::bundle_service_client::BundleServiceClient<Way> {
        access::bundle_service_client::BundleServiceClient::new(self.way())
    }

    pub(crate) fn sessions(&self) -> access::session_service_client::SessionServiceClient<Way> {
        access::session_service_client::SessionServiceClient::new(self.way())
    }

    pub(crate) fn tasks(&self) -> TaskServiceClient<Way> {
        TaskServiceClient::new(self.way())
    }

    pub(crate) fn releases(&self) -> ReleaseServiceClient<Way> {
        ReleaseServiceClient::new(self.way())
    }

    pub(crate) fn migrations(&self) -> MigrationServiceClient<Way> {
        MigrationServiceClient::new(self.way())
    }

    /// Makes a resource of `app`.
    pub(crate) async fn create(
        &self,
        version: &str,
        name: &str,
        spec: Value,
    ) -> Result<pb::Resource, Status> {
        let asked = pb::CreateResourceRequest {
            resource: Some(app(version, name, spec)),
            ..Default::default()
        };
        let made = self.resources().create_resource(asked).await?;
        Ok(made.into_inner().resource.unwrap())
    }

    /// Reads a resource of `app`.
    pub(crate) async fn get(&self, name: &str) -> Result<pb::Resource, Status> {
        self.get_at(name, "").await
    }

    /// The same, at a version.
    pub(crate) async fn get_at(&self, name: &str, version: &str) -> Result<pb::Resource, Status> {
        Ok(self.found(name, version).await?.resource.unwrap())
    }

    /// The same, with what is told beside it.
    pub(crate) async fn found(
        &self,
        name: &str,
        version: &str,
    ) -> Result<pb::GetResourceResponse, Status> {
        let asked = pb::GetResourceRequest {
            kind: "app".into(),
            name: name.into(),
            version: version.into(),
            ..Default::default()
        };
        let found = self.resources().get_resource(asked).await?;
        Ok(found.into_inner())
    }

    /// Writes a resource back.
    pub(crate) async fn update(
        &self,
        resource: pb::Resource,
    ) -> Result<pb::UpdateResourceResponse, Status> {
        let asked = pb::UpdateResourceRequest {
            resource: Some(resource),
            ..Default::default()
        };
        let done = self.resources().update_resource(asked).await?;
        Ok(done.into_inner())
    }

    /// Writes fields of a resource.
    pub(crate) async fn patch(
        &self,
        resource: pb::Resource,
        paths: &[&str],
    ) -> Result<pb::UpdateResourceResponse, Status> {
        let paths = paths.iter().map(|&path| path.to_owned()).collect();
        let asked = pb::UpdateResourceRequest {
            resource: Some(resource),
            update_mask: Some(prost_types::FieldMask { paths }),
            ..Default::default()
        };
        let done = self.resources().update_resource(asked).await?;
        Ok(done.into_inner())
    }

    /// Makes or changes a resource.
    pub(crate) async fn upsert(
        &self,
        resource: pb::Resource,
    ) -> Result<pb::UpsertResourceResponse, Status> {
        let asked = pb::UpsertResourceRequest {
            resource: Some(resource),
            ..Default::default()
        };
        let done = self.resources().upsert_resource(asked).await?;
        Ok(done.into_inner())
    }

    /// Deletes a resource of `app`.
    pub(crate) async fn delete(&self, name: &str, revision: &str) -> Result<(), Status> {
        let asked = pb::DeleteResourceRequest {
            kind: "app".into(),
            name: name.into(),
            revision: revision.into(),
            ..Default::default()
        };
        self.resources().delete_resource(asked).await.map(|_| ())
    }

    /// A page of `app`.
    pub(crate) async fn list(
        &self,
        asked: pb::ListResourcesRequest,
    ) -> Result<pb::ListResourcesResponse, Status> {
        let kind = match asked.kind.as_str() {
            "" => "app".to_owned(),
            kind => kind.to_owned(),
        };
        let asked = pb::ListResourcesRequest { kind, ..asked };
        let page = self.resources().list_resources(asked).await?;
        Ok(page.into_inner())
    }
}

/// A resource of `app` as a request has it.
pub(crate) fn app(version: &str, name: &str, spec: Value) -> pb::Resource {
    pb::Resource {
        kind: "app".into(),
        version: version.into(),
        metadata: Some(Metadata {
            name: name.into(),
            ..Default::default()
        }),
        spec: spec.to_string().into(),
        ..Default::default()
    }
}

/// Its content.
pub(crate) fn spec(resource: &pb::Resource) -> Value {
    serde_json::from_slice(&resource.spec).unwrap()
}

/// What all resources have.
pub(crate) fn meta(resource: &pb::Resource) -> &Metadata {
    resource.metadata.as_ref().unwrap()
}

/// The names of a page.
pub(crate) fn names(page: &pb::ListResourcesResponse) -> Vec<&str> {
    let all = page.resources.iter();
    all.map(|one| meta(one).name.as_str()).collect()
}

/// Asserts that a call was refused so, and answers its details: the code in `ErrorInfo` of our
/// domain and the same in `ErrorDetail`, which says what to do.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(
    outcome: Result<T, Status>,
    code: Code,
    ours: u16,
) -> ErrorDetail {
    let status = outcome.expect_err("it was not refused");
    assert_eq!(status.code(), code, "{status:?}");
    let detail = detail(&status);
    assert_eq!(detail.code, format!("COEVAL-{ours:04}"), "{status:?}");
    detail
}

/// The details that every refusal must have.
#[track_caller]
pub(crate) fn detail(status: &Status) -> ErrorDetail {
    let told = tonic_types::pb::Status::decode(status.details()).unwrap();
    let find = |name: &str| {
        let url = format!("type.googleapis.com/{name}");
        let found = told.details.iter().find(|any| any.type_url == url);
        let found = found.unwrap_or_else(|| panic!("{name} is not in {status:?}"));
        found.value.clone()
    };
    let info = tonic_types::pb::ErrorInfo::decode(&*find("google.rpc.ErrorInfo")).unwrap();
    assert_eq!(info.domain, "coeval");
    let detail = ErrorDetail::decode(&*find("coeval.errors.v1.ErrorDetail")).unwrap();
    assert_eq!(info.reason, detail.code);
    assert!(detail.code.starts_with("COEVAL-"), "{status:?}");
    assert!(!detail.advice.is_empty(), "{status:?}");
    assert!(!detail.release.is_empty(), "{status:?}");
    detail
}
