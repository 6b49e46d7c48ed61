//! Migrations that are hurt: every write of one fails once in every way, random workloads are undone
//! at every step, secrets move along.

use crate::faults::Nth;
use crate::migrations::{
    app_2_0_with, back, content, drive, forward, made, read, registered, sound, started, status,
};
use crate::secrets::keyring;
use crate::world::{World, admin, app, app_1_0, app_file, settings, v};
use coeval_codes::Coded;
use coeval_core::decide::StoreAt;
use coeval_core::phases::Phase;
use coeval_engine::migrations::{Advance, Declared, MigrationDriver, State};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Engine, EngineError, Settings, Target};
use coeval_storage::layers::{FaultPlan, FaultyStore, InjectedFault};
use coeval_storage::{Clock, SystemClock, UnixMillis};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A whole migration by a server whose write of one number fails. Whether it struck.
async fn hurt(fault: InjectedFault, nth: usize) -> bool {
    let about = format!("{fault:?} at number {nth}");
    let world = World::sqlite().await;
    let clean = &world.engine;
    registered(clean).await;
    let mut expected = BTreeMap::new();
    for n in 0..3 {
        let name = format!("r{n}");
        let content = json!({"image": name, "replicas": 0});
        expected.insert(n, made(clean, &name, content).await);
    }
    let gone = made(clean, "gone", json!({"image": "gone"})).await;
    let plan = Arc::new(Nth::of_writes(nth, fault));
    let store = FaultyStore::new(Arc::clone(clean.store()), Arc::clone(&plan) as _);
    let hurt = Arc::new(Engine::new(Arc::new(store), settings()));
    let (who, of) = (admin(), app());
    let mut replicas = [0_i64; 3];
    let mut deleted = false;
    for round in 0..200 {
        // Nothing but the store fails here; whatever comes of it, the next round goes on.
        let _ = MigrationDriver::once(hurt.background(), "hurt", "0.1.0").await;
        let declared = Declared::default();
        match hurt.migration_status(&who, &of).await {
            Ok(now) if now.state == State::Finished => break,
            Ok(_) => drop(hurt.advance_migration(&who, &of, Advance::default()).await),
            Err(_) => drop(hurt.start_migration(&who, &of, &declared).await),
        }
        let which = round % 3;
        let wanted = replicas[which] + 1;
        let image = format!("r{which}");
        let update = Update::new(v("1.0.0"), json!({"image": image, "replicas": wanted}));
        let written = hurt.update(&who, &of, &expected[&which], &update).await;
        let now = read(clean, &expected[&which], "1.0.0").await["replicas"].clone();
        match written {
            Ok(_) => assert_eq!(now, wanted, "{about}: acknowledged and not there"),
            Err(_) => assert!(now == wanted || now == replicas[which], "{about}: {now}"),
        }
        replicas[which] = now.as_i64().unwrap();
        if round == 6 {
            deleted = hurt.delete(&who, &of, &gone, None).await.is_ok();
        }
        assert!(round < 199, "{about}: {:?}", status(clean).await);
    }
    for n in 0..3 {
        let wanted = json!({"image": format!("r{n}"), "replicas": replicas[n]});
        assert_eq!(read(clean, &expected[&n], "1.0.0").await, wanted, "{about}");
        let stored = clean.get(&who, &of, &expected[&n]).await.unwrap();
        assert_eq!(stored.header.version, v("2.0.0"), "{about}");
    }
    if deleted {
        let error = clean.get(&who, &of, &gone).await.unwrap_err();
        assert_eq!(error.code(), coeval_codes::RESOURCE_NOT_FOUND, "{about}");
    }
    sound(clean, &about).await;
    plan.has_struck()
}

async fn hurt_everywhere(fault: InjectedFault) {
    let mut struck = 0;
    for nth in 1.. {
        if !hurt(fault, nth).await {
            break;
        }
        struck += 1;
    }
    println!("{struck} writes failed with {fault:?}, one in each migration");
    assert!(struck > 40, "{struck}");
}

pub(crate) async fn every_write_of_a_migration_may_fail_before(_: World) {
    hurt_everywhere(InjectedFault::ErrorBefore).await;
}

pub(crate) async fn every_write_of_a_migration_may_fail_after(_: World) {
    hurt_everywhere(InjectedFault::ErrorAfter).await;
}

pub(crate) async fn every_write_of_a_migration_may_be_of_unknown_outcome(_: World) {
    hurt_everywhere(InjectedFault::UnknownBefore).await;
}

/// What a resource should be, by both majors.
#[derive(Clone, Debug, PartialEq)]
struct Model {
    id: Target,
    image: String,
    replicas: i64,
    tier: Option<String>,
    name: String,
    /// Whether it was made at, or moved to, the new major for itself.
    alone: bool,
}

impl Model {
    fn at_old(&self) -> Value {
        json!({"image": self.image, "replicas": self.replicas})
    }

    fn at_new(&self) -> Value {
        let mut body = json!({"container": {"image": self.image}, "replicas": self.replicas});
        if let Some(tier) = &self.tier {
            body["tier"] = json!(tier);
        }
        body
    }
}

struct Play {
    engines: [Arc<Engine>; 2],
    random: fastrand::Rng,
    models: Vec<Model>,
    gone: Vec<Target>,
    made: usize,
    about: String,
    /// The phases go back by themselves: where they are is known only afterwards.
    undoing: bool,
}

impl Play {
    fn engine(&mut self) -> Arc<Engine> {
        Arc::clone(&self.engines[self.random.usize(..2)])
    }

    /// The phases that writes at the new major need.
    async fn writes_new(&self) -> bool {
        let now = self.engines[0].migration_status(&admin(), &app()).await;
        let live = now.ok().and_then(|now| now.live);
        // With old still live a server may be at it, and says so.
        live.is_some_and(|(low, _)| low > Phase::Old)
    }

    async fn step(&mut self) {
        let engine = self.engine();
        let which = self.random.usize(..self.models.len().max(1));
        match self.random.u8(..12) {
            0..=2 => self.create(&engine).await,
            _ if self.models.is_empty() => self.create(&engine).await,
            3..=4 => {
                let model = &mut self.models[which];
                model.image = format!("i{}", self.random.u16(..));
                model.replicas = self.random.i64(0..100);
                let update = Update::new(v("1.0.0"), model.at_old());
                let id = model.id.clone();
                self.write(&engine, &id, &update).await;
            }
            5..=6 => {
                let model = &mut self.models[which];
                model.replicas += 1;
                model.tier = self
                    .random
                    .bool()
                    .then(|| format!("t{}", self.random.u8(..)));
                let update = Update::new(v("2.0.0"), model.at_new());
                let id = model.id.clone();
                self.write(&engine, &id, &update).await;
            }
            7 => {
                let name = format!("n{}", self.made);
                self.made += 1;
                let model = &mut self.models[which];
                model.name.clone_from(&name);
                let mut update = Update::new(v("1.0.0"), Value::Null);
                update.content = None;
                update.meta.name = Some(name);
                let id = model.id.clone();
                self.write(&engine, &id, &update).await;
            }
            8 => {
                let model = self.models.swap_remove(which);
                let deleted = engine.delete(&admin(), &app(), &model.id, None).await;
                deleted.unwrap_or_else(|error| panic!("{}: {error}", self.about));
                self.gone.push(model.id);
            }
            9 if !self.undoing && self.random.u8(..4) == 0 => {
                // To the new major, for itself; in a pair that is an edit.
                let pairs = self.writes_new().await;
                let model = &mut self.models[which];
                let mut update = Update::new(v("2.0.0"), model.at_new());
                update.store_at = StoreAt::Set;
                let id = model.id.clone();
                let now = self.engines[0].migration_status(&admin(), &app()).await;
                let half = now.is_ok_and(|now| {
                    now.live
                        .is_some_and(|(low, high)| low == Phase::Old && high != low)
                });
                // Between the two it depends on the server.
                if !half {
                    self.models[which].alone |= !pairs;
                    self.write(&engine, &id, &update).await;
                }
            }
            _ => {}
        }
    }

    async fn create(&mut self, engine: &Engine) {
        let name = format!("n{}", self.made);
        self.made += 1;
        let alone = self.random.u8(..4) == 0;
        let mut model = Model {
            id: Target::Id(coeval_core::version::Uuid(0)),
            image: format!("i{}", self.made),
            replicas: self.random.i64(0..100),
            tier: None,
            name: name.clone(),
            alone,
        };
        let (at, body) = if alone {
            ("2.0.0", model.at_new())
        } else {
            ("1.0.0", model.at_old())
        };
        let create = Create::new(v(at), name, body);
        let made = engine.create(&admin(), &app(), create).await;
        let made = made.unwrap_or_else(|error| panic!("{}: {error}", self.about));
        model.id = Target::Id(made.resource.id);
        self.models.push(model);
    }

    async fn write(&self, engine: &Engine, id: &Target, update: &Update) {
        for _ in 0..50 {
            match engine.update(&admin(), &app(), id, update).await {
                Ok(_) => return,
                Err(EngineError::Contended { .. }) => {}
                Err(error) => panic!("{}: {error}: {update:?}", self.about),
            }
        }
        panic!("{}: no end", self.about);
    }

    /// Everything that both servers show is what the model says.
    async fn agrees(&self) {
        for engine in &self.engines {
            for model in &self.models {
                assert_eq!(
                    (
                        read(engine, &model.id, "1.0.0").await,
                        read(engine, &model.id, "2.0.0").await
                    ),
                    (model.at_old(), model.at_new()),
                    "{}: {model:?}",
                    self.about
                );
                let named = Target::Name {
                    org: coeval_engine::SYSTEM_ORG.to_owned(),
                    name: model.name.clone(),
                };
                let found = engine.get(&admin(), &app(), &named).await;
                let found = found.unwrap_or_else(|error| panic!("{}: {error}", self.about));
                assert_eq!(Target::Id(found.id), model.id, "{}", self.about);
            }
            for id in &self.gone {
                let error = engine.get(&admin(), &app(), id).await.unwrap_err();
                let code = error.code();
                assert_eq!(code, coeval_codes::RESOURCE_NOT_FOUND, "{}", self.about);
            }
        }
    }
}

/// Random workloads, moved forward and back at random, and undone at the end.
pub(crate) async fn random_workloads_are_undone_with_nothing_lost(mut world: World) {
    let one = Arc::clone(&world.engine);
    let other = world.another(settings()).await;
    let _drivers = (drive(&one, "one"), drive(&other, "other"));
    registered(&one).await;
    let scale = coeval_storage_suite::scale();
    let rounds = if scale > 1.0 { 60 } else { 6 };
    let seed = std::env::var("COEVAL_MODEL_SEED").ok();
    let seed = seed.and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    let mut play = Play {
        engines: [Arc::clone(&one), Arc::clone(&other)],
        random: fastrand::Rng::with_seed(seed),
        models: Vec::new(),
        gone: Vec::new(),
        made: 0,
        about: String::new(),
        undoing: false,
    };
    for round in 0..rounds {
        started(&one).await;
        let turns = play.random.usize(2..9);
        for turn in 0..turns {
            for _ in 0..play.random.usize(1..8) {
                let now = status(&one).await;
                play.about = format!("seed {seed}, round {round}, turn {turn}, {:?}", now.live);
                play.step().await;
            }
            play.agrees().await;
            let now = status(&one).await.live;
            match (play.random.u8(..4), now) {
                (0, Some((low, _))) if low > Phase::Old => drop(back(&one).await),
                (_, Some((low, high))) if (low, high) != (Phase::Cutover, Phase::Cutover) => {
                    forward(&other).await;
                }
                _ => {}
            }
            play.agrees().await;
        }
        let report = one.loss_report(&admin(), &app()).await.unwrap();
        assert_eq!((report.lost, report.refused), (0, 0), "{}", play.about);
        one.undo_migration(&admin(), &app()).await.unwrap();
        play.about = format!("seed {seed}, round {round}, undoing");
        play.undoing = true;
        let until = Instant::now() + Duration::from_secs(60);
        while status(&one).await.state != State::Undone {
            assert!(
                Instant::now() < until,
                "{}: {:?}",
                play.about,
                status(&one).await
            );
            play.step().await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        play.undoing = false;
        play.about = format!("seed {seed}, round {round}, undone");
        play.agrees().await;
        sound(&one, &play.about).await;
    }
    println!("{} resources, {} deleted", play.made, play.gone.len());
}

/// A type whose secret moves to another place.
pub(crate) async fn secrets_move_along_and_back(mut world: World) {
    let (_, keyring) = keyring(&["k1"]);
    let with_key = || Settings {
        keyring: Some(Arc::clone(&keyring)),
        ..settings()
    };
    let one = world.another(with_key()).await;
    let other = world.another(with_key()).await;
    let _drivers = (drive(&one, "one"), drive(&other, "other"));
    let secret = "x-vcloud-restricted: [private, secure]";
    let old = format!(
        "  schema: {{type: object, properties: {{image: {{type: string}}, token: {{type: string, {secret}}}}}}}\n"
    );
    let new = format!(
        "  schema: {{type: object, properties: {{image: {{type: string}}, auth: {{type: object, properties: {{token: {{type: string, {secret}}}}}}}}}}}\n  conversion: {{from: 1.0.0, steps: [{{nest: {{paths: [/token], under: /auth}}}}]}}\n"
    );
    for file in [app_file("1.0.0", &old), app_file("2.0.0", &new)] {
        let registration = Registration::of(file).warn();
        one.register(&admin(), registration).await.unwrap();
    }
    let body = json!({"image": "a", "token": "s3cret"});
    let create = Create::new(v("1.0.0"), "web", body);
    let web = one.create(&admin(), &app(), create).await.unwrap();
    let web = Target::Id(web.resource.id);
    let clear = async |engine: &Engine| {
        let secrets = engine.secrets(&admin(), &app(), &web).await.unwrap();
        secrets.into_values().next().unwrap()
    };
    started(&one).await;
    for phase in Phase::ALL {
        while status(&one).await.live != Some((phase, phase)) {
            forward(&one).await;
        }
        for engine in [&one, &other] {
            assert_eq!(clear(engine).await, "s3cret", "{phase}");
        }
        // Somebody who does not send the secret keeps it.
        let seen = other
            .get(&admin().at(v("1.0.0")), &app(), &web)
            .await
            .unwrap();
        let mut body = content(&seen);
        body["image"] = json!(phase.name());
        let update = Update::new(v("1.0.0"), body).on(seen.revision);
        other.update(&admin(), &app(), &web, &update).await.unwrap();
        assert_eq!(clear(&one).await, "s3cret", "{phase}");
        sound(&one, phase.name()).await;
        if phase == Phase::Cutover {
            // There and back again before the last step.
            back(&one).await;
            back(&one).await;
            assert_eq!(clear(&other).await, "s3cret");
        }
    }
    let done = forward(&one).await;
    assert_eq!(done.state, State::Finished);
    assert_eq!(clear(&other).await, "s3cret");
    one.delete(&admin(), &app(), &web, None).await.unwrap();
    sound(&one, "deleted").await;
}

pub(crate) type Deed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Something is done just before the write of one number.
pub(crate) struct Before {
    left: AtomicUsize,
    deed: Mutex<Option<Deed>>,
}

impl Before {
    pub(crate) fn write(nth: usize, deed: Deed) -> Self {
        Self {
            left: AtomicUsize::new(nth),
            deed: Mutex::new(Some(deed)),
        }
    }

    pub(crate) fn has_struck(&self) -> bool {
        self.deed.lock().unwrap().is_none()
    }
}

impl std::fmt::Debug for Before {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Before")
    }
}

impl FaultPlan for Before {
    fn write(&self) -> Option<InjectedFault> {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            let deed = self.deed.lock().unwrap().take()?;
            let runtime = tokio::runtime::Handle::current();
            tokio::task::block_in_place(|| runtime.block_on(deed));
        }
        None
    }
}

/// What somebody does in between.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Between {
    Update,
    /// To what has no counterpart at the new major.
    Widen,
    KeepAlive,
    Rename,
    Delete,
}

/// A look at a migration in which the background works, with something just before its write of one
/// number. Whether there was such a write.
async fn between(phase: Phase, what: Between, nth: usize) -> bool {
    let about = format!("{what:?} at {phase}, before write {nth}");
    let world = World::sqlite().await;
    let clean = &world.engine;
    narrow(clean).await;
    let web = made(clean, "web", json!({"image": "a", "replicas": 1})).await;
    started(clean).await;
    let (who, of) = (admin(), app());
    let step = async || {
        MigrationDriver::once(clean.background(), "one", "0.1.0")
            .await
            .unwrap();
        let advanced = clean.advance_migration(&who, &of, Advance::default());
        let _ = advanced.await;
    };
    // Just admitted: the background has not been there yet.
    while status(clean).await.live.map(|(_, high)| high) != Some(phase) {
        step().await;
    }
    let later = UnixMillis(SystemClock::default().now().0 + 3_600_000);
    let (engine, target) = (Arc::clone(clean), web.clone());
    let deed: Deed = Box::pin(async move {
        let (who, of) = (admin(), app());
        let image = match what {
            Between::Widen => "w".repeat(60),
            _ => "b".to_owned(),
        };
        let update = Update::new(v("1.0.0"), json!({"image": image, "replicas": 2}));
        match what {
            Between::Update | Between::Widen => {
                drop(engine.update(&who, &of, &target, &update).await.unwrap());
            }
            Between::KeepAlive => {
                let kept = engine.keep_alive(&who, &of, &target, Some(later)).await;
                kept.unwrap();
            }
            Between::Rename => {
                let mut update = Update::new(v("1.0.0"), Value::Null);
                update.content = None;
                update.meta.name = Some("renamed".to_owned());
                drop(engine.update(&who, &of, &target, &update).await.unwrap());
            }
            Between::Delete => {
                engine.delete(&who, &of, &target, None).await.unwrap();
            }
        }
    });
    let plan = Arc::new(Before::write(nth, deed));
    let store = FaultyStore::new(Arc::clone(clean.store()), Arc::clone(&plan) as _);
    let meddled = Arc::new(Engine::new(Arc::new(store), settings()));
    // Several looks: the note that all was visited comes after the visit.
    for _ in 0..3 {
        let _ = MigrationDriver::once(meddled.background(), "one", "0.1.0").await;
    }
    let struck = plan.has_struck();
    if struck {
        let expected = match what {
            Between::Update => json!({"image": "b", "replicas": 2}),
            Between::Widen => json!({"image": "w".repeat(60), "replicas": 2}),
            _ => json!({"image": "a", "replicas": 1}),
        };
        // As far as it goes from here.
        for _ in 0..12 {
            step().await;
            let seen = clean.get(&who.clone().at(v("1.0.0")), &of, &web).await;
            match what {
                Between::Delete => assert!(seen.is_err(), "{about}: it is back"),
                _ => assert_eq!(content(&seen.unwrap()), expected, "{about}"),
            }
        }
        let now = status(clean).await;
        let held = what == Between::Widen && phase < Phase::Soak;
        assert_eq!(now.failed, u64::from(held), "{about}: {now:?}");
        // An old record that expires is waited for; at cleanup only the new one is kept alive.
        let expires = what == Between::KeepAlive && phase < Phase::Cleanup;
        let ends = !held && !expires;
        assert_eq!(now.state == State::Finished, ends, "{about}: {now:?}");
        if what == Between::KeepAlive {
            let seen = clean.get(&who, &of, &web).await.unwrap();
            assert_eq!(seen.expires, Some(later), "{about}");
        }
        if what == Between::Rename {
            let seen = clean.get(&who, &of, &web).await.unwrap();
            assert_eq!(seen.header.name, "renamed", "{about}");
        }
        if what != Between::KeepAlive {
            sound(clean, &about).await;
        }
    }
    struck
}

/// The second major takes short images alone.
async fn narrow(engine: &Engine) {
    let narrow = Registration::of(app_2_0_with("{type: string, maxLength: 40}")).warn();
    for registration in [Registration::of(app_1_0()), narrow] {
        engine.register(&admin(), registration).await.unwrap();
    }
}

pub(crate) async fn what_happens_while_the_background_works_is_not_undone(_: World) {
    let mut struck = 0;
    for phase in [Phase::ReadNew, Phase::Backfill, Phase::Cleanup] {
        for what in [
            Between::Update,
            Between::Widen,
            Between::KeepAlive,
            Between::Rename,
            Between::Delete,
        ] {
            // After cutover there is nothing that must have a counterpart.
            if phase == Phase::Cleanup && what == Between::Widen {
                continue;
            }
            for nth in 1.. {
                if !between(phase, what, nth).await {
                    break;
                }
                struck += 1;
            }
        }
    }
    println!("{struck} times something came between");
    assert!(struck > 25, "{struck}");
}
