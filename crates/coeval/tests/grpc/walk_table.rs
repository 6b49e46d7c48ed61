//! What the walk sends to each method: messages that are all right, so that only who sends them
//! matters.

use crate::calls::{app, meta};
use crate::stage::type_file;
use crate::walk_moves::MOVING;
use crate::world::World;
use crate::{walk_moves, walk_people};
use bytes::Bytes;
use coeval_grpc::proto::access::v1 as access;
use coeval_grpc::proto::releases::v1 as releases;
use coeval_grpc::proto::resources::v1 as resources;
use coeval_grpc::proto::tasks::v1 as tasks;
use coeval_grpc::proto::types::v1 as types;
use prost::Message;
use prost_types::FieldMask;
use serde_json::json;

/// Who gets an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum For {
    /// Everybody, without a word of who they are.
    All,
    /// Who has a user's password.
    Password,
    /// Whoever is logged in, about what is their own.
    User,
    /// Everybody of the organization, and nobody of another.
    Org,
    /// Administrators of the organization.
    Tenant,
    /// The provider alone.
    Provider,
}

use For::{Org, Provider, Tenant, User};

/// Things of the tenant acme.
pub(crate) struct Things {
    pub(crate) user: String,
    pub(crate) role: access::Role,
    pub(crate) session: String,
    pub(crate) task: String,
    /// A kept one of the resource.
    pub(crate) revision: String,
}

const FILE: &str = "  schema: {type: object}\n";

impl Things {
    /// Makes them.
    pub(crate) async fn make(world: &World, admin: &str, alice: &str) -> Self {
        let (provider, by) = (world.by(admin), world.by(alice));
        let first = by.create("v1", "web", json!({"image": "a"})).await.unwrap();
        let second = app("v1", "web", json!({"image": "b"}));
        by.patch(second, &["spec.image"]).await.unwrap();
        let hidden = types::RegisterTypeVersionRequest {
            file: type_file("acme:hidden", "1.0.0", FILE),
            ..Default::default()
        };
        provider
            .types()
            .register_type_version(hidden)
            .await
            .unwrap();
        let second = format!("{FILE}  conversion: {{from: 1.0.0}}\n");
        for (version, spec) in [("1.0.0", FILE), ("2.0.0", &second)] {
            let moving = types::RegisterTypeVersionRequest {
                file: type_file(MOVING, version, spec),
                ..Default::default()
            };
            let mut types = provider.types();
            types.register_type_version(moving).await.unwrap();
        }
        let interface = types::CreateInterfaceRequest {
            interface: Some(interface("there")),
        };
        provider
            .interfaces()
            .create_interface(interface)
            .await
            .unwrap();
        let bundle = access::CreateBundleRequest {
            bundle: Some(bundle("there")),
        };
        provider.bundles().create_bundle(bundle).await.unwrap();
        let role = access::CreateRoleRequest {
            role: Some(access::Role {
                name: "Local".into(),
                ..Default::default()
            }),
        };
        let role = by.roles().create_role(role).await.unwrap();
        let sessions = access::ListSessionsRequest::default();
        let sessions = by.sessions().list_sessions(sessions).await.unwrap();
        let task = by.tasks().migrate_resources(migration()).await.unwrap();
        let task = task.into_inner().task.unwrap().id;
        let asked = tasks::WatchTaskRequest { id: task.clone() };
        let told = by.tasks().watch_task(asked).await.unwrap();
        let mut told = told.into_inner();
        while told.message().await.unwrap().is_some() {}
        assert_eq!(meta(&by.get("web").await.unwrap()).namespace, "acme");
        Self {
            user: world.user_id(alice),
            role: role.into_inner().role.unwrap(),
            session: sessions.into_inner().sessions[0].id.clone(),
            task,
            revision: meta(&first).revision.clone(),
        }
    }
}

fn interface(nss: &str) -> types::Interface {
    types::Interface {
        id: format!("acme:{nss}:1.0.0"),
        vendor: "acme".into(),
        nss: nss.into(),
        version: "1.0.0".into(),
        title: "T".into(),
        ..Default::default()
    }
}

pub(crate) fn bundle(name: &str) -> access::Bundle {
    access::Bundle {
        name: name.into(),
        ..Default::default()
    }
}

pub(crate) fn migration() -> tasks::MigrateResourcesRequest {
    tasks::MigrateResourcesRequest {
        kind: "app".into(),
        from_version: "v1".into(),
        to_version: "v1.1".into(),
        dry_run: true,
        ..Default::default()
    }
}

pub(crate) fn mask(path: &str) -> Option<FieldMask> {
    Some(FieldMask {
        paths: vec![path.into()],
    })
}

pub(crate) type Row = (For, &'static str, Bytes);

pub(crate) fn row(of: For, method: &'static str, message: &impl Message) -> Row {
    (of, method, message.encode_to_vec().into())
}

/// All methods, with what they are sent.
pub(crate) fn rows(things: &Things) -> Vec<Row> {
    let mut all = of_resources(things);
    all.extend(of_types());
    all.extend(of_grants(things));
    all.extend(walk_people::rows(things));
    all.extend(walk_moves::rows());
    all.extend(of_releases());
    all
}

fn of_releases() -> Vec<Row> {
    vec![
        row(
            For::All,
            "coeval.releases.v1.ReleaseService/GetRelease",
            &releases::GetReleaseRequest {},
        ),
        row(
            User,
            "coeval.releases.v1.ReleaseService/ListDeprecations",
            &releases::ListDeprecationsRequest::default(),
        ),
    ]
}

fn of_resources(things: &Things) -> Vec<Row> {
    let (kind, name, namespace) = ("app".to_owned(), "web".to_owned(), "acme".to_owned());
    let resource = |name: &str| {
        let mut one = app("v1", name, json!({"image": "b"}));
        one.metadata.as_mut().unwrap().namespace = "acme".into();
        Some(one)
    };
    vec![
        row(
            Tenant,
            "coeval.resources.v1.ResourceService/CreateResource",
            &resources::CreateResourceRequest {
                resource: resource("new"),
                ..Default::default()
            },
        ),
        row(
            Tenant,
            "coeval.resources.v1.ResourceService/GetResource",
            &resources::GetResourceRequest {
                kind: kind.clone(),
                name: name.clone(),
                namespace: namespace.clone(),
                ..Default::default()
            },
        ),
        row(
            Org,
            "coeval.resources.v1.ResourceService/ListResources",
            &resources::ListResourcesRequest {
                kind: kind.clone(),
                namespace: namespace.clone(),
                ..Default::default()
            },
        ),
        row(
            Tenant,
            "coeval.resources.v1.ResourceService/UpdateResource",
            &resources::UpdateResourceRequest {
                resource: resource("web"),
                update_mask: mask("spec.image"),
                ..Default::default()
            },
        ),
        row(
            Tenant,
            "coeval.resources.v1.ResourceService/UpsertResource",
            &resources::UpsertResourceRequest {
                resource: resource("other"),
                ..Default::default()
            },
        ),
        row(
            Tenant,
            "coeval.resources.v1.ResourceService/UpdateResourceStatus",
            &resources::UpdateResourceStatusRequest {
                kind: kind.clone(),
                name: name.clone(),
                namespace: namespace.clone(),
                message: "m".into(),
                ..Default::default()
            },
        ),
        row(
            Tenant,
            "coeval.resources.v1.ResourceService/DeleteResource",
            &resources::DeleteResourceRequest {
                kind: kind.clone(),
                name: name.clone(),
                namespace: namespace.clone(),
                ..Default::default()
            },
        ),
        row(
            Tenant,
            "coeval.resources.v1.ResourceService/ListRevisions",
            &resources::ListRevisionsRequest {
                kind: kind.clone(),
                name: name.clone(),
                namespace: namespace.clone(),
                ..Default::default()
            },
        ),
        row(
            Tenant,
            "coeval.resources.v1.ResourceService/RestoreResource",
            &resources::RestoreResourceRequest {
                kind: kind.clone(),
                name: name.clone(),
                namespace: namespace.clone(),
                revision: things.revision.clone(),
                ..Default::default()
            },
        ),
        row(
            Tenant,
            "coeval.resources.v1.ResourceService/UpgradeResource",
            &resources::UpgradeResourceRequest {
                kind: kind.clone(),
                name: name.clone(),
                namespace: namespace.clone(),
                dry_run: true,
                ..Default::default()
            },
        ),
        row(
            Org,
            "coeval.resources.v1.ResourceService/UpgradeResources",
            &resources::UpgradeResourcesRequest {
                kind: kind.clone(),
                namespace: namespace.clone(),
                filter: "name==*".into(),
                dry_run: true,
                ..Default::default()
            },
        ),
        row(
            Org,
            "coeval.resources.v1.ResourceService/WatchResources",
            &resources::WatchResourcesRequest {
                kind,
                namespace,
                ..Default::default()
            },
        ),
    ]
}

fn of_types() -> Vec<Row> {
    let file = type_file("acme:new", "1.0.0", FILE);
    let hidden = "acme:hidden:1.0.0".to_owned();
    let changed = type_file("acme:hidden", "1.0.0", FILE);
    vec![
        row(
            Provider,
            "coeval.types.v1.TypeService/RegisterTypeVersion",
            &types::RegisterTypeVersionRequest {
                file: file.clone(),
                ..Default::default()
            },
        ),
        row(
            Provider,
            "coeval.types.v1.TypeService/CheckTypeVersion",
            &types::CheckTypeVersionRequest {
                file: type_file("acme:newer", "1.0.0", FILE),
                ..Default::default()
            },
        ),
        row(
            Provider,
            "coeval.types.v1.TypeService/GetTypeVersion",
            &types::GetTypeVersionRequest { id: hidden.clone() },
        ),
        row(
            User,
            "coeval.types.v1.TypeService/ListTypeVersions",
            &types::ListTypeVersionsRequest::default(),
        ),
        row(
            Provider,
            "coeval.types.v1.TypeService/UpdateTypeVersion",
            &types::UpdateTypeVersionRequest {
                id: hidden.clone(),
                file: changed,
                ..Default::default()
            },
        ),
        row(
            Provider,
            "coeval.types.v1.TypeService/AnnotateTypeVersion",
            &types::AnnotateTypeVersionRequest {
                id: hidden.clone(),
                clear_deprecated: true,
                ..Default::default()
            },
        ),
        row(
            Provider,
            "coeval.types.v1.TypeService/DeleteTypeVersion",
            &types::DeleteTypeVersionRequest { id: hidden },
        ),
        row(
            Provider,
            "coeval.types.v1.InterfaceService/CreateInterface",
            &types::CreateInterfaceRequest {
                interface: Some(interface("new")),
            },
        ),
        row(
            User,
            "coeval.types.v1.InterfaceService/GetInterface",
            &types::GetInterfaceRequest {
                id: "acme:there:1.0.0".into(),
            },
        ),
        row(
            User,
            "coeval.types.v1.InterfaceService/ListInterfaces",
            &types::ListInterfacesRequest::default(),
        ),
        row(
            Provider,
            "coeval.types.v1.InterfaceService/UpdateInterface",
            &types::UpdateInterfaceRequest {
                interface: Some(interface("there")),
            },
        ),
        row(
            Provider,
            "coeval.types.v1.InterfaceService/DeleteInterface",
            &types::DeleteInterfaceRequest {
                id: "acme:there:1.0.0".into(),
            },
        ),
    ]
}

fn of_grants(things: &Things) -> Vec<Row> {
    let (kind, name, namespace) = ("app".to_owned(), "web".to_owned(), "acme".to_owned());
    let member = things.user.clone();
    let level = access::AccessLevel::ReadOnly.into();
    let type_version = "acme:hidden:1.0.0".to_owned();
    vec![
        row(
            Tenant,
            "coeval.access.v1.AccessService/GetResourceAcl",
            &access::GetResourceAclRequest {
                kind: kind.clone(),
                name: name.clone(),
                namespace: namespace.clone(),
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.AccessService/GrantAccess",
            &access::GrantAccessRequest {
                kind: kind.clone(),
                name: name.clone(),
                namespace: namespace.clone(),
                member: things.role.id.clone(),
                level,
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.AccessService/RevokeAccess",
            &access::RevokeAccessRequest {
                kind: kind.clone(),
                name: name.clone(),
                namespace: namespace.clone(),
                member: member.clone(),
            },
        ),
        row(
            Provider,
            "coeval.access.v1.AccessService/GetTypeAcl",
            &access::GetTypeAclRequest {
                type_version: type_version.clone(),
            },
        ),
        row(
            Provider,
            "coeval.access.v1.AccessService/GrantTypeAccess",
            &access::GrantTypeAccessRequest {
                type_version: type_version.clone(),
                member: member.clone(),
                level,
            },
        ),
        row(
            Provider,
            "coeval.access.v1.AccessService/RevokeTypeAccess",
            &access::RevokeTypeAccessRequest {
                type_version: type_version.clone(),
                member: member.clone(),
            },
        ),
        row(
            Provider,
            "coeval.access.v1.AccessService/SyncTypeAcl",
            &access::SyncTypeAclRequest { type_version },
        ),
        row(
            Tenant,
            "coeval.access.v1.AccessService/ExplainAccess",
            &access::ExplainAccessRequest {
                kind,
                name,
                namespace,
                user: member,
            },
        ),
        row(
            User,
            "coeval.access.v1.AccessService/WhoAmI",
            &access::WhoAmIRequest {},
        ),
    ]
}
