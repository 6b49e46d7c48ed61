//! Clients of a newer release than the server: fields that it does not know.

use crate::calls::detail;
use crate::walk_table::{Things, rows};
use crate::world::World;
use bytes::{BufMut, Bytes, BytesMut};
use coeval_grpc::proto::releases::v1 as pb;
use coeval_grpc::proto::tasks::v1::ListTasksRequest;
use coeval_grpc::raw::RawCodec;
use tonic::metadata::{MetadataMap, MetadataValue};
use tonic::{Code, Request, Status};

/// Field 900 with the number 1, at the end of a message.
fn with_unknown_field(message: &Bytes) -> Bytes {
    let mut more = BytesMut::from(&message[..]);
    more.put_slice(&[0xa0, 0x38, 0x01]);
    more.freeze()
}

async fn send(
    world: &World,
    token: &str,
    method: &str,
    message: Bytes,
    ignorable: &'static str,
) -> Result<MetadataMap, Status> {
    let mut client = tonic::client::Grpc::new(world.channel());
    client.ready().await.unwrap();
    let mut request = Request::new(message);
    let bearer = MetadataValue::try_from(format!("Bearer {token}")).unwrap();
    request.metadata_mut().insert("authorization", bearer);
    if !ignorable.is_empty() {
        let value = MetadataValue::from_static(ignorable);
        request.metadata_mut().insert("coeval-ignorable", value);
    }
    let path = format!("/{method}").parse().unwrap();
    let answer = client.server_streaming(request, path, RawCodec).await?;
    Ok(answer.metadata().clone())
}

fn is_harmless(method: &str) -> bool {
    let name = method.rsplit('/').next().unwrap();
    ["Get", "List", "Plan", "Check", "WhoAmI", "Explain"]
        .iter()
        .any(|verb| name.starts_with(verb))
}

pub(crate) async fn a_field_that_no_release_has_is_refused_by_every_method(mut world: World) {
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let things = Things::make(&world, &admin, &alice).await;
    let before = world
        .by(&alice)
        .list(Default::default())
        .await
        .unwrap()
        .sequence;
    let mut ignored = 0;
    for (_, method, message) in rows(&things) {
        let message = with_unknown_field(&message);
        let refused = send(&world, &admin, method, message.clone(), "")
            .await
            .unwrap_err();
        let told = detail(&refused);
        assert_eq!(told.code, "COEVAL-8018", "{method}: {told:?}");
        assert_eq!(refused.code(), Code::InvalidArgument, "{method}");
        assert!(
            told.message.contains("900") && told.message.contains(&told.release),
            "{told:?}"
        );
        let other = send(&world, &admin, method, message.clone(), "901").await;
        assert_eq!(detail(&other.unwrap_err()).code, "COEVAL-8018", "{method}");
        if !is_harmless(method) {
            continue;
        }
        if let Ok(metadata) = send(&world, &alice, method, message, "901, 900").await {
            let warning = metadata.get("coeval-warning").unwrap().to_str().unwrap();
            assert!(
                warning.contains("900") && warning.contains(&told.release),
                "{warning}"
            );
            ignored += 1;
        }
    }
    assert!(ignored > 8, "{ignored}");
    let after = world
        .by(&alice)
        .list(Default::default())
        .await
        .unwrap()
        .sequence;
    assert_eq!(before, after, "what is refused changes nothing");
}

pub(crate) async fn a_field_inside_of_a_request_is_refused_by_its_path(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    // CreateResourceRequest.resource, with a field 900 in it.
    let message = Bytes::from_static(&[0x0a, 0x03, 0xa0, 0x38, 0x01]);
    let method = "coeval.resources.v1.ResourceService/CreateResource";
    let refused = send(&world, &alice, method, message.clone(), "")
        .await
        .unwrap_err();
    assert!(detail(&refused).message.contains("1.900"), "{refused:?}");
    let passed = send(&world, &alice, method, message, "1.900")
        .await
        .unwrap_err();
    assert_ne!(
        detail(&passed).code,
        "COEVAL-8018",
        "it is refused for what it lacks"
    );
}

pub(crate) async fn a_typed_service_refuses_what_it_does_not_know_around_the_content(
    mut world: World,
) {
    world.add_app();
    let alice = world.login("alice@acme");
    world
        .by(&alice)
        .create("v1", "web", serde_json::json!({"image": "a"}))
        .await
        .unwrap();
    // GetAppRequest.name is "web"; CreateAppRequest.resource has nothing but a field 900.
    let get = Bytes::from_static(b"\x0a\x03web");
    let nested = Bytes::from_static(&[0x0a, 0x03, 0xa0, 0x38, 0x01]);
    for (method, message, number) in [
        (
            "acme.app.v1.AppService/GetApp",
            with_unknown_field(&get),
            "900",
        ),
        ("acme.app.v1.AppService/CreateApp", nested, "1.900"),
    ] {
        let refused = send(&world, &alice, method, message, "").await.unwrap_err();
        let told = detail(&refused);
        assert_eq!(told.code, "COEVAL-8018", "{method}: {told:?}");
        assert!(told.message.contains(number), "{told:?}");
    }
    let (method, message) = ("acme.app.v1.AppService/GetApp", with_unknown_field(&get));
    let metadata = send(&world, &alice, method, message, "900").await.unwrap();
    assert!(metadata.get("coeval-warning").is_some());
    let metadata = send(&world, &alice, method, get, "").await.unwrap();
    assert!(metadata.get("coeval-warning").is_none());
}

pub(crate) async fn the_release_is_told_to_everybody_and_deprecations_to_users(world: World) {
    let by = world.by("");
    let release = by
        .releases()
        .get_release(pb::GetReleaseRequest {})
        .await
        .unwrap();
    assert_eq!(release.into_inner().release, env!("CARGO_PKG_VERSION"));
    let asked = pb::ListDeprecationsRequest::default();
    let refused = by
        .releases()
        .list_deprecations(asked.clone())
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let admin = world.admin();
    let listed = world
        .by(&admin)
        .releases()
        .list_deprecations(asked)
        .await
        .unwrap();
    for item in listed.into_inner().deprecations {
        assert!(item.deprecation.is_some(), "{item:?}");
    }
}

pub(crate) async fn tasks_are_listed_by_their_resource_page_by_page(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    for _ in 0..2 {
        let asked = crate::walk_table::migration();
        world
            .by(&alice)
            .tasks()
            .migrate_resources(asked)
            .await
            .unwrap();
    }
    let list = async |asked: ListTasksRequest| {
        let listed = world.by(&alice).tasks().list_tasks(asked).await;
        listed.map(tonic::Response::into_inner)
    };
    let page = ListTasksRequest {
        page_size: 1,
        ..Default::default()
    };
    let first = list(page.clone()).await.unwrap();
    assert_eq!(first.tasks.len(), 1);
    let next = ListTasksRequest {
        page_token: first.next_page_token.clone(),
        ..page.clone()
    };
    assert_eq!(list(next.clone()).await.unwrap().tasks.len(), 1);
    let resource = "urn:vcloud:entity:acme:app:none".to_owned();
    let of_one = ListTasksRequest {
        resource: resource.clone(),
        ..page
    };
    assert!(list(of_one).await.unwrap().tasks.is_empty());
    // A token is of its own question alone.
    let mixed = ListTasksRequest { resource, ..next };
    assert!(list(mixed).await.is_err());
}
