//! I11: writers, watchers at several versions, servers that come and go, schema changes, slow
//! readers, compaction, and rights that are taken and given: no gap, no duplicate, in order, and at
//! the end each watcher has exactly what a list shows to it.

mod follower;

use crate::identity::register;
use crate::jobs::{ended, quick, runner};
use crate::watch_rights::{Scene, log_in, publish, set_out};
use crate::world::{World, admin, app, app_1_1, app_file, settings, v};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_core::version::Uuid;
use coeval_engine::identity::UserEdit;
use coeval_engine::jobs::MigrateOptions;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Caller, Engine, Target, WantedVersions};
use coeval_storage::{EventRetention, KeySpan, ReadRange, Token};
use follower::{Follower, Notes, Who};
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Another major, with the image under another name.
fn app_2_0() -> String {
    app_file(
        "2.0.0",
        "  schema: {type: object, required: [img], properties: {img: {type: string}, replicas: {type: integer, minimum: 0}, region: {type: string}}}\n  conversion: {from: 1.1.0, steps: [{rename: {path: /image, to: img}}]}\n",
    )
}

/// And a minor of that.
fn app_2_1() -> String {
    app_file(
        "2.1.0",
        "  schema: {type: object, required: [img], properties: {img: {type: string}, replicas: {type: integer, minimum: 0}, region: {type: string}, zone: {type: string}}}\n  conversion: {from: 2.0.0, steps: []}\n",
    )
}

/// The engines that clients can reach, and the resources that there are.
struct Stage {
    engines: Arc<Mutex<Vec<Arc<Engine>>>>,
    ids: Mutex<Vec<Uuid>>,
    over: AtomicBool,
    scene: Scene,
}

impl Stage {
    fn engine(&self, draw: &mut fastrand::Rng) -> Arc<Engine> {
        let engines = self.engines.lock().unwrap();
        Arc::clone(&engines[draw.usize(..engines.len())])
    }

    fn any(&self, draw: &mut fastrand::Rng) -> Option<Uuid> {
        let ids = self.ids.lock().unwrap();
        (!ids.is_empty()).then(|| ids[draw.usize(..ids.len())])
    }

    /// Creates, changes and deletes; what another was faster with is no matter.
    async fn write(self: Arc<Self>, writer: usize, mut draw: fastrand::Rng) {
        let mut n = 0;
        while !self.over.load(Ordering::Relaxed) {
            n += 1;
            let engine = self.engine(&mut draw);
            let body = json!({"image": format!("{writer}-{n}")});
            match (self.any(&mut draw), draw.u8(..20)) {
                (None, _) | (_, 0..=3) => {
                    let mut create = Create::new(v("1.0.0"), format!("r{writer}-{n}"), body);
                    create.org = Some(self.scene.acme.id.clone());
                    create.owner = Some("owner".to_owned());
                    let made = engine.create(&admin(), &app(), create).await;
                    self.ids.lock().unwrap().push(made.unwrap().resource.id);
                }
                (Some(id), 4) => {
                    if engine
                        .delete(&admin(), &app(), &Target::Id(id), None)
                        .await
                        .is_ok()
                    {
                        self.ids.lock().unwrap().retain(|one| *one != id);
                    }
                }
                (Some(id), _) => {
                    let update = Update::new(v("1.0.0"), body);
                    let target = Target::Id(id);
                    let _ = engine.update(&admin(), &app(), &target, &update).await;
                }
            }
            tokio::time::sleep(Duration::from_millis(draw.u64(..8))).await;
        }
    }

    /// Takes rights away and gives them back, in every way.
    async fn meddle(self: Arc<Self>, mut draw: fastrand::Rng) {
        let member = || AclMember::User(self.scene.alice.clone());
        while !self.over.load(Ordering::Relaxed) {
            let engine = self.engine(&mut draw);
            let owner = &admin();
            match (self.any(&mut draw), draw.u8(..12)) {
                (Some(id), 0..=5) => {
                    let (member, level) = (member(), AccessLevel::ReadOnly);
                    let grant = Grant { member, level };
                    let _ = engine.grant(owner, &app(), &Target::Id(id), &grant).await;
                }
                (Some(id), 6..=8) => {
                    let _ = engine
                        .revoke(owner, &app(), &Target::Id(id), &member())
                        .await;
                }
                (_, 9) => {
                    for roles in [vec![], vec!["viewer".to_owned()]] {
                        let edit = UserEdit {
                            roles: Some(roles),
                            ..UserEdit::default()
                        };
                        let edited = engine.update_user(&admin(), &self.scene.alice, &edit).await;
                        edited.unwrap();
                        tokio::time::sleep(Duration::from_millis(draw.u64(..40))).await;
                    }
                }
                (Some(id), 10) => {
                    // Given away to Alice, and back.
                    for to in [&self.scene.alice, "owner"] {
                        let mut update = Update::new(v("1.0.0"), serde_json::Value::Null);
                        update.content = None;
                        update.meta.owner = Some(to.to_owned());
                        let target = Target::Id(id);
                        let _ = engine.update(&admin(), &app(), &target, &update).await;
                    }
                }
                _ => tokio::time::sleep(Duration::from_millis(5)).await,
            }
            tokio::time::sleep(Duration::from_millis(draw.u64(..25))).await;
        }
    }
}

fn follower(name: &'static str, who: Who, stage: &Stage, slow: u64) -> Arc<Follower> {
    Arc::new(Follower {
        name,
        org: stage.scene.acme.id.clone(),
        notes: Arc::new(Mutex::new(Notes {
            steady: name.starts_with("the provider"),
            ..Notes::default()
        })),
        who,
        slow: Duration::from_millis(slow),
    })
}

fn at(caller: &Caller, version: &str) -> Who {
    Who::Fixed(Box::new(caller.clone().at(v(version))))
}

async fn head(engine: &Engine) -> Token {
    let range = ReadRange::of(KeySpan::everything()).limit(1);
    engine.store().range(range).await.unwrap().0
}

/// What the store's log has of the resources that a text names, and of all that rights come from.
async fn log_about(engine: &Engine, of: &str) -> Vec<String> {
    let (mut found, mut after) = (Vec::new(), engine.store().status().await.unwrap().floor);
    loop {
        let page = engine.store().events(after).await.unwrap();
        for group in &page.groups {
            for event in &group.events {
                let key = event.key.to_string();
                let rights = ["e/coeval/", "p/acme"].iter().any(|one| key.contains(one));
                let named = key
                    .split('/')
                    .any(|part| part.len() > 8 && of.contains(part));
                if rights || named {
                    found.push(format!("{}: {key} {:.300?}", group.sequence, event.change));
                }
            }
        }
        if page.complete_to <= after {
            return found;
        }
        after = page.complete_to;
    }
}

async fn restart(world: &mut World, stage: &Stage) {
    let fresh = world.another(settings()).await;
    let mut engines = stage.engines.lock().unwrap();
    engines.push(fresh);
    if engines.len() > 2 {
        engines.remove(0);
    }
}

async fn migrate(engine: &Arc<Engine>, from: &str, to: &str) {
    let _runner = runner(engine, "one", quick());
    let options = MigrateOptions::default();
    let (from, to) = (v(from), v(to));
    let task = engine
        .migrate_resources(&admin(), &app(), from, to, &options)
        .await
        .unwrap();
    ended(engine, &task).await;
}

/// One whole history; a seed repeats what was drawn, not how tasks fell together.
async fn history(world: &mut World, seed: u64, pace: Duration) {
    println!("seed {seed}");
    let mut draw = fastrand::Rng::with_seed(seed);
    let first = Arc::clone(&world.engine);
    let scene = set_out(&first).await;
    let token = log_in(&first).await;
    let stage = Arc::new(Stage {
        engines: Arc::new(Mutex::new(vec![first])),
        ids: Mutex::default(),
        over: AtomicBool::new(false),
        scene,
    });
    let owner = stage.scene.owner.clone();
    let alice = |version: Option<&str>| {
        let wanted = version.map_or_else(WantedVersions::default, |version| {
            WantedVersions::exactly(v(version))
        });
        Who::Token(token.clone(), wanted)
    };
    let stored = Who::Fixed(Box::new(admin()));
    let followers = [
        follower("the provider", stored.clone(), &stage, 0),
        follower("the owner at 1.0.0", at(&owner, "1.0.0"), &stage, 1),
        follower("the provider, slow", stored, &stage, 60),
        follower("Alice", alice(None), &stage, 0),
        follower("Alice at 1.0.0, slow", alice(Some("1.0.0")), &stage, 20),
    ];
    let (end, ended) = tokio::sync::watch::channel(None);
    let mut following = Vec::new();
    for follower in &followers {
        let (engines, draw) = (Arc::clone(&stage.engines), draw.fork());
        let follower = Arc::clone(follower);
        following.push(tokio::spawn(follower.follow(engines, draw, ended.clone())));
    }
    let mut writing = Vec::new();
    for writer in 0..3 {
        writing.push(tokio::spawn(Arc::clone(&stage).write(writer, draw.fork())));
    }
    writing.push(tokio::spawn(Arc::clone(&stage).meddle(draw.fork())));
    tokio::time::sleep(pace).await;
    restart(world, &stage).await;
    let engine = stage.engine(&mut draw);
    register(&engine, app_1_1()).await;
    publish(&engine, &stage.scene.acme, true).await;
    tokio::time::sleep(pace).await;
    migrate(&engine, "1.0.0", "1.1.0").await;
    restart(world, &stage).await;
    tokio::time::sleep(pace).await;
    let engine = stage.engine(&mut draw);
    register(&engine, app_2_0()).await;
    publish(&engine, &stage.scene.acme, true).await;
    let keep = EventRetention {
        age: Duration::from_millis(300),
        bytes: u64::MAX,
    };
    engine.store().compact(keep).await.unwrap();
    migrate(&engine, "1.1.0", "2.0.0").await;
    publish(&engine, &stage.scene.acme, false).await;
    tokio::time::sleep(pace / 2).await;
    publish(&engine, &stage.scene.acme, true).await;
    tokio::time::sleep(pace).await;
    // On a slow machine not all of it has happened yet. Groups come with the last migration, too.
    let told = |what| followers.iter().map(|one| one.count(what)).sum::<usize>();
    let patience = Instant::now() + Duration::from_secs(60);
    while ["left", "deletions"].iter().any(|what| told(what) == 0) && Instant::now() < patience {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    stage.over.store(true, Ordering::Relaxed);
    for one in writing {
        one.await.unwrap();
    }
    // Nobody is in the way of whole batches now.
    let engine = stage.engine(&mut draw);
    register(&engine, app_2_1()).await;
    publish(&engine, &stage.scene.acme, true).await;
    migrate(&engine, "2.0.0", "2.1.0").await;
    end.send(Some(head(&engine).await)).unwrap();
    for one in following {
        one.await.unwrap();
    }
    for follower in &followers {
        let (_, listed) = follower.list(&engine).await.unwrap();
        let wrong = follower.differs(&listed);
        if let Some(first) = wrong.first() {
            println!("the provider was told {:#?}", followers[0].told(first));
            println!("{} was told {:#?}", follower.name, follower.told(first));
            println!("the log has {:#?}", log_about(&engine, first).await);
        }
        let notes = follower.notes.lock().unwrap();
        println!(
            "{}: {} listed, {:?}",
            follower.name,
            listed.len(),
            notes.counts
        );
        assert!(
            wrong.is_empty(),
            "{}, seed {seed}: {} wrong, {:#?}",
            follower.name,
            wrong.len(),
            &wrong[..wrong.len().min(10)]
        );
        assert!(
            notes.counts["connections"] > 2,
            "it was cut off and resumed"
        );
        // The others may have little to see on a slow machine.
        assert!(follower.name != "the provider" || notes.counts["puts"] > 10);
    }
    for what in ["left", "groups of several", "deletions"] {
        assert!(told(what) > 0, "nobody was told of {what}");
    }
}

pub(crate) async fn no_gap_no_duplicate_and_in_order(mut world: World) {
    let seed = std::env::var("SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    history(&mut world, seed, Duration::from_millis(700)).await;
}
