//! Servers of an older release: the older way is taken, or the release that is needed is named.

use crate::older_server::{Passing, RELEASE};
use crate::{apps, stage};
use coeval_client::{ClientErrorKind, Resource, ResourceQuery};
use futures::StreamExt;
use serde_json::json;
use tokio::task::block_in_place;

#[tokio::test(flavor = "multi_thread")]
async fn upsert_is_get_and_create_or_update_where_there_is_none() {
    let (world, token) = block_in_place(stage);
    let old = Passing::before(world.address()).await;
    old.lacks("UpsertResource");
    let apps = apps(old.address(), &token);
    let mut new = Resource::new("app", "v1", "web", json!({"image": "a"}));
    assert!(apps.upsert(&new).await.unwrap().created);
    new.spec["image"] = "b".into();
    let again = apps.upsert(&new).await.unwrap();
    assert!(!again.created);
    assert_eq!(apps.get("web").await.unwrap().spec, json!({"image": "b"}));
    assert_eq!(old.called("UpsertResource"), 1, "asked once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mask_is_applied_here_where_the_server_has_none() {
    let (world, token) = block_in_place(stage);
    let direct = apps(world.address(), &token);
    let new = Resource::new("app", "v1.1", "web", json!({"image": "a", "region": "eu"}));
    direct.create(&new).await.unwrap();
    let old = Passing::before(world.address()).await;
    old.lacks_once("UpdateResource");
    let by_old = apps(old.address(), &token);
    let body = Resource::new("app", "v1", "web", json!({"image": "b"}));
    for image in ["b", "c"] {
        let mut body = body.clone();
        body.spec["image"] = image.into();
        let written = by_old.update_fields(&body, &["spec.image"]).await.unwrap();
        assert_eq!(written.resource.spec, json!({"image": image}));
        let there = direct.get("web").await.unwrap();
        assert_eq!(there.spec, json!({"image": image, "region": "eu"}));
    }
    assert_eq!(old.called("UpdateResource"), 3, "the mask is tried once");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_there_is_no_older_way_for_names_the_release_that_is_needed() {
    let (world, token) = block_in_place(stage);
    let old = Passing::before(world.address()).await;
    for method in ["ListRevisions", "RestoreResource", "WatchResources"] {
        old.lacks(method);
    }
    let apps = apps(old.address(), &token);
    for _ in 0..2 {
        let refused = [
            apps.revisions("web").await.unwrap_err(),
            apps.restore("web", "a", "").await.unwrap_err(),
            apps.watch(&ResourceQuery::default(), None)
                .next()
                .await
                .unwrap()
                .unwrap_err(),
        ];
        for error in refused {
            assert_eq!(error.kind(), ClientErrorKind::Unimplemented, "{error:?}");
            assert_eq!(error.said_code(), "COEVAL-8092");
            let text = error.to_string();
            assert!(text.contains(RELEASE) && text.contains("0.1.0"), "{text}");
        }
    }
    assert_eq!(old.called("ListRevisions"), 1, "asked once");
    assert_eq!(old.called("WatchResources"), 1, "asked once");
}
