//! Upsert: makes or changes, and nothing is lost when many do it at once.

use crate::calls::{app, meta, refused, spec};
use crate::world::World;
use serde_json::json;
use std::collections::BTreeSet;
use tonic::Code;

pub(crate) async fn upsert_makes_and_changes(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let new = app("v1.1", "web", json!({"image": "a", "region": "eu"}));
    let made = by.upsert(new).await.unwrap();
    assert!(made.created);
    let old = app("v1", "web", json!({"image": "b"}));
    let changed = by.upsert(old).await.unwrap();
    assert!(!changed.created);
    assert_eq!(changed.kept, ["/region"], "an old body keeps new fields");
    let now = by.get("web").await.unwrap();
    assert_eq!(spec(&now), json!({"image": "b", "region": "eu"}));
    // With a revision it is a change of that one alone, and makes nothing.
    let first = made.resource.unwrap();
    let mut stale = app("v1", "web", json!({"image": "c"}));
    stale.metadata.as_mut().unwrap().revision = meta(&first).revision.clone();
    let told = refused(by.upsert(stale.clone()).await, Code::Aborted, 6004);
    assert_eq!(told.current_revision, meta(&now).revision);
    stale.metadata.as_mut().unwrap().name = "nobody".into();
    refused(by.upsert(stale).await, Code::NotFound, 6001);
    // A reader neither makes nor changes.
    let bob = world.login("bob@acme");
    for name in ["web", "new"] {
        let body = app("v1", name, json!({"image": "x"}));
        let code = world.by(&bob).upsert(body).await.unwrap_err().code();
        let codes = [Code::NotFound, Code::PermissionDenied, Code::AlreadyExists];
        assert!(codes.contains(&code), "{code:?}");
    }
    assert_eq!(by.get("web").await.unwrap(), now);
    refused(by.get("new").await, Code::NotFound, 6001);
}

pub(crate) async fn many_who_upsert_at_once_lose_nothing(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let (world, alice) = (&world, alice.as_str());
    // Twelve make the same few names at the same moment.
    let upserts = (0..12).map(async |number| {
        let name = format!("n{}", number % 3);
        let body = app("v1", &name, json!({"image": format!("i{number}")}));
        world.by(alice).upsert(body).await.unwrap()
    });
    let all = futures::future::join_all(upserts).await;
    let made = all.iter().filter(|one| one.created).count();
    assert_eq!(made, 3, "each name was made once");
    let page = world.by(alice).list(Default::default()).await.unwrap();
    assert_eq!(page.resources.len(), 3);
    // Old and new clients write the same resource: the old ones never take the region away.
    let region = json!({"image": "a", "region": "eu"});
    let new = app("v1.1", "both", region.clone());
    world.by(alice).upsert(new).await.unwrap();
    let writes = (0..10).map(async |number| {
        let image = format!("i{number}");
        let body = match number % 2 {
            0 => app("v1", "both", json!({"image": image})),
            _ => app(
                "v1.1",
                "both",
                json!({"image": image, "region": format!("r{number}")}),
            ),
        };
        world.by(alice).upsert(body).await.unwrap()
    });
    let mut revisions = BTreeSet::new();
    for one in futures::future::join_all(writes).await {
        revisions.insert(meta(&one.resource.unwrap()).revision.clone());
    }
    assert_eq!(revisions.len(), 10, "each was a write of its own");
    let after = world.by(alice).get("both").await.unwrap();
    assert!(revisions.contains(&meta(&after).revision));
    let content = spec(&after);
    assert!(
        content["image"].as_str().unwrap().starts_with('i'),
        "{content}"
    );
    assert!(
        content["region"].as_str().unwrap().starts_with('r'),
        "{content}"
    );
}
