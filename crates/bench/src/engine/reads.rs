//! Gets at the stored and at another version, and lookups by name.

use super::figures::{at_least, at_most};
use super::world::{NEW, OLD, ResourceWorld, caller, of};
use crate::figures::rate;
use coeval_core::version::Uuid;
use coeval_engine::{Engine, SYSTEM_ORG, Settings, Target};
use coeval_storage::Key;
use std::sync::Arc;
use std::time::Duration;

fn engine(world: &ResourceWorld, view_bytes: u64) -> Arc<Engine> {
    let settings = Settings {
        view_bytes,
        ..Settings::default()
    };
    Arc::new(Engine::new(world.place.store(), settings))
}

async fn gets(
    engine: &Arc<Engine>,
    ids: &Arc<Vec<Uuid>>,
    among: usize,
    at: coeval_core::version::Version,
    callers: usize,
    time: Duration,
) -> f64 {
    let (engine, ids) = (Arc::clone(engine), Arc::clone(ids));
    let caller = Arc::new(caller().at(at));
    rate(callers, time, move |_| {
        let (engine, caller) = (Arc::clone(&engine), Arc::clone(&caller));
        let id = ids[fastrand::usize(..among)];
        async move {
            let read = engine.get(&caller, &of(), &Target::Id(id)).await.unwrap();
            assert!(read.content.len() > 1_000);
        }
    })
    .await
}

pub(crate) async fn measure(world: &ResourceWorld, time: Duration) {
    let all = world.ids.len();
    for callers in [1, 64] {
        let (store, ids) = (world.place.store(), Arc::clone(&world.ids));
        let bare = rate(callers, time, move |_| {
            let store = Arc::clone(&store);
            let id = ids[fastrand::usize(..ids.len())];
            async move {
                let key = Key::new(format!("e/bench/thing/v1/{id}")).unwrap();
                let record = store.get(&key).await.unwrap();
                assert!(record.content.body.len() > 1_000);
            }
        })
        .await;
        let cached = engine(world, 64 * 1024 * 1024);
        let stored = gets(&cached, &world.ids, all, OLD, callers, time).await;
        at_least(
            &format!("gets at the stored version / storage reads, {callers} callers"),
            stored / bare,
            0.5,
            &format!("{stored:.0}/s against {bare:.0}/s"),
        );
        let few = all.min(10_000);
        let same = gets(&cached, &world.ids, few, OLD, callers, time).await;
        // Once to fill the cache, and once to be measured.
        gets(&cached, &world.ids, few, NEW, callers, time).await;
        let fits = gets(&cached, &world.ids, few, NEW, callers, time).await;
        at_most(
            &format!("time of another version that fits the cache, {callers} callers"),
            same / fits,
            1.15,
            &format!("{fits:.0}/s, {few} resources"),
        );
        let uncached = engine(world, 0);
        let slow = gets(&uncached, &world.ids, all, NEW, callers, time).await;
        at_most(
            &format!("time of another version, uncached, {callers} callers"),
            stored / slow,
            2.0,
            &format!("{slow:.0}/s"),
        );
        // Once to fill the cache, and once to be measured.
        gets(&cached, &world.ids, all, NEW, callers, time).await;
        let uniform = gets(&cached, &world.ids, all, NEW, callers, time).await;
        at_most(
            &format!("time of another version, {all} in 64 MB, {callers} callers"),
            stored / uniform,
            1.6,
            &format!("{uniform:.0}/s"),
        );
    }
    names(world, time).await;
}

/// The names of the first thousand, and of all: the same work, if an index does it.
async fn names(world: &ResourceWorld, time: Duration) {
    let small = ResourceWorld::with(1_000).await;
    let mut rates = Vec::new();
    for world in [&small, world] {
        let engine = engine(world, 0);
        let among = world.ids.len();
        let caller = Arc::new(caller());
        let found = rate(1, time, move |_| {
            let (engine, caller) = (Arc::clone(&engine), Arc::clone(&caller));
            let name = format!("thing-{:08}", fastrand::usize(..among));
            async move {
                let org = SYSTEM_ORG.to_owned();
                let target = Target::Name { org, name };
                engine.get(&caller, &of(), &target).await.unwrap();
            }
        })
        .await;
        rates.push(found);
    }
    at_most(
        &format!(
            "time of a name lookup among {} / among 1,000",
            world.ids.len()
        ),
        rates[0] / rates[1],
        1.5,
        &format!("{:.0}/s against {:.0}/s", rates[1], rates[0]),
    );
}
