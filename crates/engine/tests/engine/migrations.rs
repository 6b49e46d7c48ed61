//! Types that move from one major to the next while everybody works: forward, back and undone.

use crate::world::{World, admin, app, app_1_0, app_file, settings, v};
use coeval_codes::Coded;
use coeval_core::phases::Phase;
use coeval_engine::inspect::Repair;
use coeval_engine::migrations::{
    Advance, Change, Declared, MigrationDriver, MigrationSettings, MigrationStatus, Moved, State,
    Working,
};
use coeval_engine::types::{Policy, Registration};
use coeval_engine::write::{Create, Update};
use coeval_engine::{Caller, Engine, EngineError, InOrg, ListQuery, Resource, Settings, Target};
use coeval_storage::{Clock, SystemClock, UnixMillis};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The second major: the image is elsewhere, replicas are many or none, and there is a tier.
pub(crate) fn app_2_0() -> String {
    app_2_0_with("{type: string}")
}

pub(crate) fn app_2_0_with(image: &str) -> String {
    let spec = format!(
        "  schema: {{type: object, required: [container], properties: {{container: {{type: object, required: [image], properties: {{image: {image}}}}}, replicas: {{type: integer, minimum: 0}}, tier: {{type: string}}}}}}\n  indexes: {{tier: /tier, image: /container/image}}\n  conversion: {{from: 1.0.0, steps: [{{nest: {{paths: [/image], under: /container}}}}, {{add: {{path: /tier}}}}]}}\n",
    );
    app_file("2.0.0", &spec)
}

/// Quick to notice everything.
pub(crate) fn quick() -> MigrationSettings {
    MigrationSettings {
        lease: Duration::from_secs(5),
        idle_lease: Duration::from_secs(5),
        poll: Duration::from_millis(20),
        abandoned_after: Duration::from_millis(500),
        at_once: 2,
    }
}

pub(crate) fn drive(engine: &Arc<Engine>, name: &str) -> MigrationDriver {
    MigrationDriver::start(Arc::clone(engine.background()), name, "0.1.0", quick())
}

pub(crate) async fn registered(engine: &Engine) {
    for file in [app_1_0(), app_2_0()] {
        let registration = Registration::of(file);
        engine.register(&admin(), registration).await.unwrap();
    }
}

pub(crate) async fn made(engine: &Engine, name: &str, content: Value) -> Target {
    let create = Create::new(v("1.0.0"), name, content);
    let made = engine.create(&admin(), &app(), create).await.unwrap();
    Target::Id(made.resource.id)
}

pub(crate) fn content(resource: &Resource) -> Value {
    serde_json::from_slice(&resource.content).unwrap()
}

pub(crate) async fn read(engine: &Engine, id: &Target, at: &str) -> Value {
    let read = engine.get(&admin().at(v(at)), &app(), id).await.unwrap();
    content(&read)
}

pub(crate) async fn status(engine: &Engine) -> MigrationStatus {
    engine.migration_status(&admin(), &app()).await.unwrap()
}

/// Until a move is let through: servers acknowledge and work is done in their own time.
pub(crate) async fn patiently<F: Future<Output = Result<MigrationStatus, EngineError>>>(
    what: impl Fn() -> F,
) -> MigrationStatus {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        match what().await {
            Ok(status) => return status,
            Err(error) if Instant::now() > until => panic!("{error}"),
            Err(EngineError::Phase(_) | EngineError::Contended { .. }) => {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// The next whole step forward.
pub(crate) async fn forward(engine: &Engine) -> MigrationStatus {
    let (admin, app) = (admin(), app());
    loop {
        let now = patiently(|| engine.advance_migration(&admin, &app, Advance::default())).await;
        match now.live {
            Some((low, high)) if low != high => {}
            _ => return now,
        }
    }
}

/// Forward to a phase.
pub(crate) async fn forward_to(engine: &Engine, phase: Phase) {
    while status(engine).await.live != Some((phase, phase)) {
        forward(engine).await;
    }
}

/// The next whole step back.
pub(crate) async fn back(engine: &Engine) -> MigrationStatus {
    let (admin, app) = (admin(), app());
    loop {
        let now = patiently(|| engine.back_migration(&admin, &app, false)).await;
        match now.live {
            Some((low, high)) if low != high => {}
            _ => return now,
        }
    }
}

pub(crate) async fn started(engine: &Engine) {
    let declared = Declared {
        from: Some(1),
        to: Some(2),
        ..Declared::default()
    };
    let started = engine.start_migration(&admin(), &app(), &declared).await;
    assert_eq!(started.unwrap().live, Some((Phase::Old, Phase::Old)));
}

/// Everything that is stored agrees with everything else.
pub(crate) async fn sound(engine: &Engine, when: &str) {
    let mut problems = Vec::new();
    let mut told = |problem: &coeval_engine::inspect::Problem| problems.push(problem.clone());
    let inspected = engine
        .inspect(Repair::No, &|_| {}, &mut told)
        .await
        .unwrap();
    assert_eq!(inspected.problems, 0, "{when}: {problems:#?}");
}

async fn problems(engine: &Engine) -> u64 {
    let inspected = engine.inspect(Repair::No, &|_| {}, &mut |_| {}).await;
    inspected.unwrap().problems
}

/// All resources by name, at a version.
async fn listed(engine: &Engine, at: &str, filter: Option<&str>) -> BTreeMap<String, Value> {
    let mut query = ListQuery::of(app());
    query.org = InOrg::All;
    query.filter = filter.map(|text| {
        let field = |key: &str| coeval_filter::FilterField::parse(key, "entity");
        coeval_filter::fiql::parse(text, field).unwrap()
    });
    let caller = admin().at(v(at));
    let page = engine.list(&caller, &query).await.unwrap();
    assert!(page.quarantined.is_empty(), "{:?}", page.quarantined);
    let entry = |resource: &Resource| (resource.header.name.clone(), content(resource));
    page.items.iter().map(entry).collect()
}

/// What every phase promises of a few resources, tried by one server.
pub(crate) async fn every_phase_reads_writes_lists_and_deletes(mut world: World) {
    let one = Arc::clone(&world.engine);
    let other = world.another(settings()).await;
    let _drivers = (drive(&one, "one"), drive(&other, "other"));
    registered(&one).await;
    let web = made(&one, "web", json!({"image": "a", "replicas": 1})).await;
    let mut expected = BTreeMap::from([("web".to_owned(), ("a".to_owned(), 1))]);
    started(&one).await;
    for phase in Phase::ALL {
        forward_to(&one, phase).await;
        let name = format!("at-{phase}");
        let old = made(&one, &name, json!({"image": phase.name(), "replicas": 0})).await;
        expected.insert(name.clone(), (phase.name().to_owned(), 0));
        // A client of each major, at each server.
        let update = Update::new(v("1.0.0"), json!({"image": "b", "replicas": 2}));
        other.update(&admin(), &app(), &old, &update).await.unwrap();
        let body = json!({"container": {"image": "c"}, "replicas": 3, "tier": "gold"});
        let at_new = Update::new(v("2.0.0"), body.clone());
        one.update(&admin(), &app(), &old, &at_new).await.unwrap();
        assert_eq!(read(&other, &old, "2.0.0").await, body, "{phase}");
        expected.insert(name.clone(), ("c".to_owned(), 3));
        let (image, replicas) = &expected[&name];
        let seen = json!({"image": image, "replicas": replicas});
        assert_eq!(read(&other, &old, "1.0.0").await, seen, "{phase}");
        // An old client saves; the tier stays.
        let update = Update::new(v("1.0.0"), json!({"image": "d", "replicas": 4}));
        let saved = other
            .update(&admin(), &app(), &old, &update)
            .await
            .unwrap()
            .done()
            .unwrap();
        assert!(!saved.kept.is_empty(), "{phase}");
        let both = json!({"container": {"image": "d"}, "replicas": 4, "tier": "gold"});
        assert_eq!(read(&one, &old, "2.0.0").await, both, "{phase}");
        expected.insert(name.clone(), ("d".to_owned(), 4));
        let gone = made(&other, "gone", json!({"image": "x"})).await;
        one.delete(&admin(), &app(), &gone, None).await.unwrap();
        for engine in [&one, &other] {
            let error = engine.get(&admin(), &app(), &gone).await.unwrap_err();
            assert_eq!(error.code(), coeval_codes::RESOURCE_NOT_FOUND, "{phase}");
            let all = listed(engine, "1.0.0", None).await;
            let as_old =
                |(image, replicas): &(String, i32)| json!({"image": image, "replicas": replicas});
            let wanted: BTreeMap<_, _> = expected
                .iter()
                .map(|(name, one)| (name.clone(), as_old(one)))
                .collect();
            assert_eq!(all, wanted, "{phase}");
            let few = listed(engine, "1.0.0", Some("entity.image==d")).await;
            assert_eq!(
                few.len(),
                expected.values().filter(|one| one.0 == "d").count()
            );
            let named = Target::Name {
                org: coeval_engine::SYSTEM_ORG.to_owned(),
                name: name.clone(),
            };
            engine.get(&admin(), &app(), &named).await.unwrap();
        }
        // A name is taken in every phase.
        let again = Create::new(v("1.0.0"), "web", json!({"image": "x"}));
        let error = other.create(&admin(), &app(), again).await.unwrap_err();
        assert_eq!(error.code(), coeval_codes::RESOURCE_EXISTS, "{phase}");
        sound(&one, phase.name()).await;
    }
    let done = forward(&one).await;
    assert_eq!((done.state, done.live), (State::Finished, None));
    assert_eq!(
        read(&other, &web, "1.0.0").await,
        json!({"image": "a", "replicas": 1})
    );
    let late = made(&other, "late", json!({"image": "late"})).await;
    let stored = one.get(&admin(), &app(), &late).await.unwrap();
    assert_eq!(stored.header.version, v("2.0.0"));
    sound(&one, "after the end").await;
}

/// Undone from every phase: all is as it was, and what was written meanwhile is there.
pub(crate) async fn undone_from_every_phase_nothing_is_lost(mut world: World) {
    let one = Arc::clone(&world.engine);
    let other = world.another(settings()).await;
    let _drivers = (drive(&one, "one"), drive(&other, "other"));
    registered(&one).await;
    for phase in Phase::ALL {
        if phase == Phase::Cleanup {
            continue;
        }
        let name = |what: &str| format!("{what}-{phase}");
        let before = made(&one, &name("before"), json!({"image": "a"})).await;
        let goes = made(&one, &name("goes"), json!({"image": "a"})).await;
        started(&one).await;
        forward_to(&one, phase).await;
        let during = made(&other, &name("during"), json!({"image": "b"})).await;
        let update = Update::new(v("1.0.0"), json!({"image": "c", "replicas": 7}));
        one.update(&admin(), &app(), &before, &update)
            .await
            .unwrap();
        if phase != Phase::Old {
            let body = json!({"container": {"image": "d"}, "tier": "gold"});
            let update = Update::new(v("2.0.0"), body);
            other
                .update(&admin(), &app(), &during, &update)
                .await
                .unwrap();
        }
        other.delete(&admin(), &app(), &goes, None).await.unwrap();
        let revisions = [
            one.get(&admin(), &app(), &before).await.unwrap().revision,
            one.get(&admin(), &app(), &during).await.unwrap().revision,
        ];
        let report = one.loss_report(&admin(), &app()).await.unwrap();
        assert!(
            report.possible && report.lost == 0 && report.refused == 0,
            "{report:?}"
        );
        one.undo_migration(&admin(), &app()).await.unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let now = status(&other).await;
            if now.state == State::Undone {
                break;
            }
            assert!(Instant::now() < until, "{phase}: {now:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let image = if phase == Phase::Old { "b" } else { "d" };
        for engine in [&one, &other] {
            let seen = engine.get(&admin(), &app(), &before).await.unwrap();
            assert_eq!(seen.header.version, v("1.0.0"), "{phase}");
            assert_eq!(seen.revision, revisions[0], "{phase}");
            assert_eq!(content(&seen), json!({"image": "c", "replicas": 7}));
            let seen = engine.get(&admin(), &app(), &during).await.unwrap();
            assert_eq!(seen.header.version, v("1.0.0"), "{phase}");
            assert_eq!(seen.revision, revisions[1], "{phase}");
            assert_eq!(content(&seen), json!({"image": image}), "{phase}");
            let error = engine.get(&admin(), &app(), &goes).await.unwrap_err();
            assert_eq!(error.code(), coeval_codes::RESOURCE_NOT_FOUND);
        }
        if phase != Phase::Old {
            // What the old major can't say was kept, and is there for who asks.
            let whole = read(&one, &during, "2.0.0").await;
            assert_eq!(whole["tier"], "gold", "{phase}");
        }
        sound(&one, phase.name()).await;
    }
}

/// Back and forth between all phases under constant writing; every increment counts.
pub(crate) async fn no_update_is_lost_while_phases_go_forward_and_back(mut world: World) {
    const RESOURCES: usize = 6;
    let one = Arc::clone(&world.engine);
    let other = world.another(settings()).await;
    let drivers = (drive(&one, "one"), drive(&other, "other"));
    registered(&one).await;
    let mut ids = Vec::new();
    for n in 0..RESOURCES {
        let content = json!({"image": "a", "replicas": 0});
        ids.push(made(&one, &format!("r{n}"), content).await);
    }
    started(&one).await;
    let over = Arc::new(AtomicBool::new(false));
    let mut writers = Vec::new();
    for writer in 0..4 {
        let engine = Arc::clone(if writer % 2 == 0 { &one } else { &other });
        let (ids, over) = (ids.clone(), Arc::clone(&over));
        writers.push(tokio::spawn(async move {
            let mut added = [0_i64; RESOURCES];
            for n in writer.. {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let which = n % RESOURCES;
                if add_one(&engine, &ids[which], writer >= 2).await {
                    added[which] += 1;
                }
            }
            added
        }));
    }
    // Forward to soak and back to the beginning; to cutover and back to soak; and to the end.
    forward_to(&one, Phase::Soak).await;
    for _ in 0..4 {
        back(&other).await;
    }
    assert_eq!(status(&one).await.live, Some((Phase::Old, Phase::Old)));
    forward_to(&other, Phase::Cutover).await;
    for _ in 0..2 {
        back(&one).await;
    }
    forward_to(&one, Phase::Cleanup).await;
    let done = forward(&one).await;
    assert_eq!(done.state, State::Finished, "{done:?}");
    over.store(true, Ordering::Relaxed);
    let mut expected = [0; RESOURCES];
    for writer in writers {
        for (sum, added) in expected.iter_mut().zip(writer.await.unwrap()) {
            *sum += added;
        }
    }
    println!("{expected:?} increments");
    assert!(expected.iter().all(|count| *count > 0));
    for (id, expected) in ids.iter().zip(expected) {
        let seen = read(&other, id, "1.0.0").await;
        assert_eq!(seen["replicas"], json!(expected));
    }
    sound(&one, "at the end").await;
    drivers.0.stop().await;
    drivers.1.stop().await;
    assert!(one.servers(&admin()).await.unwrap().is_empty());
}

/// Adds one, by a client of one of the two majors; whether it was done.
async fn add_one(engine: &Engine, id: &Target, new: bool) -> bool {
    let at = if new { v("2.0.0") } else { v("1.0.0") };
    let caller = admin().at(at);
    loop {
        let read = match engine.get(&caller, &app(), id).await {
            Ok(read) => read,
            // The phases moved on between two looks, again and again.
            Err(EngineError::Contended { .. } | EngineError::Phase(_)) => return false,
            Err(error) => panic!("{error}"),
        };
        let mut body = content(&read);
        body["replicas"] = json!(body["replicas"].as_i64().unwrap() + 1);
        let update = Update::new(at, body).on(read.revision);
        match engine.update(&caller, &app(), id, &update).await {
            Ok(_) => return true,
            Err(EngineError::Contended { .. } | EngineError::Phase(_)) => return false,
            Err(error) => {
                assert_eq!(error.code(), coeval_codes::RESOURCE_CONFLICT, "{error}");
            }
        }
    }
}

/// One that can't be converted is named, and holds soak until it can.
pub(crate) async fn what_can_not_be_converted_holds_soak_and_is_named(world: World) {
    let engine = Arc::clone(&world.engine);
    let _driver = drive(&engine, "one");
    let narrow = Registration {
        policy: Policy::Warn,
        ..Registration::of(app_2_0_with("{type: string, maxLength: 40}"))
    };
    for registration in [Registration::of(app_1_0()), narrow] {
        engine.register(&admin(), registration).await.unwrap();
    }
    made(&engine, "fits", json!({"image": "a"})).await;
    let long = "x".repeat(60);
    let wide = made(&engine, "wide", json!({"image": long})).await;
    let plan = engine.plan_migration(&admin(), &app(), None, None).await;
    let plan = plan.unwrap();
    assert_eq!((plan.resources(), plan.tried, plan.refused), (2, 2, 1));
    assert_eq!(plan.examples[0].name, "wide");
    started(&engine).await;
    forward_to(&engine, Phase::Backfill).await;
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let now = status(&engine).await;
        if now.failed == 1 && now.progress.is_some_and(|progress| progress.done) {
            assert!(now.why.contains("can't be converted"), "{}", now.why);
            break;
        }
        assert!(Instant::now() < until, "{now:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let refused = engine
        .advance_migration(&admin(), &app(), Advance::default())
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::RESOURCES_FAILED);
    let failed = engine.failed_resources(&admin(), &app(), None, 10).await;
    let failed = failed.unwrap();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].name.as_deref(), Some("wide"));
    let id = failed[0].id;
    assert!(!engine.retry_failed(&admin(), &app(), id).await.unwrap());
    // It is there, and can be written, all the same.
    let update = Update::new(v("1.0.0"), json!({"image": "short"}));
    engine
        .update(&admin(), &app(), &wide, &update)
        .await
        .unwrap();
    assert_eq!(status(&engine).await.failed, 0);
    forward_to(&engine, Phase::Soak).await;
    // From here on what has no counterpart is refused, so that soak can be left.
    let update = Update::new(
        v("2.0.0"),
        json!({"container": {"image": "y"}, "replicas": 1}),
    );
    engine
        .update(&admin(), &app(), &wide, &update)
        .await
        .unwrap();
    let update = Update::new(v("1.0.0"), json!({"image": "z".repeat(60)}));
    let error = engine
        .update(&admin(), &app(), &wide, &update)
        .await
        .unwrap_err();
    assert_ne!(error.code(), coeval_codes::RESOURCE_CONFLICT);
    assert_eq!(read(&engine, &wide, "1.0.0").await["image"], "y");
    let verified = engine.verify_migration(&admin(), &app(), &|_| {}).await;
    let verified = verified.unwrap();
    assert!(verified.is_clean() && verified.same == 2, "{verified:?}");
}

/// A server that does not know the new major holds the step after old, and is fenced if wanted.
pub(crate) async fn a_server_of_the_release_before_holds_it_back_or_is_fenced(mut world: World) {
    let new = Arc::clone(&world.engine);
    let emulate = Settings {
        emulate: [(app(), v("1.9.9"))].into(),
        ..settings()
    };
    let old = world.another(emulate).await;
    let _drivers = (drive(&new, "new"), drive(&old, "old"));
    registered(&new).await;
    let web = made(&new, "web", json!({"image": "a"})).await;
    started(&new).await;
    let (who, of) = (admin(), app());
    let advance = || new.advance_migration(&who, &of, Advance::default());
    let half = advance().await.unwrap();
    assert_eq!(half.live, Some((Phase::Old, Phase::Mirror)));
    // Both work, one at old and one at mirror: neither sees less than the other wrote.
    for n in 0..10 {
        let (writer, reader) = if n % 2 == 0 {
            (&new, &old)
        } else {
            (&old, &new)
        };
        let update = Update::new(v("1.0.0"), json!({"image": "a", "replicas": n}));
        writer
            .update(&admin(), &app(), &web, &update)
            .await
            .unwrap();
        assert_eq!(read(reader, &web, "1.0.0").await["replicas"], n);
    }
    let until = Instant::now() + Duration::from_secs(20);
    while !status(&new).await.why.contains("waiting for old") {
        assert!(Instant::now() < until, "{}", status(&new).await.why);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let refused = advance().await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::SERVERS_BEHIND);
    let fence = Advance {
        fence: true,
        ..Advance::default()
    };
    new.advance_migration(&admin(), &app(), fence)
        .await
        .unwrap();
    let update = Update::new(v("1.0.0"), json!({"image": "late"}));
    let refused = old.update(&admin(), &app(), &web, &update).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::PHASE_NOT_LIVE);
    // It reads on; see `migrations_reader`.
    assert_eq!(read(&old, &web, "1.0.0").await["replicas"], 9);
    assert_eq!(read(&new, &web, "1.0.0").await["replicas"], 9);
}

/// Resources that heartbeat are migrated by their heartbeat, and expire whole.
pub(crate) async fn what_heartbeats_is_migrated_by_its_heartbeat(world: World) {
    let engine = Arc::clone(&world.engine);
    let _driver = drive(&engine, "one");
    registered(&engine).await;
    let later = |ms: i64| Some(UnixMillis(SystemClock::default().now().0 + ms));
    let mut create = Create::new(v("1.0.0"), "agent", json!({"image": "a"}));
    create.expires = later(60_000);
    let made = engine.create(&admin(), &app(), create).await.unwrap();
    let agent = Target::Id(made.resource.id);
    started(&engine).await;
    forward_to(&engine, Phase::Mirror).await;
    assert_eq!(status(&engine).await.resources, (1, 0));
    engine
        .keep_alive(&admin(), &app(), &agent, later(50_000))
        .await
        .unwrap();
    assert_eq!(status(&engine).await.resources, (1, 1));
    let verified = engine.verify_migration(&admin(), &app(), &|_| {}).await;
    assert_eq!(verified.unwrap().same, 1);
    sound(&engine, "kept alive").await;
    engine
        .keep_alive(&admin(), &app(), &agent, later(300))
        .await
        .unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while status(&engine).await.resources != (0, 0) {
        assert!(Instant::now() < until);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The sweep has its own time.
    while problems(&engine).await > 0 {
        assert!(Instant::now() < until);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Its name is free again.
    let again = Create::new(v("1.0.0"), "agent", json!({"image": "b"}));
    engine.create(&admin(), &app(), again).await.unwrap();
    sound(&engine, "made again").await;
}

/// What goes by itself goes as far as was said, and rests when told to.
pub(crate) async fn it_goes_by_itself_as_far_as_was_said(world: World) {
    let engine = Arc::clone(&world.engine);
    let _driver = drive(&engine, "one");
    registered(&engine).await;
    for n in 0..50 {
        made(
            &engine,
            &format!("r{n}"),
            json!({"image": "a", "replicas": n}),
        )
        .await;
    }
    let declared = Declared {
        auto: true,
        ..Declared::default()
    };
    engine
        .start_migration(&admin(), &app(), &declared)
        .await
        .unwrap();
    let reached = |phase: Phase| {
        let engine = &engine;
        async move {
            let until = Instant::now() + Duration::from_secs(30);
            while status(engine).await.live != Some((phase, phase)) {
                assert!(Instant::now() < until, "{:?}", status(engine).await);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    };
    reached(Phase::Soak).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    // Cutover is never entered unless it is named.
    reached(Phase::Soak).await;
    assert_eq!(status(&engine).await.resources, (50, 50));
    let change = Change {
        until: Some("finished".to_owned()),
        ..Change::default()
    };
    engine
        .change_migration(&admin(), &app(), &change)
        .await
        .unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while status(&engine).await.state != State::Finished {
        assert!(Instant::now() < until, "{:?}", status(&engine).await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(status(&engine).await.resources, (0, 50));
    sound(&engine, "finished").await;
}

/// Watchers see every generation once, whatever is copied behind their backs.
/// A run starts over when the phases move; what was copied before that was copied all the same.
pub(crate) async fn what_was_copied_is_counted_over_all_epochs(world: World) {
    let engine = &world.engine;
    registered(engine).await;
    for name in ["one", "two", "three"] {
        made(engine, name, json!({"image": "a"})).await;
    }
    for migration in ["the first", "another one, after that was undone"] {
        started(engine).await;
        let (who, of) = (admin(), app());
        while status(engine).await.live != Some((Phase::ReadNew, Phase::Backfill)) {
            MigrationDriver::once(engine.background(), "one", "0.1.0")
                .await
                .unwrap();
            let _ = engine
                .advance_migration(&who, &of, Advance::default())
                .await;
        }
        let mut epochs = BTreeSet::new();
        while status(engine).await.live != Some((Phase::Soak, Phase::Soak)) {
            MigrationDriver::once(engine.background(), "one", "0.1.0")
                .await
                .unwrap();
            let now = status(engine).await;
            if let Some(progress) = now.progress
                && progress.working == Working::Backfill
            {
                assert_eq!(progress.copied, 3, "{migration}: {progress:?}");
                epochs.insert(now.live);
            }
            let _ = engine
                .advance_migration(&who, &of, Advance::default())
                .await;
        }
        assert!(epochs.len() > 1, "{migration}: {epochs:?}");
        engine.undo_migration(&who, &of).await.unwrap();
        while status(engine).await.state != State::Undone {
            MigrationDriver::once(engine.background(), "one", "0.1.0")
                .await
                .unwrap();
        }
    }
}

pub(crate) async fn watchers_see_no_copies(mut world: World) {
    use coeval_engine::{WatchQuery, Watched, WatchedChange};
    use futures::StreamExt;
    let one = Arc::clone(&world.engine);
    let other = world.another(settings()).await;
    let _drivers = (drive(&one, "one"), drive(&other, "other"));
    registered(&one).await;
    let mut ids = Vec::new();
    for n in 0..8 {
        ids.push(made(&one, &format!("r{n}"), json!({"image": "a"})).await);
    }
    let mut query = WatchQuery::of(app());
    query.org = InOrg::All;
    let caller: Caller = admin().at(v("1.0.0"));
    let mut stream = other.watch(&caller, query).await.unwrap();
    let seen = tokio::spawn(async move {
        let mut seen: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        loop {
            let next = tokio::time::timeout(Duration::from_secs(60), stream.next());
            let Watched::Changes(_, changes) = next.await.unwrap().unwrap().unwrap() else {
                continue;
            };
            for change in changes {
                match change {
                    WatchedChange::Put(resource) => {
                        let name = resource.header.name.clone();
                        if name == "last" {
                            return seen;
                        }
                        let generations = seen.entry(name).or_default();
                        generations.push(resource.header.generation);
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    });
    started(&one).await;
    for phase in Phase::ALL {
        forward_to(&one, phase).await;
        for (n, id) in ids.iter().enumerate() {
            let update = Update::new(v("1.0.0"), json!({"image": phase.name(), "replicas": n}));
            let engine = if n % 2 == 0 { &one } else { &other };
            engine.update(&admin(), &app(), id, &update).await.unwrap();
        }
    }
    forward(&one).await;
    made(&other, "last", json!({"image": "z"})).await;
    let seen = seen.await.unwrap();
    assert_eq!(seen.len(), 8);
    for (name, generations) in seen {
        let wanted: Vec<u64> = (1..=Phase::ALL.len() as u64).collect();
        assert_eq!(generations, wanted, "{name}");
    }
}

/// The third major, after the second.
fn app_3_0(meaning: &str) -> String {
    app_file(
        "3.0.0",
        &format!(
            "  schema: {{type: object, required: [container], properties: {{container: {{type: object, required: [image], properties: {{image: {{type: string}}}}}}, replicas: {{type: integer, minimum: 0}}, class: {{type: string}}}}}}\n  conversion: {{from: 2.0.0, steps: [{{rename: {{path: /tier, to: class}}}}]}}\n{meaning}"
        ),
    )
}

/// At start, however many servers start together: in order, none skipped, each once.
pub(crate) async fn majors_are_passed_one_after_the_other(mut world: World) {
    let one = Arc::clone(&world.engine);
    let other = world.another(settings()).await;
    registered(&one).await;
    let third = Registration::of(app_3_0(""));
    one.register(&admin(), third).await.unwrap();
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(made(&one, &format!("r{n}"), json!({"image": "a", "replicas": n})).await);
    }
    let _drivers = (drive(&one, "one"), drive(&other, "other"));
    let nothing = |_: &MigrationStatus| {};
    let (here, there) = tokio::join!(
        one.migrate_on_start(&nothing),
        other.migrate_on_start(&nothing)
    );
    for moved in here.unwrap().iter().chain(&there.unwrap()) {
        let Moved::Done { majors, .. } = moved else {
            panic!("{moved:?}");
        };
        // One that was slower may have met the second alone.
        assert!(majors.ends_with(&[(2, 3)]), "{majors:?}");
    }
    for (n, id) in ids.iter().enumerate() {
        let seen = other.get(&admin(), &app(), id).await.unwrap();
        assert_eq!(seen.header.version, v("3.0.0"));
        assert_eq!(seen.header.generation, 0, "a copy is no new revision");
        let old = read(&one, id, "1.0.0").await;
        assert_eq!(old, json!({"image": "a", "replicas": n}));
    }
    let done = one.migrations(&admin()).await.unwrap();
    let names: Vec<_> = done.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["acme:app-1-2", "acme:app-2-3"]);
    assert!(done.iter().all(|one| one.state == State::Finished));
    // Doing it again does nothing.
    assert_eq!(one.migrate_on_start(&nothing).await.unwrap(), []);
    sound(&one, "at the end").await;
}

/// A major that changes what a field means is reached by nothing that goes by itself.
pub(crate) async fn a_change_of_meaning_is_left_alone_unless_it_is_named(world: World) {
    let engine = Arc::clone(&world.engine);
    let _driver = drive(&engine, "one");
    registered(&engine).await;
    let third = app_3_0("  meaningChanged: [/class]\n");
    let third = Registration::of(third).warn();
    engine.register(&admin(), third).await.unwrap();
    let web = made(&engine, "web", json!({"image": "a"})).await;
    let moved = engine.migrate_on_start(&|_: &MigrationStatus| {}).await;
    let moved = moved.unwrap();
    assert!(matches!(&moved[..], [Moved::Done { majors, .. }] if majors == &[(1, 2)]));
    let seen = engine.get(&admin(), &app(), &web).await.unwrap();
    assert_eq!(seen.header.version, v("2.0.0"));
    let plan = engine.plan_migration(&admin(), &app(), None, None).await;
    assert_eq!(plan.unwrap().meaning_changed, [v("3.0.0")]);
    let refused = engine
        .start_migration(&admin(), &app(), &Declared::default())
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::MIGRATION_MEANING_CHANGED);
    let named = Declared {
        meaning_changed: vec![v("3.0.0")],
        auto: true,
        until: Some("finished".to_owned()),
        ..Declared::default()
    };
    engine
        .start_migration(&admin(), &app(), &named)
        .await
        .unwrap();
    // Named, it may begin; but somebody advances it.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(
        status(&engine).await.live,
        Some((Phase::Old, Phase::Old)),
        "it went by itself"
    );
    let by_hand = Change {
        auto: Some(false),
        ..Change::default()
    };
    engine
        .change_migration(&admin(), &app(), &by_hand)
        .await
        .unwrap();
    forward_to(&engine, Phase::Cleanup).await;
    assert_eq!(forward(&engine).await.state, State::Finished);
}

/// Declared, seen, changed, and forgotten as any other resource.
pub(crate) async fn a_migration_is_a_resource(world: World) {
    let engine = Arc::clone(&world.engine);
    let _driver = drive(&engine, "one");
    registered(&engine).await;
    made(&engine, "web", json!({"image": "a"})).await;
    let kind = coeval_engine::TypeKey::new("coeval", "migration");
    let body = |paused: bool| json!({"type": "acme:app", "from": 1, "to": 2, "paused": paused});
    let wrong = Create::new(v("1.0.0"), "another name", body(false));
    let refused = engine.create(&admin(), &kind, wrong).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::MIGRATION_INVALID);
    let create = Create::new(v("1.0.0"), "acme:app-1-2", body(false));
    let made = engine.create(&admin(), &kind, create).await.unwrap();
    assert_eq!(content(&made.resource)["observed"]["high"], "old");
    let id = Target::Id(made.resource.id);
    forward_to(&engine, Phase::Mirror).await;
    let seen = engine.get(&admin(), &kind, &id).await.unwrap();
    assert_eq!(content(&seen)["observed"]["high"], "mirror");
    let stale = Update::new(v("1.0.0"), body(true)).on(made.resource.revision);
    let refused = engine.update(&admin(), &kind, &id, &stale).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::RESOURCE_CONFLICT);
    let update = Update::new(v("1.0.0"), body(true)).on(seen.revision);
    let changed = engine
        .update(&admin(), &kind, &id, &update)
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(content(&changed.resource)["paused"], true);
    // What the server sets stays, whatever a body says of it.
    assert_eq!(content(&changed.resource)["observed"]["high"], "mirror");
    let refused = engine.delete(&admin(), &kind, &id, None).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::MIGRATION_RUNNING);
    engine.undo_migration(&admin(), &app()).await.unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while status(&engine).await.state != State::Undone {
        assert!(Instant::now() < until);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    engine.delete(&admin(), &kind, &id, None).await.unwrap();
    let error = engine.migration_status(&admin(), &app()).await.unwrap_err();
    assert_eq!(error.code(), coeval_codes::MIGRATION_UNKNOWN);
}
