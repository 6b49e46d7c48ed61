//! Sessions, organizations, users, roles, bundles and grants.

use crate::calls::{detail, refused};
use crate::world::{PASSWORD, World};
use coeval_grpc::proto::access::v1 as pb;
use prost_types::FieldMask;
use serde_json::json;
use tonic::Code;

fn mask(paths: &[&str]) -> Option<FieldMask> {
    let paths = paths.iter().map(|&path| path.to_owned()).collect();
    Some(FieldMask { paths })
}

fn login(user: &str, namespace: &str, password: &str) -> pb::LoginRequest {
    pb::LoginRequest {
        user: user.into(),
        namespace: namespace.into(),
        password: password.into(),
    }
}

async fn who(world: &World, token: &str) -> Result<pb::WhoAmIResponse, tonic::Status> {
    let who = world
        .by(token)
        .access()
        .who_am_i(pb::WhoAmIRequest {})
        .await;
    who.map(tonic::Response::into_inner)
}

pub(crate) async fn logging_in_and_out_and_tokens_for_programs(world: World) {
    let nobody = world.by("");
    let begun = nobody
        .sessions()
        .login(login("alice", "acme", PASSWORD))
        .await;
    let begun = begun.unwrap().into_inner();
    assert!(begun.expires.is_some());
    assert_eq!(begun.session.as_ref().unwrap().source, "127.0.0.1");
    let me = who(&world, &begun.token).await.unwrap();
    assert_eq!(me.user.as_ref().unwrap().name, "alice");
    assert_eq!(me.organization.unwrap().name, "acme");
    assert_eq!(me.roles[0].name, "Organization Administrator");
    assert!(!me.provider);
    let system = nobody
        .sessions()
        .login(login("administrator", "system", PASSWORD))
        .await;
    let system = system.unwrap().into_inner().token;
    assert!(who(&world, &system).await.unwrap().provider);
    // Whatever is wrong, it is told alike.
    let mut told = Vec::new();
    for (user, org, password) in [
        ("alice", "acme", "wrong"),
        ("nobody", "acme", PASSWORD),
        ("alice", "nowhere", PASSWORD),
    ] {
        let failed = nobody.sessions().login(login(user, org, password)).await;
        told.push(refused(failed, Code::Unauthenticated, 5050));
    }
    assert!(told.windows(2).all(|pair| pair[0] == pair[1]), "{told:?}");
    let empty = nobody.sessions().login(login("alice", "acme", "")).await;
    refused(empty, Code::InvalidArgument, 8006);
    // A token for a program.
    let by = world.by(&begun.token);
    let new = |name: &str| pb::CreateApiTokenRequest {
        name: name.into(),
        expires: None,
    };
    let made = by.sessions().create_api_token(new("ci")).await.unwrap();
    let made = made.into_inner();
    assert!(who(&world, &made.token).await.is_ok());
    let page = pb::ListSessionsRequest {
        page_size: 1,
        ..Default::default()
    };
    let (mut kinds, mut token) = (Vec::new(), String::new());
    loop {
        let page = pb::ListSessionsRequest {
            page_token: token.clone(),
            ..page.clone()
        };
        let page = by.sessions().list_sessions(page).await.unwrap();
        let page = page.into_inner();
        kinds.extend(page.sessions.iter().map(pb::Session::kind));
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    kinds.sort();
    assert_eq!(kinds, [pb::SessionKind::Session, pb::SessionKind::ApiToken]);
    let id = made.session.unwrap().id;
    let oscar = world.login("oscar@other");
    let revoke = || pb::RevokeSessionRequest { id: id.clone() };
    let told = world.by(&oscar).sessions().revoke_session(revoke()).await;
    refused(told, Code::NotFound, 5067);
    by.sessions().revoke_session(revoke()).await.unwrap();
    refused(who(&world, &made.token).await, Code::Unauthenticated, 5053);
    by.sessions().logout(pb::LogoutRequest {}).await.unwrap();
    refused(who(&world, &begun.token).await, Code::Unauthenticated, 5053);
    refused(who(&world, "").await, Code::Unauthenticated, 8004);
}

pub(crate) async fn organizations_users_roles_and_bundles_go_through_their_lives(mut world: World) {
    world.add_app();
    let admin = world.admin();
    let by = world.by(&admin);
    organizations(&world, &admin).await;
    let role = pb::Role {
        name: "Operator".into(),
        namespace: "zeta".into(),
        rights: vec!["acme:app: View".into()],
        ..Default::default()
    };
    let role = by
        .roles()
        .create_role(pb::CreateRoleRequest { role: Some(role) })
        .await;
    let role = role.unwrap().into_inner().role.unwrap();
    assert_eq!((&*role.namespace, role.global), ("zeta", false));
    let user = pb::User {
        name: "zoe".into(),
        namespace: "zeta".into(),
        roles: vec!["Operator".into()],
        ..Default::default()
    };
    let new = || pb::CreateUserRequest {
        user: Some(user.clone()),
        password: "first".into(),
    };
    let made = by.users().create_user(new()).await.unwrap();
    let made = made.into_inner().user.unwrap();
    assert_eq!(made.roles, [role.id.as_str()]);
    refused(
        by.users().create_user(new()).await,
        Code::AlreadyExists,
        6002,
    );
    let log_in = async |password: &str| {
        let nobody = world.by("");
        let begun = nobody
            .sessions()
            .login(login("zoe", "zeta", password))
            .await;
        begun.map(|begun| begun.into_inner().token)
    };
    let zoe = log_in("first").await.unwrap();
    let password = pb::SetPasswordRequest {
        name: "zoe".into(),
        namespace: "zeta".into(),
        password: "second".into(),
    };
    by.users().set_password(password).await.unwrap();
    refused(who(&world, &zoe).await, Code::Unauthenticated, 5053);
    let zoe = log_in("second").await.unwrap();
    let update = |user: pb::User, paths: Option<FieldMask>| pb::UpdateUserRequest {
        user: Some(user),
        update_mask: paths,
    };
    let mut changed = made.clone();
    changed.revision.clear();
    let told = by.users().update_user(update(changed.clone(), None)).await;
    refused(told, Code::InvalidArgument, 6009);
    changed.full_name = "Zoe Z.".into();
    changed.disabled = true;
    let done = by
        .users()
        .update_user(update(changed.clone(), mask(&["full_name"])))
        .await;
    let done = done.unwrap().into_inner().user.unwrap();
    assert_eq!((&*done.full_name, done.disabled), ("Zoe Z.", false));
    let told = by.users().update_user(update(made, None)).await;
    let told = refused(told, Code::Aborted, 6004);
    assert_eq!(told.current_revision, done.revision);
    // Somebody else of the organization does not manage.
    let told = world
        .by(&zoe)
        .users()
        .update_user(update(changed, mask(&["full_name"])))
        .await;
    let told = told.unwrap_err();
    assert_eq!(told.code(), Code::PermissionDenied, "{told:?}");
    let delete = pb::DeleteRoleRequest {
        name: "Operator".into(),
        namespace: "zeta".into(),
    };
    let told = by.roles().delete_role(delete.clone()).await;
    refused(told, Code::FailedPrecondition, 5060);
    let page = pb::ListUsersRequest {
        namespace: "acme".into(),
        page_size: 1,
        ..Default::default()
    };
    let first = by.users().list_users(page.clone()).await.unwrap();
    let first = first.into_inner();
    assert_eq!(first.users.len(), 1);
    let other = pb::ListUsersRequest {
        namespace: "zeta".into(),
        page_token: first.next_page_token.clone(),
        ..page.clone()
    };
    let told = by.users().list_users(other).await;
    refused(told, Code::InvalidArgument, 6122);
    let next = pb::ListUsersRequest {
        page_token: first.next_page_token,
        ..page
    };
    let next = by.users().list_users(next).await.unwrap().into_inner();
    assert_ne!(next.users[0].id, first.users[0].id);
    assert_eq!(next.next_page_token, "");
    let user = pb::DeleteUserRequest {
        name: "zoe".into(),
        namespace: "zeta".into(),
    };
    by.users().delete_user(user).await.unwrap();
    refused(who(&world, &zoe).await, Code::Unauthenticated, 5053);
    by.roles().delete_role(delete).await.unwrap();
    bundles(&world, &admin).await;
}

async fn organizations(world: &World, admin: &str) {
    let by = world.by(admin);
    let new = || pb::CreateOrganizationRequest {
        organization: Some(pb::Organization {
            name: "zeta".into(),
            display_name: "Zeta".into(),
            ..Default::default()
        }),
    };
    let made = by.orgs().create_organization(new()).await.unwrap();
    let mut made = made.into_inner().organization.unwrap();
    assert!(made.id.starts_with("urn:vcloud:org:") && !made.disabled);
    let again = by.orgs().create_organization(new()).await;
    refused(again, Code::AlreadyExists, 6002);
    made.description = "d".into();
    made.vdcs = vec!["v1".into()];
    let update = pb::UpdateOrganizationRequest {
        organization: Some(made.clone()),
        update_mask: None,
    };
    let done = by.orgs().update_organization(update.clone()).await.unwrap();
    let done = done.into_inner().organization.unwrap();
    assert_eq!((&done.vdcs, &*done.display_name), (&made.vdcs, "Zeta"));
    let told = by.orgs().update_organization(update).await;
    refused(told, Code::Aborted, 6004);
    let get = |name: &str| pb::GetOrganizationRequest { name: name.into() };
    let found = by.orgs().get_organization(get("zeta")).await.unwrap();
    assert_eq!(found.into_inner().organization.unwrap(), done);
    let alice = world.login("alice@acme");
    let told = world.by(&alice).orgs().get_organization(get("zeta")).await;
    refused(told, Code::NotFound, 5056);
    let all = pb::ListOrganizationsRequest::default();
    let own = world
        .by(&alice)
        .orgs()
        .list_organizations(all.clone())
        .await;
    assert_eq!(own.unwrap().into_inner().organizations.len(), 1);
    let all = by
        .orgs()
        .list_organizations(all)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(all.organizations.len(), 4);
}

async fn bundles(world: &World, admin: &str) {
    let by = world.by(admin);
    let bundle = pb::Bundle {
        name: "Extra".into(),
        rights: vec!["acme:app: View".into()],
        ..Default::default()
    };
    let new = pb::CreateBundleRequest {
        bundle: Some(bundle),
    };
    by.bundles().create_bundle(new).await.unwrap();
    let publish = |organizations: &[&str], all| pb::PublishBundleRequest {
        name: "Extra".into(),
        organizations: organizations.iter().map(|&org| org.to_owned()).collect(),
        all,
    };
    let done = by.bundles().publish_bundle(publish(&["zeta"], false)).await;
    let done = done.unwrap().into_inner().bundle.unwrap();
    assert_eq!((done.published_to.len(), done.published_to_all), (1, false));
    for bad in [publish(&[], false), publish(&["zeta"], true)] {
        let told = by.bundles().publish_bundle(bad).await;
        refused(told, Code::InvalidArgument, 8006);
    }
    let told = by
        .bundles()
        .publish_bundle(publish(&["nowhere"], false))
        .await;
    refused(told, Code::NotFound, 5056);
    let from = pb::UnpublishBundleRequest {
        name: "Extra".into(),
        organizations: vec!["zeta".into()],
        all: false,
    };
    let done = by.bundles().unpublish_bundle(from).await.unwrap();
    assert_eq!(done.into_inner().bundle.unwrap().published_to.len(), 0);
    let delete = |name: &str| pb::DeleteBundleRequest { name: name.into() };
    by.bundles().delete_bundle(delete("Extra")).await.unwrap();
    let told = by.bundles().delete_bundle(delete("Extra")).await;
    refused(told, Code::NotFound, 5061);
    let told = by
        .bundles()
        .delete_bundle(delete("acme:app Entitlement"))
        .await;
    assert_eq!(told.unwrap_err().code(), Code::FailedPrecondition);
    let alice = world.login("alice@acme");
    let all = pb::ListBundlesRequest::default();
    let told = world
        .by(&alice)
        .bundles()
        .list_bundles(all)
        .await
        .unwrap_err();
    assert_eq!(told.code(), Code::PermissionDenied, "{told:?}");
    let delete = pb::DeleteOrganizationRequest {
        name: "zeta".into(),
    };
    by.orgs().delete_organization(delete).await.unwrap();
}

pub(crate) async fn grants_let_in_and_out_and_are_explained(mut world: World) {
    world.add_app();
    world.add_workers();
    let (alice, wanda) = (world.login("alice@acme"), world.login("wanda@acme"));
    let by = world.by(&alice);
    by.create("v1", "web", json!({"image": "a"})).await.unwrap();
    refused(world.by(&wanda).get("web").await, Code::NotFound, 6001);
    let member = world.user_id(&wanda);
    let grant = |member: &str, level: pb::AccessLevel| pb::GrantAccessRequest {
        kind: "app".into(),
        name: "web".into(),
        member: member.into(),
        level: level.into(),
        ..Default::default()
    };
    let read = pb::AccessLevel::ReadOnly;
    let granted = by
        .access()
        .grant_access(grant(&member, read))
        .await
        .unwrap();
    let granted = granted.into_inner().grant.unwrap();
    assert_eq!((&*granted.member_name, granted.level()), ("wanda", read));
    world.by(&wanda).get("web").await.unwrap();
    for (member, level) in [
        ("wanda", read),
        ("urn:vcloud:user:00000000-0000-4000-8000-000000000000", read),
        (member.as_str(), pb::AccessLevel::Unspecified),
    ] {
        let told = by.access().grant_access(grant(member, level)).await;
        refused(told, Code::InvalidArgument, 8006);
    }
    // Who may only read gives nothing away.
    let told = world
        .by(&wanda)
        .access()
        .grant_access(grant(&member, read))
        .await;
    let told = told.unwrap_err();
    assert_eq!(told.code(), Code::PermissionDenied, "{told:?}");
    detail(&told);
    let acl = pb::GetResourceAclRequest {
        kind: "app".into(),
        name: "web".into(),
        ..Default::default()
    };
    let acl = by
        .access()
        .get_resource_acl(acl)
        .await
        .unwrap()
        .into_inner();
    let levels: Vec<_> = acl.grants.iter().map(pb::Grant::level).collect();
    assert_eq!(levels, [pb::AccessLevel::FullControl, read]);
    assert_eq!(acl.grants[0].member, acl.owner);
    let explain = pb::ExplainAccessRequest {
        kind: "app".into(),
        name: "web".into(),
        user: member.clone(),
        ..Default::default()
    };
    let told = by
        .access()
        .explain_access(explain)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(told.level(), read);
    let modify = told.actions.iter().find(|one| one.action == "modify");
    let modify = modify.unwrap();
    assert!(!modify.allowed, "{modify:?}");
    let missing = modify.requirements.iter().find(|one| !one.met).unwrap();
    assert!(missing.code.starts_with("COEVAL-5") && !missing.advice.is_empty());
    let revoke = || pb::RevokeAccessRequest {
        kind: "app".into(),
        name: "web".into(),
        member: member.clone(),
        ..Default::default()
    };
    by.access().revoke_access(revoke()).await.unwrap();
    refused(world.by(&wanda).get("web").await, Code::NotFound, 6001);
    let told = by.access().revoke_access(revoke()).await.unwrap_err();
    assert_eq!(detail(&told).code, "COEVAL-5011");
}

pub(crate) async fn secrets_are_in_no_log(mut world: World) {
    world.restart_with(&["--log-level", "trace"]);
    let nobody = world.by("");
    let wrong = "hush-hush-wrong";
    let _ = nobody.sessions().login(login("alice", "acme", wrong)).await;
    let begun = nobody
        .sessions()
        .login(login("alice", "acme", PASSWORD))
        .await;
    let token = begun.unwrap().into_inner().token;
    let new = pb::CreateUserRequest {
        user: Some(pb::User {
            name: "new".into(),
            ..Default::default()
        }),
        password: "hush-hush-new".into(),
    };
    world.by(&token).users().create_user(new).await.unwrap();
    let made = pb::CreateApiTokenRequest {
        name: "ci".into(),
        expires: None,
    };
    let made = world.by(&token).sessions().create_api_token(made).await;
    let api = made.unwrap().into_inner().token;
    let log = world.log();
    assert!(
        log.contains("SessionService") || log.contains("session"),
        "nothing is logged"
    );
    for secret in [wrong, "hush-hush-new", token.as_str(), api.as_str()] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}
