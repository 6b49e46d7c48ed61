//! All services that are always there.

use crate::access::{
    AccessService, BundleService, OrganizationService, RoleService, SessionService, UserService,
};
use crate::api::{GrpcSettings, GrpcState};
use crate::generated::resource_service_server::ResourceServiceServer;
use crate::health::HealthService;
use crate::migrations::MigrationService;
use crate::proto::access::v1 as access;
use crate::proto::migrations::v1::migration_service_server::MigrationServiceServer;
use crate::proto::releases::v1::release_service_server::ReleaseServiceServer;
use crate::proto::tasks::v1::task_service_server::TaskServiceServer;
use crate::proto::types::v1 as types;
use crate::reflection::{REQUEST_BYTES, ReflectionService};
use crate::releases::ReleaseService;
use crate::resources::GenericService;
use crate::tasks::TaskService;
use crate::types::{InterfaceService, TypeService};
use std::sync::Arc;
use tonic::service::Routes;
use tonic_health::pb::health_server::HealthServer;
use tonic_reflection::pb::{v1, v1alpha};

/// The routes of all of them, each taking messages up to the limit.
pub(crate) fn all(api: &Arc<GrpcState>) -> Routes {
    let largest = api.settings.message_bytes;
    // A macro, since each generated server is a type of its own that shares no trait for its limits.
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
        ResourceServiceServer<_> => GenericService,
        types::type_service_server::TypeServiceServer<_> => TypeService,
        types::interface_service_server::InterfaceServiceServer<_> => InterfaceService,
        access::access_service_server::AccessServiceServer<_> => AccessService,
        access::organization_service_server::OrganizationServiceServer<_> => OrganizationService,
        access::user_service_server::UserServiceServer<_> => UserService,
        access::role_service_server::RoleServiceServer<_> => RoleService,
        access::bundle_service_server::BundleServiceServer<_> => BundleService,
        access::session_service_server::SessionServiceServer<_> => SessionService,
        TaskServiceServer<_> => TaskService,
        MigrationServiceServer<_> => MigrationService,
        ReleaseServiceServer<_> => ReleaseService,
    };
    let GrpcSettings {
        readiness,
        lifecycle,
        ..
    } = &api.settings;
    let health = HealthService::new(readiness.clone(), lifecycle.clone());
    let reflection = ReflectionService(Arc::clone(api));
    let first = v1::server_reflection_server::ServerReflectionServer::new(reflection.clone())
        .max_decoding_message_size(REQUEST_BYTES);
    let alpha = v1alpha::server_reflection_server::ServerReflectionServer::new(reflection)
        .max_decoding_message_size(REQUEST_BYTES);
    routes
        .add_service(HealthServer::new(health).max_decoding_message_size(REQUEST_BYTES))
        .add_service(first)
        .add_service(alpha)
}
