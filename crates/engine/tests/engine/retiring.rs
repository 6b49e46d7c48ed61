//! Type versions that go although others descend from them, and come back.

use crate::world::{World, admin, app, app_file, settings, v};
use coeval_codes::{Code, Coded};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Engine, EngineError, Target};
use coeval_storage::{AtomicWrite, Key, ReadRequest};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn app_1() -> String {
    app_file(
        "1.0.0",
        "  schema: {type: object, properties: {img: {type: string}, size: {type: integer}}}\n",
    )
}

/// Another name, and something that 1.0.0 can't hold.
fn app_2() -> String {
    app_file(
        "2.0.0",
        "  schema: {type: object, properties: {image: {type: string}, size: {type: integer}, region: {type: string}}}\n  conversion: {from: 1.0.0, steps: [{rename: {path: /img, to: image}}, {add: {path: /region}}]}\n",
    )
}

/// Names no parent: it is 2.0.0.
fn app_2_1() -> String {
    app_file(
        "2.1.0",
        "  schema: {type: object, properties: {image: {type: string}, size: {type: integer}, region: {type: string}, zone: {type: string}}}\n",
    )
}

fn app_3() -> String {
    app_file(
        "3.0.0",
        "  schema: {type: object, properties: {image: {type: string}, replicas: {type: integer}, region: {type: string}, zone: {type: string}}}\n  conversion: {from: 2.1.0, steps: [{rename: {path: /size, to: replicas}}]}\n",
    )
}

async fn register(engine: &Engine, file: String) {
    let done = engine.register(&admin(), Registration::of(file)).await;
    done.unwrap();
}

async fn retire(engine: &Engine, version: &str) -> Result<(), EngineError> {
    engine.delete_type(&admin(), &app(), v(version)).await
}

async fn listed(engine: &Engine) -> Vec<String> {
    let all = engine.visible_types(&admin()).await.unwrap();
    let own = all.iter().filter(|one| one.version.id.nss == "app");
    own.map(|one| one.version.id.version.to_string()).collect()
}

async fn read_at(engine: &Engine, id: &Target, version: &str) -> Result<Value, Code> {
    let found = engine.get(&admin().at(v(version)), &app(), id).await;
    let found = found.map_err(|error| error.code())?;
    Ok(serde_json::from_slice(&found.content).unwrap())
}

fn key_of(version: &str) -> Key {
    Key::new(format!("t/acme/app/{version}").into_bytes()).unwrap()
}

/// The tags of a definition's record: 0.1.0 reads only those with tag 1.
async fn tags(engine: &Engine, version: &str) -> Option<Vec<u8>> {
    let read = engine.store().read(ReadRequest::keys([key_of(version)]));
    let entry = read.await.unwrap().keys.into_iter().next().flatten()?;
    let record = entry.into_record().unwrap();
    Some(record.content.fields.iter().map(|(tag, _)| *tag).collect())
}

/// Puts a server into the store as 0.1.0 announces itself.
async fn announce_0_1_0(engine: &Engine) -> Key {
    let key = Key::new(b"i/old".to_vec()).unwrap();
    let said = json!({"name": "old", "release": "0.1.0", "started": 1, "level": 2});
    let write = AtomicWrite::new().put(&key, said.to_string().into_bytes());
    engine.store().atomic_write(write).await.unwrap();
    key
}

async fn withdraw(engine: &Engine, server: &Key) {
    let write = AtomicWrite::new().delete(server);
    engine.store().atomic_write(write).await.unwrap();
}

pub(crate) async fn a_retired_version_is_a_link_that_nobody_sees(mut world: World) {
    let engines = [Arc::clone(&world.engine), world.another(settings()).await];
    let [engine, other] = &engines;
    for file in [app_1(), app_2(), app_2_1(), app_3()] {
        register(engine, file).await;
    }
    let create = Create::new(v("1.0.0"), "old", json!({"img": "a", "size": 1}));
    let old = engine.create(&admin(), &app(), create).await.unwrap();
    let old = Target::Id(old.resource.id);
    let body = json!({"image": "b", "replicas": 2, "region": "eu", "zone": "z"});
    let create = Create::new(v("3.0.0"), "new", body);
    let new = other.create(&admin(), &app(), create).await.unwrap();
    let new = Target::Id(new.resource.id);

    retire(engine, "2.0.0").await.unwrap();
    retire(other, "2.1.0").await.unwrap();
    for engine in &engines {
        assert_eq!(listed(engine).await, ["1.0.0", "3.0.0"]);
        for version in ["2.0.0", "2.1.0"] {
            let shown = engine.visible_type(&admin(), &app(), v(version)).await;
            assert_eq!(
                shown.unwrap_err().code(),
                coeval_codes::TYPE_VERSION_UNKNOWN
            );
            let unknown = coeval_codes::VERSION_UNKNOWN;
            assert_eq!(read_at(engine, &old, version).await, Err(unknown));
            // As one that never was.
            let create = |version| Create::new(v(version), "no", json!({}));
            let refused = engine.create(&admin(), &app(), create(version)).await;
            let never = engine.create(&admin(), &app(), create("2.7.0")).await;
            assert_eq!(refused.unwrap_err().code(), never.unwrap_err().code());
            let update = Update::new(v(version), json!({"image": "c"}));
            let refused = engine.update(&admin(), &app(), &old, &update).await;
            assert!(refused.is_err(), "{version}");
            let again = retire(engine, version).await.unwrap_err();
            assert_eq!(again.code(), coeval_codes::TYPE_VERSION_UNKNOWN);
        }
        // The steps of both are still passed, in both directions.
        let up = read_at(engine, &old, "3.0.0").await;
        assert_eq!(up, Ok(json!({"image": "a", "replicas": 1})));
        let down = read_at(engine, &new, "1.0.0").await;
        assert_eq!(down, Ok(json!({"img": "b", "size": 2})));
    }
    // An edit below keeps what the versions between could hold.
    let update = Update::new(v("1.0.0"), json!({"img": "c", "size": 3}));
    engine
        .update(&admin(), &app(), &new, &update)
        .await
        .unwrap();
    let whole = json!({"image": "c", "replicas": 3, "region": "eu", "zone": "z"});
    assert_eq!(read_at(other, &new, "3.0.0").await, Ok(whole));
}

pub(crate) async fn a_retired_version_comes_back_only_as_it_was(world: World) {
    let engine = &world.engine;
    for file in [app_1(), app_2(), app_2_1()] {
        register(engine, file).await;
    }
    let create = Create::new(v("1.0.0"), "web", json!({"img": "a"}));
    let web = engine.create(&admin(), &app(), create).await.unwrap();
    let web = Target::Id(web.resource.id);
    retire(engine, "2.0.0").await.unwrap();

    let another = app_file("2.0.0", "  schema: {type: object}\n");
    for registration in [
        Registration::of(another.clone()),
        Registration::of(another.clone()).warn(),
    ] {
        let refused = engine.check_type(&admin(), &registration).await;
        assert_eq!(refused.unwrap_err().code(), coeval_codes::TYPE_RETIRED);
        let refused = engine.register(&admin(), registration).await;
        assert_eq!(refused.unwrap_err().code(), coeval_codes::TYPE_RETIRED);
    }
    // The same in other words: JSON, and the keys in another order.
    let limits = coeval_core::types::BodyLimits::default();
    let read = coeval_core::types::read_documents(app_2().as_bytes(), limits).unwrap();
    let equal = read[0].content().to_string();
    let (who, asked) = (admin(), Registration::of(equal.clone()));
    let checked = engine.check_type(&who, &asked).await.unwrap();
    assert_eq!(checked.parent, Some(v("1.0.0")));
    assert_eq!(listed(engine).await, ["1.0.0", "2.1.0"], "only checked");
    let back = engine
        .register(&admin(), Registration::of(equal.clone()))
        .await;
    let back = back.unwrap();
    assert_eq!((back.parent, back.unproven), (Some(v("1.0.0")), false));
    assert_eq!(listed(engine).await, ["1.0.0", "2.0.0", "2.1.0"]);
    assert_eq!(
        read_at(engine, &web, "2.0.0").await,
        Ok(json!({"image": "a"}))
    );
    let again = engine.register(&admin(), Registration::of(equal)).await;
    assert_eq!(again.unwrap_err().code(), coeval_codes::TYPE_EXISTS);
    let create = Create::new(v("2.0.0"), "two", json!({"image": "b"}));
    let two = engine.create(&admin(), &app(), create).await.unwrap();
    let refused = retire(engine, "2.0.0").await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::TYPE_IN_USE);
    let two = Target::Id(two.resource.id);
    engine.delete(&admin(), &app(), &two, None).await.unwrap();

    // It goes with the last version that needs it, and then the number is free.
    retire(engine, "2.0.0").await.unwrap();
    retire(engine, "2.1.0").await.unwrap();
    assert_eq!(tags(engine, "2.0.0").await, None);
    register(engine, another).await;
    engine.delete(&admin(), &app(), &web, None).await.unwrap();
    retire(engine, "1.0.0").await.unwrap();
    retire(engine, "2.0.0").await.unwrap();
    let gone = engine.type_state(&app()).await.unwrap_err();
    assert_eq!(gone.code(), coeval_codes::TYPE_UNKNOWN);
}

/// Creators against somebody who retires the version: never both. They begin one after the other, and
/// later in each round: a creator that is done before the retirement looks for resources ends the round,
/// so the first one has to fall between two of its steps.
pub(crate) async fn creators_and_a_retirement_never_both_succeed(mut world: World) {
    let engines = [Arc::clone(&world.engine), world.another(settings()).await];
    let [engine, other] = &engines;
    for file in [app_1(), app_2(), app_2_1()] {
        register(engine, file).await;
    }
    for round in 0..30 {
        let retiring = {
            let engine = Arc::clone(other);
            tokio::spawn(async move { retire(&engine, "2.0.0").await })
        };
        let creators: Vec<_> = (0..20)
            .map(|n| {
                let engine = Arc::clone(&engines[n % 2]);
                let begins = Duration::from_micros(100 * round + 50 * u64::try_from(n).unwrap());
                tokio::spawn(async move {
                    tokio::time::sleep(begins).await;
                    let create = Create::new(v("2.0.0"), format!("r{round}-{n}"), json!({}));
                    engine.create(&admin(), &app(), create).await
                })
            })
            .collect();
        let mut made = Vec::new();
        for creator in creators {
            match creator.await.unwrap() {
                Ok(created) => made.push(Target::Id(created.resource.id)),
                Err(error) => {
                    let unknown = [
                        coeval_codes::TYPE_VERSION_UNKNOWN,
                        coeval_codes::VERSION_UNKNOWN,
                    ];
                    assert!(unknown.contains(&error.code()), "{error}");
                }
            }
        }
        match retiring.await.unwrap() {
            Ok(()) => {
                assert!(
                    made.is_empty(),
                    "{} resources at a retired version",
                    made.len()
                );
                register(engine, app_2()).await;
            }
            Err(error) => {
                assert_eq!(error.code(), coeval_codes::TYPE_IN_USE, "{error}");
                assert_eq!(listed(engine).await, ["1.0.0", "2.0.0", "2.1.0"]);
            }
        }
        for id in &made {
            engine.delete(&admin(), &app(), id, None).await.unwrap();
        }
    }
}

pub(crate) async fn what_nothing_is_converted_through_goes_without_a_trace(world: World) {
    let engine = &world.engine;
    // As RDE clients define types: no conversions.
    let plain = |version: &str| app_file(version, "  schema: {type: object}\n");
    for version in ["1.0.0", "1.1.0", "0.9.0"] {
        register(engine, plain(version)).await;
    }
    let create = Create::new(v("1.1.0"), "web", json!({"any": "thing"}));
    let web = engine.create(&admin(), &app(), create).await.unwrap();
    // Whatever servers there are: nothing is stored that 0.1.0 can't read.
    announce_0_1_0(engine).await;
    retire(engine, "1.0.0").await.unwrap();
    assert_eq!(tags(engine, "1.0.0").await, None);
    for version in ["0.9.0", "1.1.0"] {
        assert_eq!(tags(engine, version).await, Some(vec![1]), "{version}");
    }
    let web = Target::Id(web.resource.id);
    assert_eq!(
        read_at(engine, &web, "0.9.0").await,
        Ok(json!({"any": "thing"}))
    );
    // As Terraform does: the same again.
    register(engine, plain("1.0.0")).await;
    assert_eq!(listed(engine).await, ["0.9.0", "1.0.0", "1.1.0"]);
}

pub(crate) async fn a_link_waits_for_servers_that_know_none(world: World) {
    let engine = &world.engine;
    for file in [app_1(), app_2(), app_2_1(), app_3()] {
        register(engine, file).await;
    }
    let old = announce_0_1_0(engine).await;
    let refused = retire(engine, "2.0.0").await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::TYPE_IS_PARENT);
    let told = refused.to_string();
    assert!(told.contains("old") && told.contains("0.1.0"), "{told}");
    let all = ["1.0.0", "2.0.0", "2.1.0", "3.0.0"];
    assert_eq!(listed(engine).await, all);
    for version in all {
        assert_eq!(tags(engine, version).await, Some(vec![1]), "{version}");
    }
    // A leaf is nobody's link.
    retire(engine, "3.0.0").await.unwrap();
    register(engine, app_3()).await;

    withdraw(engine, &old).await;
    retire(engine, "2.0.0").await.unwrap();
    // What 0.1.0 would convert along another path, or along none, it can't load: the link itself and
    // what names no parent. 3.0.0 names one that it does not know.
    for (version, tag) in [("1.0.0", 1), ("2.0.0", 2), ("2.1.0", 2), ("3.0.0", 1)] {
        assert_eq!(tags(engine, version).await, Some(vec![tag]), "{version}");
    }
    // What comes later and names no parent, too; also what is written into its notes.
    register(engine, app_file("3.1.0", "  schema: {type: object, properties: {image: {type: string}, replicas: {type: integer}, region: {type: string}, zone: {type: string}, more: {type: string}}}\n")).await;
    assert_eq!(tags(engine, "3.1.0").await, Some(vec![2]));
    world.open_to_tenants(&["1.0.0", "2.1.0"]).await;
    assert_eq!(tags(engine, "2.1.0").await, Some(vec![2]));
    assert_eq!(tags(engine, "1.0.0").await, Some(vec![1]));
    // Once it is back, everything is for everybody again.
    register(engine, app_2()).await;
    for version in ["1.0.0", "2.0.0", "2.1.0", "3.0.0", "3.1.0"] {
        assert_eq!(tags(engine, version).await, Some(vec![1]), "{version}");
    }
}

pub(crate) async fn a_refused_retirement_leaves_all_as_it_was(world: World) {
    let engine = &world.engine;
    for file in [app_1(), app_2(), app_2_1()] {
        register(engine, file).await;
    }
    let create = Create::new(v("2.0.0"), "web", json!({}));
    engine.create(&admin(), &app(), create).await.unwrap();
    let refused = retire(engine, "2.0.0").await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::TYPE_IN_USE);
    for version in ["1.0.0", "2.0.0", "2.1.0"] {
        assert_eq!(tags(engine, version).await, Some(vec![1]), "{version}");
    }
    let create = Create::new(v("2.0.0"), "api", json!({}));
    engine.create(&admin(), &app(), create).await.unwrap();
}
