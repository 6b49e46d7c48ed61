//! All services that are always there, and how a method of one is served.

use crate::access::{Access, Bundles, Organizations, Roles, Sessions, Users};
use crate::api::{Api, Settings};
use crate::call::{Call, answer};
use crate::health::HealthOf;
use crate::migrations::Migrations;
use crate::proto::access::v1 as access;
use crate::proto::migrations::v1::migration_service_server::MigrationServiceServer;
use crate::proto::releases::v1::release_service_server::ReleaseServiceServer;
use crate::proto::tasks::v1::task_service_server::TaskServiceServer;
use crate::proto::types::v1 as types;
use crate::reflection::{REQUEST_BYTES, Reflection};
use crate::releases::Releases;
use crate::resources::Resources;
use crate::served::resource_service_server::ResourceServiceServer;
use crate::status;
use crate::tasks::Tasks;
use crate::types::{Interfaces, Types};
use coeval_api::methods::MethodError;
use coeval_engine::Caller;
use std::sync::Arc;
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_server::HealthServer;
use tonic_reflection::pb::{v1, v1alpha};

/// The routes of all of them, each taking messages up to the limit.
pub(crate) fn all(api: &Arc<Api>) -> Routes {
    let largest = api.settings.message_bytes;
    macro_rules! routes {
        ($($server:path => $service:path),* $(,)?) => {{
            let mut routes = tonic::service::RoutesBuilder::default();
            $(
                let service = <$server>::new($service(Arc::clone(api)));
                let service = service.max_decoding_message_size(largest);
                routes.add_service(service.max_encoding_message_size(usize::MAX));
            )*
            routes.routes()
        }};
    }
    let routes = routes! {
        ResourceServiceServer<_> => Resources,
        types::type_service_server::TypeServiceServer<_> => Types,
        types::interface_service_server::InterfaceServiceServer<_> => Interfaces,
        access::access_service_server::AccessServiceServer<_> => Access,
        access::organization_service_server::OrganizationServiceServer<_> => Organizations,
        access::user_service_server::UserServiceServer<_> => Users,
        access::role_service_server::RoleServiceServer<_> => Roles,
        access::bundle_service_server::BundleServiceServer<_> => Bundles,
        access::session_service_server::SessionServiceServer<_> => Sessions,
        TaskServiceServer<_> => Tasks,
        MigrationServiceServer<_> => Migrations,
        ReleaseServiceServer<_> => Releases,
    };
    let Settings {
        readiness,
        lifecycle,
        ..
    } = &api.settings;
    let health = HealthOf::new(readiness.clone(), lifecycle.clone());
    let reflection = Reflection(Arc::clone(api));
    let first = v1::server_reflection_server::ServerReflectionServer::new(reflection.clone())
        .max_decoding_message_size(REQUEST_BYTES);
    let alpha = v1alpha::server_reflection_server::ServerReflectionServer::new(reflection)
        .max_decoding_message_size(REQUEST_BYTES);
    routes
        .add_service(HealthServer::new(health).max_decoding_message_size(REQUEST_BYTES))
        .add_service(first)
        .add_service(alpha)
}

impl Api {
    /// Lets a request in, and does the work, which makes the whole answer.
    pub(crate) async fn respond<T, A, F>(
        self: &Arc<Self>,
        request: Request<T>,
        work: impl FnOnce(Arc<Self>, Call<T>) -> F,
    ) -> Result<Response<A>, Status>
    where
        F: Future<Output = Result<Response<A>, MethodError>>,
    {
        let call = self.enter(request).await?;
        work(Arc::clone(self), call).await.map_err(status::of)
    }

    /// Lets a request in, does the work, and answers.
    pub(crate) async fn serve<T, A, F>(
        self: &Arc<Self>,
        request: Request<T>,
        work: impl FnOnce(Arc<Self>, Caller, T) -> F,
    ) -> Result<Response<A>, Status>
    where
        F: Future<Output = Result<A, MethodError>>,
    {
        let whole = async |api, call: Call<T>| {
            let done = work(api, call.caller.clone(), call.message).await?;
            Ok(answer(&call.caller, done))
        };
        self.respond(request, whole).await
    }
}

/// The implementation of a service whose methods are functions: `method(Request) -> Response = f`.
macro_rules! served {
    ($service:path, $on:ident { $($method:ident($request:ty) -> $response:ty = $work:path;)* }) => {
        #[tonic::async_trait]
        impl $service for $on {
            $(
                async fn $method(
                    &self,
                    request: tonic::Request<$request>,
                ) -> Result<tonic::Response<$response>, tonic::Status> {
                    self.0.serve(request, $work).await
                }
            )*
        }
    };
}
pub(crate) use served;
