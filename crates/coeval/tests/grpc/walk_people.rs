//! What the walk sends to the services of organizations, users, roles, bundles, sessions and tasks.

use crate::walk_table::For::{Org, Password, Provider, Tenant, User};
use crate::walk_table::{Row, Things, bundle, mask, migration, row};
use crate::world::PASSWORD;
use coeval_grpc::proto::access::v1 as access;
use coeval_grpc::proto::tasks::v1 as tasks;

/// All of them.
pub(crate) fn rows(things: &Things) -> Vec<Row> {
    let mut all = of_organizations_and_users(things);
    all.extend(of_roles_and_bundles(things));
    all.extend(of_sessions_and_tasks(things));
    all
}

fn of_organizations_and_users(things: &Things) -> Vec<Row> {
    let org = |name: &str| {
        Some(access::Organization {
            name: name.into(),
            description: "d".into(),
            ..Default::default()
        })
    };
    let namespace = "acme".to_owned();
    let name = || "alice".to_owned();
    let new = access::User {
        name: "new".into(),
        namespace: namespace.clone(),
        ..Default::default()
    };
    let changed = access::User {
        id: things.user.clone(),
        description: "d".into(),
        ..Default::default()
    };
    vec![
        row(
            Provider,
            "coeval.access.v1.OrganizationService/CreateOrganization",
            &access::CreateOrganizationRequest {
                organization: org("new"),
            },
        ),
        row(
            Org,
            "coeval.access.v1.OrganizationService/GetOrganization",
            &access::GetOrganizationRequest {
                name: "acme".into(),
            },
        ),
        row(
            User,
            "coeval.access.v1.OrganizationService/ListOrganizations",
            &access::ListOrganizationsRequest::default(),
        ),
        row(
            Provider,
            "coeval.access.v1.OrganizationService/UpdateOrganization",
            &access::UpdateOrganizationRequest {
                organization: org("acme"),
                update_mask: mask("description"),
            },
        ),
        row(
            Provider,
            "coeval.access.v1.OrganizationService/DeleteOrganization",
            &access::DeleteOrganizationRequest {
                name: "other".into(),
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.UserService/CreateUser",
            &access::CreateUserRequest {
                user: Some(new),
                password: "p".into(),
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.UserService/GetUser",
            &access::GetUserRequest {
                name: things.user.clone(),
                namespace: String::new(),
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.UserService/ListUsers",
            &access::ListUsersRequest {
                namespace: namespace.clone(),
                ..Default::default()
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.UserService/UpdateUser",
            &access::UpdateUserRequest {
                user: Some(changed),
                update_mask: mask("description"),
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.UserService/DeleteUser",
            &access::DeleteUserRequest {
                name: things.user.clone(),
                namespace: String::new(),
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.UserService/SetPassword",
            &access::SetPasswordRequest {
                name: name(),
                namespace,
                password: "p".into(),
            },
        ),
    ]
}

fn of_roles_and_bundles(things: &Things) -> Vec<Row> {
    let namespace = "acme".to_owned();
    let new = access::Role {
        name: "New".into(),
        namespace: namespace.clone(),
        ..Default::default()
    };
    let name = "there".to_owned();
    let organizations = vec!["acme".to_owned()];
    vec![
        row(
            Tenant,
            "coeval.access.v1.RoleService/CreateRole",
            &access::CreateRoleRequest { role: Some(new) },
        ),
        row(
            Tenant,
            "coeval.access.v1.RoleService/GetRole",
            &access::GetRoleRequest {
                name: things.role.id.clone(),
                namespace: namespace.clone(),
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.RoleService/ListRoles",
            &access::ListRolesRequest {
                namespace: namespace.clone(),
                ..Default::default()
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.RoleService/UpdateRole",
            &access::UpdateRoleRequest {
                role: Some(things.role.clone()),
                update_mask: mask("description"),
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.RoleService/DeleteRole",
            &access::DeleteRoleRequest {
                name: things.role.id.clone(),
                namespace,
            },
        ),
        row(
            User,
            "coeval.access.v1.RoleService/ListRights",
            &access::ListRightsRequest::default(),
        ),
        row(
            Provider,
            "coeval.access.v1.BundleService/CreateBundle",
            &access::CreateBundleRequest {
                bundle: Some(bundle("new")),
            },
        ),
        row(
            Provider,
            "coeval.access.v1.BundleService/GetBundle",
            &access::GetBundleRequest { name: name.clone() },
        ),
        row(
            Provider,
            "coeval.access.v1.BundleService/ListBundles",
            &access::ListBundlesRequest::default(),
        ),
        row(
            Provider,
            "coeval.access.v1.BundleService/UpdateBundle",
            &access::UpdateBundleRequest {
                bundle: Some(bundle("there")),
                update_mask: mask("description"),
            },
        ),
        row(
            Provider,
            "coeval.access.v1.BundleService/DeleteBundle",
            &access::DeleteBundleRequest { name: name.clone() },
        ),
        row(
            Provider,
            "coeval.access.v1.BundleService/PublishBundle",
            &access::PublishBundleRequest {
                name: name.clone(),
                organizations: organizations.clone(),
                all: false,
            },
        ),
        row(
            Provider,
            "coeval.access.v1.BundleService/UnpublishBundle",
            &access::UnpublishBundleRequest {
                name,
                organizations,
                all: false,
            },
        ),
    ]
}

fn of_sessions_and_tasks(things: &Things) -> Vec<Row> {
    let login = access::LoginRequest {
        user: "alice".into(),
        namespace: "acme".into(),
        password: PASSWORD.into(),
    };
    let id = things.task.clone();
    let token = access::CreateApiTokenRequest {
        name: "new".into(),
        expires: None,
    };
    vec![
        row(Password, "coeval.access.v1.SessionService/Login", &login),
        row(
            User,
            "coeval.access.v1.SessionService/Logout",
            &access::LogoutRequest {},
        ),
        row(
            Tenant,
            "coeval.access.v1.SessionService/ListSessions",
            &access::ListSessionsRequest {
                user: things.user.clone(),
                ..Default::default()
            },
        ),
        row(
            Tenant,
            "coeval.access.v1.SessionService/RevokeSession",
            &access::RevokeSessionRequest {
                id: things.session.clone(),
            },
        ),
        row(
            User,
            "coeval.access.v1.SessionService/CreateApiToken",
            &token,
        ),
        row(
            Tenant,
            "coeval.tasks.v1.TaskService/GetTask",
            &tasks::GetTaskRequest { id: id.clone() },
        ),
        row(
            User,
            "coeval.tasks.v1.TaskService/ListTasks",
            &tasks::ListTasksRequest::default(),
        ),
        row(
            Tenant,
            "coeval.tasks.v1.TaskService/CancelTask",
            &tasks::CancelTaskRequest { id: id.clone() },
        ),
        row(
            Tenant,
            "coeval.tasks.v1.TaskService/WatchTask",
            &tasks::WatchTaskRequest { id },
        ),
        row(
            User,
            "coeval.tasks.v1.TaskService/MigrateResources",
            &migration(),
        ),
    ]
}
