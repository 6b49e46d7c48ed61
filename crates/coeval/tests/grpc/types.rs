//! Type versions and interfaces.

use crate::calls::{detail, refused};
use crate::stage::{app_files, type_file};
use crate::world::World;
use coeval_grpc::proto::access::v1 as access;
use coeval_grpc::proto::types::v1 as pb;
use serde_json::json;
use tonic::Code;

fn register(file: &str) -> pb::RegisterTypeVersionRequest {
    pb::RegisterTypeVersionRequest {
        file: file.into(),
        ..Default::default()
    }
}

pub(crate) async fn a_type_version_is_checked_registered_changed_and_deleted(world: World) {
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let by = world.by(&admin);
    let check = |file: &str| pb::CheckTypeVersionRequest {
        file: file.into(),
        ..Default::default()
    };
    let get = |id: &str| pb::GetTypeVersionRequest { id: id.into() };
    let files = app_files();
    let judged = by.types().check_type_version(check(&files[0])).await;
    let judged = judged.unwrap().into_inner();
    assert_eq!((&*judged.id, judged.refused), ("acme:app:1.0.0", false));
    let none = by.types().get_type_version(get("acme:app:1.0.0")).await;
    refused(none, Code::NotFound, 2302);
    for file in &files {
        by.types()
            .register_type_version(register(file))
            .await
            .unwrap();
    }
    let again = by.types().register_type_version(register(&files[0])).await;
    refused(again, Code::AlreadyExists, 2303);
    let again = by.types().check_type_version(check(&files[0])).await;
    refused(again, Code::AlreadyExists, 2303);
    // A bump that is too small is found by both, and told with a document that shows it.
    let breaking = type_file(
        "acme:app",
        "1.2.0",
        "  schema: {type: object, properties: {image: {type: integer}}}\n",
    );
    let judged = by.types().check_type_version(check(&breaking)).await;
    let judged = judged.unwrap().into_inner();
    let witness = |one: &pb::Finding| one.refuses && !one.witness.is_empty();
    assert!(
        judged.refused && judged.findings.iter().any(witness),
        "{judged:?}"
    );
    let told = by.types().register_type_version(register(&breaking)).await;
    let told = refused(told, Code::FailedPrecondition, 2309);
    assert!(!told.findings.is_empty(), "{told:?}");
    let warned = pb::RegisterTypeVersionRequest {
        policy: pb::Policy::Warn.into(),
        ..register(&breaking)
    };
    let done = by.types().register_type_version(warned).await.unwrap();
    assert!(done.into_inner().unproven);
    let found = by
        .types()
        .get_type_version(get("urn:vcloud:type:acme:app:1.2.0"))
        .await;
    let found = found.unwrap().into_inner().type_version.unwrap();
    assert_eq!((&*found.id, found.unproven), ("acme:app:1.2.0", true));
    assert_eq!(found.file, breaking);
    // Pages, by version as numbers.
    let (mut ids, mut token) = (Vec::new(), String::new());
    loop {
        let page = pb::ListTypeVersionsRequest {
            page_size: 2,
            page_token: token.clone(),
            vendor: "acme".into(),
            nss: "app".into(),
        };
        let page = by.types().list_type_versions(page).await.unwrap();
        let page = page.into_inner();
        ids.extend(page.type_versions.into_iter().map(|one| one.id));
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(ids, ["acme:app:1.0.0", "acme:app:1.1.0", "acme:app:1.2.0"]);
    // A tenant that it is not published to does not see it, and registers nothing.
    let told = world
        .by(&alice)
        .types()
        .get_type_version(get("acme:app:1.0.0"))
        .await;
    assert_eq!(told.unwrap_err().code(), Code::NotFound);
    let own = type_file("mine:own", "1.0.0", "  schema: {type: object}\n");
    let told = world
        .by(&alice)
        .types()
        .register_type_version(register(&own))
        .await;
    assert_eq!(told.unwrap_err().code(), Code::PermissionDenied);
    // Without resources it is edited and deleted; with one it is not.
    let update = |file: String| pb::UpdateTypeVersionRequest {
        id: "acme:app:1.1.0".into(),
        file,
        policy: pb::Policy::Warn.into(),
        ..Default::default()
    };
    let edited = format!("{}  title: Edited\n", files[1]);
    let done = by.types().update_type_version(update(edited.clone())).await;
    let done = done.unwrap().into_inner().type_version.unwrap();
    assert_eq!(done.title, "Edited");
    let content = json!({"image": "a"});
    by.create("v1.1", "web", content).await.unwrap();
    let told = by.types().update_type_version(update(edited)).await;
    refused(told, Code::FailedPrecondition, 2304);
    let delete = |id: &str| pb::DeleteTypeVersionRequest { id: id.into() };
    let told = by
        .types()
        .delete_type_version(delete("acme:app:1.1.0"))
        .await;
    assert_eq!(told.unwrap_err().code(), Code::FailedPrecondition);
    by.types()
        .delete_type_version(delete("acme:app:1.2.0"))
        .await
        .unwrap();
    let told = by
        .types()
        .delete_type_version(delete("acme:app:1.2.0"))
        .await;
    refused(told, Code::NotFound, 2302);
    for bad in ["", "acme:app", "acme:app:one", "acme:app:1.0.0-alpha"] {
        let told = by.types().get_type_version(get(bad)).await;
        refused(told, Code::InvalidArgument, 8006);
    }
    // A version takes every form, in an id too.
    for form in ["acme:app:1", "acme:app:v1", "acme:app:1.0"] {
        let told = by.types().get_type_version(get(form)).await.unwrap();
        let shown = told.into_inner().type_version.unwrap();
        assert_eq!(shown.id, "acme:app:1.0.0", "{form}");
    }
    let told = by.types().register_type_version(register("kind: [")).await;
    let told = told.unwrap_err();
    assert_eq!(told.code(), Code::InvalidArgument, "{told:?}");
    detail(&told);
}

pub(crate) async fn a_version_is_annotated_and_retired(world: World) {
    let admin = world.admin();
    let by = world.by(&admin);
    let files = app_files();
    for file in &files {
        let done = by.types().register_type_version(register(file)).await;
        done.unwrap();
    }
    by.create("v1.1", "web", json!({"image": "a"}))
        .await
        .unwrap();
    let id = || "acme:app:1.1.0".to_owned();
    let column = |path: &str, kind: &str| pb::Column {
        name: "Image".into(),
        path: path.into(),
        r#type: kind.into(),
    };
    let deprecated = pb::Deprecation {
        since: "2026-11-18".into(),
        message: "Use 2.0.0.".into(),
        ..Default::default()
    };
    let both = pb::AnnotateTypeVersionRequest {
        id: id(),
        deprecated: Some(deprecated.clone()),
        columns: Some(pb::Columns {
            columns: vec![column("/image", "")],
        }),
        ..Default::default()
    };
    let done = by.types().annotate_type_version(both.clone()).await;
    let done = done.unwrap().into_inner().type_version.unwrap();
    assert_eq!(done.deprecated, Some(deprecated));
    assert_eq!(done.columns, [column("/image", "string")]);
    assert_eq!(done.file, files[1], "the file stays");
    let told = |metadata: &tonic::metadata::MetadataMap| {
        let all = metadata.get_all("coeval-warning").iter();
        all.filter(|text| text.to_str().unwrap().contains("Use 2.0.0."))
            .count()
    };
    let get = |version: &str| coeval_grpc::proto::resources::v1::GetResourceRequest {
        kind: "app".into(),
        name: "web".into(),
        version: version.into(),
        ..Default::default()
    };
    for (version, count) in [("1.1", 1), ("1.0", 0)] {
        let read = by.resources().get_resource(get(version)).await.unwrap();
        assert_eq!(told(read.metadata()), count, "{version}");
        let asked = coeval_grpc::proto::resources::v1::ListResourcesRequest {
            kind: "app".into(),
            version: version.into(),
            ..Default::default()
        };
        let listed = by.resources().list_resources(asked).await.unwrap();
        assert_eq!(told(listed.metadata()), count, "{version}");
        let asked = coeval_grpc::proto::resources::v1::WatchResourcesRequest {
            kind: "app".into(),
            version: version.into(),
            ..Default::default()
        };
        let watch = by.resources().watch_resources(asked).await.unwrap();
        assert_eq!(told(watch.metadata()), count, "{version}");
    }
    let there = by.resources().get_resource(get("1.1")).await.unwrap();
    let there = there.into_inner().resource.unwrap();
    let mut edited = there.clone();
    edited.spec = json!({"image": "b"}).to_string().into();
    by.update(edited).await.unwrap();
    let asked = coeval_grpc::proto::resources::v1::RestoreResourceRequest {
        kind: "app".into(),
        name: "web".into(),
        revision: there.metadata.unwrap().revision,
        ..Default::default()
    };
    let restored = by.resources().restore_resource(asked).await.unwrap();
    assert_eq!(told(restored.metadata()), 1);
    let new = crate::calls::app("v1.1", "api", json!({"image": "a"}));
    let asked = coeval_grpc::proto::resources::v1::CreateResourceRequest {
        resource: Some(new),
        ..Default::default()
    };
    let made = by.resources().create_resource(asked).await.unwrap();
    let warning = made.metadata().get("coeval-warning").unwrap();
    assert!(
        warning.to_str().unwrap().contains("Use 2.0.0."),
        "{warning:?}"
    );
    // What is absent stays.
    let clear = pb::AnnotateTypeVersionRequest {
        id: id(),
        clear_deprecated: true,
        ..Default::default()
    };
    let done = by.types().annotate_type_version(clear.clone()).await;
    let done = done.unwrap().into_inner().type_version.unwrap();
    assert_eq!((done.deprecated, done.columns.len()), (None, 1));
    let wrong = |path: &str, kind: &str| pb::AnnotateTypeVersionRequest {
        id: id(),
        columns: Some(pb::Columns {
            columns: vec![column(path, kind)],
        }),
        ..Default::default()
    };
    let told = by.types().annotate_type_version(wrong("/zone", "")).await;
    refused(told, Code::InvalidArgument, 2316);
    let told = by
        .types()
        .annotate_type_version(wrong("/image", "text"))
        .await;
    refused(told, Code::InvalidArgument, 8006);
    let twice = pb::AnnotateTypeVersionRequest {
        clear_deprecated: true,
        ..both
    };
    let told = by.types().annotate_type_version(twice).await;
    refused(told, Code::InvalidArgument, 8006);
    let alice = world.login("alice@acme");
    let told = world.by(&alice).types().annotate_type_version(clear).await;
    assert_eq!(told.unwrap_err().code(), Code::NotFound);

    // 1.1.0 is converted from 1.0.0: that goes, and comes back as it was.
    let first = pb::DeleteTypeVersionRequest {
        id: "acme:app:1.0.0".into(),
    };
    by.types().delete_type_version(first).await.unwrap();
    let all = pb::ListTypeVersionsRequest {
        nss: "app".into(),
        ..Default::default()
    };
    let left = by.types().list_type_versions(all).await.unwrap();
    assert_eq!(left.into_inner().type_versions.len(), 1);
    let other = files[0].replace(
        "image: {type: string}",
        "image: {type: string, maxLength: 9}",
    );
    let told = by.types().register_type_version(register(&other)).await;
    refused(told, Code::FailedPrecondition, 2315);
    let back = by.types().register_type_version(register(&files[0])).await;
    assert_eq!(back.unwrap().into_inner().id, "acme:app:1.0.0");
}

pub(crate) async fn interfaces_go_through_their_lives(world: World) {
    let admin = world.admin();
    let by = world.by(&admin);
    let new = pb::Interface {
        vendor: "acme".into(),
        nss: "deployable".into(),
        version: "1.0.0".into(),
        title: "Deployable".into(),
        ..Default::default()
    };
    let create = || pb::CreateInterfaceRequest {
        interface: Some(new.clone()),
    };
    let made = by.interfaces().create_interface(create()).await.unwrap();
    let mut made = made.into_inner().interface.unwrap();
    assert_eq!(made.id, "acme:deployable:1.0.0");
    let again = by
        .interfaces()
        .create_interface(create())
        .await
        .unwrap_err();
    assert_eq!(again.code(), Code::AlreadyExists, "{again:?}");
    assert_eq!(detail(&again).code, "COEVAL-8030");
    made.title = "Can be deployed".into();
    let update = pb::UpdateInterfaceRequest {
        interface: Some(made.clone()),
    };
    by.interfaces().update_interface(update).await.unwrap();
    let get = || pb::GetInterfaceRequest {
        id: made.id.clone(),
    };
    let found = by.interfaces().get_interface(get()).await.unwrap();
    assert_eq!(found.into_inner().interface.as_ref(), Some(&made));
    let all = pb::ListInterfacesRequest::default();
    let all = by
        .interfaces()
        .list_interfaces(all)
        .await
        .unwrap()
        .into_inner();
    assert!(all.interfaces.contains(&made));
    let spec = "  schema: {type: object}\n  interfaces: ['acme:deployable:1.0.0']\n";
    let file = type_file("acme:app", "1.0.0", spec);
    by.types()
        .register_type_version(register(&file))
        .await
        .unwrap();
    let delete = |id: &str| pb::DeleteInterfaceRequest { id: id.into() };
    let told = by.interfaces().delete_interface(delete(&made.id)).await;
    refused(told, Code::FailedPrecondition, 2311);
    let built_in = all.interfaces.iter().find(|one| one.built_in);
    if let Some(built_in) = built_in {
        let told = by.interfaces().delete_interface(delete(&built_in.id)).await;
        assert_eq!(told.unwrap_err().code(), Code::FailedPrecondition);
    }
    let gone = pb::DeleteTypeVersionRequest {
        id: "acme:app:1.0.0".into(),
    };
    by.types().delete_type_version(gone).await.unwrap();
    by.interfaces()
        .delete_interface(delete(&made.id))
        .await
        .unwrap();
    let told = by.interfaces().get_interface(get()).await;
    refused(told, Code::NotFound, 2310);
}

pub(crate) async fn grants_of_a_type_version_are_made_and_taken(world: World) {
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let by = world.by(&admin);
    let file = &app_files()[0];
    by.types()
        .register_type_version(register(file))
        .await
        .unwrap();
    let me = world
        .by(&alice)
        .access()
        .who_am_i(access::WhoAmIRequest {})
        .await;
    let org = me.unwrap().into_inner().organization.unwrap().id;
    let grant = access::GrantTypeAccessRequest {
        type_version: "acme:app:1.0.0".into(),
        member: org.clone(),
        level: access::AccessLevel::ReadOnly.into(),
    };
    let told = world
        .by(&alice)
        .access()
        .grant_type_access(grant.clone())
        .await;
    let told = told.unwrap_err();
    let codes = [Code::NotFound, Code::PermissionDenied];
    assert!(codes.contains(&told.code()), "{told:?}");
    by.access().grant_type_access(grant).await.unwrap();
    let get = || pb::GetTypeVersionRequest {
        id: "acme:app:1.0.0".into(),
    };
    world
        .by(&alice)
        .types()
        .get_type_version(get())
        .await
        .unwrap();
    let acl = access::GetTypeAclRequest {
        type_version: "acme:app:1.0.0".into(),
    };
    let acl = by.access().get_type_acl(acl).await.unwrap().into_inner();
    assert!(acl.grants.iter().any(|one| one.member == org), "{acl:?}");
    let revoke = access::RevokeTypeAccessRequest {
        type_version: "acme:app:1.0.0".into(),
        member: org,
    };
    by.access().revoke_type_access(revoke).await.unwrap();
    let told = world.by(&alice).types().get_type_version(get()).await;
    assert_eq!(told.unwrap_err().code(), Code::NotFound);
    let sync = access::SyncTypeAclRequest {
        type_version: "acme:app:1.0.0".into(),
    };
    by.access().sync_type_acl(sync).await.unwrap();
}
