//! Somebody else does something between an engine's look and its write.

use crate::world::{TENANT, World, admin, app, app_1_0, tenant, v};
use coeval_codes::Coded;
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Engine, Settings, Target};
use coeval_storage::layers::{FaultPlan, FaultyStore, InjectedFault};
use coeval_storage::{Clock, SystemClock, UnixMillis};
use serde_json::{Value, json};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

type Deed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Done once, just before the first write.
struct Meddling(Mutex<Option<Deed>>);

impl std::fmt::Debug for Meddling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Meddling")
    }
}

impl FaultPlan for Meddling {
    fn write(&self) -> Option<InjectedFault> {
        let deed = self.0.lock().unwrap().take()?;
        let runtime = tokio::runtime::Handle::current();
        tokio::task::block_in_place(|| runtime.block_on(deed));
        None
    }
}

/// An engine on the same store, before whose first write something happens.
fn meddled(world: &World, deed: impl Future<Output = ()> + Send + 'static) -> Engine {
    let plan = Arc::new(Meddling(Mutex::new(Some(Box::pin(deed)))));
    let store = FaultyStore::new(Arc::clone(world.engine.store()), plan);
    Engine::new(Arc::new(store), Settings::default())
}

async fn made(world: &World) -> Target {
    let registered = world
        .engine
        .register(&admin(), Registration::of(app_1_0()))
        .await;
    registered.unwrap();
    world.open_to_tenants(&["1.0.0"]).await;
    let create = Create::new(v("1.0.0"), "web", json!({"image": "a"}));
    let made = world.engine.create(&owner(), &app(), create).await.unwrap();
    Target::Id(made.resource.id)
}

fn owner() -> coeval_engine::Caller {
    tenant("owner", TENANT, &["acme:app: Full Access"])
}

pub(crate) async fn an_update_does_not_take_back_a_keep_alive(world: World) {
    let id = made(&world).await;
    let soon = UnixMillis(SystemClock::default().now().0 + 60_000);
    let later = UnixMillis(soon.0 + 60_000);
    world
        .engine
        .keep_alive(&owner(), &app(), &id, Some(soon))
        .await
        .unwrap();
    let (engine, target) = (Arc::clone(&world.engine), id.clone());
    let meddled = meddled(&world, async move {
        engine
            .keep_alive(&owner(), &app(), &target, Some(later))
            .await
            .unwrap();
    });
    let update = Update::new(v("1.0.0"), json!({"image": "b"}));
    meddled
        .update(&owner(), &app(), &id, &update)
        .await
        .unwrap();
    let read = world.engine.get(&owner(), &app(), &id).await.unwrap();
    assert_eq!(read.expires, Some(later));
    let content: Value = serde_json::from_slice(&read.content).unwrap();
    assert_eq!(content, json!({"image": "b"}));
}

pub(crate) async fn a_write_under_way_meets_the_type_as_it_is_now(world: World) {
    let id = made(&world).await;
    let engine = Arc::clone(&world.engine);
    let meddled = meddled(&world, async move {
        let (admin, app) = (admin(), app());
        let nobody = |acl: &mut coeval_access::Acl| {
            *acl = coeval_access::Acl::of_creator("admin");
            Ok(())
        };
        let hidden = engine.set_type_acl(&admin, &app, v("1.0.0"), nobody);
        hidden.await.unwrap();
    });
    let update = Update::new(v("1.0.0"), json!({"image": "b"}));
    let refused = meddled
        .update(&owner(), &app(), &id, &update)
        .await
        .unwrap_err();
    // Of a type of which nothing can be seen there is nothing at all.
    assert_eq!(refused.code(), coeval_codes::TYPE_UNKNOWN);
    let read = world.engine.get(&admin(), &app(), &id).await.unwrap();
    let content: Value = serde_json::from_slice(&read.content).unwrap();
    assert_eq!(content, json!({"image": "a"}));
}

pub(crate) async fn a_newer_edit_is_met_and_not_written_over(world: World) {
    let id = made(&world).await;
    let (engine, target) = (Arc::clone(&world.engine), id.clone());
    let meddled = meddled(&world, async move {
        let update = Update::new(v("1.0.0"), json!({"image": "theirs", "replicas": 3}));
        engine
            .update(&owner(), &app(), &target, &update)
            .await
            .unwrap();
    });
    // A mask merges with what is there now, not with what was read first.
    let mask = coeval_engine::write::FieldMask::parse(["/image"]).unwrap();
    let update = Update {
        mask: Some(mask),
        ..Update::new(v("1.0.0"), json!({"image": "ours"}))
    };
    meddled
        .update(&owner(), &app(), &id, &update)
        .await
        .unwrap();
    let read = world.engine.get(&owner(), &app(), &id).await.unwrap();
    let content: Value = serde_json::from_slice(&read.content).unwrap();
    assert_eq!(content, json!({"image": "ours", "replicas": 3}));
}
