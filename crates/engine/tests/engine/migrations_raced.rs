//! What the model found: moves that were decided on phases that have passed, records that expire when
//! they don't count, and a list that outlived its migration.

use crate::migrations::{
    app_2_0_with, back, drive, forward, forward_to, made, patiently, registered, sound, started,
    status,
};
use crate::migrations_hurt::{Before, Deed};
use crate::world::{World, admin, app, app_1_0, settings, v};
use coeval_core::phases::Phase;
use coeval_engine::migrations::{Advance, MigrationDriver, State};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{AuditQuery, Engine, Target, What};
use coeval_storage::layers::FaultyStore;
use coeval_storage::{Clock, SystemClock, UnixMillis};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn later(milliseconds: i64) -> Option<UnixMillis> {
    Some(UnixMillis(SystemClock::default().now().0 + milliseconds))
}

/// Many ask for the same step at once, from both servers: it is taken once.
pub(crate) async fn a_step_that_many_ask_for_is_one_step(mut world: World) {
    let one = Arc::clone(&world.engine);
    let other = world.another(settings()).await;
    let _drivers = (drive(&one, "one"), drive(&other, "other"));
    registered(&one).await;
    made(&one, "web", json!({"image": "a"})).await;
    started(&one).await;
    for phase in [
        Phase::Mirror,
        Phase::ReadNew,
        Phase::Backfill,
        Phase::Soak,
        Phase::Cutover,
    ] {
        let to = move || Advance {
            to: Some(phase),
            ..Advance::default()
        };
        let whole = |engine: Arc<Engine>| async move {
            while status(&engine).await.live != Some((phase, phase)) {
                let (by, of) = (admin(), app());
                let _ = engine.advance_migration(&by, &of, to()).await;
            }
        };
        let asking: Vec<_> = (0..8)
            .map(|n| tokio::spawn(whole(Arc::clone(if n % 2 == 0 { &one } else { &other }))))
            .collect();
        for one in asking {
            one.await.unwrap();
        }
        assert_eq!(status(&one).await.live, Some((phase, phase)));
    }
}

/// A server has seen that all was visited. Before it notes that, the phases go back to where servers
/// write the old record alone: the note is not for these phases.
pub(crate) async fn a_note_that_all_was_visited_is_of_its_own_epoch(_: World) {
    let mut struck = 0;
    for nth in 1.. {
        let world = World::sqlite().await;
        let clean = &world.engine;
        registered(clean).await;
        made(clean, "web", json!({"image": "a"})).await;
        started(clean).await;
        let (who, of) = (admin(), app());
        while status(clean).await.live != Some((Phase::ReadNew, Phase::Backfill)) {
            MigrationDriver::once(clean.background(), "one", "0.1.0")
                .await
                .unwrap();
            let _ = clean.advance_migration(&who, &of, Advance::default()).await;
        }
        let engine = Arc::clone(clean);
        let deed: Deed = Box::pin(async move {
            let (who, of) = (admin(), app());
            while status(&engine).await.live != Some((Phase::Old, Phase::Mirror)) {
                engine.back_migration(&who, &of, true).await.unwrap();
            }
        });
        let plan = Arc::new(Before::write(nth, deed));
        let store = FaultyStore::new(Arc::clone(clean.store()), Arc::clone(&plan) as _);
        let meddled = Arc::new(Engine::new(Arc::new(store), settings()));
        for _ in 0..3 {
            let _ = MigrationDriver::once(meddled.background(), "one", "0.1.0").await;
        }
        if !plan.has_struck() {
            break;
        }
        struck += 1;
        let now = status(clean).await;
        assert_eq!(
            now.live,
            Some((Phase::Old, Phase::Mirror)),
            "before write {nth}"
        );
        assert!(!now.forward_done, "before write {nth}: {now:?}");
    }
    println!("{struck} writes, and the phases went back before each");
    assert!(struck > 3, "{struck}");
}

/// Until the sweep has been there.
async fn swept(engine: &Engine, id: &Target, when: &str) {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let gone = engine.get(&admin(), &app(), id).await.is_err();
        let mut problems = 0;
        let mut told = |_: &coeval_engine::inspect::Problem| problems += 1;
        let no = coeval_engine::inspect::Repair::No;
        engine.inspect(no, &|_| {}, &mut told).await.unwrap();
        let resources = status(engine).await.resources;
        if gone && problems == 0 && resources == (0, 0) {
            return;
        }
        assert!(
            Instant::now() < until,
            "{when}: {gone} {problems} {resources:?}"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Whether nothing that has expired is left.
async fn all_swept(engine: &Engine) -> bool {
    engine.store().expired(10).await.unwrap().is_empty()
}

async fn told(engine: &Engine, id: &Target, what: What) -> usize {
    let Target::Id(id) = id else { panic!("{id}") };
    let query = AuditQuery {
        id: Some(id.to_string()),
        ..AuditQuery::default()
    };
    let records = engine.audit(&admin(), &query, None, 100).await.unwrap();
    records.iter().filter(|one| one.deed.what == what).count()
}

/// A mirror whose resource was deleted at old expires: nothing of the resource goes a second time.
pub(crate) async fn a_mirror_that_expires_after_its_resource_takes_nothing_along(mut world: World) {
    let mut behind = settings();
    behind.phases.insert(app(), Phase::Old);
    let old = world.another(behind).await;
    let new = Arc::clone(&world.engine);
    let _drivers = (drive(&old, "old"), drive(&new, "new"));
    registered(&new).await;
    let web = made(&new, "web", json!({"image": "a"})).await;
    started(&new).await;
    let caller = (admin(), app());
    patiently(|| new.advance_migration(&caller.0, &caller.1, Advance::default())).await;
    assert_eq!(status(&new).await.live, Some((Phase::Old, Phase::Mirror)));
    new.keep_alive(&admin(), &app(), &web, later(1_500))
        .await
        .unwrap();
    assert_eq!(status(&new).await.resources, (1, 1));
    old.delete(&admin(), &app(), &web, None).await.unwrap();
    assert_eq!(status(&new).await.resources, (0, 1));
    // Its name is another's by now.
    let create = Create::new(v("1.0.0"), "web", json!({"image": "b"}));
    let again = old.create(&admin(), &app(), create).await.unwrap();
    let again = Target::Id(again.resource.id);
    let until = Instant::now() + Duration::from_secs(20);
    while status(&new).await.resources != (1, 0) || !all_swept(&new).await {
        assert!(Instant::now() < until);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(told(&new, &web, What::Expire).await, 0);
    let twice = Create::new(v("1.0.0"), "web", json!({"image": "c"}));
    assert!(
        new.create(&admin(), &app(), twice).await.is_err(),
        "the name is free twice"
    );
    sound(&new, "the mirror has expired").await;
    old.delete(&admin(), &app(), &again, None).await.unwrap();
    sound(&new, "all is deleted").await;
}

/// From cutover on the new record is what counts. When it expires, the old one that was left behind
/// goes with it, and its name is free.
pub(crate) async fn a_resource_that_expires_takes_its_old_record_along(world: World) {
    let engine = Arc::clone(&world.engine);
    let _driver = drive(&engine, "one");
    registered(&engine).await;
    let web = made(&engine, "web", json!({"image": "a"})).await;
    started(&engine).await;
    forward_to(&engine, Phase::Cutover).await;
    engine
        .keep_alive(&admin(), &app(), &web, later(300))
        .await
        .unwrap();
    assert_eq!(status(&engine).await.resources, (1, 1));
    swept(&engine, &web, "it has expired").await;
    assert_eq!(told(&engine, &web, What::Expire).await, 1);
    let create = Create::new(v("1.0.0"), "web", json!({"image": "b"}));
    engine.create(&admin(), &app(), create).await.unwrap();
    sound(&engine, "made again").await;
}

/// What could not be converted in a migration that was undone does not hold the next one.
pub(crate) async fn what_failed_in_one_migration_does_not_hold_the_next(world: World) {
    let engine = Arc::clone(&world.engine);
    let _driver = drive(&engine, "one");
    let narrow = Registration::of(app_2_0_with("{type: string, maxLength: 40}")).warn();
    for registration in [Registration::of(app_1_0()), narrow] {
        engine.register(&admin(), registration).await.unwrap();
    }
    made(&engine, "fits", json!({"image": "a"})).await;
    let web = made(&engine, "web", json!({"image": "a"})).await;
    started(&engine).await;
    forward_to(&engine, Phase::Mirror).await;
    let wide = Update::new(v("1.0.0"), json!({"image": "w".repeat(60)}));
    engine.update(&admin(), &app(), &web, &wide).await.unwrap();
    assert_eq!(status(&engine).await.failed, 1);
    back(&engine).await;
    engine.undo_migration(&admin(), &app()).await.unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while status(&engine).await.state != State::Undone {
        assert!(Instant::now() < until);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    engine.delete(&admin(), &app(), &web, None).await.unwrap();
    started(&engine).await;
    assert_eq!(status(&engine).await.failed, 0);
    forward_to(&engine, Phase::Soak).await;
    forward(&engine).await;
    sound(&engine, "at cutover").await;
}
