//! All services that are always there.

use crate::access::{Access, Bundles, Organizations, Roles, Sessions, Users};
use crate::api::{Api, Settings};
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
use crate::tasks::Tasks;
use crate::types::{Interfaces, Types};
use std::sync::Arc;
use tonic::service::Routes;
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
